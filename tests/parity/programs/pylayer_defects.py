"""PyLayer where Paddle 3.3.1 crashes or is wrong, each with the answer derived by hand."""

from ..probe import attempt, grads, leaf
from ..registry import CRASHES, differs
from .pylayer import cube, layer


@differs(
    "the second backward of a PyLayer crashes, although the graph was retained",
    right=[36.0],
    paddle_gives=CRASHES,
)
def pylayer_runs_again(paddle, np):
    """x**3 at 2, three times: 3 * 12."""
    x = leaf(paddle, [2.0])
    y = cube(paddle).apply(x)
    for _ in range(3):
        y.backward(retain_graph=True)
    return x.grad.tolist()


@differs(
    "a PyLayer that was released crashes instead of saying so",
    right=["SystemError", "(Fatal) The TensorWrappers of GradNodePyLayer_Cube do not exist."],
    paddle_gives=CRASHES,
)
def pylayer_released_says_so(paddle, np):
    """The text is that of every other node."""
    y = cube(paddle).apply(leaf(paddle, [2.0]))
    y.backward()
    error = attempt(y.backward)
    return [error["error"], error["text"].partition(" This may")[0]]


@differs(
    "None for an input that scale made crashes the node of scale",
    right=[None, [1.0]],
    paddle_gives=CRASHES,
)
def pylayer_none_for_a_scaled_input(paddle, np):
    """No gradient arrives at x."""
    p = layer(paddle, lambda ctx, x, y: x * y, lambda ctx, grad: (None, grad))
    x, y = leaf(paddle, [1.0]), leaf(paddle, [2.0])
    p.apply(x + 1, y).backward()
    return [x.grad, y.grad.tolist()]


@differs(
    "None for an input that an op made is taken for zeros, so a leaf gets a gradient of zeros",
    right=[None],
    paddle_gives=[[0.0]],
)
def pylayer_none_for_an_input_of_a_product(paddle, np):
    """No gradient is no gradient, as it is for a leaf."""
    p = layer(paddle, lambda ctx, x: x * 2, lambda ctx, grad: None)
    x = leaf(paddle, [1.0])
    p.apply(x * x).backward()
    return [None if x.grad is None else x.grad.tolist()]


@differs(
    "a list among several outputs: backward crashes or gets its first element alone",
    right=[[2.0, 3.0], [321.0]],
    paddle_gives=CRASHES,
)
def pylayer_list_among_outputs(paddle, np):
    """(2x, [3x, 4x]) with weights 1, 2, 3; backward adds them with factors 1, 10, 100."""
    seen = []

    def backward(ctx, first, several):
        seen.extend(each.item() for each in several)
        return first + several[0] * 10 + several[1] * 100

    p = layer(paddle, lambda ctx, x: (x * 2, [x * 3, x * 4]), backward)
    x = leaf(paddle, [1.0])
    a, (b, c) = p.apply(x)
    (a + b * 2 + c * 3).backward()
    return [seen, x.grad.tolist()]


@differs(
    "what a hook on the output of a PyLayer returns is ignored",
    right=[70.0],
    paddle_gives=[7.0],
)
def pylayer_output_hook(paddle, np):
    """The hook multiplies by 10, backward by 7."""
    x = leaf(paddle, [1.0])
    y = layer(paddle, lambda ctx, t: t * 2, lambda ctx, grad: grad * 7).apply(x)
    y.register_hook(lambda grad: grad * 10)
    y.backward()
    return x.grad.tolist()


@differs(
    "mark_not_inplace loses the graph: the output has none, and the input becomes the output",
    right=[False, True, 0, "GradNodePyLayer_P", [3.0]],
    paddle_gives=[False, False, 0, None, None],
)
def pylayer_mark_not_inplace(paddle, np):
    """The input stays a leaf, and gets the gradient."""

    def forward(ctx, x):
        ctx.mark_not_inplace(x)
        return x

    x = leaf(paddle, [1.0])
    y = layer(paddle, forward, lambda ctx, grad: grad * 3).apply(x)
    node = y.grad_fn and y.grad_fn.name()
    y.backward()
    grad = None if x.grad is None else x.grad.tolist()
    return [y is x, x.is_leaf, x.inplace_version, node, grad]


@differs(
    "one tensor returned for two inputs: both .grad are the same memory, and grow together",
    right=[[4.0], [1.0]],
    paddle_gives=[[4.0], [4.0]],
)
def pylayer_one_tensor_for_two_inputs(paddle, np):
    """x + y, then 3x: 1 + 3 and 1."""
    p = layer(paddle, lambda ctx, x, y: x + y, lambda ctx, grad: (grad, grad))
    x, y = leaf(paddle, [1.0]), leaf(paddle, [1.0])
    p.apply(x, y).backward()
    (x * 3).backward()
    return [x.grad.tolist(), y.grad.tolist()]


