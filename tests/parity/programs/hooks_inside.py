"""What hooks do while backward runs: other backwards, other hooks, errors."""

from ..probe import array, attempt, error_of, grads, leaf
from ..registry import ANYTHING, CRASHES, differs, program
from .hooks import scaler, watcher


@program
def backward_inside_a_hook(paddle, np):
    """A hook may run the backward of another graph."""
    x, w, log = leaf(paddle, [2.0]), leaf(paddle, [3.0]), []
    other = w * w

    def hook(grad):
        other.backward(retain_graph=True)
        log.append([grad.tolist(), w.grad.tolist()])

    (a := x * 5).register_hook(hook)
    x.register_hook(hook)
    (a * 7).backward()
    return [log, *grads(x, w)]


@program
def backward_inside_a_hook_into_the_same_leaf(paddle, np):
    """What the inner backward adds to a leaf stays, and the outer one adds to it."""
    x, log = leaf(paddle, [2.0]), []

    def hook(grad):
        (x * 100).backward()
        log.append([grad.tolist(), x.grad.tolist()])

    (a := x * 5).register_hook(hook)
    (a * 7).backward()
    return [log, x.grad.numpy()]


@program
def backward_inside_a_hook_of_the_same_graph(paddle, np):
    """The inner backward may run a part of the graph that the outer one has yet to run."""
    x, log = leaf(paddle, [2.0]), []
    a = x * x
    b = a * 3

    def hook(grad):
        a.backward(retain_graph=True)
        log.append([grad.tolist(), x.grad.tolist()])

    b.register_hook(hook)
    (b * 7).backward()
    return [log, x.grad.numpy()]


@program
def forward_inside_a_hook(paddle, np):
    """A hook may record new graphs, differentiate them and use what comes out."""
    x, log = leaf(paddle, [2.0]), []

    def hook(grad):
        v = leaf(paddle, [3.0])
        (v * v * grad).backward()
        log.append(v.grad.tolist())
        return v.grad

    (a := x * 5).register_hook(hook)
    (a * 7).backward()
    return [log, x.grad.numpy()]


@program
def grad_inside_a_hook(paddle, np):
    """paddle.grad inside a hook of a plain backward."""
    x, w, log = leaf(paddle, [2.0]), leaf(paddle, [3.0]), []

    def hook(grad):
        (inner,) = paddle.grad(w * w * grad, [w])
        log.append([grad.tolist(), inner.tolist()])
        return inner

    (a := x * 5).register_hook(hook)
    (a * 7).backward()
    return [log, *grads(x, w)]


@program
def hooks_run_within_hooks(paddle, np):
    """Hooks of the graph that a hook runs fire inside it."""
    x, w, log = leaf(paddle, [2.0]), leaf(paddle, [3.0]), []
    w.register_hook(scaler(log, "inner", 10.0))

    def hook(grad):
        log.append("begin")
        (w * grad).backward()
        log.append("end")

    x.register_hook(hook)
    (x * 5).backward()
    return [log, *grads(x, w)]


@program
def registering_inside_a_hook(paddle, np):
    """A hook registered by a hook: on a tensor further up it runs in this very backward."""
    x, log = leaf(paddle, [1.0]), []
    a = x * 2
    b = a * 3

    def hook(grad):
        log.append(["b", grad.tolist()])
        a.register_hook(scaler(log, "a", 10.0))
        x.register_hook(watcher(log, "x"))

    b.register_hook(hook)
    (b * 5).backward()
    return [log, x.grad.numpy()]


@program
def removing_another_hook_inside_a_hook(paddle, np):
    """A hook may remove one that has run, or one of a tensor further up."""
    x, log, handles = leaf(paddle, [1.0]), [], []
    a = x * 2
    b = a * 3
    handles.append(b.register_hook(watcher(log, "b first")))
    b.register_hook(lambda grad: log.append([handle.remove() for handle in handles]))
    handles.append(a.register_hook(watcher(log, "a")))
    handles.append(x.register_hook(watcher(log, "x")))
    c = b * 5
    c.backward(retain_graph=True)
    c.backward()
    return [log, x.grad.numpy()]


@program
def retaining_inside_a_hook(paddle, np):
    """retain_grads of a tensor further up, asked in the middle of backward."""
    x = leaf(paddle, [1.0])
    a = x * 2
    b = a * 3
    b.register_hook(lambda grad: a.retain_grads())
    (b * 5).backward()
    return grads(a, b, x)


