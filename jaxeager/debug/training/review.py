"""Mistakes of a training program that its first two steps show, as notes of a gradient report.

Note [What is looked at]
    The graph of the first step is read when its backward begins, and at the second step's backward
    a gradient that is still the one of the first step was not cleared. After that nothing observes
    backwards any more. In lazy mode the graph is not read, because ops would run one by one.
    Optimizer, learning rate and modes of layers are read where they are, at the end of steps.
"""

from __future__ import annotations

import weakref
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from jaxeager.debug.common.first_rows import first_texts
from jaxeager.debug.stacks import stacks
from jaxeager.debug.stacks.lines import line_of_node, running_line
from jaxeager.graph import events
from jaxeager.kernels.lazy import mode

if TYPE_CHECKING:
    from jaxeager.graph.types import Node

_STEPS = 2  # whose backwards are observed
_MOST = 5  # names or lines that a note lists
_OTHER_IN_EVAL = {"Dropout": "drops nothing", "BatchNorm": "does not use the batch's statistics"}


class Review(events.Observer):
    """Collects notes on a training program: see Note [What is looked at].

    Args:
        model: the Layer, parameters, or pairs that the report is about.
        named: the names and parameters that are trained.
        optimizer: the optimizer; None if it is not known.
    """

    def __init__(self, model: Any, named: list[tuple[str, Any]], optimizer: Any):
        self._model, self._named, self._optimizer = model, named, optimizer
        self._steps = 0
        self._is_on = False
        self._seen: list[str] = []  # notes on the graph and on gradients
        self._grad: tuple[Any, Any] | None = None  # a parameter, and its gradient in the last step
        self._rates: list[float] = []
        self._moves: list[int] = []
        self._epoch: int | None = None
        self._not_held: list[str] = []

    # ---- while it is on

    def begin(self) -> None:
        """Observe the backwards of the first steps."""
        if not mode.is_chosen():
            self._is_on = True
            stacks.begin_use()
            events.observe(self)

    def end(self) -> None:
        """Stop observing, if that has not happened yet."""
        if self._is_on:
            self._is_on = False
            events.unobserve(self)
            stacks.end_use()

    def backward_began(self, run):
        if run.kind != "backward":
            return
        if self._steps == 0:
            self._add(_notes_on(run.tasks))
        elif self._grad is not None:
            param, of_step = self._grad
            self._grad, grad = None, param._meta.grad
            if grad is not None and grad._whole is of_step():
                self._add([
                    f"gradients of step {self._steps} were not cleared before backward at "
                    f"{running_line()}: each step adds to the sum of all; call clear_grad()"
                ])  # fmt: skip

    def step_ended_of(self, optimizer: Any) -> None:
        """Note the state after a step of the optimizer, before gradients are cleared."""
        self._steps += 1
        held = {id(each) for each in _parameters_of(optimizer)}
        self._not_held = [name for name, param in self._named if id(param) not in held]
        param = next(
            (each for _, each in self._named if id(each) in held and _has_grad(each)), None
        )
        if self._is_on and param is not None:
            self._grad = param, weakref.ref(param._meta.grad._whole)
        if self._steps >= _STEPS:
            self.end()
        self._rates.append(float(optimizer.get_lr()))
        epoch = getattr(optimizer._learning_rate, "last_epoch", None)
        if epoch is not None and self._epoch is not None:
            self._moves.append(epoch - self._epoch)
        self._epoch = epoch

    def _add(self, notes: list[str]) -> None:
        self._seen += [each for each in notes if each not in self._seen]

    # ---- what it has found

    def notes(self) -> list[str]:
        """Return the notes."""
        return [*self._seen, *self._of_parameters(), *self._of_rates(), *self._of_modes()]

    def _of_parameters(self) -> list[str]:
        found = []
        if self._not_held:
            found.append(f"the optimizer does not have {first_texts(self._not_held, _MOST)}")
        named = getattr(self._model, "named_parameters", None)
        pairs = named() if named else ()
        frozen = [name for name, each in pairs if each.stop_gradient and not _is_statistic(name)]
        if frozen:
            found.append(f"stop_gradient=True, so not trained: {first_texts(frozen, _MOST)}")
        return found

    def _of_rates(self) -> list[str]:
        found = []
        if self._rates and not any(self._rates):
            found.append(f"the learning rate was 0 in all {len(self._rates)} steps")
        if len(self._moves) > 1 and min(self._moves) > 1:
            schedule = type(self._optimizer._learning_rate).__name__
            found.append(
                f"{schedule} moved by at least {min(self._moves)} between two steps of the "
                "optimizer: call its step() once"
            )
        return found

    def _of_modes(self) -> list[str]:
        named = getattr(self._model, "named_sublayers", None)
        found: dict[str, list[str]] = {}
        for name, layer in named(include_self=True) if named else ():
            for kind, text in _OTHER_IN_EVAL.items():
                if kind in type(layer).__name__ and not layer.training:
                    found.setdefault(text, []).append(name or "the model")
        return [
            f"in eval mode, so that it {text}: {first_texts(names, _MOST)}"
            for text, names in found.items()
        ]


