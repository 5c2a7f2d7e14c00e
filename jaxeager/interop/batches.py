"""Batches from other libraries' loaders, as Tensors."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import jax
import numpy as np

from jaxeager.errors import InvalidTypeError
from jaxeager.tensor import Tensor, to_tensor
from jaxeager.tensor.sources import from_dlpack


class Batches:
    """The batches of any loader, with Tensors instead of arrays.

    A loader is any iterable: a ``torch.utils.data.DataLoader``, grain's datasets and loaders,
    ``tf.data`` as NumPy, a list. In each batch, and in its lists, tuples and dicts, PyTorch's
    tensors become Tensors of the same memory (DLPack; XLA copies memory that is not aligned to 64
    bytes), and NumPy's and JAX's arrays become Tensors; all else stays unchanged.

    ``len()`` is the loader's, if it has one.

    Args:
        loader: an iterable of batches; iterating over this object iterates over it.

    Raises:
        InvalidTypeError: when it is not iterable.

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
    """Return a batch with Tensors instead of PyTorch's tensors and of arrays."""
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
