"""paddle.<name> of every public function in the table."""

from jaxeager.ops.register import PUBLIC
from jaxeager.tensor import operators  # noqa: F401 - with it Tensor is whole

globals().update(PUBLIC)
__all__ = sorted(PUBLIC)
