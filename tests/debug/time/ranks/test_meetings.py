"""Calls by all of their ranks: who was last, and what each waited and transferred."""

from jaxeager.debug.time.ranks.clocks import RankTimes, offsets
from jaxeager.debug.time.ranks.meetings import Spans, length, meetings
from tests.debug.time.ranks.given import MS, call

ALL = (0, 1, 2)


def met(*calls_of_ranks):
    ranks = [RankTimes(rank, "A", 0, calls) for rank, calls in enumerate(calls_of_ranks)]
    return list(meetings(ranks, offsets(ranks)).values())


def test_the_last_rank_ends_the_waiting_of_the_others():
    (found,) = met([call(ALL, 1, 10, 105)], [call(ALL, 1, 100, 106)], [call(ALL, 1, 40, 104)])
    assert (found.last, found.complete_ns) == (1, 100 * MS)
    assert [found.waited_ns(rank) // MS for rank in ALL] == [90, 0, 60]
    assert [found.transferred_ns(rank) // MS for rank in ALL] == [5, 6, 4]


def test_a_call_of_which_a_rank_is_missing_is_no_meeting():
    failed = call(ALL, 2, 0, 9)._replace(succeeded=False)
    calls = [call(ALL, 1, 0, 5), failed]
    assert met(calls, calls) == []
    assert met(calls, calls, [failed]) == []


def test_a_rank_that_leaves_early_has_not_waited_longer_than_its_call():
    (found,) = met(
        [call((0, 1), 1, 0, 5, "send")], [call((0, 1), 1, 50, 55, "recv")]
    )  # fmt: skip
    assert (found.waited_ns(0), found.transferred_ns(0)) == (5 * MS, 0)


def test_spans_are_merged_and_cut():
    spans = Spans([(20, 30), (0, 10), (5, 12), (40, 40)])
    assert spans.total() == 22
    assert spans.common(11, 25) == [(11, 12), (20, 25)]
    assert spans.common(12, 20) == []
    assert length(spans.common(0, 100)) == 22
