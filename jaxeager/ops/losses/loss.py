"""Loss rows: what the losses of nn.functional record beside means, sums and elementwise ops."""

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from jaxeager.errors import InvalidArgumentError
from jaxeager.ops.register import op
from jaxeager.ops.rules.axes import normal_axis, same_dtype
from jaxeager.ops.rules.precision import wide_dtype, widened
from jaxeager.ops.rules.real_only import real_only
from jaxeager.ops.rules.samples import BadInput, Sample, values


def _same_shape(x, label) -> None:
    if x.shape != label.shape:
        raise ValueError(
            "input and label must have the same shape, but received "
            f"{list(x.shape)} and {list(label.shape)}."
        )


# ---- cross_entropy_with_softmax


def _check_label(logits, label, soft_label: bool, axis: int) -> int:
    """Returns the class axis, counted from the front.

    Raises:
        ValueError: when the label's shape or dtype does not fit.
    """
    axis = normal_axis(axis, logits.ndim)
    expected = list(logits.shape)
    if not soft_label:
        expected[axis] = 1
    if logits.ndim == 0 or list(label.shape) != expected:
        raise ValueError(
            "Input(Logits) and Input(Label) should in same shape in dimensions except axis: the "
            f"label must be {expected}, but is {list(label.shape)}."
        )
    if soft_label:
        same_dtype(logits, label)
    return axis


def _one_hot(label, shape: tuple[int, ...], axis: int):
    """Returns whether each class is the labelled one, over the shape of the logits."""
    return lax.broadcasted_iota(label.dtype, shape, axis) == label


def _index(label):
    """Returns a hard label as integers; Paddle takes floating ones too."""
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
    """Gives the cross entropy along an axis, kept with size 1, and the softmax."""
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
        # A class of no weight costs nothing, even where its probability is 0.
        terms = jnp.where(label == 0, 0, widened(label) * log_probability)
        loss = -jnp.sum(terms, axis, keepdims=True)
    else:
        label = _index(label)
        picked = _pick(log_probability, label, axis)
        loss = jnp.where(label == ignore_index, 0, -picked)
    return loss.astype(logits.dtype), softmax.astype(logits.dtype)


def _pick(values, label, axis: int):
    """Takes the labelled class; a label that is no class gives nan."""
    classes = values.shape[axis]
    place = jnp.where(label < 0, classes, label)
    return jnp.take_along_axis(values, place, axis, mode="fill", fill_value=jnp.nan)


def cross_entropy_with_softmax_vjp(
    label, softmax, dloss, *, soft_label, use_softmax, ignore_index, axis
):
    """Gives the gradient of the logits."""
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
    """Gives the logits' share of a gradient of the softmax, which backward itself reads."""
    if not use_softmax:
        return dsoftmax
    wide, dwide = widened(softmax), widened(dsoftmax)
    return wide * (dwide - jnp.sum(dwide * wide, axis, keepdims=True))


def cross_entropy_with_softmax_reference(
    logits, label, soft_label=False, use_softmax=True, ignore_index=-100, axis=-1
):
    """Takes logarithms of a softmax written out."""
    softmax = logits
    if use_softmax:
        softmax = np.exp(logits) / np.exp(logits).sum(axis, keepdims=True)
    if soft_label:
        return -(label * np.log(softmax)).sum(axis, keepdims=True)
    valid = np.where(label == ignore_index, 0, label).astype(int)
    loss = -np.log(np.take_along_axis(softmax, valid, axis))
    return np.where(label == ignore_index, 0, loss)


def cross_entropy_with_softmax_samples():
    """Yields hard and soft labels, an ignored one, another axis, probabilities, no samples."""
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
    """Yields labels that do not fit."""
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
    formula="dlogits = (softmax * sum(target) - target) * dloss, target the (one-hot) label; "
    "0 where the label is ignored",
    boundary="0 for an ignored label, as Paddle's.",
    doc="Cross entropy of the softmax of logits with a label; what F.cross_entropy records.",
    example="paddle.nn.functional.cross_entropy(paddle.rand([2, 3]), paddle.to_tensor([0, 2]))",
)


# ---- nll_loss


