"""LookAhead: slow weights that follow the weights of another optimizer."""

from typing import Any, NamedTuple

from jaxeager.errors import InvalidArgumentError
from jaxeager.graph.views import write_array
from jaxeager.optimizer.optimizer import Optimizer
from jaxeager.optimizer.rules import PARAMETER, Rule, number_in


class LookAheadHyper(NamedTuple):
    """Numbers of the LookAhead rule."""

    alpha: float


def look_ahead(param, grad, slots, powers, rate, hyper: LookAheadHyper) -> tuple[Any, tuple]:
    """Moves the slow weight to the parameter by a share of the way, and the parameter to it."""
    alpha = number_in(param.dtype, hyper.alpha)
    slow = alpha * param + (number_in(param.dtype, 1.0) - alpha) * slots[0]
    return slow, (slow,)


def at_the_parameter(hyper: LookAheadHyper) -> dict:
    """Returns where the slow weights begin."""
    return {"slow": PARAMETER}


class LookAhead(Optimizer):
    """Steps another optimizer; after every ``k`` steps goes back to a mean with slow weights.

    Args:
        inner_optimizer: makes the steps; its parameters, rate and clipping count.
        alpha: share of the way that the slow weights go, from 0 to 1.
        k: steps of the inner optimizer for one of the slow weights.
        name: a prefix of the accumulators' names.

    Raises:
        InvalidArgumentError: when there is no inner optimizer, or a number is out of range.

    Paddle: the slow weight of a parameter whose first gradient comes after the first step begins at
    the parameter (Paddle's at 0); master weights of half precision parameters are looked ahead too.

    Example:
        >>> import jaxeager as paddle
        >>> w = paddle.nn.Parameter(paddle.to_tensor([1.0]))
        >>> sgd = paddle.optimizer.SGD(0.25, parameters=[w])
        >>> lookahead = paddle.incubate.LookAhead(sgd, alpha=0.5, k=2)
        >>> for _ in range(2):
        ...     w.sum().backward()
        ...     lookahead.step()
        ...     lookahead.clear_grad()
        >>> w.tolist()
        [0.625]
    """

    _rule = Rule("lookahead", look_ahead, ("slow",), first=at_the_parameter)

    def __init__(
        self,
        inner_optimizer: Optimizer,
        alpha: float = 0.5,
        k: int = 5,
        name: str | None = None,
    ):
        if inner_optimizer is None:
            raise InvalidArgumentError("inner optimizer can not be None")
        if not 0.0 <= alpha <= 1.0:
            raise InvalidArgumentError(
                "alpha should be larger or equal to 0.0, and less or equal than 1.0, but is "
                f"{alpha}."
            )
        if not isinstance(k, int) or k <= 0:
            raise InvalidArgumentError(f"k should be a positive integer, but is {k!r}.")
        super().__init__(float(alpha), inner_optimizer._params, name=name)
        self.inner_optimizer = inner_optimizer
        self.alpha = alpha
        self.k = k
        self._steps = 0

    def _set_auxiliary_var(self, key: str, value) -> None:
        super()._set_auxiliary_var(key, value)
        self.inner_optimizer._set_auxiliary_var(key, value)

    def step(self) -> None:
        """Makes a step of the inner optimizer; every ``k``-th time also one of the slow weights."""
        self.inner_optimizer.step()
        self._steps += 1
        super().step()

    def minimize(self, loss, startup_program=None, parameters=None, no_grad_set=None) -> tuple:
        """Applies the gradients that ``loss.backward()`` left; returns ([], pairs)."""
        result = self.inner_optimizer.minimize(loss, startup_program, parameters, no_grad_set)
        self._steps += 1
        super().step()
        return result

    def _run(self, traits: list, grads: list) -> None:
        self._begin([self._params[index] for index, *_ in traits])
        if self._steps % self.k == 0:
            super()._run(traits, grads)

    def _begin(self, params: list) -> None:
        """Puts slow weights where the parameters are, or their master weights."""
        fresh = [param for param in params if not self._state.has(param)]
        is_loaded = bool(self._state.waiting)
        self._add_accumulators(params, [self._hyper(self._groups[0])] * len(params))
        for param in [] if is_loaded else fresh:
            master = self.inner_optimizer._state.masters.get(param.name)
            if master is not None and self.inner_optimizer._multi_precision:
                write_array(self._state.slots(param)[0], master._array)

    def _hyper(self, group: dict) -> LookAheadHyper:
        return LookAheadHyper(self.alpha)

    def _entry_hyper(self, param, hyper: Any, regularizer) -> tuple[tuple, tuple | None]:
        return hyper, None

    def _master_position(self, param, layout) -> int | None:
        return self.inner_optimizer._master_position(param, layout)

    def _narrow_accumulators(self) -> bool:
        return False
