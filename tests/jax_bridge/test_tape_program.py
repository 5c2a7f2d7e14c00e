"""tape_to_jaxpr: the recorded backward as a program has the results of backward()."""

import os
import re

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from hypothesis import event, given, settings

import jaxeager as paddle
from jaxeager.errors import (
    FatalError,
    InvalidArgumentError,
    NotFoundError,
    PermissionDeniedError,
    UnimplementedError,
)
from tests.support.examples import examples
from tests.support.leaves import leaf64
from tests.support.programs import plans, run_eager, seed_values
from tests.support.py_layers import Cube

CLOSE = {"rtol": 1e-9, "atol": 1e-12}  # float64, fused by XLA in another way
HAS_TIERS = os.environ.get("JAXEAGER_TEST_XLA") == "full"  # FLAGS_kernel_tiers


def assert_as_backward(tape, leaves, run):
    """Assert that the program has the gradients of backward to the bit; jitted, within some ulps.

    With the default settings, kernels of few elements skip some XLA passes and may differ more.
    """
    found, jitted = tape.backward(), jax.jit(tape.backward)(tape.arguments)
    run()
    reached = [leaf for leaf in leaves if leaf.grad is not None]
    assert {tape.name_of(leaf) for leaf in reached} == set(tape.results)
    for leaf in reached:
        name = tape.name_of(leaf)
        bounds = CLOSE if HAS_TIERS else {"rtol": 0.0}
        np.testing.assert_allclose(found[name], leaf.grad.numpy(), strict=True, **bounds)
        np.testing.assert_allclose(jitted[name], leaf.grad.numpy(), **CLOSE)


# ---- random programs: in place, split and concat, detach, several roots


@settings(max_examples=examples(15, 40))
@given(plans())
def test_random_programs(plan):
    tensors = run_eager(plan)
    roots = [tensors[i] for i in plan.roots]
    if all(root.is_leaf for root in roots):
        return
    seeds = [paddle.to_tensor(seed) for seed in seed_values(plan)]
    if plan.stale:
        event("a saved tensor was written")
        with pytest.raises(PermissionDeniedError, match="modified by an inplace operation"):
            paddle.tape_to_jaxpr(roots, seeds)
        return
    tape = paddle.tape_to_jaxpr(roots, seeds)
    leaves = [each for each in tensors if each.is_leaf and not each.stop_gradient]
    known = {tape.name_of(leaf): leaf._array for leaf in leaves if is_in(tape, leaf)}
    if not tape.missing:
        event("forward can be run again")
        again = tape.forward(known)
        for name in set(again) & set(tape.arguments):
            np.testing.assert_allclose(again[name], tape.arguments[name], **CLOSE)
    assert_as_backward(
        tape, leaves, lambda: paddle.autograd.backward(roots, seeds, retain_graph=True)
    )


def is_in(tape, leaf):
    """Return whether the leaf gets a gradient from the tape."""
    try:
        tape.name_of(leaf)
    except NotFoundError:
        return False
    return True


# ---- layers


def test_a_net_with_a_view_that_was_written():
    paddle.seed(3)
    net = paddle.nn.Sequential(
        paddle.nn.Conv2D(1, 2, 3), paddle.nn.BatchNorm2D(2), paddle.nn.ReLU(), paddle.nn.Flatten(),
        paddle.nn.Linear(8, 3),
    ).astype("float64")  # fmt: skip
    x = leaf64(np.random.default_rng(0).normal(size=(2, 1, 4, 4)), name="x")
    h = net(x)
    part = h[:, 0]
    part.scale_(2.0)
    loss = paddle.nn.functional.cross_entropy(h, paddle.to_tensor([0, 2]))
    tape = paddle.tape_to_jaxpr(loss)
    leaves = [x, *net.parameters()]
    assert_as_backward(tape, leaves, lambda: loss.backward(retain_graph=True))


