"""Cells, RNN and BiRNN over them, projections; and what Paddle's recurrent layers get wrong."""

from ..probe import array, attempt, facts, grads, leaf, names, pull
from ..registry import ANYTHING, differs, program
from .recurrent import draw, fill, listed


def cells(paddle, **more):
    """Returns one cell of each kind, 3 inputs and 4 units, by name."""
    nn = paddle.nn
    return {
        "lstm": nn.LSTMCell(3, 4, **more),
        "gru": nn.GRUCell(3, 4, **more),
        "tanh": nn.SimpleRNNCell(3, 4, **more),
        "relu": nn.SimpleRNNCell(3, 4, activation="relu", **more),
    }


@program
def recurrent_cells(paddle, np):
    """One step of each cell, with and without states."""
    found = {}
    for key, cell in cells(paddle).items():
        fill(np, cell)
        x = leaf(paddle, draw(np, 2, 3))
        start = [leaf(paddle, draw(np, 2, 4, seed=s)) for s in (1, 2)[: 1 + (key == "lstm")]]
        y, states = cell(x, tuple(start) if len(start) > 1 else start[0])
        pull(paddle, np, *listed(states))
        found[key] = {
            "out": [y.numpy(), [s.numpy() for s in listed(states)]],
            "grads": grads(x, *start, *cell.parameters()),
            "facts": facts(y),
            "alone": cell(x)[0].numpy(),
            "names": names([p.name for p in cell.parameters()]),
            "keys": list(cell.state_dict()),
            "repr": repr(cell),
            "shape": cell.state_shape,
            "same": listed(states)[0] is y,
        }
    return found


@program
def recurrent_initial_states_of_cells(paddle, np):
    """get_initial_states: shapes, structures, dtypes, values, where the batch is."""
    cell, base = paddle.nn.LSTMCell(3, 4), paddle.nn.RNNCellBase()
    ref = paddle.ones([2, 5, 3])

    def shown(states):
        return [[list(s.shape), str(s.dtype), float(s.sum())] for s in listed(states)]

    return {
        "own": shown(cell.get_initial_states(ref)),
        "batch": shown(cell.get_initial_states(ref, batch_dim_idx=1)),
        "shape": shown(base.get_initial_states(ref, shape=(7,))),
        "minus one": shown(base.get_initial_states(ref, shape=[-1, 7])),
        "two": shown(base.get_initial_states(ref, shape=((7,), (2, 3)))),
        "dtype": shown(cell.get_initial_states(ref, dtype="float64", init_value=2.0)),
        "dtypes": shown(cell.get_initial_states(ref, dtype=("float32", "int64"))),
        "nested": shown(cell.get_initial_states([ref, [ref]])),
        "no shape": attempt(lambda: base.get_initial_states(ref))["error"],
        "no dtype": attempt(lambda: base.state_dtype)["error"],
    }


@program
def recurrent_loops(paddle, np):
    """RNN over each cell: reversed, time first, with lengths and states."""
    found = {}
    lengths = paddle.to_tensor([2, 4])
    for key, cell in cells(paddle).items():
        fill(np, cell)
        for text, made, named in (
            ("plain", {}, {}),
            ("reversed", {"is_reverse": True}, {"sequence_length": lengths}),
            ("time first", {"time_major": True}, {}),
            ("lengths", {}, {"sequence_length": lengths}),
        ):
            rnn = paddle.nn.RNN(cell, **made)
            x = leaf(paddle, draw(np, *((4, 2, 3) if made.get("time_major") else (2, 4, 3))))
            y, states = rnn(x, **named)
            pull(paddle, np, y)
            found[f"{key} {text}"] = [
                y.numpy(), [s.numpy() for s in listed(states)], grads(x, *cell.parameters()),
                y.grad_fn.name(),
            ]  # fmt: skip
            for tensor in cell.parameters():
                tensor.clear_gradient()
    return found


@program
def recurrent_both_ways(paddle, np):
    """BiRNN: outputs side by side, states in pairs."""
    nn = paddle.nn
    rnn = fill(np, nn.BiRNN(nn.LSTMCell(3, 4), nn.LSTMCell(3, 4)))
    x = leaf(paddle, draw(np, 2, 4, 3))
    y, states = rnn(x, sequence_length=paddle.to_tensor([4, 2]))
    pull(paddle, np, y)
    given = [tuple(paddle.ones([2, 4]) for _ in range(2)) for _ in range(2)]
    return {
        "out": [y.numpy(), [[s.numpy() for s in pair] for pair in states]],
        "grads": grads(x, *rnn.parameters()),
        "node": y.grad_fn.name(),
        "given": rnn(x, given)[0].numpy(),
        "keys": list(rnn.state_dict()),
        "repr": repr(rnn),
        "sizes": attempt(lambda: nn.BiRNN(nn.GRUCell(3, 4), nn.GRUCell(2, 4)))["error"],
        "states": attempt(lambda: rnn(x, [given[0]])),
    }


