"""jaxeager: JAX with a Paddle-style dynamic graph. ``import jaxeager as paddle``."""

import importlib

from jaxeager import _setup  # isort: skip

from jaxeager import (
    amp,
    autograd,
    base,
    debug,
    device,
    distributed,
    errors,
    flags,
    framework_io,
    incubate,
    io,
    nn,
    optimizer,
    regularizer,
    utils,
)
from jaxeager.amp import (
    autocast,
    get_autocast_cpu_dtype,
    get_autocast_dtype,
    get_autocast_gpu_dtype,
    is_autocast_enabled,
)
from jaxeager.backward import grad
from jaxeager.device import is_compiled_with_cuda, is_compiled_with_rocm, is_compiled_with_xpu
from jaxeager.dtypes import DType as dtype
from jaxeager.dtypes import (
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
from jaxeager.dtypes import bool_ as bool
from jaxeager.flags import get_flags, set_flags
from jaxeager.framework_io import load, save
from jaxeager.graph.mode import (
    enable_grad,
    inference_mode,
    is_grad_enabled,
    is_inference_mode_enabled,
    no_grad,
    set_grad_enabled,
)
from jaxeager.nn.param_attr import ParamAttr, create_parameter
from jaxeager.places import CPUPlace, CUDAPinnedPlace, CUDAPlace, TPUPlace, get_device, set_device
from jaxeager.printing import set_printoptions
from jaxeager.public import *  # noqa: F403 - the functions of the op table
from jaxeager.random import get_rng_state, seed, set_rng_state
from jaxeager.tensor import Parameter, Tensor, to_tensor

__version__ = "0.1.0"

# Rooms that are imported when they are first looked at: most programs use few of them.
LAZY_ROOMS = (
    "audio", "distribution", "geometric", "hapi", "metric", "sparse", "text", "vision",
)  # fmt: skip


def __getattr__(name: str):
    """Imports a lazy room."""
    if name in LAZY_ROOMS:
        return importlib.import_module(f"jaxeager.{name}")
    raise AttributeError(f"module 'jaxeager' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *LAZY_ROOMS})


_setup.end_of_import()
