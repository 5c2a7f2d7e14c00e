"""The function marked by ``to_static`` that changes a program's outcome when it is compiled.

Note [Compiled functions]
    Marked functions are numbered in the order of their first calls; a method counts once for each
    object. In each run the first N of them run as they are marked, and the others as plain Python,
    op by op. So the first search ends at a function: with it compiled the program is bad, and with
    those before it alone it is good.

    Then the function runs in lazy mode, where its Python runs on every call, and all other marked
    functions run as plain Python. If the program is still bad, some calls of ops have other numbers
    when they are compiled together, and the search of compiled.py finds them. If not, the ops are
    not the reason: a program captured with ``full_graph`` does not run Python, so it keeps what was
    read while it was captured.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from pathlib import Path

from jaxeager.debug.bisect.compiled import bisect_compiled, compiling
from jaxeager.debug.bisect.counted import ALL, find_first, write_report
from jaxeager.debug.bisect.judge import Trials, start_of
from jaxeager.debug.bisect.search import BAD
from jaxeager.jit import switching
from jaxeager.jit.static_function import StaticFunction
from jaxeager.jit.switching import COMPILED, PLAIN, RECORDED

KIND = "static"


class CompiledFunctions:
    """Numbers marked functions, and chooses how each runs: see Note [Compiled functions].

    Args:
        first: how many functions are compiled.
        within: the number of the only function that runs in lazy mode; 0 for none.

    Attributes:
        numbers: the number of each function that was called.
    """

    def __init__(self, first: int, within: int = 0):
        self._first, self._within = first, within
        self.numbers: dict[StaticFunction, int] = {}

    def way(self, function: StaticFunction) -> str:
        """Return how a function runs; ``switching.picked``."""
        number = self.numbers.setdefault(function, len(self.numbers) + 1)
        if self._within:
            return RECORDED if number == self._within else PLAIN
        return COMPILED if number <= self._first else PLAIN

    def report(self) -> dict:
        """Return the number of functions, and name and line of each."""
        return {"count": len(self.numbers), "functions": [_place_of(each) for each in self.numbers]}


def _place_of(function: StaticFunction) -> tuple[str, str]:
    inner = inspect.unwrap(function.dygraph_function)
    code = getattr(inner, "__code__", None)
    line = "an unknown line" if code is None else f"{code.co_filename}:{code.co_firstlineno}"
    return getattr(inner, "__qualname__", repr(inner)), line


def run_static(first: int, report: str, program: list[str], run_program: Callable) -> int:
    """Run a program in this process with its first marked functions compiled.

    Args:
        first: how many.
        report: a file for the functions; "" for none.
        program: the program and its arguments.
        run_program: runs it.
    """
    functions = CompiledFunctions(first)
    try:
        switching.pick(functions.way)
        return run_program(program)
    finally:
        switching.pick(None)
        write_report(report, functions.report())


def run_within(
    number: int, after: int, first: int, report: str, program: list[str], run_program: Callable
) -> int:
    """Run a program in this process with a range of the calls of one function compiled.

    Args:
        number: that of the function.
        after: how many of its calls precede the range.
        first: the number of the last call of the range.
        report: a file for the number of calls and the lines of the range; "" for none.
        program: the program and its arguments.
        run_program: runs it.
    """
    try:
        switching.pick(CompiledFunctions(0, number).way)
        with compiling(after, first, report):
            return run_program(program)
    finally:
        switching.pick(None)


def bisect_static(trials: Trials, program: list[str], folder: Path) -> int:
    """Find the function, and its calls, that change the outcome; return the exit status.

    Args:
        trials: judges and prints.
        program: the program and its arguments.
        folder: a temporary folder.

    Raises:
        UnusableError: if the program is not good with no function compiled, or not bad with all.
    """

    def compiled(first: int) -> str:
        return f"{_functions(first)} compiled"

    suspects, count, reports = find_first(
        trials, program, folder / "functions.json", ("--ops", KIND),
        compiled,
        "no function compiled",
        compiled,
        "the program has called no function that is marked by to_static, or was ended by os._exit; "
        "there is nothing to compile",
    )  # fmt: skip
    if len(suspects) > 1:
        print(f"Runs were skipped, so it is one of functions {suspects[0]} to {suspects[-1]}")
        return 1
    (number,) = suspects
    functions = reports[number].get("functions", [])  # none if the run was killed
    is_known = len(functions) >= number
    name, line = functions[number - 1] if is_known else ("unknown", "an unknown line")
    print(f"Function {number} of {count} changes the outcome when it is compiled: {name} at {line}")
    return _look_inside(trials, program, folder, number, name)


def _look_inside(trials: Trials, program: list[str], folder: Path, number: int, name: str) -> int:
    """Find the calls of a function that change the outcome; return the exit status."""
    kind = ("--ops", KIND, "--within", str(number))
    whole = [*kind, "--calls", str(ALL)]
    verdict = trials.run(
        f"{name} in lazy mode", lambda: start_of(["bisect", *whole, *program], Path.cwd())
    )
    if verdict.word == BAD:
        return bisect_compiled(trials, program, folder, kind)
    print(
        f"Its ops are not the reason: {name} is good when its Python runs on every call and lazy "
        "mode compiles its ops.\nThe captured program keeps what Python read when it was captured; "
        "FLAGS_check_static=1 compares the two at each call."
    )
    return 0


def _functions(first: int) -> str:
    return "the first function" if first == 1 else f"the first {first} functions"
