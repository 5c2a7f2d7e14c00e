"""A PyLayer inside ``to_jax``: a ``jax.custom_vjp`` of its forward and backward.

JAX differentiates the code that it traces, so it would differentiate a PyLayer's forward and ignore
its backward. So forward becomes a function of arrays that also returns the arrays of its context,
and backward one of those and of the gradients. The context's other values (numbers, flags) are kept
from the trace.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp

from jaxeager.autograd.py_layer_call import (
    PyLayerCall,
    Slot,
    map_outputs,
    slots_of,
    unrecorded,
    values_of,
)
from jaxeager.autograd.py_layer_context import PyLayerContext
from jaxeager.autograd.py_layer_record import check_has_output
from jaxeager.graph.meta import Edge
from jaxeager.graph.pylayer import GradNodePyLayer, PyLayerOp
from jaxeager.ops.call import dispatch


def apply_traced(layer: type, args: tuple, kwargs: dict, inputs: list[Slot]):
    """Do the work of ``apply`` so that JAX uses the PyLayer's backward.

    Args:
        layer: the PyLayer.
        args: the arguments of ``apply``.
        kwargs: those given by name.
        inputs: the slots among them.

    Returns:
        the result of forward, with the Tensors of the call.

    Raises:
        InvalidArgumentError: when forward returned no Tensor; when JAX differentiates, the errors
            of a PyLayer's backward.
    """
    call = _TracedCall(layer, args, kwargs, inputs)
    function = jax.custom_vjp(lambda *arrays: call.forward(*arrays)[0])
    function.defvjp(call.forward, call.backward)
    outs = iter(function(*[tensor._array for slot in inputs for tensor in slot.tensors]))
    return map_outputs(lambda tensor: dispatch.wrap(next(outs)), call.result)


class _TracedCall:
    """One call, while JAX traces it; it may trace forward several times.

    Attributes:
        result: the result of forward in the last trace.
        call: its PyLayerCall.
        node: a substitute for the node of a recorded call.
        rebuild: a function that makes the context from its arrays.
    """

    result: Any
    call: PyLayerCall
    node: GradNodePyLayer
    rebuild: Callable

    def __init__(self, layer: type, args: tuple, kwargs: dict, inputs: list[Slot]):
        self.layer, self.args, self.kwargs, self.inputs = layer, args, kwargs, inputs

    def forward(self, *arrays) -> tuple[list, list]:
        """Return the output arrays, and the arrays of the context."""
        given = iter([dispatch.wrap(array) for array in arrays])
        ctx = PyLayerContext(self.layer.__name__, (True,) * len(self.inputs))
        with unrecorded():
            args = map_outputs(lambda _: next(given), self.args)
            names, values = list(self.kwargs), list(self.kwargs.values())
            kwargs = dict(zip(names, map_outputs(lambda _: next(given), values), strict=True))
            self.result = self.layer.forward(ctx, *args, **kwargs)
        outputs = slots_of(values_of(self.result))
        check_has_output(self.layer.__name__, self.result, outputs)
        outs = [tensor._array for slot in outputs for tensor in slot.tensors]
        self.node = self._stand_in(arrays, outs)
        self.call = PyLayerCall(self.layer, ctx, self.inputs, outputs)
        kept, self.rebuild = _taken_apart(ctx)
        return outs, kept

    def _stand_in(self, arrays, outs) -> GradNodePyLayer:
        node = GradNodePyLayer()
        node.op = PyLayerOp(self.layer.__name__)
        node.edges = (Edge(None),) * len(arrays)
        node.in_avals = tuple([(array.shape, array.dtype) for array in arrays])
        node.out_avals = tuple([out.aval for out in outs])
        return node

    def backward(self, kept: list, cotangents: list) -> tuple:
        """Return the gradient of each input array; None for integers, which have none."""
        self.call.context = self.rebuild(kept)
        grads = [
            None if grad.dtype == jax.dtypes.float0 else dispatch.wrap(jnp.conj(grad))
            for grad in cotangents
        ]
        with unrecorded():
            returned = list(self.call.run_backward(self.node, grads))
            returned += [None] * (len(self.call.ranks) - len(returned))
            for position, rank in enumerate(self.call.ranks):
                if returned[position] is None and rank is not None:
                    returned[position] = [None] * rank
            results = self.call.checked(self.node, tuple(returned))
        return tuple(
            [
                jnp.conj(grad._array) if grad is not None and _is_inexact(dtype) else None
                for grad, (_, dtype) in zip(results, self.node.in_avals, strict=True)
            ]
        )


def _is_inexact(dtype) -> bool:
    return jnp.issubdtype(dtype, jnp.inexact)


def _taken_apart(ctx: PyLayerContext) -> tuple[list, Callable]:
    """Return the arrays of a context, and a function that makes such a context from arrays."""
    state = ctx._state
    content = (state.kept, dict(ctx.__dict__))
    leaves: list[object]
    leaves, structure = jax.tree.flatten(content, is_leaf=_is_array)
    kept = [dispatch.raw(leaf) for leaf in leaves if _is_array(leaf)]
    others = [None if _is_array(leaf) else leaf for leaf in leaves]
    is_tensor = [isinstance(leaf, dispatch.Tensor) for leaf in leaves]
    is_array = [_is_array(leaf) for leaf in leaves]

    def rebuild(arrays: list) -> PyLayerContext:
        given = iter(arrays)
        pairs = zip(is_array, others, strict=True)
        values: list[Any] = [next(given) if is_one else other for is_one, other in pairs]
        values = [dispatch.wrap(v) if t else v for t, v in zip(is_tensor, values, strict=True)]
        made = PyLayerContext(state.layer_name, state.needs)
        made.materialize_grads = ctx.materialize_grads
        made.grad_in_dtype_consistent = ctx.grad_in_dtype_consistent
        made._state.kept, attributes = jax.tree.unflatten(structure, values)
        made.__dict__.update(attributes)
        return made

    return kept, rebuild


def _is_array(value) -> bool:
    return isinstance(value, (dispatch.Tensor, jax.Array))
