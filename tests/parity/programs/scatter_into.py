"""Copies with a part replaced, diagonals, boxes, and tensors chosen from by rows."""

from ..probe import attempt, facts, grads, graph, leaf, pull, refuses
from ..registry import CRASHES, differs, program


def _numbers(np, *shape):
    return np.random.default_rng(3).normal(size=shape).astype("float32")


def _with_gradients(paddle, np, function, *arrays):
    """Returns value, graph and gradients of a function of tensors."""
    leaves = [leaf(paddle, each) for each in arrays]
    out = function(*leaves)
    pull(paddle, np, out)
    return [out.numpy(), graph(out), grads(*leaves)]


@program
def select_scatter_writes_one_index(paddle, np):
    """Values, gradients, dtypes, negative axes, and what does not fit."""
    x, row = _numbers(np, 3, 4), _numbers(np, 4)
    column = _numbers(np, 3)
    vector, number = _numbers(np, 3), _numbers(np)
    zeros = paddle.zeros([3, 4])
    dtypes = ("bool", "uint8", "int64", "float16", "bfloat16", "complex64")
    return {
        "column": _with_gradients(
            paddle, np, lambda a, b: paddle.select_scatter(a, b, 1, 2), x, column
        ),
        "last row": _with_gradients(
            paddle, np, lambda a, b: paddle.select_scatter(a, b, -2, -1), x, row
        ),
        "a vector": _with_gradients(
            paddle, np, lambda a, b: paddle.select_scatter(a, b, 0, 0), vector, number
        ),
        "cast": paddle.select_scatter(zeros, paddle.to_tensor([1, 2, 3]), 1, 0).numpy(),
        "method": zeros.select_scatter(paddle.ones([3]), 1, 3).numpy(),
        "dtypes": [
            str(
                paddle.select_scatter(
                    paddle.zeros([2, 2], dtype), paddle.ones([2], dtype), 0, 0
                ).dtype
            )
            for dtype in dtypes
        ],
        "wrong length": attempt(lambda: paddle.select_scatter(zeros, paddle.ones([4]), 1, 0)),
        "no broadcast": attempt(lambda: paddle.select_scatter(zeros, paddle.ones([1]), 1, 0)),
        "wrong axis": refuses(lambda: paddle.select_scatter(zeros, paddle.ones([3]), 5, 0))[
            "error"
        ],
    }


@differs(
    "an index that is not there writes nothing, and nobody is told",
    right={"error": "IndexError", "category": "OutOfRange"},
    paddle_gives="no error",
)
def select_scatter_outside(paddle, np):
    """An index behind the end."""
    return refuses(lambda: paddle.select_scatter(paddle.zeros([3, 4]), paddle.ones([3]), 1, 9))


@program
def slice_scatter_writes_a_part(paddle, np):
    """Steps, several axes, broadcasting, casting, and what does not fit."""
    x, two = _numbers(np, 3, 4), _numbers(np, 3, 2)

    def put(*box):
        return lambda a, b: paddle.slice_scatter(a, b, *box)

    zeros = paddle.zeros([3, 4])
    return {
        "part": _with_gradients(paddle, np, put([1], [1], [3], [1]), x, two),
        "steps": _with_gradients(paddle, np, put([1], [0], [4], [2]), x, two),
        "two axes": _with_gradients(paddle, np, put([0, 1], [0, 0], [3, 4], [2, 2]), x, two[:2]),
        "broadcast": _with_gradients(paddle, np, put([1], [1], [3], [1]), x, two[:1]),
        "backwards": paddle.slice_scatter(zeros, paddle.to_tensor(x), [1], [3], [-5], [-1]).numpy(),
        "negative start": paddle.slice_scatter(
            zeros, paddle.ones([3, 2]), [1], [-2], [10], [1]
        ).numpy(),
        "cast": paddle.slice_scatter(
            zeros.astype("int64"), paddle.full([3, 2], 2.7), [1], [1], [3], [1]
        ).numpy(),
        "everything": zeros.slice_scatter(zeros + 1, [], [], [], []).numpy(),
        "wrong shape": refuses(
            lambda: paddle.slice_scatter(zeros, paddle.ones([3, 3]), [1], [1], [3], [1])
        ),
        "wrong axis": refuses(
            lambda: paddle.slice_scatter(zeros, paddle.ones([3, 2]), [7], [1], [3], [1])
        ),
    }


