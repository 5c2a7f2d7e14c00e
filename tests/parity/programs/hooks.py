"""Hooks of tensors: when they run, what they see, what their answer does."""

from ..probe import array, attempt, facts, grads, leaf
from ..registry import program


def watcher(log, name):
    """Returns a hook that writes down its name and the gradient it saw."""
    return lambda grad: log.append([name, None if grad is None else grad.tolist()])


def scaler(log, name, factor):
    """Returns a hook that writes down what it saw and hands on a multiple of it."""

    def hook(grad):
        log.append([name, grad.tolist()])
        return grad * factor

    return hook


def _flags(grad):
    flags = [grad.stop_gradient, grad.is_leaf, grad.inplace_version]
    return [str(grad.dtype), list(grad.shape), flags]


@program
def hook_on_a_leaf(paddle, np):
    """A leaf's hook runs once, with the sum of this backward, before .grad is written."""
    x, log = leaf(paddle, [1.0, 2.0]), []
    x.register_hook(lambda grad: log.append([grad.tolist(), array(x.grad)]))
    (x * x + x * 3).sum().backward()
    return [log, x.grad.numpy()]


@program
def hook_on_a_non_leaf(paddle, np):
    """The hook of an intermediate sees its gradient and changes what lies behind it alone."""
    x, w, log = leaf(paddle, [1.0, 2.0]), leaf(paddle, [3.0, 4.0]), []
    a = x * 2
    a.register_hook(scaler(log, "a", 10.0))
    (a * w).sum().backward()
    return [log, *grads(x, w, a)]


@program
def hook_on_the_root(paddle, np):
    """The hook of the tensor that backward starts from sees the seed."""
    out = []
    for seed in (None, paddle.to_tensor([5.0, 7.0])):
        x, log = leaf(paddle, [1.0, 2.0]), []
        y = x * x
        y.register_hook(scaler(log, "y", 2.0))
        y.backward(seed)
        out.append([log, x.grad.numpy()])
    return out


@program
def hook_on_a_parameter(paddle, np):
    """A parameter's hook changes what the optimizer sees."""
    layer = paddle.nn.Linear(2, 1)
    layer.weight.set_value(np.float32([[1.0], [2.0]]))
    log = []
    layer.weight.register_hook(scaler(log, "w", 0.5))
    sgd = paddle.optimizer.SGD(0.1, parameters=layer.parameters())
    layer(paddle.to_tensor([[3.0, 4.0]])).backward()
    sgd.step()
    return [log, layer.weight.grad.numpy(), layer.weight.numpy(), layer.bias.grad.numpy()]


@program
def several_hooks_of_a_tensor(paddle, np):
    """Hooks run in the order of registration, each on what the one before it made."""
    out = {}
    for kind in ("leaf", "intermediate"):
        x, log = leaf(paddle, [1.0]), []
        y = x if kind == "leaf" else x * 1.0
        y.register_hook(watcher(log, "first"))
        y.register_hook(scaler(log, "second", 3.0))
        y.register_hook(watcher(log, "third"))
        y.register_hook(lambda grad: grad + 1.0)
        y.register_hook(watcher(log, "fifth"))
        (y * 2).backward()
        out[kind] = [log, x.grad.numpy()]
    return out


@program
def order_of_hooks_over_a_graph(paddle, np):
    """Hooks fire in the order in which nodes run."""
    x, log = leaf(paddle, [1.0]), []
    a, b = x * 2, x * 3
    c, d = a * b, b * 5
    e = c + d
    for name, tensor in {"x": x, "a": a, "b": b, "c": c, "d": d, "e": e}.items():
        tensor.register_hook(watcher(log, name))
    e.backward()
    return log


@program
def order_of_hooks_of_leaves(paddle, np):
    """A leaf that is complete goes first; of two completed at once, the later one."""
    log, x, y, z = [], leaf(paddle, [2.0]), leaf(paddle, [3.0]), leaf(paddle, [4.0])
    a = x * y
    b = a + x
    c = b * y
    d = c * z
    for name, tensor in {"x": x, "y": y, "z": z, "a": a, "b": b, "c": c, "d": d}.items():
        tensor.register_hook(watcher(log, name))
    d.backward()
    return log


@program
def order_of_hooks_over_chains(paddle, np):
    """Chains that are joined take turns."""
    log, ends = [], []
    for k in range(3):
        start = leaf(paddle, [1.0 + k])
        middle = start * 2
        end = middle * 3
        for name, tensor in {"x": start, "m": middle, "n": end}.items():
            tensor.register_hook(watcher(log, f"{name}{k}"))
        ends.append(end)
    paddle.add_n(ends).backward()
    return log


