"""Piecewise activation layers: ReLU and its variants, hard and shrinking functions."""

from __future__ import annotations

from operator import attrgetter
from typing import TYPE_CHECKING

from jaxeager.core import dtypes
from jaxeager.nn import functional as F
from jaxeager.nn.initializer import Constant
from jaxeager.nn.layer.activation import Activation
from jaxeager.nn.layer.common import name_text, required
from jaxeager.nn.layer.layer import Layer

if TYPE_CHECKING:
    from jaxeager.core.types import ParamAttrLike
    from jaxeager.tensor.tensor import Tensor


class ReLU(Activation):
    """Layer that computes ``max(x, 0)``.

    Args:
        name: shown by repr.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.nn.ReLU()(paddle.to_tensor([-2.0, 0.0, 2.0])).tolist()
        [0.0, 0.0, 2.0]
    """

    def __init__(self, name: str | None = None):
        super().__init__(name)

    def forward(self, x: Tensor) -> Tensor:
        return F.relu(x)


class ReLU6(Activation):
    """Layer that computes ``min(max(x, 0), 6)``.

    Args:
        name: shown by repr.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.nn.ReLU6()(paddle.to_tensor([-1.0, 9.0])).tolist()
        [0.0, 6.0]
    """

    def __init__(self, name: str | None = None):
        super().__init__(name)

    def forward(self, x: Tensor) -> Tensor:
        return F.relu6(x)


class LeakyReLU(Activation):
    """Layer that computes x above zero and ``negative_slope * x`` below.

    Args:
        negative_slope: the slope below zero.
        name: shown by repr.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.nn.LeakyReLU(0.5)(paddle.to_tensor([-2.0, 2.0])).tolist()
        [-1.0, 2.0]
    """

    def __init__(self, negative_slope: float = 0.01, name: str | None = None):
        super().__init__(name, negative_slope=negative_slope)

    def forward(self, x: Tensor) -> Tensor:
        return F.leaky_relu(x, negative_slope=self._negative_slope)


class PReLU(Layer):
    """Layer that computes ``max(0, x) + weight * min(0, x)``, with a trained slope.

    Args:
        num_parameters: 1 for a shared slope, or the number of channels for one slope each.
        init: initial value of the slope.
        weight_attr: ParamAttr of ``_weight``, float[num_parameters].
        data_format: layout that locates the channels, "NCHW", "NHWC" and the like.
        name: shown by repr.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.nn.PReLU()(paddle.to_tensor([-4.0, 4.0])).tolist()
        [-1.0, 4.0]
    """

    def __init__(
        self,
        num_parameters: int = 1,
        init: float = 0.25,
        weight_attr: ParamAttrLike | None = None,
        data_format: str = "NCHW",
        name: str | None = None,
    ):
        super().__init__()
        self._dtype = dtypes.get_default_dtype()
        self._num_parameters, self._init, self._weight_attr = num_parameters, init, weight_attr
        self._data_format, self._name = data_format, name
        self._weight = required(
            self.create_parameter(
                [num_parameters], weight_attr, default_initializer=Constant(init)
            ),
            "PReLU",
        )

    def forward(self, x: Tensor) -> Tensor:
        return F.prelu(x, self._weight, data_format=self._data_format)

    def extra_repr(self) -> str:
        return (
            f"num_parameters={self._num_parameters}, data_format={self._data_format}, "
            f"init={self._init}, dtype={self._dtype}{name_text(self._name)}"
        )


class RReLU(Activation):
    """Layer that computes x above zero and ``slope * x`` below, with random slopes in training.

    Args:
        lower: the smallest slope.
        upper: the largest slope; in evaluation mode, the slope is the mean of the two.
        name: shown by repr.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.nn.RReLU(0.25, 0.75).eval()(paddle.to_tensor([-2.0, 2.0])).tolist()
        [-1.0, 2.0]
    """

    def __init__(self, lower: float = 1.0 / 8, upper: float = 1.0 / 3, name: str | None = None):
        super().__init__(name, lower=lower, upper=upper)

    def forward(self, x: Tensor) -> Tensor:
        return F.rrelu(x, lower=self._lower, upper=self._upper, training=self.training)

    def extra_repr(self) -> str:
        return (
            f"lower={self._lower}, upper={self._upper}, training={self.training}, "
            f"dtype={self._dtype}{name_text(self._name)}"
        )


class ThresholdedReLU(Activation):
    """Layer that computes x above the threshold and ``value`` elsewhere.

    Args:
        threshold: the threshold.
        value: the output elsewhere.
        name: shown by repr.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.nn.ThresholdedReLU()(paddle.to_tensor([0.5, 2.0])).tolist()
        [0.0, 2.0]
    """

    def __init__(self, threshold: float = 1.0, value: float = 0.0, name: str | None = None):
        super().__init__(name, threshold=threshold, value=value)

    def forward(self, x: Tensor) -> Tensor:
        return F.thresholded_relu(x, threshold=self._threshold, value=self._value)


