"""More on views: what is made of tensors, strides, windows, and gradients Paddle gets wrong."""

from ..probe import attempt, grads, leaf, pull
from ..registry import differs, program


@program
def tensors_made_of_tensors(paddle, np):
    """Tensor(x) and Parameter(x) share; to_tensor(x) copies."""
    out = []
    for make in (paddle.Tensor, paddle.nn.Parameter, paddle.to_tensor):
        x = paddle.to_tensor([1.0, 2.0])
        made = make(x)
        made.detach().zero_()
        out.append([x.numpy(), x.inplace_version, made.inplace_version, made.stop_gradient])
    return out


@program
def parts_that_are_slices(paddle, np):
    """Iteration and splits at indices give views, splits into equal parts copies."""
    out = []
    for split in (
        lambda x: next(iter(x)),
        lambda x: paddle.tensor_split(x, [1])[0],
        lambda x: paddle.hsplit(x, [1])[1],
        lambda x: paddle.tensor_split(x, 2)[0],
        lambda x: paddle.split(x, [1, 3], 1)[0],
    ):
        x = paddle.ones([2, 4])
        split(x).zero_()
        out.append([x.numpy(), x.inplace_version])
    return out


@program
def what_is_0d_is_copied(paddle, np):
    """reshape of a 0-D tensor copies; unsqueeze of one, and reshape to one, do not."""
    out = []
    for view in (
        lambda x: x[1].reshape([1]),
        lambda x: x[1].flatten(),
        lambda x: x[1].unsqueeze(0),
        lambda x: x[1:2].reshape([]),
        lambda x: x[1:2].squeeze(),
    ):
        x = paddle.to_tensor([1.0, 2.0, 3.0])
        view(x).fill_(7.0)
        out.append([x.numpy(), x.inplace_version])
    return out


@program
def contiguous_leaves_the_memory(paddle, np):
    """contiguous() of a strided view gives that very tensor memory and a version of its own."""
    x = paddle.arange(6, dtype="float32").reshape([2, 3])
    x.scale_(2.0)
    t = x.T
    before = t.inplace_version
    c = t.contiguous()
    x.zero_()
    c[0] = 1.0
    return [before, c is t, t.inplace_version, x.inplace_version, t.numpy(), x.numpy()]


@program
def strided_views_of_single_rows(paddle, np):
    """A dimension of size 1 counts when it is asked whether strides are those of a dense tensor."""
    x = paddle.ones([4, 3])
    views = [x[::4], x[:, 1:2], x[1:2], x[1:2].T, x[0:1].unsqueeze(0), x.T.unsqueeze(-1)]
    return [[list(v.shape), v.is_contiguous()] for v in views]


@program
def a_chain_of_transposes(paddle, np):
    """Axes moved there and back are the memory as it was."""
    x = paddle.arange(24, dtype="float32").reshape([2, 3, 4])
    v = x.transpose([2, 0, 1]).swapaxes(0, 1).moveaxis(1, 2)
    v.reshape([24])[::5] = -1.0
    return [v.numpy(), x.numpy(), v.is_contiguous()]


@program
def as_strided_of_views(paddle, np):
    """as_strided looks at the memory from its beginning, whatever view it is asked of."""
    x = paddle.arange(6, dtype="float32") * 1
    part = x[2:]
    turned = x.reshape([2, 3]).T
    v = paddle.as_strided(part, [2, 2], [1, 2], 8)
    v.fill_(9.0)
    return [
        x.numpy(),
        part.numpy(),
        turned.numpy(),
        paddle.as_strided(part, [2], [1]).numpy(),
        paddle.as_strided(turned, [3, 2], [2, 1]).numpy(),
    ]


@program
def windows_written(paddle, np):
    """Windows that overlap: an element is written once for each, with the same value."""
    x = paddle.arange(6, dtype="float32") * 1
    x.unfold(0, 3, 1).add_(paddle.ones([4, 3]))
    y = paddle.arange(6, dtype="float32") * 1
    y.unfold(0, 2, 1)[1] = 7.0
    return [x.numpy(), x.inplace_version, y.numpy(), y.unfold(0, 2, 1).numpy()]


@program
def gradients_of_windows_and_strides(paddle, np):
    """Views that read no element twice."""
    out = []
    for view in (
        lambda x: x.unfold(0, 2, 3),
        lambda x: x.unfold(0, 4, 4),
        lambda x: paddle.as_strided(x, [2, 2], [4, 2], 4),
        lambda x: x.reshape([2, 4]).diagonal(1),
        lambda x: paddle.narrow(x, 0, 2, 4),
    ):
        x = leaf(paddle, np.arange(8, dtype="float32"))
        pull(paddle, np, view(x * 1))
        out.append(x.grad.numpy())
    return out


