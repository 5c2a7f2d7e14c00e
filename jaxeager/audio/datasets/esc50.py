"""ESC-50: 2000 recordings of 50 environmental sounds."""

from __future__ import annotations

import csv
import os
from typing import Any

from jaxeager.audio.datasets.dataset import AudioClassificationDataset, folder_of
from jaxeager.errors import RefusedArgumentError
from jaxeager.io.archives import reading


class ESC50(AudioClassificationDataset):
    """The ESC-50 dataset: recordings of environmental sounds, five seconds each, with 50 classes.

    Args:
        mode: "train" for all folds except one; anything else for that one.
        split: the fold that is held out, 1 to 5.
        feat_type: "raw" for the waveform, "spectrogram", "melspectrogram", "logmelspectrogram" or
            "mfcc".
        archive: {"url": the address that an error names}.
        kwargs: arguments of the feature's layer.

    Raises:
        RefusedArgumentError: for any other fold.
        UnavailableError: if the folder does not exist; names it.

    Example:
        >>> import jaxeager as paddle
        >>> sounds = paddle.audio.datasets.ESC50("dev", feat_type="mfcc")  # doctest: +SKIP
        >>> feature, label = sounds[0]  # doctest: +SKIP
    """

    archive = {  # noqa: RUF012
        "url": "https://paddleaudio.bj.bcebos.com/datasets/ESC-50-master.zip",
        "md5": "7771e4b9d86d0945acce719c7a59305a",
    }
    label_list = [  # noqa: RUF012
        "Dog", "Rooster", "Pig", "Cow", "Frog", "Cat", "Hen", "Insects (flying)", "Sheep", "Crow",
        "Rain", "Sea waves", "Crackling fire", "Crickets", "Chirping birds", "Water drops", "Wind",
        "Pouring water", "Toilet flush", "Thunderstorm", "Crying baby", "Sneezing", "Clapping",
        "Breathing", "Coughing", "Footsteps", "Laughing", "Brushing teeth", "Snoring",
        "Drinking, sipping", "Door knock", "Mouse click", "Keyboard typing", "Door, wood creaks",
        "Can opening", "Washing machine", "Vacuum cleaner", "Clock alarm", "Clock tick",
        "Glass breaking", "Helicopter", "Chainsaw", "Siren", "Car horn", "Engine", "Train",
        "Church bells", "Airplane", "Fireworks", "Hand saw",
    ]  # fmt: skip
    meta = os.path.join("ESC-50-master", "meta", "esc50.csv")
    audio_path = os.path.join("ESC-50-master", "audio")

    def __init__(
        self,
        mode: str = "train",
        split: int = 1,
        feat_type: str = "raw",
        archive: dict[str, str] | None = None,
        **kwargs: Any,
    ):
        if split not in range(1, 6):
            raise RefusedArgumentError(
                f"The selected split should be integer, and 1 <= split <= 5, but got {split}"
            )
        self.archive = type(self).archive if archive is None else archive
        folder = folder_of(self.audio_path, self.archive)
        meta = folder_of(self.meta, self.archive)
        with reading(meta), open(meta, newline="", encoding="utf-8") as file:
            rows = [
                (row["filename"], _whole(row["target"]))
                for row in csv.DictReader(file)
                if (_whole(row["fold"]) != split) == (mode == "train")
            ]
            for name, target in rows:
                if not name or os.path.basename(name) != name or not 0 <= target < 50:
                    raise ValueError(f"it has a file {name!r} of class {target}")
        files = [os.path.join(folder, name) for name, _ in rows]
        super().__init__(files, [target for _, target in rows], feat_type, **kwargs)


def _whole(text: str | None) -> int:
    """Return a text as an int; raise ValueError if it is not one."""
    return int(text or "none")
