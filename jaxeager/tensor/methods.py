"""TableMethods: Tensor's methods from the op table and from the operators."""


class TableMethods:
    """A base of Tensor, filled by operators.py; Tensor's own definitions take precedence."""

    __slots__ = ()
