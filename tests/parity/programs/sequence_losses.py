"""CTC, transducer, trees and clusters of classes, and the integers around sequences."""

import math

from ..probe import attempt, facts, graph, leaf, refuses
from ..registry import differs, program


def _draw(np, *shape, seed=71, dtype="float32"):
    return np.random.default_rng(seed).uniform(-1, 1, shape).astype(dtype)


def _int32(paddle, value):
    return paddle.to_tensor(value, dtype="int32")


def _run(paddle, call, *leaves):
    """Returns a loss, its graph, and the gradients of its leaves."""
    tensors = [leaf(paddle, value) for value in leaves]
    loss = call(*tensors)
    loss.sum().backward()
    return [facts(loss), graph(loss), loss.numpy(), [t.grad.numpy() for t in tensors]]


@program
def ctc(paddle, np):
    """ctc_loss: reductions, lengths, repeated and empty labels, blanks, norm_by_times, float64."""
    F = paddle.nn.functional
    labels, times, lengths = _int32(paddle, [[1, 2], [3, 1]]), [5, 4], [2, 2]

    def loss(labels=labels, times=times, lengths=lengths, **more):
        times, lengths = paddle.to_tensor(times), paddle.to_tensor(lengths)
        more.setdefault("reduction", "none")
        return lambda x: F.ctc_loss(x, labels, times, lengths, **more)

    x, long = _draw(np, 5, 2, 4), _draw(np, 60, 2, 3, dtype="float64")
    repeated, other = _int32(paddle, [[1, 1], [3, 3]]), _int32(paddle, [[1, 2], [0, 1]])
    out = {
        "none": _run(paddle, loss(), x),
        "mean": _run(paddle, loss(reduction="mean"), x),
        "sum": _run(paddle, loss(reduction="sum"), x),
        "norm": _run(paddle, loss(norm_by_times=True), x),
        "repeated": _run(paddle, loss(repeated), x),
        "empty": _run(paddle, loss(lengths=[2, 0]), x),
        "short": _run(paddle, loss(lengths=[1, 2], times=[3, 5]), x),
        "blank 3": _run(paddle, loss(other, blank=3), x),
        "float64": _run(paddle, loss(), x.astype("float64")),
        "long": _run(paddle, loss(paddle.ones([2, 20], "int32"), [60, 41], [20, 17]), long),
    }
    out["infinity"] = _run(paddle, loss(zero_infinity=True), x)[2:]
    xs = paddle.to_tensor(x)
    out["bad"] = attempt(lambda: loss(reduction="avg")(xs))["error"] != "AttributeError"
    out["bad blank"] = refuses(lambda: loss(blank=4)(xs))
    out["too long"] = refuses(lambda: loss(lengths=[2, 3])(xs))
    out["flat label"] = refuses(lambda: loss(labels.reshape([4]))(xs))
    return out


@program
def transducer(paddle, np):
    """rnnt_loss: reductions, lengths, an empty label, another blank, FastEmit, float64."""
    F = paddle.nn.functional
    label, times, lengths = [[1, 2], [3, 1]], [4, 3], [2, 1]

    def loss(label=label, times=times, lengths=lengths, **more):
        more = {"reduction": "none", "fastemit_lambda": 0.0, **more}
        given = [_int32(paddle, each) for each in (label, times, lengths)]
        return lambda x: F.rnnt_loss(x, *given, **more)

    x = _draw(np, 2, 4, 3, 5)
    return {
        "none": _run(paddle, loss(), x),
        "mean": _run(paddle, loss(reduction="mean"), x),
        "sum": _run(paddle, loss(reduction="sum"), x),
        "fastemit": _run(paddle, loss(fastemit_lambda=0.5), x),
        "blank 4": _run(paddle, loss(blank=4), x),
        "empty": _run(paddle, loss(lengths=[2, 0]), x),
        "softmax": _run(paddle, lambda x: loss()(F.log_softmax(x)), x),
        "float64": _run(paddle, loss(), x.astype("float64")),
    }


@program
def hierarchical_sigmoid(paddle, np):
    """hsigmoid_loss where every path has one length; gradients where paths differ; errors."""
    F = paddle.nn.functional
    x = _draw(np, 4, 3)
    label = paddle.to_tensor([0, 3, 2, 1])
    full = _run(
        paddle,
        lambda x, w, b: F.hsigmoid_loss(x, label, 4, w, b),
        x, _draw(np, 3, 3, seed=72), _draw(np, 3, 1, seed=73),
    )  # fmt: skip
    label = paddle.to_tensor([[0], [4], [2], [5]])
    uneven = _run(
        paddle,
        lambda x, w, b: F.hsigmoid_loss(x, label, 6, w, b),
        x, _draw(np, 5, 3, seed=72), _draw(np, 5, 1, seed=73),
    )  # fmt: skip
    table = paddle.to_tensor([[0, 2], [1, 3], [0, 1], [3, 0]])
    code = paddle.to_tensor([[0, 1], [1, 1], [1, 0], [0, 0]])
    own = _run(
        paddle,
        lambda x, w, b: F.hsigmoid_loss(x, label, 6, w, b, table, code),
        x, _draw(np, 4, 3, seed=72), _draw(np, 4, 1, seed=73),
    )  # fmt: skip
    weight = paddle.to_tensor(_draw(np, 5, 3))
    return {
        "full": full,
        "uneven": [uneven[0], uneven[1], uneven[3]],
        "own": own,
        "one class": attempt(lambda: F.hsigmoid_loss(paddle.to_tensor(x), label, 1, weight)),
    }


