"""Random programs of ops, views, writes and partial gradients, compared with NumPy and jax.grad.

Usually 12 programs are drawn, by `make test-all` 80 and 1,000 or `JAXEAGER_VIEW_EXAMPLES`.
"""

import itertools
import os

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from hypothesis import event, given, settings
from hypothesis import strategies as st

import jaxeager as paddle
from jaxeager.errors import InvalidArgumentError
from tests.support.examples import examples
from tests.support.memories import Memory, Model

RUNS = itertools.count(1)
EXAMPLES = int(os.environ.get("JAXEAGER_VIEW_EXAMPLES", "1000"))
SHAPES = [(4,), (2, 3), (3, 2, 2)]
X = np.linspace(-1.0, 1.3, 12)
W = np.linspace(0.4, 1.9, 48)


def windows(cells, axis):
    """Return the windows of two along an axis, in the layout of Tensor.unfold."""
    return np.lib.stride_tricks.sliding_window_view(cells, 2, axis)


def flat(cells):
    """Return the cells in one dimension; a 0-D tensor is copied, as in Paddle."""
    return cells.reshape(-1) if cells.ndim else cells.reshape(-1).copy()


# The actions of a program on a tensor and on its cells; those that do not fit the shape are
# skipped.
VIEWS = {
    "first": (lambda t: t[0], lambda c: c[0, ...], lambda s: len(s) > 0),
    "last": (lambda t: t[..., -1], lambda c: c[..., -1], lambda s: len(s) > 0),
    "head": (lambda t: t[:2], lambda c: c[:2], lambda s: len(s) > 0),
    "tail": (lambda t: t[1:], lambda c: c[1:], lambda s: len(s) > 0 and s[0] > 1),
    "middle": (lambda t: t[..., 1:2], lambda c: c[..., 1:2], lambda s: len(s) > 0 and s[-1] > 1),
    "steps": (lambda t: t[::2], lambda c: c[::2], lambda s: len(s) > 0),
    "reverse": (lambda t: t[..., ::-1], lambda c: c[..., ::-1], lambda s: len(s) > 0),
    "all": (lambda t: t[:], lambda c: c[:], lambda s: len(s) > 0),
    "new": (lambda t: t[None], lambda c: c[None], lambda s: len(s) < 4),
    "flat": (lambda t: t.reshape([-1]), lambda c: flat(c), lambda s: len(s) != 1),
    "flatten": (lambda t: t.flatten(), lambda c: flat(c), lambda s: True),
    "pairs": (lambda t: t.reshape([-1, 2]), lambda c: c.reshape(-1, 2), lambda s: even(s)),
    "turned": (lambda t: t.T, lambda c: c.T, lambda s: len(s) > 1),
    "swapped": (
        lambda t: t.transpose([1, 0, *range(2, t.ndim)]),
        lambda c: c.transpose(1, 0, *range(2, c.ndim)),
        lambda s: len(s) > 1,
    ),
    "squeezed": (lambda t: t.squeeze(), lambda c: c.squeeze(), lambda s: True),
    "wider": (lambda t: t.unsqueeze(-1), lambda c: c[..., None], lambda s: len(s) < 4),
    "diagonal": (lambda t: t.diagonal(), lambda c: np.diagonal(c), lambda s: len(s) > 1),
    "unbound": (lambda t: t.unbind(-1)[0], lambda c: c[..., 0], lambda s: len(s) > 0),
    "narrow": (
        lambda t: paddle.narrow(t, 0, -1, 1),
        lambda c: c[-1:],
        lambda s: len(s) > 0,
    ),
    "windows": (
        lambda t: t.unfold(0, 2, 1),
        lambda c: windows(c, 0),
        lambda s: 0 < len(s) < 4 and s[0] > 1 and np.prod(s) <= 24,
    ),
}


def even(shape):
    return np.prod(shape) % 2 == 0 and len(shape) != 2


