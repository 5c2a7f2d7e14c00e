"""Which ops an expression records: the whole graph above it as text."""

from ..probe import graph, leaf
from ..registry import program


def _graphs(expressions, x):
    return {text: graph(expression(x)) for text, expression in expressions.items()}


def _matrix(paddle, np):
    return leaf(paddle, np.linspace(0.1, 0.9, 9).reshape(3, 3).astype("float32"))


@program
def graphs_of_expressions(paddle, np):
    """Operators nested in each other."""
    return _graphs(
        {
            "polynomial": lambda x: 3 * x**2 - 2 * x + 1,
            "mean square": lambda x: ((x - 1) ** 2).mean(),
            "logistic": lambda x: 1 / (1 + paddle.exp(-x)),
            "softmax by hand": lambda x: paddle.exp(x) / paddle.exp(x).sum(axis=1, keepdim=True),
            "normalise": lambda x: (x - x.mean()) / (x.std() + 1e-5),
            "matmul @": lambda x: x @ x.T,
            "neg abs": lambda x: -abs(x),
            "chain": lambda x: paddle.tanh(x).reshape([9])[0:3].sum(),
            "rsub rdiv": lambda x: 2 - 3 / x,
            "clip": lambda x: x.clip(0.2, 0.8) * 2,
            "cast": lambda x: x.astype("float64").sum(),
            "int index": lambda x: x[0][1],
            "power of": lambda x: 2.0**x,
        },
        _matrix(paddle, np),
    )


@program
def graphs_of_functions(paddle, np):
    """Functions that Paddle composes from several ops."""
    other = paddle.ones([3, 3])
    return _graphs(
        {
            "mean": lambda x: x.mean(),
            "mean axis": lambda x: x.mean(axis=0),
            "var": lambda x: paddle.var(x),
            "std": lambda x: paddle.std(x, axis=1),
            "norm": lambda x: paddle.norm(x),
            "norm axis": lambda x: paddle.norm(x, axis=1),
            "outer": lambda x: paddle.outer(x[0], x[1]),
            "inner": lambda x: paddle.inner(x, x),
            "dot": lambda x: paddle.dot(x[0], x[1]),
            "mm": lambda x: paddle.mm(x, x),
            "mv": lambda x: paddle.mv(x, x[0]),
            "bmm": lambda x: paddle.bmm(x.unsqueeze(0), x.unsqueeze(0)),
            "addmm": lambda x: paddle.addmm(x, x, x),
            "t": lambda x: paddle.t(x),
            "T": lambda x: x.T,
            "moveaxis": lambda x: paddle.moveaxis(x, 0, 1),
            "clone": lambda x: x.clone(),
            "assign": lambda x: paddle.assign(x),
            "lerp": lambda x: paddle.lerp(x, other, 0.5),
            "square": lambda x: paddle.square(x),
            "take_along_axis": lambda x: paddle.take_along_axis(
                x, paddle.to_tensor([[0], [1], [0]]), 1
            ),
            "chunk": lambda x: paddle.chunk(x, 3)[0],
            "broadcast_to": lambda x: paddle.broadcast_to(x, [2, 3, 3]),
            "expand_as": lambda x: paddle.expand_as(x, paddle.ones([2, 3, 3])),
            "stack": lambda x: paddle.stack([x, x]),
            "add_n": lambda x: paddle.add_n([x, x]),
            "masked_select": lambda x: paddle.masked_select(x, x > 0.5),
            "where": lambda x: paddle.where(x > 0.5, x, other),
            "cumsum": lambda x: paddle.cumsum(x),
            "gather": lambda x: paddle.gather(x, paddle.to_tensor([0])),
        },
        _matrix(paddle, np),
    )


@program
def graphs_of_network_functions(paddle, np):
    """Functions of paddle.nn.functional."""
    F = paddle.nn.functional
    w, b = leaf(paddle, np.ones([3, 3], "float32")), leaf(paddle, np.ones([3], "float32"))
    labels = paddle.to_tensor([0, 1, 2])
    return _graphs(
        {
            "linear": lambda x: F.linear(x, w, b),
            "linear without bias": lambda x: F.linear(x, w),
            "relu": F.relu,
            "softmax": F.softmax,
            "dropout": lambda x: F.dropout(x, 0.5),
            "dropout eval": lambda x: F.dropout(x, 0.5, training=False),
            "layer_norm": lambda x: F.layer_norm(x, [3], b, b),
            "mse_loss": lambda x: F.mse_loss(x, w),
            "l1_loss": lambda x: F.l1_loss(x, w),
            "cross_entropy": lambda x: F.cross_entropy(x, labels),
            "cross_entropy sum": lambda x: F.cross_entropy(x, labels, reduction="sum"),
            "cross_entropy none": lambda x: F.cross_entropy(x, labels, reduction="none"),
            "nll_loss": lambda x: F.nll_loss(F.log_softmax(x), labels),
            "bce logits": lambda x: F.binary_cross_entropy_with_logits(x, w.detach()),
            "bce": lambda x: F.binary_cross_entropy(x, w.detach()),
            "smooth_l1": lambda x: F.smooth_l1_loss(x, w),
            "kl_div": lambda x: F.kl_div(x, w.detach()),
            "embedding": lambda x: F.embedding(labels, x),
            "normalize": lambda x: F.normalize(x),
            "cosine": lambda x: F.cosine_similarity(x, w),
            "gelu": F.gelu,
            "glu": lambda x: F.glu(paddle.concat([x, x], axis=1)),
        },
        _matrix(paddle, np),
    )


@program
def graphs_of_images(paddle, np):
    """Convolution, pooling, batch norm: a bias is a reshape and an add."""
    F = paddle.nn.functional
    x = leaf(paddle, np.ones([1, 2, 6, 6], "float32"))
    w, b = leaf(paddle, np.ones([3, 2, 3, 3], "float32")), leaf(paddle, np.ones([3], "float32"))
    two = leaf(paddle, np.ones([2], "float32"))
    mean, var = paddle.zeros([2]), paddle.ones([2])
    return _graphs(
        {
            "conv2d": lambda x: F.conv2d(x, w),
            "conv2d bias": lambda x: F.conv2d(x, w, b),
            "max_pool2d": lambda x: F.max_pool2d(x, 2),
            "avg_pool2d": lambda x: F.avg_pool2d(x, 2),
            "adaptive avg": lambda x: F.adaptive_avg_pool2d(x, 1),
            "adaptive max": lambda x: F.adaptive_max_pool2d(x, 2),
            "batch_norm": lambda x: F.batch_norm(x, mean, var, two, two, training=True),
            "batch_norm eval": lambda x: F.batch_norm(x, mean, var, two, two),
            "flatten": lambda x: paddle.flatten(x, 1),
            "pad": lambda x: F.pad(x, [1, 1, 1, 1]),
        },
        x,
    )


@program
def graph_of_a_network(paddle, np):
    """A small convolutional network's whole graph."""
    nn = paddle.nn
    net = nn.Sequential(
        nn.Conv2D(1, 2, 3, padding=1),
        nn.Sigmoid(),
        nn.MaxPool2D(2, 2),
        nn.Flatten(),
        nn.Linear(8, 3),
    )
    loss = nn.functional.cross_entropy(net(paddle.ones([2, 1, 4, 4])), paddle.to_tensor([0, 2]))
    return graph(loss)
