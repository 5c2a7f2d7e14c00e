"""More in-place: every API's version, what it does to views, and gradients Paddle gets wrong."""

from ..probe import attempt, facts, grads, graph, leaf
from ..registry import differs, program

MOVES = {
    "add_": lambda p, y: y.add_(p.ones([2, 3])),
    "subtract_": lambda p, y: y.subtract_(p.ones([2, 3])),
    "multiply_": lambda p, y: y.multiply_(p.ones([2, 3])),
    "divide_": lambda p, y: y.divide_(p.ones([2, 3])),
    "remainder_": lambda p, y: y.remainder_(p.ones([2, 3])),
    "pow_": lambda p, y: y.pow_(2.0),
    "scale_": lambda p, y: y.scale_(2.0, 1.0),
    "clip_": lambda p, y: y.clip_(0.0, 1.0),
    "exp_": lambda p, y: y.exp_(),
    "sqrt_": lambda p, y: y.sqrt_(),
    "tanh_": lambda p, y: y.tanh_(),
    "abs_": lambda p, y: y.abs_(),
    "round_": lambda p, y: y.round_(),
    "fill_": lambda p, y: y.fill_(2.0),
    "zero_": lambda p, y: y.zero_(),
    "lerp_": lambda p, y: y.lerp_(p.ones([2, 3]), 0.5),
    "cumsum_": lambda p, y: y.cumsum_(1),
    "tril_": lambda p, y: y.tril_(),
    "masked_fill_": lambda p, y: y.masked_fill_(y > 1, 0.0),
    "index_add_": lambda p, y: y.index_add_(p.to_tensor([0]), 0, p.ones([1, 3])),
    "index_fill_": lambda p, y: y.index_fill_(p.to_tensor([0]), 0, 5.0),
    "index_put_": lambda p, y: y.index_put_((p.to_tensor([0]),), p.ones([3])),
    "put_along_axis_": lambda p, y: y.put_along_axis_(p.to_tensor([[0, 0, 0]]), 9.0, 0),
    "scatter_": lambda p, y: y.scatter_(p.to_tensor([1]), p.ones([1, 3])),
    "where_": lambda p, y: p.where_(y > 1, y, p.zeros([2, 3])),
    "logical_not_": lambda p, y: y.logical_not_(),
    "equal_": lambda p, y: y.equal_(p.ones([2, 3])),
    "cast_": lambda p, y: y.cast_("int32"),
    "reshape_": lambda p, y: y.reshape_([3, 2]),
    "reshape_ same": lambda p, y: y.reshape_([2, 3]),
    "flatten_": lambda p, y: y.flatten_(),
    "squeeze_": lambda p, y: y.squeeze_(0),
    "unsqueeze_": lambda p, y: y.unsqueeze_(0),
    "transpose_": lambda p, y: y.transpose_([1, 0]),
    "t_": lambda p, y: y.t_(),
    "relu_": lambda p, y: p.nn.functional.relu_(y),
    "softmax_": lambda p, y: p.nn.functional.softmax_(y),
    "setitem number": lambda p, y: y.__setitem__(0, 1.0),
    "setitem tensor": lambda p, y: y.__setitem__((slice(None), 1), p.ones([2])),
    "setitem index": lambda p, y: y.__setitem__(p.to_tensor([0]), 1.0),
    "setitem mask": lambda p, y: y.__setitem__(y > 1, 0.0),
    "setitem all": lambda p, y: y.__setitem__(slice(None), 0.0),
    "assign": lambda p, y: p.assign(p.ones([2, 3]), y),
    "uniform_": lambda p, y: y.uniform_(),
    "normal_": lambda p, y: y.normal_(),
    "exponential_": lambda p, y: y.exponential_(),
    "set_value": lambda p, y: y.set_value(p.ones([2, 3])),
    "copy_": lambda p, y: y.copy_(p.ones([2, 3]), True),
    "data": lambda p, y: setattr(y, "data", p.ones([2, 3])),
    "clear_grad": lambda p, y: y.clear_grad(),
    "detach_": lambda p, y: y.detach_(),
    "bump": lambda p, y: y._bump_inplace_version(),
    "two": lambda p, y: y.add_(p.ones([2, 3])).exp_(),
    "plus equals": lambda p, y: y.__add__(p.ones([2, 3])),
}


