"""FLAGS_tensor_md5_checksum_*: the output, its time, and that nothing else changes."""

import hashlib
import itertools
import os
import subprocess
import sys
import threading

import numpy as np
import pytest

import jaxeager as paddle
from jaxeager.debug.checksums import checksums
from jaxeager.debug.common import naming
from jaxeager.debug.common.output_files import AppendedFile
from jaxeager.errors import InvalidArgumentError
from jaxeager.graph import events
from tests.support.plain_decimals import plain_decimals
from tests.support.processes import printed_by

PATH = "FLAGS_tensor_md5_checksum_output_path"
PRECISION = "FLAGS_tensor_md5_checksum_precision"
BINARY = "FLAGS_tensor_md5_checksum_use_binary_format"
BINARY_INPUT = "FLAGS_tensor_md5_checksum_use_binary_input"
NOTHING = hashlib.md5().hexdigest()


class Log:
    """The file, and its contents."""

    def __init__(self, path):
        self.path = path

    def lines(self):
        checksums.flush()
        return self.path.read_text().splitlines() if self.path.exists() else []

    def last(self):
        name, _, checksum = self.lines()[-1].rpartition(":")
        return name, checksum

    def names(self):
        return [line.rpartition(":")[0] for line in self.lines()]


@pytest.fixture
def log(tmp_path):
    naming.reset()
    before = paddle.get_flags([PATH, PRECISION, BINARY, BINARY_INPUT])
    paddle.set_flags({PATH: str(tmp_path / "md5.log")})
    yield Log(tmp_path / "md5.log")
    paddle.set_flags(before)


def md5(text):
    return hashlib.md5(text).hexdigest()


# ---- Paddle's output for the same values (recorded)

RECORDED = [
    ([3], 7, "int32", "37f9cfbdd43d89597999b2939e9b62b4"),
    ([2], 2**62 + 1, "int64", "450513bcf36ca25bee44bfd157e1eb42"),
    ([2], True, "bool", "1f18811dae4618ac2cc1f15b9a713042"),
    ([2], 0.1, "float16", "cce1a90238d03f6962ccf0ac32744597"),
    ([2], 0.1, "bfloat16", "cce1a90238d03f6962ccf0ac32744597"),
    ([2], 1 - 2j, "complex64", "95bbd530bc15308c1fb2ace6dd8d7286"),
    ([0, 2], 1.0, "float32", NOTHING),
    ([], 2.5, "float32", "fc2cf891b64a5c8c1dc410c84670b6ba"),
    ([2], float("nan"), "float32", "32077e33a08c1e9ba02bbdabfe645c24"),
    ([2], float("inf"), "float32", "acb7ffe70f967ddf46cb014f96bafd80"),
    ([2], 1e-5, "float32", "152b10509fb452a8a57800c6de4ef7a9"),
    ([2], -1e-5, "float32", "88a39f20470b938be333dbec456772b5"),
    ([1], 0.0005, "float32", "8f4e22c93710008b7ea050514a32ecdd"),
    ([1], 0.00049999, "float32", "295a2b1a89e65de7f25c6705209c7ea4"),
]
RECORDED_BYTES = [
    ([3], 7, "int32", "ba0ba99c0e086698775821a6752fa31d"),
    ([2], 2**62 + 1, "int64", "d248f18a55aeadac417ee7ec0a10ba26"),
    ([2], True, "bool", "249ba6277758050695e8f5909bacd6d3"),
    ([2], 0.1, "float16", "ac05c817e89e550d38d3f10f35334049"),
    ([2], 0.1, "bfloat16", "f4b5761b2b8ae7522b0ee778bd418623"),
    ([2], 1 - 2j, "complex64", "986bbe43a0f44c608f3afae88079dd4a"),
    ([0, 2], 1.0, "float32", NOTHING),
    ([], 2.5, "float32", "ed7ad0a79638990d9573739d1718f47f"),
]


def test_checksums_are_paddles(log):
    for shape, value, dtype, expected in RECORDED:
        paddle.full(shape, value, dtype)
        assert log.last()[1] == expected, (shape, value, dtype)


def test_checksums_of_bytes_are_paddles(log):
    for name in (BINARY, BINARY_INPUT):
        paddle.set_flags({name: True})
        for shape, value, dtype, expected in RECORDED_BYTES:
            paddle.full(shape, value, dtype)
            assert log.last()[1] == expected, (shape, value, dtype)
        paddle.set_flags({name: False})


# ---- where Paddle's are wrong


