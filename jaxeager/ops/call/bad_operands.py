"""Errors of ops and functions for an operand that is not a Tensor.

Note [Bad operands]
    The operands of a correct call are not checked. An op detects a bad one in operands.py, where
    the operand has no array. A hand-written function detects it when it reads an attribute that
    only Tensors have, or from the error of an op that it calls. ``names_operands`` converts either
    error into one that names the function and its own argument. It finds the argument by identity
    with the object that lacks the attribute, or that the op refused.
"""

from __future__ import annotations

import functools
import inspect
from typing import TYPE_CHECKING, Any, TypeVar

import jax
import numpy as np

from jaxeager.errors import InvalidOperandError, InvalidOperatorError
from jaxeager.ops.call.bad_arguments import BARE_ERRORS, kind_name, refuse_argument

if TYPE_CHECKING:
    from collections.abc import Iterable

    from jaxeager.ops.call.types import Function, Items, Named

Item = TypeVar("Item")


_MAY_BE_MADE_ONE = (np.ndarray, np.generic, jax.Array, int, float, complex, list, tuple)


def bad_operand(
    function: str, argument: str, position: int, value: object, wanted: str = "Tensor"
) -> InvalidOperandError:
    """Return the error for an operand that is not a Tensor, in Paddle's words.

    Args:
        function: the name of the op or function.
        argument: the name of its parameter.
        position: the position of that parameter, from 0.
        value: the argument.
        wanted: the required type.
    """
    advice = _advice(argument, value) if wanted.endswith("Tensor") else ""
    error = InvalidOperandError(
        f"{function}(): argument '{argument}' (position {position}) must be {wanted}, "
        f"but got {kind_name(value)}.{advice}"
    )
    error.operand, error.wanted = value, wanted
    return error


def bad_item(
    function: str, argument: str, position: int, rank: int, value: object
) -> InvalidOperandError:
    """Return the error for element ``rank`` of a list of operands that is not a Tensor."""
    error = InvalidOperandError(
        f"{function}(): argument '{argument}' (position {position}) must be list of Tensors, "
        f"but its element {rank} is {kind_name(value)}.{_advice(f'{argument}[{rank}]', value)}"
    )
    error.operand = value
    return error


NUMBER_CLASSES = (int, float, complex)


def plain_number(number: complex) -> complex:
    """Return a number of a subclass, such as a member of an IntEnum, as a plain number."""
    if isinstance(number, int):
        return int(number)
    return float(number) if isinstance(number, float) else complex(number)


_REFLECTED = {
    "add": "__radd__", "subtract": "__rsub__", "multiply": "__rmul__", "divide": "__rtruediv__",
    "floor_divide": "__rfloordiv__", "remainder": "__rmod__", "elementwise_pow": "__rpow__",
    "matmul": "__rmatmul__", "less_than": "__gt__", "less_equal": "__ge__",
    "greater_than": "__lt__", "greater_equal": "__le__",
}  # fmt: skip


def belongs_to_operand(op: str, operand: object) -> bool:
    """Return whether the class of an operator's right operand decides the result.

    That is the case if a user's class defines the reflected method. Python decides which objects
    equal a Tensor: as in Paddle, one that is neither an array nor a number does not.

    Args:
        op: the name of the operator's row.
        operand: the right operand.
    """
    if hasattr(type(operand), "__array__"):
        return False
    if op in ("equal", "not_equal"):
        return True
    kind, name = type(operand), _REFLECTED.get(op, "")
    method = getattr(kind, name, None)
    return method is not getattr(object, name, None) and kind.__module__ != "builtins"


def beside_operator(error: InvalidOperandError) -> InvalidOperatorError:
    """Return the error for the same operand when an operator is used."""
    raised = InvalidOperatorError(error.message)
    raised.operand, raised.wanted = error.operand, error.wanted
    return raised


def listed(function: str, argument: str, values: Iterable[Item], position: int = 0) -> list[Item]:
    """Return a function's list of Tensors as a list, without checking its elements.

    Args:
        function: the name of the function.
        argument: the name of its parameter.
        values: a list or tuple, or a Tensor, which is the list of its parts.
        position: the position of the parameter, from 0.

    Raises:
        InvalidOperandError: for anything else.
    """
    if not isinstance(values, (list, tuple)) and not hasattr(values, "_storage"):
        raise bad_operand(function, argument, position, values, "list of Tensors")
    return list(values)


