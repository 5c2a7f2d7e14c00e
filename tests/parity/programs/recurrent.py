"""SimpleRNN, LSTM, GRU: outputs, states, gradients, names, lengths, refusals."""

from ..probe import array, attempt, grads, leaf, names, pull, refuses
from ..registry import program


def fill(np, layer, seed=31):
    """Gives every parameter of a layer values that depend on its place and shape alone."""
    r = np.random.default_rng(seed)
    for parameter in layer.parameters():
        parameter.set_value((r.normal(size=parameter.shape) * 0.4).astype("float32"))
    return layer


def draw(np, *shape, seed=32):
    """Returns fixed float32 values."""
    return np.random.default_rng(seed).normal(size=shape).astype("float32")


def networks(paddle, **more):
    """Returns one network of each kind, 3 inputs and 4 units, by name."""
    nn = paddle.nn
    return {
        "lstm": nn.LSTM(3, 4, **more),
        "gru": nn.GRU(3, 4, **more),
        "tanh": nn.SimpleRNN(3, 4, **more),
        "relu": nn.SimpleRNN(3, 4, activation="relu", **more),
    }


def listed(states):
    """Returns the states of an LSTM or another network as a list."""
    return list(states) if isinstance(states, tuple) else [states]


def _run(paddle, np, net, x, *arguments, **named):
    """Returns values, nodes and gradients of one call."""
    x = leaf(paddle, x)
    y, states = net(x, *arguments, **named)
    states = listed(states)
    pull(paddle, np, y, *states)
    return {
        "out": [y.numpy(), [s.numpy() for s in states]],
        "nodes": [y.grad_fn.name(), [s.grad_fn.name() for s in states]],
        "x": x.grad.numpy(),
        "parameters": [array(p.grad) for p in net.parameters()],
    }


@program
def recurrent_one_layer(paddle, np):
    """One layer, one direction: what comes out, and every gradient."""
    x = draw(np, 2, 5, 3)
    return {k: _run(paddle, np, fill(np, n), x) for k, n in networks(paddle).items()}


@program
def recurrent_two_layers_both_directions(paddle, np):
    """Two layers in both directions, time first."""
    x = draw(np, 5, 2, 3)
    made = networks(paddle, num_layers=2, direction="bidirect", time_major=True)
    return {k: _run(paddle, np, fill(np, n), x) for k, n in made.items()}


@program
def recurrent_lengths(paddle, np):
    """sequence_length: padding gives zeros, states are those of each sequence's last step."""
    x = draw(np, 3, 5, 3)
    found = {}
    for dtype in ("int32", "int64"):
        lengths = paddle.to_tensor([3, 5, 1], dtype=dtype)
        made = networks(paddle, num_layers=2, direction="bidirectional")
        for key, net in made.items():
            found[f"{key} {dtype}"] = _run(paddle, np, fill(np, net), x, sequence_length=lengths)
    return found


@program
def recurrent_initial_states(paddle, np):
    """States to begin with, whose gradients arrive; a sequence of length 0 keeps them."""
    found = {}
    lengths = paddle.to_tensor([4, 0])
    for key, net in networks(paddle, direction="bidirect").items():
        fill(np, net)
        for text, more in (("all", {}), ("lengths", {"sequence_length": lengths})):
            start = [leaf(paddle, draw(np, 2, 2, 4, seed=s)) for s in (1, 2)[: 1 + (key == "lstm")]]
            given = tuple(start) if len(start) > 1 else start[0]
            found[f"{key} {text}"] = _run(paddle, np, net, draw(np, 2, 4, 3), given, **more)
            found[f"{key} {text} start"] = grads(*start)
    return found


@program
def recurrent_names_and_state(paddle, np):
    """Keys of the state, names of parameters, shapes, repr, attributes."""
    found = {}
    for text, more in (
        ("plain", {}),
        ("more", {"num_layers": 2, "direction": "bidirect", "dropout": 0.25, "time_major": True}),
    ):
        for key, net in networks(paddle, **more).items():
            found[f"{key} {text}"] = {
                "keys": [[k, list(v.shape)] for k, v in net.state_dict().items()],
                "parameters": [name for name, _ in net.named_parameters()],
                "names": names([p.name for p in net.parameters()]),
                "layers": [[n, type(m).__name__] for n, m in net.named_sublayers()],
                "repr": repr(net),
                "attributes": [
                    net.mode, net.input_size, net.hidden_size, net.dropout, net.num_directions,
                    net.time_major, net.num_layers, net.state_components, net.proj_size, len(net),
                ],
                "same": [net.weight_ih_l0 is p for p in net.parameters()][:2],
            }  # fmt: skip
    return found


