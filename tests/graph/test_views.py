"""Views: who shares memory, what a write through one means for the others, and its gradient."""

import copy
import gc
import pickle
import threading
import weakref

import jax
import numpy as np
import pytest

import jaxeager as paddle
from jaxeager.errors import InvalidArgumentError, PermissionDeniedError
from jaxeager.graph import memory, stale

LEAF_ERROR = r"that doesn't stop gradient can't use inplace strategy, and this tensor is a view"


def leaf(values):
    return paddle.to_tensor(np.asarray(values, "float32"), stop_gradient=False)


def made(values):
    """Returns a leaf, and a tensor made of it that can be written."""
    x = leaf(values)
    return x, x * 2


def grad_of(x):
    return np.round(x.grad.numpy(), 4).tolist()


# ---- the table of section 5.4: what Paddle gets wrong


def test_scaled_slice():
    x, y = made([1, 2, 3, 4])
    v = y[0:2]
    v.scale_(10.0)
    (y * y).sum().backward()
    assert y.tolist() == [20.0, 40.0, 6.0, 8.0]
    assert grad_of(x) == [800.0, 1600.0, 24.0, 32.0]


def test_zeroed_slice():
    x, y = made([1, 2, 3, 4])
    y[0:2].zero_()
    y.sum().backward()
    assert grad_of(x) == [0.0, 0.0, 2.0, 2.0]


def test_reshaped_and_assigned():
    x, y = made([1, 2, 3, 4])
    y.reshape([2, 2])[0] = 0.0
    y.sum().backward()
    assert grad_of(x) == [0.0, 0.0, 2.0, 2.0]


def test_base_written_view_read():
    x, y = made([1, 2, 3, 4])
    v = y[:3]
    y[0] = 0.0
    assert v.tolist() == [0.0, 4.0, 6.0]
    v.sum().backward()
    assert grad_of(x) == [0.0, 2.0, 2.0, 0.0]


def test_transposed_and_assigned():
    x, y = made(np.arange(6).reshape(2, 3))
    y.transpose([1, 0])[0] = 0.0
    y.sum().backward()
    assert grad_of(x) == [[0.0, 2.0, 2.0], [0.0, 2.0, 2.0]]


def test_chained_assignment():
    x, y = made(np.arange(6).reshape(2, 3))
    y[0][1] = 9.0
    y.sum().backward()
    assert y.tolist() == [[0.0, 9.0, 4.0], [6.0, 8.0, 10.0]]
    assert grad_of(x) == [[2.0, 0.0, 2.0], [2.0, 2.0, 2.0]]


def test_operand_added_to_a_view():
    x, y = made([1, 2, 3, 4])
    w = leaf([5, 5])
    y[0:2].add_(w)
    y.sum().backward()
    assert grad_of(w) == [1.0, 1.0]
    assert grad_of(x) == [2.0, 2.0, 2.0, 2.0]


def test_constant_takes_an_operand_through_a_view():
    y, w = paddle.zeros([4]), leaf([5, 5])
    v = y[0:2]
    v.add_(w)
    assert not y.stop_gradient
    assert not v.stop_gradient
    (y * y).sum().backward()
    assert grad_of(w) == [10.0, 10.0]


def test_the_line_of_the_readme():
    a, w = leaf([[1, 2], [3, 4]]), leaf([2, 3])
    b = a * 2
    b[0].multiply_(w)
    (b * b).sum().backward()
    assert grad_of(a) == [[32.0, 144.0], [24.0, 32.0]]
    assert grad_of(w) == [16.0, 96.0]


# ---- views of views, siblings, dead bases


def test_a_view_of_a_view_of_a_view():
    x, y = made(np.arange(12).reshape(3, 4))
    w = leaf([3, 5])
    middle = y[1:].T
    middle.reshape([2, 2, 2])[0, :, 1].multiply_(w)
    expected = 2 * np.arange(12.0).reshape(3, 4)
    expected[2, :2] *= [3, 5]
    assert y.tolist() == expected.tolist()
    assert middle.tolist() == expected[1:].T.tolist()
    y.sum().backward()
    assert grad_of(x) == [[2.0] * 4, [2.0] * 4, [6.0, 10.0, 2.0, 2.0]]
    assert grad_of(w) == [16.0, 18.0]


