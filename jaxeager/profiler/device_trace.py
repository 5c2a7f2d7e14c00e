"""What ran on an accelerator, by JAX's own profiler: beneath a Profiler whose targets have one.

JAX writes its trace into a folder; what is read of it are the planes of devices, whose events name
the kernel and the module (``jit_matmul``) it is of. The n-th run of a module belongs to the n-th
launch of it: a device runs what it is given in order.
"""

from __future__ import annotations

import collections
import shutil
import tempfile
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import jax

from jaxeager.core import user_lines
from jaxeager.debug.time.timed_events import TracerEventType
from jaxeager.profiler.result import DeviceNode, HostNode, ProfilerResult, walk

_LAUNCH = " kernel launch"


class DeviceTrace:
    """A trace of JAX's profiler, from ``start`` to ``stop``."""

    def __init__(self):
        self._folder: str | None = None

    def start(self) -> None:
        """Begins the trace; warns, and does nothing, where JAX already traces."""
        folder = tempfile.mkdtemp(prefix="jaxeager_trace_")
        options = jax.profiler.ProfileOptions()
        options.python_tracer_level = 0
        options.host_tracer_level = 1
        try:
            jax.profiler.start_trace(folder, profiler_options=options)
        except RuntimeError as error:
            shutil.rmtree(folder, ignore_errors=True)
            user_lines.warn(f"What runs on devices is not recorded: {error}")
            return
        self._folder = folder

    def stop(self) -> list[tuple[str, DeviceNode]]:
        """Ends the trace and returns (module, kernel) of all that ran on devices."""
        folder, self._folder = self._folder, None
        if folder is None:
            return []
        try:
            jax.profiler.stop_trace()
            files = Path(folder).rglob("*.xplane.pb")
            return [
                each
                for file in files
                for each in kernels_of(jax.profiler.ProfileData.from_file(str(file)).planes)
            ]
        finally:
            shutil.rmtree(folder, ignore_errors=True)


def kernels_of(planes: Iterable[Any]) -> list[tuple[str, DeviceNode]]:
    """Returns (module, kernel) of every event on a plane of a device, in the order they began.

    Args:
        planes: those of a ``jax.profiler.ProfileData``.
    """
    found = []
    for plane in planes:
        if not plane.name.startswith("/device:") or "CUSTOM" in plane.name:
            continue
        device = int(plane.name.rpartition(":")[2])
        for number, line in enumerate(plane.lines):
            for event in line.events:
                stats = {key: value for key, value in event.stats if key is not None}
                if "hlo_module" not in stats and "memcpy" not in event.name.lower():
                    continue  # sums over steps and modules, which other lines of a plane have
                begin, took = int(event.start_ns), int(event.duration_ns)
                node = DeviceNode(
                    event.name, _kind_of(event.name), begin, begin + took, device, number
                )
                found.append((str(stats.get("hlo_module", "")), node))
    return sorted(found, key=lambda each: each[1].start_ns)


def _kind_of(name: str) -> TracerEventType:
    word = name.lower()
    if "memcpy" in word:
        return TracerEventType.Memcpy
    return TracerEventType.Memset if "memset" in word else TracerEventType.Kernel


def attach(result: ProfilerResult, kernels: list[tuple[str, DeviceNode]]) -> None:
    """Hangs what ran on devices onto what launched it; what nothing launched onto the first root.

    Args:
        result: of the same stretch of time.
        kernels: what ``DeviceTrace.stop`` returned.
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
    """Returns the how-manieth run of its module a kernel is of: a new one when a name comes again.

    Args:
        module: its module.
        kernel: one kernel, in the order of time.
        last: what was met of each module: names of this run, and its number.
    """
    names, number = last.get(module, (frozenset(), 0))
    if kernel.name in names:
        names, number = frozenset(), number + 1
    last[module] = names | {kernel.name}, number
    return number


def _launched_as(module: str) -> str:
    """Returns the op, or the node, whose kernel JAX calls so: "jit_matmul", "jit_matmul_grad"."""
    name = module.removeprefix("jit_").partition(".")[0]
    if name.endswith("_grad"):
        words = name.removesuffix("_grad").split("_")
        return f"Local_{''.join(word[:1].upper() + word[1:] for word in words)}GradNode"
    return name
