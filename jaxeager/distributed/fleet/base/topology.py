"""paddle.distributed.fleet.base.topology: a grid of processes, an axis per way to share work."""

from __future__ import annotations

import itertools
from collections import namedtuple
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from jaxeager.core.ignored_arguments import unheeded
from jaxeager.distributed.communication.group import Group
from jaxeager.distributed.ranks.environment import get_rank, get_world_size, new_group
from jaxeager.errors import InvalidArgumentError, PreconditionNotMetError

if TYPE_CHECKING:
    from collections.abc import Callable


AXES = ("data", "pipe", "sharding", "sep", "context", "model")


_HYBRID_PARALLEL_GROUP: HybridCommunicateGroup | None = None  # the one created last


class ParallelMode:
    """Ways in which processes share work.

    Attributes:
        DATA_PARALLEL: each has a part of the batch.
        TENSOR_PARALLEL: each has a part of every weight.
        PIPELINE_PARALLEL: each has some of the layers.
        SHARDING_PARALLEL: each has a part of the optimizer's state.
        SEGMENT_PARALLEL: each has a part of the sequence.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.distributed.ParallelMode.TENSOR_PARALLEL
        1
    """

    DATA_PARALLEL, TENSOR_PARALLEL, PIPELINE_PARALLEL, SHARDING_PARALLEL, SEGMENT_PARALLEL = range(
        5
    )


class CommunicateTopology:
    """The numbering of the processes in a grid, the last axis fastest.

    Args:
        hybrid_group_names: names of the axes.
        dims: the lengths of the axes.

    Raises:
        InvalidArgumentError: unless there are as many lengths as names.

    Example:
        >>> import jaxeager as paddle
        >>> grid = paddle.distributed.fleet.CommunicateTopology(["data", "model"], [2, 2])
        >>> grid.get_rank(data=1, model=0), grid.get_comm_list("data")
        (2, [[0, 2], [1, 3]])
    """

    def __init__(
        self,
        hybrid_group_names: Sequence[str] = AXES,
        dims: Sequence[int] = (1, 1, 1, 1, 1, 1),
    ):
        if len(hybrid_group_names) != len(dims):
            raise InvalidArgumentError(
                f"There is a length for each axis, but received {list(hybrid_group_names)} and "
                f"{list(dims)}."
            )
        self._parallel_names = list(hybrid_group_names)
        self._dims = list(dims)
        self.coordinate = namedtuple("Coordinate", self._parallel_names)
        places = itertools.product(*map(range, dims))
        self._rank2coord = dict(enumerate(self.coordinate(*each) for each in places))
        self._coord2rank = {place: rank for rank, place in self._rank2coord.items()}

    def get_hybrid_group_names(self) -> list[str]:
        """Return the names of the axes."""
        return self._parallel_names

    def get_dim(self, axis_name: str) -> int:
        """Return the length of an axis.

        Raises:
            InvalidArgumentError: when there is no axis of that name.
        """
        if axis_name not in self._parallel_names:
            raise InvalidArgumentError(
                f"There is no axis {axis_name!r}; there are {self._parallel_names}."
            )
        return self._dims[self._parallel_names.index(axis_name)]

    get_dim_size = get_dim

    def world_size(self) -> int:
        """Return the number of processes in the grid."""
        return len(self._rank2coord)

    def get_rank(self, **args: int) -> int:
        """Return the number of the process at coordinates, given by the names of the axes.

        Raises:
            InvalidArgumentError: when there is no such process.
        """
        place = tuple(args.get(name) for name in self._parallel_names)
        if len(args) != len(self._dims) or place not in self._coord2rank:
            raise InvalidArgumentError(
                f"There are no coordinates {args} in a grid of {self._dims}."
            )
        return self._coord2rank[place]  # type: ignore[index] - a namedtuple is its tuple

    def get_coord(self, rank: int) -> Any:
        """Return the coordinates of a process, as a named tuple.

        Raises:
            InvalidArgumentError: when there is no such process.
        """
        if rank not in self._rank2coord:
            raise InvalidArgumentError(f"There is no rank {rank} in a grid of {self._dims}.")
        return self._rank2coord[rank]

    def get_axis_list(self, axis_name: str, index: int) -> list[int]:
        """Return the processes with the same coordinate along an axis."""
        self.get_dim(axis_name)
        return [r for r, place in self._rank2coord.items() if getattr(place, axis_name) == index]

    def get_comm_list(self, axis_name: str) -> list[list[int]]:
        """Return the groups of processes that differ only along an axis."""
        return self.get_fused_ranks([axis_name])

    def get_fused_ranks(self, fused_axis: Sequence[str]) -> list[list[int]]:
        """Return the groups of processes that differ only along several axes."""
        for name in fused_axis:
            self.get_dim(name)
        others = [name for name in self._parallel_names if name not in fused_axis]
        found: dict[tuple, list[int]] = {}
        for rank, place in self._rank2coord.items():
            found.setdefault(tuple(getattr(place, name) for name in others), []).append(rank)
        return list(found.values())

    def get_rank_from_stage(self, global_rank: int, **kwargs: int) -> int:
        """Return the process with the same coordinates as another one, except the given ones."""
        return self._coord2rank[self.get_coord(global_rank)._replace(**kwargs)]


