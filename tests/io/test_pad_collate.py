"""PadCollate: samples of several lengths become one batch, with a mask of the padding."""

import numpy as np
import pytest

import jaxeager as paddle
from jaxeager.errors import InvalidArgumentError

io = paddle.io
ONES = [np.ones(size, "float32") for size in (3, 1, 2)]


def test_arrays_are_padded_to_the_longest_or_a_given_length():
    assert io.PadCollate()(ONES).tolist() == [[1, 1, 1], [1, 0, 0], [1, 1, 0]]
    padded = io.PadCollate(lengths=[8, 4], pad_value=-1)(ONES)
    assert padded.tolist() == [[1, 1, 1, -1], [1, -1, -1, -1], [1, 1, -1, -1]]
    assert padded.dtype == np.float32


def test_lengths_and_mask_follow_the_values():
    values, lengths, mask = io.PadCollate(with_lengths=True, with_mask=True)(ONES)
    assert values.shape == (3, 3)
    assert (lengths.tolist(), lengths.dtype) == ([3, 1, 2], np.int64)
    assert (mask.sum(1).tolist(), mask.dtype) == ([3, 1, 2], np.bool_)
    assert [each.tolist() for each in io.PadCollate(with_lengths=True)(ONES)][1] == [3, 1, 2]


@pytest.mark.parametrize("axis", [1, -1])
def test_other_axes(axis):
    samples = [np.ones([2, 3]), np.ones([2, 1])]
    padded = io.PadCollate(axis, lengths=[4])(samples)
    assert padded.shape == (2, 2, 4)
    assert padded.sum((1, 2)).tolist() == [6, 2]


def test_nested_samples():
    samples = [
        {"ids": [1, 2], "pair": (np.array([0.5]), 3), "name": "a"},
        {"ids": [], "pair": (np.array([1.5, 2.5]), 4), "name": "b"},
    ]
    found = io.PadCollate(with_lengths=True)(samples)
    assert [each.tolist() for each in found["ids"]] == [[[1, 2], [0, 0]], [2, 0]]
    assert found["ids"][0].dtype == np.int64
    (values, lengths), labels = found["pair"]
    assert values.tolist() == [[0.5, 0], [1.5, 2.5]]
    assert lengths.tolist() == [1, 2]
    assert labels.tolist() == [3, 4]
    assert found["name"] == ["a", "b"]


def test_chosen_fields_and_a_value_for_each():
    samples = [(np.ones(2), np.ones(2), [7]), (np.ones(1), np.ones(2), [7, 7])]
    first, second, third = io.PadCollate(lengths=[4], fields=[0, 2], pad_value={2: -100})(samples)
    assert first.tolist() == [[1, 1, 0, 0], [1, 0, 0, 0]]
    assert second.shape == (2, 2)
    assert third.tolist() == [[7, -100, -100, -100], [7, 7, -100, -100]]


def test_tensors_are_padded_without_a_kernel():
    samples = [paddle.to_tensor([1.0, 2.0]), paddle.to_tensor([3.0])]
    padded = io.PadCollate()(samples)
    assert isinstance(padded, np.ndarray)
    assert padded.tolist() == [[1, 2], [3, 0]]


def test_samples_that_cannot_be_padded_are_refused():
    with pytest.raises(InvalidArgumentError, match=r"up to 3 long, but the last .* is 2; cut them"):
        io.PadCollate(lengths=[1, 2])(ONES)
    with pytest.raises(InvalidArgumentError, match=r"fields a.0 are up to 3 long"):
        io.PadCollate(lengths=[2])([{"a": (np.ones(3), 1)}])
    with pytest.raises(InvalidArgumentError, match=r"more than axis 0.*\(1, 2\), \(2, 3\)"):
        io.PadCollate()([np.ones([2, 3]), np.ones([1, 2])])
    with pytest.raises(InvalidArgumentError, match=r"no field 'x' in a sample: it has \['a'\]"):
        io.PadCollate(fields=["x"])([{"a": 1}])
    with pytest.raises(InvalidArgumentError, match=r"no field 2 in a sample: it has \[0, 1\]"):
        io.PadCollate(pad_value={2: 1})([(1, 2)])
    with pytest.raises(InvalidArgumentError, match="it has no fields, and is a ndarray"):
        io.PadCollate(fields=[0])(ONES)
    with pytest.raises(InvalidArgumentError, match="lengths should be at least one length"):
        io.PadCollate(lengths=[])
    with pytest.raises(InvalidArgumentError, match="different shapes"):
        io.PadCollate(fields=[0])([(ONES[0], ONES[0]), (ONES[1], ONES[1])])


class Texts(io.Dataset):
    """Texts of 1 to 9 numbers, each the number of its text."""

    def __len__(self):
        return 40

    def __getitem__(self, index):
        return (np.full([index % 9 + 1], index),)


@pytest.mark.parametrize("workers", [0, 2])
def test_in_a_loader_with_buckets(workers):
    sampler = io.BucketBatchSampler([i % 9 + 1 for i in range(40)], 4, [3, 6, 9], shuffle=True)
    collate = io.PadCollate(lengths=sampler.boundaries, with_mask=True)
    loader = io.DataLoader(Texts(), batch_sampler=sampler, collate_fn=collate, num_workers=workers)
    seen = []
    for ((numbers, mask),) in loader:
        assert numbers.shape[1] in (3, 6, 9)
        assert numbers.shape == mask.shape
        first = numbers[:, 0].numpy()
        assert mask.numpy().sum(1).tolist() == (first % 9 + 1).tolist()
        assert (numbers.numpy() == np.where(mask.numpy(), first[:, None], 0)).all()
        seen += first.tolist()
    assert sorted(seen) == list(range(40))
    assert len(loader) == len(sampler)
