"""amp.debugging: the tensor checker, check_numerics, check_layer_numerics."""

import random
import threading

import numpy as np
import pytest

import jaxeager as paddle
from jaxeager.debug.numbers import nan_inf
from jaxeager.debug.numbers.precision_text import parse_line
from jaxeager.graph import events
from tests.support.here import DEVICE, WORKER
from tests.support.precision import put_elsewhere

debugging = paddle.amp.debugging
DebugMode = debugging.DebugMode
NAN, INF = float("nan"), float("inf")


@pytest.fixture(autouse=True)
def nothing_left():
    """Check that a test leaves no flag, no observer, no list and no folder behind."""
    before = list(events._observers)
    yield
    debugging.disable_tensor_checker()
    debugging.set_checked_op_list(None)
    debugging.set_skipped_op_list(None)
    assert paddle.get_flags(["FLAGS_check_nan_inf", "FLAGS_check_nan_inf_level"]) == {
        "FLAGS_check_nan_inf": False, "FLAGS_check_nan_inf_level": 0
    }  # fmt: skip
    assert nan_inf.switch.scope == nan_inf.Scope()
    assert events._observers == before


def run(mode=DebugMode.CHECK_ALL, **given):
    """Run a small program under a tensor checker."""
    debugging.enable_tensor_checker(debugging.TensorCheckerConfig(True, mode, **given))
    x = paddle.to_tensor([1.0, 2.0], stop_gradient=False)
    (x + x).exp().sum().backward()
    debugging.disable_tensor_checker()


def ops(text):
    """Return the ops in some lines."""
    return [parse_line(line).op for line in text.splitlines()]


EVERY_OP = ["add", "exp", "sum", "sum_grad", "exp_grad", "add_grad", "add_grad"]


def test_the_modes(capsys):
    run()
    assert ops(capsys.readouterr().out) == EVERY_OP
    run(DebugMode.CHECK_NAN_INF)
    assert capsys.readouterr().out == ""
    debugging.enable_tensor_checker(debugging.TensorCheckerConfig(True))
    with pytest.raises(RuntimeError, match="op=log"):
        paddle.log(paddle.zeros([1])).numpy()
    debugging.disable_tensor_checker()
    paddle.log(paddle.zeros([1]))


@pytest.mark.parametrize(
    ("given", "found"),
    [
        ({"checked_op_list": ["add"]}, ["add"]),
        ({"checked_op_list": ["elementwise_add", "exp"]}, ["add", "exp"]),
        ({"checked_op_list": ("exp_grad", "reduce_sum")}, ["sum", "exp_grad"]),
        ({"checked_op_list": ["elementwise_add_grad"]}, ["add_grad", "add_grad"]),
        ({"skipped_op_list": ["add_grad", "exp"]}, ["add", "sum", "sum_grad", "exp_grad"]),
        ({"checked_op_list": ["add", "exp"], "skipped_op_list": ["exp"]}, ["add"]),
    ],
)
def test_lists_of_ops_go_with_their_checker(capsys, given, found):
    run(**given)
    assert ops(capsys.readouterr().out) == found
    run(checked_op_list=[], skipped_op_list=[])
    assert ops(capsys.readouterr().out) == EVERY_OP


def test_lists_for_every_checker(capsys):
    debugging.set_checked_op_list(["exp"])
    run()
    debugging.set_checked_op_list([])
    debugging.set_skipped_op_list(["exp", "sum", "sum_grad", "exp_grad", "add_grad"])
    run()
    debugging.set_skipped_op_list(None)
    assert ops(capsys.readouterr().out) == ["exp", "add"]


def test_an_in_place_op_in_a_list(capsys):
    x = paddle.ones([2])
    config = debugging.TensorCheckerConfig(True, DebugMode.CHECK_ALL, checked_op_list=["exp"])
    debugging.enable_tensor_checker(config)
    x.exp_()
    debugging.disable_tensor_checker()
    assert ops(capsys.readouterr().out) == ["exp_"]


