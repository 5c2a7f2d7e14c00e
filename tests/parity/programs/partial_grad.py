"""paddle.grad: what it returns, what it leaves alone, which nodes it runs."""

from ..probe import array, attempt, facts, grads, leaf
from ..registry import program
from .hooks import scaler, watcher


def values(found):
    """Returns the values of a list of tensors, None for None."""
    return [array(tensor) for tensor in found]


@program
def grad_of_leaves(paddle, np):
    """One tensor, a list or a tuple of them: the answer is a list, and .grad stays as it was."""
    x, w = leaf(paddle, [1.0, 2.0]), leaf(paddle, [3.0, 4.0])
    (w * 1).backward()
    out = {}
    for text, inputs in {"tensor": x, "list": [w, x], "tuple": (x, w)}.items():
        found = paddle.grad((x * w * w).sum(), inputs)
        out[text] = [type(found).__name__, values(found)]
    return [out, *grads(x, w)]


@program
def grad_of_intermediates(paddle, np):
    """Inputs may be intermediates, alone or together with what they were computed from."""
    x = leaf(paddle, np.float64([0.5, 1.5]))
    a = x * 2
    b = paddle.sin(a)
    c = b * a
    return {
        "a": values(paddle.grad(c, [a])),
        "b": values(paddle.grad(c, [b])),
        "a b": values(paddle.grad(c, [a, b])),
        "x a": values(paddle.grad(c, [x, a])),
        "b x a": values(paddle.grad(c, [b, x, a])),
        "untouched": grads(x, a, b),
    }


@program
def grad_of_the_output_itself(paddle, np):
    """An output that is the only input has its seed as its gradient."""
    x = leaf(paddle, [1.0, 2.0])
    z = x * 3
    return [
        values(paddle.grad(z, [z])),
        values(paddle.grad(z, [z], [paddle.to_tensor([5.0, 6.0])])),
        values(paddle.grad(x, [x])),
    ]


@program
def grad_of_several_outputs(paddle, np):
    """The gradients of several outputs are added up."""
    x, w = leaf(paddle, [1.0, 2.0]), leaf(paddle, [3.0, 4.0])
    a, b, c = x * w, x + w, paddle.exp(x)
    return {
        "two": values(paddle.grad([a, b], [x, w])),
        "three": values(paddle.grad((a, b, c), [x, w])),
        "one above another": values(paddle.grad([a * 2, a], [x])),
        "some": values(paddle.grad([b, c], [x])),
    }


@program
def grad_seeds(paddle, np):
    """grad_outputs: a tensor, a list, None for ones, another dtype, a scalar."""
    x = leaf(paddle, [1.0, 2.0])
    a, b = x * x, x * 3
    seed = paddle.to_tensor([10.0, 100.0])
    return {
        "tensor": values(paddle.grad(a, x, seed)),
        "list": values(paddle.grad([a], x, [seed])),
        "tuple": values(paddle.grad([a, b], x, (seed, seed))),
        "one None": values(paddle.grad([a, b], x, [None, seed])),
        "all None": values(paddle.grad([a, b], x, [None, None])),
        "nothing": values(paddle.grad([a, b], x)),
        "float64": values(paddle.grad(a, x, seed.astype("float64"))),
        "int": values(paddle.grad(a, x, paddle.to_tensor([2, 3]))),
        "seed": [seed.numpy(), array(seed.grad)],
    }


@program
def grad_does_not_free_the_graph(paddle, np):
    """Whatever retain_graph says, the graph can be used again afterwards."""
    x = leaf(paddle, [2.0])
    y = x * x
    seen = [
        values(paddle.grad(y, x)),
        values(paddle.grad(y, x, retain_graph=False)),
        values(paddle.grad(y, x, retain_graph=True)),
        values(paddle.grad(y, x, create_graph=True)),
    ]
    y.backward()
    return [seen, x.grad.numpy()]


@program
def grad_after_backward(paddle, np):
    """A graph that backward has freed is refused, a retained one is not."""
    x = leaf(paddle, [2.0])
    y = x * x
    y.backward(retain_graph=True)
    first = values(paddle.grad(y, x))
    y.backward()
    return [first, attempt(lambda: paddle.grad(y, x)), x.grad.numpy()]


@program
def flags_of_partial_gradients(paddle, np):
    """Constants without create_graph, part of a graph with it."""
    x = leaf(paddle, np.float64([2.0]))
    y = x * x * x
    plain, recorded = paddle.grad(y, x)[0], paddle.grad(y, x, create_graph=True)[0]
    linear = paddle.grad(x * 3, x, create_graph=True)[0]
    with paddle.no_grad():
        under = paddle.grad(y, x)[0]
    return [
        facts(plain),
        [recorded.stop_gradient, recorded.is_leaf],
        linear.stop_gradient,
        facts(under),
    ]


