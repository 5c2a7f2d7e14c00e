"""Paddle's names of the op that computes a gradient, and of the node of that op."""

# Ops whose gradient Paddle computes by calling another op, or the same one.
CALLED = {
    "assign": "assign", "cast": "cast", "div_scale": "div_scale", "flip": "flip", "scale": "scale",
    "split": "concat", "split_with_num": "concat", "unbind": "stack",
}  # fmt: skip
_NODES = {"_double_grad": "TripleGradNode", "_grad": "DoubleGradNode"}


def gradient_op(op: str) -> str:
    """Return the name of the op that computes the gradient of an op.

    Example:
        >>> gradient_op("pow"), gradient_op("pow_grad"), gradient_op("pow_double_grad")
        ('pow_grad', 'pow_double_grad', 'pow_triple_grad')
    """
    if op.endswith("_triple_grad") or not op.endswith("_grad"):
        return f"{op}_grad"
    if op.endswith("_double_grad"):
        return f"{op.removesuffix('_double_grad')}_triple_grad"
    return f"{op.removesuffix('_grad')}_double_grad"


def recorded_op(op: str) -> str:
    """Return the name under which the gradient of an op is recorded with ``create_graph``.

    Example:
        >>> recorded_op("pow"), recorded_op("scale"), recorded_op("split")
        ('pow_grad', 'scale', 'concat')
    """
    return CALLED.get(op) or gradient_op(op)


def base_of(op: str, base: str) -> str:
    """Return the beginning of the class names of a recorded gradient's nodes.

    Args:
        op: the result of ``recorded_op``.
        base: the beginning of the names for the op that is differentiated.

    Example:
        >>> base_of("pow_grad", "Pow"), base_of("concat", "Split")
        ('Pow', 'Concat')
    """
    if op in CALLED.values():
        return "".join(word.capitalize() for word in op.split("_"))
    return base


def gradient_node(op: str, base: str, order: int) -> str:
    """Return the class name of the node of a gradient that was recorded.

    Args:
        op: the result of ``recorded_op``.
        base: the result of ``base_of``.
        order: 2 for the gradient of a forward op, 3 for that of a gradient, and so on.

    Example:
        >>> gradient_node("pow_grad", "Pow", 2), gradient_node("concat", "Concat", 2)
        ('PowDoubleGradNode', 'ConcatGradNode')
    """
    if op in CALLED.values():
        return f"{base}GradNode"
    if op == "conv2d_grad":  # written by hand in Paddle, and named so
        return f"{base}DoubleGradNodeFinal"
    for end, name in _NODES.items():
        if op.endswith(end):
            return base + name
    return f"{base}Order{order}GradNode"
