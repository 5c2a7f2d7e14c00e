"""Views: which ops share memory, and what a write through one of them means for the others."""

from ..probe import attempt, facts, leaf, pull
from ..registry import program

SHARING = {
    "reshape": lambda p, x: x.reshape([6, 4]),
    "view": lambda p, x: x.view([4, 6]),
    "view of ints": lambda p, x: x.view(4, 6),
    "view_as": lambda p, x: x.view_as(p.ones([6, 4])),
    "view as int32": lambda p, x: x.view("int32"),
    "view as float64": lambda p, x: x.view("float64"),
    "view as int16": lambda p, x: x.view("int16"),
    "flatten": lambda p, x: x.flatten(),
    "flatten two": lambda p, x: x.flatten(1),
    "squeeze": lambda p, x: x.squeeze(),
    "unsqueeze": lambda p, x: x.unsqueeze([0, 2]),
    "None": lambda p, x: x[None],
    "slice": lambda p, x: x[0:1],
    "int": lambda p, x: x[1],
    "element": lambda p, x: x[1, 2, 3],
    "steps": lambda p, x: x[:, ::2],
    "negative step": lambda p, x: x[:, ::-1],
    "ellipsis": lambda p, x: x[..., 0],
    "all": lambda p, x: x[:],
    "paddle.slice": lambda p, x: p.slice(x, [1], [0], [2]),
    "strided_slice": lambda p, x: p.strided_slice(x, [1], [0], [3], [2]),
    "narrow": lambda p, x: p.narrow(x, 1, 1, 2),
    "transpose": lambda p, x: x.transpose([1, 0, 2]),
    "T": lambda p, x: x.T,
    "mT": lambda p, x: x.mT,
    "matrix_transpose": lambda p, x: p.matrix_transpose(x),
    "t": lambda p, x: x[0].t(),
    "moveaxis": lambda p, x: x.moveaxis(0, 1),
    "swapaxes": lambda p, x: x.swapaxes(0, 1),
    "permute": lambda p, x: x.permute(1, 0, 2),
    "diagonal": lambda p, x: x.diagonal(1, 1, 2),
    "as_strided": lambda p, x: p.as_strided(x, [2, 2], [1, 5], 8),
    "unfold": lambda p, x: x.unfold(2, 2, 2),
    "unbind": lambda p, x: x.unbind(1)[2],
    "atleast_3d": lambda p, x: p.atleast_3d(x[0]),
    "atleast_2d": lambda p, x: p.atleast_2d(x[0, 0]),
    "atleast_1d": lambda p, x: p.atleast_1d(x[0, 0, 0]),
    "unflatten": lambda p, x: x.unflatten(2, [2, 2]),
    "detach": lambda p, x: x.detach(),
    "data": lambda p, x: x.data,
}
COPYING = {
    "expand": lambda p, x: x.expand([2, 3, 4]),
    "broadcast_to": lambda p, x: x.broadcast_to([2, 3, 4]),
    "expand_as": lambda p, x: x.expand_as(x),
    "tile": lambda p, x: x.tile([1, 1, 1]),
    "split": lambda p, x: x.split(2)[0],
    "chunk": lambda p, x: x.chunk(2)[0],
    "hsplit": lambda p, x: p.hsplit(x, 3)[0],
    "vsplit": lambda p, x: p.vsplit(x, 2)[0],
    "tensor_split": lambda p, x: p.tensor_split(x, 2)[0],
    "unstack": lambda p, x: p.unstack(x)[0],
    "index_select": lambda p, x: x.index_select(p.to_tensor([0])),
    "gather": lambda p, x: x.gather(p.to_tensor([0])),
    "list index": lambda p, x: x[[0, 1]],
    "tensor index": lambda p, x: x[p.to_tensor([0])],
    "mask": lambda p, x: x[x > 0],
    "flip": lambda p, x: x.flip(0),
    "roll": lambda p, x: x.roll(0),
    "rot90": lambda p, x: p.rot90(x),
    "tril": lambda p, x: x.tril(5),
    "triu": lambda p, x: x.triu(-5),
    "clone": lambda p, x: x.clone(),
    "assign": lambda p, x: p.assign(x),
    "to_tensor": lambda p, x: p.to_tensor(x),
    "contiguous": lambda p, x: x.T.contiguous(),
    "cast": lambda p, x: x.astype("float64"),
    "concat": lambda p, x: p.concat([x]),
    "diag": lambda p, x: p.diag(x[0, :, :3]),
}


def shares(paddle, np, view):
    """Returns shape, whether writing the view changed the base, and both versions then."""
    x = paddle.to_tensor(np.arange(1.0, 25.0, dtype="float32").reshape(2, 3, 4))
    before = x.numpy().copy()
    v = view(paddle, x)
    shape = list(v.shape)
    v.zero_()
    changed = int((x.numpy() != before).sum())
    return [shape, str(v.dtype), changed, x.inplace_version, v.inplace_version, v is x]


