"""How thoroughly XLA compiles a kernel, and the options by which it is asked to.

Note [Tiers]
    By default XLA compiles its own loops for a CPU with all of LLVM's passes and a newer set of
    emitters (JAX 0.11 has no option for the emitters). Without them a kernel compiles in half the
    time (46 kinds of kernels: 3.2 s and 1.7 s), and up to some 100,000 elements its code is as
    fast; beyond that it is not spread over the cores. XLA also splits a program into up to 32 parts
    that threads compile; these kernels are too small for that, and in one part they take an eighth
    less of a processor (250 kernels: 20.4 and 17.8 s). So a kernel is compiled quickly when its
    operands have few elements, and in full otherwise. The limit is ``Origin.quick_elements``: 2**18
    for most kernels; 2**14 for those whose quick code was slower (transposed matrices, scattered
    sums, dropout, argmax: 1.5 to 7 times at 2**16); 2**20 for convolutions, where the reordering of
    the operands is 2 to 4 times as slow, but the product is not; 0 for an optimizer's step
    (optimizer/fused.py). The choice depends on shapes alone, so a program has the same numbers in
    every run; between the tiers the last bits may differ. ``FLAGS_kernel_tiers=off`` compiles all
    in full. Where XLA_FLAGS sets such options, or on an accelerator, XLA's defaults apply.
"""

from __future__ import annotations

import functools
import os
from typing import TYPE_CHECKING

import jax

from jaxeager.core import flags

if TYPE_CHECKING:
    from jaxeager.core.places import Device

QUICK: dict[str, bool | int] = {
    "xla_backend_optimization_level": 1,
    "xla_llvm_disable_expensive_passes": True,
    "xla_cpu_parallel_codegen_split_count": 1,
}
if jax.__version_info__ < (0, 11):  # newer versions of XLA lack the option
    QUICK["xla_cpu_use_fusion_emitters"] = False
EACH_ROUNDED = {"xla_allow_excess_precision": False}
"""Otherwise XLA may omit a rounding to 16 bits between two ops."""

_state = {"are_refused": False}


def are_used_on(device: Device) -> bool:
    """Return whether kernels of a device may be compiled quickly: see Note [Tiers]."""
    is_off = flags.flag("FLAGS_kernel_tiers") is False or are_refused() or _are_given()
    return device.platform == "cpu" and not is_off


def refuse() -> None:
    """Compile in full from now on, because this XLA does not know the options."""
    _state["are_refused"] = True


def are_refused() -> bool:
    """Return whether this XLA has refused the options."""
    return _state["are_refused"]


@functools.cache
def _are_given() -> bool:
    """Return whether XLA_FLAGS sets an option of a tier."""
    given = os.environ.get("XLA_FLAGS", "")
    return any(option in given for option in QUICK)
