"""Tensor's members with one underscore, for Paddle's own code, which other code reads too."""

from __future__ import annotations

from typing import TYPE_CHECKING

import jax
import jax.numpy as jnp

from jaxeager.core.var_types import VarType
from jaxeager.errors import InvalidOperandError
from jaxeager.graph.views import shared_writes
from jaxeager.ops.call import dispatch

if TYPE_CHECKING:
    from jaxeager.tensor import Tensor


class InnerMethods:
    """A base of Tensor."""

    __slots__ = ()

    _array: jax.Array
    grad: Tensor | None

    @property
    def type(self) -> VarType:
        """Return its kind in Paddle's protocol buffers; ``dtype`` has the dtype.

        Example:
            >>> import jaxeager as paddle
            >>> paddle.ones([1]).type
            <VarType.DENSE_TENSOR: 7>
        """
        return VarType.DENSE_TENSOR

    def _slice(self, begin: int, end: int) -> Tensor:
        """Return some of its rows, as a value without a gradient.

        Args:
            begin: the first row.
            end: the row after the last one.
        """
        return dispatch.wrap(self._array[begin:end])

    def _numel(self) -> int:
        """Return the number of elements."""
        return self._array.size

    def _grad_ivar(self) -> Tensor | None:
        """Return the gradient, or None."""
        return self.grad

    def _grad_value(self) -> Tensor | None:
        """Return the gradient, or None.

        Paddle: the underlying DenseTensor.
        """
        return self.grad

    def _copy_gradient_from(self, source: Tensor) -> None:
        """Make another tensor's value its gradient.

        Args:
            source: the tensor.

        Raises:
            InvalidOperandError: when it is not a Tensor.
        """
        if not isinstance(source, dispatch.Tensor):
            raise InvalidOperandError(
                f"_copy_gradient_from takes a Tensor, but received {type(source).__name__}."
            )
        self.grad = dispatch.wrap(source._array)

    def _clear(self) -> None:
        """Free its memory: it has no elements from now on."""
        shared_writes.write_array(self, jnp.zeros([0], self._array.dtype))

    def _is_initialized(self) -> bool:
        """Return whether it has elements."""
        return self._array.size != 0
