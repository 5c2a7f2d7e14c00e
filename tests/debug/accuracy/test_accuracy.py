"""python -m jaxeager accuracy: reading lines, running them on references, comparing, continuing."""

import csv
import importlib.util
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import jaxeager as paddle
from jaxeager import errors
from jaxeager.debug.accuracy import command, guide_files, replay, tables, torch_calls
from jaxeager.debug.accuracy.replay import Call, Grad, Paddle, Unusable
from jaxeager.debug.accuracy.sides import Side

LINES = [
    'paddle.tanh(Tensor([2, 3],"float32"), )',
    'paddle.concat(list[Tensor([2],"float64"),Tensor([3],"float64"),], axis=0, )',
    'paddle.nn.functional.dropout(Tensor([4],"float32"), p=0.5, )',
    'paddle.matmul(Tensor([2, 3],"float32"), Tensor([2, 3],"float32"), )',
]


def test_a_line_is_read_as_it_was_written():
    """FLAGS_trace_api's text of every kind of argument, and real Paddle's form of shapes."""
    call = Call(
        'paddle.f(Tensor([2, 0],"bfloat16"), list[], list[1,list[2.5,],], tuple(None,True,), '
        "slice(None,-1,2), Ellipsis, -math.inf, complex(1.0,-2.0), Dtype(int8), "
        'Tensor(paddle.Size([3]),"int64"), name="a(b", )'
    )
    first, *plain, last = call.args
    assert (call.api, call.name, call.dtype()) == ("paddle.f", "f", "bfloat16")
    assert (first.shape, last.shape, last.index) == ([2, 0], [3], 1)
    assert plain == [
        [], [1, [2.5]], (None, True), slice(None, -1, 2), ..., -np.inf, 1 - 2j, "int8",
    ]  # fmt: skip
    assert isinstance(plain[-1], replay.Dtype)
    assert call.kwargs == {"name": "a(b"}
    for line in ("paddle.f(", "paddle", "paddle.f(type(x), )"):
        with pytest.raises(Unusable):
            Call(line)


def test_inputs_follow_from_line_and_seed():
    call = Call('paddle.take_along_axis(Tensor([5, 3],"float32"), Tensor([5, 1],"int64"), 1, )')
    one, other = replay.inputs_of(call, 0), replay.inputs_of(call, 0)
    assert all(np.array_equal(a, b) for a, b in zip(one, other, strict=True))
    assert not np.array_equal(one[0], replay.inputs_of(call, 1)[0])
    assert one[1].max() < 3  # valid for any axis of the other
    (positive,) = replay.inputs_of(Call('paddle.log(Tensor([50],"float64"), )'), 0)
    assert positive.min() > 0


@pytest.mark.parametrize("line", LINES[:2])
def test_here_and_jax_agree(line):
    call, ours, jaxs = Call(line), Paddle(paddle), Grad(paddle)
    (values, grads), (theirs, gradients) = ours.run(call, 0), jaxs.run(call, 0)
    for a, b in zip([*values, *grads], [*theirs, *gradients], strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-6)
    assert len(grads) == len(call.specs)


def test_in_place_calls_run_on_copies():
    values, grads = Paddle(paddle).run(Call('paddle.tanh_(Tensor([3],"float32"), )'), 0)
    x = replay.inputs_of(Call('paddle.tanh_(Tensor([3],"float32"), )'), 0)[0]
    np.testing.assert_allclose(values[0], np.tanh(x), rtol=1e-6)
    assert grads[0].shape == (3,)
    with pytest.raises(Unusable, match="in place"):
        Grad(paddle).run(Call('paddle.tanh_(Tensor([3],"float32"), )'), 0)


def test_differences():
    a, b = np.array([1.0, np.inf, np.nan]), np.array([1.5, np.inf, np.nan])
    assert tables.difference(a, b) == (0.5, pytest.approx(1 / 3))
    assert tables.difference(a, np.array([1.0, np.inf, 0.0]))[0] == np.inf
    call = Call(LINES[0])
    (row,) = tables.compare(call, "E1P1", [np.zeros(2)], [np.zeros(3)])
    assert (row.note, row.agrees()) == ("shapes [2] and [3]", False)
    (row,) = tables.compare(call, "E1P1B", [None], [np.ones(2)])  # none equals zeros
    assert (row.abs_diff, row.agrees()) == (1.0, False)


