"""paddle.distributed.fleet.base.role_maker: which part a process plays: that of a worker."""

from __future__ import annotations

import os
from typing import Any

from jaxeager.core.unheeded import unheeded
from jaxeager.distributed.environment import get_rank, get_world_size
from jaxeager.errors import UnimplementedError


class Role:
    """Parts that processes play.

    Attributes:
        WORKER: it trains.
        SERVER: it keeps parameters for others; there are none here.
        HETER_WORKER: it trains on another kind of device.
        ALL: every part.
        COORDINATOR: it leads the others.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.distributed.fleet.Role.WORKER
        1
    """

    WORKER, SERVER, HETER_WORKER, ALL, COORDINATOR = range(1, 6)


class RoleMakerBase:
    """Says which part this process plays.

    Args:
        is_collective: whether processes call one another, without servers.
        **kwargs: Paddle's further settings, kept in ``settings``.

    Attributes:
        settings: as given.

    Raises:
        UnimplementedError: for the part of a server.
    """

    def __init__(self, is_collective: bool = False, **kwargs: Any):
        self._is_collective = is_collective
        self.settings = kwargs
        if kwargs.get("role", Role.WORKER) == Role.SERVER:
            raise UnimplementedError(
                "Parameter servers are not part of jaxeager: a process can be a worker only."
            )

    def worker_num(self) -> int:
        """Return how many workers there are."""
        return int(self.settings.get("worker_num", get_world_size()))

    def worker_index(self) -> int:
        """Return the number of this one."""
        return int(self.settings.get("current_id", get_rank()))

    def worker_endpoints(self) -> list[str]:
        """Return the addresses of the workers."""
        told = os.environ.get("PADDLE_TRAINER_ENDPOINTS") or "127.0.0.1:6170"
        return list(self.settings.get("worker_endpoints", told.split(",")))

    def server_endpoints(self) -> list[str]:
        """Return the addresses of the servers that were named; none runs."""
        return list(self.settings.get("server_endpoints", []))

    def to_string(self) -> str:
        """Return the part, number and addresses as text."""
        return (
            f"role: {Role.WORKER}, current_id: {self.worker_index()}, worker_endpoints: "
            f"{self.worker_endpoints()}, server_endpoints: {self.server_endpoints()}"
        )


class PaddleCloudRoleMaker(RoleMakerBase):
    """Says which part this process plays, from the environment.

    Args:
        is_collective: whether processes call one another, without servers.
        **kwargs: Paddle's further settings.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.distributed.fleet.PaddleCloudRoleMaker(is_collective=True).worker_num()
        1
    """


class UserDefinedRoleMaker(RoleMakerBase):
    """Says which part this process plays, as it is told.

    Args:
        is_collective: whether processes call one another, without servers.
        init_gloo: whether Paddle starts a way for CPUs to call one another.
        **kwargs: ``current_id``, ``role``, ``worker_num``, ``worker_endpoints``,
            ``server_endpoints``.

    Raises:
        UnimplementedError: for the part of a server.

    Example:
        >>> import jaxeager as paddle
        >>> fleet = paddle.distributed.fleet
        >>> fleet.UserDefinedRoleMaker(current_id=0, role=fleet.Role.WORKER, worker_num=1).settings
        {'current_id': 0, 'role': 1, 'worker_num': 1}
    """

    def __init__(self, is_collective: bool = False, init_gloo: bool = False, **kwargs: Any):
        unheeded("UserDefinedRoleMaker", "nothing needs Gloo", init_gloo=(init_gloo, False))
        super().__init__(is_collective, **kwargs)
