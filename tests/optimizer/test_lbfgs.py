"""LBFGS: minima it finds, compilations, refusals, state; the line search alone."""

import jax
import numpy as np
import pytest

import jaxeager as paddle
from jaxeager.errors import InvalidArgumentError, InvalidTypeError, UnimplementedError
from jaxeager.optimizer.line_search import Probe, strong_wolfe
from tests.support.often import only

LBFGS = paddle.optimizer.LBFGS


def _weight(values, dtype="float32"):
    return paddle.nn.Parameter(paddle.to_tensor(values, dtype=dtype))


def _closure(optimizer, loss):
    def closure():
        optimizer.clear_grad()
        value = loss()
        value.backward()
        return value

    return closure


@pytest.mark.parametrize("dtype", only(["float32"], ["float32", "float64", "bfloat16"]))
@pytest.mark.parametrize("search", [None, "strong_wolfe"])
def test_lbfgs_finds_a_minimum(search, dtype):
    """The loss has several shapes, including 0-D and zero-size."""
    params = [_weight(np.ones(shape), dtype) for shape in ((2, 3), (), (0,), (4,))]
    optimizer = LBFGS(parameters=params, line_search_fn=search)

    def loss():
        return sum(((p - 0.5) ** 2 * (k + 1)).sum() for k, p in enumerate(params))

    for _ in range(3):
        optimizer.step(_closure(optimizer, loss))
    for param in params:
        np.testing.assert_allclose(param.astype("float64").numpy(), 0.5, atol=1e-3)
        assert param.dtype == dtype


@pytest.mark.single_calls
def test_later_steps_compile_nothing():
    """This holds whatever the length of the history."""
    seen = []

    def count(event, duration, **_):
        if event == "/jax/core/compile/backend_compile_duration":
            seen.append(event)

    w = _weight([-1.2, 1.0])
    optimizer = LBFGS(0.5, max_iter=4, parameters=[w], line_search_fn="strong_wolfe")
    closure = _closure(optimizer, lambda: (1 - w[0]) ** 2 + 100 * (w[1] - w[0] ** 2) ** 2)
    optimizer.step(closure)
    jax.monitoring.register_event_duration_secs_listener(count)
    try:
        for _ in range(4):
            optimizer.step(closure)
    finally:
        jax.monitoring.unregister_event_duration_listener(count)
    assert seen == []
    assert optimizer.state["n_iter"] > 8


def test_a_ring_of_steps():
    """More steps than the history holds: the oldest are forgotten, in a state dict too."""
    w = _weight([-1.2, 1.0])
    optimizer = LBFGS(parameters=[w], history_size=3, line_search_fn="strong_wolfe")
    closure = _closure(optimizer, lambda: (1 - w[0]) ** 2 + 100 * (w[1] - w[0] ** 2) ** 2)
    for _ in range(4):
        optimizer.step(closure)
    np.testing.assert_allclose(w.numpy(), 1.0, atol=1e-3)
    assert [len(optimizer.state[key]) for key in ("old_sk", "old_yk", "ro", "al")] == [3] * 4


@pytest.mark.parametrize("rows", [2, 5])
def test_state_with_another_history_size(rows):
    """The newest steps are kept; the next step starts from them."""
    w, other = _weight([-1.2, 1.0]), _weight([0.0, 0.0])
    options = {"max_iter": 5, "max_eval": 99, "line_search_fn": "strong_wolfe"}
    first = LBFGS(parameters=[w], **options)
    first.step(_closure(first, lambda: (1 - w[0]) ** 2 + 100 * (w[1] - w[0] ** 2) ** 2))
    second = LBFGS(parameters=[other], history_size=rows, **options)
    second.set_state_dict(first.state_dict())
    kept = first.state["old_sk"][-rows:]
    for mine, theirs in zip(second.state["old_sk"], kept, strict=True):
        assert mine.tolist() == theirs.tolist()
    assert second.state["n_iter"] == first.state["n_iter"]
    empty = LBFGS(parameters=[other])
    empty.set_state_dict(LBFGS(parameters=[other]).state_dict())
    assert empty.state == {"func_evals": 0, "n_iter": 0}


def test_the_rate_may_change():
    """set_lr and a scheduler are respected."""
    w = _weight([4.0])
    optimizer = LBFGS(0.25, max_iter=1, parameters=[w])
    closure = _closure(optimizer, lambda: w.sum())
    optimizer.step(closure)
    assert w.item() == 3.75
    optimizer.set_lr(2)
    optimizer.step(closure)
    assert w.item() == 1.75
    assert optimizer.get_lr() == 2.0


def test_refusals_state_the_solution():
    """Each refusal states the solution."""
    w = _weight([1.0])
    with pytest.raises(InvalidArgumentError, match="only 'strong_wolfe' is supported"):
        LBFGS(parameters=[w], line_search_fn="backtracking")
    with pytest.raises(UnimplementedError, match="leave out grad_clip"):
        LBFGS(parameters=[w], grad_clip=paddle.nn.ClipGradByNorm(1.0))
    optimizer = LBFGS(parameters=[w])
    with pytest.raises(UnimplementedError, match=r"Call step\(closure\)"):
        optimizer.minimize(w.sum())
    with pytest.raises(UnimplementedError, match=r"call step\(closure\)"):
        optimizer.apply_gradients([(w, w)])
    with pytest.raises(InvalidTypeError, match="step takes a function"):
        optimizer.step(w.sum())
    with pytest.raises(InvalidArgumentError, match="must have an entry 'state'"):
        optimizer.set_state_dict({"w_moment_0": w})


def test_an_error_in_the_closure():
    """During a line search the parameters return to their previous values."""
    w = _weight([4.0])
    optimizer = LBFGS(parameters=[w], line_search_fn="strong_wolfe")
    calls = []

    def closure():
        calls.append(w.item())
        if len(calls) == 2:
            raise OSError("no data")
        optimizer.clear_grad()
        loss = (w * w).sum()
        loss.backward()
        return loss

    with pytest.raises(OSError, match="no data"):
        optimizer.step(closure)
    assert calls == [4.0, 3.0]
    assert w.item() == 4.0


def _along(function, slope):
    return lambda step: Probe(step, function(step), slope(step), None, 0.0)


LINES = {
    "near": (lambda s: (s - 0.1) ** 2, lambda s: 2 * (s - 0.1), 0.1),
    "far": (lambda s: (s - 40.0) ** 2, lambda s: 2 * (s - 40.0), 40.0),
    "steep": (lambda s: np.cosh(s - 3.0), lambda s: np.sinh(s - 3.0), 3.0),
}


@pytest.mark.parametrize("name", LINES)
def test_line_search(name):
    """The step found satisfies both conditions, with few probes."""
    function, slope, _ = LINES[name]
    probe = _along(function, slope)
    start = probe(0.0)
    best, count = strong_wolfe(probe, start, 1.0, 1.0)
    assert best.loss <= start.loss + 1e-4 * best.step * start.slope
    assert abs(best.slope) <= -0.9 * start.slope
    assert count <= 10


def test_line_search_gives_up():
    """A loss that only falls, or is never lower, ends after a bounded number of probes."""
    falling = _along(lambda s: -s, lambda s: -1.0)
    best, count = strong_wolfe(falling, falling(0.0), 1.0, 1.0)
    assert count == 26
    assert best.loss < 0
    rising = _along(lambda s: s, lambda s: -1.0 if s == 0 else 1.0)
    best, count = strong_wolfe(rising, rising(0.0), 1.0, 1.0)
    assert best.step == 0.0
    assert count <= 26
