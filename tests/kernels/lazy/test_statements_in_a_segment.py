"""Statements of training loops that do not end a segment, with the values of single ops."""

import numpy as np
import pytest

import jaxeager as paddle
from jaxeager.kernels.lazy import mode
from jaxeager.kernels.lazy.pending import Pending


class Start:
    """A small layer, and results that are pending in lazy mode."""

    def __init__(self):
        paddle.seed(3)
        self.net = paddle.nn.Linear(4, 4)
        self.weight = self.net.weight
        x = paddle.to_tensor(np.linspace(-1, 1, 16).reshape(4, 4).astype("float32"))
        self.y = x * 2.0
        self.z = self.y + 1.0
        self.zero = paddle.zeros([]) * 1.0


def of_weight(start: Start) -> paddle.Tensor:
    start.weight.set_value(start.weight * 0.9)  # a moving average of weights
    return start.weight


def by_copy(start: Start) -> paddle.Tensor:
    return start.y.copy_(start.z * 0.5, True)


def by_assign(start: Start) -> paddle.Tensor:
    return paddle.assign(start.z, start.y)


def seeded(start: Start) -> paddle.Tensor:
    start.net(start.y).backward(start.z)
    return start.weight.grad


def seeded_grad(start: Start) -> paddle.Tensor:
    return paddle.grad(start.net(start.y), [start.weight], grad_outputs=[start.z])[0]


def placed(start: Start) -> paddle.Tensor:
    assert str(start.y.place) == "Place(cpu)"
    return start.y.cpu().to("cpu").to(paddle.CPUPlace()).to(start.z)


def drawn(start: Start) -> paddle.Tensor:
    first = paddle.randn([4]) + paddle.rand([4]) + paddle.normal(0.0, 1.0, [4])
    return first + paddle.randint(0, 9, [4]).astype("float32") + paddle.uniform([4])


def drawn_in_halves(start: Start) -> paddle.Tensor:
    return paddle.randn([4], dtype="bfloat16") + paddle.rand([4], dtype="bfloat16")


def clipped(start: Start) -> paddle.Tensor:
    start.net(start.y).sum().backward()
    return paddle.nn.utils.clip_grad_norm_([start.weight], 1.0)


STATEMENTS = {
    "set_value": of_weight,
    "copy_": by_copy,
    "assign": by_assign,
    "backward(seed)": seeded,
    "grad(seed)": seeded_grad,
    "place": placed,
    "draws": drawn,
    "draws in bfloat16": drawn_in_halves,
    "draws like": lambda start: paddle.rand_like(start.y) + paddle.randn_like(start.z),
    "permutation": lambda start: paddle.randperm(9),
    "zeros like": lambda start: start.y.new_zeros([3]) + paddle.full_like(start.y, 2.0)[0, :3],
    "bounds": lambda start: paddle.clip(start.y, start.zero, 1.0),
    "clipping": clipped,
}


@pytest.mark.parametrize("name", STATEMENTS)
def test_a_statement_does_not_end_a_segment(name):
    run = STATEMENTS[name]
    want = run(Start()).numpy()
    with paddle.lazy():
        start = Start()
        mode.run()  # the layer's initial values are read
        start.y, start.z, start.zero = start.y * 1.0, start.z * 1.0, start.zero * 1.0
        recording = mode.block_recorder().recording
        found = run(start)
        assert mode.block_recorder().recording is recording
        assert type(found._array) is Pending
        assert found._array.value is None
        np.testing.assert_allclose(found.numpy(), want, rtol=1e-5)
