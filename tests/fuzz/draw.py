"""Turns templates into programs: a slot in braces becomes a drawn tensor, argument or word.

A template is the text of one or several statements, `;` between them. Its slots:

- `{x SHAPE DTYPE KIND}`: a new tensor with gradient (mostly), `{c ...}` one without, `{n ...}` one
  that an op made. SHAPE is a list such as `2,3`, several of them with `/` between, `0d`, `*` for
  any, `same` and `fit` for the shape of the last tensor and one that broadcasts with it. DTYPE is a
  dtype or one of the groups in `DTYPES`; KIND one of the kinds of `prelude.array`.
- `{one|another}`: one of the texts, each as likely; `{}` between bars is nothing.
- `{axis}`, `{axes}`, `{bool}`, `{dtype}`, `{int LOW HIGH}`, `{float LOW HIGH}`, `{shape}`: a value
  of that kind, an axis of the last tensor and rarely out of range.
"""

import ast
import random
import re

SHAPES = ([], [3], [2, 3], [2, 3], [2, 1, 3], [0, 3])
DTYPES = {
    "float": ("float32",) * 3 + ("float64",),
    "int": ("int32", "int64"),
    "real": ("float32", "float32", "float64", "int32", "int64"),
    "any": ("float32", "float64", "int32", "int64", "bool", "uint8", "int8", "int16", "complex64"),
    "complex": ("complex64", "complex128"),
    "half": ("float16", "bfloat16"),
}
VARIANTS = 4
ALL_DTYPES = "float32 float64 int32 int64 bool uint8 int8 int16 complex64".split()
SLOT = re.compile(r"\{([^{}]*)\}")
CHOSEN_SLOT = re.compile(r"([xcn] \S|x$|c$|n$|axis$|shape$|bool$)")


class Draw:
    """A program in the making.

    Attributes:
        number: the number of the text in the family.
        random: the source of every choice of the text.
        values: the source of the values of tensors: `VARIANTS` programs have the same calls, so
            that one's compiled kernels serve the others.
        lines: the statements so far.
        last: shape of the last tensor.
    """

    def __init__(self, family, seed):
        self.number = seed // VARIANTS
        self.random = random.Random(f"{family} {self.number}")
        self.values = random.Random(f"{family} {seed} values")
        self.lines = []
        self.last = []
        self.wants_grad = False
        self.count = 0
        self.dtypes = {}

    def program(self, template, gradient=True):
        """Add the statements of a template; `back` follows if a tensor requires a gradient."""
        outputs = []
        for part in template.split(";"):
            text = SLOT.sub(self._slot, part).strip()
            tree = ast.parse(text).body[0]
            if isinstance(tree, ast.Expr):
                outputs.append(f"y{len(outputs)}")
                text = f"{outputs[-1]} = {text}"
            elif isinstance(tree, ast.Assign) and ast.unparse(tree.targets[0]) == "out":
                outputs.append("out")
            self.lines.append(text)
        if self.wants_grad and gradient and outputs:
            self.lines.append(f"back({', '.join(outputs)})")
        return self.lines

    def choice(self, items):
        """Return one of the items."""
        return self.random.choice(items)

    def _slot(self, match):
        text = match[1]
        if "|" in text:
            text = self.choice(text.split("|"))
            if not CHOSEN_SLOT.match(text):
                return text
        word, *arguments = text.split(" ")
        return getattr(self, f"_slot_{word}")(*arguments)

    def _slot_x(self, shape="*", dtype="float", *kind):
        grad = self.random.random() < 0.75
        return self.tensor(shape, dtype, " ".join(kind), grad)

    def _slot_c(self, shape="*", dtype="float", *kind):
        return self.tensor(shape, dtype, " ".join(kind), False)

    def _slot_n(self, shape="*", dtype="float", *kind):
        made = self._slot_x(shape, dtype, *kind)
        self.lines.append(f"n{self.count} = paddle.assign({made})")
        return f"n{self.count}"

    def tensor(self, shape, dtype, kind, grad):
        """Add a line that makes a tensor, and return its name."""
        sizes = self._shape(shape)
        dtype = self._dtype(dtype)
        grad = grad and not ("int" in dtype or dtype == "bool")
        self.wants_grad |= grad
        self.last = sizes
        if not kind:
            kind = self.values.choice(("plain",) * 6 + ("ties", "ties", "special"))
        name = chr(ord("a") + self.count) if self.count < 26 else f"t{self.count}"
        self.count += 1
        text = f"{name} = t({self.values.randrange(100)}, {sizes}, {dtype!r}"
        if kind != "plain" or grad:
            text += f", {kind!r}" if kind != "plain" else ""
            text += ", grad=True" if grad else ""
        self.lines.append(f"{text})")
        return name

    def _dtype(self, group):
        """Return a dtype of a group: within a program the same for a group, mostly."""
        drawn = self.choice(DTYPES.get(group, (group,)))
        kept = self.dtypes.setdefault(group, drawn)
        return drawn if self.random.random() < 0.05 else kept

    def _shape(self, text):
        chosen = self.choice(text.split("/"))
        if chosen == "*":
            return list(self.choice(SHAPES))
        if chosen == "same":
            return list(self.last)
        if chosen == "fit":
            return self._fitting()
        return [] if chosen == "0d" else [int(size) for size in chosen.split(",")]

    def _fitting(self):
        """Return a shape that broadcasts with the last one (rarely not)."""
        if self.random.random() < 0.05:
            return list(self.choice(SHAPES))
        shape = [1 if self.random.random() < 0.25 else size for size in self.last]
        return shape[self.choice((0, 0, 0, 1)) :] if self.random.random() < 0.5 else shape

    def axis(self):
        """Return an axis of the last tensor, rarely one out of range."""
        rank = len(self.last)
        if self.random.random() < 0.04:
            return self.choice((rank, -rank - 1))
        return self.random.randrange(-rank, rank) if rank else self.choice((0, -1))

    def _slot_axis(self):
        return str(self.axis())

    def _slot_axes(self):
        rank = len(self.last)
        several = self.random.sample(range(rank), self.random.randint(0, rank))
        several = [axis - rank if self.random.random() < 0.3 else axis for axis in several]
        form = self.choice(("None", "axis", "axis", "list", "tuple"))
        return {"None": "None", "axis": str(self.axis()), "list": str(several)}.get(
            form, str(tuple(several))
        )

    def _slot_bool(self):
        return self.choice(("True", "False"))

    def _slot_dtype(self):
        return repr(self.choice(ALL_DTYPES))

    def _slot_int(self, low, high):
        return str(self.random.randint(int(low), int(high)))

    def _slot_float(self, low, high):
        return str(round(self.random.uniform(float(low), float(high)), 2))

    def _slot_shape(self):
        return str(self.choice(SHAPES))


def from_templates(templates):
    """Return a family's `program(draw)` that fills one of a list of templates."""
    lines = [line.strip() for line in templates.strip().splitlines() if line.strip()]

    def program(draw):
        return draw.program(draw.choice(lines))

    program.templates = lines
    return program
