"""DataLoader: batches, their order and sources, and errors."""

import numpy as np
import pytest

import jaxeager as paddle
from jaxeager.errors import (
    InvalidArgumentError,
    InvalidTypeError,
    UnimplementedError,
    UnmatchedError,
)
from tests.support.datasets import Made

io = paddle.io


class Stream(io.IterableDataset):
    """Five numbers in a row."""

    def __iter__(self):
        return iter(np.arange(5, dtype=np.float32))


def _shown(batch):
    """Return a batch with (dtype, values) for its tensors."""
    if isinstance(batch, paddle.Tensor):
        return (str(batch.dtype).removeprefix("paddle."), batch.tolist())
    if isinstance(batch, dict):
        return {key: _shown(value) for key, value in batch.items()}
    return [_shown(item) for item in batch] if isinstance(batch, list) else batch


BATCHES = [
    (lambda i: np.full(1, i, "float32"), ("float32", [[0.0], [1.0]])),
    (lambda i: (np.int32(i), i), [("int32", [0, 1]), ("int64", [0, 1])]),
    (lambda i: (i * 1.5,), [("float64", [0.0, 1.5])]),
    (lambda i: [i, [i, (i,)]], [("int64", [0, 1]), [("int64", [0, 1]), [("int64", [0, 1])]]]),
    (
        lambda i: {"a": i, "b": {"c": True}},
        {"a": ("int64", [0, 1]), "b": {"c": ("bool", [True] * 2)}},
    ),
    (lambda i: paddle.full([1], i, "int32"), ("int32", [[0], [1]])),
    (lambda i: (f"s{i}", i), [["s0", "s1"], ("int64", [0, 1])]),
    (lambda i: np.array(i), ("int64", [0, 1])),
    (lambda i: 1j * i, ("complex128", [0j, 1j])),
]


@pytest.mark.parametrize("workers", [0, 2])
@pytest.mark.parametrize(("make", "expected"), BATCHES)
def test_default_collate(make, expected, workers):
    """Arrays, numbers, tensors and containers of them, as Paddle collates them."""
    loader = io.DataLoader(Made(make, 5), batch_size=2, num_workers=workers)
    batches = list(loader)
    assert _shown(batches[0]) == expected
    assert len(batches) == len(loader) == 3


def test_batches_do_not_stop_short_of_the_end():
    """The last, smaller batch is returned unless it is dropped."""
    data = Made(lambda i: i, 5)
    assert [b.tolist() for b in io.DataLoader(data, batch_size=2)] == [[0, 1], [2, 3], [4]]
    dropped = io.DataLoader(data, batch_size=2, drop_last=True)
    assert [b.tolist() for b in dropped] == [[0, 1], [2, 3]]
    assert len(dropped) == 2


def test_again_and_again():
    """Every pass starts again; when shuffled, in another order."""
    loader = io.DataLoader(Made(lambda i: i, 20), batch_size=20, shuffle=True)
    first, second = (next(iter(loader)).tolist() for _ in range(2))
    assert sorted(first) == sorted(second) == list(range(20))
    assert first != second
    assert [batch.tolist() for batch in io.DataLoader([7, 8])()] == [[7], [8]]


def test_shuffling_is_paddles():
    """The order after np.random.seed is Paddle's."""
    np.random.seed(3)
    loader = io.DataLoader(Made(lambda i: i, 8), batch_size=4, shuffle=True)
    assert [batch.tolist() for batch in loader] == [[5, 7, 4, 6], [3, 1, 0, 2]]


def test_batch_sampler():
    """It alone determines the samples."""
    data = Made(lambda i: i, 5)
    sampler = io.BatchSampler(sampler=[4, 0, 2], batch_size=2)
    assert [b.tolist() for b in io.DataLoader(data, batch_sampler=sampler)] == [[4, 0], [2]]
    for arguments in ({"batch_size": 2}, {"shuffle": True}, {"drop_last": True}):
        with pytest.raises(InvalidArgumentError, match="should not be set when batch_sampler"):
            io.DataLoader(data, batch_sampler=sampler, **arguments)


