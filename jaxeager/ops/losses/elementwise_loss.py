"""Rows of elementwise losses: of differences, and of probabilities."""

import jax
import jax.numpy as jnp
import numpy as np

from jaxeager.core.size_comparisons import equal_sizes
from jaxeager.errors import InvalidArgumentError
from jaxeager.ops.register import op
from jaxeager.ops.rules.axes import same_dtype
from jaxeager.ops.rules.precision import widened
from jaxeager.ops.rules.real_only import real_only
from jaxeager.ops.rules.samples import BadInput, Sample, values


def _same_shape(x, label) -> None:
    if x.shape != label.shape:
        raise ValueError(
            "input and label must have the same shape, but received "
            f"{list(x.shape)} and {list(label.shape)}."
        )


@real_only
def huber_loss_forward(input, label, *, delta: float = 1.0):
    """Return half the squared residual, or a line beyond ``delta``; and the residual."""
    _same_shape(input, label)
    same_dtype(input, label)
    residual = label - input
    size = jnp.abs(residual)
    square, line = 0.5 * residual * residual, delta * (size - 0.5 * delta)
    return jnp.where(size <= delta, square, line).astype(input.dtype), residual


def huber_loss_vjp(residual, dout, *, delta):
    """Multiply dout by the clipped residual, with either sign."""
    dlabel = jnp.clip(residual, -delta, delta) * dout
    return -dlabel, dlabel


def huber_loss_hidden_vjp(dresidual):
    """Return the gradient of label - input."""
    return -dresidual, dresidual


def huber_loss_reference(input, label, delta=1.0):
    """Choose between the two branches with NumPy."""
    size = np.abs(label - input)
    return np.where(size <= delta, 0.5 * size**2, delta * (size - 0.5 * delta))


def _pairs(low: float = -2.0, high: float = 2.0, label_low: float = 0.05, label_high: float = 0.95):
    """Return a sample function of an input and a label of its shape."""

    def samples():
        for shape in ((2, 3), (), (0, 3)):
            yield Sample(values(shape, low, high), values(shape, label_low, label_high, seed=1))

    return samples


def huber_loss_samples():
    """Yield residuals on both sides of delta."""
    yield Sample(values((3, 4)), values((3, 4), -3.0, 3.0, seed=1), delta=0.7)
    yield from _pairs()()


def _pair_errors():
    """Yield shapes that differ."""
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
    boundary="0 at equality, as in Paddle.",
    doc="Square small residuals and take large ones as they are; recorded by F.smooth_l1_loss.",
    example="paddle.nn.functional.smooth_l1_loss(paddle.rand([2]), paddle.rand([2]))",
)


@real_only
def kldiv_loss_forward(x, label, *, log_target: bool = False):
    """Return label * (log(label) - x) where the label is positive."""
    _same_shape(x, label)
    if log_target:
        return jnp.exp(label) * (label - x)
    positive = jnp.where(label > 0, label, 1)
    return jnp.where(label > 0, positive * (jnp.log(positive) - x), 0).astype(x.dtype)


def kldiv_loss_vjp(label, dout, *, log_target):
    """Multiply dout by minus the target."""
    return -(jnp.exp(label) if log_target else jnp.where(label > 0, label, 0)) * dout


def kldiv_loss_reference(x, label, log_target=False):
    """Compute the formula in NumPy."""
    if log_target:
        return np.exp(label) * (label - x)
    return np.where(label > 0, label * (np.log(np.where(label > 0, label, 1)) - x), 0)


def kldiv_loss_samples():
    """Yield probabilities, labels that are 0 or negative, logarithms."""
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
    formula="dx = -max(label, 0) * dout, -exp(label) * dout where log_target",
    boundary="0 for labels of 0 and below, as in Paddle.",
    doc="Kullback-Leibler divergence of a label from log probabilities; recorded by F.kl_div.",
    example="paddle.nn.functional.kl_div(paddle.rand([2]), paddle.rand([2]))",
)


