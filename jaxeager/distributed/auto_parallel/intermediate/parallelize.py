"""parallelize: a model and an optimizer of one device, placed on a mesh by a configuration.

Note [Placed where they are]
    Parameters remain the same objects, so the model, an optimizer made before and layers that share
    a parameter go on with them. Only their arrays move, and the gradients that they will get.
"""

from __future__ import annotations

import logging
import warnings

from jaxeager.distributed.auto_parallel.intermediate.pipeline_parallel import check_stages
from jaxeager.distributed.auto_parallel.intermediate.tensor_parallel import apply_plans, check_plan
from jaxeager.distributed.mesh.partial_tensors import layout_of_tensor
from jaxeager.distributed.mesh.placements import ProcessMesh, get_mesh, set_mesh
from jaxeager.distributed.mesh.sharded_optimizers import (
    ShardingStage1,
    ShardingStage2,
    ShardingStage3,
    shard_optimizer,
)
from jaxeager.distributed.mesh.sharded_tensors import shard_layer
from jaxeager.errors import RefusedArgumentError, RefusedTypeError, UnimplementedError
from jaxeager.nn.layer.layer import Layer
from jaxeager.optimizer import Optimizer

_log = logging.getLogger(__name__)
_STAGES = {"1": ShardingStage1, "2": ShardingStage2, "3": ShardingStage3}


def parallelize(
    model: Layer,
    optimizer: Optimizer | None = None,
    mesh: ProcessMesh | None = None,
    config: dict | None = None,
) -> tuple[Layer, Optimizer | None]:
    """Place a model and its optimizer on a mesh, and return both.

    Parameters that no plan is for, and buffers, are whole on each device. They all remain the same
    objects.

    Args:
        model: the model of one device.
        optimizer: its optimizer; None for none.
        mesh: the mesh, which ``set_mesh`` then sets; that of ``set_mesh`` when None. Its axes are
            named "dp" and "mp".
        config: a dict of dicts. None: nothing is done, with a warning.

            - ``dp_config``: {"sharding_level": 0 to 3}, as a number or text: what the axis "dp"
              divides besides the batch. 0 nothing, 1 accumulators, 2 also gradients, 3 also
              parameters: see ``ShardingStage1``. "sharding_mesh_dim" names another axis.
            - ``mp_config``: {"parallelize_plan": {name: plan, or a list of plans}}. A name is that
              of a layer, or a regular expression for all of it ("layers.*.mlp.up_proj"); or the
              name of a parameter, which ends in ".weight" or ".bias".
            - ``pp_config``: {"split_spec": ...} for one stage only.

    Raises:
        RefusedTypeError: for a config, mesh, model, optimizer or plan of another type.
        RefusedArgumentError: without a mesh, for a mesh without the axis that the config needs, or
            for another sharding level.
        InvalidArgumentError: for a parameter that cannot be divided evenly.
        UnimplementedError: for a pipeline of several stages, ``cp_config``, "offload" or
            "exclude_layer".

    Paddle: replaces the parameters by others, supports pipelines and ``cp_config``, and ignores a
    plan whose name matches no layer; here that is a warning.

    Example:
        >>> import jaxeager as paddle
        >>> dist, net = paddle.distributed, paddle.nn.Sequential(paddle.nn.Linear(4, 8))
        >>> sgd = paddle.optimizer.SGD(parameters=net.parameters())
        >>> config = {
        ...     "dp_config": {"sharding_level": 1},
        ...     "mp_config": {"parallelize_plan": {"0": dist.ColWiseParallel()}},
        ... }
        >>> dist.set_mesh(dist.ProcessMesh([[0]], ["dp", "mp"]))
        >>> net, sgd = dist.parallelize(net, sgd, config=config)
        >>> net[0].weight.placements
        [Replicate(), Shard(dim=1)]
    """
    if not _usable("parallelize", mesh, config):
        return model, optimizer
    assert config is not None
    dp, mp, pp = (_part(config, name) for name in ("dp_config", "mp_config", "pp_config"))
    if config.get("cp_config") is not None:
        raise UnimplementedError(
            "parallelize: cp_config is not supported: there is no ring attention. Divide the "
            "sequence by the plans SequenceParallelBegin and SequenceParallelEnd instead."
        )
    plan = None if mp is None else mp.get("parallelize_plan")
    if mp is not None and plan is None:
        _log.warning("mp_config has no parallelize_plan, so it does nothing.")
    if plan is None and dp is None and (pp is None or pp.get("split_spec") is None):
        _log.warning("The config of parallelize has no part that does anything: %s.", config)
        return model, optimizer
    _check_objects(model, optimizer)
    if plan is not None:
        check_plan(plan)
    level, axis = _level_of(dp)
    if pp is not None:
        check_stages(model, pp, get_mesh())
    there = _mesh_with("mp" if plan is not None else None, "dp" if dp is not None else None)
    if optimizer is not None and level != "0":
        _check_axis(axis, there)
    if plan is not None:
        apply_plans(model, plan, there)
    shard_layer(model, there)
    return model, None if optimizer is None else _placed(optimizer, level, axis, there)


