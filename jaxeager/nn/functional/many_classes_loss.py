"""Losses for many classes: trees, clusters, sampled centers, angular margins."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import jax
import numpy as np

import jaxeager as paddle
from jaxeager.arrays.random import as_key, next_key
from jaxeager.core.ignored_arguments import unheeded
from jaxeager.errors import InvalidArgumentError, InvalidIndexError, UnimplementedError
from jaxeager.kernels.size_limit import check_size
from jaxeager.nn.functional.loss_reduction import reduced
from jaxeager.ops.indexing.index_parse import check_within
from jaxeager.ops.losses import hsigmoid
from jaxeager.ops.losses import margin_cross_entropy as margin_rows
from jaxeager.ops.register import composite

if TYPE_CHECKING:
    from typing import Literal

    from jaxeager.distributed.communication.groups import Group
    from jaxeager.tensor.tensor import Tensor


def _check_classes(label, classes: int) -> None:
    """Raise if a label on a CPU is not a class."""

    def error(bad: int) -> InvalidIndexError:
        return InvalidIndexError(
            f"label values should be in [0, {classes - 1}], but {bad} was found."
        )

    check_within(label._array, 0, classes, error)


def _check_path(path_table, rows: int) -> None:
    """Raise if a node on a CPU has no row of weights; negative nodes end a path."""

    def error(bad: int) -> InvalidIndexError:
        return InvalidIndexError(f"path_table holds node {bad}, but weight has {rows} rows.")

    check_within(path_table._array, np.iinfo(np.int64).min, rows, error)


@composite(public="functional", method=False)
def hsigmoid_loss(
    input: Tensor,
    label: Tensor,
    num_classes: int,
    weight: Tensor,
    bias: Tensor | None = None,
    path_table: Tensor | None = None,
    path_code: Tensor | None = None,
    is_sparse: bool = False,
    name: str | None = None,
) -> Tensor:
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
    unheeded("hsigmoid_loss", "gradients are dense", is_sparse=(is_sparse, False))
    if num_classes < 2:
        raise InvalidArgumentError(f"Expected num_classes >= 2 (got {num_classes})")
    if path_table is None:
        _check_classes(label, num_classes)
    else:
        _check_path(path_table, weight.shape[0])
    return hsigmoid.hsigmoid_loss(
        input, label, weight, bias, path_table, path_code, num_classes=num_classes
    )


@composite(public="functional", method=False)
def margin_cross_entropy(
    logits: Tensor,
    label: Tensor,
    margin1: float = 1.0,
    margin2: float = 0.5,
    margin3: float = 0.0,
    scale: float | Tensor = 64.0,
    group: Group | Literal[False] | None = None,
    return_softmax: bool = False,
    reduction: str = "mean",
) -> Any:
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
    if reduction not in ("mean", "sum", "none", None):
        raise InvalidArgumentError(
            f"reduction must be 'mean', 'sum', 'none' or None, but received {reduction!r}."
        )
    _check_group(group)
    if logits.shape[-1] == 0:
        raise InvalidArgumentError(
            f"Expected logit_dims[-1] > 0 (got logit_dims {list(logits.shape)})"
        )
    if label.ndim not in (logits.ndim - 1, logits.ndim):
        raise InvalidArgumentError(
            "Expected input_dims - 1 = label_dims or input_dims == label_dims             (got "
            f"input_dims{logits.ndim}, label_dims{label.ndim})"
        )
    if label.ndim == logits.ndim - 1:
        label = paddle.unsqueeze(label, -1)
    _check_classes(label, logits.shape[-1])
    if logits.dtype == paddle.float16:
        logits = paddle.cast(logits, paddle.float32)
    softmax, loss = margin_rows.margin_cross_entropy(
        logits, label, margin1, margin2, margin3, scale
    )
    loss = reduced(loss, reduction or "none")
    return (loss, softmax) if return_softmax else loss


def _check_group(group) -> None:
    if group is None or group is False:
        return
    if not hasattr(group, "is_member"):
        raise InvalidArgumentError(
            "Expected group is False, None or instance of paddle.distributed.collective.Group"
            f"              (got group: {group})"
        )
    if getattr(group, "nranks", 1) > 1:
        raise UnimplementedError("Classes spread over several processes are not supported.")


@composite(public="functional", method=False)
def class_center_sample(
    label: Tensor, num_classes: int, num_samples: int, group: Group | Literal[False] | None = None
) -> tuple[Tensor, Tensor]:
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
    _check_group(group)
    if num_samples < 1:
        raise InvalidArgumentError(
            "The value 'num_samples' for Op(class_center_sample) must be greater than 0, but "
            f"received {num_samples}."
        )
    if num_samples > num_classes:
        raise InvalidArgumentError(
            f"Expected num_samples less than or equal to {num_classes}, got num_samples "
            f"{num_samples}"
        )
    if label.size < 1:
        raise InvalidArgumentError(
            f"Expected label_size > 0              (got label_size: {label.size})"
        )
    if label.ndim != 1:
        raise InvalidArgumentError(
            f"Expected label_dims == 1              (got label_dims: {label.ndim})"
        )
    values = label.numpy()
    if values.min() < 0 or values.max() >= num_classes:
        raise InvalidArgumentError(
            f"labels must be in [0, {num_classes}), but are from {values.min()} to {values.max()}."
        )
    occurring, remapped = np.unique(values, return_inverse=True)
    check_size("class_center_sample", (num_classes,), np.int64)
    others = np.setdiff1d(np.arange(num_classes), occurring)
    count = max(num_samples - len(occurring), 0)
    drawn = np.asarray(jax.random.permutation(as_key(next_key()), others))[:count]
    kept = np.concatenate([occurring, drawn]).astype(values.dtype)
    return paddle.to_tensor(remapped.astype(values.dtype)), paddle.to_tensor(kept)


@composite(public="functional", method=False)
def adaptive_log_softmax_with_loss(
    input: Tensor,
    label: Tensor,
    head_weight: Tensor,
    tail_weights: Sequence[Sequence[Tensor]],
    cutoffs: Sequence[int | Tensor],
    head_bias: Tensor | None = None,
    name: str | None = None,
) -> tuple[Tensor, Tensor]:
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
    _check_adaptive(input, label)
    if label.ndim == 0:
        output, loss = adaptive_log_softmax_with_loss(
            input.unsqueeze(0), label.unsqueeze(0), head_weight, tail_weights, cutoffs, head_bias
        )
        return output.squeeze(0), loss
    bounds = [int(each) for each in cutoffs]
    _check_classes(label, bounds[-1])
    linear, log_softmax = paddle.nn.functional.linear, paddle.nn.functional.log_softmax
    places = label
    tails = []
    for i, (low, high) in enumerate(pairwise(bounds)):
        is_here = paddle.logical_and(label >= low, label < high)
        places = paddle.where(is_here, paddle.full_like(label, bounds[0] + i), places)
        logs = log_softmax(linear(linear(input, tail_weights[i][0]), tail_weights[i][1]), axis=1)
        inner = paddle.clip(label - low, 0, high - low - 1).unsqueeze(1)
        found = paddle.take_along_axis(logs, inner, 1).squeeze(1)
        tails.append(paddle.where(is_here, found, paddle.zeros_like(found)))
    head = log_softmax(linear(input, head_weight, head_bias), axis=1)
    output = paddle.take_along_axis(head, places.unsqueeze(1), 1).squeeze(1)
    for each in tails:
        output = each + output
    return output, (-output).mean()


def _check_adaptive(input, label) -> None:
    if label.ndim > 1:
        raise InvalidArgumentError("0D or 1D label tensor expected, multi-label not supported")
    if label.ndim == 1 and input.shape[0] != label.shape[0]:
        raise InvalidArgumentError(
            "Input and label should have the same size in the batch dimension. They have "
            f"{input.shape[0]} and {label.shape[0]}."
        )
    if label.ndim == 1 and input.ndim != 2:
        raise InvalidArgumentError(
            "1D label tensor expects 2D input tensors, but found inputs with size "
            f"{list(input.shape)}"
        )
    if label.ndim == 0 and input.ndim != 1:
        raise InvalidArgumentError(
            "0D label tensor expects 1D input tensors, but found inputs with size "
            f"{list(input.shape)}"
        )
