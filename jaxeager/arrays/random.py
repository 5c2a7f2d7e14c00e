"""The stateful generator of every random op: a JAX key that advances with each draw.

Note [Keys ahead]
    Splitting the state before each draw would be a second call of XLA for each random op, and JAX
    uses its slow call path for a kernel that takes or returns one of its key objects. So one kernel
    splits the state sixteen times and returns the keys of the next sixteen draws, as plain words.
    Ops take the words, and ``as_key`` converts them to a key inside their kernels. The numbers are
    those of one split for each draw. Keys of another implementation than JAX's default one
    (jax_default_prng_impl) are split one by one, and remain keys.

    Lazy mode does not record that kernel: it is called at every sixteenth draw, so a recorded step
    with another number of draws would be a new segment sixteen times. As operands from outside, the
    keys of each step are the same to the recorder.
"""

from __future__ import annotations

import contextlib
import functools
import secrets
import threading
from collections.abc import Callable
from contextvars import ContextVar
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from jaxeager.errors import InvalidArgumentError
from jaxeager.kernels.lazy.mode import immediate
from jaxeager.kernels.tracing import jit


class Generator:
    """A JAX PRNG key that is split at every draw, so that one seed fixes a whole run.

    Example:
        >>> from jaxeager.arrays.random import Generator
        >>> a, b = Generator(1), Generator(1)
        >>> bool((jax.random.key_data(a.next_key()) == jax.random.key_data(b.next_key())).all())
        True
    """

    def __init__(self, seed: int = 0):
        self._lock = threading.Lock()
        self.manual_seed(seed)

    def manual_seed(self, seed: int) -> Generator:
        """Restart the stream from ``seed`` and return self."""
        with self._lock:
            self._seed = int(seed)
            self._restart(None)
        return self

    def _restart(self, state: jax.Array | None) -> None:
        # Keys of the next draws, the next one last; the state at each of those made together; the
        # state after them, None at the seed. One tuple, so that an interrupt never separates them.
        self._ahead: tuple[list, jax.Array | None, jax.Array | None] = [], None, state

    def initial_seed(self) -> int:
        """Return the seed that the stream started from."""
        return self._seed

    def seed(self) -> int:
        """Restart the stream from a random seed, and return it."""
        self.manual_seed(secrets.randbits(53))
        return self._seed

    def random(self) -> int:
        """Return an integer in [0, 2^63), after a wait for the device, and advance."""
        return int(jax.random.bits(self.next_key(), dtype="uint64")) >> 1

    def next_key(self) -> jax.Array:
        """Return a fresh key, and advance. Never waits for the device."""
        words = self.next_words()
        with jax.ensure_compile_time_eval():
            return as_key(words)

    def next_words(self) -> jax.Array:
        """Return a fresh key for ``as_key``, and advance. About 1.5 us: see Note [Keys ahead].

        Inside jax.jit the key is a constant of the traced program, so each run draws the same.
        """
        with self._lock:
            ready = self._ahead[0] or self._look_ahead()
            return ready.pop()

    def _look_ahead(self) -> list:
        """Make the keys of the next draws."""
        state = self._ahead[2]
        with jax.ensure_compile_time_eval(), _moves_allowed(), immediate():
            state = first_key(self._seed) if state is None else state
            if is_plain(state):
                keys, states, after = _split_ahead(words_of(state))
            else:
                after, key = _split(state)
                keys, states = [key], None
        self._ahead = list(keys[::-1]), states, after
        return self._ahead[0]

    def get_state(self) -> jax.Array:
        """Return the key that the next draw starts from."""
        with self._lock, jax.ensure_compile_time_eval(), _moves_allowed():
            ready, states, after = self._ahead
            if ready:
                return _state_at(states, _AHEAD - len(ready))
            if after is None:
                after = first_key(self._seed)
                self._restart(after)
            return as_key(after)

    def set_state(self, state: Any) -> None:
        """Continue from a key that get_state returned, or from its words, as ``load`` returns them.

        Raises:
            InvalidArgumentError: for anything else.
        """
        state = getattr(state, "_array", state)
        if getattr(state, "dtype", None) == _WORDS:
            with _moves_allowed():
                state = jax.random.wrap_key_data(state)
        elif not isinstance(state, jax.Array):
            raise InvalidArgumentError(
                "The state of a generator is what get_state() returned, or what load() read of "
                f"it, but received {state!r}."
            )
        with self._lock:
            self._restart(state)

    def mark(self) -> tuple:
        """Return the position of the stream, for ``go_back``, without any computation."""
        with self._lock:
            ready, states, after = self._ahead
            return list(ready), states, after

    def go_back(self, mark: tuple) -> None:
        """Continue from the position of the stream at ``mark``."""
        ready, states, after = mark
        with self._lock:
            self._ahead = list(ready), states, after


def first_key(seed: int) -> jax.Array:
    """Return JAX's key of a seed; the transfer to the device is explicit."""
    with _moves_allowed():
        return jax.random.key(seed)


def _moves_allowed():
    """Allow the transfers of seeds to the device and of constants of compiled kernels from it."""
    return jax.transfer_guard("allow")


_WORDS = np.dtype("uint32")
_PLAIN = "threefry2x32"  # JAX's default implementation
_AHEAD = 16


def as_key(key: jax.Array) -> jax.Array:
    """Return the key of some words, and a key as it is; for the kernels of random ops."""
    return jax.random.wrap_key_data(key, impl=_PLAIN) if key.dtype == _WORDS else key


def words_of(key: jax.Array) -> jax.Array:
    """Return the words from which ``as_key`` makes a plain key."""
    return key if key.dtype == _WORDS else jax.random.key_data(key)


