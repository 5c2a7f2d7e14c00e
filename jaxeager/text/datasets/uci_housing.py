"""The UCI housing dataset: prices of houses in Boston."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from jaxeager.core import dtypes
from jaxeager.io import Dataset
from jaxeager.io.archives import reading
from jaxeager.text.datasets.files import given, mode_of

COLUMNS = 14  # the last is the price


class UCIHousing(Dataset):
    """The UCI housing dataset: 13 features of each neighborhood, and its median house price.

    Features are centered and divided by their range over the whole file. The first 80 % of the
    lines are for training.

    Args:
        data_file: path of ``housing.data``: numbers separated by blanks, 14 per line.
        mode: "train" or "test".
        download: accepted for compatibility: nothing is downloaded.

    Raises:
        InvalidArgumentError: without ``data_file``, or for any other mode.

    Example:
        >>> import jaxeager as paddle
        >>> housing = paddle.text.UCIHousing("housing.data")  # doctest: +SKIP
        >>> features, price = housing[0]  # doctest: +SKIP
    """

    def __init__(self, data_file: str | None = None, mode: str = "train", download: bool = True):
        self.mode = mode_of(mode, "train", "test")
        data_file = given("UCIHousing", data_file)
        self.data_file = data_file
        with reading(data_file):
            words = Path(data_file).read_text(encoding="utf-8").split()
            table = np.array(words, np.float64).reshape(-1, COLUMNS)
            if not np.isfinite(table).all() or not len(table):
                raise ValueError("it has no numbers, or some that are not finite")
        features = table[:, :-1]
        features -= features.mean(0)
        features /= np.ptp(features, axis=0)
        first = int(len(table) * 0.8)
        self.data = table[:first] if self.mode == "train" else table[first:]
        self.dtype = dtypes.to_numpy(dtypes.get_default_dtype())

    def __getitem__(self, idx):
        row = self.data[idx].astype(self.dtype)
        return row[:-1], row[-1:]

    def __len__(self):
        return len(self.data)
