"""The parameters of an optimizer, in groups with options, and how both change later."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from jaxeager.optimizer.groups import (
    as_parameter_list,
    as_regularizer,
    checked_clip,
    group_parameters,
    refuse_repeated,
    settable_clip,
)

if TYPE_CHECKING:
    from jaxeager.nn.clip import ClipGradBase
    from jaxeager.optimizer.plan import Plan
    from jaxeager.optimizer.types import ParametersLike
    from jaxeager.regularizer import WeightDecayRegularizer
    from jaxeager.tensor import Tensor


class HasParameters:
    """Base of Optimizer: its parameters.

    ``_parameter_list`` is the list that it was created with, and ``group["params"]`` that of a
    group. As in Paddle, both may grow and shrink, and ``_parameter_list`` may be replaced: the next
    step updates what is listed then.

    Example:
        >>> import jaxeager as paddle
        >>> w, v = (paddle.nn.Parameter(paddle.to_tensor([1.0])) for _ in range(2))
        >>> sgd = paddle.optimizer.SGD(0.5, parameters=[w])
        >>> sgd._parameter_list.append(v)
        >>> (w + v).sum().backward()
        >>> sgd.step()
        >>> v.tolist()
        [0.5]
    """

    _default_dict: dict[str, Any]
    _plan: Plan | None

    def _list_parameters(self, parameters: ParametersLike | None) -> None:
        """Set the parameters that the optimizer was created with."""
        self._parameter_list: list = as_parameter_list(parameters)
        self._param_groups: list = []
        self._all: list[Tensor] = []
        self._groups: list[dict] = []
        self._lists: list[tuple[list, int]] = []  # of each group, and how many it had
        self._group_of: list[int] = []
        self._group_by_id: dict[int, dict] = {}
        self._plan = None
        first = self._parameter_list[0] if self._parameter_list else None
        self._has_groups = isinstance(first, dict)
        if self._has_groups:
            for group in self._parameter_list:
                self._add_param_group(dict(group))
        else:
            self._param_groups = self._parameter_list
            self._add_group(dict(self._default_dict), self._parameter_list)

    @property
    def _params(self) -> list[Tensor]:
        """All parameters, in order."""
        for listed, count in self._lists:
            if len(listed) != count:
                self._list_again()
                return self._all
        if not self._has_groups and self._lists[0][0] is not self._parameter_list:
            self._list_again()
        return self._all

    def _list_again(self) -> None:
        """Take up lists that have changed since they were read."""
        lists = (
            [listed for listed, _ in self._lists] if self._has_groups else [self._parameter_list]
        )
        params = [param for listed in lists for param in as_parameter_list(listed)]
        refuse_repeated(params)
        self._all, self._group_of, self._plan = params, [], None
        for number, (group, listed) in enumerate(zip(self._groups, lists, strict=True)):
            self._group_of.extend([number] * len(listed))
            self._group_by_id.update(dict.fromkeys(map(id, listed), group))
        self._lists = [(listed, len(listed)) for listed in lists]

    @property
    def _grad_clip(self) -> ClipGradBase | None:
        """The clipping object; code that prepares an optimizer for many devices replaces it.

        Groups of parameters have their own, as in Paddle: then this is that of later groups.
        """
        options = self._options_without_groups()
        return None if options is None else options["grad_clip"]

    @_grad_clip.setter
    def _grad_clip(self, clip: ClipGradBase | None) -> None:
        options = self._options_without_groups()
        if options is not None:  # as in Paddle, __init__ replaces an earlier one
            options["grad_clip"] = settable_clip(clip)

    def _options_without_groups(self) -> dict[str, Any] | None:
        """Return the options of parameters that were not given in groups; None before __init__."""
        if not vars(self).get("_groups"):
            return None
        return self._default_dict if self._has_groups else self._groups[0]

    def _own_regularization(self, weight_decay):
        """Return the regularizer of parameters that have none; AdamW uses it differently."""
        return as_regularizer(weight_decay)

    def _add_param_group(self, group: dict) -> None:
        """Add parameters with their own options."""
        params = group["params"] = group_parameters(group)
        for option, value in self._default_dict.items():
            group.setdefault(option, value)
        checked_clip(group["grad_clip"])
        self._add_group(group, params)
        for param in params:
            self._set_group_regularizer(param, group["weight_decay"])
            attributes = getattr(param, "optimize_attr", None)
            if attributes is not None:
                attributes["learning_rate"] = group.get("learning_rate", 1.0)
        self._param_groups.append(group)

    def _set_group_regularizer(self, param: Tensor, weight_decay) -> None:
        """Set a parameter's regularizer; as in Paddle, that of its group takes precedence."""
        regularizer: WeightDecayRegularizer | None = as_regularizer(weight_decay)
        param.regularizer = regularizer  # type: ignore[attr-defined]

    def _group(self, param: Tensor) -> dict:
        """Return the options of the group a parameter is in."""
        return self._group_by_id[id(param)]

    def _add_group(self, group: dict, params: list[Tensor]) -> None:
        refuse_repeated(self._all + params)
        self._all.extend(params)
        self._group_of.extend([len(self._groups)] * len(params))
        self._group_by_id.update(dict.fromkeys(map(id, params), group))
        self._groups.append(group)
        self._lists.append((params, len(params)))
        self._plan = None
