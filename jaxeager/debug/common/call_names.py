"""Names of what is no call of an op and counted like one: optimizers' steps, refused calls."""

import os
import sys
import threading
import weakref
from typing import Any

from jaxeager.core import user_lines
from jaxeager.debug.common import naming
from jaxeager.ops.row import ROWS

_INDEXING = {"getitem": "slice", "setitem": "set_value_"}
_CALLING = os.path.join("ops", "call", "")  # the frames between a call and its op have no op's name
_thread = threading.local()  # the names of the last step, the call that was refused last


def step_calls(rule, params: list) -> list[str]:
    """Return "adam_1", "adam_2", ... for the parameters of the step that ``step_ended`` tells of.

    Every tool that asks gets the same names: a step is known by the array it has given its first
    parameter. They are those of ``begun_step_calls`` when a tool has asked for them.
    """
    ended, begun = _thread.__dict__.get("ended"), _thread.__dict__.get("begun")
    if not _is_of(ended, params):
        names = begun[1] if begun else [naming.next_call(f"{rule.name}_") for _ in params]
        _thread.ended, _thread.begun = (_token(params), names), None
    return _thread.ended[1]


def begun_step_calls(rule, params: list) -> list[str]:
    """Return the same for the step that ``step_began`` tells of; one that failed is begun anew."""
    begun = _thread.__dict__.get("begun")
    if not _is_of(begun, params):
        names = [naming.next_call(f"{rule.name}_") for _ in params]
        _thread.begun = _token(params), names
    return _thread.begun[1]


def _token(params: list) -> Any:
    return weakref.ref(params[0]._array) if params else None


def _is_of(step: Any, params: list) -> bool:
    """Says whether a step is known by the array that the first parameter has."""
    return bool(step) and bool(params) and step[0] is not None and step[0]() is params[0]._array


def refused_call(error: BaseException) -> tuple[str, str] | None:
    """Return the API, and the name of its call, that ``value_refused`` tells of.

    None in an op: that is told of as any other. Every tool that asks gets the same name.
    """
    if naming.is_op_running():
        return None
    known, api, call = getattr(_thread, "refused", (None, "", ""))
    if known is None or known() is not error:
        api = _refusing_function()
        call = naming.next_call(api)
        _thread.refused = weakref.ref(error), api, call
    return api, call


def _refusing_function() -> str:
    """Return which public function is about to refuse what it was given, by the frames that run.

    It is the innermost one that has the name of an op, else the one the program has called.
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
