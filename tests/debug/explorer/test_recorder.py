"""record(): the actions of a run, with Layers, values, gradients, times and log."""

import gc
import json
import threading
import weakref

import pytest

import jaxeager as paddle
from jaxeager import nn
from jaxeager.debug import record
from jaxeager.debug.common import naming
from jaxeager.debug.explorer import figures
from jaxeager.errors import InvalidArgumentError
from jaxeager.graph import events
from tests.debug.explorer.programs import Square, nan_in_layer_7, written_through_a_view

pytestmark = pytest.mark.usefixtures("untouched")


class Twice(nn.Layer):
    """Calls one layer twice."""

    def __init__(self):
        super().__init__()
        self.inner = nn.Linear(2, 2)

    def forward(self, x):
        return self.inner(self.inner(x))


def node_of(data, name):
    return next(node for node in data["nodes"] if node["name"] == name)


def path_of(data, group):
    path = []
    while group is not None:
        path.insert(0, data["groups"][group]["name"])
        group = data["groups"][group]["parent"]
    return path


def recorded(function, **options):
    with record(**options) as run:
        function()
    data = run.data()
    json.dumps(data, allow_nan=False)
    return data


def test_each_call_of_a_layer_is_a_group_named_by_its_place():
    model = nn.Sequential(("twice", Twice()), ("end", nn.Linear(2, 1)))
    data = recorded(lambda: model(paddle.ones([1, 2])).mean().backward())
    root = model.full_name()
    paths = [path_of(data, group) for group in range(len(data["groups"]))]
    assert paths == [
        [root],
        [root, "twice"],
        [root, "twice", "twice.inner"],
        [root, "twice", "twice.inner"],
        [root, "end"],
    ]
    assert path_of(data, node_of(data, "matmul2")["group"]) == paths[3]
    weight = node_of(data, "twice.inner.weight")
    assert weight["kind"] == "leaf"
    assert path_of(data, weight["group"]) == paths[1]  # both calls take it
    assert node_of(data, "mean1")["group"] is None


def test_buffers_have_their_places():
    model = nn.Sequential(("norm", nn.BatchNorm1D(2)))
    data = recorded(lambda: model(paddle.ones([3, 2])))
    names = {node["name"] for node in data["nodes"] if node["kind"] == "input"}
    assert {"norm._mean", "norm._variance"} <= names


def test_forward_and_backward_are_joined():
    data = recorded(lambda: nn.Linear(2, 2)(paddle.ones([3, 2])).sum().backward())
    matmul = node_of(data, "matmul1")
    assert matmul["passes"] == "fb"
    assert matmul["grad_name"] == "matmul1GradNode"
    assert matmul["outputs"][0]["figures"]["count"] == 6
    assert matmul["gradients"][0]["figures"]["max"] == 1.0
    assert matmul["forward_us"] >= 0
    assert matmul["backward_us"] >= 0
    taken = {
        data["nodes"][e["target"]]["kind"]: e["passes"]
        for e in data["edges"]
        if e["source"] == matmul["id"]
    }
    assert taken == {"leaf": "fb", "op": "f"}  # the ones: no gradient flows to them


def test_ops_of_a_pylayer_are_in_its_group_in_both_passes():
    x = paddle.to_tensor([3.0], stop_gradient=False)
    data = recorded(lambda: Square.apply(x).sum().backward())
    inside = [node for node in data["nodes"] if path_of(data, node["group"]) == ["Square"]]
    passes = {(node["op"], node["kind"]): node["passes"] for node in inside}
    assert passes[("Square", "pylayer")] == "fb"
    assert {node["passes"] for node in inside if node["op"] == "multiply"} == {"f", "b"}
    assert passes[("scale", "op")] == "b"
    square = next(node for node in inside if node["kind"] == "pylayer")
    (saved,) = square["saved"]
    assert (saved["name"], saved["bytes"], saved["version"]) == ("saved_tensor()[0]", 4, 0)
    assert saved["figures"]["max"] == 3.0
    assert any(e["source"] == square["id"] and e["passes"] == "b" for e in data["edges"])


def test_ops_that_are_not_recorded_for_gradients_are_there():
    def run():
        with paddle.no_grad():
            paddle.tanh(paddle.ones([2]))

    data = recorded(run)
    assert [(node["op"], node["passes"]) for node in data["nodes"]] == [
        ("full", "f"),
        ("tanh", "f"),
    ]


