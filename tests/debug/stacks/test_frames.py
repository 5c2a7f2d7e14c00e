"""FLAGS_call_stack_frames: the frames that stacks show."""

import re
import subprocess
import sys

import pytest

import jaxeager as paddle
from jaxeager.debug.stacks import frames
from jaxeager.debug.stacks.files import API
from jaxeager.debug.stacks.stacks import stack_of, stack_text

FRAMES = "FLAGS_call_stack_frames"
PADDLES = 55  # different stacks of this encoder's nodes in real Paddle 3.3.1


@pytest.fixture
def flags():
    """Yield a function that sets flags, at level 3; restore all after the test."""
    paddle.set_flags({"FLAGS_call_stack_level": 3})
    yield paddle.set_flags
    paddle.set_flags({"FLAGS_call_stack_level": 1, FRAMES: "default", API: ""})


def encoded():
    """Return the loss of a Transformer's encoder of two layers."""
    layer = paddle.nn.TransformerEncoderLayer(8, 2, 16)
    encoder = paddle.nn.TransformerEncoder(layer, 2)
    return encoder(paddle.ones([2, 3, 8])).mean()


def nodes_of(loss):
    """Return the nodes upstream of a tensor."""
    found = dict.fromkeys([loss.grad_fn])
    waiting = list(found)
    for node in waiting:  # grows while it is read
        new = [each for each in node.next_functions if each is not None and each not in found]
        found |= dict.fromkeys(new)
        waiting += dict.fromkeys(new)
    return waiting


def files(node):
    """Return the files of a node's frames, those of the package by their path in it."""
    shown = stack_of(node).summary()
    return [each.filename.removeprefix(frames.PACKAGE) for each in shown]


def test_the_nodes_of_a_transformer_have_more_stacks_than_paddles(flags):
    nodes = nodes_of(encoded())
    assert len({stack_text(node) for node in nodes}) >= PADDLES + 5
    flags({FRAMES: "user"})
    assert len({stack_text(node) for node in nodes}) == 3
    flags({FRAMES: "all"})
    assert len({stack_text(node) for node in nodes}) >= PADDLES + 5


def test_layers_stay_and_the_machinery_goes(flags):
    inside = [each for node in nodes_of(encoded()) for each in files(node)]
    inside = {each for each in inside if each != __file__}
    layers = {each for each in inside if each.startswith("nn/")}
    assert {"nn/layer/transformer.py", "nn/layer/attention.py", "nn/layer/norm.py"} <= layers
    assert {"nn/functional/common.py", "nn/functional/norm.py"} <= layers
    assert layers.isdisjoint({"nn/layer/layer.py", "nn/param_attr.py"})
    assert not [each for each in inside - layers if each.startswith(("ops/", "tensor/", "core/"))]
    assert not [each for each in inside - layers if each.startswith("<jaxeager ")]


def test_all_has_how_an_op_is_called(flags):
    x = paddle.ones([2])
    x.stop_gradient = False
    node = paddle.exp(x).grad_fn
    assert files(node) == [*files(node)[:-1], __file__]
    flags({FRAMES: "all"})
    shown = files(node)
    assert "ops/call/few_operands.py" in shown
    assert not [each for each in shown if each.startswith("debug/")]


def test_an_error_at_level_3_has_the_layers_frames(flags):
    model = paddle.nn.Sequential(paddle.nn.Linear(2, 2), paddle.nn.Linear(2, 2))
    loss = model(paddle.ones([1, 2])).sum()
    loss.grad_fn.next_functions[0].next_functions[0]._register_post_hook(lambda *_: 1 / 0)
    with pytest.raises(ZeroDivisionError) as caught:
        loss.backward()
    (note,) = caught.value.__notes__
    block = note.split("C++ Traceback")[0]
    found = re.findall(r'File "(\S+)", line \d+, in (\w+)', block)
    assert [(each[0].rsplit("/", 1)[-1], each[1]) for each in found][-3:] == [
        ("container.py", "forward"), ("common.py", "forward"), ("common.py", "linear"),
    ]  # fmt: skip


def test_an_api_entry_has_the_frames_that_the_flag_says(flags, tmp_path):
    import os

    model, x = paddle.nn.Linear(2, 2), paddle.ones([1, 2])
    flags({API: str(tmp_path / "api")})
    model(x)
    flags({FRAMES: "user"})
    model(x)
    text = (tmp_path / f"api.{os.getpid()}").read_text()
    layered, bare = text.split("matmul2 : ")
    assert "nn/layer/common.py" in layered
    assert "jaxeager/" not in bare.replace(__file__, "")


def test_a_word_that_is_none_is_refused():
    with pytest.raises(ValueError, match="takes default, all or user, but received 'most'"):
        paddle.set_flags({FRAMES: "most"})
    assert paddle.get_flags(FRAMES) == {FRAMES: "default"}


@pytest.mark.parametrize("which", ["default", "all"])
def test_frames_of_the_launcher_are_not_shown(tmp_path, which):
    (tmp_path / "train.py").write_text(
        "import paddle\n"
        "from jaxeager.debug.stacks.stacks import stack_of\n"
        "x = paddle.to_tensor([1.0], stop_gradient=False)\n"
        "print(*[frame.filename for frame in stack_of((x * x).grad_fn).summary()], sep='\\n')\n"
    )
    flags = ["-F", "call_stack_level=3", "-F", f"call_stack_frames={which}"]
    run = subprocess.run(
        [sys.executable, "-m", "jaxeager", *flags, "train.py"],
        cwd=tmp_path, capture_output=True, text=True, timeout=120,
    )  # fmt: skip
    first, *others = run.stdout.splitlines()
    assert first.endswith("train.py"), run.stderr
    assert bool(others) == (which == "all")
