"""The rows of calls between ranks in a running program, and the sampled lines."""

import time

import pytest

import jaxeager as paddle
from jaxeager.core import ports
from jaxeager.debug.time.ranks import live
from jaxeager.debug.time.ranks.record import read, record_of, save
from tests.debug.time.ranks.given import MS, call

PAIR = (0, 1)


@pytest.fixture
def store(monkeypatch):
    """Return the texts that ranks have written, by name and rank."""
    texts = {}
    monkeypatch.setattr(live, "_PATIENCE_SECONDS", 0.0)
    monkeypatch.setattr(
        ports, "write_for_ranks", lambda name, text: texts.update({(name, 0): text})
    )
    monkeypatch.setattr(ports, "read_of_rank", lambda name, rank: texts.get((name, rank)))
    return texts


def test_the_others_times_divide_a_call(store):
    own = [call(PAIR, 1, 0, 105), call(PAIR, 2, 200, 203)]
    live.show(own)
    assert store["profile", 0] == live.text_of(own)
    store["profile", 1] = live.text_of([call(PAIR, 1, 100, 105), call(PAIR, 2, 150, 203)])
    stopped = {("all_reduce", own[0].frame): 90 * MS}
    (row,) = live.rows(own, stopped, live.known(own))
    assert (row.calls, row.bytes, row.stopped_ns) == (2, 8 * MS, 90 * MS)
    assert (row.waited_ns, row.transferred_ns) == (100 * MS, 8 * MS)
    assert row.bandwidth == pytest.approx((4 / 5 + 4 / 3) / 2)


def test_without_the_others_nothing_is_claimed(store):
    own = [call(PAIR, 1, 0, 105)]
    (row,) = live.rows(own, {}, live.known(own))
    assert (row.waited_ns, row.transferred_ns, row.bandwidth) == (None, None, None)
    assert row.total_ns == 105 * MS


def slow_batches():
    for _ in range(3):
        time.sleep(0.2)  # the reader
        yield paddle.ones([2])


def test_a_line_that_sleeps_outside_of_ops_is_named(tmp_path):
    with paddle.debug.profile(samples=True) as seen:
        for batch in slow_batches():
            y = batch + 1
    found = read(save(record_of(seen.recorder), tmp_path))
    times = {place.text: took for place, took in found.lines[-1].items()}
    assert times["time.sleep(0.2)  # the reader"] > 500 * MS
    assert y.tolist() == [2.0, 2.0]
