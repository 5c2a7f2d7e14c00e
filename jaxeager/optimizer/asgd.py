"""ASGD: the mean of the last gradients of every batch."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import jax.numpy as jnp
import numpy as np

from jaxeager.core import user_lines
from jaxeager.errors import InvalidArgumentError
from jaxeager.optimizer.optimizer import Optimizer
from jaxeager.optimizer.rules import Rule, number_in

if TYPE_CHECKING:
    import jax

    from jaxeager.nn.clip import ClipGradBase
    from jaxeager.optimizer.lr.base import LRScheduler
    from jaxeager.optimizer.types import ParametersLike
    from jaxeager.regularizer import WeightDecayRegularizer
    from jaxeager.tensor.tensor import Tensor


class ASGDHyper(NamedTuple):
    """Parameters of the ASGD rule."""

    batch_num: int


def asgd(param, grad, slots, powers, rate, hyper: ASGDHyper) -> tuple[jax.Array, tuple]:
    """Compute param - rate * mean of the last gradients; the new gradient replaces the oldest."""
    total, last = slots
    steps = powers[0].reshape(())
    batches = number_in(steps.dtype, hyper.batch_num)
    place = steps % batches
    total = total - last[place] + grad
    seen = jnp.minimum(steps + number_in(steps.dtype, 1), batches).astype(param.dtype)
    return param - rate / seen * total, (total, last.at[place].set(grad))


def no_gradients(hyper: ASGDHyper) -> dict:
    """Return the initial values of the last gradients: a block of zeros for each batch."""
    return {"y": np.zeros(hyper.batch_num)}


def count(powers, hyper: ASGDHyper) -> tuple:
    """Return the number of steps made."""
    return (powers[0] + number_in(powers[0].dtype, 1),)


def checked_batches(batch_num: int) -> ASGDHyper:
    """Return the rule's parameters; raise InvalidArgumentError when the number is not positive."""
    if not batch_num > 0:
        raise InvalidArgumentError(f"batch_num should be greater than 0, but is {batch_num}.")
    return ASGDHyper(int(batch_num))


class ASGD(Optimizer):
    """ASGD: steps by the mean of the gradients of the last ``batch_num`` steps.

    Args:
        learning_rate: a float or an LRScheduler.
        batch_num: the number of kept gradients: the number of batches of the dataset.
        parameters: tensors, or dicts of options with a ``params`` entry (see Optimizer).
        weight_decay: a number (L2), L1Decay or L2Decay, added to the gradient.
        grad_clip: a ClipGradBy... object.
        multi_precision: keep float32 master copies of half precision parameters.
        name: a prefix of the accumulators' names.

    Raises:
        InvalidArgumentError: when ``learning_rate`` is None, or ``batch_num`` not positive.

    Example:
        >>> import jaxeager as paddle
        >>> w = paddle.nn.Parameter(paddle.to_tensor([1.0]))
        >>> asgd = paddle.optimizer.ASGD(learning_rate=0.25, batch_num=2, parameters=[w])
        >>> for gradient in (1.0, 2.0, 4.0):
        ...     w.grad = paddle.to_tensor([gradient])
        ...     asgd.step()
        >>> w.tolist()
        [-0.375]
    """

    _rule = Rule("asgd", asgd, ("d", "y"), ("m",), count, no_gradients, counts=True)

    def __init__(
        self,
        learning_rate: float | Tensor | LRScheduler = 0.001,
        batch_num: int = 1,
        parameters: ParametersLike | None = None,
        weight_decay: float | Tensor | WeightDecayRegularizer | None = None,
        grad_clip: ClipGradBase | None = None,
        multi_precision: bool = False,
        name: str | None = None,
    ):
        if batch_num is None:
            raise InvalidArgumentError("batch_num should not be none")
        self._numbers = checked_batches(batch_num)
        self._n_given = batch_num
        super().__init__(learning_rate, parameters, weight_decay, grad_clip, name, multi_precision)

    @property
    def _n(self) -> int:
        """The number of kept gradients; a new number counts until the first step, as in Paddle."""
        return self._n_given

    @_n.setter
    def _n(self, batch_num: int) -> None:
        numbers = checked_batches(batch_num)
        if not any(map(self._state.has, self._params)):
            self._numbers = numbers
        elif numbers != self._numbers:
            user_lines.warn(
                f"ASGD has kept the gradients of {self._numbers.batch_num} batches since its first "
                f"step; _n = {batch_num} has no effect. Create an optimizer with that batch_num."
            )
        self._n_given = batch_num

    def _hyper(self, group: dict) -> ASGDHyper:
        return self._numbers
