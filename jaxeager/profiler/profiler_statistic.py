"""The tables of a Profiler: sums over the nodes of its result, in Paddle's format."""

from __future__ import annotations

import enum
from collections.abc import Callable, Iterable

from jaxeager.debug.time.timed_events import TracerEventType
from jaxeager.profiler import ranges
from jaxeager.profiler.result import DeviceNode, HostNode, walk
from jaxeager.profiler.states import SummaryView
from jaxeager.profiler.tables import Table, ratio_text, time_text, times_text

_KIND = TracerEventType
_COMMUNICATION = ("allreduce", "broadcast", "rpc")
_COPIES = ("memcpy", "memorycopy", "memset")
_PHASES = {
    _KIND.ProfileStep: "ProfileStep",
    _KIND.Dataloader: "Dataloader",
    _KIND.Forward: "Forward",
    _KIND.Backward: "Backward",
    _KIND.Optimization: "Optimization",
}


class SortedKeys(enum.Enum):
    """The sort keys of ops in ``Profiler.summary``; minima ascend, all others descend."""

    CPUTotal = 0
    CPUAvg = 1
    CPUMax = 2
    CPUMin = 3
    GPUTotal = 4
    GPUAvg = 5
    GPUMax = 6
    GPUMin = 7


class Times:
    """The count and duration of runs: sum, maximum and minimum, in nanoseconds."""

    def __init__(self):
        self.count = self.total = self.max = 0
        self.min: float = float("inf")

    def add(self, took: int) -> None:
        """Add one time."""
        self.count += 1
        self.total += took
        self.max, self.min = max(self.max, took), min(self.min, took)

    @property
    def average(self) -> float:
        return self.total / self.count if self.count else 0.0


class Item:
    """The times of the nodes of one name.

    Attributes:
        cpu, gpu: their times on the host, and of the device events they launched.
        flops: the operations of their kernels.
        inner: the items inside them, by name, without other ops.
        devices: the kernels they launched, by name.
    """

    def __init__(self, name: str):
        self.name = name
        self.cpu, self.gpu = Times(), Times()
        self.flops = 0.0
        self.inner: dict[str, Item] = {}
        self.devices: dict[str, Times] = {}

    @property
    def call(self) -> int:
        return self.cpu.count

    def add(self, node: HostNode, with_inner: bool = False) -> None:
        """Add a node."""
        self.cpu.add(node.end_ns - node.start_ns)
        self.gpu.add(sum([each.end_ns - each.start_ns for each in launched(node)]))
        self.flops += node.flops
        for kernel in node.device_node:
            times = self.devices.setdefault(kernel.name, Times())
            times.add(kernel.end_ns - kernel.start_ns)
        for child in node.children_node if with_inner else ():
            if child.type is not _KIND.Operator:
                self.inner.setdefault(child.name, Item(child.name)).add(child)


def launched(node: HostNode) -> list[DeviceNode]:
    """Return the device events that a node and all nodes inside it launched."""
    return [*node.device_node, *[each for child in walk(node) for each in child.device_node]]


