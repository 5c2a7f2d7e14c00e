"""Sparse tensors: how they are made, their parts, gradients, conversions."""

from ..probe import attempt, error_of, leaf, refuses
from ..registry import CRASHES, differs, program

INDICES = [[0, 1, 2], [1, 2, 0]]


def coo(paddle, values=(1.0, 2.0, 3.0), indices=INDICES, shape=(3, 3), **more):
    """Returns a small COO tensor that wants gradients."""
    more.setdefault("stop_gradient", False)
    values = list(values) if isinstance(values, tuple) else values
    return paddle.sparse.sparse_coo_tensor(indices, values, list(shape), **more)


def csr(paddle, values=(1.0, 2.0, 3.0, 4.0), **more):
    """Returns a small CSR tensor that wants gradients."""
    more.setdefault("stop_gradient", False)
    values = list(values) if isinstance(values, tuple) else values
    return paddle.sparse.sparse_csr_tensor([0, 2, 3, 4], [0, 2, 1, 0], values, [3, 3], **more)


def parts(x):
    """Returns what a user can read off a sparse tensor."""
    if x.is_sparse_coo():
        where = {"indices": x.indices().numpy()}
    else:
        where = {"crows": x.crows().numpy(), "cols": x.cols().numpy()}
    return {
        **where,
        "values": x.values().numpy(),
        "shape": list(x.shape),
        "dtype": str(x.dtype),
        "stop_gradient": x.stop_gradient,
        "node": None if x.stop_gradient else x.grad_fn.name(),
    }


@program
def sparse_parts(paddle, np):
    """What both kinds answer about themselves."""
    out = []
    for x in (coo(paddle), csr(paddle)):
        out.append([
            parts(x), repr(x), str(x), x.nnz(), x.ndim, x.dim(), int(x.size), len(x),
            x.sparse_dim(), x.dense_dim(), x.is_sparse(), x.is_sparse_coo(), x.is_sparse_csr(),
            x.is_dense(), x.is_leaf, x.grad, str(x.place), x.values().grad_fn.name(),
            x.is_same_shape(x), parts(x.detach()), x.detach().is_leaf,
        ])  # fmt: skip
    return out


@program
def sparse_members_of_the_values(paddle, np):
    """What a sparse tensor has from its values: devices, kinds of dtype, requires_grad."""
    found = {}
    for name, x in (("coo", coo(paddle)), ("csr", csr(paddle))):
        found[name] = [
            *(parts(each) for each in (x.cpu(), x.to("cpu"), x.astype("float32"), x.float())),
            x.is_complex(), x.is_floating_point(), x.is_integer(), x.is_selected_rows(),
            x.element_size(), x.itemsize, x.ndimension(), x.persistable, x.requires_grad,
            x.requires_grad_() is x, x.stop_gradient, x.layout, x.inplace_version,
            paddle.sparse.isnan(x).to_dense().numpy(),
        ]  # fmt: skip
        x.requires_grad = False
        found[name].append(x.stop_gradient)
    return found


