"""Gradients of some rows in steps: refusals, and that every way to run has the same result.

That the numbers are Paddle's is in tests/parity/programs/sparse_gradients.py.
"""

import numpy as np
import pytest

import jaxeager as paddle
from jaxeager.errors import UnimplementedError
from jaxeager.nn import functional as F

BATCHES = ([1, 2], [3, 0], [2, 1], [1, 1], [0, 2], [3, 3])
TABLE = ((np.arange(8).reshape(4, 2) * 7) % 5 + 1).astype("float32") / 8


def table():
    return paddle.nn.Parameter(paddle.to_tensor(TABLE))


def lazy_adam(weight, **options):
    return paddle.optimizer.Adam(0.125, parameters=[weight], lazy_mode=True, **options)


def look_up(weight, ids):
    rows = F.embedding(ids, weight, sparse=True)
    return (rows * rows).sum()


def trained(step, weight):
    for ids in BATCHES:
        step(paddle.to_tensor(ids))
    return weight.numpy()


def whole_step(weight, adam):
    def step(ids):
        loss = look_up(weight, ids)
        loss.backward()
        adam.step()
        adam.clear_grad()
        return loss

    return step


def cleared_first(weight, adam):
    def step(ids):
        adam.clear_grad()
        loss = look_up(weight, ids)
        loss.backward()
        adam.step()
        return loss

    return step


@pytest.fixture(scope="module")
def eager():
    """Return the table after eager steps of a lazy Adam."""
    weight = table()
    return trained(whole_step(weight, lazy_adam(weight)), weight)


def test_lazy_adam_leaves_rows_that_did_not_come():
    """Row 1 is unchanged after its batch, and the row that never occurs is unchanged."""
    weight = table()
    step = whole_step(weight, lazy_adam(weight))
    step(paddle.to_tensor([1, 2]))
    after_first = weight.numpy()[1]
    step(paddle.to_tensor([0]))
    step(paddle.to_tensor([2]))
    np.testing.assert_array_equal(weight.numpy()[[1, 3]], [after_first, TABLE[3]])


@pytest.mark.parametrize("full_graph", [False, True])
@pytest.mark.parametrize("make", [whole_step, cleared_first])
def test_marked_steps(make, full_graph, eager):
    """A marked step has the results of the same lines op by op, and leaves the same gradient."""
    weight = table()
    step = paddle.jit.to_static(make(weight, lazy_adam(weight)), full_graph=full_graph)
    # A program that XLA compiles as one may fuse a product with a sum, which rounds once.
    np.testing.assert_allclose(trained(step, weight), eager, rtol=0, atol=1e-6)
    assert (weight.grad is None) == (make is whole_step)
    if make is cleared_first:
        assert weight.grad.rows() == ([3] if full_graph else [3, 3])  # a program merges them


@pytest.mark.parametrize("backward_inside", [False, True])
def test_marked_functions_hand_rows_on(backward_inside, eager):
    """The optimizer outside knows the rows that a program looks up."""
    weight = table()
    adam = lazy_adam(weight)

    @paddle.jit.to_static(full_graph=True)
    def loss_of(ids):
        loss = look_up(weight, ids)
        if backward_inside:
            loss.backward()
        return loss

    def step(ids):
        loss = loss_of(ids)
        if not backward_inside:
            loss.backward()
        adam.step()
        adam.clear_grad()

    # The program returns the whole gradient and a mask: another executable, rounded differently.
    np.testing.assert_allclose(trained(step, weight), eager, rtol=1e-6)


def test_a_program_refuses_to_add_to_rows_of_before():
    """Op by op it adds up; a whole program raises an error with the solution."""
    weight = table()

    def backward(ids):
        look_up(weight, ids).backward()

    backward(paddle.to_tensor([1]))
    with pytest.raises(
        UnimplementedError, match=r"gradient of some rows .* existed before the call"
    ):
        paddle.jit.to_static(backward, full_graph=True)(paddle.to_tensor([2]))
    assert weight.grad.rows() == [1]
    paddle.jit.to_static(backward)(paddle.to_tensor([2]))
    assert weight.grad.rows() == [1, 2]


