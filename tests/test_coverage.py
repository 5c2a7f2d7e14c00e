"""docs/coverage.md: the share of Paddle's public names, and that its sources are true."""

import fnmatch
import json
import os
import subprocess

import pytest

from tests.parity.harness import needed_paddle
from tests.support.modules_of_tools import TOOLS, module_of_tools

recorder = module_of_tools("record_paddle_names")
module_of_tools("public_cases")
pages = module_of_tools("paddle_coverage")
members = module_of_tools("paddle_members")
COVERAGE = pages.coverage()
LEAST = 0.95
LEAST_OF_ALL = 0.97


@pytest.mark.parametrize("module", pages.CORE)
def test_nearly_every_name_of_the_core_is_here(module):
    found = COVERAGE[module]
    assert found.present / found.count >= LEAST, f"missing: {found.missing}"


@pytest.mark.parametrize("module", COVERAGE)
def test_every_missing_name_has_a_reason(module):
    without = [name for name in COVERAGE[module].missing if not pages.why(module, name)]
    assert not without, f"jaxeager/launcher/absent.toml gives no reason for {without}"


@pytest.mark.parametrize("module", COVERAGE)
def test_every_missing_name_has_a_class(module):
    known = {*pages.APART, "several devices", "python", "JAX", "not built"}
    other = {name: pages.class_of(module, name) for name in COVERAGE[module].missing}
    assert set(other.values()) <= known, other


def test_nearly_every_name_that_counts_is_here():
    public = [module for module in COVERAGE if module != pages.PRIVATE]
    assert pages.share(public) >= LEAST_OF_ALL


def test_every_reason_is_about_a_missing_name():
    missing = {f"{module}.{name}" for module, found in COVERAGE.items() for name in found.missing}
    modules = {f"{module}.*" for module, found in COVERAGE.items() if found.missing}
    assert set(pages.reasons()) <= missing | modules


def test_parameters_are_read_from_a_signature():
    assert pages.parameters("(x, axis=(0, 1), *, out={'a': 1}, name=None)") == ["x", "axis", "out"]
    assert pages.parameters("(*args, y=None, **kwargs)") == ["y"]
    assert pages.parameters("()") == []


DIFFERENCES = {
    name: getattr(members, name)()
    for name in ("other_kinds", "other_bases", "missing_members", "other_positions")
}


@pytest.mark.parametrize("found", DIFFERENCES)
def test_classes_are_those_of_paddle(found):
    unknown = {n: text for n, text in DIFFERENCES[found].items() if not members.is_listed(n)}
    assert not unknown, f"mend them, or say why in tools/other_members.toml: {unknown}"


def test_every_reason_is_about_a_difference_of_classes():
    names = [name for found in DIFFERENCES.values() for name in found]
    for pattern in members.reasons():
        assert fnmatch.filter(names, pattern), f"{pattern} is as in Paddle"


def test_bases_that_programs_ask_for():
    asked = {
        "nn.Linear": "nn.Layer",
        "nn.ParameterList": "nn.Layer",
        "optimizer.Adam": "optimizer.Optimizer",
        "optimizer.lr.StepDecay": "optimizer.lr.LRScheduler",
        "io.TensorDataset": "io.Dataset",
        "distribution.Normal": "distribution.Distribution",
        "distribution.ExpTransform": "distribution.Transform",
        "metric.Accuracy": "metric.Metric",
        "callbacks.EarlyStopping": "callbacks.Callback",
        "vision.transforms.Resize": "vision.transforms.BaseTransform",
    }
    for name, base in asked.items():
        assert base in members.recorded()["classes"][name]["bases"]
        assert issubclass(members.ours(name), members.ours(base))


def test_positions_are_read_from_a_signature():
    assert members.positional("(x, axis=(0, 1), /, name=None, *, out=None)") == [
        "x",
        "axis",
        "name",
    ]
    assert members.positional("(*args, **kwargs)") == []


@pytest.mark.live
@pytest.mark.parametrize("file", ["recorded", "classes", "layer_signatures"])
def test_the_recorded_names_are_those_of_paddle(file):
    python = needed_paddle()
    code = f"import json, paddle, record_paddle_names as r; print(json.dumps(r.{file}(paddle)))"
    done = subprocess.run(
        [python, "-W", "ignore", "-c", code],
        cwd=TOOLS,
        env={**os.environ, "GLOG_minloglevel": "3"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    files = {"recorded": recorder.NAMES, "classes": recorder.CLASSES}
    path = files.get(file, recorder.LAYERS)
    now = json.loads(done.stdout.splitlines()[-1])
    assert now == json.loads(path.read_text(encoding="utf-8"))
