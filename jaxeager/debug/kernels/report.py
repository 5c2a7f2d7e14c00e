"""compilations: which calls of a program needed kernels, how many, and their cost."""

import dataclasses

from jaxeager.debug.common.first_rows import first_lines
from jaxeager.debug.stacks.lines import fitted
from jaxeager.kernels import compilations as journal
from jaxeager.kernels.call_shapes import Change, merged, text_of

_COLUMNS = ("kernels", "loaded", "cached", "quick", "full", "CPU s", "s")
_LINE_WIDTH = 40


@dataclasses.dataclass(frozen=True)
class Call:
    """The kernels that one call of a program (a row at a line) needed.

    Attributes:
        name: the row or rule (``matmul``, ``matmul_grad``, ``optimizer_step``); ``f()`` for the
            programs of a function ``f`` that ``to_static(full_graph=True)`` has captured; JAX's
            name (``jit(f)``) for functions that this package has not jitted.
        file: the file of the user's line; "" if it is unknown, and in threads of the package.
        line: its number.
        loaded: kernels that were loaded from files, without tracing.
        cached: kernels that were traced, their code from JAX's own cache.
        quick: kernels that were compiled with few of XLA's passes.
        full: kernels that were compiled with all of them.
        cpu_seconds: the CPU time of the process's threads meanwhile.
        seconds: the elapsed time.
        changes: the differences from kernel to kernel.
    """

    name: str
    file: str
    line: int
    loaded: int
    cached: int
    quick: int
    full: int
    cpu_seconds: float
    seconds: float
    changes: tuple[Change, ...]

    @property
    def kernels(self) -> int:
        """Return how many kernels were compiled and loaded."""
        return self.loaded + self.cached + self.quick + self.full


@dataclasses.dataclass(frozen=True)
class Compilations:
    """The kernels that a process compiled and loaded; its text is a table.

    Attributes:
        calls: the calls, those with the most CPU time first.
    """

    calls: tuple[Call, ...]

    @property
    def kernels(self) -> int:
        """Return how many kernels were compiled and loaded."""
        return sum([call.kernels for call in self.calls])

    @property
    def compiled(self) -> int:
        """Return how many kernels XLA has compiled."""
        return sum([call.quick + call.full for call in self.calls])

    @property
    def cpu_seconds(self) -> float:
        """Return the CPU time of the process's threads meanwhile."""
        return sum([call.cpu_seconds for call in self.calls])

    @property
    def seconds(self) -> float:
        """Return the elapsed seconds."""
        return sum([call.seconds for call in self.calls])

    def table(self, most: int | None = None) -> str:
        """Return a line for each call.

        Args:
            most: the maximum number of lines; None for all.
        """
        heads = "".join([f"{head:>9}" for head in _COLUMNS])
        width = max([len(call.name) for call in self.calls] + [4])
        place_width = max([len(_line_text(call)) for call in self.calls] + [4])

        def line(call: Call) -> str:
            named = f"{call.name:{width}}  {_line_text(call):{place_width}}"
            return f"{_numbers(call)}  {named}  {text_of(call.changes)}".rstrip()

        return "\n".join(
            [
                f"{heads}  {'call':{width}}  {'line':{place_width}}  what changes",
                *first_lines(self.calls, most, line, "calls"),
                f"{self.kernels} kernels for {len(self.calls)} calls, {self.compiled} of them "
                f"compiled: {self.cpu_seconds:.2f} s of the processor, {self.seconds:.2f} s",
            ]
        )

    def __str__(self) -> str:
        return self.table(40)


def compilations(forget: bool = False) -> Compilations:
    """Return which calls of this process needed kernels, how many, their cost, and why.

    A kernel is compiled, or loaded from a file, for every shape and dtype of the operands of a
    call, and for every value of its static attributes: docs/memory.md. The changes list which of
    these differ from kernel to kernel of one call, and for a program of ``to_static`` what differs
    from the most similar earlier one; if layers of several sizes are called from one line, they
    list the differences within each of them. In a backward they compare all nodes.

    Args:
        forget: clear the records, so that the next report only has later calls.

    Paddle: has no such report; its kernels work for any shape.

    Example:
        >>> import jaxeager as paddle
        >>> _ = paddle.debug.compilations(forget=True)
        >>> for length in (1234, 1235):
        ...     y = paddle.zeros([length])
        >>> print(paddle.debug.compilations())
          kernels ...  what changes
                2 ...  full  ...:2  a static value: 1234, 1235
        2 kernels for 1 calls...
    """
    by_call: dict[tuple[str, str, int], list[journal.Site]] = {}
    for site in journal.sites():
        by_call.setdefault((site.name, site.place.file, site.place.line), []).append(site)
    if forget:
        journal.forget()
    calls = [_call_of(sites) for sites in by_call.values()]
    return Compilations(tuple(sorted(calls, key=lambda call: -call.cpu_seconds)))


def _call_of(sites: list[journal.Site]) -> Call:
    """Return the sum of the sites of one line."""
    first = sites[0]
    found = [change for site in sites for change in journal.changes(site.shapes)]
    return Call(
        name=first.name,
        file=first.place.file,
        line=first.place.line,
        cpu_seconds=sum([site.cpu_seconds for site in sites]),
        seconds=sum([site.seconds for site in sites]),
        changes=merged(found),
        **{source: sum([site.counts[source] for site in sites]) for source in journal.SOURCES},
    )


def _numbers(call: Call) -> str:
    """Return the columns of numbers of a call."""
    numbers = (call.kernels, call.loaded, call.cached, call.quick, call.full)
    counted = "".join([f"{number:9}" for number in numbers])
    return f"{counted}{call.cpu_seconds:9.2f}{call.seconds:9.2f}"


def _line_text(call: Call) -> str:
    return fitted(call.file, call.line, _LINE_WIDTH) if call.file else "(elsewhere)"
