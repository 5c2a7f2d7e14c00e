"""as_array: convert Python numbers, lists, NumPy arrays and other array-likes to a jax.Array.

Also here: ``can_be_read`` (whether values can be read without a wait), and the devices of arrays.

Note [Uploads]
    ``jax.device_put`` takes 27 us for a NumPy array, 3 of them in the jaxlib function that it ends
    in; ``upload`` calls that function directly. The function is private. Where JAX no longer has
    it, ``jax.device_put`` is used. ``jax.device_put`` is also used when JAX must see the transfer:
    during tracing, under a transfer guard, with 64-bit types disabled, and for several devices.
"""

from __future__ import annotations

import contextlib
import functools
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

import jax
import jax.numpy as jnp
import numpy as np
from jax._src import xla_bridge
from jax.core import ShapedArray, Tracer

from jaxeager.arrays import sharded
from jaxeager.core import dtypes, forked, open_size, places
from jaxeager.core.symbolic import is_symbolic
from jaxeager.errors import InvalidArgumentError, InvalidTypeError, JaxEagerError
from jaxeager.kernels.lazy.pending import Pending
from jaxeager.kernels.tracing import FAILURES, explained, failure

if TYPE_CHECKING:
    from jax.typing import DTypeLike

try:
    from jax._src.core import trace_state_clean
    from jax._src.lib import xla_client  # type: ignore[attr-defined]

    _put: Any = xla_client.batched_device_put
except (ImportError, AttributeError):  # another JAX: see Note [Uploads]
    _put = None

MOVE_ONE = "Move one to the other first, as in x.to(y.place)."


def _is_tensor(value) -> bool:
    return hasattr(value, "_storage")


array_kinds: set[type] = set()
"""The classes of jax.Arrays with values that were seen: a lookup here is ten times as fast as a
check whether something is a jax.Array."""


def is_array(value) -> bool:
    """Return whether `value` is a jax.Array with values (not a tracer)."""
    if type(value) in array_kinds:
        return True
    if not isinstance(value, jax.Array) or isinstance(value, Tracer):
        return False
    array_kinds.add(type(value))
    return True


def can_be_read(array: Any) -> bool:
    """Return whether the values of an array can be read without waiting for an accelerator.

    This holds for arrays in host memory and on a CPU. Inside ``jax.jit`` there are no values.
    """
    if is_array(array):
        return array.platform() == "cpu"  # a fifth of the time of a query of its devices
    return not isinstance(array, Tracer)


def host_values(array, copy: bool | None = None) -> np.ndarray:
    """Return the values of an array on the host, after a wait for the device.

    XLA ends the process when NumPy reads the memory of an array whose computation failed, so this
    function detects the failure first and raises an exception. For a deleted array JAX raises a
    RuntimeError.

    Args:
        array: a jax.Array, or anything NumPy accepts.
        copy: True for an array that may be written.
    """
    try:
        if is_array(array) and not array.is_deleted():
            if not can_be_read(array):
                forked.check()
            if type(array) is Pending:  # NumPy would ask it for five protocols, in 20 us
                array = array.awaited()
            array.block_until_ready()
        return np.array(array, copy=copy)
    except JaxEagerError:
        raise
    except FAILURES as error:
        raise failure("The computation of a value", error) from error
    except RuntimeError:
        if not sharded.is_spread(array) or array.is_fully_addressable:
            raise
        return np.array(sharded.replicated(array), copy=copy)  # parts are in other processes


def live_arrays() -> list[Any]:
    """Return the arrays of all backends (``jax.live_arrays`` has those of the default one)."""
    platforms = list(xla_bridge.backends())
    return [array for each in platforms for array in jax.live_arrays(each)]


def is_guarded() -> bool:
    """Return whether ``jax_transfer_guard`` is set for transfers from the host to the device."""
    config: Any = jax.config
    return config.jax_transfer_guard_host_to_device is not None


def on_device(value: Any, dtype: DTypeLike | None = None) -> jax.Array:
    """Return a host value as an array on the device; a jax.Array is returned as it is.

    Numbers and positions that a user wrote are explicit transfers, so ``jax_transfer_guard`` allows
    them; an explicit transfer takes longer.

    Args:
        value: a number, a NumPy array or a list; or a jax.Array.
        dtype: element type; NumPy's by default.
    """
    if isinstance(value, jax.Array):
        return value if dtype is None else value.astype(dtype)
    if type(value) is np.ndarray and value.dtype in _UPLOADED and dtype in (None, value.dtype):
        home = _home(None)
        if home is not None:
            return _put_on(home, value.copy("K"), False)  # may be read after this call
    if not is_guarded():
        return jnp.asarray(value, dtype)
    return jax.device_put(np.array(value, dtype))


