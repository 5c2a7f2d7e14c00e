"""Grad modes, and what makes a tensor a leaf: no_grad, detach, clone, stop_gradient, parameters."""

import threading

from ..probe import array, attempt, facts, grads, leaf, names
from ..registry import differs, program


@program
def no_grad_as_a_context(paddle, np):
    """Nothing is recorded inside; what was made before keeps its graph."""
    x = leaf(paddle, [2.0])
    y = x * 3
    with paddle.no_grad():
        z = y * 5
        made = paddle.to_tensor([1.0], stop_gradient=False)
        inside = [paddle.is_grad_enabled(), facts(z), facts(y), facts(x), facts(made)]
    w = y * z
    w.backward()
    return [inside, paddle.is_grad_enabled(), facts(w), x.grad.numpy(), array(z.grad)]


@program
def enable_grad_inside_no_grad(paddle, np):
    """Modes nest, and each gives back what it found."""
    x, seen = leaf(paddle, [2.0]), []

    def note():
        seen.append([paddle.is_grad_enabled(), (x * 2).stop_gradient])

    note()
    with paddle.no_grad():
        note()
        with paddle.enable_grad():
            note()
            with paddle.no_grad():
                note()
            note()
            with paddle.set_grad_enabled(False):
                note()
                with paddle.set_grad_enabled(True):
                    note()
            note()
        note()
    note()
    return seen


@program
def set_grad_enabled_as_a_statement(paddle, np):
    """Called as a statement it stays; as a context it ends with the block."""
    x, seen = leaf(paddle, [2.0]), []
    paddle.set_grad_enabled(False)
    seen.append((x * 2).stop_gradient)
    with paddle.no_grad():
        seen.append((x * 2).stop_gradient)
    seen.append((x * 2).stop_gradient)
    paddle.set_grad_enabled(True)
    seen.append((x * 2).stop_gradient)
    with paddle.set_grad_enabled(mode=False):
        seen.append((x * 2).stop_gradient)
    seen.append((x * 2).stop_gradient)
    return seen


@program
def modes_as_decorators(paddle, np):
    """The mode holds while the function runs, and its name and result come through."""
    x = leaf(paddle, [2.0])

    @paddle.no_grad()
    def double(y, factor=2.0):
        """Doubles."""
        return y * factor, paddle.is_grad_enabled()

    @paddle.enable_grad()
    def triple(y):
        return y * 3, paddle.is_grad_enabled()

    first, second = double(x), double(x, factor=5.0)
    with paddle.no_grad():
        third = triple(x)
    return [
        [double.__name__, double.__doc__],
        *[[tensor.numpy(), tensor.stop_gradient, mode] for tensor, mode in (first, second, third)],
        paddle.is_grad_enabled(),
    ]


@program
def a_decorated_method(paddle, np):
    """Methods may be decorated."""

    class Model:
        scale = 3.0

        @paddle.no_grad()
        def run(self, x):
            return x * self.scale

    y = Model().run(leaf(paddle, [2.0]))
    return [y.numpy(), y.stop_gradient, paddle.is_grad_enabled()]


@differs(
    "Paddle's recording stays off after a decorated function that calls itself",
    right=[[False, False, False], True],
    paddle_gives=[[False, False, False], False],
)
def a_decorated_function_that_calls_itself(paddle, np):
    """Each call puts back the mode it found."""

    @paddle.no_grad()
    def deep(n):
        return [paddle.is_grad_enabled()] + (deep(n - 1) if n else [])

    return [deep(2), paddle.is_grad_enabled()]


@program
def a_decorated_generator(paddle, np):
    """The mode holds inside the generator's body, and values can be sent into it."""
    x, seen = leaf(paddle, [2.0]), []

    @paddle.no_grad()
    def numbers():
        for k in range(2):
            seen.append(paddle.is_grad_enabled())
            got = yield x * k
            seen.append(got)

    made = numbers()
    found = [next(made), made.send("hello")]
    made.close()
    return [seen, [t.stop_gradient for t in found], paddle.is_grad_enabled()]


@differs(
    "Paddle's no_grad leaks out of a generator that waits",
    right=[True, False],
    paddle_gives=[False, True],
)
def around_a_decorated_generator(paddle, np):
    """The mode does not hold where a generator's values are used."""
    x, seen = leaf(paddle, [2.0]), []

    @paddle.no_grad()
    def numbers():
        yield x * 2
        yield x * 3

    for _ in numbers():
        seen = [paddle.is_grad_enabled(), (x * 2).stop_gradient]
    return seen


