"""The graph of a saved program: its ops, with their operands and results.

Note [Graphs of programs]
    A program of ``jit.save`` calls a function for each kernel of an op (``call @conv2d``), because
    JAX keeps jitted functions separate; so its outermost function reads like the Layer's forward.
    Those calls are the nodes here, with the attributes of their inner steps. A step of StableHLO
    between them is a node too, unless it only makes a constant. Steps that compute open sizes, or
    choose a platform, are left out.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field

import jax
import numpy as np
from jax.export import Exported
from jax.extend import mlir
from jax.extend.mlir import ir
from jax.extend.mlir.dialects import chlo, sdy, stablehlo

from jaxeager.errors import InvalidArgumentError
from jaxeager.jit.saved_model.files import Method

_NUMBERED = re.compile(r"_\d+$")  # @relu_6: the seventh function of that name
_WRAPPED = "_wrapped_jax_export_main"
# Steps whose attributes describe an op: windows, strides, contracted axes. The first of these
# inside an op is used.
_TELLING = ("convolution", "reduce_window", "dot_general")
_SHOWN_NUMBERS = 16  # of a constant


@dataclass(eq=False, slots=True)
class Value:
    """A tensor of a program.

    Attributes:
        name: that of an input or weight; the number of the node for a computed value.
        kind: "input", "weight", "key", "constant" or "made".
        dtype: its dtype's name.
        shape: its sizes; a text for an unknown one.
        text: of a constant, its numbers.
    """

    name: str
    kind: str
    dtype: str
    shape: tuple
    text: str = ""

    @property
    def bytes(self) -> int | None:
        """Return its size in memory; None where a size is unknown."""
        if not all(isinstance(size, int) for size in self.shape):
            return None
        return math.prod(self.shape) * np.dtype(jax.numpy.dtype(self.dtype)).itemsize

    @property
    def described(self) -> str:
        """Return its dtype and shape: "float32[batch, 10]"."""
        return f"{self.dtype}[{', '.join(map(str, self.shape))}]"


@dataclass(eq=False, slots=True)
class Node:
    """An op of a program.

    Attributes:
        op: the name of the kernel, or of the step of StableHLO.
        takes: the Values it takes.
        gives: the Values it makes.
        attributes: windows, strides and axes of the inner steps, as text by name.
        inside: the counts of inner steps, by kind.
    """

    op: str
    takes: list[Value]
    gives: list[Value]
    attributes: dict[str, str] = field(default_factory=dict)
    inside: Counter = field(default_factory=Counter)

    @property
    def layer(self) -> str:
        """Return the Layer of its weights: "features.0"; "" when it takes none."""
        found = {each.name.rpartition(".")[0] for each in self.takes if each.kind == "weight"}
        return found.pop() if len(found) == 1 else ""


@dataclass(slots=True)
class ProgramGraph:
    """The ops of one method, in an order in which they can run.

    Attributes:
        name: that of the method.
        inputs, outputs: Values.
        weights: the used ones.
        nodes: the ops.
        gradients: of a derivative, what each output is the gradient of.
    """

    name: str
    inputs: list[Value]
    outputs: list[Value]
    weights: list[Value]
    nodes: list[Node]
    gradients: list[str] = field(default_factory=list)


def graph_of(method: Method) -> ProgramGraph:
    """Return the graph of a saved method: see Note [Graphs of programs].

    Raises:
        InvalidArgumentError: when the program is not in the form of ``jit.save``.
    """
    program, given = method.program, _arguments(method)
    nodes, outputs = _nodes_and_outputs(method.name, program, given)
    graph = _graph(method.name, given, nodes, outputs)
    for value, aval in zip(outputs, program.out_avals, strict=True):
        if value.kind == "made":
            value.shape = _sizes(aval.shape)  # with the names of open sizes
    return graph


def derivative_of(method: Method) -> ProgramGraph:
    """Return the graph of a saved method's derivative, which is in its file as well.

    It computes the outputs again, and from their gradients those of the inputs and weights. An op
    that depends on a gradient has the name of its op with ``_grad``.

    Raises:
        InvalidArgumentError: when the method has no derivative, or another form.
    """
    if not method.program.has_vjp():
        raise InvalidArgumentError(
            f"The program {method.name} was saved without a derivative: a step of it has none, or "
            "none for unknown sizes."
        )
    program, arguments = method.program.vjp(), _arguments(method)
    count = len(method.program.out_avals)
    given = [
        _given("gradient" if count == 1 else f"gradient of output {place}", "input", aval)
        for place, aval in enumerate(method.program.out_avals)
    ]
    name = f"{method.name}.backward"
    nodes, outputs = _nodes_and_outputs(name, program, [*arguments, *given])
    pairs = zip(arguments, outputs, program.out_avals, strict=True)
    found = [
        (argument.name, output)
        for argument, output, aval in pairs
        if output.kind == "made" and aval.dtype != jax.dtypes.float0
    ]
    graph = _graph(name, [*arguments, *given], nodes, [output for _, output in found])
    graph.gradients = [argument for argument, _ in found]
    _name_gradients(graph.nodes, given)
    return graph


def _name_gradients(nodes: list[Node], given: list[Value]) -> None:
    """Add ``_grad`` to the names of the nodes that depend on the given gradients."""
    reached = {id(value) for value in given}
    for node in nodes:
        if any(id(value) in reached for value in node.takes):
            node.op += "_grad"
            reached.update(id(value) for value in node.gives)


def _nodes_and_outputs(
    name: str, program: Exported, given: list[Value]
) -> tuple[list[Node], list[Value]]:
    try:
        return _read(program, given)
    except (KeyError, IndexError, TypeError, ValueError) as error:
        raise InvalidArgumentError(
            f"The program {name} cannot be shown: it is not built as those of "
            f"paddle.jit.save are ({type(error).__name__}: {error})."
        ) from error


def _graph(
    name: str, given: list[Value], all_nodes: list[Node], outputs: list[Value]
) -> ProgramGraph:
    """Return the graph of the nodes that outputs depend on, with numbers for what they make."""
    nodes = _needed(all_nodes, outputs)
    for number, node in enumerate(nodes, 1):
        for place, value in enumerate(node.gives):
            value.name = f"{number}" if len(node.gives) == 1 else f"{number}.{place}"
    used = {id(value) for node in nodes for value in node.takes} | {id(each) for each in outputs}
    weights = [each for each in given if each.kind == "weight" and id(each) in used]
    inputs = [each for each in given if each.kind == "input"]
    return ProgramGraph(name, inputs, outputs, weights, nodes)


def _read(program, given: list[Value]) -> tuple[list[Node], list[Value]]:
    """Return all nodes of a program, and the outputs."""
    with ir.Context() as context:
        for dialect in (chlo, sdy, stablehlo):
            dialect.register_dialect(context)
        module = mlir.deserialize_portable_artifact(program.mlir_module_serialized)
        reader = _Reader(module)
        outputs = reader.read([given[place] for place in program.module_kept_var_idx])
    return reader.nodes, outputs


def _arguments(method: Method) -> list[Value]:
    """Return all Values of a program's arguments, in order."""
    (weights, inputs, key), _ = jax.tree.unflatten(method.program.in_tree, method.program.in_avals)
    values = [_given(name, "weight", weights[name]) for name in sorted(weights)]
    pairs = zip(method.inputs, inputs, strict=True)
    values += [_given(name, "input", aval) for name, aval in pairs]
    return [*values, _given("random key", "key", key)]


