"""Padding in each of its spellings, refusals, and results."""

import json
import warnings

import numpy as np
import pytest

import jaxeager as paddle
import jaxeager.nn.functional as F
from jaxeager.errors import InvalidArgumentError
from jaxeager.ops.conv.conv import conv_reference
from jaxeager.ops.rules.samples import values

IMAGE, FILTER = values((2, 3, 7, 6)), values((4, 3, 3, 2), seed=1)
BIAS = values((4,), seed=2)


def _tensors(*arrays):
    return [paddle.to_tensor(array) for array in arrays]


@pytest.mark.parametrize(
    ("padding", "four"),
    [
        (1, (1, 1, 1, 1)),
        ([1, 2], (1, 1, 2, 2)),
        ([1, 0, 2, 1], (1, 0, 2, 1)),
        ([[0, 0], [0, 0], [1, 0], [2, 1]], (1, 0, 2, 1)),
        ("VALID", (0, 0, 0, 0)),
        ("same", (1, 1, 0, 1)),
    ],
)
def test_padding_in_each_spelling(padding, four):
    out = F.conv2d(*_tensors(IMAGE, FILTER, BIAS), padding=padding)
    expected = conv_reference(IMAGE, FILTER, paddings=four) + BIAS[:, None, None]
    np.testing.assert_allclose(out.numpy(), expected, rtol=1e-10)


def test_channels_last():
    image = IMAGE.transpose(0, 2, 3, 1)
    padding = [[0, 0], [1, 0], [2, 1], [0, 0]]
    out = F.conv2d(*_tensors(image, FILTER, BIAS), 2, padding, data_format="NHWC")
    expected = conv_reference(IMAGE, FILTER, 2, (1, 0, 2, 1)) + BIAS[:, None, None]
    np.testing.assert_allclose(out.numpy(), expected.transpose(0, 2, 3, 1), rtol=1e-10)


def _same(function, dims):
    """Return a convolution of small values that takes padding and dilation."""
    x = paddle.to_tensor(values((1, 2, 7, 6, 5)[: dims + 2]))
    weight = paddle.to_tensor(values((2, 2, *[3] * dims), seed=1))
    return lambda **given: getattr(F, function)(x, weight, stride=2, **given)


@pytest.mark.parametrize("dims", [1, 2, 3])
@pytest.mark.parametrize("end", ["", "_transpose"])
def test_same_padding_drops_the_dilation_and_says_so(dims, end):
    """Paddle does the same without a warning."""
    call = _same(f"conv{dims}d{end}", dims)
    with pytest.warns(UserWarning, match=r"sets the dilation to 1, as in Paddle: dilation=\[2"):
        out = call(padding="same", dilation=2)
    np.testing.assert_array_equal(out.numpy(), call(padding="SAME").numpy())


def test_the_padding_that_the_warning_names_keeps_size_and_dilation():
    image, filter = values((1, 1, 7, 8)), values((1, 1, 3, 3), seed=1)
    x, weight = _tensors(image, filter)
    with pytest.warns(UserWarning, match="sets the dilation") as told:
        F.conv2d(x, weight, padding="SAME", dilation=[2, 1])
    padding = json.loads(str(told[0].message).rpartition("padding=")[2].rstrip("."))
    assert padding == [2, 2, 1, 1]
    out = F.conv2d(x, weight, padding=padding, dilation=[2, 1])
    expected = conv_reference(image, filter, paddings=(2, 1), dilations=(2, 1))
    np.testing.assert_allclose(out.numpy(), expected, rtol=1e-10)


def test_the_warning_is_given_once_a_line_and_only_where_something_is_dropped():
    layer = paddle.nn.Conv2D(1, 1, 3, padding="SAME", dilation=3)
    x = paddle.ones([1, 1, 5, 5])
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("default")
        for _ in range(3):
            layer(x)
        assert [w.filename for w in told] == [__file__]
        F.conv2d(x, layer.weight, padding="SAME", dilation=[1, 1])
        F.conv2d(x, layer.weight, padding="VALID", dilation=2)
        F.conv2d(x, layer.weight, padding=2, dilation=2)
    assert len(told) == 1


def test_same_padding_with_a_stride_adds_more_at_the_end():
    ones = paddle.ones([1, 1, 5, 5])
    out = F.conv2d(ones, paddle.ones([1, 1, 2, 2]), padding="SAME", stride=2)
    assert out.tolist() == [[[[4.0, 4.0, 2.0], [4.0, 4.0, 2.0], [2.0, 2.0, 1.0]]]]