@differs(
    "a negative axis is taken for no axis at all",
    right=[[0.0, 1.0, 1.0, 0.0]],
    paddle_gives={"error": "ValueError", "category": "InvalidArgument"},
)
def slice_scatter_negative_axis(paddle, np):
    """The last axis, counted from the end."""
    x, value = paddle.zeros([1, 4]), paddle.ones([1, 2])
    out = []
    error = refuses(lambda: out.append(paddle.slice_scatter(x, value, [-1], [1], [3], [1])))
    return out[0].tolist() if out else error


@program
def fill_diagonal_in_place(paddle, np):
    """Offsets, wrapping, cubes, dtypes, versions, gradients and errors."""

    def filled(shape, *args, dtype="float32", **kwargs):
        return paddle.zeros(shape, dtype).fill_diagonal_(*args, **kwargs).numpy()

    x = leaf(paddle, _numbers(np, 3, 4))
    y = x * 1
    same = y.fill_diagonal_(9.0) is y
    pull(paddle, np, y)
    return {
        "graph": [same, y.inplace_version, graph(y), y.numpy(), x.grad.numpy()],
        "wide": filled([3, 5], 1),
        "tall": filled([7, 3], 1),
        "wrapped": filled([7, 3], 1, wrap=True),
        "offset": filled([7, 3], 1, 1),
        "below": filled([7, 3], 1, -2),
        "offset and wrapped": filled([7, 3], 1, 1, True),
        "below and wrapped": filled([7, 3], 1, -1, True),
        "far": filled([3, 5], 1, 7),
        "cube": filled([3, 3, 3], 1),
        "cube with offset": filled([3, 3, 3], 1, 1),
        "cube below": filled([3, 3, 3], 1, -1),
        "nothing": filled([0, 3], 1),
        "integers": filled([2, 2], 1.7, dtype="int32"),
        "truth": filled([2, 2], 1, dtype="bool"),
        "tensor": filled([2, 2], paddle.to_tensor(3.0)),
        "leaf": attempt(lambda: leaf(paddle, [[1.0]]).fill_diagonal_(1.0)),
        "text": attempt(lambda: paddle.zeros([2, 2]).fill_diagonal_("a")),
    }


@differs(
    "a vector has no diagonal; the division by its missing width kills the process",
    right={"error": "ValueError", "category": "InvalidArgument"},
    paddle_gives=CRASHES,
)
def fill_diagonal_of_a_vector(paddle, np):
    """fill_diagonal_ of a tensor of one dimension."""
    return refuses(lambda: paddle.zeros([3]).fill_diagonal_(1.0))


@program
def diagonals_of_tensors(paddle, np):
    """fill_diagonal_tensor, its in-place twin, diagonal_scatter: values and gradients of x."""
    x, y = _numbers(np, 3, 4), paddle.to_tensor([7.0, 8.0, 9.0])
    deep = paddle.to_tensor(_numbers(np, 2, 3, 4))
    written = paddle.to_tensor(x)
    dtypes = ("bool", "uint8", "int64", "float16", "complex64")
    return {
        "scatter": _with_gradients(paddle, np, lambda a: paddle.diagonal_scatter(a, y), x)[::2],
        "offset": _with_gradients(paddle, np, lambda a: a.diagonal_scatter(y, 1), x)[::2],
        "planes": paddle.diagonal_scatter(deep, paddle.ones([3, 2]), -1, 2, 0).numpy(),
        "fill": _with_gradients(paddle, np, lambda a: a.fill_diagonal_tensor(y), x)[::2],
        "named": paddle.to_tensor(x).fill_diagonal_tensor(y, offset=1, dim1=-2, dim2=-1).numpy(),
        "in place": [
            written.fill_diagonal_tensor_(y) is written,
            written.inplace_version,
            written.numpy(),
        ],
        "dtypes": [
            str(paddle.zeros([2, 2], d).fill_diagonal_tensor(paddle.ones([2], d)).dtype)
            for d in dtypes
        ],
    }


