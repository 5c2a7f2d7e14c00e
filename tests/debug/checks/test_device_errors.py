"""FLAGS_check_cuda_error: the lines, and where a late failure is raised."""

import os
import subprocess
import sys
import threading
from types import SimpleNamespace
from typing import Any

import jax
import numpy as np
import pytest

import jaxeager as paddle
from jaxeager.debug.checks import device_errors
from jaxeager.errors import ExternalError
from jaxeager.graph import events
from jaxeager.ops.row import ROWS
from tests.support.here import only_on_a_cpu
from tests.support.py_layers import Double


@pytest.fixture
def check():
    """Switch the flag on for a test."""
    paddle.set_flags({"FLAGS_check_cuda_error": True})
    yield
    paddle.set_flags({"FLAGS_check_cuda_error": False, "FLAGS_check_cuda_error_log": True})


class Late:
    """Replaces an array whose computation fails on the device after the call."""

    nbytes = 4

    def block_until_ready(self):
        raise jax.errors.JaxRuntimeError(
            "INTERNAL: the device is on fire\n\nsome stack\nat the end"
        )


def block(name, stage):
    """Return the two lines of a check."""
    return [f"{name} {stage} checking...", f"{name} {stage} check done."]


def blocks(*names):
    """Return the four lines of each op."""
    return [line for name in names for stage in ("begin", "finish") for line in block(name, stage)]


# ---- the lines


def test_lines_of_ops_and_nodes(check, capsys):
    x = paddle.to_tensor([1.0, 2.0], stop_gradient=False)
    y = (x * x).sum()
    y.backward()
    assert capsys.readouterr().out.splitlines() == blocks(
        "multiply_ad_func", "sum_ad_func", "sum_grad_ad_func", "multiply_grad_ad_func"
    )
    assert x.grad.tolist() == [2.0, 4.0]


def test_lines_of_an_op_in_place_of_lists_and_of_a_source(check, capsys):
    x = paddle.zeros([2])
    x.add_(x)
    paddle.concat([x, x])
    assert capsys.readouterr().out.splitlines() == blocks(
        "full_ad_func", "add__ad_func", "concat_ad_func"
    )


REFUSED = {
    "index_select_ad_func": lambda x: paddle.index_select(x, paddle.full([1], 9999999999, "int64")),
    "slice_ad_func": lambda x: x[9],
    "set_value__ad_func": lambda x: x.__setitem__(9, 1.0),
    "bernoulli_ad_func": lambda x: paddle.bernoulli(x + 2),
}


@pytest.mark.parametrize("name", REFUSED)
def test_the_last_line_of_a_refused_value_is_its_check_at_the_end(check, capsys, name):
    x = paddle.ones([1])
    with pytest.raises((IndexError, ValueError)):
        REFUSED[name](x)
    lines = capsys.readouterr().out.splitlines()
    assert lines[-3:] == [*block(name, "begin"), f"{name} finish checking..."]
    assert not any(name in line for line in lines[:-3])


def test_a_refused_value_has_no_lines_without_the_log(check, capsys):
    paddle.set_flags({"FLAGS_check_cuda_error_log": False})
    with pytest.raises(IndexError):
        paddle.ones([1])[9]
    assert capsys.readouterr().out == ""


def test_the_lines_can_be_left_out(check, capsys):
    paddle.set_flags({"FLAGS_check_cuda_error_log": False})
    x = paddle.to_tensor([1.0, 2.0], stop_gradient=False)
    (x * x).sum().backward()
    assert capsys.readouterr().out == ""


def test_switched_off_it_is_removed(check, capsys):
    paddle.set_flags({"FLAGS_check_cuda_error": False})
    x = paddle.to_tensor([1.0, 2.0], stop_gradient=False)
    (x * x).sum().backward()
    assert capsys.readouterr().out == ""
    assert not events.has_ops
    assert not events.has_graph


def test_results_versions_and_names_are_those_without_it(check):
    def run():
        x = paddle.to_tensor([1.0, 2.0], stop_gradient=False)
        with paddle.amp.auto_cast(level="O1", dtype="bfloat16"):
            y = (x * 3).sin()
        y.add_(y.detach())
        y.sum().backward()
        return x.grad.tolist(), y.inplace_version, y.grad_fn.name(), y.stop_gradient

    with_it = run()
    paddle.set_flags({"FLAGS_check_cuda_error": False})
    assert run() == with_it


@pytest.mark.parametrize("dtype", ["bool", "uint8", "int64", "float16", "bfloat16", "complex64"])
@pytest.mark.parametrize("shape", [[], [0], [2]])
def test_every_kind_of_tensor(check, dtype, shape):
    x = paddle.ones(shape, dtype)
    assert paddle.concat([x.reshape([-1])] * 2).shape == [2 * x.size]


def test_hooks_py_layers_higher_orders_and_threads(check):
    def run(out):
        x = paddle.to_tensor([3.0], stop_gradient=False)
        x.register_hook(lambda grad: grad * 10)
        y = Double.apply(x) * x
        (first,) = paddle.grad(y, x, create_graph=True)
        y.backward()
        out += [first.tolist(), x.grad.tolist()]

    here, there, off = [], [], []
    run(here)
    thread = threading.Thread(target=run, args=(there,))
    thread.start()
    thread.join()
    paddle.set_flags({"FLAGS_check_cuda_error": False})
    run(off)
    assert here == there == off


def test_inside_jax_jit_there_is_nothing_to_wait_for(check):
    double = jax.jit(paddle.autograd.to_jax(lambda x: x * 2))
    assert double(np.ones(2, np.float32)).tolist() == [2.0, 2.0]


