"""Rprop: resilient backpropagation."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import jax.numpy as jnp
import numpy as np

from jaxeager.errors import InvalidArgumentError, InvalidTypeError
from jaxeager.optimizer.lr import LRScheduler
from jaxeager.optimizer.optimizer import Optimizer
from jaxeager.optimizer.rules import DENSE, Rule, number_in

if TYPE_CHECKING:
    import jax

    from jaxeager.nn.clip import ClipGradBase
    from jaxeager.optimizer.types import ParametersLike


class RpropHyper(NamedTuple):
    """Parameters of the Rprop rule; ``first`` is the initial rate of every element."""

    first: float
    lowest: float
    highest: float
    shrink: float
    grow: float


def rprop(param, grad, slots, powers, rate, hyper: RpropHyper) -> tuple[jax.Array, tuple]:
    """Step by the sign of the gradient; each element's own rate grows while the sign stays."""
    dtype = param.dtype
    agreement = grad * slots[0]
    factor = jnp.where(agreement > 0, number_in(dtype, hyper.grow), number_in(dtype, 1.0))
    factor = jnp.where(agreement < 0, number_in(dtype, hyper.shrink), factor)
    grad = jnp.where(agreement < 0, number_in(dtype, 0.0), grad)
    lowest, highest = number_in(dtype, hyper.lowest), number_in(dtype, hyper.highest)
    rates = jnp.clip(slots[1] * factor, lowest, highest)
    return param - jnp.sign(grad) * rates, (grad, rates)


def first_rates(hyper: RpropHyper) -> dict:
    """Return the initial rate of each element."""
    return {"learning_rates": hyper.first}


class Pair:
    """Two numbers of Rprop as Paddle's attribute of it: ``_etas``.

    It reads as a list with one pair. A pair that is set, also as a Tensor, applies from the next
    step on.
    """

    def __init__(self, lower: str, upper: str, meaning: str):
        self.fields, self.meaning = (lower, upper), meaning

    def __get__(self, optimizer: Any, owner: type | None = None) -> Any:
        if optimizer is None:
            return self
        return [tuple(getattr(optimizer._numbers, field) for field in self.fields)]

    def __set__(self, optimizer: Any, value: Any) -> None:
        numbers = np.asarray(value, dtype=np.float64).ravel().tolist()
        if len(numbers) != 2:
            raise InvalidArgumentError(f"Rprop needs {self.meaning}, but received {value!r}.")
        given = optimizer._numbers._replace(**dict(zip(self.fields, numbers, strict=True)))
        check_numbers(given)
        optimizer._numbers = given


def check_numbers(numbers: RpropHyper) -> None:
    """Raise InvalidArgumentError when the rates or the factors of Rprop are out of range."""
    if not 0.0 < numbers.lowest <= numbers.highest:
        raise InvalidArgumentError(
            "'0.0 < learning_rate_range[0] <= learning_rate_range[1]' must be true, but the range "
            f"is {(numbers.lowest, numbers.highest)}."
        )
    if not 0.0 < numbers.shrink < 1.0 < numbers.grow:
        raise InvalidArgumentError(
            "'0.0 < etas[0] < 1.0 < etas[1]' must be true, but etas is "
            f"{(numbers.shrink, numbers.grow)}."
        )


class Rprop(Optimizer):
    """Rprop: steps by the sign of the gradient, with a separate rate for each element.

    A rate grows while the gradient keeps its sign. When the sign changes, the rate shrinks and the
    element is not updated for one step. It is for gradients of the whole dataset, not of small
    batches.

    Args:
        learning_rate: the initial rate of every element, a float within the range.
        learning_rate_range: the smallest and the largest rate, positive.
        parameters: tensors, or dicts with a ``params`` entry.
        etas: factors that shrink a rate, in (0, 1), and that enlarge it, above 1.
        grad_clip: a ClipGradBy... object.
        multi_precision: keep float32 master copies of half precision parameters.
        name: a prefix of the accumulators' names.

    Raises:
        InvalidArgumentError: when a number is None or out of range.
        InvalidTypeError: when ``learning_rate`` is a scheduler: a rate that is set from outside has
            no effect after the first step.

    Example:
        >>> import jaxeager as paddle
        >>> w = paddle.nn.Parameter(paddle.to_tensor([1.0]))
        >>> rprop = paddle.optimizer.Rprop(learning_rate=0.25, parameters=[w], etas=(0.5, 2.0))
        >>> w.sum().backward()
        >>> rprop.step()
        >>> rprop.step()
        >>> w.tolist()
        [0.25]
    """

    _rule = Rule("rprop", rprop, ("prevs", "learning_rates"), first=first_rates, of_rows=DENSE)
    _etas = Pair("shrink", "grow", "two factors")
    _learning_rate_range = Pair("lowest", "highest", "a smallest and a largest rate")

    def __init__(
        self,
        learning_rate: float = 0.001,
        learning_rate_range: tuple[float, float] = (1e-5, 50),
        parameters: ParametersLike | None = None,
        etas: tuple[float, float] = (0.5, 1.2),
        grad_clip: ClipGradBase | None = None,
        multi_precision: bool = False,
        name: str | None = None,
    ):
        if learning_rate is None:
            raise InvalidArgumentError("learning_rate is not set.")
        if isinstance(learning_rate, LRScheduler):
            raise InvalidTypeError(
                "Rprop adapts its learning rates itself; learning_rate is their initial value, a "
                f"float, not a {type(learning_rate).__name__}."
            )
        lowest, highest = learning_rate_range
        if not 0.0 < lowest <= learning_rate <= highest:
            raise InvalidArgumentError(
                "'0.0 < learning_rate_range[0] <= learning_rate <= learning_rate_range[1]' must be "
                f"true, but the range is {learning_rate_range} and the rate {learning_rate}."
            )
        shrink, grow = etas
        self._numbers = RpropHyper(learning_rate, lowest, highest, shrink, grow)
        check_numbers(self._numbers)
        super().__init__(learning_rate, parameters, 0.0, grad_clip, name, multi_precision)

    @property
    def _initial_learning_rate(self) -> float:
        """The rate of every element of a parameter at its first step."""
        return self._numbers.first

    @_initial_learning_rate.setter
    def _initial_learning_rate(self, rate: float) -> None:
        self._numbers = self._numbers._replace(first=float(rate))

    def _hyper(self, group: dict) -> RpropHyper:
        return self._numbers