def _given(name: str, kind: str, aval) -> Value:
    return Value(name, kind, aval.dtype.name, _sizes(aval.shape))


def _sizes(shape) -> tuple:
    return tuple(size if isinstance(size, int) else str(size) for size in shape)


def _needed(nodes: list[Node], outputs: list[Value]) -> list[Node]:
    """Return the nodes that an output depends on."""
    wanted, kept = {id(value) for value in outputs}, []
    for node in reversed(nodes):
        if any(id(value) in wanted for value in node.gives):
            kept.append(node)
            wanted.update(id(value) for value in node.takes)
    return kept[::-1]


# ---- MLIR


class _Reader:
    """A reader of the outermost function of a module."""

    def __init__(self, module):
        self.functions = {
            ir.StringAttr(each.attributes["sym_name"]).value: each.operation
            for each in module.body.operations
            if each.operation.name == "func.func"
        }
        self.nodes: list[Node] = []
        self._of: dict[ir.Value, Value] = {}

    def read(self, given: list[Value]) -> list[Value]:
        """Return the outputs, for Values of the arguments."""
        main = self.functions["main"]
        places = _own_arguments(main)
        block = main.regions[0].blocks[0]
        for place, value in zip(places, given, strict=True):
            self._of[block.arguments[place]] = value
        return self._block(block)

    def _block(self, block) -> list[Value]:
        for step in block.operations:
            operation = step.operation
            if operation.name == "func.return":
                return [self._value(each) for each in operation.operands]
            if operation.name == "func.call" and _called(operation).startswith(_WRAPPED):
                self._inline(operation)
            else:
                self._note(operation)
        return []

    def _inline(self, call) -> None:
        block = self.functions[_called(call)].regions[0].blocks[0]
        for argument, operand in zip(block.arguments, call.operands, strict=True):
            if operand in self._of:
                self._of[argument] = self._of[operand]
        for result, value in zip(call.results, self._block(block), strict=True):
            self._of[result] = value

    def _note(self, operation) -> None:
        """Note a step as a node, or as a constant."""
        if operation.name == "stablehlo.constant":
            value = _made(operation.results[0], "constant")
            value.text = _numbers(operation.attributes["value"])
            self._of[operation.results[0]] = value
            return
        node = Node(operation.name.partition(".")[2], [], [])
        operands = list(operation.operands)
        if operation.name == "func.call":
            called = self.functions[_called(operation)]
            node.op = _NUMBERED.sub("", _called(operation))
            operands = [operands[place] for place in _own_arguments(called)]
            self._add_inner_steps(called, node)
        else:
            _tell(operation, node.attributes)
            node.inside[node.op] += 1
        node.takes = [self._of[each] for each in operands if each in self._of]
        if operation.name != "func.call" and all(each.kind == "constant" for each in node.takes):
            self._of.update((each, _made(each, "constant")) for each in operation.results)
            return
        node.gives = [_made(each, "made") for each in operation.results]
        self._of.update(zip(operation.results, node.gives, strict=True))
        self.nodes.append(node)

    def _add_inner_steps(self, function, node: Node) -> None:
        waiting, telling = [function], {}
        while waiting:
            operation = waiting.pop()
            for region in operation.regions:
                for block in region:
                    for each in block.operations:
                        waiting.append(each.operation)
            if operation.name == "func.call":
                waiting.append(self.functions[_called(operation)])
            elif operation.name.startswith(("stablehlo.", "chlo.")):
                step = operation.name.partition(".")[2]
                node.inside[step] += 1
                telling.setdefault(step, operation)
        for step in _TELLING:
            if step in telling:
                _tell(telling[step], node.attributes)
                return

    def _value(self, value) -> Value:
        found = self._of.get(value)
        return _made(value, "made") if found is None else found


