"""backward and grad: from tensors and their first gradients to the engine."""

from __future__ import annotations

import contextlib
from collections.abc import Sequence
from typing import TYPE_CHECKING

from jaxeager.arrays.as_array import beside, is_beside
from jaxeager.core import ports, user_lines
from jaxeager.errors import (
    AlreadyExistsError,
    InvalidArgumentError,
    InvalidTypeError,
    RefusedArgumentError,
    RefusedTypeError,
)
from jaxeager.graph import events, rows
from jaxeager.graph.constant_node import connect_to
from jaxeager.graph.engine import run_backward
from jaxeager.graph.events import notify
from jaxeager.graph.meta import AutogradMeta, Edge
from jaxeager.graph.mode import grad_mode, read_capture
from jaxeager.graph.node import gradient_edge
from jaxeager.graph.partial import UNREACHED, place_of, run_partial
from jaxeager.ops.call import dispatch
from jaxeager.ops.call.kernels import filled
from jaxeager.ops.call.observers import see

if TYPE_CHECKING:
    from typing import Any

    import jax

    from jaxeager.tensor.tensor import Tensor


def backward(
    tensors: Tensor | Sequence[Any],
    grad_tensors: Tensor | Sequence[Tensor | None] | None = None,
    retain_graph: bool = False,
    *,
    dump_backward_graph_path: str | None = None,
    create_graph: bool = False,
) -> None:
    """Add the gradients of several tensors to every leaf from which they were computed.

    When it fails, for any reason, every leaf's ``grad`` keeps its earlier value.

    Args:
        tensors: a Tensor or a list of them; those with stop_gradient are ignored.
        grad_tensors: their gradients to start from, each of its tensor's shape or None for ones;
            one on another device is moved to its tensor's device.
        retain_graph: keep the graph's saved tensors, so that backward can run again.
        dump_backward_graph_path: a folder, made if it does not exist. Three files whose names begin
            with the time are written there, also when backward raises: the graph of the passed
            gradients (``_backward_graph.dot``), its forward graph (``_ref_forward_graph.dot``) and
            the line where each node was recorded (``_call_stack.log``, with
            FLAGS_call_stack_level=3). With Graphviz installed, pictures too.
        create_graph: make the leaves' ``grad`` part of a graph, to be differentiated again; the
            graph is kept. (Paddle's backward has no such argument.)

    Raises:
        InvalidTypeError: for values that are not Tensors.
        InvalidArgumentError: for no or repeated tensors, another number of gradients, or a
            gradient of another shape than its tensor.
        FatalError: when the graph was run before without ``retain_graph``.
        PermissionDeniedError: when a saved tensor was changed in place since.
        OSError: when ``dump_backward_graph_path`` is a file, or cannot be made or written to.

    Example:
        >>> import jaxeager as paddle
        >>> x = paddle.to_tensor([1.0, 2.0], stop_gradient=False)
        >>> paddle.autograd.backward([x * 2, x * 3], [None, paddle.to_tensor([10.0, 0.0])])
        >>> x.grad.tolist()
        [32.0, 2.0]
    """
    if create_graph:
        pairs = checked_pairs(tensors, grad_tensors)
        roots = [(_edge(t), _seed_tensor(t, g)) for t, g in pairs if not t.stop_gradient]
        _refuse_outside(roots)
        with _dumping(dump_backward_graph_path):
            run_partial(roots, None, (), create_graph, True)
        return
    roots = roots_of(tensors, grad_tensors)
    if not roots:
        user_lines.warn(
            "backward() computes no gradients: stop_gradient of its tensor is True. Either no "
            "tensor that it was computed from has stop_gradient=False (parameters have; for others "
            "set x.stop_gradient = False), or it was computed under no_grad, or detached."
        )
    _refuse_outside(roots)
    with _dumping(dump_backward_graph_path):
        run_backward(roots, retain_graph)


def _refuse_outside(roots: Sequence[tuple], ends: Sequence = ()) -> None:
    """Raise in a captured function whose gradients would leave it for the surrounding graph."""
    capture = read_capture()
    if capture is not None:
        capture.check_roots([edge for edge, _ in roots], ends)


