"""Rows of losses of classes: cross entropy, and the log likelihood of a label."""

import jax.numpy as jnp
import numpy as np
from jax import lax

from jaxeager.errors import InvalidArgumentError
from jaxeager.ops.register import op
from jaxeager.ops.rules.axes import normal_axis, same_dtype
from jaxeager.ops.rules.precision import wide_dtype, widened
from jaxeager.ops.rules.real_only import real_only
from jaxeager.ops.rules.samples import BadInput, Sample, values

# ---- cross_entropy_with_softmax


def _check_label(logits, label, soft_label: bool, axis: int) -> int:
    """Return the class axis, counted from the front.

    Raises:
        ValueError: when the label's shape or dtype does not fit.
    """
    axis = normal_axis(axis, logits.ndim)
    expected = list(logits.shape)
    if not soft_label:
        expected[axis] = 1
    is_soft = not soft_label and label.shape == logits.shape
    if logits.ndim == 0 or list(label.shape) != expected:
        raise ValueError(
            "Input(Logits) and Input(Label) should in same shape in dimensions except axis: the "
            f"label must be {expected}, but is {list(label.shape)}."
            + (" For probabilities of classes pass soft_label=True." if is_soft else "")
        )
    if soft_label:
        same_dtype(logits, label)
    return axis


def _one_hot(label, shape: tuple[int, ...], axis: int):
    """Return a mask of the labelled class, of the shape of the logits."""
    return lax.broadcasted_iota(label.dtype, shape, axis) == label


def _index(label):
    """Return a hard label as integers; like Paddle, accept floating labels too."""
    return label if jnp.issubdtype(label.dtype, jnp.integer) else label.astype(jnp.int64)


@real_only
def cross_entropy_with_softmax_forward(
    logits,
    label,
    *,
    soft_label: bool = False,
    use_softmax: bool = True,
    ignore_index: int = -100,
    axis: int = -1,
):
    """Return the cross entropy along an axis, kept with size 1, and the softmax."""
    axis = _check_label(logits, label, soft_label, axis)
    wide = widened(logits)
    if use_softmax:
        largest = lax.stop_gradient(jnp.max(wide, axis, keepdims=True, initial=-jnp.inf))
        shifted = wide - jnp.where(jnp.isfinite(largest), largest, 0)
        total = jnp.sum(jnp.exp(shifted), axis, keepdims=True)
        log_probability = shifted - jnp.log(total)
        softmax = jnp.exp(shifted) / total
    else:
        log_probability, softmax = jnp.log(wide), wide
    if soft_label:
        # A class of weight 0 adds nothing, even where its probability is 0.
        terms = jnp.where(label == 0, 0, widened(label) * log_probability)
        loss = -jnp.sum(terms, axis, keepdims=True)
    else:
        label = _index(label)
        picked = _pick(log_probability, label, axis)
        loss = jnp.where(label == ignore_index, 0, -picked)
    return loss.astype(logits.dtype), softmax.astype(logits.dtype)


def _pick(values, label, axis: int):
    """Take the value of the labelled class, or nan for a label that is not a class."""
    classes = values.shape[axis]
    place = jnp.where(label < 0, classes, label)
    return jnp.take_along_axis(values, place, axis, mode="fill", fill_value=jnp.nan)


def cross_entropy_with_softmax_vjp(
    label, softmax, dloss, *, soft_label, use_softmax, ignore_index, axis
):
    """Return the gradient of the logits."""
    axis = normal_axis(axis, softmax.ndim)
    wide, dloss = widened(softmax), widened(dloss)
    if soft_label:
        target, weight = widened(label), jnp.sum(widened(label), axis, keepdims=True)
    else:
        label = _index(label)
        target = _one_hot(label, softmax.shape, axis).astype(wide.dtype)
        weight = jnp.ones((), wide.dtype)
        dloss = jnp.where(label == ignore_index, 0, dloss)
        is_class = (label >= 0) & (label < softmax.shape[axis]) | (label == ignore_index)
        dloss = jnp.where(is_class, dloss, jnp.nan)
    if use_softmax:
        return (wide * weight - target) * dloss
    return jnp.where(target == 0, 0, -target / jnp.where(target == 0, 1, wide)) * dloss


def cross_entropy_with_softmax_hidden_vjp(softmax, dsoftmax, *, use_softmax, axis):
    """Return the gradient of the logits from a gradient of the softmax, which backward saves."""
    if not use_softmax:
        return dsoftmax
    wide, dwide = widened(softmax), widened(dsoftmax)
    return wide * (dwide - jnp.sum(dwide * wide, axis, keepdims=True))


def cross_entropy_with_softmax_reference(
    logits, label, soft_label=False, use_softmax=True, ignore_index=-100, axis=-1
):
    """Compute the softmax and take logarithms."""
    softmax = logits
    if use_softmax:
        softmax = np.exp(logits) / np.exp(logits).sum(axis, keepdims=True)
    if soft_label:
        return -(label * np.log(softmax)).sum(axis, keepdims=True)
    valid = np.where(label == ignore_index, 0, label).astype(int)
    loss = -np.log(np.take_along_axis(softmax, valid, axis))
    return np.where(label == ignore_index, 0, loss)


def cross_entropy_with_softmax_samples():
    """Yield hard and soft labels, an ignored one, another axis, probabilities, no samples."""
    logits, label = values((3, 4)), np.array([[1], [0], [3]])
    soft = values((3, 4), 0.0, 1.0, seed=1)
    yield Sample(logits, label)
    yield Sample(logits, soft, soft_label=True)
    yield Sample(logits, label, ignore_index=0)
    yield Sample(values((2, 3, 2)), np.array([[[1, 0]], [[2, 1]]]), axis=1)
    yield Sample(values((3, 4), 0.2, 0.9), label, use_softmax=False)
    yield Sample(values((3, 4), 0.2, 0.9), soft, use_softmax=False, soft_label=True)
    yield Sample(values((0, 4)), np.zeros((0, 1), int))