@pytest.mark.parametrize(
    ("dtype", "value", "expected"),
    [
        ("uint8", 1, "f2cce6721420dca3b04fc8e683ef67b5"),
        ("uint8", 2, "b85517b4542254988a1a5d9d6835abb7"),
        ("int8", -3, "3a89c06bdd68a249dbfb591f787c2f1e"),
        ("int16", 5, "fdc70c00940da49bea141d227954437c"),
    ],
)
def test_narrow_integers_are_hashed(log, dtype, value, expected):
    paddle.full([4], value, dtype)
    assert log.last()[1] == expected
    paddle.set_flags({BINARY: True})
    paddle.full([4], value, dtype)
    assert log.last()[1] == md5(np.full([4], value, dtype).tobytes())


def test_views_are_hashed_in_their_own_order(log):
    x = paddle.to_tensor(np.arange(12, dtype="float32").reshape(3, 4))
    for look in (lambda: x.transpose([1, 0]), lambda: x[:, 1:3], lambda: x.reshape([2, 6])):
        view = look()
        values = view.numpy()
        assert log.last()[1] == md5(plain_decimals(values))
        paddle.set_flags({BINARY: True})
        look()
        assert log.last()[1] == md5(np.ascontiguousarray(values).tobytes())
        paddle.set_flags({BINARY: False})


def test_no_decimals_means_a_separator(log):
    paddle.set_flags({PRECISION: 0})
    paddle.to_tensor([1.0, 11.0]) + 0
    first = log.last()[1]
    paddle.to_tensor([11.0, 1.0]) + 0
    assert first == md5(b"1,11")
    assert log.last()[1] == md5(b"11,1")


class Twice(paddle.autograd.PyLayer):
    @staticmethod
    def forward(ctx, a, b):
        return a.exp(), b.sin()

    @staticmethod
    def backward(ctx, g, h):
        return g * 2, None


def test_a_pylayer_has_its_outputs_and_its_inputs_gradients(log):
    x = paddle.to_tensor([1.0, 2.0], stop_gradient=False)
    c = paddle.to_tensor([1.0, 2.0], stop_gradient=False)
    a, b = Twice.apply(x * 2, c)
    (a + b).sum().backward()
    assert log.names() == [
        "scale1_out_float32_2", "exp1_out_float32_2", "sin1_out_float32_2",
        "Twice1_out0_0_float32_2", "Twice1_out1_0_float32_2", "add1_out_float32_2",
        "sum1_out_float32_", "add1_out_float32_2@Grad", "Twice1_out0_0_float32_2@Grad",
        "Twice1_out1_0_float32_2@Grad", "scale2_out_float32_2", "scale1_out_float32_2@Grad", "",
        f"{x.name}@Grad",
    ]  # fmt: skip
    assert md5(plain_decimals(a.numpy())) == log.lines()[3].rpartition(":")[2]
    assert ":None" in log.lines()


def test_an_in_place_gradient_is_named_after_the_value_before(log):
    x = paddle.to_tensor([1.0, 2.0], stop_gradient=False)
    y = x * 2
    y.add_(paddle.to_tensor([1.0, 1.0]))
    y.sum().backward()
    assert log.names()[-4:] == [
        "add_1_out_float32_2@Grad", "scale1_out_float32_2@Grad", "", f"{x.name}@Grad",
    ]  # fmt: skip


def test_a_missing_folder_is_made(log, tmp_path):
    deep = tmp_path / "no" / "such" / "md5.log"
    paddle.set_flags({PATH: str(deep)})
    paddle.ones([2])
    checksums.flush()
    assert deep.read_text().startswith("full1_out_float32_2:")


@pytest.mark.parametrize("path", ["/proc/no/md5.log", "/"])
def test_a_path_that_cannot_be_written_is_refused_at_once(log, path):
    before = paddle.get_flags(PATH)
    with pytest.raises(InvalidArgumentError, match="should name a file that can be written"):
        paddle.set_flags({PATH: path})
    assert paddle.get_flags(PATH) == before
    paddle.ones([2])
    assert log.names() == ["full1_out_float32_2"]


def test_the_flag_changes_no_names(log):
    x = paddle.to_tensor([1.0], stop_gradient=False)
    y = x.exp()
    assert "exp" not in y.name
    assert y.grad_fn.name() == "ExpGradNode"
    assert paddle.get_flags("FLAGS_enable_unique_name") == {"FLAGS_enable_unique_name": False}


