"""backward: arguments, gradients that do not arrive, the order of nodes, .grad set by hand."""

from ..probe import array, attempt, grads, leaf
from ..registry import ANYTHING, CRASHES, differs, program
from .hooks import watcher


@program
def forms_of_roots_and_seeds(paddle, np):
    """autograd.backward takes a tensor or a list or tuple of them, and so for the seeds."""
    out = {}
    two = paddle.to_tensor([1.0, 2.0])
    for text, call in {
        "tensor": lambda y, z: paddle.autograd.backward(y),
        "tensor seed": lambda y, z: paddle.autograd.backward(y, two),
        "list": lambda y, z: paddle.autograd.backward([y, z], [two, two]),
        "tuple": lambda y, z: paddle.autograd.backward((y, z), (two, None)),
        "None": lambda y, z: paddle.autograd.backward([y, z], None),
        "float64": lambda y, z: paddle.autograd.backward([y], [two.astype("float64")]),
        "int": lambda y, z: paddle.autograd.backward([y], [two.astype("int32")]),
        "keywords": lambda y, z: paddle.autograd.backward(
            tensors=[y], grad_tensors=[two], retain_graph=True
        ),
        "method": lambda y, z: y.backward(grad_tensor=two, retain_graph=True),
    }.items():
        x = leaf(paddle, [3.0, 4.0])
        said = call(x * x, x * 5)
        out[text] = [said, x.grad.numpy()]
    return out


@program
def roots_that_stop_gradients(paddle, np):
    """Constants among the roots are passed over."""
    x, c = leaf(paddle, [3.0]), paddle.to_tensor([1.0])
    paddle.autograd.backward([x * 2, c, (x * 7).detach()])
    paddle.autograd.backward([c])
    return [*grads(x, c)]


@program
def leaves_among_the_roots(paddle, np):
    """A leaf may be a root beside tensors computed from it."""
    x, w = leaf(paddle, [3.0]), leaf(paddle, [4.0])
    paddle.autograd.backward([x, x * w, w], [None, None, paddle.to_tensor([10.0])])
    return grads(x, w)


@program
def order_over_nodes_with_pieces(paddle, np):
    """A node with several outputs runs when all of them have their gradients."""
    x, log = leaf(paddle, [1.0, 2.0, 3.0, 4.0]), []
    left, right = paddle.split(x, 2)
    a, b = left * 2, right * 3
    c = a * b
    d = c + left
    for name, tensor in {"x": x, "l": left, "r": right, "a": a, "b": b, "c": c, "d": d}.items():
        tensor.register_hook(watcher(log, name))
    d.backward()
    return log


@program
def order_over_list_operands(paddle, np):
    """concat and stack deliver in the order of their list, leaves in the reverse."""
    leaves, log = [leaf(paddle, [1.0 + k]) for k in range(3)], []
    middles = [x * 2 for x in leaves]
    y = paddle.concat([middles[0], leaves[0], middles[1], leaves[1], middles[2], leaves[2]])
    for k in range(3):
        leaves[k].register_hook(watcher(log, f"x{k}"))
        middles[k].register_hook(watcher(log, f"m{k}"))
    y.backward(paddle.arange(6, dtype="float32"))
    return log


@program
def order_of_several_roots(paddle, np):
    """Roots start in the order given, each when nothing is left above it."""
    out = []
    for reverse in (False, True):
        x, log = leaf(paddle, [1.0]), []
        a = x * 2
        b = x * 3
        c = a * b
        for name, tensor in {"x": x, "a": a, "b": b, "c": c}.items():
            tensor.register_hook(watcher(log, name))
        roots = [b, c, a]
        paddle.autograd.backward(roots[::-1] if reverse else roots)
        out.append(log)
    return out


@program
def order_of_a_deep_and_a_shallow_path(paddle, np):
    """A node waits for its longest path."""
    x, log = leaf(paddle, [1.0]), []
    a = x * 2
    b = a * 3
    c = b * 4
    d = a + c
    e = x * d
    for name, tensor in {"x": x, "a": a, "b": b, "c": c, "d": d, "e": e}.items():
        tensor.register_hook(watcher(log, name))
    e.backward()
    return log


