"""Element by element: every dtype, broadcasting, numbers beside tensors, in place."""

UNARY = """abs acos acosh angle asin asinh atan atanh bitwise_not ceil conj cos cosh deg2rad digamma
erf erfinv exp expm1 floor frac frexp gammaln i0 i0e i1 i1e imag isfinite isinf isnan isneginf
isposinf isreal lgamma log log10 log1p log2 logical_not logit nan_to_num neg negative positive
rad2deg real reciprocal round rsqrt sgn sigmoid sign signbit sin sinc sinh sqrt square stanh tan tanh
trunc bitwise_invert""".split()
BINARY = """add atan2 bitwise_and bitwise_or bitwise_xor copysign divide equal floor_divide floor_mod
fmax fmin gcd greater_equal greater_than heaviside hypot lcm less_equal less_than less logaddexp
logical_and logical_or logical_xor maximum minimum mod multiply nextafter not_equal pow remainder
subtract ldexp isclose true_divide bitwise_left_shift bitwise_right_shift gammainc gammaincc
eq ne ge gt le lt greater div mul sub""".split()
OPERATORS = "+ - * / // % ** < <= > >= == != & | ^ << >>".split()
INPLACE = """abs_ acos_ add_ asin_ atan_ ceil_ clip_ cos_ cosh_ digamma_ divide_ erfinv_ exp_ expm1_
floor_ floor_divide_ floor_mod_ frac_ i0_ lerp_ lgamma_ log_ log10_ log1p_ log2_ logit_ multiply_
nan_to_num_ neg_ pow_ reciprocal_ remainder_ round_ rsqrt_ scale_ sigmoid_ sin_ sinh_ sqrt_ square_
subtract_ tan_ tanh_ trunc_ zero_ fill_ equal_ less_than_ not_equal_ gammaln_ hypot_ ldexp_ copysign_
bitwise_and_ bitwise_not_ bitwise_or_ bitwise_xor_ logical_and_ logical_not_ logical_or_ gcd_ lcm_
greater_equal_ greater_than_ less_equal_ bitwise_left_shift_ mod_ sinc_ acosh_ asinh_ atanh_
polygamma_ multigammaln_ gammainc_ gammaincc_ cast_ erf_ isnan_""".split()
NUMBERS = "2 0 -1 0.5 -2.5 True 3.0 np.float32(0.5) np.int64(3) 1e-3".split()
KINDS = ("", "", "", " ties", " special", " pos", " unit")


def program(draw):
    """Adds one call of one, two or three operands."""
    form = draw.choice((_unary, _unary, _binary, _binary, _operator, _inplace, _other))
    return form(draw)


def _unary(draw):
    name = draw.choice(UNARY)
    dtype = draw.choice(("float", "float", "real", "any", "half"))
    operand = f"{{x * {dtype}{draw.choice(KINDS)}}}"
    return draw.program(draw.choice((f"paddle.{name}({operand})", f"{operand}.{name}()")))


def _binary(draw):
    name = draw.choice(BINARY)
    dtype = draw.choice(("float", "float", "int", "real", "any", "half"))
    left = f"{{x * {dtype}{draw.choice(KINDS)}}}"
    other = draw.choice((dtype, dtype, dtype, "any"))
    right = f"{{x fit {other}{draw.choice(KINDS)}}}"
    if draw.random.random() < 0.15:
        right = draw.choice(NUMBERS)
    return draw.program(draw.choice((f"paddle.{name}({left}, {right})", f"{left}.{name}({right})")))


def _operator(draw):
    sign = draw.choice(OPERATORS)
    dtype = draw.choice(("float", "real", "int", "any"))
    left, right = f"{{x * {dtype}{draw.choice(KINDS)}}}", f"{{x fit {dtype}}}"
    form = draw.random.random()
    if form < 0.35:
        return draw.program(f"{left} {sign} {draw.choice(NUMBERS)}")
    if form < 0.6:
        return draw.program(f"{draw.choice(NUMBERS)} {sign} {left}")
    if form < 0.8 and sign not in ("<", "<=", ">", ">=", "==", "!="):
        return draw.program(f"out = {{n * {dtype}}}; out {sign}= {right}")
    return draw.program(f"{left} {sign} {right}")


