"""Images: resizing, grids, shuffles."""

from tests.fuzz.draw import from_templates

program = from_templates(
    """
    F.interpolate({x 1,2,3,4}, {[5, 6]|[2, 2]|[3, 4]|[1, 1]|None}, {None|2|[1.5, 2.0]|0.5}, {'nearest'|'bilinear'|'bicubic'|'area'}, {bool}, {0|1})
    F.interpolate({x 1,2,3,4}, {[5, 6]|[2, 2]|[7, 3]}, None, {'bilinear'|'bicubic'}, {bool}, {0|1})
    F.interpolate({x 1,3,4,2}, {[5, 6]|[2, 2]}, None, {'nearest'|'bilinear'|'area'}, {bool}, data_format='NHWC')
    F.interpolate({x 1,2,5}, {[7]|[3]|8|None}, {None|2|1.5}, {'linear'|'nearest'|'area'}, {bool}, {0|1}, data_format={'NCW'|'NWC'})
    F.interpolate({x 1,2,2,3,2}, {[3, 4, 3]|None}, {None|2}, {'trilinear'|'nearest'|'area'}, {bool}, {0|1}, {'NCDHW'|'NDHWC'})
    F.upsample({x 1,2,3,3}, None, {2|3}, {'nearest'|'bilinear'})
    F.grid_sample({x 1,2,3,4}, {x 1,2,3,2}, {'bilinear'|'nearest'}, {'zeros'|'border'|'reflection'}, {bool})
    F.grid_sample({x 1,2,2,3,2}, {x 1,2,2,2,3}, {'bilinear'|'nearest'}, {'zeros'|'border'|'reflection'}, {bool})
    F.affine_grid({x 2,2,3}, {[2, 1, 3, 4]|[2, 2, 1, 1]}, {bool})
    F.affine_grid({x 1,3,4}, [1, 1, 2, 3, 2], {bool})
    F.pixel_shuffle({x 1,4,2,3}, {2|1|3}, {'NCHW'|'NHWC'})
    F.pixel_unshuffle({x 1,2,4,4}, {2|1|4|3}, {'NCHW'|'NHWC'})
    F.channel_shuffle({x 1,4,2,2}, {2|4|1|3}, {'NCHW'|'NHWC'})
    paddle.vision.ops.roi_align({x 1,2,5,5}, paddle.to_tensor([[0.5, 0.5, 3.5, 4.0], [1.0, 0.0, 2.0, 2.0]]), paddle.to_tensor([2], dtype='int32'), {2|[2, 3]}, {1.0|0.5}, {-1|2}, {bool})
    paddle.vision.ops.roi_pool({x 1,2,5,5}, paddle.to_tensor([[0.0, 0.0, 3.0, 4.0]]), paddle.to_tensor([1], dtype='int32'), {2|[2, 3]}, {1.0|0.5})
    paddle.vision.ops.psroi_pool({x 1,4,5,5}, paddle.to_tensor([[0.0, 0.0, 3.0, 4.0]]), paddle.to_tensor([1], dtype='int32'), 2, {1.0|0.5})
    paddle.vision.ops.nms(paddle.to_tensor([[0.0, 0.0, 2.0, 2.0], [0.1, 0.0, 2.0, 2.0], [3.0, 3.0, 4.0, 4.0]]), {0.3|0.5|0.99}, paddle.to_tensor({[0.5, 0.9, 0.1]|[0.9, 0.5, 0.7]}))
    """
)
