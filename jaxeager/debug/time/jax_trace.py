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
