"""FLAGS_check_index=1: indices on accelerators are checked too, on the device, and reported later.

Note [Late index checks]
    Reading indices that are on an accelerator would wait for it at every op. So the device checks
    them, in one small kernel per check: late_answers.py, Note [Reading late]. The answers are read
    when a value is read (``numpy()``, ``item()``, ``print``), when a backward has ended, in
    ``device.synchronize``, and after ``MOST`` checks. The error is the one the op would have
    raised, with a note of the line that passed the index. A backward that was run on such indices
    leaves ``.grad`` unchanged. Errors still unread when the check is switched off, or at exit, are
    written to stderr.
"""

import atexit
import traceback
from collections.abc import Callable, Iterator
from functools import partial
from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from jaxeager.core import ports
from jaxeager.core.user_lines import user_frame
from jaxeager.debug.common.late_answers import LateAnswers
from jaxeager.graph import events
from jaxeager.kernels.tracing import jit
from jaxeager.ops.rules import domains

MOST = 256  # the most checks that may be unread


class _Check(NamedTuple):
    """A check whose answer is on the device: int64[2], whether an index is bad, and the first.

    Attributes:
        error: returns the exception for an index.
        site: file and line that passed the index.
    """

    error: Callable[[int], Exception]
    site: str


_answers = LateAnswers()


@jit
def _first_bad(values, least, bound, ignored):
    """Return int64[2]: whether an index is outside [least, bound), and the first such index."""
    flat = values.reshape(-1).astype(jnp.int64)
    is_bad = ((flat < least) | (flat >= bound)) & (flat != ignored)
    return jnp.stack([is_bad.any().astype(jnp.int64), flat[jnp.argmax(is_bad)]])


def _check_later(values, least: int, bound: int, error: Callable, ignored: int | None) -> None:
    """Check indices on the device; see Note [Late index checks]. About 30 us."""
    if values.size == 0:
        return
    bounds = np.int64(least), np.int64(bound)
    with jax.ensure_compile_time_eval():  # inside jax.jit too: these indices are concrete
        found = _first_bad(values, *bounds, bounds[0] if ignored is None else np.int64(ignored))
    _ask(found, error)


def _ask(found: jax.Array, error: Callable) -> None:
    if _answers.put(found, _Check(error, _site())) >= MOST:
        report()


@partial(jit, static_argnums=1)
def _first_outside(values, domain: domains.Domain):
    """Return int64[2] as ``_first_bad`` does; the value is a float64, stored as its bits."""
    values = values if domain.of is None else domain.of(values)
    flat = values.reshape(-1).astype(jnp.float64)
    is_bad = ~domain.holds(flat)
    bits = jax.lax.bitcast_convert_type(flat[jnp.argmax(is_bad)], jnp.int64)
    return jnp.stack([is_bad.any().astype(jnp.int64), bits])


def _check_values_later(values, domain: domains.Domain, error: Callable) -> None:
    """Check on the device that values are in a domain. About 30 us."""
    if values.size == 0:
        return
    with jax.ensure_compile_time_eval():
        found = _first_outside(values, domain)
    _ask(found, lambda bits: error(np.int64(bits).view(np.float64)))


def _site() -> str:
    """Return the user's file and line."""
    frame = user_frame()
    return f"{frame.f_code.co_filename}:{frame.f_lineno}"


def report() -> None:
    """Read the device's answers for this thread, once, and raise for the first bad index.

    Unread checks of threads that have ended are read with them.
    """
    for error in _errors(_answers.take()):
        raise error


def _errors(answers: list) -> Iterator[Exception]:
    """Yield the exceptions for checks that have found a bad index."""
    for (is_bad, index), check in answers:
        if is_bad:
            error = check.error(int(index))
            error.add_note(f"The index was given at {check.site}; it was checked on the device.")
            yield error


def _finish() -> None:
    """Print the unread errors of all threads."""
    for error in _errors(_answers.take(every_thread=True)):
        traceback.print_exception(error)


class _Reader(events.Observer):
    """Reads answers when the thread waits anyway: for a value, or at the end of a backward."""

    def value_read(self, tensor):
        report()

    def backward_ended(self, run, error):
        if error is None:
            report()


_reader = _Reader()
_is_on = False


def set_enabled(value: bool | str) -> None:
    """Apply FLAGS_check_index: True includes the indices on accelerators."""
    global _is_on
    if (value is True) == _is_on:
        return
    _is_on = not _is_on
    if _is_on:
        ports.look_at_indices = _check_later
        ports.look_at_values = _check_values_later
        events.observe(_reader)
        atexit.register(_finish)
    else:
        ports.look_at_indices = ports.look_at_values = None
        events.unobserve(_reader)
        atexit.unregister(_finish)
        _finish()
