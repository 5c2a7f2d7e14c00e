"""Memory statistics of a machine that has only a CPU."""

import gc

from ..probe import attempt
from ..registry import ANYTHING, differs, program

MIB = 1 << 20


@program
def host_memory_of_the_core(paddle, np):
    """What a tensor takes, and gives back when it is gone; the peak stays."""
    core = paddle.base.core
    gc.collect()  # what earlier programs left must not go in between
    start = core.host_memory_stat_current_value("Allocated", 0)
    x = paddle.ones([1024, 1024])
    during = core.host_memory_stat_current_value("Allocated", 0) - start
    del x
    after = core.host_memory_stat_current_value("Allocated", 0) - start
    peak = core.host_memory_stat_peak_value("Allocated", 0) - start
    return [during, after, peak >= 4 * MIB]


@program
def host_memory_of_views_and_copies(paddle, np):
    """A detached tensor shares the memory, a clone does not."""
    core = paddle.base.core
    gc.collect()
    start = core.host_memory_stat_current_value("Allocated", 0)
    x = paddle.ones([512, 1024])
    sizes = []
    for make in (lambda: x.detach(), lambda: x.clone(), lambda: x.astype("float64")):
        made = make()
        sizes.append(core.host_memory_stat_current_value("Allocated", 0) - start)
        del made
    return sizes


@differs(
    "Paddle has these on GPUs only; host memory can be counted as well",
    right=[4 * MIB, 4 * MIB, True, None, None],
    paddle_gives=["ValueError"] * 5,
)
def memory_of_the_device(paddle, np):
    """paddle.device.cuda on a machine without one speaks of the CPU."""
    cuda = paddle.device.cuda

    def ask(call):
        answer = attempt(call)
        return answer["error"] if isinstance(answer, dict) else answer

    gc.collect()
    start = ask(cuda.memory_allocated)
    if start == "ValueError":
        start = 0
    x = paddle.ones([1024, 1024])
    found = [ask(cuda.memory_allocated), ask(cuda.memory_reserved)]
    found = [each if isinstance(each, str) else each - start for each in found]
    peak = ask(cuda.max_memory_allocated)
    found.append(peak if isinstance(peak, str) else peak - start >= 4 * MIB)
    del x
    return [*found, ask(cuda.reset_max_memory_allocated), ask(cuda.reset_max_memory_reserved)]


@differs(
    "names that Paddle lists and does not have",
    right=[True, True, True],
    paddle_gives=[False, False, False],
)
def memory_names_of_paddle_device(paddle, np):
    """memory_allocated, memory_reserved and empty_cache of paddle.device."""
    names = ("memory_allocated", "memory_reserved", "empty_cache")
    return [callable(getattr(paddle.device, name, None)) for name in names]


@program
def the_check_for_late_errors_by_hand(paddle, np):
    """It returns None where nothing has failed."""
    return paddle.base.core.eager._for_test_check_cuda_error()


@differs(
    "Paddle's CPU does not look at the flag: what was in memory before is there",
    right=[[0x01010101] * 2, [255, 255], 0x7F7F, [True, True]],
    paddle_gives=ANYTHING,
)
def new_memory_filled(paddle, np):
    """FLAGS_alloc_fill_value fills what empty and empty_like return."""
    out = []
    for byte, make in (
        (1, lambda: paddle.empty([2], "int32")),
        (255, lambda: paddle.empty_like(paddle.ones([2], "uint8"))),
        (127, lambda: paddle.empty([], "int16")),
        (1, lambda: paddle.empty([2], "bool")),
    ):
        paddle.set_flags({"FLAGS_alloc_fill_value": byte})
        out.append(make().tolist())
    paddle.set_flags({"FLAGS_alloc_fill_value": -1})
    return out