def test_overlapping_siblings_of_a_dead_base():
    x = leaf(np.arange(6))
    y = x * 2
    a, b = y[0:4], y[2:6]
    del y
    a.scale_(3.0)
    assert b.tolist() == [12.0, 18.0, 8.0, 10.0]
    (b * b).sum().backward()
    assert grad_of(x) == [0.0, 0.0, 144.0, 216.0, 32.0, 40.0]


def test_siblings_of_a_dead_base_that_do_not_overlap():
    """Nothing happens to the others: their node is still the one that made them."""
    x = leaf(np.arange(6).reshape(3, 2))
    first, second, third = (x * 2).unbind()
    second.scale_(5.0)
    assert not stale.is_stale(first)
    assert first.grad_fn.name() == third.grad_fn.name() == "UnbindGradNode"
    (first.sum() + second.sum() + third.sum()).backward()
    assert grad_of(x) == [[2.0, 2.0], [10.0, 10.0], [2.0, 2.0]]


def test_a_view_takes_the_place_of_its_dead_base():
    x = leaf([[1, 2], [3, 4]])
    b = (x * 2).reshape([4])
    c = b[1:]
    c[0] = 0.0
    assert b.tolist() == [2.0, 0.0, 6.0, 8.0]
    assert b.grad_fn.name() == "SliceWriteGradNode"
    b.sum().backward()
    assert grad_of(x) == [[2.0, 0.0], [2.0, 2.0]]


def test_many_writes_before_anybody_looks():
    x, y = made(np.ones(4))
    views = [y[i:] for i in range(4)]
    for view in views:
        view.scale_(2.0)
    assert stale.is_stale(views[1])
    assert views[1].tolist() == [8.0, 16.0, 32.0]
    assert not stale.is_stale(views[1])
    views[0].sum().backward()
    assert grad_of(x) == [4.0, 8.0, 16.0, 32.0]


def test_both_ends_of_a_write_are_views_of_one_memory():
    x, y = made([1, 2, 3, 4])
    y[:2].add_(y[2:])
    y[1:3].multiply_(y[:2].clone())
    assert y.tolist() == [8.0, 96.0, 72.0, 8.0]
    y.sum().backward()
    #  [a + c, (b + d)(a + c), c(b + d), d] of a, b, c, d = 2x
    a, b, c, d = (2.0 * n for n in (1, 2, 3, 4))
    expected = [1 + b + d, a + c + c, 1 + b + d + b + d, a + c + c + 1]
    assert grad_of(x) == [2.0 * n for n in expected]


def test_a_whole_slice_is_the_same_value():
    x, y = made([1, 2])
    alias = y[:]
    assert alias.grad_fn is y.grad_fn
    alias.scale_(3.0)
    assert y.grad_fn is alias.grad_fn
    assert y.tolist() == [6.0, 12.0]
    y.sum().backward()
    assert grad_of(x) == [6.0, 6.0]


def test_windows_that_overlap_themselves():
    """Of an element that is written several times the last write stays, and gets the gradient."""
    y, w = paddle.zeros([4]), leaf([[1, 2], [3, 4], [5, 6]])
    v = y.unfold(0, 2, 1)
    v.add_(w)
    assert y.tolist() == [1.0, 3.0, 5.0, 6.0]
    assert v.tolist() == [[1.0, 3.0], [3.0, 5.0], [5.0, 6.0]]
    v.sum().backward()
    assert grad_of(w) == [[1.0, 0.0], [2.0, 0.0], [2.0, 1.0]]


def test_complex_parts():
    x = paddle.to_tensor([1 + 2j, 3 + 4j], stop_gradient=False)
    z = x * 1
    w = paddle.to_tensor([10.0, 20.0], stop_gradient=False)
    z.real().multiply_(w)
    paddle.as_real(z)[:, 1] = 0.0
    assert z.tolist() == [10 + 0j, 60 + 0j]
    z.real().sum().backward()
    assert w.grad.tolist() == [1.0, 3.0]
    assert x.grad.tolist() == [10 + 0j, 20 + 0j]


