"""The outcome of an example here, compared with its outcome on real Paddle."""

import re
from typing import NamedTuple

_NUMBER = re.compile(r"(?<![\w.])[-+]?(?:\d+\.?\d*(?:[eE][-+]?\d+)?|\.\d+|inf|nan)j?(?!\w)")
_OBJECT = re.compile(r"<(?:[\w.<>]+\.)?(\w+)((?: \w+)*) at 0x[0-9a-f]+>")
_SCALAR = re.compile(r"np\.\w+\(([^()]*)\)")
_ADDRESS = re.compile(r" at 0x[0-9a-f]+")
_TIME = re.compile(r"\b\d+[mu]?s/step")
_TRUTH = re.compile(r"\b(?:True|False)\b")
_MANY = re.compile(r"[-+\[\](),]*#[-+\[\](),#]*")
RTOL, ATOL = 1e-3, 1e-5


class Verdict(NamedTuple):
    """The outcome of an example.

    Attributes:
        kind: "agrees"; "agrees in form" for one with random numbers; "differs"; "lacks a name";
            "fails"; "Paddle fails" if there is no result to agree with.
        text: the difference.
    """

    kind: str
    text: str = ""


def verdict(theirs: list, again: list, ours: list) -> Verdict:
    """Compare the output of each statement.

    Args:
        theirs: on real Paddle.
        again: the same with another seed.
        ours: here.
    """
    if not theirs or theirs[-1][0] != "ok":
        return Verdict("Paddle fails", " ".join(map(str, theirs[-1][1:])) if theirs else "")
    draws = theirs != again
    for number, (paddle, own) in enumerate(zip(theirs, ours, strict=False)):
        if own[0] != "ok":
            lacks = re.search(r"has no attribute|No module named|cannot import name", own[2])
            return Verdict("lacks a name" if lacks else "fails", f"{own[1]}: {own[2]}")
        form, numbers = _parts(paddle[1])
        own_form, own_numbers = _parts(own[1])
        if draws:
            same = _of_draws(form) == _of_draws(own_form)
        else:
            is_close = len(numbers) == len(own_numbers) and all(map(_close, numbers, own_numbers))
            same = form == own_form and is_close
        if not same:
            return Verdict("differs", f"statement {number}: {paddle[1]!r}, here {own[1]!r}")
    return Verdict("agrees in form" if draws else "agrees")


def _parts(text: str) -> tuple[str, list[str]]:
    """Return a text without its numbers, and the numbers."""
    text = _SCALAR.sub(r"\1", _OBJECT.sub(r"<\1>", text))
    text = _TIME.sub("#/step", _ADDRESS.sub("", text))
    return re.sub(r"\s+", "", _NUMBER.sub("#", text)), _NUMBER.findall(text)


def _of_draws(form: str) -> str:
    """Return the form of random output, whose number of values may be random too."""
    return _MANY.sub("#", _TRUTH.sub("#", form))


def _close(one: str, other: str) -> bool:
    if one == other or ("nan" in one and "nan" in other):
        return True
    try:
        a, b = complex(one), complex(other)
    except ValueError:
        return False
    return abs(a - b) <= ATOL + RTOL * abs(a)
