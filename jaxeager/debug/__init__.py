"""Tools to look at the tape."""

from jaxeager.debug.backward_graph import draw_backward_graph, to_dot, walk_backward_graph

__all__ = ["draw_backward_graph", "to_dot", "walk_backward_graph"]
