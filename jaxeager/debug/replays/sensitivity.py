"""debug.sensitivity: which sample of a batch has the large gradient, and where it becomes large."""

from __future__ import annotations

import copy
import math
import statistics
from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

import jax
import numpy as np

from jaxeager.core.symbolic import is_symbolic
from jaxeager.debug.common.first_rows import first_lines
from jaxeager.debug.replays import state
from jaxeager.debug.stacks.lines import line_of_node
from jaxeager.debug.stacks.stacks import StackedObserver
from jaxeager.errors import InvalidArgumentError, InvalidTypeError
from jaxeager.graph.few_rows import FewRows
from jaxeager.graph.rows import array_of, written_out
from jaxeager.tensor.tensor import Tensor

if TYPE_CHECKING:
    from jaxeager.graph.types import Node
    from jaxeager.tensor import Parameter

_SHOWN = 12
_OUTLIER = 10.0  # a sample whose gradient is this many times the others' has its origin named


class NodeNorms(NamedTuple):
    """The gradients of one node of backward.

    Attributes:
        name: the node.
        line: the program's line that recorded it.
        given: the norm of the gradients that it received.
        made: the norm of those that it computed.
    """

    name: str
    line: str
    given: float
    made: float


class Sample(NamedTuple):
    """The gradient of one sample.

    Attributes:
        index: its position in the batch.
        loss: its loss.
        norm: the norm of the gradient of all parameters.
        ratio: the norm relative to the median of the other samples.
        parameter: the parameter with the largest gradient, "" if none has one.
        origin: the node at which the gradient leaves those of the other samples, with the norms
            relative to their medians (for a gradient that is not finite, the norms themselves);
            None if the sample is like the others, or no node explains it.
    """

    index: int
    loss: float
    norm: float
    ratio: float
    parameter: str
    origin: NodeNorms | None


class Sensitivity(list):
    """The Sample of each element of a batch, the largest gradient first; it prints as a table."""

    def __str__(self) -> str:
        lines = [f"{'sample':>6}  {'loss':>10}  {'gradient':>10}  {'/ others':>10}  largest in"]
        lines += first_lines(self, _SHOWN, _line_of)
        for each in self[:_SHOWN]:
            if each.origin is not None:
                lines.append(_origin_text(each))
        return "\n".join(lines)


def _line_of(sample: Sample) -> str:
    return (
        f"{sample.index:6}  {sample.loss:10.4g}  {sample.norm:10.4g}  {sample.ratio:10.4g}  "
        f"{sample.parameter}"
    )


def sensitivity(loss_of: Callable[..., Any], model: Any, *batch: object) -> Sensitivity:
    """Compute the gradient of each sample of a batch alone; return them, the largest first.

    For a sample whose gradient is 10 times that of the others, or not finite, the node of backward
    is named at which it becomes so. Every sample starts from the same weights, buffers and random
    numbers, and these and the gradients are restored at the end; gradients of other Layers are not.
    A batch norm in training computes the statistics of the one sample; call ``model.eval()`` before
    where that matters.

    Args:
        loss_of: called with one sample, as a batch of one; returns its loss.
        model: the Layer whose parameters' gradients are measured.
        batch: Tensors and arrays, or lists, tuples and dicts of them. The first axis is that of the
            samples; what has no axis is given to each sample.

    Returns:
        a list of Sample, the largest gradient first, that prints as a table.

    Raises:
        InvalidArgumentError: when the first axes have several lengths, or there is none; when
            there are no samples; when the loss has not one element.
        InvalidTypeError: when the model is no Layer, or the loss is complex.

    Example:
        >>> import jaxeager as paddle
        >>> model = paddle.nn.Linear(1, 1, weight_attr=paddle.nn.initializer.Constant(1.0))
        >>> x = paddle.to_tensor([[0.5], [1.0], [20.0], [1.5]])
        >>> found = paddle.debug.sensitivity(lambda x: model(x).exp().sum(), model, x)
        >>> found[0].index, found[0].ratio > 1e8, found[0].origin.name
        (2, True, 'ExpGradNode')
    """
    if not hasattr(model, "named_parameters"):
        raise InvalidTypeError(
            f"sensitivity measures the parameters of a Layer, but received {type(model).__name__}."
        )
    before = state.State((model,))
    runs = []
    try:
        for sample in _samples(batch):
            runs.append(_run(loss_of, sample, model))
            before.restore()
    finally:
        before.restore()
    samples = [_compared(runs, index) for index in range(len(runs))]
    return Sensitivity(sorted(samples, key=lambda each: -_order(each.norm)))


