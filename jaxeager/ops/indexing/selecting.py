"""Choosing elements by a condition: where and masks.

The length of ``masked_select``'s output depends on values and is computed on the host, so it waits
for its input.
"""

import math
from typing import TYPE_CHECKING

import jax.numpy as jnp
import numpy as np

from jaxeager.arrays.as_array import on_device
from jaxeager.core.symbolic import broadcast_shapes
from jaxeager.errors import InvalidArgumentError
from jaxeager.ops.call.dispatch import raw, scalar_of_dtype, wrap
from jaxeager.ops.indexing.positions import nonzero
from jaxeager.ops.register import composite, op
from jaxeager.ops.row import ROWS
from jaxeager.ops.rules.promotion import NUMBERS, number_dtype
from jaxeager.ops.rules.samples import WITH_COMPLEX, BadInput, Sample, values

if TYPE_CHECKING:
    from jaxeager.core.types import Number
    from jaxeager.tensor.tensor import Tensor


def check_mask(mask) -> None:
    """Check that a mask holds truth values.

    Raises:
        ValueError: when it does not.
    """
    if mask.dtype != np.bool_:
        raise ValueError(f"the mask must be a bool tensor, but has dtype {mask.dtype.name}.")


# ---- where


def where_forward(condition, x, y):
    """Take x where the condition is true, y elsewhere."""
    return jnp.where(condition, x, y)


def where_vjp(condition, dout):
    """Return the gradient of each operand: dout where it was taken, 0 elsewhere."""
    zero = jnp.zeros((), dout.dtype)
    return jnp.where(condition, dout, zero), jnp.where(condition, zero, dout)


def where_samples():
    """Yield equal shapes, broadcasting, 0-D and zero-size."""
    condition = np.array([[True, False, True], [False, True, True]])
    yield Sample(condition, values((2, 3)), values((2, 3), seed=1))
    yield Sample(condition[0], values((2, 1)), values((), seed=1))
    yield Sample(np.array(True), values(()), values((), seed=1))
    yield Sample(np.zeros((0, 3), bool), values((0, 3)), values((0, 3), seed=1))


def where_errors():
    """Yield shapes that do not broadcast."""
    bad = np.array([True, False]), np.ones((2, 3)), np.ones((2, 3))
    yield BadInput(bad, {}, InvalidArgumentError, "where")


_where = op(
    "where",
    where_forward,
    vjp=where_vjp,
    saves="condition",
    shapes="x y",
    nondiff="condition",
    promote="strict",
    broadcast=True,
    public=None,
    reference="numpy.where",
    samples=where_samples,
    errors=where_errors,
    formula="dx = dout where condition, else 0; dy = 0 where condition, else dout",
    doc="Take elements of x where a condition is true, of y elsewhere.",
    dtypes=WITH_COMPLEX,
)


@composite()
def where(
    condition: "Tensor",
    x: "Tensor | Number | None" = None,
    y: "Tensor | Number | None" = None,
    name: str | None = None,
) -> "Tensor":
    """Return the elements of ``x`` where a condition is true and of ``y`` elsewhere.

    Args:
        condition: bool tensor.
        x: tensor or number, broadcast against the others.
        y: tensor or number, broadcast against the others.
        name: accepted for compatibility.

    Returns:
        Tensor of the common shape; without ``x`` and ``y``, the result of
        ``nonzero(condition, as_tuple=True)``.

    Raises:
        InvalidArgumentError: when the condition is not bool, or only one of ``x`` and ``y`` is
            given.

    Example:
        >>> import jaxeager as paddle
        >>> x = paddle.to_tensor([-1.0, 2.0])
        >>> paddle.where(x > 0, x, 0.0).tolist()
        [0.0, 2.0]
    """
    if x is None and y is None:
        return nonzero(condition, as_tuple=True)
    return _where(*_where_operands(condition, x, y))


@composite()
def where_(
    condition: "Tensor",
    x: "Tensor | None" = None,
    y: "Tensor | Number | None" = None,
    name: str | None = None,
) -> "Tensor":
    """Write ``where(condition, x, y)`` into ``x`` and return it.

    ``condition`` is a bool tensor and ``y`` a tensor or number; both broadcast to the shape of
    ``x``.

    Example:
        >>> import jaxeager as paddle
        >>> x = paddle.to_tensor([-1.0, 2.0])
        >>> paddle.where_(x > 0, x, paddle.zeros([2])) is x, x.tolist()
        (True, [0.0, 2.0])
    """
    condition, _, y = _where_operands(condition, x, y)
    return _where_into.row.inplace_function(x, condition, y)


def where_into_forward(x, condition, y):
    """Keep x where the condition is true, take y elsewhere."""
    return jnp.where(condition, x, y)


def where_into_samples():
    """Yield the samples of where, with x first."""
    for sample in where_samples():
        condition, x, y = sample.inputs
        yield Sample(x, condition, y)


