"""fleet.util: small calls between workers, on Python values."""

from __future__ import annotations

from typing import Any

from jaxeager.errors import InvalidArgumentError, InvalidTypeError


class UtilBase:
    """Small calls between workers, of which there is one.

    Attributes:
        role_maker: what ``fleet.init`` was given, or made.
        dist_strategy: the settings that ``fleet.init`` was given, or made.

    Example:
        >>> import jaxeager as paddle
        >>> util = paddle.distributed.fleet.util
        >>> util.all_reduce([1, 2], "max"), util.get_file_shard(["a.txt", "b.txt"])
        ([1, 2], ['a.txt', 'b.txt'])
    """

    def __init__(self):
        self.role_maker: Any = None
        self.dist_strategy: Any = None

    def all_reduce(self, input: Any, mode: str = "sum", comm_world: str = "worker") -> Any:
        """Returns the values of all workers put together: those of this one.

        Args:
            input: a list, a tuple, which comes back as a list, or an array.
            mode: "sum", "min" or "max".
            comm_world: "worker", "server" or "all".

        Raises:
            InvalidArgumentError: for another mode. (Paddle takes any.)
        """
        if mode not in ("sum", "min", "max"):
            raise InvalidArgumentError(f"mode is 'sum', 'min' or 'max', but received {mode!r}.")
        return list(input) if isinstance(input, tuple) else input

    def all_gather(self, input: Any, comm_world: str = "worker") -> Any:
        """Returns the value as it is, as Paddle does with one worker.

        Args:
            input: a number or a string.
            comm_world: "worker", "server" or "all".
        """
        return input

    def barrier(self, comm_world: str = "worker") -> None:
        """Waits until all workers are here: this one is.

        Args:
            comm_world: "worker", "server" or "all".
        """

    def get_file_shard(self, files: list[str]) -> list[str]:
        """Returns the files that are for this worker: all of them.

        Args:
            files: paths.

        Raises:
            InvalidTypeError: when it is no list.
        """
        if not isinstance(files, list):
            raise InvalidTypeError("files should be a list of file need to be read.")
        return files

    def print_on_rank(self, message: str, rank_id: int) -> None:
        """Prints a text if this is the worker with a number.

        Args:
            message: the text.
            rank_id: the number.
        """
        if rank_id == 0:
            print(message)
