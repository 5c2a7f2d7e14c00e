"""Normalization: batch, layer, group, instance and RMS norm, and normalize."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import jaxeager as paddle
from jaxeager.core.further_names import other_order
from jaxeager.errors import InvalidArgumentError
from jaxeager.graph.views.atomic_writes import write_arrays
from jaxeager.ops.call.dispatch import raw
from jaxeager.ops.call.keywords import compute_into
from jaxeager.ops.linalg.vector_norm import p_norm
from jaxeager.ops.nn import batch_norm as batch_norm_rows
from jaxeager.ops.nn import normalization as rows
from jaxeager.ops.register import composite
from jaxeager.ops.rules.memoized import planned

if TYPE_CHECKING:
    from jaxeager.tensor.tensor import Tensor

CHANNEL_FIRST = ("NC", "NCL", "NCHW", "NCDHW")
CHANNEL_LAST = ("NLC", "NHWC", "NDHWC")


def _layout(data_format: str) -> str:
    """Return the row's name for a layout."""
    if data_format in CHANNEL_FIRST:
        return "NCHW"
    if data_format not in CHANNEL_LAST:
        raise InvalidArgumentError(
            "data_format must be one of 'NC', 'NCL', 'NCHW', 'NCDHW', 'NLC', 'NHWC', 'NDHWC' but "
            f"receive {data_format}"
        )
    return "NHWC"


@composite(public="functional", method=False)
def batch_norm(
    x: Tensor,
    running_mean: Tensor | None,
    running_var: Tensor | None,
    weight: Tensor | None = None,
    bias: Tensor | None = None,
    training: bool = False,
    momentum: float = 0.9,
    epsilon: float = 1e-05,
    data_format: str = "NCHW",
    use_global_stats: bool | None = None,
    name: str | None = None,
) -> Tensor:
    """Normalize x over the batch, channel by channel.

    In training, the running statistics become ``momentum * running + (1 - momentum) * batch``, with
    the biased variance of the batch. That write does not change their version.

    A single element per channel has no variance. As in Paddle, such a batch (one sample of one
    position) is returned unchanged in training, without weight and bias, and does not update the
    statistics; so is a batch without samples. If a batch may be that small, leave it out
    (``drop_last=True`` of a DataLoader), or use ``group_norm`` or ``layer_norm``.

    Args:
        x: float[N, C, ...], or [N, ..., C] for a layout with the channels last.
        running_mean: float[C].
        running_var: float[C].
        weight: float[C], or None.
        bias: float[C], or None.
        training: whether to use the batch's statistics.
        momentum: share of the old value in the running statistics.
        epsilon: added to the variance.
        data_format: "NC", "NCL", "NCHW", "NCDHW", "NLC", "NHWC" or "NDHWC".
        use_global_stats: whether to use the running statistics; None means ``not training``, False
            means the batch's statistics regardless of ``training``.
        name: ignored.

    Returns:
        float, shaped as x.

    Raises:
        InvalidArgumentError: for sizes that do not match, or an unknown layout.

    Paddle: here 16-bit input also works on a CPU.

    Example:
        >>> import jaxeager as paddle
        >>> mean, var = paddle.zeros([1]), paddle.ones([1])
        >>> x = paddle.to_tensor([[1.0], [3.0]])
        >>> paddle.nn.functional.batch_norm(x, mean, var, training=True).round(3).tolist()
        [[-1.0], [1.0]]
        >>> round(mean.item(), 4)
        0.2
    """
    layout = _layout(data_format)
    if use_global_stats is None:
        use_global_stats, trains = not training, training
    else:
        trains = not use_global_stats  # in evaluation mode too: the statistics are trainable
    out, mean, variance = batch_norm_rows.batch_norm(
        x,
        running_mean,
        running_var,
        weight,
        bias,
        not trains,
        momentum,
        epsilon,
        layout,
        bool(use_global_stats),
    )
    if trains:
        write_arrays([running_mean, running_var], [mean._array, variance._array])
    return out


@composite(public="both", method=False)
def layer_norm(
    x: Tensor,
    normalized_shape: int | Sequence[int],
    weight: Tensor | None = None,
    bias: Tensor | None = None,
    epsilon: float = 1e-05,
    name: str | None = None,
) -> Tensor:
    """Normalize x over its last dimensions.

    Args:
        x: float[..., *normalized_shape].
        normalized_shape: an int or the last sizes of x.
        weight: as many floats as normalized_shape has elements, of that shape or 1-D; or None.
        bias: as weight.
        epsilon: added to the variance.
        name: ignored.

    Returns:
        float, shaped as x.

    Raises:
        InvalidArgumentError: if x does not end in normalized_shape.

    Example:
        >>> import jaxeager as paddle
        >>> x = paddle.to_tensor([[1.0, 3.0]])
        >>> paddle.nn.functional.layer_norm(x, 2).round(3).tolist()
        [[-1.0, 1.0]]
    """
    start = _first_normalized(raw(x).shape, normalized_shape)
    return rows.layer_norm(x, _flat(weight), _flat(bias), epsilon, start)


