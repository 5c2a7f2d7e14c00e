"""Optimizer: collects the gradients, keeps the state, and runs one fused step per update."""

from __future__ import annotations

import contextlib
import operator
from collections.abc import Callable
from itertools import chain, repeat, starmap
from typing import TYPE_CHECKING, Any

from jaxeager.arrays.as_array import refuse_apart
from jaxeager.core import dtypes, ports
from jaxeager.core.itemgetters import picker
from jaxeager.errors import InvalidArgumentError
from jaxeager.graph import events, rows
from jaxeager.graph.atomic import Also, set_together
from jaxeager.graph.events import notify
from jaxeager.graph.mode import grad_mode
from jaxeager.kernels.lazy import mode as lazy_mode
from jaxeager.ops.call.observers import lookers, see
from jaxeager.optimizer import fused, rules
from jaxeager.optimizer.custom import UpdatesByHand
from jaxeager.optimizer.groups import (
    EmptyParametersError,
    as_regularizer,
    checked_clip,
    checked_learning_rate,
)
from jaxeager.optimizer.has_parameters import HasParameters
from jaxeager.optimizer.has_state import HasState
from jaxeager.optimizer.params_grads import TakesPairs
from jaxeager.optimizer.plan import (
    SETTINGS,
    Layout,
    ParamSettings,
    Plan,
    clip_entries,
    clip_rule,
    settings_now,
    settings_of,
)
from jaxeager.optimizer.rate import HasLearningRate
from jaxeager.optimizer.row_gradients import arrays_of, without_empty
from jaxeager.optimizer.state import Accumulators
from jaxeager.regularizer import L2Decay
from jaxeager.tensor import Tensor

if TYPE_CHECKING:
    from jaxeager.nn.clip import ClipGradBase
    from jaxeager.optimizer.lr import LRScheduler
    from jaxeager.optimizer.types import ParametersLike
    from jaxeager.regularizer import WeightDecayRegularizer


