"""Random programs of training loops: lazy mode must have the results of eager mode.

``run(seed)`` is one program: its choices come from the seed alone, and its log has all readable
values: values, versions, gradients, errors. ``differences`` compares two logs.
"""

from __future__ import annotations

import random
import threading

import numpy as np

import jaxeager as paddle
from jaxeager.nn import functional as F
from tests.support.py_layers import Cube

UNARY = [
    paddle.tanh,
    paddle.sin,
    F.sigmoid,
    F.relu,
    lambda x: x * 0.5,
    lambda x: x + 1.0,
    lambda x: paddle.clip(x, -1.0, 1.0),
    lambda x: F.softmax(x, -1),
    lambda x: x - x.mean(),
    lambda x: x.transpose([1, 0]),
    lambda x: x.reshape([-1]).reshape(x.shape),
    lambda x: paddle.flip(x, [0]),
    lambda x: paddle.concat([x[0:1], x[1:]]),
    lambda x: paddle.stack(paddle.unbind(x), 0),
    lambda x: x.astype("float64").astype("float32"),
    lambda x: F.dropout(x, 0.3),
    lambda x: x + paddle.rand(x.shape),
    lambda x: paddle.where(x > 0, x, -x),
    lambda x: x.sort(axis=1),
    lambda x: paddle.topk(x, 2, axis=1)[0].sum(axis=1, keepdim=True) + x,
    Cube.apply,
    lambda x: x.detach() + x,
]
BINARY = [
    paddle.add,
    paddle.multiply,
    paddle.subtract,
    paddle.matmul,
    paddle.maximum,
    lambda x, y: x / (y * y + 1.0),
    lambda x, y: paddle.concat([x, y])[1 : 1 + x.shape[0]],
]
IN_PLACE = [
    lambda x: x.add_(paddle.ones_like(x)),
    lambda x: x.scale_(0.5),
    lambda x: x.tanh_(),
    lambda x: x.clip_(-0.5, 0.5),
    lambda x: x[0:1].fill_(0.25),
    lambda x: x[:, 1].zero_(),
    lambda x: x.__setitem__((slice(None), 0), 2.0),
    lambda x: x.set_value(x.numpy() * 0.5),
    lambda x: x.reshape_(x.shape),
    lambda x: x.exponential_(),
]


