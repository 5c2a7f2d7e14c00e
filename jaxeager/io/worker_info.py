"""Information of a DataLoader worker about itself."""

import sys
from typing import Any, NamedTuple


class WorkerInfo(NamedTuple):
    """The identity of a worker.

    Attributes:
        id: from 0 to ``num_workers - 1``.
        num_workers: the number of workers.
        seed: the seed that the seeds of all workers are derived from.
        dataset: the worker's copy of the dataset.
    """

    id: int
    num_workers: int
    seed: int
    dataset: Any


_info: WorkerInfo | None = None


def get_worker_info() -> WorkerInfo | None:
    """Return the description of the current DataLoader worker, or None outside of one.

    Example:
        >>> import jaxeager as paddle
        >>> print(paddle.io.get_worker_info())
        None
    """
    return _info


def set_worker_info(info: WorkerInfo) -> None:
    """Set which worker this process is."""
    sys.modules[__name__]._info = info  # type: ignore[attr-defined]
