"""OpRow: one row is one op, and the registry from which everything else is derived.

``op(...)`` is called once per op, in the file of its family. From the row come the public function
(with the signature the forward kernel has), the Tensor method, the in-place twin, the GradNode and
its name, the VJP kernel for every set of wanted gradients, the row of the test table and the row
of the documentation.
"""

import inspect
import re
from collections.abc import Callable
from typing import Any

from jaxeager.errors import AlreadyExistsError
from jaxeager.ops import higher, kernels
from jaxeager.ops.attrs import KINDS, Scalar, Tensors
from jaxeager.ops.bad_operands import names_operands
from jaxeager.ops.keywords import keywords_of, take_keywords
from jaxeager.ops.view_steps import ViewRule


def DERIVED(*args, **kwargs):
    """Marks a row whose VJP is jax.vjp of its forward kernel over what it saves."""
    raise TypeError("DERIVED marks a rule that is derived; it is never called.")


def NONDIFF(*args, **kwargs):
    """Marks a row whose output has no gradient."""
    raise TypeError("NONDIFF marks an op without gradient; it is never called.")


class Operand:
    """One tensor input of an op.

    Attributes:
        name: its parameter name.
        slot: its position.
        is_list: whether it is a list of tensors.
        is_optional: whether None may stand for it.
        is_differentiable: whether gradients go to it.
    """

    __slots__ = ("is_differentiable", "is_list", "is_optional", "name", "slot")

    def __init__(self, name, slot, is_list, is_optional, is_differentiable):
        self.name = name
        self.slot = slot
        self.is_list = is_list
        self.is_optional = is_optional
        self.is_differentiable = is_differentiable


class OpRow:
    """Everything that is known about one op. ``op`` describes the fields it is built from."""

    promote: str | None
    broadcast: bool
    inplace: bool
    public: str | None
    public_names: tuple[str, ...]
    reference: str | Callable | None
    samples: Callable | None
    errors: Callable | None
    dtypes: tuple[str, ...]
    formula: str
    boundary: str
    doc: str
    example: str
    function: Callable
    moves_version: bool = True  # exponential_ alone does not, as in Paddle
    check: Callable | None = None
    inplace_function: Any  # a function, or None when the row has no in-place twin

    def __init__(self, name, forward, vjp, saves, shapes, outputs, hidden, nondiff, grad_name):
        self.name = name
        self.forward = forward
        self.vjp = vjp
        self.saves = tuple(saves.split())
        self.shapes = tuple(shapes.split())
        self.returns_list = outputs.endswith("[]")
        self.outputs = tuple(outputs.removesuffix("[]").split())
        self.hidden = tuple(hidden.split())
        self.grad_name = grad_name or _camel(name) + "GradNode"
        # Paddle's name of the op, where several rows share one
        self.api_name = _snake(_base_name(grad_name)) if grad_name else name
        self.is_differentiable = vjp is not NONDIFF
        self.is_derived = vjp is DERIVED
        self._read_signature(set(nondiff.split()))
        self._check_names()

    def _read_signature(self, nondiff: set[str]) -> None:
        """Finds operands, static attributes and scalars in the forward's parameters."""
        operands, attrs, scalars = [], {}, {}
        self.parameters = inspect.signature(self.forward).parameters
        for parameter in self.parameters.values():
            name, kind = parameter.name, parameter.annotation
            if parameter.kind is parameter.KEYWORD_ONLY:
                (scalars if kind is Scalar else attrs)[name] = parameter
                if kind is not Scalar and kind not in KINDS:
                    raise TypeError(f"Row {self.name}: attribute {name} has no kind, but {kind!r}.")
            else:
                is_optional = parameter.default is None
                differentiable = self.is_differentiable and name not in nondiff
                operands.append(
                    Operand(name, len(operands), kind is Tensors, is_optional, differentiable)
                )
        self.operands = tuple(operands)
        self.attrs = attrs
        self.scalars = scalars
        self.has_variants = bool(attrs or self.shapes or any(o.is_list for o in operands))
        self.has_optional = any(operand.is_optional for operand in operands)
        self.has_lists = any(operand.is_list for operand in operands)
        self.differentiable = tuple(o for o in operands if o.is_differentiable)
        self.slots = {operand.name: operand.slot for operand in operands}
        names = (*self.outputs, *self.hidden)
        self.output_slots = {name: slot for slot, name in enumerate(names)}
        self.forward_kernels: dict = {}
        self.record_kernels: dict = {} if self.hidden else self.forward_kernels
        self.vjp_kernels: dict = {}
        self.order = 1  # 2 for the VJP of a forward op, and so on: see ops/higher.py
        self.base_name = _base_name(self.grad_name)
        self.hidden_vjp: Callable | None = None
        self.is_hidden_derived = False
        self.view: ViewRule | None = None
        self.write_row: OpRow | None = None  # writes back what a view reads: ops/view_steps.py
        self.vjp_row: OpRow | None = None
        self.hidden_row: OpRow | None = None

    def _check_names(self) -> None:
        known = {operand.name for operand in self.operands} | set(self.outputs) | set(self.hidden)
        unknown = (set(self.saves) | set(self.shapes)) - known
        if unknown:
            raise TypeError(f"Row {self.name} saves {sorted(unknown)}, which it does not have.")

    input_avals = kernels.input_avals
    record_vjp = higher.record_vjp
    run_vjp_of_any = kernels.run_vjp

    def run_vjp(self, node, grads: list) -> tuple:
        """Runs the VJP kernel of a node; the first call binds what every later one goes to."""
        from jaxeager.ops.binding import bind_vjp

        self.run_vjp = bind_vjp(self)  # type: ignore[method-assign]
        return self.run_vjp(node, grads)

    def __repr__(self) -> str:
        return f"OpRow({self.name})"


