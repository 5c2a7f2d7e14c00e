"""The checks of a generated signature before the call: attributes fit, or are refused clearly."""

import pytest

import jaxeager as paddle
from jaxeager.errors import InvalidArgumentError, InvalidTypeError
from jaxeager.ops.call.signature import public_function
from jaxeager.ops.row import ROWS

OPS = [
    (row, name)
    for row in ROWS.values()
    for name, parameter in row.attrs.items()
    if parameter.annotation not in (bool, str)  # these accept anything
]


class Unusable:
    """An object that is not an attribute of any kind: neither a number nor hashable."""

    __hash__ = None

    def __repr__(self):
        return "<unusable>"


@pytest.mark.parametrize(("row", "name"), OPS, ids=lambda each: getattr(each, "name", each))
def test_a_value_that_is_no_attribute_is_refused_by_op_and_parameter(row, name):
    function = public_function(row)
    sample = next(iter(row.samples())) if row.samples else None
    given = dict.fromkeys((operand.name for operand in row.operands), None)
    given |= {} if sample is None else sample.attrs
    with pytest.raises((InvalidTypeError, InvalidArgumentError)) as refused:
        function(**(given | {name: Unusable()}))
    assert refused.value.message.startswith(f"{function.__name__}: {name} ")
    assert "<unusable>" in refused.value.message
    assert refused.value.__suppress_context__


def test_an_error_of_the_users_own_passes():
    class Mine(TypeError):
        pass

    class Refusing:
        def __float__(self):
            raise Mine("not now")

    with pytest.raises(Mine, match="not now"):
        paddle.nn.functional.leaky_relu(paddle.ones([2]), Refusing())
