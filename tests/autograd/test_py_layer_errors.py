"""Each incorrect use of a PyLayer: the class of the error and its text."""

import numpy as np
import pytest

import jaxeager as paddle
from jaxeager.autograd import PyLayer
from tests.support.leaves import leaf


def error_of(backward, *inputs, forward=lambda ctx, x, *others: x * 2):
    """Return the error that backward() raises for a PyLayer P of one output."""
    methods = {"forward": staticmethod(forward), "backward": staticmethod(backward)}
    out = type("P", (PyLayer,), methods).apply(*inputs)
    with pytest.raises(Exception) as error:  # noqa: PT011 - the callers look at it
        out.backward()
    return error.value


def check(error, kind, text):
    assert isinstance(error, kind)
    assert str(error).startswith(text)
    assert error.__notes__ == ["[GradNode < GradNodePyLayer_P > error]"]


# ---- how many


def test_too_many_gradients():
    check(
        error_of(lambda ctx, grad: (grad, grad, grad), leaf(1.0), leaf(1.0)),
        ValueError,
        "(InvalidArgument) GradNodePyLayer_P : The number of outputs of `PyLayer.backward` should "
        "be 2, but received 3. It returns one gradient per argument of apply() that is a Tensor or "
        "a list of Tensors, and none for others.",
    )


def test_none_for_an_argument_that_is_no_tensor():
    check(
        error_of(lambda ctx, grad: (grad, None), leaf(1.0), 3),
        ValueError,
        "(InvalidArgument) GradNodePyLayer_P : The number of outputs of `PyLayer.backward` should "
        "be 1, but received 2.",
    )


def test_too_few_gradients():
    check(
        error_of(lambda ctx, grad: grad, leaf(1.0), leaf(1.0)),
        ValueError,
        "(InvalidArgument) GradNodePyLayer_P's backward function should not return empty at 1 "
        "position. It returned 1 gradients for 2 arguments; return None for an argument "
        "without one.",
    )


def test_no_gradients_at_all():
    check(
        error_of(lambda ctx, grad: (), leaf(1.0)),
        ValueError,
        "(InvalidArgument) GradNodePyLayer_P's backward function should not return empty at 0 "
        "position. It returned 0 gradients for 1 arguments",
    )


def test_a_missing_list():
    check(
        error_of(lambda ctx, grad: grad, leaf(1.0), [leaf(1.0)]),
        ValueError,
        "(InvalidArgument) GradNodePyLayer_P's backward function should not return empty at 1",
    )


# ---- for whom


def test_a_gradient_for_a_tensor_that_stops_it():
    check(
        error_of(lambda ctx, grad: (grad, grad), leaf(1.0, stop_gradient=True), leaf(1.0)),
        ValueError,
        "(InvalidArgument) GradNodePyLayer_P's backward function should return None at 0 position, "
        "because it's forward Tensor's stopgradient is true.",
    )


@pytest.mark.parametrize("second_stops", [True, False])
def test_gradients_for_a_list_whose_first_tensor_stops_them(second_stops):
    check(
        error_of(
            lambda ctx, grad: (grad, [grad, grad]),
            leaf(1.0), [leaf(1.0, stop_gradient=True), leaf(1.0, stop_gradient=second_stops)],
        ),
        ValueError,
        "(InvalidArgument) GradNodePyLayer_P's backward function should return None at 1 position, "
        "because it's forward Tensor's stopgradient is true. (The first Tensor of a list "
        "decides.)",
    )  # fmt: skip


# ---- kinds


@pytest.mark.parametrize(
    ("returned", "kind"),
    [(3, "int"), ([None], "list"), (1.5, "float"), ({}, "dict"), (np.ones(1), "numpy.ndarray")],
)
def test_something_else_than_a_tensor(returned, kind):
    check(
        error_of(lambda ctx, grad: returned, leaf(1.0)),
        ValueError,
        "(InvalidArgument) GradNodePyLayer_P : We can only support Tensor or None for backward "
        f"output, , but got {kind}, please check your PyLayer code and make it fits. It was "
        "returned at 0 position.",
    )


def test_a_list_where_a_tuple_is_meant():
    check(
        error_of(lambda ctx, grad: [grad, grad], leaf(1.0), leaf(1.0)),
        ValueError,
        "(InvalidArgument) GradNodePyLayer_P : We can only support Tensor or None for backward "
        "output, , but got list, please check your PyLayer code and make it fits",
    )


@pytest.mark.parametrize(("returned", "kind"), [(None, "NoneType"), (3, "int")])
def test_no_list_for_a_list(returned, kind):
    check(
        error_of(lambda ctx, grad: (grad, returned), leaf(1.0), [leaf(1.0), leaf(1.0)]),
        ValueError,
        f"(InvalidArgument) argument must be list or tuple, but got {kind}: GradNodePyLayer_P's "
        "backward function should return a list at 1 position, a Tensor or None for each of the 2 "
        "Tensors in the list that forward was given.",
    )


@pytest.mark.parametrize("count", [1, 3])
def test_a_list_of_another_length(count):
    check(
        error_of(lambda ctx, grad: (grad, [grad] * count), leaf(1.0), [leaf(1.0), leaf(1.0)]),
        ValueError,
        "(InvalidArgument) GradNodePyLayer_P's backward function should return a list of 2 "
        "gradients at 1 position, one per Tensor in the list that forward was given, but received "
        f"{count}.",
    )


