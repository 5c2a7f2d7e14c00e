"""Smooth activation layers, including softmax, and the base class of all activation layers."""

from __future__ import annotations

from operator import attrgetter
from typing import TYPE_CHECKING, Any

from jaxeager.errors import RefusedArgumentError
from jaxeager.nn import functional as F
from jaxeager.nn.layer.layer import Layer

if TYPE_CHECKING:
    from jaxeager.tensor.tensor import Tensor


class Activation(Layer):
    """An activation and its settings, stored as ``_<setting>``; repr shows them in this order."""

    def __init__(self, name: str | None, **settings: Any):
        super().__init__()
        self._settings = tuple(settings)
        self._name = name
        for key, value in settings.items():
            setattr(self, f"_{key}", value)

    def extra_repr(self) -> str:
        parts = [f"{key}={getattr(self, f'_{key}')}" for key in self._settings]
        return ", ".join(parts + ([f"name={self._name}"] if self._name else []))


class GELU(Activation):
    """Layer that computes ``x * Phi(x)``, where Phi is the normal distribution function.

    Args:
        approximate: True or "tanh" for the approximation by tanh; False or "none" for exact values.
        name: shown by repr.

    Example:
        >>> import jaxeager as paddle
        >>> print(paddle.nn.GELU()(paddle.to_tensor([-2.0, 0.0, 2.0])).numpy().round(2))
        [-0.05  0.    1.95]
    """

    def __init__(self, approximate: str | bool = False, name: str | None = None):
        super().__init__(name, approximate=approximate)

    def forward(self, x: Tensor) -> Tensor:
        return F.gelu(x, approximate=self._approximate)


class Silu(Activation):
    """Layer that computes ``x * sigmoid(x)``.

    Args:
        inplace: whether to overwrite the input.
        name: shown by repr.

    Example:
        >>> import jaxeager as paddle
        >>> print(paddle.nn.Silu()(paddle.to_tensor([-2.0, 0.0, 2.0])).numpy().round(2))
        [-0.24  0.    1.76]
    """

    def __init__(self, inplace: bool = False, name: str | None = None):
        super().__init__(name, inplace=inplace)

    def forward(self, x: Tensor) -> Tensor:
        return F.silu(x, self._inplace)


class Swish(Activation):
    """Layer that computes ``x * sigmoid(x)``.

    Args:
        name: shown by repr.

    Example:
        >>> import jaxeager as paddle
        >>> print(paddle.nn.Swish()(paddle.to_tensor([-2.0, 0.0, 2.0])).numpy().round(2))
        [-0.24  0.    1.76]
    """

    def __init__(self, name: str | None = None):
        super().__init__(name)

    def forward(self, x: Tensor) -> Tensor:
        return F.swish(x)


class Mish(Activation):
    """Layer that computes ``x * tanh(softplus(x))``.

    Args:
        name: shown by repr.

    Example:
        >>> import jaxeager as paddle
        >>> print(paddle.nn.Mish()(paddle.to_tensor([-2.0, 0.0, 2.0])).numpy().round(2))
        [-0.25  0.    1.94]
    """

    def __init__(self, name: str | None = None):
        super().__init__(name)

    def forward(self, x: Tensor) -> Tensor:
        return F.mish(x)


class Tanhshrink(Activation):
    """Layer that computes ``x - tanh(x)``.

    Args:
        name: shown by repr.

    Example:
        >>> import jaxeager as paddle
        >>> print(paddle.nn.Tanhshrink()(paddle.to_tensor([-2.0, 0.0, 2.0])).numpy().round(2))
        [-1.04  0.    1.04]
    """

    def __init__(self, name: str | None = None):
        super().__init__(name)

    def forward(self, x: Tensor) -> Tensor:
        return F.tanhshrink(x)


class Softplus(Activation):
    """Layer that computes ``log(1 + exp(beta * x)) / beta``.

    Args:
        beta: sharpness of the bend.
        threshold: above this value of beta * x the output is x.
        name: shown by repr.

    Example:
        >>> import jaxeager as paddle
        >>> print(paddle.nn.Softplus()(paddle.to_tensor([-2.0, 0.0, 2.0])).numpy().round(2))
        [0.13 0.69 2.13]
    """

    def __init__(self, beta: float = 1, threshold: float = 20, name: str | None = None):
        super().__init__(name, beta=beta, threshold=threshold)

    def forward(self, x: Tensor) -> Tensor:
        return F.softplus(x, beta=self._beta, threshold=self._threshold)


