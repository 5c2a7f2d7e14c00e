"""The lines of a verbose log about a backward for some gradients only.

Paddle copies the graph first, and logs it; here the nodes are the program's own, so there are no
``Copied Node`` lines.
"""

from jaxeager.debug.vlog import vlog
from jaxeager.debug.vlog.edges import name_of


def _say(level: int, text: str) -> None:
    vlog.log("general_grad", level, text)


def say_setup(run) -> None:
    """Write the lines about how a partial backward determines the nodes it needs."""
    for _ in ("targets", "no_grad_vars"):
        _say(6, "Running in GetTargetNodesInfo.")
    _say(6, "inputs are not empty.")
    _say(6, "Running in PurifyPotentialStartUpNodes")
    _say(6, "Running In GetGraphInfoBetweenTargets")
    _say(6, "Running in UpdateGraphInfo")
    _say(6, "Emplace startup_ops")
    roots = dict.fromkeys(edge.node for edge, _ in run.roots)
    if any(run.tasks[node].waiting for node in roots if node in run.tasks):
        _say(6, "Set up potential_startup_nodes_to_be_erased")
        _say(6, "Erase nodes in potential_startup_nodes_to_be_erased")
    _say_stops(run)
    _say(6, "Running in RegisterFetchGradHook.")
    for node in dict.fromkeys(edge.node for edge in run.targets):
        what = "GradNodeAccumulation" if node.is_leaf else "ending_nodes"
        if node.is_leaf or not run.tasks.get(node) or not any(run.tasks[node].edges):
            _say(6, f"No need to call FetchGradForTensor for {what}")


def _say_stops(run) -> None:
    """Write which edges are not followed, because they lead to no wanted gradient."""
    for node in run.tasks:
        for position, edge in enumerate(node.edges):
            if edge is not None and edge.node not in run.tasks:
                _say(
                    3,
                    f"Get stop edge from grad_node: {name_of(node)} : {node.node_ptr():#x} to:"
                    f"{name_of(edge.node)}, {edge.node.node_ptr():#x} with output rank info: "
                    f"{position}, 0",
                )