# ---- failures


def test_a_failure_is_raised_at_its_op_and_changes_nothing(check, monkeypatch, capsys):
    row = ROWS["exp"]
    monkeypatch.setattr(
        device_errors.jax,
        "block_until_ready",
        lambda arrays: [a.block_until_ready() for a in arrays],
    )
    x = paddle.to_tensor([1.0])
    call: Any = SimpleNamespace(row=row, arrays=[x._array], results=(Late(),), is_inplace=True)
    device_errors._checker.operands_ready(call)
    with pytest.raises(
        ExternalError, match="exp__ad_func: the device failed while it ran"
    ) as found:
        device_errors._checker.kernel_finished(call)
    assert isinstance(found.value, OSError)
    assert "INTERNAL: the device is on fire ... at the end" in str(found.value)
    lines = capsys.readouterr().out.splitlines()
    assert lines == [*block("exp__ad_func", "begin"), "exp__ad_func finish checking..."]


def test_an_earlier_failure_is_distinguished_from_one_of_the_op(check, monkeypatch, capsys):
    monkeypatch.setattr(
        device_errors.jax,
        "block_until_ready",
        lambda arrays: [a.block_until_ready() for a in arrays],
    )
    node: Any = SimpleNamespace(op=ROWS["exp"], is_leaf=False)
    with pytest.raises(ExternalError, match=r"exp_grad_ad_func: .* so in an earlier op"):
        device_errors._checker.node_began(node, [None, Late()])
    with pytest.raises(ExternalError, match=r"exp_grad_ad_func: .* while it ran this op"):
        device_errors._checker.node_ended(node, [], [Late()])


@pytest.mark.parametrize(
    ("error", "is_named"),
    [
        (jax.errors.JaxRuntimeError("anything"), True),
        (ValueError("RESOURCE_EXHAUSTED: out of memory"), True),
        (ValueError("the shapes do not fit"), False),
    ],
)
def test_only_errors_of_xla_get_a_note_with_the_name_of_the_op(check, error, is_named):
    call: Any = SimpleNamespace(row=ROWS["exp"], is_inplace=False)
    node: Any = SimpleNamespace(op=ROWS["exp"], is_leaf=False)
    device_errors._checker.call_failed(call, error)
    device_errors._checker.node_failed(node, error)
    notes = [f"{name}: the device failed while it ran this op." for name in NAMES_OF_EXP]
    assert getattr(error, "__notes__", []) == (notes if is_named else [])


NAMES_OF_EXP = ("exp_ad_func", "exp_grad_ad_func")


def test_the_check_by_hand():
    assert paddle.base.core.eager._for_test_check_cuda_error() is None


PROGRAM = """
import jax, jax.numpy as jnp, numpy as np, jaxeager as paddle
fails = False

def host(x):
    if fails:
        raise RuntimeError("boom")
    return np.asarray(x)

def callback(x):
    return jax.pure_callback(host, jax.ShapeDtypeStruct(x.shape, x.dtype), x)

@jax.custom_vjp
def identity(x):
    return x * 1

identity.defvjp(lambda x: (x * 1, None), lambda _, grad: (callback(grad),))
def work(x):  # a chain of products that no number of cores makes short
    factor = jnp.full([100, 100], 0.01) + 0 * x.sum()
    last = jax.lax.fori_loop(0, 10_000, lambda _, product: product @ factor, factor)
    return x + 0 * last[0, 0]

@jax.custom_vjp
def late(x):
    return work(x)

late.defvjp(lambda x: (work(x), None), lambda _, grad: (work(grad),))
faulty = paddle.autograd.from_jax(lambda x: callback(x) + 1, name="faulty")
faulty_grad = paddle.autograd.from_jax(identity, name="faulty_grad")
late = paddle.autograd.from_jax(late, name="late")
big = paddle.full([10, 10], 0.001)
big.stop_gradient = False
step = ""

def forward():
    global step
    step = "before"; y = late(big)
    step = "the op"; z = faulty(y)
    step = "times"; w = z * 2
    step = "read"; w.sum().item()

def backward():
    global step
    z = faulty_grad(big)
    step = "the op"; late(z).sum().backward()
    step = "read"; big.grad.sum().item()

for run in forward, backward:
    fails = False
    run()
    fails = True
    for check in 0, 1:
        big.clear_grad()
        paddle.set_flags({"FLAGS_check_cuda_error": check})
        try:
            run()
            print("nothing")
        except Exception as error:
            notes = " ".join(getattr(error, "__notes__", []))
            print("RAISED", run.__name__, check, step, "boom" in str(error), "faulty_grad" in notes)
        paddle.set_flags({"FLAGS_check_cuda_error": 0})
"""


@only_on_a_cpu("a failure in a Python callback is reported by its own op")
def test_a_real_late_failure_is_found_at_its_op_on_the_cpu():
    """A callback raises on the device: without the flag it surfaces where a value is read."""
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM], env=os.environ, capture_output=True, text=True, check=False
    )
    lines = [line for line in done.stdout.splitlines() if line.startswith(("RAISED", "nothing"))]
    assert lines == [
        "RAISED forward 0 read True False",
        "RAISED forward 1 the op True False",
        "RAISED backward 0 read True False",
        "RAISED backward 1 the op True True",
    ]
    last = [line for line in done.stdout.splitlines() if "checking" in line or "check done" in line]
    assert last[-1] == "faulty_grad_grad_ad_func begin check done."
