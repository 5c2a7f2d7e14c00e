"""fleet.utils.recompute: the same results and gradients, from less memory."""

from ..probe import grads, leaf, refuses
from ..registry import CRASHES, differs, program


def recompute(paddle, *args, **kwargs):
    """Calls Paddle's recompute."""
    return paddle.distributed.fleet.utils.recompute(*args, **kwargs)


@program
def recompute_of_a_function(paddle, np):
    """Gradients of the argument and of a tensor that the function found elsewhere."""
    out = []
    for reentrant in (True, False):
        x, w = leaf(paddle, np.float64([1.0, 2.0])), leaf(paddle, np.float64([0.3, 0.4]))
        y = recompute(paddle, lambda x, w=w: (x * w).exp() * x, x, use_reentrant=reentrant)
        (y * y).sum().backward()
        out.append([y.numpy(), y.stop_gradient, y.is_leaf, *grads(x, w)])
    return out


@program
def recompute_of_a_layer(paddle, np):
    """A small network, with gradients of all its parameters, beside the same one without."""
    paddle.seed(3)
    net = paddle.nn.Sequential(paddle.nn.Linear(3, 4), paddle.nn.GELU(), paddle.nn.Linear(4, 2))
    data = np.linspace(-1.0, 1.0, 6).reshape(2, 3).astype("float32")
    agreements = []
    for kwargs in ({}, {"use_reentrant": False}):
        found = []
        for call in (lambda x: net(x), lambda x, k=kwargs: recompute(paddle, net, x, **k)):
            x = leaf(paddle, data)
            y = call(x)
            (y * y).sum().backward()
            found.append([y.numpy(), x.grad.numpy(), *grads(*net.parameters())])
            net.clear_gradients()
        agreements.append([bool(np.allclose(a, b, atol=1e-6)) for a, b in zip(*found, strict=True)])
    return agreements


@program
def recompute_drops_the_same(paddle, np):
    """Dropout inside: the mask of the second run is that of the first, and draws go on after it."""
    out = []
    for reentrant in (True, False):
        x = leaf(paddle, np.ones(64, "float32"))
        y = recompute(
            paddle, lambda x: paddle.nn.functional.dropout(x, 0.5), x, use_reentrant=reentrant
        )
        before = paddle.rand([3]).numpy()
        y.sum().backward()
        after = paddle.rand([3]).numpy()
        out.append([bool((x.grad.numpy() == y.numpy()).all()), bool((before == after).any())])
    return out


@program
def recompute_arguments(paddle, np):
    """Keyword arguments, constants, tensors that stop gradients, tuples, several outputs."""
    out = []
    for reentrant in (True, False):
        x, z = leaf(paddle, np.float64([1.0, 2.0])), leaf(paddle, np.float64([5.0, 6.0]))
        mask = paddle.to_tensor(np.float64([1.0, 0.0]))

        def run(pair, mask, other=None, scale=1.0):
            return pair[0] * pair[1] * scale, (pair[0] * mask).exp() + other

        first, second = recompute(
            paddle, run, (x, z), mask, other=z, scale=3.0, use_reentrant=reentrant
        )
        (first + second * second).sum().backward()
        out.append([first.numpy(), second.numpy(), mask.grad is None, *grads(x, z)])
    return out


@program
def recompute_nested(paddle, np):
    """A recomputed function inside another one."""
    x = leaf(paddle, np.float64([0.5, 1.0]))

    def outer(x):
        return recompute(paddle, lambda y: (y * y).exp(), x * x) * x

    y = recompute(paddle, outer, x)
    y.sum().backward()
    return [y.numpy(), x.grad.numpy()]


@program
def recompute_without_recording(paddle, np):
    """Under no_grad it is a plain call; so it is when nothing wants a gradient."""
    x, stopped = leaf(paddle, [1.0, 2.0]), paddle.to_tensor([1.0, 2.0])
    with paddle.no_grad():
        quiet = recompute(paddle, lambda x: x * 2, x)
    plain = recompute(paddle, lambda x: x * 2, stopped, use_reentrant=False)
    return [[y.numpy(), y.stop_gradient] for y in (quiet, plain)]


@program
def recompute_in_paddle_grad(paddle, np):
    """paddle.grad, of both the argument and a found tensor, and a second derivative."""
    x, w = leaf(paddle, np.float64([1.0, 2.0])), leaf(paddle, np.float64([3.0, 4.0]))
    y = recompute(paddle, lambda x: x * x * x * w, x, use_reentrant=False)
    first = [each.numpy() for each in paddle.grad(y, [x, w], retain_graph=True)]
    (again,) = paddle.grad(
        recompute(paddle, lambda x: x * x * x, x, use_reentrant=False), [x], create_graph=True
    )
    again.sum().backward()
    return [first, *grads(x, w)]


@program
def recompute_refuses(paddle, np):
    """What is no function, and an error of the function itself."""

    def fails(x):
        raise KeyError("on purpose")

    x = leaf(paddle, [1.0])
    return [
        refuses(lambda: recompute(paddle, 3, x))["error"],
        refuses(lambda: recompute(paddle, fails, x))["error"],
    ]


