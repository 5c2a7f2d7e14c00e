"""Two profiles side by side: what became slower, and what else is different, by line.

Note [Two profiles]
    The ops, nodes and reads of two runs are paired by name, file and the text of their line, so
    lines may be inserted in between. A run with other numbers of steps has other numbers of calls:
    the ratio that most pairs have is taken as that of the steps, and what ran as often as before
    (before the loop) is no difference. A busier machine, or another version of JAX, makes
    everything slower: the median of the ratios of times is taken as its factor. What differs from
    these two is a finding.

    A time counts as different if the medians of a call differ by more than a quarter, by more than
    three standard errors, and by more than half a percent of the run for all calls together. Where
    the medians are alike, a few of the calls may differ (one layer of a line that runs many): then
    the means count, if one is twice the other and the difference is a tenth of the run.
"""

import math
import statistics
from collections import Counter
from collections.abc import Iterator
from fractions import Fraction
from typing import NamedTuple

from jaxeager.debug.common.first_rows import first_lines
from jaxeager.debug.time.summary import Site, Summary
from jaxeager.errors import InvalidArgumentError

KINDS = ("dtype", "kernels", "reads", "calls", "slower", "new", "gone", "faster")
_FACTOR = 1.25
_ERRORS = 3.0
_SHARE = 0.005  # of the run
_FACTOR_OF_FEW, _SHARE_OF_FEW = 2.0, 0.1  # for the mean, where the median is as before
_LEAST_CALLS = 5  # of each run, for a comparison of their times
_LEAST_PAIRS = 5  # for a factor of the machine


class Finding(NamedTuple):
    """One difference.

    Attributes:
        kind: "dtype", "kernels", "reads", "calls", "slower", "new", "gone" or "faster".
        site: where, in the new run; in the old one for "gone".
        change: what was before and is now, as text.
        cost_ns: the time that it costs; less than 0 for what became faster.
        more: for "dtype", how many ops and nodes after it have other dtypes as well.
    """

    kind: str
    site: Site
    change: str
    cost_ns: float
    more: int = 0

    def text(self, change_width: int, name_width: int) -> str:
        """Return a line of the table, whose columns have these widths."""
        site = self.site
        place = f"{site.file}:{site.line}  {site.text}" if site.file else ""
        columns = f"{self.kind:8} {self.change:{change_width}}  {site.name:{name_width}}  {place}"
        more = f"  (and {self.more} ops and nodes after it)" if self.more else ""
        return columns.rstrip() + more


class Comparison(list):
    """The findings of two profiles, what changes numbers first; it prints as a table.

    Attributes:
        seconds: the duration of the old run and of the new one.
        versions: the versions of the old run and of the new one.
        steps: how many calls most ops and nodes have, relative to the old run.
        machine: the times of most ops and nodes relative to the old run; NaN if there are too few
            to tell.
    """

    def __init__(self, findings: list[Finding], old: Summary, new: Summary, steps: Fraction,
                 machine: float):  # fmt: skip
        rank = {kind: number for number, kind in enumerate(KINDS)}
        super().__init__(sorted(findings, key=lambda each: (rank[each.kind], -abs(each.cost_ns))))
        self.seconds, self.versions = (old.seconds, new.seconds), (old.versions, new.versions)
        self.steps, self.machine = steps, machine

    def table(self, most: int | None = 20) -> str:
        """Return a line per finding, and what is different in general.

        Args:
            most: the maximum number of lines; None for all.
        """
        lines = [f"{self.seconds[0]:.3f} s before, {self.seconds[1]:.3f} s now"]
        if self.versions[0] != self.versions[1]:
            lines.append(f"before: {self.versions[0]}; now: {self.versions[1]}")
        if self.steps != 1:
            lines.append(f"Most ops and nodes ran {float(self.steps):.4g} times as often.")
        if self.machine > _FACTOR or self.machine < 1 / _FACTOR:
            lines.append(
                f"Most ops and nodes took {self.machine:.2f} times as long (the machine, or "
                "versions); times below are relative to that."
            )
        shown = self[:most]
        change_width = max([len(each.change) for each in shown], default=0)
        name_width = max([len(each.site.name) for each in shown], default=0)
        lines += first_lines(self, most, lambda each: each.text(change_width, name_width))
        if not self:
            lines.append("No difference in dtypes, kernels, reads, calls, and times per call.")
        return "\n".join(lines)

    def __str__(self) -> str:
        return self.table()


def compare(old: Summary, new: Summary) -> Comparison:
    """Return what is different in the new of two runs.

    Raises:
        InvalidArgumentError: when one of them waited for each op, and the other did not.
    """
    check_waits(old, new.waits)
    known = {site.key: site for site in old.sites}
    pairs = [(known[site.key], site) for site in new.sites if site.key in known]
    steps, machine = _steps(pairs), _machine(pairs)
    findings = [*_dtypes(old, new)]
    for one, other in pairs:
        findings += _counts(one, other, steps)
        if other.kind != "read":
            findings += _times(one, other, machine, new.seconds)
    findings += _alone("new", new, {site.key for site in old.sites})
    findings += _alone("gone", old, {site.key for site in new.sites})
    return Comparison(findings, old, new, steps, machine)