@planned
def _first_normalized(shape: Sequence[int], normalized_shape) -> int:
    """Return the first normalized dimension."""
    if not isinstance(normalized_shape, (int, list, tuple)):
        raise InvalidArgumentError(
            "normalized_shape must be an integer, or a list or tuple of them, but received "
            f"{normalized_shape!r}."
        )
    sizes = [normalized_shape] if isinstance(normalized_shape, int) else list(normalized_shape)
    start = len(shape) - len(sizes)
    if start < 1 or list(shape[start:]) != sizes:
        raise InvalidArgumentError(
            f"Given normalized_shape is {sizes}, expected input with shape "
            f"[*, {', '.join(map(str, sizes))}], but got input shape {list(shape)}"
        )
    return start


def _flat(parameter):
    """Return a parameter as a vector."""
    if parameter is None or parameter.ndim == 1:
        return parameter
    return paddle.reshape(parameter, [-1])


@composite(public="both", method=False)
@other_order(2, "weight bias epsilon", lambda each: each is None or hasattr(each, "_storage"))
def group_norm(
    x: Tensor,
    num_groups: int,
    epsilon: float = 1e-05,
    weight: Tensor | None = None,
    bias: Tensor | None = None,
    data_format: str = "NCHW",
    name: str | None = None,
) -> Tensor:
    """Normalize x over each group of its channels, sample by sample.

    Args:
        x: float[N, C, ...], or [N, ..., C] for a layout with the channels last.
        num_groups: number of channel groups.
        epsilon: added to the variance.
        weight: float[C], or None.
        bias: float[C], or None.
        data_format: "NC", "NCL", "NCHW", "NCDHW", "NLC", "NHWC" or "NDHWC".
        name: ignored.

    Returns:
        float, shaped as x.

    Raises:
        InvalidArgumentError: if the groups do not divide the channels.

    The arguments after ``num_groups`` may be in the order ``weight, bias, epsilon``, too.

    Example:
        >>> import jaxeager as paddle
        >>> x = paddle.to_tensor([[1.0, 3.0]])
        >>> paddle.nn.functional.group_norm(x, 1).round(3).tolist()
        [[-1.0, 1.0]]
    """
    return rows.group_norm(x, weight, bias, epsilon, num_groups, _layout(data_format))


@composite(public="functional", method=False)
def instance_norm(
    x: Tensor,
    running_mean: Tensor | None = None,
    running_var: Tensor | None = None,
    weight: Tensor | None = None,
    bias: Tensor | None = None,
    use_input_stats: bool = True,
    momentum: float = 0.9,
    eps: float = 1e-05,
    data_format: str = "NCHW",
    name: str | None = None,
) -> Tensor:
    """Normalize x channel by channel, sample by sample.

    Args:
        x: float[N, C, ...].
        running_mean: ignored, as in Paddle.
        running_var: ignored, as in Paddle.
        weight: float[C], or None.
        bias: float[C], or None.
        use_input_stats: must be True: for False, Paddle silently uses the input's statistics
            as well.
        momentum: ignored, as in Paddle.
        eps: added to the variance.
        data_format: "NC", "NCL", "NCHW" or "NCDHW".
        name: ignored.

    Returns:
        float, shaped as x.

    Raises:
        UnimplementedError: for use_input_stats=False.
        InvalidArgumentError: for any other layout.

    Example:
        >>> import jaxeager as paddle
        >>> x = paddle.to_tensor([[[1.0, 3.0]]])
        >>> paddle.nn.functional.instance_norm(x).round(3).tolist()
        [[[-1.0, 1.0]]]
    """
    if not use_input_stats:
        raise paddle.errors.UnimplementedError(
            "instance_norm with use_input_stats=False is not supported; Paddle ignores the "
            "argument. F.batch_norm normalises with running statistics."
        )
    if data_format not in CHANNEL_FIRST:
        raise InvalidArgumentError(
            f"data_format must be one of {', '.join(CHANNEL_FIRST)}, but received {data_format}."
        )
    return rows.instance_norm(x, weight, bias, eps)


@composite(public="functional", method=False)
def rms_norm(
    input: Tensor,
    normalized_shape: Sequence[int],
    weight: Tensor | None = None,
    eps: float = 1e-05,
    name: str | None = None,
) -> tuple[Tensor, Tensor]:
    """Return the input divided by its root mean square, and the inverse of that root.

    Args:
        input: float[..., *normalized_shape].
        normalized_shape: the last sizes of the input.
        weight: float[*normalized_shape], or None.
        eps: added to the mean square.
        name: ignored.

    Returns:
        a pair: float, shaped as the input, and float[...] without the normalized dimensions,
        float32 for 16-bit input.

    Raises:
        InvalidArgumentError: if the input does not end in normalized_shape.

    Paddle: has no such kernel on a CPU.

    Example:
        >>> import jaxeager as paddle
        >>> out, inverse = paddle.nn.functional.rms_norm(paddle.to_tensor([[3.0, 3.0]]), [2])
        >>> [round(n, 4) for n in out.tolist()[0]]
        [1.0, 1.0]
    """
    return rows.rms_norm(input, weight, normalized_shape, eps)


