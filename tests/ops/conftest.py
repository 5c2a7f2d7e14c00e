"""The order of the tests of the op table: by row and sample, so that programs stay in memory.

`JAXEAGER_TEST_ROW=gelu` runs those of one row alone (`make test ROW=gelu`).
"""

import os

import pytest

from jaxeager.ops.row import ROWS, OpRow
from tests.support.cases import Case


def pytest_collection_modifyitems(config, items):
    """Sort the tests by row, and within a row by sample and dtype; select those of one row."""
    only = os.environ.get("JAXEAGER_TEST_ROW")
    if only:
        _select_row(config, items, only)
    places = [place for place, item in enumerate(items) if _row_of(item) is not None]
    ordered = sorted((items[place] for place in places), key=_order)
    for place, item in zip(places, ordered, strict=True):
        items[place] = item


def _select_row(config, items, name: str) -> None:
    if name not in ROWS:
        raise pytest.UsageError(f"JAXEAGER_TEST_ROW: there is no row named {name!r}.")
    chosen, others = [], []
    for item in items:
        row = _row_of(item)
        (chosen if row is not None and row.name == name else others).append(item)
    config.hook.pytest_deselected(items=others)
    items[:] = chosen


def _parameter(item):
    parameters = getattr(item, "callspec", None)
    return (
        None if parameters is None else parameters.params.get("case", parameters.params.get("row"))
    )


def _row_of(item) -> OpRow | None:
    found = _parameter(item)
    if isinstance(found, Case):
        return found.row
    return found if isinstance(found, OpRow) else None


_POSITIONS = {name: position for position, name in enumerate(ROWS)}


def _order(item) -> tuple:
    found, row = _parameter(item), _row_of(item)
    position = _POSITIONS.get(row.name, len(ROWS))
    if not isinstance(found, Case):
        return position, float("inf"), 0
    return position, found.number, row.dtypes.index(found.dtype)
