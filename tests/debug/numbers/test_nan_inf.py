"""FLAGS_check_nan_inf: the findings, their places, and the messages."""

import gc
import threading
import tracemalloc

import jax
import numpy as np
import pytest

import jaxeager as paddle
from jaxeager.debug.numbers import statistics as tensor_statistics
from jaxeager.debug.numbers.statistics import is_beyond_float16, is_finite, statistics_of
from jaxeager.errors import PreconditionNotMetError
from jaxeager.graph import events
from tests.support.here import IS_ON_CPU, only_on_a_cpu
from tests.support.leaves import leaf
from tests.support.precision import FLOATS, INF, NAN, records
from tests.support.refusals import refused

# ---- forward


@only_on_a_cpu("there it is reported later: test_late.py")
def test_the_line_and_the_error(checked, capsys):
    checked()
    x = paddle.to_tensor([1.0, 0.5, 3.0]) - 1
    with pytest.raises(RuntimeError) as caught:
        paddle.log(x)
    assert str(caught.value) == (
        "(PreconditionNotMet) There are NAN or INF (num_nan=1, num_inf=1, num_zero=0) in "
        "[device=cpu, op=log, tensor=out, dtype=fp32].\n"
        "  The first is -inf, at [0] of shape [3].\n"
        "  It was made here, from finite inputs: x (max=2.000000e+00, min=-5.000000e-01)."
    )
    line = capsys.readouterr().out
    start = "[PRECISION] [ERROR] in [device=cpu, op=log, tensor=out, dtype=fp32], numel=3, "
    assert line.startswith(start + "num_nan=1, num_inf=1, num_zero=0, max=6.931472e-01, min=-inf,")


def test_nonfinite_operands_are_not_blamed_on_the_op(checked):
    x = paddle.to_tensor([[1.0, NAN], [INF, 0.0]])
    checked()
    with refused(RuntimeError, match=r"(?s)at \[0, 1\].*already in x \(num_nan=1, num_inf"):
        x * 2.0
    with refused(RuntimeError, match=r"already in x\[1\] \(num_nan=1"):
        paddle.concat([paddle.ones([1, 2]), x])


def test_an_operand_of_another_dtype_is_no_culprit(checked):
    checked()
    with refused(RuntimeError, match=r"op=divide.*\n.*\n.*made here, from finite inputs: x"):
        paddle.ones([2]) / paddle.zeros([2])


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("shape", [(), (2,), (3, 50), (7, 0)])
@pytest.mark.parametrize("bad", [NAN, INF, -INF])
def test_every_dtype_and_shape(checked, dtype, shape, bad):
    values = np.ones(shape)
    good = paddle.to_tensor(values).astype(dtype)
    values.reshape(-1)[-1:] = bad
    x = paddle.to_tensor(values).astype(dtype)
    checked()
    for _ in range(2):
        good + good
        if values.size:
            with refused(PreconditionNotMetError, match="op=add"):
                x + x
        else:
            x + x


def test_complex_is_checked_like_the_others(checked, capsys):
    x = paddle.to_tensor(np.array([complex(1, NAN), complex(INF, 1), 3 + 4j], "complex64"))
    checked(1)
    x + paddle.zeros([3], "complex64")
    (found,) = records(capsys)
    assert (found.dtype, found.num_nan, found.num_inf) == ("complex64", 1, 1)
    checked(3)
    paddle.to_tensor(np.array([3 + 4j, 0], "complex64")) + paddle.zeros([2], "complex64")
    found = records(capsys)[-1]
    assert (found.max, found.min, found.mean, found.num_zero) == (5.0, 0.0, 2.5, 1)


@pytest.mark.parametrize("dtype", ["float8_e4m3fn", "float8_e5m2"])
def test_eight_bits(checked, capsys, dtype):
    checked(3)
    paddle.to_tensor([1.0, 2.0]).astype(dtype)
    (found,) = records(capsys)
    assert (found.op, found.dtype, found.max) == ("cast", dtype, 2.0)
    x = paddle.to_tensor([NAN])
    checked(0)
    with refused(RuntimeError, match=f"dtype={dtype}"):
        x.astype(dtype)


