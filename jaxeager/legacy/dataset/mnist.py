"""paddle.dataset.mnist: handwritten digits, float32[784] from -1 to 1, with their numbers."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from jaxeager.legacy.dataset import common
from jaxeager.vision.datasets import MNIST

URL_PREFIX = "https://dataset.bj.bcebos.com/mnist/"
TEST_IMAGE_URL = URL_PREFIX + "t10k-images-idx3-ubyte.gz"
TEST_IMAGE_MD5 = "9fb629c4189551a2d022fa330f9573f3"
TEST_LABEL_URL = URL_PREFIX + "t10k-labels-idx1-ubyte.gz"
TEST_LABEL_MD5 = "ec29112dd5afa0611ce80d1b7f02629c"
TRAIN_IMAGE_URL = URL_PREFIX + "train-images-idx3-ubyte.gz"
TRAIN_IMAGE_MD5 = "f68b3c2dcbeaaa9fbdd348bbdeb94873"
TRAIN_LABEL_URL = URL_PREFIX + "train-labels-idx1-ubyte.gz"
TRAIN_LABEL_MD5 = "d53e105ee54ea40749a09fcbcd1e9432"


def reader_creator(
    image_filename: str, label_filename: str, buffer_size: int
) -> Callable[[], Iterator[tuple[np.ndarray, int]]]:
    """Return a reader of digits and their numbers.

    Args:
        image_filename: path of the images.
        label_filename: path of the labels.
        buffer_size: ignored: both files are read in a single step.

    Raises:
        InvalidArgumentError: while reading, when a file has another format.

    Example:
        >>> import jaxeager as paddle
        >>> read = paddle.dataset.mnist.reader_creator(  # doctest: +SKIP
        ...     "train-images-idx3-ubyte.gz", "train-labels-idx1-ubyte.gz", 100
        ... )
    """

    def reader() -> Iterator[tuple[np.ndarray, int]]:
        digits = MNIST(image_filename, label_filename)
        for image, label in zip(digits.images, digits.labels, strict=True):
            yield image.astype(np.float32) / 255.0 * 2.0 - 1.0, int(label[0])

    return reader


def train() -> Callable[[], Iterator[tuple[np.ndarray, int]]]:
    """Return a reader of the training digits.

    Raises:
        UnavailableError: naming the file that is not there.

    Example:
        >>> import jaxeager as paddle
        >>> image, label = next(paddle.dataset.mnist.train()())  # doctest: +SKIP
    """
    images = common.download(TRAIN_IMAGE_URL, "mnist", TRAIN_IMAGE_MD5)
    return reader_creator(images, common.download(TRAIN_LABEL_URL, "mnist", TRAIN_LABEL_MD5), 100)


def test() -> Callable[[], Iterator[tuple[np.ndarray, int]]]:
    """Return a reader of the test digits.

    Raises:
        UnavailableError: naming the file that is not there.

    Example:
        >>> import jaxeager as paddle
        >>> image, label = next(paddle.dataset.mnist.test()())  # doctest: +SKIP
    """
    images = common.download(TEST_IMAGE_URL, "mnist", TEST_IMAGE_MD5)
    return reader_creator(images, common.download(TEST_LABEL_URL, "mnist", TEST_LABEL_MD5), 100)


def fetch() -> None:
    """Check that the files exist.

    Raises:
        UnavailableError: naming the first that does not.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.dataset.mnist.fetch()  # doctest: +SKIP
    """
    train()
    test()


common.fetchers.append(fetch)
