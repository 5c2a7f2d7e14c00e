"""Runs a script and records each node's operands and results in ``backward`` and ``paddle.grad``.

This file is self-contained: it runs in a process with real Paddle as well as here, and uses the
same functions of both: ``next_functions``, ``_register_post_hook``, ``node_ptr``, and the stacks
that ``backward(dump_backward_graph_path=...)`` writes. (The flag that writes only the stacks turns
unique names on, under which Paddle's Adam loses its state.)

Usage: ``python instrument.py SETTINGS script.py
...``, where SETTINGS is JSON.

Note [The same numbers in both]
    Two libraries draw different numbers from one seed. So the first run writes the values of each
    Layer before its first call, of each parameter that is created directly, and of each tensor that
    is drawn. The second run uses these, in order, instead of its own.

Note [Nodes that Paddle copies]
    ``paddle.grad`` of real Paddle runs copies of the nodes. They have the hooks of the nodes but
    other pointers, and the stacks that it writes are under the pointers of the copies. The graph
    written with them has an edge for each gradient that was passed, in the order in which the
    copies ran. So the n-th node that the hooks report is the n-th node that an edge starts from.
"""

from __future__ import annotations

import contextlib
import functools
import json
import os
import pickle
import random
import re
import runpy
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable

DRAWS = (
    "rand randn randint randperm uniform normal standard_normal gaussian bernoulli multinomial "
    "poisson rand_like randn_like randint_like"
).split()


class Values:
    """Values of the first run: written by the first run, read by the second."""

    def __init__(self, path: str, is_first: bool):
        self._file, self._is_first = open(path, "wb" if is_first else "rb"), is_first  # noqa: SIM115

    def exchange(self, arrays: list) -> list | None:
        """Write arrays and return None, or return those that were written at this position.

        Also return None if the first run had other shapes: the programs have already diverged.
        """
        if self._is_first:
            pickle.dump(arrays, self._file)
            self._file.flush()
            return None
        try:
            found = pickle.load(self._file)
        except EOFError:
            return None
        is_same = [a.shape for a in found] == [a.shape for a in arrays]
        return found if is_same else None


class Recording:
    """Replaces functions of the library by recording ones."""

    def __init__(self, library: Any, settings: dict):
        self.library = library
        self.values = Values(settings["values"], settings["is_first"])
        self.out = open(settings["out"], "wb")  # noqa: SIM115 - until the process ends
        self.stacks = settings["stacks"]
        self.backwards = self.depth = 0
        self.seen: set[int] = set()
        self.kept: list = []  # keeps the ids of seen objects from being reused

    def install(self) -> None:
        """Replace backward, grad, the call of Layers, and functions that draw."""
        paddle = self.library
        paddle.Tensor.backward = self.recording(paddle.Tensor.backward, "self")
        paddle.autograd.backward = self.recording(paddle.autograd.backward, "tensors")
        paddle.grad = paddle.autograd.grad = self._of_script(
            paddle.grad, self.recording(paddle.grad, "outputs")
        )
        paddle.nn.Layer.__call__ = self._call(paddle.nn.Layer.__call__)
        paddle.create_parameter = self._drawing(paddle.create_parameter)
        for name in DRAWS:
            if hasattr(paddle, name):
                setattr(paddle, name, self._drawing(getattr(paddle, name)))

    def _call(self, call: Callable) -> Callable:
        @functools.wraps(call)
        def called(layer, *inputs, **named):
            if self.depth == 0 and id(layer) not in self.seen:
                self.seen.add(id(layer))
                self.kept.append(layer)
                self._share(list(layer.state_dict().values()))
            self.depth += 1
            try:
                return call(layer, *inputs, **named)
            finally:
                self.depth -= 1

        return called

    def _drawing(self, draw: Callable) -> Callable:
        @functools.wraps(draw)
        def drawn(*arguments, **named):
            made = draw(*arguments, **named)
            self._share([made])
            return made

        return drawn

    def _share(self, tensors: list) -> None:
        found = self.values.exchange([_array(tensor) for tensor in tensors])
        if found is not None:
            for tensor, array in zip(tensors, found, strict=True):
                made = self.library.to_tensor(array)
                tensor.set_value(made.astype(tensor.dtype).numpy())

    def _of_script(self, plain: Callable, recorded: Callable) -> Callable:
        """Return a function that is recorded when the script calls it, not when the library does.

        ``jacobian`` and others call ``grad`` for each row in one library and once in the other.
        """
        folder = os.path.dirname(self.library.__file__) + os.sep

        @functools.wraps(plain)
        def called(*arguments, **named):
            is_library = sys._getframe(1).f_code.co_filename.startswith(folder)
            return (plain if is_library else recorded)(*arguments, **named)

        return called

    def recording(self, run: Callable, roots: str) -> Callable:
        """Return ``backward`` or ``grad``, changed to write each node's inputs and outputs.

        Args:
            run: the function.
            roots: the name of its first argument, the tensors that gradients start from.
        """

        @functools.wraps(run)
        def recorded(*arguments, **named):
            steps: list[dict] = []
            first = arguments[0] if arguments else named[roots]
            tensors = list(first) if isinstance(first, (list, tuple)) else [first]
            handles = [
                node._register_post_hook(_hook(steps, node, run.__name__))
                for node in _nodes(tensors)
            ]
            named.setdefault("dump_backward_graph_path", self.stacks)
            try:
                return run(*arguments, **named)
            finally:
                for handle in handles:
                    handle.remove()
                self._write(steps, [_array(tensor) for tensor in tensors])

        return recorded

    def _write(self, steps: list[dict], roots: list) -> None:
        stacks, ran = _read_files(self.stacks)
        pointers = [step.pop("ptr") for step in steps]
        is_copy = stacks.keys().isdisjoint(pointers)  # see Note [Nodes that Paddle copies]
        if is_copy and [name for name, _ in ran] == [step["name"] for step in steps]:
            pointers = [pointer for _, pointer in ran]
        for step, pointer in zip(steps, pointers, strict=True):
            step["stack"] = stacks.get(pointer, "")
        library = os.path.dirname(self.library.__file__)
        pickle.dump({"nodes": steps, "roots": roots, "library": library}, self.out)
        self.out.flush()
        self.backwards += 1


