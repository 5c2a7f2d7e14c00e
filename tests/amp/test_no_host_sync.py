"""A step with GradScaler reads nothing back from the device and compiles once."""

import jax
import numpy as np
import pytest

import jaxeager as paddle
from tests.support.scaling import OPTIMIZERS, give_gradients, parameters

pytestmark = pytest.mark.usefixtures("for_float16")

GradScaler = paddle.amp.GradScaler


class HostRead(Exception):
    """An array's value was read on the host."""


def refuse(*args, **kwargs):
    """Replace every function that moves an array to the host."""
    raise HostRead


@pytest.fixture
def no_host_reads(monkeypatch):
    """Make reading any jax.Array an error."""
    array_class = type(jax.numpy.zeros(()))
    for name in (
        "__array__", "__bool__", "__float__", "__int__", "__index__", "__dlpack__", "item",
        "tolist", "block_until_ready",
    ):  # fmt: skip
        monkeypatch.setattr(array_class, name, refuse)
    monkeypatch.setattr(array_class, "_value", property(refuse))
    for name in ("asarray", "array"):
        real = getattr(np, name)

        def checked(value, *args, real=real, **kwargs):
            return refuse() if isinstance(value, jax.Array) else real(value, *args, **kwargs)

        monkeypatch.setattr(np, name, checked)


@pytest.mark.parametrize(
    "read",
    [
        *(bool, float, int, str),
        lambda a: np.asarray(a),
        lambda a: np.array(a),
        lambda a: a.item(),
        lambda a: a.tolist(),
        lambda a: a.block_until_ready(),
        lambda a: paddle.Tensor.from_array(a).numpy(),
    ],
)
def test_the_fixture_finds_reads(no_host_reads, read):
    with pytest.raises(HostRead):
        read(jax.numpy.ones(()) + 1)


@pytest.mark.parametrize("make", OPTIMIZERS.values(), ids=list(OPTIMIZERS))
@pytest.mark.parametrize("bad", [None, np.inf])
def test_a_step_reads_nothing_back(make, bad, request):
    params = parameters("bfloat16")
    optimizer, scaler = make(params), GradScaler(init_loss_scaling=8.0)

    def iteration():
        loss = sum((p.astype("float32") * 2.0).sum() for p in params)
        scaler.scale(loss * (1.0 if bad is None else bad)).backward()
        scaler.unscale_(optimizer)
        scaler.step(optimizer)
        scaler.update()
        optimizer.clear_grad()

    iteration()
    request.getfixturevalue("no_host_reads")
    iteration()
    iteration()


@pytest.mark.single_calls
def test_a_new_scale_compiles_nothing():
    params = parameters()
    adam = paddle.optimizer.Adam(0.1, parameters=params)
    scaler = GradScaler(init_loss_scaling=8.0, incr_every_n_steps=1)

    def iteration(bad=None):
        give_gradients(params, 1.0, bad)
        scaler.step(adam)
        scaler.update()

    iteration()
    iteration()
    compiled = []

    def count(event, duration, **_):
        if event == "/jax/core/compile/backend_compile_duration":
            compiled.append(event)

    jax.monitoring.register_event_duration_secs_listener(count)
    try:
        for bad in (None, np.inf, None, np.nan):
            iteration(bad)
        assert compiled == []
        jax.jit(lambda x: x * 3 + 1)(np.ones([7, 7, 7]))
        assert len(compiled) == 1
    finally:
        jax.monitoring.unregister_event_duration_listener(count)
