"""Whole steps in the memory of the tensors they replace: jit/programs/donated.py."""

import gc
import threading

import numpy as np
import pytest

import jaxeager as paddle
from jaxeager.jit.programs.program import Program
from tests.support.here import only_on_a_cpu
from tests.support.interrupts import interrupted_at, places_in

nn = paddle.nn


def made(optimizer=paddle.optimizer.Adam):
    """Return a model, an optimizer and the marked step of both."""
    paddle.seed(0)
    # No gradient is zero but for a rounding, which Adam would make a step of: the bias of a Linear
    # before a BatchNorm has such a gradient.
    model = nn.Sequential(nn.Linear(4, 8, bias_attr=False), nn.BatchNorm1D(8), nn.Linear(8, 2))
    rule = optimizer(0.1, parameters=model.parameters())

    def step(x):
        loss = ((model(x) - x[:, 1:3] - 1) ** 2).mean()
        loss.backward()
        rule.step()
        rule.clear_grad()
        return loss

    return model, rule, step, paddle.jit.to_static(step, full_graph=True)


def batch():
    return paddle.to_tensor(np.random.default_rng(2).standard_normal((6, 4)).astype("float32"))


def programs():
    """Return the existing programs that donate; one whose capture failed was never created."""
    found = [each for each in gc.get_objects() if type(each) is Program]
    return [each for each in found if getattr(each, "donated", None)]


def values(model):
    return {name: tensor.numpy().copy() for name, tensor in model.state_dict().items()}


@pytest.mark.single_calls
def test_written_tensors_keep_their_memory():
    model, rule, _, step = made()
    for _ in range(3):
        step(batch())
    tensors = [*model.state_dict().values(), *rule.state_dict().values()]
    tensors = [each for each in tensors if isinstance(each, paddle.Tensor)]
    assert len(tensors) > 18  # moments, too
    before = {each._array.unsafe_buffer_pointer() for each in tensors}
    step(batch())
    assert {each._array.unsafe_buffer_pointer() for each in tensors} == before


@pytest.mark.parametrize("optimizer", [paddle.optimizer.Adam, paddle.optimizer.SGD])
def test_the_numbers_are_those_of_the_step_op_by_op(optimizer):
    model, _, plain, _ = made(optimizer)
    twin, _, _, step = made(optimizer)
    for _ in range(4):
        assert step(batch()).item() == pytest.approx(plain(batch()).item(), rel=1e-5)
    for name, value in values(model).items():
        np.testing.assert_allclose(values(twin)[name], value, rtol=1e-4, atol=1e-5, err_msg=name)


def test_versions_are_numbers_that_move_as_without():
    model, _, plain, _ = made()
    twin, _, _, step = made()
    for _ in range(3):
        plain(batch())
        step(batch())
    for one, other in zip(twin.state_dict().values(), model.state_dict().values(), strict=True):
        assert type(one.inplace_version) is int
        assert one.inplace_version == other.inplace_version


def test_a_write_in_place_moves_the_version():
    total = paddle.zeros([2])

    @paddle.jit.to_static(full_graph=True)
    def add():
        total.add_(paddle.ones([2]))
        total.multiply_(paddle.full([2], 2.0))

    add()
    before = len(programs())
    versions = [total.inplace_version]
    for _ in range(3):
        add()
        versions.append(total.inplace_version)
    assert versions == [2, 4, 6, 8]
    assert before == len(programs()) > 0
    assert total.tolist() == [30.0, 30.0]


def test_arrays_that_the_user_holds_keep_their_values():
    model, _, _, step = made()
    step(batch())
    step(batch())
    weight = model[0].weight
    held, detached, saved = weight._array, weight.detach().clone(), weight * 2.0
    view, shared = weight[0], weight.detach()
    wanted = np.asarray(held).copy()
    step(batch())
    np.testing.assert_array_equal(np.asarray(held), wanted)
    np.testing.assert_array_equal(detached.numpy(), wanted)
    np.testing.assert_array_equal(saved.numpy(), wanted * 2)
    np.testing.assert_array_equal(shared.numpy(), weight.numpy())  # it shares the memory
    np.testing.assert_array_equal(view.numpy(), weight.numpy()[0])
    assert not np.array_equal(weight.numpy(), wanted)
    step(batch())


