"""Operators of ``paddle._C_ops`` whose arguments no function here takes as they are.

Each takes its arguments in Paddle's order; _C_ops.py has those that need nothing by hand. Arguments
that only tune Paddle's kernels (``place``, ``seed`` of a random operator) are taken and ignored.
"""

from __future__ import annotations

from typing import Any

import jaxeager as paddle
from jaxeager.errors import UnimplementedError
from jaxeager.tensor import Tensor
from jaxeager.vision.ops.multiclass_nms import multiclass_nms3 as _multiclass_nms3

F = paddle.nn.functional


# ---- norms, and what is computed over axes


def p_norm(x, porder=2.0, axis=-1, epsilon=1e-12, keepdim=False, asvector=False):
    """Returns the norm of vectors along an axis, or of all elements ``asvector``."""
    if asvector:
        return paddle.linalg.vector_norm(x, porder, None, keepdim)
    return paddle.linalg.norm(x, porder, axis, keepdim)


def frobenius_norm(x, axis, keep_dim, reduce_all):
    """Returns the root of the sum of squares along axes."""
    axes = None if reduce_all or not axis else list(axis)
    return paddle.sqrt((x * x).sum(axes, keepdim=keep_dim))


def squared_l2_norm(x):
    """Returns the sum of the squares of all elements, float[1]."""
    return (x * x).sum().reshape([1])


def l1_norm(x):
    """Returns the sum of the absolute values of all elements."""
    return x.abs().sum()


def mean_all(x):
    """Returns the mean of all elements."""
    return x.mean()


def clip_by_norm(x, max_norm):
    """Returns x, made smaller until its norm is no larger than a number; without a gradient."""
    x = x.detach()
    norm = paddle.sqrt((x * x).sum())
    return paddle.where(norm > max_norm, x * (max_norm / norm), x)


def norm(x, axis, epsilon, is_test):
    """Returns x over the root of the sum of its squares along an axis, and that root."""
    root = paddle.sqrt((x * x).sum(axis, keepdim=True) + epsilon)
    return x / root, root


def batch_norm(
    x, mean, variance, scale, bias, is_test, momentum, epsilon, data_format,
    use_global_stats, trainable_statistics,
):  # fmt: skip
    """Returns x normalised over its channels, and the statistics; ``mean``, ``variance`` move."""
    training = not (is_test or use_global_stats)
    axis = 1 if data_format.startswith("NC") else x.ndim - 1
    axes = [each for each in range(x.ndim) if each != axis]
    of_batch = x.detach()
    found = of_batch.mean(axes), paddle.rsqrt(of_batch.var(axes, unbiased=False) + epsilon)
    out = F.batch_norm(
        x, mean, variance, scale, bias, training, momentum, epsilon,
        "NCHW" if axis == 1 else "NHWC", use_global_stats or None,
    )  # fmt: skip
    if not training:
        zeros = paddle.zeros_like(mean)
        return out, mean, variance, zeros, zeros.clone(), paddle.empty([0])
    return out, mean, variance, *found, paddle.empty([0], dtype="uint8")


def roi_pool(x, boxes, boxes_num, pooled_height, pooled_width, spatial_scale):
    """Returns the largest elements of the parts of regions."""
    size = [pooled_height, pooled_width]
    return paddle.vision.ops.roi_pool(x, boxes, boxes_num, size, spatial_scale)


def box_coder(prior_box, prior_box_var, target_box, code_type, box_normalized, axis, variance):
    """Returns boxes relative to prior ones, or back."""
    scales = list(variance) if prior_box_var is None and variance else prior_box_var
    return paddle.vision.ops.box_coder(
        prior_box, scales, target_box, code_type, box_normalized, axis
    )


def multiclass_nms3(*args, **kwargs):
    """Returns the best boxes of each class, where they stood, and how many each image has."""
    return _multiclass_nms3(*args, **kwargs)


def std(x, axis, keepdim=False, unbiased=True, correction=1.0):
    """Returns the standard deviation along axes."""
    return paddle.std(x, axis or None, bool(unbiased), keepdim)


def argsort(x, axis=-1, descending=False, stable=False):
    """Returns the elements along an axis in order, and where they were."""
    indices = paddle.argsort(x, axis, descending, stable)
    return paddle.take_along_axis(x, indices, axis), indices


def matrix_rank(x, tol, use_default_tol=True, hermitian=False):
    """Returns the ranks of matrices."""
    return paddle.linalg.matrix_rank(x, None if use_default_tol else tol, hermitian)


