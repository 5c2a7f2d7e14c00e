"""Fleet: the workers of a program, and their grid."""

from __future__ import annotations

import copy
import math
from typing import TYPE_CHECKING, Any

from jaxeager.core.ignored_arguments import unheeded
from jaxeager.distributed.communication.group import barrier, device_number
from jaxeager.distributed.communication.world import number_in
from jaxeager.distributed.fleet.base.distributed_strategy import DistributedStrategy
from jaxeager.distributed.fleet.base.role_maker import PaddleCloudRoleMaker, RoleMakerBase
from jaxeager.distributed.fleet.base.topology import CommunicateTopology, HybridCommunicateGroup
from jaxeager.distributed.fleet.base.util_factory import UtilBase
from jaxeager.distributed.fleet.layers.mpu.random import model_parallel_random_seed
from jaxeager.distributed.fleet.meta_optimizers.dygraph_optimizer import HybridParallelOptimizer
from jaxeager.distributed.ranks.environment import get_world_size, init_parallel_env
from jaxeager.errors import InvalidArgumentError, PreconditionNotMetError

if TYPE_CHECKING:
    from jaxeager.distributed.fleet.meta_optimizers.dygraph_optimizer.inner import AnyOptimizer


# The axes of the grid, by their names in the settings.
_AXES = {
    "dp": "data", "pp": "pipe", "sharding": "sharding", "sep": "sep", "cp": "context",
    "mp": "model",
}  # fmt: skip


