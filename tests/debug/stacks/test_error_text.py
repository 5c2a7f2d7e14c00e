"""FLAGS_call_stack_level: the text of errors at each level, in forward and in backward."""

import os
import pickle
import re
import subprocess
import sys

import pytest

import jaxeager as paddle
from jaxeager.autograd import PyLayer
from jaxeager.core import ports
from tests.support.leaves import leaf
from tests.support.odd_exceptions import Frozen, Noted, Refusing
from tests.support.refusals import raised

FORWARD = "Forward Traceback (most recent call last):"
PATH = f"{'-' * 38}\nC++ Traceback (most recent call last):\n{'-' * 38}\n"
SUMMARY = f"\n{'-' * 22}\nError Message Summary:\n{'-' * 22}\n"
STALE = (
    "Tensor '' used in gradient computation has been modified by an inplace operation. "
    "Its version is 1 but the expected version is 0. Please fix your code to void calling an "
    "inplace operator after using the Tensor which will used in gradient computation."
)
HINT = (
    "\n  [Hint: Expected tensor_version == wrapper_version_snapshot, but received "
    "tensor_version:1 != wrapper_version_snapshot:0.]"
)


def stale():
    """Return a tensor whose backward reads a saved tensor that was written."""
    y = leaf([1.0]) * 2
    z = y * y
    y.scale_(3.0)
    return z


def note_of(error):
    """Return the only note of an exception."""
    (note,) = error.__notes__
    return note


# ---- levels


@pytest.mark.parametrize("number", [1, 0])
def test_plain_levels_say_the_message_and_a_note_names_the_node(level, number):
    level(number)
    error = raised(stale().backward, RuntimeError)
    assert str(error).startswith(f"(PermissionDenied) {STALE}{HINT}\n")
    assert note_of(error) == "[GradNode < MultiplyGradNode > error]"
    assert raised(lambda: paddle.matmul(paddle.ones([2]), paddle.ones([3]))).text is None


def test_level_2_shows_the_way_through_the_package_and_jax(level):
    level(2)
    error = raised(stale().backward, RuntimeError)
    head, rest = str(error).split(PATH)
    path, summary = rest.split(SUMMARY)
    assert head == "\n\n"
    frames = path.splitlines()
    assert [int(frame.split()[0]) for frame in frames] == list(range(len(frames)))
    assert any(
        "jaxeager.graph.engine.Run.drain (jaxeager/graph/engine.py:" in each for each in frames
    )
    assert "raise_modified" in frames[-1]
    assert summary.startswith(f"PermissionDeniedError: {STALE}{HINT}\n")
    assert FORWARD not in str(error)
    assert not hasattr(error, "__notes__")


def test_level_2_of_a_forward_error_reaches_into_jax(level):
    level(2)
    error = raised(lambda: paddle.add(paddle.ones([2, 3]), paddle.ones([4, 5])), ValueError)
    path, summary = str(error).split(PATH)[1].split(SUMMARY)
    assert "(jax/_src/" in path.splitlines()[-1]
    assert summary.startswith("InvalidArgumentError: add: ")
    assert error.message.startswith("add: ")


@pytest.mark.parametrize("number", [1, 2])
def test_the_only_cause_of_an_error_is_that_of_jax(level, number):
    """There is no kernel that was not built, no first try: a traceback starts with the cause."""
    level(number)
    for _ in range(2):  # the kernel is looked for, then found
        error = raised(lambda: paddle.add(paddle.ones([2, 3]), paddle.ones([4, 5])), ValueError)
        assert isinstance(error.__cause__, TypeError)
        assert error.__cause__.__context__ is None


def test_the_way_is_not_that_of_an_error_the_user_is_handling(level):
    level(2)
    try:
        paddle.matmul(paddle.ones([2, 3]), paddle.ones([4, 5]))
    except ValueError:
        path = str(raised(lambda: paddle.ones([2]).reshape([7]))).split(PATH)[1].split(SUMMARY)[0]
    assert "matmul" not in path
    assert "reshape" in path


def test_level_3_begins_with_the_forward_stack_and_ends_with_the_node(level):
    level(3)
    error = raised(stale().backward, RuntimeError)
    text = str(error)
    assert text.startswith(f"\n\n  {FORWARD}\n    File ")
    assert "\n      z = y * y\n\n\n" + PATH in text  # BEAT: a traceback as Python prints it
    assert text.endswith("\n  [GradNode < MultiplyGradNode > error]")
    assert text.index(FORWARD) < text.index(PATH) < text.index(SUMMARY)


