"""backward: seeds, several roots, accumulation, retain_graph, clearing, order, errors."""

from ..probe import array, attempt, facts, grads, leaf, refuses
from ..registry import differs, program


@program
def seeds(paddle, np):
    """A root without a seed starts with ones, whatever its shape; a given one is used."""
    out = {}
    for text, seed in {
        "none": None,
        "given": paddle.to_tensor(np.float32([[1.0, 2.0], [3.0, 4.0]])),
        "float64": paddle.to_tensor(np.float64([[1.0, 2.0], [3.0, 4.0]])),
        "int": paddle.to_tensor([[1, 2], [3, 4]]),
    }.items():
        x = leaf(paddle, np.float32([[1.0, 2.0], [3.0, 4.0]]))
        (x * x).backward(seed)
        out[text] = x.grad.numpy()
    return out


@program
def seeds_refused(paddle, np):
    """grad_tensor of another shape or kind."""
    y = leaf(paddle, [1.0, 2.0]) * 2
    backward = paddle.autograd.backward
    return {
        "shape": refuses(lambda: y.backward(paddle.ones([3]))),
        "list": attempt(lambda: y.backward([1.0, 1.0])),
        "length": attempt(lambda: backward([y], [None, None])),
        "twice": attempt(lambda: backward([y, y])),
        "nothing": attempt(lambda: backward([])),
        "not tensors": attempt(lambda: backward([1.0])),
    }


@program
def several_roots(paddle, np):
    """autograd.backward of several tensors, one above another, two outputs of one node."""
    out = {}
    x = leaf(paddle, [1.0, 2.0])
    a = x * 2
    b = a * 3
    paddle.autograd.backward([a, b])
    out["ancestor first"] = x.grad.numpy()
    x = leaf(paddle, [1.0, 2.0])
    a = x * 2
    b = a * 3
    paddle.autograd.backward([b, a], [paddle.to_tensor([1.0, 0.0]), None])
    out["ancestor last"] = x.grad.numpy()
    x = leaf(paddle, [1.0, 2.0, 3.0, 4.0])
    pieces = paddle.split(x, 2)
    paddle.autograd.backward(pieces, [paddle.to_tensor([10.0, 10.0]), None])
    out["two outputs"] = x.grad.numpy()
    x, w = leaf(paddle, [1.0]), leaf(paddle, [2.0])
    paddle.autograd.backward([x * w, x + w, w * w])
    out["three"] = grads(x, w)
    return out


@program
def accumulation(paddle, np):
    """Gradients add up over uses, over calls, and start again after clearing."""
    x = leaf(paddle, [1.0, 2.0])
    y = x * x + x * 3
    y.sum().backward()
    seen = [x.grad.numpy()]
    (x * 5).sum().backward()
    seen.append(x.grad.numpy())
    x.clear_grad()
    seen.append(array(x.grad))
    (x * 7).sum().backward()
    seen.append(x.grad.numpy())
    x.clear_gradient(False)
    seen.append(array(x.grad))
    (x * 2).sum().backward()
    x.grad = paddle.to_tensor([9.0, 9.0])
    (x * 1).sum().backward()
    seen.append(x.grad.numpy())
    x.grad = None
    seen.append(array(x.grad))
    return seen


@program
def facts_of_gradients(paddle, np):
    """What a gradient is: shape, dtype, flags; None where there is none."""
    x, c = leaf(paddle, np.float64([[1.0]])), paddle.to_tensor([1.0])
    y = (x * 2).astype("float32") * c
    y.backward()
    return [str(x.grad.dtype), list(x.grad.shape), x.grad.is_leaf, c.grad is None, y.grad is None]


@program
def fan_out(paddle, np):
    """One tensor used many times, diamonds and sums of many terms."""
    x = leaf(paddle, np.float64([0.3, 0.7]))
    a = paddle.sin(x)
    b, c = a * x, a + x
    d = b * c
    for _ in range(5):
        d = d + a * d
    d.sum().backward()
    w = leaf(paddle, np.float64([2.0]))
    total = w * 0
    for k in range(20):
        total = total + w * k
    total.backward()
    return [d.numpy(), x.grad.numpy(), w.grad.numpy()]


@program
def second_backward(paddle, np):
    """A graph runs once unless it was retained, whatever its nodes keep."""
    out = {}
    for text, expression in {
        "product": lambda x: (x * x).sum(),
        "scale": lambda x: x * 2,
        "sigmoid": lambda x: paddle.nn.functional.sigmoid(x),
        "matmul": lambda x: paddle.matmul(x, x),
    }.items():
        x = leaf(paddle, np.float32([[1.0, 2.0], [3.0, 4.0]]))
        y = expression(x)
        y.backward()
        out[text] = [attempt(lambda y=y: y.backward()), x.grad.numpy(), y.grad_fn.name()]
    return out


@program
def retain_graph(paddle, np):
    """retain_graph keeps the graph for one more run; the last run frees it."""
    x = leaf(paddle, [1.0, 2.0])
    y = (x * x).sum()
    y.backward(retain_graph=True)
    y.backward(retain_graph=True)
    y.backward()
    return [x.grad.numpy(), attempt(lambda: y.backward())["error"]]


