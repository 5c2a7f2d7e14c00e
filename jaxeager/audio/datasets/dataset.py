"""Base of the audio datasets: features of WAV files, and the data folder."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import jaxeager as paddle
from jaxeager.audio.backends.wave_backend import load
from jaxeager.audio.features import MFCC, LogMelSpectrogram, MelSpectrogram, Spectrogram
from jaxeager.errors import (
    InvalidArgumentError,
    PreconditionNotMetError,
    UnavailableError,
)
from jaxeager.io import Dataset
from jaxeager.legacy.dataset import common

if TYPE_CHECKING:
    from collections.abc import Callable

FEATURES: dict[str, Callable | None] = {
    "raw": None, "melspectrogram": MelSpectrogram, "mfcc": MFCC,
    "logmelspectrogram": LogMelSpectrogram, "spectrogram": Spectrogram,
}  # fmt: skip


class AudioClassificationDataset(Dataset):
    """Dataset of recordings, as waveforms or features, with their classes.

    Args:
        files: the paths of WAV files.
        labels: the class of each file.
        feat_type: "raw" for the waveform, "spectrogram", "melspectrogram", "logmelspectrogram" or
            "mfcc".
        sample_rate: ignored: each file contains its own.
        kwargs: arguments of the feature's layer.

    Raises:
        PreconditionNotMetError: for any other feature.
    """

    def __init__(
        self,
        files: Sequence[str],
        labels: Sequence[int],
        feat_type: str = "raw",
        sample_rate: int | None = None,
        **kwargs: Any,
    ):
        super().__init__()
        if feat_type not in FEATURES:
            raise PreconditionNotMetError(
                f"Unknown feat_type: {feat_type}, it must be one in {list(FEATURES)}"
            )
        self.files, self.labels = list(files), list(labels)
        self.feat_type, self.sample_rate, self.feat_config = feat_type, sample_rate, kwargs

    def __getitem__(self, idx: int) -> tuple[paddle.Tensor, int]:
        if not os.path.isfile(self.files[idx]):
            raise InvalidArgumentError(
                f"{self.files[idx]}, which the data set lists, does not exist."
            )
        wave, self.sample_rate = load(self.files[idx])
        wave = (wave.squeeze(0) if wave.ndim == 2 else wave).astype("float32")
        feature = FEATURES[self.feat_type]
        if feature is not None:
            options = {} if self.feat_type == "spectrogram" else {"sr": self.sample_rate}
            wave = feature(**options, **self.feat_config)(wave.unsqueeze(0)).squeeze(0)
        return wave, self.labels[idx]

    def __len__(self) -> int:
        return len(self.files)


def folder_of(name: str, archive: dict[str, str]) -> str:
    """Return the path of a dataset's folder or file in the data folder.

    Raises:
        UnavailableError: if it does not exist.
    """
    path = os.path.join(common.DATA_HOME, name)
    if not os.path.exists(path):
        raise UnavailableError(
            f"{path} does not exist, and jaxeager does not download data sets. Unpack "
            f"{archive['url']} in {common.DATA_HOME}."
        )
    return path
