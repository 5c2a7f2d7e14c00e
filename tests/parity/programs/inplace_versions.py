"""In-place ops: values, gradients, version counters, and the errors that protect saved tensors."""

from ..probe import attempt, facts, grads, graph, leaf
from ..registry import differs, program

UNARY = (
    "abs_ ceil_ cos_ exp_ floor_ log_ log1p_ neg_ reciprocal_ round_ rsqrt_ sigmoid_ sin_ sqrt_ "
    "square_ tan_ tanh_ trunc_ asin_ acos_ atan_ sinh_ cosh_ zero_"
).split()
BINARY = "add_ subtract_ multiply_ divide_ remainder_".split()


@program
def unary_in_place(paddle, np):
    """Every in-place function of one tensor: same object, version 1, node, gradient."""
    out = {}
    for name in UNARY:
        x = leaf(paddle, np.float64([0.3, 0.6, 0.9]))
        y = x * 1.0
        z = getattr(y, name)()
        (y * y).sum().backward()
        out[name] = [z is y, y.inplace_version, y.grad_fn.name(), y.numpy(), x.grad.numpy()]
    return out


@program
def binary_in_place(paddle, np):
    """In-place functions of two tensors."""
    out = {}
    for name in BINARY:
        x, w = leaf(paddle, np.float64([0.3, 0.6, 0.9])), leaf(paddle, np.float64([2.0, 1.5, 0.7]))
        y = x * 1.0
        z = getattr(y, name)(w)
        (y * y).sum().backward()
        out[name] = [z is y, y.inplace_version, graph(y), y.numpy(), *grads(x, w)]
    return out


@program
def in_place_with_attributes(paddle, np):
    """scale_, clip_, fill_, cast_, masked_fill_, cumsum_ and the shape changers."""
    mask = paddle.to_tensor([[True, False, False], [False, True, False]])
    functions = {
        "scale_": lambda y: y.scale_(2.0, 1.0),
        "clip_": lambda y: y.clip_(0.2, 0.7),
        "fill_": lambda y: y.fill_(3.0),
        "zero_": lambda y: y.zero_(),
        "masked_fill_": lambda y: y.masked_fill_(mask, 5.0),
        "reshape_": lambda y: y.reshape_([3, 2]),
        "squeeze_": lambda y: y.squeeze_(0),
        "unsqueeze_": lambda y: y.unsqueeze_(0),
        "flatten_": lambda y: y.flatten_(),
        "cumsum_": lambda y: y.cumsum_(1),
        "lerp_": lambda y: y.lerp_(paddle.ones([2, 3]), 0.25),
        "tril_": lambda y: y.tril_(),
        "relu_": lambda y: paddle.nn.functional.relu_(y),
        "softmax_": lambda y: paddle.nn.functional.softmax_(y),
        "leaky_relu_": lambda y: paddle.nn.functional.leaky_relu_(y),
    }
    out = {}
    for text, function in functions.items():
        x = leaf(paddle, np.linspace(0.1, 0.9, 6).reshape(2, 3).astype("float32"))
        y = x * 1.0
        z = function(y)
        (y * y).sum().backward()
        out[text] = [
            z is y,
            list(y.shape),
            y.inplace_version,
            y.grad_fn.name(),
            y.numpy(),
            x.grad.numpy(),
        ]
    return out


@program
def in_place_on_a_leaf(paddle, np):
    """A leaf that wants a gradient refuses in-place writes, in no_grad it takes them."""
    x = leaf(paddle, [1.0, 2.0])
    w = paddle.ones([2])
    out = {
        "add_": attempt(lambda: x.add_(w)),
        "scale_": attempt(lambda: x.scale_(2.0)),
        "zero_": attempt(lambda: x.zero_()),
        "exp_": attempt(lambda: x.exp_()),
        "setitem": attempt(lambda: x.__setitem__(0, 3.0)),
        "version": x.inplace_version,
    }
    x = leaf(paddle, [1.0, 2.0])
    with paddle.no_grad():
        x.add_(w)
    (x * x).sum().backward()
    out["no_grad"] = [x.numpy(), x.inplace_version, x.is_leaf, x.grad.numpy()]
    return out


@program
def in_place_on_a_constant(paddle, np):
    """A constant that takes a differentiable operand becomes part of the graph."""
    x = leaf(paddle, [1.0, 2.0])
    y = paddle.zeros([2])
    y.add_(x)
    (y * y).sum().backward()
    plain = paddle.ones([2])
    plain.add_(paddle.ones([2]))
    return [facts(y), x.grad.numpy(), facts(plain), plain.inplace_version]


@program
def in_place_shape_and_dtype(paddle, np):
    """An in-place op may not grow its target by broadcasting; a wider operand widens it."""
    y = paddle.ones([2])
    return {
        "grow": attempt(lambda: y.add_(paddle.ones([3, 2]))),
        "int takes float": attempt(lambda: paddle.to_tensor([1, 2]).add_(paddle.ones([2]))),
        "broadcast": paddle.ones([2, 2]).add_(y).numpy(),
        "wider": str(paddle.ones([2]).add_(paddle.ones([2], dtype="float64")).dtype),
    }


