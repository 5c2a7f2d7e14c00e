"""Second and third order of every row, through the tape: see support/higher.py.

One sample per row in float64, and one in complex128 if a row accepts complex numbers. From the
second order on all rules are derived, by one mechanism. So usually the second order is tested for
every second row, and the third order, the second of complex numbers, and that of the rows in LONG
for one row of each file of ops. `make test-all` tests all, and the third order of complex numbers.
"""

import inspect

import pytest

import jaxeager as paddle  # noqa: F401 - fills the table
from jaxeager.ops.row import NONDIFF, ROWS
from tests.support.cases import Case, all_cases, cases_of, has_gradient, inputs, pick, wanted
from tests.support.higher import check_order


def _sample_of(row, dtype: str) -> Case | None:
    """Return the first sample that has elements and a gradient, in that dtype."""
    for case in cases_of(row):
        if case.dtype == dtype and has_gradient(case):
            arrays = inputs(case)
            if all(pick(arrays, place).size for place in wanted(row, arrays)):
                return case
    return None


# Some of their orders take half a second or more to compile.
LONG = frozenset(
    """
    batch_norm bicubic_interp bilinear_interp conv2d conv2d_transpose conv3d conv3d_transpose
    cross_entropy_with_soft_label deformable_conv depthwise_conv2d depthwise_conv2d_transpose
    digamma eig eigh elementwise_pow fill_diagonal_tensor flash_attn flash_attn_unpadded
    flashmask_attention frobenius_norm gammainc gammaincc gammaln grid_sample group_norm
    householder_product hsigmoid_loss i0e i1e implicit_gamma instance_norm layer_norm lgamma
    log_minus_digamma logcumsumexp lu lu_solve margin_cross_entropy masked_select matrix_exp median
    nanmedian p_norm pinv polygamma psroi_pool qr quantile renorm rnn rnn_with_cell roi_align
    roi_pool sinc sinh sparse_attention sparse_mv sparse_softmax stanh stirling_error svd
    trilinear_interp unfold warpctc warprnnt yolo_loss
    """.split()
)
DIFFERENTIABLE = [row for row in ROWS.values() if row.vjp is not NONDIFF]
REAL = [case for row in DIFFERENTIABLE if (case := _sample_of(row, "float64")) is not None]
COMPLEX = [case for row in DIFFERENTIABLE if (case := _sample_of(row, "complex128")) is not None]


def _over(cases: list[Case], always: tuple[int, ...], of_first: tuple[int, ...] = (2, 3)):
    """Parametrise over cases and orders; after the first row of a file most are `deep`.

    Args:
        cases: a case of each row.
        always: the orders that are tested of every second row that is not in LONG.
        of_first: those that are tested of the first row of a file.
    """
    quick_first = sorted(cases, key=lambda case: case.row.name in LONG)
    of_files = {inspect.getmodule(c.row.forward): c.row.name for c in reversed(quick_first)}
    firsts = set(of_files.values())

    def is_usual(place: int, row: str, order: int) -> bool:
        if row in LONG:
            return row in firsts and order == 2
        return (row in firsts and order in of_first) or (order in always and place % 2 == 0)

    parameters = [
        pytest.param(
            case,
            order,
            id=f"{case.row.name}-{order}",
            marks=() if is_usual(place, case.row.name, order) else pytest.mark.deep,
        )
        for place, case in enumerate(cases)
        for order in (2, 3)
    ]
    return pytest.mark.parametrize(("case", "order"), parameters)


@_over(REAL, always=(2,))
def test_higher_order(case, order):
    check_order(case, order)


@_over(COMPLEX, always=(), of_first=(2,))
def test_higher_order_of_complex(case, order):
    check_order(case, order)


def test_every_row_with_a_gradient_is_here():
    tested = {case.row.name for case in (*REAL, *COMPLEX)}
    rows = {case.row.name for case in all_cases() if has_gradient(case)}
    assert rows <= tested, f"no sample of {rows - tested} can be differentiated twice"
