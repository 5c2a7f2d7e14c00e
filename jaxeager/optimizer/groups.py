"""Parameter groups: the parameters that an optimizer updates, each with its own options."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from jaxeager.core import user_lines
from jaxeager.errors import (
    InvalidArgumentError,
    InvalidTypeError,
    JaxEagerError,
    RefusedArgumentError,
)
from jaxeager.nn.clip import ClipGradBase
from jaxeager.optimizer.lr import LRScheduler
from jaxeager.regularizer import L2Decay, WeightDecayRegularizer
from jaxeager.tensor import Tensor


class NoParametersError(JaxEagerError, AttributeError):
    """Raised when ``parameters`` is None; an AttributeError, as in Paddle."""

    kind = "InvalidArgument"


class EmptyParametersError(JaxEagerError, IndexError):
    """Raised by a step without parameters; an IndexError, as in Paddle."""

    kind = "InvalidArgument"


def as_parameter_list(parameters) -> list:
    """Return the ``parameters`` argument of an optimizer as a list of tensors or of dicts.

    Raises:
        NoParametersError: when it is None.
        InvalidTypeError: when it is a Tensor, a dict, not iterable or mixed.
    """
    if parameters is None:
        raise NoParametersError(
            "parameters argument given to the Optimizer should not be None in dygraph mode; "
            "pass layer.parameters()."
        )
    if isinstance(parameters, dict):
        raise InvalidTypeError(
            "`parameters` argument should not get dict type, if parameter groups is needed, "
            "please set `parameters` as list of dict."
        )
    if isinstance(parameters, Tensor) or not hasattr(parameters, "__iter__"):
        raise InvalidTypeError(
            "`parameters` argument given to the optimizer should be an iterable of Tensors, but "
            f"is of type {type(parameters).__name__}."
        )
    items = list(parameters)
    kind = dict if items and isinstance(items[0], dict) else Tensor
    for item in items:
        if not isinstance(item, kind):
            raise InvalidTypeError(
                "`parameters` should be Tensors or dicts with a 'params' entry, all of one kind, "
                f"but there are a {type(item).__name__} and a {type(items[0]).__name__}."
            )
    return items


def group_parameters(group: dict) -> list:
    """Return the ``params`` of a group as a list.

    Raises:
        InvalidArgumentError: when the group has none.
        InvalidTypeError: when they have no order.
    """
    if "params" not in group:
        raise RefusedArgumentError(
            "params should be set in parameters if parameter groups are optimized in different "
            f"options; this group has only {sorted(group)}."
        )
    params = group["params"]
    if isinstance(params, Tensor):
        return [params]
    if isinstance(params, set):
        raise InvalidTypeError(
            "optimizer parameters should be in ordered collections, but received set, please use "
            "list instead."
        )
    return as_parameter_list(params)


def refuse_repeated(params: list) -> None:
    """Raise InvalidArgumentError when a parameter, or the name of one, occurs twice."""
    seen: dict[str, Tensor] = {}
    for param in params:
        other = seen.get(param.name)
        if other is param:
            raise InvalidArgumentError(
                "some parameters appear in more than one parameter group, or twice in one: "
                f"{param.name} would be updated twice by each step."
            )
        if other is not None:
            raise InvalidArgumentError(
                f"Two parameters are called {param.name}, so they would share accumulators; "
                "give one of them another name."
            )
        seen[param.name] = param


def as_regularizer(weight_decay: object) -> WeightDecayRegularizer | None:
    """Return the regularizer for a ``weight_decay`` argument: a number means L2Decay.

    Raises:
        InvalidTypeError: when it is not a number, L1Decay, L2Decay or None.
    """
    if weight_decay is None or isinstance(weight_decay, WeightDecayRegularizer):
        return weight_decay
    if isinstance(weight_decay, (float, int)):
        return L2Decay(weight_decay)
    raise InvalidTypeError(
        "weight_decay should be a number, paddle.regularizer.L1Decay, L2Decay or None, but is "
        f"{weight_decay!r}."
    )


def checked_learning_rate(learning_rate):
    """Return the learning rate when it is a float or a scheduler.

    Raises:
        InvalidArgumentError: when it is None.
        InvalidTypeError: when it is of another type.
    """
    if learning_rate is None:
        raise RefusedArgumentError("learning_rate is not set.")
    if not isinstance(learning_rate, (float, LRScheduler)):
        raise InvalidTypeError(
            f"learning rate should be float or LRScheduler, got {type(learning_rate)} here"
        )
    if isinstance(learning_rate, float):
        warn_of_ascent(learning_rate)
    return learning_rate


def warn_of_ascent(learning_rate: float) -> None:
    """Warn of a negative learning rate."""
    if learning_rate < 0:
        user_lines.warn(
            f"The learning rate is {learning_rate}: steps with a negative one increase the loss. "
            "To maximize a value, minimize its negative."
        )


def settable_clip(grad_clip: object) -> Callable[..., Any] | None:
    """Return what may replace an optimizer's clipping object: another one, a callable, or None.

    Raises:
        InvalidTypeError: when it cannot be called.
    """
    return grad_clip if callable(grad_clip) else checked_clip(grad_clip)


def checked_clip(grad_clip) -> ClipGradBase | None:
    """Return the clipping object; raise InvalidTypeError when it is not one."""
    if grad_clip is not None and not isinstance(grad_clip, ClipGradBase):
        raise InvalidTypeError(
            "'grad_clip' should be an instance of ClipGradByValue, ClipGradByNorm or "
            f"ClipGradByGlobalNorm, but is {grad_clip!r}."
        )
    return grad_clip
