"""Every row of the op table and every sample: forward, gradients, slopes, in-place, errors.

The tests come from the rows: a new row needs no edit here. See support/checks.py for the checks.

The checks of each case (`deep` makes all of them for every sample and dtype):
    - A row's first sample, the first that has a gradient and the first with complex values run in
      bfloat16, float64 and complex128, or whatever the row has: values against the reference,
      gradients against jax.vjp. That the dtypes of values and gradients are right in its other
      dtypes is seen by tracing it, which compiles nothing.
    - Every other sample runs in one dtype: its values are compared with the reference, and its
      gradient, where the rule is written by hand, with finite differences of the values
      (support/differences.py). A derived rule is jax.vjp of the forward, so its leading samples
      prove it.
    - Second and third order are the tape's, in derived/test_rows_higher.py.

The tests are sorted by row and sample (conftest.py): what one compiled the next finds in memory.
"""

import pytest

import jaxeager as paddle  # noqa: F401 - fills the table
from jaxeager.ops.row import NONDIFF, ROWS
from tests.support import checks, differences, transfers
from tests.support.cases import (
    COMPLEX,
    Case,
    all_cases,
    cases_of,
    has_complex_values,
    has_gradient,
    inputs,
    wanted,
)
from tests.support.often import every

CASES = list(all_cases())
WITH_GRADIENT = [case for case in CASES if has_gradient(case)]


def _leading(row) -> set[int]:
    """Return the numbers of the samples of a row that run in every dtype."""
    cases = list(cases_of(row))
    firsts = (lambda case: True, has_gradient, lambda case: has_complex_values(case.sample))
    found = [next((case.number for case in cases if fits(case)), None) for fits in firsts]
    return {number for number in found if number is not None}


LEADING = {row.name: _leading(row) for row in ROWS.values()}


def _is_leading(case: Case) -> bool:
    return case.number in LEADING[case.row.name]


def _is_one_dtype(case: Case) -> bool:
    """Return whether a case is in the dtype that a sample is tested in when it is but one."""
    dtypes = _dtypes_of(case)
    return case.dtype == ("float64" if "float64" in dtypes else dtypes[0])


def _dtypes_of(case: Case) -> list[str]:
    return [each.dtype for each in SAMPLES[case.row.name, case.number]]


def _is_narrow(case: Case) -> bool:
    """Return whether a wider dtype proves what this one does: both have the same kernels."""
    wider = {"float16": "bfloat16", "float32": "float64", "complex64": "complex128"}
    return wider.get(case.dtype) in _dtypes_of(case)


SAMPLES: dict[tuple[str, int], list[Case]] = {}
for _case in CASES:
    SAMPLES.setdefault((_case.row.name, _case.number), []).append(_case)


def _first(row, dtypes, count: int, fits=lambda case: True) -> list[Case]:
    """Return the first samples with a gradient, in the first of those dtypes a row has."""
    for dtype in dtypes:
        cases = [c for c in cases_of(row) if c.dtype == dtype and has_gradient(c) and fits(c)]
        if cases:
            return cases[:count]
    return []


def _several_gradients(case: Case) -> bool:
    return len(wanted(case.row, inputs(case))) > 1


def _fits_in_place(case: Case) -> bool:
    """Return whether a sample's result may be written: broadcast, an operand may not grow."""
    operands = checks.tensors(inputs(case))
    return (
        not case.row.broadcast
        or case.row.function(*operands, **case.sample.attrs).shape == operands[0].shape
    )


def _over(cases: list[Case], fits=lambda case: True):
    """Parametrise a test over cases; those that do not fit are `deep`."""
    deep = pytest.mark.deep
    return pytest.mark.parametrize(
        "case", [pytest.param(c, id=c.id, marks=() if fits(c) else deep) for c in cases]
    )


def _over_rows_of(cases: list[Case]):
    """Parametrise a test over the rows of cases."""
    rows = {case.row.name: case.row for case in cases}
    return pytest.mark.parametrize("row", rows.values(), ids=rows)


def _is_usual(case: Case) -> bool:
    return (_is_leading(case) and not _is_narrow(case)) or _is_one_dtype(case)


def _is_usual_gradient(case: Case) -> bool:
    return _is_usual(case) and (_is_leading(case) or not differences.has_slope(case))


