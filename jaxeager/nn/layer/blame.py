"""Error context: the layer that raised, its settings and its inputs."""

from __future__ import annotations

import weakref
from typing import TYPE_CHECKING

from jaxeager.errors import JaxEagerError
from jaxeager.tensor import Tensor

if TYPE_CHECKING:
    from jaxeager.nn.layer.layer import Layer

# The innermost layer of each error, and the error's text up to there. Errors are pickled, so this
# is stored here and not on them.
_named: weakref.WeakKeyDictionary[JaxEagerError, tuple[weakref.ref[Layer], str]] = (
    weakref.WeakKeyDictionary()
)


def name_layer(layer: Layer, inputs: tuple, error: JaxEagerError) -> None:
    """Add the layer that raised an error to the error's text: the innermost of nested layers.

    Args:
        layer: the layer whose forward raised it.
        inputs: the inputs of that forward.
        error: the error.
    """
    if error not in _named:
        takes = layer._takes()
        stop = "" if error.message.endswith((".", "!", "?")) else "."
        text = (
            f"{error.message}{stop} In the layer {layer.full_name()}, {type(layer).__name__}"
            f"({layer.extra_repr()}), which was called with {_shown(inputs)}"
            f"{f': {takes}' if takes else ''}."
        )
        _named[error] = weakref.ref(layer), text
        _say(error, text)
        return
    innermost, text = _named[error]
    found = innermost()
    name = next((name for name, each in layer.named_sublayers() if each is found), None)
    if name is not None:
        _say(error, f"{text} It is the sublayer {name} of {type(layer).__name__}.")


def _say(error: JaxEagerError, text: str) -> None:
    """Replace an error's message, also in the long text of FLAGS_call_stack_level=2."""
    if error.text is not None:
        error.text = error.text.replace(error.message, text)
    error.message = text
    error.args = (f"({error.kind}) {text}",)


def _shown(inputs: tuple) -> str:
    """Return the dtypes and shapes of a layer's inputs."""
    return ", ".join(map(_one, inputs)) or "no inputs"


def _one(value: object) -> str:
    if isinstance(value, Tensor):
        return f"{value.dtype.name}{list(value.shape)}"
    return type(value).__name__