@program
def recurrent_cell_of_a_user(paddle, np):
    """A cell with nested states, inputs and outputs, and an argument of its own."""
    nn = paddle.nn

    class Own(nn.RNNCellBase):
        def __init__(self):
            super().__init__()
            self.linear = nn.Linear(3, 3)

        @property
        def state_shape(self):
            return ((3,), (3,))

        def forward(self, inputs, states, scale=1.0):
            x, gate = inputs
            total, last = states
            total = total + paddle.tanh(self.linear(x)) * gate * scale
            return (total, {"gate": gate + last}), (total, x)

    cell = fill(np, Own())
    x, gate = leaf(paddle, draw(np, 2, 4, 3)), leaf(paddle, draw(np, 2, 4, 3, seed=1))
    (y, more), states = nn.RNN(cell)((x, gate), scale=2.0)
    (y.sum() + more["gate"].sum()).backward()
    return [
        y.numpy(), more["gate"].numpy(), [s.numpy() for s in states], grads(x, gate),
        grads(*cell.parameters()),
    ]  # fmt: skip


@program
def recurrent_projection(paddle, np):
    """An LSTM with proj_size: one layer, and two in both directions."""
    found = []
    for more in ({}, {"num_layers": 2, "direction": "bidirect"}):
        net = paddle.nn.LSTM(3, 4, proj_size=2, **more)
        r = np.random.default_rng(7)
        for _, cell in net.named_sublayers():
            if isinstance(cell, paddle.nn.LSTMCell):
                for p in cell.parameters():
                    p.set_value((r.normal(size=p.shape) * 0.4).astype("float32"))
        x = leaf(paddle, draw(np, 2, 4, 3))
        y, (hidden, memory) = net(x, sequence_length=paddle.to_tensor([4, 2]))
        pull(paddle, np, y, hidden)
        found += [y.numpy(), hidden.numpy(), memory.numpy(), x.grad.numpy(), repr(net)]
        found += [y.grad_fn.name(), hidden.grad_fn.name()]
        found += [[array(p.grad) for p in net[0].parameters()]]
    return found


# ---- where Paddle is wrong


@differs(
    "the names of a second layer's parameters are shifted by the projection of the first",
    right=[[16, 2], [16, 2], [16], [16]],
    paddle_gives=[[4, 2], [16, 2], [16, 2], [16]],
)
def recurrent_names_with_a_projection(paddle, np):
    """Shapes of the second layer's weight_ih, weight_hh, bias_ih, bias_hh."""
    net = paddle.nn.LSTM(3, 4, 2, proj_size=2)
    names_ = ("weight_ih_l1", "weight_hh_l1", "bias_ih_l1", "bias_hh_l1")
    return [list(getattr(net, name).shape) for name in names_]


@differs(
    "the names of a second layer's parameters are shifted by the bias that is left out",
    right=[[12, 4], [12, 4], [12]],
    paddle_gives=[[12], [12, 4], [12, 4]],
)
def recurrent_names_without_a_bias(paddle, np):
    """Shapes of the second layer's weight_ih, weight_hh, bias_hh."""
    net = paddle.nn.GRU(3, 4, 2, bias_ih_attr=False)
    return [list(getattr(net, n).shape) for n in ("weight_ih_l1", "weight_hh_l1", "bias_hh_l1")]


@differs(
    "the state shapes of a cell with a projection are the wrong way round",
    right=[((2,), (4,)), [1, 2]],
    paddle_gives=[((4,), (2,)), "ValueError"],
)
def recurrent_projected_cell_alone(paddle, np):
    """A cell with a projection, called without states."""
    cell = paddle.nn.LSTMCell(3, 4, proj_size=2)
    found = attempt(lambda: list(cell(paddle.ones([1, 3]))[0].shape))
    return [cell.state_shape, found if isinstance(found, list) else found["error"]]


@differs(
    "the cell that runs backward gets states of the size of the one that runs forward",
    right=[1, 2, 9],
    paddle_gives="ValueError",
)
def recurrent_both_ways_of_two_sizes(paddle, np):
    """BiRNN over cells of 4 and of 5 units."""
    rnn = paddle.nn.BiRNN(paddle.nn.GRUCell(3, 4), paddle.nn.GRUCell(3, 5))
    found = attempt(lambda: list(rnn(paddle.ones([1, 2, 3]))[0].shape))
    return found if isinstance(found, list) else found["error"]


