"""The iterators of DataLoader are what Paddle's inner module calls them."""

import numpy as np
import pytest

import jaxeager as paddle
from jaxeager import compat
from jaxeager.io.dataloader_iter import set_timed

DATA = [np.full([2], i, "float32") for i in range(5)]


class _Stream(paddle.io.IterableDataset):
    def __iter__(self):
        return iter(DATA)


@pytest.mark.parametrize("workers", [0, 1])
def test_an_iterator_knows_its_loader(workers):
    loader = paddle.io.DataLoader(DATA, batch_size=2, num_workers=workers)
    batches = iter(loader)
    compat.install()
    try:
        from paddle.io.dataloader.dataloader_iter import (  # type: ignore[import-not-found]
            _DataLoaderIterBase,
            _DataLoaderIterMultiProcess,
            _DataLoaderIterSingleProcess,
        )
    finally:
        compat.uninstall()
    kinds = [_DataLoaderIterSingleProcess, _DataLoaderIterMultiProcess]
    assert isinstance(batches, _DataLoaderIterBase)
    assert type(batches) is kinds[workers]
    assert (len(batches), batches._batch_sampler.batch_size) == (3, 2)
    assert batches._dataset is DATA
    assert [len(batch) for batch in batches] == [2, 2, 1]
    batches.close()


def test_an_iterator_over_a_stream_has_no_length():
    batches = iter(paddle.io.DataLoader(_Stream(), batch_size=2))
    with pytest.raises(TypeError):
        len(batches)
    assert len(list(batches)) == 3


def test_a_timer_reads_each_batch_itself():
    seen = []

    def timed(iterator, read):
        seen.append(type(iterator).__name__)
        return read()

    set_timed("test", timed)
    try:
        assert len(list(paddle.io.DataLoader(DATA, batch_size=2))) == 3
    finally:
        set_timed("test", None)
    assert seen == ["_DataLoaderIterSingleProcess"] * 4