class StatisticData:
    """The sums of a result.

    Args:
        node_trees: the root of each thread.
        extra_info: the result of ``ProfilerResult.get_extra_info``.

    Attributes:
        items, thread_items: ops by name, of all threads and of each.
        userdefined, userdefined_threads: the same for ``RecordEvent``s.
        phases: steps and their phases, by name.
        copies: ranges whose names contain a word for copies of memory.
    """

    def __init__(self, node_trees: dict[int, HostNode], extra_info: dict[str, str]):
        self.node_trees, self.extra_info = node_trees, extra_info
        self.nodes = [node for root in node_trees.values() for node in walk(root)]
        self.device_nodes = [
            each for root in node_trees.values() for each in [*root.device_node, *launched(root)]
        ]
        self.items: dict[str, Item] = {}
        self.thread_items: dict[int, dict[str, Item]] = {}
        self.userdefined: dict[str, Item] = {}
        self.userdefined_threads: dict[int, dict[str, Item]] = {}
        self.copies: dict[str, Item] = {}
        self.phases: dict[str, Item] = {}
        for node in self.nodes:
            self._add(node)
        for root in node_trees.values():
            self._add_phases(root)

    def _add(self, node: HostNode) -> None:
        if node.type is _KIND.Operator:
            of_thread = self.thread_items.setdefault(node.thread_id, {})
            for items in (self.items, of_thread):
                items.setdefault(node.name, Item(node.name)).add(node, True)
        elif any(word in node.name.lower() for word in _COPIES):
            self.copies.setdefault(node.name, Item(node.name)).add(node)
        elif node.type is _KIND.PythonUserDefined:
            of_thread = self.userdefined_threads.setdefault(node.thread_id, {})
            for items in (self.userdefined, of_thread):
                items.setdefault(node.name, Item(node.name)).add(node)

    def _add_phases(self, root: HostNode) -> None:
        """Add steps, and in each the outermost phases, so that no Layer counts inside another."""
        waiting = list(root.children_node)
        for node in waiting:  # grows during the loop
            name = _PHASES.get(node.type)
            if name is not None:
                self.phases.setdefault(name, Item(name)).add(node)
            if name in (None, "ProfileStep"):
                waiting += node.children_node

    @property
    def total_ns(self) -> int:
        """Return the duration of all steps."""
        return self.host_ns(_KIND.ProfileStep)

    def host_ns(self, kind: TracerEventType) -> int:
        """Return the time that the host spent in a kind of event, without counting any twice."""
        found = [(node.start_ns, node.end_ns) for node in self.nodes if node.type is kind]
        return ranges.total(ranges.merged(found))

    def gpu_ns(self) -> int:
        """Return the device time of all steps."""
        return self.phases["ProfileStep"].gpu.total if "ProfileStep" in self.phases else 0


def build_table(
    data: StatisticData,
    sorted_by: SortedKeys = SortedKeys.CPUTotal,
    op_detail: bool = True,
    thread_sep: bool = False,
    time_unit: str = "ms",
    views: list[SummaryView] | None = None,
) -> str:
    """Return the tables as text; without a recorded step, only that of devices."""
    builders: dict[SummaryView, Callable[[], str]] = {
        SummaryView.DeviceView: lambda: _devices(data),
        SummaryView.OverView: lambda: _overview(data, time_unit),
        SummaryView.ModelView: lambda: _model(data, time_unit),
        SummaryView.DistributedView: lambda: _distributed(data, time_unit),
        SummaryView.OperatorView: lambda: _operators(
            data, sorted_by, op_detail, thread_sep, time_unit
        ),
        SummaryView.KernelView: lambda: _kernels(data, time_unit),
        SummaryView.MemoryManipulationView: lambda: _copies(data, time_unit),
        SummaryView.UDFView: lambda: _userdefined(data, sorted_by, thread_sep, time_unit),
        SummaryView.MemoryView: lambda: _memory(data),
    }
    shown = [view for view in builders if views is None or view in views]
    if not data.total_ns:
        shown = [view for view in shown if view is SummaryView.DeviceView]
    return "".join([builders[view]() for view in shown])


# ---- the tables

_DEVICE_NOTE = """Note:
CPU(Process) Utilization = CPU time of this process / (elapsed time * number of cores).
CPU(System) Utilization = CPU time of all processes / (elapsed time * number of cores).
GPU Utilization = time in which kernels of this process ran / elapsed time."""
_OVERVIEW_NOTE = """Note:
Each line is the time in which at least one event of that type was running: events of one type
that overlap, also on several threads, count once.
Events of one type contain events of another (Forward contains Operator), so ratios do not add up.
"""
_MODEL_NOTE = """Note:
GPU time is the sum of all that ran on devices for the phase, each kernel counted separately.
"""
_DISTRIBUTED_NOTE = """Note:
Communication: calls between ranks, from when this rank joins one to its end (other ranks may be
late), and ops that exchange data, with their kernels.
Computation: all other kernels; on a CPU, which lists no kernels, ops and nodes.
Overlap: time in which both were running.
"""
_CPU, _GPU = (f"{word} Total / Avg / Max / Min / Ratio(%)" for word in ("CPU", "GPU"))


