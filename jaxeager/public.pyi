# Made by `python tools/generate.py`; do not edit.
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from jaxeager.core.types import (
    DTypeLike,
    Number,
    ParamAttrLike,
    PlaceLike,
    ShapeLike,
    TensorLike,
)
from jaxeager.ops.indexing.search import TopKRetType
from jaxeager.tensor import Tensor

def abs(x: Tensor, name: str | None = None, out: Tensor | None = None) -> Tensor:
    """Compute the absolute value of each element.

    Args:
        x: a tensor.
        name: ignored.
        out: a tensor into which the result is written.

    Returns:
        A tensor of the shape of x.

    Derivative: dx = dout * x / |x|, 0 at 0.

    At the boundary: 0 at 0, as in Paddle (JAX: 1).

    Example:
        >>> import jaxeager as paddle
        >>> paddle.abs(paddle.to_tensor([-1.0, 2.0]))
        Tensor(shape=[2], dtype=float32, place=Place(cpu), stop_gradient=True,
               [1., 2.])
    """
    ...
def abs_(x: Tensor, name: str | None = None) -> Tensor:
    """Compute the absolute value of each element. Writes into its first operand and returns it.

    Args:
        x: a tensor.
        name: ignored.

    Returns:
        The tensor x.

    Derivative: dx = dout * x / |x|, 0 at 0.

    At the boundary: 0 at 0, as in Paddle (JAX: 1).

    Example:
        >>> import jaxeager as paddle
        >>> paddle.abs_(paddle.to_tensor([-1.0, 2.0]))
        Tensor(shape=[2], dtype=float32, place=Place(cpu), stop_gradient=True,
               [1., 2.])
    """
    ...
def acos(x: Tensor, name: str | None = None, out: Tensor | None = None) -> Tensor:
    """Compute the angle in [0, pi] of each cosine.

    Args:
        x: a tensor.
        name: ignored.
        out: a tensor into which the result is written.

    Returns:
        A tensor of the shape of x.

    Derivative: dx = -dout / sqrt(1 - conj(x)^2).

    At the boundary: -inf at -1 and 1, as in Paddle.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.acos(paddle.to_tensor([0.25, 0.5]))
        Tensor(shape=[2], dtype=float32, place=Place(cpu), stop_gradient=True,
               [1.31811607, 1.04719758])
    """
    ...
def acos_(x: Tensor, name: str | None = None) -> Tensor:
    """Compute the angle in [0, pi] of each cosine. Writes into its first operand and returns it.

    Args:
        x: a tensor.
        name: ignored.

    Returns:
        The tensor x.

    Derivative: dx = -dout / sqrt(1 - conj(x)^2).

    At the boundary: -inf at -1 and 1, as in Paddle.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.acos_(paddle.to_tensor([0.25, 0.5]))
        Tensor(shape=[2], dtype=float32, place=Place(cpu), stop_gradient=True,
               [1.31811607, 1.04719758])
    """
    ...
def acosh(x: Tensor, name: str | None = None, out: Tensor | None = None) -> Tensor:
    """Compute the inverse hyperbolic cosine of each element.

    Args:
        x: a tensor.
        name: ignored.
        out: a tensor into which the result is written.

    Returns:
        A tensor of the shape of x.

    Derivative: dx = dout / sqrt(conj(x)^2 - 1).

    At the boundary: inf at 1, as in Paddle.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.acosh(paddle.to_tensor([1.5, 2.0]))
        Tensor(shape=[2], dtype=float32, place=Place(cpu), stop_gradient=True,
               [0.96242362, 1.31695795])
    """
    ...
def acosh_(x: Tensor, name: str | None = None) -> Tensor:
    """Compute the inverse hyperbolic cosine of each element. Writes into its first operand and returns it.

    Args:
        x: a tensor.
        name: ignored.

    Returns:
        The tensor x.

    Derivative: dx = dout / sqrt(conj(x)^2 - 1).

    At the boundary: inf at 1, as in Paddle.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.acosh_(paddle.to_tensor([1.5, 2.0]))
        Tensor(shape=[2], dtype=float32, place=Place(cpu), stop_gradient=True,
               [0.96242362, 1.31695795])
    """
    ...
def adaptive_avg_pool1d(x: Tensor, output_size: int, name: str | None = None) -> Tensor:
    """Return the averages over as many windows as the output has elements.

    Args:
        x: float[N, C, L].
        output_size: an int.
        name: ignored.

    Returns:
        float[N, C, L'].

    Raises:
        InvalidArgumentError: for an invalid size.

    Example:
        >>> import jaxeager as paddle
        >>> x = paddle.to_tensor([[[1.0, 3.0, 2.0, 0.0]]])
        >>> paddle.nn.functional.adaptive_avg_pool1d(x, 2).tolist()
        [[[2.0, 1.0]]]
    """
    ...
def add(x: Tensor, y: Tensor | Number, name: str | None = None, alpha: Number = 1, out: Tensor | None = None) -> Tensor:
    """Return ``x + alpha * y``, element by element.

    Args:
        x: tensor.
        y: tensor (or number) that broadcasts with ``x``.
        name: accepted for compatibility.
        alpha: factor of ``y``; other than 1 it is a recorded ``scale``.

    Returns:
        Tensor of the broadcast shape, in the dtype that both promote to.

    Raises:
        InvalidTypeError: for dtypes that do not promote, such as int64 and float32.
        InvalidArgumentError: for shapes that do not broadcast.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.add(paddle.to_tensor([1.0, 2.0]), paddle.to_tensor([3.0, 4.0])).tolist()
        [4.0, 6.0]
    """
    ...
def add_(x: Tensor, y: Tensor | Number, name: str | None = None, alpha: Number = 1) -> Tensor:
    """Add ``alpha * y`` to ``x`` in place and return ``x``.

    ``y`` is a tensor or number that broadcasts to the shape of ``x``; see ``add``.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.to_tensor([1.0]).add_(paddle.to_tensor([2.0])).tolist()
        [3.0]
    """
    ...
def add_n(inputs: Tensor | Sequence[Tensor], name: str | None = None) -> Tensor:
    """Return the sum of a list of tensors of one shape and dtype.

    Args:
        inputs: list of tensors, or one tensor.
        name: accepted for compatibility.

    Returns:
        Tensor of that shape and dtype.

    Raises:
        InvalidTypeError: when it is empty or not a list of tensors.
        InvalidArgumentError: when shapes or dtypes differ.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.add_n([paddle.ones([2]), paddle.ones([2])]).tolist()
        [2.0, 2.0]
    """
    ...
def addmm(input: Tensor, x: Tensor, y: Tensor, beta: float = 1.0, alpha: float = 1.0, name: str | None = None) -> Tensor:
    """Compute beta * input + alpha * (x @ y) for matrices x and y.

    Args:
        input: a tensor that broadcasts to [n, m].
        x: a tensor.
        y: a tensor.
        beta: the factor of the input.
        alpha: the factor of the product.
        name: ignored.

    Returns:
        A tensor [n, m], for x [n, k] and y [k, m].

    Derivative: dinput = beta * dout; dx = alpha * dout @ y^H; dy = alpha * x^H @ dout.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.addmm(paddle.ones([2, 2]), paddle.ones([2, 3]), paddle.ones([3, 2]), beta=0.5)
        Tensor(shape=[2, 2], dtype=float32, place=Place(cpu), stop_gradient=True,
               [[3.50000000, 3.50000000],
                [3.50000000, 3.50000000]])
    """
    ...
def addmm_(input: Tensor, x: Tensor, y: Tensor, beta: float = 1.0, alpha: float = 1.0, name: str | None = None) -> Tensor:
    """Compute beta * input + alpha * (x @ y) for matrices x and y. Writes into its first operand and returns it.

    Args:
        input: a tensor that broadcasts to [n, m].
        x: a tensor.
        y: a tensor.
        beta: the factor of the input.
        alpha: the factor of the product.
        name: ignored.

    Returns:
        The tensor input.

    Derivative: dinput = beta * dout; dx = alpha * dout @ y^H; dy = alpha * x^H @ dout.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.addmm_(paddle.ones([2, 2]), paddle.ones([2, 3]), paddle.ones([3, 2]), beta=0.5)
        Tensor(shape=[2, 2], dtype=float32, place=Place(cpu), stop_gradient=True,
               [[3.50000000, 3.50000000],
                [3.50000000, 3.50000000]])
    """
    ...
def all(x: Tensor, axis: int | Sequence[int] | None = None, keepdim: bool = False, name: str | None = None, out: Tensor | None = None) -> Tensor:
    """Return whether all elements over the given axes are true.

    Args:
        x: a tensor.
        axis: the dimensions to reduce, one or several; all when None.
        keepdim: whether the reduced dimensions stay, with size 1.
        name: ignored.
        out: a tensor into which the result is written.

    Returns:
        A tensor without the reduced dimensions.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.all(paddle.to_tensor([[True, False], [True, True]]), axis=1)
        Tensor(shape=[2], dtype=bool, place=Place(cpu), stop_gradient=True,
               [False, True ])
    """
    ...
def allclose(x: Tensor, y: Tensor, rtol: float = 1e-05, atol: float = 1e-08, equal_nan: bool = False, name: str | None = None) -> Tensor:
    """Return whether all elements of two tensors are close.

    Args:
        x: a tensor.
        y: a tensor.
        rtol: the relative tolerance.
        atol: the absolute tolerance.
        equal_nan: whether nan is close to nan.
        name: ignored.

    Returns:
        A bool tensor [].

    Example:
        >>> import jaxeager as paddle
        >>> paddle.allclose(paddle.to_tensor([1.0]), paddle.to_tensor([1.0]))
        Tensor(shape=[], dtype=bool, place=Place(cpu), stop_gradient=True,
               True)
    """
    ...
def amax(x: Tensor, axis: int | Sequence[int] | None = None, keepdim: bool = False, name: str | None = None, out: Tensor | None = None) -> Tensor:
    """Take the maximum; elements that tie share the gradient.

    Args:
        x: a tensor.
        axis: the dimensions to reduce, one or several; all when None.
        keepdim: whether the reduced dimensions stay, with size 1.
        name: ignored.
        out: a tensor into which the result is written.

    Returns:
        A tensor without the reduced dimensions.

    Derivative: dx = dout * t / sum(t), t = (x == out).

    At the boundary: elements that tie share it equally; all nan when one is nan, as in Paddle.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.amax(paddle.to_tensor([[1.0, 5.0], [3.0, 4.0]]), axis=1)
        Tensor(shape=[2], dtype=float32, place=Place(cpu), stop_gradient=True,
               [5., 4.])
    """
    ...
def amin(x: Tensor, axis: int | Sequence[int] | None = None, keepdim: bool = False, name: str | None = None, out: Tensor | None = None) -> Tensor:
    """Take the minimum; elements that tie share the gradient.

    Args:
        x: a tensor.
        axis: the dimensions to reduce, one or several; all when None.
        keepdim: whether the reduced dimensions stay, with size 1.
        name: ignored.
        out: a tensor into which the result is written.

    Returns:
        A tensor without the reduced dimensions.

    Derivative: dx = dout * t / sum(t), t = (x == out).

    At the boundary: elements that tie share it equally; all nan when one is nan, as in Paddle.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.amin(paddle.to_tensor([[1.0, 5.0], [3.0, 4.0]]), axis=1)
        Tensor(shape=[2], dtype=float32, place=Place(cpu), stop_gradient=True,
               [1., 3.])
    """
    ...
def angle(x: Tensor, name: str | None = None) -> Tensor:
    """Compute the angle of each complex number, in (-pi, pi].

    Args:
        x: a tensor.
        name: ignored.

    Returns:
        A tensor of the shape of x.

    Derivative: dx = dout * i * x / |x|^2, 0 at 0: 0 for a real x.

    At the boundary: 0 at 0, as in Paddle.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.angle(paddle.to_tensor([1.0 + 1.0j]))
        Tensor(shape=[1], dtype=float32, place=Place(cpu), stop_gradient=True,
               [0.78539819])
    """
    ...
def any(x: Tensor, axis: int | Sequence[int] | None = None, keepdim: bool = False, name: str | None = None, out: Tensor | None = None) -> Tensor:
    """Return whether any element over the given axes is true.

    Args:
        x: a tensor.
        axis: the dimensions to reduce, one or several; all when None.
        keepdim: whether the reduced dimensions stay, with size 1.
        name: ignored.
        out: a tensor into which the result is written.

    Returns:
        A tensor without the reduced dimensions.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.any(paddle.to_tensor([[True, False], [False, False]]), axis=1)
        Tensor(shape=[2], dtype=bool, place=Place(cpu), stop_gradient=True,
               [True , False])
    """
    ...
def arange(start: float | Tensor = 0, end: float | Tensor | None = None, step: float | Tensor = 1, dtype: DTypeLike | None = None, name: str | None = None, out: Tensor | None = None, device: PlaceLike | None = None, requires_grad: bool = False, pin_memory: bool = False) -> Tensor:
    """Return the numbers from ``start`` up to, but not including, ``end``.

    Args:
        start: the first number; the end when ``end`` is None, and 0 is the first then.
        end: the end, which is excluded.
        step: the distance between two numbers, not 0; negative counts down.
        dtype: element type; int64 when all three are integers, else the default dtype. For
            integers, the three are truncated towards 0 first.
        name: accepted for compatibility.

    Returns:
        Tensor [n], n being ``(end - start) / step`` rounded up, at least 0.

    Raises:
        InvalidArgumentError: when ``step`` is 0.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.arange(1, 7, 2).tolist()
        [1, 3, 5]
    """
    ...
def argmax(x: Tensor, axis: int | None = None, keepdim: bool = False, dtype: DTypeLike | None = 'int64', name: str | None = None, out: Tensor | None = None) -> Tensor:
    """Find the position of the first maximum.

    Args:
        x: a tensor.
        axis: the dimension that is searched; all elements, flattened, when None.
        keepdim: whether the reduced dimensions stay, with size 1.
        dtype: the dtype of the result.
        name: ignored.
        out: a tensor into which the result is written.

    Returns:
        The positions, a tensor without the searched dimension.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.argmax(paddle.to_tensor([[1.0, 5.0], [7.0, 4.0]]), axis=1)
        Tensor(shape=[2], dtype=int64, place=Place(cpu), stop_gradient=True,
               [1, 0])
    """
    ...
def argmin(x: Tensor, axis: int | None = None, keepdim: bool = False, dtype: DTypeLike | None = 'int64', name: str | None = None, out: Tensor | None = None) -> Tensor:
    """Find the position of the first minimum.

    Args:
        x: a tensor.
        axis: the dimension that is searched; all elements, flattened, when None.
        keepdim: whether the reduced dimensions stay, with size 1.
        dtype: the dtype of the result.
        name: ignored.
        out: a tensor into which the result is written.

    Returns:
        The positions, a tensor without the searched dimension.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.argmin(paddle.to_tensor([[1.0, 5.0], [7.0, 4.0]]), axis=1)
        Tensor(shape=[2], dtype=int64, place=Place(cpu), stop_gradient=True,
               [0, 1])
    """
    ...
def argsort(x: Tensor, axis: int = -1, descending: bool = False, stable: bool = False, name: str | None = None) -> Tensor:
    """Return where the elements of the sorted tensor were, along an axis.

    Args:
        x: tensor of any shape.
        axis: the axis.
        descending: whether the largest is first.
        stable: whether equal elements keep their order; here they always do.
        name: accepted for compatibility.

    Returns:
        int64 Tensor of the shape of ``x``.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.argsort(paddle.to_tensor([3.0, 1.0, 2.0])).tolist()
        [1, 2, 0]
    """
    ...
def argwhere(input: Tensor) -> Tensor:
    """Return the indices of the nonzero elements, one row each; see ``nonzero``.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.argwhere(paddle.to_tensor([[0.0, 2.0]])).tolist()
        [[0, 1]]
    """
    ...
def as_complex(x: Tensor, name: str | None = None) -> Tensor:
    """Make complex numbers of pairs of real ones, the last dimension.

    Args:
        x: a tensor.
        name: ignored.

    Returns:
        A tensor without the last dimension, which has 2 elements in x.

    Derivative: dx = as_real(dout).

    Example:
        >>> import jaxeager as paddle
        >>> paddle.as_complex(paddle.to_tensor([[1.0, 2.0]]))
        Tensor(shape=[1], dtype=complex64, place=Place(cpu), stop_gradient=True,
               [(1.00000000+2.00000000j)])
    """
    ...
def as_real(x: Tensor, name: str | None = None) -> Tensor:
    """Show complex numbers as pairs of real ones, in a last dimension of 2.

    Args:
        x: a tensor.
        name: ignored.

    Returns:
        A tensor [..., 2].

    Derivative: dx = as_complex(dout).

    Example:
        >>> import jaxeager as paddle
        >>> paddle.as_real(paddle.to_tensor([1.0 + 2.0j]))
        Tensor(shape=[1, 2], dtype=float32, place=Place(cpu), stop_gradient=True,
               [[1., 2.]])
    """
    ...
def as_strided(x: Tensor, shape: Sequence[int], stride: Sequence[int], offset: int = 0, name: str | None = None) -> Tensor:
    """Return a view of the memory of ``x`` with the given shape and strides.

    Args:
        x: tensor of any shape. If it is itself a view, the memory is that of its base, from the
            beginning, as in Paddle.
        shape: list of ints.
        stride: list of ints: the distance between neighbors in elements, per dimension.
        offset: the start in bytes, as in Paddle.
        name: accepted for compatibility.

    Returns:
        Tensor of that shape, in the dtype of ``x``.

    Raises:
        InvalidArgumentError: when it would read outside of the memory (Paddle reads there), or the
            tensor that owned the memory no longer exists.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.as_strided(paddle.to_tensor([1, 2, 3, 4]), [3, 2], [1, 1]).tolist()
        [[1, 2], [2, 3], [3, 4]]
    """
    ...
def asin(x: Tensor, name: str | None = None, out: Tensor | None = None) -> Tensor:
    """Compute the angle in [-pi/2, pi/2] of each sine.

    Args:
        x: a tensor.
        name: ignored.
        out: a tensor into which the result is written.

    Returns:
        A tensor of the shape of x.

    Derivative: dx = dout / sqrt(1 - conj(x)^2).

    At the boundary: inf at -1 and 1, as in Paddle.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.asin(paddle.to_tensor([0.25, 0.5]))
        Tensor(shape=[2], dtype=float32, place=Place(cpu), stop_gradient=True,
               [0.25268024, 0.52359879])
    """
    ...
def asin_(x: Tensor, name: str | None = None) -> Tensor:
    """Compute the angle in [-pi/2, pi/2] of each sine. Writes into its first operand and returns it.

    Args:
        x: a tensor.
        name: ignored.

    Returns:
        The tensor x.

    Derivative: dx = dout / sqrt(1 - conj(x)^2).

    At the boundary: inf at -1 and 1, as in Paddle.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.asin_(paddle.to_tensor([0.25, 0.5]))
        Tensor(shape=[2], dtype=float32, place=Place(cpu), stop_gradient=True,
               [0.25268024, 0.52359879])
    """
    ...
def asinh(x: Tensor, name: str | None = None) -> Tensor:
    """Compute the inverse hyperbolic sine of each element.

    Args:
        x: a tensor.
        name: ignored.

    Returns:
        A tensor of the shape of x.

    Derivative: dx = dout / sqrt(conj(x)^2 + 1).

    Example:
        >>> import jaxeager as paddle
        >>> paddle.asinh(paddle.to_tensor([0.25, 0.5]))
        Tensor(shape=[2], dtype=float32, place=Place(cpu), stop_gradient=True,
               [0.24746647, 0.48121184])
    """
    ...
def asinh_(x: Tensor, name: str | None = None) -> Tensor:
    """Compute the inverse hyperbolic sine of each element. Writes into its first operand and returns it.

    Args:
        x: a tensor.
        name: ignored.

    Returns:
        The tensor x.

    Derivative: dx = dout / sqrt(conj(x)^2 + 1).

    Example:
        >>> import jaxeager as paddle
        >>> paddle.asinh_(paddle.to_tensor([0.25, 0.5]))
        Tensor(shape=[2], dtype=float32, place=Place(cpu), stop_gradient=True,
               [0.24746647, 0.48121184])
    """
    ...
def assign(x: TensorLike, output: Tensor | None = None) -> Tensor:
    """Return a copy of ``x``, or write ``x`` into ``output`` and return that.

    Args:
        x: Tensor, NumPy array, number or list; Python floats are float64 here, as in Paddle.
        output: tensor to write into, in place; its version increases, and it stays on its device.

    Returns:
        Tensor of the shape of ``x``, [1] for a number; or ``output``. A leaf that requires a
        gradient, such as a parameter, stays a leaf: the write is not recorded.

    Raises:
        InvalidTypeError: for anything that is not an array.
        InvalidArgumentError: when ``output`` is such a leaf and ``x`` requires a gradient.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.assign(paddle.ones([2])).tolist()
        [1.0, 1.0]
    """
    ...
def atan(x: Tensor, name: str | None = None) -> Tensor:
    """Compute the angle in (-pi/2, pi/2) of each tangent.

    Args:
        x: a tensor.
        name: ignored.

    Returns:
        A tensor of the shape of x.

    Derivative: dx = dout / (1 + conj(x)^2).

    Example:
        >>> import jaxeager as paddle
        >>> paddle.atan(paddle.to_tensor([0.25, 0.5]))
        Tensor(shape=[2], dtype=float32, place=Place(cpu), stop_gradient=True,
               [0.24497867, 0.46364760])
    """
    ...
def atan2(x: Tensor, y: Tensor | Number, name: str | None = None) -> Tensor:
    """Compute the angle of the point (y, x), in (-pi, pi].

    Args:
        x: a tensor.
        y: a tensor or a number, broadcast with the other one.
        name: ignored.

    Returns:
        A tensor of the shape that x and y broadcast to.

    Derivative: dx = dout * y / (x^2 + y^2); dy = -dout * x / (x^2 + y^2).

    At the boundary: nan at (0, 0), as in Paddle.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.atan2(paddle.to_tensor([6.0, 7.0]), paddle.to_tensor([4.0, 2.0]))
        Tensor(shape=[2], dtype=float32, place=Place(cpu), stop_gradient=True,
               [0.98279375, 1.29249668])
    """
    ...
def atan_(x: Tensor, name: str | None = None) -> Tensor:
    """Compute the angle in (-pi/2, pi/2) of each tangent. Writes into its first operand and returns it.

    Args:
        x: a tensor.
        name: ignored.

    Returns:
        The tensor x.

    Derivative: dx = dout / (1 + conj(x)^2).

    Example:
        >>> import jaxeager as paddle
        >>> paddle.atan_(paddle.to_tensor([0.25, 0.5]))
        Tensor(shape=[2], dtype=float32, place=Place(cpu), stop_gradient=True,
               [0.24497867, 0.46364760])
    """
    ...
def atanh(x: Tensor, name: str | None = None, out: Tensor | None = None) -> Tensor:
    """Compute the inverse hyperbolic tangent of each element.

    Args:
        x: a tensor.
        name: ignored.
        out: a tensor into which the result is written.

    Returns:
        A tensor of the shape of x.

    Derivative: dx = dout / (1 - conj(x)^2).

    At the boundary: inf at -1 and 1, as in Paddle.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.atanh(paddle.to_tensor([0.25, 0.5]))
        Tensor(shape=[2], dtype=float32, place=Place(cpu), stop_gradient=True,
               [0.25541282, 0.54930615])
    """
    ...
def atanh_(x: Tensor, name: str | None = None) -> Tensor:
    """Compute the inverse hyperbolic tangent of each element. Writes into its first operand and returns it.

    Args:
        x: a tensor.
        name: ignored.

    Returns:
        The tensor x.

    Derivative: dx = dout / (1 - conj(x)^2).

    At the boundary: inf at -1 and 1, as in Paddle.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.atanh_(paddle.to_tensor([0.25, 0.5]))
        Tensor(shape=[2], dtype=float32, place=Place(cpu), stop_gradient=True,
               [0.25541282, 0.54930615])
    """
    ...
def atleast_1d(*inputs: TensorLike | Sequence[Tensor], name: str | None = None) -> Tensor:
    """Return tensors with at least one dimension: 0-D ones get one.

    ``inputs`` are tensors, or what ``to_tensor`` takes; for one the result is a tensor, else a
    list. One list of tensors is taken for its elements.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.atleast_1d(paddle.to_tensor(1.0)).shape
        paddle.Size([1])
    """
    ...
def atleast_2d(*inputs: TensorLike | Sequence[Tensor], name: str | None = None) -> Tensor:
    """Return tensors with at least two dimensions: vectors become rows.

    ``inputs`` are tensors, or what ``to_tensor`` takes; for one the result is a tensor, else a
    list. One list of tensors is taken for its elements.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.atleast_2d(paddle.ones([3])).shape
        paddle.Size([1, 3])
    """
    ...
def atleast_3d(*inputs: TensorLike | Sequence[Tensor], name: str | None = None) -> Tensor:
    """Return tensors with at least three dimensions: a vector becomes [1, n, 1].

    ``inputs`` are tensors, or what ``to_tensor`` takes; for one the result is a tensor, else a
    list. One list of tensors is taken for its elements.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.atleast_3d(paddle.ones([3])).shape
        paddle.Size([1, 3, 1])
    """
    ...
def baddbmm(input: Tensor, x: Tensor, y: Tensor, beta: float = 1.0, alpha: float = 1.0, name: str | None = None) -> Tensor:
    """Compute beta * input + alpha * (x @ y) for batches of matrices x and y.

    Args:
        input: a tensor that broadcasts to [b, n, m].
        x: a tensor.
        y: a tensor.
        beta: the factor of the input.
        alpha: the factor of the product.
        name: ignored.

    Returns:
        A tensor [b, n, m], for x [b, n, k] and y [b, k, m].

    Derivative: dinput = beta * dout; dx = alpha * dout @ y^H; dy = alpha * x^H @ dout.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.baddbmm(paddle.ones([2, 3, 3]), *[paddle.ones([2, 3, 3])] * 2, beta=0.5)
        Tensor(shape=[2, 3, 3], dtype=float32, place=Place(cpu), stop_gradient=True,
               [[[3.50000000, 3.50000000, 3.50000000],
                 [3.50000000, 3.50000000, 3.50000000],
                 [3.50000000, 3.50000000, 3.50000000]],
        <BLANKLINE>
                [[3.50000000, 3.50000000, 3.50000000],
                 [3.50000000, 3.50000000, 3.50000000],
                 [3.50000000, 3.50000000, 3.50000000]]])
    """
    ...
def baddbmm_(input: Tensor, x: Tensor, y: Tensor, beta: float = 1.0, alpha: float = 1.0, name: str | None = None) -> Tensor:
    """Compute beta * input + alpha * (x @ y) for batches of matrices x and y. Writes into its first operand and returns it.

    Args:
        input: a tensor that broadcasts to [b, n, m].
        x: a tensor.
        y: a tensor.
        beta: the factor of the input.
        alpha: the factor of the product.
        name: ignored.

    Returns:
        The tensor input.

    Derivative: dinput = beta * dout; dx = alpha * dout @ y^H; dy = alpha * x^H @ dout.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.baddbmm_(paddle.ones([2, 3, 3]), *[paddle.ones([2, 3, 3])] * 2, beta=0.5)
        Tensor(shape=[2, 3, 3], dtype=float32, place=Place(cpu), stop_gradient=True,
               [[[3.50000000, 3.50000000, 3.50000000],
                 [3.50000000, 3.50000000, 3.50000000],
                 [3.50000000, 3.50000000, 3.50000000]],
        <BLANKLINE>
                [[3.50000000, 3.50000000, 3.50000000],
                 [3.50000000, 3.50000000, 3.50000000],
                 [3.50000000, 3.50000000, 3.50000000]]])
    """
    ...
def bartlett_window(window_length: int, periodic: bool = True, dtype: DTypeLike | None = 'float32', layout: str | None = None, device: PlaceLike | None = None, pin_memory: bool = False, requires_grad: bool = False) -> Tensor:
    """Return a Bartlett window, a triangle.

    Args:
        window_length: number of elements.
        periodic: True for Fourier transforms; False makes it symmetric.
        dtype: a floating dtype.
        layout: None or "strided".

    Returns:
        Tensor of shape [window_length].

    Raises:
        InvalidArgumentError: for a negative length, another layout, or a dtype that is not a float.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.bartlett_window(4).tolist()
        [0.0, 0.5, 1.0, 0.5]
    """
    ...
def bernoulli(x: Tensor, p: float | None = None, name: str | None = None) -> Tensor:
    """Return 1 with the probability in each element of ``x``, else 0.

    Args:
        x: floating tensor of probabilities in [0, 1]. If they are not checked (Note [Checked
            domains]) a number above 1 counts as 1, and one below 0 as 0.
        p: one probability for all elements, instead of ``x``'s values.
        name: accepted for compatibility.

    Returns:
        Tensor of the shape and dtype of ``x``.

    Raises:
        OutOfRangeError: for a number that is not a probability.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.bernoulli(paddle.to_tensor([0.0, 1.0])).tolist()
        [0.0, 1.0]
    """
    ...
def bernoulli_(x: Tensor, p: float | Tensor = 0.5, name: str | None = None) -> Tensor:
    """Overwrite ``x`` with 1 with probability ``p``, else 0, and return it.

    Args:
        x: floating tensor.
        p: the probability; a number, or a Tensor that broadcasts with ``x``.
        name: accepted for compatibility.

    Raises:
        InvalidArgumentError: for an integer or complex tensor.
        OutOfRangeError: for a number that is not a probability.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.zeros([3]).bernoulli_(paddle.to_tensor([0.0, 1.0, 0.0])).tolist()
        [0.0, 1.0, 0.0]
    """
    ...
def bincount(x: Tensor, weights: Tensor | None = None, minlength: int = 0, name: str | None = None) -> Tensor:
    """Return how often each integer from 0 on occurs.

    The length of the output depends on the values, so this waits for ``x``.

    Args:
        x: int[n], not negative.
        weights: tensor[n]; sums weights instead of counting.
        minlength: the minimum length of the output.
        name: accepted for compatibility.

    Returns:
        int64[max(x) + 1], or more; in the dtype of ``weights`` if given, float64 for integer ones.

    Raises:
        InvalidTypeError: when ``x`` does not hold integers.
        InvalidArgumentError: when ``x`` is not a vector or holds a negative number, ``weights``
            have another shape, or ``minlength`` is negative.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.bincount(paddle.to_tensor([1, 2, 1])).tolist()
        [0, 2, 1]
    """
    ...
def binomial(count: Tensor, prob: Tensor, name: str | None = None) -> Tensor:
    """Return the number of successes in ``count`` trials that succeed with probability ``prob``.

    Args:
        count: tensor of numbers of trials, which must not be negative.
        prob: floating tensor of probabilities in [0, 1] that broadcasts with ``count``.
        name: accepted for compatibility.

    Returns:
        int64 tensor of the broadcast shape.

    Raises:
        InvalidArgumentError: for a ``prob`` that is not floating, shapes that do not broadcast, a
            negative count or a number that is not a probability; see Note [Checked domains].

    Example:
        >>> import jaxeager as paddle
        >>> paddle.binomial(paddle.to_tensor([3, 4]), paddle.to_tensor([0.0, 1.0])).tolist()
        [0, 4]
    """
    ...
def bitwise_and(x: Tensor, y: Tensor | Number, out: Tensor | None = None, name: str | None = None) -> Tensor:
    """Compute x and y bit by bit.

    Args:
        x: a tensor.
        y: a tensor or a number, broadcast with the other one.
        out: a tensor into which the result is written.
        name: ignored.

    Returns:
        A tensor of the shape that x and y broadcast to.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.bitwise_and(paddle.to_tensor([1, 2]), paddle.to_tensor([2, 2]))
        Tensor(shape=[2], dtype=int64, place=Place(cpu), stop_gradient=True,
               [0, 2])
    """
    ...
def bitwise_and_(x: Tensor, y: Tensor | Number, name: str | None = None) -> Tensor:
    """Compute x and y bit by bit. Writes into its first operand and returns it.

    Args:
        x: a tensor.
        y: a tensor or a number, broadcast with the other one.
        name: ignored.

    Returns:
        The tensor x.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.bitwise_and_(paddle.to_tensor([1, 2]), paddle.to_tensor([2, 2]))
        Tensor(shape=[2], dtype=int64, place=Place(cpu), stop_gradient=True,
               [0, 2])
    """
    ...
def bitwise_invert(x: Tensor, out: Tensor | None = None, name: str | None = None) -> Tensor:
    """Invert each bit.

    Args:
        x: a tensor.
        out: a tensor into which the result is written.
        name: ignored.

    Returns:
        A tensor of the shape of x.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.bitwise_not(paddle.to_tensor([1, 2]))
        Tensor(shape=[2], dtype=int64, place=Place(cpu), stop_gradient=True,
               [-2, -3])
    """
    ...
def bitwise_invert_(x: Tensor, name: str | None = None) -> Tensor:
    """Invert each bit. Writes into its first operand and returns it.

    Args:
        x: a tensor.
        name: ignored.

    Returns:
        The tensor x.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.bitwise_not_(paddle.to_tensor([1, 2]))
        Tensor(shape=[2], dtype=int64, place=Place(cpu), stop_gradient=True,
               [-2, -3])
    """
    ...
def bitwise_left_shift(x: Tensor, y: Tensor | Number, is_arithmetic: bool = True, out: Tensor | None = None, name: str | None = None) -> Tensor:
    """Shift the bits of x up by y.

    Args:
        x: a tensor.
        y: a tensor or a number, broadcast with the other one.
        is_arithmetic: whether the sign bit stays.
        out: a tensor into which the result is written.
        name: ignored.

    Returns:
        A tensor of the shape that x and y broadcast to.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.bitwise_left_shift(paddle.to_tensor([1, 2]), paddle.to_tensor([2, 2]))
        Tensor(shape=[2], dtype=int64, place=Place(cpu), stop_gradient=True,
               [4, 8])
    """
    ...
def bitwise_left_shift_(x: Tensor, y: Tensor | Number, is_arithmetic: bool = True, out: Tensor | None = None, name: str | None = None) -> Tensor:
    """Shift the bits of x up by y. Writes into its first operand and returns it.

    Args:
        x: a tensor.
        y: a tensor or a number, broadcast with the other one.
        is_arithmetic: whether the sign bit stays.
        out: a tensor into which the result is written.
        name: ignored.

    Returns:
        The tensor x.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.bitwise_left_shift_(paddle.to_tensor([1, 2]), paddle.to_tensor([2, 2]))
        Tensor(shape=[2], dtype=int64, place=Place(cpu), stop_gradient=True,
               [4, 8])
    """
    ...
def bitwise_not(x: Tensor, out: Tensor | None = None, name: str | None = None) -> Tensor:
    """Invert each bit.

    Args:
        x: a tensor.
        out: a tensor into which the result is written.
        name: ignored.

    Returns:
        A tensor of the shape of x.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.bitwise_not(paddle.to_tensor([1, 2]))
        Tensor(shape=[2], dtype=int64, place=Place(cpu), stop_gradient=True,
               [-2, -3])
    """
    ...
def bitwise_not_(x: Tensor, name: str | None = None) -> Tensor:
    """Invert each bit. Writes into its first operand and returns it.

    Args:
        x: a tensor.
        name: ignored.

    Returns:
        The tensor x.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.bitwise_not_(paddle.to_tensor([1, 2]))
        Tensor(shape=[2], dtype=int64, place=Place(cpu), stop_gradient=True,
               [-2, -3])
    """
    ...
def bitwise_or(x: Tensor, y: Tensor | Number, out: Tensor | None = None, name: str | None = None) -> Tensor:
    """Compute x or y bit by bit.

    Args:
        x: a tensor.
        y: a tensor or a number, broadcast with the other one.
        out: a tensor into which the result is written.
        name: ignored.

    Returns:
        A tensor of the shape that x and y broadcast to.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.bitwise_or(paddle.to_tensor([1, 2]), paddle.to_tensor([2, 2]))
        Tensor(shape=[2], dtype=int64, place=Place(cpu), stop_gradient=True,
               [3, 2])
    """
    ...
