"""paddle._C_ops: the functions of the op table, called with all arguments in Paddle's order.

The argument names are in paddle_ops.txt, which tools/record_paddle_names.py records. A function
is available if every argument of Paddle's is meaningful to the function of that name here, or if
_C_ops_by_hand defines it.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from pathlib import Path
from typing import Any

from jaxeager import linalg
from jaxeager.errors import InvalidTypeError, UnimplementedError
from jaxeager.legacy._C_ops_by_hand import BY_HAND
from jaxeager.ops.register import FUNCTIONAL
from jaxeager.tensor import names

# Arguments that have another name here, and those that are ignored unless they change the result.
_RENAMED = {
    "add_value": "value", "alpha": "weight", "condition": "x", "dilations": "dilation",
    "dims": "shape", "filter": "weight", "input": "x", "keepdims": "keepdim", "number": "num",
    "out_dtype": "dtype", "output_shape": "out_shape", "paddings": "padding", "place": "device",
    "scale": "weight", "sections": "num_or_sections", "strides": "stride", "t_max": "max",
    "t_min": "min", "uplo": "UPLO", "value": "fill_value", "max_len": "maxlen",
    "groups": "num_groups",
}  # fmt: skip
_NEUTRAL: dict[str, tuple] = {
    "exclusive": (False,), "flatten": (False,), "padding_algorithm": ("EXPLICIT",),
    "reduce_all": (False,), "reverse": (False,), "is_test": (False, True), "lambda": (1.0,),
}  # fmt: skip
# In Paddle's own _C_ops these belong to layers; paddle's functions of the same name differ.
_OF_LAYERS = {"softmax"}
# Functions that return several tensors: those that return the same here.
_SEVERAL = {"cummax", "cummin", "eig", "eigh", "kthvalue", "lu_unpack", "mode", "qr", "svd", "topk"}


@functools.cache
def _arguments() -> dict[str, list[str]]:
    """Return {function: names of its arguments}."""
    path = Path(__file__).parent / "paddle_ops.txt"
    lines = path.read_text(encoding="utf-8").splitlines()
    found = {line.split()[0]: line.split()[1:] for line in lines}
    return {n.lstrip("*"): a for n, a in found.items() if n[0] != "*" or n[1:] in _SEVERAL}


def _function(name: str) -> Callable | None:
    if name in _OF_LAYERS:
        return FUNCTIONAL[name]
    return names.function(name) or FUNCTIONAL.get(name) or getattr(linalg, name, None)


@functools.cache
def _taken(name: str) -> dict[str, str] | None:
    """Return {Paddle's argument: ours, "" if it is ignored}; None if one has no counterpart."""
    function = _function(name)
    if function is None or name not in _arguments():
        return None
    ours = inspect.signature(function).parameters
    found = {}
    for each in _arguments()[name]:
        known = each if each in ours else _RENAMED.get(each, "")
        if known not in ours and each not in _NEUTRAL:
            return None
        found[each] = known if known in ours else ""
    return found


@functools.cache
def _made(name: str) -> Callable:
    """Return the function that takes its arguments in Paddle's order.

    Raises:
        AttributeError: if there is no such function.
    """
    taken = _taken(name)
    if taken is None:
        why = (
            "no function here accepts its arguments"
            if name in _arguments()
            else "Paddle has no such operator"
        )
        raise AttributeError(
            f"module 'jaxeager._C_ops' has no attribute {name!r}: {why}. The functions of paddle, "
            "paddle.nn.functional and paddle.optimizer do the same work."
        )
    function: Any = _function(name)

    def call(*args: Any, **kwargs: Any) -> Any:
        if len(args) > len(taken):
            raise InvalidTypeError(
                f"{name}() takes {len(taken)} arguments ({', '.join(taken)}), but received "
                f"{len(args)}."
            )
        given = {}
        for theirs, value in (*zip(taken, args, strict=False), *kwargs.items()):
            ours = taken.get(theirs, theirs)
            if (name, theirs) == ("embedding", "padding_idx") and value == -1:
                continue  # for an ignored argument
            if ours:
                given[ours] = value
            elif value not in _NEUTRAL[theirs]:
                raise UnimplementedError(f"{name}(): {theirs}={value!r} is not supported.")
        return function(**given)

    call.__name__ = call.__qualname__ = name
    call.__doc__ = f"Call ``{function.__name__}`` with ``{', '.join(taken)}``."
    return call


def __getattr__(name: str) -> Callable:
    """Return a function of the op table."""
    if name.startswith("__"):
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return BY_HAND[name] if name in BY_HAND else _made(name)


def __dir__() -> list[str]:
    return sorted({*BY_HAND, *(name for name in _arguments() if _taken(name) is not None)})
