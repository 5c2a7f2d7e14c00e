"""Kernels that run in the thread that calls them: kernels/calling_thread.py."""

import time

import jax
import jax.numpy as jnp
import numpy as np

from jaxeager.kernels import executables, kernel_files, tracing
from jaxeager.kernels.calling_thread import in_calling_thread
from jaxeager.kernels.executables import Origin
from tests.support.here import only_on_a_cpu

pytestmark = only_on_a_cpu("XLA runs programs of other devices in threads of its own")


def chain(is_awaited: bool, name: str = "", length: int = 100, start: int = 0):
    """Return a kernel of products too small for XLA to divide one among threads.

    With a name it has a file. Without, it is in JAX's own cache, which does not know who waits.
    With another ``start`` it is another program.
    """

    def products(x):
        y = x + start
        for _ in range(length):
            y = jnp.tanh(y @ x)
        return in_calling_thread(y) if is_awaited else y

    origin = Origin((name,), is_awaited=is_awaited) if name else None
    return tracing.jit(products, name="products", origin=origin)


def operand():
    x = jnp.asarray(np.random.default_rng(0).uniform(-1, 1, (16, 16)), "float32")
    return jax.block_until_ready(x)


def is_ready_after_calls(kernel) -> set[bool]:
    """Return whether the result is there when a call returns, for 50 calls."""
    x = operand()
    jax.block_until_ready(kernel(x))
    found = set()
    for _ in range(50):
        y = kernel(x)
        found.add(y.is_ready())
        y.block_until_ready()
    return found


def test_its_result_is_there_when_the_call_returns(folder):
    assert False in is_ready_after_calls(chain(False, "products 1"))
    assert is_ready_after_calls(chain(True, "products 2", start=1)) == {True}


def test_neither_its_code_nor_its_numbers_change():
    x = operand()
    kernels = [chain(is_awaited, length=90) for is_awaited in (False, True)]
    codes = [kernel.lower(x).compile().as_text() for kernel in kernels]
    assert codes[0] == codes[1]
    one, other = (np.asarray(kernel(x)) for kernel in kernels)
    assert one.tobytes() == other.tobytes()


def test_one_from_a_file_runs_there_too(folder):
    """Both kinds have one file: they differ only in where they run."""
    jax.block_until_ready(chain(False, "products 3")(operand()))
    before = executables.counts()
    assert False in is_ready_after_calls(chain(False, "products 3"))
    assert is_ready_after_calls(chain(True, "products 3")) == {True}
    after = executables.counts()
    assert (after.loaded - before.loaded, after.full - before.full) == (2, 0)


def test_one_that_is_from_jax_s_own_cache_gets_a_file_and_runs_there_from_it(folder):
    """XLA cannot serialize it again: the file has what JAX's has."""
    name, x = "products 4", operand()
    start = time.time_ns() % 2**24  # a program that JAX's cache has of no run of the tests
    kernel_files.set_folder(None)
    first = np.asarray(chain(False, name, 101, start)(x))  # into JAX's own cache
    kernel_files.set_folder(folder)
    second = np.asarray(chain(False, name, 101, start)(x))  # and from there
    assert len(list(folder.iterdir())) == 1
    before = executables.counts()
    kernel = chain(True, name, 101, start)
    third = np.asarray(kernel(x))
    assert executables.counts() == before._replace(loaded=before.loaded + 1)
    assert is_ready_after_calls(kernel) == {True}
    assert first.tobytes() == second.tobytes() == third.tobytes()
