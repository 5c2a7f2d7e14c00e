"""diff-md5: the first place where two files of checksums diverge, and the differences after it.

Note [Alignment]
    Lines are matched by their names without counters: ``add12_out_float32_4`` and
    ``add13_out_float32_4`` may be the same call, because an op that only one run has shifts the
    counters of all later ones. Equal beginnings and endings are set aside first. Where names
    differ, the nearest place is searched from which a few names in a row agree again, through an
    index of the other file. So two files of a million lines take seconds, whatever their
    difference. Short gaps are then compared once more, line by line.
"""

import difflib
import itertools
import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator
from typing import NamedTuple

from jaxeager.debug.checksums import details
from jaxeager.debug.common.first_rows import first_texts

_LINE = re.compile(r"^(?P<name>.*):(?P<checksum>[0-9a-f]{32}|None|unreadable .*)$")
_COUNTED = re.compile(
    r"^(?P<op>.*?)\d+(?P<rest>_[A-Za-z]\w*?_(?:bool|u?int\d+|b?float\d+\w*|complex\d+)_[\dx]*(?:@Grad)*)$"
)
_DIGITS = re.compile(r"\d+")
_IN_A_ROW = (4, 2, 1)  # how many names must agree after a gap; fewer if that many never do
_PAIRS = 64 * 64  # the most pairs of lines compared within a gap
_MOVE = 1000  # how many lines a gap may move
_SHOWN = 12  # digits of a checksum
_IS_IT = "Is this a file of FLAGS_tensor_md5_checksum_output_path?"


class UnusableError(Exception):
    """A file that is not a list of checksums; the message states why."""


class Run(NamedTuple):
    """The lines of one file.

    Attributes:
        path: the file.
        names: the tensors' names.
        checksums: their MD5, or "None".
        cut: the beginning of an incomplete last line, as left by a killed run; it is not
            compared.
    """

    path: str
    names: list[str]
    checksums: list[str]
    cut: str = ""

    def __len__(self) -> int:
        return len(self.names)


class Step(NamedTuple):
    """A stretch of two runs whose lines are all matched one to one, or all unmatched.

    Attributes:
        a, b: where it begins, from 0.
        a_end, b_end: where it ends.
        is_matched: whether the lines are the same calls.
    """

    a: int
    a_end: int
    b: int
    b_end: int
    is_matched: bool


class Difference(NamedTuple):
    """The differences of two runs.

    Attributes:
        a, b: the runs.
        steps: stretches, in order, that cover both.
        values: pairs of line numbers, from 0, of the same call with different checksums.
        shifted: pairs of line numbers of the same call under different counters.
    """

    a: Run
    b: Run
    steps: list[Step]
    values: list[tuple[int, int]]
    shifted: list[tuple[int, int]]

    @property
    def is_equal(self) -> bool:
        """Return whether both runs made the same calls with the same results."""
        return not self.values and all(step.is_matched for step in self.steps)

    @property
    def first(self) -> tuple[int, int] | None:
        """Return the line numbers, from 0, where they first diverge; None if they do not."""
        found = [(step.a, step.b) for step in self.steps if not step.is_matched][:1]
        return min(found + self.values[:1], default=None)


def read_run(path: str) -> Run:
    """Read a file of checksums.

    Raises:
        UnusableError: when it cannot be read, has no line, or a line is not a checksum.
    """
    names, checksums, cut = [], [], ""
    try:
        with open(path, encoding="utf-8-sig") as file:
            for number, line in enumerate(file, 1):
                name, _, checksum = line.rstrip("\n").rpartition(":")
                if len(checksum) != 32 and not _LINE.match(line):
                    if names and not line.endswith("\n"):
                        cut = line
                        break
                    raise UnusableError(
                        f"{path}, line {number}: {line[:60].rstrip()!r} is not 'name:checksum'. "
                        f"{_IS_IT}"
                    )
                names.append(name)
                checksums.append(checksum)
    except OSError as error:
        raise UnusableError(f"{path} cannot be read: {error}") from None
    except UnicodeDecodeError:
        raise UnusableError(f"{path} is not a text file. {_IS_IT}") from None
    if not names:
        raise UnusableError(f"{path} is empty: the run wrote no checksum.")
    return Run(path, names, checksums, cut)


