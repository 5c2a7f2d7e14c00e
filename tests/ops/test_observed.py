"""Every row gives the same under an observer, and tells of itself once."""

import jax
import numpy as np
import pytest

import jaxeager as paddle  # noqa: F401 - fills the table
from jaxeager.graph import events
from jaxeager.ops.row import ROWS
from tests.support import checks
from tests.support.cases import cases_of, inputs


class Cheap(events.Observer):
    """What a cheap tool is told."""

    def __init__(self):
        self.rows, self.nodes, self.arrays = [], [], []

    def kernel_ran(self, row, operands, attrs, arrays, is_inplace):
        self.arrays.append(arrays)

    def op_ran(self, row, operands, attrs, outputs, node, is_inplace):
        self.rows.append(row)
        self.nodes.append(node)


class Staged(Cheap):
    """What a tool is told that wants the stages too."""

    def call_ended(self, call):
        assert call.row is self.rows[-1]
        assert call.node is self.nodes[-1]


CASES = [
    next(iter(cases_of(row)))
    for row in ROWS.values()
    if next(cases_of(row), None) is not None and not checks.is_random(row)
]


@pytest.mark.parametrize("observer", [Cheap, Staged])
@pytest.mark.parametrize("case", CASES, ids=[case.id for case in CASES])
def test_a_row_tells_of_itself(case, observer):
    row, attrs = case.row, case.sample.attrs
    plain = row.function(*checks.tensors(inputs(case)), **attrs)
    operands = checks.tensors(inputs(case))
    told = observer()
    with events.observing(told):
        seen = row.function(*operands, **attrs)
    flat, expected = (jax.tree.leaves(each) for each in (_arrays(seen), _arrays(plain)))
    for ours, theirs in zip(flat, expected, strict=True):
        np.testing.assert_array_equal(np.asarray(ours), np.asarray(theirs))
    assert told.rows[-1] is row
    assert told.rows.count(row) == 1
    assert all(a is b for a, b in zip(told.arrays[-1], flat, strict=True))
    first = seen[0] if isinstance(seen, (tuple, list)) else seen
    assert told.nodes[-1] is (None if first._meta is None else first._meta.node)


def _arrays(result):
    return [each._array for each in (result if isinstance(result, (tuple, list)) else [result])]
