"""The fuzzer: its machinery, a small campaign and a longer one for `make test-all`."""

import itertools

import pytest

import jaxeager as paddle
from tests.fuzz.campaign import Campaign, Finding, Libraries, make, programs
from tests.fuzz.compare import class_difference, differences
from tests.fuzz.coverage import names_used, public_names
from tests.fuzz.draw import VARIANTS, Draw
from tests.fuzz.execute import execute
from tests.fuzz.families import load
from tests.fuzz.known import Known
from tests.fuzz.shrink import shrink
from tests.parity.harness import needed_paddle

FAMILIES = sorted(load())
# The campaign of `make test-all`, from this seed on.
FIRST_SEED = 40_000
SOME_HUNDRED = 16 * VARIANTS * len(FAMILIES) // 4


@pytest.fixture(scope="module")
def libraries():
    """Yield both libraries, each in a separate process."""
    both = Libraries(needed_paddle())
    yield both
    both.close()


class Here:
    """jaxeager in this process on both sides, so that a test can change one of them."""

    def __init__(self, change=None):
        self.change = change

    def run(self, batch):
        """Return the results of each program, and its results under the change."""
        right = [execute(paddle, program.statements) for program in batch]
        with pytest.MonkeyPatch.context() as patch:
            if self.change:
                self.change(patch)
            return [right, [execute(paddle, program.statements) for program in batch]]


@pytest.mark.parametrize("family", FAMILIES)
def test_a_seed_is_a_program(family):
    for seed in range(0, 60, 7):
        first, again = make(family, seed), make(family, seed)
        assert first == again
        compile(first.script, "program", "exec")
    assert len({make(family, seed * VARIANTS).source for seed in range(20)}) > 10


def test_variants_share_their_calls():
    one, other = (make("linalg", seed).statements for seed in (40, 41))
    assert [line for line in one if "t(" not in line] == [
        line for line in other if "t(" not in line
    ]


def test_slots():
    draw = Draw("test", 1)
    lines = draw.program("paddle.sum({x 2,3 float64 plain}, {0|0}, keepdim={bool})")
    assert lines[0].startswith("a = t(")
    assert "[2, 3], 'float64'" in lines[0]
    assert lines[1].startswith("y0 = paddle.sum(a, 0, keepdim=")


def test_execute_returns_the_values_a_program_leaves():
    result = execute(
        paddle,
        ["a = t(1, [2], grad=True)", "y = a * 2.0", "back(y)", "paddle.reshape(a, [7])", "z = 1"],
    )
    assert list(result["values"]) == ["a", "y"]
    assert result["values"]["a"]["grad"]["values"].shape == (2,)
    assert result["error"][0] == 3
    assert "ValueError" in result["error"][1]


@pytest.mark.parametrize(
    ("statement", "line"),
    [
        ("y = paddle.ones([2])", "y values"),
        ("y = paddle.ones([2], 'float64')", "y dtype"),
        ("y = paddle.ones([1, 2])", "y shape"),
        ("y = paddle.zeros([2]); y.stop_gradient = False", "y stop_gradient"),
        ("y = [paddle.zeros([2])]", "y type"),
        ("y = paddle.zeros([2]); y.grad = paddle.ones([2])", "y.grad presence"),
        ("raise ValueError('no')", "only jaxeager raises ValueError"),
    ],
)
def test_every_kind_of_difference_is_reported(statement, line):
    theirs = execute(paddle, ["y = paddle.zeros([2])"])
    ours = execute(paddle, [statement])
    assert [found for found in differences(theirs, ours) if found.startswith(line)]
    assert not differences(theirs, theirs)


def test_a_variable_of_any_values_is_compared_by_form():
    theirs, ours, other = (
        execute(paddle, [f"any_y = paddle.{made}"])
        for made in ("zeros([2])", "ones([2])", "ones([3])")
    )
    assert not differences(theirs, ours)
    assert differences(theirs, other)


def test_exceptions_of_another_class():
    theirs, ours = (execute(paddle, [f"raise {name}('no')"]) for name in ("KeyError", "IndexError"))
    assert not differences(theirs, ours)
    assert class_difference(theirs, ours).startswith("Paddle raises KeyError, jaxeager IndexError")


