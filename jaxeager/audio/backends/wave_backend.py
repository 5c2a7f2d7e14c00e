"""WAV files of 16-bit integers, read and written by Python's ``wave`` module."""

from __future__ import annotations

import contextlib
import os
import struct
import wave
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

import jaxeager as paddle
from jaxeager.errors import InvalidArgumentError, RefusedArgumentError, UnimplementedError
from jaxeager.io.archives import reading

if TYPE_CHECKING:
    from typing import Any, BinaryIO

    from jaxeager.tensor.tensor import Tensor

SCALE = 2**15


class AudioInfo(NamedTuple):
    """The header of an audio file.

    Attributes:
        sample_rate: samples per second.
        num_samples: number of samples per channel.
        num_channels: number of channels.
        bits_per_sample: bits per sample.
        encoding: "PCM_S", signed integers.
    """

    sample_rate: int
    num_samples: int
    num_channels: int
    bits_per_sample: int
    encoding: str


@contextlib.contextmanager
def _opened(filepath):
    """Open a WAV file for reading; a file that the caller opened stays open.

    Raises:
        UnimplementedError: if it is any other kind of file.
    """
    with contextlib.ExitStack() as stack:
        is_file = hasattr(filepath, "read")
        file = filepath if is_file else stack.enter_context(open(filepath, "rb"))
        try:
            reader = stack.enter_context(wave.open(file))
        except (wave.Error, EOFError, struct.error, RuntimeError) as error:
            raise UnimplementedError(
                f"only PCM16 WAV supported, but {filepath} is something else: {error}."
            ) from None
        with reading(str(getattr(filepath, "name", "the file")) if is_file else filepath):
            yield reader


def _bytes_of(filepath: Any) -> int:
    """Return the size of a file in bytes."""
    if not hasattr(filepath, "read"):
        return os.path.getsize(filepath)
    place = filepath.tell()
    size = filepath.seek(0, os.SEEK_END)
    filepath.seek(place)
    return size


def info(filepath: str | os.PathLike | BinaryIO) -> AudioInfo:
    """Return the header of a WAV file.

    Args:
        filepath: path, or a file open for reading.

    Returns:
        its sample rate, number of samples and channels, bits per sample, and encoding.

    Raises:
        UnimplementedError: for any other kind of file.

    Example:
        >>> import io
        >>> import jaxeager as paddle
        >>> file = io.BytesIO()
        >>> paddle.audio.save(file, paddle.zeros([1, 80]), 8000)
        >>> _ = file.seek(0)
        >>> paddle.audio.info(file).num_samples
        80
    """
    with _opened(filepath) as file:
        return AudioInfo(
            file.getframerate(),
            file.getnframes(),
            file.getnchannels(),
            file.getsampwidth() * 8,
            "PCM_S",
        )


def load(
    filepath: str | os.PathLike,
    frame_offset: int = 0,
    num_frames: int = -1,
    normalize: bool = True,
    channels_first: bool = True,
) -> tuple[Tensor, int]:
    """Return the samples of a WAV file and its sample rate.

    Paddle: without ``num_frames`` it ignores ``frame_offset``.

    Args:
        filepath: path, or a file open for reading.
        frame_offset: samples to skip.
        num_frames: samples to read, -1 for the rest.
        normalize: whether to divide the samples by 2 ** 15, so that they are in [-1, 1).
        channels_first: whether the result is [channels, samples] instead of [samples, channels].

    Returns:
        float32 tensor, and the sample rate.

    Raises:
        UnimplementedError: for any other kind of file, or samples that do not have 16 bits.
        InvalidArgumentError: for a negative offset, and for a damaged file.

    Example:
        >>> import io
        >>> import jaxeager as paddle
        >>> file = io.BytesIO()
        >>> paddle.audio.save(file, paddle.to_tensor([[0.5, -0.25]]), 8000)
        >>> _ = file.seek(0)
        >>> sound, rate = paddle.audio.load(file)
        >>> sound.tolist(), rate
        ([[0.5, -0.25]], 8000)
    """
    if frame_offset < 0 or num_frames < -1:
        raise InvalidArgumentError(
            "frame_offset must be 0 or more, and num_frames 0 or more or -1, but received "
            f"{frame_offset} and {num_frames}."
        )
    with _opened(filepath) as file:
        if file.getsampwidth() != 2:
            raise UnimplementedError(
                f"only PCM16 WAV supported, but {filepath} has {8 * file.getsampwidth()} bits "
                "per sample."
            )
        file.setpos(min(frame_offset, file.getnframes()))
        count = file.getnframes() if num_frames == -1 else num_frames
        count = min(
            count, _bytes_of(filepath)
        )  # headers can be wrong: do not allocate more than the file holds
        samples = np.frombuffer(file.readframes(count), "<i2").astype(np.float32)
        samples = samples.reshape(-1, file.getnchannels())
        rate = file.getframerate()
    samples = samples / np.float32(SCALE) if normalize else samples
    return paddle.to_tensor(samples.T if channels_first else samples), rate


def save(
    filepath: str,
    src: Tensor,
    sample_rate: int,
    channels_first: bool = True,
    encoding: str | None = None,
    bits_per_sample: int | None = 16,
) -> None:
    """Write samples to a WAV file of 16-bit integers.

    Paddle: 1.0 becomes the lowest sample (it overflows), and float64 is written byte by byte. Here,
    values outside [-1, 1) become the nearest sample.

    Args:
        filepath: path, or a file open for writing.
        src: floating tensor with values in [-1, 1), or int16 with the samples themselves, of shape
            [channels, samples].
        sample_rate: samples per second.
        channels_first: False for the shape [samples, channels].
        encoding: None or "PCM_S".
        bits_per_sample: None or 16.

    Raises:
        InvalidArgumentError: for any other shape, dtype, encoding or number of bits.

    Example:
        >>> import io
        >>> import jaxeager as paddle
        >>> paddle.audio.save(io.BytesIO(), paddle.zeros([2, 80]), 8000)
    """
    if src.ndim != 2:
        raise RefusedArgumentError(
            f"Expected a 2-D tensor of channels and samples, but its shape is {list(src.shape)}."
        )
    if bits_per_sample not in (None, 16) or encoding not in (None, "PCM_S"):
        raise InvalidArgumentError(
            "Invalid bits_per_sample or encoding: only 16 and 'PCM_S' are supported, but received "
            f"{bits_per_sample} and {encoding!r}."
        )
    samples = _as_samples(src)
    samples = samples.T if channels_first else samples
    target = os.fspath(filepath) if isinstance(filepath, os.PathLike) else filepath
    with wave.open(target, "wb") as file:
        file.setnchannels(samples.shape[1])
        file.setsampwidth(2)
        file.setframerate(sample_rate)
        file.writeframes(samples.tobytes())


def _as_samples(src) -> np.ndarray:
    values = src.numpy()
    if src.is_floating_point():
        scaled = np.trunc(values.astype(np.float64) * SCALE)
        return np.clip(scaled, -SCALE, SCALE - 1).astype("<i2")
    if values.dtype != np.int16:
        raise InvalidArgumentError(
            f"Sound must be floating, or int16, but its dtype is {values.dtype.name}."
        )
    return values.astype("<i2")
