"""Power-average and fractional pooling layers, and unpooling."""

from jaxeager.nn import functional as F
from jaxeager.nn.layer.layer import Layer


class LPPool1D(Layer):
    """Takes ``(sum of x^p)^(1/p)`` of every window of sequences.

    Args:
        norm_type: p, not 0.
        kernel_size: size of the window.
        stride: step from window to window; the window's size when None.
        padding: an int, ints, pairs, "SAME" or "VALID".
        ceil_mode: round the output's size up instead of down.
        data_format: "NCL" or "NLC".
        name: has no effect.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.nn.LPPool1D(2, 2)(paddle.to_tensor([[[3.0, 4.0]]])).tolist()
        [[[5.0]]]
    """

    def __init__(
        self,
        norm_type,
        kernel_size,
        stride=None,
        padding=0,
        ceil_mode: bool = False,
        data_format: str = "NCL",
        name: str | None = None,
    ):
        super().__init__()
        self.norm_type, self.kernel_size = float(norm_type), kernel_size
        self.stride, self.padding = stride, padding
        self.ceil_mode, self.data_format, self.name = ceil_mode, data_format, name

    def forward(self, x):
        return F.lp_pool1d(
            x,
            self.norm_type,
            self.kernel_size,
            self.stride,
            self.padding,
            self.ceil_mode,
            self.data_format,
        )

    def extra_repr(self) -> str:
        return (
            f"norm_type={self.norm_type}, kernel_size={self.kernel_size}, stride={self.stride}, "
            f"padding={self.padding}"
        )


class LPPool2D(Layer):
    """Takes ``(sum of x^p)^(1/p)`` of every window of images.

    Args:
        norm_type: p, not 0.
        kernel_size: size of the window.
        stride: step from window to window; the window's size when None.
        padding: an int, ints, pairs, "SAME" or "VALID".
        ceil_mode: round the output's size up instead of down.
        data_format: "NCHW" or "NHWC".
        name: has no effect.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.nn.LPPool2D(2, [1, 2])(paddle.to_tensor([[[[3.0, 4.0]]]])).tolist()
        [[[[5.0]]]]
    """

    def __init__(
        self,
        norm_type,
        kernel_size,
        stride=None,
        padding=0,
        ceil_mode: bool = False,
        data_format: str = "NCHW",
        name: str | None = None,
    ):
        super().__init__()
        self.norm_type, self.ksize = float(norm_type), kernel_size
        self.stride, self.padding = kernel_size if stride is None else stride, padding
        self.ceil_mode, self.data_format, self.name = ceil_mode, data_format, name

    def forward(self, x):
        return F.lp_pool2d(
            x,
            self.norm_type,
            self.ksize,
            self.stride,
            self.padding,
            self.ceil_mode,
            self.data_format,
        )

    def extra_repr(self) -> str:
        return (
            f"norm_type={self.norm_type}, kernel_size={self.ksize}, stride={self.stride}, "
            f"padding={self.padding}"
        )


class _Fractional(Layer):
    """What the fractional pooling layers share."""

    def __init__(self, output_size, kernel_size, random_u, return_mask: bool, name):
        super().__init__()
        self._output_size, self._kernel_size = output_size, kernel_size
        self._random_u, self._return_mask, self._name = random_u, return_mask, name

    def extra_repr(self) -> str:
        return f"output_size={self._output_size}, return_mask={self._return_mask}"


class FractionalMaxPool2D(_Fractional):
    """Takes maxima of windows of images that a random number places.

    Args:
        output_size: an int, or one per dimension; None keeps that dimension.
        kernel_size: size of the windows, which then overlap; None for windows that touch.
        random_u: the number, in (0, 1); drawn at each call when None.
        return_mask: return the positions of the greatest elements too.
        name: has no effect.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.nn.FractionalMaxPool2D(2)(paddle.ones([1, 1, 5, 5])).shape
        [1, 1, 2, 2]
    """

    def __init__(
        self,
        output_size,
        kernel_size=None,
        random_u: float | None = None,
        return_mask: bool = False,
        name: str | None = None,
    ):
        super().__init__(output_size, kernel_size, random_u, return_mask, name)

    def forward(self, x):
        return F.fractional_max_pool2d(
            x, self._output_size, self._kernel_size, self._random_u, self._return_mask
        )


