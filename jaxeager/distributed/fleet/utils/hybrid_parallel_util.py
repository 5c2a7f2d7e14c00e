"""Gradients and parameters of processes that share work; a single process has them whole."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from jaxeager.autograd import no_grad
from jaxeager.core.ignored_arguments import unheeded
from jaxeager.distributed.communication import ReduceOp
from jaxeager.distributed.communication.groups import used_group
from jaxeager.distributed.fleet.meta_optimizers.dygraph_optimizer.inner import parameters_of
from jaxeager.distributed.ranks.synchronize import (
    average_gradients,
    gradients_of,
    sync_params_buffers,
)
from jaxeager.errors import InvalidTypeError
from jaxeager.nn import Layer

if TYPE_CHECKING:
    from jaxeager.distributed.communication.groups import Group
    from jaxeager.distributed.fleet.base.topology import HybridCommunicateGroup
    from jaxeager.distributed.fleet.meta_optimizers.dygraph_optimizer.inner import AnyOptimizer
    from jaxeager.tensor import Parameter, Tensor


def fused_allreduce_gradients(
    parameter_list: Sequence[Tensor], hcg: HybridCommunicateGroup | None
) -> None:
    """Average gradients over the processes with the same weights and different data.

    Args:
        parameter_list: parameters.
        hcg: the groups of this process.

    Example:
        >>> import jaxeager as paddle
        >>> from jaxeager.distributed.fleet.utils import hybrid_parallel_util
        >>> net = paddle.nn.Linear(2, 3)
        >>> hybrid_parallel_util.fused_allreduce_gradients(net.parameters(), None)
    """
    if hcg is not None and hcg.nranks > 1:
        for group in (hcg.get_data_parallel_group(), hcg.get_sep_parallel_group()):
            average_gradients(parameter_list, group)


def fused_allreduce_gradients_with_group(
    parameter_list: Sequence[Parameter],
    group: Group | None,
    bucket_size: int = 128 * 1024 * 1024,
    scale: float | None = None,
) -> None:
    """Add gradients over a group, each times a factor.

    A ``main_grad`` counts as the gradient of a parameter without one.

    Args:
        parameter_list: parameters; those without a gradient, or not trainable, are skipped.
        group: the processes; None means all.
        bucket_size: the bytes that Paddle sends together; here all are.
        scale: the factor; by default 1 / the number of processes, so gradients are averaged.

    Raises:
        PreconditionNotMetError: for a group of None before ``init_parallel_env``.

    Example:
        >>> import jaxeager as paddle
        >>> from jaxeager.distributed.fleet.utils import hybrid_parallel_util
        >>> w = paddle.nn.Parameter(paddle.to_tensor([1.0]))
        >>> w.sum().backward()
        >>> alone = paddle.distributed.new_group()
        >>> hybrid_parallel_util.fused_allreduce_gradients_with_group([w], alone, scale=0.5)
        >>> w.grad.tolist()
        [0.5]
    """
    unheeded(
        "fused_allreduce_gradients_with_group",
        "all gradients are sent together",
        bucket_size=(bucket_size, 128 * 1024 * 1024),
    )
    parameters = [each for each in parameter_list if each.trainable]
    group = used_group(group)
    factor = 1.0 / group.nranks if scale is None else scale
    if factor != 1.0:
        with no_grad():
            for gradient in gradients_of(parameters):
                gradient.scale_(factor)
    average_gradients(parameters, group, ReduceOp.SUM)


def obtain_optimizer_parameters_list(optimizer: AnyOptimizer) -> list:
    """Return the parameters of an optimizer, with those of its groups concatenated.

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
    return parameters_of(optimizer)


_GROUPS = {
    "mp": "model", "dp": "data", "sharding": "sharding", "sep": "sep", "moe_sharding": "sharding",
}  # fmt: skip


def broadcast_along(model: Layer, hcg: HybridCommunicateGroup, what: str) -> None:
    """Send the weights of the first process along an axis to the others; skip parts with "mp"."""
    group = hcg._groups[_GROUPS[what]]
    if group.nranks > 1:
        sync_params_buffers(model, group, group.ranks[0], is_model_parallel=what == "mp")


def _add_broadcast(what: str) -> None:
    """Add ``broadcast_<what>_parameters``."""

    def broadcast(
        model: Layer, hcg: HybridCommunicateGroup | None, fuse_params: bool = True
    ) -> None:
        if not isinstance(model, Layer):
            raise InvalidTypeError(
                f"broadcast_{what}_parameters takes a Layer, but received {model!r}."
            )
        if hcg is not None:
            broadcast_along(model, hcg, what)

    broadcast.__name__ = f"broadcast_{what}_parameters"
    broadcast.__doc__ = (
        "Copy the parameters of the first process to the other processes of its group.\n"
        "\n"
        "Args:\n"
        "    model: a Layer.\n"
        "    hcg: the groups of this process.\n"
        "    fuse_params: whether Paddle sends them together; they are.\n"
        "\n"
        "Raises:\n"
        "    InvalidTypeError: when the model is not a Layer.\n"
    )
    globals()[broadcast.__name__] = broadcast


for _what in _GROUPS:
    _add_broadcast(_what)


def unwrap_optimizer(
    optimizer: Any, optimizer_instances: type | tuple[type, ...] = ()
) -> AnyOptimizer:
    """Return the optimizer inside of wrappers of given classes.

    Args:
        optimizer: an optimizer, or a wrapper with an ``_inner_opt``.
        optimizer_instances: the classes of wrappers.

    Example:
        >>> import jaxeager as paddle
        >>> from jaxeager.distributed.fleet.utils import hybrid_parallel_util
        >>> sgd = paddle.optimizer.SGD(parameters=[paddle.nn.Parameter(paddle.ones([1]))])
        >>> hybrid_parallel_util.unwrap_optimizer(sgd) is sgd
        True
    """
    while isinstance(optimizer, optimizer_instances):
        optimizer = optimizer._inner_opt
    return optimizer