def test_something_else_than_a_tensor_in_a_list():
    check(
        error_of(lambda ctx, grad: (grad, [grad, 3]), leaf(1.0), [leaf(1.0), leaf(1.0)]),
        ValueError,
        "(InvalidArgument) argument must be list of Tensor, but got int at pos 1: "
        "GradNodePyLayer_P's backward function returned that list at 1 position.",
    )


# ---- shapes and dtypes


def test_another_shape():
    check(
        error_of(lambda ctx, grad: paddle.ones([3]), leaf([1.0])),
        ValueError,
        "(InvalidArgument) GradNodePyLayer_P's backward function returned a gradient of shape [3] "
        "at 0 position, but the forward Tensor has shape [1].",
    )


def test_a_shape_that_would_broadcast():
    check(
        error_of(lambda ctx, grad: grad.sum(), leaf([1.0, 2.0]), forward=lambda ctx, x: x.sum()),
        ValueError,
        "(InvalidArgument) GradNodePyLayer_P's backward function returned a gradient of shape [] "
        "at 0 position, but the forward Tensor has shape [2].",
    )


def test_another_shape_in_a_list():
    check(
        error_of(
            lambda ctx, grad: (grad, [grad, paddle.ones([1, 2])]),
            leaf(1.0), [leaf(1.0), leaf([1.0, 2.0])],
        ),
        ValueError,
        "(InvalidArgument) GradNodePyLayer_P's backward function returned a gradient of shape "
        "[1, 2] at 1 position, element 1, but the forward Tensor has shape [2].",
    )  # fmt: skip


def test_a_dtype_that_the_input_cannot_hold():
    check(
        error_of(lambda ctx, grad: grad.astype("complex64"), leaf(1.0)),
        TypeError,
        "(InvalidType) GradNodePyLayer_P's backward function returned a gradient of dtype "
        "complex64 at 0 position, but the forward Tensor has dtype float32, which cannot hold it. "
        "Cast it on purpose, for example with real() or astype().",
    )


@pytest.mark.parametrize("dtype", ["float16", "bfloat16", "float64", "int32", "bool"])
def test_dtypes_that_the_input_can_hold(dtype):
    class P(PyLayer):
        @staticmethod
        def forward(ctx, x):
            return x * 2

        @staticmethod
        def backward(ctx, grad):
            return paddle.ones_like(grad).astype(dtype)

    x = leaf(1.0)
    P.apply(x).backward()
    assert (x.grad.item(), x.grad.dtype) == (1.0, paddle.float32)


# ---- forward


@pytest.mark.parametrize(
    ("returned", "text"),
    [
        (3, "int"), (None, "NoneType"), ((), r"tuple of \[\]"), ({"x": 1}, "dict"),
        ((1, None), r"tuple of \['int', 'NoneType'\]"), ([[]], r"list of \['list'\]"),
    ],
)  # fmt: skip
@pytest.mark.parametrize("stops", [True, False])
def test_no_tensor_among_the_outputs(returned, text, stops):
    p = type("P", (PyLayer,), {"forward": staticmethod(lambda ctx, x: returned)})
    with pytest.raises(
        ValueError,
        match=rf"P : At least one output of `PyLayer.forward` is a `Tensor`. It returned {text}; "
        "return a Tensor, or a tuple or list with one.",
    ):
        p.apply(leaf(1.0, stop_gradient=stops))


def test_no_forward():
    with pytest.raises(NotImplementedError, match="must implement the forward function for PyL"):
        PyLayer.apply(leaf(1.0))


def test_no_backward():
    p = type("P", (PyLayer,), {"forward": staticmethod(lambda ctx, x: x * 2)})
    with pytest.raises(NotImplementedError, match="must implement the backward function for PyL"):
        p.apply(leaf(1.0)).backward()


def test_a_leaf_that_was_written_in_place():
    p = type("P", (PyLayer,), {"forward": staticmethod(lambda ctx, x: x)})
    with pytest.raises(
        ValueError,
        match=r"can't use inplace strategy. `PyLayer.forward` returned this input, which means "
        "that it was written in place; call ctx.mark_not_inplace on it, or return a copy.",
    ):
        p.apply(leaf(1.0))


def test_a_view_of_a_leaf_that_was_written_in_place():
    p = type("P", (PyLayer,), {"forward": staticmethod(lambda ctx, x: x)})
    x = leaf([1.0, 2.0])
    x.name = "weight"
    view = x[0:1]
    with pytest.raises(ValueError, match=r"P : Leaf Var \(weight\).*this tensor is a view of it"):
        p.apply(view)
    assert (x.inplace_version, view.grad_fn.name()) == (0, "SliceGradNode")


# ---- the context


def test_an_attribute_that_was_not_set():
    p = type("P", (PyLayer,), {"forward": staticmethod(lambda ctx, x: ctx.scale)})
    with pytest.raises(
        AttributeError,
        match="'P_backward' object has no attribute 'scale'. Set it on ctx in forward, or save "
        r"tensors with ctx.save_for_backward\(...\).",
    ):
        p.apply(leaf(1.0))


@pytest.mark.parametrize(
    ("method", "text"),
    [
        ("set_materialize_grads", "set_materialize_grads takes a bool, but got int."),
        ("set_grad_in_dtype_consistent", "set_grad_in_dtype_consistent takes a bool, but got int."),
    ],
)
def test_flags_that_are_no_bool(method, text):
    p = type("P", (PyLayer,), {"forward": staticmethod(lambda ctx, x: getattr(ctx, method)(1))})
    with pytest.raises(TypeError, match=text):
        p.apply(leaf(1.0))
