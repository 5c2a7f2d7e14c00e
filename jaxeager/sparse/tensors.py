"""SparseCooTensor and SparseCsrTensor: integer coordinates, a Tensor of values, and a shape.

Note [Sparse tensors are no Tensors]
    In Paddle both are ``paddle.Tensor``, whose several hundred dense methods then fail, or crash
    the process (``numpy()``). Here they are separate classes with the methods that work. Any other
    method raises an AttributeError with an explanation, and ``isinstance(x, paddle.Tensor)`` is
    False (``paddle.is_tensor(x)`` and ``x.is_sparse()`` work for every tensor). ``paddle.grad``
    accepts the tensor of values from which a sparse one was created. The values are an ordinary
    Tensor on the ordinary tape. A sparse tensor's ``grad``, ``stop_gradient``, ``backward()`` and
    hooks are those of its values, shown with its coordinates.

The host reads the coordinates when a result's entries depend on them (``add`` of two patterns,
conversions, ``coalesce``); functions of the values alone wait for nothing.
"""

import jaxeager as paddle
from jaxeager.errors import (
    FatalError,
    InvalidArgumentError,
    InvalidTypeError,
    UnimplementedError,
)
from jaxeager.ops.sparse import sparse_values as rows
from jaxeager.sparse import coordinates as host
from jaxeager.sparse.gradients import GradientsOfValues
from jaxeager.tensor.printing import format_array
from jaxeager.tensor.size import Size

OF_THE_VALUES = frozenset(
    "element_size inplace_version is_complex is_dist is_floating_point is_integer is_selected_rows "
    "itemsize layout name persistable".split()
)
"""Members of a Tensor that a sparse tensor has from its values."""