def test_the_folder_goes_with_its_checker(tmp_path, capsys):
    run(output_dir=str(tmp_path / "a" / "b"))
    assert capsys.readouterr().out == ""
    path = tmp_path / "a" / "b" / WORKER
    assert ops(path.read_text()) == EVERY_OP
    run(output_dir=str(tmp_path / "a" / "b"))
    assert ops(path.read_text()) == EVERY_OP * 2
    run()
    assert ops(path.read_text()) == EVERY_OP * 2
    assert ops(capsys.readouterr().out) == EVERY_OP


def test_the_core_functions(tmp_path, capsys):
    core = paddle.base.core
    core.set_nan_inf_debug_path(str(tmp_path))
    core.set_checked_op_list("exp,elementwise_add")
    core.set_skipped_op_list("exp")
    run()
    assert ops((tmp_path / WORKER).read_text()) == ["add"]
    run(output_dir=str(tmp_path / "own"))
    assert ops((tmp_path / "own" / WORKER).read_text()) == ["add"]
    core.set_nan_inf_debug_path("")
    core.set_checked_op_list("")
    core.set_skipped_op_list("")
    run()
    assert ops(capsys.readouterr().out) == EVERY_OP


def checked_steps(config, count):
    """Return the steps that are checked."""
    found = []
    for step in range(count):
        debugging.enable_tensor_checker(config)
        if paddle.get_flags("FLAGS_check_nan_inf")["FLAGS_check_nan_inf"]:
            found.append(step)
        debugging.disable_tensor_checker()
    return found


@pytest.mark.parametrize("debug_step", [[1, 3], (0, 2), [2, 9], [-1, 1]])
def test_debug_steps(debug_step):
    config = debugging.TensorCheckerConfig(True, debug_step=debug_step)
    assert checked_steps(config, 5) == list(range(max(debug_step[0], 0), min(debug_step[1], 5)))


def test_every_config_counts_for_itself():
    first = debugging.TensorCheckerConfig(True, debug_step=[1, 2])
    assert checked_steps(first, 3) == [1]
    second = debugging.TensorCheckerConfig(True, debug_step=[1, 2])
    assert checked_steps(second, 3) == [1]
    assert (first.current_step_id, second.current_step_id) == (3, 3)
    assert checked_steps(debugging.TensorCheckerConfig(True), 2) == [0, 1]
    assert checked_steps(debugging.TensorCheckerConfig(False), 2) == []


def test_without_disabling_between_steps(capsys):
    config = debugging.TensorCheckerConfig(True, DebugMode.CHECK_NAN_INF, debug_step=[1, 2])
    x = paddle.to_tensor([NAN])
    for _ in range(3):
        debugging.enable_tensor_checker(config)
        (x * 2.0).numpy()
    assert ops(capsys.readouterr().out) == ["scale"]


def test_numbers_are_drawn_as_without_the_checker():
    def draw():
        return paddle.rand([2]).tolist(), np.random.rand(), random.random()

    def seeded(function=None):
        paddle.seed(5)
        np.random.seed(5)
        random.seed(5)
        if function is not None:
            function()
        return draw()

    plain = seeded()
    assert seeded(run) == plain
    run(seed=123)
    first = draw()
    run(seed=123)
    assert draw() == first


def test_the_earlier_level_is_restored():
    paddle.set_flags({"FLAGS_check_nan_inf_level": 2})
    run(DebugMode.CHECK_NAN_INF)
    assert paddle.get_flags("FLAGS_check_nan_inf_level") == {"FLAGS_check_nan_inf_level": 2}
    paddle.set_flags({"FLAGS_check_nan_inf_level": 0})


def test_a_second_config_takes_the_place_of_the_first(capsys):
    first = debugging.TensorCheckerConfig(True, DebugMode.CHECK_ALL, checked_op_list=["exp"])
    second = debugging.TensorCheckerConfig(True, DebugMode.CHECK_ALL, checked_op_list=["tanh"])
    debugging.enable_tensor_checker(first)
    debugging.enable_tensor_checker(second)
    paddle.ones([1]).exp().tanh()
    debugging.disable_tensor_checker()
    paddle.ones([1]).exp().tanh()
    assert ops(capsys.readouterr().out) == ["tanh"]