# ---- layers


def layer_norm(x, scale, bias, epsilon=1e-5, begin_norm_axis=1):
    """Returns x, normalised along the axes from one on."""
    shape = list(x.shape[begin_norm_axis:])
    scale, bias = (None if each is None else each.reshape(shape) for each in (scale, bias))
    return F.layer_norm(x, shape, scale, bias, epsilon)


def rms_norm(x, scale, normalized_shape, epsilon=1e-5):
    """Returns x over the root of its mean square along the last axes, and the inverse roots."""
    axes = list(range(x.ndim - len(normalized_shape), x.ndim))
    inverse = paddle.rsqrt((x * x).mean(axes, keepdim=True) + epsilon)
    found = x * inverse
    return (found if scale is None else found * scale), inverse.flatten()


def instance_norm(x, scale, bias, epsilon=1e-5):
    """Returns images, each channel normalised."""
    return F.instance_norm(x, weight=scale, bias=bias, eps=epsilon)


def linear(x, weight, bias):
    """Returns ``x @ weight + bias``."""
    return F.linear(x, weight, bias)


def prelu(x, alpha, data_format="NCHW", mode="all"):
    """Returns x, and alpha times x where it is negative."""
    return F.prelu(x, alpha, data_format)


def tanh_shrink(x):
    """Returns ``x - tanh(x)``."""
    return F.tanhshrink(x)


def dropout(x, seed_tensor, p, is_test, mode, seed=0, fix_seed=False):
    """Returns x with elements dropped."""
    mode = "downscale_in_infer" if mode == "downgrade_in_infer" else mode
    return F.dropout(x, p, training=not is_test, mode=mode)


def split_with_num(x, num, axis):
    """Returns x in so many pieces along an axis."""
    return paddle.split(x, num, axis)


def pad(x, paddings, pad_value):
    """Returns x with a value before and after each axis, the first axis first."""
    return F.pad(x, list(paddings), value=float(pad_value), pad_from_left_axis=True)


def pad3d(x, paddings, mode, pad_value, data_format):
    """Returns volumes with elements around them."""
    return F.pad(x, list(paddings), mode, float(pad_value), data_format)


def unfold(x, kernel_sizes, strides, paddings, dilations):
    """Returns the windows of images as columns."""
    return F.unfold(x, kernel_sizes, strides, paddings, dilations)


def _interpolated():
    def interpolated(
        x, out_size, size_tensor, scale_tensor, data_format, out_d, out_h, out_w, scale,
        interp_method, align_corners, align_mode,
    ):  # fmt: skip
        """Returns images of another size."""
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


# ---- losses


def bce_loss(input, label):
    """Returns the binary cross entropy of each element."""
    return F.binary_cross_entropy(input, label, reduction="none")


def huber_loss(input, label, delta):
    """Returns the Huber loss of each element."""
    apart = (input - label).abs()
    return paddle.where(apart <= delta, 0.5 * apart * apart, delta * (apart - 0.5 * delta))


def kldiv_loss(x, label, reduction, log_target=False):
    """Returns the Kullback-Leibler divergence."""
    return F.kl_div(x, label, reduction, log_target)


def nll_loss(input, label, weight, ignore_index=-100, reduction="mean"):
    """Returns the negative log likelihood, and the sum of the weights that count."""
    found = F.nll_loss(input, label, weight, ignore_index, reduction)
    counted = label != ignore_index
    weights = paddle.ones([input.shape[1]], input.dtype) if weight is None else weight
    rows = paddle.where(counted, label, paddle.zeros_like(label))
    total = (weights[rows] * counted.astype(input.dtype)).sum()
    return found, (total if reduction != "none" else paddle.zeros([], input.dtype))


def cross_entropy_with_softmax(
    input, label, soft_label=False, use_softmax=True, numeric_stable_mode=True, ignore_index=-100,
    axis=-1,
):  # fmt: skip
    """Returns the softmax of the logits, without a gradient, and the loss of each label."""
    loss = F.cross_entropy(
        input, label, ignore_index=ignore_index, reduction="none", soft_label=soft_label,
        axis=axis, use_softmax=use_softmax,
    )  # fmt: skip
    loss = loss if loss.ndim == input.ndim else loss.unsqueeze(axis)
    return (F.softmax(input, axis) if use_softmax else input).detach(), loss


