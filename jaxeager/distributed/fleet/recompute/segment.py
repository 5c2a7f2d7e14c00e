"""A segment: one call whose saved tensors are dropped, and recomputed when backward reads them.

Note [Recompute]
    The call is recorded like any other, so its nodes, edges and hooks are the real ones: tensors
    from other places get their gradients, ``paddle.grad`` sees them, and gradients of gradients
    work. Only the saved tensors of the nodes pass through hooks (``saved_tensors_hooks``), which
    pack the number of a tensor instead of the tensor. The first node that reads one runs the
    function again, with the original values of its inputs, random numbers and precision; the
    tensors saved then, in the same order, are assigned to the numbers that nodes still hold. Each
    is returned once, and those not read are dropped when the backward has ended.

    A segment inside another one passes its inputs to the outer hooks, so they are dropped too.
"""

import contextlib
import random
import threading
import weakref
from collections.abc import Callable, Collection
from typing import Any

import numpy as np

import jaxeager as paddle
from jaxeager.arrays.random import get_rng_state, set_rng_state
from jaxeager.errors import InvalidArgumentError, PreconditionNotMetError
from jaxeager.graph.engine import add_final_hook
from jaxeager.graph.meta import AutogradMeta
from jaxeager.graph.mode import enable_grad, grad_mode, inference_mode
from jaxeager.graph.saved_hooks import pack_array
from jaxeager.graph.views.shared_writes import write_array
from jaxeager.ops.call.dispatch import edge_of, wrap
from jaxeager.ops.call.observers import unwatch, watch


class _Placeholder:
    """The replacement for a saved tensor: its number among those that the call saved."""

    __slots__ = ("__weakref__", "number")

    def __init__(self, number: int):
        self.number = number


class Segment:
    """One call of a function that is run again in backward: see Note [Recompute].

    Args:
        function: the function.
        args, kwargs: its arguments; Tensors may be in lists, tuples and dicts.
        preserve_rng_state: draw the same random numbers each time.
        offloaded: positions in args of Tensors to keep in host memory.
    """

    def __init__(
        self, function: Callable, args, kwargs, preserve_rng_state: bool, offloaded: Collection[int]
    ):
        self.function = function
        self.args = [
            map_tensors(arg, lambda tensor, place=place: _Input(tensor, place in offloaded))
            for place, arg in enumerate(args)
        ]
        self.kwargs = {
            name: map_tensors(arg, lambda tensor: _Input(tensor, False))
            for name, arg in kwargs.items()
        }
        self.random = RandomState() if preserve_rng_state else None
        self.amp = grad_mode.amp
        self.places: list[weakref.ref] = []
        self.kinds: list[tuple] = []
        self.found: weakref.WeakKeyDictionary = weakref.WeakKeyDictionary()
        self.is_to_forget = False
        self.lock = threading.RLock()

    def run_first(self, args, kwargs):
        """Call the function for its result, and drop the tensors it saves."""
        with paddle.autograd.saved_tensors_hooks(self.drop, self.get):
            return self.function(*args, **kwargs)

    def drop(self, tensor) -> _Placeholder:
        """Return the replacement for a tensor that a node saves."""
        place = _Placeholder(len(self.places))
        self.places.append(weakref.ref(place))
        self.kinds.append(_kind(tensor))
        return place

    def get(self, place: _Placeholder):
        """Return the tensor of a replacement; run the function again if it is missing.

        Raises:
            PreconditionNotMetError: when the function now saves fewer or more tensors.
            InvalidArgumentError: when it saves one of another shape or dtype.
        """
        with self.lock:
            if place not in self.found:
                self.run_again()
            return self.found.pop(place)

    def run_again(self) -> None:
        """Call the function again, and keep the saved tensors whose replacements are still held."""
        count = 0

        def take(tensor):
            nonlocal count
            if count < len(self.places):
                self.check_kind(count, tensor)
                place = self.places[count]()
                if place is not None:
                    self.found[place] = tensor
            count += 1

        with contextlib.ExitStack() as stack:
            if self.random is not None:
                stack.enter_context(self.random.restored())
            stack.enter_context(_kept_state(self.function))
            stack.enter_context(inference_mode(False))
            stack.enter_context(enable_grad())
            stack.enter_context(_precision(self.amp))
            stack.enter_context(paddle.autograd.saved_tensors_hooks(take, _never_asked))
            args = [map_inputs(arg) for arg in self.args]
            kwargs = {name: map_inputs(arg) for name, arg in self.kwargs.items()}
            self.function(*args, **kwargs)
        if not self.is_to_forget:
            self.is_to_forget = True
            forget = weakref.WeakMethod(self.forget)  # a backward that fails must not keep it

            def end() -> None:
                alive = forget()
                if alive is not None:
                    alive()

            add_final_hook(end, undo=end)
        if count != len(self.places):
            raise PreconditionNotMetError(
                f"recompute: the function saved {len(self.places)} tensors for backward when it "
                f"ran first, and {count} when it ran again. It must do the same thing each time, "
                "whatever it depends on besides its arguments."
            )

    def forget(self) -> None:
        """Drop the tensors that no node has read."""
        with self.lock:
            self.is_to_forget = False
            self.found.clear()

    def check_kind(self, number: int, tensor) -> None:
        """Raise when a tensor differs in shape or dtype from the one that was dropped."""
        before, now = self.kinds[number], _kind(tensor)
        if before != now:
            raise InvalidArgumentError(
                f"recompute: saved tensor number {number} was {_text(before)} when the function "
                f"ran first, and is {_text(now)} now that it ran again. It must do the same thing "
                "each time, whatever it depends on besides its arguments."
            )


