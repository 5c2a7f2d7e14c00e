"""Which layer an error came from: its name, its settings and what it was called with."""

from __future__ import annotations

import weakref
from typing import TYPE_CHECKING, Any

from jaxeager.errors import JaxEagerError
from jaxeager.tensor import Tensor

if TYPE_CHECKING:
    from jaxeager.nn.layer.layer import Layer

# For an error the innermost layer it came from, and its text up to there. Errors are pickled: what
# they are about is kept here, not in them.
_named: weakref.WeakKeyDictionary[JaxEagerError, tuple[Any, str]] = weakref.WeakKeyDictionary()


def name_layer(layer: Layer, inputs: tuple, error: JaxEagerError) -> None:
    """Add to an error in which layer it was raised; of layers in one another the innermost.

    Args:
        layer: the layer whose forward it has left.
        inputs: what that was called with.
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
        _say(error, f"{text} It is {name} of {type(layer).__name__}.")


def _say(error: JaxEagerError, text: str) -> None:
    """Change what an error says, in the long text of FLAGS_call_stack_level=2 too."""
    if error.text is not None:
        error.text = error.text.replace(error.message, text)
    error.message = text
    error.args = (f"({error.kind}) {text}",)


def _shown(inputs: tuple) -> str:
    """Return dtypes and shapes of what a layer was called with."""
    return ", ".join(map(_one, inputs)) or "no inputs"


def _one(value: Any) -> str:
    if isinstance(value, Tensor):
        return f"{value.dtype.name}{list(value.shape)}"
    return type(value).__name__
