"""paddle.dataset.cifar: photographs, float32[3072] from 0 to 1, with their classes."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from jaxeager.legacy.dataset import common
from jaxeager.vision.datasets.cifar import samples_of

URL_PREFIX = "https://dataset.bj.bcebos.com/cifar/"
CIFAR10_URL = URL_PREFIX + "cifar-10-python.tar.gz"
CIFAR10_MD5 = "c58f30108f718f92721af3b95e74349a"
CIFAR100_URL = URL_PREFIX + "cifar-100-python.tar.gz"
CIFAR100_MD5 = "eb9058c3a382ffc7106e4002c42a8d85"


def reader_creator(
    filename: str, sub_name: str, cycle: bool = False
) -> Callable[[], Iterator[tuple[np.ndarray, int]]]:
    """Return a reader of photographs and their classes.

    Args:
        filename: path of the archive.
        sub_name: a part of the names of the files to read from it.
        cycle: whether the reader starts again at the end, indefinitely.

    Example:
        >>> import jaxeager as paddle
        >>> read = paddle.dataset.cifar.reader_creator(  # doctest: +SKIP
        ...     "cifar-10-python.tar.gz", "data_batch"
        ... )
    """

    def reader() -> Iterator[tuple[np.ndarray, int]]:
        while True:
            for image, label in samples_of(filename, sub_name):
                yield (image / 255.0).astype(np.float32), int(label)
            if not cycle:
                return

    return reader


def _archive(kind: int) -> str:
    if kind == 10:
        return common.download(CIFAR10_URL, "cifar", CIFAR10_MD5)
    return common.download(CIFAR100_URL, "cifar", CIFAR100_MD5)


def train100() -> Callable[[], Iterator[tuple[np.ndarray, int]]]:
    """Return a reader of the training photographs, of 100 classes.

    Raises:
        UnavailableError: naming the file that is not there.

    Example:
        >>> import jaxeager as paddle
        >>> image, label = next(paddle.dataset.cifar.train100()())  # doctest: +SKIP
    """
    return reader_creator(_archive(100), "train")


def test100() -> Callable[[], Iterator[tuple[np.ndarray, int]]]:
    """Return a reader of the test photographs, of 100 classes.

    Raises:
        UnavailableError: naming the file that is not there.

    Example:
        >>> import jaxeager as paddle
        >>> image, label = next(paddle.dataset.cifar.test100()())  # doctest: +SKIP
    """
    return reader_creator(_archive(100), "test")


def train10(cycle: bool = False) -> Callable[[], Iterator[tuple[np.ndarray, int]]]:
    """Return a reader of the training photographs, of 10 classes.

    Args:
        cycle: whether the reader starts again at the end, indefinitely.

    Raises:
        UnavailableError: naming the file that is not there.

    Example:
        >>> import jaxeager as paddle
        >>> image, label = next(paddle.dataset.cifar.train10()())  # doctest: +SKIP
    """
    return reader_creator(_archive(10), "data_batch", cycle)


def test10(cycle: bool = False) -> Callable[[], Iterator[tuple[np.ndarray, int]]]:  # noqa: PT028 - no test
    """Return a reader of the test photographs, of 10 classes.

    Args:
        cycle: whether the reader starts again at the end, indefinitely.

    Raises:
        UnavailableError: naming the file that is not there.

    Example:
        >>> import jaxeager as paddle
        >>> image, label = next(paddle.dataset.cifar.test10()())  # doctest: +SKIP
    """
    return reader_creator(_archive(10), "test_batch", cycle)


def fetch() -> None:
    """Check that the files exist.

    Raises:
        UnavailableError: naming the first that does not.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.dataset.cifar.fetch()  # doctest: +SKIP
    """
    _archive(10)
    _archive(100)


common.fetchers.append(fetch)