def _devices(data: StatisticData) -> str:
    table = Table("Device Summary", [("Device", 30), ("Utilization (%)", 20)])
    for what in ("Process", "System"):
        table.row(f"CPU({what})", ratio_text(float(data.extra_info[f"{what} Cpu Utilization"])))
    for device in sorted({node.device_id for node in data.device_nodes}):
        found = [
            (node.start_ns, node.end_ns)
            for node in data.device_nodes
            if node.device_id == device and node.type is _KIND.Kernel
        ]
        busy = ranges.total(ranges.merged(found))
        table.row(f"GPU{device}", ratio_text(busy / data.total_ns if data.total_ns else 0))
    return table.text(note=_DEVICE_NOTE)


def _overview(data: StatisticData, unit: str) -> str:
    table = Table(
        "Overview Summary",
        [("Event Type", 25), ("Calls", 25), ("CPU Time", 25), ("Ratio (%)", 25)],
        unit,
    )
    counts: dict[str, int] = {}
    times: dict[str, int] = {}
    for kind in {node.type for node in data.nodes}:
        phase = data.phases.get(_PHASES.get(kind, ""))
        counts[kind.name] = sum([node.type is kind for node in data.nodes])
        times[kind.name] = data.host_ns(kind)
        if phase is not None and kind is not _KIND.ProfileStep:
            counts[kind.name], times[kind.name] = phase.call, phase.cpu.total
    for number, (name, took) in enumerate(sorted(times.items(), key=lambda item: -item[1])):
        shown = time_text(took, unit), ratio_text(took / data.total_ns)
        table.row(f"{'  ' if number else ''}{name}", counts[name], *shown)
    table.rule()
    table.row("", "Calls", "GPU Time", "Ratio (%)")
    table.rule()
    for kind in sorted({node.type for node in data.device_nodes}, key=lambda kind: kind.value):
        found = [(n.start_ns, n.end_ns) for n in data.device_nodes if n.type is kind]
        took = ranges.total(ranges.merged(found))
        shown = time_text(took, unit), ratio_text(took / data.total_ns)
        table.row(f"  {kind.name}", len(found), *shown)
    return table.text(note=_OVERVIEW_NOTE)


def _model(data: StatisticData, unit: str) -> str:
    if len(data.phases) < 2:
        return ""
    table = Table("Model Summary", [("Name", 15), ("Calls", 6), (_CPU, 40), (_GPU, 40)], unit)
    total, gpu_total = data.total_ns, data.gpu_ns()
    cpu_left, gpu_left = total, gpu_total
    for name in _PHASES.values():
        item = data.phases.get(name)
        if item is None:
            continue
        is_step = name == "ProfileStep"
        columns = _columns(item, total, gpu_total, unit)
        table.row(name if is_step else f"  {name}", item.call, *columns)
        if not is_step:
            cpu_left -= item.cpu.total
            gpu_left -= item.gpu.total
    shown = [
        f"{time_text(left, unit)} / - / - / - / {ratio_text(left / whole if whole else 0)}"
        for left, whole in ((cpu_left, total), (gpu_left, gpu_total))
    ]
    table.row("  Others", "-", *shown)
    return table.text(note=_MODEL_NOTE)


def _columns(item: Item, cpu_total: float, gpu_total: float, unit: str) -> tuple[str, str]:
    cpu, gpu = item.cpu, item.gpu
    return times_text(cpu, cpu_total, unit), times_text(gpu, gpu_total, unit)


