"""to_jax: a function on Tensors as a pure JAX function.

Note [Traced functions]
    Under ``to_jax`` the same ops run the same kernels. Their arrays are those that JAX passes,
    often tracers, and JAX differentiates them. Nothing is recorded, because the arguments are
    Tensors that stop gradients; a function may use its own tape (``x.stop_gradient = False`` and
    ``paddle.grad``), through which JAX can differentiate. Operations that stop gradients on the
    tape must stop them in JAX too: ``detach()``, setting ``stop_gradient`` to True, ``to_tensor``
    of a Tensor, and ops under ``no_grad`` call ``jax.lax.stop_gradient`` while ``grad_mode.traced``
    is on. A PyLayer becomes a ``jax.custom_vjp`` of its forward and backward
    (autograd/py_layer_traced.py).
"""

import contextlib
from collections.abc import Callable

import jax
import jax.numpy as jnp
import numpy as np

from jaxeager.arrays import random
from jaxeager.errors import InvalidTypeError, PreconditionNotMetError
from jaxeager.graph.mode import grad_mode
from jaxeager.graph.traced_writes import take_back, writes_noted
from jaxeager.ops.call import dispatch, wrapping
from jaxeager.ops.call.observers import unwatch, watch


def to_jax(fn: Callable | None = None, *, takes_key: bool = False) -> Callable:
    """Return a pure JAX function that computes the same as a function on Tensors.

    It takes and returns arrays, in any nesting of lists, tuples and dicts, and can be given to
    ``jax.jit``, ``jax.vmap``, ``jax.grad``, ``jax.jvp`` and other transformations. Tensors may be
    passed instead of arrays, a dict of parameters for example: JAX sees the array in each. Inside,
    all arrays are Tensors that stop gradients, and in-place writes, ``detach``, ``no_grad`` and
    PyLayers have their usual meaning.

    Derivatives are JAX's own, of the kernels. They agree with ``backward()`` except where a
    derivative is a matter of choice (``relu`` at 0, ``abs`` at 0), and complex ones are conjugated.
    Tensors that the function does not take as arguments, such as the parameters of a Layer, are
    constants; writing into one is an error. Random ops draw when JAX traces the function: a jitted
    one draws the same numbers in each run, unless it takes a key.

    Can be used as a decorator.

    Args:
        fn: a function of Tensors, such as a Layer. It must not read the values (``numpy()``,
            ``item()``, ``if x > 0``) of its results: JAX raises an error when it traces that.
        takes_key: whether the returned function takes, as its first argument, a ``jax.random.key``
            from which its random ops draw.

    Returns:
        the function on arrays.

    Raises:
        InvalidTypeError: for a value that is not a function.
        PreconditionNotMetError: from a call that JAX traces, when the function wrote into a tensor
            from outside, such as running statistics; the tensor then has its old value.

    Example:
        >>> import jax
        >>> import jax.numpy as jnp
        >>> import jaxeager as paddle
        >>> def loss(w, x):
        ...     return paddle.nn.functional.relu(x @ w["w"] + w["b"]).sum()
        >>> pure = paddle.autograd.to_jax(loss)
        >>> w = {"w": jnp.ones([3, 2]), "b": jnp.zeros([2])}
        >>> gradients = jax.jit(jax.grad(pure))(w, jnp.ones([4, 3]))
        >>> gradients["b"].tolist()
        [4.0, 4.0]
    """
    if fn is None:
        return lambda function: to_jax(function, takes_key=takes_key)
    if not callable(fn):
        raise InvalidTypeError(f"to_jax takes a function, but got {type(fn).__name__}.")

    def run(args, kwargs):
        args, kwargs = jax.tree.map(_as_tensor, (args, kwargs), is_leaf=_is_tensor)
        return jax.tree.map(dispatch.raw, fn(*args, **kwargs), is_leaf=_is_tensor)

    def pure(*args, **kwargs):
        with traced() as written:
            found = run(args, kwargs)
        _check_written(written, made.__name__)
        return found

    def pure_with_key(key, *args, **kwargs):
        with random.drawing_from(key):
            return pure(*args, **kwargs)

    made = pure_with_key if takes_key else pure
    made.__name__ = made.__qualname__ = getattr(fn, "__name__", type(fn).__name__)
    made.__doc__ = fn.__doc__
    if not takes_key and hasattr(fn, "__code__"):
        made.__wrapped__ = fn  # type: ignore[attr-defined]  # jax.jit reads parameter names there
    return made


def _is_tensor(value) -> bool:
    return isinstance(value, wrapping.Tensor)


def _as_tensor(value):
    """Return a new Tensor of an array; random keys and values that are not arrays as they are."""
    if _is_tensor(value):
        return dispatch.wrap(value._array)
    if isinstance(value, np.ndarray):
        return dispatch.wrap(jnp.asarray(value))
    if isinstance(value, jax.Array) and not jnp.issubdtype(value.dtype, jax.dtypes.prng_key):
        return dispatch.wrap(value)
    return value


@contextlib.contextmanager
def traced():
    """Make operations that stop gradients stop JAX's too, and note writes.

    See Note [Traced functions].

    Yields:
        the dict that ``graph.traced_writes.note_write`` fills.
    """
    before = grad_mode.traced
    grad_mode.traced = True
    watch("to_jax")
    try:
        with writes_noted() as written:
            yield written
    finally:
        unwatch("to_jax")
        grad_mode.traced = before


def _check_written(written: dict, name: str) -> None:
    """Raise when a function wrote a tracer into a tensor that outlives the trace."""
    kept = take_back(written)
    if kept:
        texts = [f"{t.name} of shape {list(t.shape)}" for t in kept]
        raise PreconditionNotMetError(
            f"{name}() writes into {', '.join(texts)}, which it did not create: values that "
            "JAX traces cannot be kept there. Take the tensor as an argument and return its new "
            "value; call eval() on a layer with running statistics first."
        )
