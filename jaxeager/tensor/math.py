"""paddle.tensor.math: elementwise functions, sums and other reductions."""

from jaxeager.tensor.names import functions

__all__ = """
    abs abs_ acos acos_ acosh acosh_ add add_ add_n addmm addmm_ all amax amin angle any asin
    asin_ asinh asinh_ atan atan2 atan_ atanh atanh_ baddbmm baddbmm_ bitwise_left_shift
    bitwise_left_shift_ bitwise_right_shift bitwise_right_shift_ broadcast_shape
    broadcast_shapes cartesian_prod cast cast_ ceil ceil_ clip clip_ combinations conj copysign
    copysign_ cos cos_ cosh cosh_ count_nonzero cummax cummin cumprod cumprod_ cumsum cumsum_
    cumulative_trapezoid deg2rad diff digamma digamma_ divide divide_ erf erf_ erfinv erfinv_
    exp exp_ expm1 expm1_ floor floor_ floor_divide floor_divide_ floor_mod floor_mod_ fmax fmin
    frac frac_ frexp gammainc gammainc_ gammaincc gammaincc_ gammaln gammaln_ gcd gcd_ heaviside
    hypot hypot_ i0 i0_ i0e i1 i1e increment inner inverse isfinite isin isinf isnan isneginf
    isposinf isreal kron lcm lcm_ ldexp ldexp_ lerp lerp_ lgamma lgamma_ log log10 log10_ log1p
    log1p_ log2 log2_ log_ logaddexp logcumsumexp logit logit_ logsumexp max maximum min minimum
    mm mod mod_ mul multigammaln multigammaln_ multiplex multiply multiply_ nan_to_num
    nan_to_num_ nanmean nansum neg neg_ negative nextafter outer polygamma polygamma_ positive
    pow pow_ prod rad2deg reciprocal reciprocal_ reduce_as remainder remainder_ renorm renorm_
    round round_ rsqrt rsqrt_ scale scale_ sgn sigmoid sigmoid_ sign signbit sin sin_ sinc sinc_
    sinh sinh_ sqrt sqrt_ square square_ stanh subtract subtract_ sum take tan tan_ tanh tanh_
    trace trapezoid true_divide trunc trunc_ vander
""".split()

globals().update(functions(__all__))
