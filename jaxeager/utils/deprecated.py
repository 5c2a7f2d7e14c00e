"""deprecated: a decorator for functions that will be removed."""

from __future__ import annotations

import functools
import warnings
from collections.abc import Callable
from typing import Any

from jaxeager.errors import PreconditionNotMetError, RefusedArgumentError


class VisibleDeprecationWarning(UserWarning):
    """A deprecation warning for users; Python hides its own by default."""


def deprecated(
    update_to: str = "", since: str = "", reason: str = "", level: int = 0
) -> Callable[..., Any]:
    """Return a decorator that marks a function as deprecated in its documentation.

    Args:
        update_to: the replacement, a name that begins with "paddle.".
        since: the version since which it is deprecated.
        reason: the reason.
        level: 0 only documents it, 1 warns at each call, 2 makes each call an error.

    Raises:
        InvalidArgumentError: for another level, or a replacement that does not begin so.

    Example:
        >>> import jaxeager as paddle
        >>> @paddle.utils.deprecated(update_to="paddle.add", since="0.1.0")
        ... def plus(x, y):
        ...     return x + y
        >>> plus(1, 2)
        3
    """
    if type(level) is not int or level not in (0, 1, 2):
        raise RefusedArgumentError(
            f'type of "level" must be int and must be one of 0, 1, 2. But received: {level}.'
        )
    for name, value in (("update_to", update_to), ("since", since), ("reason", reason)):
        if not isinstance(value, str):
            raise RefusedArgumentError(f'type of "{name}" must be str, but received: {value!r}.')
    update_to, since, reason = update_to.strip(), since.strip(), reason.strip()
    if update_to and not update_to.startswith("paddle."):
        raise RefusedArgumentError(
            f'Argument update_to must start with "paddle.", your value is "{update_to}"'
        )

    def decorate(function):
        name = f"{function.__module__}.{function.__name__}"
        if level == 2:
            return _refused(function, name, reason)
        text = _text(name, update_to, since, reason)
        function.__doc__ = f"\n\nWarning:\n    {text}\n\n{function.__doc__ or ''}"
        return _warned(function, text) if level == 1 else function

    return decorate


def _text(name: str, update_to: str, since: str, reason: str) -> str:
    text = f'API "{name}" is deprecated'
    text += f" since {since}" if since else ""
    text += ", and will be removed in future versions."
    text += f' Please use "{update_to}" instead.' if update_to else ""
    return text + (f"\n    Reason: {reason}" if reason else "")


def _warned(function, text: str):
    @functools.wraps(function)
    def warned(*arguments, **given):
        warnings.warn(text, VisibleDeprecationWarning, stacklevel=2)
        return function(*arguments, **given)

    return warned


def _refused(function, name: str, reason: str):
    @functools.wraps(function)
    def refused(*arguments, **given):
        raise PreconditionNotMetError(
            f'API "{name}" has been deprecated.' + (f"\n    Reason: {reason}" if reason else "")
        )

    return refused
