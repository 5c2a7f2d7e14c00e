"""to_static: a function, or a Layer's forward, compiled as a whole."""

from __future__ import annotations

import copy
import functools
from collections.abc import Callable, Sequence
from types import ModuleType
from typing import Any, TypeVar, overload

from jaxeager.core.ignored_arguments import unheeded
from jaxeager.errors import InvalidArgumentError, InvalidTypeError, PreconditionNotMetError
from jaxeager.graph.lazy_graphs import remember
from jaxeager.graph.mode import grad_mode
from jaxeager.jit.capture.nesting import ends
from jaxeager.jit.capture.refusals import called
from jaxeager.jit.lowering import leave, leave_module
from jaxeager.jit.programs.description import DescribesPrograms
from jaxeager.jit.programs.whole_graph import WholeGraph
from jaxeager.jit.saved_model.argument_specs import Recorded, recorded
from jaxeager.jit.switching import COMPILED, PLAIN, RECORDED, switch, way_of
from jaxeager.kernels.lazy import mode as lazy_mode
from jaxeager.nn import Layer
from jaxeager.static.build_strategy import BuildStrategy
from jaxeager.tensor import Tensor

_METHODS = "_to_static_methods"  # the attribute of an object that keeps their _Marked


class _Marked:
    """The data of a marked function, or of a marked method of one object.

    Attributes:
        called: the arguments of the last call.
        programs: its programs; made by the first call with ``full_graph``.
    """

    __slots__ = ("called", "programs")

    def __init__(self) -> None:
        self.called: Recorded | None = None
        self.programs: WholeGraph | None = None


class _Methods(dict):
    """The data of the marked methods of an object, by the method; it stays with the object.

    A name would not be a unique key: two methods under one decorator may have the same name, as may
    a method and the one that it calls by ``super()``, or a method and its replacement.
    """

    def __reduce__(self) -> tuple:
        return _Methods, ()  # neither copied nor pickled with its owner