def test_a_run_writes_its_files_and_continues(tmp_path):
    """Four lines: two agree, one draws random numbers, one is refused; then one more."""
    found = command.replay_all(LINES, tmp_path, ["grad"], timeout=120)
    assert {what: n for what, n in found.items() if n} == {"pass": 2, "random": 1, "unusable": 1}
    before = (tmp_path / "results.txt").read_text()
    found = command.replay_all(
        [*LINES, 'paddle.sin(Tensor([2],"float32"), )'], tmp_path, ["grad"], timeout=120
    )
    assert found["pass"] == 3
    after = (tmp_path / "results.txt").read_text()
    assert after.startswith(before)
    assert len(after.splitlines()) == 5
    with (tmp_path / "stable.csv").open() as file:
        heads, *rows = list(csv.reader(file))
    assert tuple(heads) == tables.HEADS
    assert {row[3] for row in rows} == {
        "E1E2", "G1G2", "E1G1", "E2G2", "E1G2", "E2G1",
        "E1E2B", "G1G2B", "E1G1B", "E2G2B", "E1G2B", "E2G1B",
    }  # fmt: skip
    assert rows == sorted(rows, key=lambda row: (row[0], row[2], row[1], row[3]))
    with (tmp_path / "stable_stat.csv").open() as file:
        heads, *stats = list(csv.reader(file))
    assert heads[:3] + heads[-1:] == ["API", "dtype", "comp", "count"]
    assert {row[0] for row in stats} == {"paddle.tanh", "paddle.concat", "paddle.sin"}
    passed = (tmp_path / "test_log" / "api_config_pass.txt").read_text().splitlines()
    assert len(passed) == 3


def rows_of(path):
    with path.open(newline="") as file:
        return list(csv.reader(file))


def test_the_guides_files_have_its_names_and_codes(tmp_path):
    """P is this library and T is PyTorch; other references do not appear."""
    call = Call(LINES[0])
    one, other = ([np.ones(3)], [np.zeros(3)]), ([np.full(3, 2.0)], [np.zeros(3)])
    answers = {"jaxeager": [one, one], "torch": [one, other], "grad": [one, one]}
    tables.append(tmp_path / "stable.csv", tables.rows_of(call, answers))
    outcomes = {LINES[0]: "disagreement", LINES[1]: "pass", LINES[2]: "random", LINES[3]: "error"}
    guide_files.write(tmp_path, outcomes)
    folder = tmp_path / "test_log"
    assert {path.name for path in folder.iterdir()} == {
        "api_config_accuracy_diff.txt", "api_config_pass.txt", "api_config_skip.txt",
        "api_config_paddle_error.txt", "checkpoint.txt", "log_inorder.log", "stable.csv",
        "stable_full.csv", "stable_stat.csv", "stable_stat_api.csv",
    }  # fmt: skip
    assert (folder / "api_config_accuracy_diff.txt").read_text() == f"{LINES[0]}\n"
    assert (folder / "checkpoint.txt").read_text().splitlines() == sorted(LINES)
    _, *rows = rows_of(folder / "stable.csv")
    apart = {row[3]: float(row[4]) for row in rows}
    assert apart == dict.fromkeys(
        ["P1P2", "P1P2B", "T1P1", "T1P1B", "T1P2", "T1P2B", "T1T2B", "T2P1B", "T2P2B"], 0.0
    ) | dict.fromkeys(["T2P1", "T2P2", "T1T2"], 1.0)
    log = (folder / "log_inorder.log").read_text()
    assert f"[T1P1] {LINES[0]}\nIdentical\n" in log
    assert f"[T2P2] {LINES[0]}\nTensor-likes are not equal!\n\nGreatest absolute diff" in log
    heads, first, second, *_, last = rows_of(folder / "stable_stat_api.csv")
    assert heads == ["API", "dtype", "comp", "count", "percentage"]
    assert first[1:2] + first[3:] == ["dtypes:float32", "12", "100.0"]
    assert first[2].startswith("comps:P1P2/P1P2B/T1P1/")
    assert second == ["paddle.tanh", "dtypes:float32", "P1P2", "1", "8.33"]
    assert last == ["paddle.tanh", "float32", "T2P2B", "1", "8.33"]


def test_an_outcome_that_changes_leaves_no_old_file(tmp_path):
    guide_files.write(tmp_path, {LINES[0]: "timeout"})
    guide_files.write(tmp_path, {LINES[0]: "pass"})
    found = [path.name for path in (tmp_path / "test_log").glob("api_config_*")]
    assert found == ["api_config_pass.txt"]
    assert guide_files.FILES.keys() == set(command.OUTCOMES)


