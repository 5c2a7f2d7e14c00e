"""The data of a Recorder: events, with Paddle's kinds, reads of values, created kernels."""

import enum
from typing import NamedTuple

from jaxeager.core import user_lines
from jaxeager.debug.time.user_stack import Frame


class TracerEventType(enum.Enum):
    """The kind of an event, with Paddle's names and numbers."""

    Operator = 0
    Dataloader = 1
    ProfileStep = 2
    CudaRuntime = 3
    Kernel = 4
    Memcpy = 5
    Memset = 6
    UserDefined = 7
    OperatorInner = 8
    Forward = 9
    Backward = 10
    Optimization = 11
    Communication = 12
    PythonOp = 13
    PythonUserDefined = 14
    DygraphKernelLaunch = 15
    StaticKernelLaunch = 16

    def __str__(self) -> str:
        return f"TracerEventType.{self.name}"


_NOTHING: list = []  # for events whose memory is not recorded; never added to


class Event:
    """A timed event.

    Attributes:
        name: its name.
        kind: a TracerEventType.
        thread_id: the native id of the thread it ran in.
        begin_ns, end_ns: nanoseconds since 1970; ``end_ns`` is 0 while it runs.
        device_ns: how long the device was waited for; 0 unless the recorder waits.
        compile_ns: the time for creating the kernels that it needed.
        kernels: their number.
        children: the events inside it.
        stack: the user's lines it was called from, the outermost first; () unless requested.
        cost: the key in ``Recorder.kernels`` of the kernel it has run; or None.
        shapes: (name, (shape, dtype)) of each operand of an op; () unless requested.
        dtypes: the dtypes of the results of an op or node, each once; () unless stacks are kept.
        flops: the operations of its kernel; 0 until they are requested.
        memory: (nanoseconds, bytes, bytes in use, their maximum, place) for each array that was
            created or freed; () unless requested.
        is_wait: whether the program waits in it for a call between ranks.
    """

    __slots__ = (
        "begin_ns", "children", "compile_ns", "cost", "device_ns", "dtypes", "end_ns", "flops",
        "is_wait", "kernels", "kind", "memory", "name", "shapes", "stack", "thread_id",
    )  # fmt: skip

    def __init__(self, name: str, kind: TracerEventType, thread_id: int, begin_ns: int):
        self.name, self.kind, self.thread_id = name, kind, thread_id
        self.begin_ns, self.end_ns = begin_ns, 0
        self.device_ns = self.compile_ns = self.kernels = 0
        self.children: list[Event] = []
        self.stack: tuple[Frame, ...] = ()
        self.cost: tuple | None = None
        self.shapes: tuple = ()
        self.dtypes: tuple[str, ...] = ()
        self.flops = 0.0
        self.memory: list = _NOTHING
        self.is_wait = False

    @property
    def duration_ns(self) -> int:
        """Return the time from its beginning to its end."""
        return self.end_ns - self.begin_ns

    @property
    def line(self) -> Frame | None:
        """Return the user's line that called it, or a node's op; None if it is not kept."""
        for frame in reversed(self.stack):
            if user_lines.is_users(frame.file):
                return frame
        return None


class Read:
    """Values that one line has copied to the host.

    Attributes:
        frame: the line.
        count: how often.
        wait_ns: how long the device was, or without ``waits`` would have been, waited for.
    """

    __slots__ = ("count", "frame", "wait_ns")

    def __init__(self, frame: Frame):
        self.frame, self.count, self.wait_ns = frame, 0, 0


class Compilation(NamedTuple):
    """A kernel that was needed and did not exist yet.

    Attributes:
        name: the row or rule.
        source: "loaded" from a file, "cached" by JAX, compiled "quick" or "full".
        frame: the user's line; None if there is none.
        shapes: shape and dtype of each operand.
        cause: the difference from the previous kernel of the same call.
        seconds: the time it took.
    """

    name: str
    source: str
    frame: Frame | None
    shapes: tuple
    cause: str
    seconds: float
