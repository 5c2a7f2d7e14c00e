"""paddle.summary: the table and the counts; paddle.flops."""

import contextlib
import io
import re

from ..probe import attempt
from ..registry import differs, program


def _table(paddle, make, *arguments, **named):
    """Returns the table of a network made in fresh names, and the counts as ints."""
    stream = io.StringIO()
    with paddle.utils.unique_name.guard(), contextlib.redirect_stdout(stream):
        net = make()
        counts = paddle.summary(net, *arguments, **named)
    return [stream.getvalue().split("\n"), {k: int(v) for k, v in counts.items()}, net.training]


def _convolutions(paddle):
    nn = paddle.nn
    return nn.Sequential(
        nn.Conv2D(1, 6, 3, padding=1), nn.BatchNorm2D(6), nn.ReLU(), nn.MaxPool2D(2, 2),
        nn.Sequential(nn.Conv2D(6, 8, 3, bias_attr=False), nn.ReLU()), nn.Flatten(),
        nn.Linear(8 * 2 * 2, 10), nn.Dropout(0.5), nn.Softmax(),
    )  # fmt: skip


@program
def summary_of_networks(paddle, np):
    """Convolutions, a single layer, recurrent and attention layers."""
    nn = paddle.nn
    return {
        "convolutions": _table(paddle, lambda: _convolutions(paddle), (2, 1, 8, 8)),
        "one layer": _table(paddle, lambda: nn.Linear(3, 2), (1, 3)),
        "int": _table(paddle, lambda: nn.Linear(3, 2), 3),
        "lstm": _table(paddle, lambda: nn.LSTM(3, 4, 2), (-1, 5, 3)),
        "gru": _table(paddle, lambda: nn.Sequential(nn.Linear(2, 3), nn.GRU(3, 4)), (None, 5, 2)),
        "cell": _table(paddle, lambda: nn.RNN(nn.GRUCell(3, 4)), (1, 2, 3)),
        "embedding": _table(
            paddle, lambda: nn.Sequential(nn.Embedding(5, 3), nn.Linear(3, 2)), (2, 4), "int64"
        ),
        "encoder": _table(
            paddle,
            lambda: nn.TransformerEncoder(nn.TransformerEncoderLayer(8, 2, 16), 2),
            (2, 3, 8),
        ),
    }


@program
def summary_of_inputs(paddle, np):
    """Several inputs, tensors, dicts, dtypes; frozen parameters; a layer that is called twice."""
    nn = paddle.nn

    class Two(nn.Layer):
        def __init__(self, frozen=False):
            super().__init__()
            self.first, self.second = nn.Linear(3, 4), nn.Linear(2, 4)
            if frozen:
                self.first.weight.stop_gradient = True
                self.second.bias.trainable = False

        def forward(self, a, b):
            return self.first(a) + self.first(a), [self.second(b), self.second(b)]

    class Named(Two):
        def forward(self, given):
            return super().forward(given["a"], given["b"])

    class Listed(Two):
        def forward(self, given):
            return super().forward(*given)

    a, b = paddle.ones([2, 3]), paddle.ones([2, 2])
    return {
        "sizes": _table(paddle, Two, [(1, 3), (1, 2)]),
        "frozen": _table(paddle, lambda: Two(True), [(1, 3), (1, 2)], ["float32", "float32"]),
        "dict": _table(paddle, Named, input={"a": a, "b": b}),
        "list": _table(paddle, Listed, input=[a, b]),
        "tensor": _table(paddle, lambda: nn.Linear(3, 2), input=a),
        "large": _table(paddle, lambda: nn.Linear(3000, 1000), (7, 3000)),
        "model": _of_model(paddle),
    }


def _of_model(paddle):
    stream = io.StringIO()
    with paddle.utils.unique_name.guard(), contextlib.redirect_stdout(stream):
        model = paddle.Model(_convolutions(paddle))
        counts = model.summary((1, 1, 8, 8))
    return [stream.getvalue().split("\n"), {k: int(v) for k, v in counts.items()}]


@program
def summary_refused(paddle, np):
    """Sizes that cannot be."""
    net = paddle.nn.Linear(2, 2)
    return {
        "nothing": attempt(lambda: paddle.summary(net)),
        "two unknown": attempt(lambda: paddle.summary(net, (None, -1))),
        "zero": attempt(lambda: paddle.summary(net, (0, 2))),
        "input": attempt(lambda: paddle.summary(net, input=3))["error"],
        "item": attempt(lambda: paddle.summary(net, ["a"]))["error"],
    }


FLOPS = [
    [
        "<class Conv2D>'s flops has been counted",
        "<class BatchNorm2D>'s flops has been counted",
        "<class ReLU>'s flops has been counted",
        "Cannot find suitable count function for <class MaxPool2D>. Treat it as zero FLOPs.",
        "Customize Function has been applied to <class Flatten>",
        "<class Linear>'s flops has been counted",
        "<class Dropout>'s flops has been counted",
        "Cannot find suitable count function for <class Softmax>. Treat it as zero FLOPs.",
    ],
    13319,
]


@differs(
    "a one-element array becomes an int, which NumPy 2.5 no longer does",
    right=FLOPS,
    paddle_gives=[FLOPS[0], "TypeError"],
)
def flops_of_a_network(paddle, np):
    """flops with a function of one's own."""

    def count(layer, inputs, output):
        layer.total_ops += 7

    stream = io.StringIO()
    with paddle.utils.unique_name.guard(), contextlib.redirect_stdout(stream):
        net = _convolutions(paddle)
        found = attempt(
            lambda: paddle.flops(
                net, [2, 1, 8, 8], custom_ops={paddle.nn.Flatten: count}, print_detail=True
            )
        )
    text = re.sub(r"<class '[\w.]+\.(\w+)'>", r"<class \1>", stream.getvalue()).split("\n")
    return [text[:8], found if isinstance(found, int) else found["error"]]


@program
def summary_types_of_totals(paddle, np):
    """The totals are NumPy's integers, unless no layer has any parameter."""
    nn, found = paddle.nn, {}
    frozen = nn.Linear(2, 2)
    for parameter in frozen.parameters():
        parameter.stop_gradient = True
    networks = {"none": nn.ReLU(), "some": nn.Linear(2, 2), "frozen": frozen,
                "both": nn.Sequential(frozen, nn.ReLU(), nn.Linear(2, 2))}  # fmt: skip
    for text, network in networks.items():
        with contextlib.redirect_stdout(io.StringIO()):
            counts = paddle.summary(network, (1, 2))
        found[text] = {name: [type(n).__name__, int(n)] for name, n in counts.items()}
    return found
