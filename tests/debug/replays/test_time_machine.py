"""debug.time_machine: back to the step before a NaN, and the same numbers again."""

import numpy as np
import pytest

import jaxeager as paddle


@pytest.fixture
def training():
    """Return a model, its optimizer, and a step; an x of zeros makes NaN."""
    paddle.seed(5)
    model = paddle.nn.Sequential(paddle.nn.Linear(3, 4, bias_attr=False), paddle.nn.Dropout(0.1))
    adam = paddle.optimizer.Adam(
        paddle.optimizer.lr.StepDecay(0.01, 2), parameters=model.parameters()
    )

    def step(x):
        loss = (model(x) ** 2).sum().log()
        loss.backward()
        adam.step()
        adam.clear_grad()
        adam._learning_rate.step()
        return float(loss)

    return model, adam, step


def test_the_step_that_made_nan_is_found_and_run_again_under_a_tool(training):
    model, adam, step = training
    machine = paddle.debug.time_machine(model, adam, steps=4)
    for number in range(6):
        x = paddle.ones([2, 3]) * (0 if number == 4 else 1)
        machine.before_step(x)
        step(x)
    assert machine.steps == [2, 3, 4, 5]
    assert machine.bad_step() == 4
    (x,) = machine.back_to(4)
    assert x.tolist() == [[0.0] * 3] * 2
    assert np.isfinite(model[0].weight.numpy()).all()
    paddle.set_flags({"FLAGS_check_nan_inf": True})
    try:
        with pytest.raises(RuntimeError, match="op=log"):
            machine.run(4, step)
    finally:
        paddle.set_flags({"FLAGS_check_nan_inf": False})


def test_a_step_of_the_past_gives_the_same_numbers(training):
    model, adam, step = training
    machine = paddle.debug.time_machine(model, adam, steps=3)
    losses = []
    for number in range(3):
        batch = {"x": paddle.ones([2, 3]) * (number + 1)}
        machine.before_step(batch)
        losses.append(step(batch["x"]))
    weight = model[0].weight.numpy()
    again = [machine.run(number, lambda batch: step(batch["x"])) for number in machine.steps]
    assert again == losses
    assert model[0].weight.numpy().tobytes() == weight.tobytes()
    machine.back_to(0)
    assert [step(paddle.ones([2, 3]) * (number + 1)) for number in range(3)] == losses


def test_memory_is_bounded(training):
    model, adam, step = training
    machine = paddle.debug.time_machine(model, adam, steps=2)
    sizes = []
    for _ in range(5):
        machine.before_step(np.ones([2, 3], "float32"))
        step(paddle.ones([2, 3]))
        sizes.append(machine.nbytes)
    assert sizes[2] == sizes[3] == sizes[4] > 0
    assert repr(machine) == f"<TimeMachine: steps 3 to 4, {sizes[4]} bytes>"
    assert machine.bad_step() is None


def test_gradients_that_add_up_are_part_of_the_state():
    layer = paddle.nn.Linear(2, 1)
    machine = paddle.debug.time_machine(layer)
    layer(paddle.ones([1, 2])).sum().backward()
    machine.before_step()
    layer(paddle.ones([1, 2])).sum().backward()
    assert layer.weight.grad.tolist() == [[2.0], [2.0]]
    assert machine.back_to(0) == ()
    assert layer.weight.grad.tolist() == [[1.0], [1.0]]


def test_a_step_that_is_not_kept_is_refused(training):
    model, adam, _ = training
    machine = paddle.debug.time_machine(model, adam)
    assert repr(machine) == "<TimeMachine: no step, 0 bytes>"
    with pytest.raises(ValueError, match=r"Step 3 is not kept\. The steps that are: none\."):
        machine.back_to(3)
    with pytest.raises(ValueError, match="must be 1 or more, but received 0"):
        paddle.debug.time_machine(model, steps=0)
    with pytest.raises(TypeError, match="received int, which has no state_dict"):
        paddle.debug.time_machine(3)


def test_a_gradient_of_some_rows_is_restored():
    table = paddle.nn.Embedding(5, 2, sparse=True)
    table(paddle.to_tensor([3, 1])).sum().backward()
    machine = paddle.debug.time_machine(table)
    machine.before_step()
    table(paddle.to_tensor([0])).sum().backward()
    assert sorted(table.weight.grad.rows()) == [0, 1, 3]
    machine.back_to(0)
    assert sorted(table.weight.grad.rows()) == [1, 3]
