"""Adam, and AMSGrad: their arguments. The update itself is ``adam`` in rules.py."""

from __future__ import annotations

from typing import TYPE_CHECKING

from jaxeager.core.ignored_arguments import unheeded
from jaxeager.errors import (
    InvalidArgumentError,
    PreconditionNotMetError,
    RefusedArgumentError,
)
from jaxeager.optimizer import rules
from jaxeager.optimizer.custom import Number
from jaxeager.optimizer.optimizer import Optimizer
from jaxeager.tensor import Tensor

if TYPE_CHECKING:
    from jaxeager.nn.clip import ClipGradBase
    from jaxeager.optimizer.lr.base import LRScheduler
    from jaxeager.optimizer.state import Accumulators
    from jaxeager.optimizer.types import ParametersLike
    from jaxeager.regularizer import WeightDecayRegularizer


class Adam(Optimizer):
    """Adam: steps by the running mean of the gradient over the root of the mean of its square.

    Args:
        learning_rate: a float or an LRScheduler.
        beta1: the decay factor of the first moment, in [0, 1); a Tensor is read at each step.
        beta2: the decay factor of the second moment, in [0, 1); a Tensor is read at each step.
        epsilon: added to the root; a Tensor is read at each step.
        parameters: tensors, or dicts of options with a ``params`` entry (see Optimizer).
        weight_decay: a number (L2), L1Decay or L2Decay, added to the gradient.
        grad_clip: a ClipGradBy... object.
        lazy_mode: for a gradient of some rows (``Embedding(sparse=True)``), update only these rows
            and their moments; without it the moments of the other rows decay and change those rows.
        multi_precision: keep float32 master copies of half precision parameters.
        use_multi_tensor: has no effect, and warns: every step is one call over all parameters.
        amsgrad: divide by the root of the largest second moment so far.
        name: a prefix of the accumulators' names.

    Raises:
        InvalidArgumentError: when a beta or epsilon is None or out of range.

    Example:
        >>> import jaxeager as paddle
        >>> w = paddle.nn.Parameter(paddle.to_tensor([1.0, 2.0]))
        >>> adam = paddle.optimizer.Adam(learning_rate=0.5, parameters=[w])
        >>> (w * w).sum().backward()
        >>> adam.step()
        >>> [round(v, 4) for v in w.tolist()]
        [0.5, 1.5]
    """

    _rule = rules.ADAM
    _rules = rules.ADAM, rules.ADAM_AMSGRAD
    _beta1 = Number()
    _beta2 = Number()
    _epsilon = Number()
    _lazy_mode = Number()

    def __init__(
        self,
        learning_rate: float | Tensor | LRScheduler = 0.001,
        beta1: float | Tensor = 0.9,
        beta2: float | Tensor = 0.999,
        epsilon: float | Tensor = 1e-8,
        parameters: ParametersLike | None = None,
        weight_decay: float | Tensor | WeightDecayRegularizer | None = None,
        grad_clip: ClipGradBase | None = None,
        lazy_mode: bool = False,
        multi_precision: bool = False,
        use_multi_tensor: bool = False,
        amsgrad: bool = False,
        name: str | None = None,
    ):
        unheeded(
            "Adam",
            "every step is one call over all parameters",
            use_multi_tensor=(use_multi_tensor, False),
        )
        self._amsgrad = amsgrad
        super().__init__(
            learning_rate,
            parameters,
            weight_decay,
            grad_clip,
            name,
            multi_precision,
            {**checked_betas(beta1, beta2, epsilon), "lazy_mode": lazy_mode},
        )

    @property
    def _amsgrad(self) -> bool:
        """Whether there is a third moment; it may be set until the first step."""
        return self._rule.slots == rules.MOMENTS_MAX

    @_amsgrad.setter
    def _amsgrad(self, value: bool) -> None:
        if bool(value) == self._amsgrad:
            return
        state: Accumulators | None = vars(self).get("_state")
        if state is not None and not state.is_new():
            raise PreconditionNotMetError(
                f"{type(self).__name__} has made steps {'with' if self._amsgrad else 'without'} "
                "the largest second moment: create another optimizer with amsgrad="
                f"{bool(value)}, and load the accumulators that both have."
            )
        self._rule = self._rules[bool(value)]
        if state is not None:
            self._state, self._plan = state.with_rule(self._rule), None

    def _hyper(self, group: dict) -> rules.AdamHyper:
        beta1, beta2, epsilon = group["beta1"], group["beta2"], group["epsilon"]
        return rules.AdamHyper(
            number(beta1),
            number(beta2),
            number(epsilon),
            self._amsgrad,
            lazy=bool(group["lazy_mode"]),
        )

    def _narrow_accumulators(self) -> bool:
        return False


def checked_betas(beta1, beta2, epsilon) -> dict:
    """Return the parameters of Adam by name; InvalidArgumentError when one is out of range."""
    for name, value in (("beta1", beta1), ("beta2", beta2), ("epsilon", epsilon)):
        if value is None:
            raise RefusedArgumentError(f"{name} is not set.")
        if isinstance(value, Tensor):
            continue
        if value < 0 or (name != "epsilon" and value >= 1):
            wanted = "epsilon >= 0" if name == "epsilon" else f"{name} in [0,1)"
            raise InvalidArgumentError(
                f"Invalid value of {name}, expect {wanted}, but received {value}."
            )
    return {"beta1": beta1, "beta2": beta2, "epsilon": epsilon}


def number(value: float | Tensor) -> float:
    """Return a number, or that of a Tensor of one element, after a wait for the device."""
    return float(value.item()) if isinstance(value, Tensor) else value
