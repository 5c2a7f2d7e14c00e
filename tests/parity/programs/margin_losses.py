"""Losses of pairs, triplets and classes by a margin, and negative log likelihoods."""

from ..probe import array, attempt, facts, graph, leaf, refuses
from ..registry import differs, program

REDUCTIONS = ("mean", "sum", "none")


def _draw(np, *shape, seed=61, low=-1.0, high=1.0):
    return np.random.default_rng(seed).uniform(low, high, shape).astype("float32")


def _signs(np, *shape):
    return np.where(_draw(np, *shape, seed=62) > 0, 1.0, -1.0).astype("float32")


def _each(paddle, np, call, *leaves):
    """Runs a loss with every reduction: value, recorded graph, gradients."""
    out = {}
    for reduction in REDUCTIONS:
        tensors = [leaf(paddle, value) for value in leaves]
        loss = call(*tensors, reduction=reduction)
        loss.sum().backward()
        out[reduction] = [facts(loss), graph(loss), loss.numpy(), [t.grad.numpy() for t in tensors]]
    return out


@program
def margin_ranking(paddle, np):
    """margin_ranking_loss: a margin, broadcasting, a label that wants a gradient."""
    F = paddle.nn.functional
    x, y, label = _draw(np, 4, 3), _draw(np, 4, 3, seed=63), paddle.to_tensor(_signs(np, 4, 3))
    return {
        "plain": _each(paddle, np, lambda a, b, **k: F.margin_ranking_loss(a, b, label, **k), x, y),
        "margin": _each(
            paddle, np, lambda a, b, **k: F.margin_ranking_loss(a, b, label, 0.3, **k), x, y
        ),
        "label": _each(
            paddle, np, lambda a, b, c, **k: F.margin_ranking_loss(a, b, c, **k), x, y[0], x
        ),
        "bad": attempt(lambda: F.margin_ranking_loss(x, y, label, reduction="avg")),
    }


@program
def hinge_and_soft_margin(paddle, np):
    """hinge_embedding_loss of labels that are neither 1 nor -1 too; soft_margin_loss of ints."""
    F = paddle.nn.functional
    x, label = _draw(np, 4, 3, high=2.0), _signs(np, 4, 3)
    label[0, 0] = 0.5
    signs = paddle.to_tensor(_signs(np, 4, 3).astype("int64"))
    hinge = paddle.to_tensor(label)
    soft = {}
    for reduction in REDUCTIONS:
        t = leaf(paddle, x)
        loss = F.soft_margin_loss(t, signs, reduction)
        loss.sum().backward()
        soft[reduction] = [loss.numpy(), t.grad.numpy()]
    return {
        "hinge": _each(paddle, np, lambda a, **k: F.hinge_embedding_loss(a, hinge, 0.7, **k), x),
        "soft": soft,
        "bad": attempt(lambda: F.hinge_embedding_loss(hinge, hinge, reduction="avg")),
        "soft bad": attempt(lambda: F.soft_margin_loss(hinge, hinge, reduction="avg")),
        "soft shapes": attempt(lambda: F.soft_margin_loss(hinge, signs[0])),
    }


@program
def cosine_embedding(paddle, np):
    """cosine_embedding_loss of matrices and vectors, integer labels, shapes that do not fit."""
    F = paddle.nn.functional
    x, y = _draw(np, 4, 3), _draw(np, 4, 3, seed=63)
    label = paddle.to_tensor([1, -1, 1, -1])
    zero = paddle.to_tensor([1, -1, 0, -1])
    call = F.cosine_embedding_loss
    xs, ys = paddle.to_tensor(x), paddle.to_tensor(y)
    return {
        "pairs": _each(paddle, np, lambda a, b, **k: call(a, b, label, 0.1, **k), x, y),
        "zero": _each(paddle, np, lambda a, b, **k: call(a, b, zero, **k), x, y),
        "vectors": call(xs[0], ys[0], paddle.to_tensor([-1.0])).numpy(),
        "2-D label": attempt(lambda: call(xs, ys, label.reshape([2, 2]))),
        "shapes": attempt(lambda: call(xs, ys[0], label)),
        "3-D": attempt(lambda: call(xs.reshape([2, 2, 3]), ys.reshape([2, 2, 3]), label)),
        "ints": attempt(lambda: call(xs.astype("int32"), ys.astype("int32"), label)),
    }


@program
def triplet_margin(paddle, np):
    """Triplet losses: exponents, swap, a distance of one's own, errors."""
    F = paddle.nn.functional
    three = [_draw(np, 4, 3, seed=seed) for seed in (61, 63, 64)]
    own = F.triplet_margin_with_distance_loss

    def cosine(a, b):
        return 1 - F.cosine_similarity(a, b)

    x, y, z = (paddle.to_tensor(each) for each in three)
    return {
        "plain": _each(paddle, np, F.triplet_margin_loss, *three),
        "swap": _each(
            paddle, np, lambda *a, **k: F.triplet_margin_loss(*a, 0.5, 1, swap=True, **k), *three
        ),
        "default": _each(paddle, np, lambda *a, **k: own(*a, swap=True, **k), *three),
        "cosine": _each(paddle, np, lambda *a, **k: own(*a, cosine, 0.3, **k), *three),
        "bad": attempt(lambda: F.triplet_margin_loss(x, y, z, reduction="avg")),
        "margin": refuses(lambda: F.triplet_margin_loss(x, y, z, -1.0))["error"],
        "shape": refuses(lambda: F.triplet_margin_loss(x, y[0], z))["error"],
        "distance": refuses(lambda: own(x, y, z, lambda a, b: -cosine(a, b)))["error"],
    }


