"""paddle.distributed.fleet.base.role_maker: the role of a process, always that of a worker."""

from __future__ import annotations

import os
from typing import Any

from jaxeager.core.ignored_arguments import unheeded
from jaxeager.distributed.ranks.environment import get_rank, get_world_size
from jaxeager.errors import UnimplementedError


class Role:
    """Roles of processes.

    Attributes:
        WORKER: a process that trains.
        SERVER: a process that keeps parameters for others; not supported here.
        HETER_WORKER: a process that trains on another kind of device.
        ALL: all roles.
        COORDINATOR: a process that coordinates the others.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.distributed.fleet.Role.WORKER
        1
    """

    WORKER, SERVER, HETER_WORKER, ALL, COORDINATOR = range(1, 6)


class RoleMakerBase:
    """The role of this process.

    Args:
        is_collective: whether processes communicate directly, without servers.
        **kwargs: Paddle's other settings, stored in ``settings``.

    Attributes:
        settings: the other settings.

    Raises:
        UnimplementedError: for the role of a server.
    """

    def __init__(self, is_collective: bool = False, **kwargs: Any):
        self._is_collective = is_collective
        self.settings = kwargs
        if kwargs.get("role", Role.WORKER) == Role.SERVER:
            raise UnimplementedError(
                "Parameter servers are not part of jaxeager: a process can be a worker only."
            )

    def worker_num(self) -> int:
        """Return the number of workers."""
        return int(self.settings.get("worker_num", get_world_size()))

    def worker_index(self) -> int:
        """Return the number of this worker."""
        return int(self.settings.get("current_id", get_rank()))

    def worker_endpoints(self) -> list[str]:
        """Return the addresses of the workers."""
        endpoints = os.environ.get("PADDLE_TRAINER_ENDPOINTS") or "127.0.0.1:6170"
        return list(self.settings.get("worker_endpoints", endpoints.split(",")))

    def server_endpoints(self) -> list[str]:
        """Return the addresses of the configured servers; none runs."""
        return list(self.settings.get("server_endpoints", []))

    def to_string(self) -> str:
        """Return the role, number and addresses as text."""
        return (
            f"role: {Role.WORKER}, current_id: {self.worker_index()}, worker_endpoints: "
            f"{self.worker_endpoints()}, server_endpoints: {self.server_endpoints()}"
        )


class PaddleCloudRoleMaker(RoleMakerBase):
    """The role of this process, from the environment.

    Args:
        is_collective: whether processes communicate directly, without servers.
        **kwargs: Paddle's other settings.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.distributed.fleet.PaddleCloudRoleMaker(is_collective=True).worker_num()
        1
    """


class UserDefinedRoleMaker(RoleMakerBase):
    """The role of this process, from the arguments.

    Args:
        is_collective: whether processes communicate directly, without servers.
        init_gloo: whether Paddle starts a transport between CPUs.
        **kwargs: ``current_id``, ``role``, ``worker_num``, ``worker_endpoints``,
            ``server_endpoints``.

    Raises:
        UnimplementedError: for the role of a server.

    Example:
        >>> import jaxeager as paddle
        >>> fleet = paddle.distributed.fleet
        >>> fleet.UserDefinedRoleMaker(current_id=0, role=fleet.Role.WORKER, worker_num=1).settings
        {'current_id': 0, 'role': 1, 'worker_num': 1}
    """

    def __init__(self, is_collective: bool = False, init_gloo: bool = False, **kwargs: Any):
        unheeded("UserDefinedRoleMaker", "nothing needs Gloo", init_gloo=(init_gloo, False))
        super().__init__(is_collective, **kwargs)
