"""Functions that combine readers."""

import threading
import time

import pytest

from jaxeager import reader as readers


def numbers(count):
    """Return a reader that counts."""
    return lambda: iter(range(count))


def test_samples_are_mapped_joined_and_cut():
    assert list(readers.map_readers(lambda x, y: (x, y), numbers(3), numbers(2))()) == [
        (0, 0), (1, 1),
    ]  # fmt: skip
    assert list(readers.chain(numbers(2), numbers(1))()) == [0, 1, 0]
    assert list(readers.firstn(numbers(9), 4)()) == [0, 1, 2, 3]
    pairs = readers.map_readers(lambda x: (x, -x), numbers(2))
    assert list(readers.compose(numbers(2), pairs)()) == [(0, 0, 0), (1, 1, -1)]
    short = readers.compose(numbers(3), pairs, check_alignment=False)
    assert list(short()) == [(0, 0, 0), (1, 1, -1)]
    with pytest.raises(readers.ComposeNotAligned, match="not aligned"):
        list(readers.compose(numbers(3), pairs)())
    assert issubclass(readers.ComposeNotAligned, ValueError)


def test_a_cache_reads_once():
    calls = []

    def count():
        calls.append(1)
        return iter(range(2))

    kept = readers.cache(count)
    assert [list(kept()), list(kept())] == [[0, 1], [0, 1]]
    assert len(calls) == 1


def test_a_shuffle_mixes_each_part():
    mixed = readers.shuffle(numbers(100), 10)
    first, second = list(mixed()), list(mixed())
    assert first != second
    for start in range(0, 100, 10):
        assert sorted(first[start : start + 10]) == list(range(start, start + 10))


def test_a_buffer_reads_ahead():
    read = []

    def slow():
        for each in range(5):
            read.append(each)
            yield each

    found = readers.buffered(slow, 2)()
    assert next(found) == 0
    time.sleep(0.05)
    assert len(read) >= 3
    assert list(found) == [1, 2, 3, 4]


def broken():
    yield 1
    raise OSError("the disk is gone")


def test_an_error_in_a_thread_is_raised():
    with pytest.raises(OSError, match="the disk is gone"):
        list(readers.buffered(broken, 3)())
    with pytest.raises(OSError, match="the disk is gone"):
        list(readers.xmap_readers(lambda x: x, broken, 2, 3)())
    with pytest.raises(ZeroDivisionError):
        list(readers.xmap_readers(lambda x: 1 // x, numbers(2), 2, 3)())


def test_threads_map_and_merge():
    threads = set()

    def mapper(x):
        threads.add(threading.get_ident())
        return x * x

    for order in (False, True):
        found = readers.xmap_readers(mapper, numbers(20), 3, 4, order)
        assert list(found()) == [x * x for x in range(20)]
    assert threading.get_ident() not in threads
    merged = readers.multiprocess_reader([numbers(3), numbers(4)], use_pipe=False, queue_size=2)
    assert sorted(merged()) == [0, 0, 1, 1, 2, 2, 3]
    with pytest.raises(AssertionError, match="must be list or tuple"):
        readers.multiprocess_reader([])
    with pytest.raises(ValueError, match="sample has None"):
        list(readers.multiprocess_reader([lambda: iter([None])])())
