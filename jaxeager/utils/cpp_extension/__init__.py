"""paddle.utils.cpp_extension: operators in C++ for Paddle's own kernels; each name raises."""

from jaxeager.core.unsupported_names import refused

_named = refused(
    "paddle.utils.cpp_extension",
    "Operators in C++ or CUDA are written against Paddle's tensors, and there are none. Write them "
    "with jax.numpy, Pallas or jax.ffi and give them to paddle.autograd.from_jax, or as a PyLayer.",
    "BuildExtension CUDAExtension CppExtension get_build_directory load "
    "load_op_meta_info_and_register_op setup",
)
globals().update(_named)
__all__ = list(_named)
