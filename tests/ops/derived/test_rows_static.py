"""Every row of the op table in a captured function: values and gradients are the op's own."""

import pytest

import jaxeager as paddle
from jaxeager.ops.row import ROWS
from tests.support import checks
from tests.support.cases import (
    Case,
    as_outputs,
    cases_of,
    has_gradient,
    inputs,
    pick,
    tensors,
    wanted,
)
from tests.support.compare import assert_close


def _case_of(row) -> Case | None:
    """Return the first sample of a row, one with a gradient if there is one."""
    cases = [c for c in cases_of(row) if c.dtype not in ("float16", "bfloat16")]
    return next(filter(has_gradient, cases), next(iter(cases), None))


CASES = [case for case in map(_case_of, ROWS.values()) if case is not None]


def _run(case: Case, mark) -> tuple[list, list]:
    """Return outputs, and gradients of the sum of all of them."""
    arrays = inputs(case)
    given = tensors(arrays)
    leaves = []
    if has_gradient(case):
        leaves = [pick(given, place) for place in wanted(case.row, arrays)]
        for leaf in leaves:
            leaf.stop_gradient = False
    paddle.seed(3)
    function = mark(lambda *operands: case.row.function(*operands, **case.sample.attrs))
    outs = as_outputs(function(*given))
    ends = [out for out in outs if not out.stop_gradient]
    if ends:
        paddle.autograd.backward([each.abs().sum() for each in ends])
    return [out.numpy() for out in outs], [checks.whole(leaf.grad) for leaf in leaves]


@pytest.mark.deep
@pytest.mark.parametrize("case", CASES, ids=lambda case: case.row.name)
def test_a_captured_row_gives_the_same(case):
    def mark(function):
        return paddle.jit.to_static(function, full_graph=True)

    (outs, grads), (found, found_grads) = _run(case, lambda function: function), _run(case, mark)
    factor = checks.factor_of(case.row, case.dtype)
    for number, (got, want) in enumerate(zip(found, outs, strict=True)):
        assert_close(got, want, case.dtype, f"{case.id}, output {number}", factor)
    for number, (got, want) in enumerate(zip(found_grads, grads, strict=True)):
        assert (got is None) is (want is None)
        if want is not None:
            assert_close(
                got.numpy(), want.numpy(), case.dtype, f"{case.id}, gradient {number}", factor
            )
