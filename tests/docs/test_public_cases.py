"""tools/public_cases.py: a made-up suite is run on a made-up Paddle and on this library."""

import json
import re
import sys

import pytest

from tests.support.modules_of_tools import module_of_tools

PADDLE = {
    "__init__.py": "from paddle import linalg\n\ndef ones(shape):\n    return linalg.norm(shape)\n",
    "linalg.py": "def norm(x):\n    return x\n",
}
TESTS = """\
import paddle

def test_ones():
    paddle.ones([2])

def test_norm():
    import numpy
    paddle.linalg.norm(paddle.ones([2]))

def test_without_paddle():
    pass

def test_that_fails_on_paddle():
    paddle.ones([2])
    assert paddle.linalg.lu

def test_that_fails_here():
    paddle.ones([2])
    assert not hasattr(paddle, "Tensor")
"""


cases = module_of_tools("public_cases")


@pytest.fixture
def suite(tmp_path):
    """A folder of one suite, whose folder also holds a made-up Paddle."""
    folder = tmp_path / "made_up-1.0"
    (folder / "paddle").mkdir(parents=True)
    for name, text in PADDLE.items():
        (folder / "paddle" / name).write_text(text)
    (folder / "tests").mkdir()
    (folder / "tests" / "test_made_up.py").write_text(TESTS)
    return folder


def test_a_suite_is_run_on_both_and_recorded(suite, tmp_path, monkeypatch, capsys):
    records = tmp_path / "records.json"
    monkeypatch.setattr(cases, "RECORDS", records)
    cases.main([str(suite.parent), "--paddle", sys.executable, "--logs", str(tmp_path / "logs")])
    assert json.loads(records.read_text()) == {
        "made_up-1.0": {
            "cases": 3,
            "here": 2,
            "modules": {"paddle": [3, 2], "linalg": [1, 1]},
            "fail here": {"tests/test_made_up.py::test_that_fails_here": ["paddle"]},
        }
    }
    assert "3 cases pass on Paddle, of these 2 here" in capsys.readouterr().out
    assert (tmp_path / "logs" / "here").exists()
    assert not (suite / "tests" / "__pycache__").exists()  # the suite itself is left as it was


def test_a_file_that_takes_too_long_has_no_cases(suite):
    wait = [sys.executable, "-c", "import time; time.sleep(60)"]
    files = cases.test_files(suite)
    assert cases.run_suite(wait, suite, files, limit_s=0.2) == {files[0]: {}}


@pytest.mark.deep
def test_a_mended_case_is_counted_when_its_file_runs_again(suite, tmp_path, monkeypatch):
    records = tmp_path / "records.json"
    monkeypatch.setattr(cases, "RECORDS", records)
    modules = {"paddle": [3, 1], "linalg": [1, 1]}
    failing = ["tests/test_made_up.py::test_ones", "tests/test_made_up.py::test_that_fails_here"]
    found = {"cases": 3, "here": 1, "modules": modules}
    found["fail here"] = {name: ["paddle"] for name in failing}
    records.write_text(json.dumps({suite.name: found}))
    cases.main([str(suite.parent), "--paddle", "not-run", "--again"])
    now = json.loads(records.read_text())[suite.name]
    assert (now["here"], now["modules"]["paddle"]) == (2, [3, 2])
    assert list(now["fail here"]) == failing[1:]


def test_the_page_has_a_table_of_suites_of_modules_and_of_reasons(monkeypatch):
    found = {
        "a-1": {
            "cases": 2,
            "here": 1,
            "modules": {"nn": [2, 1]},
            "fail here": {"t.py::test_x[1, 2]": ["nn"]},
        },
        "b-2": {"cases": 1, "here": 1, "modules": {"nn": [1, 1], "io": [1, 1]}, "fail here": {}},
    }
    monkeypatch.setattr(cases, "records", lambda: found)
    monkeypatch.setattr(cases, "reasons", lambda: [("It needs more.", ["a-1:t.py::test_x*"])])
    lines = cases.public_cases()
    assert "| a | 1 | 2 | 1 |" in lines
    assert "| **all** | | **3** | **2** |" in lines
    assert [each for each in lines if each.startswith(("| nn", "| io", "| paddle"))] == [
        "| nn | 3 | 2 |",
        "| io | 1 | 1 |",
    ]
    assert "| 1 | It needs more. |" in lines


def test_every_case_that_fails_here_has_a_reason():
    failing = [
        f"{suite}: {name}" for suite, each in cases.records().items() for name in each["fail here"]
    ]
    without = [name for name in failing if not cases.reason_of(name)]
    assert not without, f"tools/public_cases_reasons.toml gives no reason for {without}"


def test_the_records_name_no_machine():
    text = cases.RECORDS.read_text(encoding="utf-8")
    assert "://" not in text
    assert not re.findall(r"(?<![\w.])/\w+", text)  # an absolute path
