"""Texts that a rank leaves in the store for the others, for tools that the ranks run together."""

from __future__ import annotations

import contextlib

import jax

from jaxeager.core import ports
from jaxeager.distributed.communication import world

_STORE_ERRORS = (jax.errors.JaxRuntimeError, AttributeError)  # no such key; no store any more


def write(name: str, text: str) -> None:
    """Write a text for the other ranks in place of an earlier one; do nothing without a store."""
    with contextlib.suppress(*_STORE_ERRORS):
        world.store().key_value_set(_key(name, world.rank()), text, allow_overwrite=True)


def read(name: str, rank: int) -> str | None:
    """Return the text that a rank has written, None if there is none."""
    with contextlib.suppress(*_STORE_ERRORS):
        return world.store().key_value_try_get(_key(name, rank))
    return None


def meet(name: str, seconds: float) -> None:
    """Wait until all ranks have called this with the same name, or the time is over."""
    with contextlib.suppress(*_STORE_ERRORS):
        world.store().wait_at_barrier(f"jaxeager/meet/{name}", int(1000 * seconds))


def _key(name: str, rank: int) -> str:
    return f"jaxeager/shared/{name}/{rank}"


def fill_ports() -> None:
    """Make the texts available to the tools of lower layers."""
    ports.write_for_ranks, ports.read_of_rank = write, read
