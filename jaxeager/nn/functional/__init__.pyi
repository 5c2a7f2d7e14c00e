# Made by `python tools/generate.py`; do not edit.
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from jaxeager.core.types import (
    DTypeLike,
    Number,
    ParamAttrLike,
    PlaceLike,
    ShapeLike,
    TensorLike,
)
from jaxeager.ops.indexing.search import TopKRetType
from jaxeager.tensor import Tensor

def adaptive_avg_pool1d(x: Tensor, output_size: int, name: str | None = None) -> Tensor:
    """Return the averages over as many windows as the output has elements.

    Args:
        x: float[N, C, L].
        output_size: an int.
        name: ignored.

    Returns:
        float[N, C, L'].

    Raises:
        InvalidArgumentError: for an invalid size.

    Example:
        >>> import jaxeager as paddle
        >>> x = paddle.to_tensor([[[1.0, 3.0, 2.0, 0.0]]])
        >>> paddle.nn.functional.adaptive_avg_pool1d(x, 2).tolist()
        [[[2.0, 1.0]]]
    """
    ...
def adaptive_avg_pool2d(x: Tensor, output_size: int | Sequence[int], data_format: str = 'NCHW', name: str | None = None) -> Tensor:
    """Return the averages over as many windows as the output has pixels.

    Args:
        x: float[N, C, H, W], or [N, H, W, C] for data_format "NHWC".
        output_size: one int or (height, width); None keeps the input's.
        data_format: "NCHW" or "NHWC".
        name: ignored.

    Returns:
        float[N, C, H', W'].

    Raises:
        InvalidArgumentError: for an invalid size.

    Example:
        >>> import jaxeager as paddle
        >>> x = paddle.to_tensor([[[[1.0, 2.0], [3.0, 4.0]]]])
        >>> paddle.nn.functional.adaptive_avg_pool2d(x, 1).tolist()
        [[[[2.5]]]]
    """
    ...
def adaptive_avg_pool3d(x: Tensor, output_size: int | Sequence[int], data_format: str = 'NCDHW', name: str | None = None) -> Tensor:
    """Return the averages over as many windows as the output has elements.

    Args:
        x: float[N, C, D, H, W], or [N, D, H, W, C] for data_format "NDHWC".
        output_size: one int or (depth, height, width); None keeps the input's.
        data_format: "NCDHW" or "NDHWC".
        name: ignored.

    Returns:
        float[N, C, D', H', W'].

    Raises:
        InvalidArgumentError: for an invalid size.

    Example:
        >>> import jaxeager as paddle
        >>> x = paddle.arange(8, dtype="float32").reshape([1, 1, 2, 2, 2])
        >>> paddle.nn.functional.adaptive_avg_pool3d(x, [1, None, 1]).tolist()
        [[[[[2.5], [4.5]]]]]
    """
    ...
def adaptive_log_softmax_with_loss(input: Tensor, label: Tensor, head_weight: Tensor, tail_weights: Sequence[Sequence[Tensor]], cutoffs: Sequence[int | Tensor], head_bias: Tensor | None = None, name: str | None = None) -> tuple[Tensor, Tensor]:
    """Return log probabilities of labels among classes that are clustered by frequency.

    Every cluster is computed for every sample, so that no shape depends on the labels and the
    function does not wait for them.

    Paddle: the weights of a cluster in which no label is have no gradient (None) there; here it is
    0, because the labels are not read.

    Args:
        input: float[N, D], or [D] for one sample.
        label: integers[N], or a 0-D integer.
        head_weight: float[D, cutoffs[0] + clusters].
        tail_weights: for each cluster a pair of float[D, H] and float[H, classes of the cluster].
        cutoffs: the first class after the head and after each cluster; the last is the number of
            classes.
        head_bias: float[cutoffs[0] + clusters], or None.
        name: ignored.

    Returns:
        a pair of each label's log probability, float[N] (0-D for one sample), and minus their mean.

    Raises:
        InvalidArgumentError: for shapes that do not match, or, on a CPU, a label that is not a
            class.

    Example:
        >>> import jaxeager as paddle
        >>> x, label = paddle.ones([1, 2]), paddle.to_tensor([3])
        >>> head, tail = paddle.zeros([2, 3]), [[paddle.zeros([2, 1]), paddle.zeros([1, 2])]]
        >>> F = paddle.nn.functional
        >>> output, loss = F.adaptive_log_softmax_with_loss(x, label, head, tail, [2, 4])
        >>> round(loss.item(), 4)
        1.7918
    """
    ...
def adaptive_max_pool1d(x: Tensor, output_size: int | Sequence[int], return_mask: bool = False, name: str | None = None) -> Tensor:
    """Return the largest element of each of as many windows as the output has elements.

    Args:
        x: float[N, C, L].
        output_size: an int.
        return_mask: whether to also return each maximum's position.
        name: ignored.

    Returns:
        float[N, C, L']; with return_mask, a pair of that and int32[N, C, L'].

    Raises:
        InvalidArgumentError: for an invalid size.

    Example:
        >>> import jaxeager as paddle
        >>> x = paddle.to_tensor([[[1.0, 3.0, 2.0, 0.0]]])
        >>> paddle.nn.functional.adaptive_max_pool1d(x, 2).tolist()
        [[[3.0, 2.0]]]
    """
    ...
def adaptive_max_pool2d(x: Tensor, output_size: int | Sequence[int], return_mask: bool = False, name: str | None = None) -> Tensor:
    """Return the largest element of each of as many windows as the output has pixels.

    Args:
        x: float[N, C, H, W].
        output_size: one int or (height, width); None keeps the input's.
        return_mask: whether to also return each maximum's position in the flat image.
        name: ignored.

    Returns:
        float[N, C, H', W']; with return_mask, a pair of that and int32[N, C, H', W'].

    Raises:
        InvalidArgumentError: for an invalid size.

    Example:
        >>> import jaxeager as paddle
        >>> x = paddle.to_tensor([[[[1.0, 2.0], [3.0, 4.0]]]])
        >>> paddle.nn.functional.adaptive_max_pool2d(x, 1).tolist()
        [[[[4.0]]]]
    """
    ...
def adaptive_max_pool3d(x: Tensor, output_size: int | Sequence[int], return_mask: bool = False, name: str | None = None) -> Tensor:
    """Return the largest element of each of as many windows as the output has elements.

    Args:
        x: float[N, C, D, H, W].
        output_size: one int or (depth, height, width); None keeps the input's.
        return_mask: whether to also return each maximum's position in the flat volume.
        name: ignored.

    Returns:
        float[N, C, D', H', W']; with return_mask, a pair of that and int32[N, C, D', H', W'].

    Raises:
        InvalidArgumentError: for an invalid size.

    Example:
        >>> import jaxeager as paddle
        >>> x = paddle.arange(8, dtype="float32").reshape([1, 1, 2, 2, 2])
        >>> paddle.nn.functional.adaptive_max_pool3d(x, [1, None, 1]).tolist()
        [[[[[5.0], [7.0]]]]]
    """
    ...
def affine_grid(theta: Tensor, out_shape: ShapeLike, align_corners: bool = True, name: str | None = None) -> Tensor:
    """Return the coordinates at which an affine map samples an image, for ``grid_sample``.

    Args:
        theta: float[N, 2, 3] or float[N, 3, 4], one matrix per image.
        out_shape: [N, C, H, W] or [N, C, D, H, W], a list or an integer Tensor.
        align_corners: whether -1 and 1 are the centers of the outermost elements, or the edges.
        name: ignored.

    Returns:
        float[N, H, W, 2] or float[N, D, H, W, 3] of (x, y) or (x, y, z).

    Raises:
        InvalidArgumentError: for shapes that do not match.

    Paddle: with ``align_corners``, an axis of one element is nan; here it is the middle, 0.

    Example:
        >>> import jaxeager as paddle
        >>> theta = paddle.to_tensor([[[1.0, 0.0, 0.0], [0.0, 1.0, 0.0]]])
        >>> paddle.nn.functional.affine_grid(theta, [1, 1, 1, 2], align_corners=False).tolist()
        [[[[-0.5, 0.0], [0.5, 0.0]]]]
    """
    ...
def alpha_dropout(x: Tensor, p: float = 0.5, training: bool = True, name: str | None = None) -> Tensor:
    """Set random elements of x to SELU's lowest value, then rescale.

    Mean 0 and variance 1 are preserved.

    Args:
        x: float tensor.
        p: the probability that an element is dropped, a number in [0, 1].
        training: whether to apply dropout.
        name: ignored.

    Returns:
        float, shaped as x; x itself when not training.

    Raises:
        InvalidTypeError: if p is not a number.
        InvalidArgumentError: for a p outside [0, 1].

    Paddle: the random numbers differ.

    Example:
        >>> import jaxeager as paddle
        >>> out = paddle.nn.functional.alpha_dropout(paddle.zeros([64]), 0.5)
        >>> [round(each, 4) for each in sorted(set(out.tolist()))]
        [-0.7792, 0.7792]
    """
    ...
def avg_pool1d(x: Tensor, kernel_size: int | Sequence[int], stride: int | Sequence[int] | None = None, padding: str | int | Sequence[int] = 0, exclusive: bool = True, ceil_mode: bool = False, name: str | None = None) -> Tensor:
    """Return the average of each window of sequences.

    Args:
        x: float[N, C, L].
        kernel_size: an int.
        stride: an int; the kernel's size by default.
        padding: "SAME", "VALID", an int, or (left, right).
        exclusive: whether to exclude the padding from the count.
        ceil_mode: whether to keep a last window that extends past the end.
        name: ignored.

    Returns:
        float[N, C, L'].

    Raises:
        InvalidArgumentError: for a window that does not fit.

    Example:
        >>> import jaxeager as paddle
        >>> x = paddle.to_tensor([[[1.0, 3.0, 2.0, 0.0]]])
        >>> paddle.nn.functional.avg_pool1d(x, 2).tolist()
        [[[2.0, 1.0]]]
    """
    ...
def avg_pool2d(x: Tensor, kernel_size: int | Sequence[int], stride: int | Sequence[int] | None = None, padding: str | int | Sequence[int] = 0, ceil_mode: bool = False, exclusive: bool = True, divisor_override: float | None = None, data_format: str = 'NCHW', name: str | None = None) -> Tensor:
    """Return the average of each window.

    Args:
        x: float[N, C, H, W], or [N, H, W, C] for data_format "NHWC".
        kernel_size: one int or (height, width).
        stride: one int or (height, width); the kernel's size by default.
        padding: in any form of conv2d.
        ceil_mode: whether to keep a last window that extends past the edge.
        exclusive: whether to exclude the padding from the count.
        divisor_override: divisor of the sum, instead of the count.
        data_format: "NCHW" or "NHWC".
        name: ignored.

    Returns:
        float[N, C, H', W'].

    Raises:
        InvalidArgumentError: for a window that does not fit.

    Example:
        >>> import jaxeager as paddle
        >>> x = paddle.to_tensor([[[[1.0, 2.0], [3.0, 4.0]]]])
        >>> paddle.nn.functional.avg_pool2d(x, 2).tolist()
        [[[[2.5]]]]
    """
    ...
def avg_pool3d(x: Tensor, kernel_size: int | Sequence[int], stride: int | Sequence[int] | None = None, padding: str | int | Sequence[int] = 0, ceil_mode: bool = False, exclusive: bool = True, divisor_override: float | None = None, data_format: str = 'NCDHW', name: str | None = None) -> Tensor:
    """Return the average of each window of volumes.

    Args:
        x: float[N, C, D, H, W], or [N, D, H, W, C] for data_format "NDHWC".
        kernel_size: one int or (depth, height, width).
        stride: one int or (depth, height, width); the kernel's size by default.
        padding: in any form of conv3d.
        ceil_mode: whether to keep a last window that extends past the edge.
        exclusive: whether to exclude the padding from the count.
        divisor_override: divisor of the sum, instead of the count.
        data_format: "NCDHW" or "NDHWC".
        name: ignored.

    Returns:
        float[N, C, D', H', W'].

    Raises:
        InvalidArgumentError: for a window that does not fit.

    Example:
        >>> import jaxeager as paddle
        >>> x = paddle.arange(8, dtype="float32").reshape([1, 1, 2, 2, 2])
        >>> paddle.nn.functional.avg_pool3d(x, [2, 1, 2]).tolist()
        [[[[[2.5], [4.5]]]]]
    """
    ...
def batch_norm(x: Tensor, running_mean: Tensor | None, running_var: Tensor | None, weight: Tensor | None = None, bias: Tensor | None = None, training: bool = False, momentum: float = 0.9, epsilon: float = 1e-05, data_format: str = 'NCHW', use_global_stats: bool | None = None, name: str | None = None) -> Tensor:
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
    ...
def bilinear(x1: Tensor, x2: Tensor, weight: Tensor, bias: Tensor | None = None, name: str | None = None) -> Tensor:
    """Return ``x1 @ weight[o] @ x2`` for each output o, plus the bias.

    Args:
        x1: float[N, n].
        x2: float[N, m].
        weight: float[outputs, n, m].
        bias: float[1, outputs], or None.
        name: ignored.

    Returns:
        float[N, outputs].

    Raises:
        InvalidArgumentError: if the sizes do not match.

    Example:
        >>> import jaxeager as paddle
        >>> x, y, weight = paddle.ones([1, 2]), paddle.ones([1, 3]), paddle.ones([4, 2, 3])
        >>> paddle.nn.functional.bilinear(x, y, weight).tolist()
        [[6.0, 6.0, 6.0, 6.0]]
    """
    ...
def binary_cross_entropy(input: Tensor, label: Tensor, weight: Tensor | None = None, reduction: str = 'mean', name: str | None = None) -> Tensor:
    """Return the binary cross entropy of probabilities.

    Args:
        input: float probabilities.
        label: float of the same shape.
        weight: float that broadcasts with them, or None.
        reduction: "mean", "sum" or "none".
        name: ignored.

    Returns:
        a 0-D float tensor; with reduction "none", one value per element.

    Raises:
        InvalidArgumentError: for any other reduction, shapes that differ, or an input outside
            [0, 1] on a CPU. An accelerator is not waited for: the result is nan there, or an error
            is raised later with FLAGS_check_index=1.

    Example:
        >>> import jaxeager as paddle
        >>> x, y = paddle.to_tensor([0.5]), paddle.to_tensor([1.0])
        >>> round(paddle.nn.functional.binary_cross_entropy(x, y).item(), 4)
        0.6931
    """
    ...
def binary_cross_entropy_with_logits(logit: Tensor, label: Tensor, weight: Tensor | None = None, reduction: str = 'mean', pos_weight: Tensor | None = None, name: str | None = None) -> Tensor:
    """Return the binary cross entropy of the sigmoid of logits.

    Args:
        logit: float tensor.
        label: float of the same shape.
        weight: float that broadcasts with them, or None.
        reduction: "mean", "sum" or "none".
        pos_weight: the weight of positive labels, float that broadcasts with them, or None.
        name: ignored.

    Returns:
        a 0-D float tensor; with reduction "none", one value per element.

    Raises:
        InvalidArgumentError: for any other reduction, or shapes that differ.

    Example:
        >>> import jaxeager as paddle
        >>> x, y = paddle.to_tensor([0.0]), paddle.to_tensor([1.0])
        >>> round(paddle.nn.functional.binary_cross_entropy_with_logits(x, y).item(), 4)
        0.6931
    """
    ...
def celu(x: Tensor, alpha: float = 1.0, name: str | None = None) -> Tensor:
    """Compute x, or alpha * (exp(x / alpha) - 1) where x is not positive.

    Args:
        x: a tensor.
        alpha: the factor.
        name: ignored.

    Returns:
        A tensor of the shape of x.

    Derivative: dx = dout where x > 0, else dout * exp(x / alpha).

    At the boundary: 1 at 0, as in Paddle; 1 at inf (Paddle: nan).

    Example:
        >>> import jaxeager as paddle
        >>> paddle.nn.functional.celu(paddle.to_tensor([-1.5, 0.25, 4.0]))
        Tensor(shape=[3], dtype=float32, place=Place(cpu), stop_gradient=True,
               [-0.77686983,  0.25000000,  4.        ])
    """
    ...