@differs(
    "the values that are written take part in the result, and get no gradient",
    right=[[1.0, 2.0, 3.0]] * 2,
    paddle_gives=[None, None],
)
def diagonals_give_gradients(paddle, np):
    """The gradient of what is written to a diagonal."""
    out = []
    for function in (paddle.diagonal_scatter, paddle.Tensor.fill_diagonal_tensor):
        x, y = leaf(paddle, np.zeros((3, 3), "float32")), leaf(paddle, np.ones(3, "float32"))
        weights = paddle.to_tensor(np.diag([1.0, 2.0, 3.0]).astype("float32"))
        (function(x, y) * weights).sum().backward()
        out.append(None if y.grad is None else y.grad.tolist())
    return out


@program
def traces(paddle, np):
    """trace: offsets, planes, dtypes, errors."""
    x = _numbers(np, 3, 4)
    deep = paddle.to_tensor(_numbers(np, 2, 3, 4))
    dtypes = ("int32", "int64", "float16", "float64", "complex64")
    return {
        "plain": _with_gradients(paddle, np, paddle.trace, x),
        "offset": _with_gradients(paddle, np, lambda a: a.trace(1), x),
        "below": _with_gradients(paddle, np, lambda a: paddle.trace(a, offset=-1), x),
        "planes": paddle.trace(deep, 0, 2, 0).numpy(),
        "negative": paddle.trace(deep, 1, -1, -2).numpy(),
        "far": paddle.trace(deep, 9).numpy(),
        "nothing": paddle.trace(paddle.ones([0, 2])).numpy(),
        "dtypes": [str(paddle.trace(paddle.ones([2, 2], d)).dtype) for d in dtypes],
        "input": paddle.trace(input=paddle.to_tensor(x)).numpy(),
        "a vector": refuses(lambda: paddle.trace(paddle.ones([3]))),
        "one axis": refuses(lambda: paddle.trace(deep, 0, 1, 1)),
        "no axis": refuses(lambda: paddle.trace(deep, 0, 1, 5)),
    }


@program
def crops(paddle, np):
    """crop: every form of shape and offsets, gradients, and boxes that do not fit."""
    x = _numbers(np, 3, 4)
    t = paddle.to_tensor(x)

    def bad(*args):
        return attempt(lambda: paddle.crop(t, *args))

    return {
        "box": _with_gradients(paddle, np, lambda a: paddle.crop(a, [2, 2], [0, 1]), x),
        "rest": _with_gradients(paddle, np, lambda a: paddle.crop(a, [2, -1], [1, 1]), x),
        "all": paddle.crop(t).numpy(),
        "no offsets": paddle.crop(t, [2, 3]).numpy(),
        "tensors": paddle.crop(t, paddle.to_tensor([2, 2]), paddle.to_tensor([0, 1])).numpy(),
        "tuples": paddle.crop(t, (1, 2), (2, 0)).numpy(),
        "nothing": paddle.crop(t, [0, 2], [0, 1]).numpy(),
        "integers": facts(paddle.crop(paddle.to_tensor([1, 2, 3]), [2], [1])),
        "method": hasattr(paddle.Tensor, "crop"),
        "too big": bad([4, 2], [0, 1]),
        "outside": bad([2, 2], [2, 1]),
        "only offsets": bad(None, [1, 1]),
        "negative offset": bad([2, 2], [-1, 1]),
        "negative size": bad([-2, 2], [0, 1]),
        "short": bad([2], [0]),
        "short offsets": bad([2, 2], [0]),
        "no dimensions": attempt(lambda: paddle.crop(paddle.to_tensor(1.0), [], [])),
    }


