"""detach, data, no_grad and leaves: shared memory without shared history; custom strides."""

import pytest

import jaxeager as paddle
from jaxeager.errors import InvalidArgumentError
from tests.support.leaves import leaf
from tests.support.views import grad_of, made

LEAF_ERROR = r"that doesn't stop gradient can't use inplace strategy, and this tensor is a view"


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
    _x, y = made([1, 2, 3])
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


def test_elements_that_no_view_has_stay_in_the_base():
    """Siblings of a detached tensor that died do not cover all of the memory."""
    _x, y = made([1, 2, 3, 4])
    d = y.detach()
    first, second = d[:2], d[1:3]
    del d
    first.multiply_(leaf([3, 5]))
    assert (y.tolist(), second.tolist()) == ([6.0, 20.0, 6.0, 8.0], [20.0, 6.0])
    second.zero_()
    assert (y.tolist(), first.tolist()) == ([6.0, 0.0, 0.0, 8.0], [6.0, 0.0])


def test_two_groups_of_a_base_that_changed_its_shape():
    """One ghost represents both."""
    x, y = made([1, 2])
    part, apart = y[0], y.detach()
    y.unsqueeze_(0)
    y.scale_(3.0)
    part.scale_(5.0)
    assert (apart.tolist(), y.tolist()) == ([30.0, 12.0], [[30.0, 12.0]])
    (y.sum() + part).backward()
    assert grad_of(x) == [60.0, 6.0]


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
    """A view that was to be read again is read before its base gets other data."""
    y = paddle.to_tensor([1.0, 2.0])
    v = y[:1]
    y.scale_(2.0)
    y.data = paddle.to_tensor([7.0, 8.0])
    assert v.tolist() == [2.0]
    y.zero_()
    assert v.tolist() == [2.0]


def test_detach_in_place_cuts_a_view():
    _x, y = made([1, 2])
    v = y[:1]
    v.detach_()
    y.scale_(3.0)
    assert v.tolist() == [6.0]
    assert v.stop_gradient


def test_a_base_that_was_detached_takes_its_views_along():
    """Values read from it after the next write have no history either."""
    _x, y = made([1, 2])
    v = y[:1]
    y.detach_()
    y.scale_(3.0)
    assert v.tolist() == [6.0]
    assert v.stop_gradient


def test_a_view_whose_stop_gradient_was_set():
    """It stays so when others are written; values written through it are constants."""
    x, y = made([1, 2])
    v, whole = y[:1], y.reshape([2, 1])
    v.stop_gradient = whole.stop_gradient = True
    y.scale_(2.0)
    assert (v.tolist(), v.stop_gradient) == ([4.0], True)
    v.scale_(2.0)
    y.sum().backward(retain_graph=True)
    assert (y.tolist(), grad_of(x)) == ([8.0, 8.0], [0.0, 4.0])
    whole.scale_(2.0)
    assert (y.tolist(), y.stop_gradient) == ([16.0, 16.0], True)


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
    with pytest.raises(
        InvalidArgumentError,
        match=r"Leaf Var \(weight\) .* or write to a copy",
    ):
        x[0:1].scale_(2.0)
    with pytest.raises(
        InvalidArgumentError,
        match=r"Leaf Tensor \(weight\) .* write to a copy",
    ):
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


# ---- contiguous, as_strided, narrow, view


def test_contiguous():
    x, y = made([[1, 2], [3, 4]])
    assert y.contiguous() is y
    turned, other = y.T, y.T
    node = turned.grad_fn
    y.scale_(2.0)
    assert not turned.is_contiguous()
    assert turned.contiguous() is turned
    assert turned.is_contiguous()
    turned.zero_()
    assert y.tolist() == other.T.tolist() == [[4.0, 8.0], [12.0, 16.0]]
    assert (y.inplace_version, turned.inplace_version) == (1, 1)
    assert node.name() == "TransposeGradNode"
    other.sum().backward()
    assert grad_of(x) == [[4.0, 4.0], [4.0, 4.0]]


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
    with pytest.raises(InvalidArgumentError, match="whose memory it shows no longer exists"):
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
