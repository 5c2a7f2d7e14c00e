"""debug.shapes: the shapes of each op of a network, for sizes that represent any number.

Note [Shapes for any size]
    JAX traces the network with symbols as sizes, as ``jit.save`` does (core/open_size.py). Nothing
    is computed and nothing is compiled. An observer writes down each op with the shapes of its
    tensors. A network may be traced several times: first with a symbol for each unknown size, then
    under the conditions that an op needs. The last trace counts; where all fail, the one that came
    farthest.
"""

from collections.abc import Callable
from typing import Any

import jax

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
from jaxeager.jit.saved_model.open_sizes import undecided_in
from jaxeager.jit.saved_model.weights import weights_of
from jaxeager.jit.static_function import StaticFunction
from jaxeager.nn import Layer
from jaxeager.static.input_spec import InputSpec
from jaxeager.utils.structure import flatten


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
        ['[batch, 8, 15, (size3 + 1) // 2 - 1]', '[batch, 120*((size3 + 1) // 2) - 120]']
    """
    if not callable(network):
        raise InvalidTypeError(
            f"debug.shapes takes a Layer or a function, but received {type(network).__name__}."
        )
    traced = _traced(network, args, kwargs)
    rows = _Rows(traced.layer)
    try:
        made = with_open_sizes(traced, lambda inputs: rows.of_trace(traced, inputs))
    except SizesRefused as refused:
        found = _report(rows.farthest, traced, refused.attempt)
        found.refusal = _reason(refused.error)
        return found
    return _report(rows.rows, traced, made.attempt)


def _traced(network: Any, args: tuple, kwargs: dict) -> Traced:
    """Return the data for a trace."""
    plain = network.dygraph_function if isinstance(network, StaticFunction) else network
    layer = network if isinstance(network, Layer) else getattr(network, "class_instance", None)
    has_specs = any(isinstance(each, InputSpec) for each in flatten([args, kwargs]))
    function = plain.forward if isinstance(plain, Layer) else plain
    arguments = Arguments(function, recorded(args, kwargs))
    return Traced(plain, layer, weights_of(layer), arguments, not has_specs, None, set())


def _report(rows: list[OpShape], traced: Traced, attempt: Any) -> OpShapes:
    names = traced.arguments.names
    inputs = dict(zip(names, map(shape_text, attempt.shapes), strict=True))
    return OpShapes(rows, inputs, attempt.bounds)


def _reason(error: Exception) -> str:
    """Return what an error says about sizes, and its line."""
    text = " ".join(str(undecided_in(error) or error).split()).split(" This error arises", 1)[0]
    return f"{with_operators(text)} {line_of(error)}".strip()


class _Rows(events.Observer):
    """The ops of a trace.

    Attributes:
        rows: those of the last trace.
        farthest: those of the trace with the most ops.
    """

    def __init__(self, layer: Layer | None):
        self.rows: list[OpShape] = []
        self.farthest: list[OpShape] = []
        named = () if layer is None else layer.named_sublayers()
        self._names = {id(each): name for name, each in named}
        self._layers: list[str] = []
        self._known: set[str] = set()

    def of_trace(self, traced: Traced, inputs: list) -> Any:
        """Trace a network and write down its ops."""
        self.rows, self._layers = [], []
        self._known = {size_text(size) for each in inputs for size in each.shape}
        try:
            with events.observing(self):
                weights = structs_of(traced.weights)
                return jax.eval_shape(program_of(traced), weights, inputs, KEY_WORDS)
        finally:
            if len(self.rows) > len(self.farthest):
                self.farthest = self.rows

    def nn_layer_began(self, layer: Any) -> None:
        name = self._names.get(id(layer))
        kind = type(layer).__name__
        self._layers.append(kind if name is None else f"{name} ({kind})")

    def nn_layer_ended(self, layer: Any) -> None:
        self._layers.pop()

    def op_ran(self, row, operands, attrs, tensors, node, is_inplace) -> None:
        outputs = [tensor.shape for tensor in tensors]
        sizes = [size_text(size) for shape in outputs for size in shape]
        new = dict.fromkeys(s for s in sizes if not s.isdecimal() and s not in self._known)
        self._known.update(new)
        self.rows.append(
            OpShape(
                row.name,
                self._layers[-1] if self._layers else "",
                running_line(),
                tuple(map(shape_text, _shapes(operands))),
                tuple(map(shape_text, outputs)),
                tuple(new),
            )
        )


def _shapes(operands: Any) -> list:
    """Return the shapes of the tensors among an op's operands."""
    return [each.shape for each in flatten(list(operands)) if hasattr(each, "_array")]