def test_samples_one_by_one():
    """With batch_size None each sample is returned, arrays as tensors."""
    loader = io.DataLoader(Made(lambda i: (np.full(2, i), i), 5), batch_size=None)
    assert [_shown(sample) for sample in loader][3] == [("int64", [3, 3]), 3]
    assert len(loader) == 5
    with pytest.raises(InvalidArgumentError, match="need a batch_size"):
        io.DataLoader(Made(lambda i: i, 5), batch_size=None, shuffle=True)


def test_collate_fn():
    """It gets the list of samples; its arrays become tensors."""
    data = Made(lambda i: i, 5)
    loader = io.DataLoader(data, batch_size=2, collate_fn=lambda batch: {"sum": sum(batch)})
    assert list(loader) == [{"sum": 1}, {"sum": 5}, {"sum": 4}]
    loader = io.DataLoader(data, batch_size=5, collate_fn=lambda batch: (np.array(batch), "x"))
    assert _shown(next(iter(loader))) == [("int64", [0, 1, 2, 3, 4]), "x"]


def test_tensor_dataset_is_gathered():
    """A batch of its rows is the same as stacking them."""
    rows = paddle.to_tensor([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])
    data = io.TensorDataset([rows, paddle.arange(3)])
    gathered = [_shown(batch) for batch in io.DataLoader(data, batch_size=2)]
    stacked = [_shown(batch) for batch in io.DataLoader(io.Subset(data, range(3)), batch_size=2)]
    assert gathered == stacked
    assert gathered[0] == [("float32", [[1.0, 2.0], [3.0, 4.0]]), ("int64", [0, 1])]


def test_iterable():
    """They are read in batches, without the last, or one by one; options with an index fail."""
    stream = Stream()
    assert [b.tolist() for b in io.DataLoader(stream, batch_size=2)] == [[0, 1], [2, 3], [4]]
    dropped = io.DataLoader(stream, batch_size=2, drop_last=True)
    assert [b.tolist() for b in dropped] == [[0, 1], [2, 3]]
    assert [b.item() for b in io.DataLoader(stream, batch_size=None)] == [0, 1, 2, 3, 4]
    with pytest.raises(InvalidArgumentError, match="length of IterableDataset not supported"):
        len(io.DataLoader(stream))
    for arguments in ({"shuffle": True}, {"batch_sampler": [[0]]}):
        with pytest.raises(InvalidArgumentError, match="samples in its own order"):
            io.DataLoader(stream, **arguments)
    with pytest.raises(InvalidArgumentError, match="batch_size should be a positive"):
        io.DataLoader(stream, batch_size=0)


@pytest.mark.parametrize("workers", [0, 2])
def test_an_error_in_the_dataset(workers):
    """It is raised where the batch is requested, after the batches before it (Paddle hangs)."""

    def make(i):
        if i == 3:
            raise OSError("cannot read sample 3")
        return i

    loader = iter(io.DataLoader(Made(make, 5), batch_size=2, num_workers=workers))
    assert next(loader).tolist() == [0, 1]
    with pytest.raises(OSError, match="cannot read sample 3"):
        next(loader)


def test_samples_that_do_not_stack():
    """The error names shapes, numbers of fields and types."""
    for make, kind, text in [
        (lambda i: np.zeros(i + 1), InvalidArgumentError, r"different shapes, \[\(1,\), \(2,\)\]"),
        (lambda i: [0] * (i + 1), UnmatchedError, "fields number not same .* \\[1, 2\\]"),
        (lambda i: None, InvalidTypeError, "but got NoneType"),
    ]:
        with pytest.raises(kind, match=text):
            next(iter(io.DataLoader(Made(make, 5), batch_size=2)))


def test_places():
    """Batches are on the devices in places."""
    batch = next(iter(io.DataLoader([1, 2], places=[paddle.CPUPlace()])))
    assert batch.place == paddle.CPUPlace()


def test_wrong_arguments():
    """Negative counts, and options of static graphs are refused."""
    with pytest.raises(InvalidArgumentError, match="num_workers should be a non-negative"):
        io.DataLoader([1], num_workers=-1)
    with pytest.raises(InvalidArgumentError, match="timeout should be a non-negative"):
        io.DataLoader([1], timeout=-1)
    with pytest.raises(UnimplementedError, match="feed_list belongs to static graphs"):
        io.DataLoader([1], feed_list=[])
