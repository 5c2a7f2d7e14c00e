"""FLAGS_check_index: immediately in host memory; on accelerators on the device, read later."""

import io
import os
import subprocess
import sys
import threading
from types import SimpleNamespace

import jax
import numpy as np
import pytest

import jaxeager as paddle
from jaxeager.core import ports
from jaxeager.debug.checks import index_checks
from jaxeager.errors import (
    InvalidArgumentError,
    InvalidIndexError,
    OutOfRangeError,
    PreconditionNotMetError,
)
from jaxeager.graph import events
from jaxeager.ops.rules import value_checks
from jaxeager.vision.ops import roi
from tests.support.processes import printed_by
from tests.support.refusals import refused
from tests.support.xla_flags import for_several_devices

F = paddle.nn.functional


def ints(values, dtype="int64"):
    return paddle.to_tensor(np.array(values, dtype))


X = np.arange(12, dtype=np.float32).reshape(3, 4)
ROWS = np.ones((1, 4), np.float32)


def written(x, index, value):
    y = x.clone()
    y[index] = value
    return y


# name: (call of a tensor [3, 4] and an index, bad indices, the error, its text about the bounds)
CASES = {
    "gather": (lambda x, i: paddle.gather(x, ints([0, i])), (3, -4), OutOfRangeError, "[-3, 3)"),
    "gather_nd": (
        lambda x, i: paddle.gather_nd(x, ints([[0, i]])), (4, -5), InvalidIndexError, "4)",
    ),
    "index_select": (
        lambda x, i: paddle.index_select(x, ints([i])), (3, -4), InvalidIndexError,
        ">= -3 and < 3",
    ),
    "index_sample": (
        lambda x, i: paddle.index_sample(x, ints([[0], [0], [i]])), (4, -1), InvalidIndexError,
        "< 4",
    ),
    "take": (lambda x, i: paddle.take(x, ints([i])), (12, -13), InvalidIndexError, "< 12,"),
    "take_along_axis": (
        lambda x, i: paddle.take_along_axis(x, ints([[i]]), 0), (3, -4), OutOfRangeError, "3)",
    ),
    "put_along_axis": (
        lambda x, i: paddle.put_along_axis(x, ints([[i]]), 1.0, 0), (3, -4), OutOfRangeError, "3)",
    ),
    "scatter": (
        lambda x, i: paddle.scatter(x, ints([i]), rows_of(x)), (3, -4), OutOfRangeError, "3)",
    ),
    "scatter_nd": (
        lambda x, i: paddle.scatter_nd(ints([[i]]), rows_of(x), [3, 4]), (3, -4), OutOfRangeError,
        "3)",
    ),
    "scatter_nd_add": (
        lambda x, i: paddle.scatter_nd_add(x, ints([[i]]), rows_of(x)), (3, -4), OutOfRangeError,
        "3)",
    ),
    "index_put": (
        lambda x, i: paddle.index_put(x, (ints([i]),), rows_of(x)), (3, -4), OutOfRangeError, "3)",
    ),
    "index_add": (
        lambda x, i: paddle.index_add(x, ints([i]), 0, rows_of(x)), (3, -4), InvalidIndexError,
        ">= -3 and < 3",
    ),
    "index_fill": (
        lambda x, i: paddle.index_fill(x, ints([i]), 0, 1.0), (3, -4), OutOfRangeError, "3)",
    ),
    "getitem": (lambda x, i: x[ints([i])], (3, -4), OutOfRangeError, "[-3, 3)"),
    "getitem of two": (lambda x, i: x[ints([0]), ints([i])], (4, -5), OutOfRangeError, "[-4, 4)"),
    "setitem": (lambda x, i: written(x, ints([i]), 1.0), (3, -4), OutOfRangeError, "[-3, 3)"),
    "embedding": (lambda x, i: F.embedding(ints([i]), x), (3, -1), InvalidIndexError, "< 3"),
    "one_hot": (lambda x, i: F.one_hot(ints([i]), 4) * x, (4, -1), InvalidIndexError, "< 4"),
    "cross_entropy": (
        lambda x, i: F.cross_entropy(x, ints([0, 1, i])), (4, -1), OutOfRangeError, "[0, 4)",
    ),
    "nll_loss": (
        lambda x, i: F.nll_loss(x, ints([0, 1, i])), (4, -1), InvalidIndexError, "[0, 4)",
    ),
    "multi_label_margin_loss": (
        lambda x, i: F.multi_label_margin_loss(x, ints([[i] * 4] * 3)), (4, -2),
        InvalidIndexError, "label values should be",
    ),
    "margin_cross_entropy": (
        lambda x, i: F.margin_cross_entropy(F.normalize(x), ints([0, 1, i])), (4, -1),
        InvalidIndexError, "[0, 3]",
    ),
    "multiplex": (
        lambda x, i: paddle.multiplex([x, x], ints([[0], [1], [i]], "int32")), (2, -1),
        PreconditionNotMetError, "[0, 2)",
    ),
    "shard_index": (
        lambda x, i: paddle.shard_index(ints([[i]]), 4, 2, 0).cast("float32") + x, (4, -1),
        InvalidIndexError, "[0, 4)",
    ),
    "gather_tree": (
        lambda x, i: F.gather_tree(ints([[[1, 1]]]), ints([[[0, i]]])) + x[0, 0], (2, -1),
        InvalidIndexError, "beam size 2",
    ),
    "send_u_recv": (
        lambda x, i: paddle.geometric.send_u_recv(x, ints([0, i]), ints([0, 1])), (3, -1),
        OutOfRangeError, "[0, 3)",
    ),
    "send_uv": (
        lambda x, i: paddle.geometric.send_uv(x, x, ints([0, 1]), ints([0, i])), (3, -1),
        OutOfRangeError, "[0, 3)",
    ),
    "hsigmoid_loss": (
        lambda x, i: F.hsigmoid_loss(
            x, ints([[0]] * 3), 4, x, None, ints([[0, i]] * 3), ints([[0, 1]] * 3)
        ),
        (3,), InvalidIndexError, "weight has 3 rows",
    ),
    "yolo_loss": (
        lambda x, i: paddle.vision.ops.yolo_loss(
            x[0, 0] + paddle.zeros([1, 7, 1, 1]), paddle.full([1, 1, 4], 0.5), ints([[i]], "int32"),
            [4, 4], [0], 2, 0.5, 8,
        ),
        (2, -1), InvalidIndexError, "[0, 2)",
    ),
    "lu_unpack": (
        lambda x, i: paddle.linalg.lu_unpack(x[:, :3], ints([1, 2, i], "int32"))[2], (4, 0),
        InvalidArgumentError, "is 3",
    ),
    "roi_align": (
        lambda x, i: paddle.vision.ops.roi_align(
            x.reshape([1, 1, 3, 4]), paddle.to_tensor([[0.0, 0.0, 2.0, 2.0]]), ints([i], "int32"), 1
        ),
        (2, 0, -1), InvalidArgumentError, "the 1 boxes",
    ),
    "floor_divide": (  # BEAT: Paddle's error is not a ValueError
        lambda x, i: x * (ints([7] * 4) // ints([1, 2, 3, i])).cast("float32"), (0,),
        InvalidArgumentError, "Integer division by zero",
    ),
    "remainder in place": (
        lambda x, i: x * ints([7] * 4, "int32").mod_(ints([i], "int32")).cast("float32"), (0,),
        InvalidArgumentError, "Integer division by zero",
    ),
    "divide and truncate": (
        lambda x, i: x * ints([7]).divide(ints([i]), rounding_mode="trunc").cast("float32"),
        (0,), InvalidArgumentError, "Integer division by zero",
    ),
    "sparse_attention": (
        lambda x, i: F.sparse_attention(
            *[x[:2].reshape([1, 1, 2, 4])] * 3, ints([[[0, 1, 2]]], "int32"),
            ints([[[0, i]]], "int32"),
        ),
        (2, -3), OutOfRangeError, "[-2, 2)",
    ),
}  # fmt: skip


def rows_of(x):
    return paddle.to_tensor(ROWS) + x[0, 0] * 0


OF_OTHER_KINDS = {"multiplex", "lu_unpack", "roi_align"}  # as in Paddle; two are not indices
EACH = [(name, bad) for name, (_, indices, *_) in CASES.items() for bad in indices]


@pytest.fixture
def on_device(monkeypatch):
    """Make every array on the CPU look as if reading it would wait for an accelerator."""
    monkeypatch.setattr(value_checks, "can_be_read", lambda array: not isinstance(array, jax.Array))
    yield
    paddle.set_flags({"FLAGS_check_index": "auto"})


# ---- in host memory: immediately, by default


@pytest.mark.parametrize(("name", "bad"), EACH)
def test_an_index_out_of_range_is_named_with_its_bound(name, bad):
    call, _, error, bound = CASES[name]
    with refused(error) as caught:
        call(paddle.to_tensor(X), bad)
    assert str(bad) in str(caught.value)
    assert bound in str(caught.value)


def test_whatever_paddle_calls_it_it_is_an_index_error():
    """It is also a ValueError if Paddle's is one, so that programs catch it as before."""
    kinds = {name: error for name, (_, _, error, said) in CASES.items() if "division" not in said}
    others = {name for name, error in kinds.items() if not issubclass(error, IndexError)}
    assert others == OF_OTHER_KINDS
    assert issubclass(kinds["embedding"], ValueError)
    assert not issubclass(kinds["gather"], ValueError)


def test_boxes_without_a_size_have_no_label():
    box, label = paddle.to_tensor([[[0.5] * 4, [0.5, 0.5, 0.0, 0.0]]]), ints([[1, -1]], "int32")
    paddle.vision.ops.yolo_loss(paddle.zeros([1, 7, 1, 1]), box, label, [4, 4], [0], 2, 0.5, 8)


def test_a_path_of_nodes_may_end_early():
    path, codes = ints([[0, -1]]), ints([[0, 1]])
    x = paddle.to_tensor(X[:1])
    F.hsigmoid_loss(x, ints([[0]]), 4, paddle.to_tensor(X), None, path, codes)


@pytest.mark.parametrize("name", CASES)
def test_an_index_in_range_computes_what_it_does_without_the_check(name):
    call, indices, *_ = CASES[name]
    good = indices[0] - 1

    def run():
        x = paddle.to_tensor(X, stop_gradient=False)
        out = call(x, good)
        out.sum().backward()
        return [out.tolist(), None if x.grad is None else x.grad.tolist()]

    checked = run()
    paddle.set_flags({"FLAGS_check_index": False})
    try:
        assert run() == checked
        call(paddle.to_tensor(X), indices[0])  # no check is made
    finally:
        paddle.set_flags({"FLAGS_check_index": "auto"})


def test_an_ignored_label_is_none_out_of_range():
    x = paddle.to_tensor(X)
    assert F.cross_entropy(x, ints([0, 1, -100])).item() > 0
    with refused(OutOfRangeError, match="received label value as 9"):
        F.cross_entropy(x, ints([-100, 1, 9]))


@pytest.mark.parametrize("dtype", ["uint8", "int8", "int16", "int32", "int64"])
def test_indices_of_every_integer_dtype(dtype):
    x = paddle.to_tensor(X)
    assert x[ints([2], dtype)].tolist() == X[2:].tolist()
    with refused(OutOfRangeError, match="The index 100 is out of bounds"):
        x[ints([0, 100], dtype)]
    assert x[ints([], dtype)].shape == [0, 4]


def test_floats_and_nothing_are_divided_by_zero():
    zero = paddle.zeros([1])
    assert (paddle.ones([1]) // zero).tolist() == [np.inf]
    assert (paddle.zeros([0, 1], "int64") // ints([0])).shape == [0, 1]
    with refused(InvalidArgumentError, match="the divisor has a 0"):
        paddle.floor_divide(ints([1]), 0)
    with refused(InvalidArgumentError, match="the divisor has a 0"):
        5 % ints([2, 0])


def test_an_integer_divided_by_zero_is_a_value_error():
    zeros = ints([0, 1])
    for call in (
        lambda: 7 // zeros, lambda: ints([7, 7]) // zeros, lambda: ints([7, 7]) % zeros,
        lambda: paddle.floor_divide(ints([7, 7]), zeros), lambda: paddle.mod(ints([7, 7]), zeros),
    ):  # fmt: skip
        with refused(ValueError, match="Integer division by zero"):
            call()


def test_lengths_of_a_viterbi_path_are_not_negative():
    with pytest.raises(InvalidArgumentError, match="not negative, but one is -1"):
        paddle.text.viterbi_decode(paddle.ones([1, 3, 4]), paddle.ones([4, 4]), ints([-1]))


# ---- on an accelerator: opt-in, on the device, read once


@pytest.mark.usefixtures("on_device")
def test_by_default_no_check_waits_for_an_accelerator():
    x = paddle.to_tensor(X)
    assert np.isnan(paddle.gather(x, ints([7])).numpy()).all()
    assert index_checks._answers._waiting == {}


@pytest.mark.usefixtures("on_device")
@pytest.mark.parametrize(("name", "bad"), EACH)
def test_a_bad_index_is_reported_when_a_value_is_read(name, bad):
    call, _, error, bound = CASES[name]
    x = paddle.to_tensor(X)
    paddle.set_flags({"FLAGS_check_index": True})
    out = call(x, bad)
    with pytest.raises(error) as caught:
        out.numpy()
    assert str(bad) in str(caught.value)
    assert bound in str(caught.value)
    (note,) = caught.value.__notes__
    assert f"{__file__}:" in note
    out.numpy()  # it is reported once


@pytest.mark.usefixtures("on_device")
@pytest.mark.parametrize("name", CASES)
def test_late_checks_change_no_result(name):
    call, indices, *_ = CASES[name]

    def run():
        x = paddle.to_tensor(X, stop_gradient=False)
        out = call(x, indices[0] - 1)
        out.sum().backward()
        return [out.tolist(), None if x.grad is None else x.grad.tolist()]

    unchecked = run()
    paddle.set_flags({"FLAGS_check_index": True})
    assert run() == unchecked


@pytest.mark.usefixtures("on_device")
def test_a_backward_that_reports_a_bad_index_changes_no_gradient():
    paddle.set_flags({"FLAGS_check_index": True})
    x = paddle.to_tensor(X, stop_gradient=False)
    paddle.gather(x, ints([1])).sum().backward()
    before = x.grad.tolist()
    y = paddle.gather(x, ints([1, 9])).sum()
    with pytest.raises(OutOfRangeError, match="The index 9 is out of bounds"):
        y.backward()
    assert x.grad.tolist() == before


@pytest.mark.usefixtures("on_device")
@pytest.mark.parametrize("read", ["item", "tolist", "bool", "repr", "save", "synchronize"])
def test_whatever_waits_reports(read):
    paddle.set_flags({"FLAGS_check_index": True})
    x = paddle.to_tensor(X)
    one = paddle.gather(x, ints([9]))[0, 0]
    ways = {
        "item": one.item, "tolist": one.tolist, "bool": lambda: bool(one),
        "repr": lambda: repr(one), "save": lambda: paddle.save({"x": one}, io.BytesIO()),
    }  # fmt: skip
    with pytest.raises(OutOfRangeError, match="The index 9"):
        ways.get(read, paddle.device.synchronize)()


@pytest.mark.usefixtures("on_device")
def test_unread_checks_do_not_pile_up():
    paddle.set_flags({"FLAGS_check_index": True})
    x, good, bad = paddle.to_tensor(X), ints([1]), ints([9])
    paddle.gather(x, bad)
    for _ in range(index_checks.MOST - 2):
        paddle.gather(x, good)
    with pytest.raises(OutOfRangeError, match="The index 9"):
        paddle.gather(x, good)
    assert not index_checks._answers._waiting


@pytest.mark.usefixtures("on_device")
def test_a_thread_is_notified_of_its_own_indices_only():
    paddle.set_flags({"FLAGS_check_index": True})
    x, told = paddle.to_tensor(X), []

    def other():
        try:
            paddle.gather(x, ints([9])).numpy()
        except OutOfRangeError as error:
            told.append(error)

    waiting = paddle.gather(x, ints([8]))
    thread = threading.Thread(target=other)
    thread.start()
    thread.join()
    assert "The index 9" in str(told[0])
    with pytest.raises(OutOfRangeError, match="The index 8"):
        waiting.numpy()


@pytest.mark.usefixtures("on_device")
def test_unread_checks_of_an_ended_thread_are_reported_to_the_next_that_waits():
    paddle.set_flags({"FLAGS_check_index": True})
    x, made = paddle.to_tensor(X), []
    thread = threading.Thread(target=lambda: made.append(paddle.gather(x, ints([9]))))
    thread.start()
    thread.join()
    with pytest.raises(OutOfRangeError, match="The index 9"):
        made[0].numpy()
    assert not index_checks._answers._waiting


@pytest.mark.usefixtures("on_device")
def test_indices_that_are_known_inside_jax_jit_are_checked():
    paddle.set_flags({"FLAGS_check_index": True})
    index = ints([1, 9])
    read = jax.jit(paddle.autograd.to_jax(lambda table: paddle.gather(table, index)))
    assert read(X).shape == (2, 4)
    with pytest.raises(OutOfRangeError, match="The index 9"):
        paddle.to_tensor(X).numpy()


def test_counts_of_boxes_are_not_added_up_while_values_are_not_checked(monkeypatch):
    monkeypatch.setattr(roi, "can_be_looked_at", lambda array: False)
    counts = SimpleNamespace(dtype=np.dtype("int32"))  # it cannot be added up
    roi._check_counts(paddle.zeros([1, 4]), counts)


@pytest.mark.parametrize(
    "call",
    [
        lambda x: paddle.linalg.lu_unpack(x, [1, 2, 3]),
        lambda x: paddle.linalg.lu_unpack(None, ints([1])),
        lambda x: paddle.index_sample(x, [[0]]),
        lambda x: paddle.vision.ops.roi_align(x.reshape([1, 1, 3, 4]), x, None, 1),
    ],
)
def test_operands_that_are_no_tensors_are_refused_by_the_op(call):
    with pytest.raises(TypeError, match=r"argument '\w+' \(position \d\) must be Tensor"):
        call(paddle.to_tensor(X))


@pytest.mark.usefixtures("on_device")
def test_switched_off_it_has_reported_unread_checks_and_is_removed(capsys):
    paddle.set_flags({"FLAGS_check_index": True})
    out = paddle.gather(paddle.to_tensor(X), ints([9]))
    paddle.set_flags({"FLAGS_check_index": False})
    assert "The index 9 is out of bounds" in capsys.readouterr().err
    assert not index_checks._answers._waiting
    out.numpy()
    assert ports.look_at_indices is None
    assert events.value_read is None
    assert not events.has_graph


PROGRAM = """
import jax, jaxeager as paddle
from jaxeager.ops.rules import value_checks
value_checks.can_be_read = lambda array: not isinstance(array, jax.Array)
paddle.gather(paddle.ones([3]), paddle.to_tensor([7]))
"""


def test_unread_errors_are_printed_at_exit(monkeypatch):
    monkeypatch.setenv("FLAGS_check_index", "1")
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM], capture_output=True, text=True, check=False
    )
    assert "The index 7 is out of bounds" in done.stderr
    assert "The index was given at <string>:5" in done.stderr


SEVERAL_DEVICES = """
import jax, numpy as np, pytest, jaxeager as paddle
from jax.sharding import Mesh, NamedSharding, PartitionSpec
from jaxeager.ops.rules import value_checks
value_checks.can_be_read = lambda array: not isinstance(array, jax.Array)
devices = jax.devices()
split = NamedSharding(Mesh(np.array(devices), ("x",)), PartitionSpec("x"))
waiting = []
for target in (split, *devices):
    x, good, bad = (
        paddle.to_tensor(jax.device_put(np.array(values), target))
        for values in ([1.0, 2.0, 3.0, 4.0], [0, 1, 2, 3], [3, 2, 7, 8])
    )
    paddle.gather(x, good).numpy()
    out = paddle.gather(x, bad)
    with pytest.raises(IndexError, match="The index 7 is"):
        out.numpy()
    waiting.append(paddle.gather(x, good))
paddle.gather(x, bad)
with pytest.raises(IndexError, match="The index 7 is"):
    x.numpy()  # reads what several devices have found
print("done")
"""


def test_indices_on_other_devices_and_on_several():
    given = for_several_devices(os.environ | {"FLAGS_check_index": "1"}, 4)
    assert printed_by(SEVERAL_DEVICES, **given) == "done\n"


def test_inside_jax_jit_there_is_nothing_to_look_at():
    paddle.set_flags({"FLAGS_check_index": True})
    try:
        table = paddle.to_tensor(X)
        read = jax.jit(paddle.autograd.to_jax(lambda i: paddle.gather(table, i)))
        assert np.isnan(np.asarray(read(np.array([7])))).all()
    finally:
        paddle.set_flags({"FLAGS_check_index": "auto"})
