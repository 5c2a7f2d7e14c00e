"""What the halves of the verbose log call a node, and the lines about the edges of a new one."""

from jaxeager.debug.common import naming
from jaxeager.debug.vlog import vlog


def label(node) -> str:
    """Returns a node's name and number: "AddGradNode(0x55c000000040)"."""
    return f"{name_of(node)}({node.node_ptr():#x})"


def name_of(node) -> str:
    """Returns a node's name, a unique one at the levels that show unique names."""
    return naming.node_name(node) if vlog.is_on("backward", 6) else node.name()


def say_edges(node) -> None:
    """Writes a line per edge of a new node."""
    for position, edge in enumerate(node.edges):
        if edge is not None:
            vlog.log(
                "grad_node_info", 5,
                f"Add Edges for slot: {position}, the Edge is from {label(node)} to "
                f"{label(edge.node)}",
            )  # fmt: skip