@pytest.mark.parametrize(
    ("given", "text"),
    [
        ({"debug_mode": 1}, "debug_mode must be one of"),
        ({"debug_step": [3, 1]}, "start below end, got \\[3, 1\\]"),
        ({"debug_step": "3"}, "debug_step must be list or tuple"),
        ({"checked_op_list": "relu"}, "checked_op_list must be list or tuple"),
        ({"skipped_op_list": "relu"}, "skipped_op_list must be list or tuple"),
        ({"stack_height_limit": None}, "stack_height_limit must be int"),
    ],
)
def test_a_checker_config_refuses_invalid_values(given, text):
    with pytest.raises(ValueError, match=text):
        debugging.TensorCheckerConfig(True, **given)


# ---- check_numerics


@pytest.mark.parametrize("mode", list(DebugMode)[1:])
def test_numerics_of_a_bad_tensor(capsys, mode):
    x = paddle.to_tensor([1.0, 0.0, 3.0, NAN, INF, -INF])
    stats, values = debugging.check_numerics(x, "my_op", "my_var", mode)
    assert (stats.dtype, values.dtype) == (paddle.int64, paddle.float32)
    assert stats.tolist() == [1, 2, 1]
    assert values.tolist()[:2] == [INF, -INF]
    assert np.isnan(values.tolist()[2])
    assert capsys.readouterr().out == (
        f"[PRECISION] [ERROR] in [device={DEVICE}, op=my_op, tensor=my_var, dtype=fp32], numel=6, "
        "num_nan=1, num_inf=2, num_zero=1, max=inf, min=-inf, mean=nan\n"
    )


def test_numerics_of_a_bad_tensor_that_raise(capsys):
    x = paddle.to_tensor([1.0, NAN])
    with pytest.raises(RuntimeError, match=r"There are NAN or INF.*op=o, tensor=v"):
        debugging.check_numerics(x, "o", "v")


@pytest.mark.parametrize("mode", list(DebugMode))
def test_numerics_of_a_good_tensor(capsys, mode):
    stats, values = debugging.check_numerics(paddle.to_tensor([1.0, 0.0, 3.0]), "o", "v", mode)
    assert stats.tolist() == [0, 0, 1]
    assert values.tolist() == [3.0, 0.0, pytest.approx(4 / 3)]
    line = (
        f"[PRECISION] in [device={DEVICE}, op=o, tensor=v, dtype=fp32], numel=3, num_zero=1, "
        "max=3.000000e+00, min=0.000000e+00, mean=1.333333e+00\n"
    )
    assert capsys.readouterr().out == (line if mode is DebugMode.CHECK_ALL else "")


def test_numerics_of_a_tensor_on_an_accelerator(monkeypatch, capsys):
    """The call reports it, since it reads the tensor's numbers anyway."""
    put_elsewhere(monkeypatch)
    x = paddle.to_tensor([1.0, NAN])
    with pytest.raises(RuntimeError, match=r"op=o, tensor=v"):
        debugging.check_numerics(x, "o", "v")
    debugging.check_numerics(x, "p", "v", DebugMode.CHECK_NAN_INF)
    assert ops(capsys.readouterr().out) == ["o", "p"]


def test_numerics_of_other_dtypes(capsys):
    mode = DebugMode.CHECK_NAN_INF
    x = paddle.to_tensor(np.array([1 + 1j, complex(NAN, 1)], "complex64"))
    assert debugging.check_numerics(x, "o", "v", mode)[0].tolist() == [1, 0, 0]
    for dtype in ("bfloat16", "float16", "float64"):
        x = paddle.to_tensor([1.0, NAN]).astype(dtype)
        assert debugging.check_numerics(x, "o", "v", mode)[0].tolist() == [1, 0, 0]
    assert debugging.check_numerics(paddle.zeros([0]), "o", "v")[0].tolist() == [0, 0, 0]
    with pytest.raises(RuntimeError, match="dtype int64"):
        debugging.check_numerics(paddle.to_tensor([1]), "o", "v")
    found = [parse_line(line).dtype for line in capsys.readouterr().out.splitlines()]
    assert found == ["complex64", "bf16", "fp16", "fp64"]


