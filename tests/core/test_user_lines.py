"""Warnings of the package name the line of the user's program, not a line of the package."""

import os
import subprocess
import sys
import warnings
from contextlib import contextmanager
from pathlib import Path

import pytest

import jaxeager as paddle
from jaxeager.core import user_lines

ROOT = Path(__file__).resolve().parents[2]


def line_of(call):
    """Return the place of the only warning of a call."""
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        call()
    (warning,) = [each for each in told if each.category is UserWarning]
    return warning.filename, warning.lineno


def test_a_flag_that_is_set_warns_at_the_line_that_sets_it(tmp_path):
    (tmp_path / "api.yaml").write_text("apis:\n - paddle.exp\n - paddle.no_such\n")
    value = f"{tmp_path / 'api.yaml'},{tmp_path / 'out.txt'}"
    try:
        place = line_of(lambda: paddle.set_flags({"FLAGS_trace_api": value}))
        line = sys._getframe().f_lineno - 1
        assert place == (__file__, line)
    finally:
        paddle.set_flags({"FLAGS_trace_api": ""})


def test_a_call_traced_into_a_file_keeps_its_line(tmp_path):
    paddle.set_flags({"FLAGS_trace_api": f"all,{tmp_path / 'out.txt'}"})
    try:

        def call():
            paddle.is_tensor(object())

        assert line_of(call) == (__file__, call.__code__.co_firstlineno + 1)
    finally:
        paddle.set_flags({"FLAGS_trace_api": ""})


def test_the_environment_warns_at_the_line_that_imports_the_package():
    kept = {k: v for k, v in os.environ.items() if not k.startswith(("GLOG_", "FLAGS_"))}
    done = subprocess.run(
        [sys.executable, "-c", "import os\nimport jaxeager"],
        env=kept | {"GLOG_vmodule": "nothing", "FLAGS_zzz": "1"},
        capture_output=True,
        text=True,
        check=True,
    )
    heads = [line for line in done.stderr.splitlines() if "UserWarning" in line]
    assert len(heads) == 2
    assert all(head.startswith("<string>:2: UserWarning: ") for head in heads)


@pytest.mark.parametrize(
    ("given", "place"),
    [
        (["-m", "jaxeager", "train.py"], "train.py:4"),
        pytest.param(["-m", "jaxeager", "-m", "train"], "train.py:4", marks=pytest.mark.deep),
        (["-m", "jaxeager", "-F", "FLAGS_use_mkldnn=1", "other.py"], "other.py:1"),
        pytest.param(
            ["-m", "jaxeager.distributed.launch", "train.py"], "train.py:4", marks=pytest.mark.deep
        ),
        pytest.param(["-m", "jaxeager", "flags"], "python -m jaxeager:1", marks=pytest.mark.deep),
    ],
    ids=["script", "module", "option", "launch", "command"],
)
def test_under_the_launcher_the_environment_warns_at_the_programs_line(tmp_path, given, place):
    (tmp_path / "train.py").write_text("import os\n\ndef f():\n    import paddle.nn\n")
    (tmp_path / "other.py").write_text("print('no import')\n")
    done = subprocess.run(
        [sys.executable, *given], cwd=tmp_path, capture_output=True, text=True, check=True,
        env={**os.environ, "FLAGS_zzz": "1", "PYTHONPATH": str(ROOT)},
    )  # fmt: skip
    heads = [line for line in done.stderr.splitlines() if "UserWarning" in line]
    assert len(heads) == (2 if "-F" in given else 1)
    assert all(head.removeprefix(f"{tmp_path}/").startswith(f"{place}: ") for head in heads)


def test_a_warning_is_given_once_a_line_and_can_be_an_error():
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("default")
        for _ in range(2):
            user_lines.warn("said once")
    assert [str(each.message) for each in told] == ["said once"]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(UserWarning, match="refused"):
            user_lines.warn("refused")


def test_without_a_user_the_outermost_frame_is_named(monkeypatch):
    monkeypatch.setattr(user_lines, "_OURS", ("",))
    frame = sys._getframe()
    while frame.f_back is not None:
        frame = frame.f_back
    assert user_lines.user_frame() is frame


def test_a_with_statement_is_the_users_line():
    @contextmanager
    def of_the_package():
        user_lines.warn("within")
        yield

    # As if the generator were in the package: contextlib is between it and the user's line.
    code = of_the_package.__wrapped__.__code__
    of_the_package.__wrapped__.__code__ = code.replace(
        co_filename=user_lines.__file__.replace("user_lines", "anything")
    )
    with pytest.warns(UserWarning, match="within") as seen, of_the_package():
        pass
    assert seen[0].filename == __file__
