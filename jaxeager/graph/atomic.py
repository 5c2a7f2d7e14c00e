"""Attributes that are set together: all of them or none, even on an interrupt.

Note [Interrupts]
    CPython delivers a signal (Ctrl-C, an alarm whose handler raises) and an exception from another
    thread (``PyThreadState_SetAsyncExc``) between two bytecodes, never inside a function written in
    C. So writes within one call of such a function cannot be separated. ``map(setattr, objects,
    names, values)``, drained by a deque that keeps nothing, runs no bytecode as long as the
    iterators are C's own and each attribute is a slot or in an instance's dict. Where a value is
    the result of a jitted call, ``map`` makes that call as well (see Note [Donation] in
    optimizer/fused.py).

    Where the writes themselves are Python code (tensors that share their memory), one such call
    undoes them. That call is in an ``except BaseException`` whose ``try`` contains all of the work.
    A ``finally`` is not enough: after a block without an error CPython runs its ``finally`` outside
    of the ``try``, and an exception raised there, before its first line, is not caught by it.

    Python code can still run during such a call (the collector's callbacks, those of weak
    references), but it cannot end the call: CPython prints its exceptions and drops them.
"""

from collections import deque
from collections.abc import Iterable
from itertools import starmap
from typing import TypeAlias

Write: TypeAlias = tuple[object, str, object]
"""An attribute to set: (object, name, value)."""

Also: TypeAlias = Iterable[Write]

_drain = deque[None](maxlen=0).extend


def set_together(objects: Iterable[object], names: Iterable[str], values: Iterable[object]) -> None:
    """Set one attribute of each object, in a single call of C: see Note [Interrupts].

    Args:
        objects, names, values: iterators written in C, of equal length. When one of them raises at
            its first item, nothing is set.
    """
    _drain(map(setattr, objects, names, values))


def set_each(also: Also) -> None:
    """Set attributes, a list of (object, name, value), in a single call of C."""
    _drain(starmap(setattr, also))