@program
def dtypes_on_the_way(paddle, np):
    """A cast's gradient comes back in the dtype before it; sums are in the tensor's dtype."""
    x = leaf(paddle, np.float32([1.5, 2.5]))
    wide, half = x.astype("float64"), x.astype("float16")
    wide.retain_grads()
    half.retain_grads()
    y = (wide * 1.25).sum() + (half * 3).sum().astype("float64") + (x * x).sum()
    y.backward()
    return [[str(g.dtype) for g in (wide.grad, half.grad, x.grad)], *grads(wide, half, x)]


@program
def setting_gradients_by_hand(paddle, np):
    """x.grad takes a Tensor or None; a copy of it is kept, and backward adds to it."""
    x, g = leaf(paddle, [1.0, 2.0]), paddle.to_tensor([10.0, 20.0])
    x.grad = g
    g.add_(g)
    seen = grads(x)
    (x * 3).backward()
    seen += grads(x)
    x.grad = None
    return [
        *seen,
        array(x.grad),
        attempt(lambda: setattr(x, "grad", 5.0)),
        attempt(lambda: setattr(x, "grad", np.ones([2], "float32")))["error"],
        x.gradient(),
    ]


@program
def setting_gradients_of_other_tensors(paddle, np):
    """A constant's .grad can be set, an intermediate's cannot."""
    c, y = paddle.to_tensor([1.0]), leaf(paddle, [2.0]) * 3
    c.grad = paddle.to_tensor([5.0])
    return [
        c.grad.numpy(),
        attempt(lambda: setattr(y, "grad", paddle.ones([1]))),
        attempt(lambda: setattr(y, "grad", None)),
    ]


@differs(
    "Paddle takes a gradient of another shape than its tensor",
    right=["ValueError", None, [2.0, 2.0]],
    paddle_gives=["accepted", [3], [1.0, 1.0, 1.0]],
)
def setting_a_gradient_of_another_shape(paddle, np):
    """A gradient has the shape of its tensor."""
    x = leaf(paddle, [1.0, 2.0])
    said = attempt(lambda: setattr(x, "grad", paddle.ones([3])))
    shape = None if x.grad is None else list(x.grad.shape)
    attempt(lambda: (x * 2).backward())
    return [said["error"] if said else "accepted", shape, x.grad.tolist()]


@differs(
    "Paddle adds to a float64 gradient of a float32 leaf as if its bytes were float32",
    right=[3.0, 3.0],
    paddle_gives=ANYTHING,
)
def setting_a_gradient_of_another_dtype(paddle, np):
    """backward adds to a gradient of another dtype."""
    x = leaf(paddle, [1.0, 2.0])
    x.grad = paddle.ones([2], dtype="float64")
    (x * 2).backward()
    return x.grad.tolist()


@differs(
    "Paddle cannot add up the gradients of an integer tensor",
    right=[2, 4],
    paddle_gives="NotImplementedError",
)
def gradients_of_integers_add_up(paddle, np):
    """An integer leaf that is used twice."""
    x = leaf(paddle, np.int64([1, 2]))
    failed = attempt(lambda: (x * x).backward())
    return failed["error"] if failed else x.grad.tolist()


@program
def gradients_as_numpy(paddle, np):
    """x.gradient() is a NumPy copy, or None."""
    x = leaf(paddle, [1.0])
    before = x.gradient()
    (x * 3).backward()
    after = x.gradient()
    (x * 3).backward()
    return [before, type(after).__name__, after, x.gradient()]


@program
def a_dead_leaf(paddle, np):
    """The gradient of a leaf that nobody holds goes nowhere."""
    x, y = leaf(paddle, [2.0]), leaf(paddle, [3.0])
    z = x * y * y
    del y
    z.backward()
    return x.grad.numpy()


@program
def a_dead_middle(paddle, np):
    """Tensors in the middle of a graph need not be held."""
    x = leaf(paddle, [2.0])
    y = paddle.exp(x)
    z = y * y
    w = z * 3
    del y, z
    w.backward()
    return x.grad.numpy()


