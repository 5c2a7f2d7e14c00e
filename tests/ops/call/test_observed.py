"""Every row has the same results under an observer, and reports itself once.

Stage by stage it takes the general path (``ops/call/path.py``), else that of its shape of call.
"""

import jax
import numpy as np
import pytest

import jaxeager as paddle  # noqa: F401 - fills the table
from jaxeager.graph import events
from jaxeager.ops.row import ROWS
from tests.support import checks
from tests.support.cases import cases_of, inputs


class Cheap(events.Observer):
    """Records the events of a cheap tool."""

    def __init__(self):
        self.rows, self.nodes, self.arrays = [], [], []

    def kernel_ran(self, row, operands, attrs, arrays, is_inplace):
        self.arrays.append(arrays)

    def op_ran(self, row, operands, attrs, outputs, node, is_inplace):
        self.rows.append(row)
        self.nodes.append(node)


class Staged(Cheap):
    """Records the events of a tool that also needs the stages."""

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
def test_the_entry_of_a_row_describes_it(case, observer):
    row, attrs = case.row, case.sample.attrs
    row.function(*checks.tensors(inputs(case)), **attrs)  # makes the kernel
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
    node = None if first._meta is None else first._meta.node
    assert told.nodes[-1] is node
    unseen = plain[0] if isinstance(plain, (tuple, list)) else plain
    assert (unseen._meta is None) == (node is None)
    if node is not None:
        assert _facts(unseen._meta) == _facts(first._meta)


def _arrays(result):
    return [each._array for each in (result if isinstance(result, (tuple, list)) else [result])]


def _facts(meta):
    """Return the contents of a node, and the places of tensors in it, without data of the call."""
    node = meta.node
    kept = [
        each
        if each is None
        else [_kept(item) for item in each]
        if type(each) is list
        else _kept(each)
        for each in node.saved
    ]
    edges = [
        each if each is None else (each.slot, each.rank, each.node.name()) for each in node.edges
    ]
    return {
        "row": node.op, "attrs": node.attrs, "scalars": [_value(each) for each in node.scalars],
        "mask": node.mask, "ranks": node.ranks, "shapes": node.shapes, "avals": node.out_avals,
        "width": node.width, "place": (meta.slot, meta.rank, meta.stop_gradient), "edges": edges,
        "saved": kept, "released": node.released,
    }  # fmt: skip


def _kept(wrapper):
    array, storage, version = wrapper
    return _value(array), storage is None, version


def _value(array):
    return None if array is None else (array.dtype, np.asarray(array).tobytes())
