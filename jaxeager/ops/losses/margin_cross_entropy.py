"""The margin_cross_entropy row: cross entropy of cosines with a margin at the labelled angle."""

import jax
import jax.numpy as jnp
import numpy as np

from jaxeager.errors import InvalidArgumentError
from jaxeager.ops.register import op
from jaxeager.ops.rules.precision import in_float32
from jaxeager.ops.rules.real_only import real_only
from jaxeager.ops.rules.samples import BadInput, Sample, values


@real_only
def margin_cross_entropy_forward(
    logits,
    label,
    *,
    margin1: float = 1.0,
    margin2: float = 0.5,
    margin3: float = 0.0,
    scale: float = 64.0,
):
    """Return the softmax of the scaled cosines, and minus its logarithm at the labelled class."""
    if logits.ndim != 2 or label.size != logits.shape[0]:
        raise ValueError(
            "logits must be [N, classes] and label [N] or [N, 1], but they are "
            f"{list(logits.shape)} and {list(label.shape)}."
        )
    label = label.reshape(-1, 1)
    is_label = jnp.arange(logits.shape[1]) == label
    cosines = jnp.where(is_label, _with_margin(logits, margin1, margin2) - margin3, logits)
    logs = jax.nn.log_softmax(cosines * scale, -1)
    loss = -jnp.take_along_axis(logs, label, 1, mode="fill", fill_value=jnp.nan)
    return jnp.exp(logs), loss


def _with_margin(cosine, margin1: float, margin2: float):
    """Return cos(margin1 * angle + margin2) for the cosine of an angle."""
    if margin1 == 1 and margin2 == 0:
        return cosine
    inside = jnp.abs(cosine) < 1
    angle = jnp.arccos(jnp.where(inside, cosine, 0))
    angle = jnp.where(inside, angle, jnp.where(cosine > 0, 0, jnp.pi).astype(angle.dtype))
    return jnp.cos(margin1 * angle + margin2)


def margin_cross_entropy_reference(
    logits, label, margin1=1.0, margin2=0.5, margin3=0.0, scale=64.0
):
    """Add the margin to the labelled angle and take the softmax, in NumPy."""
    cosines, rows = logits.copy(), np.arange(logits.shape[0])
    angle = np.arccos(np.clip(logits[rows, np.ravel(label)], -1, 1))
    cosines[rows, np.ravel(label)] = np.cos(margin1 * angle + margin2) - margin3
    shares = np.exp(scale * (cosines - cosines.max(1, keepdims=True, initial=-9)))
    shares = shares / shares.sum(1, keepdims=True)
    return shares, -np.log(shares[rows, np.ravel(label)])[:, None]


def margin_cross_entropy_samples():
    """Yield each kind of margin, and none."""
    logits, label = values((3, 4), -0.9, 0.9), np.array([1, 0, 3])
    yield Sample(logits, label, scale=4.0)
    yield Sample(logits, label[:, None], margin1=1.3, margin2=0.2, margin3=0.1, scale=2.0)
    yield Sample(logits, label, margin2=0.0, margin3=0.35, scale=8.0)
    yield Sample(np.array([[1.0, -0.5], [0.5, -1.0]]), np.array([0, 1]), scale=2.0, grad=False)


def margin_cross_entropy_errors():
    """Yield sizes that do not fit."""
    yield BadInput(
        (values((3, 4), -0.9, 0.9), np.array([1, 0])), {}, InvalidArgumentError, "[N, classes]"
    )


margin_cross_entropy = op(
    "margin_cross_entropy",
    in_float32(margin_cross_entropy_forward),
    outputs="softmax loss",
    saves="logits label",
    nondiff="label",
    public=None,
    dtypes="float32 float64",
    reference=margin_cross_entropy_reference,
    samples=margin_cross_entropy_samples,
    errors=margin_cross_entropy_errors,
    formula="dlogits = scale * (softmax - target) * dloss; the labelled class also times "
    "margin1 * sin(margin1 * angle + margin2) / sin(angle)",
    boundary="Where the labelled cosine is -1 or 1, whose angle has no derivative, its gradient is "
    "0 when the angle has a margin.",
    doc="Cross entropy of scaled cosines with a margin; recorded by F.margin_cross_entropy.",
    example="paddle.nn.functional.margin_cross_entropy(paddle.zeros([1, 2]), "
    "paddle.to_tensor([0]))",
)
