"""Members of a family of layers: shared code, and separate docstrings."""

import inspect
import pickle

import pytest

import jaxeager as paddle
from jaxeager.nn.layer.family import Space

MEMBERS = sorted(
    {
        layer
        for layer in vars(paddle.nn).values()
        if inspect.isclass(layer) and isinstance(getattr(layer, "_space", None), Space)
    },
    key=lambda layer: layer.__name__,
)


def test_there_are_members():
    assert len(MEMBERS) > 40
    assert {paddle.nn.Conv1D, paddle.nn.ZeroPad2D, paddle.nn.BatchNorm3D} <= set(MEMBERS)


@pytest.mark.parametrize("layer", MEMBERS)
def test_a_member_has_its_own_layout_name_and_example(layer):
    parameters = inspect.signature(layer).parameters
    if "data_format" in parameters:
        assert parameters["data_format"].default == layer._space.layouts[0]
        assert f'data_format: "{layer._space.layouts[0]}"' in layer.__doc__
    assert f">>> paddle.nn.{layer.__name__}(" in layer.__doc__.replace("norm = ", "")
    assert "{" not in layer.__doc__


def test_a_wrong_argument_is_refused_under_the_name_of_the_class():
    with pytest.raises(TypeError, match=r"^Conv3D.__init__\(\) missing 3 required"):
        paddle.nn.Conv3D()
    with pytest.raises(
        TypeError, match=r"^ReflectionPad1D.__init__\(\) got an unexpected .*'mode'"
    ):
        paddle.nn.ReflectionPad1D(1, mode="constant")


def test_a_pad_in_one_mode_is_a_pad():
    pad = paddle.nn.ReflectionPad2D(1, "NHWC", "mirror")
    assert isinstance(pad, paddle.nn.Pad2D)
    assert repr(pad) == (
        "ReflectionPad2D(padding=[1, 1, 1, 1], mode=reflect, value=0.0, data_format=NHWC, "
        "name=mirror)"
    )


def test_a_user_s_class_of_a_member_keeps_its_layout():
    class Wide(paddle.nn.Conv1D):
        def __init__(self, channels):
            super().__init__(channels, 2 * channels, 3)

    assert repr(Wide(2)) == "Wide(2, 4, kernel_size=[3], data_format=NCL)"


def test_a_member_can_be_pickled():
    norm = paddle.nn.BatchNorm2D(3, data_format="NHWC")
    assert repr(pickle.loads(pickle.dumps(norm))) == repr(norm)
