"""BucketBatchSampler: every sample once, few lengths, the same order in every process."""

import pickle

import numpy as np
import pytest

import jaxeager as paddle
from jaxeager.errors import InvalidArgumentError

io = paddle.io
LENGTHS = np.random.RandomState(5).randint(1, 101, 500)


@pytest.mark.parametrize("spacing", ["quantiles", "powers"])
@pytest.mark.parametrize("count", [1, 3, 8])
@pytest.mark.parametrize("shuffle", [False, True])
def test_every_sample_is_read_once_and_there_are_few_lengths(spacing, count, shuffle):
    sampler = io.BucketBatchSampler(LENGTHS, 16, spacing, max_buckets=count, shuffle=shuffle)
    batches = list(sampler)
    assert sorted(index for batch in batches for index in batch) == list(range(500))
    assert len(batches) == len(sampler)
    assert 1 <= len(sampler.boundaries) <= count
    for batch in batches:
        assert len(padded_lengths(sampler, batch)) == 1
        assert len(batch) <= 16
    assert sum(len(batch) < 16 for batch in batches) <= len(sampler.boundaries)


def padded_lengths(sampler, batch):
    """Return the boundaries of the samples of a batch."""
    return {min(b for b in sampler.boundaries if b >= sampler.lengths[i]) for i in batch}


def test_smaller_batches_are_dropped():
    sampler = io.BucketBatchSampler(LENGTHS, 16, drop_last=True)
    batches = list(sampler)
    assert {len(batch) for batch in batches} == {16}
    assert len(batches) == len(sampler) < len(io.BucketBatchSampler(LENGTHS, 16))


def test_quantiles_share_the_samples_out_and_powers_hang_on_the_longest_alone():
    even = io.BucketBatchSampler(np.arange(1, 101), 1, max_buckets=4)
    assert even.boundaries == [26, 51, 76, 100]
    assert io.BucketBatchSampler([3, 17, 60, 64], 1, "powers", max_buckets=3).boundaries == [
        16, 32, 64,
    ]  # fmt: skip
    assert io.BucketBatchSampler([1, 1], 1, "powers").boundaries == [1]
    assert io.BucketBatchSampler([0, 0], 1).boundaries == [0]
    multiples = io.BucketBatchSampler(LENGTHS, 1, multiple_of=32)
    assert multiples.boundaries == [32, 64, 96, 128]
    assert multiples.padding() == pytest.approx(1 - LENGTHS.sum() / sum(-(-LENGTHS // 32) * 32))


def test_boundaries_of_ones_own_and_batches_by_tokens():
    given = io.BucketBatchSampler([1, 9, 2, 3], [3, 2, 1], [2, 4, 9])
    assert (given.boundaries, given.batch_sizes) == ([2, 4, 9], [3, 2, 1])
    assert list(given) == [[1], [0, 2], [3]]
    unused = io.BucketBatchSampler([1, 9], [3, 2, 1], [2, 4, 9])
    assert (unused.boundaries, unused.batch_sizes) == ([2, 9], [3, 1])
    tokens = io.BucketBatchSampler(LENGTHS, boundaries=[25, 50, 100], tokens=99)
    assert tokens.batch_sizes == [3, 1, 1]  # one sample at least


def test_the_order_is_that_of_the_epoch():
    def make(**more):
        return io.BucketBatchSampler(LENGTHS, 16, shuffle=True, **more)

    one, other = make(), make()
    first, second = list(one), list(one)
    assert first != second
    assert [list(other), list(other)] == [first, second]
    other.set_epoch(0)
    assert list(other) == first
    assert list(make(seed=1)) != first
    lasts = [len(batch) for batch in first]
    assert lasts != sorted(lasts, reverse=True)  # smaller batches may occur anywhere
    kept = io.BucketBatchSampler([1, 8, 2, 7], 2, [2, 8])
    assert list(kept) == list(kept) == [[0, 2], [1, 3]]


def test_lengths_come_from_samples_arrays_and_tensors():
    texts = ["ab", "c", "defg"]
    assert io.BucketBatchSampler(len, 1, dataset=texts).lengths.tolist() == [2, 1, 4]
    for lengths in ([2, 1, 4], np.array([2, 1, 4], "int32"), paddle.to_tensor([2, 1, 4])):
        assert io.BucketBatchSampler(lengths, 1).lengths.tolist() == [2, 1, 4]


def test_the_sampler_is_a_batch_sampler_that_can_be_pickled():
    sampler = io.BucketBatchSampler(LENGTHS, 16, shuffle=True)
    assert isinstance(sampler, io.BatchSampler)
    again = pickle.loads(pickle.dumps(sampler))
    assert list(again) == list(sampler)


REFUSED = [
    ([1], {}, "either batch_size or tokens, but got batch_size=None and tokens=None"),
    ([1], {"batch_size": 1, "tokens": 9}, "batch_size=1 and tokens=9"),
    ([1], {"batch_size": 0}, "batch_size should be a positive integer, but got 0"),
    ([1], {"batch_size": [1, 2]}, r"every boundary, \[1\], but is \[1, 2\]"),
    ([1], {"batch_size": [0]}, "batch_size should be a positive integer, but got 0"),
    ([1], {"tokens": -3}, "tokens should be a positive integer, but got -3"),
    ([1], {"batch_size": 1, "max_buckets": 0}, "max_buckets should be a positive"),
    ([1], {"batch_size": 1, "multiple_of": 0.5}, "multiple_of should be .* but got 0.5"),
    ([1], {"batch_size": 1, "shuffle": 1}, "shuffle should be a boolean value, but got 1"),
    ([1], {"batch_size": 1, "boundaries": "even"}, r"'quantiles', 'powers'\), but got 'even'"),
    ([1], {"batch_size": 1, "boundaries": [4, 2]}, r"rising lengths, .* got \[4, 2\]"),
    ([1], {"batch_size": 1, "boundaries": []}, "rising lengths"),
    (
        [1, 70, 90, 3],
        {"batch_size": 1, "boundaries": [64]},
        "2 of 4 samples are longer than the last boundary, 64; the longest, sample 2, has 90",
    ),
    ([], {"batch_size": 1}, r"at least one, but have shape \[0\]"),
    ([1.5], {"batch_size": 1}, "dtype float64"),
    ([[1]], {"batch_size": 1}, r"shape \[1, 1\]"),
    ([1, -2], {"batch_size": 1}, r"lengths\[1\] is -2"),
    (len, {"batch_size": 1}, "so dataset should be given, but is None"),
    ([1], {"batch_size": 1, "dataset": "ab"}, "1 lengths of a dataset of 2 samples"),
]


@pytest.mark.parametrize(("lengths", "more", "text"), REFUSED)
def test_lengths_and_options_that_do_not_fit_are_refused(lengths, more, text):
    with pytest.raises(InvalidArgumentError, match=text):
        io.BucketBatchSampler(lengths, **more)
