"""Recording a PyLayer's call: its node, and the Tensors that become its outputs."""

import functools

from jaxeager.autograd.py_layer_call import PyLayerCall, Slot, map_outputs
from jaxeager.autograd.py_layer_context import PyLayerContext, seal_context
from jaxeager.errors import InvalidArgumentError
from jaxeager.graph.meta import AutogradMeta
from jaxeager.graph.node import GradNode
from jaxeager.graph.pylayer import GradNodePyLayer, PyLayerOp
from jaxeager.graph.views.shared_writes import assign, write_shared
from jaxeager.ops.call import dispatch


@functools.cache
def _op_named(class_name: str) -> PyLayerOp:
    return PyLayerOp(class_name)


def new_node(layer: type, inputs: list[Slot]) -> GradNodePyLayer:
    """Make the node of a call, before forward can change the edges of its inputs."""
    tensors = [tensor for slot in inputs for tensor in slot.tensors]
    node = GradNodePyLayer()
    node.op = _op_named(layer.__name__)
    node.edges = tuple([dispatch.edge_of(tensor) for tensor in tensors])
    node.mask = tuple([edge is not None for edge in node.edges])
    node.ranks = tuple([len(slot.tensors) if slot.is_list else None for slot in inputs])
    node.in_avals = tuple([(tensor._array.shape, tensor._array.dtype) for tensor in tensors])
    return node


def finish_node(node, call: PyLayerCall, outputs: "Outputs") -> None:
    """Make the output Tensors of a call outputs of its node."""
    node.call = call
    node.width = len(outputs.tensors)
    node.out_avals = tuple([tensor._array.aval for tensor in outputs.tensors])
    stopped = {id(tensor) for tensor in call.context.non_differentiable}
    for position, tensor in enumerate(outputs.tensors):
        if id(tensor) in outputs.inputs:
            _rebind(tensor, node, position)
        else:
            dispatch.attach(tensor, node, position, 0)
        if id(outputs.returned[position]) in stopped:
            tensor._meta.stop_gradient = True
    places = {id(tensor): position for position, tensor in enumerate(outputs.tensors)}
    for position, tensor in reversed(list(enumerate(outputs.returned))):
        places[id(tensor)] = position
    seal_context(call.context, node, lambda tensor: places.get(id(tensor)))


def _rebind(tensor, node, position: int) -> None:
    """Make an input that was written in place an output; views of it follow."""
    storage = tensor._storage
    meta = AutogradMeta(False, node, position, 0)
    if storage.sharers is None:
        assign(tensor, tensor._array, meta)
    else:
        write_shared(tensor, tensor._array, meta, True)
    storage.version += 1


class Outputs:
    """The Tensors that forward returned, and the corresponding Tensors of ``apply``.

    They are the same, unless becoming an output would destroy the user's Tensor: the same Tensor
    returned twice, an input marked as not in-place, or a Tensor with its own history. Then another
    Tensor of the same memory is returned.

    Attributes:
        inputs: the input Tensors, by ``id``.
        returned: the Tensors that forward returned, flat.
        tensors: the outputs.
    """

    def __init__(self, layer: type, ctx: PyLayerContext, inputs: list[Slot], is_recorded: bool):
        self.layer_name = layer.__name__
        self.is_recorded = is_recorded
        self.not_inplace = {id(tensor) for tensor in ctx.not_inplace_tensors}
        self.inputs = {id(tensor): tensor for slot in inputs for tensor in slot.tensors}
        self.returned: list = []
        self.tensors: list = []

    def own(self, result):
        """Return the result of ``apply`` for a result of forward.

        Raises:
            InvalidArgumentError: when there is no Tensor, or a leaf that may not be written.
        """
        owned = map_outputs(self._own_tensor, result)
        check_has_output(self.layer_name, result, self.tensors)
        return owned

    def _own_tensor(self, value):
        tensor = value.detach() if self._is_taken(value) else value
        self.returned.append(value)
        self.tensors.append(tensor)
        return tensor

    def _is_taken(self, tensor) -> bool:
        """Return whether a Tensor may not itself become an output."""
        if id(tensor) in self.not_inplace:
            return True
        if not self.is_recorded:
            return False
        if any(tensor is each for each in self.returned):
            return True
        meta = tensor._meta
        if meta is None:
            return False
        if id(tensor) not in self.inputs:
            return not (meta.stop_gradient and meta.is_leaf())
        try:
            dispatch.check_inplace(tensor, f"{self.layer_name} : Leaf Var")
        except InvalidArgumentError as error:
            raise InvalidArgumentError(
                f"{error.message} `PyLayer.forward` returned this input, which means that it was "
                "written in place; call ctx.mark_not_inplace on it, or return a copy."
            ) from None
        return False


def check_has_output(layer_name: str, result, tensors: list) -> None:
    """Raise when the result of forward contains no Tensor."""
    if tensors:
        return
    kind = type(result).__name__
    if isinstance(result, (list, tuple)):
        kind = f"{kind} of {[type(each).__name__ for each in result]}"
    raise InvalidArgumentError(
        f"{layer_name} : At least one output of `PyLayer.forward` is a `Tensor`. "
        f"It returned {kind}; return a Tensor, or a tuple or list with one."
    )


# ---- once_differentiable


class _OnceOp:
    """The op of a GradNode whose gradients cannot be differentiated again."""

    returns_list = False

    def __init__(self, node):
        self.layer_node_name = node.name()
        self.grad_name = f"{self.layer_node_name}_OnceDifferentiable"
        self.avals = node.in_avals

    def run_vjp(self, node, grads: list):
        """Raise the error of ``once_differentiable``."""
        raise InvalidArgumentError(
            f"{self.layer_node_name}'s backward function is decorated with once_differentiable, so "
            "its gradients cannot be differentiated again. Take the decorator off, and compute "
            "them with ops that are recorded."
        )

    record_vjp = run_vjp

    def input_avals(self, node) -> tuple:
        """Return (shape, dtype) of the PyLayer's inputs."""
        return self.avals


def refuse_gradient(tensor, layer_node):
    """Return a Tensor of the same value that depends in an unknown way on a PyLayer's inputs."""
    node = GradNode()
    node.op = _OnceOp(layer_node)
    node.edges, node.mask, node.ranks = layer_node.edges, layer_node.mask, layer_node.ranks
    node.width, node.out_avals = 1, (tensor._array.aval,)
    refused = dispatch.wrap(tensor._array)
    dispatch.attach(refused, node, 0, 0)
    return refused
