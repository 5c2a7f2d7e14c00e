"""paddle.distributed.fleet.utils: recompute, and files of this machine."""

from jaxeager.distributed.fleet.recompute import recompute
from jaxeager.distributed.fleet.utils import (
    fs,
    hybrid_parallel_util,
    mix_precision_utils,
    sequence_parallel_utils,
    timer_helper,
)
from jaxeager.distributed.fleet.utils.fs import LocalFS

__all__ = [
    "LocalFS",
    "fs",
    "hybrid_parallel_util",
    "mix_precision_utils",
    "recompute",
    "sequence_parallel_utils",
    "timer_helper",
]
