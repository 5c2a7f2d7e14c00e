"""paddle.incubate.asp: training with n:m sparse weights, masked after every step."""

from jaxeager.incubate.asp.masks import (
    CheckMethod,
    MaskAlgo,
    calculate_density,
    check_mask_1d,
    check_mask_2d,
    check_sparsity,
    create_mask,
    get_mask_1d,
    get_mask_2d_best,
    get_mask_2d_greedy,
)
from jaxeager.incubate.asp.pruning import (
    OptimizerWithSparsityGuarantee,
    decorate,
    prune_model,
    reset_excluded_layers,
    set_excluded_layers,
)
from jaxeager.incubate.asp.supported_layers import add_supported_layer

__all__ = [
    "CheckMethod",
    "MaskAlgo",
    "OptimizerWithSparsityGuarantee",
    "add_supported_layer",
    "calculate_density",
    "check_mask_1d",
    "check_mask_2d",
    "check_sparsity",
    "create_mask",
    "decorate",
    "get_mask_1d",
    "get_mask_2d_best",
    "get_mask_2d_greedy",
    "prune_model",
    "reset_excluded_layers",
    "set_excluded_layers",
]
