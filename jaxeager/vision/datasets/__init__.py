"""Image datasets. Their files must exist already: jaxeager downloads nothing."""

from jaxeager.vision.datasets.cifar import Cifar10, Cifar100
from jaxeager.vision.datasets.flowers import Flowers
from jaxeager.vision.datasets.folder import DatasetFolder, ImageFolder
from jaxeager.vision.datasets.mnist import MNIST, FashionMNIST
from jaxeager.vision.datasets.voc2012 import VOC2012

__all__ = [
    "MNIST", "VOC2012", "Cifar10", "Cifar100", "DatasetFolder", "FashionMNIST", "Flowers",
    "ImageFolder",
]  # fmt: skip
