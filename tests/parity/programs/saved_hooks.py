"""saved_tensors_hooks: how often pack and unpack run, in which order, and what they may do."""

from ..probe import attempt, grads, leaf
from ..registry import differs, program


def _watched(paddle, log, pack=lambda tensor: tensor, unpack=lambda packed: packed):
    """Returns saved_tensors_hooks that write down every call."""

    def packs(tensor):
        log.append(["pack", tensor.tolist()])
        return pack(tensor)

    def unpacks(packed):
        found = unpack(packed)
        log.append(["unpack", found.tolist()])
        return found

    return paddle.autograd.saved_tensors_hooks(packs, unpacks)


@program
def what_is_packed(paddle, np):
    """One call for every tensor that an op keeps whole, none for those it keeps the shape of."""
    out = {}
    for text, expression in {
        "x * w": lambda x, w: x * w,
        "x * x": lambda x, w: x * x,
        "x + w": lambda x, w: x + w,
        "exp": lambda x, w: paddle.exp(x),
        "sin": lambda x, w: paddle.sin(x),
        "scale": lambda x, w: x * 3,
        "matmul": lambda x, w: paddle.matmul(x, w),
        "sum": lambda x, w: x.sum(),
        "tanh": lambda x, w: paddle.tanh(x),
        "constant": lambda x, w: x * paddle.to_tensor([5.0, 6.0]),
    }.items():
        x, w, log = leaf(paddle, [1.0, 2.0]), leaf(paddle, [3.0, 4.0]), []
        with _watched(paddle, log):
            y = expression(x, w)
        before = len(log)
        y.backward()
        out[text] = [before, [what for what, _ in log], *grads(x, w)]
    return out


@program
def when_packs_and_unpacks_run(paddle, np):
    """pack runs in the forward, unpack each time backward runs, outside the block too."""
    x, w, log = leaf(paddle, [2.0]), leaf(paddle, [3.0]), []
    with _watched(paddle, log):
        y = x * w
        z = paddle.exp(y)
    outside = z * z
    log.append("backward")
    outside.backward(retain_graph=True)
    log.append("again")
    outside.backward()
    return [log, *grads(x, w)]


@program
def nothing_recorded_nothing_packed(paddle, np):
    """Constants and no_grad save nothing."""
    x, c, log = leaf(paddle, [2.0]), paddle.to_tensor([3.0]), []
    with _watched(paddle, log):
        c * c
        with paddle.no_grad():
            x * x
        paddle.exp(c)
    x * x
    return log


@program
def packing_as_bfloat16(paddle, np):
    """Saved tensors in half the memory."""
    kept = []

    def pack(tensor):
        small = tensor.astype("bfloat16")
        kept.append(str(small.dtype))
        return small

    x = leaf(paddle, [1.0, 2.00390625, 3.14159274])
    with paddle.autograd.saved_tensors_hooks(pack, lambda small: small.astype("float32")):
        y = x * x
    y.backward()
    return [kept, x.grad.numpy(), y.numpy()]


@program
def packing_as_numpy(paddle, np):
    """Saved tensors off the device, as NumPy arrays."""
    kinds = []

    def pack(tensor):
        kinds.append("array")
        return tensor.numpy()

    x, w = leaf(paddle, [[1.0, 2.0]]), leaf(paddle, [[3.0], [4.0]])
    with paddle.autograd.saved_tensors_hooks(pack, paddle.to_tensor):
        y = paddle.tanh(paddle.matmul(x, w) * 0.1)
    y.backward()
    return [kinds, *grads(x, w)]


@program
def packing_by_name(paddle, np):
    """pack may return any object, a key into a table of one's own for example."""
    table = {}

    def pack(tensor):
        key = f"saved {len(table)}"
        table[key] = tensor * 1.0
        return key

    x = leaf(paddle, [2.0])
    with paddle.autograd.saved_tensors_hooks(pack, table.__getitem__):
        y = x * x * x
    y.backward()
    return [list(table), x.grad.numpy()]


@program
def unpack_changes_the_gradient(paddle, np):
    """What unpack returns is what backward works with."""
    x = leaf(paddle, [2.0])
    with paddle.autograd.saved_tensors_hooks(lambda t: t, lambda t: t * 10):
        y = x * x
        z = paddle.exp(x)
    y.backward()
    first = x.grad.numpy()
    z.backward()
    return [first, x.grad.numpy()]


