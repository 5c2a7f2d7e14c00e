"""The implementations of the ports of core/ports.py, which are imported on first use.

The table of the tools that flags switch, and the rooms that lower ones call: see Note [Ports].
"""

from __future__ import annotations

import importlib
from contextlib import AbstractContextManager
from types import ModuleType

from jaxeager.arrays.sharded import is_spread
from jaxeager.core import ports

SWITCHES = {
    "FLAGS_check_index": "debug.checks.index_checks:set_enabled",
    "FLAGS_call_stack_level": "debug.stacks.error_text:set_level",
    "FLAGS_call_stack_frames": "debug.stacks.frames:choose",
    "FLAGS_enable_unique_name": "debug.common.naming:set_enabled",
    "FLAGS_dump_api_python_stack_path": "debug.stacks.files:set_api_path",
    "FLAGS_dump_grad_node_forward_stack_path": "debug.stacks.files:set_node_path",
    "FLAGS_dump_api_and_gradnode_python_stack_dir": "debug.stacks.files:set_folder",
    "FLAGS_check_nan_inf": "debug.numbers.nan_inf:set_enabled",
    "FLAGS_check_nan_inf_level": "debug.numbers.nan_inf:set_level",
    "FLAGS_nan_birth": "debug.numbers.birth:set_enabled",
    "FLAGS_low_precision_op_list": "amp.operator_stats:set_level",
    "FLAGS_check_cuda_error": "debug.checks.device_errors:set_enabled",
    "FLAGS_check_cuda_error_log": "debug.checks.device_errors:set_log",
    "FLAGS_log_prefix": "debug.vlog.prefix:set_prefix",
    "FLAGS_flight_recorder": "debug.hangs.recorder:set_path",
    "FLAGS_op_timeout": "debug.hangs.timeouts:set_timeout",
    "FLAGS_graph_pictures": "debug.graphs.backward_graph:picture_kinds",
    "FLAGS_tensor_md5_checksum_output_path": "debug.checksums.checksums:set_path",
    "FLAGS_tensor_md5_checksum_details": "debug.checksums.checksums:set_details",
    "FLAGS_tensor_md5_checksum_precision": "debug.checksums.checksums:set_precision",
    "FLAGS_tensor_md5_checksum_use_binary_format": "debug.checksums.checksums:set_binary",
    "FLAGS_tensor_md5_checksum_use_binary_input": "debug.checksums.checksums:set_binary_input",
    "FLAGS_trace_api": "debug.calls.trace_api:set_trace",
    "FLAGS_lazy": "kernels.lazy.mode:set_everywhere",
    "FLAGS_lazy_wait": "kernels.lazy.segments:set_waiting",
    "FLAGS_check_static": "jit.programs.checking:set_interval",
    "FLAGS_inplace_saved": "graph.saved:set_inplace_saved",
    "FLAGS_kernel_memory_mb": "kernels.memory_bound:keep_within",
    "FLAGS_enable_gpu_memory_usage_log": "debug.memory.log:set_enabled",
    "FLAGS_trace_allocations": "debug.memory.origins:set_enabled",
    "FLAGS_use_system_allocator": "debug.memory.log:set_system_allocator",
}
"""Flag -> "module:function" in this package: what is called with every new value of the flag."""


def _switch_tool(name: str, value: object) -> None:
    if name in SWITCHES:
        module, function = SWITCHES[name].split(":")
        getattr(importlib.import_module(f"jaxeager.{module}"), function)(value)


def _read_log_levels() -> None:
    from jaxeager.debug.vlog import vlog

    vlog.read_environment()


def _log_writers() -> list:
    from jaxeager.debug.vlog import backward, forward, memory

    return [forward.observer, backward.observer, memory.observer]


def _dumping(folder) -> AbstractContextManager:
    from jaxeager.debug.graphs import graph_dump

    return graph_dump.dumping(folder)


def _describe_failure(error: BaseException, node) -> None:
    from jaxeager.debug.stacks.error_text import describe_failure

    describe_failure(error, node)


def _sparse_room() -> ModuleType:
    from jaxeager import sparse

    return sparse


def _extract_node(*args, **kwargs) -> list:
    from jaxeager.debug.gradients.extract import extract

    return extract(*args, **kwargs)


def _known_number(tensor, size):
    from jaxeager.tensor.open_number import known_number

    return known_number(tensor, size)


def _open_number(size):
    from jaxeager.tensor.open_number import open_number

    return open_number(size)


def _placement_of(value):
    """Return a tensor's placement; None, without importing the room, if it is on one device."""
    if not is_spread(getattr(value, "_whole", value)):
        return None
    from jaxeager.distributed.mesh.partial_tensors import layout_of_tensor

    return layout_of_tensor(value)


def _local_of(tensor, rank: int | None = None):
    from jaxeager.distributed.mesh.local_tensors import local_of

    return local_of(tensor, rank)


def _html_of(value) -> str:
    from jaxeager.notebook import html_of

    return html_of(value)


def _treescope_of(value, path, subtree_renderer):
    from jaxeager.notebook.treescope_forms import treescope_form

    return treescope_form(value, path, subtree_renderer)


ports.layout_of, ports.local_of = _placement_of, _local_of
ports.html_of = _html_of
ports.treescope_of = _treescope_of
ports.extract_node, ports.open_number = _extract_node, _open_number
ports.known_number = _known_number
ports.switch_tool, ports.read_log_levels = _switch_tool, _read_log_levels
ports.log_writers, ports.dumping, ports.sparse_room = _log_writers, _dumping, _sparse_room
ports.describe_failure = _describe_failure
