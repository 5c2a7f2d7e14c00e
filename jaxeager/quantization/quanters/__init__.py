"""paddle.quantization.quanters: the quanters that round tensors in QAT."""

from jaxeager.quantization.quanters.abs_max import FakeQuanterWithAbsMaxObserver

__all__ = ["FakeQuanterWithAbsMaxObserver"]
