"""paddle.reader: functions that combine readers, as in programs from before DataLoader.

A reader is a function without arguments that returns an iterator of samples.
"""

from jaxeager.legacy.reader import decorator
from jaxeager.legacy.reader.decorator import (
    ComposeNotAligned,
    buffered,
    cache,
    chain,
    compose,
    firstn,
    map_readers,
    multiprocess_reader,
    shuffle,
    xmap_readers,
)

__all__ = [
    "ComposeNotAligned", "buffered", "cache", "chain", "compose", "decorator", "firstn",
    "map_readers", "multiprocess_reader", "shuffle", "xmap_readers",
]  # fmt: skip
