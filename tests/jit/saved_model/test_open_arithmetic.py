"""Computations with open sizes: each program is saved, loaded, and compared with the function."""

import warnings

import jax
import numpy as np
import pytest

import jaxeager as paddle
from jaxeager.static import InputSpec
from tests.jit.saved_model.open_architectures import PROGRAMS as NETWORKS
from tests.jit.saved_model.open_programs import PROGRAMS, Program
from tests.support.often import only

FAST = {
    "first_half", "without_ends", "scaled_by_root", "linspace_of_size", "windows",
    "pairs_of_an_even_size", "float_of_size", "row_by_row",
}  # fmt: skip


def flat(found):
    return (
        [found] if isinstance(found, paddle.Tensor) else [t for each in found for t in flat(each)]
    )


def drawn(program: Program, sizes: tuple) -> list:
    waiting, draws = iter(sizes), np.random.default_rng(0)
    inputs = []
    for shape, dtype in zip(program.shapes, program.dtypes, strict=True):
        full = [next(waiting) if n is None else n for n in shape]
        values = draws.normal(size=full) if dtype == "float32" else draws.integers(0, 10, full)
        inputs.append(paddle.to_tensor(values.astype(dtype)))
    return inputs


def check(program: Program, folder) -> None:
    function = program.function
    if isinstance(function, type):
        paddle.seed(0)
        function = function()
        function.eval()
    specs = [InputSpec(s, d) for s, d in zip(program.shapes, program.dtypes, strict=True)]
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "What is saved is a function")
        paddle.jit.save(function, f"{folder}/it", specs)
    loaded = paddle.jit.load(f"{folder}/it")
    for sizes in program.tries:
        inputs = drawn(program, sizes)
        found, wanted = flat(loaded(*inputs)), flat(function(*inputs))
        assert len(found) == len(wanted)
        for number, (one, other) in enumerate(zip(found, wanted, strict=True)):
            assert (one.shape, one.dtype) == (other.shape, other.dtype), (number, sizes)
            scale = float(np.abs(other.numpy()).max(initial=1))
            np.testing.assert_allclose(
                one.numpy(), other.numpy(), rtol=1e-4, atol=1e-5 * scale, err_msg=f"{number}"
            )


@pytest.mark.parametrize("name", only(FAST, sorted(PROGRAMS)))
def test_programs_that_compute_with_sizes(name, tmp_path):
    check(PROGRAMS[name], tmp_path)


@pytest.mark.deep
@pytest.mark.parametrize("name", sorted(NETWORKS))
def test_networks_that_people_deploy(name, tmp_path):
    check(NETWORKS[name], tmp_path)


# ---- refusals, and requirements of sizes


def saved(function, shapes, folder):
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "What is saved is a function")
        paddle.jit.save(function, f"{folder}/it", [InputSpec(shape) for shape in shapes])
    return paddle.jit.load(f"{folder}/it")


def branch_of_a_size(x):
    return x * 2 if x.shape[1] == 3 else x


def branch_of_a_rest(x):
    if x.shape[1] % 2:
        x = x[:, :-1]
    return x


def branches_of_a_rest(x):
    odd = x.shape[1] % 2
    return [
        lambda: x if not odd else x[:, 1:],
        lambda: x if odd and x.mean() > 0 else x[:, 1:],
        lambda: x if bool(odd) else x[:, 1:],
        lambda: x if x.mean() > 0 or odd else x[:, 1:],
    ]


def loop_of_a_rest(x):
    n = x.shape[1]
    while n % 3:
        n = n - 1
    return x[:, :n]


def branch_of_two_shapes(x):
    y = x[:, 1:]
    return y if x.shape == [4, 4] else x


def loop_of_a_size(x):
    return sum(x[:, i] for i in range(x.shape[1]))


def places_of_a_mask(x):
    return x[x > 0]