def _probe(call):
    """Returns ok, or the error of a call."""
    answer = attempt(call)
    return answer if isinstance(answer, dict) else "ok"


@program
def version_errors(paddle, np):
    """A saved tensor changed in place makes backward raise, one that was not saved does not."""

    def run(use, write):
        x = leaf(paddle, np.float32([1.0, 2.0]))
        y = x * 2
        z = use(y)
        write(y)
        return lambda: z.sum().backward()

    one = paddle.ones([2])
    uses = {
        "y*y": lambda y: y * y,
        "y+y": lambda y: y + y,
        "exp": paddle.exp,
        "sin": paddle.sin,
        "y*3": lambda y: y * 3,
    }
    writes = {
        "add_": lambda y: y.add_(one),
        "twice": lambda y: y.add_(one).add_(one),
        "setitem": lambda y: y.__setitem__(0, 0.0),
        "detach": lambda y: y.detach().scale_(2.0),
        "nothing": lambda y: None,
    }
    return {f"{u} {w}": _probe(run(uses[u], writes[w])) for u in uses for w in writes}


@program
def version_error_of_an_output(paddle, np):
    """exp saves its output: writing into that is the error, writing into the input is not."""
    x = leaf(paddle, np.float32([1.0, 2.0]))
    y = x * 1.0
    z = paddle.exp(y)
    y.add_(paddle.ones([2]))
    z.sum().backward()
    gradient = x.grad.numpy()
    again = paddle.exp(x * 1.0)
    again.add_(paddle.ones([2]))
    return [gradient, attempt(lambda: again.sum().backward())]


def _version_error(name):
    return {
        "error": "RuntimeError",
        "text": f"(PermissionDenied) Tensor '{name}' used in gradient computation has been "
        "modified by an inplace operation. Its version is 1 but the expected version is 0. Please "
        "fix your code to void calling an inplace operator after using the Tensor which will used "
        "in gradient computation.",
    }


@differs(
    "Paddle never says which tensor was written",
    right=_version_error("generated_tensor_N"),
    paddle_gives=_version_error(""),
)
def version_error_of_a_leaf(paddle, np):
    """A leaf written under no_grad after it was saved."""
    x = leaf(paddle, np.float32([1.0, 2.0]))
    y = x * x
    with paddle.no_grad():
        x.scale_(2.0)
    return attempt(lambda: y.sum().backward())


@program
def versions_count(paddle, np):
    """inplace_version over a life: ops, assignment, reshape, detach, clone."""
    x = paddle.ones([2, 2])
    seen = [x.inplace_version]
    x.add_(x)
    seen.append(x.inplace_version)
    x[0] = 3.0
    seen.append(x.inplace_version)
    seen.append((x * 2).inplace_version)
    d = x.detach()
    seen.append(d.inplace_version)
    d.zero_()
    seen += [x.inplace_version, x.clone().inplace_version]
    return [seen, x.numpy()]


@program
def saved_old_values(paddle, np):
    """An in-place op that needs its operand's old value keeps it."""
    x = leaf(paddle, np.float64([0.5, 1.5]))
    y = x * 1.0
    y.sin_()
    y.multiply_(x)
    y.pow_(2)
    y.tanh_()
    y.sum().backward()
    return [y.numpy(), x.grad.numpy(), y.inplace_version, graph(y)]


@differs(
    "set_value on a saved tensor: Paddle's backward uses the new value",
    right="version error or [8.0, 16.0]",
    paddle_gives=[400.0, 400.0],
)
def set_value_on_a_saved_tensor(paddle, np):
    """The gradient of y*y must not see what set_value writes into y afterwards."""
    x = leaf(paddle, np.float32([1.0, 2.0]))
    y = x * 2
    z = y * y
    y.set_value(np.float32([100.0, 100.0]))
    try:
        z.sum().backward()
    except RuntimeError:
        return "version error or [8.0, 16.0]"
    gradient = x.grad.tolist()
    return "version error or [8.0, 16.0]" if gradient == [8.0, 16.0] else gradient


@differs(
    "Paddle has written into a leaf by the time it refuses to",
    right=[["ValueError", [1.0, 2.0]]] * 2,
    paddle_gives=[["ValueError", [2.0, 4.0]], ["ValueError", [0.0, 0.0]]],
)
def refused_writes_into_a_leaf(paddle, np):
    """A refused in-place op leaves the values as they were."""
    x, y = leaf(paddle, [1.0, 2.0]), leaf(paddle, [1.0, 2.0])
    scaled, zeroed = attempt(lambda: x.scale_(2.0))["error"], attempt(lambda: y.zero_())["error"]
    return [[scaled, x.tolist()], [zeroed, y.tolist()]]


@differs(
    "Paddle has changed the shape of a leaf by the time it refuses to",
    right=["ValueError", [2]],
    paddle_gives=["ValueError", [2, 1]],
)
def refused_reshape_of_a_leaf(paddle, np):
    """A refused in-place op leaves the tensor as it was."""
    x = leaf(paddle, [1.0, 2.0])
    return [attempt(lambda: x.reshape_([2, 1]))["error"], list(x.shape)]
