"""DLPack: the owner of the memory."""

import numpy as np
import pytest

import jaxeager as paddle
from jaxeager.errors import InvalidArgumentError, UnavailableError
from tests.support.here import IS_ON_CPU, on_a_cpu


def aligned(count):
    """Return a float32 array that begins at a multiple of 64 bytes."""
    room = np.zeros(count * 4 + 64, np.uint8)
    start = -room.ctypes.data % 64
    return room[start : start + count * 4].view(np.float32)


def test_aligned_memory_is_shared():
    array = aligned(4)
    x = paddle.from_dlpack(array, copy=False)
    assert x.data_ptr() == array.ctypes.data
    array[0] = 5.0
    assert x.tolist() == [5.0, 0.0, 0.0, 0.0]


def test_a_copy_shares_nothing():
    array = aligned(4)
    x = paddle.from_dlpack(array, copy=True)
    array[0] = 5.0
    assert x.tolist() == [0.0] * 4


def test_memory_that_must_be_copied_is_refused_on_request():
    array = aligned(8)[1:]
    assert paddle.from_dlpack(array).tolist() == [0.0] * 7
    with pytest.raises(InvalidArgumentError, match="requires a copy"):
        paddle.from_dlpack(array, copy=False)


def test_a_capsule_and_the_tensor_are_one_memory():
    x = paddle.to_tensor(np.arange(16, dtype="float32"))
    assert paddle.from_dlpack(paddle.to_dlpack(x)).data_ptr() == x.data_ptr()
    if IS_ON_CPU:  # elsewhere it is not memory of NumPy's
        assert np.from_dlpack(x).ctypes.data == x.data_ptr()


def test_a_wanted_gradient_keeps_the_memory_in():
    with on_a_cpu():  # whose memory NumPy reads
        x = paddle.to_tensor([1.0], stop_gradient=False)
    with pytest.raises(BufferError, match="requires gradients"):
        np.from_dlpack(x)
    assert np.from_dlpack(x.detach()).tolist() == [1.0]


def test_any_object_is_no_capsule():
    with pytest.raises(InvalidArgumentError, match="not int"):
        paddle.from_dlpack(3)


def test_pinned_memory_is_for_machines_with_an_accelerator():
    with pytest.raises(UnavailableError, match="Pinning memory is not supported"):
        paddle.as_tensor([1.0], device="cpu", pin_memory=True)