@program
def ops_that_share(paddle, np):
    """Every op of which the output is a view: how many elements of the base a write reaches."""
    return {name: shares(paddle, np, view) for name, view in SHARING.items()}


@program
def ops_that_copy(paddle, np):
    """Ops of which the output looks like a view and is none."""
    return {name: shares(paddle, np, view) for name, view in COPYING.items()}


@program
def complex_parts_share(paddle, np):
    """real, imag, as_real and as_complex are views."""
    out = {}
    views = {"real": paddle.real, "imag": paddle.imag, "as_real": paddle.as_real}
    for name, view in views.items():
        z = paddle.to_tensor(np.complex64([1 + 2j, 3 + 4j]))
        view(z).scale_(10.0)
        out[name] = [z.numpy(), z.inplace_version]
    pairs = paddle.to_tensor(np.float32([[1, 2], [3, 4]]))
    paddle.as_complex(pairs)[0] = 5.0 + 6.0j
    return [out, pairs.numpy(), pairs.inplace_version]


@program
def ops_that_return_self(paddle, np):
    """Where nothing is to be done the very tensor comes back."""
    x = paddle.ones([2, 3])
    return [
        x.reshape([2, 3]) is x,
        x.contiguous() is x,
        x.astype("float32") is x,
        x.view("float32") is x,
        x[0].T is x[0],
        x[:] is x,
        x.view([2, 3]) is x,
        x.squeeze() is x,
        paddle.atleast_2d(x) is x,
    ]


@program
def which_reshapes_copy(paddle, np):
    """A reshape of strides that do not allow a view copies, and shares the version."""
    views = {
        "rows": lambda x: x[1:].reshape([12]),
        "columns": lambda x: x[:, :, :2].reshape([12]),
        "columns by two": lambda x: x[:, :, :2].reshape([6, 2]),
        "T": lambda x: x.T.reshape([24]),
        "T flat": lambda x: x.T.flatten(),
        "T in fours": lambda x: x.T.reshape([2, 2, 3, 2]),
        "reverse": lambda x: x[::-1].reshape([24]),
        "every other": lambda x: x[:, :, ::2].reshape([12]),
        "swapped": lambda x: x.transpose([0, 2, 1]).flatten(1),
        "swapped otherwise": lambda x: x.transpose([2, 0, 1]).flatten(1),
        "squeezed T": lambda x: x[0:1].T.squeeze(),
        "unsqueezed T": lambda x: x.T.unsqueeze(1),
        "view of columns": lambda x: x[:, :, :2].view([6, 2]),
        "diagonal": lambda x: x[0].diagonal().reshape([3, 1]),
        "windows": lambda x: x[0, 0].unfold(0, 2, 1).reshape([6]),
        "T as int32": lambda x: x.T.view("int32"),
    }
    return {name: shares(paddle, np, lambda p, x, v=v: v(x)) for name, v in views.items()}


@program
def views_that_are_refused(paddle, np):
    """view() copies never; what cannot be one is an error."""
    x = paddle.ones([2, 3])
    return [
        attempt(lambda: x.T.view([6]))["error"],
        attempt(lambda: x.T.view("int16"))["error"],
        attempt(lambda: x.view("float64"))["error"],
        attempt(lambda: paddle.ones([]).view("int16"))["error"],
        attempt(lambda: x.view([5]))["error"],
    ]


@program
def is_contiguous_of_views(paddle, np):
    """Which views are contiguous."""
    x = paddle.ones([2, 3, 4])
    views = [x[0], x[:, 0], x[..., 0], x[:, :2], x.T, x.reshape([6, 4]), x[None], x[::2], x[1:]]
    return [v.is_contiguous() for v in views]


@program
def contiguous_of_a_view(paddle, np):
    """A copy with the place in the graph that the view has."""
    x = leaf(paddle, np.float32([[1, 2], [3, 4]]))
    y = x * 2
    c = y.T.contiguous()
    c.scale_(3.0)
    c.sum().backward()
    return [facts(c), c.numpy(), y.numpy(), y.inplace_version, x.grad.numpy()]


@program
def values_through_views_of_views(paddle, np):
    """A write through the last of a chain is seen by all."""
    x = paddle.arange(24, dtype="float32").reshape([2, 3, 4])
    chain = [x]
    steps = [
        lambda v: v[:, 1:],
        lambda v: v.transpose([2, 0, 1]),
        lambda v: v[::2],
        lambda v: v[..., -1],
    ]
    for step in steps:
        chain.append(step(chain[-1]))
    chain[-1].scale_(-1.0)
    first = [v.numpy() for v in chain]
    x.add_(paddle.ones([2, 3, 4]))
    return [first, [v.numpy() for v in chain], [v.inplace_version for v in chain]]


