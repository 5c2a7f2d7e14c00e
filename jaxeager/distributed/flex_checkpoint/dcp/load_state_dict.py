"""Reading a checkpoint in parts; ``load_state_dict`` is in jaxeager/distributed/checkpoint.py."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from jaxeager.core.ignored_arguments import unheeded
from jaxeager.distributed.checkpoint import load_merged_state_dict, load_state_dict
from jaxeager.distributed.checkpoint_files.paddle_files import load_from_memory
from jaxeager.distributed.ranks.environment import get_rank
from jaxeager.errors import InvalidArgumentError

if TYPE_CHECKING:
    from jaxeager.distributed.communication.group import Group
    from jaxeager.framework.restricted_pickle.part_records import Metadata

__all__ = [
    "_load_state_dict", "get_rank_to_read_files", "load_merged_state_dict", "load_state_dict",
]  # fmt: skip


def _load_state_dict(
    target_state_dict: dict[str, Any],
    source_state_dict: dict[str, dict[str, Any]],
    metadata_list: Sequence[Metadata],
    process_group: Group | None = None,
    coordinator_rank: int = 0,
    offload: bool = False,
    worker_groups: list | None = None,
    comm_method: str = "broadcast",
) -> None:
    """Fill the tensors of a state dict from the content of files that were read.

    Args:
        target_state_dict: the tensors or ShardedWeights to fill.
        source_state_dict: by the name of a file, the tensors that this process has read from it.
        metadata_list: the records of the parts, in a list of one.
        process_group: the processes, each of which has read some files; all by default.
        coordinator_rank: ignored.
        offload: whether Paddle sends the parts through the host, as this library always does.
        worker_groups: processes that send for others in Paddle.
        comm_method: how those processes send.

    Raises:
        InvalidArgumentError: for a tensor of another shape or dtype, and when a part is missing.
        NotFoundError: for a tensor without records.

    Example:
        >>> import jaxeager as paddle
        >>> from jaxeager.distributed.flex_checkpoint.dcp import metadata
        >>> place = metadata.LocalTensorMetadata((0,), (2,), "float32")
        >>> files = {metadata.LocalTensorIndex("x", (0,)): "0_0.distcp"}
        >>> x = paddle.zeros([2])
        >>> source = {"0_0.distcp": {"x": paddle.ones([2])}}
        >>> _load_state_dict({"x": x}, source, [metadata.Metadata({"x": [place]}, files)])
        >>> x.tolist()
        [1.0, 1.0]
    """
    unheeded(
        "_load_state_dict",
        "every process gets the content of all files, through the host",
        coordinator_rank=(coordinator_rank, 0),
        worker_groups=(worker_groups, None),
        comm_method=(comm_method, "broadcast"),
    )
    if len(metadata_list) != 1:
        raise InvalidArgumentError(
            f"metadata_list must have the records of one checkpoint, but has {len(metadata_list)}."
        )
    load_from_memory(target_state_dict, source_state_dict, metadata_list[0], process_group)


def get_rank_to_read_files(
    rank_to_required: Mapping[int, Sequence[str]], rank_to_available_files: Mapping[int, Sequence]
) -> list[str]:
    """Return the files that this process should read, so that one process reads each.

    A process that needs a file and has it comes first, then one that has it; of several, the one
    with the fewest files so far.

    Args:
        rank_to_required: by process, the files that it needs.
        rank_to_available_files: by process, the files that it has.

    Example:
        >>> get_rank_to_read_files({0: ["a", "b"], 1: ["a"]}, {0: ["a", "b"], 1: ["a"]})
        ['b']
    """
    needed = sorted({file for files in rank_to_required.values() for file in files})
    able: dict[str, list[int]] = {}
    for file in needed:
        having = [rank for rank, files in rank_to_available_files.items() if file in files]
        both = [rank for rank in having if file in rank_to_required.get(rank, ())]
        able[file] = both or having
    counts: Counter[int] = Counter()
    mine: list[str] = []
    for file in sorted(needed, key=lambda file: (len(able[file]), file)):
        if able[file]:
            reader = min(able[file], key=lambda rank: (counts[rank], rank))
            counts[reader] += 1
            if reader == get_rank():
                mine.append(file)
    return mine
