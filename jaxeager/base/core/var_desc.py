"""VarDesc: what holds the kinds of variables, as Paddle's does."""

from jaxeager.core import var_types


class VarDesc:
    """Holds VarType.

    Attributes:
        VarType: kinds of variables.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.base.core.VarDesc.VarType.FP32
        <VarType.FP32: 5>
    """

    VarType = var_types.VarType