def _distributed(data: StatisticData, unit: str) -> str:
    talks: list[tuple[int, int]] = []
    computes: list[tuple[int, int]] = []
    for node in data.nodes:
        named = node.type is _KIND.Operator and any(w in node.name.lower() for w in _COMMUNICATION)
        if node.type is _KIND.Communication or named:
            talks += [(node.start_ns, node.end_ns)]
            talks += [(each.start_ns, each.end_ns) for each in launched(node)]
        else:
            if node.type is _KIND.Operator and not data.device_nodes:
                computes.append((node.start_ns, node.end_ns))
            for kernel in node.device_node:
                is_talk = any(word in kernel.name.lower() for word in ("nccl", "xccl"))
                (talks if is_talk else computes).append((kernel.start_ns, kernel.end_ns))
    if not talks:
        return ""
    communication, computation = ranges.merged(talks), ranges.merged(computes)
    table = Table(
        "Distribution Summary", [("Name", 25), ("Total Time", 25), ("Ratio (%)", 25)], unit
    )
    times = {
        "ProfileStep": data.total_ns,
        "  Communication": ranges.total(communication),
        "  Computation": ranges.total(computation),
        "  Overlap": ranges.total(ranges.common(communication, computation)),
    }
    for name, took in times.items():
        table.row(name, time_text(took, unit), ratio_text(took / data.total_ns))
    return table.text(note=_DISTRIBUTED_NOTE)


def _sorted(items: Iterable[Item], by: SortedKeys) -> list[Item]:
    """Return items sorted by a key."""
    side, which = ("cpu", by.name[3:]) if by.name.startswith("CPU") else ("gpu", by.name[3:])
    attribute = {"Total": "total", "Avg": "average", "Max": "max", "Min": "min"}[which]
    sign = 1 if which == "Min" else -1
    return sorted(items, key=lambda item: sign * getattr(getattr(item, side), attribute))


def _operators(
    data: StatisticData, by: SortedKeys, with_inner: bool, by_thread: bool, unit: str
) -> str:
    if not data.items:
        return ""
    columns = [("Name", 52), ("Calls", 6), (_CPU, 40), (_GPU, 40), ("FLOPs", 10)]
    table = Table("Operator Summary", columns, unit)
    threads: dict[int | str, dict[str, Item]] = {"All threads merged": data.items}
    for thread, items in (data.thread_items if by_thread else threads).items():
        table.title_row(f"Thread: {thread}")
        cpu = sum([item.cpu.total for item in items.values()])
        gpu = sum([item.gpu.total for item in items.values()])
        for item in _sorted(items.values(), by):
            table.row(item.name, item.call, *_columns(item, cpu, gpu, unit), int(item.flops))
            if with_inner:
                _inner_rows(table, item, unit)
    return table.text(with_rule=True)


def _inner_rows(table: Table, item: Item, unit: str) -> None:
    """Add the items inside an op, and the kernels it has launched."""
    cpu, gpu = item.cpu.total, item.gpu.total
    for inner in item.inner.values():
        columns = _columns(inner, cpu, gpu, unit)
        table.row(_cut(f"  {inner.name}"), inner.call, *columns, "-")
        for name, times in inner.devices.items():
            shown = times_text(times, inner.gpu.total, unit)
            table.row(_cut(f"    {name}"), times.count, "- / - / - / - / -", shown, "-")
    for name, times in item.devices.items():
        shown = times_text(times, gpu, unit)
        table.row(_cut(f"  {name}"), times.count, "- / - / - / - / -", shown, "-")


def _cut(name: str, width: int = 52) -> str:
    return name if len(name) <= width else f"{name[: width - 3]}..."


def _kernels(data: StatisticData, unit: str) -> str:
    found: dict[str, Times] = {}
    for node in data.device_nodes:
        if node.type is _KIND.Kernel:
            found.setdefault(node.name, Times()).add(node.end_ns - node.start_ns)
    if not found:
        return ""
    table = Table("Kernel Summary", [("Name", 90), ("Calls", 6), (_GPU, 40)], unit)
    total = sum([times.total for times in found.values()])
    for name, times in sorted(found.items(), key=lambda item: -item[1].total):
        table.row(_cut(name, 90), times.count, times_text(times, total, unit))
    return table.text(with_rule=True)


