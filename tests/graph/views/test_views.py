"""Writes through views: the values of the other tensors, and the gradients."""

import numpy as np
import pytest

import jaxeager as paddle
from jaxeager.core import ports
from jaxeager.errors import InvalidArgumentError, PermissionDeniedError
from jaxeager.graph.views import atomic_writes, stale
from jaxeager.graph.views.view_places import add_view
from tests.support.leaves import leaf
from tests.support.views import grad_of, made

# ---- the table of section 5.4: Paddle's errors


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
    """Nothing happens to the others: their node is still the one that created them."""
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


def test_many_writes_before_the_first_read():
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
    """For an element that is written several times the last write stays, and gets the gradient."""
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


# ---- versions


def test_a_write_elsewhere_in_the_memory_is_noticed():
    _x, y = made([1, 2, 3, 4])
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
    """Nothing is written, so the leaf stays unchanged."""
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
    _x, y = made([1, 2, 3])
    v = y[:2]
    before = (y.grad_fn, v.grad_fn)
    with pytest.raises(InvalidArgumentError, match="different from that of inplace"):
        v.add_(paddle.ones([3, 2]))
    with pytest.raises(InvalidArgumentError, match="must match the shape"):
        v[:] = paddle.ones([5])
    assert (y.grad_fn, v.grad_fn) == before
    assert (y.inplace_version, y.tolist()) == (0, [2.0, 4.0, 6.0])


def test_nothing_changes_when_the_others_cannot_follow(monkeypatch):
    _x, y = made([1, 2, 3])
    v = y[:2]
    node = v.grad_fn

    def fail(*args):
        raise MemoryError("no memory left")

    monkeypatch.setattr(ports.view_steps, "write_back", fail)
    with pytest.raises(MemoryError):
        v.scale_(2.0)
    monkeypatch.undo()
    assert v.grad_fn is node
    assert (y.inplace_version, y.tolist(), v.tolist()) == (0, [2.0, 4.0, 6.0], [2.0, 4.0])


def test_a_view_that_another_thread_is_making_is_written_with_the_others():
    """It is among the sharers before it has its AutogradMeta."""
    base = paddle.ones([2])
    view = paddle.Tensor.__new__(paddle.Tensor)
    view._array = base._array
    add_view(view, base, None)
    assert not hasattr(view, "_meta")
    new = paddle.full([2], 5.0)._array
    atomic_writes.write_arrays([base], [new], also=[(base, "name", "written")])
    view._meta = None
    assert base.tolist() == view.tolist() == [5.0, 5.0]