@pytest.mark.parametrize("data_format", ["NCL", "NLC"])
def test_conv1d_is_a_conv2d_of_height_1(data_format):
    x, w = IMAGE[:, :, 0], FILTER[:, :, 0]
    given = x if data_format == "NCL" else x.transpose(0, 2, 1)
    out = F.conv1d(*_tensors(given, w, BIAS), 2, [1, 2], 2, data_format=data_format)
    expected = conv_reference(x[:, :, None], w[:, :, None], (1, 2), (0, 0, 1, 2), (1, 2))
    expected = expected[:, :, 0] + BIAS[:, None]
    expected = expected if data_format == "NCL" else expected.transpose(0, 2, 1)
    np.testing.assert_allclose(out.numpy(), expected, rtol=1e-10)


def test_transposed_convolution_is_the_gradient_of_the_convolution():
    x = paddle.to_tensor(values((2, 3, 6, 6)), stop_gradient=False)
    weight = paddle.to_tensor(FILTER)
    out = F.conv2d(x, weight, stride=2, padding=1)
    dout = paddle.to_tensor(values(tuple(out.shape), seed=3))
    out.backward(dout)
    back = F.conv2d_transpose(dout, weight, stride=2, padding=1, output_size=[6, 6])
    np.testing.assert_allclose(back.numpy(), x.grad.numpy(), rtol=1e-10)


def test_transposed_sizes():
    x, weight = _tensors(values((1, 2, 4, 4)), values((2, 3, 3, 3)))
    assert F.conv2d_transpose(x, weight, stride=2).shape == [1, 3, 9, 9]
    assert F.conv2d_transpose(x, weight, stride=2, output_padding=1).shape == [1, 3, 10, 10]
    assert F.conv2d_transpose(x, weight, stride=2, padding="SAME").shape == [1, 3, 8, 8]


def test_a_kernel_larger_than_the_image_is_refused():
    """Paddle's conv2d returns an empty tensor, or one of negative sizes."""
    for groups in (1, 2):
        x, weight = _tensors(values((1, groups, 2, 2)), values((groups, 1, 3, 3)))
        with pytest.raises(paddle.errors.InvalidArgumentError, match="does not fit into an image"):
            F.conv2d(x, weight, groups=groups)
        assert F.conv2d(x, weight, groups=groups, padding=[1, 0, 1, 0]).shape == [1, groups, 1, 1]


def _bad(**kwargs):
    return {"x": paddle.ones([1, 4, 6, 6]), "weight": paddle.ones([4, 4, 3, 3]), **kwargs}


@pytest.mark.parametrize(
    ("kwargs", "text"),
    [
        (_bad(padding="zz"), "Unknown padding: 'ZZ'"),
        (_bad(padding=-1), "Invalid padding, all value should be larger than or equal to 0"),
        (_bad(padding=[[1, 0], [2, 1]]), "In valid padding"),
        (_bad(padding=[[1, 0], [0, 0], [0, 0], [0, 0]]), "batch or channel dimensions"),
        (_bad(groups=3), "The channel of input must be divisible by groups"),
        (_bad(weight=paddle.ones([3, 2, 3, 3]), groups=2), "The number of filters must be"),
        (_bad(x=paddle.ones([4, 6, 6])), "Input x should be 4D tensor"),
        (_bad(data_format="CN"), "Attr\\(data_format\\) should be 'NCHW' or 'NHWC'"),
        (
            _bad(weight=paddle.ones([4, 2, 3, 3])),
            "input's channels is 4, the filter's channels is 2",
        ),
        (_bad(weight=paddle.ones([4, 4, 3, 3], "float64")), "must have one dtype"),
        (_bad(stride=[1, 2, 3]), "stride must be one int or 2 of them"),
    ],
)
def test_conv2d_refuses_invalid_arguments(kwargs, text):
    with pytest.raises(InvalidArgumentError, match=text):
        F.conv2d(**kwargs)


def test_transposed_output_size_out_of_reach():
    x, weight = _tensors(values((1, 2, 4, 4)), values((2, 3, 3, 3)))
    with pytest.raises(InvalidArgumentError, match=r"inferred output size \[9, 9\]"):
        F.conv2d_transpose(x, weight, stride=2, output_size=[20, 20])
    with pytest.raises(InvalidArgumentError, match="mutually exclusive with output_size"):
        F.conv2d_transpose(x, weight, output_padding=1, output_size=[6, 6])
