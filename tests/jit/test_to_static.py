"""to_static: the functions that can be marked, the mark, and when a program is created again."""

import copy

import numpy as np
import pytest

import jaxeager as paddle
from jaxeager.jit import static_function
from jaxeager.static import InputSpec


class Net(paddle.nn.Layer):
    def __init__(self):
        super().__init__()
        self.inner = paddle.nn.Linear(2, 3)

    @paddle.jit.to_static
    def forward(self, x):
        """Runs it."""
        return self.inner(x)

    @paddle.jit.to_static(input_spec=[InputSpec([None, 2])], full_graph=True)
    def twice(self, x):
        return self(x) * 2

    @paddle.jit.not_to_static
    def plain(self, x):
        return x


def test_methods_of_a_class():
    net, x = Net(), paddle.ones([1, 2])
    assert net.twice(x).tolist() == (net.inner(x) * 2).tolist()
    assert net(x).tolist() == net.inner(x).tolist()
    assert isinstance(Net.forward, static_function.StaticFunction)
    assert net.forward.class_instance is net
    assert net.forward == net.forward
    assert net.twice.input_spec[0].shape == (-1, 2)
    assert net.forward.__doc__ == "Runs it."
    assert "def forward(self, x):" in net.forward.code
    assert net.plain(3) == 3
    net(x).sum().backward()
    assert net.inner.weight.grad is not None


def test_a_layer_comes_back_itself():
    layer, x = paddle.nn.Linear(2, 3), paddle.ones([1, 2])
    wanted = layer(x).tolist()
    marked = paddle.jit.to_static(layer, input_spec=[InputSpec([None, 2])])
    assert marked is layer
    assert layer(x).tolist() == wanted
    assert paddle.jit.to_static(layer).forward is layer.forward
    other = copy.deepcopy(layer)
    other.weight.set_value(other.weight * 2)
    assert layer(x).tolist() == wanted
    assert layer.forward.rollback()(x).tolist() == wanted
    assert not isinstance(layer.forward, static_function.StaticFunction)
    assert list(layer.state_dict()) == ["weight", "bias"]


def test_marking_twice_marks_once():
    def f(x):
        return x

    marked = paddle.jit.to_static(paddle.jit.to_static(f), input_spec=[1])
    assert marked.dygraph_function is f
    assert marked.input_spec == [1]
    assert marked.rollback() is f
    with pytest.raises(RuntimeError, match=r"f\(\) has no program, because its Python runs"):
        marked.concrete_program  # noqa: B018 - asking raises
    with pytest.raises(
        paddle.errors.UnimplementedError, match=r"Call f\(\), and read concrete_program"
    ):
        marked.get_concrete_program(paddle.ones([2]))


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: paddle.jit.to_static(3), TypeError, "takes a function or a Layer"),
        (lambda: paddle.jit.ignore_module([3]), TypeError, "takes modules, but received 3"),
        (lambda: paddle.jit.enable_to_static(3), TypeError, "takes a bool"),
        (lambda: paddle.jit.set_verbosity("a"), TypeError, "Level is not an integer: a"),
        (lambda: paddle.jit.set_code_level("a"), TypeError, "Level is not an integer: a"),
    ],
)
def test_bad_calls(call, error, message):
    with pytest.raises(error, match=message):
        call()


def test_changes_for_which_a_program_is_captured_again():
    net = paddle.nn.Linear(2, 3)
    factor = 2

    @paddle.jit.to_static(full_graph=True)
    def scaled(x, power=1):
        return net(x) * factor**power

    def captured() -> int:
        return len(scaled.program_cache)

    x = paddle.ones([1, 2])
    for _ in range(3):
        scaled(x)
    assert captured() == 1
    scaled(paddle.zeros([1, 2]))
    assert captured() == 1  # other values
    scaled(paddle.ones([2, 2]))
    assert captured() == 2  # another shape
    scaled(x, power=2)
    scaled(x, power=2.0)
    assert captured() == 4  # other constants; 2 is not 2.0
    with paddle.no_grad():
        scaled(x)
    assert captured() == 5
    net.eval()
    scaled(x)
    assert captured() == 6
    net.train()
    scaled(x)
    assert captured() == 6  # the first one is used again
    factor = 3
    assert scaled(x).tolist() == (net(x) * 3).tolist()
    assert captured() == 7
    net.weight.set_value(net.weight * 2)
    assert scaled(x).tolist() == (net(x) * 3).tolist()
    assert captured() == 7  # values of parameters are inputs
    net.weight = paddle.create_parameter([2, 3], "float32")
    assert scaled(x).tolist() == (net(x) * 3).tolist()
    assert captured() == 8
    net.to(dtype="float64")
    assert scaled(x.astype("float64")).dtype == paddle.float64