def checked_pairs(tensors: Tensor | Sequence[Tensor], grad_tensors) -> list[tuple]:
    """Return the pairs of a Tensor and its gradient or None for ``backward``.

    Raises:
        InvalidTypeError, InvalidArgumentError: as ``backward`` does.
    """
    tensors = _as_list(tensors, "tensors")
    see(tensors)
    if len({id(tensor) for tensor in tensors}) != len(tensors):
        raise RefusedArgumentError(
            "The argument 'tensors' of paddle.autograd.backward contains duplicate "
            "paddle.Tensor object."
        )
    grads = _as_grads(grad_tensors, len(tensors), "grad_tensors", "tensors")
    return list(zip(tensors, grads, strict=True))


def roots_of(tensors: Tensor | Sequence[Tensor], grad_tensors=None) -> list[tuple[Edge, jax.Array]]:
    """Return the roots of a backward from some tensors: pairs of an Edge and an array.

    Args:
        tensors, grad_tensors: as for ``backward``.

    Raises:
        InvalidTypeError, InvalidArgumentError: as ``backward`` does.
    """
    seeds = [(tensor, _seed(tensor, g)) for tensor, g in checked_pairs(tensors, grad_tensors)]
    return [
        (gradient_edge(tensor._meta, tensor._name), seed)
        for tensor, seed in seeds
        if not tensor.stop_gradient
    ]


def grad(
    outputs: Tensor | Sequence[Tensor],
    inputs: Tensor | Sequence[Tensor],
    grad_outputs: Tensor | Sequence[Tensor | None] | None = None,
    retain_graph: bool | None = None,
    create_graph: bool = False,
    only_inputs: bool = True,
    allow_unused: bool = False,
    no_grad_vars: Tensor | Sequence[Tensor] | set[Tensor] | None = None,
    *,
    dump_backward_graph_path: str | None = None,
) -> list[Tensor]:
    """Return the gradients of outputs with respect to inputs; no leaf's ``grad`` changes.

    Only the nodes between outputs and inputs run. Hooks of tensors in between run and can change
    the gradients; hooks of leaves do not run. The gradient of several outputs is their sum.

    Args:
        outputs: a Tensor or a list of them.
        inputs: a Tensor or a list of them, leaves or not; one may be an output, or be computed from
            another one.
        grad_outputs: a gradient per output to start from, of its shape or with as many elements
            (``[1]`` for a 0-D output), which are taken in order; None for ones. One on
            another device is moved to its output's device.
        retain_graph: accepted as in Paddle, where it makes no difference either: the graph is kept,
            and can be run again.
        create_graph: whether the results are part of a graph, so that they can be differentiated in
            turn, to any order. A result that does not depend on the inputs then has gradient zero.
        only_inputs: True; nothing else is supported.
        allow_unused: return None for an input that no output depends on, instead of an error.
        no_grad_vars: a Tensor, or a list, tuple or set of them, that gradients do not pass.
        dump_backward_graph_path: a folder for the graph that runs, see
            ``paddle.autograd.backward``. An input at which gradients stop is drawn as a leaf.

    Returns:
        a list with a Tensor per input: of its shape and dtype, with stop_gradient unless
        ``create_graph``.

    Raises:
        InvalidArgumentError: for an input no output depends on, another number of grad_outputs, or
            one with another number of elements than its output.
        RefusedTypeError, RefusedArgumentError: for outputs or inputs of None or [].
        AlreadyExistsError: when an output or input is given twice.
        InvalidTypeError: for values that are not Tensors.
        FatalError: when the graph was run and released before.
        PermissionDeniedError: when a saved tensor was changed in place since.

    Example:
        >>> import jaxeager as paddle
        >>> x = paddle.to_tensor([2.0], stop_gradient=False)
        >>> (first,) = paddle.grad(x**3, x, create_graph=True)
        >>> (second,) = paddle.grad(first, x)
        >>> first.item(), second.item()
        (12.0, 12.0)
    """
    _check_flags(
        retain_graph=False if retain_graph is None else retain_graph,
        create_graph=create_graph,
        only_inputs=only_inputs,
        allow_unused=allow_unused,
    )
    if not only_inputs:
        raise RefusedArgumentError(
            "only_inputs=False is not supported yet: call backward() for the gradients of all "
            "leaves."
        )
    outputs, inputs = _as_list(outputs, "outputs"), _as_list(inputs, "inputs")
    _check_unique(outputs, "outputs")
    _check_unique(inputs, "inputs")
    grads = _as_grads(grad_outputs, len(outputs), "grad_outputs", "outputs")
    seeds = [_seed_tensor(output, grad) for output, grad in zip(outputs, grads, strict=True)]
    see(outputs)
    see(inputs)
    roots = [(_edge(o), s) for o, s in zip(outputs, seeds, strict=True) if not o.stop_gradient]
    targets = [_recorded_edge(tensor) for tensor in inputs]
    cut = [e for tensor in _as_vars(no_grad_vars) if (e := _recorded_edge(tensor)) is not None]
    wanted = [target for target in targets if target is not None]
    _refuse_outside(roots, [*wanted, *cut])
    with _dumping(dump_backward_graph_path):
        found = iter(run_partial(roots, wanted, cut, create_graph))
    results = [UNREACHED if target is None else next(found) for target in targets]
    for position, result in enumerate(results):
        if result is UNREACHED and not allow_unused:
            raise InvalidArgumentError(
                f"The {position}-th input does not appear in the backward graph. Please check the "
                "input tensor or set allow_unused=True to get None result."
            )
    pairs = zip(results, inputs, strict=True)
    gradients: list[Any] = [_result(each, x._array.aval, wanted, create_graph) for each, x in pairs]
    if events.gradient_shown is not None:
        for target, tensor, result in zip(targets, gradients, results, strict=True):
            if tensor is not None and target is not None:
                notify(events.gradient_shown, *place_of(target), tensor, result)
    return gradients