@program
def multi_label_losses(paddle, np):
    """multi_label_soft_margin_loss with a weight, multi_label_margin_loss, their errors."""
    F = paddle.nn.functional
    x = _draw(np, 4, 3, low=-2.0, high=2.0)
    hot = paddle.to_tensor((_signs(np, 4, 3) + 1) / 2)
    weight = paddle.to_tensor(np.float32([1.0, 2.0, 0.5]))
    label = paddle.to_tensor([[0, 2, -1], [-1, 0, 0], [1, -1, 0], [0, 1, 1]])
    soft, hard = F.multi_label_soft_margin_loss, F.multi_label_margin_loss
    found = {}
    for reduction in REDUCTIONS:
        t = leaf(paddle, x)
        loss = hard(t, label, reduction)
        loss.sum().backward()
        found[reduction] = [facts(loss), loss.numpy(), t.grad.numpy()]
    xs = paddle.to_tensor(x)
    return {
        "soft": _each(paddle, np, lambda a, **k: soft(a, hot, **k), x),
        "weight": _each(paddle, np, lambda a, **k: soft(a, hot, weight, **k), x),
        "hard": found,
        "int32": hard(xs, label.astype("int32")).numpy(),
        "bad soft": attempt(lambda: soft(xs, hot, reduction="avg")),
        "soft shapes": attempt(lambda: soft(xs, hot[0])),
        "1-D": attempt(lambda: hard(xs[0], label)),
        "1-D label": attempt(lambda: hard(xs, label[0])),
        "small": refuses(lambda: hard(xs, label - 1))["error"],
        "large": refuses(lambda: hard(xs, label + 1))["error"],
    }


@program
def multi_margin(paddle, np):
    """multi_margin_loss: exponents, a weight, a margin, errors."""
    F = paddle.nn.functional
    x, label = _draw(np, 4, 3), paddle.to_tensor([0, 2, 1, 1])
    weight = paddle.to_tensor(np.float32([1.0, 2.0, 0.5]))
    call = F.multi_margin_loss
    xs = paddle.to_tensor(x)
    return {
        "plain": _each(paddle, np, lambda a, **k: call(a, label, **k), x),
        "square": _each(paddle, np, lambda a, **k: call(a, label, 2, 0.5, **k), x),
        "weight": _each(paddle, np, lambda a, **k: call(a, label, weight=weight, **k), x),
        "one": call(xs[:1], label[:1], weight=weight, reduction="none").numpy(),
        "bad": attempt(lambda: call(xs, label, reduction="avg")),
        "label": attempt(lambda: call(xs, label[:2])),
        "weights": attempt(lambda: call(xs, label, weight=weight[:2])),
    }


@program
def poisson_and_gaussian(paddle, np):
    """Negative log likelihoods: logarithms or not, the constant, every shape of a variance."""
    F = paddle.nn.functional
    x, counts = _draw(np, 4, 3), paddle.to_tensor(np.float32([[0, 1, 2], [3, 4, 5]] * 2))
    rate = np.exp(x)
    poisson, gauss = F.poisson_nll_loss, F.gaussian_nll_loss
    y = _draw(np, 4, 3, seed=63)
    wide = paddle.to_tensor(_draw(np, 4, 3, seed=64, low=0.1, high=2.0))
    xs = paddle.to_tensor(x)
    return {
        "log": _each(paddle, np, lambda a, **k: poisson(a, counts, **k), x),
        "full": _each(paddle, np, lambda a, **k: poisson(a, counts, full=True, **k), x),
        "rate": _each(paddle, np, lambda a, **k: poisson(a, counts, False, **k), rate),
        "label": _each(paddle, np, lambda a, b, **k: poisson(a, b, **k), x, rate),
        "gauss": _each(paddle, np, lambda a, b, **k: gauss(a, b, wide, **k), x, y),
        "gauss full": _each(paddle, np, lambda a, b, **k: gauss(a, b, wide, True, **k), x, y),
        "gauss column": gauss(xs, counts, wide[:, :1]).numpy(),
        "gauss row": gauss(xs, counts, wide[:, 0]).numpy(),
        "gauss small": gauss(xs, counts, wide * 0.0, epsilon=0.5).numpy(),
        "gauss shape": attempt(lambda: gauss(xs, counts, wide[:2])),
        "gauss bad": attempt(lambda: gauss(xs, counts, wide, reduction="avg")),
        "gauss negative": attempt(lambda: gauss(xs, counts, -wide)),
        "bad": attempt(lambda: poisson(xs, counts, reduction="avg")),
        "epsilon": attempt(lambda: poisson(xs, counts, epsilon=-1.0)),
        "shape": attempt(lambda: poisson(xs, counts[0])),
    }


