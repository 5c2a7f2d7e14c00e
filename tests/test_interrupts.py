"""Writes that belong together happen all or not at all, wherever an interrupt falls."""

import numpy as np
import pytest

import jaxeager as paddle
from tests.support.interrupts import interrupted_at, places_in


def _outcomes(make, act, read, most: int = 150) -> set[str]:
    """Interrupt an act at many places, each time on a new object; return the states found after it.

    Args:
        make: makes an object; its first act has compiled all kernels.
        act: the interrupted function of the object.
        read: from the object to a list of arrays.
        most: the approximate number of places.

    Returns:
        The subset of "old" and "new" that was found; a mixture raises.
    """
    made = make()
    act(made)
    old, new = read(make()), read(made)
    assert not _equal(old, new)
    subject = make()
    number = places_in(lambda: act(subject))
    met = set()
    for place in range(0, number, max(1, number // most)):
        subject = make()
        interrupted_at(place, lambda: act(subject))  # noqa: B023
        now = read(subject)
        assert _equal(now, old) or _equal(now, new), f"a mixture is left at place {place}"
        met.add("old" if _equal(now, old) else "new")
    return met


def _equal(one: list, other: list) -> bool:
    return all(np.array_equal(a, b) for a, b in zip(one, other, strict=True))


X = np.array([[1.0, 2.0, 4.0], [3.0, 3.0, 1.0], [0.0, 5.0, 2.0]], "float32")
NORMS = {
    "batch": lambda: paddle.nn.BatchNorm1D(3),
    "old batch": lambda: paddle.nn.BatchNorm(3),
    "sync": lambda: paddle.nn.SyncBatchNorm(3),
    "spectral": lambda: _spectral(),
}


def _spectral():
    paddle.seed(3)
    return paddle.nn.utils.spectral_norm(paddle.nn.Linear(3, 2), n_power_iterations=2)


@pytest.mark.parametrize("name", NORMS)
def test_statistics_of_a_layer(name):
    """Running mean and variance move together, and so do singular vectors."""

    def read(layer):
        named = [t for n, t in layer.state_dict().items() if n[-2:] in ("an", "ce", "_u", "_v")]
        assert len(named) == 2
        return [tensor.numpy() for tensor in named]

    x = paddle.to_tensor(X)
    assert _outcomes(NORMS[name], lambda layer: layer(x), read, 120) == {"old", "new"}


def test_state_dict_of_a_layer():
    """Half a state dict is never loaded."""
    wanted = {k: paddle.ones(v.shape) for k, v in paddle.nn.Linear(3, 2).state_dict().items()}

    def make():
        paddle.seed(4)
        return paddle.nn.Linear(3, 2)

    def read(layer):
        return [p.numpy() for p in layer.parameters()]

    met = _outcomes(make, lambda layer: layer.set_state_dict(wanted), read)
    assert met == {"old", "new"}


@pytest.mark.parametrize("shares", [False, True])
def test_clipping_gradients_in_place(shares):
    """clip_grad_norm_ and clip_grad_value_ clip all gradients or none."""

    def make():
        params = [paddle.nn.Parameter(paddle.ones([2])) for _ in range(3)]
        for param in params:
            param.grad = paddle.to_tensor([3.0, 4.0])
        return params, [params[0].grad.detach()] if shares else []

    def read(made):
        return [param.grad.numpy() for param in made[0]] + [each.numpy() for each in made[1]]

    for clip in (paddle.nn.utils.clip_grad_norm_, paddle.nn.utils.clip_grad_value_):
        met = _outcomes(make, lambda made: clip(made[0], 1.0), read)  # noqa: B023
        assert met == {"old", "new"}


INPLACE = {
    "add_": lambda x: x.add_(paddle.to_tensor([1.0, 2.0, 3.0, 4.0])),
    "scale_": lambda x: x.scale_(3.0),
    "reshape_": lambda x: x.reshape_([2, 2]),
    "setitem": lambda x: x.__setitem__(1, 7.0),
}


@pytest.mark.parametrize("shares", ["nothing", "a view", "a base"])
@pytest.mark.parametrize("name", INPLACE)
def test_in_place_ops(name, shares):
    """Value, shape, history and version of a tensor change together, and what shares them too."""

    def make():
        leaf = paddle.to_tensor(np.arange(8.0, dtype="float32"), stop_gradient=False)
        whole = leaf * 2.0
        x = whole[:4] if shares == "a base" else leaf[:4] * 2.0
        others = {"nothing": [], "a view": [x[1:3]], "a base": [whole]}[shares]
        return leaf, x, others

    def read(made):
        leaf, x, others = made
        values = [np.array(x.inplace_version), x.numpy(), *(each.numpy() for each in others)]
        (x * paddle.to_tensor(np.arange(4.0, dtype="float32")).reshape(x.shape)).sum().backward()
        return [*values, leaf.grad.numpy()]

    met = _outcomes(make, lambda made: INPLACE[name](made[1]), read, 60)
    assert "old" in met
