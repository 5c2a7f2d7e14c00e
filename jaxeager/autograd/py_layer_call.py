"""One call of a PyLayer, as its node stores it: its inputs, its outputs and its backward.

Note [PyLayer slots]
    An argument that is a Tensor is one input slot, and so is a list or tuple with Tensors in it;
    keyword arguments follow in the order of the call. Other arguments are not slots. Backward
    returns one gradient per input slot. The result of forward has output slots in the same way, and
    backward takes one argument per output slot: a Tensor, or a tuple of them for a list. The graph
    does not contain these slots: its edges are the input tensors, its positions the output tensors,
    flat.
"""

import contextlib
from collections.abc import Callable
from typing import NamedTuple

import jax.numpy as jnp

from jaxeager.errors import InvalidArgumentError, InvalidTypeError
from jaxeager.graph.mode import grad_mode
from jaxeager.ops.call import dispatch
from jaxeager.ops.call.kernels import filled


class Slot(NamedTuple):
    """An input or output slot: see Note [PyLayer slots].

    Attributes:
        tensors: its Tensors.
        is_list: whether it is a list or tuple.
    """

    tensors: list
    is_list: bool


def values_of(result):
    """Return the result of forward as a list or tuple."""
    return result if isinstance(result, (list, tuple)) else [result]


def slots_of(values) -> list[Slot]:
    """Return the slots of arguments, or of the results of forward."""
    slots = []
    for value in values:
        if isinstance(value, dispatch.Tensor):
            slots.append(Slot([value], False))
        elif isinstance(value, (list, tuple)):
            tensors = [each for each in value if isinstance(each, dispatch.Tensor)]
            if tensors:
                slots.append(Slot(tensors, True))
    return slots


def map_outputs(function: Callable, result):
    """Return the result of forward with ``function`` applied to each output Tensor."""

    def map_slot(value):
        if isinstance(value, (list, tuple)):
            return _map_each(lambda v: function(v) if isinstance(v, dispatch.Tensor) else v, value)
        return function(value) if isinstance(value, dispatch.Tensor) else value

    return _map_each(map_slot, result) if isinstance(result, (list, tuple)) else map_slot(result)


def _map_each(function: Callable, values):
    """Map a list or tuple; return the same object when nothing changed."""
    mapped = [function(value) for value in values]
    if all(new is old for new, old in zip(mapped, values, strict=True)):
        return values
    return mapped if isinstance(values, list) else tuple(mapped)


@contextlib.contextmanager
def unrecorded():
    """Run a block unrecorded, for a PyLayer's functions; in ``to_jax`` nothing is cut."""
    before = grad_mode.enabled, grad_mode.traced
    grad_mode.enabled = grad_mode.traced = False
    try:
        yield
    finally:
        grad_mode.enabled, grad_mode.traced = before


