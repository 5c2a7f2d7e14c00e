"""paddle.profiler: which operations run when, for how long, in tables and in trace files.

The names are Paddle's. ``paddle.debug.profile`` has more data per op: docs/profiler.md.
"""

from jaxeager.profiler import profiler_statistic, timer, utils
from jaxeager.profiler.profiler import Profiler, get_profiler
from jaxeager.profiler.profiler_statistic import SortedKeys
from jaxeager.profiler.states import (
    ProfilerState,
    ProfilerTarget,
    SummaryView,
    TracerEventType,
    export_chrome_tracing,
    export_protobuf,
    make_scheduler,
)
from jaxeager.profiler.utils import RecordEvent, load_profiler_result

__all__ = [
    "Profiler",
    "ProfilerState",
    "ProfilerTarget",
    "RecordEvent",
    "SortedKeys",
    "SummaryView",
    "export_chrome_tracing",
    "export_protobuf",
    "load_profiler_result",
    "make_scheduler",
]
