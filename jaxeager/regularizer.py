"""Weight decay as a penalty: its gradient is added to that of each parameter."""

from jaxeager.errors import InvalidTypeError


class WeightDecayRegularizer:
    """Base of L1Decay and L2Decay; optimizers read ``kind`` and ``_coeff``.

    Example:
        >>> import jaxeager as paddle
        >>> issubclass(paddle.regularizer.L2Decay, paddle.regularizer.WeightDecayRegularizer)
        True
    """

    kind = ""

    def __init__(self, coeff: float = 0.0):
        if not isinstance(coeff, (float, int)):
            raise InvalidTypeError(
                f"coeff must be a number, but is {coeff!r}, of type {type(coeff).__name__}."
            )
        self._coeff = coeff

    def __str__(self) -> str:
        return f"{type(self).__name__}, coeff={self._coeff:f}"

    def rule(self) -> tuple[str, float]:
        """Return (kind, coefficient), which determine the term added to a gradient."""
        return self.kind, float(self._coeff)


class L1Decay(WeightDecayRegularizer):
    """Adds ``coeff * sign(param)`` to each gradient, the gradient of ``coeff * sum(abs(param))``.

    Example:
        >>> import jaxeager as paddle
        >>> print(paddle.regularizer.L1Decay(0.25))
        L1Decay, coeff=0.250000
    """

    kind = "l1"


class L2Decay(WeightDecayRegularizer):
    """Adds ``coeff * param`` to each gradient, the gradient of ``coeff / 2 * sum(param ** 2)``.

    Example:
        >>> import jaxeager as paddle
        >>> print(paddle.regularizer.L2Decay(0.25))
        L2Decay, coeff=0.250000
    """

    kind = "l2"