def test_gradients_for_other_leaves():
    w, x = leaf64([[1.0, 2.0], [0.5, -1.0]], name="w"), leaf64([[0.3, 0.7]], name="x")
    b = leaf64([0.1, 0.2], name="b")

    def loss_of(w, x, b):
        return (paddle.nn.functional.sigmoid(x @ w + b) * x).sum()

    tape = paddle.tape_to_jaxpr(loss_of(w, x, b))
    assert tape.missing == ()
    others = {"w": w._array * 3, "x": x._array - 1, "b": b._array + 2}
    found = jax.jit(tape.gradients)(others)
    expected = jax.grad(
        lambda v: jnp.sum(jax.nn.sigmoid(v["x"] @ v["w"] + v["b"]) * v["x"])
    )(others)  # fmt: skip
    for name in others:
        np.testing.assert_allclose(found[name], expected[name], rtol=1e-12)
    twice = jax.jit(tape.gradients)(others, jnp.asarray(2.0))
    np.testing.assert_allclose(twice["w"], 2 * np.asarray(expected["w"]), rtol=1e-12)
    with pytest.raises(NotFoundError, match=r"does not need the value of b.*pass it"):
        tape.gradients({"w": others["w"]})
    with pytest.raises(NotFoundError, match="no leaf 'v'; it has"):
        tape.gradients({"v": others["w"]})


def test_data_that_the_tape_lacks_is_reported():
    x = leaf64([1.0, 2.0], name="x")
    tape = paddle.tape_to_jaxpr((x + paddle.ones([2], "float64")).sum())
    assert len(tape.missing) == 1
    assert re.match("AddGradNode.*: its operand y gets no gradient", tape.missing[0])
    with pytest.raises(InvalidArgumentError, match=r"does not determine how(.|\n)*AddGradNode"):
        tape.gradients({"x": x._array})


def test_a_leaf_of_two_values():
    x = leaf64([1.0, 2.0], name="x")
    first = (x * x).sum()
    x.set_value(paddle.to_tensor([3.0, 4.0], "float64"))
    second = (x * x).sum()
    tape = paddle.tape_to_jaxpr(first + second)
    assert [name for name in tape.arguments if name.startswith("x")] == ["x", "x@2"]
    assert "x had 2 values" in tape.missing[0]
    assert tape.backward()["x"].tolist() == [8.0, 12.0]


# ---- Python code


def test_py_layers_and_jax_functions():
    x = leaf64([1.0, 2.0], name="x")
    once = paddle.autograd.from_jax(jnp.sin, name="sine")
    kept = paddle.autograd.from_jax(jnp.cos, name="cosine", recompute=False)
    loss = kept(once(Cube.apply(x))).sum()
    tape = paddle.tape_to_jaxpr(loss)
    assert [step.name for step in tape.steps] == [
        "SumGradNode", "GradNodeJax_cosine", "GradNodeJax_sine", "GradNodePyLayer_Cube",
    ]  # fmt: skip
    other = jax.grad(lambda v: jnp.sum(jnp.cos(jnp.sin(v**3))))
    arguments = dict(tape.arguments)
    assert_as_backward(tape, [x], lambda: loss.backward(retain_graph=True))
    np.testing.assert_allclose(tape.backward()["x"], other(x._array), rtol=1e-12)
    # the tensor that the PyLayer saved is an argument, and still exists
    assert jnp.all(tape.backward({**arguments, "x": x._array * 0})["x"] == 0)
    x.clear_grad()
    loss.backward()
    np.testing.assert_allclose(x.grad.numpy(), other(x._array), rtol=1e-12)


def test_a_program_of_to_static_is_one_step():
    paddle.seed(2)
    net = paddle.nn.Sequential(
        paddle.nn.Linear(3, 4), paddle.nn.Tanh(), paddle.nn.Linear(4, 1)
    ).astype("float64")
    compiled = paddle.jit.to_static(net, full_graph=True)
    x = leaf64(np.random.default_rng(1).normal(size=(2, 3)), name="x")
    loss = (compiled(x) ** 2).sum()
    tape = paddle.tape_to_jaxpr(loss)
    assert [step.name for step in tape.steps] == ["SumGradNode", "PowGradNode", "Dy2StGradNode"]
    assert "its forward is not an op" in tape.missing[0]
    assert len(tape.arguments) == len(set(map(id, tape.arguments.values())))
    assert_as_backward(tape, [x, *net.parameters()], lambda: loss.backward(retain_graph=True))


