"""python -m jaxeager ops: the table of ops, and the entries of some."""

import re
from pathlib import Path

import pytest

from jaxeager.__main__ import main
from jaxeager.debug import ops_command
from jaxeager.ops.row import ROWS

ROOT = Path(__file__).resolve().parents[2]


def test_the_table_has_a_line_per_op(capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "100")
    assert main(["ops"]) == ops_command.FOUND
    head, *lines, last = capsys.readouterr().out.splitlines()
    assert head.split() == ["op", "derivative"]
    assert [line.split()[0] for line in lines] == sorted(ROWS)
    assert last.startswith(f"{len(ROWS)} ops; ")
    assert max(map(len, lines)) <= 100
    assert re.search(
        r"^tanh +dx = dout \* \(1 - conj\(out\)\^2\) +\[saves out\]$", "\n".join(lines), re.M
    )
    assert re.search(r"^argmax +no gradient$", "\n".join(lines), re.M)


def test_an_entry_has_all_that_the_row_has(capsys):
    assert main(["ops", "sigmoid"]) == ops_command.FOUND
    text, row = capsys.readouterr().out, ROWS["sigmoid"]
    for part in (row.doc, row.formula, row.grad_name, row.example, *row.dtypes, "Tensor.sigmoid_("):
        assert part in text
    places = re.findall(r"\((\S+):(\d+)\)", text)
    assert len(places) == 2
    for (file, line), function in zip(places, (row.vjp, row.forward), strict=True):
        code = (Path.cwd() / file).read_text().splitlines()
        assert f"def {function.__name__}(" in code[int(line) - 1]


def test_a_forward_of_jax_has_its_module(capsys):
    assert main(["ops", "tanh"]) == ops_command.FOUND
    assert "forward     tanh of jax" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("name", "rows"),
    [
        ("matmul", ["matmul"]),
        ("paddle.matmul", ["matmul"]),
        ("Tensor.add_", ["add"]),
        ("MatmulGradNode", ["matmul", "sparse_matmul"]),
        ("log_softma?", ["log_softmax"]),
        ("nothing_like_it", []),
    ],
)
def test_names_and_patterns(name, rows):
    assert [row.name for row in ops_command.rows_of(name)] == rows


def test_an_unknown_name_is_refused_with_similar_ones(capsys):
    assert main(["ops", "matmull", "tanh"]) == ops_command.UNKNOWN
    printed = capsys.readouterr()
    assert "matmull: not an op of the table. Similar names: matmul" in printed.err
    assert printed.out.startswith("tanh: ")


def test_every_entry_can_be_printed():
    for row in ROWS.values():
        lines = ops_command.entry(row).splitlines()
        assert lines[0].startswith(f"{row.name}: ")
        assert all(line.startswith("  ") for line in lines[1:])
