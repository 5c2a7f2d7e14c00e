"""Reads and writes of an int8 tensor of 2 GiB, beyond the places that int32 counts.

``python -m tests.support.far_elements NAME`` prints what a case found, and what is right.
"""

import sys

import numpy as np

import jaxeager as paddle
from tests.support.long_axes import LONG

ENDS = [0, 1, LONG - 4, LONG - 3, LONG - 2, LONG - 1]
READ = {
    "x[-3]": (lambda x: x[-3], 5),
    "x[n - 5:]": (lambda x: x[LONG - 5 :], [0, -4, 5, 6, 3]),
    "x[-4:-1:2]": (lambda x: x[-4:-1:2], [-4, 6]),
    "x[::-1][:2]": (lambda x: x[-1:-3:-1], [3, 6]),
    "x[int32 tensor]": (lambda x: x[paddle.to_tensor([-3, 1], dtype="int32")], [5, 2]),
    "x[list]": (lambda x: x[[LONG - 1, 0]], [3, 1]),
    "gather": (lambda x: paddle.gather(x, paddle.to_tensor([LONG - 2, 1])), [6, 2]),
    "index_select": (lambda x: paddle.index_select(x, paddle.to_tensor([LONG - 2])), [6]),
    "take": (lambda x: paddle.take(x, paddle.to_tensor([LONG - 4, -1])), [-4, 3]),
    "take_along_axis": (
        lambda x: paddle.take_along_axis(x, paddle.to_tensor([LONG - 4]), 0),
        [-4],
    ),
    "argmax": (paddle.argmax, LONG - 2),
    "argmin": (paddle.argmin, LONG - 4),
    # Sums in int32: on a CPU, XLA copies the tensor into the dtype of the sum, 17 GB in int64.
    "count_nonzero": (lambda x: x.astype("bool").sum(dtype="int32"), 6),
    "sum": (lambda x: x.sum(dtype="int32"), 13),
    "nonzero": (lambda x: paddle.nonzero(x).flatten(), ENDS),
    "masked_select": (lambda x: paddle.masked_select(x, x.astype("bool")), [1, 2, -4, 5, 6, 3]),
    "split": (lambda x: paddle.split(x, [LONG - 2, 2])[1], [6, 3]),
    "flip": (lambda x: paddle.flip(x, 0)[:4], [3, 6, 5, -4]),
    "roll": (lambda x: paddle.roll(x, 3)[:4], [5, 6, 3, 1]),
    "concat": (lambda x: paddle.concat([x, x[:2]])[-3:], [3, 1, 2]),
    "reshape": (lambda x: x.reshape([2, -1])[1, -3:], [5, 6, 3]),
    "searchsorted": (
        lambda x: paddle.searchsorted(
            paddle.clip(x, 0, 1)[1:], paddle.to_tensor([2], dtype="int8")
        ),
        [LONG - 1],
    ),
    "narrow": (lambda x: paddle.narrow(x, 0, LONG - 2, 2), [6, 3]),
}
"""Case -> the function of the tensor, and its result."""


def long_tensor():
    """Return zeros except for the ends."""
    array = np.zeros(LONG, np.int8)
    array[[0, 1, -4, -3, -2, -1]] = [1, 2, -4, 5, 6, 3]
    return paddle.to_tensor(array)


def written(long):
    """Return the ends after writes of several kinds."""
    x = long.clone()
    x[LONG - 3] = 7
    x[-2:] = paddle.to_tensor([8, 9], dtype="int8")
    x[paddle.to_tensor([-4], dtype="int32")] = 10
    found = x[-5:].tolist()
    x = paddle.index_add(x, paddle.to_tensor([LONG - 1]), 0, paddle.ones([1], "int8"))
    found.append(x[-1].item())
    x = paddle.scatter(x, paddle.to_tensor([-1]), paddle.ones([1], "int8"))
    return paddle.to_tensor([*found, *x[-2:].tolist(), long[-3].item()])


CASES = READ | {"written": (written, [0, 10, 7, 8, 9, 10, 8, 1, 5])}


if __name__ == "__main__":
    function, wanted = CASES[sys.argv[1]]
    print(function(long_tensor()).tolist())
    print(wanted)
