"""Batches of other libraries' loaders, as Tensors."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import jax
import numpy as np

from jaxeager.errors import InvalidTypeError
from jaxeager.tensor import Tensor, to_tensor
from jaxeager.tensor.sources import from_dlpack


class Batches:
    """The batches of a loader, whatever it is, with Tensors in the place of arrays.

    A loader is anything one can loop over: a ``torch.utils.data.DataLoader``, grain's datasets and
    loaders, ``tf.data`` as NumPy, a list. In each batch, and in the lists, tuples and dicts of it,
    PyTorch's tensors become Tensors of the same memory (DLPack; XLA copies memory that is not
    aligned to 64 bytes), NumPy's and JAX's arrays become Tensors; all else stays as it is.

    ``len()`` is the loader's, where it has one.

    Args:
        loader: gives batches; a loop over this one is a loop over it.

    Raises:
        InvalidTypeError: when one cannot loop over it.

    Example:
        >>> import numpy as np
        >>> import jaxeager as paddle
        >>> for x, y in paddle.interop.Batches([(np.ones([2, 3]), np.array([0, 1]))]):
        ...     print(x.shape, y.tolist())
        paddle.Size([2, 3]) [0, 1]
    """

    def __init__(self, loader: Iterable):
        if not hasattr(loader, "__iter__") and not hasattr(loader, "__getitem__"):
            raise InvalidTypeError(
                f"Batches takes something to loop over, but got {type(loader).__name__}."
            )
        self.loader = loader

    def __iter__(self) -> Iterator[Any]:
        return map(as_tensors, self.loader)

    def __len__(self) -> int:
        return len(self.loader)  # type: ignore[arg-type]


def as_tensors(batch: Any) -> Any:
    """Return a batch with Tensors in the place of PyTorch's tensors and of arrays."""
    if isinstance(batch, dict):
        return {key: as_tensors(each) for key, each in batch.items()}
    if isinstance(batch, tuple) and hasattr(batch, "_fields"):
        return type(batch)(*map(as_tensors, batch))
    if isinstance(batch, (list, tuple)):
        return type(batch)(map(as_tensors, batch))
    if isinstance(batch, jax.Array):
        return Tensor.from_array(batch)
    if isinstance(batch, (np.ndarray, np.generic)):
        return to_tensor(batch)
    if type(batch).__module__.partition(".")[0] == "torch" and hasattr(batch, "__dlpack__"):
        return from_dlpack(batch.detach().contiguous())
    return batch
