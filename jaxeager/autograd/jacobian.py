"""jacobian and hessian: derivatives of tensors by tensors, as lazy matrices."""

from __future__ import annotations

import functools
import operator
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import jaxeager as paddle
from jaxeager.autograd.derivative_rows import DerivativeRows, derivatives, elements, full_index
from jaxeager.errors import InvalidArgumentError, InvalidTypeError

if TYPE_CHECKING:
    from jaxeager.tensor.tensor import Tensor


class Jacobian:
    """The derivatives of the elements of ``ys`` by the elements of ``xs``; see ``jacobian``.

    It is indexed like a Tensor and returns Tensors. A row, the derivatives of one element of
    ``ys``, is computed when it is first needed, by one backward, and kept. Any other use
    (arithmetic, ``numpy()``, any attribute of a Tensor) computes every row.

    Args:
        ys: Tensor [M] or [], with a batch [B, M] or [B].
        xs: Tensor [N] or [], with a batch [B, N] or [B].
        is_batched: whether axis 0 is a batch of samples that do not depend on each other.

    Raises:
        InvalidTypeError: when ys or xs is not a Tensor.
        InvalidArgumentError: for more axes than that, or batches of different sizes.
    """

    __hash__ = None  # type: ignore[assignment]  # == compares element by element

    def __init__(self, ys, xs, is_batched: bool = False):
        _check_tensor("ys", ys)
        self._prepare(lambda: ys, ys.shape, xs, is_batched)

    def _prepare(self, ys: Callable, ys_shape: Sequence[int], xs, is_batched: bool) -> None:
        _check_tensor("xs", xs)
        _check_axes("xs", xs.shape, is_batched)
        _check_axes("ys", ys_shape, is_batched)
        first = int(is_batched)
        if is_batched and ys_shape[0] != xs.shape[0]:
            raise InvalidArgumentError(
                f"ys and xs must have the same batch, but their shapes are {list(ys_shape)} and "
                f"{list(xs.shape)}."
            )
        sizes = [elements(ys_shape[first:])]
        batch = xs.shape[0] if is_batched else None
        self._rows = DerivativeRows(lambda: [ys()], sizes, [xs], batch)
        self._is_shown = [True] * first + [len(ys_shape) > first, len(xs.shape) > first]

    @property
    def shape(self) -> list[int]:
        """Return its shape: ([B],) [M], [N], without M or N where ys or xs has no such axis."""
        return [size for size, shown in zip(self._rows.shape, self._is_shown, strict=True) if shown]

    def __getitem__(self, index):
        entries = full_index(index, self.shape)
        if entries is None:
            return self._values()[index]
        given = iter(entries)
        return self._rows[tuple([next(given) if shown else 0 for shown in self._is_shown])]

    def _values(self):
        """Return the whole matrix as one Tensor."""
        return self[...]

    def __len__(self) -> int:
        if not self.shape:
            raise InvalidTypeError("A derivative of a 0-D tensor by a 0-D tensor has no len().")
        return self.shape[0]

    def __getattr__(self, name: str):
        if name.startswith("_"):
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
        return getattr(self._values(), name)

    def __repr__(self) -> str:
        count = self._rows.shape[self._rows.axis]
        return f"{type(self).__name__}(shape={self.shape}, {len(self._rows.rows)} of {count} rows)"


class Hessian(Jacobian):
    """The second derivatives of a number by the elements of two tensors; see ``hessian``."""

    def __init__(self, gradient: Callable, xs, other, is_batched: bool = False):
        self._prepare(gradient, xs.shape, other, is_batched)


def _value_of(operand):
    return operand._values() if isinstance(operand, Jacobian) else operand


def _add_operators() -> None:
    """Give Jacobian the operators of a Tensor, also the reflected ones."""
    names = "add sub mul truediv floordiv mod pow matmul".split()
    for name in [*names, *"eq ne lt le gt ge".split()]:
        function = getattr(operator, name)

        def forward(self, other, function=function):
            return function(self._values(), _value_of(other))

        def reflected(self, other, function=function):
            return function(other, self._values())

        setattr(Jacobian, f"__{name}__", forward)
        if name in names:
            setattr(Jacobian, f"__r{name}__", reflected)
    for name in "neg pos abs float int bool array".split():

        def on_values(self, *args, method=f"__{name}__", **kwargs):
            return getattr(self._values(), method)(*args, **kwargs)

        setattr(Jacobian, f"__{name}__", on_values)


_add_operators()


def _check_tensor(name: str, value) -> None:
    if not isinstance(value, (paddle.Tensor, Jacobian)):
        raise InvalidTypeError(
            f"{name} must be a Tensor or a list or tuple of Tensors, but got "
            f"{type(value).__name__}."
        )


def _check_axes(name: str, shape: Sequence[int], is_batched: bool) -> None:
    least = int(is_batched)
    if not least <= len(shape) <= least + 1:
        raise InvalidArgumentError(
            f"{name}.ndim should be {least} or {least + 1} when is_batched={is_batched} but got "
            f"{len(shape)}; its shape is {list(shape)}."
        )