def test_stale_saves_and_nans_are_found():
    def refused():
        with pytest.raises(RuntimeError, match="modified by an inplace operation"):
            written_through_a_view().backward()

    (problem,) = recorded(refused)["problems"]
    assert problem["kind"] == "stale"
    data = recorded(lambda: nan_in_layer_7().backward())
    born = data["nodes"][data["problems"][0]["node"]]
    assert path_of(data, born["group"])[-1] == "layers.7"


def test_a_nan_of_forward():
    data = recorded(lambda: paddle.exp(paddle.log(paddle.to_tensor([-1.0, 1.0]))))
    (problem,) = data["problems"]
    assert problem["text"].startswith("log1 made 1 NaN of 2 numbers")


def test_an_op_that_raises_is_shown_with_its_error():
    with record() as run, pytest.raises(ValueError, match=r"[Mm]atmul"):
        paddle.matmul(paddle.ones([2, 3]), paddle.ones([2, 3]))
    data = run.data()
    failed = next(node for node in data["nodes"] if node["error"])
    assert failed["op"] == "matmul"
    assert data["problems"][0]["kind"] == "error"


def test_the_page_is_written_when_the_block_raises(tmp_path):
    page = tmp_path / "deep" / "run.html"
    found = []

    def run_and_fail():
        with record(page) as run:
            found.append(run)
            paddle.ones([1]).exp()
            raise ZeroDivisionError("division by zero")

    with pytest.raises(ZeroDivisionError):
        run_and_fail()
    assert "ZeroDivisionError" in page.read_text()
    assert found[0].data()["notes"] == ["The block ended with ZeroDivisionError: division by zero"]


def test_log_lines_go_to_the_nodes_and_not_to_stderr(capfd):
    def step():
        x = paddle.to_tensor([1.0], stop_gradient=False)
        paddle.tanh(x).backward()

    data = recorded(step, log=4)
    assert capfd.readouterr().err == ""
    log = "\n".join(node_of(data, "tanh1")["log"])
    assert "Running_AD_API: tanh" in log
    assert "tanh API kernel key" in log
    assert "begin run" in log
    assert "Running_AD_API" not in "\n".join(data["log"])


def test_nothing_is_kept_alive():
    with record() as run:
        x = paddle.ones([4])
        x.stop_gradient = False
        y = (x * 2).sum()
        arrays = [weakref.ref(y._array), weakref.ref(y.grad_fn.__class__)]
        node = y.grad_fn
        y.backward()
        assert node.released
        del y, node
        gc.collect()
        assert arrays[0]() is None
    assert run.data()["nodes"]


def test_a_program_computes_the_same_under_it():
    def losses():
        paddle.seed(3)
        model, found = nn.Sequential(nn.Linear(4, 4), nn.ReLU(), nn.Linear(4, 1)), []
        sgd = paddle.optimizer.SGD(0.1, parameters=model.parameters())
        for _ in range(3):
            loss = (model(paddle.randn([8, 4])) ** 2).mean()
            loss.backward()
            sgd.step()
            sgd.clear_grad()
            found.append(loss.item())
        return found

    plain = losses()
    with record():
        assert losses() == plain


def test_on_an_accelerator_figures_are_computed_there_and_read_at_the_end(monkeypatch):
    def norms():
        paddle.seed(0)
        data = recorded(lambda: nn.Linear(2, 2)(paddle.ones([3, 2])).sum().backward())
        values = [each for node in data["nodes"] for each in node["outputs"] + node["gradients"]]
        return [each["figures"]["norm"] for each in values]

    here, read = norms(), []
    monkeypatch.setattr(figures, "can_be_read", lambda array: False)
    get = figures.jax.device_get
    monkeypatch.setattr(figures.jax, "device_get", lambda what: read.append(len(what)) or get(what))
    assert norms() == pytest.approx(here)
    assert len(read) == 1


def test_other_threads_are_not_noted():
    with record() as run:
        thread = threading.Thread(target=lambda: paddle.ones([2]).exp())
        thread.start()
        thread.join()
    assert run.data()["nodes"] == []


def test_no_observer_is_left_afterwards():
    with record():
        assert events.nn_layer_began is not None
    assert events.nn_layer_began is None
    assert not naming.is_in_use()
    assert events.take_stack is None


def test_a_path_that_cannot_be_written_is_refused_at_once(tmp_path):
    with pytest.raises(InvalidArgumentError, match="path of record"), record(tmp_path):
        pytest.fail("the block ran")
