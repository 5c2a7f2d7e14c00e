"""The state of an optimizer: saved as a dict, and restored from one."""

from __future__ import annotations

from typing import TYPE_CHECKING

from jaxeager.errors import InvalidArgumentError, MissingStateError
from jaxeager.optimizer.lr import LambdaDecay, LRScheduler

if TYPE_CHECKING:
    from jaxeager.optimizer.plan import Plan
    from jaxeager.optimizer.state import Accumulators


class HasState:
    """Base of Optimizer: its state dict.

    Example:
        >>> import jaxeager as paddle
        >>> w = paddle.nn.Parameter(paddle.to_tensor([1.0]))
        >>> paddle.optimizer.SGD(0.5, parameters=[w]).state_dict()
        {}
    """

    _learning_rate: float | LRScheduler
    _state: Accumulators
    _plan: Plan | None

    def state_dict(self) -> dict:
        """Return the accumulators by name, ``master_weights``, and ``LR_Scheduler``'s state.

        The tensors of moments and velocities are not copies: they change with each step.

        Example:
            >>> import jaxeager as paddle
            >>> w = paddle.nn.Parameter(paddle.to_tensor([1.0]), name="w")
            >>> momentum = paddle.optimizer.Momentum(0.5, parameters=[w])
            >>> w.sum().backward()
            >>> momentum.step()
            >>> momentum.state_dict()["w_velocity_0"].tolist()
            [1.0]
        """
        state = self._state.state_dict()
        if isinstance(self._learning_rate, LRScheduler):
            state["LR_Scheduler"] = self._learning_rate.state_dict()
        return state

    def set_state_dict(self, state_dict: dict) -> None:
        """Restore the result of state_dict or of ``paddle.load``, completely or not at all.

        Raises:
            MissingStateError: when an accumulator or the scheduler's state is missing.
            InvalidArgumentError: when a shape, a dtype or a kind differs.
        """
        if not isinstance(state_dict, dict):
            raise InvalidArgumentError(
                "The state of an optimizer is a dict, such as its state_dict(), but received "
                f"{type(state_dict).__name__}."
            )
        state = dict(state_dict)
        scheduler_state = state.pop("LR_Scheduler", None)
        also: list = [(self, "_plan", None)]
        if isinstance(self._learning_rate, LRScheduler):
            if not isinstance(scheduler_state, dict | None) or scheduler_state:
                also += self._learning_rate._loaded(scheduler_state)
            elif not isinstance(self._learning_rate, LambdaDecay):
                raise MissingStateError(
                    "LR_Scheduler state must be included in the state dict except LambdaDecay; "
                    f"this one has {sorted(map(str, state))[:6]}."
                )
        self._state.load(state, also)

    load_state_dict = set_state_dict

    def _restart(self) -> None:
        """Drop all accumulators, as before the first step."""
        self._state, self._plan = self._state.empty(), None

    def get_opti_var_name_list(self) -> list[str]:
        """Return the names of all accumulators."""
        return [name for name in self._state.state_dict() if name != "master_weights"]