def jacobian(
    ys: Tensor | Sequence[Tensor], xs: Tensor | Sequence[Tensor], batch_axis: int | None = None
) -> Any:
    """Return the derivatives of ys by xs, computed row by row when they are read.

    Args:
        ys: Tensor [M] or [], or a list or tuple of such; with a batch [B, M] or [B].
        xs: Tensor [N] or [], or a list or tuple of such, from which ys was computed; with a batch
            [B, N] or [B].
        batch_axis: None, or 0 when axis 0 of all of them is a batch of independent samples.

    Returns:
        a Jacobian of shape [M, N], or [B, M, N]: indexed like a Tensor. For a list of ys, of xs, or
        both, a tuple of them, or a tuple of tuples J, where ``J[i][j]`` is that of ys[i] by xs[j].
        Zeros where ys does not depend on xs.

    Raises:
        InvalidArgumentError: for another batch_axis, or tensors of more axes.
        InvalidTypeError: for values that are not tensors.
        OutOfRangeError: when the Jacobian is indexed out of its bounds.

    Paddle: slices that are empty, have a negative step or extend beyond the end return wrong rows
    or raise errors there, as do negative numbers below -M; here they have the meaning they have for
    a Tensor.

    Example:
        >>> import jaxeager as paddle
        >>> x = paddle.to_tensor([1.0, 2.0, 3.0], stop_gradient=False)
        >>> J = paddle.autograd.jacobian(x * x, x)
        >>> J
        Jacobian(shape=[3, 3], 0 of 3 rows)
        >>> J[1].tolist()
        [0.0, 4.0, 0.0]
        >>> J
        Jacobian(shape=[3, 3], 1 of 3 rows)
        >>> J.sum().item()
        12.0
    """
    if batch_axis is not None and (batch_axis != 0 or isinstance(batch_axis, bool)):
        raise InvalidArgumentError(f"batch_axis should be None or 0, but got {batch_axis}.")
    is_batched = batch_axis is not None

    def by_xs(y):
        if _is_list(xs):
            return tuple([Jacobian(y, x, is_batched) for x in xs])
        return Jacobian(y, xs, is_batched)

    return tuple([by_xs(y) for y in ys]) if _is_list(ys) else by_xs(ys)


def hessian(ys: Any, xs: Any, batch_axis: int | None = None) -> Any:
    """Return the second derivatives of a number by xs, row by row when they are read.

    Args:
        ys: Tensor of one element; with a batch [B] or [B, 1].
        xs: Tensor [N] or [], or a list or tuple of such, from which ys was computed; with a batch
            [B, N] or [B].
        batch_axis: None, or 0 when axis 0 of all of them is a batch of independent samples.

    Returns:
        a Hessian of shape [N, N], or [B, N, N]. For a list of xs a tuple of tuples H, where
        ``H[i][j]`` has the derivatives by xs[i] and then xs[j]. The first derivatives are computed
        at the first read, too.

    Raises:
        InvalidArgumentError: for more than one element, another batch_axis, or more axes.
        InvalidTypeError: for values that are not tensors.

    Example:
        >>> import jaxeager as paddle
        >>> x = paddle.to_tensor([1.0, 2.0], stop_gradient=False)
        >>> y = paddle.to_tensor([5.0], stop_gradient=False)
        >>> H = paddle.autograd.hessian((x * x * x * y).sum(), (x, y))
        >>> H[0][0][:].tolist()
        [[30.0, 0.0], [0.0, 60.0]]
        >>> H[1][0][0].tolist()
        [3.0, 12.0]
    """
    _check_number(ys, batch_axis)
    is_batched = batch_axis is not None
    inputs = list(xs) if _is_list(xs) else [xs]

    @functools.cache
    def gradients():
        # One element per sample: with ones as gradients, each sample's xs get their own derivative.
        return derivatives([ys], inputs)

    def row(place, x):
        gradient = lambda: gradients()[place]  # noqa: E731 - a name for the argument
        return tuple([Hessian(gradient, x, other, is_batched) for other in inputs])

    for x in inputs:
        _check_tensor("xs", x)
    result = tuple([row(place, x) for place, x in enumerate(inputs)])
    return result if _is_list(xs) else result[0][0]


def _check_number(ys, batch_axis) -> None:
    """Raise when ys is not one number, or one per sample."""
    if not isinstance(ys, paddle.Tensor):
        raise InvalidTypeError(f"ys must be a Tensor, but got {type(ys).__name__}.")
    if batch_axis is None:
        if elements(ys.shape) != 1:
            raise InvalidArgumentError(
                f"Only support ys.numel()({elements(ys.shape)})==1 when batch_axis is None; "
                f"the shape of ys is {list(ys.shape)}."
            )
    elif not isinstance(batch_axis, int) or isinstance(batch_axis, bool):
        raise InvalidArgumentError(f"batch_axis should be None or int, but got {batch_axis!r}.")
    elif batch_axis != 0:
        raise InvalidArgumentError(f"Only support batch_axis=0 yet, but got {batch_axis}.")
    elif not ys.shape or elements(ys.shape[1:]) != 1:
        raise InvalidArgumentError(
            "Only support ys[0].numel()==1 when batch_axis is int; the shape of ys is "
            f"{list(ys.shape)}."
        )


def _is_list(value) -> bool:
    return isinstance(value, (list, tuple))