def is_plain(key: jax.Array) -> bool:
    """Return whether a key, or its words, are of JAX's default implementation."""
    return key.dtype == _WORDS or str(jax.random.key_impl(key)) == _PLAIN


@jit
def _split(key):
    return tuple(jax.random.split(key))


@jit
def _split_ahead(words):
    """Return the words of the next keys, of the states of these draws, and of the state after."""

    def draw(words, _):
        after, key = jax.random.key_data(jax.random.split(as_key(words)))
        return after, (key, words)

    after, (keys, states) = jax.lax.scan(draw, words, length=_AHEAD)
    return tuple(keys), states, after


@jit
def _state_at(states, draw):
    return as_key(states[draw])


@functools.cache
def no_key() -> jax.Array:
    """Return words for an op that takes a key but draws nothing in this call."""
    with jax.ensure_compile_time_eval(), _moves_allowed():
        return jnp.zeros(2, _WORDS)


default_generator = Generator(0)


class KeyStream:
    """Keys derived from one key, which may be an argument of a function that JAX traces.

    Attributes:
        draws: the number of draws.
    """

    def __init__(self, key: jax.Array):
        self._key = key
        self.draws = 0

    def next_key(self) -> jax.Array:
        """Return a fresh key, and advance."""
        self._key, key = _split(self._key)
        self.draws += 1
        return key


class Draws:
    """The keys that a function draws while ``jit.to_static`` makes a program of it.

    They are the default generator's. Keys can be drawn again, as ``recompute`` does:
    ``get_rng_state`` returns the position, and ``set_rng_state`` restores it.

    Args:
        refuse: raises an error; its argument describes an action that a program cannot do.

    Attributes:
        words: the drawn keys, each a separate array.
    """

    def __init__(self, refuse: Callable[[str], object]):
        self.refuse = refuse
        self.words: list[jax.Array] = []
        self._place = 0

    def next_key(self) -> jax.Array:
        """Return the next key, and advance."""
        if self._place == len(self.words):
            self.words.append(default_generator.next_words())
        self._place += 1
        return self.words[self._place - 1]

    def get_state(self) -> Drawn:
        """Return the position."""
        return Drawn(self, self._place)

    def set_state(self, state: Drawn) -> None:
        """Restore a position."""
        self._place = state.place


class Drawn(NamedTuple):
    """A position in the keys that a function has drawn."""

    draws: Draws
    place: int


_stream: ContextVar[KeyStream | Draws | None] = ContextVar("jaxeager.key_stream", default=None)


def drawing_from_seed(seed: int) -> contextlib.AbstractContextManager:
    """Make every random op of a block draw from a seed; from the default generator for 0."""
    return drawing_from(first_key(seed)) if seed else contextlib.nullcontext()


@contextlib.contextmanager
def drawing_from(key: jax.Array):
    """Make every random op of a block draw from a key, instead of the default generator.

    Yields:
        the KeyStream.
    """
    with _drawing(KeyStream(key)) as stream:
        yield stream


def draws_from_key() -> bool:
    """Return whether random ops draw from a key of ``drawing_from``."""
    return isinstance(_stream.get(), KeyStream)


def plain_words(key: jax.Array) -> jax.Array:
    """Return two words from which ``as_key`` makes a key, for a key of any kind."""
    return words_of(key)[..., :2]


def split_words(words: jax.Array) -> jax.Array:
    """Return the words of two keys that a key is split into, uint32[2, 2]."""
    return jax.random.key_data(jax.random.split(as_key(words)))


@contextlib.contextmanager
def noting_draws(refuse: Callable[[str], object]):
    """Make a block draw from the default generator, and note the keys.

    Args:
        refuse: see ``Draws``.

    Yields:
        the Draws.
    """
    with _drawing(Draws(refuse)) as draws:
        yield draws


@contextlib.contextmanager
def _drawing(stream):
    token = _stream.set(stream)
    try:
        yield stream
    finally:
        _stream.reset(token)


def next_key() -> jax.Array:
    """Return a fresh key of the default generator, or of the active ``drawing_from``.

    It is for ``as_key``: see Note [Keys ahead].
    """
    stream = _stream.get()
    return default_generator.next_words() if stream is None else stream.next_key()


def seed(seed: int) -> Generator:
    """Restart the default generator, which makes a run repeatable.

    Example:
        >>> import jaxeager as paddle
        >>> _ = paddle.seed(7)
        >>> a = paddle.rand([3]).tolist()
        >>> _ = paddle.seed(7)
        >>> a == paddle.rand([3]).tolist()
        True
    """
    _refuse_in_programs("it seeds the random numbers, which Python must do on each call.")
    return default_generator.manual_seed(seed)


def _refuse_in_programs(what: str) -> None:
    stream = _stream.get()
    if isinstance(stream, Draws):
        stream.refuse(what)


def get_rng_state(device: str | None = None) -> list[Any]:
    """Return the state of the default generator, as a list of one key.

    Args:
        device: accepted for compatibility: one generator serves every device.
    """
    stream = _stream.get()
    if isinstance(stream, Draws):
        return [stream.get_state()]
    return [default_generator.get_state()]


def set_rng_state(state_list: list[Any], device: str | None = None) -> None:
    """Restore a state that get_rng_state returned.

    Args:
        state_list: that state.
        device: accepted for compatibility: one generator serves every device.

    Raises:
        InvalidArgumentError: when it is not a list of one state.
    """
    if len(state_list) != 1:
        raise InvalidArgumentError(
            f"Length of state list should be equal to 1, but it is {len(state_list)}."
        )
    state = state_list[0]
    if isinstance(state, Drawn):
        state.draws.set_state(state)
    else:
        _refuse_in_programs(
            "it sets the state of the random numbers, which Python must do on each call."
        )
        default_generator.set_state(state)
