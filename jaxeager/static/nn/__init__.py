"""paddle.static.nn: layers of static graphs, and control flow, which runs immediately here.

``cond``, ``case``, ``switch_case`` and ``while_loop`` do what Paddle's do outside static graphs.
"""

from jaxeager.core.unsupported_names import refused
from jaxeager.static.nn.control_flow import case, cond, switch_case, while_loop
from jaxeager.static.programs import REASON

_NAMES = """
    batch_norm bilinear_tensor_product conv2d conv2d_transpose conv3d conv3d_transpose deform_conv2d
    embedding fc group_norm instance_norm layer_norm nce prelu py_func row_conv sequence_conv
    sequence_expand sequence_first_step sequence_last_step sequence_pool sequence_softmax
    sparse_embedding spectral_norm static_pylayer
"""
_named = refused("paddle.static.nn", REASON + " The layers of paddle.nn do the same work.", _NAMES)
globals().update(_named)
__all__ = ["case", "cond", "switch_case", "while_loop"]
__all__ += list(_named)