def sigmoid_cross_entropy_with_logits(
    x, label, pos_weight=None, normalize=False, ignore_index=-100
):
    """Returns the binary cross entropy of each logit, 0 where a label is ignored."""
    loss = F.binary_cross_entropy_with_logits(x, label, None, "none", pos_weight)
    counts = (label != ignore_index).astype(x.dtype)
    loss = loss * counts
    return loss / paddle.clip(counts.sum(), min=1.0) if normalize else loss


# ---- shapes and elements


def slice(input, axes, starts, ends, infer_flags=None, decrease_axis=None):
    """Returns a part of a tensor, without the axes that are decreased."""
    found = paddle.slice(input, axes, starts, ends)
    return found.squeeze(list(decrease_axis)) if decrease_axis else found


def expand_as(x, y, target_shape=None):
    """Returns x, repeated to a shape or that of another tensor."""
    return paddle.expand(x, list(target_shape or ()) if y is None else list(y.shape))


def view_shape(input, dims):
    """Returns a view of another shape."""
    return paddle.view(input, dims)


def view_dtype(input, dtype):
    """Returns a view with another dtype."""
    return paddle.view(input, dtype)


def view_slice(input, begin_idx, end_idx):
    """Returns a part of the first axis."""
    return input[begin_idx:end_idx]


def shape64(input):
    """Returns the shape as a tensor."""
    return paddle.to_tensor(list(input.shape), "int64")


def increment_(x, value=1.0):
    """Adds a number to a tensor, in place."""
    return paddle.increment(x, value)


def fill(x, value):
    """Returns a tensor like x, full of a value."""
    return paddle.full_like(x, value)


def full_with_tensor(value, shape, dtype):
    """Returns a tensor full of the value of another one."""
    return paddle.full(shape, value.item(), dtype)


def repeat_interleave_with_tensor_index(x, repeats, axis, output_size=-1):
    """Returns x with each element along an axis repeated as often as a tensor says."""
    return paddle.repeat_interleave(x, repeats, axis)


def rint(x):
    """Returns the nearest whole numbers, of two the even one."""
    return paddle.round(x)


def trunc_divide(x, y):
    """Returns quotients without their fraction."""
    return paddle.trunc(paddle.divide(x, y)).astype(x.dtype)


def elementwise_pow(x, y):
    """Returns x to the power of y."""
    return paddle.pow(x, y)


def tril_indices(rows, cols, offset, dtype, place=None):
    """Returns where the elements up to a diagonal are, int[2, n]."""
    return paddle.tril_indices(rows, cols, offset, dtype)


def triu_indices(row, col, offset, dtype, place=None):
    """Returns where the elements from a diagonal on are, int[2, n]."""
    return paddle.triu_indices(row, col, offset, dtype)


def range_v2(start, end, step, dtype, place=None):
    """Returns numbers from one to before another."""
    return paddle.arange(start, end, step, dtype)


def unique(x, return_index, return_inverse, return_counts, axis, dtype):
    """Returns the elements without repetition, where they are, which they are, and how often."""
    return paddle.unique(x, True, True, True, axis[0] if axis else None, dtype)


def einsum(x, equation):
    """Returns sums of products."""
    return paddle.einsum(equation, *x), [], []


def fft_c2c(x, axes, normalization, forward):
    """Returns the Fourier transform along axes, or its inverse."""
    function = paddle.fft.fftn if forward else paddle.fft.ifftn
    return function(x, None, axes, normalization)


def fft_r2c(x, axes, normalization, forward, onesided):
    """Returns the Fourier transform of real numbers along axes."""
    if not onesided:
        return fft_c2c(paddle.complex(x, paddle.zeros_like(x)), axes, normalization, forward)
    function = paddle.fft.rfftn if forward else paddle.fft.ihfftn
    return function(x, None, axes, normalization)


def fft_c2r(x, axes, normalization, forward, last_dim_size=0):
    """Returns the real numbers whose Fourier transform is half given."""
    size = last_dim_size or 2 * (x.shape[axes[-1]] - 1)
    sizes = [*(x.shape[axis] for axis in axes[:-1]), size]
    function = paddle.fft.hfftn if forward else paddle.fft.irfftn
    return function(x, sizes, axes, normalization)


# ---- random numbers


def gaussian(shape, mean, std, seed, dtype, place=None):
    """Returns normal random numbers."""
    return paddle.tensor.random.gaussian(shape, mean, std, seed, dtype)


def gaussian_inplace_(x, mean=0.0, std=1.0, seed=0):
    """Fills a tensor with normal random numbers."""
    return x.normal_(mean, std)