class Fleet:
    """The interface to training on many processes, and the identity of this one.

    ``paddle.distributed.fleet`` has all its methods as functions of a single Fleet.

    Attributes:
        util: small calls between workers.

    Example:
        >>> import jaxeager as paddle
        >>> from jaxeager.distributed import fleet
        >>> fleet.init(is_collective=True).worker_num()
        1
        >>> paddle.distributed.destroy_process_group()
    """

    _hcg: HybridCommunicateGroup  # since ``init``: public code asks ``hasattr(fleet, "_hcg")``

    def __init__(self):
        self._role_maker: RoleMakerBase | None = None
        self._user_defined_strategy: DistributedStrategy | None = None
        self._topology: CommunicateTopology | None = None
        self._is_collective = False
        self.user_defined_optimizer: AnyOptimizer | None = None
        self.util = UtilBase()

    def init(
        self,
        role_maker: RoleMakerBase | None = None,
        is_collective: bool = False,
        strategy: DistributedStrategy | None = None,
        log_level: int | str = "INFO",
    ) -> Fleet:
        """Create the group of all workers.

        Args:
            role_maker: the role of this process; from the environment by default.
            is_collective: whether processes communicate directly, without servers.
            strategy: settings.
            log_level: Paddle's log level; ignored, as nothing is logged here.

        Raises:
            InvalidArgumentError: for arguments of wrong types, and for degrees that need more or
                fewer processes than there are.

        Example:
            >>> import jaxeager as paddle
            >>> fleet = paddle.distributed.fleet
            >>> fleet.init(is_collective=True).is_first_worker()
            True
            >>> paddle.distributed.destroy_process_group()
        """
        if not isinstance(is_collective, bool):
            raise InvalidArgumentError(
                f"`is_collective` should be instance of `bool`, but got {type(is_collective)}"
            )
        if role_maker is not None and not isinstance(role_maker, RoleMakerBase):
            raise InvalidArgumentError(
                f"`role_maker` should be subclass of `RoleMakerBase`, but got {type(role_maker)}"
            )
        if strategy is not None and not isinstance(strategy, DistributedStrategy):
            raise InvalidArgumentError(
                f"`strategy` should be a DistributedStrategy, but got {type(strategy)}"
            )
        unheeded("fleet.init", "nothing is logged", log_level=(log_level, "INFO"))
        strategy = copy.deepcopy(strategy or DistributedStrategy())
        init_parallel_env()
        self._topology = CommunicateTopology(*_grid(strategy))
        self._hcg = HybridCommunicateGroup(self._topology)
        _seed_model_parallel(self._hcg, strategy)
        self._role_maker = role_maker or PaddleCloudRoleMaker(is_collective)
        self._is_collective = is_collective or self._role_maker._is_collective
        self._user_defined_strategy = strategy
        self.util.role_maker, self.util.dist_strategy = self._role_maker, strategy
        return self

    def _roles(self) -> RoleMakerBase:
        if self._role_maker is None:
            raise PreconditionNotMetError("Call paddle.distributed.fleet.init() first.")
        return self._role_maker

    def get_hybrid_communicate_group(self) -> HybridCommunicateGroup:
        """Return the groups of this process.

        Raises:
            PreconditionNotMetError: before ``init``.
        """
        self._roles()
        return self._hcg

    def get_hybrid_parallel_topology(self) -> CommunicateTopology:
        """Return the grid of processes.

        Raises:
            PreconditionNotMetError: before ``init``.
        """
        return self.get_hybrid_communicate_group().topology()

    def is_first_worker(self) -> bool:
        """Return whether this is worker 0. Raises PreconditionNotMetError before ``init``."""
        return self.worker_index() == 0

    def worker_index(self) -> int:
        """Return the number of this worker. Raises PreconditionNotMetError before ``init``."""
        return self._roles().worker_index()

    def worker_num(self) -> int:
        """Return the number of workers. Raises PreconditionNotMetError before ``init``."""
        return self._roles().worker_num()

    def node_num(self) -> int:
        """Return the number of machines. Raises PreconditionNotMetError before ``init``."""
        self._roles()
        return 1

    def local_rank(self) -> int:
        """Return the number of this worker on its machine.

        Paddle: None for a single worker.
        """
        self._roles()
        return number_in("PADDLE_RANK_IN_NODE", self.worker_index())

    def local_device_ids(self) -> list[int]:
        """Return the numbers of this worker's devices.

        Paddle: None for a single worker.
        """
        return [device_number()]

    def world_device_ids(self) -> list[list[int]]:
        """Return the numbers of all workers' devices.

        Paddle: None for a single worker.
        """
        return [self.local_device_ids() for _ in range(self.worker_num())]

    def is_worker(self) -> bool:
        """Return whether this process trains: always True."""
        self._roles()
        return True

    def is_server(self) -> bool:
        """Return whether this process keeps parameters for others: always False."""
        self._roles()
        return False

    def is_coordinator(self) -> bool:
        """Return whether this process coordinates others: always False."""
        self._roles()
        return False

    def worker_endpoints(self, to_string: bool = False) -> list[str] | str:
        """Return the addresses of the workers.

        Args:
            to_string: whether to return one text, with commas.
        """
        found = self._roles().worker_endpoints()
        return ",".join(found) if to_string else found

    def server_num(self) -> int:
        """Return the number of configured servers."""
        return len(self._roles().server_endpoints())

    def server_index(self) -> int:
        """Return the number of this server: 0, as in Paddle for a process that is not a server."""
        self._roles()
        return 0

    def server_endpoints(self, to_string: bool = False) -> list[str] | str:
        """Return the addresses of the configured servers.

        Args:
            to_string: whether to return one text, with commas.
        """
        found = self._roles().server_endpoints()
        return ",".join(found) if to_string else found

    def barrier_worker(self) -> None:
        """Wait until all workers have called it."""
        self._roles()
        barrier()

    def stop_worker(self) -> None:
        """Do nothing: there is no connection to a server to close."""
        self._roles()

    def all_reduce(self, input: object, mode: str = "sum") -> Any:
        """Return the reduction of the values of all workers; see ``fleet.util.all_reduce``.

        Args:
            input: a list, a tuple or an array.
            mode: "sum", "min" or "max".
        """
        return self.util.all_reduce(input, mode)

    def distributed_optimizer(
        self, optimizer: AnyOptimizer, strategy: DistributedStrategy | None = None
    ) -> AnyOptimizer:
        """Wrap an optimizer for training; see ``fleet.distributed_optimizer``.

        Args:
            optimizer: the optimizer.
            strategy: settings, which replace those given to ``init``.
        """
        self.user_defined_optimizer = optimizer
        if strategy is not None:
            self._user_defined_strategy = copy.deepcopy(strategy)
        if not hasattr(self, "_hcg") or get_world_size() == 1:
            return optimizer
        return HybridParallelOptimizer(optimizer, self._hcg, self._user_defined_strategy)


def _grid(strategy: DistributedStrategy) -> tuple[list[str], list[int]]:
    """Return the axes of the grid and their lengths, in the order set by the strategy.

    A ``dp_degree`` of -1 is computed from the number of processes and the other degrees.
    """
    order = [*dict.fromkeys([*strategy.hybrid_parallel_order, *_AXES])]
    degrees = {each: strategy.hybrid_configs[f"{each}_degree"] for each in order}
    if degrees["dp"] < 1:
        others = math.prod(degree for each, degree in degrees.items() if each != "dp")
        degrees["dp"] = max(get_world_size() // others, 1)
    return [_AXES[each] for each in order], list(degrees.values())


def _seed_model_parallel(hcg: HybridCommunicateGroup, strategy: DistributedStrategy) -> None:
    """Seed the random numbers of parts of weights, if processes share weights."""
    if hcg.get_model_parallel_world_size() > 1:  # type: ignore[attr-defined] - of _add_axis
        seed = strategy.tensor_parallel_configs["tensor_init_seed"]
        model_parallel_random_seed(None if seed == -1 else seed)


fleet = Fleet()
