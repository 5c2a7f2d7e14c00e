"""Update rules: pure functions from arrays to arrays, one per optimizer.

Each rule reads ``(param, grad, slots, powers, rate, hyper)`` and returns ``(param, slots)``:
``slots`` are the accumulators shaped like the parameter, in the order the rule names them;
``powers`` are running powers of the betas, shared by all parameters that began together (see
Note [Shared powers] in optimizer.py); ``rate`` is the learning rate, in the dtype of ``param``.
Numbers are rounded as Paddle's kernels round them: to the dtype the rule works in, and first to
float32 where Paddle's attribute is a float.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

import jax.numpy as jnp
import numpy as np


class Rule(NamedTuple):
    """One way to update parameters.

    Attributes:
        name: how Paddle calls it.
        update: the pure function described above.
        slots: names of the accumulators shaped like the parameter.
        powers: names of the accumulated powers, for ``advance``.
        advance: (powers, hyper) to the powers of the next step.
    """

    name: str
    update: Callable
    slots: tuple[str, ...] = ()
    powers: tuple[str, ...] = ()
    advance: Callable | None = None


class NoHyper(NamedTuple):
    """SGD has no numbers but the learning rate."""


class MomentumHyper(NamedTuple):
    """Numbers of the momentum rule; ``decay`` is an L2 coefficient that is part of the rule."""

    momentum: float
    use_nesterov: bool
    rescale_grad: float
    decay: float


class AdamHyper(NamedTuple):
    """Numbers of the Adam and AdamW rules; ``decay`` and ``rate_ratio`` are AdamW's."""

    beta1: float
    beta2: float
    epsilon: float
    amsgrad: bool
    decay: float = 0.0
    rate_ratio: float = 1.0


def _in(dtype, value: Any):
    """Returns a number in the dtype a rule works in, so that nothing widens."""
    return np.dtype(dtype).type(value)


def _in_float32(dtype, value: float):
    """As ``_in``, rounded to float32 on the way, as an attribute of a Paddle kernel is."""
    return _in(dtype, np.float32(value))


def sgd(param, grad, slots, powers, rate, hyper: NoHyper) -> tuple[Any, tuple]:
    """param - rate * grad."""
    return param - rate * grad, ()


def momentum(param, grad, slots, powers, rate, hyper: MomentumHyper) -> tuple[Any, tuple]:
    """velocity = momentum * velocity + grad; param - rate * velocity (or Nesterov's look ahead)."""
    factor = _in_float32(param.dtype, hyper.momentum)
    if hyper.rescale_grad != 1.0:
        grad = grad * _in_float32(param.dtype, hyper.rescale_grad)
    if hyper.decay:
        grad = grad + _in_float32(param.dtype, hyper.decay) * param
    velocity = factor * slots[0] + grad
    direction = grad + factor * velocity if hyper.use_nesterov else velocity
    return param - rate * direction, (velocity,)


def adam(param, grad, slots, powers, rate, hyper: AdamHyper) -> tuple[Any, tuple]:
    """Adam, or AMSGrad when there is a third slot: the greatest second moment so far."""
    dtype = param.dtype
    one = _in(dtype, 1.0)
    beta1, beta2 = _in(dtype, hyper.beta1), _in(dtype, hyper.beta2)
    power1, power2 = (power.reshape(()).astype(dtype) for power in powers)
    moment1 = beta1 * slots[0] + (one - beta1) * grad
    moment2 = beta2 * slots[1] + (one - beta2) * grad * grad
    updated = (moment1, moment2)
    if hyper.amsgrad:
        updated = (moment1, moment2, jnp.maximum(moment2, slots[2]))
    correction = jnp.sqrt(one - power2)
    rate = rate * (correction / (one - power1))
    scale = jnp.sqrt(updated[-1]) + _in(dtype, hyper.epsilon) * correction
    return param - rate * (moment1 / scale), updated


def adamw(param, grad, slots, powers, rate, hyper: AdamHyper) -> tuple[Any, tuple]:
    """Adam after the parameter itself has shrunk by ``rate * decay``."""
    if hyper.rate_ratio != 1.0:
        rate = rate * _in_float32(param.dtype, hyper.rate_ratio)
    if hyper.decay:
        param = param * (_in(param.dtype, 1.0) - rate * _in_float32(param.dtype, hyper.decay))
    return adam(param, grad, slots, powers, rate, hyper)


def advance_powers(powers, hyper: AdamHyper) -> tuple:
    """Returns the powers of the betas for the next step."""
    betas = (hyper.beta1, hyper.beta2)
    return tuple(power * _in(power.dtype, beta) for power, beta in zip(powers, betas, strict=True))


_POWERS = ("beta1_pow_acc", "beta2_pow_acc")
_MOMENTS = ("moment1", "moment2")
_MOMENTS_MAX = (*_MOMENTS, "moment2_max")

SGD = Rule("sgd", sgd)
MOMENTUM = Rule("momentum", momentum, ("velocity",))
ADAM = Rule("adam", adam, _MOMENTS, _POWERS, advance_powers)
ADAM_AMSGRAD = Rule("adam", adam, _MOMENTS_MAX, _POWERS, advance_powers)
ADAMW = Rule("adamw", adamw, _MOMENTS, _POWERS, advance_powers)
ADAMW_AMSGRAD = Rule("adamw", adamw, _MOMENTS_MAX, _POWERS, advance_powers)
