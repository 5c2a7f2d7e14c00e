"""TESS: 2800 words, spoken in seven moods."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from jaxeager.audio.datasets.dataset import AudioClassificationDataset, folder_of
from jaxeager.errors import RefusedArgumentError


class TESS(AudioClassificationDataset):
    """The TESS dataset: spoken words, with seven moods as classes.

    Args:
        mode: "train" for all folds except one; anything else for that one.
        n_folds: number of folds that the words are distributed over, in turn.
        split: the fold that is held out.
        feat_type: "raw" for the waveform, "spectrogram", "melspectrogram", "logmelspectrogram" or
            "mfcc".
        archive: {"url": the address that an error names}.
        kwargs: arguments of the feature's layer.

    Raises:
        RefusedArgumentError: for any other fold.
        UnavailableError: if the folder does not exist; names it.

    Paddle: distributes the files in the order in which the system lists them; here they are sorted
    by name, so that the folds are the same everywhere.

    Example:
        >>> import jaxeager as paddle
        >>> words = paddle.audio.datasets.TESS("train", feat_type="mfcc")  # doctest: +SKIP
        >>> feature, label = words[0]  # doctest: +SKIP
    """

    archive = {  # noqa: RUF012
        "url": "https://bj.bcebos.com/paddleaudio/datasets/TESS_Toronto_emotional_speech_set.zip",
        "md5": "1465311b24d1de704c4c63e4ccc470c7",
    }
    label_list = ["angry", "disgust", "fear", "happy", "neutral", "ps", "sad"]  # noqa: RUF012
    audio_path = "TESS_Toronto_emotional_speech_set"

    def __init__(
        self,
        mode: str = "train",
        n_folds: int = 5,
        split: int = 1,
        feat_type: str = "raw",
        archive: dict[str, str] | None = None,
        **kwargs: Any,
    ):
        if not isinstance(n_folds, int) or n_folds < 1:
            raise RefusedArgumentError(
                f"the n_folds should be integer and n_folds >= 1, but got {n_folds}"
            )
        if split not in range(1, n_folds + 1):
            raise RefusedArgumentError(
                f"The selected split should be integer and should be 1 <= split <= {n_folds}, but "
                f"got {split}"
            )
        self.archive = type(self).archive if archive is None else archive
        folder = Path(folder_of(self.audio_path, self.archive))
        found = sorted(os.fspath(path) for path in folder.rglob("*.wav"))
        files = [
            path
            for number, path in enumerate(found)
            if (number % n_folds + 1 != split) == (mode == "train")
        ]
        labels = [self.label_list.index(Path(path).stem.split("_")[2]) for path in files]
        super().__init__(files, labels, feat_type, **kwargs)
