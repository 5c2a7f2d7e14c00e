"""Segment: calls of kernels that run together.

Note [When a segment is compiled]
    A new segment runs kernel by kernel, as its ops do without lazy mode. At its second run XLA
    begins to compile it in another thread. It runs kernel by kernel until the CHANGE_OVER-th run,
    which waits for the executable. That depends on counts alone, so that a program has the same
    numbers in each run. With ``FLAGS_lazy_wait`` a segment is compiled at its first run.

Note [Segments that are waited for]
    Where a program reads a value as soon as its segment was started, the segment runs in the
    program's own thread (kernels/calling_thread.py). A segment that a read has ended begins so.
    Whether the program waits is observed at each run, and HABIT runs in succession change it: the
    executable is then loaded again from its file, which takes as long as 50 steps of a small model.
    So a loop that prints every tenth loss does not wait for the others. Each change doubles the
    number of runs that the next one takes: a program that waits for four steps, and not for the
    next four, soon keeps its executable. One that has no file stays as it is: where kernels have
    no files (``FLAGS_kernel_files=0``), all run in XLA's threads.

Note [Donated operands]
    An operand from outside that only the recording refers to cannot be read by other code. An
    example is a parameter before the step, whose tensor already has the pending result. XLA may
    write a result of the same shape and dtype into its memory (donation). Reference counts identify
    these operands, just before the segment runs. Only a segment that ends with an optimizer's step
    donates operands, because it cannot run again after it failed.

    The first call of an executable passes through Python: it is loaded or compiled there, and an
    interrupt would lose what it returned. So that call donates copies (``_with_copies``).
"""

from __future__ import annotations

import contextlib
import itertools
import os
import sys
import time
from collections import Counter
from collections.abc import Callable
from concurrent.futures import Future
from typing import TYPE_CHECKING, Any, NamedTuple

import jax

from jaxeager.core.dtypes import HALF
from jaxeager.errors import JaxEagerError
from jaxeager.kernels import compilations, compile_threads, executable_data, executables, tiers
from jaxeager.kernels.calling_thread import can_be_kept, in_calling_thread
from jaxeager.kernels.executables import Origin
from jaxeager.kernels.lazy import report
from jaxeager.kernels.lazy.kinds import kind_of
from jaxeager.kernels.tracing import FAILURES, failure, jit

if TYPE_CHECKING:
    from jaxeager.core.places import Device
    from jaxeager.kernels.executable_data import Jitted
    from jaxeager.kernels.lazy.mode import Kernel
    from jaxeager.kernels.lazy.recorder import Recording

BITS = 20  # of the number of an operand from outside; the higher bits are its kind
ABSENT = -1 << BITS + 40  # the source of an operand that is None
CHANGE_OVER = 4
HABIT = 3
_NEVER_QUICK = -1  # see Note [Tiers] in kernels/tiers.py: no call waits for it
_numbers = itertools.count(1)
SCOPE = "call"  # then the number and kernel of the call: the scope of its instructions, "call3.exp"
waits = False
observer: Callable[[Segment, Recording, str], None] | None = None
"""Runs segments instead of ``Segment.run``, for a tool: (segment, recording, why it ended)."""


def set_waiting(value: bool) -> None:
    """Apply a new value of FLAGS_lazy_wait."""
    global waits
    waits = value


class Given(NamedTuple):
    """What an executable is called on, where no recording is: for a tool that runs parts.

    Attributes:
        outside: its operands.
        values: its results, in a list; empty before.
        device: the device of the operands.
    """

    outside: list[Any]
    values: list[Any]
    device: Device | None


class Step(NamedTuple):
    """A call in a segment.

    Attributes:
        kernel: a Kernel.
        sources: where its operands come from, flat: the number of a result, or, below 0, the number
            of an array from outside, or ABSENT.
        nesting: the nesting of the operands; None when they are flat.
        line: the line of the user's program that made the call: (file, line).
    """

    kernel: Kernel
    sources: tuple
    nesting: Any
    line: tuple[str, int]

    def operands(self, values: list, outside) -> list:
        """Return the operands, nested as in the call."""
        flat = [
            values[at] if at >= 0 else None if at == ABSENT else outside[place_of(at)]
            for at in self.sources
        ]
        return flat if self.nesting is None else self.nesting.unflatten(flat)


def place_of(source: int) -> int:
    """Return the index, among the operands from outside, of a source below 0; -1 for ABSENT."""
    return (-source & (1 << BITS) - 1) - 1