def test_every_frame_of_the_forward_stack_is_indented_alike(level):
    # BEAT: real Paddle indents the first one alone
    level(3)
    block = str(raised(stale().backward)).split(FORWARD)[1].split(PATH)[0]
    lines = [line for line in block.splitlines() if line]
    assert all(re.match(r'    File "|      \S', line) for line in lines), block


def test_forward_errors_have_no_forward_stack(level):
    level(3)
    text = str(raised(lambda: paddle.matmul(paddle.ones([2]), paddle.ones([3]))))
    assert FORWARD not in text
    assert PATH in text


def test_forward_at_1_and_backward_at_3_says_that_no_stack_was_remembered(level):
    # BEAT: real Paddle prints an empty block
    z = stale()
    level(3)
    assert f"{FORWARD}\n    (not remembered: it was recorded while " in str(raised(z.backward))


def test_forward_at_3_and_backward_at_1_is_plain(level):
    level(3)
    z = stale()
    level(1)
    error = raised(z.backward)
    assert str(error).startswith(f"(PermissionDenied) {STALE}")
    assert note_of(error) == "[GradNode < MultiplyGradNode > error]"


def test_unique_names_are_the_nodes_names(level):
    paddle.set_flags({"FLAGS_enable_unique_name": True, "FLAGS_call_stack_level": 3})
    try:
        text = str(raised(stale().backward))
        name = re.search(r"GradNode < (multiply\d+)GradNode > error", text).group(1)
        assert re.search(r"Tensor 'scale\d+_out_float32_1' used in gradient", text)  # BEAT
        assert name
    finally:
        paddle.set_flags({"FLAGS_enable_unique_name": False})


def test_a_second_backward_says_where_the_node_comes_from(level):
    level(3)
    x = leaf([1.0])
    y = (x * 2).sum()
    y.backward()
    text = str(raised(y.backward, SystemError))
    assert "\n      y = (x * 2).sum()\n" in text
    assert "FatalError: The TensorWrappers of SumGradNode do not exist." in text
    assert text.endswith("[GradNode < SumGradNode > error]")
    assert "SumGradNode > error" in str(raised(lambda: paddle.grad(y, x)))


@pytest.mark.parametrize("value", [-1, 0, 1, 2, 3])
def test_a_line_of_stderr_names_each_node_that_fails(level, capfd, value):
    level(value)
    raised(stale().backward)
    line = capfd.readouterr().err
    assert re.fullmatch(
        r"W\d{4} [\d:.]{15} +\d+ backward\.cc:\d+\] While running Node \(MultiplyGradNode\) raises "
        r"an EnforceNotMet exception\n",
        line,
    )


def test_switching_it_off_leaves_nothing(level):
    level(3)
    level(1)
    assert ports.on_error is None
    assert ports.describe_write is None
    assert "Traceback" not in str(raised(stale().backward))


def test_errors_are_pickled_with_their_text(level):
    level(3)
    error = raised(stale().backward)
    again = pickle.loads(pickle.dumps(error))
    assert type(again) is type(error)
    assert str(again) == str(error)


# ---- errors of users


class MyError(Exception):
    """An exception of the user."""


def double(x):
    """Run an op whose node a hook is registered on."""
    return x * 2


def failing_backward(kind):
    """Return a PyLayer whose backward raises."""

    class Fails(PyLayer):
        @staticmethod
        def forward(ctx, x):
            return x * 2

        @staticmethod
        def backward(ctx, grad):
            raise kind("boom from backward")

    return Fails.apply(leaf([1.0]))


def test_a_users_error_in_a_hook_keeps_its_type_and_message(level):
    level(3)
    y = double(leaf([1.0]))
    y.register_hook(lambda grad: 1 / 0)
    error = raised(y.backward, ZeroDivisionError)
    assert str(error) == "division by zero"
    note = note_of(error)
    assert note.startswith(f"{FORWARD}\n    File ")
    assert "      return x * 2\n" in note
    assert f"{SUMMARY}ZeroDivisionError: division by zero\n" in note
    assert note.endswith("[GradNode < ScaleGradNode > error]")


