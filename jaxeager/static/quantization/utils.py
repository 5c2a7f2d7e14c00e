"""paddle.static.quantization.utils: values of static graphs; the names raise when called."""

from jaxeager.core.unsupported_names import refused
from jaxeager.static.quantization.reason import QUANTIZATION_REASON

_named = refused(
    "paddle.static.quantization.utils", QUANTIZATION_REASON, "load_variable_data set_variable_data"
)
globals().update(_named)
__all__ = list(_named)
