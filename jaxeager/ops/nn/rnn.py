"""The fused recurrent rows: one for networks with hidden states, one for those with cells too.

Paddle has one op, ``rnn``, that returns its last states as a list; here the states have names.
"""

import numpy as np

from jaxeager.errors import InvalidArgumentError
from jaxeager.ops.nn.rnn_kernels import GATES, run_backward, run_forward, weights_of
from jaxeager.ops.register import op
from jaxeager.ops.row import DERIVED
from jaxeager.ops.rules.attrs import Tensors
from jaxeager.ops.rules.real_only import real_only
from jaxeager.ops.rules.samples import BadInput, Sample, values

# ---- the rows: one hidden state, or a hidden state and a cell


def rnn_forward(
    x,
    pre_state: Tensors,
    weight_list: Tensors,
    sequence_length=None,
    masks=None,
    *,
    mode: str = "RNN_TANH",
    num_layers: int = 1,
    is_bidirec: bool = False,
    dropout_prob: float = 0.0,
):
    """Return the output of every step, the last state, and the state after each step."""
    return run_forward(
        x, pre_state, weight_list, sequence_length, masks,
        mode=mode, num_layers=num_layers, is_bidirec=is_bidirec, dropout_prob=dropout_prob,
    )  # fmt: skip


def rnn_vjp(
    x,
    pre_state,
    weight_list,
    sequence_length,
    masks,
    reserve,
    dout,
    dstate,
    *,
    mode,
    num_layers,
    is_bidirec,
    dropout_prob,
):
    """Run backward in time, the last layer first."""
    return run_backward(
        x, pre_state, weight_list, sequence_length, masks, reserve, dout, [dstate],
        mode=mode, num_layers=num_layers, is_bidirec=is_bidirec, dropout_prob=dropout_prob,
    )  # fmt: skip


def rnn_with_cell_forward(
    x,
    pre_state: Tensors,
    weight_list: Tensors,
    sequence_length=None,
    masks=None,
    *,
    mode: str = "LSTM",
    num_layers: int = 1,
    is_bidirec: bool = False,
    dropout_prob: float = 0.0,
):
    """Return the output of every step, the last hidden state and cell, and the states between."""
    return run_forward(
        x, pre_state, weight_list, sequence_length, masks,
        mode=mode, num_layers=num_layers, is_bidirec=is_bidirec, dropout_prob=dropout_prob,
    )  # fmt: skip


def rnn_with_cell_vjp(
    x,
    pre_state,
    weight_list,
    sequence_length,
    masks,
    reserve,
    dout,
    dstate,
    dcell,
    *,
    mode,
    num_layers,
    is_bidirec,
    dropout_prob,
):
    """Run backward in time, the last layer first."""
    return run_backward(
        x, pre_state, weight_list, sequence_length, masks, reserve, dout, [dstate, dcell],
        mode=mode, num_layers=num_layers, is_bidirec=is_bidirec, dropout_prob=dropout_prob,
    )  # fmt: skip


# ---- references for the tests


def _sigmoid(x):
    return 1 / (1 + np.exp(-x))


def _reference_step(mode: str, x, state: list, weights: tuple) -> list:
    """Compute one step of one sequence, gate by gate."""
    w_ih, w_hh, b_ih, b_hh = weights
    a, b = w_ih @ x + b_ih, w_hh @ state[0] + b_hh
    if mode == "LSTM":
        i, f, g, o = np.split(a + b, 4)
        cell = _sigmoid(f) * state[1] + _sigmoid(i) * np.tanh(g)
        return [_sigmoid(o) * np.tanh(cell), cell]
    if mode == "GRU":
        (a_r, a_z, a_c), (b_r, b_z, b_c) = np.split(a, 3), np.split(b, 3)
        new, z = np.tanh(a_c + _sigmoid(a_r + b_r) * b_c), _sigmoid(a_z + b_z)
        return [z * state[0] + (1 - z) * new]
    return [np.tanh(a + b) if mode == "RNN_TANH" else np.maximum(a + b, 0)]


def rnn_reference(
    x,
    pre_state,
    weight_list,
    sequence_length=None,
    masks=None,
    mode="RNN_TANH",
    num_layers=1,
    is_bidirec=False,
    dropout_prob=0.0,
):
    """Loop over layers, directions, sequences and steps."""
    steps, batch = x.shape[:2]
    lengths = [steps] * batch if sequence_length is None else sequence_length
    directions, last = 1 + is_bidirec, [np.array(each) for each in pre_state]
    for layer in range(num_layers):
        width = pre_state[0].shape[2]
        out = np.zeros((steps, batch, directions * width))
        for direction in range(directions):
            number = layer * directions + direction
            for row in range(batch):
                state = [each[number, row] for each in pre_state]
                for step in range(lengths[row])[:: 1 - 2 * direction]:
                    weights = weights_of(weight_list, number)
                    state = _reference_step(mode, x[step, row], state, weights)
                    out[step, row, direction * width : (direction + 1) * width] = state[0]
                for component, value in zip(last, state, strict=True):
                    component[number, row] = value
        x = out
        if masks is not None and layer < len(masks):
            x = np.where(masks[layer], x / (1 - dropout_prob), 0)
    return (x, *last)


