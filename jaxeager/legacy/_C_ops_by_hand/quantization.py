"""Rounding to the steps of integers, and back.

With ``round_type`` 1 a half is rounded away from 0, and values are clipped to the scale; with 0 it
is rounded to the even step, and there is one more step below 0.
"""

from jaxeager.errors import UnimplementedError
from jaxeager.nn.quant.simulate import along, largest, passed_through, quantized, steps_of, top_step


def fake_quantize_abs_max(x, bit_length, round_type):
    """Return x in steps, and the largest absolute value."""
    scale = largest(x.detach())
    return _steps(x, scale, bit_length, round_type), scale


def fake_quantize_dequantize_abs_max(x, bit_length, round_type):
    """Return x, rounded, and the largest absolute value."""
    scale = largest(x.detach())
    return _rounded(x, scale, bit_length, round_type), scale


def fake_channel_wise_quantize_abs_max(x, bit_length, round_type, quant_axis, is_test):
    """Return x in steps, and the largest absolute value for each index of an axis."""
    if is_test:
        raise UnimplementedError("is_test=True is not supported: it takes no scales to test with.")
    scale = largest(x.detach(), quant_axis)
    return _steps(x, along(scale, quant_axis, x.ndim), bit_length, round_type), scale


def fake_channel_wise_quantize_dequantize_abs_max(x, bit_length, round_type, quant_axis):
    """Return x, rounded, and the largest absolute value for each index of an axis."""
    scale = largest(x.detach(), quant_axis)
    return _rounded(x, along(scale, quant_axis, x.ndim), bit_length, round_type), scale


def fake_quantize_moving_average_abs_max(
    x, in_scale, in_accum, in_state, moving_rate, bit_length, is_test, round_type
):
    """Return x in steps of a moving mean, the mean, and the two values that it is computed from."""
    scale, state, accum = _moved(x, in_scale, in_accum, in_state, moving_rate, is_test)
    return _steps(x, scale, bit_length, round_type), scale, state, accum


def fake_quantize_dequantize_moving_average_abs_max(
    x, in_scale, in_accum, in_state, moving_rate, bit_length, is_test, round_type
):
    """Return x, rounded, a moving mean, and the two values that it is computed from."""
    scale, state, accum = _moved(x, in_scale, in_accum, in_state, moving_rate, is_test)
    return _rounded(x, scale, bit_length, round_type), scale, state, accum


def fake_dequantize_max_abs(x, scale, max_range):
    """Return the numbers that steps represent."""
    return x.detach() * scale / max_range


def _moved(x, scale, accum, state, rate, is_test):
    """Return a moving mean of largest absolute values, ``accum / state``; in a test, as it was."""
    if is_test:
        return scale, state, accum
    state = state.detach() * rate + 1.0
    accum = accum.detach() * rate + largest(x.detach())
    return accum / state, state, accum


def _steps(x, scale, bits, round_type):
    x = x.detach()
    if round_type == 1:
        return steps_of(x, scale, bits)
    return quantized(x, scale, -1, -top_step(bits) - 1, top_step(bits))


def _rounded(x, scale, bits, round_type):
    return passed_through(x, _steps(x, scale, bits, round_type) * scale / top_step(bits))
