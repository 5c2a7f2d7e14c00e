"""A backward that the user steps through node by node, forward and back.

Note [Going back]
    Arrays never change, so going back only needs references: for each step its node, the gradients
    it had received, and those that the nodes after it had received. That copies nothing; it only
    keeps memory from being freed. The loop is the engine's own (graph/engine.py, Note [One drain]),
    which is passed one node at a time, so hooks, leaves and errors are those of ``backward()``.
    Side effects of the user's hooks, apart from gradients, are not undone.
"""

from __future__ import annotations

import cmd
import sys
from collections import deque
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from jaxeager.debug.common import naming
from jaxeager.debug.gradients.nodes import brief, is_named, saved_values, title_of
from jaxeager.debug.stacks.stacks import stack_text
from jaxeager.errors import InvalidArgumentError, NotFoundError, PermissionDeniedError
from jaxeager.graph import engine
from jaxeager.graph.journal import Journal
from jaxeager.ops.call import dispatch
from jaxeager.tensor.backward import roots_of
from jaxeager.tensor.creation import to_tensor

if TYPE_CHECKING:
    import jax

    from jaxeager.graph.types import Node
    from jaxeager.tensor import Tensor


class Step(NamedTuple):
    """One node that has run.

    Attributes:
        node: the node.
        gradients: the gradients that each of its outputs received, arrays; None for missing ones.
        results: its result for each of its inputs; empty for a leaf and for a skipped node.
    """

    node: Node
    gradients: list
    results: list


class _OneTurn:
    """A queue for the engine that appears empty after one node."""

    def __init__(self, queue: deque):
        self.queue = queue
        self.turns = 1
        self.append, self.appendleft = queue.append, queue.appendleft

    def __bool__(self) -> bool:
        return self.turns > 0

    def popleft(self):
        self.turns -= 1
        return self.queue.popleft()


class _SteppedRun(engine.Run):
    """A run of the engine that reports a node's operands and results, and may skip it.

    Attributes:
        last: the last step.
        is_skipping: whether the next node is skipped.
        is_shown: whether other tools are notified of the nodes that run.
    """

    is_skipping = False
    is_shown = True
    last: Step

    def visit(self, node, grads: list):
        self.last = Step(node, list(grads), [])
        if self.is_skipping:
            return [None] * len(node.edges)
        if self.is_shown:
            results = super().visit(node, grads)
        else:
            _, results = self.run_node(node, grads)
        self.last = Step(node, self.last.gradients, list(results))
        return results


