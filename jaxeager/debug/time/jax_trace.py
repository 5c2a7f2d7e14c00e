"""A trace of JAX's own profiler, read from the file that it writes for Perfetto.

JAX's reader of the other file, ``jax.profiler.ProfileData``, ends the process at an event of a GPU
(jaxlib 0.11.2, H100).
"""

from __future__ import annotations

import gzip
import json
import shutil
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

import jax

from jaxeager.core import user_lines

if TYPE_CHECKING:
    from jaxeager.debug.time.types import TraceJson


class JaxTrace:
    """A trace from ``start`` to ``stop``, without events of Python."""

    def __init__(self):
        self._folder: str | None = None

    def start(self, lost: str) -> None:
        """Begin the trace; warn, and do nothing, if JAX already traces.

        Args:
            lost: what is not recorded then, for the warning.
        """
        folder = tempfile.mkdtemp(prefix="jaxeager_trace_")
        options = jax.profiler.ProfileOptions()
        options.python_tracer_level, options.host_tracer_level = 0, 1
        try:
            jax.profiler.start_trace(folder, profiler_options=options)
        except RuntimeError as error:
            shutil.rmtree(folder, ignore_errors=True)
            user_lines.warn(f"{lost} is not recorded: {error}")
            return
        self._folder = folder

    def stop(self) -> list[TraceJson]:
        """End the trace and return its files' contents, each with ``traceEvents``."""
        folder, self._folder = self._folder, None
        if folder is None:
            return []
        try:
            jax.profiler.stop_trace()
            found = []
            for file in Path(folder).rglob("*.trace.json.gz"):
                with gzip.open(file, "rt", encoding="utf-8") as text:
                    found.append(json.load(text))
            return found
        finally:
            shutil.rmtree(folder, ignore_errors=True)


def thread_names(events: list[TraceJson]) -> tuple[dict[int, str], dict[tuple, str]]:
    """Return the accelerators in a trace, and the threads of theirs that have the kernels.

    Args:
        events: ``traceEvents``.

    Returns:
        names such as "gpu:0" by process id, and names of threads by (process id, thread id).
    """
    devices = {
        pid: name.removeprefix("/device:").lower()
        for (pid, _), name in names_in(events, "process_name").items()
        if name.startswith("/device:")
    }
    lines = {at: name for at, name in names_in(events, "thread_name").items() if at[0] in devices}
    streams = {at: name for at, name in lines.items() if name.startswith("Stream")}
    return devices, streams or lines  # other lines of a GPU have sums over its streams


def names_in(events: list[TraceJson], kind: str) -> dict[tuple, str]:
    """Return the names of processes, or of threads, by (process id, thread id).

    Args:
        events: ``traceEvents``.
        kind: "process_name" or "thread_name".
    """
    return {
        (event.get("pid"), event.get("tid")): event["args"]["name"]
        for event in events
        if event.get("ph") == "M" and event.get("name") == kind
    }
