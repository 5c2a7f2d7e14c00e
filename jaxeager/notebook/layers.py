"""The form of a Layer: a tree of its sublayers that can be folded, with counts of parameters."""

from __future__ import annotations

from typing import TYPE_CHECKING

from jaxeager.notebook.markup import escaped, folded, quiet

if TYPE_CHECKING:
    from jaxeager.nn.layer.layer import Layer
    from jaxeager.tensor.tensor import Tensor

_UNFOLDED = 2  # levels


def html(layer: Layer) -> str:
    """Return the form of a Layer."""
    return _tree(layer, "", 0)


def _tree(layer: Layer, name: str, depth: int) -> str:
    label = f"{escaped(name)}: " if name else ""
    extra = layer.extra_repr()
    summary = (
        f"{label}<b>{escaped(type(layer).__name__)}</b>"
        f"{f'({escaped(extra)})' if extra else ''} {quiet(_counts(layer))}"
    )
    own = "".join(
        f'<div style="margin-left: 2em">{escaped(key)}: '
        f"{quiet(f'{each.dtype.name}{list(each.shape)}{_frozen(each)}')}</div>"
        for key, each in layer._parameters.items()
        if each is not None
    )
    below = "".join(
        _tree(each, key, depth + 1) for key, each in layer._sub_layers.items() if each is not None
    )
    if not own + below:
        return f'<div style="margin-left: 1em">{summary}</div>'
    return folded(summary, own + below, depth < _UNFOLDED and bool(below))


def _counts(layer: Layer) -> str:
    """Return the numbers of its parameters: those of shared ones once."""
    parameters = layer.parameters()
    total = sum(each.size for each in parameters)
    frozen = sum(each.size for each in parameters if each.stop_gradient)
    if not parameters:
        return ""
    return f"{total:,} parameters" + (f", {frozen:,} frozen" if frozen else "")


def _frozen(parameter: Tensor) -> str:
    return ", frozen" if parameter.stop_gradient else ""
