"""Why a gradient is None or zero: the line that cuts it off, or the node that makes it zero.

Note [Following a value]
    Starting from the parameter, each recorded call that used a value depending on it is inspected:
    does the gradient go through it? If not, that is a cut, and it is stored for everything that
    depends on it. The cuts that the loss depends on are the reason. A value that was read by the
    host and became a new tensor is followed across: the tensor must have been made after the value
    was read, and the loss must depend on it.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from jaxeager.debug.common import naming
from jaxeager.debug.gradients.captured import CapturedStep
from jaxeager.debug.stacks.lines import line_of_node
from jaxeager.errors import InvalidTypeError
from jaxeager.graph.hooks import is_retained
from jaxeager.ops.call import dispatch

if TYPE_CHECKING:
    from jaxeager.debug.gradients.captured import RecordedCall
    from jaxeager.tensor import Tensor


@dataclass(frozen=True, slots=True)
class Reason:
    """One reason for a gradient that is None or zero.

    Attributes:
        kind: "stop_gradient", "no_grad", "detached", "integer", "no derivative", "host",
            "unused", "unreached", "no backward", "cleared", "returned None", "zeros", "not kept".
        line: "train.py:8", "" if no line is known.
        text: the reason, a sentence.
    """

    kind: str
    line: str
    text: str

    def __str__(self) -> str:
        return f"{self.line}: {self.text}" if self.line else self.text


@dataclass(slots=True)
class Explanation:
    """The result of ``why``; printing it shows sentences.

    Attributes:
        name: the name of the tensor.
        state: "None", "zero", "partly zero" or "there".
        reasons: the reasons, the nearest to the loss last.
    """

    name: str
    state: str
    reasons: list[Reason] = field(default_factory=list)

    @property
    def kinds(self) -> list[str]:
        """Return the kinds of the reasons."""
        return [reason.kind for reason in self.reasons]

    def __str__(self) -> str:
        heads = {"None": "is None", "zero": "is zero", "partly zero": "is partly zero"}
        head = f"The gradient of {self.name} {heads.get(self.state, 'exists')}."
        return "\n".join([head, *(f"  {reason}" for reason in self.reasons)])


def why(
    tensor: Tensor, loss: Tensor | None = None, step: CapturedStep | None = None
) -> Explanation:
    """Return why the gradient of a tensor is None or zero, with the line that causes it.

    Args:
        tensor: the tensor whose ``grad`` is explained.
        loss: the tensor that backward starts from; by default the root of the last recorded
            backward.
        step: the result of ``debug.capture_step()``. Without it only the tensors and the graph are
            inspected, so the line of a cut is not known.

    Raises:
        InvalidTypeError: when it is not a Tensor.

    Example:
        >>> import jaxeager as paddle
        >>> from jaxeager import debug
        >>> w = paddle.to_tensor([1.0, 2.0], stop_gradient=False)
        >>> with debug.capture_step() as step:
        ...     h = w * 2
        ...     loss = (h.detach() + 1).sum()
        >>> w.name = "w"
        >>> print(debug.why(w, loss, step))  # doctest: +ELLIPSIS
        The gradient of w is None.
          ...: detach() cuts the graph here: the operand of scale at ... has no graph.
    """
    if not isinstance(tensor, dispatch.Tensor):
        raise InvalidTypeError(f"why takes a Tensor, but received {type(tensor).__name__}.")
    found = Explanation(_name_of(tensor), _state_of(tensor))
    if tensor.stop_gradient:
        text = "its stop_gradient is True, so nothing is recorded for it"
        found.reasons.append(Reason("stop_gradient", "", text))
    elif found.state == "None" and not (tensor.is_leaf or is_retained(tensor._meta)):
        text = "it is not a leaf, and its gradient is kept only after retain_grads()"
        found.reasons.append(Reason("not kept", "", text))
    elif found.state != "there":
        if step is None:
            found.reasons += _without_capture(tensor, loss, found.state)
        else:
            found.reasons += _from_capture(tensor, loss, step, found.state)
    return found


def _name_of(tensor) -> str:
    return tensor._name or f"a tensor of shape {list(tensor.shape)}"


def _state_of(tensor) -> str:
    grad = tensor.grad
    if grad is None:
        return "None"
    nonzero = np.count_nonzero(grad.numpy())
    return "zero" if not nonzero else "there" if nonzero == grad.size else "partly zero"


# ---- from graph and tensors


def _without_capture(tensor, loss, state: str) -> list[Reason]:
    hint = "Run the step in debug.capture_step() and pass that to why, which then names the line."
    node = None if tensor._meta is None else tensor._meta.node
    if loss is None or loss.grad_fn is None:
        what = "no loss is given" if loss is None else "the loss has no graph"
        return [Reason("unreached", "", f"{what}. {hint}")]
    reached = _reachable(loss.grad_fn)
    if node is None or node not in reached:
        return [Reason("unreached", "", f"no path of the graph leads to it. {hint}")]
    if loss.grad_fn.released:
        text = "the graph leads to it, and has run: the gradient was cleared, or it received none."
        return [Reason("cleared", "", f"{text} {hint}")]
    if state == "None":
        return [Reason("no backward", "", "the graph leads to it, but backward has not run")]
    return [Reason("zeros", "", f"the graph leads to it. {hint}")]


def _reachable(root) -> set:
    seen, waiting = {root}, [root]
    while waiting:
        for edge in waiting.pop().edges:
            if edge is not None and edge.node not in seen:
                seen.add(edge.node)
                waiting.append(edge.node)
    return seen


# ---- from a captured step


def _from_capture(tensor, loss, step: CapturedStep, state: str) -> list[Reason]:
    flow = _Flow(tensor, step)
    ends = _loss_arrays(loss, step)
    if not flow.used and not flow.reads():
        return [Reason("unused", "", "no call in the captured step used it")]
    if not ends:
        return [
            Reason("no backward", "", "no backward ran in the captured step, and no loss is given")
        ]
    provenance = next((flow.found[id(end)] for end in ends if id(end) in flow.found), _UNSEEN)
    if provenance is _UNSEEN:
        return flow.over_the_host(ends) or flow.where_it_ends()
    if provenance is not None:
        return [provenance]
    return _of_backward(tensor, step, state)


_UNSEEN: Any = object()


def _loss_arrays(loss, step: CapturedStep) -> list:
    """Return the arrays that backward starts from."""
    if loss is not None:
        return [loss._array]
    found = []
    for edge, _ in step.backwards[-1].roots if step.backwards else ():
        call = step.call_by_node.get(edge.node)
        if call is not None:
            found.append(call.outputs[edge.slot + edge.rank])
    return found


class _Flow:
    """The path of a tensor's value through the calls.

    Attributes:
        used: whether any call used the tensor.
        found: by array (its id; the capture holds it) None if the gradient goes through, else
            the Reason why it does not.
        ends: calls that used a value through which the gradient goes, by the array.
    """

    def __init__(self, tensor, step: CapturedStep):
        self.step = step
        self.used = False
        self.found: dict[int, Reason | None] = {}
        self.operand_ids: set[int] = set()
        self.last: dict[int, RecordedCall] = {}
        sources = [each for each in step.happenings if each.source is tensor]
        for array in (tensor._array, *(each.arrays[0] for each in sources)):
            self.found[id(array)] = None
        for call in step.calls:
            self._follow(call, tensor)

    def _follow(self, call, tensor) -> None:
        before = [
            (place, None if value is tensor else self.found[id(array)], array)
            for place, (value, array) in enumerate(_flat(call.operands, call.arrays))
            if value is tensor or id(array) in self.found
        ]
        if not before:
            return
        self.used = True
        self.operand_ids.update(id(array) for _, _, array in before)
        stopped = [is_stopped for is_stopped, _ in _flat(call.stopped, call.stopped)]
        cuts = []
        for place, reason, _ in before:
            if reason is None:
                reason = self._cut(call, place, stopped[place])
            cuts.append(reason)
        provenance = None if None in cuts else cuts[0]
        for array in call.outputs:
            self.found[id(array)] = provenance
            self.last[id(array)] = call

    def _cut(self, call, place: int, is_stopped: bool) -> Reason | None:
        """Return why the gradient does not go through a call, None when it does."""
        if is_stopped:
            return self._stopped(call, place)
        if not call.was_recording:
            text = f"{call.name} ran under no_grad(), so it was not recorded"
            return Reason("no_grad", call.line, text)
        if call.node is not None and _is_edge_there(call, place):
            return None
        kinds = {np.dtype(array.dtype).kind for array in call.outputs}
        if kinds <= set("iub"):
            (dtype, *_) = (array.dtype.name for array in call.outputs)
            return Reason(
                "integer", call.line, f"{call.name} returns {dtype}, which has no gradient"
            )
        return Reason("no derivative", call.line, f"{call.name} passes no gradient to it")

    def _stopped(self, call, place: int) -> Reason:
        """Return why a tensor stops gradients when a call uses it, though its value does not."""
        tensor, array = _flat(call.operands, call.arrays)[place]
        for happening in reversed(self.step.happenings):
            if happening.kind == "detached" and happening.arrays[0] is array:
                text = (
                    f"detach() cuts the graph here: the operand of {call.name} at {call.line} has "
                    "no graph."
                )
                return Reason("detached", happening.line, text)
        what = getattr(tensor, "_name", None) or "that tensor"
        text = f"{call.name} receives it with stop_gradient=True, which was set on {what}"
        return Reason("stop_gradient", call.line, text)

    def reads(self) -> list:
        """Return the events in which a value that depends on the tensor was read by the host."""
        return [
            each
            for each in self.step.happenings
            if each.kind == "read" and id(each.arrays[0]) in self.found
        ]

    def over_the_host(self, ends: list) -> list[Reason]:
        """Return where the host read the value and made a tensor that the loss depends on."""
        reads = self.reads()
        if not reads:
            return []
        for made in self.step.happenings:
            if made.kind != "made" or made.at < reads[0].at:
                continue
            if any(id(end) in _dependents(self.step, made.arrays[0]) for end in ends):
                read = [each for each in reads if each.at <= made.at][-1]
                text = (
                    "its value is copied to the host here, and becomes a new tensor at "
                    f"{made.line}: the NumPy code in between is not recorded"
                )
                return [Reason("host", read.line, text)]
        return []

    def where_it_ends(self) -> list[Reason]:
        """Return the last uses of the value when the loss does not depend on it."""
        lines = [
            Reason("unused", call.line, f"the result of {call.name} here is not used in the loss")
            for array, call in self.last.items()
            if array not in self.operand_ids
        ]
        return lines or [Reason("unused", "", "the loss does not depend on it")]


def _dependents(step: CapturedStep, array) -> set[int]:
    found = {id(array)}
    for call in step.calls:
        if any(id(each) in found for _, each in _flat(call.operands, call.arrays)):
            found.update(id(each) for each in call.outputs)
    return found


def _flat(values, arrays) -> list[tuple]:
    """Return the pairs of two lists of the same structure, with nested lists flattened."""
    pairs = []
    for value, array in zip(values, arrays, strict=True):
        if isinstance(value, (list, tuple)) and isinstance(array, list):
            pairs += _flat(value, array)
        else:
            pairs.append((value, array))
    return pairs


def _is_edge_there(call, place: int) -> bool:
    """Return whether a node passes a gradient to an operand, by its position among all tensors."""
    operands = getattr(call.row, "operands", None)
    if operands is None or not hasattr(operands[0] if operands else None, "is_differentiable"):
        return place < len(call.node.edges) and call.node.edges[place] is not None
    at = edge = 0
    for operand, value in zip(operands, call.operands, strict=True):
        count = len(value) if isinstance(value, (list, tuple)) else 1
        if at <= place < at + count:
            return operand.is_differentiable and call.node.edges[edge + place - at] is not None
        at += count
        edge += count if operand.is_differentiable else 0
    return False


# ---- a path exists: the results of backward


def _of_backward(tensor, step: CapturedStep, state: str) -> list[Reason]:
    """Return the reasons that the recorded backwards show for a tensor in the graph."""
    leaf = tensor._meta.node
    steps = next((b.steps for b in reversed(step.backwards) if leaf in b.steps), None)
    if steps is None:
        ran = step.backwards[-1].steps if step.backwards else {}
        nothing = _returned_none(leaf, ran)
        if nothing:
            return nothing
        text = "the graph leads to it, but no backward ran in the captured step"
        return [Reason("no backward", "", text)]
    if state == "None":
        return [
            Reason("cleared", "", "it received a gradient; clear_grad() or another call removed it")
        ]
    return _zeroed(leaf, steps)


def _returned_none(leaf, steps: dict) -> list[Reason]:
    """Return the nodes that returned no gradient on an edge that leads to the leaf."""
    found = []
    for node, (_, results) in steps.items():
        for edge, result in zip(node.edges, results, strict=False):
            if edge is not None and result is None and leaf in _reachable(edge.node):
                text = f"{naming.node_name(node)} returned None for it"
                found.append(Reason("returned None", line_of_node(node).short, text))
    return found


def _zeroed(leaf, steps: dict) -> list[Reason]:
    """Return the nodes after which the gradient is zero, or has more zeros."""
    on_the_way = {node for node in steps if leaf in _reachable(node)}
    found = []
    for node, (grads, results) in steps.items():
        if node not in on_the_way or node.is_leaf:
            continue
        received = _nonzero(grads)
        made = [
            (edge, result)
            for edge, result in zip(node.edges, results, strict=False)
            if edge is not None and edge.node in on_the_way
        ]
        left = _nonzero([result for _, result in made])
        size = sum(result.size for _, result in made if result is not None)
        if received and size and left < size and not _spreads_zeros(node, grads, made):
            found.append(Reason("zeros", line_of_node(node).short, _zero_text(node, left, size)))
    return found


def _spreads_zeros(node, grads: list, made: list) -> bool:
    """Return whether a node only passes on zeros that it received, in the same proportion."""
    arrays = [grad for grad in grads if grad is not None]
    size, kept = sum(a.size for a in arrays), _nonzero(arrays)
    results = [result for _, result in made if result is not None]
    share = _nonzero(results) / max(1, sum(r.size for r in results))
    return kept < size and share >= kept / size


def _zero_text(node, left: int, size: int) -> str:
    share = f"{size - left} of {size} elements ({(size - left) / size:.0%})"
    name = getattr(node.op, "name", "")
    if name.startswith("relu") or name.endswith("relu"):
        return f"{naming.node_name(node)}: the ReLU is dead for {share}"
    formula = getattr(node.op, "formula", "")
    rule = f", by {formula}" if formula else ""
    return f"{naming.node_name(node)} makes zeros of {share}{rule}"


def _nonzero(arrays: list) -> int:
    return sum(int(np.count_nonzero(np.asarray(a))) for a in arrays if a is not None)
