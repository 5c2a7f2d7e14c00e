"""compare_accuracy: the numbers of two runs side by side."""

import csv
import sys

import openpyxl
import pytest

import jaxeager as paddle
from jaxeager.debug.numbers.accuracy_compare import half_of, is_normal, key_of, paired
from jaxeager.debug.numbers.precision_text import parse_line
from tests.support.here import WORKER

debugging = paddle.amp.debugging


def line(op="add", tensor="out", dtype="fp32", numel=1, most=1.0, bad=None):
    """Return a line of a tensor checker."""
    counts = "num_zero=0" if bad is None else f"num_nan={bad}, num_inf=0, num_zero=0"
    error = "" if bad is None else "[ERROR] "
    return (
        f"[PRECISION] {error}in [device=cpu, op={op}, tensor={tensor}, dtype={dtype}], "
        f"numel={numel}, {counts}, max={most:e}, min={most:e}, mean={most:e}"
    )


def records(*each):
    """Return records of ops, or of the arguments of ``line``."""
    return [parse_line(line(**(a if isinstance(a, dict) else {"op": a}))) for a in each]


def run(dtype, folder):
    """Return a run under a tensor checker."""
    mode = debugging.DebugMode.CHECK_ALL
    config = debugging.TensorCheckerConfig(True, mode, output_dir=str(folder))
    debugging.enable_tensor_checker(config)
    x = paddle.to_tensor([1.0, 2.0, 40000.0]).astype(dtype)
    x.stop_gradient = False
    y = x * 3
    z = (y + 1) * 0.5
    z.sum().backward()
    debugging.disable_tensor_checker()


@pytest.fixture
def table(tmp_path, capsys):
    """Return the rows of a comparison of float32 and float16, without the heads."""
    run("float32", tmp_path / "a")
    run("float16", tmp_path / "b")
    path = tmp_path / "found.csv"
    debugging.compare_accuracy(str(tmp_path / "a"), str(tmp_path / "b"), str(path))
    with open(path, newline="") as file:
        rows = list(csv.reader(file))
    return rows, capsys.readouterr().out, path


def test_a_table_of_two_runs(table):
    (groups, titles, *rows), printed, path = table
    assert groups[4] == "fp32"
    assert groups[9] == "fp16 (scale=1)"
    assert groups[16] == "fp16 / fp32"
    assert len(titles) == 19
    assert [row[0] for row in rows] == [
        "cast", "scale", "scale", "scale", "sum", "sum_grad", "scale_grad", "scale_grad",
        "scale_grad",
    ]  # fmt: skip
    cast, first, second, third = rows[:4]
    assert cast[1:10] == ["out#0", "3", "0", "--", "--", "--", "--", "--", "fp16"]
    assert [first[1], second[1], third[1]] == ["out#0", "out#1", "out#2"]
    assert first[2:9] == ["3", "1", "fp32", "120000.000000", "3.000000", "40003.000000", "0"]
    assert first[9:] == ["fp16", "inf", "3.000000", "inf", "0", "1", "0", "inf", "1.000000", "inf"]
    assert rows[-1][3] == "0"
    assert "9 tensors compared, 4 of them not as in the first run: scale, sum" in printed
    assert f"-- Write to {path}" in printed


def test_an_op_that_one_run_has_leaves_the_others_paired():
    first = records("scale", "exp", "scale", "tanh")
    second = records("cast", "scale", "scale", "cast", "tanh", "sum")
    found = [(p.first and p.first.op, p.second and p.second.op) for p in paired(first, second)]
    assert found == [
        (None, "cast"), ("scale", "scale"), ("exp", None), ("scale", "scale"), (None, "cast"),
        ("tanh", "tanh"), (None, "sum"),
    ]  # fmt: skip


def test_tensors_of_an_op_are_distinguished():
    first = records({"op": "add_grad", "tensor": "x@Grad"}, {"op": "add_grad", "tensor": "y@Grad"})
    (pair, *_) = paired(first, first[1:])
    assert (pair.first.tensor, pair.second) == ("x@Grad", None)


def test_unique_names_pair_across_dtypes():
    first, second = records({"tensor": "add2_out_float32_2x3"}, {"tensor": "add2_out_float16_2x3"})
    assert key_of(first) == key_of(second) == ("add", "out")
    grad, other = records({"tensor": "sub_net1_out_0_bfloat16_@Grad"}, {"tensor": "linear_0.w_0"})
    assert key_of(grad)[1].endswith("out_0@Grad")
    assert key_of(other)[1] == "linear.w_0"


@pytest.mark.parametrize(
    ("first", "second", "scale", "expected"),
    [
        ({"most": 1.0}, {"most": 1.001}, 1, True),
        ({"most": 1.0}, {"most": 1.1}, 1, False),
        ({"most": 7e4}, {"most": 7e4}, 1, False),
        ({}, {"bad": 1}, 1, False),
        ({"tensor": "x@Grad"}, {"tensor": "x@Grad", "most": 8.0}, 8, True),
        ({"tensor": "x@Grad"}, {"tensor": "x@Grad", "most": 1.0}, 8, False),
        ({}, {"most": 8.0}, 8, False),
    ],
)
def test_which_pairs_are_normal(first, second, scale, expected):
    (pair,) = paired(records(first), records(second))
    assert is_normal(pair, scale) is expected


