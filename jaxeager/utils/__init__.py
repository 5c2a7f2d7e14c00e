"""paddle.utils: small things that layers, tools and programs share."""

import importlib

from jaxeager.utils import dlpack, unique_name
from jaxeager.utils.deprecated import deprecated
from jaxeager.utils.requirements import require_version, run_check, try_import

# Debug tools: where each name is. They are imported when they are first asked for.
_TOOLS = {
    "backward_vlog_guard": "vlog.marks:backward_vlog_guard",
    "capture_backward_subgraph_guard": "graphs.subgraph:capture_backward_subgraph_guard",
    "capture_forward_graph_guard": "graphs.forward_graph:capture_forward_subgraph_guard",
    "capture_forward_subgraph_guard": "graphs.forward_graph:capture_forward_subgraph_guard",
    "capture_fwd_graph_guard": "graphs.forward_graph:capture_forward_subgraph_guard",
    "set_vlog_level": "vlog.vlog:set_vlog_level",
    "vlog_guard": "vlog.vlog:vlog_guard",
}

__all__ = ["deprecated", "dlpack", "require_version", "run_check", "try_import", "unique_name"]
__all__ += list(_TOOLS)


def __getattr__(name: str):
    """Imports a debug tool."""
    if name in _TOOLS:
        module, attribute = _TOOLS[name].split(":")
        return getattr(importlib.import_module(f"jaxeager.debug.{module}"), attribute)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