@program
def multiplexes(paddle, np):
    """multiplex: rows of several tensors, gradients, fewer rows, and what does not fit."""
    a, b, c = (_numbers(np, 3, 2) * k for k in (1.0, 2.0, 3.0))

    def index(*rows):
        return paddle.to_tensor([[row] for row in rows], dtype="int32")

    def chosen(number, *arrays):
        return _with_gradients(
            paddle, np, lambda *tensors: paddle.multiplex(list(tensors), number), *arrays
        )

    x = paddle.to_tensor(a)
    return {
        "two": chosen(index(1, 0, 1), a, b),
        "three": chosen(index(2, 0, 1), a, b, c),
        "fewer rows": chosen(index(2), a, b, c)[:2],
        "deep": paddle.multiplex(
            [paddle.ones([2, 2, 2]), paddle.zeros([2, 2, 2])], index(1, 0)
        ).numpy(),
        "too far": refuses(lambda: paddle.multiplex([x, x], index(1, 2, 0))),
        "negative": refuses(lambda: paddle.multiplex([x, x], index(-1, 0, 0))),
        "one": refuses(lambda: paddle.multiplex([x], index(0, 0, 0))),
        "too many rows": refuses(lambda: paddle.multiplex([x, x], index(0, 0, 0, 0))),
        "vectors": refuses(lambda: paddle.multiplex([x[0], x[0]], index(0, 0))),
    }


@differs(
    "gradients have the shape of the result, not of the tensors",
    right=[[3, 2], [3, 2]],
    paddle_gives=[[1, 2], [1, 2]],
)
def multiplex_of_fewer_rows(paddle, np):
    """The gradients of tensors that have more rows than there are indices."""
    a, b = leaf(paddle, _numbers(np, 3, 2)), leaf(paddle, _numbers(np, 3, 2))
    paddle.multiplex([a, b], paddle.to_tensor([[1]], dtype="int32")).sum().backward()
    return [list(a.grad.shape), list(b.grad.shape)]


@program
def block_diagonals(paddle, np):
    """block_diag of matrices, a vector and a number; zero sizes, dtypes, errors."""
    blocks = [_numbers(np, 2, 3), _numbers(np, 2), _numbers(np)]
    empty = [paddle.ones([0, 3]), paddle.ones([2, 0]), paddle.ones([1, 1])]
    mixed = [paddle.ones([2]), paddle.to_tensor([1, 2])]
    return {
        "three": _with_gradients(
            paddle, np, lambda *tensors: paddle.block_diag(list(tensors)), *blocks
        ),
        "one": _with_gradients(paddle, np, lambda x: paddle.block_diag([x]), blocks[0]),
        "empty": paddle.block_diag(empty).numpy(),
        "integers": paddle.block_diag([paddle.to_tensor([1, 2])] * 2).numpy(),
        "complex": paddle.block_diag([paddle.to_tensor([1j]), paddle.to_tensor([2j])]).numpy(),
        "unbound": paddle.Tensor.block_diag(empty).tolist(),
        "nothing": refuses(lambda: paddle.block_diag([])),
        "deep": attempt(lambda: paddle.block_diag([paddle.ones([1, 2, 3])])),
        "dtypes": refuses(lambda: paddle.block_diag(mixed)),
    }


@program
def shard_indices(paddle, np):
    """shard_index of every shard, dtypes, and ids and shards that do not exist."""
    ids = paddle.to_tensor([[16], [1], [20], [13]])

    def bad(values, *args):
        return refuses(lambda: paddle.shard_index(paddle.to_tensor(values), *args))

    return {
        "shards": [paddle.shard_index(ids, 21, 3, shard).numpy() for shard in range(3)],
        "ignored": ids.shard_index(21, 2, 1, -5).numpy(),
        "int32": paddle.shard_index(ids.astype("int32"), 21, 2, 0).numpy(),
        "too far": bad([[22]], 20, 2, 1),
        "negative": bad([[-2]], 20, 2, 1),
        "a vector": bad([3], 20, 2, 1),
        "wide": bad([[3, 4]], 20, 2, 1),
        "no such shard": bad([[3]], 20, 2, 2),
        "no shards": bad([[3]], 20, 0, 0),
        "no ids": bad([[3]], 0, 2, 0),
    }