def bitwise_or_(x: Tensor, y: Tensor | Number, name: str | None = None) -> Tensor:
    """Compute x or y bit by bit. Writes into its first operand and returns it.

    Args:
        x: a tensor.
        y: a tensor or a number, broadcast with the other one.
        name: ignored.

    Returns:
        The tensor x.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.bitwise_or_(paddle.to_tensor([1, 2]), paddle.to_tensor([2, 2]))
        Tensor(shape=[2], dtype=int64, place=Place(cpu), stop_gradient=True,
               [3, 2])
    """
    ...
def bitwise_right_shift(x: Tensor, y: Tensor | Number, is_arithmetic: bool = True, out: Tensor | None = None, name: str | None = None) -> Tensor:
    """Shift the bits of x down by y; the sign stays unless the shift is logical.

    Args:
        x: a tensor.
        y: a tensor or a number, broadcast with the other one.
        is_arithmetic: whether the sign bit stays.
        out: a tensor into which the result is written.
        name: ignored.

    Returns:
        A tensor of the shape that x and y broadcast to.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.bitwise_right_shift(paddle.to_tensor([1, 2]), paddle.to_tensor([2, 2]))
        Tensor(shape=[2], dtype=int64, place=Place(cpu), stop_gradient=True,
               [0, 0])
    """
    ...
def bitwise_right_shift_(x: Tensor, y: Tensor | Number, is_arithmetic: bool = True, out: Tensor | None = None, name: str | None = None) -> Tensor:
    """Shift the bits of x down by y; the sign stays unless the shift is logical. Writes into its first operand and returns it.

    Args:
        x: a tensor.
        y: a tensor or a number, broadcast with the other one.
        is_arithmetic: whether the sign bit stays.
        out: a tensor into which the result is written.
        name: ignored.

    Returns:
        The tensor x.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.bitwise_right_shift_(paddle.to_tensor([1, 2]), paddle.to_tensor([2, 2]))
        Tensor(shape=[2], dtype=int64, place=Place(cpu), stop_gradient=True,
               [0, 0])
    """
    ...
def bitwise_xor(x: Tensor, y: Tensor | Number, out: Tensor | None = None, name: str | None = None) -> Tensor:
    """Compute x xor y bit by bit.

    Args:
        x: a tensor.
        y: a tensor or a number, broadcast with the other one.
        out: a tensor into which the result is written.
        name: ignored.

    Returns:
        A tensor of the shape that x and y broadcast to.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.bitwise_xor(paddle.to_tensor([1, 2]), paddle.to_tensor([2, 2]))
        Tensor(shape=[2], dtype=int64, place=Place(cpu), stop_gradient=True,
               [3, 0])
    """
    ...
def bitwise_xor_(x: Tensor, y: Tensor | Number, name: str | None = None) -> Tensor:
    """Compute x xor y bit by bit. Writes into its first operand and returns it.

    Args:
        x: a tensor.
        y: a tensor or a number, broadcast with the other one.
        name: ignored.

    Returns:
        The tensor x.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.bitwise_xor_(paddle.to_tensor([1, 2]), paddle.to_tensor([2, 2]))
        Tensor(shape=[2], dtype=int64, place=Place(cpu), stop_gradient=True,
               [3, 0])
    """
    ...
def blackman_window(window_length: int, periodic: bool = True, dtype: DTypeLike | None = 'float32', layout: str | None = None, device: PlaceLike | None = None, pin_memory: bool = False, requires_grad: bool = False) -> Tensor:
    """Return a Blackman window, the sum of two cosines.

    Args:
        window_length: number of elements.
        periodic: True for Fourier transforms; False makes it symmetric.
        dtype: a floating dtype.
        layout: None or "strided".

    Returns:
        Tensor of shape [window_length].

    Raises:
        InvalidArgumentError: for a negative length, another layout, or a dtype that is not a float.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.blackman_window(4, dtype="float64").round(2).tolist()[1:]
        [0.34, 1.0, 0.34]
    """
    ...
def block_diag(inputs: Sequence[Tensor], name: str | None = None) -> Tensor:
    """Return a matrix with the given matrices along its diagonal, zeros elsewhere.

    Args:
        inputs: list of tensors of one dtype and at most two dimensions; a vector is a row.
        name: accepted for compatibility.

    Returns:
        Tensor [sum of rows, sum of columns].

    Raises:
        InvalidArgumentError: for no tensors, one of more than two dimensions, or several dtypes.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.block_diag([paddle.ones([1, 2]), paddle.to_tensor(5.0)]).tolist()
        [[1.0, 1.0, 0.0], [0.0, 0.0, 5.0]]
    """
    ...
def bmm(x: Tensor, y: Tensor, name: str | None = None, out: Tensor | None = None) -> Tensor:
    """Multiply two batches of matrices, pair by pair.

    Args:
        x: a tensor.
        y: a tensor.
        name: ignored.
        out: a tensor into which the result is written.

    Returns:
        A tensor [b, n, m], for x [b, n, k] and y [b, k, m].

    Derivative: dx = dout @ conj(y)^T; dy = conj(x)^T @ dout.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.bmm(paddle.ones([2, 3, 4]), paddle.ones([2, 4, 5]))
        Tensor(shape=[2, 3, 5], dtype=float32, place=Place(cpu), stop_gradient=True,
               [[[4., 4., 4., 4., 4.],
                 [4., 4., 4., 4., 4.],
                 [4., 4., 4., 4., 4.]],
        <BLANKLINE>
                [[4., 4., 4., 4., 4.],
                 [4., 4., 4., 4., 4.],
                 [4., 4., 4., 4., 4.]]])
    """
    ...
def broadcast_shape(x_shape: Sequence[int], y_shape: Sequence[int]) -> list[int]:
    """Return the shape that two shapes are broadcast to, as a list.

    A size of -1 is one that is not known yet: it is broadcast to the size it meets, and stays -1
    next to 1 and -1.

    Raises:
        InvalidArgumentError: when they do not broadcast.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.broadcast_shape([2, 1], [3])
        [2, 3]
    """
    ...
def broadcast_shapes(*shapes: Sequence[int]) -> list[int]:
    """Return the shape that all the given shapes are broadcast to, as a list.

    Raises:
        InvalidArgumentError: when they do not broadcast.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.broadcast_shapes([2, 1], [3], [1, 1])
        [2, 3]
    """
    ...
def broadcast_tensors(input: Sequence[Tensor], name: str | None = None) -> list[Tensor]:
    """Broadcast tensors against each other and return them as a list.

    Args:
        input: a list of tensors.
        name: ignored.

    Returns:
        A list of tensors of one shape.

    Derivative: dinput[k] = dout[k], summed to input.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.broadcast_tensors([paddle.ones([3]), paddle.zeros([2, 1])])
        [Tensor(shape=[2, 3], dtype=float32, place=Place(cpu), stop_gradient=True,
               [[1., 1., 1.],
                [1., 1., 1.]]), Tensor(shape=[2, 3], dtype=float32, place=Place(cpu), stop_gradient=True,
               [[0., 0., 0.],
                [0., 0., 0.]])]
    """
    ...
def broadcast_to(x: Tensor, shape: ShapeLike, name: str | None = None) -> Tensor:
    """Return a tensor broadcast to a shape; see ``expand``.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.broadcast_to(paddle.to_tensor([1.0, 2.0]), [3, 2]).shape
        paddle.Size([3, 2])
    """
    ...
def bucketize(x: Tensor, sorted_sequence: Tensor, out_int32: bool = False, right: bool = False, name: str | None = None, out: Tensor | None = None) -> Tensor:
    """Return the index of the bucket each element of ``x`` falls into.

    Args:
        x: tensor of any shape.
        sorted_sequence: 1-D tensor of the bounds.
        out_int32: whether the output is int32 instead of int64.
        right: whether an element equal to a bound belongs to the bucket after it.
        name: accepted for compatibility.

    Returns:
        Tensor of the shape of ``x``.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.bucketize(paddle.to_tensor([0.5, 2.0]), paddle.to_tensor([1.0, 3.0])).tolist()
        [0, 1]
    """
    ...
def cartesian_prod(x: Sequence[Tensor], name: str | None = None) -> Tensor:
    """Return all rows with one element of each vector, the last vector's changing fastest.

    Args:
        x: list of vectors of one dtype.
        name: accepted for compatibility.

    Returns:
        Tensor[product of the lengths, number of vectors]; of one vector the vector itself.

    Raises:
        InvalidArgumentError: when there are no vectors, one is not a vector, or dtypes differ.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.cartesian_prod([paddle.to_tensor([1, 2]), paddle.to_tensor([5, 6])]).tolist()
        [[1, 5], [1, 6], [2, 5], [2, 6]]
    """
    ...
def cast(x: Tensor, dtype: DTypeLike | None, name: str | None = None) -> Tensor:
    """Convert a tensor to another dtype.

    Args:
        x: a tensor.
        dtype: the dtype of the result.
        name: ignored.

    Returns:
        A tensor of the shape of x.

    Derivative: dx = dout, in the dtype of x: its real part where x is real.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.cast(paddle.to_tensor([1.5, 2.5]), 'int32')
        Tensor(shape=[2], dtype=int32, place=Place(cpu), stop_gradient=True,
               [1, 2])
    """
    ...
def cast_(x: Tensor, dtype: DTypeLike | None, name: str | None = None) -> Tensor:
    """Convert a tensor to another dtype. Writes into its first operand and returns it.

    Args:
        x: a tensor.
        dtype: the dtype of the result.
        name: ignored.

    Returns:
        The tensor x.

    Derivative: dx = dout, in the dtype of x: its real part where x is real.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.cast_(paddle.to_tensor([1.5, 2.5]), 'int32')
        Tensor(shape=[2], dtype=int32, place=Place(cpu), stop_gradient=True,
               [1, 2])
    """
    ...
def cat(x: Sequence[Tensor], axis: int | None = 0, name: str | None = None, out: Tensor | None = None) -> Tensor:
    """Join tensors one after the other along an axis.

    Args:
        x: a list of tensors.
        axis: the dimension; it may be negative.
        name: ignored.
        out: a tensor into which the result is written.

    Returns:
        A tensor whose size along the axis is the sum of theirs.

    Derivative: dx = dout, taken where x was put.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.concat([paddle.ones([2, 3]), paddle.zeros([1, 3])], axis=0)
        Tensor(shape=[3, 3], dtype=float32, place=Place(cpu), stop_gradient=True,
               [[1., 1., 1.],
                [1., 1., 1.],
                [0., 0., 0.]])
    """
    ...
def cauchy_(x: Tensor, loc: float | Tensor = 0, scale: float | Tensor = 1, name: str | None = None) -> Tensor:
    """Overwrite ``x`` with draws from the Cauchy distribution, and return it.

    Args:
        x: floating tensor.
        loc: the median; a number, or a Tensor that broadcasts with ``x``.
        scale: the half width at half maximum; likewise.
        name: accepted for compatibility.

    Raises:
        InvalidArgumentError: for an integer or complex tensor, or a negative scale.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.zeros([4]).cauchy_(loc=2.0, scale=0.0).tolist()
        [2.0, 2.0, 2.0, 2.0]
    """
    ...
def cdist(x: Tensor, y: Tensor, p: float = 2.0, compute_mode: str = 'use_mm_for_euclid_dist_if_necessary', name: str | None = None) -> Tensor:
    """Return the p-norm distance of each row of ``x`` to each row of ``y``.

    It needs memory for all differences, [..., m, n, d], except for Euclidean distances by a product
    of matrices.

    Args:
        x: float[..., m, d].
        y: float[..., n, d]; leading dimensions broadcast.
        p: the norm, from 0 to infinity; 0 counts the coordinates that differ.
        compute_mode: whether to compute Euclidean distances by a product of matrices, which needs
            less memory and loses digits of small distances: "use_mm_for_euclid_dist",
            "donot_use_mm_for_euclid_dist", or "use_mm_for_euclid_dist_if_necessary", which uses it
            for more than 25 rows.
        name: accepted for compatibility.

    In Paddle, the gradient of a distance of 0 is nan by a product of matrices. Here it is always 0.

    Returns:
        float[..., m, n].

    Raises:
        InvalidArgumentError: for fewer than 2 dimensions, last dimensions that differ, a negative
            ``p`` or another mode.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.cdist(paddle.to_tensor([[0.0, 0.0]]), paddle.to_tensor([[3.0, 4.0]])).tolist()
        [[5.0]]
    """
    ...
def ceil(x: Tensor, name: str | None = None, out: Tensor | None = None) -> Tensor:
    """Round each element up.

    Args:
        x: a tensor.
        name: ignored.
        out: a tensor into which the result is written.

    Returns:
        A tensor of the shape of x.

    Derivative: dx = 0.

    At the boundary: 0 also at the steps, as in Paddle.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.ceil(paddle.to_tensor([-1.5, 0.25]))
        Tensor(shape=[2], dtype=float32, place=Place(cpu), stop_gradient=True,
               [-1.,  1.])
    """
    ...
def ceil_(x: Tensor, name: str | None = None) -> Tensor:
    """Round each element up. Writes into its first operand and returns it.

    Args:
        x: a tensor.
        name: ignored.

    Returns:
        The tensor x.

    Derivative: dx = 0.

    At the boundary: 0 also at the steps, as in Paddle.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.ceil_(paddle.to_tensor([-1.5, 0.25]))
        Tensor(shape=[2], dtype=float32, place=Place(cpu), stop_gradient=True,
               [-1.,  1.])
    """
    ...
def cholesky(x: Tensor, upper: bool = False, name: str | None = None) -> Tensor:
    """Return the triangular L with ``x = L @ L^H``, or with ``upper`` the U of ``x = U^H @ U``.

    Paddle raises if a matrix is not positive definite. So does this if the result is in CPU memory;
    on an accelerator the factor is nan, because the check would wait for the device. Paddle does
    not accept complex matrices.

    Args:
        x: float or complex tensor [..., n, n], Hermitian and positive definite. Only the lower
            triangle is read (the upper one with ``upper``).
        upper: whether the factor is the upper one.
        name: accepted for compatibility.

    Returns:
        Tensor [..., n, n] of the same dtype. The gradient of ``x`` is Hermitian.

    Raises:
        InvalidArgumentError: when a matrix is not square, or not positive definite.
        NotFoundError: for float16, bfloat16, integers and bool.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.linalg.cholesky(paddle.to_tensor([[4.0, 2.0], [2.0, 10.0]])).tolist()
        [[2.0, 0.0], [1.0, 3.0]]
    """
    ...
def chunk(x: Tensor, chunks: int, axis: int | Tensor = 0, name: str | None = None) -> list[Tensor]:
    """Return equal parts of a tensor along an axis.

    Args:
        x: tensor with at least one dimension.
        chunks: the number of parts.
        axis: the axis.
        name: accepted for compatibility.

    Returns:
        List of tensors.

    Example:
        >>> import jaxeager as paddle
        >>> len(paddle.chunk(paddle.ones([6]), 3))
        3
    """
    ...
def clamp(x: Tensor, min: float | Tensor | None = None, max: float | Tensor | None = None, name: str | None = None, out: Tensor | None = None) -> Tensor:
    """Return ``x`` limited to [min, max].

    Args:
        x: tensor; an integer one becomes float32 when a bound is a float.
        min: lower bound, a number or a one-element Tensor; None leaves it open.
        max: upper bound.
        name: accepted for compatibility.

    Returns:
        Tensor of the shape of ``x``.

    Raises:
        InvalidArgumentError: when ``min`` is above ``max``.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.clip(paddle.to_tensor([-1.0, 0.5, 2.0]), 0.0, 1.0).tolist()
        [0.0, 0.5, 1.0]
    """
    ...
def clamp_(x: Tensor, min: float | Tensor | None = None, max: float | Tensor | None = None, name: str | None = None) -> Tensor:
    """Limit ``x`` to [min, max] in place and return ``x``; see ``clip``.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.to_tensor([-1.0, 2.0]).clip_(0.0, 1.0).tolist()
        [0.0, 1.0]
    """
    ...
def clip(x: Tensor, min: float | Tensor | None = None, max: float | Tensor | None = None, name: str | None = None, out: Tensor | None = None) -> Tensor:
    """Return ``x`` limited to [min, max].

    Args:
        x: tensor; an integer one becomes float32 when a bound is a float.
        min: lower bound, a number or a one-element Tensor; None leaves it open.
        max: upper bound.
        name: accepted for compatibility.

    Returns:
        Tensor of the shape of ``x``.

    Raises:
        InvalidArgumentError: when ``min`` is above ``max``.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.clip(paddle.to_tensor([-1.0, 0.5, 2.0]), 0.0, 1.0).tolist()
        [0.0, 0.5, 1.0]
    """
    ...
def clip_(x: Tensor, min: float | Tensor | None = None, max: float | Tensor | None = None, name: str | None = None) -> Tensor:
    """Limit ``x`` to [min, max] in place and return ``x``; see ``clip``.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.to_tensor([-1.0, 2.0]).clip_(0.0, 1.0).tolist()
        [0.0, 1.0]
    """
    ...
def clone(x: Tensor, name: str | None = None) -> Tensor:
    """Return a copy that gradients pass through.

    ``x`` is a tensor of any shape and dtype; the copy has the same.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.clone(paddle.ones([2])).tolist()
        [1.0, 1.0]
    """
    ...
def column_stack(x: Sequence[Tensor], name: str | None = None) -> Tensor:
    """Return tensors joined along the second axis, vectors as columns.

    ``x`` is a list of tensors of one dtype: vectors [n], and tensors [n, ...] that differ only in
    the size of that axis.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.column_stack([paddle.ones([3]), paddle.ones([3, 2])]).shape
        paddle.Size([3, 3])
    """
    ...
def combinations(x: Tensor, r: int = 2, with_replacement: bool = False, name: str | None = None) -> Tensor:
    """Return all combinations of ``r`` elements of a vector, in order.

    Args:
        x: tensor[n].
        r: the number of elements in each combination.
        with_replacement: whether an element may occur again.
        name: accepted for compatibility.

    Returns:
        Tensor[number of combinations, r]; of shape [0] when ``r`` is 0.

    Raises:
        InvalidTypeError: when ``x`` is not a vector.
        InvalidArgumentError: when ``r`` is not an int of at least 0.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.combinations(paddle.to_tensor([1, 2, 3])).tolist()
        [[1, 2], [1, 3], [2, 3]]
    """
    ...
def complex(real: Tensor, imag: Tensor, name: str | None = None, out: Tensor | None = None) -> Tensor:
    """Make complex numbers of their real and imaginary parts.

    Args:
        real: the real parts.
        imag: the imaginary parts.
        name: ignored.
        out: a tensor into which the result is written.

    Returns:
        A tensor of the shape that real and imag broadcast to.

    Derivative: dreal = real(dout); dimag = imag(dout).

    Example:
        >>> import jaxeager as paddle
        >>> paddle.complex(paddle.to_tensor([1.0]), paddle.to_tensor([2.0]))
        Tensor(shape=[1], dtype=complex64, place=Place(cpu), stop_gradient=True,
               [(1.00000000+2.00000000j)])
    """
    ...
def concat(x: Sequence[Tensor], axis: int | None = 0, name: str | None = None, out: Tensor | None = None) -> Tensor:
    """Join tensors one after the other along an axis.

    Args:
        x: a list of tensors.
        axis: the dimension; it may be negative.
        name: ignored.
        out: a tensor into which the result is written.

    Returns:
        A tensor whose size along the axis is the sum of theirs.

    Derivative: dx = dout, taken where x was put.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.concat([paddle.ones([2, 3]), paddle.zeros([1, 3])], axis=0)
        Tensor(shape=[3, 3], dtype=float32, place=Place(cpu), stop_gradient=True,
               [[1., 1., 1.],
                [1., 1., 1.],
                [0., 0., 0.]])
    """
    ...
def concatenate(x: Sequence[Tensor], axis: int | None = 0, name: str | None = None, out: Tensor | None = None) -> Tensor:
    """Join tensors one after the other along an axis.

    Args:
        x: a list of tensors.
        axis: the dimension; it may be negative.
        name: ignored.
        out: a tensor into which the result is written.

    Returns:
        A tensor whose size along the axis is the sum of theirs.

    Derivative: dx = dout, taken where x was put.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.concat([paddle.ones([2, 3]), paddle.zeros([1, 3])], axis=0)
        Tensor(shape=[3, 3], dtype=float32, place=Place(cpu), stop_gradient=True,
               [[1., 1., 1.],
                [1., 1., 1.],
                [0., 0., 0.]])
    """
    ...
def conj(x: Tensor, name: str | None = None) -> Tensor:
    """Compute the complex conjugate of each element.

    Args:
        x: a tensor.
        name: ignored.

    Returns:
        A tensor of the shape of x.

    Derivative: dx = conj(dout).

    Example:
        >>> import jaxeager as paddle
        >>> paddle.conj(paddle.to_tensor([1.0 + 2.0j]))
        Tensor(shape=[1], dtype=complex64, place=Place(cpu), stop_gradient=True,
               [(1.00000000-2.00000000j)])
    """
    ...
def conv1d(x: Tensor, weight: Tensor, bias: Tensor | None = None, stride: int | Sequence[int] = 1, padding: str | int | Sequence[int] | Sequence[int | Sequence[int]] = 0, dilation: int | Sequence[int] = 1, groups: int = 1, data_format: str = 'NCL', name: str | None = None) -> Tensor:
    """Return the cross-correlation of sequences with filters: a conv2d of height 1.

    Args:
        x: float[N, C, L], or [N, L, C] for data_format "NLC".
        weight: float[M, C / groups, k].
        bias: float[M], or None.
        stride: an int.
        padding: "SAME", "VALID", an int, (left, right), or a pair for each dimension.
        dilation: an int; ignored with "SAME", see ``conv2d``.
        groups: number of channel groups.
        data_format: "NCL" or "NLC".
        name: ignored.

    Returns:
        float[N, M, L'], or [N, L', M].

    Raises:
        InvalidArgumentError: for shapes or numbers that do not match.

    Example:
        >>> import jaxeager as paddle
        >>> x, weight = paddle.to_tensor([[[1.0, 2.0, 3.0]]]), paddle.ones([1, 1, 2])
        >>> paddle.nn.functional.conv1d(x, weight).tolist()
        [[[3.0, 5.0]]]
    """
    ...
def conv2d(x: Tensor, weight: Tensor, bias: Tensor | None = None, stride: int | Sequence[int] = 1, padding: str | int | Sequence[int] | Sequence[int | Sequence[int]] = 0, dilation: int | Sequence[int] = 1, groups: int = 1, data_format: str = 'NCHW', name: str | None = None) -> Tensor:
    """Return the cross-correlation of images with filters, plus a bias.

    Args:
        x: float[N, C, H, W], or [N, H, W, C] for data_format "NHWC".
        weight: float[M, C / groups, kh, kw].
        bias: float[M], or None.
        stride: one int or (height, width).
        padding: "SAME", "VALID", an int, (height, width), (top, bottom, left, right), or a pair
            for each of the four dimensions.
        dilation: one int or (height, width).
        groups: number of channel groups.
        data_format: "NCHW" or "NHWC".
        name: ignored.

    Returns:
        float[N, M, H', W'], or [N, H', W', M].

    Raises:
        InvalidArgumentError: for shapes or numbers that do not match.

    As in Paddle, padding "SAME" is that of a convolution without dilation, and ``dilation`` is then
    ignored with a warning. For a dilated convolution pass the padding as numbers.

    Example:
        >>> import jaxeager as paddle
        >>> x, weight = paddle.ones([1, 1, 3, 3]), paddle.ones([1, 1, 2, 2])
        >>> paddle.nn.functional.conv2d(x, weight).tolist()
        [[[[4.0, 4.0], [4.0, 4.0]]]]
    """
    ...
def conv3d(x: Tensor, weight: Tensor, bias: Tensor | None = None, stride: int | Sequence[int] = 1, padding: str | int | Sequence[int] | Sequence[int | Sequence[int]] = 0, dilation: int | Sequence[int] = 1, groups: int = 1, data_format: str = 'NCDHW', name: str | None = None) -> Tensor:
    """Return the cross-correlation of volumes with filters, plus a bias.

    Args:
        x: float[N, C, D, H, W], or [N, D, H, W, C] for data_format "NDHWC".
        weight: float[M, C / groups, kd, kh, kw].
        bias: float[M], or None.
        stride: one int or (depth, height, width).
        padding: "SAME", "VALID", an int, one int per dimension, (low, high) for each of the three
            in turn, or a pair for each of the five dimensions.
        dilation: one int or (depth, height, width).
        groups: number of channel groups.
        data_format: "NCDHW" or "NDHWC".
        name: ignored.

    Returns:
        float[N, M, D', H', W'], or [N, D', H', W', M].

    Raises:
        InvalidArgumentError: for shapes or numbers that do not match.

    As in Paddle, padding "SAME" is that of a convolution without dilation, and ``dilation`` is then
    ignored with a warning. For a dilated convolution pass the padding as numbers.

    Example:
        >>> import jaxeager as paddle
        >>> x, weight = paddle.ones([1, 1, 2, 2, 3]), paddle.ones([1, 1, 2, 2, 2])
        >>> paddle.nn.functional.conv3d(x, weight).tolist()
        [[[[[8.0, 8.0]]]]]
    """
    ...
def copysign(x: Tensor, y: Tensor | Number, name: str | None = None) -> Tensor:
    """Give the elements of one tensor the signs of another's.

    Args:
        x: a tensor.
        y: a tensor or a number, broadcast with the other one.
        name: ignored.

    Returns:
        A tensor of the shape that x and y broadcast to.

    Derivative: dx = dout * sign(x) * sign(y), 0 at x = 0; dy = 0.

    At the boundary: 0 at x = 0, as in Paddle.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.copysign(paddle.to_tensor([6.0, 7.0]), paddle.to_tensor([4.0, 2.0]))
        Tensor(shape=[2], dtype=float32, place=Place(cpu), stop_gradient=True,
               [6., 7.])
    """
    ...
def copysign_(x: Tensor, y: Tensor | Number, name: str | None = None) -> Tensor:
    """Give the elements of one tensor the signs of another's. Writes into its first operand and returns it.

    Args:
        x: a tensor.
        y: a tensor or a number, broadcast with the other one.
        name: ignored.

    Returns:
        The tensor x.

    Derivative: dx = dout * sign(x) * sign(y), 0 at x = 0; dy = 0.

    At the boundary: 0 at x = 0, as in Paddle.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.copysign_(paddle.to_tensor([6.0, 7.0]), paddle.to_tensor([4.0, 2.0]))
        Tensor(shape=[2], dtype=float32, place=Place(cpu), stop_gradient=True,
               [6., 7.])
    """
    ...
def cos(x: Tensor, name: str | None = None, out: Tensor | None = None) -> Tensor:
    """Compute the cosine of each element.

    Args:
        x: a tensor.
        name: ignored.
        out: a tensor into which the result is written.

    Returns:
        A tensor of the shape of x.

    Derivative: dx = -dout * conj(sin(x)).

    Example:
        >>> import jaxeager as paddle
        >>> paddle.cos(paddle.to_tensor([0.25, 0.5]))
        Tensor(shape=[2], dtype=float32, place=Place(cpu), stop_gradient=True,
               [0.96891242, 0.87758255])
    """
    ...
def cos_(x: Tensor, name: str | None = None) -> Tensor:
    """Compute the cosine of each element. Writes into its first operand and returns it.

    Args:
        x: a tensor.
        name: ignored.

    Returns:
        The tensor x.

    Derivative: dx = -dout * conj(sin(x)).

    Example:
        >>> import jaxeager as paddle
        >>> paddle.cos_(paddle.to_tensor([0.25, 0.5]))
        Tensor(shape=[2], dtype=float32, place=Place(cpu), stop_gradient=True,
               [0.96891242, 0.87758255])
    """
    ...
def cosh(x: Tensor, name: str | None = None, out: Tensor | None = None) -> Tensor:
    """Compute the hyperbolic cosine of each element.

    Args:
        x: a tensor.
        name: ignored.
        out: a tensor into which the result is written.

    Returns:
        A tensor of the shape of x.

    Derivative: dx = dout * conj(sinh(x)).

    Example:
        >>> import jaxeager as paddle
        >>> paddle.cosh(paddle.to_tensor([0.25, 0.5]))
        Tensor(shape=[2], dtype=float32, place=Place(cpu), stop_gradient=True,
               [1.03141308, 1.12762594])
    """
    ...
def cosh_(x: Tensor, name: str | None = None) -> Tensor:
    """Compute the hyperbolic cosine of each element. Writes into its first operand and returns it.

    Args:
        x: a tensor.
        name: ignored.

    Returns:
        The tensor x.

    Derivative: dx = dout * conj(sinh(x)).

    Example:
        >>> import jaxeager as paddle
        >>> paddle.cosh_(paddle.to_tensor([0.25, 0.5]))
        Tensor(shape=[2], dtype=float32, place=Place(cpu), stop_gradient=True,
               [1.03141308, 1.12762594])
    """
    ...
def count_nonzero(x: Tensor, axis: int | Sequence[int] | None = None, keepdim: bool = False, name: str | None = None) -> Tensor:
    """Return how many elements are not zero, as int64.

    Args:
        x: tensor of any shape.
        axis: int, or list of ints; all axes by default.
        keepdim: whether reduced axes stay, with size 1.
        name: accepted for compatibility.

    Returns:
        int64 Tensor of the remaining axes.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.count_nonzero(paddle.to_tensor([0.0, 2.0, 3.0])).item()
        2
    """
    ...
def crop(x: Tensor, shape: ShapeLike | None = None, offsets: ShapeLike | None = None, name: str | None = None) -> Tensor:
    """Return a box of a tensor, as a copy.

    Args:
        x: tensor of at least one dimension.
        shape: sizes of the box, a list of ints (or Tensors) or an integer tensor; -1 means all
            elements from the offset on. All of ``x`` by default.
        offsets: start of the box, one int per dimension in any of those forms; 0 by default.
        name: accepted for compatibility.

    Returns:
        Tensor of that shape; a copy, not a view.

    Raises:
        InvalidArgumentError: when the length of shape or offsets is not the number of dimensions of
            ``x``, or when they are negative or reach beyond ``x``.

    Example:
        >>> import jaxeager as paddle
        >>> x = paddle.to_tensor([[1, 2, 3], [4, 5, 6]])
        >>> paddle.crop(x, shape=[2, -1], offsets=[0, 1]).tolist()
        [[2, 3], [5, 6]]
    """
    ...
def cross(x: Tensor, y: Tensor | Number, axis: int | None = 9, name: str | None = None) -> Tensor:
    """Compute cross products of vectors of 3 elements along an axis.

    Args:
        x: a tensor.
        y: a tensor or a number.
        axis: a dimension of 3 elements; 9 means the first one.
        name: ignored.

    Returns:
        A tensor of the shape that x and y broadcast to.

    Derivative: dx = cross(conj(y), dout); dy = cross(dout, conj(x)).

    Example:
        >>> import jaxeager as paddle
        >>> paddle.cross(paddle.to_tensor([1.0, 0.0, 0.0]), paddle.to_tensor([0.0, 1.0, 0.0]))
        Tensor(shape=[3], dtype=float32, place=Place(cpu), stop_gradient=True,
               [0., 0., 1.])
    """
    ...
def cummax(x: Tensor, axis: int | None = None, dtype: DTypeLike = 'int64', name: str | None = None) -> tuple[Tensor, Tensor]:
    """Return the largest elements up to each place along an axis, and their positions.

    Args:
        x: tensor of any shape.
        axis: the axis; without it ``x`` is flattened first.
        dtype: the dtype of the positions, "int64" or "int32".
        name: accepted for compatibility.

    Returns:
        The running maxima and their positions, of the shape of ``x`` (flat without an axis).

    Example:
        >>> import jaxeager as paddle
        >>> out, indices = paddle.cummax(paddle.to_tensor([1.0, 3.0, 2.0]), 0)
        >>> out.tolist(), indices.tolist()
        ([1.0, 3.0, 3.0], [0, 1, 1])
    """
    ...
def cummin(x: Tensor, axis: int | None = None, dtype: DTypeLike = 'int64', name: str | None = None) -> tuple[Tensor, Tensor]:
    """Return the smallest elements up to each place along an axis, and their positions.

    Args:
        x: tensor of any shape.
        axis: the axis; without it ``x`` is flattened first.
        dtype: the dtype of the positions, "int64" or "int32".
        name: accepted for compatibility.

    Returns:
        The running minima and their positions, of the shape of ``x`` (flat without an axis).

    Example:
        >>> import jaxeager as paddle
        >>> out, indices = paddle.cummin(paddle.to_tensor([3.0, 1.0, 2.0]), 0)
        >>> out.tolist(), indices.tolist()
        ([3.0, 1.0, 1.0], [0, 1, 1])
    """
    ...
def cumprod(x: Tensor, dim: int | None = None, dtype: DTypeLike | None = None, name: str | None = None, out: Tensor | None = None) -> Tensor:
    """Return the products of the elements up to each place along an axis.

    Args:
        x: tensor of any shape.
        dim: the axis; without it ``x`` is flattened first.
        dtype: dtype to cast ``x`` to first.
        name: accepted for compatibility.

    Returns:
        Tensor of the shape of ``x`` (flat without an axis).

    Example:
        >>> import jaxeager as paddle
        >>> paddle.cumprod(paddle.to_tensor([1.0, 2.0, 3.0]), 0).tolist()
        [1.0, 2.0, 6.0]
    """
    ...
def cumprod_(x: Tensor, dim: int | None = None, dtype: DTypeLike | None = None, name: str | None = None) -> Tensor:
    """Write the running products of ``x`` into ``x`` and return it; see ``cumprod``.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.to_tensor([2.0, 2.0, 3.0]).cumprod_(0).tolist()
        [2.0, 4.0, 12.0]
    """
    ...
def cumsum(x: Tensor, axis: int | None = None, dtype: DTypeLike | None = None, name: str | None = None, out: Tensor | None = None) -> Tensor:
    """Return the sums of the elements up to each place along an axis.

    Args:
        x: tensor of any shape.
        axis: the axis; without it ``x`` is flattened first.
        dtype: dtype to cast ``x`` to first.
        name: accepted for compatibility.

    Returns:
        Tensor of the shape of ``x`` (flat without an axis).

    Example:
        >>> import jaxeager as paddle
        >>> paddle.cumsum(paddle.to_tensor([[1.0, 2.0], [3.0, 4.0]]), axis=0).tolist()
        [[1.0, 2.0], [4.0, 6.0]]
    """
    ...
def cumsum_(x: Tensor, axis: int | None = None, dtype: DTypeLike | None = None, name: str | None = None) -> Tensor:
    """Write the running sums of ``x`` into ``x`` and return it; see ``cumsum``.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.to_tensor([1.0, 2.0, 3.0]).cumsum_(0).tolist()
        [1.0, 3.0, 6.0]
    """
    ...
def cumulative_trapezoid(y: Tensor, x: Tensor | None = None, dx: float | None = None, axis: int = -1, name: str | None = None) -> Tensor:
    """Return the integrals of ``y`` up to each place but the first; see ``trapezoid``.

    Returns:
        Tensor that is one element shorter than ``y`` along the axis.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.cumulative_trapezoid(paddle.to_tensor([1.0, 2.0, 3.0])).tolist()
        [1.5, 4.0]
    """
    ...
def deg2rad(x: Tensor, name: str | None = None) -> Tensor:
    """Return angles in radians for degrees.

    ``x`` is a tensor of any shape and dtype; integers and bool become the default floating dtype.

    Example:
        >>> import jaxeager as paddle
        >>> round(paddle.deg2rad(paddle.to_tensor(180.0)).item(), 4)
        3.1416
    """
    ...
