"""export: a Layer or a function as a model of ONNX.

Note [Models of ONNX]
    The function is traced as for ``jit.save`` (saved_model/exporting.py), so unknown sizes, ``if``
    and ``while`` on tensors, and the form for inference are the same. The program is converted
    (converter.py); the weights are initializers with the names of the state dict. Before it is
    written, onnx's own checker checks the model and infers all shapes.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import jax
import numpy as np

from jaxeager.core.user_lines import warn
from jaxeager.errors import InvalidArgumentError, UnavailableError
from jaxeager.graph import events
from jaxeager.jit.saved_model.exporting import (
    KEY_WORDS,
    SizesRefused,
    Traced,
    program_of,
    refuses_sizes,
    structs_of,
    with_open_sizes,
)
from jaxeager.jit.saved_model.files import prefix_of
from jaxeager.jit.saved_model.open_sizes import Attempt
from jaxeager.jit.saved_model.saving import check_kind, owner_of, traced_of, without_parallel
from jaxeager.nn import Layer

if TYPE_CHECKING:
    from os import PathLike

    from onnx import ModelProto


_CONFIGS = ("output_spec",)


def export(
    layer: Layer | Callable,
    path: str | PathLike,
    input_spec: Sequence[object] | None = None,
    opset_version: int = 9,
    **configs: Any,
) -> None:
    """Write a Layer or a function as ``path.onnx``, a model for onnxruntime and other runtimes.

    The model is the one for inference, whatever mode the Layer is in, and accepts any size where
    the InputSpec has None. A function may be for some sizes only, such as two rows or more: a
    warning names them, because runtimes do not check them. ``if`` and ``while`` on tensors become
    ``If`` and ``Loop``. The inputs have the names of the arguments, the weights those of the state
    dict, and the outputs are ``output_0`` and so on. Weights of more than 2 GiB are in
    ``path.onnx.data``.

    Args:
        layer: a Layer, whose forward is exported, or a function.
        path: the name of the file without ``.onnx``.
        input_spec: for each argument an ``InputSpec``, a tensor as an example, lists and dicts of
            such, or a value that becomes part of the model. By default that of ``to_static`` is
            used, or the arguments of the last call of the marked function.
        opset_version: the version of ONNX's operators. What is lower than 20 becomes 20, the
            lowest in which all operators are that the model may use.
        **configs: ``output_spec``, the numbers of the outputs to keep.

    Raises:
        InvalidTypeError: when it is neither a Layer nor a function.
        InvalidArgumentError: for a path, an input_spec, an opset or a config that cannot be used.
        UnimplementedError: when an op has no operator in ONNX; it is named. ONNX has none for
            random numbers, complex ones, and decompositions of matrices.
        UnavailableError: when the package onnx is not installed.

    Paddle: ``output_spec`` is a list of tensors; the converter paddle2onnx has to be installed.

    Example:
        >>> import tempfile
        >>> import onnxruntime
        >>> import jaxeager as paddle
        >>> net = paddle.nn.Sequential(paddle.nn.Linear(2, 3), paddle.nn.GELU())
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     spec = paddle.static.InputSpec([None, 2], name="x")
        ...     paddle.onnx.export(net, folder + "/net", [spec])
        ...     session = onnxruntime.InferenceSession(folder + "/net.onnx")
        >>> x = paddle.ones([4, 2])
        >>> (out,) = session.run(None, {"x": x.numpy()})
        >>> bool(abs(out - net(x).numpy()).max() < 1e-6)
        True
    """
    for name in configs:
        if name not in _CONFIGS:
            raise InvalidArgumentError(
                f"The additional config ({name}) of `paddle.onnx.export` is not supported; it "
                f"takes {', '.join(_CONFIGS)}."
            )
    try:
        from jaxeager.onnx import model_file
    except ImportError as error:
        raise UnavailableError(
            "paddle.onnx.export writes models with the onnx package: pip install 'jaxeager[onnx]'."
        ) from error
    check_kind(layer, "paddle.onnx.export")
    prefix = prefix_of(path, "paddle.onnx.export")
    opset = model_file.opset_of(opset_version)
    layer = without_parallel(layer)
    owner = owner_of(layer)
    is_forward = isinstance(layer, Layer)
    function = layer.forward if isinstance(layer, Layer) else layer
    traced = traced_of(function, is_forward, owner, input_spec, configs.get("output_spec"))
    model = model_of(traced, opset)
    for remark in traced.remarks:
        warn(remark)
    if model.graph.doc_string:
        warn(
            f"{model.graph.doc_string}: {prefix}.onnx is only right then, which no runtime checks."
        )
    model_file.write(model, f"{prefix}.onnx")


def model_of(traced: Traced, opset: int) -> ModelProto:
    """Return a traced function as a ModelProto: see Note [Models of ONNX]."""
    from jaxeager.onnx import model_file
    from jaxeager.onnx.marks import Marking

    def trace(_: Attempt, inputs: list) -> tuple:
        with events.observing(Marking()):
            return inputs, jax.make_jaxpr(program_of(traced))(
                structs_of(traced.weights), inputs, KEY_WORDS
            )

    try:
        attempt, (inputs, program) = with_open_sizes(traced, trace)
    except SizesRefused as refused:
        raise refuses_sizes(traced, refused.attempt, refused.error) from refused.error
    weights = {
        name: np.asarray(traced.weights[name].tensor._array) for name in sorted(traced.weights)
    }
    name = program_of(traced).__name__
    named = list(zip(traced.arguments.names, inputs, strict=True))
    model = model_file.model_of(program, name, weights, named, opset)
    model.graph.doc_string = _needed_sizes(traced.arguments.names, attempt)
    return model


def _needed_sizes(names: Sequence[str], attempt: Attempt) -> str:
    """Return what the sizes of inputs have to be; "" where any will do.

    Args:
        names: those of the inputs.
        attempt: the shapes that the program is for.
    """
    if not attempt.bounds and not any("*" in text for text in attempt.texts):
        return ""
    shapes = [f"{name}: [{text}]" for name, text in zip(names, attempt.texts, strict=True)]
    bounds = f" with {' and '.join(attempt.bounds)}" if attempt.bounds else ""
    return f"For {', '.join(shapes)}{bounds}"
