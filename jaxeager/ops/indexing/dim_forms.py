"""gather and scatter with a dimension as the second argument: one element per index.

``gather(x, dim, index)`` is ``take_along_axis`` and ``scatter(x, dim, index, src)`` is
``put_along_axis``, without broadcasting. ``with_dim`` makes the functions in Paddle's own argument
order accept these calls too: an int as the second argument, or a ``dim``, identifies them.
"""

import functools
from collections.abc import Callable

from jaxeager.errors import InvalidTypeError
from jaxeager.ops.call.keywords import compute_into
from jaxeager.ops.register import METHODS, PUBLIC


def with_dim(elements: Callable) -> Callable:
    """Decorate a function to call another one if its second argument is a dimension.

    Args:
        elements: ``(input, dim, index, ...)``.
    """

    def register(function):
        @functools.wraps(function)
        def call(*arguments, **given):
            if "dim" in given or (len(arguments) > 1 and type(arguments[1]) is int):
                return elements(*arguments, **given)
            return function(*arguments, **given)

        return call

    return register


def gather_elements(input, dim, index, *, out=None):
    """Return one element of ``input`` per index along a dimension."""
    take = PUBLIC["take_along_axis"]
    if out is not None:
        return compute_into(out, lambda: take(input, index, dim, False))
    return take(input, index, dim, False)


def scatter_elements(input, dim, index, src=None, reduce=None, *, value=None, out=None):
    """Return ``input`` with one element per index along a dimension written or combined."""
    put, source = PUBLIC["put_along_axis"], _source(src, value)
    reduce = reduce or "assign"
    if out is not None:
        return compute_into(out, lambda: put(input, index, source, dim, reduce, True, False))
    return put(input, index, source, dim, reduce, True, False)


def scatter_elements_(input, dim, index, src=None, reduce=None, *, value=None):
    """Write or combine one element per index along a dimension, in place."""
    put, source = METHODS["put_along_axis_"], _source(src, value)
    return put(input, index, source, dim, reduce or "assign", True, False)


def _source(src, value):
    if (src is None) == (value is None):
        raise InvalidTypeError("scatter: takes either src or value, and not both.")
    return value if src is None else src