def _has_grad(param: Any) -> bool:
    return param._meta is not None and param._meta.grad is not None


def _is_statistic(name: str) -> bool:
    """Return whether a parameter's name is that of a running statistic of batch norm."""
    return name.rpartition(".")[2] in ("_mean", "_variance")


def _parameters_of(optimizer: Any) -> list:
    groups = optimizer._parameter_list or []
    found: list = []
    for each in groups:
        found += each["params"] if isinstance(each, dict) else [each]
    return found


def _notes_on(nodes: Iterable[Node]) -> list[str]:
    """Return what is suspicious in a graph, each with its line."""
    found: list[str] = []
    for node in nodes:
        if node.is_leaf or not hasattr(node.op, "operands"):
            continue
        found += _crossed(node) + _twice(node) + _alone(node)
    return found[:_MOST]


def _crossed(node: Any) -> list[str]:
    """Return a note on a column and a row of equal length that made a square: [N, 1] and [N]."""
    shapes = [tuple(each.shape) for each in node.shapes if hasattr(each, "shape")]
    if len(shapes) != 2 or len(node.op.operands) != 2:
        return []
    short, long = sorted(shapes, key=len)
    if not short or long != (*short, 1) or short[-1] == 1:
        return []
    made = list(node.out_avals[0].shape)
    return [
        f"{node.op.api_name} at {line_of_node(node)} broadcasts {list(shapes[0])} and "
        f"{list(shapes[1])} to {made}: every element of one meets every element of the other; "
        "reshape one of them if they are pairs"
    ]


def _twice(node: Any) -> list[str]:
    """Return a note on a cross entropy of probabilities: it applies softmax itself."""
    attrs = dict(zip(node.op.attrs, node.attrs, strict=False))
    if not attrs.get("use_softmax") or "cross_entropy" not in node.op.name:
        return []
    sources = [edge.node for edge in node.edges if edge is not None]
    made = [each for each in sources if each.name() in ("SoftmaxGradNode", "SigmoidGradNode")]
    return [
        f"cross_entropy at {line_of_node(node)} receives the result of {each.op.api_name} at "
        f"{line_of_node(each)}, and applies softmax itself: pass the scores, or use_softmax=False"
        for each in made
    ]


def _alone(node: Any) -> list[str]:
    """Return a note on a batch norm that has one number per channel: its results are its bias."""
    if node.op.name != "batch_norm" or len(node.out_avals) < 2:
        return []
    attrs = dict(zip(node.op.attrs, node.attrs, strict=False))
    out, channels = node.out_avals[0], node.out_avals[1].size
    if attrs.get("is_test") or attrs.get("use_global_stats") or out.size != channels:
        return []
    return [
        f"{node.op.api_name} at {line_of_node(node)} receives {list(out.shape)}, one number per "
        "channel: its results are its bias, and no gradient passes; use a larger batch or eval()"
    ]
