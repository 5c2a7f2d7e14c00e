"""Random programs for the engine: a plan of the steps, and two ways to run it.

A drawn program is a list of small integers. `make_plan` turns them into steps that are possible,
and keeps a model of the graph while it does: versions, what each node saved, which nodes a root
reaches. `run_eager` runs the plan on Tensors; `run_pure` runs it as one pure function of a zero
added to every tensor, so that jax.grad of it gives each leaf's gradient.
"""

from dataclasses import dataclass, field

import jax
import jax.numpy as jnp
import numpy as np
from hypothesis import assume
from hypothesis import strategies as st

import jaxeager as paddle

# Name -> (operands, what backward saves: "x", "y" operands, "out" the result).
OPS = {
    "add": (2, ""),
    "subtract": (2, ""),
    "multiply": (2, "x y"),
    "half": (1, ""),
    "sin": (1, "x"),
    "tanh": (1, "out"),
    "sigmoid": (1, "out"),
    "mean": (1, ""),
}
NOT_IN_PLACE = {"mean": "half"}
PURE = {
    "add": jnp.add,
    "subtract": jnp.subtract,
    "multiply": jnp.multiply,
    "half": lambda x: x * 0.5,
    "sin": jnp.sin,
    "tanh": jnp.tanh,
    "sigmoid": jax.nn.sigmoid,
    "mean": jnp.mean,
}
EAGER = {
    "add": lambda x, y: paddle.add(x, y),
    "subtract": lambda x, y: paddle.subtract(x, y),
    "multiply": lambda x, y: paddle.multiply(x, y),
    "half": lambda x: paddle.scale(x, 0.5),
    "sin": lambda x: paddle.sin(x),
    "tanh": lambda x: paddle.tanh(x),
    "sigmoid": lambda x: paddle.nn.functional.sigmoid(x),
    "mean": lambda x: paddle.mean(x),
}
EAGER_IN_PLACE = {
    "add": lambda x, y: x.add_(y),
    "subtract": lambda x, y: x.subtract_(y),
    "multiply": lambda x, y: x.multiply_(y),
    "half": lambda x: x.scale_(0.5),
    "sin": lambda x: x.sin_(),
    "tanh": lambda x: x.tanh_(),
    "sigmoid": lambda x: x.sigmoid_(),
}
KINDS = ("op",) * 9 + ("in_place",) * 3 + ("split",) * 2 + ("concat",) * 2 + ("detach", "toggle")

small = st.integers(0, 11)
instructions = st.tuples(st.sampled_from(KINDS), st.sampled_from(sorted(OPS)), small, small)


@dataclass(eq=False)
class Node:
    """The model of a recorded node: the targets of its gradients and its checks."""

    nexts: list
    saved: list = field(default_factory=list)  # (memory, version)


@dataclass(eq=False)
class Leaf:
    """The end of the graph at one tensor."""

    number: int


@dataclass(eq=False)
class Memory:
    """The memory that a tensor and its detach() share."""

    version: int = 0


@dataclass
class Variable:
    """One tensor of the program."""

    shape: tuple
    memory: Memory
    stops: bool
    end: Node | Leaf

    @property
    def is_leaf(self) -> bool:
        return isinstance(self.end, Leaf)


@dataclass
class Step:
    """One step of a plan: the action, its variables, and whether it is recorded."""

    kind: str
    name: str
    operands: tuple[int, ...]
    recorded: bool = False


@dataclass(repr=False)
class Plan:
    """A program that can be run, and its expected results."""

    inputs: list[tuple[tuple, bool]]  # (shape, stop_gradient)
    steps: list[Step]
    roots: list[int]
    variables: list[Variable]
    nodes: list[Node]  # those that backward runs
    leaves: list[int]  # variables whose grad is set
    stale: bool  # a node that runs saved a tensor that was written since

    def __repr__(self) -> str:
        made = {"op": 1, "split": 2, "concat": 1, "detach": 1}
        lines = [f"t{i} = input{each}" for i, each in enumerate(self.inputs)]
        count = len(lines)
        for step in self.steps:
            names = [f"t{count + i}" for i in range(made.get(step.kind, 0))]
            count += len(names)
            call = f"{step.kind} {step.name}({', '.join(f't{i}' for i in step.operands)})"
            lines.append(" = ".join(filter(None, (", ".join(names), call))))
        return "\n".join([*lines, f"roots {self.roots}"])


@st.composite
def plans(draw) -> Plan:
    """Draw a plan of 1 to 3 inputs, 10 to 24 steps and 1 to 3 roots."""
    shapes, stops = st.sampled_from([(4,), (4,), (2,), ()]), st.sampled_from([False, False, True])
    inputs = draw(st.lists(st.tuples(shapes, stops), min_size=1, max_size=3))
    inputs[0] = (inputs[0][0], False)
    drawn = draw(st.lists(instructions, min_size=10, max_size=24))
    roots = draw(st.lists(st.integers(0, 3), min_size=1, max_size=3))
    plan = make_plan(inputs, drawn, roots)
    # Of a sine of a million only the first digits are meaningful.
    assume(all(np.all(np.abs(value) < 1000) for value in values_of(plan)))
    return plan


