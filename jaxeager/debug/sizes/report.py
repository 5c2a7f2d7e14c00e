"""OpShapes: the result of ``debug.shapes``, and its text."""

import ast
import re
from typing import ClassVar, NamedTuple

from jaxeager.debug.common.first_rows import first_lines

_MOST_ROWS = 60
_NAME = re.compile(r"[^\W\d]\w*")  # a size in a formula
_WIDEST = 60  # characters of a column; what is longer moves the next column


class OpShape(NamedTuple):
    """The shapes of one op.

    Attributes:
        op: the name of the op.
        layer: the path and the class of the Layer that called it, "conv1 (Conv2D)".
        line: the program's line.
        inputs: the shapes of its tensors, as text: "[batch, 3, size2]".
        outputs: the shapes of its results.
        new: the sizes that no input and no earlier op has.
    """

    op: str
    layer: str
    line: str
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    new: tuple[str, ...]


class OpShapes(list):
    """The OpShape of each op of a forward, in order; its text is a table.

    Attributes:
        inputs: the shapes of the network's inputs, by name.
        conditions: what the network needs of its sizes: "size2 >= 7".
        refusal: why the network does not work with unknown sizes, with the line; "" when it does.
            Then the ops are those before that line.
    """

    def __init__(
        self,
        rows: list[OpShape],
        inputs: dict[str, str],
        conditions: tuple[str, ...],
        refusal: str,
    ):
        super().__init__(rows)
        self.inputs, self.conditions, self.refusal = inputs, conditions, refusal

    @property
    def compiled_again(self) -> dict[str, list[OpShape]]:
        """Return, for each unknown size of the inputs, the ops that a new value compiles again.

        XLA compiles for shapes: these are the ops that take or make a tensor whose shape depends on
        the size. With ``to_static`` the program as a whole is compiled again.

        Example:
            >>> import jaxeager as paddle
            >>> spec = paddle.static.InputSpec([None, None], "float32")
            >>> found = paddle.debug.shapes(lambda x: (x * 2).sum(1).exp(), spec)
            >>> {size: [each.op for each in ops] for size, ops in found.compiled_again.items()}
            {'batch': ['scale', 'sum', 'exp'], 'size1': ['scale', 'sum']}
        """
        sizes = [size for shape in self.inputs.values() for size in _NAME.findall(shape)]
        parts = [set(_NAME.findall(" ".join([*each.inputs, *each.outputs]))) for each in self]
        return {
            size: [each for each, names in zip(self, parts, strict=True) if size in names]
            for size in dict.fromkeys(sizes)
        }

    def __str__(self) -> str:
        lines = [f"{name}: {shape}" for name, shape in self.inputs.items()]
        lines += ["", *self._table(), *self._sizes(), *self._compiled_again()]
        if self.conditions:
            lines += ["", "It works for " + " and ".join(self.conditions)]
        if self.refusal:
            lines += ["", f"It does not work with unknown sizes: {self.refusal}"]
        return "\n".join(lines)

    def _table(self) -> list[str]:
        """Return the lines of the ops."""
        head = "layer", "op", "result", "at"
        rows = [(each.layer, each.op, ", ".join(each.outputs), each.line) for each in self]
        columns = list(zip(head, *rows[:_MOST_ROWS], strict=True))[:-1]
        widths = [min(_WIDEST, max(map(len, column))) for column in columns]

        def line_of(row: tuple[str, ...]) -> str:
            *cells, last = row
            padded = [cell.ljust(width) for cell, width in zip(cells, widths, strict=True)]
            return "  ".join([*padded, last]).rstrip()

        return [line_of(head), *first_lines(rows, _MOST_ROWS, line_of, "ops")]

    def _sizes(self) -> list[str]:
        """Return the lines that say which op each new size comes from."""
        came = [(size, each) for each in self for size in each.new]
        if not came:
            return []
        width = min(_WIDEST, max(len(size) for size, _ in came))
        lines = [
            f"{size.ljust(width)}  {each.op} of {each.layer or 'the function'} at {each.line}"
            for size, each in came
        ]
        return ["", "Sizes that ops compute from those of the inputs", *lines]

    def _compiled_again(self) -> list[str]:
        """Return the lines that say which ops a new value of each size compiles again."""
        found = {size: ops for size, ops in self.compiled_again.items() if ops}
        if not found:
            return []
        width = max(map(len, found))
        lines = []
        for size, ops in found.items():
            first, last = [f"{each.op} at {each.line}" for each in (ops[0], ops[-1])]
            reach = f"from {first} to {last}" if len(ops) > 1 else first
            lines.append(f"{size.ljust(width)}  {len(ops)} of {len(self)}: {reach}")
        return ["", "Ops that a new value of a size compiles again", *lines]


def shape_text(shape) -> str:
    """Return a shape as text, with Python's operators.

    Example:
        >>> from jax.export import symbolic_shape
        >>> shape_text(symbolic_shape("batch, 3, floordiv(size2 + 1, 2)"))
        '[batch, 3, (size2 + 1) // 2]'
    """
    return f"[{', '.join(map(size_text, shape))}]"


def size_text(size) -> str:
    """Return a size as text: JAX writes ``floordiv(a, b)`` and ``mod(a, b)``.

    Example:
        >>> from jax.export import symbolic_shape
        >>> size_text(symbolic_shape("2*floordiv(floordiv(h - 1, 2) + 1, 3) + mod(h, 2)")[0])
        '2 * (((h - 1) // 2 + 1) // 3) + h % 2'
    """
    return with_operators(str(size))


def with_operators(text: str) -> str:
    """Return an expression of sizes, or a comparison of two, in Python's notation."""
    return ast.unparse(_Operators().visit(ast.parse(text.replace("^", "**"), mode="eval")))


class _Operators(ast.NodeTransformer):
    """Replaces the calls for which Python has operators."""

    _operators: ClassVar = {"floordiv": ast.FloorDiv, "mod": ast.Mod}

    def visit_Call(self, node: ast.Call) -> ast.expr:
        """Return a call, or the operation that it represents."""
        self.generic_visit(node)
        operator = self._operators.get(getattr(node.func, "id", ""))
        return node if operator is None else ast.BinOp(node.args[0], operator(), node.args[1])
