"""paddle.nn.utils: helpers for parameters and their gradients."""

from jaxeager.nn.utils.clip_grad import clip_grad_norm_, clip_grad_value_
from jaxeager.nn.utils.spectral_norm_hook import spectral_norm
from jaxeager.nn.utils.transform_parameters import parameters_to_vector, vector_to_parameters
from jaxeager.nn.utils.weight_norm_hook import remove_weight_norm, weight_norm

__all__ = [
    "clip_grad_norm_",
    "clip_grad_value_",
    "parameters_to_vector",
    "remove_weight_norm",
    "spectral_norm",
    "vector_to_parameters",
    "weight_norm",
]
