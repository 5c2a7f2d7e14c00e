"""The functions that are converted: the user's, when converted code or a Layer calls them."""

from __future__ import annotations

import dis
import functools
import math
import os
import types
import weakref
from collections.abc import Callable
from typing import Any

from jaxeager.core.user_lines import is_users
from jaxeager.jit.capture.capture import set_flow
from jaxeager.jit.capture.refusals import set_reasons
from jaxeager.jit.capture.unset import UNSET
from jaxeager.jit.lowering import control, sizes
from jaxeager.jit.lowering.functions import why_plain, with_flow
from jaxeager.jit.lowering.reach import held, watch
from jaxeager.jit.lowering.running import flow
from jaxeager.nn import Layer
from jaxeager.tensor import Tensor

_LIBRARY = os.path.dirname(os.__file__) + os.sep
_PACKAGES = os.sep + "site-packages" + os.sep
_NOT_CONVERTED = frozenset(
    "jax jaxlib matplotlib ml_dtypes numpy pandas PIL psutil pytest scipy torch tqdm".split()
)
_marked: weakref.WeakSet = weakref.WeakSet()  # code objects that are not converted
_ignored: set[str] = set()  # names of modules
_set_by: weakref.WeakKeyDictionary = weakref.WeakKeyDictionary()  # outer variables that code sets


def leave(function: Any) -> None:
    """Mark a function as not to be converted (``not_to_static``)."""
    code = getattr(getattr(function, "__func__", function), "__code__", None)
    if code is not None:
        _marked.add(function if isinstance(function, types.FunctionType) else function.__func__)


def leave_module(name: str) -> None:
    """Mark a module whose functions are not to be converted (``ignore_module``)."""
    _ignored.add(name)


_BUILTINS: dict[int, Callable] = {
    id(range): control.range_, id(int): control.int_, id(float): control.float_,
    id(bool): control.bool_, id(math.sqrt): control.sqrt, id(sizes.cast_row): sizes.cast,
    id(sizes.concat_row): sizes.concat, id(sizes.stack_row): sizes.stack,
    id(sizes.to_tensor): sizes.tensor_of,
}  # fmt: skip


def call(function: Any) -> Any:
    """Return the function to call instead of a function: a converted one for the user's code."""
    known = _BUILTINS.get(id(function))
    if known is not None:
        return known
    kind = type(function)
    if kind is types.FunctionType:
        return _plain(function)
    if kind is types.MethodType:
        inner = function.__func__
        if type(inner) is not types.FunctionType:
            return function
        _watch_owner(function.__self__)
        made = _plain(inner)
        return function if made is inner else types.MethodType(made, function.__self__)
    if kind is functools.partial:
        return functools.partial(call(function.func), *function.args, **function.keywords)
    if kind is type or isinstance(function, (Layer, Tensor, type)):
        return function
    method = getattr(kind, "__call__", None)  # noqa: B004
    if type(method) is types.FunctionType and is_convertible(method):
        _watch_owner(function)
        return types.MethodType(_plain(method), function)
    return function


def _plain(function: types.FunctionType) -> types.FunctionType:
    """Return a Python function, converted if it is the user's."""
    if not is_convertible(function):
        return _around(function)
    _watch_variables(function)
    made = with_flow(function, helpers)
    return function if isinstance(made, str) else made


def is_convertible(function: types.FunctionType) -> bool:
    """Return whether a function is the user's, and not excluded from conversion."""
    if function in _marked:
        return False
    file = function.__code__.co_filename
    if not is_users(file):
        return False
    module = function.__globals__.get("__name__") or ""
    if _PACKAGES in file:
        if module.partition(".")[0] in _NOT_CONVERTED:
            return False
    elif file.startswith((_LIBRARY, "<frozen ")):
        return False
    return not any(module == each or module.startswith(f"{each}.") for each in _ignored)


def _around(function: types.FunctionType) -> types.FunctionType:
    """Return a decorator's wrapper of this package around the converted function."""
    inner = function.__dict__.get("__wrapped__")
    if type(inner) is not types.FunctionType or function.__closure__ is None:
        return function
    made = _plain(inner)
    if made is inner:
        return function
    cells = [types.CellType(made) if held(cell) is inner else cell for cell in function.__closure__]
    wrapper = types.FunctionType(
        function.__code__, function.__globals__, function.__name__, function.__defaults__,
        tuple(cells),
    )  # fmt: skip
    wrapper.__kwdefaults__ = function.__kwdefaults__
    return wrapper


# ---- variables that calls within branches set


def _set_names(code: types.CodeType) -> tuple[set[str], set[str]]:
    """Return the global variables and the variables of enclosing functions that code sets."""
    known = _set_by.get(code)
    if known is None:
        found: dict[str, set[str]] = {"GLOBAL": set(), "DEREF": set()}
        for each in dis.get_instructions(code):
            step, _, kind = each.opname.partition("_")
            if step in ("STORE", "DELETE") and kind in found:
                found[kind].add(each.argval)
        known = _set_by[code] = found["GLOBAL"], found["DEREF"] & set(code.co_freevars)
    return known


def _watch_variables(function: types.FunctionType) -> None:
    """Note, within a branch on a tensor, the outer variables that a called function may set."""
    known = flow()
    if known is None or not known.depth:
        return
    names, free = _set_names(function.__code__)
    scope = function.__globals__
    known.watched.append(watch(function.__name__, function))
    for name in names:
        _note(f"the global variable {name}", functools.partial(scope.get, name, UNSET))
    for name, cell in zip(function.__code__.co_freevars, function.__closure__ or (), strict=True):
        if name in free:
            text = f"the variable {name} around {function.__name__}()"
            _note(text, functools.partial(held, cell))


def _watch_owner(owner: object) -> None:
    """Note, within a branch on a tensor, the attributes of an object whose method is called."""
    known = flow()
    if known is not None and known.depth:
        known.watched.append(watch(type(owner).__name__, owner))


def _note(text: str, read: Callable[[], object]) -> None:
    """Note the function that reads a variable which a call may set."""
    known, value = flow(), read()
    if known is not None:
        known.watched.append(lambda: text if read() is not value else None)


class _Helpers:
    """The names that converted code calls: see control.py."""

    call = staticmethod(call)


for _name in control.__all__:
    setattr(
        _Helpers,
        _name,
        getattr(control, _name) if _name == "UNSET" else staticmethod(getattr(control, _name)),
    )
helpers = _Helpers


set_flow(lowered=call)
set_reasons(why_plain)
