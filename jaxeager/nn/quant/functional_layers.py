"""Operations as layers, which can be replaced in a model, unlike functions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jaxeager as paddle
from jaxeager.nn.layer.layer import Layer

__all__ = [
    "FloatFunctionalLayer", "add", "concat", "divide", "flatten", "matmul", "multiply", "reshape",
    "subtract", "transpose",
]  # fmt: skip


class FloatFunctionalLayer(Layer):
    """A layer that is one operation, without parameters."""

    _operation: Callable

    def forward(self, *inputs: Any, **kwargs: Any) -> Any:
        """Return the result of the operation."""
        return type(self)._operation(*inputs, **kwargs)


class add(FloatFunctionalLayer):
    """``paddle.add`` as a layer."""

    _operation = paddle.add


class subtract(FloatFunctionalLayer):
    """``paddle.subtract`` as a layer."""

    _operation = paddle.subtract


class multiply(FloatFunctionalLayer):
    """``paddle.multiply`` as a layer."""

    _operation = paddle.multiply


class divide(FloatFunctionalLayer):
    """``paddle.divide`` as a layer."""

    _operation = paddle.divide


class reshape(FloatFunctionalLayer):
    """``paddle.reshape`` as a layer."""

    _operation = paddle.reshape


class transpose(FloatFunctionalLayer):
    """``paddle.transpose`` as a layer."""

    _operation = paddle.transpose


class concat(FloatFunctionalLayer):
    """``paddle.concat`` as a layer."""

    _operation = paddle.concat


class flatten(FloatFunctionalLayer):
    """``paddle.flatten`` as a layer."""

    _operation = paddle.flatten


class matmul(FloatFunctionalLayer):
    """``paddle.matmul`` as a layer."""

    _operation = paddle.matmul
