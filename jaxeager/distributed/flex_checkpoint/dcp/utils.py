"""Nested dicts of tensors under names with dots, and records of several processes in one."""

from jaxeager.distributed.checkpoint_files.nested_states import (
    flatten_state_dict,
    merge_state_dict_metadata,
    unflatten_state_dict,
)

__all__ = ["flatten_state_dict", "merge_state_dict_metadata", "unflatten_state_dict"]
