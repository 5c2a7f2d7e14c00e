"""Checks of what is registered as a part of a Layer, and of the name it gets."""

from __future__ import annotations

from typing import TYPE_CHECKING

from jaxeager.errors import InvalidArgumentError, InvalidTypeError
from jaxeager.tensor import Parameter, Tensor

if TYPE_CHECKING:
    from collections.abc import Mapping

    from jaxeager.nn.layer.members import LayerMembers


def check_registration(
    layer: LayerMembers, kind: str, name: object, table: Mapping[str, object]
) -> None:
    """Raise unless a parameter or buffer may be registered under a name.

    Args:
        layer: the Layer.
        kind: "parameter" or "buffer".
        name: the name that was given.
        table: the layer's members of that kind, which may be replaced.
    """
    if "_parameters" not in layer.__dict__:
        raise InvalidArgumentError("super().__init__() should be called first")
    if not isinstance(name, str):
        raise InvalidTypeError(
            f"The name of {kind} should be a string, but received {type(name).__name__}."
        )
    if "." in name:
        raise KeyError(
            f"The name of {kind} can not contain `.`, but received {name!r}: it becomes an "
            "attribute."
        )
    if not name:
        raise KeyError(f"The name of {kind} can not be empty.")
    if hasattr(layer, name) and name not in table:
        raise KeyError(f"The {kind} '{name}' already exists as an attribute of the layer.")


def is_plain_tensor(value: object) -> bool:
    """Return whether a value is a Tensor and no Parameter."""
    return isinstance(value, Tensor) and not isinstance(value, Parameter)