@differs(
    "a tensor saved for backward and written since: its new value is used, without a word",
    right=["RuntimeError", "(PermissionDenied) Tensor '' used in gradient computation has been"],
    paddle_gives=[200.0],
)
def pylayer_saved_tensor_written(paddle, np):
    """x**2 at 1 has gradient 2; x was multiplied by 100 in between."""

    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x * x

    x = leaf(paddle, [1.0])
    a = x * 1
    p = layer(paddle, forward, lambda ctx, grad: grad * 2 * ctx.saved_tensor()[0])
    y = p.apply(a)
    a.scale_(100.0)
    error = attempt(y.backward)
    if x.grad is not None:
        return x.grad.tolist()
    return [error["error"], error["text"].partition(" modified")[0]]


@differs(
    "a gradient of another shape is stored as it is",
    right="(InvalidArgument) GradNodePyLayer_P's backward function returned a gradient of shape "
    "[3] at 0 position, but the forward Tensor has shape [1].",
    paddle_gives=[1.0, 1.0, 1.0],
)
def pylayer_gradient_of_another_shape(paddle, np):
    """A gradient has its tensor's shape."""
    x = leaf(paddle, [1.0])
    p = layer(paddle, lambda ctx, t: t * 2, lambda ctx, grad: paddle.ones([3]))
    error = attempt(p.apply(x).backward)
    return x.grad.tolist() if error is None else error["text"]


@differs(
    "a leaf's gradient is stored in whatever dtype backward returned",
    right="float32",
    paddle_gives="float64",
)
def pylayer_gradient_of_another_dtype(paddle, np):
    """A gradient has its tensor's dtype."""
    x = leaf(paddle, [1.0])
    p = layer(paddle, lambda ctx, t: t * 2, lambda ctx, grad: grad.astype("float64"))
    p.apply(x).backward()
    return str(x.grad.dtype).rpartition(".")[2]


@differs(
    "the imaginary part of a gradient is dropped without a word",
    right="(InvalidType) GradNodePyLayer_P's backward function returned a gradient of dtype "
    "complex64 at 0 position, but the forward Tensor has dtype float32, which cannot hold it.",
    paddle_gives=[6.0],
)
def pylayer_complex_gradient_of_a_real_tensor(paddle, np):
    """Whether the real part is meant is the user's to say."""
    x = leaf(paddle, [1.0])
    p = layer(paddle, lambda ctx, t: t * 2, lambda ctx, grad: paddle.to_tensor([3.0 + 2.0j]))
    error = attempt(p.apply(x * 2).backward)
    return x.grad.tolist() if error is None else error["text"].partition(" Cast it")[0]


@differs(
    "an error in backward loses its type",
    right=["ZeroDivisionError", "division by zero"],
    paddle_gives=["OSError", "(External)"],
)
def pylayer_error_in_backward(paddle, np):
    """An exception of the user's is the user's."""
    p = layer(paddle, lambda ctx, x: x * 2, lambda ctx, grad: 1 / 0)
    error = attempt(p.apply(leaf(paddle, [1.0])).backward)
    return [error["error"], error["text"].partition(" {")[0]]


@differs(
    "the missing backward is reported as an error of the outside world",
    right=["NotImplementedError", "You must implement the backward function for PyLayer."],
    paddle_gives=["OSError", "(External)"],
)
def pylayer_without_backward(paddle, np):
    """The same class as for a missing forward."""
    base = paddle.autograd.PyLayer
    p = type("P", (base,), {"forward": staticmethod(lambda ctx, x: x * 2)})
    error = attempt(p.apply(leaf(paddle, [1.0])).backward)
    return [error["error"], error["text"].partition(" {")[0]]


@differs(
    "a constant that forward returns is refused as a leaf that wants a gradient, which it is not",
    right=[True, False, [5.0]],
    paddle_gives="(InvalidArgument) P : Leaf Var (constant) that doesn't stop gradient can't use",
)
def pylayer_returns_a_constant(paddle, np):
    """It becomes part of the graph, as in any other in-place op."""
    p = layer(paddle, lambda ctx, c, x: c, lambda ctx, grad: (None, grad * 5))
    c, x = paddle.ones([1]), leaf(paddle, [1.0])
    c.name = "constant"
    out = attempt(lambda: p.apply(c, x))
    if isinstance(out, dict):
        return out["text"].partition(" inplace")[0]
    out.backward()
    return [out is c, c.stop_gradient, x.grad.tolist()]


@differs(
    "x.detach() is refused as a write to x, of a leaf and of any other tensor",
    right=[[3.0], [6.0]],
    paddle_gives=["ValueError", "ValueError"],
)
def pylayer_returns_a_detached_input(paddle, np):
    """A detached tensor is a view of all of x, and views are ordinary outputs."""
    p = layer(paddle, lambda ctx, x: x.detach(), lambda ctx, grad: grad * 3)
    out = []
    for make in (lambda x: x, lambda x: x * 2):
        x = leaf(paddle, [1.0])
        error = attempt(lambda x=x, make=make: p.apply(make(x)).backward())
        out.append(x.grad.tolist() if error is None else error["error"])
    return out