def _advice(argument: str, value: object) -> str:
    if value is None:
        return " It may not be left out."
    if isinstance(value, _MAY_BE_MADE_ONE):
        return f" Make it one: paddle.to_tensor({argument})."
    return " paddle.to_tensor makes Tensors of numbers, lists and arrays."


def names_operands(function: Function, name: str = "") -> Function:
    """Make a function of Tensors name the argument that is not a Tensor, if it fails for that.

    This costs about 0.07 us per call. See Note [Bad operands].

    Args:
        function: a function with ordinary parameters.
        name: its public name when it is not its own.
    """

    @functools.wraps(function)
    def call(*arguments: Any, **given: Any) -> Any:
        try:
            return function(*arguments, **given)
        except BARE_ERRORS as error:
            name_culprit(function, arguments, given, error, name)
            raise

    return call


def name_culprit(
    function: Function,
    arguments: Items,
    given: Named,
    error: Exception,
    name: str = "",
) -> None:
    """Raise the error that names the argument for which a call failed, if one is to blame.

    See Note [Bad operands] and Note [Bad arguments]; the arguments are those of both functions.
    """
    if isinstance(error, (AttributeError, InvalidOperandError)):
        refuse_operand(function, arguments, given, error, name)
    refuse_argument(function, arguments, given, error, name)


def refuse_operand(
    function: Function,
    arguments: Items,
    given: Named,
    error: AttributeError | InvalidOperandError,
    name: str = "",
) -> None:
    """Raise the error for the argument of a call that was used as a Tensor and is not one.

    Nothing happens when the call failed for another reason.

    Args:
        function: the function that was called.
        arguments: the positional arguments.
        given: the keyword arguments, under the parameters' own names.
        error: the exception that it raised.
        name: the function's name when it is not its own.

    Raises:
        InvalidOperandError: when an argument is the reason.
    """
    if isinstance(error, AttributeError):
        if not _has_tensor(error.name) or hasattr(error.obj, "_storage"):
            return
        lacking, wanted = error.obj, "Tensor"
    else:
        lacking, wanted = error.operand, error.wanted
    name = name or function.__name__
    signature = inspect.signature(function)
    values = signature.bind(*arguments, **given).arguments
    for position, (argument, parameter) in enumerate(signature.parameters.items()):
        value = values.get(argument, parameter.default)
        if _is_read_as(value, lacking) and (value is not None or parameter.default is not None):
            raise bad_operand(name, argument, position, value, wanted) from None
        for rank, item in enumerate(value if isinstance(value, (list, tuple)) else ()):  # pyright: ignore[reportUnknownArgumentType]  # of anything
            if _is_read_as(item, lacking):
                raise bad_item(name, argument, position, rank, item) from None


def _has_tensor(attribute: str | None) -> bool:
    """Return whether Tensors have an attribute; it is None for an error that was raised by hand."""
    from jaxeager.ops.call.wrapping import Tensor

    return attribute is not None and hasattr(Tensor, attribute)


def _is_read_as(value: object, lacking: object) -> bool:
    """Return whether ``lacking``, which is not a Tensor, is an argument or comes from an array."""
    if isinstance(value, (np.ndarray, np.generic)):
        return isinstance(lacking, (np.ndarray, np.generic))
    if isinstance(value, jax.Array):
        return isinstance(lacking, jax.Array)
    return value is lacking


def refuse_input(layer: Any, inputs: Items, given: Named, error: AttributeError) -> None:
    """Raise the error for an input of a layer of this package that is not a Tensor.

    Nothing happens when the call failed for another reason, or if the forward is a user's.

    Args:
        layer: the Layer that was called.
        inputs: the positional arguments of the call.
        given: by keyword.
        error: the exception that its forward raised.

    Raises:
        InvalidOperandError: when an input lacked an attribute that Tensors have.
    """
    if getattr(layer.forward, "__module__", "").startswith("jaxeager."):
        refuse_operand(layer.forward, inputs, given, error, type(layer).__name__)
