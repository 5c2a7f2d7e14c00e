"""LBFGS: a quasi-Newton method that evaluates the loss itself."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import chain, repeat
from typing import TYPE_CHECKING, Any

import jax
import numpy as np

from jaxeager.errors import InvalidArgumentError, InvalidTypeError, UnimplementedError
from jaxeager.graph.atomic import set_each, set_together
from jaxeager.graph.mode import enable_grad, grad_mode
from jaxeager.graph.views.atomic_writes import write_arrays
from jaxeager.optimizer.donation import chosen, has_company
from jaxeager.optimizer.groups import as_regularizer
from jaxeager.optimizer.lbfgs_direction import (
    History,
    downhill,
    empty_history,
    flatten,
    moved,
    next_direction,
)
from jaxeager.optimizer.line_search import Probe, strong_wolfe
from jaxeager.optimizer.optimizer import Optimizer
from jaxeager.tensor import Tensor

if TYPE_CHECKING:
    from typing import NoReturn

    from jaxeager.nn.clip import ClipGradBase
    from jaxeager.optimizer.types import ParametersLike
    from jaxeager.regularizer import WeightDecayRegularizer


class LBFGS(Optimizer):
    """LBFGS: steps along directions from the last gradients and steps, until convergence.

    A call of ``step`` makes up to ``max_iter`` iterations; each evaluates the loss and its
    gradients by ``closure``, and waits for the device. The history takes ``2 * history_size`` times
    the memory of the parameters.

    Args:
        learning_rate: length of a step, or the first length in the line search.
        max_iter: iterations in a step.
        max_eval: evaluations of the loss in a step; by default ``max_iter * 5 // 4``.
        tolerance_grad: stop when no element of the gradient is larger.
        tolerance_change: stop when the loss or every parameter changes less.
        history_size: the number of remembered steps.
        line_search_fn: None, or "strong_wolfe".
        parameters: tensors, or dicts with a ``params`` entry.
        weight_decay: a number (L2), L1Decay or L2Decay: a penalty added to the loss; a parameter's
            own regularizer takes precedence.
        grad_clip: must be None: a clipped gradient is not that of the loss.
        name: stored.

    Raises:
        InvalidArgumentError: for any other ``line_search_fn``.
        UnimplementedError: when ``grad_clip`` is given.

    An interrupted step (Ctrl-C, or an exception of the closure) leaves the parameters at the last
    move (for a line search: at its start), with a history that matches them.

    Paddle: ignores ``weight_decay``, ``grad_clip`` and ``set_state_dict``, and updates only the
    last parameter group.

    Example:
        >>> import jaxeager as paddle
        >>> w = paddle.nn.Parameter(paddle.to_tensor([3.0, -2.0]))
        >>> lbfgs = paddle.optimizer.LBFGS(parameters=[w], line_search_fn="strong_wolfe")
        >>> def closure():
        ...     lbfgs.clear_grad()
        ...     loss = ((w - 1.0) ** 2).sum()
        ...     loss.backward()
        ...     return loss
        >>> lbfgs.step(closure).item()
        13.0
        >>> [round(v, 4) for v in w.tolist()]
        [1.0, 1.0]
    """

    def __init__(
        self,
        learning_rate: float = 1.0,
        max_iter: int = 20,
        max_eval: int | None = None,
        tolerance_grad: float = 1e-7,
        tolerance_change: float = 1e-9,
        history_size: int = 100,
        line_search_fn: str | None = None,
        parameters: ParametersLike | None = None,
        weight_decay: float | Tensor | WeightDecayRegularizer | None = None,
        grad_clip: ClipGradBase | None = None,
        name: str | None = None,
    ):
        if line_search_fn not in (None, "strong_wolfe"):
            raise InvalidArgumentError(
                f"only 'strong_wolfe' is supported as line_search_fn, or None, not "
                f"{line_search_fn!r}."
            )
        if grad_clip is not None:
            raise UnimplementedError(
                "LBFGS needs the true gradient of the loss, not a clipped one; leave out grad_clip."
            )
        if isinstance(learning_rate, int):
            learning_rate = float(learning_rate)
        super().__init__(learning_rate, parameters, weight_decay, None, name)
        self.max_iter = max_iter
        self.max_eval = max_iter * 5 // 4 if max_eval is None else max_eval
        self.tolerance_grad = tolerance_grad
        self.tolerance_change = tolerance_change
        self.history_size = history_size
        self.line_search_fn = line_search_fn
        self._counts = {"func_evals": 0, "n_iter": 0}
        self._turned: tuple | None = None  # the last result of next_direction
        self._memory: dict[str, Any] = {}

    def step(self, closure: Callable[[], Tensor]) -> Tensor:  # pyright: ignore[reportIncompatibleMethodOverride]
        """Update the parameters; return the loss before the update.

        Args:
            closure: clears the gradients, computes the loss, calls its ``backward``, returns it.
        """
        if not callable(closure):
            raise InvalidTypeError(
                "LBFGS evaluates the loss several times: step takes a function that clears the "
                f"gradients, computes the loss and its backward, and returns it, not {closure!r}."
            )
        self._refuse_apart(self._params)
        first, here = self._evaluate(closure, None, 0.0)
        evaluations = 1
        for iteration in range(self.max_iter):
            if here.largest <= self.tolerance_grad:
                break
            before = here
            direction, length, here = self._turn(here)
            step = float(self.get_lr())
            if self._counts["n_iter"] == 1:
                step /= max(1.0, float(self._sum))
            if here.slope > -self.tolerance_change:
                self._memory = self._memory | {"step": step}
                break
            is_last = iteration == self.max_iter - 1
            here, count = self._walk(closure, here, step, direction, length, is_last)
            evaluations += count
            if here.largest <= self.tolerance_grad or evaluations >= self.max_eval:
                break
            if abs(here.step) * length <= self.tolerance_change:
                break
            if abs(here.loss - before.loss) < self.tolerance_change:
                break
        return first

    def _evaluate(self, closure: Callable, direction, step: float) -> tuple[Tensor, Probe]:
        """Return the loss at the present parameters, and the Probe there."""
        if grad_mode.enabled:
            loss = closure()
        else:
            with enable_grad():
                loss = closure()
        self._counts["func_evals"] += 1
        grads = [None if param.grad is None else param.grad._array for param in self._params]
        try:
            grad, numbers = flatten(self._arrays(), grads, direction, self._decays())
        except ValueError:
            self._refuse_apart(self._params, [param.grad for param in self._params])
            raise
        largest, self._sum, slope, penalty = np.asarray(numbers)  # in the dtype of the gradient
        return loss, Probe(step, penalty + float(loss), slope, grad, largest)

    def _turn(self, here: Probe) -> tuple:
        """Return the next direction, its largest element, and the probe with its slope.

        The whole state changes in a single step, with no move in this direction yet.
        """
        counts = self._counts | {"n_iter": self._counts["n_iter"] + 1}
        memory = {"grad": here.grad, "step": 0.0, "loss": here.loss}
        if self._turned is None:
            history = empty_history(self.history_size, here.grad)
            turned = map(tuple, ((tuple(history), *downhill(here.grad)),))
        else:
            history, old_direction, _ = self._turned
            old_grad, old_step = self._memory["grad"], np.asarray(self._memory["step"])
            more = (here.grad, old_grad, old_direction, old_step)
            call = next_direction.plain if has_company() else chosen(next_direction)[0]
            turned = map(call, (list(history),), *zip(more))  # state_dict() reads the history
        names = ("_turned", "_memory", "_counts")
        set_together(repeat(self), names, chain(turned, (memory, counts)))
        assert self._turned is not None
        _, direction, numbers = self._turned
        slope, length = np.asarray(numbers)
        return direction, length, here._replace(step=0.0, slope=slope)

    def _walk(
        self, closure: Callable, here: Probe, step: float, direction, length: float, is_last: bool
    ) -> tuple[Probe, int]:
        """Move the parameters along a direction; return the probe there, and evaluations."""
        origin = self._arrays()
        if self.line_search_fn is None:
            self._put(moved(origin, direction, np.asarray(step)), step)
            if is_last:
                return here._replace(step=step), 0
            return self._evaluate(closure, None, step)[1], 1

        def probe(step: float) -> Probe:
            self._put(moved(origin, direction, np.asarray(step)), step)
            return self._evaluate(closure, direction, step)[1]

        try:
            best, count = strong_wolfe(probe, here, step, length)
            self._put(moved(origin, direction, np.asarray(best.step)), best.step)
        except BaseException:
            self._put(origin, 0.0)
            raise
        return best, count

    def _arrays(self) -> list:
        return [param._array for param in self._params]

    def _put(self, arrays: list, step: float) -> None:
        """Move the parameters, and store the distance along the direction."""
        also = [(self, "_memory", self._memory | {"step": step})]
        write_arrays(self._params, arrays, also=also)

    def _decays(self) -> tuple:
        """Return the penalty of each parameter: its own regularizer's, or the optimizer's."""
        own = [getattr(param, "regularizer", None) for param in self._params]
        chosen = [as_regularizer(self.regularization if r is None else r) for r in own]
        return tuple(None if r is None else r.rule() for r in chosen)

    # ---- methods that do not work with a closure

    def minimize(
        self,
        loss: Tensor,
        startup_program: object = None,
        parameters: Sequence[Tensor] | None = None,
        no_grad_set: set[Tensor] | set[str] | None = None,
    ) -> NoReturn:
        """Raise UnimplementedError: LBFGS needs a closure, see ``step``."""
        raise UnimplementedError(
            "LBFGS optimizer does not use this way to minimize loss. Call step(closure) instead."
        )

    def apply_gradients(self, params_grads: list) -> NoReturn:
        """Raise UnimplementedError: LBFGS needs a closure, see ``step``."""
        raise UnimplementedError(
            "LBFGS needs the loss at several points, not gradients at one; call step(closure)."
        )

    # ---- state

    @property
    def state(self) -> dict:
        """Return the history, under Paddle's names."""
        if self._turned is None:
            return dict(self._counts)
        history, direction, _ = self._turned
        return {**self._counts, **_shown(History(*history), direction, self._memory)}

    def state_dict(self) -> dict:
        """Return ``{"state": ...}`` with the history, under Paddle's names."""
        return {"state": self.state}

    def set_state_dict(self, state_dict: dict) -> None:
        """Restore the result of state_dict, or of ``paddle.load``.

        Raises:
            InvalidArgumentError: when it is not the state of an LBFGS.
        """
        state = state_dict.get("state") if isinstance(state_dict, dict) else None
        if not isinstance(state, dict):
            raise InvalidArgumentError(
                "The state dict of an LBFGS must have an entry 'state', a dict."
            )
        try:
            counts = {name: int(state.get(name, 0)) for name in self._counts}
            turned, memory = _restored(state, self.history_size)
        except (LookupError, TypeError, ValueError, OverflowError) as error:
            raise InvalidArgumentError(
                f"This is not the state of an LBFGS: {type(error).__name__}: {error}."
            ) from None
        count = sum(param._array.size for param in self._params)
        if turned is not None and {memory["grad"].shape, turned[1].shape} != {(count,)}:
            raise InvalidArgumentError(
                f"The state of this LBFGS has directions of {count} numbers, one for each of its "
                f"parameters, but received {list(turned[1].shape)} and "
                f"{list(memory['grad'].shape)}."
            )
        if turned is None:
            counts["n_iter"] = 0
        set_each([(self, "_turned", turned), (self, "_memory", memory), (self, "_counts", counts)])

    load_state_dict = set_state_dict


