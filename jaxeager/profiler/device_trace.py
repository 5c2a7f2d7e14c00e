"""The kernels that ran on an accelerator, from JAX's profiler, for a Profiler with such a target.

Of a trace (debug/time/jax_trace.py) the events of devices are read, which name the kernel and its
module (``jit_matmul``). The n-th run of a module belongs to its n-th launch: a device runs its work
in order.
"""

from __future__ import annotations

import collections
from typing import TYPE_CHECKING

from jaxeager.debug.time.clock import now_ns
from jaxeager.debug.time.jax_trace import JaxTrace, thread_names
from jaxeager.debug.time.timed_events import TracerEventType
from jaxeager.profiler.result import DeviceNode, HostNode, ProfilerResult, walk

if TYPE_CHECKING:
    from jaxeager.debug.time.types import TraceJson

_LAUNCH = " kernel launch"


class DeviceTrace:
    """A trace of JAX's profiler, from ``start`` to ``stop``."""

    def __init__(self):
        self._trace = JaxTrace()
        self._began_ns = 0

    def start(self) -> None:
        """Begin the trace; if JAX is already tracing, only warn."""
        self._began_ns = now_ns()
        self._trace.start("Device activity")

    def stop(self) -> list[tuple[str, DeviceNode]]:
        """End the trace; return (module, kernel) for everything that ran on devices."""
        return [each for trace in self._trace.stop() for each in kernels_of(trace, self._began_ns)]


def kernels_of(trace: TraceJson, began_ns: int = 0) -> list[tuple[str, DeviceNode]]:
    """Return (module, kernel) of every kernel and copy of a device, in the order they began.

    Args:
        trace: the trace that JAX writes for Perfetto: ``traceEvents``, in microseconds.
        began_ns: its start time, on the clock of the host's events.
    """
    events = trace.get("traceEvents", [])
    devices, kept = thread_names(events)
    found = []
    for event in events:
        at = event.get("pid"), event.get("tid")
        name, module = event.get("name", ""), event.get("args", {}).get("hlo_module", "")
        if event.get("ph") != "X" or at not in kept:
            continue
        if not module and "memcpy" not in name.lower():
            continue  # steps and modules
        device = int(devices[at[0]].rpartition(":")[2])
        begin = began_ns + round(event["ts"] * 1000)
        end = begin + round(event.get("dur", 0) * 1000)
        found.append((module, DeviceNode(name, _kind_of(name), begin, end, device, at[1])))
    return sorted(found, key=lambda each: each[1].start_ns)


def _kind_of(name: str) -> TracerEventType:
    word = name.lower()
    if "memcpy" in word:
        return TracerEventType.Memcpy
    return TracerEventType.Memset if "memset" in word else TracerEventType.Kernel


def attach(result: ProfilerResult, kernels: list[tuple[str, DeviceNode]]) -> None:
    """Attach device events to the nodes that launched them, others to the first root.

    Args:
        result: the result of the same period.
        kernels: the result of ``DeviceTrace.stop``.
    """
    launches: dict[str, collections.deque[HostNode]] = collections.defaultdict(collections.deque)
    roots = list(result.get_data().values())
    nodes = [node for root in roots for node in walk(root)]
    for node in sorted(nodes, key=lambda node: node.start_ns):
        if node.name.endswith(_LAUNCH):
            launches[node.name.removesuffix(_LAUNCH)].append(node)
        elif node.name.startswith("Local_"):
            launches[node.name].append(node)
    runs: dict[tuple, list[DeviceNode]] = {}
    last: dict[str, tuple[DeviceNode, int]] = {}
    for module, kernel in kernels:
        number = _number_of_run(module, kernel, last)
        runs.setdefault((module, number), []).append(kernel)
    for (module, number), of_run in runs.items():
        waiting = launches.get(_launched_as(module), collections.deque())
        target = waiting[number] if number < len(waiting) else (roots[0] if roots else None)
        if target is not None:
            target.device_node.extend(of_run)


def _number_of_run(module: str, kernel: DeviceNode, last: dict) -> int:
    """Return the number of the run that a kernel is in: a new run begins when a name repeats.

    Args:
        module: its module.
        kernel: one kernel; calls are in the order of time.
        last: by module, the kernel names of the current run, and its number.
    """
    names, number = last.get(module, (frozenset(), 0))
    if kernel.name in names:
        names, number = frozenset(), number + 1
    last[module] = names | {kernel.name}, number
    return number


def _launched_as(module: str) -> str:
    """Return the op or node whose kernel JAX names so: "jit_matmul", "jit_matmul_grad"."""
    name = module.removeprefix("jit_").partition(".")[0]
    if name.endswith("_grad"):
        words = name.removesuffix("_grad").split("_")
        return f"Local_{''.join(word[:1].upper() + word[1:] for word in words)}GradNode"
    return name
