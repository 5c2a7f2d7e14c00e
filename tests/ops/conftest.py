"""The order of the tests of the op table: by row and sample, so that programs stay in memory."""

from jaxeager.ops.row import ROWS, OpRow
from tests.support.cases import Case


def pytest_collection_modifyitems(items):
    """Sort the tests by row, and within a row by sample and dtype."""
    places = [place for place, item in enumerate(items) if _row_of(item) is not None]
    ordered = sorted((items[place] for place in places), key=_order)
    for place, item in zip(places, ordered, strict=True):
        items[place] = item


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