class StaticFunction(DescribesPrograms):
    """A function marked by ``to_static``.

    A call runs its Python in lazy mode, and so does its backward: the computation up to its end, or
    up to a value that it requests, is one call of XLA. With ``full_graph`` the first call of each
    kind captures a program (Note [What a program depends on] in whole_graph.py), and others run
    that program, without Python; a call records one node, ``Dy2StGradNode``. Inside another
    captured function, under ``autograd.to_jax``, and after ``enable_to_static(False)``, a call is a
    plain call of the function.

    Args:
        function: the function.
        input_spec: the description of its arguments, for ``jit.save``.
        **kwargs: Paddle's further settings; only ``full_graph`` has an effect here.

    Attributes:
        dygraph_function: the function.
        input_spec: as given.
        class_instance: the object it is bound to; None for a function.

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
        input_spec: Sequence[object] | None = None,
        **kwargs: Any,
    ):
        functools.update_wrapper(self, function)
        self._function = function
        self._input_spec = input_spec
        self._kwargs = kwargs
        self.class_instance = getattr(function, "__self__", None)
        self._own = _Marked()

    @property
    def called(self) -> Recorded | None:
        """Return the arguments of the last call, with InputSpecs instead of tensors; or None."""
        return self._known().called

    def _known(self) -> _Marked:
        """Return its data, which for a method is kept with its object.

        Each access to a marked method makes another StaticFunction.
        """
        members = getattr(self.class_instance, "__dict__", None)
        if not isinstance(members, dict):  # no object, one with slots, or a class
            return self._own
        methods = members.get(_METHODS)
        if methods is None:
            methods = members.setdefault(_METHODS, _Methods())
        known = methods.get(self._function)
        if known is None:
            known = methods.setdefault(self._function, self._own)
        return known

    def _note_call(self, args: tuple, kwargs: dict) -> None:
        """Note the arguments of a call."""
        self._known().called = recorded(args, kwargs)

    @property
    def input_spec(self) -> Sequence[object] | None:
        """Return the description of the arguments."""
        return self._input_spec

    @property
    def dygraph_function(self) -> Callable:
        """Return the function that was marked."""
        return self._function

    def rollback(self) -> Callable:
        """Return the function; restore it in a Layer in which it was replaced.

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

    @property
    def __self__(self) -> object:
        """Return the object that it is bound to, like a method's; AttributeError for a function."""
        return self._function.__self__

    @property
    def __func__(self) -> StaticFunction:
        """Return it without the object, like a method's; AttributeError for a function."""
        return StaticFunction(self._function.__func__, self._input_spec, **self._kwargs)

    def __get__(self, instance: object, owner: type | None = None) -> StaticFunction:
        """Return it bound to an object, when it was marked in a class."""
        if instance is None:
            return self
        bound = self._function.__get__(instance, owner)
        return StaticFunction(bound, self._input_spec, **self._kwargs)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        way = COMPILED
        if not switch["compiles"] or grad_mode.traced or grad_mode.capture is not None:
            way = way_of(self)
        if way is PLAIN:
            if self._input_spec is None and not grad_mode.traced:
                self._note_call(args, kwargs)
            seen = grad_mode.capture
            function = self._function if seen is None else seen.lowered(self._function)
            return function(*args, **kwargs)
        if way is RECORDED or not self._is_whole:
            return self._run_recorded(args, kwargs)
        programs = self._whole_graph()
        try:
            return programs.call(args, kwargs)
        finally:
            ran = programs.ran
            if self._input_spec is None and (ran is None or ran is not programs.noted):
                self._note_call(args, kwargs)  # calls of one program have the same description
                programs.noted = ran

    def _run_recorded(self, args: tuple, kwargs: dict) -> Any:
        """Run the function in lazy mode, unless the user has chosen another one."""
        if self._input_spec is None:
            self._note_call(args, kwargs)
        if lazy_mode.is_chosen() or not lazy_mode.can_record():
            return self._function(*args, **kwargs)
        with lazy_mode.block():
            result = self._function(*args, **kwargs)
            for end in ends(result):
                if isinstance(end, Tensor):
                    remember(end._meta)
        return result

    @property
    def _is_whole(self) -> bool:
        return bool(self._kwargs.get("full_graph", False))

    def _whole_graph(self) -> WholeGraph:
        """Return the programs.

        Raises:
            PreconditionNotMetError: when there are none, without ``full_graph``.
        """
        if not self._is_whole:
            raise PreconditionNotMetError(
                f"{called(self._function)} has no program, because its Python runs on every call. "
                "Mark it with paddle.jit.to_static(full_graph=True)."
            )
        known = self._known()
        if known.programs is None:
            known.programs = WholeGraph(self._function)
        return known.programs

    def __deepcopy__(self, memo: dict) -> StaticFunction:
        function = copy.deepcopy(self._function, memo)
        return StaticFunction(function, self._input_spec, **self._kwargs)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, StaticFunction) and other._function == self._function

    def __hash__(self) -> int:
        return hash(self._function)


_F = TypeVar("_F", bound=Callable[..., Any])


@overload
def to_static(
    function: None = None,
    input_spec: Sequence[object] | None = None,
    build_strategy: BuildStrategy | None = None,
    backend: str | None = "CINN",
    **kwargs: Any,
) -> Callable[[_F], _F]: ...
@overload
def to_static(
    function: _F,
    input_spec: Sequence[object] | None = None,
    build_strategy: BuildStrategy | None = None,
    backend: str | None = "CINN",
    **kwargs: Any,
) -> _F: ...
def to_static(
    function: Callable | None = None,
    input_spec: Sequence[object] | None = None,
    build_strategy: BuildStrategy | None = None,
    backend: str | None = "CINN",
    **kwargs: Any,
) -> Any:
    """Mark a function, or a Layer's forward, to be run in a few calls of XLA.

    Each call runs the function's Python in lazy mode (``paddle.lazy``), so nothing can become
    stale: the computation up to its end, or up to a value that it requests, is one call of XLA, and
    its backward another. With ``full_graph=True`` Python runs only on the first call of each kind.
    A whole training step can be marked. See docs/compiling.md.

    Can be used as a decorator, with arguments and without.

    Args:
        function: a function, a method or a Layer.
        input_spec: InputSpecs of its arguments, for ``jit.save``.
        build_strategy: a setting of Paddle's compilation.
        backend: Paddle's compiler.
        **kwargs: Paddle's further settings. ``full_graph`` (False): whether the function becomes
            one program, and a call one node. All tensors that it uses are inputs: parameters,
            buffers, an optimizer's state, tensors of its closure; the tensors that it writes are
            written after each call. ``if`` and ``while`` on tensors become branches and loops, and
            a function that requests a value otherwise raises. All other data that Python reads is
            read once.

    Returns:
        the marked function; the Layer itself, whose forward is marked.

    Raises:
        InvalidTypeError: for a value that cannot be called, or a setting of another type.
        InvalidArgumentError: for an unknown backend.
        UnimplementedError: from a call with ``full_graph``, when the function requests a value; it
            names the line and the tensor.

    Example:
        >>> import jaxeager as paddle
        >>> @paddle.jit.to_static(input_spec=[paddle.static.InputSpec([None, 2])])
        ... def total(x):
        ...     return x.sum()
        >>> total(paddle.ones([3, 2])).item()
        6.0
    """
    _check_settings(input_spec, build_strategy, backend)
    settings = {"build_strategy": build_strategy, "backend": backend, **kwargs}
    if function is None:
        return lambda given: to_static(given, input_spec, **settings)
    if isinstance(function, Layer):
        forward = function.forward
        if not isinstance(forward, StaticFunction):
            function.forward = StaticFunction(forward, input_spec, **settings)  # type: ignore[method-assign]
        return function
    if not callable(function):
        raise InvalidTypeError(f"to_static takes a function or a Layer, but received {function!r}.")
    inner = function.dygraph_function if isinstance(function, StaticFunction) else function
    return StaticFunction(inner, input_spec, **settings)


