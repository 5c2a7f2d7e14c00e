"""Files of Python stacks: of every API call, and of the nodes that backward runs.

Note [Stack files]
    The file of FLAGS_dump_api_python_stack_path gets an entry per call of an op or a PyLayer, and
    one per parameter of an optimizer's step: its unique name, and the user's frames. That of
    FLAGS_dump_grad_node_forward_stack_path gets, per backward, the text of a call_stack.log: each
    node's name, its number and its forward stack. FLAGS_dump_api_and_gradnode_python_stack_dir
    names a folder for both. The process id is appended to a file's name, so a forked process has
    separate files. Calls are listed in the order they end, nodes in the order backward reaches
    them.

    The files use unique names and stacks regardless of the flags for those, and change neither.
    (Paddle turns both flags on permanently.)
"""

import os

from jaxeager.debug.common import call_names, naming
from jaxeager.debug.common.output_files import AppendedFile, check_writable
from jaxeager.debug.stacks import stacks
from jaxeager.graph import events

API = "FLAGS_dump_api_python_stack_path"
NODE = "FLAGS_dump_grad_node_forward_stack_path"
FOLDER = "FLAGS_dump_api_and_gradnode_python_stack_dir"


class _File(events.Observer):
    """A file that grows: ``<path>.<pid>``, in a folder that is created if missing."""

    def __init__(self, path: str, flag: str):
        check_writable(path, flag)
        self._file = AppendedFile(path, flag, is_numbered=True)

    def append(self, text: str) -> None:
        """Append text; every entry is on disk when the call returns."""
        self._file.try_write(text)

    def close(self) -> None:
        """Close the file."""
        self._file.close()


class _ApiFile(_File):
    """An entry per call, and per parameter that a step updates: its name and its stack.

    It is written before the call is checked and its kernel is found, so that an entry of a call
    that hangs, or ends the process, is the last in the file.
    """

    def operands_ready(self, call):
        if not naming.is_derivative(call.row):  # the VJP of an op is not a call by the user
            self._write(naming.name_of_running(call))
            call.notes[self] = True

    def call_failed(self, call, error):
        if not naming.is_derivative(call.row):
            if self not in call.notes:  # its operands were refused
                self._write(naming.name_of_running(call))
            naming.forget(call.row, call.notes["name"])

    def value_refused(self, error):
        found = call_names.refused_call(error)
        if found is not None:
            self._write(found[1])

    def layer_began(self, layer, inputs, node):
        self._write(naming.running_layer())

    def step_began(self, rule, params):
        stack = stacks.forward_stack().format()
        calls = call_names.begun_step_calls(rule, params)
        self.append("".join(f"{call} : \n{stack}" for call in calls))

    def _write(self, call: str) -> None:
        self.append(f"{call} : \n{stacks.forward_stack().format()}")


class _NodeFile(_File):
    """The forward stacks of a backward's nodes, when it begins."""

    def backward_began(self, run):
        self.append(stacks.call_stack_text(_in_order(run)))


def _in_order(run: events.Backward) -> list:
    """Return the nodes that a backward runs, nearest to its roots first."""
    nodes = [edge.node for edge, _ in run.roots if edge.node in run.tasks]
    seen = dict.fromkeys(nodes)
    nodes = list(seen)
    for node in nodes:  # grows during the loop
        for edge in node.edges:
            if edge is not None and edge.node in run.tasks and edge.node not in seen:
                seen[edge.node] = None
                nodes.append(edge.node)
    return nodes


_files: dict[str, list[_File]] = {}


def set_api_path(path: str) -> None:
    """Apply FLAGS_dump_api_python_stack_path: "" stops writing.

    Raises:
        InvalidArgumentError: when the file's folder cannot be created or written.
    """
    _replace("api", [_ApiFile(path, API)] if path else [])


def set_node_path(path: str) -> None:
    """Apply FLAGS_dump_grad_node_forward_stack_path: "" stops writing.

    Raises:
        InvalidArgumentError: when the file's folder cannot be created or written.
    """
    _replace("node", [_NodeFile(path, NODE)] if path else [])


def set_folder(folder: str) -> None:
    """Apply FLAGS_dump_api_and_gradnode_python_stack_dir: "" stops writing.

    Raises:
        InvalidArgumentError: when the folder cannot be created or written.
    """
    files: list[_File] = []
    if folder:
        files.append(_ApiFile(os.path.join(folder, "api_call_stack"), FOLDER))
        files.append(_NodeFile(os.path.join(folder, "gradnode_call_stack"), FOLDER))
    _replace("folder", files)


def _replace(which: str, files: list[_File]) -> None:
    """Activate the files of a flag instead of its previous ones."""
    for file in files:
        naming.begin_use()
        stacks.begin_use()
        events.observe(file)
    for file in _files.pop(which, ()):
        events.unobserve(file)
        file.close()
        stacks.end_use()
        naming.end_use()
    if files:
        _files[which] = files