@real_only
def nll_loss_forward(
    input, label, weight=None, *, ignore_index: int = -100, reduction: str = "mean"
):
    """Gives minus the labelled class's log probability, [N, C] or [N, C, H, W], and the weight."""
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
    """Returns each label's class weight, 0 where it is ignored."""
    ones = jnp.ones(label.shape, wide_dtype(input.dtype))
    if weight is not None:
        place = jnp.where(label < 0, weight.shape[0], label)
        ones = jnp.take(widened(weight), place, mode="fill", fill_value=jnp.nan)
    return jnp.where(label == ignore_index, 0, ones)


def nll_loss_vjp(input, label, weight, total_weight, dout, *, ignore_index, reduction):
    """Gives the gradient at the labelled classes."""
    used = _label_weight(input, label, weight, ignore_index)
    if reduction == "mean":
        used = used / jnp.where(total_weight == 0, 1, widened(total_weight))
    spread = jnp.expand_dims(-used * widened(dout), 1)
    return jnp.where(_one_hot(jnp.expand_dims(label, 1), input.shape, 1), spread, 0)


def nll_loss_reference(input, label, weight=None, ignore_index=-100, reduction="mean"):
    """Picks with NumPy."""
    valid = np.where(label == ignore_index, 0, label)
    used = np.ones(label.shape) if weight is None else weight[valid]
    used = np.where(label == ignore_index, 0, used)
    loss = -used * np.take_along_axis(input, valid[:, None], 1)[:, 0]
    if reduction == "none":
        return loss
    return loss.sum() / (used.sum() if reduction == "mean" else 1)


def nll_loss_samples():
    """Yields every reduction, a weight, an ignored label, images."""
    input, label = values((3, 4), -3.0, -0.1), np.array([1, 0, 3])
    weight = values((4,), 0.5, 1.5, seed=1)
    yield Sample(input, label, weight)
    yield Sample(input, label, weight, ignore_index=0, reduction="sum")
    yield Sample(input, label, None, ignore_index=3, reduction="none")
    yield Sample(values((2, 3, 2, 2)), np.array([[[0, 1], [2, 0]], [[1, 1], [2, 2]]]), None)


def nll_loss_errors():
    """Yields a label of another length."""
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
    boundary="0 for an ignored label, as Paddle's.",
    doc="Minus the log probability of the labelled class; what F.nll_loss records.",
    example="paddle.nn.functional.nll_loss(paddle.rand([2, 3]), paddle.to_tensor([0, 2]))",
)


# ---- elementwise losses


@real_only
def huber_loss_forward(input, label, *, delta: float = 1.0):
    """Gives half the square of the residual, or a line beyond ``delta``; and the residual."""
    _same_shape(input, label)
    same_dtype(input, label)
    residual = label - input
    size = jnp.abs(residual)
    square, line = 0.5 * residual * residual, delta * (size - 0.5 * delta)
    return jnp.where(size <= delta, square, line).astype(input.dtype), residual


def huber_loss_vjp(residual, dout, *, delta):
    """Gives the clipped residual, and its opposite."""
    dlabel = jnp.clip(residual, -delta, delta) * dout
    return -dlabel, dlabel


def huber_loss_hidden_vjp(dresidual):
    """Is the gradient of label - input."""
    return -dresidual, dresidual


def huber_loss_reference(input, label, delta=1.0):
    """The two branches, chosen by NumPy."""
    size = np.abs(label - input)
    return np.where(size <= delta, 0.5 * size**2, delta * (size - 0.5 * delta))


def _pairs(low: float = -2.0, high: float = 2.0, label_low: float = 0.05, label_high: float = 0.95):
    """Returns a sample function of an input and a label of its shape."""

    def samples():
        for shape in ((2, 3), (), (0, 3)):
            yield Sample(values(shape, low, high), values(shape, label_low, label_high, seed=1))

    return samples


def huber_loss_samples():
    """Yields residuals on both sides of delta."""
    yield Sample(values((3, 4)), values((3, 4), -3.0, 3.0, seed=1), delta=0.7)
    yield from _pairs()()