def _called(operation) -> str:
    return ir.FlatSymbolRefAttr(operation.attributes["callee"]).value


def _own_arguments(function) -> list[int]:
    """Return the arguments of a function that JAX does not mark as a size or platform."""
    count = len(function.regions[0].blocks[0].arguments)
    if "arg_attrs" not in function.attributes:
        return list(range(count))
    marks = ir.ArrayAttr(function.attributes["arg_attrs"])
    return [k for k in range(count) if "jax.global_constant" not in ir.DictAttr(marks[k])]


def _made(value, kind: str) -> Value:
    kind_of = ir.RankedTensorType(value.type)
    sizes = [
        "?" if kind_of.is_dynamic_dim(k) else kind_of.get_dim_size(k) for k in range(kind_of.rank)
    ]
    return Value("", kind, _dtype(kind_of.element_type), tuple(sizes))


_DTYPES = {
    "i1": "bool", "bf16": "bfloat16", "f16": "float16", "f32": "float32", "f64": "float64",
    "complex<f32>": "complex64", "complex<f64>": "complex128", "f8E4M3FN": "float8_e4m3fn",
    "f8E5M2": "float8_e5m2",
}  # fmt: skip


def _dtype(element) -> str:
    text = str(element)
    if text in _DTYPES:
        return _DTYPES[text]
    return text.replace("ui", "uint") if text.startswith("ui") else text.replace("i", "int", 1)


def _tell(operation, attributes: dict[str, str]) -> None:
    """Add the attributes of a step, as short text."""
    for name in operation.attributes:
        attributes[str(name)] = _short(str(operation.attributes[name]))


_SHORTENINGS: list[tuple[re.Pattern, str | Callable]] = [
    (re.compile(r"^array<i64: (.*)>$"), r"[\1]"),
    (re.compile(r"^#stablehlo(?:\.\w+)?<(.*)>$", re.DOTALL), r"\1"),
    (re.compile(r"^dense<(.*)> : tensor<.*>$"), r"\1"),
    (re.compile(r"^(\d+) : i\d+$"), r"\1"),
]


def _short(text: str) -> str:
    for pattern, short in _SHORTENINGS:
        text = pattern.sub(short, text)
    return text


def _numbers(attribute) -> str:
    text = _short(str(attribute))
    return text if len(text) <= 8 * _SHOWN_NUMBERS else text[: 8 * _SHOWN_NUMBERS] + "..."
