"""Layers of the losses, Bilinear, alpha dropout: results, attributes, text, state, errors."""

from ..probe import attempt, leaf, refuses
from ..registry import differs, program


def _draw(np, *shape, seed=101):
    return np.random.default_rng(seed).uniform(-1, 1, shape).astype("float32")


def _int32(paddle, value):
    return paddle.to_tensor(value, dtype="int32")


@program
def margin_loss_layers(paddle, np):
    """Each layer of a margin loss with its defaults and with every argument."""
    nn = paddle.nn
    x, y, z = (paddle.to_tensor(_draw(np, 4, 3, seed=seed)) for seed in (1, 2, 3))
    signs = paddle.to_tensor(np.where(_draw(np, 4, 3) > 0, 1.0, -1.0).astype("float32"))
    hot, weight = (signs + 1) / 2, paddle.to_tensor(np.float32([1.0, 2.0, 0.5]))
    label = paddle.to_tensor([0, 2, 1, 1])
    rows = paddle.to_tensor([[0, 2, -1], [-1, 0, 0], [1, -1, 0], [0, 1, 2]])
    cases = [
        (nn.MarginRankingLoss(), nn.MarginRankingLoss(0.3, "sum", "n"), (x, y, signs)),
        (nn.HingeEmbeddingLoss(), nn.HingeEmbeddingLoss(0.3, "sum", "n"), (x, signs)),
        (nn.CosineEmbeddingLoss(), nn.CosineEmbeddingLoss(0.3, "sum", "n"), (x, y, signs[:, 0])),
        (nn.SoftMarginLoss(), nn.SoftMarginLoss("none", "n"), (x, signs)),
        (nn.MultiLabelSoftMarginLoss(), nn.MultiLabelSoftMarginLoss(weight, "sum"), (x, hot)),
        (nn.MultiLabelMarginLoss(), nn.MultiLabelMarginLoss("none", "n"), (x, rows)),
        (nn.MultiMarginLoss(), nn.MultiMarginLoss(2, 0.5, weight, "sum"), (x, label)),
        (nn.TripletMarginLoss(), nn.TripletMarginLoss(0.5, 1, 1e-3, True, "none"), (x, y, z)),
        (
            nn.TripletMarginWithDistanceLoss(),
            nn.TripletMarginWithDistanceLoss(None, 0.5, True, "sum"),
            (x, y, z),
        ),
        (nn.PoissonNLLLoss(), nn.PoissonNLLLoss(False, True, 1e-3, "sum"), (hot + 1, hot * 3)),
        (nn.GaussianNLLLoss(), nn.GaussianNLLLoss(True, 1e-3, "none"), (x, y, hot + 0.5)),
    ]
    out = {}
    for plain, full, inputs in cases:
        out[type(plain).__name__] = [
            plain(*inputs).numpy(), full(*inputs).numpy(), repr(plain), repr(full),
            list(full.state_dict()),
        ]  # fmt: skip
    return out


@program
def loss_layers_refuse(paddle, np):
    """A reduction that is none, and other arguments out of range."""
    nn = paddle.nn
    kinds = (
        "MarginRankingLoss SoftMarginLoss MultiLabelSoftMarginLoss MultiLabelMarginLoss "
        "MultiMarginLoss TripletMarginLoss TripletMarginWithDistanceLoss PoissonNLLLoss "
        "GaussianNLLLoss CosineEmbeddingLoss"
    ).split()
    out = {kind: attempt(lambda k=kind: getattr(nn, k)(reduction="avg")) for kind in kinds}
    out["margin"] = attempt(lambda: nn.CosineEmbeddingLoss(margin=2))
    out["epsilon"] = attempt(lambda: nn.PoissonNLLLoss(epsilon=0))
    out["classes"] = attempt(lambda: nn.HSigmoidLoss(3, 1))
    for cutoffs in ([3, 2], [0, 2], [2, 10], [2, 2]):
        out[str(cutoffs)] = attempt(lambda c=cutoffs: nn.AdaptiveLogSoftmaxWithLoss(8, 10, c))
    return out


@program
def sequence_loss_layers(paddle, np):
    """CTCLoss and RNNTLoss."""
    nn = paddle.nn
    labels = _int32(paddle, [[1, 2], [3, 1]])
    x, y = paddle.to_tensor(_draw(np, 5, 2, 4)), paddle.to_tensor(_draw(np, 2, 4, 3, 5))
    times, lengths = paddle.to_tensor([5, 4]), paddle.to_tensor([2, 1])
    short = [_int32(paddle, [4, 3]), _int32(paddle, [2, 1])]
    return [
        nn.CTCLoss()(x, labels, times, lengths).numpy(),
        nn.CTCLoss(3, "none", True)(x, labels % 3, times, lengths, norm_by_times=True).numpy(),
        repr(nn.CTCLoss()),
        nn.RNNTLoss()(y, labels, *short).numpy(),
        nn.RNNTLoss(4, 0.5, "none")(y, labels, *short).numpy(),
        repr(nn.RNNTLoss()),
    ]


