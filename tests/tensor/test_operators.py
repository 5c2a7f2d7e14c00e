"""Operators between a tensor and what is none."""

import operator

import pytest

import jaxeager as paddle

REFLECTED = {
    "add": "radd", "sub": "rsub", "mul": "rmul", "truediv": "rtruediv", "floordiv": "rfloordiv",
    "mod": "rmod", "pow": "rpow", "matmul": "rmatmul", "lt": "gt", "le": "ge", "gt": "lt",
    "ge": "le", "eq": "eq", "ne": "ne",
}  # fmt: skip


@pytest.mark.parametrize("name", REFLECTED)
def test_a_class_that_has_the_reflected_method_answers(name):
    method = f"__{REFLECTED[name]}__"
    answering = type("Answering", (), {method: lambda self, other: (method, other)})()
    x = paddle.ones([2])
    answer, other = getattr(operator, name)(x, answering)
    assert answer == method
    assert other is x


@pytest.mark.parametrize("name", sorted(REFLECTED.keys() - {"eq", "ne"}))
@pytest.mark.parametrize("operand", [object(), "a", [1.0, 2.0], {}, None], ids=str)
def test_all_others_are_refused_by_name(name, operand):
    with pytest.raises(TypeError, match=r"argument 'y' \(position 1\) must be"):
        getattr(operator, name)(paddle.ones([2]), operand)


@pytest.mark.parametrize("operand", [object(), "a", [1.0, 1.0], {}, None], ids=str)
def test_what_is_no_array_is_another_thing_than_a_tensor(operand):
    x = paddle.ones([2])
    assert (x == operand) is False
    assert (x != operand) is True
