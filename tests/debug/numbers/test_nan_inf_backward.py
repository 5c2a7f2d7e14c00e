"""FLAGS_check_nan_inf in backward, and on values set from outside: set_value, an optimizer."""

import contextlib
import threading

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import jaxeager as paddle
from jaxeager.debug.numbers import nan_inf
from jaxeager.graph import events
from tests.support.here import DEVICE, IS_ON_CPU, only_on_a_cpu
from tests.support.leaves import leaf
from tests.support.precision import INF, NAN, records
from tests.support.refusals import refused


def test_a_gradient_is_named_after_its_op(checked, capsys):
    x = leaf([0.0, 4.0, 9.0])
    z = (paddle.sqrt(x) * paddle.to_tensor([0.0, 1.0, 1.0])).sum()
    checked()
    with pytest.raises(RuntimeError) as caught:
        z.backward()
    text = str(caught.value)
    assert f"in [device={DEVICE}, op=sqrt_grad, tensor=x@Grad, dtype=fp32]." in text
    assert "at [0] of shape [3]" in text
    assert "made here, from finite inputs: out@Grad (max=1.000000e+00, min=0.000000e+00)" in text
    assert "saved out (max=3" in text
    assert x.grad is None
    assert [each.op for each in records(capsys)] == ["sqrt_grad"]


def test_the_forward_line_at_stack_level_3(checked):
    paddle.set_flags({"FLAGS_call_stack_level": 3})
    try:
        y = paddle.sqrt(leaf([0.0]))  # the line to find
        checked()
        with refused(RuntimeError) as caught:
            (y * 0.0).backward()
        text = "\n".join([str(caught.value), *getattr(caught.value, "__notes__", ())])
    finally:
        paddle.set_flags({"FLAGS_call_stack_level": 1})
    assert "Forward Traceback" in text
    assert "# the line to find" in text
    assert "SqrtGradNode" in text or not IS_ON_CPU  # reported later, it names the op alone


def test_the_stack_of_a_bad_gradient_is_that_of_its_op_alone(checked):
    """BEAT: Paddle adds those of all ops before it, and of programs that ran earlier."""
    paddle.set_flags({"FLAGS_call_stack_level": 3})
    try:
        leaf([4.0]).exp().backward()  # a program before
        checked()
        x = leaf([0.0]) * 1.0  # an op before
        z = paddle.sqrt(x)  # the line to find
        with pytest.raises(RuntimeError) as caught:
            (z * 0.0).backward()
    finally:
        paddle.set_flags({"FLAGS_call_stack_level": 1})
    text = "\n".join([str(caught.value), *getattr(caught.value, "__notes__", ())])
    assert text.count("# the line to find") == 1
    assert "before\n" not in text


def test_gradients_of_parameters_have_their_names(checked, capsys):
    linear = paddle.nn.Linear(2, 2)
    loss = linear(paddle.ones([1, 2])).sum()
    checked(3)
    loss.backward()
    names = [each.tensor for each in records(capsys)]
    assert f"{linear.weight.name}@Grad" in names
    assert f"{linear.bias.name}@Grad" in names


def returns_nan(grad):
    """Return NaN in a hook."""
    return grad * 0 + paddle.to_tensor(np.full(grad.shape, NAN, "float32"))


class ReturnsNan(paddle.autograd.PyLayer):
    """A PyLayer whose backward returns NaN from NumPy."""

    @staticmethod
    def forward(ctx, x):
        return x * 1.0

    @staticmethod
    def backward(ctx, grad):
        return paddle.to_tensor(np.full(grad.shape, NAN, "float32"))


@pytest.mark.parametrize("inner", [False, True])
def test_a_nan_that_a_py_layer_returns_names_its_backward(checked, inner):
    x = leaf([1.0, 1.0])
    y = ReturnsNan.apply(x * 2.0 if inner else x)
    checked()
    with pytest.raises(RuntimeError, match=r"op=GradNodePyLayer_ReturnsNan.*\n.*\n.*backward of"):
        y.backward()
    assert x.grad is None


@pytest.mark.parametrize("level", [0, 1])
def test_the_gradient_of_a_jax_function(checked, capsys, level):
    root = paddle.autograd.from_jax(jnp.sqrt, name="root")
    x = leaf([0.0, 1.0])
    y = root(x)
    checked(level)
    raised = pytest.raises(RuntimeError, match=r"op=root_grad(.|\n)*inputs: out0@Grad \(max=1")
    with raised if level == 0 else contextlib.nullcontext():
        y.sum().backward()
    assert [(each.op, each.tensor) for each in records(capsys)] == [("root_grad", "x0@Grad")]


