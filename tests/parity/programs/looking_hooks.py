"""Hooks as one looks on with: the example of Paddle's guide, and the rules it rests on."""

from ..probe import array, attempt, leaf
from ..registry import CRASHES, differs, program


def _lists(tensors):
    return [None if tensor is None else tensor.numpy().tolist() for tensor in tensors]


def _guide(paddle, np, run):
    """Builds the guide's graph, e = c * d and f = e + d, with hooks on both nodes and on d."""
    log = []
    a = leaf(paddle, np.linspace(0.1, 1.6, 16, dtype="float32").reshape(4, 4))
    b = leaf(paddle, np.linspace(2.0, 0.5, 16, dtype="float32").reshape(4, 4))
    c, d = a * b, a * b
    e = c * d
    f = e + d

    def node_hook(name):
        def hook(outputs, inputs):
            log.append([name, _lists(inputs), _lists(outputs)])
            return list(outputs)

        return hook

    e.grad_fn._register_post_hook(node_hook("elementwise_mul_gradnode_hook"))
    f.grad_fn._register_post_hook(node_hook("elementwise_add_gradnode_hook"))
    d.register_hook(lambda grad: log.append(["tensor_d_grad_hook", grad.numpy().tolist()]) or grad)
    found = run(f, [a, b])
    return [log, [None if each is None else array(each) for each in found]]


@program
def the_guides_hooks_under_grad(paddle, np):
    """paddle.grad with a seed of threes, as the guide calls it."""
    threes = paddle.ones([4, 4]) * 3
    return _guide(paddle, np, lambda f, inputs: paddle.grad([f], inputs[:1], [threes]))


@program
def the_guides_hooks_under_grad_that_may_be_unused(paddle, np):
    """The same with allow_unused."""
    threes = paddle.ones([4, 4]) * 3
    return _guide(
        paddle, np, lambda f, inputs: paddle.grad([f], inputs[:1], [threes], allow_unused=True)
    )


@program
def the_guides_hooks_under_backward(paddle, np):
    """The same values in the same order under Tensor.backward."""

    def run(f, inputs):
        f.backward(paddle.ones([4, 4]) * 3)
        return [each.grad for each in inputs]

    return _guide(paddle, np, run)


@program
def the_guides_hooks_replace(paddle, np):
    """What the post hook returns goes on, and the tensor hook sees it."""
    x = leaf(paddle, [1.0, 2.0])
    y = x * x
    z = y * 3
    log = []
    y.register_hook(lambda grad: log.append(grad.tolist()))
    z.grad_fn._register_post_hook(lambda outputs, inputs: [grad * 10 for grad in outputs])
    (found,) = paddle.grad(z.sum(), x)
    return [log, array(found)]


@program
def order_of_all_kinds_of_hooks(paddle, np):
    """Tensor hook, then the post hook of its node; leaf hooks last, as they were registered."""
    log, x = [], leaf(paddle, [1.0, 1.0])
    y = x * 2
    z = y.exp()
    x.register_hook(lambda grad: log.append("leaf hook 1"))
    x.register_hook(lambda grad: log.append("leaf hook 2"))
    y.register_hook(lambda grad: log.append("y tensor hook"))
    y.grad_fn._register_post_hook(lambda o, i: log.append("y node post hook") or list(o))
    z.grad_fn._register_post_hook(lambda o, i: log.append("z node post hook") or list(o))
    z.register_hook(lambda grad: log.append("z tensor hook"))
    z.sum().backward()
    return log


@program
def post_hooks_on_leaves_are_refused(paddle, np):
    """In Paddle's words."""
    x = leaf(paddle, [1.0])
    answer = attempt(lambda: x.grad_fn._register_post_hook(lambda o, i: list(o)))
    return ["Could not register hook for GradNodeAccumulation." in answer["text"], answer["error"]]


def _with_hook(paddle, hook):
    x = leaf(paddle, [1.0, 1.0])
    y = x * 2
    y.register_hook(hook)
    answer = attempt(lambda: y.sum().backward())
    paddle.set_grad_enabled(True)
    return [answer and answer["error"], None if x.grad is None else x.grad.tolist()]


@differs(
    "Paddle takes a gradient of another shape, and hands a number to a leaf of two elements",
    right=["ValueError", None],
    paddle_gives=[None, 4.0],
)
def tensor_hook_that_changes_the_shape(paddle, np):
    """A gradient has the shape of its tensor."""
    return _with_hook(paddle, lambda grad: grad.sum())


@differs("Paddle's process dies", right=["TypeError", None], paddle_gives=CRASHES)
def tensor_hook_that_returns_a_float(paddle, np):
    """A number is no gradient."""
    return _with_hook(paddle, lambda grad: 3.0)


@differs(
    "Paddle refuses to write to the gradient that it has just handed over",
    right=[None, [10.0, 10.0]],
    paddle_gives=["OSError", None],
)
def tensor_hook_that_writes_in_place(paddle, np):
    """The hook's tensor is the hook's own, and what it leaves there goes on."""
    return _with_hook(paddle, lambda grad: grad.scale_(5.0))


@differs(
    "Paddle cannot hand over what it would return",
    right=[[[[2], "float32"]], [[[2], "float32"], [[2], "float32"]]],
    paddle_gives="TypeError",
)
def metas_of_a_node(paddle, np):
    """input_meta and output_meta: what arrives at a node, and what it hands on."""
    x, y = leaf(paddle, [1.0, 2.0]), leaf(paddle, [3.0, 4.0])
    node = (x * y).grad_fn
    answer = attempt(lambda: node.input_meta())
    if "error" in answer:
        return answer["error"]

    def seen(metas):
        return [[list(meta.shape), str(meta.dtype)] for slot in metas for meta in slot]

    return [seen(node.input_meta()), seen(node.output_meta())]
