"""The warprnnt row: the transducer loss, in logarithms, as a scan over diagonals."""

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from jaxeager.errors import InvalidArgumentError
from jaxeager.ops.losses.ctc import NEVER
from jaxeager.ops.register import op
from jaxeager.ops.row import DERIVED
from jaxeager.ops.rules.precision import in_float32
from jaxeager.ops.rules.real_only import real_only
from jaxeager.ops.rules.samples import BadInput, Sample, values


@real_only
def warprnnt_forward(
    input, label, input_lengths, label_lengths, *, blank: int = 0, fastemit_lambda: float = 0.001
):
    """Return minus the log probability of each label, [batch], and its gradient by the input."""
    _check_shapes(input, label, blank)

    def losses(input):
        return _losses(input, label, input_lengths, label_lengths, blank, fastemit_lambda)

    loss, pull = jax.vjp(losses, input)
    return loss, pull(jnp.ones_like(loss))[0]


def _check_shapes(input, label, blank: int) -> None:
    fits = input.ndim == 4 and label.ndim == 2
    if not fits or (label.shape[0], label.shape[1] + 1) != (input.shape[0], input.shape[2]):
        raise ValueError(
            "the input must be [batch, time, length + 1, classes] and the label [batch, length], "
            f"but they are {list(input.shape)} and {list(label.shape)}."
        )
    if not 0 <= blank < input.shape[3]:
        raise ValueError(
            f"The value of Attr(blank) should be in interval [0, {input.shape[3]}), but received "
            f"{blank}."
        )


def _losses(input, label, steps, lengths, blank: int, fastemit: float):
    """Return the loss of each sample, [batch].

    From (time, place), a blank leads to the next time and a label to the next place. The pairs with
    the same time + place form a diagonal, which depends only on the one before.
    """
    batch, time, places, _ = input.shape
    order = jnp.arange(places - 1)
    label = jnp.where(order < lengths[:, None], label, blank)
    blanks = input[..., blank]
    labels = jnp.take_along_axis(input[:, :, :-1], label[:, None, :, None], 3)[..., 0]
    # FastEmit scales up the gradients of labels, and does not change the loss.
    labels = labels + fastemit * (labels - lax.stop_gradient(labels))
    blanks, labels = _diagonals(blanks), _diagonals(labels)

    def step(alpha, now):
        stay, move = now
        moved = jnp.pad(alpha[:, :-1] + move, ((0, 0), (1, 0)), constant_values=NEVER)
        alpha = jnp.logaddexp(alpha + stay, moved)
        return alpha, alpha

    start = jnp.full((batch, places), NEVER, input.dtype).at[:, 0].set(0)
    count = time + places - 2  # the number of steps: there is one more diagonal
    # Both start on the previous diagonal: a blank at the same place, a label at the one before.
    _, rest = lax.scan(step, start, (blanks[:count], labels[:count]))
    alphas = jnp.concatenate([start[None], rest])
    rows, last = jnp.arange(batch), jnp.maximum(steps - 1, 0) + lengths
    return -(alphas[last, rows, lengths] + blanks[last, rows, lengths])


def _diagonals(x):
    """Return [time + places, batch, places]: place u of diagonal n is x at time n - u."""
    _, time, places = x.shape
    when = jnp.arange(time + places)[:, None] - jnp.arange(places)
    is_there = (when >= 0) & (when < time)
    found = x[:, jnp.where(is_there, when, 0), jnp.arange(places)]
    return jnp.moveaxis(jnp.where(is_there, found, NEVER), 1, 0)


def warprnnt_vjp(warprnntgrad, dloss):
    """Scale each sample's gradient."""
    return warprnntgrad * dloss[:, None, None, None]


def warprnnt_reference(input, label, input_lengths, label_lengths, blank=0, fastemit_lambda=0.001):
    """Fill the table of log probabilities place by place."""
    found = np.zeros(input.shape[0], input.dtype)
    for n, (steps, length) in enumerate(zip(input_lengths, label_lengths, strict=True)):
        alpha = np.full((steps + 1, length + 1), -np.inf)
        alpha[0, 0] = 0
        for t in range(steps):
            for u in range(length + 1):
                if u:
                    move = input[n, t, u - 1, label[n, u - 1]]
                    alpha[t, u] = np.logaddexp(alpha[t, u], alpha[t, u - 1] + move)
                if t + 1 < steps or u == length:
                    alpha[t + 1, u] = alpha[t, u] + input[n, t, u, blank]
        found[n] = -alpha[steps, length]
    return found


def warprnnt_samples():
    """Yield lengths that differ, an empty label, another blank, FastEmit."""
    input, label = values((2, 4, 3, 4)), np.array([[1, 2], [3, 1]], np.int32)
    steps, lengths = np.array([4, 3], np.int32), np.array([2, 1], np.int32)
    yield Sample(input, label, steps, lengths, fastemit_lambda=0.0)
    yield Sample(input, label, steps, lengths, fastemit_lambda=0.5)
    yield Sample(input, label - 1, steps, np.array([0, 2], np.int32), blank=3, fastemit_lambda=0.0)
    yield Sample(values((1, 1, 1, 2)), np.zeros((1, 0), int), np.array([1]), np.array([0]))


def warprnnt_errors():
    """Yield a blank that is not a class, and shapes that do not fit."""
    lengths = np.array([4, 3]), np.array([2, 1])
    label = np.array([[1, 2], [3, 1]])
    bad = InvalidArgumentError
    yield BadInput((values((2, 4, 3, 4)), label, *lengths), {"blank": 4}, bad, "Attr(blank) should")
    yield BadInput((values((2, 4, 2, 4)), label, *lengths), {}, bad, "must be [batch, time, length")


warprnnt = op(
    "warprnnt",
    in_float32(warprnnt_forward),
    vjp=in_float32(warprnnt_vjp),
    hidden="warprnntgrad",
    hidden_vjp=DERIVED,
    outputs="loss",
    saves="input label input_lengths label_lengths warprnntgrad",
    nondiff="label input_lengths label_lengths",
    public=None,
    dtypes="float32 float64",
    reference=warprnnt_reference,
    samples=warprnnt_samples,
    errors=warprnnt_errors,
    formula="dinput = minus the probability of each step, times dloss; of a label's step also "
    "times 1 + fastemit_lambda",
    doc="Minus the log probability that a transducer emits a label; recorded by F.rnnt_loss.",
    example="paddle.nn.functional.rnnt_loss(paddle.zeros([1, 2, 2, 3]), paddle.to_tensor([[1]]), "
    "paddle.to_tensor([2]), paddle.to_tensor([1]))",
)
