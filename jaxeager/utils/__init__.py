"""paddle.utils: small helpers that layers, tools and programs share."""

import importlib

from jaxeager.utils import dlpack, unique_name
from jaxeager.utils.deprecated import deprecated
from jaxeager.utils.requirements import require_version, run_check, try_import

# Debug tools, and the module of each name. They are imported on first use.
_TOOLS = {
    "backward_vlog_guard": "vlog.marks:backward_vlog_guard",
    "capture_backward_subgraph_guard": "graphs.subgraph:capture_backward_subgraph_guard",
    "capture_forward_graph_guard": "graphs.forward_graph:capture_forward_subgraph_guard",
    "capture_forward_subgraph_guard": "graphs.forward_graph:capture_forward_subgraph_guard",
    "capture_fwd_graph_guard": "graphs.forward_graph:capture_forward_subgraph_guard",
    "set_vlog_level": "vlog.vlog:set_vlog_level",
    "vlog_guard": "vlog.vlog:vlog_guard",
}
# Modules that are imported on first use, and their names that are available here too.
_MODULES = "cpp_extension download environments install_check layers_utils lazy_import".split()
_LAZY = {
    "environments": "strtobool",
    "layers_utils": "assert_same_structure check_shape convert_shape_to_list convert_to_list "
    "copy_mutable_vars flatten hold_mutable_vars is_same_shape is_sequence map_structure "
    "pack_sequence_as padding_to_same_structure to_sequence",
}
_FILES = {name: file for file, names in _LAZY.items() for name in names.split()}

__all__ = ["deprecated", "dlpack", "require_version", "run_check", "try_import", "unique_name"]
__all__ += [*_TOOLS, *_MODULES, *_FILES]


def __getattr__(name: str):
    """Import a module, a name from it, or a debug tool."""
    if name in _MODULES:
        return importlib.import_module(f"jaxeager.utils.{name}")
    if name in _FILES:
        return getattr(importlib.import_module(f"jaxeager.utils.{_FILES[name]}"), name)
    if name in _TOOLS:
        module, attribute = _TOOLS[name].split(":")
        return getattr(importlib.import_module(f"jaxeager.debug.{module}"), attribute)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
