"""image: values as pixels, exactly; grids; input that is no picture."""

import io

import jax
import numpy as np
import pytest

import jaxeager as paddle
from jaxeager.errors import InvalidArgumentError, InvalidTypeError
from jaxeager.notebook import image

Image = pytest.importorskip("PIL.Image")


def pixels(tensor, **options):
    """Return the pixels of a picture, one per element: enlarged ones are squares of one color."""
    shown = np.asarray(image(tensor, **options).image)
    shape = np.shape(tensor)
    height = shape[-2] if options.get("layout") != "HWC" else shape[-3]
    times = shown.shape[0] // height
    parts = shown[::times, ::times]
    assert (np.repeat(np.repeat(parts, times, 0), times, 1) == shown).all()
    return parts


def test_floats_are_scaled_from_minimum_to_maximum():
    x = paddle.to_tensor([[-1.0, 0.0], [1.0, 3.0]])
    assert pixels(x).tolist() == [[0, 64], [128, 255]]
    assert pixels(x, limits=(0, 1)).tolist() == [[0, 0], [255, 255]]


@pytest.mark.parametrize("dtype", ["float16", "bfloat16", "float64", "int64"])
def test_dtypes_of_numbers(dtype):
    x = paddle.to_tensor([[0.0, 1.0], [2.0, 4.0]]).astype(dtype)
    assert pixels(x).tolist() == [[0, 64], [128, 255]]


def test_bool_and_uint8_have_fixed_limits():
    assert pixels(paddle.ones([2, 2], "bool")).tolist() == [[255, 255]] * 2
    assert pixels(paddle.full([2, 2], 7, "uint8")).tolist() == [[7, 7]] * 2


def test_numbers_that_are_not_finite_are_magenta():
    x = paddle.to_tensor([[0.0, float("nan")], [float("inf"), 1.0]])
    assert pixels(x).tolist() == [[[0] * 3, [255, 0, 255]], [[255, 0, 255], [255] * 3]]


@pytest.mark.parametrize("layout", ["CHW", "HWC"])
def test_three_channels_are_colors(layout):
    red = np.zeros([2, 3, 3], "uint8")
    red[..., 0] = 200
    given = red if layout == "HWC" else red.transpose(2, 0, 1)
    assert pixels(paddle.to_tensor(given), layout=layout).tolist() == red.tolist()


def test_a_batch_is_a_grid_with_gaps():
    batch = np.arange(3, dtype="uint8").reshape(3, 1, 1, 1) * np.ones([3, 1, 200, 100], "uint8")
    shown = np.asarray(image(paddle.to_tensor(batch), columns=2).image)
    assert shown.shape == (402, 202)
    assert (shown[:200, :100] == 0).all()
    assert (shown[:200, 102:] == 1).all()
    assert (shown[202:, :100] == 2).all()
    assert (shown[200:202] == 255).all()
    assert (shown[202:, 102:] == 255).all()  # no fourth picture


def test_other_channels_are_pictures_of_their_own():
    assert image(paddle.rand([4, 5, 300, 10])).image.size == (5 * 12 - 2, 4 * 302 - 2)


def test_a_notebook_receives_a_png(tmp_path):
    picture = image(paddle.rand([3, 8, 8]))
    read = Image.open(io.BytesIO(picture._repr_png_()))
    assert (read.format, read.size) == ("PNG", (256, 256))
    picture.save(tmp_path / "weights.png")
    with Image.open(tmp_path / "weights.png") as written:
        assert written.size == (256, 256)
    assert repr(picture) == "Picture(256 x 256)"


def test_a_pending_tensor_and_one_with_a_gradient_are_shown():
    x = paddle.to_tensor([[0.0, 1.0]], stop_gradient=False)
    with paddle.lazy():
        assert pixels(x * 2.0).tolist() == [[0, 255]]
    assert x.grad is None


@pytest.mark.parametrize(
    ("given", "options", "message"),
    [
        ([1.0, 2.0], {}, r"but received \[2\]"),
        (np.zeros([0, 3]), {}, "received no pixels"),
        (np.zeros([2, 2]), {"limits": (1, 0)}, "limits must be two finite numbers"),
        (np.zeros([2, 2]), {"limits": "ab"}, "limits must be two finite numbers"),
        (np.zeros([2, 2]), {"limits": 3}, "limits must be two finite numbers"),
        (np.zeros([2, 2]), {"columns": 0}, "columns must be an integer"),
        (np.zeros([2, 2]), {"layout": "NCHW"}, "layout must be"),
        (np.zeros([4097, 4096], "uint8"), {}, "more than 16777216"),
    ],
)
def test_input_that_is_no_picture(given, options, message):
    with pytest.raises(InvalidArgumentError, match=message):
        image(paddle.to_tensor(given), **options)


def test_numbers_far_apart_are_scaled():
    assert pixels(np.array([[-1e308, 0.0], [0.0, 1e308]])).tolist() == [[0, 128], [128, 255]]
    assert pixels(np.zeros([2, 2]), limits=(-1e308, 1e308)).tolist() == [[128, 128]] * 2


@pytest.mark.parametrize("dtype", ["float8_e4m3fn", "float8_e5m2"])
def test_floats_of_eight_bits(dtype):
    x = paddle.to_tensor([[0.0, 1.0], [2.0, 4.0]]).astype(dtype)
    assert pixels(x.astype("float32")).tolist() == np.asarray(image(x).image)[::128, ::128].tolist()


def test_numbers_without_an_order_are_refused():
    with pytest.raises(InvalidTypeError, match="but received complex64"):
        image(paddle.to_tensor([[1j]]))
    for given in ("x", None, [[1.0], [2.0, 3.0]]):
        with pytest.raises(InvalidTypeError, match="a Tensor or an array with values"):
            image(given)
    with pytest.raises(InvalidArgumentError, match="limits must be two finite numbers"):
        image(paddle.zeros([2, 2]), limits=(0, 10**400))


def test_a_traced_tensor_has_no_values():
    with pytest.raises(InvalidTypeError, match="an array with values"):
        jax.jit(paddle.autograd.to_jax(lambda x: image(x)))(np.zeros([2, 2], "float32"))
