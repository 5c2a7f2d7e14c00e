"""VGG."""

from typing import Any

import jaxeager as paddle
from jaxeager import nn
from jaxeager.vision.models.blocks import refuse_pretrained

# Channels of the convolutions of each stage; each stage ends with a max pooling.
STAGES = {
    11: [[64], [128], [256, 256], [512, 512], [512, 512]],
    13: [[64, 64], [128, 128], [256, 256], [512, 512], [512, 512]],
    16: [[64, 64], [128, 128], [256] * 3, [512] * 3, [512] * 3],
    19: [[64, 64], [128, 128], [256] * 4, [512] * 4, [512] * 4],
}


class VGG(nn.Layer):
    """VGG (Simonyan, Zisserman 2014) with given features.

    Args:
        features: a layer that maps images to float[N, 512, H, W].
        num_classes: size of the output; 0 for the features.
        with_pool: whether to pool the features to 7 by 7 first.

    Shape:
        float[N, 3, H, W] to float[N, num_classes].

    Example:
        >>> import jaxeager as paddle
        >>> features = paddle.nn.Conv2D(3, 512, 7, stride=32)
        >>> paddle.vision.models.VGG(features, num_classes=0)(paddle.ones([1, 3, 64, 64])).shape
        paddle.Size([1, 512, 7, 7])
    """

    def __init__(self, features: nn.Layer, num_classes: int = 1000, with_pool: bool = True):
        super().__init__()
        self.features = features
        self.num_classes = num_classes
        self.with_pool = with_pool
        if with_pool:
            self.avgpool = nn.AdaptiveAvgPool2D((7, 7))
        if num_classes > 0:
            self.classifier = nn.Sequential(
                nn.Linear(512 * 7 * 7, 4096),
                nn.ReLU(),
                nn.Dropout(),
                nn.Linear(4096, 4096),
                nn.ReLU(),
                nn.Dropout(),
                nn.Linear(4096, num_classes),
            )

    def forward(self, x: paddle.Tensor) -> paddle.Tensor:
        x = self.features(x)
        if self.with_pool:
            x = self.avgpool(x)
        return self.classifier(paddle.flatten(x, 1)) if self.num_classes > 0 else x


def _features(depth: int, batch_norm: bool) -> nn.Sequential:
    layers: list[nn.Layer] = []
    channels = 3
    for stage in STAGES[depth]:
        for width in stage:
            layers.append(nn.Conv2D(channels, width, 3, padding=1))
            layers += [nn.BatchNorm2D(width)] if batch_norm else []
            layers.append(nn.ReLU())
            channels = width
        layers.append(nn.MaxPool2D(2, 2))
    return nn.Sequential(*layers)


def _vgg(depth: int):
    def build(pretrained: bool = False, batch_norm: bool = False, **kwargs: Any) -> VGG:
        refuse_pretrained(f"vgg{depth}", pretrained)
        return VGG(_features(depth, batch_norm), **kwargs)

    build.__name__ = build.__qualname__ = f"vgg{depth}"
    build.__doc__ = f"""Return a VGG of {depth} layers.

    Args:
        pretrained: must be False: weights are not downloaded.
        batch_norm: whether a BatchNorm2D follows each convolution.
        **kwargs: further arguments of VGG.

    Raises:
        UnimplementedError: for ``pretrained=True``; the message explains how to load a file.
    """
    return build


vgg11, vgg13, vgg16, vgg19 = (_vgg(depth) for depth in STAGES)
