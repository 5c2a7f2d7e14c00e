"""Jitted functions that write into given arrays, and never lose a value on an error.

Note [Calls that cannot be cut short]
    A step donates the old arrays to XLA. So from the call until every result is stored nothing may
    raise, or parameters are lost ("Array has been deleted"). There are two cases:

    - JAX knows the executable of a call with these shapes. Then the call is C++ from end to end and
      runs no bytecode, and ``graph/atomic.py``, Note [Interrupts], combines it and the assignments
      into one call of C. Nothing can raise in between, and an error of the call itself (an operand
      that it does not accept) is raised before arrays are donated.
    - JAX does not know it: new shapes, ``jax.clear_caches()``, a changed setting, an executable
      that was dropped, a function called for the first time. Then Python runs within the call, also
      after the execution. JAX requests the executable through a function, ``_cache_miss``. Its
      replacement here copies the arrays that other code holds and donates the copies. After any
      exception the old values still exist.

    JAX chooses between the two cases within the call, so nothing can change in between. Where JAX
    has no such function to replace, every call gets copies: slower, and as safe.

    While JAX looks for NaN (``jax_debug_nans``) it runs Python after each call, which may call the
    function again with the same arrays. Then nothing is donated: ``plain`` runs.

    The results must be lists and tuples, which C++ makes; a named tuple is made by Python.
"""

import _thread
import functools
import weakref
from collections.abc import Callable
from typing import Any

import jax
from jax.core import Tracer

from jaxeager.graph.mode import grad_mode
from jaxeager.graph.views.stale import give_back
from jaxeager.kernels.executables import Origin
from jaxeager.kernels.lazy import mode
from jaxeager.kernels.lazy.mode import recorder, step_kernel
from jaxeager.kernels.tracing import jit

_own: weakref.WeakValueDictionary[int, jax.Array] = weakref.WeakValueDictionary()
"""The copies that were made to be donated, by id."""


def copied(array: jax.Array) -> jax.Array:
    """Return a copy with separate memory in the same place, without compilation. About 40 us."""
    where = array.sharding if array.committed else None
    own = jax.device_put(array, where, may_alias=False)
    _own[id(own)] = own
    return own


def chosen(function) -> tuple[Callable, bool]:
    """Return the function to call for a ``donating`` function, and whether arrays are donated.

    None are while JAX traces, because other functions read the arrays, or while a tool calls the
    kernels. About 0.25 us.
    """
    if recorder() is not None or mode.called is not None:
        return step_kernel(function), False
    config: Any = jax.config
    if config.jax_debug_nans or config.jax_debug_infs or grad_mode.written is not None:
        return function.plain, False
    return function, True


def has_company() -> bool:
    """Return whether the program has other Python threads, which may read written tensors.

    Threads of C code that call back into Python are not counted. About 0.04 us.
    """
    return _thread._count() > 0  # type: ignore[attr-defined]


def donating(function: Callable, origin: Origin | None = None) -> Any:
    """Return a jitted function that writes into the arrays of its first argument, a list.

    After any exception, an array that other code holds is intact: see Note [Calls that cannot be
    cut short].

    Args:
        function: a pure function of a list of arrays, and more, that returns lists and tuples.
        origin: its identity, when plain values describe it: see kernels/executables.py.

    Returns:
        the jitted function; its ``plain`` is another one that does not change the list's arrays.
    """
    jitted: Any = jit(function, bounded=False, origin=origin, donate_argnums=0)
    state = _state_of(jitted)
    made: Any = functools.partial(_on_copies, jitted)
    if "cache_miss" in state:
        on_miss = functools.partial(_on_copies, state["cache_miss"])
        kind: Any = type(jitted)
        made = kind.__new__(kind)
        made.__setstate__(state | {"cache_miss": on_miss})
        vars(made).update(vars(jitted))
    of_plain = origin and origin._replace(what=("plain", *origin.what))
    made.plain = jit(function, bounded=False, origin=of_plain)
    return made


def _state_of(jitted) -> dict:
    """Return the pickle state of a jitted function, to make another one; {} if it has none."""
    return jitted.__getstate__() if hasattr(jitted, "__setstate__") else {}


def _on_copies(call: Callable, given: list, *more):
    """Call a function with copies of the arrays that it may write into.

    So others may read them meanwhile: a compilation takes long.
    """
    given = [_unheld(array) for array in given]
    give_back()
    return call(given, *more)


def _unheld(array):
    """Return an array that no other code holds: itself when it is a copy made for this call."""
    if isinstance(array, Tracer) or _own.get(id(array)) is array:
        return array
    return copied(array)