@program
def sparse_coo_forms(paddle, np):
    """Shapes found, dtypes, entries that are vectors, one dimension."""
    make = paddle.sparse.sparse_coo_tensor
    return [
        parts(each)
        for each in (
            make(INDICES, [1.0, 2.0, 3.0]),
            make(INDICES, [1, 2, 3]),
            make(INDICES, [1, 2, 3], dtype="float64"),
            make(np.array(INDICES, "int32"), np.array([1, 2, 3], "float64"), [4, 5]),
            make(INDICES, [[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]),
            make([[0, 2]], [1.0, 2.0], (4,)),
            make(paddle.to_tensor(INDICES), paddle.to_tensor([1.0, 2.0, 3.0]), [3, 3]),
            make(INDICES, np.array([1j, 2, 3], "complex64")),
        )
    ]


@program
def sparse_csr_forms(paddle, np):
    """Shapes found, dtypes, batches."""
    make = paddle.sparse.sparse_csr_tensor
    batch = ([0, 2, 3, 0, 1, 2], [1, 2, 0, 1, 0], [1.0, 2.0, 3.0, 4.0, 5.0])
    found = [
        make([0, 2, 3], [1, 2, 0], [1.0, 2.0, 3.0]),
        make([0, 2, 3], [1, 2, 0], [1, 2, 3], [2, 4], dtype="float64"),
        make(*batch, [2, 2, 3]),
        make(*batch),
    ]
    return [[parts(x), x.to_dense().numpy(), parts(x.to_sparse_coo(2))] for x in found]


@program
def sparse_creation_errors(paddle, np):
    """Parts that do not fit each other."""
    coo_of, csr_of = paddle.sparse.sparse_coo_tensor, paddle.sparse.sparse_csr_tensor
    three = [1.0, 2.0, 3.0]
    return [
        attempt(lambda: coo_of([0, 1, 2], three)),
        attempt(lambda: coo_of(INDICES, [1.0, 2.0])),
        attempt(lambda: coo_of(INDICES, three, [3, 3, 1])),
        attempt(lambda: coo_of([[0.0, 1.0, 2.0]], three)),
        error_of(lambda: coo_of(INDICES, three, [2, 9])),
        error_of(lambda: coo_of(np.array(INDICES, "uint8"), three)),
        attempt(lambda: csr_of([0, 2, 3], [1, 2, 0], [1.0, 2.0], [2, 3])),
        attempt(lambda: csr_of([0, 2, 3], [1, 2, 0], three, [3, 3])),
        attempt(lambda: csr_of([1, 2, 3], [1, 2, 0], three, [2, 3])),
        attempt(lambda: csr_of([0, 2, 2], [1, 2, 0], three, [2, 3])),
        attempt(lambda: csr_of([0, 2, 3], [1, 2, 0], three, [6])),
        attempt(lambda: csr_of([0, 2, 3, 0, 1], [1, 2, 0, 1], [*three, 4.0], [2, 2, 3])),
        attempt(lambda: csr_of([[0, 2, 3]], [1, 2, 0], three, [2, 3])),
        attempt(lambda: csr_of([0.0, 2.0, 3.0], [1, 2, 0], three, [2, 3])),
    ]


@program
def sparse_method_errors(paddle, np):
    """Methods that only another kind of tensor has."""
    dense, x, y = paddle.ones([2, 2]), coo(paddle), csr(paddle)
    return [
        dense.is_sparse(), dense.is_sparse_coo(), dense.is_sparse_csr(), dense.sparse_dim(),
        dense.dense_dim(), refuses(dense.nnz), refuses(dense.indices), refuses(dense.crows),
        refuses(dense.cols), refuses(dense.values), refuses(dense.coalesce),
        refuses(dense.is_coalesced), refuses(x.crows), refuses(x.cols), refuses(y.indices),
        refuses(y.coalesce), refuses(y.is_coalesced), refuses(lambda: dense.to_sparse_coo(3)),
        refuses(lambda: dense.to_sparse_coo(0)), refuses(lambda: dense[0].to_sparse_csr()),
    ]  # fmt: skip


@program
def dense_to_sparse(paddle, np):
    """to_sparse_coo and to_sparse_csr of dense tensors, and back, with gradients."""
    out = []
    matrix = np.array([[0.0, 2.0, 0.0], [3.0, 0.0, -1.0]])
    for dims in (1, 2):
        x = leaf(paddle, matrix)
        y = x.to_sparse_coo(dims)
        z = y.to_dense()
        z.backward(paddle.to_tensor(np.arange(6.0).reshape(2, 3)))
        out.append([parts(y), y.is_coalesced(), z.numpy(), z.grad_fn.name(), x.grad.numpy()])
    x = leaf(paddle, np.stack([matrix, matrix[::-1]]))
    y = x.to_sparse_csr()
    out.append([y.crows().numpy(), y.cols().numpy(), y.values().numpy(), y.to_dense().numpy()])
    z = coo(paddle).to_sparse_csr()
    return [*out, z.crows().numpy(), z.cols().numpy(), z.values().numpy(), z.stop_gradient]


@program
def sparse_coo_gradients(paddle, np):
    """Gradients of the values a COO tensor was made from, and of the tensor itself."""
    v = leaf(paddle, [1.0, 2.0, 3.0])
    x = coo(paddle, v)
    y = paddle.sparse.square(x)
    y.to_dense().sum().backward()
    out = [v.grad.numpy(), x.grad, x.is_leaf, y.grad]
    x = coo(paddle)
    x.retain_grads()
    seed = coo(paddle, (1.0, 10.0, 100.0), stop_gradient=True)
    paddle.sparse.square(x).backward(seed)
    out.append(parts(x.grad)["values"])
    x = coo(paddle, stop_gradient=True)
    x.stop_gradient = False
    paddle.sparse.square(x).values().sum().backward()
    out += [x.is_leaf, x.grad.values().numpy(), x.grad.indices().numpy()]
    v = leaf(paddle, [1.0, 2.0, 3.0])
    x = paddle.sparse.sparse_coo_tensor(INDICES, v)
    return [*out, v.stop_gradient, x.stop_gradient]


@program
def sparse_csr_gradients(paddle, np):
    """The gradient of a CSR leaf is sparse."""
    x = csr(paddle)
    y = paddle.sparse.square(x)
    y.backward(csr(paddle, (1.0, 10.0, 100.0, 1000.0), stop_gradient=True))
    found = [x.grad.values().numpy(), x.grad.crows().numpy(), x.grad.cols().numpy()]
    return [x.is_leaf, found, x.grad.is_sparse_csr(), y.grad, y.grad_fn.name()]


@differs(
    "The gradients of two backward runs add up; Paddle's process dies.",
    right=[4.0, 8.0, 12.0, 16.0],
    paddle_gives=CRASHES,
)
def sparse_csr_gradients_add_up(paddle, np):
    """Two backward runs to one CSR leaf."""
    x = csr(paddle)
    for _ in range(2):
        paddle.sparse.square(x).backward()
    return x.grad.values().tolist()


@differs(
    "Gradients pass to_sparse_csr, as they pass to_sparse_coo; Paddle cuts the graph.",
    right=[[0.0, 4.0], [6.0, 0.0]],
    paddle_gives=None,
)
def to_sparse_csr_gradient(paddle, np):
    """The gradient of a dense tensor through to_sparse_csr."""
    x = leaf(paddle, [[0.0, 2.0], [3.0, 0.0]])
    paddle.sparse.square(x.to_sparse_csr()).backward()
    return None if x.grad is None else x.grad.tolist()


def _coalesced(paddle, np):
    v = leaf(paddle, [1.0, 2.0, 3.0, 4.0])
    x = paddle.sparse.sparse_coo_tensor([[1, 0, 1, 0], [1, 1, 1, 0]], v, [2, 2])
    y = paddle.sparse.coalesce(x)
    return [y.indices().numpy(), y.values().numpy(), y.is_coalesced(), x.is_coalesced()]


@program
def coalesce_values(paddle, np):
    """coalesce sorts coordinates and adds entries of one place up."""
    x = paddle.sparse.sparse_coo_tensor([[1, 0, 1]], [[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]], [2, 2])
    y = x.coalesce()
    return [_coalesced(paddle, np), y.indices().numpy(), y.values().numpy(), y.is_coalesced()]


@differs(
    "A coalesced tensor has the gradients of what it was made from; Paddle stops them.",
    right=False,
    paddle_gives=True,
)
def coalesce_stops_gradient(paddle, np):
    """Whether gradients pass coalesce."""
    return coo(paddle).coalesce().stop_gradient


@differs(
    "Entries of one place add up, as coalesce() does; Paddle keeps the last, and its gradient is "
    "that of the sum.",
    right=[[3.0, 3.0], [0.0, 0.0]],
    paddle_gives=[[2.0, 3.0], [0.0, 0.0]],
)
def sparse_to_dense_of_repeated(paddle, np):
    """to_dense of coordinates that repeat."""
    x = paddle.sparse.sparse_coo_tensor([[0, 0, 0], [0, 0, 1]], [1.0, 2.0, 3.0], [2, 2])
    return x.to_dense().tolist()


@differs(
    "A tensor that nothing is stored of is all 0; Paddle cannot make one.",
    right=[[0.0, 0.0], [0.0, 0.0]],
    paddle_gives={"error": "ValueError", "category": "InvalidArgument"},
)
def sparse_coo_of_nothing(paddle, np):
    """A COO tensor without entries."""

    def run():
        empty = np.zeros((2, 0), "int64")
        return paddle.sparse.sparse_coo_tensor(empty, [], [2, 2]).to_dense().tolist()

    found = refuses(run)
    return run() if found == "no error" else found


@differs(
    "The gradient of to_dense is read at the entries; Paddle has none for compressed rows.",
    right=[1.0, 1.0, 1.0, 1.0],
    paddle_gives={"error": "NotImplementedError", "category": "Unimplemented"},
)
def sparse_csr_to_dense_gradient(paddle, np):
    """The gradient of to_dense of a CSR tensor."""
    x = csr(paddle)
    y = x.to_dense().sum()
    found = refuses(y.backward)
    return x.grad.values().tolist() if found == "no error" else found


@differs(
    "Coordinates count from 0; Paddle takes negative ones, which belong to no place.",
    right="ValueError",
    paddle_gives="no error",
)
def sparse_negative_coordinates(paddle, np):
    """Negative coordinates."""
    return error_of(lambda: paddle.sparse.sparse_coo_tensor([[-1, 1]], [1.0, 2.0], [2]))


@differs(
    "A column outside the shape is an error; Paddle keeps it.",
    right="ValueError",
    paddle_gives="no error",
)
def sparse_columns_outside(paddle, np):
    """Columns that the shape does not have."""
    make = paddle.sparse.sparse_csr_tensor
    return error_of(lambda: make([0, 2, 3], [1, 2, 9], [1.0, 2.0, 3.0], [2, 3]))


@differs(
    "What a sparse tensor does not have is an AttributeError; Paddle's process dies.",
    right="AttributeError",
    paddle_gives=CRASHES,
)
def sparse_numpy(paddle, np):
    """numpy() of a sparse tensor."""
    return error_of(lambda: coo(paddle).numpy())


@program
def sparse_tensors_are_tensors(paddle, np):
    coo = paddle.sparse.sparse_coo_tensor([[0, 1], [1, 0]], [1.0, 2.0], [2, 2])
    return [paddle.is_tensor(x) for x in (coo, coo.to_sparse_csr(), coo.values(), [1.0])]


@differs(
    "a sparse tensor lacks most methods of a paddle.Tensor",
    right=[False, "AttributeError"],
    paddle_gives=CRASHES,
)
def a_sparse_tensor_is_no_dense_tensor(paddle, np):
    """numpy() ends Paddle's process."""
    coo = paddle.sparse.sparse_coo_tensor([[0, 1], [1, 0]], [1.0, 2.0], [2, 2])
    return [isinstance(coo, paddle.Tensor), error_of(lambda: coo.numpy())]
