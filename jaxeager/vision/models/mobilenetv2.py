"""MobileNetV2."""

from typing import Any

import jaxeager as paddle
from jaxeager import nn
from jaxeager.vision.models.blocks import make_divisible, refuse_pretrained
from jaxeager.vision.ops.conv_norm_activation import ConvNormActivation

# Expansion, output channels at scale 1, number of blocks and stride of the first, by stage.
STAGES = (
    (1, 16, 1, 1),
    (6, 24, 2, 2),
    (6, 32, 3, 2),
    (6, 64, 4, 2),
    (6, 96, 3, 1),
    (6, 160, 3, 2),
    (6, 320, 1, 1),
)


class InvertedResidual(nn.Layer):
    """1 by 1 expansion, depthwise convolution and 1 by 1 projection, with a shortcut if it fits.

    Args:
        inp: channels of the input.
        oup: channels of the output.
        stride: 1 or 2.
        expand_ratio: factor of the expansion.
        norm_layer: function from the number of channels to a norm layer.

    Shape:
        float[N, inp, H, W] to float[N, oup, H / stride, W / stride].
    """

    def __init__(self, inp, oup, stride, expand_ratio, norm_layer=nn.BatchNorm2D):
        super().__init__()
        self.stride = stride
        self.use_res_connect = stride == 1 and inp == oup
        width = round(inp * expand_ratio)
        made = {"norm_layer": norm_layer, "activation_layer": nn.ReLU6}
        widen = [] if expand_ratio == 1 else [ConvNormActivation(inp, width, 1, **made)]
        self.conv = nn.Sequential(
            *widen,
            ConvNormActivation(width, width, 3, stride, groups=width, **made),
            nn.Conv2D(width, oup, 1, bias_attr=False),
            norm_layer(oup),
        )

    def forward(self, x: paddle.Tensor) -> paddle.Tensor:
        return x + self.conv(x) if self.use_res_connect else self.conv(x)


class MobileNetV2(nn.Layer):
    """MobileNetV2 (Sandler et al. 2018).

    Args:
        scale: factor of the number of channels.
        num_classes: size of the output; 0 for the features.
        with_pool: whether to average the features over the image.

    Shape:
        float[N, 3, H, W] to float[N, num_classes].

    Example:
        >>> import jaxeager as paddle
        >>> model = paddle.vision.models.MobileNetV2(scale=0.25, num_classes=10)
        >>> model(paddle.ones([1, 3, 32, 32])).shape
        paddle.Size([1, 10])
    """

    def __init__(self, scale: float = 1.0, num_classes: int = 1000, with_pool: bool = True):
        super().__init__()
        self.num_classes = num_classes
        self.with_pool = with_pool
        channels = make_divisible(32 * scale)
        features: list[nn.Layer] = [
            ConvNormActivation(3, channels, 3, 2, activation_layer=nn.ReLU6)
        ]
        for expansion, width, count, stride in STAGES:
            out_channels = make_divisible(width * scale)
            for number in range(count):
                block_stride = stride if number == 0 else 1
                features.append(InvertedResidual(channels, out_channels, block_stride, expansion))
                channels = out_channels
        self.last_channel = make_divisible(1280 * max(1.0, scale))
        features.append(
            ConvNormActivation(channels, self.last_channel, 1, activation_layer=nn.ReLU6)
        )
        self.features = nn.Sequential(*features)
        if with_pool:
            self.pool2d_avg = nn.AdaptiveAvgPool2D(1)
        if num_classes > 0:
            self.classifier = nn.Sequential(
                nn.Dropout(0.2), nn.Linear(self.last_channel, num_classes)
            )

    def forward(self, x: paddle.Tensor) -> paddle.Tensor:
        x = self.features(x)
        if self.with_pool:
            x = self.pool2d_avg(x)
        return self.classifier(paddle.flatten(x, 1)) if self.num_classes > 0 else x


def mobilenet_v2(pretrained: bool = False, scale: float = 1.0, **kwargs: Any) -> MobileNetV2:
    """Return a MobileNetV2.

    Args:
        pretrained: must be False: weights are not downloaded.
        scale: factor of the number of channels.
        **kwargs: further arguments of MobileNetV2.

    Raises:
        UnimplementedError: for ``pretrained=True``; the message explains how to load a file.
    """
    refuse_pretrained("mobilenet_v2", pretrained)
    return MobileNetV2(scale=scale, **kwargs)
