"""A layer with an observer of its input or output."""

from __future__ import annotations

from typing import Any

from jaxeager.nn.layer.layer import Layer
from jaxeager.quantization.bases import BaseQuanter


class ObserveWrapper(Layer):
    """Gives the input or the output of a layer to an observer.

    Args:
        observer: what sees the tensors.
        observed: the layer.
        observe_input: whether the input is seen; else the output is.
    """

    def __init__(self, observer: BaseQuanter, observed: Layer, observe_input: bool = True):
        super().__init__()
        self._observer, self._observed = observer, observed
        self._observe_input = observe_input

    def forward(self, *inputs: Any, **kwargs: Any) -> Any:
        """Return what the layer makes of its input."""
        if self._observe_input:
            return self._observed(self._observer(*inputs, **kwargs), **kwargs)
        return self._observer(self._observed(*inputs, **kwargs), **kwargs)
