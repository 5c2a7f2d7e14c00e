"""Names for events that are counted like op calls: optimizers' steps, refused calls."""

from __future__ import annotations

import os
import sys
import threading
import weakref
from typing import TYPE_CHECKING

from jaxeager.core import user_lines
from jaxeager.debug.common import naming
from jaxeager.ops.row import ROWS

if TYPE_CHECKING:
    import jax

_INDEXING = {"getitem": "slice", "setitem": "set_value_"}
_CALLING = os.path.join("ops", "call", "")  # frames between a call and its op: not named after ops
_thread = threading.local()  # the names of the last step, the last call that was refused


def step_calls(rule, params: list) -> list[str]:
    """Return "adam_1", "adam_2", ... for the parameters of the step that ``step_ended`` reports.

    Every tool gets the same names: a step is identified by the new array of its first parameter.
    If a tool has called ``begun_step_calls`` before, the names are the same as there.
    """
    ended, begun = _thread.__dict__.get("ended"), _thread.__dict__.get("begun")
    if not _is_of(ended, params):
        names = begun[1] if begun else [naming.next_call(f"{rule.name}_") for _ in params]
        _thread.ended, _thread.begun = (_token(params), names), None
    return _thread.ended[1]


def begun_step_calls(rule, params: list) -> list[str]:
    """Return the same for the step that ``step_began`` reports.

    A step that is retried after a failure keeps its names.
    """
    begun = _thread.__dict__.get("begun")
    if not _is_of(begun, params):
        names = [naming.next_call(f"{rule.name}_") for _ in params]
        _thread.begun = _token(params), names
    return _thread.begun[1]


def _token(params: list) -> weakref.ref[jax.Array] | None:
    return weakref.ref(params[0]._array) if params else None


def _is_of(step: tuple | None, params: list) -> bool:
    """Return whether a step is identified by the array of the first parameter."""
    return bool(step) and bool(params) and step[0] is not None and step[0]() is params[0]._array


def refused_call(error: BaseException) -> tuple[str, str] | None:
    """Return the API, and the name of its call, that ``value_refused`` reports.

    Inside an op, return None: that failure is reported like any other. Every tool gets the same
    name.
    """
    if naming.is_op_running():
        return None
    known, api, call = getattr(_thread, "refused", (None, "", ""))
    if known is None or known() is not error:
        api = refusing_function()
        call = naming.next_call(api)
        _thread.refused = weakref.ref(error), api, call
    return api, call


def refusing_function() -> str:
    """Return which API is about to refuse its arguments, from the call stack.

    It is that of the innermost function that has the name of an op, else of the one that the
    program has called.
    """
    frame, last = sys._getframe(1), ""
    while frame is not None and not user_lines.is_users(frame.f_code.co_filename):
        name = frame.f_code.co_name
        if name in ROWS or name in _INDEXING:
            return _INDEXING.get(name) or ROWS[name].api_name
        if _CALLING not in frame.f_code.co_filename:
            last = name
        frame = frame.f_back
    return last
