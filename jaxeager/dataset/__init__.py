"""paddle.dataset: the older readers of data sets, of files that are there already.

Each module has functions (``train``, ``test``, ...) that return a reader: a function that returns
an iterator of samples. ``paddle.vision.datasets`` and ``paddle.text`` have the same as Datasets.
"""

from jaxeager.dataset import cifar, common, imdb, mnist, uci_housing

__all__ = ["cifar", "common", "imdb", "mnist", "uci_housing"]
