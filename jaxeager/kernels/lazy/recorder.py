"""Recorder: the kernel calls that have not run yet, and the tree of the calls seen before.

Note [Recording]
    A kernel call in lazy mode is a step in a tree. The key of the step is the kernel and the
    sources of its operands; it leads from the calls before it to a ``CallNode``, which knows the
    results of the call. A path that was walked before computes nothing: it makes a Pending for each
    result. Operands from outside of the segment are numbered in order of appearance. The key has
    their ``kind``, a small integer that represents shape, dtype and device.

    A segment ends when a value is requested, after an optimizer's step (at its ``clear_grad`` or
    the next call), and by length (Note [Ends by length]). Its place in the tree and the results
    that are still referenced determine the work: only those results are computed.
    ``sys.getrefcount`` is exact for that: the list of the recording holds one reference, and every
    other one is held by a tensor, a node or the user.

    The state of a recording is its place, and the list of results up to it. A call is recorded by
    one assignment to a slice and one to ``place``. So an interrupt between any two steps of Python
    leaves the calls before it, or those and this one.

    A result may outlive the tree by far: losses that are kept in a list, or a result of a thread
    that has ended. So a recording that has run refers to its recorder weakly, and to no place and
    no segment.

Note [Ends by length]
    A deep model would be one executable that compiles for minutes. So a segment of at least
    LEAST_CALLS calls ends where the fingerprint of its last three calls is the least of the last
    WINDOW fingerprints. That depends on the calls alone. So in a model of equal layers all segments
    but the first and last end at the same call of a layer: they are the same path from the root of
    the tree, and one executable.

    Each result that crosses the end of a segment costs about 1 us, which for small arrays is more
    than the call. So a segment whose results have less than SMALL_BYTES has at least
    LEAST_SMALL_CALLS calls. (50 multiplications of 4 x 4 with their backward took 0.74 ms in two
    segments, and 0.49 in one.)

    A segment keeps its operands until it has run. Where results are large, LEAST_LARGE_CALLS calls
    are enough, so that a backward frees saved tensors early. (The peak of a GPT with activations of
    2 MiB was 1.29 times that of eager mode with 50 calls, and 0.92 times with 15; its steps took
    0.9 times as long, as XLA computes one segment while Python records the next.)
"""

from __future__ import annotations

import contextlib
import sys
import threading
import weakref
import zlib
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import jax
from jax.core import ShapedArray

from jaxeager.core import places
from jaxeager.core.user_lines import user_frame
from jaxeager.errors import PreconditionNotMetError
from jaxeager.kernels import compile_threads, executables
from jaxeager.kernels.lazy import report, segments
from jaxeager.kernels.lazy.kinds import kind_of
from jaxeager.kernels.lazy.pending import (
    Array,
    Pending,
    bytes_of,
    precision,
    ready,
    trace_state_clean,
)
from jaxeager.kernels.lazy.segments import ABSENT, BITS, Segment, Step, place_of

if TYPE_CHECKING:
    from jaxeager.kernels.lazy.kinds import Kind
    from jaxeager.kernels.lazy.mode import Kernel

_new = object.__new__
LEAST_CALLS = 50  # in a segment that ends by length
LEAST_SMALL_CALLS = 400  # in one with small results
SMALL_BYTES = 1 << 20  # above that, the results of a segment are not small
LEAST_LARGE_CALLS = 15  # in one with large results
LARGE_BYTES = 16 << 20  # from that on, they are large
WINDOW = 64  # calls, more than a layer has
MOST_CALLS = 2000
MOST_PLACES = 50_000  # in a tree; beyond that it is started again
MOST_BYTES = 256 << 20  # of operands from outside, which a recording keeps alive
_MOST_RESULTS = 20_000
_MOST_SEGMENTS = 64  # that end at one place
_INTERRUPTS = (
    "Lazy mode: a signal handler or a finalizer read a value while kernels were being recorded, "
    "compiled or run in its thread, so the value cannot be computed now. Set a flag in the "
    "handler, and read the value in the program."
)


class _OfAnotherRecording(Exception):
    """Raised for an operand that is pending in another recording, which has to run first."""


