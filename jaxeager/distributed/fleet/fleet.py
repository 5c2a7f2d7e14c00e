"""Fleet: the workers of a program, of which there is one."""

from __future__ import annotations

import copy
from typing import Any

from jaxeager.distributed.communication.group import device_number
from jaxeager.distributed.environment import init_parallel_env
from jaxeager.distributed.fleet.base.distributed_strategy import DistributedStrategy
from jaxeager.distributed.fleet.base.role_maker import PaddleCloudRoleMaker, RoleMakerBase
from jaxeager.distributed.fleet.base.topology import CommunicateTopology, HybridCommunicateGroup
from jaxeager.distributed.fleet.base.util_factory import UtilBase
from jaxeager.errors import InvalidArgumentError, PreconditionNotMetError

# The axes of the grid, in the order in which HybridCommunicateGroup has them, and their degrees.
_DEGREES = {
    "data": "dp_degree", "pipe": "pp_degree", "sharding": "sharding_degree", "sep": "sep_degree",
    "context": "cp_degree", "model": "mp_degree",
}  # fmt: skip


class Fleet:
    """Starts training on many processes, and says which of them this is.

    ``paddle.distributed.fleet`` has all its methods as functions, of one Fleet.

    Attributes:
        util: small calls between workers.

    Example:
        >>> import jaxeager as paddle
        >>> from jaxeager.distributed import fleet
        >>> fleet.init(is_collective=True).worker_num()
        1
        >>> paddle.distributed.destroy_process_group()
    """

    def __init__(self):
        self._role_maker: RoleMakerBase | None = None
        self._user_defined_strategy: DistributedStrategy | None = None
        self._hcg: HybridCommunicateGroup | None = None
        self._topology: CommunicateTopology | None = None
        self._is_collective = False
        self.user_defined_optimizer: Any = None
        self.util = UtilBase()

    def init(
        self,
        role_maker: RoleMakerBase | None = None,
        is_collective: bool = False,
        strategy: DistributedStrategy | None = None,
        log_level: int | str = "INFO",
    ) -> Fleet:
        """Makes the group of all workers.

        Args:
            role_maker: which part this process plays; from the environment by default.
            is_collective: whether processes call one another, without servers.
            strategy: settings.
            log_level: how much Paddle logs; nothing is logged here.

        Raises:
            InvalidArgumentError: for arguments of another kind, and for degrees that want more than
                one process.
            UnimplementedError: when a launcher has started several processes.

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
        strategy = copy.deepcopy(strategy or DistributedStrategy())
        degrees = [strategy.hybrid_configs[name] for name in _DEGREES.values()]
        init_parallel_env()
        # A dp_degree of -1 is what the others leave of the processes.
        self._topology = CommunicateTopology(list(_DEGREES), [max(each, 1) for each in degrees])
        self._hcg = HybridCommunicateGroup(self._topology)
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
        """Returns the groups of this process.

        Raises:
            PreconditionNotMetError: before ``init``.
        """
        self._roles()
        assert self._hcg is not None
        return self._hcg

    def get_hybrid_parallel_topology(self) -> CommunicateTopology:
        """Returns the grid of processes.

        Raises:
            PreconditionNotMetError: before ``init``.
        """
        return self.get_hybrid_communicate_group().topology()

    def is_first_worker(self) -> bool:
        """Says whether this is worker 0. Raises PreconditionNotMetError before ``init``."""
        return self.worker_index() == 0

    def worker_index(self) -> int:
        """Returns the number of this worker. Raises PreconditionNotMetError before ``init``."""
        return self._roles().worker_index()

    def worker_num(self) -> int:
        """Returns how many workers there are. Raises PreconditionNotMetError before ``init``."""
        return self._roles().worker_num()

    def node_num(self) -> int:
        """Returns how many machines there are. Raises PreconditionNotMetError before ``init``."""
        self._roles()
        return 1

    def local_rank(self) -> int:
        """Returns the number of this worker on its machine.

        Paddle: None where there is one.
        """
        return self.worker_index()

    def local_device_ids(self) -> list[int]:
        """Returns the numbers of this worker's devices.

        Paddle: None where there is one worker.
        """
        return [device_number()]

    def world_device_ids(self) -> list[list[int]]:
        """Returns the numbers of all workers' devices.

        Paddle: None where there is one worker.
        """
        return [self.local_device_ids()]

    def is_worker(self) -> bool:
        """Says whether this process trains: yes."""
        self._roles()
        return True

    def is_server(self) -> bool:
        """Says whether this process keeps parameters for others: no."""
        self._roles()
        return False

    def is_coordinator(self) -> bool:
        """Says whether this process leads others: no."""
        self._roles()
        return False

    def worker_endpoints(self, to_string: bool = False) -> list[str] | str:
        """Returns the addresses of the workers.

        Args:
            to_string: as one text, with commas.
        """
        found = self._roles().worker_endpoints()
        return ",".join(found) if to_string else found

    def server_num(self) -> int:
        """Returns how many servers were named."""
        return len(self._roles().server_endpoints())

    def server_index(self) -> int:
        """Returns the number of this server: 0, as in Paddle where it is none."""
        self._roles()
        return 0

    def server_endpoints(self, to_string: bool = False) -> list[str] | str:
        """Returns the addresses of the servers that were named.

        Args:
            to_string: as one text, with commas.
        """
        found = self._roles().server_endpoints()
        return ",".join(found) if to_string else found

    def barrier_worker(self) -> None:
        """Waits until all workers are here: this one is."""
        self._roles()

    def stop_worker(self) -> None:
        """Ends what connects this worker to servers: nothing."""
        self._roles()

    def all_reduce(self, input: Any, mode: str = "sum") -> Any:
        """Returns the values of all workers put together; see ``fleet.util.all_reduce``.

        Args:
            input: a list, a tuple or an array.
            mode: "sum", "min" or "max".
        """
        return self.util.all_reduce(input, mode)

    def distributed_optimizer(
        self, optimizer: Any, strategy: DistributedStrategy | None = None
    ) -> Any:
        """Returns an optimizer as it is; see ``fleet.distributed_optimizer``.

        Args:
            optimizer: the optimizer.
            strategy: settings, which take the place of those given to ``init``.
        """
        self.user_defined_optimizer = optimizer
        if strategy is not None:
            self._user_defined_strategy = copy.deepcopy(strategy)
        return optimizer


fleet = Fleet()