@program
def gradients_of_bytes(paddle, np):
    """Through an integer view and back, and of floats read as wider floats."""
    x = leaf(paddle, np.float32([1.0, 2.0]))
    (x.view("int32").view("float32") * 2).sum().backward()
    y = leaf(paddle, np.float32([1.0, 2.0]))
    y.view("float64").sum().backward()
    return grads(x, y)


@program
def views_of_grads(paddle, np):
    """A gradient is a tensor like any other: clipping it through a view."""
    x = leaf(paddle, np.float32([[1, 2], [3, 4]]))
    (x * x).sum().backward()
    with paddle.no_grad():
        x.grad[0].scale_(0.5)
        x.grad.T[1].clip_(0.0, 5.0)
    return [x.grad.numpy(), x.grad.inplace_version]


@program
def writes_that_follow_each_other(paddle, np):
    """Base and views written in turn."""
    x = paddle.ones([3, 4])
    rows, columns = x.unbind(), x.unbind(1)
    for number in range(3):
        rows[number].scale_(float(number + 2))
        columns[number].add_(rows[number][:3])
        x.subtract_(paddle.ones([3, 4]))
    return [x.numpy(), [r.numpy() for r in rows], [c.numpy() for c in columns], x.inplace_version]


@program
def state_dict_shares(paddle, np):
    """What state_dict gives are the parameters; a view of one sees what is loaded."""
    layer = paddle.nn.Linear(2, 2)
    row = layer.weight[0].detach()
    layer.set_state_dict({"weight": np.float32([[1, 2], [3, 4]]), "bias": np.float32([5, 6])})
    return [row.numpy(), layer.weight.inplace_version, row.inplace_version]


@differs(
    "as_strided saves its operand, so that backward refuses what was written since",
    right=[2.0, 2.0, 0.0],
    paddle_gives="RuntimeError",
)
def as_strided_of_what_is_written_later(paddle, np):
    """The gradient of as_strided needs no value."""
    x = leaf(paddle, [1.0, 2.0, 3.0])
    y = x * 2
    total = paddle.as_strided(y, [2], [1]).sum()
    y.zero_()
    found = attempt(lambda: total.backward())
    return found["error"] if isinstance(found, dict) else x.grad.tolist()


@differs(
    "as_strided reads past the end of the memory",
    right="ValueError",
    paddle_gives="ok",
)
def as_strided_past_the_end(paddle, np):
    """Nine elements of a memory of four."""
    found = attempt(lambda: paddle.as_strided(paddle.ones([4]), [3, 3], [3, 1]))
    return found["error"] if isinstance(found, dict) else "ok"


@differs(
    "of the windows that an element is in, the gradient of one is kept and not the sum",
    right=[1.0, 2.0, 3.0, 3.0, 2.0, 1.0],
    paddle_gives=[1.0, 1.0, 1.0, 1.0, 1.0, 1.0],
)
def gradient_of_windows_that_overlap(paddle, np):
    """unfold(0, 3, 1): the elements in the middle are in three windows."""
    x = leaf(paddle, np.arange(6, dtype="float32"))
    (x * 1).unfold(0, 3, 1).sum().backward()
    return x.grad.tolist()


@differs(
    "as_strided does the same with elements that it reads several times",
    right=[1.0, 1.0, 2.0, 1.0, 2.0, 1.0, 1.0, 0.0],
    paddle_gives=[1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 0.0],
)
def gradient_of_strides_that_overlap(paddle, np):
    """Three rows of three, two apart."""
    x = leaf(paddle, np.arange(8, dtype="float32"))
    paddle.as_strided(x * 1, [3, 3], [2, 1]).sum().backward()
    return x.grad.tolist()


def _gradient(paddle, np, write, read=None):
    """Returns x.grad of y = 2 x, a write through a view of y, and the sum of y or of a view."""
    x = leaf(paddle, np.float32([1, 2, 3, 4]))
    y = x * 2
    kept = write(y)
    (y if read is None else read(y, kept)).sum().backward()
    return x.grad.tolist()


STALE = "a write through a view leaves the others their old node"


@differs(STALE, right=[800.0, 1600.0, 24.0, 32.0], paddle_gives=[80.0, 160.0, 24.0, 32.0])
def a_slice_scaled(paddle, np):
    """The squares of y after y[0:2].scale_(10)."""
    return _gradient(paddle, np, lambda y: y[0:2].scale_(10.0), lambda y, _: y * y)


@differs(STALE, right=[0.0, 0.0, 2.0, 2.0], paddle_gives=[2.0, 2.0, 2.0, 2.0])
def a_slice_zeroed(paddle, np):
    """y[0:2].zero_()."""
    return _gradient(paddle, np, lambda y: y[0:2].zero_())


@differs(STALE, right=[0.0, 0.0, 2.0, 2.0], paddle_gives=[2.0, 2.0, 2.0, 2.0])
def a_reshaped_row_assigned(paddle, np):
    """y.reshape([2, 2])[0] = 0."""
    return _gradient(paddle, np, lambda y: y.reshape([2, 2]).__setitem__(0, 0.0))