def where_into_reference(x, condition, y):
    """Use NumPy's where."""
    return np.where(condition, x, y)


_where_into = op(
    "where_into",
    where_into_forward,
    vjp=where_vjp,
    saves="condition",
    shapes="x y",
    nondiff="condition",
    broadcast=True,
    inplace=True,
    public=None,
    grad_name="WhereGradNode",
    reference=where_into_reference,
    samples=where_into_samples,
    formula="dx = dout where condition, else 0; dy = 0 where condition, else dout",
    doc="The same as where with x first, which is the tensor where_ writes into.",
    dtypes=WITH_COMPLEX,
)


def _where_operands(condition, x, y) -> tuple:
    """Return condition, x and y as tensors of one shape; a broadcast operand records expand."""
    if x is None or y is None:
        raise InvalidArgumentError("where: give both x and y, or neither of them.")
    if raw(condition).dtype != np.bool_:
        raise InvalidArgumentError(
            "The `condition` is expected to be a boolean Tensor, but got a Tensor with dtype "
            f"{condition.dtype}."
        )
    of_bools = all(type(each) is bool or getattr(each, "dtype", 0) == np.bool_ for each in (x, y))
    x, y = _tensor_of(x, of_bools), _tensor_of(y, of_bools)
    shapes = condition._array.shape, x._array.shape, y._array.shape
    if shapes[0] == shapes[1] == shapes[2]:
        return condition, x, y
    try:
        shape = broadcast_shapes(*shapes)
    except ValueError:
        raise InvalidArgumentError(
            "where: condition, x and y must broadcast against each other, but have the shapes "
            f"{', '.join(str(list(each)) for each in shapes)}."
        ) from None
    expand = ROWS["expand"].function
    return tuple(
        each if old == shape else expand(each, shape)
        for each, old in zip((condition, x, y), shapes, strict=True)
    )


def _tensor_of(value, of_bools: bool):
    """Return a number as a 0-D tensor of the default dtype, or int64 for an int.

    A bool next to bools is a bool, and a number of NumPy that is no Python number keeps its dtype.
    """
    if type(value) in NUMBERS:
        dtype = number_dtype(value, np.dtype("int64"))
        if of_bools:
            dtype = np.dtype(bool)
        elif type(value) is np.float64:
            dtype = np.dtype("float64")
        return wrap(scalar_of_dtype(value, dtype))
    return value


# ---- masks


def masked_select_forward(x, mask, places):
    """Take the elements at flat positions, those where the mask is true."""
    shape = jnp.broadcast_shapes(x.shape, mask.shape)
    return jnp.broadcast_to(x, shape).reshape(-1)[places]


def masked_select_vjp(x, mask, places, dout):
    """Write the gradient back at the positions of the selected elements."""
    shape = jnp.broadcast_shapes(x.shape, mask.shape)
    flat = jnp.zeros(math.prod(shape), dout.dtype)
    return flat.at[places].set(dout, unique_indices=True).reshape(shape)


def masked_select_reference(x, mask, places):
    """Use NumPy's boolean indexing."""
    x, mask = np.broadcast_arrays(x, mask)
    return x[mask]


def masked_select_samples():
    """Yield equal shapes, broadcasting on either side, nothing selected."""
    mask = np.array([[True, False, True], [False, True, True]])
    yield Sample(values((2, 3)), mask, np.flatnonzero(mask))
    yield Sample(values((2, 3)), mask[:1], np.array([0, 2, 3, 5]))
    yield Sample(values((3,)), mask, np.flatnonzero(mask))
    yield Sample(values((2, 3)), np.zeros((2, 3), bool), np.zeros(0, np.int64))


_masked_select = op(
    "masked_select",
    masked_select_forward,
    vjp=masked_select_vjp,
    saves="mask places",
    shapes="x",
    nondiff="mask places",
    broadcast=True,
    public=None,
    reference=masked_select_reference,
    samples=masked_select_samples,
    formula="dx = dout, put where x was read: 0 where the mask is false",
    doc="Take the elements where a mask is true.",
    dtypes=WITH_COMPLEX,
)


@composite()
def masked_select(x: "Tensor", mask: "Tensor", name: str | None = None) -> "Tensor":
    """Return the elements of a tensor where a mask is true, as a vector.

    Its length depends on the mask, so this waits for the mask and compiles once per length.

    Args:
        x: tensor of any shape.
        mask: bool tensor; both are broadcast against each other.
        name: accepted for compatibility.

    Returns:
        1-D Tensor.

    Example:
        >>> import jaxeager as paddle
        >>> x = paddle.to_tensor([1.0, 2.0, 3.0])
        >>> paddle.masked_select(x, x > 1.5).tolist()
        [2.0, 3.0]
    """
    host = mask.numpy()
    if host.dtype != np.bool_:
        raise InvalidArgumentError(
            f"masked_select: the mask must be a bool tensor, but has dtype {mask.dtype}."
        )
    if host.shape != x._array.shape:
        try:
            shape = np.broadcast_shapes(x._array.shape, host.shape)
        except ValueError:
            raise InvalidArgumentError(
                f"masked_select: x of shape {list(x.shape)} and mask of shape {list(mask.shape)} "
                "do not broadcast against each other."
            ) from None
        host = np.broadcast_to(host, shape)
    return _masked_select(x, mask, on_device(host.ravel().nonzero()[0]))


