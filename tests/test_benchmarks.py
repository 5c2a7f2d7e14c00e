"""The parts of `make bench` run, and measure what they should; durations are not tested."""

import gc
import json

import jax
import numpy as np
import pytest

import jaxeager as paddle
from benchmarks.parts import (
    history,
    large_ops,
    lengths,
    memory,
    models,
    peers,
    plain_jax,
    programs,
    report,
    scale,
    timing,
)

MACHINE = {
    "date": "2026-01-02 03:04 UTC",
    "CPU": "A CPU, 2 cores usable",
    "backend": "cpu, cpu",
    "versions": "Python 3",
}


def rows_of(*names):
    return [
        timing.Row("part", name, "Paddle", 2.0, 1.0, 2.0, target=target)
        for name, target in zip(names, (1, 4), strict=False)
    ]


def losses(step, count=3):
    return [float(step()) for _ in range(count)]


@pytest.mark.parametrize(
    "name",
    ["mlp", *(pytest.param(each, marks=pytest.mark.deep) for each in ("encoder", "lstm", "gpt"))],
)
def test_the_plain_jax_step_is_the_models(name):
    """From the same weights it has the same losses, so what is compared does the same work."""
    ours, theirs = steps_of(name)
    assert losses(ours) == pytest.approx(losses(theirs), rel=1e-5)


@pytest.mark.deep
def test_the_plain_jax_step_is_that_of_resnet():
    ours, theirs = steps_of("resnet18")
    assert losses(ours) == pytest.approx(losses(theirs), rel=0.02, abs=1e-4)


def steps_of(name):
    """Return the two steps of a model, from one set of weights."""
    shapes, logits_of = plain_jax.MODELS[name]
    weights, batch = plain_jax.weights_of(shapes()), models.batch_of(name)
    model, train = models.paddle_training(paddle, name)
    held = model.state_dict()
    assert {id(held[each]) for each in weights} == {id(each) for each in held.values()}
    for each, value in weights.items():
        held[each].set_value(value)
    inputs, labels = (paddle.to_tensor(array) for array in batch)
    step, _ = plain_jax.training_step(jax, logits_of, weights, batch)
    return (lambda: train(inputs, labels)), step


@pytest.mark.deep
def test_lenet_is_the_same_in_plain_jax():
    ours, weight = programs.paddle_lenet(paddle)
    theirs, their_weight = plain_jax.jax_lenet(jax)
    assert losses(ours) == pytest.approx(losses(theirs), rel=1e-5)
    np.testing.assert_allclose(weight(), their_weight(), atol=1e-4)


def test_lengths_of_texts():
    """Each step is timed on both clocks; padded texts have at most as many lengths as buckets."""
    seconds = lengths.seconds_of(paddle, [9, lengths.WARM], buckets=1)
    assert [len(series) for series in seconds.values()] == [2, 2]
    assert min(seconds["wall"]) > 0


@pytest.mark.deep
@pytest.mark.skipif(not memory.RESET.exists(), reason="only Linux counts it")
def test_the_peak_of_training():
    """Memory alive together is counted: at least weights and moments, and below a gigabyte."""
    taken = memory.peak_of(paddle, "lenet", 64)
    assert len(taken["peaks"]) == memory.TAKES
    assert 0.5 < taken["arrays"] < 1024


@pytest.mark.parametrize(("kind", "size"), [("nodes", 3), ("elements", 5), ("fan", 1), ("fan", 7)])
def test_a_size_of_a_series(kind, size):
    measure = getattr(scale, f"seconds_of_{kind}")
    assert 0 < measure(paddle, size)["seconds"] < 60
    assert gc.isenabled()


def test_a_series_of_a_library_that_ends(monkeypatch):
    """Earlier measurements stay, and later rows state that it ended."""

    class Ending:
        def __init__(self, library):
            self.library = library

        def ask(self, what, where, nodes):
            if self.library == "paddle" and nodes > 10:
                raise RuntimeError("paddle's process ended with status -11 during within:\n...")
            return {"seconds": nodes * 1e-6, "at_rest": nodes * 1e-6}

        def close(self):
            pass

    monkeypatch.setattr(peers, "Peer", Ending)
    monkeypatch.setattr(scale, "SERIES", {"nodes": scale.SERIES["nodes"]})
    rows = scale.measure(most=100)
    assert rows[0].ratio == pytest.approx(1)
    assert [row.ratio for row in rows if row.against == "Paddle"] == pytest.approx([1, None])
    assert rows[-3].note == "at 100 paddle's process ended with status -11"


def test_the_table_and_its_pictures(tmp_path):
    series = [timing.Row(scale.PART, "a node of a chain of 10", "Paddle", 9.0, 3.0, 3.0, at=10)]
    sized = timing.Row("memory", "peak", "PyTorch", 200.0, 100.0, 2.0, unit="MiB")
    written = report.write([*rows_of("a", "b"), sized, *series], MACHINE, tmp_path / "table.md")
    assert [path.name for path in written] == [
        "table.md",
        "table.json",
        "table.png",
        "table-scale.png",
    ]
    text = written[0].read_text()
    assert "| a | 2.00 us | Paddle | 1.00 us | 2.00 | <= 1 | MISSED |" in text
    assert "| peak | 200 MiB | PyTorch | 100 MiB | 2.00 |" in text
    assert "![What a node costs by size](table-scale.png)" in text


def test_the_history(tmp_path):
    """Runs are added to the file; main ratios are drawn from those of one machine."""
    file = tmp_path / "history.jsonl"
    main = "import jaxeager, a fresh process"
    row = timing.Row("import", main, "import jax", 3.0, 2.0, 1.5)
    history.append([row], MACHINE, file)
    history.append([row], MACHINE | {"CPU": "Another"}, file)
    _, picture = history.append([row, *rows_of("a")], MACHINE, file)
    lines = [json.loads(line) for line in file.read_text().splitlines()]
    assert [line["machine"] for line in lines] == [
        "A CPU, 2 cores usable; cpu, cpu",
        "Another; cpu, cpu",
        "A CPU, 2 cores usable; cpu, cpu",
    ]
    assert lines[2]["ratios"] == {f"{main} / import jax": 1.5, "a / Paddle": 2.0}
    assert history.series(lines)["import / import jax"] == [(0, 1.5), (1, 1.5), (2, 1.5)]
    assert picture.name == "history-a-cpu-2-cores.png"
    assert picture.stat().st_size > 0


def test_every_main_ratio_begins_as_one_row_does():
    """A renamed row would vanish from the picture without notice."""
    kept = history.FILE.read_text().splitlines()
    names = [name for line in kept for name in json.loads(line)["ratios"]]
    for label, beginning in history.MAIN.items():
        assert any(name.startswith(beginning) for name in names), label


@pytest.mark.parametrize(
    "name", ["sum of rows", "argmax", pytest.param("slope of conv2d", marks=pytest.mark.deep)]
)
def test_a_large_op_runs_forward_and_backward(name):
    assert name in large_ops.names()
    assert large_ops.seconds(paddle, name)["seconds"] > 0
