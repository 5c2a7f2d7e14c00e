"""Worker processes: the same batches, the origin of errors, and that nothing is left of them."""

import gc
import os
import signal
import time

import numpy as np
import pytest

import jaxeager as paddle
from jaxeager.errors import (
    InvalidArgumentError,
    InvalidTypeError,
    PreconditionNotMetError,
    UnavailableError,
)
from tests.support.datasets import Made

io = paddle.io


class Sharded(io.IterableDataset):
    """Numbers below n; each worker yields every ``num_workers``-th one."""

    def __init__(self, n):
        self.n = n

    def __iter__(self):
        info = io.get_worker_info()
        start, step = (0, 1) if info is None else (info.id, info.num_workers)
        yield from range(start, self.n, step)


class OwnError(Exception):
    """An error with an argument that is not text."""

    def __init__(self, number):
        super().__init__(number, "own")


class Stubborn(Exception):
    """An error that cannot be pickled."""

    def __init__(self, first, second):
        super().__init__(first)
        self.second = lambda: second


def _ids(loader):
    """Return the process of each sample of a loader over ``_pid``."""
    return [pid for batch in loader for pid in batch.tolist()]


def _pid(index):
    time.sleep(0.005)
    return os.getpid()


def _is_alive(pid):
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


def _gone(pids, within_s=60.0):
    """Wait until processes have ended; return whether they did."""
    deadline = time.monotonic() + within_s
    while any(map(_is_alive, pids)) and time.monotonic() < deadline:
        time.sleep(0.01)
    return not any(map(_is_alive, pids))


def _wait_for(condition, within_s=60.0):
    deadline = time.monotonic() + within_s
    while not condition() and time.monotonic() < deadline:
        time.sleep(0.01)


def test_batches_come_in_order():
    """They do although later ones are ready first; the number of processes is the requested one."""

    def make(index):
        time.sleep(0.05 if index == 0 else 0)
        return index, os.getpid()

    loader = io.DataLoader(Made(make, 12), batch_size=2, num_workers=3)
    batches = list(loader)
    assert [b[0].tolist() for b in batches] == [[i, i + 1] for i in range(0, 12, 2)]
    pids = [b[1][0].item() for b in batches]
    assert pids[:3] == pids[3:]  # batch k is worker k % 3's
    assert len(set(pids)) == 3
    assert os.getpid() not in pids


def test_shuffling_is_the_same_with_workers():
    """NumPy's seed decides; the workers' seeds are not drawn from it."""
    orders = []
    for workers in (0, 2):
        np.random.seed(3)
        loader = io.DataLoader(Made(int, 8), batch_size=4, shuffle=True, num_workers=workers)
        orders.append([batch.tolist() for _ in range(2) for batch in loader])
    assert orders[0] == orders[1]
    assert orders[0][:2] == [[5, 7, 4, 6], [3, 1, 0, 2]]


def test_workers_know_who_they_are():
    """get_worker_info inside, None outside; worker_init_fn runs once in each, before any sample."""
    started = []

    def make(index):
        info = io.get_worker_info()
        assert info.dataset.n == 6
        return info.id, info.num_workers, *started

    loader = io.DataLoader(Made(make, 6), num_workers=2, worker_init_fn=started.append)
    assert [[f.item() for f in batch] for batch in loader] == [[0, 2, 0], [1, 2, 1]] * 3
    assert started == []
    assert io.get_worker_info() is None


def test_workers_read_ahead_and_no_further(tmp_path):
    """Batches read ahead are workers times prefetch_factor, then one per batch returned."""

    def make(index):
        (tmp_path / str(index)).touch()
        return index

    loader = io.DataLoader(
        Made(make, 20), num_workers=2, prefetch_factor=2, use_buffer_reader=False
    )
    reading = iter(loader)
    next(reading)
    _wait_for(lambda: len(os.listdir(tmp_path)) >= 5)
    time.sleep(0.05)
    assert sorted(map(int, os.listdir(tmp_path))) == [0, 1, 2, 3, 4]
    reading.close()


def test_batches_are_copied_to_the_device_before_they_are_requested():
    """When a batch is returned, the other received ones are tensors already."""
    reading = iter(io.DataLoader(Made(int), num_workers=2, reader_buffer_size=3))
    first = next(reading)
    _wait_for(lambda: reading._batches._reading.is_ready())
    second = next(reading)
    assert [first.item(), second.item()] == [0, 1]
    _wait_for(lambda: reading._batches._reading.is_ready())
    assert next(reading).item() == 2
    assert all(isinstance(batch, paddle.Tensor) for batch, _ in reading._batches._ready)
    assert [batch.item() for batch in reading] == [3, 4, 5, 6, 7]


