"""Text datasets. Their files must exist already: jaxeager downloads nothing."""

from jaxeager.text.datasets.conll05 import Conll05st
from jaxeager.text.datasets.imdb import Imdb
from jaxeager.text.datasets.imikolov import Imikolov
from jaxeager.text.datasets.movielens import Movielens
from jaxeager.text.datasets.uci_housing import UCIHousing
from jaxeager.text.datasets.wmt14 import WMT14
from jaxeager.text.datasets.wmt16 import WMT16

__all__ = ["WMT14", "WMT16", "Conll05st", "Imdb", "Imikolov", "Movielens", "UCIHousing"]
