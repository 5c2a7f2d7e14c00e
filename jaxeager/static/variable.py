"""Variable: a tensor of a static graph; every Tensor counts as one."""

from __future__ import annotations

from jaxeager.errors import UnimplementedError
from jaxeager.tensor import Parameter as EagerParameter
from jaxeager.tensor import Tensor


class VariableMetaClass(type):
    """Makes ``isinstance`` return True for every Tensor, as in Paddle's dynamic graph."""

    def __instancecheck__(cls, instance: object) -> bool:
        return isinstance(instance, Tensor)


class ParameterMetaClass(VariableMetaClass):
    """Makes ``isinstance`` return True for every Parameter."""

    def __instancecheck__(cls, instance: object) -> bool:
        return isinstance(instance, EagerParameter)


class Variable(metaclass=VariableMetaClass):
    """A tensor of a static graph: none exist, but every Tensor counts as one.

    Raises:
        UnimplementedError: when one is created.

    Example:
        >>> import jaxeager as paddle
        >>> isinstance(paddle.ones([2]), paddle.static.Variable)
        True
    """

    def __init__(self, *args: object, **kwargs: object):
        raise UnimplementedError(
            "A Variable belongs to a static graph, and there are no static graphs; use "
            "paddle.to_tensor."
        )


class Parameter(Variable, metaclass=ParameterMetaClass):
    """A parameter of a static graph: none exist, but every Parameter counts as one.

    Raises:
        UnimplementedError: when one is created.

    Example:
        >>> import jaxeager as paddle
        >>> isinstance(paddle.nn.Linear(1, 1).weight, paddle.base.framework.Parameter)
        True
    """