def _values(np):
    return np.float32([[0.5, 1.5, 2.5], [3.5, 0.25, 1.0]])


@program
def version_of_every_in_place_call(paddle, np):
    """How far each call moves the version of a constant."""
    out = {}
    for name, call in MOVES.items():
        y = paddle.to_tensor(_values(np))
        call(paddle, y)
        out[name] = y.inplace_version
    return out


@program
def version_of_calls_on_made_tensors(paddle, np):
    """The same for a tensor with a gradient; and the node it has then.

    What writes a value without history has another node: ``gradients_of_overwritten_values``.
    """
    out = {}
    for name, call in MOVES.items():
        if name in ("logical_not_", "equal_", "cast_", "data", "detach_", "bump", "uniform_"):
            continue
        y = leaf(paddle, _values(np)) * 1
        call(paddle, y)
        node = None if name in ("assign", "set_value", "copy_") else y.grad_fn.name()
        out[name] = [y.inplace_version, node, y.stop_gradient]
    return out


@program
def version_of_a_view_written(paddle, np):
    """The version moves for the base and for every view when one of them is written."""
    out = {}
    shapes = ("reshape_", "flatten_", "squeeze_", "unsqueeze_", "transpose_", "t_")
    skipped = ("data", "cast_", "equal_", "logical_not_", "cumsum_", "put_along_axis_")
    for name, call in MOVES.items():
        if name in skipped:
            continue
        x = paddle.to_tensor(np.stack([_values(np), _values(np)]))
        view, other = x[1], x.reshape([12])
        call(paddle, view)
        seen = [t.inplace_version for t in (x, view, other)]
        random = name in ("uniform_", "normal_", "exponential_")
        values = [] if random or name in shapes else [x.numpy(), view.numpy(), other.numpy()]
        out[name] = [seen, values]
    return out


@program
def version_of_a_base_written(paddle, np):
    """Views see what is written to their base."""
    out = {}
    skipped = ("data", "cast_", "equal_", "logical_not_", "uniform_", "normal_", "exponential_")
    shapes = ("reshape_", "flatten_", "squeeze_", "unsqueeze_", "transpose_", "t_")
    for name, call in MOVES.items():
        if name in (*skipped, *shapes):
            continue
        x = paddle.to_tensor(_values(np))
        views = [x[1], x.T, x[:, 1:], x.reshape([6])]
        call(paddle, x)
        out[name] = [[v.inplace_version for v in views], [v.numpy() for v in views]]
    return out


@program
def version_of_parameters(paddle, np):
    """Optimizer steps, set_value, initializers and state_dict move no version."""
    layer = paddle.nn.Linear(2, 2)
    seen = []
    for optimizer in (
        paddle.optimizer.SGD(0.1, layer.parameters()),
        paddle.optimizer.Adam(0.1, parameters=layer.parameters()),
    ):
        layer(paddle.ones([1, 2])).sum().backward()
        optimizer.step()
        optimizer.clear_grad()
        seen.append([p.inplace_version for p in layer.parameters()])
    layer.set_state_dict(layer.state_dict())
    layer.weight.set_value(np.ones((2, 2), "float32"))
    with paddle.no_grad():
        layer.bias.zero_()
    return [seen, [p.inplace_version for p in layer.parameters()]]


@program
def version_of_grads(paddle, np):
    """Accumulating moves no version of the gradient; writing it does."""
    x = leaf(paddle, [1.0, 2.0])
    (x * x).sum().backward()
    first = x.grad.inplace_version
    (x * x).sum().backward()
    second = x.grad.inplace_version
    with paddle.no_grad():
        x.grad.scale_(2.0)
    return [first, second, x.grad.inplace_version, x.grad.numpy()]


@program
def shape_changes_share_memory(paddle, np):
    """A tensor that changes its shape in place stays where it is."""
    x = paddle.arange(6, dtype="float32").reshape([2, 3])
    row = x[0]
    x.reshape_([6])
    x[0] = 9.0
    x.unsqueeze_(1)
    row[1] = 8.0
    x.squeeze_(1)
    return [x.numpy(), row.numpy(), x.inplace_version, row.inplace_version]


