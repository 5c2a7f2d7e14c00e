"""The paths and names of dumped graphs, and the behaviour when they cannot be written."""

import datetime
import gc
from types import SimpleNamespace

import jax
import numpy as np
import pydot
import pytest

import jaxeager as paddle
from jaxeager.debug.graphs import graph_dump
from jaxeager.errors import InvalidTypeError
from jaxeager.graph import events
from tests.support.leaves import leaf

guard = paddle.utils.capture_backward_subgraph_guard


@pytest.fixture(autouse=True)
def _quiet():
    paddle.set_flags({"FLAGS_draw_backward_graphs": False})
    if events.has_graph:
        gc.collect()
    yield
    paddle.set_flags({"FLAGS_draw_backward_graphs": True, "FLAGS_dump_grad_tensors_npy": False})


def count(folder):
    return len(list(folder.iterdir()))


def test_a_relative_folder_stays_where_it_was_when_the_guard_began(tmp_path, monkeypatch):
    other = tmp_path / "other"
    other.mkdir()
    monkeypatch.chdir(tmp_path)
    with guard("dump"):
        y = leaf().exp()
    monkeypatch.chdir(other)
    y.sum().backward()
    assert count(tmp_path / "dump") == 3
    assert count(other) == 0


def test_a_hook_may_change_the_working_directory(tmp_path, monkeypatch):
    other = tmp_path / "other"
    other.mkdir()
    monkeypatch.chdir(tmp_path)
    y = leaf().exp()
    y.register_hook(lambda grad: monkeypatch.chdir(other))
    y.sum().backward(dump_backward_graph_path="dump")
    assert count(tmp_path / "dump") == 3
    assert count(other) == 0


def test_dumps_of_one_moment_have_names_of_their_own(tmp_path, monkeypatch):
    """They are from other threads, and from other processes that write into the same folder."""
    times = iter([1, 1, 1, 2, 2, 3])

    class Clock(datetime.datetime):
        @classmethod
        def now(cls, tz=None):
            return cls(2026, 1, 1, 0, 0, 0, next(times))

    monkeypatch.setattr(graph_dump, "datetime", SimpleNamespace(datetime=Clock))
    for _ in range(3):
        leaf().exp().sum().backward(dump_backward_graph_path=str(tmp_path))
    assert sorted({path.name[20:26] for path in tmp_path.iterdir()}) == [
        "000001", "000002", "000003",
    ]  # fmt: skip
    assert len(list(tmp_path.iterdir())) == 9


def test_arguments_are_checked_before_a_folder_is_made(tmp_path):
    with pytest.raises(InvalidTypeError, match="must be bool"):
        guard(str(tmp_path / "dump"), 1).__enter__()
    assert count(tmp_path) == 0


def test_any_name_can_be_written_and_read_again(tmp_path):
    x = leaf(name='q" \\ \n\t é 中 \udc80')
    with guard(str(tmp_path), True):
        y = x * 2
    y.sum().backward(dump_backward_graph_path=str(tmp_path))
    for path in tmp_path.glob("*.dot"):
        (parsed,) = pydot.graph_from_dot_file(str(path), encoding="utf-8")
        assert parsed.get_edges()
    (log,) = tmp_path.glob("*_grad_tensors.log")
    lines = log.read_text(encoding="utf-8").splitlines()
    assert len(lines) % 7 == 0  # a name has one line, whatever characters are in it
    assert all(line.startswith("Variable: ") for line in lines[::7])


def test_a_gradient_that_cannot_be_saved_whole_stops_no_backward(tmp_path, monkeypatch):
    def fail(*_, **__):
        raise OSError("disk full")

    paddle.set_flags({"FLAGS_dump_grad_tensors_npy": True})
    monkeypatch.setattr(np, "save", fail)
    x = leaf()
    with guard(str(tmp_path), True):
        y = x * 3
    y.sum().backward()
    assert x.grad.tolist() == [3.0, 3.0]
    (log,) = tmp_path.glob("*_grad_tensors.log")
    assert log.read_text(encoding="utf-8").count("  - npy: not saved, disk full\n") == 2


def test_a_folder_that_cannot_be_made_again_stops_no_backward(tmp_path, monkeypatch, caplog):
    def fail(*_, **__):
        raise OSError("disk full")

    paddle.set_flags({"FLAGS_dump_grad_tensors_npy": True})
    x = leaf()
    with guard(str(tmp_path), True):
        y = x * 3
    monkeypatch.setattr(graph_dump, "new_stem", fail)
    y.sum().backward()
    assert x.grad.tolist() == [3.0, 3.0]
    assert "disk full" in caplog.text


def test_files_that_were_begun_are_written_though_no_captured_node_ran(tmp_path):
    paddle.set_flags({"FLAGS_dump_grad_tensors_npy": True})
    x = leaf()
    with guard(str(tmp_path), True):
        y = x * 3
    z, other = y.exp(), x.sin()  # its gradient reaches y's node, which waits for another
    other.register_hook(lambda grad: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        (z + other).sum().backward()
    assert sorted(path.name[27:] for path in tmp_path.iterdir()) == [
        "backward_graph.dot", "call_stack.log", "grad_tensors", "grad_tensors.log",
        "ref_forward_graph.dot",
    ]  # fmt: skip
    assert all(path.is_dir() or path.stat().st_size for path in tmp_path.iterdir())


def test_nodes_that_cannot_run_again_are_not_observed(tmp_path):
    with guard(str(tmp_path)):
        y = leaf().exp()
    z = y.sum()
    z.backward(retain_graph=True)
    assert events.has_graph  # it may run again
    z.backward()
    assert not events.has_graph, events._observers  # though y and z still exist
    assert count(tmp_path) == 6


@pytest.mark.parametrize("is_whole", [False, True])
def test_traced_tensors_are_written_without_values(tmp_path, is_whole):
    paddle.set_flags({"FLAGS_dump_grad_tensors_npy": is_whole})

    def gradient(x):
        x.stop_gradient = False
        with guard(str(tmp_path / "part"), True):
            y = x * x
        y.sum().backward(dump_backward_graph_path=str(tmp_path / "all"))
        return x.grad

    found = jax.jit(paddle.autograd.to_jax(gradient))(np.array([1.0, 2.0]))
    np.testing.assert_array_equal(found, [2.0, 4.0])
    (graph,) = (tmp_path / "all").glob("*_backward_graph.dot")
    assert r"Place(traced)\nfloat64[2]" in graph.read_text()
    (log,) = (tmp_path / "part").glob("*_grad_tensors.log")
    assert log.read_text().count("  - data: not available, JAX is tracing\n") == 3
