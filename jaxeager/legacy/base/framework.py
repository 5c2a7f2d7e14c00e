"""paddle.base.framework: the mode, the expected place, and classes that programs check against."""

from __future__ import annotations

import contextlib
import importlib
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

import jaxeager as paddle
from jaxeager.core import dtypes, flags, places, var_types
from jaxeager.core.dtypes import DType as DataType
from jaxeager.core.flags import get_flags, set_flags
from jaxeager.core.var_types import VarType
from jaxeager.device.kinds import (
    is_compiled_with_cinn,
    is_compiled_with_cuda,
    is_compiled_with_distribute,
    is_compiled_with_rocm,
    is_compiled_with_xpu,
)
from jaxeager.errors import UnimplementedError
from jaxeager.framework.framework import disable_signal_handler
from jaxeager.framework.framework import in_dynamic_mode as in_dygraph_mode
from jaxeager.legacy.base.dygraph.tracer import TRACER, Tracer
from jaxeager.static.default_programs import default_main_program, default_startup_program
from jaxeager.static.guards import cpu_places, cuda_places, device_guard, name_scope
from jaxeager.static.programs import NAMED, REASON
from jaxeager.static.variable import Parameter, ParameterMetaClass, Variable, VariableMetaClass
from jaxeager.tensor import Parameter as EagerParamBase
from jaxeager.tensor import Tensor
from jaxeager.utils import require_version, unique_name

if TYPE_CHECKING:
    from typing import NoReturn

    from jaxeager.core.types import DTypeLike, PlaceLike
    from jaxeager.debug.vlog.marks import backward_vlog_guard
    from jaxeager.debug.vlog.vlog import vlog_guard

_HOMES = {
    "backward_vlog_guard": "vlog.marks",
    "capture_backward_subgraph_guard": "graphs.subgraph",
    "capture_forward_subgraph_guard": "graphs.forward_graph",
    "vlog_guard": "vlog.vlog",
}
_REFUSED = """
    Block IrGraph OpProtoHolder Operator Program ipu_shard_guard program_guard set_ipu_shard
    switch_main_program switch_startup_program xpu_places
""".split()
globals().update({name: NAMED[name] for name in _REFUSED})

GRAD_VAR_SUFFIX, EMPTY_VAR_NAME, TEMP_VAR_NAME = "@GRAD", "@EMPTY@", "@TEMP@"

__all__ = [
    "DataType", "EagerParamBase", "Parameter", "ParameterMetaClass", "Variable",
    "VariableMetaClass", "backward_vlog_guard", "convert_np_dtype_to_dtype_",
    "convert_np_dtype_to_proto_type", "cpu_places", "cuda_places", "default_main_program",
    "default_startup_program", "device_guard",
    "disable_signal_handler", "dtype_is_floating", "dygraph_only",
    "flag_guard", "get_flags", "grad_var_name", "in_cinn_mode", "in_dygraph_mode",
    "in_dynamic_or_pir_mode", "in_pir_executor_mode", "in_pir_mode", "is_compiled_with_cinn",
    "is_compiled_with_cuda", "is_compiled_with_distribute", "is_compiled_with_rocm",
    "is_compiled_with_xpu", "name_scope", "non_static_only", "require_version", "set_flags",
    "static_only", "unique_name", "use_pir_api", "vlog_guard",
]  # fmt: skip
__all__ += _REFUSED


def in_dynamic_or_pir_mode() -> bool:
    """Return True: ops run when they are called."""
    return True


def in_pir_mode() -> bool:
    """Return False: no program of Paddle 3 is being built."""
    return False


def in_pir_executor_mode() -> bool:
    """Return False: no program of Paddle 3 is being run."""
    return False


def in_cinn_mode() -> bool:
    """Return False: Paddle's compiler CINN is not used."""
    return False


def use_pir_api() -> bool:
    """Return True, as Paddle 3 does: static graphs would be those of Paddle 3."""
    return True


def _current_expected_place() -> places.Place:
    """Return the place of new tensors, as a CPUPlace, CUDAPlace, TPUPlace or CustomPlace.

    Example:
        >>> import jaxeager as paddle
        >>> place = paddle.base.framework._current_expected_place()
        >>> str(place) == str(paddle.ones([1]).place)
        True
    """
    return TRACER._expected_place


_current_expected_place_ = _current_expected_place  # Paddle has both names


def _set_expected_place(place: PlaceLike) -> None:
    """Make new tensors go to a place, as ``paddle.set_device`` does.

    Raises:
        InvalidArgumentError: when this machine has no such device.
    """
    places.set_device(place)


def _get_paddle_place(place: PlaceLike | None) -> places.Place | None:
    """Return the place that an argument names; None stays None.

    Args:
        place: "cpu", "gpu:0", a Place, a jax.Device or None.

    Raises:
        InvalidArgumentError: when the string does not name a kind of device.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.base.framework._get_paddle_place("cpu")
        Place(cpu)
    """
    return None if place is None else places.as_place(place)


def _get_paddle_place_list(places: Sequence[PlaceLike]) -> list[places.Place | None]:
    """Return the places that arguments name; see ``_get_paddle_place``."""
    return [_get_paddle_place(each) for each in places]


def _dygraph_tracer() -> Tracer:
    """Return the recorder of ops.

    Example:
        >>> import jaxeager as paddle
        >>> with paddle.no_grad():
        ...     print(paddle.base.framework._dygraph_tracer()._has_grad)
        False
    """
    return TRACER


