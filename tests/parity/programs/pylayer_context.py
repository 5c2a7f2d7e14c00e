"""PyLayer: the context, gradients of gradients, PyLayers in PyLayers, threads."""

import threading

from ..probe import attempt, facts, grads, graph, leaf
from ..registry import program
from .pylayer import cube, exponential, layer


@program
def pylayer_saved_values(paddle, np):
    """Anything can be saved; the last call counts; nothing saved is None."""
    out = []

    def forward(ctx, x, case):
        out.append(ctx.saved_tensor())
        if case:
            ctx.save_for_backward(x)
            ctx.save_for_backward(x, 3, None, "text", [x])
        return x * 2

    def backward(ctx, grad):
        saved = ctx.saved_tensor()
        if saved is not None:
            saved = [saved[0].numpy(), *saved[1:4], [each.numpy() for each in saved[4]]]
        out.append(saved)
        return grad

    for case in (True, False):
        layer(paddle, forward, backward).apply(leaf(paddle, [1.0]), case).backward()
    return out


@program
def pylayer_saved_tensors_have_their_place(paddle, np):
    """Saved inputs and outputs know where they stand in the graph."""
    out = []

    def forward(ctx, x):
        y, z = x * 2, x * 3
        ctx.save_for_backward(x, y, z)
        return y

    def backward(ctx, grad):
        out.extend([graph(each) for each in ctx.saved_tensor()[:2]])
        out.extend([each.stop_gradient for each in ctx.saved_tensor()])
        return grad

    x = leaf(paddle, [1.0])
    layer(paddle, forward, backward).apply(x * 5).backward()
    return out


@program
def pylayer_attributes(paddle, np):
    """Attributes set in forward are there in backward; others are not."""
    out = []

    def forward(ctx, x, scale):
        ctx.x, ctx.scale, ctx.pair = x, scale, (1, "two")
        ctx.y = x * scale
        return ctx.y

    def backward(ctx, grad):
        out.append([ctx.x.numpy(), ctx.y.numpy(), ctx.scale, ctx.pair, hasattr(ctx, "other")])
        out.append([graph(ctx.y), ctx.name()])
        return grad * ctx.scale

    x = leaf(paddle, [2.0])
    layer(paddle, forward, backward).apply(x, 4.0).backward()
    missing = layer(paddle, lambda ctx, x: ctx.missing)
    return [out, *grads(x), attempt(lambda: missing.apply(x))]


@program
def pylayer_not_implemented(paddle, np):
    """Both methods have to be written."""
    base = paddle.autograd.PyLayer
    half = type("Half", (base,), {"forward": staticmethod(lambda ctx, x: x * 2)})
    x = leaf(paddle, [1.0])
    return [
        attempt(lambda: base.apply(x)),
        attempt(lambda: type("Empty", (base,), {}).apply(x)),
        facts(half.apply(x)),
    ]


@program
def pylayer_instances(paddle, np):
    """An instance has apply, and is not callable."""
    p = layer(paddle, lambda ctx, x: x * 2)()
    x = leaf(paddle, [1.0])
    return [facts(p.apply(x)), callable(p), attempt(lambda: p(x))]


@program
def pylayer_forward_error(paddle, np):
    """An error in forward is the user's own, and recording is on again after it."""

    def forward(ctx, x):
        raise KeyError("mine")

    x = leaf(paddle, [1.0])
    p = layer(paddle, forward)
    return [attempt(lambda: p.apply(x)), attempt(lambda: p.apply()), paddle.is_grad_enabled()]


@program
def pylayer_hook_sees_the_gradient(paddle, np):
    """Hooks of the output and of the input see what goes by."""
    log = []
    x = leaf(paddle, [1.0])
    a = x * 2
    y = layer(paddle, lambda ctx, t: t * 2, lambda ctx, grad: grad * 7).apply(a)
    for name, tensor in {"x": x, "a": a, "y": y}.items():
        tensor.register_hook(lambda grad, name=name: log.append([name, grad.tolist()]))
    y.retain_grads()
    (y * 3).backward()
    return [log, *grads(x, y)]


@program
def pylayer_saved_tensors_hooks(paddle, np):
    """Hooks pack what is saved, at once, and unpack it each time backward asks."""
    log = []

    def pack(tensor):
        log.append("pack")
        return tensor.numpy()

    def unpack(value):
        log.append("unpack")
        return paddle.to_tensor(value)

    def forward(ctx, x):
        ctx.save_for_backward(x)
        log.append("saved")
        return x * 2

    def backward(ctx, grad):
        log.append("backward")
        ctx.saved_tensor()
        return grad * ctx.saved_tensor()[0]

    x = leaf(paddle, [3.0])
    with paddle.autograd.saved_tensors_hooks(pack, unpack):
        y = layer(paddle, forward, backward).apply(x)
    y.backward()
    return [log, *grads(x)]


# ---- gradients of gradients


@program
def pylayer_three_orders(paddle, np):
    """Backward is recorded with create_graph, and so is what it runs in turn."""
    out = []
    for make in (cube, exponential):
        p = make(paddle)
        x = leaf(paddle, np.float64([3.0, 0.5]))
        y = p.apply(x).sum()
        for _ in range(3):
            (grad,) = paddle.grad(y, x, create_graph=True)
            out.append(grad.numpy())
            y = grad.sum()
    return out