def check_waits(old: Summary, waits: bool) -> None:
    """Raise if one of two runs waits for each op, and the other does not.

    Raises:
        InvalidArgumentError: then, because their times cannot be compared.
    """
    if old.waits != waits:
        which = "The old profile" if old.waits else "The new profile"
        raise InvalidArgumentError(
            f"{which} waited for each op, and the other did not (wait=False, --no-wait): their "
            "times cannot be compared."
        )


def _steps(pairs: list[tuple[Site, Site]]) -> Fraction:
    """Return the ratio that most calls have: those of a loop, not those before it."""
    ratios: Counter[Fraction] = Counter()
    for old, new in pairs:
        if new.kind != "read":
            ratios[Fraction(new.calls, old.calls)] += old.calls + new.calls
    return ratios.most_common(1)[0][0] if ratios else Fraction(1)


def _machine(pairs: list[tuple[Site, Site]]) -> float:
    """Return the median ratio of times, NaN if there are too few."""
    ratios = [
        new.median_ns / old.median_ns for old, new in pairs if _is_timed(old) and _is_timed(new)
    ]
    return statistics.median(ratios) if len(ratios) >= _LEAST_PAIRS else math.nan


def _is_timed(site: Site) -> bool:
    return site.kind != "read" and site.calls >= _LEAST_CALLS and site.median_ns > 0


def _dtypes(old: Summary, new: Summary) -> Iterator[Finding]:
    """Yield the first op or node, in the order of the program, whose results have other dtypes.

    An op that the old run does not have there (a multiplication by a tensor, where it was a scaling
    by a number) is compared with all ops of its line, and one of a new line with all of the run.
    """
    known = {site.key: set(site.dtypes) for site in old.sites}
    of_lines: dict[tuple, set[str]] = {}
    for site in old.sites:
        of_lines.setdefault((site.kind, site.file, site.text), set()).update(site.dtypes)
        of_lines.setdefault((site.kind,), set()).update(site.dtypes)
    changed: list[tuple[Site, set[str]]] = []
    for site in new.sites:
        before = known.get(site.key)
        if before is None:
            of_line = of_lines.get((site.kind, site.file, site.text))
            before = of_line or of_lines.get((site.kind,), set(site.dtypes))
            is_changed = not before.issuperset(site.dtypes)
        else:
            is_changed = before != set(site.dtypes)
        if is_changed:
            changed.append((site, before))
    if changed:
        first, before = changed[0]
        change = f"{', '.join(sorted(before)) or 'none'} -> {', '.join(first.dtypes) or 'none'}"
        yield Finding("dtype", first, change, 0.0, len(changed) - 1)


def _counts(old: Site, new: Site, steps: Fraction) -> Iterator[Finding]:
    """Yield the differences in kernels, and in calls or reads."""
    if new.kernels > old.kernels * max(steps, 1):
        made = new.compile_ns - float(steps) * old.compile_ns
        change = f"{old.kernels} -> {new.kernels} kernels, {_ms(made)}"
        yield Finding("kernels", new, change, made)
    is_explained = abs(new.calls - old.calls * steps) < max(steps, 1)  # "every tenth step" as well
    if new.calls != old.calls and not is_explained:
        is_read = new.kind == "read"
        cost = new.total_ns - float(steps) * old.total_ns
        unit = "reads" if is_read else "calls"
        change = f"{old.calls} -> {new.calls} {unit}, {_ms(cost)}"
        yield Finding("reads" if is_read else "calls", new, change, cost)


def _times(old: Site, new: Site, machine: float, seconds: float) -> Iterator[Finding]:
    """Yield the difference of the times of a call, if it is one."""
    if not (_is_timed(old) and _is_timed(new)):
        return
    factor = 1.0 if math.isnan(machine) else machine
    before, now = old.median_ns * factor, new.median_ns
    error = math.hypot(old.error_ns * factor, new.error_ns)
    is_beyond = abs(now - before) >= _ERRORS * error
    share, least, unit = _SHARE, _FACTOR, "us a call"
    if not is_beyond or 1 / _FACTOR < now / before < _FACTOR:  # perhaps a few of its calls did
        before, now = old.total_ns / old.calls * factor, new.total_ns / new.calls
        share, least, unit = _SHARE_OF_FEW, _FACTOR_OF_FEW, "us on average"
    cost = (now - before) * new.calls
    if abs(cost) < share * seconds * 1e9 or 1 / least < now / before < least:
        return
    change = f"{_us(before)} -> {_us(now)} {unit}, {_ms(cost)}"
    yield Finding("slower" if cost > 0 else "faster", new, change, cost)


def _alone(kind: str, run: Summary, others: set[tuple]) -> Iterator[Finding]:
    """Yield what ran in one of the runs alone: all reads, and ops and nodes that took long."""
    for site in run.sites:
        if site.key in others:
            continue
        if site.kind == "read":
            sign, change = (1, "0 -> {}") if kind == "new" else (-1, "{} -> 0")
            cost = sign * site.total_ns
            text = f"{change.format(site.calls)} reads, {_ms(cost)}"
            yield Finding("reads", site, text, cost)
        elif site.total_ns >= _SHARE * run.seconds * 1e9:
            cost = site.total_ns if kind == "new" else -site.total_ns
            yield Finding(kind, site, f"{site.calls} calls, {_ms(cost)}", cost)


def _us(ns: float) -> str:
    return f"{ns / 1e3:.1f}"


def _ms(ns: float) -> str:
    return f"{ns / 1e6:+.1f} ms"