class SparseTensor(GradientsOfValues):
    """The base of both kinds of sparse tensors; see Note [Sparse tensors are no Tensors]."""

    _is_of_paddle_sparse = True  # for paddle.is_tensor

    def __init__(self, values, shape):
        self._values = values
        self._shape = tuple(int(size) for size in shape)

    def __getattr__(self, name: str):
        if name in OF_THE_VALUES:
            return getattr(self._values, name)
        raise AttributeError(
            f"A sparse tensor has no {name!r}. Use a function of paddle.sparse, or its values() "
            "or to_dense()."
        )

    # ---- properties

    @property
    def shape(self) -> Size:
        """Return the dimensions, as a list."""
        return Size(self._shape)

    @property
    def dtype(self):
        """Return the dtype of the values."""
        return self._values.dtype

    @property
    def place(self):
        """Return the device of the values."""
        return self._values.place

    @property
    def ndim(self) -> int:
        """Return the number of dimensions."""
        return len(self._shape)

    @property
    def size(self) -> int:
        """Return the number of elements, stored or not."""
        count = 1
        for size in self._shape:
            count *= size
        return count

    def dim(self) -> int:
        """Return the number of dimensions."""
        return len(self._shape)

    ndimension = dim

    def __len__(self) -> int:
        return self._shape[0]

    def __bool__(self) -> bool:
        raise InvalidArgumentError(
            "When Variable is used as the condition of if/while , Variable can only contain one "
            f"element, but this one is sparse, of shape {list(self._shape)}."
        )

    def nnz(self) -> int:
        """Return the number of stored entries."""
        return self._values.shape[0]

    def sparse_dim(self) -> int:
        """Return the number of dimensions with coordinates."""
        return len(self._shape) - self.dense_dim()

    def dense_dim(self) -> int:
        """Return the number of dimensions of one entry."""
        return self._values.ndim - 1

    def is_dense(self) -> bool:
        """Return whether all elements are stored: always False."""
        return False

    def is_sparse(self) -> bool:
        """Return whether only some elements are stored: always True."""
        return True

    def is_sparse_coo(self) -> bool:
        """Return whether entries have coordinates."""
        return isinstance(self, SparseCooTensor)

    def is_sparse_csr(self) -> bool:
        """Return whether entries are in compressed rows."""
        return isinstance(self, SparseCsrTensor)

    def is_same_shape(self, y) -> bool:
        """Return whether another tensor, sparse or dense, has the same shape."""
        return list(self._shape) == list(y.shape)

    def has_entries_of(self, other) -> bool:
        """Return whether another sparse tensor has the same kind, shape and ordered coordinates."""
        if type(other) is not type(self) or other._shape != self._shape:
            return False
        if other.nnz() != self.nnz():
            return False
        return bool((self.coordinates() == other.coordinates()).all())

    def detach(self):
        """Return a sparse tensor with the same values, detached from the graph."""
        return self.like(self._values.detach())

    def clone(self):
        """Return a copy; gradients pass through."""
        return self.like(self._values.clone())

    def to(self, *args, **kwargs):
        """Return the tensor with values of another dtype, or on another device; see Tensor.to."""
        return self.with_moved_values(self._values.to(*args, **kwargs))

    def cpu(self):
        """Return the tensor on the CPU."""
        return self.with_moved_values(self._values.cpu())

    def cuda(self, *args, **kwargs):
        """Return the tensor on an accelerator; see Tensor.cuda."""
        return self.with_moved_values(self._values.cuda(*args, **kwargs))

    def astype(self, dtype):
        """Return the tensor with values of another dtype."""
        return self.like(self._values.astype(dtype))

    def float(self):
        """Return the tensor with values of float32."""
        return self.astype("float32")

    # ---- parts

    def values(self):
        """Return the values, a Tensor [nnz, ...] with gradients."""
        return rows.sparse_values(self._values)

    def indices(self):
        """Return the coordinates, an integer Tensor [sparse_dim, nnz], of a COO tensor.

        Raises:
            FatalError: for compressed rows.
        """
        raise FatalError("this method is only effective for SparseCooTensor")

    def crows(self):
        """Return the start of each row, an integer Tensor, of a CSR tensor.

        Raises:
            FatalError: for coordinates.
        """
        raise FatalError("this method is only effective for SparseCsrTensor")

    def cols(self):
        """Return the column of each entry, an integer Tensor, of a CSR tensor.

        Raises:
            FatalError: for coordinates.
        """
        raise FatalError("this method is only effective for SparseCsrTensor")

    def coordinates(self):
        """Return the coordinates on the host, a NumPy array int64[sparse_dim, nnz]."""
        raise NotImplementedError

    def coordinate_tensor(self):
        """Return the coordinates, an integer Tensor [sparse_dim, nnz]."""
        return paddle.to_tensor(self.coordinates())

    def like(self, values):
        """Return a sparse tensor with the same coordinates and other values."""
        raise NotImplementedError

    def with_moved_values(self, values):
        """Return a sparse tensor with these values; its coordinates are moved to their device."""
        raise NotImplementedError

    def rebuilt(self, values, coordinates, shape, is_coalesced: bool = False):
        """Return a sparse tensor of the same kind; for rows, the coordinates have to be sorted."""
        raise NotImplementedError

    def to_dense(self):
        """Return the dense Tensor, with 0 for elements that are not stored; repeated entries add.

        Paddle: the last repeated entry wins, and compressed rows have no gradient.
        """
        return rows.to_dense(self._values, self.coordinate_tensor(), shape=self._shape)

    def _text(self, parts: dict) -> str:
        lines = [
            f"Tensor(shape={list(self._shape)}, dtype={self.dtype}, place={self.place!r}, "
            f"stop_gradient={self.stop_gradient}"
        ]
        for label, tensor in parts.items():
            block = format_array(tensor.numpy(), indent=8 + len(label))
            lines.append(f"       {label}={block}")
        return ", \n".join(lines) + ")"

    # ---- operators: the functions of paddle.sparse

    def __add__(self, other):
        return paddle.sparse.add(self, other)

    def __sub__(self, other):
        return paddle.sparse.subtract(self, other)

    def __mul__(self, other):
        return paddle.sparse.multiply(self, other)

    __rmul__ = __mul__

    def __truediv__(self, other):
        return paddle.sparse.divide(self, other)

    def __matmul__(self, other):
        return paddle.sparse.matmul(self, other)

    def __neg__(self):
        return paddle.sparse.neg(self)


