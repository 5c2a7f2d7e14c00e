"""Windows, by which a piece of a signal is multiplied before a transform."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from jaxeager.core import dtypes
from jaxeager.errors import InvalidArgumentError
from jaxeager.kernels.size_limit import check_size
from jaxeager.ops.creation.creation import from_numpy
from jaxeager.ops.creation.placement import placed
from jaxeager.ops.register import composite

if TYPE_CHECKING:
    from jaxeager.core.types import DTypeLike
    from jaxeager.tensor.tensor import Tensor

WINDOWS = frozenset(
    "bartlett blackman bohman cosine exponential gaussian general_cosine general_gaussian "
    "general_hamming hamming hann kaiser nuttall taylor triang tukey".split()
)


def window_values(name: str, parameters: tuple, length: int, periodic: bool) -> np.ndarray:
    """Return the elements of SciPy's window of the given name: float64[length].

    Raises:
        InvalidArgumentError: for an unknown name, and parameters or a length that do not fit.
    """
    from scipy.signal import windows  # 0.3 s, and few programs need it

    if name not in WINDOWS:
        raise InvalidArgumentError(
            f"Unknown window type. It must be one of {', '.join(sorted(WINDOWS))}, but is {name!r}."
        )
    if isinstance(length, int) and length > 0:  # SciPy reports other errors
        check_size(f"The window {name}", (length,), np.float64)
    try:
        return getattr(windows, name)(length, *parameters, sym=not periodic)
    except (TypeError, ValueError) as error:
        raise InvalidArgumentError(
            f"There is no window {name!r} of length {length!r} with the parameters "
            f"{parameters!r}: {error}"
        ) from None


def window_tensor(values: np.ndarray, dtype, layout=None):
    """Return the elements of a window as a tensor, of the default dtype for None.

    Raises:
        InvalidArgumentError: for a dtype that is not floating, or another layout than "strided".
    """
    found = dtypes.to_numpy(dtypes.get_default_dtype() if dtype is None else dtype)
    if found not in dtypes.FLOATS:
        raise InvalidArgumentError(f"A window must have a floating dtype, not {found.name}.")
    if layout not in (None, "strided"):
        raise InvalidArgumentError(f"layout must be None or 'strided', but received {layout!r}.")
    return from_numpy(np.asarray(values).astype(found))


@composite(method=False)
@placed("device pin_memory requires_grad")
def hamming_window(
    window_length: int,
    periodic: bool = True,
    alpha: float = 0.54,
    beta: float = 0.46,
    *,
    dtype: DTypeLike | None = "float32",
    layout: str | None = None,
) -> Tensor:
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
    cosine = (0.54 - window_values("hamming", (), window_length, periodic)) / 0.46
    return window_tensor(alpha - beta * cosine, dtype, layout)


@composite(method=False)
@placed("device pin_memory requires_grad")
def hann_window(
    window_length: int,
    periodic: bool = True,
    *,
    dtype: DTypeLike | None = "float32",
    layout: str | None = None,
) -> Tensor:
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
    return window_tensor(window_values("hann", (), window_length, periodic), dtype, layout)


@composite(method=False)
@placed("device pin_memory requires_grad")
def kaiser_window(
    window_length: int,
    periodic: bool = True,
    beta: float = 12.0,
    *,
    dtype: DTypeLike | None = "float32",
    layout: str | None = None,
) -> Tensor:
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
    return window_tensor(window_values("kaiser", (beta,), window_length, periodic), dtype, layout)


@composite(method=False)
@placed("device pin_memory requires_grad")
def blackman_window(
    window_length: int,
    periodic: bool = True,
    *,
    dtype: DTypeLike | None = "float32",
    layout: str | None = None,
) -> Tensor:
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
    return window_tensor(window_values("blackman", (), window_length, periodic), dtype, layout)


@composite(method=False)
@placed("device pin_memory requires_grad")
def bartlett_window(
    window_length: int,
    periodic: bool = True,
    *,
    dtype: DTypeLike | None = "float32",
    layout: str | None = None,
) -> Tensor:
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
    return window_tensor(window_values("bartlett", (), window_length, periodic), dtype, layout)
