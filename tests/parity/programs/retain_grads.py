"""retain_grads: which gradient of an intermediate is kept, and for how long."""

from ..probe import facts, grads, leaf
from ..registry import differs, program


@program
def retained_gradient(paddle, np):
    """An intermediate keeps no gradient unless asked to."""
    x = leaf(paddle, np.float64([1.0, 2.0]))
    a, b = x * 2, x * 3
    before = a.retain_grads()
    (a * b).sum().backward()
    flags = [a.grad.is_leaf, str(a.grad.dtype), list(a.grad.shape)]
    return [before, flags, facts(a), *grads(a, b, x)]


@program
def retained_gradient_is_overwritten(paddle, np):
    """Each backward overwrites what was retained, while leaves accumulate."""
    x = leaf(paddle, [1.0, 2.0])
    y = x * 2
    y.retain_grads()
    z, w = y * 3, y * 5
    seen = []
    for root, seed in [(z, None), (z, paddle.to_tensor([2.0, 4.0])), (w, None)]:
        root.backward(seed, retain_graph=True)
        seen += grads(y, x)
    return seen


@program
def retaining_twice(paddle, np):
    """Asking twice is asking once."""
    x = leaf(paddle, [1.0])
    y = x * 2
    y.retain_grads()
    y.retain_grads()
    (y * y).backward()
    return grads(y, x)


@program
def retaining_a_leaf_or_a_constant(paddle, np):
    """A leaf keeps its gradient anyway, a constant has none."""
    x, c = leaf(paddle, [1.0]), paddle.to_tensor([2.0])
    x.retain_grads()
    c.retain_grads()
    for _ in range(2):
        (x * c).backward()
    return grads(x, c)


@program
def retaining_the_root(paddle, np):
    """The tensor that backward starts from keeps its seed."""
    x = leaf(paddle, [1.0, 2.0])
    y = x * 2
    y.retain_grads()
    y.backward(paddle.to_tensor([3.0, 4.0]))
    return grads(y, x)


@program
def retaining_before_and_after_a_hook(paddle, np):
    """What is retained is the gradient as the hooks registered before left it."""
    out = {}
    for order in ("hook first", "retain first", "between"):
        x = leaf(paddle, [1.0])
        y = x * 2
        if order != "retain first":
            y.register_hook(lambda grad: grad * 10)
        y.retain_grads()
        if order != "hook first":
            y.register_hook(lambda grad: grad * 100)
        (y * 3).backward()
        out[order] = grads(y, x)
    return out


@program
def retaining_a_sum(paddle, np):
    """A tensor used several times retains the whole sum."""
    x = leaf(paddle, np.float64([0.5, 0.25]))
    a = paddle.sin(x)
    a.retain_grads()
    (a * a + a * x + a).sum().backward()
    return grads(a, x)


@program
def retaining_pieces(paddle, np):
    """Outputs of split retain each their own; one that is unused retains zeros."""
    x = leaf(paddle, [1.0, 2.0, 3.0, 4.0, 5.0, 6.0])
    pieces = paddle.split(x, 3)
    for piece in pieces:
        piece.retain_grads()
    (pieces[0] * 5 + pieces[2] * pieces[2]).sum().backward()
    return grads(*pieces, x)


@program
def retaining_across_roots(paddle, np):
    """Two roots in one backward: what is retained is the sum."""
    x = leaf(paddle, [1.0])
    a = x * 2
    b = a * 3
    a.retain_grads()
    b.retain_grads()
    paddle.autograd.backward([a, b])
    return grads(a, b, x)


@program
def clearing_what_was_retained(paddle, np):
    """A retained gradient is cleared like a leaf's, and written by the next backward."""
    x = leaf(paddle, [1.0])
    y = x * 2
    y.retain_grads()
    z = y * 3
    z.backward(retain_graph=True)
    seen = grads(y)
    y.clear_grad()
    seen += grads(y)
    z.backward(retain_graph=True)
    seen += grads(y)
    y.clear_gradient(False)
    seen += grads(y)
    z.backward()
    return seen + grads(y, x)


@program
def retaining_after_an_in_place_op(paddle, np):
    """Asked after the write, the gradient of the new value is retained."""
    x = leaf(paddle, [1.0])
    y = x * 2
    y.scale_(5.0)
    y.retain_grads()
    (y * 3).backward()
    return grads(y, x)