class SparseCooTensor(SparseTensor):
    """A sparse tensor whose entries have coordinates, as from ``paddle.sparse.sparse_coo_tensor``.

    Args:
        indices: integer Tensor [sparse_dim, nnz].
        values: Tensor [nnz, ...].
        shape: sparse_dim dimensions and those of one entry.
        is_coalesced: whether the coordinates are known to be sorted and distinct.

    Example:
        >>> import jaxeager as paddle
        >>> x = paddle.to_tensor([[0.0, 3.0], [0.0, 0.0]]).to_sparse_coo(2)
        >>> type(x).__name__, x.nnz(), x.indices().tolist()
        ('SparseCooTensor', 1, [[0], [1]])
    """

    def __init__(self, indices, values, shape, is_coalesced: bool = False):
        super().__init__(values, shape)
        self._indices = indices
        self._is_coalesced = is_coalesced

    def indices(self):
        """Return the coordinates, an integer Tensor [sparse_dim, nnz]."""
        return self._indices

    def is_coalesced(self) -> bool:
        """Return whether the coordinates are known to be sorted and distinct."""
        return self._is_coalesced

    def coordinates(self):
        """Return the coordinates on the host, a NumPy array int64[sparse_dim, nnz]."""
        return host.host_array(self._indices)

    def coordinate_tensor(self):
        """Return the coordinates, an integer Tensor [sparse_dim, nnz], without waiting."""
        return self._indices

    def like(self, values):
        """Return a sparse tensor with the same coordinates and other values."""
        return SparseCooTensor(self._indices, values, (*self._shape[: len(self._indices)],
                                                       *values.shape[1:]))  # fmt: skip

    def with_moved_values(self, values):
        """Return a sparse tensor with these values; its coordinates are moved to their device."""
        indices = self._indices.to(values.place)
        return SparseCooTensor(indices, values, self._shape, self._is_coalesced)

    def rebuilt(self, values, coordinates, shape, is_coalesced: bool = False):
        """Return a COO tensor with these coordinates, in this one's index dtype."""
        indices = paddle.to_tensor(coordinates.astype(self._indices._array.dtype))
        return SparseCooTensor(indices, values, shape, is_coalesced)

    def coalesce(self, name=None):
        """Return the tensor with sorted, distinct coordinates; repeated entries are added up.

        Paddle: the result stops gradients.
        """
        if self._is_coalesced:
            return self
        dims = self._shape[: self.sparse_dim()]
        keys = host.keys_of(self.coordinates(), dims)
        kept, at = host.unique_keys(keys)
        values = rows.coalesce(self._values, paddle.to_tensor(at), size=len(kept))
        return self.rebuilt(values, host.coordinates_of(kept, dims), self._shape, True)

    def to_sparse_coo(self, sparse_dim=None):
        """Return self."""
        return self

    def to_sparse_csr(self):
        """Return the tensor in compressed rows; repeated entries are added up.

        Raises:
            InvalidArgumentError: when it is not a matrix, or batch of matrices, of scalar entries.
        """
        if self.dense_dim() or self.ndim not in (2, 3):
            raise InvalidArgumentError(
                "SparseCsrTensor only support 2-D or 3-D Tensor of single values, but this one has "
                f"shape {list(self._shape)} and {self.dense_dim()} dense dimensions."
            )
        keys = host.keys_of(self.coordinates(), self._shape)
        source = self if host.is_increasing(keys) else self.coalesce()
        found = source.coordinates()
        dtype = self._indices._array.dtype
        crows = paddle.to_tensor(host.row_starts(found, self._shape).astype(dtype))
        cols = paddle.to_tensor(found[-1].astype(dtype))
        return SparseCsrTensor(crows, cols, source._values, self._shape)

    def __repr__(self) -> str:
        return self._text({"indices": self._indices, "values": self._values})


