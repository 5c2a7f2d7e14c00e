"""The types of a DataLoader's batches, for type checkers: they follow from its samples."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from typing_extensions import TypeVar  # whose variables have defaults
else:
    from typing import TypeVar


class Collated:
    """The type of a batch that no ``collate_fn`` made: the samples' own, of tensors."""


Sample = TypeVar("Sample")
Item = TypeVar("Item", covariant=True)

if TYPE_CHECKING:
    Batch = TypeVar("Batch", default=Collated)
else:
    Batch = TypeVar("Batch")


class Samples(Protocol[Item]):
    """A dataset: samples by index."""

    def __getitem__(self, index: int, /) -> Item:
        """Return a sample."""
        ...
