"""Programs of which Paddle's record, made on a CPU, says what is so on a CPU alone.

On an accelerator these run on the CPU beside it. All others run where the tests do.
"""

import contextlib

from tests.support.here import IS_ON_CPU, on_a_cpu

NAMES_THE_PLACE = """
    the_tracer_switches_recording tensors_in_text attributes text_of_tensors
    what_a_tensor_says_of_itself what_a_place_says places_of_one_device_are_equal
    places_that_functions_take_and_give tensors_made_like_others sparse_parts
    complex_numbers_are_printed a_dtype_that_a_tensor_has
""".split()
LOOKS_AT_VALUES = """
    indices_out_of_range_that_are_noticed indices_out_of_range cholesky_refuses
    max_unpooling_refused multiplexes draws_from_no_probability losses_of_no_probability
    shard_indices ctc parameters_refused sampling_positions_from_the_end beam_trees triplet_margin
    adaptive_log_softmax multi_label_losses poisson_and_gaussian matrix_powers
""".split()
READS_OR_COUNTS_HOST_MEMORY = """
    dlpack_both_ways dlpack_by_keyword memory_of_the_device host_memory_of_the_core
    host_memory_of_views_and_copies
""".split()
ON_A_CPU = frozenset([*NAMES_THE_PLACE, *LOOKS_AT_VALUES, *READS_OR_COUNTS_HOST_MEMORY])

# The logarithms and transforms of a GPU have other last digits.
DIGITS = {"audio_mel_scales": 3e-5, "signal_istft_windows": 1e-6}


def where_it_holds(program) -> contextlib.AbstractContextManager[None]:
    """Runs a block on the device that what is recorded of a program holds for."""
    return on_a_cpu() if program.name in ON_A_CPU else contextlib.nullcontext()


def digits_of(program) -> float | None:
    """Returns by what share a result may be off."""
    return program.rtol if IS_ON_CPU else DIGITS.get(program.name, program.rtol)
