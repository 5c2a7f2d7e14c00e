"""paddle.profiler, beyond the programs of tests/parity/programs/profiler.py."""

import contextlib
import io
import json

import pytest

import jaxeager as paddle
from jaxeager import errors
from jaxeager.graph import events
from jaxeager.profiler.device_trace import attach, kernels_of
from jaxeager.profiler.result import DeviceNode, walk
from jaxeager.profiler.timer import benchmark
from jaxeager.profiler.utils import in_profiler_mode
from tests.support.here import PLACE

profiler = paddle.profiler


def _recorded(**options):
    net = paddle.nn.Linear(4, 3)
    with profiler.Profiler(on_trace_ready=lambda p: None, **options) as seen:
        net(paddle.ones([2, 4])).sum().backward()
    return seen


def _nodes(seen):
    return [node for root in seen.profiler_result.get_data().values() for node in walk(root)]


def _printed(seen, **options):
    told = io.StringIO()
    with contextlib.redirect_stdout(told):
        seen.summary(**options)
    return told.getvalue()


def test_nothing_is_left_behind():
    before = events.in_force()
    with profiler.Profiler(on_trace_ready=lambda p: None):
        assert in_profiler_mode()
        assert events.in_force() != before
    assert (events.in_force(), in_profiler_mode()) == (before, False)
    assert benchmark().current_event is None


def test_shapes_flops_and_memory():
    seen = _recorded(record_shapes=True, with_flops=True, profile_memory=True)
    nodes = {node.name: node for node in _nodes(seen)}
    matmul = nodes["matmul dygraph"]
    assert matmul.input_shapes == {"x": [[2, 4]], "y": [[4, 3]]}
    assert matmul.dtypes == {"x": ["float32"], "y": ["float32"]}
    assert matmul.flops == 2 * 2 * 4 * 3
    first = matmul.mem_node[0]
    assert (first.type, first.increase_bytes) == ("Allocate", 2 * 3 * 4)
    freed = [each for node in nodes.values() for each in node.mem_node if each.type == "Free"]
    assert freed
    assert min(each.current_allocated for each in freed) >= 0
    text = _printed(seen)
    assert " matmul latency: " in text
    assert ", FLOPs: 48.0, FLOPS: " in text
    assert f"Memory Summary - {PLACE}" in text
    assert "Peak Allocated Memory: " in text


def test_stages_of_an_op_stand_in_it():
    (matmul,) = [node for node in _nodes(_recorded()) if node.name == "matmul dygraph"]
    stages = [child.name for child in matmul.children_node if "made" not in child.name]
    assert stages == [
        "matmul operands", "matmul kernel lookup", "matmul kernel launch", "matmul node_creation",
    ]  # fmt: skip
    assert all(matmul.start_ns <= child.start_ns <= child.end_ns <= matmul.end_ns
               for child in matmul.children_node)  # fmt: skip


@pytest.mark.parametrize("key", list(profiler.SortedKeys))
def test_every_key_sorts(key):
    text = _printed(_recorded(), sorted_by=key, op_detail=False, thread_sep=True, time_unit="ns")
    lines = text[text.index("Operator Summary") :].splitlines()
    rows = [line.split("  ") for line in lines if line[:4] in ("matm", "add ", "sum ", "Glob")]
    assert len(rows) == 7
    if key.name.startswith("CPU"):
        column = ["CPUTotal", "CPUAvg", "CPUMax", "CPUMin"].index(key.name)
        cells = [next(cell for cell in row if " / " in cell).split(" / ") for row in rows]
        found = [float(cell[column]) for cell in cells]
        assert found == sorted(found, reverse=key.name != "CPUMin")


def test_a_result_is_what_it_was_when_it_is_loaded(tmp_path):
    seen = _recorded()
    seen.export(str(tmp_path / "a.pb"), "pb")
    loaded = profiler.load_profiler_result(str(tmp_path / "a.pb"))
    (ours,), (theirs,) = seen.profiler_result.get_data().values(), loaded.get_data().values()
    kept = [(n.name, n.start_ns, n.end_ns, n.thread_id, len(n.children_node)) for n in walk(ours)]
    assert kept == [
        (n.name, n.start_ns, n.end_ns, n.thread_id, len(n.children_node)) for n in walk(theirs)
    ]
    assert loaded.get_extra_info() == seen.profiler_result.get_extra_info()
    assert (loaded.get_version(), loaded.get_span_index()) == ("1.0.2", 0)
    for text in ("", "no result"):
        (tmp_path / "b.pb").write_text(text)
        with pytest.raises(errors.InvalidArgumentError, match="does not contain a profiler result"):
            profiler.load_profiler_result(str(tmp_path / "b.pb"))
    with pytest.raises(errors.NotFoundError):
        profiler.load_profiler_result(str(tmp_path / "none.pb"))