def test_the_same_bytes_as_another_dtype():
    x = paddle.to_tensor([1.0, 2.0])
    bits = x.view("int32")
    bits[0] = 0
    assert x.tolist() == [0.0, 2.0]
    x[1] = 1.0
    assert bits.tolist() == [0, 0x3F800000]
    assert x.inplace_version == bits.inplace_version == 2


def test_integer_index_of_a_transposed_tensor():
    a = paddle.arange(6).reshape([2, 3])
    t = a.T
    t[paddle.to_tensor([0])] = 9
    assert t.tolist() == [[9, 9], [1, 4], [2, 5]]
    assert a.tolist() == [[9, 1, 2], [9, 4, 5]]


# ---- cuts: detach, data, no_grad


def test_detach_shares_values_and_version_and_no_history():
    x, y = made([1, 2, 3])
    d = y.detach()
    w = leaf([7])
    d[:1].multiply_(w)
    assert y.tolist() == [14.0, 4.0, 6.0]
    assert y.inplace_version == d.inplace_version == 1
    assert y.grad_fn.name() == "ScaleGradNode"
    y.scale_(2.0)
    assert d.tolist() == [28.0, 8.0, 12.0]
    d.sum().backward()
    assert grad_of(w) == [2.0]
    y.sum().backward()
    assert grad_of(x) == [4.0, 4.0, 4.0]


def test_a_view_of_what_was_detached_after_it_died():
    x, y = made([1, 2, 3])
    first, second = y.detach()[:2], y.detach()[1:]
    first.scale_(10.0)
    assert (y.tolist(), second.tolist()) == ([20.0, 40.0, 6.0], [40.0, 6.0])
    assert second.stop_gradient


def test_siblings_below_a_detached_tensor_that_died():
    x, y = made([1, 2, 3])
    d = y.detach()
    first, second = d[:2], d[1:]
    del d
    w = leaf([3, 5])
    first.multiply_(w)
    assert (y.tolist(), second.tolist()) == ([6.0, 20.0, 6.0], [20.0, 6.0])
    second.sum().backward()
    assert grad_of(w) == [0.0, 4.0]
    y.sum().backward()
    assert grad_of(x) == [2.0, 2.0, 2.0]


def test_a_view_made_under_no_grad_is_cut():
    x, y = made([1, 2])
    with paddle.no_grad():
        v = y[0:1]
    v.scale_(3.0)
    assert y.tolist() == [6.0, 4.0]
    assert v.stop_gradient
    y.sum().backward()
    assert grad_of(x) == [2.0, 2.0]


def test_a_write_under_no_grad_changes_values_alone():
    x, y = made([1, 2, 3])
    v = y[1:]
    with paddle.no_grad():
        y.scale_(10.0)
    assert v.tolist() == [40.0, 60.0]
    assert v.grad_fn.name() == "SliceGradNode"
    (v * v).sum().backward()
    assert grad_of(x) == [0.0, 160.0, 240.0]


def test_no_grad_after_a_recorded_write_keeps_its_history():
    x, y = made([1, 2, 3])
    v = y[1:]
    y.scale_(3.0)
    with paddle.no_grad():
        y.add_(paddle.ones([3]))
    assert v.tolist() == [13.0, 19.0]
    v.sum().backward()
    assert grad_of(x) == [0.0, 6.0, 6.0]


def test_data_is_assigned():
    x, v = leaf([1, 2]), paddle.to_tensor([5.0, 6.0])
    old = x.detach()
    squared = x * x
    x.data = v
    v.add_(paddle.ones([2]))
    assert x.tolist() == [6.0, 7.0]
    assert x.inplace_version == v.inplace_version == 1
    assert not x.stop_gradient
    assert (old.tolist(), old.inplace_version) == ([1.0, 2.0], 0)
    squared.sum().backward()
    assert grad_of(x) == [2.0, 4.0]
    with pytest.raises(InvalidArgumentError, match="must be Tensor, but got list"):
        x.data = [1.0]


def test_data_of_what_others_are_read_from():
    """A view that was to be read anew is read before its base goes elsewhere."""
    y = paddle.to_tensor([1.0, 2.0])
    v = y[:1]
    y.scale_(2.0)
    y.data = paddle.to_tensor([7.0, 8.0])
    assert v.tolist() == [2.0]
    y.zero_()
    assert v.tolist() == [2.0]