@program
def unused_outputs(paddle, np):
    """Outputs that nobody used: zeros take their place."""
    out = {}
    for text, call in {
        "split": lambda x: paddle.split(x, 2)[0],
        "split sections": lambda x: paddle.split(x, [1, -1])[1],
        "unbind": lambda x: paddle.unbind(x)[1],
        "chunk": lambda x: paddle.chunk(x, 2, axis=1)[1],
        "topk": lambda x: paddle.topk(x, 1)[0],
        "argsort": lambda x: paddle.sort(x, axis=1),
        "median": lambda x: paddle.median(x, axis=1),
        "max": lambda x: paddle.max(x, axis=1),
    }.items():
        x = leaf(paddle, np.float64([[0.3, 0.7], [0.2, 0.9]]))
        (call(x) * 3).sum().backward()
        out[text] = x.grad.numpy()
    return out


def _gradient_of(paddle, np, call, shape=(2, 2)):
    count = int(np.prod(shape))
    x = leaf(paddle, np.linspace(1.0, 2.0, count, dtype="float32").reshape(shape) ** 2)
    (call(x) * 3).sum().backward()
    return x.grad.numpy()


@differs(
    "Paddle's process dies when an output of unstack is not used",
    right=[[3.0, 3.0], [0.0, 0.0]],
    paddle_gives=CRASHES,
)
def unused_output_of_unstack(paddle, np):
    """unstack, with one of two used."""
    return _gradient_of(paddle, np, lambda x: paddle.unstack(x)[0]).tolist()


@differs(
    "Paddle's process dies when an output of meshgrid is not used",
    right=[6.0, 6.0],
    paddle_gives=CRASHES,
)
def unused_output_of_meshgrid(paddle, np):
    """meshgrid, with one of two used."""
    return _gradient_of(paddle, np, lambda x: paddle.meshgrid(x, x * 2)[0], (2,)).tolist()


@differs(
    "Paddle's process dies when an output of broadcast_tensors is not used",
    right=[6.0, 6.0],
    paddle_gives=CRASHES,
)
def unused_output_of_broadcast_tensors(paddle, np):
    """broadcast_tensors, with one of two used."""
    other = paddle.ones([2, 1])
    other.stop_gradient = False
    found = _gradient_of(paddle, np, lambda x: paddle.broadcast_tensors([x, other])[0], (2,))
    return found.tolist()


def _pylayer_without_a_gradient(paddle):
    class Nothing(paddle.autograd.PyLayer):
        @staticmethod
        def forward(ctx, a, b):
            return a * b

        @staticmethod
        def backward(ctx, grad):
            return grad, None

    return Nothing


@differs(
    "Paddle's kernels fail on a gradient that did not arrive, or take it as zeros",
    right={"exp": [1.0, None], "reshape": [1.0, None], "tanh": [1.0, None]},
    paddle_gives={"exp": "RuntimeError", "reshape": "RuntimeError", "tanh": [1.0, 0.0]},
)
def gradients_that_do_not_arrive(paddle, np):
    """A PyLayer that gives None: nothing arrives behind it, whatever the ops there."""
    nothing, out = _pylayer_without_a_gradient(paddle), {}
    for text, call in {
        "exp": paddle.exp,
        "reshape": lambda w: w.reshape([1, 1]).reshape([1]),
        "tanh": paddle.tanh,
    }.items():
        x, w = leaf(paddle, [2.0]), leaf(paddle, [3.0])
        failed = attempt(lambda x=x, w=w, call=call: nothing.apply(x * 1.0, call(w)).backward())
        found = [None if g is None else g.item() for g in (x.grad, w.grad)]
        out[text] = failed["error"] if failed else found
    return out


@differs(
    "Paddle's process dies when no gradient arrives at scale",
    right=[1.0, None],
    paddle_gives=CRASHES,
)
def no_gradient_arrives_at_scale(paddle, np):
    """The same for an op that keeps nothing."""
    x, w = leaf(paddle, [2.0]), leaf(paddle, [3.0])
    _pylayer_without_a_gradient(paddle).apply(x * 1.0, w * 2).backward()
    return [x.grad.item(), None if w.grad is None else w.grad.item()]
