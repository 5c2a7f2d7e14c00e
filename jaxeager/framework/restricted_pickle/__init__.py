"""The reader of ``load`` for pickles; it cannot run code.

Note [Reading what cannot be trusted]
A pickle is a program for a small machine, and Python's machine calls whatever the program names.
The machine here has nothing to call:

- ``machine.py`` runs the opcodes on numbers, text, bytes, lists, tuples and *descriptions*: of a
  dict, set or namespace (``containers.py``), of a dtype or an array (``arrays.py``). A global is a
  name from one short table (``makers.py``) and is never a value; no opcode creates an instance of a
  class. A namespace (argparse's, as in checkpoints) is described as a dict with text keys, which is
  copied into an empty namespace at the end: no attribute is set by a name that the file chooses.
  The state of a generator of Paddle becomes an array of two words (``draw_states.py``). A record
  of a checkpoint in parts has fields of text and whole numbers only (``described_records.py``).
- Arrays are created here, from a dtype, a shape and bytes that were checked against each other.
- Dicts and sets are created at the end. Their keys are numbers, text or short tuples of them, whose
  hashes were checked (``keys.py``). The result contains no description.
- Every length is compared with the rest of the file before anything is allocated. The work of an
  opcode beyond its own bytes (copying bytes, hashing a key) is counted, and bounded by the length
  of the file: ``Machine.work`` never exceeds ``Machine.limit``. So time and memory are linear in
  the file.
- Nothing recurses. An object that contains itself, or nests deeper than Python's own pickler
  writes, is refused.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from jaxeager.errors import InvalidArgumentError
from jaxeager.framework.restricted_pickle.containers import finished
from jaxeager.framework.restricted_pickle.damage import Damage
from jaxeager.framework.restricted_pickle.machine import Machine

if TYPE_CHECKING:
    from typing import IO

__all__ = ["restricted_load"]


def restricted_load(file: IO[bytes], name: str) -> Any:
    """Read a pickle file of arrays, numbers, strings and containers only; return its content.

    Arrays are read-only views of the file's bytes. Any bytes after the pickle stay unread.

    Args:
        file: open for reading bytes.
        name: the name of the file for error messages.

    Raises:
        InvalidArgumentError: when the file requests anything else, or is damaged; it names the file
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
