"""Products inside decompositions keep the digits of float32, which accelerators cut by default."""

import jax
import numpy as np
import pytest

import jaxeager as paddle
from jaxeager.ops.row import NONDIFF, ROWS
from tests.support.cases import as_outputs, cases_of, inputs

NAMES = (
    "cholesky cholesky_solve det eig eigh eigvalsh householder_product inverse lstsq lu lu_solve "
    "matrix_exp matrix_power pinv qr slogdet solve svd svdvals triangular_solve"
).split()


def products(jaxpr):
    """Yield the precision of every product of matrices of a jaxpr, and of those inside it."""
    for equation in jaxpr.eqns:
        if equation.primitive.name == "dot_general":
            yield equation.params["precision"]
        for value in equation.params.values():
            for each in value if isinstance(value, (list, tuple)) else [value]:
                inner = getattr(each, "jaxpr", each)
                if hasattr(inner, "eqns"):
                    yield from products(inner)


def computed(row, sample):
    """Return a function of arrays that computes a row, and its gradients if there are any."""

    def run(*arrays):
        operands = [paddle.Tensor.from_array(array) for array in arrays]
        for operand in operands:
            operand.stop_gradient = row.vjp is NONDIFF or not operand.is_floating_point()
        outs = as_outputs(row.function(*operands, **sample.attrs))
        if row.vjp is not NONDIFF:
            paddle.autograd.backward([out for out in outs if not out.stop_gradient])
        grads = [operand.grad for operand in operands]
        return [each._array for each in [*outs, *grads] if each is not None]

    return run


@pytest.mark.parametrize("name", NAMES)
def test_products_are_exact(name):
    row = ROWS[name]
    case = next(case for case in cases_of(row) if case.sample.grad)
    arrays = [array.astype("f4") if array.dtype.kind == "f" else array for array in inputs(case)]
    found = list(products(jax.make_jaxpr(computed(row, case.sample))(*arrays).jaxpr))
    assert set(found) <= {(jax.lax.Precision.HIGHEST, jax.lax.Precision.HIGHEST)}


def test_a_plain_product_is_found_and_is_not():
    def run(x):
        return paddle.matmul(paddle.Tensor.from_array(x), paddle.Tensor.from_array(x))._array

    with jax.default_matmul_precision(None):  # the tests request more on an accelerator
        found = jax.make_jaxpr(run)(np.ones((2, 2), "f4"))
    assert list(products(found.jaxpr)) == [None]
