"""GroupShardedScaler: a GradScaler whose look for infinities processes share."""

from __future__ import annotations

from typing import Any

from jaxeager.distributed.communication.groups import is_initialized, used_group
from jaxeager.distributed.fleet.scaler import share_found_inf


def GroupShardedScaler(scaler: Any) -> Any:
    """Returns a GradScaler that leaves a step out when any process has found an infinity.

    Args:
        scaler: the GradScaler, which is returned; with one process it sees all gradients.
    """
    if is_initialized() and used_group(None).nranks > 1:
        share_found_inf(scaler)
    return scaler
