"""What a marked function tells about itself: its signature, its source and its programs."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NoReturn

from jaxeager.errors import InvalidArgumentError, PreconditionNotMetError, UnimplementedError
from jaxeager.jit.capture.refusals import called
from jaxeager.jit.programs.concrete_program import ConcreteProgram, ProgramCache
from jaxeager.static.input_spec import InputSpec

if TYPE_CHECKING:
    from jax.extend.core import ClosedJaxpr

    from jaxeager.jit.programs.whole_graph import WholeGraph


class FunctionSpec:
    """The signature of a marked function.

    Attributes:
        dygraph_function: the function.
        input_spec: the description of the arguments, a tuple; or None.

    Example:
        >>> import jaxeager as paddle
        >>> @paddle.jit.to_static(full_graph=True)
        ... def scaled(x, factor=2.0):
        ...     return x * factor
        >>> spec = scaled.function_spec
        >>> spec.args_name, str(spec)
        (['x', 'factor'], 'function: scaled(x,factor), input_spec: None')
    """

    def __init__(self, function: Callable, input_spec: Sequence[object] | None = None):
        self.dygraph_function = function
        self.input_spec = None if input_spec is None else tuple(input_spec)

    @property
    def args_name(self) -> list[str]:
        """Return the names of the positional parameters."""
        parameters = inspect.signature(self.dygraph_function).parameters.values()  # without self
        return [each.name for each in parameters if each.kind in _POSITIONAL]

    @property
    def flat_input_spec(self) -> list | None:
        """Return the InputSpecs, without lists and dicts around them; or None."""
        return None if self.input_spec is None else list(_leaves(self.input_spec))

    @property
    def code(self) -> str:
        """Return the source of the function."""
        return inspect.getsource(inspect.unwrap(self.dygraph_function))

    def unified_args_and_kwargs(self, args: Sequence, kwargs: Mapping) -> tuple[tuple, dict]:
        """Return the arguments of a call: by position, defaults included, and by name.

        Raises:
            InvalidArgumentError: when there are too many or too few.

        Example:
            >>> import jaxeager as paddle
            >>> @paddle.jit.to_static(full_graph=True)
            ... def scaled(x, factor=2.0):
            ...     return x * factor
            >>> scaled.function_spec.unified_args_and_kwargs((1,), {})
            ((1, 2.0), {})
        """
        function = self.dygraph_function
        try:
            bound = inspect.signature(function).bind(*args, **kwargs)
        except TypeError as error:
            raise InvalidArgumentError(
                f"{called(function)}: {error}; received args: {args} and kwargs: {dict(kwargs)}."
            ) from None
        by_name = bound.kwargs
        bound.apply_defaults()
        return bound.args, by_name

    def __repr__(self) -> str:
        name = self.dygraph_function.__name__
        return f"function: {name}({','.join(self.args_name)}), input_spec: {self.input_spec}"


_POSITIONAL = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)


def _leaves(spec: Any) -> list:
    """Return what lists and dicts hold, in order."""
    if isinstance(spec, dict):
        spec = list(spec.values())
    if isinstance(spec, (list, tuple)):
        return [leaf for each in spec for leaf in _leaves(each)]
    return [spec]


class DescribesPrograms:
    """A base of StaticFunction: its signature, its source and its programs."""

    _function: Callable
    _input_spec: Sequence[object] | None
    _whole_graph: Callable[[], WholeGraph]

    @property
    def function_spec(self) -> FunctionSpec:
        """Return the signature of the function."""
        return FunctionSpec(self._function, self._input_spec)

    @property
    def code(self) -> str:
        """Return the source of the function."""
        return inspect.getsource(inspect.unwrap(self._function))

    @property
    def concrete_program(self) -> ConcreteProgram:
        """Return the program that was captured last.

        Raises:
            PreconditionNotMetError: before the first call, and without ``full_graph``.

        Example:
            >>> import jaxeager as paddle
            >>> @paddle.jit.to_static(full_graph=True)
            ... def double(x):
            ...     return x * 2
            >>> _ = double(paddle.ones([2]))
            >>> print(double.concrete_program.main_program)
            { lambda ; a:f32[2] b:f32[]. let
                c:f32[2] = jit[...
        """
        programs = self._whole_graph().all_programs()
        if not programs:
            raise PreconditionNotMetError(
                f"{called(self._function)} has no program: it has not been called yet."
            )
        return ConcreteProgram(programs[-1])

    @property
    def program_cache(self) -> ProgramCache:
        """Return the captured programs, one for each kind of call.

        Raises:
            PreconditionNotMetError: without ``full_graph``.

        Example:
            >>> import jaxeager as paddle
            >>> @paddle.jit.to_static(full_graph=True)
            ... def double(x):
            ...     return x * 2
            >>> _ = double(paddle.ones([2])), double(paddle.ones([3])), double(paddle.zeros([3]))
            >>> len(double.program_cache.concrete_programs())
            2
        """
        return ProgramCache(self._whole_graph())

    @property
    def main_program(self) -> ClosedJaxpr:
        """Return the program captured last, as ``concrete_program.main_program`` does."""
        return self.concrete_program.main_program

    @property
    def inputs(self) -> list[InputSpec]:
        """Return shape and dtype of each tensor among the arguments of the last program."""
        return self.concrete_program.inputs

    @property
    def outputs(self) -> list[InputSpec]:
        """Return shape and dtype of each tensor that the last program returns or writes."""
        return self.concrete_program.outputs

    def get_concrete_program(self, *args: Any, **kwargs: Any) -> NoReturn:
        """Raise an error: a program is captured by a call.

        Raises:
            UnimplementedError: always; it states what to use.
        """
        raise UnimplementedError(
            f"get_concrete_program captures without a call, and returns Paddle's own program. Call "
            f"{called(self._function)}, and read concrete_program: its main_program is a jaxpr."
        )
