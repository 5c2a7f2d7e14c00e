"""The identity of this process, from the environment that launchers set, with Paddle's names."""

from __future__ import annotations

import os

from jaxeager.core import places
from jaxeager.core.ignored_arguments import unheeded
from jaxeager.distributed.communication import rank_status, world
from jaxeager.distributed.communication.groups import (
    Group,
    add_group,
    device_number,
    make_world,
    seconds_of,
)
from jaxeager.distributed.communication.world import number_in
from jaxeager.distributed.ranks import each_device
from jaxeager.errors import InvalidArgumentError


class ParallelEnv:
    """The identity of this process, from the environment that a launcher set.

    Attributes:
        rank: the number of this process: PADDLE_TRAINER_ID, else 0.
        local_rank: the same.
        world_size: the number of processes: PADDLE_TRAINERS_NUM, else 1.
        nranks: the same.
        device_id: the number of its device.
        dev_id: the same.
        device_type: "cpu", "gpu" or "tpu".
        current_endpoint: the address of this process, "" without a launcher.
        trainer_endpoints: the addresses of all processes.
        nrings: the number of rings for its calls: 1.
        pg_timeout: the timeout of a call, in milliseconds.

    Paddle: without a GPU ``device_id`` raises an AttributeError, and ``device_type`` is "".

    Example:
        >>> import jaxeager as paddle
        >>> env = paddle.distributed.ParallelEnv()
        >>> env.rank, env.world_size
        (0, 1)
    """

    def __init__(self):
        self.rank = self.local_rank = number_in("PADDLE_TRAINER_ID", 0)
        self.world_size = self.nranks = number_in("PADDLE_TRAINERS_NUM", 1)
        self.device_id = self.dev_id = device_number()
        self.device_type = places.place_of(places.current_device()).kind
        self.current_endpoint = os.environ.get("PADDLE_CURRENT_ENDPOINT", "")
        self.trainer_endpoints = os.environ.get("PADDLE_TRAINER_ENDPOINTS", "").split(",")
        self.nrings = number_in("FLAGS_nccl_nrings", 1)
        self.pg_timeout = number_in("PADDLE_PG_TIMEOUT", 1_800_000)


def get_rank(group: Group | None = None) -> int:
    """Return the number of this process: 0 without a launcher.

    Args:
        group: return the number within this group.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.distributed.get_rank()
        0
    """
    if group is not None:
        return group.rank
    device = each_device.current.get()
    return number_in("PADDLE_TRAINER_ID", 0) if device is None else device.number


def get_world_size(group: Group | None = None) -> int:
    """Return the number of processes: 1 without a launcher.

    Args:
        group: return the number of its processes.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.distributed.get_world_size()
        1
    """
    return number_in("PADDLE_TRAINERS_NUM", 1) if group is None else group.world_size


def init_parallel_env(nccl_config: object = None) -> None:
    """Connect to the other processes of the launcher, and create the group of all.

    Without a launcher, this is the only process; see Note [Ranks] of communication/world.py.

    Args:
        nccl_config: settings of NCCL, which XLA manages itself.

    Raises:
        PreconditionNotMetError: when the environment has no address of the others, or something was
            computed before; programs run by a launcher may compute before.
        UnavailableError: when the others do not connect in time.

    Paddle: with one process it warns and does nothing, and calls like ``all_reduce`` raise.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.distributed.init_parallel_env()
        >>> paddle.distributed.get_world_size()
        1
        >>> paddle.distributed.destroy_process_group()
    """
    unheeded("init_parallel_env", "XLA configures NCCL itself", nccl_config=(nccl_config, None))
    world.connect()
    if world.is_connected():
        rank_status.start()
    make_world()


def new_group(
    ranks: list[int] | None = None,
    backend: str | None = None,
    timeout: object = None,
    nccl_comm_init_option: int = 0,
    nccl_config: object = None,
) -> Group:
    """Create a group of processes; all processes call it, including those outside the group.

    Args:
        ranks: the numbers of the processes; all of them by default.
        backend: the transport of the calls in Paddle; ignored.
        timeout: the timeout of a call: seconds or a timedelta; by default the value of
            PADDLE_PG_TIMEOUT in milliseconds, else half an hour.
        nccl_comm_init_option: a setting of NCCL.
        nccl_config: settings of NCCL.

    Raises:
        InvalidArgumentError: for a process that does not exist.

    Paddle: requires ``init_parallel_env`` first, and ranks of several processes.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.distributed.new_group([0]).nranks
        1
        >>> paddle.distributed.destroy_process_group()
    """
    unheeded(
        "new_group",
        "XLA configures NCCL itself",
        nccl_comm_init_option=(nccl_comm_init_option, 0),
        nccl_config=(nccl_config, None),
    )
    count = get_world_size()
    ranks = list(range(count)) if ranks is None else sorted(ranks)
    absent = [each for each in ranks if not 0 <= each < count]
    if absent or len(set(ranks)) != len(ranks):
        raise InvalidArgumentError(
            f"A group consists of distinct processes below {count}, but received ranks={ranks}."
        )
    return add_group(ranks, seconds_of(timeout))


def shutdown_process_group(group: Group | None = None) -> None:
    """Free the device resources of calls between processes: XLA has none to free.

    Args:
        group: the processes; every group made by ``new_group`` when None.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.distributed.shutdown_process_group()
    """


def restart_process_group(group: Group | None = None) -> None:
    """Allocate the resources that ``shutdown_process_group`` freed: there are none.

    Args:
        group: the processes; every group that was shut down when None.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.distributed.restart_process_group()
    """


def is_available() -> bool:
    """Return whether calls between processes are available: always True.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.distributed.is_available()
        True
    """
    return True


def in_auto_parallel_align_mode() -> bool:
    """Return False: tensors on a mesh compute as on one device, without a mode for that."""
    return False
