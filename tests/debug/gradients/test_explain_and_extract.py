"""debug.explain: the chain rule with numbers; debug.extract: one gradient as a program."""

import subprocess
import sys

import jax.numpy as jnp
import numpy as np
import pytest

import jaxeager as paddle
from jaxeager import debug
from jaxeager.autograd import from_jax
from jaxeager.errors import FatalError, InvalidArgumentError, NotFoundError, UnimplementedError
from tests.support.leaves import leaf
from tests.support.py_layers import Double


def test_every_number_is_that_of_backward():
    x, w = leaf([1.0, -2.0], name="x"), leaf([0.5, 3.0], name="w")
    loss = (paddle.tanh(x * w) + x).sum()
    text = debug.explain(loss)
    assert (x.grad, w.grad) == (None, None)
    loss.backward()
    for t in (x, w):
        numbers = " ".join(f"{v:.4g}" for v in t.grad.tolist())
        assert f"{t.name}.grad = float32[2] [{numbers}]" in text
    assert "TanhGradNode: dx = dout * " in text
    assert text.index("SumGradNode") < text.index("TanhGradNode") < text.index("MultiplyGradNode")


def test_lists_layers_and_no_graph():
    x = leaf([1.0, 2.0], name="x")
    text = debug.explain(paddle.concat([Double.apply(x), x * 3]).sum())
    text = text.replace("  = ", " = ")
    assert "GradNodePyLayer_Double\n  dout = float32[2] [1 1]\n  dx0 = float32[2] [2 2]" in text
    assert "dx0 = float32[2] [1 1]\n  dx1 = float32[2] [1 1]" in text
    assert "x.grad = float32[2] [5 5], from 2 parts" in text
    with pytest.raises(InvalidArgumentError, match="no recorded op made this one"):
        debug.explain(x)


def runs(path):
    return subprocess.run(
        [sys.executable, "-I", str(path)], capture_output=True, text=True, timeout=300
    )


def test_the_file_runs_with_jax_alone(tmp_path):
    """It does not name the package, has the same bits, and fails when the kernel differs."""
    x, w = leaf(np.linspace(-1, 1, 6).reshape(2, 3), name="x"), leaf(np.ones([3, 2]), name="w")
    with debug.capture_step() as step:
        loss = paddle.tanh(paddle.matmul(x, w)).sum()
        loss.backward(retain_graph=True)
    node = loss.grad_fn.edges[0].node.edges[0].node
    script, vjp, forward = debug.extract(node, tmp_path, step=step)
    assert "dot_general" in vjp.read_text()
    assert "dot_general" in forward.read_text()
    text = script.read_text()
    assert "import jaxeager" not in text
    assert "at test_explain_and_extract.py:" in text
    result = runs(script)
    assert result.returncode == 0, result.stderr
    assert result.stdout.endswith("the same\n")
    assert result.stdout.count("gradient ") == 2
    # another number among its results: the script must report it
    lines = text.splitlines()
    at = next(n for n, line in enumerate(lines) if line.startswith("GAVE"))
    lines[at + 1] = lines[at + 2].replace("[3, 2]", "[2, 3]")
    (tmp_path / "wrong.py").write_text("\n".join(lines))
    assert runs(tmp_path / "wrong.py").returncode == 1


@pytest.mark.parametrize(
    "program",
    [
        lambda x: paddle.nn.functional.layer_norm(x, [4]),
        lambda x: from_jax(lambda v: jnp.sin(v) * v, recompute=True)(x),
        # a gradient that is missing is zeros
        pytest.param(lambda x: paddle.split(x, 2, axis=1)[1], marks=pytest.mark.deep),
        pytest.param(lambda x: x.astype("bfloat16") * 3, marks=pytest.mark.deep),
        pytest.param(lambda x: paddle.where(x > 0, x, x * 2), marks=pytest.mark.deep),
    ],
    ids=["layer_norm", "from_jax", "split", "bfloat16", "where"],
)
def test_of_other_kinds_of_nodes(program, tmp_path):
    x = leaf(np.linspace(-1, 1, 8).reshape(2, 4), name="x")
    y = program(x)
    script, _ = debug.extract(y.grad_fn, tmp_path, loss=(y * y).sum())
    result = runs(script)
    assert result.returncode == 0, result.stdout + result.stderr


def test_given_gradients_and_what_is_refused(tmp_path):
    x = leaf([1.0, 2.0], name="x")
    y = paddle.exp(x)
    with pytest.raises(InvalidArgumentError, match="give loss"):
        debug.extract(y.grad_fn, tmp_path)
    with pytest.raises(InvalidArgumentError, match="takes 1 gradients, but got 2"):
        debug.extract(y.grad_fn, tmp_path, grads=[y, y])
    with pytest.raises(NotFoundError, match="not in the graph of the loss"):
        debug.extract(y.grad_fn, tmp_path, loss=(x * 2).sum())
    assert len(debug.extract(y.grad_fn, tmp_path / "made", grads=y)) == 2

    class Same(paddle.autograd.PyLayer):
        @staticmethod
        def forward(ctx, x):
            return x * 1

        @staticmethod
        def backward(ctx, dy):
            return dy

    z = Same.apply(x)
    with pytest.raises(UnimplementedError, match="its backward is Python"):
        debug.extract(z.grad_fn, tmp_path, grads=z)
    y.sum().backward()
    with pytest.raises(FatalError, match="backward twice"):
        debug.extract(y.grad_fn, tmp_path, grads=y)
