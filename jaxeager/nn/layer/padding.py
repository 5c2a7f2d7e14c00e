"""Padding layers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from jaxeager.nn import functional as F
from jaxeager.nn.layer.common import name_text
from jaxeager.nn.layer.family import IMAGES, OWN_LAYOUT, SEQUENCES, VOLUMES, Space, member
from jaxeager.nn.layer.layer import Layer

if TYPE_CHECKING:
    from jaxeager.tensor.tensor import Tensor


_DOC = """Layer that pads {what}.

    Args:
        padding: one int for {every}, or {sides}.
        mode: "constant", "reflect", "replicate" or "circular".
        value: the padding value in mode "constant".
        data_format: {layouts}.
        name: shown by repr.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.nn.{name}({given})(paddle.ones({shape})).shape
        paddle.Size({result})
    """

_IN_ONE_MODE_DOC = """Layer that pads {things} with {what}.

    Args:
        padding: one int for every side, or {sides}.
        data_format: {layouts}.
        name: shown by repr.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.nn.{name}(1)(paddle.ones({shape})).shape
        paddle.Size({result})
    """

_CONSTANT_DOC = """Layer that pads {things} with one value.

    Args:
        padding: one int for every side, or {sides}.
        value: the padding value.
        data_format: {layouts}.
        name: shown by repr.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.nn.{name}(1, 2.0)(paddle.ones({shape})).shape
        paddle.Size({result})
    """


class _Pad(Layer):
    """Base of all padding layers.

    Args:
        padding: one int for every side, or [left, right, top, bottom, front, back] (two per
            dimension), last dimension first.
        mode: "constant", "reflect", "replicate" or "circular".
        value: the padding value in mode "constant".
        data_format: layout that locates the channels.
        name: shown by repr.
    """

    _space: Space

    def __init__(
        self,
        padding: Tensor | Sequence[int] | int,
        mode: str = "constant",
        value: float | Tensor = 0.0,
        data_format: str = OWN_LAYOUT,
        name: str | None = None,
    ):
        super().__init__()
        self.padding = [padding] * (2 * self._space.dims) if isinstance(padding, int) else padding
        self._mode, self.value, self._data_format, self._name = mode, value, data_format, name

    @property
    def _n_dim(self) -> int:
        """Return the number of padded dimensions."""
        return self._space.dims

    def forward(self, x: Tensor) -> Tensor:
        return F.pad(
            x, pad=self.padding, mode=self._mode, value=self.value, data_format=self._data_format
        )

    def extra_repr(self) -> str:
        return (
            f"padding={self.padding}, mode={self._mode}, value={self.value}, "
            f"data_format={self._data_format}{name_text(self._name)}"
        )


@member(
    _DOC,
    what="the length of sequences",
    every="both sides",
    given="[1, 2]",
    shape=[1, 1, 3],
    result=[1, 1, 6],
)
class Pad1D(_Pad):
    _space = SEQUENCES


@member(
    _DOC,
    what="height and width of images",
    every="every side",
    given="[1, 1, 2, 2]",
    shape=[1, 1, 3, 3],
    result=[1, 1, 7, 5],
)
class Pad2D(_Pad):
    _space = IMAGES


@member(
    _DOC,
    what="depth, height and width of volumes",
    every="every side",
    given="1",
    shape=[1, 1, 2, 2, 2],
    result=[1, 1, 4, 4, 4],
)
class Pad3D(_Pad):
    _space = VOLUMES


class _PadInOneMode(_Pad):
    """Base of the layers with a fixed mode; each is also a Pad1D, Pad2D or Pad3D."""

    _only_mode = ""

    def __init__(
        self,
        padding: Tensor | Sequence[int] | int,
        data_format: str = OWN_LAYOUT,
        name: str | None = None,
    ):
        super().__init__(padding, self._only_mode, 0.0, data_format, name)


class _ConstantPad(_Pad):
    """Base of the layers that pad with a user-defined value."""

    def __init__(
        self,
        padding: Tensor | Sequence[int] | int,
        value: float | Tensor,
        data_format: str = OWN_LAYOUT,
        name: str | None = None,
    ):
        super().__init__(padding, "constant", value, data_format, name)


@member(_IN_ONE_MODE_DOC, what="zeros", shape=[1, 1, 3], result=[1, 1, 5])
class ZeroPad1D(_PadInOneMode, Pad1D):
    _only_mode = "constant"


@member(_IN_ONE_MODE_DOC, what="zeros", shape=[1, 1, 3, 3], result=[1, 1, 5, 5])
class ZeroPad2D(_PadInOneMode, Pad2D):
    _only_mode = "constant"


@member(_IN_ONE_MODE_DOC, what="zeros", shape=[1, 1, 3, 3, 3], result=[1, 1, 5, 5, 5])
class ZeroPad3D(_PadInOneMode, Pad3D):
    _only_mode = "constant"


@member(_CONSTANT_DOC, shape=[1, 1, 3], result=[1, 1, 5])
class ConstantPad1D(_ConstantPad, Pad1D):
    pass


@member(_CONSTANT_DOC, shape=[1, 1, 3, 3], result=[1, 1, 5, 5])
class ConstantPad2D(_ConstantPad, Pad2D):
    pass


@member(_CONSTANT_DOC, shape=[1, 1, 3, 3, 3], result=[1, 1, 5, 5, 5])
class ConstantPad3D(_ConstantPad, Pad3D):
    pass


@member(_IN_ONE_MODE_DOC, what="the mirror image of the input", shape=[1, 1, 3], result=[1, 1, 5])
class ReflectionPad1D(_PadInOneMode, Pad1D):
    _only_mode = "reflect"


@member(
    _IN_ONE_MODE_DOC, what="the mirror image of the input", shape=[1, 1, 3, 3], result=[1, 1, 5, 5]
)
class ReflectionPad2D(_PadInOneMode, Pad2D):
    _only_mode = "reflect"


@member(
    _IN_ONE_MODE_DOC,
    what="the mirror image of the input",
    shape=[1, 1, 3, 3, 3],
    result=[1, 1, 5, 5, 5],
)
class ReflectionPad3D(_PadInOneMode, Pad3D):
    _only_mode = "reflect"


@member(_IN_ONE_MODE_DOC, what="its border", shape=[1, 1, 3], result=[1, 1, 5])
class ReplicationPad1D(_PadInOneMode, Pad1D):
    _only_mode = "replicate"


@member(_IN_ONE_MODE_DOC, what="its border", shape=[1, 1, 3, 3], result=[1, 1, 5, 5])
class ReplicationPad2D(_PadInOneMode, Pad2D):
    _only_mode = "replicate"


@member(_IN_ONE_MODE_DOC, what="its border", shape=[1, 1, 3, 3, 3], result=[1, 1, 5, 5, 5])
class ReplicationPad3D(_PadInOneMode, Pad3D):
    _only_mode = "replicate"


@member(_IN_ONE_MODE_DOC, what="its opposite side", shape=[1, 1, 3], result=[1, 1, 5])
class CircularPad1D(_PadInOneMode, Pad1D):
    _only_mode = "circular"


@member(_IN_ONE_MODE_DOC, what="its opposite side", shape=[1, 1, 3, 3], result=[1, 1, 5, 5])
class CircularPad2D(_PadInOneMode, Pad2D):
    _only_mode = "circular"


@member(_IN_ONE_MODE_DOC, what="its opposite side", shape=[1, 1, 3, 3, 3], result=[1, 1, 5, 5, 5])
class CircularPad3D(_PadInOneMode, Pad3D):
    _only_mode = "circular"
