"""gradient_report: norms, zeros, NaNs and updates of each layer over training."""

import json
import sys

import numpy as np
import pytest

import jaxeager as paddle
from jaxeager import nn
from jaxeager.debug import gradient_report
from jaxeager.debug.training import measures
from jaxeager.errors import InvalidArgumentError, InvalidTypeError, UnavailableError
from jaxeager.graph import events


@pytest.fixture(autouse=True)
def nothing_left():
    before = list(events._observers)
    yield
    assert events._observers == before


def small(rate=0.1, **options):
    """Return a model of two layers and its optimizer."""
    paddle.seed(0)
    model = nn.Sequential(("a", nn.Linear(3, 4)), ("tanh", nn.Tanh()), ("b", nn.Linear(4, 1)))
    return model, paddle.optimizer.SGD(rate, parameters=model.parameters(), **options)


def train(model, optimizer, steps=3, scale=1.0, also=lambda: None):
    """Make some steps; ``also`` is called between the optimizer's step and clear_grad."""
    for _ in range(steps):
        (model(paddle.ones([2, 3])) * scale).mean().backward()
        optimizer.step()
        also()
        optimizer.clear_grad()


def rows_of(report):
    data = report.data()
    json.dumps(data, allow_nan=False)
    return {row["name"]: row for row in data["rows"]}


def test_the_measurements_of_a_report_equal_those_of_numpy():
    model, sgd = small()
    report = gradient_report(model, by="parameter")
    seen = []

    def note():
        seen.append({n: (p.numpy(), p.grad.numpy()) for n, p in model.named_parameters()})
        report.step()

    before = {name: param.numpy() for name, param in model.named_parameters()}
    train(model, sgd, also=note)
    for name, row in rows_of(report).items():
        for step, found in enumerate(seen):
            value, grad = found[name]
            old = before[name] if step == 0 else seen[step - 1][name][0]
            assert row["grad"][step] == pytest.approx(np.linalg.norm(grad), rel=1e-5)
            assert row["value"][step] == pytest.approx(np.linalg.norm(value), rel=1e-5)
            ratio = np.linalg.norm(value - old) / np.linalg.norm(value)
            assert row["ratio"][step] == pytest.approx(ratio, rel=1e-4)
            assert row["zeros"][step] == np.mean(grad == 0)


def test_layers_are_their_parameters_together():
    model, sgd = small()
    each, summed = gradient_report(model, by="parameter"), gradient_report(model)

    def note():
        each.step()
        summed.step()

    train(model, sgd, also=note)
    parts, rows = rows_of(each), rows_of(summed)
    assert list(rows) == ["a", "b"]
    assert rows["a"]["count"] == 16
    whole = np.hypot(parts["a.weight"]["grad"], parts["a.bias"]["grad"])
    assert rows["a"]["grad"] == pytest.approx(list(whole))


def test_a_block_notes_the_steps_of_its_optimizer_alone():
    model, sgd = small()
    other, adam = small()
    with gradient_report(model, sgd) as report:
        train(model, sgd)
        train(other, adam)
    train(model, sgd)
    assert report.steps == [1, 2, 3]


@pytest.mark.parametrize("kind", ["Adam", "AdamW", "Momentum", "Lamb", "RMSProp"])
def test_optimizers_that_write_into_their_buffers(kind):
    model, _ = small()
    make = getattr(paddle.optimizer, kind)
    optimizer = make(learning_rate=0.01, parameters=model.parameters())
    with gradient_report(model, optimizer) as report:
        train(model, optimizer)
    assert all(ratio > 0 for row in rows_of(report).values() for ratio in row["ratio"])


def test_training_is_the_same_with_it():
    def weights(is_watched):
        model, sgd = small(weight_decay=0.01)
        if is_watched:
            with gradient_report(model, sgd):
                train(model, sgd)
        else:
            train(model, sgd)
        return [param.numpy() for param in model.parameters()]

    for plain, watched in zip(weights(False), weights(True), strict=True):
        np.testing.assert_array_equal(plain, watched)


def test_nothing_is_read_before_it_is_requested(monkeypatch):
    read = []
    get = measures.jax.device_get
    monkeypatch.setattr(measures.jax, "device_get", lambda what: read.append(1) or get(what))
    model, sgd = small()
    report = gradient_report(model)
    train(model, sgd, steps=2 * measures.READ_TOGETHER - 1, also=report.step)
    assert read == []
    train(model, sgd, steps=2, also=report.step)
    assert len(read) == 1  # and only of steps that ended long ago
    assert len(rows_of(report)["a"]["grad"]) == 2 * measures.READ_TOGETHER + 1


def test_every_some_steps():
    model, sgd = small()
    with gradient_report(model, sgd, every=3) as report:
        train(model, sgd, steps=7)
    assert report.steps == [1, 4, 7]


def saturated():
    """Return a model with one layer that passes almost nothing, and its optimizer."""
    paddle.seed(0)
    middle = nn.Linear(8, 8, bias_attr=nn.initializer.Constant(8.0))
    model = nn.Sequential(nn.Linear(3, 8), nn.Tanh(), middle, nn.Tanh(), nn.Linear(8, 1))
    return model, paddle.optimizer.SGD(0.1, parameters=model.parameters())


def test_gradients_that_vanish_are_found():
    model, sgd = saturated()
    with gradient_report(model, sgd) as report:
        train(model, sgd)
    rows = rows_of(report)
    assert rows["0"]["finding"].startswith("gradient vanishes: ")
    assert rows["2"]["finding"].startswith("gradient vanishes: ")
    assert "vanishes" not in rows["4"]["finding"]
    assert "gradient vanishes" in str(report)