def _wrong_keepdim(patch):
    right = paddle.mean

    def mean(x, axis=None, keepdim=False, name=None):
        return right(x, axis, False, name)

    patch.setattr(paddle, "mean", mean)


def _wrong_gradient(patch):
    right = paddle.nn.functional.gelu
    patch.setattr(
        paddle.nn.functional, "gelu", lambda *given: right(*given) + given[0].detach() - given[0]
    )


def _no_more_axes(patch):
    right = paddle.cumsum
    patch.setattr(paddle, "cumsum", lambda x, axis=None, dtype=None: right(x, axis or None, dtype))


@pytest.mark.parametrize(
    ("change", "family", "name"),
    [
        (_wrong_keepdim, "reductions", "paddle.mean("),
        (_wrong_gradient, "activations", "F.gelu("),
        (_no_more_axes, "reductions", "paddle.cumsum("),
    ],
)
def test_a_planted_defect_is_found(change, family, name):
    candidates = (make(family, seed * VARIANTS) for seed in itertools.count())
    some = list(itertools.islice((each for each in candidates if name in each.source), 12))
    clean = Campaign(Here())
    clean.run(iter(some))
    assert not clean.findings
    campaign = Campaign(Here(change))
    campaign.run(iter(some))
    assert campaign.counts["programs"] == len(some) == 12
    assert campaign.findings
    assert all(name in finding.program.source for finding in campaign.findings)


def test_a_finding_shrinks_to_what_it_needs():
    program = make("reductions", 0)._replace(
        statements=(
            "a = t(1, [2, 3])",
            "b = t(2, [3])",
            "c = b * 2.0",
            "y = paddle.mean(a, None, True)",
            "d = c + 1.0",
        )
    )
    here = Here(_wrong_keepdim)
    lines = differences(*(results[0] for results in here.run([program])))
    small = shrink(Finding(program, lines), here)
    assert small.program.statements == ("a = t(1, [2, 3])", "y = paddle.mean(a, None, True)")


def test_known_differences(tmp_path):
    file = tmp_path / "known.toml"
    file.write_text(
        '[[known]]\nprogram = "mean"\nline = "shape"\nreason = "Paddle is wrong: it is a test"\n'
        '[[known]]\nprogram = "never"\nreason = "documented difference: it is a test"\n'
    )
    known = Known(file)
    program = make("reductions", 0)._replace(statements=("y = paddle.mean(a)",))
    assert known.unexplained(Finding(program, ["y shape: [] | [1]", "y dtype: a | b"])) == [
        "y dtype: a | b"
    ]
    assert known.unused() == ["'never', ''"]
    file.write_text('[[known]]\nreason = "no reason"\n')
    with pytest.raises(ValueError, match="a reason starts with"):
        Known(file)


def test_every_known_difference_has_a_reason():
    assert Known().entries


def test_coverage_counts_names():
    assert names_used(("y0 = paddle.linalg.norm(F.relu(a), 2)", "a.add_(b)")) == {
        "paddle.linalg.norm",
        "paddle.linalg",
        "F.relu",
        "Tensor.add_",
    }
    assert {"paddle", "nn.functional", "Tensor", "nn"} <= set(public_names())


@pytest.mark.deep
def test_programs_with_both_libraries(libraries):
    known = Known()
    campaign = Campaign(libraries)
    campaign.run(programs(range(FIRST_SEED, FIRST_SEED + SOME_HUNDRED)))
    assert campaign.counts["programs"] == SOME_HUNDRED
    unexplained = [finding for finding in campaign.findings if known.unexplained(finding)]
    assert not unexplained, "\n\n".join(map(str, unexplained))


@pytest.mark.live
def test_a_few_programs_with_both_libraries(libraries):
    known = Known()
    campaign = Campaign(libraries)
    seeds = range(FIRST_SEED, FIRST_SEED + VARIANTS * len(FAMILIES), VARIANTS)
    campaign.run(programs(seeds))
    assert campaign.counts["refused by both"] < campaign.counts["programs"] / 2
    unexplained = [finding for finding in campaign.findings if known.unexplained(finding)]
    assert not unexplained, "\n\n".join(map(str, unexplained))
