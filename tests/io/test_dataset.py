"""Datasets, and datasets of datasets."""

import pytest

import jaxeager as paddle
from jaxeager.errors import InvalidArgumentError, InvalidTypeError

io = paddle.io


class Squares(io.Dataset):
    """n squares."""

    def __init__(self, n):
        self.n = n

    def __getitem__(self, idx):
        return idx * idx

    def __len__(self):
        return self.n


class Stream(io.IterableDataset):
    """Three numbers in a row."""

    def __iter__(self):
        yield from (5, 6, 7)


def test_a_method_that_a_dataset_does_not_define_is_named():
    """The names of the method and the class are in the message."""
    with pytest.raises(NotImplementedError, match="'__getitem__' not implement in class Dataset"):
        io.Dataset()[0]
    with pytest.raises(NotImplementedError, match="'__len__' not implement in class Dataset"):
        len(io.Dataset())
    with pytest.raises(NotImplementedError, match="'__iter__' not implement"):
        iter(io.IterableDataset())


def test_an_iterable_has_no_index():
    """Neither index nor length, yet list() works."""
    with pytest.raises(RuntimeError, match="should not be called for IterableDataset Stream"):
        Stream()[0]
    with pytest.raises(InvalidTypeError, match="'__len__' should not be called"):
        len(Stream())
    assert list(Stream()) == [5, 6, 7]


def test_tensor_dataset():
    """Rows of each tensor; lengths must agree."""
    data = io.TensorDataset([paddle.to_tensor([[1, 2], [3, 4], [5, 6]]), paddle.arange(3)])
    assert len(data) == 3
    first, second = data[2]
    assert (first.tolist(), second.item()) == ([5, 6], 2)
    assert [field.tolist() for field in data.rows([2, 0])] == [[[5, 6], [1, 2]], [2, 0]]
    with pytest.raises(InvalidArgumentError, match=r"1st dimension: .*\[\[2\], \[3\]\]"):
        io.TensorDataset([paddle.ones([2]), paddle.ones([3])])
    with pytest.raises(InvalidArgumentError, match="1st dimension"):
        io.TensorDataset([])


def test_compose():
    """Fields side by side."""
    data = io.ComposeDataset([Squares(3), io.ComposeDataset([Squares(3), Squares(3)])])
    assert data[2] == (4, 4, 4)
    assert len(data) == 3
    with pytest.raises(InvalidArgumentError, match=r"lengths of datasets should be same.*\[3, 4\]"):
        io.ComposeDataset([Squares(3), Squares(4)])
    with pytest.raises(InvalidArgumentError, match="but got a Stream"):
        io.ComposeDataset([Stream()])
    with pytest.raises(InvalidArgumentError, match="empty"):
        io.ComposeDataset([])


def test_chain():
    """One stream after another."""
    assert list(io.ChainDataset([Stream(), Stream()])) == [5, 6, 7, 5, 6, 7]
    with pytest.raises(InvalidArgumentError, match="but got a Squares"):
        io.ChainDataset([Squares(2)])


def test_concat():
    """One index over all, from either end."""
    data = io.ConcatDataset([Squares(3), [10, 11]])
    assert [data[i] for i in range(5)] == [0, 1, 4, 10, 11]
    assert [data[-i] for i in range(1, 6)] == [11, 10, 4, 1, 0]
    assert data.cumulative_sizes == [3, 5]
    for index in (5, -6):
        with pytest.raises(InvalidArgumentError, match=f"but the index is {index} for 5"):
            data[index]
    with pytest.raises(InvalidArgumentError, match="does not support IterableDataset"):
        io.ConcatDataset([Stream()])


def test_subset():
    """It has some samples in another order."""
    data = io.Subset(Squares(9), [5, 2])
    assert [data[0], data[1], len(data)] == [25, 4, 2]


def test_random_split():
    """Disjoint parts that cover everything, repeatable by seed."""
    parts = io.random_split(range(100, 110), [3, 7])
    assert [len(part) for part in parts] == [3, 7]
    everything = [part[i] for part in parts for i in range(len(part))]
    assert sorted(everything) == list(range(100, 110))
    assert everything != sorted(everything)
    paddle.seed(3)
    first = io.random_split(range(50), [25, 25])[0].indices
    paddle.seed(3)
    assert io.random_split(range(50), [25, 25])[0].indices == first
    assert [len(part) for part in io.random_split(range(10), [0.33, 0.33, 0.34])] == [4, 3, 3]


def test_random_split_refuses():
    """It refuses lengths that do not add up, invalid shares, and empty parts."""
    with pytest.raises(InvalidArgumentError, match=r"\[3, 3\] for 10 samples"):
        io.random_split(range(10), [3, 3])
    with pytest.raises(InvalidArgumentError, match="Fraction at index 0 is not between 0 and 1"):
        io.random_split(range(10), [1.5, -0.5])
    with pytest.warns(UserWarning, match="Length of split at index 1 is 0"):
        io.random_split(range(1), [0.5, 0.5])
