"""The processes of a program, called ranks, and how they find each other.

Note [Ranks]
    A rank is a process, as in Paddle, with its own devices. A launcher (``python -m
    jaxeager.distributed.launch``, ``spawn``, or another one that sets the same environment) passes
    the number of the rank in PADDLE_TRAINER_ID, the number of ranks in PADDLE_TRAINERS_NUM, and the
    address at which rank 0 waits for the others in PADDLE_MASTER (else the first of
    PADDLE_TRAINER_ENDPOINTS). ``connect`` passes them to ``jax.distributed``; from then on
    ``jax.devices()`` has the devices of all ranks, and ``jax.local_devices()`` those of this one,
    on which its own ops run.

    JAX needs them before it creates its first array. Both launchers therefore connect before they
    run the program. Without a launcher, ``init_parallel_env`` connects, and raises an error when
    something was computed before it.

Note [Where ranks listen]
    JAX's service of rank 0, and Gloo, which transports the calls of CPUs, authenticate no peer. By
    default the first listens on all interfaces, and the second on that of the host's name. Here
    both listen at the address in PADDLE_MASTER: on 127.0.0.1 alone if all ranks are on one machine.
    An address that is not one of this machine (a name that a cluster forwards) cannot be bound, and
    is left to JAX.
"""

from __future__ import annotations

import contextlib
import errno
import functools
import os
import secrets
import socket
import sys
from typing import Any, NoReturn

import jax
from jax._src import distributed as jax_distributed  # the store of keys has no public name
from jax._src import xla_bridge  # nor does the check whether a device was used
from jax._src.lib import _jax  # type: ignore[attr-defined]

from jaxeager.core import ports
from jaxeager.distributed.ranks.job_key import is_of_this_machine
from jaxeager.errors import InvalidArgumentError, PreconditionNotMetError, UnavailableError

_HEARTBEAT_SECONDS = 30  # a rank that is silent for so long is given up by all others
_NAMING_SECONDS = 10  # how long a rank waits for the name of the run
_RUN = "jaxeager/run"
_SHUTDOWN_SECONDS = 7 * 24 * 3600  # how long a finished rank waits for the others


def number_in(name: str, default: int) -> int:
    """Return a number from the environment."""
    return int(os.environ.get(name) or default)


def rank() -> int:
    """Return the number of this process."""
    return number_in("PADDLE_TRAINER_ID", 0)


def size() -> int:
    """Return the number of processes."""
    return number_in("PADDLE_TRAINERS_NUM", 1)


def master() -> str:
    """Return the address at which rank 0 waits for the others, "" if it is not set."""
    endpoints = os.environ.get("PADDLE_TRAINER_ENDPOINTS", "").split(",")
    return os.environ.get("PADDLE_MASTER") or endpoints[0]


def check_master_port(address: str) -> None:
    """Check that rank 0 can wait for the others at an address of this machine.

    JAX ends the process without a message if it cannot.

    Raises:
        InvalidArgumentError: for anything but an address and port.
        UnavailableError: when the port is in use, or the address is unknown.
    """
    host, _, port = address.rpartition(":")
    if not host or not port.isdigit() or not 0 < int(port) < 65536:
        raise InvalidArgumentError(
            f"The master is an address and a port, such as 127.0.0.1:23456, but received "
            f"{address!r}."
        )
    try:
        family, kind, protocol, _, place = socket.getaddrinfo(
            host.strip("[]"), int(port), type=socket.SOCK_STREAM
        )[0]
        with socket.socket(family, kind, protocol) as tried:
            tried.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)  # of a run that has ended
            tried.bind(place)
    except OSError as error:
        if error.errno == errno.EADDRNOTAVAIL:  # a name that a cluster forwards to this machine
            return
        if error.errno == errno.EADDRINUSE:
            why = f"port {port} is in use by another program. Choose a free one"
        else:
            why = f"{error}. Choose an address of the machine of rank 0"
        raise UnavailableError(
            f"Rank 0 cannot wait for the other ranks at {address}: {why}, by --master or "
            "PADDLE_MASTER."
        ) from None


def is_connected() -> bool:
    """Return whether this process is connected to the others."""
    return jax.distributed.is_initialized()