@real_only
def bce_loss_forward(input, label):
    """Return the binary cross entropy, with logarithms of at least -100."""
    _same_shape(input, label)
    same_dtype(input, label)
    log_one = jnp.maximum(jnp.log(input), -100)
    log_zero = jnp.maximum(jnp.log1p(-input), -100)
    return ((label - 1) * log_zero - label * log_one).astype(input.dtype)


def bce_loss_vjp(input, label, dout):
    """Multiply dout by (input - label) / (input * (1 - input)), the divisor at least 1e-12."""
    wide = widened(input)
    return widened(dout) * (wide - widened(label)) / jnp.maximum((1 - wide) * wide, 1e-12)


def bce_loss_reference(input, label):
    """Compute the formula in NumPy."""
    one, zero = np.maximum(np.log(input), -100), np.maximum(np.log1p(-input), -100)
    return -(label * one + (1 - label) * zero)


def bce_loss_samples():
    """Yield probabilities, also 0 and 1."""
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
    boundary="finite at 0 and 1, where the divisor is 1e-12, as in Paddle.",
    doc="Binary cross entropy of probabilities; recorded by F.binary_cross_entropy.",
    example="paddle.nn.functional.binary_cross_entropy("
    "paddle.to_tensor([0.3]), paddle.to_tensor([1.0]))",
)


@real_only
def sigmoid_cross_entropy_with_logits_forward(
    x, label, pos_weight=None, *, normalize: bool = False, ignore_index: int = -100
):
    """Return the binary cross entropy of sigmoid(x), without computing sigmoid(x)."""
    _same_shape(x, label)
    same_dtype(x, label)
    # softplus(-x), whose derivative at 0 is exactly -1/2
    soft = jnp.logaddexp(-x, jnp.zeros((), x.dtype))
    loss = (1 - label) * x + _weight_of(pos_weight, x) * soft
    return jnp.where(label == ignore_index, 0, loss / _kept(label, normalize, ignore_index)).astype(
        x.dtype
    )


def _kept(label, normalize: bool, ignore_index: int):
    """Return the divisor of the loss: the number of labels that are not ignored, or 1."""
    if not normalize:
        return jnp.ones((), label.dtype)
    return jnp.maximum(jnp.sum(label != ignore_index), 1).astype(label.dtype)


def _weight_of(pos_weight, x):
    """Return the weight of the positive part, which must broadcast to the shape of x."""
    if pos_weight is None:
        return jnp.ones((), x.dtype)
    if equal_sizes(pos_weight.size, 1):
        return pos_weight.reshape(())
    return jnp.broadcast_to(pos_weight, x.shape)


def sigmoid_cross_entropy_with_logits_vjp(x, label, pos_weight, dout, *, normalize, ignore_index):
    """Multiply dout by sigmoid(x) - label, with the positive part weighted."""
    slope = (1 - label) - _weight_of(pos_weight, x) * jax.nn.sigmoid(-x)
    dx = slope * dout / _kept(label, normalize, ignore_index)
    return jnp.where(label == ignore_index, 0, dx)


def sigmoid_cross_entropy_with_logits_reference(
    x, label, pos_weight=None, normalize=False, ignore_index=-100
):
    """Compute the formula in NumPy."""
    weight = 1 if pos_weight is None else pos_weight
    loss = ((1 - label) * x + weight * np.logaddexp(-x, 0)).reshape(x.shape)
    kept = label != ignore_index
    return np.where(kept, loss, 0) / (max(kept.sum(), 1) if normalize else 1)


def sigmoid_cross_entropy_with_logits_samples():
    """Yield weights, ignored labels, large logits."""
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
    formula="kept = label != ignore_index; n = max(sum(kept), 1) where normalize, else 1; dx = "
    "((1 - label) - pos_weight * sigmoid(-x)) * dout * kept / n",
    doc="Binary cross entropy of logits; recorded by F.binary_cross_entropy_with_logits.",
    example="paddle.nn.functional.binary_cross_entropy_with_logits("
    "paddle.to_tensor([0.3]), paddle.to_tensor([1.0]))",
)