class _Run(NamedTuple):
    """The gradient of one sample.

    Attributes:
        loss: its loss.
        norms: the norm of each parameter's gradient, by name.
        nodes: the nodes of backward, in the order in which they ran.
        leads: for each of them, whether it leads to the parameter with the largest gradient.
    """

    loss: float
    norms: dict[str, float]
    nodes: list[NodeNorms]
    leads: list[bool]

    @property
    def largest(self) -> str:
        """Return the name of the parameter with the largest gradient, "" if none has one."""
        return _largest(self.norms)

    @property
    def norm(self) -> float:
        return _together(self.norms.values())


class _Nodes(StackedObserver):
    """Keeps the nodes of backward, and the norms of what each received and computed."""

    def __init__(self):
        self.ran: list[Node] = []
        self.nodes: list[NodeNorms] = []

    def node_ended(self, node, grads, results):
        self.ran.append(node)
        if not node.is_leaf:
            line = str(line_of_node(node))
            self.nodes.append(NodeNorms(node.name(), line, _norm(grads), _norm(results)))


def _run(loss_of: Callable[..., Any], sample: tuple, model: Any) -> _Run:
    """Return the gradient of one sample; the parameters' gradients are then this one's."""
    params = dict(model.named_parameters())
    for param in params.values():
        param.clear_gradient(False)
    with _Nodes() as observer:
        loss = loss_of(*sample)
        if not isinstance(loss, Tensor) or loss.size != 1:
            raise InvalidArgumentError(
                f"loss_of should return a loss of one element, but returned {_text(loss)}."
            )
        if loss.is_complex():
            raise InvalidTypeError(f"A loss should be a real number, but is {loss.dtype}.")
        loss.backward()
    grads = {name: param.grad for name, param in params.items()}
    norms = {name: _norm(array_of(grad)) for name, grad in grads.items() if grad is not None}
    return _Run(
        float(loss), norms, observer.nodes, _leads(observer.ran, params.get(_largest(norms)))
    )


def _leads(nodes: list[Node], param: Parameter | None) -> list[bool]:
    """Return for each node that is no leaf, in order, whether it leads to a parameter."""
    leading, leads = set(), []
    for node in reversed(nodes):
        if node.is_leaf:
            is_leading = param is not None and node.meta() is param._meta
        else:
            is_leading = any(id(each) in leading for each in node.next_functions)
            leads.append(is_leading)
        if is_leading:
            leading.add(id(node))
    return leads[::-1]


# ---- the samples of a batch


def _samples(batch: tuple) -> Iterator[tuple]:
    """Yield each sample of a batch, as a batch of one."""
    leaves: list[Any] = []
    _mapped(leaves.append, batch)
    lengths = {each.shape[0] for each in leaves if _has_samples(each)}
    if len(lengths) != 1:
        raise InvalidArgumentError(
            "What is in a batch should have as many samples each, along the first axis, but "
            f"received {', '.join(map(_text, leaves)) or 'nothing'}."
        )
    count = lengths.pop()
    if not count:
        raise InvalidArgumentError("The batch has no samples: its first axis is 0 long.")
    for index in range(count):
        yield _mapped(lambda each, index=index: _sample(each, index), batch)


def _mapped(function: Callable[[Any], Any], value: Any) -> Any:
    """Return nested dicts, lists and tuples with a function applied to each element, in order.

    ``jax.tree.map`` sorts the keys of dicts, and refuses keys that have no order.
    """
    if isinstance(value, dict):
        mapped = copy.copy(value)
        mapped.update({key: _mapped(function, each) for key, each in value.items()})
        return mapped
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        return type(value)(*[_mapped(function, each) for each in value])
    if isinstance(value, (list, tuple)):
        return type(value)([_mapped(function, each) for each in value])
    return function(value)


def _sample(value: Any, index: int) -> Any:
    """Return a copy of one sample; a Tensor is a new leaf, so that the batch gets no gradient."""
    sample = value.detach() if _is_tensor(value) else value
    if _has_samples(value):
        sample = sample[index : index + 1]
    if _is_tensor(value):
        sample = sample.clone()
        sample.stop_gradient = value.stop_gradient
    return sample.copy() if isinstance(value, np.ndarray) else sample


