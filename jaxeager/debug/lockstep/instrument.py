"""Runs a script and writes what every node of every backward took and gave.

This file stands alone: it runs in a process with real Paddle as well as here, and asks both for the
same: ``next_functions``, ``_register_post_hook``, ``node_ptr``, and the stacks that
``backward(dump_backward_graph_path=...)`` writes. (The flag that writes them alone switches unique
names on, under which Paddle's Adam loses its state.) ``python instrument.py SETTINGS script.py
...``, where SETTINGS is JSON.

Note [The same numbers in both]
    Two libraries draw other numbers from one seed. So the first run writes the values of each Layer
    that is called, before its first call, of each parameter that is created by hand, and of each
    tensor that is drawn; the second takes these, in their order, in the place of its own.
"""

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
from typing import Any

import numpy as np

DRAWS = (
    "rand randn randint randperm uniform normal standard_normal gaussian bernoulli multinomial "
    "poisson rand_like randn_like randint_like"
).split()


class Values:
    """Values of the first run: written there, read in the second."""

    def __init__(self, path: str, is_first: bool):
        self._file, self._is_first = open(path, "wb" if is_first else "rb"), is_first  # noqa: SIM115

    def exchange(self, arrays: list) -> list | None:
        """Writes arrays and returns None, or returns those that were written at this place.

        None too where the first run had others: the programs are apart already.
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
    """What is put in the place of functions of the library."""

    def __init__(self, library: Any, settings: dict):
        self.library = library
        self.values = Values(settings["values"], settings["is_first"])
        self.out = open(settings["out"], "wb")  # noqa: SIM115 - until the process ends
        self.stacks = settings["stacks"]
        self.backwards = self.depth = 0
        self.seen: set[int] = set()
        self.kept: list = []  # so that no other object gets the id of one that was seen

    def install(self) -> None:
        """Replaces backward, calls of Layers, and what draws."""
        paddle = self.library
        paddle.Tensor.backward = self._backward(paddle.Tensor.backward, lambda tensor: [tensor])
        paddle.autograd.backward = self._backward(
            paddle.autograd.backward,
            lambda tensors: tensors if isinstance(tensors, (list, tuple)) else [tensors],
        )
        paddle.nn.Layer.__call__ = self._call(paddle.nn.Layer.__call__)
        paddle.create_parameter = self._drawing(paddle.create_parameter)
        for name in DRAWS:
            if hasattr(paddle, name):
                setattr(paddle, name, self._drawing(getattr(paddle, name)))

    def _call(self, call: Any) -> Any:
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

    def _drawing(self, draw: Any) -> Any:
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

    def _backward(self, backward: Any, roots_of: Any) -> Any:
        @functools.wraps(backward)
        def recorded(first, *arguments, **named):
            steps: list[dict] = []
            handles = [
                node._register_post_hook(_hook(steps, node)) for node in _nodes(roots_of(first))
            ]
            named.setdefault("dump_backward_graph_path", self.stacks)
            try:
                return backward(first, *arguments, **named)
            finally:
                for handle in handles:
                    handle.remove()
                self._write(steps)

        return recorded

    def _write(self, steps: list[dict]) -> None:
        stacks = _read_stacks(self.stacks)
        for step in steps:
            step["stack"] = stacks.get(step.pop("ptr"), "")
        pickle.dump(steps, self.out)
        self.out.flush()
        self.backwards += 1


def _nodes(roots: list) -> list:
    """Returns the nodes that are no leaves, each once."""
    found: dict[int, Any] = {}
    waiting = [root.grad_fn for root in roots if root.grad_fn is not None]
    while waiting:
        node = waiting.pop(0)
        if node is None or node.name() == "GradNodeAccumulation" or node.node_ptr() in found:
            continue
        found[node.node_ptr()] = node
        waiting += list(node.next_functions)
    return list(found.values())


def _hook(steps: list[dict], node: Any) -> Any:
    """Returns a hook that notes what a node gives (its outputs) and took (its inputs)."""
    name, pointer = node.name(), node.node_ptr()

    def noted(outputs, inputs):
        steps.append({
            "name": name, "ptr": pointer, "given": [_array(each) for each in inputs],
            "made": [_array(each) for each in outputs],
        })  # fmt: skip
        return outputs

    return noted


def _array(tensor: Any) -> Any:
    """Returns the values of a tensor; None where there is none."""
    if tensor is None:
        return None
    with contextlib.suppress(Exception):  # a gradient that is there in name only
        if "bfloat16" in str(tensor.dtype):
            tensor = tensor.astype("float32")
        return np.array(tensor.numpy())
    return None


def _read_stacks(path: str) -> dict[int, str]:
    """Returns the stack of each node of the last backward, and takes the files away."""
    found = {}
    for file in Path(path).glob("*"):
        if file.name.endswith("call_stack.log"):
            for part in file.read_text(encoding="utf-8").split("GradNodeBase ")[1:]:
                head, _, stack = part.partition("call stack: \n")
                pointer = re.search(r"0x[0-9a-f]+", head)
                if pointer:
                    found[int(pointer[0], 16)] = stack.strip("\n")
        file.unlink()
    return found


def main() -> None:
    """Runs the script."""
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
    with contextlib.suppress(ValueError):  # real Paddle has no such flag, and draws nothing
        paddle.set_flags({"FLAGS_draw_backward_graphs": False})
    Recording(paddle, settings).install()
    sys.path[0] = os.path.dirname(os.path.abspath(script))
    runpy.run_path(script, run_name="__main__")


if __name__ == "__main__":
    main()
