"""backward: from tensors and their first gradients to the engine."""

from jaxeager.errors import InvalidArgumentError, InvalidTypeError
from jaxeager.graph.engine import run_backward
from jaxeager.graph.meta import gradient_edge
from jaxeager.ops import dispatch
from jaxeager.ops.kernels import filled


def backward(tensors, grad_tensors=None, retain_graph: bool = False) -> None:
    """Adds the gradients of several tensors to every leaf they were computed from.

    Args:
        tensors: a Tensor or a list of them; those with stop_gradient are passed over.
        grad_tensors: their gradients to start from, each of its tensor's shape or None for ones.
        retain_graph: keep the graph's saved tensors, so that backward can run again.

    Raises:
        InvalidTypeError: for things that are not Tensors.
        InvalidArgumentError: for no or repeated tensors, another number of gradients, or a
            gradient of another shape than its tensor.
        FatalError: when the graph was run before without ``retain_graph``.
        PermissionDeniedError: when a saved tensor was changed in place since.

    Example:
        >>> import jaxeager as paddle
        >>> x = paddle.to_tensor([1.0, 2.0], stop_gradient=False)
        >>> paddle.autograd.backward([x * 2, x * 3], [None, paddle.to_tensor([10.0, 0.0])])
        >>> x.grad.tolist()
        [32.0, 2.0]
    """
    tensors = _as_list(tensors, "tensors")
    if len({id(tensor) for tensor in tensors}) != len(tensors):
        raise InvalidArgumentError(
            "The argument 'tensors' of paddle.autograd.backward contains duplicate "
            "paddle.Tensor object."
        )
    grads = [None] * len(tensors) if grad_tensors is None else _as_grads(grad_tensors)
    if len(grads) != len(tensors):
        raise InvalidArgumentError(
            f"The length of grad_tensors must be equal to tensors, but received {len(grads)} "
            f"and {len(tensors)}."
        )
    seeds = [_seed(tensor, grad) for tensor, grad in zip(tensors, grads, strict=True)]
    roots = [
        (gradient_edge(tensor._meta, tensor._name), seed)
        for tensor, seed in zip(tensors, seeds, strict=True)
        if not tensor.stop_gradient
    ]
    run_backward(roots, retain_graph)


def _as_list(value, what: str) -> list:
    tensors = [value] if isinstance(value, dispatch.Tensor) else value
    if not isinstance(tensors, (list, tuple)) or not all(
        isinstance(t, dispatch.Tensor) for t in tensors
    ):
        raise InvalidTypeError(
            f"Elements of {what} must be paddle.Tensor, but received {_kinds(value)}."
        )
    if not tensors:
        raise InvalidArgumentError(f"{what} cannot be empty.")
    return list(tensors)


def _as_grads(value) -> list:
    grads = [value] if isinstance(value, dispatch.Tensor) else value
    is_list = isinstance(grads, (list, tuple))
    if not is_list or not all(g is None or isinstance(g, dispatch.Tensor) for g in grads):
        raise InvalidTypeError(
            f"The type of grad_tensor must be paddle.Tensor or None, but received {_kinds(value)}."
        )
    return list(grads)


def _kinds(value) -> str:
    if isinstance(value, (list, tuple)):
        return f"[{', '.join(type(item).__name__ for item in value)}]"
    return type(value).__name__


def _seed(tensor, grad):
    """Returns the gradient array a root starts from."""
    array = tensor._storage.array
    if grad is None:
        return filled(array.aval, 1)
    given = grad._storage.array
    if given.shape != array.shape:
        raise InvalidArgumentError(
            f"Tensor shape not match, Tensor of grad_tensor [ {grad.name} ] with shape "
            f"{list(given.shape)} mismatch Tensor [ {tensor.name} ] with shape {list(array.shape)}"
        )
    return given if given.dtype == array.dtype else given.astype(array.dtype)
