"""to_static: a function that Paddle compiles into a program; here it runs op by op, as it is."""

from __future__ import annotations

import functools
import inspect
import logging
from collections.abc import Callable, Sequence
from types import ModuleType
from typing import Any

from jaxeager.errors import InvalidTypeError, UnimplementedError
from jaxeager.graph.mode import grad_mode
from jaxeager.jit.argument_specs import Recorded, recorded
from jaxeager.nn import Layer

_logger = logging.getLogger("jaxeager.jit")
_said: list[str] = []  # whether it was said that nothing is compiled
_CALLED = "_to_static_called"  # the attribute of an object that notes calls of its marked methods
_switch = {"enabled": True}


def _say_once() -> None:
    """Says, once in a process, that what is marked runs op by op."""
    if not _said:
        _said.append("said")
        _logger.warning(
            "paddle.jit.to_static: functions run op by op, as without it; they are not compiled "
            "as a whole yet. Results are the same."
        )


class StaticFunction:
    """A function marked by ``to_static``; calling it calls the function.

    Args:
        function: the function.
        input_spec: what describes its arguments, kept for whoever asks.
        **kwargs: Paddle's further settings, kept too.

    Attributes:
        dygraph_function: the function.
        input_spec: as given.
        class_instance: the object it is bound to, None for a function.

    Example:
        >>> import jaxeager as paddle
        >>> @paddle.jit.to_static
        ... def double(x):
        ...     return x * 2
        >>> double(paddle.ones([2])).tolist(), double.dygraph_function.__name__
        ([2.0, 2.0], 'double')
    """

    def __init__(
        self,
        function: Callable,
        input_spec: Sequence[Any] | None = None,
        **kwargs: Any,
    ):
        functools.update_wrapper(self, function)
        self._function = function
        self._input_spec = input_spec
        self._kwargs = kwargs
        self.class_instance = getattr(function, "__self__", None)
        self._called: Recorded | None = None

    @property
    def called(self) -> Recorded | None:
        """Returns what the last call was given, InputSpecs in the place of tensors; or None."""
        owner = self.class_instance
        if owner is None:
            return self._called
        return vars(owner).get(_CALLED, {}).get(self._function.__name__)

    def _note_call(self, args: tuple, kwargs: dict) -> None:
        """Notes what a call was given: with its object, for each access makes a new self."""
        owner = self.class_instance
        if owner is None:
            self._called = recorded(args, kwargs)
        elif hasattr(owner, "__dict__"):
            noted = vars(owner).setdefault(_CALLED, {})
            noted[self._function.__name__] = recorded(args, kwargs)

    @property
    def input_spec(self) -> Sequence[Any] | None:
        """Returns what describes the arguments."""
        return self._input_spec

    @property
    def dygraph_function(self) -> Callable:
        """Returns the function that was marked."""
        return self._function

    @property
    def code(self) -> str:
        """Returns the source of the function."""
        return inspect.getsource(inspect.unwrap(self._function))

    @property
    def concrete_program(self) -> Any:
        """Raises: there is no program.

        Raises:
            UnimplementedError: always.
        """
        raise UnimplementedError("There are no static programs: functions run op by op.")

    def rollback(self) -> Callable:
        """Returns the function; one that was put into a Layer is there again.

        Example:
            >>> import jaxeager as paddle
            >>> layer = paddle.jit.to_static(paddle.nn.Linear(2, 3))
            >>> layer.forward.rollback() == layer.forward
            True
        """
        layer = self.class_instance
        if layer is not None and vars(layer).get(self._function.__name__) is self:
            delattr(layer, self._function.__name__)
        return self._function

    def __get__(self, instance: Any, owner: type | None = None) -> StaticFunction:
        """Returns it bound to an object, when it was marked in a class."""
        if instance is None:
            return self
        bound = self._function.__get__(instance, owner)
        return StaticFunction(bound, self._input_spec, **self._kwargs)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        if self._input_spec is None and not grad_mode.traced:
            self._note_call(args, kwargs)
        return self._function(*args, **kwargs)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, StaticFunction) and other._function == self._function

    def __hash__(self) -> int:
        return hash(self._function)


