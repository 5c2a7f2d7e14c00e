"""paddle.quantization.quanters: what rounds tensors in QAT."""

from jaxeager.quantization.quanters.abs_max import FakeQuanterWithAbsMaxObserver

__all__ = ["FakeQuanterWithAbsMaxObserver"]
