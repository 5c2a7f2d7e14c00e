"""Tensor: one array, its autograd data, and the methods of the op table."""

from __future__ import annotations

from operator import attrgetter
from typing import TYPE_CHECKING, Any

import jax
import jax.numpy as jnp
import numpy as np

from jaxeager.arrays.as_array import as_array, beside
from jaxeager.core import dtypes, places, ports
from jaxeager.core.symbolic import is_symbolic
from jaxeager.errors import InvalidArgumentError, InvalidTypeError, RefusedArgumentError
from jaxeager.graph import events, rows
from jaxeager.graph.meta import AutogradMeta
from jaxeager.graph.mode import read_traced
from jaxeager.graph.node import note_given_name
from jaxeager.graph.views import shared_writes, stale, view_places
from jaxeager.graph.views.storage import Storage
from jaxeager.ops.call import dispatch
from jaxeager.ops.call.bad_operands import bad_operand
from jaxeager.ops.elementwise.overwriting import overwrite
from jaxeager.tensor.autograd import AutogradMethods
from jaxeager.tensor.construction import parameter_arguments, tensor_arguments
from jaxeager.tensor.conversions import ConversionMethods
from jaxeager.tensor.layout import LayoutMethods
from jaxeager.tensor.methods import TableMethods
from jaxeager.tensor.pytrees import register_class, register_parameter_class
from jaxeager.tensor.size import Size
from jaxeager.tensor.sparse import SparseMethods
from jaxeager.tensor.underscore_methods import InnerMethods
from jaxeager.tensor.values import ValueMethods

if TYPE_CHECKING:
    from jaxeager.core.types import DTypeLike, PlaceLike, TensorLike

_counters: dict[str, int] = {}


def unique_tensor_name(prefix: str) -> str:
    """Return ``<prefix>_<n>``, counting per prefix, as Paddle names tensors."""
    number = _counters.get(prefix, 0)
    _counters[prefix] = number + 1
    return f"{prefix}_{number}"


class _CallableInt(int):
    """``Tensor.size``: the number of elements; called, the shape (as in newer Paddle)."""

    shape: Size

    def __call__(self, dim: int | None = None):
        return self.shape if dim is None else self.shape[dim]


