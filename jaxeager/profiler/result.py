"""The result of a Profiler: a tree of nodes per thread, and the files that contain it.

The two formats are Paddle's: a trace for chrome://tracing (or ui.perfetto.dev), and a protobuf,
encoded here by hand, because it has only three messages.
"""

from __future__ import annotations

import json
import struct
import time
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from jaxeager.debug.time.recorder import Recorder
from jaxeager.debug.time.timed_events import Event, TracerEventType
from jaxeager.errors import InvalidArgumentError, NotFoundError

VERSION = "1.0.2"


class MemoryEvent(NamedTuple):
    """Memory that an array allocated or freed.

    Attributes:
        time_ns: the time of the event.
        increase_bytes: the size, negative when freed.
        current_allocated, peak_allocated: of the arrays that were made while recording.
        place: the device.
    """

    time_ns: int
    increase_bytes: int
    current_allocated: int
    peak_allocated: int
    place: str

    @property
    def type(self) -> str:
        return "Allocate" if self.increase_bytes >= 0 else "Free"


class DeviceNode(NamedTuple):
    """A kernel that ran on a device, as reported by JAX's profiler.

    Attributes:
        name: the kernel.
        type: TracerEventType.Kernel, Memcpy or Memset.
        start_ns, end_ns: its begin and end.
        device_id, stream_id: its device and stream.
    """

    name: str
    type: TracerEventType
    start_ns: int
    end_ns: int
    device_id: int
    stream_id: int


class HostNode:
    """An event of the host.

    Attributes:
        name, type, start_ns, end_ns, process_id, thread_id: its name, kind, time and place.
        children_node: the events inside it.
        runtime_node: calls of a device's driver; JAX reports none.
        device_node: DeviceNodes that it launched.
        mem_node: MemoryEvents.
        input_shapes, dtypes: by operand, for an op, with ``record_shapes``.
        flops: the operations of its kernel, with ``with_flops``.
    """

    __slots__ = (
        "attributes", "callstack", "children_node", "correlation_id", "device_node", "dtypes",
        "end_ns", "flops", "input_shapes", "mem_node", "name", "op_id", "process_id",
        "runtime_node", "start_ns", "thread_id", "type",
    )  # fmt: skip

    def __init__(self, name: str, type: TracerEventType, start_ns: int, end_ns: int):
        self.name, self.type, self.start_ns, self.end_ns = name, type, start_ns, end_ns
        self.process_id = self.thread_id = self.op_id = self.correlation_id = 0
        self.children_node: list[HostNode] = []
        self.runtime_node: list = []
        self.device_node: list[DeviceNode] = []
        self.mem_node: list[MemoryEvent] = []
        self.input_shapes: dict = {}
        self.dtypes: dict = {}
        self.attributes: dict = {}
        self.callstack = ""
        self.flops = 0.0


class ProfilerResult:
    """A finished recording.

    Args:
        trees: the root of each thread, by the thread's id.
        extra: names of threads by their ids, and the CPU utilization.
        version: the version of the format.
        span_index: the number of the recording.
    """

    def __init__(self, trees: dict[int, HostNode], extra: dict[str, str], version: str, span: int):
        self._trees, self._extra, self._version, self._span = trees, extra, version, span

    def get_data(self) -> dict[int, HostNode]:
        """Return the root of each thread, by the thread's id."""
        return self._trees

    def get_extra_info(self) -> dict[str, str]:
        """Return names of threads, "Process Cpu Utilization" and "System Cpu Utilization"."""
        return self._extra

    def get_version(self) -> str:
        """Return the version of the format."""
        return self._version

    def get_span_index(self) -> int:
        """Return the number of this recording of its profiler, from 0."""
        return self._span

    def save(self, path: str, format: str = "json") -> None:
        """Write the result to a file.

        Args:
            path: the file.
            format: "json" for chrome://tracing, "pb" for ``load_profiler_result``.

        Raises:
            InvalidArgumentError: for another format.
        """
        if format not in ("json", "pb"):
            raise InvalidArgumentError(f"format should be 'json' or 'pb', but received {format!r}.")
        target = Path(path)
        if format == "json":
            target.write_text(json.dumps(_trace(self), indent=1), encoding="utf-8")
        else:
            target.write_bytes(_encoded(self))


