"""The Viterbi row: the most likely sequence of tags."""

import itertools

import jax.numpy as jnp
import numpy as np
from jax import lax

from jaxeager.errors import InvalidArgumentError
from jaxeager.ops.register import op
from jaxeager.ops.row import NONDIFF
from jaxeager.ops.rules.axes import same_dtype
from jaxeager.ops.rules.real_only import real_only
from jaxeager.ops.rules.samples import BadInput, Sample, values


def _check(potentials, transitions, lengths) -> None:
    if potentials.ndim != 3:
        raise ValueError(f"potentials must have 3 dimensions, but have {potentials.ndim}.")
    same_dtype(potentials, transitions)
    batch, _, tags = potentials.shape
    if transitions.shape != (tags, tags):
        raise ValueError(
            f"transitions between {tags} tags must have the shape [{tags}, {tags}], but have "
            f"{list(transitions.shape)}."
        )
    if lengths.shape != (batch,) or not jnp.issubdtype(lengths.dtype, jnp.integer):
        raise ValueError(
            f"lengths must be {batch} integers, but are {lengths.dtype.name}{list(lengths.shape)}."
        )


@real_only
def viterbi_decode_forward(potentials, transitions, lengths, *, include_bos_eos_tag: bool = True):
    """Find the path of the highest score: compute scores forwards, then tags backwards."""
    _check(potentials, transitions, lengths)
    batch, size, _ = potentials.shape
    lengths = lengths[:, None]
    start, stop = (transitions[-1], transitions[-2]) if include_bos_eos_tag else (0, 0)
    scores = potentials[:, 0] + start if size else jnp.zeros_like(potentials[:, :0].sum(1))
    scores = scores + jnp.where(lengths == 1, stop, jnp.zeros((), scores.dtype))

    def forwards(scores, step):
        time, potential = step
        candidates = scores[:, :, None] + transitions
        best = candidates.max(1) + potential
        best = best + jnp.where(time + 1 == lengths, stop, jnp.zeros((), best.dtype))
        goes_on = time < lengths
        return jnp.where(goes_on, best, scores), candidates.argmax(1)

    def backwards(tag, step):
        time, before = step
        is_inside = time < lengths[:, 0]
        earlier = jnp.take_along_axis(before, tag[:, None], 1)[:, 0]
        return jnp.where(is_inside, earlier, tag), jnp.where(is_inside, tag, 0)

    times = jnp.arange(1, size)
    scores, before = lax.scan(forwards, scores, (times, jnp.moveaxis(potentials[:, 1:], 1, 0)))
    first, rest = lax.scan(backwards, scores.argmax(1), (times, before), reverse=True)
    first = jnp.where(lengths[:, 0] > 0, first, 0)
    path = jnp.concatenate([first[None], rest], 0)[:size]
    return scores.max(1), path.T.astype(np.int64).reshape(batch, size)


def viterbi_decode_reference(potentials, transitions, lengths, include_bos_eos_tag=True):
    """Try every path."""
    batch, size, tags = potentials.shape
    scores, paths = np.zeros(batch), np.zeros((batch, size), np.int64)
    for i, length in enumerate(lengths):
        found = []
        for path in itertools.product(range(tags), repeat=max(length, 1)):
            score = sum(potentials[i, t, tag] for t, tag in enumerate(path))
            score += sum(transitions[a, b] for a, b in itertools.pairwise(path))
            if include_bos_eos_tag:
                score += transitions[-1, path[0]] + (transitions[-2, path[-1]] if length else 0)
            found.append((score, path))
        scores[i], best = max(found)
        paths[i, :length] = best[:length]
    return scores, paths


def viterbi_decode_samples():
    """Yield lengths up to the maximum, 0 and 1, with and without start and stop tags."""
    potentials, transitions = values((3, 4, 3)), values((3, 3), seed=1)
    yield Sample(potentials, transitions, np.array([4, 4, 4]))
    yield Sample(potentials, transitions, np.array([1, 3, 0]))
    yield Sample(potentials, transitions, np.array([1, 4, 2]), include_bos_eos_tag=False)
    yield Sample(potentials[:, :1], transitions, np.array([1, 1, 0]))
    yield Sample(potentials[:0], transitions, np.zeros(0, int))


def viterbi_decode_errors():
    """Yield operands whose shapes and dtypes do not fit."""
    potentials, transitions, bad = values((2, 4, 3)), values((3, 3)), InvalidArgumentError
    lengths = np.array([4, 4])
    yield BadInput((potentials[0], transitions, lengths), {}, bad, "3 dimensions, but have 2")
    yield BadInput((potentials, transitions[:2], lengths), {}, bad, "[3, 3], but have [2, 3]")
    yield BadInput((potentials, transitions, lengths[:1]), {}, bad, "2 integers, but are int64[1]")
    yield BadInput((potentials, transitions.astype("float32"), lengths), {}, bad, "one dtype")


viterbi_decode = op(
    "viterbi_decode",
    viterbi_decode_forward,
    vjp=NONDIFF,
    outputs="scores path",
    public=None,
    dtypes="float32 float64",
    reference=viterbi_decode_reference,
    samples=viterbi_decode_samples,
    errors=viterbi_decode_errors,
    doc="Find the likeliest sequence of tags and its score; run by paddle.text.viterbi_decode.",
    example="paddle.text.viterbi_decode(paddle.ones([1, 3, 4]), paddle.ones([4, 4]), "
    "paddle.to_tensor([3]))",
)
