"""The kernels that a device has run, by the op, node and line that launched them.

Note [Kernels of a trace]
    JAX's profiler times what a device runs: on a GPU its kernels and copies, on a CPU the loops and
    library calls of an executable. While the profile waits for each op and node, all that an op has
    launched runs inside the op's range (Note [Ranges] in ranges.py); so a kernel belongs to the
    innermost range in which it begins, in whatever thread or on whatever stream it runs. Kernels
    that begin in no range (of another library, of a copy that nothing waits for) have no line.
"""

from __future__ import annotations

import bisect
import dataclasses
import itertools
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

import jax

from jaxeager.debug.common.first_rows import first_lines
from jaxeager.debug.time.jax_trace import JaxTrace, thread_names
from jaxeager.debug.time.ranges import NUMBER, Range, RangeWriter

if TYPE_CHECKING:
    from jaxeager.debug.time.types import TraceJson


@dataclasses.dataclass
class KernelRow:
    """The runs of one kernel that one op or node at one line has launched.

    Attributes:
        name: the kernel's name on the device.
        where: the range that launched it; None if it began in none.
        device: "gpu:0", "cpu".
        runs: how often it ran.
        ns: the time it took.
    """

    name: str
    where: Range | None
    device: str
    runs: int = 0
    ns: int = 0


class Ran(NamedTuple):
    """A kernel that ran once; times are microseconds of the trace."""

    name: str
    device: str
    begin: float
    took: float


class DeviceKernels:
    """Traces the kernels of devices, with a range for each op and node.

    ``trace`` begins, before the observer that waits for each op; ``start`` comes after it, so that
    the ranges end when it has waited.

    Attributes:
        rows: the kernels, those that took longest first; filled by ``stop``.
    """

    def __init__(self):
        self._trace = JaxTrace()
        self._ranges = RangeWriter(keeps=True)
        self.rows: list[KernelRow] = []

    def trace(self) -> None:
        """Begin the trace."""
        self._trace.start("The time of kernels")

    def start(self) -> None:
        """Begin the ranges."""
        self._ranges.start()

    def stop(self) -> None:
        """End the trace and read it."""
        self._ranges.stop()
        for trace in self._trace.stop():
            self.rows += rows_of(trace, self._ranges.kept)
        self.rows.sort(key=lambda row: -row.ns)


def rows_of(trace: TraceJson, ranges: dict[int, Range]) -> list[KernelRow]:
    """Return the kernels of a trace by what launched them: see Note [Kernels of a trace].

    Args:
        trace: what JAX writes for Perfetto: ``traceEvents``.
        ranges: the ranges that were open, by number.
    """
    spans = []
    for event in trace.get("traceEvents", []):
        number = event.get("args", {}).get(NUMBER)
        if event.get("ph") == "X" and number is not None and number.isdecimal():
            begin = event["ts"]
            spans.append((begin, begin + event.get("dur", 0), int(number)))
    spans.sort()
    begins = [begin for begin, _, _ in spans]
    latest = list(itertools.accumulate([end for _, end, _ in spans], max))
    found: dict[tuple, KernelRow] = {}
    for kernel in kernels_in(trace):
        number = _innermost(spans, begins, latest, kernel.begin)
        where = None if number is None else ranges.get(number)
        key = kernel.name, where, kernel.device
        row = found.setdefault(key, KernelRow(*key))
        row.runs += 1
        row.ns += round(kernel.took * 1000)
    return list(found.values())


def _innermost(
    spans: list[tuple], begins: list[float], latest: list[float], time: float
) -> int | None:
    """Return the number of the range that began last of those that are open at a time.

    Args:
        spans: (begin, end, number), in the order of their begins.
        begins: these begins.
        latest: for each span the latest end up to it.
        time: the time.
    """
    for place in reversed(range(bisect.bisect_right(begins, time))):
        if latest[place] < time:
            return None
        if time <= spans[place][1]:
            return spans[place][2]
    return None


def kernels_in(trace: TraceJson) -> Iterator[Ran]:
    """Yield the kernels and copies of accelerators in a trace; of CPUs if there are none."""
    all_events = trace.get("traceEvents", [])
    devices, streams = thread_names(all_events)
    on_host = []
    for event in all_events:
        at, arguments = (event.get("pid"), event.get("tid")), event.get("args", {})
        name = event.get("name", "")
        if event.get("ph") != "X":
            continue
        if at in streams:
            if "hlo_module" in arguments or name.lower().startswith(("memcpy", "memset")):
                yield _ran(event, devices[at[0]])
        elif at[0] not in devices and "hlo_op" in arguments:
            on_host.append(event)
    if not devices:
        yield from (_ran(event, "cpu") for event in on_host)


def _ran(event: TraceJson, device: str) -> Ran:
    return Ran(event["name"], device, event["ts"], event.get("dur", 0))


# ---- text


def kernels_text(rows: Iterable[KernelRow], most: int | None = 20) -> str:
    """Return a line per kernel: how often it ran, its time, its name, and what launched it."""
    rows = list(rows)
    if not rows:
        return "No kernel was traced."
    total = sum([row.ns for row in rows]) or 1
    width = min(max([len(row.name) for row in rows[:most]]), 40)

    def line(row: KernelRow) -> str:
        name = row.name if len(row.name) <= width else f"{row.name[: width - 3]}..."
        place = "no op" if row.where is None else row.where.text
        times = f"{row.runs:9}{row.ns / 1e6:9.2f}{row.ns / row.runs / 1e3:9.1f}"
        return f"{times}{100 * row.ns / total:9.1f}  {name:{width}}  {place}"

    head = f"{'runs':>9}{'ms':>9}{'us each':>9}{'%':>9}  {'kernel':{width}}  launched by"
    return "\n".join([head, *first_lines(rows, most, line)])


def limit_text(
    calls: int, python_ns: int, device_ns: int, kernels: Sequence[KernelRow] = ()
) -> str:
    """Return, in words, that the host limits a program; "" if it does not, or is unknown.

    The host launches work for the device. If a launch takes longer than the work, the device waits
    for the next launch, and faster kernels change nothing. A CPU runs small kernels inside of the
    launch, so without its kernels its two times cannot be told apart.

    Args:
        calls: of ops and nodes.
        python_ns: the time of the host for them.
        device_ns: the time for which the host then waited.
        kernels: the kernels, if they were traced.

    Example:
        >>> kernel = KernelRow("gemm", None, "gpu:0", 970, 6_000_000)
        >>> limit_text(970, 34_000_000, 8_000_000, [kernel]).partition(":")[0]
        'The host is the limit'
        >>> limit_text(970, 34_000_000, 60_000_000, [dataclasses.replace(kernel, ns=50_000_000)])
        ''
    """
    if kernels:
        took = sum([row.ns for row in kernels])
        if all(row.device == "cpu" for row in kernels):
            python_ns = max(python_ns + device_ns - took, 0)
        device_ns = took
    elif jax.default_backend() == "cpu":
        return ""
    if calls < _FEW_CALLS or device_ns * 2 > python_ns:
        return ""
    host, device = (each / calls / 1e3 for each in (python_ns, device_ns))
    return (
        f"The host is the limit: {calls:,} calls of ops and nodes take {host:.1f} us each in "
        f"Python, and {device:.1f} us on the device, which waits for the next call. Lazy mode "
        "(python -m jaxeager --lazy) and to_static run many calls as one."
    )


_FEW_CALLS = 100  # below it, too few to tell
