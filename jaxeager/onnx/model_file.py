"""A converted program as a file: inputs, outputs, weights, checks."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import onnx
from onnx import checker, defs, external_data_helper, helper, shape_inference

from jaxeager.errors import InvalidArgumentError
from jaxeager.framework.io.paths import writing
from jaxeager.onnx import rows, steps  # noqa: F401 - they fill the tables
from jaxeager.onnx.converter import Converter, Refused, refused
from jaxeager.onnx.graph_builder import GraphBuilder, tensor_proto, value_info
from jaxeager.onnx.simplifying import joined, reads
from jaxeager.onnx.sizes import define_sizes
from jaxeager.version import full_version

if TYPE_CHECKING:
    import jax
    from jax.extend.core import ClosedJaxpr
    from onnx import NodeProto


LEAST_OPSET = 20
"""The first opset with Gelu; the operators that this package writes are the same since."""
_LEAST_APART = 1024  # bytes of a weight in the file next to the model
_MOST_IN_ONE_FILE = 2**31 - 2**24  # bytes of weights: protobuf writes no message of 2 GiB


def opset_of(version: object) -> int:
    """Return the opset of a file: the one that is asked for, or the least that is written.

    Raises:
        InvalidArgumentError: for a version that the onnx package does not know.
    """
    newest = defs.onnx_opset_version()
    if isinstance(version, bool) or not isinstance(version, int) or not 1 <= version <= newest:
        raise InvalidArgumentError(
            f"paddle.onnx.export: opset_version is a number from 1 to {newest}, the newest of onnx "
            f"{onnx.__version__}, but received {version!r}."
        )
    return max(version, LEAST_OPSET)


def model_of(
    program: ClosedJaxpr,
    name: str,
    weights: dict[str, np.ndarray],
    inputs: Sequence[tuple[str, jax.ShapeDtypeStruct]],
    opset: int,
) -> onnx.ModelProto:
    """Return the model of a traced program.

    Args:
        program: the closed jaxpr, whose arguments are the weights, the inputs and two words of a
            random key.
        name: that of the graph.
        weights: the weights in the order of the arguments, by name.
        inputs: name and struct of each input.
        opset: the version of ONNX's operators.

    Raises:
        UnimplementedError: when a result needs a step that ONNX does not have.
    """
    builder = GraphBuilder()
    named = [builder.name(each) for each, _ in inputs]
    declared = [
        value_info(each, struct.dtype, struct.shape)
        for each, (_, struct) in zip(named, inputs, strict=True)
    ]
    builder.kinds.update({n: (s.dtype, s.shape) for n, (_, s) in zip(named, inputs, strict=True)})
    define_sizes(builder, {n: s.shape for n, (_, s) in zip(named, inputs, strict=True)})
    operands = [builder.weight(each, value) for each, value in weights.items()] + named
    converter = Converter(builder)
    random = Refused("paddle.onnx.export: an op draws random numbers, which ONNX cannot repeat.")
    results = converter.run(program, [*operands, random])
    outputs = []
    for number, (result, aval) in enumerate(zip(results, program.out_avals, strict=True)):
        output = builder.name(f"output_{number}")
        made = converter.named(result)
        builder.nodes.append(helper.make_node("Identity", [made], [output], output))
        outputs.append(value_info(output, aval.dtype, aval.shape))
    names = [each.name for each in outputs]
    nodes = joined(needed(builder.nodes, names), builder, names)
    nodes = needed(nodes, names)
    read = {name for node in nodes for name in reads(node)}
    constants = [tensor_proto(n, value) for n, value in builder.constants.items() if n in read]
    made = [each for node in nodes for each in node.output if each not in names]
    kinds = [value_info(each, *builder.kinds[each]) for each in made if each in builder.kinds]
    graph = helper.make_graph(nodes, name, declared, outputs, constants, value_info=kinds)
    opsets = [helper.make_opsetid("", opset)]
    model = helper.make_model(graph, producer_name="jaxeager", opset_imports=opsets)
    model.producer_version = full_version
    model.ir_version = helper.find_min_ir_version_for(opsets)
    return model


def needed(nodes: Sequence[NodeProto], outputs: Sequence[str]) -> list[NodeProto]:
    """Return the nodes that outputs depend on, in order."""
    wanted, kept = set(outputs), []
    for node in reversed(nodes):
        if not wanted.isdisjoint(node.output):
            wanted.update(reads(node))
            kept.append(node)
    return kept[::-1]


def write(model: onnx.ModelProto, path: str) -> None:
    """Check a model and write it; beyond 2 GiB, its weights are in a file next to it."""
    folder = os.path.dirname(path) or "."
    if sum(len(each.raw_data) for each in model.graph.initializer) > _MOST_IN_ONE_FILE:
        os.makedirs(folder, exist_ok=True)
        data = f"{os.path.basename(path)}.data"
        for each in model.graph.initializer:
            if len(each.raw_data) > _LEAST_APART:
                external_data_helper.set_external_data(each, data)
        with tempfile.TemporaryDirectory(dir=folder) as beside:
            made = os.path.join(beside, os.path.basename(path))
            onnx.save_model(model, made)
            _check(made)
            os.replace(os.path.join(beside, data), os.path.join(folder, data))
            os.replace(made, path)
        return
    _check(model, full_check=True)
    with writing(path) as out:
        out.write(model.SerializeToString())


def _check(model: onnx.ModelProto | str, **given: Any) -> None:
    """Check a model, or the file of one.

    Raises:
        UnimplementedError: when it is not valid, because an operator does not take a dtype.
    """
    try:
        checker.check_model(model, **given)
    except (checker.ValidationError, shape_inference.InferenceError) as error:
        raise refused("onnx does not accept the model", f"says: {error}") from error
