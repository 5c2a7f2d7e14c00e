"""shard_optimizer: placements of an optimizer's state, gradients and parameters (ZeRO 1 to 3).

Note [ZeRO as placements]
    The three stages are three sets of placements along the data axis of the mesh: stage 1 divides
    the accumulators and master weights, stage 2 also the gradients, stage 3 also the parameters.
    Nothing else changes: the step is one XLA program over arrays with these placements, from which
    XLA derives what to gather or reduce.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, TypeVar

from jaxeager.arrays.sharded import placed
from jaxeager.distributed.mesh.jax_shardings import sharding_of
from jaxeager.distributed.mesh.partial_tensors import layout_of_tensor
from jaxeager.distributed.mesh.placements import Placement, ProcessMesh, Shard, get_mesh
from jaxeager.distributed.mesh.sharded_tensors import place
from jaxeager.errors import InvalidArgumentError, InvalidTypeError, UnimplementedError
from jaxeager.graph.sharded_leaf import place_gradients
from jaxeager.optimizer import Optimizer
from jaxeager.tensor import Tensor

if TYPE_CHECKING:
    pass


class ShardingStage:
    """The common part of the stages of ZeRO: the axis of the mesh along which tensors are divided.

    Args:
        sharding_mesh_dim: the name or the number of the axis.
        mesh: the mesh for parameters that are not on one; that of ``set_mesh`` when None.
    """

    divides_gradients = False
    divides_parameters = False

    def __init__(self, sharding_mesh_dim: int | str, mesh: ProcessMesh | None = None):
        self._sharding_mesh_dim = sharding_mesh_dim
        self._mesh = mesh

    def _axis(self, mesh: ProcessMesh) -> int:
        dim = self._sharding_mesh_dim
        if isinstance(dim, int) and -mesh.ndim <= dim < mesh.ndim:
            return dim % mesh.ndim
        if dim not in mesh.dim_names:
            raise InvalidArgumentError(
                f"The mesh has the axes {mesh.dim_names}, but sharding_mesh_dim is {dim!r}."
            )
        return mesh.dim_names.index(dim)

    def divided(self, param: Tensor) -> list[Placement]:
        """Return the placements of a parameter, additionally divided along the axis.

        The axis divides the first dimension of the parameter that is not yet divided and has equal
        parts; else one that is divided already; a parameter without such a dimension stays whole.
        """
        layout = layout_of_tensor(param)
        assert layout is not None
        placements, axis = list(layout.placements), self._axis(layout.mesh)
        if placements[axis].is_shard():
            return placements
        parts = [1] * param.ndim
        for each, size in zip(placements, layout.mesh.shape, strict=True):
            if isinstance(each, Shard):
                parts[each.dim] *= size
        count = layout.mesh.shape[axis]
        fitting = [
            dim for dim, size in enumerate(param.shape) if size and size % (parts[dim] * count) == 0
        ]
        fitting.sort(key=lambda dim: parts[dim] > 1)
        if fitting:
            placements = [
                Shard(each.dim) if isinstance(each, Shard) and each.dim == fitting[0] else each
                for each in placements
            ]
            placements[axis] = Shard(fitting[0])
        return placements

    def prepare(self, param: Tensor) -> None:
        """Place a parameter, and set the placement of its gradients."""
        if layout_of_tensor(param) is None:
            mesh = self._mesh or get_mesh()
            if mesh is None:
                raise InvalidArgumentError(
                    f"The parameter {param.name} is not on a mesh. Give {type(self).__name__} one, "
                    "or place the layer: paddle.distributed.shard_layer(layer, mesh)."
                )
            place(param, mesh, [])
        layout = layout_of_tensor(param)
        assert layout is not None
        placements = self.divided(param)
        if self.divides_parameters:
            place(param, layout.mesh, placements)
        elif self.divides_gradients:
            place_gradients(param, sharding_of(layout.mesh, placements, param.shape))

    def __call__(self, key: str, param: Tensor, tensor: Tensor) -> Tensor:
        """Place an accumulator.

        Args:
            key: the name of the accumulator.
            param: its parameter.
            tensor: the accumulator; it stays whole if its shape is not the parameter's.
        """
        layout = layout_of_tensor(param)
        if layout is None or tensor.ndim < param.ndim or not param.ndim:
            return tensor
        extra = tensor.ndim - param.ndim  # leading blocks, each with the parameter's shape
        if list(tensor.shape[extra:]) != list(param.shape):
            return tensor
        placements = [
            Shard(each.dim + extra, shard_order=each._order) if isinstance(each, Shard) else each
            for each in self.divided(param)
        ]
        sharding = sharding_of(layout.mesh, placements, tensor.shape)
        return Tensor.from_array(placed(tensor._array, sharding))


class ShardingStage1(ShardingStage):
    """The stage that divides an optimizer's accumulators and master weights (ZeRO 1).

    Args:
        sharding_mesh_dim: the axis of the mesh that divides them, its name or its number.
        mesh: the mesh for parameters that are not on one; that of ``set_mesh`` when None.

    Raises:
        InvalidArgumentError: by ``shard_optimizer``, for an axis that does not exist.

    Example:
        >>> import jaxeager as paddle
        >>> dist, layer = paddle.distributed, paddle.nn.Linear(2, 2)
        >>> adam = paddle.optimizer.AdamW(parameters=layer.parameters())
        >>> stage = dist.ShardingStage1("x", dist.ProcessMesh([0], ["x"]))
        >>> adam = dist.shard_optimizer(adam, stage)
        >>> stage.divided(layer.weight)
        [Shard(dim=0)]
    """


class ShardingStage2(ShardingStage):
    """The stage that also divides gradients: see ``ShardingStage1`` and Note [ZeRO as placements].

    Args:
        sharding_mesh_dim: the axis of the mesh that divides them, its name or its number.
        mesh: the mesh for parameters that are not on one; that of ``set_mesh`` when None.

    Example:
        >>> import jaxeager as paddle
        >>> dist, layer = paddle.distributed, paddle.nn.Linear(2, 2)
        >>> sgd = paddle.optimizer.SGD(parameters=layer.parameters())
        >>> sgd = dist.shard_optimizer(sgd, dist.ShardingStage2(0, dist.ProcessMesh([0], ["x"])))
        >>> layer(paddle.ones([1, 2])).sum().backward()
        >>> layer.weight.placements, layer.weight.grad.placements
        ([Replicate()], [Shard(dim=0)])
    """

    divides_gradients = True


class ShardingStage3(ShardingStage):
    """The stage that also divides parameters: see ``ShardingStage1`` and Note [ZeRO as placements].

    Args:
        sharding_mesh_dim: the axis of the mesh that divides them, its name or its number.
        mesh: the mesh for parameters that are not on one; that of ``set_mesh`` when None.

    Example:
        >>> import jaxeager as paddle
        >>> dist, layer = paddle.distributed, paddle.nn.Linear(2, 2)
        >>> sgd = paddle.optimizer.SGD(parameters=layer.parameters())
        >>> sgd = dist.shard_optimizer(sgd, dist.ShardingStage3(0, dist.ProcessMesh([0], ["x"])))
        >>> layer.weight.placements
        [Shard(dim=0)]
    """

    divides_gradients = True
    divides_parameters = True


def shard_optimizer(
    optimizer: Optimizer,
    shard_fn: Callable[[str, Tensor, Tensor], Tensor] | None = None,
    gradient_accumulation_steps: int = 1,
) -> Optimizer:
    """Set the placements of an optimizer's accumulators, and return the optimizer.

    Args:
        optimizer: the optimizer; its existing accumulators are moved, too.
        shard_fn: a ``ShardingStage1``, ``2`` or ``3``; or a function of an accumulator's name, its
            parameter and the accumulator, which returns it placed. None: placed like its parameter.
        gradient_accumulation_steps: must be 1: gradients of several backwards accumulate, and the
            user divides the loss.

    Raises:
        InvalidTypeError: when it is not an optimizer.
        InvalidArgumentError: for a stage whose mesh or axis does not exist.
        UnimplementedError: for ``gradient_accumulation_steps`` other than 1.

    Paddle: accepts only AdamW and SGD, and returns another object.

    Example:
        >>> import jaxeager as paddle
        >>> sgd = paddle.optimizer.SGD(parameters=paddle.nn.Linear(2, 2).parameters())
        >>> paddle.distributed.shard_optimizer(sgd) is sgd
        True
    """
    if not isinstance(optimizer, Optimizer):
        raise InvalidTypeError(
            f"shard_optimizer takes an optimizer, but received {type(optimizer).__name__}."
        )
    if gradient_accumulation_steps != 1:
        raise UnimplementedError(
            f"shard_optimizer: gradient_accumulation_steps={gradient_accumulation_steps}, by which "
            "Paddle divides gradients, is not supported: leave it 1, and divide the loss of each "
            "backward instead."
        )
    if isinstance(shard_fn, ShardingStage):
        for param in optimizer._params:
            if not param.stop_gradient:
                shard_fn.prepare(param)
    optimizer._plan = None
    if shard_fn is None:
        return optimizer
    choose: Callable[[str, Tensor, Tensor], Tensor] = shard_fn

    def put(key: str, param: Tensor, accumulator: Tensor) -> None:
        accumulator._array = choose(key, param, accumulator)._array

    state = optimizer._state
    state.place = put
    for param in optimizer._params:
        if state.has(param):
            for slot, accumulator in zip(state._rule.slots, state.slots(param), strict=True):
                put(slot, param, accumulator)
            if param.name in state.masters:
                put("master_weight", param, state.masters[param.name])
    return optimizer


_Scaler = TypeVar("_Scaler")


def shard_scaler(scaler: _Scaler) -> _Scaler:
    """Return a GradScaler unchanged: it checks gradients wherever they are placed.

    Args:
        scaler: the GradScaler.

    Example:
        >>> import jaxeager as paddle
        >>> scaler = paddle.amp.GradScaler()
        >>> paddle.distributed.shard_scaler(scaler) is scaler
        True
    """
    return scaler


def bytes_per_device(tensors: Sequence[Tensor | None]) -> int:
    """Return the bytes of tensors on the device with the most of them.

    Args:
        tensors: tensors on one device or several; None counts as nothing.

    Example:
        >>> import jaxeager as paddle
        >>> from jaxeager.distributed.mesh.sharded_optimizers import bytes_per_device
        >>> bytes_per_device([paddle.ones([2, 3])])
        24
    """
    taken: dict[object, int] = {}
    for tensor in tensors:
        if tensor is not None:
            for part in tensor._array.addressable_shards:
                taken[part.device] = taken.get(part.device, 0) + part.data.nbytes
    return max(taken.values(), default=0)
