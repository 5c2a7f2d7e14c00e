"""The modes of running ops: whether they are recorded, and what else observes them.

Note [Whose mode it is]
    A mode belongs to the thread that set it and, within a thread, to the asyncio task. A task that
    waits inside ``with no_grad():`` does not affect the others, and a task starts with the modes in
    which it was made. Each switch is therefore a ContextVar, which is also the fastest to read: 5
    ns, where an attribute of a threading.local takes 25. A new thread starts with recording on.

    A generator shares the context of its caller. So a decorated generator, coroutine or
    asynchronous generator sets the mode each time its own body resumes, and restores it each time
    the body suspends.
"""

from __future__ import annotations

import functools
import inspect
import types
from collections.abc import AsyncGenerator, Callable, Generator
from contextvars import ContextVar, copy_context
from typing import Any, ParamSpec, Self, TypeVar

from jaxeager.errors import InvalidTypeError

Given = ParamSpec("Given")
Result = TypeVar("Result")


class _Switch:
    """An attribute with a separate value for each thread or asyncio task."""

    def __init__(self, name: str, default: Any):
        self.variable: ContextVar[Any] = ContextVar(f"jaxeager.{name}", default=default)

    def __get__(self, mode: _GradMode, owner: type | None = None) -> Any:
        return self.variable.get()

    def __set__(self, mode: _GradMode, value: Any) -> None:
        self.variable.set(value)


class _RecordingSwitch(_Switch):
    """Whether ops are recorded; it cannot be switched on in inference mode."""

    def __set__(self, mode: _GradMode, value: Any) -> None:
        self.variable.set(bool(value) and not mode.inference)


class _GradMode:
    """The switches. See Note [Whose mode it is].

    Attributes:
        enabled: whether ops are recorded.
        inference: whether recording is off until ``inference_mode`` ends.
        amp: the active automatic mixed precision, or None.
        saved_hooks: the innermost (pack, unpack) pair of ``saved_tensors_hooks``, or None.
        silent: whether events are hidden from observers (graph/events.py).
        traced: whether JAX may differentiate the running code (``autograd.to_jax``), so that code
            that stops gradients must also stop JAX's.
        written: the tensors written since that began, with their values before
            (graph/traced_writes.py); None outside.
        for_inference: whether the running code becomes a program for inference (``jit.save``), in
            which nothing is dropped, whatever ``training`` is.
        capture: the object that sees the tensors a function uses while ``jit.to_static`` makes a
            program of it (jit/capture/capture.py); None outside.
    """

    __slots__ = ()

    enabled = _RecordingSwitch("enabled", True)
    inference = _Switch("inference", False)
    amp = _Switch("amp", None)
    saved_hooks = _Switch("saved_hooks", None)
    silent = _Switch("silent", False)
    traced = _Switch("traced", False)
    written = _Switch("written", None)
    for_inference = _Switch("for_inference", False)
    capture = _Switch("capture", None)


grad_mode = _GradMode()

read_enabled = vars(_GradMode)["enabled"].variable.get
"""``grad_mode.enabled`` as a function, for the code of every call (ops/call)."""

read_silent = vars(_GradMode)["silent"].variable.get
"""``grad_mode.silent`` as a function, for the code of calls that observers see."""

read_saved_hooks = vars(_GradMode)["saved_hooks"].variable.get
"""``grad_mode.saved_hooks`` as a function, for calls that are observed."""

read_traced = vars(_GradMode)["traced"].variable.get
"""``grad_mode.traced`` as a function, for the same."""

read_capture = vars(_GradMode)["capture"].variable.get
"""``grad_mode.capture`` as a function, for the same."""

read_amp = vars(_GradMode)["amp"].variable.get
"""``grad_mode.amp`` as a function, for the same."""


