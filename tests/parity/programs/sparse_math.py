"""paddle.sparse: functions of entries, of two tensors, sums and shapes."""

from ..probe import leaf, refuses
from ..registry import differs, program
from .sparse_tensors import coo, csr, parts

UNARY = (
    "sin tan asin atan sinh tanh asinh atanh sqrt square log1p abs neg deg2rad rad2deg expm1"
).split()


def pulled(paddle, np, function, values=(0.5, 0.25, 0.75), **more):
    """Returns a sparse result and the gradient of the values it was made from."""
    v = leaf(paddle, list(values))
    y = function(coo(paddle, v, **more))
    out = y.values()
    weights = np.linspace(-1.0, 2.0, out.size).reshape(out.shape).astype("float32")
    out.backward(paddle.to_tensor(weights))
    return [parts(y), v.grad.numpy()]


@program
def sparse_unary(paddle, np):
    """Functions that keep 0, of both kinds, with gradients."""
    out = {}
    for name in UNARY:
        function = getattr(paddle.sparse, name)
        x = csr(paddle, (0.5, 0.25, 0.75, 0.125))
        y = function(x)
        y.backward()
        out[name] = [pulled(paddle, np, function), parts(y), x.grad.values().numpy()]
    return out


@program
def sparse_unary_more(paddle, np):
    """pow, cast, isnan, dtypes, dense tensors refused."""
    s = paddle.sparse
    nan = coo(paddle, (1.0, float("nan"), 2.0))
    integers = coo(paddle, [1, 2, 3], stop_gradient=True)
    return [
        pulled(paddle, np, lambda x: s.pow(x, 2)),
        pulled(paddle, np, lambda x: s.pow(x, 2.5)),
        pulled(paddle, np, lambda x: s.cast(x, "int32", "float64")),
        parts(s.cast(csr(paddle), "int32", "float64")),
        parts(s.cast(integers, value_dtype="float32")),
        parts(s.isnan(nan)),
        parts(s.sin(integers)),
        [refuses(lambda f=f: f(paddle.ones([2]))) for f in (s.sin, s.square, s.abs, s.isnan)],
    ]


@program
def sparse_binary(paddle, np):
    """add, subtract, multiply of one pattern and of two, both kinds, with gradients."""
    s, out = paddle.sparse, {}
    other = [[0, 1, 1], [1, 0, 2]]
    for name in ("add", "subtract", "multiply"):
        function = getattr(s, name)
        found = []
        for indices in ([[0, 1, 2], [1, 2, 0]], other):
            v, w = leaf(paddle, [1.0, 2.0, 3.0]), leaf(paddle, [5.0, 6.0, 7.0])
            y = function(coo(paddle, v), coo(paddle, w, indices))
            (y.to_dense() * paddle.to_tensor(np.arange(9.0, dtype="float32").reshape(3, 3))).sum(
            ).backward()  # fmt: skip
            found.append([parts(y), v.grad.numpy(), w.grad.numpy()])
        z = s.sparse_csr_tensor([0, 1, 1, 2], [1, 0], [5.0, 6.0], [3, 3])
        found.append([parts(function(csr(paddle), csr(paddle))), parts(function(csr(paddle), z))])
        out[name] = found
    return out


@program
def sparse_binary_more(paddle, np):
    """Integers, vectors as entries, numbers, operands that do not fit."""
    s = paddle.sparse
    integers = coo(paddle, [1, 2, 3], stop_gradient=True)
    vectors = np.arange(6, dtype="float32").reshape(3, 2)
    one = coo(paddle, vectors, shape=(3, 3, 2), stop_gradient=True)
    two = coo(paddle, vectors, [[0, 1, 1], [1, 0, 2]], (3, 3, 2), stop_gradient=True)
    wide = coo(paddle, shape=(3, 4))
    return [
        [parts(f(integers, integers)) for f in (s.add, s.subtract, s.multiply)],
        [parts(f(one, two)) for f in (s.add, s.subtract, s.multiply)],
        pulled(paddle, np, lambda x: s.multiply(x, 2.0)),
        refuses(lambda: s.add(coo(paddle), wide)),
        refuses(lambda: s.add(coo(paddle), csr(paddle))),
        refuses(lambda: s.multiply(coo(paddle), paddle.ones([3, 3]))),
        refuses(lambda: s.add(integers, coo(paddle))),
        refuses(lambda: s.add(coo(paddle), 2.0)),
    ]


