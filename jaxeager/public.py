"""paddle.<name> of every public function in the table."""

from jaxeager import operators  # noqa: F401 - with it Tensor is whole
from jaxeager.ops.row import PUBLIC

globals().update(PUBLIC)
__all__ = sorted(PUBLIC)
