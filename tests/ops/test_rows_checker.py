"""The checker checked: each check of the op table must fail for a row with its kind of error."""

import copy
import functools
import re

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from jaxeager.errors import InvalidArgumentError
from jaxeager.ops.register import FUNCTIONAL, METHODS, PUBLIC, op
from jaxeager.ops.row import NONDIFF, ROWS
from jaxeager.ops.rules.real_only import real_only
from jaxeager.ops.rules.samples import BadInput, Sample, binary, unary
from tests.support import checks, differences, higher
from tests.support.cases import cases_of


@pytest.fixture
def make_row(monkeypatch):
    """Yield a function that creates a new row, and remove the row from the table after the test."""
    for table in (ROWS, PUBLIC, FUNCTIONAL, METHODS):
        for name in [name for name in table if name.startswith("faulty")]:
            monkeypatch.delitem(table, name)

    def make(forward, **fields):
        usual = {"formula": "as written", "doc": "A test.", "example": "1 + 1", "public": None}
        function = op("faulty", forward, **(usual | fields))
        return function.row

    yield make
    ROWS.pop("faulty", None)


def case_of(row, dtype="float64", number=0):
    return next(c for c in cases_of(row) if c.dtype == dtype and c.number == number)


def multiply(x, y):
    return x * y


def multiply_vjp(x, y, dout):
    return dout * y, dout * x


def wrong_by_half_a_thousandth(x, y, dout):
    return dout * y * 1.0005, dout * x


def constant_inside(x, y, dout):
    return dout * jax.lax.stop_gradient(y), dout * x


def square(x):
    return x * x


def square_vjp(x, dout):
    return 2 * x * dout


RIGHT = {
    "vjp": multiply_vjp,
    "saves": "x y",
    "broadcast": True,
    "inplace": True,
    "reference": "numpy.multiply",
    "samples": binary(),
}


def test_a_right_row_passes_every_check(make_row):
    row = make_row(multiply, **RIGHT, dtypes="float32 float64 bfloat16 complex64 complex128")
    # The rule above lacks the conjugates, so the complex gradients are excluded here.
    checks.check_complete(row)
    checks.check_example(row)
    for case in cases_of(row):
        checks.check_forward(case)
        if "complex" not in case.dtype:
            checks.check_gradient(case)
    checks.check_masks(case_of(row))
    checks.check_dtypes(case_of(row, "bfloat16"))
    higher.check_order(case_of(row), 2)
    checks.check_versions(case_of(row))
    checks.check_inplace(case_of(row))


def test_a_wrong_value_is_caught(make_row):
    row = make_row(lambda x, y: x * y * (1 + 1e-7), **(RIGHT | {"inplace": False}))
    with pytest.raises(AssertionError, match="output 0"):
        checks.check_forward(case_of(row))


def test_a_wrong_shape_is_caught(make_row):
    row = make_row(lambda x, y: (x * y)[None], **(RIGHT | {"inplace": False}))
    with pytest.raises(AssertionError, match=re.escape("shape (1, 2, 3), expected (2, 3)")):
        checks.check_forward(case_of(row))


@pytest.mark.parametrize("dtype", ["float32", "bfloat16"])
def test_silent_widening_is_caught(make_row, dtype):
    row = make_row(lambda x, y: x * y * jnp.ones((), "float64"), **(RIGHT | {"inplace": False}))
    with pytest.raises(AssertionError, match="dtype is float64"):
        checks.check_forward(case_of(row, dtype))


@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_a_gradient_off_by_half_a_thousandth_is_caught(make_row, dtype):
    row = make_row(multiply, **(RIGHT | {"vjp": wrong_by_half_a_thousandth}))
    with pytest.raises(AssertionError, match="gradient of x"):
        checks.check_gradient(case_of(row, dtype))


def test_a_gradient_off_by_a_tenth_is_caught_in_bfloat16(make_row):
    row = make_row(multiply, **(RIGHT | {"vjp": lambda x, y, dout: (dout * y * 1.1, dout * x)}))
    with pytest.raises(AssertionError, match="gradient of x"):
        checks.check_gradient(case_of(row, "bfloat16"))


def test_a_missing_gradient_is_caught(make_row):
    row = make_row(multiply, **(RIGHT | {"vjp": lambda x, y, dout: (None, dout * x)}))
    with pytest.raises((AssertionError, TypeError)):
        checks.check_gradient(case_of(row))


def test_a_forgotten_sum_over_broadcast_dimensions_is_caught(make_row):
    row = make_row(multiply, **(RIGHT | {"broadcast": False}))
    with pytest.raises(AssertionError, match="shape"):
        checks.check_gradient(case_of(row, number=1))


def test_a_forgotten_conjugate_is_caught(make_row):
    row = make_row(multiply, **RIGHT, dtypes="complex128")
    with pytest.raises(AssertionError, match="gradient of x"):
        checks.check_gradient(case_of(row, "complex128"))


