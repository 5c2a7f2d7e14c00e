"""Samplers and batch samplers; the orders recorded are those of Paddle 3.3.1."""

import numpy as np
import pytest

import jaxeager as paddle
from jaxeager.errors import InvalidArgumentError, InvalidTypeError

io = paddle.io


def test_sequence():
    """First to last."""
    assert list(io.SequenceSampler("abcd")) == [0, 1, 2, 3]
    assert len(io.SequenceSampler("abcd")) == 4
    with pytest.raises(NotImplementedError, match="must define __iter__"):
        iter(io.Sampler())


def test_random_order_is_paddles():
    """The order after np.random.seed is Paddle's."""
    np.random.seed(3)
    batches = list(io.BatchSampler(range(8), shuffle=True, batch_size=4))
    assert batches == [[5, 7, 4, 6], [3, 1, 0, 2]]


def test_random():
    """It samples with and without replacement, and from a custom generator."""
    assert sorted(io.RandomSampler(range(20))) == list(range(20))
    some = list(io.RandomSampler(range(20), num_samples=5))
    assert len(set(some)) == 5
    drawn = list(io.RandomSampler(range(2), replacement=True, num_samples=50))
    assert len(drawn) == 50
    assert set(drawn) == {0, 1}
    assert list(io.RandomSampler(range(8), generator=iter([3, 1]))) == [3, 1]


def test_random_refuses():
    """It refuses more samples than there are, none, and a replacement that is not a bool."""
    with pytest.raises(InvalidArgumentError, match="num_samples: 10 > data_source: 8"):
        io.RandomSampler(range(8), num_samples=10)
    with pytest.raises(InvalidArgumentError, match="num_samples=0"):
        io.RandomSampler([])
    with pytest.raises(InvalidTypeError, match="replacement=1"):
        io.RandomSampler(range(8), replacement=1)


def test_subset():
    """It returns the given indices, each once."""
    assert sorted(io.SubsetRandomSampler([9, 5, 7])) == [5, 7, 9]
    assert len(io.SubsetRandomSampler([9, 5, 7])) == 3
    with pytest.raises(InvalidArgumentError, match="should be greater than 0"):
        io.SubsetRandomSampler([])


def test_weighted():
    """Frequencies follow the weights: lists, arrays, tensors and rows of weights."""
    drawn = list(io.WeightedRandomSampler([1.0, 0.0, 3.0], 4000))
    assert len(drawn) == 4000
    assert set(drawn) == {0, 2}
    assert drawn.count(2) / 4000 == pytest.approx(0.75, abs=0.03)
    assert sorted(io.WeightedRandomSampler(paddle.to_tensor([1.0, 2.0]), 2, False)) == [0, 1]
    rows = io.WeightedRandomSampler(np.array([[1.0, 0.0], [0.0, 1.0]]), 3)
    assert list(rows) == [0, 0, 0, 1, 1, 1]
    assert len(rows) == 6


def test_weighted_refuses():
    """It refuses invalid weights."""
    for weights, text in [
        ([0.0, 0.0], "have 0 positive values"),
        ([-1.0, 2.0], "not negative"),
        ([np.nan, 2.0], "not negative, INF or NaN"),
        ([np.inf, 2.0], "INF"),
        (np.ones([1, 1, 1]), "1-D or 2-D"),
    ]:
        with pytest.raises(InvalidArgumentError, match=text):
            list(io.WeightedRandomSampler(weights, 2))
    with pytest.raises(InvalidArgumentError, match="1 positive values, but 2"):
        list(io.WeightedRandomSampler([1.0, 0.0], 2, replacement=False))
    with pytest.raises(InvalidArgumentError, match="num_samples should be a positive integer"):
        io.WeightedRandomSampler([1.0], 0)
    with pytest.raises(InvalidArgumentError, match="replacement should be a boolean"):
        io.WeightedRandomSampler([1.0], 1, 1)


def test_batches():
    """They are of a dataset or a sampler, with the last one kept or dropped."""
    assert list(io.BatchSampler(range(5), batch_size=2)) == [[0, 1], [2, 3], [4]]
    dropped = io.BatchSampler(sampler=[4, 3, 2], batch_size=2, drop_last=True)
    assert list(dropped) == [[4, 3]]
    assert [len(dropped), len(io.BatchSampler(range(5), batch_size=2))] == [1, 3]


REFUSED = [
    ({}, "either a dataset or a sampler"),
    ({"dataset": range(3), "sampler": range(3)}, "either a dataset or a sampler"),
    ({"dataset": range(3), "batch_size": 0}, "batch_size should be a positive integer, but got 0"),
    ({"dataset": range(3), "batch_size": 1.5}, "batch_size should be a positive"),
    ({"sampler": range(3), "shuffle": True}, "shuffle should be False when sampler is set"),
    ({"dataset": range(3), "shuffle": 1}, "shuffle should be a boolean value, but got 1"),
    ({"dataset": range(3), "drop_last": 1}, "drop_last should be a boolean value"),
    ({"dataset": io.IterableDataset()}, "should not be a paddle.io.IterableDataset"),
]


@pytest.mark.parametrize(("arguments", "text"), REFUSED)
def test_batches_refuse(arguments, text):
    """It refuses arguments that exclude each other."""
    with pytest.raises(InvalidArgumentError, match=text):
        io.BatchSampler(**arguments)


def test_distributed_shares_are_paddles():
    """The shares are Paddle's for three processes, and the orders for two epochs of two."""
    shares = [
        list(io.DistributedBatchSampler(range(10), 2, num_replicas=3, rank=rank))
        for rank in range(3)
    ]
    assert shares == [[[0, 1], [6, 7]], [[2, 3], [8, 9]], [[4, 5], [0, 1]]]
    sampler = io.DistributedBatchSampler(range(10), 2, num_replicas=2, rank=0, shuffle=True)
    assert list(sampler) == [[2, 8], [1, 6], [0]]
    assert list(sampler) == [[2, 9], [0, 3], [8]]
    sampler.set_epoch(0)
    assert list(sampler) == [[2, 8], [1, 6], [0]]
    assert len(sampler) == 3


def test_distributed_covers_everything():
    """Together the processes see every sample, and each the same number."""
    for total in (1, 2, 7, 12):
        samplers = [
            io.DistributedBatchSampler(range(total), 2, num_replicas=3, rank=rank)
            for rank in range(3)
        ]
        shares = [[index for batch in sampler for index in batch] for sampler in samplers]
        assert {len(share) for share in shares} == {-(-total // 3)}
        assert set().union(*shares) == set(range(total))


def test_distributed_alone():
    """Without arguments it is the one process there is."""
    assert list(io.DistributedBatchSampler(range(3), 2)) == [[0, 1], [2]]
    with pytest.raises(InvalidArgumentError, match="rank should be an integer from 0 to 1"):
        io.DistributedBatchSampler(range(3), 2, num_replicas=2, rank=2)
    with pytest.raises(InvalidArgumentError, match="num_replicas should be a positive"):
        io.DistributedBatchSampler(range(3), 2, num_replicas=0, rank=0)
