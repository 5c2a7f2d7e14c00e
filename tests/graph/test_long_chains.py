"""Graphs longer and wider than any recursion could follow: built, run backward, freed.

Each runs in a separate process with an 8 MiB stack and the default recursion limit. A crash shows
as its exit status; Paddle 3.3.1 ends with a segmentation fault at 100,000 nodes.
"""

import os
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.skipif(os.name != "posix", reason="the stack is limited by a POSIX shell")

# At 100,000 nodes Paddle's recursion ends the process.
LONG = [100_000, pytest.param(1_000_000, marks=pytest.mark.deep)]

PREFACE = """
import gc, sys
assert sys.getrecursionlimit() == 1000
import numpy as np
import jaxeager as paddle

x = paddle.to_tensor(np.array([2.0, 3.0], "float32"), stop_gradient=False)
one = paddle.to_tensor(np.array([1.0, 1.0], "float32"))
gc.disable()  # The graph must free itself, without a search for cycles.
"""

CHAIN = """
y = x
for _ in range(LENGTH):
    y = paddle.OP
y.backward()
assert x.grad.tolist() == [1.0, 1.0], x.grad
assert y.tolist() == [2.0, 3.0], y
del y
"""

DROPPED = """
y = x
for _ in range(LENGTH):
    y = paddle.OP
assert y.tolist() == [2.0, 3.0], y
del y
assert x.grad is None
"""

WIDE = """
terms = [paddle.scale(x, float(i % 3)) for i in range(LENGTH)]
paddle.autograd.backward(terms)
expected = float(sum(i % 3 for i in range(LENGTH)))
assert x.grad.tolist() == [expected, expected], x.grad
del terms
"""

ENDING = """
assert not [each for each in gc.get_objects() if type(each).__name__ == "GradNode"]
print("ended")
"""

LADDER = """
y = x
for _ in range(LENGTH):
    y = paddle.add(paddle.scale(y, 0.5), paddle.scale(y, 0.5))
y.backward()
assert x.grad.tolist() == [1.0, 1.0], x.grad
del y
"""


def run_in_small_stack(program: str, length: int, op: str = "") -> None:
    """Run a program with an 8 MiB stack and assert that it ends well."""
    code = PREFACE + program.replace("LENGTH", str(length)).replace("OP", op) + ENDING

    root = Path(__file__).resolve().parents[2]
    limited = ["sh", "-c", 'ulimit -s 8192 && exec "$@"', "sh"]
    run = subprocess.run(
        [*limited, sys.executable, "-c", code],
        cwd=root,
        env=os.environ | {"PYTHONPATH": str(root)},
        capture_output=True,
        text=True,
    )
    assert run.returncode == 0, f"exit status {run.returncode}:\n{run.stderr[-3000:]}"
    assert run.stdout.endswith("ended\n")


@pytest.mark.deep
@pytest.mark.parametrize("length", LONG)
def test_a_chain_that_saves_nothing(length):
    run_in_small_stack(CHAIN, length, "scale(y, 1.0)")


@pytest.mark.parametrize("length", [100_000])
def test_a_chain_that_saves_its_inputs(length):
    run_in_small_stack(CHAIN, length, "multiply(y, one)")


@pytest.mark.deep
@pytest.mark.parametrize("length", LONG)
def test_a_chain_dropped_without_backward(length):
    run_in_small_stack(DROPPED, length, "multiply(y, one)")


@pytest.mark.parametrize("length", [10_000])
def test_many_gradients_into_one_leaf(length):
    run_in_small_stack(WIDE, length)


@pytest.mark.deep
@pytest.mark.parametrize("length", [10_000])
def test_a_ladder_of_shared_tensors(length):
    # 2 ** 10,000 paths lead to the leaf; each node may run once only.
    run_in_small_stack(LADDER, length)