def channel_shuffle(x: Tensor, groups: int, data_format: str = 'NCHW', name: str | None = None) -> Tensor:
    """Interleave the channels of the groups of each image.

    Args:
        x: [N, C, H, W], or [N, H, W, C] for data_format "NHWC".
        groups: number of channel groups.
        data_format: "NCHW" or "NHWC".
        name: ignored.

    Returns:
        Tensor, shaped as x.

    Raises:
        InvalidTypeError: for groups that are not an int.
        InvalidArgumentError: if the groups do not divide the channels.

    Example:
        >>> import jaxeager as paddle
        >>> x = paddle.arange(4, dtype="float32").reshape([1, 4, 1, 1])
        >>> paddle.nn.functional.channel_shuffle(x, 2).flatten().tolist()
        [0.0, 2.0, 1.0, 3.0]
    """
    ...
def class_center_sample(label: Tensor, num_classes: int, num_samples: int, group: Any = None) -> tuple[Tensor, Tensor]:
    """Renumber labels among sampled classes: all that occur, and others drawn at random.

    It waits for the labels, because they determine the number of classes kept.

    Args:
        label: int32 or int64[N].
        num_classes: number of classes.
        num_samples: minimum number of classes to keep; all classes that occur are kept anyway.
        group: None or False: the classes are not distributed over processes here.

    Returns:
        a pair of the labels' new numbers, [N], and the classes that are kept, in order, starting
        with those that occur. Both have the label's dtype, and no gradient.

    Raises:
        InvalidArgumentError: for a label that is not a class, is empty or is not 1-D, or for more
            samples than classes.
        UnimplementedError: for a group of several processes.

    Example:
        >>> import jaxeager as paddle
        >>> label = paddle.to_tensor([7, 2, 7])
        >>> remapped, classes = paddle.nn.functional.class_center_sample(label, 9, 2)
        >>> remapped.tolist(), classes.tolist()
        ([1, 0, 1], [2, 7])
    """
    ...
def conv1d(x: Tensor, weight: Tensor, bias: Tensor | None = None, stride: int | Sequence[int] = 1, padding: str | int | Sequence[int] | Sequence[int | Sequence[int]] = 0, dilation: int | Sequence[int] = 1, groups: int = 1, data_format: str = 'NCL', name: str | None = None) -> Tensor:
    """Return the cross-correlation of sequences with filters: a conv2d of height 1.

    Args:
        x: float[N, C, L], or [N, L, C] for data_format "NLC".
        weight: float[M, C / groups, k].
        bias: float[M], or None.
        stride: an int.
        padding: "SAME", "VALID", an int, (left, right), or a pair for each dimension.
        dilation: an int; ignored with "SAME", see ``conv2d``.
        groups: number of channel groups.
        data_format: "NCL" or "NLC".
        name: ignored.

    Returns:
        float[N, M, L'], or [N, L', M].

    Raises:
        InvalidArgumentError: for shapes or numbers that do not match.

    Example:
        >>> import jaxeager as paddle
        >>> x, weight = paddle.to_tensor([[[1.0, 2.0, 3.0]]]), paddle.ones([1, 1, 2])
        >>> paddle.nn.functional.conv1d(x, weight).tolist()
        [[[3.0, 5.0]]]
    """
    ...
def conv1d_transpose(x: Tensor, weight: Tensor, bias: Tensor | None = None, stride: int | Sequence[int] = 1, padding: str | int | Sequence[int] | Sequence[int | Sequence[int]] = 0, output_padding: int | Sequence[int] = 0, groups: int = 1, dilation: int | Sequence[int] = 1, output_size: int | Sequence[int] | None = None, data_format: str = 'NCL', name: str | None = None) -> Tensor:
    """Return the transposed convolution of sequences: a conv2d_transpose of height 1.

    Args:
        x: float[N, C, L], or [N, L, C] for data_format "NLC".
        weight: float[C, M / groups, k].
        bias: float[M], or None.
        stride: an int.
        padding: the amount cut off, in any form of conv1d; "SAME" as for conv2d_transpose.
        output_padding: number of elements added at the right.
        groups: number of channel groups.
        dilation: an int.
        output_size: the requested length, instead of output_padding.
        data_format: "NCL" or "NLC".
        name: ignored.

    Returns:
        float[N, M, L'], or [N, L', M].

    Raises:
        InvalidArgumentError: for shapes or numbers that do not match.

    Example:
        >>> import jaxeager as paddle
        >>> x, weight = paddle.to_tensor([[[1.0, 2.0]]]), paddle.ones([1, 1, 2])
        >>> paddle.nn.functional.conv1d_transpose(x, weight).tolist()
        [[[1.0, 3.0, 2.0]]]
    """
    ...
def conv2d(x: Tensor, weight: Tensor, bias: Tensor | None = None, stride: int | Sequence[int] = 1, padding: str | int | Sequence[int] | Sequence[int | Sequence[int]] = 0, dilation: int | Sequence[int] = 1, groups: int = 1, data_format: str = 'NCHW', name: str | None = None) -> Tensor:
    """Return the cross-correlation of images with filters, plus a bias.

    Args:
        x: float[N, C, H, W], or [N, H, W, C] for data_format "NHWC".
        weight: float[M, C / groups, kh, kw].
        bias: float[M], or None.
        stride: one int or (height, width).
        padding: "SAME", "VALID", an int, (height, width), (top, bottom, left, right), or a pair
            for each of the four dimensions.
        dilation: one int or (height, width).
        groups: number of channel groups.
        data_format: "NCHW" or "NHWC".
        name: ignored.

    Returns:
        float[N, M, H', W'], or [N, H', W', M].

    Raises:
        InvalidArgumentError: for shapes or numbers that do not match.

    As in Paddle, padding "SAME" is that of a convolution without dilation, and ``dilation`` is then
    ignored with a warning. For a dilated convolution pass the padding as numbers.

    Example:
        >>> import jaxeager as paddle
        >>> x, weight = paddle.ones([1, 1, 3, 3]), paddle.ones([1, 1, 2, 2])
        >>> paddle.nn.functional.conv2d(x, weight).tolist()
        [[[[4.0, 4.0], [4.0, 4.0]]]]
    """
    ...
def conv2d_transpose(x: Tensor, weight: Tensor, bias: Tensor | None = None, stride: int | Sequence[int] = 1, padding: str | int | Sequence[int] | Sequence[int | Sequence[int]] = 0, output_padding: int | Sequence[int] = 0, dilation: int | Sequence[int] = 1, groups: int = 1, output_size: int | Sequence[int] | None = None, data_format: str = 'NCHW', name: str | None = None) -> Tensor:
    """Return the transposed convolution: the filters spread each pixel over the output.

    Args:
        x: float[N, C, H, W], or [N, H, W, C] for data_format "NHWC".
        weight: float[C, M / groups, kh, kw].
        bias: float[M], or None.
        stride: one int or (height, width).
        padding: the amount cut off, in any form of conv2d; "SAME" cuts off as much as it would add
            to the input of a convolution, and ignores the dilation.
        output_padding: rows and columns added below and to the right.
        dilation: one int or (height, width).
        groups: number of channel groups.
        output_size: the requested size, instead of output_padding.
        data_format: "NCHW" or "NHWC".
        name: ignored.

    Returns:
        float[N, M, H', W'], or [N, H', W', M].

    Raises:
        InvalidArgumentError: for shapes or numbers that do not match.

    Example:
        >>> import jaxeager as paddle
        >>> x, weight = paddle.to_tensor([[[[1.0, 2.0]]]]), paddle.ones([1, 1, 1, 2])
        >>> paddle.nn.functional.conv2d_transpose(x, weight, stride=2).tolist()
        [[[[1.0, 1.0, 2.0, 2.0]]]]
    """
    ...
def conv3d(x: Tensor, weight: Tensor, bias: Tensor | None = None, stride: int | Sequence[int] = 1, padding: str | int | Sequence[int] | Sequence[int | Sequence[int]] = 0, dilation: int | Sequence[int] = 1, groups: int = 1, data_format: str = 'NCDHW', name: str | None = None) -> Tensor:
    """Return the cross-correlation of volumes with filters, plus a bias.

    Args:
        x: float[N, C, D, H, W], or [N, D, H, W, C] for data_format "NDHWC".
        weight: float[M, C / groups, kd, kh, kw].
        bias: float[M], or None.
        stride: one int or (depth, height, width).
        padding: "SAME", "VALID", an int, one int per dimension, (low, high) for each of the three
            in turn, or a pair for each of the five dimensions.
        dilation: one int or (depth, height, width).
        groups: number of channel groups.
        data_format: "NCDHW" or "NDHWC".
        name: ignored.

    Returns:
        float[N, M, D', H', W'], or [N, D', H', W', M].

    Raises:
        InvalidArgumentError: for shapes or numbers that do not match.

    As in Paddle, padding "SAME" is that of a convolution without dilation, and ``dilation`` is then
    ignored with a warning. For a dilated convolution pass the padding as numbers.

    Example:
        >>> import jaxeager as paddle
        >>> x, weight = paddle.ones([1, 1, 2, 2, 3]), paddle.ones([1, 1, 2, 2, 2])
        >>> paddle.nn.functional.conv3d(x, weight).tolist()
        [[[[[8.0, 8.0]]]]]
    """
    ...
def conv3d_transpose(x: Tensor, weight: Tensor, bias: Tensor | None = None, stride: int | Sequence[int] = 1, padding: str | int | Sequence[int] | Sequence[int | Sequence[int]] = 0, output_padding: int | Sequence[int] = 0, groups: int = 1, dilation: int | Sequence[int] = 1, output_size: int | Sequence[int] | None = None, data_format: str = 'NCDHW', name: str | None = None) -> Tensor:
    """Return the transposed convolution of volumes: each element is spread over the output.

    Args:
        x: float[N, C, D, H, W], or [N, D, H, W, C] for data_format "NDHWC".
        weight: float[C, M / groups, kd, kh, kw].
        bias: float[M], or None.
        stride: one int or (depth, height, width).
        padding: the amount cut off, in any form of conv3d; "SAME" as for conv2d_transpose.
        output_padding: number of elements added at the high end of each dimension.
        groups: number of channel groups.
        dilation: one int or (depth, height, width).
        output_size: the requested size, instead of output_padding.
        data_format: "NCDHW" or "NDHWC".
        name: ignored.

    Returns:
        float[N, M, D', H', W'], or [N, D', H', W', M].

    Raises:
        InvalidArgumentError: for shapes or numbers that do not match.

    Example:
        >>> import jaxeager as paddle
        >>> x, weight = paddle.ones([1, 1, 1, 1, 2]), paddle.ones([1, 1, 1, 1, 2])
        >>> paddle.nn.functional.conv3d_transpose(x, weight).tolist()
        [[[[[1.0, 2.0, 1.0]]]]]
    """
    ...
def cosine_embedding_loss(input1: Tensor, input2: Tensor, label: Tensor, margin: float = 0, reduction: str = 'mean', name: str | None = None) -> Tensor:
    """Return the loss of pairs that should be parallel (label 1) or dissimilar (label -1).

    Each sample is ``1 - cos`` where the label is 1 and ``max(0, cos - margin)`` where it is -1.

    Args:
        input1: float[N, D], or [D].
        input2: of the same shape.
        label: 1 or -1, [N].
        margin: the cosine allowed for pairs of label -1, in [-1, 1].
        reduction: "mean", "sum" or "none".
        name: ignored.

    Returns:
        a 0-D float tensor; with reduction "none", float[N].

    Raises:
        InvalidArgumentError: for shapes or dtypes that do not match.

    Example:
        >>> import jaxeager as paddle
        >>> x, y = paddle.to_tensor([[3.0, 4.0]]), paddle.to_tensor([[4.0, -3.0]])
        >>> paddle.nn.functional.cosine_embedding_loss(x, y, paddle.to_tensor([1])).item()
        1.0
    """
    ...
def cosine_similarity(x1: Tensor, x2: Tensor, axis: int = 1, eps: float = 1e-08) -> Tensor:
    """Return the cosine of the angle between vectors along an axis.

    float16 and bfloat16 are computed in float32: the squared product of the lengths overflows
    float16 for vectors of ordinary lengths.

    Args:
        x1: float tensor.
        x2: float tensor that broadcasts with x1, along the axis too.
        axis: the axis of the vectors, in the broadcast shape.
        eps: lower bound of the product of the lengths.

    Returns:
        float of the broadcast shape, without the axis.

    Raises:
        InvalidArgumentError: for shapes that do not broadcast.

    Example:
        >>> import jaxeager as paddle
        >>> x = paddle.to_tensor([[3.0, 4.0]])
        >>> round(paddle.nn.functional.cosine_similarity(x, x).item(), 4)
        1.0
    """
    ...
def cross_entropy(input: Tensor, label: Tensor, weight: Tensor | None = None, ignore_index: int = -100, reduction: str = 'mean', soft_label: bool = False, axis: int = -1, use_softmax: bool = True, label_smoothing: float = 0.0, name: str | None = None) -> Tensor:
    """Return the cross entropy of the softmax of logits with labels.

    Args:
        input: float logits with the classes along ``axis``; probabilities when use_softmax is
            False.
        label: integers shaped as input without ``axis`` (or with size 1 there); or probabilities
            shaped as input, with soft_label.
        weight: float[classes], or None.
        ignore_index: label of samples that are ignored.
        reduction: "mean", "sum" or "none". As in Paddle, the mean excludes ignored samples from
            the count if ignore_index is 0 or more, and includes them if it is negative.
        soft_label: whether labels are probabilities. With label_smoothing, floating labels of the
            input's shape always are.
        axis: the axis of the classes.
        use_softmax: whether the input contains logits.
        label_smoothing: share of each label that is spread evenly over all classes.
        name: ignored.

    Returns:
        a 0-D float tensor; with reduction "none", one value per sample.

    Raises:
        InvalidArgumentError: for shapes, weights or arguments that do not match.
        OutOfRangeError: for a label that is not a class, on a CPU. On an accelerator, which is
            not waited for, the loss is nan.

    Paddle: there, label_smoothing with ignore_index divides by a wrong count (or fails for
    negative labels), and soft labels that do not sum to 1 get a wrong gradient.

    Example:
        >>> import jaxeager as paddle
        >>> logits = paddle.to_tensor([[2.0, 0.0], [0.0, 2.0]])
        >>> loss = paddle.nn.functional.cross_entropy(logits, paddle.to_tensor([0, 1]))
        >>> round(loss.item(), 4)
        0.1269
    """
    ...
def ctc_loss(log_probs: Tensor, labels: Tensor, input_lengths: Tensor, label_lengths: Tensor, blank: int = 0, reduction: str = 'mean', norm_by_times: bool = False, zero_infinity: bool = False) -> Tensor:
    """Return minus the log probability that the outputs over time read as a label (CTC).

    Paddle: there, a label that does not fit in its time costs 0; here it costs inf, so that
    zero_infinity has an effect. There, samples with an empty label make the mean inf; here their
    loss is divided by 1.

    Args:
        log_probs: float[time, batch, classes], logits: the function computes their log_softmax.
        labels: integers[batch, length].
        input_lengths: integers[batch], number of time steps of each sample.
        label_lengths: integers[batch], number of labels of each sample.
        blank: the class that reads as nothing.
        reduction: "mean" (each loss divided by its label's length first), "sum" or "none".
        norm_by_times: whether to divide the gradients, not the losses, by the number of time steps.
        zero_infinity: whether infinite losses count as 0.

    Returns:
        a 0-D float tensor; with reduction "none", float[batch].

    Raises:
        InvalidArgumentError: for any other reduction, shapes that do not match, or, on a CPU,
            lengths or labels that are out of range.

    Example:
        >>> import jaxeager as paddle
        >>> one = paddle.to_tensor([1])
        >>> scores = paddle.zeros([1, 1, 2])
        >>> loss = paddle.nn.functional.ctc_loss(scores, paddle.to_tensor([[1]]), one, one)
        >>> round(loss.item(), 4)
        0.6931
    """
    ...
def diag_embed(input: Tensor, offset: int = 0, dim1: int = -2, dim2: int = -1, name: str | None = None) -> Tensor:
    """Put the last dimension on a diagonal of two new dimensions.

    Args:
        input: a tensor.
        offset: the diagonal: 0 is the main one, those above it are positive.
        dim1: where the first dimension of the matrices is in the result.
        dim2: where the second dimension of the matrices is in the result.
        name: ignored.

    Returns:
        A tensor with one dimension more.

    Derivative: dinput = diagonal(dout, offset, dim1, dim2): Paddle gives none.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.diag_embed(paddle.to_tensor([1.0, 2.0]))
        Tensor(shape=[2, 2], dtype=float32, place=Place(cpu), stop_gradient=True,
               [[1., 0.],
                [0., 2.]])
    """
    ...
