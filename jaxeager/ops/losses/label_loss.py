"""Loss rows whose label gets a gradient too.

Paddle's losses treat labels as data: a label that requires a gradient gets none, without an error.
Here nn.functional records one of these rows if the label requires a gradient. Their nodes have the
names of the usual ones, and one more input.
"""

import jax.numpy as jnp

from jaxeager.errors import InvalidArgumentError
from jaxeager.ops.losses import class_loss, elementwise_loss
from jaxeager.ops.register import op
from jaxeager.ops.rules.samples import BadInput, Sample, values


def cross_entropy_with_soft_label_forward(
    logits, label, *, use_softmax: bool = True, axis: int = -1
):
    """Return minus the sum over the classes of label times log probability."""
    return class_loss.cross_entropy_with_softmax_forward(
        logits, label, soft_label=True, use_softmax=use_softmax, axis=axis
    )[0]


def cross_entropy_with_soft_label_reference(logits, label, use_softmax=True, axis=-1):
    """Use the reference of the row for hard and soft labels."""
    return class_loss.cross_entropy_with_softmax_reference(
        logits, label, True, use_softmax=use_softmax, axis=axis
    )


def cross_entropy_with_soft_label_samples():
    """Yield logits and probabilities, another axis, no samples."""
    label = values((3, 4), 0.1, 0.9, seed=1)
    yield Sample(values((3, 4)), label)
    yield Sample(values((3, 4)), label, axis=0)
    yield Sample(values((3, 4), 0.2, 0.9), label, use_softmax=False)
    yield Sample(values((0, 4)), values((0, 4)))


def cross_entropy_with_soft_label_errors():
    """Yield a label with a class too few."""
    bad = values((3, 4)), values((3, 3))
    yield BadInput(bad, {}, InvalidArgumentError, "should in same shape in dimensions except axis")


cross_entropy_with_soft_label = op(
    "cross_entropy_with_soft_label",
    cross_entropy_with_soft_label_forward,
    outputs="loss",
    saves="logits label",
    public=None,
    grad_name="CrossEntropyWithSoftmaxGradNode",
    reference=cross_entropy_with_soft_label_reference,
    samples=cross_entropy_with_soft_label_samples,
    errors=cross_entropy_with_soft_label_errors,
    formula="s = softmax(logits) where use_softmax, else logits; dlogits = (s * sum(label) - "
    "label) * dloss where use_softmax, else -label / s * dloss; dlabel = -log(s) * dloss",
    doc="cross_entropy_with_softmax of a soft label that needs a gradient.",
)


def kldiv_loss_with_label_vjp(x, label, dout, *, log_target):
    """Add the label's gradient, 0 where the label is not positive."""
    dx = elementwise_loss.kldiv_loss_vjp(label, dout, log_target=log_target)
    if log_target:
        return dx, jnp.exp(label) * (label - x + 1) * dout
    positive = jnp.where(label > 0, label, 1)
    return dx, jnp.where(label > 0, (jnp.log(positive) + 1 - x) * dout, 0)


kldiv_loss_with_label = op(
    "kldiv_loss_with_label",
    elementwise_loss.kldiv_loss_forward,
    vjp=kldiv_loss_with_label_vjp,
    saves="x label",
    public=None,
    grad_name="KldivLossGradNode",
    reference=elementwise_loss.kldiv_loss_reference,
    samples=elementwise_loss.kldiv_loss_samples,
    formula="dx = -max(label, 0) * dout, -exp(label) * dout where log_target; dlabel = "
    "exp(label) * (label + 1 - x) * dout where log_target, (log(label) + 1 - x) * dout where "
    "label > 0, else 0",
    boundary="0 for labels of 0 and below.",
    doc="kldiv_loss of a label that needs a gradient.",
)


def bce_loss_with_label_vjp(input, label, dout):
    """Add the label's gradient, with logarithms of at least -100."""
    log_one = jnp.maximum(jnp.log(input), -100)
    log_zero = jnp.maximum(jnp.log1p(-input), -100)
    return elementwise_loss.bce_loss_vjp(input, label, dout), dout * (log_zero - log_one)


bce_loss_with_label = op(
    "bce_loss_with_label",
    elementwise_loss.bce_loss_forward,
    vjp=bce_loss_with_label_vjp,
    saves="input label",
    public=None,
    grad_name="BceLossGradNode",
    reference=elementwise_loss.bce_loss_reference,
    samples=elementwise_loss.bce_loss_samples,
    formula="dinput = dout * (input - label) / max(input * (1 - input), 1e-12); dlabel = dout * "
    "(log(1 - input) - log(input))",
    doc="bce_loss of a label that needs a gradient.",
)

sigmoid_cross_entropy_with_label = op(
    "sigmoid_cross_entropy_with_label",
    elementwise_loss.sigmoid_cross_entropy_with_logits_forward,
    saves="x label pos_weight",
    public=None,
    grad_name="SigmoidCrossEntropyWithLogitsGradNode",
    reference=elementwise_loss.sigmoid_cross_entropy_with_logits_reference,
    samples=elementwise_loss.sigmoid_cross_entropy_with_logits_samples,
    formula="kept = label != ignore_index; n = max(sum(kept), 1) where normalize, else 1; dx = "
    "((1 - label) - pos_weight * sigmoid(-x)) * dout * kept / n; dlabel = -x * dout * kept / n; "
    "dpos_weight = softplus(-x) * dout * kept / n",
    doc="sigmoid_cross_entropy_with_logits of a label or weight that needs a gradient.",
)


# ---- the row for a label


def _wants_gradient(*operands) -> bool:
    return any(not getattr(each, "stop_gradient", True) for each in operands)


def cross_entropy(logits, label, soft_label, use_softmax, ignore_index, axis):
    """Record the cross entropy with a hard label, or a soft one that may require a gradient."""
    if soft_label and _wants_gradient(label):
        return cross_entropy_with_soft_label(logits, label, use_softmax, axis)
    return class_loss.cross_entropy_with_softmax(
        logits, label, soft_label, use_softmax, ignore_index, axis
    )


def binary_cross_entropy(input, label):
    """Record the cross entropy of probabilities with a label that may require a gradient."""
    row = bce_loss_with_label if _wants_gradient(label) else elementwise_loss.bce_loss
    return row(input, label)


def binary_cross_entropy_with_logits(x, label, pos_weight):
    """Record the cross entropy of logits with a label and weight that may require gradients."""
    if _wants_gradient(label, pos_weight):
        return sigmoid_cross_entropy_with_label(x, label, pos_weight)
    return elementwise_loss.sigmoid_cross_entropy_with_logits(x, label, pos_weight)


def kl_div(x, label, log_target):
    """Record the divergence from a label that may require a gradient."""
    row = kldiv_loss_with_label if _wants_gradient(label) else elementwise_loss.kldiv_loss
    return row(x, label, log_target)