class Tensor(
    AutogradMethods,
    ConversionMethods,
    InnerMethods,
    LayoutMethods,
    SparseMethods,
    ValueMethods,
    TableMethods,
):
    """An array that remembers how it was made.

    Made by ``to_tensor`` and by ops. Operators, indexing and most functions of the package are
    methods too. ``stop_gradient`` is True by default, as in Paddle. ``Tensor(2, 3)`` is float32 of
    that shape, ``Tensor([1, 2])`` float32, ``Tensor(array)`` of the array's dtype.

    Args:
        *args: sizes; or a list, an array or a Tensor, and then Paddle's place, persistable,
            zero_copy (without effect: values are copied), name and stop_gradient, or a dtype, a
            place and stop_gradient.
        **kwargs: those by name; value, data, device and requires_grad as well.

    Raises:
        InvalidTypeError: for a single number that is no size, and for unknown arguments.

    Example:
        >>> import jaxeager as paddle
        >>> x = paddle.to_tensor([1.0, 2.0], stop_gradient=False)
        >>> (x * x).sum().backward()
        >>> x.grad.tolist()
        [2.0, 4.0]
    """

    __slots__ = ("__dict__", "__weakref__", "_array", "_meta", "_storage", "_view")

    _rows: rows.AnyRows | None = None  # the present rows of SelectedRows
    _whole = property(attrgetter("_array"))  # the dense array of SelectedRows
    _held = property(attrgetter("_array"))  # the array of values that SelectedRows holds

    __array_ufunc__ = None  # np.add(x, y) is an error, not a silent trip to the host
    _name: str | None = None
    persistable = False

    _array: jax.Array
    _kept: Any
    _storage: Storage
    _meta: AutogradMeta | None
    _view: view_places.AnyPlace  # its place in a shared memory; else not set

    def __init__(self, *args: Any, **kwargs: Any):
        given = tensor_arguments(args, kwargs)
        data = given["value"]
        source = to_tensor(
            data, given.get("dtype"), given.get("place"), given.get("stop_gradient", True)
        )
        self._array = source._array
        self._storage = source._storage
        self._meta = source._meta
        if given.get("name") is not None:
            self._name = given["name"]
        if given.get("persistable"):
            self.persistable = True
        if isinstance(data, Tensor) and data._array is self._array:
            view_places.add_view(self, data, None, is_cut=True)

    @staticmethod
    def from_array(array: jax.Array, stop_gradient: bool = True) -> Tensor:
        """Return a Tensor that holds a jax.Array; nothing is copied."""
        return dispatch.wrap(array, stop_gradient)

    # ---- properties

    @property
    def shape(self) -> Size:
        """Return its dimensions, as a list."""
        try:
            return Size(self._array.aval.shape)
        except AttributeError:  # a ShapeDtypeStruct, of jax.eval_shape
            return Size(self._array.shape)

    @property
    def dtype(self) -> dtypes.DType:
        """Return its element type, such as paddle.float32."""
        try:
            return dtypes.as_dtype(self._array.aval.dtype)
        except AttributeError:  # as for ``shape``
            return dtypes.as_dtype(self._array.dtype)

    @property
    def place(self) -> places.Place:
        """Return its device."""
        array = self._array
        return places.place_of(next(iter(array.devices())))

    @property
    def ndim(self) -> int:
        """Return the number of dimensions."""
        return len(self._array.aval.shape)  # the array's own ndim takes three times as long

    def dim(self) -> int:
        """Return the number of dimensions."""
        return self._array.ndim

    rank = ndimension = dim

    @property
    def size(self) -> int:
        """Return the number of elements."""
        if is_symbolic(self._array.size):
            return self._array.size
        size = _CallableInt(self._array.size)
        size.shape = self.shape
        return size

    def element_size(self) -> int:
        """Return the size of one element, in bytes."""
        return self._array.dtype.itemsize

    @property
    def nbytes(self) -> int:
        """Return the size of the array, in bytes."""
        return self._array.nbytes

    itemsize = property(element_size)

    @property
    def name(self) -> str:
        """Return its name, given or counted (``generated_tensor_0``, ``eager_tmp_0``)."""
        if self._name is None:
            self._name = unique_tensor_name("eager_tmp")
        return self._name

    @name.setter
    def name(self, value: str) -> None:
        self._name = value
        made = self.__dict__.get("_call")
        if made is not None:  # debug.naming uses it from now on
            self._call = (*made[:4], value)
        meta = self._meta
        if meta is not None and meta.node is not None:  # its name in errors and graphs
            note_given_name(meta.node, meta.slot + meta.rank, value)

    @property
    def T(self) -> Tensor:
        """Return the tensor with its dimensions reversed."""
        if self.ndim < 2:
            return self
        return self.transpose(list(range(self.ndim))[::-1])

    @property
    def mT(self) -> Tensor:
        """Return the tensor with its last two dimensions swapped."""
        if self.ndim < 2:
            raise InvalidArgumentError(
                f"mT needs a tensor of at least 2 dimensions, but received {self.ndim}."
            )
        order = list(range(self.ndim))
        order[-2:] = order[:-3:-1]
        return self.transpose(order)

    @property
    def data(self) -> Tensor:
        """Return the same memory without gradient; assign a Tensor to take over its memory.

        Values that backward has saved stay as they were, and so does the node that made the old
        value: the graph does not include an assignment.

        Raises:
            InvalidArgumentError: when the assigned value is not a Tensor.
        """
        return self.detach()

    @data.setter
    def data(self, value) -> None:
        if not isinstance(value, Tensor):
            raise InvalidArgumentError(
                f"argument (position 1) must be Tensor, but got {type(value).__name__}"
            )
        if value is not self:
            shared_writes.join(self, value)

    # ---- copies

    def __copy__(self) -> Tensor:
        return dispatch.wrap(self._array, self.stop_gradient)

    def __deepcopy__(self, memo) -> Tensor:
        copied = dispatch.wrap(jnp.array(self._array, copy=True))
        copied.stop_gradient = self.stop_gradient
        if self._name is not None:
            copied._name = unique_tensor_name(f"{self._name}_deepcopy")
        memo[id(self)] = copied
        return copied

    def __reduce__(self):
        array = self.numpy()  # a stale view has its own class until it is read
        kind = "Parameter" if isinstance(self, Parameter) else "Tensor"
        return _rebuild, (kind, array, self.stop_gradient, self._name)

    def set_value(self, value: TensorLike) -> None:
        """Replace the value, with the same shape and dtype; move no version, as in Paddle.

        A node that saved this tensor keeps the value it saw. A leaf stays a leaf. Any other tensor
        loses its history, and the gradient along it is 0.

        Paddle: passes the gradient of the new value to the producer of the old one.

        Raises:
            InvalidArgumentError: when shape or dtype differ.
        """
        old = self._array
        is_tensor = isinstance(value, Tensor)
        array = value._array if is_tensor else dtypes.of_bits(np.asarray(value), old.dtype)
        if tuple(array.shape) != old.shape:
            raise RefusedArgumentError(
                f"Variable Shape not match, Variable [ {self.name} ] need tensor with shape "
                f"{list(old.shape)} but load set tensor with shape {list(array.shape)}"
            )
        if array.dtype != old.dtype:
            raise InvalidArgumentError(
                f"Variable dtype not match, Variable [ {self.name} ] need tensor with dtype "
                f"{dtypes.as_dtype(old.dtype)} but load tensor with dtype {array.dtype}"
            )
        if not isinstance(array, jax.Array):
            array = jax.device_put(np.array(array), getattr(old, "sharding", None))
        array = beside(array, old)
        if events.value_written is not None:
            events.value_written("set_value", self, array)
        overwrite(self, array)

    def copy_(self, other: Tensor, blocking: bool = True, *, non_blocking: bool = False) -> Tensor:
        """Copy another tensor's value into this one's memory; move no version, as in Paddle.

        Only the value is copied: no gradient goes to ``other`` (with ``x[...] = other`` it does),
        nor to the producer of the old value; see ``set_value``.

        Raises:
            InvalidOperandError: when ``other`` is not a Tensor.
            InvalidArgumentError: when its shape does not broadcast to this one's, or it is complex
                and this one is not.

        Paddle: a value of another shape gives the tensor that shape, and another dtype is refused.
        """
        if not isinstance(other, Tensor):
            raise bad_operand("copy_", "other", 0, other)
        array, old = other._array, self._array
        if array.dtype != old.dtype:  # in lazy mode, ``astype`` reads the value
            if array.dtype in dtypes.COMPLEX and old.dtype not in dtypes.COMPLEX:
                raise InvalidArgumentError(
                    f"copy_: the value is {array.dtype.name} and the tensor {old.dtype.name}: the "
                    "imaginary part would be lost. Give value.real()."
                )
            array = array.astype(old.dtype)
        try:
            if array.shape != old.shape:
                array = jnp.broadcast_to(array, old.shape)
        except ValueError:
            raise InvalidArgumentError(
                f"copy_: a value of shape {list(array.shape)} does not broadcast to the shape "
                f"{list(old.shape)} of the tensor it is copied into."
            ) from None
        array = beside(array, old)
        if events.value_written is not None:
            events.value_written("copy_", self, array)
        overwrite(self, array)
        return self

    def is_contiguous(self) -> bool:
        """Return whether its elements would be contiguous in memory; only views may not be.

        Example:
            >>> import jaxeager as paddle
            >>> x = paddle.ones([2, 3])
            >>> x.is_contiguous(), x.T.is_contiguous(), x[1].is_contiguous()
            (True, False, True)
        """
        return view_places.is_contiguous(self)

    def contiguous(self) -> Tensor:
        """Return self, after leaving a shared memory where it is not contiguous.

        Its value and its place in the graph stay; later writes to it do not change its former base,
        as in Paddle.

        Example:
            >>> import jaxeager as paddle
            >>> x = paddle.ones([2, 3])
            >>> x.T.contiguous().zero_().sum().item(), x.sum().item()
            (0.0, 6.0)
        """
        if not view_places.is_contiguous(self):
            shared_writes.leave(self)
        return self