@program
def modes_after_an_exception(paddle, np):
    """An exception puts the mode back."""

    @paddle.no_grad()
    def fails():
        raise KeyError("k")

    def block():
        with paddle.no_grad():
            raise ValueError("v")

    out = [attempt(fails), paddle.is_grad_enabled(), attempt(block), paddle.is_grad_enabled()]
    with paddle.no_grad():
        attempt(fails)
        out.append(paddle.is_grad_enabled())
    return out


@program
def one_context_entered_twice(paddle, np):
    """The same object may be used again, also within itself."""
    off, seen = paddle.no_grad(), []
    for _ in range(2):
        with off:
            seen.append(paddle.is_grad_enabled())
        seen.append(paddle.is_grad_enabled())
    return seen


@program
def modes_of_threads(paddle, np):
    """Each thread has a mode of its own, which starts as on."""
    seen, x = [], leaf(paddle, [2.0])

    def work():
        seen.append(paddle.is_grad_enabled())
        with paddle.no_grad():
            seen.append((x * 2).stop_gradient)
            entered.set()
            leave.wait(60)
        seen.append(paddle.is_grad_enabled())

    entered, leave = threading.Event(), threading.Event()
    with paddle.no_grad():
        thread = threading.Thread(target=work)
        thread.start()
        entered.wait(60)
    seen.append([paddle.is_grad_enabled(), (x * 2).stop_gradient])
    leave.set()
    thread.join()
    return seen


@program
def backward_in_threads(paddle, np):
    """Threads may run the backward of graphs of their own."""
    leaves = [leaf(paddle, [1.0 + k]) for k in range(4)]

    def work(x):
        for _ in range(3):
            (x * x * x).backward()

    threads = [threading.Thread(target=work, args=(x,)) for x in leaves]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return grads(*leaves)


