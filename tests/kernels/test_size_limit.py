"""Sizes beyond any memory, and scarce memory: errors, and a process that continues."""

import re
import sys

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import jaxeager as paddle
from jaxeager.errors import InvalidArgumentError, JaxEagerError, ResourceExhaustedError
from jaxeager.kernels import tracing
from tests.support import huge_calls
from tests.support.here import only_on_a_cpu
from tests.support.processes import printed_by, printed_by_command


@only_on_a_cpu("CUDA maps more than the address space that is left here")
@pytest.mark.skipif(sys.platform != "linux", reason="the limit of the address space is Linux's")
def test_calls_with_huge_sizes_are_refused():
    """Each call of the table runs with each size, in one process, which survives them all."""
    printed = printed_by_command(huge_calls.__file__, str(6 * huge_calls.GIB)).splitlines()
    outcomes = [line.rsplit(" | ", 2) for line in printed]
    assert len(outcomes) == sum(
        len(huge_calls.SIZES) if "N" in call else 1 for call in huge_calls.CALLS
    )
    refusals = (
        "ResourceExhaustedError",
        "InvalidArgumentError",
        "RefusedArgumentError",
        "OutOfRangeError",
    )
    assert [line for *line, found in outcomes if found not in refusals] == []
    exhausted = {call for call, _, found in outcomes if found == "ResourceExhaustedError"}
    assert len(exhausted) > len(huge_calls.CALLS) * 3 // 4


@pytest.mark.parametrize(
    ("make", "text"),
    [
        (
            lambda: paddle.ones([2**62, 4]),
            r"full would make float32\[4611686018427387904, 4\] of 73786976294838206464 bytes "
            r"\(64.0 EiB\), but there are \d+ bytes \(\S+ \wiB\) of memory",
        ),
        (
            lambda: paddle.ones([4], "int8").expand([2**40, 2**20, 4]),
            r"expand would make int8\[1099511627776, 1048576, 4\] of 4611686018427387904 bytes",
        ),
        (lambda: paddle.arange(2**50), r"arange would make int64\[1125899906842624\] of"),
        (
            lambda: paddle.nn.Linear(2**40, 2**10),
            r"A parameter from \w+ would make float32\[1099511627776, 1024\]",
        ),
        (
            lambda: paddle.nn.functional.one_hot(paddle.to_tensor([1]), 2**50),
            r"one_hot would make float32\[1, 1125899906842624\]",
        ),
    ],
)
def test_the_error_has_the_requested_and_the_available_bytes(make, text):
    with pytest.raises(ResourceExhaustedError, match=text) as caught:
        make()
    assert isinstance(caught.value, MemoryError)
    assert str(caught.value).startswith("(ResourceExhausted) ")


@pytest.mark.parametrize("size", [2**63, 2**70])
@pytest.mark.parametrize(
    "call",
    [
        lambda n: paddle.zeros([n]),
        lambda n: paddle.ones([4]).expand([n, 4]),
        lambda n: paddle.randint(0, n, [2]),
        lambda n: paddle.eye(n),
        lambda n: paddle.ones([4]).reshape([n, 4]),
        lambda n: paddle.nn.Linear(n, 2),
    ],
)
def test_a_size_that_is_no_int64_is_an_invalid_argument(call, size):
    with pytest.raises(InvalidArgumentError):
        call(size)


@pytest.mark.parametrize("shape", [[2.5], [float("nan")], ["3"], [None], [[2]]])
def test_a_size_that_is_no_integer_is_an_error_of_this_package(shape):
    with pytest.raises(JaxEagerError):
        paddle.zeros(shape)


def test_sizes_that_nothing_is_made_of():
    """With a 0 the other sizes may be anything that XLA can still multiply."""
    assert paddle.zeros([0, 2**40]).shape == [0, 2**40]
    with pytest.raises(ResourceExhaustedError, match="more than 64 bits can count"):
        paddle.zeros([0, 2**40, 2**40])
    with pytest.raises(ResourceExhaustedError, match="more than 64 bits can count"):
        paddle.zeros([1, 0, 4]).expand([2**62, 0, 4])