def test_other_findings():
    model, _ = small()
    frozen = nn.Linear(1, 1)
    named = [*model.named_parameters(), ("frozen.weight", frozen.weight)]
    sgd = paddle.optimizer.SGD(1e-9, parameters=model.parameters())
    report = gradient_report(named)
    train(model, sgd, also=report.step)
    assert rows_of(report)["frozen"]["finding"] == "no gradient"
    assert rows_of(report)["frozen"]["grad"] == [None] * 3
    assert "updates are small" in rows_of(report)["a"]["finding"]
    model, sgd = small(rate=30.0)
    with gradient_report(model, sgd) as report:
        train(model, sgd)
    assert any("updates are large" in row["finding"] for row in rows_of(report).values())
    model, sgd = small()
    with gradient_report(model, sgd) as report:
        train(model, sgd, steps=1, scale=0.0)
    assert {row["finding"] for row in rows_of(report).values()} == {"gradient is all zeros"}
    model, sgd = small()
    with gradient_report(model, sgd) as report:
        train(model, sgd)
        train(model, sgd, steps=1, scale=1e7)
        train(model, sgd, steps=3)
    assert rows_of(report)["b"]["finding"] == "gradient explodes in step 4"


def test_a_norm_of_nan_alone_is_unknown_and_not_zero():
    model, sgd = small()
    with gradient_report(model, sgd) as report:
        train(model, sgd, steps=1)
        train(model, sgd, steps=2, scale=float("nan"))
    (row, _), (_, text, *_) = report.data()["rows"], str(report).splitlines()
    for name in ("grad", "value", "ratio", "zeros"):
        assert row[name][0] is not None, name
        assert row[name][1:] == [None, None], name
    assert " 0.0e+00 " not in text


def test_a_norm_is_that_of_the_finite_elements():
    value = paddle.to_tensor([3.0, float("nan"), 4.0])._array
    (norms, counts), _ = measures.measure(value, None, value * 0)
    assert np.isnan(norms[0])
    assert norms[1:].tolist() == [5.0, 5.0]
    assert counts.tolist() == [0, 0, 1]


def test_nan_is_reported_with_its_first_step(tmp_path):
    model, sgd = small()
    with gradient_report(model, sgd) as report:
        train(model, sgd, steps=2)
        train(model, sgd, steps=1, scale=float("nan"))
    row = rows_of(report)["a"]
    assert row["finding"] == "NaN or Inf from step 3"
    assert row["bad"] == [0, 0, 32]  # of 16 numbers, and of their gradient
    report.save(tmp_path / "nan.png")


def test_bfloat16_and_float64_and_large_numbers():
    found = {}
    for dtype in ("bfloat16", "float64", "float32"):
        param = nn.Parameter(paddle.full([4], 1e30, dtype))
        report = gradient_report([param])
        param.sum().backward()
        report.step()
        (row,) = rows_of(report).values()
        found[dtype] = row["value"][0]
    assert found["float32"] == pytest.approx(2e30, rel=1e-5)
    assert found["float64"] == pytest.approx(2e30)
    assert found["bfloat16"] == pytest.approx(2e30, rel=1e-2)


def test_the_table():
    model, sgd = small()
    with gradient_report(model, sgd) as report:
        assert str(report) == "No step was noted."
        train(model, sgd, steps=30)
    lines = str(report).splitlines()
    assert lines[0].split() == "layer numbers |grad| over the steps |value| update zeros".split()
    assert lines[1].split()[:2] == ["a", "16"]
    assert len(lines[1].split()[3]) == 20
    assert lines[-1].startswith("30 steps, 2 rows, ")


@pytest.mark.parametrize("suffix", ["svg", "png", "pdf"])
def test_the_picture(tmp_path, suffix):
    pytest.importorskip("matplotlib")
    model, sgd = saturated()
    with gradient_report(model, sgd) as report:
        train(model, sgd)
    written = report.save(tmp_path / "deep" / f"report.{suffix}")
    assert written.stat().st_size > 5000


def test_the_data_as_a_file(tmp_path):
    model, sgd = small()
    with gradient_report(model, sgd) as report:
        train(model, sgd)
    assert json.loads(report.save(tmp_path / "report.json").read_text()) == report.data()


def test_without_matplotlib_it_says_what_to_install(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    model, sgd = small()
    with gradient_report(model, sgd) as report:
        train(model, sgd, steps=1)
    with pytest.raises(UnavailableError, match="matplotlib"):
        report.save(tmp_path / "report.svg")


def test_steps_without_gradients_are_warned_of():
    model, _ = small()
    report = gradient_report(model)
    with pytest.warns(UserWarning, match="saw no gradient"):
        report.step()


def test_values_that_cannot_be_measured_are_refused(tmp_path):
    model, _ = small()
    with pytest.raises(InvalidArgumentError, match="no parameter"):
        gradient_report([])
    with pytest.raises(InvalidArgumentError, match="by should be"):
        gradient_report(model, by="row")
    with pytest.raises(InvalidArgumentError, match="every should be"):
        gradient_report(model, every=0)
    with pytest.raises(InvalidTypeError, match="received int"):
        gradient_report([3])
    with pytest.raises(InvalidArgumentError, match="nothing to save"):
        gradient_report(model).save(tmp_path / "report.svg")
