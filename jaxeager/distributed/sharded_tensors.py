"""Tensors that lie on a mesh of processes, of which there is one: it has them whole."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import jaxeager as paddle
from jaxeager.distributed.placements import Placement, ProcessMesh, Shard
from jaxeager.errors import InvalidArgumentError, UnavailableError
from jaxeager.nn.layer.layer import Layer
from jaxeager.tensor import Parameter, Tensor


def _check(mesh: ProcessMesh, placements: Sequence[Placement], ndim: int) -> None:
    """Raises for a mesh of other processes, and placements that a tensor cannot have.

    Raises:
        UnavailableError: for a mesh of several processes.
        InvalidArgumentError: for another number of placements than axes, and an axis that the
            tensor does not have.
    """
    if mesh.process_ids != [0]:
        raise UnavailableError(
            f"The mesh has the processes {mesh.process_ids}, and there is one, 0: tensors of "
            "several processes are not there. jax.sharding places arrays on several devices."
        )
    if len(placements) > mesh.ndim:
        raise InvalidArgumentError(
            f"A mesh of {mesh.ndim} axes takes as many placements, but received {placements}."
        )
    for each in placements:
        if isinstance(each, Shard) and not -ndim <= each.dim < ndim:
            raise InvalidArgumentError(f"A tensor of {ndim} axes cannot be placed by {each}.")


def shard_tensor(
    data: Any,
    mesh: ProcessMesh,
    placements: Sequence[Placement],
    dtype: Any = None,
    place: Any = None,
    stop_gradient: bool | None = None,
) -> Tensor:
    """Returns a new tensor that lies on a mesh: in this process, whole.

    Args:
        data: a tensor, a parameter, or what ``to_tensor`` takes.
        mesh: the processes: this one.
        placements: how it lies along each axis of the mesh.
        dtype: of the tensor; data's when None.
        place: where it is; the current device when None.
        stop_gradient: whether it wants no gradient; as data when None.

    Raises:
        UnavailableError: for a mesh of several processes.
        InvalidArgumentError: for placements that it cannot have.

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
        made = paddle.create_parameter(list(data.shape), dtype or data.dtype)
        assert made is not None
        made.set_value(data.detach().astype(made.dtype))
        found: Tensor = made
    else:
        value = data.detach().clone() if isinstance(data, Tensor) else data
        found = paddle.to_tensor(value, dtype, place)
    _check(mesh, placements, found.ndim)
    found.stop_gradient = stop_gradient
    return found


def dtensor_from_fn(
    fn: Callable[..., Tensor],
    mesh: ProcessMesh,
    placements: Sequence[Placement],
    *args: Any,
    **kwargs: Any,
) -> Tensor:
    """Returns what a function makes, on a mesh: in this process, whole.

    Args:
        fn: such as ``paddle.ones``.
        mesh: the processes: this one.
        placements: how the tensor lies along each axis of the mesh.
        args: what the function is called with.
        kwargs: the same, by name.

    Raises:
        UnavailableError: for a mesh of several processes.
        InvalidArgumentError: for placements that it cannot have.

    Example:
        >>> import jaxeager as paddle
        >>> mesh = paddle.distributed.ProcessMesh([0])
        >>> whole = [paddle.distributed.Replicate()]
        >>> paddle.distributed.dtensor_from_fn(paddle.ones, mesh, whole, [2]).tolist()
        [1.0, 1.0]
    """
    found = fn(*args, **kwargs)
    _check(mesh, placements, found.ndim)
    return found


def reshard(dist_tensor: Tensor, mesh: ProcessMesh, placements: Sequence[Placement]) -> Tensor:
    """Returns a tensor as it lies on another mesh: the same, whole in this process.

    Args:
        dist_tensor: the tensor.
        mesh: the processes: this one.
        placements: how it lies along each axis of the mesh.

    Raises:
        UnavailableError: for a mesh of several processes.
        InvalidArgumentError: for placements that it cannot have.

    Example:
        >>> import jaxeager as paddle
        >>> mesh = paddle.distributed.ProcessMesh([0])
        >>> whole = [paddle.distributed.Replicate()]
        >>> paddle.distributed.reshard(paddle.ones([1]), mesh, whole).tolist()
        [1.0]
    """
    _check(mesh, placements, dist_tensor.ndim)
    return paddle.assign(dist_tensor)


def unshard_dtensor(dist_tensor: Tensor) -> Tensor:
    """Returns a tensor that lies on no mesh; in one process it is the same.

    Args:
        dist_tensor: the tensor.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.distributed.unshard_dtensor(paddle.ones([1])).tolist()
        [1.0]
    """
    return paddle.assign(dist_tensor)


def shard_layer(
    layer: Layer,
    process_mesh: ProcessMesh,
    shard_fn: Callable[[str, Layer, ProcessMesh], None] | None = None,
    input_fn: Callable[[Any, ProcessMesh], Any] | None = None,
    output_fn: Callable[[Any, ProcessMesh], Any] | None = None,
) -> Layer:
    """Places the parameters of a layer on a mesh: they stay where they are, and it is returned.

    Args:
        layer: the layer.
        process_mesh: the processes: this one.
        shard_fn: called with the name of each layer in it, the layer, and the mesh.
        input_fn: called with the inputs of each call, and the mesh; returns the inputs.
        output_fn: called with the output of each call, and the mesh; returns the output.

    Raises:
        UnavailableError: for a mesh of several processes.

    Example:
        >>> import jaxeager as paddle
        >>> mesh, layer = paddle.distributed.ProcessMesh([0]), paddle.nn.Linear(2, 2)
        >>> paddle.distributed.shard_layer(layer, mesh) is layer
        True
    """
    _check(process_mesh, [], 0)
    if shard_fn is not None:
        for name, each in layer.named_sublayers(include_self=True):
            shard_fn(name, each, process_mesh)
    if input_fn is not None:
        layer.register_forward_pre_hook(lambda _, inputs: input_fn(inputs, process_mesh))
    if output_fn is not None:
        layer.register_forward_post_hook(lambda _, __, output: output_fn(output, process_mesh))
    return layer
