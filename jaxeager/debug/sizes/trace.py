"""debug.shapes: the shapes of each op of a network, for sizes that represent any number.

Note [Shapes for any size]
    JAX traces the network with symbols as sizes, as ``jit.save`` does (core/open_size.py). Nothing
    is computed and nothing is compiled. An observer writes down each op with the shapes of its
    tensors. A network may be traced several times: first with a symbol for each unknown size, then
    under the conditions that an op needs. The last trace counts; where all fail, the one that came
    farthest.
"""

from __future__ import annotations

import contextlib
import dataclasses
import functools
import inspect
import re
import threading
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

import jax

from jaxeager.debug.replays.state import Members
from jaxeager.debug.sizes.report import OpShape, OpShapes, shape_text, size_text, with_operators
from jaxeager.debug.stacks.lines import running_line
from jaxeager.errors import InvalidTypeError
from jaxeager.graph import events
from jaxeager.jit.capture.refusals import line_of
from jaxeager.jit.saved_model.argument_specs import Arguments, recorded
from jaxeager.jit.saved_model.exporting import (
    KEY_WORDS,
    SizesRefused,
    Traced,
    program_of,
    structs_of,
    with_open_sizes,
)
from jaxeager.jit.saved_model.open_sizes import Attempt, undecided_in
from jaxeager.jit.saved_model.saving import owner_of
from jaxeager.jit.saved_model.weights import weights_of
from jaxeager.jit.static_function import StaticFunction
from jaxeager.nn import Layer
from jaxeager.static.input_spec import InputSpec
from jaxeager.utils.structure import flatten

if TYPE_CHECKING:
    from collections.abc import Iterable


def shapes(network: Layer | Callable, *args: Any, **kwargs: Any) -> OpShapes:
    """Return the shapes of each op of a forward, for inputs of any size.

    Nothing is computed or compiled. A size of the result is a formula of the sizes of the inputs:
    "(size2 + 1) // 2". So the table shows which axis a wrong size comes from, what the network
    needs of its inputs, and the line whose decision depends on a size, so that a compiled program
    holds for one size alone.

    Args:
        network: a Layer, which is called as after ``eval()``, or a function.
        *args: its arguments: an ``InputSpec``, in which None is a size that represents any number,
            a tensor or array as an example, or any other value. If there is no InputSpec, the first
            size of each tensor is open.
        **kwargs: those by name.

    Returns:
        OpShapes, a list of OpShape; its text is a table.

    Raises:
        InvalidTypeError: when the network cannot be called.
        UnimplementedError: when it reads values of tensors.

    Example:
        >>> import jaxeager as paddle
        >>> net = paddle.nn.Sequential(paddle.nn.Conv2D(3, 8, 3, stride=2), paddle.nn.Flatten())
        >>> image = paddle.static.InputSpec([None, 3, 32, None], "float32", "image")
        >>> found = paddle.debug.shapes(net, image)
        >>> [op.outputs[0] for op in found if op.op in ("conv2d", "flatten")]
        ['[batch, 8, 15, (size3 + 1) // 2 - 1]', '[batch, 120 * ((size3 + 1) // 2) - 120]']
    """
    if not callable(network):
        raise InvalidTypeError(
            f"debug.shapes takes a Layer or a function, but received {type(network).__name__}."
        )
    traced = _traced(network, args, kwargs)
    ops = _Ops(traced.layer)
    with _restored(_layers_of(network)):
        try:
            with_open_sizes(traced, functools.partial(ops.of_trace, traced))
        except SizesRefused:
            return _report(traced, ops.farthest)
    return _report(traced, ops.last)


def _traced(network: Layer | Callable, args: tuple, kwargs: dict) -> Traced:
    """Return the data for a trace."""
    plain = network.dygraph_function if isinstance(network, StaticFunction) else network
    layer = owner_of(network)
    has_specs = any(isinstance(each, InputSpec) for each in flatten([args, kwargs]))
    function = plain.forward if isinstance(plain, Layer) else plain
    arguments = Arguments(function, recorded(args, kwargs))
    return Traced(plain, layer, weights_of(layer), arguments, not has_specs, None, set())


