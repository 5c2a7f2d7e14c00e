"""Gradients of some rows in a step: each optimizer's use of them, and its refusals."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import compress
from typing import TYPE_CHECKING

from jaxeager.errors import PreconditionNotMetError, UnimplementedError
from jaxeager.graph import rows
from jaxeager.nn.clip import ClipGradBase

if TYPE_CHECKING:
    import jax

    from jaxeager.optimizer.optimizer import Optimizer
    from jaxeager.tensor import Tensor


def arrays_of(optimizer: Optimizer, params: Sequence[Tensor], grads: Sequence[Tensor]) -> list:
    """Return a step's input for each gradient: its array, or a pair; see ``run_step``.

    Args:
        optimizer: the optimizer of the step.
        params: the parameters.
        grads: their gradients, some of which may be SelectedRows.

    Raises:
        PreconditionNotMetError: when the optimizer adds its own penalty to such a gradient.
        UnimplementedError: when it, or its clipping, does not accept such a gradient.
    """
    if not rows.seen:
        return [grad._array for grad in grads]
    return [_array_of(optimizer, *pair) for pair in zip(params, grads, strict=True)]


def without_empty(settings: list, grads: list) -> tuple[list, list]:
    """Return the settings and gradients of a step, without gradients that have no rows.

    As in Paddle's Adam and Momentum, such a gradient does not count as a step: no moment decays and
    no power advances.
    """
    has_rows = [grad._rows is None or not grad._rows.is_empty() for grad in grads]
    return list(compress(settings, has_rows)), list(compress(grads, has_rows))


def _array_of(
    optimizer: Optimizer, param: Tensor, grad: Tensor
) -> jax.Array | tuple[jax.Array, jax.Array]:
    if grad._rows is None:
        return grad._array
    name, group = type(optimizer).__name__, optimizer._group(param)
    of_rows = optimizer._rule.of_rows
    if isinstance(group["grad_clip"], ClipGradBase) and getattr(param, "need_clip", True):
        group["grad_clip"].check_rows([(param, grad)])
    if callable(of_rows) and optimizer.regularization is not None:
        raise PreconditionNotMetError(
            f"{name} don't support weight_decay with sparse parameters, please set it to None: "
            f"the gradient of {param.name} is of some rows (SelectedRows)."
        )
    _, decay = optimizer._entry_hyper(
        param, optimizer._hyper(group), getattr(param, "regularizer", None)
    )
    if of_rows is None and decay is None:  # a penalty is dense, and so is the sum
        raise UnimplementedError(
            f"{name} does not take a gradient of some rows (SelectedRows), such as that of "
            f"{param.name}: use Adam, Adagrad, Lamb, Momentum, RMSProp, Rprop or SGD, or create "
            "the embedding with sparse=False."
        )
    by_id = grad._rows.by_id
    if by_id is not None:
        padded = by_id.padded()
        return padded.values, padded.ids
    return grad._whole, grad._rows.present
