"""fleet.util: small calls between workers, on Python values."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from jaxeager.distributed.communication.group import barrier
from jaxeager.distributed.communication.objects import all_gather_object
from jaxeager.distributed.ranks.environment import get_rank, get_world_size
from jaxeager.errors import InvalidArgumentError, InvalidTypeError, UnimplementedError

if TYPE_CHECKING:
    from jaxeager.distributed.fleet.base.distributed_strategy import DistributedStrategy
    from jaxeager.distributed.fleet.base.role_maker import RoleMakerBase


def _check_world(comm_world: str) -> None:
    """Raise UnimplementedError for servers, which do not exist here."""
    if comm_world not in ("worker", "all"):
        raise UnimplementedError(
            'comm_world is "worker" or "all", as there are no servers, but received '
            f"{comm_world!r}."
        )


class UtilBase:
    """Small calls between workers.

    Attributes:
        role_maker: the role maker given to, or created by, ``fleet.init``.
        dist_strategy: the settings given to, or created by, ``fleet.init``.

    Example:
        >>> import jaxeager as paddle
        >>> util = paddle.distributed.fleet.util
        >>> util.all_reduce([1, 2], "max"), util.get_file_shard(["a.txt", "b.txt"])
        ([1, 2], ['a.txt', 'b.txt'])
    """

    def __init__(self):
        self.role_maker: RoleMakerBase | None = None
        self.dist_strategy: DistributedStrategy | None = None

    def all_reduce(self, input: object, mode: str = "sum", comm_world: str = "worker") -> Any:
        """Return the reduction of the values of all workers.

        Args:
            input: a list, a tuple, which is returned as a list, or an array.
            mode: "sum", "min" or "max".
            comm_world: "worker" or "all", which are the same: there are no servers.

        Raises:
            InvalidArgumentError: for any other mode. (Paddle accepts any.)
        """
        _check_world(comm_world)
        if mode not in ("sum", "min", "max"):
            raise InvalidArgumentError(f"mode is 'sum', 'min' or 'max', but received {mode!r}.")
        if get_world_size() == 1:
            return list(input) if isinstance(input, tuple) else input
        found: list = []
        all_gather_object(found, np.asarray(input))
        total = {"sum": np.sum, "min": np.min, "max": np.max}[mode](np.stack(found), axis=0)
        return total.tolist() if isinstance(input, (list, tuple)) else total

    def all_gather(self, input: object, comm_world: str = "worker") -> Any:
        """Return the values of all workers in a list; with one worker the value, as in Paddle.

        Args:
            input: a number or a string.
            comm_world: "worker" or "all", which are the same: there are no servers.
        """
        _check_world(comm_world)
        if get_world_size() == 1:
            return input
        found: list = []
        all_gather_object(found, input)
        return found

    def barrier(self, comm_world: str = "worker") -> None:
        """Wait until all workers have called it.

        Args:
            comm_world: "worker" or "all", which are the same: there are no servers.
        """
        _check_world(comm_world)
        if get_world_size() > 1:
            barrier()

    def get_file_shard(self, files: list[str]) -> list[str]:
        """Return the files for this worker, about as many as for each other worker.

        Args:
            files: paths.

        Raises:
            InvalidTypeError: when it is not a list.
        """
        if not isinstance(files, list):
            raise InvalidTypeError("files should be a list of file need to be read.")
        few, extra = divmod(len(files), get_world_size())
        rank = get_rank()
        start = rank * few + min(rank, extra)
        return files[start : start + few + (rank < extra)]

    def print_on_rank(self, message: str, rank_id: int) -> None:
        """Print a text on the worker with a number.

        Args:
            message: the text.
            rank_id: the number.
        """
        if rank_id == get_rank():
            print(message)