ROW_LIST = list(ROWS.values())
OVER_ROWS = pytest.mark.parametrize("row", ROW_LIST, ids=[row.name for row in ROW_LIST])
REAL = ("float64", "float32", "bfloat16")
# Masks and versions concern the rule, not the dtype: float64 shows the most digits.
MASKS = [c for row in ROW_LIST for c in _first(row, ("float64", *COMPLEX), 1, _several_gradients)]
VERSIONS = [c for row in ROW_LIST for c in _first(row, (*REAL, *COMPLEX), 1)]
EXAMPLES = [row for row in ROW_LIST if row.example]
INPLACE = [row for row in ROW_LIST if row.inplace]
RANDOM = [row for row in ROW_LIST if checks.is_random(row)]
DIFFERENTIABLE = [row for row in ROW_LIST if row.vjp is not NONDIFF]
DERIVED = [row for row in DIFFERENTIABLE if row.is_derived]
OTHERS = [case for case in CASES if not _is_usual(case)]
NARROW = [case for case in OTHERS if _is_leading(case)]
OTHER_SAMPLES = [case for case in OTHERS if not _is_leading(case)]
BAD = [(row, bad) for row in ROW_LIST if row.errors for bad in row.errors()]


@OVER_ROWS
def test_row_is_complete(row):
    checks.check_complete(row)


@pytest.mark.deep
@OVER_ROWS
def test_nothing_moves_between_device_and_host(row):
    transfers.check_transfers(row)


@pytest.mark.parametrize("row", every(2, EXAMPLES), ids=[row.name for row in EXAMPLES])
def test_example_runs(row):
    checks.check_example(row)


@_over([c for c in CASES if not checks.is_random(c.row) or c.row.reference], _is_usual)
def test_forward_equals_reference(case):
    checks.check_forward(case)


@_over(WITH_GRADIENT, _is_usual_gradient)
def test_gradient_equals_jax(case):
    checks.check_gradient(case)


@_over_rows_of(NARROW)
def test_no_narrow_dtype_changes(row):
    check_dtypes(row, NARROW)


@pytest.mark.deep
@_over_rows_of(OTHER_SAMPLES)
def test_no_dtype_changes_in_other_samples(row):
    check_dtypes(row, OTHER_SAMPLES)


def check_dtypes(row, cases: list[Case]) -> None:
    for case in cases:
        if case.row is row:
            checks.check_dtypes(case)


@pytest.mark.parametrize("row", DIFFERENTIABLE, ids=lambda row: row.name)
def test_gradients_are_slopes(row):
    differences.check_slopes(row, lambda case: _is_leading(case) or not row.is_derived)


@pytest.mark.deep
@pytest.mark.parametrize("row", DERIVED, ids=lambda row: row.name)
def test_derived_gradients_are_slopes_in_every_sample(row):
    differences.check_slopes(row)


NO_SLOPE = [
    case
    for case in WITH_GRADIENT
    if (case.row.name, case.number) in differences.NO_SLOPE and case.dtype == "float64"
]


@pytest.mark.parametrize("case", NO_SLOPE, ids=[case.id for case in NO_SLOPE])
def test_slopes_declared_absent_are_absent(case):
    with pytest.raises(AssertionError, match="differences"):
        differences.check_slope(case)


def test_reasons_against_differences_name_samples():
    numbered = {place for place in differences.NO_SLOPE if place[1] is not None}
    assert numbered == {(case.row.name, case.number) for case in NO_SLOPE}


@pytest.mark.parametrize("case", every(2, MASKS), ids=[case.id for case in MASKS])
def test_each_gradient_alone(case):
    checks.check_masks(case)


@_over(VERSIONS)
def test_exactly_the_saved_tensors_are_checked(case):
    checks.check_versions(case)


@pytest.mark.parametrize("row", INPLACE, ids=[row.name for row in INPLACE])
def test_inplace_twin(row):
    fitting = [case for case in cases_of(row) if case.dtype == row.dtypes[0]]
    case = next(filter(_fits_in_place, fitting), None)
    assert case is not None, f"no sample of {row.name} has a result that fits into its operand"
    checks.check_inplace(case)


@pytest.mark.parametrize("row", DIFFERENTIABLE, ids=lambda row: row.name)
def test_gradient_is_tested(row):
    assert any(case.row is row for case in WITH_GRADIENT), f"no sample of {row.name} has a gradient"


@pytest.mark.parametrize("row", DIFFERENTIABLE, ids=lambda row: row.name)
def test_complex_is_tested_or_refused(row):
    checks.check_complex(row)


@_over([next(cases_of(row)) for row in ROW_LIST if row.operands and row.samples])
def test_an_operand_of_another_kind_is_refused(case):
    checks.check_wrong_kind(case)


@pytest.mark.parametrize("row", every(2, RANDOM), ids=[row.name for row in RANDOM])
def test_numbers_come_from_the_key(row):
    checks.check_random(row)


@pytest.mark.parametrize(
    ("row", "bad"),
    BAD,
    ids=[f"{row.name}-{i}" for i, (row, _) in enumerate(BAD)],
)
def test_bad_input_gives_the_named_error(row, bad):
    checks.check_bad_input(row, bad)