def test_a_scaled_loss(eager):
    """A GradScaler divides the gradient, which stays one of some rows; an overflow is skipped."""
    weight = table()
    adam = lazy_adam(weight)
    scaler = paddle.amp.GradScaler(init_loss_scaling=1024.0, use_dynamic_loss_scaling=False)

    def step(ids):
        scaler.scale(look_up(weight, ids)).backward()
        scaler.step(adam)
        scaler.update()
        adam.clear_grad()

    # Lazy mode compiles a step as one executable, which rounds less: sums of terms of 0.5 differ.
    np.testing.assert_allclose(trained(step, weight), eager, rtol=1e-6, atol=2e-7)
    rows = F.embedding(paddle.to_tensor([1]), weight, sparse=True)
    scaler.scale((rows * np.inf).sum()).backward()
    before = weight.numpy()
    scaler.step(adam)
    np.testing.assert_array_equal(weight.numpy(), before)


def test_two_gradients_that_are_added_up():
    """The result has both their rows; with a dense one in between it has all."""
    weight = table()
    adam = lazy_adam(weight)
    for ids in ([1], [3]):
        look_up(weight, paddle.to_tensor(ids)).backward()
    adam.step()
    moved = weight.numpy() != TABLE
    assert moved.all(axis=1).tolist() == [False, True, False, True]
    (weight * weight).sum().backward()
    assert not weight.grad.is_selected_rows()
    adam.step()
    assert (weight.numpy() != TABLE).all()


def test_half_precision_with_master_weights():
    """The master copies of absent rows stay, too."""
    weight = paddle.nn.Parameter(paddle.to_tensor(TABLE).astype("bfloat16"))
    adam = lazy_adam(weight, multi_precision=True)
    look_up(weight, paddle.to_tensor([1])).backward()
    assert weight.grad.dtype == paddle.bfloat16
    adam.step()
    (master,) = adam.state_dict()["master_weights"].values()
    assert (master.numpy() != TABLE).all(axis=1).tolist() == [False, True, False, False]


REFUSED = ("AdamW", "Adamax", "Adadelta", "NAdam", "RAdam", "ASGD")


@pytest.mark.parametrize("name", REFUSED)
def test_optimizers_without_a_rule_for_it(name):
    """They refuse it, as in Paddle, and nothing has changed."""
    weight = table()
    optimizer = getattr(paddle.optimizer, name)(0.125, parameters=[weight])
    look_up(weight, paddle.to_tensor([1])).backward()
    with pytest.raises(UnimplementedError, match=f"{name} does not take a gradient of some rows"):
        optimizer.step()
    np.testing.assert_array_equal(weight.numpy(), TABLE)


def test_lbfgs_refuses_it():
    """Its history is of whole gradients."""
    weight = table()
    lbfgs = paddle.optimizer.LBFGS(parameters=[weight])

    def closure():
        lbfgs.clear_grad()
        loss = look_up(weight, paddle.to_tensor([1]))
        loss.backward()
        return loss

    with pytest.raises(UnimplementedError, match="SelectedRows"):
        lbfgs.step(closure)


def test_clipping_by_value_refuses_it():
    """A minimum above 0 would move absent rows."""
    weight = table()
    clip = paddle.nn.ClipGradByValue(0.5)
    sgd = paddle.optimizer.SGD(0.125, parameters=[weight], grad_clip=clip)
    look_up(weight, paddle.to_tensor([1])).backward()
    with pytest.raises(UnimplementedError, match="ClipGradByValue cannot clip"):
        sgd.step()
    with pytest.raises(UnimplementedError, match="ClipGradByValue cannot clip"):
        clip([(weight, weight.grad)])
    np.testing.assert_array_equal(weight.numpy(), TABLE)


def test_clipping_by_hand_keeps_the_rows():
    """The result of a clipping object has the same rows."""
    weight = table()
    look_up(weight, paddle.to_tensor([1, 1])).backward()
    ((_, clipped),) = paddle.nn.ClipGradByNorm(0.5)([(weight, weight.grad)])
    assert clipped.rows() == [1]
    assert np.linalg.norm(clipped.numpy()) == pytest.approx(0.5)


OPTIMIZERS = {
    "sgd": lambda **given: paddle.optimizer.SGD(0.125, **given),
    "momentum": lambda **given: paddle.optimizer.Momentum(0.125, **given),
    "adam": lambda **given: paddle.optimizer.Adam(0.125, **given),
    "lazy adam": lambda **given: paddle.optimizer.Adam(0.125, lazy_mode=True, **given),
}


