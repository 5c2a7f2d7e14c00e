"""A debug tool changes nothing: no bit of a training, no name; and no trace of it remains."""

import contextlib
import gc
import logging
import re
from typing import Any

import numpy as np
import pytest

import jaxeager as paddle
from jaxeager.base import core
from jaxeager.debug.common import naming
from jaxeager.graph import events
from jaxeager.ops.call.observers import lookers
from jaxeager.tensor import tensor as tensors
from tests.debug.vlog_lines import leaf, run_python

pytestmark = pytest.mark.filterwarnings("ignore:FLAGS_trace_api")  # a hook has no text

F = paddle.nn.functional
STEPS = 5


# ---- the training


class Scaled(paddle.autograd.PyLayer):
    """A user's own op, which saves a tensor and runs ops forward and backward."""

    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x * 1.5 + x.tanh()

    @staticmethod
    def backward(ctx, grad):
        (x,) = ctx.saved_tensor()
        return grad * 1.5 + grad * (1 - x.tanh() ** 2)


class Net(paddle.nn.Layer):
    """A small CNN with a view, an in-place op, dropout and a PyLayer."""

    def __init__(self):
        super().__init__()
        self.conv = paddle.nn.Conv2D(1, 3, 3, padding=1)
        self.norm = paddle.nn.BatchNorm2D(3)
        self.first = paddle.nn.Linear(3 * 4 * 4, 8)
        self.second = paddle.nn.Linear(8, 3)

    def forward(self, x):
        x = F.relu(self.norm(self.conv(x)))
        x = F.max_pool2d(x, 2).reshape([x.shape[0], -1])
        x = F.dropout(self.first(x), 0.3)
        x = x.transpose([1, 0])
        x = Scaled.apply(x).add_(paddle.ones_like(x))
        x[0:2] = x[0:2] * 0.5
        return self.second(x.T)


def train(dump=None, is_amp=False):
    """Return all visible results of a training, as lists, text and bytes."""
    paddle.seed(11)
    naming.reset()
    tensors._counters.clear()
    with paddle.utils.unique_name.guard():
        net = Net()
        adam = paddle.optimizer.Adam(0.01, parameters=net.parameters())
        seen: dict[str, Any] = {"losses": [], "gradients": [], "names": []}
        scaler = paddle.amp.GradScaler(init_loss_scaling=8.0)
        image = paddle.randn([4, 1, 8, 8])
        label = paddle.randint(0, 3, [4])
        shift = paddle.zeros([4, 1, 8, 8]) + 0.25  # an unnamed leaf
        for _ in range(STEPS):
            with paddle.amp.auto_cast(is_amp, dtype="float16", level="O1"):
                out = net(image + shift)
                out.register_hook(lambda grad: grad * 0.5)
                loss = F.cross_entropy(out.astype("float32"), label)
            with paddle.no_grad():
                seen["losses"].append(loss.numpy().tobytes())
            loss = scaler.scale(loss) if is_amp else loss
            loss.backward(dump_backward_graph_path=dump)
            seen["gradients"] += [
                each.grad.numpy().tobytes() for each in net.parameters() if each.trainable
            ]
            scaler.step(adam) if is_amp else adam.step()
            if is_amp:
                scaler.update()
            adam.clear_grad()
            seen["names"] += [(label * 2).name]
        seen["parameters"] = {name: v.numpy().tobytes() for name, v in net.state_dict().items()}
        seen["names"] += [each.name for each in net.parameters() if each.trainable]
        seen["names"] += [each.name for each in (shift, image, label, loss, out)]
        seen["state"] = [
            (name, value.numpy().tobytes() if hasattr(value, "numpy") else repr(value))
            for name, value in adam.state_dict().items()
        ]
        seen["random"] = repr(paddle.get_rng_state()), paddle.rand([3]).numpy().tobytes()
        seen["mode"] = (
            paddle.is_grad_enabled(),
            [each.inplace_version for each in net.parameters() if each.trainable],
        )
        seen["node"] = (leaf() * 2).grad_fn.name()
    return seen


# ---- the tools


@contextlib.contextmanager
def flags(values):
    """Set flags for a block."""
    before = paddle.get_flags(list(values))
    paddle.set_flags(values)
    try:
        yield
    finally:
        paddle.set_flags(before)


@contextlib.contextmanager
def verbose(path):
    """Write the verbose log."""
    core.set_vlog_level(6)
    try:
        yield
    finally:
        core.set_vlog_level(0)