@pytest.mark.parametrize("is_shared", [True, False])
def test_large_arrays(is_shared):
    """They are in shared memory or sent through the socket; they outlive loader and workers."""
    make = lambda index: {"a": np.full((100, 101), index), "b": [np.arange(index), f"s{index}"]}  # noqa: E731
    loader = io.DataLoader(
        Made(make, 6), batch_size=None, num_workers=2, use_shared_memory=is_shared
    )
    samples = list(loader)
    for index, sample in enumerate(samples):
        assert (sample["a"].numpy() == index).all()
        assert sample["b"][0].tolist() == list(range(index))
        assert sample["b"][1] == f"s{index}"


def test_shared_memory_is_written_again_when_it_was_read_out():
    """Batches that are kept stay unchanged; others free their place."""
    made = Made(lambda index: np.full(20_000, index), 40)
    reading = iter(io.DataLoader(made, batch_size=None, num_workers=1, use_buffer_reader=False))
    reading._batches._finish = lambda batch: batch
    kept, addresses = [], set()
    for index, batch in enumerate(reading):
        addresses.add(batch.ctypes.data)
        if index % 10 == 0:
            kept.append(batch)
        assert (batch == index).all()
        del batch
    assert [(batch.min(), batch.max()) for batch in kept] == [(k, k) for k in (0, 10, 20, 30)]
    files = reading._batches._reading._workers._channels[0]
    assert files.take_read_out()
    assert len(addresses) > 1
    many = list(io.DataLoader(made, batch_size=None, num_workers=1))
    assert [batch.numpy()[0] for batch in many] == list(range(40))


def test_the_datasets_arrays_are_copied_when_written():
    """Workers share the memory of the dataset; the writes of one are not visible to others."""
    data = Made(None, 4)
    data.table = np.zeros(100_000)

    class Writing(Made):
        def __getitem__(self, index):
            data.table[index] += 1
            return data.table.sum()

    data_of_workers = Writing(None, 4)
    sums = [batch.item() for batch in io.DataLoader(data_of_workers, num_workers=2)]
    assert sums == [1.0, 1.0, 2.0, 2.0]
    assert data.table.sum() == 0


def test_a_long_list_of_indices():
    """Batches of tasks, and answers, may be longer than a socket's buffer."""
    sampler = io.BatchSampler(sampler=range(300_000), batch_size=100_000)
    data = Made(int, 300_000)
    loader = io.DataLoader(data, batch_sampler=sampler, num_workers=1, use_shared_memory=False)
    assert [(b[0].item(), b[-1].item()) for b in loader] == [
        (0, 99_999),
        (100_000, 199_999),
        (200_000, 299_999),
    ]


# ---- iterable datasets


def test_iterable_datasets_are_sharded():
    """By the user, with get_worker_info; workers take turns until each has ended."""
    for n, workers, expected in [
        (7, 2, [[0, 2], [1, 3], [4, 6], [5]]),
        (3, 2, [[0, 2], [1]]),
        (9, 2, [[0, 2], [1, 3], [4, 6], [5, 7], [8]]),
        (0, 2, []),
        (2, 3, [[0], [1]]),
    ]:
        loader = io.DataLoader(Sharded(n), batch_size=2, num_workers=workers)
        assert [batch.tolist() for batch in loader] == expected
    whole = io.DataLoader(Sharded(9), batch_size=2, num_workers=2, drop_last=True)
    assert [batch.tolist() for batch in whole] == [[0, 2], [1, 3], [4, 6], [5, 7]]
    single = io.DataLoader(Sharded(5), batch_size=None, num_workers=2)
    assert [sample for sample in single] == [0, 1, 2, 3, 4]  # noqa: C416 - list() asks for len


def test_iterable_datasets_start_again():
    """They start again at each pass, with persistent workers too."""
    for persistent in (False, True):
        loader = io.DataLoader(
            Sharded(5), batch_size=2, num_workers=2, persistent_workers=persistent
        )
        passes = [[batch.tolist() for batch in loader] for _ in range(2)]
        assert passes == [[[0, 2], [1, 3], [4]]] * 2


# ---- lifetimes