class SparseCsrTensor(SparseTensor):
    """A sparse matrix, or a batch of them, in rows, as from ``paddle.sparse.sparse_csr_tensor``.

    Args:
        crows: integer Tensor [batch * (rows + 1)], the start of each row in its batch.
        cols: integer Tensor [nnz], the column of each entry.
        values: Tensor [nnz].
        shape: [rows, columns] or [batch, rows, columns].

    Example:
        >>> import jaxeager as paddle
        >>> x = paddle.to_tensor([[0.0, 3.0], [4.0, 0.0]]).to_sparse_csr()
        >>> type(x).__name__, x.crows().tolist(), x.cols().tolist()
        ('SparseCsrTensor', [0, 1, 2], [1, 0])
    """

    def __init__(self, crows, cols, values, shape):
        super().__init__(values, shape)
        self._crows = crows
        self._cols = cols

    def crows(self):
        """Return the start of each row, an integer Tensor."""
        return self._crows

    def cols(self):
        """Return the column of each entry, an integer Tensor."""
        return self._cols

    def coordinates(self):
        """Return the coordinates on the host, a NumPy array int64[ndim, nnz]."""
        crows, cols = host.host_array(self._crows), host.host_array(self._cols)
        return host.rows_of(crows, cols, self._shape)

    def like(self, values):
        """Return a sparse tensor with the same coordinates and other values."""
        return SparseCsrTensor(self._crows, self._cols, values, self._shape)

    def with_moved_values(self, values):
        """Return a sparse tensor with these values; its coordinates are moved to their device."""
        crows, cols = (each.to(values.place) for each in (self._crows, self._cols))
        return SparseCsrTensor(crows, cols, values, self._shape)

    def rebuilt(self, values, coordinates, shape, is_coalesced: bool = False):
        """Return a CSR tensor of entries that are sorted by row, in this one's index dtype."""
        dtype = self._crows._array.dtype
        crows = paddle.to_tensor(host.row_starts(coordinates, shape).astype(dtype))
        cols = paddle.to_tensor(coordinates[-1].astype(dtype))
        return SparseCsrTensor(crows, cols, values, shape)

    def coalesce(self, name=None):
        """Raise an error: only tensors with coordinates can be coalesced.

        Raises:
            UnimplementedError: always.
        """
        raise UnimplementedError("coalesce takes a SparseCooTensor; call to_sparse_coo(2) first.")

    def is_coalesced(self) -> bool:
        """Raise an error: only tensors with coordinates have this property.

        Raises:
            InvalidTypeError: always.
        """
        raise InvalidTypeError("Method is_coalesced only support sparse coo tensor.")

    def to_sparse_coo(self, sparse_dim=None):
        """Return the tensor with coordinates."""
        indices = self.coordinates().astype(self._crows._array.dtype)
        return SparseCooTensor(paddle.to_tensor(indices), self._values, self._shape)

    def to_sparse_csr(self):
        """Return self."""
        return self

    def __repr__(self) -> str:
        return self._text({"crows": self._crows, "cols": self._cols, "values": self._values})


def checked(x, what: str):
    """Return ``x``, which must be a sparse tensor.

    Raises:
        UnimplementedError: for any other object.
    """
    if not isinstance(x, SparseTensor):
        raise UnimplementedError(
            f"paddle.sparse.{what} takes a sparse tensor, but received {type(x).__name__}. Make "
            f"one with to_sparse_coo(), or use paddle.{what}."
        )
    return x
