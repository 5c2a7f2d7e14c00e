"""SelectedRows: the gradient of a table of which some rows were looked up, as in Paddle."""

from __future__ import annotations

import operator
from typing import TYPE_CHECKING, Any, NoReturn

import jax
import jax.numpy as jnp
import numpy as np

from jaxeager.arrays.as_array import host_values
from jaxeager.core import dtypes, places, ports
from jaxeager.errors import UnimplementedError
from jaxeager.graph.few_rows import FewRows
from jaxeager.graph.meta import AutogradMeta
from jaxeager.graph.rows import Rows
from jaxeager.graph.views.storage import Storage
from jaxeager.tensor.tensor import Tensor, unique_tensor_name

if TYPE_CHECKING:
    from collections.abc import Callable


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

    __slots__ = ("_dense", "_rows")

    _dense: jax.Array | None
    _rows: Rows | FewRows

    @staticmethod
    def of(
        array: jax.Array | None, rows: Rows | FewRows, stop_gradient: bool = True
    ) -> SelectedRows:
        """Return the SelectedRows of a dense gradient and its rows, or of None and FewRows."""
        made = object.__new__(SelectedRows)
        made._dense, made._rows, made._storage = array, rows, Storage()
        made._meta = None if stop_gradient else AutogradMeta(False)
        return made

    def _refuse(self) -> NoReturn:
        raise UnimplementedError(
            "This op takes a dense tensor, but received a gradient of some rows (SelectedRows), "
            f"of {self.height()} rows in total: pass grad.to_dense(), or create the "
            "embedding with sparse=False."
        )

    def _write(self, array: jax.Array) -> None:
        few = self._few_rows
        if few is not None and array.shape == few.values.shape:  # never that of the table
            self._rows = few.with_values(array)
        else:
            self._dense, self._rows = array, Rows(self._rows.present, None, None)

    _array = property(_refuse, _write)  # type: ignore[assignment]

    @property
    def _few_rows(self) -> FewRows | None:
        """Return the rows alone where no dense gradient is held."""
        return self._rows if isinstance(self._rows, FewRows) else None

    @property
    def _whole(self) -> jax.Array:  # pyright: ignore[reportIncompatibleVariableOverride]
        """Return the dense gradient, written out now where only rows are held."""
        few = self._few_rows
        return few.dense() if few is not None else self._dense  # type: ignore[return-value]

    @property
    def _held(self) -> jax.Array:  # pyright: ignore[reportIncompatibleVariableOverride]
        """Return the array of values that is held: [rows, d], or the dense gradient."""
        few = self._few_rows
        return few.values if few is not None else self._dense  # type: ignore[return-value]

    def _with(self, convert: Callable, ids_too: bool = False) -> SelectedRows:
        """Return one with another array for each array held, the values' or all of them."""
        rows, dense = self._rows, self._dense
        if isinstance(rows, FewRows):
            ids = convert(rows.ids) if ids_too else rows.ids
            made = FewRows(ids, convert(rows.values), rows.height, rows.is_merged)
            return SelectedRows.of(None, made, self.stop_gradient)
        present, ids, values, by_id = rows
        if ids_too:
            present, ids, by_id = convert(present), None if ids is None else convert(ids), None
        values = None if values is None else convert(values)
        by_id = None if by_id is None else by_id.with_values(convert(by_id.values))
        return SelectedRows.of(
            convert(dense), Rows(present, ids, values, by_id), self.stop_gradient
        )

    # ---- the present rows

    def _found(self) -> tuple[np.ndarray, jax.Array]:
        """Return the numbers of the rows and their values; wait for the device."""
        rows = self._rows
        if isinstance(rows, FewRows):
            return _found_in(rows)
        if rows.ids is None or rows.values is None:
            numbers = np.flatnonzero(host_values(rows.present))
            return numbers, self._whole[numbers]
        return host_values(rows.ids).reshape(-1), rows.values.reshape(-1, rows.values.shape[-1])

    def rows(self) -> list[int]:
        """Return the numbers of the present rows."""
        return self._found()[0].tolist()

    def height(self) -> int:
        """Return the number of rows of the table."""
        few = self._few_rows
        return few.height if few is not None else self._whole.shape[0]

    def value(self) -> Tensor:
        """Return the values of the present rows, as a dense Tensor."""
        return Tensor.from_array(self._found()[1], self.stop_gradient)

    get_tensor = value

    def get_selected_rows(self) -> SelectedRows:
        """Return self."""
        return self

    def to_dense(self) -> Tensor:
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
    ndim = property(lambda self: self._held.ndim)  # type: ignore[assignment]
    dtype = property(lambda self: dtypes.as_dtype(self._held.dtype))  # type: ignore[assignment]
    place = property(  # type: ignore[assignment]
        lambda self: places.place_of(next(iter(self._held.devices())))
    )

    def dim(self) -> int:
        """Return the number of dimensions."""
        return self._held.ndim

    rank = ndimension = dim

    def numel(self, name: str | None = None) -> Tensor:
        """Return the number of elements of the present rows."""
        return self.value().numel()

    def numpy(self, copy: bool = True) -> np.ndarray:
        """Return the values of the present rows as a NumPy array."""
        return self.value().numpy()

    def tolist(self) -> list:
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
        return SelectedRows.of(self._dense, self._rows)

    def clone(self) -> SelectedRows:
        """Return a copy; see Tensor.clone."""
        return SelectedRows.of(self._dense, self._rows, self.stop_gradient)

    def cpu(self) -> SelectedRows:
        """Return a copy on the CPU."""
        return self._with(lambda array: Tensor.from_array(array).cpu()._array, ids_too=True)

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

    def _scaled(self, factor: object, operation: Callable) -> Any:
        if not isinstance(factor, (int, float)):
            return NotImplemented
        return self._with(lambda array: operation(array, factor))

    def __mul__(self, y: object) -> Any:
        return self._scaled(y, operator.mul)

    __rmul__ = __mul__

    def __truediv__(self, y: Any) -> Any:
        return self._scaled(y, operator.truediv)

    def __neg__(self) -> SelectedRows:
        return self._scaled(-1.0, operator.mul)


def _found_in(rows: FewRows) -> tuple[np.ndarray, jax.Array]:
    """Return the numbers of some rows and their values; each row once if they are merged."""
    ids = host_values(rows.ids)
    if not rows.is_merged:
        return ids, rows.values
    numbers, place = np.unique(ids, return_inverse=True)
    sums = jnp.zeros((len(numbers), *rows.values.shape[1:]), rows.dtype)
    sums = sums.at[place.reshape(-1)].add(rows.values)
    known = (numbers >= 0) & (numbers < rows.height)  # the places that are not used name no row
    return numbers[known], sums[known]


ports.as_selected_rows = SelectedRows.of