def _result(result, aval, sources: list, create_graph: bool):
    """Return a gradient as a separate Tensor, with its place in the graph if there is one.

    An input that is reached, but has no gradient, has gradient zero.
    """
    if result is UNREACHED:
        return None
    if result is None:
        result = dispatch.wrap(filled(aval, 0))
    if not create_graph:
        return rows.as_gradient(rows.array_of(result), True)
    tensor = dispatch.wrap(result._array)
    if not result.stop_gradient:
        edge = _edge(result)
        tensor._meta = AutogradMeta(False, edge.node, edge.slot, edge.rank)
    elif grad_mode.enabled:
        connect_to(tensor, sources)
    tensor.stop_gradient = False
    return tensor


_NOTHING = contextlib.nullcontext()


def _dumping(folder):
    """Return the context that writes the next run into a folder; an empty one for None."""
    if folder is None:
        return _NOTHING
    return ports.dumping(folder)


# ---- arguments


def _edge(tensor) -> Edge:
    return gradient_edge(tensor._meta, tensor._name)


def _recorded_edge(tensor) -> Edge | None:
    """Return a tensor's edge; None for one that is not part of a graph.

    A tensor that began to stop gradients after it was used has one: edges stay as recorded.
    """
    meta = tensor._meta
    if meta is None or (meta.stop_gradient and meta.node is None):
        return None
    return _edge(tensor)


def _check_flags(**flags) -> None:
    for name, value in flags.items():
        if not isinstance(value, bool):
            choices = "None, True" if name == "retain_graph" else "True"
            raise RefusedTypeError(f"{name} must be {choices} or False, but got {value!r}.")


def _as_list(value, what: str) -> list:
    if value is None:
        raise RefusedTypeError(f"{what} should not be None; give a Tensor or a list of them.")
    tensors = [value] if isinstance(value, dispatch.Tensor) else value
    if not isinstance(tensors, (list, tuple)):
        raise RefusedTypeError(f"{what} must be Tensor or list of Tensor, but got {_kinds(value)}.")
    if not all(isinstance(t, dispatch.Tensor) for t in tensors):
        kind = "paddle.Tensor" if what == "tensors" else "Tensor"
        raise RefusedTypeError(f"Elements of {what} must be {kind}, but received {_kinds(value)}.")
    if not tensors:
        raise RefusedArgumentError(f"{what} cannot be empty.")
    return list(tensors)


