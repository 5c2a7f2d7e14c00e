"""The functions of the op table by name, for the modules in which Paddle has them too."""

from collections.abc import Callable, Iterable

from jaxeager.ops.register import METHODS, PUBLIC


def function(name: str) -> Callable | None:
    """Return the function with a public name of ``paddle`` or of a Tensor's methods, else None."""
    return PUBLIC.get(name) or METHODS.get(name)


def functions(names: Iterable[str]) -> dict[str, Callable]:
    """Return {name: function}.

    Args:
        names: public names of ``paddle`` or of a Tensor's methods.
    """
    return {name: PUBLIC.get(name) or METHODS[name] for name in names}