def _pair_errors():
    """Yields shapes that differ."""
    bad = InvalidArgumentError
    yield BadInput((values((2, 3)), values((3,))), {}, bad, "must have the same shape")


huber_loss = op(
    "huber_loss",
    huber_loss_forward,
    vjp=huber_loss_vjp,
    hidden="residual",
    hidden_vjp=huber_loss_hidden_vjp,
    saves="residual",
    public=None,
    reference=huber_loss_reference,
    samples=huber_loss_samples,
    errors=_pair_errors,
    formula="dlabel = clip(label - input, -delta, delta) * dout; dinput = -dlabel",
    boundary="0 at equality, as Paddle's.",
    doc="Squares small residuals and takes large ones as they are; what F.smooth_l1_loss records.",
    example="paddle.nn.functional.smooth_l1_loss(paddle.rand([2]), paddle.rand([2]))",
)


@real_only
def kldiv_loss_forward(x, label, *, log_target: bool = False):
    """Gives label * (log(label) - x) where the label is positive."""
    _same_shape(x, label)
    if log_target:
        return jnp.exp(label) * (label - x)
    positive = jnp.where(label > 0, label, 1)
    return jnp.where(label > 0, positive * (jnp.log(positive) - x), 0).astype(x.dtype)


def kldiv_loss_vjp(label, dout, *, log_target):
    """Gives minus the target."""
    return -(jnp.exp(label) if log_target else jnp.where(label > 0, label, 0)) * dout


def kldiv_loss_reference(x, label, log_target=False):
    """The formula, in NumPy."""
    if log_target:
        return np.exp(label) * (label - x)
    return np.where(label > 0, label * (np.log(np.where(label > 0, label, 1)) - x), 0)


def kldiv_loss_samples():
    """Yields probabilities, labels that are 0 or negative, logarithms."""
    yield from _pairs(-3.0, -0.1)()
    yield Sample(values((3,), -3.0, -0.1), np.array([0.0, -0.5, 0.5]))
    yield Sample(values((3,), -3.0, -0.1), values((3,), -2.0, 1.0), log_target=True)


kldiv_loss = op(
    "kldiv_loss",
    kldiv_loss_forward,
    vjp=kldiv_loss_vjp,
    shapes="x",
    saves="label",
    nondiff="label",
    public=None,
    reference=kldiv_loss_reference,
    samples=kldiv_loss_samples,
    errors=_pair_errors,
    formula="dx = -max(label, 0) * dout; -exp(label) * dout with log_target",
    boundary="0 for labels of 0 and below, as Paddle's.",
    doc="Kullback-Leibler divergence of a label from log probabilities; what F.kl_div records.",
    example="paddle.nn.functional.kl_div(paddle.rand([2]), paddle.rand([2]))",
)


@real_only
def bce_loss_forward(input, label):
    """Gives the binary cross entropy; a logarithm is never below -100."""
    _same_shape(input, label)
    same_dtype(input, label)
    log_one = jnp.maximum(jnp.log(input), -100)
    log_zero = jnp.maximum(jnp.log1p(-input), -100)
    return ((label - 1) * log_zero - label * log_one).astype(input.dtype)


def bce_loss_vjp(input, label, dout):
    """Gives (input - label) / (input * (1 - input)), the divisor at least 1e-12."""
    wide = widened(input)
    return widened(dout) * (wide - widened(label)) / jnp.maximum((1 - wide) * wide, 1e-12)


def bce_loss_reference(input, label):
    """The formula, in NumPy."""
    one, zero = np.maximum(np.log(input), -100), np.maximum(np.log1p(-input), -100)
    return -(label * one + (1 - label) * zero)


def bce_loss_samples():
    """Yields probabilities, and 0 and 1 themselves."""
    yield from _pairs(0.05, 0.95)()
    yield Sample(np.array([0.0, 1.0, 0.0, 1.0]), np.array([0.0, 1.0, 1.0, 0.0]), grad=False)


