"""Strides, addresses, and tensors that change their memory: without a counterpart in Paddle."""

import ctypes

import numpy as np
import pytest

import jaxeager as paddle
from jaxeager.errors import InvalidArgumentError
from tests.support.here import only_on_a_cpu


def at(address, count):
    """Read float32 numbers at an address."""
    return list((ctypes.c_float * count).from_address(address))


@only_on_a_cpu("an address of a device is none of this process")
def test_the_address_is_that_of_the_elements():
    x = paddle.to_tensor([[1.0, 2.0], [3.0, 4.0]])
    assert at(x.data_ptr(), 4) == [1.0, 2.0, 3.0, 4.0]
    assert at(x[1].data_ptr(), 2) == [3.0, 4.0]
    assert at(x.T.contiguous().data_ptr(), 4) == [1.0, 3.0, 2.0, 4.0]


def test_there_is_no_address_where_strides_differ():
    x = paddle.ones([2, 3])
    with pytest.raises(InvalidArgumentError, match=r"strides \[1, 3\].*contiguous"):
        x.T.data_ptr()


def test_strides_agree_with_numpy():
    x, array = paddle.arange(24).reshape([2, 3, 4]), np.arange(24).reshape(2, 3, 4)
    for view, other in ((x[:, ::2], array[:, ::2]), (x[1, :, 1:], array[1, :, 1:]), (x.T, array.T)):
        assert view.strides == [step // 8 for step in other.strides]
        assert view.offset == other.ctypes.data - array.ctypes.data


def test_set_takes_no_tensor_that_wants_a_gradient():
    x = paddle.to_tensor([1.0], stop_gradient=False)
    with pytest.raises(InvalidArgumentError, match="doesn't stop gradient can't use inplace"):
        x.set_(paddle.ones([2]))
    with pytest.raises(InvalidArgumentError, match="set_: this tensor requires a gradient"):
        (x * 2).set_(paddle.ones([2]))
    with pytest.raises(InvalidArgumentError, match="resize_: this tensor requires a gradient"):
        (x * 2).resize_([2])


def test_set_stays_inside_the_memory():
    with pytest.raises(InvalidArgumentError, match="does not have the 30 elements requested"):
        paddle.zeros([1]).set_(paddle.arange(6, dtype="float32"), [30])


def test_set_with_itself_changes_nothing():
    x = paddle.to_tensor([1.0, 2.0])
    assert x.set_(x) is x
    assert x.tolist() == [1.0, 2.0]


def test_elements_outside_a_smaller_shape_are_dropped():
    x = paddle.to_tensor([1.0, 2.0, 3.0])
    x.resize_([1])
    assert x.resize_([3]).tolist() == [1.0, 0.0, 0.0]


def test_resize_leaves_the_base_as_it_was():
    x = paddle.to_tensor([[1.0, 2.0], [3.0, 4.0]])
    row = x[0].resize_([3])
    row[0] = 9.0
    assert row.tolist() == [9.0, 2.0, 0.0]
    assert x.tolist() == [[1.0, 2.0], [3.0, 4.0]]


def test_the_device_of_a_tensor_is_text():
    x = paddle.to_tensor([1.0], place="cpu")
    assert x.device == "cpu"
    assert (x.device.type, x.device.index) == ("cpu", None)
    assert paddle.ones([1]).to(x.device).place == x.place
