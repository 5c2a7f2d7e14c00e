"""Images from files: read_file and decode_jpeg."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING

import jax.numpy as jnp
import numpy as np

from jaxeager.arrays.as_array import host_values
from jaxeager.errors import InvalidArgumentError
from jaxeager.ops.call.bad_operands import names_operands
from jaxeager.ops.call.dispatch import wrap
from jaxeager.vision.pillow import opened

if TYPE_CHECKING:
    from jaxeager.tensor.tensor import Tensor

MODES = {"unchanged": None, "gray": "L", "rgb": "RGB"}


def read_file(filename: str, name: str | None = None) -> Tensor:
    """Read the bytes of a file.

    Args:
        filename: its path.
        name: ignored.

    Returns:
        uint8[bytes].

    Raises:
        InvalidArgumentError: if there is no such file.

    Example:
        >>> import pathlib, tempfile
        >>> import jaxeager as paddle
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     path = pathlib.Path(folder, "bytes")
        ...     written = path.write_bytes(bytes([1, 2, 3]))
        ...     paddle.vision.ops.read_file(str(path)).tolist()
        [1, 2, 3]
    """
    try:
        return wrap(jnp.asarray(np.fromfile(filename, np.uint8)))
    except OSError as error:
        raise InvalidArgumentError(f"read_file: cannot read {filename!r}: {error}.") from None


@names_operands
def decode_jpeg(x: Tensor, mode: str = "unchanged", name: str | None = None) -> Tensor:
    """Decode the bytes of a JPEG file; this requires Pillow.

    Args:
        x: uint8[bytes]; it is read from the device.
        mode: "unchanged", "gray" or "rgb".
        name: ignored.

    Returns:
        uint8[channels, height, width].

    Raises:
        InvalidArgumentError: for any other mode, or bytes that are not an image.
        UnavailableError: if Pillow is not installed.

    Paddle: only decodes on a GPU.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.vision.ops.decode_jpeg(paddle.ones([2], "uint8"), "blue")
        Traceback (most recent call last):
            ...
        jaxeager.errors.InvalidArgumentError: (InvalidArgument) mode must be 'unchanged', 'gray' ...
    """
    if mode not in MODES:
        raise InvalidArgumentError(f"mode must be 'unchanged', 'gray' or 'rgb', but is {mode!r}.")
    data = io.BytesIO(host_values(x._array).tobytes())
    image = opened(data, f"the tensor of {x.size} bytes", formats=["JPEG"])
    wanted = MODES[mode]
    pixels = np.asarray(image if wanted is None else image.convert(wanted))
    channels = pixels[None] if pixels.ndim == 2 else np.moveaxis(pixels, -1, 0)
    return wrap(jnp.asarray(channels))
