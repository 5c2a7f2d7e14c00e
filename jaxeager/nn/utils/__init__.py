"""paddle.nn.utils: helpers around parameters and their gradients."""

from jaxeager.nn.utils.clip_grad import clip_grad_norm_, clip_grad_value_

__all__ = ["clip_grad_norm_", "clip_grad_value_"]
