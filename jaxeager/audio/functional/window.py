"""get_window, which returns a window by name."""

from __future__ import annotations

from typing import TYPE_CHECKING

from jaxeager.errors import InvalidArgumentError
from jaxeager.ops.signal.windows import window_tensor, window_values

if TYPE_CHECKING:
    from jaxeager.tensor.tensor import Tensor

NEED_PARAMETERS = frozenset(("exponential", "gaussian", "kaiser"))


def get_window(
    window: str | tuple[str, float], win_length: int, fftbins: bool = True, dtype: str = "float64"
) -> Tensor:
    """Return a window by name.

    Args:
        window: "hamming", "hann", "bartlett", "nuttall", "triang", "bohman", "blackman", "cosine",
            "tukey" or "taylor"; or a tuple of name and parameters, for the last two and for
            "kaiser" (beta), "gaussian" (deviation), "exponential" (center, tau),
            "general_gaussian" (power, deviation), "general_cosine" (weights) and
            "general_hamming" (alpha). Their meaning is that of ``scipy.signal.windows``.
        win_length: number of elements.
        fftbins: True for a periodic window, for Fourier transforms; False for a symmetric one.
        dtype: element type.

    Returns:
        Tensor of shape [win_length].

    Raises:
        InvalidArgumentError: for an unknown name, invalid or missing parameters, or a length that
            is not an integer of 0 or more.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.audio.functional.get_window("cosine", 3, fftbins=False).round(3).tolist()
        [0.5, 1.0, 0.5]
    """
    name, *parameters = window if isinstance(window, tuple) else (window,)
    if name in NEED_PARAMETERS and not parameters:
        raise InvalidArgumentError(
            f"The '{name}' window needs one or more parameters -- pass a tuple."
        )
    values = window_values(name, tuple(parameters), win_length, fftbins)
    return window_tensor(values, dtype)
