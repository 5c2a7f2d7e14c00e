"""paddle.text: Viterbi decoding, and text datasets from existing files."""

from jaxeager.text import datasets
from jaxeager.text.datasets import (
    WMT14,
    WMT16,
    Conll05st,
    Imdb,
    Imikolov,
    Movielens,
    UCIHousing,
)
from jaxeager.text.viterbi import ViterbiDecoder, viterbi_decode

__all__ = [
    "WMT14", "WMT16", "Conll05st", "Imdb", "Imikolov", "Movielens", "UCIHousing",
    "ViterbiDecoder", "datasets", "viterbi_decode",
]  # fmt: skip