def parallelize_model(
    model: Layer, mesh: ProcessMesh | None = None, config: dict | None = None
) -> Layer:
    """Place a model on a mesh, and return it: ``parallelize`` without an optimizer.

    Args:
        model: as in ``parallelize``.
        mesh: as there.
        config: as there.

    Example:
        >>> import jaxeager as paddle
        >>> from jaxeager.distributed.auto_parallel.intermediate.parallelize import (
        ...     parallelize_model,
        ... )
        >>> dist, net = paddle.distributed, paddle.nn.Linear(2, 2)
        >>> dist.set_mesh(dist.ProcessMesh([0], ["dp"]))
        >>> parallelize_model(net, config={"dp_config": {"sharding_level": 0}}).weight.is_dist()
        True
    """
    if not _usable("parallelize_model", mesh, config):
        return model
    return parallelize(model, None, mesh, config)[0]


def parallelize_optimizer(
    optimizer: Optimizer, mesh: ProcessMesh | None = None, config: dict | None = None
) -> Optimizer:
    """Place the state of the optimizer of a model that ``parallelize_model`` has placed.

    Args:
        optimizer: the optimizer.
        mesh: as in ``parallelize``.
        config: as there; only its ``dp_config`` counts.

    Raises:
        RefusedArgumentError: when a parameter is not on a mesh, and for another sharding level.

    Example:
        >>> import jaxeager as paddle
        >>> from jaxeager.distributed.auto_parallel.intermediate.parallelize import (
        ...     parallelize_model,
        ...     parallelize_optimizer,
        ... )
        >>> dist, net = paddle.distributed, paddle.nn.Linear(2, 2)
        >>> dist.set_mesh(dist.ProcessMesh([0], ["dp"]))
        >>> config = {"dp_config": {"sharding_level": 3}}
        >>> net = parallelize_model(net, config=config)
        >>> sgd = paddle.optimizer.SGD(parameters=net.parameters())
        >>> parallelize_optimizer(sgd, config=config) is sgd
        True
    """
    if not _usable("parallelize_optimizer", mesh, config):
        return optimizer
    assert config is not None
    if not isinstance(optimizer, Optimizer):
        raise RefusedTypeError(
            f"parallelize_optimizer takes an optimizer, but received {type(optimizer).__name__}."
        )
    apart = [param.name for param in optimizer._params if layout_of_tensor(param) is None]
    if apart:
        raise RefusedArgumentError(
            f"The parameters {apart} are not on a mesh. Call parallelize_model on the model before "
            "parallelize_optimizer."
        )
    level, axis = _level_of(_part(config, "dp_config"))
    there = _mesh_with()
    if level != "0":
        _check_axis(axis, there)
    return _placed(optimizer, level, axis, there)


