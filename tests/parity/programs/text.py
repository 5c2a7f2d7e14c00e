"""paddle.text: the Viterbi algorithm."""

from ..probe import array, facts, leaf, refuses
from ..registry import CRASHES, differs, program


def _draw(np, *shape):
    return np.random.default_rng(sum(shape)).normal(size=shape)


@program
def viterbi_paths(paddle, np):
    """viterbi_decode: lengths, with and without tags of start and stop, dtypes."""
    out = {}
    for dtype in ("float32", "float64"):
        potentials = leaf(paddle, _draw(np, 3, 5, 4), dtype)
        transitions = leaf(paddle, _draw(np, 4, 4), dtype)
        for lengths in ([5, 5, 5], [1, 3, 2], [0, 2, 4], [4, 1, 1]):
            for tagged in (True, False):
                scores, path = paddle.text.viterbi_decode(
                    potentials, transitions, paddle.to_tensor(lengths), tagged
                )
                out[f"{dtype} {lengths} {tagged}"] = [
                    array(scores), array(path), facts(scores)["stop_gradient"], str(path.dtype)
                ]  # fmt: skip
    return out


@program
def viterbi_decoder(paddle, np):
    """The layer, ties, and that transitions are no state of it."""
    decoder = paddle.text.ViterbiDecoder(paddle.to_tensor(_draw(np, 4, 4)), False)
    potentials, lengths = paddle.to_tensor(_draw(np, 2, 3, 4)), paddle.to_tensor([3, 2])
    scores, path = decoder(potentials, lengths)
    ties = paddle.text.viterbi_decode(
        paddle.zeros([2, 3, 4]), paddle.zeros([4, 4]), paddle.to_tensor([3, 2])
    )
    return [array(scores), array(path), array(ties[0]), array(ties[1]), len(decoder.state_dict())]


@program
def viterbi_refused(paddle, np):
    """Shapes that do not fit."""
    decode = paddle.text.viterbi_decode
    p, t, n = paddle.ones([2, 3, 4]), paddle.ones([4, 4]), paddle.to_tensor([3, 3])
    return {
        "rank": refuses(lambda: decode(p[0], t, n))["error"],
        "tags": refuses(lambda: decode(p, t[:3], n))["error"],
        "lengths": refuses(lambda: decode(p, t, n[:1]))["error"],
        "dtypes": refuses(lambda: decode(p.astype("float64"), t, n))["error"],
    }


@differs(
    "Paddle reads the memory of a path that has no place",
    right=[[1.0, 1.0], [2, 0]],
    paddle_gives=CRASHES,
)
def viterbi_of_nothing(paddle, np):
    """Sequences that are all empty."""
    scores, path = paddle.text.viterbi_decode(
        paddle.ones([2, 3, 4]), paddle.zeros([4, 4]), paddle.to_tensor([0, 0])
    )
    return [scores.tolist(), list(path.shape)]
