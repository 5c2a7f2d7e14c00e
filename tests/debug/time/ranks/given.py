"""Records of ranks with given numbers."""

from jaxeager.debug.time.ranks.calls import RankCall
from jaxeager.debug.time.ranks.record import RankRecord, Slice, SourceLine
from jaxeager.debug.time.user_stack import Frame

MS = 1_000_000
FAST, SLOW = SourceLine("train.py", 17, "y = net(x)"), SourceLine("train.py", 18, "time.sleep(0.1)")


def call(rank_ranks, number, began, ended, name="all_reduce", nbytes=4 * MS, line=20):
    """Return a call of group 0; times are milliseconds."""
    frame = Frame(f"dist.{name}(x)", "train.py", line)
    return RankCall(
        name, 0, "all", number, rank_ranks, nbytes, frame, int(began * MS), int(ended * MS)
    )


def record(rank, count, joins, **given):
    """Return the record of a rank that has made one call in each step of 110 ms.

    Args:
        rank, count: its number, and that of ranks.
        joins: when it has joined the call of each step, in milliseconds after its begin.
        **given: other fields.
    """
    ranks = tuple(range(count))
    calls = [
        call(ranks, step, 110 * step + joined, 110 * step + 102)
        for step, joined in enumerate(joins)
    ]
    ends = [(110 * step + 110) * MS for step in range(len(joins))]
    lines = [
        {FAST: int(min(joined, 5) * MS), SLOW: int(max(joined - 5, 0) * MS)} for joined in joins
    ]
    spans = [(each.began_ns, each.ended_ns) for each in calls]
    fields = {
        "rank": rank, "count": count, "machine": "A", "date_ns": 0, "began_ns": 0,
        "ended_ns": 110 * len(joins) * MS, "error": "", "python_ns": 3 * MS, "device_ns": 2 * MS,
        "compile_ns": 0, "stopped": spans, "calls": calls, "meetings": [], "step_ends": ends,
        "made_kernels": [False] * len(joins), "lines": [*lines, {}],
        "step_place": SourceLine("train.py", 21, "sgd.step()"),
        "slices": [Slice(begin, end, "wait for all_reduce", "wait", FAST) for begin, end in spans]
        + [Slice(1 * MS, 3 * MS, "matmul", "op", FAST)],
    }  # fmt: skip
    return RankRecord(**(fields | given))