def test_detach_in_place_cuts_a_view():
    x, y = made([1, 2])
    v = y[:1]
    v.detach_()
    y.scale_(3.0)
    assert v.tolist() == [6.0]
    assert v.stop_gradient


def test_a_view_that_was_made_a_leaf_keeps_its_identity():
    y = paddle.to_tensor([1.0, 2.0])
    v = y[:1]
    v.stop_gradient = False
    y.multiply_(leaf([3, 4]))
    assert v.is_leaf
    assert v.tolist() == [3.0]
    (v * v).sum().backward()
    assert v.grad.tolist() == [6.0]
    with pytest.raises(InvalidArgumentError, match=LEAF_ERROR):
        v.unsqueeze(0).zero_()


# ---- leaves


@pytest.mark.parametrize(
    "view",
    [lambda x: x[0:1], lambda x: x.reshape([2, 1])[0], lambda x: x.T[:], lambda x: x.unbind()[0]],
)
def test_a_view_of_a_leaf_cannot_be_written(view):
    """Paddle allows it, and the leaf's gradient is that of a value it does not hold."""
    x = leaf([1, 2])
    with pytest.raises(InvalidArgumentError, match="can't use inplace strategy"):
        view(x).scale_(2.0)
    with pytest.raises(InvalidArgumentError, match="can't use inplace strategy"):
        view(x)[...] = 0.0
    assert (x.tolist(), x.inplace_version) == ([1.0, 2.0], 0)


def test_the_error_names_the_leaf_and_says_what_to_do():
    x = leaf([1, 2])
    x.name = "weight"
    with pytest.raises(InvalidArgumentError, match=r"Leaf Var \(weight\) .* or to a clone\(\)"):
        x[0:1].scale_(2.0)
    with pytest.raises(InvalidArgumentError, match=r"Leaf Tensor \(weight\) .* a clone\(\)"):
        x[0:1][0] = 1.0


def test_a_leaf_is_written_through_detach_and_under_no_grad():
    x = leaf([1, 2, 3])
    x.detach()[0] = 5.0
    with paddle.no_grad():
        x[1:].zero_()
    view = x[:2]
    with paddle.no_grad():
        view.scale_(2.0)
    assert x.tolist() == [10.0, 0.0, 0.0]
    assert (x.is_leaf, x.inplace_version) == (True, 3)


def test_an_optimizer_step_is_seen_through_views_of_the_weight():
    weight = paddle.nn.Parameter(paddle.to_tensor([[1.0, 2.0], [3.0, 4.0]]))
    turned, apart = weight.T, weight.detach()
    weight.grad = paddle.ones([2, 2])
    optimizer = paddle.optimizer.SGD(0.5, [weight])
    for _ in range(2):
        optimizer.step()
    assert turned.tolist() == [[0.0, 2.0], [1.0, 3.0]]
    assert apart.tolist() == [[0.0, 1.0], [2.0, 3.0]]
    assert turned.grad_fn.name() == "TransposeGradNode"
    assert weight.inplace_version == 0


# ---- versions


def test_a_write_elsewhere_in_the_memory_is_noticed():
    x, y = made([1, 2, 3, 4])
    squared = y[:2] * y[:2]
    y[2:].zero_()
    with pytest.raises(PermissionDeniedError, match="Its version is 1 but the expected version"):
        squared.sum().backward()


def test_a_write_between_two_saves():
    x, y = made([1, 2])
    v = y[:1]
    first = v * v
    v.scale_(2.0)
    second = v * v
    second.sum().backward(retain_graph=True)
    assert grad_of(x) == [32.0, 0.0]
    with pytest.raises(PermissionDeniedError):
        first.sum().backward()


def test_a_copying_reshape_shares_the_version_and_no_value():
    x = paddle.arange(6).reshape([2, 3])
    copied = x.T.reshape([6])
    part = copied[:2]
    part.zero_()
    assert x.tolist() == [[0, 1, 2], [3, 4, 5]]
    assert copied.tolist() == [0, 0, 1, 4, 2, 5]
    assert x.inplace_version == copied.inplace_version == 1
    x.zero_()
    assert copied.tolist() == [0, 0, 1, 4, 2, 5]