class FractionalMaxPool3D(_Fractional):
    """Takes maxima of windows of volumes that a random number places.

    Args:
        output_size: an int, or one per dimension; None keeps that dimension.
        kernel_size: size of the windows, which then overlap; None for windows that touch.
        random_u: the number, in (0, 1); drawn at each call when None.
        return_mask: return the positions of the greatest elements too.
        name: has no effect.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.nn.FractionalMaxPool3D(2)(paddle.ones([1, 1, 5, 5, 5])).shape
        [1, 1, 2, 2, 2]
    """

    def __init__(
        self,
        output_size,
        kernel_size=None,
        random_u: float | None = None,
        return_mask: bool = False,
        name: str | None = None,
    ):
        super().__init__(output_size, kernel_size, random_u, return_mask, name)

    def forward(self, x):
        return F.fractional_max_pool3d(
            x, self._output_size, self._kernel_size, self._random_u, self._return_mask
        )


class _MaxUnPool(Layer):
    """What the unpooling layers share."""

    def __init__(self, kernel_size, stride, padding, data_format, output_size, name):
        super().__init__()
        self.ksize, self.stride, self.padding = kernel_size, stride, padding
        self.data_format, self.output_size, self.name = data_format, output_size, name

    def _unpool(self, function, x, indices, output_size):
        return function(
            x,
            indices,
            self.ksize,
            self.stride,
            self.padding,
            self.data_format,
            output_size or self.output_size,
        )

    def extra_repr(self) -> str:
        return f"output_size={self.output_size}"


class MaxUnPool1D(_MaxUnPool):
    """Puts what MaxPool1D chose back where it was, zeros elsewhere.

    Args:
        kernel_size: the pooling's window.
        stride: the pooling's stride; the window's size when None.
        padding: the pooling's padding.
        data_format: "NCL".
        output_size: the size of the result, unless a call names one; the smallest possible when
            None.
        name: has no effect.

    Example:
        >>> import jaxeager as paddle
        >>> pool = paddle.nn.MaxPool1D(2, return_mask=True)
        >>> x = paddle.to_tensor([[[1.0, 3.0, 2.0, 0.0]]])
        >>> paddle.nn.MaxUnPool1D(2)(*pool(x)).tolist()
        [[[0.0, 3.0, 2.0, 0.0]]]
    """

    def __init__(
        self,
        kernel_size,
        stride=None,
        padding=0,
        data_format: str = "NCL",
        output_size=None,
        name: str | None = None,
    ):
        super().__init__(kernel_size, stride, padding, data_format, output_size, name)

    def forward(self, x, indices, output_size=None):
        return self._unpool(F.max_unpool1d, x, indices, output_size)


class MaxUnPool2D(_MaxUnPool):
    """Puts what MaxPool2D chose back where it was, zeros elsewhere.

    Args:
        kernel_size: the pooling's window.
        stride: the pooling's stride; the window's size when None.
        padding: the pooling's padding.
        data_format: "NCHW".
        output_size: the size of the result, unless a call names one; the smallest possible when
            None.
        name: has no effect.

    Example:
        >>> import jaxeager as paddle
        >>> pool = paddle.nn.MaxPool2D(2, return_mask=True)
        >>> x = paddle.to_tensor([[[[1.0, 3.0], [2.0, 0.0]]]])
        >>> paddle.nn.MaxUnPool2D(2)(*pool(x)).tolist()
        [[[[0.0, 3.0], [0.0, 0.0]]]]
    """

    def __init__(
        self,
        kernel_size,
        stride=None,
        padding=0,
        data_format: str = "NCHW",
        output_size=None,
        name: str | None = None,
    ):
        super().__init__(kernel_size, stride, padding, data_format, output_size, name)

    def forward(self, x, indices, output_size=None):
        return self._unpool(F.max_unpool2d, x, indices, output_size)


class MaxUnPool3D(_MaxUnPool):
    """Puts what MaxPool3D chose back where it was, zeros elsewhere.

    Args:
        kernel_size: the pooling's window.
        stride: the pooling's stride; the window's size when None.
        padding: the pooling's padding.
        data_format: "NCDHW".
        output_size: the size of the result, unless a call names one; the smallest possible when
            None.
        name: has no effect.

    Example:
        >>> import jaxeager as paddle
        >>> pool = paddle.nn.MaxPool3D(2, return_mask=True)
        >>> paddle.nn.MaxUnPool3D(2)(*pool(paddle.ones([1, 1, 2, 2, 2]))).sum().item()
        1.0
    """

    def __init__(
        self,
        kernel_size,
        stride=None,
        padding=0,
        data_format: str = "NCDHW",
        output_size=None,
        name: str | None = None,
    ):
        super().__init__(kernel_size, stride, padding, data_format, output_size, name)

    def forward(self, x, indices, output_size=None):
        return self._unpool(F.max_unpool3d, x, indices, output_size)
