"""An op takes one row and no other edit: the diff in CONTRIBUTING.md, applied to a copy."""

import os
import pathlib
import re
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]

CHECKS = """
import sys
sys.path[:0] = [".", "tools"]
import numpy as np
import jaxeager as paddle
import generate
from jaxeager.ops.row import ROWS
from tests.support.cases import cases_of

x = paddle.to_tensor([0.5, -1.0], stop_gradient=False)
out = paddle.exp2(x)                            # the function
assert out.grad_fn.name() == "Exp2GradNode"     # the node
out.sum().backward()                            # the VJP kernel: 2^x * ln 2
np.testing.assert_allclose(x.grad.numpy(), [0.98025814, 0.34657359], rtol=1e-5)
assert x.detach().exp2().shape == [2]           # the method
y = x * 1
assert y.exp2_() is y                           # the in-place twin
assert y.inplace_version == 1
assert paddle.exp2(paddle.to_tensor([1])).dtype == "float32"      # promotion
assert "Exp2GradNode" in generate.ops_pages()["ops-elementwise"]                      # the docs row
assert "def exp2(self" in generate.methods_stub()                 # the type stubs
assert "def exp2_(x" in generate.names_stub(generate.PUBLIC)
assert len(list(cases_of(ROWS["exp2"]))) == 12                    # the test rows
"""

TESTS_OF_A_ROW = ("tests/ops/test_rows.py", "tests/ops/test_formulas.py")


def added_lines() -> tuple[str, str]:
    """Return the file the diff names and the lines it adds."""
    diff = re.search(r"```diff\n(.*?)```", (ROOT / "CONTRIBUTING.md").read_text(), re.S).group(1)
    file = re.search(r"^\+\+\+ b/(.*)$", diff, re.M).group(1)
    lines = [line[1:] for line in diff.splitlines() if re.match(r"\+(?!\+\+)", line)]
    return file, "\n".join(lines)


def test_everything_is_derived_from_one_row(tmp_path):
    ignore = shutil.ignore_patterns("__pycache__")
    for folder in ("jaxeager", "docs", "tests", "tools"):
        shutil.copytree(ROOT / folder, tmp_path / folder, ignore=ignore)
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    file, lines = added_lines()
    with open(tmp_path / file, "a") as family:
        family.write(f"\n\n{lines}\n")
    tests = [*TESTS_OF_A_ROW, "-q", "-p", "no:cacheprovider", "-p", "no:xdist"]
    for command in (["-c", CHECKS], ["-m", "pytest", *tests]):
        done = subprocess.run(
            [sys.executable, *command],
            cwd=tmp_path,
            env={**os.environ, "PYTHONPATH": str(tmp_path), "JAXEAGER_TEST_ROW": "exp2"},
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stdout + done.stderr
    assert re.search(r"(\d\d) passed", done.stdout), done.stdout