def result_of(recorder: Recorder, extra: dict[str, str], span: int) -> ProfilerResult:
    """Return the events of a recorder as a result."""
    trees = {}
    for thread_id, roots in recorder.roots.items():
        root = HostNode("root node", TracerEventType.UserDefined, 0, 2**64 - 1)
        waiting: list[tuple[HostNode, Event]] = [(root, event) for event in roots]
        for parent, event in waiting:  # grows during the loop
            node = HostNode(event.name, event.kind, event.begin_ns, event.end_ns)
            node.process_id, node.thread_id = recorder.process_id, thread_id
            node.input_shapes = {name: [list(kind[0])] for name, kind in event.shapes if kind}
            node.dtypes = {name: [kind[1]] for name, kind in event.shapes if kind}
            node.flops, node.mem_node = event.flops, [MemoryEvent(*each) for each in event.memory]
            parent.children_node.append(node)
            waiting += [(node, child) for child in event.children]
        trees[thread_id] = root
    names = {str(thread_id): name for thread_id, name in recorder.threads.items()}
    return ProfilerResult(trees, names | extra, VERSION, span)


def walk(root: HostNode) -> Iterator[HostNode]:
    """Yield every node below a root, in breadth-first order."""
    waiting = list(root.children_node)
    for node in waiting:  # grows during the loop
        yield node
        waiting += node.children_node


# ---- chrome://tracing

_PYTHON = {
    TracerEventType[name]
    for name in "Dataloader ProfileStep Forward Backward Optimization PythonOp "
    "PythonUserDefined".split()
}


def _trace(result: ProfilerResult) -> dict:
    """Return the trace of a result, for JSON."""
    nodes = [node for root in result.get_data().values() for node in walk(root)]
    first_ns = min([node.start_ns for node in nodes], default=0)
    entries: list[dict] = []
    for node in nodes:
        entries.append(_traced(node, first_ns))
        entries += [_traced_memory(node, each) for each in node.mem_node]
        entries += [_traced_kernel(node, each, first_ns) for each in node.device_node]
    extra = result.get_extra_info()
    return {
        "displayTimeUnit": "ms",
        "schemaVersion": result.get_version(),
        "span_index": str(result.get_span_index()),
        "traceEvents": [*entries, *_named_rows(nodes, extra)],
        "ExtraInfo": extra,
    }


def _row_of(node: HostNode) -> str:
    return f"{node.thread_id}({'Python' if node.type in _PYTHON else 'C++'})"


def _traced(node: HostNode, first_ns: int) -> dict:
    took = (node.end_ns - node.start_ns) / 1e3
    arguments: dict[str, object] = {
        "start_time": f"{(node.start_ns - first_ns) / 1e3:.3f} us",
        "end_time": f"{(node.end_ns - first_ns) / 1e3:.3f} us",
    }
    if node.type is TracerEventType.Operator:
        arguments |= {
            "input_shapes": node.input_shapes,
            "input_dtypes": node.dtypes,
            "callstack": node.callstack,
        }
    return {
        "name": f"{node.name}[{_time_text(took)}]",
        "pid": node.process_id,
        "tid": _row_of(node),
        "ts": node.start_ns // 1000,
        "dur": round(took, 3),
        "ph": "X",
        "cat": node.type.name,
        "cname": "thread_state_runnable",
        "args": arguments,
    }


def _time_text(microseconds: float) -> str:
    if microseconds < 1000:
        return f"{microseconds:.3f} us"
    return f"{microseconds / 1000:.3f} ms"