def test_persistent_workers():
    """The same processes at each pass; otherwise new ones."""
    kept = io.DataLoader(Made(_pid), num_workers=2, persistent_workers=True)
    first, second = set(_ids(kept)), set(_ids(kept))
    assert first == second
    assert all(map(_is_alive, first))
    fresh = io.DataLoader(Made(_pid), num_workers=2)
    third, fourth = set(_ids(fresh)), set(_ids(fresh))
    assert not third & fourth
    assert _gone(third | fourth)
    del kept
    assert _gone(first)


def test_persistent_workers_after_a_pass_that_was_left():
    """Its answers are dropped, and continuing it is an error."""
    loader = io.DataLoader(Made(int), num_workers=2, persistent_workers=True)
    left = iter(loader)
    assert next(left).item() == 0
    assert [batch.item() for batch in loader] == list(range(8))
    with pytest.raises(PreconditionNotMetError, match="Another iteration over this DataLoader"):
        list(left)


def test_an_iterator_that_is_left():
    """Its workers end, also one that is at work."""
    reading = iter(io.DataLoader(Made(_pid, 100), num_workers=2))
    pids = [next(reading).item() for _ in range(2)]
    assert all(map(_is_alive, pids))
    del reading
    assert _gone(pids)


def test_nothing_is_left_in_shared_memory():
    """No descriptor, and so no file, is left of iterations that ended, were left or failed."""

    def make(index):
        if index == 5:
            raise ValueError("no sample 5")
        return np.zeros(20_000)

    def count():
        return len(os.listdir("/dev/fd"))

    list(io.DataLoader(Made(_pid, 2), num_workers=2))  # the server exists
    gc.collect()  # files that other tests left open must not close in between
    before = count()
    list(io.DataLoader(Made(make, 4), num_workers=2))
    next(iter(io.DataLoader(Made(make, 4), num_workers=2)))
    with pytest.raises(ValueError, match="no sample 5"):
        list(io.DataLoader(Made(make, 8), num_workers=2))
    assert count() == before


# ---- seeds


def _drawn(index):
    import random

    return index, np.random.rand(), random.random()


def test_seeds():
    """They are reproducible, differ by worker and pass, and leave NumPy's generator here alone."""

    def passes():
        np.random.seed(11)
        loader = io.DataLoader(Made(_drawn, 4), num_workers=2)
        return [[[field.item() for field in batch] for batch in loader] for _ in range(2)]

    first, again = passes(), passes()
    assert first == again
    drawn = [value for batches in first for batch in batches for value in batch[1:]]
    assert len(set(drawn)) == len(drawn) == 16
    assert np.random.rand() == np.random.RandomState(11).rand()


def test_jaxeagers_generator_is_seeded_too():
    """Workers draw different numbers, the same again after the same seed."""

    def passes():
        np.random.seed(12)
        loader = io.DataLoader(Made(lambda index: paddle.rand([1]), 4), num_workers=2)
        return [batch.item() for batch in loader]

    first = passes()
    assert first == passes()
    assert len(set(first)) == 4


# ---- errors


def _raises(error):
    def make(index):
        if index == 3:
            raise error()
        return index

    return make


@pytest.mark.parametrize(
    ("error", "kind", "text"),
    [
        (lambda: OSError("cannot read sample 3"), OSError, "cannot read sample 3"),
        (
            lambda: FileNotFoundError(2, "No such file", "a.png"),
            FileNotFoundError,
            r"\[Errno 2\] No such",
        ),
        (lambda: KeyError("name"), KeyError, "name"),
        (lambda: InvalidArgumentError("bad"), InvalidArgumentError, r"^\(InvalidArgument\) bad\n"),
        (lambda: OwnError(7), UnavailableError, "OwnError: "),
        (lambda: Stubborn("hard", "luck"), UnavailableError, "Stubborn: hard"),
        (lambda: StopIteration("early"), UnavailableError, "StopIteration: early"),
    ],
)
def test_errors_come_back(error, kind, text):
    """They have their own type if possible, with the worker's traceback, in place of a batch."""
    reading = iter(io.DataLoader(Made(_raises(error)), num_workers=2))
    assert [next(reading).item() for _ in range(3)] == [0, 1, 2]
    with pytest.raises(kind, match=text) as found:
        next(reading)
    shown = "\n".join([str(found.value), *getattr(found.value, "__notes__", [])])
    assert "in DataLoader worker 1, whose traceback is:\n" in shown
    assert "in make\n" in shown
    assert list(reading) == []


