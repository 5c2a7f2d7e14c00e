"""OpShapes: the result of ``debug.shapes``, and its text."""

import re
from typing import NamedTuple

from jaxeager.debug.common.first_rows import first_lines

_MOST_ROWS = 60
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

    def __init__(self, rows: list[OpShape], inputs: dict[str, str], conditions: tuple[str, ...]):
        super().__init__(rows)
        self.inputs, self.conditions, self.refusal = inputs, conditions, ""

    def __str__(self) -> str:
        lines = [f"{name}: {shape}" for name, shape in self.inputs.items()]
        lines += ["", *self._table(), *self._sizes()]
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
        >>> size_text(symbolic_shape("2*floordiv(floordiv(h - 1, 2), 3) + mod(h, 2)")[0])
        '2*(((h - 1) // 2) // 3) + h % 2'
    """
    return with_operators(str(size))


_OPERATORS = {"floordiv": "//", "mod": "%"}


def with_operators(text: str, is_part: bool = False) -> str:
    """Return a text with sizes in which calls are operators.

    Args:
        text: JAX's text.
        is_part: whether it is an operand of an operator, which needs brackets around a sum.
    """
    found = re.search(r"\b(floordiv|mod)\(", text)
    if found is None:
        return f"({text})" if is_part and re.search(r"[ *]", text) else text
    end = _closing(text, found.end())
    first, second = _operands(text[found.end() : end])
    inner = f"{with_operators(first, True)} {_OPERATORS[found[1]]} {with_operators(second, True)}"
    before, after = text[: found.start()], text[end + 1 :]
    if is_part or before.endswith("*") or after.startswith(("*", "^")):
        inner = f"({inner})"
    if not before and not after:
        return inner
    return before + inner + with_operators(after)


def _closing(text: str, start: int) -> int:
    """Return the index of the bracket that closes the one before ``start``."""
    depth = 1
    for at in range(start, len(text)):
        depth += {"(": 1, ")": -1}.get(text[at], 0)
        if not depth:
            return at
    raise ValueError(f"the brackets of {text!r} do not close")


def _operands(text: str) -> tuple[str, str]:
    """Return the two operands of a call, which a comma divides."""
    depth = 0
    for at, letter in enumerate(text):
        depth += {"(": 1, ")": -1}.get(letter, 0)
        if letter == "," and not depth:
            return text[:at], text[at + 1 :].strip()
    raise ValueError(f"{text!r} has one operand")
