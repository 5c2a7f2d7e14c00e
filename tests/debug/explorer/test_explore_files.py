"""python -m jaxeager explore: the files that tools wrote for a run, here and in Paddle."""

import json

import numpy as np
import pytest

import jaxeager as paddle
from jaxeager import nn
from jaxeager.__main__ import main
from jaxeager.base.framework import vlog_guard
from jaxeager.debug import graph_data
from jaxeager.debug.explorer import files
from tests.debug.explorer.programs import Square
from tests.parity.questions import paddle_says, write_files


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Return a folder with all the files that tools write for two backwards of a small model."""
    folder = tmp_path_factory.mktemp("run")
    flags = {
        "FLAGS_dump_api_and_gradnode_python_stack_dir": str(folder / "stacks"),
        "FLAGS_enable_unique_name": True,
        "FLAGS_draw_backward_graphs": False,
        "FLAGS_graph_pictures": "",
    }
    before = paddle.get_flags(list(flags))
    paddle.set_flags(flags)
    lines = []
    try:
        from jaxeager.debug.vlog import vlog

        with (
            vlog.heard_by(lines.append),
            vlog_guard(4),
            paddle.utils.capture_forward_subgraph_guard(str(folder / "forward")),
            paddle.utils.capture_backward_subgraph_guard(str(folder), True),
        ):
            model = nn.Sequential(nn.Linear(3, 4), nn.Tanh())
            Square.apply(model(paddle.ones([2, 3]))).mean().backward()
        (model(paddle.ones([2, 3])).sum()).backward(dump_backward_graph_path=str(folder))
    finally:
        paddle.set_flags(before)
    (folder / "run.log").write_text("".join(lines))
    return folder


def by_kind(data, kind):
    return [node for node in data["nodes"] if node["kind"] == kind]


def test_files_are_joined(folder):
    data = files.table_of(folder, 0).data()
    json.dumps(data, allow_nan=False)
    names = {node["op"]: node for node in data["nodes"]}
    tanh = names["tanh"]
    assert tanh["passes"] == "fb"
    assert tanh["grad_name"].endswith("GradNode")
    assert data["stacks"][tanh["stack"]][-1]["line"] > 0
    assert all(leaf["stack"] is not None for leaf in by_kind(data, "leaf"))
    assert any("Running_AD_API: tanh" in line for line in tanh["log"])
    assert any("begin run" in line for line in tanh["log"])
    assert tanh["gradients"][0]["figures"]["count"] == 8
    assert {edge["passes"] for edge in data["edges"]} == {"fb", "f"}
    edge = next(e for e in data["edges"] if e["source"] == tanh["id"])
    assert (edge["dtype"], edge["shape"]) == ("float32", [2, 4])


def test_a_pylayer_is_one_node_both_ways(folder):
    (square,) = by_kind(files.table_of(folder, 0).data(), "pylayer")
    assert square["passes"] == "fb"
    assert square["grad_name"] == "GradNodePyLayer_Square"
    assert square["name"].startswith("Square")


def test_the_last_of_several_backwards_is_shown_by_default(folder):
    assert len(files.runs_of(folder)) == 2
    first, last = files.table_of(folder, 0).data(), files.table_of(folder).data()
    assert "Backward 2 of the 2" in last["notes"][0]
    assert by_kind(first, "pylayer")
    assert not [
        node for node in by_kind(last, "pylayer") if "b" in node["passes"] and node["grad_name"]
    ]


def test_the_command_writes_a_page(folder, tmp_path, capsys):
    assert main(["explore", str(folder), "-o", str(tmp_path / "page.html")]) == 0
    assert "page.html" in capsys.readouterr().out
    assert main(["explore", str(folder), "--backward", "0", "-o", str(tmp_path / "page.html")]) == 0
    assert "GradNodePyLayer_Square" in (tmp_path / "page.html").read_text()


def test_the_command_takes_data(tmp_path, capsys):
    x = paddle.to_tensor([0.0], stop_gradient=False)
    (tmp_path / "graph.json").write_text(json.dumps(graph_data(paddle.log(x * x).sum())))
    assert main(["explore", str(tmp_path / "graph.json")]) == 0
    assert "born here" in capsys.readouterr().out
    assert (tmp_path / "explore.html").exists()


@pytest.mark.parametrize("what", ["nothing", "empty", "no.json"])
def test_explore_refuses_paths_without_recorded_files(tmp_path, capsys, what):
    (tmp_path / "empty").mkdir()
    (tmp_path / "no.json").write_text("{}")
    assert main(["explore", str(tmp_path / what)]) == 2
    assert capsys.readouterr().err.startswith("explore: ")


@pytest.mark.parametrize("number", ["1e999", "-1e999", "NaN", "Infinity"])
def test_a_number_that_no_page_can_hold_is_refused(tmp_path, capsys, number):
    text = json.dumps(graph_data(paddle.to_tensor([2.0], stop_gradient=False) * 3))
    file = tmp_path / "graph.json"
    file.write_text(text.replace('"nodes"', f'"more": {number}, "nodes"', 1))
    assert main(["explore", str(file)]) == 2
    assert "graph.json has no data of debug.graph_data" in capsys.readouterr().err


def test_a_backward_that_is_not_there(folder, capsys):
    assert main(["explore", str(folder), "--backward", "2"]) == 2
    assert "has 2 backwards" in capsys.readouterr().err


def test_whole_gradients_are_written_next_to_the_text(tmp_path):
    paddle.set_flags({"FLAGS_dump_grad_tensors_npy": True, "FLAGS_draw_backward_graphs": False})
    try:
        with paddle.utils.capture_backward_subgraph_guard(str(tmp_path), True):
            x = paddle.to_tensor(np.linspace(0.0, 1.0, 4000), stop_gradient=False)
            loss = (x * x).sum()
        loss.backward()
    finally:
        paddle.set_flags({"FLAGS_dump_grad_tensors_npy": False, "FLAGS_draw_backward_graphs": True})
    data = files.table_of(tmp_path).data()
    known = [edge["figures"] for edge in data["edges"] if edge["figures"]]
    assert max(each["count"] for each in known) == 4000
    assert all(each["histogram"] for each in known)


def test_files_of_real_paddle_are_shown(tmp_path):
    write_files(paddle_says("corpus_subgraph"), tmp_path)
    shown = 0
    for dump in sorted(tmp_path.rglob("dump"))[:8]:
        data = files.table_of(dump).data()
        shown += 1
        assert by_kind(data, "op")
        assert any(edge["figures"] for edge in data["edges"])
    assert shown == 8