@pytest.mark.parametrize(
    ("view", "is_copy"),
    [
        (lambda x: x[1:].reshape([12]), False),
        (lambda x: x[:, :, :2].reshape([12]), True),
        (lambda x: x[:, :, :2].reshape([6, 2]), False),
        (lambda x: x.T.flatten(), True),
        (lambda x: x.T.reshape([2, 2, 3, 2]), False),
        (lambda x: x[::-1].reshape([24]), True),
        (lambda x: x[:, :, ::2].reshape([12]), False),
        (lambda x: x.transpose([0, 2, 1]).flatten(1), True),
        (lambda x: x.transpose([2, 0, 1]).flatten(1), False),
        (lambda x: x[0:1].T.squeeze(), False),
        (lambda x: x.T.unsqueeze(1), False),
    ],
)
def test_which_reshapes_copy(view, is_copy):
    x = paddle.ones([2, 3, 4])
    v = view(x)
    v.zero_()
    assert bool((x == 1.0).all()) == is_copy
    assert x.inplace_version == 1


# ---- writes that are no in-place op


def test_set_value_and_copy_of_a_strided_view():
    x = paddle.arange(6, dtype="float32").reshape([2, 3])
    x[:, 0].set_value(np.float32([7, 8]))
    x[:, 1].copy_(paddle.to_tensor([5.0, 6.0]), True)
    assert x.tolist() == [[7.0, 5.0, 2.0], [8.0, 6.0, 5.0]]
    assert x.inplace_version == 0


def test_another_dtype_takes_a_view_out_of_the_memory():
    x = paddle.to_tensor([[1.0, 2.0], [3.0, 4.0]])
    v, w = x[0], x[0]
    v.cast_("float64")
    assert (v.dtype, v.tolist()) == (paddle.float64, [1.0, 2.0])
    v.zero_()
    assert x.tolist() == [[1.0, 2.0], [3.0, 4.0]]
    w.add_(paddle.ones([2], dtype="float64"))
    assert w.tolist() == [2.0, 3.0]
    assert x.tolist() == [[1.0, 2.0], [3.0, 4.0]]
    assert x.inplace_version == v.inplace_version == 3


def test_another_dtype_of_the_base():
    x, y = made([1, 2])
    v = y[:1]
    saved = v * v
    y.scale_(3.0)
    y.cast_("float64")
    y.zero_()
    assert v.tolist() == [6.0]
    v.sum().backward(retain_graph=True)
    assert grad_of(x) == [6.0, 0.0]
    with pytest.raises(PermissionDeniedError):
        saved.sum().backward()


def test_another_shape_in_place_is_the_same_memory():
    x = paddle.arange(6).reshape([2, 3])
    v = x[0]
    x.transpose_([1, 0])
    assert v.tolist() == [0, 1, 2]
    x[1] = 9
    assert v.tolist() == [0, 9, 2]
    v.zero_()
    assert x.tolist() == [[0, 3], [0, 9], [0, 5]]
    assert not x.is_contiguous()
    x.reshape([6]).zero_()
    assert x.tolist() == [[0, 3], [0, 9], [0, 5]]


def test_flatten_in_place_of_a_transposed_view_is_a_copy():
    x, y = made(np.arange(4).reshape(2, 2))
    v = y.T
    v.flatten_()
    v.scale_(10.0)
    assert (y.tolist(), v.tolist()) == ([[0.0, 2.0], [4.0, 6.0]], [0.0, 40.0, 20.0, 60.0])
    assert y.inplace_version == v.inplace_version == 2
    v.sum().backward()
    assert grad_of(x) == [[20.0, 20.0], [20.0, 20.0]]


def test_the_shape_of_a_view_of_a_leaf_may_change():
    """Nothing is written, so the leaf stays what it is."""
    x = leaf([1, 2])
    v = x[:]
    with pytest.raises(InvalidArgumentError, match="Leaf Var"):
        v.unsqueeze_(0)
    part = x[:1]
    part.unsqueeze_(0)
    part.sum().backward()
    assert grad_of(x) == [1.0, 0.0]


