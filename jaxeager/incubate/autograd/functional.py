"""vjp and jvp: derivatives of a function at a point, in a direction."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from typing import TYPE_CHECKING

import jaxeager as paddle
from jaxeager.autograd.derivative_rows import derivatives, zeros_of
from jaxeager.errors import InvalidTypeError, PreconditionNotMetError
from jaxeager.graph.mode import enable_grad, inference_mode, is_grad_enabled
from jaxeager.incubate.autograd.forward_mode import push_forward

if TYPE_CHECKING:
    from collections.abc import Sequence

    from jaxeager.tensor.tensor import Tensor


def vjp(
    func: Callable, xs: Tensor | Sequence[Tensor], v: Tensor | Sequence[Tensor] | None = None
) -> tuple:
    """Return a function's outputs, and their gradient by its arguments, weighted with v.

    Args:
        func: takes the xs, each as a separate argument; returns a Tensor or a list of them.
        xs: a Tensor or a list of them.
        v: a Tensor per output, of its shape: the initial gradient; ones when None.

    Returns:
        the outputs, and the gradient by each of xs: a Tensor for a Tensor, a tuple for a list;
        zeros where the outputs do not depend on it. Both can be differentiated further.

    Raises:
        InvalidTypeError: if func is not callable, or xs, v or outputs are not Tensors.
        PreconditionNotMetError: when v does not have the number and shapes of the outputs.

    Paddle: under ``no_grad`` it returns zeros. Here the gradient is correct, and only it and the
    outputs stop gradients.

    Example:
        >>> import jaxeager as paddle
        >>> x = paddle.to_tensor([1.0, 2.0])
        >>> y, gradient = paddle.incubate.autograd.vjp(lambda x: (x * x).sum(), x)
        >>> y.item(), gradient.tolist()
        (5.0, [2.0, 4.0])
    """
    _check(func, xs, v)
    with _recording() as finish:
        inputs = separate(xs)
        ys, outputs = call(func, xs, inputs)
        seeds = None if v is None else _as_list(v)
        _check_shapes(seeds, outputs)
        wanted = [tensor for tensor in outputs if not tensor.stop_gradient]
        if seeds is not None:
            pairs = zip(seeds, outputs, strict=True)
            seeds = [seed for seed, tensor in pairs if not tensor.stop_gradient]
        grads = derivatives(wanted, inputs, seeds) if wanted else [zeros_of(x) for x in inputs]
    return finish(ys), finish(tuple(grads) if _is_list(xs) else grads[0])


def jvp(
    func: Callable, xs: Tensor | Sequence[Tensor], v: Tensor | Sequence[Tensor] | None = None
) -> tuple:
    """Return a function's outputs, and their derivative when its arguments move along v.

    Forward mode: besides the function it costs one kernel per op on the path, whatever the sizes.

    Args:
        func: takes the xs, each as a separate argument; returns a Tensor or a list of them.
        xs: a Tensor or a list of them.
        v: a Tensor per element of xs, of its shape: the direction; ones when None.

    Returns:
        the outputs, and the derivative of each: a Tensor for a Tensor, a tuple for a list; zeros
        where an output does not depend on the xs. Both can be differentiated further.

    Raises:
        InvalidTypeError: if func is not callable, or xs, v or outputs are not Tensors.
        PreconditionNotMetError: when v does not have the number and shapes of xs.

    Paddle: it runs two backwards instead, and returns zeros under ``no_grad``. Here the derivative
    is correct, and only it and the outputs stop gradients.

    Example:
        >>> import jaxeager as paddle
        >>> x = paddle.to_tensor([1.0, 2.0])
        >>> v = paddle.to_tensor([1.0, 0.5])
        >>> y, change = paddle.incubate.autograd.jvp(lambda x: x * x, x, v)
        >>> y.tolist(), change.tolist()
        ([1.0, 4.0], [2.0, 2.0])
    """
    _check(func, xs, v)
    points = _as_list(xs)
    directions = None if v is None else _as_list(v)
    _check_shapes(directions, points)
    with _recording() as finish:
        inputs = separate(xs)
        ys, outputs = call(func, xs, inputs)
        if directions is None:
            tangents = [paddle.ones_like(x) for x in points]
        else:
            tangents = [t.astype(x.dtype) for t, x in zip(directions, points, strict=True)]
        found = push_forward(outputs, inputs, tangents)
        changes = [
            zeros_of(y) if change is None else change
            for y, change in zip(outputs, found, strict=True)
        ]
    return finish(ys), finish(tuple(changes) if _is_list(ys) else changes[0])


@contextlib.contextmanager
def _recording():
    """Record inside, whatever the mode; yield a function that results pass through at the end."""
    detaches = not is_grad_enabled()

    def finish(tensors):
        if not detaches:
            return tensors
        if _is_list(tensors):
            return type(tensors)([tensor.detach() for tensor in tensors])
        return tensors.detach()

    with inference_mode(False), enable_grad():
        yield finish


def separate(xs) -> list:
    """Return tensors of the same values that require gradients, downstream of xs in the graph.

    So a path from one of xs to another one, outside of the function, does not count.
    """
    separated = []
    for x in _as_list(xs):
        inner = x.detach() if x.stop_gradient else paddle.assign(x)
        inner.stop_gradient = False
        separated.append(inner)
    return separated


def call(func: Callable, xs, inputs: list) -> tuple:
    """Return the function's result on the inputs, and the same as a list.

    Raises:
        InvalidTypeError: when the result is anything but Tensors.
    """
    ys = func(*inputs) if _is_list(xs) else func(inputs[0])
    outputs = _as_list(ys)
    if not outputs or not all(isinstance(y, paddle.Tensor) for y in outputs):
        raise InvalidTypeError(
            "The function must return a Tensor or a list or tuple of Tensors, but it returned "
            f"{_kinds(ys)}."
        )
    return ys, outputs


def _check(func, xs, v) -> None:
    if not callable(func):
        raise InvalidTypeError(f"Expected 'fun' is Callable, but got {type(func)}.")
    check_tensors("xs", xs)
    if v is not None:
        check_tensors("v", v)


def check_tensors(name: str, value) -> None:
    """Raise InvalidTypeError when an argument is neither a Tensor nor a list of them."""
    tensors = _as_list(value)
    if not tensors or not all(isinstance(each, paddle.Tensor) for each in tensors):
        raise InvalidTypeError(
            f"Expected {name!r} is a Tensor or a list or tuple of Tensors, but got {_kinds(value)}."
        )


def _check_shapes(given: list | None, wanted: list) -> None:
    """Raise when the tensors of v do not match their counterparts."""
    if given is None:
        return
    if len(given) != len(wanted):
        raise PreconditionNotMetError(
            f"The argument v is a tuple of invalid length: should be {len(wanted)} but got "
            f"{len(given)}."
        )
    for place, (tensor, reference) in enumerate(zip(given, wanted, strict=True)):
        if tensor.shape != reference.shape:
            raise PreconditionNotMetError(
                f"The v[{place}] has invalid shape: should be {list(reference.shape)} but got "
                f"{list(tensor.shape)}."
            )


def _is_list(value) -> bool:
    return isinstance(value, (list, tuple))


def _as_list(value) -> list:
    return list(value) if _is_list(value) else [value]


def _kinds(value) -> str:
    if _is_list(value):
        return f"[{', '.join(type(each).__name__ for each in value)}]"
    return type(value).__name__
