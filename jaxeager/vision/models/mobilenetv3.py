"""MobileNetV3, small and large."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import jaxeager as paddle
from jaxeager import nn
from jaxeager.vision.models.blocks import make_divisible, refuse_pretrained
from jaxeager.vision.ops.conv_norm_activation import ConvNormActivation

NORM = functools.partial(nn.BatchNorm2D, epsilon=0.001, momentum=0.99)


class Block(NamedTuple):
    """Settings of an inverted residual, at scale 1.

    Attributes:
        in_channels: channels of the input.
        kernel: kernel size of the middle convolution.
        expanded: channels of the middle convolution.
        out_channels: channels of the output.
        has_se: whether it has a squeeze-and-excitation layer.
        activation: "relu" or "hardswish".
        stride: stride of the middle convolution.
    """

    in_channels: int
    kernel: int
    expanded: int
    out_channels: int
    has_se: bool
    activation: str
    stride: int

    def scaled(self, scale: float) -> Block:
        """Return the block with scaled numbers of channels."""
        wide = {
            name: make_divisible(getattr(self, name) * scale)
            for name in ("in_channels", "expanded", "out_channels")
        }
        return self._replace(**wide)


SMALL = (
    Block(16, 3, 16, 16, True, "relu", 2),
    Block(16, 3, 72, 24, False, "relu", 2),
    Block(24, 3, 88, 24, False, "relu", 1),
    Block(24, 5, 96, 40, True, "hardswish", 2),
    Block(40, 5, 240, 40, True, "hardswish", 1),
    Block(40, 5, 240, 40, True, "hardswish", 1),
    Block(40, 5, 120, 48, True, "hardswish", 1),
    Block(48, 5, 144, 48, True, "hardswish", 1),
    Block(48, 5, 288, 96, True, "hardswish", 2),
    Block(96, 5, 576, 96, True, "hardswish", 1),
    Block(96, 5, 576, 96, True, "hardswish", 1),
)
LARGE = (
    Block(16, 3, 16, 16, False, "relu", 1),
    Block(16, 3, 64, 24, False, "relu", 2),
    Block(24, 3, 72, 24, False, "relu", 1),
    Block(24, 5, 72, 40, True, "relu", 2),
    Block(40, 5, 120, 40, True, "relu", 1),
    Block(40, 5, 120, 40, True, "relu", 1),
    Block(40, 3, 240, 80, False, "hardswish", 2),
    Block(80, 3, 200, 80, False, "hardswish", 1),
    Block(80, 3, 184, 80, False, "hardswish", 1),
    Block(80, 3, 184, 80, False, "hardswish", 1),
    Block(80, 3, 480, 112, True, "hardswish", 1),
    Block(112, 3, 672, 112, True, "hardswish", 1),
    Block(112, 5, 672, 160, True, "hardswish", 2),
    Block(160, 5, 960, 160, True, "hardswish", 1),
    Block(160, 5, 960, 160, True, "hardswish", 1),
)


class SqueezeExcitation(nn.Layer):
    """Squeeze and excitation: weights for each channel from the averages of all (Hu et al. 2017).

    Args:
        input_channels: channels of the input.
        squeeze_channels: hidden channels.
        activation: makes the hidden activation.
        scale_activation: makes the activation of the weights.

    Shape:
        float[N, input_channels, H, W], and the same for the output.
    """

    def __init__(
        self,
        input_channels,
        squeeze_channels,
        activation: Callable = nn.ReLU,
        scale_activation: Callable = nn.Sigmoid,
    ):
        super().__init__()
        self.avgpool = nn.AdaptiveAvgPool2D(1)
        self.fc1 = nn.Conv2D(input_channels, squeeze_channels, 1)
        self.fc2 = nn.Conv2D(squeeze_channels, input_channels, 1)
        self.activation = activation()
        self.scale_activation = scale_activation()

    def forward(self, input: paddle.Tensor) -> paddle.Tensor:
        squeezed = self.activation(self.fc1(self.avgpool(input)))
        return self.scale_activation(self.fc2(squeezed)) * input


class InvertedResidual(nn.Layer):
    """Expansion, depthwise convolution, channel weights and projection; a shortcut if it fits.

    Args:
        block: its settings.

    Shape:
        float[N, block.in_channels, H, W] to float[N, block.out_channels, H', W'].
    """

    def __init__(self, block: Block):
        super().__init__()
        width = block.expanded
        activation = {"relu": nn.ReLU, "hardswish": nn.Hardswish}[block.activation]
        made = {"norm_layer": NORM, "activation_layer": activation}
        self.use_res_connect = block.stride == 1 and block.in_channels == block.out_channels
        self.use_se = block.has_se
        self.expand = block.in_channels != width
        if self.expand:
            self.expand_conv = ConvNormActivation(block.in_channels, width, 1, **made)
        self.bottleneck_conv = ConvNormActivation(
            width, width, block.kernel, block.stride, groups=width, **made
        )
        if block.has_se:
            self.mid_se = SqueezeExcitation(
                width, make_divisible(width // 4), scale_activation=nn.Hardsigmoid
            )
        self.linear_conv = ConvNormActivation(
            width, block.out_channels, 1, norm_layer=NORM, activation_layer=None
        )

    def forward(self, x: paddle.Tensor) -> paddle.Tensor:
        out = self.expand_conv(x) if self.expand else x
        out = self.bottleneck_conv(out)
        if self.use_se:
            out = self.mid_se(out)
        out = self.linear_conv(out)
        return x + out if self.use_res_connect else out


class MobileNetV3(nn.Layer):
    """MobileNetV3 (Howard et al. 2019) with given blocks.

    Args:
        config: the blocks at scale 1.
        last_channel: width of the hidden layer of the classifier.
        scale: factor of the number of channels.
        num_classes: size of the output; 0 for the features.
        with_pool: whether to average the features over the image.

    Shape:
        float[N, 3, H, W] to float[N, num_classes].
    """

    def __init__(
        self,
        config: Sequence[Block],
        last_channel: int,
        scale: float = 1.0,
        num_classes: int = 1000,
        with_pool: bool = True,
    ):
        super().__init__()
        blocks = [block.scaled(scale) for block in config]
        made = {"norm_layer": NORM, "activation_layer": nn.Hardswish}
        self.config = config
        self.scale = scale
        self.last_channel = last_channel
        self.num_classes = num_classes
        self.with_pool = with_pool
        self.conv = ConvNormActivation(3, blocks[0].in_channels, 3, 2, **made)
        self.blocks = nn.Sequential(*(InvertedResidual(block) for block in blocks))
        narrow = blocks[-1].out_channels
        self.lastconv = ConvNormActivation(narrow, 6 * narrow, 1, **made)
        if with_pool:
            self.avgpool = nn.AdaptiveAvgPool2D(1)
        if num_classes > 0:
            self.classifier = nn.Sequential(
                nn.Linear(6 * narrow, last_channel),
                nn.Hardswish(),
                nn.Dropout(0.2),
                nn.Linear(last_channel, num_classes),
            )

    def forward(self, x: paddle.Tensor) -> paddle.Tensor:
        x = self.lastconv(self.blocks(self.conv(x)))
        if self.with_pool:
            x = self.avgpool(x)
        return self.classifier(paddle.flatten(x, 1)) if self.num_classes > 0 else x


class MobileNetV3Small(MobileNetV3):
    """The small MobileNetV3.

    Args:
        scale: factor of the number of channels.
        num_classes: size of the output; 0 for the features.
        with_pool: whether to average the features over the image.

    Shape:
        float[N, 3, H, W] to float[N, num_classes].

    Example:
        >>> import jaxeager as paddle
        >>> model = paddle.vision.models.MobileNetV3Small(num_classes=10)
        >>> model.eval()(paddle.ones([1, 3, 32, 32])).shape
        paddle.Size([1, 10])
    """

    def __init__(self, scale: float = 1.0, num_classes: int = 1000, with_pool: bool = True):
        super().__init__(SMALL, make_divisible(1024 * scale), scale, num_classes, with_pool)


class MobileNetV3Large(MobileNetV3):
    """The large MobileNetV3.

    Args:
        scale: factor of the number of channels.
        num_classes: size of the output; 0 for the features.
        with_pool: whether to average the features over the image.

    Shape:
        float[N, 3, H, W] to float[N, num_classes].

    Example:
        >>> import jaxeager as paddle
        >>> model = paddle.vision.models.MobileNetV3Large(scale=0.5, num_classes=10)
        >>> model.classifier[3].weight.shape
        paddle.Size([640, 10])
    """

    def __init__(self, scale: float = 1.0, num_classes: int = 1000, with_pool: bool = True):
        super().__init__(LARGE, make_divisible(1280 * scale), scale, num_classes, with_pool)


def mobilenet_v3_small(
    pretrained: bool = False, scale: float = 1.0, **kwargs: Any
) -> MobileNetV3Small:
    """Return a small MobileNetV3.

    Args:
        pretrained: must be False: weights are not downloaded.
        scale: factor of the number of channels.
        **kwargs: further arguments of MobileNetV3Small.

    Raises:
        UnimplementedError: for ``pretrained=True``; the message explains how to load a file.
    """
    refuse_pretrained("mobilenet_v3_small", pretrained)
    return MobileNetV3Small(scale=scale, **kwargs)


def mobilenet_v3_large(
    pretrained: bool = False, scale: float = 1.0, **kwargs: Any
) -> MobileNetV3Large:
    """Return a large MobileNetV3.

    Args:
        pretrained: must be False: weights are not downloaded.
        scale: factor of the number of channels.
        **kwargs: further arguments of MobileNetV3Large.

    Raises:
        UnimplementedError: for ``pretrained=True``; the message explains how to load a file.
    """
    refuse_pretrained("mobilenet_v3_large", pretrained)
    return MobileNetV3Large(scale=scale, **kwargs)