def test_a_step_inside_a_kernel_is_refused_too():
    """Its result is one number, its intermediate array could not be counted."""

    def rule(x, *, n):
        return jnp.sum(jnp.broadcast_to(x, (n, n, x.size)))

    kernel = tracing.jit(rule, name="sum_of_many", static_argnames="n")
    assert kernel(np.ones(2, np.float32), n=3) == 18
    with pytest.raises(ResourceExhaustedError, match=r"sum_of_many would make float32\[1099511"):
        kernel(np.ones(2, np.float32), n=2**40)


def test_steps_in_loops_and_branches_are_checked():
    def rule(x, *, n):
        def body(_, total):
            return total + jnp.sum(jnp.broadcast_to(x, (n, n, 2)))

        return jax.lax.cond(x[0] > 0, lambda: jax.lax.fori_loop(0, 2, body, 0 * x[0]), lambda: x[0])

    kernel = tracing.jit(rule, name="loop", static_argnames="n")
    with pytest.raises(ResourceExhaustedError, match="loop would make"):
        kernel(np.ones(2, np.float32), n=2**40)


def test_repeats_whose_sum_wraps_around():
    counts = paddle.to_tensor([2**62] * 4)
    with pytest.raises(InvalidArgumentError, match=r"64 bits, .* \[18446744073709551616\]"):
        paddle.repeat_interleave(paddle.ones([4]), counts)


def test_a_failed_call_leaves_everything_as_it_was():
    x = paddle.ones([4])
    x.stop_gradient = False
    y = x * 2.0
    for write in (lambda: y.resize_([2**50]), lambda: x.expand([2**50, 4])):
        with pytest.raises(JaxEagerError):
            write()
    assert y.shape == [4]
    y.sum().backward()
    assert x.grad.tolist() == [2.0] * 4


SHORT = """
import os, re, resource
os.environ |= {"FLAGS_kernel_files": "0", "JAX_ENABLE_COMPILATION_CACHE": "0"}
import jaxeager as paddle
x = paddle.ones([2**14, 1])
x.stop_gradient = False
narrow = paddle.ones([2**28], "int8")
table = paddle.ones([2**27]).block_until_ready()
table.stop_gradient = False
(paddle.ones([2]) + 1).tolist()  # compiled now, as XLA's threads map more than will be left
status = open("/proc/self/status").read()
used = int(re.search(r"VmSize:\\s+(\\d+)", status).group(1)) * 1024
limit = used + 2**28
resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
calls = {
    "source": lambda: paddle.zeros([2**28]).numpy(),
    "host": lambda: paddle.arange(2**27),
    "op": lambda: narrow.astype("float32").numpy(),
    "late": lambda: x.detach().matmul(x.detach().t()).item(0, 0),
    "draw": lambda: paddle.rand([2**28]).numpy(),
    "parameter": lambda: paddle.nn.Linear(2**14, 2**14),
    "print": lambda: repr(x.detach().matmul(x.detach().t())),
    "backward": lambda: [table[:4].sum().backward(), table.grad.numpy()],
}
for name, call in calls.items():
    try:
        call()
    except Exception as error:
        print(name, "|", type(error).__name__, "|", str(error).replace("\\n", " "))
    else:
        print(name, "| nothing |")
print((paddle.ones([2]) + 1).tolist())
"""


@only_on_a_cpu("CUDA maps more than the address space that is left here")
@pytest.mark.skipif(sys.platform != "linux", reason="the limit of the address space is Linux's")
def test_memory_that_is_short_is_an_error_that_names_the_op():
    *lines, last = printed_by(SHORT).splitlines()
    told = dict(line.split(" | ", 1) for line in lines)
    where = {  # an op whose memory is requested later is unknown when it fails
        "source": "(full|The computation of a value)",
        "host": "arange",
        "op": "(cast|The computation of a value)",
        "late": "(transpose|matmul|The computation of a value)",
        "draw": "(uniform|The computation of a value)",
        "parameter": r"A parameter( from \w+)?",
        "backward": "(slice_grad|The computation of a value)",
        "print": "(transpose|matmul|The computation of a value)",
    }
    text = r"ResourceExhaustedError \| \(ResourceExhausted\) {}: .* The memory has \d+ bytes"
    for name, op in where.items():
        assert re.match(text.format(op), told[name]), told[name]
    assert last == "[2.0, 2.0]"  # the process continues
