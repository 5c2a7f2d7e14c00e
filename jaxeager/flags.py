"""Paddle's FLAGS: a table of names and defaults, read from the environment, set at run time."""

import os
from collections.abc import Callable

from jaxeager.errors import InvalidArgumentError

# Every flag that does something. A tool adds its own with define_flag when its module is imported.
_DEFAULTS: dict[str, bool | int | float | str] = {}
_values: dict[str, bool | int | float | str] = {}
_on_change: dict[str, Callable] = {}


def define_flag(
    name: str, default: bool | int | float | str, on_change: Callable | None = None
) -> None:
    """Adds a flag; its value comes from the environment variable of the same name when set.

    ``on_change`` is called with every value that is set, and with that of the environment.

    Raises:
        InvalidArgumentError: when the environment holds text that is not a value of its type.
    """
    _DEFAULTS[name] = default
    text = os.environ.get(name)
    _values[name] = default if text is None else _parse(name, default, text)
    if on_change is not None:
        _on_change[name] = on_change
        on_change(_values[name])


def _parse(name: str, default, value):
    """Converts a value or its text to the type of the flag's default."""
    if isinstance(default, bool):
        words = {"1": True, "true": True, "t": True, "yes": True, "y": True, "on": True}
        words |= {"0": False, "false": False, "f": False, "no": False, "n": False, "off": False}
        found = words.get(str(value).lower())
        if found is not None:
            return found
    else:
        try:
            return type(default)(value)
        except (TypeError, ValueError):
            pass
    raise InvalidArgumentError(
        f"Flag {name} takes a {type(default).__name__}, but received {value!r}."
    )


def _full_name(name: str) -> str:
    full = name if name.startswith("FLAGS_") else f"FLAGS_{name}"
    if full not in _DEFAULTS:
        raise InvalidArgumentError(
            f"Flag {name} does not exist here. The flags are: {', '.join(sorted(_DEFAULTS))}."
        )
    return full


def set_flags(flags: dict) -> None:
    """Sets flags from a dict of name to value; all or none are set.

    Raises:
        InvalidArgumentError: for a name that does not exist or a value of the wrong kind.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.set_flags({"FLAGS_check_index": True})
        >>> paddle.get_flags("FLAGS_check_index")
        {'FLAGS_check_index': True}
    """
    if not isinstance(flags, dict):
        raise InvalidArgumentError(f"flags in set_flags should be a dict, but received {flags!r}.")
    parsed = {}
    for name, value in flags.items():
        full = _full_name(name)
        parsed[full] = _parse(full, _DEFAULTS[full], value)
    _values.update(parsed)
    for name, value in parsed.items():
        if name in _on_change:
            _on_change[name](value)


def get_flags(flags) -> dict:
    """Returns a dict of the named flags' values.

    Args:
        flags: one name, or a list or tuple of them.

    Raises:
        InvalidArgumentError: for a name that does not exist.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.get_flags(["FLAGS_check_index"])
        {'FLAGS_check_index': True}
    """
    names = [flags] if isinstance(flags, str) else flags
    return {name: _values[_full_name(name)] for name in names}


def flag(name: str):
    """Returns one flag's value."""
    return _values[name]


# Indices and class ids are checked where looking at them is cheap: in host memory and on a CPU.
define_flag("FLAGS_check_index", True)
