"""SelectedRows: the gradient of a table of which some rows were looked up, as in Paddle."""

from __future__ import annotations

import operator
from typing import Any, NoReturn

import jax
import numpy as np

from jaxeager.arrays.as_array import host_values
from jaxeager.core import dtypes, places, ports
from jaxeager.errors import UnimplementedError
from jaxeager.graph.meta import AutogradMeta
from jaxeager.graph.rows import Rows
from jaxeager.graph.views.storage import Storage
from jaxeager.tensor.tensor import Tensor, unique_tensor_name


class SelectedRows(Tensor):
    """A gradient of some rows of a table, as ``embedding(sparse=True)`` leaves it in ``grad``.

    It shows the rows that are present: ``rows()`` are their numbers, and shape and values are
    theirs, one per id, in the order of the look-up. Once several gradients have been added up, or
    one was moved to the devices of the table, each row is present once, in order. ``to_dense()`` is
    the whole gradient, of the table's shape. Its product with a number, and its quotient by a
    number, are also SelectedRows; no other op accepts it. See Note [Rows of a gradient].

    Paddle: there is no ``to_dense()`` for it, and most ops crash the process.

    Example:
        >>> import jaxeager as paddle
        >>> table = paddle.nn.Embedding(4, 1, sparse=True)
        >>> table(paddle.to_tensor([2, 1, 2])).sum().backward()
        >>> grad = table.weight.grad
        >>> grad.rows(), grad.tolist()
        ([2, 1, 2], [[1.0], [1.0], [1.0]])
        >>> grad.to_dense().tolist()
        [[0.0], [1.0], [2.0], [0.0]]
    """

    __slots__ = ("_rows", "_whole")

    _whole: jax.Array
    _rows: Rows

    @staticmethod
    def of(array: jax.Array, rows: Rows, stop_gradient: bool = True) -> SelectedRows:
        """Return the SelectedRows of a dense gradient and its present rows."""
        made = object.__new__(SelectedRows)
        made._whole, made._rows, made._storage = array, rows, Storage()
        made._meta = None if stop_gradient else AutogradMeta(False)
        return made

    def _refuse(self) -> NoReturn:
        raise UnimplementedError(
            "This op takes a dense tensor, but received a gradient of some rows (SelectedRows), "
            f"of {len(self._rows.came)} rows in total: pass grad.to_dense(), or create the "
            "embedding with sparse=False."
        )

    def _write(self, array: jax.Array) -> None:
        self._whole, self._rows = array, self._rows.merged()

    _array = property(_refuse, _write)  # type: ignore[assignment]

    def _alike(self, array: jax.Array, values: jax.Array | None) -> SelectedRows:
        rows = Rows(self._rows.came, None if values is None else self._rows.ids, values)
        return SelectedRows.of(array, rows, self.stop_gradient)

    # ---- the present rows

    def _found(self) -> tuple[np.ndarray, jax.Array]:
        """Return the numbers of the rows and their values; wait for the device."""
        came, ids, values = self._rows
        if ids is None or values is None:
            rows = np.flatnonzero(host_values(came))
            return rows, self._whole[rows]
        return host_values(ids).reshape(-1), values.reshape(-1, self._whole.shape[1])

    def rows(self) -> list[int]:
        """Return the numbers of the present rows."""
        return self._found()[0].tolist()

    def height(self) -> int:
        """Return the number of rows of the table."""
        return self._whole.shape[0]

    def value(self) -> Any:
        """Return the values of the present rows, as a dense Tensor."""
        return Tensor.from_array(self._found()[1], self.stop_gradient)

    get_tensor = value

    def get_selected_rows(self) -> SelectedRows:
        """Return self."""
        return self

    def to_dense(self) -> Any:
        """Return the whole gradient, of the table's shape: absent rows are zeros."""
        return Tensor.from_array(self._whole, self.stop_gradient)

    def is_dense(self) -> bool:
        """Return False: only some of its rows are stored."""
        return False

    def is_selected_rows(self) -> bool:
        """Return True."""
        return True

    # ---- common to all Tensors

    shape = property(lambda self: self.value().shape)  # type: ignore[assignment]
    size = property(lambda self: self.value().size)  # type: ignore[assignment]
    ndim = property(lambda self: self._whole.ndim)  # type: ignore[assignment]
    dtype = property(lambda self: dtypes.as_dtype(self._whole.dtype))  # type: ignore[assignment]
    place = property(  # type: ignore[assignment]
        lambda self: places.place_of(next(iter(self._whole.devices())))
    )

    def dim(self) -> int:
        """Return the number of dimensions."""
        return self._whole.ndim

    rank = ndimension = dim

    def numel(self, name: str | None = None) -> Any:
        """Return the number of elements of the present rows."""
        return self.value().numel()

    def numpy(self, copy: bool = True) -> np.ndarray:
        """Return the values of the present rows as a NumPy array."""
        return self.value().numpy()

    def tolist(self) -> Any:
        """Return the values of the present rows as nested lists."""
        return self.value().tolist()

    def item(self, *args: int) -> Any:
        """Return one of the values of the present rows; see Tensor.item."""
        return self.value().item(*args)

    def __len__(self) -> int:
        return len(self.value())

    def __jax_array__(self) -> jax.Array:
        return self._whole

    def __repr__(self) -> str:
        return repr(self.value()).replace(",\n", f", rows={self.rows()},\n", 1)

    __str__ = __repr__

    # ---- copies

    def detach(self) -> SelectedRows:
        """Return one of the same values that stops gradients."""
        return SelectedRows.of(self._whole, self._rows)

    def clone(self) -> SelectedRows:
        """Return a copy; see Tensor.clone."""
        return SelectedRows.of(self._whole, self._rows, self.stop_gradient)

    def cpu(self) -> SelectedRows:
        """Return a copy on the CPU."""
        moved = [
            None if each is None else Tensor.from_array(each).cpu()._array
            for each in (self._whole, *self._rows)
        ]
        return SelectedRows.of(moved[0], Rows(*moved[1:]), self.stop_gradient)  # type: ignore[arg-type]

    def __copy__(self) -> SelectedRows:
        return self.clone()

    def __deepcopy__(self, memo) -> SelectedRows:
        copied = self.clone()
        if self._name is not None:
            copied._name = unique_tensor_name(f"{self._name}_deepcopy")
        memo[id(self)] = copied
        return copied

    def __reduce__(self):
        return self.to_dense().__reduce__()

    # ---- supported operations

    def _scaled(self, factor: Any, operation: Any) -> Any:
        if not isinstance(factor, (int, float)):
            return NotImplemented
        values = self._rows.values
        return self._alike(
            operation(self._whole, factor), None if values is None else operation(values, factor)
        )

    def __mul__(self, y: Any) -> Any:
        return self._scaled(y, operator.mul)

    __rmul__ = __mul__

    def __truediv__(self, y: Any) -> Any:
        return self._scaled(y, operator.truediv)

    def __neg__(self) -> Any:
        return self._scaled(-1.0, operator.mul)


ports.as_selected_rows = SelectedRows.of