@program
def stop_gradient_of_results(paddle, np):
    """A result stops gradients when all its operands do."""
    x, c = leaf(paddle, [[2.0, 1.0]]), paddle.to_tensor([[3.0, 4.0]])
    return {
        "x * c": (x * c).stop_gradient,
        "c * c": (c * c).stop_gradient,
        "concat": paddle.concat([c, x]).stop_gradient,
        "argsort": paddle.argsort(x).stop_gradient,
        "topk": [t.stop_gradient for t in paddle.topk(x, 1)],
        "int": x.astype("int32").stop_gradient,
        "argmax": paddle.argmax(x).stop_gradient,
        "equal": (x == c).stop_gradient,
        "isnan": paddle.isnan(x).stop_gradient,
        "floor divide": (x // 1).stop_gradient,
        "zeros_like": paddle.zeros_like(x).stop_gradient,
        "ones": paddle.ones([1]).stop_gradient,
        "rand": paddle.rand([1]).stop_gradient,
        "shape": paddle.shape(x).stop_gradient,
        "nonzero": paddle.nonzero(x).stop_gradient,
    }


@program
def stop_gradient_is_a_bool(paddle, np):
    """stop_gradient takes True and False alone; is_leaf and grad_fn cannot be set."""
    x = leaf(paddle, [2.0])
    return {
        "int": attempt(lambda: setattr(x, "stop_gradient", 1)),
        "is_leaf": attempt(lambda: setattr(x, "is_leaf", True))["error"],
        "grad_fn": attempt(lambda: setattr(x, "grad_fn", None))["error"],
        "still": [x.stop_gradient, x.is_leaf],
    }


@program
def requires_grad_is_the_opposite(paddle, np):
    """requires_grad and requires_grad_ say the same the other way round."""
    x, c = leaf(paddle, [2.0]), paddle.to_tensor([1.0])
    seen = [x.requires_grad, c.requires_grad]
    c.requires_grad = True
    seen += [c.stop_gradient, x.requires_grad_(False) is x, x.stop_gradient]
    return [seen, attempt(lambda: x.requires_grad_(1))["error"]]


@program
def stopping_an_intermediate(paddle, np):
    """An intermediate that stops gradients keeps its node, and can be opened again."""
    x = leaf(paddle, [2.0])
    a = x * 3
    a.stop_gradient = True
    seen = [a.is_leaf, a.grad_fn.name()]
    b = a * x
    a.stop_gradient = False
    c = a * x
    b.backward()
    first = x.grad.numpy()
    c.backward()
    return [seen, facts(a), first, x.grad.numpy()]


@program
def opening_a_constant(paddle, np):
    """A constant that is opened is a leaf from then on."""
    c = paddle.to_tensor([2.0])
    before = c * 3
    c.stop_gradient = False
    after = c * 5
    before.backward()
    after.backward()
    with paddle.no_grad():
        r = after * 2
    r.stop_gradient = False
    (r * r).backward()
    return [before.stop_gradient, facts(c), facts(r), *grads(c, r)]


@program
def detaching(paddle, np):
    """detach: the same values without the history; detach_: in place."""
    x = leaf(paddle, [2.0])
    a = x * 3
    d = a.detach()
    flags = [facts(d), facts(a), d.grad_fn is None]
    d.stop_gradient = False
    (a * d).backward()
    seen = grads(x, d)
    e = x * 5
    same = e.detach_() is e
    return [flags, seen, same, facts(e), e.inplace_version, e.grad_fn is None]


@program
def cloning(paddle, np):
    """clone is an op: gradients pass through it."""
    x, c = leaf(paddle, [2.0]), paddle.to_tensor([1.0])
    y = x.clone()
    (y * y).backward()
    with paddle.no_grad():
        z = x.clone()
    return [facts(y), x.grad.numpy(), facts(c.clone()), facts(z), y.inplace_version]


@program
def parameters(paddle, np):
    """Parameters are leaves that want gradients, in no_grad too."""
    with paddle.no_grad():
        layer = paddle.nn.Linear(2, 1)
        made = paddle.create_parameter([2], "float32")
    w = layer.weight
    seen = [facts(w), facts(made), w.persistable, w.trainable, isinstance(w, paddle.Tensor)]
    w.trainable = False
    seen += [w.stop_gradient, layer(paddle.ones([1, 2])).stop_gradient]
    w.stop_gradient = False
    layer.bias.stop_gradient = True
    seen += [w.trainable, layer.bias.trainable]
    layer(paddle.ones([1, 2])).backward()
    return [seen, w.grad.numpy(), array(layer.bias.grad)]


@program
def deep_copies(paddle, np):
    """deepcopy: values and stop_gradient, neither gradient nor history."""
    from copy import deepcopy

    x, c = leaf(paddle, [2.0]), paddle.to_tensor([3.0])
    (x * 5).backward()
    y, d = deepcopy(x), deepcopy(c)
    (y * 7).backward()
    layer = paddle.nn.Linear(1, 1)
    twin = deepcopy(layer)
    twin(paddle.ones([1, 1])).backward()
    return [
        facts(y),
        d.stop_gradient,
        *grads(x, y),
        [array(layer.weight.grad), array(twin.weight.grad)],
        twin.weight.stop_gradient,
        y.name.endswith("_deepcopy_0") and names([x.name]) == names([y.name.split("_deepcopy")[0]]),
    ]


@program
def leaves_of_views_and_indices(paddle, np):
    """What is a leaf and what is not."""
    x, c = leaf(paddle, [[1.0, 2.0]]), paddle.to_tensor([[1.0, 2.0]])
    with paddle.no_grad():
        n = x * 2
    tensors = {
        "leaf": x,
        "constant": c,
        "x[0]": x[0],
        "x[:]": x[:],
        "c[0]": c[0],
        "reshape": x.reshape([2]),
        "T": x.T,
        "no_grad": n,
        "detach": x.detach(),
        "astype": x.astype("float32"),
        "assign": paddle.assign(x),
        "to_tensor": paddle.to_tensor(x),
    }
    return {text: [t.is_leaf, t.stop_gradient] for text, t in tensors.items()}


@program
def gradients_of_leaves_under_no_grad(paddle, np):
    """A leaf made under no_grad is one like any other."""
    with paddle.no_grad():
        x = leaf(paddle, [2.0])
        y = x * 2
    z = x * x + y
    z.backward()
    return [facts(x), facts(y), x.grad.numpy()]


@program
def updating_a_leaf_under_no_grad(paddle, np):
    """A training step by hand: in-place ops on leaves under no_grad."""
    w, seen = leaf(paddle, [4.0]), []
    for _ in range(3):
        (w * w).backward()
        with paddle.no_grad():
            w.subtract_(0.25 * w.grad)
        seen.append([w.numpy(), w.grad.numpy(), w.is_leaf, w.stop_gradient])
        w.clear_grad()
    return seen


@differs(
    "Paddle's no_grad cannot do without its parentheses",
    right=[True, True],
    paddle_gives="TypeError",
)
def no_grad_without_parentheses(paddle, np):
    """@paddle.no_grad is a decorator too."""
    x = leaf(paddle, [1.0])

    def decorate():
        @paddle.no_grad
        def double(y):
            return y * 2

        return [double(x).stop_gradient, paddle.is_grad_enabled()]

    found = attempt(decorate)
    return found["error"] if isinstance(found, dict) else found