def _as_grads(value, count: int, what: str, of: str) -> list:
    """Return one gradient or None for each of ``count`` tensors."""
    if value is None:
        return [None] * count
    grads = [value] if isinstance(value, dispatch.Tensor) else value
    is_list = isinstance(grads, (list, tuple))
    if not is_list or not all(g is None or isinstance(g, dispatch.Tensor) for g in grads):
        wanted = f"The type of {what.removesuffix('s')} must be paddle.Tensor or None"
        if what == "grad_outputs":
            wanted = f"{what} must be None, a Variable or a list containing None or Variables"
        raise RefusedTypeError(f"{wanted}, but received {_kinds(value)}.")
    if len(grads) != count:
        raise RefusedArgumentError(
            f"The length of {what} must be equal to {of}, but received {len(grads)} and {count}."
        )
    return list(grads)


def _as_vars(value) -> list:
    if value is None:
        return []
    tensors = [value] if isinstance(value, dispatch.Tensor) else value
    if not isinstance(tensors, (list, tuple, set)):
        raise RefusedTypeError(
            "no_grad_vars must be None, Tensor or list/tuple/set of Tensors, but received "
            f"{_kinds(value)}."
        )
    if not all(isinstance(each, dispatch.Tensor) for each in tensors):
        raise InvalidTypeError(f"no_grad_vars can only contains Tensor, but got {_kinds(value)}.")
    return list(tensors)


def _check_unique(tensors: list, what: str) -> None:
    seen: set[int] = set()
    for tensor in tensors:
        if id(tensor) in seen:
            raise AlreadyExistsError(
                f"{what} contain duplicate tensor {tensor.name}, please check {what} carefully."
            )
        seen.add(id(tensor))


def _kinds(value) -> str:
    if isinstance(value, (list, tuple, set)):
        return f"[{', '.join(type(item).__name__ for item in value)}]"
    return type(value).__name__


# ---- first gradients


def _seed(tensor, grad):
    """Return the gradient array that a root starts from."""
    array = tensor._array
    if grad is None:
        return filled(array.aval, 1)
    _check_count(tensor, grad)
    given = beside(grad._array, array)
    given = given if given.shape == array.shape else given.reshape(array.shape)
    return given if given.dtype == array.dtype else given.astype(array.dtype)


def _seed_tensor(tensor, grad) -> Any:
    """Return the gradient that a root starts from as a Tensor, the user's own if there is one."""
    if grad is None:
        return dispatch.wrap(filled(tensor._array.aval, 1))
    _check_count(tensor, grad)
    if grad._array.shape != tensor._array.shape:
        grad = grad.reshape(list(tensor._array.shape))
    if not is_beside(grad._array, tensor._array):
        grad = grad._put(tensor._array.sharding)
    same = grad._array.dtype == tensor._array.dtype
    return grad if same else dispatch.cast(grad, tensor._array.dtype)


def _check_count(tensor, grad) -> None:
    """Check that a seed has as many elements as its tensor: they are taken in order."""
    if grad._array.size != tensor._array.size:
        raise _other_shape(tensor, grad)


def check_shape(tensor, grad) -> None:
    """Check that the seed of ``Tensor.backward`` has the tensor's own shape, as Paddle does.

    Raises:
        RefusedArgumentError: when it has another one.
    """
    if isinstance(grad, dispatch.Tensor) and grad._array.shape != tensor._array.shape:
        raise _other_shape(tensor, grad)


def _other_shape(tensor, grad) -> RefusedArgumentError:
    return RefusedArgumentError(
        f"Tensor shape not match, Tensor of grad_tensor [ {grad.name} ] with shape "
        f"{list(grad._array.shape)} mismatch Tensor [ {tensor.name} ] with shape "
        f"{list(tensor._array.shape)}"
    )
