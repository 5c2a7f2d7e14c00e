"""A reader of pickles that cannot run code: what ``load`` reads files with.

Note [Reading what cannot be trusted]
A pickle is a program for a small machine, and Python's own machine calls whatever the program
names. Here is a machine of our own, which has nothing to call:

- ``machine.py`` runs the opcodes on numbers, text, bytes, lists, tuples and *descriptions*: of a
  dict, set or namespace (``containers.py``), of a dtype or an array (``arrays.py``). A global is a
  name from one short table (``makers.py``) and is never a value; no opcode makes an object of a
  class. A namespace (argparse's, as checkpoints hold them) is a dict with text for keys, which is
  put into an empty one at the end: nothing is set by a name that the file chooses.
- Arrays are made by us, of a dtype, a shape and bytes that were checked against one another.
- Dicts and sets are made at the end, of keys that are numbers, text or short tuples of them, whose
  hashes were looked at (``keys.py``). Nothing that was described and not made is in the result.
- Every length is held against what is left of the file before anything is made of it. What an
  opcode does beyond its own bytes (copy bytes, hash a key) is counted, and the count is bounded by
  the length of the file: ``Machine.work`` never exceeds ``Machine.limit``. So time and memory are
  linear in the file.
- Nothing recurses. What holds itself, or nests deeper than Python's own pickler writes, is refused.
"""

from __future__ import annotations

from typing import Any

from jaxeager.errors import InvalidArgumentError
from jaxeager.framework.restricted_pickle.containers import finished
from jaxeager.framework.restricted_pickle.damage import Damage
from jaxeager.framework.restricted_pickle.machine import Machine

__all__ = ["restricted_load"]


def restricted_load(file: Any, name: str) -> Any:
    """Return what a pickle file holds, made of arrays, numbers, strings and containers only.

    Arrays are views of the file's bytes, which cannot be written to. What follows the pickle in the
    file is left there, to be read.

    Args:
        file: open for reading bytes.
        name: what errors call the file.

    Raises:
        InvalidArgumentError: when the file asks for anything else, or is damaged; it names the file
            and the byte.

    Example:
        >>> import io, pickle
        >>> from jaxeager.framework.restricted_pickle import restricted_load
        >>> restricted_load(io.BytesIO(pickle.dumps({"epoch": 3})), "example")
        {'epoch': 3}
    """
    start = file.tell() if file.seekable() else 0
    machine = Machine(file.read())
    try:
        found = finished(machine, machine.run())
    except Damage as damage:
        at = machine.start if damage.offset is None else damage.offset
        raise InvalidArgumentError(
            f"`paddle.load` can not parse the file: {name}: {damage} (at byte {start + at}). Only "
            "arrays, numbers, strings and containers are read; the file is damaged, of another "
            "kind, or not to be trusted."
        ) from None
    if file.seekable():
        file.seek(start + machine.at)
    return found
