"""The keywords out, device, requires_grad and pin_memory of functions that create tensors."""

import inspect

import jax
import pytest

import jaxeager as paddle
from jaxeager.core import places
from jaxeager.errors import UnavailableError
from jaxeager.ops.creation import placement


def test_out_keeps_its_identity_and_takes_everything_else():
    out = paddle.zeros([5], "int32")
    assert paddle.full([2], 1.5, out=out, requires_grad=True) is out
    assert out.tolist() == [1.5, 1.5]
    assert not out.stop_gradient


def test_the_signature_shows_them():
    parameters = inspect.signature(paddle.zeros).parameters
    assert list(parameters)[-4:] == ["out", "device", "requires_grad", "pin_memory"]
    assert all(
        parameters[name].kind is inspect.Parameter.KEYWORD_ONLY for name in ("out", "device")
    )


def test_sizes_one_by_one_are_for_functions_of_sizes_alone():
    assert paddle.zeros(2, 3).shape == [2, 3]
    with pytest.raises(TypeError):
        paddle.full(2, 3, 4)


def test_pinned_memory_is_the_hosts():
    with pytest.raises(UnavailableError, match=r"not supported for Place\(cpu\)"):
        paddle.zeros([1], device="cpu", pin_memory=True)
    assert placement.place_for(places.Place("gpu", 1), True) == places.CPUPlace()
    assert placement.place_for(places.Place("gpu", 1), False) == places.Place("gpu", 1)


def test_a_device_is_used():
    cpu = jax.local_devices(backend="cpu")[0]
    made = [paddle.ones([1], device="cpu"), paddle.ones([1]).new_zeros([1], device="cpu")]
    assert all(each._array.devices() == {cpu} for each in made)