def test_an_error_in_worker_init_fn():
    """So does one in the dataset's own unpickling."""

    def init(number):
        raise ValueError(f"worker {number} cannot start")

    with pytest.raises(ValueError, match="worker 0 cannot start"):
        next(iter(io.DataLoader(Made(int), num_workers=2, worker_init_fn=init)))


def test_persistent_workers_survive_an_error():
    """The next pass uses the same processes."""
    data = Made(lambda index: 1 // (index - 1) + os.getpid(), 4)
    loader = io.DataLoader(data, num_workers=1, persistent_workers=True)
    pids = set()
    for _ in range(2):
        reading = iter(loader)
        pids.add(next(reading).item() + 1)
        with pytest.raises(ZeroDivisionError):
            next(reading)
    assert len(pids) == 1


@pytest.mark.parametrize(
    ("end", "text"),
    [
        (lambda: os.kill(os.getpid(), signal.SIGKILL), "was killed by signal 9"),
        (lambda: os._exit(3), "exited with code 3"),
        (lambda: exec("raise SystemExit(4)"), "exited with code 4"),
    ],
)
@pytest.mark.parametrize("persistent", [False, True])
def test_a_worker_that_dies(end, text, persistent):
    """The loader does not wait for it; the next pass has new workers."""

    def make(index):
        if index == 2 and not os.path.exists(path):
            open(path, "w").close()
            end()
        return index

    path = f"/tmp/jaxeager-test-{os.getpid()}-{time.monotonic_ns()}"
    loader = io.DataLoader(Made(make, 4), num_workers=2, persistent_workers=persistent)
    try:
        with pytest.raises(UnavailableError, match=rf"worker 0 \(pid \d+\) {text}"):
            list(loader)
        assert [batch.item() for batch in loader] == [0, 1, 2, 3]
    finally:
        os.unlink(path)


def test_a_slow_worker():
    """After timeout an error states it; the worker is ended, whatever it does."""
    data = Made(lambda index: (time.sleep(60 if index else 0), os.getpid())[1])
    reading = iter(io.DataLoader(data, num_workers=1, timeout=0.2, use_buffer_reader=False))
    # However long the worker takes to start.
    _wait_for(lambda: reading._batches._reading.is_ready())
    pid = next(reading).item()
    with pytest.raises(UnavailableError, match=r"worker 0 sent no batch in 0\.2 seconds"):
        next(reading)
    assert _gone([pid])


def test_a_dataset_that_cannot_be_sent(tmp_path):
    """The error names the part, and the solution."""
    data = Made(int)
    with (tmp_path / "rows").open("w") as file:
        data.source = {"rows": [file]}
        with pytest.raises(InvalidTypeError, match=r"dataset.source\['rows'\]\[0\], of type Text"):
            iter(io.DataLoader(data, num_workers=1))
        other = Made(lambda index: file.name)
        with pytest.raises(InvalidTypeError, match=r"dataset\.make -> file, .*worker_init_fn"):
            iter(io.DataLoader(other, num_workers=1))
        assert next(iter(io.DataLoader(Made(lambda index: len(file.name)), num_workers=0)))


# ---- tensors


def test_tensors_in_a_worker():
    """Datasets may hold and return tensors; batches of them are tensors here."""
    rows = paddle.to_tensor(np.arange(12, dtype="float32").reshape(6, 2))
    labels = paddle.arange(6)
    for data in (
        io.TensorDataset([rows, labels]),
        io.Subset(io.TensorDataset([rows, labels]), range(6)),
    ):
        batches = list(io.DataLoader(data, batch_size=4, num_workers=2))
        assert [b[1].tolist() for b in batches] == [[0, 1, 2, 3], [4, 5]]
        assert batches[1][0].tolist() == [[8, 9], [10, 11]]
    made = Made(lambda index: paddle.full([2], index, "bfloat16"), 3)
    (batch,) = io.DataLoader(made, batch_size=3, num_workers=1)
    assert batch.dtype == paddle.bfloat16
    assert batch.astype("float32").tolist() == [[0, 0], [1, 1], [2, 2]]


def test_places():
    """Batches of workers are on the devices in places."""
    loader = io.DataLoader(Made(int, 2), num_workers=1, places=[paddle.CPUPlace()])
    assert next(iter(loader)).place == paddle.CPUPlace()
