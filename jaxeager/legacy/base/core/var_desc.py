"""VarDesc: the namespace of the kinds of variables, as in Paddle."""

from jaxeager.core import var_types


class VarDesc:
    """The namespace of VarType.

    Attributes:
        VarType: kinds of variables.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.base.core.VarDesc.VarType.FP32
        <VarType.FP32: 5>
    """

    VarType = var_types.VarType
