"""SqueezeNet."""

import jaxeager as paddle
import jaxeager.nn.functional as F
from jaxeager import nn
from jaxeager.errors import InvalidArgumentError
from jaxeager.vision.models.blocks import constructor

# Input, squeezed and (twice the) expanded channels of the eight fire modules.
FIRES = (
    (96, 16, 64),
    (128, 16, 64),
    (128, 32, 128),
    (256, 32, 128),
    (256, 48, 192),
    (384, 48, 192),
    (384, 64, 256),
    (512, 64, 256),
)
# Numbers of the fire modules that are followed by a max pooling.
POOLED = {"1.0": (3, 7), "1.1": (2, 4)}


class MakeFireConv(nn.Layer):
    """A convolution and a ReLU.

    Args:
        in_channels: channels of the input.
        out_channels: channels of the output.
        size: size of the kernel.
        padding: padding of the image.

    Shape:
        float[N, in_channels, H, W] to float[N, out_channels, H, W].
    """

    def __init__(self, in_channels, out_channels, size, padding=0):
        super().__init__()
        self._conv = nn.Conv2D(in_channels, out_channels, size, padding=padding)

    def forward(self, x: paddle.Tensor) -> paddle.Tensor:
        return F.relu(self._conv(x))


class MakeFire(nn.Layer):
    """A module that squeezes the channels, then expands them by 1x1 and 3x3 convolutions.

    Args:
        in_channels: channels of the input.
        squeezed: hidden channels.
        expanded: channels of each half of the output.

    Shape:
        float[N, in_channels, H, W] to float[N, 2 * expanded, H, W].
    """

    def __init__(self, in_channels, squeezed, expanded):
        super().__init__()
        self._conv = MakeFireConv(in_channels, squeezed, 1)
        self._conv_path1 = MakeFireConv(squeezed, expanded, 1)
        self._conv_path2 = MakeFireConv(squeezed, expanded, 3, padding=1)

    def forward(self, x: paddle.Tensor) -> paddle.Tensor:
        x = self._conv(x)
        return paddle.concat([self._conv_path1(x), self._conv_path2(x)], axis=1)


class SqueezeNet(nn.Layer):
    """SqueezeNet (Iandola et al. 2016).

    Args:
        version: "1.0" or "1.1".
        num_classes: size of the output; 0 for the features.
        with_pool: whether to average the result over the image.

    Shape:
        float[N, 3, H, W] to float[N, num_classes].

    Raises:
        InvalidArgumentError: for any other version.

    Example:
        >>> import jaxeager as paddle
        >>> model = paddle.vision.models.SqueezeNet("1.1", num_classes=10)
        >>> model(paddle.ones([1, 3, 32, 32])).shape
        paddle.Size([1, 10])
    """

    def __init__(self, version: str, num_classes: int = 1000, with_pool: bool = True):
        super().__init__()
        if version not in POOLED:
            raise InvalidArgumentError(f"version must be '1.0' or '1.1', but received {version!r}.")
        self.version = version
        self.num_classes = num_classes
        self.with_pool = with_pool
        is_first = version == "1.0"
        self._conv = nn.Conv2D(3, 96, 7, 2) if is_first else nn.Conv2D(3, 64, 3, 2, padding=1)
        self._pool = nn.MaxPool2D(3, 2)
        for number, (channels, squeezed, expanded) in enumerate(FIRES, 1):
            channels = 64 if number == 1 and not is_first else channels
            self.add_sublayer(f"_conv{number}", MakeFire(channels, squeezed, expanded))
        self._drop = nn.Dropout(0.5, mode="downscale_in_infer")
        self._conv9 = nn.Conv2D(512, num_classes, 1)
        self._avg_pool = nn.AdaptiveAvgPool2D(1)

    def forward(self, inputs: paddle.Tensor) -> paddle.Tensor:
        x = self._pool(F.relu(self._conv(inputs)))
        for number in range(1, len(FIRES) + 1):
            x = getattr(self, f"_conv{number}")(x)
            if number in POOLED[self.version]:
                x = self._pool(x)
        if self.num_classes > 0:
            x = self._conv9(self._drop(x))
        if self.with_pool:
            x = paddle.squeeze(self._avg_pool(F.relu(x)), [2, 3])
        return x


squeezenet1_0 = constructor("squeezenet1_0", SqueezeNet, "a SqueezeNet 1.0", version="1.0")
squeezenet1_1 = constructor("squeezenet1_1", SqueezeNet, "a SqueezeNet 1.1", version="1.1")
