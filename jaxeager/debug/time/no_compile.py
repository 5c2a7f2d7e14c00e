"""no_compile: raises when a program needs a kernel that does not exist yet."""

import contextlib
import threading
from collections.abc import Iterator

from jaxeager.debug.common.first_rows import first_texts
from jaxeager.errors import PreconditionNotMetError
from jaxeager.kernels import compilations, executables


@contextlib.contextmanager
def no_compile(loaded: bool = False) -> Iterator[None]:
    """Raise in a block when this thread needs a kernel that does not exist yet.

    The error names the call, its operands and their difference from those of the previous kernel,
    and is raised at the line of the program. Put it around the steps after the first ones: a
    training loop whose shapes repeat compiles nothing there.

    In lazy mode it also raises for the executable of a new segment, at the segment's fourth run.

    Args:
        loaded: allow kernels to be loaded from the files of an earlier run. By default these are
            refused too, so that the result does not depend on earlier runs.

    Raises:
        PreconditionNotMetError: in the block, by the call. A kernel of this package exists
            afterwards; a function of ``jax.jit`` is compiled again by its next call.

    Paddle: has no such function; its kernels work for any shape.

    Example:
        >>> import jaxeager as paddle
        >>> x = paddle.ones([3, 41])
        >>> y = x.tanh()
        >>> with paddle.debug.no_compile():
        ...     y = x.tanh()  # as before
        ...     y = x[:2].tanh()
        Traceback (most recent call last):
            ...
        jaxeager.errors.PreconditionNotMetError: (PreconditionNotMet) no_compile: ...
    """
    thread = threading.get_ident()

    def refuse(noted: compilations.Noted) -> None:
        if threading.get_ident() != thread or (loaded and noted.source == "loaded"):
            return
        raise PreconditionNotMetError(_message(noted))

    compilations.on_noted(refuse)
    try:
        yield
    finally:
        compilations.unlisten(refuse)
        executables.accept_refused()


_MOST_STATIC = 8  # values that a message shows; a segment of lazy mode has many
_SOURCES = {
    "loaded": "read from a file",
    "cached": "traced, its code from JAX's cache",
    "quick": "compiled",
    "full": "compiled",
}


def _message(noted: compilations.Noted) -> str:
    place = noted.site.place
    where = f" at {place.file}:{place.line}" if place.file else ""
    given = ""
    if noted.shapes is not None:
        each = [f"{dtype}{list(shape)}" for shape, dtype in noted.shapes.operands]
        given = f" for ({', '.join(each)})" if each else ""
        if noted.shapes.static:
            static = list(map(repr, noted.shapes.static))
            given += f" with static values {first_texts(static, _MOST_STATIC)}"
    return (
        f"no_compile: {noted.site.name}{where} needed a kernel{given}, which was "
        f"{_SOURCES[noted.source]} in {noted.seconds:.3f} s. Against the one before: "
        f"{noted.cause()}. Run each shape once before the block, or keep shapes equal "
        "(pad, paddle.io.BucketBatchSampler); print(paddle.debug.compilations()) lists all."
    )
