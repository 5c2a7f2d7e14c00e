"""Gradient clipping by value, by the norm of each gradient, or by the global norm.

Each class has a ``rule``: a hashable pure function from a list of gradients to the clipped list.
An optimizer runs it inside its one XLA call; calling the object runs it by itself.
"""

from collections.abc import Callable
from dataclasses import dataclass

import jax.numpy as jnp

from jaxeager.arrays.as_array import on_one_device
from jaxeager.core import dtypes
from jaxeager.errors import (
    InvalidArgumentError,
    InvalidTypeError,
    NotFoundError,
    RefusedArgumentError,
    UnimplementedError,
)
from jaxeager.graph.few_rows import FewRows
from jaxeager.graph.rows import Rows, only_rows
from jaxeager.kernels.tracing import jit, kernel_cache
from jaxeager.tensor import Tensor
from jaxeager.tensor.selected_rows import SelectedRows


class ClipGradBase:
    """Base of the clipping classes; a call maps (parameter, gradient) pairs to clipped pairs.

    Pairs without a gradient are left out. A parameter whose ``need_clip`` is False keeps its
    gradient and does not count for a norm. The given gradients are not changed. A subclass either
    returns a ``rule`` or overrides ``__call__``.

    Example:
        >>> import jaxeager as paddle
        >>> isinstance(paddle.nn.ClipGradByNorm(1.0), paddle.nn.clip.ClipGradBase)
        True
    """

    def rule(self) -> Callable | None:
        """Return a hashable pure function from gradients to clipped gradients, or None."""
        return None

    def __call__(self, params_grads: list) -> list:
        """Return the pairs with their gradients clipped."""
        rule = self.rule()
        if rule is None:
            raise UnimplementedError(
                f"{type(self).__name__} neither returns a rule() nor overrides __call__."
            )
        pairs = [(param, grad) for param, grad in params_grads if grad is not None]
        clipped = [pair for pair in pairs if getattr(pair[0], "need_clip", True)]
        if not clipped:
            return pairs
        self.check_rows(clipped)
        takes_rows = getattr(rule, "takes_rows", False)  # a rule of the user's may be any function
        clipped = [(param, _as_read(grad, takes_rows)) for param, grad in clipped]
        named = ((f"the gradient of {param.name}", grad._held) for param, grad in clipped)
        with on_one_device(type(self).__name__, named):
            arrays = _jitted(rule)([grad._held for _, grad in clipped])
        grads = {
            id(param): _like(grad, array)
            for (param, grad), array in zip(clipped, arrays, strict=True)
        }
        return [(param, grads.get(id(param), grad)) for param, grad in pairs]

    def check_rows(self, params_grads: list) -> None:
        """Raise UnimplementedError if a SelectedRows gradient cannot be clipped by this rule."""


def _as_read(grad: Tensor, takes_rows: bool) -> Tensor:
    """Return a gradient as a rule reads it: some rows have one value each, or are written out."""
    rows = None if grad._rows is None else grad._rows.by_id
    if rows is None:
        return grad
    if takes_rows:
        return SelectedRows.of(None, rows.summed(), grad.stop_gradient)
    return SelectedRows.of(rows.dense(), Rows(rows.present, None, None), grad.stop_gradient)


def _like(grad: Tensor, array) -> Tensor:
    """Return a clipped gradient with the rows of the original."""
    if grad._rows is None:
        return Tensor.from_array(array, grad.stop_gradient)
    rows = grad._rows.merged()
    if isinstance(rows, FewRows):
        return SelectedRows.of(None, rows.with_values(array), grad.stop_gradient)
    return SelectedRows.of(only_rows(array, rows.present), rows, grad.stop_gradient)


def merge_selected_rows(x: SelectedRows, name: str | None = None) -> SelectedRows:
    """Return a SelectedRows gradient in which each row occurs once, in order.

    Args:
        x: the gradient that ``embedding(sparse=True)`` leaves in ``grad``.
        name: ignored.

    Example:
        >>> import jaxeager as paddle
        >>> table = paddle.nn.Embedding(4, 1, sparse=True)
        >>> table(paddle.to_tensor([2, 1, 2])).sum().backward()
        >>> merged = paddle.nn.clip.merge_selected_rows(table.weight.grad)
        >>> merged.rows(), merged.tolist()
        ([1, 2], [[1.0], [2.0]])
    """
    _check_selected_rows("merge_selected_rows", x)
    return SelectedRows.of(x._dense, x._rows.merged(), x.stop_gradient)