def _nodes(roots: list) -> list:
    """Return the nodes that are not leaves, each once."""
    found: dict[int, Any] = {}
    waiting = [root.grad_fn for root in roots if root.grad_fn is not None]
    while waiting:
        node = waiting.pop(0)
        if node is None or node.name() == "GradNodeAccumulation" or node.node_ptr() in found:
            continue
        found[node.node_ptr()] = node
        waiting += list(node.next_functions)
    return list(found.values())


def _hook(steps: list[dict], node: Any, call: str) -> Callable:
    """Return a hook that records the gradients a node returns (outputs) and received (inputs)."""
    name, pointer = node.name(), node.node_ptr()

    def noted(outputs, inputs):
        steps.append({
            "name": name, "call": call, "ptr": pointer, "given": [_array(each) for each in inputs],
            "made": [_array(each) for each in outputs],
        })  # fmt: skip
        return outputs

    return noted


def _array(tensor: Any) -> np.ndarray | None:
    """Return the values of a tensor; None if it has none."""
    if tensor is None or not tensor._is_initialized():
        return None  # Paddle has a tensor without values for a gradient that is not needed
    with contextlib.suppress(Exception):  # a gradient without data
        if "bfloat16" in str(tensor.dtype):
            tensor = tensor.astype("float32")
        return np.array(tensor.numpy())
    return None


def _read_files(path: str) -> tuple[dict[int, str], list[tuple[str, int]]]:
    """Read the files that the last backward has written, and delete them.

    Returns:
        the stack of each node, by its pointer; the nodes that gradients came from, each as its name
        and pointer, in the order in which they ran.
    """
    stacks: dict[int, str] = {}
    ran: list[tuple[str, int]] = []
    for file in Path(path).glob("*"):
        if file.name.endswith("call_stack.log"):
            for part in file.read_text(encoding="utf-8").split("GradNodeBase ")[1:]:
                head, _, stack = part.partition("call stack: \n")
                pointer = re.search(r"0x[0-9a-f]+", head)
                if pointer:
                    stacks[int(pointer[0], 16)] = stack.strip("\n")
        elif file.name.endswith("backward_graph.dot"):
            text = file.read_text(encoding="utf-8")
            nodes = re.findall(r'(node_\d+)\[label="(\w+)\\nPtr: (0x[0-9a-f]+)"', text)
            labels = {node: (name, int(pointer, 16)) for node, name, pointer in nodes}
            sources = dict.fromkeys(re.findall(r"(node_\d+)->", text))
            ran = [labels[node] for node in sources if node in labels]
        file.unlink()
    return stacks, ran


def main() -> None:
    """Run the script."""
    settings, script = json.loads(sys.argv[1]), sys.argv[2]
    sys.argv[:] = sys.argv[2:]
    import paddle as library  # type: ignore[import-not-found]

    paddle: Any = library

    random.seed(0)
    np.random.seed(0)
    paddle.seed(0)
    if settings["dtype"]:
        paddle.set_default_dtype(settings["dtype"])
    if settings["device"]:
        paddle.set_device(settings["device"])
    paddle.set_flags({"FLAGS_call_stack_level": 3})
    with contextlib.suppress(ValueError):  # real Paddle has no such flag, and draws no graphs
        paddle.set_flags({"FLAGS_draw_backward_graphs": False})
    Recording(paddle, settings).install()
    sys.path[0] = os.path.dirname(os.path.abspath(script))
    runpy.run_path(script, run_name="__main__")


if __name__ == "__main__":
    main()
