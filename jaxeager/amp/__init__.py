"""Automatic mixed precision: half precision where it is safe, float32 where it is not."""

from jaxeager.amp import debugging
from jaxeager.amp.amp_lists import black_list, white_list
from jaxeager.amp.auto_cast import (
    amp_guard,
    auto_cast,
    autocast,
    get_autocast_cpu_dtype,
    get_autocast_dtype,
    get_autocast_gpu_dtype,
    is_autocast_enabled,
    is_bfloat16_supported,
    is_float16_supported,
)
from jaxeager.amp.decoration import amp_decorate, decorate
from jaxeager.amp.grad_scaler import AmpScaler, GradScaler, OptimizerState

__all__ = [
    "AmpScaler",
    "GradScaler",
    "OptimizerState",
    "amp_decorate",
    "amp_guard",
    "auto_cast",
    "autocast",
    "black_list",
    "debugging",
    "decorate",
    "get_autocast_cpu_dtype",
    "get_autocast_dtype",
    "get_autocast_gpu_dtype",
    "is_autocast_enabled",
    "is_bfloat16_supported",
    "is_float16_supported",
    "white_list",
]