def test_dtypes_without_nan_are_not_checked(checked, capsys):
    checked(3)
    x = paddle.to_tensor([1, 2])
    assert ((x + x) > 0).all()
    paddle.zeros([0, 2])
    paddle.to_tensor([NAN])
    assert records(capsys) == []


def test_several_outputs_are_named(checked, capsys):
    x = paddle.to_tensor([3.0, 1.0, 2.0, 0.0])
    checked(3)
    paddle.topk(x, 2)
    paddle.split(x, 2)
    found = [(each.op, each.tensor, each.numel) for each in records(capsys)]
    assert found == [
        ("topk", "out", 2), ("split_with_num", "out_0", 2), ("split_with_num", "out_1", 2)
    ]  # fmt: skip


def test_unique_names_when_they_are_on(checked, capsys):
    paddle.set_flags({"FLAGS_enable_unique_name": True})
    try:
        x = leaf([1.0, 1.0])
        checked(3)
        y = x.exp()
        assert records(capsys)[0].tensor == y.name
        z = y.sum()
        z.backward()
        names = [each.tensor for each in records(capsys)]
        assert names == [z.name, f"{y.name}@Grad", "x@Grad"]
        number = int(y.name.split("_")[0].removeprefix("exp"))
        checked(0)
        big = paddle.to_tensor([1000.0])
        with refused(RuntimeError, match=f"tensor=exp{number + 1}_out_float32_1,"):
            big.exp()
        assert x.exp().name.startswith(f"exp{number + 2}_")
    finally:
        paddle.set_flags({"FLAGS_enable_unique_name": False})


@only_on_a_cpu("there it is reported later: test_late.py")
def test_an_in_place_op_leaves_its_target(checked):
    x = paddle.ones([2])
    nan = paddle.to_tensor([NAN, 1.0])
    checked()
    version = x.inplace_version
    with pytest.raises(RuntimeError, match=f"op=add_, tensor={x.name}, "):
        x.add_(nan)
    assert x.tolist() == [1.0, 1.0]
    assert x.inplace_version == version
    with pytest.raises(RuntimeError, match="op=set_value_"):
        x[0] = NAN
    assert x.tolist() == [1.0, 1.0]


def test_fills_with_infinity_are_intended(checked):
    checked()
    x = paddle.ones([2, 2])
    mask = paddle.to_tensor([[True, False], [False, True]])
    assert paddle.full([2], -INF).tolist() == [-INF, -INF]
    assert paddle.full_like(x, INF).tolist() == [[INF, INF], [INF, INF]]
    assert paddle.masked_fill(x, mask, -INF).tolist() == [[-INF, 1.0], [1.0, -INF]]
    assert paddle.where(mask, x, -INF).tolist() == [[1.0, -INF], [-INF, 1.0]]
    y = paddle.ones([2])
    y[0] = INF
    assert y.tolist() == [INF, 1.0]
    assert y.fill_(-INF).tolist() == [-INF, -INF]
    for fill in (lambda: paddle.full([2], NAN), lambda: paddle.masked_fill(x, mask, NAN)):
        with refused(RuntimeError, match="num_nan="):
            fill()
    with refused(RuntimeError, match="op=scale"):
        y * 2.0


def test_nan_to_num_may_do_its_work(checked, capsys):
    x = paddle.to_tensor([NAN, INF, -INF, 1.0])
    checked()
    assert paddle.nan_to_num(x, posinf=2.0, neginf=-2.0).tolist() == [0.0, 2.0, -2.0, 1.0]
    x.nan_to_num_()
    assert np.isfinite(x.numpy()).all()
    assert records(capsys) == []


