"""A scale that is a moving mean of the largest absolute values of tensors."""

from __future__ import annotations

from typing import TYPE_CHECKING

import jaxeager as paddle
from jaxeager.nn.layer.layer import Layer
from jaxeager.nn.quant.simulate import largest, simulated
from jaxeager.utils import unique_name

if TYPE_CHECKING:
    from jaxeager.core.types import DTypeLike
    from jaxeager.tensor.tensor import Tensor


class MovingScale(Layer):
    """A layer with a moving mean: ``scale = accum / state``, both updated at a rate.

    Attributes:
        _scale: float[1]; so are ``_state`` and ``_accum``.
    """

    _scale: Tensor
    _state: Tensor
    _accum: Tensor

    def _make_scale(
        self, name: str | None, rate: float, dtype: DTypeLike, kind: str, scale: float, start: float
    ) -> None:
        """Create the three parameters, which are not trained.

        Args:
            name: prefix of their names, or None.
            rate: fraction kept at each step.
            dtype: dtype of the parameters.
            kind: prefix of their names if ``name`` is None.
            scale: the scale before the first step.
            start: state and accum before the first step.
        """
        self._moving_rate = rate
        for each, value in (("scale", scale), ("state", start), ("accum", start)):
            setattr(
                self, f"_{each}", fixed_parameter(self, [1], f"{name or kind}.{each}", value, dtype)
            )

    def _moved(self, x: Tensor) -> Tensor:
        """Return the scale, updated from x in training."""
        if not self.training:
            return self._scale
        with paddle.no_grad():
            self._state.set_value(self._state * self._moving_rate + 1.0)
            accum = self._accum * self._moving_rate + largest(x).astype(self._accum.dtype)
            self._accum.set_value(accum)
            self._scale.set_value(accum / self._state)
        return self._scale

    def _rounded(self, x: Tensor, bits: int) -> Tensor:
        """Return x, rounded by the updated scale."""
        return simulated(x, self._moved(x).astype(x.dtype), bits)


def fixed_parameter(
    layer: Layer, shape: list[int], name: str, value: float, dtype: DTypeLike
) -> Tensor:
    """Create a parameter of a layer that is not trained.

    Args:
        layer: the layer.
        shape: shape of the parameter.
        name: prefix of its name.
        value: its value.
        dtype: its dtype.
    """
    attr = paddle.ParamAttr(
        name=unique_name.generate(name),
        initializer=paddle.nn.initializer.Constant(value),
        trainable=False,
    )
    made = layer.create_parameter(shape, attr=attr, dtype=dtype)
    assert made is not None
    made.stop_gradient = True
    return made
