"""Random programs leave in lazy mode what they leave without it: support/lazy_programs.py."""

import pytest

import jaxeager as paddle
from tests.support import lazy_programs
from tests.support.often import only

pytestmark = pytest.mark.filterwarnings("ignore:Lazy mode. the last")


def check(seed: int) -> None:
    want = lazy_programs.run(seed)
    with paddle.lazy():
        for time in range(5):
            found = lazy_programs.differences(want, lazy_programs.run(seed))
            assert not found, (seed, time, found[:3])


@pytest.mark.parametrize("seed", only([0, 1, 2, 3, 4, 8, 9], range(12)))
def test_a_program(seed):
    check(seed)


@pytest.mark.deep
@pytest.mark.parametrize("first", range(100, 2100, 50))
def test_many_programs(first):
    for seed in range(first, first + 50):
        check(seed)