@pytest.mark.parametrize("make", OPTIMIZERS.values(), ids=OPTIMIZERS)
@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_a_norm_that_is_no_number_leaves_the_rows_that_did_not_come(make, bad):
    """The scale is NaN or 0, and Paddle multiplies only the present rows by it."""
    weight = table()
    clip = paddle.nn.ClipGradByGlobalNorm(1.0)
    optimizer = make(parameters=[weight], grad_clip=clip)
    (F.embedding(paddle.to_tensor([1, 2]), weight, sparse=True) * bad).sum().backward()
    ((_, clipped),) = clip([(weight, weight.grad)])
    np.testing.assert_array_equal(clipped.to_dense()[0].numpy(), 0)
    optimizer.step()
    np.testing.assert_array_equal(weight.numpy()[[0, 3]], TABLE[[0, 3]])
    assert np.isnan(weight.numpy()[1:3]).all()


@pytest.mark.parametrize("make", OPTIMIZERS.values(), ids=OPTIMIZERS)
@pytest.mark.parametrize("shape", [(0,), (1, 0)])
@pytest.mark.parametrize("times", [1, 2])
def test_a_gradient_of_no_rows_is_no_step(make, shape, times):
    """As in Paddle (where SGD dies of it): no moment decays, no power advances."""

    def trained_on(batches):
        weight = table()
        optimizer = make(parameters=[weight])
        for batch in batches:
            for ids in batch:
                look_up(weight, paddle.to_tensor(ids)).backward()
            optimizer.step()
            optimizer.clear_grad()
        return weight.numpy()

    empty = [np.zeros(shape, "int64")] * times
    some, other = [np.array([1, 2])], [np.array([0, 2])]
    np.testing.assert_array_equal(trained_on([some, empty, other]), trained_on([some, other]))


def test_no_other_op_takes_it():
    """The choice between these rows and all rows must be explicit."""
    weight = table()
    look_up(weight, paddle.to_tensor([1, 1])).backward()
    for call in (paddle.sum, paddle.linalg.norm, lambda grad: grad + grad):
        with pytest.raises(UnimplementedError, match=r"pass grad.to_dense\(\)"):
            call(weight.grad)
    assert weight.grad.to_dense().sum().item() == pytest.approx(4 * TABLE[1].sum())


def test_both_options_do_not_go_together():
    """As in Paddle, the error is an AttributeError."""
    with pytest.raises(AttributeError, match="scale_grad_by_freq"):
        F.embedding(paddle.to_tensor([1]), table(), sparse=True, scale_grad_by_freq=True)


@pytest.mark.parametrize("name", ["capture_step", "ledger", "record"])
def test_tools_look_at_it(name, eager):
    """A tool sees the dense gradient, and changes nothing."""
    weight = table()
    with getattr(paddle.debug, name)():
        result = trained(whole_step(weight, lazy_adam(weight)), weight)
    np.testing.assert_array_equal(result, eager)


def test_logs_and_dumps_and_checks_of_numbers(tmp_path, capfd):
    """The verbose log, a dump of the graph and FLAGS_check_nan_inf read it."""
    weight = table()
    core = paddle.base.core
    paddle.set_flags({"FLAGS_check_nan_inf": True})
    core.set_vlog_level({"*": 6})
    try:
        look_up(weight, paddle.to_tensor([1])).backward(dump_backward_graph_path=str(tmp_path))
    finally:
        core.set_vlog_level({"*": 0})
        paddle.set_flags({"FLAGS_check_nan_inf": False})
    assert "EmbeddingGradNode" in capfd.readouterr().err
    assert weight.grad.rows() == [1]


@pytest.mark.parametrize("kind", ["LookAhead", "ModelAverage"])
def test_optimizers_around_others(kind):
    """Optimizers that read no gradient accept each of them."""
    weight = table()
    sgd = paddle.optimizer.SGD(0.125, parameters=[weight])
    if kind == "LookAhead":
        outer = paddle.incubate.optimizer.LookAhead(sgd, 0.5, 2)
    else:
        outer = paddle.incubate.optimizer.ModelAverage(0.15, parameters=[weight])
    for ids in ([1], [2]):
        look_up(weight, paddle.to_tensor(ids)).backward()
        if kind == "ModelAverage":
            sgd.step()
        outer.step()
        sgd.clear_grad()
    assert (weight.numpy() != TABLE).all(axis=1).tolist() == [False, True, True, False]


def test_recomputed_rows():
    """A part that runs again in backward passes them on."""
    layer = paddle.nn.Embedding(4, 2, sparse=True)
    recompute = paddle.distributed.fleet.utils.recompute
    recompute(lambda ids: layer(ids) * 2, paddle.to_tensor([1, 2])).sum().backward()
    assert layer.weight.grad.rows() == [1, 2]


def test_a_gradient_of_rows_is_on_no_mesh():
    weight = table()
    look_up(weight, paddle.to_tensor([1])).backward()
    assert not weight.grad.is_dist()
