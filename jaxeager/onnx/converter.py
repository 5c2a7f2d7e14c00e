"""Converter: a program of JAX as nodes of an ONNX graph.

Note [From a program to ONNX]
    The program is a jaxpr. Each of its steps is converted by the function that ``STEPS`` has for
    its primitive, and each op of this library as a whole by the function that ``ROWS`` has for it
    (marks.py). What depends on constants only is computed while the file is written.

    A step that cannot be converted makes values that are ``Refused``; the error is raised when
    something that the file needs takes one of them. So random keys that an inference never draws
    from, and results that are not used, refuse nothing.

    Kernels that depend on the platform are those for any platform: a choice of a CPU's kernel
    would be a choice for the machine that writes the file.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

import jax
import jax.numpy as jnp
import numpy as np
from jax.extend.core import ClosedJaxpr, Literal

from jaxeager.core.size_comparisons import Undecided
from jaxeager.core.symbolic import has_symbols, is_symbolic
from jaxeager.errors import UnimplementedError
from jaxeager.onnx.graph_builder import GraphBuilder
from jaxeager.onnx.widening import narrowed, widened
from jaxeager.ops.conv import bilinear

if TYPE_CHECKING:
    from jax.core import Atom
    from jax.extend.core import JaxprEqn, Var


STEPS: dict[str, Callable] = {}
STEPS_OF_PROGRAMS: dict[str, Callable] = {}
ROWS: dict[str, Callable] = {}
_NOT_COMPUTED = frozenset(
    "call_hi_primitive custom_jvp_call custom_linear_solve custom_vjp_call platform_index".split()
)
_MOST_COMPUTED = 2**22  # bytes of a constant that is computed instead of its steps


class Refused(NamedTuple):
    """A value that no operator of ONNX computes.

    Attributes:
        reason: why.
    """

    reason: str


# What is known of a variable: its name in the graph, its numbers, or why it has none.
Value: TypeAlias = str | np.ndarray | Refused


class Step:
    """One step of a program, as the functions of ``STEPS`` get it.

    Attributes:
        converter: the Converter.
        builder: the graph to add nodes to.
        params: the parameters of JAX's primitive.
        shapes, dtypes: those of the operands.
        out_shapes, out_dtypes: those of the results.
    """

    def __init__(self, converter: Converter, eqn: JaxprEqn):
        self.converter, self.builder = converter, converter.builder
        self.eqn, self.params = eqn, eqn.params
        self.shapes: list[Any] = [getattr(each.aval, "shape", ()) for each in eqn.invars]
        self.dtypes: list[Any] = [getattr(each.aval, "dtype", None) for each in eqn.invars]
        self.out_shapes: list[Any] = [getattr(each.aval, "shape", ()) for each in eqn.outvars]
        self.out_dtypes: list[Any] = [getattr(each.aval, "dtype", None) for each in eqn.outvars]

    def known(self, position: int) -> np.ndarray | None:
        """Return the numbers of an operand that is a constant."""
        return self.converter.known(self.eqn.invars[position])


class RowCall:
    """A call of an op, as the functions of ``ROWS`` get it.

    Attributes:
        builder: the graph to add nodes to.
        name: that of the row.
        attrs: its attributes by name, the scalars among them; None where they are not given.
        operands: by name, the name in the graph, a list of them, or None.
        shapes, dtypes: those of each operand by name; None for one that is not given.
        x, shape, dtype: those of the first operand.
        out_shapes, out_dtypes: those of each result.
    """

    def __init__(self, converter: Converter, eqn: Any):
        row, count = eqn.params["row"], eqn.params["count"]
        self.builder, self.name = converter.builder, row.name
        given = eqn.invars[: len(eqn.invars) - count]
        values = jax.tree.unflatten(eqn.params["structure"], given)
        named = dict(zip((each.name for each in row.operands), values, strict=False))
        self.operands = {name: _each(converter.read, value) for name, value in named.items()}
        self.shapes = {name: _each(_shape_of, value) for name, value in named.items()}
        self.dtypes = {name: _each(_dtype_of, value) for name, value in named.items()}
        first = row.operands[0].name
        self.x, self.shape, self.dtype = (
            each[first] for each in (self.operands, self.shapes, self.dtypes)
        )
        self.attrs = dict(zip(row.attrs, eqn.params["attrs"], strict=True))
        scalars = zip(row.scalars, values[len(row.operands) :], strict=True)
        self.attrs.update({name: _number(converter, value) for name, value in scalars})
        self.out_shapes = [each.aval.shape for each in eqn.outvars]
        self.out_dtypes = [each.aval.dtype for each in eqn.outvars]

    def is_of(self, *names: str) -> bool:
        """Return whether the first operand is of one of some dtypes."""
        return np.dtype(self.dtype).name in names


class Computed(Exception):
    """Raised for a scalar of a call that is not a constant."""


def _each(function: Callable, value: object) -> Any:
    """Return a function of an operand, of each in a list; None for one that is not given."""
    if isinstance(value, (list, tuple)):
        return [function(each) for each in value]
    return None if value is None else function(value)


def _shape_of(variable: Any) -> tuple:
    return variable.aval.shape


def _dtype_of(variable: Any) -> np.dtype:
    return variable.aval.dtype


def _number(converter: Converter, variable: Atom | None) -> Any:
    """Return the value of a scalar, None if it is not given."""
    if variable is None:
        return None
    known = converter.known(variable)
    if known is None:
        raise Computed
    return known.item()


def step(*names: str) -> Callable[[Callable], Callable]:
    """Register a function that converts the steps of some primitives of JAX.

    It takes a Step and the name of each operand, and returns the name of the result, or a list of
    names. Constants, which become constants of the graph, may be among them.
    """

    def register(function: Callable) -> Callable:
        STEPS.update(dict.fromkeys(names, function))
        return function

    return register


def step_of_programs(name: str) -> Callable[[Callable], Callable]:
    """Register a function that converts the steps that contain programs.

    It takes a Step and its operands as values: names, constants or Refused.
    """

    def register(function: Callable) -> Callable:
        STEPS_OF_PROGRAMS[name] = function
        return function

    return register


def row(*names: str, dtypes: Sequence[str] = ()) -> Callable[[Callable], Callable]:
    """Register a function that converts calls of some ops of this library.

    It takes a RowCall and returns the name of the result, or a list; None where ONNX's operator
    does not do this, and the steps of the kernel are converted instead.

    Args:
        names: those of the rows.
        dtypes: those of the first operand that the operator takes; all by default.
    """

    def register(function: Callable) -> Callable:
        def convert(call: RowCall) -> str | list[str] | None:
            return function(call) if call.is_of(*dtypes) else None

        ROWS.update(dict.fromkeys(names, convert if dtypes else function))
        return function

    return register


def refused(what: str, why: str = "ONNX has no operator for that") -> UnimplementedError:
    """Return the error for something that cannot be converted."""
    return UnimplementedError(f"paddle.onnx.export: {what}, and {why}.")


class Converter:
    """Converts jaxprs into nodes of one graph.

    Attributes:
        builder: the graph.
    """

    def __init__(self, builder: GraphBuilder, outer: Converter | None = None):
        self.builder = builder
        self._values: dict[Var, Value] = {} if outer is None else dict(outer._values)
        self._made_by: dict[Var, JaxprEqn] = {} if outer is None else dict(outer._made_by)
        self._op = "" if outer is None else outer._op

    def run(self, program: ClosedJaxpr, operands: Sequence[Value]) -> list:
        """Add the nodes of a closed jaxpr; return its results: names, constants or Refused.

        Args:
            program: the closed jaxpr.
            operands: what it is given, for each of its arguments.
        """
        jaxpr = program.jaxpr
        self._values.update(zip(jaxpr.invars, operands, strict=True))
        self._values.update(zip(jaxpr.constvars, map(_constant, program.consts), strict=True))
        made_by = {variable: eqn for eqn in jaxpr.eqns for variable in eqn.outvars}
        self._made_by.update(made_by)
        marked = {
            id(made_by[variable])
            for eqn in jaxpr.eqns
            if eqn.primitive.name == "jaxeager_op"
            for variable in eqn.invars[-eqn.params["count"] :]
            if variable in made_by and eqn.params["row"].name in ROWS
        }
        for eqn in jaxpr.eqns:
            if eqn.primitive.name == "jaxeager_op":
                self._convert_op(eqn, made_by)
            elif id(eqn) not in marked:
                self._convert(eqn)
        return [self.value(variable) for variable in jaxpr.outvars]

    def value(self, variable: Atom) -> Value:
        """Return what is known of a variable: a name, its numbers, or that it is refused."""
        if isinstance(variable, Literal):
            return np.asarray(variable.val, getattr(variable.aval, "dtype", None))
        return self._values[variable]

    def _set(self, variables: Sequence[Any], values: Sequence[Value]) -> None:
        """Set the values of variables, and note the kinds of those that are named."""
        for variable, value in zip(variables, values, strict=True):
            self._values[variable] = value
            if isinstance(value, str) and hasattr(variable.aval, "shape"):
                self.builder.kinds[value] = variable.aval.dtype, variable.aval.shape

    def known(self, variable: Atom) -> np.ndarray | None:
        """Return the numbers of a variable that is a constant."""
        value = self.value(variable)
        return value if isinstance(value, np.ndarray) else None

    def read(self, variable: Atom) -> str:
        """Return the name of a variable in the graph.

        Raises:
            UnimplementedError: when no operator computes it.
        """
        return self.named(self.value(variable))

    def named(self, value: Value) -> str:
        """Return the name of a value in the graph; a constant gets one."""
        if isinstance(value, Refused):
            raise UnimplementedError(value.reason)
        return self.builder.constant(value) if isinstance(value, np.ndarray) else value

    def inner(self) -> Converter:
        """Return a Converter for a graph within a node, which can read this graph's values."""
        return Converter(GraphBuilder(self.builder), self)

    def _convert_op(self, eqn: JaxprEqn, made_by: dict) -> None:
        """Convert a mark: by the function for its row, or by the steps of its kernel."""
        row, results = eqn.params["row"], eqn.invars[-eqn.params["count"] :]
        outer, self._op = self._op, row.name
        convert = ROWS.get(row.name)
        try:
            made = None if convert is None else convert(RowCall(self, eqn))
        except (Computed, Undecided):  # a scalar, or an attribute of open size
            made = None
        except UnimplementedError as error:
            made = [Refused(error.message)] * len(results)
        if made is not None:
            made = [made] if isinstance(made, str) else made
            made = [*made, *[Refused(f"{row.name}: unused")] * (len(results) - len(made))]
            self._set(eqn.outvars, made)
        else:
            for maker in {id(made_by[v]): made_by[v] for v in results if v in made_by}.values():
                if convert is not None:
                    self._convert(maker)
            for variable, result in zip(eqn.outvars, results, strict=True):
                self._values[variable] = self.value(result)
        self._op = outer

    def _convert(self, eqn: JaxprEqn) -> None:
        """Convert one step."""
        operands = [self.value(each) for each in eqn.invars]
        made = _without_elements(eqn) or self._computed(eqn, operands)
        if made is None:
            try:
                made = self._nodes_of(eqn, operands)
            except UnimplementedError as error:
                made = [Refused(error.message)] * len(eqn.outvars)
        self._set(eqn.outvars, made)

    def _nodes_of(self, eqn: JaxprEqn, operands: list) -> Sequence[Value]:
        name = eqn.primitive.name
        inner = _inlined(eqn)
        if inner is not None:
            outer, self._op = self._op, self._op or eqn.params.get("name", "")
            made = self.run(inner, operands)
            self._op = outer
            return made
        if name in STEPS_OF_PROGRAMS:
            return STEPS_OF_PROGRAMS[name](Step(self, eqn), operands)
        tested = self._tested(eqn)
        if tested is not None:
            return [self.builder.cast(self.read(tested), "bool")]
        reason = next((each for each in operands if isinstance(each, Refused)), None)
        if reason is not None:
            return [reason] * len(eqn.outvars)
        convert = STEPS.get(name)
        if convert is None:
            raise refused(f"{self._op} needs {name}" if self._op else name)
        step = Step(self, eqn)
        made = convert(step, *widened(self.builder, step, [*map(self.named, operands)]))
        made = [made] if isinstance(made, (str, np.ndarray)) else made
        return narrowed(self.builder, step, made)

    def _tested(self, eqn: Any) -> Any:
        """Return x where a step is ``is_nonzero`` of floats: see Note [Subnormal numbers]."""
        for name, number in (("ne", 0), ("shift_left", 1)):
            if eqn is None or eqn.primitive.name != name:
                return None
            bits, operand = eqn.invars
            known = self.known(operand)
            if known is None or np.any(known != number) or isinstance(bits, Literal):
                return None
            eqn = self._made_by.get(bits)
        if eqn is None or eqn.primitive.name != "bitcast_convert_type":
            return None
        (x,) = eqn.invars
        return x if jnp.issubdtype(x.aval.dtype, jnp.floating) else None

    def _computed(self, eqn: JaxprEqn, operands: list) -> list | None:
        """Return the results of a step of constants alone; None where it has to be a node."""
        results: list[Any] = [each.aval for each in eqn.outvars]
        if not all(isinstance(each, np.ndarray) for each in operands) or eqn.effects:
            return None
        if any(not hasattr(r, "shape") or has_symbols(r.shape) for r in results):
            return None
        if _has_symbols(eqn.params) or eqn.primitive.name in _NOT_COMPUTED:
            return None
        if sum(r.size * r.dtype.itemsize for r in results) > _MOST_COMPUTED:
            return None
        if any(jnp.issubdtype(r.dtype, jax.dtypes.extended) for r in results):
            return None
        found = eqn.primitive.bind(*operands, **eqn.params)
        return [np.asarray(each) for each in (found if isinstance(found, list) else [found])]