def diag(x: Tensor, offset: int = 0, padding_value: Number | Tensor = 0, name: str | None = None) -> Tensor:
    """Put a vector on a diagonal of a matrix, or take a diagonal of a matrix.

    Args:
        x: a tensor.
        offset: the diagonal: 0 is the main one, those above it are positive.
        padding_value: the value of the elements off the diagonal.
        name: ignored.

    Returns:
        A matrix for a vector, a vector for a matrix.

    Derivative: dx = dout, put where x was read.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.diag(paddle.to_tensor([1.0, 2.0]))
        Tensor(shape=[2, 2], dtype=float32, place=Place(cpu), stop_gradient=True,
               [[1., 0.],
                [0., 2.]])
    """
    ...
def diag_embed(input: Tensor, offset: int = 0, dim1: int = -2, dim2: int = -1, name: str | None = None) -> Tensor:
    """Put the last dimension on a diagonal of two new dimensions.

    Args:
        input: a tensor.
        offset: the diagonal: 0 is the main one, those above it are positive.
        dim1: where the first dimension of the matrices is in the result.
        dim2: where the second dimension of the matrices is in the result.
        name: ignored.

    Returns:
        A tensor with one dimension more.

    Derivative: dinput = diagonal(dout, offset, dim1, dim2): Paddle gives none.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.diag_embed(paddle.to_tensor([1.0, 2.0]))
        Tensor(shape=[2, 2], dtype=float32, place=Place(cpu), stop_gradient=True,
               [[1., 0.],
                [0., 2.]])
    """
    ...
def diagflat(x: Tensor, offset: int = 0, name: str | None = None) -> Tensor:
    """Return a matrix with the elements of ``x``, in order, on a diagonal.

    Args:
        x: tensor of any shape.
        offset: the diagonal; 0 is the main one.
        name: accepted for compatibility.

    Returns:
        Tensor [n, n] for n elements, larger by the offset.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.diagflat(paddle.to_tensor([[1, 2]])).tolist()
        [[1, 0], [0, 2]]
    """
    ...
def diagonal(x: Tensor, offset: int = 0, axis1: int = 0, axis2: int = 1, name: str | None = None, out: Tensor | None = None) -> Tensor:
    """Take the diagonals of the matrices that two dimensions span, as a last dimension.

    Args:
        x: a tensor.
        offset: the diagonal: 0 is the main one, those above it are positive.
        axis1: the first dimension of the matrices.
        axis2: the second dimension of the matrices.
        name: ignored.
        out: a tensor into which the result is written.

    Returns:
        A tensor whose last dimension is the diagonal; it shares the memory of x.

    Derivative: dx = dout, put where x was read: on the diagonals.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.diagonal(paddle.ones([2, 3]))
        Tensor(shape=[2], dtype=float32, place=Place(cpu), stop_gradient=True,
               [1., 1.])
    """
    ...
def diagonal_scatter(x: Tensor, y: Tensor, offset: int = 0, axis1: int = 0, axis2: int = 1, name: str | None = None) -> Tensor:
    """Return ``x`` with ``y`` on the diagonals of the matrices that two dimensions span.

    In Paddle, gradients do not reach ``y``, and a ``y`` of another dtype is read as if it had the
    dtype of ``x``. Here ``y`` gets its gradient, and must have that dtype; but a complex tensor
    and one of floats become complex, as in Paddle.

    Args:
        x: tensor of at least two dimensions.
        y: tensor of the shape of ``diagonal(x, offset, axis1, axis2)``.
        offset: the diagonal: 0 is the main one, positive ones are to its right.
        axis1: the first dimension of the matrices.
        axis2: the second.
        name: accepted for compatibility.

    Returns:
        Tensor of the shape and dtype of ``x``, or complex.

    Raises:
        InvalidArgumentError: when the shape or dtype of ``y`` does not fit.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.diagonal_scatter(paddle.zeros([2, 2]), paddle.to_tensor([1.0, 2.0])).tolist()
        [[1.0, 0.0], [0.0, 2.0]]
    """
    ...
def diff(x: Tensor, n: int = 1, axis: int = -1, prepend: Tensor | None = None, append: Tensor | None = None, name: str | None = None, out: Tensor | None = None) -> Tensor:
    """Return the n-th differences between neighbors along an axis.

    Args:
        x: tensor with at least one dimension.
        n: the number of times to take the differences.
        axis: the axis.
        prepend: tensor to join before ``x`` first.
        append: tensor to join after ``x`` first.
        name: accepted for compatibility.

    Returns:
        Tensor that is n elements shorter along the axis; bool tensors give bool.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.diff(paddle.to_tensor([1.0, 4.0, 9.0])).tolist()
        [3.0, 5.0]
    """
    ...
def digamma(x: Tensor, name: str | None = None) -> Tensor:
    """Compute the derivative of the logarithm of the gamma function.

    Args:
        x: a tensor.
        name: ignored.

    Returns:
        A tensor of the shape of x.

    Derivative: dx = dout * polygamma(x, 1).

    At the boundary: inf at 0 and at negative integers, as in Paddle.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.digamma(paddle.to_tensor([0.25, 0.5]))
        Tensor(shape=[2], dtype=float32, place=Place(cpu), stop_gradient=True,
               [-4.22745371, -1.96351004])
    """
    ...
def digamma_(x: Tensor, name: str | None = None) -> Tensor:
    """Compute the derivative of the logarithm of the gamma function. Writes into its first operand and returns it.

    Args:
        x: a tensor.
        name: ignored.

    Returns:
        The tensor x.

    Derivative: dx = dout * polygamma(x, 1).

    At the boundary: inf at 0 and at negative integers, as in Paddle.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.digamma_(paddle.to_tensor([0.25, 0.5]))
        Tensor(shape=[2], dtype=float32, place=Place(cpu), stop_gradient=True,
               [-4.22745371, -1.96351004])
    """
    ...
def dist(x: Tensor, y: Tensor, p: float = 2.0, name: str | None = None) -> Tensor:
    """Compute the p-norm of x - y.

    Args:
        x: a tensor.
        y: a tensor, broadcast with the other one.
        p: the order of the norm; 0 counts the elements that differ.
        name: ignored.

    Returns:
        A tensor [].

    Derivative: dx = dout * sign(x - y) * (|x - y| / out)^(p - 1), 0 at out = 0; dy = -dx.

    At the boundary: 0 where the operands are equal, as in Paddle.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.dist(paddle.to_tensor([3.0, 4.0]), paddle.to_tensor([0.0, 0.0]))
        Tensor(shape=[], dtype=float32, place=Place(cpu), stop_gradient=True,
               5.)
    """
    ...
def div(x: Tensor, y: Tensor | Number, name: str | None = None, rounding_mode: str | None = None, out: Tensor | None = None) -> Tensor:
    """Return ``x / y``, element by element; integers are divided as float32.

    Args:
        x: tensor.
        y: tensor (or number, unless rounded by "trunc") that broadcasts with ``x``.
        name: accepted for compatibility.
        rounding_mode: None, "floor" (rounds down) or "trunc" (towards 0); a rounded quotient has no
            gradient, and integers stay integers.

    Returns:
        Tensor of the broadcast shape.

    Raises:
        InvalidArgumentError: for another rounding mode, or shapes that do not broadcast.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.divide(paddle.to_tensor([3.0]), paddle.to_tensor([2.0])).tolist()
        [1.5]
    """
    ...
def div_(x: Tensor, y: Tensor | Number, name: str | None = None, rounding_mode: str | None = None) -> Tensor:
    """Divide ``x`` by ``y`` in place and return ``x``; see ``divide``.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.to_tensor([3.0]).divide_(paddle.to_tensor([2.0])).tolist()
        [1.5]
    """
    ...
def divide(x: Tensor, y: Tensor | Number, name: str | None = None, rounding_mode: str | None = None, out: Tensor | None = None) -> Tensor:
    """Return ``x / y``, element by element; integers are divided as float32.

    Args:
        x: tensor.
        y: tensor (or number, unless rounded by "trunc") that broadcasts with ``x``.
        name: accepted for compatibility.
        rounding_mode: None, "floor" (rounds down) or "trunc" (towards 0); a rounded quotient has no
            gradient, and integers stay integers.

    Returns:
        Tensor of the broadcast shape.

    Raises:
        InvalidArgumentError: for another rounding mode, or shapes that do not broadcast.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.divide(paddle.to_tensor([3.0]), paddle.to_tensor([2.0])).tolist()
        [1.5]
    """
    ...
def divide_(x: Tensor, y: Tensor | Number, name: str | None = None, rounding_mode: str | None = None) -> Tensor:
    """Divide ``x`` by ``y`` in place and return ``x``; see ``divide``.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.to_tensor([3.0]).divide_(paddle.to_tensor([2.0])).tolist()
        [1.5]
    """
    ...
def dot(x: Tensor, y: Tensor, name: str | None = None, out: Tensor | None = None) -> Tensor:
    """Sum the products of two vectors, or of each pair of rows of two matrices.

    Args:
        x: a tensor.
        y: a tensor.
        name: ignored.
        out: a tensor into which the result is written.

    Returns:
        A tensor [], or [n] for matrices [n, k].

    Derivative: dx = dout * conj(y); dy = dout * conj(x).

    Example:
        >>> import jaxeager as paddle
        >>> paddle.dot(paddle.to_tensor([1.0, 2.0]), paddle.to_tensor([3.0, 4.0]))
        Tensor(shape=[], dtype=float32, place=Place(cpu), stop_gradient=True,
               11.)
    """
    ...
def dsplit(x: Tensor, num_or_indices: int | Sequence[int], name: str | None = None) -> list[Tensor]:
    """Return parts along the third axis; see tensor_split.

    Example:
        >>> import jaxeager as paddle
        >>> len(paddle.dsplit(paddle.ones([2, 2, 2]), 2))
        2
    """
    ...
def dstack(x: Sequence[Tensor], name: str | None = None) -> Tensor:
    """Return tensors joined along the third axis.

    ``x`` is a list of tensors of one dtype that, after ``atleast_3d``, differ only in the size of
    that axis.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.dstack([paddle.ones([2, 3]), paddle.ones([2, 3])]).shape
        paddle.Size([2, 3, 2])
    """
    ...
def eigvalsh(x: Tensor, UPLO: str = 'L', name: str | None = None) -> Tensor:
    """Compute the eigenvalues of Hermitian (symmetric) matrices, the smallest first. One triangle is read, the lower one by default.

    Args:
        x: a tensor.
        UPLO: the triangle that is read: 'L' the lower one, 'U' the upper one.
        name: ignored.

    Returns:
        A real tensor [..., n], for x [..., n, n].

    Derivative: dx = v @ diag(dout) @ v^H, (w, v) = eigh(x).

    At the boundary: For repeated eigenvalues, the gradient of one choice of their vectors.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.linalg.eigvalsh(paddle.to_tensor([[2.0, 0.0], [0.0, 1.0]]))
        Tensor(shape=[2], dtype=float32, place=Place(cpu), stop_gradient=True,
               [1., 2.])
    """
    ...
def einsum(equation: str, *operands: Tensor | Sequence[Tensor]) -> Tensor:
    """Return the sums of products given by an equation in Einstein notation.

    Paddle's backward reads private copies of the operands, so it does not notice an in-place write
    after ``einsum``. Here that raises the usual error for a modified saved tensor.

    Args:
        equation: for example "ij,jk->ik"; without "->" the output has the indices that occur once,
            in alphabetical order. An index that the output repeats, as in "i->ii", is a diagonal.
        *operands: tensors, one per comma-separated term, or one list of them.

    Returns:
        Tensor with the dimensions after "->".

    Raises:
        RefusedArgumentError: for another number of terms, or an index that is not a letter.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.einsum("ij,ij->i", paddle.ones([2, 3]), paddle.ones([2, 3])).tolist()
        [3.0, 3.0]
    """
    ...
def empty(shape: ShapeLike | int, dtype: DTypeLike | None = None, name: str | None = None, out: Tensor | None = None, device: PlaceLike | None = None, requires_grad: bool = False, pin_memory: bool = False) -> Tensor:
    """Return a tensor whose values are not specified.

    They are zeros, because XLA has no uninitialized memory; FLAGS_alloc_fill_value changes that.

    The shape is an int, a list of ints or an int Tensor; see ``zeros`` for the other parameters.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.empty([2, 3]).shape
        paddle.Size([2, 3])
    """
    ...
def empty_like(x: Tensor, dtype: DTypeLike | None = None, name: str | None = None, device: PlaceLike | None = None, requires_grad: bool = False, pin_memory: bool = False) -> Tensor:
    """Return a tensor of another's shape and dtype whose values are not specified; see ``empty``.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.empty_like(paddle.ones([2])).shape
        paddle.Size([2])
    """
    ...
def eq(x: Tensor, y: Tensor | Number, name: str | None = None, out: Tensor | None = None) -> Tensor:
    """Return for each element whether x == y.

    Args:
        x: a tensor.
        y: a tensor or a number, broadcast with the other one.
        name: ignored.
        out: a tensor into which the result is written.

    Returns:
        A tensor of the shape that x and y broadcast to.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.equal(paddle.to_tensor([1, 2]), paddle.to_tensor([2, 2]))
        Tensor(shape=[2], dtype=bool, place=Place(cpu), stop_gradient=True,
               [False, True ])
    """
    ...
def equal(x: Tensor, y: Tensor | Number, name: str | None = None, out: Tensor | None = None) -> Tensor:
    """Return for each element whether x == y.

    Args:
        x: a tensor.
        y: a tensor or a number, broadcast with the other one.
        name: ignored.
        out: a tensor into which the result is written.

    Returns:
        A tensor of the shape that x and y broadcast to.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.equal(paddle.to_tensor([1, 2]), paddle.to_tensor([2, 2]))
        Tensor(shape=[2], dtype=bool, place=Place(cpu), stop_gradient=True,
               [False, True ])
    """
    ...
def equal_(x: Tensor, y: Tensor | Number, name: str | None = None) -> Tensor:
    """Return for each element whether x == y. Writes into its first operand and returns it.

    Args:
        x: a tensor.
        y: a tensor or a number, broadcast with the other one.
        name: ignored.

    Returns:
        The tensor x.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.equal_(paddle.to_tensor([1, 2]), paddle.to_tensor([2, 2]))
        Tensor(shape=[2], dtype=bool, place=Place(cpu), stop_gradient=True,
               [False, True ])
    """
    ...
def equal_all(x: Tensor, y: Tensor, name: str | None = None) -> Tensor:
    """Return whether two tensors have the same shape and equal elements.

    Args:
        x: a tensor.
        y: a tensor.
        name: ignored.

    Returns:
        A bool tensor [].

    Example:
        >>> import jaxeager as paddle
        >>> paddle.equal_all(paddle.to_tensor([1.0]), paddle.to_tensor([1.0]))
        Tensor(shape=[], dtype=bool, place=Place(cpu), stop_gradient=True,
               True)
    """
    ...
def erf(x: Tensor, name: str | None = None) -> Tensor:
    """Compute the error function of each element.

    Args:
        x: a tensor.
        name: ignored.

    Returns:
        A tensor of the shape of x.

    Derivative: dx = dout * 2 / sqrt(pi) * exp(-x^2).

    Example:
        >>> import jaxeager as paddle
        >>> paddle.erf(paddle.to_tensor([0.25, 0.5]))
        Tensor(shape=[2], dtype=float32, place=Place(cpu), stop_gradient=True,
               [0.27632636, 0.52049989])
    """
    ...
def erf_(x: Tensor, name: str | None = None) -> Tensor:
    """Compute the error function of each element. Writes into its first operand and returns it.

    Args:
        x: a tensor.
        name: ignored.

    Returns:
        The tensor x.

    Derivative: dx = dout * 2 / sqrt(pi) * exp(-x^2).

    Example:
        >>> import jaxeager as paddle
        >>> paddle.erf_(paddle.to_tensor([0.25, 0.5]))
        Tensor(shape=[2], dtype=float32, place=Place(cpu), stop_gradient=True,
               [0.27632636, 0.52049989])
    """
    ...
def erfinv(x: Tensor, name: str | None = None) -> Tensor:
    """Compute the inverse of the error function of each element.

    Args:
        x: a tensor.
        name: ignored.

    Returns:
        A tensor of the shape of x.

    Derivative: dx = dout * sqrt(pi) / 2 * exp(out^2).

    At the boundary: inf at -1 and 1, as in Paddle.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.erfinv(paddle.to_tensor([0.25, 0.5]))
        Tensor(shape=[2], dtype=float32, place=Place(cpu), stop_gradient=True,
               [0.22531205, 0.47693628])
    """
    ...
def erfinv_(x: Tensor, name: str | None = None) -> Tensor:
    """Compute the inverse of the error function of each element. Writes into its first operand and returns it.

    Args:
        x: a tensor.
        name: ignored.

    Returns:
        The tensor x.

    Derivative: dx = dout * sqrt(pi) / 2 * exp(out^2).

    At the boundary: inf at -1 and 1, as in Paddle.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.erfinv_(paddle.to_tensor([0.25, 0.5]))
        Tensor(shape=[2], dtype=float32, place=Place(cpu), stop_gradient=True,
               [0.22531205, 0.47693628])
    """
    ...
def exp(x: Tensor, name: str | None = None, out: Tensor | None = None) -> Tensor:
    """Compute e to the power of each element.

    Args:
        x: a tensor.
        name: ignored.
        out: a tensor into which the result is written.

    Returns:
        A tensor of the shape of x.

    Derivative: dx = dout * conj(out).

    Example:
        >>> import jaxeager as paddle
        >>> paddle.exp(paddle.to_tensor([0.25, 0.5]))
        Tensor(shape=[2], dtype=float32, place=Place(cpu), stop_gradient=True,
               [1.28402543, 1.64872122])
    """
    ...
def exp_(x: Tensor, name: str | None = None) -> Tensor:
    """Compute e to the power of each element. Writes into its first operand and returns it.

    Args:
        x: a tensor.
        name: ignored.

    Returns:
        The tensor x.

    Derivative: dx = dout * conj(out).

    Example:
        >>> import jaxeager as paddle
        >>> paddle.exp_(paddle.to_tensor([0.25, 0.5]))
        Tensor(shape=[2], dtype=float32, place=Place(cpu), stop_gradient=True,
               [1.28402543, 1.64872122])
    """
    ...
def expand(x: Tensor, shape: ShapeLike | int, *more: int | Tensor, name: str | None = None) -> Tensor:
    """Return a tensor broadcast to a shape.

    Args:
        x: tensor of any shape.
        shape: list of ints, -1 to keep the dimension of ``x``. ``x.expand(2, 3)`` works too.
        *more: further dimensions when ``shape`` is an int.
        name: accepted for compatibility.

    Returns:
        Tensor of that shape.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.expand(paddle.to_tensor([1.0, 2.0]), [2, -1]).tolist()
        [[1.0, 2.0], [1.0, 2.0]]
    """
    ...
def expand_as(x: Tensor, y: Tensor, name: str | None = None, out: Tensor | None = None) -> Tensor:
    """Broadcast a tensor to the shape of another one.

    Args:
        x: a tensor.
        y: a tensor, broadcast with the other one.
        name: ignored.
        out: a tensor into which the result is written.

    Returns:
        A tensor of the shape of y.

    Derivative: dx = dout, summed to x.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.expand_as(paddle.to_tensor([1.0, 2.0]), paddle.ones([3, 2]))
        Tensor(shape=[3, 2], dtype=float32, place=Place(cpu), stop_gradient=True,
               [[1., 2.],
                [1., 2.],
                [1., 2.]])
    """
    ...
def expm1(x: Tensor, name: str | None = None, out: Tensor | None = None) -> Tensor:
    """Compute exp(x) - 1, exactly for small x.

    Args:
        x: a tensor.
        name: ignored.
        out: a tensor into which the result is written.

    Returns:
        A tensor of the shape of x.

    Derivative: dx = dout * (conj(out) + 1).

    Example:
        >>> import jaxeager as paddle
        >>> paddle.expm1(paddle.to_tensor([0.25, 0.5]))
        Tensor(shape=[2], dtype=float32, place=Place(cpu), stop_gradient=True,
               [0.28402540, 0.64872128])
    """
    ...
def expm1_(x: Tensor, name: str | None = None) -> Tensor:
    """Compute exp(x) - 1, exactly for small x. Writes into its first operand and returns it.

    Args:
        x: a tensor.
        name: ignored.

    Returns:
        The tensor x.

    Derivative: dx = dout * (conj(out) + 1).

    Example:
        >>> import jaxeager as paddle
        >>> paddle.expm1_(paddle.to_tensor([0.25, 0.5]))
        Tensor(shape=[2], dtype=float32, place=Place(cpu), stop_gradient=True,
               [0.28402540, 0.64872128])
    """
    ...
def exponential_(x: Tensor, lam: float = 1.0, name: str | None = None) -> Tensor:
    """Overwrite ``x`` with exponentially distributed numbers of rate ``lam``, and return it.

    The in-place version does not change, as in Paddle; nor do values of ``x`` saved for backward.

    ``x`` is a floating tensor of any shape.

    Raises:
        InvalidArgumentError: for a rate that is not above 0.

    Example:
        >>> import jaxeager as paddle
        >>> bool((paddle.zeros([4]).exponential_() >= 0.0).all())
        True
    """
    ...
def eye(num_rows: int, num_columns: int | None = None, dtype: DTypeLike | None = None, name: str | None = None, out: Tensor | None = None, device: PlaceLike | None = None, requires_grad: bool = False, pin_memory: bool = False) -> Tensor:
    """Return a matrix with ones on its diagonal.

    Args:
        num_rows: the number of rows.
        num_columns: the number of columns, ``num_rows`` by default.
        dtype: element type, the default dtype.
        name: accepted for compatibility.

    Returns:
        Tensor [num_rows, num_columns].

    Raises:
        InvalidSizeError: when a number is negative.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.eye(2, 3, "int32").tolist()
        [[1, 0, 0], [0, 1, 0]]
    """
    ...
def fill_(x: Tensor, value: Number) -> Tensor:
    """Set every element of ``x`` to a number and return ``x``; the old value gets no gradient.

    ``x`` is a tensor of any shape and dtype.

    Raises:
        InvalidTypeError: when ``value`` is not a number; ``x[...] = tensor`` accepts a tensor, and
            computes its gradient.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.ones([2]).fill_(3.0).tolist()
        [3.0, 3.0]
    """
    ...
def flatten(x: Tensor, start_axis: int = 0, stop_axis: int = -1, name: str | None = None) -> Tensor:
    """Merge the dimensions from start_axis to stop_axis into one.

    Args:
        x: a tensor.
        start_axis: the first dimension to merge.
        stop_axis: the last dimension to merge.
        name: ignored.

    Returns:
        A tensor with fewer dimensions, which shares the memory of x.

    Derivative: dx = dout, in the shape of x.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.flatten(paddle.ones([2, 3, 4]), start_axis=1)
        Tensor(shape=[2, 12], dtype=float32, place=Place(cpu), stop_gradient=True,
               [[1., 1., 1., 1., 1., 1., 1., 1., 1., 1., 1., 1.],
                [1., 1., 1., 1., 1., 1., 1., 1., 1., 1., 1., 1.]])
    """
    ...
def flatten_(x: Tensor, start_axis: int = 0, stop_axis: int = -1, name: str | None = None) -> Tensor:
    """Merge the dimensions from start_axis to stop_axis into one. Writes into its first operand and returns it.

    Args:
        x: a tensor.
        start_axis: the first dimension to merge.
        stop_axis: the last dimension to merge.
        name: ignored.

    Returns:
        The tensor x.

    Derivative: dx = dout, in the shape of x.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.flatten_(paddle.ones([2, 3, 4]), start_axis=1)
        Tensor(shape=[2, 12], dtype=float32, place=Place(cpu), stop_gradient=True,
               [[1., 1., 1., 1., 1., 1., 1., 1., 1., 1., 1., 1.],
                [1., 1., 1., 1., 1., 1., 1., 1., 1., 1., 1., 1.]])
    """
    ...
def flip(x: Tensor, axis: int | Sequence[int], name: str | None = None) -> Tensor:
    """Reverse the order of the elements along axes.

    Args:
        x: a tensor.
        axis: the dimensions whose order is reversed.
        name: ignored.

    Returns:
        A tensor of the shape of x.

    Derivative: dx = flip(dout).

    Example:
        >>> import jaxeager as paddle
        >>> paddle.flip(paddle.to_tensor([1.0, 2.0, 3.0]), axis=0)
        Tensor(shape=[3], dtype=float32, place=Place(cpu), stop_gradient=True,
               [3., 2., 1.])
    """
    ...
def floor(x: Tensor, name: str | None = None, out: Tensor | None = None) -> Tensor:
    """Round each element down.

    Args:
        x: a tensor.
        name: ignored.
        out: a tensor into which the result is written.

    Returns:
        A tensor of the shape of x.

    Derivative: dx = 0.

    At the boundary: 0 also at the steps, as in Paddle.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.floor(paddle.to_tensor([-1.5, 0.25]))
        Tensor(shape=[2], dtype=float32, place=Place(cpu), stop_gradient=True,
               [-2.,  0.])
    """
    ...
def floor_(x: Tensor, name: str | None = None) -> Tensor:
    """Round each element down. Writes into its first operand and returns it.

    Args:
        x: a tensor.
        name: ignored.

    Returns:
        The tensor x.

    Derivative: dx = 0.

    At the boundary: 0 also at the steps, as in Paddle.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.floor_(paddle.to_tensor([-1.5, 0.25]))
        Tensor(shape=[2], dtype=float32, place=Place(cpu), stop_gradient=True,
               [-2.,  0.])
    """
    ...
def floor_divide(x: Tensor, y: Tensor | Number, name: str | None = None, out: Tensor | None = None) -> Tensor:
    """Divide one tensor by another and round down; no gradient, as in Paddle.

    Args:
        x: a tensor.
        y: a tensor or a number, broadcast with the other one.
        name: ignored.
        out: a tensor into which the result is written.

    Returns:
        A tensor of the shape that x and y broadcast to.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.floor_divide(paddle.to_tensor([6.0, 7.0]), paddle.to_tensor([4.0, 2.0]))
        Tensor(shape=[2], dtype=float32, place=Place(cpu), stop_gradient=True,
               [1., 3.])
    """
    ...
def floor_divide_(x: Tensor, y: Tensor | Number, name: str | None = None) -> Tensor:
    """Divide one tensor by another and round down; no gradient, as in Paddle. Writes into its first operand and returns it.

    Args:
        x: a tensor.
        y: a tensor or a number, broadcast with the other one.
        name: ignored.

    Returns:
        The tensor x.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.floor_divide_(paddle.to_tensor([6.0, 7.0]), paddle.to_tensor([4.0, 2.0]))
        Tensor(shape=[2], dtype=float32, place=Place(cpu), stop_gradient=True,
               [1., 3.])
    """
    ...
def floor_mod(x: Tensor, y: Tensor | Number, name: str | None = None, out: Tensor | None = None) -> Tensor:
    """Compute the remainder of a division; it has the sign of the divisor.

    Args:
        x: a tensor.
        y: a tensor or a number, broadcast with the other one.
        name: ignored.
        out: a tensor into which the result is written.

    Returns:
        A tensor of the shape that x and y broadcast to.

    Derivative: dx = dout; dy = -dout * floor(x / y).

    At the boundary: at integer quotients, dy uses the quotient itself, as in Paddle.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.remainder(paddle.to_tensor([6.0, 7.0]), paddle.to_tensor([4.0, 2.0]))
        Tensor(shape=[2], dtype=float32, place=Place(cpu), stop_gradient=True,
               [2., 1.])
    """
    ...
def floor_mod_(x: Tensor, y: Tensor | Number, name: str | None = None) -> Tensor:
    """Compute the remainder of a division; it has the sign of the divisor. Writes into its first operand and returns it.

    Args:
        x: a tensor.
        y: a tensor or a number, broadcast with the other one.
        name: ignored.

    Returns:
        The tensor x.

    Derivative: dx = dout; dy = -dout * floor(x / y).

    At the boundary: at integer quotients, dy uses the quotient itself, as in Paddle.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.remainder_(paddle.to_tensor([6.0, 7.0]), paddle.to_tensor([4.0, 2.0]))
        Tensor(shape=[2], dtype=float32, place=Place(cpu), stop_gradient=True,
               [2., 1.])
    """
    ...
def fmax(x: Tensor, y: Tensor | Number, name: str | None = None) -> Tensor:
    """Pick the larger of two tensors element by element; nan loses.

    Args:
        x: a tensor.
        y: a tensor or a number, broadcast with the other one.
        name: ignored.

    Returns:
        A tensor of the shape that x and y broadcast to.

    Derivative: dx = dout where x >= y, else 0; dy = dout - dx.

    At the boundary: at a tie, the formula holds, as in Paddle.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.fmax(paddle.to_tensor([6.0, 7.0]), paddle.to_tensor([4.0, 2.0]))
        Tensor(shape=[2], dtype=float32, place=Place(cpu), stop_gradient=True,
               [6., 7.])
    """
    ...
def fmin(x: Tensor, y: Tensor | Number, name: str | None = None) -> Tensor:
    """Pick the smaller of two tensors element by element; nan loses.

    Args:
        x: a tensor.
        y: a tensor or a number, broadcast with the other one.
        name: ignored.

    Returns:
        A tensor of the shape that x and y broadcast to.

    Derivative: dx = dout where x <= y, else 0; dy = dout - dx.

    At the boundary: at a tie, the formula holds, as in Paddle.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.fmin(paddle.to_tensor([6.0, 7.0]), paddle.to_tensor([4.0, 2.0]))
        Tensor(shape=[2], dtype=float32, place=Place(cpu), stop_gradient=True,
               [4., 2.])
    """
    ...
def frac(x: Tensor, name: str | None = None, out: Tensor | None = None) -> Tensor:
    """Return ``x - trunc(x)``.

    ``x`` is a tensor of any shape, of floats, int32 or int64; the result has its shape and dtype.

    Raises:
        InvalidTypeError: for other dtypes.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.frac(paddle.to_tensor([-1.5, 2.25])).tolist()
        [-0.5, 0.25]
    """
    ...
def frac_(x: Tensor, name: str | None = None) -> Tensor:
    """Take ``trunc(x)`` from ``x`` in place and return ``x``.

    ``x`` is a tensor of any shape, of floats or integers.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.to_tensor([-1.5, 2.25]).frac_().tolist()
        [-0.5, 0.25]
    """
    ...
def frexp(x: Tensor, name: str | None = None) -> tuple[Tensor, Tensor]:
    """Split each element into a mantissa in [0.5, 1) and an exponent of 2, both in its dtype; one op here, several in Paddle.

    Args:
        x: a tensor.
        name: ignored.

    Returns:
        The mantissas and the exponents, of the shape of x.

    Derivative: dx = dmantissa * 2^-exponent: the exponent has no gradient.

    At the boundary: that of x / 2^exponent also at powers of two, as in Paddle.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.frexp(paddle.to_tensor([8.0, -3.0]))
        (Tensor(shape=[2], dtype=float32, place=Place(cpu), stop_gradient=True,
               [ 0.50000000, -0.75000000]), Tensor(shape=[2], dtype=float32, place=Place(cpu), stop_gradient=True,
               [4., 2.]))
    """
    ...
def full(shape: ShapeLike | int, fill_value: Number | str | Tensor, dtype: DTypeLike | None = None, name: str | None = None, out: Tensor | None = None, device: PlaceLike | None = None, requires_grad: bool = False, pin_memory: bool = False) -> Tensor:
    """Return a tensor full of one value.

    Args:
        shape: an int, a list or tuple of ints (Tensors among them), or an int Tensor.
        fill_value: a number, a one-element Tensor, or a string such as "inf".
        dtype: element type; the default dtype for numbers, bool for a bool.
        name: accepted for compatibility.

    Returns:
        Tensor of that shape and dtype.

    Raises:
        InvalidArgumentError: when a dimension is negative.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.full([2], 1.5).tolist()
        [1.5, 1.5]
    """
    ...
def full_like(x: Tensor, fill_value: Number | str | Tensor, dtype: DTypeLike | None = None, name: str | None = None, device: PlaceLike | None = None, requires_grad: bool = False, pin_memory: bool = False) -> Tensor:
    """Return a tensor full of one value, of another tensor's shape and dtype.

    ``x`` is a tensor of any shape and dtype; ``dtype``, if given, is that of the result.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.full_like(paddle.ones([2]), 3).tolist()
        [3.0, 3.0]
    """
    ...
def gammainc(x: Tensor, y: Tensor | Number, name: str | None = None) -> Tensor:
    """Compute the regularized lower incomplete gamma function of x at y, nan where one of them is negative (Paddle raises then, for which it waits for the device); x gets no gradient, as in Paddle.

    Args:
        x: a tensor.
        y: a tensor or a number, broadcast with the other one.
        name: ignored.

    Returns:
        A tensor of the shape that x and y broadcast to.

    Derivative: dy = dout * y^(x - 1) * exp(-y) / gamma(x).

    At the boundary: at y = 0: 0 for x > 1, infinite for x < 1.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.gammainc(paddle.to_tensor([2.0]), paddle.to_tensor([1.0]))
        Tensor(shape=[1], dtype=float32, place=Place(cpu), stop_gradient=True,
               [0.26424113])
    """
    ...
def gammainc_(x: Tensor, y: Tensor | Number, name: str | None = None) -> Tensor:
    """Compute the regularized lower incomplete gamma function of x at y, nan where one of them is negative (Paddle raises then, for which it waits for the device); x gets no gradient, as in Paddle. Writes into its first operand and returns it.

    Args:
        x: a tensor.
        y: a tensor or a number, broadcast with the other one.
        name: ignored.

    Returns:
        The tensor x.

    Derivative: dy = dout * y^(x - 1) * exp(-y) / gamma(x).

    At the boundary: at y = 0: 0 for x > 1, infinite for x < 1.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.gammainc_(paddle.to_tensor([2.0]), paddle.to_tensor([1.0]))
        Tensor(shape=[1], dtype=float32, place=Place(cpu), stop_gradient=True,
               [0.26424113])
    """
    ...
def gammaincc(x: Tensor, y: Tensor | Number, name: str | None = None) -> Tensor:
    """Compute the regularized upper incomplete gamma function of x at y, nan where one of them is negative (Paddle raises then, for which it waits for the device); x gets no gradient, as in Paddle.

    Args:
        x: a tensor.
        y: a tensor or a number, broadcast with the other one.
        name: ignored.

    Returns:
        A tensor of the shape that x and y broadcast to.

    Derivative: dy = -dout * y^(x - 1) * exp(-y) / gamma(x).

    At the boundary: at y = 0: 0 for x > 1, infinite for x < 1.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.gammaincc(paddle.to_tensor([2.0]), paddle.to_tensor([1.0]))
        Tensor(shape=[1], dtype=float32, place=Place(cpu), stop_gradient=True,
               [0.73575890])
    """
    ...
def gammaincc_(x: Tensor, y: Tensor | Number, name: str | None = None) -> Tensor:
    """Compute the regularized upper incomplete gamma function of x at y, nan where one of them is negative (Paddle raises then, for which it waits for the device); x gets no gradient, as in Paddle. Writes into its first operand and returns it.

    Args:
        x: a tensor.
        y: a tensor or a number, broadcast with the other one.
        name: ignored.

    Returns:
        The tensor x.

    Derivative: dy = -dout * y^(x - 1) * exp(-y) / gamma(x).

    At the boundary: at y = 0: 0 for x > 1, infinite for x < 1.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.gammaincc_(paddle.to_tensor([2.0]), paddle.to_tensor([1.0]))
        Tensor(shape=[1], dtype=float32, place=Place(cpu), stop_gradient=True,
               [0.73575890])
    """
    ...
def gammaln(x: Tensor, name: str | None = None) -> Tensor:
    """Compute the logarithm of the absolute value of the gamma function of each element.

    Args:
        x: a tensor.
        name: ignored.

    Returns:
        A tensor of the shape of x.

    Derivative: dx = dout * digamma(x).

    At the boundary: -inf at 0, nan at negative integers, as in Paddle.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.gammaln(paddle.to_tensor([0.25, 0.5]))
        Tensor(shape=[2], dtype=float32, place=Place(cpu), stop_gradient=True,
               [1.28802252, 0.57236493])
    """
    ...
