"""paddle.grad where Paddle 3.3.1 is wrong: siblings, ancestors, shapes, hooks, crashes."""

from ..probe import attempt, leaf
from ..registry import CRASHES, differs


def lists(found):
    """Returns the values of a list of tensors as plain lists, None for None."""
    return [None if tensor is None else tensor.tolist() for tensor in found]


def _pieces(paddle):
    w = leaf(paddle, [1.0, 2.0, 3.0, 4.0])
    left, right = paddle.split(w, 2)
    return w, left, right, left * 3 + right * 5


@differs(
    "Paddle keys results by node, and fails for an output of a node with several",
    right=[[3.0, 3.0]],
    paddle_gives="SystemError",
)
def grad_of_one_piece(paddle, np):
    """One output of split as the input."""
    _, left, _, o = _pieces(paddle)
    found = attempt(lambda: lists(paddle.grad(o, [left])))
    return found["error"] if isinstance(found, dict) else found


@differs(
    "Paddle keys results by node, and fails for an output of a node with several",
    right=[[5.0, 5.0]],
    paddle_gives="SystemError",
)
def grad_of_the_last_piece(paddle, np):
    """The other output of split as the input."""
    _, _, right, o = _pieces(paddle)
    found = attempt(lambda: lists(paddle.grad(o, [right])))
    return found["error"] if isinstance(found, dict) else found


@differs(
    "Paddle keys results by node: both pieces get the last one's gradient",
    right=[[3.0, 3.0], [5.0, 5.0], [3.0, 3.0, 5.0, 5.0]],
    paddle_gives=[[5.0, 5.0], [5.0, 5.0], [3.0, 3.0, 5.0, 5.0]],
)
def grad_of_pieces_and_their_whole(paddle, np):
    """Both outputs of split and what was split."""
    w, left, right, o = _pieces(paddle)
    return lists(paddle.grad(o, [left, right, w]))


@differs(
    "Paddle does not find what lies behind an output that is an input too",
    right=[[1.0], [3.0]],
    paddle_gives="ValueError",
)
def grad_of_the_output_and_its_leaf(paddle, np):
    """The output among the inputs."""
    x = leaf(paddle, [2.0])
    z = x * 3
    found = attempt(lambda: lists(paddle.grad(z, [z, x])))
    return found["error"] if isinstance(found, dict) else found


@differs(
    "Paddle forgets the seed of an output that is an input and lies behind another output",
    right=[[3.0]],
    paddle_gives=[[2.0]],
)
def grad_of_an_output_that_is_an_ancestor(paddle, np):
    """Outputs [b, a], input a, where b was computed from a."""
    x = leaf(paddle, [2.0])
    a = x * x
    b = a * x
    return lists(paddle.grad([b, a], [a]))


@differs(
    "Paddle reads outside a seed of the wrong shape",
    right="AssertionError",
    paddle_gives="accepted",
)
def grad_with_a_seed_of_another_shape(paddle, np):
    """grad_outputs have the shapes of the outputs."""
    x = leaf(paddle, [1.0, 2.0, 3.0, 4.0])
    found = attempt(lambda: lists(paddle.grad(x * 2, [x], paddle.ones([2]))))
    return found["error"] if isinstance(found, dict) else "accepted"


@differs(
    "Paddle's process dies when an input is in no_grad_vars",
    right="ValueError",
    paddle_gives=CRASHES,
)
def no_grad_vars_with_an_input(paddle, np):
    """All paths to the input are cut: it does not appear."""
    x = leaf(paddle, [2.0])
    c = (x * 2) * (x * 3)
    return attempt(lambda: lists(paddle.grad(c, [x], no_grad_vars=[x])))["error"]


@differs(
    "Paddle's process dies: one paddle.grad at a time",
    right=[[[6.0]], [[100.0]]],
    paddle_gives=CRASHES,
)
def grad_inside_a_hook_of_grad(paddle, np):
    """paddle.grad of another graph inside a hook that runs under paddle.grad."""
    x, w, log = leaf(paddle, [2.0]), leaf(paddle, [3.0]), []
    inner = w * w
    a = x * 5
    a.register_hook(lambda grad: log.append(lists(paddle.grad(inner, [w]))))
    found = lists(paddle.grad(a * a, [x]))
    return [*log, found]


@differs(
    "Paddle runs a node all of whose gradients are cut off, which some kernels do not survive",
    right=[[0.23971277], [0.21036776], [None]],
    paddle_gives=["ValueError", "ValueError", "ValueError"],
)
def no_grad_vars_right_behind_exp(paddle, np):
    """A cut between exp and its operand."""
    x = leaf(paddle, [0.5])
    a = paddle.sin(x)
    b = a * x
    d = (paddle.exp(b) + a) * b
    out = []
    for wanted, cut in (([a], [b]), ([x], [b]), ([x], [a, b])):
        found = attempt(
            lambda w=wanted, c=cut: lists(paddle.grad(d, w, no_grad_vars=c, allow_unused=True))
        )
        out.append(found["error"] if isinstance(found, dict) else found[0] or found)
    return out


@differs(
    "Paddle fails on a tensor without a node, allow_unused or not",
    right=["ValueError", [None]],
    paddle_gives=["SystemError", "SystemError"],
)
def grad_of_a_detached_tensor(paddle, np):
    """A detached tensor is no part of the graph."""
    x = leaf(paddle, [2.0])
    y, d = x * 3, x.detach()
    out = []
    for allowed in (False, True):
        found = attempt(lambda a=allowed: lists(paddle.grad(y, [d], allow_unused=a)))
        out.append(found["error"] if isinstance(found, dict) else found)
    return out


@differs(
    "Paddle turns what a hook raises into an OSError",
    right="ValueError",
    paddle_gives="OSError",
)
def grad_through_a_hook_that_raises(paddle, np):
    """What a hook raises under paddle.grad keeps its class."""

    def hook(grad):
        raise ValueError("boom")

    x = leaf(paddle, [2.0])
    a = x * 3
    a.register_hook(hook)
    return attempt(lambda: paddle.grad(a * a, [x]))["error"]


@differs(
    "Paddle takes p[:] for p, which may not be given twice, while its backward takes both",
    right=[[4.0]],
    paddle_gives="RuntimeError",
)
def grad_of_one_output_through_two_objects(paddle, np):
    """p and p[:] are one node's one output: their seeds add up."""
    x = leaf(paddle, [1.0])
    p = x * 2
    found = attempt(lambda: lists(paddle.grad([p, p[:]], [x])))
    return found["error"] if isinstance(found, dict) else found


@differs(
    "Paddle skips the hook of an output that is an input, while every other input's hook counts",
    right=[[[10.0]], [[20.0]], [[30.0]]],
    paddle_gives=[[[1.0]], [[20.0]], [[30.0]]],
)
def hook_of_an_output_that_is_an_input(paddle, np):
    """An intermediate's gradient is what its hooks make of it, also where it starts."""
    x = leaf(paddle, [1.0])
    c = x * 3
    d = c * 2
    c.register_hook(lambda grad: grad * 10)
    wanted = [(c, c), (d, c), (c, x)]
    return [lists(paddle.grad(output, [tensor])) for output, tensor in wanted]
