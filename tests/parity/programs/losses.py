"""Losses: reductions, weights, ignored labels, soft labels, gradients."""

from ..probe import array, attempt, leaf
from ..registry import program


def _logits(np):
    return np.random.default_rng(51).normal(size=(4, 3)).astype("float32")


def _run(paddle, np, functions):
    out = {}
    for text, function in functions.items():
        x = leaf(paddle, _logits(np))
        loss = function(x)
        loss.backward()
        out[text] = [loss.numpy(), x.grad.numpy()]
    return out


@program
def cross_entropy(paddle, np):
    """Hard labels with each reduction, weights, ignored and soft labels, smoothing."""
    F = paddle.nn.functional
    labels, some = paddle.to_tensor([0, 2, 1, 2]), paddle.to_tensor([0, -100, 1, -100])
    weight = paddle.to_tensor(np.float32([1.0, 2.0, 0.5]))
    soft = paddle.to_tensor(
        np.float32([[0.2, 0.3, 0.5], [1, 0, 0], [0.1, 0.8, 0.1], [0.3, 0.3, 0.4]])
    )
    return _run(
        paddle,
        np,
        {
            "mean": lambda x: F.cross_entropy(x, labels),
            "sum": lambda x: F.cross_entropy(x, labels, reduction="sum"),
            "none": lambda x: F.cross_entropy(x, labels, reduction="none"),
            "column": lambda x: F.cross_entropy(x, labels.reshape([4, 1])),
            "weight": lambda x: F.cross_entropy(x, labels, weight=weight),
            "weight sum": lambda x: F.cross_entropy(x, labels, weight=weight, reduction="sum"),
            "ignored": lambda x: F.cross_entropy(x, some),
            "ignore 2": lambda x: F.cross_entropy(x, labels, ignore_index=2),
            "soft": lambda x: F.cross_entropy(x, soft, soft_label=True),
            "smoothing": lambda x: F.cross_entropy(x, labels, label_smoothing=0.1),
            "int32": lambda x: F.cross_entropy(x, labels.astype("int32")),
            "no softmax": lambda x: F.cross_entropy(F.softmax(x), labels, use_softmax=False),
        },
    )


@program
def softmax_with_cross_entropy(paddle, np):
    """The older spelling, which keeps the label axis."""
    F = paddle.nn.functional
    labels = paddle.to_tensor([[0], [2], [1], [2]])
    x = leaf(paddle, _logits(np))
    loss, soft = F.softmax_with_cross_entropy(x, labels, return_softmax=True)
    loss.sum().backward()
    return [loss.numpy(), soft.numpy(), x.grad.numpy()]


@program
def cross_entropy_of_images(paddle, np):
    """Logits of several positions, classes last and classes on axis 1."""
    F = paddle.nn.functional
    r = np.random.default_rng(52)
    labels = paddle.to_tensor(r.integers(0, 3, (2, 4)))
    out = {}
    for text, shape, axis in [("last", (2, 4, 3), -1), ("axis 1", (2, 3, 4), 1)]:
        x = leaf(paddle, r.normal(size=shape).astype("float32"))
        loss = F.cross_entropy(x, labels, axis=axis)
        loss.backward()
        out[text] = [loss.numpy(), x.grad.numpy()]
    return out


@program
def regression_losses(paddle, np):
    """mse, l1, smooth_l1 with each reduction."""
    F = paddle.nn.functional
    target = paddle.to_tensor(_logits(np)[::-1].copy() * 2)
    functions = {}
    for name in "mse_loss l1_loss smooth_l1_loss".split():
        for reduction in ("mean", "sum", "none"):
            functions[f"{name} {reduction}"] = lambda x, n=name, r=reduction: getattr(F, n)(
                x, target, reduction=r
            )
    functions["delta"] = lambda x: F.smooth_l1_loss(x, target, delta=0.5)
    return _run(paddle, np, functions)


@program
def probability_losses(paddle, np):
    """nll_loss, binary cross entropies, kl_div."""
    F = paddle.nn.functional
    labels, weight = paddle.to_tensor([0, 2, 1, 2]), paddle.to_tensor(np.float32([1.0, 2.0, 0.5]))
    target = paddle.to_tensor((_logits(np) > 0).astype("float32"))
    return _run(
        paddle,
        np,
        {
            "nll": lambda x: F.nll_loss(F.log_softmax(x), labels),
            "nll weight": lambda x: F.nll_loss(F.log_softmax(x), labels, weight=weight),
            "nll none": lambda x: F.nll_loss(F.log_softmax(x), labels, reduction="none"),
            "nll ignore": lambda x: F.nll_loss(F.log_softmax(x), labels, ignore_index=2),
            "bce": lambda x: F.binary_cross_entropy(F.sigmoid(x), target),
            "bce sum": lambda x: F.binary_cross_entropy(F.sigmoid(x), target, reduction="sum"),
            "bce logits": lambda x: F.binary_cross_entropy_with_logits(x, target),
            "bce logits none": lambda x: F.binary_cross_entropy_with_logits(
                x, target, reduction="none"
            ),
            "bce logits pos": lambda x: F.binary_cross_entropy_with_logits(
                x, target, pos_weight=weight
            ),
            "kl": lambda x: F.kl_div(F.log_softmax(x), F.softmax(target)),
            "kl sum": lambda x: F.kl_div(F.log_softmax(x), F.softmax(target), reduction="sum"),
            "kl batchmean": lambda x: F.kl_div(
                F.log_softmax(x), F.softmax(target), reduction="batchmean"
            ),
        },
    )


