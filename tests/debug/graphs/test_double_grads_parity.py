"""The tools' output for gradients of gradients, against real Paddle, over double_grads.py.

Paddle loses some names: those of saved tensors, and of results of composite rules. A tensor that it
then calls ``@Grad``, or does not name, has here the name of the tensor it is the gradient of. And
it records the gradient that ``paddle.grad`` starts from as a leaf, which gets unrequested
gradients.
"""

import json
import re

import double_grads
import pytest

from tests.debug.graphs.test_graph_dump_parity import dumped
from tests.support.graphs import read_graph

RECORDED_TOOLS = ("double_names", "double_graph", "double_subgraph", "double_md5", "double_log")
PROGRAMS = list(double_grads.PROGRAMS)

# Where the graphs differ in more than lost names and the seed.
_RULE = "the rule of a quotient goes by its operands here, in Paddle by the result too"
_UNASKED = "a gradient is recorded for every input of an op, in Paddle for those asked for"
_COMPOSITE = "Paddle's third derivative of a product is many small ops, here it is one node"
OTHER_GRAPHS = {
    "quotient": _RULE,
    "gradient_penalty": _UNASKED,
    "three_times_by_multiply": _COMPOSITE,
}
# Paddle names every gradient in the graph of these.
NOTHING_LOST = {"a_pylayer": "its backward is made of ops of the forward kind"}
# No gradient is passed to the one that paddle.grad starts from, but to the leaf that was passed.
WITHOUT_SEED = {"a_gradient_to_start_from"}
# Tensors with another name.
_PYLAYER = "Paddle names what leaves a PyLayer after the last op in its backward"
OTHER_NAMES = {"a_pylayer": (_PYLAYER, {"first": "scale1_out_float32_3"})}
# The log of a third derivative: for tensors saved by a gradient's node, the names of gradients that
# were constants are not known here.
NOT_LOGGED = {"three_times": {"pow1_out_float32_3@Grad", "pow1_out_float32_3@Grad@Grad"}}

_LOST = re.compile(r"(eager_tmp_\d+|Tensor_[0-9a-f]+)?(@Grad)*")


def is_lost(name):
    """Return whether a name is uninformative."""
    return name is not None and _LOST.fullmatch(name) is not None


def edges_of(folder, program, is_seeded=False):
    """Return the edges of a dumped graph in order, and those to the seed separately.

    Each is (source, target, name of the gradient, device and shape).
    """
    text = dumped(folder, program, "backward_graph.dot")
    assert text
    graph = read_graph(text)
    gone = seeds_of(graph) if is_seeded else set()
    kept, others = [], []
    for source, target, label in graph.edges:
        names = [graph.nodes[each].label.split()[0] for each in (source, target)]
        edge = (*names, *label.split("\\n", 1))
        (others if {source, target} & gone else kept).append(edge)
    return kept, others


def seeds_of(graph):
    """Return Paddle's leaves that no op created, and the nodes that only lead to them."""
    into = {name: set() for name in graph.nodes}
    for _, target, label in graph.edges:
        into[target].add(label)
    gone = {name for name, labels in into.items() if labels == {r"@Grad\nPlace(cpu)\nfloat32[]"}}
    size = 0
    while size != len(gone):
        size = len(gone)
        for name in graph.nodes:
            behind = [target for source, target, _ in graph.edges if source == name]
            if behind and gone.issuperset(behind):
                gone.add(name)
    return gone


def test_the_lists_name_programs():
    assert len(PROGRAMS) >= 30
    lists = {*OTHER_GRAPHS, *NOTHING_LOST, *WITHOUT_SEED, *OTHER_NAMES, *NOT_LOGGED}
    assert lists <= set(PROGRAMS)


@pytest.mark.parametrize("program", PROGRAMS)
def test_graphs_are_paddles_but_for_lost_names(recorded, program):
    found = recorded("double_graph")
    ours, _ = edges_of(found.ours, program)
    theirs, to_seed = edges_of(found.paddles, program, is_seeded=True)
    assert bool(to_seed) != (program in WITHOUT_SEED)
    assert not any(is_lost(name) for _, _, name, _ in ours)
    lost = [name for _, _, name, _ in theirs if is_lost(name)]
    assert bool(lost) != (program in NOTHING_LOST)
    if program in OTHER_GRAPHS:
        assert [edge[:2] for edge in ours] != [edge[:2] for edge in theirs], (
            "no longer a difference"
        )
        return
    assert len(ours) == len(theirs)
    for our, their in zip(ours, theirs, strict=True):
        assert (our[0], our[1], our[3]) == (their[0], their[1], their[3])
        assert our[2].endswith(their[2]) if is_lost(their[2]) else our[2] == their[2]