def test_post_hooks_keep_the_type_and_grad_mode(level):
    # BEAT: OSError in real Paddle, and recording stays off
    level(2)
    y = double(leaf([1.0]))

    def post_hook(outputs, inputs):
        raise KeyError("boom from post hook")

    y.grad_fn._register_post_hook(post_hook)
    error = raised(y.backward, KeyError)
    assert error.args == ("boom from post hook",)
    assert paddle.is_grad_enabled()
    assert note_of(error).startswith(PATH)


@pytest.mark.parametrize("number", [1, 2, 3])
def test_keyboard_interrupt_passes(level, number, capfd):
    # BEAT: OSError in real Paddle
    level(number)
    error = raised(failing_backward(KeyboardInterrupt).backward, KeyboardInterrupt)
    assert note_of(error) == "[GradNode < GradNodePyLayer_Fails > error]"
    assert "While running" not in capfd.readouterr().err


@pytest.mark.parametrize("number", [1, 2, 3])
def test_an_error_in_pylayer_backward_keeps_its_type(level, number):
    level(number)
    error = raised(failing_backward(MyError).backward, MyError)
    assert type(error) is MyError
    assert error.args == ("boom from backward",)
    if number == 1:
        assert note_of(error) == "[GradNode < GradNodePyLayer_Fails > error]"
        return
    braces = note_of(error).split(SUMMARY)[1]
    name = r"GradNodePyLayer_Fails\(0x[0-9a-f]+\)"
    head = rf"MyError: \n{{\n    ={{28}} Error message in backward of {name}={{28}}\n"
    body = r"    MyError: boom from backward\n    \n    At:\n      \S+\(\d+\): backward\n"
    assert re.match(head + body, braces), braces
    assert "    " + "=" * 112 + "\n    \n}" in braces


def test_an_error_the_layer_finds_itself_has_no_braces(level):
    class Wrong(PyLayer):
        @staticmethod
        def forward(ctx, x):
            return x * 2

        @staticmethod
        def backward(ctx, grad):
            return grad, grad

    level(3)
    text = str(raised(Wrong.apply(leaf([1.0])).backward, ValueError))
    assert "Error message in" not in text
    assert "InvalidArgumentError: GradNodePyLayer_Wrong : The number of outputs" in text


def nested(kind):
    """Return a PyLayer in a PyLayer; an error passes through the backwards of both."""

    class Inner(PyLayer):
        @staticmethod
        def forward(ctx, x):
            return x * 2

        @staticmethod
        def backward(ctx, grad):
            if kind is not None:
                raise kind("boom")
            return paddle.matmul(grad, paddle.ones([7, 7]))

    class Outer(PyLayer):
        @staticmethod
        def forward(ctx, x):
            with paddle.enable_grad():
                x = x.detach()
                x.stop_gradient = False
                y = Inner.apply(x + 1)
            ctx.x, ctx.y = x, y
            return y.detach()

        @staticmethod
        def backward(ctx, grad):
            (found,) = paddle.grad([ctx.y], [ctx.x], [grad])
            return found

    return Outer.apply(paddle.ones([2, 3]).detach().multiply(leaf([1.0])))


def check_nesting(text, kind):
    """Check the blocks of nested(): each level four columns deeper, with its own stack."""
    lines = text.splitlines()
    forward = [line.index(FORWARD) for line in lines if FORWARD in line]
    heads = [line.index("=") for line in lines if "Error message in backward of" in line]
    last = [line.index("[") for line in lines if line.lstrip().startswith("[GradNode <")]
    assert forward[1] == 6  # the inner one is in one pair of braces
    assert heads == [4, 8]
    assert last == [6, 2]
    inner = text.split(FORWARD)[2].split("C++")[0]
    assert "z = Outer" not in inner
    assert "y = Inner.apply(x + 1)" in inner
    assert "return Outer.apply(" in inner  # the whole nesting path
    assert "return Outer.apply(" in text.split(FORWARD)[1].split("C++")[0]
    assert text.index("GradNodePyLayer_Outer(0x") < text.index("GradNodePyLayer_Inner(0x")
    assert text.count(f"{kind}: \n") >= 2
    outer_at = text.rsplit("    At:\n", 1)[1]
    assert "): backward\n" in outer_at
    assert outer_at.count("): backward\n") == 1  # the inner frame is the inner level's


