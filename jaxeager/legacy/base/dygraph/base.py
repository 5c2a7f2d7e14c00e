"""paddle.base.dygraph.base: the dynamic graph, which is the only mode."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from jaxeager.core import places
from jaxeager.core.ignored_arguments import unheeded
from jaxeager.errors import UnimplementedError
from jaxeager.framework.framework import disable_static
from jaxeager.graph.mode import enable_grad, is_grad_enabled, no_grad, set_grad_enabled
from jaxeager.static.programs import REASON
from jaxeager.tensor import Tensor, to_tensor
from jaxeager.tensor.backward import grad

if TYPE_CHECKING:
    from typing import NoReturn

    from jaxeager.core.types import DTypeLike, PlaceLike, TensorLike

__all__ = [
    "disable_dygraph", "enable_dygraph", "enable_grad", "enabled", "grad", "guard",
    "in_declarative_mode", "in_sot_simulation_mode", "in_to_static_mode", "is_grad_enabled",
    "no_grad", "no_grad_", "param_guard", "set_grad_enabled", "switch_to_static_graph",
    "to_static_mode_guard", "to_variable",
]  # fmt: skip

no_grad_ = no_grad
enable_dygraph = disable_static


def enabled() -> bool:
    """Return True: ops always run when they are called.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.base.dygraph.enabled()
        True
    """
    return True


def disable_dygraph() -> None:
    """Raise: ops always run when they are called.

    Raises:
        UnimplementedError: always.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.base.dygraph.disable_dygraph()
        Traceback (most recent call last):
            ...
        jaxeager.errors.UnimplementedError: (Unimplemented) There are no static graphs...
    """
    raise UnimplementedError(REASON)


@contextlib.contextmanager
def guard(place: PlaceLike | None = None) -> Iterator[None]:
    """Return a context manager in which ops run when called, as always, on a given place.

    Args:
        place: the device; the current one by default.

    Raises:
        InvalidArgumentError: when this machine has no such device.

    Example:
        >>> import jaxeager as paddle
        >>> with paddle.base.dygraph.guard(paddle.CPUPlace()):
        ...     x = paddle.ones([2])
    """
    before = places.current_device()
    if place is not None:
        places.set_device(place)
    try:
        yield
    finally:
        if place is not None:
            places.set_device(before)


def to_variable(
    value: TensorLike,
    name: str | None = None,
    zero_copy: bool | None = None,
    dtype: DTypeLike | None = None,
) -> Tensor:
    """Return a tensor with a value; an older ``paddle.to_tensor``, which Paddle 3 removed.

    Args:
        value: an array, a list, a number or a Tensor, which is returned unchanged.
        name: its name.
        zero_copy: whether memory may be shared; it is not.
        dtype: its dtype.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.base.dygraph.to_variable([1.0, 2.0]).shape
        paddle.Size([2])
    """
    unheeded("to_variable", "values are copied", zero_copy=(bool(zero_copy), False))
    if isinstance(value, Tensor):
        return value
    tensor = to_tensor(value, dtype=dtype)
    if name is not None:
        tensor.name = name
    return tensor


def in_declarative_mode() -> bool:
    """Return False: no function is compiled into a static graph."""
    return False


def in_to_static_mode() -> bool:
    """Return False: no function is compiled into a static graph."""
    return False


def in_sot_simulation_mode() -> bool:
    """Return False: no function is compiled from its bytecode."""
    return False


@contextlib.contextmanager
def to_static_mode_guard(is_to_static: bool = True) -> Iterator[None]:
    """Mark code that compiles; no code depends on the mark.

    Args:
        is_to_static: True or False.
    """
    yield


@contextlib.contextmanager
def param_guard(parameters: dict[str, object]) -> Iterator[None]:
    """Turn parameters into Variables while a static graph is built; here do nothing.

    Args:
        parameters: {name: parameter}.
    """
    yield


def switch_to_static_graph(func: Callable) -> Callable:
    """Return a function that raises: it would run in a static graph.

    Args:
        func: the function.

    Raises:
        UnimplementedError: when it is called.
    """

    def refuse(*args: object, **kwargs: object) -> NoReturn:
        raise UnimplementedError(f"{func.__name__}: {REASON}")

    return refuse
