"""AlexNet."""

import math

import jaxeager as paddle
import jaxeager.nn.functional as F
from jaxeager import nn
from jaxeager.vision.models.blocks import constructor


def _uniform(fan_in: int) -> dict:
    """Return weight and bias attributes that draw from (-1, 1) / sqrt(fan_in)."""
    bound = 1.0 / math.sqrt(fan_in)
    draw = nn.initializer.Uniform(-bound, bound)
    return {
        "weight_attr": paddle.ParamAttr(initializer=draw),
        "bias_attr": paddle.ParamAttr(initializer=draw),
    }


def _conv(in_channels: int, out_channels: int, size: int, stride: int, padding: int):
    draws = _uniform(in_channels * size * size)
    return nn.Conv2D(in_channels, out_channels, size, stride, padding, **draws)


class ConvPoolLayer(nn.Layer):
    """A convolution, a ReLU and a max pooling of 3 by 3 with stride 2.

    Args:
        in_channels: channels of the input.
        out_channels: channels of the output.
        size: size of the kernel.
        stride: stride of the kernel.
        padding: padding of the kernel.

    Shape:
        float[N, in_channels, H, W] to float[N, out_channels, H', W'].
    """

    def __init__(self, in_channels, out_channels, size, stride, padding):
        super().__init__()
        self.relu = nn.ReLU()
        self._conv = _conv(in_channels, out_channels, size, stride, padding)
        self._pool = nn.MaxPool2D(3, 2)

    def forward(self, inputs: paddle.Tensor) -> paddle.Tensor:
        return self._pool(self.relu(self._conv(inputs)))


class AlexNet(nn.Layer):
    """AlexNet (Krizhevsky et al. 2012) for 224 by 224 images.

    Args:
        num_classes: size of the output; 0 for the features.

    Shape:
        float[N, 3, 224, 224] to float[N, num_classes].

    Example:
        >>> import jaxeager as paddle
        >>> model = paddle.vision.models.AlexNet(num_classes=0)
        >>> model(paddle.ones([1, 3, 64, 64])).shape
        paddle.Size([1, 256, 1, 1])
    """

    def __init__(self, num_classes: int = 1000):
        super().__init__()
        self.num_classes = num_classes
        self._conv1 = ConvPoolLayer(3, 64, 11, 4, 2)
        self._conv2 = ConvPoolLayer(64, 192, 5, 1, 2)
        self._conv3 = _conv(192, 384, 3, 1, 1)
        self._conv4 = _conv(384, 256, 3, 1, 1)
        self._conv5 = ConvPoolLayer(256, 256, 3, 1, 1)
        if num_classes > 0:
            features = 256 * 6 * 6
            self._drop1 = nn.Dropout(0.5, mode="downscale_in_infer")
            self._fc6 = nn.Linear(features, 4096, **_uniform(features))
            self._drop2 = nn.Dropout(0.5, mode="downscale_in_infer")
            self._fc7 = nn.Linear(4096, 4096, **_uniform(features))
            self._fc8 = nn.Linear(4096, num_classes, **_uniform(features))

    def forward(self, inputs: paddle.Tensor) -> paddle.Tensor:
        x = self._conv2(self._conv1(inputs))
        x = F.relu(self._conv4(F.relu(self._conv3(x))))
        x = self._conv5(x)
        if self.num_classes <= 0:
            return x
        x = F.relu(self._fc6(self._drop1(paddle.flatten(x, 1))))
        x = F.relu(self._fc7(self._drop2(x)))
        return self._fc8(x)


alexnet = constructor("alexnet", AlexNet, "an AlexNet")
