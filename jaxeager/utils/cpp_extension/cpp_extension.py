"""Paddle's inner module that programs import from: its names raise when they are called."""

from jaxeager.utils.cpp_extension import _named

CUDA_HOME = None  # there is no CUDA to build operators of Paddle with

_HERE = ["BuildExtension", "CUDAExtension", "CppExtension", "load", "setup"]
globals().update({name: _named[name] for name in _HERE})
__all__ = ["CUDA_HOME"]
__all__ += _HERE