def test_complex_operands_that_are_neither_tested_nor_refused_are_caught(make_row):
    row = make_row(multiply, **RIGHT)
    with pytest.raises(pytest.fail.Exception, match="DID NOT RAISE"):
        checks.check_complex(row)
    ROWS.pop("faulty")
    checks.check_complex(make_row(real_only(multiply), **RIGHT))


def test_a_gradient_that_is_wrong_only_when_requested_alone_is_caught(make_row):
    row = make_row(multiply, **RIGHT)
    case = case_of(row)
    checks.check_masks(case)
    assert (True, False) in row.vjp_kernels
    row.vjp_kernels[True, False] = lambda x, y, dout: (dout * x,)
    with pytest.raises(AssertionError, match="gradient of x alone"):
        checks.check_masks(case)


# Written rules of each kind: elementwise, broadcast, reduced, normalised, convolutions, pools,
# selections, decompositions, kinks, lists.
MUTATED = "tanh multiply sum softmax layer_norm conv2d pool2d gather inverse abs concat".split()


def scaled(function, factor):
    """Return a function whose floating results are off by a factor, with the same parameters."""

    @functools.wraps(function)
    def off(*args, **kwargs):
        return jax.tree.map(lambda each: each * factor, function(*args, **kwargs))

    return off


def again(make_row, row, **changed):
    """Make a row like another one."""
    outputs = " ".join(row.outputs) + ("[]" if row.returns_list else "")
    fields = {"saves": " ".join(row.saves), "shapes": " ".join(row.shapes), "outputs": outputs}
    fields |= {"hidden": " ".join(row.hidden), "dtypes": "float64", "samples": row.samples}
    fields["nondiff"] = " ".join(o.name for o in row.operands if not o.is_differentiable)
    fields |= {"promote": row.promote, "broadcast": row.broadcast, "vjp": row.vjp}
    return make_row(**({"forward": row.forward} | fields | changed))


@pytest.mark.parametrize("name", MUTATED)
def test_a_gradient_off_by_a_thousandth_is_no_slope(make_row, name):
    row = ROWS[name]
    differences.check_slopes(again(make_row, row))
    ROWS.pop("faulty")
    with pytest.raises(AssertionError, match="by differences"):
        differences.check_slopes(again(make_row, row, vjp=scaled(row.vjp, 1.001)))


def test_a_derived_gradient_that_jax_agrees_with_is_no_slope(make_row):
    """Derived, the rule and jax.vjp are both wrong: only differences show it."""

    @jax.custom_jvp
    def cube(x):
        return x**3

    cube.defjvp(lambda primals, tangents: (cube(*primals), 3.003 * primals[0] ** 2 * tangents[0]))
    row = make_row(lambda x: cube(x), saves="x", samples=unary())
    checks.check_gradient(case_of(row))
    with pytest.raises(AssertionError, match="by differences"):
        differences.check_slopes(row)


def test_a_kink_is_no_slope():
    with pytest.raises(AssertionError, match="do not settle, as at a kink"):
        differences.slope(lambda way: np.array([abs(way - 1e-7)]))


@pytest.mark.parametrize(
    "terms", [np.exp, np.sin, lambda way: 1e6 + way, lambda way: 1 / (1 - way)]
)
def test_a_slope_is_found_to_ten_digits(terms):
    found, rounding = differences.slope(lambda way: np.atleast_1d(terms(way)))
    assert abs(found - 1) < 1e-10 + rounding


def test_a_row_without_any_slope_is_caught(make_row):
    def samples():
        yield Sample(np.zeros((0, 3)))

    row = make_row(square, vjp=square_vjp, saves="x", samples=samples)
    with pytest.raises(AssertionError, match="no gradient of faulty is a slope"):
        differences.check_slopes(row)


def test_a_dtype_that_one_sample_widens_is_caught(make_row):
    def forward(x):
        return x * (jnp.ones((), "float64") if x.ndim else 1)

    row = make_row(forward, saves="x", reference=lambda x: x, samples=unary())
    checks.check_dtypes(case_of(row, "float32", 1))
    with pytest.raises(AssertionError, match="dtype is float64"):
        checks.check_dtypes(case_of(row, "float32"))


def test_a_gradient_of_another_shape_is_caught_by_tracing(make_row):
    row = make_row(multiply, **(RIGHT | {"broadcast": False}))
    checks.check_dtypes(case_of(row, "float32"))
    with pytest.raises(AssertionError, match="the gradient of x is"):
        checks.check_dtypes(case_of(row, "float32", number=1))


def test_a_wrong_second_order_through_the_tape_is_caught(make_row):
    row = make_row(multiply, **(RIGHT | {"vjp": constant_inside}))
    with pytest.raises(AssertionError, match=r"order 2: .* by differences"):
        higher.check_order(case_of(row), 2)