def unrecorded(function: Callable[..., Result], *args: Any) -> Result:
    """Return the result of a function of ops, not recorded.

    It runs in a copy of the context, which is left in C. In contrast, an interrupt at the end of
    ``with no_grad():`` can leave recording off.
    """
    return copy_context().run(_run_unrecorded, function, args)


def _run_unrecorded(function: Callable[..., Result], args: tuple[Any, ...]) -> Result:
    grad_mode.enabled = False
    return function(*args)


def is_grad_enabled() -> bool:
    """Return whether ops are recorded, in this thread and asyncio task.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.is_grad_enabled()
        True
    """
    return grad_mode.enabled


def is_inference_mode_enabled() -> bool:
    """Return whether ``inference_mode`` is active, in this thread and asyncio task.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.is_inference_mode_enabled()
        False
    """
    return grad_mode.inference


class ModeContext:
    """Context manager and decorator that sets switches and restores them at the end."""

    def __init__(self):
        self._before: list[Any] = []

    def _set(self) -> None:
        raise NotImplementedError

    def _fresh(self) -> ModeContext:
        return type(self)()

    def _read(self) -> Any:
        return grad_mode.inference, grad_mode.enabled

    def _put_back(self, before: Any) -> None:
        grad_mode.inference, grad_mode.enabled = before

    def __enter__(self) -> Self:
        self._before.append(self._read())
        self._set()
        return self

    def __exit__(self, *exc_info: object) -> None:
        self._put_back(self._before.pop())

    def __call__(self, func: Callable[Given, Result]) -> Callable[Given, Result]:
        if not callable(func):
            raise InvalidTypeError(
                f"{type(self).__name__} decorates a function or a generator, but got {func!r}."
            )
        if inspect.isgeneratorfunction(func):
            return self._wrap_generator(func)
        if inspect.iscoroutinefunction(func):
            return self._wrap_coroutine(func)
        if inspect.isasyncgenfunction(func):
            return self._wrap_async_generator(func)

        @functools.wraps(func)
        def wrapped(*args: Given.args, **kwargs: Given.kwargs) -> Result:
            with self._fresh():
                return func(*args, **kwargs)

        return wrapped

    def _resume(self, steps: Any) -> Generator[Any, Any, Any]:
        """Run a generator or an awaitable, with the mode set only while its body runs."""
        advance, value = steps.send, None
        while True:
            try:
                with self._fresh():
                    item = advance(value)
            except StopIteration as stop:
                return stop.value
            try:
                advance, value = steps.send, (yield item)
            except GeneratorExit:  # a generator that has ended needs no closing
                with self._fresh():
                    steps.close()
                raise
            except BaseException as error:
                advance, value = steps.throw, error

    def _wrap_generator(self, func: Callable[..., Generator[Any, Any, Any]]) -> Any:
        @functools.wraps(func)
        def wrapped(*args: Any, **kwargs: Any) -> Generator[Any, Any, Any]:
            return (yield from self._resume(func(*args, **kwargs)))

        return wrapped

    def _wrap_coroutine(self, func: Callable[..., Any]) -> Any:
        resume = types.coroutine(self._resume)

        @functools.wraps(func)
        async def wrapped(*args: Any, **kwargs: Any) -> Any:
            return await resume(func(*args, **kwargs))

        return wrapped

    def _wrap_async_generator(self, func: Callable[..., Any]) -> Any:
        resume = types.coroutine(self._resume)

        @functools.wraps(func)
        async def wrapped(*args: Any, **kwargs: Any) -> AsyncGenerator[Any, Any]:
            generator = func(*args, **kwargs)
            step = generator.__anext__()
            try:
                while True:
                    item = await resume(step)
                    try:
                        step = generator.asend((yield item))
                    except GeneratorExit:
                        raise
                    except BaseException as error:
                        step = generator.athrow(error)
            except StopAsyncIteration:
                return
            finally:
                await resume(generator.aclose())

        return wrapped


