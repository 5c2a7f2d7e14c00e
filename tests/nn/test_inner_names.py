"""Inner names of nn that programs import: the behaviour of real Paddle's."""

import pytest

import jaxeager as paddle
from jaxeager.errors import InvalidArgumentError
from jaxeager.nn.layer.conv import _ConvNd
from jaxeager.nn.layer.transformer import _convert_attention_mask, _convert_param_attr_to_list


class Valid(_ConvNd):
    """A custom layer on Paddle's base class, with Paddle's arguments."""

    def __init__(self):
        super().__init__(2, 3, 3, False, 2, stride=1, padding=0, data_format="NCHW")

    def forward(self, x):
        return paddle.nn.functional.conv2d(x, self.weight, self.bias)


def test_layers_are_made_of_the_base_class():
    layer = Valid()
    assert layer(paddle.ones([1, 2, 5, 5])).shape == [1, 3, 3, 3]
    assert layer.weight.shape == [3, 2, 3, 3]
    assert repr(layer) == "Valid(2, 3, kernel_size=[3, 3], data_format=NCHW)"
    for kind in (paddle.nn.Conv1D, paddle.nn.Conv3D, paddle.nn.Conv2DTranspose):
        assert issubclass(kind, _ConvNd)


def test_a_named_attribute_is_numbered():
    named = paddle.ParamAttr(name="w", learning_rate=0.5)
    first, second = _convert_param_attr_to_list(named, 2)
    assert (first.name, second.name, second.learning_rate) == ("w_0", "w_1", 0.5)
    assert [each.name for each in _convert_param_attr_to_list("v", 2)] == ["v_0", "v_1"]
    assert named.name == "w"
    assert _convert_param_attr_to_list([named, None], 2) == [named, None]
    assert _convert_param_attr_to_list(False, 2) == [False, False]
    with pytest.raises(InvalidArgumentError, match="'w_0' has been used before"):  # Paddle too
        paddle.nn.TransformerEncoderLayer(4, 2, 8, weight_attr=named)


def test_masks_become_summands():
    mask = _convert_attention_mask(paddle.to_tensor([True, False]), "float32")
    assert mask.tolist() == [0.0, -1e9]
    assert _convert_attention_mask(None, "float32") is None