@composite(public="functional", method=False)
def normalize(
    x: Tensor,
    p: float = 2,
    axis: int = 1,
    epsilon: float = 1e-12,
    out: Tensor | None = None,
    name: str | None = None,
) -> Tensor:
    """Divide x by its p-norm along an axis, or by epsilon if the norm is smaller.

    Args:
        x: float tensor.
        p: exponent of the norm.
        axis: the axis; 0 for a vector.
        epsilon: lower bound of the divisor.
        out: a tensor that becomes the result.
        name: ignored.

    Returns:
        float, shaped as x.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.nn.functional.normalize(paddle.to_tensor([[3.0, 4.0]])).tolist()
        [[0.6000000238418579, 0.800000011920929]]
    """
    if out is not None:
        return compute_into(out, lambda: normalize(x, p, axis, epsilon))
    if x.ndim == 1:
        axis = 0
    length = p_norm(x, float(p), axis, epsilon, True)
    least = paddle.full([1], epsilon, length.dtype)
    return paddle.divide(x, paddle.maximum(length, least))


@composite(public="functional", method=False)
def local_response_norm(
    x: Tensor,
    size: int,
    alpha: float = 1e-4,
    beta: float = 0.75,
    k: float = 1.0,
    data_format: str = "NCHW",
    name: str | None = None,
) -> Tensor:
    """Return x divided by ``(k + alpha * mean square of neighboring channels)^beta``.

    Records the same ops as Paddle: a padding and an average pooling of the squares.

    Args:
        x: float[N, C, ...] of three to five dimensions, or [N, ..., C].
        size: number of neighboring channels, including x's own; channels past the ends are 0.
        alpha: factor of the mean square.
        beta: the power.
        k: added to the mean square.
        data_format: "NCL", "NLC", "NCHW", "NHWC", "NCDHW" or "NDHWC".
        name: ignored.

    Returns:
        float, shaped as x.

    Raises:
        InvalidArgumentError: for any other layout, too few dimensions or an empty x.

    Example:
        >>> import jaxeager as paddle
        >>> x = paddle.to_tensor([[[3.0], [1.0]]])
        >>> y = paddle.nn.functional.local_response_norm(x, 1, alpha=1.0, beta=1.0, k=1.0)
        >>> [round(n, 4) for n in y.flatten().tolist()]
        [0.3, 0.5]
    """
    if data_format not in CHANNEL_FIRST[1:] + CHANNEL_LAST:
        raise InvalidArgumentError(
            "data_format should be in one of [NCL, NCHW, NCDHW, NLC, NHWC, NDHWC], but got "
            f"{data_format}"
        )
    shape = list(x.shape)
    if len(shape) < 3:
        raise InvalidArgumentError(
            f"Expected 3D or higher dimensionality input, but got {len(shape)} dimensions"
        )
    for axis, length in enumerate(shape[1:], 1):
        if length < 1:
            raise InvalidArgumentError(
                "Expected every dim's size to be larger than 0, but the size of the "
                f"{axis}-th dim is {length}"
            )
    squares = paddle.unsqueeze(paddle.multiply(x, x), 1)
    mean = _mean_of_neighbors(squares, shape, size, data_format[-1] == "C")
    return paddle.divide(x, paddle.pow(paddle.scale(mean, alpha, k), beta))


def _mean_of_neighbors(squares, shape: list[int], size: int, is_last: bool):
    """Average squares [N, 1, *shape] over neighboring channels."""
    F, margin, rest = paddle.nn.functional, [size // 2, (size - 1) // 2], [0] * 4
    if len(shape) == 3:
        padded = F.pad(squares, [*margin, 0, 0] if is_last else [0, 0, *margin])
        return paddle.squeeze(F.avg_pool2d(padded, (1, size) if is_last else (size, 1), 1), 1)
    if len(shape) > 4:
        ends = [shape[1], -1, shape[-1]] if is_last else [shape[1], shape[2], -1]
        squares = paddle.reshape(squares, [shape[0], 1, *ends])
    padded = F.pad(squares, [*margin, *rest] if is_last else [*rest, *margin], data_format="NCDHW")
    window = (1, 1, size) if is_last else (size, 1, 1)
    mean = paddle.squeeze(F.avg_pool3d(padded, window, 1), 1)
    return paddle.reshape(mean, shape) if len(shape) > 4 else mean
