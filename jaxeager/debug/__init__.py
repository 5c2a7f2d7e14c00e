"""Tools to look at the tape."""

_DRAWING = ("draw_backward_graph", "to_dot", "walk_backward_graph")

__all__ = ["draw_backward_graph", "to_dot", "walk_backward_graph"]


def __getattr__(name: str):
    """Imports the drawing tool, and pydot with it, when it is first asked for."""
    if name in _DRAWING:
        from jaxeager.debug.graphs import backward_graph

        return getattr(backward_graph, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