@program
def sparse_divide(paddle, np):
    """divide has every coordinate: 0 / 0 is NaN."""
    s = paddle.sparse
    v, w = leaf(paddle, [1.0, 2.0, 3.0]), leaf(paddle, [4.0, 5.0, 6.0])
    y = s.divide(coo(paddle, v), coo(paddle, w))
    other = coo(paddle, (5.0, 6.0, 7.0), [[0, 1, 1], [1, 0, 2]])
    return [
        parts(y),
        parts(s.divide(coo(paddle), other)),
        parts(s.divide(csr(paddle), csr(paddle))),
        parts(s.divide(coo(paddle), 2.0))["values"],
    ]


@program
def sparse_sums(paddle, np):
    """sum over one axis, both kinds, with gradients."""
    s = paddle.sparse
    repeated = [[0, 0, 1], [1, 2, 1]]
    vectors = np.arange(6, dtype="float32").reshape(3, 2)
    deep = coo(paddle, vectors, shape=(3, 3, 2))
    return [
        pulled(paddle, np, lambda x: s.sum(x, 0)),
        pulled(paddle, np, lambda x: s.sum(x, 1)),
        pulled(paddle, np, lambda x: s.sum(x, -1, keepdim=True)),
        pulled(paddle, np, lambda x: s.sum(x, keepdim=True)),
        parts(s.sum(coo(paddle, indices=repeated), 0)),
        parts(s.sum(coo(paddle, indices=repeated), 1, keepdim=True)),
        parts(s.sum(deep, 0)),
        parts(s.sum(deep, 2)),
        parts(s.sum(coo(paddle), 0, "float64"))["dtype"],
        parts(s.sum(csr(paddle))),
        parts(s.sum(csr(paddle), -1)),
        parts(s.sum(csr(paddle), -1, keepdim=True)),
        refuses(lambda: s.sum(csr(paddle), 0)),
        refuses(lambda: s.sum(coo(paddle), 2)),
    ]


@program
def sparse_shapes(paddle, np):
    """reshape, transpose, slice: coordinates, values, nodes."""
    s = paddle.sparse
    x, y = coo(paddle), csr(paddle)
    return [
        [parts(s.reshape(x, shape)) for shape in ([9], [1, 9], [-1, 1], [0, -1], [1, 3, 3])],
        parts(s.reshape(y, [1, 9])),
        pulled(paddle, np, lambda x: s.reshape(x, [9])),
        pulled(paddle, np, lambda x: s.transpose(x, [1, 0])),
        [parts(s.transpose(y, perm)) for perm in ([1, 0], [0, 1])],
        parts(s.slice(x, [0], [0], [2])),
        parts(s.slice(x, [0, 1], [0, 1], [2, 3])),
        parts(s.slice(x, [1], [-2], [100])),
        parts(s.slice(y, [0], [1], [3])),
        parts(s.slice(y, [0, 1], [0, 1], [2, 3])),
        s.is_same_shape(x, y),
        s.is_same_shape(x, paddle.ones([3, 4])),
        refuses(lambda: s.reshape(x, [2, 4])),
        refuses(lambda: s.reshape(y, [9])),
        refuses(lambda: s.transpose(x, [0, 0])),
        refuses(lambda: s.slice(x, [2], [0], [1])),
        refuses(lambda: s.slice(x, [0], [0, 1], [2])),
    ]


@program
def sparse_batches(paddle, np):
    """CSR batches: transpose, slice, elementwise."""
    s = paddle.sparse
    x = s.sparse_csr_tensor(
        [0, 2, 3, 0, 1, 2], [1, 2, 0, 1, 0], [1.0, 2.0, 3.0, 4.0, 5.0], [2, 2, 3]
    )
    return [
        parts(each)
        for each in (
            s.transpose(x, [0, 2, 1]),
            s.transpose(x, [2, 0, 1]),
            s.slice(x, [0], [1], [2]),
            s.add(x, x),
            s.square(x),
        )
    ]


