"""DenseNet."""

import math

import jaxeager as paddle
from jaxeager import nn
from jaxeager.errors import InvalidArgumentError
from jaxeager.vision.models.blocks import constructor

# Channels of the first convolution, growth rate and layers of each block, by depth.
CONFIGS = {
    121: (64, 32, (6, 12, 24, 16)),
    161: (96, 48, (6, 12, 36, 24)),
    169: (64, 32, (6, 12, 32, 32)),
    201: (64, 32, (6, 12, 48, 32)),
    264: (64, 32, (6, 12, 64, 48)),
}


class ConvBNLayer(nn.Layer):
    """The first layer: a convolution, then a batch norm and a ReLU.

    Args:
        in_channels: channels of the input.
        out_channels: channels of the output.

    Shape:
        float[N, in_channels, H, W] to float[N, out_channels, H / 2, W / 2].
    """

    def __init__(self, in_channels, out_channels):
        super().__init__()
        self._conv = nn.Conv2D(in_channels, out_channels, 7, 2, padding=3, bias_attr=False)
        self._batch_norm = nn.BatchNorm(out_channels, act="relu")

    def forward(self, input: paddle.Tensor) -> paddle.Tensor:
        return self._batch_norm(self._conv(input))


class BNACConvLayer(nn.Layer):
    """A batch norm and a ReLU, then a convolution.

    Args:
        in_channels: channels of the input.
        out_channels: channels of the output.
        size: size of the kernel; the image keeps its size.

    Shape:
        float[N, in_channels, H, W] to float[N, out_channels, H, W].
    """

    def __init__(self, in_channels, out_channels, size):
        super().__init__()
        self._batch_norm = nn.BatchNorm(in_channels, act="relu")
        self._conv = nn.Conv2D(
            in_channels, out_channels, size, padding=(size - 1) // 2, bias_attr=False
        )

    def forward(self, input: paddle.Tensor) -> paddle.Tensor:
        return self._conv(self._batch_norm(input))


class DenseLayer(nn.Layer):
    """A layer that adds ``growth_rate`` channels to its input.

    Args:
        in_channels: channels of the input.
        growth_rate: number of channels it adds.
        bn_size: the hidden layer has bn_size * growth_rate channels.
        dropout: dropout rate.

    Shape:
        float[N, in_channels, H, W] to float[N, in_channels + growth_rate, H, W].
    """

    def __init__(self, in_channels, growth_rate, bn_size: int, dropout: float):
        super().__init__()
        self.dropout = dropout
        self.bn_ac_func1 = BNACConvLayer(in_channels, bn_size * growth_rate, 1)
        self.bn_ac_func2 = BNACConvLayer(bn_size * growth_rate, growth_rate, 3)
        if dropout:
            self.dropout_func = nn.Dropout(dropout, mode="downscale_in_infer")

    def forward(self, input: paddle.Tensor) -> paddle.Tensor:
        new = self.bn_ac_func2(self.bn_ac_func1(input))
        if self.dropout:
            new = self.dropout_func(new)
        return paddle.concat([input, new], axis=1)


class DenseBlock(nn.Layer):
    """Dense layers in sequence, named ``conv<stage>_<number>``.

    Args:
        stage: number of the stage in the names, from 2.
        in_channels: channels of the input.
        count: number of layers.
        growth_rate: number of channels each layer adds.
        bn_size: the hidden layers have bn_size * growth_rate channels.
        dropout: dropout rate.

    Shape:
        float[N, in_channels, H, W] to float[N, in_channels + count * growth_rate, H, W].
    """

    def __init__(self, stage, in_channels, count, growth_rate, bn_size: int, dropout: float):
        super().__init__()
        for number in range(count):
            channels = in_channels + number * growth_rate
            layer = DenseLayer(channels, growth_rate, bn_size, dropout)
            self.add_sublayer(f"conv{stage}_{number + 1}", layer)

    def forward(self, input: paddle.Tensor) -> paddle.Tensor:
        for layer in self.children():
            input = layer(input)
        return input


class TransitionLayer(nn.Layer):
    """A layer that halves the channels and the image.

    Args:
        in_channels: channels of the input.

    Shape:
        float[N, in_channels, H, W] to float[N, in_channels / 2, H / 2, W / 2].
    """

    def __init__(self, in_channels):
        super().__init__()
        self.conv_ac_func = BNACConvLayer(in_channels, in_channels // 2, 1)
        self.pool2d_avg = nn.AvgPool2D(2, 2)

    def forward(self, input: paddle.Tensor) -> paddle.Tensor:
        return self.pool2d_avg(self.conv_ac_func(input))


class DenseNet(nn.Layer):
    """DenseNet (Huang et al. 2016).

    Args:
        layers: 121, 161, 169, 201 or 264.
        bn_size: width of the hidden part of a layer, in growth rates.
        dropout: dropout rate.
        num_classes: size of the output; 0 for the features.
        with_pool: whether to average the features over the image.

    Shape:
        float[N, 3, H, W] to float[N, num_classes].

    Raises:
        InvalidArgumentError: for any other number of layers.

    Example:
        >>> import jaxeager as paddle
        >>> model = paddle.vision.models.DenseNet(num_classes=10)
        >>> model.out.weight.shape
        paddle.Size([1024, 10])
    """

    def __init__(
        self,
        layers: int = 121,
        bn_size: int = 4,
        dropout: float = 0.0,
        num_classes: int = 1000,
        with_pool: bool = True,
    ):
        super().__init__()
        if layers not in CONFIGS:
            raise InvalidArgumentError(
                f"layers must be one of {list(CONFIGS)}, but received {layers}."
            )
        channels, growth_rate, counts = CONFIGS[layers]
        self.num_classes = num_classes
        self.with_pool = with_pool
        self.conv1_func = ConvBNLayer(3, channels)
        self.pool2d_max = nn.MaxPool2D(3, 2, padding=1)
        for stage, count in enumerate(counts, 2):
            block = DenseBlock(stage, channels, count, growth_rate, bn_size, dropout)
            self.add_sublayer(f"db_conv_{stage}", block)
            channels += count * growth_rate
            if stage <= len(counts):
                self.add_sublayer(f"tr_conv{stage}_blk", TransitionLayer(channels))
                channels //= 2
        self.last_stage = len(counts) + 1
        self.batch_norm = nn.BatchNorm(channels, act="relu")
        if with_pool:
            self.pool2d_avg = nn.AdaptiveAvgPool2D(1)
        if num_classes > 0:
            bound = 1.0 / math.sqrt(channels)
            draw = paddle.ParamAttr(initializer=nn.initializer.Uniform(-bound, bound))
            self.out = nn.Linear(channels, num_classes, weight_attr=draw)

    def forward(self, input: paddle.Tensor) -> paddle.Tensor:
        x = self.pool2d_max(self.conv1_func(input))
        for stage in range(2, self.last_stage + 1):
            x = getattr(self, f"db_conv_{stage}")(x)
            if stage < self.last_stage:
                x = getattr(self, f"tr_conv{stage}_blk")(x)
        x = self.batch_norm(x)
        if self.with_pool:
            x = self.pool2d_avg(x)
        return self.out(paddle.flatten(x, 1)) if self.num_classes > 0 else x


densenet121, densenet161, densenet169, densenet201, densenet264 = (
    constructor(f"densenet{n}", DenseNet, f"a DenseNet of {n} layers", layers=n) for n in CONFIGS
)