@program
def hsigmoid_layer(paddle, np):
    """HSigmoidLoss: its parameters, a tree of its own, three steps of training."""
    layer = paddle.nn.HSigmoidLoss(3, 4)
    own = paddle.nn.HSigmoidLoss(3, 4, is_custom=True)
    plain = paddle.nn.HSigmoidLoss(3, 4, bias_attr=False)
    shapes = [
        {n: list(p.shape) for n, p in each.named_parameters()} for each in (layer, own, plain)
    ]
    for each in (layer, own):
        for seed, parameter in enumerate(each.parameters()):
            parameter.set_value(_draw(np, *parameter.shape, seed=seed))
    x, label = leaf(paddle, _draw(np, 4, 3)), paddle.to_tensor([0, 3, 2, 1])
    table = paddle.to_tensor([[0, 2], [1, 3], [0, 1], [3, 0]])
    code = paddle.to_tensor([[0, 1], [1, 1], [1, 0], [0, 0]])
    sgd = paddle.optimizer.SGD(0.5, parameters=[*layer.parameters(), *own.parameters()])
    losses = []
    for _ in range(3):
        loss = layer(x, label).mean() + own(x, label, table, code).mean()
        loss.backward()
        sgd.step()
        sgd.clear_grad()
        losses.append(loss.numpy())
    return [shapes, losses, layer.weight.numpy(), own.bias.numpy()]


@differs(
    "An input is data more often than not, and wants no gradient; its weight does.",
    right="a gradient",
    paddle_gives={"error": "ValueError", "category": "InvalidArgument"},
)
def hsigmoid_of_data(paddle, np):
    """HSigmoidLoss of an input that wants no gradient."""
    layer = paddle.nn.HSigmoidLoss(3, 4)
    loss = layer(paddle.ones([2, 3]), paddle.to_tensor([0, 3])).mean()
    error = refuses(loss.backward)
    return "a gradient" if error == "no error" and layer.weight.grad is not None else error


def _filled(paddle, np, layer):
    tails = [weight for pair in layer.tail_weights for weight in pair]
    weights = [layer.head_weight, layer.head_bias, *tails]
    for seed, weight in enumerate(weights):
        weight.set_value(_draw(np, *weight.shape, seed=seed))
    return layer


@program
def adaptive_log_softmax_layer(paddle, np):
    """AdaptiveLogSoftmaxWithLoss: output, loss, log_prob, predict, attributes."""
    layer = _filled(paddle, np, paddle.nn.AdaptiveLogSoftmaxWithLoss(8, 10, [3, 6], head_bias=True))
    x, label = paddle.to_tensor(_draw(np, 5, 8) * 3), paddle.to_tensor([0, 5, 9, 2, 6])
    output, loss = layer(x, label)
    logs = layer.log_prob(x)
    logs.sum().backward()
    return [
        output.numpy(), loss.numpy(), logs.numpy(), layer.predict(x).numpy().astype("int64"),
        layer.head_weight.grad.numpy(), layer.cutoffs, layer.shortlist_size, layer.n_clusters,
        layer.head_size, [[list(w.shape) for w in pair] for pair in layer.tail_weights],
        repr(layer), list(layer(x[0], label[0])[0].shape),
    ]  # fmt: skip


@differs(
    "What a layer trains must be among its parameters and in its state.",
    right=[6, 6],
    paddle_gives=[2, 2],
)
def parameters_of_adaptive_log_softmax(paddle, np):
    """The head's weight and bias, and two weights for each of two clusters."""
    layer = paddle.nn.AdaptiveLogSoftmaxWithLoss(8, 10, [3, 6], head_bias=True)
    return [len(layer.parameters()), len(layer.state_dict())]


@differs(
    "Classes are numbers of a class, integers, whichever part they are in.",
    right="paddle.int64",
    paddle_gives="paddle.float32",
)
def predicted_classes_are_integers(paddle, np):
    """predict where all classes are frequent ones."""
    layer = paddle.nn.AdaptiveLogSoftmaxWithLoss(8, 10, [9])
    layer.head_weight.set_value(np.eye(8, 10, dtype="float32") * 50)
    return str(layer.predict(paddle.ones([2, 8])).dtype)