TOOLS = {
    "stacks": lambda folder: flags({"FLAGS_call_stack_level": 3}),
    "inner stacks": lambda folder: flags({"FLAGS_call_stack_level": 2}),
    "api file": lambda folder: flags({"FLAGS_dump_api_python_stack_path": f"{folder}/api"}),
    "node file": lambda folder: flags(
        {"FLAGS_dump_grad_node_forward_stack_path": f"{folder}/node"}
    ),
    "vlog": verbose,
    "forward": lambda folder: paddle.utils.capture_forward_subgraph_guard(folder / "forward"),
    "backward": lambda folder: paddle.utils.capture_backward_subgraph_guard(
        str(folder / "sub"), need_dump_grad_tensors=True
    ),
    "nan": lambda folder: flags({"FLAGS_check_nan_inf": True, "FLAGS_check_nan_inf_level": 1}),
    "nan 3": lambda folder: flags({"FLAGS_check_nan_inf": True, "FLAGS_check_nan_inf_level": 3}),
    "device": lambda folder: flags({"FLAGS_check_cuda_error": True}),
    "md5": lambda folder: flags({"FLAGS_tensor_md5_checksum_output_path": f"{folder}/md5.log"}),
    "trace": lambda folder: flags({"FLAGS_trace_api": f"all,{folder}/api.txt"}),
    "stats": lambda folder: paddle.amp.debugging.collect_operator_stats(),
    "memory": lambda folder: flags({"FLAGS_enable_gpu_memory_usage_log": True}),
    "dump": lambda folder: contextlib.nullcontext(),
    "ranges": lambda folder: paddle.debug.ranges(),
}
# This one intentionally shows in the name: Tensor.name then differs.
SHOWN = {"unique names": lambda folder: flags({"FLAGS_enable_unique_name": True})}


@pytest.fixture(scope="module")
def expected():
    """Return the results of two trainings without any tool, in full precision and mixed."""
    return {is_amp: train(is_amp=is_amp) for is_amp in (False, True)}


@pytest.fixture(autouse=True)
def _nothing_stays(monkeypatch):
    """Check that a test leaves no observer of nodes or calls, and restores flags."""
    monkeypatch.setattr("jaxeager.debug.graphs.dot.draw", lambda *rest: [])
    logging.getLogger("jaxeager.debug").addHandler(handler := logging.NullHandler())
    gc.collect()
    (leaf() * 2).sum().backward()
    every = [row.name for row in paddle.flags.TABLE]
    before = list(events._observers), paddle.get_flags(every), vars(paddle.Tensor).copy()
    paddle.set_flags({"FLAGS_draw_backward_graphs": False})
    yield
    paddle.set_flags({"FLAGS_draw_backward_graphs": True})
    gc.collect()
    (leaf() * 2).sum().backward()  # the next backward removes observers that no node needs any more
    logging.getLogger("jaxeager.debug").removeHandler(handler)
    assert events._observers == before[0] == []
    assert (paddle.get_flags(every), vars(paddle.Tensor)) == before[1:]
    assert lookers == []
    assert all(getattr(events, event) is None for event in events.EVENTS)
    assert not naming.is_in_use()


def check_equal(found, wanted, apart=()):
    """Compare two trainings part by part: a difference names its part."""
    for part in wanted:
        if part not in apart:
            assert found[part] == wanted[part], part


@pytest.mark.parametrize("tool", TOOLS)
def test_a_tool_alone_changes_nothing(tool, expected, tmp_path):
    with TOOLS[tool](tmp_path):
        found = train(str(tmp_path / "graph") if tool == "dump" else None)
    check_equal(found, expected[False])


def test_unique_names_change_only_names(expected, tmp_path):
    with SHOWN["unique names"](tmp_path):
        found = train()
    check_equal(found, expected[False], ("names", "node"))
    parameters = 3 * 2 + 2  # and the two of the norm
    own = slice(STEPS, STEPS + parameters)
    assert found["names"][own] == expected[False]["names"][own]


@pytest.mark.parametrize("is_amp", [False, True])
def test_all_tools_together_change_nothing(is_amp, expected, tmp_path):
    """BEAT: in Paddle unique names change the training, and vlog needs them."""
    with contextlib.ExitStack() as stack:
        for tool in TOOLS.values():
            stack.enter_context(tool(tmp_path))
        found = train(str(tmp_path / "graph"), is_amp)
    check_equal(found, expected[is_amp])
    for written in ("md5.log", "api.txt", "forward"):
        assert (tmp_path / written).stat().st_size > 1000
    assert len(list((tmp_path / "graph").glob("*backward_graph.dot"))) == STEPS
    assert list((tmp_path / "sub").glob("*.dot"))