def test_numerics_beyond_float16(capsys):
    x = paddle.to_tensor([70000.0])
    debugging.check_numerics(x, "o", "v", DebugMode.CHECK_ALL_FOR_OVERFLOW)
    assert "max=7.000000e+04" in capsys.readouterr().out


def test_a_line_without_room_for_odd_names(capsys):
    debugging.check_numerics(paddle.ones([1]), "o", "a name, [of] x=y", DebugMode.CHECK_ALL)
    assert parse_line(capsys.readouterr().out).tensor == "a_name___of__x_y"


# ---- check_layer_numerics


class Inverse(paddle.nn.Layer):
    """The reciprocal of its input."""

    @debugging.check_layer_numerics
    def forward(self, x, more=0.0):
        """Return it."""
        return 1 / x + more


def test_a_layer_with_bad_numbers():
    x = paddle.to_tensor([0.0, 1.0])
    with pytest.raises(RuntimeError, match="op=divide"):
        Inverse()(x)
    assert x.stop_gradient
    assert Inverse.forward.__name__ == "forward"
    1 / x


def test_a_layer_with_good_numbers():
    x = paddle.to_tensor([2.0])
    y = Inverse()(x, more=1.0)
    assert y.tolist() == [1.5]
    assert x.stop_gradient
    assert y.stop_gradient


@pytest.mark.parametrize(("given", "text"), [((), "No elements"), ((3,), "must be tensor")])
def test_a_layer_without_a_tensor(given, text):
    with pytest.raises(RuntimeError, match=text):
        Inverse().forward(*given)


def test_a_layer_under_the_flag_reports_once(capsys):
    paddle.set_flags({"FLAGS_check_nan_inf": True, "FLAGS_check_nan_inf_level": 1})
    Inverse()(paddle.to_tensor([0.0]))
    paddle.set_flags({"FLAGS_check_nan_inf": False, "FLAGS_check_nan_inf_level": 0})
    assert ops(capsys.readouterr().out) == ["divide", "scale"]


def test_a_layer_checks_its_own_thread():
    class Slow(paddle.nn.Layer):
        @debugging.check_layer_numerics
        def forward(self, x):
            thread = threading.Thread(target=lambda: found.append(paddle.log(x * 0)))
            thread.start()
            thread.join()
            return x

    found = []
    Slow()(paddle.ones([1]))
    assert found[0].tolist() == [-INF]


def test_a_layer_on_an_accelerator(monkeypatch):
    put_elsewhere(monkeypatch)
    with pytest.raises(RuntimeError, match="op=divide"):
        Inverse()(paddle.to_tensor([0.0]))
    debugging.enable_tensor_checker(debugging.TensorCheckerConfig(True))
    paddle.log(paddle.zeros([1]))
    with pytest.raises(RuntimeError, match="op=log"):
        debugging.disable_tensor_checker()


def test_lists_take_the_names_of_functions_that_make_tensors(capsys):
    mode = debugging.DebugMode.CHECK_ALL
    debugging.enable_tensor_checker(
        debugging.TensorCheckerConfig(True, mode, checked_op_list=["fill_constant"])
    )
    paddle.ones([2]).exp()
    debugging.disable_tensor_checker()
    assert ops(capsys.readouterr().out) == ["full"]


def test_a_folder_that_cannot_be_written_is_refused_at_once(tmp_path):
    (tmp_path / "file").write_text("")
    config = debugging.TensorCheckerConfig(True, output_dir=str(tmp_path / "file"))
    with pytest.raises(ValueError, match="output_dir should name a file that can be written"):
        debugging.enable_tensor_checker(config)
    assert paddle.get_flags("FLAGS_check_nan_inf") == {"FLAGS_check_nan_inf": False}
    paddle.log(paddle.zeros([1]))