class Optimizer(HasParameters, HasLearningRate, TakesPairs, UpdatesByHand, HasState):
    """Base of the optimizers; a user's own one defines ``_append_optimize_op`` (custom.py).

    A step is one XLA call over all parameters that have a gradient: clipping, weight decay and
    update, written into the buffers of the old values (see Note [Donation] in fused.py). It is
    prepared once and used again while the same parameters have gradients; a new learning rate never
    recompiles. Preparation takes about a millisecond, the Python part of a step about 10 us and 0.5
    us per parameter.

    Args:
        learning_rate: a float or an LRScheduler.
        parameters: tensors, or dicts with a ``params`` entry and their own options:
            ``learning_rate`` (a factor), ``weight_decay``, ``grad_clip`` and the parameters of the
            optimizer (``beta1``, ``momentum``, ...).
        weight_decay: a number (L2), L1Decay or L2Decay; a parameter's own regularizer takes
            precedence.
        grad_clip: a ClipGradBy... object, applied before weight decay.
        name: a prefix of the accumulators' names.

    Paddle: accumulator names always end in ``_0``, so a second optimizer of the same parameters can
    load the first one's state; a parameter given twice is an error instead of two updates; clipping
    does not change ``param.grad``.

    Example:
        >>> import jaxeager as paddle
        >>> w = paddle.nn.Parameter(paddle.to_tensor([1.0, 2.0]))
        >>> sgd = paddle.optimizer.SGD(learning_rate=0.5, parameters=[w])
        >>> isinstance(sgd, paddle.optimizer.Optimizer)
        True
    """

    _rule = rules.UNWRITTEN

    def __init__(
        self,
        learning_rate: float | Tensor | LRScheduler,
        parameters: ParametersLike | None = None,
        weight_decay: float | Tensor | WeightDecayRegularizer | None = None,
        grad_clip: ClipGradBase | None = None,
        name: str | None = None,
        multi_precision: bool = False,
        defaults: dict | None = None,
    ):
        self._learning_rate = checked_learning_rate(learning_rate)
        checked_clip(grad_clip)
        self._name = name
        self._multi_precision = multi_precision
        self._default_dict = {
            "weight_decay": weight_decay,
            "grad_clip": grad_clip,
            **(defaults or {}),
        }
        self.regularization = self._own_regularization(weight_decay)
        self._list_parameters(parameters)
        if self._rule.name:
            self.type = self._rule.name
        self._state = Accumulators(self._rule, name)
        self._auxiliary_vars: dict[str, Any] = {}

    def __repr__(self) -> str:
        elements = sum(each.size for each in self._params)
        groups = f", {len(self._groups)} groups" if len(self._groups) > 1 else ""
        return (
            f"{type(self).__name__}(learning_rate={self._learning_rate}, {len(self._params)} "
            f"parameters of {elements:,} elements{groups})"
        )

    _repr_html_ = ports.notebook_form

    # ---- the step

    def step(self) -> None:
        """Update every parameter that has a gradient; gradients stay until ``clear_grad``.

        Raises:
            EmptyParametersError: when the optimizer has no parameters; an IndexError, as in Paddle.
            InvalidArgumentError: when a gradient's shape is not its parameter's, or parameters,
                gradients and state are on several devices. Then nothing has changed.

        Example:
            >>> import jaxeager as paddle
            >>> w = paddle.nn.Parameter(paddle.to_tensor([1.0, 2.0]))
            >>> sgd = paddle.optimizer.SGD(learning_rate=0.5, parameters=[w])
            >>> w.sum().backward()
            >>> sgd.step()
            >>> w.tolist()
            [0.5, 1.5]
        """
        params = self._params
        if not params:
            raise EmptyParametersError(
                "`parameters` of the optimizer is empty; nothing to update. Give it parameters, "
                "or append them to its _parameter_list."
            )
        if lookers:
            see(params)
        settings, grads = [], []
        for index, param in enumerate(params):
            meta = param._meta
            if meta is None or meta.stop_gradient:
                continue
            grad = param.grad if meta.grad is None else meta.grad
            if grad is not None:
                settings.append(settings_of(index, param))
                grads.append(grad)
        self._run(settings, grads)

    def _run(self, settings: list[ParamSettings], grads: list[Tensor], also: Also = ()) -> None:
        """Update parameters with these gradients.

        Args:
            settings: the settings of the parameters.
            grads: their gradients.
            also: attributes that change with them: (object, name, value).
        """
        if rows.seen:
            settings, grads = without_empty(settings, grads)
        if not settings:
            return
        if events.update_began is None and events.update_ended is None:
            self._update(settings, grads, also)
            return
        notify(events.update_began, self._rule)
        try:
            self._update(settings, grads, also)
        finally:
            notify(events.update_ended, self._rule, [self._params[index] for index, *_ in settings])

    def _update(self, settings: list[ParamSettings], grads: list[Tensor], also: Also) -> None:
        """Do the work of ``_run``, with or without observers."""
        if self._updates_by_hand:
            params = [self._params[index] for index, *_ in settings]
            self._step_by_hand(list(zip(params, grads, strict=True)))
            return
        options = [self._options(group) for group in self._groups]
        for index, (clip, _) in enumerate(options):
            if clip is not None and clip_rule(clip) is clip:
                grads = self._clip_by_call(clip, index, settings, grads)
        plan, capture = self._plan, grad_mode.capture
        if plan is None or not self._fits(plan, settings, options):
            with contextlib.nullcontext() if capture is None else capture.suspended():
                plan = self._plan = self._prepare(settings, options)
        if capture is not None:
            capture.depends_on(self._holding(plan))
        arrays = arrays_of(self, plan.params, grads)
        skip = self._auxiliary_vars.get("found_inf")
        given = self._auxiliary_vars.get("also")
        also = (*given, *also) if given else also
        if events.step_began is not None and (skip is None or not bool(skip)):
            events.step_began(self._rule, plan.params)
        try:
            plan.buffers.run(plan.run, (arrays, self._rate_array(), skip), also)
        except fused.GradientShapeMismatch as mismatch:
            raise InvalidArgumentError(
                f"The gradient of {plan.names[mismatch.entry]} has shape "
                f"{list(mismatch.grad_shape)}, but the parameter has shape "
                f"{list(mismatch.param_shape)}."
            ) from None
        except ValueError:
            self._refuse_apart(plan.params, grads, self._state.state_dict())
            raise
        if events.step_ended is not None and (skip is None or not bool(skip)):  # waits for the flag
            events.step_ended(self._rule, plan.params, self._state)

    def _refuse_apart(self, params: list[Tensor], grads=(), state=None) -> None:
        """Raise InvalidArgumentError when the arrays of a step are on different devices."""
        named = [(f"the parameter {param.name}", param._array) for param in params]
        pairs = zip(params, grads, strict=False)
        named += [(f"the gradient of {p.name}", g._whole) for p, g in pairs if g is not None]
        state = dict(state or {})
        state |= state.pop("master_weights", {})
        named += [(f"the state {name}", each._array) for name, each in state.items()]
        refuse_apart(
            f"{type(self).__name__}.step",
            named,
            "Create a separate optimizer for the parameters of each device; for parameters that "
            "have moved, create a new one and load the state_dict() of the old one into it.",
        )

    def _set_auxiliary_var(self, key: str, value) -> None:
        """Set a value for the steps that follow.

        "found_inf" is a bool[] array that skips them; "also" are attributes, (object, name, value),
        that are set together with the parameters.
        """
        self._auxiliary_vars[key] = value

    def _get_auxiliary_var(self, key: str):
        """Return a value of ``_set_auxiliary_var``, or None."""
        return self._auxiliary_vars.get(key)

    def _options(self, group: dict) -> tuple:
        """Return the present options of a group: its clipping object, and the rule's parameters."""
        return group["grad_clip"], self._hyper(group)

    def _hyper(self, group: dict) -> tuple:
        """Return the rule's parameters for a group; hashable."""
        return rules.NoHyper()

    def _fits(self, plan: Plan, settings: list[ParamSettings], options: list[tuple]) -> bool:
        """Return whether a plan is for these parameters, these options and this memory."""
        return (
            plan.settings == settings
            and plan.options == [(clip_rule(clip), hyper) for clip, hyper in options]
            and plan.functions == self._functions()
            and all(map(operator.is_, plan.params, plan.pick(self._params)))
        )

    def _functions(self) -> tuple:
        """Return the functions that a plan was prepared with: they choose settings by parameter."""
        return ()

    def _holding(self, plan: Plan) -> Callable[[], bool]:
        """Return a function that checks for each call of a captured step if the plan still holds.

        Parameters of the rule may be set, and a loaded state may contain other powers and master
        weights.
        """
        state = self._state

        def memory() -> list[Tensor]:
            powers = [state.powers(param) for param in plan.params]
            tensors = [tensor for each in powers if each for tensor in each.tensors]
            masters = [state.masters.get(name) for name in plan.names]
            return [*tensors, *[each for each in masters if each is not None]]

        first, known = memory(), [state._powers, state.masters]
        before, listed = settings_now(plan.params), len(self._params)

        def holds() -> bool:
            if len(self._params) != listed:
                return False
            settings = plan.settings
            if before is None or list(map(SETTINGS, plan.params)) != before:
                params = [(index, self._params[index]) for index, *_ in settings]
                settings = list(starmap(settings_of, params))
            options = [self._options(group) for group in self._groups]
            if not self._fits(plan, settings, options):
                return False
            if known[0] is not state._powers or known[1] is not state.masters:
                now = memory()
                if len(now) != len(first) or not all(map(operator.is_, now, first)):
                    return False
                known[:] = state._powers, state.masters
            return True

        return holds

    def _clip_by_call(self, clip, group: int, settings: list[ParamSettings], grads: list) -> list:
        """Clip the gradients of a group with a user's own clipping class."""
        grads = list(grads)
        members = [i for i, each in enumerate(settings) if self._group_of[each[0]] == group]
        pairs = [(self._params[settings[i][0]], grads[i]) for i in members]
        clipped = {id(param): grad for param, grad in clip(pairs)}
        for i in members:
            grads[i] = clipped.get(id(self._params[settings[i][0]]), grads[i])
        return grads

    def _update_by_rule(self, param: Tensor, grad: Tensor) -> None:
        """Update one parameter by the rule of the class, with an unchanged gradient: custom.py."""
        index = next(index for index, each in enumerate(self._params) if each is param)
        options = [(None, self._hyper(group)) for group in self._groups]
        _, factor, _, need_clip = settings_of(index, param)
        plan = self._prepare([(index, factor, L2Decay(0.0), need_clip)], options)
        self._plan = None
        plan.buffers.run(plan.run, (arrays_of(self, [param], [grad]), self._rate_array(), None))

    def _prepare(self, settings: list[ParamSettings], options: list[tuple]) -> Plan:
        """Make missing accumulators and the executable of a step."""
        previous = None if self._plan is None else self._plan.buffers
        params = [self._params[index] for index, *_ in settings]
        self._refuse_apart(params)
        hypers = [options[self._group_of[index]][1] for index, *_ in settings]
        self._add_accumulators(params, hypers)
        layout = Layout(params)
        entries, advances = [], {}
        for (_, factor, regularizer, _), param, hyper in zip(settings, params, hypers, strict=True):
            powers = self._state.powers(param)
            positions = () if powers is None else tuple(map(layout.place, powers.tensors))
            own_hyper, decay = self._entry_hyper(param, hyper, regularizer)
            entries.append(
                fused.Entry(
                    update=self._rule.update,
                    hyper=own_hyper,
                    param=layout.place(param),
                    master=self._master_position(param, layout),
                    slots=tuple(layout.place(s) for s in self._state.slots(param)),
                    powers=positions,
                    rate_factor=factor,
                    decay=decay,
                    of_rows=self._rule.of_rows if callable(self._rule.of_rows) else None,
                    leaves_others=decay is None
                    and self._rule.leaves_others is not None
                    and self._rule.leaves_others(own_hyper),
                )
            )
            if positions and self._rule.advance is not None:
                advances[positions] = fused.Advance(self._rule.advance, hyper, positions)
        clips = tuple(clip_entries(settings, self._group_of, options))
        shardings = fused.shardings_of(layout.tensors)
        spec = fused.StepSpec(tuple(entries), clips, tuple(advances.values()), shardings)
        return Plan(
            settings,
            [(clip_rule(clip), hyper) for clip, hyper in options],
            params,
            fused.Buffers(layout.tensors, previous),
            fused.fused_step(spec),
            [param.name for param in params],
            picker([index for index, *_ in settings]),
            self._functions(),
        )

    def _add_accumulators(self, params: list[Tensor], hypers: list[tuple]) -> None:
        """Make the accumulators of parameters that are updated for the first time."""
        fresh = [param for param in params if not self._state.has(param)]
        if not (fresh or self._rule.powers):
            return
        draft = self._state.draft()
        for param, hyper in zip(params, hypers, strict=True):
            if not draft.has(param):
                is_half = param._array.dtype in dtypes.HALF
                draft.add(
                    param,
                    self._rule.first(hyper),
                    keeps_master=self._multi_precision and is_half,
                    narrow=self._narrow_accumulators(),
                )
        if fresh or draft.is_apart:
            draft.share_powers()
        if self._rule.powers:
            draft.split_powers(params, hypers)
        self._state.commit(draft, [(self, "_plan", None)])

    def _narrow_accumulators(self) -> bool:
        """Return whether accumulators of a half precision parameter are half precision too."""
        return True

    def _master_position(self, param: Tensor, layout: Layout) -> int | None:
        master = self._state.masters.get(param.name) if self._multi_precision else None
        return None if master is None else layout.place(master)

    def _entry_hyper(self, param: Tensor, hyper: Any, regularizer) -> tuple[tuple, tuple | None]:
        """Return a parameter's values for the rule, and the decay added to its gradient."""
        regularizer = as_regularizer(self.regularization if regularizer is None else regularizer)
        return hyper, None if regularizer is None else regularizer.rule()

    def clear_grad(self, set_to_zero: bool = True) -> None:
        """Clear the gradients of all parameters: to zeros, or to None.

        Example:
            >>> import jaxeager as paddle
            >>> w = paddle.nn.Parameter(paddle.to_tensor([1.0]))
            >>> sgd = paddle.optimizer.SGD(0.5, parameters=[w])
            >>> w.sum().backward()
            >>> sgd.clear_grad()
            >>> w.grad.tolist()
            [0.0]
        """
        if lookers:
            see(self._params)
        metas = [param._meta for param in self._params if param._meta is not None]
        metas = [meta for meta in metas if not meta.stop_gradient]
        zeros: list = [None] * len(metas)
        if set_to_zero and rows.seen:
            zeros = [meta.cleared() for meta in metas]
        elif set_to_zero:
            zeros = [meta.zeros if meta.grad is None else meta.grad._array.aval for meta in metas]
        names = chain(repeat("zeros", len(metas)), repeat("grad"))
        set_together(chain(metas, metas), names, chain(zeros, repeat(None, len(metas))))
        lazy_mode.run_step()

    clear_gradients = clear_grad

    def zero_grad(self, set_to_none: bool = True) -> None:
        """Clear the gradients of all parameters: to None, or to zeros."""
        self.clear_grad(not set_to_none)
