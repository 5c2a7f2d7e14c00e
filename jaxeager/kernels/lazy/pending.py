"""Pending: an array with known shape and dtype, which has a value once its segment has run.

Note [Pending arrays]
    A Pending is used wherever an array is: in a Tensor, saved by a node, as an operand of a kernel.
    It is a ``jax.Array`` with its own class, as JAX's tracers are, so it passes isinstance checks
    for an array. Code that needs only shape or dtype reads them from ``aval``. Any other use (a
    method, an operator, NumPy, a function of JAX that is not a kernel of this package) runs the
    recorded calls and continues with the value. So code that does not know this mode is still
    correct, and only ends a segment.

    JAX accepts arrays of a foreign class through three tables: the abstract value of one, its
    concrete value, and its transfer to devices. The tables are private, and the same in JAX 0.10,
    0.11 and 0.12; where they are missing, lazy mode is refused.
"""

from __future__ import annotations

from operator import attrgetter
from typing import TYPE_CHECKING, Any

import jax

from jaxeager.core import places
from jaxeager.errors import FatalError
from jaxeager.kernels.executables import Array
from jaxeager.kernels.lazy import report

if TYPE_CHECKING:
    from collections.abc import Callable

if TYPE_CHECKING:
    from jax.core import ShapedArray

try:
    from jax._src import config as _config
    from jax._src import core as _core
    from jax._src import dtypes as _dtypes
    from jax._src.interpreters import pxla as _pxla

    precision: Any = _config.default_matmul_precision
    trace_state_clean: Any = _core.trace_state_clean
    IS_SUPPORTED = True
    _tables: Any = (
        _core.pytype_aval_mappings,
        _dtypes.canonicalize_value_handlers,
        _pxla.shard_arg_handlers,
    )
except (ImportError, AttributeError):  # another JAX
    IS_SUPPORTED = False
    precision = trace_state_clean = None
    _tables = ({}, {}, {})


def bytes_of(aval: ShapedArray) -> int:
    """Return the number of bytes of the elements of an array."""
    return aval.size * aval.dtype.itemsize


class Pending(jax.Array):
    """An array whose computation was recorded: see Note [Pending arrays].

    Attributes:
        aval: shape and dtype, a ``ShapedArray``.
        value: the jax.Array; None before the segment has run.
        recording: the recording with the call that makes it.
        number: the number of the result in the recording.
        kind: the kind of the value (kinds.py), set with it.
    """

    __slots__ = ("__weakref__", "aval", "kind", "number", "recording", "value")

    shape = property(attrgetter("aval.shape"))
    dtype = property(attrgetter("aval.dtype"))
    ndim = property(attrgetter("aval.ndim"))
    size = property(attrgetter("aval.size"))
    weak_type = property(attrgetter("aval.weak_type"))

    @property
    def nbytes(self) -> int:
        """Return the number of bytes of the elements."""
        return bytes_of(self.aval)

    def ready(self) -> jax.Array:
        """Return the value, after running the recorded calls."""
        if self.value is None:
            self.recording.finish(report.VALUE)
            if self.value is None:
                raise FatalError("Lazy mode: the call that makes this array was lost.")
        return self.value

    _ready = property(ready)

    def awaited(self) -> jax.Array:
        """Return the value, and note that the program waits for it now (calling_thread.py)."""
        value = self.ready()
        self.recording.note_wait()
        return value

    def block_until_ready(self) -> jax.Array:
        """Return the value once it is computed."""
        return self.awaited().block_until_ready()

    @property
    def sharding(self) -> jax.sharding.Sharding:
        """Return where the value is, or will be: on the device of the recording."""
        if self.value is None:
            return places.only_on(self.recording.device)
        return self.ready().sharding

    def devices(self) -> set:
        """Return the devices of ``sharding``."""
        return self.sharding.device_set

    def platform(self) -> str:
        """Return the kind of the device, such as "cpu"."""
        (device,) = self.devices()
        return device.platform

    def is_deleted(self) -> bool:
        """Return whether the value was deleted or donated."""
        return self.value is not None and self.value.is_deleted()

    def __repr__(self) -> str:
        return repr(self.ready())


_OWN = frozenset(vars(Pending)) | frozenset(
    "__class__ __new__ __init__ __getattribute__ __setattr__ __delattr__ __init_subclass__ "
    "__dict__ __subclasshook__ __dir__ __reduce_ex__ __sizeof__ __getstate__ __class_getitem__ "
    "__annotations__ __del__ __doc__ __module__ __slots__ __weakref__".split()
)


def _method(name: str) -> Callable[..., object]:
    def method(self, *args, **kwargs):
        return getattr(self.ready(), name)(*args, **kwargs)

    method.__name__ = name
    return method


def _forward() -> None:
    """Give Pending all other attributes of an array, as methods and properties of its value."""
    for name in dir(Array):
        if name in _OWN:
            continue
        is_method = callable(getattr(Array, name))
        setattr(
            Pending, name, _method(name) if is_method else property(attrgetter(f"_ready.{name}"))
        )


_forward()


def _to_devices(arrays, *rest):
    values = [each.ready() for each in arrays]
    return _pxla.shard_arg_handlers[type(values[0])](values, *rest)


for _table, _of in zip(_tables, (attrgetter("aval"), Pending.ready, _to_devices), strict=True):
    _table[Pending] = _of


def ready(value: Any) -> Any:
    """Return the value of a pending array, and anything else as it is."""
    return value.ready() if type(value) is Pending else value


def values_of(operands: Any) -> Any:
    """Return operands, nested in lists and tuples, with values instead of pending arrays.

    JAX converts a pending array in Python, which is slow, and misses its cache of executables.
    """
    kind = type(operands)
    if kind is list or kind is tuple:
        return kind(map(values_of, operands))
    return operands.ready() if kind is Pending else operands