@program
def removing_a_hook(paddle, np):
    """remove() says True once; what was removed no longer runs, the others do."""
    x, log = leaf(paddle, [1.0]), []
    y = x * 2
    handles = [y.register_hook(watcher(log, name)) for name in "abc"]
    said = [handles[1].remove(), handles[1].remove()]
    y.backward(retain_graph=True)
    said += [handles[0].remove(), handles[2].remove(), handles[2].remove()]
    y.backward()
    leaf_handle = x.register_hook(watcher(log, "leaf"))
    said += [leaf_handle.remove(), leaf_handle.remove()]
    (x * 2).backward()
    return [said, log, x.grad.numpy()]


@program
def a_removed_hook_registered_again(paddle, np):
    """A function registered again goes to the end of the line."""
    x, log = leaf(paddle, [1.0]), []
    first, second = scaler(log, "first", 2.0), scaler(log, "second", 3.0)
    handle = x.register_hook(first)
    x.register_hook(second)
    handle.remove()
    x.register_hook(first)
    x.register_hook(first)
    (x * 1.0).backward()
    return [log, x.grad.numpy()]


@program
def a_handle_may_be_dropped(paddle, np):
    """Neither a dropped handle nor a dropped tensor takes the hook away."""
    x, log = leaf(paddle, [1.0]), []
    y = x * 2
    y.register_hook(watcher(log, "y"))
    z = y * 3
    del y
    z.register_hook(watcher(log, "z"))
    z.backward()
    return [log, x.grad.numpy()]


@program
def hooks_of_two_backwards(paddle, np):
    """Each backward calls the hook with its own gradient, not with the accumulated one."""
    x, log = leaf(paddle, [1.0, 2.0]), []
    x.register_hook(scaler(log, "x", 10.0))
    y = x * x
    y.register_hook(watcher(log, "y"))
    y.backward(retain_graph=True)
    y.backward(paddle.to_tensor([1.0, 3.0]))
    (x * 5).backward()
    return [log, x.grad.numpy()]


@program
def hook_of_a_tensor_used_often(paddle, np):
    """However often a tensor is used, its hook runs once, with the whole sum."""
    x, log = leaf(paddle, np.float64([0.3, 0.7])), []
    a = paddle.sin(x)
    a.register_hook(scaler(log, "a", 2.0))
    x.register_hook(watcher(log, "x"))
    total = a * a + a * x + paddle.exp(a)
    for k in range(4):
        total = total + a * k
    total.sum().backward()
    return [log, x.grad.numpy()]


@program
def hook_of_a_tensor_met_twice_by_one_op(paddle, np):
    """x + x, x * x and concat([x, x]) deliver twice to one hook."""
    out = {}
    for text, expression in {
        "add": lambda a: a + a,
        "multiply": lambda a: a * a,
        "matmul": lambda a: paddle.matmul(a, a),
        "concat": lambda a: paddle.concat([a, a, a]),
        "stack": lambda a: paddle.stack([a, a]),
    }.items():
        x, log = leaf(paddle, np.float32([[1.0, 2.0], [3.0, 4.0]])), []
        a = x * 1.0
        a.register_hook(watcher(log, "a"))
        expression(a).sum().backward()
        out[text] = [log, x.grad.numpy()]
    return out


@program
def hook_of_several_roots(paddle, np):
    """A root that is also behind another root gets the sum of both."""
    x, log = leaf(paddle, [1.0]), []
    a = x * 2
    b = a * 3
    for name, tensor in {"x": x, "a": a, "b": b}.items():
        tensor.register_hook(watcher(log, name))
    paddle.autograd.backward([a, b], [paddle.to_tensor([10.0]), None])
    return [log, x.grad.numpy()]


@program
def hook_when_backward_starts_at_the_leaf(paddle, np):
    """backward of a leaf itself runs its hooks too."""
    x, log = leaf(paddle, [1.0, 2.0]), []
    x.register_hook(scaler(log, "x", 3.0))
    x.backward()
    x.backward(paddle.to_tensor([5.0, 6.0]))
    return [log, x.grad.numpy()]


@program
def kinds_of_callables(paddle, np):
    """Functions, bound methods, partials and objects with __call__ are hooks."""
    from functools import partial

    class Keeper:
        def __init__(self):
            self.seen = []

        def keep(self, grad):
            self.seen.append(grad.tolist())

        def __call__(self, grad):
            return grad * 2

    def times(factor, grad):
        return grad * factor

    x, keeper = leaf(paddle, [1.0]), Keeper()
    x.register_hook(keeper.keep)
    x.register_hook(keeper)
    x.register_hook(partial(times, 5.0))
    x.register_hook(keeper.keep)
    (x * 3).backward()
    return [keeper.seen, x.grad.numpy()]


