"""LookAhead: slow weights that follow the weights of another optimizer."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from jaxeager.errors import RefusedArgumentError
from jaxeager.graph.atomic import Also, set_each
from jaxeager.graph.mode import grad_mode
from jaxeager.graph.views.atomic_writes import write_arrays
from jaxeager.optimizer.optimizer import Optimizer
from jaxeager.optimizer.rules import DENSE, PARAMETER, Rule, number_in

if TYPE_CHECKING:
    import jax

    from jaxeager.tensor.tensor import Tensor


class LookAheadHyper(NamedTuple):
    """Numbers of the LookAhead rule."""

    alpha: float


def look_ahead(param, grad, slots, powers, rate, hyper: LookAheadHyper) -> tuple[jax.Array, tuple]:
    """Move the slow weight a share of the way to the parameter, and the parameter to it."""
    alpha = number_in(param.dtype, hyper.alpha)
    slow = alpha * param + (number_in(param.dtype, 1.0) - alpha) * slots[0]
    return slow, (slow,)


def at_the_parameter(hyper: LookAheadHyper) -> dict:
    """Return the initial slow weights."""
    return {"slow": PARAMETER}


class LookAhead(Optimizer):
    """Steps another optimizer; after every ``k`` steps returns to a mean with slow weights.

    Args:
        inner_optimizer: makes the steps; its parameters, rate and clipping are used.
        alpha: the share of the way that the slow weights move, from 0 to 1.
        k: the number of inner steps per step of the slow weights.
        name: a prefix of the accumulators' names.

    Raises:
        InvalidArgumentError: when there is no inner optimizer, or a number is out of range.

    Paddle: the slow weight of a parameter whose first gradient is computed after the first step
    starts at the parameter (Paddle's at 0); master weights of half precision parameters are updated
    too.

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

    _rule = Rule("lookahead", look_ahead, ("slow",), first=at_the_parameter, of_rows=DENSE)

    def __init__(
        self,
        inner_optimizer: Optimizer,
        alpha: float = 0.5,
        k: int = 5,
        name: str | None = None,
    ):
        if inner_optimizer is None:
            raise RefusedArgumentError("inner optimizer can not be None")
        if not 0.0 <= alpha <= 1.0:
            raise RefusedArgumentError(
                "alpha should be larger or equal to 0.0, and less or equal than 1.0, but is "
                f"{alpha}."
            )
        if not isinstance(k, int) or k <= 0:
            raise RefusedArgumentError(f"k should be a positive integer, but is {k!r}.")
        super().__init__(float(alpha), inner_optimizer._params, name=name)
        self.inner_optimizer = inner_optimizer
        self.alpha = alpha
        self.k = k
        self._steps = 0
        self._is_behind = False

    def _set_auxiliary_var(self, key: str, value) -> None:
        super()._set_auxiliary_var(key, value)
        self.inner_optimizer._set_auxiliary_var(key, value)

    def step(self) -> None:
        """Make a step of the inner optimizer; every ``k``-th time also one of the slow weights.

        A call that is interrupted between the two makes up for the second when it is called again.
        """
        self._advance(self.inner_optimizer.step)

    def minimize(
        self,
        loss: Tensor,
        startup_program: object = None,
        parameters: Sequence[Tensor] | None = None,
        no_grad_set: set[Tensor] | set[str] | None = None,
    ) -> tuple:
        """Apply the gradients that ``loss.backward()`` left; return ([], pairs)."""
        inner = self.inner_optimizer
        return self._advance(lambda: inner.minimize(loss, startup_program, parameters, no_grad_set))

    def _advance(self, update: Callable):
        """Run an update of the inner optimizer, which counts a step, and the step after it."""
        if grad_mode.capture is not None:
            grad_mode.capture.refuse("it steps LookAhead, which counts its steps in Python.")
        self._follow()
        also = [(self, "_steps", self._steps + 1), (self, "_is_behind", True)]
        try:
            self.inner_optimizer._set_auxiliary_var("also", also)
            result = update()
            self.inner_optimizer._set_auxiliary_var("also", ())
        except BaseException:
            self.inner_optimizer._set_auxiliary_var("also", ())
            raise
        set_each(also)  # again, for an update that found no gradient
        self._follow()
        return result

    def _follow(self) -> None:
        """Do the work after a step of the inner optimizer, unless it is done."""
        if self._is_behind:
            super().step()
            self._is_behind = False

    def _run(self, settings: list, grads: list, also: Also = ()) -> None:
        self._begin([self._params[index] for index, *_ in settings])
        if self._steps % self.k == 0:
            super()._run(settings, grads, [(self, "_is_behind", False), *also])

    def _begin(self, params: list) -> None:
        """Set slow weights to the parameters, or to their master weights."""
        fresh = [param for param in params if not self._state.has(param)]
        is_loaded, before = bool(self._state.waiting), vars(self._state)
        try:
            self._add_accumulators(params, [self._hyper(self._groups[0])] * len(params))
            self._start_at_masters([] if is_loaded else fresh)
        except BaseException:
            set_each([(self._state, "__dict__", before), (self, "_plan", None)])
            raise

    def _start_at_masters(self, params: list) -> None:
        """Set the slow weights of parameters that have master weights to those."""
        masters = (
            self.inner_optimizer._state.masters if self.inner_optimizer._multi_precision else {}
        )
        params = [param for param in params if param.name in masters]
        slots = [self._state.slots(param)[0] for param in params]
        write_arrays(slots, [masters[param.name]._array for param in params])

    def _hyper(self, group: dict) -> LookAheadHyper:
        return LookAheadHyper(self.alpha)

    def _entry_hyper(self, param, hyper: Any, regularizer) -> tuple[tuple, tuple | None]:
        return hyper, None

    def _master_position(self, param, layout) -> int | None:
        return self.inner_optimizer._master_position(param, layout)

    def _narrow_accumulators(self) -> bool:
        return False
