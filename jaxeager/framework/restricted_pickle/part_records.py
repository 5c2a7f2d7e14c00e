"""Records of a checkpoint in parts: which part of which tensor is in which file.

The classes are Paddle's: its files name them in ``MODULE``. They import nothing, as the reader of
pickles makes objects of them.
"""

from __future__ import annotations

from dataclasses import dataclass

MODULE = "paddle.distributed.flex_checkpoint.dcp.metadata"
"""The module that a file names for each class."""


@dataclass(frozen=True)
class LocalTensorMetadata:
    """The place of one part in its tensor.

    Attributes:
        global_offset: the index of its first element, along each axis.
        local_shape: its shape.
        dtype: its dtype, such as "float32".
        global_shape: the shape of the whole tensor.
        is_flattened: whether the part is a range of the elements in row-major order.
        flattened_range: that range.
    """

    global_offset: tuple[int, ...]
    local_shape: tuple[int, ...]
    dtype: str
    global_shape: tuple[int, ...] | None = None
    is_flattened: bool = False
    flattened_range: tuple[int, ...] | None = None


@dataclass(frozen=True)
class LocalTensorIndex:
    """The key of one part: the name of its tensor, and its place there.

    Attributes:
        tensor_key: the name of the tensor.
        global_offset: the index of its first element, along each axis.
        is_flattened: whether the part is a range of the elements in row-major order.
        flattened_range: that range.
        replica_id: the number of the copy, of several.
        local_shape: its shape.
    """

    tensor_key: str
    global_offset: tuple[int, ...]
    is_flattened: bool = False
    flattened_range: tuple[int, ...] | None = None
    replica_id: int | None = None
    local_shape: tuple[int, ...] | None = None


@dataclass
class Metadata:
    """The records of a whole checkpoint.

    Attributes:
        state_dict_metadata: the parts of each tensor.
        storage_metadata: the file of each part.
        flat_mapping: the keys of the nested dict, for each name with dots.
    """

    state_dict_metadata: dict[str, list[LocalTensorMetadata]] | None = None
    storage_metadata: dict[LocalTensorIndex, str] | None = None
    flat_mapping: dict[str, tuple[str, ...]] | None = None


RECORDS = (LocalTensorMetadata, LocalTensorIndex, Metadata)