def test_a_saved_output_that_represents_a_constant_is_caught(make_row):
    row = make_row(jnp.exp, vjp=lambda out, dout: dout * out, saves="out", samples=unary())
    higher.check_order(case_of(row), 2)
    ROWS.pop("faulty")
    constant = {"vjp": lambda out, dout: dout * jax.lax.stop_gradient(out)}
    row = make_row(jnp.exp, **constant, saves="out", samples=unary())
    with pytest.raises(AssertionError, match=r"order 2: .* by differences"):
        higher.check_order(case_of(row), 2)


def test_a_save_that_the_row_does_not_state_is_caught(make_row):
    row = copy.copy(make_row(multiply, **RIGHT))
    row.saves = ("x",)  # The bound function belongs to the first row, which saves both.
    with pytest.raises(AssertionError, match="y is checked, but not saved"):
        checks.check_versions(case_of(row))


def test_a_save_that_is_not_checked_is_caught(make_row):
    row = make_row(square, vjp=square_vjp, saves="x", reference="numpy.square", samples=unary())
    right = row.function

    def unchecked(x):
        out = right(x)
        if not out.stop_gradient:
            out.grad_fn.saved = tuple((array, None, 0) for array, _, _ in out.grad_fn.saved)
        return out

    row.function = unchecked
    with pytest.raises(AssertionError, match="x is saved, but not checked"):
        checks.check_versions(case_of(row))


def test_an_inplace_twin_that_does_not_write_is_caught(make_row):
    row = make_row(multiply, **RIGHT)
    row.inplace_function = row.function
    with pytest.raises(AssertionError, match="returned another tensor"):
        checks.check_inplace(case_of(row))


def test_an_inplace_twin_that_keeps_the_version_is_caught(make_row):
    row = make_row(multiply, **RIGHT)
    right = row.inplace_function

    def forgetful(x, y):
        right(x, y)
        x._storage.version -= 1
        return x

    row.inplace_function = forgetful
    with pytest.raises(AssertionError, match="moved the version by 0"):
        checks.check_inplace(case_of(row))


def test_an_inplace_twin_with_another_gradient_is_caught(make_row):
    row = make_row(multiply, **RIGHT)
    other = op(
        "faulty_other", multiply, **(RIGHT | {"vjp": wrong_by_half_a_thousandth}), public=None
    )
    row.inplace_function = other.row.inplace_function
    ROWS.pop("faulty_other")
    with pytest.raises(AssertionError, match="gradient of x through faulty_"):
        checks.check_inplace(case_of(row))


def no_zeros(x):
    if 0 in x.shape:
        raise ValueError("x must not be empty.")
    return x * x


@pytest.mark.parametrize(
    ("error", "text"),
    [(TypeError, "must not be empty"), (InvalidArgumentError, "something else")],
)
def test_another_error_than_the_named_one_is_caught(make_row, error, text):
    row = make_row(no_zeros, vjp=NONDIFF, reference="numpy.square", samples=unary())
    empty = np.zeros((0, 2), "float32")
    checks.check_bad_input(row, BadInput((empty,), {}, InvalidArgumentError, "must not be empty"))
    with pytest.raises((AssertionError, InvalidArgumentError)):
        checks.check_bad_input(row, BadInput((empty,), {}, error, text))


def test_input_that_is_not_refused_is_caught(make_row):
    row = make_row(square, vjp=NONDIFF, reference="numpy.square", samples=unary())
    bad = BadInput((np.zeros((0, 2), "float32"),), {}, InvalidArgumentError, "must not be empty")
    with pytest.raises(pytest.fail.Exception, match="DID NOT RAISE"):
        checks.check_bad_input(row, bad)


def test_an_incomplete_row_is_caught(make_row):
    row = make_row(square, vjp=square_vjp, saves="x", formula="", doc="", public=None)
    with pytest.raises(AssertionError, match="no doc, samples, formula, reference"):
        checks.check_complete(row)


def test_an_example_that_does_not_run_is_caught(make_row):
    row = make_row(square, vjp=NONDIFF, example="paddle.no_such_name(1)")
    with pytest.raises(AttributeError, match="no_such_name"):
        checks.check_example(row)


def test_numbers_that_do_not_come_from_the_key_are_caught(make_row):
    def samples():
        yield Sample(np.ones(3), jax.random.key(1))

    row = make_row(lambda x, key: x + 1, vjp=NONDIFF, samples=samples, nondiff="key")
    with pytest.raises(AssertionError, match="does not depend on its key"):
        checks.check_random(row)


def test_an_operand_of_another_kind_that_is_taken_is_caught(make_row):
    row = make_row(square, vjp=NONDIFF, reference="numpy.square", samples=unary())
    checks.check_wrong_kind(case_of(row))
    row.function = lambda x: x
    with pytest.raises(pytest.fail.Exception, match="DID NOT RAISE"):
        checks.check_wrong_kind(case_of(row))
