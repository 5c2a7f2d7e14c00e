"""debug.shapes: formulas of sizes, their conditions, and lines that depend on a size."""

import threading

import jax
import numpy as np
import pytest

import jaxeager as paddle
from jaxeager.debug.sizes.report import size_text
from jaxeager.errors import InvalidArgumentError, InvalidTypeError, UnimplementedError
from jaxeager.graph import events
from jaxeager.kernels import executables

nn, InputSpec = paddle.nn, paddle.static.InputSpec


class Network(nn.Layer):
    """A convolution with stride 2, pooling, and a flattening that mixes both axes."""

    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2D(3, 8, 3, stride=2, padding=1)
        self.pool = nn.MaxPool2D(2)

    def forward(self, image):
        y = self.pool(nn.functional.relu(self.conv(image)))
        return y.flatten(2).transpose([0, 2, 1])


def of_network(height=None, width=None):
    spec = InputSpec([None, 3, height, width], "float32", "image")
    return paddle.debug.shapes(Network(), spec)


def here(text):
    """Return the place of the line of this file that contains a text, the first one."""
    with open(__file__) as file:
        lines = file.read().splitlines()
    return f"{__file__}:{next(n for n, line in enumerate(lines, 1) if text in line)}"


@pytest.mark.parametrize("height", [6, 9, 32])
@pytest.mark.parametrize("width", [7, 12])
def test_the_formulas_give_the_shapes_of_each_call(height, width):
    """Each formula, computed in Python for these sizes, is the size that the op really makes."""
    formulas = of_network()
    fixed = paddle.debug.shapes(Network(), paddle.zeros([5, 3, height, width]))
    assert [each.op for each in formulas] == [each.op for each in fixed]
    sizes = {"batch": 5, "size2": height, "size3": width}
    for general, special in zip(formulas, fixed, strict=True):
        for text, expected in zip(general.outputs, special.outputs, strict=True):
            assert eval(text, {}, sizes) == eval(expected, {}, sizes)
    last = Network()(paddle.zeros([5, 3, height, width]))
    assert eval(formulas[-1].outputs[0], {}, sizes) == last.shape


def test_an_op_names_its_layer_and_the_line_that_called_it():
    conv = of_network()[0]
    assert (conv.op, conv.layer) == ("conv2d", "conv (Conv2D)")
    assert conv.line.startswith(here("y = self.pool"))
    assert conv.inputs == ("[batch, 3, size2, size3]", "[8, 3, 3, 3]")


def test_a_new_size_is_listed_once():
    new = [size for each in of_network() for size in each.new]
    assert len(new) == len(set(new))
    assert new[:2] == ["(size2 + 1) // 2", "(size3 + 1) // 2"]


def test_the_ops_that_a_new_size_compiles_again_are_those_that_eager_mode_compiles():
    """Counted by the kernels that calls with another height and with another width compile."""

    def run(image):
        y = paddle.nn.functional.relu(image)
        z = y.sum(2)
        return z.tanh().sum(1).exp()

    spec = InputSpec([2, None, None, 3], "float32", "image")
    again = paddle.debug.shapes(run, spec).compiled_again
    assert {size: [each.op for each in ops] for size, ops in again.items()} == {
        "size1": ["relu", "sum", "tanh", "sum"], "size2": ["relu", "sum"],
    }  # fmt: skip
    run(paddle.to_tensor(np.zeros([2, 37, 41, 3], "float32")))
    for shape, size in (([2, 39, 41, 3], "size1"), ([2, 39, 43, 3], "size2")):
        image = paddle.to_tensor(np.zeros(shape, "float32"))
        before = paddle.debug.compilations().kernels
        run(image)
        assert paddle.debug.compilations().kernels - before == len(again[size])