def get_tensor_from_selected_rows(x: SelectedRows, name: str | None = None) -> Tensor:
    """Return the values of a SelectedRows gradient as a dense Tensor, one row per stored row.

    Args:
        x: the gradient that ``embedding(sparse=True)`` leaves in ``grad``.
        name: ignored.
    """
    _check_selected_rows("get_tensor_from_selected_rows", x)
    return x.value()


def _check_selected_rows(function: str, x: Tensor) -> None:
    if not x.is_selected_rows():
        raise InvalidTypeError(
            f"{function} takes a gradient of some rows (SelectedRows), but received "
            f"{type(x).__name__}."
        )


@kernel_cache(maxsize=256)
def _jitted(rule: Callable) -> Callable:
    return jit(rule)


@dataclass(frozen=True)
class _ByValue:
    low: float
    high: float

    def __call__(self, grads: list) -> list:
        return [jnp.clip(grad, _as(grad, self.low), _as(grad, self.high)) for grad in grads]


@dataclass(frozen=True)
class _ByNorm:
    limit: float
    takes_rows = True  # the values of some rows are enough: the others are zeros

    def __call__(self, grads: list) -> list:
        scales = [_scale(jnp.sqrt(_sum_of_squares(grad)), self.limit) for grad in grads]
        return [grad * s.astype(grad.dtype) for grad, s in zip(grads, scales, strict=True)]


@dataclass(frozen=True)
class _ByGlobalNorm:
    limit: float
    takes_rows = True

    def __call__(self, grads: list) -> list:
        squares = [_sum_of_squares(grad) for grad in grads]
        dtype = jnp.result_type(*squares)
        total = jnp.stack([square.astype(dtype) for square in squares]).sum()
        scale = _scale(jnp.sqrt(total), self.limit)
        return [grad * scale.astype(grad.dtype) for grad in grads]


def _as(grad, value: float):
    return jnp.asarray(value, grad.dtype)


def _sum_of_squares(grad):
    """Return the sum of squares, in at least float32; NotFoundError for integers and bools."""
    _check_has_norm(grad.dtype)
    grad = grad.astype(jnp.promote_types(grad.dtype, jnp.float32))
    return jnp.sum(grad * grad)


def _check_has_norm(dtype) -> None:
    if not jnp.issubdtype(dtypes.to_numpy(dtype), jnp.inexact):
        raise NotFoundError(
            f"A norm of dtype {dtypes.to_numpy(dtype)} is not of that dtype: cast the tensor to "
            "float32 first."
        )


def _scale(norm, limit: float):
    """Return limit / norm where the norm exceeds the limit, NaN where it is NaN, else 1."""
    greatest = jnp.asarray(limit, norm.dtype)
    return greatest / jnp.maximum(norm, greatest)


class ClipGradByValue(ClipGradBase):
    """Gradient clipping of every element to [min, max].

    Args:
        max: upper bound; positive if ``min`` is omitted.
        min: lower bound, by default ``-max``.

    Example:
        >>> import jaxeager as paddle
        >>> clip = paddle.nn.ClipGradByValue(max=0.5)
        >>> param, grad = paddle.to_tensor([0.0, 0.0]), paddle.to_tensor([2.0, -0.25])
        >>> clip([(param, grad)])[0][1].tolist()
        [0.5, -0.25]
    """

    def __init__(self, max: float, min: float | None = None):
        if min is None and not max > 0.0:
            raise RefusedArgumentError(f"max must be positive when min is not given, but is {max}.")
        self.max = float(max)
        self.min = -self.max if min is None else float(min)

    def __str__(self) -> str:
        return f"Clip Gradient By Value, min = {self.min:f}, max={self.max:f}"

    def rule(self) -> Callable:
        """Return the pure function that clips a list of gradients."""
        return _ByValue(self.min, self.max)

    def check_rows(self, params_grads: list) -> None:
        """Raise UnimplementedError for a SelectedRows gradient: there is no such op."""
        for param, grad in params_grads:
            if grad._rows is not None:
                raise UnimplementedError(
                    f"ClipGradByValue cannot clip the gradient of {param.name}, which is of some "
                    "rows (SelectedRows): clip by norm, or make the embedding with sparse=False."
                )


