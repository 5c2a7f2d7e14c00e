"""Slopes by finite differences in float64, independent of any rule of differentiation.

A row whose VJP is derived is jax.vjp of its forward, so a comparison with jax.vjp proves nothing
about it. Differences along one random direction need only the forward, and they run the kernels
that the gradient's own test compiled.
"""

from collections.abc import Callable, Iterable

import numpy as np

from jaxeager.ops.row import OpRow

from .cases import Case, as_outputs, cases_of, has_gradient, inputs, pick, put, tensors, wanted
from .checks import tape_gradients
from .compare import exact

# Each step has a 4096th of the error of the one before, and four times its rounding.
STEPS = [1e-2 / 4**number for number in range(8)]
SIXTH_ORDER = ((1, 45), (2, -9), (3, 1))
SETTLED = 1e-8  # the share by which two steps may differ, the second of which is then taken
TOLERANCE = 1e-6  # the share by which a gradient may be off
ROUNDING = 1e-14  # of one value: some tens of roundings

_TIE = "two values tie, and each step of a difference breaks the tie"
_PHASE = "LAPACK chooses the phase of complex vectors, not the matrix"
_STATISTICS = "the running statistics are written, and no gradient goes through them"
_ITERATED = "the vectors of the power iteration are constants to the gradient, as in Paddle"
# Samples (None: all of a row) whose gradient is not a slope of their values, and why.
NO_SLOPE: dict[tuple[str, int | None], str] = {
    ("cast", 1): "the values are rounded to float32",
    ("frexp", 1): "0 and 8 are where the exponent jumps",
    ("max", 5): _TIE,
    ("min", 5): _TIE,
    ("amax", 5): _TIE,
    ("amin", 5): _TIE,
    ("argsort", 2): _TIE,
    ("argsort", 3): _TIE,
    ("kthvalue", 2): _TIE,
    ("cummax", 4): _TIE,
    ("cummin", 4): _TIE,
    ("kldiv_loss_with_label", 3): "a label of 0 is an end of the domain of x log x",
    ("sigmoid_cross_entropy_with_label", 3): "a label that moves is no longer ignored",
    ("warprnnt", 1): "FastEmit makes the gradient of an emission larger than its slope",
    ("spectral_norm", 1): _ITERATED,
    ("spectral_norm", 2): _ITERATED,
    # Its second order is in tests/distribution/test_draws.py, against SciPy's quantiles.
    ("implicit_gamma", None): "what was drawn is given; its gradient is the implicit one",
}
# A slope of real matrices is not one of complex ones.
NO_COMPLEX_SLOPE = {"svd": _PHASE, "eigh": _PHASE}
# Outputs that no gradient flows through.
CONSTANT_OUTPUTS = {"batch_norm": (("mean_out", "variance_out"), _STATISTICS)}
# Rows that take a matrix for Hermitian (pinv with hermitian=True): a direction has to be so, too.
HERMITIAN = ("cholesky", "eigh", "eigvalsh")


def slope(terms: Callable[[float], np.ndarray]) -> tuple[float, float]:
    """Return the derivative at 0 of the sum of terms, and the bound of its rounding error.

    Args:
        terms: a function of the distance along the direction; its values are summed here, so that
            their own sizes show the rounding error.

    Raises:
        AssertionError: when smaller steps do not converge to one number, as at a kink.
    """
    size = np.abs(terms(0.0)).sum()
    found: list[float] = []
    for step in STEPS:
        with np.errstate(all="ignore"):  # a step may lead out of the domain
            pairs = [weight * (terms(n * step) - terms(-n * step)) for n, weight in SIXTH_ORDER]
            each = np.sum(pairs, axis=0) / (60 * step)
        found.append(float(each.sum()))
        rounding = ROUNDING * float(size) / step
        allowed = SETTLED * np.abs(each).sum() + rounding
        if len(found) > 1 and abs(found[-1] - found[-2]) <= allowed:
            return found[-1], rounding
    raise AssertionError(f"differences do not settle, as at a kink: {found}")


def directions(values, seed: int) -> list[np.ndarray]:
    """Return a fixed random array for each value, of its shape and dtype."""
    rng = np.random.default_rng(seed)
    found = []
    for value in values:
        draw = rng.uniform(-1, 1, (2, *value.shape))
        is_complex = "complex" in str(value.dtype)
        found.append(draw[0] + 1j * draw[1] if is_complex else draw[0])
    return found