def _traced_memory(node: HostNode, memory: MemoryEvent) -> dict:
    return {
        "name": "[memory]",
        "pid": node.process_id,
        "tid": f"{node.thread_id}(C++)",
        "ts": memory.time_ns // 1000,
        "ph": "i",
        "cat": memory.type,
        "args": {
            "place": memory.place,
            "increase_bytes": memory.increase_bytes,
            "current_allocated": memory.current_allocated,
            "peak_allocated": memory.peak_allocated,
        },
    }


def _traced_kernel(node: HostNode, kernel: DeviceNode, first_ns: int) -> dict:
    took = (kernel.end_ns - kernel.start_ns) / 1e3
    return {
        "name": f"{kernel.name}[{_time_text(took)}]",
        "pid": kernel.device_id,
        "tid": kernel.stream_id,
        "ts": kernel.start_ns // 1000,
        "dur": round(took, 3),
        "ph": "X",
        "cat": kernel.type.name,
        "cname": "rail_animation",
        "args": {
            "start_time": f"{(kernel.start_ns - first_ns) / 1e3:.3f} us",
            "end_time": f"{(kernel.end_ns - first_ns) / 1e3:.3f} us",
            "launched_by": node.name,
        },
    }


def _named_rows(nodes: list[HostNode], extra: dict[str, str]) -> list[dict]:
    """Return the metadata events that name the rows of the picture."""
    rows = sorted({(node.process_id, node.thread_id) for node in nodes})
    entries = []
    for process, thread in rows:
        for place, language in enumerate(("Python", "C++")):
            row = {"pid": process, "tid": f"{thread}({language})", "ph": "M"}
            name = f"thread {thread}:{extra.get(str(thread), '')}({language})"
            entries += [
                row | {"name": "process_name", "args": {"name": f"Process {process} (CPU)"}},
                row | {"name": "thread_name", "args": {"name": name}},
                row | {"name": "thread_sort_index", "args": {"sort_index": 2 * thread + place}},
            ]
    return entries


# ---- protobuf
#
# NodeTreesProto {1: version, 2: span_index, 3: repeated thread_trees, 4: repeated extra_info}
# thread_trees {1: thread_id, 2: repeated host_nodes}; extra_info {1: key, 2: value}
# host_nodes {1: id, 2: parent id, 3: {1: name, 2: type, 3: start, 4: end, 5: process, 6: thread}}

_NO_PARENT = 2**64 - 1
# Kinds that Paddle's own reader does not know are written as a kind that it knows.
_WRITTEN_AS = {TracerEventType.DygraphKernelLaunch: TracerEventType.OperatorInner}


def _varint(number: int) -> bytes:
    parts = bytearray()
    number &= _NO_PARENT
    while number > 127:
        parts.append(number & 127 | 128)
        number >>= 7
    parts.append(number)
    return bytes(parts)


def _field(number: int, value: int | str | bytes) -> bytes:
    if isinstance(value, int):
        return _varint(number << 3) + _varint(value)
    data = value.encode() if isinstance(value, str) else value
    return _varint(number << 3 | 2) + _varint(len(data)) + data


def _encoded(result: ProfilerResult) -> bytes:
    """Return a result as a protobuf."""
    parts = [_field(1, result.get_version()), _field(2, result.get_span_index())]
    for thread_id, root in result.get_data().items():
        nodes = [_node_message(0, _NO_PARENT, root)]
        waiting = [(0, child) for child in root.children_node]
        for parent, node in waiting:  # grows during the loop
            number = len(nodes)
            nodes.append(_node_message(number, parent, node))
            waiting += [(number, child) for child in node.children_node]
        parts.append(_field(3, _field(1, thread_id) + b"".join([_field(2, n) for n in nodes])))
    for key, value in result.get_extra_info().items():
        parts.append(_field(4, _field(1, key) + _field(2, value)))
    return b"".join(parts)


def _node_message(number: int, parent: int, node: HostNode) -> bytes:
    kind = _WRITTEN_AS.get(node.type, node.type)
    values = (node.name, kind.value, node.start_ns, node.end_ns, node.process_id, node.thread_id)
    event = b"".join([_field(at, value) for at, value in enumerate(values, 1)])
    return _field(1, number) + _field(2, parent) + _field(3, event)