def test_level_2_reports_overflow_and_underflow_of_float16(checked, capsys):
    checked(2)
    for values in ([1.0, 65504.0], [6e-8], [0.0], [65505.0], [-7e4], [1e-8], [-(2.0**-25)]):
        paddle.to_tensor(values) * 1.0
    paddle.to_tensor([1e-8], "float64") * 1.0
    assert [each.max for each in records(capsys)] == pytest.approx(
        [65505.0, -7e4, 1e-8, -(2.0**-25)]
    )


def test_arrays_whose_sum_overflows_are_checked_by_element(checked):
    checked()
    for dtype, most in (("float32", 3e38), ("float64", 1.7e308), ("float16", 65504.0)):
        for count in (8, 4000):
            paddle.full([count], most, dtype).abs()


def test_traced_functions_are_left_alone(checked):
    checked()
    found = jax.jit(lambda a: (paddle.to_tensor(a) / 0.0)._array)(np.ones(2, "float32"))
    assert np.isinf(found).all()


# ---- it sticks to nothing


def test_results_are_the_same(checked):
    def program():
        paddle.seed(3)
        linear = paddle.nn.Linear(4, 4)
        loss = paddle.nn.functional.dropout(linear(paddle.randn([2, 4])).tanh()).sum()
        loss.backward()
        return loss.numpy(), linear.weight.grad.numpy()

    plain = program()
    for level in (0, 3):
        checked(level)
        for a, b in zip(plain, program(), strict=True):
            assert (a == b).all()


def test_nothing_is_kept(checked):
    checked()
    x = leaf([1.0, 1.0])
    assert not hasattr((x * 2.0).grad_fn, "stack")

    def steps(count):
        h = x
        for _ in range(count):
            h = h * 1.0
            (h + 1.0).sum().backward(retain_graph=True)
            x.clear_gradient()
            h = h.detach()
            h.stop_gradient = False

    def grown():
        gc.collect()
        before = tracemalloc.get_traced_memory()[0]
        steps(50)
        gc.collect()
        return tracemalloc.get_traced_memory()[0] - before

    steps(20)
    gc.collect()
    tracemalloc.start()
    try:
        steps(10)
        assert min(grown() for _ in range(3)) < 20_000  # a table of JAX may grow in one of them
    finally:
        tracemalloc.stop()


def test_a_chain_takes_the_memory_that_it_takes_without_the_check(checked):
    """BEAT: in Paddle every node holds the stacks of all before it, 1.8 GB for 2400 of them."""
    x = leaf([1.0])

    def taken():
        gc.collect()
        tracemalloc.start()
        try:
            y = x
            for _ in range(200):
                y = y * 1.0
            y.backward(retain_graph=True)
            gc.collect()
            return tracemalloc.get_traced_memory()[0]
        finally:
            tracemalloc.stop()

    def least():
        return min(taken() for _ in range(4))  # a table of JAX may grow in one of them

    plain = least()
    checked()
    assert least() < plain + 10_000


def test_switching_at_run_time(checked, capsys):
    x = paddle.to_tensor([NAN])
    x * 2.0
    checked(1)
    x * 2.0
    checked(3)
    paddle.ones([1]) * 2.0
    paddle.set_flags({"FLAGS_check_nan_inf": False})
    x * 2.0
    assert [each.op for each in records(capsys)] == ["scale", "full", "scale"]
    assert events.kernel_ran is None


def test_other_threads_are_checked_too(checked, capsys):
    x = paddle.to_tensor([NAN])
    checked(1)
    thread = threading.Thread(target=lambda: x * 2.0)
    thread.start()
    thread.join()
    assert len(records(capsys)) == 1


def test_arrays_do_not_remember_having_been_read(checked):
    checked(3)
    for dtype in FLOATS:
        x = paddle.ones([200], dtype)._array
        assert getattr(x, "_npy_value", None) is None
        assert is_finite(x)


# ---- statistics


