"""AdamW: Adam with decoupled weight decay."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from jaxeager.errors import InvalidTypeError, NotFoundError, RefusedTypeError
from jaxeager.optimizer import rules
from jaxeager.optimizer.adam import Adam, checked_betas
from jaxeager.optimizer.custom import Number
from jaxeager.optimizer.optimizer import Optimizer
from jaxeager.tensor import Tensor

if TYPE_CHECKING:
    from jaxeager.distributed.sharded_weights import ShardedWeight
    from jaxeager.nn.clip import ClipGradBase
    from jaxeager.optimizer.lr.base import LRScheduler
    from jaxeager.optimizer.types import ParametersLike


class AdamW(Adam):
    """Adam that shrinks each parameter by ``learning_rate * weight_decay`` before its step.

    Args:
        learning_rate: a float or an LRScheduler.
        beta1: the decay factor of the first moment, in [0, 1); a Tensor is read at each step.
        beta2: the decay factor of the second moment, in [0, 1); a Tensor is read at each step.
        epsilon: added to the root; a Tensor is read at each step.
        parameters: tensors, or dicts of options with a ``params`` entry (see Optimizer).
        weight_decay: a number, the decay coefficient.
        use_lowprecision_moment: moments of half precision parameters are half precision too.
        lr_ratio: a function from a parameter to its factor of the learning rate.
        apply_decay_param_fun: a function from a parameter's name to whether it decays.
        grad_clip: a ClipGradBy... object.
        lazy_mode: for gradients of some rows (SelectedRows), which AdamW does not accept.
        multi_precision: keep float32 master copies of half precision parameters.
        amsgrad: divide by the root of the largest second moment so far.
        name: a prefix of the accumulators' names.

    Raises:
        InvalidTypeError: when ``weight_decay`` is not a number, or a function cannot be called.

    Paddle: ``lr_ratio`` works on the CPU too; it and ``apply_decay_param_fun`` are called when a
    step is prepared, not at every step.

    Example:
        >>> import jaxeager as paddle
        >>> w = paddle.nn.Parameter(paddle.to_tensor([1.0, 2.0]))
        >>> adamw = paddle.optimizer.AdamW(0.5, parameters=[w], weight_decay=0.25)
        >>> (w * w).sum().backward()
        >>> adamw.step()
        >>> [round(v, 4) for v in w.tolist()]
        [0.375, 1.25]
    """

    _rule = rules.ADAMW
    _rules = rules.ADAMW, rules.ADAMW_AMSGRAD
    _weight_decay = Number()

    def __init__(
        self,
        learning_rate: float | Tensor | LRScheduler = 0.001,
        beta1: float | Tensor = 0.9,
        beta2: float | Tensor = 0.999,
        epsilon: float | Tensor = 1e-8,
        parameters: ParametersLike | None = None,
        weight_decay: float | Tensor = 0.01,
        use_lowprecision_moment: bool = False,
        lr_ratio: Callable[[Tensor], float] | None = None,
        apply_decay_param_fun: Callable[[str], bool] | None = None,
        grad_clip: ClipGradBase | None = None,
        lazy_mode: bool = False,
        multi_precision: bool = False,
        amsgrad: bool = False,
        name: str | None = None,
    ):
        if not isinstance(weight_decay, (int, float, Tensor)):
            raise InvalidTypeError(
                f"weight_decay should be int, float or Tensor, but is {weight_decay!r}."
            )
        for function, argument in (
            (lr_ratio, "lr_ratio"),
            (apply_decay_param_fun, "apply_decay_param_fun"),
        ):
            if function is not None and not callable(function):
                raise RefusedTypeError(f"{argument} should be a function, but is {function!r}.")
        self._amsgrad = amsgrad
        self._lr_ratio = lr_ratio
        self._apply_decay_param_fun = apply_decay_param_fun
        self._use_lowprecision_moment = use_lowprecision_moment
        Optimizer.__init__(
            self,
            learning_rate,
            parameters,
            float(weight_decay),
            grad_clip,
            name,
            multi_precision,
            {**checked_betas(beta1, beta2, epsilon), "lazy_mode": lazy_mode},
        )

    def sharded_state_dict(
        self, model_sharded_state_dict: dict[str, ShardedWeight]
    ) -> dict[str, ShardedWeight]:
        """Return the ShardedWeight of each accumulator, by the weight's name and its own.

        A moment ("weight.moment1_0") and a float32 copy ("weight.w_0") are at the place of their
        weight; powers ("weight.beta1_pow_acc_0") have one element. They are the accumulators
        themselves: a checkpoint that is read into them is the state of the optimizer.

        Args:
            model_sharded_state_dict: the weights: the model's ``sharded_state_dict()``. Of a
                weight under several names, the first in alphabetical order counts.

        Raises:
            NotFoundError: when a weight that was updated is not among them.

        Example:
            >>> import jaxeager as paddle
            >>> layer = paddle.nn.Linear(2, 3, bias_attr=False)
            >>> adamw = paddle.optimizer.AdamW(parameters=layer.parameters())
            >>> layer(paddle.ones([1, 2])).sum().backward()
            >>> adamw.step()
            >>> sorted(adamw.sharded_state_dict(layer.sharded_state_dict()))[:2]
            ['weight.beta1_pow_acc_0', 'weight.beta2_pow_acc_0']
        """
        from jaxeager.distributed import sharded_weights

        weights: dict[str, ShardedWeight] = {}
        for _, weight in sorted(model_sharded_state_dict.items()):
            weights.setdefault(weight.local_tensor.name, weight)
        state = self._state.state_dict()
        masters = state.pop("master_weights", {})
        state |= self._state.powers_apart()
        self._plan = None
        named = [(*self._state.parted_name(name), tensor) for name, tensor in state.items()]
        named += [(param, "w_0", tensor) for param, tensor in masters.items()]
        parts = {}
        for param, kind, tensor in named:
            if param not in weights:
                raise NotFoundError(
                    f"{kind} of {param!r}: no weight of that name is in the model's state dict. "
                    "Pass model.sharded_state_dict() of the whole model."
                )
            weight = weights[param]
            key = f"{weight.key}.{kind}"
            if "_pow_acc" in kind:
                parts[key] = sharded_weights.ShardedWeight(key, tensor, (1,), (1,), (0,))
            else:
                make = sharded_weights.create_sharded_weight_with_new_local
                parts[key] = make(key, tensor, weight)
        return parts

    def _own_regularization(self, weight_decay):
        return None

    def _set_group_regularizer(self, param: Tensor, weight_decay) -> None:
        """Do nothing: a group's weight decay is part of the rule, not of the parameter."""

    def _hyper(self, group: dict) -> rules.AdamHyper:
        return super()._hyper(group)._replace(decay=float(group["weight_decay"]))

    def _functions(self) -> tuple:
        return self._apply_decay_param_fun, self._lr_ratio

    def _entry_hyper(self, param: Tensor, hyper: Any, regularizer) -> tuple[tuple, tuple | None]:
        hyper, decay = super()._entry_hyper(param, hyper, regularizer)
        shrinks = self._apply_decay_param_fun is None or self._apply_decay_param_fun(param.name)
        ratio = 1.0 if self._lr_ratio is None else float(self._lr_ratio(param))
        return hyper._replace(decay=hyper.decay if shrinks else 0.0, rate_ratio=ratio), decay

    def _narrow_accumulators(self) -> bool:
        return self._use_lowprecision_moment