def to_static(
    function: Any = None,
    input_spec: Sequence[Any] | None = None,
    build_strategy: Any = None,
    backend: str | None = "CINN",
    **kwargs: Any,
) -> Any:
    """Marks a function, or a Layer's forward, as one to compile; it runs op by op all the same.

    The first call in a process says so in the log ``jaxeager.jit``. Can be used as a decorator,
    with arguments and without.

    Args:
        function: a function, a method or a Layer.
        input_spec: InputSpecs of its arguments.
        build_strategy: how Paddle compiles it.
        backend: what Paddle compiles it with.
        **kwargs: Paddle's further settings (``full_graph``).

    Returns:
        The marked function; the Layer itself, whose forward is marked.

    Raises:
        InvalidTypeError: for something that cannot be called.

    Example:
        >>> import jaxeager as paddle
        >>> @paddle.jit.to_static(input_spec=[paddle.static.InputSpec([None, 2])])
        ... def total(x):
        ...     return x.sum()
        >>> total(paddle.ones([3, 2])).item()
        6.0
    """
    settings = {"build_strategy": build_strategy, "backend": backend, **kwargs}
    if function is None:
        return lambda given: to_static(given, input_spec, **settings)
    if isinstance(function, Layer):
        forward = function.forward
        if not isinstance(forward, StaticFunction):
            function.forward = StaticFunction(forward, input_spec, **settings)  # type: ignore[method-assign]
        _say_once()
        return function
    if not callable(function):
        raise InvalidTypeError(f"to_static takes a function or a Layer, but received {function!r}.")
    _say_once()
    inner = function.dygraph_function if isinstance(function, StaticFunction) else function
    return StaticFunction(inner, input_spec, **settings)


def not_to_static(func: Callable | None = None) -> Callable:
    """Marks a function as one not to compile: it stays as it is.

    Args:
        func: the function; without it a decorator is returned.

    Example:
        >>> import jaxeager as paddle
        >>> @paddle.jit.not_to_static
        ... def show(x):
        ...     return x
        >>> show(3)
        3
    """
    return not_to_static if func is None else func


def ignore_module(modules: Sequence[ModuleType]) -> None:
    """Names modules whose functions are not to be compiled; none is.

    Args:
        modules: modules.

    Raises:
        InvalidTypeError: when one is no module.

    Example:
        >>> import jaxeager as paddle, os
        >>> paddle.jit.ignore_module([os])
    """
    for each in modules:
        if not isinstance(each, ModuleType):
            raise InvalidTypeError(f"ignore_module takes modules, but received {each!r}.")


def enable_to_static(enable_to_static_bool: bool) -> None:
    """Says whether marked functions are compiled; they run op by op in either case.

    ``jit.save`` raises while it is off, as in Paddle.

    Args:
        enable_to_static_bool: True or False.

    Raises:
        InvalidTypeError: for something else.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.jit.enable_to_static(True)
    """
    if not isinstance(enable_to_static_bool, bool):
        raise InvalidTypeError(f"It takes a bool, but received {enable_to_static_bool!r}.")
    _switch["enabled"] = enable_to_static_bool


def is_enabled() -> bool:
    """Says what ``enable_to_static`` was last told.

    Example:
        >>> from jaxeager.jit.static_function import is_enabled
        >>> is_enabled()
        True
    """
    return _switch["enabled"]


def set_code_level(level: int = 100, also_to_stdout: bool = False) -> None:
    """Says how much of the code that Paddle makes is logged; none is made.

    Args:
        level: how much.
        also_to_stdout: whether it is printed too.

    Raises:
        InvalidTypeError: when the level is no int.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.jit.set_code_level(100)
    """
    _check_level(level)


def set_verbosity(level: int = 0, also_to_stdout: bool = False) -> None:
    """Says how much of Paddle's compilation is logged; there is none.

    Args:
        level: how much.
        also_to_stdout: whether it is printed too.

    Raises:
        InvalidTypeError: when the level is no int.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.jit.set_verbosity(3)
    """
    _check_level(level)


def _check_level(level: int) -> None:
    if not isinstance(level, int):
        raise InvalidTypeError(f"Level is not an integer: {level}")