# The results of an in-place op on the old values, for a number or the leaf w.
WRITES = {
    "scale_": (lambda t, w: t.scale_(1.5, 0.25), lambda v, w: v * 1.5 + 0.25),
    "add_": (lambda t, w: t.add_(w[: t.size].reshape(t.shape)), lambda v, w: v + w[: v.size]),
    "multiply_": (lambda t, w: t.multiply_(w[3]), lambda v, w: v * w[3]),
    "zero_": (lambda t, w: t.zero_(), lambda v, w: v * 0.0),
    "fill_": (lambda t, w: t.fill_(0.5), lambda v, w: v * 0.0 + 0.5),
    "sin_": (lambda t, w: t.sin_(), lambda v, w: jnp.sin(v)),
    "floor_divide_": (lambda t, w: t.floor_divide_(0.5), lambda v, w: jnp.floor(v / 0.5)),
    "itself": (lambda t, w: t.add_(t.clone()), lambda v, w: 2 * v),
}
SHAPERS = {
    "unsqueeze_": (lambda t: t.unsqueeze_(0), lambda c: c[None], lambda s: len(s) < 4),
    "flatten_": (lambda t: t.flatten_(), lambda c: flat(c), lambda s: True),
    "transpose_": (
        lambda t: t.transpose_([1, 0, *range(2, t.ndim)]),
        lambda c: c.transpose(1, 0, *range(2, c.ndim)),
        lambda s: len(s) > 1,
    ),
}
KINDS = "view view view view write write write cut quiet_view quiet_write value shape read drop"

steps = st.tuples(
    st.sampled_from(KINDS.split()), st.integers(0, 40), st.integers(0, 40), st.booleans()
)
programs = st.tuples(
    st.sampled_from(SHAPES),
    st.sampled_from(["made", "constant", "leaf", "leaf too"]),
    st.lists(steps, min_size=2, max_size=14),
)


class Run:
    """Runs a program, on Tensors, on the model, or on both.

    Attributes:
        pairs: (Tensor or None, Model) of each living tensor of the program.
        loss: the sum of the values read so far, as Tensor and as JAX value.
    """

    def __init__(self, shape, origin, x, w, is_eager):
        self.x, self.w, self.is_eager = x, w, is_eager
        values = x[: int(np.prod(shape))]
        self.tx = self.tw = tensor = None
        if is_eager:
            self.tx = paddle.to_tensor(X[: values.size].reshape(shape), stop_gradient=False)
            self.tw = paddle.to_tensor(W, stop_gradient=False)
            tensor = {
                "made": lambda: self.tx * 1.0,
                "constant": lambda: paddle.to_tensor(X[: values.size].reshape(shape)),
            }.get(origin, lambda: self.tx)()
        if origin == "constant":
            values = jax.lax.stop_gradient(values)
        memory = Memory(values, shape)
        model = Model(memory, 0, memory.numbers, is_leaf=origin.startswith("leaf"))
        self.root = model
        self.pairs = [(tensor, model)]
        self.loss = [paddle.zeros([], "float64") if is_eager else None, jnp.zeros(())]

    def choose(self, number):
        return self.pairs[number % len(self.pairs)]

    def step(self, kind, who, what, flag):
        """Do one step; skip an action that does not fit."""
        getattr(self, f"_{kind}")(*self.choose(who), what, flag)
        event(kind)

    def _fitting(self, table, shape, number):
        names = [name for name, entry in table.items() if entry[2](shape)]
        return table[names[number % len(names)]]

    def _view(self, tensor, model, what, flag):
        make, read, _ = self._fitting(VIEWS, model.shape, what)
        made = model.view(read)
        if made.cells.size:
            made.is_leaf = model.is_leaf and made is not model
            self._keep(make(tensor) if self.is_eager else None, made)

    def _keep(self, tensor, model):
        self.pairs.append((tensor, model))

    def _cut(self, tensor, model, what, flag):
        made = model.cut()
        self._keep((tensor.detach() if flag else tensor.data) if self.is_eager else None, made)

    def _quiet_view(self, tensor, model, what, flag):
        make, read, _ = self._fitting(VIEWS, model.shape, what)
        made = model.view(read)
        if not made.cells.size:
            return
        if self.is_eager:
            with paddle.no_grad():
                base, tensor = tensor, make(tensor)
            self.cuts.append(tensor.stop_gradient and not base.stop_gradient)
        made.is_leaf = model.is_leaf
        is_cut = self.cuts[-1] if self.is_eager else next(self.cuts)
        self._keep(tensor, made.cut() if is_cut else made)

    def _write(self, tensor, model, what, flag):
        write, compute = list(WRITES.values())[what % len(WRITES)]
        if self._is_leaf(model):
            if self.is_eager:
                with pytest.raises(InvalidArgumentError, match="can't use inplace strategy"):
                    write(tensor, self.tw)
            event("a leaf was to be written")
            return
        if self.is_eager:
            assert write(tensor, self.tw) is tensor
        model.write(compute(model.read(), self.w))

    def _is_leaf(self, model):
        """Return whether a tensor is in the first group of the leaf's memory."""
        return self.root.is_leaf and model.memory is self.root.memory and model.group == 0

    def _quiet_write(self, tensor, model, what, flag):
        write, compute = list(WRITES.values())[what % len(WRITES)]
        if self.is_eager:
            with paddle.no_grad():
                write(tensor, self.tw)
        model.write(compute(model.read(), self.w), is_recorded=False)

    def _value(self, tensor, model, what, flag):
        values = np.linspace(0.0, 1.0, model.cells.size) + what / 40
        if self.is_eager:
            tensor.set_value(values.reshape(model.shape))
        is_recorded = not self._is_leaf(model)  # nothing depends on the old value then
        model.write(jnp.asarray(values), is_recorded, moves_version=False)

    def _shape(self, tensor, model, what, flag):
        change, read, _ = self._fitting(SHAPERS, model.shape, what)
        if model.is_leaf:  # refused for a leaf, and for a view it concerns another leaf
            return
        made = model.view(read)
        model.memory, model.group, model.cells = made.memory, made.group, made.cells
        model.memory.counter[0] += 1
        if self.is_eager:
            assert change(tensor) is tensor

    def _read(self, tensor, model, what, flag):
        """Add the current values of a tensor to the loss."""
        weight = 0.5 + what / 40
        if self.is_eager:
            self.loss[0] = self.loss[0] + (tensor.clone() * weight).sin().sum()
        self.loss[1] = self.loss[1] + jnp.sin(model.read() * weight).sum()

    def _drop(self, tensor, model, what, flag):
        """Forget a tensor; a leaf stays, so that its gradient can be read."""
        if len(self.pairs) > 1:
            self.pairs.pop(what % len(self.pairs))

    def finish(self):
        """Read every tensor that lives; return the loss."""
        for number, (tensor, model) in enumerate(self.pairs):
            self._read(tensor, model, number, False)
        return self.loss


