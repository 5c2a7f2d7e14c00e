"""Tensor's members about memory: strides, offset, address, device; and changes of memory."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Self

import jax
import jax.numpy as jnp

from jaxeager.core import places, ports
from jaxeager.core.size_comparisons import equal_shapes
from jaxeager.errors import FatalError, InvalidArgumentError
from jaxeager.graph.views import shared_writes, view_places
from jaxeager.graph.views.storage import Storage
from jaxeager.kernels.size_limit import check_size
from jaxeager.ops.creation import creation
from jaxeager.ops.derived import view_steps
from jaxeager.ops.row import ROWS
from jaxeager.ops.rules.attrs import as_int, as_shape
from jaxeager.ops.shape import strided

if TYPE_CHECKING:
    from jaxeager.core.places import Place
    from jaxeager.graph.views.view_places import AnyPlace
    from jaxeager.tensor.tensor import Tensor

# Note [Strides]
#     A jax.Array is contiguous, and so is the array of every Tensor. The elements of its base that
# a view shows are recorded separately (graph/views/view_places.py), and strides and offset are
# derived from that: they are those of the memory that the view shares, as in Paddle, and determine
# which views of it exist. An address is that of a real array. So ``data_ptr`` exists only for
# tensors whose elements are in order in both, and raises for the others.


class LayoutMethods:
    """A base of Tensor."""

    __slots__ = ()

    _array: jax.Array
    _meta: Any
    _storage: Storage
    _view: AnyPlace
    name: str
    shape: Any
    place: Place

    # ---- the places of its elements

    @property
    def strides(self) -> list:
        """Return the distance between neighbours per dimension, in elements; see ``stride``."""
        place = view_places.place_of(self)
        if place is None:
            place = view_steps.stand_in(self._array.shape, self._array.dtype)
        return [step // place.itemsize for step in place.strides]

    def get_strides(self) -> list:
        """Return the distance between neighbours per dimension, in elements; see ``stride``."""
        return self.strides

    def stride(self, dim: int | None = None) -> Any:
        """Return the distance between neighbours along a dimension, or along each, in elements.

        It is that in the memory that a view shares with its base.

        Args:
            dim: the dimension; all of them, as a list, when it is None.

        Raises:
            InvalidArgumentError: when there is no such dimension.

        Example:
            >>> import jaxeager as paddle
            >>> x = paddle.ones([2, 3])
            >>> x.stride(), x.T.stride(), x.stride(0)
            ([3, 1], [1, 3], 3)
        """
        strides = self.strides
        if dim is None:
            return strides
        count = len(strides)
        if not -count <= as_int(dim, "dim") < count:
            raise InvalidArgumentError(
                f"Dimension out of range (expected to be in range of [{-count}, {count - 1}], but "
                f"got {dim})"
            )
        return strides[as_int(dim)]

    @property
    def offset(self) -> int:
        """Return the position of its first element in the shared memory, in bytes.

        Example:
            >>> import jaxeager as paddle
            >>> x = paddle.ones([2, 3])
            >>> x.offset, x[1].offset
            (0, 12)
        """
        place = view_places.place_of(self)
        if place is None:
            return 0
        top = view_places.stand_in(view_places.top_of(self._view))
        return place.ctypes.data - top.ctypes.data

    def data_ptr(self) -> int:
        """Return the address of its first element, after a wait for the device.

        It is valid until the tensor is written: a write stores the value elsewhere. The elements at
        this address belong to the view alone, not to its base.

        Raises:
            InvalidArgumentError: for a view whose strides are not those of a contiguous tensor,
                because the elements at the address would be in another order.

        Example:
            >>> import jaxeager as paddle
            >>> paddle.ones([2]).data_ptr() > 0
            True
        """
        if not view_places.is_contiguous(self):
            raise InvalidArgumentError(
                f"data_ptr: this view of shape {list(self.shape)} has strides {self.strides}, but "
                "its elements are contiguous in memory. Call contiguous() first."
            )
        return self._array.unsafe_buffer_pointer()

    def get_device(self) -> int:
        """Return the number of its accelerator; -1 on the CPU.

        Example:
            >>> import jaxeager as paddle
            >>> paddle.to_tensor([1.0], place="cpu").get_device()
            -1
        """
        place = self.place
        return -1 if place.is_cpu_place() else place.get_device_id()

    @property
    def device(self) -> places.DeviceName:
        """Return its device, as a string that has ``type`` and ``index``.

        Example:
            >>> import jaxeager as paddle
            >>> x = paddle.to_tensor([1.0], place="cpu")
            >>> x.device, x.device.type, x.device.index
            ('cpu', 'cpu', None)
        """
        return places.DeviceName(self.place)

    @property
    def is_cuda(self) -> bool:
        """Return whether it is on a GPU."""
        return self.place.is_gpu_place()

    @property
    def layout(self) -> str:
        """Return the meaning of its dimensions: "NCHW", Paddle's name for the order as written."""
        return "NCHW"

    def is_dense(self) -> bool:
        """Return whether all its elements are stored: always."""
        return True

    def is_sparse(self) -> bool:
        """Return whether only some of its elements are stored: never, see ``paddle.sparse``."""
        return False

    def is_sparse_coo(self) -> bool:
        """Return whether it is sparse, with coordinates: never, see ``paddle.sparse``."""
        return False

    def is_sparse_csr(self) -> bool:
        """Return whether it is sparse, with compressed rows: never, see ``paddle.sparse``."""
        return False

    def is_selected_rows(self) -> bool:
        """Return whether it is a gradient of some rows, from ``embedding(sparse=True)``."""
        return False

    def rows(self) -> list[int]:
        """Return the row numbers of a gradient from ``embedding(sparse=True)``.

        Raises:
            FatalError: for every other tensor.
        """
        raise FatalError("this method is only effective for SelectedRows")

    def get_selected_rows(self) -> Any:
        """Return None; a gradient from ``embedding(sparse=True)`` returns itself."""
        return None

    def is_dist(self) -> bool:
        """Return whether it is on a mesh of devices: see ``paddle.distributed.shard_tensor``."""
        return ports.layout_of(self) is not None

    @property
    def process_mesh(self) -> Any:
        """Return its mesh of devices; None on one device."""
        layout = ports.layout_of(self)
        return None if layout is None else layout.mesh

    @property
    def placements(self) -> Any:
        """Return its placement along each axis of its mesh, a list; None on one device."""
        layout = ports.layout_of(self)
        return None if layout is None else list(layout.placements)

    @property
    def _placements_str(self) -> str:
        """Return the placements as text."""
        return str(self.placements)

    @property
    def num_shard(self) -> int:
        """Return the number of parts of its mesh division; 1 for one whole on each device."""
        layout = ports.layout_of(self)
        if layout is None:
            return 1
        pairs = zip(layout.placements, layout.mesh.shape, strict=True)
        return math.prod(count for each, count in pairs if each.is_shard())

    @property
    def _local_shape(self) -> list[int] | None:
        """Return the shape of the part on one device; None on one device alone."""
        local = ports.local_of(self)
        return None if local is None else list(local.shape)

    def _local_value(self, rank: int | None = None) -> Tensor | None:
        """Return the part on one device; None on one device alone.

        Args:
            rank: the number of the device; the first one of this process by default.
        """
        return ports.local_of(self, rank)

    def is_same_shape(self, y: Tensor) -> bool:
        """Return whether another tensor has the same shape.

        Example:
            >>> import jaxeager as paddle
            >>> paddle.ones([2]).is_same_shape(paddle.zeros([2]))
            True
        """
        if not hasattr(y, "_storage"):
            raise InvalidArgumentError(
                f"argument (position 1) must be Tensor, but got {type(y).__name__}"
            )
        return equal_shapes(self._array.shape, y._array.shape)

    def _is_shared_buffer_with(self, other: Tensor) -> bool:
        """Return whether it and another tensor have the same memory, as a view and its base."""
        return self._storage is other._storage

    # ---- another memory

    def set_(
        self,
        source: Any = None,
        shape: Sequence[int] | None = None,
        stride: Sequence[int] | None = None,
        offset: int = 0,
        name: str | None = None,
    ) -> Self:
        """Give this tensor the memory of another one, and return self.

        Paddle: ignores the offset of a source that is a view, reads one of another dtype as if it
        had this one, and counts the versions of both separately.

        Args:
            source: tensor of the same dtype; an empty one by default.
            shape: list of ints, the shape of ``source`` by default.
            stride: list of ints, those of a contiguous tensor by default.
            offset: where it begins, in bytes.
            name: accepted for compatibility.

        Raises:
            InvalidArgumentError: when this tensor requires gradients, for a source of another
                dtype, or a shape that extends beyond its memory.

        Example:
            >>> import jaxeager as paddle
            >>> x, y = paddle.zeros([2]), paddle.to_tensor([1.0, 2.0, 3.0])
            >>> x.set_(y).tolist()
            [1.0, 2.0, 3.0]
        """
        self._check_no_gradient("set_")
        if source is None:
            source = creation.empty([0], self._array.dtype)
        if source._array.dtype != self._array.dtype:
            raise InvalidArgumentError(
                f"set_: the source must have dtype {self._array.dtype.name}, but has "
                f"{source._array.dtype.name}."
            )
        if shape is not None or stride is not None or offset:
            shape = source._array.shape if shape is None else as_shape(shape)
            if stride is None:
                stride = creation.empty(shape, source._array.dtype).strides  # type: ignore[arg-type]
            source = strided.as_strided(source.detach(), shape, stride, offset)  # type: ignore[arg-type]
        if source is not self:
            shared_writes.join(self, source)
        return self

    def resize_(
        self, shape: Sequence[int], fill_zero: bool = False, name: str | None = None
    ) -> Self:
        """Give this tensor another shape and, if needed, more or fewer elements; return self.

        The elements stay in order. With another number of elements it leaves its shared memory. New
        elements are zeros, whatever ``fill_zero`` is.

        Paddle: elements left out by a smaller shape reappear when the tensor is enlarged again.

        Args:
            shape: list or tuple of ints.
            fill_zero: whether new elements must be zeros.
            name: accepted for compatibility.

        Raises:
            InvalidArgumentError: when this tensor requires gradients, or for a shape that is not a
                list or has a negative size.

        Example:
            >>> import jaxeager as paddle
            >>> x = paddle.to_tensor([1.0, 2.0, 3.0])
            >>> x.resize_([2, 2]).tolist()
            [[1.0, 2.0], [3.0, 0.0]]
        """
        self._check_no_gradient("resize_")
        if not isinstance(shape, (list, tuple)):
            raise InvalidArgumentError(
                f"Input (shape) should be list or tuple but received {type(shape)}"
            )
        sizes = creation.checked_shape(shape)
        old, count = self._array, math.prod(sizes)
        check_size("resize_", sizes, old.dtype)
        if count == old.size:
            return ROWS["reshape"].inplace_function(self, sizes)
        flat = old.reshape(-1)[:count]
        flat = jnp.pad(flat, (0, count - flat.size))
        shared_writes.write_array(self, flat.reshape(sizes), moves_version=True)
        return self

    def _check_no_gradient(self, what: str) -> None:
        """Raise when this tensor requires a gradient, which its new memory would not have."""
        meta = self._meta
        if meta is None or meta.stop_gradient:
            return
        if meta.is_leaf():
            raise InvalidArgumentError(
                f"Leaf Tensor {self.name} that doesn't stop gradient can't use inplace strategy."
            )
        raise InvalidArgumentError(
            f"{what}: this tensor requires a gradient, which would not cover its new memory. "
            "Call it on x.detach(), or after detach_()."
        )