def dice_loss(input: Tensor, label: Tensor, epsilon: float = 1e-05, name: str | None = None) -> Tensor:
    """Return 1 minus the overlap of predicted and labelled areas, averaged over the samples.

    Args:
        input: float32 or float64[N, ..., C], probabilities of the classes.
        label: int32 or int64[N, ..., 1].
        epsilon: added to the areas in the divisor.
        name: ignored.

    Returns:
        a 0-D float tensor.

    Raises:
        InvalidArgumentError: for dtypes or shapes that do not match.

    Example:
        >>> import jaxeager as paddle
        >>> x, label = paddle.to_tensor([[0.25, 0.75]]), paddle.to_tensor([[1]])
        >>> round(paddle.nn.functional.dice_loss(x, label).item(), 3)
        0.25
    """
    ...
def dropout(x: Tensor, p: float = 0.5, axis: int | Sequence[int] | None = None, training: bool = True, inplace: bool = False, mode: str = 'upscale_in_train', name: str | None = None) -> Tensor:
    """Zero random elements of x.

    Args:
        x: float tensor.
        p: the probability that an element is zeroed, a number or a Tensor of one element.
        axis: the axis or axes along which elements are zeroed independently; along the others
            they are zeroed together. None means all.
        training: whether to apply dropout.
        inplace: whether to overwrite x itself; only allowed with axis None.
        mode: "upscale_in_train" divides the remaining elements by 1 - p; "downscale_in_infer"
            multiplies by 1 - p when not training.
        name: ignored.

    Returns:
        float, shaped as x; x itself if there is nothing to do.

    Raises:
        InvalidTypeError: if p is not a number or axis not an int.
        InvalidArgumentError: for a p outside [0, 1], an unknown mode or axis, or integers.
        UnimplementedError: for an axis together with inplace, as in Paddle.

    Paddle: the random numbers differ; here a 1-D tensor also works with downscale_in_infer.

    Example:
        >>> import jaxeager as paddle
        >>> _ = paddle.seed(0)
        >>> sorted(set(paddle.nn.functional.dropout(paddle.ones([64]), 0.5).tolist()))
        [0.0, 2.0]
    """
    ...
def dropout1d(input: Tensor, p: float = 0.5, training: bool = True, inplace: bool = False) -> Tensor:
    """Zero random entries of the second axis, the same for every sample.

    Args:
        input: float[N, C, L], or float[C, L].
        p: the probability that a channel is zeroed.
        training: whether to apply dropout.
        inplace: no effect, as in Paddle; a warning is issued.

    Returns:
        float, shaped as input.

    Raises:
        InvalidArgumentError: for a p outside [0, 1].
        PreconditionNotMetError: unless there are 2 or 3 dimensions.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.nn.functional.dropout1d(paddle.ones([2, 3]), training=False).sum().item()
        6.0
    """
    ...
def dropout2d(x: Tensor, p: float = 0.5, training: bool = True, data_format: str = 'NCHW', name: str | None = None) -> Tensor:
    """Zero random channels of images.

    Args:
        x: float[N, C, H, W], or [N, H, W, C] for data_format "NHWC".
        p: the probability that a channel is zeroed.
        training: whether to apply dropout.
        data_format: "NCHW" or "NHWC".
        name: ignored.

    Returns:
        float, shaped as x.

    Raises:
        InvalidArgumentError: for a p outside [0, 1], or unless there are 4 dimensions.

    Example:
        >>> import jaxeager as paddle
        >>> out = paddle.nn.functional.dropout2d(paddle.ones([1, 2, 2, 2]), training=False)
        >>> out.sum().item()
        8.0
    """
    ...
def dropout3d(x: Tensor, p: float = 0.5, training: bool = True, data_format: str = 'NCDHW', name: str | None = None) -> Tensor:
    """Zero random channels of volumes.

    Args:
        x: float[N, C, D, H, W], or [N, D, H, W, C] for data_format "NDHWC".
        p: the probability that a channel is zeroed.
        training: whether to apply dropout.
        data_format: "NCDHW" or "NDHWC".
        name: ignored.

    Returns:
        float, shaped as x.

    Raises:
        InvalidArgumentError: for a p outside [0, 1], or unless there are 5 dimensions.

    Example:
        >>> import jaxeager as paddle
        >>> out = paddle.nn.functional.dropout3d(paddle.ones([1, 2, 2, 2, 2]), training=False)
        >>> out.sum().item()
        16.0
    """
    ...
def elu(x: Tensor, alpha: float = 1.0, name: str | None = None) -> Tensor:
    """Compute x, or alpha * (exp(x) - 1) where x is not positive.

    Args:
        x: a tensor.
        alpha: the factor.
        name: ignored.

    Returns:
        A tensor of the shape of x.

    Derivative: dx = dout where x > 0, else dout * (out + alpha).

    At the boundary: 1 at 0 for alpha 1, as in Paddle.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.nn.functional.elu(paddle.to_tensor([-1.5, 0.25, 4.0]))
        Tensor(shape=[3], dtype=float32, place=Place(cpu), stop_gradient=True,
               [-0.77686983,  0.25000000,  4.        ])
    """
    ...
def elu_(x: Tensor, alpha: float = 1.0, name: str | None = None) -> Tensor:
    """Compute x, or alpha * (exp(x) - 1) where x is not positive. Writes into its first operand and returns it.

    Args:
        x: a tensor.
        alpha: the factor.
        name: ignored.

    Returns:
        The tensor x.

    Derivative: dx = dout where x > 0, else dout * (out + alpha).

    At the boundary: 1 at 0 for alpha 1, as in Paddle.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.nn.functional.elu_(paddle.to_tensor([-1.5, 0.25, 4.0]))
        Tensor(shape=[3], dtype=float32, place=Place(cpu), stop_gradient=True,
               [-0.77686983,  0.25000000,  4.        ])
    """
    ...
def embedding(x: Tensor, weight: Tensor, padding_idx: int | None = None, max_norm: float | None = None, norm_type: float = 2.0, sparse: bool = False, scale_grad_by_freq: bool = False, name: str | None = None) -> Tensor:
    """Return the rows of a table selected by ids.

    Args:
        x: int32 or int64 ids of any shape.
        weight: float[n, d], the table.
        padding_idx: an id that reads as zeros and gets no gradient; negative counts from the end.
        max_norm: a number above 0: the rows of ``weight`` that are looked up and have a larger
            norm are first scaled down to it, in place and without a gradient.
        norm_type: the p of that norm.
        sparse: whether the gradient of a leaf table is SelectedRows, with only the rows that
            were read, including that of ``padding_idx``. Optimizers that update just those
            rows need it (``Adam(lazy_mode=True)``); it saves no memory here.
        scale_grad_by_freq: whether to divide each row's gradient by the number of its uses.
        name: ignored.

    Returns:
        float[*x.shape, d].

    Raises:
        InvalidArgumentError: for an id outside [0, n) when the tensors are on a CPU. An
            accelerator is not waited for: its vector is nan there. Also for a max_norm that is
            not above 0, with which Paddle reverses rows, or takes 0 for None.
        UnsupportedAttributeError: if sparse and scale_grad_by_freq are both given.

    Example:
        >>> import jaxeager as paddle
        >>> table = paddle.to_tensor([[1.0, 2.0], [3.0, 4.0]])
        >>> paddle.nn.functional.embedding(paddle.to_tensor([1, 0]), table).tolist()
        [[3.0, 4.0], [1.0, 2.0]]
    """
    ...
def feature_alpha_dropout(x: Tensor, p: float = 0.5, training: bool = True, name: str | None = None) -> Tensor:
    """Set random channels of x to SELU's lowest value, then rescale.

    Args:
        x: float[N, C, ...].
        p: the probability that a channel is dropped, a number in [0, 1].
        training: whether to apply dropout.
        name: ignored.

    Returns:
        float, shaped as x; x itself when not training.

    Raises:
        InvalidTypeError: if p is not a number.
        InvalidArgumentError: for a p outside [0, 1], or fewer than 2 dimensions.

    Example:
        >>> import jaxeager as paddle
        >>> out = paddle.nn.functional.feature_alpha_dropout(paddle.zeros([1, 1, 4]), 0.5)
        >>> len(set(out.flatten().tolist()))
        1
    """
    ...
def flash_attn_qkvpacked(qkv: Tensor, dropout: float = 0.0, causal: bool = False, return_softmax: bool = False, fixed_seed_offset: Tensor | None = None, rng_name: str = '', training: bool = True, name: str | None = None) -> tuple[Tensor, Tensor | None]:
    """Return attention of queries, keys and values packed in one tensor.

    Args:
        qkv: float[batch, length, groups + 2, heads, size]: groups of queries, then keys and values.
        dropout: the probability that a weight is zeroed in training.
        causal: whether a query only attends to keys that are not later.
        return_softmax: whether to return the weights.
        fixed_seed_offset: must be None.
        rng_name: must be empty.
        training: whether to apply dropout.
        name: ignored.

    Returns:
        a pair of float[batch, length, groups * heads, size] and None, or the weights.

    Raises:
        InvalidArgumentError: unless there are 5 dimensions, or for a dropout outside [0, 1].
        UnimplementedError: for a user-defined seed or generator.

    Example:
        >>> import jaxeager as paddle
        >>> qkv = paddle.ones([1, 4, 3, 2, 8])
        >>> out, _ = paddle.nn.functional.flash_attn_qkvpacked(qkv, causal=True)
        >>> out.shape
        paddle.Size([1, 4, 2, 8])
    """
    ...
def flash_attn_varlen_qkvpacked(qkv: Tensor, cu_seqlens_q: Tensor, cu_seqlens_k: Tensor, max_seqlen_q: int | Tensor, max_seqlen_k: int | Tensor, scale: float | Tensor, dropout: float = 0.0, causal: bool = False, return_softmax: bool = False, fixed_seed_offset: Tensor | None = None, rng_name: str = '', varlen_padded: bool = True, training: bool = True, name: str | None = None) -> tuple[Tensor, Tensor | None]:
    """Return attention within each of several sequences, all operands packed in one tensor.

    Args:
        qkv: float[tokens, groups + 2, heads, size]: groups of queries, then keys and values.
        cu_seqlens_q: int32[sequences + 1], the total length before each sequence.
        cu_seqlens_k: int32[sequences + 1], the same for keys.
        max_seqlen_q: with varlen_padded, the number of tokens of each sequence including padding.
        max_seqlen_k: the same for keys.
        scale: factor of the scores.
        dropout: the probability that a weight is zeroed in training.
        causal: whether a query only attends to keys that are not later.
        return_softmax: must be False.
        fixed_seed_offset: must be None.
        rng_name: must be empty.
        varlen_padded: whether sequences are padded to one length; otherwise they are concatenated.
        training: whether to apply dropout.
        name: ignored.

    Returns:
        a pair of float[tokens, groups * heads, size], 0 at padding, and None.

    Raises:
        InvalidArgumentError: unless there are 4 dimensions, or for a dropout outside [0, 1].
        UnimplementedError: for the weights, or a user-defined seed or generator.

    Paddle: computes this on a GPU only.

    Example:
        >>> import jaxeager as paddle
        >>> qkv = paddle.ones([4, 3, 1, 2])
        >>> ends = paddle.to_tensor([0, 2, 3], dtype="int32")
        >>> varlen = paddle.nn.functional.flash_attn_varlen_qkvpacked
        >>> out, _ = varlen(qkv, ends, ends, 2, 2, 1.0)
        >>> out[:, 0, 0].tolist()
        [1.0, 1.0, 1.0, 0.0]
    """
    ...
def flashmask_attention(query: Tensor, key: Tensor, value: Tensor, startend_row_indices: Tensor | None = None, dropout: float = 0.0, causal: bool = False, window_size: int | Sequence[int] | None = None, return_softmax_lse: bool = False, return_seed_offset: bool = False, fixed_seed_offset: Tensor | None = None, rng_name: str = '', training: bool = True, name: str | None = None, softmax_scale: float | None = None, block_mask: Tensor | None = None) -> Any:
    """Return attention in which one or two ranges of queries do not see each key.

    Args:
        query: float[batch, length, heads, size].
        key: float[batch, other, heads', size], where heads' divides heads.
        value: float[batch, other, heads', size].
        startend_row_indices: int32[batch, 1 or heads' or heads, other, bounds]. With causal, the
            query from which on a key is hidden, and with 2 bounds also the end of that range.
            Without causal, 2 bounds hide it from the first on and before the second; 4 bounds
            are two ranges.
        dropout: the probability that a weight is zeroed in training.
        causal: whether a query only attends to keys that are not later.
        window_size: number of keys visible before (and after) the query's own, an int or two.
        return_softmax_lse: whether to return the logarithms of the sums of exponentials.
        return_seed_offset: must be False.
        fixed_seed_offset: must be None.
        rng_name: must be empty.
        training: whether to apply dropout.
        name: ignored.
        softmax_scale: factor of the scores; 1 / sqrt(size) by default.
        block_mask: must be None.

    Returns:
        float[batch, length, heads, size], 0 where a query sees nothing; with return_softmax_lse
        a list of that and float[batch, heads, length].

    Raises:
        InvalidArgumentError: for shapes that do not match, or both bounds and a window.
        UnimplementedError: for a block mask, or a user-defined seed or generator.

    Paddle: computes this on a GPU only.

    Example:
        >>> import jaxeager as paddle
        >>> x = paddle.to_tensor([1.0, 3.0, 7.0]).reshape([1, 3, 1, 1])
        >>> bounds = paddle.to_tensor([2, 3, 3], dtype="int32").reshape([1, 1, 3, 1])
        >>> out = paddle.nn.functional.flashmask_attention(x * 0, x, x, bounds, causal=True)
        >>> out.flatten().tolist()
        [1.0, 2.0, 5.0]
    """
    ...
def fold(x: Tensor, output_sizes: int | Sequence[int], kernel_sizes: int | Sequence[int], strides: int | Sequence[int] = 1, paddings: int | Sequence[int] = 0, dilations: int | Sequence[int] = 1, name: str | None = None) -> Tensor:
    """Return images from columns, summing windows where they overlap: the transpose of ``unfold``.

    Args:
        x: [N, C * kh * kw, L], where L is the number of windows.
        output_sizes: one int or (height, width) of the images.
        kernel_sizes: one int or (height, width) of the windows.
        strides: one int or (height, width).
        paddings: one int, (height, width) or (top, left, bottom, right).
        dilations: one int or (height, width).
        name: ignored.

    Returns:
        Tensor [N, C, H, W].

    Raises:
        InvalidArgumentError: if the columns do not match the windows.

    Example:
        >>> import jaxeager as paddle
        >>> x = paddle.ones([1, 2, 4])
        >>> paddle.nn.functional.fold(x, [2, 3], [1, 2]).tolist()
        [[[[1.0, 2.0, 1.0], [1.0, 2.0, 1.0]]]]
    """
    ...
def fractional_max_pool2d(x: Tensor, output_size: int | Sequence[int], kernel_size: int | Sequence[int] | None = None, random_u: float | None = None, return_mask: bool = False, name: str | None = None) -> Tensor:
    """Return the largest element of each of as many windows as the output has pixels.

    The windows are placed pseudo-randomly: one number ``u`` sets where each starts, on both axes.

    Args:
        x: float[N, C, H, W].
        output_size: one int or (height, width); None keeps the input's.
        kernel_size: size of the windows, which then overlap; by default each ends where the next
            one starts.
        random_u: the number, in (0, 1); drawn at each call if None.
        return_mask: whether to also return each maximum's position in the flat image.
        name: ignored.

    Returns:
        float[N, C, H', W']; with return_mask, a pair of that and int32[N, C, H', W'].

    Raises:
        InvalidArgumentError: for an invalid size, or a ``random_u`` outside (0, 1).

    Paddle: an output larger than the input contains the lowest float32; here it is an error.

    Example:
        >>> import jaxeager as paddle
        >>> x = paddle.arange(16, dtype="float32").reshape([1, 1, 4, 4])
        >>> paddle.nn.functional.fractional_max_pool2d(x, 2, random_u=0.5).tolist()
        [[[[5.0, 7.0], [13.0, 15.0]]]]
    """
    ...
