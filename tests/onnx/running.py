"""Functions exported to ONNX and run by onnxruntime, next to this library."""

import numpy as np
import onnxruntime

from jaxeager.jit.saved_model.saving import traced_of
from jaxeager.onnx import model_file
from jaxeager.onnx.exporting import model_of
from jaxeager.tensor import Tensor
from jaxeager.utils.structure import flatten

OPSET = model_file.LEAST_OPSET


def model_of_function(function, tensors):
    """Return the ModelProto of a function of tensors, for these shapes."""
    return model_of(traced_of(function, False, None, list(tensors), None), OPSET)


def run_model(model, arrays):
    """Return the outputs of a model in onnxruntime."""
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    options.log_severity_level = 3
    session = onnxruntime.InferenceSession(
        model.SerializeToString(), options, providers=["CPUExecutionProvider"]
    )
    names = [each.name for each in session.get_inputs()]
    return session.run(None, dict(zip(names, arrays, strict=True)))


def operators_of(model) -> set[str]:
    """Return the names of the operators of a model."""
    return {node.op_type for node in model.graph.node}


def both(function, tensors, specs=None):
    """Return what a function gives here, and in onnxruntime: two lists of arrays.

    Args:
        function: the function.
        tensors: its arguments.
        specs: an InputSpec for each, where sizes are open.
    """
    model = model_of_function(function, specs or tensors)
    here = [each.numpy() for each in flatten(function(*tensors)) if isinstance(each, Tensor)]
    given = [np.asarray(each._array) for each in flatten(list(tensors)) if isinstance(each, Tensor)]
    return here, run_model(model, given)


def check_same(function, tensors, specs=None):
    """Check that a function gives the same in onnxruntime: shapes, dtypes and values."""
    here, there = both(function, tensors, specs)
    assert len(here) == len(there)
    for ours, theirs in zip(here, there, strict=True):
        assert (ours.shape, ours.dtype) == (theirs.shape, theirs.dtype)
        if ours.dtype.kind == "f":
            np.testing.assert_allclose(theirs, ours, rtol=2e-5, atol=2e-6)
        else:
            np.testing.assert_array_equal(theirs, ours)
