"""The forms of Tensors and Layers in treescope, JAX's viewer of nested data."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from jaxeager.nn import Layer

if TYPE_CHECKING:
    from jaxeager.tensor.tensor import Tensor

_OF_TENSORS, _OF_LAYERS = "#7ea6e0", "#82b366"


def treescope_form(value: Any, path: str | None, subtree_renderer: object) -> Any:
    """Return the rendering of a Tensor or Layer; treescope calls it, so it is installed.

    Args:
        value: a Tensor or Layer.
        path: treescope's path to it.
        subtree_renderer: treescope's renderer of what is inside.
    """
    from treescope import repr_lib  # pyright: ignore[reportMissingImports]  # an extra

    is_layer = isinstance(value, Layer)
    return repr_lib.render_object_constructor(
        type(value),
        _of_layer(value) if is_layer else _of_tensor(value),
        path,
        subtree_renderer,
        color=_OF_LAYERS if is_layer else _OF_TENSORS,
    )


def _of_tensor(tensor: Tensor) -> dict[str, object]:
    """Return the array and the place in the graph of a Tensor."""
    facts: dict[str, object] = {"data": tensor.__jax_array__()}
    if not tensor.stop_gradient:
        facts["grad_fn"] = None if tensor.is_leaf else tensor.grad_fn.name()
        facts["grad"] = None if tensor.grad is None else tensor.grad.__jax_array__()
    return facts


def _of_layer(layer: Layer) -> dict[str, Any]:
    """Return the parameters, buffers and sublayers of a Layer, by name."""
    inside = layer._parameters | layer._buffers | layer._sub_layers
    return {"training": layer.training} | inside
