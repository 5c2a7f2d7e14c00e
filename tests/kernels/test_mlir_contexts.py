"""JAX's lowering contexts are reused, but not by two programs concurrently."""

import threading

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import jaxeager as paddle
from jaxeager.kernels.mlir_contexts import shared

mlir = pytest.importorskip("jax._src.interpreters.mlir")


def test_a_context_is_used_ten_times():
    make = shared(object, lambda: False)
    made = [make() for _ in range(25)]
    assert len(set(map(id, made))) == 3
    assert made[0] is made[9] is not made[10] is made[19]


def test_each_thread_has_its_own():
    make, found = shared(object, lambda: False), []
    threads = [threading.Thread(target=lambda: found.append((make(), make()))) for _ in range(3)]
    for thread in threads:
        thread.start()
        thread.join()
    assert all(one is other for one, other in found)
    assert len({id(one) for one, _ in found} | {id(make())}) == 4


def test_a_program_lowered_within_another_gets_a_new_context():
    depth = [0]
    make = shared(object, lambda: depth[0] > 0)
    outer = make()
    depth[0] = 1
    within = [make(), make()]
    depth[0] = 0
    assert len({id(outer), *map(id, within)}) == 3
    assert make() is outer


def test_jax_makes_few_contexts(monkeypatch):
    made = []
    init = mlir.JaxIrContext.__init__
    monkeypatch.setattr(
        mlir.JaxIrContext, "__init__", lambda self, *given: made.append(1) or init(self, *given)
    )
    for number in range(20):
        text = jax.jit(lambda x, number=number: x * number).lower(jnp.ones(3)).as_text()
        assert text.count("stablehlo.multiply") == 1
    assert 0 < len(made) <= 4  # of JAX's own there are two that it makes on the way


def test_a_program_whose_lowering_lowers_another():
    """JAX creates the empty array that a scan writes into with a separate program."""

    @jax.jit
    def running(x):
        return jax.lax.scan(lambda total, each: (total + each, total), 0.0, x, length=4)[1]

    for _ in range(3):
        jax.clear_caches()
        np.testing.assert_array_equal(running(jnp.arange(4.0)), [0, 0, 1, 3])
        paddle.seed(3)
        assert paddle.rand([4]).shape == [4]
