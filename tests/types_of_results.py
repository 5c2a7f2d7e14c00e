"""A program whose results have the types that editors show: `make lint` checks it with pyright.

`tests/test_annotations.py` runs it, so that the calls are right as well.
"""

from typing import assert_type

import numpy as np

import jaxeager as paddle
from jaxeager import Tensor
from jaxeager.nn import functional

x = paddle.ones([2, 3])

# ---- parameters
layer = paddle.nn.Layer()
assert_type(layer.create_parameter([2]), paddle.nn.Parameter)
assert_type(layer.create_parameter([2], attr="scale"), paddle.nn.Parameter)
assert_type(layer.create_parameter([2], attr=False, is_bias=True), None)

# ---- operators and indices
assert_type(x + 1.0, Tensor)
assert_type(1.0 - x, Tensor)
assert_type(x * x, Tensor)
assert_type(x / np.float32(2), Tensor)
assert_type(x**2, Tensor)
assert_type(x // 2.0, Tensor)
assert_type(x % 2.0, Tensor)
assert_type(x @ x.t(), Tensor)
assert_type(-x, Tensor)
assert_type(abs(x), Tensor)
assert_type(x > 0, Tensor)
assert_type(x <= x, Tensor)
assert_type(x == x, Tensor)
assert_type(x != 1, Tensor)
assert_type((x > 0) & (x < 2), Tensor)
assert_type(x[0], Tensor)
assert_type(x[0, :], Tensor)
assert_type(x[x > 0], Tensor)
for row in x:
    assert_type(row, Tensor)

# ---- functions and methods
assert_type(paddle.matmul(x, x.t()), Tensor)
assert_type(functional.softmax(x), Tensor)
assert_type(x.reshape([3, 2]).sum(axis=0), Tensor)
assert_type(paddle.split(x, 3, axis=1), list[Tensor])
assert_type(paddle.topk(x, 1).values, Tensor)
values, indices = paddle.topk(x, 1)
assert_type(values, Tensor)
assert_type(indices, Tensor)

# ---- after a chain of them
loss = ((x * 2.0 + 1.0)[:, 1:] ** 2).mean()
assert_type(loss, Tensor)
assert_type(loss.detach(), Tensor)
