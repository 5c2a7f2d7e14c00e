"""paddle.dataset.uci_housing: houses in Boston, 13 features around 0 each, with their prices."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np

from jaxeager.io.archives import reading
from jaxeager.legacy.dataset import common

URL = "http://paddlemodels.bj.bcebos.com/uci_housing/housing.data"
MD5 = "d4accdce7a25600298819f8e28e8d593"
feature_names = [
    "CRIM", "ZN", "INDUS", "CHAS", "NOX", "RM", "AGE", "DIS", "RAD", "TAX", "PTRATIO", "B",
    "LSTAT",
]  # fmt: skip
UCI_TRAIN_DATA: np.ndarray | None = None
UCI_TEST_DATA: np.ndarray | None = None


def feature_range(maximums: np.ndarray, minimums: np.ndarray) -> None:
    """Draw the ranges of the features into image/ranges.png, with matplotlib.

    Args:
        maximums: the maximum of each feature.
        minimums: the minimum of each feature.

    Raises:
        ImportError: without matplotlib.

    Example:
        >>> import jaxeager as paddle, numpy as np
        >>> paddle.dataset.uci_housing.feature_range(  # doctest: +SKIP
        ...     np.ones(13), np.zeros(13)
        ... )
    """
    from matplotlib.figure import Figure

    figure = Figure(figsize=(10, 6))
    axes = figure.add_subplot()
    axes.bar(range(len(maximums)), maximums - minimums, color="r", align="center")
    axes.set_title("feature scale")
    axes.set_xticks(range(len(maximums)), feature_names[: len(maximums)])
    axes.set_xlim(-1, len(maximums))
    common.must_mkdirs("./image")
    figure.savefig("image/ranges.png", dpi=48)


def load_data(filename: str, feature_num: int = 14, ratio: float = 0.8) -> None:
    """Read the file into ``UCI_TRAIN_DATA`` and ``UCI_TEST_DATA``, unless they are set.

    Args:
        filename: path of the file.
        feature_num: the number of columns of a row; the price is the last.
        ratio: the share of training data.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.dataset.uci_housing.load_data("housing.data")  # doctest: +SKIP
    """
    global UCI_TRAIN_DATA, UCI_TEST_DATA
    if UCI_TRAIN_DATA is not None and UCI_TEST_DATA is not None:
        return
    with reading(filename):
        words = Path(filename).read_text(encoding="utf-8").split()
        rows = np.array(words, np.float64).reshape(-1, feature_num)
        if not len(rows) or not np.isfinite(rows).all():
            raise ValueError("it has no numbers, or some that are not finite")
    given = rows[:, :-1]
    rows[:, :-1] = (given - given.mean(0)) / (given.max(0) - given.min(0))
    count = int(len(rows) * ratio)
    UCI_TRAIN_DATA, UCI_TEST_DATA = rows[:count], rows[count:]


def _loaded(name: str) -> np.ndarray:
    load_data(common.download(URL, "uci_housing", MD5))
    return globals()[name]


def _reader(rows: np.ndarray) -> Callable[[], Iterator[tuple[np.ndarray, np.ndarray]]]:
    return lambda: ((row[:-1], row[-1:]) for row in rows)


def train() -> Callable[[], Iterator[tuple[np.ndarray, np.ndarray]]]:
    """Return a reader of the training houses, float64[13] and float64[1].

    Raises:
        UnavailableError: naming the file when it does not exist.

    Example:
        >>> import jaxeager as paddle
        >>> house, price = next(paddle.dataset.uci_housing.train()())  # doctest: +SKIP
    """
    return _reader(_loaded("UCI_TRAIN_DATA"))


def test() -> Callable[[], Iterator[tuple[np.ndarray, np.ndarray]]]:
    """Return a reader of the test houses, float64[13] and float64[1].

    Raises:
        UnavailableError: naming the file when it does not exist.

    Example:
        >>> import jaxeager as paddle
        >>> house, price = next(paddle.dataset.uci_housing.test()())  # doctest: +SKIP
    """
    return _reader(_loaded("UCI_TEST_DATA"))


def predict_reader() -> tuple[np.ndarray]:
    """Return the first test house, in a tuple.

    Raises:
        UnavailableError: naming the file when it does not exist.

    Example:
        >>> import jaxeager as paddle
        >>> (house,) = paddle.dataset.uci_housing.predict_reader()  # doctest: +SKIP
    """
    return (_loaded("UCI_TEST_DATA")[0][:-1],)


def fetch() -> None:
    """Check that the file exists.

    Raises:
        UnavailableError: naming it when it does not.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.dataset.uci_housing.fetch()  # doctest: +SKIP
    """
    common.download(URL, "uci_housing", MD5)


common.fetchers.append(fetch)