class CallNode:
    """The end of a path of calls in the tree.

    Attributes:
        after: the places that the next call leads to, by (kernel, sources of its operands, their
            nesting).
        parent: the place before the last call; None for the root.
        call: the last call, the key of this place in ``parent.after``.
        avals: the results of the last call, flat.
        nesting: the nesting of the results; None for a single array.
        first: the number of its first result.
        depth: the number of calls of the path.
        operands: the number of its operands from outside, and ``bytes``: their size.
        result_bytes: the size of the results of the path.
        is_committed: whether the results are bound to the device, as JAX's committed arrays are.
        line: the line of the user's program that made the call: (file, line).
        print: a fingerprint of the last three calls, an integer.
        ends: why the segment ends before the next call; "" when it does not.
        segments: the segments that ended here, by the numbers of the referenced results.
    """

    __slots__ = (
        "after", "avals", "bytes", "call", "depth", "ends", "first", "is_committed", "line",
        "nesting", "operands", "parent", "print", "result_bytes", "segments",
    )  # fmt: skip

    def __init__(
        self,
        parent: CallNode | None = None,
        call: tuple = (),
        out: tuple = ((), None),
        new_bytes: int = 0,
        is_committed: bool = False,
    ):
        self.after: dict[tuple, CallNode] = {}
        self.parent, self.call, self.is_committed = parent, call, is_committed
        self.avals, self.nesting = out
        self.segments: dict[tuple, Segment] = {}
        self.first = self.depth = self.print = self.operands = self.bytes = self.result_bytes = 0
        self.ends, self.line = "", ("", 0)
        if parent is not None:
            self.first = parent.first + len(parent.avals)
            self.depth = parent.depth + 1
            outside = [place_of(source) + 1 for source in call[1] if source < 0]
            self.operands = max([parent.operands, *outside])
            self.bytes = parent.bytes + new_bytes
            self.result_bytes = parent.result_bytes + sum(map(bytes_of, self.avals))
            self.print = zlib.crc32(" ".join(self.names(3)).encode())
            self.ends = self._reason_to_end()
            frame = user_frame()
            self.line = frame.f_code.co_filename, frame.f_lineno

    def commits(self, number: int) -> bool:
        """Return whether a result of the path, by its number, is committed."""
        place: CallNode | None = self
        while place is not None and place.first > number:
            place = place.parent
        return place is not None and place.is_committed

    def add(self, segment: Segment) -> None:
        """Remember a segment that ends here."""
        if len(self.segments) >= _MOST_SEGMENTS:
            del self.segments[next(iter(self.segments))]
        self.segments[segment.live] = segment

    def steps(self) -> list[Step]:
        """Return the calls of the path, in order."""
        return [Step._make((*place.call, place.line)) for place in self.path()]

    def path(self) -> list[CallNode]:
        """Return the place after each call of the path, in order."""
        return self.last(self.depth)[::-1]

    def names(self, count: int) -> list[str]:
        """Return the names of the last kernels, last first."""
        return [place.call[0].name for place in self.last(count)]

    def last(self, count: int) -> list[CallNode]:
        """Return the places of the last calls, last first."""
        place, found = self, []
        while place.parent is not None and len(found) < count:
            found.append(place)
            place = place.parent
        return found

    def _reason_to_end(self) -> str:
        """Return why the segment ends here: see Note [Ends by length]."""
        if self.call[0].ends_segment:
            return report.STEP
        if self.bytes > MOST_BYTES:
            return report.BYTES
        if self.depth < _least_calls(self.result_bytes):
            return ""
        is_least = self.print <= min([place.print for place in self.last(WINDOW)])
        return report.LENGTH if is_least or self.depth >= MOST_CALLS else ""


def _least_calls(result_bytes: int) -> int:
    """Return the least number of calls of a segment that ends by length, by its results' size."""
    if result_bytes < SMALL_BYTES:
        return LEAST_SMALL_CALLS
    return LEAST_CALLS if result_bytes < LARGE_BYTES else LEAST_LARGE_CALLS