def without_counter(name: str) -> str:
    """Return a name without its counter: the part that does not shift.

    Example:
        >>> without_counter("conv2d12_out_float32_1x4@Grad"), without_counter("linear_3.w_0@Grad")
        ('conv2d_out_float32_1x4@Grad', 'linear_#.w_#@Grad')
    """
    found = _COUNTED.match(name)
    return found["op"] + found["rest"] if found else _DIGITS.sub("#", name)


def compare(a: Run, b: Run) -> Difference:
    """Align two runs and compare them.

    Example:
        >>> a = Run("a", ["exp1_out_float32_", "log1_out_float32_"], ["1", "2"])
        >>> b = Run("b", ["exp1_out_float32_", "log1_out_float32_"], ["1", "3"])
        >>> compare(a, b).first
        (1, 1)
    """
    keys = _keys(a, b)
    steps, values, shifted = _settled(list(_align(*keys)), keys, (a.checksums, b.checksums)), [], []
    for step in steps:
        if not step.is_matched:
            continue
        ours, theirs = range(step.a, step.a_end), range(step.b, step.b_end)
        pairs = list(zip(ours, theirs, strict=True))
        values += [(i, j) for i, j in pairs if a.checksums[i] != b.checksums[j]]
        shifted += [(i, j) for i, j in pairs if a.names[i] != b.names[j]]
    return Difference(a, b, steps, values, shifted)


def _keys(a: Run, b: Run) -> tuple[list[int], list[int]]:
    """Return a number per line; names that are equal except for counters have equal numbers."""
    numbers: dict[str, int] = {}
    of_name: dict[str, int] = {}
    for name in itertools.chain(a.names, b.names):
        if name not in of_name:
            key = without_counter(name)
            of_name[name] = numbers.setdefault(key, len(numbers))
    return [of_name[name] for name in a.names], [of_name[name] for name in b.names]


def _align(a: list[int], b: list[int]) -> Iterator[Step]:
    """Yield matched and unmatched stretches: see Note [Alignment]."""
    ends = 0
    shorter = min(len(a), len(b))
    starts = next((i for i in range(shorter) if a[i] != b[i]), shorter)
    while ends < shorter - starts and a[-1 - ends] == b[-1 - ends]:
        ends += 1
    if starts:
        yield Step(0, starts, 0, starts, True)
    yield from _align_middle(a, b, starts, len(a) - ends, len(b) - ends)
    if ends:
        yield Step(len(a) - ends, len(a), len(b) - ends, len(b), True)


def _align_middle(a: list[int], b: list[int], start: int, a_end: int, b_end: int) -> Iterator[Step]:
    i = j = start
    indexes = {length: _index(b, start, b_end, length) for length in _IN_A_ROW}
    while i < a_end or j < b_end:
        found = _next_agreement(a, i, j, a_end, b_end, indexes)
        if found != (i, j):
            yield from _within(a, b, Step(i, found[0], j, found[1], False))
        i, j = k, m = found
        while k < a_end and m < b_end and a[k] == b[m]:
            k, m = k + 1, m + 1
        if k > i:
            yield Step(i, k, j, m, True)
        i, j = k, m


def _within(a: list[int], b: list[int], gap: Step) -> Iterator[Step]:
    """Yield the stretches of a gap: if it is short, with the matches inside it."""
    ours, theirs = a[gap.a : gap.a_end], b[gap.b : gap.b_end]
    if not ours or not theirs or len(ours) * len(theirs) > _PAIRS:
        yield gap
        return
    for tag, *ends in difflib.SequenceMatcher(None, ours, theirs, False).get_opcodes():
        i, i_end, j, j_end = ends
        yield Step(gap.a + i, gap.a + i_end, gap.b + j, gap.b + j_end, tag == "equal")


def _next_agreement(a, i: int, j: int, a_end: int, b_end: int, indexes: dict) -> tuple[int, int]:
    """Return the nearest places from i and j on where names agree; the ends if there are none."""
    for length, index in list(indexes.items()):
        best, cost = None, a_end - i + b_end - j
        for p in range(i, a_end - length + 1):
            if p - i >= cost:
                break
            places = index.get(tuple(a[p : p + length]), ())
            at = bisect_left(places, j)
            if at < len(places) and p - i + places[at] - j < cost:
                best, cost = (p, places[at]), p - i + places[at] - j
        if best is not None:
            return best
        del indexes[length]  # that many never agree again
    return a_end, b_end


