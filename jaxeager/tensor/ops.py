"""paddle.tensor.ops: elementwise functions."""

from jaxeager.tensor.names import functions

__all__ = """
    abs abs_ acos acos_ acosh acosh_ asin asin_ asinh asinh_ atan atan_ atanh atanh_ ceil ceil_
    cos cos_ cosh cosh_ erf erf_ exp exp_ expm1 expm1_ floor floor_ reciprocal reciprocal_ round
    round_ rsqrt rsqrt_ sigmoid sigmoid_ sin sin_ sinh sinh_ sqrt sqrt_ square square_ tan tan_
""".split()

globals().update(functions(__all__))
