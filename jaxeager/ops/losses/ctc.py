"""The warpctc row: connectionist temporal classification, in logarithms, as a scan over time.

The gradient by the logits is computed with the loss if it is required, and is saved for backward,
as in Paddle.
"""

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from jaxeager.errors import InvalidArgumentError
from jaxeager.ops.register import op
from jaxeager.ops.row import DERIVED
from jaxeager.ops.rules.precision import in_float32
from jaxeager.ops.rules.real_only import real_only
from jaxeager.ops.rules.samples import BadInput, Sample, values

NEVER = -1e30  # the logarithm of a probability of 0: finite, so that no gradient is nan


@real_only
def warpctc_forward(
    logits,
    label,
    logits_length,
    labels_length,
    *,
    blank: int = 0,
    norm_by_times: bool = False,
):
    """Return minus the log probability of each label, [batch, 1], and its gradient by logits."""
    _check_shapes(logits, label, blank)

    def losses(logits):
        return _losses(logits, label, logits_length, labels_length, blank)

    loss, pull = jax.vjp(losses, logits)
    (grad,) = pull(jnp.ones_like(loss))
    if norm_by_times:
        grad = grad / jnp.maximum(logits_length, 1).astype(grad.dtype)[:, None]
    return loss[:, None], grad


def _check_shapes(logits, label, blank: int) -> None:
    if logits.ndim != 3 or label.ndim != 2 or label.shape[0] != logits.shape[1]:
        raise ValueError(
            "log_probs must be [time, batch, classes] and labels [batch, length], but they are "
            f"{list(logits.shape)} and {list(label.shape)}."
        )
    if not 0 <= blank < logits.shape[2]:
        raise ValueError(
            f"The value of Attr(blank) should be in interval [0, {logits.shape[2]}), but received "
            f"{blank}."
        )


def _losses(logits, label, steps, lengths, blank: int):
    """Return the loss of each sample, [batch]; inf if the label does not fit in the time steps."""
    order = jnp.arange(label.shape[1])
    label = jnp.where(order < lengths[:, None], label, blank)
    spread = _between_blanks(label, blank)
    emitted = jnp.take_along_axis(jax.nn.log_softmax(logits, -1), spread[None], 2)
    before = jnp.pad(spread, ((0, 0), (2, 0)), constant_values=blank)[:, :-2]
    skips = (spread != blank) & (spread != before)

    def step(alpha, now):
        time, emission = now
        ways = [alpha, _shifted(alpha, 1), jnp.where(skips, _shifted(alpha, 2), NEVER)]
        moved = jax.nn.logsumexp(jnp.stack(ways), axis=0) + emission
        return jnp.where((time < steps)[:, None], moved, alpha), None

    # Before the first time step the state is the first blank.
    start = jnp.full(spread.shape, NEVER, logits.dtype).at[:, 0].set(0)
    alpha, _ = lax.scan(step, start, (jnp.arange(logits.shape[0]), emitted))
    last = jnp.take_along_axis(alpha, 2 * lengths[:, None], 1)[:, 0]
    inner = jnp.take_along_axis(alpha, jnp.maximum(2 * lengths - 1, 0)[:, None], 1)[:, 0]
    total = jnp.logaddexp(last, jnp.where(lengths > 0, inner, NEVER))
    repeats = jnp.sum((label[:, 1:] == label[:, :-1]) & (order[1:] < lengths[:, None]), 1)
    return jnp.where(steps >= lengths + repeats, -total, jnp.inf)


def _between_blanks(label, blank: int):
    """Insert a blank before, after and between the labels: [batch, 2 * length + 1]."""
    batch, length = label.shape
    spread = jnp.full((batch, 2 * length + 1), blank, label.dtype)
    return spread.at[:, 1::2].set(label)


def _shifted(alpha, places: int):
    return jnp.pad(alpha, ((0, 0), (places, 0)), constant_values=NEVER)[:, : alpha.shape[1]]


def warpctc_vjp(warpctcgrad, dloss):
    """Scale each sample's gradient."""
    return warpctcgrad * dloss[:, 0][None, :, None]


def warpctc_reference(logits, label, logits_length, labels_length, blank=0, norm_by_times=False):
    """Add up the probabilities of every sequence of classes that collapses to the label."""
    _, batch, classes = logits.shape
    softmax = np.exp(logits) / np.exp(logits).sum(-1, keepdims=True)
    found = np.zeros((batch, 1), logits.dtype)
    for n in range(batch):
        wanted = [int(each) for each in label[n, : labels_length[n]]]
        steps = int(logits_length[n])
        for path in np.ndindex(*[classes] * steps):
            if _read(path, blank) == wanted:
                found[n] += np.prod([softmax[t, n, c] for t, c in enumerate(path)])
    return -np.log(found)


def _read(path, blank: int) -> list:
    """Return a sequence of classes with repetitions collapsed and blanks removed."""
    merged = [c for t, c in enumerate(path) if t == 0 or c != path[t - 1]]
    return [c for c in merged if c != blank]


def warpctc_samples():
    """Yield lengths that differ, repeated labels, another blank, empty and infeasible labels."""
    logits = values((4, 2, 3))
    label, four = np.array([[1, 2], [2, 2]], np.int32), np.array([4, 3])
    yield Sample(logits, label, four, np.array([2, 2]))
    yield Sample(logits, np.array([[1, 0], [0, 7]], np.int32), four, np.array([2, 1]), blank=2)
    yield Sample(logits, label, four, np.array([1, 0]))
    yield Sample(logits, label, np.array([1, 2]), np.array([2, 2]), grad=False)
    yield Sample(logits, label, four, np.array([2, 2]), norm_by_times=True, grad=False)


def warpctc_errors():
    """Yield a blank that is not a class, and shapes that do not fit."""
    lengths = np.array([4, 3]), np.array([2, 2])
    label = np.array([[1, 2], [2, 2]])
    bad = InvalidArgumentError
    yield BadInput((values((4, 2, 3)), label, *lengths), {"blank": 3}, bad, "Attr(blank) should be")
    yield BadInput((values((4, 3)), label, *lengths), {}, bad, "must be [time, batch, classes]")


warpctc = op(
    "warpctc",
    in_float32(warpctc_forward),
    vjp=in_float32(warpctc_vjp),
    hidden="warpctcgrad",
    hidden_vjp=DERIVED,
    outputs="loss",
    saves="logits label logits_length labels_length warpctcgrad",
    nondiff="label logits_length labels_length",
    public=None,
    dtypes="float32 float64",
    reference=warpctc_reference,
    samples=warpctc_samples,
    errors=warpctc_errors,
    formula="dlogits = (softmax - probability of standing at each class) * dloss, over the time "
    "with norm_by_times",
    boundary="Where a label does not fit in its time the loss is inf and the gradient 0.",
    doc="Minus the log probability that logits over time read as a label; recorded by F.ctc_loss.",
    example="paddle.nn.functional.ctc_loss(paddle.zeros([3, 1, 2]), paddle.to_tensor([[1]]), "
    "paddle.to_tensor([3]), paddle.to_tensor([1]))",
)
