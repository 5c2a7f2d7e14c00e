"""The cost of each debug tool while it is on: one recorded op, and one step, against all off.

The op is ``x + y`` of four float32 numbers, the smallest possible, so every ratio is a worst case.
Two tools cost more with more input: stacks 30 frames deep, and checks of bfloat16, which NumPy
cannot read. The step is ``(x + y).sum().backward()``. The notes have Paddle 3.3.1's own ratios,
measured once on one core.
"""

import contextlib
import os
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import jax

import jaxeager as paddle

from .timing import Row, compare, interleave, say

CALLS = 300
STEPS = 30
DEPTH = 30
DUMP = "dump_backward_graph_path, no pictures"


def _flags(**flags) -> Callable:
    """Return a function of a folder: a context manager with flags on, which restores them."""

    @contextlib.contextmanager
    def on(folder: Path) -> Iterator[None]:
        wanted = {
            f"FLAGS_{name}": str(folder / name) if value is Path else value
            for name, value in flags.items()
        }
        before = paddle.get_flags(list(wanted))
        paddle.set_flags(wanted)
        try:
            yield
        finally:
            paddle.set_flags(before)

    return on


@contextlib.contextmanager
def _checksums(folder: Path) -> Iterator[Callable]:
    """Write checksums; yield the function that writes pending lines, which is part of the cost."""
    with _flags(tensor_md5_checksum_output_path=Path)(folder):
        from jaxeager.debug.checksums import checksums

        yield checksums.flush


@contextlib.contextmanager
def _peaks(folder: Path) -> Iterator[None]:
    """Record the highest memory in use."""
    from jaxeager.debug.memory import meter as memory_meter

    paddle.device.reset_peak_memory_stats()
    try:
        yield
    finally:
        memory_meter.unwatch()