def _rebuild(kind, array, stop_gradient, name):
    """Return a pickled tensor; older pickles have its class instead of the class's name."""
    dtype = dtypes.as_dtype(array.dtype)
    tensor = Parameter(array) if kind in ("Parameter", Parameter) else to_tensor(array, dtype)
    tensor.stop_gradient = stop_gradient
    tensor._name = name
    return tensor


class Parameter(Tensor):
    """A tensor that is trained: Paddle's EagerParamBase.

    Args:
        value: Tensor, which then shares its memory, or array-like; with a dtype a shape, as of
            EagerParamBase. ``data`` and ``shape`` are other names.
        trainable: whether it requires gradients (``requires_grad``); or a dtype.
        name: its name; counted (``create_parameter_0.w_0``) when None.

    Example:
        >>> import jaxeager as paddle
        >>> w = paddle.nn.Parameter(paddle.ones([2]))
        >>> w.stop_gradient, w.persistable
        (False, True)
    """

    __slots__ = ()

    persistable = True

    def __init__(
        self,
        value: TensorLike | None = None,
        trainable: bool | DTypeLike = True,
        /,
        name: str | None = None,
        **kwargs: Any,
    ):
        value, trainable, kwargs = parameter_arguments(value, trainable, kwargs)
        if isinstance(value, jax.Array):  # without a generated_tensor in the count
            source = dispatch.wrap(value)
        else:
            source = value if isinstance(value, Tensor) else to_tensor(value)  # pyright: ignore
        self._array = source._array
        self._storage = source._storage
        if source is value:
            view_places.add_view(self, value, None, is_cut=True)
        self._meta = dispatch.leaf_meta() if trainable else AutogradMeta(True)
        self._name = name if name is not None else unique_tensor_name("parameter")
        self._set_options(kwargs)

    @classmethod
    def from_tensor(cls, tensor: Tensor, **kwargs: Any) -> Parameter:
        """Return a Parameter that shares a Tensor's memory.

        Example:
            >>> import jaxeager as paddle
            >>> paddle.nn.Parameter.from_tensor(paddle.ones([1]), trainable=False).stop_gradient
            True
        """
        return cls(tensor, **kwargs)

    def _set_options(self, given: dict[str, Any]) -> None:
        self.optimize_attr = given.pop("optimize_attr", None) or {"learning_rate": 1.0}
        self.regularizer = given.pop("regularizer", None)
        self.do_model_average = given.pop("do_model_average", None)
        self.need_clip = given.pop("need_clip", True)
        self.is_distributed = False
        if given:
            raise InvalidTypeError(f"Parameter() got unexpected arguments {sorted(given)}.")

    @property
    def trainable(self) -> bool:
        """Return the opposite of stop_gradient."""
        return not self.stop_gradient

    @trainable.setter
    def trainable(self, value: bool) -> None:
        if not isinstance(value, bool):
            raise InvalidArgumentError(
                f"The type of trainable MUST be bool, but the type is {type(value)}"
            )
        self.stop_gradient = not value

    @property
    def block(self) -> None:
        """Return None; Paddle has a block of a static graph: ``initializer(w, w.block)`` works."""
        return None

    def initialize(self) -> None:
        """Do nothing: it has its values from the start, also under LazyGuard."""

    def __deepcopy__(self, memo) -> Parameter:
        copied = Parameter(jnp.array(self._array, copy=True), self.trainable)
        copied.__dict__.update(self.__dict__)
        copied._name = unique_tensor_name(f"{self._name}_deepcopy")
        memo[id(self)] = copied
        return copied

    def __repr__(self) -> str:
        return "Parameter containing:\n" + super().__repr__()

    __str__ = __repr__


