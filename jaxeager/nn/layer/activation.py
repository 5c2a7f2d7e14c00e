"""Smooth activations, softmax among them, and the base of all activation layers."""

from __future__ import annotations

from operator import attrgetter
from typing import TYPE_CHECKING, Any

from jaxeager.errors import InvalidArgumentError
from jaxeager.nn import functional as F
from jaxeager.nn.layer.layer import Layer

if TYPE_CHECKING:
    from jaxeager.tensor.tensor import Tensor


class Activation(Layer):
    """An activation and its settings, kept under ``_<setting>`` and shown by repr in this order."""

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
    """Computes ``x * Phi(x)``, Phi the normal distribution function.

    Args:
        approximate: True or "tanh": the approximation by tanh; False or "none": exact.
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
    """Computes ``x * sigmoid(x)``.

    Args:
        inplace: whether the input itself is overwritten.
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
    """Computes ``x * sigmoid(x)``.

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
    """Computes ``x * tanh(softplus(x))``.

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
    """Computes ``x - tanh(x)``.

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
    """Computes ``log(1 + exp(beta * x)) / beta``.

    Args:
        beta: how sharp the bend is.
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
    """Computes ``x / (1 + abs(x))``.

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
    """Computes ``1 / (1 + exp(-x))``.

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
    """Computes ``log(sigmoid(x))``.

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
    """Computes the hyperbolic tangent.

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
    """Computes ``exp(x)`` divided by its sum along an axis.

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
    """Computes ``log(softmax(x))`` along an axis.

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
    """Computes softmax over the channels of images, [C, H, W] or [N, C, H, W].

    Args:
        name: shown by repr.

    Raises:
        InvalidArgumentError: when the input has neither 3 nor 4 dimensions.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.nn.Softmax2D()(paddle.zeros([2, 1, 1])).flatten().tolist()
        [0.5, 0.5]
    """

    def __init__(self, name: str | None = None):
        super().__init__(name)

    def forward(self, x: Tensor) -> Tensor:
        if x.ndim not in (3, 4):
            raise InvalidArgumentError(
                f"Softmax2D requires a 3D or 4D tensor as input. Received: {x.ndim}D."
            )
        return F.softmax(x, axis=-3)


class GLU(Activation):
    """Computes ``a * sigmoid(b)`` of the two halves a and b of the input.

    Args:
        axis: the axis that is halved.
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