@differs(
    "a parameter that forward returns becomes an output, and is a leaf no more",
    right=[True, "GradNodePyLayer_P"],
    paddle_gives=[False, "GradNodePyLayer_P"],
)
def pylayer_returns_somebody_elses_leaf(paddle, np):
    """The parameter stays what it is; the output is another tensor."""
    w = leaf(paddle, [5.0])
    out = layer(paddle, lambda ctx, x: w, lambda ctx, grad: grad).apply(leaf(paddle, [1.0]))
    return [w.is_leaf, out.grad_fn.name()]


@differs(
    "an output returned twice is one output: the gradients of both go to the last",
    right=[[1.0, 3.0], [31.0]],
    paddle_gives=[[0.0, 4.0], [40.0]],
)
def pylayer_one_tensor_as_two_outputs(paddle, np):
    """Weights 1 and 3; backward adds them with factors 1 and 10."""
    seen = []

    def forward(ctx, x):
        y = x * 2
        return y, y

    def backward(ctx, a, b):
        seen.extend([a.item(), b.item()])
        return a + b * 10

    x = leaf(paddle, [1.0])
    a, b = layer(paddle, forward, backward).apply(x)
    (a + b * 3).backward()
    return [seen, x.grad.tolist()]


@differs(
    "a list of gradients that is too short is a Fatal error, one that is too long none at all",
    right=[
        "(InvalidArgument) GradNodePyLayer_P's backward function should return a list of 2 "
        f"gradients at 0 position, one per Tensor in the list that forward was given, but "
        f"received {count}."
        for count in (1, 3)
    ],
    paddle_gives=["(Fatal) Rank of grad_output_tensors should be less than", [1.0]],
)
def pylayer_list_of_another_length(paddle, np):
    """Returns match the inputs one to one."""
    out = []
    for count in (1, 3):
        p = layer(
            paddle, lambda ctx, xs: xs[0] * xs[1], lambda ctx, grad, count=count: [grad] * count
        )
        x = leaf(paddle, [1.0])
        error = attempt(p.apply([x, leaf(paddle, [1.0])]).backward)
        text = None if error is None else error["text"].partition(" grad_output_tensors[i]")[0]
        out.append(*grads(x)) if text is None else out.append(text)
    return [each if isinstance(each, str) else each.tolist() for each in out]


@differs(
    "the gradients of a backward under once_differentiable are taken for constants",
    right="(InvalidArgument) GradNodePyLayer_P's backward function is decorated with "
    "once_differentiable, so its gradients cannot be differentiated again.",
    paddle_gives="[6.0]",
)
def pylayer_once_differentiable(paddle, np):
    """d/dx of x * d(x**2)/dx is 4x; Paddle leaves out the second half."""
    name = f"{paddle.__name__}.autograd.py_layer"
    once = __import__(name, fromlist=["once_differentiable"]).once_differentiable

    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x * x

    p = layer(paddle, forward, once(lambda ctx, grad: grad * 2 * ctx.saved_tensor()[0]))
    x = leaf(paddle, [3.0])
    (first,) = paddle.grad(p.apply(x), x, create_graph=True)
    found = attempt(lambda: paddle.grad(x * first, x)[0].tolist())
    return str(found) if isinstance(found, list) else found["text"].partition(" Take")[0]


@differs(
    "paddle.grad for one of two inputs: the other is taken for a tensor that stops gradients",
    right=[[3.0], [2.0], None],
    paddle_gives="(InvalidArgument) GradNodePyLayer_P's backward function should return None at 0",
)
def pylayer_one_input_of_paddle_grad(paddle, np):
    """Backward returns a gradient for each input that wants one; those not asked for are let go."""
    p = layer(paddle, lambda ctx, x, y: x * y, lambda ctx, grad: (grad * 2, grad * 3))
    x, y = leaf(paddle, [1.0]), leaf(paddle, [1.0])
    out = p.apply(x * 1, y)
    first = attempt(lambda: paddle.grad(out, y)[0].tolist())
    if isinstance(first, dict):
        return first["text"].partition(" position")[0]
    return [first, paddle.grad(out, x)[0].tolist(), x.grad]


@differs(
    "a list that is saved under saved_tensors_hooks crashes when backward asks for it",
    right=[["pack", "pack", "unpack", "unpack"], [3.0]],
    paddle_gives=CRASHES,
)
def pylayer_saved_list_under_hooks(paddle, np):
    """Each tensor of the list is packed and unpacked."""
    log = []

    def note(name, value):
        log.append(name)
        return value

    def forward(ctx, x):
        ctx.save_for_backward(x, [x])
        return x * 2

    def backward(ctx, grad):
        first, (second,) = ctx.saved_tensor()
        return grad * first * second

    x = leaf(paddle, [3.0**0.5])
    with paddle.autograd.saved_tensors_hooks(
        lambda tensor: note("pack", tensor.numpy()),
        lambda value: note("unpack", paddle.to_tensor(value)),
    ):
        y = layer(paddle, forward, backward).apply(x)
    y.backward()
    return [log, np.round(x.grad.numpy(), 5).tolist()]