@differs(
    "A level that a path does not have costs nothing; there each of them costs log(2).",
    right=[round(2 * math.log(2), 5), round(3 * math.log(2), 5)],
    paddle_gives=[round(3 * math.log(2), 5), round(3 * math.log(2), 5)],
)
def hsigmoid_of_a_short_path(paddle, np):
    """Of 6 classes, 0 is two steps down and 5 is three; all scores are 0."""
    x, weight = paddle.ones([2, 3]), paddle.zeros([5, 3])
    loss = paddle.nn.functional.hsigmoid_loss(x, paddle.to_tensor([0, 5]), 6, weight)
    return [round(each, 5) for each in loss.flatten().tolist()]


@differs(
    "No alignment exists, so the probability is 0 and its logarithm infinite.",
    right=[[float("inf")] * 2, [0.0, 0.0]],
    paddle_gives=[[0.0] * 2, [0.0, 0.0]],
)
def ctc_of_a_label_that_does_not_fit(paddle, np):
    """Labels longer than their time, blanks between repetitions counted; zero_infinity."""
    x, times = paddle.zeros([5, 2, 4]), paddle.to_tensor([4, 2])
    labels, lengths = _int32(paddle, [[1, 1, 1], [3, 1, 2]]), paddle.to_tensor([3, 3])
    loss = paddle.nn.functional.ctc_loss
    return [
        loss(x, labels, times, lengths, reduction="none").tolist(),
        loss(x, labels, times, lengths, reduction="none", zero_infinity=True).tolist(),
    ]


@differs(
    "The mean divides each loss by the length of its label; of none, by 1.",
    right=round((3 * math.log(2) - math.log(6 / 8)) / 2, 5),
    paddle_gives=float("inf"),
)
def ctc_mean_of_an_empty_label(paddle, np):
    """The mean over a sample of one label, which 6 of 8 outputs read as, and one of none."""
    x, lengths = paddle.zeros([3, 2, 2]), paddle.to_tensor([1, 0])
    labels, times = _int32(paddle, [[1], [1]]), paddle.to_tensor([3, 3])
    return round(paddle.nn.functional.ctc_loss(x, labels, times, lengths).item(), 5)


@differs(
    "The labels are int64 as Paddle makes them of Python lists; any integer can be a label.",
    right=[[2], [2]],
    paddle_gives=[{"error": "ValueError", "category": "InvalidArgument"}] * 2,
)
def losses_of_int64_sequences(paddle, np):
    """ctc_loss and rnnt_loss of labels and lengths made from lists."""
    F = paddle.nn.functional
    labels, times, lengths = (paddle.to_tensor(v) for v in ([[1, 2], [3, 1]], [4, 3], [2, 1]))
    x, y = paddle.zeros([4, 2, 4]), paddle.zeros([2, 4, 3, 5])
    out = []
    for call in (
        lambda: F.ctc_loss(x, labels, times, lengths, reduction="none").shape,
        lambda: F.rnnt_loss(y, labels, times, lengths, reduction="none").shape,
    ):
        error = refuses(call)
        out.append(list(call()) if error == "no error" else error)
    return out


@program
def sequence_masks(paddle, np):
    """sequence_mask: no maxlen, shorter ones, dtypes, 0-D and empty lengths, floats."""
    F = paddle.nn.functional
    x = paddle.to_tensor([1, 3, 2])
    shown = [
        F.sequence_mask(x),
        F.sequence_mask(x, 4),
        F.sequence_mask(x, 2),
        F.sequence_mask(x, paddle.to_tensor(4)),
        F.sequence_mask(x, -1, "float32"),
        F.sequence_mask(x, 3, "bool"),
        F.sequence_mask(x, maxlen=4, dtype="uint8"),
        F.sequence_mask(paddle.to_tensor([[1, 3], [-1, 0]]), 4, "int32"),
        F.sequence_mask(paddle.to_tensor(2), 3),
        F.sequence_mask(paddle.to_tensor([1.5, 2.0]), 3),
        F.sequence_mask(paddle.zeros([0], "int64"), 3),
    ]
    return [[each.numpy(), str(each.dtype), each.stop_gradient] for each in shown]