def upload(array: np.ndarray, device: places.Device) -> jax.Array:
    """Return a host array on a device, committed to it. About 5 us; see Note [Uploads].

    Args:
        array: an array that is not written any more, because it may still be read later.
        device: the target device.
    """
    home = _home(device) if array.dtype in _UPLOADED else None
    return jax.device_put(array, device) if home is None else _put_on(home, array, True)


_UPLOADED = frozenset(
    np.dtype(name)
    for name in (
        "bool int8 int16 int32 int64 uint8 uint16 uint32 uint64 float16 float32 float64 "
        "complex64 complex128"
    ).split()
) | {np.dtype(jnp.bfloat16)}


def _home(device: places.Device | None) -> places.Device | None:
    """Return the device of an upload (JAX's default for None); None means that JAX must do it."""
    config: Any = jax.config
    if _put is None or not config.jax_enable_x64 or is_guarded() or not trace_state_clean():
        return None
    home = config.jax_default_device if device is None else device
    if home is None:
        return jax.local_devices()[0]
    return home if isinstance(home, jax.Device) else None


def _put_on(home: places.Device, array: np.ndarray, committed: bool) -> jax.Array:
    return _put(_aval(array.shape, array.dtype), places.only_on(home), [array], [home], committed)


@functools.lru_cache(1024)
def _aval(shape: tuple, dtype: np.dtype) -> ShapedArray:
    return ShapedArray(shape, dtype)


@explained("to_tensor")
def as_array(data, dtype: np.dtype | None = None, device: places.Device | None = None) -> jax.Array:
    """Return a jax.Array of any data that ``to_tensor`` accepts.

    A Tensor's array, a jax.Array and a DLPack exporter on the right device are not copied.

    Raises:
        InvalidTypeError: for data that is not an array.
        InvalidArgumentError: for nested lists of different lengths.
    """
    if type(data) not in _OF_THE_HOST:
        if _is_tensor(data):
            data = data._array
        if isinstance(data, jax.Array):
            array = data if dtype is None or dtype == data.dtype else data.astype(dtype)
            return _on(array, device)
        if hasattr(data, "__dlpack__") and not isinstance(data, np.ndarray):
            array = jnp.from_dlpack(data)
            array = array if dtype is None else array.astype(dtype)
            return _on(array, device)
    array: Any = _as_numpy(data, dtype)
    if isinstance(array, Tracer):  # of open sizes, or in a captured function
        return array if dtype is None else array.astype(dtype)
    if array is data or not array.flags.owndata:  # device_put may still read its argument later
        array = array.copy()
    forked.check()
    return upload(array, device or places.current_device())


_OF_THE_HOST = frozenset({int, float, bool, complex, list, tuple, np.ndarray})


def _on(array: jax.Array, device: places.Device | None) -> jax.Array:
    """Return an array on a device: the same object when it is there already.

    (jax.device_put would make a second object for the same memory, which donation cannot see.)
    """
    if device is None or isinstance(array, Tracer) or array.devices() == {device}:
        return array
    forked.check()
    return jax.device_put(array, device)


def beside(array: jax.Array, other: jax.Array) -> jax.Array:
    """Return an array on the devices of another one: the same object when it is there already.

    On several devices the array is divided as `other` is, when their shapes are the same.
    """
    if is_beside(array, other):
        return array
    forked.check()
    if array.shape != other.shape and sharded.is_spread(other):
        sharding: Any = other.sharding
        return sharded.joining(array, sharding.mesh)
    return sharded.placed(array, other.sharding)


def is_beside(array: jax.Array, other: jax.Array) -> bool:
    """Return whether two arrays are on the same devices; a tracer matches any array.

    For arrays of one shape on several devices, return whether both are divided in the same way.
    """
    if isinstance(array, Tracer) or isinstance(other, Tracer):
        return True
    if array.shape != other.shape or len(other.devices()) == 1:
        return array.devices() == other.devices()
    return sharded.lies_as(array, other)


def first_apart(named: Iterable[tuple[str, object]]) -> str | None:
    """Return as text which two of several arrays are on different devices; None if there are none.

    Uncommitted arrays do not count, because JAX may move them.

    Args:
        named: pairs of a name and an array; tracers and values that are not arrays do not count.
    """
    first = None
    for name, array in named:
        if not isinstance(array, jax.Array) or isinstance(array, Tracer) or not array.committed:
            continue
        if first is None:
            first = name, array
        elif array.devices() != first[1].devices():
            return f"{first[0]} is on {_where(first[1])} and {name} on {_where(array)}"
    return None


