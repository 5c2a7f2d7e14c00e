"""Layers that resize sequences, images and volumes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from jaxeager.nn import functional as F
from jaxeager.nn.layer.common import name_text
from jaxeager.nn.layer.layer import Layer

if TYPE_CHECKING:
    from jaxeager.core.types import ShapeLike
    from jaxeager.tensor.tensor import Tensor


class _Resize(Layer):
    """Base of the upsampling layers: their repr."""

    size: ShapeLike | None
    scale_factor: ShapeLike | float | None
    data_format: str | None
    name: str | None

    def _first(self) -> str:
        if self.scale_factor is not None:
            return f"scale_factor={self.scale_factor}"
        return f"size={self.size}"

    def extra_repr(self) -> str:
        return f"{self._first()}, data_format={self.data_format}{name_text(self.name)}"


class Upsample(_Resize):
    """Layer that resizes sequences, images or volumes.

    Args:
        size: the spatial sizes of the result; or pass scale_factor.
        scale_factor: factor of the sizes.
        mode: "nearest", "linear", "bilinear", "trilinear", "bicubic" or "area".
        align_corners: keep the centers of the outermost elements aligned.
        align_mode: 0 to measure from centers, 1 from lower edges.
        data_format: "NCW", "NWC", "NCHW", "NHWC", "NCDHW" or "NDHWC"; channels first if None.
        recompute_scale_factor: recompute the factor from the rounded sizes.
        name: shown by repr.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.nn.Upsample(scale_factor=2)(paddle.ones([1, 1, 2, 3])).shape
        paddle.Size([1, 1, 4, 6])
    """

    def __init__(
        self,
        size: ShapeLike | None = None,
        scale_factor: ShapeLike | float | None = None,
        mode: str = "nearest",
        align_corners: bool = False,
        align_mode: int = 0,
        data_format: str | None = None,
        recompute_scale_factor: bool | None = None,
        name: str | None = None,
    ):
        super().__init__()
        self.size, self.scale_factor, self.mode = size, scale_factor, mode.lower()
        self.align_corners, self.align_mode = align_corners, align_mode
        self.data_format, self.name = data_format, name
        self.recompute_scale_factor = recompute_scale_factor

    def forward(self, x: Tensor) -> Tensor:
        return F.interpolate(
            x,
            size=self.size,
            scale_factor=self.scale_factor,
            mode=self.mode,
            align_corners=self.align_corners,
            align_mode=self.align_mode,
            data_format=self.data_format,
            recompute_scale_factor=self.recompute_scale_factor,
        )

    def extra_repr(self) -> str:
        return (
            f"{self._first()}, mode={self.mode}, align_corners={self.align_corners}, "
            f"align_mode={self.align_mode}, data_format={self.data_format}{name_text(self.name)}"
        )


class UpsamplingNearest2D(_Resize):
    """Layer that resizes images by nearest-neighbor interpolation.

    Args:
        size: height and width of the result, or one number for both; or pass scale_factor.
        scale_factor: factor of the sizes.
        data_format: "NCHW" or "NHWC".
        name: shown by repr.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.nn.UpsamplingNearest2D(scale_factor=2)(paddle.ones([1, 1, 2, 3])).shape
        paddle.Size([1, 1, 4, 6])
    """

    def __init__(
        self,
        size: ShapeLike | None = None,
        scale_factor: ShapeLike | float | None = None,
        data_format: str = "NCHW",
        name: str | None = None,
    ):
        super().__init__()
        self.size, self.scale_factor = [size, size] if isinstance(size, int) else size, scale_factor
        self.data_format, self.name = data_format, name

    def forward(self, x: Tensor) -> Tensor:
        return F.interpolate(
            x, self.size, self.scale_factor, mode="nearest", data_format=self.data_format
        )


class UpsamplingBilinear2D(_Resize):
    """Layer that resizes images by bilinear interpolation with aligned corners.

    Args:
        size: height and width of the result, or one number for both; or pass scale_factor.
        scale_factor: factor of the sizes.
        data_format: "NCHW" or "NHWC".
        name: shown by repr.

    Example:
        >>> import jaxeager as paddle
        >>> x = paddle.to_tensor([[[[1.0, 2.0]]]])
        >>> paddle.nn.UpsamplingBilinear2D(size=[1, 3])(x).tolist()
        [[[[1.0, 1.5, 2.0]]]]
    """

    def __init__(
        self,
        size: ShapeLike | None = None,
        scale_factor: ShapeLike | float | None = None,
        data_format: str = "NCHW",
        name: str | None = None,
    ):
        super().__init__()
        self.size, self.scale_factor = [size, size] if isinstance(size, int) else size, scale_factor
        self.data_format, self.name = data_format, name

    def forward(self, x: Tensor) -> Tensor:
        return F.interpolate(
            x,
            self.size,
            self.scale_factor,
            mode="bilinear",
            align_corners=True,
            data_format=self.data_format,
        )