def weighed(values: Iterable, weights: Iterable) -> np.ndarray:
    """Return the real terms whose sum is the scalar product of values with weights.

    Paddle's gradient of a complex tensor is the derivative by its real part plus i times that by
    its imaginary part, so one product serves outputs and gradients, real and complex.
    """
    pairs = zip(values, weights, strict=True)
    return np.concatenate([np.zeros(0)] + [(np.conj(w) * v).real.ravel() for v, w in pairs])


def assert_slope(terms: Callable, gradients: list, along: list, what: str) -> None:
    """Assert that gradients, along a direction, are the slope of the sum of terms."""
    try:
        expected, rounding = slope(terms)
    except AssertionError as error:
        raise AssertionError(f"{what}: {error}") from None
    parts = weighed(gradients, along)
    got, size = parts.sum(), np.abs(parts).sum()
    off = abs(got - expected)
    assert off <= TOLERANCE * (size + abs(expected)) + 10 * rounding, (
        f"{what}: the gradient along a direction is {got}, by differences {expected}"
    )


def moved(arrays: list, places: list, values: list, along: list, way: float) -> list:
    """Return operands in which the wanted values have moved along the direction."""
    merged = [list(each) if isinstance(each, list) else each for each in arrays]
    for place, value, each in zip(places, values, along, strict=True):
        put(merged, place, np.asarray(value + way * each, value.dtype))
    return merged


def check_slopes(row: OpRow, fits: Callable[[Case], bool] = lambda case: True) -> None:
    """Check that gradients are slopes: of samples in float64, and of one in complex128.

    A row without float64 runs them all in complex128. At least one sample must have a slope, or
    NO_SLOPE states why there is none.

    Args:
        row: the row.
        fits: whether a sample is checked.
    """
    cases = [case for case in cases_of(row) if has_gradient(case)]
    compared = 0
    usual = "float64" if "float64" in row.dtypes else "complex128"
    for case in [c for c in cases if c.dtype == usual or _is_first(c, cases, "complex128")]:
        if fits(case) and has_slope(case):
            compared += check_slope(case)
    assert compared or (row.name, None) in NO_SLOPE, f"no gradient of {row.name} is a slope"


def _is_first(case: Case, cases: list[Case], dtype: str) -> bool:
    return case is next((c for c in cases if c.dtype == dtype), None)


def has_slope(case: Case) -> bool:
    """Return whether the gradient of a case is a slope of its values."""
    name = case.row.name
    if name in NO_COMPLEX_SLOPE and np.iscomplexobj(inputs(case)[0]):
        return False
    return (name, case.number) not in NO_SLOPE and (name, None) not in NO_SLOPE


def along_of(case: Case, values: list, seed: int) -> list[np.ndarray]:
    """Return the direction in which the inputs of a case are moved."""
    along = directions(values, seed)
    if case.row.name in HERMITIAN or case.sample.attrs.get("hermitian"):
        along[0] = (along[0] + np.conj(np.swapaxes(along[0], -1, -2))) / 2
    return along


def check_slope(case: Case) -> bool:
    """Check that gradients are the slope of the values; return whether there was one."""
    row, arrays = case.row, inputs(case)
    places = wanted(row, arrays)
    values = [pick(arrays, place) for place in places]
    grads, found = tape_gradients(row, case.sample, arrays, places)
    constant = CONSTANT_OUTPUTS.get(row.name, ((), ""))[0]
    names = row.outputs * (len(grads) if row.returns_list else 1)
    weights = [
        None if grad is None or name in constant else grad
        for name, grad in zip(names, grads, strict=False)
    ]
    along = along_of(case, values, 1)

    def terms(way):
        operands = tensors(moved(arrays, places, values, along, way))
        outs = as_outputs(row.function(*operands, **case.sample.attrs))
        pairs = [(exact(o.numpy()), w) for o, w in zip(outs, weights, strict=True) if w is not None]
        return weighed(*zip(*pairs, strict=True))

    here = terms(0.0)
    if not here.size or not np.all(np.isfinite(here)):
        return False
    assert_slope(terms, [grad.numpy() for grad in found], along, case.id)
    return True
