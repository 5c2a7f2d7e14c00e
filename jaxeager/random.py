"""The stateful generator behind every random op: a JAX key that moves on with each draw."""

import contextlib
import secrets
import threading
from contextvars import ContextVar

import jax

from jaxeager.errors import InvalidArgumentError
from jaxeager.tracing import jit


class Generator:
    """A JAX PRNG key that is split at every draw, so that one seed fixes a whole run.

    Example:
        >>> from jaxeager.random import Generator
        >>> a, b = Generator(1), Generator(1)
        >>> bool((jax.random.key_data(a.next_key()) == jax.random.key_data(b.next_key())).all())
        True
    """

    def __init__(self, seed: int = 0):
        self._lock = threading.Lock()
        self.manual_seed(seed)

    def manual_seed(self, seed: int) -> "Generator":
        """Restarts the stream from ``seed`` and returns self."""
        self._seed = int(seed)
        self._key = None
        return self

    def initial_seed(self) -> int:
        """Returns the seed the stream started from."""
        return self._seed

    def seed(self) -> int:
        """Restarts the stream from a seed nobody chose, and returns it."""
        self.manual_seed(secrets.randbits(53))
        return self._seed

    def random(self) -> int:
        """Returns an integer in [0, 2^63), and moves on. Waits for it."""
        return int(jax.random.bits(self.next_key(), dtype="uint64")) >> 1

    def next_key(self) -> jax.Array:
        """Returns a fresh key, and moves on. About 10 us; never waits for the device.

        Inside jax.jit the key is a constant of the traced program: each run of it draws the same.
        """
        with self._lock, jax.ensure_compile_time_eval():
            if self._key is None:
                self._key = first_key(self._seed)
            self._key, key = _split(self._key)
            return key

    def get_state(self) -> jax.Array:
        """Returns the key the next draw starts from."""
        if self._key is None:
            self._key = first_key(self._seed)
        return self._key

    def set_state(self, state: jax.Array) -> None:
        """Continues from a key that get_state returned."""
        self._key = state


def first_key(seed: int) -> jax.Array:
    """Returns JAX's key of a seed, which the user has asked to be on the device."""
    with jax.transfer_guard_host_to_device("allow"):
        return jax.random.key(seed)


@jit
def _split(key):
    return tuple(jax.random.split(key))


default_generator = Generator(0)


class KeyStream:
    """Keys that follow from one key, which may be an argument of a function that JAX traces."""

    def __init__(self, key: jax.Array):
        self._key = key

    def next_key(self) -> jax.Array:
        """Returns a fresh key, and moves on."""
        self._key, key = _split(self._key)
        return key


_stream: ContextVar[KeyStream | None] = ContextVar("jaxeager.key_stream", default=None)


@contextlib.contextmanager
def drawing_from(key: jax.Array):
    """Lets every random op of a block draw from a key, in place of the default generator."""
    token = _stream.set(KeyStream(key))
    try:
        yield
    finally:
        _stream.reset(token)


def next_key() -> jax.Array:
    """Returns a fresh key of the default generator, or of the ``drawing_from`` in force."""
    stream = _stream.get()
    return default_generator.next_key() if stream is None else stream.next_key()


def seed(seed: int) -> Generator:
    """Restarts the default generator, which makes a run repeatable.

    Example:
        >>> import jaxeager as paddle
        >>> _ = paddle.seed(7)
        >>> a = paddle.rand([3]).tolist()
        >>> _ = paddle.seed(7)
        >>> a == paddle.rand([3]).tolist()
        True
    """
    return default_generator.manual_seed(seed)


def get_rng_state(device: str | None = None) -> list[jax.Array]:
    """Returns the state of the default generator, as a list of one key.

    Args:
        device: accepted for compatibility: one generator serves every device.
    """
    return [default_generator.get_state()]


def set_rng_state(state_list: list[jax.Array], device: str | None = None) -> None:
    """Restores what get_rng_state returned.

    Args:
        state_list: it.
        device: accepted for compatibility: one generator serves every device.

    Raises:
        InvalidArgumentError: when it is not a list of one state.
    """
    if len(state_list) != 1:
        raise InvalidArgumentError(
            f"Length of state list should be equal to 1, but it is {len(state_list)}."
        )
    default_generator.set_state(state_list[0])