def fractional_max_pool3d(x: Tensor, output_size: int | Sequence[int], kernel_size: int | Sequence[int] | None = None, random_u: float | None = None, return_mask: bool = False, name: str | None = None) -> Tensor:
    """Return the largest element of each of as many windows as the output has elements.

    The windows are placed pseudo-randomly: one number ``u`` sets where each starts, on all axes.

    Args:
        x: float[N, C, D, H, W].
        output_size: one int or (depth, height, width); None keeps the input's.
        kernel_size: size of the windows, which then overlap; by default each ends where the next
            one starts.
        random_u: the number, in (0, 1); drawn at each call if None.
        return_mask: whether to also return each maximum's position in the flat volume.
        name: ignored.

    Returns:
        float[N, C, D', H', W']; with return_mask, a pair of that and int32[N, C, D', H', W'].

    Raises:
        InvalidArgumentError: for an invalid size, or a ``random_u`` outside (0, 1).

    Paddle: an output larger than the input contains the lowest float32; here it is an error.

    Example:
        >>> import jaxeager as paddle
        >>> x = paddle.arange(8, dtype="float32").reshape([1, 1, 2, 2, 2])
        >>> paddle.nn.functional.fractional_max_pool3d(x, 1, random_u=0.5).tolist()
        [[[[[7.0]]]]]
    """
    ...
def gather_tree(ids: Tensor, parents: Tensor) -> Tensor:
    """Return the complete sequences found by a beam search.

    Args:
        ids: int32 or int64[length, batch, beams], the choice of each beam at each step.
        parents: of the same shape and dtype, the beam that each one continues.

    Returns:
        of the same shape: beam k of the last step, traced back to the first.

    Raises:
        InvalidArgumentError: for shapes or dtypes that do not match, or, on a CPU, a parent that
            is not a beam. An accelerator is not waited for: the result is meaningless there.

    Example:
        >>> import jaxeager as paddle
        >>> ids = paddle.to_tensor([[[5, 6]], [[7, 8]]])
        >>> parents = paddle.to_tensor([[[0, 0]], [[1, 0]]])
        >>> paddle.nn.functional.gather_tree(ids, parents).tolist()
        [[[6, 5]], [[7, 8]]]
    """
    ...
def gaussian_nll_loss(input: Tensor, label: Tensor, variance: Tensor, full: bool = False, epsilon: float = 1e-06, reduction: str = 'mean', name: str | None = None) -> Tensor:
    """Return minus the log likelihood of values under normal distributions.

    Paddle: there, the variance gets no gradient.

    Args:
        input: float tensor, the means.
        label: float that broadcasts with it, the values.
        variance: float, shaped as ``input``, or without its last axis, or with size 1 there.
        full: whether to add the constant log(2 pi) / 2.
        epsilon: lower bound of the variance; below it, the gradient passes as if unclipped.
        reduction: "mean", "sum" or "none".
        name: ignored.

    Returns:
        a 0-D float tensor; with reduction "none", one value per element.

    Raises:
        InvalidArgumentError: for any other reduction, shapes or dtypes that do not match, or a
            negative variance, on a CPU.

    Example:
        >>> import jaxeager as paddle
        >>> x, label = paddle.to_tensor([0.0]), paddle.to_tensor([2.0])
        >>> paddle.nn.functional.gaussian_nll_loss(x, label, paddle.ones([1])).item()
        2.0
    """
    ...
def gelu(x: Tensor, approximate: Any = False, name: str | None = None, out: Tensor | None = None) -> Tensor:
    """Compute x times the normal distribution's share below x.

    Args:
        x: a tensor.
        approximate: whether tanh approximates the share: a bool, 'tanh' or 'none'.
        name: ignored.
        out: a tensor into which the result is written.

    Returns:
        A tensor of the shape of x.

    Derivative: dx = dout * (cdf(x) + x * pdf(x)) where not approximate, else dout * (1 + t + x * (1 - t^2) * c * (1 + 0.134145 * x^2)) / 2, c = sqrt(2 / pi), t = tanh(c * (x + 0.044715 * x^3)): cdf and pdf of the normal distribution.

    At the boundary: 1 at inf (Paddle: nan).

    Example:
        >>> import jaxeager as paddle
        >>> paddle.nn.functional.gelu(paddle.to_tensor([-1.5, 0.25, 4.0]))
        Tensor(shape=[3], dtype=float32, place=Place(cpu), stop_gradient=True,
               [-0.10021083,  0.14967658,  3.99987340])
    """
    ...
def glu(x: Tensor, axis: int = -1, name: str | None = None) -> Tensor:
    """Return the first half of ``x`` along an axis times the sigmoid of the second half.

    Args:
        x: floating tensor with an even size along the axis.
        axis: the axis to split.
        name: accepted for compatibility.

    Raises:
        InvalidArgumentError: if the size is odd.
        InvalidAxisError: for an axis out of range.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.nn.functional.glu(paddle.to_tensor([2.0, 0.0])).tolist()
        [1.0]
    """
    ...
def grid_sample(x: Tensor, grid: Tensor, mode: str = 'bilinear', padding_mode: str = 'zeros', align_corners: bool = True, name: str | None = None) -> Tensor:
    """Read images at the positions in a grid of coordinates in [-1, 1].

    Args:
        x: a tensor.
        grid: positions, [N, H', W', 2] with (x, y) in the last dimension; -1 and 1 are the edges.
        mode: how elements are interpolated: 'bilinear' or 'nearest'.
        padding_mode: what is outside of the image: 'zeros', 'border' or 'reflection'.
        align_corners: whether -1 and 1 are the centers of the outer elements, not their edges.
        name: ignored.

    Returns:
        A tensor [N, C, H', W'], for x [N, C, H, W].

    Derivative: dx = each dout times the weight with which x was read, added up; dgrid = dout times the slope of the image there.

    At the boundary: at an element the slope is the one towards the next element, 0 outside and for mode 'nearest'. On the last element, with border or reflection, it is 0, the slope beyond it; Paddle gives the slope towards a 0 that is not there.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.nn.functional.grid_sample(paddle.ones([1, 1, 2, 2]), paddle.zeros([1, 1, 1, 2]))
        Tensor(shape=[1, 1, 1, 1], dtype=float32, place=Place(cpu), stop_gradient=True,
               [[[[1.]]]])
    """
    ...
def group_norm(x: Tensor, num_groups: int, epsilon: float = 1e-05, weight: Tensor | None = None, bias: Tensor | None = None, data_format: str = 'NCHW', name: str | None = None) -> Tensor:
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
    ...
def gumbel_softmax(x: Tensor, temperature: float = 1.0, hard: bool = False, axis: int = -1, name: str | None = None) -> Tensor:
    """Return samples of the categorical distribution softmax(x), by the Gumbel trick.

    Paddle: its gradient is not divided by the temperature, and is 0 for hard draws. Here it is the
    gradient of the soft draw in both cases.

    Args:
        x: floating tensor of logits.
        temperature: above 0; the lower, the closer the draws are to 0 and 1.
        hard: draw exactly 0 or 1; the gradient is that of the soft draw.
        axis: the axis along which the draws sum to 1.
        name: accepted for compatibility.

    Raises:
        InvalidArgumentError: if the temperature is not above 0.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.nn.functional.gumbel_softmax(paddle.zeros([3]), hard=True).sum().item()
        1.0
    """
    ...
def hardshrink(x: Tensor, threshold: float = 0.5, name: str | None = None) -> Tensor:
    """Compute x, or 0 where |x| is below the threshold.

    Args:
        x: a tensor.
        threshold: the threshold.
        name: ignored.

    Returns:
        A tensor of the shape of x.

    Derivative: dx = dout where |x| >= threshold, else 0.

    At the boundary: 1 at the threshold, as in Paddle.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.nn.functional.hardshrink(paddle.to_tensor([-1.5, 0.25, 4.0]))
        Tensor(shape=[3], dtype=float32, place=Place(cpu), stop_gradient=True,
               [-1.50000000,  0.        ,  4.        ])
    """
    ...
def hardsigmoid(x: Tensor, slope: float = 0.1666667, offset: float = 0.5, name: str | None = None) -> Tensor:
    """Compute slope * x + offset, limited to [0, 1].

    Args:
        x: a tensor.
        slope: the slope between the limits.
        offset: the value at 0.
        name: ignored.

    Returns:
        A tensor of the shape of x.

    Derivative: dx = dout * slope where 0 < out < 1, else 0.

    At the boundary: 0 at both ends, as in Paddle.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.nn.functional.hardsigmoid(paddle.to_tensor([-1.5, 0.25, 4.0]))
        Tensor(shape=[3], dtype=float32, place=Place(cpu), stop_gradient=True,
               [0.24999994, 0.54166669, 1.        ])
    """
    ...
def hardswish(x: Tensor, name: str | None = None) -> Tensor:
    """Compute x * min(max(x + 3, 0), 6) / 6.

    Args:
        x: a tensor.
        name: ignored.

    Returns:
        A tensor of the shape of x.

    Derivative: dx = dout * (2 * x + 3) / 6 where -3 < x < 3, dout where x >= 3, else 0.

    At the boundary: 0 at -3, 1 at 3, as in Paddle; 1 at inf (Paddle: nan).

    Example:
        >>> import jaxeager as paddle
        >>> paddle.nn.functional.hardswish(paddle.to_tensor([-1.5, 0.25, 4.0]))
        Tensor(shape=[3], dtype=float32, place=Place(cpu), stop_gradient=True,
               [-0.37500000,  0.13541667,  4.        ])
    """
    ...
def hardtanh(x: Tensor, min: float = -1.0, max: float = 1.0, name: str | None = None) -> Tensor:
    """Limit x to [min, max].

    Args:
        x: a tensor.
        min: the lower limit.
        max: the upper limit.
        name: ignored.

    Returns:
        A tensor of the shape of x.

    Derivative: dx = dout where min < x < max, else 0.

    At the boundary: 0 at both ends, as in Paddle (JAX: 1).

    Example:
        >>> import jaxeager as paddle
        >>> paddle.nn.functional.hardtanh(paddle.to_tensor([-1.5, 0.25, 4.0]))
        Tensor(shape=[3], dtype=float32, place=Place(cpu), stop_gradient=True,
               [-1.       , 0.25000000,  1.       ])
    """
    ...
def hardtanh_(x: Tensor, min: float = -1.0, max: float = 1.0, name: str | None = None) -> Tensor:
    """Limit x to [min, max]. Writes into its first operand and returns it.

    Args:
        x: a tensor.
        min: the lower limit.
        max: the upper limit.
        name: ignored.

    Returns:
        The tensor x.

    Derivative: dx = dout where min < x < max, else 0.

    At the boundary: 0 at both ends, as in Paddle (JAX: 1).

    Example:
        >>> import jaxeager as paddle
        >>> paddle.nn.functional.hardtanh_(paddle.to_tensor([-1.5, 0.25, 4.0]))
        Tensor(shape=[3], dtype=float32, place=Place(cpu), stop_gradient=True,
               [-1.       , 0.25000000,  1.       ])
    """
    ...
def hinge_embedding_loss(input: Tensor, label: Tensor, margin: float = 1.0, reduction: str = 'mean', name: str | None = None) -> Tensor:
    """Return the distances of matching pairs, and by how much other pairs are too near.

    Each element is ``input`` where the label is 1, ``max(0, margin - input)`` where it is -1, and
    0 elsewhere.

    Args:
        input: float tensor of distances.
        label: 1 or -1, of the same shape.
        margin: minimum distance of pairs of label -1.
        reduction: "mean", "sum" or "none".
        name: ignored.

    Returns:
        a 0-D float tensor; with reduction "none", one value per element.

    Raises:
        InvalidArgumentError: for any other reduction, or shapes that do not broadcast.

    Example:
        >>> import jaxeager as paddle
        >>> x, label = paddle.to_tensor([0.5, 0.25]), paddle.to_tensor([1.0, -1.0])
        >>> paddle.nn.functional.hinge_embedding_loss(x, label, reduction="none").tolist()
        [0.5, 0.75]
    """
    ...
def hsigmoid_loss(input: Tensor, label: Tensor, num_classes: int, weight: Tensor, bias: Tensor | None = None, path_table: Tensor | None = None, path_code: Tensor | None = None, is_sparse: bool = False, name: str | None = None) -> Tensor:
    """Return minus the log probability of a class, reached by a path down a binary tree.

    Paddle: there, paths shorter than the longest cost log(2) more per missing level, so that the
    probabilities of all classes do not add up to 1, and scores are clipped at 40. Here both are
    exact. The gradients agree.

    Args:
        input: float[N, D].
        label: int64[N] or [N, 1], in [0, num_classes).
        num_classes: number of classes, at least 2.
        weight: float[num_classes - 1, D], a row for each node; float[nodes, D] for a custom tree.
        bias: float[num_classes - 1, 1], or None.
        path_table: int64[N, L], the nodes on each sample's path in a custom tree, ended by -1;
            None for the default tree.
        path_code: int64[N, L], 1 or 0 for the side taken at each node.
        is_sparse: no effect except a warning: gradients are the same dense tensors either way.
        name: ignored.

    Returns:
        float[N, 1].

    Raises:
        InvalidArgumentError: for fewer than 2 classes, or sizes that do not match.
        InvalidIndexError: for a label that is not a class, or a node without weights, on a CPU.

    Example:
        >>> import jaxeager as paddle
        >>> x, weight = paddle.ones([1, 2]), paddle.zeros([3, 2])
        >>> loss = paddle.nn.functional.hsigmoid_loss(x, paddle.to_tensor([0]), 4, weight)
        >>> round(loss.item(), 4)
        1.3863
    """
    ...
def instance_norm(x: Tensor, running_mean: Tensor | None = None, running_var: Tensor | None = None, weight: Tensor | None = None, bias: Tensor | None = None, use_input_stats: bool = True, momentum: float = 0.9, eps: float = 1e-05, data_format: str = 'NCHW', name: str | None = None) -> Tensor:
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
    ...
def interpolate(x: Tensor, size: ShapeLike | None = None, scale_factor: ShapeLike | float | None = None, mode: str = 'nearest', align_corners: bool = False, align_mode: int = 0, data_format: str | None = None, recompute_scale_factor: bool | None = None, antialias: bool = False, name: str | None = None) -> Tensor:
    """Resize sequences, images or volumes.

    Args:
        x: float[N, C, W], [N, C, H, W] or [N, C, D, H, W]; or with the channels last.
        size: the spatial sizes of the result, a list or a Tensor; or pass scale_factor.
        scale_factor: factor of the sizes, a number or one per dimension.
        mode: "nearest" (4-D, 5-D), "linear" (3-D), "bilinear", "bicubic" (4-D), "trilinear" (5-D)
            or "area" (averages, as adaptive_avg_pool).
        align_corners: whether the centers of the outermost elements stay aligned; else the
            outer edges of the images do. An error in mode "nearest", ignored in "area".
        align_mode: for the linear modes without align_corners, 0 measures from the centers of
            elements, 1 from their lower edges.
        data_format: "NCW", "NWC", "NCHW", "NHWC", "NCDHW" or "NDHWC"; channels first by default.
        recompute_scale_factor: recompute the factor from the rounded sizes.
        antialias: average over the covered elements when shrinking; "bilinear", "bicubic".
        name: ignored.

    Returns:
        float[N, C, ...] of the requested size.

    Raises:
        InvalidArgumentError: for an invalid mode, size, factor or layout.
        InvalidTypeError: for a size that is not a list, and flags that are not bool.

    The arguments after ``align_corners`` may be ``recompute_scale_factor, antialias``, too: a sixth
    one that is not an int, such as None or True, is the first of these.

    Paddle: mode "area" ignores ``data_format``, and ``recompute_scale_factor`` reads the sizes of a
    channels-last layout from the wrong dimensions; both work here. For a size of 1, Paddle returns
    the first element in modes "linear", "bilinear" and "bicubic"; here it is the middle, as in
    "trilinear". Modes other than "nearest" only accept floating tensors; Paddle also accepts uint8.

    Example:
        >>> import jaxeager as paddle
        >>> x = paddle.to_tensor([[[[1.0, 2.0]]]])
        >>> paddle.nn.functional.interpolate(x, scale_factor=[1, 2]).tolist()
        [[[[1.0, 1.0, 2.0, 2.0]]]]
        >>> F = paddle.nn.functional
        >>> F.interpolate(x, [1, 3], mode="bilinear", align_corners=True).tolist()
        [[[[1.0, 1.5, 2.0]]]]
    """
    ...
