"""Tensor's access to its values: conversions to NumPy, JAX and Python, and printing."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Self

import jax
import numpy as np

from jaxeager.arrays.as_array import host_values
from jaxeager.core import ports
from jaxeager.core.size_comparisons import Undecided
from jaxeager.core.symbolic import is_symbolic
from jaxeager.errors import (
    InvalidArgumentError,
    InvalidIndexError,
    InvalidTypeError,
    PermissionDeniedError,
    RefusedArgumentError,
    RefusedTypeError,
)
from jaxeager.ops.elementwise.overwriting import overwrite
from jaxeager.tensor.host_reads import read_array, read_values
from jaxeager.tensor.printing import tensor_repr

if TYPE_CHECKING:
    from jaxeager.tensor.tensor import Tensor


class ValueMethods:
    """A base of Tensor."""

    __slots__ = ()

    _array: jax.Array
    shape: Any
    dtype: Any
    stop_gradient: bool
    if TYPE_CHECKING:

        def __getitem__(self, item: object) -> Tensor: ...

    def numpy(self, copy: bool = True, *, force: bool = False) -> np.ndarray:
        """Return a NumPy copy, after a wait for the device.

        Args:
            copy: without effect, as in Paddle: the result is always a copy, and writing to it
                changes nothing else.
            force: without effect, as in Paddle: tensors with gradients are read as well.

        Example:
            >>> import jaxeager as paddle
            >>> paddle.ones([2]).numpy(False)
            array([1., 1.], dtype=float32)
        """
        return read_values(self, copy=True)

    def __array__(self, dtype=None, copy=None) -> np.ndarray:
        array = self.numpy()
        return array if dtype is None else array.astype(dtype)

    def __jax_array__(self) -> jax.Array:
        return self._array

    def __dlpack__(self, *, stream=None, max_version=None, dl_device=None, copy=None):
        if not self.stop_gradient:
            raise BufferError(  # the protocol's own error
                "Can't get __dlpack__ from Tensor that requires gradients. If gradients aren't "
                "required, use tensor.detach() to get a tensor without gradient."
            )
        try:
            # jax.Array declares fewer parameters than its arrays accept.
            self._array.block_until_ready()  # see host_values
            asked = {"max_version": max_version, "dl_device": dl_device, "copy": copy}
            return self._array.__dlpack__(stream=stream, **asked)  # type: ignore[call-arg]
        except (RuntimeError, ValueError) as error:
            raise BufferError(f"__dlpack__: {error}") from None

    def __dlpack_device__(self):
        return self._array.__dlpack_device__()  # type: ignore[attr-defined]

    def item(self, *args: int) -> Any:
        """Return one element as a Python scalar; without arguments the tensor must have only one.

        Raises:
            InvalidArgumentError: when there are more elements and no index.
        """
        array = read_array(self)
        if args:
            if len(args) == 1:
                args = (args[0] % array.size if -array.size <= args[0] < array.size else args[0],)
                if args[0] >= array.size or args[0] < 0:
                    raise InvalidIndexError(
                        f"index {args[0]} is out of bounds for a tensor of {array.size} elements."
                    )
            try:
                return host_values(array).item(*args)
            except IndexError as error:
                raise InvalidIndexError(f"{error}.") from None
        if array.size != 1:
            raise InvalidArgumentError(
                "only one element tensors can be converted to Python scalars when no input "
                f"coordinates, but this one has shape {list(array.shape)}."
            )
        return host_values(array).item()

    def tolist(self) -> Any:
        """Return its values as (nested) lists of Python scalars."""
        return read_values(self).tolist()

    def apply(self, func: Callable[..., Tensor]) -> Tensor:
        """Return the result of a function of this tensor.

        Args:
            func: ``func(x: Tensor) -> Tensor``.

        Raises:
            PermissionDeniedError: when this tensor requires a gradient.
            InvalidTypeError: when the function does not return a Tensor (Paddle crashes).

        Example:
            >>> import jaxeager as paddle
            >>> paddle.to_tensor([1.0, 2.0]).apply(lambda x: x * 10).tolist()
            [10.0, 20.0]
        """
        if not self.stop_gradient:
            raise PermissionDeniedError("Cannot apply function on a tensor that required gradient.")
        out = func(self)
        if not hasattr(out, "_storage"):
            raise InvalidTypeError(f"apply: func must return a Tensor, not {type(out).__name__}.")
        return out

    def apply_(self, func: Callable[[Tensor], Tensor]) -> Self:
        """Set this tensor to the value a function computes from it, and return self; see ``apply``.

        The version does not move, as in Paddle.

        Example:
            >>> import jaxeager as paddle
            >>> paddle.to_tensor([1.0, 2.0]).apply_(lambda x: x * 10).tolist()
            [10.0, 20.0]
        """
        overwrite(self, self.apply(func)._array)
        return self

    def to_dense(self) -> Self:
        """Return self, which is dense.

        Paddle: the same call is an error for a dense tensor.
        """
        return self

    def value(self) -> Self:
        """Return self."""
        return self

    def _one_element(self, what: str):
        if self._array.size != 1:
            raise RefusedArgumentError(
                f"only one element variable can be converted to {what}, but this one has shape "
                f"{list(self.shape)}."
            )
        return read_values(self).reshape(()).item()

    def __float__(self) -> float:
        return float(self._one_element("float"))

    def __int__(self) -> int:
        return int(self._one_element("int"))

    def __long__(self) -> int:
        return int(self._one_element("long"))

    def __complex__(self) -> complex:
        return complex(self._one_element("complex"))

    def __index__(self) -> int:
        value = self._one_element("python index")
        if not isinstance(value, int):
            raise InvalidTypeError(
                f"only an integer tensor can be a Python index, but this one is {self.dtype}."
            )
        return int(value)

    def __bool__(self) -> bool:
        if self._array.size != 1:
            raise RefusedArgumentError(
                "When Variable is used as the condition of if/while , Variable can only contain "
                f"one element, but this one has shape {list(self.shape)}."
            )
        return bool(read_values(self).reshape(()))

    def __nonzero__(self) -> bool:
        return bool(self)

    def __len__(self) -> int:
        if self._array.ndim == 0:
            raise RefusedTypeError("len() of a 0-D tensor is wrong")
        return self._array.shape[0]

    def __iter__(self):
        if self._array.ndim == 0:
            raise InvalidTypeError("iteration over a 0-D tensor is not possible")
        if is_symbolic(self._array.shape[0]):
            raise Undecided(
                f"`for` iterates over the first axis of {list(self._array.shape)}, whose size is "
                "open while the program is written. Compute with the whole tensor, or use "
                "paddle.static.nn.while_loop.",
                is_users=True,
            )
        return (self[i] for i in range(len(self)))

    def __contains__(self, item) -> bool:
        found = self == item
        return found if isinstance(found, bool) else bool(found.any())

    def __hash__(self) -> int:
        return id(self)

    def __format__(self, spec: str) -> str:
        if self._array.ndim == 0:  # f"{loss}" is the number
            return format(self.item(), spec)
        if spec:
            raise TypeError("unsupported format string passed to Tensor.__format__")
        return str(self)

    def __repr__(self) -> str:
        return tensor_repr(self)

    __str__ = __repr__

    _repr_html_ = ports.notebook_form
    __treescope_repr__ = ports.treescope_form