@program
def what_a_hook_sees(paddle, np):
    """The gradient in a hook: dtype, shape, flags, no node."""
    seen = []
    x = leaf(paddle, np.float64([[1.0, 2.0]]))
    y = (x * 2).astype("float32")
    for tensor in (x, y):
        tensor.register_hook(lambda grad: seen.append(_flags(grad)))
    y.sum().backward()
    return seen


@program
def ops_inside_a_hook(paddle, np):
    """A hook runs in the grad mode that backward was called in."""
    seen, x = [], leaf(paddle, [1.0, 2.0])

    def hook(grad):
        twice = grad * 2
        seen.append([paddle.is_grad_enabled(), facts(twice)])
        return twice

    x.register_hook(hook)
    y, z = x * 2, x * 3
    y.backward()
    with paddle.no_grad():
        z.backward()
    return [seen, x.grad.numpy()]


@program
def no_grad_inside_a_hook(paddle, np):
    """A hook may turn recording off for itself."""
    seen, x = [], leaf(paddle, [1.0, 2.0])

    def hook(grad):
        with paddle.no_grad():
            half = grad * 0.5
        seen.append([paddle.is_grad_enabled(), facts(half)])
        return half

    (a := x * 3).register_hook(hook)
    x.register_hook(hook)
    a.backward()
    return [seen, x.grad.numpy()]


@program
def hook_returns_something_older(paddle, np):
    """What a hook returns may come from anywhere: a constant, a leaf, the forward value."""
    c, w = paddle.to_tensor([100.0]), leaf(paddle, [7.0])
    out = []
    for answer in (lambda a: c, lambda a: w, lambda a: a, lambda a: w * a):
        x = leaf(paddle, [2.0])
        a = x * 3
        a.register_hook(lambda grad, a=a, answer=answer: answer(a))
        (a * 5).backward()
        out.append(x.grad.numpy())
    return [out, *grads(c, w), c.numpy()]


@program
def hook_writes_into_its_gradient(paddle, np):
    """Under no_grad a hook may change its gradient in place, and the rest of backward sees it."""
    x = leaf(paddle, [1.0, 2.0])

    def hook(grad):
        with paddle.no_grad():
            grad.scale_(10.0)
            grad[0] = 7.0

    a = x * 2
    a.register_hook(hook)
    x.register_hook(hook)
    (a * 1.0).backward()
    return x.grad.numpy()


@program
def hook_of_another_dtype(paddle, np):
    """A hook may not change the dtype."""
    x = leaf(paddle, [1.0, 2.0])
    x.register_hook(lambda grad: grad.astype("float64"))
    y = x * 2
    first = attempt(lambda: y.sum().backward())
    a = leaf(paddle, np.float64([1.0])) * 2
    a.register_hook(lambda grad: grad.astype("int32"))
    return [first, array(x.grad), attempt(lambda: (a * 3).backward())]


@program
def hook_on_a_constant(paddle, np):
    """A tensor that stops gradients takes no hook."""
    c, x = paddle.to_tensor([1.0]), leaf(paddle, [1.0])
    with paddle.no_grad():
        y = x * 2
    x.stop_gradient = True
    tensors = {"constant": c, "no_grad": y, "stopped": x, "detached": c.detach()}
    return {
        text: attempt(lambda t=t: t.register_hook(lambda grad: grad)) for text, t in tensors.items()
    }


@program
def hook_of_a_tensor_stopped_later(paddle, np):
    """stop_gradient set after the graph was recorded neither cuts it nor drops the hook."""
    x, log = leaf(paddle, [1.0]), []
    a = x * 2
    x.register_hook(watcher(log, "x"))
    a.register_hook(watcher(log, "a"))
    b = a * 3
    a.stop_gradient = True
    x.stop_gradient = True
    b.backward()
    return [log, array(x.grad)]


@program
def a_hook_removes_itself(paddle, np):
    """A hook may remove itself; it has run once then."""
    out = []
    for kind in ("leaf", "intermediate"):
        x, log, handles = leaf(paddle, [1.0]), [], []
        y = x if kind == "leaf" else x * 1.0

        def once(grad, log=log, handles=handles):
            log.append(["once", grad.tolist(), handles[0].remove()])

        handles.append(y.register_hook(once))
        y.register_hook(watcher(log, "always"))
        z = y * 2
        z.backward(retain_graph=True)
        z.backward()
        out.append([log, x.grad.numpy()])
    return out
