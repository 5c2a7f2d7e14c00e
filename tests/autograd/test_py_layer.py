"""PyLayer: its inputs and outputs, the operands and results of backward, graphs, orders."""

import pytest

import jaxeager as paddle
from tests.support.leaves import leaf
from tests.support.py_layers import layer

# ---- inputs


def test_only_tensors_and_lists_of_tensors_are_inputs():
    seen = []

    def forward(ctx, x, number, mapping, nested, mixed, text, *, y, empty):
        seen.extend([number, mapping, nested, text, empty])
        return x * y * mixed[1]

    product = layer(forward, lambda ctx, grad: (grad, [grad * 2], grad * 3))
    x, y, z, hidden = leaf(2.0), leaf(3.0), leaf(5.0), leaf(7.0)
    out = product.apply(x, 3, {"a": hidden}, [[hidden]], [1, z, None], "text", y=y, empty=[])
    out.backward()
    assert seen == [3, {"a": hidden}, [[hidden]], "text", []]
    assert [t.grad.item() for t in (x, z, y)] == [1.0, 2.0, 3.0]
    assert hidden.grad is None
    assert [node.name() for node in out.grad_fn.next_functions] == ["GradNodeAccumulation"] * 3


def test_keyword_arguments_follow_in_the_order_of_the_call():
    p = layer(lambda ctx, x, y: x * y, lambda ctx, grad: (grad * 10, grad * 20))
    x, y = leaf(1.0), leaf(1.0)
    p.apply(y=y, x=x).backward()
    assert [x.grad.item(), y.grad.item()] == [20.0, 10.0]


def test_the_same_tensor_twice_gets_the_sum():
    p = layer(lambda ctx, x, y: x * y, lambda ctx, grad: (grad, grad * 10))
    x = leaf(2.0)
    p.apply(x, x).backward()
    assert x.grad.item() == 11.0


def test_inputs_arrive_as_they_are_and_unrecorded():
    given = []

    def forward(ctx, x):
        given.append((x, x.stop_gradient, paddle.is_grad_enabled()))
        return x * 2

    x = leaf(1.0)
    layer(forward).apply(x)
    assert given[0][0] is x
    assert given[0][1:] == (False, False)


def test_without_a_wanted_gradient_nothing_is_recorded():
    p = layer(lambda ctx, x: x * 2, lambda ctx, grad: grad)
    assert p.apply(leaf(1.0, stop_gradient=True)).grad_fn is None
    with paddle.no_grad():
        assert p.apply(leaf(1.0)).stop_gradient


def test_an_instance_can_apply_but_not_be_called():
    p = layer(lambda ctx, x: x * 2)()
    assert p.apply(leaf(1.0)).item() == 2.0
    with pytest.raises(TypeError, match="not callable"):
        p(leaf(1.0))


# ---- outputs


def test_other_outputs_pass_through():
    marker = object()
    p = layer(lambda ctx, x: (x * 2, None, "s", marker, {"a": 1}), lambda ctx, grad: grad)
    out = p.apply(leaf(1.0))
    assert out[1:] == (None, "s", marker, {"a": 1})
    assert out[0].grad_fn.name() == "GradNodePyLayer_P"


@pytest.mark.parametrize("kind", [list, tuple])
def test_a_list_or_tuple_of_outputs_gives_backward_one_gradient_each(kind):
    seen = []

    def backward(ctx, *grads):
        seen.append([grad.item() for grad in grads])
        return grads[0] + grads[1]

    p = layer(lambda ctx, x: kind([x * 2, x * 3]), backward)
    x = leaf(1.0)
    a, b = out = p.apply(x)
    (a * 5 + b * 7).backward()
    assert type(out) is kind
    assert seen == [[5.0, 7.0]]
    assert x.grad.item() == 12.0


def test_a_list_among_the_outputs_is_one_tuple_of_gradients():
    seen = []

    def backward(ctx, first, several):
        seen.append((type(several), [grad.item() for grad in several]))
        return first + several[0] * 10 + several[1] * 100

    p = layer(lambda ctx, x: (x * 2, [x * 3, "text", x * 4]), backward)
    x = leaf(1.0)
    a, (b, text, c) = p.apply(x)
    assert text == "text"
    (a + b * 2 + c * 3).backward()
    assert seen == [(tuple, [2.0, 3.0])]
    assert x.grad.item() == 1.0 + 20.0 + 300.0


def test_an_output_returned_twice_is_two_outputs():
    def forward(ctx, x):
        y = x * 2
        return y, y

    p = layer(forward, lambda ctx, a, b: a + b * 10)
    x = leaf(1.0)
    a, b = p.apply(x)
    (a + b * 3).backward()
    assert x.grad.item() == 31.0


def test_stop_gradient_set_in_forward_is_undone():
    def forward(ctx, x):
        y = x * 2
        y.stop_gradient = True
        return y

    assert layer(forward, lambda ctx, grad: grad).apply(leaf(1.0)).stop_gradient is False