def test_nested_pylayers_are_indented_in_backward(level, capfd):
    level(3)
    error = raised(nested(None).backward, ValueError)
    check_nesting(str(error), "InvalidArgumentError")
    assert re.findall(r"Node \((\w+)\)", capfd.readouterr().err) == [
        "GradNodePyLayer_Inner",
        "GradNodePyLayer_Outer",
    ]


def test_nested_pylayers_with_a_users_error(level):
    level(3)
    error = raised(nested(MyError).backward, MyError)
    assert str(error) == "boom"
    check_nesting(note_of(error), "MyError")


def test_nested_pylayers_are_indented_in_forward(level):
    class Inner(PyLayer):
        @staticmethod
        def forward(ctx, x):
            return paddle.matmul(x * 2, paddle.ones([7, 7]))

        @staticmethod
        def backward(ctx, grad):
            return grad

    class Outer(PyLayer):
        @staticmethod
        def forward(ctx, x):
            return Inner.apply(x + 1)

        @staticmethod
        def backward(ctx, grad):
            return grad

    level(2)
    error = raised(lambda: Outer.apply(paddle.ones([2, 3])), ValueError)
    heads = [line for line in str(error).splitlines() if "Error message in forward of" in line]
    assert [head.index("=") for head in heads] == [4, 8]
    assert "forward of Outer=" in heads[0]
    assert "forward of Inner=" in heads[1]
    assert "contextlib" not in str(error)  # code that notifies the tools is not a frame of the user
    assert "tell" not in str(error)
    inner_at, outer_at = str(error).split("At:\n")[1:]
    assert inner_at.count("): forward\n") == 2
    assert outer_at.count("): forward\n") == 1  # the inner frame is the inner level's
    level(1)
    assert "Error message" not in str(raised(lambda: Outer.apply(paddle.ones([2, 3]))))


def test_a_backward_inside_a_hook_is_a_separate_level(level, capfd):
    level(3)
    y = double(leaf([1.0]))
    y.register_hook(lambda grad: stale().backward())
    text = str(raised(y.backward, RuntimeError))
    assert text.endswith("[GradNode < ScaleGradNode > error]")
    assert "\n      [GradNode < MultiplyGradNode > error]" in text
    assert text.count(FORWARD) == 2
    assert capfd.readouterr().err.count("While running Node") == 2


def test_an_error_that_has_no_text_does_not_hide_itself(level):
    class Broken(Exception):
        def __str__(self):
            raise ValueError("no text")

    level(3)
    error = raised(failing_backward(lambda message: Broken()).backward, Broken)
    assert "Broken: <no message>" in note_of(error)


def test_an_op_that_fails_in_a_pylayer_in_a_hook_has_every_block(level):
    class Fails(PyLayer):
        @staticmethod
        def forward(ctx, x):
            return paddle.matmul(x, paddle.ones([7, 7]))

        @staticmethod
        def backward(ctx, grad):
            return grad

    level(3)
    y = double(leaf([1.0]))
    y.register_hook(lambda grad: Fails.apply(paddle.ones([2, 3])))
    text = str(raised(y.backward, ValueError))
    outer, inner = text.index("backward of ScaleGradNode("), text.index("forward of Fails=")
    assert outer < inner


def test_the_environment_sets_it(tmp_path):
    script = tmp_path / "script.py"
    script.write_text(
        "import jaxeager as paddle\n"
        "y = paddle.ones([1])\n"
        "y.stop_gradient = False\n"
        "z = y * 2\n"
        "loss = z * z\n"
        "z.scale_(3.0)\n"
        "loss.backward()\n"
    )
    done = subprocess.run(
        [sys.executable, str(script)], capture_output=True, text=True,
        env=os.environ | {"FLAGS_call_stack_level": "3", "PYTHONPATH": os.pathsep.join(sys.path)},
    )  # fmt: skip
    assert f'    File "{script}", line 5, in <module>\n      loss = z * z\n' in done.stderr
    assert done.stderr.rstrip().endswith("[GradNode < MultiplyGradNode > error]")


@pytest.mark.parametrize("number", [1, 2, 3])
@pytest.mark.parametrize("kind", [Refusing, Frozen, Noted])
def test_an_exception_that_takes_no_note_keeps_its_type(level, kind, number):
    def fail(grad):
        raise kind("mine")

    y = leaf([1.0]) * 2
    y.register_hook(fail)
    level(number)
    assert str(raised(y.backward, kind)) == "mine"