@contextlib.contextmanager
def _log(level: int, folder: Path) -> Iterator[None]:
    """Log into a file, so that the tool is measured and not the terminal."""
    kept, file = os.dup(2), os.open(folder / "log", os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
    os.dup2(file, 2)
    os.close(file)
    try:
        with paddle.base.framework.vlog_guard(level):
            yield
    finally:
        os.dup2(kept, 2)
        os.close(kept)


# tool, its switch, the most an op may cost, and the cost of Paddle's tool per op
TOOLS = [
    ("FLAGS_call_stack_level=3", _flags(call_stack_level=3), 1.1, 6.7),
    ("FLAGS_check_nan_inf=1", _flags(check_nan_inf=True), 1.3, 19),
    ("FLAGS_tensor_md5_checksum_output_path", _checksums, 2, 5.5),
    ("FLAGS_enable_unique_name=1", _flags(enable_unique_name=True), None, 1.0),
    ("FLAGS_dump_api_python_stack_path", _flags(dump_api_python_stack_path=Path), None, 9.9),
    (
        "FLAGS_dump_grad_node_forward_stack_path",
        _flags(dump_grad_node_forward_stack_path=Path), None, 5.3,
    ),
    ("vlog_guard(3)", lambda folder: _log(3, folder), None, 4.2),
    ("vlog_guard(6)", lambda folder: _log(6, folder), None, 35),
    (
        "FLAGS_check_cuda_error=1, without its lines",
        _flags(check_cuda_error_log=False, check_cuda_error=True), None, None,
    ),
    ("FLAGS_flight_recorder", _flags(flight_recorder=Path), None, None),
    ("FLAGS_op_timeout=60", _flags(op_timeout=60.0), None, None),
    ("FLAGS_low_precision_op_list=1", _flags(low_precision_op_list=1), None, None),
    ("FLAGS_trace_api=all", lambda folder: _trace(folder), None, None),
    (
        "capture_forward_subgraph_guard",
        lambda folder: paddle.utils.capture_forward_subgraph_guard(str(folder / "g")), None, None,
    ),
    ("capture_backward_subgraph_guard, no pictures", lambda folder: _subgraph(folder), None, None),
    ("debug.record()", lambda folder: paddle.debug.record(), None, None),
    ("debug.ranges()", lambda folder: paddle.debug.ranges(), None, None),
    ("memory peaks", _peaks, None, None),
    ("FLAGS_trace_allocations=1", _flags(trace_allocations=True), None, None),
    ("debug.profile", lambda folder: paddle.debug.profile(), None, None),
    ("debug.profile(wait=False)", lambda folder: paddle.debug.profile(wait=False), None, None),
    ("profiler.Profiler", lambda folder: _profiler(), None, None),
    ("profiler.Profiler(emit_nvtx=True)", lambda folder: _profiler(emit_nvtx=True), None, None),
    ("debug.no_compile", lambda folder: paddle.debug.no_compile(), None, None),
    ("FLAGS_nan_birth=1", _flags(nan_birth=True), None, None),
    ("FLAGS_inplace_saved=snapshot", _flags(inplace_saved="snapshot"), None, None),
    ("debug.ledger()", lambda folder: paddle.debug.ledger(), None, None),
    ("debug.capture_step()", lambda folder: _captured(), None, None),
    ("debug.breakpoint_on", lambda folder: paddle.debug.breakpoint_on("matmul*"), None, None),
]  # fmt: skip


@contextlib.contextmanager
def _captured() -> Iterator[None]:
    """Capture a step; yield None, as nothing is left to finish."""
    with paddle.debug.capture_step():
        yield


def _profiler(**options):
    """Record every step, and write no file."""
    return paddle.profiler.Profiler(on_trace_ready=lambda profiler: None, **options)


@contextlib.contextmanager
def _subgraph(folder: Path) -> Iterator[None]:
    """Capture the backward without pictures: they take Graphviz's time, not ours."""
    with (
        _flags(draw_backward_graphs=False)(folder),
        paddle.utils.capture_backward_subgraph_guard(str(folder)),
    ):
        yield


@contextlib.contextmanager
def _trace(folder: Path) -> Iterator[None]:
    """Write the configuration of every public call."""
    with _flags(trace_api=f"all,{folder / 'calls.txt'}")(folder):
        yield


def measure(repeats: int) -> list[Row]:
    """Return two rows per tool, an op and a step, and rows where a tool costs more."""
    x, y = _operands("float32")
    u, v = _operands("bfloat16")
    stacks, numbers = TOOLS[:1], TOOLS[1:2]
    rows = []
    for what, call, count, depth, tools in (
        ("one op", lambda: x + y, CALLS, 0, TOOLS),
        (f"one op {DEPTH} frames down", lambda: x + y, CALLS, DEPTH, stacks),
        ("one op of bfloat16", lambda: u + v, CALLS, 0, numbers),
        ("forward and backward", lambda: (x + y).sum().backward(), STEPS, 0, TOOLS),
    ):
        contenders = {"off": _block(call, count, None, depth)}
        contenders |= {name: _block(call, count, on, depth) for name, on, _, _ in tools}
        if what == "forward and backward":
            tools = [*tools, (DUMP, None, None, None)]
            contenders[DUMP] = _dumping_block(x, y)
        took = interleave(f"tools, {what}", contenders, 2 * repeats)
        for name, _, target, paddles in tools:
            is_op = what == "one op"
            rows.append(
                compare(
                    "tools",
                    f"{name}, {what}",
                    "all tools off",
                    took[name],
                    took["off"],
                    target=target if is_op else None,
                    note=f"Paddle's: {paddles}" if is_op and paddles else "",
                )
            )
    rows.append(_report_row(repeats))
    say("tools: done")
    return rows


def _report_row(repeats: int) -> Row:
    """Return the row of a training step of ten small layers under a gradient report."""
    model = paddle.nn.Sequential(*[paddle.nn.Linear(32, 32) for _ in range(10)])
    sgd = paddle.optimizer.SGD(0.01, parameters=model.parameters())
    x = paddle.ones([8, 32])

    def step() -> None:
        model(x).mean().backward()
        sgd.step()
        sgd.clear_grad()

    name = "debug.gradient_report()"
    contenders = {
        "off": _block(step, STEPS, None, 0),
        name: _block(step, STEPS, lambda _: paddle.debug.gradient_report(model, sgd), 0),
    }
    took = interleave("tools, a training step", contenders, 2 * repeats)
    return compare(
        "tools", f"{name}, a training step", "all tools off", took[name], took["off"],
        note="ten layers of 32x32",
    )  # fmt: skip


def _dumping_block(x, y) -> Callable[[], float]:
    """Return a function that runs the steps with a dump of each backward, without pictures."""

    def run() -> float:
        with tempfile.TemporaryDirectory() as folder:

            def step() -> None:
                (x + y).sum().backward(dump_backward_graph_path=folder)

            return _block(step, STEPS, _flags(draw_backward_graphs=False), 0)()

    return run


def _operands(dtype: str) -> tuple:
    x = paddle.ones([4], dtype)
    x.stop_gradient = False
    return x, paddle.ones([4], dtype)


def _down(depth: int, function: Callable):
    """Call a function at a greater stack depth."""
    return _down(depth - 1, function) if depth else function()


def _block(call: Callable, count: int, on: Callable | None, depth: int) -> Callable[[], float]:
    """Return a function that makes the calls under a tool; the switching is not timed."""

    def run() -> float:
        return _down(depth, timed)

    def timed() -> float:
        with contextlib.ExitStack() as stack:
            folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
            finish = None if on is None else stack.enter_context(on(folder))
            call()
            started = time.perf_counter()
            for _ in range(count):
                call()
            jax.effects_barrier()
            if callable(finish):
                finish()
            return (time.perf_counter() - started) / count

    return run