@program
def recurrent_state_is_loaded(paddle, np):
    """A state dict of arrays makes two networks one."""
    found = []
    for key, other in networks(paddle, num_layers=2).items():
        net = fill(np, networks(paddle, num_layers=2)[key], seed=5)
        missing = other.set_state_dict({k: v.numpy() for k, v in net.state_dict().items()})
        x = paddle.to_tensor(draw(np, 1, 3, 3))
        found += [list(missing), net(x)[0].numpy(), other(x)[0].numpy()]
    return found


@program
def recurrent_draws(paddle, np):
    """Parameters start uniformly within 1 / sqrt(hidden_size)."""
    found = {}
    for text, net in {"lstm": paddle.nn.LSTM(40, 64), "gru": paddle.nn.GRU(40, 64, 2)}.items():
        for name, parameter in net.named_parameters():
            v, bound = parameter.numpy() * 8, 1.0
            found[f"{text} {name}"] = [
                bool(abs(v).max() <= bound),
                bool(abs(v).max() > 0.9),
                bool(abs(v.mean()) < 0.2),
                bool(abs(v.std() - 3**-0.5) < 0.1),
                parameter.stop_gradient,
            ]
    return found


@program
def recurrent_dropout(paddle, np):
    """Dropout falls between layers, in training alone; with 1.0 nothing gets through."""
    x = paddle.to_tensor(draw(np, 2, 4, 3))
    found = {}
    for key, net in networks(paddle, num_layers=2, dropout=1.0).items():
        fill(np, net)
        found[f"{key} all"] = net(x)[0].numpy()
        net.eval()
        found[f"{key} eval"] = net(x)[0].numpy()
    one = paddle.nn.GRU(3, 4, 1, dropout=0.5)
    two = paddle.nn.GRU(3, 64, 2, dropout=0.5)
    found["one layer"] = bool((one(x)[0] == one(x)[0]).all())
    found["two layers"] = bool((two(x)[0] == two(x)[0]).all())
    return found


@program
def recurrent_constants(paddle, np):
    """weight_ih_attr=False and the like make constants; both biases can be left out."""
    x = draw(np, 2, 3, 3)
    found = {}
    for text, more in {
        "input": {"weight_ih_attr": False},
        "state": {"weight_hh_attr": False},
        "frozen": {"weight_hh_attr": paddle.ParamAttr(trainable=False)},
        "constant": {
            "bias_ih_attr": paddle.ParamAttr(initializer=paddle.nn.initializer.Constant(0.25))
        },
    }.items():
        net = paddle.nn.GRU(3, 4, **more)
        found[f"{text} flags"] = [[n, p.stop_gradient] for n, p in net.named_parameters()]
        found[f"{text} constant"] = [
            p.numpy() for n, p in net.named_parameters()
            if (p.stop_gradient and text != "frozen") or (text == "constant" and n == "bias_ih_l0")
        ]  # fmt: skip
        if text not in ("input", "state"):
            fill(np, net)
            found[text] = net(paddle.to_tensor(x))[0].numpy()
    return found


@program
def recurrent_in_float64(paddle, np):
    """Under float64 as the default dtype."""
    paddle.set_default_dtype("float64")
    try:
        net = paddle.nn.LSTM(3, 4, direction="bidirect")
        r = np.random.default_rng(3)
        for parameter in net.parameters():
            parameter.set_value(r.normal(size=parameter.shape) * 0.4)
        return _run(paddle, np, net, r.normal(size=(2, 4, 3)))
    finally:
        paddle.set_default_dtype("float32")


@program
def recurrent_refused(paddle, np):
    """Arguments and operands that do not fit."""
    nn = paddle.nn
    net = nn.LSTM(3, 4)
    x, state = paddle.ones([2, 5, 3]), paddle.zeros([1, 2, 4])
    return {
        "direction": attempt(lambda: nn.LSTM(3, 4, direction="back")),
        "activation": attempt(lambda: nn.SimpleRNN(3, 4, activation="elu")),
        "no units": attempt(lambda: nn.GRU(3, 0)),
        "large projection": attempt(lambda: nn.LSTM(3, 4, proj_size=4)),
        "width": refuses(lambda: net(paddle.ones([2, 5, 7]))),
        "rank": refuses(lambda: net(paddle.ones([5, 3]))),
        "one state": refuses(lambda: net(x, state)),
        "other states": refuses(lambda: net(x, (state, paddle.zeros([2, 2, 4])))),
        "float lengths": refuses(lambda: net(x, sequence_length=paddle.to_tensor([1.0, 2.0]))),
        "lengths": refuses(lambda: net(x, sequence_length=paddle.to_tensor([1]))),
        "dtype": refuses(lambda: net(x.astype("float64"))),
    }
