"""Names of Paddle without a meaning here: they can be imported, and raise when called.

A program often imports names that it never uses. A missing name would stop it; a name that raises
when it is called does not.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NoReturn

from jaxeager.errors import UnimplementedError


def refused(module: str, reason: str, names: str | Iterable[str]) -> dict[str, Any]:
    """Return {name: an object that raises when called}; a capitalized name becomes a class.

    Each has the reason as its attribute ``refused``.

    Args:
        module: Paddle's module, "paddle.static".
        reason: why it does not exist, and what to use instead, in sentences.
        names: the names; a string has spaces between them.

    Example:
        >>> from jaxeager.core.unsupported_names import refused
        >>> run = refused("paddle.static", "There are no programs.", "run")["run"]
        >>> run()
        Traceback (most recent call last):
            ...
        jaxeager.errors.UnimplementedError: (Unimplemented) paddle.static.run: There are no...
    """
    listed = names.split() if isinstance(names, str) else names
    return {name: _made(module, name, reason) for name in listed}


def _made(module: str, name: str, reason: str) -> Any:
    text = f"{module}.{name}: {reason}"
    doc = f"Raise UnimplementedError. {reason}\n\nRaises:\n    UnimplementedError: always.\n"

    if name[:1].isupper():

        def init(self: object, *args: object, **kwargs: object) -> None:
            raise UnimplementedError(text)

        return type(name, (), {"__init__": init, "__doc__": doc, "refused": reason})

    def call(*args: object, **kwargs: object) -> NoReturn:
        raise UnimplementedError(text)

    call.__name__ = call.__qualname__ = name
    call.__doc__ = doc
    call.refused = reason  # type: ignore[attr-defined]
    return call