def _fields(data: bytes) -> dict[int, list]:
    """Return the values of each field of a message.

    Raises:
        ValueError, IndexError, struct.error: for data that is not a message.
    """
    if not isinstance(data, bytes):
        raise ValueError(f"a number, {data}, where a message is expected")
    found: dict[int, list] = {}
    at = 0
    while at < len(data):
        tag, at = _read_varint(data, at)
        kind = tag & 7
        if kind == 0:
            value, at = _read_varint(data, at)
        elif kind == 2:
            size, at = _read_varint(data, at)
            if at + size > len(data):
                raise IndexError
            value, at = data[at : at + size], at + size
        elif kind in (1, 5):
            size = 8 if kind == 1 else 4
            (value,) = struct.unpack("<d" if kind == 1 else "<f", data[at : at + size])
            at += size
        else:
            raise IndexError
        found.setdefault(tag >> 3, []).append(value)
    return found


def _read_varint(data: bytes, at: int) -> tuple[int, int]:
    number = shift = 0
    while True:
        byte = data[at]
        number |= (byte & 127) << shift
        at, shift = at + 1, shift + 7
        if byte < 128:
            return number, at


def read_result(path: str) -> ProfilerResult:
    """Return the result that a protobuf contains.

    Raises:
        InvalidArgumentError: when the file does not contain one.
        NotFoundError: when the file does not exist.
    """
    try:
        data = Path(path).read_bytes()
    except OSError as error:
        raise NotFoundError(f"There is no profiler result to read in {path!r}: {error}.") from error
    try:
        message = _fields(data)
        version = message[1][0].decode()
        span = _number(message, 2) if 2 in message else 0
        trees = dict(map(_read_tree, message.get(3, [])))
        extra = {}
        for each in message.get(4, []):
            pair = _fields(each)
            extra[pair[1][0].decode()] = pair[2][0].decode()
    except (IndexError, KeyError, ValueError, AttributeError, struct.error) as error:
        raise InvalidArgumentError(
            f"{path!r} does not contain a profiler result: {error!r}."
        ) from error
    return ProfilerResult(trees, extra, version, span)


def _read_tree(data: bytes) -> tuple[int, HostNode]:
    tree = _fields(data)
    nodes: dict[int, HostNode] = {}
    for each in tree.get(2, []):
        message = _fields(each)
        event = _fields(message[3][0])
        kind = TracerEventType(event.get(2, [TracerEventType.OperatorInner.value])[0])
        node = HostNode(event[1][0].decode(), kind, _number(event, 3), _number(event, 4))
        node.process_id, node.thread_id = _number(event, 5), _number(event, 6)
        parent = nodes.get(_number(message, 2))  # an earlier node: no node is inside itself
        nodes[_number(message, 1)] = node
        if parent is not None:
            parent.children_node.append(node)
    return _number(tree, 1), nodes[0]


def _number(message: dict[int, list], field: int) -> int:
    """Return the number in a field; raise ValueError for text."""
    value = message[field][0]
    if not isinstance(value, int):
        raise ValueError(f"{value!r} where a number is expected")
    return value


def cpu_use(began: tuple, ended: tuple) -> dict[str, str]:
    """Return the CPU utilization between two ``cpu_times()``, in Paddle's format."""
    process, busy, total = [b - a for a, b in zip(began, ended, strict=True)]
    return {
        "Process Cpu Utilization": f"{process / total if total else 0.0:.6f}",
        "System Cpu Utilization": f"{busy / total if total else 0.0:.6f}",
    }


def cpu_times() -> tuple[float, float, float]:
    """Return the CPU seconds of this process, of all processes, and of all processors.

    The last two are 0 if the system does not provide them.
    """
    process = time.process_time()
    try:
        with open("/proc/stat") as file:
            ticks = [float(word) / 100 for word in file.readline().split()[1:9]]
    except (OSError, ValueError, IndexError):
        return process, 0.0, 0.0
    return process, sum(ticks) - ticks[3] - ticks[4], sum(ticks)
