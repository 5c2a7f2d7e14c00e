"""A dense Tensor's members for sparse tensors: conversions, and methods that only those have."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import jax

from jaxeager.core import ports
from jaxeager.errors import FatalError, InvalidTypeError, UnimplementedError

if TYPE_CHECKING:
    from jaxeager.tensor.tensor import Tensor


def _is_effective_for(kind: str):
    return FatalError(f"this method is only effective for {kind}")


class SparseMethods:
    """A base of Tensor."""

    __slots__ = ()

    _array: jax.Array

    def to_sparse_coo(self, sparse_dim: int) -> Any:
        """Return a SparseCooTensor of the entries that are not 0; gradients pass.

        Waits for the device: their number depends on the values.

        Args:
            sparse_dim: number of leading dimensions with coordinates; an entry has the others.

        Raises:
            InvalidArgumentError: when it is not from 1 to the number of dimensions.

        Example:
            >>> import jaxeager as paddle
            >>> x = paddle.to_tensor([[0.0, 2.0], [0.0, 0.0]]).to_sparse_coo(2)
            >>> x.indices().tolist(), x.values().tolist()
            ([[0], [1]], [2.0])
        """
        return ports.sparse_room().dense_to_coo(self, sparse_dim)

    def to_sparse_csr(self) -> Any:
        """Return a SparseCsrTensor of the entries that are not 0; gradients pass.

        Waits for the device: their number depends on the values.

        Raises:
            InvalidArgumentError: for other than 2 or 3 dimensions.

        Example:
            >>> import jaxeager as paddle
            >>> x = paddle.to_tensor([[0.0, 2.0], [0.0, 0.0]]).to_sparse_csr()
            >>> x.crows().tolist(), x.cols().tolist(), x.values().tolist()
            ([0, 1, 1], [1], [2.0])
        """
        return ports.sparse_room().dense_to_csr(self)

    def sparse_dim(self) -> int:
        """Return the number of dimensions that have coordinates: none."""
        return 0

    def dense_dim(self) -> int:
        """Return the number of dimensions of one entry: all."""
        return self._array.ndim

    def nnz(self) -> int:
        """Raise an error: the method is for sparse tensors.

        Raises:
            FatalError: always.
        """
        raise _is_effective_for("SparseCooTensor or SparseCsrTensor")

    def indices(self) -> Tensor:
        """Raise an error: the method is for sparse tensors with coordinates.

        Raises:
            FatalError: always.
        """
        raise _is_effective_for("SparseCooTensor")

    def crows(self) -> Tensor:
        """Raise an error: the method is for sparse tensors in compressed rows.

        Raises:
            FatalError: always.
        """
        raise _is_effective_for("SparseCsrTensor")

    def cols(self) -> Tensor:
        """Raise an error: the method is for sparse tensors in compressed rows.

        Raises:
            FatalError: always.
        """
        raise _is_effective_for("SparseCsrTensor")

    def values(self) -> Tensor:
        """Raise an error: the method is for sparse tensors.

        Raises:
            UnimplementedError: always.
        """
        raise UnimplementedError(
            "values is for sparse tensors; the values of a dense tensor are the tensor itself."
        )

    def coalesce(self, name: str | None = None) -> Tensor:
        """Raise an error: the method is for sparse tensors with coordinates.

        Raises:
            UnimplementedError: always.
        """
        raise UnimplementedError("coalesce takes a SparseCooTensor; see to_sparse_coo().")

    def is_coalesced(self) -> bool:
        """Raise an error: the method is for sparse tensors with coordinates.

        Raises:
            InvalidTypeError: always.
        """
        raise InvalidTypeError("Method is_coalesced only support sparse coo tensor.")