def test_a_wrong_gradient_is_a_disagreement():
    class Wrong:
        name = "jaxeager"

        def send(self, line, seed):
            self.answer = replay.answer(Paddle(paddle), line, seed)

        def receive(self):
            word, (values, grads) = self.answer
            return word, (values, [each * 1.01 for each in grads])

    class Right(Wrong):
        name = "paddle"

        def receive(self):
            return self.answer

    outcome, told, _ = command.judge(LINES[0], [Wrong(), Right()], 0)
    assert outcome == "disagreement"
    assert told.startswith("E1P1B: ")


def test_a_process_that_hangs_or_dies_is_started_again(tmp_path, monkeypatch):
    program = tmp_path / "side.py"
    program.write_text(
        "import os, pickle, sys, time\n"
        "def say(value): pickle.dump(value, sys.stdout.buffer); sys.stdout.buffer.flush()\n"
        "say('ready')\n"
        "while True:\n"
        "    line, seed = pickle.load(sys.stdin.buffer)\n"
        "    if line == 'hang': time.sleep(60)\n"
        "    if line == 'die': os._exit(3)\n"
        "    say(('ok', line))\n"
    )
    monkeypatch.setattr(replay, "__file__", str(program))
    side = Side("torch", timeout=3)
    told = []
    for line in ("a", "die", "b", "hang", "c"):
        side.send(line, 0)
        told.append(side.receive())
    side.close()
    assert [word for word, _ in told] == ["ok", "crash", "ok", "timeout", "ok"]
    assert told[1][1] == "ended with status 3"
    program.write_text("raise SystemExit('no library here')")
    with pytest.raises(errors.UnavailableError, match="no library here"):
        Side("torch")


def test_the_command_says_what_is_wrong(tmp_path, capsys):
    from jaxeager.__main__ import main

    assert main(["accuracy", str(tmp_path / "none.txt")]) == 2
    file = tmp_path / "calls.txt"
    file.write_text(LINES[0])
    assert main(["accuracy", str(file), "--references", "numpy"]) == 2
    assert "references are paddle, torch, grad" in capsys.readouterr().out


@pytest.mark.deep
@pytest.mark.parametrize("name", ["paddle", "torch"])
def test_references_of_other_libraries(name):
    found = subprocess.run([sys.executable, "-c", f"import {name}"], capture_output=True, cwd="/")
    if found.returncode:
        pytest.skip(f"{name} is not installed")
    side, ours = Side(name), Paddle(paddle)
    try:
        side.send(LINES[0], 0)
        word, (values, grads) = side.receive()
    finally:
        side.close()
    assert word == "ok"
    mine = ours.run(Call(LINES[0]), 0)
    np.testing.assert_allclose(values[0], mine[0][0], rtol=1e-5)
    np.testing.assert_allclose(grads[0], mine[1][0], rtol=1e-5)


def test_the_names_in_the_table_of_pytorch_are_paddles():
    rooms = paddle, paddle.Tensor, paddle.linalg, paddle.nn.functional
    for name in torch_calls.TORCH:
        if name.startswith("paddle.nn.functional."):
            assert hasattr(paddle.nn.functional, name.rpartition(".")[2]), name
        else:
            names = name, f"__{name}__"
            assert any(hasattr(room, each) for room in rooms for each in names), name


class FakeTorch:
    """Has one function that notes its arguments."""

    class nn:
        class functional:
            @staticmethod
            def celu(x, **given):
                return x, given


def test_arguments_that_pytorch_does_not_have_are_refused():
    celu = torch_calls.TORCH["paddle.nn.functional.celu"]
    assert celu(FakeTorch, 1, 0.5, name="a") == (1, {"alpha": 0.5})
    with pytest.raises(torch_calls.NotInTorch, match="beta"):
        celu(FakeTorch, 1, beta=0.5)


@pytest.mark.deep
def test_pytorch_gives_the_same_for_a_line_of_each_function():
    if importlib.util.find_spec("torch") is None:
        pytest.skip("torch is not installed")
    lines = Path(__file__).with_name("lines_for_torch.txt").read_text().splitlines()
    side, ours = Side("torch"), Paddle(paddle)
    try:
        for line in lines:
            side.send(line, 0)
            word, found = side.receive()
            assert word == "ok", (line, found)
            mine = ours.run(Call(line), 0)
            for one, other in zip(found[0], mine[0], strict=True):
                np.testing.assert_allclose(one, other, rtol=1e-4, atol=1e-5, err_msg=line)
    finally:
        side.close()
