"""profile(kernels=True): the device's own kernels, by the op and line that launched them."""

import jax
import pytest

import jaxeager as paddle
from jaxeager.__main__ import main
from jaxeager.debug.time.device_kernels import KernelRow, kernels_text, limit_text, rows_of
from jaxeager.debug.time.ranges import Range
from jaxeager.errors import InvalidArgumentError
from tests.support.here import only_on_a_cpu

RANGES = {
    1: Range("layer", "Linear", "train.py:8"),
    2: Range("op", "matmul", "train.py:8"),
    3: Range("node", "MatmulGradNode", "train.py:8"),
}


def named(pid, tid, process, thread):
    return [
        {"ph": "M", "name": "process_name", "pid": pid, "args": {"name": process}},
        {"ph": "M", "name": "thread_name", "pid": pid, "tid": tid, "args": {"name": thread}},
    ]


def event(name, ts, dur, pid=1, tid=1, **args):
    return {"ph": "X", "name": name, "ts": ts, "dur": dur, "pid": pid, "tid": tid, "args": args}


# As JAX writes it on a GPU: ranges on the threads of the host, kernels on streams, sums elsewhere.
GPU = {
    "traceEvents": [
        *named(701, 1, "/host:CPU", "python"),
        *named(1, 1, "/device:GPU:0", "Stream #13(Compute)"),
        *named(1, 2, "/device:GPU:0", "Stream #14(MemcpyD2H)"),
        *named(1, 9, "/device:GPU:0", "XLA Modules"),
        event("Linear train.py:8", 0, 100, 701, 1, jaxeager="1"),
        event("matmul train.py:8", 10, 50, 701, 1, jaxeager="2"),
        event("MatmulGradNode train.py:8", 200, 50, 701, 2, jaxeager="3"),
        event("another annotation", 0, 500, 701, 1, mine="1"),
        event("gemm_bf16", 30, 20.5, 1, 1, hlo_module="jit_matmul", hlo_op="dot.1"),
        event("loop_fusion", 70, 5, 1, 1, hlo_module="jit_add", hlo_op="fusion"),
        event("gemm_bf16", 210, 30, 1, 1, hlo_module="jit_matmul_grad", hlo_op="dot.2"),
        event("gemm_bf16", 241, 2, 1, 1, hlo_module="jit_matmul_grad", hlo_op="dot.3"),
        event("MemcpyD2H", 300, 7, 1, 2, bytes=64),
        event("jit_matmul", 30, 20.5, 1, 9, hlo_module="jit_matmul"),
        event("cublas_setup", 30, 1, 1, 1),
    ]
}


def test_kernels_of_a_gpu_belong_to_the_innermost_range():
    rows = {(row.name, row.where): (row.runs, row.ns) for row in rows_of(GPU, RANGES)}
    assert rows == {
        ("gemm_bf16", RANGES[2]): (1, 20_500),
        ("loop_fusion", RANGES[1]): (1, 5_000),
        ("gemm_bf16", RANGES[3]): (2, 32_000),
        ("MemcpyD2H", None): (1, 7_000),
    }
    assert {row.device for row in rows_of(GPU, RANGES)} == {"gpu:0"}


def test_a_trace_without_accelerators_has_the_kernels_of_the_cpu():
    trace = {
        "traceEvents": [
            *named(701, 1, "/host:CPU", "python"),
            event("matmul train.py:8", 10, 50, 701, 1, jaxeager="2"),
            event("dot", 20, 4, 701, 5, hlo_module="jit_matmul", hlo_op="dot"),
            event("end: dot", 24, 1, 701, 5),
        ]
    }
    (row,) = rows_of(trace, RANGES)
    assert (row.name, row.where, row.device, row.ns) == ("dot", RANGES[2], "cpu", 4000)


