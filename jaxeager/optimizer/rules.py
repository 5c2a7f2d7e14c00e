"""Update rules: pure functions from arrays to arrays, one per optimizer.

Each rule takes ``(param, grad, slots, powers, rate, hyper)`` and returns ``(param, slots)``:
``slots`` are the accumulators shaped like the parameter, in the order of the rule's names;
``powers`` are running powers of the betas and counts of steps, shared by all parameters that began
together (see Note [Shared powers] in state.py); ``rate`` is the learning rate, in the dtype of
``param``. Numbers are rounded as in Paddle's kernels: to the dtype of the rule's computation, and
first to float32 where Paddle's attribute is a float. The rules of the less common optimizers are in
the files of their classes.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple

import jax.numpy as jnp
import numpy as np

if TYPE_CHECKING:
    import jax

PARAMETER = "parameter"  # as an initial value: the parameter's own
DENSE = "dense"  # for a gradient of some rows: the others are zeros


def zeros(hyper: object) -> dict:
    """Return the initial values of a rule whose accumulators all begin at 0."""
    return {}


class Rule(NamedTuple):
    """One way to update parameters.

    Attributes:
        name: Paddle's name.
        update: the pure function described above.
        slots: names of the accumulators shaped like the parameter.
        powers: names of the accumulated powers, for ``advance``.
        advance: (powers, hyper) to the powers of the next step.
        first: hyper to the initial values of the accumulators that do not begin at 0: a number; an
            array, for a slot that holds a block shaped like the parameter per element; PARAMETER.
        spreads_powers: in a state dict the powers come first and are shaped like the parameter, as
            in Paddle.
        counts: the powers are int64 counts.
        of_rows: the use of a gradient of some rows (graph/rows.py): DENSE; a function like
            ``update`` that also takes bool[n], the present rows; None: it is refused.
        leaves_others: hyper to whether the parameter and the accumulators of rows that are not in
            such a gradient stay unchanged, so that the update runs on its rows alone; None: never.
    """

    name: str
    update: Callable
    slots: tuple[str, ...] = ()
    powers: tuple[str, ...] = ()
    advance: Callable | None = None
    first: Callable[[Any], dict] = zeros
    spreads_powers: bool = False
    counts: bool = False
    of_rows: Callable | str | None = None
    leaves_others: Callable[[Any], bool] | None = None


class NoHyper(NamedTuple):
    """The parameters of a rule that has none but the learning rate."""


class MomentumHyper(NamedTuple):
    """Parameters of the momentum rule; ``decay`` is an L2 coefficient that is part of the rule."""

    momentum: float
    use_nesterov: bool
    rescale_grad: float
    decay: float


class AdamHyper(NamedTuple):
    """Parameters of the Adam and AdamW rules; ``decay`` and ``rate_ratio`` are AdamW's.

    ``lazy`` is Adam's, for gradients of some rows.
    """

    beta1: float
    beta2: float
    epsilon: float
    amsgrad: bool
    decay: float = 0.0
    rate_ratio: float = 1.0
    lazy: bool = False


def number_in(dtype, value: float | np.floating):
    """Return a number in the dtype of a rule's computation, so that nothing is promoted."""
    return np.dtype(dtype).type(value)


def attribute_in(dtype, value: float | np.floating):
    """Return ``number_in``, rounded to float32 first, like an attribute of a Paddle kernel."""
    return number_in(dtype, np.float32(value))


def unwritten(param, grad, slots, powers, rate, hyper) -> tuple[jax.Array, tuple]:
    """Raise an error: the class itself defines its update, see custom.py."""
    raise NotImplementedError


def always(hyper: object) -> bool:
    """Return True: a gradient of zeros changes nothing."""
    return True


def when_lazy(hyper: AdamHyper) -> bool:
    """Return whether Adam is lazy."""
    return hyper.lazy


def sgd(param, grad, slots, powers, rate, hyper: NoHyper) -> tuple[jax.Array, tuple]:
    """Compute param - rate * grad."""
    return param - rate * grad, ()


def momentum(param, grad, slots, powers, rate, hyper: MomentumHyper) -> tuple[jax.Array, tuple]:
    """Compute velocity = momentum * velocity + grad; param - rate * velocity (or Nesterov's)."""
    factor = attribute_in(param.dtype, hyper.momentum)
    if hyper.rescale_grad != 1.0:
        grad = grad * attribute_in(param.dtype, hyper.rescale_grad)
    if hyper.decay:
        grad = grad + attribute_in(param.dtype, hyper.decay) * param
    velocity = factor * slots[0] + grad
    direction = grad + factor * velocity if hyper.use_nesterov else velocity
    return param - rate * direction, (velocity,)


