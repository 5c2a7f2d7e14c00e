"""Elementwise transforms: affine, exp, power, sigmoid, tanh, abs."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import jaxeager as paddle
from jaxeager.distribution import variable
from jaxeager.distribution.transform_base import Transform, Type
from jaxeager.errors import InvalidTypeError

if TYPE_CHECKING:
    from jaxeager.tensor.tensor import Tensor


def _needs_tensor(name: str, value):
    if not isinstance(value, paddle.Tensor):
        raise InvalidTypeError(f"Expected '{name}' is a Tensor, but got {type(value)}")
    return value


class AbsTransform(Transform):
    """The transform of x to its absolute value; the inverse is a pair.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.distribution.AbsTransform().forward(paddle.to_tensor([-1.0, 2.0])).tolist()
        [1.0, 2.0]
    """

    _type = Type.SURJECTION

    @property
    def _codomain(self):
        return variable.positive

    def _forward(self, x):
        return x.abs()

    def _inverse(self, y):
        return -y, y

    def _inverse_log_det_jacobian(self, y):
        zero = paddle.zeros([], dtype=y.dtype)
        return zero, zero


class AffineTransform(Transform):
    """The transform of x to ``loc + scale * x``.

    Args:
        loc: Tensor.
        scale: Tensor without zeros.

    Raises:
        InvalidTypeError: when one of the two is not a Tensor.

    Example:
        >>> import jaxeager as paddle
        >>> affine = paddle.distribution.AffineTransform(paddle.ones([]), paddle.full([], 2.0))
        >>> affine.forward(paddle.to_tensor([1.0, 2.0])).tolist()
        [3.0, 5.0]
    """

    _type = Type.BIJECTION

    def __init__(self, loc: Tensor, scale: Tensor):
        self._loc, self._scale = _needs_tensor("loc", loc), _needs_tensor("scale", scale)

    @property
    def loc(self) -> Tensor:
        """Return the summand."""
        return self._loc

    @property
    def scale(self) -> Tensor:
        """Return the factor."""
        return self._scale

    def _forward(self, x):
        return self._loc + self._scale * x

    def _inverse(self, y):
        return (y - self._loc) / self._scale

    def _forward_log_det_jacobian(self, x):
        return paddle.abs(self._scale).log()

    def _forward_shape(self, shape):
        own = paddle.broadcast_shape(list(self._loc.shape), list(self._scale.shape))
        return tuple(paddle.broadcast_shape(list(shape), own))

    _inverse_shape = _forward_shape


class ExpTransform(Transform):
    """The transform of x to its exponential.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.distribution.ExpTransform().forward(paddle.zeros([1])).tolist()
        [1.0]
    """

    _type = Type.BIJECTION

    @property
    def _codomain(self):
        return variable.positive

    def _forward(self, x):
        return x.exp()

    def _inverse(self, y):
        return y.log()

    def _forward_log_det_jacobian(self, x):
        return x


class PowerTransform(Transform):
    """The transform of x above 0 to a power.

    Args:
        power: Tensor without zeros.

    Raises:
        InvalidTypeError: when it is not a Tensor.

    Example:
        >>> import jaxeager as paddle
        >>> square = paddle.distribution.PowerTransform(paddle.full([], 2.0))
        >>> square.inverse(paddle.to_tensor([9.0])).tolist()
        [3.0]
    """

    _type = Type.BIJECTION

    def __init__(self, power: Tensor):
        self._power = _needs_tensor("power", power)

    @property
    def power(self) -> Tensor:
        """Return the power."""
        return self._power

    @property
    def _codomain(self):
        return variable.positive

    def _forward(self, x):
        return x.pow(self._power)

    def _inverse(self, y):
        return y.pow(1 / self._power)

    def _forward_log_det_jacobian(self, x):
        return (self._power * x.pow(self._power - 1)).abs().log()

    def _forward_shape(self, shape):
        return tuple(paddle.broadcast_shape(list(shape), list(self._power.shape)))

    _inverse_shape = _forward_shape


class SigmoidTransform(Transform):
    """The transform of x to ``1 / (1 + exp(-x))``.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.distribution.SigmoidTransform().forward(paddle.zeros([1])).tolist()
        [0.5]
    """

    @property
    def _codomain(self):
        return variable.Variable(constraint=lambda value: (value >= 0) & (value <= 1))

    def _forward(self, x):
        return paddle.nn.functional.sigmoid(x)

    def _inverse(self, y):
        return y.log() - (-y).log1p()

    def _forward_log_det_jacobian(self, x):
        log_sigmoid = paddle.nn.functional.log_sigmoid
        return log_sigmoid(x) + log_sigmoid(-x)


class TanhTransform(Transform):
    """The transform of x to its hyperbolic tangent.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.distribution.TanhTransform().forward(paddle.zeros([1])).tolist()
        [0.0]
    """

    _type = Type.BIJECTION

    @property
    def _codomain(self):
        return variable.Variable(constraint=lambda value: (value >= -1) & (value <= 1))

    def _forward(self, x):
        return x.tanh()

    def _inverse(self, y):
        return y.atanh()

    def _forward_log_det_jacobian(self, x):
        return 2.0 * (math.log(2.0) - x - paddle.nn.functional.softplus(-2.0 * x))
