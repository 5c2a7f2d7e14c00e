"""paddle.onnx: models for runtimes that read ONNX."""

from jaxeager.onnx.exporting import export

__all__ = ["export"]
