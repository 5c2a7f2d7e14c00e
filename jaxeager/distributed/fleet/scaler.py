"""A GradScaler among processes: all skip a step when one finds an infinity."""

from __future__ import annotations

import types
from typing import TYPE_CHECKING

from jaxeager.distributed.communication.groups import Group
from jaxeager.distributed.communication.tensors import ReduceOp, all_reduce

if TYPE_CHECKING:
    from jaxeager.amp import GradScaler
    from jaxeager.optimizer import Optimizer


def share_found_inf(scaler: GradScaler, group: Group | None = None) -> GradScaler:
    """Make a scaler skip a step when another process has found an infinity in its gradients.

    Args:
        scaler: the GradScaler.
        group: the processes; all of them by default.

    Returns:
        The scaler.
    """
    unscale = type(scaler)._unscale

    def unscale_together(self: GradScaler, optimizer: Optimizer) -> None:
        unscale(self, optimizer)
        progress = self._progress_of(optimizer)
        if progress.found_inf is not None:
            found = progress.found_inf.astype("int32")
            all_reduce(found, ReduceOp.MAX, group)
            progress.found_inf = found.astype("bool")

    scaler._unscale = types.MethodType(unscale_together, scaler)
    return scaler
