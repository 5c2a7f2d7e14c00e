"""Registration of rows: the public functions of a row, and how its nodes run.

``op(...)`` is called once per op, in the file of its family. The row determines the public function
(with the signature of the forward kernel), the Tensor method, the in-place twin, the GradNode and
its name, the VJP kernel for every set of wanted gradients, the row of the test table and the row of
the documentation. ``composite`` publishes a function that is made of several ops.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from jaxeager.errors import AlreadyExistsError
from jaxeager.ops.call import kernels, signature
from jaxeager.ops.call.bad_operands import names_operands
from jaxeager.ops.call.gradient import vjp_kernel, vjp_of
from jaxeager.ops.call.keywords import keywords_of, take_keywords
from jaxeager.ops.derived import higher
from jaxeager.ops.row import DERIVED, ROWS, OpRow, ViewRule

if TYPE_CHECKING:
    from collections.abc import Callable

    from jaxeager.graph.node import GradNode
    from jaxeager.ops.call.types import Function, Gradients, Grads, Rule

PUBLIC: dict[str, Function] = {}  # paddle.<name>
FUNCTIONAL: dict[str, Function] = {}  # paddle.nn.functional.<name>
METHODS: dict[str, Function] = {}  # Tensor.<name>


class Op(OpRow):
    """A row with the methods that its GradNodes call: see graph/node.py."""

    input_avals = kernels.input_avals
    record_vjp = higher.record_vjp  # pyright: ignore[reportUnknownVariableType, reportUnknownMemberType]  # untyped yet

    def run_vjp(self, node: GradNode, grads: Grads) -> Gradients:
        """Run the VJP kernel of a node; the first call makes the function that later calls use."""
        self.run_vjp = vjp_of(self)  # type: ignore[method-assign]
        return self.run_vjp(node, grads)

    vjp_kernel = vjp_kernel


def op(
    name: str,
    forward: Rule,
    *,
    vjp: Rule = DERIVED,
    saves: str = "",
    shapes: str = "",
    outputs: str = "out",
    hidden: str = "",
    hidden_vjp: Rule | None = None,
    nondiff: str = "",
    promote: str | None = None,
    broadcast: bool = False,
    passes_on: bool = False,
    inplace: bool = False,
    moves_version: bool = True,
    view: ViewRule | None = None,
    check: Rule | None = None,
    host_on: str = "",
    method: bool | None = None,
    public: str | None = "paddle",
    aliases: str = "",
    grad_name: str | None = None,
    public_name: str | None = None,
    reference: str | Rule | None = None,
    samples: Rule | None = None,
    errors: Rule | None = None,
    dtypes: str = "float32 float64 bfloat16",
    formula: str = "",
    boundary: str = "",
    doc: str = "",
    example: str = "",
) -> Function:
    """Register an op and return its public function.

    Args:
        name: Paddle's name of the recorded op.
        forward: the kernel: positional parameters are tensor operands (arrays), keyword-only ones
            are attributes annotated with a kind of ops/rules/attrs.py.
        vjp: the rule, a function of saved values, ``d<output>`` and attributes, all found by
            parameter name; or DERIVED, or NONDIFF.
        saves: names of operands and outputs that backward keeps.
        shapes: names of operands of which backward keeps shape and dtype only.
        outputs: names of the outputs; ``"out[]"`` for one list.
        hidden: outputs after the visible ones that only backward sees.
        hidden_vjp: the rule of the hidden outputs, like ``vjp`` with ``d<hidden>``; DERIVED, or
            None when they are constants (a dropout mask). Gradients of gradients need it.
        nondiff: operands that never get a gradient.
        promote: "binary", "strict", "float" or None; see ops/rules/promotion.py.
        broadcast: operands broadcast, so gradients are summed back to the operand's shape.
        passes_on: every operand gets the output's gradient unchanged, except for sums over
            broadcast dimensions; without broadcasting no kernel copies it. The VJP depends on
            ``shapes``.
        inplace: whether ``<name>_`` exists, or an argument ``inplace``: see ops/call/keywords.py.
        moves_version: whether the in-place twin moves the version; that of exponential_ alone does
            not, as in Paddle.
        view: how the output is written back, for an output that shares the first operand's memory.
        check: a function of the row's name and the arrays that checks the values of integer
            operands before the kernel runs, and raises for those that cannot be used.
        host_on: the platforms whose compiler cannot make its kernels, which run on the host there.
        method: whether Tensor has it as a method; by default when ``public`` is "paddle" or "both".
        public: "paddle", "functional", "both", or None for a row used by other functions only.
        aliases: further public names.
        grad_name: name of its GradNode when it is not the CamelCase of ``name``.
        public_name: the public name when it is not ``name``.
        reference: a dotted NumPy or SciPy name, or a function, that the tests compare with.
        samples: a function that yields Sample objects.
        errors: a function that yields BadInput objects.
        dtypes: dtypes the tests run.
        formula: the derivative, as an expression that tests/ops/test_formulas.py computes, or in
            words if there is no expression.
        boundary: the gradient at kinks, ties, poles and ends of the domain, and Paddle's where it
            differs.
        doc: a sentence that states what the op computes.
        example: an expression that shows it.

    Raises:
        AlreadyExistsError: when a row or a public name exists already.
    """
    if name in ROWS:
        raise AlreadyExistsError(f"There is a row named {name!r} already.")
    row = ROWS[name] = Op(
        name=name,
        forward=forward,
        vjp=vjp,
        saves=tuple(saves.split()),
        shapes=tuple(shapes.split()),
        outputs=tuple(outputs.removesuffix("[]").split()),
        returns_list=outputs.endswith("[]"),
        hidden=tuple(hidden.split()),
        hidden_vjp=hidden_vjp,
        nondiff=frozenset(nondiff.split()),
        promote=promote,
        broadcast=broadcast,
        passes_on=passes_on,
        inplace=inplace,
        moves_version=moves_version,
        view=view,
        check=check,
        host_on=frozenset(host_on.split()),
        public=public,
        public_names=(public_name or name, *aliases.split()),
        grad_name=grad_name or "",
        reference=reference,
        samples=samples,
        errors=errors,
        dtypes=tuple(dtypes.split()),
        formula=formula,
        boundary=boundary,
        doc=doc,
        example=example,
    )
    row.function = signature.public_function(row)
    row.inplace_function = signature.inplace_function(row) if inplace else None
    _publish_row(row, public in ("paddle", "both") if method is None else method)
    return row.function


def _publish_row(row: OpRow, method: bool) -> None:
    """Publish a row's functions under its public names."""
    keywords = keywords_of(row.public_names[0], row.public)
    has_twin = row.inplace and not (keywords and keywords.inplace)
    for each in row.public_names:
        publish(each, row.function, row.public, method)
        if has_twin:
            publish(f"{each}_", row.inplace_function, row.public, method)


def publish(name: str, function: Function, public: str | None, method: bool) -> None:
    """Publish a function under a name: in paddle, nn.functional or both, and as a Tensor method."""
    targets = {"paddle": [PUBLIC], "functional": [FUNCTIONAL], "both": [PUBLIC, FUNCTIONAL]}
    for table in targets.get(public or "", []) + ([METHODS] if method else []):
        if table.get(name, function) is not function:
            raise AlreadyExistsError(f"The public name {name!r} is taken already.")
        table[name] = function


def composite(
    name: str | None = None,
    *,
    public: str | None = "paddle",
    method: bool = True,
    aliases: str = "",
) -> Callable[[Function], Function]:
    """Decorate a public function that Paddle records as several ops, or not at all.

    Args:
        name: its public name when it is not the function's own.
        public: "paddle", "functional", "both" or None, as in ``op``.
        method: whether Tensor has it.
        aliases: further public names.
    """

    def register(function: Function) -> Function:
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
