"""Where tensors are in this run of the tests: on the CPU, or on the accelerator that JAX found."""

import jaxeager as paddle

PLACE = str(paddle.framework._current_expected_place())
"""The place as tools print it: "Place(cpu)", "Place(gpu:0)"."""
