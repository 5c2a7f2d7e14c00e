"""paddle.base.framework: the guards of the verbose log."""

import importlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from jaxeager.debug.vlog import vlog_guard
    from jaxeager.debug.vlog_marks import backward_vlog_guard

_HOMES = {"backward_vlog_guard": "vlog_marks", "vlog_guard": "vlog"}

__all__ = ["backward_vlog_guard", "vlog_guard"]


def __getattr__(name: str):
    """Imports the verbose log when it is first asked for."""
    if name in _HOMES:
        return getattr(importlib.import_module(f"jaxeager.debug.{_HOMES[name]}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
