"""Writing a checkpoint in parts; ``save_state_dict`` is in jaxeager/distributed/checkpoint.py."""

from __future__ import annotations

from typing import TypeVar

from jaxeager.distributed.checkpoint import save_state_dict

__all__ = ["dedup_key_in_dict", "save_state_dict"]


_Part = TypeVar("_Part")
_File = TypeVar("_File")


def dedup_key_in_dict(global_storage_metadata: list[dict[_Part, _File]]) -> dict[_Part, _File]:
    """Return the file of each part: that of the first process which has the part.

    Args:
        global_storage_metadata: for each process, the file of each of its parts.

    Example:
        >>> dedup_key_in_dict([{"part": "0_0.distcp"}, {"part": "1_0.distcp"}])
        {'part': '0_0.distcp'}
    """
    files: dict[_Part, _File] = {}
    for of_process in global_storage_metadata:
        for part, file in of_process.items():
            files.setdefault(part, file)
    return files
