"""Padding layers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from jaxeager.nn import functional as F
from jaxeager.nn.layer.common import name_text
from jaxeager.nn.layer.layer import Layer

if TYPE_CHECKING:
    from jaxeager.tensor.tensor import Tensor


class _Pad(Layer):
    """What all padding layers share.

    Args:
        padding: one int for every side, or [left, right, top, bottom, front, back] (two per
            dimension), last dimension first.
        mode: "constant", "reflect", "replicate" or "circular".
        value: what "constant" pads with.
        data_format: where the channels are.
        name: shown by repr.
    """

    _dims = 0

    def __init__(
        self,
        padding: Tensor | Sequence[int] | int,
        mode: str,
        value: float | Tensor,
        data_format: str,
        name: str | None,
    ):
        super().__init__()
        self.padding = [padding] * (2 * self._dims) if isinstance(padding, int) else padding
        self._mode, self.value, self._data_format, self._name = mode, value, data_format, name

    def forward(self, x: Tensor) -> Tensor:
        return F.pad(
            x, pad=self.padding, mode=self._mode, value=self.value, data_format=self._data_format
        )

    def extra_repr(self) -> str:
        return (
            f"padding={self.padding}, mode={self._mode}, value={self.value}, "
            f"data_format={self._data_format}{name_text(self._name)}"
        )


class Pad1D(_Pad):
    """Pads the length of sequences.

    Args:
        padding: one int for both sides, or [left, right].
        mode: "constant", "reflect", "replicate" or "circular".
        value: what "constant" pads with.
        data_format: "NCL" or "NLC".
        name: shown by repr.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.nn.Pad1D([1, 2])(paddle.ones([1, 1, 3])).shape
        [1, 1, 6]
    """

    _dims = 1

    def __init__(
        self,
        padding: Tensor | Sequence[int] | int,
        mode: str = "constant",
        value: float | Tensor = 0.0,
        data_format: str = "NCL",
        name: str | None = None,
    ):
        super().__init__(padding, mode, value, data_format, name)


class Pad2D(_Pad):
    """Pads height and width of images.

    Args:
        padding: one int for every side, or [left, right, top, bottom].
        mode: "constant", "reflect", "replicate" or "circular".
        value: what "constant" pads with.
        data_format: "NCHW" or "NHWC".
        name: shown by repr.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.nn.Pad2D([1, 1, 2, 2])(paddle.ones([1, 1, 3, 3])).shape
        [1, 1, 7, 5]
    """

    _dims = 2

    def __init__(
        self,
        padding: Tensor | Sequence[int] | int,
        mode: str = "constant",
        value: float | Tensor = 0.0,
        data_format: str = "NCHW",
        name: str | None = None,
    ):
        super().__init__(padding, mode, value, data_format, name)


class Pad3D(_Pad):
    """Pads depth, height and width of volumes.

    Args:
        padding: one int for every side, or [left, right, top, bottom, front, back].
        mode: "constant", "reflect", "replicate" or "circular".
        value: what "constant" pads with.
        data_format: "NCDHW" or "NDHWC".
        name: shown by repr.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.nn.Pad3D(1)(paddle.ones([1, 1, 2, 2, 2])).shape
        [1, 1, 4, 4, 4]
    """

    _dims = 3

    def __init__(
        self,
        padding: Tensor | Sequence[int] | int,
        mode: str = "constant",
        value: float | Tensor = 0.0,
        data_format: str = "NCDHW",
        name: str | None = None,
    ):
        super().__init__(padding, mode, value, data_format, name)


class ZeroPad1D(Pad1D):
    """Pads sequences with zeros.

    Args:
        padding: one int for every side, or [left, right].
        data_format: "NCL" or "NLC".
        name: shown by repr.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.nn.ZeroPad1D(1)(paddle.ones([1, 1, 3])).shape
        [1, 1, 5]
    """

    def __init__(
        self,
        padding: Tensor | Sequence[int] | int,
        data_format: str = "NCL",
        name: str | None = None,
    ):
        super().__init__(padding, "constant", 0.0, data_format, name)


class ZeroPad2D(Pad2D):
    """Pads images with zeros.

    Args:
        padding: one int for every side, or [left, right, top, bottom].
        data_format: "NCHW" or "NHWC".
        name: shown by repr.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.nn.ZeroPad2D(1)(paddle.ones([1, 1, 3, 3])).shape
        [1, 1, 5, 5]
    """

    def __init__(
        self,
        padding: Tensor | Sequence[int] | int,
        data_format: str = "NCHW",
        name: str | None = None,
    ):
        super().__init__(padding, "constant", 0.0, data_format, name)


class ZeroPad3D(Pad3D):
    """Pads volumes with zeros.

    Args:
        padding: one int for every side, or [left, right, top, bottom, front, back].
        data_format: "NCDHW" or "NDHWC".
        name: shown by repr.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.nn.ZeroPad3D(1)(paddle.ones([1, 1, 3, 3, 3])).shape
        [1, 1, 5, 5, 5]
    """

    def __init__(
        self,
        padding: Tensor | Sequence[int] | int,
        data_format: str = "NCDHW",
        name: str | None = None,
    ):
        super().__init__(padding, "constant", 0.0, data_format, name)


class ConstantPad1D(Pad1D):
    """Pads sequences with one value.

    Args:
        padding: one int for every side, or [left, right].
        value: that value.
        data_format: "NCL" or "NLC".
        name: shown by repr.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.nn.ConstantPad1D(1, 2.0)(paddle.ones([1, 1, 3])).shape
        [1, 1, 5]
    """

    def __init__(
        self,
        padding: Tensor | Sequence[int] | int,
        value: float | Tensor,
        data_format: str = "NCL",
        name: str | None = None,
    ):
        super().__init__(padding, "constant", value, data_format, name)


class ConstantPad2D(Pad2D):
    """Pads images with one value.

    Args:
        padding: one int for every side, or [left, right, top, bottom].
        value: that value.
        data_format: "NCHW" or "NHWC".
        name: shown by repr.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.nn.ConstantPad2D(1, 2.0)(paddle.ones([1, 1, 3, 3])).shape
        [1, 1, 5, 5]
    """

    def __init__(
        self,
        padding: Tensor | Sequence[int] | int,
        value: float | Tensor,
        data_format: str = "NCHW",
        name: str | None = None,
    ):
        super().__init__(padding, "constant", value, data_format, name)


class ConstantPad3D(Pad3D):
    """Pads volumes with one value.

    Args:
        padding: one int for every side, or [left, right, top, bottom, front, back].
        value: that value.
        data_format: "NCDHW" or "NDHWC".
        name: shown by repr.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.nn.ConstantPad3D(1, 2.0)(paddle.ones([1, 1, 3, 3, 3])).shape
        [1, 1, 5, 5, 5]
    """

    def __init__(
        self,
        padding: Tensor | Sequence[int] | int,
        value: float | Tensor,
        data_format: str = "NCDHW",
        name: str | None = None,
    ):
        super().__init__(padding, "constant", value, data_format, name)


class ReflectionPad1D(Pad1D):
    """Pads sequences with the mirror image of the input.

    Args:
        padding: one int for every side, or [left, right].
        data_format: "NCL" or "NLC".
        name: shown by repr.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.nn.ReflectionPad1D(1)(paddle.ones([1, 1, 3])).shape
        [1, 1, 5]
    """

    def __init__(
        self,
        padding: Tensor | Sequence[int] | int,
        data_format: str = "NCL",
        name: str | None = None,
    ):
        super().__init__(padding, "reflect", 0.0, data_format, name)


class ReflectionPad2D(Pad2D):
    """Pads images with the mirror image of the input.

    Args:
        padding: one int for every side, or [left, right, top, bottom].
        data_format: "NCHW" or "NHWC".
        name: shown by repr.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.nn.ReflectionPad2D(1)(paddle.ones([1, 1, 3, 3])).shape
        [1, 1, 5, 5]
    """

    def __init__(
        self,
        padding: Tensor | Sequence[int] | int,
        data_format: str = "NCHW",
        name: str | None = None,
    ):
        super().__init__(padding, "reflect", 0.0, data_format, name)


class ReflectionPad3D(Pad3D):
    """Pads volumes with the mirror image of the input.

    Args:
        padding: one int for every side, or [left, right, top, bottom, front, back].
        data_format: "NCDHW" or "NDHWC".
        name: shown by repr.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.nn.ReflectionPad3D(1)(paddle.ones([1, 1, 3, 3, 3])).shape
        [1, 1, 5, 5, 5]
    """

    def __init__(
        self,
        padding: Tensor | Sequence[int] | int,
        data_format: str = "NCDHW",
        name: str | None = None,
    ):
        super().__init__(padding, "reflect", 0.0, data_format, name)


class ReplicationPad1D(Pad1D):
    """Pads sequences with its border.

    Args:
        padding: one int for every side, or [left, right].
        data_format: "NCL" or "NLC".
        name: shown by repr.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.nn.ReplicationPad1D(1)(paddle.ones([1, 1, 3])).shape
        [1, 1, 5]
    """

    def __init__(
        self,
        padding: Tensor | Sequence[int] | int,
        data_format: str = "NCL",
        name: str | None = None,
    ):
        super().__init__(padding, "replicate", 0.0, data_format, name)


class ReplicationPad2D(Pad2D):
    """Pads images with its border.

    Args:
        padding: one int for every side, or [left, right, top, bottom].
        data_format: "NCHW" or "NHWC".
        name: shown by repr.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.nn.ReplicationPad2D(1)(paddle.ones([1, 1, 3, 3])).shape
        [1, 1, 5, 5]
    """

    def __init__(
        self,
        padding: Tensor | Sequence[int] | int,
        data_format: str = "NCHW",
        name: str | None = None,
    ):
        super().__init__(padding, "replicate", 0.0, data_format, name)


class ReplicationPad3D(Pad3D):
    """Pads volumes with its border.

    Args:
        padding: one int for every side, or [left, right, top, bottom, front, back].
        data_format: "NCDHW" or "NDHWC".
        name: shown by repr.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.nn.ReplicationPad3D(1)(paddle.ones([1, 1, 3, 3, 3])).shape
        [1, 1, 5, 5, 5]
    """

    def __init__(
        self,
        padding: Tensor | Sequence[int] | int,
        data_format: str = "NCDHW",
        name: str | None = None,
    ):
        super().__init__(padding, "replicate", 0.0, data_format, name)


class CircularPad1D(Pad1D):
    """Pads sequences with its opposite side.

    Args:
        padding: one int for every side, or [left, right].
        data_format: "NCL" or "NLC".
        name: shown by repr.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.nn.CircularPad1D(1)(paddle.ones([1, 1, 3])).shape
        [1, 1, 5]
    """

    def __init__(
        self,
        padding: Tensor | Sequence[int] | int,
        data_format: str = "NCL",
        name: str | None = None,
    ):
        super().__init__(padding, "circular", 0.0, data_format, name)


class CircularPad2D(Pad2D):
    """Pads images with its opposite side.

    Args:
        padding: one int for every side, or [left, right, top, bottom].
        data_format: "NCHW" or "NHWC".
        name: shown by repr.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.nn.CircularPad2D(1)(paddle.ones([1, 1, 3, 3])).shape
        [1, 1, 5, 5]
    """

    def __init__(
        self,
        padding: Tensor | Sequence[int] | int,
        data_format: str = "NCHW",
        name: str | None = None,
    ):
        super().__init__(padding, "circular", 0.0, data_format, name)


class CircularPad3D(Pad3D):
    """Pads volumes with its opposite side.

    Args:
        padding: one int for every side, or [left, right, top, bottom, front, back].
        data_format: "NCDHW" or "NDHWC".
        name: shown by repr.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.nn.CircularPad3D(1)(paddle.ones([1, 1, 3, 3, 3])).shape
        [1, 1, 5, 5, 5]
    """

    def __init__(
        self,
        padding: Tensor | Sequence[int] | int,
        data_format: str = "NCDHW",
        name: str | None = None,
    ):
        super().__init__(padding, "circular", 0.0, data_format, name)
