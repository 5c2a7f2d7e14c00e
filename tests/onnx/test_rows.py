"""Every row of the op table, exported and run by onnxruntime: the same results, or refused by name.

One sample of every second row, and of those that are written as operators; ``deep``: all samples of
all rows.
"""

import numpy as np
import pytest

from jaxeager.errors import UnimplementedError
from jaxeager.onnx.converter import ROWS as WRITTEN
from jaxeager.ops.row import ROWS
from tests.onnx.running import both, model_of_function, operators_of
from tests.support import checks
from tests.support.cases import cases_of, inputs, tensors

# What these need has no operator in ONNX, or not in onnxruntime: complex numbers, bits of floats,
# decompositions of matrices, Bessel functions.
REFUSED = frozenset(
    "as_complex as_real cholesky cholesky_solve complex copysign digamma eig eigh eigvals "
    "eigvalsh erfinv fft_c2c fft_c2r fft_r2c frexp gammainc gammaincc householder_product i0 i0e "
    "i1 i1e imag inverse log_minus_digamma lstsq lu lu_solve lu_unpack matrix_exp matrix_rank "
    "nextafter pinv qr real signbit slogdet solve svd svdvals triangular_solve view_dtype".split()
)
PARTLY_REFUSED = frozenset({"cast", "matrix_power", "p_norm"})  # some of their samples
OPERATORS = {
    "relu": "Relu", "relu6": "Clip", "leaky_relu": "LeakyRelu", "elu": "Elu", "celu": "Celu",
    "selu": "Selu", "gelu": "Gelu", "mish": "Mish", "softsign": "Softsign", "sinh": "Sinh",
    "hardswish": "HardSwish", "hardsigmoid": "HardSigmoid", "softplus": "Softplus",
    "prelu": "PRelu", "softmax": "Softmax", "log_softmax": "LogSoftmax", "hardshrink": "Shrink",
    "softshrink": "Shrink", "batch_norm": "BatchNormalization", "layer_norm": "LayerNormalization",
    "instance_norm": "InstanceNormalization", "pool2d": "MaxPool", "pool3d": "MaxPool",
    "nearest_interp": "Resize", "linear_interp": "Resize", "bilinear_interp": "Resize",
    "trilinear_interp": "Resize", "pad3d": "Pad", "clip": "Clip", "embedding": "Gather",
    "det": "Det", "conv2d_transpose": "ConvTranspose", "conv3d_transpose": "ConvTranspose",
    "depthwise_conv2d_transpose": "ConvTranspose", "logical_and": "And", "logical_or": "Or",
    "logical_xor": "Xor", "logical_not": "Not",
}  # fmt: skip


def _cases():
    """Yield a case per sample, in float32 or the row's first dtype; some are marked `deep`."""
    for place, row in enumerate(ROWS.values()):
        if checks.is_random(row) or not row.samples:
            continue
        is_usual = place % 2 == 0 or row.name in WRITTEN
        dtype = "float32" if "float32" in row.dtypes else row.dtypes[0]
        for case in cases_of(row):
            if case.dtype == dtype:
                marks = () if is_usual and case.number == 0 else pytest.mark.deep
                yield pytest.param(case, id=case.id, marks=marks)


def _function_of(case):
    return lambda *operands: case.row.function(*operands, **case.sample.attrs)


@pytest.mark.parametrize("case", list(_cases()))
def test_a_row_gives_the_same_in_onnxruntime(case):
    try:
        here, there = both(_function_of(case), tensors(inputs(case)))
    except UnimplementedError:
        assert case.row.name in REFUSED | PARTLY_REFUSED
        return
    assert len(here) == len(there)
    for ours, theirs in zip(here, there, strict=True):
        assert ours.shape == theirs.shape
        assert ours.dtype == theirs.dtype
        if ours.dtype.kind == "f":
            np.testing.assert_allclose(theirs, ours, rtol=2e-5, atol=2e-5)
        else:
            np.testing.assert_array_equal(theirs, ours)


@pytest.mark.parametrize("name", sorted(REFUSED))
def test_a_refused_row_is_named(name):
    row = ROWS[name]
    case = next(case for case in cases_of(row) if case.dtype in row.dtypes)
    with pytest.raises(
        UnimplementedError, match=rf"paddle\.onnx\.export: ({name} needs|.*complex)"
    ):
        model_of_function(_function_of(case), tensors(inputs(case)))


def test_the_rows_that_are_one_operator_are_those_of_the_table():
    assert set(OPERATORS) == set(WRITTEN)


@pytest.mark.parametrize("name", sorted(OPERATORS))
def test_a_row_is_written_as_its_operator(name):
    """At least one sample; the others may need what the operator does not do."""
    cases = [case for case in cases_of(ROWS[name]) if case.dtype in ("float32", "bool")]
    found = set()
    for case in cases:
        model = model_of_function(_function_of(case), tensors(inputs(case)))
        found |= operators_of(model)
        if OPERATORS[name] in found:
            return
    assert OPERATORS[name] in found
