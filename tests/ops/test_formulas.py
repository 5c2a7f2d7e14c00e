"""The formulas of the op table, computed: each has the results of its row's VJP kernel.

support/formulas.py reads them, see Note [What a formula says]. The first sample of a row is
compared in float64 and in complex128, and, in the deep tests, all of them in float64.
"""

import copy

import pytest

import jaxeager as paddle  # noqa: F401 - fills the table
from jaxeager.ops.row import NONDIFF, ROWS
from tests.support.cases import Case, cases_of, has_gradient
from tests.support.formula_cases import check_formula
from tests.support.formulas import ProseError, check_words, read

# Rows whose derivative is described in words: programs, windows, sums without a name.
PROSE = set(
    """
    conv2d depthwise_conv2d conv3d conv2d_transpose depthwise_conv2d_transpose conv3d_transpose
    deformable_conv put_along_axis view_dtype einsum triangular_solve svd eig qr householder_product
    lu lu_unpack lu_solve matrix_power multi_dot nll_loss warpctc hsigmoid_loss margin_cross_entropy
    warprnnt flash_attn flash_attn_unpadded flashmask_attention sparse_attention embedding
    embedding_of_rows maxout rnn rnn_with_cell spectral_norm pool2d pool3d lp_pool2d
    implicit_gamma cumprod median nanmedian quantile renorm segment_pool send_u_recv
    send_ue_recv send_uv fft_c2r sparse_softmax sparse_conv sparse_max_pool grid_sample roi_pool
    yolo_loss
    """.split()
)

# Samples that the formula does not cover, and why.
LEFT_OUT = {
    ("batch_norm", 5): "one element per channel is returned as it is, as its boundary states",
    ("swiglu", 1): "one tensor holds both operands",
}
FORMULAS = [row for row in ROWS.values() if row.vjp is not NONDIFF]
READABLE = [row for row in FORMULAS if row.name not in PROSE]


def _cases(row):
    """Return the samples of a row in float64 and one in complex128; all for complex rows."""
    cases = [c for c in cases_of(row) if has_gradient(c) and (row.name, c.number) not in LEFT_OUT]
    usual = "float64" if "float64" in row.dtypes else "complex128"
    first = next((c for c in cases if c.dtype == "complex128"), None)
    return [c for c in cases if c.dtype == usual or c is first]


@pytest.mark.parametrize("row", READABLE, ids=lambda row: row.name)
def test_formula_is_the_derivative(row):
    cases = _cases(row)
    assert cases, f"no sample of {row.name} tests its formula"
    first_of_each = {case.dtype: case for case in reversed(cases)}
    for case in first_of_each.values():
        check_formula(case)


@pytest.mark.deep
@pytest.mark.parametrize("row", READABLE, ids=lambda row: row.name)
def test_formula_is_the_derivative_of_every_sample(row):
    for case in _cases(row):
        check_formula(case)


def test_formulas_in_prose_are_listed():
    """A formula that became an expression leaves the list, and a new one is not prose."""
    found = set()
    for row in FORMULAS:
        try:
            check_words(row)
        except ProseError:
            found.add(row.name)
    assert found == PROSE


def _with_formula(name: str, old: str, new: str) -> Case:
    """Return the first sample of a row with another formula."""
    row = copy.copy(ROWS[name])
    assert old in row.formula
    row.formula = row.formula.replace(old, new, 1)
    return _cases(ROWS[name])[0]._replace(row=row)


@pytest.mark.parametrize(
    ("name", "old", "new"),
    [
        ("multiply", "dx = dout", "dx = 1.001 * dout"),
        ("multiply", "dy = dout", "dy = 1.001 * dout"),
        ("mish", "sigmoid(x)", "sigmoid(1.001 * x)"),
        ("mish", "softplus(x)", "1.001 * softplus(x)"),
        ("relu", "dout where", "dout * 0.999 where"),
        ("leaky_relu", "else negative_slope", "else 1.001 * negative_slope"),
        ("add_n", "dout", "dout * 1.001"),
        ("matmul", "conj(y)^T", "conj(y)^T * 1.001"),
        ("eigh", "hermitian(v", "hermitian(1.001 * v"),
        ("layer_norm", "mean(d)", "1.001 * mean(d)"),
        ("argsort", "dout", "dout * 1.001"),
        ("gather", "dout", "dout * 1.001"),
        ("split", "concat(dout)", "concat(dout) * 1.001"),
        ("bilinear_interp", "dout", "dout * 1.001"),
    ],
)
def test_a_formula_wrong_by_a_thousandth_is_caught(name, old, new):
    case = _with_formula(name, old, new)
    with pytest.raises(AssertionError, match="off by"):
        check_formula(case)


def test_a_missing_conjugate_is_caught():
    case = _with_formula("silu", "conj", "")
    check_formula(case)  # of real numbers it is right
    complex_case = next(c for c in cases_of(ROWS["silu"]) if c.dtype == "complex128")
    with pytest.raises(AssertionError, match="off by"):
        check_formula(complex_case._replace(row=case.row))


def test_a_formula_that_claims_copies_is_checked():
    case = _with_formula("bilinear_interp", "times the weights with which", "added where")
    with pytest.raises(AssertionError, match="is not copied"):
        check_formula(case)


@pytest.mark.parametrize(
    ("formula", "why"),
    [
        ("dout goes to x", "no equation"),
        ("dx = dout of the place", "no expression"),
        ("dx = dout where it fits, else 0", "no expression"),
        ("dx = dout where x > 0", "no value elsewhere"),
        ("dx = dout, 2 * x", "neither a case"),
        ("dx = dout * s; dy = 0", "s has no meaning"),
        ("dx = cosine(x); dy = 0", "cosine has no meaning"),
        ("dx = dout", "lacks .'dy'"),
    ],
)
def test_a_text_that_is_no_expression_is_reported(formula, why):
    row = copy.copy(ROWS["multiply"])
    row.formula = formula
    with pytest.raises(ProseError, match=why):
        check_words(row)


def test_a_remark_is_not_read():
    assert len(read("dx = dout: what was overwritten, gets none")) == 1
