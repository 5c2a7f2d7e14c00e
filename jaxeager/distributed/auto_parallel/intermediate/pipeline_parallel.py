"""The part of pipelines that one process can keep: their settings are checked, and one stage runs.

Note [Pipelines]
    The stages of a pipeline are on devices of their own. One process can compute them one after the
    other, but an optimizer's step is one XLA program over parameters of one set of devices, and XLA
    has none over several sets. So pipelines of more than one stage are refused.
"""

from __future__ import annotations

import logging
import re
from enum import Enum

from jaxeager.distributed.mesh.placements import ProcessMesh
from jaxeager.errors import RefusedArgumentError, RefusedTypeError, UnimplementedError
from jaxeager.nn.layer.layer import Layer

_log = logging.getLogger(__name__)


class SplitPoint(Enum):
    """The side of a layer at which a pipeline is split into stages.

    Example:
        >>> import jaxeager as paddle
        >>> [each.name for each in paddle.distributed.SplitPoint]
        ['BEGINNING', 'END']
    """

    BEGINNING = 0
    END = 1


def check_stages(model: Layer, config: dict, mesh: ProcessMesh | None) -> None:
    """Raise an error unless ``pp_config`` asks for one stage: see Note [Pipelines].

    Args:
        model: the model.
        config: ``pp_config``.
        mesh: the mesh.

    Raises:
        RefusedTypeError: for a ``global_spec`` of another type.
        RefusedArgumentError: for a mesh without an axis "pp", or names that no layer has.
        UnimplementedError: for more than one stage.
    """
    spec = config.get("split_spec")
    if spec is None:
        _log.warning("pp_config has no split_spec, so it does nothing.")
        return
    if mesh is None or "pp" not in mesh.dim_names:
        raise RefusedArgumentError(
            "pp_config needs a mesh with an axis 'pp', set by paddle.distributed.set_mesh or given "
            f"to parallelize, but the mesh is {mesh}."
        )
    stages = mesh.get_dim_size("pp")
    names = [name for name, _ in model.named_sublayers()]
    if isinstance(spec, dict):
        _check_points(spec, names, stages)
    else:
        _check_prefixes([spec] if isinstance(spec, str) else list(spec), names, stages)
    shared = config.get("global_spec")
    if shared and not isinstance(shared, (str, list, tuple)):
        raise RefusedTypeError(
            f"global_spec is the name of a layer, or a list of them, but received {shared!r:.80}."
        )
    if stages > 1:
        raise UnimplementedError(
            f"parallelize: pp_config over {stages} stages is not supported: an optimizer's step is "
            "one XLA program over one set of devices, and each stage would have its own. Give the "
            "devices of 'pp' to 'dp' or 'mp', or divide the parameters: dp_config with "
            "sharding_level 3."
        )


def _check_points(spec: dict, names: list[str], stages: int) -> None:
    for name, point in spec.items():
        if name not in names:
            raise RefusedArgumentError(
                f"split_spec names the layer {name!r}, but the model has {names}."
            )
        if point is not SplitPoint.END:
            raise RefusedArgumentError(
                f"split_spec[{name!r}] is SplitPoint.END, the only point there is for now, but "
                f"received {point!r}."
            )
    if len(spec) != stages - 1:
        raise RefusedArgumentError(
            f"{stages} stages need {stages - 1} split points, but split_spec has {len(spec)}."
        )


def _check_prefixes(prefixes: list[str], names: list[str], stages: int) -> None:
    patterns = [rf"{prefix}(\.\d+)?$" for prefix in prefixes]
    found = [name for name in names if any(re.match(each, name) for each in patterns)]
    numbered = {name.rpartition(".")[0] for name in found if name.rpartition(".")[2].isdigit()}
    found = [name for name in found if name not in numbered]
    if not found or len(found) < stages:
        raise RefusedArgumentError(
            f"split_spec {prefixes} is for {len(found)} layers, {found}, but there are {stages} "
            "stages: each needs one at least."
        )


__all__ = ["SplitPoint"]