class Program:
    """One program: its tensors, the model it trains, and the values read from them."""

    def __init__(self, seed: int):
        self.choose = random.Random(seed)
        self.log: list = []
        paddle.seed(seed)
        rng = np.random.default_rng(seed)
        self.tensors = [
            paddle.to_tensor(rng.normal(size=(3, 3)).astype("float32"), stop_gradient=stops)
            for stops in (False, True, False)
        ]
        self.leaves = list(self.tensors)
        self.model = paddle.nn.Sequential(
            paddle.nn.Linear(3, 5), paddle.nn.LayerNorm(5), paddle.nn.GELU(), paddle.nn.Linear(5, 3)
        )
        for parameter in self.model.parameters():
            parameter.set_value(rng.normal(size=parameter.shape).astype("float32") * 0.3)
        self.optimizer = self._optimizer()
        self.held: list = []

    def _optimizer(self):
        params = self.model.parameters()
        clip = self.choose.choice([None, paddle.nn.ClipGradByGlobalNorm(0.5)])
        kind = self.choose.randrange(4)
        given = {"parameters": params, "grad_clip": clip}
        if kind == 0:
            return paddle.optimizer.SGD(0.1, **given)
        if kind == 1:
            rate = paddle.optimizer.lr.StepDecay(0.1, 2)
            return paddle.optimizer.Momentum(rate, 0.9, **given)
        made = paddle.optimizer.AdamW if kind == 2 else paddle.optimizer.Adam
        # Adam divides a gradient by its size: without this one of 1e-9, which is rounding, decides.
        return made(0.01, epsilon=1e-4, **given)

    # ---- the actions of a program

    def pick(self):
        return self.choose.choice(self.tensors[-6:])

    def unary(self):
        self.tensors.append(self.choose.choice(UNARY)(self.pick()))

    def binary(self):
        self.tensors.append(self.choose.choice(BINARY)(self.pick(), self.pick()))

    def in_place(self):
        self.choose.choice(IN_PLACE)(self.pick())

    def view(self):
        x = self.pick()
        view = self.choose.choice([lambda: x[0], lambda: x.T, lambda: x.reshape([9])])()
        self.held += [view, x.detach()]
        if self.choose.random() < 0.5:
            view.scale_(2.0)

    def hook(self):
        x = self.pick()
        if not x.stop_gradient:
            x.register_hook(self.choose.choice([lambda g: g * 2.0, self._seen]))

    def _seen(self, grad):
        self.log.append(("hook", float(grad.sum())))

    def retain(self):
        self.pick().retain_grads()

    def no_grad(self):
        with paddle.no_grad():
            self.binary()

    def amp(self):
        with paddle.amp.auto_cast(dtype="bfloat16", level="O1"):
            out = paddle.matmul(self.pick(), self.pick())
        self.tensors.append(out.astype("float32") * 0.25)

    def read(self):
        x = self.pick()
        if float(x.sum()) > 0:
            self.tensors.append(x * 0.5)
        self.log.append(("read", x.numpy().copy()))

    def read_in_thread(self):
        x = self.pick()
        thread = threading.Thread(target=lambda: self.log.append(("thread", x.numpy().copy())))
        thread.start()
        thread.join()

    def wrong(self):
        x = self.pick()
        paddle.matmul(x, paddle.ones([4, 4]))

    def backward(self):
        self.pick().sum().backward(retain_graph=self.choose.random() < 0.3)

    def gradient(self):
        x = self.choose.choice(self.leaves)
        y = (paddle.tanh(self.pick()) * x).sum()
        (found,) = paddle.grad(y, [x], create_graph=True)
        self.tensors.append(found)

    def recompute(self):
        def body(x):
            return paddle.tanh(x * 0.5) * x

        self.tensors.append(paddle.distributed.fleet.utils.recompute(body, self.pick()))

    def step(self):
        loss = (self.model(self.pick().detach()) ** 2).mean()
        loss.backward()
        self.optimizer.step()
        if self.choose.random() < 0.8:
            self.optimizer.clear_grad()
        if self.choose.random() < 0.3:
            self.log.append(("loss", loss.numpy().copy()))

    def clear(self):
        for leaf in self.leaves:
            leaf.clear_gradient(self.choose.random() < 0.5)

    def forget(self):
        self.tensors = self.leaves + self.tensors[-2:]

    ACTIONS = (
        "unary unary unary unary binary binary binary in_place in_place view hook retain no_grad "
        "amp read read_in_thread wrong backward gradient recompute step step clear forget"
    ).split()

    def run(self) -> list:
        for _ in range(self.choose.randrange(6, 26)):
            action = self.choose.choice(self.ACTIONS)
            try:
                getattr(self, action)()
            except Exception as error:
                self.log.append((action, type(error).__name__))
        return self.log + self._left()

    def _left(self) -> list:
        found = []
        everything = [*self.tensors, *self.leaves, *self.held, *self.model.parameters()]
        for tensor in everything:
            found.append(("version", tensor.inplace_version))
            found.append(("value", self._value(tensor)))
            found.append(("grad", self._value(tensor.grad)))
        for name, state in sorted(self.optimizer.state_dict().items()):
            if hasattr(state, "numpy"):
                found.append((name.split(".")[-1][-12:], state.numpy()))
        return found

    def _value(self, tensor):
        if tensor is None:
            return None
        try:
            return tensor.numpy().copy()
        except Exception as error:
            return type(error).__name__


def run(seed: int) -> list:
    """Return the log of a program."""
    with paddle.utils.unique_name.guard():  # states are compared in the order of their names
        return Program(seed).run()


def differences(one: list, other: list) -> list:
    """Return the entries in which two logs differ by more than rounding.

    The bound is that of some 20 float32 ops in a row, including softmax and divisions: a product
    and a sum that XLA fuses are rounded once, and later ops amplify the difference.
    """
    found: list[tuple] = [("length", len(one), len(other))] if len(one) != len(other) else []
    for at, (a, b) in enumerate(zip(one, other, strict=False)):
        if a[0] != b[0] or not _same(a[1], b[1]):
            found.append((at, a, b))
    return found


def _same(a, b) -> bool:
    if not (isinstance(a, (np.ndarray, float, int)) and isinstance(b, (np.ndarray, float, int))):
        return type(a) is type(b) and a == b
    a, b = np.asarray(a), np.asarray(b)
    if a.shape != b.shape or a.dtype != b.dtype:
        return False
    return np.allclose(a, b, rtol=2e-4, atol=2e-5, equal_nan=True)


def ends() -> list[tuple[str, int, int]]:
    """Return why segments ended, how often, and the calls in them."""
    return [(why, times, calls) for _, _, why, times, calls in paddle.lazy_report().ends]


def segments_of(owner) -> list:
    """Return the segments in the tree of a recorder."""
    waiting, found = list(owner.roots.values()), []
    while waiting:
        place = waiting.pop()
        found += place.segments.values()
        waiting += place.after.values()
    return found
