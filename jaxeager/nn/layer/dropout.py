"""Dropout layers, active in training mode and the identity in evaluation mode."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from jaxeager.nn import functional as F
from jaxeager.nn.layer.common import name_text
from jaxeager.nn.layer.family import IMAGES, OWN_LAYOUT, VOLUMES, Space, member
from jaxeager.nn.layer.layer import Layer

if TYPE_CHECKING:
    from jaxeager.tensor.tensor import Tensor


_CHANNELS_DOC = """Layer that zeroes random channels of {things}.

    Args:
        p: probability that a channel is zeroed.
        data_format: {layouts}.
        name: shown by repr.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.nn.{name}(0.5)(paddle.ones({shape})).shape
        paddle.Size({shape})
    """


class Dropout(Layer):
    """Layer that zeroes random elements.

    Args:
        p: probability that an element is zeroed.
        inplace: write into the input.
        axis: an axis or axes along which the mask varies; it is constant along all others.
        mode: "upscale_in_train" divides the remaining elements by 1 - p in training;
            "downscale_in_infer" multiplies by 1 - p in evaluation instead.
        name: shown by repr.

    Example:
        >>> import jaxeager as paddle
        >>> dropout = paddle.nn.Dropout(0.5)
        >>> set(dropout(paddle.ones([100])).tolist()) == {0.0, 2.0}
        True
        >>> dropout.eval()(paddle.ones([2])).tolist()
        [1.0, 1.0]
    """

    def __init__(
        self,
        p: float = 0.5,
        inplace: bool = False,
        axis: int | Sequence[int] | None = None,
        mode: str = "upscale_in_train",
        name: str | None = None,
    ):
        super().__init__()
        self.p, self.inplace, self.axis, self.mode, self.name = p, inplace, axis, mode, name

    def forward(self, input: Tensor) -> Tensor:
        return F.dropout(
            input,
            p=self.p,
            axis=self.axis,
            training=self.training,
            inplace=self.inplace,
            mode=self.mode,
        )

    def extra_repr(self) -> str:
        return (
            f"p={self.p}, axis={self.axis}, mode={self.mode}{name_text(self.name)}, "
            f"inplace={self.inplace}"
        )


class _DropoutChannels(Layer):
    """Base of Dropout2D and Dropout3D."""

    _space: Space

    def __init__(self, p: float = 0.5, data_format: str = OWN_LAYOUT, name: str | None = None):
        super().__init__()
        self.p, self.data_format, self.name = p, data_format, name

    def extra_repr(self) -> str:
        return f"p={self.p}, data_format={self.data_format}{name_text(self.name)}"


@member(_CHANNELS_DOC, shape=[1, 2, 3, 3])
class Dropout2D(_DropoutChannels):
    _space = IMAGES

    def forward(self, input: Tensor) -> Tensor:
        return F.dropout2d(input, p=self.p, training=self.training, data_format=self.data_format)


@member(_CHANNELS_DOC, shape=[1, 2, 3, 3, 3])
class Dropout3D(_DropoutChannels):
    _space = VOLUMES

    def forward(self, input: Tensor) -> Tensor:
        return F.dropout3d(input, p=self.p, training=self.training, data_format=self.data_format)


class _AlphaDropout(Layer):
    """Base of AlphaDropout and FeatureAlphaDropout."""

    def __init__(self, p: float, name: str | None):
        super().__init__()
        self.p, self.name = p, name

    def extra_repr(self) -> str:
        return f"p={self.p}{name_text(self.name)}"


class AlphaDropout(_AlphaDropout):
    """Layer that sets random elements to SELU's lowest value, preserving mean 0 and variance 1.

    Args:
        p: probability that an element is dropped.
        name: shown by repr.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.nn.AlphaDropout(0.5).eval()(paddle.ones([2])).tolist()
        [1.0, 1.0]
    """

    def __init__(self, p: float = 0.5, name: str | None = None):
        super().__init__(p, name)

    def forward(self, input: Tensor) -> Tensor:
        return F.alpha_dropout(input, p=self.p, training=self.training, name=self.name)


class FeatureAlphaDropout(_AlphaDropout):
    """Layer that sets random channels to SELU's lowest value, preserving mean 0 and variance 1.

    Args:
        p: probability that a channel is dropped.
        name: shown by repr.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.nn.FeatureAlphaDropout(0.5)(paddle.ones([1, 2, 3])).shape
        paddle.Size([1, 2, 3])
    """

    def __init__(self, p: float = 0.5, name: str | None = None):
        super().__init__(p, name)

    def forward(self, input: Tensor) -> Tensor:
        return F.feature_alpha_dropout(input, p=self.p, training=self.training, name=self.name)
