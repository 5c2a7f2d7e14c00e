"""The conversion of a tape to a jaxpr: the engine drains it once on JAX tracers.

See Note [Tapes as programs] of jax_bridge/tape_program.py.
"""

from __future__ import annotations

import contextlib
import copy
from collections.abc import Callable, Iterator, Sequence
from os.path import basename
from typing import TYPE_CHECKING, Any

import jax

from jaxeager.core.error_lines import first_line
from jaxeager.errors import InvalidArgumentError, UnimplementedError
from jaxeager.graph import engine, events
from jaxeager.graph.grad_tensor_holder import add_arrays
from jaxeager.graph.hook_tensors import as_arrays, as_gradients
from jaxeager.graph.hooks import NodeHooks, RetainingHook, receive, run_post_hooks
from jaxeager.graph.journal import Journal
from jaxeager.graph.traced_writes import take_back, writes_noted
from jaxeager.jax_bridge.tape_forward import Forward
from jaxeager.jax_bridge.tape_program import TapeProgram, TapeStep
from jaxeager.jax_bridge.tape_saved import Arguments, holding
from jaxeager.kernels.memory_bound import jitted
from jaxeager.tensor.backward import roots_of

if TYPE_CHECKING:
    from jaxeager.graph.types import Node
    from jaxeager.tensor.tensor import Tensor

_NEEDS_VALUES = (
    jax.errors.ConcretizationTypeError,
    jax.errors.TracerArrayConversionError,
    jax.errors.TracerBoolConversionError,
    jax.errors.TracerIntegerConversionError,
)


def tape_to_jaxpr(
    loss: Tensor | Sequence[Tensor], grad_tensor: Tensor | Sequence[Tensor | None] | None = None
) -> TapeProgram:
    """Return the recorded backward of a loss as a jaxpr and as a pure function.

    It contains what ``loss.backward()`` would run, node by node, in the engine's order; the graph
    is unchanged, and no ``grad`` is written. Hooks on tensors and nodes are traced in their places,
    and so is the backward of a PyLayer. Two kinds of hooks are left out: those that only keep a
    gradient (``retain_grads``), and those that run after a leaf's ``grad`` was added to. With
    FLAGS_call_stack_level=3 each equation has the line that recorded its node.

    Args:
        loss: a Tensor whose graph has not been released, or several.
        grad_tensor: the gradient of the loss; ones by default. A list for several losses.

    Returns:
        a TapeProgram.

    Raises:
        InvalidArgumentError: when no recorded op made the loss.
        FatalError: when its graph was run and released.
        PermissionDeniedError: when a saved tensor has been written in place since.
        UnimplementedError: when a hook, or the backward of a PyLayer, reads values: it names the
            function and its line.

    Example:
        >>> import jaxeager as paddle
        >>> x = paddle.to_tensor([1.0, 2.0], stop_gradient=False)
        >>> x.name = "x"
        >>> y = paddle.tanh(x)
        >>> tape = paddle.tape_to_jaxpr((y * y).sum())
        >>> print(tape)
        backward(grad of loss: float32[], TanhGradNode.out: float32[2]):
          # dx = dout, broadcast to x
          a: float32[2] = SumGradNode(grad of loss)
          # dx = dout * conj(y); dy = dout * conj(x)
          b: float32[2], c: float32[2] = MultiplyGradNode(TanhGradNode.out, TanhGradNode.out, a)
          d: float32[2] = sum(b, c)
          # dx = dout * (1 - conj(out)^2)
          e: float32[2] = TanhGradNode(TanhGradNode.out, d)
          return grad of x = e
        >>> import jax
        >>> import jax.numpy as jnp
        >>> gradients = jax.jit(tape.gradients)({"x": jnp.zeros(2)})
        >>> gradients["x"].tolist()
        [0.0, 0.0]
    """
    roots = roots_of(loss, grad_tensor)
    if all(edge.node.is_leaf for edge, _ in roots):
        raise InvalidArgumentError(
            "tape_to_jaxpr takes tensors that recorded ops produced, but no recorded op made this "
            "one: it is a leaf, or it stops gradients."
        )
    with events.silent():
        tasks = engine.count_in_degrees([edge.node for edge, _ in roots])
        losses: Any = loss if isinstance(loss, (list, tuple)) else [loss]
        arguments = Arguments([each for each in losses if not each.stop_gradient], roots)
        for node in tasks:
            arguments.take(node)
        run = _TracedRun(tasks, arguments)
        given = arguments.values()
        with writes_noted() as written:
            jaxpr = jax.make_jaxpr(lambda values: run.trace(roots, values))(list(given.values()))
        _check_written(take_back(written))
    results = [arguments.leaf_name(leaf) for leaf in run.gradients]
    program = TapeProgram(jaxpr, given, results, run.steps)
    forward = Forward(run.order, arguments, roots)
    program.missing = tuple(forward.missing)
    program._heads = tuple(arguments.heads)
    program._names = {leaf: arguments.leaf_name(leaf) for leaf in run.gradients}
    program._forward = forward.run
    return program


def _check_written(tensors: list) -> None:
    """Raise when a hook, or the backward of a PyLayer, wrote into a tensor that outlives it."""
    if tensors:
        texts = ", ".join(f"{each.name} of shape {list(each.shape)}" for each in tensors)
        raise UnimplementedError(
            f"A hook, or the backward of a PyLayer, writes into {texts}: a program of the backward "
            "alone cannot do so. The tensor has its old value; remove the hook first."
        )


