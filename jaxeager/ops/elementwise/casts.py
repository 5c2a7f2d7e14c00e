"""Casts that are methods: ``x.float()``, ``x.int64()`` and others like them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from jaxeager.errors import InvalidTypeError
from jaxeager.ops.register import composite

if TYPE_CHECKING:
    from jaxeager.tensor.tensor import Tensor

# The dtype of each method. The names of other libraries are listed along with Paddle's own.
DTYPE_OF = {
    "bool": "bool", "byte": "uint8", "uint8": "uint8", "char": "int8", "int8": "int8",
    "short": "int16", "int16": "int16", "int": "int32", "int32": "int32", "long": "int64",
    "int64": "int64", "half": "float16", "float16": "float16", "bfloat16": "bfloat16",
    "float": "float32", "float32": "float32", "double": "float64", "float64": "float64",
    "cfloat": "complex64", "complex64": "complex64", "cdouble": "complex128",
    "complex128": "complex128",
}  # fmt: skip


def _cast_method(name: str, dtype: str):
    def method(self: Tensor) -> Tensor:
        return self.astype(dtype)

    method.__name__ = method.__qualname__ = name
    method.__doc__ = (
        f"Return the tensor as {dtype}, self when it is {dtype} already; see ``astype``.\n\n"
        "    Example:\n        >>> import jaxeager as paddle\n"
        f"        >>> paddle.to_tensor([1, 0]).{name}().dtype\n        paddle.{dtype}\n    "
    )
    return composite(public=None)(method)


for _name, _dtype in DTYPE_OF.items():
    _cast_method(_name, _dtype)


@composite(public=None)
def type_as(self, other: Tensor) -> Tensor:
    """Return the tensor in the dtype of another one, self when it has it already.

    Any shapes and dtypes are allowed; the shape of ``other`` does not matter.

    Raises:
        InvalidTypeError: when ``other`` is not a Tensor.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.ones([2]).type_as(paddle.to_tensor([1, 2])).dtype
        paddle.int64
    """
    if not hasattr(other, "_storage"):
        raise InvalidTypeError(f"type_as: takes a Tensor, but received {type(other).__name__}.")
    return self.astype(other.dtype)