@differs(
    "backward wants memory for every weight's gradient or for none",
    right=[True, True, True, False],
    paddle_gives="ValueError",
)
def recurrent_one_trainable_parameter(paddle, np):
    """Only one bias of a GRU is trained: which gradients are None."""
    net = paddle.nn.GRU(3, 4)
    for name, parameter in net.named_parameters():
        parameter.stop_gradient = name != "bias_hh_l0"

    def run():
        net(paddle.ones([1, 2, 3]))[0].sum().backward()
        return [p.grad is None for p in net.parameters()]

    found = attempt(run)
    return found if isinstance(found, list) else found["error"]


@differs(
    "there is no gradient of a recurrent layer's gradient",
    right=True,
    paddle_gives="ValueError",
)
def recurrent_second_order(paddle, np):
    """The squared gradient of an LSTM's input is differentiated."""
    net = fill(np, paddle.nn.LSTM(3, 4))
    x = leaf(paddle, draw(np, 1, 3, 3))

    def run():
        (gradient,) = paddle.grad(net(x)[0].sum(), x, create_graph=True)
        (gradient * gradient).sum().backward()
        return bool(paddle.isfinite(x.grad).all()) and float(abs(x.grad).sum()) > 0

    found = attempt(run)
    return found if isinstance(found, bool) else found["error"]


@differs(
    "the gradient of the backward direction takes the last step of padding for the start",
    right=[[1.4001, 1.4001], [0.9062, 0.9062]],
    paddle_gives=[[1.4001, 1.4001], [0.9062, 0.3811]],
)
def recurrent_both_ways_from_given_states(paddle, np):
    """Both directions see the same numbers, so that their weights have the same gradient."""
    net = paddle.nn.SimpleRNN(1, 1, direction="bidirect")
    for name, parameter in net.named_parameters():
        parameter.set_value(np.full(parameter.shape, 0.5 * ("weight" in name), "float32"))
    found = []
    for length in (3, 2):
        net.clear_gradients()
        start, steps = paddle.ones([2, 1, 1]), paddle.to_tensor([length])
        net(paddle.ones([1, 3, 1]), start, steps)[0].sum().backward()
        weights = net.weight_hh_l0, net.weight_hh_l0_reverse
        found.append([round(each.grad.sum().item(), 4) for each in weights])
    return found


@differs(
    "a parameter that is replaced goes on being used",
    right=[0.0, 0.0],
    paddle_gives=ANYTHING,
)
def recurrent_replaced_parameters(paddle, np):
    """Every parameter is replaced by zeros: so is the output."""
    net = paddle.nn.SimpleRNN(3, 2)
    for name, parameter in list(net.named_parameters()):
        setattr(net, name, paddle.create_parameter(parameter.shape, "float32", is_bias=True))
    return net(paddle.ones([1, 1, 3]))[0].numpy().ravel().tolist()


@differs(
    "the fused op cannot take a batch of none",
    right=[[0, 5, 4], [1, 0, 4]],
    paddle_gives="RuntimeError",
)
def recurrent_empty_batch(paddle, np):
    """No sequences at all."""
    found = attempt(lambda: [list(t.shape) for t in paddle.nn.GRU(3, 4)(paddle.ones([0, 5, 3]))])
    return found if isinstance(found, list) else found["error"]


@program
def functions_of_loops(paddle, np):
    """The functions of RNN and BiRNN: lengths, initial states, both directions and orders."""
    rnn, shape = paddle.nn.layer.rnn, [3, 2, 4]
    values = np.linspace(-1.0, 1.0, 24).astype("float32").reshape(shape)
    cells = [paddle.nn.GRUCell(4, 2), paddle.nn.GRUCell(4, 2)]
    for cell in cells:
        for parameter in cell.parameters():
            weights = np.linspace(-0.5, 0.5, int(np.prod(parameter.shape)))
            parameter.set_value(weights.astype("float32").reshape(parameter.shape))
    x, length, found = paddle.to_tensor(values), paddle.to_tensor([2, 1, 2]), []
    state = paddle.ones([3, 2])
    for options in ({}, {"sequence_length": length}, {"is_reverse": True}):
        outputs, final = rnn.rnn(cells[0], x, state, **options)
        found.append([outputs.numpy(), final.numpy()])
    for options in ({"initial_states": (state, 2 * state)}, {"time_major": True}):
        outputs, final = rnn.birnn(*cells, x, **options)
        found.append([outputs.numpy(), [each.numpy() for each in final]])
    return found


@program
def states_of_layers(paddle, np):
    """States of several layers are split and joined again: directions and components."""
    rnn, states = paddle.nn.layer.rnn, paddle.arange(8, dtype="float32").reshape([4, 2])

    def lists(found):
        if isinstance(found, (list, tuple)):
            return [type(found).__name__, *map(lists, found)]
        return found.numpy()

    found = []
    for given, components in ((states, 1), ((states, states + 10), 2)):
        for bidirectional in (False, True):
            parts = rnn.split_states(given, bidirectional, components)
            joined = rnn.concat_states(parts, bidirectional, components)
            found.append([lists(parts), lists(joined)])
    return found