def _index(keys: list[int], start: int, end: int, length: int) -> dict[tuple, list[int]]:
    """Return where each sequence of ``length`` keys begins."""
    places: dict[tuple, list[int]] = {}
    columns = [keys[start + offset : end] for offset in range(length)]
    for position, run in enumerate(zip(*columns, strict=False), start):
        places.setdefault(run, []).append(position)
    return places


def _settled(steps: list[Step], keys: tuple, checksums: tuple) -> list[Step]:
    """Move lines that only one run has to where they leave the most checksums equal.

    From names alone it is unknown which of [add, add, add] is missing in [add, add].
    """
    settled: list[Step] = []
    for step in steps:
        before = settled[-1] if settled else None
        is_one_sided = (step.a == step.a_end) != (step.b == step.b_end)
        if before is None or not before.is_matched or step.is_matched or not is_one_sided:
            settled.append(step)
            continue
        moved = _best_move(before, step, keys, checksums)
        a, b, a_end, b_end = (each - moved for each in (step.a, step.b, step.a_end, step.b_end))
        settled[-1] = before._replace(a_end=a, b_end=b)
        settled.append(Step(a, a_end, b, b_end, False))
        if moved:
            settled.append(Step(a_end, step.a_end, b_end, step.b_end, True))
    return [step for step in settled if step.a < step.a_end or step.b < step.b_end]


def _best_move(before: Step, gap: Step, keys: tuple, checksums: tuple) -> int:
    """Return how many lines a gap moves up: over names that are equal to those at its end."""
    best = most = gain = 0
    for moved in range(1, min(before.a_end - before.a, _MOVE) + 1):
        i, j = gap.a_end - moved, gap.b_end - moved
        old = gap.a - moved, gap.b - moved
        if keys[0][i] != keys[1][j]:
            break
        gain += (checksums[0][i] == checksums[1][j]) - (
            checksums[0][old[0]] == checksums[1][old[1]]
        )
        if gain > most:
            best, most = moved, gain
    return best


# ---- reporting


def report(found: Difference, context: int = 3) -> str:
    """Return the printed report of a difference.

    Args:
        found: what ``compare`` returned.
        context: how many lines to show before and after the first difference.
    """
    a, b = found.a, found.b
    lines = [*_heads(a, b), ""]
    if found.is_equal:
        lines.append("All checksums are equal.")
        lines += _shifts(found)
        return "\n".join(lines) + "\n"
    first = found.first
    assert first is not None
    lines += [_headline(found, first), ""]
    lines += _context(found, first, context)
    lines += ["", *_details(found, first), *_summary(found, first)]
    return "\n".join(lines) + "\n"


def _heads(a: Run, b: Run) -> Iterator[str]:
    """Yield the lines that describe the two runs."""
    for letter, run in (("a", a), ("b", b)):
        yield f"{letter}: {run.path} ({_lines(len(run))})"
        if run.cut:
            yield f"   its last line is cut off, and not compared: {run.cut[:60]!r}"


def _where(found: Difference, place: tuple[int, int]) -> str:
    lines = [
        f"line {line + 1} of {name}" if line < len(run) else f"the end of {name}"
        for line, run, name in ((place[0], found.a, "a"), (place[1], found.b, "b"))
    ]
    is_same = place[0] == place[1] and lines[1].startswith("line")
    return lines[0] if is_same else f"{lines[0]} ({lines[1]})"


def _headline(found: Difference, first: tuple[int, int]) -> str:
    gap = next((s for s in found.steps if not s.is_matched and (s.a, s.b) == first), None)
    if gap is None:
        name = found.a.names[first[0]] or "None"
        return f"The runs diverge at {_where(found, first)}: {name} differs."
    only = [
        f"{name} has {_lines(end - start)} that {other} does not have"
        for name, other, start, end in (
            ("a", "b", gap.a, gap.a_end), ("b", "a", gap.b, gap.b_end)
        )
        if end > start
    ]  # fmt: skip
    return f"The runs diverge at {_where(found, first)}: {', and '.join(only)}."


def _lines(count: int) -> str:
    return f"{count:,} line" + ("" if count == 1 else "s")