@program
def clearing_inside_a_hook(paddle, np):
    """A hook of an intermediate may clear the leaf that is written after it."""
    x = leaf(paddle, [1.0])
    (x * 2).backward()
    a = x * 3
    a.register_hook(lambda grad: x.clear_grad())
    a.backward()
    return x.grad.numpy()


@program
def stopping_inside_a_hook(paddle, np):
    """stop_gradient set in a hook does not cut a graph that was recorded."""
    x, log = leaf(paddle, [1.0]), []
    a = x * 2
    b = a * 3

    def hook(grad):
        a.stop_gradient = True
        x.stop_gradient = True

    b.register_hook(hook)
    a.register_hook(watcher(log, "a"))
    (b * 5).backward()
    return [log, array(x.grad)]


@program
def a_hook_counts_and_clips(paddle, np):
    """The everyday uses: clipping, masking, NaN to zero, scaling by the norm."""

    def repair(grad):
        return paddle.where(paddle.isnan(grad), paddle.zeros_like(grad), grad)

    out = []
    for hook in (
        lambda grad: grad.clip(-1.0, 1.0),
        lambda grad: grad * paddle.to_tensor([1.0, 0.0, 1.0]),
        lambda grad: grad / grad.norm(),
        repair,
    ):
        x = leaf(paddle, [1.0, -4.0, 9.0])
        x.register_hook(hook)
        (x * x * 0.25).sum().backward()
        out.append(x.grad.numpy())
    x = leaf(paddle, [0.0, 1.0])
    x.register_hook(repair)
    paddle.where(x > 0, paddle.sqrt(x), x).sum().backward()
    return [*out, x.grad.numpy()]


def _raise(error):
    raise error


@differs(
    "Paddle turns what a hook raises into an OSError",
    right=[["ValueError", "boom"], ["KeyError", "'k'"], ["StopIteration", ""]],
    paddle_gives=[["OSError", None]] * 3,
)
def hook_that_raises(paddle, np):
    """An exception in a hook reaches the caller of backward as it was raised."""
    out = []
    for error in (ValueError("boom"), KeyError("k"), StopIteration()):
        x = leaf(paddle, [1.0])
        x.register_hook(lambda grad, error=error: _raise(error))
        try:
            (x * 2).backward()
        except Exception as caught:
            kind = type(caught).__name__
            out.append([kind, None if kind == "OSError" else str(caught)])
    return out


@differs(
    "Paddle has written some leaves by the time a hook raises",
    right=[None, None],
    paddle_gives=[None, [1.0]],
)
def leaves_after_a_hook_raised(paddle, np):
    """Leaves have either all of a backward's gradients or none of them."""
    x, w = leaf(paddle, [1.0]), leaf(paddle, [1.0])
    x.register_hook(lambda grad: _raise(ValueError("boom")))
    a = x * 2
    attempt(lambda: (a + w).backward())
    return [None if t.grad is None else t.grad.tolist() for t in (x, w)]


@program
def graph_after_a_hook_raised(paddle, np):
    """Without retain_graph, the nodes that ran before the failure have been freed."""
    x = leaf(paddle, [3.0])
    a = x * 1.0
    handle = a.register_hook(lambda grad: _raise(ValueError("boom")))
    b = a * a
    c = b * 2
    attempt(lambda: c.backward())
    handle.remove()
    return [attempt(lambda: c.backward())["error"], array(x.grad)]


@program
def retained_graph_runs_after_a_failure(paddle, np):
    """With retain_graph a failed backward leaves everything for another try."""
    x = leaf(paddle, [3.0])
    a = x * 1.0
    handle = a.register_hook(lambda grad: _raise(ValueError("boom")))
    b = a * a
    c = b * 2
    attempt(lambda: c.backward(retain_graph=True))
    between = array(x.grad)
    handle.remove()
    c.backward()
    return [between, x.grad.numpy()]


@differs(
    "Paddle's process dies when a hook returns a number",
    right="TypeError",
    paddle_gives=CRASHES,
)
def hook_returns_a_number(paddle, np):
    """A hook returns a Tensor or None."""
    x = leaf(paddle, [1.0])
    x.register_hook(lambda grad: 5)
    return attempt(lambda: (x * 2).backward())["error"]


@differs(
    "Paddle finds out in backward that a hook cannot be called",
    right="TypeError",
    paddle_gives="accepted",
)
def hook_that_cannot_be_called(paddle, np):
    """What is no function is refused when it is registered."""
    answer = attempt(lambda: leaf(paddle, [1.0]).register_hook(5))
    return answer["error"] if isinstance(answer, dict) else "accepted"


