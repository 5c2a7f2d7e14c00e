"""The callback that writes for the package visualdl."""

import sys
from types import ModuleType

import numpy as np
import pytest

import jaxeager as paddle


class Data(paddle.io.Dataset):
    """Eight rows and their classes."""

    def __len__(self):
        return 8

    def __getitem__(self, index):
        return np.full([4], index, "float32"), np.array([index % 2])


def prepared():
    model = paddle.Model(paddle.nn.Linear(4, 2))
    sgd = paddle.optimizer.SGD(0.01, parameters=model.parameters())
    model.prepare(sgd, paddle.nn.CrossEntropyLoss(), paddle.metric.Accuracy())
    return model


def test_losses_and_metrics_are_written(monkeypatch):
    writers = []

    class LogWriter:
        def __init__(self, folder):
            self.folder, self.scalars, self.is_closed = folder, [], False
            writers.append(self)

        def add_scalar(self, tag, step, value):
            assert not self.is_closed
            self.scalars.append((tag, step, float(value)))

        def close(self):
            self.is_closed = True

    package = ModuleType("visualdl")
    package.LogWriter = LogWriter  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "visualdl", package)
    callback = paddle.callbacks.VisualDL("runs")
    model = prepared()
    model.fit(Data(), Data(), batch_size=4, epochs=2, verbose=0, callbacks=callback)
    (writer,) = writers
    assert (writer.folder, writer.is_closed) == ("runs", True)
    steps = [(tag, step) for tag, step, _ in writer.scalars if tag == "train/loss"]
    assert steps == [("train/loss", step) for step in (1, 2, 3, 4)]
    assert {tag for tag, _, _ in writer.scalars} == {
        "train/loss", "train/acc", "eval/loss", "eval/acc",
    }  # fmt: skip
    assert [step for tag, step, _ in writer.scalars if tag == "eval/acc"] == [0, 1]
    model.evaluate(Data(), verbose=0, callbacks=paddle.callbacks.VisualDL("again"))
    assert writers[1].is_closed
    assert [tag for tag, _, _ in writers[1].scalars] == ["eval/loss", "eval/acc"]


def test_without_the_package_it_says_so(monkeypatch):
    monkeypatch.setitem(sys.modules, "visualdl", None)
    with pytest.raises(RuntimeError, match="package visualdl, which is not installed"):
        prepared().fit(Data(), verbose=0, callbacks=paddle.callbacks.VisualDL("runs"))
