"""paddle.static: InputSpec alone. There are no static graphs here."""

from jaxeager.static.input_spec import InputSpec

__all__ = ["InputSpec"]