@program
def transposes_share_memory(paddle, np):
    """transpose_ and t_ change strides: the others keep their values, reshape copies then."""
    x = paddle.arange(6, dtype="float32").reshape([2, 3])
    row = x[0]
    x.t_()
    x[1] = 9.0
    first = [x.numpy(), row.numpy(), x.is_contiguous()]
    flat = x.reshape([6])
    flat.zero_()
    return [first, x.numpy(), flat.numpy(), row.numpy(), x.inplace_version]


@program
def flatten_of_a_transposed_view(paddle, np):
    """flatten_ and reshape_ of strides that do not allow it take the view out of the memory."""
    out = []
    for change in (lambda v: v.flatten_(), lambda v: v.reshape_([6])):
        x = paddle.arange(6, dtype="float32").reshape([2, 3])
        v = x.T
        change(v)
        v.zero_()
        out.append([x.numpy(), v.numpy(), x.inplace_version, v.inplace_version])
    return out


@program
def cast_of_a_base(paddle, np):
    """A base in another dtype leaves its views behind, and counts with them."""
    x = paddle.arange(6, dtype="float32").reshape([2, 3])
    row = x[0]
    x.cast_("float64")
    x.zero_()
    return [x.numpy(), row.numpy(), x.inplace_version, row.inplace_version]


@program
def a_write_into_what_it_reads(paddle, np):
    """An operand that overlaps with the target."""
    x = paddle.arange(6, dtype="float32")
    x[:3].add_(x[3:])
    x[1:].multiply_(x[1:].clone())
    x.reshape([2, 3]).add_(x.reshape([2, 3]).T.reshape([2, 3]))
    return [x.numpy(), x.inplace_version]


@program
def refused_views_leave_everything(paddle, np):
    """A write that is refused changes nothing."""
    x = paddle.ones([2, 3])
    row = x[0]
    return [
        attempt(lambda: row.add_(paddle.ones([2, 3])))["error"],
        attempt(lambda: row.__setitem__(slice(None), paddle.ones([5])))["error"],
        x.numpy(),
    ]


@program
def constants_with_views(paddle, np):
    """A constant that takes a differentiable operand: itself, not through a view."""
    w = leaf(paddle, [1.0, 2.0])
    y = paddle.zeros([2])
    y.add_(w)
    v = y[0:1]
    v2 = y.reshape([2, 1])
    (v.sum() * v2.sum()).backward()
    return [facts(y), facts(v), facts(v2), w.grad.numpy()]


@program
def in_place_on_integers(paddle, np):
    """Views of integers and bools."""
    x = paddle.arange(6).reshape([2, 3])
    x[0].add_(paddle.to_tensor([1, 1, 1]))
    x.T[2].fill_(7)
    m = paddle.to_tensor([[True, False], [False, True]])
    m[0].logical_not_()
    m.T[1] = False
    return [x.numpy(), x.inplace_version, m.numpy(), m.inplace_version]


@program
def gradients_of_in_place_without_views(paddle, np):
    """A chain of writes to one tensor, read in between through clones."""
    x, w = leaf(paddle, [1.0, 2.0]), leaf(paddle, [3.0, 4.0])
    y = x * 2
    total = y.clone().sum()
    y.multiply_(w)
    total = total + (y.clone() * y.clone()).sum()
    y[0] = w[1]
    y.add_(x)
    total = total + y.sum()
    total.backward()
    return [y.numpy(), y.inplace_version, graph(y), *grads(x, w)]


# ---- where Paddle is wrong


def _through(paddle, np, write):
    """Returns the gradients of x and w: y = 2 x, a write through a view, the sum of squares."""
    x, w = leaf(paddle, np.float32([[1, 2], [3, 4]])), leaf(paddle, np.float32([2, 3]))
    y = x * 2
    kept = write(paddle, y, w)
    (y * y).sum().backward()
    del kept
    return [None if grad is None else grad.tolist() for grad in grads(x, w)]