def _usable(name: str, mesh: ProcessMesh | None, config: object) -> bool:
    """Return whether there is a config; check both, and set the mesh."""
    if config is None:
        warnings.warn(f"{name} does nothing, because its config is None.", stacklevel=3)
        return False
    if not isinstance(config, dict):
        raise RefusedTypeError(
            f"The config of {name} is a dict, but received {type(config).__name__}."
        )
    if mesh is None:
        return True
    if not isinstance(mesh, ProcessMesh):
        raise RefusedTypeError(
            f"The mesh of {name} is a ProcessMesh, but received {type(mesh).__name__}."
        )
    before = get_mesh()
    if before is not None and before != mesh:
        warnings.warn(
            f"The mesh given to {name}, {mesh}, replaces that of set_mesh, {before}.", stacklevel=3
        )
    set_mesh(mesh)
    return True


def _part(config: dict, name: str) -> dict | None:
    found = config.get(name)
    if found is not None and not isinstance(found, dict):
        raise RefusedTypeError(f"{name} is a dict, but received {type(found).__name__}.")
    return found


def _check_objects(model: object, optimizer: object) -> None:
    if not isinstance(model, Layer):
        raise RefusedTypeError(f"parallelize takes a Layer, but received {type(model).__name__}.")
    if optimizer is not None and not isinstance(optimizer, Optimizer):
        raise RefusedTypeError(
            f"parallelize takes an optimizer, but received {type(optimizer).__name__}."
        )


def _level_of(dp: dict | None) -> tuple[str, str | int]:
    """Return the sharding level of ``dp_config`` as text, and the axis that it divides along.

    Raises:
        UnimplementedError: for "offload" and "exclude_layer".
        RefusedArgumentError: for a level that is not 0 to 3.
    """
    if dp is None:
        return "0", "dp"
    for name in ("offload", "exclude_layer"):
        if dp.get(name):
            raise UnimplementedError(f"parallelize: {name} of dp_config is not supported.")
    if "sharding_level" not in dp:
        warnings.warn(
            "dp_config has no sharding_level: nothing but the batch is divided.", stacklevel=3
        )
    level = dp.get("sharding_level")
    if level is None:
        return "0", "dp"
    if str(level) not in ("0", "1", "2", "3"):
        raise RefusedArgumentError(f"sharding_level is 0, 1, 2 or 3, but received {level!r}.")
    return str(level), dp.get("sharding_mesh_dim", "dp")


def _mesh_with(*axes: str | None) -> ProcessMesh:
    """Return the mesh of ``set_mesh``, at the first stage of a pipeline; check that it has axes."""
    mesh = get_mesh()
    if mesh is None:
        raise RefusedArgumentError(
            "There is no mesh: give parallelize one, or call paddle.distributed.set_mesh(mesh)."
        )
    for axis in axes:
        if axis is not None and axis not in mesh.dim_names:
            raise RefusedArgumentError(
                f"{axis}_config needs a mesh with an axis {axis!r}, but it has {mesh.dim_names}."
            )
    return mesh.get_mesh_with_dim("pp", 0) if "pp" in mesh.dim_names else mesh


def _check_axis(axis: str | int, mesh: ProcessMesh) -> None:
    names = [*mesh.dim_names, *range(mesh.ndim)]
    if axis not in names:
        raise RefusedArgumentError(
            f"sharding_mesh_dim is an axis of the mesh, one of {names}, but received {axis!r}."
        )


def _placed(optimizer: Optimizer, level: str, axis: str | int, mesh: ProcessMesh) -> Optimizer:
    """Place an optimizer's state; parameters and gradients as well, at the levels that do so."""
    stage = _STAGES.get(level)
    return shard_optimizer(optimizer, None if stage is None else stage(axis, mesh))


__all__ = ["parallelize", "parallelize_model", "parallelize_optimizer"]