@program
def beam_trees(paddle, np):
    """gather_tree of int64 and int32, and what it refuses."""
    F = paddle.nn.functional
    ids = paddle.to_tensor([[[2, 2], [6, 1]], [[3, 9], [6, 1]], [[0, 1], [9, 0]]])
    parents = paddle.to_tensor([[[0, 0], [1, 1]], [[1, 0], [1, 0]], [[0, 0], [0, 1]]])
    return {
        "int64": F.gather_tree(ids, parents).numpy(),
        "int32": F.gather_tree(ids.astype("int32"), parents.astype("int32")).numpy(),
        "empty": list(F.gather_tree(ids[:0], parents[:0]).shape),
        "2-D": attempt(lambda: F.gather_tree(ids[0], parents[0])),
        "shapes": refuses(lambda: F.gather_tree(ids, parents[:2])),
        "beam": refuses(lambda: F.gather_tree(ids, parents + 5)),
    }


@program
def adaptive_log_softmax(paddle, np):
    """adaptive_log_softmax_with_loss: batches, one sample, a bias, errors."""
    F = paddle.nn.functional
    label = paddle.to_tensor([0, 3, 1, 7, 5, 2])
    leaves = [_draw(np, 6, 4), _draw(np, 4, 4, seed=72), _draw(np, 4, seed=73)]
    leaves += [_draw(np, *shape, seed=74) for shape in [(4, 2), (2, 3), (4, 1), (1, 3)]]

    def run(label, *tensors):
        x, head, bias, *tails = tensors
        return F.adaptive_log_softmax_with_loss(
            x, label, head, [tails[:2], tails[2:]], [2, 5, 8], bias
        )

    tensors = [leaf(paddle, value) for value in leaves]
    output, loss = run(label, *tensors)
    (output.sum() + loss).backward()
    one_output, one_loss = run(label[3], tensors[0][3], *tensors[1:])
    return {
        "output": [list(output.shape), output.numpy()],
        "loss": [facts(loss), loss.numpy()],
        "grads": [t.grad.numpy() for t in tensors],
        "one": [one_output.numpy(), one_loss.numpy()],
        "class": refuses(lambda: run(label + 1, *tensors))["error"],
        "2-D": attempt(lambda: run(label.reshape([2, 3]), *tensors)),
        "sizes": refuses(lambda: run(label[:3], *tensors))["error"],
        "input": attempt(lambda: run(label, tensors[0][0], *tensors[1:])),
    }


@program
def class_centers(paddle, np):
    """class_center_sample: what occurs is kept in order, the rest is drawn; errors."""
    F = paddle.nn.functional
    label = paddle.to_tensor([11, 5, 1, 3, 12, 2, 15, 19, 18, 19])
    out = {}
    for count in (3, 9, 12, 20):
        remapped, kept = F.class_center_sample(label, 20, count)
        found = kept.numpy()
        out[count] = [
            remapped.numpy(), found[:9], len(found), len(set(found.tolist())), str(kept.dtype),
            remapped.stop_gradient,
        ]  # fmt: skip
    small = F.class_center_sample(label.astype("int32"), 20, 3)
    out["int32"] = [str(each.dtype) for each in small]
    out["many"] = attempt(lambda: F.class_center_sample(label, 20, 21))
    out["2-D"] = attempt(lambda: F.class_center_sample(label.reshape([2, 5]), 20, 3))
    out["empty"] = attempt(lambda: F.class_center_sample(label[:0], 20, 3))
    out["group"] = attempt(lambda: F.class_center_sample(label, 20, 3, group=3))
    return out


@program
def bilinear_products(paddle, np):
    """F.bilinear with and without a bias, of no sample, and what it refuses."""
    F = paddle.nn.functional
    x, y, w, b = (
        _draw(np, *shape, seed=seed)
        for seed, shape in enumerate([(4, 3), (4, 2), (5, 3, 2), (1, 5)])
    )
    xs, ys, ws = (paddle.to_tensor(each) for each in (x, y, w))
    return {
        "bias": _run(paddle, F.bilinear, x, y, w, b),
        "none": _run(paddle, lambda *a: F.bilinear(*a), x, y, w)[2:],
        "empty": list(F.bilinear(xs[:0], ys[:0], ws).shape),
        "1-D bias": refuses(lambda: F.bilinear(xs, ys, ws, paddle.ones([5]))),
        "1-D": refuses(lambda: F.bilinear(xs[0], ys[0], ws)),
        "batch": refuses(lambda: F.bilinear(xs, ys[:3], ws)),
        "weight": refuses(lambda: F.bilinear(xs, ys, ws[:, :2])),
    }
