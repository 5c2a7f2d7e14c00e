"""Reading and writing with every kind of index, and the gradients of both."""

from ..probe import array, attempt, leaf, pull, refuses
from ..registry import differs, program


def _indices(paddle, np):
    """Returns every kind of index into a [3, 4, 5] tensor."""
    return {
        "int": 1,
        "negative": -1,
        "two": (0, 2),
        "all": (0, 2, 3),
        "slice": slice(1, 3),
        "step": slice(None, None, 2),
        "backwards": (slice(None), slice(None, None, -1)),
        "clamped": slice(-10, 10),
        "empty": slice(2, 1),
        "colon": slice(None),
        "ellipsis": (..., 1),
        "ellipsis in the middle": (0, ..., 2),
        "None": None,
        "None inside": (slice(None), None, 1),
        "list": [0, 2],
        "list on axis 1": (slice(None), [3, 0, 0]),
        "two lists": ([0, 1], [1, 3]),
        "lists apart": ([0, 1], slice(None), [1, 3]),
        "array": np.array([2, -3]),
        "array 2-D": np.array([[0, 1], [2, 0]]),
        "tensor": paddle.to_tensor([1, 1]),
        "0-D tensor": paddle.to_tensor(2),
        "tensor and slice": (paddle.to_tensor([0, 2]), slice(1, 3)),
        "list and int": ([0, 1], 2),
        "broadcast lists": (np.array([[0], [2]]), np.array([1, 3])),
        "bool mask": np.arange(60).reshape(3, 4, 5) % 7 == 0,
        "mask on axis 0": np.array([True, False, True]),
        "mask of two axes": np.arange(12).reshape(3, 4) % 5 == 0,
        "bool list": [True, False, True],
        "mask on axis 1": (slice(None), np.array([True, False, True, False])),
        "slices": (slice(0, 2), slice(1, 4, 2), slice(-2, None)),
    }


def _array(np):
    return np.random.default_rng(9).normal(size=(3, 4, 5)).astype("float32")


def _as_index(paddle, np, index):
    """Returns masks as tensors."""
    return (
        paddle.to_tensor(index) if isinstance(index, np.ndarray) and index.dtype == bool else index
    )


@program
def reading(paddle, np):
    """The value of every kind of index."""
    x = paddle.to_tensor(_array(np))
    return {t: x[_as_index(paddle, np, i)].numpy() for t, i in _indices(paddle, np).items()}


@differs(
    "Paddle applies a list after None to the new axis, and its backward writes outside its buffers",
    right=[[1, 2, 4, 5], [1, 3, 2, 5]],
    paddle_gives=[[2, 3, 4, 5], [1, 2, 4, 5]],
)
def reading_with_none_before_a_list(paddle, np):
    """The shapes of x[None, [0, 1]] and x[None, :, [0, 1]] for an x of [3, 4, 5]."""
    x = paddle.to_tensor(_array(np))
    return [list(x[None, [0, 1]].shape), list(x[None, :, [0, 1]].shape)]


@program
def gradients_of_reading(paddle, np):
    """The gradient of every kind of index, with elements read more than once."""
    out = {}
    for text, index in _indices(paddle, np).items():
        x = leaf(paddle, _array(np))
        y = x[_as_index(paddle, np, index)]
        pull(paddle, np, y)
        out[text] = x.grad.numpy()
    return out


@program
def nodes_of_reading(paddle, np):
    """Which op each kind of index records."""
    x = leaf(paddle, _array(np)) * 1.0
    wanted = (
        "int", "two", "slice", "step", "backwards", "colon", "ellipsis", "None", "None inside",
        "list", "two lists", "array", "tensor", "0-D tensor", "mask on axis 0", "bool mask",
        "list on axis 1",
    )  # fmt: skip
    indices = _indices(paddle, np)
    return {t: x[_as_index(paddle, np, indices[t])].grad_fn.name() for t in wanted}


@program
def writing_scalars(paddle, np):
    """x[index] = number, the values and the gradient that is left."""
    out = {}
    for text, index in _indices(paddle, np).items():
        x = leaf(paddle, _array(np))
        y = x * 2
        y[_as_index(paddle, np, index)] = 7.0
        pull(paddle, np, y)
        out[text] = [y.numpy(), x.grad.numpy(), y.inplace_version]
    return out


@program
def writing_tensors(paddle, np):
    """x[index] = tensor: values, gradients of the target and of the written value."""
    out = {}
    skipped = {"list on axis 1", "tensor", "array 2-D", "empty"}  # Written twice, or not at all.
    for text, index in _indices(paddle, np).items():
        if text in skipped:
            continue
        x = leaf(paddle, _array(np))
        y = x * 2
        at = _as_index(paddle, np, index)
        value = leaf(paddle, np.random.default_rng(4).normal(size=y[at].shape).astype("float32"))
        y[at] = value
        pull(paddle, np, y)
        out[text] = [y.numpy(), x.grad.numpy(), array(value.grad)]
    return out


