"""The functions that are measured, each on grids of several regions.

A call takes the functions of a library with Paddle's names, so it runs here and on Paddle alike.
"""

import zlib
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

DTYPES = ("float32", "float64")
POINTS = 10_000  # of a function, over all of its regions

# The zeros of lgamma above -6, to 17 digits: DLMF 5.4(iii) has the principle, mpmath the digits.
ZEROS = (
    -2.4570247382208005, -2.7476826467274126, -3.1435808883499799, -3.9552942848585981,
    -4.0393618397405396, -4.9915445567197620, -5.0082181683225931, -5.9986074005880542,
)  # fmt: skip
DIGAMMA_ZERO = 1.4616321449683623


class Case(NamedTuple):
    """A function and its regions.

    Attributes:
        call: the function of a library and arrays.
        scipy: its name in scipy.special, or a function of that module and arrays.
        regions: for each name a function of (generator, count, limits of the dtype), which returns
            an array or a tuple of arrays.
    """

    call: Callable[..., Any]
    scipy: Any
    regions: dict[str, Callable[..., Any]]


def uniform(low: float, high: float):
    """Return a region of evenly spread numbers."""
    return lambda draw, count, limits: draw.uniform(low, high, count)


def spread(low: float, high: float, sign: int = 1, around: float = 0.0):
    """Return a region of numbers whose distance to a place is spread over orders of magnitude."""
    return lambda draw, count, limits: (
        around + sign * np.exp(draw.uniform(np.log(low), np.log(high), count))
    )


def both_sides(low: float, high: float, *places: float):
    """Return a region of numbers on both sides of some places."""

    def region(draw, count, limits):
        signs = draw.choice([-1.0, 1.0], count)
        return draw.choice(places, count) + signs * spread(low, high)(draw, count, limits)

    return region


def below(place: float, high: float):
    """Return a region of numbers below a place, down to its last digits."""

    def region(draw, count, limits):
        return place - spread(2 * float(limits.eps), high)(draw, count, limits)

    return region


def pairs(one, two):
    """Return a region of two operands."""
    return lambda *where: (one(*where), two(*where))


def nearby(one, width: float):
    """Return a region of a first operand, and a second within some square roots of it."""

    def region(draw, count, limits):
        first = one(draw, count, limits)
        return first, np.abs(first + width * np.sqrt(first) * draw.uniform(-1, 1, count))

    return region


def _polygamma(order: int) -> Case:
    return Case(
        lambda paddle, x: paddle.polygamma(x, order),
        lambda special, x: special.polygamma(order, x),
        {
            "0.01 to 20": spread(1e-2, 20),
            "20 to 1e6": spread(20, 1e6),
            "-9 to 0": uniform(-9, 0),
        },
    )


def _functional(name: str, regions: dict, scipy=None, **attributes) -> Case:
    return Case(
        lambda paddle, x: getattr(paddle.nn.functional, name)(x, **attributes), scipy, regions
    )


def _unary(name: str, regions: dict, scipy: Any = "") -> Case:
    return Case(lambda paddle, x: getattr(paddle, name)(x), name if scipy == "" else scipy, regions)