def _where(array: jax.Array) -> str:
    """Return the names of an array's devices, with their numbers."""
    found = sorted(array.devices(), key=lambda device: device.id)
    names = [f"{each.kind}:{each.index}" for each in map(places.place_of, found)]
    return names[0] if len(names) == 1 else f"[{', '.join(names)}]"


def refuse_apart(what: str, named: Iterable[tuple[str, object]], advice: str = MOVE_ONE) -> None:
    """Raise InvalidArgumentError when arrays that are needed together are on different devices.

    Args:
        what: the name of what needs them.
        named: pairs of a name and an array: see ``first_apart``.
        advice: a sentence that tells the user what to do.
    """
    found = first_apart(named)
    if found is not None:
        raise InvalidArgumentError(f"{what} needs all arrays on one device, but {found}. {advice}")


@contextlib.contextmanager
def on_one_device(what: str, named: Iterable[tuple[str, object]]) -> Iterator[None]:
    """Turn JAX's error for arrays on several devices into that of ``refuse_apart``.

    Nothing is checked while there is no error.
    """
    try:
        yield
    except ValueError:
        refuse_apart(what, named)
        raise


def _of_sizes(values: np.ndarray) -> jax.Array:
    """Return a jax.Array of sizes, some of which are open."""
    sizes = [open_size.as_array(size) for size in values.flat]
    return jnp.stack(sizes).reshape(values.shape)


def _as_numpy(data, dtype: np.dtype | None) -> np.ndarray | jax.Array:
    """Return an array with the dtype that Paddle chooses for the data."""
    is_python = not isinstance(data, (np.ndarray, np.generic))
    if is_python and _is_computed(data):
        return _of_computed(data, dtype)
    values = without_tensors(data) if is_python else data
    try:
        array = np.asarray(values)
    except ValueError as error:
        raise InvalidArgumentError(
            f"Faild to convert input data to a regular ndarray : {error}. "
            "Usually this means the nested lists have different lengths."
        ) from None
    if array.dtype.kind == "O" and any(map(is_symbolic, array.flat)):
        return _of_sizes(array)
    if array.dtype.kind in "OUSmM":
        raise InvalidTypeError(
            "to_tensor() takes numbers, bools, lists of them, NumPy arrays, jax arrays and "
            f"Tensors, but received {type(data).__name__} of dtype {array.dtype}."
        )
    if (
        array.dtype == np.uint64
        and is_python
        and dtype in (None, np.int64)
        and np.any(array > _LARGEST_INT64)
    ):
        raise InvalidArgumentError(
            f"The number {array.max()} does not fit into int64. Give dtype='uint64' or a "
            "floating dtype."
        )
    if dtype is None and is_python and not _has_tensor(data):
        if array.dtype == np.float64:
            dtype = dtypes.default_float()
        elif array.dtype == np.complex128:
            dtype = dtypes.default_complex()
    if not is_python:
        array = dtypes.of_bits(array, dtype)
    return array if dtype is None else array.astype(dtype)


def _has_tensor(data) -> bool:
    """Return whether data is a list with a Tensor in it, whose dtype is NumPy's, as in Paddle."""
    return isinstance(data, (list, tuple)) and any(map(_is_tensor, data))


_NUMBERS = frozenset({int, float, bool, complex})
_LARGEST_INT64 = 2**63 - 1


def without_tensors(data):
    """Replace Tensors and jax arrays inside nested lists by NumPy arrays."""
    if isinstance(data, (list, tuple)):
        if _NUMBERS.issuperset(map(type, data)):
            return data
        return [without_tensors(item) for item in data]
    if isinstance(data, jax.Array) or _is_tensor(data):
        return host_values(data)
    return data


def _is_computed(data) -> bool:
    """Return whether nested lists hold a value that a captured function computes."""
    if isinstance(data, (list, tuple)):
        return not _NUMBERS.issuperset(map(type, data)) and any(map(_is_computed, data))
    return isinstance(data._array if _is_tensor(data) else data, Tracer)


def _of_computed(data, dtype: np.dtype | None) -> jax.Array:
    """Return nested lists as one array of a captured function."""

    def stacked(item):
        if isinstance(item, (list, tuple)):
            return jnp.stack([stacked(each) for each in item])
        return jnp.asarray(item._array if _is_tensor(item) else item)

    array = stacked(data)
    if dtype is None and array.dtype == np.float64:
        dtype = dtypes.default_float()
    return array if dtype is None else array.astype(dtype)
