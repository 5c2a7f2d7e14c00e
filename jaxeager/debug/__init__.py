"""Tools to inspect the tape, the kernels that a program needs, and where its time goes.

A folder per kind of question:

- ``vlog``: what runs, line by line; ``stacks``: which line of the program made it; ``calls``: which
  calls with which arguments; ``graphs``: pictures of forward and backward; ``explorer``: all on one
  page;
- ``gradients``: why a gradient is what it is; ``training``: how gradients and weights move from
  step to step; ``numbers``: NaN, infinity and precision; ``checks``: indices, uninitialized memory,
  errors of the device;
- ``checksums``, ``alignment``, ``accuracy``, ``lockstep``, ``replays``, ``bisect``: two runs or
  libraries, where they differ, and steps that are run again;
- ``time``: where time goes; ``kernels``: what was compiled, and why; ``memory``: what holds memory;
  ``hangs``: a program that does not answer; ``sizes``: shapes as formulas;
- ``common``: what several tools share.
"""

import importlib

# The module of each tool. It is imported (with pydot for the drawing tools) on first access.
_TOOLS = {
    "align": "alignment.align",
    "audit": "gradients.audit",
    "breakpoint_on": "gradients.breakpoints",
    "capture_step": "gradients.captured",
    "compare_ranks": "time.ranks.compare",
    "compilations": "kernels.report",
    "determinism": "replays.determinism",
    "draw_backward_graph": "graphs.backward_graph",
    "explain": "gradients.explain",
    "explore": "explorer.explore",
    "extract": "gradients.extract",
    "gradient_report": "training.report",
    "graph_data": "explorer.explore",
    "holders": "memory.growth",
    "leaks": "memory.leaks",
    "ledger": "gradients.ledger",
    "live_tensors": "memory.live",
    "no_compile": "time.no_compile",
    "numerics": "replays.digits",
    "profile": "time.profile",
    "profile_segments": "time.profile_segments",
    "ranges": "time.ranges",
    "record": "explorer.recorder",
    "saved_tensors": "memory.saved",
    "sensitivity": "replays.sensitivity",
    "shapes": "sizes.trace",
    "step_backward": "gradients.stepping",
    "time_machine": "replays.time_machine",
    "to_dot": "graphs.backward_graph",
    "walk_backward_graph": "graphs.backward_graph",
    "why": "gradients.why",
}

__all__ = [*_TOOLS]


def __getattr__(name: str):
    """Import a tool on first access."""
    if name in _TOOLS:
        return getattr(importlib.import_module(f"jaxeager.debug.{_TOOLS[name]}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
