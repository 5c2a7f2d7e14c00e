"""The device of tensors in this run of the tests: the CPU, or the accelerator that JAX found."""

import contextlib
from collections.abc import Iterator

import jax
import pytest

import jaxeager as paddle
from jaxeager.legacy.base.framework import _current_expected_place

PLACE = str(_current_expected_place())
"""The place as tools print it: "Place(cpu)", "Place(gpu:0)"."""

DEVICE = PLACE[len("Place(") : -1]
"""The device as reports name it: "cpu", "gpu:0"."""

BACKEND = DEVICE.split(":")[0].upper()
"""The kind of device as logs name it: "CPU", "GPU"."""

WORKER = f"worker_{DEVICE.replace(':', '.')}"
"""The start of the name of a file of reports, in a folder of them."""

IS_ON_CPU = jax.default_backend() == "cpu"

AS_ON_A_CPU = {"JAX_PLATFORMS": "cpu"}
"""The environment of a process whose output was recorded on a CPU, or that shares the one GPU."""


def only_on_a_cpu(reason: str):
    """Return the mark of a test that is valid on a CPU only."""
    return pytest.mark.skipif(not IS_ON_CPU, reason=f"this run is on an accelerator: {reason}")


@contextlib.contextmanager
def on_a_cpu() -> Iterator[None]:
    """Create the tensors of a block on the CPU, if this run has another default device."""
    if IS_ON_CPU:
        yield
        return
    paddle.set_device("cpu")
    try:
        yield
    finally:
        paddle.set_device(DEVICE)
