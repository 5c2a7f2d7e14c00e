"""paddle.static.InputSpec."""

# Arguments of wrong types, on purpose.
# pyright: reportArgumentType=false, reportCallIssue=false

import numpy as np
import pytest

import jaxeager as paddle
from jaxeager.errors import InvalidArgumentError, InvalidTypeError
from jaxeager.static import InputSpec


def test_text_and_unknown_sizes():
    spec = InputSpec((None, -7, 3), np.float64, "x", True)
    assert repr(spec) == (
        "InputSpec(shape=(-1, -1, 3), dtype=paddle.float64, name=x, stop_gradient=True)"
    )


def test_the_list_it_is_given_stays_as_it_is():
    shape = [None, 3]
    assert InputSpec(shape).shape == (-1, 3)
    assert shape == [None, 3]


def test_of_a_tensor_and_of_an_array():
    x = paddle.ones([2, 3], "int32")
    assert InputSpec.from_tensor(x, "x") == InputSpec([2, 3], "int32", "x")
    assert InputSpec.from_tensor(x).name == x.name
    assert InputSpec.from_numpy(np.ones(4)) == InputSpec([4], "float64")


def test_batch_and_unbatch_change_it():
    spec = InputSpec([3])
    assert spec.batch(-1) is spec
    assert spec.shape == (-1, 3)
    assert spec.unbatch().batch([5]).shape == (5, 3)


def test_equal_when_all_is():
    spec = InputSpec([3])
    assert spec == InputSpec((3,))
    assert hash(spec) == hash(InputSpec([3], name="x"))
    for other in (InputSpec([3], name="x"), InputSpec([3], "int64"), InputSpec([4]), (3,)):
        assert spec != other


@pytest.mark.parametrize(
    ("call", "error", "text"),
    [
        (lambda: InputSpec(3), InvalidTypeError, "should be one of"),
        (lambda: InputSpec([2.0]), InvalidArgumentError, "should be an `int`"),
        (lambda: InputSpec([2], "foo"), InvalidTypeError, "dtype must be one of"),
        (lambda: InputSpec.from_tensor(np.ones(2)), InvalidArgumentError, "should be a Tensor"),
        (lambda: InputSpec.from_numpy([1]), InvalidTypeError, "takes a NumPy array"),
        (lambda: InputSpec([2]).batch(None), InvalidTypeError, "shall be `int`"),
        (lambda: InputSpec([2]).batch([1, 2]), InvalidArgumentError, "shall be 1"),
        (lambda: InputSpec([]).unbatch(), InvalidArgumentError, "Not support to unbatch"),
    ],
)
def test_refused(call, error, text):
    with pytest.raises(error, match=text):
        call()


def test_default_programs_have_no_op():
    program = paddle.static.default_main_program()
    assert program is paddle.base.framework.default_main_program()
    assert program is not paddle.static.default_startup_program()
    block = program.global_block()
    assert (block.ops, block.program, program.num_blocks) == ([], program, 1)
    assert program.list_vars() == program.all_parameters() == []
    program.random_seed = 90
    assert program.random_seed == 90
    program.random_seed = 0
    with pytest.raises(TypeError, match="random_seed must be an integer"):
        program.random_seed = "a"
    with pytest.raises(AttributeError, match=r"paddle.static.Block.append_op: There are no static"):
        block.append_op(type="relu")
    assert not hasattr(program, "blocks")
