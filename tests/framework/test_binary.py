"""Files of one tensor in Paddle's binary form."""

import io

import numpy as np
import pytest

import jaxeager as paddle
from jaxeager.errors import InvalidArgumentError


def content(tensor) -> bytes:
    file = io.BytesIO()
    paddle.save(tensor, file, use_binary_format=True)
    return file.getvalue()


def test_long_sizes_take_several_bytes():
    tensor = paddle.arange(300, dtype="int32")
    file = io.BytesIO(content(tensor))
    assert paddle.load(file, return_numpy=True).tolist() == list(range(300))
    assert file.read() == b""


def test_damaged_files():
    """Any byte that is lost or changed gives the one error, or a tensor."""
    data = content(paddle.to_tensor([[1.0, 2.0], [3.0, 4.0]]))
    r = np.random.default_rng(3)
    for place in range(4, len(data)):
        with pytest.raises(InvalidArgumentError, match="can not parse the file"):
            paddle.load(io.BytesIO(data[:place]))
        changed = bytearray(data)
        changed[place] = int(r.integers(256))
        try:
            paddle.load(io.BytesIO(bytes(changed)))
        except InvalidArgumentError:
            continue
