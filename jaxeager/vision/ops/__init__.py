"""paddle.vision.ops: operations for detection models."""

from jaxeager.vision.ops.boxes import box_coder, prior_box, yolo_box, yolo_loss
from jaxeager.vision.ops.conv_norm_activation import ConvNormActivation
from jaxeager.vision.ops.deform import DeformConv2D, deform_conv2d
from jaxeager.vision.ops.files import decode_jpeg, read_file
from jaxeager.vision.ops.matrix_nms import matrix_nms
from jaxeager.vision.ops.nms import nms
from jaxeager.vision.ops.proposals import distribute_fpn_proposals, generate_proposals
from jaxeager.vision.ops.roi import PSRoIPool, RoIAlign, RoIPool, psroi_pool, roi_align, roi_pool

__all__ = [
    "DeformConv2D",
    "PSRoIPool",
    "RoIAlign",
    "RoIPool",
    "box_coder",
    "decode_jpeg",
    "deform_conv2d",
    "distribute_fpn_proposals",
    "generate_proposals",
    "matrix_nms",
    "nms",
    "prior_box",
    "psroi_pool",
    "read_file",
    "roi_align",
    "roi_pool",
    "yolo_box",
    "yolo_loss",
]
