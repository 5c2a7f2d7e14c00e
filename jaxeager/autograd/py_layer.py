"""PyLayer: a user-defined op with its own backward."""

from __future__ import annotations

import contextlib
import functools
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from jaxeager.autograd.py_layer_call import (
    PyLayerCall,
    map_outputs,
    slots_of,
    unrecorded,
    values_of,
)
from jaxeager.autograd.py_layer_context import PyLayerContext
from jaxeager.autograd.py_layer_record import Outputs, finish_node, new_node, refuse_gradient
from jaxeager.autograd.py_layer_traced import apply_traced
from jaxeager.graph import events
from jaxeager.graph.events import notify
from jaxeager.graph.mode import grad_mode

if TYPE_CHECKING:
    from jaxeager.tensor.tensor import Tensor

__all__ = ["PyLayer", "PyLayerContext", "once_differentiable"]


class PyLayer:
    """An op whose forward and backward are Python functions on Tensors.

    A subclass has two static methods. ``forward(ctx, ...)`` computes, unrecorded, on the arguments
    of ``apply``; ``backward(ctx, *grads)`` takes a gradient per output and returns one per input.
    Inputs and outputs are Tensors, and lists or tuples of Tensors: other arguments and other
    results pass through, and have no gradient.

    - For a Tensor output backward gets one Tensor, for a list or tuple output a tuple of them.
    - Backward returns as many gradients as there are inputs, in a tuple when there are several, and
      in a list or tuple for an input that is a list. None means that there is none; Nones at the
      end may be left out. A list whose first Tensor stops gradients gets None as a whole.
    - A gradient has its input's shape. It is cast to the input's dtype, unless that cannot hold it.
    - An input that is returned counts as written in place, unless it is passed to
      ``ctx.mark_not_inplace``.
    - With ``create_graph`` backward is recorded, so it can be differentiated again.

    ``ctx`` is a PyLayerContext.

    Raises:
        InvalidArgumentError: from ``backward()``, when the gradients do not fit the inputs.

    Paddle: crashes when a PyLayer is run twice or returns None for the input of some ops, ignores
        hooks on its outputs, checks neither shapes nor saved tensors, and turns an error in
        backward into OSError. Here all of that works, and an error keeps its type.

    Example:
        >>> import jaxeager as paddle
        >>> class Tanh(paddle.autograd.PyLayer):
        ...     @staticmethod
        ...     def forward(ctx, x):
        ...         y = paddle.tanh(x)
        ...         ctx.save_for_backward(y)
        ...         return y
        ...
        ...     @staticmethod
        ...     def backward(ctx, dy):
        ...         (y,) = ctx.saved_tensor()
        ...         return dy * (1 - y * y)
        >>> x = paddle.to_tensor([0.0, 1.0], stop_gradient=False)
        >>> Tanh.apply(x).sum().backward()
        >>> [round(value, 4) for value in x.grad.tolist()]
        [1.0, 0.42]
    """

    @staticmethod
    def forward(ctx: PyLayerContext, *args: Any, **kwargs: Any) -> Tensor | Sequence[Tensor]:
        """Compute the outputs; a subclass writes it. See PyLayer."""
        raise NotImplementedError("You must implement the forward function for PyLayer.")

    @staticmethod
    def backward(ctx: PyLayerContext, *grads: Any) -> Tensor | Sequence[Tensor]:
        """Compute the gradients of the inputs; a subclass writes it. See PyLayer."""
        raise NotImplementedError("You must implement the backward function for PyLayer.")

    @classmethod
    def apply(cls, *args: Any, **kwargs: Any) -> Any:
        """Run forward, and record the call when an input requires a gradient.

        Args:
            *args: the arguments of forward after ``ctx``.
            **kwargs: the same, by name.

        Returns:
            the result of forward.

        Raises:
            InvalidArgumentError: when forward returned no Tensor, or a leaf among its inputs that
                requires a gradient.
            NotImplementedError: when the subclass has no forward.
        """
        inputs = slots_of([*args, *kwargs.values()])
        if grad_mode.capture is not None:
            for slot in inputs:
                grad_mode.capture.see(slot.tensors)
        is_recorded = grad_mode.enabled and any(
            not tensor.stop_gradient for slot in inputs for tensor in slot.tensors
        )
        if grad_mode.traced and grad_mode.enabled and inputs and not is_recorded:
            return apply_traced(cls, args, kwargs, inputs)
        needs = [is_recorded and not slot.tensors[0].stop_gradient for slot in inputs]
        ctx = PyLayerContext(cls.__name__, tuple(needs))
        node = new_node(cls, inputs) if is_recorded else None
        if not events.has_layers:
            return _run(cls, ctx, node, inputs, args, kwargs)[0]
        notify(events.layer_called, cls, args, kwargs, node)
        with _notified_apply(cls, inputs, node) as made:
            result, outputs = _run(cls, ctx, node, inputs, args, kwargs)
            made += outputs.tensors
        return result


def _run(layer: type, ctx: PyLayerContext, node, inputs: list, args: tuple, kwargs: dict):
    """Run forward; return the result of ``apply``, and the Outputs."""
    with unrecorded():
        result = layer.forward(ctx, *args, **kwargs)  # type: ignore[attr-defined]
    outputs = Outputs(layer, ctx, inputs, node is not None)
    result = outputs.own(result)
    if node is not None:
        finish_node(node, PyLayerCall(layer, ctx, inputs, slots_of(values_of(result))), outputs)
    return result, outputs


@contextlib.contextmanager
def _notified_apply(layer: type, inputs: list, node):
    """Notify tools of one ``apply``; yield a list for the Tensors it makes."""
    given = [tensor for slot in inputs for tensor in slot.tensors]
    notify(events.layer_began, layer, given, node)
    made: list = []
    try:
        yield made
    except BaseException as error:
        notify(events.layer_failed, layer, error)
        raise
    notify(events.layer_ended, layer, given, made, node)


def once_differentiable(backward: Callable) -> Callable:
    """Decorate a PyLayer's backward that cannot be differentiated again.

    It runs unrecorded, also under ``create_graph``; differentiating its gradients is an error.

    Raises:
        InvalidArgumentError: when its gradients are differentiated.

    Paddle: treats the gradients as constants, which omits terms of a second derivative.

    Example:
        >>> import jaxeager as paddle
        >>> from jaxeager.autograd.py_layer import once_differentiable
        >>> class Double(paddle.autograd.PyLayer):
        ...     @staticmethod
        ...     def forward(ctx, x):
        ...         return x * 2
        ...
        ...     @staticmethod
        ...     @once_differentiable
        ...     def backward(ctx, grad):
        ...         return paddle.to_tensor(grad.numpy() * 2)
        >>> x = paddle.to_tensor(1.0, stop_gradient=False)
        >>> Double.apply(x).backward()
        >>> x.grad.item()
        2.0
    """

    @functools.wraps(backward)
    def run_once(ctx, *grads):
        with unrecorded():
            found = backward(ctx, *grads)
        if not grad_mode.enabled:
            return found
        return map_outputs(lambda tensor: refuse_gradient(tensor, ctx._state.node()), found)

    return run_once
