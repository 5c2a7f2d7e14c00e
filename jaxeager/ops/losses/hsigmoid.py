"""The hsigmoid_loss row: the cross entropy of a path down a tree of binary decisions."""

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from jaxeager.errors import InvalidArgumentError
from jaxeager.ops.register import op
from jaxeager.ops.rules.precision import in_float32
from jaxeager.ops.rules.real_only import real_only
from jaxeager.ops.rules.samples import BadInput, Sample, values


@real_only
def hsigmoid_loss_forward(
    input,
    label,
    weight,
    bias=None,
    path_table: Any = None,
    path_code: Any = None,
    *,
    num_classes: int,
):
    """Return minus the log probability of each label, [N, 1]."""
    _check(input, label, weight, path_table, path_code)
    label = label.reshape(-1)
    if path_table is None:
        nodes, bits, is_there = _default_path(label, num_classes)
    else:
        is_there = jnp.cumprod(path_table >= 0, axis=1).astype(bool)
        nodes, bits = jnp.where(is_there, path_table, 0), path_code
    scores = jnp.sum(weight[nodes] * input[:, None, :], -1)
    if bias is not None:
        scores = scores + bias.reshape(-1)[nodes]
    costs = jax.nn.softplus(scores) - bits.astype(scores.dtype) * scores
    return jnp.sum(jnp.where(is_there, costs, 0), 1, keepdims=True)


def _check(input, label, weight, path_table, path_code) -> None:
    if input.ndim != 2 or weight.ndim != 2 or input.shape[1] != weight.shape[1]:
        raise ValueError(
            "input must be [N, D] and weight [nodes, D], but they are "
            f"{list(input.shape)} and {list(weight.shape)}."
        )
    if label.size != input.shape[0]:
        raise ValueError(
            f"label must hold one class per sample, [N] or [N, 1], but is {list(label.shape)} for "
            f"{input.shape[0]} samples."
        )
    if (path_table is None) != (path_code is None):
        raise ValueError("path_table and path_code are given together, or not at all.")


def _default_path(label, num_classes: int):
    """Return the nodes on the path to each class, the side at each, and a mask of the real ones.

    The tree is a heap: class c is leaf c + num_classes, the parent of n is n // 2, and node n has
    row n - 1 of the weight.
    """
    depth = (2 * num_classes - 1).bit_length() - 1
    leaf, levels = (label + num_classes)[:, None], jnp.arange(depth)
    parents = leaf >> (levels + 1)
    is_there = parents > 0
    return jnp.where(is_there, parents - 1, 0), (leaf >> levels) & 1, is_there


def hsigmoid_loss_reference(
    input, label, weight, bias=None, path_table: Any = None, path_code: Any = None, num_classes=0
):
    """Walk up the tree from each leaf, or along the given path."""
    found = np.zeros((input.shape[0], 1), input.dtype)
    for n, c in enumerate(np.ravel(label)):
        if path_table is None:
            leaf = int(c) + num_classes
            path = []
            while leaf > 1:
                path.append((leaf // 2 - 1, leaf % 2))
                leaf //= 2
        else:
            path = list(zip(path_table[n], path_code[n], strict=True))
        for node, bit in path:
            if node < 0:
                break
            score = weight[node] @ input[n] + (0 if bias is None else bias[node, 0])
            found[n, 0] += np.logaddexp(score, 0) - bit * score
    return found


def hsigmoid_loss_samples():
    """Yield paths of one length and of several, no bias, a custom tree, no samples."""
    x, label = values((3, 2)), np.array([0, 4, 2])
    yield Sample(x, label, values((4, 2), seed=1), values((4, 1), seed=2), num_classes=5)
    yield Sample(x, label[:, None], values((7, 2), seed=1), num_classes=8)
    table = np.array([[0, 2, -1], [0, 1, 3], [0, -1, -1]])
    code = np.array([[0, 1, -1], [1, 0, 1], [1, -1, -1]])
    weight, bias = values((4, 2), seed=1), values((4, 1), seed=2)
    yield Sample(x, label, weight, bias, table, code, num_classes=5)
    yield Sample(values((0, 2)), np.zeros((0,), int), weight, num_classes=5)


def hsigmoid_loss_errors():
    """Yield sizes that do not fit."""
    bad, more = InvalidArgumentError, {"num_classes": 5}
    label = np.array([0, 4, 2])
    yield BadInput((values((3, 2)), label, values((4, 3))), more, bad, "weight [nodes, D]")
    yield BadInput((values((3, 2)), label[:2], values((4, 2))), more, bad, "one class per sample")
    two = (values((3, 2)), label, values((4, 2)), None, np.zeros((3, 1), int))
    yield BadInput(two, more, bad, "are given together")


hsigmoid_loss = op(
    "hsigmoid_loss",
    in_float32(hsigmoid_loss_forward),
    saves="input label weight bias path_table path_code",
    nondiff="label path_table path_code",
    public=None,
    reference=hsigmoid_loss_reference,
    samples=hsigmoid_loss_samples,
    errors=hsigmoid_loss_errors,
    formula="dscore = (sigmoid(score) - code) * dout at each node on the way; weight, bias and "
    "input get their shares",
    doc="Minus the log probability of a class reached by binary decisions; F.hsigmoid_loss.",
    example="paddle.nn.functional.hsigmoid_loss(paddle.ones([1, 2]), paddle.to_tensor([2]), 4, "
    "paddle.ones([3, 2]))",
)