bce_loss = op(
    "bce_loss",
    bce_loss_forward,
    vjp=bce_loss_vjp,
    saves="input label",
    nondiff="label",
    public=None,
    reference=bce_loss_reference,
    samples=bce_loss_samples,
    errors=_pair_errors,
    formula="dinput = dout * (input - label) / max(input * (1 - input), 1e-12)",
    boundary="finite at 0 and 1, where the divisor is 1e-12, as Paddle's.",
    doc="Binary cross entropy of probabilities; what F.binary_cross_entropy records.",
    example="paddle.nn.functional.binary_cross_entropy("
    "paddle.to_tensor([0.3]), paddle.to_tensor([1.0]))",
)


@real_only
def sigmoid_cross_entropy_with_logits_forward(
    x, label, pos_weight=None, *, normalize: bool = False, ignore_index: int = -100
):
    """Gives the binary cross entropy of sigmoid(x), without ever computing sigmoid(x)."""
    _same_shape(x, label)
    same_dtype(x, label)
    # softplus(-x), whose derivative at 0 is exactly -1/2
    soft = jnp.logaddexp(-x, jnp.zeros((), x.dtype))
    loss = (1 - label) * x + _weight_of(pos_weight, x) * soft
    return jnp.where(label == ignore_index, 0, loss / _kept(label, normalize, ignore_index)).astype(
        x.dtype
    )


def _kept(label, normalize: bool, ignore_index: int):
    """Returns by how much the loss is divided: the labels that are not ignored, or 1."""
    if not normalize:
        return jnp.ones((), label.dtype)
    return jnp.maximum(jnp.sum(label != ignore_index), 1).astype(label.dtype)


def _weight_of(pos_weight, x):
    """Returns the weight of the positive part, which never makes the loss larger than x."""
    if pos_weight is None:
        return jnp.ones((), x.dtype)
    if pos_weight.size == 1:
        return pos_weight.reshape(())
    return jnp.broadcast_to(pos_weight, x.shape)


def sigmoid_cross_entropy_with_logits_vjp(x, label, pos_weight, dout, *, normalize, ignore_index):
    """Gives sigmoid(x) - label, the positive part weighted."""
    slope = (1 - label) - _weight_of(pos_weight, x) * jax.nn.sigmoid(-x)
    dx = slope * dout / _kept(label, normalize, ignore_index)
    return jnp.where(label == ignore_index, 0, dx)


def sigmoid_cross_entropy_with_logits_reference(
    x, label, pos_weight=None, normalize=False, ignore_index=-100
):
    """The formula, in NumPy."""
    weight = 1 if pos_weight is None else pos_weight
    loss = ((1 - label) * x + weight * np.logaddexp(-x, 0)).reshape(x.shape)
    kept = label != ignore_index
    return np.where(kept, loss, 0) / (max(kept.sum(), 1) if normalize else 1)


def sigmoid_cross_entropy_with_logits_samples():
    """Yields weights, ignored labels, large logits."""
    x, label = values((2, 3)), values((2, 3), 0.0, 1.0, seed=1)
    yield Sample(x, label, None)
    yield Sample(x, label, values((2, 3), 0.5, 2.0, seed=2))
    yield Sample(values(()), values((), 0.0, 1.0, seed=1), values((1,), 0.5, 2.0, seed=2))
    ignored = np.array([[1.0, 5.0, 0.0], [5.0, 1.0, 1.0]])
    yield Sample(x, ignored, None, ignore_index=5, normalize=True)
    yield Sample(np.array([100.0, -100.0, 0.0]), np.array([0.0, 1.0, 1.0]), None)


sigmoid_cross_entropy_with_logits = op(
    "sigmoid_cross_entropy_with_logits",
    sigmoid_cross_entropy_with_logits_forward,
    vjp=sigmoid_cross_entropy_with_logits_vjp,
    saves="x label pos_weight",
    nondiff="label pos_weight",
    public=None,
    reference=sigmoid_cross_entropy_with_logits_reference,
    samples=sigmoid_cross_entropy_with_logits_samples,
    errors=_pair_errors,
    formula="dx = ((1 - label) - pos_weight * sigmoid(-x)) * dout",
    doc="Binary cross entropy of logits; what F.binary_cross_entropy_with_logits records.",
    example="paddle.nn.functional.binary_cross_entropy_with_logits("
    "paddle.to_tensor([0.3]), paddle.to_tensor([1.0]))",
)
