"""python -m jaxeager: its commands, their exit statuses and their help."""

import subprocess
import sys

import jax
import numpy as np
import pytest

import jaxeager as paddle
from jaxeager.__main__ import DIFFERENT, EQUAL, UNUSABLE, main
from jaxeager.core import flags

PATH = "FLAGS_tensor_md5_checksum_output_path"


def record(path, offset=0.0, has_more=False):
    """Write the checksums of a small program."""
    from jaxeager.debug.common import naming

    naming.reset()
    paddle.set_flags({PATH: str(path)})
    try:
        x = paddle.to_tensor(np.ones((2, 3), "float32"), stop_gradient=False)
        y = paddle.tanh(x)
        if has_more:
            y = paddle.clip(y, -9.0, 9.0)
        (y * (2 + offset)).sum().backward()
    finally:
        paddle.set_flags({PATH: ""})


@pytest.fixture
def logs(tmp_path):
    for name, given in {
        "a": {},
        "same": {},
        "b": {"offset": 1},
        "c": {"has_more": True},
    }.items():
        record(tmp_path / f"{name}.log", **given)
    return tmp_path


def test_diff_md5_of_equal_runs(logs, capsys):
    assert main(["diff-md5", str(logs / "a.log"), str(logs / "same.log")]) == EQUAL == 0
    assert "All checksums are equal." in capsys.readouterr().out


def test_diff_md5_names_the_place(logs, capsys):
    status = main(["diff-md5", "-C", "1", str(logs / "a.log"), str(logs / "b.log")])
    out = capsys.readouterr().out
    assert status == DIFFERENT == 1
    assert "diverge at line 2 of a: scale1_out_float32_2x3 differs" in out
    assert "  1 1  tanh1_out_float32_2x3\n! 2 2  scale1_out_float32_2x3" in out


def test_diff_md5_aligns_runs(logs, capsys):
    assert main(["diff-md5", str(logs / "a.log"), str(logs / "c.log")]) == DIFFERENT
    out = capsys.readouterr().out
    assert "b has 1 line that a does not have" in out
    assert "Only in" in out


def test_diff_md5_of_no_checksums(logs, capsys):
    (logs / "text.log").write_text("hello\n")
    for other in ("no.log", "text.log"):
        assert main(["diff-md5", str(logs / "a.log"), str(logs / other)]) == UNUSABLE == 2
        assert capsys.readouterr().err.startswith("diff-md5: ")


def test_flags_prints_every_row(capsys):
    assert main(["flags"]) == 0
    out = capsys.readouterr().out
    assert all(f"\n{row.name} " in out for row in flags.TABLE)


@pytest.mark.parametrize(
    "arguments",
    [
        [],
        ["-m"],
        ["diff-md5", "a"],
        ["diff-md5", "a", "b", "-C-1"],
        ["-F", "x", "a.py"],
        ["-F", "check_idnex=1", "a.py"],
        ["--device", "abacus", "a.py"],
        ["--zzz", "a.py"],
    ],
)
def test_other_arguments_are_refused(arguments, capsys):
    with pytest.raises(SystemExit) as caught:
        main(arguments)
    assert caught.value.code == 2
    assert "usage: python -m jaxeager" in capsys.readouterr().err


@pytest.mark.parametrize("arguments", [["-h"], ["diff-md5", "-h"], ["flags", "-h"]])
def test_help(arguments, capsys):
    with pytest.raises(SystemExit) as caught:
        main(arguments)
    assert caught.value.code == 0
    assert "usage: python -m jaxeager" in capsys.readouterr().out


def test_version(capsys):
    with pytest.raises(SystemExit) as caught:
        main(["--version"])
    assert caught.value.code == 0
    assert capsys.readouterr().out.startswith(
        f"jaxeager {paddle.__version__} (Paddle 3.3.1, JAX {jax.__version__}, Python 3."
    )


@pytest.mark.deep
def test_as_a_module(logs):
    done = subprocess.run(
        [sys.executable, "-m", "jaxeager", "diff-md5", logs / "a.log", logs / "b.log"],
        capture_output=True, text=True, timeout=120,
    )  # fmt: skip
    assert done.returncode == 1, done.stderr
    assert "scale1_out_float32_2x3 differs" in done.stdout
