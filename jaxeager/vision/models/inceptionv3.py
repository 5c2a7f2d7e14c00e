"""InceptionV3."""

import math

import jaxeager as paddle
from jaxeager import nn
from jaxeager.vision.models.blocks import constructor
from jaxeager.vision.ops.conv_norm_activation import ConvNormActivation

# A branch is a sequence of convolutions: (name, output channels, kernel, stride, padding).
Conv = tuple[str, int, int | tuple[int, int], int, int | tuple[int, int]]
ROW, COLUMN = (1, 7), (7, 1)
ALONG, DOWN = (0, 3), (3, 0)


class InceptionStem(nn.Layer):
    """The convolutions before the inception modules.

    Shape:
        float[N, 3, 299, 299] to float[N, 192, 35, 35].
    """

    def __init__(self):
        super().__init__()
        self.conv_1a_3x3 = ConvNormActivation(3, 32, 3, 2, padding=0)
        self.conv_2a_3x3 = ConvNormActivation(32, 32, 3, padding=0)
        self.conv_2b_3x3 = ConvNormActivation(32, 64, 3)
        self.max_pool = nn.MaxPool2D(3, 2)
        self.conv_3b_1x1 = ConvNormActivation(64, 80, 1)
        self.conv_4a_3x3 = ConvNormActivation(80, 192, 3, padding=0)

    def forward(self, x: paddle.Tensor) -> paddle.Tensor:
        x = self.conv_2b_3x3(self.conv_2a_3x3(self.conv_1a_3x3(x)))
        x = self.conv_4a_3x3(self.conv_3b_1x1(self.max_pool(x)))
        return self.max_pool(x)


class Branches(nn.Layer):
    """Base of the inception modules: parallel branches and a pooled one.

    Args:
        in_channels: channels of the input.
        branches: sequences of convolutions.
        pooled: channels of the pooled branch; None for just a max pooling of stride 2.

    Shape:
        float[N, in_channels, H, W] to float[N, sum of the branches, H', W'].
    """

    def __init__(self, in_channels: int, branches: list[list[Conv]], pooled: int | None):
        super().__init__()
        self.rows = [[name for name, *_ in branch] for branch in branches]
        for branch in branches:
            channels = in_channels
            for name, width, kernel, stride, padding in branch:
                conv = ConvNormActivation(channels, width, kernel, stride, padding)
                self.add_sublayer(name, conv)
                channels = width
        self.has_projection = pooled is not None
        if pooled is None:
            self.branch_pool = nn.MaxPool2D(3, 2)
        else:
            self.branch_pool = nn.AvgPool2D(3, 1, padding=1, exclusive=False)
            self.branch_pool_conv = ConvNormActivation(in_channels, pooled, 1)

    def forward(self, x: paddle.Tensor) -> paddle.Tensor:
        outs = []
        for names in self.rows:
            out = x
            for name in names:
                out = getattr(self, name)(out)
            outs.append(out)
        pooled = self.branch_pool(x)
        outs.append(self.branch_pool_conv(pooled) if self.has_projection else pooled)
        return paddle.concat(outs, axis=1)


class InceptionA(Branches):
    """An inception module with branches 1x1, 5x5 and twice 3x3.

    Args:
        num_channels: channels of the input.
        pool_features: channels of the pooled branch.

    Shape:
        float[N, num_channels, H, W] to float[N, 224 + pool_features, H, W].
    """

    def __init__(self, num_channels, pool_features):
        branches: list[list[Conv]] = [
            [("branch1x1", 64, 1, 1, 0)],
            [("branch5x5_1", 48, 1, 1, 0), ("branch5x5_2", 64, 5, 1, 2)],
            [
                ("branch3x3dbl_1", 64, 1, 1, 0),
                ("branch3x3dbl_2", 96, 3, 1, 1),
                ("branch3x3dbl_3", 96, 3, 1, 1),
            ],
        ]
        super().__init__(num_channels, branches, pool_features)


class InceptionB(Branches):
    """An inception module that halves the image, with branches 3x3 and twice 3x3.

    Args:
        num_channels: channels of the input.

    Shape:
        float[N, num_channels, H, W] to float[N, 480 + num_channels, H / 2, W / 2].
    """

    def __init__(self, num_channels):
        branches: list[list[Conv]] = [
            [("branch3x3", 384, 3, 2, 0)],
            [
                ("branch3x3dbl_1", 64, 1, 1, 0),
                ("branch3x3dbl_2", 96, 3, 1, 1),
                ("branch3x3dbl_3", 96, 3, 2, 0),
            ],
        ]
        super().__init__(num_channels, branches, None)