def gammaln_(x: Tensor, name: str | None = None) -> Tensor:
    """Compute the logarithm of the absolute value of the gamma function of each element. Writes into its first operand and returns it.

    Args:
        x: a tensor.
        name: ignored.

    Returns:
        The tensor x.

    Derivative: dx = dout * digamma(x).

    At the boundary: -inf at 0, nan at negative integers, as in Paddle.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.gammaln_(paddle.to_tensor([0.25, 0.5]))
        Tensor(shape=[2], dtype=float32, place=Place(cpu), stop_gradient=True,
               [1.28802252, 0.57236493])
    """
    ...
def gather(x: Tensor, index: Tensor | int, axis: int | Tensor | None = None, name: str | None = None, out: Tensor | None = None) -> Tensor:
    """Return the slices of a tensor at positions along an axis.

    Args:
        x: tensor with at least one dimension.
        index: integer tensor [n] or [n, 1]; a 0-D one removes the axis.
        axis: the axis, the first by default.
        name: accepted for compatibility.
        out: tensor that becomes the result.

    Returns:
        Tensor with ``n`` slices along the axis. ``gather(x, dim, index)``, with a dimension as the
        second argument, is ``take_along_axis(x, index, dim, broadcast=False)``.

    Raises:
        OutOfRangeError: for a position out of range; see Note [Index bounds].

    Example:
        >>> import jaxeager as paddle
        >>> paddle.gather(paddle.to_tensor([5.0, 6.0, 7.0]), paddle.to_tensor([2, 0])).tolist()
        [7.0, 5.0]
    """
    ...
def gather_nd(x: Tensor, index: Tensor, name: str | None = None) -> Tensor:
    """Return the elements or slices of a tensor at positions given by coordinates.

    Args:
        x: tensor of any shape.
        index: integer tensor [..., k]: k coordinates for the first k dimensions.
        name: accepted for compatibility.

    Returns:
        Tensor of shape ``index.shape[:-1] + x.shape[k:]``.

    Raises:
        InvalidIndexError: for a coordinate out of range; see Note [Index bounds].

    Example:
        >>> import jaxeager as paddle
        >>> x = paddle.to_tensor([[1.0, 2.0], [3.0, 4.0]])
        >>> paddle.gather_nd(x, paddle.to_tensor([[0, 1], [1, 0]])).tolist()
        [2.0, 3.0]
    """
    ...
def gcd(x: Tensor, y: Tensor | Number, name: str | None = None) -> Tensor:
    """Find the greatest common divisor element by element.

    Args:
        x: a tensor.
        y: a tensor or a number, broadcast with the other one.
        name: ignored.

    Returns:
        A tensor of the shape that x and y broadcast to.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.gcd(paddle.to_tensor([1, 2]), paddle.to_tensor([2, 2]))
        Tensor(shape=[2], dtype=int64, place=Place(cpu), stop_gradient=True,
               [1, 2])
    """
    ...
def gcd_(x: Tensor, y: Tensor | Number, name: str | None = None) -> Tensor:
    """Find the greatest common divisor element by element. Writes into its first operand and returns it.

    Args:
        x: a tensor.
        y: a tensor or a number, broadcast with the other one.
        name: ignored.

    Returns:
        The tensor x.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.gcd_(paddle.to_tensor([1, 2]), paddle.to_tensor([2, 2]))
        Tensor(shape=[2], dtype=int64, place=Place(cpu), stop_gradient=True,
               [1, 2])
    """
    ...
def ge(x: Tensor, y: Tensor | Number, name: str | None = None, out: Tensor | None = None) -> Tensor:
    """Return for each element whether x >= y.

    Args:
        x: a tensor.
        y: a tensor or a number, broadcast with the other one.
        name: ignored.
        out: a tensor into which the result is written.

    Returns:
        A tensor of the shape that x and y broadcast to.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.greater_equal(paddle.to_tensor([1, 2]), paddle.to_tensor([2, 2]))
        Tensor(shape=[2], dtype=bool, place=Place(cpu), stop_gradient=True,
               [False, True ])
    """
    ...
def geometric_(x: Tensor, probs: float | Tensor, name: str | None = None) -> Tensor:
    """Overwrite ``x`` with geometric waiting times, before they are rounded up.

    As in Paddle the numbers are not integers: they have the exponential distribution of rate
    ``-log(1 - probs)``. Rounded up, they are the number of trials until the first success.

    Args:
        x: floating tensor.
        probs: probability of success, in (0, 1]; a number, or a Tensor that broadcasts with ``x``.
        name: accepted for compatibility.

    Raises:
        InvalidArgumentError: for an integer or complex tensor, or a number outside of (0, 1].

    Example:
        >>> import jaxeager as paddle
        >>> bool((paddle.zeros([4]).geometric_(0.5).ceil() >= 0.0).all())
        True
    """
    ...
def ger(x: Tensor, y: Tensor, name: str | None = None, out: Tensor | None = None) -> Tensor:
    """Return the products of every element of ``x`` with every element of ``y``.

    Args:
        x: tensor of n elements.
        y: tensor of m elements.
        name: accepted for compatibility.

    Returns:
        Tensor [n, m].

    Example:
        >>> import jaxeager as paddle
        >>> paddle.outer(paddle.to_tensor([1.0, 2.0]), paddle.to_tensor([3.0, 4.0])).tolist()
        [[3.0, 4.0], [6.0, 8.0]]
    """
    ...
def greater(x: Tensor, y: Tensor | Number, name: str | None = None, out: Tensor | None = None) -> Tensor:
    """Return for each element whether x > y.

    Args:
        x: a tensor.
        y: a tensor or a number, broadcast with the other one.
        name: ignored.
        out: a tensor into which the result is written.

    Returns:
        A tensor of the shape that x and y broadcast to.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.greater_than(paddle.to_tensor([1, 2]), paddle.to_tensor([2, 2]))
        Tensor(shape=[2], dtype=bool, place=Place(cpu), stop_gradient=True,
               [False, False])
    """
    ...
def greater_equal(x: Tensor, y: Tensor | Number, name: str | None = None, out: Tensor | None = None) -> Tensor:
    """Return for each element whether x >= y.

    Args:
        x: a tensor.
        y: a tensor or a number, broadcast with the other one.
        name: ignored.
        out: a tensor into which the result is written.

    Returns:
        A tensor of the shape that x and y broadcast to.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.greater_equal(paddle.to_tensor([1, 2]), paddle.to_tensor([2, 2]))
        Tensor(shape=[2], dtype=bool, place=Place(cpu), stop_gradient=True,
               [False, True ])
    """
    ...
def greater_equal_(x: Tensor, y: Tensor | Number, name: str | None = None) -> Tensor:
    """Return for each element whether x >= y. Writes into its first operand and returns it.

    Args:
        x: a tensor.
        y: a tensor or a number, broadcast with the other one.
        name: ignored.

    Returns:
        The tensor x.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.greater_equal_(paddle.to_tensor([1, 2]), paddle.to_tensor([2, 2]))
        Tensor(shape=[2], dtype=bool, place=Place(cpu), stop_gradient=True,
               [False, True ])
    """
    ...
def greater_than(x: Tensor, y: Tensor | Number, name: str | None = None, out: Tensor | None = None) -> Tensor:
    """Return for each element whether x > y.

    Args:
        x: a tensor.
        y: a tensor or a number, broadcast with the other one.
        name: ignored.
        out: a tensor into which the result is written.

    Returns:
        A tensor of the shape that x and y broadcast to.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.greater_than(paddle.to_tensor([1, 2]), paddle.to_tensor([2, 2]))
        Tensor(shape=[2], dtype=bool, place=Place(cpu), stop_gradient=True,
               [False, False])
    """
    ...
def greater_than_(x: Tensor, y: Tensor | Number, name: str | None = None) -> Tensor:
    """Return for each element whether x > y. Writes into its first operand and returns it.

    Args:
        x: a tensor.
        y: a tensor or a number, broadcast with the other one.
        name: ignored.

    Returns:
        The tensor x.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.greater_than_(paddle.to_tensor([1, 2]), paddle.to_tensor([2, 2]))
        Tensor(shape=[2], dtype=bool, place=Place(cpu), stop_gradient=True,
               [False, False])
    """
    ...
def group_norm(x: Tensor, num_groups: int, epsilon: float = 1e-05, weight: Tensor | None = None, bias: Tensor | None = None, data_format: str = 'NCHW', name: str | None = None) -> Tensor:
    """Normalize x over each group of its channels, sample by sample.

    Args:
        x: float[N, C, ...], or [N, ..., C] for a layout with the channels last.
        num_groups: number of channel groups.
        epsilon: added to the variance.
        weight: float[C], or None.
        bias: float[C], or None.
        data_format: "NC", "NCL", "NCHW", "NCDHW", "NLC", "NHWC" or "NDHWC".
        name: ignored.

    Returns:
        float, shaped as x.

    Raises:
        InvalidArgumentError: if the groups do not divide the channels.

    The arguments after ``num_groups`` may be in the order ``weight, bias, epsilon``, too.

    Example:
        >>> import jaxeager as paddle
        >>> x = paddle.to_tensor([[1.0, 3.0]])
        >>> paddle.nn.functional.group_norm(x, 1).round(3).tolist()
        [[-1.0, 1.0]]
    """
    ...
def gt(x: Tensor, y: Tensor | Number, name: str | None = None, out: Tensor | None = None) -> Tensor:
    """Return for each element whether x > y.

    Args:
        x: a tensor.
        y: a tensor or a number, broadcast with the other one.
        name: ignored.
        out: a tensor into which the result is written.

    Returns:
        A tensor of the shape that x and y broadcast to.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.greater_than(paddle.to_tensor([1, 2]), paddle.to_tensor([2, 2]))
        Tensor(shape=[2], dtype=bool, place=Place(cpu), stop_gradient=True,
               [False, False])
    """
    ...
def hamming_window(window_length: int, periodic: bool = True, alpha: float = 0.54, beta: float = 0.46, dtype: DTypeLike | None = 'float32', layout: str | None = None, device: PlaceLike | None = None, pin_memory: bool = False, requires_grad: bool = False) -> Tensor:
    """Return a Hamming window: ``alpha - beta * cos(2 * pi * n / window_length)``.

    Args:
        window_length: number of elements.
        periodic: True for Fourier transforms; False makes it symmetric.
        alpha: the mean.
        beta: the height of the cosine.
        dtype: a floating dtype.
        layout: None or "strided".

    Returns:
        Tensor of shape [window_length].

    Raises:
        InvalidArgumentError: for a negative length, another layout, or a dtype that is not a float.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.hamming_window(4, alpha=0.5, beta=0.5).round(6).tolist()
        [0.0, 0.5, 1.0, 0.5]
    """
    ...
def hann_window(window_length: int, periodic: bool = True, dtype: DTypeLike | None = 'float32', layout: str | None = None, device: PlaceLike | None = None, pin_memory: bool = False, requires_grad: bool = False) -> Tensor:
    """Return a Hann window: ``0.5 - 0.5 * cos(2 * pi * n / window_length)``.

    Args:
        window_length: number of elements.
        periodic: True for Fourier transforms; False makes it symmetric.
        dtype: a floating dtype.
        layout: None or "strided".

    Returns:
        Tensor of shape [window_length].

    Raises:
        InvalidArgumentError: for a negative length, another layout, or a dtype that is not a float.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.hann_window(4).tolist()
        [0.0, 0.5, 1.0, 0.5]
    """
    ...
def heaviside(x: Tensor, y: Tensor | Number, name: str | None = None) -> Tensor:
    """Compute the unit step of x, with y as its value at 0.

    Args:
        x: a tensor.
        y: a tensor or a number, broadcast with the other one.
        name: ignored.

    Returns:
        A tensor of the shape that x and y broadcast to.

    Derivative: dx = 0; dy = dout where x = 0, else 0.

    At the boundary: dx is 0 at x = 0 too, where y gets dout, as in Paddle.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.heaviside(paddle.to_tensor([6.0, 7.0]), paddle.to_tensor([4.0, 2.0]))
        Tensor(shape=[2], dtype=float32, place=Place(cpu), stop_gradient=True,
               [1., 1.])
    """
    ...
def histogram(input: Tensor, bins: int = 100, min: float = 0.0, max: float = 0.0, weight: Tensor | None = None, density: bool = False, name: str | None = None) -> Tensor:
    """Return how many elements are in each of ``bins`` bins of equal width.

    Args:
        input: tensor of any shape; nan belongs to no bin.
        bins: the number of bins.
        min: the beginning of the first bin; if it equals ``max`` the bins span the elements.
        max: the end of the last bin, which belongs to it.
        weight: tensor of the shape of ``input``; sums weights instead of counting.
        density: whether to normalize the integral over all bins to 1; the result is float32 then.
        name: accepted for compatibility.

    Returns:
        int64[bins]; in the dtype of ``weight`` if given.

    Raises:
        InvalidArgumentError: for no bins, a ``max`` below ``min``, or weights of another shape.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.histogram(paddle.to_tensor([1.0, 2.0, 1.0]), bins=4, min=0, max=3).tolist()
        [0, 2, 1, 0]
    """
    ...
def histogram_bin_edges(input: Tensor, bins: int = 100, min: float = 0.0, max: float = 0.0, name: str | None = None) -> Tensor:
    """Return the edges of the bins of histogram, the last one included; always float32.

    Args:
        input: a tensor.
        bins: how many bins there are.
        min: the lowest edge; if it equals max, both are those of the elements.
        max: the highest edge.
        name: ignored.

    Returns:
        A tensor [bins + 1].

    Example:
        >>> import jaxeager as paddle
        >>> paddle.histogram_bin_edges(paddle.to_tensor([1.0, 5.0]), bins=4)
        Tensor(shape=[5], dtype=float32, place=Place(cpu), stop_gradient=True,
               [1., 2., 3., 4., 5.])
    """
    ...
def histogramdd(x: Tensor, bins: int | Sequence[int | Tensor] = 10, ranges: Sequence[float] | None = None, density: bool = False, weights: Tensor | None = None, name: str | None = None) -> tuple[Tensor, list[Tensor]]:
    """Return how many points are in each bin of a grid, and the edges of the bins.

    Paddle: the edges for an integer tensor are truncated to integers there, and the bins of a
    dimension in which all points agree have no width. Here such edges are float32, and such bins
    span 1.

    Args:
        x: tensor[..., d], points with d coordinates.
        bins: an int, or for each dimension an int or a 1-D tensor of the edges.
        ranges: two ends for each dimension, 2 d numbers; by default the bins span the points.
        density: whether to normalize the integral over all bins to 1.
        weights: tensor of the shape of ``x`` without its last dimension.
        name: accepted for compatibility.

    Returns:
        Tensor[bins of each dimension], and the list of the d edges.

    Raises:
        InvalidArgumentError: for fewer than 2 dimensions, or bins or ranges of a wrong length.

    Example:
        >>> import jaxeager as paddle
        >>> points = paddle.to_tensor([[0.0, 0.0], [1.0, 1.0], [1.0, 0.9]])
        >>> counts, edges = paddle.histogramdd(points, bins=2)
        >>> counts.tolist(), edges[0].tolist()
        ([[1.0, 0.0], [0.0, 2.0]], [0.0, 0.5, 1.0])
    """
    ...
def hsplit(x: Tensor, num_or_indices: int | Sequence[int], name: str | None = None) -> list[Tensor]:
    """Return parts along the second axis; see tensor_split.

    Example:
        >>> import jaxeager as paddle
        >>> len(paddle.hsplit(paddle.ones([2, 2, 2]), 2))
        2
    """
    ...
def hstack(x: Sequence[Tensor], name: str | None = None) -> Tensor:
    """Return tensors joined horizontally: along the second axis, or the first for vectors.

    ``x`` is a list of tensors of one dtype that differ only in the size of that axis; a 0-D tensor
    counts as [1].

    Example:
        >>> import jaxeager as paddle
        >>> paddle.hstack([paddle.ones([2, 1]), paddle.ones([2, 3])]).shape
        paddle.Size([2, 4])
    """
    ...
def hypot(x: Tensor, y: Tensor, name: str | None = None) -> Tensor:
    """Return ``sqrt(x^2 + y^2)``.

    ``x`` and ``y`` are tensors that broadcast with each other, integers as the default floating
    dtype; the result is floating or complex, of the common shape.

    Paddle: the gradient at (0, 0) is nan there. Here it is 0, as at the minimum of a norm. Squares
    of integers overflow there, so that the result for 50000 and 0 in int32 is nan.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.hypot(paddle.to_tensor([3.0]), paddle.to_tensor([4.0])).tolist()
        [5.0]
    """
    ...
def hypot_(x: Tensor, y: Tensor, name: str | None = None) -> Tensor:
    """Write ``sqrt(x^2 + y^2)`` into ``x`` and return it; see ``hypot``.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.to_tensor([3.0]).hypot_(paddle.to_tensor([4.0])).tolist()
        [5.0]
    """
    ...
def i0(x: Tensor, name: str | None = None) -> Tensor:
    """Compute the modified Bessel function of the first kind of order 0 of each element.

    Args:
        x: a tensor.
        name: ignored.

    Returns:
        A tensor of the shape of x.

    Derivative: dx = dout * i1(x).

    Example:
        >>> import jaxeager as paddle
        >>> paddle.i0(paddle.to_tensor([0.25, 0.5]))
        Tensor(shape=[2], dtype=float32, place=Place(cpu), stop_gradient=True,
               [1.01568615, 1.06348336])
    """
    ...
def i0_(x: Tensor, name: str | None = None) -> Tensor:
    """Compute the modified Bessel function of the first kind of order 0 of each element. Writes into its first operand and returns it.

    Args:
        x: a tensor.
        name: ignored.

    Returns:
        The tensor x.

    Derivative: dx = dout * i1(x).

    Example:
        >>> import jaxeager as paddle
        >>> paddle.i0_(paddle.to_tensor([0.25, 0.5]))
        Tensor(shape=[2], dtype=float32, place=Place(cpu), stop_gradient=True,
               [1.01568615, 1.06348336])
    """
    ...
def i0e(x: Tensor, name: str | None = None) -> Tensor:
    """Compute the modified Bessel function of the first kind of order 0, times exp(-|x|), of each element.

    Args:
        x: a tensor.
        name: ignored.

    Returns:
        A tensor of the shape of x.

    Derivative: dx = dout * (i1e(x) - sign(x) * out).

    At the boundary: 0 at 0, the mean of the one-sided slopes (Paddle: -1).

    Example:
        >>> import jaxeager as paddle
        >>> paddle.i0e(paddle.to_tensor([0.25, 0.5]))
        Tensor(shape=[2], dtype=float32, place=Place(cpu), stop_gradient=True,
               [0.79101717, 0.64503527])
    """
    ...
def i1(x: Tensor, name: str | None = None) -> Tensor:
    """Compute the modified Bessel function of the first kind of order 1 of each element.

    Args:
        x: a tensor.
        name: ignored.

    Returns:
        A tensor of the shape of x.

    Derivative: dx = dout * (i0(x) - out / x), dout / 2 at 0.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.i1(paddle.to_tensor([0.25, 0.5]))
        Tensor(shape=[2], dtype=float32, place=Place(cpu), stop_gradient=True,
               [0.12597911, 0.25789431])
    """
    ...
def i1e(x: Tensor, name: str | None = None) -> Tensor:
    """Compute the modified Bessel function of the first kind of order 1, times exp(-|x|), of each element.

    Args:
        x: a tensor.
        name: ignored.

    Returns:
        A tensor of the shape of x.

    Derivative: dx = dout * (i0e(x) - sign(x) * out - out / x), dout / 2 at 0.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.i1e(paddle.to_tensor([0.25, 0.5]))
        Tensor(shape=[2], dtype=float32, place=Place(cpu), stop_gradient=True,
               [0.09811263, 0.15642081])
    """
    ...
def imag(x: Tensor, name: str | None = None) -> Tensor:
    """Take the imaginary part of each element.

    Args:
        x: a tensor.
        name: ignored.

    Returns:
        A tensor of the shape of x.

    Derivative: dx = 0 + i * dout.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.imag(paddle.to_tensor([1.0 + 2.0j]))
        Tensor(shape=[1], dtype=float32, place=Place(cpu), stop_gradient=True,
               [2.])
    """
    ...
def increment(x: Tensor, value: Number = 1.0, name: str | None = None) -> Tensor:
    """Add a number to a tensor of one element at most, in place, and return it.

    ``x`` may have any dtype, which it keeps.

    Raises:
        InvalidArgumentError: when the tensor has more elements.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.increment(paddle.zeros([1])).tolist()
        [1.0]
    """
    ...
def index_add(x: Tensor, index: Tensor | int, axis: int | Tensor, value: Tensor, alpha: Number = 1, name: str | None = None, out: Tensor | None = None) -> Tensor:
    """Return a tensor with slices added at positions along an axis.

    Args:
        x: tensor with at least one dimension.
        index: integer tensor [n].
        axis: the axis; ``index_add(x, axis, index, value)`` works too.
        value: tensor with n slices along the axis.
        alpha: number that ``value`` is multiplied by.
        name: accepted for compatibility.

    Returns:
        Tensor of the shape of ``x``.

    Raises:
        InvalidIndexError: for a position out of range; see Note [Index bounds].

    Example:
        >>> import jaxeager as paddle
        >>> index = paddle.to_tensor([2, 2])
        >>> paddle.index_add(paddle.zeros([3]), index, 0, paddle.ones([2])).tolist()
        [0.0, 0.0, 2.0]
    """
    ...
def index_add_(x: Tensor, index: Tensor | int, axis: int | Tensor, value: Tensor, alpha: Number = 1, name: str | None = None) -> Tensor:
    """Add slices to ``x`` at positions along an axis and return ``x``; see ``index_add``.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.zeros([2]).index_add_(paddle.to_tensor([1]), 0, paddle.ones([1])).tolist()
        [0.0, 1.0]
    """
    ...
def index_fill(x: Tensor, index: Tensor, axis: int, value: Number | Tensor, name: str | None = None) -> Tensor:
    """Return a tensor with a value written into the slices at positions along an axis.

    Args:
        x: tensor with at least one dimension.
        index: integer tensor [n].
        axis: the axis.
        value: number, or 0-D tensor.
        name: accepted for compatibility.

    Returns:
        Tensor of the shape of ``x``.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.index_fill(paddle.zeros([3]), paddle.to_tensor([0, 2]), 0, 1.0).tolist()
        [1.0, 0.0, 1.0]
    """
    ...
def index_fill_(x: Tensor, index: Tensor, axis: int, value: Number | Tensor, name: str | None = None) -> Tensor:
    """Write a value into slices of ``x`` along an axis and return ``x``; see ``index_fill``.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.zeros([3]).index_fill_(paddle.to_tensor([1]), 0, 2.0).tolist()
        [0.0, 2.0, 0.0]
    """
    ...
def index_put(x: Tensor, indices: Sequence[Tensor], value: Tensor, accumulate: bool = False, name: str | None = None, out: Tensor | None = None) -> Tensor:
    """Return a tensor with values written at the positions that index tensors give together.

    In Paddle, for equal positions, every value gets the gradient. Here only the one that stays.

    Args:
        x: tensor with at least one dimension.
        indices: tuple of integer tensors, one per leading dimension, or bool masks (the call
            waits for their values).
        value: tensor of the dtype of ``x``, broadcast.
        accumulate: whether to add instead of writing; the sum of bools is true where any is.
        name: accepted for compatibility.

    Returns:
        Tensor of the shape of ``x``.

    Raises:
        OutOfRangeError: for a position out of range; see Note [Index bounds].

    Example:
        >>> import jaxeager as paddle
        >>> rows, columns = paddle.to_tensor([0, 1]), paddle.to_tensor([1, 0])
        >>> paddle.index_put(paddle.zeros([2, 2]), (rows, columns), paddle.ones([2])).tolist()
        [[0.0, 1.0], [1.0, 0.0]]
    """
    ...
def index_put_(x: Tensor, indices: Sequence[Tensor], value: Tensor, accumulate: bool = False, name: str | None = None) -> Tensor:
    """Write values into ``x`` at positions given by index tensors; see ``index_put``.

    Example:
        >>> import jaxeager as paddle
        >>> x = paddle.zeros([2])
        >>> x.index_put_((paddle.to_tensor([1]),), paddle.ones([1])).tolist()
        [0.0, 1.0]
    """
    ...
def index_sample(x: Tensor, index: Tensor) -> Tensor:
    """Return elements of each row of a matrix, at positions given per row.

    Args:
        x: tensor [n, d].
        index: integer tensor [n, k].

    Returns:
        Tensor [n, k].

    Raises:
        InvalidIndexError: for a position outside [0, d); see Note [Index bounds].

    Example:
        >>> import jaxeager as paddle
        >>> x = paddle.to_tensor([[1.0, 2.0], [3.0, 4.0]])
        >>> paddle.index_sample(x, paddle.to_tensor([[1], [0]])).tolist()
        [[2.0], [3.0]]
    """
    ...
def index_select(x: Tensor, index: Tensor | int, axis: int | Tensor = 0, name: str | None = None, out: Tensor | None = None) -> Tensor:
    """Return the slices of a tensor at positions along an axis.

    Args:
        x: tensor with at least one dimension.
        index: integer tensor [n] or [n, 1].
        axis: the axis; ``index_select(x, axis, index)`` works too.
        name: accepted for compatibility.

    Returns:
        Tensor with ``n`` slices along the axis.

    Raises:
        InvalidIndexError: for a position out of range; see Note [Index bounds].

    Example:
        >>> import jaxeager as paddle
        >>> x = paddle.to_tensor([[1.0, 2.0], [3.0, 4.0]])
        >>> paddle.index_select(x, paddle.to_tensor([1, 1]), axis=1).tolist()
        [[2.0, 2.0], [4.0, 4.0]]
    """
    ...
def inner(x: Tensor, y: Tensor, name: str | None = None) -> Tensor:
    """Return the sums of products over the last dimensions of two tensors.

    Args:
        x: tensor [..., d].
        y: tensor [..., d]; with a 0-D tensor it is a multiplication.
        name: accepted for compatibility.

    Returns:
        Tensor of shape ``x.shape[:-1] + y.shape[:-1]``.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.inner(paddle.to_tensor([1.0, 2.0]), paddle.to_tensor([3.0, 4.0])).item()
        11.0
    """
    ...
def inverse(x: Tensor, name: str | None = None) -> Tensor:
    """Return the inverse of a square matrix, or of each matrix of a batch.

    Paddle raises for a singular matrix. So does this if the result is in CPU memory; on an
    accelerator the result holds infinities or nan, because the check would wait for the device.

    Args:
        x: float or complex tensor [..., n, n].
        name: accepted for compatibility.

    Returns:
        Tensor [..., n, n] of the same dtype.

    Raises:
        InvalidArgumentError: when the matrices are not square, or one is singular.
        NotFoundError: for float16, bfloat16, integers and bool.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.linalg.inv(paddle.to_tensor([[2.0, 0.0], [0.0, 4.0]])).tolist()
        [[0.5, 0.0], [0.0, 0.25]]
    """
    ...
def is_complex(x: Tensor) -> bool:
    """Return whether a tensor holds complex numbers.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.is_complex(paddle.ones([1]))
        False
    """
    ...
def is_empty(x: Tensor, name: str | None = None) -> Tensor:
    """Return whether a tensor has no elements, as a 0-D bool tensor.

    ``x`` is a tensor of any shape and dtype.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.is_empty(paddle.ones([0, 3])).item()
        True
    """
    ...
def is_floating_point(x: Tensor) -> bool:
    """Return whether a tensor holds floating-point numbers.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.is_floating_point(paddle.ones([1]))
        True
    """
    ...
def is_integer(x: Tensor) -> bool:
    """Return whether a tensor holds integers.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.is_integer(paddle.to_tensor([1, 2]))
        True
    """
    ...
def is_tensor(x: object) -> bool:
    """Return whether an object is a Tensor, dense or sparse.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.is_tensor(paddle.ones([1])), paddle.is_tensor([1.0])
        (True, False)
    """
    ...
def isclose(x: Tensor, y: Tensor, rtol: float = 1e-05, atol: float = 1e-08, equal_nan: bool = False, name: str | None = None, out: Tensor | None = None) -> Tensor:
    """Return for each element whether |x - y| <= atol + rtol * |y|.

    Args:
        x: a tensor.
        y: a tensor.
        rtol: the relative tolerance.
        atol: the absolute tolerance.
        equal_nan: whether nan is close to nan.
        name: ignored.
        out: a tensor into which the result is written.

    Returns:
        A bool tensor of the shape of x.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.isclose(paddle.to_tensor([1.0]), paddle.to_tensor([1.0]))
        Tensor(shape=[1], dtype=bool, place=Place(cpu), stop_gradient=True,
               [True])
    """
    ...
def isfinite(x: Tensor, name: str | None = None, out: Tensor | None = None) -> Tensor:
    """Return for each element whether it is neither nan nor infinite.

    Args:
        x: a tensor.
        name: ignored.
        out: a tensor into which the result is written.

    Returns:
        A tensor of the shape of x.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.isfinite(paddle.to_tensor([1.0, paddle.nan]))
        Tensor(shape=[2], dtype=bool, place=Place(cpu), stop_gradient=True,
               [True , False])
    """
    ...
def isin(x: Tensor, test_x: Tensor, assume_unique: bool = False, invert: bool = False, name: str | None = None) -> Tensor:
    """Return for each element of x whether it is one of test_x; nan never is.

    Args:
        x: a tensor.
        test_x: a tensor with the elements that are searched for.
        assume_unique: ignored: it would only allow a faster method.
        invert: whether the answers are negated.
        name: ignored.

    Returns:
        A bool tensor of the shape of x.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.isin(paddle.to_tensor([1, 2, 3]), paddle.to_tensor([3, 1]))
        Tensor(shape=[3], dtype=bool, place=Place(cpu), stop_gradient=True,
               [True , False, True ])
    """
    ...
def isinf(x: Tensor, name: str | None = None, out: Tensor | None = None) -> Tensor:
    """Return for each element whether it is infinite.

    Args:
        x: a tensor.
        name: ignored.
        out: a tensor into which the result is written.

    Returns:
        A tensor of the shape of x.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.isinf(paddle.to_tensor([1.0, paddle.nan]))
        Tensor(shape=[2], dtype=bool, place=Place(cpu), stop_gradient=True,
               [False, False])
    """
    ...
def isnan(x: Tensor, name: str | None = None, out: Tensor | None = None) -> Tensor:
    """Return for each element whether it is nan.

    Args:
        x: a tensor.
        name: ignored.
        out: a tensor into which the result is written.

    Returns:
        A tensor of the shape of x.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.isnan(paddle.to_tensor([1.0, paddle.nan]))
        Tensor(shape=[2], dtype=bool, place=Place(cpu), stop_gradient=True,
               [False, True ])
    """
    ...
def isneginf(x: Tensor, name: str | None = None) -> Tensor:
    """Return for each element whether it is minus infinity.

    Args:
        x: a tensor.
        name: ignored.

    Returns:
        A tensor of the shape of x.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.isneginf(paddle.to_tensor([1.0, paddle.nan]))
        Tensor(shape=[2], dtype=bool, place=Place(cpu), stop_gradient=True,
               [False, False])
    """
    ...
def isposinf(x: Tensor, name: str | None = None) -> Tensor:
    """Return for each element whether it is infinity.

    Args:
        x: a tensor.
        name: ignored.

    Returns:
        A tensor of the shape of x.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.isposinf(paddle.to_tensor([1.0, paddle.nan]))
        Tensor(shape=[2], dtype=bool, place=Place(cpu), stop_gradient=True,
               [False, False])
    """
    ...
def isreal(x: Tensor, name: str | None = None) -> Tensor:
    """Return for each element whether it is real.

    Args:
        x: a tensor.
        name: ignored.

    Returns:
        A tensor of the shape of x.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.isreal(paddle.to_tensor([1.0, paddle.nan]))
        Tensor(shape=[2], dtype=bool, place=Place(cpu), stop_gradient=True,
               [True, True])
    """
    ...
def kaiser_window(window_length: int, periodic: bool = True, beta: float = 12.0, dtype: DTypeLike | None = 'float32', layout: str | None = None, device: PlaceLike | None = None, pin_memory: bool = False, requires_grad: bool = False) -> Tensor:
    """Return a Kaiser window, which is computed from Bessel functions.

    Args:
        window_length: number of elements.
        periodic: True for Fourier transforms; False makes it symmetric.
        beta: the shape; larger values are narrower.
        dtype: a floating dtype.
        layout: None or "strided".

    Returns:
        Tensor of shape [window_length].

    Raises:
        InvalidArgumentError: for a negative length, another layout, or a dtype that is not a float.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.kaiser_window(3, beta=0.0).tolist()
        [1.0, 1.0, 1.0]
    """
    ...
def kron(x: Tensor, y: Tensor, name: str | None = None) -> Tensor:
    """Compute the Kronecker product of two tensors.

    Args:
        x: a tensor.
        y: a tensor.
        name: ignored.

    Returns:
        A tensor; the size of each dimension is the product of theirs.

    Derivative: dx = dout, times the weights with which x was read: those of y; dy = dout, times the weights with which y was read: those of x.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.kron(paddle.to_tensor([[1.0, 2.0]]), paddle.to_tensor([[1.0], [1.0]]))
        Tensor(shape=[2, 2], dtype=float32, place=Place(cpu), stop_gradient=True,
               [[1., 2.],
                [1., 2.]])
    """
    ...
def kthvalue(x: Tensor, k: int, axis: int | None = None, keepdim: bool = False, name: str | None = None) -> tuple[Tensor, Tensor]:
    """Take the k-th smallest element along an axis, and its position.

    Args:
        x: a tensor.
        k: which element, counted from 1.
        axis: the dimension that is searched; the last one when None.
        keepdim: whether the reduced dimensions stay, with size 1.
        name: ignored.

    Returns:
        The elements and their positions, without the searched dimension.

    Derivative: dx[indices] = dout.

    At the boundary: one of equal elements gets the whole gradient, as in Paddle.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.kthvalue(paddle.to_tensor([3.0, 1.0, 2.0]), 2)
        (Tensor(shape=[], dtype=float32, place=Place(cpu), stop_gradient=True,
               2.), Tensor(shape=[], dtype=int64, place=Place(cpu), stop_gradient=True,
               2))
    """
    ...
def layer_norm(x: Tensor, normalized_shape: int | Sequence[int], weight: Tensor | None = None, bias: Tensor | None = None, epsilon: float = 1e-05, name: str | None = None) -> Tensor:
    """Normalize x over its last dimensions.

    Args:
        x: float[..., *normalized_shape].
        normalized_shape: an int or the last sizes of x.
        weight: as many floats as normalized_shape has elements, of that shape or 1-D; or None.
        bias: as weight.
        epsilon: added to the variance.
        name: ignored.

    Returns:
        float, shaped as x.

    Raises:
        InvalidArgumentError: if x does not end in normalized_shape.

    Example:
        >>> import jaxeager as paddle
        >>> x = paddle.to_tensor([[1.0, 3.0]])
        >>> paddle.nn.functional.layer_norm(x, 2).round(3).tolist()
        [[-1.0, 1.0]]
    """
    ...
def lcm(x: Tensor, y: Tensor | Number, name: str | None = None) -> Tensor:
    """Find the least common multiple element by element.

    Args:
        x: a tensor.
        y: a tensor or a number, broadcast with the other one.
        name: ignored.

    Returns:
        A tensor of the shape that x and y broadcast to.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.lcm(paddle.to_tensor([1, 2]), paddle.to_tensor([2, 2]))
        Tensor(shape=[2], dtype=int64, place=Place(cpu), stop_gradient=True,
               [2, 2])
    """
    ...