TINY = spread(1e-30, 1e-3)
HALF = both_sides(1e-6, 0.2, 0.5)
ONE = both_sides(1e-6, 0.3, 1)
BELL = {"-3 to 3": uniform(-3, 3), "3 to 30": uniform(3, 30), "tiny": TINY}
BELL |= {"-10 to -3": uniform(-10, -3)}
BESSEL = {"-10 to 10": uniform(-10, 10), "10 to 80": uniform(10, 80), "tiny": TINY}
SCALED = {**BESSEL, "80 to 1e30": spread(80, 1e30)}
LGAMMA = {
    "0 to 10": uniform(0, 10),
    "around 1 and 2": both_sides(1e-6, 0.3, 1, 2),
    "10 to 1e30": spread(10, 1e30),
    "tiny": TINY,
    "-2 to 0": uniform(-2, 0),
    "-9 to -2": uniform(-9, -2),
    "around its zeros": both_sides(1e-6, 3e-3, *ZEROS),
    "-100 to -9": uniform(-100, -9),
}
CASES: dict[str, Case] = {
    "lgamma": _unary("lgamma", LGAMMA, "gammaln"),
    "digamma": _unary(
        "digamma",
        {
            "0 to 1": spread(1e-6, 1),
            "1 to 10": uniform(1, 10),
            "around its zero": both_sides(1e-6, 0.3, DIGAMMA_ZERO),
            "10 to 1e30": spread(10, 1e30),
            "-9 to 0": uniform(-9, 0),
        },
    ),
    **{f"polygamma {n}": _polygamma(n) for n in (1, 2, 3)},
    **{
        f"multigammaln {p}": Case(
            lambda paddle, x, p=p: paddle.multigammaln(x, p),
            lambda special, x, p=p: np.array([special.multigammaln(each, p) for each in x]),
            {"3 to 10": uniform(3, 10), "10 to 1e6": spread(10, 1e6)},
        )
        for p in (2, 4)
    },
    **{
        name: Case(
            lambda paddle, x, y, name=name: getattr(paddle, name)(x, y),
            name,
            {
                "0.1 to 20": pairs(spread(0.1, 20), spread(0.1, 20)),
                "near each other, 0.01 to 1": nearby(spread(0.01, 1), 1),
                "near each other, 1 to 20": nearby(spread(1, 20), 1),
                "near each other, 20 to 1e6": nearby(spread(20, 1e6), 3),
            },
        )
        for name in ("gammainc", "gammaincc")
    },
    "erf": _unary("erf", {"-6 to 6": uniform(-6, 6), "tiny": TINY}),
    "erfinv": _unary("erfinv", {"-1 to 1": uniform(-1, 1), "tiny": TINY, "below 1": below(1, 0.1)}),
    "i0": _unary("i0", BESSEL),
    "i0e": _unary("i0e", SCALED),
    "i1": _unary("i1", BESSEL),
    "i1e": _unary("i1e", SCALED),
    "sinc": _unary(
        "sinc",
        {"-3 to 3": uniform(-3, 3), "tiny": TINY, "3 to 1e4": uniform(3, 1e4)},
        lambda special, x: np.sinc(x),
    ),
    "logit": _unary(
        "logit",
        {"0 to 1": uniform(0, 1), "tiny": TINY, "around 1/2": HALF, "below 1": below(1, 0.1)},
    ),
    "expm1": _unary("expm1", {"-20 to 80": uniform(-20, 80), "tiny": TINY}),
    "log1p": _unary(
        "log1p",
        {
            "-1 to 10": uniform(-1, 10),
            "-0.7 to 0.7": uniform(-0.7, 0.7),
            "tiny": TINY,
            "above -1": lambda *where: -below(1, 0.1)(*where),
            "10 to 1e30": spread(10, 1e30),
        },
    ),
    "exp": _unary("exp", {"-80 to 80": uniform(-80, 80), "tiny": TINY}, None),
    "log": _unary(
        "log", {"0 to 2": uniform(0, 2), "around 1": ONE, "2 to 1e30": spread(2, 1e30)}, None
    ),
    "log2": _unary(
        "log2", {"0 to 2": uniform(0, 2), "around 1": ONE, "2 to 1e30": spread(2, 1e30)}, None
    ),
    "log10": _unary(
        "log10", {"0 to 2": uniform(0, 2), "around 1": ONE, "2 to 1e30": spread(2, 1e30)}, None
    ),
    "sinh": _unary(
        "sinh", {"-80 to 80": uniform(-80, 80), "-1 to 1": uniform(-1, 1), "tiny": TINY}, None
    ),
    "cosh": _unary("cosh", {"-80 to 80": uniform(-80, 80), "-1 to 1": uniform(-1, 1)}, None),
    "tanh": _unary(
        "tanh", {"-10 to 10": uniform(-10, 10), "-1 to 1": uniform(-1, 1), "tiny": TINY}, None
    ),
    "asinh": _unary(
        "asinh", {"-2 to 2": uniform(-2, 2), "tiny": TINY, "-1e30 to -2": spread(2, 1e30, -1)}, None
    ),
    "acosh": _unary(
        "acosh", {"above 1": spread(1e-6, 1, around=1), "2 to 1e30": spread(2, 1e30)}, None
    ),
    "atanh": _unary(
        "atanh", {"-1 to 1": uniform(-1, 1), "tiny": TINY, "below 1": below(1, 0.1)}, None
    ),
    "sigmoid": _unary("sigmoid", {"-80 to 20": uniform(-80, 20), "tiny": TINY}, "expit"),
    "log_sigmoid": _functional(
        "log_sigmoid", {"-80 to 80": uniform(-80, 80), "-5 to 5": uniform(-5, 5)}, "log_expit"
    ),
    "softplus": _functional("softplus", {"-80 to 80": uniform(-80, 80), "-5 to 5": uniform(-5, 5)}),
    "gelu": _functional("gelu", BELL),
    "gelu tanh": _functional("gelu", BELL, approximate=True),
    "silu": _functional("silu", {"-80 to 80": uniform(-80, 80), "-5 to 5": uniform(-5, 5)}),
    "mish": _functional("mish", {"-80 to 80": uniform(-80, 80), "-5 to 5": uniform(-5, 5)}),
    "elu": _functional("elu", {"-20 to 20": uniform(-20, 20), "tiny": spread(1e-30, 1e-3, -1)}),
    "selu": _functional("selu", {"-20 to 20": uniform(-20, 20), "tiny": spread(1e-30, 1e-3, -1)}),
    "celu": _functional("celu", {"-20 to 20": uniform(-20, 20), "tiny": spread(1e-30, 1e-3, -1)}),
    "softsign": _functional("softsign", {"-20 to 20": uniform(-20, 20), "tiny": TINY}),
    "tanhshrink": _functional(
        "tanhshrink", {"-20 to 20": uniform(-20, 20), "tiny": spread(1e-9, 0.5)}
    ),
    "hardswish": _functional("hardswish", {"-3 to 3": uniform(-3, 3), "3 to 1e7": spread(3, 1e7)}),
    "logaddexp": Case(
        lambda paddle, x, y: paddle.logaddexp(x, y),
        lambda special, x, y: np.logaddexp(x, y),
        {"1 to 30": pairs(uniform(1, 30), uniform(1, 30))},
    ),
}


def grid(name: str, region: str, dtype: str, count: int | None = None) -> tuple[np.ndarray, ...]:
    """Return the operands of a region, always the same numbers."""
    regions = CASES[name].regions
    draw = np.random.default_rng(zlib.crc32(f"{name} {region}".encode()))
    count = count or POINTS // len(regions)
    found = regions[region](draw, count, np.finfo(dtype))
    return tuple(each.astype(dtype) for each in (found if isinstance(found, tuple) else (found,)))


def error_in_ulps(found: np.ndarray, right: np.ndarray, rest: np.ndarray) -> np.ndarray:
    """Return the distances to ``right + rest`` in units of the last place of the right value.

    Args:
        found: float32 or float64.
        right: the right values rounded to float64.
        rest: what that rounding left off.
    """
    limits = np.finfo(found.dtype)
    size = np.maximum(np.abs(right), float(limits.tiny))
    ulp = 2.0 ** (np.floor(np.log2(size)) - limits.nmant)
    with np.errstate(invalid="ignore", over="ignore"):
        errors = np.abs((found.astype(np.float64) - right) - rest) / ulp
    same = found.astype(np.float64) == right
    return np.where(same, np.abs(rest) / ulp, np.where(np.isnan(errors), np.inf, errors))
