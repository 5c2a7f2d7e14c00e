"""The examples run as a user runs them, and write the promised files."""

import importlib.util
import os
import re
import subprocess
import sys
from pathlib import Path

import pydot
import pytest

from tests.support import xla_flags
from tests.support.here import AS_ON_A_CPU

ROOT = Path(__file__).resolve().parent.parent


def run_example(name, *arguments):
    """Run an example in its own process; return it finished, with its output."""
    command = [sys.executable, str(ROOT / "examples" / name), *arguments]
    environment = xla_flags.for_long_runs(os.environ | {"PYTHONPATH": str(ROOT)})
    return subprocess.run(command, capture_output=True, text=True, env=environment, check=False)


def _module(name):
    """Return an example as a module of this process."""
    spec = importlib.util.spec_from_file_location(name, ROOT / "examples" / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def node_names(path):
    """Return the labels of the nodes of a .dot file, without quotes."""
    (graph,) = pydot.graph_from_dot_data(path.read_text(encoding="utf-8"))
    labels = [node.get_label() for node in graph.get_nodes()]
    return [label.strip('"') for label in labels if label]


@pytest.fixture(scope="module")
def digits(tmp_path_factory):
    """Return the main example, run once, and the folder it wrote."""
    pytest.importorskip("sklearn")
    out = tmp_path_factory.mktemp("digits")
    return run_example("train_digits.py", "--epochs", "20", "--out", str(out)), out


def test_digits_reach_the_accuracy_wanted(digits):
    finished, _ = digits
    assert finished.returncode == 0, finished.stderr
    percent = float(re.search(r"test accuracy +([\d.]+) %", finished.stdout).group(1))
    assert percent >= 97.0


def test_digits_gradients_agree_with_jax_grad(digits):
    finished, _ = digits
    worst = float(re.search(r"max relative error +([\d.e+-]+)", finished.stdout).group(1))
    assert 0.0 <= worst < 1e-4
    assert len(re.findall(r"^  (?:features|classifier)\.\S+ +\S+$", finished.stdout, re.M)) == 8


def test_digits_write_their_pictures_and_say_where(digits):
    finished, out = digits
    written = {path.name for path in out.iterdir()}
    assert written == {"training.png", "training.svg", "backward_graph.dot", "backward_graph.svg"}
    for name in written:
        assert str(out / name) in finished.stdout
        assert (out / name).stat().st_size > 1000


def test_digits_graph_has_a_leaf_per_parameter(digits):
    _, out = digits
    labels = node_names(out / "backward_graph.dot")
    assert sum("GradNodeAccumulation" in label for label in labels) == 8
    assert sum("Conv2d" in label for label in labels) == 2


@pytest.mark.deep
def test_digits_fail_when_too_little_was_learnt(tmp_path):
    pytest.importorskip("sklearn")
    finished = run_example("train_digits.py", "--epochs", "1", "--out", str(tmp_path))
    assert finished.returncode == 1
    assert "FAILED: the accuracy wanted is 97 %" in finished.stderr


def test_digits_fail_after_a_bad_history(tmp_path, monkeypatch, capsys):
    """As the test above, without the training."""
    pytest.importorskip("sklearn")
    digits = _module("train_digits")
    history = {"loss": [2.0], "train accuracy": [0.5], "test accuracy": [0.96], "steps": 1}
    monkeypatch.setattr(digits, "train", lambda net, split, epochs: history)
    monkeypatch.setattr(digits, "draw_one_step", lambda *given: [])
    monkeypatch.setattr(digits, "compare_with_jax", lambda *given: {"weight": 1e-6})
    assert digits.main(["--out", str(tmp_path)]) == 1
    assert "FAILED: the accuracy wanted is 97 %" in capsys.readouterr().err
    history["test accuracy"] = [0.98]
    assert digits.main(["--out", str(tmp_path)]) == 0
    monkeypatch.setattr(digits, "compare_with_jax", lambda *given: {"weight": 1e-3})
    assert digits.main(["--out", str(tmp_path)]) == 1
    assert "FAILED: the error allowed is 1e-04" in capsys.readouterr().err


def test_debug_guide_model_prints_norms_and_draws(tmp_path):
    finished = run_example("debug_guide_model.py", "--out", str(tmp_path))
    assert finished.returncode == 0, finished.stderr
    norms = re.findall(r"^(?:conv|fc)\.\S+ +\[.*?\] +([\d.]+)$", finished.stdout, re.M)
    assert len(norms) == 8
    assert all(float(norm) > 0.0 for norm in norms)
    labels = node_names(tmp_path / "backward_graph.dot")
    assert sum("Sigmoid" in label for label in labels) == 3
    assert (tmp_path / "backward_graph.svg").read_text(encoding="utf-8").count("<ellipse") >= 10


def run_quickly(name, tmp_path):
    """Run an example for a few steps; return its output, after a check of its picture."""
    pytest.importorskip("sklearn")
    finished = run_example(f"{name}.py", "--quick", "--out", str(tmp_path))
    assert finished.returncode == 0, finished.stderr
    picture = tmp_path / f"{name}.png"
    assert str(picture) in finished.stdout
    assert picture.stat().st_size > 10_000
    return finished.stdout


@pytest.mark.deep
@pytest.mark.parametrize("name", ["vae", "maml", "wgan_gp"])
def test_gradients_agree_with_jax_grad(name, tmp_path):
    printed = run_quickly(name, tmp_path)
    error = float(re.search(r"max relative error ([\d.e+-]+)", printed).group(1))
    assert 0.0 < error < 1e-4


@pytest.mark.deep
def test_saved_tensors_in_other_forms(tmp_path):
    printed = run_quickly("saved_tensors", tmp_path)
    rows = dict(re.findall(r"^(as they are|on the host|as bfloat16) +([\d,]+)", printed, re.M))
    kept = {name: int(count.replace(",", "")) for name, count in rows.items()}
    assert kept["on the host"] == 0
    assert 0.45 < kept["as bfloat16"] / kept["as they are"] < 0.55
    errors = re.findall(r" (\d\.\de[+-]\d+) ", printed)
    assert errors[:2] == ["0.0e+00", "0.0e+00"]
    assert 0.0 < float(errors[2]) < 0.05


@pytest.mark.deep
def test_recompute_needs_less_memory_for_the_same_gradients(tmp_path):
    printed = run_quickly("recompute", tmp_path)
    row = r"^(nothing|each block|three blocks) +([\d.]+) +(\d+)% +\d+ +([\d.e+-]+)$"
    rows = {name: list(map(float, rest)) for name, *rest in re.findall(row, printed, re.M)}
    assert rows["each block"][1] <= 35
    assert rows["each block"][0] < rows["three blocks"][0] < rows["nothing"][0]
    assert max(error for _, _, error in rows.values()) < 1e-4


@pytest.mark.deep
def test_an_example_fails_when_it_has_not_learnt_enough(tmp_path):
    finished = run_example("maml.py", "--steps", "2", "--out", str(tmp_path))
    assert finished.returncode == 1
    assert "FAILED: one step must make it 3 times smaller; --quick is for" in finished.stderr


@pytest.mark.deep
def test_letters_are_written_without_a_kernel_for_each_length(tmp_path):
    pytest.importorskip("tqdm")
    command = [sys.executable, "-m", "jaxeager", str(ROOT / "examples" / "gpt.py")]
    finished = subprocess.run(
        [*command, "--steps", "2", "--letters", "40"],
        cwd=tmp_path, env=os.environ | {"PYTHONPATH": str(ROOT)},
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert finished.returncode == 0, finished.stderr
    assert "kernels at this line" not in finished.stderr
    assert len(finished.stdout.splitlines()[-1]) == len("You may ") + 40


@pytest.mark.deep
def test_digits_in_two_processes_train_as_in_one(tmp_path):
    pytest.importorskip("sklearn")
    command = [
        sys.executable, "-m", "jaxeager.distributed.launch", "--nproc_per_node=2",
        f"--log_dir={tmp_path}", ROOT / "examples" / "data_parallel_digits.py", "--check",
    ]  # fmt: skip
    environment = {**os.environ, **AS_ON_A_CPU, "PYTHONPATH": str(ROOT)}
    environment = xla_flags.for_long_runs(environment)
    finished = subprocess.run(
        list(map(str, command)), capture_output=True, text=True, env=environment, check=False
    )
    assert finished.returncode == 0, finished.stderr
    assert "2 processes, loss of each epoch [" in finished.stdout
    apart = re.search(r"differ from those of one process by (\S+)", finished.stdout).group(1)
    assert float(apart) < 1e-3