def _kind(tensor) -> tuple:
    return tensor._array.shape, tensor._array.dtype


def _text(kind: tuple) -> str:
    shape, dtype = kind
    return f"{dtype.name}{list(shape)}"


def _never_asked(packed):
    raise PreconditionNotMetError(
        "recompute: the function runs backward through ops that it recorded itself, which cannot "
        "be done while it runs again for the outer backward."
    )


class _Input:
    """A Tensor argument of the function: its value, and its position in the graph."""

    def __init__(self, tensor, is_offloaded: bool):
        self.edge = edge_of(tensor)
        self.array: Any = tensor._array
        if is_offloaded:
            self.array = np.array(self.array)
        elif grad_mode.saved_hooks is not None:
            self.array = pack_array(self.array, grad_mode.saved_hooks)

    def tensor(self):
        """Return a new Tensor with that value and position."""
        array = self.array
        if isinstance(array, np.ndarray):
            made = wrap(paddle.to_tensor(array)._array)
        else:
            made = wrap(array.array() if hasattr(array, "unpack") else array)
        edge = self.edge
        if edge is not None:
            made._meta = AutogradMeta(False, edge.node, edge.slot, edge.rank)
        return made


def map_tensors(value, function: Callable):
    """Return a value with its Tensors replaced, also those in lists, tuples and dicts."""
    if isinstance(value, paddle.Tensor):
        return function(value)
    return _map_containers(value, lambda item: map_tensors(item, function))


def map_inputs(value):
    """Return a value with its _Inputs replaced by Tensors."""
    return value.tensor() if isinstance(value, _Input) else _map_containers(value, map_inputs)


def _map_containers(value, function: Callable):
    if type(value) is dict:
        return {key: function(item) for key, item in value.items()}
    if type(value) in (list, tuple):
        return type(value)([function(item) for item in value])
    if isinstance(value, tuple) and hasattr(value, "_fields"):  # a named tuple
        return type(value)(*[function(item) for item in value])
    return value


class RandomState:
    """The states of the random numbers of jaxeager, NumPy and Python; the present ones if None."""

    def __init__(self, state: tuple[list, dict | tuple, tuple] | None = None):
        self.state = state or (get_rng_state(), np.random.get_state(), random.getstate())

    def set(self) -> None:
        """Restore the states."""
        of_jaxeager, of_numpy, of_python = self.state
        set_rng_state(of_jaxeager)
        np.random.set_state(of_numpy)
        random.setstate(of_python)

    @contextlib.contextmanager
    def restored(self):
        """Restore the states for a block, and the outer ones after it."""
        outside = RandomState()
        self.set()
        try:
            yield
        finally:
            outside.set()


@contextlib.contextmanager
def _precision(amp):
    """Use a mixed precision for a block."""
    outside, grad_mode.amp = grad_mode.amp, amp
    if amp is not None:
        watch("auto_cast")
    try:
        yield
    finally:
        grad_mode.amp = outside
        if amp is not None:
            unwatch("auto_cast")


@contextlib.contextmanager
def _kept_state(function):
    """Restore the values of a Layer's tensors after a block, so that norms update only once."""
    layers = layers_of(function)
    tensors = [each for layer in layers for each in (*layer.buffers(), *layer.parameters())]
    before = [tensor._array for tensor in tensors]
    try:
        yield
    finally:
        for tensor, array in zip(tensors, before, strict=True):
            if tensor._array is not array:
                write_array(tensor, array, moves_version=False)


def layers_of(function) -> list:
    """Return the Layers that a function is, belongs to, or has bound or captured."""
    near = [function, getattr(function, "__self__", None), *getattr(function, "args", ())]
    near.append(getattr(function, "func", None))  # of a functools.partial
    for cell in getattr(function, "__closure__", None) or ():
        with contextlib.suppress(ValueError):  # a cell that is still empty
            near.append(cell.cell_contents)
    found: list = []
    for value in near:
        found += value if type(value) in (list, tuple) else [value]
    return [value for value in found if isinstance(value, paddle.nn.Layer)]
