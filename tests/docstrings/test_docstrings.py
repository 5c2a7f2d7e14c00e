"""Paddle's own examples: tools/docstring_examples.py runs and compares them."""

import pytest

from tests.docstrings.collect import examples_of
from tests.docstrings.compare import verdict
from tests.parity.harness import needed_paddle
from tests.support.modules_of_tools import module_of_tools

pages = module_of_tools("docstring_examples")
RECORDED = pages.records()["examples"]


# ---- the examples themselves


@pytest.fixture(scope="module")
def libraries():
    with pages.Libraries(needed_paddle()) as both:
        yield both


@pytest.fixture(scope="module")
def examples():
    found = examples_of(pages.paddle_folder(needed_paddle()))
    return {example.name: example for example in found if not example.excluded}


@pytest.mark.live
def test_every_example_is_recorded(examples):
    assert set(examples) == set(RECORDED)


@pytest.mark.live
@pytest.mark.deep
@pytest.mark.parametrize("part", sorted({pages.part_of(name) for name in RECORDED}))
def test_examples_go_as_they_are_recorded(part, libraries, examples):
    """Those that fail on Paddle are excluded: most need the network."""
    other = {}
    for name, (kind, _) in RECORDED.items():
        if pages.part_of(name) == part and kind != "Paddle fails":
            found = libraries.compare(examples[name])
            now = pages.kind_of(found)
            if now != kind and not {now, kind} <= set(pages.AGREES):
                other[name] = (kind, found)
    assert not other


# ---- the records


def test_every_example_that_differs_has_a_reason():
    known = pages.reasons()
    differing = [n for n, (kind, _) in RECORDED.items() if kind == "differs"]
    assert not [name for name in differing if not pages.reason_of(name, known)]
    assert not [reason for reason in known if not any(map(reason.is_of, differing))]
    patterns = [pattern for reason in known for pattern in reason.names]
    assert len(patterns) == len(set(patterns))


def test_examples_that_lack_a_name_say_which():
    lacking = [text for kind, text in RECORDED.values() if kind == "lacks a name"]
    assert all("has no attribute" in text or "No module named" in text or "cannot import" in text
               for text in lacking)  # fmt: skip


# ---- the runner


def test_examples_are_read_from_docstrings(tmp_path):
    (tmp_path / "part").mkdir()
    (tmp_path / "part" / "file.py").write_text(
        '''
class Layer:
    """A layer.

    .. code-block:: pycon

        >>> import paddle
        >>> for i in range(2):
        ...     print(i)
        0
        >>> # doctest: +SKIP("random")
        >>> print(paddle.rand([1]))
        >>> # doctest: -SKIP
        >>> print(3)

    .. code-block:: pycon

        >>> # doctest: +REQUIRES(env:GPU)
        >>> import paddle
    """

    def method(self):
        """Of a static graph.

        >>> import paddle
        >>> paddle.enable_static()
        """


def broken():
    """No Python.

    >>> import paddle as
    """
'''
    )
    found = examples_of(tmp_path)
    assert [(each.name.partition("@")[0], each.excluded) for each in found] == [
        ("part/file.py::Layer", ""),
        ("part/file.py::Layer", "needs GPU"),
        ("part/file.py::Layer.method", "static graph"),
        ("part/file.py::broken", "no Python"),
    ]
    assert found[0].statements == (
        "import paddle", "for i in range(2):\n    print(i)", "print(3)"
    )  # fmt: skip
    assert pages.part_of(found[0].name) == "part"


def _printed(*texts):
    return [("ok", text) for text in texts]


@pytest.mark.parametrize(
    ("theirs", "again", "ours", "kind"),
    [
        (["1.0\n"], ["1.0\n"], ["1.0001\n"], "agrees"),
        (["1.0\n"], ["1.0\n"], ["1.01\n"], "differs"),
        (["[1. 2.]"], ["[1. 2.]"], ["[1.  2. 3.]"], "differs"),
        (["a [0.5, 0.1]"], ["a [0.7, 0.2]"], ["a [0.9]"], "agrees in form"),
        (["a [0.5, 0.1]"], ["a [0.7, 0.2]"], ["b [0.9, 0.1]"], "differs"),
        (["<a.b.C object at 0x12>"], ["<a.b.C object at 0x12>"], ["<d.C object at 0x3>"], "agrees"),
        (["step 3 - 20ms/step"], ["step 3 - 20ms/step"], ["step 3 - 1s/step"], "agrees"),
        (["nan"], ["nan"], ["1.0"], "differs"),
        (["np.float32(1.5)"], ["np.float32(1.5)"], ["1.5"], "agrees"),
    ],
)
def test_outputs_are_compared(theirs, again, ours, kind):
    assert verdict(_printed(*theirs), _printed(*again),
                   _printed(*ours)).kind == kind  # fmt: skip


def test_errors_are_distinguished():
    good = _printed("1\n")
    failed = [("error", "ValueError", "no")]
    lacks = [("error", "AttributeError", "module 'paddle.x' has no attribute 'y'")]
    assert verdict(failed, failed, good).kind == "Paddle fails"
    assert verdict(good, good, failed) == ("fails", "ValueError: no")
    assert verdict(good, good, lacks).kind == "lacks a name"