def _shown(history: History, direction, memory: dict) -> dict:
    """Return the history as tensors and lists of them, oldest first."""
    rows, count = history.inverses.shape[0], int(history.count)
    order = [number % rows for number in range(max(0, count - rows), count)]

    def listed(table) -> list:
        return [Tensor.from_array(table[row]) for row in order]

    return {
        "al": listed(history.weights) + [None] * (rows - len(order)),
        "d": Tensor.from_array(direction),
        "alpha": memory["step"],
        "old_yk": listed(history.changes),
        "old_sk": listed(history.steps),
        "ro": listed(history.inverses),
        "H_diag": Tensor.from_array(history.scale.copy()),
        "prev_flat_grad": Tensor.from_array(memory["grad"]),
        "prev_loss": float(memory["loss"]),
    }


def _restored(state: dict, rows: int) -> tuple[tuple | None, dict]:
    """Return the result of ``next_direction``, and the memory; (None, {}) before a first step."""
    if state.get("d") is None:
        return None, {}
    grad = _array(state["prev_flat_grad"])
    kept = len(state["old_sk"])
    if {kept, len(state["old_yk"]), len(state["ro"])} != {kept}:
        raise ValueError("'old_sk', 'old_yk' and 'ro' are of different lengths")
    first = max(0, kept - rows)

    def table(items, shape: tuple) -> jax.Array:
        filled = np.zeros((rows, *shape), grad.dtype)
        for row, item in enumerate(items[first:]):
            filled[row] = _array(item).reshape(shape)
        return jax.device_put(filled, may_alias=False)

    history = History(
        table(state["old_sk"], grad.shape),
        table(state["old_yk"], grad.shape),
        table(state["ro"], ()),
        jax.device_put(np.zeros(rows, grad.dtype), may_alias=False),
        jax.device_put(np.asarray(kept - first, np.int32), may_alias=False),
        jax.device_put(_array(state["H_diag"]).reshape(()), may_alias=False),
    )
    memory = {
        "step": float(state["alpha"]),
        "grad": jax.device_put(grad),
        "loss": grad.dtype.type(state["prev_loss"]),
    }
    return ((*history,), jax.device_put(_array(state["d"])), None), memory


def _array(value) -> np.ndarray:
    return np.array(value._array if isinstance(value, Tensor) else value)
