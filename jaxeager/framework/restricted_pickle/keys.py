"""Checks of the keys of dicts and members of sets, and of the time to look them up.

Note [Keys that collide]
A file chooses its keys, and Python's hashes of numbers and tuples are known. A dict of n keys that
all hash to the same slots takes n * n steps to build, and nested tuples that share their parts take
time that doubles with each level. So a key has a bounded number of parts. If many keys are not text
(whose hashes are secret), their probes of the table are simulated here first, exactly as in
CPython, with a bound on the steps. Keys not made to collide take one or two steps.
"""

import numpy as np

from jaxeager.framework.restricted_pickle.damage import Damage
from jaxeager.framework.restricted_pickle.part_records import LocalTensorIndex

_PARTS = 1000  # of one key
_FEW = 64  # keys that may collide freely
_STEPS = 32  # per key, on average
_TEXT = frozenset({str, bytes})
_NUMBERS = frozenset({type(None), bool, float, complex})
_BITS = 2**64 - 1


def check_keys(machine, keys: list, offset: int, is_set: bool = False) -> None:
    """Raise Damage for an invalid key, and for keys made to collide.

    Args:
        machine: counts the work.
        keys: the keys of a dict, or the members of a set.
        offset: the position of their description in the file.
        is_set: whether they are members of a set.
    """
    others = 0
    for key in keys:
        if type(key) is str and len(key) < 256:
            continue
        machine.spend(_parts_of(key, offset))
        others += type(key) not in _TEXT
    if others > _FEW:
        _check_spread([hash(key) for key in keys], offset, is_set)


def _parts_of(key, offset: int) -> int:
    """Return the number of parts of a key; long text and long numbers count as several."""
    count, waiting = 1, [key]
    while waiting:
        part = waiting.pop()
        kind = type(part)
        if kind in _TEXT:
            count += len(part) >> 8
        elif kind is int:
            count += part.bit_length() >> 8
        elif kind in (tuple, frozenset):
            count += len(part)
            if count <= _PARTS:
                waiting.extend(part)
        elif kind is LocalTensorIndex:
            waiting.extend(vars(part).values())
            count += len(vars(part))
        elif isinstance(part, np.generic):
            count += part.nbytes >> 8
        elif kind not in _NUMBERS:
            raise Damage(f"it has a {kind.__name__} as a key of a dict or member of a set", offset)
        if count > _PARTS and kind not in _TEXT:
            raise Damage(f"it has a key of more than {_PARTS} parts", offset)
    return count


def _check_spread(hashes: list[int], offset: int, is_set: bool) -> None:
    """Simulate the probes of hashes in tables of every size up to the last."""
    size = 2 * _FEW
    while True:
        inside = min(len(hashes), size * 3 // 5 if is_set else size * 2 // 3)
        _check_table(hashes[:inside], size, offset, 10 if is_set else 1)
        if inside == len(hashes):
            return
        size *= 2


def _check_table(hashes: list[int], size: int, offset: int, run: int) -> None:
    """Simulate the probes of hashes in one table; a set probes ``run`` neighbours of each slot."""
    mask, taken, left = size - 1, bytearray(size), _STEPS * len(hashes)
    for value in hashes:
        rest = value & _BITS
        place = rest & mask
        while True:
            free = taken.find(0, place, place + run if place + run <= size else place + 1)
            if free >= 0:
                break
            rest >>= 5
            place = (place * 5 + rest + 1) & mask
            left -= 1
            if left < 0:
                raise Damage(f"it has {len(hashes)} keys that were made to collide", offset)
        taken[free] = 1