PLAIN = [[8.0, 16.0], [24.0, 32.0]]
STALE = "a write through a view leaves the base its old node"


@differs(
    STALE,
    right=[[[8.0, 16.0], [96.0, 288.0]], [144.0, 384.0]],
    paddle_gives=[[[8.0, 16.0], [48.0, 96.0]], None],
)
def gradient_of_a_row_times_an_operand(paddle, np):
    """y[1].multiply_(w)."""
    return _through(paddle, np, lambda p, y, w: y[1].multiply_(w))


@differs(
    STALE,
    right=[[[72.0, 16.0], [216.0, 32.0]], None],
    paddle_gives=[[[24.0, 16.0], [72.0, 32.0]], None],
)
def gradient_of_a_column_scaled(paddle, np):
    """y[:, 0].scale_(3)."""
    return _through(paddle, np, lambda p, y, w: y[:, 0].scale_(3.0))


@differs(
    STALE,
    right=[[[0.0, 16.0], [0.0, 32.0]], [8.0, 0.0]],
    paddle_gives=[[[8.0, 16.0], [8.0, 32.0]], None],
)
def gradient_of_a_transposed_row_assigned(paddle, np):
    """y.T[0] = w[0]."""
    return _through(paddle, np, lambda p, y, w: y.T.__setitem__(0, w[0]))


@differs(
    STALE + "; the value that was saved is another one",
    right=[[[0.0, 4.0], [24.0, 32.0]], None],
    paddle_gives=[[[4.0, 8.0], [24.0, 32.0]], None],
)
def gradient_of_an_element_assigned(paddle, np):
    """y[0][0] = 1 and y[0, 1:] = 2, by chains of indices."""

    def write(p, y, w):
        y[0][0] = 1.0
        y[0][1:].scale_(0.5)

    return _through(paddle, np, write)


@differs(
    STALE,
    right=[[0.0, 0.0], [2.0, 2.0]],
    paddle_gives=[[2.0, 2.0], [2.0, 2.0]],
)
def gradient_of_a_view_read_after_a_write_to_its_base(paddle, np):
    """What a view holds after its base was zeroed has no gradient."""
    x = leaf(paddle, np.float32([[1, 2], [3, 4]]))
    y = x * 2
    row, other = y[0], y[1]
    y[0] = 0.0
    (row.sum() + other.sum()).backward()
    return x.grad.tolist()


@differs(
    STALE + ", also one of the very same elements",
    right=[12.0, 24.0],
    paddle_gives=[4.0, 8.0],
)
def gradient_of_a_reshaped_tensor_scaled(paddle, np):
    """y.reshape([2, 1]).scale_(3) is y.scale_(3)."""
    x = leaf(paddle, [1.0, 2.0])
    y = x * 2
    y.reshape([2, 1]).scale_(3.0)
    (y * paddle.to_tensor([2.0, 4.0])).sum().backward()
    return x.grad.tolist()


@differs(
    "a constant does not learn that a view of it took an operand",
    right=[False, [2.0, 2.0]],
    paddle_gives=[True, None],
)
def a_constant_written_through_a_view(paddle, np):
    """zeros(4)[0:2].add_(w)."""
    y, w = paddle.zeros([4]), leaf(paddle, [5.0, 6.0])
    part = y[0:2]
    part.add_(w)
    if not y.stop_gradient:
        (y * 2).sum().backward()
    return [y.stop_gradient, None if w.grad is None else w.grad.tolist()]


@differs(
    "a leaf that wants gradients is written through a view of it, which Paddle allows",
    right=["ValueError", [1.0, 2.0], 0],
    paddle_gives=["ok", [3.0, 2.0], 1],
)
def a_leaf_written_through_a_view(paddle, np):
    """x[0:1].scale_(3) of a leaf."""
    x = leaf(paddle, [1.0, 2.0])
    answer = attempt(lambda: x[0:1].scale_(3.0))
    return [answer["error"] if isinstance(answer, dict) else "ok", x.tolist(), x.inplace_version]