@program
def values_of_overlapping_views(paddle, np):
    """Two views that overlap, without the base."""
    y = paddle.arange(6, dtype="float32") * 2
    a, b = y[0:4], y[2:6]
    del y
    a.scale_(3.0)
    b.add_(paddle.ones([4]))
    return [a.numpy(), b.numpy(), a.inplace_version, b.inplace_version]


@program
def values_of_siblings(paddle, np):
    """unbind's outputs, written one after the other."""
    y = paddle.arange(6, dtype="float32").reshape([3, 2]) * 1
    parts = y.unbind()
    for number, part in enumerate(parts):
        part.scale_(float(number + 1))
    return [y.numpy(), [part.numpy() for part in parts], y.inplace_version]


@program
def values_of_diagonals_and_windows(paddle, np):
    """Writing diagonals, strides and windows."""
    x = paddle.zeros([3, 4])
    x.diagonal().fill_(1.0)
    x.diagonal(1)[0] = 5.0
    x.diagonal(-1).add_(paddle.to_tensor([2.0, 3.0]))
    y = paddle.zeros([6])
    y.unfold(0, 2, 2)[1] = 7.0
    paddle.as_strided(y, [3], [2], 4).add_(paddle.ones([3]))
    paddle.narrow(y, 0, 4, 2).fill_(9.0)
    return [x.numpy(), x.inplace_version, y.numpy(), y.inplace_version]


@program
def values_of_other_dtypes(paddle, np):
    """The bytes of floats as integers, both ways."""
    x = paddle.to_tensor(np.float32([1.0, -2.0, 0.5, 8.0]))
    as_ints, as_doubles = x.view("int32"), x.view("float64")
    out = [as_ints.numpy(), as_doubles.numpy(), x.view("int16").numpy()]
    as_ints[1] = 0
    as_doubles[1] = 1.0
    return [out, x.numpy(), x.inplace_version]


@program
def values_of_assignments_through_views(paddle, np):
    """Indexing on the left of another indexing."""
    x = paddle.zeros([3, 4])
    x[0][1] = 1.0
    x[1:][1][2:] = paddle.to_tensor([2.0, 3.0])
    x.T[0][1] = 4.0
    x[:, 3][paddle.to_tensor([True, False, False])] = 5.0
    x[2][None][0, 0] = 6.0
    x[::2][1, ::-3] = 7.0
    return [x.numpy(), x.inplace_version]


@program
def detached_values(paddle, np):
    """detach and data share values and version, both ways."""
    x = leaf(paddle, [1.0, 2.0, 3.0])
    y = x * 2
    d, e = y.detach(), y.data
    d[0] = 10.0
    first = [y.numpy(), e.numpy(), y.inplace_version, e.inplace_version]
    y.scale_(2.0)
    y.sum().backward()
    return [first, d.numpy(), facts(d), facts(y), x.grad.numpy()]


@program
def detached_leaf(paddle, np):
    """A leaf is written through detach; it stays a leaf."""
    x = leaf(paddle, [1.0, 2.0, 3.0])
    x.detach()[0:2].zero_()
    x.data.add_(paddle.ones([3]))
    (x * x).sum().backward()
    return [x.numpy(), x.inplace_version, x.is_leaf, x.grad.numpy()]


@program
def data_assigned(paddle, np):
    """Assigning .data swaps the memory: version, values, and what was saved before."""
    x, v = leaf(paddle, [1.0, 2.0]), paddle.to_tensor([5.0, 6.0])
    old, squared = x.detach(), x * x
    x.data = v
    v.add_(paddle.ones([2]))
    first = [x.numpy(), x.inplace_version, old.numpy(), old.inplace_version]
    v[0] = 9.0
    squared.sum().backward()
    return [first, x.numpy(), x.grad.numpy(), x.stop_gradient, x.is_leaf]


@program
def data_of_another_shape(paddle, np):
    """Assigning .data may change the shape; what is no tensor is refused."""
    x = leaf(paddle, [1.0, 2.0])
    x.data = paddle.ones([3, 1])
    return [list(x.shape), x.stop_gradient, attempt(lambda: setattr(x, "data", [1.0]))]


@program
def copies_of_tensors(paddle, np):
    """copy.copy and deepcopy share nothing."""
    import copy

    out = []
    for function in (copy.copy, copy.deepcopy):
        x = leaf(paddle, [1.0, 2.0])
        c = function(x)
        x.detach().zero_()
        out.append([c.numpy(), c.stop_gradient, c.is_leaf, c.inplace_version])
    return out