def _copies(data: StatisticData, unit: str) -> str:
    if not data.copies:
        return ""
    columns = [("Name", 0), ("Calls", 6), (_CPU, 40), (_GPU, 40)]
    table = Table("Memory Manipulation Summary", columns, unit)
    for item in data.copies.values():
        table.row(item.name, item.call, *_columns(item, data.total_ns, data.gpu_ns(), unit))
    return table.text(with_rule=True)


def _userdefined(data: StatisticData, by: SortedKeys, by_thread: bool, unit: str) -> str:
    if not data.userdefined:
        return ""
    columns = [("Name", 0), ("Calls", 6), (_CPU, 40), (_GPU, 40)]
    table = Table("UserDefined Summary", columns, unit)
    threads: dict[int | str, dict[str, Item]] = {"All threads merged": data.userdefined}
    for thread, items in (data.userdefined_threads if by_thread else threads).items():
        table.title_row(f"Thread: {thread}")
        for item in _sorted(items.values(), by):
            table.row(item.name, item.call, *_columns(item, data.total_ns, data.gpu_ns(), unit))
    return table.text()


def _memory(data: StatisticData) -> str:
    """Return a table per device of the memory allocated and freed in each event."""
    found: dict[str, dict[str, list[int]]] = {}
    peaks: dict[str, int] = {}
    for node in data.nodes:
        for memory in node.mem_node:
            sums = found.setdefault(memory.place, {}).setdefault(node.name, [0, 0, 0, 0])
            at = 0 if memory.increase_bytes >= 0 else 1
            sums[at] += 1
            sums[2 + at] += abs(memory.increase_bytes)
            peaks[memory.place] = max(peaks.get(memory.place, 0), memory.peak_allocated)
    text = ""
    for place, events in found.items():
        columns = [("Name", 50), ("Type", 12)]
        heads = ("Allocation Count", "Free Count", "Allocation Size", "Free Size", "Increased Size")
        table = Table(f"Memory Summary - {place}", columns + [(head, 15) for head in heads])
        table.above = f"Peak Allocated Memory: {peaks[place]}"
        for name, sums in sorted(events.items(), key=lambda item: item[1][3] - item[1][2]):
            table.row(name, "Allocated", *sums, sums[2] - sums[3])
        text += table.text()
    return text


# ---- operations by layer


def gen_layer_flops(node_trees: dict[int, HostNode]) -> str:
    """Return a line for each Layer and op: its time, its operations, and operations per second.

    Backward and optimizers are omitted. Lines are indented by the Layers around them.
    """
    lines: list[str] = []
    for root in node_trees.values():
        waiting = [(child, 0) for child in reversed(root.children_node)]
        while waiting:
            node, depth = waiting.pop()
            if node.type in (_KIND.Backward, _KIND.Optimization):
                continue
            is_shown = node.type in (_KIND.Forward, _KIND.Operator)
            if is_shown:
                lines.append(_flops_line(node, depth))
            if node.type is not _KIND.Operator:
                below = depth + is_shown
                waiting += [(child, below) for child in reversed(node.children_node)]
    return "".join(lines)


def _flops_line(node: HostNode, depth: int) -> str:
    flops = node.flops + sum([child.flops for child in walk(node)])
    took = node.end_ns - node.start_ns
    name = node.name.removesuffix(" dygraph")
    return (
        f"{' ' * depth}{name} latency: {_scaled(took, _TIME_UNITS)}, FLOPs: "
        f"{_scaled(flops, _UNITS)}, FLOPS: {_scaled(flops * 1e9 / max(took, 1), _UNITS)}\n"
    )


_UNITS = ((1e12, " T"), (1e9, " G"), (1e6, " M"), (1e3, " K"), (1, ""))
_TIME_UNITS = ((1e9, " s"), (1e6, " ms"), (1e3, " us"), (1, " ns"))


def _scaled(number: float, units: tuple) -> str:
    for size, unit in units:
        if number >= size:
            return f"{round(number / size, 2)}{unit}"
    return f"{round(number, 2)}{units[-1][1]}"
