"""Callbacks: their times, and their output."""

import re

import numpy as np
import pytest

import jaxeager as paddle
from jaxeager import callbacks, nn
from jaxeager.errors import InvalidArgumentError
from jaxeager.hapi.progress_bar import ProgressBar


class Watched:
    """The interface of a Model for callbacks."""

    def __init__(self, rate=0.1):
        self.saved, self.stop_training = [], False
        self._optimizer = paddle.optimizer.SGD(rate, parameters=nn.Linear(1, 1).parameters())

    def save(self, path):
        self.saved.append(path)


def fed(callback, values, name="loss"):
    """Pass evaluations to a callback, and return the model it acted on."""
    model = Watched()
    callback.set_model(model)
    callback.on_train_begin()
    for value in values:
        callback.on_eval_end({name: value})
        if model.stop_training:
            break
    return model


def test_early_stopping_counts_evaluations_that_are_no_better(capsys):
    callback = callbacks.EarlyStopping(patience=2)
    callback.save_dir = "folder"
    model = fed(callback, [[3.0], [2.0], [2.5], [2.1], [1.0]])
    assert model.stop_training
    assert callback.best_value == 2.0
    assert [path.replace("\\", "/") for path in model.saved] == ["folder/best_model"] * 2
    assert "Epoch 4: Early stopping." in capsys.readouterr().out


def test_accuracy_is_better_when_it_is_higher():
    callback = callbacks.EarlyStopping("acc", patience=1, min_delta=0.1, verbose=0)
    assert fed(callback, [0.5, 0.7, 0.75], "acc").stop_training
    assert callback.best_value == 0.7


def test_a_plateau_lowers_the_rate_and_waits():
    callback = callbacks.ReduceLROnPlateau(factor=0.5, patience=1, cooldown=2, verbose=0)
    model = fed(callback, [1.0] * 3)
    assert model._optimizer.get_lr() == pytest.approx(0.05)
    assert callback.in_cooldown()
    model = fed(callback, [1.0] * 10)
    assert model._optimizer.get_lr() < 0.05


def test_the_rate_stays_above_its_floor():
    callback = callbacks.ReduceLROnPlateau(factor=0.1, patience=1, min_lr=0.02, verbose=0)
    assert fed(callback, [1.0] * 9)._optimizer.get_lr() == pytest.approx(0.02)


def test_a_value_that_is_not_there_is_warned_of():
    for callback in (callbacks.EarlyStopping("f1"), callbacks.ReduceLROnPlateau("f1")):
        with pytest.warns(UserWarning, match="should be loss or metric name"):
            fed(callback, [1.0])


def test_a_scheduled_rate_is_not_reduced():
    callback, model = callbacks.ReduceLROnPlateau(), Watched()
    model._optimizer = paddle.optimizer.SGD(
        paddle.optimizer.lr.StepDecay(0.1, 2), parameters=nn.Linear(1, 1).parameters()
    )
    callback.set_model(model)
    with pytest.warns(UserWarning, match="Expected learning_rate be float"):
        callback.on_eval_end({"loss": 1.0})


def test_arguments_are_checked():
    with pytest.raises(InvalidArgumentError, match="mutually exclusive"):
        callbacks.LRScheduler(by_step=True, by_epoch=True)
    with pytest.raises(InvalidArgumentError, match=r"a factor >= 1\.0"):
        callbacks.ReduceLROnPlateau(factor=1.5)
    with pytest.warns(UserWarning, match="fallback to auto mode"):
        callbacks.EarlyStopping(mode="best")


def test_checkpoints_are_saved_when_it_is_their_turn(capsys):
    callback, model = callbacks.ModelCheckpoint(2, "folder"), Watched()
    callback.set_model(model)
    for epoch in range(4):
        callback.on_epoch_end(epoch)
    callback.on_train_end()
    assert model.saved == ["folder/0", "folder/2", "folder/final"]
    assert capsys.readouterr().out.count("save checkpoint at") == 3


@pytest.mark.parametrize(
    ("num", "verbose", "done", "text"),
    [
        (10, 1, 5, "\rstep  5/10 [==============>...............] - loss: 0.5000 - ETA: "),
        (10, 2, 5, "step  5/10 - loss: 0.5000 - "),
        (None, 2, 5, "step   5 - loss: 0.5000 - "),
        (3, 1, 3, "\rstep 3/3 [==============================] - loss: 0.5000 - "),
    ],
)
def test_progress_is_written(capsys, num, verbose, done, text):
    ProgressBar(num, verbose=verbose).update(done, [("loss", [np.float32(0.5)])])
    out = capsys.readouterr().out
    assert out.startswith(text)
    assert re.search(r"(s|ms|us)/step\n?$", out)


def test_small_and_other_values_are_written_short(capsys):
    values = [("a", 1e-5), ("b", np.array([2.0])), ("c", "4.00 sec"), ("d", 3)]
    ProgressBar(4, verbose=2).update(4, values)
    assert " - a: 1.0000e-05 - b: 2.0000 - c: 4.00 sec - d: 3 - " in capsys.readouterr().out
    ProgressBar(4, verbose=0).update(4, values)
    assert capsys.readouterr().out == ""