@program
def sparse_mask_as(paddle, np):
    """mask_as of both kinds, with gradients."""
    out = []
    vectors = coo(paddle, np.ones((3, 2), "float32"), [[0, 1, 2]], (3, 2), stop_gradient=True)
    for mask in (coo(paddle), csr(paddle), vectors):
        x = leaf(paddle, np.arange(mask.size, dtype="float32").reshape(mask.shape))
        y = paddle.sparse.mask_as(x, mask)
        y.values().sum().backward() if mask.is_sparse_coo() else None
        out.append([parts(y), None if x.grad is None else x.grad.numpy()])
    x = paddle.ones([3, 3])
    out.append(refuses(lambda: paddle.sparse.mask_as(x, coo(paddle, shape=(3, 4)))))
    return [*out, refuses(lambda: paddle.sparse.mask_as(x, x))]


@differs(
    "The gradient has the shape of the values; Paddle gives one of the shape of the slice.",
    right=[1.0, 1.0, 0.0],
    paddle_gives=[0.0, 0.0],
)
def sparse_slice_gradient(paddle, np):
    """The gradient through slice."""
    v = leaf(paddle, [1.0, 2.0, 3.0])
    paddle.sparse.slice(coo(paddle, v), [0], [0], [2]).values().sum().backward()
    return v.grad.tolist()


@differs(
    "A sum over two axes is over both; Paddle sums over the first alone.",
    right=[6.0],
    paddle_gives=[3.0, 1.0, 2.0],
)
def sparse_sum_of_two_axes(paddle, np):
    """sum over a list of axes."""
    return paddle.sparse.sum(coo(paddle), [0, 1]).values().tolist()


@differs(
    "The sum of all is one entry with one coordinate; Paddle's has indices [0] and a scalar.",
    right=[[[0]], [6.0], [1]],
    paddle_gives=[[0], 6.0, [1]],
)
def sparse_sum_of_all(paddle, np):
    """sum over everything."""
    y = paddle.sparse.sum(coo(paddle))
    return [y.indices().tolist(), y.values().tolist(), list(y.shape)]


@differs(
    "Coordinates that are not sorted meet those that are; Paddle lists places twice then.",
    right=[[0.0, 4.0, 0.0], [0.0, 0.0, 4.0], [6.0, 0.0, 0.0]],
    paddle_gives=[[0.0, 1.0, 0.0], [0.0, 0.0, 2.0], [6.0, 0.0, 0.0]],
)
def sparse_add_of_unsorted(paddle, np):
    """add with coordinates in another order."""
    one = coo(paddle, (3.0, 2.0, 1.0), [[2, 1, 0], [0, 2, 1]])
    return paddle.sparse.add(one, coo(paddle, (3.0, 2.0, 3.0))).to_dense().tolist()


@differs(
    "A slice of entries that are vectors keeps them; Paddle makes scalars of them.",
    right=[[0.0, 1.0], [2.0, 3.0]],
    paddle_gives=[0.0, 1.0],
)
def sparse_slice_of_vectors(paddle, np):
    """slice of entries that are vectors."""
    x = coo(paddle, np.arange(6, dtype="float32").reshape(3, 2), shape=(3, 3, 2))
    return paddle.sparse.slice(x, [0], [0], [2]).values().tolist()


@differs(
    "A product of a sparse and a dense matrix; Paddle has no CPU kernel.",
    right=[[3.0], [3.0], [4.0]],
    paddle_gives={"error": "NotImplementedError", "category": "Unimplemented"},
)
def sparse_matmul(paddle, np):
    """matmul of a CSR matrix and a dense one."""

    def run():
        return paddle.sparse.matmul(csr(paddle), paddle.ones([3, 1])).tolist()

    found = refuses(run)
    return run() if found == "no error" else found
