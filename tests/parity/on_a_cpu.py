"""Programs whose Paddle record, made on a CPU, is valid on a CPU only.

On an accelerator these run on the CPU. All others run where the tests do.
"""

import contextlib
from importlib.metadata import version

import jax
import pytest

from tests.support.here import IS_ON_CPU, on_a_cpu

NAMES_THE_PLACE = """
    the_tracer_switches_recording tensors_in_text attributes text_of_tensors
    what_a_tensor_says_of_itself what_a_place_says places_of_one_device_are_equal
    places_that_functions_take_and_give tensors_made_like_others sparse_parts
    complex_numbers_are_printed a_dtype_that_a_tensor_has states_of_no_gpu
    generators_of_random_numbers
""".split()
LOOKS_AT_VALUES = """
    indices_out_of_range_that_are_noticed indices_out_of_range cholesky_refuses
    max_unpooling_refused multiplexes draws_from_no_probability losses_of_no_probability
    shard_indices ctc parameters_refused sampling_positions_from_the_end beam_trees triplet_margin
    adaptive_log_softmax multi_label_losses poisson_and_gaussian matrix_powers condition_numbers
    inverses square_systems covariances tensor_index_out_of_range draws_that_mean_nothing
    distributions_that_mean_nothing length_beyond_the_steps
""".split()
READS_OR_COUNTS_HOST_MEMORY = """
    dlpack_both_ways dlpack_by_keyword memory_of_the_device host_memory_of_the_core
    host_memory_of_views_and_copies
""".split()
HAS_OTHER_DEFAULTS = "least_squares".split()  # "gels" is the driver of a GPU, in Paddle as well
HAS_NO_ORDER = "writing_one_place_twice".split()  # which value stays, a GPU leaves open
ON_A_CPU = frozenset([
    *NAMES_THE_PLACE, *LOOKS_AT_VALUES, *READS_OR_COUNTS_HOST_MEMORY, *HAS_OTHER_DEFAULTS,
    *HAS_NO_ORDER,
])  # fmt: skip

# They request a GPU that does not exist, or set what XLA reads before it starts one.
WITHOUT_A_GPU = frozenset({"devices_by_name", "every_flag_of_a_tool_can_be_set"})

# The logarithms and transforms of a GPU have other last digits, and so have products: products in
# float64 lead to distances whose squares are off by 1e-15.
DIGITS = {"audio_mel_scales": 3e-5, "signal_istft_windows": 1e-6, "distances_of_pairs": 1e-5}

# JAX 0.12 adds in another order: transforms of complex64, gradients of both signs over steps.
DIGITS_OF_JAX_0_12 = {
    "signal_istft_windows": 1e-6,
    "recurrent_two_layers_both_directions": 2e-4,
}

RECORDED_WITH = {"image_resize": ("Pillow", 13)}  # an older one rounds in another way


def where_it_holds(program) -> contextlib.AbstractContextManager[None]:
    """Run a block on the device that the record of a program is valid for.

    The test is skipped if that device, or a library of the record, is not available.
    """
    if program.name in WITHOUT_A_GPU and not IS_ON_CPU:
        pytest.skip("this run is on an accelerator: what is recorded holds without one")
    library, least = RECORDED_WITH.get(program.name, ("", 0))
    if library and int(version(library).split(".")[0]) < least:
        pytest.skip(f"recorded with {library} {least}, and this is {version(library)}")
    return on_a_cpu() if program.name in ON_A_CPU else contextlib.nullcontext()


def digits_of(program) -> float | None:
    """Return the allowed relative error of a result."""
    given = {} if IS_ON_CPU else DIGITS
    if jax.__version_info__ >= (0, 12):
        given = DIGITS_OF_JAX_0_12 | given
    return given.get(program.name, program.rtol)
