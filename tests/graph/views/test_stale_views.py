"""Views that are read again on access: their state until then, memory and threads."""

import copy
import gc
import pickle
import threading
import weakref

import jax
import numpy as np
import pytest

import jaxeager as paddle
from jaxeager.graph.views import stale, view_places
from tests.support.leaves import leaf
from tests.support.views import grad_of, made

# ---- stale tensors


def stale_view():
    """Return a base and a view that is to be read again, of [2, 4, 6]."""
    y = paddle.to_tensor([1.0, 2.0, 3.0])
    v = y[:2]
    y.scale_(2.0)
    assert stale.is_stale(v)
    return y, v


def test_a_stale_tensor_is_a_tensor():
    _y, v = stale_view()
    assert isinstance(v, paddle.Tensor)
    assert type(v).__name__ == "Tensor"
    assert (v.inplace_version, v.stop_gradient) == (1, True)
    assert stale.is_stale(v)  # neither value was read
    v.label = "kept"
    assert "[2., 4.]" in repr(v)
    assert (type(v), v.label) == (paddle.Tensor, "kept")


@pytest.mark.parametrize(
    "look",
    [
        lambda v: pickle.loads(pickle.dumps(v)),
        copy.deepcopy,
        copy.copy,
        lambda v: jax.tree_util.tree_map(lambda a: a * 1, v),
        lambda v: jax.jit(lambda t: t)(v),
        lambda v: v.detach(),
        lambda v: paddle.to_tensor(v),
        lambda v: paddle.concat([v]),
        lambda v: v.cpu(),
        lambda v: paddle.Tensor.from_array(jax.numpy.asarray(v)),
    ],
)
def test_each_reader_of_a_stale_tensor_gets_its_value(look):
    _y, v = stale_view()
    found = look(v)
    assert found.tolist() == [2.0, 4.0]
    assert type(found) is type(v) is paddle.Tensor


def test_a_stale_tensor_is_saved(tmp_path):
    _y, v = stale_view()
    paddle.save({"v": v}, str(tmp_path / "v.pdparams"))
    assert paddle.load(str(tmp_path / "v.pdparams"))["v"].tolist() == [2.0, 4.0]


def test_a_stale_parameter_is_a_parameter():
    w = paddle.nn.Parameter(paddle.to_tensor([1.0, 2.0]))
    other = paddle.to_tensor([5.0, 6.0])
    w.data = other
    other.scale_(2.0)
    assert stale.is_stale(w)
    assert isinstance(w, paddle.nn.Parameter)
    assert w.trainable
    assert stale.is_stale(w)
    loaded = pickle.loads(pickle.dumps(w))
    assert type(loaded) is type(w) is paddle.nn.Parameter
    assert loaded.tolist() == [10.0, 12.0]


def test_a_stale_tensor_is_assigned_and_written():
    y, v = stale_view()
    v.set_value(np.float32([7.0, 8.0]))
    assert (type(v), y.tolist()) == (paddle.Tensor, [7.0, 8.0, 6.0])
    y.scale_(2.0)
    v.add_(paddle.ones([2]))
    assert y.tolist() == [15.0, 17.0, 12.0]


def test_a_stale_tensor_is_read_while_something_is_traced():
    """Its value is not part of what is traced."""
    _y, v = stale_view()
    total = jax.jit(lambda a: a + v._array)(jax.numpy.ones(2))
    assert total.tolist() == [3.0, 5.0]
    assert v.tolist() == [2.0, 4.0]


def test_a_stale_tensor_read_in_other_modes():
    """The mode at the time of the write decides whether its history is recorded."""
    x, y = made([1, 2])
    v = y[:1]
    y.scale_(3.0)
    with paddle.no_grad():
        assert v.tolist() == [6.0]
    assert not v.stop_gradient
    y.scale_(2.0)
    with paddle.inference_mode():
        assert v.tolist() == [12.0]
    v.sum().backward()
    assert grad_of(x) == [12.0, 0.0]


def test_mixed_precision_and_hooks_do_not_see_it():
    _x, y = made([[1, 2], [3, 4]])
    v = y.T
    y.scale_(3.0)
    seen = []
    with (
        paddle.amp.auto_cast(level="O2", dtype="bfloat16"),
        paddle.autograd.saved_tensors_hooks(lambda t: seen.append(t) or t, lambda t: t),
    ):
        assert v.tolist() == [[6.0, 18.0], [12.0, 24.0]]
        assert v.dtype == paddle.float32
    assert seen == []


def test_retained_gradients_when_the_base_is_written():
    _x, y = made([1, 2, 3])
    v = y[:2]
    y.retain_grads()
    v.retain_grads()
    y.scale_(2.0)
    (v * 3).sum().backward()
    assert v.grad.tolist() == [3.0, 3.0]
    assert y.grad.tolist() == [6.0, 6.0, 0.0]  # of its value before the write


