"""The state of a generator of random numbers in a file, in the form of Paddle's.

Note [States of random numbers in files]
A state here is a key of two words of 32 bits. Paddle's has a device, a seed of 64 bits, a number of
draws, and the text of its engine (mt19937_64, as C++ prints it). A file has the words as the seed,
and the engine that C++ starts from that seed: Paddle continues with this engine, and the words are
read back exactly. Paddle itself starts engines in another way (seed_seq); any such state is read
as a digest of it. The numbers drawn from it differ from Paddle's, but are the same in every run.
"""

from __future__ import annotations

import functools
import hashlib
from typing import TYPE_CHECKING

import numpy as np

from jaxeager.framework.restricted_pickle.containers import Described
from jaxeager.framework.restricted_pickle.damage import Damage

if TYPE_CHECKING:
    from typing import Any

    from jaxeager.framework.restricted_pickle.machine import Machine

STATE_CLASS = ("paddle.base.libpaddle", "GeneratorState")
_LENGTH = 312  # words of the engine
_FACTOR = 6364136223846793005  # of mt19937_64's seeding


@functools.lru_cache(maxsize=4)
def engine_of(seed: int) -> bytes:
    """Return the text of the mt19937_64 that a seed of 64 bits starts.

    Example:
        >>> from jaxeager.framework.restricted_pickle.draw_states import engine_of
        >>> engine_of(5489)[:25]
        b'5489 13057201162865595358'
    """
    words = [seed]
    for place in range(1, _LENGTH):
        last = words[-1]
        words.append((_FACTOR * (last ^ (last >> 62)) + place) % 2**64)
    return " ".join(map(str, [*words, _LENGTH])).encode()


class DrawState(Described):
    """The state of a generator of Paddle, which becomes the words of a key."""

    __slots__ = ("state",)

    def __init__(self, offset: int):
        super().__init__(offset)
        self.state: tuple | None = None

    def called(self) -> str:
        """Return the name for error messages."""
        return "a GeneratorState"

    def set_state(self, state: Any) -> None:
        """Set its device, seed, number of draws and the text of its engine, a list of bytes."""
        is_one = self.state is None and type(state) is tuple and len(state) == 4
        if not is_one or [type(part) for part in state] != [int, int, int, list]:
            raise Damage("it has a GeneratorState in a form that is not Paddle's")
        if not 0 <= state[1] < 2**64:
            raise Damage("it has a GeneratorState with a seed of more than 64 bits")
        self.state = state

    def made(self, machine: Machine, parts: list) -> np.ndarray:
        """Return two words: see Note [States of random numbers in files]."""
        if self.state is None:
            raise Damage("it has an empty GeneratorState", self.offset)
        device, seed, draws, engine = self.state
        machine.spend(len(engine))
        if not all(type(each) is int and 0 <= each < 256 for each in engine):
            raise Damage("it has a GeneratorState whose engine is not text", self.offset)
        if draws == 0 and bytes(engine) == engine_of(seed):
            return np.array([seed >> 32, seed % 2**32], np.uint32)
        text = hashlib.sha256(f"{device} {seed} {draws} ".encode() + bytes(engine)).digest()
        return np.frombuffer(text[:8], "<u4").astype(np.uint32)
