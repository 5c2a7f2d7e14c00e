"""jit: jax.jit for the kernels of this package, with its own settings and checks at tracing.

Note [Tracing of kernels]
    The additions of ``jit`` wrap the rule, which runs only while JAX traces it: the first time for
    operands of some shapes. A call of the compiled kernel pays nothing for them.

    - A user's settings of JAX that make it strict about the *writing* of a program
      (``jax_numpy_rank_promotion``, ``jax_numpy_dtype_promotion``) are for the user's own program;
      the rules here broadcast and promote on purpose.
    - Impossible results are refused: size_limit.py, Note [Sizes that are refused]. The steps
      inside are checked only where the numbers of a call are large enough for such a step.
"""

import contextlib
import functools
from collections.abc import Callable
from typing import Any, TypeVar

import jax
import numpy as np

from jaxeager.core.error_lines import first_line
from jaxeager.core.symbolic import is_symbolic, known_size
from jaxeager.errors import ExternalError, JaxEagerError, NonFiniteError
from jaxeager.kernels import compilations, memory_bound, size_limit
from jaxeager.kernels.executable_data import Jitted
from jaxeager.kernels.executables import Origin, kept, origin_of

_Maker = TypeVar("_Maker", bound=Callable[..., Any])

# Errors of a running kernel: a lack of memory, and the findings of ``jax_debug_nans``.
FAILURES = (jax.errors.JaxRuntimeError, MemoryError, FloatingPointError)

_GREAT_NUMBER = 2**16  # the product of three of them and 2**15 bytes still fits
_GREAT_SIZE = 2**56


def jit(
    rule: Callable[..., object],
    numbers: tuple[object, ...] = (),
    name: str = "",
    *,
    bounded: bool = True,
    origin: Origin | None = None,
    **options: Any,
) -> Jitted:
    """Return the jitted callable of a rule: see Note [Tracing of kernels].

    Args:
        rule: a pure function of arrays and static values.
        numbers: the rule's own static values, a row's attributes.
        name: its name in errors; the rule's own name by default.
        bounded: whether its kernels may be freed (memory_bound.py).
        origin: what the rule is made from, when plain values describe it (executables.py); its
            kernels may then come from files. Kernels of a function of a module of this package may
            anyway.
        options: jax.jit's own.

    The callable has ``origin`` as an attribute, and ``static_argnums``, a tuple in order.
    """
    named = name or getattr(rule, "__name__", type(rule).__name__).strip("_")

    origin = origin or origin_of(rule)
    static = numbers if origin is None else origin.what

    @functools.wraps(rule)
    def traced(*arguments, **given):
        began = compilations.now()
        with plain_settings():
            if _is_great((arguments, given, numbers)):
                _check_steps(named, rule, arguments, given)
            out = rule(*arguments, **given)
        _check_results(named, out)
        compilations.traced(traced.__name__, named, static, (arguments, given), began)
        return out

    on_loaded = functools.partial(_on_loaded, named, static)
    jitted: Jitted
    if bounded:
        jitted = memory_bound.jitted(traced, origin, on_loaded, **options)
    else:
        jitted = jax.jit(traced, **options)
        if origin is not None:
            jitted = kept(jitted, traced, origin, on_loaded, options)
    jitted.origin = origin
    static_argnums = options.get("static_argnums", ())
    is_one = isinstance(static_argnums, int)
    jitted.static_argnums = (static_argnums,) if is_one else tuple(sorted(static_argnums))
    return jitted if wrap_kernel is None else wrap_kernel(jitted, traced, options)


wrap_kernel: Callable[..., Any] | None = None  # set by lazy mode
on_first_wrap: list[Callable[[], None]] = []
"""Functions that drop the kernels made before ``wrap_kernel`` was set."""


def kernel_cache(maxsize: int) -> Callable[[_Maker], _Maker]:
    """Return ``functools.lru_cache`` for a function that makes kernels.

    The first use of lazy mode empties it: what is in it cannot be recorded.
    """

    def cached(make: Any) -> Any:
        made = functools.lru_cache(maxsize)(make)
        on_first_wrap.append(made.cache_clear)
        return made

    return cached


def _on_loaded(name: str, static: tuple, shapes: list) -> Callable:
    """Check the results of a kernel that is loaded; return a callback that notes it once loaded."""
    _check_results(name, shapes)
    return compilations.loading(name, static)