def test_adam_keeps_its_state_from_step_to_step(log):
    values = []
    for is_on in (False, True):
        paddle.set_flags({PATH: str(log.path) if is_on else ""})
        w = paddle.nn.Parameter(paddle.to_tensor([1.0, 2.0]))
        adam = paddle.optimizer.Adam(0.1, parameters=[w])
        for _ in range(3):
            (w * w).sum().backward()
            adam.step()
            adam.clear_grad()
        values.append(w.tolist())
    assert values[0] == values[1]
    assert [name for name in log.names() if name.startswith("adam_3")] == [
        "adam_3_param_out_float32_2", "adam_3_moment1_out_float32_2",
        "adam_3_moment2_out_float32_2", "adam_3_beta1_pow_out_float32_1",
        "adam_3_beta2_pow_out_float32_1",
    ]  # fmt: skip


def _child(path):
    paddle.ones([2]) + 1
    checksums.flush()


def test_workers_write_files_of_their_own(log):
    paddle.ones([3])  # still in the queue when the child starts
    code = (
        "import multiprocessing, os\n"
        "from tests.debug.checksums.test_checksums import _child\n"
        "if __name__ == '__main__':\n"
        "    import jaxeager as paddle\n"
        "    paddle.ones([5])\n"
        "    child = multiprocessing.get_context('spawn').Process(target=_child, args=('',))\n"
        "    child.start(); child.join(); print(child.pid)\n"
    )
    path = log.path.with_name("workers.log")
    script = log.path.with_name("script.py")
    script.write_text(code)
    environment = {**os.environ, PATH: str(path), "PYTHONPATH": os.pathsep.join(sys.path)}
    done = subprocess.run(
        [sys.executable, str(script)], env=environment, capture_output=True, text=True, timeout=120
    )
    assert done.returncode == 0, done.stderr
    assert path.read_text().splitlines()[0].startswith("full1_out_float32_5:")
    assert len(path.read_text().splitlines()) == 1
    names = path.with_name(f"workers.log.{done.stdout.strip()}").read_text().splitlines()
    assert [line.partition(":")[0] for line in names] == [
        "full1_out_float32_2", "scale1_out_float32_2",
    ]  # fmt: skip


def test_a_fork_leaves_the_queue_to_its_parent(log):
    paddle.ones([3])
    checksums._forget()  # called by os.fork in the child
    assert log.lines() == []
    paddle.ones([4])
    assert log.names() == ["full2_out_float32_4"]


def test_trainers_after_the_first_write_files_of_their_own(log, monkeypatch):
    monkeypatch.setenv("PADDLE_TRAINER_ID", "1")
    paddle.ones([3])
    checksums.flush()
    assert not log.path.exists()
    assert (log.path.parent / f"md5.log.{os.getpid()}").exists()


# ---- backward


def test_gradients_come_as_their_nodes_run(log):
    x = paddle.to_tensor([1.0, 2.0], stop_gradient=False)
    c = paddle.to_tensor([3.0, 4.0])
    y = x * c
    (y * y).sum().backward()
    assert log.lines()[3:] == [
        f"multiply2_out_float32_2@Grad:{md5(b'1.0001.000')}",
        f"multiply1_out_float32_2@Grad:{md5(b'3.0008.000')}",
        f"multiply1_out_float32_2@Grad:{md5(b'3.0008.000')}",
        f"{x.name}@Grad:{md5(plain_decimals([18.0, 64.0]))}",
        ":None",
    ]


def test_gradients_that_grad_does_not_need_have_no_line(log):
    x = paddle.to_tensor([1.0, 2.0], stop_gradient=False)
    y = paddle.to_tensor([3.0, 4.0], stop_gradient=False)
    z = (x * y) * x
    paddle.grad(z, [x])
    assert log.names()[-3:] == [f"{x.name}@Grad", f"{x.name}@Grad", ""]


def test_a_hook_sees_the_gradient_before_its_own_ops(log):
    x = paddle.to_tensor([1.0, 2.0], stop_gradient=False)
    y = x * 2
    y.register_hook(lambda grad: grad * 3)
    y.sum().backward()
    assert log.lines()[2:] == [
        f"scale1_out_float32_2@Grad:{md5(b'1.0001.000')}",
        f"scale2_out_float32_2:{md5(b'3.0003.000')}",
        f"{x.name}@Grad:{md5(b'6.0006.000')}",
    ]


def test_gradients_of_gradients(log):
    x = paddle.to_tensor([2.0], stop_gradient=False)
    (g,) = paddle.grad(x * x * x, [x], create_graph=True)
    g.backward()
    assert x.grad.tolist() == [12.0]
    assert f"{x.name}@Grad:{md5(b'4.000')}" in log.lines()
    assert not [name for name in log.names() if name.startswith("multiply_grad1_")][2:]


