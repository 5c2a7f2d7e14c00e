"""The forms that tensors, Layers, nodes and optimizers have in notebooks.

A notebook asks a value for its ``_repr_html_``, which leads here through ``ports.html_of``. A form
is one <div> without scripts, in the colors of the page, so that it suits a dark theme too.
"""

from __future__ import annotations

from typing import Any

from jaxeager.graph.node import GradNode
from jaxeager.nn import Layer
from jaxeager.notebook import layers, nodes, optimizers, tensors
from jaxeager.notebook.images import Picture, image
from jaxeager.notebook.markup import block, text_form
from jaxeager.optimizer import Optimizer
from jaxeager.optimizer.lr import LRScheduler
from jaxeager.tensor import Tensor

__all__ = ["Picture", "html_of", "image"]

_FORMS = {
    Tensor: tensors.html,
    Layer: layers.html,
    GradNode: nodes.html,
    Optimizer: optimizers.html,
    LRScheduler: optimizers.scheduler_html,
}


def html_of(value: object) -> str:
    """Return the form of a value in a notebook, as HTML.

    Args:
        value: a Tensor, Layer, GradNode, optimizer or scheduler; any other has its ``repr``.

    Example:
        >>> import jaxeager as paddle
        >>> from jaxeager.notebook import html_of
        >>> html_of(paddle.ones([2, 3])).count("float32[2, 3]")
        1
    """
    form = next((form for kind, form in _FORMS.items() if isinstance(value, kind)), text_form)
    return block(form(value))
