"""SimpleRNN, LSTM and GRU: the fused op against the cells in a loop, saved tensors, dropout."""

import copy

import jax
import numpy as np
import pytest

import jaxeager as paddle
from jaxeager import nn
from jaxeager.errors import InvalidArgumentError
from jaxeager.ops.call.kernels import forward_rule, vjp_rule
from jaxeager.ops.row import ROWS

KINDS = {
    "lstm": lambda **more: nn.LSTM(3, 4, **more),
    "gru": lambda **more: nn.GRU(3, 4, **more),
    "tanh": lambda **more: nn.SimpleRNN(3, 4, **more),
    "relu": lambda **more: nn.SimpleRNN(3, 4, activation="relu", **more),
}


def random(*shape, seed=0):
    return paddle.to_tensor(np.random.default_rng(seed).standard_normal(shape).astype("float32"))


def listed(states):
    return list(states) if isinstance(states, tuple) else [states]


def by_cells(net, x, lengths=None):
    """Run the cells of a network layer by layer; outputs of padding are zeroed."""
    last = []
    for layer in net:
        x, states = layer(x, sequence_length=lengths)
        if lengths is not None:
            valid = paddle.arange(x.shape[1]).unsqueeze(0) < lengths.unsqueeze(1)
            x = x * valid.astype(x.dtype).unsqueeze(2)
        pairs = [states] if net.num_directions == 1 else states
        last += [listed(each) for each in pairs]
    return x, [paddle.stack(list(each)) for each in zip(*last, strict=True)]


USUAL = {"lstm-lengths", "gru-all", "tanh-lengths", "relu-all"}