def lcm_(x: Tensor, y: Tensor | Number, name: str | None = None) -> Tensor:
    """Find the least common multiple element by element. Writes into its first operand and returns it.

    Args:
        x: a tensor.
        y: a tensor or a number, broadcast with the other one.
        name: ignored.

    Returns:
        The tensor x.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.lcm_(paddle.to_tensor([1, 2]), paddle.to_tensor([2, 2]))
        Tensor(shape=[2], dtype=int64, place=Place(cpu), stop_gradient=True,
               [2, 2])
    """
    ...
def ldexp(x: Tensor, y: Tensor, name: str | None = None) -> Tensor:
    """Return ``x * 2^y``.

    ``x`` and ``y`` are tensors that broadcast with each other, integers as the default floating
    dtype; the result has the common shape.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.ldexp(paddle.to_tensor([3.0]), paddle.to_tensor([2])).tolist()
        [12.0]
    """
    ...
def ldexp_(x: Tensor, y: Tensor, name: str | None = None) -> Tensor:
    """Write ``x * 2^y`` into ``x``, a floating tensor, and return it; see ``ldexp``.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.to_tensor([3.0]).ldexp_(paddle.to_tensor([2])).tolist()
        [12.0]
    """
    ...
def le(x: Tensor, y: Tensor | Number, name: str | None = None, out: Tensor | None = None) -> Tensor:
    """Return for each element whether x <= y.

    Args:
        x: a tensor.
        y: a tensor or a number, broadcast with the other one.
        name: ignored.
        out: a tensor into which the result is written.

    Returns:
        A tensor of the shape that x and y broadcast to.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.less_equal(paddle.to_tensor([1, 2]), paddle.to_tensor([2, 2]))
        Tensor(shape=[2], dtype=bool, place=Place(cpu), stop_gradient=True,
               [True, True])
    """
    ...
def lerp(x: Tensor, y: Tensor, weight: Number | Tensor, name: str | None = None) -> Tensor:
    """Return ``x + weight * (y - x)``.

    Paddle: a weight that requires a gradient gets none there.

    Args:
        x: tensor.
        y: tensor of the dtype of ``x``.
        weight: a number, or a tensor of the dtype of ``x``.
        name: accepted for compatibility.

    Returns:
        Tensor of the broadcast shape, in the dtype of ``x``.

    Raises:
        InvalidArgumentError: when dtypes differ or shapes do not broadcast.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.lerp(paddle.zeros([2]), paddle.ones([2]), 0.25).tolist()
        [0.25, 0.25]
    """
    ...
def lerp_(x: Tensor, y: Tensor, weight: Number | Tensor, name: str | None = None) -> Tensor:
    """Move ``x`` towards ``y`` in place and return ``x``; see ``lerp``.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.zeros([1]).lerp_(paddle.ones([1]), 0.5).tolist()
        [0.5]
    """
    ...
def less(x: Tensor, y: Tensor | Number, name: str | None = None, out: Tensor | None = None) -> Tensor:
    """Return for each element whether x < y.

    Args:
        x: a tensor.
        y: a tensor or a number, broadcast with the other one.
        name: ignored.
        out: a tensor into which the result is written.

    Returns:
        A tensor of the shape that x and y broadcast to.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.less_than(paddle.to_tensor([1, 2]), paddle.to_tensor([2, 2]))
        Tensor(shape=[2], dtype=bool, place=Place(cpu), stop_gradient=True,
               [True , False])
    """
    ...
def less_(x: Tensor, y: Tensor | Number, name: str | None = None) -> Tensor:
    """Return for each element whether x < y. Writes into its first operand and returns it.

    Args:
        x: a tensor.
        y: a tensor or a number, broadcast with the other one.
        name: ignored.

    Returns:
        The tensor x.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.less_than_(paddle.to_tensor([1, 2]), paddle.to_tensor([2, 2]))
        Tensor(shape=[2], dtype=bool, place=Place(cpu), stop_gradient=True,
               [True , False])
    """
    ...
def less_equal(x: Tensor, y: Tensor | Number, name: str | None = None, out: Tensor | None = None) -> Tensor:
    """Return for each element whether x <= y.

    Args:
        x: a tensor.
        y: a tensor or a number, broadcast with the other one.
        name: ignored.
        out: a tensor into which the result is written.

    Returns:
        A tensor of the shape that x and y broadcast to.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.less_equal(paddle.to_tensor([1, 2]), paddle.to_tensor([2, 2]))
        Tensor(shape=[2], dtype=bool, place=Place(cpu), stop_gradient=True,
               [True, True])
    """
    ...
def less_equal_(x: Tensor, y: Tensor | Number, name: str | None = None) -> Tensor:
    """Return for each element whether x <= y. Writes into its first operand and returns it.

    Args:
        x: a tensor.
        y: a tensor or a number, broadcast with the other one.
        name: ignored.

    Returns:
        The tensor x.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.less_equal_(paddle.to_tensor([1, 2]), paddle.to_tensor([2, 2]))
        Tensor(shape=[2], dtype=bool, place=Place(cpu), stop_gradient=True,
               [True, True])
    """
    ...
def less_than(x: Tensor, y: Tensor | Number, name: str | None = None, out: Tensor | None = None) -> Tensor:
    """Return for each element whether x < y.

    Args:
        x: a tensor.
        y: a tensor or a number, broadcast with the other one.
        name: ignored.
        out: a tensor into which the result is written.

    Returns:
        A tensor of the shape that x and y broadcast to.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.less_than(paddle.to_tensor([1, 2]), paddle.to_tensor([2, 2]))
        Tensor(shape=[2], dtype=bool, place=Place(cpu), stop_gradient=True,
               [True , False])
    """
    ...
def less_than_(x: Tensor, y: Tensor | Number, name: str | None = None) -> Tensor:
    """Return for each element whether x < y. Writes into its first operand and returns it.

    Args:
        x: a tensor.
        y: a tensor or a number, broadcast with the other one.
        name: ignored.

    Returns:
        The tensor x.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.less_than_(paddle.to_tensor([1, 2]), paddle.to_tensor([2, 2]))
        Tensor(shape=[2], dtype=bool, place=Place(cpu), stop_gradient=True,
               [True , False])
    """
    ...
def lgamma(x: Tensor, name: str | None = None) -> Tensor:
    """Compute the logarithm of the absolute value of the gamma function.

    Args:
        x: a tensor.
        name: ignored.

    Returns:
        A tensor of the shape of x.

    Derivative: dx = dout * digamma(x).

    At the boundary: -inf at 0, nan at negative integers, as in Paddle.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.lgamma(paddle.to_tensor([0.25, 0.5]))
        Tensor(shape=[2], dtype=float32, place=Place(cpu), stop_gradient=True,
               [1.28802252, 0.57236493])
    """
    ...
def lgamma_(x: Tensor, name: str | None = None) -> Tensor:
    """Compute the logarithm of the absolute value of the gamma function. Writes into its first operand and returns it.

    Args:
        x: a tensor.
        name: ignored.

    Returns:
        The tensor x.

    Derivative: dx = dout * digamma(x).

    At the boundary: -inf at 0, nan at negative integers, as in Paddle.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.lgamma_(paddle.to_tensor([0.25, 0.5]))
        Tensor(shape=[2], dtype=float32, place=Place(cpu), stop_gradient=True,
               [1.28802252, 0.57236493])
    """
    ...
def linspace(start: float | Tensor, stop: float | Tensor, num: int | Tensor, dtype: DTypeLike | None = None, name: str | None = None, out: Tensor | None = None, device: PlaceLike | None = None, requires_grad: bool = False) -> Tensor:
    """Return ``num`` numbers at equal distances from ``start`` to ``stop``, both included.

    Args:
        start: the first number, or a one-element Tensor.
        stop: the last number, or a one-element Tensor.
        num: the count, an int or a one-element Tensor.
        dtype: element type, the default dtype; for integers, ``start`` and ``stop`` are truncated
            towards 0 first, and the numbers between them too.
        name: accepted for compatibility.

    Returns:
        Tensor [num].

    Raises:
        InvalidArgumentError: when ``num`` is negative.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.linspace(0, 1, 5).tolist()
        [0.0, 0.25, 0.5, 0.75, 1.0]
    """
    ...
def log(x: Tensor, name: str | None = None, out: Tensor | None = None) -> Tensor:
    """Compute the natural logarithm of each element.

    Args:
        x: a tensor.
        name: ignored.
        out: a tensor into which the result is written.

    Returns:
        A tensor of the shape of x.

    Derivative: dx = dout / conj(x).

    At the boundary: inf at 0, as in Paddle.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.log(paddle.to_tensor([0.25, 0.5]))
        Tensor(shape=[2], dtype=float32, place=Place(cpu), stop_gradient=True,
               [-1.38629436, -0.69314718])
    """
    ...
def log10(x: Tensor, name: str | None = None, out: Tensor | None = None) -> Tensor:
    """Compute the logarithm to base 10 of each element.

    Args:
        x: a tensor.
        name: ignored.
        out: a tensor into which the result is written.

    Returns:
        A tensor of the shape of x.

    Derivative: dx = dout / (conj(x) * log(10)).

    At the boundary: inf at 0, as in Paddle.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.log10(paddle.to_tensor([0.25, 0.5]))
        Tensor(shape=[2], dtype=float32, place=Place(cpu), stop_gradient=True,
               [-0.60206002, -0.30103001])
    """
    ...
def log10_(x: Tensor, name: str | None = None) -> Tensor:
    """Compute the logarithm to base 10 of each element. Writes into its first operand and returns it.

    Args:
        x: a tensor.
        name: ignored.

    Returns:
        The tensor x.

    Derivative: dx = dout / (conj(x) * log(10)).

    At the boundary: inf at 0, as in Paddle.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.log10_(paddle.to_tensor([0.25, 0.5]))
        Tensor(shape=[2], dtype=float32, place=Place(cpu), stop_gradient=True,
               [-0.60206002, -0.30103001])
    """
    ...
def log1p(x: Tensor, name: str | None = None, out: Tensor | None = None) -> Tensor:
    """Compute log(1 + x), exactly for small x.

    Args:
        x: a tensor.
        name: ignored.
        out: a tensor into which the result is written.

    Returns:
        A tensor of the shape of x.

    Derivative: dx = dout / (1 + conj(x)).

    At the boundary: inf at -1, as in Paddle.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.log1p(paddle.to_tensor([0.25, 0.5]))
        Tensor(shape=[2], dtype=float32, place=Place(cpu), stop_gradient=True,
               [0.22314355, 0.40546510])
    """
    ...
def log1p_(x: Tensor, name: str | None = None) -> Tensor:
    """Compute log(1 + x), exactly for small x. Writes into its first operand and returns it.

    Args:
        x: a tensor.
        name: ignored.

    Returns:
        The tensor x.

    Derivative: dx = dout / (1 + conj(x)).

    At the boundary: inf at -1, as in Paddle.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.log1p_(paddle.to_tensor([0.25, 0.5]))
        Tensor(shape=[2], dtype=float32, place=Place(cpu), stop_gradient=True,
               [0.22314355, 0.40546510])
    """
    ...
def log2(x: Tensor, name: str | None = None, out: Tensor | None = None) -> Tensor:
    """Compute the logarithm to base 2 of each element.

    Args:
        x: a tensor.
        name: ignored.
        out: a tensor into which the result is written.

    Returns:
        A tensor of the shape of x.

    Derivative: dx = dout / (conj(x) * log(2)).

    At the boundary: inf at 0, as in Paddle.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.log2(paddle.to_tensor([0.25, 0.5]))
        Tensor(shape=[2], dtype=float32, place=Place(cpu), stop_gradient=True,
               [-2., -1.])
    """
    ...
def log2_(x: Tensor, name: str | None = None) -> Tensor:
    """Compute the logarithm to base 2 of each element. Writes into its first operand and returns it.

    Args:
        x: a tensor.
        name: ignored.

    Returns:
        The tensor x.

    Derivative: dx = dout / (conj(x) * log(2)).

    At the boundary: inf at 0, as in Paddle.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.log2_(paddle.to_tensor([0.25, 0.5]))
        Tensor(shape=[2], dtype=float32, place=Place(cpu), stop_gradient=True,
               [-2., -1.])
    """
    ...
def log_(x: Tensor, name: str | None = None) -> Tensor:
    """Compute the natural logarithm of each element. Writes into its first operand and returns it.

    Args:
        x: a tensor.
        name: ignored.

    Returns:
        The tensor x.

    Derivative: dx = dout / conj(x).

    At the boundary: inf at 0, as in Paddle.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.log_(paddle.to_tensor([0.25, 0.5]))
        Tensor(shape=[2], dtype=float32, place=Place(cpu), stop_gradient=True,
               [-1.38629436, -0.69314718])
    """
    ...
def log_normal(mean: float | Tensor = 1.0, std: float | Tensor = 2.0, shape: ShapeLike | int | None = None, name: str | None = None) -> Tensor:
    """Return the exponentials of normally distributed numbers.

    See ``normal`` for the parameters, and for the shape and dtype of the result.

    Example:
        >>> import jaxeager as paddle
        >>> bool((paddle.log_normal(shape=[4]) > 0).all())
        True
    """
    ...
def log_normal_(x: Tensor, mean: float = 1.0, std: float = 2.0, name: str | None = None) -> Tensor:
    """Overwrite ``x`` with exponentials of normally distributed numbers, and return it.

    ``x`` is a floating tensor of any shape.

    Example:
        >>> import jaxeager as paddle
        >>> bool((paddle.zeros([4]).log_normal_() > 0.0).all())
        True
    """
    ...
def logaddexp(x: Tensor, y: Tensor, name: str | None = None) -> Tensor:
    """Return ``log(exp(x) + exp(y))`` without overflow.

    ``x`` and ``y`` are tensors of real numbers that broadcast with each other, integers as the
    default floating dtype; the result has the common shape.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.logaddexp(paddle.to_tensor([1000.0]), paddle.to_tensor([0.0])).tolist()
        [1000.0]
    """
    ...
def logcumsumexp(x: Tensor, axis: int | None = None, dtype: DTypeLike | None = None, name: str | None = None) -> Tensor:
    """Return the logarithms of the running sums of exponentials along an axis.

    Args:
        x: tensor of any shape.
        axis: the axis; without it ``x`` is flattened first.
        dtype: dtype to cast ``x`` to first.
        name: accepted for compatibility.

    Returns:
        Tensor of the shape of ``x`` (flat without an axis).

    Example:
        >>> import jaxeager as paddle
        >>> out = paddle.logcumsumexp(paddle.to_tensor([0.0, 0.0]), 0)
        >>> [round(value, 4) for value in out.tolist()]
        [0.0, 0.6931]
    """
    ...
def logical_and(x: Tensor, y: Tensor | Number, name: str | None = None, out: Tensor | None = None) -> Tensor:
    """Compute x and y element by element; nonzero elements are true.

    Args:
        x: a tensor.
        y: a tensor or a number, broadcast with the other one.
        name: ignored.
        out: a tensor into which the result is written.

    Returns:
        A tensor of the shape that x and y broadcast to.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.logical_and(paddle.to_tensor([True]), paddle.to_tensor([False]))
        Tensor(shape=[1], dtype=bool, place=Place(cpu), stop_gradient=True,
               [False])
    """
    ...
def logical_and_(x: Tensor, y: Tensor | Number, name: str | None = None) -> Tensor:
    """Compute x and y element by element; nonzero elements are true. Writes into its first operand and returns it.

    Args:
        x: a tensor.
        y: a tensor or a number, broadcast with the other one.
        name: ignored.

    Returns:
        The tensor x.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.logical_and_(paddle.to_tensor([True]), paddle.to_tensor([False]))
        Tensor(shape=[1], dtype=bool, place=Place(cpu), stop_gradient=True,
               [False])
    """
    ...
def logical_not(x: Tensor, name: str | None = None, out: Tensor | None = None) -> Tensor:
    """Return for each element whether it is 0.

    Args:
        x: a tensor.
        name: ignored.
        out: a tensor into which the result is written.

    Returns:
        A tensor of the shape of x.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.logical_not(paddle.to_tensor([True, False]))
        Tensor(shape=[2], dtype=bool, place=Place(cpu), stop_gradient=True,
               [False, True ])
    """
    ...
def logical_not_(x: Tensor, name: str | None = None) -> Tensor:
    """Return for each element whether it is 0. Writes into its first operand and returns it.

    Args:
        x: a tensor.
        name: ignored.

    Returns:
        The tensor x.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.logical_not_(paddle.to_tensor([True, False]))
        Tensor(shape=[2], dtype=bool, place=Place(cpu), stop_gradient=True,
               [False, True ])
    """
    ...
def logical_or(x: Tensor, y: Tensor | Number, name: str | None = None, out: Tensor | None = None) -> Tensor:
    """Compute x or y element by element; nonzero elements are true.

    Args:
        x: a tensor.
        y: a tensor or a number, broadcast with the other one.
        name: ignored.
        out: a tensor into which the result is written.

    Returns:
        A tensor of the shape that x and y broadcast to.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.logical_or(paddle.to_tensor([True]), paddle.to_tensor([False]))
        Tensor(shape=[1], dtype=bool, place=Place(cpu), stop_gradient=True,
               [True])
    """
    ...
def logical_or_(x: Tensor, y: Tensor | Number, name: str | None = None) -> Tensor:
    """Compute x or y element by element; nonzero elements are true. Writes into its first operand and returns it.

    Args:
        x: a tensor.
        y: a tensor or a number, broadcast with the other one.
        name: ignored.

    Returns:
        The tensor x.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.logical_or_(paddle.to_tensor([True]), paddle.to_tensor([False]))
        Tensor(shape=[1], dtype=bool, place=Place(cpu), stop_gradient=True,
               [True])
    """
    ...
def logical_xor(x: Tensor, y: Tensor | Number, name: str | None = None, out: Tensor | None = None) -> Tensor:
    """Compute x xor y element by element; nonzero elements are true.

    Args:
        x: a tensor.
        y: a tensor or a number, broadcast with the other one.
        name: ignored.
        out: a tensor into which the result is written.

    Returns:
        A tensor of the shape that x and y broadcast to.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.logical_xor(paddle.to_tensor([True]), paddle.to_tensor([False]))
        Tensor(shape=[1], dtype=bool, place=Place(cpu), stop_gradient=True,
               [True])
    """
    ...
def logical_xor_(x: Tensor, y: Tensor | Number, name: str | None = None) -> Tensor:
    """Compute x xor y element by element; nonzero elements are true. Writes into its first operand and returns it.

    Args:
        x: a tensor.
        y: a tensor or a number, broadcast with the other one.
        name: ignored.

    Returns:
        The tensor x.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.logical_xor_(paddle.to_tensor([True]), paddle.to_tensor([False]))
        Tensor(shape=[1], dtype=bool, place=Place(cpu), stop_gradient=True,
               [True])
    """
    ...
def logit(x: Tensor, eps: float | None = None, name: str | None = None) -> Tensor:
    """Compute log(x / (1 - x)), the inverse of sigmoid.

    Args:
        x: a tensor.
        eps: x is limited to [eps, 1 - eps] first; not when None.
        name: ignored.

    Returns:
        A tensor of the shape of x.

    Derivative: dx = dout / (x * (1 - x)), 0 where x < eps or x > 1 - eps.

    At the boundary: inf at 0 and 1 without eps; with eps the limits count as inside, as in Paddle.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.logit(paddle.to_tensor([0.25, 0.5]))
        Tensor(shape=[2], dtype=float32, place=Place(cpu), stop_gradient=True,
               [-1.09861231,  0.        ])
    """
    ...
def logit_(x: Tensor, eps: float | None = None, name: str | None = None) -> Tensor:
    """Compute log(x / (1 - x)), the inverse of sigmoid. Writes into its first operand and returns it.

    Args:
        x: a tensor.
        eps: x is limited to [eps, 1 - eps] first; not when None.
        name: ignored.

    Returns:
        The tensor x.

    Derivative: dx = dout / (x * (1 - x)), 0 where x < eps or x > 1 - eps.

    At the boundary: inf at 0 and 1 without eps; with eps the limits count as inside, as in Paddle.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.logit_(paddle.to_tensor([0.25, 0.5]))
        Tensor(shape=[2], dtype=float32, place=Place(cpu), stop_gradient=True,
               [-1.09861231,  0.        ])
    """
    ...
def logspace(start: float | Tensor, stop: float | Tensor, num: int | Tensor, base: float | Tensor = 10.0, dtype: DTypeLike | None = None, name: str | None = None, out: Tensor | None = None, device: PlaceLike | None = None, requires_grad: bool = False) -> Tensor:
    """Return ``base`` to the powers that ``linspace`` returns.

    They are a tensor [num] of the default dtype, unless another ``dtype`` is given; see
    ``linspace`` for the parameters.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.logspace(0, 2, 3).tolist()
        [1.0, 10.0, 100.0]
    """
    ...
def logsumexp(x: Tensor, axis: int | Sequence[int] | None = None, keepdim: bool = False, name: str | None = None, out: Tensor | None = None) -> Tensor:
    """Compute the logarithm of the sum of exponentials over the given axes.

    Args:
        x: a tensor.
        axis: the dimensions to reduce, one or several; all when None.
        keepdim: whether the reduced dimensions stay, with size 1.
        name: ignored.
        out: a tensor into which the result is written.

    Returns:
        A tensor without the reduced dimensions.

    Derivative: dx = dout * exp(x - out).

    At the boundary: 0 for an element of -inf; nan when all are -inf, as in Paddle.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.logsumexp(paddle.to_tensor([[0.0, 1.0], [2.0, 3.0]]), axis=1)
        Tensor(shape=[2], dtype=float32, place=Place(cpu), stop_gradient=True,
               [1.31326163, 3.31326151])
    """
    ...
def lt(x: Tensor, y: Tensor | Number, name: str | None = None, out: Tensor | None = None) -> Tensor:
    """Return for each element whether x < y.

    Args:
        x: a tensor.
        y: a tensor or a number, broadcast with the other one.
        name: ignored.
        out: a tensor into which the result is written.

    Returns:
        A tensor of the shape that x and y broadcast to.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.less_than(paddle.to_tensor([1, 2]), paddle.to_tensor([2, 2]))
        Tensor(shape=[2], dtype=bool, place=Place(cpu), stop_gradient=True,
               [True , False])
    """
    ...
def masked_fill(x: Tensor, mask: Tensor, value: Number | Tensor, name: str | None = None) -> Tensor:
    """Return a tensor with a value written where a mask is true.

    In Paddle, the gradient of a value given as a tensor is 0. Here it is the sum of the gradient
    over the places where it was written.

    Args:
        x: tensor of any shape.
        mask: bool tensor; both are broadcast against each other.
        value: number, or tensor of one element.
        name: accepted for compatibility.

    Returns:
        Tensor of the common shape.

    Example:
        >>> import jaxeager as paddle
        >>> x = paddle.to_tensor([1.0, 2.0, 3.0])
        >>> paddle.masked_fill(x, x > 1.5, 0.0).tolist()
        [1.0, 0.0, 0.0]
    """
    ...
def masked_fill_(x: Tensor, mask: Tensor, value: Number | Tensor, name: str | None = None) -> Tensor:
    """Write a value into ``x`` where a mask is true and return ``x``; see ``masked_fill``.

    Example:
        >>> import jaxeager as paddle
        >>> x = paddle.to_tensor([1.0, 2.0, 3.0])
        >>> x.masked_fill_(x > 1.5, 0.0).tolist()
        [1.0, 0.0, 0.0]
    """
    ...
def masked_scatter(x: Tensor, mask: Tensor, value: Tensor, name: str | None = None) -> Tensor:
    """Return a tensor with the elements of ``value``, in order, written where a mask is true.

    The place of each element depends on the mask, so this waits for it.

    Args:
        x: tensor of any shape.
        mask: bool tensor that broadcasts to the shape of ``x``.
        value: tensor of at least as many elements as places, of the dtype of ``x``.
        name: accepted for compatibility.

    Returns:
        Tensor of the shape of ``x``.

    Raises:
        InvalidArgumentError: for a mask that is not bool or does not fit, or too few elements.

    Example:
        >>> import jaxeager as paddle
        >>> x, mask = paddle.zeros([3]), paddle.to_tensor([True, False, True])
        >>> paddle.masked_scatter(x, mask, paddle.to_tensor([5.0, 6.0, 7.0])).tolist()
        [5.0, 0.0, 6.0]
    """
    ...
def masked_scatter_(x: Tensor, mask: Tensor, value: Tensor, name: str | None = None) -> Tensor:
    """Write the elements of ``value`` into ``x`` where a mask is true; see ``masked_scatter``.

    Example:
        >>> import jaxeager as paddle
        >>> x = paddle.zeros([2])
        >>> x.masked_scatter_(paddle.to_tensor([False, True]), paddle.ones([1])).tolist()
        [0.0, 1.0]
    """
    ...
def masked_select(x: Tensor, mask: Tensor, name: str | None = None, out: Tensor | None = None) -> Tensor:
    """Return the elements of a tensor where a mask is true, as a vector.

    Its length depends on the mask, so this waits for the mask and compiles once per length.

    Args:
        x: tensor of any shape.
        mask: bool tensor; both are broadcast against each other.
        name: accepted for compatibility.

    Returns:
        1-D Tensor.

    Example:
        >>> import jaxeager as paddle
        >>> x = paddle.to_tensor([1.0, 2.0, 3.0])
        >>> paddle.masked_select(x, x > 1.5).tolist()
        [2.0, 3.0]
    """
    ...
def matmul(x: Tensor, y: Tensor, transpose_x: bool = False, transpose_y: bool = False, name: str | None = None, out: Tensor | None = None) -> Tensor:
    """Multiply two matrices, batches of matrices (broadcast) or vectors.

    Args:
        x: a tensor.
        y: a tensor.
        transpose_x: whether the last two dimensions of x are exchanged first.
        transpose_y: whether the last two dimensions of y are exchanged first.
        name: ignored.
        out: a tensor into which the result is written.

    Returns:
        A tensor [..., n, m], for x [..., n, k] and y [..., k, m]. A vector as x is a row, as y a column, and its dimension of 1 is dropped.

    Derivative: dx = dout @ conj(y)^T; dy = conj(x)^T @ dout.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.matmul(paddle.to_tensor([[1.0, 2.0]]), paddle.to_tensor([[3.0], [4.0]]))
        Tensor(shape=[1, 1], dtype=float32, place=Place(cpu), stop_gradient=True,
               [[11.]])
    """
    ...
def matrix_transpose(x: Tensor, name: str | None = None) -> Tensor:
    """Return a tensor with its last two dimensions exchanged; it shares memory.

    ``x`` is a tensor [..., n, m] of any dtype; the result is [..., m, n].

    Example:
        >>> import jaxeager as paddle
        >>> paddle.matrix_transpose(paddle.ones([2, 3, 4])).shape
        paddle.Size([2, 4, 3])
    """
    ...
def max(x: Tensor, axis: int | Sequence[int] | None = None, keepdim: bool = False, name: str | None = None) -> Tensor:
    """Take the maximum over the given axes.

    Args:
        x: a tensor.
        axis: the dimensions to reduce, one or several; all when None.
        keepdim: whether the reduced dimensions stay, with size 1.
        name: ignored.

    Returns:
        A tensor without the reduced dimensions.

    Derivative: dx = dout * t / sum(t), t = (x == out).

    At the boundary: elements that tie share it equally; all nan when one is nan, as in Paddle.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.max(paddle.to_tensor([[1.0, 5.0], [3.0, 4.0]]), axis=1)
        Tensor(shape=[2], dtype=float32, place=Place(cpu), stop_gradient=True,
               [5., 4.])
    """
    ...
def maximum(x: Tensor, y: Tensor | Number, name: str | None = None, out: Tensor | None = None) -> Tensor:
    """Pick the larger of two tensors element by element; nan wins.

    Args:
        x: a tensor.
        y: a tensor or a number, broadcast with the other one.
        name: ignored.
        out: a tensor into which the result is written.

    Returns:
        A tensor of the shape that x and y broadcast to.

    Derivative: dx = dout where x > y, dout / 2 where x = y, else 0; dy = dout - dx.

    At the boundary: at a tie, the formula holds, as in Paddle.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.maximum(paddle.to_tensor([6.0, 7.0]), paddle.to_tensor([4.0, 2.0]))
        Tensor(shape=[2], dtype=float32, place=Place(cpu), stop_gradient=True,
               [6., 7.])
    """
    ...
def mean(x: Tensor, axis: int | Sequence[int] | None = None, keepdim: bool = False, name: str | None = None, dtype: DTypeLike | None = None, out: Tensor | None = None) -> Tensor:
    """Return the mean of the elements over the given axes.

    Args:
        x: tensor of any shape; the mean of integers is an integer, truncated towards zero.
        axis: int, or list of ints; all axes by default.
        keepdim: whether reduced axes stay, with size 1.
        name: accepted for compatibility.
        dtype: dtype to cast ``x`` to first; the cast is recorded.

    Returns:
        Tensor of the remaining axes.

    Raises:
        InvalidArgumentError: when an axis is out of range or named twice.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.mean(paddle.to_tensor([[1.0, 2.0], [3.0, 4.0]]), axis=0).tolist()
        [2.0, 3.0]
    """
    ...
def median(x: Tensor, axis: int | None = None, keepdim: bool = False, mode: str = 'avg', name: str | None = None, out: tuple[Tensor, Tensor] | None = None) -> Tensor:
    """Return the median along an axis, or of all elements; nan where there is a nan.

    Args:
        x: tensor of any shape.
        axis: the axis; without it all elements count.
        keepdim: whether the reduced axis stays, with size 1.
        mode: for an even count "avg" takes the mean of the two middle elements, "min" the lower.
            If ``input=`` or ``dim=`` is given, the default is "min", as in Paddle.
        name: accepted for compatibility.
        out: two tensors that become the median and its positions.

    Returns:
        Tensor of the remaining axes; in mode "min" with an axis also the int64 positions. In mode
        "avg" it is float32, or float64 for a float64 operand.

    Raises:
        InvalidArgumentError: for several axes, another mode, or an ``out`` that is not a pair.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.median(paddle.to_tensor([4.0, 1.0, 3.0, 2.0])).item()
        2.5
    """
    ...
def meshgrid(*inputs: Tensor | Sequence[Tensor], indexing: str = 'ij', name: str | None = None, out: Tensor | None = None) -> list[Tensor]:
    """Return, for each vector, its values over the grid of all vectors.

    Args:
        *inputs: tensors of at most one dimension, or one list of them.
        indexing: "ij" (the first vector varies along the first axis) or "xy" (along the second).
        name: accepted for compatibility.

    Returns:
        list of tensors, one per vector, all of the grid's shape.

    Raises:
        InvalidArgumentError: for no tensors, several dtypes, or more than one dimension.

    Example:
        >>> import jaxeager as paddle
        >>> rows, columns = paddle.meshgrid(paddle.to_tensor([1, 2]), paddle.to_tensor([3, 4]))
        >>> rows.tolist(), columns.tolist()
        ([[1, 1], [2, 2]], [[3, 4], [3, 4]])
    """
    ...
def min(x: Tensor, axis: int | Sequence[int] | None = None, keepdim: bool = False, name: str | None = None) -> Tensor:
    """Take the minimum over the given axes.

    Args:
        x: a tensor.
        axis: the dimensions to reduce, one or several; all when None.
        keepdim: whether the reduced dimensions stay, with size 1.
        name: ignored.

    Returns:
        A tensor without the reduced dimensions.

    Derivative: dx = dout * t / sum(t), t = (x == out).

    At the boundary: elements that tie share it equally; all nan when one is nan, as in Paddle.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.min(paddle.to_tensor([[1.0, 5.0], [3.0, 4.0]]), axis=1)
        Tensor(shape=[2], dtype=float32, place=Place(cpu), stop_gradient=True,
               [1., 3.])
    """
    ...
def minimum(x: Tensor, y: Tensor | Number, name: str | None = None, out: Tensor | None = None) -> Tensor:
    """Pick the smaller of two tensors element by element; nan wins.

    Args:
        x: a tensor.
        y: a tensor or a number, broadcast with the other one.
        name: ignored.
        out: a tensor into which the result is written.

    Returns:
        A tensor of the shape that x and y broadcast to.

    Derivative: dx = dout where x < y, dout / 2 where x = y, else 0; dy = dout - dx.

    At the boundary: at a tie, the formula holds, as in Paddle.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.minimum(paddle.to_tensor([6.0, 7.0]), paddle.to_tensor([4.0, 2.0]))
        Tensor(shape=[2], dtype=float32, place=Place(cpu), stop_gradient=True,
               [4., 2.])
    """
    ...
def mm(input: Tensor, mat2: Tensor, name: str | None = None) -> Tensor:
    """Return the product of two matrices; see ``matmul``.

    ``input`` is a tensor [n, k] and ``mat2`` one [k, m] of the same dtype; the product is [n, m].

    Example:
        >>> import jaxeager as paddle
        >>> paddle.mm(paddle.ones([2, 3]), paddle.ones([3, 1])).tolist()
        [[3.0], [3.0]]
    """
    ...
def mod(x: Tensor, y: Tensor | Number, name: str | None = None, out: Tensor | None = None) -> Tensor:
    """Compute the remainder of a division; it has the sign of the divisor.

    Args:
        x: a tensor.
        y: a tensor or a number, broadcast with the other one.
        name: ignored.
        out: a tensor into which the result is written.

    Returns:
        A tensor of the shape that x and y broadcast to.

    Derivative: dx = dout; dy = -dout * floor(x / y).

    At the boundary: at integer quotients, dy uses the quotient itself, as in Paddle.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.remainder(paddle.to_tensor([6.0, 7.0]), paddle.to_tensor([4.0, 2.0]))
        Tensor(shape=[2], dtype=float32, place=Place(cpu), stop_gradient=True,
               [2., 1.])
    """
    ...
def mod_(x: Tensor, y: Tensor | Number, name: str | None = None) -> Tensor:
    """Compute the remainder of a division; it has the sign of the divisor. Writes into its first operand and returns it.

    Args:
        x: a tensor.
        y: a tensor or a number, broadcast with the other one.
        name: ignored.

    Returns:
        The tensor x.

    Derivative: dx = dout; dy = -dout * floor(x / y).

    At the boundary: at integer quotients, dy uses the quotient itself, as in Paddle.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.remainder_(paddle.to_tensor([6.0, 7.0]), paddle.to_tensor([4.0, 2.0]))
        Tensor(shape=[2], dtype=float32, place=Place(cpu), stop_gradient=True,
               [2., 1.])
    """
    ...
def mode(x: Tensor, axis: int | None = -1, keepdim: bool = False, name: str | None = None) -> tuple[Tensor, Tensor]:
    """Take the most frequent element along an axis, and its last position.

    Args:
        x: a tensor.
        axis: the dimension; it may be negative.
        keepdim: whether the reduced dimensions stay, with size 1.
        name: ignored.

    Returns:
        The elements and their positions, without the searched dimension.

    Derivative: dx[indices] = dout.

    At the boundary: the last of equal elements gets the whole gradient, as in Paddle.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.mode(paddle.to_tensor([1.0, 2.0, 2.0]))
        (Tensor(shape=[], dtype=float32, place=Place(cpu), stop_gradient=True,
               2.), Tensor(shape=[], dtype=int64, place=Place(cpu), stop_gradient=True,
               2))
    """
    ...
def moveaxis(x: Tensor, source: int | Sequence[int], destination: int | Sequence[int], name: str | None = None) -> Tensor:
    """Return a tensor with dimensions moved; the others keep their order.

    Args:
        x: tensor of any shape.
        source: int, or list of ints: the dimensions to move.
        destination: their new positions.
        name: accepted for compatibility.

    Returns:
        Tensor of the dtype of ``x``, with the sizes in their new order.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.moveaxis(paddle.ones([2, 3, 4]), 0, 2).shape
        paddle.Size([3, 4, 2])
    """
    ...
