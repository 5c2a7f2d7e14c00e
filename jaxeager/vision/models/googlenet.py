"""GoogLeNet."""

import math

import jaxeager as paddle
import jaxeager.nn.functional as F
from jaxeager import nn
from jaxeager.vision.models.blocks import constructor

# Channels of each inception module: of the input; of the 1x1 path; squeezed and output channels of
# the 3x3 path and of the 5x5 path; of the pooled path.
INCEPTIONS = {
    "3a": (192, 64, 96, 128, 16, 32, 32),
    "3b": (256, 128, 128, 192, 32, 96, 64),
    "4a": (480, 192, 96, 208, 16, 48, 64),
    "4b": (512, 160, 112, 224, 24, 64, 64),
    "4c": (512, 128, 128, 256, 24, 64, 64),
    "4d": (512, 112, 144, 288, 32, 64, 64),
    "4e": (528, 256, 160, 320, 32, 128, 128),
    "5a": (832, 256, 160, 320, 32, 128, 128),
    "5b": (832, 384, 192, 384, 48, 128, 128),
}


class ConvLayer(nn.Layer):
    """A convolution without bias that keeps the size at stride 1.

    Args:
        in_channels: channels of the input.
        out_channels: channels of the output.
        size: size of the kernel.
        stride: stride of the kernel.

    Shape:
        float[N, in_channels, H, W] to float[N, out_channels, H / stride, W / stride].
    """

    def __init__(self, in_channels, out_channels, size, stride=1):
        super().__init__()
        self._conv = nn.Conv2D(
            in_channels, out_channels, size, stride, padding=(size - 1) // 2, bias_attr=False
        )

    def forward(self, inputs: paddle.Tensor) -> paddle.Tensor:
        return self._conv(inputs)


class Inception(nn.Layer):
    """Four parallel paths: 1x1, 3x3, 5x5 and pooled.

    Args:
        channels: a row of INCEPTIONS.

    Shape:
        float[N, channels in, H, W] to float[N, sum of the paths, H, W].
    """

    def __init__(self, channels):
        super().__init__()
        inp, one, squeezed3, three, squeezed5, five, pooled = channels
        self._conv1 = ConvLayer(inp, one, 1)
        self._conv3r = ConvLayer(inp, squeezed3, 1)
        self._conv3 = ConvLayer(squeezed3, three, 3)
        self._conv5r = ConvLayer(inp, squeezed5, 1)
        self._conv5 = ConvLayer(squeezed5, five, 5)
        self._pool = nn.MaxPool2D(3, 1, padding=1)
        self._convprj = ConvLayer(inp, pooled, 1)

    def forward(self, x: paddle.Tensor) -> paddle.Tensor:
        paths = [
            self._conv1(x),
            self._conv3(self._conv3r(x)),
            self._conv5(self._conv5r(x)),
            self._convprj(self._pool(x)),
        ]
        return F.relu(paddle.concat(paths, axis=1))


def _linear(in_features: int, out_features: int, fan_in: int) -> nn.Linear:
    bound = math.sqrt(3.0 / fan_in)
    draw = paddle.ParamAttr(initializer=nn.initializer.Uniform(-bound, bound))
    return nn.Linear(in_features, out_features, weight_attr=draw)


class GoogLeNet(nn.Layer):
    """GoogLeNet (Szegedy et al. 2014), with its two auxiliary classifiers.

    Args:
        num_classes: size of the outputs; 0 for the features.
        with_pool: whether to average the features first.

    Shape:
        float[N, 3, 224, 224] to three of float[N, num_classes]: the output, and those of the
        auxiliary classifiers at modules 4a and 4d.

    Example:
        >>> import jaxeager as paddle
        >>> model = paddle.vision.models.GoogLeNet(num_classes=0, with_pool=False)
        >>> [out.shape for out in model(paddle.ones([1, 3, 64, 64]))]
        [paddle.Size([1, 1024, 1, 1]), paddle.Size([1, 512, 3, 3]), paddle.Size([1, 528, 3, 3])]
    """

    def __init__(self, num_classes: int = 1000, with_pool: bool = True):
        super().__init__()
        self.num_classes = num_classes
        self.with_pool = with_pool
        self._conv = ConvLayer(3, 64, 7, 2)
        self._pool = nn.MaxPool2D(3, 2)
        self._conv_1 = ConvLayer(64, 64, 1)
        self._conv_2 = ConvLayer(64, 192, 3)
        for name, channels in INCEPTIONS.items():
            self.add_sublayer(f"_ince{name}", Inception(channels))
        if with_pool:
            self._pool_5 = nn.AdaptiveAvgPool2D(1)
            self._pool_o1 = nn.AvgPool2D(5, 3)
            self._pool_o2 = nn.AvgPool2D(5, 3)
        if num_classes > 0:
            self._drop = nn.Dropout(0.4, mode="downscale_in_infer")
            self._fc_out = _linear(1024, num_classes, 1024)
            self._conv_o1 = ConvLayer(512, 128, 1)
            self._fc_o1 = _linear(1152, 1024, 2048)
            self._drop_o1 = nn.Dropout(0.7, mode="downscale_in_infer")
            self._out1 = _linear(1024, num_classes, 1024)
            self._conv_o2 = ConvLayer(528, 128, 1)
            self._fc_o2 = _linear(1152, 1024, 2048)
            self._drop_o2 = nn.Dropout(0.7, mode="downscale_in_infer")
            self._out2 = _linear(1024, num_classes, 1024)

    def _features(self, x):
        """Return the outputs of the modules 5b, 4a and 4d."""
        x = self._pool(self._conv(x))
        x = self._pool(self._conv_2(self._conv_1(x)))
        given = {}
        for name in INCEPTIONS:
            x = given[name] = getattr(self, f"_ince{name}")(x)
            if name in ("3b", "4e"):
                x = self._pool(x)
        return given["5b"], given["4a"], given["4d"]

    def forward(self, inputs: paddle.Tensor) -> tuple[paddle.Tensor, ...]:
        out, out1, out2 = self._features(inputs)
        if self.with_pool:
            out, out1, out2 = self._pool_5(out), self._pool_o1(out1), self._pool_o2(out2)
        if self.num_classes > 0:
            out = self._fc_out(paddle.squeeze(self._drop(out), [2, 3]))
            out1 = F.relu(self._fc_o1(paddle.flatten(self._conv_o1(out1), 1)))
            out1 = self._out1(self._drop_o1(out1))
            # As in Paddle's model, the second auxiliary classifier has no ReLU.
            out2 = self._fc_o2(paddle.flatten(self._conv_o2(out2), 1))
            out2 = self._out2(self._drop_o2(out2))
        return out, out1, out2


googlenet = constructor("googlenet", GoogLeNet, "a GoogLeNet")