ROWS: dict[str, OpRow] = {}
PUBLIC: dict[str, Callable] = {}  # paddle.<name>
FUNCTIONAL: dict[str, Callable] = {}  # paddle.nn.functional.<name>
METHODS: dict[str, Callable] = {}  # Tensor.<name>


def op(
    name: str,
    forward: Callable,
    *,
    vjp: Callable = DERIVED,
    saves: str = "",
    shapes: str = "",
    outputs: str = "out",
    hidden: str = "",
    hidden_vjp: Callable | None = None,
    nondiff: str = "",
    promote: str | None = None,
    broadcast: bool = False,
    inplace: bool = False,
    view: ViewRule | None = None,
    check: Callable | None = None,
    method: bool | None = None,
    public: str | None = "paddle",
    aliases: str = "",
    grad_name: str | None = None,
    public_name: str | None = None,
    reference: str | Callable | None = None,
    samples: Callable | None = None,
    errors: Callable | None = None,
    dtypes: str = "float32 float64 bfloat16",
    formula: str = "",
    boundary: str = "",
    doc: str = "",
    example: str = "",
) -> Callable:
    """Registers an op and returns its public function.

    Args:
        name: Paddle's name of the recorded op.
        forward: the kernel: positional parameters are tensor operands (arrays), keyword-only ones
            are attributes annotated with a kind of ops/attrs.py.
        vjp: the rule, a function of saved values, ``d<output>`` and attributes, all found by
            parameter name; DERIVED, or NONDIFF.
        saves: names of operands and outputs that backward keeps.
        shapes: names of operands of which backward keeps shape and dtype only.
        outputs: names of the outputs; ``"out[]"`` for one list.
        hidden: outputs after the visible ones that only backward sees.
        hidden_vjp: the rule of the hidden outputs, like ``vjp`` with ``d<hidden>``; DERIVED, or
            None when they are constants (a dropout mask). Gradients of gradients need it.
        nondiff: operands that never get a gradient.
        promote: "binary", "strict", "float" or None; see ops/promotion.py.
        broadcast: operands broadcast, so gradients are summed back to the operand's shape.
        inplace: whether ``<name>_`` exists, or an argument ``inplace``: see ops/keywords.py.
        view: given when the output shares the first operand's memory: how it is written back.
        check: looks at the values of integer operands before the kernel runs: given the row's name
            and the arrays, it raises for those that cannot be used.
        method: whether Tensor has it; by default when ``public`` is "paddle" or "both".
        public: "paddle", "functional", "both", or None for a row used by other functions only.
        aliases: further public names.
        grad_name: name of its GradNode when it is not the CamelCase of ``name``.
        public_name: the public name when it is not ``name``.
        reference: what the tests compare with: a dotted NumPy or SciPy name, or a function.
        samples: a function that yields Sample objects.
        errors: a function that yields BadInput objects.
        dtypes: dtypes the tests run.
        formula: the derivative, in words a reader of the docs understands.
        boundary: what the gradient is at kinks, ties, poles and ends of the domain, and what
            Paddle's is where it differs.
        doc: what it computes, in one sentence.
        example: an expression that shows it.

    Raises:
        AlreadyExistsError: when a row or a public name exists already.
    """
    if name in ROWS:
        raise AlreadyExistsError(f"There is a row named {name!r} already.")
    row = OpRow(name, forward, vjp, saves, shapes, outputs, hidden, nondiff, grad_name)
    row.promote, row.broadcast, row.inplace, row.view = promote, broadcast, inplace, view
    row.check = check
    row.hidden_vjp, row.is_hidden_derived = hidden_vjp, hidden_vjp is DERIVED
    row.reference, row.samples, row.errors = reference, samples, errors
    row.dtypes, row.formula, row.boundary = tuple(dtypes.split()), formula, boundary
    row.doc, row.example = doc, example
    row.public = public
    row.public_names = (public_name or name, *aliases.split())
    ROWS[name] = row
    _bind(row)
    _publish_row(row, public in ("paddle", "both") if method is None else method)
    return row.function


