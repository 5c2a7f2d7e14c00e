"""weight_norm: computes a weight from its direction and its length before each call."""

import jaxeager as paddle
from jaxeager.errors import (
    AlreadyExistsError,
    InvalidArgumentError,
    RefusedArgumentError,
    UnknownNameError,
)
from jaxeager.graph.views.shared_writes import write_array
from jaxeager.nn import functional as F
from jaxeager.nn.layer.layer import Layer

WHOLE = -1  # one length for the whole weight


class WeightNorm:
    """The forward pre-hook that computes ``name`` from ``name_g`` and ``name_v``.

    Attributes:
        name: the parameter's name.
        dim: the dimension whose slices each have a length; -1 for the whole weight.
    """

    def __init__(self, name: str, dim: int):
        self.name, self.dim = name, dim

    def __call__(self, layer, inputs) -> None:
        setattr(layer, self.name, self.compute_weight(layer))

    def compute_weight(self, layer):
        """Return the direction, scaled to the length."""
        direction, length = getattr(layer, f"{self.name}_v"), getattr(layer, f"{self.name}_g")
        if self.dim == WHOLE:
            square = paddle.sum(paddle.square(direction))
            return direction / (paddle.sqrt(square) + 1e-12) * length
        unit = _by_slices(direction, self.dim, lambda rows, axis: F.normalize(rows, axis=axis))
        if direction.ndim > 1:
            shape = [1] * direction.ndim
            shape[self.dim] = -1
            length = length.reshape(shape)
        return unit * length


def _by_slices(weight, dim: int, function):
    """Apply a function of (matrix, axis) along the slices of a weight; keep the shape."""
    shape = weight.shape
    if dim == weight.ndim - 1 and dim > 0:
        return function(weight.reshape([-1, shape[-1]]), 0).reshape(shape)
    if dim == 0:
        return function(weight.reshape([shape[0], -1]), 1).reshape(shape)
    order = list(range(weight.ndim))
    order[0], order[dim] = dim, 0
    moved = weight.transpose(order)
    rows = function(moved.reshape([moved.shape[0], -1]), 1)
    return rows.reshape(moved.shape).transpose(order)


def _lengths(weight, dim: int):
    """Return the length of each slice, or of the whole weight."""
    if dim == WHOLE:
        return paddle.sqrt(paddle.sum(paddle.square(weight)) + 1e-12)
    others = [axis for axis in range(weight.ndim) if axis != dim]
    square = paddle.square(weight)
    return paddle.sqrt((square.sum(others) if others else square) + 1e-12)


def weight_norm(layer: Layer, name: str = "weight", dim: int | None = 0) -> Layer:
    """Split a layer's weight into a direction and a length, which are trained instead of it.

    The layer gets parameters ``name_v`` (the direction, any length) and ``name_g`` (the length of
    each slice). Before each call, ``name`` is computed from them.

    Args:
        layer: the layer.
        name: name of the parameter.
        dim: the dimension whose slices each have a length; None or -1 for one length of the whole
            weight.

    Returns:
        The layer.

    Raises:
        AlreadyExistsError: if that parameter is split already.
        InvalidArgumentError: if there is no such parameter, or the parameter has no such dimension.

    Example:
        >>> import jaxeager as paddle
        >>> layer = paddle.nn.utils.weight_norm(paddle.nn.Linear(3, 2), dim=1)
        >>> {name: value.shape for name, value in layer.state_dict().items()}
        {'bias': paddle.Size([2]), 'weight_v': paddle.Size([3, 2]), 'weight_g': paddle.Size([2])}
    """
    if find_hook(layer, WeightNorm, name) is not None:
        raise AlreadyExistsError(
            f"Cannot register two weight_norm hooks on the same parameter {name}"
        )
    weight = parameter_named(layer, name)
    dim = WHOLE if dim is None else dim
    if not -weight.ndim <= dim < weight.ndim:
        raise RefusedArgumentError(
            "dim must set between [-R, R), R means the dimension of weight. R is "
            f"{weight.ndim}, dim is {dim}."
        )
    if dim != WHOLE:
        dim %= weight.ndim
    with paddle.no_grad():
        lengths = _lengths(weight, dim)
    del layer._parameters[name]
    _add(layer, f"{name}_v", weight)
    _add(layer, f"{name}_g", lengths)
    hook = WeightNorm(name, dim)
    hook(layer, ())
    layer.register_forward_pre_hook(hook)
    return layer


def remove_weight_norm(layer: Layer, name: str = "weight") -> Layer:
    """Merge a split weight into one parameter again, with its current values.

    Args:
        layer: the layer.
        name: name of the parameter.

    Returns:
        The layer.

    Raises:
        InvalidArgumentError: if that parameter is not split.

    Example:
        >>> import jaxeager as paddle
        >>> layer = paddle.nn.utils.weight_norm(paddle.nn.Linear(3, 2))
        >>> list(paddle.nn.utils.remove_weight_norm(layer).state_dict())
        ['bias', 'weight']
    """
    number = find_hook(layer, WeightNorm, name)
    if number is None:
        raise InvalidArgumentError(f"weight_norm of '{name}' not found in {layer}")
    with paddle.no_grad():
        weight = layer._forward_pre_hooks[number].hook.compute_weight(layer)
    delattr(layer, name)
    del layer._parameters[f"{name}_g"], layer._parameters[f"{name}_v"]
    _add(layer, name, weight)
    del layer._forward_pre_hooks[number]
    return layer


def _add(layer, name: str, values) -> None:
    """Add a parameter with a copy of these values to a layer."""
    parameter = layer.create_parameter(values.shape, dtype=values.dtype)
    layer.add_parameter(name, parameter)
    write_array(parameter, values.clone()._array, moves_version=True)


def find_hook(layer, kind: type, name: str):
    """Return the key of a layer's pre-hook of a kind for a parameter, or None."""
    for number, entry in layer._forward_pre_hooks.items():
        if isinstance(entry.hook, kind) and entry.hook.name == name:
            return number
    return None


def parameter_named(layer, name: str):
    """Return a layer's parameter.

    Raises:
        UnknownNameError: if there is none of that name.
    """
    parameter = layer._parameters.get(name)
    if parameter is None:
        raise UnknownNameError(
            f"{name!r} is not a parameter of {layer}: it has {list(layer._parameters)}."
        )
    return parameter
