"""A bool in an index: True is a mask for all of the tensor, False for no element."""

import numpy as np
import pytest

import jaxeager as paddle
from jaxeager.errors import InvalidArgumentError, OutOfRangeError

A = np.arange(12, dtype="float32").reshape(3, 4)
MASK = np.array([True, False, True])
EVERYTHING = slice(None)
FORMS = {
    "True": True,
    "False": False,
    "np.bool_": np.bool_(True),
    "0-D array": np.array(False),
    "True and int": (True, 0),
    "int and True": (0, True),
    "at the end": (EVERYTHING, False),
    "None before": (None, True),
    "Ellipsis before": (..., True),
    "Ellipsis after": (True, ..., 0),
    "True and list": (True, [0, 1]),
    "list and True": ([0, 1], True),
    "apart from a list": (True, EVERYTHING, [1, 2]),
    "apart from an int": (0, EVERYTHING, True),
    "two": (True, True),
    "True and False": (True, False),
    "next to a mask": (MASK, True),
    "before a mask": (True, MASK),
    "next to a bool list": (EVERYTHING, True, [True, False, False, True]),
    "everything": (None, True, 1, ..., True),
}


@pytest.mark.parametrize("name", FORMS)
@pytest.mark.parametrize("as_tensor", [False, True])
def test_reading_and_writing(name, as_tensor):
    """Reads match NumPy's, and are copies; so do writes, for numbers and tensors."""
    index = FORMS[name]
    given = tensors_of(index) if as_tensor else index
    want, x = A.copy(), paddle.to_tensor(A)
    found = x[given]
    assert tuple(found.shape) == want[index].shape
    np.testing.assert_array_equal(found.numpy(), want[index])
    found.fill_(100.0)
    np.testing.assert_array_equal(x.numpy(), A)
    value = np.arange(want[index].size, dtype="float32").reshape(want[index].shape) - 50
    want[index] = value
    x[given] = paddle.to_tensor(value)
    np.testing.assert_array_equal(x.numpy(), want)
    want[index] = 7.0
    x[given] = 7.0
    np.testing.assert_array_equal(x.numpy(), want)


def tensors_of(index):
    """Return an index with its bools and masks as Tensors."""
    if isinstance(index, tuple):
        return tuple(tensors_of(each) for each in index)
    is_bool = isinstance(index, (bool, np.bool_, np.ndarray))
    return paddle.to_tensor(np.asarray(index)) if is_bool else index


@pytest.mark.parametrize("name", ["True", "False", "int and True", "apart from a list"])
def test_gradients(name):
    """First and second derivatives of reading and writing are checked."""
    index = FORMS[name]
    x = paddle.to_tensor(A, stop_gradient=False)
    (grad,) = paddle.grad((x[index] ** 3).sum(), x, create_graph=True)
    picked = np.zeros_like(A)
    np.add.at(picked, index, 1.0)
    np.testing.assert_allclose(grad.numpy(), 3 * A**2 * picked)
    (second,) = paddle.grad(grad.sum(), x)
    np.testing.assert_allclose(second.numpy(), 6 * A * picked)

    x, value = (paddle.to_tensor(each, stop_gradient=False) for each in (A, np.float32(2)))
    y = x * 1.0
    y[index] = value * value
    first = paddle.grad((y**2).sum(), [x, value], create_graph=True)
    count = picked.sum()
    np.testing.assert_allclose(first[0].numpy(), 2 * A * (picked == 0))
    np.testing.assert_allclose(first[1].numpy(), 4 * 2.0**3 * count)
    second = paddle.grad(first[0].sum() + first[1], [x, value])
    np.testing.assert_allclose(second[0].numpy(), 2.0 * (picked == 0))
    np.testing.assert_allclose(second[1].numpy(), 12 * 2.0**2 * count)


def test_of_a_number():
    """A 0-D tensor is read as [1] or [0], and written by True alone."""
    x = paddle.to_tensor(2.0)
    assert (x[True].tolist(), x[False].tolist(), x[paddle.to_tensor(True)].tolist()) == (
        [2.0],
        [],
        [2.0],
    )
    x[False] = 5.0
    assert x.item() == 2.0
    x[True] = 5.0
    assert x.item() == 5.0
    x[x > 3.0] += 1.0
    assert x.item() == 6.0


def test_values_that_do_not_fit():
    """The value has more elements than the place, or arrays do not broadcast with False."""
    x = paddle.to_tensor(A)
    with pytest.raises(InvalidArgumentError, match=r"target shape: \[1, 3, 4\].*\[2, 3, 4\]"):
        x[True] = paddle.ones([2, 3, 4])
    with pytest.raises(InvalidArgumentError, match="broadcast"):
        x[False, [0, 1]]
    with pytest.raises(OutOfRangeError, match="Too many indices: 3"):
        x[True, 0, 0, 0]
    np.testing.assert_array_equal(x.numpy(), A)


def test_index_kinds():
    """Objects with __index__, empty lists, narrow integers, and steps beyond 64 bits work."""

    class One:
        def __index__(self):
            return 1

    x = paddle.to_tensor(A)
    assert x[One()].tolist() == A[1].tolist()
    assert x[One() :].tolist() == A[1:].tolist()
    assert x[[[]]].shape == [1, 0, 4]
    assert x[np.zeros(0)].shape == [0, 4]
    assert x[:: 2**70].tolist() == A[:1].tolist()
    assert x[:: -(2**70)].tolist() == A[-1:].tolist()
    many = paddle.arange(300)
    assert many[paddle.to_tensor([-1], dtype="int8")].tolist() == [299]
    assert many[np.array([200], "uint8")].tolist() == [200]
    assert paddle.ones([3, 4, 5])[:, 0, ..., [0, 1]].shape == [2, 3]  # separated, as in NumPy


@pytest.mark.parametrize(
    ("index", "text"),
    [
        (slice(1.5, None), "slice indices only allows None, integers.*1.5"),
        (slice("a"), "received 'a'"),
        ([[0, 1], [0]], "lists of different lengths"),
        (np.zeros(1), "received float64 in 0th slice item"),
        ((0, "a"), "received str in 1th slice item"),
        ([2**70], "received object"),
    ],
)
def test_no_index(index, text):
    """An invalid index raises one of the library's errors, in reading and writing."""
    x = paddle.to_tensor(A)
    with pytest.raises(InvalidArgumentError, match=text):
        x[index]
    with pytest.raises(InvalidArgumentError, match=text):
        x[index] = 0.0
    np.testing.assert_array_equal(x.numpy(), A)