class Recording:
    """The calls of one segment that has not run yet.

    Attributes:
        recorder: its recorder; None once it has run.
        ran_in: a weak reference to the recorder in which it has run; None before.
        place: the place that its calls lead to; the root of an empty tree once it has run.
        made: the results, by number.
        outside: the operands from outside, by number.
        numbers: the numbers and kinds of these, by the id of the array.
        device: the device of the operands; None before the first.
        precision: JAX's setting for products, which a block of the user may change.
        values: the results of the executable, in a list; empty before.
        segment: the segment of that executable; None once it has run.
        is_done: whether its results have their values.
    """

    __slots__ = (
        "device", "is_done", "made", "numbers", "outside", "place", "precision", "ran_in",
        "recorder", "segment", "values",
    )  # fmt: skip

    def __init__(self, recorder: Recorder):
        self.recorder: Recorder | None = recorder
        self.ran_in: weakref.ref | None = None
        self.precision = precision.value
        self.place = recorder.root_of(self.precision)
        self.made: list[Pending] = []
        self.outside: list[jax.Array] = []
        self.numbers: dict[int, int] = {}
        self.device: places.Device | None = None
        self.values: list = []
        self.segment: Segment | None = None
        self.is_done = False

    def number_of(self, array: jax.Array, kind: Kind | None) -> int | None:
        """Return the number of a new array from outside, after adding it to these.

        None for one on several devices, or on another device than the others.
        """
        number, device = kind or kind_of(array)
        if device is None:
            return None
        if device is not self.device:
            if self.device is not None:
                return None
            self.device = device
        outside = self.outside
        outside.append(array)
        number = self.numbers[id(array)] = -len(outside) - (number << BITS)
        return number

    def finish(self, why: str) -> None:
        """Compute the results that are still referenced.

        Raises:
            JaxEagerError: when a kernel failed. The calls are kept, and run again when a result is
                requested.
            PreconditionNotMetError: in a signal handler or a finalizer that interrupts this, or in
                a finalizer that interrupts a thread which compiles.
        """
        recorder = self.recorder
        if recorder is None:  # another thread was faster
            return
        if compile_threads.is_one():  # the thread with the lock may wait for this one
            raise PreconditionNotMetError(_INTERRUPTS)
        with recorder.lock:
            if recorder.is_busy and not self.is_done:
                raise PreconditionNotMetError(_INTERRUPTS)
            try:
                recorder.is_busy = True
                self.finish_within(recorder, why)
            finally:
                recorder.is_busy = False

    def finish_within(self, recorder: Recorder, why: str) -> None:
        """Do the work of ``finish`` while the recorder is marked as busy."""
        if self.is_done:
            return
        if recorder.recording is self:
            recorder.recording = Recording(recorder)
        place = self.place
        if place.parent is None:
            self.is_done = True
            return
        made = self.made
        del self.outside[place.operands :]  # those of a call that was not recorded
        count = place.first + len(place.avals)
        live = tuple([at for at in range(count) if sys.getrefcount(made[at]) > 2])
        segment = self.segment if self.values else place.segments.get(live)
        if segment is None:
            segment = Segment(place.steps(), made, self.outside, live, self.precision, why)
            place.add(segment)
            recorder.places += 1
        self.segment = segment
        recorder.last = self, segment
        report.note(why, segment)
        with _beside_a_trace():
            if segments.observer is None:
                segment.run(self)
            else:
                segments.observer(segment, self, why)
        self.is_done, self.ran_in = True, recorder.reference
        self.made, self.outside, self.values, self.numbers = [], [], [], {}
        self.recorder, self.segment, self.place = None, None, _NOWHERE

    def note_wait(self) -> None:
        """Note that the program waits for a result.

        Calls that were recorded since mean that it did not, and so does a read in another thread.
        """
        recorder = None if self.ran_in is None else self.ran_in()
        if recorder is None or recorder.thread != threading.get_ident():
            return
        ran, segment = recorder.last
        if ran is self and recorder.recording.place.parent is None:
            segment.was_awaited = True


_NOWHERE = CallNode()


def _beside_a_trace():
    """Return a block in which kernels run even while JAX traces a function of the user."""
    return contextlib.nullcontext() if trace_state_clean() else jax.ensure_compile_time_eval()


