"""The examples run as a user runs them, and leave what they promise."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pydot
import pytest

ROOT = Path(__file__).resolve().parent.parent


def run_example(name, *arguments):
    """Runs an example in its own process; returns it finished, with its output."""
    command = [sys.executable, str(ROOT / "examples" / name), *arguments]
    environment = os.environ | {"PYTHONPATH": str(ROOT)}
    return subprocess.run(command, capture_output=True, text=True, env=environment, check=False)


def node_names(path):
    """Returns the labels of the nodes of a .dot file, without quotes."""
    (graph,) = pydot.graph_from_dot_data(path.read_text(encoding="utf-8"))
    labels = [node.get_label() for node in graph.get_nodes()]
    return [label.strip('"') for label in labels if label]


@pytest.fixture(scope="module")
def digits(tmp_path_factory):
    """The main example, run once, and the folder it wrote."""
    pytest.importorskip("sklearn")
    out = tmp_path_factory.mktemp("digits")
    return run_example("train_digits.py", "--out", str(out)), out


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


def test_digits_fail_when_too_little_was_learnt(tmp_path):
    pytest.importorskip("sklearn")
    finished = run_example("train_digits.py", "--epochs", "1", "--out", str(tmp_path))
    assert finished.returncode == 1
    assert "FAILED: the accuracy wanted is 97 %" in finished.stderr


def test_debug_guide_model_prints_norms_and_draws(tmp_path):
    finished = run_example("debug_guide_model.py", "--out", str(tmp_path))
    assert finished.returncode == 0, finished.stderr
    norms = re.findall(r"^(?:conv|fc)\.\S+ +\[.*?\] +([\d.]+)$", finished.stdout, re.M)
    assert len(norms) == 8
    assert all(float(norm) > 0.0 for norm in norms)
    labels = node_names(tmp_path / "backward_graph.dot")
    assert sum("Sigmoid" in label for label in labels) == 3
    assert (tmp_path / "backward_graph.svg").read_text(encoding="utf-8").count("<ellipse") >= 10