def masked_fill_forward(x, mask, value):
    """Take value where the mask is true, x elsewhere."""
    check_mask(mask)
    if value.size != 1:
        raise ValueError(f"value must have one element, but has shape {list(value.shape)}.")
    if jnp.iscomplexobj(value) and not jnp.iscomplexobj(x):
        raise ValueError(
            f"value is {value.dtype}, and x is {x.dtype}: the imaginary part would be lost. Give "
            "value.real()."
        )
    return jnp.where(mask, value.reshape(()).astype(x.dtype), x)


def masked_fill_vjp(x, mask, value, dout):
    """Return the gradient of x where it stayed, and for value the sum of the rest."""
    zero = jnp.zeros((), dout.dtype)
    dvalue = jnp.sum(jnp.where(mask, dout, zero), dtype=dout.dtype)
    return jnp.where(mask, zero, dout), dvalue.reshape(value.shape)


def masked_fill_reference(x, mask, value):
    """Use NumPy's where."""
    return np.where(mask, np.reshape(value, ()), x)


def masked_fill_samples():
    """Yield equal shapes, broadcasting on either side, 0-D."""
    mask = np.array([[True, False, True], [False, True, True]])
    yield Sample(values((2, 3)), mask, np.array(0.5))
    yield Sample(values((2, 3)), mask[0], np.array([0.5]))
    yield Sample(values((3,)), mask, np.array(-1.0))
    yield Sample(values(()), np.array(True), np.array(-1.0))


def masked_fill_errors():
    """Yield a mask that does not broadcast or is not bool, and several values."""
    x, mask = np.ones((2, 3)), np.array([True, False, True])
    wrong = np.array([True, False])
    yield BadInput((x, wrong, np.array(1.0)), {}, InvalidArgumentError, "masked_fill")
    yield BadInput((x, np.ones(3), np.array(1.0)), {}, InvalidArgumentError, "a bool tensor")
    yield BadInput((x, mask, np.ones(3)), {}, InvalidArgumentError, "must have one element")
    yield BadInput((x, mask, np.array(1j)), {}, InvalidArgumentError, "the imaginary part")


_masked_fill = op(
    "masked_fill",
    masked_fill_forward,
    vjp=masked_fill_vjp,
    saves="mask",
    shapes="x value",
    nondiff="mask",
    broadcast=True,
    inplace=True,
    public=None,
    reference=masked_fill_reference,
    samples=masked_fill_samples,
    errors=masked_fill_errors,
    formula="dx = dout where not mask, else 0; dvalue = dout where mask, else 0",
    doc="Take a value where a mask is true, x elsewhere.",
    dtypes=WITH_COMPLEX,
)


@composite()
def masked_fill(
    x: "Tensor", mask: "Tensor", value: "Number | Tensor", name: str | None = None
) -> "Tensor":
    """Return a tensor with a value written where a mask is true.

    In Paddle, the gradient of a value given as a tensor is 0. Here it is the sum of the gradient
    over the places where it was written.

    Args:
        x: tensor of any shape.
        mask: bool tensor; both are broadcast against each other.
        value: number, or tensor of one element.
        name: accepted for compatibility.

    Returns:
        Tensor of the common shape.

    Example:
        >>> import jaxeager as paddle
        >>> x = paddle.to_tensor([1.0, 2.0, 3.0])
        >>> paddle.masked_fill(x, x > 1.5, 0.0).tolist()
        [1.0, 0.0, 0.0]
    """
    return _masked_fill(x, raw(mask), _fill_value(x, value))  # a later write to the mask is fine


@composite()
def masked_fill_(
    x: "Tensor", mask: "Tensor", value: "Number | Tensor", name: str | None = None
) -> "Tensor":
    """Write a value into ``x`` where a mask is true and return ``x``; see ``masked_fill``.

    Example:
        >>> import jaxeager as paddle
        >>> x = paddle.to_tensor([1.0, 2.0, 3.0])
        >>> x.masked_fill_(x > 1.5, 0.0).tolist()
        [1.0, 0.0, 0.0]
    """
    return ROWS["masked_fill"].inplace_function(x, raw(mask), _fill_value(x, value))


def _fill_value(x, value):
    if type(value) in NUMBERS:
        return scalar_of_dtype(value, x._array.dtype)
    return value
