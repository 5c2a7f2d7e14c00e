"""Common parts of the stages: a GradScaler whose check for infinities is shared, and refusals."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from jaxeager.distributed.communication.groups import is_initialized, used_group
from jaxeager.distributed.fleet.scaler import share_found_inf
from jaxeager.errors import UnimplementedError

if TYPE_CHECKING:
    from jaxeager.amp import GradScaler
    from jaxeager.distributed.communication.groups import Group


def GroupShardedScaler(scaler: GradScaler) -> GradScaler:
    """Return a GradScaler that skips a step when any process has found an infinity.

    Args:
        scaler: the GradScaler, which is returned; with a single process it checks all gradients.
    """
    if is_initialized() and used_group(None).nranks > 1:
        share_found_inf(scaler)
    return scaler


def refuse_sync(
    function: str,
    layer: Any,
    shared: Group | None,
    sync_buffers: bool,
    dp_group: object,
) -> None:
    """Raise UnimplementedError for communication in addition to the sharing."""
    if shared is None:
        return
    if sync_buffers and layer.buffers():
        raise UnimplementedError(
            f"{function}: sync_buffers=True, which sends buffers to all processes at each forward, "
            "is not supported: leave it False, or use paddle.nn.SyncBatchNorm."
        )
    if dp_group is not None and getattr(dp_group, "nranks", 1) > 1:
        raise UnimplementedError(
            f"{function}: dp_group={dp_group}, for data parallelism in addition, is not supported: "
            "leave it None, and give group all processes."
        )