def _is_tensor(value: object) -> bool:
    return isinstance(value, Tensor)


def _has_samples(value: Any) -> bool:
    return isinstance(value, (Tensor, jax.Array, np.ndarray)) and value.ndim > 0


def _text(value: object) -> str:
    shape = getattr(value, "shape", None)
    return type(value).__name__ if shape is None else f"{type(value).__name__} of {list(shape)}"


# ---- comparison


def _compared(runs: list[_Run], index: int) -> Sample:
    """Return a sample, and where its gradient leaves those of the others."""
    run = runs[index]
    others = [each for position, each in enumerate(runs) if position != index]
    ratio = _ratio(run.norm, [each.norm for each in others])
    is_like_others = math.isfinite(run.norm) and not ratio > _OUTLIER
    origin = None if is_like_others else _origin(run, others)
    return Sample(index, run.loss, run.norm, ratio, run.largest, origin)


def _origin(run: _Run, others: list[_Run]) -> NodeNorms | None:
    """Return the node that enlarges the gradient most, relative to its medians in other samples.

    Only nodes that lead to the parameter with the largest gradient count, and only samples that ran
    the same nodes are compared with. For a gradient that is not finite it is the first node that
    makes such numbers from finite ones.
    """
    leading = [(position, node) for position, node in enumerate(run.nodes) if run.leads[position]]
    if not math.isfinite(run.norm):
        bad = [n for _, n in leading if math.isfinite(n.given) and not math.isfinite(n.made)]
        return bad[0] if bad else None
    peers = [each.nodes for each in others if _path(each) == _path(run)]
    growth, origin = -math.inf, None
    for position, node in leading if peers else []:
        given = _ratio(node.given, [nodes[position].given for nodes in peers])
        made = _ratio(node.made, [nodes[position].made for nodes in peers])
        if given > 0 and made > 1 and made / given > growth:
            growth, origin = made / given, NodeNorms(node.name, node.line, given, made)
    return origin


def _path(run: _Run) -> list[tuple[str, str]]:
    return [(node.name, node.line) for node in run.nodes]


def _largest(norms: dict[str, float]) -> str:
    return max(norms, key=lambda name: _order(norms[name]), default="")


def _ratio(norm: float, others: list[float]) -> float:
    """Return a norm relative to the median of those of others that are finite, NaN without one."""
    finite = [each for each in others if math.isfinite(each)]
    if not finite:
        return math.nan
    median = statistics.median(finite)
    return norm / median if median else (1.0 if norm == 0 else math.inf)


def _order(norm: float) -> float:
    """Return the norm to sort by: NaN is the largest."""
    return math.inf if math.isnan(norm) else norm


def _origin_text(sample: Sample) -> str:
    node = sample.origin
    assert node is not None
    where = f"{node.name} at {node.line or '?'}"
    if not math.isfinite(sample.norm):
        return f"sample {sample.index}: its gradient is not finite from {where} on"
    if not math.isfinite(node.made):
        return f"sample {sample.index}: most of the others' gradients are zero from {where} on"
    return (
        f"sample {sample.index}: its gradient grows at {where}, from {node.given:.4g} to "
        f"{node.made:.4g} times the others'"
    )


# ---- norms


def _norm(gradients: object) -> float:
    """Return the norm of gradients: arrays, few rows, None, and lists of them."""
    leaves = jax.tree.leaves(gradients, is_leaf=lambda each: isinstance(each, FewRows))
    arrays = [written_out(each) for each in leaves]
    return _together(_norm_of(np.asarray(each)) for each in arrays if not is_symbolic(each))


def _norm_of(array: np.ndarray) -> float:
    sizes = np.abs(array.astype("complex128" if array.dtype.kind == "c" else "float64"))
    largest = float(sizes.max(initial=0.0))
    if largest == 0 or not math.isfinite(largest):
        return largest
    return largest * float(np.linalg.norm((sizes / largest).ravel()))


def _together(norms: Iterable[float]) -> float:
    """Return the norm of several arrays; NaN if one of them is."""
    every = list(norms)
    return math.nan if any(map(math.isnan, every)) else math.hypot(*every)