def test_the_flag_may_be_set_and_taken_back_inside_a_hook(log):
    for path in ("", str(log.path)):
        x = paddle.to_tensor([1.0], stop_gradient=False)
        y = x * 2
        y.register_hook(lambda grad, path=path: paddle.set_flags({PATH: path}))
        y.sum().backward()
        assert x.grad.tolist() == [2.0]
    assert log.names()[-1] == "scale1_out_float32_1@Grad"


# ---- the queue


def test_lines_are_written_in_batches(log):
    x = paddle.ones([2])
    for _ in range(checksums.BATCH - 2):
        x = x + 1
    assert not log.path.exists()
    x = x + 1
    assert len(log.path.read_text().splitlines()) == checksums.BATCH


def test_a_backward_leaves_the_file_whole(log):
    x = paddle.to_tensor([1.0], stop_gradient=False)
    x.exp().backward()
    assert len(log.path.read_text().splitlines()) == 2
    held = [item for item in checksums._checksums.queue if item[1] is not None]
    assert not held  # so that the optimizer may write into its buffers


def test_large_arrays_do_not_wait(log, monkeypatch):
    monkeypatch.setattr(checksums._checksums, "left", 100)
    paddle.ones([101])
    assert log.path.exists()


def test_an_array_is_hashed_as_it_was(log):
    x = paddle.ones([2])
    x.add_(paddle.ones([2]))
    x[0] = 5.0
    sums = [line.rpartition(":")[2] for line in log.lines()]
    assert sums[0] == md5(b"1.0001.000")
    assert sums[2] == md5(b"2.0002.000")
    assert sums[-1] == md5(b"5.0002.000")


def test_settings_count_from_when_they_are_set(log):
    x = paddle.full([2], 0.12345)
    paddle.set_flags({PRECISION: 1})
    x + 0
    paddle.set_flags({PRECISION: 3, BINARY: True})
    x + 0
    sums = [line.rpartition(":")[2] for line in log.lines()]
    assert sums == [md5(b"0.1230.123"), md5(b"0.10.1"), md5(x.numpy().tobytes())]
    with pytest.raises(InvalidArgumentError, match="received -1"):
        paddle.set_flags({PRECISION: -1})


def test_failing_ops_write_what_was_there(log):
    x = paddle.ones([2])
    with pytest.raises(ValueError, match="matmul"):
        paddle.matmul(x, paddle.ones([3]))
    assert len(log.path.read_text().splitlines()) == 2


def test_the_file_is_appended_to_and_may_be_removed(log):
    paddle.ones([1])
    assert len(log.lines()) == 1
    log.path.unlink()
    paddle.ones([1])
    assert log.names() == ["full2_out_float32_1"]


def test_lost_lines_are_reported(log, monkeypatch):
    paddle.ones([1])
    monkeypatch.setattr(checksums._checksums, "file", AppendedFile("/proc/no/md5.log"))
    with pytest.warns(UserWarning, match="1 checksums are lost"):
        checksums.flush()


def test_a_freed_array_has_a_line(log):
    x = paddle.ones([2])
    x._array.delete()
    assert log.lines() == ["full1_out_float32_2:unreadable (RuntimeError)"]


def test_all_threads_write(log):
    workers = [threading.Thread(target=lambda: paddle.ones([2]) + 1) for _ in range(4)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    names = sorted(log.names())
    assert names == sorted(
        f"{op}{n}_out_float32_2" for op, n in itertools.product(("full", "scale"), (1, 2, 3, 4))
    )


def test_traced_functions_have_no_lines(log):
    import jax

    step = jax.jit(lambda a: (paddle.Tensor.from_array(a) * 2)._array)
    step(np.ones(2, "float32"))
    assert log.lines() == []


def test_off_is_off(log):
    paddle.ones([1])
    paddle.set_flags({PATH: ""})
    assert len(log.path.read_text().splitlines()) == 1
    paddle.ones([1])
    checksums.flush()
    assert len(log.path.read_text().splitlines()) == 1
    assert not events.has_ops
    assert not checksums._checksums.queue


def test_the_rest_is_written_when_the_process_ends(tmp_path):
    path = tmp_path / "a" / "md5.log"
    code = "import jaxeager; jaxeager.ones([2])"
    printed_by(code, **{PATH: str(path), PRECISION: "1"})
    assert path.read_text() == f"full1_out_float32_2:{md5(b'1.01.0')}\n"


def test_a_gradient_has_the_shape_and_dtype_of_its_tensor_in_its_name():
    made = (paddle.exp.row, "exp", 1, 0)
    array = paddle.ones([2])._array
    aval = paddle.ones([1, 2], "float16")._array.aval
    (line,) = checksums._checksums.lines([(made, array, aval, None)])
    assert line.startswith("exp1_out_float16_1x2@Grad:")