def cross_entropy_with_softmax_errors():
    """Yield labels that do not fit."""
    bad, text = InvalidArgumentError, "should in same shape in dimensions except axis"
    yield BadInput((values((3, 4)), np.zeros((2, 1), int)), {}, bad, text)
    yield BadInput((values((3, 4)), values((3, 3))), {"soft_label": True}, bad, text)


cross_entropy_with_softmax = op(
    "cross_entropy_with_softmax",
    cross_entropy_with_softmax_forward,
    vjp=cross_entropy_with_softmax_vjp,
    outputs="loss",
    hidden="softmax",
    hidden_vjp=cross_entropy_with_softmax_hidden_vjp,
    saves="label softmax",
    shapes="logits",
    nondiff="label",
    public=None,
    reference=cross_entropy_with_softmax_reference,
    samples=cross_entropy_with_softmax_samples,
    errors=cross_entropy_with_softmax_errors,
    formula="dlogits = (softmax * sum(target) - target) * dloss where use_softmax, else -target "
    "/ softmax * dloss: target the (one-hot) label, 0 where the label is ignored",
    boundary="0 for an ignored label, as in Paddle.",
    doc="Cross entropy of the softmax of logits with a label; recorded by F.cross_entropy.",
    example="paddle.nn.functional.cross_entropy(paddle.rand([2, 3]), paddle.to_tensor([0, 2]))",
)


# ---- nll_loss


@real_only
def nll_loss_forward(
    input, label, weight=None, *, ignore_index: int = -100, reduction: str = "mean"
):
    """Return minus the label's log probability, [N, C] or [N, C, H, W], and the weight."""
    if label.shape != (*input.shape[:1], *input.shape[2:]):
        raise ValueError(
            "ShapeError: the label must have the input's shape without its classes, "
            f"{[*input.shape[:1], *input.shape[2:]]}, but its shape is {list(label.shape)}."
        )
    used = _label_weight(input, label, weight, ignore_index)
    picked = _pick(widened(input), jnp.expand_dims(label, 1), 1)[:, 0]
    loss = jnp.where(label == ignore_index, 0, -used * picked)
    total = jnp.sum(used)
    if reduction == "mean":
        loss = jnp.sum(loss) / jnp.where(total == 0, 1, total)
    elif reduction == "sum":
        loss = jnp.sum(loss)
    elif reduction != "none":
        raise ValueError(f"reduction must be 'sum', 'mean' or 'none', but received {reduction!r}.")
    return loss.astype(input.dtype), total.astype(input.dtype)


def _label_weight(input, label, weight, ignore_index: int):
    """Return the weight of each label's class, 0 where the label is ignored."""
    ones = jnp.ones(label.shape, wide_dtype(input.dtype))
    if weight is not None:
        place = jnp.where(label < 0, weight.shape[0], label)
        ones = jnp.take(widened(weight), place, mode="fill", fill_value=jnp.nan)
    return jnp.where(label == ignore_index, 0, ones)


def nll_loss_vjp(input, label, weight, total_weight, dout, *, ignore_index, reduction):
    """Return the gradient at the labelled classes."""
    used = _label_weight(input, label, weight, ignore_index)
    if reduction == "mean":
        used = used / jnp.where(total_weight == 0, 1, widened(total_weight))
    spread = jnp.expand_dims(-used * widened(dout), 1)
    return jnp.where(_one_hot(jnp.expand_dims(label, 1), input.shape, 1), spread, 0)


def nll_loss_reference(input, label, weight=None, ignore_index=-100, reduction="mean"):
    """Pick with NumPy."""
    valid = np.where(label == ignore_index, 0, label)
    used = np.ones(label.shape) if weight is None else weight[valid]
    used = np.where(label == ignore_index, 0, used)
    loss = -used * np.take_along_axis(input, valid[:, None], 1)[:, 0]
    if reduction == "none":
        return loss
    return loss.sum() / (used.sum() if reduction == "mean" else 1)


def nll_loss_samples():
    """Yield every reduction, a weight, an ignored label, images."""
    input, label = values((3, 4), -3.0, -0.1), np.array([1, 0, 3])
    weight = values((4,), 0.5, 1.5, seed=1)
    yield Sample(input, label, weight)
    yield Sample(input, label, weight, ignore_index=0, reduction="sum")
    yield Sample(input, label, None, ignore_index=3, reduction="none")
    yield Sample(values((2, 3, 2, 2)), np.array([[[0, 1], [2, 0]], [[1, 1], [2, 2]]]), None)


def nll_loss_errors():
    """Yield a label of another length."""
    yield BadInput(
        (values((3, 4)), np.array([1, 2])), {}, InvalidArgumentError, "ShapeError: the label must"
    )


nll_loss = op(
    "nll_loss",
    nll_loss_forward,
    vjp=nll_loss_vjp,
    hidden="total_weight",
    saves="input label weight total_weight",
    nondiff="label weight",
    public=None,
    reference=nll_loss_reference,
    samples=nll_loss_samples,
    errors=nll_loss_errors,
    formula="dinput[label] = -weight[label] * dout, over the total weight for the mean",
    boundary="0 for an ignored label, as in Paddle.",
    doc="Minus the log probability of the labelled class; recorded by F.nll_loss.",
    example="paddle.nn.functional.nll_loss(paddle.rand([2, 3]), paddle.to_tensor([0, 2]))",
)
