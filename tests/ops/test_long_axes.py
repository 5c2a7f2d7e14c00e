"""Axes with more places than int32 counts: see Note [Far places]."""

import os
import subprocess
import sys
from pathlib import Path

import jax
import numpy as np
import pytest

from jaxeager.errors import ResourceExhaustedError
from jaxeager.ops.indexing.box_rows import starts_array
from jaxeager.ops.row import ROWS
from jaxeager.ops.rules.far_places import place_dtype
from tests.support import far_elements, long_axes
from tests.support.cases import cases_of

LONG = long_axes.LONG
ROOT = Path(__file__).resolve().parents[2]
# Images have tables of positions along their sides, and LAPACK counts in int32: they end first.
OTHER_ROOMS = ("conv", "pooling", "vision", "linalg", "signal")
LISTS = ("unbind", "unstack")  # of a tensor for each place
COUNTING = [
    row
    for row in ROWS.values()
    if not any(f".ops.{room}." in row.forward.__module__ for room in OTHER_ROOMS)
    and row.name not in LISTS
]


OVER_ROWS = pytest.mark.parametrize("row", COUNTING, ids=[row.name for row in COUNTING])
CERTAIN = frozenset(  # their samples fit together with a long axis
    "slice strided_slice set_value set_value_with_tensor gather gather_nd index_select index_add "
    "index_elementwise_get index_elementwise_put index_put scatter scatter_nd_add take_along_axis "
    "put_along_axis masked_select argmax argmin argsort topk kthvalue mode cumsum "
    "searchsorted narrow roll flip split concat embedding segment_pool one_hot "
    "repeat_interleave_with_tensor_index".split()
)


def check_long_axes(row, trials) -> None:
    """Check each program of a row; skip calls whose sizes no longer fit together."""
    traced = 0
    for case, size in trials:
        try:
            found = long_axes.narrow_steps(case, size)
        except (ValueError, TypeError, IndexError, ResourceExhaustedError):
            continue
        traced += 1
        assert not found, f"{case.id}, {size} places made long"
    assert traced or row.name not in CERTAIN


@pytest.mark.parametrize("name", sorted(CERTAIN))
def test_a_row_counts_a_long_axis_in_64_bits(name):
    trials = list(long_axes.trials(ROWS[name]))
    check_long_axes(ROWS[name], [(case, size) for case, size in trials if case.number == 0])


@pytest.mark.deep
@OVER_ROWS
def test_every_sample_counts_a_long_axis_in_64_bits(row):
    check_long_axes(row, long_axes.trials(row))


def test_the_finder_of_narrow_steps_finds_them():
    case = next(cases_of(ROWS["slice"]))
    positions = jax.ShapeDtypeStruct((1,), np.int32)
    whole = jax.ShapeDtypeStruct((LONG,), np.int8)
    program = jax.make_jaxpr(lambda x, at: jax.lax.dynamic_slice(x, [at[0]], [3]))(whole, positions)
    assert len(list(long_axes._narrow_in(program.jaxpr))) == 1
    program = jax.make_jaxpr(lambda: jax.lax.iota(np.int32, LONG))()
    assert len(list(long_axes._narrow_in(program.jaxpr))) == 1
    assert long_axes.narrow_steps(case, 4) == []


def test_positions_have_32_bits_where_those_reach():
    assert place_dtype(2, 2**31 - 1) == np.int32
    assert place_dtype(2, 2**31) == np.int64
    assert starts_array((0, 3)).dtype == np.int32
    assert starts_array((0, LONG - 3)).tolist() == [0, LONG - 3]


def test_far_boxes_are_cut_from_shapes():
    """A box far out is parsed, and its kernel traced, without the memory of the image."""
    from jaxeager.ops.indexing.getitem import planned_box

    box = planned_box((LONG,), slice(LONG - 5, None))
    assert (box.index.starts, box.index.spans) == ((LONG - 5,), (5,))
    assert box.starts.tolist() == [LONG - 5]
    assert planned_box((LONG, 2), -3).starts.tolist() == [LONG - 3, 0]


@pytest.mark.deep
@pytest.mark.parametrize("name", [*far_elements.READ, "written"])
def test_far_elements(name):
    """Each case has a process, which takes 4 to 15 GB, and compiles as users do."""
    environment = {each: os.environ[each] for each in os.environ if each != "XLA_FLAGS"}
    done = subprocess.run(
        [sys.executable, "-m", "tests.support.far_elements", name],
        cwd=ROOT, env=environment, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    found, wanted = done.stdout.splitlines()
    assert found == wanted


@pytest.mark.parametrize(
    ("name", "attrs", "operands"),
    [
        ("argmax", {"dtype": np.dtype(np.int32)}, 1),
        ("argmin", {"dtype": np.dtype(np.int32), "axis": 0}, 1),
        ("cummax", {"dtype": np.dtype(np.int32), "axis": 0}, 1),
        ("searchsorted", {"out_int32": True}, 2),
    ],
)
def test_positions_that_do_not_fit_in_int32_are_refused(name, attrs, operands):
    whole = [jax.ShapeDtypeStruct((LONG,), np.int8)] * operands
    with pytest.raises(ValueError, match="do not fit in int32"):
        jax.eval_shape(lambda *arrays: ROWS[name].forward(*arrays, **attrs), *whole)