def double(grad):
    """Return a hook."""
    return grad * 2


def test_hooks_are_named():
    x = leaf64([1.0, 2.0], name="x")
    y = x * x
    y.register_hook(double)
    y.retain_grads()
    y.grad_fn._register_post_hook(lambda made, taken: [made[0] + 1, made[1]])
    x.register_hook(double)
    loss = y.sum()
    tape = paddle.tape_to_jaxpr(loss)
    names = [step.name for step in tape.steps]
    assert names == [
        "SumGradNode", "hooks_before MultiplyGradNode", "MultiplyGradNode",
        "hooks_after MultiplyGradNode", "sum", "hooks_before grad of x",
    ]  # fmt: skip
    assert "double at test_tape_program.py:" in str(tape)
    assert y.grad is None
    assert_as_backward(tape, [x], lambda: loss.backward(retain_graph=True))


def reads(grad):
    """Read values in a hook."""
    return grad if float(grad.sum()) > 0 else grad * 0


def test_a_hook_that_cannot_be_traced():
    x = leaf64([1.0, 2.0], name="x")
    y = x * x
    y.register_hook(reads)
    line = reads.__code__.co_firstlineno
    with pytest.raises(
        UnimplementedError, match=rf"reads at test_tape_program.py:{line}\) cannot be captured"
    ):
        paddle.tape_to_jaxpr(y.sum())
    seen = paddle.zeros([2], "float64")
    z = x * 3
    z.register_hook(lambda grad: seen.set_value(grad))
    with pytest.raises(UnimplementedError, match="writes into"):
        paddle.tape_to_jaxpr(z.sum())
    assert seen.tolist() == [0.0, 0.0]
    z.sum().backward()
    assert seen.tolist() == [1.0, 1.0]


# ---- orders, errors, text


def test_gradients_of_gradients():
    x = leaf64([1.0, 2.0], name="x")
    (dx,) = paddle.grad((x * x * x).sum(), x, create_graph=True)
    loss = (dx * dx).sum()
    tape = paddle.tape_to_jaxpr(loss)
    assert any("MultiplyDoubleGradNode" in step.name or "Grad" in step.name for step in tape.steps)
    assert_as_backward(tape, [x], lambda: loss.backward(retain_graph=True))
    np.testing.assert_allclose(x.grad.numpy(), 36 * np.array([1.0, 8.0]), rtol=1e-12)


def test_errors():
    x = leaf64([1.0, 2.0], name="x")
    with pytest.raises(InvalidArgumentError, match="no recorded op made this one"):
        paddle.tape_to_jaxpr(x)
    loss = (x * x).sum()
    tape = paddle.tape_to_jaxpr(loss)
    with pytest.raises(NotFoundError, match="no argument 'y'; it has grad of loss, x"):
        tape.backward({"y": x._array})
    with pytest.raises(InvalidArgumentError, match=r"with x of shape \[2\], but got \[3\]"):
        tape.backward({"x": jnp.zeros(3)})
    assert tape.backward({"grad of loss": 3})["x"].tolist() == [6.0, 12.0]
    with pytest.raises(NotFoundError, match="The tape has no gradient for the tensor other"):
        tape.name_of(leaf64([1.0], name="other"))
    loss.backward()
    with pytest.raises(FatalError, match="do not exist"):
        paddle.tape_to_jaxpr(loss)
    assert tape.backward()["x"].tolist() == [2.0, 4.0]  # it holds the tensors it needs


def test_lines_stand_in_the_program():
    paddle.set_flags({"FLAGS_call_stack_level": 3})
    try:
        x = leaf64([1.0, 2.0], name="x")
        loss = paddle.tanh(x).sum()
    finally:
        paddle.set_flags({"FLAGS_call_stack_level": 1})
    tape = paddle.tape_to_jaxpr(loss)
    assert re.search(r"# test_tape_program.py:\d+: dx = dout \* \(1 - conj\(out\)\^2\)", str(tape))
    assert re.search(r"name=TanhGradNode at test_tape_program.py:\d+", str(tape.jaxpr))
