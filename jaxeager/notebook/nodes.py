"""The form of a node of the graph: what it receives, and where its gradients go."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from jaxeager.notebook.markup import quiet, table, title

if TYPE_CHECKING:
    from jaxeager.graph.types import Node


def html(node: Node) -> str:
    """Return the form of a node."""
    received = ", ".join(_kind(meta) for slot in node.in_meta for meta in slot)
    head = title(node.name(), "released" if node.released else "")
    rows = [
        (slot, rank, _kind(meta), _target(meta))
        for slot, metas in enumerate(node.out_meta)
        for rank, meta in enumerate(metas)
    ]
    return (
        f"{head}<div>{quiet(f'receives the gradient of {received}')}</div>"
        + table(("slot", "rank", "gradient of", "goes to"), rows)
    )  # fmt: skip


def _kind(meta: Any) -> str:
    if meta.shape is None:
        return "?"
    return f"{meta.dtype.name}{list(meta.shape)}"


def _target(meta: Any) -> str:
    edge = meta.edge
    return "nowhere" if edge is None or edge.node is None else f"{edge.node.name()}"