class ELU(Activation):
    """Layer that computes x above zero and ``alpha * (exp(x) - 1)`` below.

    Args:
        alpha: the negated limit far below zero.
        name: shown by repr.

    Example:
        >>> import jaxeager as paddle
        >>> print(paddle.nn.ELU()(paddle.to_tensor([-2.0, 0.0, 2.0])).numpy().round(2))
        [-0.86  0.    2.  ]
    """

    def __init__(self, alpha: float = 1.0, name: str | None = None):
        super().__init__(name, alpha=alpha)

    def forward(self, x: Tensor) -> Tensor:
        return F.elu(x, alpha=self._alpha)


class CELU(Activation):
    """Layer that computes x above zero and ``alpha * (exp(x / alpha) - 1)`` below.

    Args:
        alpha: the negated limit far below zero.
        name: shown by repr.

    Example:
        >>> import jaxeager as paddle
        >>> print(paddle.nn.CELU()(paddle.to_tensor([-2.0, 0.0, 2.0])).numpy().round(2))
        [-0.86  0.    2.  ]
    """

    def __init__(self, alpha: float = 1.0, name: str | None = None):
        super().__init__(name, alpha=alpha)

    def forward(self, x: Tensor) -> Tensor:
        return F.celu(x, alpha=self._alpha)


class SELU(Activation):
    """Layer that computes ``scale * x`` above zero and ``scale * alpha * (exp(x) - 1)`` below.

    Args:
        scale: a factor greater than 1.
        alpha: the other factor; the defaults keep mean 0 and variance 1.
        name: shown by repr.

    Example:
        >>> import jaxeager as paddle
        >>> print(paddle.nn.SELU()(paddle.to_tensor([-2.0, 0.0, 2.0])).numpy().round(2))
        [-1.52  0.    2.1 ]
    """

    def __init__(
        self,
        scale: float = 1.0507009873554804934193349852946,
        alpha: float = 1.6732632423543772848170429916717,
        name: str | None = None,
    ):
        super().__init__(name, scale=scale, alpha=alpha)

    def forward(self, x: Tensor) -> Tensor:
        return F.selu(x, scale=self._scale, alpha=self._alpha)


class Hardtanh(Activation):
    """Layer that computes ``min(max(x, min), max)``.

    Args:
        min: the lower limit.
        max: the upper limit.
        name: shown by repr.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.nn.Hardtanh()(paddle.to_tensor([-2.0, 0.0, 2.0])).tolist()
        [-1.0, 0.0, 1.0]
    """

    def __init__(self, min: float = -1.0, max: float = 1.0, name: str | None = None):
        super().__init__(name, min=min, max=max)

    def forward(self, x: Tensor) -> Tensor:
        return F.hardtanh(x, min=self._min, max=self._max)


class Hardsigmoid(Activation):
    """Layer that computes ``min(max(x / 6 + 0.5, 0), 1)``.

    Args:
        name: shown by repr.

    Example:
        >>> import jaxeager as paddle
        >>> print(paddle.nn.Hardsigmoid()(paddle.to_tensor([-2.0, 0.0, 2.0])).numpy().round(2))
        [0.17 0.5  0.83]
    """

    def __init__(self, name: str | None = None):
        super().__init__(name)

    def forward(self, x: Tensor) -> Tensor:
        return F.hardsigmoid(x)


class Hardswish(Activation):
    """Layer that computes ``x * min(max(x + 3, 0), 6) / 6``.

    Args:
        name: shown by repr.

    Example:
        >>> import jaxeager as paddle
        >>> print(paddle.nn.Hardswish()(paddle.to_tensor([-2.0, 0.0, 2.0])).numpy().round(2))
        [-0.33  0.    1.67]
    """

    def __init__(self, name: str | None = None):
        super().__init__(name)

    def forward(self, x: Tensor) -> Tensor:
        return F.hardswish(x)


class Hardshrink(Activation):
    """Layer that computes x, or 0 where its absolute value is at most the threshold.

    Args:
        threshold: the threshold.
        name: shown by repr.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.nn.Hardshrink()(paddle.to_tensor([-2.0, 0.25])).tolist()
        [-2.0, 0.0]
    """

    lambd = property(attrgetter("_threshold"))

    def __init__(self, threshold: float = 0.5, name: str | None = None):
        super().__init__(name, threshold=threshold)

    def forward(self, x: Tensor) -> Tensor:
        return F.hardshrink(x, threshold=self._threshold)


class Softshrink(Activation):
    """Layer that moves x towards zero by the threshold, but not past it.

    Args:
        threshold: the threshold.
        name: shown by repr.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.nn.Softshrink()(paddle.to_tensor([-2.0, 0.25])).tolist()
        [-1.5, 0.0]
    """

    lambd = property(attrgetter("_threshold"))

    def __init__(self, threshold: float = 0.5, name: str | None = None):
        super().__init__(name, threshold=threshold)

    def forward(self, x: Tensor) -> Tensor:
        return F.softshrink(x, threshold=self._threshold)


class Maxout(Activation):
    """Layer that splits the channels into groups and keeps the maximum of each.

    Args:
        groups: size of a group.
        axis: the axis of the channels.
        name: shown by repr.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.nn.Maxout(2)(paddle.ones([1, 4, 1, 1])).shape
        paddle.Size([1, 2, 1, 1])
    """

    def __init__(self, groups: int, axis: int = 1, name: str | None = None):
        super().__init__(name, groups=groups, axis=axis)

    def forward(self, x: Tensor) -> Tensor:
        return F.maxout(x, groups=self._groups, axis=self._axis)
