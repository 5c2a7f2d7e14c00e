"""Convolutions and their transposes: strides, padding of every form, dilation, groups, formats."""

from tests.fuzz.draw import from_templates

program = from_templates(
    """
    F.conv1d({x 1,2,6}, {x 4,2,3/2,2,1/3,2,2}, None, {1|2|[2]}, {0|1|'SAME'|'VALID'|[2]|[1, 2]|-1}, {1|2}, 1)
    F.conv1d({x 2,6,4}, {x 4,2,3}, {x 4|None}, {1|2}, {0|1|'SAME'}, {1|2}, {2|1}, data_format={'NLC'|'NCL'})
    F.conv2d({x 1,2,5,5}, {x 4,2,3,3/4,2,1,2}, None, {1|2|[1, 2]}, {0|1|'SAME'|'VALID'|[1, 2]|[1, 0, 2, 1]|[[0, 0], [0, 0], [1, 2], [0, 1]]}, {1|2|[2, 1]})
    F.conv2d({x 1,4,5,5}, {x 4,2,3,3/4,1,3,3/4,4,3,3}, {x 4|None}, {1|2}, {0|1|'same'}, {1|2}, {2|4|1})
    F.conv2d({x 2,5,4,4/2,4,5,4}, {x 4,4,3,2/2,2,3,2}, {x 4|None|x 2}, {1|2}, {0|1|'SAME'|'VALID'}, 1, {1|2}, {'NHWC'|'NCHW'})
    F.conv3d({x 1,2,3,4,3}, {x 2,2,2,2,2/2,1,2,1,2}, None, {1|2|[1, 2, 1]}, {0|1|'SAME'|'VALID'|[1, 0, 1]}, {1|2}, {1|2}, {'NCDHW'|'NDHWC'})
    F.conv1d_transpose({x 1,2,4}, {x 2,3,3/2,1,2}, None, {1|2|3}, {0|1|'SAME'|'VALID'}, {0|1}, {1|2}, {1|2})
    F.conv1d_transpose({x 1,4,2}, {x 2,3,3}, {x 3}, {1|2}, {0|1}, output_size={None|[8]|[9]|[10]}, data_format={'NLC'|'NCL'})
    F.conv2d_transpose({x 1,2,3,4}, {x 2,3,3,3/2,1,2,3}, None, {1|2|[2, 1]}, {0|1|'SAME'|'VALID'|[1, 0]|[1, 0, 0, 1]}, {0|1|[1, 0]}, {1|2|[1, 2]}, {1|2})
    F.conv2d_transpose({x 1,3,4,2}, {x 2,3,3,3}, {x 3}, {1|2}, {0|1|'SAME'}, output_size={None|[7, 9]|[8, 10]|5}, data_format={'NHWC'|'NCHW'})
    F.conv3d_transpose({x 1,2,2,3,2}, {x 2,2,2,2,2/2,1,2,2,2}, None, {1|2}, {0|1|'SAME'|'VALID'}, {0|1}, {1|2}, {1|2}, data_format={'NCDHW'|'NDHWC'})
    F.conv2d({x 0,2,5,5/1,2,2,2/2,5,5}, {x 4,2,3,3}, padding={0|1|'SAME'})
    F.conv2d({x 1,2,5,5 any}, {x 4,2,3,3 any})
    l = fill(nn.Conv1D(2, 4, {3|1|[2]}, {1|2}, {0|1|'SAME'}, {1|2}, padding_mode={'zeros'|'reflect'|'replicate'|'circular'}, bias_attr={None|False})); l({x 1,2,6})
    l = fill(nn.Conv2D(2, 4, {3|[3, 1]}, {1|2}, {0|1|2|[1, 2]|'VALID'}, {1|2}, {1|2}, {'zeros'|'reflect'|'replicate'|'circular'})); l({x 1,2,5,5})
    l = fill(nn.Conv2D(2, 4, 3, padding={0|1|'SAME'}, data_format='NHWC')); l({x 1,5,5,2})
    l = fill(nn.Conv3D(2, 2, 2, {1|2}, {0|1}, padding_mode={'zeros'|'replicate'|'circular'})); l({x 1,2,3,3,3})
    l = fill(nn.Conv1DTranspose(2, 3, 3, {1|2}, {0|1}, {0|1})); l({x 1,2,4})
    l = fill(nn.Conv2DTranspose(2, 4, {3|2}, {1|2}, {0|1}, {0|1}, {1|2}, {1|2})); l({x 1,2,3,4}, {None|[7, 9]|[8, 8]})
    l = fill(nn.Conv3DTranspose(2, 2, 2, {1|2}, {0|1})); l({x 1,2,2,3,2})
    F.unfold({x 1,2,4,5}, {2|[2, 3]|3}, {1|2|[1, 2]}, {0|1|[1, 0]|[1, 0, 0, 1]}, {1|2})
    F.fold({x 1,8,12/1,8,6/1,8,4}, {[4, 5]|[3, 4]|[3, 3]}, {2|[2, 2]}, {1|2}, {0|1}, {1|2})
    nn.Unfold({2|[3, 2]}, {1|2}, {0|1})({x 1,2,4,5})
    nn.Fold([4, 5], [2, 2])({x 1,8,12})
    paddle.nn.functional.conv1d({x 1,3,8}, {x 3,1,3}, None, {1|2}, {0|'SAME'|2}, {1|3}, 3)
    """
)