def test_with_shown_names_too(expected, tmp_path):
    with contextlib.ExitStack() as stack:
        for tool in (TOOLS | SHOWN).values():
            stack.enter_context(tool(tmp_path))
        found = train(str(tmp_path / "graph"))
    check_equal(found, expected[False], ("names", "node"))


def test_a_step_is_one_call_for_all_tools(tmp_path):
    """Checksums and the log show the same number of an optimizer's call."""
    path = tmp_path / "md5.log"
    counts = []
    for tools in (["md5"], ["md5", "vlog"], ["md5", "stacks", "forward"]):
        path.unlink(missing_ok=True)
        with contextlib.ExitStack() as stack:
            for tool in tools:
                stack.enter_context(TOOLS[tool](tmp_path))
            train()
        counts.append([line.split(":")[0] for line in path.read_text().splitlines()])
    assert sum("adam_" in line for line in counts[0]) > STEPS
    assert counts[0] == counts[1] == counts[2]


def test_an_exception_leaves_nothing_on(tmp_path):
    def all_on_and_fail(kind):
        with contextlib.ExitStack() as stack:
            for tool in TOOLS.values():
                stack.enter_context(tool(tmp_path))
            (leaf() * 2).sum().backward()
            if kind is ValueError:
                paddle.ones([2, 3]).matmul(paddle.ones([2, 3]))
            raise kind

    for kind in (ValueError, KeyboardInterrupt, GeneratorExit):
        with pytest.raises(kind):
            all_on_and_fail(kind)


def test_tools_end_in_any_order(expected, tmp_path):
    twice = ("inner stacks", "nan 3")  # they set flags that others of these reset
    opened = [tool(tmp_path) for name, tool in TOOLS.items() if name not in twice]
    for each in opened:
        each.__enter__()
    (leaf() * 2).sum().backward()
    for place in np.random.default_rng(0).permutation(len(opened)):
        opened[place].__exit__(None, None, None)
    check_equal(train(), expected[False])


JOINT = """
import os, sys
import jaxeager as paddle

class Scale(paddle.autograd.PyLayer):
    @staticmethod
    def forward(ctx, x):
        return x.tanh()

    @staticmethod
    def backward(ctx, grad):
        return grad * 2

x = paddle.ones([2, 2])
x.stop_gradient = False
before = x.exp()
with paddle.utils.capture_forward_subgraph_guard("forward"):
    os.write(2, b"the user's own line\\n")
    y = Scale.apply(paddle.matmul(before, x))
y.sum().backward(dump_backward_graph_path="backward")
x.sin()
"""


def test_log_graphs_and_stacks_of_one_run_can_be_joined(tmp_path, monkeypatch):
    """In Paddle the forward guard swallows the log of its block, and ends it permanently."""
    monkeypatch.chdir(tmp_path)
    log = run_python(
        JOINT, GLOG_v="6", FLAGS_enable_unique_name="1", FLAGS_graph_pictures="",
        FLAGS_dump_api_and_gradnode_python_stack_dir="stacks",
    )  # fmt: skip
    calls = re.findall(r"=Running_(?:AD_API(?:_GRAD)?|C\+\+_API): (\w+)=", log)
    ops = ["full", "exp", "matmul", "tanh", "sum", "sum_grad", "scale", "matmul_grad", "sin"]
    assert [call for call in calls if call in ops] == ops
    assert "the user's own line" in log
    (api,) = tmp_path.glob("stacks/api_call_stack.*")
    (nodes,) = tmp_path.glob("stacks/gradnode_call_stack.*")
    (dumped,) = tmp_path.glob("backward/*_backward_graph.dot")
    boxes = set(re.findall(r"^\t(\w+) \[label", (tmp_path / "forward").read_text(), re.M))
    assert boxes == {"matmul1", "Scale1"}
    entries = set(re.findall(r"^(\w+) : $", api.read_text(), re.M))
    assert boxes < entries
    assert boxes <= set(re.findall(r"API_Name: (\w+)", log))
    told = re.findall(r"backward\.cc:\d+\] (\w+)\((0x\w+)\) begin run", log)
    assert len(told) == 5
    assert told == re.findall(r"^GradNodeBase (\w+) ptr : (0x\w+)", nodes.read_text(), re.M)
    drawn = re.findall(r'label="(\w+)\\nPtr: (0x\w+)', dumped.read_text())
    assert told == drawn
    assert "GradNodePyLayer_Scale" in dict(told)
    edges = re.findall(r'label="(\w+?)_out\w*@Grad', dumped.read_text())
    assert {"Scale1", "matmul1", "exp1"} == set(edges) & entries - {"full1"}
