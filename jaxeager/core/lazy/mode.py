"""Whether kernels are recorded, and the kernels that can be."""

import contextlib
import contextvars
import sys
from typing import Any

import jax

from jaxeager.core.lazy.pending import ready
from jaxeager.core.lazy.recorder import Recorder

_current: contextvars.ContextVar[Recorder | None] = contextvars.ContextVar("lazy", default=None)
recorder = _current.get


class Kernel:
    """A kernel that is recorded in lazy mode, and called else."""

    __slots__ = ("__dict__", "__weakref__", "kernel", "rule")

    def __init__(self, kernel: Any, rule: Any):
        self.kernel, self.rule = kernel, rule

    def __call__(self, *arrays, **given):
        current = recorder()
        if current is not None:
            if self.rule is not None and not given:
                out = current.record(self, arrays)
                if out is not NotImplemented:
                    return out
            arrays, given = jax.tree.map(ready, (arrays, given))
        return self.kernel(*arrays, **given)

    def __getattr__(self, name):
        return getattr(self.kernel, name)


@contextlib.contextmanager
def lazy():
    """Record what kernels are called in a block, and run it when values are asked for."""
    install()
    mine = recorder() or Recorder()
    token = _current.set(mine)
    try:
        yield
    finally:
        _current.reset(token)
        if recorder() is None:
            mine.run()


_is_installed = False
_known: dict[int, Kernel] = {}  # by the id of a jitted callable, which the Kernel keeps


def as_kernel(jitted: Any) -> Kernel:
    """Return the Kernel of a jitted callable that was made before lazy mode was first used."""
    if type(jitted) is Kernel:
        return jitted
    return _known.setdefault(id(jitted), Kernel(jitted, jitted.__wrapped__))


def install() -> None:
    """Put a Kernel in the place of each kernel of this package."""
    global _is_installed
    if _is_installed:
        return
    _is_installed = True
    from jaxeager.core import tracing
    from jaxeager.ops.row import ROWS

    kind = type(tracing.jit(lambda x: x))
    tracing.wrap_kernel = _wrapped
    for row in ROWS.values():
        for kernels in (row.forward_kernels, row.record_kernels, row.vjp_kernels):
            kernels.clear()
    for name, module in list(sys.modules.items()):
        if name.startswith("jaxeager"):
            for key, value in list(vars(module).items()):
                if type(value) is kind and hasattr(value, "__wrapped__"):
                    setattr(module, key, as_kernel(value))


def _wrapped(kernel, rule, options):
    return Kernel(kernel, None if options else rule)