def kl_div(input: Tensor, label: Tensor, reduction: str = 'mean', log_target: bool = False, name: str | None = None) -> Tensor:
    """Return the Kullback-Leibler divergence of labels from log probabilities.

    Paddle: there, a label that requires a gradient gets none.

    Args:
        input: float log probabilities.
        label: float of the same shape, probabilities; their logarithms with log_target.
        reduction: "mean", "batchmean" (the sum over the first size), "sum" or "none".
        log_target: whether labels are logarithms.
        name: ignored.

    Returns:
        a 0-D float tensor; with reduction "none", one value per element.

    Raises:
        InvalidArgumentError: for any other reduction (Paddle treats it as "none"), or shapes that
            differ.

    Example:
        >>> import jaxeager as paddle
        >>> x, y = paddle.to_tensor([-1.0]), paddle.to_tensor([1.0])
        >>> paddle.nn.functional.kl_div(x, y).item()
        1.0
    """
    ...
def l1_loss(input: Tensor, label: Tensor, reduction: str = 'mean', name: str | None = None) -> Tensor:
    """Return the mean absolute difference, with gradient 0 where both are equal.

    Args:
        input: float tensor.
        label: float tensor that broadcasts with it.
        reduction: "mean", "sum" or "none".
        name: ignored.

    Returns:
        a 0-D float tensor; with reduction "none", one value per element.

    Raises:
        InvalidArgumentError: for any other reduction.

    Example:
        >>> import jaxeager as paddle
        >>> x, y = paddle.to_tensor([1.0, 1.0]), paddle.to_tensor([3.0, 1.0])
        >>> paddle.nn.functional.l1_loss(x, y).item()
        1.0
    """
    ...
def label_smooth(label: Tensor, prior_dist: Tensor | None = None, epsilon: float = 0.1, name: str | None = None) -> Tensor:
    """Mix labels with a prior distribution: (1 - epsilon) * label + epsilon * prior.

    Args:
        label: labels, one-hot or distributions: [..., classes].
        prior_dist: a distribution over the classes; the uniform one when None.
        epsilon: the weight of the prior.
        name: ignored.

    Returns:
        A tensor of the shape of label.

    Derivative: dlabel = (1 - epsilon) * dout.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.nn.functional.label_smooth(paddle.to_tensor([[0.0, 1.0]]))
        Tensor(shape=[1, 2], dtype=float32, place=Place(cpu), stop_gradient=True,
               [[0.05000000, 0.94999999]])
    """
    ...
def layer_norm(x: Tensor, normalized_shape: int | Sequence[int], weight: Tensor | None = None, bias: Tensor | None = None, epsilon: float = 1e-05, name: str | None = None) -> Tensor:
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
    ...
def leaky_relu(x: Tensor, negative_slope: float = 0.01, name: str | None = None) -> Tensor:
    """Compute x, or negative_slope * x where x is negative.

    Args:
        x: a tensor.
        negative_slope: the slope below 0.
        name: ignored.

    Returns:
        A tensor of the shape of x.

    Derivative: dx = dout where x >= 0, else negative_slope * dout.

    At the boundary: 1 at 0, as in Paddle.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.nn.functional.leaky_relu(paddle.to_tensor([-1.5, 0.25, 4.0]))
        Tensor(shape=[3], dtype=float32, place=Place(cpu), stop_gradient=True,
               [-0.01500000,  0.25000000,  4.        ])
    """
    ...
def leaky_relu_(x: Tensor, negative_slope: float = 0.01, name: str | None = None) -> Tensor:
    """Compute x, or negative_slope * x where x is negative. Writes into its first operand and returns it.

    Args:
        x: a tensor.
        negative_slope: the slope below 0.
        name: ignored.

    Returns:
        The tensor x.

    Derivative: dx = dout where x >= 0, else negative_slope * dout.

    At the boundary: 1 at 0, as in Paddle.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.nn.functional.leaky_relu_(paddle.to_tensor([-1.5, 0.25, 4.0]))
        Tensor(shape=[3], dtype=float32, place=Place(cpu), stop_gradient=True,
               [-0.01500000,  0.25000000,  4.        ])
    """
    ...
def linear(x: Tensor, weight: Tensor, bias: Tensor | None = None, name: str | None = None) -> Tensor:
    """Return ``x @ weight + bias``: a matmul and an add, as Paddle records them.

    Args:
        x: float[..., n].
        weight: float[n, m].
        bias: float[m], or None.
        name: ignored.

    Returns:
        float[..., m].

    Raises:
        InvalidArgumentError: if the sizes do not match.

    Example:
        >>> import jaxeager as paddle
        >>> x, weight = paddle.ones([1, 2]), paddle.ones([2, 3])
        >>> paddle.nn.functional.linear(x, weight, paddle.to_tensor([0.0, 1.0, 2.0])).tolist()
        [[2.0, 3.0, 4.0]]
    """
    ...
def local_response_norm(x: Tensor, size: int, alpha: float = 0.0001, beta: float = 0.75, k: float = 1.0, data_format: str = 'NCHW', name: str | None = None) -> Tensor:
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
    ...
def log_loss(input: Tensor, label: Tensor, epsilon: float = 0.0001, name: str | None = None) -> Tensor:
    """Return the binary cross entropy of probabilities, kept away from 0 by an epsilon.

    Each element is ``-label * log(input + epsilon) - (1 - label) * log(1 - input + epsilon)``.

    Paddle: there, a label that requires a gradient gets none, and only float32 is supported.

    Args:
        input: float[N, 1], probabilities.
        label: float[N, 1].
        epsilon: added before logarithms are taken.
        name: ignored.

    Returns:
        float[N, 1].

    Raises:
        InvalidArgumentError: for any other shape.

    Example:
        >>> import jaxeager as paddle
        >>> x, label = paddle.to_tensor([[0.5]]), paddle.to_tensor([[1.0]])
        >>> round(paddle.nn.functional.log_loss(x, label).item(), 3)
        0.693
    """
    ...
def log_sigmoid(x: Tensor, name: str | None = None) -> Tensor:
    """Compute log(sigmoid(x)).

    Args:
        x: a tensor.
        name: ignored.

    Returns:
        A tensor of the shape of x.

    Derivative: dx = dout * conj(sigmoid(-x)).

    Example:
        >>> import jaxeager as paddle
        >>> paddle.nn.functional.log_sigmoid(paddle.to_tensor([-1.5, 0.25, 4.0]))
        Tensor(shape=[3], dtype=float32, place=Place(cpu), stop_gradient=True,
               [-1.70141327, -0.57593942, -0.01814993])
    """
    ...
def log_softmax(x: Tensor, axis: int = -1, dtype: DTypeLike | None = None, name: str | None = None) -> Tensor:
    """Return the logarithm of the softmax along an axis, without overflow.

    Paddle: on a CPU it clips differences below -64; they are exact here.

    Args:
        x: floating tensor.
        axis: the axis.
        dtype: dtype to cast ``x`` to first; the cast is recorded.
        name: accepted for compatibility.

    Raises:
        InvalidArgumentError: if the axis is out of range.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.nn.functional.log_softmax(paddle.to_tensor([1000.0, 0.0])).tolist()
        [0.0, -1000.0]
    """
    ...
def logsigmoid(x: Tensor, name: str | None = None) -> Tensor:
    """Compute log(sigmoid(x)).

    Args:
        x: a tensor.
        name: ignored.

    Returns:
        A tensor of the shape of x.

    Derivative: dx = dout * conj(sigmoid(-x)).

    Example:
        >>> import jaxeager as paddle
        >>> paddle.nn.functional.log_sigmoid(paddle.to_tensor([-1.5, 0.25, 4.0]))
        Tensor(shape=[3], dtype=float32, place=Place(cpu), stop_gradient=True,
               [-1.70141327, -0.57593942, -0.01814993])
    """
    ...
def lp_pool1d(x: Tensor, norm_type: float, kernel_size: int | Sequence[int], stride: int | Sequence[int] | None = None, padding: str | int | Sequence[int] = 0, ceil_mode: bool = False, data_format: str = 'NCL', name: str | None = None) -> Tensor:
    """Return ``(sum of x^p)^(1/p)`` of each window of sequences.

    Args:
        x: float[N, C, L], or [N, L, C] for data_format "NLC".
        norm_type: p, not 0; the largest element for inf, the smallest for -inf.
        kernel_size: an int.
        stride: an int; the kernel's size by default.
        padding: "SAME", "VALID", an int, or (left, right); padded elements count as nothing.
            A bool is interpreted as ceil_mode.
        ceil_mode: whether to keep a last window that extends past the end.
        data_format: "NCL" or "NLC".
        name: ignored.

    Returns:
        float[N, C, L'].

    Raises:
        InvalidArgumentError: for a window that does not fit, or p = 0.

    Paddle: as in ``lp_pool2d``.

    Example:
        >>> import jaxeager as paddle
        >>> x = paddle.to_tensor([[[3.0, 4.0, 0.0, 2.0]]])
        >>> paddle.nn.functional.lp_pool1d(x, 2, 2).tolist()
        [[[5.0, 2.0]]]
    """
    ...
def lp_pool2d(x: Tensor, norm_type: float, kernel_size: int | Sequence[int], stride: int | Sequence[int] | None = None, padding: str | int | Sequence[int] = 0, ceil_mode: bool = False, data_format: str = 'NCHW', name: str | None = None) -> Tensor:
    """Return ``(sum of x^p)^(1/p)`` of each window of images.

    Args:
        x: float[N, C, H, W], or [N, H, W, C] for data_format "NHWC".
        norm_type: p, not 0; the largest element for inf, the smallest for -inf.
        kernel_size: one int or (height, width).
        stride: one int or (height, width); the kernel's size by default.
        padding: in any form of conv2d; padded elements count as nothing. A bool is interpreted as
            ceil_mode.
        ceil_mode: whether to keep a last window that extends past the edge.
        data_format: "NCHW" or "NHWC".
        name: ignored.

    Returns:
        float[N, C, H', W'].

    Raises:
        InvalidArgumentError: for a window that does not fit, or p = 0.

    Paddle: the gradient of a window whose sum is 0 is nan; here it is 0. p = -inf results in 1
    everywhere; here it is the smallest element.

    Example:
        >>> import jaxeager as paddle
        >>> x = paddle.to_tensor([[[[3.0, 4.0], [0.0, 0.0]]]])
        >>> paddle.nn.functional.lp_pool2d(x, 2, 2).tolist()
        [[[[5.0]]]]
    """
    ...
def margin_cross_entropy(logits: Tensor, label: Tensor, margin1: float = 1.0, margin2: float = 0.5, margin3: float = 0.0, scale: float | Tensor = 64.0, group: Any = None, return_softmax: bool = False, reduction: str = 'mean') -> Any:
    """Return the cross entropy of scaled cosines, with a margin subtracted at the label.

    The labelled cosine becomes ``cos(margin1 * angle + margin2) - margin3``: ArcFace by default.

    Paddle: computes this on a GPU only.

    Args:
        logits: float[N, classes], cosines in [-1, 1].
        label: integers[N] or [N, 1].
        margin1: factor of the angle.
        margin2: added to the angle.
        margin3: subtracted from the cosine.
        scale: factor of the cosines before the softmax.
        group: None or False: the classes are not distributed over processes here.
        return_softmax: whether to also return the softmax.
        reduction: "mean", "sum", or "none" or None.

    Returns:
        a 0-D float tensor; without reduction float[N, 1]; with return_softmax, a pair of that and
        float[N, classes].

    Raises:
        InvalidArgumentError: for any other reduction, shapes that do not match, or a label that is
            not a class, on a CPU.
        UnimplementedError: for a group of several processes.

    Example:
        >>> import jaxeager as paddle
        >>> x, label = paddle.to_tensor([[0.5, 0.5]]), paddle.to_tensor([0])
        >>> loss = paddle.nn.functional.margin_cross_entropy(x, label, 1.0, 0.0, 0.5, scale=2.0)
        >>> round(loss.item(), 4)
        1.3133
    """
    ...
def margin_ranking_loss(input: Tensor, other: Tensor, label: Tensor, margin: float = 0.0, reduction: str = 'mean', name: str | None = None) -> Tensor:
    """Return by how much two scores violate the order given by their label.

    Each element is ``max(0, -label * (input - other) + margin)``.

    Args:
        input: float tensor.
        other: float tensor that broadcasts with it.
        label: float, 1 where ``input`` should be larger, -1 where ``other`` should.
        margin: by how much it should be larger.
        reduction: "mean", "sum" or "none".
        name: ignored.

    Returns:
        a 0-D float tensor; with reduction "none", one value per element.

    Raises:
        InvalidArgumentError: for any other reduction, or shapes that do not broadcast.

    Example:
        >>> import jaxeager as paddle
        >>> x, y = paddle.to_tensor([1.0, 2.0]), paddle.to_tensor([3.0, 1.0])
        >>> paddle.nn.functional.margin_ranking_loss(x, y, paddle.to_tensor([1.0, 1.0])).item()
        1.0
    """
    ...
def max_pool1d(x: Tensor, kernel_size: int | Sequence[int], stride: int | Sequence[int] | None = None, padding: str | int | Sequence[int] = 0, return_mask: bool = False, ceil_mode: bool = False, name: str | None = None) -> Tensor:
    """Return the largest element of each window of sequences.

    Args:
        x: float[N, C, L].
        kernel_size: an int.
        stride: an int; the kernel's size by default.
        padding: "SAME", "VALID", an int, or (left, right).
        return_mask: whether to also return each maximum's position.
        ceil_mode: whether to keep a last window that extends past the end.
        name: ignored.

    Returns:
        float[N, C, L']; with return_mask, a pair of that and int32[N, C, L'].

    Raises:
        InvalidArgumentError: for a window that does not fit.

    Example:
        >>> import jaxeager as paddle
        >>> x = paddle.to_tensor([[[1.0, 3.0, 2.0, 0.0]]])
        >>> paddle.nn.functional.max_pool1d(x, 2).tolist()
        [[[3.0, 2.0]]]
    """
    ...
def max_pool2d(x: Tensor, kernel_size: int | Sequence[int], stride: int | Sequence[int] | None = None, padding: str | int | Sequence[int] = 0, return_mask: bool = False, ceil_mode: bool = False, data_format: str = 'NCHW', name: str | None = None) -> Tensor:
    """Return the largest element of each window.

    Args:
        x: float[N, C, H, W], or [N, H, W, C] for data_format "NHWC".
        kernel_size: one int or (height, width).
        stride: one int or (height, width); the kernel's size by default.
        padding: in any form of conv2d; padded elements are never the largest.
        return_mask: whether to also return each maximum's position in the flat image.
        ceil_mode: whether to keep a last window that extends past the edge.
        data_format: "NCHW" or "NHWC".
        name: ignored.

    Returns:
        float[N, C, H', W']; with return_mask, a pair of that and int32[N, C, H', W'].

    Raises:
        InvalidArgumentError: for a window that does not fit.

    Paddle: skips a nan in a window; here the result is nan. A window wholly in the padding results
    in -3.4e38; here it is -inf. With return_mask, every form of padding has an effect here.

    Example:
        >>> import jaxeager as paddle
        >>> x = paddle.to_tensor([[[[1.0, 2.0], [3.0, 4.0]]]])
        >>> paddle.nn.functional.max_pool2d(x, 2).tolist()
        [[[[4.0]]]]
    """
    ...
def max_pool3d(x: Tensor, kernel_size: int | Sequence[int], stride: int | Sequence[int] | None = None, padding: str | int | Sequence[int] = 0, return_mask: bool = False, ceil_mode: bool = False, data_format: str = 'NCDHW', name: str | None = None) -> Tensor:
    """Return the largest element of each window of volumes.

    Args:
        x: float[N, C, D, H, W], or [N, D, H, W, C] for data_format "NDHWC".
        kernel_size: one int or (depth, height, width).
        stride: one int or (depth, height, width); the kernel's size by default.
        padding: in any form of conv3d; padded elements are never the largest.
        return_mask: whether to also return each maximum's position in the flat volume.
        ceil_mode: whether to keep a last window that extends past the edge.
        data_format: "NCDHW" or "NDHWC".
        name: ignored.

    Returns:
        float[N, C, D', H', W']; with return_mask, a pair of that and int32[N, C, D', H', W'].

    Raises:
        InvalidArgumentError: for a window that does not fit.

    Paddle: as in ``max_pool2d``.

    Example:
        >>> import jaxeager as paddle
        >>> x = paddle.arange(8, dtype="float32").reshape([1, 1, 2, 2, 2])
        >>> paddle.nn.functional.max_pool3d(x, [2, 1, 2]).tolist()
        [[[[[5.0], [7.0]]]]]
    """
    ...
