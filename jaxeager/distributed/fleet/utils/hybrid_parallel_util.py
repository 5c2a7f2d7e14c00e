"""Gradients and parameters of processes that share work: with one process they are whole."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from jaxeager.errors import InvalidTypeError
from jaxeager.nn import Layer


def fused_allreduce_gradients(parameter_list: Sequence[Any], hcg: object) -> None:
    """Sums gradients over processes: they keep their values.

    Args:
        parameter_list: parameters.
        hcg: the groups of this process.

    Example:
        >>> import jaxeager as paddle
        >>> from jaxeager.distributed.fleet.utils import hybrid_parallel_util
        >>> net = paddle.nn.Linear(2, 3)
        >>> hybrid_parallel_util.fused_allreduce_gradients(net.parameters(), None)
    """


def obtain_optimizer_parameters_list(optimizer: Any) -> list:
    """Returns the parameters of an optimizer, those of its groups one after the other.

    Args:
        optimizer: any optimizer.

    Example:
        >>> import jaxeager as paddle
        >>> from jaxeager.distributed.fleet.utils import hybrid_parallel_util
        >>> net = paddle.nn.Linear(2, 3)
        >>> sgd = paddle.optimizer.SGD(parameters=net.parameters())
        >>> len(hybrid_parallel_util.obtain_optimizer_parameters_list(sgd))
        2
    """
    groups = getattr(optimizer, "_param_groups", None) or []
    if groups and isinstance(groups[0], dict):
        return [parameter for group in groups for parameter in group["params"]]
    return list(optimizer._parameter_list)


def _add_broadcast(what: str) -> None:
    """Adds ``broadcast_<what>_parameters``."""

    def broadcast(model: Layer, hcg: object, fuse_params: bool = True) -> None:
        if not isinstance(model, Layer):
            raise InvalidTypeError(f"It takes a Layer, but received {model!r}.")

    broadcast.__name__ = f"broadcast_{what}_parameters"
    broadcast.__doc__ = (
        "Gives the parameters of one process to those it works with: they keep their values.\n"
        "\n"
        "Args:\n"
        "    model: a Layer.\n"
        "    hcg: the groups of this process.\n"
        "    fuse_params: whether Paddle sends them together.\n"
        "\n"
        "Raises:\n"
        "    InvalidTypeError: when it is no Layer.\n"
    )
    globals()[broadcast.__name__] = broadcast


for _what in ("mp", "dp", "sharding", "sep", "moe_sharding"):
    _add_broadcast(_what)