def make_plan(inputs: list, drawn: list, roots: list[int]) -> Plan:
    """Turn drawn integers into possible steps, and predict the results of backward."""
    model = _Model(inputs)
    for kind, name, first, second in drawn:
        getattr(model, kind)(name, first, second)
    # The last tensors that require a gradient: most of the graph is upstream of them. 3 is any
    # tensor.
    wanting = [i for i, variable in enumerate(model.variables) if not variable.stops]
    wanting = wanting or [0]
    numbers = [
        wanting[-1 - root % len(wanting)] if root < 3 else len(wanting) // 2 for root in roots
    ]
    return model.finish(list(dict.fromkeys(numbers)))


class _Model:
    """Builds a plan step by step."""

    def __init__(self, inputs: list):
        self.inputs = inputs
        self.steps: list[Step] = []
        self.variables: list[Variable] = []
        for shape, stops in inputs:
            self._new_leaf(shape, Memory(), stops)

    def _new_leaf(self, shape, memory, stops) -> None:
        self.variables.append(Variable(shape, memory, stops, Leaf(len(self.variables))))

    def _pick(self, number: int, fits) -> int:
        """Return a variable that fits, where there is one."""
        found = self._find(number, fits)
        assert found is not None
        return found

    def _find(self, number: int, fits) -> int | None:
        """Return a variable that fits, often one of the last three, which produces deep graphs."""
        found = [i for i, variable in enumerate(self.variables) if fits(variable)]
        if not found:
            return None
        return found[-1 - number % min(len(found), 3)] if number < 8 else found[number % len(found)]

    def _record(self, operands: list[int]) -> Node | None:
        """Return the node of a call, or None when no operand requires a gradient."""
        wanted = [self.variables[i].end for i in operands if not self.variables[i].stops]
        return Node(wanted) if wanted else None

    def _append(self, shape, node: Node | None) -> Variable:
        if node is None:
            self._new_leaf(shape, Memory(), True)
        else:
            self.variables.append(Variable(shape, Memory(), False, node))
        return self.variables[-1]

    def op(self, name: str, first: int, second: int) -> None:
        """Add an op out of place."""
        x = self._pick(first, lambda variable: True)
        shape = self.variables[x].shape
        operands = self._operands(name, x, second, lambda y: _meet(shape, y.shape))
        shapes = [self.variables[i].shape for i in operands]
        node = self._record(operands)
        out = self._append(() if name == "mean" else max(shapes, key=len), node)
        if node is not None:
            held = {"x": operands[0], "y": operands[-1], "out": len(self.variables) - 1}
            for each in OPS[name][1].split():
                memory = self.variables[held[each]].memory if each != "out" else out.memory
                node.saved.append((memory, memory.version))
        self.steps.append(Step("op", name, tuple(operands), node is not None))

    def in_place(self, name: str, first: int, second: int) -> None:
        """Add an op in place, except on a leaf that requires a gradient, which is not writable."""
        name = NOT_IN_PLACE.get(name, name)
        x = self._find(first, lambda variable: variable.stops or not variable.is_leaf)
        if x is None:
            return
        target = self.variables[x]
        operands = self._operands(name, x, second, lambda y: y.shape in (target.shape, ()))
        node = self._record(operands)
        memory = target.memory
        before = memory.version
        memory.version += 1
        if node is not None:
            if name == "multiply":
                other = self.variables[operands[1]].memory
                node.saved.append((other, before if other is memory else other.version))
            if OPS[name][1] == "out":
                node.saved.append((memory, memory.version))
            target.end, target.stops = node, False
        self.steps.append(Step("in_place", name, tuple(operands), node is not None))

    def _operands(self, name: str, x: int, second: int, fits) -> list[int]:
        """Return the operands of an op whose first is ``x``, which fits as the second, too."""
        return [x] if OPS[name][0] == 1 else [x, self._pick(second, fits)]

    def split(self, name: str, first: int, second: int) -> None:
        """Add one op of two outputs."""
        x = self._find(first, lambda variable: variable.shape == (4,))
        if x is None:
            return
        node = self._record([x])
        self._append((2,), node)
        self._append((2,), node)
        self.steps.append(Step("split", "split", (x,), node is not None))

    def concat(self, name: str, first: int, second: int) -> None:
        """Add one op of a list of tensors, sometimes with the same one twice."""
        x = self._find(first, lambda variable: variable.shape == (2,))
        if x is None:
            return
        y = self._pick(second, lambda variable: variable.shape == (2,))
        node = self._record([x, y])
        self._append((4,), node)
        self.steps.append(Step("concat", "concat", (x, y), node is not None))

    def detach(self, name: str, first: int, second: int) -> None:
        """Add another tensor of the same memory, without the graph."""
        x = self._pick(first, lambda variable: True)
        self._new_leaf(self.variables[x].shape, self.variables[x].memory, True)
        self.steps.append(Step("detach", "detach", (x,)))

    def toggle(self, name: str, first: int, second: int) -> None:
        """Toggle stop_gradient."""
        x = self._pick(first, lambda variable: True)
        self.variables[x].stops = not self.variables[x].stops
        self.steps.append(Step("toggle", "toggle", (x,)))

    def finish(self, roots: list[int]) -> Plan:
        """Walk the model from the roots that require a gradient."""
        waiting = [self.variables[i].end for i in roots if not self.variables[i].stops]
        seen = {}
        while waiting:
            end = waiting.pop()
            if id(end) not in seen:
                seen[id(end)] = end
                waiting += getattr(end, "nexts", [])
        nodes = [end for end in seen.values() if isinstance(end, Node)]
        stale = any(memory.version != then for node in nodes for memory, then in node.saved)
        leaves = [
            number
            for number, variable in enumerate(self.variables)
            if variable.is_leaf and id(variable.end) in seen
        ]
        return Plan(self.inputs, self.steps, roots, self.variables, nodes, leaves, stale)