def test_a_tensor_that_changes_its_dtype_is_noticed():
    layer = paddle.nn.Linear(2, 2)
    scaled = paddle.jit.to_static(lambda: layer.weight * 2, full_graph=True)
    assert scaled().dtype == paddle.float32
    layer.to(dtype="float64")
    assert scaled().dtype == paddle.float64


def test_enable_to_static_switches_marked_functions_off():
    calls = []

    @paddle.jit.to_static(full_graph=True)
    def counted(x):
        calls.append(1)
        return x * 2

    x = paddle.ones([2], dtype="float32")
    x.stop_gradient = False
    counted(x), counted(x)
    assert len(calls) == 1
    paddle.jit.enable_to_static(False)
    try:
        assert counted(x).grad_fn.name() == "ScaleGradNode"
    finally:
        paddle.jit.enable_to_static(True)
    assert len(calls) == 2


def test_copies_have_programs_of_their_own():
    layer, x = paddle.jit.to_static(paddle.nn.Linear(2, 3), full_graph=True), paddle.ones([1, 2])
    layer(x)
    other = copy.deepcopy(layer)
    other.weight.set_value(other.weight * 0)
    other.bias.set_value(other.bias * 0)
    assert other(x).tolist() == [[0.0, 0.0, 0.0]]
    assert layer(x).abs().sum().item() > 0


def test_methods_of_several_objects():
    nets, x = [Net(), Net()], paddle.ones([1, 2])
    assert nets[0](x).tolist() != nets[1](x).tolist()
    for net in nets:
        assert net(x).tolist() == net.inner(x).tolist()
        net.twice(x)
        assert len(net.twice.program_cache) == 1


def test_an_error_of_the_function_itself_is_raised_as_it_is(caplog):
    @paddle.jit.to_static
    def wrong(x):
        return x.reshape([7])

    with pytest.raises(ValueError, match="reshape"):
        wrong(paddle.ones([2]))
    assert caplog.text == ""


def test_a_failed_capture_leaves_no_trace():
    net = paddle.nn.BatchNorm1D(3)

    @paddle.jit.to_static(full_graph=True)
    def wrong(x):
        out = net(x) + paddle.rand([3])
        out.sum().backward()
        return float(out.sum())

    x = paddle.ones([2, 3])
    paddle.seed(5)
    state = paddle.get_rng_state()[0]
    with pytest.raises(NotImplementedError, match=r"wrong\(\) reads the value of .*float32\[\]"):
        wrong(x)
    assert net._mean.tolist() == [0.0, 0.0, 0.0]
    assert net.weight.grad is None
    assert x.tolist() == [[1.0] * 3] * 2
    assert bool((paddle.get_rng_state()[0] == state).all())


def test_the_parts_of_a_program():
    @paddle.jit.to_static(full_graph=True)
    def scaled(x, y):
        return x * y, x.sum()

    x = paddle.ones([2])
    x.stop_gradient = False
    scaled(x, paddle.ones([2]))
    program = scaled.concrete_program
    assert [tuple(each.shape) for each in program.inputs] == [(2,), (2,)]
    assert [tuple(each.shape) for each in program.outputs] == [(2,), ()]
    assert program.parameters == []
    assert "multiply" in str(scaled.main_program)
    assert "multiply_grad" in str(program.backward_program)


def test_an_array_of_numpy_is_written_into_a_tensor_of_a_program():
    @paddle.jit.to_static(full_graph=True)
    def written(x):
        y = x * 1
        y.set_value(np.full([2, 3], 4.0, "float32"))
        return y + x

    assert written(paddle.ones([2, 3])).tolist() == [[5.0] * 3] * 2
    assert written(paddle.zeros([2, 3])).tolist() == [[4.0] * 3] * 2
