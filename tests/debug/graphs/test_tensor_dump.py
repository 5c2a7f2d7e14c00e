"""grad_tensors.log: gradients as text, and whole as .npy files."""

import re

import jax.numpy as jnp
import ml_dtypes
import numpy as np
import pytest

import jaxeager as paddle
from jaxeager.debug.graphs import tensor_dump
from jaxeager.debug.graphs.tensor_dump import TensorLog, figures_of
from tests.support.here import PLACE


@pytest.fixture(autouse=True)
def _quiet():
    paddle.set_flags({"FLAGS_draw_backward_graphs": False})
    yield
    paddle.set_flags({"FLAGS_draw_backward_graphs": True, "FLAGS_dump_grad_tensors_npy": False})


MOST = 1000  # elements of a tensor that is not summarized


def block(array, folder=None):
    """Return the lines of one tensor."""
    log = TensorLog(folder, MOST)
    log.add("x@Grad", jnp.asarray(array))
    return log.text().splitlines()


def data(values, dtype):
    """Return the written text of values."""
    (line,) = [each for each in block(np.array(values).astype(dtype)) if "data" in each]
    return re.fullmatch(r"  - data: \[(.*)\]", line)[1]


def test_a_block_is_paddles_to_the_letter():
    assert block(np.array([[1.0, -0.25], [1e-8, 1e8]])) == [
        "Variable: x@Grad",
        "  - lod: {}",
        f"  - place: {PLACE}",
        "  - shape: [2, 2]",
        "  - layout: NCHW",
        "  - dtype: float64",
        "  - data: [1.000000 -0.250000 0.000000 100000000.000000]",
    ]


# The output of real Paddle 3.3.1 for the same values.
RECORDED = {
    "float32": ([1.5, -0.1, 1e-8, 1e8, 3.14159265, np.nan, np.inf, -np.inf, -0.0],
                "1.500000 -0.100000 0.000000 100000000.000000 3.141593 nan inf -inf -0.000000"),
    "float64": ([1.5, 1e-12, 1 / 3], "1.500000 0.000000 0.333333"),
    "float16": ([1.5, 0.1, 65504.0], "1.500000 0.099976 65504.000000"),
    "bfloat16": ([1.5, 0.1, 3e38],
                 "1.500000 0.100098 300405527047390987276260395623357874176.000000"),
    "bool": ([True, False, True], "1.000000 0.000000 1.000000"),
    "complex64": ([1 + 2j, -0.5 - 1e-7j], "1.000000+2.000000j -0.500000+-0.000000j"),
    "complex128": ([1 + 2j, -0.5 - 1e-7j], "1.000000+2.000000j -0.500000+-0.000000j"),
    "float8_e4m3fn": ([1.0, 2.0], "1.000000 2.000000"),
}  # fmt: skip


@pytest.mark.parametrize("dtype", RECORDED)
def test_values_are_written_as_recorded(dtype):
    values, text = RECORDED[dtype]
    assert data(values, getattr(ml_dtypes, dtype, dtype)) == text


@pytest.mark.parametrize(
    ("dtype", "values"),
    [
        ("int8", [1, -2, 127]), ("uint8", [1, 2, 255]), ("int16", [1, -2, 300]),
        ("int32", [1, -2, 2**31 - 1]), ("int64", [1, -2, 2**62 + 1]), ("uint64", [2**64 - 1]),
    ],
)  # fmt: skip
def test_integers_are_written_exactly(dtype, values):
    assert data(values, dtype) == " ".join(f"{value}.000000" for value in values)


def test_zero_dimensional_and_empty_ones():
    assert [line for line in block(np.float32(2.5)) if "shape" in line or "data" in line] == [
        "  - shape: []", "  - data: [2.500000]",
    ]  # fmt: skip
    assert [line for line in block(np.zeros((0, 3))) if "shape" in line or "data" in line] == [
        "  - shape: [0, 3]", "  - data: []",
    ]  # fmt: skip


def test_a_transposed_gradient_is_written_row_by_row():
    assert block(np.arange(6.0).reshape(2, 3).T)[-1] == (
        "  - data: [0.000000 3.000000 1.000000 4.000000 2.000000 5.000000]"
    )


# ---- large ones


def test_up_to_the_limit_everything_is_written():
    assert block(np.zeros(MOST))[-1].count("0.000000") == MOST
    assert block(np.zeros(MOST + 1))[6].count("0.000000") == 6


def large(*special):
    values = np.arange(5000, dtype=np.float32)
    values[100 : 100 + len(special)] = special
    return values


def test_large_tensors_are_summarized():
    assert block(large(np.nan, np.nan, np.inf, -np.inf, -7.0))[6:] == [
        "  - data: [0.000000 1.000000 2.000000 ... 4997.000000 4998.000000 4999.000000]",
        "  - elements: 5000",
        "  - min: -7.000000",
        "  - max: 4999.000000",
        "  - mean: 2501.397718",
        "  - nan: 2",
        "  - inf: 2",
    ]


