"""Thousands of damaged files: each is plain data or one error, in bounded memory and calls."""

import ast
import os
import subprocess
import sys

import pytest

from tests.parity import harness
from tests.support.damaged_files import make_seeds
from tests.support.here import AS_ON_A_CPU

PADDLE_WRITES = """
import sys, numpy as np, paddle
folder = sys.argv[1]
net = paddle.nn.Linear(3, 2)
adam = paddle.optimizer.Adam(paddle.optimizer.lr.StepDecay(0.1, 2), parameters=net.parameters())
net(paddle.ones([2, 3])).sum().backward()
adam.step()
nested = {"a": [paddle.ones([2]).astype("bfloat16"), (1, "x")], "c": paddle.to_tensor(1j)}
for protocol in (2, 3, 4):
    paddle.save(net.state_dict(), f"{folder}/paddle-net{protocol}", protocol=protocol)
    paddle.save(adam.state_dict(), f"{folder}/paddle-opt{protocol}", protocol=protocol)
    paddle.save(nested, f"{folder}/paddle-nested{protocol}", protocol=protocol)
"""


def _run(folder, first, count):
    """Return how many files were read and refused."""
    done = subprocess.run(
        [sys.executable, "-m", "tests.support.damaged_files", str(folder), str(first), str(count)],
        capture_output=True,
        text=True,
        env=os.environ | AS_ON_A_CPU,  # the memory that is bounded is the host's
    )
    assert done.returncode == 0, done.stderr[-3000:]
    return ast.literal_eval(done.stdout)


@pytest.fixture(scope="module")
def seeds(tmp_path_factory):
    """Return a folder of files of ours, of NumPy and, where it is installed, of real Paddle."""
    folder = tmp_path_factory.mktemp("seeds")
    make_seeds(folder)
    return folder


def test_damaged_files(seeds):
    """Some thousands."""
    tally = _run(seeds, 0, 4000)
    assert sum(tally.values()) == 4000
    assert min(tally["pickles read"], tally["pickles refused"]) > 300


@pytest.mark.deep
def test_a_hundred_thousand_damaged_files(seeds):
    """Of real Paddle's files as well."""
    subprocess.run(
        [harness.needed_paddle(), "-W", "ignore", "-c", PADDLE_WRITES, str(seeds)],
        check=True,
        capture_output=True,
    )
    tally = _run(seeds, 10_000, 100_000)
    assert sum(tally.values()) == 100_000
    assert min(tally["pickles read"], tally["pickles refused"]) > 5_000