@differs(
    "an integer index into a transposed tensor writes elsewhere",
    right=[[[9, 9], [1, 4], [2, 5]], [[9, 1, 2], [9, 4, 5]]],
    paddle_gives=[[[9, 3], [1, 9], [2, 5]], [[9, 1, 2], [3, 9, 5]]],
)
def integer_index_into_a_transposed_tensor(paddle, np):
    """t[[0]] = 9 of t = a.T."""
    a = paddle.arange(6).reshape([2, 3])
    t = a.T
    t[paddle.to_tensor([0])] = 9
    return [t.tolist(), a.tolist()]


@differs(
    "set_value ignores the strides of a view",
    right=[[7.0, 1.0, 2.0], [8.0, 4.0, 5.0]],
    paddle_gives=[[7.0, 8.0, 2.0], [3.0, 4.0, 5.0]],
)
def set_value_of_a_column(paddle, np):
    """A column gets its values."""
    x = paddle.arange(6, dtype="float32").reshape([2, 3])
    x[:, 0].set_value(np.float32([7, 8]))
    return x.tolist()


@differs(
    "cast_ of a view writes its bytes over the base",
    right=[[0.0, 1.0, 2.0], [3.0, 4.0, 5.0]],
    paddle_gives=[[0.0, 0.0, 0.0], [1.875, 0.0, 2.0]],
)
def cast_of_a_view(paddle, np):
    """A row in another dtype; the base stays."""
    x = paddle.arange(6, dtype="float32").reshape([2, 3])
    row = x[0]
    row.cast_("float64")
    return x.tolist()


@differs(
    "add_ of a wider operand widens a view over the bytes of its base",
    right=[[0.0, 1.0, 2.0], [3.0, 4.0, 5.0]],
    paddle_gives=[[0.0, 1.875, 0.0], [2.0, 0.0, 2.125]],
)
def a_view_widened(paddle, np):
    """A row that becomes float64; the base stays."""
    x = paddle.arange(6, dtype="float32").reshape([2, 3])
    row = x[0]
    row.add_(paddle.ones([3], dtype="float64"))
    return x.tolist()


@differs(
    "exponential_ moves no version, and backward reads the new value",
    right=[8.0, 16.0],
    paddle_gives="other numbers",
)
def exponential_of_a_saved_tensor(paddle, np):
    """The gradient of y * y is that of the value y had."""
    x = leaf(paddle, [1.0, 2.0])
    y = x * 2
    squared = y * y
    y.exponential_()
    squared.sum().backward()
    found = x.grad.tolist()
    return found if found == [8.0, 16.0] else "other numbers"


OVERWRITES = (
    "floor_divide_ equal_ less_than_ logical_and_ logical_not_ set_value copy_ assign out "
    "numpy fill_diagonal_"
).split()


@differs(
    "a write without a gradient leaves its target the history of the value it had",
    right={name: [0.0, 0.0] for name in OVERWRITES},
    paddle_gives={name: [3.0, 3.0] for name in OVERWRITES},
)
def gradients_of_overwritten_values(paddle, np):
    """Nothing depends on the old value any more, so its gradient is 0."""
    writes = {
        "floor_divide_": lambda y, w: y.floor_divide_(w),
        "equal_": lambda y, w: y.equal_(w),
        "less_than_": lambda y, w: y.less_than_(w),
        "logical_and_": lambda y, w: y.logical_and_(w),
        "logical_not_": lambda y, w: y.logical_not_(),
        "set_value": lambda y, w: y.set_value(w.numpy()),
        "copy_": lambda y, w: y.copy_(w, True),
        "assign": lambda y, w: paddle.assign(w, output=y),
        "out": lambda y, w: paddle.add(w, w, out=y),
        "numpy": lambda y, w: paddle.assign(w.numpy(), output=y),
        "fill_diagonal_": lambda y, w: [y[i : i + 1, :].fill_diagonal_(5.0) for i in (0, 1)],
    }
    out = {}
    for name in OVERWRITES:
        x = leaf(paddle, [1.0, 2.0])
        y = x * 3.0
        y = y.reshape([2, 1]) if name == "fill_diagonal_" else y
        writes[name](y, paddle.to_tensor([2.0, 5.0]))
        (y * 1.0).sum().backward()
        out[name] = x.grad.tolist()
    return out