def test_the_text_says_where_a_size_ends():
    def run(image):
        return (image * 2.0).sum(1).exp()  # the sum

    text = str(paddle.debug.shapes(run, InputSpec([None, None], "float32", "image")))
    line = here("# the sum")
    assert text.endswith(
        "\n\nOps that a new value of a size compiles again\n"
        f"batch  3 of 3: from scale at {line} to exp at {line}\n"
        f"size1  2 of 3: from scale at {line} to sum at {line}"
    )
    fixed = paddle.debug.shapes(run, InputSpec([1, 3], "float32"))
    assert "compiles again" not in str(fixed)
    assert fixed.compiled_again == {}


def test_a_decision_that_depends_on_a_size_is_named_with_its_line():
    class Branches(nn.Layer):
        def forward(self, x):
            y = x * 2.0
            if x.shape[1] > 5:  # a decision
                y = y.sum(1)
            return y

    found = paddle.debug.shapes(Branches(), InputSpec([None, None]))
    assert "size1 > 5" in found.refusal
    assert here("# a decision") in found.refusal
    assert [each.op for each in found] == ["scale"]  # what ran before it
    assert found.refusal in str(found)


def test_conditions_that_ops_need_are_listed():
    found = paddle.debug.shapes(lambda x: x.topk(3, axis=1)[0], InputSpec([None, None]))
    assert found.conditions == ("size1 >= 3",)
    assert "It works for size1 >= 3" in str(found)
    even = paddle.debug.shapes(lambda x: x[:, ::2] + x[:, 1::2], InputSpec([4, None]))
    assert even.inputs == {"x": "[4, 2 * size1]"}


def test_the_first_size_of_an_example_is_open():
    found = paddle.debug.shapes(nn.Linear(3, 4), np.zeros([2, 3], "float32"))
    assert found.inputs == {"input": "[batch, 3]"}
    assert found[-1].outputs == ("[batch, 4]",)


def test_arguments_by_name_and_two_inputs():
    def joined(x, *, y):
        return paddle.concat([x, y])

    found = paddle.debug.shapes(joined, InputSpec([None, 2]), y=InputSpec([None, 2]))
    assert found[0].outputs == ("[batch_1 + batch, 2]",)


def test_nothing_is_computed_or_left_behind():
    net = nn.Sequential(nn.Linear(4, 4), nn.BatchNorm1D(4), nn.Dropout(0.5))
    mean = net[1]._mean.numpy()
    paddle.seed(3)
    before = executables.counts()
    paddle.debug.shapes(net, InputSpec([None, 4]))
    assert executables.counts() == before
    assert net.training
    assert net[2].training
    assert (net[1]._mean.numpy() == mean).all()
    assert not any(isinstance(each._array, jax.core.Tracer) for each in net.parameters())
    assert all(each.grad is None for each in net.parameters())
    assert events.op_ran is None
    drawn = paddle.rand([2]).numpy()
    paddle.seed(3)
    assert (paddle.rand([2]).numpy() == drawn).all()


def test_a_refusal_has_the_shapes_of_its_own_trace():
    """Before that, a trace under a condition had reached as far."""

    def halves(x):
        a, _ = paddle.split(x, 2, axis=1)
        c = nn.functional.relu(a)
        return c if x.shape[0] > 3 else c + 1

    found = paddle.debug.shapes(halves, InputSpec([None, None], "float32", "x"))
    assert found.inputs == {"x": "[batch, 2 * size1]"}
    assert found[0].outputs == ("[batch, size1]", "[batch, size1]")
    assert "batch > 3" in found.refusal

    def largest(x):
        y = x.topk(2, axis=1)[0]
        return y if x.shape[0] > 3 else y + 1

    found = paddle.debug.shapes(largest, InputSpec([None, None]))
    assert found.conditions == ("size1 >= 2",)


def test_a_refusal_is_written_with_operators():
    def branches(x):
        return x if x.shape[0] // 3 > 5 else x * 2

    found = paddle.debug.shapes(branches, InputSpec([None, 2]))
    assert "whether batch // 3 > 5 depends on the size" in found.refusal


