"""OpRow: one op as data. register.py makes the functions of a row.

A row defines what an op computes, its gradient, what backward keeps, and the inputs of its tests.
Its operands and attributes are read here, once, from the signature of its forward kernel.
"""

# ``field(default_factory=dict)`` has a partly unknown type.
# pyright: reportUnknownVariableType=false

from __future__ import annotations

import inspect
import re
from dataclasses import dataclass, field
from inspect import Parameter
from typing import TYPE_CHECKING, Any, NamedTuple, NoReturn

from jaxeager.kernels.tracing import on_first_wrap
from jaxeager.ops.rules.attrs import Scalar, Tensors, kind_of

if TYPE_CHECKING:
    from collections.abc import Hashable

    from jaxeager.ops.call.types import Attrs, Kernel, Rule
    from jaxeager.ops.rules.attrs import Kind


def DERIVED(*args: object, **kwargs: object) -> NoReturn:
    """Mark a row whose VJP is jax.vjp of its forward kernel over what it saves."""
    raise TypeError("DERIVED marks a rule that is derived; it is never called.")


def NONDIFF(*args: object, **kwargs: object) -> NoReturn:
    """Mark a row whose output has no gradient."""
    raise TypeError("NONDIFF marks an op without gradient; it is never called.")


@dataclass(frozen=True, slots=True)
class Operand:
    """One tensor input of an op.

    Attributes:
        name: its parameter name.
        slot: its position.
        is_list: whether it is a list of tensors.
        is_optional: whether it may be None.
        is_differentiable: whether it gets a gradient.
    """

    name: str
    slot: int
    is_list: bool
    is_optional: bool
    is_differentiable: bool


class ViewRule(NamedTuple):
    """The rule of a row whose output is a view.

    Attributes:
        write: maps ``(base, value, *other operands, **attributes)`` to base with the part that the
            row reads replaced by value; None for a scatter at the positions the row reads.
        covers: whether the row reads every element, so that only the shape of the base matters.
        overlaps: whether it may read an element several times; the last one written is kept.
        retypes: whether the elements are of another dtype.
        place: the row on a NumPy array without elements, whose strides describe where the view is
            in memory; returns None where it must be a copy. The row's reference by default.
        part: for a row with a list output: maps ``(shape, position, **attributes)`` to the row, the
            attributes and the other operands that read one output.
    """

    write: Rule | None = None
    covers: bool = False
    overlaps: bool = False
    retypes: bool = False
    place: Rule | None = None
    part: Rule | None = None