class PyLayerCall:
    """The data that a GradNodePyLayer keeps of its call.

    Attributes:
        layer: the PyLayer, a class.
        context: the context of its forward.
        ranks: per input slot the number of its tensors; None for a Tensor.
        widths: the same per output slot.
    """

    __slots__ = ("context", "layer", "ranks", "widths")

    def __init__(self, layer: type, context, inputs: list[Slot], outputs: list[Slot]):
        self.layer = layer
        self.context = context
        self.ranks = [len(slot.tensors) if slot.is_list else None for slot in inputs]
        self.widths = [len(slot.tensors) if slot.is_list else None for slot in outputs]

    def pull(self, node, grads: list) -> list:
        """Run the PyLayer's backward.

        Args:
            node: the node of the call.
            grads: a Tensor per output; None for a missing gradient.

        Returns:
            a Tensor or None per input, each of its input's shape and dtype.

        Raises:
            InvalidArgumentError: when the results of backward do not fit its inputs.
            Exception: any exception of backward, unchanged.
        """
        return self.checked(node, self.run_backward(node, grads))

    def run_backward(self, node, grads: list) -> tuple:
        """Run the PyLayer's backward and return its results, as a tuple."""
        arguments = grouped(self._prepared(node, grads), self.widths)
        returned = self.layer.backward(self.context, *arguments)
        return returned if isinstance(returned, tuple) else (returned,)

    def _prepared(self, node, grads: list) -> list:
        """Return the gradients in the form for backward: filled, and in the outputs' dtypes."""
        prepared = []
        for grad, aval in zip(grads, node.out_avals, strict=True):
            if grad is None:
                zeros = self.context.materialize_grads
                grad = dispatch.wrap(filled(aval, 0)) if zeros else None
            elif grad._array.dtype != aval.dtype and self.context.grad_in_dtype_consistent:
                grad = dispatch.cast(grad, aval.dtype)
            prepared.append(grad)
        return prepared

    # ---- results of backward

    def checked(self, node, returned: tuple) -> list:
        """Return the results of backward, flat, after checking that they fit the inputs."""
        if len(returned) > len(self.ranks):
            raise InvalidArgumentError(
                f"{node.name()} : The number of outputs of `PyLayer.backward` should be "
                f"{len(self.ranks)}, but received {len(returned)}. It returns one gradient per "
                "argument of apply() that is a Tensor or a list of Tensors, and none for others."
            )
        results: list = []
        for position, rank in enumerate(self.ranks):
            first = len(results)
            count = 1 if rank is None else rank
            is_wanted = node.edges[first] is not None
            if position < len(returned) and is_wanted:
                results += self._of_slot(node, position, returned[position], first)
                continue
            if is_wanted:
                raise InvalidArgumentError(
                    f"{node.name()}'s backward function should not return empty at {position} "
                    f"position. It returned {len(returned)} gradients for {len(self.ranks)} "
                    "arguments; return None for an argument without one."
                )
            if position < len(returned) and returned[position] is not None:
                self._refuse_stopped(node, position, rank)
            results += [None] * count
        return results

    def _refuse_stopped(self, node, position: int, rank: int | None):
        text = (
            f"{node.name()}'s backward function should return None at {position} position, "
            "because it's forward Tensor's stopgradient is true."
        )
        if rank is not None:
            text += " (The first Tensor of a list decides.)"
        raise InvalidArgumentError(text)

    def _of_slot(self, node, position: int, value, first: int) -> list:
        """Return the flat gradients of one slot, whose first input is number ``first``."""
        rank = self.ranks[position]
        where = f"at {position} position"
        if rank is None:
            return [_checked_gradient(node, first, value, where)]
        if not isinstance(value, (list, tuple)):
            raise InvalidArgumentError(
                f"argument must be list or tuple, but got {type(value).__name__}: {node.name()}'s "
                f"backward function should return a list {where}, a Tensor or None for each of "
                f"the {rank} Tensors in the list that forward was given."
            )
        if len(value) != rank:
            raise InvalidArgumentError(
                f"{node.name()}'s backward function should return a list of {rank} gradients "
                f"{where}, one per Tensor in the list that forward was given, but received "
                f"{len(value)}."
            )
        for i, each in enumerate(value):
            if each is not None and not isinstance(each, dispatch.Tensor):
                raise InvalidArgumentError(
                    f"argument must be list of Tensor, but got {_kind_name(each)} at pos {i}: "
                    f"{node.name()}'s backward function returned that list {where}."
                )
        return [
            _checked_gradient(node, first + i, each, f"{where}, element {i}")
            for i, each in enumerate(value)
        ]


def grouped(values: list, widths: list) -> list:
    """Group flat values into slots: a tuple for each width that is not None."""
    slots, start = [], 0
    for width in widths:
        if width is None:
            slots.append(values[start])
        else:
            slots.append(tuple(values[start : start + width]))
        start += 1 if width is None else width
    return slots


def _checked_gradient(node, number: int, grad, where: str):
    """Return one gradient in its input's dtype; None for an input that needs none.

    Raises:
        InvalidTypeError: when its dtype can hold values that the input's cannot.
        InvalidArgumentError: when it is neither a Tensor nor None, or its shape is not the input's.
    """
    edge = node.edges[number]
    if grad is None:
        return None
    if not isinstance(grad, dispatch.Tensor):
        raise InvalidArgumentError(
            f"{node.name()} : We can only support Tensor or None for backward output, , but got "
            f"{_kind_name(grad)}, please check your PyLayer code and make it fits. It was returned "
            f"{where}."
        )
    if edge is None:
        return None
    shape, dtype = node.in_avals[number]
    array = grad._array
    if array.shape != shape:
        raise InvalidArgumentError(
            f"{node.name()}'s backward function returned a gradient of shape "
            f"{list(array.shape)} {where}, but the forward Tensor has shape {list(shape)}."
        )
    if array.dtype == dtype or takes_any_dtype(edge.node):
        return grad
    if _kind(array.dtype) > _kind(dtype):
        raise InvalidTypeError(
            f"{node.name()}'s backward function returned a gradient of dtype "
            f"{array.dtype.name} {where}, but the forward Tensor has dtype {dtype.name}, "
            "which cannot hold it. Cast it on purpose, for example with real() or astype()."
        )
    return dispatch.cast(grad, dtype)


def _kind_name(value) -> str:
    kind = type(value)
    return f"numpy.{kind.__name__}" if kind.__module__ == "numpy" else kind.__name__


def takes_any_dtype(node) -> bool:
    """Return whether a node accepts gradients of another dtype than its outputs have."""
    call = getattr(node, "call", None)
    return isinstance(call, PyLayerCall) and not call.context.grad_in_dtype_consistent


def _kind(dtype) -> int:
    """Return the rank of a dtype; a higher one holds values that lower ones cannot."""
    kinds = (jnp.bool_, jnp.integer, jnp.floating, jnp.complexfloating)
    return next(i for i, kind in enumerate(kinds) if jnp.issubdtype(dtype, kind))
