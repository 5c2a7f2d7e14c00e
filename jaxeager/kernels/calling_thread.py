"""Kernels that XLA runs in the thread that calls them, because that thread waits for the results.

Note [Kernels that are waited for]
    On a CPU, XLA gives a program of 1,000 floating-point operations or more to a thread of its own.
    That is good where the caller goes on, and costs two thread switches where it waits: three
    products of 32 x 64 by 64 x 64 and the read of their sum take 125 us instead of 32 (2 cores of a
    virtual machine, JAX 0.10.2). XLA has one setting for the process
    (``jax_cpu_enable_async_dispatch``). But a program that may call Python runs in the thread of
    its caller, so that the two cannot wait for each other. ``in_calling_thread`` declares a Python
    function that the program never calls. Neither its code nor its numbers change.

    JAX's own cache keeps no program that may call Python. So where that cache is all there is, each
    process would compile the kernel again (``can_be_kept``).

    XLA uses its own threads nevertheless when an operand is still being computed, and from the
    first op on that it divides among threads.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import jax
from jax.extend.core import Primitive
from jax.interpreters import mlir

from jaxeager.kernels import kernel_files

if TYPE_CHECKING:
    from collections.abc import Callable

    from jaxeager.core.places import Device


def _never_called(*_: object) -> None:
    """Stand for the function that a program may call."""


_mark = Primitive("in_calling_thread")
_mark.def_abstract_eval(lambda aval: aval)


def _lowered(context: mlir.LoweringRuleContext, operand: object) -> list:
    return [operand]


def _lowered_on_cpu(context: mlir.LoweringRuleContext, operand: object) -> list:
    add = getattr(context.module_context, "add_host_callback", None)  # not in each JAX
    if add is not None:
        add(_never_called)
    return [operand]


mlir.register_lowering(_mark, _lowered)
mlir.register_lowering(_mark, _lowered_on_cpu, platform="cpu")


def in_calling_thread(array: jax.Array) -> jax.Array:
    """Return an array of a traced program as it is; the program runs in the thread of its caller.

    Only on a CPU: see Note [Kernels that are waited for].
    """
    return _mark.bind(array)


def load_options(device: Device) -> dict[str, list[Callable]]:
    """Return the options of ``deserialize_executable`` for a program to run in its caller's thread.

    Only on a CPU, and where this JAX has the option.
    """
    load = device.client.deserialize_executable
    if device.platform != "cpu" or "host_callbacks" not in (load.__doc__ or ""):
        return {}
    return {"host_callbacks": [_never_called]}


def can_be_kept() -> bool:
    """Return whether such kernels are kept for the next process as others are."""
    config: Any = jax.config
    return kernel_files.folder() is not None or not config.jax_compilation_cache_dir