class HybridCommunicateGroup:
    """The groups of this process along each axis of the grid.

    Every process creates all groups of the grid, in the same order.

    Args:
        topology: the grid, which has as many entries as there are processes.
        hybrid_configs: settings of the groups; ignored.

    Attributes:
        nranks: the number of processes.
        global_rank: the number of this one.
        stage_id: its coordinate along "pipe".
        is_first_stage: whether it is the first stage.
        is_last_stage: whether it is the last stage.

    Raises:
        InvalidArgumentError: when the size of the grid is not the number of processes.

    Example:
        >>> import jaxeager as paddle
        >>> fleet = paddle.distributed.fleet
        >>> hcg = fleet.init(is_collective=True).get_hybrid_communicate_group()
        >>> hcg.get_data_parallel_world_size(), hcg.get_model_parallel_rank()
        (1, 0)
        >>> paddle.distributed.destroy_process_group()
    """

    if TYPE_CHECKING:  # the methods that _add_axis adds
        get_data_parallel_rank: Callable[[], int]
        get_data_parallel_world_size: Callable[[], int]
        get_data_parallel_group: Callable[[], Group]
        get_data_parallel_group_src_rank: Callable[[], int]
        get_model_parallel_rank: Callable[[], int]
        get_model_parallel_world_size: Callable[[], int]
        get_model_parallel_group: Callable[[], Group]
        get_model_parallel_group_src_rank: Callable[[], int]
        get_pipe_parallel_rank: Callable[[], int]
        get_pipe_parallel_world_size: Callable[[], int]
        get_pipe_parallel_group: Callable[[], Group]
        get_pipe_parallel_group_src_rank: Callable[[], int]
        get_sharding_parallel_rank: Callable[[], int]
        get_sharding_parallel_world_size: Callable[[], int]
        get_sharding_parallel_group: Callable[[], Group]
        get_sharding_parallel_group_src_rank: Callable[[], int]
        get_sep_parallel_rank: Callable[[], int]
        get_sep_parallel_world_size: Callable[[], int]
        get_sep_parallel_group: Callable[[], Group]
        get_sep_parallel_group_src_rank: Callable[[], int]

    def __init__(self, topology: CommunicateTopology, hybrid_configs: object = None):
        unheeded(
            "HybridCommunicateGroup",
            "groups need no settings",
            hybrid_configs=(hybrid_configs, None),
        )
        global _HYBRID_PARALLEL_GROUP
        self.nranks, self.global_rank = get_world_size(), get_rank()
        self._topo = topology
        degrees = dict(zip(topology.get_hybrid_group_names(), topology._dims, strict=True))
        if topology.world_size() != self.nranks:
            many = "is 1 process" if self.nranks == 1 else f"are {self.nranks} processes"
            raise InvalidArgumentError(
                f"There {many}, but the degrees {degrees} need {topology.world_size()}. Start that "
                "many: `python -m jaxeager.distributed.launch --nproc_per_node N`."
            )
        self._groups = {name: self._own(topology.get_comm_list(name)) for name in degrees}
        self._check_groups = {
            name: self._own([topology.get_axis_list(name, i) for i in range(degrees[name])])
            for name in ("data", "sharding")
            if name in degrees
        }
        place = topology.get_coord(self.global_rank)
        self.stage_id = getattr(place, "pipe", 0)
        self.is_first_stage = self.stage_id == 0
        self.is_last_stage = self.stage_id == degrees.get("pipe", 1) - 1
        self._p2p = self._neighbours() if degrees.get("pipe", 1) > 1 else None
        self._fused: dict[tuple[str, ...], Group] = {}
        if "sep" in degrees:
            for axes in (("data", "sep"), ("pipe", "model")):
                self._fused[axes] = self._own(topology.get_fused_ranks(axes))
        _HYBRID_PARALLEL_GROUP = self

    def _own(self, lines: Sequence[Sequence[int]]) -> Group:
        """Create a group of each set of processes, and return the one that has this process."""
        groups = [new_group(list(line)) for line in lines]
        return next(each for each in groups if self.global_rank in each.ranks)

    def _neighbours(self) -> tuple[Group, Group, Group, Group]:
        """Return groups of two: to send to the next and to the previous stage, and to receive."""
        next_group = previous_group = None
        for line in self._topo.get_comm_list("pipe"):
            for place, rank in enumerate(line):
                after = line[(place + 1) % len(line)]
                made = new_group([rank, after])
                if rank == self.global_rank:
                    next_group = made
                if after == self.global_rank:
                    previous_group = made
        assert next_group is not None
        assert previous_group is not None
        return next_group, previous_group, next_group, previous_group

    def get_parallel_mode(self) -> int | None:
        """Return how processes share work, a member of ParallelMode; None for a single process.

        Of several ways, the first in this order counts: pipeline, tensor, segment, sharding, data.
        """
        ways = (
            ("pipe", ParallelMode.PIPELINE_PARALLEL), ("model", ParallelMode.TENSOR_PARALLEL),
            ("sep", ParallelMode.SEGMENT_PARALLEL), ("sharding", ParallelMode.SHARDING_PARALLEL),
            ("data", ParallelMode.DATA_PARALLEL),
        )  # fmt: skip
        names = self._topo.get_hybrid_group_names()
        return next((m for n, m in ways if n in names and self._topo.get_dim(n) > 1), None)

    def topology(self) -> CommunicateTopology:
        """Return the grid."""
        return self._topo

    def get_global_rank(self) -> int:
        """Return the number of this process."""
        return self.global_rank

    def get_stage_id(self) -> int:
        """Return the coordinate of this process along "pipe"."""
        return self.stage_id

    def get_check_parallel_group(self, sharding: bool = False) -> Group:
        """Return the group whose processes clip gradients together.

        Args:
            sharding: whether to include processes with another part of the optimizer's state.
        """
        return self._check_groups["sharding" if sharding else "data"]

    def get_rank_from_stage(self, stage_id: int, **kwargs: int) -> int:
        """Return the process at another coordinate along "pipe"."""
        return self._topo.get_rank_from_stage(self.global_rank, pipe=stage_id, **kwargs)

    def get_dp_sep_parallel_group(self) -> Group:
        """Return the processes that have the same part of the weights."""
        return self._fused["data", "sep"]

    def get_pipe_mp_parallel_group(self) -> Group:
        """Return the processes that together have one copy of the model."""
        return self._fused["pipe", "model"]

    def get_p2p_groups(self) -> tuple[Group, Group, Group, Group]:
        """Return groups of two to send to the next and to the previous stage, and to receive.

        Raises:
            PreconditionNotMetError: with one stage.
        """
        if self._p2p is None:
            raise PreconditionNotMetError(
                "get_p2p_groups(): pp_degree is 1, so there is no next or previous stage."
            )
        return self._p2p


