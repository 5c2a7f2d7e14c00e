"""The arguments of paddle.grad: unused inputs, no_grad_vars, and what it refuses."""

from ..probe import attempt, leaf, refuses
from ..registry import program
from .partial_grad import values


@program
def inputs_that_do_not_appear(paddle, np):
    """An input the outputs do not depend on is an error, or None with allow_unused."""
    x, w = leaf(paddle, [1.0]), leaf(paddle, [2.0])
    c = paddle.to_tensor([3.0])
    y = x * c
    cases = {
        "other leaf": [x, w],
        "constant": [c, x],
        "later": [y * 2],
        "all": [w, c],
    }
    return {
        text: [
            attempt(lambda inputs=inputs: paddle.grad(y, inputs)),
            values(paddle.grad(y, inputs, allow_unused=True)),
        ]
        for text, inputs in cases.items()
    }


@program
def outputs_that_stop_gradients(paddle, np):
    """Outputs without a graph give no gradients."""
    x = leaf(paddle, [1.0])
    c = paddle.to_tensor([2.0])
    return [
        attempt(lambda: paddle.grad(c, x)),
        values(paddle.grad(c, x, allow_unused=True)),
        values(paddle.grad([x * 3, c], [x])),
        attempt(lambda: paddle.grad((x * 2).detach(), x)),
    ]


@program
def duplicates_in_grad(paddle, np):
    """Neither inputs nor outputs may hold a tensor twice."""
    x = leaf(paddle, [1.0])
    y = x * 2
    return {
        "inputs": attempt(lambda: paddle.grad(y, [x, x])),
        "outputs": refuses(lambda: paddle.grad([y, y], [x])),
        "no_grad_vars": values(paddle.grad(y * x, [x], no_grad_vars=[y, y])),
    }


@program
def wrong_arguments_of_grad(paddle, np):
    """Containers and elements of the wrong kind."""
    x = leaf(paddle, [1.0])
    y = x * 2
    grad = paddle.grad
    return {
        "inputs number": attempt(lambda: grad(y, 5)),
        "inputs element": attempt(lambda: grad(y, [5])),
        "inputs None": attempt(lambda: grad(y, None)),
        "inputs set": attempt(lambda: grad(y, {x})),
        "outputs number": attempt(lambda: grad(5, x)),
        "outputs element": attempt(lambda: grad([y, "y"], x)),
        "outputs None": attempt(lambda: grad(None, x)),
        "no_grad_vars number": attempt(lambda: grad(y, x, no_grad_vars=5)),
        "no_grad_vars element": attempt(lambda: grad(y, x, no_grad_vars=[5])),
        "only_inputs": attempt(lambda: grad(y, x, only_inputs=False)),
        "create_graph": attempt(lambda: grad(y, x, create_graph=1)),
        "retain_graph": attempt(lambda: grad(y, x, retain_graph="yes")),
        "allow_unused": attempt(lambda: grad(y, x, allow_unused=0)),
        "only_inputs number": attempt(lambda: grad(y, x, only_inputs=1)),
    }


@program
def empty_arguments_of_grad(paddle, np):
    """Empty lists of inputs and outputs."""
    x = leaf(paddle, [1.0])
    y = x * 2
    return {
        "inputs": refuses(lambda: paddle.grad(y, [])),
        "outputs": refuses(lambda: paddle.grad([], [x])),
    }


@program
def wrong_grad_outputs(paddle, np):
    """grad_outputs of another length or kind."""
    x = leaf(paddle, [1.0])
    y = x * 2
    seed = paddle.ones([1])
    return {
        "longer": attempt(lambda: paddle.grad(y, x, [seed, seed])),
        "shorter": attempt(lambda: paddle.grad([y, x * 3], x, [seed])),
        "number": attempt(lambda: paddle.grad(y, x, [2.0])),
        "bare number": attempt(lambda: paddle.grad(y, x, 2.0)),
        "array": attempt(lambda: paddle.grad(y, x, np.ones([1], "float32"))),
    }


@program
def stops_at_no_grad_vars(paddle, np):
    """Paths through no_grad_vars are cut, in each of its forms."""
    x = leaf(paddle, [2.0])
    a, b = x * 2, x * 3
    c = a * b
    return {
        "list": values(paddle.grad(c, [x], no_grad_vars=[a])),
        "tuple": values(paddle.grad(c, [x], no_grad_vars=(b,))),
        "set": values(paddle.grad(c, [x], no_grad_vars={a})),
        "tensor": values(paddle.grad(c, [x], no_grad_vars=a)),
        "none": values(paddle.grad(c, [x], no_grad_vars=[])),
        "both": attempt(lambda: paddle.grad(c, [x], no_grad_vars=[a, b])),
        "both unused": values(paddle.grad(c, [x], no_grad_vars=[a, b], allow_unused=True)),
        "again": values(paddle.grad(c, [x])),
    }


@program
def no_grad_vars_that_cut_nothing(paddle, np):
    """Tensors off the path change nothing."""
    x, w = leaf(paddle, [2.0]), leaf(paddle, [5.0])
    other, constant = w * 2, paddle.to_tensor([1.0])
    y = x * x * w
    return [
        values(paddle.grad(y, [x], no_grad_vars=[w])),
        values(paddle.grad(y, [x], no_grad_vars=[other])),
        values(paddle.grad(y, [x], no_grad_vars=[constant])),
    ]


@program
def no_grad_vars_deep_in_the_graph(paddle, np):
    """A cut in the middle of several paths, with intermediates as inputs."""
    x = leaf(paddle, np.float64([0.5]))
    a = paddle.sin(x)
    b = a * x
    c = paddle.exp(b) + a
    d = c * b
    return [
        values(paddle.grad(d, [x], no_grad_vars=[a])),
        values(paddle.grad(d, [x, a], no_grad_vars=[c])),
        values(paddle.grad(d, [x], no_grad_vars=[c])),
    ]