@only_on_a_cpu("NumPy has no view of the memory of a device")
def test_a_view_of_numpy_is_as_it_was():
    model, _, _, step = made()
    step(batch())
    step(batch())
    view = np.asarray(model[0].weight._array)
    wanted = view.copy()
    step(batch())
    np.testing.assert_array_equal(view, wanted)


def test_a_value_that_a_user_sets_is_the_next_ones_start():
    model, _, plain, _ = made(paddle.optimizer.SGD)
    twin, _, _, step = made(paddle.optimizer.SGD)
    given = np.full([4, 8], 0.25, "float32")
    for _ in range(3):
        plain(batch())
        step(batch())
        model[0].weight.set_value(given)
        twin[0].weight.set_value(given)
    plain(batch())
    step(batch())
    np.testing.assert_allclose(twin[0].weight.numpy(), model[0].weight.numpy(), rtol=1e-5)
    assert (given == 0.25).all()


@pytest.mark.single_calls
def test_a_step_that_fails_changes_nothing(monkeypatch):
    model, _, _, step = made()
    step(batch())
    before = values(model)

    def fails(*arguments):
        raise RuntimeError("no memory")

    fails.plain = fails
    for program in programs():
        monkeypatch.setattr(program.donated, "_step", fails)
    with pytest.raises(RuntimeError, match="no memory"):
        step(batch())
    for name, value in before.items():
        np.testing.assert_array_equal(values(model)[name], value)
    monkeypatch.undo()
    step(batch())


def test_threads_that_step_together():
    model, _, _, step = made(paddle.optimizer.SGD)
    step(batch())
    failed = []

    def many():
        try:
            for _ in range(20):
                step(batch())
        except Exception as error:
            failed.append(error)

    threads = [threading.Thread(target=many) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failed == []
    assert all(np.isfinite(value).all() for value in values(model).values())


def test_under_a_tool_that_looks_at_ops_it_goes_without():
    model, _, _, step = made()
    step(batch())
    step(batch())
    held = model[0].weight._array
    paddle.set_flags({"FLAGS_check_nan_inf": True})
    try:
        step(batch())
    finally:
        paddle.set_flags({"FLAGS_check_nan_inf": False})
    assert not held.is_deleted()
    step(batch())


def test_arrays_that_a_backward_needs_are_not_donated():
    """The statistics of a batch norm are written by a forward that is recorded."""
    before = set(map(id, programs()))
    norm = paddle.jit.to_static(nn.BatchNorm1D(4))
    x = batch()
    x.stop_gradient = False
    norm(x).sum().backward()
    assert x.grad is not None
    assert {id(each) for each in programs()} <= before


def test_an_argument_that_is_written_is_not_given_away():
    @paddle.jit.to_static(full_graph=True)
    def add(x):
        x.add_(paddle.ones([2]))
        return x.sum()

    x = paddle.zeros([2])
    array = x._array
    assert [add(x).item() for _ in range(2)] == [2.0, 4.0]
    assert array.tolist() == [0.0, 0.0]


def test_an_interrupt_leaves_all_old_values_or_all_new_ones():
    """Weights and their velocity move together, wherever it falls."""
    paddle.seed(0)
    models = [nn.Linear(4, 3), nn.Linear(4, 3)]
    steps, x = [], batch()
    for model in models:
        rule = paddle.optimizer.Momentum(0.1, parameters=model.parameters())

        def plain(x, model=model, rule=rule):
            (model(x) ** 2).mean().backward()
            rule.step()
            rule.clear_grad()

        steps.append((model, rule, paddle.jit.to_static(plain, full_graph=True)))
    for _, _, step in steps:
        for _ in range(3):
            step(x)

    def state(model, rule):
        tensors = [*model.parameters(), *rule.state_dict().values()]
        return [each for each in tensors if isinstance(each, paddle.Tensor)]

    (model, rule, step), (twin, other, twin_step) = steps
    met = set()
    number = places_in(lambda: twin_step(x))
    for place in range(0, number, max(1, number // 60)):
        for mine, theirs in zip(state(model, rule), state(twin, other), strict=True):
            theirs.set_value(mine)
        old = [each.numpy().copy() for each in state(model, rule)]
        twin_step(x)
        new = [each.numpy().copy() for each in state(twin, other)]
        interrupted_at(place, lambda: step(x))
        now = [each.numpy() for each in state(model, rule)]
        is_old = all(map(np.array_equal, now, old))
        assert is_old or all(map(np.array_equal, now, new)), f"a mixture at place {place}"
        met.add(is_old)
    assert met == {True, False}