def test_retained_gradients_when_a_view_is_written():
    x, y = made([1, 2, 3])
    v = y[:2]
    y.retain_grads()
    v.retain_grads()
    v.scale_(2.0)
    v.scale_(5.0)
    (y * 3).sum().backward()
    assert v.grad.tolist() == [30.0, 30.0]  # of its value before the writes
    assert y.grad.tolist() == [3.0, 3.0, 3.0]  # of the value that the writes gave it
    assert grad_of(x) == [60.0, 60.0, 6.0]


def test_a_retained_gradient_follows_a_view_that_was_written_before_its_base():
    x, y = made([1, 2, 3])
    v = y[:2]
    v.retain_grads()
    v.scale_(2.0)
    y.scale_(5.0)
    (v * 3).sum().backward()
    assert v.grad.tolist() == [3.0, 3.0]  # its earlier values are in no path to the loss
    assert grad_of(x) == [60.0, 60.0, 0.0]


def test_second_order_through_a_view():
    x = leaf([1, 2, 3])
    y = x * 1
    y[:2].multiply_(x[1:])
    (g,) = paddle.grad((y * y).sum(), x, create_graph=True)
    (h,) = paddle.grad(g.sum(), x)

    def pure(a):
        b = a.at[:2].multiply(a[1:])
        return (b * b).sum()

    expected = jax.jit(jax.hessian(pure))(x._array).sum(0)
    np.testing.assert_allclose(h.numpy(), expected, rtol=1e-6)


def test_writes_through_views_inside_a_jax_function():
    def eager(x):
        y = x * 2
        v = y.reshape([2, 2])
        v[0].scale_(3.0)
        y[3:].zero_()
        return (v * v).sum()

    def pure(x):
        y = (2 * x).at[:2].multiply(3.0).at[3].set(0.0)
        return (y * y).sum()

    function, x = paddle.autograd.to_jax(eager), jax.numpy.arange(4.0)
    assert jax.jit(function)(x) == function(x) == pure(x)
    for transform in (jax.grad, lambda f: jax.jit(jax.grad(f))):
        np.testing.assert_array_equal(transform(function)(x), jax.jit(jax.grad(pure))(x))
    several = jax.numpy.stack([x, x + 1])
    np.testing.assert_array_equal(jax.vmap(function)(several), jax.jit(jax.vmap(pure))(several))


# ---- memory and threads


@pytest.mark.single_calls
def test_a_view_keeps_no_array_of_its_base():
    y = paddle.ones([32, 32])
    array = weakref.ref(y._array)
    v = y.reshape([1024])
    del y
    gc.collect()
    assert array() is None
    assert v.shape == [1024]


def test_a_detached_tensor_keeps_no_graph():
    x = leaf([1, 2])
    y = (x * 2).exp()
    node = y.grad_fn
    alive = weakref.ref(y._meta)
    d = y.detach()
    e = d[:1]
    del y, node
    gc.collect()
    assert alive() is None
    assert e.inplace_version == d.inplace_version == 0


def test_ten_thousand_slices_leave_nothing_behind():
    y = paddle.ones([4])
    y[0]
    gc.collect()
    for _ in range(10000):
        y[1:3]
    assert len(y._storage.sharers) <= 2 * view_places.PURGE_MASK
    for _ in range(300):
        y[1:3].zero_()
    assert len(y._storage.sharers) <= 2 * view_places.PURGE_MASK
    assert y.inplace_version == 300


def test_a_long_chain_of_views():
    """Ten thousand views of views are walked and freed without recursion."""
    y = paddle.zeros([2, 3])
    v = y
    for _ in range(5000):
        v = v.T
    del v
    w = y.T
    w.scale_(1.0, 1.0)
    assert y.sum().item() == 6.0


def test_stale_views_that_are_freed_free_their_base():
    y, v = stale_view()
    alive = weakref.ref(y)
    del y
    gc.collect()
    assert alive() is not None  # v is read out of it
    del v
    gc.collect()
    assert alive() is None


def run_at_once(function, count):
    threads = [threading.Thread(target=function) for _ in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def test_threads_read_one_stale_view():
    _x, y = made(np.arange(1000))
    for _ in range(20):
        views = [y[i:] for i in range(8)]
        y.scale_(1.0, 1.0)
        found = []

        def look(views=views, found=found):
            found.append([v[0].item() for v in views])

        run_at_once(look, 4)
        assert len(found) == 4
        assert all(each == found[0] for each in found)


def test_threads_make_the_first_view_at_once():
    for _ in range(50):
        y = paddle.ones([4])
        views, start = [], threading.Barrier(4)

        def make(y=y, views=views, start=start):
            start.wait()
            views.append(y[:2])

        run_at_once(make, 4)
        y.zero_()
        assert [v.tolist() for v in views] == [[0.0, 0.0]] * 4
