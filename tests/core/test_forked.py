"""A process forked after JAX started gets an error instead of a hang."""

import os

import pytest

from tests.support.here import IS_ON_CPU
from tests.support.processes import printed_by

needs_fork = pytest.mark.skipif(not hasattr(os, "fork"), reason="nothing forks here")

# Runs each call in a separate forked child, and prints how it ended: in time, or not at all.
PROGRAM = """
import os, signal, warnings
import numpy as np
warnings.simplefilter("ignore")  # JAX's, that forks may hang
import jax
import jaxeager as paddle

x = paddle.to_tensor([1.0, 2.0, 3.0], stop_gradient=False)
big = paddle.ones([400, 400])
adam = paddle.optimizer.Adam(parameters=[x])
(x * x).sum().backward()
adam.step()
(big @ big).numpy()
calls = {
    "read": lambda: x.numpy(),
    "print": lambda: repr(x),
    "save": lambda: paddle.save({"x": x}, os.devnull),
    "a kernel that is there": lambda: (x * x).numpy(),
    "one in threads": lambda: (big @ big).numpy(),
    "a new one": lambda: (x - x).numpy(),
    "an index": lambda: float(x[0]),
    "an optimizer step": lambda: adam.step(),
    "a random number": lambda: paddle.rand([2]),
    "a large array": lambda: paddle.to_tensor(np.ones((1000, 1000))).numpy(),
    "JAX itself": lambda: jax.numpy.sin(np.ones(3)),
    "again": lambda: [fails(lambda: x * x), x * x],
}

def fails(call):
    try:
        call()
    except RuntimeError as error:
        return str(error)

def child(call):
    signal.alarm(60)  # ends the process if it hangs
    try:
        call()
        os._exit(0)
    except paddle.errors.PreconditionNotMetError as error:
        said = f"({os.getpid()}) was forked from process {os.getppid()}" in str(error)
        os._exit(1 if said else 2)
    except BaseException:
        os._exit(3)

for name, call in calls.items():
    busy = [big @ big for _ in range(5)]  # it forks while they are computed
    pid = os.fork()
    if pid == 0:
        child(call)
    print(f"{name}: {os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])}")
print(float((x - x).sum()), float(busy[-1][0, 0]))  # the parent goes on
"""

EARLY = """
import os
import jaxeager as paddle

pid = os.fork()
value = float((paddle.ones([300, 300]) @ paddle.ones([300, 300])).sum())
if pid == 0:
    os._exit(value == 300**3)
print(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]), value)
"""


@needs_fork
def test_every_op_after_a_fork_raises_and_none_hangs():
    *found, parent = printed_by(PROGRAM).splitlines()
    read = 0 if IS_ON_CPU else 1  # a value on a device cannot be read
    assert found == [
        f"read: {read}",
        f"print: {read}",
        f"save: {read}",
        "a kernel that is there: 1",
        "one in threads: 1",
        "a new one: 1",
        "an index: 1",
        "an optimizer step: 1",
        "a random number: 1",
        "a large array: 1",
        "JAX itself: 1",
        "again: 1",
    ]
    assert parent == "0.0 400.0"


@needs_fork
def test_a_fork_before_the_first_op_computes():
    assert printed_by(EARLY).splitlines() == [f"1 {300.0**3}"]
