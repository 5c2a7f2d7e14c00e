"""Where a compiled kernel is stored, and what is read of JAX's cache: kernels/stored_kernels.py."""

import time
from pathlib import Path
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import pytest
from jax._src import compilation_cache

from jaxeager.core import flags
from jaxeager.kernels import (
    executable_data,
    executables,
    jax_cache,
    kernel_files,
    stored_kernels,
    tracing,
)
from jaxeager.kernels.executables import Origin

pytestmark = pytest.mark.skipif(
    not executables._is_known, reason="a JAX whose kernels go its own way"
)


class Pair(NamedTuple):
    total: Any
    most: Any


class Program:
    """A program that no cache has: it multiplies by a factor."""

    def __init__(self):
        self.factor = 2.0 + time.time_ns() % 2**20

    def is_right(self) -> bool:
        """Run it as a new kernel, and return whether its result is right."""

        def scaled(x):
            return x * self.factor

        kernel = tracing.jit(scaled, name="scaled", origin=Origin(("scaled by", self.factor)))
        return kernel(jnp.arange(4.0))[1] == self.factor


def files_in(folder: Path) -> list[Path]:
    """Return the files of kernels, and not sources-*."""
    return list(folder.glob("[!s]*"))


def entries() -> set[Path]:
    """Return what JAX's own cache has of such programs."""
    return set(Path(jax.config.jax_compilation_cache_dir).glob("jit_scaled-*-cache"))


@pytest.mark.parametrize("kind", [Pair, dict])
def test_results_of_other_classes_keep_them(folder, kind):
    """A file does not name classes, so JAX's own cache has these."""

    def both(x):
        return x + 1, kind(total=x.sum(), most=[x.max()])

    x = jnp.arange(3.0)
    for _ in range(2):
        kernel = tracing.jit(both, name="both", origin=Origin((f"returns {kind.__name__}",)))
        _, found = kernel(x)
        assert jax.device_get(found) == kind(total=3.0, most=[2.0])
        (file,) = files_in(folder)
        assert kernel_files.read(file.name) == (executable_data.FOR_JAX, b"")
        assert stored_kernels.results(file.name, None) is None


def test_a_damaged_file_of_jaxs_own_cache_is_not_copied(folder, monkeypatch):
    """JAX compiles the program again, and in default settings does not write it."""
    program = Program()
    monkeypatch.setitem(flags._values, "FLAGS_kernels_in_jax_cache", True)
    before = entries()
    assert program.is_right()
    (damaged,) = entries() - before
    damaged.write_bytes(damaged.read_bytes()[:50])
    monkeypatch.setitem(flags._values, "FLAGS_kernels_in_jax_cache", False)
    for file in files_in(folder):
        file.unlink()
    compiled = executables.counts().quick + executables.counts().full
    for _ in range(2):
        assert program.is_right()
        assert len(files_in(folder)) == 1
    damaged.unlink()
    now = executables.counts()
    assert now.quick + now.full == compiled + 1


@pytest.mark.parametrize("is_stale", [False, True])
def test_a_file_never_has_the_executable_of_another_program(folder, monkeypatch, is_stale):
    """JAX does not ask its cache here; what that gave last is of a program of the same name."""
    program = Program()
    monkeypatch.setattr(compilation_cache, "is_cache_used", lambda backend: False)
    if is_stale:  # as of a program that could not be loaded
        jax_cache._of_thread.entry = jax_cache.Entry("jit_scaled-abc", b"another program", False)
    assert program.is_right()
    before = executables.counts().loaded
    assert program.is_right()
    assert executables.counts().loaded == before + 1
