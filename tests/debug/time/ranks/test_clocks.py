"""The clocks of ranks: equal on one machine, bounded by what ranks do together on several."""

from jaxeager.debug.time.ranks.clocks import Offset, RankTimes, machine, offsets
from tests.debug.time.ranks.given import MS, call

AHEAD = 7_000_000_000  # of the clock of machine B


def times(rank, machine, calls=(), meetings=(), date=0):
    return RankTimes(rank, machine, date, calls, meetings)


def test_ranks_of_one_machine_share_a_clock():
    found = offsets([times(0, "A"), times(1, "A"), times(2, "A")])
    assert set(found.values()) == {Offset(0, 0)}
    assert machine() == machine() != ""


def test_barriers_bound_the_difference_by_half_a_round_trip():
    here = [("start", 0, 3 * MS), ("next", 3 * MS, 5 * MS)]
    there = [("start", AHEAD + 1 * MS, AHEAD + 3 * MS), ("next", AHEAD + 3 * MS, AHEAD + 5 * MS)]
    found = offsets([times(0, "A", meetings=here), times(1, "B", meetings=there)])[1]
    assert abs(found.ns - AHEAD) <= found.error_ns <= 2 * MS


def test_calls_bound_it_where_each_rank_is_late_once():
    ranks = (0, 1)
    here = [call(ranks, 1, 0, 101), call(ranks, 2, 300, 301)]
    shift = AHEAD / MS
    there = [call(ranks, 1, shift + 100, shift + 101), call(ranks, 2, shift + 200, shift + 301)]
    found = offsets([times(0, "A", here), times(1, "B", there)])[1]
    assert abs(found.ns - AHEAD) <= found.error_ns <= 1 * MS


def test_a_broadcast_bounds_nothing_and_dates_are_compared():
    here, there = call((0, 1), 1, 0, 5, "broadcast"), call((0, 1), 1, 90, 95, "broadcast")
    given = times(0, "A", [here], date=50), times(1, "B", [there], date=20)
    assert offsets(given)[1] == Offset(30, None)