def test_arguments_are_checked():
    for scheduler in (3, (1, 2, 3), (3, 3)):
        with pytest.raises(errors.InvalidArgumentError, match="scheduler"):
            profiler.Profiler(scheduler=scheduler)
    with pytest.raises(AssertionError, match="Invalid profiler scheduler arguments"):
        profiler.make_scheduler(closed=1, ready=1, record=0)
    with pytest.warns(UserWarning, match="XPU is not supported in current context"):
        profiler.Profiler(targets=[profiler.ProfilerTarget.XPU])
    seen = _recorded()
    with pytest.raises(errors.InvalidArgumentError, match="time_unit"):
        seen.summary(time_unit="h")
    with pytest.raises(errors.InvalidArgumentError, match="format"):
        seen.export("a", "xml")
    with pytest.raises(errors.UnavailableError, match="Can not create directory"):
        profiler.export_chrome_tracing(__file__)


def test_record_event_warns_of_kinds_that_are_not_recorded():
    with paddle.debug.profile(), pytest.warns(UserWarning, match="can be recorded"):
        profiler.RecordEvent("x", profiler.TracerEventType.Kernel).begin()


def test_a_profiler_from_a_file(tmp_path, capsys):
    file = tmp_path / "profiler.json"
    file.write_text(json.dumps({"targets": ["cpu"], "scheduler": [1, 3], "timer_only": True}))
    made = profiler.profiler.get_profiler(str(file))
    assert (made.targets, made.timer_only) == ({profiler.ProfilerTarget.CPU}, True)
    assert made.scheduler(2).name == "RECORD_AND_RETURN"
    file.write_text(json.dumps({"timer_only": "yes"}))
    assert not profiler.profiler.get_profiler(str(file)).timer_only
    assert "Set timer_only parameter error" in capsys.readouterr().out
    profiler.profiler.get_profiler(str(tmp_path / "none"))
    assert "Load config file for profiler error" in capsys.readouterr().out


def _trace():
    """Return JAX's trace of two runs of a kernel on a GPU."""

    def named(kind, name, **where):
        return {"ph": "M", "name": kind, "args": {"name": name}, **where}

    def event(name, start, took, module, tid=13, pid=1):
        arguments = {"args": {"hlo_module": module, "hlo_op": name}} if module else {}
        return {"ph": "X", "pid": pid, "tid": tid, "ts": start, "dur": took, "name": name,
                **arguments}  # fmt: skip

    return {
        "traceEvents": [
            named("process_name", "/device:GPU:0", pid=1),
            named("process_name", "/host:CPU", pid=701),
            named("thread_name", "Stream #13(Kernel,MemcpyH2D)", pid=1, tid=13),
            named("thread_name", "XLA Ops", pid=1, tid=2),
            named("thread_name", "python", pid=701, tid=7),
            event("gemm", 0.3, 0.07, "jit_matmul"), event("gemm", 0.1, 0.05, "jit_matmul"),
            event("gemm_grad", 0.5, 0.01, "jit_matmul_grad"), event("step", 0, 0.9, ""),
            event("MemcpyH2D", 0.05, 0.01, ""), event("gemm", 0.1, 0.05, "jit_matmul", tid=2),
            event("gemm", 0.1, 0.05, "jit_matmul", tid=7, pid=701), {},
        ]
    }  # fmt: skip


def test_kernels_of_devices_hang_on_what_launched_them():
    copy, *kernels = kernels_of(_trace())
    assert (copy[0], copy[1].name, copy[1].type.name) == ("", "MemcpyH2D", "Memcpy")
    assert [node.name for _, node in kernels] == ["gemm", "gemm", "gemm_grad"]
    (later, *_) = kernels_of(_trace(), 1000)
    assert (later[1].start_ns, later[1].end_ns, later[1].device_id) == (1050, 1060, 0)
    x = paddle.ones([4, 4])
    x.stop_gradient = False
    with profiler.Profiler(on_trace_ready=lambda p: None) as seen:
        for _ in range(2):
            y = paddle.matmul(x, x)
        y.backward(paddle.ones([4, 4]))
    for node in _nodes(seen):  # on a GPU those of this run are below it
        node.device_node.clear()
    attach(seen.profiler_result, kernels)
    launched = {n.name: n.device_node for n in _nodes(seen) if n.device_node}
    assert [each.start_ns for each in launched["Local_MatmulGradNode"]] == [500]
    launches = [n for n in _nodes(seen) if n.name == "matmul kernel launch"]
    assert [[k.start_ns for k in n.device_node] for n in launches] == [[100], [300]]
    text = _printed(seen, time_unit="ns")
    assert "Kernel Summary" in text
    assert "120.00 / 60.00 / 70.00 / 50.00" in text  # both runs of gemm
    assert isinstance(kernels[0][1], DeviceNode)
