"""The number of test processes."""

import pytest

from tests.support.workers import MOST, memory_bytes, processors, workers


@pytest.mark.parametrize(
    ("cores", "gib", "expected"),
    [(2, 24, 2), (64, 512, MOST), (64, 16, 5), (16, 3, 2), (0.5, 64, 1), (3.5, 64, 3)],
)
def test_workers_fit_processors_and_memory(cores, gib, expected):
    assert workers(float(cores), gib << 30) == expected


def test_a_container_limits_both(tmp_path):
    (tmp_path / "cpu.max").write_text("50000 100000\n")
    (tmp_path / "memory.max").write_text(f"{1 << 20}\n")
    assert processors(tmp_path) == 0.5
    assert memory_bytes(tmp_path) == 1 << 20


@pytest.mark.parametrize("text", ["max 100000\n", "max\n", ""])
def test_no_limit_leaves_those_of_the_machine(tmp_path, text):
    (tmp_path / "cpu.max").write_text(text)
    (tmp_path / "memory.max").write_text("max\n")
    assert processors(tmp_path) >= 1
    assert memory_bytes(tmp_path) >= 1 << 30
    assert processors(tmp_path / "absent") >= 1