@differs(
    "The layer was given a distance.",
    right=8.0,
    paddle_gives=6.0,
)
def triplet_layer_with_a_distance(paddle, np):
    """The sum of the differences instead of the root of their squares."""
    layer = paddle.nn.TripletMarginWithDistanceLoss(lambda x, y: (x - y).abs().sum(-1))
    x, y = paddle.zeros([1, 2]), paddle.to_tensor([[3.0, 4.0]])
    return round(layer(x, y, x).item(), 3)


@program
def bilinear_layer(paddle, np):
    """Bilinear: its parameters, text, without a bias, trained for a step."""
    nn = paddle.nn
    layer = nn.Bilinear(3, 2, 5)
    for seed, parameter in enumerate(layer.parameters()):
        parameter.set_value(_draw(np, *parameter.shape, seed=seed))
    x, y = leaf(paddle, _draw(np, 4, 3)), leaf(paddle, _draw(np, 4, 2))
    out = layer(x, y)
    out.sum().backward()
    return {
        "state": {name: list(value.shape) for name, value in layer.state_dict().items()},
        "out": out.numpy(),
        "grads": [t.grad.numpy() for t in (x, y, *layer.parameters())],
        "text": [repr(layer), repr(nn.Bilinear(3, 2, 5, name="b"))],
        "no bias": [nn.Bilinear(3, 2, 5, bias_attr=False).bias is None],
    }


@program
def alpha_dropouts(paddle, np):
    """What alpha dropout gives of zeros; whole channels; evaluation; errors."""
    F, nn = paddle.nn.functional, paddle.nn
    found = np.unique(F.alpha_dropout(paddle.zeros([64]), 0.3).numpy())
    whole = F.feature_alpha_dropout(paddle.zeros([8, 8, 3]), 0.5).numpy()
    x = leaf(paddle, _draw(np, 40))
    out = F.alpha_dropout(x, 0.5)
    out.sum().backward()
    channels = F.dropout1d(paddle.ones([2, 64, 3]), 0.5).numpy()
    layers = [nn.AlphaDropout(), nn.AlphaDropout(0.3, "a"), nn.FeatureAlphaDropout(0.3)]
    return {
        "values": found,
        "whole": [bool((whole == whole[..., :1]).all()), np.unique(whole)],
        "slopes": np.unique(x.grad.numpy()),
        "node": out.grad_fn.name(),
        "gone": F.alpha_dropout(x, 1.0).numpy(),
        "kept": [F.alpha_dropout(x, 0.5, training=False) is x, F.alpha_dropout(x, 0.0).numpy()],
        "channels": [np.unique(channels), bool((channels == channels[:1, :, :1]).all())],
        "two": list(F.dropout1d(paddle.ones([4, 3])).shape),
        "text": [repr(layer) for layer in layers],
        "eval": [layer.eval()(x).numpy() for layer in layers],
        "p": attempt(lambda: F.alpha_dropout(x, 1.5)),
        "type": attempt(lambda: F.alpha_dropout(x, "half")),
        "1-D": attempt(lambda: F.feature_alpha_dropout(x, 0.5)),
        "dropout1d p": attempt(lambda: F.dropout1d(paddle.ones([2, 3]), -1.0)),
        "dropout1d ndim": attempt(lambda: F.dropout1d(x)),
    }


@program
def fused_softmaxes(paddle, np):
    """incubate.softmax_mask_fuse and identity_loss: values, gradients, node names, errors."""
    incubate = paddle.incubate
    x, mask = leaf(paddle, _draw(np, 2, 2, 8, 32)), paddle.to_tensor(_draw(np, 2, 1, 8, 32))
    out = incubate.softmax_mask_fuse(x, mask)
    (out**2).sum().backward()
    marked = {}
    for reduction in ("none", "mean", "sum", 0, 1, 2, "SUM"):
        y = leaf(paddle, _draw(np, 4, 3))
        loss = incubate.identity_loss(y, reduction)
        (loss * 2).sum().backward()
        marked[reduction] = [loss.numpy(), loss.grad_fn.name(), y.grad.numpy()]
    return {
        "fused": [out.numpy(), out.grad_fn.name(), x.grad.numpy()],
        "marked": marked,
        "2-D": refuses(lambda: incubate.softmax_mask_fuse(x[0, 0], mask[0, 0])),
        "heads": refuses(lambda: incubate.softmax_mask_fuse(x, x)),
        "number": refuses(lambda: incubate.identity_loss(x, 3)),
        "name": attempt(lambda: incubate.identity_loss(x, "avg"))["error"],
    }