def max_unpool1d(x: Tensor, indices: Tensor, kernel_size: int | Sequence[int], stride: int | Sequence[int] | None = None, padding: str | int | Sequence[int] = 0, data_format: str = 'NCL', output_size: Sequence[int] | None = None, name: str | None = None) -> Tensor:
    """Return sequences of zeros with the elements of x at the given indices.

    Args:
        x: [N, C, L], as returned by max_pool1d.
        indices: int32 or int64[N, C, L], the mask of max_pool1d.
        kernel_size: window of the pooling.
        stride: the pooling's stride; the window's size by default.
        padding: the pooling's padding, an int.
        data_format: "NCL".
        output_size: the length of the result, [L'] or [N, C, L']; if None, the shortest that
            such a pooling would accept.
        name: ignored.

    Returns:
        Tensor [N, C, L'].

    Raises:
        InvalidArgumentError: for a size that such a pooling would not accept, and, if the indices
            are in host memory, for an index outside the result.

    Example:
        >>> import jaxeager as paddle
        >>> import jaxeager.nn.functional as F
        >>> x = paddle.to_tensor([[[1.0, 3.0, 2.0, 0.0]]])
        >>> F.max_unpool1d(*F.max_pool1d(x, 2, return_mask=True), 2).tolist()
        [[[0.0, 3.0, 2.0, 0.0]]]
    """
    ...
def max_unpool2d(x: Tensor, indices: Tensor, kernel_size: int | Sequence[int], stride: int | Sequence[int] | None = None, padding: str | int | Sequence[int] = 0, data_format: str = 'NCHW', output_size: Sequence[int] | None = None, name: str | None = None) -> Tensor:
    """Return images of zeros with the elements of x at the given indices.

    Args:
        x: [N, C, H, W], as returned by max_pool2d.
        indices: int32 or int64[N, C, H, W], the mask of max_pool2d.
        kernel_size: the pooling's window, one int or (height, width).
        stride: the pooling's stride; the window's size by default.
        padding: the pooling's padding, one int or (height, width).
        data_format: "NCHW".
        output_size: the size of the result, [H', W'] or [N, C, H', W']; if None, the smallest
            that such a pooling would accept.
        name: ignored.

    Returns:
        Tensor [N, C, H', W'].

    Raises:
        InvalidArgumentError: for a size that such a pooling would not accept, and, if the indices
            are in host memory, for an index outside the result.

    Example:
        >>> import jaxeager as paddle
        >>> import jaxeager.nn.functional as F
        >>> x = paddle.to_tensor([[[[1.0, 3.0], [2.0, 0.0]]]])
        >>> F.max_unpool2d(*F.max_pool2d(x, 2, return_mask=True), 2).tolist()
        [[[[0.0, 3.0], [0.0, 0.0]]]]
    """
    ...
def max_unpool3d(x: Tensor, indices: Tensor, kernel_size: int | Sequence[int], stride: int | Sequence[int] | None = None, padding: str | int | Sequence[int] = 0, data_format: str = 'NCDHW', output_size: Sequence[int] | None = None, name: str | None = None) -> Tensor:
    """Return volumes of zeros with the elements of x at the given indices.

    Args:
        x: [N, C, D, H, W], as returned by max_pool3d.
        indices: int32 or int64[N, C, D, H, W], the mask of max_pool3d.
        kernel_size: the pooling's window, one int or (depth, height, width).
        stride: the pooling's stride; the window's size by default.
        padding: the pooling's padding, one int or (depth, height, width).
        data_format: "NCDHW".
        output_size: the size of the result, [D', H', W'] or [N, C, D', H', W']; if None, the
            smallest that such a pooling would accept.
        name: ignored.

    Returns:
        Tensor [N, C, D', H', W'].

    Raises:
        InvalidArgumentError: for a size that such a pooling would not accept, and, if the indices
            are in host memory, for an index outside the result.

    Example:
        >>> import jaxeager as paddle
        >>> import jaxeager.nn.functional as F
        >>> x = paddle.arange(8, dtype="float32").reshape([1, 1, 2, 2, 2])
        >>> F.max_unpool3d(*F.max_pool3d(x, 2, return_mask=True), 2).sum().item()
        7.0
    """
    ...
def maxout(x: Tensor, groups: int, axis: int = 1, name: str | None = None) -> Tensor:
    """Pick the largest of each group of channels.

    Args:
        x: a tensor.
        groups: how many channels a group has.
        axis: the dimension of the channels.
        name: ignored.

    Returns:
        A tensor with 1 / groups of the channels.

    Derivative: dout goes to the first of the largest of each group.

    At the boundary: the first of equal channels gets the gradient, as in Paddle.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.nn.functional.maxout(paddle.to_tensor([[1.0, 4.0, 3.0, 2.0]]), groups=2)
        Tensor(shape=[1, 2], dtype=float32, place=Place(cpu), stop_gradient=True,
               [[4., 3.]])
    """
    ...
def mish(x: Tensor, name: str | None = None) -> Tensor:
    """Compute x * tanh(log(1 + exp(x))).

    Args:
        x: a tensor.
        name: ignored.

    Returns:
        A tensor of the shape of x.

    Derivative: dx = dout * conj(t + x * (1 - t^2) * sigmoid(x)), t = tanh(softplus(x)).

    At the boundary: 1 at inf (Paddle: nan).

    Example:
        >>> import jaxeager as paddle
        >>> paddle.nn.functional.mish(paddle.to_tensor([-1.5, 0.25, 4.0]))
        Tensor(shape=[3], dtype=float32, place=Place(cpu), stop_gradient=True,
               [-0.29809976,  0.16957241,  3.99741292])
    """
    ...
def mse_loss(input: Tensor, label: Tensor, reduction: str = 'mean', name: str | None = None) -> Tensor:
    """Return the mean square of the difference.

    Args:
        input: float tensor.
        label: float tensor that broadcasts with it.
        reduction: "mean", "sum" or "none".
        name: ignored.

    Returns:
        a 0-D float tensor; with reduction "none", one value per element.

    Raises:
        InvalidArgumentError: for any other reduction.

    Example:
        >>> import jaxeager as paddle
        >>> x, y = paddle.to_tensor([1.0, 1.0]), paddle.to_tensor([3.0, 1.0])
        >>> paddle.nn.functional.mse_loss(x, y).item()
        2.0
    """
    ...
def multi_label_margin_loss(input: Tensor, label: Tensor, reduction: str = 'mean', name: str | None = None) -> Tensor:
    """Return by how much the labelled classes fail to lead the other classes by 1.

    Each sample is the sum of ``max(0, 1 - input[t] + input[c]) / C`` over its labels t and its
    unlabelled classes c. All pairs are computed, [N, C, C] in total.

    Paddle: there, a single row of labels applies to the first sample, and the others cost nothing.

    Args:
        input: float[N, C], scores.
        label: int32 or int64[N, C], the labels of a sample, ended by -1. A single row, [1, C],
            applies to every sample.
        reduction: "mean", "sum" or "none".
        name: ignored.

    Returns:
        a 0-D float tensor; with reduction "none", float[N].

    Raises:
        InvalidArgumentError: for any other reduction, shapes that do not match, or a label that is
            not a class, on a CPU. An accelerator is not waited for: the label is clipped there.

    Example:
        >>> import jaxeager as paddle
        >>> x, label = paddle.to_tensor([[0.0, 0.5]]), paddle.to_tensor([[0, -1]])
        >>> paddle.nn.functional.multi_label_margin_loss(x, label).item()
        0.75
    """
    ...
def multi_label_soft_margin_loss(input: Tensor, label: Tensor, weight: Tensor | None = None, reduction: str = 'mean', name: str | None = None) -> Tensor:
    """Return the mean over the classes of their binary cross entropies.

    Args:
        input: float[N, C], logits.
        label: 0 or 1, float[N, C].
        weight: float[C], or None.
        reduction: "mean", "sum" or "none".
        name: ignored.

    Returns:
        a 0-D float tensor; with reduction "none", float[N].

    Raises:
        InvalidArgumentError: for any other reduction, or shapes that differ.

    Example:
        >>> import jaxeager as paddle
        >>> x, label = paddle.to_tensor([[0.0, 0.0]]), paddle.to_tensor([[1.0, 0.0]])
        >>> round(paddle.nn.functional.multi_label_soft_margin_loss(x, label).item(), 4)
        0.6931
    """
    ...
def multi_margin_loss(input: Tensor, label: Tensor, p: int = 1, margin: float = 1.0, weight: Tensor | None = None, reduction: str = 'mean', name: str | None = None) -> Tensor:
    """Return the average margin violation of the other classes against the labelled one.

    Each sample is ``sum over c != label of max(0, margin - input[label] + input[c]) ** p / C``.

    Args:
        input: float[N, C], scores.
        label: int32 or int64[N].
        p: the exponent.
        margin: by how much the labelled class should lead.
        weight: float[C], a factor for each label, or None.
        reduction: "mean", "sum" or "none".
        name: ignored.

    Returns:
        a 0-D float tensor; with reduction "none", float[N].

    Raises:
        InvalidArgumentError: for any other reduction, or shapes that do not fit.

    Example:
        >>> import jaxeager as paddle
        >>> x = paddle.to_tensor([[0.0, 0.5, -1.0]])
        >>> round(paddle.nn.functional.multi_margin_loss(x, paddle.to_tensor([0])).item(), 4)
        0.5
    """
    ...
def nll_loss(input: Tensor, label: Tensor, weight: Tensor | None = None, ignore_index: int = -100, reduction: str = 'mean', name: str | None = None) -> Tensor:
    """Return minus the log probabilities of the labelled classes.

    Args:
        input: float[N, C, ...], log probabilities.
        label: integers[N, ...]; for two dimensions [N, 1] too.
        weight: float[C], or None.
        ignore_index: label of samples that are ignored and not counted.
        reduction: "mean" (over the weights), "sum" or "none".
        name: ignored.

    Returns:
        a 0-D float tensor; with reduction "none", float[N, ...].

    Raises:
        InvalidArgumentError: for shapes that do not match.
        InvalidIndexError: for a label that is not a class, on a CPU.

    Example:
        >>> import jaxeager as paddle
        >>> logs = paddle.to_tensor([[-0.5, -1.0]])
        >>> paddle.nn.functional.nll_loss(logs, paddle.to_tensor([1])).item()
        1.0
    """
    ...
def normalize(x: Tensor, p: float = 2, axis: int = 1, epsilon: float = 1e-12, out: Tensor | None = None, name: str | None = None) -> Tensor:
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
    ...
def npair_loss(anchor: Tensor, positive: Tensor, labels: Tensor, l2_reg: float = 0.002) -> Tensor:
    """Return the cross entropy of identifying each anchor's positives, plus a penalty.

    Args:
        anchor: float[N, D].
        positive: float[N, D]; row i belongs to anchor i.
        labels: [N]: rows of the same label are positives of each other.
        l2_reg: weight of the penalty on the embeddings' squared lengths.

    Returns:
        a 0-D float tensor.

    Raises:
        InvalidArgumentError: if there are no embeddings.

    Example:
        >>> import jaxeager as paddle
        >>> x, labels = paddle.to_tensor([[0.0], [0.0]]), paddle.to_tensor([0, 1])
        >>> round(paddle.nn.functional.npair_loss(x, x, labels).item(), 4)
        0.6931
    """
    ...
def one_hot(x: Tensor, num_classes: int = -1, name: str | None = None) -> Tensor:
    """Return vectors that are 1 at the id and 0 elsewhere, in float32.

    Args:
        x: int32 or int64 ids of any shape.
        num_classes: length of the vectors; -1 means the largest id + 1, which has to wait for
            the ids.
        name: ignored.

    Returns:
        float32[*x.shape, num_classes], which has no gradient.

    Raises:
        InvalidArgumentError: for an id outside [0, num_classes) on a CPU. On an accelerator its
            vector is zeros.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.nn.functional.one_hot(paddle.to_tensor([1, 0]), 3).tolist()
        [[0.0, 1.0, 0.0], [1.0, 0.0, 0.0]]
    """
    ...
def pad(x: Tensor, pad: Any, mode: str = 'constant', value: float | Tensor = 0.0, data_format: str | None = None, pad_from_left_axis: bool = True, name: str | None = None) -> Tensor:
    """Return a tensor with elements added (or, with pad3d, removed) at its borders.

    Records the same ops as Paddle: one ``pad``, or ``pad3d`` between ``unsqueeze`` and ``squeeze``
    when the spatial dimensions of a batch are padded.

    Args:
        x: tensor of any shape; modes other than "constant" require 3 to 5 dimensions.
        pad: two numbers per dimension. If they do not cover all dimensions, they start at the last
            spatial one: ``[left, right, top, bottom]`` for an image.
        mode: "constant", "reflect", "replicate" or "circular".
        value: the padding value in mode "constant".
        data_format: "NCL", "NLC", "NCHW", "NHWC", "NCDHW" or "NDHWC"; channels first by default.
        pad_from_left_axis: whether a list for all dimensions starts at the first one.
        name: accepted for compatibility.

    Returns:
        Tensor of the padded shape.

    Raises:
        InvalidArgumentError: for an invalid mode, layout or length.

    Example:
        >>> import jaxeager as paddle
        >>> import jaxeager.nn.functional as F
        >>> F.pad(paddle.ones([1, 1, 2, 3]), [1, 1, 0, 2]).shape
        paddle.Size([1, 1, 4, 5])
    """
    ...
def pairwise_distance(x: Tensor, y: Tensor, p: float = 2.0, epsilon: float = 1e-06, keepdim: bool = False, name: str | None = None) -> Tensor:
    """Return the p-norm of the difference along the last axis.

    Args:
        x: float[N, D] or [D].
        y: as x.
        p: exponent of the norm.
        epsilon: added to the difference.
        keepdim: whether to keep the last axis, with size 1.
        name: ignored.

    Returns:
        float[N], or [N, 1].

    Raises:
        InvalidArgumentError: for shapes that do not broadcast.

    Example:
        >>> import jaxeager as paddle
        >>> x, y = paddle.to_tensor([[3.0, 4.0]]), paddle.to_tensor([[0.0, 0.0]])
        >>> round(paddle.nn.functional.pairwise_distance(x, y).item(), 3)
        5.0
    """
    ...
def pdist(x: Tensor, p: float = 2.0, name: str | None = None) -> Tensor:
    """Return the p-norm distance of each pair of rows of ``x``, in the order of the pairs.

    It needs memory for all differences, [n (n - 1) / 2, d].

    Args:
        x: float[n, d].
        p: the norm, from 0 to infinity.
        name: accepted for compatibility.

    Returns:
        float[n (n - 1) / 2].

    Raises:
        InvalidArgumentError: when ``x`` does not have 2 dimensions, or for a negative ``p``.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.pdist(paddle.to_tensor([[0.0], [1.0], [3.0]])).tolist()
        [1.0, 3.0, 2.0]
    """
    ...
def pixel_shuffle(x: Tensor, upscale_factor: int, data_format: str = 'NCHW', name: str | None = None) -> Tensor:
    """Rearrange images to r times the size with r^2 times fewer channels.

    Args:
        x: [N, C, H, W], or [N, H, W, C] for data_format "NHWC".
        upscale_factor: r.
        data_format: "NCHW" or "NHWC".
        name: ignored.

    Returns:
        Tensor [N, C / r^2, H * r, W * r].

    Raises:
        InvalidTypeError: for a factor that is not an int.
        InvalidArgumentError: if r^2 does not divide the channels.

    Example:
        >>> import jaxeager as paddle
        >>> x = paddle.to_tensor([[[[1.0]], [[2.0]], [[3.0]], [[4.0]]]])
        >>> paddle.nn.functional.pixel_shuffle(x, 2).tolist()
        [[[[1.0, 2.0], [3.0, 4.0]]]]
    """
    ...
