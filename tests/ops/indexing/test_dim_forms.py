"""gather and scatter with a dimension second."""

import pytest

import jaxeager as paddle
from jaxeager.errors import InvalidTypeError


def test_the_int_in_second_place_decides():
    x = paddle.to_tensor([[1.0, 2.0], [3.0, 4.0]])
    rows = paddle.to_tensor([1])
    assert paddle.gather(x, rows, 0).tolist() == [[3.0, 4.0]]
    assert paddle.gather(x, 0, paddle.to_tensor([[1, 0]])).tolist() == [[3.0, 2.0]]
    out = paddle.zeros([1])
    assert paddle.gather(x, 0, paddle.to_tensor([[1, 0]]), out=out) is out
    assert out.tolist() == [[3.0, 2.0]]


def test_both_forms_have_gradients():
    x = paddle.to_tensor([[1.0, 2.0], [3.0, 4.0]], stop_gradient=False)
    source = paddle.to_tensor([[5.0]], stop_gradient=False)
    out = x.scatter(1, paddle.to_tensor([[1]]), source)
    out.sum().backward()
    assert out.tolist() == [[1.0, 5.0], [3.0, 4.0]]
    assert x.grad.tolist() == [[1.0, 0.0], [1.0, 1.0]]
    assert source.grad.tolist() == [[1.0]]


@pytest.mark.parametrize("given", [{}, {"src": 1, "value": 2}])
def test_scatter_needs_exactly_one_of_src_and_value(given):
    with pytest.raises(InvalidTypeError, match="either src or value"):
        paddle.scatter(paddle.zeros([1]), 0, paddle.to_tensor([0]), **given)