@pytest.mark.parametrize(
    ("function", "message"),
    [
        (branch_of_a_size, r"whether size1 == 3 depends on the size. It is at .*arithmetic.py:\d+"),
        (branch_of_two_shapes, r"whether batch == 4 depends on the size. It is at "),
        (branch_of_a_rest, r"whether .*floordiv\(size1, 2\).* depends on the size. It is at "),
        (loop_of_a_rest, r"whether .*floordiv\(size1, 3\).* depends on the size. It is at "),
        (lambda x: branches_of_a_rest(x)[0](), "depends on the size"),
        (lambda x: branches_of_a_rest(x)[1](), "depends on the size"),
        (lambda x: branches_of_a_rest(x)[2](), "depends on the size"),
        (lambda x: branches_of_a_rest(x)[3](), "a program needs one kind of value there"),
        (loop_of_a_size, r"loops over the range of a tensor where a program cannot: in a "),
        (lambda x: [row for row in x], r"`for` iterates over the first axis of \[batch, size1\]"),  # noqa: C416
        (places_of_a_mask, "reads the value"),
        (lambda x: paddle.nonzero(x), "reads the value"),
        (lambda x: paddle.cummax(x, 1), r"associative scan over .* size1.* It is at .*py:\d+"),
    ],
)
def test_a_refusal_says_line_and_reason(function, message, tmp_path):
    with pytest.raises(NotImplementedError, match=message):
        saved(function, [[None, None]], tmp_path)


def test_an_op_that_needs_so_many_elements_is_saved_for_them(tmp_path):
    loaded = saved(lambda x: x.topk(3)[0], [[None, None]], tmp_path)
    assert loaded(paddle.ones([2, 3])).shape == [2, 3]
    with pytest.raises(ValueError, match=r"saved for size1 >= 3, but size1 is 2 in x"):
        loaded(paddle.ones([2, 2]))


def test_a_size_that_has_to_be_even_is_saved_for_even_ones(tmp_path):
    loaded = saved(lambda x: x.reshape([x.shape[0], -1, 2]).sum(1), [[None, None]], tmp_path)
    assert loaded(paddle.ones([2, 6])).shape == [2, 2]
    with pytest.raises(ValueError, match=r"saved for sizes 2, 4, 6 and so on, but 2\*size1 is 5"):
        loaded(paddle.ones([2, 5]))


@pytest.mark.parametrize(
    ("function", "shape", "bound"),
    [
        (lambda x: x.squeeze(), [None, 1], "batch >= 2, but batch is 1"),
        (lambda x: paddle.squeeze(x, 0), [None, 3], "batch >= 2, but batch is 1"),
        (lambda x: paddle.linalg.cov(x, rowvar=False), [None, 3], "batch >= 2, but batch is 1"),
        (lambda x: paddle.cross(x, x * x), [None, 3], "batch >= 4, but batch is 1"),
    ],
)
def test_an_op_that_depends_on_whether_a_size_is_one_is_saved_for_others(
    function, shape, bound, tmp_path
):
    """A saved program has one shape for all sizes, which for that size would differ silently."""
    loaded = saved(function, [shape], tmp_path)
    x = paddle.rand([5, shape[1]])
    np.testing.assert_allclose(loaded(x).numpy(), function(x).numpy(), rtol=1e-5, atol=1e-6)
    with pytest.raises(ValueError, match=f"saved for {bound}"):
        loaded(paddle.ones([1, shape[1]]))


@pytest.mark.parametrize(
    "function", [paddle.equal_all, lambda x, y: paddle.to_tensor(x.is_same_shape(y))]
)
def test_whether_two_inputs_have_one_shape_is_not_decided_for_them(function, tmp_path):
    """It was False in the saved program, for all inputs."""
    loaded = saved(function, [[None, 3], [None, 3]], tmp_path)
    assert loaded(paddle.ones([2, 3]), paddle.ones([2, 3])).item() is True
    with pytest.raises(ValueError, match="batch is 4 in"):
        loaded(paddle.ones([2, 3]), paddle.ones([4, 3]))


def test_sizes_of_two_inputs_that_meet_are_equal_wherever_they_stand(tmp_path):
    loaded = saved(lambda x, y: x.t() + y, [[None, None], [None, None]], tmp_path)
    assert loaded(paddle.ones([2, 3]), paddle.ones([3, 2])).shape == [3, 2]
    with pytest.raises(ValueError, match=r"batch is \d in it, and \d in x"):
        loaded(paddle.ones([4, 3]), paddle.ones([3, 2]))


def test_tools_see_open_sizes(tmp_path):
    from jaxeager.debug.calls.api_config import text_of
    from jaxeager.debug.time.costs import cost_of

    seen = []

    def function(x):
        seen.append((text_of(x), text_of(x.shape[1])))
        kernel = jax.jit(lambda a: a * 2)
        seen.append(cost_of(kernel, (jax.ShapeDtypeStruct(x._array.shape, "float32"),)).bytes)
        paddle.device.reset_max_memory_allocated("cpu")
        return x * 2

    saved(function, [[None, 4]], tmp_path)
    assert seen[0] == ('Tensor([batch, 4],"float32")', "4")
    assert seen[1] >= 0