class ClipGradByNorm(ClipGradBase):
    """Gradient clipping that scales each gradient whose L2 norm exceeds ``clip_norm`` to that norm.

    A call raises InvalidArgumentError unless ``clip_norm`` is positive.

    Example:
        >>> import jaxeager as paddle
        >>> clip = paddle.nn.ClipGradByNorm(clip_norm=1.0)
        >>> param, grad = paddle.to_tensor([0.0, 0.0]), paddle.to_tensor([0.0, 4.0])
        >>> clip([(param, grad)])[0][1].tolist()
        [0.0, 1.0]
    """

    def __init__(self, clip_norm: float):
        self.clip_norm = float(clip_norm)

    def __str__(self) -> str:
        return f"Gradient Clip By Norm, clip_norm={self.clip_norm:f}"

    def rule(self) -> Callable:
        """Return the pure function that clips a list of gradients."""
        if not self.clip_norm > 0:
            raise InvalidArgumentError(
                f"clip_norm should be greater than 0, but is {self.clip_norm}."
            )
        return _ByNorm(self.clip_norm)


class ClipGradByGlobalNorm(ClipGradBase):
    """Gradient clipping that scales all gradients by one factor to limit their global L2 norm.

    Args:
        clip_norm: the largest norm allowed; gradients within it stay unchanged. A call raises
            InvalidArgumentError if it is negative (Paddle goes uphill then).
        group_name: stored; each parameter group of an optimizer is clipped separately.
        auto_skip_clip: stored; a norm within the limit results in a factor of 1 either way.

    Example:
        >>> import jaxeager as paddle
        >>> clip = paddle.nn.ClipGradByGlobalNorm(clip_norm=1.0)
        >>> a, b = paddle.to_tensor([0.0]), paddle.to_tensor([0.0])
        >>> pairs = clip([(a, paddle.to_tensor([3.0])), (b, paddle.to_tensor([4.0]))])
        >>> [round(grad.item(), 4) for _, grad in pairs]
        [0.6, 0.8]
    """

    def __init__(
        self, clip_norm: float, group_name: str = "default_group", auto_skip_clip: bool = False
    ):
        self.clip_norm = float(clip_norm)
        self.group_name = group_name
        self.auto_skip_clip = auto_skip_clip

    def __str__(self) -> str:
        return f"Gradient Clip By GlobalNorm, global_norm={self.clip_norm:f}"

    def __call__(self, params_grads: list) -> list:
        """Return the pairs with their gradients clipped; all pairs if none has a gradient."""
        return super().__call__(params_grads) or params_grads

    def rule(self) -> Callable:
        """Return the pure function that clips a list of gradients."""
        if not self.clip_norm >= 0:
            raise InvalidArgumentError(
                f"clip_norm should not be negative or NaN, but is {self.clip_norm}: every step "
                "would go uphill."
            )
        return _ByGlobalNorm(self.clip_norm)


# Their names in Paddle 1.
GradientClipBase, GradientClipByValue = ClipGradBase, ClipGradByValue
GradientClipByNorm, GradientClipByGlobalNorm = ClipGradByNorm, ClipGradByGlobalNorm


def clip_by_norm(x: Tensor, max_norm: float, name: str | None = None) -> Tensor:
    """Return a tensor scaled down so that its L2 norm does not exceed a number; no gradient.

    Args:
        x: float, any shape.
        max_norm: the largest norm allowed, above 0.
        name: ignored.

    Raises:
        InvalidArgumentError: for another ``max_norm``.
        NotFoundError: for a tensor that is not floating.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.nn.clip.clip_by_norm(paddle.to_tensor([3.0, 4.0]), 1.0).tolist()
        [0.6000000238418579, 0.800000011920929]
    """
    return ClipGradByNorm(max_norm)([(x, x.detach())])[0][1]


def _squared_l2_norm(x: Tensor) -> Tensor:
    """Return the sum of the squares of all elements, float[1].

    Raises:
        NotFoundError: for a tensor that is not floating.
    """
    _check_has_norm(x.dtype)
    return (x * x).sum().reshape([1])