@program
def dice_log_and_npair(paddle, np):
    """dice_loss, log_loss and npair_loss, their graphs and their errors."""
    F = paddle.nn.functional
    x = np.exp(_draw(np, 4, 3))
    label = paddle.to_tensor([[0], [1], [2], [1]])
    column, truth = _draw(np, 5, 1, low=0.1, high=0.9), _draw(np, 5, 1, seed=63, low=0, high=1)
    out = {}
    for name, call, *leaves in [
        ("dice", lambda a: F.dice_loss(a, label), x),
        ("dice 3-D", lambda a: F.dice_loss(a.reshape([2, 2, 3]), label.reshape([2, 2, 1])), x),
        ("log", lambda a: F.log_loss(a, paddle.to_tensor(truth), 0.01), column),
        ("npair", lambda a, b: F.npair_loss(a, b, label.reshape([4])), x, _draw(np, 4, 3)),
        ("npair reg", lambda a, b: F.npair_loss(a, b, label.reshape([4]), 0.5), x, x[::-1].copy()),
    ]:
        tensors = [leaf(paddle, each) for each in leaves]
        loss = call(*tensors)
        loss.sum().backward()
        out[name] = [facts(loss), graph(loss), loss.numpy(), [array(t.grad) for t in tensors]]
    xs = paddle.to_tensor(x)
    out["dice label"] = attempt(lambda: F.dice_loss(xs, xs))
    out["dice ranks"] = attempt(lambda: F.dice_loss(xs, label.reshape([4])))
    out["dice last"] = attempt(lambda: F.dice_loss(xs, label.reshape([2, 2])))
    out["log shape"] = refuses(lambda: F.log_loss(xs, xs))
    out["log ranks"] = refuses(lambda: F.log_loss(xs[0], xs[0]))
    out["log sizes"] = refuses(lambda: F.log_loss(xs[:, :1], xs[:2, :1]))
    out["npair empty"] = attempt(lambda: F.npair_loss(xs[:0], xs, label))
    return out


@program
def focal(paddle, np):
    """sigmoid_focal_loss: reductions, alpha and gamma, a normalizer."""
    F = paddle.nn.functional
    x, label = _draw(np, 4, 3, high=3.0), paddle.to_tensor((_signs(np, 4, 3) + 1) / 2)
    total = paddle.to_tensor(np.float32([2.5]))
    call = F.sigmoid_focal_loss
    out = {}
    for name, more in [
        ("plain", {}),
        ("alpha", {"alpha": 0.7, "gamma": 1.5}),
        ("gamma 0", {"gamma": 0.0}),
        ("normalizer", {"normalizer": total}),
        ("0-D normalizer", {"normalizer": total[0]}),
    ]:
        for reduction in REDUCTIONS:
            t = leaf(paddle, x)
            loss = call(t, label, reduction=reduction, **more)
            loss.sum().backward()
            out[f"{name} {reduction}"] = [facts(loss), loss.numpy(), t.grad.numpy()]
    out["bad"] = attempt(lambda: call(label, label, reduction="avg"))
    out["matrix"] = attempt(lambda: call(label, label, normalizer=label))
    return out


@differs(
    "exp(-label * input) overflows; softplus does not.",
    right=[100.0, -1.0],
    paddle_gives=[float("inf"), float("nan")],
)
def soft_margin_of_a_large_input(paddle, np):
    """An input far on the wrong side."""
    x = leaf(paddle, np.float32([-100.0]))
    loss = paddle.nn.functional.soft_margin_loss(x, paddle.to_tensor(np.float32([1.0])))
    loss.backward()
    return [loss.item(), x.grad.item()]


@differs(
    "The variance is a value of the model: d/dv (log v + r^2 / v) / 2 = (1/v - r^2/v^2) / 2.",
    right=[-0.375],
    paddle_gives=[None],
)
def gaussian_variance_gradient(paddle, np):
    """A variance that wants a gradient."""
    variance = leaf(paddle, np.float32([2.0]))
    x, label = paddle.to_tensor(np.float32([0.0])), paddle.to_tensor(np.float32([2.2360679775]))
    loss = paddle.nn.functional.gaussian_nll_loss(leaf(paddle, x.numpy()), label, variance)
    loss.backward()
    return [None if variance.grad is None else variance.grad.item()]


@differs(
    "A label is an operand like others: its derivative is log((1 - x + e) / (x + e)).",
    right=[0.84729786],
    paddle_gives=[None],
)
def log_loss_label_gradient(paddle, np):
    """A label of log_loss that wants a gradient."""
    label = leaf(paddle, np.float32([[1.0]]))
    x = leaf(paddle, np.float32([[0.3]]))
    paddle.nn.functional.log_loss(x, label, 0.0).backward()
    return [None if label.grad is None else label.grad.item()]