@differs(
    "Paddle's retain_grads silently does nothing under no_grad",
    right=[[3.0], [12.0]],
    paddle_gives=[None, [12.0]],
)
def retaining_inside_a_no_grad_block(paddle, np):
    """What retain_grads does is no recording, and does not depend on the grad mode."""
    x = leaf(paddle, [2.0])
    y = x * x
    with paddle.no_grad():
        y.retain_grads()
    (y * 3).backward()
    return [None if t.grad is None else t.grad.tolist() for t in (y, x)]


@program
def retained_gradients_of_a_network(paddle, np):
    """Every activation of a small network."""
    nn = paddle.nn
    first, last = nn.Linear(2, 3), nn.Linear(3, 1)
    for parameter in [*first.parameters(), *last.parameters()]:
        shape = parameter.shape
        parameter.set_value(
            np.linspace(-0.5, 0.5, int(np.prod(shape)), dtype="float32").reshape(shape)
        )
    hidden = first(paddle.to_tensor([[1.0, 2.0], [3.0, -4.0]]))
    active = paddle.tanh(hidden)
    out = last(active)
    for tensor in (hidden, active, out):
        tensor.retain_grads()
    (out * out).mean().backward()
    return grads(hidden, active, out, *first.parameters(), *last.parameters())


@differs(
    "Paddle's retained gradient shares memory with the leaf's and is added to later",
    right=[[1.0, 1.0], [2.0, 2.0]],
    paddle_gives=[[2.0, 2.0], [2.0, 2.0]],
)
def retained_gradient_of_a_view_stays(paddle, np):
    """A second backward elsewhere does not change what a reshaped tensor has retained."""
    x = leaf(paddle, [1.0, 2.0])
    r = x.reshape([2, 1])
    r.retain_grads()
    r.sum().backward()
    (x * 1).sum().backward()
    return [r.grad.flatten().tolist(), x.grad.tolist()]


@program
def retaining_before_an_in_place_op(paddle, np):
    """Asked before the write, the gradient of the earlier value is retained."""
    x = leaf(paddle, [1.0])
    y = x * 2
    y.retain_grads()
    y.scale_(5.0)
    (y * 3).backward()
    return [y.grad.tolist(), x.grad.tolist()]


WRITES = {
    "multiply": lambda y: y.multiply_(y.detach() * 2),
    "exp": lambda y: y.exp_(),
    "fill": lambda y: y.fill_(3.0),
    "clip": lambda y: y.clip_(0.0, 1.5),
    "reshape": lambda y: y.reshape_([2, 1]),
    "item": lambda y: y.__setitem__(0, 5.0),
    "twice": lambda y: y.scale_(2.0).pow_(2),
}


def _retained_around(paddle, write, before, after):
    x = leaf(paddle, [1.0, 2.0])
    y = x * 1
    if before:
        y.retain_grads()
    write(y)
    if after:
        y.retain_grads()
    (y * y).sum().backward()
    return grads(y, x)


@program
def retaining_before_and_after_writes(paddle, np):
    """The first call decides of which value the gradient is kept, whatever writes the tensor."""
    return {
        f"{name} {before} {after}": _retained_around(paddle, write, before, after)
        for name, write in WRITES.items()
        for before, after in ((True, False), (False, True), (True, True))
    }


@program
def retaining_before_random_writes(paddle, np):
    """Overwritten by random numbers, the earlier value has a gradient of zeros."""
    writes = ("uniform_", "normal_", "exponential_", "cauchy_", "log_normal_")
    kept = [
        _retained_around(paddle, lambda y, name=name: getattr(y, name)(), True, False)
        for name in writes
    ]
    return [*kept, _retained_around(paddle, lambda y: y.geometric_(0.5), True, False)]


@program
def retaining_before_a_layer_in_place(paddle, np):
    """A PyLayer that returns its input writes it."""

    class Thrice(paddle.autograd.PyLayer):
        @staticmethod
        def forward(ctx, t):
            return t

        @staticmethod
        def backward(ctx, grad):
            return grad * 3

    x = leaf(paddle, [1.0])
    a = x * 2
    a.retain_grads()
    Thrice.apply(a)
    (a * 5).backward()
    return [a.grad.tolist(), x.grad.tolist()]
