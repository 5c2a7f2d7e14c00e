"""DType objects, the default dtype, limits."""

import copy
import pickle

import jax.numpy as jnp
import numpy as np
import pytest

import jaxeager as paddle
from jaxeager.core import dtypes
from jaxeager.errors import InvalidTypeError


def test_every_spelling_of_a_dtype_means_the_same_dtype():
    for other in ("float32", "paddle.float32", np.float32, np.dtype("float32"), jnp.float32):
        assert paddle.float32 == other
        assert dtypes.as_dtype(other) is paddle.float32
    assert paddle.float32 != "float64"
    assert paddle.float32 != 3
    assert paddle.bfloat16 == jnp.bfloat16
    assert {paddle.int64: 1}[dtypes.as_dtype("int64")] == 1


def test_uint16_names_bfloat16_as_in_paddle_and_the_object_is_the_integers():
    for name in ("uint16", "paddle.uint16", np.uint16):
        assert dtypes.as_dtype(name) is paddle.bfloat16
    assert dtypes.as_dtype(np.dtype("uint16")) is paddle.uint16
    assert pickle.loads(pickle.dumps(paddle.uint16)) is paddle.uint16
    whole = paddle.to_tensor([1, 2], dtype=paddle.uint16)
    assert whole.numpy().dtype == np.uint16
    assert pickle.loads(pickle.dumps(whole)).dtype is paddle.uint16
    assert copy.deepcopy(whole).dtype is paddle.uint16


def test_a_kind_of_variables_is_a_dtype_only_if_it_names_one():
    kinds = paddle.base.core.VarDesc.VarType
    assert dtypes.as_dtype(kinds.BF16) is paddle.bfloat16
    assert dtypes.as_dtype(kinds.UINT16) is paddle.uint16
    assert paddle.float32 != kinds.FP32
    with pytest.raises(InvalidTypeError, match="VarType"):
        dtypes.as_dtype(kinds.RAW)


def test_numpy_and_jax_take_it():
    assert np.zeros(1, paddle.int16).dtype == np.int16
    assert jnp.zeros(1, paddle.float16).dtype == jnp.float16


def test_a_dtype_prints_its_name_and_pickles_to_itself():
    assert str(paddle.bfloat16) == "paddle.bfloat16"
    assert paddle.complex64.itemsize == 8
    assert pickle.loads(pickle.dumps(paddle.bool)) is paddle.bool


@pytest.mark.parametrize("wrong", ["float33", None, 7.5, object()])
def test_something_else_than_a_dtype_is_refused(wrong):
    with pytest.raises(InvalidTypeError, match="dtype must be"):
        dtypes.to_numpy(wrong)


def test_default_dtype():
    paddle.set_default_dtype(paddle.float64)
    try:
        assert paddle.get_default_dtype() == "float64"
        assert paddle.to_tensor(1.0).dtype == "float64"
        assert paddle.to_tensor(1j).dtype == "complex128"
        assert paddle.ones([1]).dtype == "float64"
    finally:
        paddle.set_default_dtype("float32")
    with pytest.raises(InvalidTypeError, match=r"only supports .* received int32"):
        paddle.set_default_dtype("int32")


def test_limits():
    assert paddle.finfo("float32").eps == np.finfo("float32").eps
    assert paddle.finfo(paddle.bfloat16).max > 3e38
    assert "eps" in repr(paddle.finfo("float64"))
    assert paddle.iinfo("uint8").max == 255


def test_arrays_for_a_tensor_of_uint16_are_no_bits():
    tensor = paddle.to_tensor([1, 2], dtype="int32").astype(paddle.uint16)
    tensor.set_value(np.array([3, 40000], "uint16"))
    assert tensor.tolist() == [3, 40000]
    layer = paddle.nn.Layer()
    layer.register_buffer("counts", tensor)
    layer.set_state_dict({"counts": np.array([5, 6], "uint16")})
    assert layer.counts.tolist() == [5, 6]
    layer.register_buffer("halves", paddle.to_tensor([1.5], dtype="bfloat16"))
    layer.set_state_dict({"counts": layer.counts, "halves": np.array([16320], "uint16")})
    assert layer.halves.tolist() == [1.5]
