"""jit.save and jit.load: unsupported models and wrong calls raise clear errors."""

import os

import pytest

import jaxeager as paddle
from jaxeager.static import InputSpec
from tests.jit.saved_model.saved_layers import Forward, random, saved


def size_decides(self, x):
    return x if x.shape[0] > 2 else -x


@pytest.mark.parametrize(
    ("function", "message"),
    [
        (
            lambda self, x: x * x.max().item(),
            r"Forward.forward\(\) reads the value of .*_refusals.py:\d+.*cond",
        ),
        (lambda self, x: paddle.to_tensor(x.numpy()), "reads the value of "),
        (
            size_decides,
            r"sizes that are unknown \(args_0: \[batch, 2\]\).*test_saving_refusals.py:\d+. Give",
        ),
    ],
)
def test_functions_that_no_program_can_hold_are_refused(function, message, tmp_path):
    with pytest.raises(NotImplementedError, match=message):
        paddle.jit.save(Forward(function), f"{tmp_path}/net", [InputSpec([None, 2])])
    assert os.listdir(tmp_path) == []


def test_an_error_of_the_layer_itself_is_its_own(tmp_path):
    net = paddle.nn.Linear(2, 3)
    with pytest.raises(ValueError, match="matmul"):
        paddle.jit.save(net, f"{tmp_path}/net", [InputSpec([None, 5])])
    assert net(random(4, 2)).shape == [4, 3]
    assert not net.weight.stop_gradient


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda f: paddle.jit.save(3, f), TypeError, "should be 'Layer' or 'Function'"),
        (lambda f: paddle.jit.save(paddle.nn.ReLU(), f), ValueError, "No valid transformed"),
        (lambda f: paddle.jit.save(paddle.nn.ReLU(), ""), ValueError, "file_prefix is empty"),
        (lambda f: paddle.jit.save(paddle.nn.ReLU(), 3), TypeError, "takes a path"),
        (
            lambda f: paddle.jit.save(paddle.nn.ReLU(), f, InputSpec([2])),
            TypeError,
            "input_spec should be 'list'",
        ),
        (
            lambda f: paddle.jit.save(paddle.nn.ReLU(), f, [InputSpec([2])] * 2),
            ValueError,
            r"requires 1 arguments: \['x'\], but the input_spec has 2",
        ),
        (lambda f: paddle.jit.save(paddle.nn.ReLU(), f, []), ValueError, "missing a required"),
        (lambda f: paddle.jit.save(paddle.nn.ReLU(), f, wrong=1), ValueError, "config .wrong."),
        (
            lambda f: paddle.jit.save(
                paddle.nn.Bilinear(2, 2, 1), f, [InputSpec([1, 2], name="a")] * 2
            ),
            ValueError,
            "Two inputs have the name 'a'",
        ),
        (
            lambda f: paddle.jit.save(Forward(lambda self, x: None), f, [InputSpec([2])]),
            ValueError,
            "returns no tensor",
        ),
        (
            lambda f: paddle.jit.save(paddle.nn.ReLU(), f, [InputSpec([2])], output_spec=[1]),
            ValueError,
            "of which there are 1, but received 1",
        ),
        (lambda f: paddle.jit.load(f), ValueError, "to load not exists: there is no file"),
        (lambda f: paddle.jit.load(3), TypeError, "takes a path"),
        (lambda f: paddle.jit.load(f, wrong=1), ValueError, "config .wrong."),
        (lambda f: paddle.jit.TranslatedLayer({}, {}), TypeError, "made by paddle.jit.load"),
    ],
)
def test_bad_calls(call, error, message, tmp_path):
    with pytest.raises(error, match=message):
        call(f"{tmp_path}/net")


def test_saving_is_refused_while_to_static_is_off(tmp_path):
    paddle.jit.enable_to_static(False)
    try:
        with pytest.raises(RuntimeError, match="enable_to_static' to False"):
            paddle.jit.save(paddle.nn.ReLU(), f"{tmp_path}/net", [InputSpec([2])])
    finally:
        paddle.jit.enable_to_static(True)


@pytest.mark.parametrize(
    ("inputs", "error", "message"),
    [
        ([], ValueError, r"takes 2 inputs \(x1, x2\), but received 0"),
        ([[1.0], 2.0], TypeError, "must be numpy array or Tensor, but x1 is a list"),
        ([(4, 3), (4, 2)], ValueError, r"x1 was saved as float32\[batch, 2\], but .* \[4, 3\]: 2"),
        ([(4, 2), (5, 2)], ValueError, r"batch is 5 in it, and 4 in x1"),
        ([(4,), (4, 2)], ValueError, r"received float32\[4\]"),
        ([(0, 2), (0, 2)], ValueError, "must not be empty"),
    ],
)
def test_inputs_that_do_not_fit(inputs, error, message, tmp_path):
    loaded = saved(paddle.nn.Bilinear(2, 2, 1), [InputSpec([None, 2])] * 2, tmp_path)
    given = [random(*each) if isinstance(each, tuple) else each for each in inputs]
    with pytest.raises(error, match=message):
        loaded(*given)
    with pytest.raises(ValueError, match=r"received float64\[4, 2\]"):
        loaded(random(4, 2), random(4, 2).astype("float64"))


def test_there_is_no_program_of_paddle(tmp_path):
    loaded = saved(paddle.nn.ReLU(), [InputSpec([2])], tmp_path)
    with pytest.raises(NotImplementedError, match=r"exported\(\) returns the program"):
        loaded.program()
    assert "stablehlo.maximum" in loaded.exported().mlir_module()
