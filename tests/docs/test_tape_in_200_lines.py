"""docs/tape_in_200_lines.py: gradients are those of jax.grad, nodes those of the library."""

import importlib.util
import subprocess
import sys
from pathlib import Path

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import jaxeager as paddle

FILE = Path(__file__).resolve().parents[2] / "docs" / "tape_in_200_lines.py"


@pytest.fixture(scope="module")
def tape():
    """Return the file as a module."""
    spec = importlib.util.spec_from_file_location("tape_in_200_lines", FILE)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def _tensor(tape, values, stop_gradient=False):
    return tape.Tensor(jnp.asarray(values, "float32"), stop_gradient)


def test_the_file_runs_and_prints_its_derivatives():
    done = subprocess.run([sys.executable, str(FILE)], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert "y' = [0.75]  y'' = [3.]" in done.stdout


def test_gradients_are_those_of_jax(tape):
    x, w = np.linspace(-1, 1, 6).reshape(2, 3), np.linspace(0.1, 0.7, 6).reshape(3, 2)

    def plain(x, w):
        h = jnp.tanh(x @ w)
        return jnp.sum(h * h + h)

    tensors = [_tensor(tape, x), _tensor(tape, w)]
    h = tape.call(tape.TANH, tensors[0] @ tensors[1])
    tape.backward(tape.call(tape.SUM, h * h + h))
    wanted = jax.grad(plain, (0, 1))(jnp.asarray(x, "float32"), jnp.asarray(w, "float32"))
    for tensor, grad in zip(tensors, wanted, strict=True):
        np.testing.assert_allclose(tensor.grad.array, grad, rtol=1e-6)


def test_a_diamond_is_walked_once_per_node(tape):
    x = _tensor(tape, [1.5])
    y = x
    for _ in range(40):  # 2^40 paths
        y = y + y
    runs = []
    y.edge.node.hooks.append(lambda grads: runs.append(grads))
    tape.backward(y)
    assert x.grad.array.tolist() == [2.0**40]
    assert len(runs) == 1


def test_higher_orders(tape):
    x = _tensor(tape, [0.5])
    y = tape.call(tape.TANH, x)
    wanted = jnp.tanh
    for _ in range(3):
        tape.backward(y, create_graph=True)
        y, x.grad = x.grad, None
        wanted = jax.grad(lambda v, f=wanted: f(v).sum())
        np.testing.assert_allclose(y.array, wanted(x.array), rtol=1e-5)


def _names_here(tape):
    """Return the names of the nodes behind a loss, in the order in which the edges lead to them."""
    x, w = _tensor(tape, np.ones((2, 3)), True), _tensor(tape, np.ones((3, 2)))
    loss = tape.call(tape.SUM, tape.call(tape.TANH, x @ w) + w.__class__(jnp.ones((2, 2))))
    names, nodes = [], [loss.edge.node]
    for node in nodes:
        names.append(node.name())
        nodes += [edge.node for edge in node.edges if edge is not None]
    return names


def test_the_nodes_have_the_names_of_the_library(tape):
    x, w = paddle.ones([2, 3]), paddle.ones([3, 2])
    w.stop_gradient = False
    loss = (paddle.tanh(x @ w) + paddle.ones([2, 2])).sum()
    names = [node.name() for node in paddle.debug.walk_backward_graph(loss).nodes]
    assert names == _names_here(tape)
    assert names[-1] == "GradNodeAccumulation"


def test_a_write_is_recorded_and_moves_the_version(tape):
    x = _tensor(tape, [2.0])
    y = x * x
    tape.add_(y, x)
    tape.backward(tape.call(tape.SUM, y))
    assert x.grad.array.tolist() == [5.0]
    assert y.version == 1


def test_a_saved_tensor_that_was_written_to_is_refused(tape):
    x = _tensor(tape, [2.0])
    y = x * x
    z = tape.call(tape.TANH, y)
    tape.add_(y, x)
    with pytest.raises(RuntimeError, match="TanhGradNode saved a tensor of version 0"):
        tape.backward(z)
    with pytest.raises(RuntimeError, match="leaf"):
        tape.add_(x, x)


def test_a_graph_is_released_unless_it_is_retained(tape):
    x = _tensor(tape, [2.0])
    y = x * x
    tape.backward(y, retain_graph=True)
    tape.backward(y)
    assert x.grad.array.tolist() == [8.0]
    with pytest.raises(RuntimeError, match="retain_graph=True"):
        tape.backward(y)


def test_several_outputs_have_slots(tape):
    split = tape.Op("split", lambda x: tuple(jnp.split(x, 2)))
    x = _tensor(tape, [1.0, 2.0, 3.0, 4.0])
    _, second = tape.call(split, x)
    tape.backward(tape.call(tape.SUM, second * second))
    assert x.grad.array.tolist() == [0.0, 0.0, 6.0, 8.0]


def test_nothing_is_recorded_where_no_gradient_is_wanted(tape):
    x = _tensor(tape, [1.0], stop_gradient=True)
    assert (x * x).edge is None
    with pytest.raises(RuntimeError, match="stop_gradient=True"):
        tape.backward(x * x)


def test_hooks_change_gradients(tape):
    x = _tensor(tape, [3.0])
    y = x * x
    y.edge.node.hooks.append(lambda grads: [tape.Tensor(grads[0].array * 10)])
    tape.backward(y)
    assert x.grad.array.tolist() == [60.0]