def _add_axis(shown: str, axis: str) -> None:
    """Add the methods for an axis to HybridCommunicateGroup, under Paddle's names."""

    def rank(self) -> int:
        return getattr(self._topo.get_coord(self.global_rank), axis)

    def world_size(self) -> int:
        return self._topo.get_dim(axis)

    def group(self) -> Group:
        return self._groups[axis]

    def group_src_rank(self) -> int:
        return self._groups[axis].ranks[0]

    for what, function, text in (
        ("rank", rank, f'Return the coordinate of this process along "{axis}".'),
        ("world_size", world_size, f'Return the number of processes along "{axis}".'),
        ("group", group, f'Return the group of this process along "{axis}".'),
        ("group_src_rank", group_src_rank, f'Return the first process along "{axis}".'),
    ):
        function.__name__ = f"get_{shown}_{what}"
        function.__doc__ = text
        setattr(HybridCommunicateGroup, function.__name__, function)


for _shown, _axis in (
    ("data_parallel", "data"),
    ("model_parallel", "model"),
    ("pipe_parallel", "pipe"),
    ("sharding_parallel", "sharding"),
    ("sep_parallel", "sep"),
):
    _add_axis(_shown, _axis)


def group_along(axis: str) -> Group | None:
    """Return the group of this process along an axis, None before ``fleet.init``."""
    if _HYBRID_PARALLEL_GROUP is None or get_world_size() == 1:
        return None
    return _HYBRID_PARALLEL_GROUP._groups[axis]


def topology_of_all() -> CommunicateTopology | None:
    """Return the grid of all processes, None before ``fleet.init``."""
    return None if _HYBRID_PARALLEL_GROUP is None else _HYBRID_PARALLEL_GROUP.topology()