@contextlib.contextmanager
def plain_settings():
    """Undo a user's settings that make JAX strict about how a program is written."""
    with jax.numpy_rank_promotion("allow"), jax.numpy_dtype_promotion("standard"):
        yield


def _is_great(values) -> bool:
    """Return whether a rule may have a step too large to count, judged by the numbers of its call.

    Either a given number is large, and may be an exponent, or two operands together are.
    """
    first = second = 1
    for leaf in jax.tree.leaves(values):
        if isinstance(leaf, (jax.Array, np.ndarray)):
            second, first = sorted((first, second, known_size(leaf.shape)))[1:]
        elif isinstance(leaf, (int, np.integer)) and abs(int(leaf)) >= _GREAT_NUMBER:
            return True
    return first * second >= _GREAT_SIZE


def _check_steps(name: str, rule: Callable, arguments: tuple, given: dict) -> None:
    """Refuse a rule with a step whose bytes do not fit into 64 bits: XLA would abort."""
    leaves, tree = jax.tree.flatten((arguments, given))
    places = [i for i, leaf in enumerate(leaves) if isinstance(leaf, jax.Array)]

    def of_arrays(*arrays):
        merged = list(leaves)  # a copy, so that no tracer is kept
        for place, array in zip(places, arrays, strict=True):
            merged[place] = array
        arguments, given = jax.tree.unflatten(tree, merged)
        return rule(*arguments, **given)

    with jax.disable_jit(False):
        program = jax.make_jaxpr(of_arrays)(*[leaves[place] for place in places])
    _check_results(name, program.out_avals)
    waiting = [program.jaxpr]
    while waiting:
        for step in waiting.pop().eqns:
            for variable in step.outvars:
                _check_countable(name, variable.aval)
            waiting += [each for value in step.params.values() for each in _programs(value)]


def _programs(value) -> list:
    """Return the jaxprs in a parameter of a step: bodies of loops, branches, functions."""
    if isinstance(value, (tuple, list)):
        return [each for item in value for each in _programs(item)]
    value = getattr(value, "jaxpr", value)
    return [value] if hasattr(value, "eqns") else []


def _check_countable(name: str, aval) -> None:
    """Refuse an array that XLA cannot count: it also multiplies the sizes next to a 0."""
    if hasattr(aval, "shape"):
        sizes = [max(size, 1) for size in aval.shape if not is_symbolic(size)]
        if size_limit.bytes_of(sizes, aval.dtype) > size_limit.LARGEST // 2:
            raise size_limit.too_big_inside(name, aval.shape, aval.dtype)


def _check_results(name: str, out) -> None:
    """Refuse results that take more memory than there is."""
    leaves = jax.tree.leaves(out)
    sizes = [size_limit.bytes_of(leaf.shape, leaf.dtype) for leaf in leaves]
    if sum(sizes) > size_limit.available_bytes():
        largest = leaves[sizes.index(max(sizes))]
        raise size_limit.too_big(name, largest.shape, largest.dtype, sum(sizes))
    for leaf in leaves:
        _check_countable(name, leaf)


def explained(name: str) -> Callable[[_Maker], _Maker]:
    """Convert errors in FAILURES that leave a function to errors of this package; a decorator.

    Args:
        name: the name of the failed action in these errors.
    """

    def register(function: Any) -> Any:
        @functools.wraps(function)
        def run(*arguments, **given):
            try:
                return function(*arguments, **given)
            except JaxEagerError:
                raise
            except FAILURES as error:
                raise failure(name, error) from error

        return run

    return register


def failure(name: str, error: Exception) -> JaxEagerError:
    """Return the error to raise for one of FAILURES that a kernel has raised.

    Args:
        name: the op.
        error: the raised error, not an error of this package.
    """
    if isinstance(error, FloatingPointError):
        return NonFiniteError(
            f"{name}: {first_line(error).rstrip('.')}. JAX's own jax_debug_nans or "
            "jax_debug_infs is on; with both off, FLAGS_check_nan_inf finds the first such op."
        )
    if size_limit.is_out_of_memory(error):
        return size_limit.ran_out(name, error)
    return ExternalError(f"{name}: {first_and_last(error)}")


def first_and_last(error: Exception) -> str:
    """Return the first and the last line of XLA's message, without the stack in between.

    The last line is that of a failed Python callback.
    """
    lines = [line for line in str(error).splitlines() if line.strip()]
    return lines[0] + (f" ... {lines[-1]}" if len(lines) > 1 else "") if lines else "no message"
