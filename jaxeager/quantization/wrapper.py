"""A layer with an observer of its input or output."""

from __future__ import annotations

from typing import Any

from jaxeager.nn.layer.layer import Layer
from jaxeager.quantization.bases import BaseQuanter


class ObserveWrapper(Layer):
    """A layer that passes the input or the output of another layer through an observer.

    Args:
        observer: the layer that observes the tensors.
        observed: the observed layer.
        observe_input: whether to observe the input; otherwise the output.
    """

    def __init__(self, observer: BaseQuanter, observed: Layer, observe_input: bool = True):
        super().__init__()
        self._observer, self._observed = observer, observed
        self._observe_input = observe_input

    def forward(self, *inputs: Any, **kwargs: Any) -> Any:
        """Return the output of the layer."""
        if self._observe_input:
            return self._observed(self._observer(*inputs, **kwargs), **kwargs)
        return self._observer(self._observed(*inputs, **kwargs), **kwargs)
