"""Checkpoints that Orbax has written: how they are opened, and read tensor by tensor."""

from __future__ import annotations

import contextlib
import importlib
import json
from collections.abc import Collection, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from jaxeager.core.dtypes import as_dtype
from jaxeager.distributed.checkpoint_files import digests
from jaxeager.distributed.checkpoint_files.readers import place_of
from jaxeager.errors import InvalidArgumentError, UnavailableError

if TYPE_CHECKING:
    from os import PathLike
    from types import ModuleType


FORM = 1  # version of the JSON file
SEPARATOR = "\x1f"  # between the names of nested dicts


def library() -> ModuleType:
    """Return Orbax; raise UnavailableError when it is not installed."""
    try:
        return importlib.import_module("orbax.checkpoint")
    except ImportError:
        raise UnavailableError(
            'Checkpoints of distributed tensors need Orbax: pip install "jaxeager[checkpoint]".'
        ) from None


def handler(orbax: ModuleType) -> Any:
    """Return the handler that writes and reads the two parts of a checkpoint."""
    arrays, rest = orbax.PyTreeCheckpointHandler(), orbax.JsonCheckpointHandler()
    made = orbax.CompositeCheckpointHandler(arrays=arrays, rest=rest)
    finalize = made.finalize

    def finalize_with_digests(directory: str | PathLike) -> None:
        """Write the digests after all other files, before the folder gets its final name."""
        finalize(directory)
        digests.write(Path(directory))

    made.finalize = finalize_with_digests  # Orbax identifies handlers by their class: no subclass
    return made


def opened(orbax: ModuleType, target: Path) -> tuple[Any, Path, dict, dict]:
    """Return a checkpoint's reader and folder, and its content: arrays, and the rest."""
    digests.check(target)
    reader = orbax.Checkpointer(handler(orbax))
    only = orbax.args.Composite(rest=orbax.args.JsonRestore())
    with reading(target):
        rest = reader.restore(target, args=only)["rest"]
        tree = dict(reader.metadata(target).item_metadata["arrays"].tree)
    if not _is_of_form(rest):
        raise InvalidArgumentError(
            f"{target} is a checkpoint in another format, {json.dumps(rest)[:80]}."
        )
    return reader, target, tree, rest


def _is_of_form(rest: object) -> bool:
    """Return whether the JSON content has the form that ``save_state_dict`` writes."""
    if not isinstance(rest, dict) or rest.get("form") != FORM:
        return False
    values, empty = rest.get("values"), rest.get("empty")
    return (
        isinstance(values, dict)
        and isinstance(empty, dict)
        and all(isinstance(each, list) and len(each) == 2 for each in empty.values())
    )


@contextlib.contextmanager
def reading(target: Path) -> Iterator[None]:
    """Convert every error of Orbax for a damaged checkpoint to InvalidArgumentError."""
    try:
        yield
    except (InvalidArgumentError, MemoryError):
        raise
    except Exception as error:
        raise InvalidArgumentError(
            f"The checkpoint {target} is damaged, or Orbax wrote it in another format: "
            f"{type(error).__name__}: {str(error)[:300]}"
        ) from error


class OrbaxReader:
    """A checkpoint of Orbax; each tensor is read whole, and the last one kept.

    Args:
        folder: the folder of one checkpoint.
    """

    def __init__(self, folder: Path) -> None:
        self._orbax = library()
        self._reader, self._target, known, rest = opened(self._orbax, folder)
        self._known = {
            name.replace(SEPARATOR, "."): (name, tuple(each.shape), as_dtype(each.dtype).name)
            for name, each in known.items()
        }
        self._empty = {name.replace(SEPARATOR, "."): each for name, each in rest["empty"].items()}
        self._names = frozenset((*self._known, *self._empty))
        self._last: tuple[str, np.ndarray] = "", np.zeros(0)

    def names(self) -> Collection[str]:
        """Return the names of the tensors."""
        return self._names

    def shape_of(self, name: str) -> tuple[int, ...]:
        """Return the shape of a tensor."""
        return tuple(self._empty[name][0] if name in self._empty else self._known[name][1])

    def dtype_of(self, name: str) -> str:
        """Return the name of a tensor's dtype."""
        return str(self._empty[name][1] if name in self._empty else self._known[name][2])

    def shards_of(self, name: str) -> int:
        """Return 1: the tensors are whole."""
        return 1

    def box(self, name: str, offset: tuple[int, ...], shape: tuple[int, ...]) -> np.ndarray:
        """Return the elements of a tensor from an offset on, in a shape."""
        if name in self._empty:
            return np.zeros(shape, as_dtype(self.dtype_of(name)).dtype)
        if self._last[0] != name:
            written = self._known[name][0]
            found = arrays(self._orbax, self._reader, self._target, [written])
            self._last = name, found[written]
        return self._last[1][place_of(offset, shape)]


def arrays(orbax: ModuleType, reader: Any, target: Path, names: list[str]) -> dict[str, np.ndarray]:
    """Return tensors of a checkpoint of Orbax as whole arrays."""
    how = {name: orbax.RestoreArgs(restore_type=np.ndarray) for name in names}
    item = {name: np.zeros(0) for name in names}
    args = orbax.args.PyTreeRestore(item=item, restore_args=how, partial_restore=True)
    with reading(target):
        return reader.restore(target, args=orbax.args.Composite(arrays=args))["arrays"]