def _check_settings(input_spec: object, build_strategy: object, backend: object) -> None:
    """Refuse settings of to_static that Paddle refuses, though some of them have no effect."""
    if input_spec is not None and not isinstance(input_spec, (list, tuple)):
        raise InvalidTypeError(
            "The type(input_spec) should be one of (tuple, list), but received "
            f"{type(input_spec).__name__}."
        )
    if build_strategy and not isinstance(build_strategy, BuildStrategy):
        raise InvalidTypeError(
            "Required type(build_strategy) shall be `paddle.static.BuildStrategy`, but received "
            f"{type(build_strategy).__name__}."
        )
    if isinstance(backend, str) and backend.upper() not in ("CINN", "PCC"):
        raise InvalidArgumentError(
            f"Unknown backend {backend}. Only support 'CINN' or None for PHI."
        )


def not_to_static(func: Callable | None = None) -> Callable:
    """Exclude a function from separate compilation; inside a compiled one it is a part of that.

    Its ``if`` and ``while`` remain Python's: in a whole graph (``full_graph``, ``jit.save``) one
    that requests the value of a tensor raises.

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
    if func is None:
        return not_to_static
    leave(func)
    return func


def ignore_module(modules: Sequence[ModuleType]) -> None:
    """Name modules whose functions are not converted: see ``not_to_static``.

    Args:
        modules: modules.

    Raises:
        InvalidTypeError: when one is not a module.

    Example:
        >>> import jaxeager as paddle, os
        >>> paddle.jit.ignore_module([os])
    """
    for each in modules:
        if not isinstance(each, ModuleType):
            raise InvalidTypeError(f"ignore_module takes modules, but received {each!r}.")
    for each in modules:
        leave_module(each.__name__)


def set_code_level(level: int = 100, also_to_stdout: bool = False) -> None:
    """Accept Paddle's log level for generated code; here no code is generated.

    Args:
        level: the level.
        also_to_stdout: whether it is printed too.

    Raises:
        InvalidTypeError: when the level is not an int.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.jit.set_code_level(100)
    """
    unheeded("set_code_level", "nothing is logged", also_to_stdout=(also_to_stdout, False))
    _check_level(level)


def set_verbosity(level: int = 0, also_to_stdout: bool = False) -> None:
    """Accept Paddle's log level for its compilation; here nothing is logged.

    Args:
        level: the level.
        also_to_stdout: whether it is printed too.

    Raises:
        InvalidTypeError: when the level is not an int.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.jit.set_verbosity(3)
    """
    unheeded("set_verbosity", "nothing is logged", also_to_stdout=(also_to_stdout, False))
    _check_level(level)


def _check_level(level: int) -> None:
    if not isinstance(level, int):
        raise InvalidTypeError(f"Level is not an integer: {level}")