def to_tensor(
    data: TensorLike,
    dtype: DTypeLike | None = None,
    place: PlaceLike | None = None,
    stop_gradient: bool = True,
) -> Tensor:
    """Return a Tensor of a Python number, (nested) list, NumPy array, jax.Array or Tensor.

    A jax.Array is used without a copy; NumPy arrays are copied once, to the device.
    Python floats become the default dtype, ints int64, complex numbers complex64.

    Args:
        data: the values. Gradients do not pass to a Tensor, even under ``autograd.to_jax``; use
            ``assign`` or ``astype`` for that.
        dtype: element type; that of ``data`` by default.
        place: device, "cpu", "gpu:0" or a Place; the current device by default.
        stop_gradient: whether gradients end here.

    Raises:
        InvalidTypeError: for data that is not an array, such as a string or ragged lists.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.to_tensor([[1, 2], [3, 4]]).shape
        paddle.Size([2, 2])
    """
    device = None if place is None else places.as_place(place).device()
    array = as_array(data, None if dtype is None else dtypes.to_numpy(dtype), device)
    if read_traced() and isinstance(data, Tensor):
        array = jax.lax.stop_gradient(array)  # as on the tape: jax_bridge/to_jax.py
    if events.array_made is not None:
        events.array_made(array)
    tensor = dispatch.wrap(array)
    tensor._meta = AutogradMeta(True) if stop_gradient else dispatch.leaf_meta()
    tensor._name = unique_tensor_name("generated_tensor")
    return tensor


register_class(Tensor)
register_parameter_class(Parameter)
stale.set_tensor_slots(vars(Tensor)["_array"], vars(Tensor)["_meta"], register_class)
Tensor._kept = vars(Tensor)["_array"]  # the slot, also where a class has a property of its name
dispatch.set_tensor_class(Tensor)
ports.as_tensor = dispatch.wrap
ports.to_tensor = to_tensor
