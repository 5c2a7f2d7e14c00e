"""The walk of docs/how-it-works.md from ``x * y`` to ``x.grad``: the files that really run."""

import re
import sys
from pathlib import Path

import jaxeager as paddle
from jaxeager.graph import rows

PACKAGE = Path(paddle.__file__).parent
PAGE = PACKAGE.parent / "docs" / "how-it-works.md"
# A call runs nothing of these: operators are resolved before, a kernel is compiled.
NOTHING_RUNS = {"tensor/operators.py", "ops/elementwise/math.py"}
# These run once another test has used lazy mode, or has left a graph that it recorded.
OF_LAZY_MODE = {"kernels/lazy/mode.py", "graph/lazy_graphs.py"}


def files_that_run(function):
    """Return the files of the package whose functions a call enters, in order of first entry."""
    seen = {}

    def enter(frame, event, argument):
        path = Path(frame.f_code.co_filename)
        if event == "call" and path.is_relative_to(PACKAGE):
            seen[path.relative_to(PACKAGE).as_posix()] = None

    sys.setprofile(enter)
    try:
        function()
    finally:
        sys.setprofile(None)
    return list(seen)


def test_a_product_and_its_gradient_go_through_the_files_of_the_walk(monkeypatch):
    monkeypatch.setattr(rows, "seen", False)  # another test may have made a gradient of some rows

    def step():
        (x * y).backward()

    x, y = paddle.to_tensor(2.0, stop_gradient=False), paddle.to_tensor(3.0)
    for _ in range(2):  # the first one creates the kernels, the second one begins them ahead
        step()
        x.clear_grad()
    walk = PAGE.read_text(encoding="utf-8").partition("### From `x * y`")[2].partition("\n## ")[0]
    told = re.findall(r"`([a-z_]+/[a-z_/]+\.py)`", walk)
    ran = files_that_run(step)
    assert set(told) - set(ran) == NOTHING_RUNS
    assert len(set(ran) - OF_LAZY_MODE) <= 11
    order = [
        "ops/call/few_operands.py",
        "tensor/autograd.py",
        "graph/engine.py",
        "ops/call/gradient.py",
    ]
    assert [name for name in ran if name in order] == order
    assert x.grad.item() == 3.0