@pytest.mark.parametrize("program", PROGRAMS)
def test_tensors_nodes_and_gradients_have_paddles_names(recorded, program):
    ours, theirs = (
        json.loads((folder / program / "names.json").read_text())
        for folder in recorded("double_names")
    )
    other = OTHER_NAMES.get(program, ("", {}))[1]
    is_composite = program == "three_times_by_multiply"
    assert ours.keys() == theirs.keys()
    for tensor in ours:
        (name, node, grad), (their_name, their_node, their_grad) = ours[tensor], theirs[tensor]
        assert grad is None if their_grad is None else grad == f"{name}@Grad"
        assert is_lost(their_grad) or grad == their_grad
        if tensor in other:
            assert their_name == other[tensor] != name
        elif not is_lost(their_name) and not (is_composite and tensor in ("second", "loss")):
            assert (name, node) == (their_name, their_node)
        else:
            assert not is_lost(name)


def check_names(program, ours, theirs):
    """Check that none of our names is lost, and that all others exist, in Paddle's order.

    Where the graphs differ, only some of them exist.
    """
    assert not any(map(is_lost, ours))
    if program in OTHER_GRAPHS:
        assert set(ours) & set(theirs)
    else:
        items = iter(ours)
        assert all(name in items for name in theirs)


def known_names(recorded, program, names):
    """Return Paddle's names without lost ones, and without those of gradients for the seed."""
    unasked = unasked_names(recorded, program)
    return [name for name in names if not is_lost(name) and name not in unasked]


def unasked_names(recorded, program):
    """Return the names of gradients for the seed."""
    _, to_seed = edges_of(recorded("double_graph").paddles, program, is_seeded=True)
    return {name for _, _, name, _ in to_seed}


def variables_of(folder, program):
    """Return the names of the gradients of the last backward that a guard wrote."""
    text = sorted((folder / program / "dump").glob("*_grad_tensors.log"))[-1].read_text()
    return re.findall(r"^Variable: (.*)$", text, re.MULTILINE)


@pytest.mark.parametrize("program", PROGRAMS)
def test_a_subgraph_has_paddles_gradients(recorded, program):
    """Paddle's guard does not see nodes that are written by hand."""
    ours, theirs = (variables_of(folder, program) for folder in recorded("double_subgraph"))
    check_names(program, ours, known_names(recorded, program, theirs))


@pytest.mark.parametrize("program", PROGRAMS)
def test_checksums_have_paddles_names(recorded, program):
    """Paddle has lines for the ops of a composite rule as well."""
    ours, theirs = (
        [line.rpartition(":")[0] for line in (folder / program / "text.log").read_text().split()]
        for folder in recorded("double_md5")
    )
    ours = [name for name in ours if name]  # the others are missing gradients
    theirs = [name for name in theirs if name.endswith("@Grad")]
    check_names(program, ours, known_names(recorded, program, theirs))


def logged_names(folder, program):
    """Return the names of gradients in the log of the second backward, sorted."""
    text = (folder / program / "stderr").read_text().split("THE SECOND BACKWARD\n")[1]
    return sorted(set(re.findall(r"Name: (\S+@Grad)\b", text)))


@pytest.mark.parametrize("program", PROGRAMS)
def test_the_log_of_the_second_backward_has_paddles_names(recorded, program):
    """The nodes that lead to the seed also write the names of their operands."""
    ours, theirs = (logged_names(folder, program) for folder in recorded("double_log"))
    taken = {name.removesuffix("@Grad") for name in unasked_names(recorded, program)}
    theirs = [name for name in known_names(recorded, program, theirs) if name not in taken]
    missing = NOT_LOGGED.get(program, set())
    assert missing <= set(theirs) - set(ours)
    theirs = [name for name in theirs if name not in missing]
    check_names(program, ours, theirs)