def _layers_of(network: Layer | Callable) -> list[Layer]:
    """Return the Layers that a network is, belongs to, or reads as a variable."""
    found = [owner_of(network), getattr(network, "__self__", None)]
    if inspect.isfunction(network):
        read = inspect.getclosurevars(network)
        found += [*read.nonlocals.values(), *read.globals.values()]
    return [each for each in found if isinstance(each, Layer)]


@contextlib.contextmanager
def _restored(layers: list[Layer]) -> Iterator[None]:
    """Give Layers back their members and gradients, which a trace may replace by its tensors."""
    members = list(map(Members, layers))
    parameters = [each for layer in layers for each in layer.parameters()]
    gradients = [(each, each.grad) for each in parameters]
    try:
        yield
    finally:
        for each in members:
            each.restore()
        for parameter, gradient in gradients:
            if parameter.grad is not gradient:
                parameter.clear_gradient(False)
                parameter.grad = gradient


@dataclasses.dataclass
class _Trace:
    """One trace of a network.

    Attributes:
        attempt: the shapes of its inputs.
        known: the sizes that there are so far.
        ops: the ops that ran.
        error: what ended it; None if it came to its end.
    """

    attempt: Attempt
    known: set[str]
    ops: list[OpShape] = dataclasses.field(default_factory=list)
    error: Exception | None = None


def _report(traced: Traced, trace: _Trace) -> OpShapes:
    shapes = map(shape_text, trace.attempt.shapes)
    inputs = dict(zip(traced.arguments.names, shapes, strict=True))
    refusal = "" if trace.error is None else _reason(trace.error)
    return OpShapes(trace.ops, inputs, trace.attempt.bounds, refusal)


def _reason(error: Exception) -> str:
    """Return what an error says about sizes, and its line."""
    text = " ".join(str(undecided_in(error) or error).split()).split(" This error arises", 1)[0]
    asked = re.fullmatch(r"(whether )(.+)( depends on the size.*)", text)
    if asked:
        with contextlib.suppress(SyntaxError):
            text = f"{asked[1]}{with_operators(asked[2])}{asked[3]}"
    return f"{text} {line_of(error)}".strip()


class _Ops(events.Observer):
    """The ops of the traces of a network, in the thread that made this.

    Attributes:
        last: the last trace.
        farthest: the trace with the most ops.
    """

    last: _Trace
    farthest: _Trace

    def __init__(self, layer: Layer | None):
        named = () if layer is None else layer.named_sublayers()
        self._names = {id(each): name for name, each in named}
        self._thread = threading.get_ident()
        self._layers: list[str] = []
        self.last = self.farthest = _Trace(Attempt([], [], ()), set())

    def of_trace(self, traced: Traced, attempt: Attempt, inputs: list) -> object:
        """Trace a network and write down its ops."""
        known = {size_text(size) for each in inputs for size in each.shape}
        self.last, self._layers = _Trace(attempt, known), []
        try:
            with events.observing(self):
                weights = structs_of(traced.weights)
                return jax.eval_shape(program_of(traced), weights, inputs, KEY_WORDS)
        except Exception as error:
            self.last.error = error
            raise
        finally:
            if self.farthest.error is None or len(self.last.ops) > len(self.farthest.ops):
                self.farthest = self.last

    def _is_here(self) -> bool:
        return threading.get_ident() == self._thread

    def nn_layer_began(self, layer: Layer) -> None:
        if self._is_here():
            name, kind = self._names.get(id(layer)), type(layer).__name__
            self._layers.append(kind if name is None else f"{name} ({kind})")

    def nn_layer_ended(self, layer: object) -> None:
        if self._is_here() and self._layers:
            self._layers.pop()

    def op_ran(self, row, operands, attrs, tensors, node, is_inplace) -> None:
        if not self._is_here():
            return
        outputs = [tensor.shape for tensor in tensors]
        sizes = [size_text(size) for shape in outputs for size in shape]
        known = self.last.known
        new = dict.fromkeys(each for each in sizes if not each.isdecimal() and each not in known)
        known.update(new)
        self.last.ops.append(
            OpShape(
                row.name,
                self._layers[-1] if self._layers else "",
                running_line(),
                tuple(map(shape_text, _shapes(operands))),
                tuple(map(shape_text, outputs)),
                tuple(new),
            )
        )


def _shapes(operands: Iterable) -> list:
    """Return the shapes of the tensors among an op's operands."""
    return [each.shape for each in flatten(list(operands)) if hasattr(each, "_array")]