@program
def grad_under_no_grad(paddle, np):
    """The grad mode does not matter to a graph that was recorded before."""
    x = leaf(paddle, [2.0, 3.0])
    y = x * x
    with paddle.no_grad():
        found = values(paddle.grad(y, x))
        nothing = attempt(lambda: paddle.grad(x * 2, x))
    return [found, nothing]


@program
def retained_intermediates_of_grad(paddle, np):
    """An intermediate that retains its gradient gets it written, leaves do not."""
    x = leaf(paddle, [2.0])
    a = x * 3
    b, off = a * a, x * 5
    a.retain_grads()
    off.retain_grads()
    found = values(paddle.grad(b + off * 0.0, [x]))
    seen = grads(a, off, x)
    paddle.grad(a * 7, [x])
    return [found, seen, grads(a)]


@program
def hooks_under_grad(paddle, np):
    """Hooks of intermediates run and change the result; those of leaves do not run."""
    x, log = leaf(paddle, [2.0]), []
    a = x * 3
    b = a * a
    for name, tensor, factor in (("x", x, 7.0), ("a", a, 10.0), ("b", b, 2.0)):
        tensor.register_hook(scaler(log, name, factor))
    x._register_backward_hook(lambda: log.append("reduce"))
    found = values(paddle.grad(b, [x]))
    return [found, log, array(x.grad)]


@program
def hook_of_an_input_that_is_no_leaf(paddle, np):
    """The hook of an intermediate that is an input runs, and the result is what it returned."""
    out = []
    for together in (False, True):
        x, log = leaf(paddle, [2.0]), []
        a = x * 3
        a.register_hook(scaler(log, "a", 10.0))
        b = a * a
        inputs = [a, x] if together else [a]
        out.append([values(paddle.grad(b, inputs)), log])
    return out


@program
def post_hooks_under_grad(paddle, np):
    """Post hooks of nodes on the way run too."""
    x, log = leaf(paddle, [2.0]), []
    a = x * 3
    b = a * a

    def hook(outputs, inputs):
        log.append(len(outputs))
        return [grad * 2 for grad in outputs]

    b.grad_fn._register_post_hook(hook)
    return [values(paddle.grad(b, [x])), log]


@program
def only_nodes_on_the_way_run(paddle, np):
    """Hooks show which nodes run: those that lead from outputs to inputs."""
    x, w, v, log = leaf(paddle, [2.0]), leaf(paddle, [3.0]), leaf(paddle, [4.0]), []
    named = {"x2": x * 2, "w2": w * 2}
    named["product"] = named["x2"] * named["w2"]
    named["v2"] = v * 2
    named["exp"] = paddle.exp(named["v2"])
    named["sum"] = named["product"] + named["exp"]
    for name, tensor in named.items():
        tensor.register_hook(watcher(log, name))
    out = {}
    for text, inputs in {"x": [x], "w": [w], "v": [v], "x v": [x, v]}.items():
        values(paddle.grad(named["sum"], inputs))
        out[text] = sorted(name for name, _ in log)
        log.clear()
    return out


@program
def nodes_behind_an_input_do_not_run(paddle, np):
    """Nothing behind the deepest input runs."""
    x, log = leaf(paddle, [2.0]), []
    a = x * 2
    b = a * 3
    c = b * 4
    for name, tensor in {"x": x, "a": a, "b": b, "c": c}.items():
        tensor.register_hook(watcher(log, name))
    paddle.grad(c, [b])
    return log


@program
def pylayers_off_the_way_do_not_run(paddle, np):
    """The backward of a PyLayer runs only when an input lies behind it."""
    calls = []

    class Square(paddle.autograd.PyLayer):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x)
            return x * x

        @staticmethod
        def backward(ctx, grad):
            calls.append("square")
            (x,) = ctx.saved_tensor()
            return grad * 2 * x

    x, w = leaf(paddle, [2.0]), leaf(paddle, [3.0])
    y = Square.apply(x) + w * w
    found = values(paddle.grad(y, [w]))
    return [found, list(calls), values(paddle.grad(y, [x])), calls]


@program
def grad_through_fan_out(paddle, np):
    """Diamonds, and inputs in the middle of them."""
    x = leaf(paddle, np.float64([0.3, 0.7]))
    a = paddle.sin(x)
    b, c = a * x, a + x
    d = b * c
    for _ in range(4):
        d = d + a * d
    return [values(paddle.grad(d, wanted)) for wanted in ([x], [a], [a, x], [b, c], [c, x, a, b])]