@pytest.mark.parametrize("on_leaf", [False, True])
def test_a_nan_that_a_hook_returns_names_the_hook(checked, on_leaf):
    x = leaf([1.0, 1.0])
    y = x * 2.0
    (x if on_leaf else y).register_hook(lambda grad: paddle.to_tensor([NAN, 1.0]))
    checked()
    with pytest.raises(RuntimeError, match=r"op=hook.*\n.*at \[0\].*\n.*hook .*<lambda> \(.*py:"):
        y.backward()
    assert x.grad is None


def test_an_op_of_a_hook_is_an_op(checked):
    y = leaf([1.0, 1.0]) * 2.0
    y.register_hook(returns_nan)
    checked()
    with pytest.raises(RuntimeError, match="op=add,"):
        y.backward()


def test_the_gradient_a_backward_starts_from(checked):
    x = leaf([1.0, 1.0])
    y = x * 2.0
    nan = paddle.to_tensor([NAN, 1.0])
    checked()
    told = r"op=backward.*\n.*\n.*gradient that backward started from"
    with pytest.raises(RuntimeError, match=told):
        y.backward(nan, retain_graph=True)
    with pytest.raises(RuntimeError, match=told):
        paddle.grad([y], [x], [nan], retain_graph=True)
    y.backward()
    assert x.grad.tolist() == [2.0, 2.0]


def test_finite_gradients_whose_sum_overflows(checked):
    x = leaf([1.0])
    y, z = x * 3e38, x * 3e38
    checked()
    with pytest.raises(RuntimeError, match=r"op=grad_add.*\n.*\n.*sum of gradients"):
        paddle.autograd.backward([y, z])
    assert x.grad is None


def test_a_grad_that_is_added_to_until_it_overflows(checked):
    x = leaf([1.0])
    checked()
    (x * 3e38).backward()
    with pytest.raises(RuntimeError, match="op=grad_add, tensor=leaf@Grad"):
        (x * 3e38).backward()
    assert x.grad.item() == np.float32(3e38)


def test_a_sum_of_what_was_reported_is_not_reported_again(checked, capsys):
    x = leaf([0.0])
    y = paddle.sqrt(x) + x
    checked(1)
    y.backward()
    assert [each.op for each in records(capsys)] == ["sqrt_grad"]


@only_on_a_cpu("there it is reported later: test_late.py")
def test_set_value(checked):
    x = paddle.ones([2])
    checked()
    with pytest.raises(
        RuntimeError, match=f"op=set_value, tensor={x.name}.*\n.*\n.*value given to"
    ):
        x.set_value(np.array([NAN, 1.0], "float32"))
    assert x.tolist() == [1.0, 1.0]
    with pytest.raises(RuntimeError, match="op=copy_"):
        x.copy_(paddle.to_tensor([NAN, 1.0]))
    x.set_value(np.array([2.0, 1.0], "float32"))
    assert x.tolist() == [2.0, 1.0]


def test_an_optimizer_step(checked):
    linear = paddle.nn.Linear(1, 1)
    optimizer = paddle.optimizer.SGD(INF, parameters=linear.parameters())
    linear(paddle.ones([1, 1])).backward()
    checked()
    with refused(RuntimeError, match=f"tensor={linear.weight.name}.*\n.*\n.*optimizer"):
        optimizer.step()


@pytest.mark.parametrize("level", [1, 3])
def test_create_graph_reports_once(checked, capsys, level):
    x = leaf([0.0])
    y = paddle.sqrt(x)
    checked(level)
    paddle.grad(y, x, create_graph=True)
    assert [each.op for each in records(capsys)] == ["sqrt_grad"]


def test_gradients_of_gradients_have_their_names(checked, capsys):
    x = leaf([1.0, 1.0])
    (grad,) = paddle.grad((x * x * x).sum(), x, create_graph=True)
    checked(3)
    grad.sum().backward()
    assert "multiply_double_grad" in {each.op for each in records(capsys)}


def test_a_backward_inside_a_hook(checked):
    x, other = leaf([1.0, 1.0]), leaf([0.0])
    y = x * 2.0
    y.register_hook(lambda grad: paddle.sqrt(other).backward())
    checked()
    with pytest.raises(RuntimeError, match="op=sqrt_grad"):
        y.backward()
    assert (x.grad, other.grad) == (None, None)
    assert nan_inf.switch.checker._here.runs == []


