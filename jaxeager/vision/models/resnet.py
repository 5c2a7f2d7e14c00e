"""ResNet, ResNeXt and wide ResNet."""

from collections.abc import Callable

import jaxeager as paddle
from jaxeager import nn
from jaxeager.errors import InvalidArgumentError
from jaxeager.vision.models.blocks import constructor

# Number of blocks of the four stages, by depth.
BLOCKS = {
    18: (2, 2, 2, 2),
    34: (3, 4, 6, 3),
    50: (3, 4, 6, 3),
    101: (3, 4, 23, 3),
    152: (3, 8, 36, 3),
}


class BasicBlock(nn.Layer):
    """Two convolutions of 3 by 3 with a shortcut.

    Args:
        inplanes: channels of the input.
        planes: channels of the output.
        stride: stride of the first convolution.
        downsample: the layer on the shortcut; None for none.
        groups: must be 1.
        base_width: must be 64.
        dilation: must be 1.
        norm_layer: function from the number of channels to a norm layer.

    Shape:
        float[N, inplanes, H, W] to float[N, planes, H / stride, W / stride].

    Raises:
        InvalidArgumentError: for any other groups, base_width or dilation.
    """

    expansion = 1

    def __init__(
        self,
        inplanes,
        planes,
        stride=1,
        downsample=None,
        groups: int = 1,
        base_width=64,
        dilation=1,
        norm_layer=None,
    ):
        super().__init__()
        if (groups, base_width, dilation) != (1, 64, 1):
            raise InvalidArgumentError(
                "BasicBlock takes groups=1, base_width=64 and dilation=1, but received "
                f"{groups}, {base_width} and {dilation}; BottleneckBlock takes others."
            )
        norm = norm_layer or nn.BatchNorm2D
        self.conv1 = nn.Conv2D(inplanes, planes, 3, stride, padding=1, bias_attr=False)
        self.bn1 = norm(planes)
        self.relu = nn.ReLU()
        self.conv2 = nn.Conv2D(planes, planes, 3, padding=1, bias_attr=False)
        self.bn2 = norm(planes)
        self.downsample = downsample
        self.stride = stride

    def forward(self, x: paddle.Tensor) -> paddle.Tensor:
        out = self.relu(self.bn1(self.conv1(x)))
        out = self.bn2(self.conv2(out))
        shortcut = x if self.downsample is None else self.downsample(x)
        return self.relu(out + shortcut)


class BottleneckBlock(nn.Layer):
    """A convolution of 3 by 3 between two of 1 by 1, with a shortcut.

    Args:
        inplanes: channels of the input.
        planes: a quarter of the channels of the output.
        stride: stride of the middle convolution.
        downsample: the layer on the shortcut; None for none.
        groups: groups of the middle convolution.
        base_width: the number of channels per group is planes * base_width / 64.
        dilation: dilation of the middle convolution.
        norm_layer: function from the number of channels to a norm layer.

    Shape:
        float[N, inplanes, H, W] to float[N, 4 * planes, H / stride, W / stride].
    """

    expansion = 4

    def __init__(
        self,
        inplanes,
        planes,
        stride=1,
        downsample=None,
        groups: int = 1,
        base_width=64,
        dilation=1,
        norm_layer=None,
    ):
        super().__init__()
        norm = norm_layer or nn.BatchNorm2D
        width = int(planes * (base_width / 64.0)) * groups
        self.conv1 = nn.Conv2D(inplanes, width, 1, bias_attr=False)
        self.bn1 = norm(width)
        self.conv2 = nn.Conv2D(
            width, width, 3, stride, dilation, groups=groups, dilation=dilation, bias_attr=False
        )
        self.bn2 = norm(width)
        self.conv3 = nn.Conv2D(width, planes * self.expansion, 1, bias_attr=False)
        self.bn3 = norm(planes * self.expansion)
        self.relu = nn.ReLU()
        self.downsample = downsample
        self.stride = stride

    def forward(self, x: paddle.Tensor) -> paddle.Tensor:
        out = self.relu(self.bn1(self.conv1(x)))
        out = self.relu(self.bn2(self.conv2(out)))
        out = self.bn3(self.conv3(out))
        shortcut = x if self.downsample is None else self.downsample(x)
        return self.relu(out + shortcut)