class InceptionC(Branches):
    """An inception module with a 1x1 branch, and sequences of 1x7 and 7x1.

    Args:
        num_channels: channels of the input.
        channels_7x7: hidden channels.

    Shape:
        float[N, num_channels, H, W] to float[N, 768, H, W].
    """

    def __init__(self, num_channels, channels_7x7):
        width = channels_7x7
        branches: list[list[Conv]] = [
            [("branch1x1", 192, 1, 1, 0)],
            [
                ("branch7x7_1", width, 1, 1, 0),
                ("branch7x7_2", width, ROW, 1, ALONG),
                ("branch7x7_3", 192, COLUMN, 1, DOWN),
            ],
            [
                ("branch7x7dbl_1", width, 1, 1, 0),
                ("branch7x7dbl_2", width, COLUMN, 1, DOWN),
                ("branch7x7dbl_3", width, ROW, 1, ALONG),
                ("branch7x7dbl_4", width, COLUMN, 1, DOWN),
                ("branch7x7dbl_5", 192, ROW, 1, ALONG),
            ],
        ]
        super().__init__(num_channels, branches, 192)


class InceptionD(Branches):
    """An inception module that halves the image, with branches 3x3, and 1x7, 7x1, 3x3.

    Args:
        num_channels: channels of the input.

    Shape:
        float[N, num_channels, H, W] to float[N, 512 + num_channels, H / 2, W / 2].
    """

    def __init__(self, num_channels):
        branches: list[list[Conv]] = [
            [("branch3x3_1", 192, 1, 1, 0), ("branch3x3_2", 320, 3, 2, 0)],
            [
                ("branch7x7x3_1", 192, 1, 1, 0),
                ("branch7x7x3_2", 192, ROW, 1, ALONG),
                ("branch7x7x3_3", 192, COLUMN, 1, DOWN),
                ("branch7x7x3_4", 192, 3, 2, 0),
            ],
        ]
        super().__init__(num_channels, branches, None)


class InceptionE(nn.Layer):
    """An inception module with a 1x1 branch, and two branches that fork into 1x3 and 3x1.

    Args:
        num_channels: channels of the input.

    Shape:
        float[N, num_channels, H, W] to float[N, 2048, H, W].
    """

    def __init__(self, num_channels):
        super().__init__()
        row, column = ((1, 3), 1, (0, 1)), ((3, 1), 1, (1, 0))
        self.branch1x1 = ConvNormActivation(num_channels, 320, 1)
        self.branch3x3_1 = ConvNormActivation(num_channels, 384, 1)
        self.branch3x3_2a = ConvNormActivation(384, 384, *row)
        self.branch3x3_2b = ConvNormActivation(384, 384, *column)
        self.branch3x3dbl_1 = ConvNormActivation(num_channels, 448, 1)
        self.branch3x3dbl_2 = ConvNormActivation(448, 384, 3)
        self.branch3x3dbl_3a = ConvNormActivation(384, 384, *row)
        self.branch3x3dbl_3b = ConvNormActivation(384, 384, *column)
        self.branch_pool = nn.AvgPool2D(3, 1, padding=1, exclusive=False)
        self.branch_pool_conv = ConvNormActivation(num_channels, 192, 1)

    def forward(self, x: paddle.Tensor) -> paddle.Tensor:
        three = self.branch3x3_1(x)
        twice = self.branch3x3dbl_2(self.branch3x3dbl_1(x))
        outs = [
            self.branch1x1(x),
            self.branch3x3_2a(three),
            self.branch3x3_2b(three),
            self.branch3x3dbl_3a(twice),
            self.branch3x3dbl_3b(twice),
            self.branch_pool_conv(self.branch_pool(x)),
        ]
        return paddle.concat(outs, axis=1)


class InceptionV3(nn.Layer):
    """InceptionV3 (Szegedy et al. 2015).

    Args:
        num_classes: size of the output; 0 for the features.
        with_pool: whether to average the features over the image.

    Shape:
        float[N, 3, 299, 299] to float[N, num_classes].

    Example:
        >>> import jaxeager as paddle
        >>> model = paddle.vision.models.InceptionV3(num_classes=10)
        >>> model.fc.weight.shape
        paddle.Size([2048, 10])
    """

    def __init__(self, num_classes: int = 1000, with_pool: bool = True):
        super().__init__()
        self.num_classes = num_classes
        self.with_pool = with_pool
        self.inception_stem = InceptionStem()
        self.inception_block_list = nn.LayerList(
            [
                InceptionA(192, 32),
                InceptionA(256, 64),
                InceptionA(288, 64),
                InceptionB(288),
                InceptionC(768, 128),
                InceptionC(768, 160),
                InceptionC(768, 160),
                InceptionC(768, 192),
                InceptionD(768),
                InceptionE(1280),
                InceptionE(2048),
            ]
        )
        if with_pool:
            self.avg_pool = nn.AdaptiveAvgPool2D(1)
        if num_classes > 0:
            bound = 1.0 / math.sqrt(2048)
            draw = paddle.ParamAttr(initializer=nn.initializer.Uniform(-bound, bound))
            self.dropout = nn.Dropout(0.2, mode="downscale_in_infer")
            self.fc = nn.Linear(2048, num_classes, weight_attr=draw)

    def forward(self, x: paddle.Tensor) -> paddle.Tensor:
        x = self.inception_stem(x)
        for block in self.inception_block_list:
            x = block(x)
        if self.with_pool:
            x = self.avg_pool(x)
        if self.num_classes <= 0:
            return x
        return self.fc(self.dropout(paddle.reshape(x, [-1, 2048])))


inception_v3 = constructor("inception_v3", InceptionV3, "an InceptionV3")
