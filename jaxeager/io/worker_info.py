"""What a worker of a DataLoader knows about itself."""

import sys
from typing import Any, NamedTuple


class WorkerInfo(NamedTuple):
    """Which worker this is.

    Attributes:
        id: from 0 to ``num_workers - 1``.
        num_workers: how many there are.
        seed: what the seeds of all workers are drawn from.
        dataset: the worker's copy of the dataset.
    """

    id: int
    num_workers: int
    seed: int
    dataset: Any


_info: WorkerInfo | None = None


def get_worker_info() -> WorkerInfo | None:
    """Return what the current DataLoader worker is, or None outside of one.

    Example:
        >>> import jaxeager as paddle
        >>> print(paddle.io.get_worker_info())
        None
    """
    return _info


def set_worker_info(info: WorkerInfo) -> None:
    """Says which worker this process is."""
    sys.modules[__name__]._info = info  # type: ignore[attr-defined]