def uniform_inplace_(x, min=-1.0, max=1.0, seed=0, diag_num=0, diag_step=0, diag_val=1.0):
    """Fills a tensor with uniform random numbers."""
    return x.uniform_(min, max, seed)


def randint(low, high, shape, dtype, place=None):
    """Returns random whole numbers."""
    return paddle.randint(low, high, shape, dtype)


def truncated_gaussian_random(shape, mean, std, seed, a, b, dtype, place=None):
    """Returns normal random numbers between two bounds."""
    found = paddle.empty(shape, dtype)
    paddle.nn.init.trunc_normal_(found, mean, std, a, b)
    return found


# ---- graphs and boxes


def send_u_recv(x, src_index, dst_index, reduce_op="SUM", out_size=0):
    """Returns what nodes are sent along edges, reduced."""
    size = _size(out_size)
    return paddle.geometric.send_u_recv(x, src_index, dst_index, reduce_op.lower(), size)


def send_ue_recv(x, y, src_index, dst_index, message_op, reduce_op, out_size=0):
    """Returns what nodes and edges send along edges, reduced."""
    return paddle.geometric.send_ue_recv(
        x, y, src_index, dst_index, message_op.lower(), reduce_op.lower(), _size(out_size)
    )


def send_uv(x, y, src_index, dst_index, message_op="ADD"):
    """Returns for each edge what its two nodes make."""
    return paddle.geometric.send_uv(x, y, src_index, dst_index, message_op.lower())


def _size(out_size: Any) -> int | None:
    number = out_size[0] if isinstance(out_size, (list, tuple)) and out_size else out_size
    return int(number) if isinstance(number, (int, Tensor)) and int(number) > 0 else None


def segment_pool(x, segment_ids, pooltype="SUM"):
    """Returns each segment, reduced."""
    return getattr(paddle.geometric, f"segment_{pooltype.lower()}")(x, segment_ids)


def nms(x, threshold):
    """Returns which boxes are kept."""
    return paddle.vision.ops.nms(x, threshold)


def roi_align(
    x, boxes, boxes_num, pooled_height=1, pooled_width=1, spatial_scale=1.0, sampling_ratio=-1,
    aligned=False,
):  # fmt: skip
    """Returns what is in boxes of images, on a grid."""
    size = pooled_height, pooled_width
    return paddle.vision.ops.roi_align(
        x, boxes, boxes_num, size, spatial_scale, sampling_ratio, aligned
    )


# ---- sparse tensors


def _sparse(name: str):
    room = paddle.sparse if hasattr(paddle.sparse, name) else paddle.sparse.nn.functional
    return getattr(room, name)


def sparse_divide_scalar(x, scalar):
    """Returns a sparse tensor over a number."""
    return paddle.sparse.divide(x, scalar)


def sparse_to_dense(x):
    """Returns a sparse tensor as a dense one."""
    return x.to_dense()


def sparse_to_sparse_coo(x, sparse_dim):
    """Returns a tensor as one of coordinates."""
    return x.to_sparse_coo(sparse_dim)


def sparse_to_sparse_csr(x):
    """Returns a tensor as one of compressed rows."""
    return x.to_sparse_csr()


def sparse_values(x):
    """Returns the values that a sparse tensor stores."""
    return x.values()


def sparse_indices(x):
    """Returns where the values of a sparse tensor are."""
    return x.indices()


def sparse_sparse_coo_tensor(values, indices, shape=()):
    """Returns a sparse tensor of values and where they are."""
    return paddle.sparse.sparse_coo_tensor(indices, values, list(shape) or None)


def sparse_sum(x, axis=(), dtype=None, keepdim=False):
    """Returns sums of a sparse tensor along axes."""
    return paddle.sparse.sum(x, list(axis) or None, dtype, keepdim)


SPARSE = (
    "abs add addmm asin asinh atan atanh cast coalesce divide expm1 isnan leaky_relu log1p mask_as "
    "masked_matmul matmul multiply mv pow relu relu6 reshape sin sinh slice softmax sqrt square "
    "subtract tan tanh transpose"
).split()
_PRIVATE = ("F", "SPARSE", "Any", "Tensor", "UnimplementedError", "annotations", "paddle")
BY_HAND = {
    **{
        name: each
        for name, each in globals().copy().items()
        if callable(each) and name[0] != "_" and name not in _PRIVATE
    },
    **{f"sparse_{name}": _sparse(name) for name in SPARSE},
}
