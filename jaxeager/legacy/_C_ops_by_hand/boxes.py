"""Boxes and regions of images."""

import jaxeager as paddle
from jaxeager.vision.ops.multiclass_nms import multiclass_nms3 as _multiclass_nms3


def roi_pool(x, boxes, boxes_num, pooled_height, pooled_width, spatial_scale):
    """Return the largest element of each part of the regions."""
    size = [pooled_height, pooled_width]
    return paddle.vision.ops.roi_pool(x, boxes, boxes_num, size, spatial_scale)


def box_coder(prior_box, prior_box_var, target_box, code_type, box_normalized, axis, variance):
    """Return boxes relative to prior ones, or back."""
    scales = list(variance) if prior_box_var is None and variance else prior_box_var
    return paddle.vision.ops.box_coder(
        prior_box, scales, target_box, code_type, box_normalized, axis
    )


def multiclass_nms3(*args, **kwargs):
    """Return the best boxes of each class, their indices, and the number of boxes of each image."""
    return _multiclass_nms3(*args, **kwargs)


def nms(x, threshold):
    """Return which boxes are kept."""
    return paddle.vision.ops.nms(x, threshold)


def roi_align(
    x, boxes, boxes_num, pooled_height=1, pooled_width=1, spatial_scale=1.0, sampling_ratio=-1,
    aligned=False,
):  # fmt: skip
    """Return the contents of boxes of images, sampled on a grid."""
    size = pooled_height, pooled_width
    return paddle.vision.ops.roi_align(
        x, boxes, boxes_num, size, spatial_scale, sampling_ratio, aligned
    )