@program
def writing_broadcast_values(paddle, np):
    """A written value that is broadcast gets the summed gradient."""
    cases = {
        "row": (slice(0, 2), (5,)),
        "one": (slice(None), (1,)),
        "0-D": (1, ()),
        "column": ((0,), (4, 1)),
        "leading ones": (0, (1, 4, 5)),
    }
    out = {}
    for text, (index, shape) in cases.items():
        y = leaf(paddle, _array(np)) * 1.0
        value = leaf(paddle, np.random.default_rng(4).normal(size=shape).astype("float32"))
        y[index] = value
        pull(paddle, np, y)
        out[text] = [y.numpy(), value.grad.numpy()]
    return out


@program
def nodes_of_writing(paddle, np):
    """Which op each kind of assignment records."""
    base = leaf(paddle, np.float32([1.0, 2.0, 3.0]))
    values = {
        "scalar": (0, 5.0),
        "scalar slice": (slice(0, 2), 5.0),
        "tensor": (slice(0, 2), paddle.to_tensor([1.0, 2.0])),
        "list": ([0, 2], paddle.to_tensor([1.0, 2.0])),
        "list scalar": ([0, 2], 5.0),
        "tensor index": (paddle.to_tensor([0]), paddle.to_tensor([1.0])),
        "mask": (paddle.to_tensor([True, False, True]), 5.0),
        "mask values": (paddle.to_tensor([True, False, True]), paddle.to_tensor([1.0, 2.0])),
    }
    out = {}
    for text, (index, value) in values.items():
        y = base * 1.0
        y[index] = value
        out[text] = [y.numpy(), y.grad_fn.name(), y.inplace_version]
    return out


@program
def writing_into_constants(paddle, np):
    """Assignment into tensors that need no gradient, casting the value to their dtype."""
    x = paddle.zeros([3], dtype="int64")
    x[0] = 2.7
    x[1] = True
    f = paddle.zeros([2, 2])
    f[0] = np.array([1, 2])
    f[1, 1] = paddle.to_tensor(3, dtype="int64")
    b = paddle.zeros([2], dtype="bool")
    b[1] = True
    grown = paddle.zeros([2])
    w = leaf(paddle, [5.0])
    grown[1:] = w
    (grown * grown).sum().backward()
    return {
        "int": x.numpy(),
        "float": f.numpy(),
        "bool": b.numpy(),
        "becomes differentiable": [grown.stop_gradient, w.grad.numpy()],
        "versions": [x.inplace_version, f.inplace_version],
    }


@program
def index_errors(paddle, np):
    """Out of range, too many, wrong kind, wrong mask, wrong value."""
    x = paddle.ones([2, 3])
    y = paddle.ones([2, 3])
    return {
        "range": attempt(lambda: x[5]),
        "range of axis 1": attempt(lambda: x[0, -4]),
        "too many": refuses(lambda: x[0, 0, 0]),
        "float": refuses(lambda: x[1.0]),
        "text": refuses(lambda: x["a"]),
        "mask": attempt(lambda: x[paddle.to_tensor([True, False, True])]),
        "0-D": refuses(lambda: paddle.to_tensor(1.0)[0]),
        "step 0": refuses(lambda: x[::0])["error"],
        "write range": refuses(lambda: y.__setitem__(5, 1.0)),
        "write list": refuses(lambda: y.__setitem__(0, [1.0, 2.0, 3.0])),
        "write shape": refuses(lambda: y.__setitem__(0, paddle.ones([2]))),
        "leaf": attempt(lambda: leaf(paddle, [1.0]).__setitem__(0, 2.0)),
    }


@program
def chained_writes(paddle, np):
    """Several writes into one tensor, then a read: the last writer gets the gradient."""
    x, v, w = (
        leaf(paddle, np.float32([1.0, 2.0, 3.0, 4.0])),
        leaf(paddle, [10.0]),
        leaf(paddle, [20.0, 30.0]),
    )
    y = x * x
    y[0:1] = v
    y[0:2] = w
    y[3] = y[2] * 2
    (y * paddle.to_tensor([1.0, 2.0, 3.0, 4.0])).sum().backward()
    return [y.numpy(), x.grad.numpy(), v.grad.numpy(), w.grad.numpy(), y.inplace_version]


@differs(
    "Paddle reads whatever lies behind an integer index out of range",
    right="IndexError",
    paddle_gives="no error",
)
def tensor_index_out_of_range(paddle, np):
    """x[tensor] with an index that is not there."""
    try:
        paddle.ones([3])[paddle.to_tensor([3])]
    except IndexError:
        return "IndexError"
    return "no error"


@differs(
    "Paddle gives the value written to a repeated place its gradient at the wrong element",
    right=[[2.0, 1.0], [0.0, 1.0]],
    paddle_gives=[[2.0, 1.0], [1.0, 0.0]],
)
def writing_one_place_twice(paddle, np):
    """y[[0, 0]] = v keeps the last value, so that one must get the gradient."""
    y, v = leaf(paddle, [5.0, 1.0]) * 1.0, leaf(paddle, [3.0, 2.0])
    y[[0, 0]] = v
    y.sum().backward()
    return [y.tolist(), v.grad.tolist()]
