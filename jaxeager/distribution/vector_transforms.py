"""Transforms of whole events: reshape, softmax, stick breaking."""

from __future__ import annotations

import math
from collections.abc import Sequence

import jaxeager as paddle
from jaxeager.distribution import variable
from jaxeager.distribution.transform_base import Transform, Type
from jaxeager.errors import InvalidArgumentError, InvalidTypeError


class ReshapeTransform(Transform):
    """The transform of events to another shape.

    Args:
        in_event_shape: a sequence of ints.
        out_event_shape: a sequence of ints with the same product.

    Raises:
        InvalidTypeError: when one of the two is not a sequence.
        InvalidArgumentError: when the products differ.

    Paddle: an ``in_event_shape`` or ``out_event_shape`` of () fails in the shapes.

    Example:
        >>> import jaxeager as paddle
        >>> reshape = paddle.distribution.ReshapeTransform((2, 3), (6,))
        >>> reshape.forward(paddle.zeros([4, 2, 3])).shape
        paddle.Size([4, 6])
    """

    _type = Type.BIJECTION

    def __init__(self, in_event_shape: Sequence[int], out_event_shape: Sequence[int]):
        for given in (in_event_shape, out_event_shape):
            if not isinstance(given, (tuple, list)):
                raise InvalidTypeError(
                    "Expected type of 'in_event_shape' and 'out_event_shape' is Sequence[int], but "
                    f"got 'in_event_shape': {in_event_shape}, 'out_event_shape': {out_event_shape}"
                )
        before, after = math.prod(in_event_shape), math.prod(out_event_shape)
        if before != after:
            raise InvalidArgumentError(
                "The numel of 'in_event_shape' should be 'out_event_shape', but got "
                f"{before}!={after}"
            )
        self._in_event_shape, self._out_event_shape = tuple(in_event_shape), tuple(out_event_shape)

    @property
    def in_event_shape(self) -> tuple:
        """Return the shape of an event before the transform."""
        return self._in_event_shape

    @property
    def out_event_shape(self) -> tuple:
        """Return the shape of an event after the transform."""
        return self._out_event_shape

    @property
    def _domain(self):
        return variable.Independent(variable.real, len(self._in_event_shape))

    @property
    def _codomain(self):
        return variable.Independent(variable.real, len(self._out_event_shape))

    def _forward(self, x):
        return x.reshape(list(self._forward_shape(tuple(x.shape))))

    def _inverse(self, y):
        return y.reshape(list(self._inverse_shape(tuple(y.shape))))

    def _forward_shape(self, shape):
        return _exchange(shape, self._in_event_shape, self._out_event_shape)

    def _inverse_shape(self, shape):
        return _exchange(shape, self._out_event_shape, self._in_event_shape)

    def _forward_log_det_jacobian(self, x):
        outside = x.shape[: x.dim() - len(self._in_event_shape)]
        return paddle.zeros(outside, dtype=x.dtype)


def _exchange(shape, old: tuple, new: tuple) -> tuple:
    """Return a shape with another event shape at its end."""
    if len(shape) < len(old):
        raise InvalidArgumentError(
            f"Expected length of 'shape' is not less than {len(old)}, but got {len(shape)}"
        )
    cut = len(shape) - len(old)
    if tuple(shape[cut:]) != old:
        raise InvalidArgumentError(
            f"Event shape mismatch, expected: {old}, but got {tuple(shape[cut:])}"
        )
    return (*shape[:cut], *new)


class SoftmaxTransform(Transform):
    """The transform of vectors to shares of 1; the inverse is one of many, the logarithm.

    Paddle: only the largest element of the first row limits the exponentials, so that other rows
    overflow.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.distribution.SoftmaxTransform().forward(paddle.zeros([2])).tolist()
        [0.5, 0.5]
    """

    _type = Type.OTHER

    @property
    def _domain(self):
        return variable.Independent(variable.real, 1)

    @property
    def _codomain(self):
        return variable.simplex

    def _forward(self, x):
        return paddle.nn.functional.softmax(x, axis=-1)

    def _inverse(self, y):
        return y.log()

    def _forward_shape(self, shape):
        if len(shape) < 1:
            raise InvalidArgumentError(
                f"Expected length of shape is grater than 1, but got {len(shape)}"
            )
        return shape

    _inverse_shape = _forward_shape


class StickBreakingTransform(Transform):
    """The transform of n numbers to n + 1 shares of 1: each breaks off a share of the rest.

    Paddle: the logarithm of the determinant is -inf where a share underflows.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.distribution.StickBreakingTransform().forward(paddle.zeros([1])).tolist()
        [0.5, 0.5]
    """

    _type = Type.BIJECTION

    @property
    def _domain(self):
        return variable.Independent(variable.real, 1)

    @property
    def _codomain(self):
        return variable.simplex

    def _forward(self, x):
        part = paddle.nn.functional.sigmoid(self._shifted(x))
        one = paddle.ones_like(x[..., :1])
        left = (1 - part).cumprod(-1)
        return paddle.concat([part, one], -1) * paddle.concat([one, left], -1)

    def _inverse(self, y):
        part = y[..., :-1]
        left = 1 - part.cumsum(-1)
        return part.log() - left.log() + _offsets(part).log()

    def _shifted(self, x):
        """Shift the numbers so that zeros yield equal shares."""
        return x - _offsets(x).log()

    def _forward_log_det_jacobian(self, x):
        log_sigmoid, shifted = paddle.nn.functional.log_sigmoid, self._shifted(x)
        return (log_sigmoid(shifted) + _offsets(x) * log_sigmoid(-shifted)).sum(-1)

    def _forward_shape(self, shape):
        return self._resized(shape, 1)

    def _inverse_shape(self, shape):
        return self._resized(shape, -1)

    def _resized(self, shape, more: int):
        if not shape:
            raise InvalidArgumentError(f"Expected 'shape' is not empty, but got {shape}")
        return (*shape[:-1], shape[-1] + more)


def _offsets(x):
    """Return n, n - 1, ..., 1 for vectors of n numbers."""
    return paddle.arange(x.shape[-1], 0, -1, dtype=x.dtype)
