"""The pickler of random generators' states and records of parts, under Paddle's class names."""

from __future__ import annotations

import pickle
from typing import TYPE_CHECKING, Any

import jax
import jax.numpy as jnp
import numpy as np

from jaxeager.framework.restricted_pickle.draw_states import STATE_CLASS, engine_of
from jaxeager.framework.restricted_pickle.part_records import MODULE, RECORDS

if TYPE_CHECKING:
    from typing import IO


class KeyWords:
    """The two words of a state of random numbers, to be written."""

    __slots__ = ("words",)

    def __init__(self, words: np.ndarray):
        self.words = words


def is_state(obj: object) -> bool:
    """Return whether an object is a state of random numbers: one of JAX's keys."""
    return isinstance(obj, jax.Array) and jnp.issubdtype(obj.dtype, jax.dtypes.prng_key)


def words_of(key: Any) -> KeyWords | np.ndarray:
    """Return the words of a state; an array if the key is not of JAX's default implementation."""
    words = np.asarray(jax.random.key_data(key))
    return KeyWords(words) if words.shape == (2,) else words


def has_state(obj: object) -> bool:
    """Return whether an object, or one in its containers, needs ``dump``: a state or a record."""
    if isinstance(obj, dict):
        return any(map(has_state, obj)) or any(map(has_state, obj.values()))
    if isinstance(obj, (list, tuple)):
        return any(map(has_state, obj))
    return isinstance(obj, (KeyWords, *RECORDS))


def dump(obj: object, file: IO[bytes], protocol: int) -> None:
    """Write a pickle of containers with states or records of parts; their classes are Paddle's.

    Example:
        >>> import io, pickletools
        >>> import numpy as np
        >>> from jaxeager.framework.io.writing_states import KeyWords, dump
        >>> file = io.BytesIO()
        >>> dump([KeyWords(np.array([0, 7], np.uint32))], file, 4)
        >>> b"GeneratorState" in file.getvalue()
        True
    """
    _Pickler(file, protocol).dump(obj)


# Python's own pickler writes the name of a class only after it has imported it.
_PythonPickler: Any = vars(pickle)["_Pickler"]


class _Pickler(_PythonPickler):
    dispatch = dict(_PythonPickler.dispatch)  # noqa: RUF012 - the form of the base class

    def save_key_words(self, obj: KeyWords) -> None:
        """Write a fresh state of Paddle whose seed has the words."""
        seed = (int(obj.words[0]) << 32) + int(obj.words[1])
        self._save_new(STATE_CLASS, (-1, seed, 0, [*engine_of(seed)]))

    def save_record(self, obj: object) -> None:
        """Write a record of parts."""
        self._save_new((MODULE, type(obj).__name__), vars(obj))

    def _save_new(self, named: tuple[str, str], state: object) -> None:
        """Write an object of a class that may not be importable here, with its state."""
        module, name = named
        if self.proto >= 4:
            self.save(module)
            self.save(name)
            self.write(pickle.STACK_GLOBAL)
        else:
            self.write(pickle.GLOBAL + f"{module}\n{name}\n".encode())
        self.write(pickle.EMPTY_TUPLE + pickle.NEWOBJ)
        self.save(state)
        self.write(pickle.BUILD)

    dispatch[KeyWords] = save_key_words
    for _kind in RECORDS:
        dispatch[_kind] = save_record
