"""Operators of layers."""

import contextlib

import jaxeager as paddle
from jaxeager.arrays.random import drawing_from, first_key
from jaxeager.errors import UnimplementedError

F = paddle.nn.functional


def layer_norm(x, scale, bias, epsilon=1e-5, begin_norm_axis=1):
    """Return x, normalised along the axes from a given one on."""
    shape = list(x.shape[begin_norm_axis:])
    scale, bias = (None if each is None else each.reshape(shape) for each in (scale, bias))
    return F.layer_norm(x, shape, scale, bias, epsilon)


def rms_norm(x, scale, normalized_shape, epsilon=1e-5):
    """Return x over its root mean square along the last axes, and the inverse roots."""
    axes = list(range(x.ndim - len(normalized_shape), x.ndim))
    inverse = paddle.rsqrt((x * x).mean(axes, keepdim=True) + epsilon)
    found = x * inverse
    return (found if scale is None else found * scale), inverse.flatten()


def instance_norm(x, scale, bias, epsilon=1e-5):
    """Return images with each channel normalised."""
    return F.instance_norm(x, weight=scale, bias=bias, eps=epsilon)


def linear(x, weight, bias):
    """Return ``x @ weight + bias``."""
    return F.linear(x, weight, bias)


def prelu(x, alpha, data_format="NCHW", mode="all"):
    """Return x, and alpha times x for negative elements."""
    return F.prelu(x, alpha, data_format)


def tanh_shrink(x):
    """Return ``x - tanh(x)``."""
    return F.tanhshrink(x)


def dropout(x, seed_tensor, p, is_test, mode, seed=0, fix_seed=False):
    """Return x with elements dropped; if a seed is given, it alone determines which."""
    mode = "downscale_in_infer" if mode == "downgrade_in_infer" else mode
    if seed_tensor is not None:
        seed, fix_seed = int(seed_tensor), True
    with drawing_from(first_key(seed)) if fix_seed else contextlib.nullcontext():
        return F.dropout(x, p, training=not is_test, mode=mode)


def split_with_num(x, num, axis):
    """Return x split into a number of pieces along an axis."""
    return paddle.split(x, num, axis)


def pad(x, paddings, pad_value):
    """Return x with a value before and after each axis, the first axis first."""
    return F.pad(x, list(paddings), value=float(pad_value), pad_from_left_axis=True)


def pad3d(x, paddings, mode, pad_value, data_format):
    """Return volumes padded on all sides."""
    return F.pad(x, list(paddings), mode, float(pad_value), data_format)


def unfold(x, kernel_sizes, strides, paddings, dilations):
    """Return the windows of images as columns."""
    return F.unfold(x, kernel_sizes, strides, paddings, dilations)


def _interpolated():
    def interpolated(
        x, out_size, size_tensor, scale_tensor, data_format, out_d, out_h, out_w, scale,
        interp_method, align_corners, align_mode,
    ):  # fmt: skip
        """Return images resized to another size."""
        if out_size is not None or size_tensor or scale_tensor is not None:
            raise UnimplementedError(f"{interp_method}_interp(): sizes as tensors are not there.")
        size = [each for each in (out_d, out_h, out_w) if each > 0]
        return F.interpolate(
            x, size or None, None if size else list(scale), interp_method, align_corners,
            align_mode, data_format,
        )  # fmt: skip

    return interpolated


bilinear_interp = bicubic_interp = nearest_interp = trilinear_interp = linear_interp = (
    _interpolated()
)