def pixel_unshuffle(x: Tensor, downscale_factor: int, data_format: str = 'NCHW', name: str | None = None) -> Tensor:
    """Rearrange images to 1/r of the size with r^2 times as many channels.

    Args:
        x: [N, C, H, W], or [N, H, W, C] for data_format "NHWC".
        downscale_factor: r.
        data_format: "NCHW" or "NHWC".
        name: ignored.

    Returns:
        Tensor [N, C * r^2, H / r, W / r].

    Raises:
        InvalidTypeError: for a factor that is not an int.
        InvalidArgumentError: if r does not divide height and width.

    Example:
        >>> import jaxeager as paddle
        >>> x = paddle.to_tensor([[[[1.0, 2.0], [3.0, 4.0]]]])
        >>> paddle.nn.functional.pixel_unshuffle(x, 2).flatten().tolist()
        [1.0, 2.0, 3.0, 4.0]
    """
    ...
def poisson_nll_loss(input: Tensor, label: Tensor, log_input: bool = True, full: bool = False, epsilon: float = 1e-08, reduction: str = 'mean', name: str | None = None) -> Tensor:
    """Return minus the log likelihood of counts under Poisson distributions.

    Args:
        input: float tensor of the expected counts, or of their logarithms with log_input.
        label: float of the same shape, the counts.
        log_input: whether ``input`` contains logarithms.
        full: whether to add Stirling's approximation of log(label!) where a label is above 1.
        epsilon: added to ``input`` before its logarithm is taken.
        reduction: "mean", "sum" or "none".
        name: ignored.

    Returns:
        a 0-D float tensor; with reduction "none", one value per element.

    Raises:
        InvalidArgumentError: for any other reduction, shapes that differ, or an epsilon that is
            not positive.

    Example:
        >>> import jaxeager as paddle
        >>> x, label = paddle.to_tensor([0.0]), paddle.to_tensor([3.0])
        >>> paddle.nn.functional.poisson_nll_loss(x, label).item()
        1.0
    """
    ...
def prelu(x: Tensor, weight: Tensor, data_format: str = 'NCHW', name: str | None = None) -> Tensor:
    """Compute x, or weight * x where x is not positive; one weight, or one per channel.

    Args:
        x: a tensor.
        weight: the slope: one element, or one per channel.
        data_format: the layout, which has the place of the channels: 'NCHW', 'NHWC', ...
        name: ignored.

    Returns:
        A tensor of the shape of x.

    Derivative: dx = dout where x > 0, else weight * dout; dweight = 0 where x > 0, else x * dout.

    At the boundary: the weight's slope at 0, as in Paddle.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.nn.functional.prelu(paddle.to_tensor([-1.0, 2.0]), paddle.to_tensor([0.25]))
        Tensor(shape=[2], dtype=float32, place=Place(cpu), stop_gradient=True,
               [-0.25000000,  2.        ])
    """
    ...
def relu(x: Tensor, name: str | None = None) -> Tensor:
    """Compute max(x, 0).

    Args:
        x: a tensor.
        name: ignored.

    Returns:
        A tensor of the shape of x.

    Derivative: dx = dout where out > 0, else 0.

    At the boundary: 0 at 0, as in Paddle; the relu of nan is nan (Paddle: 0).

    Example:
        >>> import jaxeager as paddle
        >>> paddle.nn.functional.relu(paddle.to_tensor([-1.5, 0.25, 4.0]))
        Tensor(shape=[3], dtype=float32, place=Place(cpu), stop_gradient=True,
               [0.        , 0.25000000, 4.        ])
    """
    ...
def relu6(x: Tensor, name: str | None = None) -> Tensor:
    """Compute min(max(x, 0), 6).

    Args:
        x: a tensor.
        name: ignored.

    Returns:
        A tensor of the shape of x.

    Derivative: dx = dout where 0 < out < 6, else 0.

    At the boundary: 0 at 0 and 6, as in Paddle.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.nn.functional.relu6(paddle.to_tensor([-1.5, 0.25, 4.0]))
        Tensor(shape=[3], dtype=float32, place=Place(cpu), stop_gradient=True,
               [0.        , 0.25000000, 4.        ])
    """
    ...
def relu_(x: Tensor, name: str | None = None) -> Tensor:
    """Compute max(x, 0). Writes into its first operand and returns it.

    Args:
        x: a tensor.
        name: ignored.

    Returns:
        The tensor x.

    Derivative: dx = dout where out > 0, else 0.

    At the boundary: 0 at 0, as in Paddle; the relu of nan is nan (Paddle: 0).

    Example:
        >>> import jaxeager as paddle
        >>> paddle.nn.functional.relu_(paddle.to_tensor([-1.5, 0.25, 4.0]))
        Tensor(shape=[3], dtype=float32, place=Place(cpu), stop_gradient=True,
               [0.        , 0.25000000, 4.        ])
    """
    ...
def rms_norm(input: Tensor, normalized_shape: Sequence[int], weight: Tensor | None = None, eps: float = 1e-05, name: str | None = None) -> tuple[Tensor, Tensor]:
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
    ...
def rnnt_loss(input: Tensor, label: Tensor, input_lengths: Tensor, label_lengths: Tensor, blank: int = 0, fastemit_lambda: float = 0.001, reduction: str = 'mean', name: str | None = None) -> Tensor:
    """Return minus the log probability that a transducer emits a label.

    Args:
        input: float[batch, time, length + 1, classes], log probabilities; no softmax is applied.
        label: integers[batch, length].
        input_lengths: integers[batch], number of time steps of each sample, at least 1.
        label_lengths: integers[batch], number of labels of each sample.
        blank: the class that advances in time.
        fastemit_lambda: by how much to enlarge the gradients of emitted labels.
        reduction: "mean", "sum" or "none".
        name: ignored.

    Returns:
        a 0-D float tensor; with reduction "none", float[batch].

    Raises:
        InvalidArgumentError: for any other reduction, shapes that do not match, or, on a CPU,
            lengths or labels that are out of range.

    Example:
        >>> import jaxeager as paddle
        >>> one = paddle.to_tensor([1])
        >>> scores = paddle.nn.functional.log_softmax(paddle.zeros([1, 1, 2, 2]))
        >>> loss = paddle.nn.functional.rnnt_loss(scores, paddle.to_tensor([[1]]), one, one)
        >>> round(loss.item(), 4)
        1.3863
    """
    ...
def rrelu(x: Tensor, lower: float = 0.125, upper: float = 0.3333333333333333, training: bool = True, name: str | None = None) -> Tensor:
    """Return ``x`` with negative elements multiplied by a slope, which is random in training.

    Args:
        x: floating tensor.
        lower: the smallest slope, in [0, 1].
        upper: the largest slope, in [lower, 1].
        training: draw random slopes; otherwise the mean of both bounds is used.
        name: accepted for compatibility.

    Raises:
        InvalidArgumentError: if the bounds are out of order or outside [0, 1].
        InvalidTypeError: if one of them is not a number.

    Example:
        >>> import jaxeager as paddle
        >>> x = paddle.to_tensor([-1.0, 2.0])
        >>> paddle.nn.functional.rrelu(x, 0.25, 0.75, training=False).tolist()
        [-0.5, 2.0]
    """
    ...
def scaled_dot_product_attention(query: Tensor, key: Tensor, value: Tensor, attn_mask: Tensor | None = None, dropout_p: float = 0.0, is_causal: bool = False, training: bool = True, backend: str | None = None, scale: float | None = None, enable_gqa: bool = True, name: str | None = None) -> Tensor:
    """Return the values, averaged with weights from how well their keys match each query.

    With 2**24 scores or more (batch * heads * length * other) the weights are not kept, so memory
    grows with the length and not with its square; ``paddle.nn.attention.sdpa_kernel`` chooses. A
    query that a mask hides from all keys then gets 0; otherwise NaN, as in Paddle.

    Args:
        query: float[batch, length, heads, size]; the batch may be omitted.
        key: float[batch, other, heads', size], where heads' divides heads with enable_gqa.
        value: float[batch, other, heads', size].
        attn_mask: added to the scores, a float tensor that broadcasts with
            [batch, heads, length, other]; or bool, where False hides a key.
        dropout_p: the probability that a weight is zeroed in training.
        is_causal: whether a query only attends to keys that are not later, also with a mask.
        training: whether to apply dropout.
        backend: must be None.
        scale: factor of the query; 1 / sqrt(size) by default.
        enable_gqa: whether several query heads may share a key head.
        name: ignored.

    Returns:
        float[batch, length, heads, size].

    Raises:
        InvalidArgumentError: for numbers of heads that do not match.
        UnimplementedError: if a backend is given.

    Example:
        >>> import jaxeager as paddle
        >>> x = paddle.ones([1, 3, 2, 4])
        >>> paddle.nn.functional.scaled_dot_product_attention(x, x, x, is_causal=True).shape
        paddle.Size([1, 3, 2, 4])
    """
    ...
def selu(x: Tensor, scale: float = 1.0507009873554805, alpha: float = 1.6732632423543772, name: str | None = None) -> Tensor:
    """Compute scale * x, or scale * alpha * (exp(x) - 1) where x is not positive.

    Args:
        x: a tensor.
        scale: the factor of the result.
        alpha: the factor.
        name: ignored.

    Returns:
        A tensor of the shape of x.

    Derivative: dx = dout * scale where out > 0, else dout * (out + scale * alpha).

    At the boundary: scale * alpha at 0, the slope from below, as in Paddle.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.nn.functional.selu(paddle.to_tensor([-1.5, 0.25, 4.0]))
        Tensor(shape=[3], dtype=float32, place=Place(cpu), stop_gradient=True,
               [-1.36581433,  0.26267526,  4.20280409])
    """
    ...
def sequence_mask(x: Tensor, maxlen: int | None = None, dtype: DTypeLike = 'int64', name: str | None = None) -> Tensor:
    """Return 1 at the positions of each sequence and 0 at its padding.

    Without ``maxlen`` it waits for the lengths, because the shape depends on them.

    Args:
        x: the lengths, of any shape and number dtype.
        maxlen: the padded size; the largest length if None or negative.
        dtype: dtype of the mask.
        name: ignored.

    Returns:
        dtype[*x.shape, maxlen], which has no gradient.

    Raises:
        InvalidArgumentError: for bool lengths.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.nn.functional.sequence_mask(paddle.to_tensor([1, 3])).tolist()
        [[1, 0, 0], [1, 1, 1]]
    """
    ...
def sigmoid(x: Tensor, name: str | None = None, out: Tensor | None = None) -> Tensor:
    """Compute 1 / (1 + exp(-x)) of each element.

    Args:
        x: a tensor.
        name: ignored.
        out: a tensor into which the result is written.

    Returns:
        A tensor of the shape of x.

    Derivative: dx = dout * conj(out * (1 - out)).

    Example:
        >>> import jaxeager as paddle
        >>> paddle.sigmoid(paddle.to_tensor([0.25, 0.5]))
        Tensor(shape=[2], dtype=float32, place=Place(cpu), stop_gradient=True,
               [0.56217653, 0.62245935])
    """
    ...
def sigmoid_(x: Tensor, name: str | None = None) -> Tensor:
    """Compute 1 / (1 + exp(-x)) of each element. Writes into its first operand and returns it.

    Args:
        x: a tensor.
        name: ignored.

    Returns:
        The tensor x.

    Derivative: dx = dout * conj(out * (1 - out)).

    Example:
        >>> import jaxeager as paddle
        >>> paddle.sigmoid_(paddle.to_tensor([0.25, 0.5]))
        Tensor(shape=[2], dtype=float32, place=Place(cpu), stop_gradient=True,
               [0.56217653, 0.62245935])
    """
    ...
def sigmoid_focal_loss(logit: Tensor, label: Tensor, normalizer: Tensor | None = None, alpha: float = 0.25, gamma: float = 2.0, reduction: str = 'sum', name: str | None = None) -> Tensor:
    """Return a binary cross entropy that down-weights predictions that are already good.

    Each element is ``alpha_t * (1 - p_t) ** gamma * cross_entropy``, where p_t is the
    probability of its label.

    Args:
        logit: float tensor.
        label: 0 or 1, float of the same shape.
        normalizer: divisor of the loss, float of one element, or None.
        alpha: the weight of label 1; that of label 0 is 1 - alpha.
        gamma: how fast the weight of good predictions falls.
        reduction: "mean", "sum" or "none".
        name: ignored.

    Returns:
        a 0-D float tensor; with reduction "none", one value per element.

    Raises:
        InvalidArgumentError: for any other reduction, shapes that differ, a normalizer of two
            dimensions, an ``alpha`` outside [0, 1] or a negative ``gamma``.

    Example:
        >>> import jaxeager as paddle
        >>> x, label = paddle.to_tensor([0.0]), paddle.to_tensor([1.0])
        >>> round(paddle.nn.functional.sigmoid_focal_loss(x, label).item(), 4)
        0.0433
    """
    ...
def silu(x: Tensor, inplace: bool = False, name: str | None = None) -> Tensor:
    """Compute x * sigmoid(x).

    Args:
        x: a tensor.
        inplace: whether the result is written into the first operand.
        name: ignored.

    Returns:
        A tensor of the shape of x.

    Derivative: dx = dout * conj(s + out * (1 - s)), s = sigmoid(x).

    At the boundary: 1 at inf (Paddle: nan).

    Example:
        >>> import jaxeager as paddle
        >>> paddle.nn.functional.silu(paddle.to_tensor([-1.5, 0.25, 4.0]))
        Tensor(shape=[3], dtype=float32, place=Place(cpu), stop_gradient=True,
               [-0.27363831,  0.14054413,  3.92805505])
    """
    ...
def smooth_l1_loss(input: Tensor, label: Tensor, reduction: str = 'mean', delta: float = 1.0, is_huber: bool = True, name: str | None = None) -> Tensor:
    """Return half the square of small differences, and a linear function of large ones.

    Args:
        input: float tensor.
        label: float tensor of the same shape.
        reduction: "mean", "sum" or "none".
        delta: where the square ends and the line begins.
        is_huber: False divides by delta.
        name: ignored.

    Returns:
        a 0-D float tensor; with reduction "none", one value per element.

    Raises:
        InvalidArgumentError: for any other reduction, or shapes that differ.

    Example:
        >>> import jaxeager as paddle
        >>> x, y = paddle.to_tensor([1.0, 1.0]), paddle.to_tensor([3.0, 1.0])
        >>> paddle.nn.functional.smooth_l1_loss(x, y).item()
        0.75
    """
    ...
def soft_margin_loss(input: Tensor, label: Tensor, reduction: str = 'mean', name: str | None = None) -> Tensor:
    """Return ``log(1 + exp(-label * input))`` of each element.

    Paddle: there, exp overflows for ``-label * input`` above 88, and the gradient is nan; here the
    loss is that number.

    Args:
        input: float tensor.
        label: 1 or -1, of the same shape, of any number dtype.
        reduction: "mean", "sum" or "none".
        name: ignored.

    Returns:
        a 0-D float tensor; with reduction "none", one value per element.

    Raises:
        InvalidArgumentError: for any other reduction, or shapes that differ.

    Example:
        >>> import jaxeager as paddle
        >>> x, label = paddle.to_tensor([0.0]), paddle.to_tensor([1.0])
        >>> round(paddle.nn.functional.soft_margin_loss(x, label).item(), 4)
        0.6931
    """
    ...
def softmax(x: Tensor, axis: int = -1, dtype: DTypeLike | None = None, name: str | None = None, out: Tensor | None = None) -> Tensor:
    """Return ``exp(x)`` divided by its sum along an axis.

    Args:
        x: floating tensor.
        axis: the axis along which the results add up to 1.
        dtype: dtype to cast ``x`` to first; the cast is recorded.
        name: accepted for compatibility.

    Returns:
        Tensor of the shape of ``x``, in its dtype or ``dtype``.

    Raises:
        InvalidArgumentError: when the axis is out of range.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.nn.functional.softmax(paddle.to_tensor([1.0, 1.0])).tolist()
        [0.5, 0.5]
    """
    ...
def softmax_(x: Tensor, axis: int = -1, dtype: DTypeLike | None = None, name: str | None = None) -> Tensor:
    """Write the softmax of ``x`` into ``x`` and return it; see ``softmax``.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.nn.functional.softmax_(paddle.to_tensor([1.0, 1.0])).tolist()
        [0.5, 0.5]
    """
    ...