def rnn_with_cell_reference(x, pre_state, weight_list, *others, mode="LSTM", **attrs):
    """Loop over layers, directions, sequences and steps."""
    return rnn_reference(x, pre_state, weight_list, *others, mode=mode, **attrs)


def _network(mode: str, layers: int = 1, directions: int = 1, steps: int = 3, batch: int = 2):
    """Return x, initial states and weights of a network of 2 inputs and 2 units."""
    count, gates = layers * directions, GATES[mode] * 2
    states = [values((count, batch, 2), seed=9 + i) for i in range(1 + (mode == "LSTM"))]
    weights, biases = [], []
    for number in range(count):
        width = 2 if number < directions else 2 * directions
        weights += [values((gates, width), -0.9, 0.9, seed=2 * number)]
        weights += [values((gates, 2), -0.8, 0.8, seed=2 * number + 1)]
        biases += [values((gates,), -0.3, 0.4, seed=number), values((gates,), -0.2, 0.3, number)]
    return values((steps, batch, 2)), states, [*weights, *biases]


def _samples_of(*modes: str):
    """Return a sample function: lengths, layers, directions, dropout, no steps, no sequences."""

    def samples():
        lengths, mask = np.array([2, 3]), (np.arange(24) % 3 > 0).reshape(1, 3, 2, 4)
        for mode in modes:
            yield Sample(*_network(mode), None, None, mode=mode)
        for mode in modes:
            yield Sample(*_network(mode), np.array([3, 0]), None, mode=mode)
        mode = max(modes, key=GATES.__getitem__)
        both = {"mode": mode, "num_layers": 2, "is_bidirec": True}
        yield Sample(*_network(mode, 2, 2), lengths, mask, **both, dropout_prob=0.25)
        yield Sample(*_network(mode, steps=0), None, None, mode=mode)
        yield Sample(*_network(mode, batch=0), None, None, mode=mode)

    return samples


def rnn_errors():
    """Yield operands that do not fit."""
    x, states, weights = _network("GRU")
    bad, gru = InvalidArgumentError, {"mode": "GRU"}
    yield BadInput((x[0], states, weights), gru, bad, "The rank of Input in RNN must be 3")
    yield BadInput((x, states, weights[:3]), gru, bad, "4 weights are needed, but received 3")
    yield BadInput((x, states * 2, weights), gru, bad, "PreState of GRU should be 1, but received")
    yield BadInput((x, states, weights), {"mode": "CNN"}, bad, "mode must be one of LSTM, GRU")
    wide = np.zeros((3, 2, 5))
    yield BadInput((wide, states, weights), gru, bad, "[6, 5] for inputs of width 5")
    yield BadInput((x, [states[0][:, :1]], weights), gru, bad, "received [1, 1, 2]")
    yield BadInput(
        (x, states, weights, np.array([3])), gru, bad, "SequenceLength has to equal the batch_size"
    )
    yield BadInput((x, states, weights, np.array([3.0, 2.0])), gru, bad, "must be int32 or int64")
    yield BadInput((x.astype("float32"), states, weights), gru, bad, "must have one dtype")


def rnn_with_cell_errors():
    """Yield a hidden state without its cell."""
    x, states, weights = _network("LSTM")
    text = "PreState of LSTM should be 2, but received 1"
    yield BadInput((x, states[:1], weights), {}, InvalidArgumentError, text)


_SAVES = "x pre_state weight_list sequence_length masks reserve"
_FORMULA = (
    "steps run backward: the gradient of a state is dout plus what the step after it sends back; "
    "dweight = sum over steps of dgates.T @ input"
)
_BOUNDARY = "A rectified unit at exactly 0 gets gradient 0; steps of padding get no gradient."

rnn = op(
    "rnn",
    real_only(rnn_forward),
    vjp=rnn_vjp,
    outputs="out state",
    hidden="reserve",
    hidden_vjp=DERIVED,
    saves=_SAVES,
    nondiff="sequence_length masks",
    public=None,
    reference=rnn_reference,
    samples=_samples_of("RNN_TANH", "GRU", "RNN_RELU"),
    errors=rnn_errors,
    formula=_FORMULA,
    boundary=_BOUNDARY,
    doc="A recurrent network of one state, all layers and steps; recorded by nn.GRU and "
    "nn.SimpleRNN.",
    example="paddle.nn.GRU(2, 3)(paddle.rand([1, 4, 2]))",
)

rnn_with_cell = op(
    "rnn_with_cell",
    real_only(rnn_with_cell_forward),
    vjp=rnn_with_cell_vjp,
    outputs="out state cell",
    hidden="reserve",
    hidden_vjp=DERIVED,
    saves=_SAVES,
    nondiff="sequence_length masks",
    grad_name="RnnGradNode",
    public=None,
    reference=rnn_with_cell_reference,
    samples=_samples_of("LSTM"),
    errors=rnn_with_cell_errors,
    formula=_FORMULA,
    boundary="Steps of padding get no gradient.",
    doc="A recurrent network of a state and a cell, all layers and steps; recorded by nn.LSTM.",
    example="paddle.nn.LSTM(2, 3)(paddle.rand([1, 4, 2]))",
)
