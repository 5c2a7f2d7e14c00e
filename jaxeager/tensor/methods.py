"""TableMethods: what Tensor has from the op table and from the operators."""


class TableMethods:
    """Base of Tensor. operators.py fills it; what Tensor defines itself goes before."""

    __slots__ = ()