def test_a_tensor_with_a_history_keeps_it():
    """A result computed in forward with recording on can be differentiated in backward."""

    def forward(ctx, x):
        inner = x.detach()
        inner.stop_gradient = False
        with paddle.enable_grad():
            y = inner * inner
        ctx.inner = (inner, y)
        return y

    def backward(ctx, grad):
        inner, y = ctx.inner
        assert y.grad_fn.name() == "MultiplyGradNode"
        return paddle.grad(y, inner, grad)[0]

    x = leaf(3.0)
    y = layer(forward, backward).apply(x)
    assert y.grad_fn.name() == "GradNodePyLayer_P"
    y.backward()
    assert x.grad.item() == 6.0


def test_a_parameter_that_is_returned_keeps_its_own_graph():
    w = paddle.nn.Parameter(paddle.ones([1]))
    out = layer(lambda ctx, x: w, lambda ctx, grad: grad * 2).apply(leaf([1.0]))
    assert out is not w
    assert w.is_leaf
    assert out.grad_fn.name() == "GradNodePyLayer_P"


def test_a_view_of_an_input_is_an_ordinary_output():
    p = layer(lambda ctx, x: x[0:1], lambda ctx, grad: paddle.concat([grad, grad * 0]) * 3)
    x = leaf([1.0, 2.0])
    y = p.apply(x)
    assert (x.inplace_version, x.grad_fn.name()) == (0, "GradNodeAccumulation")
    y.backward()
    assert x.grad.tolist() == [3.0, 0.0]


def test_a_detached_input_is_an_ordinary_output():
    p = layer(lambda ctx, x: x.detach(), lambda ctx, grad: grad * 3)
    x = leaf([1.0])
    p.apply(x).backward()
    assert (x.grad.tolist(), x.is_leaf, x.inplace_version) == ([3.0], True, 0)


# ---- in place


def test_returning_an_input_means_it_was_written_in_place():
    p = layer(lambda ctx, x: x, lambda ctx, grad: grad * 3)
    x = leaf(1.0)
    a = x * 2
    y = p.apply(a)
    assert y is a
    assert (a.inplace_version, a.grad_fn.name()) == (1, "GradNodePyLayer_P")
    y.backward()
    assert x.grad.item() == 6.0


def test_writing_an_input_in_forward_counts_as_well():
    def forward(ctx, x):
        x.scale_(2.0)
        return x

    x = leaf(1.0)
    a = x * 2
    y = layer(forward, lambda ctx, grad: grad * 2).apply(a)
    assert (y is a, y.inplace_version, y.item()) == (True, 2, 4.0)
    y.backward()
    assert x.grad.item() == 4.0


def test_a_leaf_cannot_be_written_in_place():
    p = layer(lambda ctx, x: x, lambda ctx, grad: grad)
    x = leaf(1.0)
    x.name = "weight"
    with pytest.raises(
        ValueError, match=r"P : Leaf Var \(weight\) that doesn't stop gradient can't use inplace"
    ):
        p.apply(x)
    assert (x.is_leaf, x.inplace_version) == (True, 0)


def test_a_constant_that_is_returned_becomes_part_of_the_graph():
    p = layer(lambda ctx, c, x: c, lambda ctx, grad: (None, grad * 5))
    c, x = leaf(1.0, stop_gradient=True), leaf(1.0)
    assert p.apply(c, x) is c
    c.backward()
    assert x.grad.item() == 5.0


def test_views_follow_an_input_that_was_written_in_place():
    def forward(ctx, x):
        x.scale_(10.0)
        return x

    p = layer(forward, lambda ctx, grad: grad * 10)
    x = leaf([1.0, 2.0])
    a = x * 1
    view = a[0:1]
    p.apply(a)
    assert view.tolist() == [10.0]
    view.backward()
    assert x.grad.tolist() == [10.0, 0.0]


def test_the_base_follows_a_view_that_was_written_in_place():
    def forward(ctx, x):
        x.scale_(10.0)
        return x

    p = layer(forward, lambda ctx, grad: grad * 10)
    x = leaf([1.0, 2.0])
    a = x * 1
    p.apply(a[0:1])
    assert a.tolist() == [10.0, 2.0]
    a.sum().backward()
    assert x.grad.tolist() == [10.0, 1.0]


def test_a_tensor_saved_before_the_write_is_stale():
    x = leaf(1.0)
    a = x * 2
    b = a * a
    layer(lambda ctx, t: t, lambda ctx, grad: grad).apply(a)
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        b.backward()


def test_mark_not_inplace_keeps_the_input():
    def forward(ctx, x):
        ctx.mark_not_inplace(x)
        return x

    p = layer(forward, lambda ctx, grad: grad * 3)
    x = leaf([1.0])
    y = p.apply(x)
    assert y is not x
    assert (x.is_leaf, x.inplace_version, y.grad_fn.name()) == (True, 0, "GradNodePyLayer_P")
    y.backward()
    assert x.grad.tolist() == [3.0]
    with paddle.no_grad():
        assert p.apply(x) is not x


def test_mark_not_inplace_shares_memory():
    def forward(ctx, x):
        ctx.mark_not_inplace(x)
        return x

    a = leaf([1.0]) * 1
    y = layer(forward, lambda ctx, grad: grad).apply(a)
    with paddle.no_grad():
        y.add_(paddle.ones([1]))
    assert (a.tolist(), a.inplace_version, y.inplace_version) == ([2.0], 1, 1)
