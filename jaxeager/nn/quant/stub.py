"""A layer that marks a tensor of a model for observation."""

from __future__ import annotations

from typing import TYPE_CHECKING

from jaxeager.nn.layer.layer import Layer

if TYPE_CHECKING:
    from jaxeager.quantization.config import SingleLayerConfig
    from jaxeager.quantization.factory import QuanterFactory
    from jaxeager.tensor.tensor import Tensor


class Stub(Layer):
    """Layer that returns its input; QAT and PTQ replace it by a quanter of the tensor.

    Args:
        observer: makes the quanter; the config's if None.

    Shapes:
        any, to the same.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.nn.quant.Stub()(paddle.ones([2])).tolist()
        [1.0, 1.0]
    """

    def __init__(self, observer: QuanterFactory | None = None):
        super().__init__()
        self._observer = observer

    def forward(self, input: Tensor) -> Tensor:
        """Return the input."""
        return input


class QuanterStub(Layer):
    """The layer that replaces a ``Stub`` in QAT and PTQ.

    Args:
        layer: the Stub.
        q_config: its config, with the ``activation`` that makes a quanter.
    """

    def __init__(self, layer: Stub, q_config: SingleLayerConfig):
        super().__init__()
        factory = layer._observer if layer._observer is not None else q_config.activation
        self._observer = None if factory is None else factory._instance(layer)

    def forward(self, input: Tensor) -> Tensor:
        """Return the input as its quanter returns it."""
        return input if self._observer is None else self._observer(input)
