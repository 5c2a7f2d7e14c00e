"""The reasons why a function makes no program: it requests data that a program does not have."""

from __future__ import annotations

import gc
import os
from collections.abc import Callable
from typing import TYPE_CHECKING

import jax
from jax.core import Tracer

from jaxeager.core.user_lines import is_users
from jaxeager.errors import UnimplementedError
from jaxeager.nn import Layer
from jaxeager.tensor import Tensor

if TYPE_CHECKING:
    import weakref
    from types import CodeType


class ValueAsked(Exception):
    """Raised when a function requested a value and caught the error itself."""


_LIBRARY = os.path.dirname(os.__file__) + os.sep
VALUE_ERRORS = (
    ValueAsked,
    jax.errors.ConcretizationTypeError,
    jax.errors.NonConcreteBooleanIndexError,
    jax.errors.TracerArrayConversionError,
    jax.errors.TracerBoolConversionError,
    jax.errors.TracerIntegerConversionError,
)
_INSTEAD = "Use paddle.static.nn.cond, paddle.static.nn.while_loop or paddle.where."


def asks_for_value(error: BaseException | None) -> bool:
    """Return whether a function failed because it requested the value of a tensor."""
    while error is not None:
        if isinstance(error, VALUE_ERRORS):
            return True
        error = error.__cause__
    return False


def note_asked(error: BaseException, tensor: Tensor | None) -> None:
    """Store in an error the tensor whose value was requested last."""
    error._asked = tensor  # type: ignore[attr-defined]


def asked_in(error: BaseException) -> Tensor | None:
    """Return the tensor stored by ``note_asked``, or None."""
    return getattr(error, "_asked", None)


def needs_value(
    function: Callable, error: Exception, tensor: Tensor | None = None
) -> UnimplementedError:
    """Return the error for a function that requests a value, with the line and the tensor."""
    return UnimplementedError(
        f"{called(function)} reads the value of {tensor_text(tensor)} (numpy(), item(), `if` or "
        "`while` on a tensor), which a program does not have while it is written. "
        f"{line_of(error)}{_why_asked(error, tensor)}"
    )


def _why_asked(error: BaseException, tensor: Tensor | None) -> str:
    """Return the reason for the request, as far as it is known, and a remedy."""
    if tensor is not None and tensor._array.dtype == bool and tensor.ndim:
        return (
            "The number of elements that a mask selects depends on its values (`x[mask]`, "
            "masked_select, nonzero): use paddle.where, masked_fill or `x[mask] = value`, which "
            "keep the shape."
        )
    code = _code_at(error)
    reason = None if code is None or not _reasons else _reasons[0](code)
    text = "" if reason is None else f"An `if` or `while` there runs in Python, because {reason}. "
    return text + _INSTEAD


_reasons: list[Callable] = []  # set by lowering/, which depends on this file


def set_reasons(why_plain: Callable) -> None:
    """Set the function that returns why code was not converted, for errors."""
    _reasons[:] = [why_plain]


def tensor_text(tensor: Tensor | None) -> str:
    """Return name, dtype and shape of a tensor; "a tensor" for None."""
    if tensor is None:
        return "a tensor"
    return f"{tensor.name} ({tensor._array.dtype}{list(tensor.shape)})"


def called(function: Callable) -> str:
    """Return the name of a function or a Layer for errors."""
    if isinstance(function, Layer):
        return f"{type(function).__name__}.forward()"
    owner = getattr(function, "__self__", None)
    name = getattr(function, "__name__", "the function")
    return f"{type(owner).__name__}.{name}()" if isinstance(owner, Layer) else f"{name}()"


def is_users_file(file: str) -> bool:
    """Return whether a file is the user's: not the package's, Python's or an installed one."""
    return is_users(file) and "site-packages" not in file and not file.startswith(_LIBRARY)


def place_of(error: BaseException) -> tuple[str, int] | None:
    """Return the innermost file and line of the user that an error came from."""
    found, trace = None, error.__traceback__
    while trace is not None:
        file = trace.tb_frame.f_code.co_filename
        if is_users_file(file):
            found = file, trace.tb_lineno
        trace = trace.tb_next
    return found


def _code_at(error: BaseException) -> CodeType | None:
    """Return the innermost code object of the user that an error came from; or None."""
    found, trace = None, error.__traceback__
    while trace is not None:
        if is_users_file(trace.tb_frame.f_code.co_filename):
            found = trace.tb_frame.f_code
        trace = trace.tb_next
    return found


def line_of(error: BaseException) -> str:
    """Return the user's line that an error came from, as a sentence."""
    place = place_of(error)
    return "" if place is None else f"It is at {place[0]}:{place[1]}. "


def refuse_kept(trace: weakref.ref) -> None:
    """Raise when a tensor of an ended trace is still alive.

    Args:
        trace: a weak reference to JAX's trace.

    Raises:
        UnimplementedError: it names the tensor.
    """
    if trace() is None:
        return
    gc.collect()
    ended = trace()
    if ended is None:
        return
    kept = [
        each
        for each in gc.get_objects()
        if isinstance(each, Tensor)
        and isinstance(each._held, Tracer)
        and each._held._trace is ended
    ]
    if not kept:  # a tool has noted an array
        return
    what = ", ".join(sorted(map(tensor_text, kept))[:3])
    raise UnimplementedError(
        f"it keeps {what} where a program cannot store it (a list, an attribute, a variable "
        "around the function). Return it instead."
    )