def softmax_with_cross_entropy(logits: Tensor, label: Tensor, soft_label: bool = False, ignore_index: int = -100, numeric_stable_mode: bool = True, return_softmax: bool = False, axis: int = -1) -> Any:
    """Return the cross entropy of each sample, keeping the class axis with size 1.

    Args:
        logits: float, with the classes along ``axis``.
        label: integers with size 1 along ``axis``; or probabilities, with soft_label.
        soft_label: whether labels are probabilities.
        ignore_index: label of samples that are ignored.
        numeric_stable_mode: accepted; the computation is always stable.
        return_softmax: whether to also return the softmax.
        axis: the axis of the classes.

    Returns:
        float, shaped as a hard label; with return_softmax, a pair of that and the softmax.

    Raises:
        InvalidArgumentError: for shapes that do not match.
        OutOfRangeError: for a label that is not a class, on a CPU.

    Paddle: there, a gradient through the returned softmax crashes; here it is a separate op.

    Example:
        >>> import jaxeager as paddle
        >>> logits, label = paddle.to_tensor([[2.0, 0.0]]), paddle.to_tensor([[0]])
        >>> loss = paddle.nn.functional.softmax_with_cross_entropy(logits, label)
        >>> loss.shape, round(loss.item(), 4)
        (paddle.Size([1, 1]), 0.1269)
    """
    ...
def softplus(x: Tensor, beta: float = 1.0, threshold: float = 20.0, name: str | None = None) -> Tensor:
    """Compute log(1 + exp(beta * x)) / beta, or x where beta * x is above the threshold.

    Args:
        x: a tensor.
        beta: the factor within the exponential.
        threshold: the threshold.
        name: ignored.

    Returns:
        A tensor of the shape of x.

    Derivative: dx = dout * conj(sigmoid(beta * x)), dout where beta * x > threshold.

    At the boundary: at beta * x = threshold still the curve's, as in Paddle.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.nn.functional.softplus(paddle.to_tensor([-1.5, 0.25, 4.0]))
        Tensor(shape=[3], dtype=float32, place=Place(cpu), stop_gradient=True,
               [0.20141329, 0.82593942, 4.01814985])
    """
    ...
def softshrink(x: Tensor, threshold: float = 0.5, name: str | None = None) -> Tensor:
    """Move x towards 0 by the threshold, and to 0 where it is closer than that.

    Args:
        x: a tensor.
        threshold: the threshold.
        name: ignored.

    Returns:
        A tensor of the shape of x.

    Derivative: dx = dout where |x| > threshold, else 0.

    At the boundary: 0 at the threshold, as in Paddle.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.nn.functional.softshrink(paddle.to_tensor([-1.5, 0.25, 4.0]))
        Tensor(shape=[3], dtype=float32, place=Place(cpu), stop_gradient=True,
               [-1.       ,  0.       , 3.50000000])
    """
    ...
def softsign(x: Tensor, name: str | None = None) -> Tensor:
    """Compute x / (1 + |x|).

    Args:
        x: a tensor.
        name: ignored.

    Returns:
        A tensor of the shape of x.

    Derivative: dx = (dout - sign(x) * real(conj(x) * dout) / (1 + |x|)) / (1 + |x|): dout / (1 + |x|)^2 for a real x.

    At the boundary: 1 at 0, as in Paddle.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.nn.functional.softsign(paddle.to_tensor([-1.5, 0.25, 4.0]))
        Tensor(shape=[3], dtype=float32, place=Place(cpu), stop_gradient=True,
               [-0.60000002,  0.20000000,  0.80000001])
    """
    ...
def sparse_attention(query: Tensor, key: Tensor, value: Tensor, sparse_csr_offset: Tensor, sparse_csr_columns: Tensor, key_padding_mask: Tensor | None = None, attn_mask: Tensor | None = None, name: str | None = None) -> Tensor:
    """Return attention over the keys listed for each query in compressed sparse rows (CSR).

    Args:
        query: float[batch, heads, length, size].
        key: float[batch, heads, length, size].
        value: float[batch, heads, length, size].
        sparse_csr_offset: int32[batch, heads, length + 1], the start of each query's list.
        sparse_csr_columns: int32[batch, heads, listed], the keys.
        key_padding_mask: float[batch, length], 0 where a key is hidden from all; or None.
        attn_mask: float[length, length], 0 where a key is hidden from a query; or None.
        name: ignored.

    Returns:
        float[batch, heads, length, size], 0 where a query sees nothing.

    Raises:
        InvalidArgumentError: for shapes that do not match.

    Paddle: computes this on a GPU only.

    Example:
        >>> import jaxeager as paddle
        >>> x = paddle.to_tensor([1.0, 3.0]).reshape([1, 1, 2, 1])
        >>> offset = paddle.to_tensor([[[0, 1, 3]]], dtype="int32")
        >>> columns = paddle.to_tensor([[[1, 0, 1]]], dtype="int32")
        >>> out = paddle.nn.functional.sparse_attention(x * 0, x, x, offset, columns)
        >>> out.flatten().tolist()
        [3.0, 2.0]
    """
    ...
def square_error_cost(input: Tensor, label: Tensor) -> Tensor:
    """Return the square of the difference, element by element.

    Args:
        input: float tensor.
        label: float tensor that broadcasts with it.

    Returns:
        float of the broadcast shape.

    Example:
        >>> import jaxeager as paddle
        >>> x, y = paddle.to_tensor([1.0]), paddle.to_tensor([3.0])
        >>> paddle.nn.functional.square_error_cost(x, y).tolist()
        [4.0]
    """
    ...
def swiglu(x: Tensor, y: Tensor | None = None, name: str | None = None) -> Tensor:
    """Compute silu(x) * y; without y, x is split in two along its last dimension.

    Args:
        x: a tensor.
        y: a tensor; it may be left out.
        name: ignored.

    Returns:
        A tensor of the shape of x; without y, half as long in the last dimension.

    Derivative: s = sigmoid(x); dx = dout * conj(y * s * (1 + x * (1 - s))); dy = dout * conj(x * s).

    Example:
        >>> import jaxeager as paddle
        >>> paddle.nn.functional.swiglu(paddle.ones([2]), paddle.ones([2]))
        Tensor(shape=[2], dtype=float32, place=Place(cpu), stop_gradient=True,
               [0.73105860, 0.73105860])
    """
    ...
def swish(x: Tensor, name: str | None = None) -> Tensor:
    """Compute x * sigmoid(x), and saves only x.

    Args:
        x: a tensor.
        name: ignored.

    Returns:
        A tensor of the shape of x.

    Derivative: dx = dout * conj(s * (1 + x * (1 - s))), s = sigmoid(x).

    At the boundary: 1 at inf (Paddle: nan).

    Example:
        >>> import jaxeager as paddle
        >>> paddle.nn.functional.swish(paddle.to_tensor([-1.5, 0.25, 4.0]))
        Tensor(shape=[3], dtype=float32, place=Place(cpu), stop_gradient=True,
               [-0.27363831,  0.14054413,  3.92805505])
    """
    ...
def tanh(x: Tensor, name: str | None = None, out: Tensor | None = None) -> Tensor:
    """Compute the hyperbolic tangent of each element.

    Args:
        x: a tensor.
        name: ignored.
        out: a tensor into which the result is written.

    Returns:
        A tensor of the shape of x.

    Derivative: dx = dout * (1 - conj(out)^2).

    Example:
        >>> import jaxeager as paddle
        >>> paddle.tanh(paddle.to_tensor([0.25, 0.5]))
        Tensor(shape=[2], dtype=float32, place=Place(cpu), stop_gradient=True,
               [0.24491866, 0.46211717])
    """
    ...
def tanh_(x: Tensor, name: str | None = None) -> Tensor:
    """Compute the hyperbolic tangent of each element. Writes into its first operand and returns it.

    Args:
        x: a tensor.
        name: ignored.

    Returns:
        The tensor x.

    Derivative: dx = dout * (1 - conj(out)^2).

    Example:
        >>> import jaxeager as paddle
        >>> paddle.tanh_(paddle.to_tensor([0.25, 0.5]))
        Tensor(shape=[2], dtype=float32, place=Place(cpu), stop_gradient=True,
               [0.24491866, 0.46211717])
    """
    ...
def tanhshrink(x: Tensor, name: str | None = None) -> Tensor:
    """Compute x - tanh(x).

    Args:
        x: a tensor.
        name: ignored.

    Returns:
        A tensor of the shape of x.

    Derivative: dx = dout * conj(tanh(x))^2.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.nn.functional.tanhshrink(paddle.to_tensor([-1.5, 0.25, 4.0]))
        Tensor(shape=[3], dtype=float32, place=Place(cpu), stop_gradient=True,
               [-0.59485179,  0.00508134,  3.00067091])
    """
    ...
def temporal_shift(x: Tensor, seg_num: int, shift_ratio: float = 0.25, name: str | None = None, data_format: str = 'NCHW') -> Tensor:
    """Replace some channels of each frame by those of the frame before or after.

    Args:
        x: [N * T, C, H, W], or [N * T, H, W, C] for data_format "NHWC".
        seg_num: T, the number of frames of a clip.
        shift_ratio: share of the channels moved one step later, and also one step earlier;
            in (0, 0.5).
        name: ignored.
        data_format: "NCHW" or "NHWC".

    Returns:
        Tensor, shaped as x; 0 where there is no such frame.

    Raises:
        InvalidArgumentError: for invalid arguments.

    Example:
        >>> import jaxeager as paddle
        >>> x = paddle.to_tensor([[1.0, 2.0, 3.0, 4.0], [5.0, 6.0, 7.0, 8.0]])
        >>> x = x.reshape([2, 4, 1, 1])
        >>> paddle.nn.functional.temporal_shift(x, 2).reshape([2, 4]).tolist()
        [[0.0, 6.0, 3.0, 4.0], [1.0, 0.0, 7.0, 8.0]]
    """
    ...
def thresholded_relu(x: Tensor, threshold: float = 1.0, value: float = 0.0, name: str | None = None) -> Tensor:
    """Compute x where it is above the threshold, else value.

    Args:
        x: a tensor.
        threshold: the threshold.
        value: the value of the other elements.
        name: ignored.

    Returns:
        A tensor of the shape of x.

    Derivative: dx = dout where x > threshold, else 0.

    At the boundary: 0 at the threshold, as in Paddle.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.nn.functional.thresholded_relu(paddle.to_tensor([-1.5, 0.25, 4.0]))
        Tensor(shape=[3], dtype=float32, place=Place(cpu), stop_gradient=True,
               [0., 0., 4.])
    """
    ...
def thresholded_relu_(x: Tensor, threshold: float = 1.0, value: float = 0.0, name: str | None = None) -> Tensor:
    """Compute x where it is above the threshold, else value. Writes into its first operand and returns it.

    Args:
        x: a tensor.
        threshold: the threshold.
        value: the value of the other elements.
        name: ignored.

    Returns:
        The tensor x.

    Derivative: dx = dout where x > threshold, else 0.

    At the boundary: 0 at the threshold, as in Paddle.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.nn.functional.thresholded_relu_(paddle.to_tensor([-1.5, 0.25, 4.0]))
        Tensor(shape=[3], dtype=float32, place=Place(cpu), stop_gradient=True,
               [0., 0., 4.])
    """
    ...
def triplet_margin_loss(input: Tensor, positive: Tensor, negative: Tensor, margin: float = 1.0, p: float = 2, epsilon: float = 1e-06, swap: bool = False, reduction: str = 'mean', name: str | None = None) -> Tensor:
    """Return by how much the negatives fail to be further away than the positives plus a margin.

    Each sample is ``max(0, d(input, positive) - d(input, negative) + margin)``, where d is the
    p-norm of the difference.

    Args:
        input: float[N, D], or [D].
        positive: of the same shape, should be near.
        negative: of the same shape, should be far.
        margin: by how much the negative should be further away.
        p: exponent of the norm.
        epsilon: added to the difference.
        swap: whether to measure the negative from the positive where that is nearer.
        reduction: "mean", "sum" or "none".
        name: ignored.

    Returns:
        a 0-D float tensor; with reduction "none", float[N].

    Raises:
        InvalidArgumentError: for any other reduction, shapes that differ, or a negative margin.

    Example:
        >>> import jaxeager as paddle
        >>> x, y = paddle.to_tensor([[0.0, 0.0]]), paddle.to_tensor([[3.0, 4.0]])
        >>> round(paddle.nn.functional.triplet_margin_loss(x, y, x).item(), 3)
        6.0
    """
    ...
def triplet_margin_with_distance_loss(input: Tensor, positive: Tensor, negative: Tensor, distance_function: Callable[[Tensor, Tensor], Tensor] | None = None, margin: float = 1.0, swap: bool = False, reduction: str = 'mean', name: str | None = None) -> Tensor:
    """Return by how much the negatives fail to be further away than the positives, by any distance.

    Args:
        input: float[N, D].
        positive: of the same shape, should be near.
        negative: of the same shape, should be far.
        distance_function: maps two tensors to distances; the 2-norm of the difference if None.
        margin: by how much the negative should be further away.
        swap: whether to measure the negative from the positive where that is nearer.
        reduction: "mean", "sum" or "none".
        name: ignored.

    Returns:
        a 0-D float tensor; with reduction "none", one value per distance.

    Raises:
        InvalidArgumentError: for any other reduction, shapes that differ, a negative margin, or a
            negative distance, on a CPU. An accelerator is not waited for: it is used unchanged
            there; with FLAGS_check_index=1 the error is raised later.

    Example:
        >>> import jaxeager as paddle
        >>> def distance(x, y):
        ...     return (x - y).abs().sum(-1)
        >>> x, y = paddle.to_tensor([[0.0, 0.0]]), paddle.to_tensor([[3.0, 4.0]])
        >>> F = paddle.nn.functional
        >>> F.triplet_margin_with_distance_loss(x, y, x, distance_function=distance).item()
        8.0
    """
    ...
def unfold(x: Tensor, kernel_sizes: int | Sequence[int], strides: int | Sequence[int] = 1, paddings: int | Sequence[int] = 0, dilations: int | Sequence[int] = 1, name: str | None = None) -> Tensor:
    """Return the contents of each sliding window as a column.

    Args:
        x: float[N, C, H, W].
        kernel_sizes: one int or (height, width).
        strides: one int or (height, width).
        paddings: one int, (height, width) or (top, left, bottom, right).
        dilations: one int or (height, width).
        name: ignored.

    Returns:
        float[N, C * kh * kw, L], where L is the number of positions.

    Raises:
        InvalidArgumentError: for a window that does not fit.
        InvalidTypeError: for a list of other than two kernel sizes, strides or dilations.

    Example:
        >>> import jaxeager as paddle
        >>> x = paddle.to_tensor([[[[1.0, 2.0], [3.0, 4.0]]]])
        >>> paddle.nn.functional.unfold(x, [1, 2]).tolist()
        [[[1.0, 3.0], [2.0, 4.0]]]
    """
    ...
def upsample(x: Tensor, size: ShapeLike | None = None, scale_factor: ShapeLike | None = None, mode: str = 'nearest', align_corners: bool = False, align_mode: int = 0, data_format: str | None = None, name: str | None = None) -> Tensor:
    """Resize sequences, images or volumes: an older name of ``interpolate``.

    Args:
        x: as in ``interpolate``; so are the others.
        size: the spatial sizes of the result.
        scale_factor: factor of the sizes.
        mode: interpolation mode.
        align_corners: whether the centers of the outermost elements stay aligned.
        align_mode: where positions are measured from.
        data_format: the layout.
        name: ignored.

    Returns:
        float[N, C, ...] of the requested size.

    Raises:
        InvalidArgumentError: as for ``interpolate``.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.nn.functional.upsample(paddle.ones([1, 1, 2, 2]), scale_factor=2).shape
        paddle.Size([1, 1, 4, 4])
    """
    ...
def zeropad2d(x: Tensor, padding: ShapeLike, data_format: str = 'NCHW', name: str | None = None) -> Tensor:
    """Pad a batch of images with zeros at the borders.

    Args:
        x: 4-D tensor.
        padding: ``[left, right, top, bottom]``.
        data_format: "NCHW" or "NHWC".
        name: accepted for compatibility.

    Returns:
        Tensor of the padded shape.

    Example:
        >>> import jaxeager as paddle
        >>> import jaxeager.nn.functional as F
        >>> F.zeropad2d(paddle.ones([1, 1, 2, 2]), [1, 0, 0, 1]).shape
        paddle.Size([1, 1, 3, 3])
    """
    ...
