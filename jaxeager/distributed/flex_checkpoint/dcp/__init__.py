"""Parts of tensors (``sharded_weight``), their records (``metadata``), and nested dicts of them."""

from jaxeager.distributed.flex_checkpoint.dcp import (
    full_param,
    load_state_dict,
    metadata,
    save_state_dict,
    sharded_weight,
    utils,
)

__all__ = [
    "full_param",
    "load_state_dict",
    "metadata",
    "save_state_dict",
    "sharded_weight",
    "utils",
]