@pytest.mark.parametrize(
    ("dtype", "lines"),
    [
        ("int64", ["min: 4611686018427387904.000000", "max: 4611686018427392903.000000"]),
        ("uint8", ["min: 0.000000", "max: 255.000000"]),
        ("bool", ["min: 0.000000", "max: 1.000000", "mean: 0.999800"]),
        ("complex64", ["min: 0.000000", "max: 4999.000000", "mean: 2499.500000+0.000000j"]),
        ("bfloat16", ["min: 0.000000", "max: 4992.000000"]),
    ],
)
def test_summaries_of_other_dtypes(dtype, lines):
    values = np.arange(5000) + (2**62 if dtype == "int64" else 0)
    text = "\n".join(block(values.astype(getattr(ml_dtypes, dtype, dtype))))
    for line in lines:
        assert f"  - {line}" in text
    assert text.endswith("nan: 0\n  - inf: 0")


@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_a_summary_without_finite_values(value):
    lines = block(np.full(2000, value, np.float32))
    assert lines[8:11] == ["  - min: nan", "  - max: nan", "  - mean: nan"]


@pytest.mark.parametrize(
    "dtype", ["float32", "float16", "bfloat16", "complex64", "int32", "uint64", "bool"]
)
def test_summaries_are_the_same_computed_on_the_device(dtype, monkeypatch):
    values = large(np.nan, np.inf, -3.0) if dtype.startswith(("f", "b", "c")) else np.arange(3000)
    with np.errstate(all="ignore"):
        array = jnp.asarray(values.astype(getattr(ml_dtypes, dtype, dtype)))
    on_host = block(array)
    monkeypatch.setattr(tensor_dump, "_is_on_host", lambda _: False)
    assert block(array) == on_host


def test_a_summary_reads_the_device_once(monkeypatch):
    reads = []
    real = tensor_dump.jax.device_get
    monkeypatch.setattr(tensor_dump, "_is_on_host", lambda _: False)
    monkeypatch.setattr(tensor_dump.jax, "device_get", lambda x: reads.append(1) or real(x))
    array, log = jnp.arange(5000.0), TensorLog(most=MOST)
    log.add("a@Grad", array)
    log.add("b@Grad", array)  # what an op hands to two edges
    assert len(reads) == 1
    assert log.text().count("elements: 5000") == 2


def test_figures_keep_the_sign_of_infinity_out_of_min_and_max():
    found = figures_of(np.array([-np.inf, 1.0, np.inf]), np)
    assert (found.smallest, found.largest, found.infs) == (1.0, 1.0, 2)


# ---- .npy


def dumped(tmp_path, make):
    x = paddle.to_tensor(np.arange(2000, dtype=np.float32), stop_gradient=False)
    with paddle.utils.capture_backward_subgraph_guard(str(tmp_path), True):
        y = make(x)
    y.sum().backward()
    return x, next(tmp_path.glob("*_grad_tensors.log")).read_text()


def test_the_flag_saves_every_gradient_whole(tmp_path):
    paddle.set_flags({"FLAGS_dump_grad_tensors_npy": True})
    x, text = dumped(tmp_path, lambda x: (x * 3)[:5])
    files = re.findall("  - npy: (.*)\n", text)
    assert len(files) == text.count("Variable: ") == 3
    assert np.load(tmp_path / files[0]).tolist() == [1.0] * 5
    np.testing.assert_array_equal(np.load(tmp_path / files[-1]), x.grad.numpy())
    assert re.fullmatch(r"[\d_:.-]{26}_grad_tensors/00002_[\w@.-]+\.npy", files[-1])


def test_every_value_is_written_as_in_paddle(tmp_path):
    _, text = dumped(tmp_path, lambda x: x * 3)
    data = re.findall(r"  - data: \[(.*)\]\n", text)
    assert data == [" ".join(["1.000000"] * 2000), " ".join(["3.000000"] * 2000)]


def test_the_flag_summarizes_large_ones(tmp_path):
    paddle.set_flags({"FLAGS_dump_grad_tensors_summary": 1999})
    try:
        _, text = dumped(tmp_path, lambda x: x * 3)
    finally:
        paddle.set_flags({"FLAGS_dump_grad_tensors_summary": 0})
    assert text.count("  - data: [3.000000 3.000000 3.000000 ... 3.000000") == 1
    assert text.count("  - elements: 2000\n") == 2


def test_without_the_flag_there_is_no_npy(tmp_path):
    _, text = dumped(tmp_path, lambda x: x * 3)
    assert "npy" not in text
    assert not list(tmp_path.rglob("*.npy"))


@pytest.mark.parametrize(
    "dtype", ["bfloat16", "float8_e4m3fn", "float8_e5m2", "float16", "complex64", "bool", "int8"]
)
def test_numpy_alone_reads_every_dtype(tmp_path, dtype):
    array = np.array([0, 1, 1]).astype(getattr(ml_dtypes, dtype, dtype))
    (line,) = [each for each in block(array, tmp_path / "whole") if "npy" in each]
    found = np.load(tmp_path / line.removeprefix("  - npy: "))
    assert found.dtype.isbuiltin == 1
    assert found.tolist() == [0, 1, 1]


def test_names_of_files_hold_no_separators(tmp_path):
    log = TensorLog(tmp_path / "whole")
    log.add("a/b\\c d@Grad", jnp.zeros(1))
    assert [path.name for path in (tmp_path / "whole").iterdir()] == ["00000_a_b_c_d@Grad.npy"]