def _bind(row: OpRow) -> None:
    """Gives a row its functions."""
    from jaxeager.ops import binding

    row.function = binding.bind(row)
    row.inplace_function = binding.bind_inplace(row) if row.inplace else None


def _publish_row(row: OpRow, method: bool) -> None:
    """Puts a row's functions under its public names."""
    keywords = keywords_of(row.public_names[0], row.public)
    has_twin = row.inplace and not (keywords and keywords.inplace)
    for each in row.public_names:
        publish(each, row.function, row.public, method)
        if has_twin:
            publish(f"{each}_", row.inplace_function, row.public, method)


def publish(name: str, function: Callable, public: str | None, method: bool) -> None:
    """Puts a function under a public name: paddle, nn.functional, both, and Tensor's methods."""
    targets = {"paddle": [PUBLIC], "functional": [FUNCTIONAL], "both": [PUBLIC, FUNCTIONAL]}
    for table in targets.get(public, []) + ([METHODS] if method else []):
        if table.get(name, function) is not function:
            raise AlreadyExistsError(f"The public name {name!r} is taken already.")
        table[name] = function


def composite(
    name: str | None = None,
    *,
    public: str | None = "paddle",
    method: bool = True,
    aliases: str = "",
) -> Callable:
    """Decorates a public function that Paddle records as several ops, or as none.

    Args:
        name: its public name when it is not the function's own.
        public: "paddle", "functional", "both" or None, as in ``op``.
        method: whether Tensor has it.
        aliases: further public names.
    """

    def register(function):
        public_name = name or function.__name__
        keywords = keywords_of(public_name, public)
        if keywords is not None:
            function = take_keywords(function, keywords, public_name)
        else:
            function = names_operands(function, public_name)
        for each in (public_name, *aliases.split()):
            publish(each, function, public, method)
        return function

    return register


def _base_name(grad_name: str) -> str:
    """Returns what a node's name says of its op: "Tanh" of "TanhGradNode"."""
    return grad_name.removesuffix("Final").removesuffix("GradNode")


def _snake(name: str) -> str:
    """Returns the snake_case of a CamelCase name."""
    return re.sub("(?<!^)(?=[A-Z])", "_", name).lower()


def _camel(name: str) -> str:
    """Returns the CamelCase of a snake_case name, as Paddle writes its nodes."""
    return "".join(part[:1].upper() + part[1:] for part in name.split("_"))