@differs(
    "Paddle adds the next gradient into the array that the hook kept",
    right=[[2.0], [3.0]],
    paddle_gives=[[5.0], [3.0]],
)
def a_kept_gradient_stays(paddle, np):
    """What a hook put aside keeps its value."""
    x, kept = leaf(paddle, [1.0]), []
    x.register_hook(kept.append)
    (x * 2).backward()
    (x * 3).backward()
    return [grad.tolist() for grad in kept]


@differs(
    "Paddle's handle removes the hook of the same number on the tensor's new node",
    right=[True, False, [["after", [1.0]]], [6.0]],
    paddle_gives=[True, False, [["before", [3.0]]], [6.0]],
)
def removing_a_hook_after_an_in_place_op(paddle, np):
    """The handle still finds the value that the hook was registered on."""
    x, log = leaf(paddle, [1.0]), []
    y = x * 2
    handle = y.register_hook(watcher(log, "before"))
    y.scale_(3.0)
    y.register_hook(watcher(log, "after"))
    said = [handle.remove(), handle.remove()]
    y.backward()
    return [*said, log, x.grad.tolist()]


@differs(
    "Paddle reads outside a gradient that a hook made smaller",
    right="ValueError",
    paddle_gives=ANYTHING,
)
def hook_of_another_shape(paddle, np):
    """A hook may not change the shape."""
    x = leaf(paddle, [0.0, 0.0])
    a = paddle.exp(x)
    a.register_hook(lambda grad: grad.sum())
    return (attempt(lambda: (a * 1.0).backward()) or {}).get("error")


@differs(
    "Paddle stores a gradient of another shape than its leaf",
    right="ValueError",
    paddle_gives=[],
)
def hook_of_another_shape_on_a_leaf(paddle, np):
    """The same for a leaf's hook: .grad has the shape of its tensor."""
    x = leaf(paddle, [1.0, 2.0])
    x.register_hook(lambda grad: grad.sum())
    answer = attempt(lambda: (x * 2).backward())
    return answer["error"] if answer else list(x.grad.shape)


@differs(
    "Paddle's .grad keeps the graph that a hook recorded, which nobody can run",
    right=True,
    paddle_gives=False,
)
def gradient_that_a_hook_made(paddle, np):
    """What a hook returns is a gradient, without a graph of its own."""
    x = leaf(paddle, [1.0])
    x.register_hook(lambda grad: grad * 2)
    (x * 3).backward()
    return x.grad.is_leaf


@differs(
    "Paddle refuses, and has written into the gradient by then",
    right=["no error", [6.0]],
    paddle_gives=["ValueError", [6.0]],
)
def hook_writes_into_its_gradient_while_recording(paddle, np):
    """A gradient in a hook looks like a leaf, but it is the hook's own: it takes writes."""
    x, seen = leaf(paddle, [1.0]), []
    x.register_hook(lambda grad: seen.append(error_of(lambda: grad.scale_(3.0))))
    (x * 2).backward()
    return [*seen, x.grad.tolist()]


@differs(
    "Paddle also runs, in the same pass, what a running hook registered on its own tensor; "
    "a hook that registers itself never ends there",
    right=[["more", [2.0]], "again", ["more", [2.0]], ["new", [2.0]]],
    paddle_gives=[
        ["more", [2.0]],
        ["new", [2.0]],
        "again",
        ["more", [2.0]],
        ["new", [2.0]],
        ["new", [2.0]],
    ],
)
def a_hook_registers_one_on_its_own_tensor(paddle, np):
    """It counts from the next backward on."""
    x, log = leaf(paddle, [1.0]), []

    def more(grad):
        log.append(["more", grad.tolist()])
        x.register_hook(watcher(log, "new"))

    x.register_hook(more)
    (x * 2).backward()
    log.append("again")
    (x * 2).backward()
    return log


@program
def a_hook_removes_the_next(paddle, np):
    """A hook removes the one that would run after it."""
    x, log, handles = leaf(paddle, [1.0]), [], []
    y = x * 1.0
    y.register_hook(lambda grad: log.append(handles[0].remove()))
    handles.append(y.register_hook(watcher(log, "removed")))
    y.register_hook(watcher(log, "last"))
    (y * 2).backward()
    return [log, x.grad.numpy()]