def test_a_post_hook_is_mentioned(checked):
    y = leaf([1.0, 1.0]) * 2.0
    y.grad_fn._register_post_hook(lambda made, taken: [paddle.to_tensor([NAN, 1.0]), *made[1:]])
    checked()
    with pytest.raises(RuntimeError, match=r"op=scale_grad.*\n.*\n.*ScaleGradNode has post hooks"):
        y.backward()


def test_both_gradients_of_one_tensor_are_named(checked, capsys):
    x = leaf([1.0, 1.0])
    y = x * x
    checked(3)
    y.backward()
    assert [each.tensor for each in records(capsys)] == ["x@Grad", "y@Grad"]


def test_a_sum_in_a_recorded_backward_is_reported_once(checked, capsys):
    x = leaf([1.0])
    y = x * 1.0
    z = y * 3e38 + y * 2e38 - y * 3e38
    checked(level=1)
    paddle.grad(z, [x], create_graph=True)
    assert [each.op for each in records(capsys)].count("grad_add") == 0


def test_gradients_that_meet_are_checked_where_they_meet(checked, capsys):
    x = leaf([1.0])
    y = x * 1.0
    z = y * 3e38
    checked(level=1)
    paddle.autograd.backward([y, z], [paddle.to_tensor([3e38]), paddle.to_tensor([1.0])])
    first = records(capsys)[0]
    assert (first.op, first.tensor) == ("grad_add", "out@Grad")


# ---- gradients that are still being computed


def _after_a_while(_, grad):
    """Return the gradient, after a chain of products that is long on any number of cores."""
    factor = jnp.full([100, 100], 0.01) + 0 * grad.sum()
    last = jax.lax.fori_loop(0, 10_000, lambda _, product: product @ factor, factor)
    return (grad + 0 * last[0, 0],)


_late = jax.custom_vjp(lambda x: x * 1)
_late.defvjp(lambda x: (x * 1, None), _after_a_while)
late_gradient = paddle.autograd.from_jax(_late, name="late")


class Slow:
    """An op whose gradient is NaN, and available when ``go`` is set; it sets ``in_time``."""

    def __init__(self):
        self.go = threading.Event()
        self.in_time = None

        def answer(grad):
            self.in_time = self.go.wait(60)
            return np.full(grad.shape, NAN, grad.dtype)

        def pull(_, grad):
            return (jax.pure_callback(answer, jax.ShapeDtypeStruct(grad.shape, grad.dtype), grad),)

        same = jax.custom_vjp(lambda x: x * 1)
        same.defvjp(lambda x: (x * 1, None), pull)
        self.op = paddle.autograd.from_jax(same, name="slow")

    def after_much_work(self, x):
        """Run the op so that its gradient waits for much work, or XLA would run it immediately."""
        return late_gradient(self.op(x)).sum()


class Lets(events.Observer):
    """Sets an event when a node of some name has run."""

    def __init__(self, slow, name):
        self.slow = slow
        self.name = name

    def node_ran(self, node, saved, grads, results):
        if node.name() == self.name:
            self.slow.go.set()


@pytest.fixture
def slow():
    """Return a slow op, and the observer that releases it when the node upstream of it has run."""
    made = Slow()
    made.go.set()
    made.after_much_work(paddle.sqrt(leaf(np.ones(100)) * 2.0)).backward()  # compiles it all
    made.go.clear()
    with events.observing(Lets(made, "ScaleGradNode")):
        yield made
    made.go.set()


@only_on_a_cpu("there it is reported later: test_late.py")
def test_gradients_are_not_waited_for_and_named_all_the_same(checked, slow):
    x = leaf(np.ones(100))
    y = slow.after_much_work(x * 2.0)
    checked()
    with pytest.raises(RuntimeError, match=r"op=slow_grad,(.|\n)*made here"):
        y.backward()
    assert slow.in_time
    assert x.grad is None


@only_on_a_cpu("there a callback is waited for where it is called")
def test_gradients_that_come_late_are_reported_in_their_order(checked, slow, capsys):
    x = leaf(np.ones(100))
    y = slow.after_much_work(paddle.sqrt(x * 0.0))
    checked(level=1)
    y.backward()
    assert slow.in_time
    assert [each.op for each in records(capsys)] == ["slow_grad", "sqrt_grad", "scale_grad"]


@only_on_a_cpu("there it is reported later: test_late.py")
def test_a_hook_sees_no_gradient_that_was_not_checked(checked, slow):
    x = leaf(np.ones(100))
    y = x * 2.0
    y.register_hook(lambda grad: seen.append(grad))
    z = slow.op(y).sum()
    checked()
    slow.go.set()
    seen = []
    with pytest.raises(RuntimeError, match="slow"):
        z.backward()
    assert seen == []