def _context(found: Difference, first: tuple[int, int], context: int) -> Iterator[str]:
    """Yield the lines around a place, with the checksums of each run."""
    a, b = found.a, found.b
    rows = list(_rows(found.steps, first, context))
    names = [b.names[j] if i is None else a.names[i] for i, j in rows]
    width = max([len(name) for name in names], default=0)
    numbers = [len(str(max(len(a), len(b))))] * 2
    for (i, j), name in zip(rows, names, strict=True):
        left = "" if i is None else i + 1
        right = "" if j is None else j + 1
        mark, note = _note(a, b, i, j)
        text = f"{mark} {left:>{numbers[0]}} {right:>{numbers[1]}}  {name:{width}}  {note}"
        yield text.rstrip()


def _rows(steps: list[Step], first: tuple[int, int], context: int) -> Iterator[tuple]:
    """Yield (line of a, line of b) around a place; None for a run that has no such line."""
    left = context + 1
    for step in steps:
        if step.a_end <= first[0] - context and step.b_end <= first[1] - context:
            continue
        if step.is_matched:
            begin = max(0, first[0] - context - step.a)
            for offset in range(begin, step.a_end - step.a):
                yield step.a + offset, step.b + offset
                left -= step.a + offset >= first[0]
                if left <= 0:
                    return
        else:
            yield from ((i, None) for i in range(step.a, min(step.a_end, step.a + 2 * context)))
            yield from ((None, j) for j in range(step.b, min(step.b_end, step.b + 2 * context)))


def _note(a: Run, b: Run, i: int | None, j: int | None) -> tuple[str, str]:
    """Return a line's mark and a note on its checksums."""
    if j is None:
        return "a", f"{a.checksums[i or 0][:_SHOWN]}  only in a"
    if i is None:
        return "b", f"{b.checksums[j][:_SHOWN]}  only in b"
    note = f"as {b.names[j]} in b" if a.names[i] != b.names[j] else ""
    if a.checksums[i] == b.checksums[j]:
        return " ", note
    sums = f"{a.checksums[i][:_SHOWN]} in a, {b.checksums[j][:_SHOWN]} in b"
    return "!", f"{sums}  {note}"


def _details(found: Difference, first: tuple[int, int]) -> Iterator[str]:
    """Yield where the tensors of the first difference were made, and their values.

    Only for a run that has written them, and in a gap only for the run that has more lines.
    """
    gap = next((s for s in found.steps if not s.is_matched and (s.a, s.b) == first), None)
    sides = [
        details.read(run.path, f"{run.names[line]}:{run.checksums[line]}") if is_shown else None
        for run, line, is_shown in (
            (found.a, first[0], gap is None or gap.a_end > gap.a),
            (found.b, first[1], gap is None or gap.b_end > gap.b),
        )
    ]
    text = list(details.report(*sides, is_one_call=gap is None))
    if text:
        yield from (*text, "")


def _summary(found: Difference, first: tuple[int, int]) -> Iterator[str]:
    """Yield a summary of the remaining differences."""
    if found.values and found.values[0] != first:
        place = found.values[0]
        name = found.a.names[place[0]]
        yield f"The first checksum that differs is {name}, {_where(found, place)}."
    matched = sum(step.a_end - step.a for step in found.steps if step.is_matched)
    yield (
        f"{_lines(matched - len(found.values))} equal, {len(found.values):,} with another checksum."
    )
    for run, other, name in ((found.a, found.b, "a"), (found.b, found.a, "b")):
        counts: Counter = Counter()
        for step in found.steps:
            if not step.is_matched:
                part = slice(step.a, step.a_end) if name == "a" else slice(step.b, step.b_end)
                counts.update(map(_op, run.names[part]))
        if counts:
            listed = first_texts([f"{op} x{count:,}" for op, count in counts.most_common()], 8)
            yield f"Only in {run.path if run.path != other.path else name}: {listed}."
    yield from _shifts(found)


def _shifts(found: Difference) -> Iterator[str]:
    if found.shifted:
        i, j = found.shifted[0]
        yield (
            f"Counters are shifted in {_lines(len(found.shifted))}, first {found.a.names[i]} in a, "
            f"{found.b.names[j]} in b."
        )


def _op(name: str) -> str:
    """Return the op of a name, for counting: "add", "add@Grad"."""
    found = _COUNTED.match(name)
    if found is None:
        return _DIGITS.sub("#", name) or "None"
    return found["op"] + ("@Grad" if name.endswith("@Grad") else "")