def adam(param, grad, slots, powers, rate, hyper: AdamHyper) -> tuple[jax.Array, tuple]:
    """Compute Adam, or AMSGrad with a third slot: the largest second moment so far."""
    dtype = param.dtype
    one = number_in(dtype, 1.0)
    beta1, beta2 = number_in(dtype, hyper.beta1), number_in(dtype, hyper.beta2)
    power1, power2 = (power.reshape(()).astype(dtype) for power in powers)
    moment1 = beta1 * slots[0] + (one - beta1) * grad
    moment2 = beta2 * slots[1] + (one - beta2) * grad * grad
    updated = (moment1, moment2)
    if hyper.amsgrad:
        updated = (moment1, moment2, jnp.maximum(moment2, slots[2]))
    correction = jnp.sqrt(one - power2)
    rate = rate * (correction / (one - power1))
    scale = jnp.sqrt(updated[-1]) + number_in(dtype, hyper.epsilon) * correction
    return param - rate * (moment1 / scale), updated


def adam_of_rows(
    param, grad, slots, powers, rate, hyper: AdamHyper, present
) -> tuple[jax.Array, tuple]:
    """Compute Adam for a gradient of some rows; a lazy one changes no other rows and moments.

    This is Paddle's kernel for a CPU: the powers are those of the next step, and epsilon is outside
    of the correction.
    """
    dtype = param.dtype
    one = number_in(dtype, 1.0)
    beta1, beta2 = number_in(dtype, hyper.beta1), number_in(dtype, hyper.beta2)
    power1, power2 = (power.reshape(()).astype(dtype) for power in powers)
    moment1 = beta1 * slots[0] + (one - beta1) * grad
    moment2 = beta2 * slots[1] + (one - beta2) * grad * grad
    updated = (moment1, moment2)
    if hyper.amsgrad:
        updated = (moment1, moment2, jnp.maximum(moment2, slots[2]))
    rate = rate * (jnp.sqrt(one - power2 * beta2) / (one - power1 * beta1))
    moved = param - rate * (moment1 / (jnp.sqrt(updated[-1]) + number_in(dtype, hyper.epsilon)))
    if not hyper.lazy:
        return moved, updated
    present = present.reshape(-1, *[1] * (param.ndim - 1))
    kept = [jnp.where(present, new, old) for new, old in zip(updated, slots, strict=True)]
    return jnp.where(present, moved, param), tuple(kept)


def adamw(param, grad, slots, powers, rate, hyper: AdamHyper) -> tuple[jax.Array, tuple]:
    """Compute Adam after the parameter itself has shrunk by ``rate * decay``."""
    if hyper.rate_ratio != 1.0:
        rate = rate * attribute_in(param.dtype, hyper.rate_ratio)
    if hyper.decay:
        param = param * (
            number_in(param.dtype, 1.0) - rate * attribute_in(param.dtype, hyper.decay)
        )
    return adam(param, grad, slots, powers, rate, hyper)


def first_powers(hyper: AdamHyper) -> dict:
    """Return the first powers of the betas: the betas themselves."""
    return {"beta1_pow_acc": hyper.beta1, "beta2_pow_acc": hyper.beta2}


def advance_powers(powers, hyper: AdamHyper) -> tuple:
    """Return the powers of the betas for the next step."""
    betas = (hyper.beta1, hyper.beta2)
    return tuple(
        power * number_in(power.dtype, beta) for power, beta in zip(powers, betas, strict=True)
    )


POWERS = ("beta1_pow_acc", "beta2_pow_acc")
MOMENTS = ("moment1", "moment2")
MOMENTS_MAX = (*MOMENTS, "moment2_max")

UNWRITTEN = Rule("", unwritten)
SGD = Rule("sgd", sgd, of_rows=DENSE, leaves_others=always)
MOMENTUM = Rule("momentum", momentum, ("velocity",), of_rows=DENSE)
ADAM = Rule(
    "adam",
    adam,
    MOMENTS,
    POWERS,
    advance_powers,
    first_powers,
    of_rows=adam_of_rows,
    leaves_others=when_lazy,
)
ADAM_AMSGRAD = ADAM._replace(slots=MOMENTS_MAX)
ADAMW = Rule("adamw", adamw, MOMENTS, POWERS, advance_powers, first_powers)
ADAMW_AMSGRAD = Rule("adamw", adamw, MOMENTS_MAX, POWERS, advance_powers, first_powers)