class Segment:
    """Calls that were recorded in succession, and which of their results are referenced.

    Args:
        steps: the calls.
        made: their results, pending, by number.
        outside: the operands from outside, by number.
        live: the numbers of the referenced results.
        precision: JAX's setting for products.
        why: why it ended when it was first seen.

    Attributes:
        seen: the number of its runs.
        is_awaited: whether it runs in the program's thread: Note [Segments that are waited for].
        was_awaited: whether the program waited for the last run.
        contradictions: how many of the last runs, in succession, it waited for and this did not run
            in its thread, or the other way round.
        habit: how many of these change the thread.
        was_called: whether the executable was called.
    """

    __slots__ = (
        "candidates", "compiling", "contradictions", "donated", "failed", "habit", "has_halves",
        "held", "is_awaited", "kernel", "kinds", "live", "precision", "results", "seen", "steps",
        "unused", "was_awaited", "was_called",
    )  # fmt: skip

    def __init__(
        self,
        steps: list[Step],
        made: list,
        outside: list,
        live: tuple,
        precision: str | None,
        why: str,
    ):
        self.steps, self.live, self.precision = steps, live, precision
        self.is_awaited, self.was_awaited = False, why == report.VALUE
        self.was_called = False
        self.seen, self.contradictions, self.habit = 0, 0, HABIT
        self.failed: Exception | None = None
        self.held = 0  # how often an operand to donate was referenced elsewhere
        self.kernel: Jitted = None
        self.kinds: list | None = None  # of the results of the executable
        self.donated: tuple = ()
        self.compiling: tuple[int, Future] | None = None  # with the id of the process that compiles
        self.has_halves = any(_is_half(array) for array in [*made, *outside])
        self.unused: list[list[int]] | None = None
        self.results = [_form_of(made[at]) for at in live]
        self.candidates: list[int] = []
        if steps[-1].kernel.ends_segment:
            kinds = set(self.results)
            self.candidates = [at for at, array in enumerate(outside) if _form_of(array) in kinds]

    def run(self, recording: Recording) -> None:
        """Compute the results that are still referenced.

        Raises:
            JaxEagerError: when a kernel failed; it names the op and the line.
        """
        self.seen += 1
        if not self.live:
            return
        made, returned = recording.made, recording.values
        if not returned and not self.call(recording):
            self._run_each(recording)
            if self.failed is not None:
                report.note_failed(self.failed)
                self.failed = None
            return
        self._give_values(made, *returned)

    def _give_values(self, made: list, values: list) -> None:
        """Set the values of the pending results to those of the executable."""
        if self.kinds is None:
            self.kinds = list(map(kind_of, values))
        for at, value, kind in zip(self.live, values, self.kinds, strict=True):
            pending = made[at]
            pending.kind, pending.value = kind, value

    def call(self, recording: Recording | Given) -> bool:
        """Call the executable; return False when the kernels have to run one by one."""
        if checks_numbers():  # JAX reports more of one kernel than of a segment
            return False
        if self.seen < CHANGE_OVER and not waits:
            if self.seen == CHANGE_OVER - 2:
                self._prepare(recording.outside)
            return False
        if self.kernel is None:
            self._prepare(recording.outside)
        elif self._has_changed_habit(recording.device):
            self._make_kernel(self.donated, not self.is_awaited)
        self._wait()
        if not set(self.donated).issubset(self._unshared(recording.outside)):
            self.held += 1
            if self.held < CHANGE_OVER and not waits:
                return False
            self._make_kernel((), self.is_awaited)
        kernel: Any = self.kernel
        outside = recording.outside
        try:
            operands = outside if self.was_called else self._with_copies(outside)
            with self.setting():  # in one call of C, which an interrupt cannot split
                recording.values.extend(itertools.starmap(kernel, (operands,)))
        except FAILURES as error:
            if any(recording.outside[at].is_deleted() for at in self.donated):
                raise self._lost(error) from error
            self.failed = error  # if a kernel is at fault, it fails again and is named
            return False
        self.was_called = True
        return True

    def _with_copies(self, outside: list) -> list:
        """Return the operands, with copies of those to donate: see Note [Donated operands]."""
        operands = list(outside)
        with jax.transfer_guard_device_to_device("allow"):  # nothing is moved
            for at in self.donated:
                where = outside[at].sharding if outside[at].committed else None
                operands[at] = jax.device_put(outside[at], where, may_alias=False)
        return operands

    def _has_changed_habit(self, device: Device | None) -> bool:
        """Return whether to switch threads: see Note [Segments that are waited for]."""
        waited, self.was_awaited = self.was_awaited, False
        self.contradictions = 0 if waited is self.is_awaited else self.contradictions + 1
        if self.contradictions < self.habit:
            return False
        self.contradictions, self.habit = 0, 2 * self.habit
        is_on_cpu = device is not None and device.platform == "cpu"
        return is_on_cpu and executables.has_file(self.kernel)

    def _lost(self, error: Exception) -> JaxEagerError:
        """Return the error of a segment that cannot run again, because operands were donated."""
        kernel, *_, (file, line) = self.steps[-1]
        return failure(f"{len(self.steps)} calls up to {kernel.name} (of {file}:{line})", error)

    # ---- kernel by kernel

    def _run_each(self, recording: Recording) -> None:
        """Compute the results call by call, and drop each after its last use."""
        report.add(one_by_one=1)
        if self.unused is None:
            self.unused = self._unused_after_each(recording)
        values: list = []
        made, outside = recording.made, recording.outside
        try:
            with self.setting():
                for step, unused in zip(self.steps, self.unused, strict=True):
                    values.extend(jax.tree.leaves(run_step(step, values, outside)))
                    for at in unused:
                        values[at] = None
        finally:  # calls before a failed kernel have their values
            for at in self.live:
                if at < len(values):
                    pending = made[at]
                    pending.kind, pending.value = None, values[at]

    def _unused_after_each(self, recording: Recording) -> list[list[int]]:
        """Return, for each call, the results without a later use."""
        last: dict[int, int] = {}
        for number, place in enumerate(recording.place.path()):
            made = range(place.first, place.first + len(place.avals))
            used = [at for at in place.call[1] if at >= 0]
            last |= dict.fromkeys([*made, *used], number)
        unused: list[list[int]] = [[] for _ in self.steps]
        for at in last.keys() - set(self.live):
            unused[last[at]].append(at)
        return unused

    # ---- the executable

    def setting(self):
        """Return a block in which products have the precision of the recorded calls."""
        if self.precision is None:
            return contextlib.nullcontext()
        return jax.default_matmul_precision(self.precision)

    def _unshared(self, outside: list) -> list[int]:
        """Return the numbers of the candidates that only the recording refers to."""
        return [at for at in self.candidates if sys.getrefcount(outside[at]) == 2]

    def _prepare(self, outside: list) -> None:
        """Make the executable: in another thread where possible, and no tool listens."""
        is_awaited, self.was_awaited = self.was_awaited, False
        left = Counter(self.results)
        donated = []
        for at in self._unshared(outside):
            kind = _form_of(outside[at])
            if left[kind]:
                left[kind] -= 1
                donated.append(at)
        self._make_kernel(tuple(donated), is_awaited)
        if compilations.is_listened_to() or executables.are_logged():
            return  # then it is compiled by its call, at the user's line
        if self.precision is None and not waits:  # a setting belongs to one thread
            structs = [executable_data.struct_of(array) for array in outside]
            self.compiling = os.getpid(), compile_threads.compile_alone(self._compile, structs)

    def _compile(self, structs: list) -> None:
        began = time.perf_counter()
        executables.ahead(self.kernel, *structs)
        report.add(seconds=time.perf_counter() - began)

    def _wait(self) -> None:
        """Wait for the executable; an error of XLA is raised again by its call."""
        compiling, self.compiling = self.compiling, None
        if compiling is not None and compiling[0] == os.getpid() and not compiling[1].cancel():
            compiling[1].exception()

    def _make_kernel(self, donated: tuple, is_awaited: bool) -> None:
        steps, live, origin = self.steps, self.live, self._origin(donated, is_awaited)
        is_marked = origin is not None and origin.is_awaited

        def segment(*outside):
            values: list = []
            for number, step in enumerate(steps):
                with jax.named_scope(f"{SCOPE}{number}.{step.kernel.name}"):
                    out = step.kernel.rule(*step.operands(values, outside))
                values.extend(jax.tree.leaves(out))
            outs = [values[at] for at in live]
            return [in_calling_thread(outs[0]), *outs[1:]] if is_marked else outs

        report.add(executables=1)
        given: dict[str, Any] = {"donate_argnums": donated}
        if origin is None and self.has_halves:
            given["compiler_options"] = tiers.EACH_ROUNDED
        name = f"segment {next(_numbers)} of {len(steps)} calls"  # each has its own in reports
        kernel = jit(segment, name=name, origin=origin, **given)
        # Without a call in between, where an interrupt would leave a kernel with another's operands
        # to donate.
        self.kernel, self.donated, self.is_awaited = kernel, donated, is_awaited
        self.was_called = False

    def _origin(self, donated: tuple, is_awaited: bool) -> Origin | None:
        """Return the origin of the segment; None when a kernel has none."""
        made = []
        for kernel, sources, nesting, _ in self.steps:
            if kernel.origin is None:
                return None
            places = tuple([_place_in_file(at) for at in sources])
            made.append((kernel.origin.what, places, None if nesting is None else str(nesting)))
        what = "segment", tuple(made), self.live, donated
        return Origin(what, _NEVER_QUICK, self.has_halves, is_awaited and can_be_kept())


def run_step(step: Step, values: list, outside: list) -> Any:
    """Call the kernel of a step."""
    try:
        return step.kernel.kernel(*step.operands(values, outside))
    except JaxEagerError:
        raise
    except FAILURES as error:
        file, line = step.line
        raise failure(f"{step.kernel.name} (of {file}:{line})", error) from error


def _place_in_file(source: int) -> int | None:
    """Return a source without the kind of its array, which has other numbers in each process."""
    if source == ABSENT:
        return None
    return source if source >= 0 else -1 - place_of(source)


def _is_half(array: jax.Array) -> bool:
    return array.dtype in HALF


def _form_of(array: jax.Array) -> tuple:
    return array.shape, array.dtype


def checks_numbers() -> bool:
    """Return whether JAX checks the results of each kernel."""
    config: Any = jax.config
    return config.jax_debug_nans or config.jax_debug_infs
