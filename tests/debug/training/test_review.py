"""The notes of a gradient report: mistakes of a program that its first steps show."""

import re

import pytest

import jaxeager as paddle
import jaxeager.nn.functional as F
from jaxeager.debug.stacks import stacks
from jaxeager.graph import events


def notes_of(model, optimizer, loss_of, after=lambda: None, clears=True, steps=3):
    """Return the notes after some steps of training."""
    with paddle.debug.gradient_report(model, optimizer) as report:
        for _ in range(steps):
            loss_of().backward()
            optimizer.step()
            if clears:
                optimizer.clear_grad()
            after()
    assert str(report).endswith("\n".join([f"note: {each}" for each in report.notes]))
    assert report.data()["notes"] == report.notes
    return report.notes


def sgd(model, rate=0.1, parameters=None):
    return paddle.optimizer.SGD(rate, parameters=parameters or model.parameters())


@pytest.fixture
def net():
    return paddle.nn.Sequential(paddle.nn.Linear(4, 4), paddle.nn.Linear(4, 1))


X, TARGET = paddle.ones([6, 4]), paddle.ones([6])


def test_a_right_program_has_no_notes(net):
    before = events.in_force()
    assert notes_of(net, sgd(net), lambda: F.mse_loss(net(X)[:, 0], TARGET)) == []
    optimizer = sgd(net)
    assert notes_of(net, optimizer, lambda: net(X).mean(), lambda: net.clear_gradients()) == []
    schedule = paddle.optimizer.lr.StepDecay(0.1, 2)
    assert notes_of(net, sgd(net, schedule), lambda: net(X).mean(), schedule.step) == []
    assert notes_of(net, sgd(net, schedule), lambda: net(X).mean()) == []  # one step an epoch
    assert events.in_force() == before


def test_gradients_that_are_added_up_on_purpose_and_set_to_zero_are_right(net):
    def loss():
        net(X).mean().backward()
        return net(X).mean()

    optimizer = sgd(net)

    def zeros():
        optimizer.clear_grad(set_to_zero=True)

    assert notes_of(net, optimizer, loss) == []
    assert notes_of(net, optimizer, loss, zeros, clears=False) == []


def test_a_column_and_a_row_that_make_a_square(net):
    (note,) = notes_of(net, sgd(net), lambda: (net(X) - TARGET).square().mean())
    assert re.match(
        r"subtract at .*test_review.py:\d+ broadcasts \[6, 1\] and \[6\] to \[6, 6\]: ", note
    )
    for others in (paddle.ones([1]), paddle.ones([1, 6]), paddle.ones([6, 1])):
        found = notes_of(net, sgd(net), lambda others=others: (net(X) - others).square().mean())
        assert found == []


def test_gradients_that_are_not_cleared(net):
    (note,) = notes_of(net, sgd(net), lambda: net(X).mean(), clears=False)
    assert re.match(
        r"gradients of step 1 were not cleared before backward at .*test_review.py:\d+: ", note
    )


def test_cross_entropy_of_probabilities(net):
    labels = paddle.zeros([6], "int64")
    scores = net[0]
    (note,) = notes_of(net, sgd(net), lambda: F.cross_entropy(F.softmax(scores(X)), labels))
    assert re.match(
        r"cross_entropy at .*test_review.py:\d+ > \S+ receives the result of softmax at "
        r".*test_review.py:\d+, and applies softmax itself",
        note,
    )
    assert (
        notes_of(
            net, sgd(net), lambda: F.cross_entropy(F.softmax(scores(X)), labels, use_softmax=False)
        )
        == []
    )


def test_parameters_that_are_not_trained(net):
    def loss_of():
        return net(X).mean()

    (note,) = notes_of(net, sgd(net, parameters=net[1].parameters()), loss_of)
    assert note == "the optimizer does not have 0.weight, 0.bias"
    groups = [{"params": net[0].parameters()}, {"params": net[1].parameters(), "lr": 0.1}]
    assert notes_of(net, sgd(net, parameters=groups), loss_of) == []
    net[0].weight.stop_gradient = True
    (note,) = notes_of(net, sgd(net), loss_of)
    assert note == "stop_gradient=True, so not trained: 0.weight"


def test_learning_rates(net):
    (note,) = notes_of(net, sgd(net, 0.0), lambda: net(X).mean())
    assert note == "the learning rate was 0 in all 3 steps"
    schedule = paddle.optimizer.lr.StepDecay(0.1, 2)

    def twice():
        schedule.step()
        schedule.step()

    (note,) = notes_of(net, sgd(net, schedule), lambda: net(X).mean(), twice)
    assert note == (
        "StepDecay moved by at least 2 between two steps of the optimizer: call its step() once"
    )


def test_layers_in_eval_mode():
    net = paddle.nn.Sequential(
        paddle.nn.Linear(4, 4), paddle.nn.BatchNorm1D(4), paddle.nn.Dropout()
    )
    assert notes_of(net, sgd(net), lambda: net(X).mean()) == []
    net.eval()
    assert notes_of(net, sgd(net), lambda: net(X).mean()) == [
        "in eval mode, so that it does not use the batch's statistics: 1",
        "in eval mode, so that it drops nothing: 2",
    ]


def test_batch_norm_of_one_sample():
    net = paddle.nn.Sequential(paddle.nn.Linear(4, 4), paddle.nn.BatchNorm1D(4))
    (note,) = notes_of(net, sgd(net), lambda: net(X[:1]).mean())
    assert re.match(
        r"batch_norm at .*test_review.py:\d+ > \S+ receives \[1, 4\], one number per channel: ",
        note,
    )
    assert notes_of(net, sgd(net), lambda: net(X[:2]).mean()) == []


def test_lazy_mode_stays_lazy(net):
    with paddle.lazy():
        before = paddle.lazy_report().executables
        notes_of(net, sgd(net), lambda: (net(X) - TARGET).square().mean(), steps=6)
        assert paddle.lazy_report().executables > before


def test_an_error_in_the_first_step_ends_the_look(net):
    before = events.in_force(), stacks._users
    with pytest.raises(ZeroDivisionError), paddle.debug.gradient_report(net, sgd(net)):
        raise ZeroDivisionError
    assert (events.in_force(), stacks._users) == before
