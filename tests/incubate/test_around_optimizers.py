"""LookAhead and ModelAverage: compilations, master weights, state, refusals."""

import jax.numpy as jnp
import numpy as np
import pytest

import jaxeager as paddle
from jaxeager.errors import InvalidArgumentError, PreconditionNotMetError, UnimplementedError

O = paddle.optimizer  # noqa: E741 - a module


def _weight(values, dtype="float32"):
    return paddle.nn.Parameter(paddle.to_tensor(values, dtype=dtype))


def _step(optimizer, params):
    for param in params:
        param.grad = paddle.ones_like(param)
    optimizer.step()


def test_lookahead_moves_master_weights():
    """A half precision parameter continues from the slow weight, in float32."""
    half, wide = _weight([1.0, 3.0], "bfloat16"), _weight([1.0, 3.0])
    found = []
    for param, is_half in ((half, True), (wide, False)):
        inner = O.SGD(0.01, [param], multi_precision=is_half)
        optimizer = paddle.incubate.LookAhead(inner, alpha=0.5, k=2)
        for _ in range(5):
            _step(optimizer, [param])
        found.append(inner)
    (master,) = found[0].state_dict()["master_weights"].values()
    np.testing.assert_allclose(master.numpy(), wide.numpy(), rtol=1e-6)
    assert half.tolist() == wide.astype("bfloat16").tolist()


def test_lookahead_keeps_the_inner_regularizers():
    """Groups of the inner optimizer stay unchanged."""
    p, q = _weight([1.0]), _weight([1.0])
    inner = O.SGD(0.1, [{"params": [p], "weight_decay": 0.5}, {"params": [q]}])
    paddle.incubate.LookAhead(inner)
    assert str(p.regularizer) == "L2Decay, coeff=0.500000"


def test_lookahead_skips_with_the_inner_optimizer():
    """found_inf reaches both."""
    w = _weight([1.0])
    optimizer = paddle.incubate.LookAhead(O.SGD(0.25, [w]), k=1)
    optimizer._set_auxiliary_var("found_inf", jnp.asarray(True))
    _step(optimizer, [w])
    assert w.item() == 1.0


def test_lookahead_state():
    """The slow weights are restored."""
    w, other = _weight([1.0]), _weight([1.0])
    other.name = w.name
    first = paddle.incubate.LookAhead(O.SGD(0.25, [w]), k=2)
    second = paddle.incubate.LookAhead(O.SGD(0.25, [other]), k=2)
    for _ in range(2):
        _step(first, [w])
    second.set_state_dict(first.state_dict())
    other.set_value(w.numpy())
    for _ in range(2):
        _step(first, [w])
        _step(second, [other])
    assert w.tolist() == other.tolist()


def test_average_refuses():
    """Without averages there is nothing to restore; static graphs are refused."""
    average = paddle.incubate.ModelAverage(0.5, parameters=[_weight([1.0])])
    with pytest.raises(PreconditionNotMetError, match="nothing to average"), average.apply():
        pass
    with pytest.raises(PreconditionNotMetError, match="nothing to restore"):
        average.restore()
    with pytest.raises(UnimplementedError, match="executor"), average.apply(executor=3):
        pass
    for arguments in ({"alpha": -0.5}, {"k": 0}, {"k": 1.5}):
        with pytest.raises(InvalidArgumentError):
            paddle.incubate.LookAhead(O.SGD(0.1, [_weight([1.0])]), **arguments)


def test_average_restores_after_an_error():
    """The values are restored however the with block ends."""
    w = _weight([4.0])
    sgd, average = O.SGD(1.0, [w]), paddle.incubate.ModelAverage(1.0, [w])
    for _ in range(2):
        _step(sgd, [w])
        average.step()

    def fail():
        with average.apply():
            assert w.item() == 2.5
            raise OSError("no disk")

    with pytest.raises(OSError, match="no disk"):
        fail()
    assert w.item() == 2.0


def test_average_of_many_steps():
    """A second sum continues after 16384 steps, so that nothing is lost."""
    w = _weight([1.0])
    w.grad = paddle.zeros([1])
    average = paddle.incubate.ModelAverage(1.0, [w], 10**6, 10**6)
    average.step()
    names = [f"{w.name}_{kind}_0" for kind in ("num_updates", "num_accumulates")]
    state = {key: value.numpy() for key, value in average.state_dict().items()}
    average.set_state_dict({**state, **{name: np.array([16383]) for name in names}})
    average.step()
    state = average.state_dict()
    assert state[f"{w.name}_sum_1_0"].tolist() == [0.0]
    assert state[f"{w.name}_sum_2_0"].tolist() == [2.0]