def test_gradient_through_shape_changes_in_place():
    x, y = made([[1, 2], [3, 4]])
    v = y[0]
    y.flatten_()
    v.scale_(5.0)
    y[3] = 0.0
    assert y.tolist() == [10.0, 20.0, 6.0, 0.0]
    (y * v.sum()).sum().backward()
    #  s = 10(a + b); s * (s + 2c)
    assert grad_of(x) == [[660.0, 660.0], [60.0, 0.0]]


def test_nothing_changes_when_a_write_fails():
    x, y = made([1, 2, 3])
    v = y[:2]
    before = (y.grad_fn, v.grad_fn)
    with pytest.raises(InvalidArgumentError, match="different from that of inplace"):
        v.add_(paddle.ones([3, 2]))
    with pytest.raises(InvalidArgumentError, match="must match the shape"):
        v[:] = paddle.ones([5])
    assert (y.grad_fn, v.grad_fn) == before
    assert (y.inplace_version, y.tolist()) == (0, [2.0, 4.0, 6.0])


def test_nothing_changes_when_the_others_cannot_follow(monkeypatch):
    x, y = made([1, 2, 3])
    v = y[:2]
    node = v.grad_fn

    def fail(*args):
        raise MemoryError("no memory left")

    monkeypatch.setattr(memory.steps, "write_back", fail)
    with pytest.raises(MemoryError):
        v.scale_(2.0)
    monkeypatch.undo()
    assert v.grad_fn is node
    assert (y.inplace_version, y.tolist(), v.tolist()) == (0, [2.0, 4.0, 6.0], [2.0, 4.0])


# ---- contiguous, as_strided, narrow, view


def test_contiguous():
    x, y = made([[1, 2], [3, 4]])
    assert y.contiguous() is y
    turned = y.T
    copied = turned.contiguous()
    assert (turned.is_contiguous(), copied.is_contiguous()) == (False, True)
    assert copied.grad_fn is turned.grad_fn
    copied.zero_()
    assert y.tolist() == [[2.0, 4.0], [6.0, 8.0]]
    assert y.inplace_version == 0


def test_a_shape_that_strides_do_not_allow():
    x = paddle.ones([2, 3])
    with pytest.raises(InvalidArgumentError, match="can not be viewed, please call reshape"):
        x.T.view([6])
    with pytest.raises(InvalidArgumentError, match="can not be viewed"):
        x.T.view_as(paddle.ones([6]))
    with pytest.raises(InvalidArgumentError, match=r"strides\[-1\] must be 1"):
        x.T.view("float64")
    assert x[:, :2].view([2, 2, 1]).shape == [2, 2, 1]


def test_as_strided_is_of_the_memory_and_not_of_the_view():
    x = paddle.arange(6, dtype="float32")
    part = x[2:]
    assert paddle.as_strided(part, [2], [1]).tolist() == [0.0, 1.0]
    assert paddle.as_strided(x.reshape([2, 3]).T, [3, 2], [2, 1]).tolist() == [
        [0.0, 1.0],
        [2.0, 3.0],
        [4.0, 5.0],
    ]
    view = paddle.as_strided(part, [2, 2], [1, 2], 8)
    view.zero_()
    assert x.tolist() == [0.0, 1.0, 0.0, 0.0, 0.0, 0.0]
    assert x.inplace_version == 1


def test_as_strided_of_what_was_detached_has_no_history():
    x, y = made([1, 2, 3])
    assert paddle.as_strided(y.detach()[1:], [2], [2]).stop_gradient
    v = paddle.as_strided(y[1:], [2], [2])
    v.sum().backward()
    assert grad_of(x) == [2.0, 0.0, 2.0]


def test_as_strided_where_there_is_nothing():
    x = paddle.ones([4])
    with pytest.raises(InvalidArgumentError, match="reach from element 0 to 4"):
        paddle.as_strided(x, [3], [2])
    with pytest.raises(InvalidArgumentError, match="from element -1 to 0"):
        paddle.as_strided(x, [2], [-1])
    with pytest.raises(InvalidArgumentError, match="must be a multiple of 4 bytes"):
        paddle.as_strided(x, [2], [1], 2)
    with pytest.raises(InvalidArgumentError, match="whose memory it shows is gone"):
        paddle.as_strided((x * 1)[1:], [2], [1])


