"""GroupShardedScaler: a GradScaler whose look for infinities processes could share."""

from __future__ import annotations

from typing import Any


def GroupShardedScaler(scaler: Any) -> Any:
    """Returns a GradScaler as it is: one process sees all gradients.

    Args:
        scaler: the GradScaler.
    """
    return scaler
