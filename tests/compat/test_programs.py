"""Ordinary Paddle programs, as people write them, run through the launcher: Paddle's output.

They are in ``tests/programs``. They import ``paddle`` and nothing of jaxeager, read no file of this
repository, and run unchanged.
"""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.parity.questions import PROGRAMS, QUESTIONS, ROOT, paddle_says
from tests.support.often import some

NUMBER = re.compile(r"-?\d+\.\d+(?:e[-+]\d+)?|-?\d+")
# Numbers agree to this share, and to one unit of the last digit printed: both sides compute in
# float32 for some ten steps. Paddle's CPU ignores auto_cast(dtype="bfloat16"); here it has 8 bits.
# Twelve steps of Adam at a rate of 0.01 multiply the last bits, which processors round differently.
SHARES = {"mixed_precision": 2e-2, "classify": 1e-3}
SHARE = 2e-4
LIMIT_S = 300


def differences(theirs: str, ours: str, share: float) -> list[str]:
    """Return the lines that differ: in words, or in numbers beyond the tolerance."""
    found = []
    lines, others = theirs.splitlines(), ours.splitlines()
    if len(lines) != len(others):
        found.append(f"Paddle printed {len(lines)} lines, jaxeager {len(others)}")
    for line, other in zip(lines, others, strict=False):
        same_words = NUMBER.sub("#", line) == NUMBER.sub("#", other)
        numbers = zip(NUMBER.findall(line), NUMBER.findall(other), strict=False)
        if not same_words or not all(_is_close(*pair, share) for pair in numbers):
            found.append(f"Paddle: {line}\nhere:   {other}")
    return found


def _is_close(one: str, other: str, share: float) -> bool:
    if "." not in one:
        return one == other
    last_digit = 10.0 ** -len(one.partition(".")[2].partition("e")[0])
    gap = abs(float(one) - float(other))
    return gap <= share * abs(float(one)) + 1.001 * last_digit


# These run before an issue is closed; the others before every change.
LATER = set(
    "classify codebook contrast crf distill experts fit_more flow forecast gan images"
    " language_model long_run mixed_precision physics q_learning recommend sparsity style tagger"
    " translate unet".split()
)
ALL = [path.stem for path in sorted(PROGRAMS.glob("*.py"))]


@pytest.mark.parametrize("name", some(ALL, lambda name, place: name not in LATER))
def test_a_program_prints_what_it_prints_on_paddle(name, tmp_path):
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-m", "jaxeager", str(PROGRAMS / f"{name}.py")],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        timeout=LIMIT_S,
    )
    assert done.returncode == 0, done.stderr
    wanted = paddle_says(f"program_{name}")["stdout"]
    found = done.stdout.replace(str(tmp_path), "/out")
    assert not differences(wanted, found, SHARES.get(name, SHARE))


def test_programs_know_only_paddle():
    for path in PROGRAMS.glob("*.py"):
        text = Path(path).read_text(encoding="utf-8")
        assert "import paddle" in text
        assert "jaxeager" not in text
        assert f"program_{path.stem}" in QUESTIONS


def test_differences_are_seen():
    assert not differences("loss 0.51230 acc 3/7", "loss 0.51231 acc 3/7", SHARE)
    assert differences("loss 0.5123", "loss 0.5145", SHARE)
    assert differences("acc 3/7", "acc 4/7", SHARE)
    assert differences("loss 1.0", "lost 1.0", SHARE)
    assert differences("a\nb", "a", SHARE)