def run(program, x, w, is_eager, cuts):
    """Run a program and return the Run; ``cuts`` takes, or returns, the cut quiet views."""
    shape, origin, instructions = program
    made = Run(shape, origin, x, w, is_eager)
    made.cuts = cuts
    for instruction in instructions:
        made.step(*instruction)
    return made


@settings(max_examples=examples(12, 80))
@given(programs)
def test_programs_of_views_and_writes(program):
    check_program(program)


@pytest.mark.deep
@settings(max_examples=EXAMPLES)
@given(programs)
def test_many_programs_of_views_and_writes(program):
    check_program(program)


def check_program(program):
    """Check the value and the version of every living tensor, and the gradient of every leaf."""
    if next(RUNS) % 1000 == 0:
        jax.clear_caches()  # all compiled programs together take some gigabytes
    cuts = []
    both = run(program, jnp.asarray(X), jnp.asarray(W), True, cuts)
    for tensor, model in both.pairs:
        np.testing.assert_allclose(tensor.numpy(), model.read().reshape(model.shape), rtol=1e-12)
        assert tensor.inplace_version == model.version
    loss, expected = both.finish()
    np.testing.assert_allclose(loss.item(), expected, rtol=1e-12)

    def pure(x, w):
        return run(program, x, w, False, iter(cuts)).finish()[1]

    dx, dw = jax.jit(jax.grad(pure, argnums=(0, 1)))(jnp.asarray(X), jnp.asarray(W))
    leaves = [both.tx, both.tw]
    if not loss.stop_gradient:
        inner = [t for t, _ in both.pairs if not t.stop_gradient and not t.is_leaf]
        is_recorded = len(program[2]) % 2 == 0
        some = paddle.grad(loss, leaves + inner, create_graph=is_recorded, allow_unused=True)
        assert both.tx.grad is both.tw.grad is None
        for leaf, got, want in zip(leaves, some, (dx, dw), strict=False):
            check_gradient(leaf, got, want)
        for tensor in inner:
            tensor.retain_grads()
        loss.backward()
        for tensor, got in zip(inner, some[2:], strict=True):
            assert (got is None) == (tensor.grad is None)
            assert got is None or np.array_equal(got.numpy(), tensor.grad.numpy())
    for leaf, want in zip(leaves, (dx, dw), strict=True):
        check_gradient(leaf, leaf.grad, want)


def check_gradient(leaf, found, want):
    """Check that a leaf's gradient is the one that JAX computes for its cells."""
    got = np.zeros(leaf.size) if found is None else found.numpy().reshape(-1)
    np.testing.assert_allclose(got, want[: leaf.size], rtol=1e-9, atol=1e-12)
