"""Cells, the loops over them, and the sources of initial states."""

import numpy as np
import pytest

import jaxeager as paddle
from jaxeager import nn
from jaxeager.errors import InvalidArgumentError
from jaxeager.utils.structure import flatten, map_structure


def random(*shape, seed=0):
    return paddle.to_tensor(np.random.default_rng(seed).standard_normal(shape).astype("float32"))


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def gates(cell, x, hidden):
    w_ih, w_hh, b_ih, b_hh = (
        getattr(cell, name).numpy().astype("float64")
        for name in ("weight_ih", "weight_hh", "bias_ih", "bias_hh")
    )
    return x @ w_ih.T + b_ih, hidden @ w_hh.T + b_hh


def test_lstm_cell_with_a_projection():
    cell = nn.LSTMCell(3, 4, proj_size=2)
    x, hidden, memory = random(2, 3), random(2, 2, seed=1), random(2, 4, seed=2)
    out, (new_hidden, new_memory) = cell(x, (hidden, memory))
    i, f, g, o = np.split(sum(gates(cell, x.numpy(), hidden.numpy())), 4, -1)
    expected = sigmoid(f) * memory.numpy() + sigmoid(i) * np.tanh(g)
    np.testing.assert_allclose(new_memory.numpy(), expected, rtol=1e-5)
    projected = (sigmoid(o) * np.tanh(expected)) @ cell.weight_ho.numpy()
    np.testing.assert_allclose(new_hidden.numpy(), projected, rtol=1e-5, atol=1e-6)
    assert out is new_hidden
    assert [list(s.shape) for s in cell.get_initial_states(x)] == [[2, 2], [2, 4]]


def test_gru_cell():
    cell = nn.GRUCell(3, 4)
    x, state = random(2, 3), random(2, 4, seed=1)
    (x_r, x_z, x_c), (h_r, h_z, h_c) = (
        np.split(each, 3, -1) for each in gates(cell, x.numpy(), state.numpy())
    )
    new, z = np.tanh(x_c + sigmoid(x_r + h_r) * h_c), sigmoid(x_z + h_z)
    expected = z * state.numpy() + (1 - z) * new
    np.testing.assert_allclose(cell(x, state)[0].numpy(), expected, rtol=1e-5)


def test_simple_cell_of_rectified_units():
    cell = nn.SimpleRNNCell(3, 4, "relu")
    x, state = random(2, 3), random(2, 4, seed=1)
    expected = np.maximum(sum(gates(cell, x.numpy(), state.numpy())), 0)
    np.testing.assert_allclose(cell(x, state)[0].numpy(), expected, rtol=1e-5, atol=1e-6)


def test_false_makes_constants_that_are_not_trained():
    cell = nn.GRUCell(
        3, 4, weight_ih_attr=False, weight_hh_attr=False, bias_ih_attr=False, bias_hh_attr=False
    )
    assert all(p.stop_gradient for p in cell.parameters())
    assert (cell.weight_ih.numpy() == 1).all()
    assert (cell.bias_hh.numpy() == 0).all()


def test_a_state_dtype_of_the_cell_is_used():
    class Doubles(nn.GRUCell):
        @property
        def state_dtype(self):
            return "float64"

    assert Doubles(3, 4).get_initial_states(random(2, 3)).dtype == paddle.float64


def test_a_reversed_loop_skips_padding():
    cell, x = nn.GRUCell(3, 4), random(2, 5, 3)
    out, last = nn.RNN(cell, is_reverse=True)(x, sequence_length=paddle.to_tensor([5, 2]))
    short_out, short_last = nn.RNN(cell, is_reverse=True)(x[1:, :2])
    np.testing.assert_allclose(last.numpy()[1:], short_last.numpy(), rtol=1e-5)
    np.testing.assert_allclose(out.numpy()[1:, :2], short_out.numpy(), rtol=1e-5)


def test_a_loop_without_steps_is_refused():
    with pytest.raises(InvalidArgumentError, match="without steps"):
        nn.RNN(nn.GRUCell(3, 4))(paddle.ones([2, 0, 3]))


def test_states_of_both_directions_come_in_a_pair():
    both = nn.BiRNN(nn.GRUCell(3, 4), nn.GRUCell(3, 4))
    with pytest.raises(AssertionError, match="should be 2 when it is a list/tuple, but it is 1"):
        both(random(1, 2, 3), [random(1, 4)])


def test_sizes_of_cells_are_checked():
    with pytest.raises(InvalidArgumentError, match="must be greater than 0, but now equals to 0"):
        nn.LSTMCell(3, 0)
    with pytest.raises(InvalidArgumentError, match="must not be negative, but received -1"):
        nn.LSTMCell(3, 4, proj_size=-1)
    with pytest.raises(InvalidArgumentError, match="should be tanh or relu, but get gelu"):
        nn.SimpleRNNCell(3, 4, "gelu")


def test_structures_keep_their_form():
    tree = {"b": [1, (2, 3)], "a": 4}
    assert flatten(tree) == [4, 1, 2, 3]
    assert map_structure(lambda x, y: x + y, tree, tree) == {"b": [2, (4, 6)], "a": 8}
    with pytest.raises(InvalidArgumentError, match="equally many tensors, but they have 4, 1"):
        map_structure(lambda x, y: x, tree, [1])