def connect() -> None:
    """Connect to the other ranks; do nothing if there are none, or if already connected.

    Raises:
        PreconditionNotMetError: when the address of rank 0 is not set, or JAX was used before.
        UnavailableError: when the others do not connect in time, or the port of rank 0 is in use.
    """
    if size() == 1 or is_connected():
        return
    if not master():
        raise PreconditionNotMetError(
            f"The environment states that {size()} processes run this program "
            "(PADDLE_TRAINERS_NUM), but not how they connect to each other. Start it with "
            "`python -m jaxeager.distributed.launch`, or set PADDLE_MASTER to the address and a "
            "free port of rank 0, such as 127.0.0.1:23456."
        )
    if xla_bridge.backends_are_initialized():
        raise PreconditionNotMetError(
            "init_parallel_env() must be called before the first tensor is created: JAX cannot "
            "find the other processes once it has used a device. Call it first, or start the "
            "program with `python -m jaxeager.distributed.launch`, which connects before it runs."
        )
    # Only a CPU uses it: the transport of calls between processes.
    jax.config.update("jax_cpu_collectives_implementation", "gloo")
    jax.config.update("jax_enable_preemption_service", False)  # it would handle SIGTERM itself
    seconds = number_in("PADDLE_CONNECT_SECONDS", 300)
    _listen_where_master_is()
    if rank() == 0:
        check_master_port(master())
    try:
        jax.distributed.initialize(
            master(), size(), rank(),
            coordinator_bind_address=_bound() if rank() == 0 else None,
            local_device_ids=_devices_of_launcher(),
            cluster_detection_method="deactivate",
            initialization_timeout=seconds,
            heartbeat_timeout_seconds=_HEARTBEAT_SECONDS,
            shutdown_timeout_seconds=_SHUTDOWN_SECONDS,
        )  # fmt: skip
    except jax.errors.JaxRuntimeError as error:
        raise UnavailableError(
            f"Rank {rank()} of {size()} has not found the others at {master()} within "
            f"{seconds} s: {error}"
        ) from error
    _leave_after_errors()
    _name_run()


def _bound() -> str | None:
    """Return where rank 0 listens, see Note [Where ranks listen]; None leaves it to JAX."""
    host, _, port = master().rpartition(":")
    name = host.strip("[]")
    if "JAX_COORDINATOR_BIND_ADDRESS" in os.environ:  # JAX's own variable
        return None
    try:
        found = sorted(socket.getaddrinfo(name, None, type=socket.SOCK_STREAM))  # IPv4 first
        for family, kind, protocol, _, address in found:
            with socket.socket(family, kind, protocol) as tried:
                tried.bind(address)
    except OSError:
        return None
    family, *_, address = found[0]
    return f"[{address[0]}]:{port}" if family == socket.AF_INET6 else f"{address[0]}:{port}"


def _listen_where_master_is() -> None:
    """Make Gloo listen on the loopback interface if all ranks are on this machine."""
    host = master().rpartition(":")[0].strip("[]")
    if not is_of_this_machine(host):
        return
    make = _jax.make_gloo_tcp_collectives
    if not isinstance(make, functools.partial):
        address = "::1" if host == "::1" else "127.0.0.1"
        _jax.make_gloo_tcp_collectives = functools.partial(make, hostname=address)


def _name_run() -> None:
    """Draw a name of this run on rank 0, and tell it to the others."""
    with contextlib.suppress(jax.errors.JaxRuntimeError):  # rank 0 is lost: the next call says so
        if rank() == 0:
            store().key_value_set(_RUN, secrets.token_hex(8))
        ports.run_name = store().blocking_key_value_get(_RUN, 1000 * _NAMING_SECONDS)


def _leave_after_errors() -> None:
    """Make an uncaught exception end this process immediately.

    JAX's usual end of a process waits for the other ranks, which wait for this one.
    """
    shown = sys.excepthook

    def excepthook(*error: Any) -> None:
        shown(*error)
        leave(1)

    if not hasattr(sys, "ps1"):  # in an interactive session nothing ends
        sys.excepthook = excepthook


def leave(code: int) -> NoReturn:
    """End this process, without waiting for any other."""
    with contextlib.suppress(OSError):  # the reader of the output may be gone
        sys.stdout.flush()
        sys.stderr.flush()
    os._exit(code)


def _devices_of_launcher() -> list[int] | None:
    """Return which accelerators this process may use, None for all visible ones."""
    chosen = os.environ.get("FLAGS_selected_gpus", "")  # noqa: SIM112 - Paddle's name
    return [int(each) for each in chosen.split(",")] if chosen else None


def store() -> Any:
    """Return the store of keys and values that all ranks share."""
    return jax_distributed.global_state.client


def device_of(rank: int) -> Any:
    """Return the device on which a rank's calls run: for this rank, the current device.

    Raises:
        UnavailableError: when no device of that rank is visible to JAX here.
    """
    own = jax.local_devices()[0]
    found = [each for each in jax.devices(own.platform) if each.process_index == rank]
    if not found:
        raise UnavailableError(f"Rank {rank} has no device of kind {own.platform!r}.")
    return found[0]