class BackwardStepper:
    """A backward that is paused between two nodes.

    Attributes:
        done: the ``Step`` of each node that has run, in order.
        total: how many nodes there are.

    Printing it shows the current position.
    """

    def __init__(self, roots: list, retain_graph: bool):
        self._run = _SteppedRun(engine.count_in_degrees([e.node for e, _ in roots]), True, True)
        self._queue = self._run.seed(roots)
        self._retain_graph = retain_graph
        self._undo: list[Callable[[], None]] = []
        self.done: list[Step] = []
        self.total = len(self._run.tasks)

    # ---- the current position

    @property
    def node(self):
        """Return the node that runs next; None when all have run."""
        return self._queue[0].node if self._queue else None

    @property
    def gradients(self) -> list:
        """Return the gradients that the next node has received, Tensors; None for missing ones."""
        holder = self._queue[0].holder if self._queue else None
        grads = holder if holder is not None else [None] * getattr(self.node, "width", 0)
        return [None if grad is None else dispatch.wrap(grad) for grad in grads]

    @property
    def saved(self) -> dict[str, Any]:
        """Return the arrays that the next node has saved in forward, by name.

        Raises:
            PermissionDeniedError: when one of them has been written in place since.
        """
        return {} if self.node is None else saved_values(self.node)

    @property
    def stack(self) -> str:
        """Return the lines that recorded the next node, "" unless FLAGS_call_stack_level was 3."""
        return "" if self.node is None else stack_text(self.node)

    @property
    def waiting(self) -> list:
        """Return the nodes that are ready, the next one first."""
        return [task.node for task in self._queue]

    # ---- moving

    def next(self, count: int = 1) -> Step | None:
        """Run the next nodes; return the Step of the last one, None if no node is left.

        A node that raises counts as not run: the stepper stays before it.
        """
        step = None
        for _ in range(count):
            if not self._queue:
                break
            step = self._turn()
        return step

    def skip(self) -> Step | None:
        """Skip the next node: it does not run, and no gradient is passed on from it."""
        if not self._queue:
            return None
        self._run.is_skipping = True
        try:
            return self._turn()
        finally:
            self._run.is_skipping = False

    def back(self, count: int = 1) -> int:
        """Undo the last steps and edits; return how many were undone."""
        for taken in range(count):
            if not self._undo:
                return taken
            self._undo.pop()()
        return count

    def edit(self, gradient, position: int = 0) -> None:
        """Replace a gradient that the next node has received.

        Args:
            gradient: a Tensor, or an argument of ``to_tensor``, of the shape of that output; it is
                cast to its dtype.
            position: which output of the node.

        Raises:
            InvalidArgumentError: for another shape or position, or when no node is left.
        """
        if not self._queue:
            raise InvalidArgumentError("All nodes have run: there is no gradient to edit.")
        task = self._queue[0]
        if not 0 <= position < task.node.width:
            raise InvalidArgumentError(
                f"{title_of(task.node)} takes {task.node.width} gradients, but position is "
                f"{position}."
            )
        before = task.holder
        holder: list[jax.Array | Tensor | None] = (
            [None] * task.node.width if before is None else list(before)
        )
        holder[position] = self._fitting(task.node, holder[position], gradient, position)
        task.holder = holder
        self._undo.append(lambda: setattr(task, "holder", before))

    def until(self, where: str) -> Any:
        """Run up to the next node that matches ``where``, and return it.

        Args:
            where: a node's name or a pattern of it, a pointer, a leaf's name, or "file.py:8" for
                a node recorded there with FLAGS_call_stack_level=3.

        Raises:
            NotFoundError: when no remaining node matches; nothing has run then.
        """
        left = {task.node for task in self._run.tasks.values()}
        left -= {step.node for step in self.done}
        if not any(is_named(node, where) for node in left):
            names = sorted({naming.node_name(node) for node in left})
            raise NotFoundError(
                f"No node that has yet to run is {where!r}. There are: {', '.join(names)}."
            )
        while not is_named(self.node, where):
            self._turn()
        return self.node

    def finish(self) -> None:
        """Run the remaining nodes, and release the graph unless ``retain_graph``.

        It cannot be undone; until then leaves have the ``grad`` of the steps taken.
        """
        while self._queue:
            self._turn()
        self._undo.clear()
        if not self._retain_graph:
            for node in self._run.tasks:
                node.release()
        engine.run_final_hooks()

    # ---- inspecting

    def __repr__(self) -> str:
        place = f"{len(self.done)} of {self.total} nodes have run"
        if self.node is None:
            return f"<BackwardStepper: {place}>"
        return f"<BackwardStepper: {place}; next {title_of(self.node)}>"

    def __str__(self) -> str:
        lines = [f"{len(self.done)} of {self.total} nodes have run."]
        if self.done:
            last = self.done[-1]
            lines.append(f"last  {title_of(last.node)}")
            lines += [f"      made  {brief(each)}" for each in last.results if each is not None]
        if self.node is not None:
            lines.append(f"next  {title_of(self.node)}")
            lines += [
                f"      takes {brief(None if g is None else g._array)}" for g in self.gradients
            ]
            lines += _saved_lines(self.node)
        return "\n".join(lines)

    def interact(self) -> None:
        """Read commands from the terminal or cell: n, b, p, e, s, u, c, q; h lists them."""
        _Terminal(self).cmdloop()

    # ---- implementation

    def _turn(self) -> Step:
        """Run the first node of the queue, and remember how to undo it."""
        queue, run = self._queue, self._run
        task = queue[0]
        targets = [run.tasks[e.node] for e in task.edges if e is not None]
        known = [(each, each.waiting, _copied(each.holder)) for each in (task, *targets)]
        before, journal, done = list(queue), Journal(), len(self.done)
        run.journal = journal
        run.last = Step(task.node, [None] * getattr(task.node, "width", 1), [])

        def undo() -> None:
            journal.roll_back()
            queue.clear()
            queue.extend(before)
            for each, waiting, holder in known:
                each.waiting, each.holder = waiting, holder
            del self.done[done:]

        try:
            run.drain(_OneTurn(queue))  # type: ignore[arg-type]  # it has all that drain uses
        except BaseException:
            undo()
            raise
        self.done.append(run.last)
        self._undo.append(undo)
        return run.last

    def _fitting(self, node, current, gradient, position: int):
        """Return the array of a gradient, cast to the dtype of a node's output."""
        tensor = gradient if isinstance(gradient, dispatch.Tensor) else to_tensor(gradient)
        aval = current if current is not None else node.out_avals[position]
        if tuple(tensor._array.shape) != tuple(aval.shape):
            raise InvalidArgumentError(
                f"The gradient at {title_of(node)} has the shape {list(aval.shape)}, but got one "
                f"of shape {list(tensor._array.shape)}."
            )
        return tensor._array.astype(aval.dtype)