@differs(
    "With use_reentrant a function whose arguments want no gradient gives its parameters none.",
    right=[False, [1.0, 2.0]],
    paddle_gives=[True, None],
)
def recompute_of_constants(paddle, np):
    """x * w, x without gradients, w found elsewhere."""
    x, w = paddle.to_tensor([1.0, 2.0]), leaf(paddle, [3.0, 4.0])
    y = recompute(paddle, lambda x: x * w, x)
    if not y.stop_gradient:
        y.sum().backward()
    return [y.stop_gradient, None if w.grad is None else w.grad.tolist()]


@differs(
    "With use_reentrant the second derivative is lost without a word.",
    right=[6.0, 12.0],
    paddle_gives=None,
)
def recompute_twice_derived(paddle, np):
    """The second derivative of x^3."""
    x = leaf(paddle, [1.0, 2.0])
    y = recompute(paddle, lambda x: x * x * x, x)
    (first,) = paddle.grad(y.sum(), [x], create_graph=True)
    first.sum().backward()
    return None if x.grad is None else x.grad.tolist()


@program
def recompute_run_twice(paddle, np):
    """backward with retain_graph, and again."""
    x = leaf(paddle, np.float64([1.0, 2.0]))
    y = recompute(paddle, lambda x: (x * x).exp() * x, x, use_reentrant=False).sum()
    out = []
    for retain_graph in (True, True, False):
        y.backward(retain_graph=retain_graph)
        out += grads(x)
    return out


@differs(
    "The function is run on what its argument holds now, not on what it held.",
    right=[2.0, 4.0],
    paddle_gives=[4.0, 6.0],
)
def recompute_of_what_was_overwritten(paddle, np):
    """x * x, with 1 added to x in place before backward."""
    x = leaf(paddle, [1.0, 2.0])
    h = x * 1
    y = recompute(paddle, lambda h: h * h, h)
    h.add_(paddle.ones([2]))
    y.sum().backward()
    return x.grad.tolist()


@differs(
    "The running statistics of a norm move a second time when it is run again.",
    right=True,
    paddle_gives=False,
)
def recompute_of_a_norm(paddle, np):
    """Whether the running mean is the same before and after backward."""
    norm = paddle.nn.BatchNorm1D(3)
    y = recompute(paddle, norm, leaf(paddle, np.random.rand(4, 3).astype("float32")))
    before = norm._mean.numpy().copy()
    y.sum().backward()
    return bool((before == norm._mean.numpy()).all())


@differs(
    "Between segments a Tensor is taken apart along its first axis.",
    right=[3, 4],
    paddle_gives="TypeError",
)
def recompute_in_segments(paddle, np):
    """Four layers in two segments: the shape of what comes out."""
    net = paddle.nn.Sequential(*[paddle.nn.Linear(4, 4) for _ in range(4)])
    run = paddle.incubate.distributed.fleet.recompute_sequential
    try:
        return list(run({"segments": 2}, net, paddle.ones([3, 4])).shape)
    except TypeError:
        return "TypeError"


@differs(
    "With use_reentrant a retained graph cannot be run again.",
    right=[[2.0, 4.0], [4.0, 8.0]],
    paddle_gives=CRASHES,
)
def recompute_run_twice_as_one_node(paddle, np):
    """backward of x * x with retain_graph, and again."""
    x = leaf(paddle, [1.0, 2.0])
    y = recompute(paddle, lambda x: x * x, x).sum()
    out = []
    for retain_graph in (True, False):
        y.backward(retain_graph=retain_graph)
        out.append(x.grad.tolist())
    return out


@differs(
    "With use_reentrant tensors in lists and dicts get no gradient, or stop backward.",
    right=[[5.0, 6.0], [5.0, 6.0]],
    paddle_gives=["ValueError", None],
)
def recompute_of_containers(paddle, np):
    """The product of two tensors that come in a list, and in a dict."""
    out = []
    for pack in (lambda a, b: [a, b], lambda a, b: {0: a, 1: b}):
        x, z = leaf(paddle, [1.0, 2.0]), leaf(paddle, [5.0, 6.0])
        try:
            recompute(paddle, lambda pair: pair[0] * pair[1], pack(x, z)).sum().backward()
        except ValueError:
            out.append("ValueError")
        else:
            out.append(None if x.grad is None else x.grad.tolist())
    return out


@differs(
    "With use_reentrant what a function finds elsewhere, and another path uses too, is run twice.",
    right=[9.0, 15.0],
    paddle_gives="SystemError",
)
def recompute_of_a_found_intermediate(paddle, np):
    """x * h + h, where h = 3 x was made outside."""
    x = leaf(paddle, [1.0, 2.0])
    h = x * 3
    y = recompute(paddle, lambda x: x * h, x) + h
    try:
        y.sum().backward()
    except SystemError:
        return "SystemError"
    return x.grad.tolist()
