"""The names of nodes in the verbose log, and the lines about the edges of a new node."""

from jaxeager.debug.common import naming, tensor_text
from jaxeager.debug.vlog import vlog


def label(node) -> str:
    """Return a node's name and number: "AddGradNode(0x55c000000040)"."""
    return f"{name_of(node)}({node.node_ptr():#x})"


def name_of(node) -> str:
    """Return a node's name; a unique one at the levels that show unique names."""
    return naming.node_name(node) if vlog.is_on("backward", 6) else node.name()


def say_edges(node) -> None:
    """Write a line per edge of a new node."""
    for position, edge in enumerate(node.edges):
        if edge is not None:
            vlog.log(
                "grad_node_info", 5,
                f"Add Edges for slot: {position}, the Edge is from {label(node)} to "
                f"{label(edge.node)}",
            )  # fmt: skip


def rank_of(edge) -> int:
    """Return how many gradients the slot at the end of an edge accepts: several for a list."""
    return edge.node.width if getattr(edge.node, "op", None) and edge.rank else 1


def say_holder(node) -> None:
    """Write the lines about the holder in which a node's gradients are collected."""
    if not vlog.is_on("grad_tensor_holder", 7):
        return
    avals = () if node.is_leaf else node.out_avals
    slots = 1 if node.is_leaf or node.op.returns_list else len(avals)
    ranks = len(avals) if avals and node.op.returns_list else 1
    vlog.log("grad_tensor_holder", 7, f"Init GradTensorHolder with meta size: {slots}")
    for slot in range(slots):
        vlog.log("grad_tensor_holder", 7, f"Init GradTensorHolder with meta rank: {ranks}")
        dtype = f"dtype: {tensor_text.dtype_text(avals[slot])}" if avals else "UNDEFINED"
        vlog.log("grad_tensor_holder", 7, f"Init GradTensorHolder with {dtype}")
