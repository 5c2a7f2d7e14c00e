"""The results of the examples of rows, which their docstrings show: example_results.json."""

import json
import re
from collections.abc import Iterator

import jaxeager as paddle
from jaxeager.ops.call.documentation import example_of
from jaxeager.ops.register import FUNCTIONAL, PUBLIC
from jaxeager.ops.row import ROWS

_NUMBER = re.compile(r"-?\d+\.\d*(?:e[-+]\d+)?")


def results_text() -> str:
    """Return the file: the result of each example of a public row, as Python shows it."""
    paddle.set_device("cpu")
    found = {each: repr(eval(each, {"paddle": paddle})) for each in _examples()}
    return json.dumps(found, indent=1, sort_keys=True) + "\n"


def _examples() -> Iterator[str]:
    """Yield the expression of each row's function, and of its twin that writes in place."""
    for row in ROWS.values():
        if row.public is not None and row.example:
            yield example_of(row, row.function.__name__)
            published = (*PUBLIC.values(), *FUNCTIONAL.values())
            if row.inplace_function in published:
                yield example_of(row, row.inplace_function.__name__)


def is_same(old: str, new: str) -> bool:
    """Return whether two files differ in the last digits of numbers alone, which machines do."""
    numbers = [[float(each) for each in _NUMBER.findall(text)] for text in (old, new)]
    if _NUMBER.sub("#", old) != _NUMBER.sub("#", new):
        return False
    pairs = zip(*numbers, strict=True)
    return all(abs(a - b) <= 1e-5 * max(abs(a), abs(b)) + 1e-12 for a, b in pairs)