def test_the_text_names_kernel_op_and_line():
    rows = sorted(rows_of(GPU, RANGES), key=lambda row: -row.ns)
    lines = kernels_text(rows, 3).splitlines()
    assert lines[0].split() == ["runs", "ms", "us", "each", "%", "kernel", "launched", "by"]
    assert lines[1].split() == [
        "2", "0.03", "16.0", "49.6", "gemm_bf16", "MatmulGradNode", "train.py:8",
    ]  # fmt: skip
    assert lines[3].endswith("MemcpyD2H  no op")
    assert lines[4] == "... and 1 more"
    assert kernels_text([]) == "No kernel was traced."


@only_on_a_cpu("an accelerator has kernels of other names")
def test_a_profile_traces_the_kernels_of_this_device():
    x = paddle.rand([300, 200])
    x.stop_gradient = False
    paddle.matmul(x, x, transpose_y=True).sum().backward()
    with paddle.debug.profile(kernels=True) as seen:
        y = paddle.matmul(x, x, transpose_y=True)  # the product
        y.sum().backward()
    by_name: dict[str, int] = {}
    for row in seen.kernels:
        if row.where is not None:
            by_name[row.where.name] = by_name.get(row.where.name, 0) + row.ns
    assert by_name["matmul"] > 0
    assert by_name["MatmulGradNode"] > 0
    with open(__file__) as file:
        line = next(n for n, text in enumerate(file, 1) if text.rstrip().endswith("# the product"))
    wheres = [row.where for row in seen.kernels if row.where and row.where.name == "matmul"]
    assert {where.line for where in wheres} == {f"{__file__}:{line}"}
    assert "launched by" in str(seen)
    assert not any("profiler" in frame.file for frame in seen.outside)


def test_kernels_need_the_wait(capsys):
    with pytest.raises(InvalidArgumentError, match="needs wait=True"):
        paddle.debug.profile(wait=False, kernels=True)
    with pytest.raises(SystemExit):
        main(["profile", "--kernels", "--no-wait", "train.py"])
    assert "leave out --no-wait" in capsys.readouterr().err


def test_without_the_option_there_is_no_trace():
    with paddle.debug.profile() as seen:
        paddle.ones([2]).exp()
    assert seen.kernels == []
    assert "launched by" not in str(seen)


def kernel(ns, device):
    return [KernelRow("gemm", None, device, 970, ns)]


def test_a_program_of_small_kernels_is_told_that_the_host_is_the_limit():
    assert limit_text(970, 34_000_000, 9_000_000, kernel(6_000_000, "gpu:0")) == (
        "The host is the limit: 970 calls of ops and nodes take 35.1 us each in Python, and 6.2 us "
        "on the device, which waits for the next call. Lazy mode (python -m jaxeager --lazy) and "
        "to_static run many calls as one."
    )
    assert limit_text(99, 34_000_000, 9_000_000, kernel(6_000_000, "gpu:0")) == ""
    assert limit_text(970, 34_000_000, 9_000_000, kernel(18_000_000, "gpu:0")) == ""
    # A CPU runs kernels in the launch, whose time then is theirs.
    assert limit_text(970, 34_000_000, 2_000_000, kernel(30_000_000, "cpu")) == ""


def test_without_a_trace_only_an_accelerator_has_two_times(monkeypatch):
    monkeypatch.setattr(jax, "default_backend", lambda: "cpu")
    assert limit_text(970, 34_000_000, 6_000_000) == ""
    monkeypatch.setattr(jax, "default_backend", lambda: "gpu")
    assert limit_text(970, 34_000_000, 6_000_000).startswith("The host is the limit: 970 calls")


@only_on_a_cpu("the sizes are those of a CPU's kernels")
@pytest.mark.parametrize(("size", "is_told"), [(2, True), (1500, False)])
def test_the_profile_says_it(size, is_told):
    x = paddle.ones([size, size])
    x.tanh()
    with paddle.debug.profile(samples=False, kernels=True) as seen:
        for _ in range(110):
            y = x.tanh()
    assert y.shape == [size, size]
    assert ("The host is the limit" in str(seen)) == is_told