@dataclass(eq=False, repr=False)
class OpRow:
    """Everything that is known about one op. ``register.op`` documents the fields passed to it.

    Attributes:
        operands: its positional arguments; ``slots`` has their positions by name.
        attrs: its static attributes, each a parameter annotated with the function of its kind.
        scalars: its attributes that reach the kernel as 0-D arrays.
        parameters: all of these, in the order of the forward kernel.
        differentiable: the operands that get gradients.
        output_slots: the positions of the outputs by name, hidden ones included.
        has_lists: whether an operand is a list of tensors.
        has_optional: whether an operand may be None.
        has_variants: whether its VJP kernel depends on more than which gradients are wanted.
        order: 1; 2 for the VJP of a forward op, and so on (derived/higher.py).
        base_name: the op's part of the name of its node: "Tanh" of "TanhGradNode".
        api_name: Paddle's name of the op, where several rows share one.
        forward_kernels: jitted kernels by attributes, made on first use.
        record_kernels: those that return the hidden outputs as well.
        vjp_kernels: jitted VJP kernels, by the properties of a call that they depend on.
        vjp_row, hidden_row: the rows of its VJP (derived/higher.py), made on first use.
        write_row: the row that writes back what a view reads (derived/view_steps.py), made
            likewise.
        function: the public function; ``inplace_function`` its twin, or None.
    """

    name: str
    forward: Rule
    vjp: Rule
    saves: tuple[str, ...] = ()
    shapes: tuple[str, ...] = ()
    outputs: tuple[str, ...] = ("out",)
    returns_list: bool = False
    hidden: tuple[str, ...] = ()
    hidden_vjp: Rule | None = None
    nondiff: frozenset[str] = frozenset()
    promote: str | None = None
    broadcast: bool = False
    passes_on: bool = False
    inplace: bool = False
    moves_version: bool = True
    view: ViewRule | None = None
    check: Rule | None = None
    host_on: frozenset[str] = frozenset()
    public: str | None = None
    public_names: tuple[str, ...] = ()
    grad_name: str = ""
    base_name: str = ""
    api_name: str = ""
    order: int = 1
    reference: str | Rule | None = None
    samples: Rule | None = None
    errors: Rule | None = None
    dtypes: tuple[str, ...] = ()
    formula: str = ""
    boundary: str = ""
    doc: str = ""
    example: str = ""

    function: Any = field(init=False, default=None)
    inplace_function: Any = field(init=False, default=None)
    operands: tuple[Operand, ...] = field(init=False)
    attrs: dict[str, Parameter] = field(init=False, default_factory=dict)
    scalars: dict[str, Parameter] = field(init=False, default_factory=dict)
    forward_kernels: dict[Attrs, Kernel] = field(init=False, default_factory=dict)
    vjp_kernels: dict[Hashable, Kernel] = field(init=False, default_factory=dict)
    vjp_row: Any = field(init=False, default=None)
    hidden_row: Any = field(init=False, default=None)
    write_row: Any = field(init=False, default=None)

    def __post_init__(self) -> None:
        self.api_name = self.api_name or (
            _snake(_base_name(self.grad_name)) if self.grad_name else self.name
        )
        self.grad_name = self.grad_name or _camel(self.name) + "GradNode"
        self.base_name = self.base_name or _base_name(self.grad_name)
        self.is_differentiable = self.vjp is not NONDIFF
        self.is_derived = self.vjp is DERIVED
        self.is_hidden_derived = self.hidden_vjp is DERIVED
        self.record_kernels: dict[Attrs, Kernel] = {} if self.hidden else self.forward_kernels
        self.parameters = inspect.signature(self.forward).parameters
        self._read_parameters()
        self.differentiable = tuple(o for o in self.operands if o.is_differentiable)
        self.has_optional = any(operand.is_optional for operand in self.operands)
        self.has_lists = any(operand.is_list for operand in self.operands)
        self.has_variants = bool(self.attrs or self.shapes or self.has_lists)
        self.slots = {operand.name: operand.slot for operand in self.operands}
        names = (*self.outputs, *self.hidden)
        self.output_slots = {name: slot for slot, name in enumerate(names)}
        unknown = {*self.saves, *self.shapes} - {*self.slots, *names}
        if unknown:
            raise TypeError(f"Row {self.name} saves {sorted(unknown)}, which it does not have.")

    def _read_parameters(self) -> None:
        """Find operands, static attributes and scalars in the forward's parameters."""
        operands: list[Operand] = []
        for name, parameter in self.parameters.items():
            annotation = parameter.annotation
            if annotation is Scalar:
                self.scalars[name] = parameter
            elif parameter.kind is parameter.KEYWORD_ONLY:
                self.attrs[name] = parameter.replace(annotation=self._kind(name, annotation))
            else:
                is_optional = parameter.default is None
                is_reached = self.is_differentiable and name not in self.nondiff
                is_list = annotation is Tensors
                operands.append(Operand(name, len(operands), is_list, is_optional, is_reached))
        self.operands = tuple(operands)

    def _kind(self, name: str, annotation: object) -> Kind:
        kind = kind_of(annotation)
        if kind is None:
            raise TypeError(f"Row {self.name}: attribute {name} has no kind, but {annotation!r}.")
        return kind

    def __repr__(self) -> str:
        return f"OpRow({self.name})"


ROWS: dict[str, OpRow] = {}
"""The registered rows, by name."""


def _forget_kernels() -> None:
    """Forget the kernels that were made before lazy mode was first used."""
    rows: list[OpRow | None] = list(ROWS.values())
    while rows:
        row = rows.pop()
        if row is not None:
            for kernels in (row.forward_kernels, row.record_kernels, row.vjp_kernels):
                kernels.clear()
            rows += [row.vjp_row, row.hidden_row]


on_first_wrap.append(_forget_kernels)


def _base_name(grad_name: str) -> str:
    """Return the op's part of a node's name: "Tanh" of "TanhGradNode"."""
    return grad_name.removesuffix("Final").removesuffix("GradNode")


def _snake(name: str) -> str:
    """Return the snake_case of a CamelCase name."""
    return re.sub("(?<!^)(?=[A-Z])", "_", name).lower()


def _camel(name: str) -> str:
    """Return the CamelCase of a snake_case name, as Paddle writes its nodes."""
    return "".join(part[:1].upper() + part[1:] for part in name.split("_"))
