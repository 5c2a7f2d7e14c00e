"""Chi2: the sum of squares of normal draws."""

from __future__ import annotations

from typing import TYPE_CHECKING

import jaxeager as paddle
from jaxeager.distribution.gamma import Gamma
from jaxeager.ops.rules.domains import Domain, check_domain

if TYPE_CHECKING:
    from jaxeager.tensor.tensor import Tensor


class Chi2(Gamma):
    """The distribution of the sum of the squares of ``df`` standard normal draws.

    The host checks the values of ``df``, which waits for the device.

    Args:
        df: degrees of freedom, above 0; a float, a sequence, an array or a Tensor.

    Raises:
        InvalidArgumentError: when a value is not above 0.
        InvalidTypeError: for any other type, including int.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.distribution.Chi2(3.0).mean.item()
        3.0
    """

    def __init__(self, df: float | Tensor):
        if not self._validate_args(df):
            (df,) = self._to_tensor(df, dtype=paddle.get_default_dtype())
        self.df = df
        check_domain("The arg of `df`", df, Domain("must be positive", 0, above=True))
        super().__init__(df * 0.5, paddle.full_like(df, 0.5))  # type: ignore[arg-type]
