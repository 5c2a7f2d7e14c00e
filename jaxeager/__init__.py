"""jaxeager: JAX with a Paddle-style dynamic graph. ``import jaxeager as paddle``."""

from jaxeager import _setup  # isort: skip  # first: it configures jax

from jaxeager import dtypes, errors, flags, ops, places, random, tensor
from jaxeager.dtypes import (
    DType as dtype, finfo, get_default_dtype, iinfo, set_default_dtype,
)
from jaxeager.flags import get_flags, set_flags
from jaxeager.graph.mode import enable_grad, is_grad_enabled, no_grad, set_grad_enabled
from jaxeager.ops.row import PUBLIC
from jaxeager.places import CPUPlace, CUDAPinnedPlace, CUDAPlace, TPUPlace, get_device, set_device
from jaxeager.printing import set_printoptions
from jaxeager.random import get_rng_state, seed, set_rng_state
from jaxeager.tensor import Parameter, Tensor, to_tensor

globals().update({name: dtypes.as_dtype(name) for name in dtypes.NAMES})
globals().update(PUBLIC)
import importlib as _il
for _n in ("operators", "autograd", "nn", "optimizer", "io", "framework_io"):
    try:
        _il.import_module("jaxeager." + _n)
    except Exception as _e:
        import traceback; print("NOT YET", _n, type(_e), str(_e)[:300])
__version__ = "0.1.0"
