"""Bools among indices, and the order of axes where an int or nothing parts arrays."""

from ..probe import leaf, pull, refuses
from ..registry import differs, program


def _bools(paddle, np):
    """Returns indices of a [3, 4] tensor that hold bools, which both libraries take."""
    mask = paddle.to_tensor([True, False, True])
    return {
        "True": True,
        "False": False,
        "tensor": paddle.to_tensor(True),
        "0-D array": np.array(False),
        "before an int": (True, 0),
        "after an int": (0, True),
        "last": (slice(None), True),
        "last, False": (slice(None), False),
        "after None": (None, True),
        "after dots": (..., True),
        "before a list": (True, [0, 1]),
        "after a list": ([0, 1], True),
        "apart": (True, slice(None), [1]),
        "two": (True, True),
        "beside a mask": (True, mask),
        "dots between": (True, ..., 0),
    }


def _array(np):
    return np.random.default_rng(9).normal(size=(3, 4)).astype("float32")


@program
def reading_with_bools(paddle, np):
    """What is read, and the gradient of it."""
    found = {}
    for name, index in _bools(paddle, np).items():
        x = leaf(paddle, _array(np))
        y = x[index]
        pull(paddle, np, y)
        found[name] = [y.numpy(), x.grad.numpy()]
    return found


@program
def writing_with_bools(paddle, np):
    """A number and a tensor written, and the gradient of what was written over.

    (Paddle refuses a tensor written nowhere.)
    """
    found = {}
    for name, index in _bools(paddle, np).items():
        x, z = leaf(paddle, _array(np)), paddle.to_tensor(_array(np))
        z[index] = 7.0
        y = x * 1.0
        y[index] = 7.0 if 0 in y[index].shape else paddle.to_tensor([7.0])
        pull(paddle, np, y)
        found[name] = [z.numpy(), y.numpy(), x.grad.numpy()]
    return found


@program
def bools_that_fit_nowhere(paddle, np):
    """A list of bools of another length is a mask, and refused."""
    return refuses(lambda: paddle.ones([3, 4])[[True]])


@differs(
    "Paddle takes no np.bool_, and cannot write where a True and a False stand together",
    right={"np.bool_": [1, 3, 4], "writing": 12.0},
    paddle_gives={"np.bool_": "ValueError", "writing": "ValueError"},
)
def bools_of_numpy_and_false_beside_true(paddle, np):
    """Reading x[np.bool_(True)], and the sum after x[True, False] = 5."""

    def written():
        x = paddle.ones([3, 4])
        x[True, False] = 5.0
        return float(x.sum())

    def of(call):
        try:
            return call()
        except ValueError:
            return "ValueError"

    read = of(lambda: [int(n) for n in paddle.ones([3, 4])[np.bool_(True)].shape])
    return {"np.bool_": read, "writing": of(written)}


_PARTED = {"int": (0, slice(None), [0, 1]), "int and dots": (0, ..., [0, 1])}
_PARTED |= {"bool": (0, slice(None), True), "dots of nothing": (slice(None), [0, 1], ..., [0, 1])}


@differs(
    "Paddle does not count an int, or dots that stand for no axis, as parted from the arrays; "
    "in NumPy what they pick together comes first",
    right={"int": [2, 4], "int and dots": [2, 4], "bool": [1, 4, 5], "dots of nothing": [2, 3]},
    paddle_gives={
        "int": [4, 2], "int and dots": [4, 2], "bool": [4, 1, 5], "dots of nothing": [3, 2]
    },
)  # fmt: skip
def axes_of_parted_indices(paddle, np):
    """The shapes that are read from [3, 4, 5]."""
    x = paddle.to_tensor(np.zeros((3, 4, 5), "float32"))
    return {name: [int(n) for n in x[index].shape] for name, index in _PARTED.items()}
