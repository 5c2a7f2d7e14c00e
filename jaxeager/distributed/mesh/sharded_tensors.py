"""Tensors on a mesh of devices, divided or whole: shard_tensor, reshard, shard_layer."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import jaxeager as paddle
from jaxeager.arrays.sharded import placed
from jaxeager.distributed.mesh.jax_shardings import Layout, jax_mesh, sharding_of
from jaxeager.distributed.mesh.local_tensors import local_part
from jaxeager.distributed.mesh.partial_tensors import layout_of_tensor
from jaxeager.distributed.mesh.placements import Placement, ProcessMesh, Replicate
from jaxeager.distributed.mesh.resharding import reshard as _reshard
from jaxeager.errors import InvalidTypeError
from jaxeager.graph.sharded_leaf import place_gradients, place_leaf
from jaxeager.nn.layer.layer import Layer
from jaxeager.tensor import Parameter, Tensor

if TYPE_CHECKING:
    from jax.sharding import Sharding

    from jaxeager.core.types import DTypeLike, PlaceLike, TensorLike


def shard_tensor(
    data: TensorLike,
    mesh: ProcessMesh,
    placements: Sequence[Placement],
    dtype: DTypeLike | None = None,
    place: PlaceLike | None = None,
    stop_gradient: bool | None = None,
) -> Tensor:
    """Return a new tensor that is placed on a mesh.

    A parameter stays a parameter, and its gradients get the same placement.

    Args:
        data: a tensor, a parameter, or an argument of ``to_tensor``: the whole of it, the same in
            each process.
        mesh: the devices.
        placements: the placement along each axis of the mesh; Replicate for missing ones.
        dtype: the dtype of the tensor; that of the data when None.
        place: the device on which ``data`` is assembled; the current one when None.
        stop_gradient: whether it requires no gradient; that of the data when None.

    Raises:
        UnavailableError: for a device that does not exist.
        InvalidArgumentError: for invalid placements.

    Paddle: an axis that cannot be divided evenly has a shorter last part. XLA has no such arrays.

    Example:
        >>> import jaxeager as paddle
        >>> mesh = paddle.distributed.ProcessMesh([0], dim_names=["x"])
        >>> shard = [paddle.distributed.Shard(0)]
        >>> paddle.distributed.shard_tensor([[1.0, 2.0]], mesh, shard).tolist()
        [[1.0, 2.0]]
    """
    if stop_gradient is None:
        stop_gradient = data.stop_gradient if isinstance(data, Tensor) else True
    if isinstance(data, Parameter):
        array = data._array if dtype is None else data.detach().astype(dtype)._array
        sharding = sharding_of(mesh, placements, array.shape)
        made = Parameter(placed(array, sharding), not stop_gradient, f"{data.name}.dist")
        made.optimize_attr, made.regularizer = data.optimize_attr, data.regularizer
        made.need_clip, made.do_model_average = data.need_clip, data.do_model_average
        made.is_distributed = data.is_distributed
        place_gradients(made, sharding)
        return made
    value = data.detach().clone() if isinstance(data, Tensor) else data
    found = paddle.to_tensor(value, dtype, place)
    name, found = found.name, _reshard(found, Layout(mesh, tuple(placements)))
    found.stop_gradient = stop_gradient
    found.name = name
    place_gradients(found, _gradient_sharding(found))
    return found


def _gradient_sharding(tensor: Tensor) -> Sharding:
    """Return the sharding of a tensor's gradient: that of the tensor, whole for a Partial one."""
    return tensor._array.sharding


def dtensor_from_fn(
    fn: Callable[..., Tensor],
    mesh: ProcessMesh,
    placements: Sequence[Placement],
    *args: Any,
    **kwargs: Any,
) -> Tensor:
    """Return the result of a function, placed on a mesh.

    Args:
        fn: the function, such as ``paddle.ones``.
        mesh: the devices.
        placements: the placement along each axis of the mesh.
        args: the arguments of the function.
        kwargs: its keyword arguments.

    Raises:
        UnavailableError: for a device that does not exist.
        InvalidArgumentError: for invalid placements.

    Example:
        >>> import jaxeager as paddle
        >>> mesh = paddle.distributed.ProcessMesh([0])
        >>> whole = [paddle.distributed.Replicate()]
        >>> paddle.distributed.dtensor_from_fn(paddle.ones, mesh, whole, [2]).tolist()
        [1.0, 1.0]
    """
    made = fn(*args, **kwargs)
    if isinstance(made, Parameter):
        return shard_tensor(made, mesh, placements)
    found = _reshard(made.detach(), Layout(mesh, tuple(placements)))
    found.stop_gradient = made.stop_gradient
    place_gradients(found, _gradient_sharding(found))
    return found


