"""Tools of record.py that dump backward graphs; see there. Each leaves a folder ``dump``."""


def backward_graph(paddle, program, folder):
    """The graph of a backward, with unique names."""
    with _Flags(paddle, True):
        program(paddle)["loss"].backward(dump_backward_graph_path=str(folder / "dump"))


def backward_graph_plain(paddle, program, folder):
    """The same without unique names."""
    with _Flags(paddle, False):
        program(paddle)["loss"].backward(dump_backward_graph_path=str(folder / "dump"))


def grad_graph(paddle, program, folder):
    """The graph of ``grad`` to the last tensor before the loss that an op made."""
    with _Flags(paddle, True):
        made = program(paddle)
        found = [t for name, t in made.items() if name != "loss" and t.is_floating_point()]
        found = [t for t in found if not t.stop_gradient and not t.is_leaf]
        if found:
            path = str(folder / "dump")
            paddle.grad(made["loss"], found[-1], dump_backward_graph_path=path)


def subgraph(paddle, program, folder):
    """The whole program inside a guard, something after it outside."""
    with _Flags(paddle, True):
        _capture_all(paddle, program, folder)


def subgraph_plain(paddle, program, folder):
    """The same without unique names."""
    with _Flags(paddle, False):
        _capture_all(paddle, program, folder)


def subgraph_end(paddle, program, folder):
    """Only what comes after the program inside a guard."""
    with _Flags(paddle, True):
        loss = program(paddle)["loss"]
        with paddle.utils.capture_backward_subgraph_guard(str(folder / "dump"), True):
            inside = (loss * 0.5).tanh() + loss
        (inside + loss).sum().backward()


def _capture_all(paddle, program, folder):
    with paddle.utils.capture_backward_subgraph_guard(str(folder / "dump"), True):
        loss = program(paddle)["loss"]
    (loss * 3.0 + loss).backward()


class _Flags:
    """Unique names or none, and no pictures, for a block."""

    def __init__(self, paddle, is_named):
        self.set = paddle.set_flags
        self.before = {"FLAGS_enable_unique_name": False}
        self.inside = {"FLAGS_enable_unique_name": is_named}
        if paddle.__name__ == "jaxeager":
            self.before["FLAGS_draw_backward_graphs"] = True
            self.inside["FLAGS_draw_backward_graphs"] = False

    def __enter__(self):
        self.set(self.inside)

    def __exit__(self, *error):
        self.set(self.before)


TOOLS = {
    each.__name__: each
    for each in (
        backward_graph, backward_graph_plain, grad_graph, subgraph, subgraph_plain, subgraph_end
    )
}  # fmt: skip
