"""Attributes that are set together: all of them or none, whatever interrupts.

Note [Interrupts]
    CPython delivers a signal (Ctrl-C, an alarm whose handler raises) and an exception that another
    thread sent (``PyThreadState_SetAsyncExc``) between two bytecodes, never within a function
    written in C. So writes that go through one call of such a function cannot be separated:
    ``map(setattr, objects, names, values)``, drained by a deque that keeps nothing, runs no
    bytecode as long as the iterators are C's own and each attribute is a slot or stands in an
    instance's dict. Where a value is the outcome of a jitted call, ``map`` makes that call as
    well (see Note [Donation] in optimizer/fused.py).

    Where the writes themselves are Python (tensors that share their memory) they are taken back
    by one such call. That stands in ``except BaseException``, within whose ``try`` all of the work
    is: CPython runs the ``finally`` of a block that ended well outside of its ``try``, and what is
    raised there, before its first line, is not caught by it.

    What runs during such a call and is Python all the same (the collector's callbacks, a weak
    reference's) cannot end it: what is raised there is printed by CPython and dropped.
"""

from collections import deque
from collections.abc import Iterable
from itertools import starmap
from typing import Any

Also = Iterable[tuple[Any, str, Any]]

_drain = deque(maxlen=0).extend


def set_together(objects: Iterable, names: Iterable, values: Iterable) -> None:
    """Set one attribute of each object, in a single call of C: see Note [Interrupts].

    Args:
        objects, names, values: iterators of C's own, of one length. When one of them raises at its
            first item nothing is set.
    """
    _drain(map(setattr, objects, names, values))


def set_each(also: Also) -> None:
    """Set attributes, a list of (object, name, value), in a single call of C."""
    _drain(starmap(setattr, also))