@program
def set_value_through_rows(paddle, np):
    """set_value and copy_ of contiguous views write the base; the version stays."""
    x = paddle.arange(6, dtype="float32").reshape([2, 3])
    x[1].set_value(np.float32([7, 8, 9]))
    x[0].copy_(paddle.to_tensor([4.0, 5.0, 6.0]), True)
    x[:, 1].copy_(paddle.to_tensor([0.0, 1.0]), True)
    return [x.numpy(), x.inplace_version]


@program
def no_grad_writes(paddle, np):
    """Under no_grad values change and histories do not."""
    x = leaf(paddle, [1.0, 2.0, 3.0])
    y = x * 2
    v = y[1:]
    with paddle.no_grad():
        y.scale_(10.0)
        v.add_(paddle.ones([2]))
    v.sum().backward()
    return [y.numpy(), v.numpy(), facts(v), facts(y), x.grad.numpy()]


@program
def views_under_no_grad(paddle, np):
    """A view made under no_grad shares values and stops gradients."""
    x = leaf(paddle, [1.0, 2.0, 3.0])
    y = x * 2
    with paddle.no_grad():
        v, w = y[1:], y.reshape([3, 1])
    v.scale_(2.0)
    y.sum().backward()
    return [facts(v), facts(w), y.numpy(), w.numpy(), x.grad.numpy()]


@program
def nodes_of_views(paddle, np):
    """The node, dtype and shape of every view."""
    x = leaf(paddle, np.arange(24, dtype="float32").reshape(2, 3, 4))
    return {name: facts(view(paddle, x * 1)) for name, view in SHARING.items()}


@program
def gradients_of_views(paddle, np):
    """Gradients through views that nobody writes."""
    out = {}
    for name, view in SHARING.items():
        if name in ("detach", "data") or name.startswith("view as"):
            continue
        x = leaf(paddle, np.arange(24, dtype="float32").reshape(2, 3, 4))
        pull(paddle, np, view(paddle, x * 1))
        out[name] = x.grad.numpy()
    return out


@program
def versions_are_of_the_memory(paddle, np):
    """A write anywhere in the memory makes a saved tensor stale."""

    def run(write):
        x = leaf(paddle, [1.0, 2.0, 3.0, 4.0])
        y = x * 2
        squared = y[:2] * y[:2]
        write(y)
        return attempt(lambda: squared.sum().backward())

    writes = {
        "none": lambda y: None,
        "the base": lambda y: y.scale_(2.0),
        "the same slice": lambda y: y[:2].zero_(),
        "another slice": lambda y: y[2:].zero_(),
        "reshaped": lambda y: y.reshape([2, 2])[1].zero_(),
        "detached": lambda y: y.detach().zero_(),
        "a copy": lambda y: y.clone().zero_(),
        "set_value": lambda y: y[2:].set_value(np.float32([1, 2])),
    }
    return {name: run(write) for name, write in writes.items()}


@program
def optimizer_seen_through_views(paddle, np):
    """A step is seen through every view of the parameter, and moves no version."""
    w = paddle.create_parameter([2, 2], "float32")
    w.set_value(np.float32([[1, 2], [3, 4]]))
    views = [w.T, w.detach(), w[1], w.reshape([4])]
    w.grad = paddle.ones([2, 2])
    optimizer = paddle.optimizer.SGD(0.5, [w])
    optimizer.step()
    optimizer.step()
    return [w.numpy(), [v.numpy() for v in views], w.inplace_version]


@program
def errors_of_new_views(paddle, np):
    """What narrow, unfold, diagonal and friends refuse."""
    x = paddle.ones([2, 4])
    return [
        attempt(lambda: paddle.narrow(x, 2, 0, 1))["error"],
        attempt(lambda: x.unfold(1, 5, 1))["error"],
        attempt(lambda: x.unfold(1, 2, 0))["error"],
        attempt(lambda: x.diagonal(0, 1, 1))["error"],
        attempt(lambda: x[0].diagonal())["error"],
        attempt(lambda: paddle.matrix_transpose(x[0]))["error"],
    ]


@program
def shapes_of_new_views(paddle, np):
    """Shapes and values of narrow, unfold, diagonal and as_strided at their edges."""
    x = paddle.arange(12, dtype="float32").reshape([3, 4])
    return [
        paddle.narrow(x, -1, -2, 2).numpy(),
        paddle.narrow(x, 0, paddle.to_tensor(1), 2).numpy(),
        list(paddle.narrow(x, 0, 3, 0).shape),
        x.unfold(-1, 3, 1).numpy(),
        x.unfold(0, 2, 2).numpy(),
        x.diagonal(-2).numpy(),
        list(x.diagonal(9).shape),
        paddle.as_strided(x, [2, 3], [4, 1], 16).numpy(),
        paddle.as_strided(x[1:], [4], [3]).numpy(),
        paddle.as_strided(x, [], [], 8).numpy(),
    ]
