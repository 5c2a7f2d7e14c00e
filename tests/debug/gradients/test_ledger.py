"""debug.ledger: the contribution of every edge to a gradient, and the cancellations."""

import numpy as np
import pytest

import jaxeager as paddle
from jaxeager import debug
from jaxeager.errors import NotFoundError
from jaxeager.graph import events
from tests.support.leaves import leaf


def test_two_large_terms_that_cancel_are_on_top():
    """Planted: the gradient of w is the remainder of two terms of a thousand times its size."""
    before = events.in_force()
    w, v = leaf([3.0, 4.0], name="w"), leaf([1.0, 1.0], name="v")
    with debug.ledger() as book:
        up = w * 1000.0
        down = w * 999.0
        (up - down + v + v * 2).sum().backward()
    first, *_ = book.sums()
    assert first is book["w"]
    assert first.cancellation == pytest.approx(1 / 1999, rel=1e-3)
    norms = sorted(part.norm for part in first.parts)
    assert norms == pytest.approx([1412.80, 1414.21], rel=1e-5)
    line = test_two_large_terms_that_cancel_are_on_top.__code__.co_firstlineno + 5
    assert {f"test_ledger.py:{line}", f"test_ledger.py:{line + 1}"} == {
        part.what.split(" at ")[1] for part in first.parts
    }
    assert book["v"].cancellation == pytest.approx(1.0)
    assert str(book).startswith("w: norm 1.414 of 2 parts, cancellation 0.0005\n")
    assert events.in_force() == before


def test_slots_ranks_and_the_grad_that_was_there():
    x = leaf([1.0, 2.0], name="x")
    with debug.ledger() as book:
        a, b = paddle.split(x * 2, 2)
        (a * 3 + b * b).sum().backward()
        (x * 5).sum().backward()
    split = [each for each in book.accumulations if "split" in each.node.name().lower()]
    assert sorted((p.slot, p.rank) for each in split for p in each.parts) == [
        (0, 0),
        (0, 1),
        (0, 1),
    ]
    last = book["x"]
    assert [part.what.split(" at ")[0] for part in last.parts][1] == "the grad before backward"
    np.testing.assert_allclose(last.norm, np.linalg.norm(x.grad.numpy()), rtol=1e-6)


def test_nothing_met():
    x = leaf([1.0], name="x")
    with debug.ledger() as book:
        (x * 2).sum().backward()
    assert str(book) == "3 gradients, none of them a sum."
    with pytest.raises(NotFoundError, match=r"no gradient of 'y'\. It has:"):
        book["y"]
