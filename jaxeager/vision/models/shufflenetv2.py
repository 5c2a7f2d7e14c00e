"""ShuffleNetV2."""

import jaxeager as paddle
import jaxeager.nn.functional as F
from jaxeager import nn
from jaxeager.errors import InvalidArgumentError
from jaxeager.vision.models.blocks import constructor
from jaxeager.vision.ops.conv_norm_activation import ConvNormActivation

# Channels of the first convolution, the three stages and the last convolution, by scale.
CHANNELS = {
    0.25: (24, 24, 48, 96, 512),
    0.33: (24, 32, 64, 128, 512),
    0.5: (24, 48, 96, 192, 1024),
    1.0: (24, 116, 232, 464, 1024),
    1.5: (24, 176, 352, 704, 1024),
    2.0: (24, 224, 488, 976, 2048),
}
REPEATS = (4, 8, 4)
ACTIVATIONS = {"relu": nn.ReLU, "swish": nn.Swish, None: None}


def _pointwise(in_channels: int, out_channels: int, activation):
    return ConvNormActivation(in_channels, out_channels, 1, activation_layer=activation)


def _depthwise(channels: int, stride: int):
    return ConvNormActivation(channels, channels, 3, stride, groups=channels, activation_layer=None)


class InvertedResidual(nn.Layer):
    """A block that filters one half of the channels and shuffles it with the other.

    Args:
        channels: channels of the input and the output.
        activation_layer: makes the activation.

    Shape:
        float[N, channels, H, W], and the same for the output.
    """

    def __init__(self, channels, activation_layer=nn.ReLU):
        super().__init__()
        half = channels // 2
        self._conv_pw = _pointwise(half, half, activation_layer)
        self._conv_dw = _depthwise(half, 1)
        self._conv_linear = _pointwise(half, half, activation_layer)

    def forward(self, inputs: paddle.Tensor) -> paddle.Tensor:
        kept, x = paddle.split(inputs, 2, axis=1)
        x = self._conv_linear(self._conv_dw(self._conv_pw(x)))
        return F.channel_shuffle(paddle.concat([kept, x], axis=1), 2)


class InvertedResidualDS(nn.Layer):
    """A block that halves the image and filters both halves of the output's channels.

    Args:
        in_channels: channels of the input.
        out_channels: channels of the output.
        activation_layer: makes the activation.

    Shape:
        float[N, in_channels, H, W] to float[N, out_channels, H / 2, W / 2].
    """

    def __init__(self, in_channels, out_channels, activation_layer=nn.ReLU):
        super().__init__()
        half = out_channels // 2
        self._conv_dw_1 = _depthwise(in_channels, 2)
        self._conv_linear_1 = _pointwise(in_channels, half, activation_layer)
        self._conv_pw_2 = _pointwise(in_channels, half, activation_layer)
        self._conv_dw_2 = _depthwise(half, 2)
        self._conv_linear_2 = _pointwise(half, half, activation_layer)

    def forward(self, inputs: paddle.Tensor) -> paddle.Tensor:
        one = self._conv_linear_1(self._conv_dw_1(inputs))
        two = self._conv_linear_2(self._conv_dw_2(self._conv_pw_2(inputs)))
        return F.channel_shuffle(paddle.concat([one, two], axis=1), 2)


class ShuffleNetV2(nn.Layer):
    """ShuffleNetV2 (Ma et al. 2018).

    Args:
        scale: 0.25, 0.33, 0.5, 1, 1.5 or 2.
        act: "relu", "swish" or None.
        num_classes: size of the output; 0 for the features.
        with_pool: whether to average the features over the image.

    Shape:
        float[N, 3, H, W] to float[N, num_classes].

    Raises:
        InvalidArgumentError: for any other scale or activation.

    Example:
        >>> import jaxeager as paddle
        >>> model = paddle.vision.models.ShuffleNetV2(scale=0.25, num_classes=10)
        >>> model.eval()(paddle.ones([1, 3, 32, 32])).shape
        paddle.Size([1, 10])
    """

    def __init__(
        self, scale: float = 1.0, act: str = "relu", num_classes: int = 1000, with_pool: bool = True
    ):
        super().__init__()
        for name, value, table in (("scale", scale, CHANNELS), ("act", act, ACTIVATIONS)):
            if value not in table:
                raise InvalidArgumentError(
                    f"{name} must be one of {list(table)}, but received {value!r}."
                )
        self.scale = scale
        self.num_classes = num_classes
        self.with_pool = with_pool
        first, *stages, last = CHANNELS[scale]
        activation = ACTIVATIONS[act]
        self._conv1 = ConvNormActivation(3, first, 3, 2, activation_layer=activation)
        self._max_pool = nn.MaxPool2D(3, 2, padding=1)
        self._blocks: list[str] = []
        channels = first
        for stage, (width, count) in enumerate(zip(stages, REPEATS, strict=True), 2):
            self._add(f"{stage}_1", InvertedResidualDS(channels, width, activation))
            for number in range(2, count + 1):
                self._add(f"{stage}_{number}", InvertedResidual(width, activation))
            channels = width
        self._last_conv = _pointwise(channels, last, activation)
        if with_pool:
            self._pool2d_avg = nn.AdaptiveAvgPool2D(1)
        if num_classes > 0:
            self._fc = nn.Linear(last, num_classes)

    def _add(self, name: str, block: nn.Layer) -> None:
        self.add_sublayer(name, block)
        self._blocks.append(name)

    def forward(self, inputs: paddle.Tensor) -> paddle.Tensor:
        x = self._max_pool(self._conv1(inputs))
        for name in self._blocks:
            x = getattr(self, name)(x)
        x = self._last_conv(x)
        if self.with_pool:
            x = self._pool2d_avg(x)
        return self._fc(paddle.flatten(x, 1)) if self.num_classes > 0 else x


def _shufflenet(name: str, scale: float, act: str = "relu"):
    what = f"a ShuffleNetV2 of scale {scale} with {act}"
    return constructor(f"shufflenet_v2_{name}", ShuffleNetV2, what, scale=scale, act=act)


shufflenet_v2_x0_25 = _shufflenet("x0_25", 0.25)
shufflenet_v2_x0_33 = _shufflenet("x0_33", 0.33)
shufflenet_v2_x0_5 = _shufflenet("x0_5", 0.5)
shufflenet_v2_x1_0 = _shufflenet("x1_0", 1.0)
shufflenet_v2_x1_5 = _shufflenet("x1_5", 1.5)
shufflenet_v2_x2_0 = _shufflenet("x2_0", 2.0)
shufflenet_v2_swish = _shufflenet("swish", 1.0, "swish")
