"""Hooks on outputs of ops with several, around in-place writes, on copies, on every dtype."""

from ..probe import grads, leaf
from ..registry import program
from .hooks import scaler, watcher


@program
def hooks_of_pieces(paddle, np):
    """Each output of split has hooks of its own; one that is not used gets zeros."""
    x, log = leaf(paddle, [1.0, 2.0, 3.0, 4.0]), []
    pieces = paddle.split(x, 2)
    for k, piece in enumerate(pieces):
        piece.register_hook(watcher(log, k))
    (pieces[0] * 5).backward()
    return [log, x.grad.numpy()]


@program
def hooks_of_pieces_used_all(paddle, np):
    """unbind and split with every output used, hooked in the order of registration."""
    x, log = leaf(paddle, [[1.0, 2.0], [3.0, 4.0]]), []
    top, bottom = paddle.unbind(x)
    bottom.register_hook(scaler(log, "bottom", 2.0))
    top.register_hook(scaler(log, "top", 3.0))
    left, right = paddle.split(top * bottom, 2)
    right.register_hook(watcher(log, "right"))
    (left + right * 4).sum().backward()
    return [log, x.grad.numpy()]


@program
def hook_of_a_piece_nobody_used(paddle, np):
    """A hook of an unused output may put a gradient in."""
    x, log = leaf(paddle, [1.0, 2.0, 3.0, 4.0]), []
    used, unused = paddle.split(x, 2)
    seen = []
    unused.register_hook(lambda grad: seen.append(grad.stop_gradient))
    unused.register_hook(lambda grad: grad + 7.0)
    used.register_hook(watcher(log, "used"))
    (used * 2).backward()
    return [log, seen, x.grad.numpy()]


@program
def hooks_of_topk(paddle, np):
    """The values of topk have a hook, and so have its indices, which get no gradient."""
    x, log = leaf(paddle, [3.0, 1.0, 2.0]), []
    values, _ = paddle.topk(x, 2)
    values.register_hook(scaler(log, "values", 2.0))
    (values * 5).backward()
    return [log, x.grad.numpy()]


@program
def hooks_around_an_in_place_op(paddle, np):
    """A hook belongs to the value it was registered on: before add_ the old one, after the new."""
    x, w, log = leaf(paddle, [1.0]), leaf(paddle, [2.0]), []
    y = x * 2
    y.register_hook(scaler(log, "before", 10.0))
    y.add_(w)
    y.register_hook(scaler(log, "after", 3.0))
    (y * 5).backward()
    return [log, *grads(x, w)]


@program
def hooks_around_an_assignment(paddle, np):
    """The same for x[0] = v."""
    x, v, log = leaf(paddle, [1.0, 2.0]), leaf(paddle, 5.0), []
    y = x * 2
    y.register_hook(watcher(log, "before"))
    y[0] = v
    y.register_hook(scaler(log, "after", 3.0))
    (y * 4).backward()
    return [log, *grads(x, v)]


@program
def hooks_are_not_copied(paddle, np):
    """clone, detach and reshape have hooks of their own."""
    x, log = leaf(paddle, [1.0, 2.0]), []
    x.register_hook(watcher(log, "x"))
    c, d, r = x.clone(), x.detach(), x.reshape([2, 1])
    d.stop_gradient = False
    for name, tensor in {"clone": c, "detach": d, "reshape": r}.items():
        tensor.register_hook(watcher(log, name))
    (c * 2).backward()
    (d * 3).backward()
    (r * 4).backward()
    return [log, *grads(x, d)]


@program
def hooks_of_other_dtypes(paddle, np):
    """Hooks of integers, complex numbers, scalars and empty tensors."""
    out = {}
    for text, value in {
        "int": np.int64([1, 2]),
        "complex": np.complex64([1.0 + 2.0j]),
        "scalar": np.float32(2.0),
        "empty": np.zeros([0, 2], "float32"),
    }.items():
        x, log = leaf(paddle, value), []
        x.register_hook(scaler(log, text, 2))
        (x * 3).backward()
        out[text] = [log, x.grad.numpy()]
    return out


@program
def hooks_outlive_values(paddle, np):
    """A leaf that is written, set or stepped keeps its hooks; a deep copy has none."""
    from copy import deepcopy

    x, log = paddle.create_parameter([1], "float32"), []
    x.set_value(np.float32([1.0]))
    x.register_hook(watcher(log, "x"))
    with paddle.no_grad():
        x.add_(x)
    (x * x).backward()
    x.set_value(np.float32([5.0]))
    (x * x).backward()
    paddle.optimizer.SGD(0.25, parameters=[x]).step()
    (x * x).backward()
    twin = deepcopy(x)
    (twin * twin).backward()
    return [log, *grads(x, twin)]
