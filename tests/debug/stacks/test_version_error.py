"""The error for a saved tensor that was written in place: the tensor, its saver and its writer."""

import pytest

import jaxeager as paddle
from jaxeager.autograd import PyLayer
from tests.support.leaves import leaf
from tests.support.refusals import raised


def test_version_error_names_tensor_op_and_both_lines(level):
    # BEAT: real Paddle names none of them
    level(3)
    y = leaf([1.0]) * 2
    z = y.exp() + y * y
    y.add_(y)
    text = str(raised(z.backward))
    assert "\n  [Tensor: float32[1], made by scale, 'x' of multiply, saved for Mult" in text
    first, second = text.split("  [It was saved here (most recent call last):\n")[1].split(
        "  [It was last written by add_, here (most recent call last):\n"
    )
    assert "      z = y.exp() + y * y\n  ]\n" in first
    assert "      y.add_(y)\n  ]\n" in second


def test_version_error_has_the_name_a_user_gave():
    # BEAT: real Paddle's name is always ''
    x = leaf([1.0])
    y, z = paddle.stack([x * 2, x]).unbind()
    y.name, z.name = "hidden", "other"
    out = y * z
    y.add_(x)
    assert "Tensor 'hidden' used in gradient" in str(raised(out.backward))
    out = z * z
    x.name = "input"
    z.add_(z)
    assert "Tensor 'other' used in gradient" in str(raised(out.backward))


@pytest.mark.parametrize(
    ("write", "op"),
    [
        (lambda y: y.__setitem__(0, 5.0), "set_value_"),
        (lambda y: y.add_(paddle.ones([1])), "add_"),
        (lambda y: y.fill_(2.0), "fill_"),
        (lambda y: y.zero_(), "fill_"),
        (lambda y: y[:].scale_(2.0), "scale_"),
    ],
)
def test_version_error_names_every_kind_of_writer(level, write, op):
    level(3)
    y = leaf([1.0]) * 2
    z = y * y
    write(y)
    assert f"written by {op}, here" in str(raised(z.backward))


def test_version_error_does_not_blame_a_writer_from_before_the_save(level):
    level(3)
    y = leaf([1.0]) * 2
    y.scale_(2.0)
    z = y * y
    y._storage.version += 1  # as for a write that no op made
    text = str(raised(z.backward))
    assert "It was saved here" in text
    assert "written by" not in text


def test_version_error_at_level_1_names_what_is_known(level):
    w = paddle.to_tensor([1.0], stop_gradient=False)
    w.name = "weight"
    z = w * w
    with paddle.no_grad():
        w.add_(paddle.ones([1]))
    text = str(raised(z.backward))
    assert text.startswith("(PermissionDenied) Tensor 'weight' used in gradient computation")
    assert text.endswith(
        "\n  [Tensor: float32[1], a leaf, 'x' of multiply, saved for MultiplyGradNode.]"
    )


def test_version_error_of_an_output_of_a_pylayer_and_in_grad(level):
    class Keeps(PyLayer):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x)
            return x * 2

        @staticmethod
        def backward(ctx, grad):
            (x,) = ctx.saved_tensor()
            return grad * x

    level(3)
    y = (leaf([1.0]) * 2).exp()
    z = y * 1
    y.scale_(2.0)
    assert "'out' of exp, saved for ExpGradNode" in str(raised(z.backward))
    y = leaf([1.0]) * 2
    z = Keeps.apply(y)
    y.scale_(2.0)
    assert "an operand of Keeps, saved for GradNodePyLayer_Keeps" in str(raised(z.backward))
    x = leaf([1.0])
    y = x * 2
    z = y * y
    y.scale_(2.0)
    assert "'x' of multiply" in str(raised(lambda: paddle.grad(z, x, create_graph=True)))


def test_set_value_and_an_optimizer_step_move_no_version(level):
    level(3)
    w = paddle.to_tensor([1.0], stop_gradient=False)
    z = (w * w).sum()
    w.set_value(paddle.to_tensor([3.0]))
    z.backward()
    assert w.grad.tolist() == [2.0]
