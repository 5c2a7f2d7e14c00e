"""paddle.tensor.attribute: properties of a tensor."""

from jaxeager.tensor.names import functions

__all__ = """
    assign imag is_complex is_floating_point is_integer rank real shape
""".split()

globals().update(functions(__all__))