def test_ops_of_other_threads_are_not_listed():
    started, may_go_on = threading.Event(), threading.Event()

    def other():
        started.wait(30)
        nn.Linear(2, 2)(paddle.ones([1, 2]))
        may_go_on.set()

    def network(x):
        started.set()
        assert may_go_on.wait(30)
        return nn.functional.relu(x)

    thread = threading.Thread(target=other)
    thread.start()
    found = paddle.debug.shapes(network, InputSpec([None, 4]))
    thread.join()
    assert [(each.op, each.layer) for each in found] == [("relu", "")]


class Remembers(nn.Layer):
    """Keeps a tensor and a count as attributes."""

    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(4, 4)
        self.table, self.count = None, 0

    def forward(self, x):
        self.count += 1
        if self.table is None:
            self.table = paddle.arange(4, dtype="float32")
        self.last = self.linear(x)
        return self.last + self.table


@pytest.mark.parametrize("through", [lambda net: net, lambda net: lambda x: net(x)])
def test_attributes_and_gradients_are_as_before(through):
    net = Remembers()
    net(paddle.ones([1, 4])).sum().backward()
    before = net.linear.weight.grad.numpy()
    net.table, net.count = None, 0
    del net.last
    paddle.debug.shapes(through(net), InputSpec([None, 4]))
    assert (net.table, net.count, hasattr(net, "last")) == (None, 0, False)
    assert (net.linear.weight.grad.numpy() == before).all()
    assert net(paddle.ones([1, 4])).shape == [1, 4]


def test_a_backward_in_the_function_leaves_no_traced_gradient():
    layer = nn.Linear(4, 4)

    def step(x):
        loss = layer(x).sum()
        loss.backward()
        return loss

    paddle.debug.shapes(step, InputSpec([None, 4]))
    assert layer.weight.grad is None


def test_a_step_in_the_function_is_refused():
    layer = nn.Linear(4, 4)
    sgd = paddle.optimizer.SGD(parameters=layer.parameters())

    def step(x):
        loss = layer(x).mean()
        loss.backward()
        sgd.step()
        return loss

    with pytest.raises(UnimplementedError, match="An optimizer's step is not part of a program"):
        paddle.debug.shapes(step, InputSpec([None, 4]))
    assert layer.weight.grad is None


def test_errors_of_the_network_are_its_own():
    with pytest.raises(InvalidArgumentError, match="5 and 3"):
        paddle.debug.shapes(nn.Linear(3, 4), InputSpec([None, 5]))
    with pytest.raises(InvalidTypeError, match="a Layer or a function, but received int"):
        paddle.debug.shapes(3)
    with pytest.raises(
        UnimplementedError, match=r"reads the value of .* which a program does not have"
    ):
        paddle.debug.shapes(lambda x: x * float(x.max()), InputSpec([None, 3]))
    assert events.op_ran is None


SIZES = [
    "n",
    "2*n + 1",
    "floordiv(n + 1, 2)",
    "floordiv(floordiv(n + 1, 2), 3) - 1",
    "3*floordiv(n, 2)",
    "mod(n, 2) + floordiv(m, n)",
    "max(0, floordiv(max(0, floordiv(n + 1, 4) - 1) + 1, 2) - 1)",
    "- floordiv(n, 3) + n",
    "- mod(n, 3) + n^2",
    "floordiv(3*floordiv(n + 1, 2) + 1, 4)",
    "mod(m + 2*n, n*mod(7, n))",
    "floordiv(mod(m, 3) + n^2, m - floordiv(n, 2))",
    "n - 3*floordiv(2*n, 5)",
]


@pytest.mark.parametrize("size", SIZES)
def test_a_size_in_pythons_notation_has_the_same_value(size):
    numbers = {"floordiv": lambda a, b: a // b, "mod": lambda a, b: a % b}
    text = size_text(size)
    assert "floordiv" not in text
    assert "mod" not in text
    for n, m in [(8, 21), (11, 70), (29, 5)]:
        numbers |= {"n": n, "m": m}
        assert eval(text, {}, numbers) == eval(size.replace("^", "**"), {}, numbers)