def _meet(a: tuple, b: tuple) -> bool:
    return a == b or a == () or b == ()


def input_values(plan: Plan) -> list[np.ndarray]:
    """Return the values of the inputs: fixed, distinct, between -1 and 1."""
    rng = np.random.default_rng(3)
    return [rng.uniform(-1, 1, shape) for shape, _ in plan.inputs]


def seed_values(plan: Plan) -> list[np.ndarray]:
    """Return the initial gradient of each root."""
    rng = np.random.default_rng(4)
    return [rng.uniform(0.5, 1.5, plan.variables[i].shape) for i in plan.roots]


def run_eager(plan: Plan) -> list:
    """Run the steps on Tensors and return them all."""
    tensors = [
        paddle.to_tensor(value, stop_gradient=stops)
        for value, (_, stops) in zip(input_values(plan), plan.inputs, strict=True)
    ]
    for step in plan.steps:
        operands = [tensors[i] for i in step.operands]
        if step.kind == "op":
            tensors.append(EAGER[step.name](*operands))
        elif step.kind == "in_place":
            written = EAGER_IN_PLACE[step.name](*operands)
            assert written is operands[0]
        elif step.kind == "split":
            tensors += paddle.split(operands[0], 2)
        elif step.kind == "concat":
            tensors.append(paddle.concat(operands))
        elif step.kind == "detach":
            tensors.append(operands[0].detach())
        else:
            operands[0].stop_gradient = not operands[0].stop_gradient
    return tensors


def run_pure(plan: Plan, zeros: list) -> list:
    """Run the steps on arrays and return all values; ``zeros[i]`` is added to variable ``i``.

    A value written without being recorded, or through another tensor of the same memory, changes
    and keeps its gradient: `_revalue` does that.
    """
    stops, memories, values = [], [], []

    def append(value, memory, stopped):
        values.append(value + zeros[len(values)])
        memories.append(memory)
        stops.append(stopped)

    for value, (_, stopped) in zip(input_values(plan), plan.inputs, strict=True):
        append(jnp.asarray(value), len(values), stopped)
    for step in plan.steps:
        used = [jax.lax.stop_gradient(values[i]) if stops[i] else values[i] for i in step.operands]
        first = step.operands[0]
        fresh = len(values) + len(plan.inputs) + 1000
        if step.kind == "op":
            append(PURE[step.name](*used), fresh, not step.recorded)
        elif step.kind == "split":
            append(used[0][:2], fresh, not step.recorded)
            append(used[0][2:], fresh + 1, not step.recorded)
        elif step.kind == "concat":
            append(jnp.concatenate(used), fresh, not step.recorded)
        elif step.kind == "detach":
            append(jax.lax.stop_gradient(values[first]), memories[first], True)
        elif step.kind == "toggle":
            stops[first] = not stops[first]
        else:
            new = PURE[step.name](*used)
            for number, memory in enumerate(memories):
                if memory == memories[first]:
                    values[number] = _revalue(values[number], new)
            if step.recorded:
                values[first], stops[first] = new, False
    return values


def values_of(plan: Plan) -> list:
    """Return all values of a plan."""
    return run_pure(plan, [0.0] * len(plan.variables))


def _revalue(old, new):
    """Return the value of ``new`` with the gradient of ``old``."""
    return old + jax.lax.stop_gradient(new - old)


def pure_gradients(plan: Plan) -> list:
    """Return the gradient of every variable as a leaf, by jax.grad."""
    zeros = [jnp.zeros(variable.shape) for variable in plan.variables]

    def loss(zeros):
        values = run_pure(plan, zeros)
        seeds = zip(plan.roots, seed_values(plan), strict=True)
        total = sum(jnp.sum(values[i] * seed) for i, seed in seeds if not plan.variables[i].stops)
        return total + jnp.zeros(())

    return jax.grad(loss)(zeros)