def reshard(dist_tensor: Tensor, mesh: ProcessMesh, placements: Sequence[Placement]) -> Tensor:
    """Return a tensor with other placements, on this mesh or another.

    A Partial tensor is reduced, in one all-reduce or reduce-scatter, or keeps its parts. Its
    gradient returns to the original placement.

    Args:
        dist_tensor: the tensor.
        mesh: the devices.
        placements: the placement along each axis of the mesh.

    Raises:
        UnavailableError: for a device that does not exist.
        InvalidArgumentError: for invalid placements.

    Example:
        >>> import jaxeager as paddle
        >>> mesh = paddle.distributed.ProcessMesh([0])
        >>> whole = [paddle.distributed.Replicate()]
        >>> paddle.distributed.reshard(paddle.ones([1]), mesh, whole).tolist()
        [1.0]
    """
    if not isinstance(dist_tensor, Tensor):
        raise InvalidTypeError(
            f"reshard takes a Tensor, but received {type(dist_tensor).__name__}."
        )
    return _reshard(dist_tensor, Layout(mesh, tuple(placements)))


def unshard_dtensor(dist_tensor: Tensor) -> Tensor:
    """Return a tensor whole, on one device: the first of its mesh that belongs to this process.

    Its gradient returns to the original placement.

    Args:
        dist_tensor: the tensor; a tensor on a single device is copied.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.distributed.unshard_dtensor(paddle.ones([1])).tolist()
        [1.0]
    """
    layout = layout_of_tensor(dist_tensor)
    if layout is None:
        return paddle.assign(dist_tensor)
    whole = _reshard(dist_tensor, Layout(layout.mesh, (Replicate(),) * layout.mesh.ndim))
    return local_part(whole, None)


def shard_layer(
    layer: Layer,
    process_mesh: ProcessMesh,
    shard_fn: Callable[[str, Layer, ProcessMesh], None] | None = None,
    input_fn: Callable[[Any, ProcessMesh], Any] | None = None,
    output_fn: Callable[[Any, ProcessMesh], Any] | None = None,
) -> Layer:
    """Place the parameters and buffers of a layer on a mesh, and return the layer.

    They remain the same objects, so an optimizer that has them continues to work; their gradients
    get the same placements. Those that ``shard_fn`` has not placed are whole on each device.

    Args:
        layer: the layer.
        process_mesh: the devices.
        shard_fn: called with the name of each sublayer, the sublayer, and the mesh; it may assign
            ``shard_tensor(layer.weight, ...)`` to the layer, or call ``place`` on its tensors.
        input_fn: called with the inputs of each call, and the mesh; returns them, in a list.
        output_fn: called with the output of each call, and the mesh; returns the output.

    Raises:
        UnavailableError: for a device that does not exist.

    Example:
        >>> import jaxeager as paddle
        >>> mesh, layer = paddle.distributed.ProcessMesh([0]), paddle.nn.Linear(2, 2)
        >>> paddle.distributed.shard_layer(layer, mesh) is layer
        True
    """
    jax_mesh(process_mesh)
    if shard_fn is not None:
        for name, each in layer.named_sublayers(include_self=True):
            shard_fn(name, each, process_mesh)
    for tensor in [*layer.parameters(), *layer.buffers()]:
        if layout_of_tensor(tensor) is None:
            place(tensor, process_mesh, [])
    if input_fn is not None:
        layer.register_forward_pre_hook(lambda _, inputs: _many(input_fn(inputs, process_mesh)))
    if output_fn is not None:
        layer.register_forward_post_hook(lambda _, __, output: output_fn(output, process_mesh))
    return layer


def _many(inputs: object) -> object:
    """Return the inputs of a call as the tuple that a hook returns."""
    return tuple(inputs) if isinstance(inputs, list) else inputs


def place(tensor: Tensor, mesh: ProcessMesh, placements: Sequence[Placement]) -> Tensor:
    """Place a tensor on a mesh, in place: the same object is there now.

    The gradients of a leaf get the same placement. No op is recorded: use it for parameters and
    buffers.

    Args:
        tensor: the tensor.
        mesh: the devices.
        placements: the placement along each axis of the mesh; Replicate for missing ones.

    Raises:
        UnavailableError: for a device that does not exist.
        InvalidArgumentError: for invalid placements.

    Returns:
        the tensor itself.

    Example:
        >>> import jaxeager as paddle
        >>> from jaxeager.distributed.mesh.sharded_tensors import place
        >>> mesh, layer = paddle.distributed.ProcessMesh([0]), paddle.nn.Linear(2, 2)
        >>> place(layer.weight, mesh, [paddle.distributed.Shard(1)]).placements
        [Shard(dim=1)]
    """
    array = tensor._array
    place_leaf(tensor, placed(array, sharding_of(mesh, placements, array.shape)))
    return tensor
