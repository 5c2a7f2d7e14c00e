"""Errors of functions for an argument whose kind its annotation excludes.

Note [Bad arguments]
    The arguments of a correct call are not checked. When a function fails with a bare error of
    Python, such as ``'<' not supported between 'str' and 'int'``, its arguments are compared with
    its annotations, and the error of the first one that cannot fit names it. Only what an
    annotation surely excludes counts: None, text, and a list where plain numbers are wanted.
"""

from __future__ import annotations

import inspect
import re
from typing import TYPE_CHECKING

import jax

from jaxeager.errors import InvalidArgumentError, InvalidTypeError, JaxEagerError

if TYPE_CHECKING:
    from jaxeager.ops.call.types import Function, Items, Named

BARE_ERRORS = (AttributeError, TypeError, ValueError, LookupError)
_ANYTHING = frozenset({"Any", "object", "_empty", "empty"})
_TAKES_TEXT = frozenset({"str", "DTypeLike", "PlaceLike", "ParamAttrLike", "Literal"})
_SINGLE = frozenset({"int", "float", "bool", "str", "complex", "Number", "None", "Tensor"})


def refuse_argument(
    function: Function,
    arguments: Items,
    given: Named,
    error: Exception,
    name: str = "",
) -> None:
    """Raise the error for the first argument of a failed call that its annotation excludes.

    Nothing happens when the call failed for another reason, or with an error of this package.

    The arguments are those of ``bad_operands.refuse_operand``.

    Raises:
        InvalidArgumentError: in place of a ValueError, naming the argument.
        InvalidTypeError: in place of any other error.
    """
    if isinstance(error, JaxEagerError):
        return
    signature = inspect.signature(function)
    try:
        values = signature.bind(*arguments, **given).arguments
    except TypeError:  # the arguments have other names or another number
        return
    for position, (argument, value) in enumerate(values.items()):
        parameter = signature.parameters[argument]
        wanted = _text_of(parameter.annotation)
        if parameter.default is not value and _is_excluded(value, wanted):
            kind = InvalidArgumentError if isinstance(error, ValueError) else InvalidTypeError
            raise kind(
                f"{name or function.__name__}(): argument '{argument}' (position {position}) must "
                f"be {wanted}, but received {value!r} ({kind_name(value)})."
            ) from error


def _text_of(annotation: object) -> str:
    return annotation if isinstance(annotation, str) else inspect.formatannotation(annotation)


def _is_excluded(value: object, annotation: str) -> bool:
    """Return whether an annotation surely excludes a value."""
    words = set(re.findall(r"\w+", annotation))
    if words & _ANYTHING:
        return False
    if value is None:
        return "None" not in words
    if isinstance(value, str):
        return not words & _TAKES_TEXT
    return isinstance(value, (list, tuple)) and words <= _SINGLE


def kind_name(value: object) -> str:
    """Return the name of a value's type, as Paddle spells it: numpy.ndarray, str, None."""
    if value is None:
        return "None"
    if isinstance(value, jax.Array):
        return "jax.Array"
    kind = type(value)
    if kind.__module__.partition(".")[0] == "numpy":
        return f"numpy.{kind.__qualname__}"
    return kind.__name__