def steps_of(tensor, grad_tensor=None) -> list[tuple]:
    """Return (node, gradients received, gradients made) of every upstream node except leaves.

    It is for tools: no hook runs, no observer is notified, no ``grad`` changes, the graph is kept.

    Raises:
        FatalError: when the graph has run and was released.
    """
    stepper = BackwardStepper(roots_of([tensor], [grad_tensor]), retain_graph=True)
    run = stepper._run
    run.is_shown = False
    hooks = [(node, node.hooks) for node in run.tasks]
    try:
        for node, _ in hooks:
            node.hooks = None
        while stepper.node is not None:
            if stepper.node.is_leaf:
                stepper.skip()
            else:
                stepper.next()
    finally:
        for node, kept in hooks:
            node.hooks = kept
    return [tuple(step) for step in stepper.done if not step.node.is_leaf]


def _saved_lines(node) -> list[str]:
    try:
        saved = saved_values(node)
    except PermissionDeniedError:
        return ["      saved a tensor that was written in place since: it will raise"]
    return [f"      saved {name} = {brief(value)}" for name, value in saved.items()]


def _copied(holder: list | None) -> list | None:
    return None if holder is None else list(holder)


class _Terminal(cmd.Cmd):
    """The commands for stepping in a terminal."""

    prompt = "(backward) "

    def __init__(self, stepper: BackwardStepper):
        super().__init__()
        self.stepper = stepper

    def preloop(self) -> None:
        self._show()

    def _show(self) -> None:
        print(self.stepper, file=self.stdout)

    def do_n(self, text: str) -> None:
        """n [COUNT]: run the next nodes."""
        self.stepper.next(int(text or 1))
        self._show()

    def do_b(self, text: str) -> None:
        """b [COUNT]: undo the last steps."""
        self.stepper.back(int(text or 1))
        self._show()

    def do_u(self, text: str) -> None:
        """u NAME or u FILE:LINE: run up to a node."""
        try:
            self.stepper.until(text)
            self._show()
        except NotFoundError as error:
            print(error, file=self.stdout)

    def do_s(self, text: str) -> None:
        """s: skip the next node; no gradient is passed on from it."""
        self.stepper.skip()
        self._show()

    def do_e(self, text: str) -> None:
        """e EXPRESSION: replace the gradient that the next node received; it is ``g``."""
        paddle = sys.modules[__name__.partition(".")[0]]
        (g, *_) = self.stepper.gradients
        try:
            self.stepper.edit(eval(text, {"paddle": paddle, "g": g}))
        except Exception as error:
            print(f"{type(error).__name__}: {error}", file=self.stdout)
        self._show()

    def do_p(self, text: str) -> None:
        """p: the lines that recorded the next node."""
        print(self.stepper.stack or "Not known: set FLAGS_call_stack_level=3.", file=self.stdout)

    def do_c(self, text: str) -> bool:
        """c: run the remaining nodes."""
        self.stepper.finish()
        return True

    def do_q(self, text: str) -> bool:
        """q: stop here and leave the backward as it is."""
        return True

    do_EOF = do_q


def step_backward(
    tensors: Tensor | Sequence[Tensor],
    grad_tensors: Tensor | Sequence[Tensor | None] | None = None,
    retain_graph: bool = False,
) -> BackwardStepper:
    """Return a backward that is paused before its first node, to step through it by hand.

    Args:
        tensors: a Tensor or a list of them, as for ``paddle.autograd.backward``.
        grad_tensors: their gradients to start from; ones by default.
        retain_graph: keep the graph after the last step.

    Raises:
        FatalError: when the graph has run before without ``retain_graph``.
        InvalidArgumentError: as ``backward`` does.

    Example:
        >>> import jaxeager as paddle
        >>> from jaxeager import debug
        >>> x = paddle.to_tensor([1.0, 2.0], stop_gradient=False)
        >>> stepper = debug.step_backward((x * x).sum())
        >>> stepper.next().node.name(), stepper.node.name()
        ('SumGradNode', 'MultiplyGradNode')
        >>> stepper.edit([10.0, 1.0])
        >>> stepper.finish()
        >>> x.grad.tolist()
        [20.0, 4.0]
    """
    return BackwardStepper(roots_of(tensors, grad_tensors), retain_graph)
