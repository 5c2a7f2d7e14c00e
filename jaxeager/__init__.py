"""jaxeager: JAX with a Paddle-style dynamic graph. ``import jaxeager as paddle``."""

import importlib
from math import e, inf, nan, pi
from types import ModuleType
from typing import TYPE_CHECKING

from jaxeager import module_aliases  # isort: skip
from jaxeager.kernels import setup as _setup  # isort: skip

from jaxeager import (
    debug,
    errors,
    framework,
    linalg,
    nn,
    regularizer,
    tensor,
    utils,
    version,
    wiring,
)
from jaxeager import einops_backend as _einops
from jaxeager.arrays.random import get_rng_state, seed, set_rng_state
from jaxeager.core import crashes as _crashes
from jaxeager.core import flags
from jaxeager.core import tracebacks as _tracebacks
from jaxeager.core.dtypes import DType as dtype
from jaxeager.core.dtypes import (
    bfloat16,
    complex64,
    complex128,
    finfo,
    float8_e4m3fn,
    float8_e5m2,
    float16,
    float32,
    float64,
    get_default_dtype,
    iinfo,
    int8,
    int16,
    int32,
    int64,
    set_default_dtype,
    uint8,
    uint16,
    uint32,
    uint64,
)
from jaxeager.core.dtypes import bool_ as bool
from jaxeager.core.dtypes import complex64 as cfloat
from jaxeager.core.dtypes import complex128 as cdouble
from jaxeager.core.dtypes import float16 as half
from jaxeager.core.dtypes import float32 as float
from jaxeager.core.dtypes import float64 as double
from jaxeager.core.dtypes import int16 as short
from jaxeager.core.dtypes import int32 as int
from jaxeager.core.dtypes import int64 as long
from jaxeager.core.flags import get_flags, set_flags
from jaxeager.core.places import (
    CPUPlace,
    CUDAPinnedPlace,
    CUDAPlace,
    CustomPlace,
    IPUPlace,
    TPUPlace,
    XPUPinnedPlace,
    XPUPlace,
    get_default_device,
    get_device,
    set_default_device,
    set_device,
)
from jaxeager.framework import (
    Generator,
    batch,
    disable_signal_handler,
    disable_static,
    enable_static,
    get_cuda_rng_state,
    in_dynamic_mode,
    load,
    manual_seed,
    save,
    set_cuda_rng_state,
)
from jaxeager.graph.mode import (
    enable_grad,
    inference_mode,
    is_grad_enabled,
    is_inference_mode_enabled,
    no_grad,
    set_grad_enabled,
)
from jaxeager.kernels import memory_bound as kernel_memory
from jaxeager.nn.initializer.lazy_init import LazyGuard
from jaxeager.nn.param_attr import ParamAttr, create_parameter
from jaxeager.public import *  # noqa: F403 - the functions of the op table
from jaxeager.tensor import Parameter, Tensor, to_tensor
from jaxeager.tensor.backward import grad
from jaxeager.tensor.printing import set_printoptions
from jaxeager.tensor.size import Size
from jaxeager.tensor.sources import as_tensor, asarray, from_dlpack, from_numpy, to_dlpack
from jaxeager.tensor.types import (
    BFloat16Tensor,
    BoolTensor,
    ByteTensor,
    CharTensor,
    DoubleTensor,
    FloatTensor,
    HalfTensor,
    IntTensor,
    LongTensor,
    ShortTensor,
)
from jaxeager.version import full_version as __version__

newaxis = None

if TYPE_CHECKING:  # the names in LAZY_ROOMS, for editors and type checkers
    from jaxeager import (
        amp,
        audio,
        autograd,
        callbacks,
        compat,
        device,
        distributed,
        distribution,
        fft,
        geometric,
        hapi,
        hub,
        incubate,
        inference,
        interop,
        io,
        jit,
        metric,
        onnx,
        optimizer,
        profiler,
        quantization,
        random,
        signal,
        sparse,
        special,
        static,
        text,
        vision,
    )
    from jaxeager.amp import (
        autocast,
        get_autocast_cpu_dtype,
        get_autocast_dtype,
        get_autocast_gpu_dtype,
        is_autocast_enabled,
    )
    from jaxeager.autograd import lazy, lazy_report, tape_to_jaxpr
    from jaxeager.device import (
        is_compiled_with_cinn,
        is_compiled_with_cuda,
        is_compiled_with_custom_device,
        is_compiled_with_distribute,
        is_compiled_with_ipu,
        is_compiled_with_rocm,
        is_compiled_with_xpu,
    )
    from jaxeager.distributed import DataParallel
    from jaxeager.hapi import Model, flops, summary
    from jaxeager.legacy import (
        base,
        common_ops_import,
        cuda,
        dataset,
        functional,
        pir,
        reader,
        sysconfig,
    )

# Rooms that are imported on first use: a program may not need them.
LAZY_ROOMS = (
    "_C_ops", "_legacy_C_ops", "amp", "audio", "autograd", "base", "callbacks",
    "common_ops_import", "compat", "cuda", "dataset", "device", "distributed", "distribution",
    "fft", "functional", "geometric", "hapi", "hub", "incubate", "inference", "interop", "io",
    "jit", "metric", "onnx", "optimizer", "pir", "profiler", "quantization", "random", "reader",
    "signal", "sparse", "special", "static", "sysconfig", "text", "vision",
)  # fmt: skip
_NAMES = {
    "amp": "autocast get_autocast_cpu_dtype get_autocast_dtype get_autocast_gpu_dtype "
    "is_autocast_enabled",
    "autograd": "lazy lazy_report tape_to_jaxpr",
    "distributed": "DataParallel",
    "device": "is_compiled_with_cinn is_compiled_with_cuda is_compiled_with_custom_device "
    "is_compiled_with_distribute is_compiled_with_ipu is_compiled_with_rocm is_compiled_with_xpu",
    "hapi": "Model flops summary",
}
LAZY_NAMES = {name: room for room, names in _NAMES.items() for name in names.split()}


def __getattr__(name: str):
    """Import a lazy room, or a name from one of them."""
    if name in LAZY_ROOMS:
        return importlib.import_module(f"jaxeager.{name}")
    if name in LAZY_NAMES:
        return getattr(importlib.import_module(f"jaxeager.{LAZY_NAMES[name]}"), name)
    raise AttributeError(f"module 'jaxeager' has no attribute {name!r}")


# Modules and tables that are neither Paddle's names nor for users.
_INNER = frozenset(
    "LAZY_NAMES LAZY_ROOMS ModuleType TYPE_CHECKING arrays core einops_backend flags graph "
    "importlib jax_bridge kernel_memory kernels launcher legacy module_aliases ops public "
    "wiring".split()
)


def __dir__() -> list[str]:
    return sorted({*globals(), *LAZY_ROOMS, *LAZY_NAMES} - _INNER)


# Without rooms, as in Paddle: a star import would rebind io, random or signal of Python.
__all__ = [
    name
    for name in __dir__()
    if name[0] != "_" and name not in LAZY_ROOMS and not isinstance(globals().get(name), ModuleType)
]

flags.read_environment()
_tracebacks.install()
_crashes.enable()
_einops.install()
_setup.end_of_import()