class ResNet(nn.Layer):
    """ResNet (He et al. 2015, "Deep residual learning for image recognition").

    Args:
        block: BasicBlock or BottleneckBlock.
        depth: 18, 34, 50, 101 or 152 layers.
        width: channels per group of a bottleneck, in 64ths of its planes.
        num_classes: size of the output; 0 for the features.
        with_pool: whether to average the features over the image.
        groups: groups of the middle convolution of a bottleneck.

    Shape:
        float[N, 3, H, W] to float[N, num_classes].

    Raises:
        InvalidArgumentError: for any other depth.

    Example:
        >>> import jaxeager as paddle
        >>> from jaxeager.vision.models.resnet import BasicBlock
        >>> model = paddle.vision.models.ResNet(BasicBlock, 18, num_classes=10)
        >>> model(paddle.ones([1, 3, 32, 32])).shape
        paddle.Size([1, 10])
    """

    def __init__(
        self,
        block: type[BasicBlock] | type[BottleneckBlock],
        depth: int = 50,
        width: int = 64,
        num_classes: int = 1000,
        with_pool: bool = True,
        groups: int = 1,
    ):
        super().__init__()
        if depth not in BLOCKS:
            raise InvalidArgumentError(
                f"depth must be one of {list(BLOCKS)}, but received {depth}."
            )
        self.groups = groups
        self.base_width = width
        self.num_classes = num_classes
        self.with_pool = with_pool
        self.inplanes = 64
        self.dilation = 1
        self.conv1 = nn.Conv2D(3, 64, 7, 2, padding=3, bias_attr=False)
        self.bn1 = nn.BatchNorm2D(64)
        self.relu = nn.ReLU()
        self.maxpool = nn.MaxPool2D(3, 2, padding=1)
        one, two, three, four = BLOCKS[depth]
        self.layer1 = self._stage(block, 64, one, 1)
        self.layer2 = self._stage(block, 128, two, 2)
        self.layer3 = self._stage(block, 256, three, 2)
        self.layer4 = self._stage(block, 512, four, 2)
        if with_pool:
            self.avgpool = nn.AdaptiveAvgPool2D((1, 1))
        if num_classes > 0:
            self.fc = nn.Linear(512 * block.expansion, num_classes)

    def _stage(self, block, planes: int, count: int, stride: int) -> nn.Sequential:
        """Return the blocks of a stage; the first may halve the image."""
        out_channels = planes * block.expansion
        downsample = None
        if stride != 1 or self.inplanes != out_channels:
            downsample = nn.Sequential(
                nn.Conv2D(self.inplanes, out_channels, 1, stride, bias_attr=False),
                nn.BatchNorm2D(out_channels),
            )
        shared = {"groups": self.groups, "base_width": self.base_width}
        first = block(self.inplanes, planes, stride, downsample, **shared)
        self.inplanes = out_channels
        return nn.Sequential(
            first, *(block(out_channels, planes, **shared) for _ in range(count - 1))
        )

    def forward(self, x: paddle.Tensor) -> paddle.Tensor:
        x = self.maxpool(self.relu(self.bn1(self.conv1(x))))
        x = self.layer4(self.layer3(self.layer2(self.layer1(x))))
        if self.with_pool:
            x = self.avgpool(x)
        return self.fc(paddle.flatten(x, 1)) if self.num_classes > 0 else x


def _resnet(depth: int) -> Callable[..., ResNet]:
    block = BasicBlock if depth < 50 else BottleneckBlock
    what = f"a ResNet of {depth} layers"
    return constructor(f"resnet{depth}", ResNet, what, block=block, depth=depth)


def _resnext(depth: int, groups: int) -> Callable[..., ResNet]:
    what = f"a ResNeXt of {depth} layers with {groups} groups of 4 channels"
    settings = {"block": BottleneckBlock, "depth": depth, "width": 4, "groups": groups}
    return constructor(f"resnext{depth}_{groups}x4d", ResNet, what, **settings)


def _wide_resnet(depth: int) -> Callable[..., ResNet]:
    what = f"a ResNet of {depth} layers whose bottlenecks are twice as wide"
    settings = {"block": BottleneckBlock, "depth": depth, "width": 128}
    return constructor(f"wide_resnet{depth}_2", ResNet, what, **settings)


resnet18, resnet34, resnet50, resnet101, resnet152 = (_resnet(depth) for depth in BLOCKS)
resnext50_32x4d, resnext101_32x4d, resnext152_32x4d = (_resnext(d, 32) for d in (50, 101, 152))
resnext50_64x4d, resnext101_64x4d, resnext152_64x4d = (_resnext(d, 64) for d in (50, 101, 152))
wide_resnet50_2, wide_resnet101_2 = _wide_resnet(50), _wide_resnet(101)