def _inplace(draw):
    name = draw.choice(INPLACE)
    dtype = draw.choice(("float", "float", "real", "int", "any"))
    kind = draw.choice(KINDS)
    arguments = {
        "clip_": ("-0.5, 0.5", "{float -1 1}", "min=0.25", "max={x fit}"),
        "lerp_": ("{x fit}, 0.25", "{x fit}, {x fit}"),
        "scale_": ("2.0, 1.0", "{float -2 2}", "scale=0.5, bias=1.0, bias_after_scale=False"),
        "fill_": ("2.0", "3", "True"),
        "cast_": ("{dtype}",),
        "polygamma_": ("1", "2"),
        "multigammaln_": ("2",),
        "pow_": ("2", "0.5", "{x fit}", "-1.0"),
    }.get(name)
    if arguments is None:
        binary = name[:-1] in BINARY
        arguments = (f"{{x fit {dtype}}}", "2", "0.5") if binary else ("",)
    return draw.program(
        f"out = {{n * {dtype}{kind}}}; z = out.{name}({draw.choice(arguments)}); same = z is out"
    )


OTHER = """
paddle.clip({x * real}, {-1|None|0.5|np.inf}, {1.0|0|None|2})
paddle.clip({x}, min={c 0d|-1.0}, max={1.0|None})
paddle.lerp({x}, {x fit}, {0.5|-1.0|2})
paddle.lerp({x}, {x fit}, {x fit})
paddle.scale({x * real}, {2.0|-1|0.5}, {0.0|1.5|3}, bias_after_scale={bool})
paddle.scale({x}, {c 1}, 1.0)
paddle.addmm({x 2,4}, {x 2,3}, {x 3,4}, beta={1.0|0|-0.5}, alpha={1|2.0})
paddle.pow({x * real pos}, {2|0|-1|0.5|3.0})
paddle.nan_to_num({x * float special}, {0.0|1.5}, {None|3.0}, {None|-3.0})
paddle.round({x}, {0|1|2|-1})
paddle.polygamma({x * float pos}, {0|1|2|-1})
paddle.multigammaln({x * float pos} + 3.0, {1|2|3})
paddle.logit({x * float unit}, {None|1e-3|0.3})
paddle.isclose({x * float ties}, {x same float ties}, {1e-5|0.5}, {1e-8|0.1}, {bool})
paddle.allclose({x}, {x fit}, {1e-5|10.0}, {1e-8|3.0})
paddle.equal_all({x * any}, {x same any})
paddle.where({c 2,3 bool}, {x fit}, {x fit})
paddle.where({c 2,3 bool}, {x 2,3 real}, {0.0|1|-2.5})
paddle.where({c * bool})
paddle.where({c * real}, {x fit real}, {x fit real})
paddle.complex({x}, {x fit})
paddle.polar({x * float pos}, {x fit})
paddle.as_real({x * complex})
paddle.as_complex({x 3,2/2,2/1,2/0,2})
paddle.cast({x * any}, {dtype})
{x * any}.astype({dtype})
paddle.heaviside({x * float ties}, {x fit})
paddle.increment({c 1 real}, {1|2.5|-1})
paddle.add_n([{x}, {x same}, {x same}])
paddle.multiplex([{x 3,2}, {x 3,2}], {c 3,1 int32 below 2})
paddle.logaddexp({x * float special}, {x fit})
paddle.bitwise_right_shift({x * int}, {x same int pos}, {bool})
paddle.frexp({x * float special})
paddle.logical_xor({x * any}, {x same any})
paddle.isin({x * real ties}, {x 3 real ties}, invert={bool})
paddle.trapezoid({x 2,3/3/4,3}, {x same float sorted|None}, axis={-1|0})
paddle.trapezoid({x 2,3}, dx={1.0|0.5|2}, axis={0|1})
paddle.cumulative_trapezoid({x 2,3/3}, dx={1.0|0.5}, axis={-1|0})
paddle.diff({x * real}, n={1|2|0}, axis={-1|0})
paddle.diff({x 2,3}, prepend={x 2,1}, append={x 2,2})
paddle.vander({x 3/0/2}, {None|0|2|4}, increasing={bool})
paddle.renorm({x 2,3,2}, {1.0|2.0}, {0|1|-1}, {0.5|2.0})
paddle.dist({x}, {x fit}, {0|1|2|3.0|float('inf')|-float('inf')})
paddle.ldexp({x}, {x fit int})
"""
_OTHER = OTHER.strip().splitlines()


def _other(draw):
    return draw.program(draw.choice(_OTHER))
