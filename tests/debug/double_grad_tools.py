"""Tools of record.py that run the programs of double_grads.py: what the second backward shows."""

import json

import double_grads
import graph_tools
import line_tools


def double_names(paddle, program, folder):
    """Names of the tensors, their nodes and their gradients."""
    paddle.set_flags({"FLAGS_enable_unique_name": True})
    try:
        made = program(paddle)
        made["loss"].backward()
        found = {key: _names_of(tensor) for key, tensor in made.items()}
    finally:
        paddle.set_flags({"FLAGS_enable_unique_name": False})
    (folder / "names.json").write_text(json.dumps(found, indent=1))


def _names_of(tensor):
    grad = tensor.grad if tensor.is_leaf else None
    return [tensor.name, tensor.grad_fn.name(), None if grad is None else grad.name]


def double_graph(paddle, program, folder):
    """The graph of the second backward."""
    graph_tools.backward_graph(paddle, program, folder)


def double_subgraph(paddle, program, folder):
    """The gradients that pass the nodes of the whole program in the second backward.

    Nothing is recorded after the guard: Paddle's knows nodes by addresses, which are used again.
    """
    paddle.set_flags({"FLAGS_enable_unique_name": True})
    try:
        with paddle.utils.capture_backward_subgraph_guard(str(folder / "dump"), True):
            loss = program(paddle)["loss"]
        loss.backward()
    finally:
        paddle.set_flags({"FLAGS_enable_unique_name": False})


def double_md5(paddle, program, folder):
    """Checksums of everything."""
    line_tools.md5(paddle, program, folder)


def double_log(paddle, program, folder):
    """The verbose log of the second backward, on stderr."""
    paddle.base.core.set_vlog_level(6)
    try:
        loss = program(paddle)["loss"]
        with open(2, "w", closefd=False) as log:
            log.write("THE SECOND BACKWARD\n")
        loss.backward()
    finally:
        paddle.base.core.set_vlog_level(0)


TOOLS = {
    each.__name__: each
    for each in (double_names, double_graph, double_subgraph, double_md5, double_log)
}
for each in TOOLS.values():
    each.programs = double_grads.PROGRAMS  # of record.py: in the place of the corpus