@program
def shared_part_is_freed(paddle, np):
    """Two losses above a shared part: the second finds it freed."""
    x = leaf(paddle, [1.0, 2.0])
    shared = x * x
    one, two = shared.sum(), (shared * 2).sum()
    one.backward()
    return [attempt(lambda: two.backward()), x.grad.numpy()]


@program
def backward_without_a_graph(paddle, np):
    """backward of a constant does nothing, of a leaf adds its seed."""
    c = paddle.to_tensor([1.0, 2.0])
    c.backward()
    x = leaf(paddle, [1.0, 2.0])
    x.backward()
    x.backward(paddle.to_tensor([5.0, 6.0]))
    with paddle.no_grad():
        y = leaf(paddle, [3.0])
    z = y * y
    with paddle.no_grad():
        z.backward()
    return [array(c.grad), array(x.grad), array(y.grad)]


@program
def integer_leaves(paddle, np):
    """Integer tensors take gradients too, and casts pass them through."""
    c = paddle.to_tensor([1, 2], stop_gradient=False)
    (c * 2).backward()
    x = leaf(paddle, [1.5, 2.5])
    x.astype("int32").astype("float32").sum().backward()
    return [c.grad.numpy(), x.grad.numpy()]


@program
def gradients_of_constants_stay_none(paddle, np):
    """Operands that want no gradient get none, and their branch is not run."""
    x, w = leaf(paddle, [2.0]), paddle.to_tensor([3.0])
    frozen = (x * 2).detach()
    y = x * w + frozen * x
    y.backward()
    return [x.grad.numpy(), array(w.grad), facts(frozen)]


@program
def graph_of_nodes(paddle, np):
    """grad_fn, next_functions and names, walked by hand."""
    x, w = leaf(paddle, [[1.0, 2.0]]), leaf(paddle, [[1.0], [2.0]])
    y = paddle.nn.functional.relu(paddle.matmul(x, w) + 1.0)
    node, seen = y.grad_fn, []
    while node is not None:
        seen.append([node.name(), len(node.next_functions)])
        node = node.next_functions[0]
    twice = (x + x).grad_fn.next_functions
    return {
        "walk": seen,
        "same node": y.grad_fn is y.grad_fn or y.grad_fn.node_ptr() == y.grad_fn.node_ptr(),
        "x + x": [n.name() for n in twice],
        "constant": [n if n is None else n.name() for n in (2 / x).grad_fn.next_functions],
        "leaf": [x.grad_fn.name(), x.grad_fn.next_functions],
        "after backward": [y.sum().backward(), y.grad_fn.name()],
    }


@program
def long_chain(paddle, np):
    """Two thousand nodes in a row."""
    x = leaf(paddle, np.float64([1.0]))
    y = x
    for _ in range(1000):
        y = y * 1.001
        y = y + x * 0.001
    y.backward()
    return [y.numpy(), x.grad.numpy()]


@differs(
    "Paddle reads outside a seed of the wrong shape in autograd.backward",
    right="refused",
    paddle_gives="accepted",
)
def seed_shape_in_autograd_backward(paddle, np):
    """autograd.backward with a gradient smaller than its tensor."""
    y = leaf(paddle, [1.0, 2.0, 3.0, 4.0]) * 2
    try:
        paddle.autograd.backward([y], [paddle.ones([2])])
    except (ValueError, AssertionError):
        return "refused"
    return "accepted"


@differs(
    "Paddle overwrites the seed of a root given twice through two Python objects",
    right=[4.0],
    paddle_gives=[2.0],
)
def one_root_through_two_objects(paddle, np):
    """p and p[:] are one node's one output: their two seeds of ones add up."""
    x = leaf(paddle, [1.0])
    p = x * 2
    paddle.autograd.backward([p, p[:]])
    return x.grad.tolist()


@differs(
    "a held gradient is changed by the next backward",
    right=[2.0],
    paddle_gives=[4.0],
)
def held_gradients_stay(paddle, np):
    """x.grad taken before a second backward keeps its value."""
    x = leaf(paddle, [1.0])
    (x * 2).backward()
    held = x.grad
    (x * 2).backward()
    return held.tolist()


@differs(
    "Paddle ignores set_to_zero given by its name",
    right=[None],
    paddle_gives=[[0.0]],
)
def clearing_to_none_by_keyword(paddle, np):
    """clear_gradient(set_to_zero=False) leaves no gradient."""
    x = leaf(paddle, [1.0])
    (x * 2).backward()
    x.clear_gradient(set_to_zero=False)
    return [None if x.grad is None else x.grad.tolist()]


@differs(
    "Paddle forgets a gradient that was set after clear_grad",
    right=[11.0],
    paddle_gives=[2.0],
)
def setting_a_cleared_gradient(paddle, np):
    """A gradient set by hand is added to, also after clear_grad."""
    x = leaf(paddle, [1.0])
    (x * 2).backward()
    x.clear_grad()
    x.grad = paddle.to_tensor([9.0])
    (x * 2).backward()
    return x.grad.tolist()