# ---- the run


class _TracedRun(engine.Run):
    """A run of the engine on JAX tracers: each step is one equation.

    Attributes:
        steps: the TapeStep of each equation.
        order: the nodes in the order in which they ran.
        gradients: the gradient of each leaf.
    """

    is_silent_sum = False

    def __init__(self, tasks: dict, arguments: Arguments):
        super().__init__(tasks, retain_graph=True, is_observed=True)
        self.arguments = arguments
        self.numbers = {name: number for number, name in enumerate(arguments.values())}
        self.values: list = []
        self.steps: list[TapeStep] = []
        self.order: list = []
        self.gradients: dict[Node, jax.Array] = {}

    def trace(self, roots: list, values: list) -> list:
        """Return the gradients of the leaves for JAX's tracers of the arguments."""
        self.values = values
        starts = [(edge, values[number]) for number, (edge, _) in enumerate(roots)]
        self.drain(self.seed(starts))
        return list(self.gradients.values())

    def step(self, step: TapeStep, function: Callable, *arrays):
        """Run a function as one equation, named after the step."""
        self.steps.append(step)

        def traced(*given):
            return function(*given)

        traced.__name__ = step.title
        return jitted(traced)(*arrays)

    def add(self, a, b):
        return self.step(TapeStep("sum", "sum"), add_arrays, a, b)

    def hand_on(self, node, edge, grad, task) -> None:
        if grad is not None:
            self.deliver(task, edge, grad)

    def visit(self, node, grads: list):
        from jaxeager.debug.common import naming
        from jaxeager.debug.stacks.lines import line_of_node

        name, line = naming.node_name(node), line_of_node(node).short
        name = f"grad of {self.arguments.leaf_name(node)}" if node.is_leaf else name
        hooks = node.hooks or NodeHooks()
        before = _without_retention(hooks)
        if before is not None:
            names = [*map(_place_of, before.gradient_hooks()), *map(_place_of, hooks.pre.values())]
            step = TapeStep("hooks", f"hooks_before {name}", line, "; ".join(names))
            twin = copy.copy(node)
            twin.hooks = before
            grads = self.step(step, lambda *g: _received(twin, g, names), *grads)
        if node.is_leaf:
            if grads[0] is not None:
                self.gradients[node] = grads[0]
            return ()
        self.order.append(node)
        results = self._run(node, name, line, grads)
        if hooks.post:
            names = [_place_of(hook) for hook in hooks.post.values()]
            step = TapeStep("hooks", f"hooks_after {name}", line, "; ".join(names))
            count = len(results)
            results = self.step(
                step, lambda *g: _after(node, g[:count], g[count:], names), *results, *grads
            )
        return results

    def _run(self, node, name: str, line: str, grads: list) -> list:
        held = [self.values[self.numbers[name]] for name in self.arguments.places[node]]
        step = TapeStep("node", name, line, getattr(node.op, "formula", "") or "")

        def run(*given):
            with holding(node, list(given[: len(held)])) as twin:
                try:
                    return list(twin.run(list(given[len(held) :]), True))
                except _NEEDS_VALUES as error:
                    raise _untraceable(f"The backward of {step.title}", [], error) from error

        return self.step(step, run, *held, *grads)


# ---- hooks


def _without_retention(hooks: NodeHooks) -> _Before | None:
    """Return the hooks that change the received gradients; None when there are none."""
    found = _Before()
    found.gradient = {
        key: pair for key, pair in hooks.gradient.items() if type(pair[1]) is not RetainingHook
    }
    found.pre = dict(hooks.pre)
    return found if found.gradient or found.pre else None


class _Before(NodeHooks):
    """Hooks that run before a node."""

    __slots__ = ()

    def gradient_hooks(self) -> list[Callable]:
        """Return the hooks on the gradients of outputs."""
        return [hook for _, hook in self.gradient.values()]


def _received(node, grads, names: list[str]) -> list:
    with _naming(names):
        return as_arrays(receive(node, as_gradients(grads), Journal()))


def _after(node, made, taken, names: list[str]) -> list:
    with _naming(names):
        return as_arrays(run_post_hooks(node, as_gradients(made), as_gradients(taken)))


@contextlib.contextmanager
def _naming(names: list[str]) -> Iterator[None]:
    """Name the hooks in the error of one that cannot be traced."""
    try:
        yield
    except _NEEDS_VALUES as error:
        raise _untraceable("A hook", names, error) from error


def _untraceable(what: str, names: list[str], error: Exception) -> UnimplementedError:
    who = f" ({'; '.join(names)})" if names else ""
    return UnimplementedError(
        f"{what}{who} cannot be captured as a program, because it reads values that are known "
        f"only when it runs. JAX reports: {first_line(error)}"
    )


def _place_of(hook: Callable) -> str:
    """Return "clip at train.py:8": the name of a hook and the line of its definition."""
    code = getattr(hook, "__code__", None)
    name = getattr(hook, "__qualname__", type(hook).__qualname__).split(".")[-1]
    return name if code is None else f"{name} at {basename(code.co_filename)}:{code.co_firstlineno}"