def msort(input: Tensor, out: Tensor | None = None) -> Tensor:
    """Return the elements of a tensor in order along the first axis.

    ``input`` is a tensor of real numbers, of any shape; the result has its shape and dtype.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.msort(paddle.to_tensor([3.0, 1.0, 2.0])).tolist()
        [1.0, 2.0, 3.0]
    """
    ...
def mul(x: Tensor, y: Tensor | Number, name: str | None = None, out: Tensor | None = None) -> Tensor:
    """Multiply two tensors element by element.

    Args:
        x: a tensor.
        y: a tensor or a number, broadcast with the other one.
        name: ignored.
        out: a tensor into which the result is written.

    Returns:
        A tensor of the shape that x and y broadcast to.

    Derivative: dx = dout * conj(y); dy = dout * conj(x).

    Example:
        >>> import jaxeager as paddle
        >>> paddle.multiply(paddle.to_tensor([6.0, 7.0]), paddle.to_tensor([4.0, 2.0]))
        Tensor(shape=[2], dtype=float32, place=Place(cpu), stop_gradient=True,
               [24., 14.])
    """
    ...
def mul_(x: Tensor, y: Tensor | Number, name: str | None = None) -> Tensor:
    """Multiply two tensors element by element. Writes into its first operand and returns it.

    Args:
        x: a tensor.
        y: a tensor or a number, broadcast with the other one.
        name: ignored.

    Returns:
        The tensor x.

    Derivative: dx = dout * conj(y); dy = dout * conj(x).

    Example:
        >>> import jaxeager as paddle
        >>> paddle.multiply_(paddle.to_tensor([6.0, 7.0]), paddle.to_tensor([4.0, 2.0]))
        Tensor(shape=[2], dtype=float32, place=Place(cpu), stop_gradient=True,
               [24., 14.])
    """
    ...
def multigammaln(x: Tensor, p: int, name: str | None = None) -> Tensor:
    """Return the logarithm of the multivariate gamma function of dimension ``p``.

    Args:
        x: floating tensor of any shape, above ``(p - 1) / 2``.
        p: the dimension, an int of 1 or more.
        name: accepted for compatibility.

    Returns:
        Tensor of the shape of ``x``.

    Raises:
        InvalidArgumentError: when ``p`` is below 1.

    Example:
        >>> import jaxeager as paddle
        >>> round(paddle.multigammaln(paddle.to_tensor(2.0), 2).item(), 4)
        0.4516
    """
    ...
def multigammaln_(x: Tensor, p: int, name: str | None = None) -> Tensor:
    """Write the logarithm of the multivariate gamma function into ``x``; see ``multigammaln``.

    Example:
        >>> import jaxeager as paddle
        >>> round(paddle.to_tensor([2.0]).multigammaln_(2).item(), 4)
        0.4516
    """
    ...
def multinomial(x: Tensor, num_samples: int = 1, replacement: bool = False, name: str | None = None, out: Tensor | None = None) -> Tensor:
    """Return places drawn with the probabilities in a vector, or in each row of a matrix.

    Args:
        x: float[n] or float[m, n], not negative; they need not add up to 1, but one must be above
            0, and without replacement ``num_samples`` of them.
        num_samples: the number of draws.
        replacement: whether a place may be drawn again.
        name: accepted for compatibility.

    Returns:
        int64[num_samples] or int64[m, num_samples].

    Raises:
        InvalidArgumentError: when ``num_samples`` exceeds the number of places without replacement;
            and for numbers that are not probabilities, see Note [Checked domains].

    Example:
        >>> import jaxeager as paddle
        >>> paddle.multinomial(paddle.to_tensor([0.0, 3.0, 0.0])).tolist()
        [1]
    """
    ...
def multiplex(inputs: Sequence[Tensor], index: Tensor, name: str | None = None) -> Tensor:
    """Return a tensor whose row ``i`` is row ``i`` of ``inputs[index[i]]``.

    Args:
        inputs: list of two tensors or more, of one shape [m, ...] and dtype.
        index: int tensor [n, 1], with n up to m.
        name: accepted for compatibility.

    Returns:
        Tensor [n, ...].

    Raises:
        InvalidArgumentError: when shapes or dtypes do not fit.
        PreconditionNotMetError: for an index that names no tensor; see ``FLAGS_check_index``.

    Example:
        >>> import jaxeager as paddle
        >>> a, b = paddle.to_tensor([[1, 2], [3, 4]]), paddle.to_tensor([[5, 6], [7, 8]])
        >>> paddle.multiplex([a, b], paddle.to_tensor([[1], [0]], dtype="int32")).tolist()
        [[5, 6], [3, 4]]
    """
    ...
def multiply(x: Tensor, y: Tensor | Number, name: str | None = None, out: Tensor | None = None) -> Tensor:
    """Multiply two tensors element by element.

    Args:
        x: a tensor.
        y: a tensor or a number, broadcast with the other one.
        name: ignored.
        out: a tensor into which the result is written.

    Returns:
        A tensor of the shape that x and y broadcast to.

    Derivative: dx = dout * conj(y); dy = dout * conj(x).

    Example:
        >>> import jaxeager as paddle
        >>> paddle.multiply(paddle.to_tensor([6.0, 7.0]), paddle.to_tensor([4.0, 2.0]))
        Tensor(shape=[2], dtype=float32, place=Place(cpu), stop_gradient=True,
               [24., 14.])
    """
    ...
def multiply_(x: Tensor, y: Tensor | Number, name: str | None = None) -> Tensor:
    """Multiply two tensors element by element. Writes into its first operand and returns it.

    Args:
        x: a tensor.
        y: a tensor or a number, broadcast with the other one.
        name: ignored.

    Returns:
        The tensor x.

    Derivative: dx = dout * conj(y); dy = dout * conj(x).

    Example:
        >>> import jaxeager as paddle
        >>> paddle.multiply_(paddle.to_tensor([6.0, 7.0]), paddle.to_tensor([4.0, 2.0]))
        Tensor(shape=[2], dtype=float32, place=Place(cpu), stop_gradient=True,
               [24., 14.])
    """
    ...
def mv(x: Tensor, vec: Tensor, name: str | None = None) -> Tensor:
    """Multiply a matrix with a vector.

    Args:
        x: a tensor.
        vec: a vector of the length of the matrix's rows.
        name: ignored.

    Returns:
        A tensor [n], for x [n, k].

    Derivative: dx = outer(dout, conj(vec)); dvec = conj(x)^T @ dout.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.mv(paddle.ones([2, 3]), paddle.ones([3]))
        Tensor(shape=[2], dtype=float32, place=Place(cpu), stop_gradient=True,
               [3., 3.])
    """
    ...
def nan_to_num(x: Tensor, nan: float = 0.0, posinf: float | None = None, neginf: float | None = None, name: str | None = None) -> Tensor:
    """Return ``x`` with numbers instead of nan and the infinities.

    Args:
        x: floating tensor.
        nan: the replacement of nan.
        posinf: the replacement of infinity, the largest number of the dtype by default.
        neginf: the replacement of minus infinity, the smallest by default.
        name: accepted for compatibility.

    Returns:
        Tensor of the shape and dtype of ``x``.

    Raises:
        RefusedArgumentError: for integers and bools, which have no nan.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.nan_to_num(paddle.to_tensor([float("nan"), 1.0])).tolist()
        [0.0, 1.0]
    """
    ...
def nan_to_num_(x: Tensor, nan: float = 0.0, posinf: float | None = None, neginf: float | None = None, name: str | None = None) -> Tensor:
    """Replace nan and the infinities in ``x`` in place and return it; see ``nan_to_num``.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.to_tensor([float("nan"), 1.0]).nan_to_num_().tolist()
        [0.0, 1.0]
    """
    ...
def nanmean(x: Tensor, axis: int | Sequence[int] | None = None, keepdim: bool = False, name: str | None = None) -> Tensor:
    """Return the mean of the elements that are not nan.

    ``x`` is a tensor of any shape, integers counting as the default floating dtype, and ``axis`` an
    int, a list of ints, or None for all axes. See ``mean``.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.nanmean(paddle.to_tensor([1.0, float("nan"), 2.0])).item()
        1.5
    """
    ...
def nanmedian(x: Tensor, axis: int | Sequence[int] | None = None, keepdim: bool = False, mode: str = 'avg', name: str | None = None) -> Tensor:
    """Return the median of the elements that are not nan, along axes or of all elements.

    Args:
        x: tensor of any shape; the median of integers is an integer, truncated towards zero.
        axis: int, or list of ints; all axes by default.
        keepdim: whether reduced axes stay, with size 1.
        mode: for an even count "avg" takes the mean of the two middle elements, "min" the lower.
        name: accepted for compatibility.

    Returns:
        Tensor of the remaining axes, nan where all elements are nan; in mode "min" with an int as
        axis also the int64 positions, -1 where all elements are nan.

    Paddle: the position is 0 instead of -1 when the whole tensor is nan.

    Raises:
        InvalidArgumentError: for an axis out of range or named twice, an empty list of axes, or
            another mode.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.nanmedian(paddle.to_tensor([4.0, float("nan"), 3.0, 2.0])).item()
        3.0
    """
    ...
def nanquantile(x: Tensor, q: float | Sequence[float] | Tensor, axis: int | Sequence[int] | None = None, keepdim: bool = False, interpolation: str = 'linear') -> Tensor:
    """Return the elements at given shares of the sorted ones that are not nan; see ``quantile``.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.nanquantile(paddle.to_tensor([1.0, float("nan"), 4.0]), 0.5).item()
        2.5
    """
    ...
def nansum(x: Tensor, axis: int | Sequence[int] | None = None, dtype: DTypeLike | None = None, keepdim: bool = False, name: str | None = None) -> Tensor:
    """Return the sum of the elements that are not nan.

    ``x`` is a tensor of any shape, and ``axis`` an int, a list of ints, or None for all axes; the
    sum of integers and bool is int64. See ``sum``.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.nansum(paddle.to_tensor([1.0, float("nan"), 2.0])).item()
        3.0
    """
    ...
def narrow(input: Tensor, dim: int, start: int | Tensor, length: int) -> Tensor:
    """Return ``length`` elements along a dimension, from ``start`` on; it shares memory.

    Args:
        input: tensor with at least one dimension.
        dim: the dimension.
        start: int or integer tensor of one element; negative counts from the end.
        length: the number of elements.

    Returns:
        Tensor of the shape and dtype of ``input``, but of size ``length`` along the dimension.

    Raises:
        OutOfRangeError: for a dimension out of range.
        InvalidArgumentError: for a range outside the dimension.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.narrow(paddle.to_tensor([1, 2, 3, 4]), 0, 1, 2).tolist()
        [2, 3]
    """
    ...
def ne(x: Tensor, y: Tensor | Number, name: str | None = None, out: Tensor | None = None) -> Tensor:
    """Return for each element whether x != y.

    Args:
        x: a tensor.
        y: a tensor or a number, broadcast with the other one.
        name: ignored.
        out: a tensor into which the result is written.

    Returns:
        A tensor of the shape that x and y broadcast to.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.not_equal(paddle.to_tensor([1, 2]), paddle.to_tensor([2, 2]))
        Tensor(shape=[2], dtype=bool, place=Place(cpu), stop_gradient=True,
               [True , False])
    """
    ...
def neg(x: Tensor, name: str | None = None) -> Tensor:
    """Return ``-x``, recorded as ``scale``.

    ``x`` is a tensor of any shape and dtype; the result has the same.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.neg(paddle.to_tensor([1.0, -2.0])).tolist()
        [-1.0, 2.0]
    """
    ...
def neg_(x: Tensor, name: str | None = None) -> Tensor:
    """Negate ``x`` in place and return ``x``.

    ``x`` is a tensor of any shape and dtype.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.to_tensor([1.0]).neg_().tolist()
        [-1.0]
    """
    ...
def negative(x: Tensor, name: str | None = None) -> Tensor:
    """Return ``-x``; unlike ``neg`` it refuses bools.

    ``x`` is a tensor of any shape, of any dtype but bool; the result has the same.

    Raises:
        InvalidTypeError: for a bool tensor.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.negative(paddle.to_tensor([1.0, -2.0])).tolist()
        [-1.0, 2.0]
    """
    ...
def nextafter(x: Tensor, y: Tensor | Number, name: str | None = None) -> Tensor:
    """Return the next number after each element of x in the direction of y.

    Args:
        x: a tensor.
        y: a tensor or a number, broadcast with the other one.
        name: ignored.

    Returns:
        A tensor of the shape that x and y broadcast to.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.nextafter(paddle.to_tensor([1.0]), paddle.to_tensor([2.0]))
        Tensor(shape=[1], dtype=float32, place=Place(cpu), stop_gradient=True,
               [1.00000012])
    """
    ...
def nonzero(x: Tensor, as_tuple: bool = False, out: Tensor | None = None) -> Tensor:
    """Return where the elements of a tensor are not zero.

    Their number depends on the values, so this waits for ``x``.

    Args:
        x: tensor with at least one dimension.
        as_tuple: whether to return one tensor per dimension instead of one with a row per element.

    Returns:
        int64 Tensor [n, ndim], or a tuple of ndim tensors [n].

    Raises:
        InvalidArgumentError: for a 0-D tensor.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.nonzero(paddle.to_tensor([0.0, 2.0, 3.0])).tolist()
        [[1], [2]]
    """
    ...
def norm(x: Tensor, p: float | str | None = None, axis: int | Sequence[int] | None = None, keepdim: bool = False, out: Tensor | None = None, dtype: DTypeLike | None = None, name: str | None = None) -> Tensor:
    """Return a norm of a tensor: of vectors along an axis, of matrices over two axes.

    Args:
        x: float or complex tensor of any shape.
        p: order; 2 by default, which over two axes is the largest singular value. "fro" is the
            root of the sum of squares; see ``paddle.linalg.vector_norm`` and ``matrix_norm``.
        axis: int, or list of ints: two for matrices; without it all elements form one vector
            (for "nuc", ``x`` is one matrix).
        keepdim: whether reduced axes stay, with size 1.
        out: a tensor that becomes the result.
        dtype: a dtype that ``x`` is cast to first.
        name: accepted for compatibility.

    Returns:
        Tensor of the remaining axes, real.

    Raises:
        InvalidArgumentError: for an order or number of axes that does not exist.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.norm(paddle.to_tensor([3.0, 4.0])).item()
        5.0
    """
    ...
def normal(mean: Any = 0.0, std: float | Tensor = 1.0, shape: ShapeLike | int | None = None, name: str | None = None, out: Tensor | None = None) -> Tensor:
    """Return normally distributed numbers; gradients reach ``mean`` and ``std`` tensors.

    Args:
        mean: a number, or a tensor of means. With a complex one the results are complex, and their
            parts have the variance ``std**2 / 2`` each.
        std: a number, or a tensor of deviations, which must not be negative.
        shape: the shape, if both are numbers.
        name: accepted for compatibility.

    Returns:
        Tensor of ``shape``, or of the shape of the tensors.

    Raises:
        InvalidArgumentError: for a negative deviation or nan; see Note [Checked domains].

    Example:
        >>> import jaxeager as paddle
        >>> paddle.normal(mean=paddle.zeros([3]), std=2.0).shape
        paddle.Size([3])
    """
    ...
def normal_(x: Tensor, mean: Any = 0.0, std: float = 1.0, name: str | None = None) -> Tensor:
    """Overwrite ``x`` with normally distributed numbers, and return it.

    ``x`` is a floating tensor of any shape, or a complex one, whose parts get the variance
    ``std**2 / 2`` each.

    Raises:
        InvalidArgumentError: for a negative deviation or nan.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.zeros([2]).normal_(mean=3.0, std=0.0).tolist()
        [3.0, 3.0]
    """
    ...
def not_equal(x: Tensor, y: Tensor | Number, name: str | None = None, out: Tensor | None = None) -> Tensor:
    """Return for each element whether x != y.

    Args:
        x: a tensor.
        y: a tensor or a number, broadcast with the other one.
        name: ignored.
        out: a tensor into which the result is written.

    Returns:
        A tensor of the shape that x and y broadcast to.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.not_equal(paddle.to_tensor([1, 2]), paddle.to_tensor([2, 2]))
        Tensor(shape=[2], dtype=bool, place=Place(cpu), stop_gradient=True,
               [True , False])
    """
    ...
def not_equal_(x: Tensor, y: Tensor | Number, name: str | None = None) -> Tensor:
    """Return for each element whether x != y. Writes into its first operand and returns it.

    Args:
        x: a tensor.
        y: a tensor or a number, broadcast with the other one.
        name: ignored.

    Returns:
        The tensor x.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.not_equal_(paddle.to_tensor([1, 2]), paddle.to_tensor([2, 2]))
        Tensor(shape=[2], dtype=bool, place=Place(cpu), stop_gradient=True,
               [True , False])
    """
    ...
def numel(x: Tensor, name: str | None = None) -> Tensor:
    """Return the number of elements, as a 0-D int64 tensor.

    ``x`` is a tensor of any shape and dtype.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.numel(paddle.ones([2, 3])).item()
        6
    """
    ...
def ones(shape: ShapeLike | int, dtype: DTypeLike | None = None, name: str | None = None, out: Tensor | None = None, device: PlaceLike | None = None, requires_grad: bool = False, pin_memory: bool = False) -> Tensor:
    """Return a tensor of ones, of the default dtype unless one is given.

    The shape is an int, a list of ints or an int Tensor; see ``zeros`` for the other parameters.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.ones([1, 2]).tolist()
        [[1.0, 1.0]]
    """
    ...
def ones_like(x: Tensor, dtype: DTypeLike | None = None, name: str | None = None, device: PlaceLike | None = None, requires_grad: bool = False, pin_memory: bool = False) -> Tensor:
    """Return ones of another tensor's shape and dtype.

    ``x`` is a tensor of any shape and dtype; ``dtype``, if given, is that of the result.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.ones_like(paddle.zeros([2]), dtype="int64").tolist()
        [1, 1]
    """
    ...
def outer(x: Tensor, y: Tensor, name: str | None = None, out: Tensor | None = None) -> Tensor:
    """Return the products of every element of ``x`` with every element of ``y``.

    Args:
        x: tensor of n elements.
        y: tensor of m elements.
        name: accepted for compatibility.

    Returns:
        Tensor [n, m].

    Example:
        >>> import jaxeager as paddle
        >>> paddle.outer(paddle.to_tensor([1.0, 2.0]), paddle.to_tensor([3.0, 4.0])).tolist()
        [[3.0, 4.0], [6.0, 8.0]]
    """
    ...
def pdist(x: Tensor, p: float = 2.0, name: str | None = None) -> Tensor:
    """Return the p-norm distance of each pair of rows of ``x``, in the order of the pairs.

    It needs memory for all differences, [n (n - 1) / 2, d].

    Args:
        x: float[n, d].
        p: the norm, from 0 to infinity.
        name: accepted for compatibility.

    Returns:
        float[n (n - 1) / 2].

    Raises:
        InvalidArgumentError: when ``x`` does not have 2 dimensions, or for a negative ``p``.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.pdist(paddle.to_tensor([[0.0], [1.0], [3.0]])).tolist()
        [1.0, 3.0, 2.0]
    """
    ...
def permute(input: Tensor, dims: int | Sequence[int], *more: int) -> Tensor:
    """Return a tensor with its dimensions reordered: ``permute(x, 2, 0, 1)``, or a list.

    ``input`` is a tensor of any shape and dtype; dimension i of the result is its dimension
    ``dims[i]``.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.permute(paddle.ones([2, 3, 4]), 2, 0, 1).shape
        paddle.Size([4, 2, 3])
    """
    ...
def poisson(x: Tensor, name: str | None = None) -> Tensor:
    """Return counts drawn from Poisson distributions with the means in ``x``.

    ``x`` is a tensor of real numbers, of any shape; the result has its shape and dtype.

    Raises:
        InvalidArgumentError: for a mean that is negative or not finite; see Note [Checked domains].

    Example:
        >>> import jaxeager as paddle
        >>> paddle.poisson(paddle.to_tensor([0.0])).tolist()
        [0.0]
    """
    ...
def polar(abs: Tensor, angle: Tensor, name: str | None = None, out: Tensor | None = None) -> Tensor:
    """Return complex numbers of the given absolute values and angles.

    ``abs`` and ``angle`` are float32 or float64 tensors of shapes that broadcast; the result is
    complex64 or complex128, of the common shape.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.polar(paddle.to_tensor([2.0]), paddle.to_tensor([0.0])).tolist()
        [(2+0j)]
    """
    ...
def polygamma(x: Tensor, n: int, name: str | None = None) -> Tensor:
    """Return the ``n``-th derivative of digamma, element by element.

    Args:
        x: floating tensor of any shape; integers are computed in the default floating dtype.
        n: the order, an int of 0 or more; 0 is ``digamma``.
        name: accepted for compatibility.

    Returns:
        Tensor of the shape of ``x``.

    Raises:
        InvalidTypeError: when ``n`` is not an int.
        InvalidArgumentError: when ``n`` is negative.

    Example:
        >>> import jaxeager as paddle
        >>> round(paddle.polygamma(paddle.to_tensor(1.0), 1).item(), 4)
        1.6449
    """
    ...
def polygamma_(x: Tensor, n: int, name: str | None = None) -> Tensor:
    """Write the ``n``-th derivative of digamma into ``x`` and return it; see ``polygamma``.

    Example:
        >>> import jaxeager as paddle
        >>> round(paddle.to_tensor([1.0]).polygamma_(1).item(), 4)
        1.6449
    """
    ...
def positive(x: Tensor, name: str | None = None) -> Tensor:
    """Return ``x`` itself.

    ``x`` is a tensor of any shape, of any dtype but bool.

    Raises:
        InvalidTypeError: for a bool tensor.

    Example:
        >>> import jaxeager as paddle
        >>> x = paddle.ones([1])
        >>> paddle.positive(x) is x
        True
    """
    ...
def pow(x: Tensor, y: Tensor | Number, name: str | None = None, out: Tensor | None = None) -> Tensor:
    """Return ``x`` raised to the power ``y``, element by element.

    Args:
        x: tensor of any shape.
        y: a number (recorded as ``pow``) or a tensor (``elementwise_pow``).
        name: accepted for compatibility.

    Returns:
        Tensor of the broadcast shape.

    Raises:
        InvalidArgumentError: for an integer tensor to a constant negative power. Negative powers
            in a tensor of integers are rounded towards zero: 3 ** -1 is 0.
        InvalidTypeError: when ``y`` is neither a number nor a tensor.

    Paddle:
        An integer tensor to a fractional power is float32, like ``x ** 2.5``; Paddle's
        ``paddle.pow`` truncates the power to an integer.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.pow(paddle.to_tensor([2.0, 3.0]), 2).tolist()
        [4.0, 9.0]
    """
    ...
def pow_(x: Tensor, y: Number, name: str | None = None) -> Tensor:
    """Write ``x`` raised to the constant power ``y`` into ``x`` and return it.

    ``x`` is a tensor of any shape and of any dtype but bool; it keeps its dtype. See ``pow``.

    Raises:
        InvalidTypeError: when ``y`` is not a number, or changes the dtype.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.to_tensor([2.0, 3.0]).pow_(2).tolist()
        [4.0, 9.0]
    """
    ...
def prod(x: Tensor, axis: int | Sequence[int] | None = None, keepdim: bool = False, dtype: DTypeLike | None = None, out: Tensor | None = None, name: str | None = None) -> Tensor:
    """Return the product of the elements over the given axes.

    Paddle: its gradient is nan where an element is zero, and not conjugated for complex tensors.
    Here it is correct in both cases.

    Args:
        x: tensor of any shape.
        axis: int, or list of ints; all axes by default.
        keepdim: whether reduced axes stay, with size 1.
        dtype: dtype to cast ``x`` to first.
        out: a tensor that becomes the result.
        name: accepted for compatibility.

    Returns:
        Tensor of the remaining axes.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.prod(paddle.to_tensor([[1.0, 2.0], [3.0, 4.0]]), axis=1).tolist()
        [2.0, 12.0]
    """
    ...
def put_along_axis(arr: Tensor, indices: Tensor, values: Tensor | Number, axis: int, reduce: str = 'assign', include_self: bool = True, broadcast: bool = True) -> Tensor:
    """Return a tensor with one value per index written along an axis.

    In Paddle, gradients of "mul" are nan at zeros, and those of "amin" and "amax" count the element
    itself even when it is not included. Here both are right.

    Args:
        arr: tensor with at least one dimension.
        indices: integer tensor of as many dimensions.
        values: number, or tensor that broadcasts to the shape of ``indices``.
        axis: the axis the indices count along.
        reduce: "assign", "add", "mul" (or "multiply"), "mean", "amin" or "amax".
        include_self: whether the existing element takes part.
        broadcast: whether ``indices`` and ``values`` are broadcast.

    Returns:
        Tensor of the shape of ``arr``.

    Raises:
        OutOfRangeError: for a position out of range; see Note [Index bounds].

    Example:
        >>> import jaxeager as paddle
        >>> x = paddle.to_tensor([[1.0, 2.0], [3.0, 4.0]])
        >>> paddle.put_along_axis(x, paddle.to_tensor([[1], [0]]), 9.0, 1).tolist()
        [[1.0, 9.0], [9.0, 4.0]]
    """
    ...
def quantile(x: Tensor, q: float | Sequence[float] | Tensor, axis: int | Sequence[int] | None = None, keepdim: bool = False, interpolation: str = 'linear', name: str | None = None, out: Tensor | None = None) -> Tensor:
    """Return the elements at given shares of the sorted ones; nan where there is a nan.

    Paddle: the quantile of no elements is 0.0 there. Here it is nan. For integers the place is
    rounded down there unless the interpolation is linear, so that a midpoint is the lower element.

    Args:
        x: floating tensor of any shape; integers are computed in the default floating dtype.
        q: a number in [0, 1], a list of them, or a Tensor, whose values this waits for.
        axis: int, or list of ints; all axes by default.
        keepdim: whether reduced axes stay, with size 1.
        interpolation: the value between two elements: "linear", "lower", "higher", "nearest" or
            "midpoint".
        name: accepted for compatibility.

    Returns:
        Tensor of the remaining axes; with several shares their axis comes first.

    Raises:
        InvalidArgumentError: for a share outside [0, 1], an axis out of range, or another
            interpolation.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.quantile(paddle.to_tensor([1.0, 2.0, 4.0]), [0.5, 0.75]).tolist()
        [2.0, 3.0]
    """
    ...
def rad2deg(x: Tensor, name: str | None = None) -> Tensor:
    """Return angles in degrees for radians.

    ``x`` is a tensor of any shape and dtype; integers and bool become the default floating dtype.

    Example:
        >>> import jaxeager as paddle
        >>> round(paddle.rad2deg(paddle.to_tensor(3.14159265)).item(), 2)
        180.0
    """
    ...
def rand(shape: ShapeLike | int, dtype: DTypeLike | None = None, name: str | None = None, out: Tensor | None = None, device: PlaceLike | None = None, requires_grad: bool = False, pin_memory: bool = False) -> Tensor:
    """Return numbers drawn evenly from [0, 1).

    The shape is an int, a list of ints or an int Tensor; ``dtype`` is a floating one, by default
    the default dtype, or a complex one, both of whose parts are drawn.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.rand([2, 3]).shape
        paddle.Size([2, 3])
    """
    ...
def rand_like(input: Tensor, name: str | None = None, dtype: DTypeLike | None = None, device: PlaceLike | None = None, requires_grad: bool = False) -> Tensor:
    """Return numbers drawn evenly from [0, 1), in another tensor's shape and dtype.

    ``input`` is a floating or complex tensor of any shape, or of any dtype if such a ``dtype`` is
    given.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.rand_like(paddle.ones([2])).shape
        paddle.Size([2])
    """
    ...
def randint(low: int = 0, high: int | None = None, shape: ShapeLike | int = (1,), dtype: DTypeLike | None = None, name: str | None = None) -> Tensor:
    """Return integers drawn evenly from [low, high), or from [0, low) without ``high``.

    Args:
        low: the smallest integer.
        high: one more than the largest integer.
        shape: the shape.
        dtype: int64 by default.
        name: accepted for compatibility.

    Returns:
        Tensor of that shape and dtype.

    Raises:
        InvalidArgumentError: when there is no integer in the range.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.randint(3, 4, [2]).tolist()
        [3, 3]
    """
    ...
def randint_like(x: Tensor, low: int = 0, high: int | None = None, dtype: DTypeLike | None = None, name: str | None = None) -> Tensor:
    """Return integers from [low, high), in another tensor's shape and dtype.

    ``x`` is a tensor of any shape and dtype; ``dtype``, if given, is that of the result. Without
    ``high`` the integers are from [0, low).

    Example:
        >>> import jaxeager as paddle
        >>> paddle.randint_like(paddle.ones([2]), 3, 4).tolist()
        [3.0, 3.0]
    """
    ...
def randn(shape: ShapeLike | int, dtype: DTypeLike | None = None, name: str | None = None, out: Tensor | None = None, device: PlaceLike | None = None, requires_grad: bool = False, pin_memory: bool = False) -> Tensor:
    """Return numbers drawn from the normal distribution of mean 0 and deviation 1.

    The shape is an int, a list of ints or an int Tensor; ``dtype`` is a floating one, by default
    the default dtype, or a complex one, whose parts have the variance 1/2 each.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.randn([2, 3]).shape
        paddle.Size([2, 3])
    """
    ...
def randn_like(x: Tensor, dtype: DTypeLike | None = None, name: str | None = None, device: PlaceLike | None = None, requires_grad: bool = False) -> Tensor:
    """Return normally distributed numbers, in another tensor's shape and dtype.

    ``x`` is a floating or complex tensor of any shape, or of any dtype if such a ``dtype`` is
    given.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.randn_like(paddle.ones([2])).shape
        paddle.Size([2])
    """
    ...
def randperm(n: int, dtype: DTypeLike = 'int64', name: str | None = None, out: Tensor | None = None, device: PlaceLike | None = None, requires_grad: bool = False, pin_memory: bool = False) -> Tensor:
    """Return the numbers from 0 to n - 1 in random order.

    They are a tensor [n], int64 unless another ``dtype`` is given.

    Raises:
        InvalidArgumentError: when ``n`` is not above 0.

    Example:
        >>> import jaxeager as paddle
        >>> sorted(paddle.randperm(4).tolist())
        [0, 1, 2, 3]
    """
    ...
def range(start: float | Tensor = 0, end: float | Tensor | None = None, step: float | Tensor = 1, dtype: DTypeLike | None = None, name: str | None = None, out: Tensor | None = None, device: PlaceLike | None = None, requires_grad: bool = False) -> Tensor:
    """Return the numbers from ``start`` to ``end``, which is included if a step reaches it.

    Paddle recommends ``arange``, which excludes ``end``, instead.

    Args:
        start: the first number; the end when ``end`` is None, and 0 is the first then.
        end: the upper limit, which is included; the lower one for a negative step.
        step: the distance between two numbers, not 0; negative counts down.
        dtype: element type, the default dtype.
        name: accepted for compatibility.

    Returns:
        Tensor [n], n being 1 more than ``(end - start) / step`` rounded down.

    Raises:
        InvalidArgumentError: when ``step`` is 0, or leads away from ``end``.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.range(1, 7, 2).tolist()
        [1.0, 3.0, 5.0, 7.0]
    """
    ...
def rank(input: Tensor) -> Tensor:
    """Return the number of dimensions, as a 0-D int32 tensor.

    ``input`` is a tensor of any shape and dtype.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.rank(paddle.ones([2, 3])).item()
        2
    """
    ...
def ravel(input: Tensor) -> Tensor:
    """Return all the elements in one dimension; a view where ``reshape`` returns one.

    ``input`` is a tensor of any shape and dtype; of n elements the result is a tensor [n].

    Example:
        >>> import jaxeager as paddle
        >>> paddle.ravel(paddle.to_tensor([[1, 2], [3, 4]])).tolist()
        [1, 2, 3, 4]
    """
    ...
def real(x: Tensor, name: str | None = None) -> Tensor:
    """Take the real part of each element.

    Args:
        x: a tensor.
        name: ignored.

    Returns:
        A tensor of the shape of x.

    Derivative: dx = dout + 0i.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.real(paddle.to_tensor([1.0 + 2.0j]))
        Tensor(shape=[1], dtype=float32, place=Place(cpu), stop_gradient=True,
               [1.])
    """
    ...
def reciprocal(x: Tensor, name: str | None = None) -> Tensor:
    """Compute 1 / x of each element.

    Args:
        x: a tensor.
        name: ignored.

    Returns:
        A tensor of the shape of x.

    Derivative: dx = -dout * conj(out^2).

    At the boundary: -inf at 0, as in Paddle.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.reciprocal(paddle.to_tensor([0.25, 0.5]))
        Tensor(shape=[2], dtype=float32, place=Place(cpu), stop_gradient=True,
               [4., 2.])
    """
    ...
def reciprocal_(x: Tensor, name: str | None = None) -> Tensor:
    """Compute 1 / x of each element. Writes into its first operand and returns it.

    Args:
        x: a tensor.
        name: ignored.

    Returns:
        The tensor x.

    Derivative: dx = -dout * conj(out^2).

    At the boundary: -inf at 0, as in Paddle.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.reciprocal_(paddle.to_tensor([0.25, 0.5]))
        Tensor(shape=[2], dtype=float32, place=Place(cpu), stop_gradient=True,
               [4., 2.])
    """
    ...
def reduce_as(x: Tensor, target: Tensor, name: str | None = None) -> Tensor:
    """Sum over the axes along which a tensor of the target's shape is broadcast to x.

    Args:
        x: a tensor.
        target: a tensor of the shape that x is summed to.
        name: ignored.

    Returns:
        A tensor of the shape of target.

    Derivative: dx = dout, broadcast to x.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.reduce_as(paddle.ones([2, 3]), paddle.zeros([3]))
        Tensor(shape=[3], dtype=float32, place=Place(cpu), stop_gradient=True,
               [2., 2., 2.])
    """
    ...
def remainder(x: Tensor, y: Tensor | Number, name: str | None = None, out: Tensor | None = None) -> Tensor:
    """Compute the remainder of a division; it has the sign of the divisor.

    Args:
        x: a tensor.
        y: a tensor or a number, broadcast with the other one.
        name: ignored.
        out: a tensor into which the result is written.

    Returns:
        A tensor of the shape that x and y broadcast to.

    Derivative: dx = dout; dy = -dout * floor(x / y).

    At the boundary: at integer quotients, dy uses the quotient itself, as in Paddle.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.remainder(paddle.to_tensor([6.0, 7.0]), paddle.to_tensor([4.0, 2.0]))
        Tensor(shape=[2], dtype=float32, place=Place(cpu), stop_gradient=True,
               [2., 1.])
    """
    ...
def remainder_(x: Tensor, y: Tensor | Number, name: str | None = None) -> Tensor:
    """Compute the remainder of a division; it has the sign of the divisor. Writes into its first operand and returns it.

    Args:
        x: a tensor.
        y: a tensor or a number, broadcast with the other one.
        name: ignored.

    Returns:
        The tensor x.

    Derivative: dx = dout; dy = -dout * floor(x / y).

    At the boundary: at integer quotients, dy uses the quotient itself, as in Paddle.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.remainder_(paddle.to_tensor([6.0, 7.0]), paddle.to_tensor([4.0, 2.0]))
        Tensor(shape=[2], dtype=float32, place=Place(cpu), stop_gradient=True,
               [2., 1.])
    """
    ...
def renorm(x: Tensor, p: float, axis: int, max_norm: float, name: str | None = None) -> Tensor:
    """Scale each slice along an axis down to a p-norm of at most max_norm (Paddle: not for p = inf).

    Args:
        x: a tensor.
        p: the order of the norm; inf is the largest absolute value.
        axis: the dimension; it may be negative.
        max_norm: the largest norm that a slice may have.
        name: ignored.

    Returns:
        A tensor of the shape of x.

    Derivative: dx = dout in slices that were left, else the derivative of x * max_norm / norm(x).

    At the boundary: a slice whose norm equals the limit is unchanged; dx = dout there.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.renorm(paddle.to_tensor([[3.0, 4.0], [0.3, 0.4]]), 2.0, 0, 1.0)
        Tensor(shape=[2, 2], dtype=float32, place=Place(cpu), stop_gradient=True,
               [[0.60000002, 0.80000001],
                [0.30000001, 0.40000001]])
    """
    ...