@pytest.mark.parametrize(
    ("kind", "lengths"),
    [
        pytest.param(kind, lengths, id=name, marks=() if name in USUAL else pytest.mark.deep)
        for kind in KINDS
        for lengths in (None, [5, 2, 1])
        for name in [f"{kind}-{'lengths' if lengths else 'all'}"]
    ],
)
def test_the_fused_op_is_its_cells_in_a_loop(kind, lengths):
    net = KINDS[kind](num_layers=2, direction="bidirect")
    lengths = None if lengths is None else paddle.to_tensor(lengths)
    found = []
    for run in (lambda x: net(x, sequence_length=lengths), lambda x: by_cells(net, x, lengths)):
        x = random(3, 5, 3)
        x.stop_gradient = False
        out, states = run(x)
        states = listed(states) if isinstance(states, tuple) else states
        states = states if isinstance(states, list) else [states]
        ((out * out).sum() + sum((s * s).sum() for s in states)).backward()
        found.append([out, *states, x.grad, *[p.grad for p in net.parameters()]])
        found[-1] = [each.numpy() for each in found[-1]]
        net.clear_gradients(set_to_zero=False)
    for got, want in zip(*found, strict=True):
        np.testing.assert_allclose(got, want, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("which", ["forward", "backward"])
def test_the_compiled_program_does_not_grow_with_the_sequence(which):
    net, row = nn.LSTM(3, 4, 2), ROWS["rnn_with_cell"]
    attrs = ("LSTM", 2, False, 0.0)
    weights = [p._array for p in net._weights()]
    sizes = []
    for steps in (3, 40):
        x, states = jax.numpy.ones((steps, 2, 3)).astype("float32"), []
        states = [jax.numpy.zeros((2, 2, 4), "float32")] * 2
        forward = forward_rule(row, attrs, with_hidden=True)
        if which == "forward":
            made = jax.make_jaxpr(forward)(x, states, weights, None, None)
        else:
            out, *last, reserve = jax.eval_shape(forward, x, states, weights, None, None)
            rule = vjp_rule(row, attrs, (True,) * 11, (), (None, 2, 8))
            made = jax.make_jaxpr(rule)(x, states, weights, None, None, reserve, out, *last)
        sizes.append(str(made).count(" = "))  # equations, those inside scans too
    assert sizes[0] == sizes[1] < 600


def test_backward_keeps_one_state_for_each_step_and_its_operands():
    x = random(2, 5, 3)
    x.stop_gradient = False
    node = nn.LSTM(3, 4, 2, time_major=True)(x)[0].grad_fn
    *operands, reserve = node.saved
    assert reserve[0].shape == (2, 2, 2, 5, 4)  # layers, components, time, batch, hidden
    assert list(operands[3:]) == [None, None]
    assert operands[0][0] is x._array


def test_a_parameter_written_in_place_is_found():
    net, x = nn.GRU(3, 4), random(1, 2, 3)
    out, _ = net(x)
    with paddle.no_grad():
        net.weight_hh_l0.add_(paddle.ones([12, 4]))
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        out.sum().backward()


@pytest.mark.deep
def test_second_order_by_differences():
    net = nn.GRU(3, 4, direction="bidirect")
    net.to(dtype="float64")
    x = random(1, 4, 3).astype("float64")
    weights = random(1, 4, 8, seed=5).astype("float64")

    def gradient(x):
        x.stop_gradient = False
        return paddle.grad((net(x)[0] * weights).sum(), x, create_graph=True)[0]

    step = random(1, 4, 3, seed=6).astype("float64")
    (gradient(x) * step).sum().backward()
    found, small = x.grad, 1e-5
    ahead, behind = (gradient((x + s * small * step).detach()) for s in (1, -1))
    expected = (ahead - behind) / (2 * small)
    np.testing.assert_allclose(found.numpy(), expected.numpy(), rtol=1e-6, atol=1e-9)


def test_dropout_zeroes_outputs_of_a_layer_and_scales_the_rest():
    net = nn.GRU(3, 64, 2, dropout=0.25)
    net[1].cell.weight_ih.set_value(paddle.zeros([192, 64]))  # the second layer gets no input
    x = random(2, 5, 3)
    assert np.array_equal(net(x)[0].numpy(), net(x)[0].numpy())
    masks = net._dropout_masks([50, 20, 3])
    assert masks.shape == [1, 50, 20, 64]
    assert abs(float(masks.astype("float32").mean()) - 0.75) < 0.01


def test_dropout_draws_again_on_each_call_and_follows_the_seed():
    net, x = nn.SimpleRNN(3, 16, 2, dropout=0.5), random(1, 4, 3)
    outs = []
    for _ in range(2):
        paddle.seed(3)
        outs += [net(x)[0].numpy(), net(x)[0].numpy()]
    assert np.array_equal(outs[0], outs[2])
    assert not np.array_equal(outs[0], outs[1])


def test_gradient_through_dropout_stops_at_what_was_dropped():
    net = nn.SimpleRNN(2, 3, 2, dropout=1.0)
    x = random(1, 4, 2)
    x.stop_gradient = False
    net(x)[0].sum().backward()
    assert not x.grad.numpy().any()
    assert net.bias_ih_l1.grad.numpy().any()


@pytest.mark.parametrize("dtype", ["bfloat16", pytest.param("float16", marks=pytest.mark.deep)])
def test_half_precision(dtype):
    net, x = nn.LSTM(3, 8), random(2, 6, 3)
    exact = net(x)[0]
    net.to(dtype=dtype)
    x = x.astype(dtype)
    x.stop_gradient = False
    out, (hidden, cell) = net(x)
    out.sum().backward()
    assert {str(t.dtype) for t in (out, hidden, cell, x.grad, net.bias_hh_l0.grad)} == {
        f"paddle.{dtype}"
    }
    np.testing.assert_allclose(out.astype("float32").numpy(), exact.numpy(), atol=0.02)


def test_a_copy_has_its_own_parameters():
    net = nn.LSTM(3, 4, 2)
    other = copy.deepcopy(net)
    with paddle.no_grad():
        for parameter in net.parameters():
            parameter.zero_()
    x = random(1, 2, 3)
    assert not net(x)[0].numpy().any()
    assert other(x)[0].numpy().any()
    assert other.weight_ih_l1 is other[1].cell.weight_ih


def test_biases_left_out_are_zero_in_every_layer():
    net, x = nn.GRU(3, 4, 2, bias_ih_attr=False, bias_hh_attr=False), random(1, 3, 3)
    assert [n for n, _ in net.named_parameters() if "bias" in n] == [
        f"{layer}.cell.bias_{part}" for layer in (0, 1) for part in ("ih", "hh")
    ]
    np.testing.assert_allclose(net(x)[0].numpy(), by_cells(net, x)[0].numpy(), rtol=1e-5)


def test_no_step_gives_the_initial_state():
    start = random(1, 2, 4)
    out, state = nn.GRU(3, 4)(paddle.ones([2, 0, 3]), start)
    assert out.shape == [2, 0, 4]
    assert np.array_equal(state.numpy(), start.numpy())


@pytest.mark.parametrize(
    ("call", "text"),
    [
        (lambda: nn.LSTM(3, 4)(paddle.ones([2, 5, 7])), r"\[16, 7\] for inputs of width 7"),
        (lambda: nn.LSTM(3, 4)(paddle.ones([2, 5, 3]), paddle.zeros([1, 2, 4])), "should be 2"),
        (lambda: nn.GRU(3, 4, direction="up"), "received direction = up"),
        (lambda: nn.GRU(3, 4)(paddle.ones([2, 5, 3], "float64")), "must have one dtype"),
    ],
)
def test_invalid_inputs_states_and_directions_are_refused(call, text):
    with pytest.raises(InvalidArgumentError, match=text):
        call()


def test_only_an_lstm_is_projected():
    with pytest.raises(AssertionError, match="Only an LSTM has a projection"):
        nn.layer.rnn.RNNBase("GRU", 3, 4, proj_size=2)


def test_mixed_precision_runs_it_in_the_precision_of_its_weights():
    net = nn.Sequential(nn.Linear(3, 3), nn.GRU(3, 4))
    with paddle.amp.auto_cast(dtype="bfloat16"):
        out, _ = net(random(2, 5, 3))
    assert str(out.dtype) == "paddle.float32"
