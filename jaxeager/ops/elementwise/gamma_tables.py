"""Coefficients of the kernels of gamma functions, for float32 and for float64.

The polynomials are Chebyshev interpolations that mpmath computed with 60 digits, on an interval of
length 1; their relative errors are below 7e-9 (float32) and 3e-17 (float64).
"""

import functools
import math
from decimal import Decimal

import numpy as np

# log gamma(2 + e) = e C(e + 0.3), for e from -0.8 to 0.2.
LOG_GAMMA_AT_2 = {
    4: (
        0.31935899082785396, 0.36937038856302423, -0.09081998369506934, 0.032871358642867186,
        -0.013982248369729378, 0.006477990426296332, -0.0031220051529111652, 0.0015736700787948965,
        -0.0009854082375327685, 0.0005196597139684438,
    ),
    8: (
        0.3193589913568862, 0.3693703882779742, -0.09082008934675127, 0.032871415568311316,
        -0.013978893469949807, 0.006476182992503962, -0.003158944967507907, 0.00159356640139602,
        -0.000822853898591896, 0.00043215322395251306, -0.00022989436821138927,
        0.00012352856584307587, -6.688181321498733e-05, 3.646908936851597e-05,
        -2.0170122122164166e-05, 1.1114509318539008e-05, -5.56081306497177e-06,
        3.0838287590874806e-06, -2.824348603847124e-06, 1.5807318581644613e-06,
    ),
}  # fmt: skip

# digamma(x) = (x - zero) R(x - 1.5), for x from 1 to 2, with the zero of digamma between them.
DIGAMMA_AT_ZERO = {
    4: (
        0.9510558760318328, -0.42362749747529066, 0.24054253501497624, -0.1483988613883281,
        0.09498468507487738, -0.062055980386091954, 0.040850026740824504, -0.025786883631264544,
        0.01711498899971067, -0.016373620255320655, 0.010902588672572695,
    ),
    8: (
        0.9510558760318328, -0.4236274212814606, 0.24054248424078697, -0.14840492305388092,
        0.09498872445289039, -0.06192213327548831, 0.040760833940846085, -0.026975796659787055,
        0.017907248317313294, -0.011908220105959716, 0.007927021796868154, -0.005279937255532708,
        0.003518106563802472, -0.0023454947397380833, 0.0015633696313653504,
        -0.0010364584817312839, 0.0006909255761282986, -0.00048595039220036254,
        0.00032395945401345196, -0.00014480643368061614, 9.653646261410062e-05,
        -0.0001782188548855923, 0.00011881232908510335,
    ),
}  # fmt: skip
DIGAMMA_ZERO = "1.4616321449683623412626595423257213284681962"

# The zeros of log |gamma| from -2 down, two between -k - 1 and -k each, as a pole and a distance.
ZEROS = (
    (-2, "-0.4570247382208006230394541476511795432366"),
    (-3, "0.2523173532725873986085115173085003041384"),
    (-3, "-0.1435808883499800586943587818202278995667"),
    (-4, "0.04470571514140207146720271675279157644052"),
    (-4, "-0.03936183974053687423457709637535461968953"),
    (-5, "0.008455359439952277654739877193534278332572"),
    (-5, "-0.008218168322593521552368137391369709563903"),
    (-6, "0.001392519919124370557592088628080261061133"),
    (-6, "-0.001385294453155097261981653741772079788969"),
    (-7, "0.0001984921093623021079025881319201494589574"),
    (-7, "-0.000198333407324751606981046444172378330484"),
    (-8, "0.00002480290417933584566385283319262753694195"),
    (-8, "-0.00002480027068195969771010479378867737069723"),
    (-9, "0.000002755749022531805642576085220244014341113"),
)

# B_2k of DLMF 24.2, k = 1, 2, ...
BERNOULLI = (
    1 / 6, -1 / 30, 1 / 42, -1 / 30, 5 / 66, -691 / 2730, 7 / 6, -3617 / 510, 43867 / 798,
    -174611 / 330,
)  # fmt: skip


def split(number: str, dtype: np.dtype) -> tuple[float, float]:
    """Return a decimal number as one of the dtype and the rest."""
    high = float(dtype.type(number))
    return high, float(Decimal(number) - Decimal(high))


@functools.lru_cache
def zeros_of_log_gamma(itemsize: int) -> np.ndarray:
    """Return a row for each zero: its pole, the distance in two parts, a radius, and a series.

    The coefficients of log |gamma(zero + d)| are digamma(zero) and (-1)^k zeta(k, zero) / k, by
    DLMF 5.15.1; zeta has terms at negative places, too. The radius is a quarter of that of
    convergence.
    """
    from scipy.special import digamma, zeta

    dtype = np.dtype(f"float{8 * itemsize}")
    rows = []
    for pole, distance in ZEROS:
        delta = float(distance)
        places = [(pole + k) + delta for k in range(1 - pole)]
        series = [float(digamma(1 + delta)) - math.fsum(1 / each for each in places)]
        for k in range(2, 13 if itemsize == 4 else 28):
            total = math.fsum([*(each**-k for each in places), float(zeta(k, 1 + delta))])
            series.append((-1) ** k * total / k)
        rows.append([pole, *split(distance, dtype), abs(delta) / 4, *series])
    with np.errstate(over="ignore"):  # next to -9, where no float32 is that close to the zero
        return np.array(rows, dtype)