@contextlib.contextmanager
def _dygraph_guard(tracer: Tracer | None) -> Iterator[None]:
    """Return a context manager in which a tracer records ops; there is only one tracer.

    Raises:
        UnimplementedError: for None, which means a static graph in Paddle.
    """
    if tracer is None:
        raise UnimplementedError(REASON)
    yield


@contextlib.contextmanager
def _dygraph_place_guard(place: PlaceLike) -> Iterator[None]:
    """Return a context manager in which new tensors go to a place.

    Raises:
        InvalidArgumentError: when this machine has no such device.
    """
    before = places.current_device()
    places.set_device(place)
    try:
        yield
    finally:
        places.set_device(before)


def _global_flags() -> Any:
    """Return the flags as a mapping; see ``paddle.base.core.globals``."""
    return importlib.import_module("jaxeager.legacy.base.core.flag_values").globals()


@contextlib.contextmanager
def flag_guard(flag_name: str, flag_value: object) -> Iterator[None]:
    """Return a context manager in which a flag has another value.

    Args:
        flag_name: its name.
        flag_value: its value.

    Raises:
        InvalidArgumentError: for a flag or a value that does not exist.

    Example:
        >>> import jaxeager as paddle
        >>> with paddle.base.framework.flag_guard("FLAGS_check_nan_inf", True):
        ...     print(paddle.get_flags("FLAGS_check_nan_inf"))
        {'FLAGS_check_nan_inf': True}
    """
    before = flags.get_flags(flag_name)
    flags.set_flags({flag_name: flag_value})
    try:
        yield
    finally:
        flags.set_flags(before)


def _create_tensor(
    type: VarType = VarType.DENSE_TENSOR,
    name: str | None = None,
    shape: Sequence[int] | None = None,
    dtype: DTypeLike | None = None,
    persistable: bool | None = None,
) -> Tensor:
    """Create a tensor for an operator to write its result to.

    Args:
        type: VarType.DENSE_TENSOR.
        name: its name; a generated one by default.
        shape: its shape; no element by default.
        dtype: its dtype; float32 by default.
        persistable: its attribute of that name.

    Raises:
        UnimplementedError: for another type.

    Paddle: the tensor has no values, and reading one fails; here they are 0.

    Example:
        >>> import jaxeager as paddle
        >>> made = paddle.base.framework._create_tensor(name="found", shape=[2], dtype="int32")
        >>> made.name, made.tolist()
        ('found', [0, 0])
    """
    if type is not VarType.DENSE_TENSOR:
        raise UnimplementedError(f"_create_tensor: type={type} is not supported, but DENSE_TENSOR.")
    made = paddle.zeros([0] if shape is None else shape, "float32" if dtype is None else dtype)
    made.name = unique_name.generate("generated_tensor") if name is None else name
    made.persistable = bool(persistable)
    return made


def convert_np_dtype_to_dtype_(np_dtype: DTypeLike) -> DataType:
    """Return the dtype that an argument names.

    Args:
        np_dtype: a string, a NumPy dtype or a ``paddle.dtype``.

    Raises:
        InvalidTypeError: when it is not a dtype.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.base.framework.convert_np_dtype_to_dtype_("int64")
        paddle.int64
    """
    # Paddle's tables have bfloat16 under NumPy's uint16, which here is a dtype of its own.
    is_numpy = isinstance(np_dtype, np.dtype)
    return dtypes.as_dtype(np_dtype.type if is_numpy else np_dtype)


def convert_np_dtype_to_proto_type(np_dtype: DTypeLike) -> VarType:
    """Return the VarType of a dtype.

    Args:
        np_dtype: a string, a NumPy dtype or a ``paddle.dtype``.

    Raises:
        InvalidTypeError: when it is not a dtype.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.base.framework.convert_np_dtype_to_proto_type("float32")
        <VarType.FP32: 5>
    """
    return var_types.of_dtype(convert_np_dtype_to_dtype_(np_dtype))


def dtype_is_floating(dtype: DTypeLike) -> bool:
    """Return whether a dtype is a floating dtype.

    Paddle: returns False for every ``paddle.dtype``, as it compares them with older numbers.
    """
    return dtypes.as_dtype(dtype).dtype in dtypes.FLOATS


def grad_var_name(var_name: str) -> str:
    """Return the name of a variable's gradient in a static graph.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.base.framework.grad_var_name("x")
        'x@GRAD'
    """
    return var_name + GRAD_VAR_SUFFIX


def dygraph_only(func: Callable) -> Callable:
    """Mark a function of the dynamic graph: return it unchanged."""
    return func


non_static_only = dygraph_only


def static_only(func: Callable) -> Callable:
    """Return a function that raises: it would run in a static graph.

    Raises:
        UnimplementedError: when it is called.
    """

    def refuse(*args: object, **kwargs: object) -> NoReturn:
        raise UnimplementedError(f"{func.__name__}: {REASON}")

    return refuse


def __getattr__(name: str):
    """Import names on first use: the debug tools, and paddle.base.core."""
    if name == "core":
        return importlib.import_module("jaxeager.legacy.base.core")
    if name in _HOMES:
        return getattr(importlib.import_module(f"jaxeager.debug.{_HOMES[name]}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