def test_statistics_pass_over_nan_unless_it_is_first():
    assert statistics_of(jax.numpy.array([1.0, NAN, 3.0]))[4:6] == (3.0, 1.0)
    assert np.isnan(statistics_of(jax.numpy.array([NAN, 1.0]))[4:6]).all()
    empty = statistics_of(jax.numpy.ones([0]))
    assert (empty.numel, empty.is_bad) == (0, False)


def test_the_number_of_probes_is_bounded(monkeypatch):
    monkeypatch.setattr(tensor_statistics, "_MOST_PROBES", 3)
    tensor_statistics.probes.clear()
    for size in range(1, 9):
        assert is_finite(jax.numpy.ones([size]))
    assert len(tensor_statistics.probes) <= 3


def test_arrays_in_several_pieces_are_checked():
    array = jax.numpy.array([1.0, NAN])
    tensor_statistics.probes[array.aval.dtype, array.aval.shape] = memoryview  # cannot be summed
    try:
        assert not is_finite(array)
        assert not is_beyond_float16(jax.numpy.ones([2]))
    finally:
        tensor_statistics.probes.clear()


def test_keys_of_random_numbers_are_no_numbers():
    key = jax.random.key(0)
    assert is_finite(key)
    assert not tensor_statistics.has_statistics(key)


SMALL = ["float16", "bfloat16", "float32", "float8_e4m3fn", "complex64"]


@pytest.mark.parametrize("dtype", SMALL)
def test_an_array_is_checked_while_jax_traces_something_else(dtype):
    good, bad = (jax.numpy.asarray([1.0, last]).astype(dtype) for last in (0.0, NAN))

    def traced(x):
        assert is_finite(good)
        assert not is_finite(bad)
        assert statistics_of(bad).num_nan == 1
        return x

    assert not jax.make_jaxpr(traced)(good).eqns


@pytest.mark.parametrize("dtype", SMALL)
@pytest.mark.parametrize("size", [2, 300])
def test_a_tracer_is_not_checked(dtype, size):
    x = jax.numpy.zeros([size], dtype)
    assert is_finite(x)  # the checks of such an array are compiled now
    assert not jax.make_jaxpr(lambda x: x if is_finite(x) else None)(x).eqns


@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
@pytest.mark.parametrize("size", [1, 3, 64, 65])
def test_every_number_of_16_bits_is_distinguished(dtype, size):
    numbers = np.arange(1 << 16, dtype=np.uint16)
    edges = [0x0000, 0x7BFF, 0x7C00, 0x7C01, 0x7F7F, 0x7F80, 0x7F81, 0x7FFF]
    largest = 0xFBFF if dtype == "float16" else 0xFF7F
    for number in [*edges, *(each | 0x8000 for each in edges), *numbers[::997]]:
        bits = np.full([size], largest, np.uint16)
        bits[size // 2] = number
        values = bits.view(jax.numpy.dtype(dtype))
        expected = bool(np.isfinite(values.astype(np.float32)).all())
        assert is_finite(jax.numpy.asarray(values)) == expected, hex(number)


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("size", [1, 8, 9, 32, 33, 64, 65, 1000])
def test_one_nonfinite_number_is_found_at_any_place_of_an_array(dtype, size):
    kind = jax.numpy.finfo(dtype)
    large = float(kind.max) if size <= 32 else 1.0  # its square overflows
    smallest = float(kind.smallest_subnormal)
    for place in {0, size // 2, size - 1}:
        for number in (large, -large, smallest, -0.0, NAN, -NAN, INF, -INF):
            values = np.full([size], -smallest)
            values[place] = number
            array = jax.numpy.asarray(values).astype(dtype)
            expected = bool(np.isfinite(number))
            assert is_finite(array) == expected, (place, number)
            if size > 8 and IS_ON_CPU:  # elsewhere nothing is reported immediately
                assert tensor_statistics.are_finite((None, array)) == expected, (place, number)