class Recorder:
    """The recorded calls of one thread or asyncio task: see Note [Recording]."""

    __slots__ = (
        "__weakref__", "is_busy", "last", "lock", "places", "recording", "reference", "roots",
        "thread",
    )  # fmt: skip

    def __init__(self):
        self.reference, self.thread = weakref.ref(self), threading.get_ident()
        self.last: tuple[Recording | None, Segment | None] = (
            None,
            None,
        )  # the recording that ran last, and its segment
        self.lock, self.is_busy = threading.RLock(), False
        self.roots: dict[object, CallNode] = {}  # by the precision of products
        self.places = 0
        self.recording = Recording(self)

    def root_of(self, setting: object) -> CallNode:
        """Return the place where a segment begins, for a precision of products."""
        if self.places > MOST_PLACES:
            self.roots, self.places = {}, 0
        found = self.roots.get(setting)
        if found is None:
            found = self.roots[setting] = CallNode()
        return found

    def record(self, kernel: Kernel, operands: Sequence) -> Any:
        """Record a call and return its results, pending.

        Args:
            kernel: a Kernel.
            operands: its operands, nested or not.

        Returns:
            the results, nested as the kernel returns them; NotImplemented for a call that must run
            immediately: without operands, or with some that are traced or on several devices.
        """
        try:
            with self.lock:
                if self.is_busy:  # in a finalizer or a signal handler that interrupts this
                    return NotImplemented
                try:
                    self.is_busy = True
                    outs = self._record(kernel, operands)  # "return" here would leave the "try"
                finally:
                    self.is_busy = False
                return outs
        except _OfAnotherRecording as other:
            (pending,) = other.args
        pending.ready()  # without this lock: another thread may hold that and want this
        return self.record(kernel, operands)

    def _record(self, kernel: Kernel, operands: Sequence, nesting: Any = None) -> Any:
        """Do the work of ``record``; with a nesting, of operands that were flattened."""
        recording = self.recording
        place = recording.place
        if place.ends or recording.precision is not precision.value:
            recording = self._next(recording)
            place = recording.place
        sources, known = [], recording.numbers.get
        for array in operands:
            kind = type(array)
            if kind is Pending:
                value = array.value
                if value is None:
                    if array.recording is not recording:
                        raise _OfAnotherRecording(array)
                    sources.append(array.number)
                    continue
                number = known(id(value)) or recording.number_of(value, array.kind)
            elif kind is Array:
                number = known(id(array)) or recording.number_of(array, None)
            elif array is None:
                number = ABSENT
            elif nesting is None:
                return self._record(kernel, *jax.tree.flatten(operands))
            else:
                return NotImplemented
            if number is None:
                return NotImplemented
            sources.append(number)
        call = kernel, tuple(sources), nesting
        after = place.after.get(call)
        if after is None:
            if not sources:
                return NotImplemented
            after = self._new_place(place, call, operands)
        number = first = after.first
        outs = []
        for aval in after.avals:
            out: Any = _new(Pending)
            out.aval, out.value, out.recording, out.number = aval, None, recording, number
            outs.append(out)
            number += 1
        recording.made[first:] = outs
        recording.place = after
        return outs[0] if after.nesting is None else after.nesting.unflatten(outs)

    def _next(self, recording: Recording) -> Recording:
        """Return the next recording, after the one before has ended."""
        recording.finish_within(self, recording.place.ends or report.SETTING)
        if self.recording is recording:  # it had run before
            self.recording = Recording(self)
        return self.recording

    def _new_place(self, parent: CallNode, call: tuple, operands) -> CallNode:
        """Return the place of a call that was not seen here before."""
        self.places += 1
        new = {
            source: array.nbytes
            for source, array in zip(call[1], operands, strict=True)
            if source < 0 and place_of(source) >= parent.operands
        }
        structs = [
            None if array is None else self._struct(parent, source, array)
            for source, array in zip(call[1], operands, strict=True)
        ]
        is_committed = any(each is not None and each.sharding is not None for each in structs)
        made = CallNode(parent, call, _results(call, structs), sum(new.values()), is_committed)
        parent.after[call] = made
        return made

    def _struct(self, parent: CallNode, source: int, array: jax.Array) -> jax.ShapeDtypeStruct:
        """Return the struct of an operand of a new call, for ``executables.begin``."""
        is_committed = parent.commits(source) if source >= 0 else ready(array).committed
        where = places.only_on(self.recording.device) if is_committed else None
        aval = array.aval
        return jax.ShapeDtypeStruct(
            aval.shape, aval.dtype, sharding=where, weak_type=aval.weak_type
        )

    def run(self, why: str) -> None:
        """Run the recorded calls."""
        self.recording.finish(why)


_known_results: dict[tuple, tuple] = {}


def _results(call: tuple, structs: list) -> tuple:
    """Return the results of a call: avals, flat, and their nesting, None for a single array.

    A kernel that is new begins to be compiled: see Note [Kernels compiled side by side].
    """
    kernel, _, nesting = call
    key = kernel, nesting, tuple(map(_form, structs))
    found = _known_results.get(key)
    if found is None:
        given = structs if nesting is None else nesting.unflatten(structs)
        out = None if segments.waits else executables.begin(kernel.kernel, *given)
        if out is None:
            out = jax.eval_shape(kernel.rule, *given)
        leaves, nested = jax.tree.flatten(out)
        is_single = jax.tree_util.treedef_is_leaf(nested)
        found = tuple([_aval(each) for each in leaves]), None if is_single else nested
        if len(_known_results) > _MOST_RESULTS:
            _known_results.clear()
        _known_results[key] = found
    return found


def _form(struct: jax.ShapeDtypeStruct | None) -> tuple | None:
    return None if struct is None else (struct.shape, struct.dtype, struct.weak_type)


def _aval(struct: jax.ShapeDtypeStruct) -> ShapedArray:
    return ShapedArray(struct.shape, struct.dtype, weak_type=struct.weak_type)