@program
def grad_of_pieces(paddle, np):
    """Inputs behind ops with several outputs, and one of those outputs as the output."""
    w = leaf(paddle, [1.0, 2.0, 3.0, 4.0])
    left, right = paddle.split(w, 2)
    o = left * 3 + right * right
    values_, _ = paddle.topk(w * 2, 2)
    return [
        values(paddle.grad(o, [w])),
        values(paddle.grad(left, [w])),
        values(paddle.grad([left, right], [w], [None, paddle.to_tensor([5.0, 6.0])])),
        values(paddle.grad(values_, [w])),
    ]


@program
def grad_through_in_place_ops(paddle, np):
    """Gradients of the value before and after a write."""
    x, w = leaf(paddle, [2.0]), leaf(paddle, [5.0])
    y = x * 3
    y.multiply_(w)
    y[0] = (x * w)[0]
    return [values(paddle.grad(y, [x, w])), values(paddle.grad(y * 2, [y]))]


@program
def grad_of_zero_dimensional_tensors(paddle, np):
    """0-D inputs and outputs."""
    x, w = leaf(paddle, 2.0), leaf(paddle, [1.0, 2.0])
    y = (w * x).sum()
    found = paddle.grad(y, [x, w])
    return [values(found), [list(g.shape) for g in found], values(paddle.grad(y * 3, y))]


@program
def grad_of_other_dtypes(paddle, np):
    """float64, float16, integers and a cast in between."""
    out = {}
    for dtype in ("float64", "float16", "int64", "int32"):
        x = leaf(paddle, np.array([1, 2]), dtype=dtype)
        out[dtype] = values(paddle.grad(x * 3, [x]))
    x = leaf(paddle, [1.5, 2.5])
    a = x.astype("float64")
    return [out, values(paddle.grad(a * a, [x, a])), values(paddle.grad(x.astype("int32"), x))]


@program
def grad_of_complex_tensors(paddle, np):
    """Complex leaves, and a real leaf that meets a complex value."""
    z, x = leaf(paddle, np.complex128([0.5 + 0.7j])), leaf(paddle, np.float64([1.5]))
    y = z * z * x
    seed = paddle.to_tensor(np.complex128([0.3 + 2.0j]))
    return [values(paddle.grad(y, [z, x], seed)), values(paddle.grad(paddle.abs(y), [z, x]))]


@program
def grad_mixed_with_backward(paddle, np):
    """paddle.grad between two backwards changes no leaf."""
    x, w = leaf(paddle, [2.0]), leaf(paddle, [3.0])
    y = x * x * w
    y.backward(retain_graph=True)
    before = grads(x, w)
    found = values(paddle.grad(y, [x, w]))
    between = grads(x, w)
    y.backward()
    return [before, found, between, grads(x, w)]


@program
def grad_inside_a_hook_of_backward(paddle, np):
    """paddle.grad of another graph inside a hook of backward."""
    x, w, log = leaf(paddle, [2.0]), leaf(paddle, [3.0]), []
    inner = w * w
    a = x * 5
    a.register_hook(lambda grad: log.append(values(paddle.grad(inner, [w]))))
    (a * a).backward()
    return [log, *grads(x, w)]


@program
def grad_of_parameters(paddle, np):
    """All parameters of a network at once, with .grad left alone."""
    nn = paddle.nn
    net = nn.Sequential(nn.Linear(2, 3), nn.Tanh(), nn.Linear(3, 1))
    for k, parameter in enumerate(net.parameters()):
        shape = parameter.shape
        made = np.linspace(-1.0, 0.5 + k, int(np.prod(shape)), dtype="float32").reshape(shape)
        parameter.set_value(made)
    out = net(paddle.to_tensor([[1.0, 2.0], [3.0, -4.0]]))
    found = paddle.grad((out * out).mean(), net.parameters())
    return [values(found), grads(*net.parameters())]


@program
def grad_of_stopped_leaves(paddle, np):
    """A tensor that stops gradients only after it was used still gets its gradient."""
    x, w = leaf(paddle, [2.0]), leaf(paddle, [3.0])
    a = x * 2
    y = a * w
    x.stop_gradient = True
    a.stop_gradient = True
    return [values(paddle.grad(y, [x])), values(paddle.grad(y, [a, w]))]


@program
def grad_of_views_of_one_node(paddle, np):
    """x[:] is the same node: as an input it gets the same gradient."""
    x = leaf(paddle, [2.0, 3.0])
    a = x * 2
    b = a[:]
    y = a * b
    return [values(paddle.grad(y, [a])), values(paddle.grad(y, [b])), values(paddle.grad(b, [x]))]