def _without_elements(eqn: JaxprEqn) -> list | None:
    """Return the results of a step if none of them has an element."""
    avals: list[Any] = [each.aval for each in eqn.outvars]
    if not avals or not all(0 in getattr(aval, "shape", ()) for aval in avals):
        return None
    if any(has_symbols(aval.shape) for aval in avals):
        return None
    return [np.zeros(aval.shape, aval.dtype) for aval in avals]


def _constant(value: np.typing.ArrayLike) -> np.ndarray | Refused:
    """Return a constant of a program, which may be a random key."""
    try:
        return np.asarray(value)
    except TypeError:
        return Refused("paddle.onnx.export: random numbers have no place in an ONNX file.")


_INLINED = {
    "jit": "jaxpr", "pjit": "jaxpr", "closed_call": "call_jaxpr", "core_call": "call_jaxpr",
    "custom_jvp_call": "call_jaxpr", "custom_vjp_call": "call_jaxpr", "remat2": "jaxpr",
    "checkpoint": "jaxpr",
}  # fmt: skip


def _inlined(eqn: Any) -> ClosedJaxpr | None:
    """Return the program of a step that only calls one."""
    name, steps = eqn.primitive.name, None
    if name == "call_hi_primitive":  # of JAX from 0.12 on
        steps = eqn.params["_prim"].expand
    elif name in bilinear.STEPS:
        steps = partial(bilinear.STEPS[name], **eqn.params)
    if steps is not None:
        structs = [jax.ShapeDtypeStruct(v.aval.shape, v.aval.dtype) for v in eqn.invars]
        return jax.make_jaxpr(steps)(*structs)
    parameter = _INLINED.get(name)
    if parameter is None:
        return None
    program = eqn.params[parameter]
    return program if hasattr(program, "consts") else ClosedJaxpr(program, ())


def _has_symbols(value: Any) -> bool:
    """Return whether there is an open size among the parameters of a step."""
    if isinstance(value, dict):
        return any(map(_has_symbols, value.values()))
    if isinstance(value, (tuple, list)):
        return any(map(_has_symbols, value))
    if hasattr(value, "jaxpr") or hasattr(value, "eqns"):
        jaxpr = getattr(value, "jaxpr", value)
        return any(
            has_symbols(getattr(variable.aval, "shape", ())) or _has_symbols(eqn.params)
            for eqn in jaxpr.eqns
            for variable in (*eqn.invars, *eqn.outvars)
        )
    return is_symbolic(value)
