"""paddle.incubate.nn.functional: several operations in one call, composed of the plain ones.

XLA fuses these where it can; where Paddle needs a GPU for such a call, they run everywhere.
"""

import jaxeager as paddle
from jaxeager.incubate.nn.functional.cached_attention import (
    blha_get_max_len,
    masked_multihead_attention,
    variable_length_memory_efficient_attention,
)
from jaxeager.incubate.nn.functional.dropout import (
    fused_bias_dropout_residual_layer_norm,
    fused_dropout_add,
)
from jaxeager.incubate.nn.functional.experts import (
    cal_aux_loss,
    int_bincount,
    moe_combine,
)
from jaxeager.incubate.nn.functional.gradients import (
    cross_entropy_with_softmax_bwd_w_downcast,
    embedding_grad_add_to_,
    fused_swiglu_weighted_bwd,
)
from jaxeager.incubate.nn.functional.multi_transformer import fused_multi_transformer
from jaxeager.incubate.nn.functional.norms import (
    fast_ln,
    fast_rms_norm,
    fused_layer_norm,
    fused_rms_norm,
    fused_rms_norm_ext,
)
from jaxeager.incubate.nn.functional.products import (
    fused_bias_act,
    fused_linear,
    fused_linear_activation,
    fused_matmul_bias,
)
from jaxeager.incubate.nn.functional.rotary import fused_rotary_position_embedding
from jaxeager.incubate.nn.functional.transformer import (
    fused_dot_product_attention,
    fused_feedforward,
    fused_multi_head_attention,
)

swiglu = paddle.nn.functional.swiglu

__all__ = [
    "blha_get_max_len", "cal_aux_loss", "cross_entropy_with_softmax_bwd_w_downcast",
    "embedding_grad_add_to_", "fast_ln", "fast_rms_norm", "fused_bias_act",
    "fused_bias_dropout_residual_layer_norm", "fused_dot_product_attention", "fused_dropout_add",
    "fused_feedforward", "fused_layer_norm", "fused_linear", "fused_linear_activation",
    "fused_matmul_bias", "fused_multi_head_attention", "fused_multi_transformer",
    "fused_rms_norm", "fused_rms_norm_ext", "fused_rotary_position_embedding",
    "fused_swiglu_weighted_bwd", "int_bincount", "masked_multihead_attention", "moe_combine",
    "swiglu", "variable_length_memory_efficient_attention",
]  # fmt: skip