class _SwitchedOnOff(ModeContext):
    """no_grad and enable_grad: they take no arguments, and decorate with or without ``()``."""

    _wanted = True

    def __new__(  # pyright: ignore[reportInconsistentConstructor]  # __init__ takes no function
        cls, func: Callable[..., Any] | None = None
    ) -> Any:
        context = super().__new__(cls)
        if func is None:
            return context
        context.__init__()
        return context(func)  # the decorated function: __init__ is not run on it

    def _set(self) -> None:
        grad_mode.enabled = self._wanted


class no_grad(_SwitchedOnOff):
    """Turn recording off for a block, a function, a generator or a coroutine.

    Paddle: a decorator must be called there (``@paddle.no_grad()``), here the parentheses may be
    left out. Blocks that wait inside asyncio tasks do not disturb each other here, and decorated
    ``async def`` functions run in the mode; neither holds in Paddle.

    Example:
        >>> import jaxeager as paddle
        >>> x = paddle.to_tensor([1.0], stop_gradient=False)
        >>> with paddle.no_grad():
        ...     y = x * 2
        >>> y.stop_gradient
        True
    """

    _wanted = False


class enable_grad(_SwitchedOnOff):
    """Turn recording on for a block, a function, a generator or a coroutine, also inside no_grad.

    Inside ``inference_mode`` it changes nothing.

    Example:
        >>> import jaxeager as paddle
        >>> with paddle.no_grad(), paddle.enable_grad():
        ...     paddle.is_grad_enabled()
        True
    """

    _wanted = True


class inference_mode(ModeContext):
    """Turn recording off for a block or a function; no code inside can turn it on again.

    Tensors made inside are ordinary tensors that stop gradients: they may be written in place and
    used in recorded ops later. (PyTorch forbids both.)

    Args:
        mode: False leaves inference mode instead, and recording is on; outside of inference mode it
            changes nothing. Or the function to decorate, when the parentheses are left out.

    Raises:
        InvalidTypeError: when mode is neither.

    Paddle: it has no inference_mode.

    Example:
        >>> import jaxeager as paddle
        >>> x = paddle.to_tensor([1.0], stop_gradient=False)
        >>> with paddle.inference_mode(), paddle.enable_grad():
        ...     (x * 2).stop_gradient
        True
    """

    def __new__(cls, mode: Any = True) -> Any:
        context = super().__new__(cls)
        if isinstance(mode, bool) or not callable(mode):
            return context
        context.__init__()
        return context(mode)

    def __init__(self, mode: Any = True):
        super().__init__()
        if not isinstance(mode, bool):
            raise InvalidTypeError(
                "inference_mode takes True, False or the function to decorate, but got "
                f"{type(mode).__name__}."
            )
        self._mode = mode

    def _fresh(self) -> inference_mode:
        return inference_mode(self._mode)

    def _set(self) -> None:
        if self._mode:
            grad_mode.inference, grad_mode.enabled = True, False
        elif grad_mode.inference:
            grad_mode.inference, grad_mode.enabled = False, True


class set_grad_enabled(ModeContext):
    """Set recording to ``mode`` immediately; in a ``with`` it is restored at the end.

    Inside ``inference_mode`` it stays off.

    Example:
        >>> import jaxeager as paddle
        >>> with paddle.set_grad_enabled(False):
        ...     paddle.is_grad_enabled()
        False
    """

    def __init__(self, mode: bool):
        super().__init__()
        self._wanted = bool(mode)
        self._outside = grad_mode.enabled
        grad_mode.enabled = self._wanted

    def _fresh(self) -> set_grad_enabled:
        return set_grad_enabled(self._wanted)

    def __enter__(self) -> Self:
        self._before.append((grad_mode.inference, self._outside))
        self._outside = grad_mode.enabled
        grad_mode.enabled = self._wanted
        return self

    def __call__(self, func: Callable[Given, Result]) -> Callable[Given, Result]:
        grad_mode.enabled = self._outside  # as a decorator it changes nothing until the call
        return super().__call__(func)