def test_missing_files_and_unsupported_options_are_refused(tmp_path):
    run("float32", tmp_path / "a")
    folder, empty = str(tmp_path / "a"), str(tmp_path)
    with pytest.raises(RuntimeError, match="no file worker_"):
        debugging.compare_accuracy(folder, empty, "x.csv")
    with pytest.raises(RuntimeError, match="There is no folder"):
        debugging.compare_accuracy(str(tmp_path / "none"), folder, "x.csv")
    with pytest.raises(ValueError, match="dump_all_tensors"):
        debugging.compare_accuracy(folder, folder, "x.csv", dump_all_tensors=True)
    (tmp_path / "b").mkdir()
    (tmp_path / "b" / "worker_tpu.0").write_text(line())
    with pytest.raises(RuntimeError, match=f"has no file {WORKER}"):
        debugging.compare_accuracy(folder, str(tmp_path / "b"), "x.csv")


def test_a_workbook_needs_an_extra(tmp_path, monkeypatch):
    run("float32", tmp_path / "a")
    monkeypatch.setitem(sys.modules, "xlsxwriter", None)
    path = tmp_path / "found.xlsx"
    with pytest.raises(RuntimeError, match=r"jaxeager\[excel\]\"; or .*\.csv"):
        debugging.compare_accuracy(str(tmp_path / "a"), str(tmp_path / "a"), str(path))
    assert not path.exists()


def test_a_workbook(tmp_path):
    run("float32", tmp_path / "a")
    path = tmp_path / "found.xlsx"
    debugging.compare_accuracy(str(tmp_path / "a"), str(tmp_path / "a"), str(path))
    rows = list(openpyxl.load_workbook(path)[WORKER].iter_rows(values_only=True))
    assert [rows[0][column] for column in (4, 9, 16)] == ["fp32", "fp16 (scale=1)", "fp16 / fp32"]
    assert (rows[1][0], rows[2][0], rows[2][1]) == ("op_type", "scale", "out#0")
    assert float(rows[2][5]) == 120000.0


@pytest.mark.parametrize(
    "text", ["", "no line", "[PRECISION] in [device=cpu, op=add]", "[PRECISION] x"]
)
def test_lines_that_are_none(text):
    assert parse_line(text) is None


# ---- runs of one process, and of bfloat16


def train(dtype, folder):
    """Run a forward and backward of two new layers under a tensor checker."""
    layers = paddle.nn.Sequential(paddle.nn.Linear(3, 2), paddle.nn.Linear(2, 1)).astype(dtype)
    for parameter in layers.parameters():
        parameter.set_value(paddle.full(parameter.shape, 0.5, dtype))
    config = debugging.TensorCheckerConfig(
        True, debugging.DebugMode.CHECK_ALL, output_dir=str(folder)
    )
    debugging.enable_tensor_checker(config)
    layers(paddle.ones([2, 3], dtype) * 2e5).sum().backward()
    debugging.disable_tensor_checker()


def rows_of_runs(tmp_path, dtype):
    """Return the table of a float32 run and a narrower one, of the same process."""
    train("float32", tmp_path / "a")
    train(dtype, tmp_path / "b")
    path = tmp_path / "made" / "found.csv"
    debugging.compare_accuracy(str(tmp_path / "a"), str(tmp_path / "b"), str(path))
    with open(path, newline="") as file:
        return list(csv.reader(file))


@pytest.mark.parametrize("unique_names", [False, True])
def test_runs_of_one_process_pair_though_their_layers_count_on(tmp_path, unique_names):
    paddle.set_flags({"FLAGS_enable_unique_name": unique_names})
    try:
        _, _, *rows = rows_of_runs(tmp_path, "float16")
    finally:
        paddle.set_flags({"FLAGS_enable_unique_name": False})
    assert all("--" not in (row[4], row[9]) for row in rows)
    parameters = [row[1].partition("@")[0] for row in rows if "w_0" in row[1] or "b_0" in row[1]]
    assert len(parameters) == 4
    assert len({name.partition(".")[0] for name in parameters}) == 2  # of two layers


def test_bfloat16_is_called_so_and_holds_what_float16_cannot(tmp_path):
    groups, _, *rows = rows_of_runs(tmp_path, "bfloat16")
    assert (groups[9], groups[16]) == ("bf16 (scale=1)", "bf16 / fp32")
    assert {row[9] for row in rows} == {"bf16"}
    assert any(float(row[5]) > 65504 for row in rows)
    assert {row[3] for row in rows} == {"0"}
    _, _, *rows = rows_of_runs(tmp_path / "again", "float16")
    assert "1" in {row[3] for row in rows}


def test_which_dtype_counts_as_the_half_of_a_pair():
    def half(*dtypes):
        return half_of(records(*[{"dtype": dtype} for dtype in dtypes]))

    assert [half("bf16", "fp32"), half("fp16", "bf16"), half("fp32"), half()] == [
        "bf16", "fp16", "fp16", "fp16",
    ]  # fmt: skip
    (pair,) = paired(records({"most": 1e39}), records({"most": 1e39, "dtype": "bf16"}))
    assert not is_normal(pair, 1, "bf16")
