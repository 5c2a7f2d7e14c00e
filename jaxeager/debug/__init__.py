"""Tools to look at the tape, and at the kernels that a program needs."""

_DRAWING = ("draw_backward_graph", "to_dot", "walk_backward_graph")
_EXPLORING = ("explore", "graph_data")

__all__ = [
    "compilations",
    "draw_backward_graph",
    "explore",
    "gradient_report",
    "graph_data",
    "record",
    "to_dot",
    "walk_backward_graph",
]


def __getattr__(name: str):
    """Imports a tool, and pydot with the drawing one, when it is first asked for."""
    if name in _DRAWING:
        from jaxeager.debug.graphs import backward_graph

        return getattr(backward_graph, name)
    if name == "compilations":
        from jaxeager.debug.kernels.report import compilations

        return compilations
    if name in _EXPLORING:
        from jaxeager.debug.explorer import explore

        return getattr(explore, name)
    if name == "gradient_report":
        from jaxeager.debug.training.report import gradient_report

        return gradient_report
    if name == "record":
        from jaxeager.debug.explorer.recorder import record

        return record
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