def renorm_(x: Tensor, p: float, axis: int, max_norm: float, name: str | None = None) -> Tensor:
    """Scale each slice along an axis down to a p-norm of at most max_norm (Paddle: not for p = inf). Writes into its first operand and returns it.

    Args:
        x: a tensor.
        p: the order of the norm; inf is the largest absolute value.
        axis: the dimension; it may be negative.
        max_norm: the largest norm that a slice may have.
        name: ignored.

    Returns:
        The tensor x.

    Derivative: dx = dout in slices that were left, else the derivative of x * max_norm / norm(x).

    At the boundary: a slice whose norm equals the limit is unchanged; dx = dout there.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.renorm_(paddle.to_tensor([[3.0, 4.0], [0.3, 0.4]]), 2.0, 0, 1.0)
        Tensor(shape=[2, 2], dtype=float32, place=Place(cpu), stop_gradient=True,
               [[0.60000002, 0.80000001],
                [0.30000001, 0.40000001]])
    """
    ...
def repeat_interleave(x: Tensor, repeats: int | Tensor, axis: int | None = None, name: str | None = None, output_size: int | None = None) -> Tensor:
    """Return a tensor with each slice along an axis repeated.

    Args:
        x: tensor of any shape.
        repeats: the number of repetitions: an int, or a tensor of one int per slice.
        axis: the axis; without it ``x`` is flattened first.
        name: accepted for compatibility.
        output_size: the length along the axis, which is checked: the counts in a tensor are read in
            any case. (With a wrong length, Paddle returns a wrong result.)

    Raises:
        InvalidArgumentError: for counts that do not fit, or another ``output_size``.

    Returns:
        Tensor that is longer along the axis.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.repeat_interleave(paddle.to_tensor([1.0, 2.0]), 2).tolist()
        [1.0, 1.0, 2.0, 2.0]
    """
    ...
def reshape(x: Tensor, shape: ShapeLike | int, *more: int | Tensor, name: str | None = None) -> Tensor:
    """Return the elements of ``x`` in another shape.

    Args:
        x: tensor of any shape.
        shape: list of ints (or Tensors) or an integer tensor. One -1 is inferred from the others; a
            0 is replaced by the size of ``x`` at that place. ``reshape(x, 2, 3)`` works too.
        *more: further dimensions when ``shape`` is an int.
        name: accepted for compatibility.

    Returns:
        Tensor of the new shape; ``x`` itself if it already has that shape.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.reshape(paddle.ones([2, 6]), [0, 3, -1]).shape
        paddle.Size([2, 3, 2])
    """
    ...
def reshape_(x: Tensor, shape: ShapeLike | int, *more: int | Tensor, name: str | None = None) -> Tensor:
    """Change the shape of ``x`` in place and return ``x``; see ``reshape``.

    Example:
        >>> import jaxeager as paddle
        >>> x = paddle.ones([2, 3])
        >>> x.reshape_([3, 2]) is x, x.shape
        (True, paddle.Size([3, 2]))
    """
    ...
def reverse(x: Tensor, axis: int | Sequence[int], name: str | None = None) -> Tensor:
    """Reverse the order of the elements along axes.

    Args:
        x: a tensor.
        axis: the dimensions whose order is reversed.
        name: ignored.

    Returns:
        A tensor of the shape of x.

    Derivative: dx = flip(dout).

    Example:
        >>> import jaxeager as paddle
        >>> paddle.flip(paddle.to_tensor([1.0, 2.0, 3.0]), axis=0)
        Tensor(shape=[3], dtype=float32, place=Place(cpu), stop_gradient=True,
               [3., 2., 1.])
    """
    ...
def roll(x: Tensor, shifts: int | Sequence[int], axis: int | Sequence[int] | None = None, name: str | None = None, out: Tensor | None = None) -> Tensor:
    """Move the elements along axes; those that leave at one end enter at the other.

    Args:
        x: a tensor.
        shifts: by how many places, one or one per axis.
        axis: the dimension of each shift; all elements, flattened, when None.
        name: ignored.
        out: a tensor into which the result is written.

    Returns:
        A tensor of the shape of x.

    Derivative: dx = roll(dout, -shifts).

    Example:
        >>> import jaxeager as paddle
        >>> paddle.roll(paddle.to_tensor([1.0, 2.0, 3.0]), 1)
        Tensor(shape=[3], dtype=float32, place=Place(cpu), stop_gradient=True,
               [3., 1., 2.])
    """
    ...
def rot90(x: Tensor, k: int = 1, axes: Sequence[int] = (0, 1), name: str | None = None) -> Tensor:
    """Return a tensor rotated by 90 degrees in the plane of two axes, k times.

    Args:
        x: tensor with at least two dimensions.
        k: the number of rotations; a negative number rotates from the second axis to the first.
        axes: the plane.
        name: accepted for compatibility.

    Returns:
        Tensor of the dtype of ``x``; an odd ``k`` exchanges the sizes of the two axes.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.rot90(paddle.to_tensor([[1.0, 2.0], [3.0, 4.0]])).tolist()
        [[2.0, 4.0], [1.0, 3.0]]
    """
    ...
def round(x: Tensor, decimals: int = 0, name: str | None = None, out: Tensor | None = None) -> Tensor:
    """Round each element to a number of decimals, halves to even.

    Args:
        x: a tensor.
        decimals: how many decimals are kept; negative numbers round to tens, hundreds, ...
        name: ignored.
        out: a tensor into which the result is written.

    Returns:
        A tensor of the shape of x.

    Derivative: dx = 0.

    At the boundary: 0 also at the steps, as in Paddle.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.round(paddle.to_tensor([-1.5, 0.25]))
        Tensor(shape=[2], dtype=float32, place=Place(cpu), stop_gradient=True,
               [-2.,  0.])
    """
    ...
def round_(x: Tensor, decimals: int = 0, name: str | None = None) -> Tensor:
    """Round each element to a number of decimals, halves to even. Writes into its first operand and returns it.

    Args:
        x: a tensor.
        decimals: how many decimals are kept; negative numbers round to tens, hundreds, ...
        name: ignored.

    Returns:
        The tensor x.

    Derivative: dx = 0.

    At the boundary: 0 also at the steps, as in Paddle.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.round_(paddle.to_tensor([-1.5, 0.25]))
        Tensor(shape=[2], dtype=float32, place=Place(cpu), stop_gradient=True,
               [-2.,  0.])
    """
    ...
def row_stack(x: Sequence[Tensor], name: str | None = None) -> Tensor:
    """Return tensors joined vertically: along the first axis, with vectors as rows.

    ``x`` is a list of tensors of one dtype that differ only in the size of that axis; a vector [n]
    counts as [1, n].

    Example:
        >>> import jaxeager as paddle
        >>> paddle.vstack([paddle.ones([3]), paddle.ones([2, 3])]).shape
        paddle.Size([3, 3])
    """
    ...
def rsqrt(x: Tensor, name: str | None = None, out: Tensor | None = None) -> Tensor:
    """Compute the reciprocal square root of each element.

    Args:
        x: a tensor.
        name: ignored.
        out: a tensor into which the result is written.

    Returns:
        A tensor of the shape of x.

    Derivative: dx = -dout * conj(out^3) / 2.

    At the boundary: -inf at 0, nan below, as in Paddle.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.rsqrt(paddle.to_tensor([0.25, 0.5]))
        Tensor(shape=[2], dtype=float32, place=Place(cpu), stop_gradient=True,
               [2.        , 1.41421354])
    """
    ...
def rsqrt_(x: Tensor, name: str | None = None) -> Tensor:
    """Compute the reciprocal square root of each element. Writes into its first operand and returns it.

    Args:
        x: a tensor.
        name: ignored.

    Returns:
        The tensor x.

    Derivative: dx = -dout * conj(out^3) / 2.

    At the boundary: -inf at 0, nan below, as in Paddle.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.rsqrt_(paddle.to_tensor([0.25, 0.5]))
        Tensor(shape=[2], dtype=float32, place=Place(cpu), stop_gradient=True,
               [2.        , 1.41421354])
    """
    ...
def scale(x: Tensor, scale: Number | Tensor = 1.0, bias: Number | Tensor = 0.0, bias_after_scale: bool = True, act: str | None = None, name: str | None = None) -> Tensor:
    """Return ``x * scale + bias``, or an activation of that.

    Args:
        x: tensor.
        scale: a number or a Tensor of one element, in the dtype of ``x``.
        bias: likewise.
        bias_after_scale: False computes ``(x + bias) * scale``.
        act: the name of an activation that is applied to the result, such as "relu".
        name: accepted for compatibility.

    Returns:
        Tensor of the shape and dtype of ``x``.

    Raises:
        UnimplementedError: for an ``act`` of another name.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.scale(paddle.to_tensor([1.0, 2.0]), scale=3.0, bias=1.0).tolist()
        [4.0, 7.0]
    """
    ...
def scale_(x: Tensor, scale: Number | Tensor = 1.0, bias: Number | Tensor = 0.0, bias_after_scale: bool = True, act: None = None, name: str | None = None) -> Tensor:
    """Scale and shift ``x`` in place and return ``x``; see ``scale``.

    Paddle: ignores ``act``. Here it must be None.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.to_tensor([1.0]).scale_(2.0).tolist()
        [2.0]
    """
    ...
def scatter(x: Tensor, index: Tensor, updates: Tensor, overwrite: bool = True, name: str | None = None, out: Tensor | None = None) -> Tensor:
    """Return a tensor with slices written at positions along its first axis.

    In Paddle, for equal positions, every update gets the gradient. Here only the one that stays.

    Args:
        x: tensor [n, ...].
        index: integer tensor [m] or [m, 1].
        updates: tensor [m, ...] of the dtype of ``x``.
        overwrite: whether the last of equal positions counts; else the slices at the positions
            become the sums of their updates.
        name: accepted for compatibility.
        out: tensor that becomes the result.

    Returns:
        Tensor of the shape of ``x``. ``scatter(x, dim, index, src)``, with a dimension as the
        second argument, is ``put_along_axis(x, index, src, dim, broadcast=False)``; it accepts
        ``reduce``, and a number as ``value`` instead of ``src``.

    Raises:
        OutOfRangeError: for a position out of range; see Note [Index bounds].

    Example:
        >>> import jaxeager as paddle
        >>> x, index = paddle.zeros([3]), paddle.to_tensor([2, 0])
        >>> paddle.scatter(x, index, paddle.to_tensor([1.0, 2.0])).tolist()
        [2.0, 0.0, 1.0]
    """
    ...
def scatter_(x: Tensor, index: Tensor, updates: Tensor, overwrite: bool = True, name: str | None = None) -> Tensor:
    """Write slices into ``x`` at positions along its first axis; see ``scatter``.

    Example:
        >>> import jaxeager as paddle
        >>> x = paddle.zeros([3])
        >>> x.scatter_(paddle.to_tensor([1]), paddle.to_tensor([5.0])).tolist()
        [0.0, 5.0, 0.0]
    """
    ...
def scatter_add(input: Tensor, dim: int, index: Tensor, src: Tensor) -> Tensor:
    """Return a tensor with elements of ``src`` added at indices along a dimension.

    Args:
        input: tensor with at least one dimension.
        dim: the dimension the indices count along.
        index: integer tensor of as many dimensions.
        src: tensor at least as large as ``index``.

    Returns:
        Tensor of the shape of ``input``.

    Example:
        >>> import jaxeager as paddle
        >>> index = paddle.to_tensor([1, 1])
        >>> paddle.scatter_add(paddle.zeros([3]), 0, index, paddle.ones([2])).tolist()
        [0.0, 2.0, 0.0]
    """
    ...
def scatter_add_(input: Tensor, dim: int, index: Tensor, src: Tensor) -> Tensor:
    """Add elements of ``src`` to ``input`` at indices along a dimension; see ``scatter_add``.

    Example:
        >>> import jaxeager as paddle
        >>> x = paddle.zeros([2])
        >>> x.scatter_add_(0, paddle.to_tensor([1]), paddle.ones([1])).tolist()
        [0.0, 1.0]
    """
    ...
def scatter_nd(index: Tensor, updates: Tensor, shape: ShapeLike, name: str | None = None) -> Tensor:
    """Return zeros of a shape with updates added at positions given by coordinates.

    ``index`` is an integer tensor [..., k], and ``updates`` a tensor of shape ``index.shape[:-1] +
    shape[k:]``, whose dtype the result has; see ``scatter_nd_add``.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.scatter_nd(paddle.to_tensor([[1], [1]]), paddle.ones([2]), [3]).tolist()
        [0.0, 2.0, 0.0]
    """
    ...
def scatter_nd_add(x: Tensor, index: Tensor, updates: Tensor, name: str | None = None) -> Tensor:
    """Return a tensor with updates added at positions given by coordinates.

    Args:
        x: tensor of any shape.
        index: integer tensor [..., k]: k coordinates for the first k dimensions.
        updates: tensor of shape ``index.shape[:-1] + x.shape[k:]``.
        name: accepted for compatibility.

    Returns:
        Tensor of the shape of ``x``.

    Raises:
        OutOfRangeError: for a coordinate out of range; see Note [Index bounds].

    Example:
        >>> import jaxeager as paddle
        >>> index = paddle.to_tensor([[1], [1]])
        >>> paddle.scatter_nd_add(paddle.zeros([3]), index, paddle.ones([2])).tolist()
        [0.0, 2.0, 0.0]
    """
    ...
def scatter_reduce(input: Tensor, dim: int, index: Tensor, src: Tensor, reduce: str, include_self: bool = True) -> Tensor:
    """Return a tensor with elements of ``src`` combined into it at indices along a dimension.

    Args:
        input: tensor with at least one dimension.
        dim: the dimension the indices count along.
        index: integer tensor of as many dimensions.
        src: tensor at least as large as ``index``.
        reduce: "sum", "prod", "mean", "amin" or "amax".
        include_self: whether the existing elements take part.

    Returns:
        Tensor of the shape of ``input``.

    Example:
        >>> import jaxeager as paddle
        >>> x, index = paddle.ones([2]), paddle.to_tensor([0, 0])
        >>> paddle.scatter_reduce(x, 0, index, paddle.to_tensor([2.0, 3.0]), "prod").tolist()
        [6.0, 1.0]
    """
    ...
def searchsorted(sorted_sequence: Tensor, values: Tensor, out_int32: bool = False, right: bool = False, name: str | None = None, side: str | None = None, sorter: Tensor | None = None, out: Tensor | None = None) -> Tensor:
    """Return the positions to insert values at so that a sorted sequence stays sorted.

    Args:
        sorted_sequence: tensor[n], or [..., n], sorted along the last dimension.
        values: tensor of any shape; [..., m] for a sequence [..., n].
        out_int32: whether the output is int32 instead of int64.
        right: whether the position of a value is after the elements equal to it.
        name: accepted for compatibility.
        side: "right" means ``right=True``; "left" leaves ``right`` unchanged.
        sorter: integer tensor of the shape of ``sorted_sequence``, the order that sorts it.

    Returns:
        Tensor of the shape of ``values``.

    Raises:
        InvalidArgumentError: when dimensions before the last differ, or for another ``side``.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.searchsorted(paddle.to_tensor([1.0, 3.0]), paddle.to_tensor([2.0])).tolist()
        [1]
    """
    ...
def select_scatter(x: Tensor, values: Tensor, axis: int, index: int, name: str | None = None) -> Tensor:
    """Return ``x`` with ``values`` at one index of an axis.

    Args:
        x: tensor of at least one dimension.
        values: tensor of the shape of ``x`` without that axis; it is cast to the dtype of ``x``.
        axis: the axis.
        index: where; negative counts from the end.
        name: accepted for compatibility.

    Returns:
        Tensor of the shape of ``x``.

    Raises:
        OutOfRangeError: for an axis or an index out of range. (Paddle returns ``x`` for such an
            index.)
        PreconditionNotMetError: when ``values`` has another shape.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.select_scatter(paddle.zeros([2, 2]), paddle.ones([2]), 1, 0).tolist()
        [[1.0, 0.0], [1.0, 0.0]]
    """
    ...
def sgn(x: Tensor, name: str | None = None) -> Tensor:
    """Return the sign of each element; ``x / |x|`` for complex numbers, 0 at 0.

    ``x`` is a tensor of any shape, of a float or complex dtype; the result has its shape and dtype.

    Raises:
        InvalidTypeError: for integers and bools.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.sgn(paddle.to_tensor([-3.0, 0.0])).tolist()
        [-1.0, 0.0]
    """
    ...
def shape(input: Tensor) -> Tensor:
    """Return the shape, as an int64 tensor.

    ``input`` is a tensor of any dtype; for n dimensions the result is int64[n].

    Example:
        >>> import jaxeager as paddle
        >>> paddle.shape(paddle.ones([2, 3])).tolist()
        [2, 3]
    """
    ...
def shard_index(input: Tensor, index_num: int, nshards: int, shard_id: int, ignore_value: int = -1) -> Tensor:
    """Return the ids of one shard counted from 0, and ``ignore_value`` for ids of other shards.

    Each shard holds ``ceil(index_num / nshards)`` consecutive ids.

    Args:
        input: int tensor [..., 1] of ids.
        index_num: the number of ids.
        nshards: the number of shards.
        shard_id: this shard.
        ignore_value: the value for ids of other shards.

    Returns:
        Tensor like ``input``.

    Raises:
        InvalidArgumentError: for another shape or dtype, a shard that does not exist, or an id
            outside [0, index_num); see ``FLAGS_check_index``.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.shard_index(paddle.to_tensor([[16], [1]]), 20, 2, 0).tolist()
        [[-1], [1]]
    """
    ...
def sigmoid(x: Tensor, name: str | None = None, out: Tensor | None = None) -> Tensor:
    """Compute 1 / (1 + exp(-x)) of each element.

    Args:
        x: a tensor.
        name: ignored.
        out: a tensor into which the result is written.

    Returns:
        A tensor of the shape of x.

    Derivative: dx = dout * conj(out * (1 - out)).

    Example:
        >>> import jaxeager as paddle
        >>> paddle.sigmoid(paddle.to_tensor([0.25, 0.5]))
        Tensor(shape=[2], dtype=float32, place=Place(cpu), stop_gradient=True,
               [0.56217653, 0.62245935])
    """
    ...
def sigmoid_(x: Tensor, name: str | None = None) -> Tensor:
    """Compute 1 / (1 + exp(-x)) of each element. Writes into its first operand and returns it.

    Args:
        x: a tensor.
        name: ignored.

    Returns:
        The tensor x.

    Derivative: dx = dout * conj(out * (1 - out)).

    Example:
        >>> import jaxeager as paddle
        >>> paddle.sigmoid_(paddle.to_tensor([0.25, 0.5]))
        Tensor(shape=[2], dtype=float32, place=Place(cpu), stop_gradient=True,
               [0.56217653, 0.62245935])
    """
    ...
def sign(x: Tensor, name: str | None = None, out: Tensor | None = None) -> Tensor:
    """Return the sign of each element: -1, 0 or 1, nan at nan; ``x / |x|`` for complex numbers.

    ``x`` is a tensor of any shape, of any dtype but bool; the result has its shape and dtype.

    Paddle: the gradient of a complex sign is 0 there. Here it is that of ``x / |x|``, which rotates
    with ``x``.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.sign(paddle.to_tensor([-3.0, 0.0])).tolist()
        [-1.0, 0.0]
    """
    ...
def sign_(x: Tensor, name: str | None = None) -> Tensor:
    """Compute the sign of each element: -1, 0 or 1."""
    ...
def signbit(x: Tensor, name: str | None = None) -> Tensor:
    """Return for each element whether it is negative or minus zero.

    Args:
        x: a tensor.
        name: ignored.

    Returns:
        A tensor of the shape of x.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.signbit(paddle.to_tensor([1.0, paddle.nan]))
        Tensor(shape=[2], dtype=bool, place=Place(cpu), stop_gradient=True,
               [False, False])
    """
    ...
def sin(x: Tensor, name: str | None = None, out: Tensor | None = None) -> Tensor:
    """Compute the sine of each element.

    Args:
        x: a tensor.
        name: ignored.
        out: a tensor into which the result is written.

    Returns:
        A tensor of the shape of x.

    Derivative: dx = dout * conj(cos(x)).

    Example:
        >>> import jaxeager as paddle
        >>> paddle.sin(paddle.to_tensor([0.25, 0.5]))
        Tensor(shape=[2], dtype=float32, place=Place(cpu), stop_gradient=True,
               [0.24740396, 0.47942555])
    """
    ...
def sin_(x: Tensor, name: str | None = None) -> Tensor:
    """Compute the sine of each element. Writes into its first operand and returns it.

    Args:
        x: a tensor.
        name: ignored.

    Returns:
        The tensor x.

    Derivative: dx = dout * conj(cos(x)).

    Example:
        >>> import jaxeager as paddle
        >>> paddle.sin_(paddle.to_tensor([0.25, 0.5]))
        Tensor(shape=[2], dtype=float32, place=Place(cpu), stop_gradient=True,
               [0.24740396, 0.47942555])
    """
    ...
def sinc(x: Tensor, name: str | None = None) -> Tensor:
    """Compute sin(pi x) / (pi x) of each element; one op here, several in Paddle.

    Args:
        x: a tensor.
        name: ignored.

    Returns:
        A tensor of the shape of x.

    Derivative: dx = dout * conj((cos(pi * x) - out) / x), 0 at 0.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.sinc(paddle.to_tensor([0.25, 0.5]))
        Tensor(shape=[2], dtype=float32, place=Place(cpu), stop_gradient=True,
               [0.90031630, 0.63661975])
    """
    ...
def sinc_(x: Tensor, name: str | None = None) -> Tensor:
    """Compute sin(pi x) / (pi x) of each element; one op here, several in Paddle. Writes into its first operand and returns it.

    Args:
        x: a tensor.
        name: ignored.

    Returns:
        The tensor x.

    Derivative: dx = dout * conj((cos(pi * x) - out) / x), 0 at 0.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.sinc_(paddle.to_tensor([0.25, 0.5]))
        Tensor(shape=[2], dtype=float32, place=Place(cpu), stop_gradient=True,
               [0.90031630, 0.63661975])
    """
    ...
def sinh(x: Tensor, name: str | None = None, out: Tensor | None = None) -> Tensor:
    """Compute the hyperbolic sine of each element.

    Args:
        x: a tensor.
        name: ignored.
        out: a tensor into which the result is written.

    Returns:
        A tensor of the shape of x.

    Derivative: dx = dout * conj(cosh(x)).

    Example:
        >>> import jaxeager as paddle
        >>> paddle.sinh(paddle.to_tensor([0.25, 0.5]))
        Tensor(shape=[2], dtype=float32, place=Place(cpu), stop_gradient=True,
               [0.25261232, 0.52109528])
    """
    ...
def sinh_(x: Tensor, name: str | None = None) -> Tensor:
    """Compute the hyperbolic sine of each element. Writes into its first operand and returns it.

    Args:
        x: a tensor.
        name: ignored.

    Returns:
        The tensor x.

    Derivative: dx = dout * conj(cosh(x)).

    Example:
        >>> import jaxeager as paddle
        >>> paddle.sinh_(paddle.to_tensor([0.25, 0.5]))
        Tensor(shape=[2], dtype=float32, place=Place(cpu), stop_gradient=True,
               [0.25261232, 0.52109528])
    """
    ...
def slice(input: Tensor, axes: Sequence[int], starts: Sequence[int | Tensor] | Tensor, ends: Sequence[int | Tensor] | Tensor) -> Tensor:
    """Return the part of a tensor between starts and ends along axes.

    Args:
        input: tensor of any shape.
        axes: dimensions to cut; one that is named twice is cut again.
        starts: first index per axis; may be negative.
        ends: index after the last per axis; clamped to the size.

    Returns:
        Tensor of the dtype of ``input``, shorter along the axes.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.slice(paddle.to_tensor([1, 2, 3, 4]), [0], [1], [3]).tolist()
        [2, 3]
    """
    ...
def slice_scatter(x: Tensor, value: Tensor, axes: Sequence[int], starts: Sequence[int | Tensor] | Tensor, ends: Sequence[int | Tensor] | Tensor, strides: Sequence[int | Tensor] | Tensor, name: str | None = None) -> Tensor:
    """Return ``x`` with ``value`` where ``strided_slice`` with the same arguments reads.

    Args:
        x: tensor of at least one dimension.
        value: tensor that broadcasts to the shape of that part; it is cast to the dtype of ``x``.
        axes: list of dimensions, which may be negative. (Paddle ignores a negative one.) Of one
            that is named twice the last counts.
        starts: first index per axis.
        ends: index after the last per axis; clamped to the size.
        strides: step per axis; negative goes backwards.
        name: accepted for compatibility.

    Returns:
        Tensor of the shape of ``x``.

    Raises:
        InvalidArgumentError: for lists of different lengths, an axis out of range, or a value that
            does not fit.

    Example:
        >>> import jaxeager as paddle
        >>> x, value = paddle.zeros([4]), paddle.to_tensor([1.0, 2.0])
        >>> paddle.slice_scatter(x, value, [0], [0], [4], [2]).tolist()
        [1.0, 0.0, 2.0, 0.0]
    """
    ...
def softmax(input: Tensor, dim: int | None = None, dtype: DTypeLike | None = None, out: Tensor | None = None) -> Tensor:
    """Return ``exp(input)`` divided by its sum along a dimension, in PyTorch's signature.

    nn.functional.softmax is the same with Paddle's own parameter names and axis -1 by default.

    Args:
        input: floating tensor.
        dim: the dimension; by default the first of a tensor with 0, 1 or 3 dimensions, else the
            second.
        dtype: dtype to cast ``input`` to first; the cast is recorded. An int in front of it, or
            ``_stacklevel=``, which concerns warnings in PyTorch, is dropped, as in Paddle.
        out: a tensor that becomes the result.

    Returns:
        Tensor of the shape of ``input``, in its dtype or ``dtype``.

    Raises:
        InvalidArgumentError: when the dimension is out of range.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.softmax(paddle.to_tensor([1.0, 1.0]), dim=0).tolist()
        [0.5, 0.5]
    """
    ...
def sort(x: Tensor, axis: int = -1, descending: bool = False, stable: bool = False, name: str | None = None) -> Tensor:
    """Return the elements of a tensor in order along an axis.

    Args:
        x: tensor of any shape.
        axis: the axis.
        descending: whether the largest is first.
        stable: whether equal elements keep their order; here they always do.
        name: accepted for compatibility.

    Returns:
        Tensor of the shape of ``x``.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.sort(paddle.to_tensor([3.0, 1.0, 2.0])).tolist()
        [1.0, 2.0, 3.0]
    """
    ...
def split(x: Tensor, num_or_sections: int | Sequence[int | Tensor], axis: int | Tensor = 0, name: str | None = None) -> list[Tensor]:
    """Return the parts of a tensor along an axis.

    Args:
        x: tensor with at least one dimension.
        num_or_sections: the number of equal parts, or a list of their lengths, one of which may
            be -1 for the remaining length.
        axis: the axis.
        name: accepted for compatibility.

    Returns:
        List of tensors.

    Example:
        >>> import jaxeager as paddle
        >>> [part.shape for part in paddle.split(paddle.ones([5, 2]), [1, -1])]
        [paddle.Size([1, 2]), paddle.Size([4, 2])]
    """
    ...
def sqrt(x: Tensor, name: str | None = None, out: Tensor | None = None) -> Tensor:
    """Compute the square root of each element.

    Args:
        x: a tensor.
        name: ignored.
        out: a tensor into which the result is written.

    Returns:
        A tensor of the shape of x.

    Derivative: dx = dout / (2 * conj(out)).

    At the boundary: inf at 0, nan below, as in Paddle.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.sqrt(paddle.to_tensor([0.25, 0.5]))
        Tensor(shape=[2], dtype=float32, place=Place(cpu), stop_gradient=True,
               [0.50000000, 0.70710677])
    """
    ...
def sqrt_(x: Tensor, name: str | None = None) -> Tensor:
    """Compute the square root of each element. Writes into its first operand and returns it.

    Args:
        x: a tensor.
        name: ignored.

    Returns:
        The tensor x.

    Derivative: dx = dout / (2 * conj(out)).

    At the boundary: inf at 0, nan below, as in Paddle.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.sqrt_(paddle.to_tensor([0.25, 0.5]))
        Tensor(shape=[2], dtype=float32, place=Place(cpu), stop_gradient=True,
               [0.50000000, 0.70710677])
    """
    ...
def square(x: Tensor, name: str | None = None) -> Tensor:
    """Square each element.

    Args:
        x: a tensor.
        name: ignored.

    Returns:
        A tensor of the shape of x.

    Derivative: dx = 2 * dout * conj(x).

    Example:
        >>> import jaxeager as paddle
        >>> paddle.square(paddle.to_tensor([0.25, 0.5]))
        Tensor(shape=[2], dtype=float32, place=Place(cpu), stop_gradient=True,
               [0.06250000, 0.25000000])
    """
    ...
def square_(x: Tensor, name: str | None = None) -> Tensor:
    """Square each element. Writes into its first operand and returns it.

    Args:
        x: a tensor.
        name: ignored.

    Returns:
        The tensor x.

    Derivative: dx = 2 * dout * conj(x).

    Example:
        >>> import jaxeager as paddle
        >>> paddle.square_(paddle.to_tensor([0.25, 0.5]))
        Tensor(shape=[2], dtype=float32, place=Place(cpu), stop_gradient=True,
               [0.06250000, 0.25000000])
    """
    ...
def squeeze(x: Tensor, axis: int | Sequence[int] | None = None, name: str | None = None) -> Tensor:
    """Drop dimensions of size 1, all of them or those named.

    Args:
        x: a tensor.
        axis: the dimensions to drop; those that are longer than 1 stay. All when None.
        name: ignored.

    Returns:
        A tensor with fewer dimensions, which shares the memory of x.

    Derivative: dx = dout, in the shape of x.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.squeeze(paddle.ones([1, 3, 1]), axis=0)
        Tensor(shape=[3, 1], dtype=float32, place=Place(cpu), stop_gradient=True,
               [[1.],
                [1.],
                [1.]])
    """
    ...
def squeeze_(x: Tensor, axis: int | Sequence[int] | None = None, name: str | None = None) -> Tensor:
    """Drop dimensions of size 1, all of them or those named. Writes into its first operand and returns it.

    Args:
        x: a tensor.
        axis: the dimensions to drop; those that are longer than 1 stay. All when None.
        name: ignored.

    Returns:
        The tensor x.

    Derivative: dx = dout, in the shape of x.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.squeeze_(paddle.ones([1, 3, 1]), axis=0)
        Tensor(shape=[3, 1], dtype=float32, place=Place(cpu), stop_gradient=True,
               [[1.],
                [1.],
                [1.]])
    """
    ...
def stack(x: Sequence[Tensor], axis: int = 0, name: str | None = None, out: Tensor | None = None) -> Tensor:
    """Join tensors of one shape along a new axis.

    Args:
        x: a list of tensors.
        axis: where the new dimension is in the result.
        name: ignored.
        out: a tensor into which the result is written.

    Returns:
        A tensor with one dimension more.

    Derivative: dx = unbind(dout).

    Example:
        >>> import jaxeager as paddle
        >>> paddle.stack([paddle.ones([3]), paddle.zeros([3])], axis=0)
        Tensor(shape=[2, 3], dtype=float32, place=Place(cpu), stop_gradient=True,
               [[1., 1., 1.],
                [0., 0., 0.]])
    """
    ...
def standard_gamma(x: Tensor, name: str | None = None) -> Tensor:
    """Return draws from gamma distributions with the shapes in ``x`` and rate 1.

    There is no gradient, as in Paddle.

    Args:
        x: floating tensor of shapes, which must not be negative.
        name: accepted for compatibility.

    Returns:
        Tensor of the shape and dtype of ``x``.

    Raises:
        InvalidArgumentError: for an integer or complex tensor, a negative shape or nan; see Note
            [Checked domains].

    Example:
        >>> import jaxeager as paddle
        >>> paddle.standard_gamma(paddle.ones([2, 3])).shape
        paddle.Size([2, 3])
    """
    ...
def standard_normal(shape: ShapeLike | int, dtype: DTypeLike | None = None, name: str | None = None, out: Tensor | None = None, device: PlaceLike | None = None, requires_grad: bool = False, pin_memory: bool = False) -> Tensor:
    """Return numbers drawn from the normal distribution of mean 0 and deviation 1.

    The shape is an int, a list of ints or an int Tensor; ``dtype`` is a floating one, by default
    the default dtype, or a complex one, whose parts have the variance 1/2 each.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.randn([2, 3]).shape
        paddle.Size([2, 3])
    """
    ...
def stanh(x: Tensor, scale_a: float = 0.67, scale_b: float = 1.7159, name: str | None = None) -> Tensor:
    """Compute the scaled hyperbolic tangent of each element.

    Args:
        x: a tensor.
        scale_a: the factor of x.
        scale_b: the factor of the result.
        name: ignored.

    Returns:
        A tensor of the shape of x.

    Derivative: dx = dout * scale_a * scale_b * (1 - conj(tanh(scale_a * x))^2).

    Example:
        >>> import jaxeager as paddle
        >>> paddle.stanh(paddle.to_tensor([0.25, 0.5]))
        Tensor(shape=[2], dtype=float32, place=Place(cpu), stop_gradient=True,
               [0.28475514, 0.55424649])
    """
    ...
def std(x: Tensor, axis: int | Sequence[int] | None = None, unbiased: bool = True, keepdim: bool = False, name: str | None = None) -> Tensor:
    """Return the standard deviation of the elements over the given axes.

    Paddle: the gradient is nan there if all elements are equal. Here it is 0, as at the minimum of
    a norm.

    Args:
        x: tensor of any shape.
        axis: int, or list of ints; all axes by default.
        unbiased: whether to divide by n - 1 instead of n.
        keepdim: whether reduced axes stay, with size 1.
        name: accepted for compatibility.

    Returns:
        Tensor of the remaining axes.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.std(paddle.to_tensor([1.0, 2.0, 3.0])).item()
        1.0
    """
    ...
def strided_slice(x: Tensor, axes: Sequence[int], starts: Sequence[int | Tensor] | Tensor, ends: Sequence[int | Tensor] | Tensor, strides: Sequence[int | Tensor] | Tensor, name: str | None = None) -> Tensor:
    """Return every ``strides``-th element between starts and ends along axes.

    Args:
        x: tensor of any shape.
        axes: dimensions to cut; one that is named twice is cut again.
        starts: first index per axis.
        ends: index after the last per axis.
        strides: step per axis; negative reads backwards.

    Returns:
        Tensor of the dtype of ``x``, shorter along the axes.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.strided_slice(paddle.to_tensor([1, 2, 3, 4]), [0], [0], [4], [2]).tolist()
        [1, 3]
    """
    ...
def sub(x: Tensor, y: Tensor | Number, name: str | None = None, alpha: Number = 1, out: Tensor | None = None) -> Tensor:
    """Return ``x - alpha * y``, element by element; see ``add``.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.subtract(paddle.to_tensor([3.0]), paddle.to_tensor([1.0])).tolist()
        [2.0]
    """
    ...
def sub_(x: Tensor, y: Tensor | Number, name: str | None = None, alpha: Number = 1) -> Tensor:
    """Subtract ``alpha * y`` from ``x`` in place and return ``x``.

    ``y`` is a tensor or number that broadcasts to the shape of ``x``; see ``subtract``.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.to_tensor([3.0]).subtract_(paddle.to_tensor([1.0])).tolist()
        [2.0]
    """
    ...
