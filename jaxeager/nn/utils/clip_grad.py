"""clip_grad_norm_ and clip_grad_value_, which clip the gradients of parameters in place."""

import math
from collections.abc import Callable, Iterable, Iterator

import jax.numpy as jnp
import numpy as np

from jaxeager.arrays.as_array import on_device, on_one_device
from jaxeager.errors import InvalidArgumentError, PreconditionNotMetError
from jaxeager.graph.views.atomic_writes import write_arrays
from jaxeager.kernels.tracing import jit, kernel_cache
from jaxeager.ops.rules.cpu_reductions import reduces_on_cpu
from jaxeager.ops.rules.subnormals import is_nonzero, unless_fit
from jaxeager.ops.rules.wide_sums import adds_in_float32
from jaxeager.tensor import Tensor


def clip_grad_norm_(
    parameters: Iterable[Tensor] | Tensor,
    max_norm: float,
    norm_type: float = 2.0,
    error_if_nonfinite: bool = False,
) -> Tensor:
    """Scale the gradients so that their total norm is at most ``max_norm``; return that norm.

    Makes one XLA call over all gradients; waits for the device only if ``error_if_nonfinite``.

    Args:
        parameters: a tensor or several; those without a gradient are left out.
        max_norm: the largest norm allowed.
        norm_type: 0, 1, 2 or inf.
        error_if_nonfinite: raise if the norm is NaN or infinite.

    Returns:
        The norm before clipping, float[].

    Raises:
        InvalidArgumentError: for any other ``norm_type``, or gradients on several devices.
        PreconditionNotMetError: if ``error_if_nonfinite`` and the norm is not finite.

    Example:
        >>> import jaxeager as paddle
        >>> w = paddle.nn.Parameter(paddle.to_tensor([1.0, 1.0]))
        >>> (w * paddle.to_tensor([3.0, 4.0])).sum().backward()
        >>> paddle.nn.utils.clip_grad_norm_(w, max_norm=1.0).item()
        5.0
        >>> [round(v, 3) for v in w.grad.tolist()]
        [0.6, 0.8]
    """
    if norm_type not in (0, 1, 2, math.inf):
        raise InvalidArgumentError(f"norm_type only support [inf, 0, 1, 2], but is {norm_type!r}.")
    grads = _gradients(parameters)
    if not grads:
        return Tensor.from_array(jnp.zeros([], jnp.float32))
    arrays = [grad._whole for grad in grads]
    with on_one_device("clip_grad_norm_", _named(grads)):
        limit = on_device(np.asarray(float(max_norm)))
        norm, clipped = _by_norm(float(norm_type))(arrays, limit)
    if error_if_nonfinite and not np.isfinite(np.asarray(norm)):
        raise PreconditionNotMetError(
            f"The total norm of {norm_type} order of the gradients from `parameters` is "
            "non-finite, so it cannot be clipped. In any case, disable this error and scale the "
            "gradient by non-finite norm, set `error_if_nonfinite=False`."
        )
    _write(grads, clipped)
    return Tensor.from_array(norm)


def clip_grad_value_(parameters: Iterable[Tensor] | Tensor, clip_value: float) -> None:
    """Clip every element of the gradients to [-clip_value, clip_value].

    Args:
        parameters: a tensor or several; those without a gradient are left out.
        clip_value: the bound, not negative.

    Raises:
        InvalidArgumentError: if ``clip_value`` is negative, or gradients are on several devices.

    Example:
        >>> import jaxeager as paddle
        >>> w = paddle.nn.Parameter(paddle.to_tensor([1.0, 1.0]))
        >>> (w * paddle.to_tensor([3.0, -0.25])).sum().backward()
        >>> paddle.nn.utils.clip_grad_value_(w, 0.5)
        >>> w.grad.tolist()
        [0.5, -0.25]
    """
    clip_value = float(clip_value)
    if clip_value < 0:
        raise InvalidArgumentError(
            f"clip_value must not be negative, but is {clip_value}: max should be greater than or "
            "equal to min."
        )
    grads = _gradients(parameters)
    if grads:
        with on_one_device("clip_grad_value_", _named(grads)):
            clipped = _by_value([grad._whole for grad in grads], on_device(np.asarray(clip_value)))
        _write(grads, clipped)


def _gradients(parameters: Iterable[Tensor] | Tensor) -> list[Tensor]:
    parameters = [parameters] if isinstance(parameters, Tensor) else parameters
    return [param.grad for param in parameters if param.grad is not None]


def _named(grads: list[Tensor]) -> Iterator[tuple]:
    return ((f"gradient {index}", grad._whole) for index, grad in enumerate(grads))


def _write(grads: list[Tensor], arrays: list) -> None:
    """Write in place, so that every reference to a gradient sees it clipped."""
    write_arrays(grads, arrays, moves_version=True)


@kernel_cache(maxsize=4)
def _by_norm(order: float) -> Callable:
    """Return the jitted function (gradients, limit) -> (norm, clipped gradients) of one norm."""

    def clip(grads, limit):
        norm = _common_norm(grads, order)
        scale = jnp.minimum(limit.astype(norm.dtype) / (norm + jnp.asarray(1e-6, norm.dtype)), 1)
        return norm, [grad * scale.astype(grad.dtype) for grad in grads]

    return jit(reduces_on_cpu(adds_in_float32(clip)))


def _common_norm(grads, order: float):
    norms = jnp.stack([_norm(grad.reshape(-1), order) for grad in grads])
    if order != 2:
        return _norm(norms, order)

    def exact(*grads):
        largest = jnp.max(jnp.stack([jnp.max(jnp.abs(grad), initial=0) for grad in grads]))
        scale = jnp.where((largest > 0) & (largest < jnp.inf), largest, 1)
        scaled = jnp.stack([_norm((grad / scale).reshape(-1), order) for grad in grads])
        return _norm(scaled, order) * scale

    return unless_fit(jnp.sum(norms * norms), jnp.sqrt, exact, *grads)


def _norm(flat, order: float):
    if order == 0:
        return jnp.sum(is_nonzero(flat)).astype(flat.dtype)
    return jnp.linalg.norm(flat, ord=order)


@jit
def _by_value(grads, limit):
    return [jnp.clip(grad, -limit.astype(grad.dtype), limit.astype(grad.dtype)) for grad in grads]
