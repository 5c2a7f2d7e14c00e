"""MobileNetV1."""

from typing import Any

import jaxeager as paddle
from jaxeager import nn
from jaxeager.vision.models.blocks import refuse_pretrained
from jaxeager.vision.ops.conv_norm_activation import ConvNormActivation

# Name, input and output channels and stride of each depthwise separable block, at scale 1.
BLOCKS = (
    ("conv2_1", 32, 64, 1),
    ("conv2_2", 64, 128, 2),
    ("conv3_1", 128, 128, 1),
    ("conv3_2", 128, 256, 2),
    ("conv4_1", 256, 256, 1),
    ("conv4_2", 256, 512, 2),
    ("conv5_1", 512, 512, 1),
    ("conv5_2", 512, 512, 1),
    ("conv5_3", 512, 512, 1),
    ("conv5_4", 512, 512, 1),
    ("conv5_5", 512, 512, 1),
    ("conv5_6", 512, 1024, 2),
    ("conv6", 1024, 1024, 1),
)


class DepthwiseSeparable(nn.Layer):
    """A depthwise convolution, then a 1 by 1 convolution.

    Args:
        in_channels: channels of the input.
        out_channels: channels of the output.
        stride: stride of the first convolution.

    Shape:
        float[N, in_channels, H, W] to float[N, out_channels, H / stride, W / stride].
    """

    def __init__(self, in_channels, out_channels, stride):
        super().__init__()
        self._depthwise_conv = ConvNormActivation(
            in_channels, in_channels, 3, stride, groups=in_channels
        )
        self._pointwise_conv = ConvNormActivation(in_channels, out_channels, 1)

    def forward(self, x: paddle.Tensor) -> paddle.Tensor:
        return self._pointwise_conv(self._depthwise_conv(x))


class MobileNetV1(nn.Layer):
    """MobileNetV1 (Howard et al. 2017).

    Args:
        scale: factor of the number of channels.
        num_classes: size of the output; 0 for the features.
        with_pool: whether to average the features over the image.

    Shape:
        float[N, 3, H, W] to float[N, num_classes].

    Example:
        >>> import jaxeager as paddle
        >>> model = paddle.vision.models.MobileNetV1(scale=0.25, num_classes=10)
        >>> model(paddle.ones([1, 3, 32, 32])).shape
        paddle.Size([1, 10])
    """

    def __init__(self, scale: float = 1.0, num_classes: int = 1000, with_pool: bool = True):
        super().__init__()
        self.scale = scale
        self.num_classes = num_classes
        self.with_pool = with_pool
        self.conv1 = ConvNormActivation(3, int(32 * scale), 3, 2)
        for name, in_channels, out_channels, stride in BLOCKS:
            block = DepthwiseSeparable(int(in_channels * scale), int(out_channels * scale), stride)
            self.add_sublayer(name, block)
        if with_pool:
            self.pool2d_avg = nn.AdaptiveAvgPool2D(1)
        if num_classes > 0:
            self.fc = nn.Linear(int(1024 * scale), num_classes)

    def forward(self, x: paddle.Tensor) -> paddle.Tensor:
        x = self.conv1(x)
        for name, *_ in BLOCKS:
            x = getattr(self, name)(x)
        if self.with_pool:
            x = self.pool2d_avg(x)
        return self.fc(paddle.flatten(x, 1)) if self.num_classes > 0 else x


def mobilenet_v1(pretrained: bool = False, scale: float = 1.0, **kwargs: Any) -> MobileNetV1:
    """Return a MobileNetV1.

    Args:
        pretrained: must be False: weights are not downloaded.
        scale: factor of the number of channels.
        **kwargs: further arguments of MobileNetV1.

    Raises:
        UnimplementedError: for ``pretrained=True``; the message explains how to load a file.
    """
    refuse_pretrained("mobilenet_v1", pretrained)
    return MobileNetV1(scale=scale, **kwargs)
