"""Records of a checkpoint in parts: which part of which tensor is in which file."""

from jaxeager.framework.restricted_pickle.part_records import (
    LocalTensorIndex,
    LocalTensorMetadata,
    Metadata,
)

__all__ = ["LocalTensorIndex", "LocalTensorMetadata", "Metadata"]
