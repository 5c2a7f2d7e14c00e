"""static.nn.while_loop in a whole graph: values and gradients are those of the ops one by one."""

import numpy as np
import pytest

import jaxeager as paddle
from tests.support.leaves import leaf

WEIGHT = np.linspace(-0.6, 0.9, 9, dtype="float32").reshape(3, 3)
X = np.linspace(-1, 1, 6, dtype="float32").reshape(2, 3)


def _rounds(x, weight, times):
    """Multiply and squash, ``times`` times; count by a second variable."""
    count = paddle.zeros([], dtype="int64")
    count, x = paddle.static.nn.while_loop(
        lambda i, _: i < times, lambda i, x: [i + 1, paddle.tanh(x @ weight + x)], [count, x]
    )
    return x, count


def _gradients(call, times):
    x, weight = leaf(X), leaf(WEIGHT)
    out, count = call(x, weight, paddle.to_tensor(times))
    (out * out).sum().backward()
    return out.numpy(), int(count), x.grad.numpy(), weight.grad


@pytest.mark.parametrize("times", [0, 1, 5, 16, 17, 40])
def test_gradients_of_state_and_of_what_the_body_uses(times):
    want = _gradients(_rounds, times)
    found = _gradients(paddle.jit.to_static(_rounds, full_graph=True), times)
    np.testing.assert_allclose(found[0], want[0], rtol=1e-6)
    assert found[1] == want[1] == times
    np.testing.assert_allclose(found[2], want[2], rtol=2e-5, atol=1e-7)
    if times:
        np.testing.assert_allclose(found[3].numpy(), want[3].numpy(), rtol=2e-5, atol=1e-7)
    else:  # a program does not know beforehand that nothing uses the weight
        assert want[3] is None
        assert not found[3].numpy().any()


def test_a_condition_on_a_value_with_a_gradient():
    def halves(x, bound):
        (x,) = paddle.static.nn.while_loop(
            lambda x: (x * bound).sum() > 1.0, lambda x: [x * 0.5], [x]
        )
        return x.sum()

    for call in (halves, paddle.jit.to_static(halves, full_graph=True)):
        x, bound = leaf([4.0, 8.0]), leaf([2.0, 2.0])
        call(x, bound).backward()
        assert x.grad.tolist() == [1 / 32, 1 / 32]
        assert bound.grad is None or bound.grad.tolist() == [0, 0]


def test_the_draws_of_backward_are_those_of_forward():
    @paddle.jit.to_static(full_graph=True)
    def drops(x):
        count = paddle.zeros([], dtype="int64")
        _, x = paddle.static.nn.while_loop(
            lambda i, _: i < 20,
            lambda i, x: [i + 1, x * (paddle.rand([64]) + 0.5)],
            [count, x],
        )
        return x

    paddle.seed(3)
    x = leaf(np.full(64, 2.0, "float32"))
    out = drops(x)
    out.sum().backward()
    np.testing.assert_allclose(x.grad.numpy(), out.numpy() / 2, rtol=1e-5)
    assert len(np.unique(out.numpy())) > 32


def test_a_gradient_of_the_gradient_is_refused():
    call = paddle.jit.to_static(_rounds, full_graph=True)
    x, weight = leaf(X), leaf(WEIGHT)
    out, _ = call(x, weight, paddle.to_tensor(3))
    with pytest.raises(ValueError, match="Reverse-mode differentiation does not work"):
        paddle.grad(out.sum(), [x], create_graph=True)


def test_a_saved_model_has_the_loop(tmp_path):
    class Net(paddle.nn.Layer):
        def __init__(self):
            super().__init__()
            self.weight = self.create_parameter([3, 3])

        def forward(self, x, times):
            return _rounds(x, self.weight, times)[0]

    net = Net()
    spec = [paddle.static.InputSpec([2, 3]), paddle.static.InputSpec([], "int64")]
    paddle.jit.save(net, str(tmp_path / "net"), input_spec=spec)
    loaded = paddle.jit.load(str(tmp_path / "net"))
    for times in (0, 7):
        given = paddle.to_tensor(X), paddle.to_tensor(times)
        np.testing.assert_allclose(loaded(*given).numpy(), net(*given).numpy(), rtol=1e-6)