def test_narrow_says_what_is_wrong():
    x = paddle.ones([2, 4])
    with pytest.raises(IndexError, match=r"range of \[-2, 1\], but got 2"):
        paddle.narrow(x, 2, 0, 1)
    for start, length, text in ((9, 1, "start out of range"), (2, 5, "exceeds dimension size")):
        with pytest.raises(InvalidArgumentError, match=text):
            paddle.narrow(x, 1, start, length)
    with pytest.raises(InvalidArgumentError, match="length must be non-negative"):
        paddle.narrow(x, 0, 0, -1)
    with pytest.raises(InvalidArgumentError, match="0-dim tensor"):
        paddle.narrow(paddle.ones([]), 0, 0, 0)
    assert paddle.narrow(x, -1, paddle.to_tensor(-2), 2).shape == [2, 2]


# ---- what a stale tensor is


def stale_view():
    """Returns a base and a view that is to be read anew, of [2, 4, 6]."""
    y = paddle.to_tensor([1.0, 2.0, 3.0])
    v = y[:2]
    y.scale_(2.0)
    assert stale.is_stale(v)
    return y, v


def test_a_stale_tensor_is_a_tensor():
    y, v = stale_view()
    assert isinstance(v, paddle.Tensor)
    assert type(v).__name__ == "Tensor"
    assert (v.inplace_version, v.stop_gradient) == (1, True)
    assert stale.is_stale(v)  # neither asked for its value
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
def test_a_stale_tensor_is_read_by_whoever_looks(look):
    y, v = stale_view()
    found = look(v)
    assert found.tolist() == [2.0, 4.0]
    assert type(found) is type(v) is paddle.Tensor


def test_a_stale_tensor_is_saved(tmp_path):
    y, v = stale_view()
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
    y, v = stale_view()
    total = jax.jit(lambda a: a + v._array)(jax.numpy.ones(2))
    assert total.tolist() == [3.0, 5.0]
    assert v.tolist() == [2.0, 4.0]


def test_a_stale_tensor_read_in_other_modes():
    """Whether its history is recorded was said when it was written."""
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
    x, y = made([[1, 2], [3, 4]])
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


def test_retained_gradients_move_along():
    x, y = made([1, 2, 3])
    v = y[:2]
    y.retain_grads()
    v.retain_grads()
    y.scale_(2.0)
    (v * 3).sum().backward()
    assert v.grad.tolist() == [3.0, 3.0]
    assert y.grad.tolist() == [3.0, 3.0, 0.0]


def test_second_order_through_a_view():
    x = leaf([1, 2, 3])
    y = x * 1
    y[:2].multiply_(x[1:])
    (g,) = paddle.grad((y * y).sum(), x, create_graph=True)
    (h,) = paddle.grad(g.sum(), x)

    def pure(a):
        b = a.at[:2].multiply(a[1:])
        return (b * b).sum()

    expected = jax.hessian(pure)(x._array).sum(0)
    np.testing.assert_allclose(h.numpy(), expected, rtol=1e-6)


# ---- memory and threads


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
    assert len(y._storage.sharers) <= 2 * memory.PURGE_MASK
    for _ in range(300):
        y[1:3].zero_()
    assert len(y._storage.sharers) <= 2 * memory.PURGE_MASK
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


def test_stale_views_that_die_let_their_base_go():
    y, v = stale_view()
    alive = weakref.ref(y)
    del y
    gc.collect()
    assert alive() is not None  # v is read out of it
    del v
    gc.collect()
    assert alive() is None


def test_threads_read_one_stale_view():
    x, y = made(np.arange(1000))
    for _ in range(20):
        views = [y[i:] for i in range(8)]
        y.scale_(1.0, 1.0)
        found = []
        threads = [
            threading.Thread(target=lambda: found.append([v[0].item() for v in views]))
            for _ in range(4)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert len(found) == 4
        assert all(each == found[0] for each in found)


def test_threads_make_the_first_view_at_once():
    for _ in range(50):
        y = paddle.ones([4])
        views, start = [], threading.Barrier(4)

        def make(y=y, views=views, start=start):
            start.wait()
            views.append(y[:2])

        threads = [threading.Thread(target=make) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        y.zero_()
        assert [v.tolist() for v in views] == [[0.0, 0.0]] * 4