class Softsign(Activation):
    """Layer that computes ``x / (1 + abs(x))``.

    Args:
        name: shown by repr.

    Example:
        >>> import jaxeager as paddle
        >>> print(paddle.nn.Softsign()(paddle.to_tensor([-2.0, 0.0, 2.0])).numpy().round(2))
        [-0.67  0.    0.67]
    """

    def __init__(self, name: str | None = None):
        super().__init__(name)

    def forward(self, x: Tensor) -> Tensor:
        return F.softsign(x)


class Sigmoid(Activation):
    """Layer that computes ``1 / (1 + exp(-x))``.

    Args:
        name: shown by repr.

    Example:
        >>> import jaxeager as paddle
        >>> print(paddle.nn.Sigmoid()(paddle.to_tensor([-2.0, 0.0, 2.0])).numpy().round(2))
        [0.12 0.5  0.88]
    """

    def __init__(self, name: str | None = None):
        super().__init__(name)

    def forward(self, x: Tensor) -> Tensor:
        return F.sigmoid(x)


class LogSigmoid(Activation):
    """Layer that computes ``log(sigmoid(x))``.

    Args:
        name: shown by repr.

    Example:
        >>> import jaxeager as paddle
        >>> print(paddle.nn.LogSigmoid()(paddle.to_tensor([-2.0, 0.0, 2.0])).numpy().round(2))
        [-2.13 -0.69 -0.13]
    """

    def __init__(self, name: str | None = None):
        super().__init__(name)

    def forward(self, x: Tensor) -> Tensor:
        return F.log_sigmoid(x)


class Tanh(Activation):
    """Layer that computes the hyperbolic tangent.

    Args:
        name: shown by repr.

    Example:
        >>> import jaxeager as paddle
        >>> print(paddle.nn.Tanh()(paddle.to_tensor([-2.0, 0.0, 2.0])).numpy().round(2))
        [-0.96  0.    0.96]
    """

    def __init__(self, name: str | None = None):
        super().__init__(name)

    def forward(self, x: Tensor) -> Tensor:
        return F.tanh(x)


class Softmax(Activation):
    """Layer that computes ``exp(x)`` divided by its sum along an axis.

    Args:
        axis: the axis.
        name: shown by repr.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.nn.Softmax()(paddle.zeros([2])).tolist()
        [0.5, 0.5]
    """

    def __init__(self, axis: int = -1, name: str | None = None):
        super().__init__(name, axis=axis)

    def forward(self, x: Tensor) -> Tensor:
        return F.softmax(x, axis=self._axis)


class LogSoftmax(Activation):
    """Layer that computes ``log(softmax(x))`` along an axis.

    Args:
        axis: the axis.
        name: shown by repr.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.nn.LogSoftmax()(paddle.zeros([1])).tolist()
        [0.0]
    """

    def __init__(self, axis: int = -1, name: str | None = None):
        super().__init__(name, axis=axis)

    def forward(self, x: Tensor) -> Tensor:
        return F.log_softmax(x, axis=self._axis)


class Softmax2D(Activation):
    """Layer that computes the softmax over the channels of images, [C, H, W] or [N, C, H, W].

    Args:
        name: shown by repr.

    Raises:
        InvalidArgumentError: if the input has neither 3 nor 4 dimensions.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.nn.Softmax2D()(paddle.zeros([2, 1, 1])).flatten().tolist()
        [0.5, 0.5]
    """

    def __init__(self, name: str | None = None):
        super().__init__(name)

    def forward(self, x: Tensor) -> Tensor:
        if x.ndim not in (3, 4):
            raise RefusedArgumentError(
                f"Softmax2D requires a 3D or 4D tensor as input. Received: {x.ndim}D."
            )
        return F.softmax(x, axis=-3)


class GLU(Activation):
    """Layer that computes ``a * sigmoid(b)`` of the two halves a and b of the input.

    Args:
        axis: the axis to split in half.
        name: shown by repr.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.nn.GLU()(paddle.to_tensor([2.0, 0.0])).tolist()
        [1.0]
    """

    dim = property(attrgetter("_axis"))

    def __init__(self, axis: int = -1, name: str | None = None):
        super().__init__(name, axis=axis)

    def forward(self, x: Tensor) -> Tensor:
        return F.glu(x, axis=self._axis)
