"""Operators between a tensor and another object."""

import enum
import operator

import pytest

import jaxeager as paddle

REFLECTED = {
    "add": "radd", "sub": "rsub", "mul": "rmul", "truediv": "rtruediv", "floordiv": "rfloordiv",
    "mod": "rmod", "pow": "rpow", "matmul": "rmatmul", "lt": "gt", "le": "ge", "gt": "lt",
    "ge": "le", "eq": "eq", "ne": "ne",
}  # fmt: skip


def kind_of(operand):
    """Return the name of a class, which is the same in each process."""
    return type(operand).__name__


@pytest.mark.parametrize("name", REFLECTED)
def test_a_class_that_has_the_reflected_method_answers(name):
    method = f"__{REFLECTED[name]}__"
    answering = type("Answering", (), {method: lambda self, other: (method, other)})()
    x = paddle.ones([2])
    answer, other = getattr(operator, name)(x, answering)
    assert answer == method
    assert other is x


@pytest.mark.parametrize("name", sorted(REFLECTED.keys() - {"eq", "ne"}))
@pytest.mark.parametrize("operand", [object(), "a", [1.0, 2.0], {}, None], ids=kind_of)
def test_all_others_are_refused_by_name(name, operand):
    with pytest.raises(TypeError, match=r"argument 'y' \(position 1\) must be"):
        getattr(operator, name)(paddle.ones([2]), operand)


@pytest.mark.parametrize("operand", [object(), b"a", [1.0, 1.0], {}, None], ids=kind_of)
def test_a_tensor_differs_from_an_operand_that_is_no_array(operand):
    x = paddle.ones([2])
    assert (x == operand) is False
    assert (x != operand) is True


class Label(enum.IntEnum):
    """Names for numbers."""

    CAT, DOG = 1, 2


class Length(float):
    """A number of a custom class."""


def test_numbers_of_subclasses_are_numbers():
    x, y = paddle.to_tensor([1, 2]), paddle.to_tensor([1.0, 2.0])
    assert (x == Label.CAT).tolist() == [True, False]
    assert (x != Label.CAT).tolist() == [False, True]
    assert (x < Label.DOG).tolist() == [True, False]
    assert (x * Label.DOG).tolist() == (Label.DOG * x).tolist() == [2, 4]
    assert (Label.DOG - x).tolist() == [1, 0]
    assert (y == Length(2)).tolist() == [False, True]
    assert (Length(2) / y).tolist() == [2.0, 1.0]


def test_a_dtype_is_no_tensor():
    x = paddle.ones([2])
    assert (x == paddle.float32) is (paddle.float32 == x) is False
    assert (x != paddle.float32) is True