def subtract(x: Tensor, y: Tensor | Number, name: str | None = None, alpha: Number = 1, out: Tensor | None = None) -> Tensor:
    """Return ``x - alpha * y``, element by element; see ``add``.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.subtract(paddle.to_tensor([3.0]), paddle.to_tensor([1.0])).tolist()
        [2.0]
    """
    ...
def subtract_(x: Tensor, y: Tensor | Number, name: str | None = None, alpha: Number = 1) -> Tensor:
    """Subtract ``alpha * y`` from ``x`` in place and return ``x``.

    ``y`` is a tensor or number that broadcasts to the shape of ``x``; see ``subtract``.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.to_tensor([3.0]).subtract_(paddle.to_tensor([1.0])).tolist()
        [2.0]
    """
    ...
def sum(x: Tensor, axis: int | Sequence[int] | None = None, dtype: DTypeLike | None = None, keepdim: bool = False, name: str | None = None, out: Tensor | None = None) -> Tensor:
    """Sum the elements over the given axes; the sum of bool and int32 tensors is int64.

    Args:
        x: a tensor.
        axis: the dimensions to reduce, one or several; all when None.
        dtype: the dtype of the sum; by default that of x, int64 for bool and int32.
        keepdim: whether the reduced dimensions stay, with size 1.
        name: ignored.
        out: a tensor into which the result is written.

    Returns:
        A tensor without the reduced dimensions.

    Derivative: dx = dout, broadcast to x.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.sum(paddle.to_tensor([[1.0, 2.0], [3.0, 4.0]]), axis=1)
        Tensor(shape=[2], dtype=float32, place=Place(cpu), stop_gradient=True,
               [3., 7.])
    """
    ...
def swapaxes(x: Tensor, perm: int | Sequence[int] | None = None, *more: int, name: str | None = None, dim0: int | None = None, dim1: int | None = None) -> Tensor:
    """Return a tensor with its dimensions reordered: dimension i is dimension perm[i] of ``x``.

    Args:
        x: tensor of any shape.
        perm: list of all dimensions in their new order, or an int.
        *more: further dimensions when ``perm`` is an int: two of them are exchanged
            (``transpose(x, 0, 2)``), more are the order of all.
        name: accepted for compatibility.
        dim0: with ``dim1``, the two to exchange.
        dim1: see ``dim0``.

    Returns:
        Tensor of the dtype of ``x``, with the sizes in their new order.

    Raises:
        InvalidArgumentError: when ``perm`` does not name each dimension once.
        InvalidTypeError: when no argument gives the new order, or several do.

    Example:
        >>> import jaxeager as paddle
        >>> x = paddle.ones([2, 3, 4])
        >>> paddle.transpose(x, [2, 0, 1]).shape, x.transpose(0, 1).shape
        (paddle.Size([4, 2, 3]), paddle.Size([3, 2, 4]))
        >>> paddle.swapaxes(x, 0, 2).shape
        paddle.Size([4, 3, 2])
    """
    ...
def swapdims(x: Tensor, perm: int | Sequence[int] | None = None, *more: int, name: str | None = None, dim0: int | None = None, dim1: int | None = None) -> Tensor:
    """Return a tensor with its dimensions reordered: dimension i is dimension perm[i] of ``x``.

    Args:
        x: tensor of any shape.
        perm: list of all dimensions in their new order, or an int.
        *more: further dimensions when ``perm`` is an int: two of them are exchanged
            (``transpose(x, 0, 2)``), more are the order of all.
        name: accepted for compatibility.
        dim0: with ``dim1``, the two to exchange.
        dim1: see ``dim0``.

    Returns:
        Tensor of the dtype of ``x``, with the sizes in their new order.

    Raises:
        InvalidArgumentError: when ``perm`` does not name each dimension once.
        InvalidTypeError: when no argument gives the new order, or several do.

    Example:
        >>> import jaxeager as paddle
        >>> x = paddle.ones([2, 3, 4])
        >>> paddle.transpose(x, [2, 0, 1]).shape, x.transpose(0, 1).shape
        (paddle.Size([4, 2, 3]), paddle.Size([3, 2, 4]))
        >>> paddle.swapaxes(x, 0, 2).shape
        paddle.Size([4, 3, 2])
    """
    ...
def t(input: Tensor, name: str | None = None) -> Tensor:
    """Return a matrix transposed; tensors with fewer dimensions are returned unchanged.

    A tensor [n, m] of any dtype becomes [m, n].

    Raises:
        InvalidArgumentError: for more than two dimensions.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.t(paddle.ones([2, 3])).shape
        paddle.Size([3, 2])
    """
    ...
def t_(input: Tensor, name: str | None = None) -> Tensor:
    """Transpose a matrix in place and return it; see ``t``.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.ones([2, 3]).t_().shape
        paddle.Size([3, 2])
    """
    ...
def take(x: Tensor, index: Tensor, mode: str = 'raise', name: str | None = None) -> Tensor:
    """Return the elements at positions of the flattened tensor.

    Args:
        x: tensor of any shape.
        index: integer tensor of any shape.
        mode: the treatment of positions out of range: "raise", "wrap" around or "clip".
        name: accepted for compatibility.

    Returns:
        Tensor of the shape of ``index``.

    Raises:
        InvalidTypeError: for positions that are not integers.
        InvalidArgumentError: for another mode.

    Example:
        >>> import jaxeager as paddle
        >>> x = paddle.to_tensor([[1.0, 2.0], [3.0, 4.0]])
        >>> paddle.take(x, paddle.to_tensor([3, 0])).tolist()
        [4.0, 1.0]
    """
    ...
def take_along_axis(arr: Tensor, indices: Tensor, axis: int, broadcast: bool = True, out: Tensor | None = None) -> Tensor:
    """Return one element per index along an axis.

    Args:
        arr: tensor of any shape.
        indices: integer tensor of as many dimensions.
        axis: the axis the indices count along.
        broadcast: whether the other dimensions are broadcast against each other.

    Returns:
        Tensor of the (broadcast) shape of ``indices``.

    Raises:
        OutOfRangeError: for a position out of range; see Note [Index bounds].

    Example:
        >>> import jaxeager as paddle
        >>> x = paddle.to_tensor([[1.0, 2.0], [3.0, 4.0]])
        >>> paddle.take_along_axis(x, paddle.to_tensor([[1], [0]]), 1).tolist()
        [[2.0], [3.0]]
    """
    ...
def take_along_dim(arr: Tensor, indices: Tensor, axis: int, broadcast: bool = True, out: Tensor | None = None) -> Tensor:
    """Return one element per index along an axis.

    Args:
        arr: tensor of any shape.
        indices: integer tensor of as many dimensions.
        axis: the axis the indices count along.
        broadcast: whether the other dimensions are broadcast against each other.

    Returns:
        Tensor of the (broadcast) shape of ``indices``.

    Raises:
        OutOfRangeError: for a position out of range; see Note [Index bounds].

    Example:
        >>> import jaxeager as paddle
        >>> x = paddle.to_tensor([[1.0, 2.0], [3.0, 4.0]])
        >>> paddle.take_along_axis(x, paddle.to_tensor([[1], [0]]), 1).tolist()
        [[2.0], [3.0]]
    """
    ...
def tan(x: Tensor, name: str | None = None) -> Tensor:
    """Compute the tangent of each element.

    Args:
        x: a tensor.
        name: ignored.

    Returns:
        A tensor of the shape of x.

    Derivative: dx = dout * (1 + conj(tan(x))^2).

    Example:
        >>> import jaxeager as paddle
        >>> paddle.tan(paddle.to_tensor([0.25, 0.5]))
        Tensor(shape=[2], dtype=float32, place=Place(cpu), stop_gradient=True,
               [0.25534192, 0.54630250])
    """
    ...
def tan_(x: Tensor, name: str | None = None) -> Tensor:
    """Compute the tangent of each element. Writes into its first operand and returns it.

    Args:
        x: a tensor.
        name: ignored.

    Returns:
        The tensor x.

    Derivative: dx = dout * (1 + conj(tan(x))^2).

    Example:
        >>> import jaxeager as paddle
        >>> paddle.tan_(paddle.to_tensor([0.25, 0.5]))
        Tensor(shape=[2], dtype=float32, place=Place(cpu), stop_gradient=True,
               [0.25534192, 0.54630250])
    """
    ...
def tanh(x: Tensor, name: str | None = None, out: Tensor | None = None) -> Tensor:
    """Compute the hyperbolic tangent of each element.

    Args:
        x: a tensor.
        name: ignored.
        out: a tensor into which the result is written.

    Returns:
        A tensor of the shape of x.

    Derivative: dx = dout * (1 - conj(out)^2).

    Example:
        >>> import jaxeager as paddle
        >>> paddle.tanh(paddle.to_tensor([0.25, 0.5]))
        Tensor(shape=[2], dtype=float32, place=Place(cpu), stop_gradient=True,
               [0.24491866, 0.46211717])
    """
    ...
def tanh_(x: Tensor, name: str | None = None) -> Tensor:
    """Compute the hyperbolic tangent of each element. Writes into its first operand and returns it.

    Args:
        x: a tensor.
        name: ignored.

    Returns:
        The tensor x.

    Derivative: dx = dout * (1 - conj(out)^2).

    Example:
        >>> import jaxeager as paddle
        >>> paddle.tanh_(paddle.to_tensor([0.25, 0.5]))
        Tensor(shape=[2], dtype=float32, place=Place(cpu), stop_gradient=True,
               [0.24491866, 0.46211717])
    """
    ...
def tensor_split(x: Tensor, num_or_indices: int | Sequence[int], axis: int | Tensor = 0, name: str | None = None) -> list[Tensor]:
    """Return parts of a tensor along an axis, as even as possible or cut at given positions.

    Args:
        x: tensor with at least one dimension.
        num_or_indices: the number of parts, or a list of the positions to cut at.
        axis: the axis.
        name: accepted for compatibility.

    Returns:
        List of tensors.

    Example:
        >>> import jaxeager as paddle
        >>> [part.shape for part in paddle.tensor_split(paddle.ones([5]), 2)]
        [paddle.Size([3]), paddle.Size([2])]
    """
    ...
def tensordot(x: Tensor, y: Tensor, axes: int | Sequence[int] | Sequence[Sequence[int]] | Tensor = 2, name: str | None = None) -> Tensor:
    """Return the sums of products over several dimensions of two tensors.

    Args:
        x: tensor of any shape.
        y: tensor of any shape.
        axes: the number of last dimensions of ``x`` to contract with the first of ``y``, or two
            lists of dimensions to contract. One list is used for both, and the shorter of two is
            extended by the rest of the longer one. A dimension of size 1 is repeated to the size of
            the one it meets.
        name: accepted for compatibility.

    Returns:
        Tensor of the dimensions of ``x`` and then of ``y`` that are not contracted.

    Raises:
        RefusedArgumentError: when contracted dimensions differ in size, and neither size is 1.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.tensordot(paddle.ones([2, 3]), paddle.ones([3, 4]), 1).shape
        paddle.Size([2, 4])
    """
    ...
def tile(x: Tensor, repeat_times: int | Sequence[int], name: str | None = None) -> Tensor:
    """Repeat a tensor along its dimensions.

    Args:
        x: a tensor.
        repeat_times: how often each dimension is repeated, an int or several.
        name: ignored.

    Returns:
        A tensor; each dimension is repeat_times as long.

    Derivative: dx = dout, added where x was read: the sum over the copies.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.tile(paddle.to_tensor([1.0, 2.0]), [2, 2])
        Tensor(shape=[2, 4], dtype=float32, place=Place(cpu), stop_gradient=True,
               [[1., 2., 1., 2.],
                [1., 2., 1., 2.]])
    """
    ...
def tolist(x: Tensor) -> Any:
    """Return the elements as nested lists of Python numbers; wait for them.

    ``x`` is a tensor of any shape and dtype; for a 0-D one the result is a number.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.tolist(paddle.to_tensor([1, 2]))
        [1, 2]
    """
    ...
def topk(x: Tensor, k: int | Tensor, axis: int | None = None, largest: bool = True, sorted: bool = True, name: str | None = None, out: Tensor | None = None) -> TopKRetType:
    """Return the k largest elements along an axis, the largest first, and their positions.

    Args:
        x: tensor of real numbers.
        k: the number of elements.
        axis: the axis; the last one by default.
        largest: False for the smallest elements.
        sorted: ignored; the result is always sorted.
        name: ignored.

    Returns:
        a named tuple: ``values``, and ``indices``, int64; both have the shape of x, but size k
        along the axis.

    Raises:
        InvalidArgumentError: for a k below 1, or above the size of the axis.

    Example:
        >>> import jaxeager as paddle
        >>> top = paddle.topk(paddle.to_tensor([1.0, 3.0, 2.0]), k=2)
        >>> top.values.tolist(), top.indices.tolist()
        ([3.0, 2.0], [1, 2])
    """
    ...
def trace(x: Tensor, offset: int = 0, axis1: int = 0, axis2: int = 1, name: str | None = None) -> Tensor:
    """Add up the diagonals of the matrices that two dimensions span.

    Args:
        x: a tensor.
        offset: the diagonal: 0 is the main one, those above it are positive.
        axis1: the first dimension of the matrices.
        axis2: the second dimension of the matrices.
        name: ignored.

    Returns:
        A tensor without the two dimensions.

    Derivative: dx = dout, times the weights with which x was read: 1 on the diagonals.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.trace(paddle.ones([2, 3]))
        Tensor(shape=[], dtype=float32, place=Place(cpu), stop_gradient=True,
               2.)
    """
    ...
def transpose(x: Tensor, perm: int | Sequence[int] | None = None, *more: int, name: str | None = None, dim0: int | None = None, dim1: int | None = None) -> Tensor:
    """Return a tensor with its dimensions reordered: dimension i is dimension perm[i] of ``x``.

    Args:
        x: tensor of any shape.
        perm: list of all dimensions in their new order, or an int.
        *more: further dimensions when ``perm`` is an int: two of them are exchanged
            (``transpose(x, 0, 2)``), more are the order of all.
        name: accepted for compatibility.
        dim0: with ``dim1``, the two to exchange.
        dim1: see ``dim0``.

    Returns:
        Tensor of the dtype of ``x``, with the sizes in their new order.

    Raises:
        InvalidArgumentError: when ``perm`` does not name each dimension once.
        InvalidTypeError: when no argument gives the new order, or several do.

    Example:
        >>> import jaxeager as paddle
        >>> x = paddle.ones([2, 3, 4])
        >>> paddle.transpose(x, [2, 0, 1]).shape, x.transpose(0, 1).shape
        (paddle.Size([4, 2, 3]), paddle.Size([3, 2, 4]))
        >>> paddle.swapaxes(x, 0, 2).shape
        paddle.Size([4, 3, 2])
    """
    ...
def transpose_(x: Tensor, perm: Sequence[int], name: str | None = None) -> Tensor:
    """Reorder the dimensions of ``x`` in place and return it; see ``transpose``.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.ones([2, 3]).transpose_([1, 0]).shape
        paddle.Size([3, 2])
    """
    ...
def trapezoid(y: Tensor, x: Tensor | None = None, dx: float | None = None, axis: int = -1, name: str | None = None) -> Tensor:
    """Return the integral of ``y`` along an axis, by the trapezoidal rule.

    Args:
        y: floating tensor, the values of a function.
        x: floating tensor of their positions: 1-D, or of the shape of ``y``.
        dx: their distance if ``x`` is not given, 1 by default.
        axis: the axis.
        name: accepted for compatibility.

    Returns:
        Tensor of the other axes.

    Raises:
        InvalidArgumentError: when both ``x`` and ``dx`` are given, or the axis is out of range.
        InvalidTypeError: for an integer tensor.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.trapezoid(paddle.to_tensor([1.0, 2.0, 3.0]), dx=2.0).item()
        8.0
    """
    ...
def tril(x: Tensor, diagonal: int = 0, name: str | None = None, out: Tensor | None = None) -> Tensor:
    """Keep the elements on and below a diagonal of each matrix; the others become 0.

    Args:
        x: a tensor.
        diagonal: the diagonal: 0 is the main one, those above it are positive.
        name: ignored.
        out: a tensor into which the result is written.

    Returns:
        A tensor of the shape of x.

    Derivative: dx = tril(dout, diagonal).

    Example:
        >>> import jaxeager as paddle
        >>> paddle.tril(paddle.ones([2, 2]))
        Tensor(shape=[2, 2], dtype=float32, place=Place(cpu), stop_gradient=True,
               [[1., 0.],
                [1., 1.]])
    """
    ...
def tril_(x: Tensor, diagonal: int = 0, name: str | None = None) -> Tensor:
    """Keep the elements on and below a diagonal of each matrix; the others become 0. Writes into its first operand and returns it.

    Args:
        x: a tensor.
        diagonal: the diagonal: 0 is the main one, those above it are positive.
        name: ignored.

    Returns:
        The tensor x.

    Derivative: dx = tril(dout, diagonal).

    Example:
        >>> import jaxeager as paddle
        >>> paddle.tril_(paddle.ones([2, 2]))
        Tensor(shape=[2, 2], dtype=float32, place=Place(cpu), stop_gradient=True,
               [[1., 0.],
                [1., 1.]])
    """
    ...
def tril_indices(row: int, col: int | None = None, offset: int = 0, dtype: DTypeLike = 'int64') -> Tensor:
    """Return row and column numbers of the lower triangle of a matrix, int64[2, n].

    Example:
        >>> import jaxeager as paddle
        >>> paddle.tril_indices(2, 2).tolist()
        [[0, 1, 1], [0, 0, 1]]
    """
    ...
def triu(x: Tensor, diagonal: int = 0, name: str | None = None, out: Tensor | None = None) -> Tensor:
    """Keep the elements on and above a diagonal of each matrix; the others become 0.

    Args:
        x: a tensor.
        diagonal: the diagonal: 0 is the main one, those above it are positive.
        name: ignored.
        out: a tensor into which the result is written.

    Returns:
        A tensor of the shape of x.

    Derivative: dx = triu(dout, diagonal).

    Example:
        >>> import jaxeager as paddle
        >>> paddle.triu(paddle.ones([2, 2]))
        Tensor(shape=[2, 2], dtype=float32, place=Place(cpu), stop_gradient=True,
               [[1., 1.],
                [0., 1.]])
    """
    ...
def triu_(x: Tensor, diagonal: int = 0, name: str | None = None) -> Tensor:
    """Keep the elements on and above a diagonal of each matrix; the others become 0. Writes into its first operand and returns it.

    Args:
        x: a tensor.
        diagonal: the diagonal: 0 is the main one, those above it are positive.
        name: ignored.

    Returns:
        The tensor x.

    Derivative: dx = triu(dout, diagonal).

    Example:
        >>> import jaxeager as paddle
        >>> paddle.triu_(paddle.ones([2, 2]))
        Tensor(shape=[2, 2], dtype=float32, place=Place(cpu), stop_gradient=True,
               [[1., 1.],
                [0., 1.]])
    """
    ...
def triu_indices(row: int, col: int | None = None, offset: int = 0, dtype: DTypeLike = 'int64') -> Tensor:
    """Return row and column numbers of the upper triangle of a matrix, int64[2, n].

    Example:
        >>> import jaxeager as paddle
        >>> paddle.triu_indices(2).tolist()
        [[0, 0, 1], [0, 1, 1]]
    """
    ...
def true_divide(input: Tensor, other: Tensor | Number, out: Tensor | None = None) -> Tensor:
    """Return ``input / other``; see ``divide``.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.true_divide(paddle.to_tensor([3.0]), paddle.to_tensor([2.0])).tolist()
        [1.5]
    """
    ...
def trunc(input: Tensor, name: str | None = None) -> Tensor:
    """Round each element towards zero.

    Args:
        input: a tensor.
        name: ignored.

    Returns:
        A tensor of the shape of input.

    Derivative: dinput = 0.

    At the boundary: 0 also at the steps, as in Paddle.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.trunc(paddle.to_tensor([-1.5, 0.25]))
        Tensor(shape=[2], dtype=float32, place=Place(cpu), stop_gradient=True,
               [-1.,  0.])
    """
    ...
def trunc_(input: Tensor, name: str | None = None) -> Tensor:
    """Round each element towards zero. Writes into its first operand and returns it.

    Args:
        input: a tensor.
        name: ignored.

    Returns:
        The tensor input.

    Derivative: dinput = 0.

    At the boundary: 0 also at the steps, as in Paddle.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.trunc_(paddle.to_tensor([-1.5, 0.25]))
        Tensor(shape=[2], dtype=float32, place=Place(cpu), stop_gradient=True,
               [-1.,  0.])
    """
    ...
def unbind(input: Tensor, axis: int = 0, name: str | None = None) -> list[Tensor]:
    """Split a tensor along an axis into a list of slices without that axis.

    Args:
        input: a tensor.
        axis: the dimension; it may be negative.
        name: ignored.

    Returns:
        A list of tensors, which share the memory of the input.

    Derivative: dinput = stack(dout).

    Example:
        >>> import jaxeager as paddle
        >>> paddle.unbind(paddle.ones([2, 3]))
        [Tensor(shape=[3], dtype=float32, place=Place(cpu), stop_gradient=True,
               [1., 1., 1.]), Tensor(shape=[3], dtype=float32, place=Place(cpu), stop_gradient=True,
               [1., 1., 1.])]
    """
    ...
def unflatten(x: Tensor, axis: int, shape: ShapeLike, name: str | None = None) -> Tensor:
    """Return a tensor with one dimension split into several.

    Args:
        x: tensor with at least one dimension.
        axis: the dimension.
        shape: its new sizes; one -1 is inferred from the others.
        name: accepted for compatibility.

    Returns:
        Tensor of the dtype of ``x``, with these sizes instead of the dimension.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.unflatten(paddle.ones([2, 6]), 1, [3, -1]).shape
        paddle.Size([2, 3, 2])
    """
    ...
def unfold(x: Tensor, axis: int, size: int, step: int, name: str | None = None) -> Tensor:
    """Place windows of ``size`` elements, ``step`` apart, along a new last dimension.

    Args:
        x: a tensor.
        axis: the dimension; it may be negative.
        size: how many elements a window has.
        step: how far each window starts after the previous one.
        name: ignored.

    Returns:
        A tensor with one dimension more, which shares the memory of x.

    Derivative: dx = dout, added where x was read: each window where it was.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.unfold(paddle.to_tensor([1.0, 2.0, 3.0]), 0, 2, 1)
        Tensor(shape=[2, 2], dtype=float32, place=Place(cpu), stop_gradient=True,
               [[1., 2.],
                [2., 3.]])
    """
    ...
def uniform(shape: ShapeLike | int, dtype: DTypeLike | None = None, min: float = 0.0, max: float = 1.0, seed: int = 0, name: str | None = None, out: Tensor | None = None, device: PlaceLike | None = None, requires_grad: bool = False) -> Tensor:
    """Return numbers drawn evenly from [min, max).

    Args:
        shape: the shape.
        dtype: a floating dtype, the default one; or a complex one, both of whose parts are drawn.
        min: the lower end.
        max: the upper end.
        seed: draw from this seed alone if it is not 0.
        name: accepted for compatibility.

    Returns:
        Tensor of that shape and dtype.

    Raises:
        InvalidTypeError: for a dtype of integers.
        InvalidArgumentError: for ends that are not finite, or ``min`` above ``max``.

    Paddle: draws from (max, min] if ``min`` is larger.

    Example:
        >>> import jaxeager as paddle
        >>> bool((paddle.uniform([4], min=2.0, max=3.0) >= 2.0).all())
        True
    """
    ...
def uniform_(x: Tensor, min: float = 0.0, max: float = 1.0, seed: int = 0, name: str | None = None) -> Tensor:
    """Overwrite ``x`` with numbers drawn evenly from [min, max), and return it.

    ``x`` is a floating tensor of any shape.

    Raises:
        InvalidArgumentError: for ends that are not finite, or ``min`` above ``max``.

    Example:
        >>> import jaxeager as paddle
        >>> bool((paddle.zeros([4]).uniform_(1.0, 2.0) >= 1.0).all())
        True
    """
    ...
def unique(x: Tensor, return_index: bool = False, return_inverse: bool = False, return_counts: bool = False, axis: int | None = None, dtype: DTypeLike = 'int64', sorted: bool = True, name: str | None = None) -> Tensor:
    """Return the distinct elements of a tensor in order, or its distinct slices.

    Their number depends on the values, so this waits for ``x``.

    Args:
        x: tensor of any shape.
        return_index: whether to also return the first position of each.
        return_inverse: whether to also return, for each element of ``x``, its index in the output.
        return_counts: whether to also return how often each occurs.
        axis: the axis whose slices are compared; without it ``x`` is flattened.
        dtype: "int64" or "int32", of the indices and counts.
        sorted: accepted for compatibility; the output is sorted.
        name: accepted for compatibility.

    Returns:
        Tensor, or a tuple of it and the other requested results, in the order above.

    Example:
        >>> import jaxeager as paddle
        >>> out, counts = paddle.unique(paddle.to_tensor([2, 1, 2]), return_counts=True)
        >>> out.tolist(), counts.tolist()
        ([1, 2], [1, 2])
    """
    ...
def unique_consecutive(x: Tensor, return_inverse: bool = False, return_counts: bool = False, axis: int | None = None, dtype: DTypeLike = 'int64', name: str | None = None) -> Tensor:
    """Return the elements (or slices) of a tensor that differ from the one before.

    Their number depends on the values, so this waits for ``x``.

    Args:
        x: tensor of any shape.
        return_inverse: whether to also return, for each element of ``x``, its index in the output.
        return_counts: whether to also return the length of each run.
        axis: the axis whose slices are compared; without it ``x`` is flattened.
        dtype: "int64" or "int32", of the indices and counts.
        name: accepted for compatibility.

    Returns:
        Tensor, or a tuple of it and the other requested results, in the order above.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.unique_consecutive(paddle.to_tensor([1, 1, 2, 1])).tolist()
        [1, 2, 1]
    """
    ...
def unsqueeze(x: Tensor, axis: int | Sequence[int], name: str | None = None) -> Tensor:
    """Insert dimensions of size 1 at the given places, one after the other.

    Args:
        x: a tensor.
        axis: where the new dimensions are in the result.
        name: ignored.

    Returns:
        A tensor with more dimensions, which shares the memory of x.

    Derivative: dx = dout, in the shape of x.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.unsqueeze(paddle.ones([2, 3]), axis=0)
        Tensor(shape=[1, 2, 3], dtype=float32, place=Place(cpu), stop_gradient=True,
               [[[1., 1., 1.],
                 [1., 1., 1.]]])
    """
    ...
def unsqueeze_(x: Tensor, axis: int | Sequence[int], name: str | None = None) -> Tensor:
    """Insert dimensions of size 1 at the given places, one after the other. Writes into its first operand and returns it.

    Args:
        x: a tensor.
        axis: where the new dimensions are in the result.
        name: ignored.

    Returns:
        The tensor x.

    Derivative: dx = dout, in the shape of x.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.unsqueeze_(paddle.ones([2, 3]), axis=0)
        Tensor(shape=[1, 2, 3], dtype=float32, place=Place(cpu), stop_gradient=True,
               [[[1., 1., 1.],
                 [1., 1., 1.]]])
    """
    ...
def unstack(x: Tensor, axis: int | None = 0, num: int | None = None, name: str | None = None) -> list[Tensor]:
    """Split a tensor along an axis into a list of slices without that axis.

    Args:
        x: a tensor.
        axis: the dimension; it may be negative.
        num: how many slices there are; it must be the size of the axis, or None.
        name: ignored.

    Returns:
        A list of tensors.

    Derivative: dx = stack(dout).

    Example:
        >>> import jaxeager as paddle
        >>> paddle.unstack(paddle.ones([2, 3]), axis=1)
        [Tensor(shape=[2], dtype=float32, place=Place(cpu), stop_gradient=True,
               [1., 1.]), Tensor(shape=[2], dtype=float32, place=Place(cpu), stop_gradient=True,
               [1., 1.]), Tensor(shape=[2], dtype=float32, place=Place(cpu), stop_gradient=True,
               [1., 1.])]
    """
    ...
def vander(x: Tensor, n: int | None = None, increasing: bool = False, name: str | None = None) -> Tensor:
    """Return the matrix whose columns are powers of a vector.

    Args:
        x: tensor[m].
        n: the number of columns, m by default.
        increasing: whether the powers increase from left to right.
        name: accepted for compatibility.

    Returns:
        Tensor[m, n].

    Raises:
        InvalidArgumentError: when ``x`` is not a vector, or ``n`` is negative.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.vander(paddle.to_tensor([1.0, 2.0, 3.0])).tolist()
        [[1.0, 1.0, 1.0], [4.0, 2.0, 1.0], [9.0, 3.0, 1.0]]
    """
    ...
def var(x: Tensor, axis: int | Sequence[int] | None = None, unbiased: bool | None = None, keepdim: bool = False, name: str | None = None, correction: float = 1, out: Tensor | None = None) -> Tensor:
    """Return the variance of the elements over the given axes.

    That of complex numbers is real: the variances of both parts, added.

    Paddle: the variance of an integer tensor is computed, and returned, in integers. Here it is
    computed in the default floating dtype. Paddle refuses complex numbers.

    Args:
        x: tensor of any shape.
        axis: int, or list of ints; all axes by default.
        unbiased: True divides by n - 1, False by n; by default ``correction`` decides.
        keepdim: whether reduced axes stay, with size 1.
        name: accepted for compatibility.
        correction: the number subtracted from n, 1 by default.

    Returns:
        Tensor of the remaining axes; nan for a single element, where n - 1 = 0.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.var(paddle.to_tensor([1.0, 2.0, 3.0])).item()
        1.0
    """
    ...
def vecdot(x: Tensor, y: Tensor, axis: int = -1, name: str | None = None) -> Tensor:
    """Return the sums of products of two tensors along an axis, the first one conjugated.

    ``x`` and ``y`` are tensors that broadcast with each other; the result has the common shape
    without the axis.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.vecdot(paddle.ones([2, 3]), paddle.ones([2, 3])).tolist()
        [3.0, 3.0]
    """
    ...
def view(x: Tensor, shape_or_dtype: int | Sequence[int | Tensor] | DTypeLike, *more: int | Tensor, name: str | None = None) -> Tensor:
    """Return ``x`` in another shape, or its bytes read as another dtype; it shares x's memory.

    Args:
        x: tensor of any shape.
        shape_or_dtype: the shape, in which one -1 is inferred from the others (``view(2, 3)`` works
            too); or a dtype. A dtype of another size makes the last dimension longer or shorter.
        *more: further dimensions when the first one is an int.
        name: accepted for compatibility.

    Returns:
        Tensor of that shape or dtype.

    Raises:
        InvalidArgumentError: when ``x`` is a view whose memory has no such view; see
            ``is_contiguous``. Use ``reshape``, which then copies.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.ones([2, 6]).view([3, 4]).shape
        paddle.Size([3, 4])
    """
    ...
def view_as(x: Tensor, other: Tensor, name: str | None = None) -> Tensor:
    """Return ``x`` in the shape of another tensor.

    ``x`` is a tensor of any shape and dtype, and ``other`` one with as many elements; the result
    shares the memory of ``x``.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.ones([6]).view_as(paddle.ones([2, 3])).shape
        paddle.Size([2, 3])
    """
    ...
def view_as_complex(input: Tensor) -> Tensor:
    """Return pairs of real numbers, the last dimension, as complex ones, in the same memory.

    Args:
        input: float32 or float64 tensor [..., 2].

    Returns:
        complex tensor [...].

    Raises:
        InvalidArgumentError: for another last dimension, or a view in which the two numbers of a
            pair are not adjacent.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.view_as_complex(paddle.to_tensor([[1.0, 2.0]])).tolist()
        [(1+2j)]
    """
    ...
def view_as_real(input: Tensor) -> Tensor:
    """Return complex numbers as pairs of real ones in a last dimension of 2, in the same memory.

    Args:
        input: complex tensor [...].

    Returns:
        floating tensor [..., 2].

    Raises:
        InvalidArgumentError: for a tensor that is not complex.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.view_as_real(paddle.to_tensor([1.0 + 2.0j])).tolist()
        [[1.0, 2.0]]
    """
    ...
def vsplit(x: Tensor, num_or_indices: int | Sequence[int], name: str | None = None) -> list[Tensor]:
    """Return parts along the first axis; see tensor_split.

    Example:
        >>> import jaxeager as paddle
        >>> len(paddle.vsplit(paddle.ones([2, 2, 2]), 2))
        2
    """
    ...
def vstack(x: Sequence[Tensor], name: str | None = None) -> Tensor:
    """Return tensors joined vertically: along the first axis, with vectors as rows.

    ``x`` is a list of tensors of one dtype that differ only in the size of that axis; a vector [n]
    counts as [1, n].

    Example:
        >>> import jaxeager as paddle
        >>> paddle.vstack([paddle.ones([3]), paddle.ones([2, 3])]).shape
        paddle.Size([3, 3])
    """
    ...
def where(condition: Tensor, x: Tensor | Number | None = None, y: Tensor | Number | None = None, name: str | None = None, out: Tensor | None = None) -> Tensor:
    """Return the elements of ``x`` where a condition is true and of ``y`` elsewhere.

    Args:
        condition: bool tensor.
        x: tensor or number, broadcast against the others.
        y: tensor or number, broadcast against the others.
        name: accepted for compatibility.

    Returns:
        Tensor of the common shape; without ``x`` and ``y``, the result of
        ``nonzero(condition, as_tuple=True)``.

    Raises:
        InvalidArgumentError: when the condition is not bool, or only one of ``x`` and ``y`` is
            given.

    Example:
        >>> import jaxeager as paddle
        >>> x = paddle.to_tensor([-1.0, 2.0])
        >>> paddle.where(x > 0, x, 0.0).tolist()
        [0.0, 2.0]
    """
    ...
def where_(condition: Tensor, x: Tensor | None = None, y: Tensor | Number | None = None, name: str | None = None) -> Tensor:
    """Write ``where(condition, x, y)`` into ``x`` and return it.

    ``condition`` is a bool tensor and ``y`` a tensor or number; both broadcast to the shape of
    ``x``.

    Example:
        >>> import jaxeager as paddle
        >>> x = paddle.to_tensor([-1.0, 2.0])
        >>> paddle.where_(x > 0, x, paddle.zeros([2])) is x, x.tolist()
        (True, [0.0, 2.0])
    """
    ...
def zero_(x: Tensor) -> Tensor:
    """Set every element of ``x`` to 0 and return ``x``; the old value gets no gradient.

    ``x`` is a tensor of any shape and dtype.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.ones([2]).zero_().tolist()
        [0.0, 0.0]
    """
    ...
def zeros(shape: ShapeLike | int, dtype: DTypeLike | None = None, name: str | None = None, out: Tensor | None = None, device: PlaceLike | None = None, requires_grad: bool = False, pin_memory: bool = False) -> Tensor:
    """Return a tensor of zeros, of the default dtype unless one is given.

    Args:
        shape: an int, a list or tuple of ints (Tensors among them), or an int Tensor.
        dtype: element type, the default dtype.
        name: accepted for compatibility.
        out: tensor that becomes the result.
        device: "cpu", "gpu:0", a Place or a Device; the current device by default.
        requires_grad: whether the result requires a gradient.
        pin_memory: host memory next to an accelerator.

    Returns:
        Tensor of that shape and dtype.

    Raises:
        InvalidArgumentError: when a dimension is negative.
        UnavailableError: for ``pin_memory`` on the CPU.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.zeros([2], "int32").tolist()
        [0, 0]
    """
    ...
def zeros_like(x: Tensor, dtype: DTypeLike | None = None, name: str | None = None, device: PlaceLike | None = None, requires_grad: bool = False, pin_memory: bool = False) -> Tensor:
    """Return zeros of another tensor's shape and dtype.

    ``x`` is a tensor of any shape and dtype; ``dtype``, if given, is that of the result.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.zeros_like(paddle.ones([2])).tolist()
        [0.0, 0.0]
    """
    ...
