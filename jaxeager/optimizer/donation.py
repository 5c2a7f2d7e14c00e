"""Jitted functions that get arrays to write into, and never lose what they were not done with.

Note [Calls that cannot be cut short]
    A step gives XLA the old arrays, so from the call on until each result stands where it belongs
    nothing may be raised, or parameters are gone ("Array has been deleted"). Two cases:

    - JAX knows the executable of a call with these shapes: the call is C++ from end to end and
      runs no bytecode, and ``graph/at_once.py``, Note [Interrupts], makes one call of C of it and
      the assignments. Nothing is raised in between, and what the call itself raises (an operand it
      cannot take) it raises before arrays are given away.
    - JAX does not know it: new shapes, ``jax.clear_caches()``, a changed setting, an executable
      that was dropped, a function called for the first time. Then Python runs within the call,
      behind the execution as well. JAX asks for this through a function, ``_cache_miss``; the one
      put in its place here copies the arrays that somebody else holds and gives the copies away.
      Whatever is raised, the old values are there.

    Which of the two a call is, JAX decides within it, so nothing can change in between. Where JAX
    has no such function to be replaced, every call gets copies: slower, and as safe.

    While JAX looks for NaN (``jax_debug_nans``) it runs Python behind each call, which may call the
    function again with the same arrays. Then nothing is given away: ``plain`` runs.

    The results must come as lists and tuples, which C++ makes; a named tuple is made by Python.
"""

import _thread
import functools
import weakref
from collections.abc import Callable
from typing import Any

import jax
from jax.core import Tracer

from jaxeager.core.executables import Origin
from jaxeager.core.lazy.mode import recorder, step_kernel
from jaxeager.core.tracing import jit
from jaxeager.graph.mode import grad_mode
from jaxeager.graph.stale import give_back

_own: weakref.WeakValueDictionary[int, jax.Array] = weakref.WeakValueDictionary()
"""The copies that were made to be given away, by id."""


def copied(array: jax.Array) -> jax.Array:
    """Return an array of its own memory where ``array`` is; compile nothing. About 40 us."""
    where = array.sharding if array.committed else None
    own = jax.device_put(array, where, may_alias=False)
    _own[id(own)] = own
    return own


def chosen(function) -> tuple[Callable, bool]:
    """Return what to call for a function ``donating`` made, and whether that is given arrays.

    It is not while JAX traces, which would hand it what other functions read. About 0.25 us.
    """
    if recorder() is not None:
        return step_kernel(function), False
    config: Any = jax.config
    if config.jax_debug_nans or config.jax_debug_infs or grad_mode.written is not None:
        return function.plain, False
    return function, True


def has_company() -> bool:
    """Return whether the program has other Python threads, which may read what a step writes.

    Threads that C code makes to call back into Python are not counted. About 0.04 us.
    """
    return _thread._count() > 0  # type: ignore[attr-defined]


def donating(function: Callable, origin: Origin | None = None) -> Any:
    """Return a jitted function that writes into the arrays of the list it gets first.

    Whatever it raises, an array that anybody else holds is whole: see Note [Calls that cannot be
    cut short].

    Args:
        function: a pure function of a list of arrays, and more, that returns lists and tuples.
        origin: what it is made from, when plain values say it: see core/executables.py.

    Returns:
        The jitted function; its ``plain`` is another that leaves the list's arrays as they are.
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
    """Return what JAX pickles a jitted function by, to make another of; {} where it does not."""
    return jitted.__getstate__() if hasattr(jitted, "__setstate__") else {}


def _on_copies(call: Callable, given: list, *more):
    """Call a function with copies of the arrays it may write into.

    So others may read them meanwhile: this takes long when something is compiled.
    """
    given = [_unheld(array) for array in given]
    give_back()
    return call(given, *more)


def _unheld(array):
    """Return an array that nobody else holds: itself when it is a copy made for this."""
    if isinstance(array, Tracer) or _own.get(id(array)) is array:
        return array
    return copied(array)
