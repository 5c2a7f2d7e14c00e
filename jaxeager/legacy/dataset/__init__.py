"""paddle.dataset: the older readers of data sets, for files that already exist.

Each module has functions (``train``, ``test``, ...) that return a reader: a function that returns
an iterator of samples. ``paddle.vision.datasets`` and ``paddle.text`` have the same data as
Datasets.
"""

from jaxeager.legacy.dataset import cifar, common, imdb, mnist, uci_housing

__all__ = ["cifar", "common", "imdb", "mnist", "uci_housing"]
