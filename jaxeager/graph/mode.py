"""Whether ops are recorded: one switch per thread, and the contexts that turn it."""

import functools
import inspect
import threading


class _GradMode(threading.local):
    """The switch; a new thread starts with recording on."""

    enabled = True


grad_mode = _GradMode()


def is_grad_enabled() -> bool:
    """Says whether ops of this thread are recorded.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.is_grad_enabled()
        True
    """
    return grad_mode.enabled


class _ModeContext:
    """Context manager and decorator that sets the switch and puts back what was there."""

    _wanted = True

    def __init__(self):
        self._before = []

    def __enter__(self):
        self._before.append(grad_mode.enabled)
        grad_mode.enabled = self._wanted
        return self

    def __exit__(self, *exc_info) -> None:
        grad_mode.enabled = self._before.pop()

    def _fresh(self) -> "_ModeContext":
        return type(self)()

    def __call__(self, func):
        if inspect.isgeneratorfunction(func):
            return self._wrap_generator(func)

        @functools.wraps(func)
        def wrapped(*args, **kwargs):
            with self._fresh():
                return func(*args, **kwargs)

        return wrapped

    def _wrap_generator(self, func):
        """Sets the mode only while the generator's own body runs."""

        @functools.wraps(func)
        def wrapped(*args, **kwargs):
            generator = func(*args, **kwargs)
            send, value = generator.send, None
            try:
                while True:
                    with self._fresh():
                        item = send(value)
                    try:
                        send, value = generator.send, (yield item)
                    except GeneratorExit:
                        raise
                    except BaseException as error:
                        send, value = generator.throw, error
            except StopIteration as stop:
                return stop.value
            finally:
                generator.close()

        return wrapped


class no_grad(_ModeContext):
    """Turns recording off for a block, a function or a generator.

    Example:
        >>> import jaxeager as paddle
        >>> x = paddle.to_tensor([1.0], stop_gradient=False)
        >>> with paddle.no_grad():
        ...     y = x * 2
        >>> y.stop_gradient
        True
    """

    _wanted = False


class enable_grad(_ModeContext):
    """Turns recording on for a block, a function or a generator, also inside no_grad.

    Example:
        >>> import jaxeager as paddle
        >>> with paddle.no_grad(), paddle.enable_grad():
        ...     paddle.is_grad_enabled()
        True
    """

    _wanted = True


class set_grad_enabled(_ModeContext):
    """Sets recording to ``mode`` at once; used in a ``with`` it is put back at the end.

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

    def _fresh(self) -> "set_grad_enabled":
        return set_grad_enabled(self._wanted)

    def __enter__(self):
        self._before.append(self._outside)
        self._outside = grad_mode.enabled
        grad_mode.enabled = self._wanted
        return self

    def __call__(self, func):
        grad_mode.enabled = self._outside  # as a decorator it changes nothing until the call
        return super().__call__(func)