@program
def loss_layers(paddle, np):
    """The layers of the losses give what the functions give."""
    nn = paddle.nn
    x, labels = leaf(paddle, _logits(np)), paddle.to_tensor([0, 2, 1, 2])
    target = paddle.to_tensor(np.abs(_logits(np)) % 1)
    return {
        "CrossEntropyLoss": nn.CrossEntropyLoss()(x, labels).numpy(),
        "MSELoss": nn.MSELoss()(x, target).numpy(),
        "L1Loss": nn.L1Loss(reduction="sum")(x, target).numpy(),
        "NLLLoss": nn.NLLLoss()(nn.functional.log_softmax(x), labels).numpy(),
        "BCELoss": nn.BCELoss()(nn.functional.sigmoid(x), target).numpy(),
        "BCEWithLogitsLoss": nn.BCEWithLogitsLoss()(x, target).numpy(),
        "SmoothL1Loss": nn.SmoothL1Loss()(x, target).numpy(),
        "KLDivLoss": nn.KLDivLoss()(nn.functional.log_softmax(x), target).numpy(),
    }


@program
def gradients_of_both_operands(paddle, np):
    """A target that wants a gradient gets one from the losses that give it."""
    F = paddle.nn.functional
    out = {}
    for name in "mse_loss l1_loss smooth_l1_loss".split():
        x, y = leaf(paddle, _logits(np)), leaf(paddle, _logits(np)[::-1].copy())
        getattr(F, name)(x, y).backward()
        out[name] = [array(x.grad), array(y.grad)]
    return out


@program
def losses_refused(paddle, np):
    """A reduction that does not exist."""
    F = paddle.nn.functional
    x = paddle.ones([2, 3])
    return {
        "mse": attempt(lambda: F.mse_loss(x, x, reduction="all"))["error"],
        "cross_entropy": attempt(
            lambda: F.cross_entropy(x, paddle.to_tensor([0, 1]), reduction="all")
        )["error"],
        "l1": attempt(lambda: F.l1_loss(x, x, reduction="all"))["error"],
    }


@program
def one_weight_beside_a_single_logit(paddle, np):
    """pos_weight of one element leaves the loss and the gradient of a 0-D logit 0-D."""
    out = []
    for reduction in ("none", "sum", "mean"):
        x = leaf(paddle, np.float32(0.3))
        y = paddle.nn.functional.binary_cross_entropy_with_logits(
            x,
            paddle.to_tensor(np.float32(0.7)),
            reduction=reduction,
            pos_weight=paddle.to_tensor([1.5]),
        )
        y.backward()
        out.append([list(y.shape), float(y), list(x.grad.shape), float(x.grad)])
    return out


@program
def smoothed_probabilities_need_no_flag(paddle, np):
    """With label_smoothing labels of the input's shape are probabilities anyway."""
    x = leaf(paddle, np.float32([[0.5, -1.0, 2.0], [1.0, 0.0, -0.5]]))
    label = paddle.to_tensor(np.float32([[0.2, 0.3, 0.5], [0.6, 0.4, 0.0]]))
    losses = [
        paddle.nn.functional.cross_entropy(x, label, label_smoothing=0.1, soft_label=soft)
        for soft in (False, True)
    ]
    (losses[0] + 2 * losses[1]).backward()
    return [float(losses[0]), float(losses[1]), x.grad.numpy()]


@program
def nll_loss_of_labels_in_another_shape(paddle, np):
    """As many labels as places, in whatever shape: the result has the shape of the places."""
    logs = leaf(paddle, np.linspace(-2, -0.1, 24).reshape(2, 3, 4).astype("float32"))
    label = paddle.to_tensor([[[0, 1], [2, 0]], [[1, 1], [2, 2]]])
    loss = paddle.nn.functional.nll_loss(logs, label, reduction="none")
    loss.sum().backward()
    return [loss.numpy(), logs.grad.numpy()]