@program
def packed_tensors_are_not_checked(paddle, np):
    """A tensor that was packed may be written in place afterwards."""
    x = leaf(paddle, [2.0])
    y = x * 1.0
    with paddle.autograd.saved_tensors_hooks(lambda t: t.numpy(), paddle.to_tensor):
        z = y * y
    y.scale_(100.0)
    z.backward()
    return x.grad.numpy()


@program
def packing_for_grad(paddle, np):
    """paddle.grad unpacks too, and leaves the graph as it was."""
    x, log = leaf(paddle, [2.0]), []
    with _watched(paddle, log):
        y = x * x
    found = paddle.grad(y, x)[0].numpy()
    y.backward()
    return [log, found, x.grad.numpy()]


@program
def packing_in_a_pylayer(paddle, np):
    """What a PyLayer saves for backward is packed too."""

    class Square(paddle.autograd.PyLayer):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x)
            return x * x

        @staticmethod
        def backward(ctx, grad):
            (x,) = ctx.saved_tensor()
            return grad * 2 * x

    x, log = leaf(paddle, [3.0]), []
    with _watched(paddle, log):
        y = Square.apply(x)
    y.backward()
    return [log, x.grad.numpy()]


@program
def packing_in_place_ops(paddle, np):
    """In-place ops pack the old value where they need it."""
    x, log = leaf(paddle, [0.5]), []
    with _watched(paddle, log):
        y = x * 1.0
        y.sin_()
        y.multiply_(x)
    y.backward()
    return [[what for what, _ in log], x.grad.numpy()]


@differs(
    "Paddle takes one pair of hooks at a time",
    right=[["inner pack", "outer pack", "inner unpack", "outer unpack"], [7.0]],
    paddle_gives="ValueError",
)
def nested_saved_tensors_hooks(paddle, np):
    """An inner block has its own hooks, and the outer ones count again after it."""
    hooks, log = paddle.autograd.saved_tensors_hooks, []

    def pair(name):
        return (
            lambda t: log.append(f"{name} pack") or t,
            lambda t: log.append(f"{name} unpack") or t,
        )

    x = leaf(paddle, [1.0])

    def run():
        with hooks(*pair("outer")):
            with hooks(*pair("inner")):
                y = paddle.sin(x)
            return y, paddle.sin(x)

    answer = attempt(run)
    if isinstance(answer, dict):
        return answer["error"]
    answer[0].backward()
    answer[1].backward()
    return [log, [7.0]]


@differs(
    "Paddle turns what pack or unpack raises into an OSError, and leaves recording turned off",
    right=["ValueError", True, "KeyError", True, "no gradient"],
    paddle_gives=["OSError", False, "OSError", False, "no gradient"],
)
def saved_hooks_that_raise(paddle, np):
    """The exception keeps its class, and recording goes on."""

    def boom(error):
        def hook(value):
            raise error

        return hook

    hooks, out, x = paddle.autograd.saved_tensors_hooks, [], leaf(paddle, [1.0])
    with hooks(boom(ValueError("pack")), lambda t: t):
        out += [attempt(lambda: x * x)["error"], paddle.is_grad_enabled()]
    paddle.set_grad_enabled(True)
    with hooks(lambda t: t, boom(KeyError("unpack"))):
        y = x * x
    out += [attempt(lambda: y.backward())["error"], paddle.is_grad_enabled()]
    return [*out, "no gradient" if x.grad is None else x.grad.tolist()]


@differs(
    "Paddle speaks of pairs of hooks when unpack returns no Tensor",
    right="TypeError",
    paddle_gives="ValueError",
)
def unpack_returns_no_tensor(paddle, np):
    """unpack returns a Tensor."""
    x = leaf(paddle, [1.0])
    with paddle.autograd.saved_tensors_hooks(lambda t: t, lambda t: 5):
        y = x * x
    return attempt(lambda: y.backward())["error"]


@differs(
    "Paddle grafts the values of a tensor of another shape onto the saved one",
    right="ValueError",
    paddle_gives="accepted",
)
def unpack_returns_another_shape(paddle, np):
    """unpack returns a tensor of the shape that was packed."""
    x = leaf(paddle, [1.0, 2.0, 3.0, 4.0])
    with paddle.autograd.saved_tensors_hooks(lambda t: t, lambda t: t.reshape([2, 2])):
        y = x * x
    answer = attempt(lambda: y.backward())
    return answer["error"] if answer else "accepted"