@differs(STALE, right=[0.0, 2.0, 2.0, 0.0], paddle_gives=[2.0, 2.0, 2.0, 0.0])
def a_view_read_after_its_base_was_assigned(paddle, np):
    """y[0] = 0 and then the sum of v = y[:3]."""

    def write(y):
        view = y[:3]
        y[0] = 0.0
        return view

    return _gradient(paddle, np, write, lambda y, view: view)


@differs(STALE, right=[2.0, 6.0, 18.0, 6.0], paddle_gives=[2.0, 2.0, 2.0, 2.0])
def overlapping_views_scaled(paddle, np):
    """y[1:3].scale_(3), then y[2:4].scale_(3)."""

    def write(y):
        y[1:3].scale_(3.0)
        y[2:4].scale_(3.0)

    return _gradient(paddle, np, write)


@differs(STALE, right=[0.0, 0.0, 6.0, 6.0], paddle_gives=[2.0, 2.0, 2.0, 2.0])
def siblings_after_their_base_died(paddle, np):
    """Two views of one tensor that nobody holds any more."""
    x = leaf(paddle, np.float32([1, 2, 3, 4]))
    y = x * 2
    first, second = y[:3], y[1:]
    del y
    first[:2].zero_()
    second[1:].scale_(3.0)
    (first[:2].sum() + second[1:].sum()).backward()
    return x.grad.tolist()


@differs(STALE, right=[2.0, 2.0, 10.0, 2.0], paddle_gives=[2.0, 2.0, 2.0, 2.0])
def a_view_of_a_view_of_a_view_scaled(paddle, np):
    """y.reshape([2, 2]).T[0][1:].scale_(5)."""
    return _gradient(paddle, np, lambda y: y.reshape([2, 2]).T[0][1:].scale_(5.0))


@differs(STALE, right=[10.0, 2.0, 2.0, 10.0], paddle_gives=[2.0, 2.0, 2.0, 2.0])
def a_diagonal_scaled(paddle, np):
    """y.reshape([2, 2]).diagonal().scale_(5)."""
    return _gradient(paddle, np, lambda y: y.reshape([2, 2]).diagonal().scale_(5.0))


@differs(STALE, right=[10.0, 2.0, 10.0, 2.0], paddle_gives=[2.0, 2.0, 2.0, 2.0])
def every_other_element_scaled(paddle, np):
    """y[::2].scale_(5)."""
    return _gradient(paddle, np, lambda y: y[::2].scale_(5.0))


@differs(STALE, right=[6.0, 10.0, 2.0, 2.0], paddle_gives=[2.0, 2.0, 2.0, 2.0])
def unbound_parts_scaled(paddle, np):
    """The parts of unbind, each with its own factor."""

    def write(y):
        first, second, *_ = y.unbind()
        first.scale_(3.0)
        second.scale_(5.0)

    return _gradient(paddle, np, write)


@differs(
    STALE, right=[[[1.0, 1.0], [3.0, 3.0]], [5.0, 13.0]], paddle_gives=[[[1.0, 1.0]] * 2, None]
)
def an_operand_through_two_views(paddle, np):
    """One row takes w, a column of it is scaled afterwards."""
    x, w = leaf(paddle, np.float32([[1, 2], [3, 4]])), leaf(paddle, np.float32([2, 3]))
    y = x * 1
    y[1].scale_(3.0)
    y[1].add_(w)
    y.T[0].add_(w * 4)
    y.T[1].add_(w[1:] * 4)
    y.sum().backward()
    return [None if grad is None else grad.tolist() for grad in grads(x, w)]


@differs(
    "a complex number whose real part was written",
    right=[[0.0, 2.0]],
    paddle_gives=[[2.0, 2.0]],
)
def the_real_part_zeroed(paddle, np):
    """z.real().zero_(), then the sum of the squares of both parts."""
    x = leaf(paddle, np.float32([[1.0, 2.0]]))
    z = paddle.as_complex(x * 1)
    z.real().zero_()
    (z.real().sum() * 2 + z.imag().sum() * 2).backward()
    return x.grad.tolist()


@differs(
    STALE,
    right=[[[800.0, 4.0], [24.0, 32.0]], [80.0, 16.0]],
    paddle_gives=[[[80.0, 8.0], [24.0, 32.0]], None],
)
def gradient_of_a_row_multiplied(paddle, np):
    """b = a * 2; b[0].multiply_(w); (b * b).sum(): the gradients of a and w."""
    a, w = leaf(paddle, [[1.0, 2.0], [3.0, 4.0]]), leaf(paddle, [10.0, 0.5])
    b = a * 2
    b[0].multiply_(w)
    (b * b).sum().backward()
    return [a.grad.tolist(), None if w.grad is None else w.grad.tolist()]