@program
def pylayer_second_order_by_what_came_in(paddle, np):
    """The gradient that comes in is part of the graph too."""
    x, w = leaf(paddle, [2.0]), leaf(paddle, [5.0])
    (first,) = paddle.grad(cube(paddle).apply(x) * w, x, create_graph=True)
    return [grad.numpy() for grad in paddle.grad(first, [x, w])]


@program
def pylayer_second_order_after_the_output_died(paddle, np):
    """A saved output is differentiable although nobody else holds it."""
    x = leaf(paddle, np.float64([1.0]))
    y = exponential(paddle).apply(x) * 2
    (first,) = paddle.grad(y, x, create_graph=True)
    del y
    return [first.numpy(), paddle.grad(first, x)[0].numpy()]


@program
def pylayer_paddle_grad_runs_again(paddle, np):
    """paddle.grad keeps the graph."""
    x = leaf(paddle, [2.0])
    y = cube(paddle).apply(x) * 1
    return [paddle.grad(y, x)[0].numpy() for _ in range(3)]


@program
def pylayer_released(paddle, np):
    """An op behind a PyLayer, run a second time."""
    x = leaf(paddle, [2.0])
    y = layer(paddle, lambda ctx, t: t * 2).apply(x * x)
    y.backward()
    z = x * x
    (z * z).backward()
    return [attempt((z * 3).backward), *grads(x)]


# ---- PyLayers in PyLayers


@program
def pylayer_inside_forward(paddle, np):
    """A PyLayer inside forward records nothing."""
    inner = cube(paddle)
    outer = layer(paddle, lambda ctx, x: inner.apply(x) * 2, lambda ctx, g: g * 100, "Outer")
    x = leaf(paddle, [1.0])
    y = outer.apply(x)
    y.backward()
    return [graph(y), *grads(x)]


@program
def pylayer_inside_backward(paddle, np):
    """A PyLayer inside backward is recorded with create_graph."""
    inner = cube(paddle)

    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x * 2

    def backward(ctx, grad):
        return grad * inner.apply(ctx.saved_tensor()[0])

    x = leaf(paddle, [2.0])
    (first,) = paddle.grad(layer(paddle, forward, backward, "Outer").apply(x), x, create_graph=True)
    return [first.numpy(), paddle.grad(first, x)[0].numpy()]


@program
def pylayer_recomputes(paddle, np):
    """Recomputing: forward again with recording on, then an inner backward."""
    inner = cube(paddle)

    def forward(ctx, x):
        ctx.save_for_backward(x)
        return inner.apply(x) * 3

    def backward(ctx, grad):
        x = ctx.saved_tensor()[0].detach()
        x.stop_gradient = False
        with paddle.enable_grad():
            y = inner.apply(x) * 3
        y.backward(grad)
        return x.grad

    x = leaf(paddle, [5.0])
    layer(paddle, forward, backward, "Outer").apply(x * 1).backward()
    return grads(x)


@program
def pylayer_chain(paddle, np):
    """PyLayers behind one another, and shared by two paths."""
    p = exponential(paddle)
    x = leaf(paddle, np.float64([0.1, 0.2]))
    a = p.apply(x)
    y = p.apply(a * 0.5) + p.apply(x + a)
    y.sum().backward()
    return [graph(y), y.numpy(), *grads(x)]


@program
def pylayer_complex(paddle, np):
    """Complex inputs: backward decides on the convention."""

    def forward(ctx, z):
        ctx.save_for_backward(z)
        return z * z

    def backward(ctx, grad):
        return grad * 2 * ctx.saved_tensor()[0].conj()

    z = leaf(paddle, np.complex128([0.5 + 0.7j]))
    w = leaf(paddle, np.complex128([0.5 + 0.7j]))
    layer(paddle, forward, backward).apply(z).real().backward()
    (w * w).real().backward()
    return grads(z, w)


@program
def pylayer_in_a_thread(paddle, np):
    """Backward runs where it was called."""
    x, names = leaf(paddle, [1.0]), []

    def backward(ctx, grad):
        names.append(threading.current_thread().name)
        return grad * 2

    y = layer(paddle, lambda ctx, t: t * 2, backward).apply(x)
    thread = threading.Thread(target=y.backward, name="other")
    thread.start()
    thread.join()
    return [names, *grads(x)]


@program
def pylayer_non_differentiable(paddle, np):
    """A marked output stops gradients, keeps its node, and its gradient is zeros."""
    seen = []

    def forward(ctx, x):
        a, b = x * 2, x * 3
        ctx.mark_non_differentiable(a)
        return a, b

    def backward(ctx, a, b):
        seen.append([a.numpy(), a.stop_gradient])
        return b

    x = leaf(paddle, [1.0])
    a, b = layer(paddle, forward, backward).apply(x)
    (a * b).backward()
    found = [facts(a), a.grad_fn.name(), seen, *grads(x)]
    marked = layer(paddle, lambda ctx, x: (ctx.mark_non_differentiable(x), x * 2)[1])
    return [*found, facts(marked.apply(leaf(paddle, [1.0])))]


@program
def pylayer_writes_its_gradient(paddle, np):
    """The seed that a user gave is not written."""
    p = layer(paddle, lambda ctx, x: x * 2, lambda ctx, grad: grad.scale_(3.0))
    x, seed = leaf(paddle, [1.0]), paddle.to_tensor([1.0])
    p.apply(x).backward(seed)
    return [seed.numpy(), *grads(x)]
