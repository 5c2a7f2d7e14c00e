"""explore() and graph_data(): a graph as a page, and as plain data."""

from __future__ import annotations

import os
from pathlib import Path

from jaxeager.debug.explorer import live
from jaxeager.debug.explorer.page import write_page
from jaxeager.debug.explorer.recorder import Recorder


def graph_data(what: object, gradients: bool | None = None) -> dict:
    """Return all known data of a graph, in plain form that ``json.dump`` can write.

    It has nodes, edges, Layers, stacks with source, saved tensors with versions, statistics of
    values and gradients, and problems. docs/explorer.md describes the form, ``jaxeager-graph-1``.

    Args:
        what: a tensor that an op made, a list of them, or the Recorder of ``debug.record``.
        gradients: whether to run the graph of tensors once more, keeping it, for gradients and
            times. No leaf's ``grad`` is changed. Hooks are called, so None skips the run if there
            are any.

    Raises:
        InvalidArgumentError: when a tensor has no graph.

    Example:
        >>> import jaxeager as paddle
        >>> x = paddle.to_tensor([1.0, 2.0], stop_gradient=False)
        >>> data = paddle.debug.graph_data((x * x).sum())
        >>> [node["grad_name"] for node in data["nodes"]]
        ['SumGradNode', 'MultiplyGradNode', 'GradNodeAccumulation']
        >>> data["edges"][-1]["figures"]["max"]
        2.0
    """
    if isinstance(what, Recorder):
        return what.data()
    return live.table_of(what, gradients).data()


def explore(
    what: object, path: str | os.PathLike = "graph.html", gradients: bool | None = None
) -> Path:
    """Write a page that shows a graph, forward and backward side by side, and return its path.

    It is one file that works offline: pan, zoom, search, fold; a node shows its forward stack with
    source, its log lines, what it saved and its gradients. See docs/explorer.md.

    Args:
        what: a tensor that an op made, a list of them, the Recorder of ``debug.record``, or a dict
            of ``graph_data``.
        path: the file to write. Folders are created.
        gradients: see ``graph_data``.

    Raises:
        InvalidArgumentError: when a tensor has no graph, or the file cannot be written.

    Example:
        >>> import jaxeager as paddle
        >>> x = paddle.to_tensor([1.0, 2.0], stop_gradient=False)
        >>> paddle.debug.explore((x * x).sum(), getfixture("tmp_path") / "square.html").name
        'square.html'
    """
    return write_page(what if isinstance(what, dict) else graph_data(what, gradients), path)
