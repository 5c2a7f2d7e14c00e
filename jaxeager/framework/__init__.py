"""paddle.framework: the mode and the files of a program.

The mode, the state of the random numbers, batches of a reader, ``save`` and ``load`` (io), and a
reader of pickles that cannot run code (restricted_pickle).
"""

import importlib

from jaxeager.framework import random
from jaxeager.framework.batch import batch
from jaxeager.framework.framework import (
    disable_signal_handler,
    disable_static,
    enable_static,
    in_dynamic_mode,
)
from jaxeager.framework.io import async_save, clear_async_save_task_queue, load, save
from jaxeager.framework.random import (
    Generator,
    get_cuda_rng_state,
    manual_seed,
    set_cuda_rng_state,
)

__all__ = [
    "Generator", "async_save", "batch", "clear_async_save_task_queue", "disable_signal_handler",
    "disable_static", "enable_static", "get_cuda_rng_state", "in_dynamic_mode", "load",
    "manual_seed", "random", "save", "set_cuda_rng_state",
]  # fmt: skip

# Names that Paddle also has here, and the modules that define them; imported on first access.
_HOMES = {
    "legacy.base.framework": "_dygraph_tracer _current_expected_place _current_expected_place_ "
    "Block IrGraph OpProtoHolder Program convert_np_dtype_to_dtype_ dygraph_only "
    "in_dynamic_or_pir_mode in_pir_executor_mode in_pir_mode switch_main_program "
    "switch_startup_program use_pir_api",
    "legacy.base.layer_helper": "LayerHelper",
    "core.dtypes": "get_default_dtype set_default_dtype",
    "core.flags": "get_flags set_flags",
    "core.places": "CPUPlace CUDAPinnedPlace CUDAPlace CustomPlace IPUPlace XPUPinnedPlace "
    "XPUPlace",
    "framework.framework": "_no_check_dy2st_diff",
    "graph.mode": "no_grad",
    "nn.param_attr": "ParamAttr",
    "static.variable": "Parameter",
    "tensor.backward": "grad",
}
_FILES = {name: file for file, names in _HOMES.items() for name in names.split()}


def __getattr__(name: str):
    """Import a name that Paddle also has in another module."""
    if name == "core":
        return importlib.import_module("jaxeager.legacy.base.core")
    if name == "dtype":
        return importlib.import_module("jaxeager.framework.dtype")
    if name == "base":
        return importlib.import_module("jaxeager.legacy.base")
    if name in _FILES:
        return getattr(importlib.import_module(f"jaxeager.{_FILES[name]}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
