"""Transforms of NumPy images, against those of Pillow and of Tensors. (Pillow's: parity tests.)"""

import numpy as np
import pytest
from PIL import Image

import jaxeager as paddle
from jaxeager.errors import InvalidArgumentError
from jaxeager.vision.transforms import sampling

T = paddle.vision.transforms
F = T.functional


def image(shape=(17, 23, 3), seed=0):
    """Return bytes that change slowly, with noise on top."""
    y, x = np.mgrid[: shape[0], : shape[1]]
    waves = 128 + 60 * np.sin(x / 5) + 50 * np.cos(y / 4)
    noise = np.random.default_rng(seed).normal(size=shape) * 9
    return np.clip(waves.reshape(*shape[:2], *[1] * (len(shape) - 2)) + noise, 0, 255).astype(
        "uint8"
    )


def distance(ours, theirs):
    """Return the greatest difference of two images of bytes."""
    ours, theirs = np.asarray(ours), np.asarray(theirs)
    assert ours.dtype == np.uint8
    assert ours.shape == theirs.shape
    return np.abs(ours.astype(int) - theirs).max()


CORNERS = [[0, 0], [22, 0], [22, 16], [0, 16]]
MOVED = [[2, 1], [20, 0], [22, 13], [1, 15]]
SAME = {
    "hflip": T.hflip,
    "vflip": T.vflip,
    "crop": lambda x: T.crop(x, 2, 3, 8, 9),
    "center_crop": lambda x: T.center_crop(x, (8, 5)),
    "pad": lambda x: T.pad(x, (1, 2, 3, 4), (9, 8, 7)),
    "edge": lambda x: T.pad(x, 3, 0, "edge"),
    "reflect": lambda x: T.pad(x, (1, 4), 0, "reflect"),
    "symmetric": lambda x: T.pad(x, 4, 0, "symmetric"),
    "darker": lambda x: T.adjust_brightness(x, 0.4),
    "brighter": lambda x: T.adjust_brightness(x, 1.7),
    "hue": lambda x: T.adjust_hue(x, 0.2),
    "hue back": lambda x: T.adjust_hue(x, -0.45),
    "gray": lambda x: T.to_grayscale(x, 3),
    "quarter": lambda x: T.rotate(x, 90, expand=True),
    "half": lambda x: T.rotate(x, 180),
    "turn": lambda x: T.rotate(x, 33, fill=(9, 8, 7)),
    "larger": lambda x: T.rotate(x, -50, expand=True, fill=5),
    "center": lambda x: T.rotate(x, 20, center=(3, 4)),
    "affine": lambda x: T.affine(x, 12, [2, -1], 1.2, [5, 3]),
    "perspective": lambda x: T.perspective(x, CORNERS, MOVED, fill=40),
}


@pytest.mark.parametrize("name", SAME)
def test_as_pillow(name):
    """Pillow's fixed point takes another pixel where a place is on an edge, one in a hundred."""
    ours, theirs = SAME[name](image()), SAME[name](Image.fromarray(image()))
    theirs = np.asarray(theirs)
    assert ours.shape == theirs.shape
    assert ours.dtype == np.uint8
    limit = 0.01 if name in ("turn", "larger", "center", "affine", "perspective") else 0.0
    assert (ours != theirs).any(-1).mean() <= limit


@pytest.mark.parametrize("interpolation", ["bilinear", "bicubic"])
@pytest.mark.parametrize(
    "call",
    [
        lambda x, kind: T.rotate(x, 33, kind, fill=(9, 8, 7)),
        lambda x, kind: T.rotate(x, -50, kind, True, (1, 2)),
        lambda x, kind: T.affine(x, 12, [2, -1], 1.2, [5, 3], kind, 30),
        lambda x, kind: T.perspective(x, CORNERS, MOVED, kind, 40),
    ],
)
def test_between_pixels_within_rounding_of_pillow(call, interpolation):
    ours = call(image(), interpolation)
    assert distance(ours, call(Image.fromarray(image()), interpolation)) <= 1


def test_saturation_within_rounding_of_pillow():
    for factor in (0, 0.4, 1.7):
        ours = F.adjust_saturation(image(), factor)
        assert distance(ours, F.adjust_saturation(Image.fromarray(image()), factor)) <= 1


def test_contrast_turns_about_74():
    pixels = np.array([[0, 64, 74, 84, 255]], "uint8")
    assert T.adjust_contrast(pixels, 2).tolist() == [[0, 54, 74, 94, 255]]
    assert T.adjust_contrast(pixels, 0).tolist() == [[74] * 5]


@pytest.mark.parametrize("interpolation", ["nearest", "bilinear", "bicubic"])
@pytest.mark.parametrize("size", [8, 40, (9, 31), (31, 9), (5, 6)])
def test_resize_as_of_tensors(interpolation, size):
    ours = T.resize(image(), size, interpolation)
    tensor = paddle.to_tensor(image().astype("float32").transpose(2, 0, 1))
    theirs = T.resize(tensor, size, interpolation).numpy().transpose(1, 2, 0)
    assert ours.shape == theirs.shape
    assert np.abs(ours - np.clip(theirs, 0, 255)).max() <= 0.51


def test_area_is_the_mean_of_what_a_pixel_covers():
    pixels = image((12, 9))
    blocks = pixels.reshape(4, 3, 3, 3).mean((1, 3))
    assert np.abs(T.resize(pixels, (4, 3), "area") - blocks).max() <= 0.5
    halves = T.resize(np.array([[10.0, 20.0, 40.0]]), (1, 2), "area")
    np.testing.assert_allclose(halves, [[(10 + 20 / 2) / 1.5, (20 / 2 + 40) / 1.5]])
    larger = T.resize(np.array([[10.0, 20.0]]), (1, 3), "area")
    np.testing.assert_allclose(larger, [[10, 15, 20]])


@pytest.mark.parametrize("kind", ["bilinear", "bicubic", "lanczos", "area", "nearest"])
def test_a_constant_stays_in_every_dtype(kind):
    for dtype in ("uint8", "int16", "uint16", "int32", "float32", "float64"):
        out = T.resize(np.full((5, 7, 2), 200).astype(dtype), (8, 3), kind)
        assert out.dtype == dtype
        assert out.shape == (8, 3, 2)
        np.testing.assert_allclose(out, 200, rtol=1e-6)


def test_integers_end_at_their_bounds():
    step = np.array([[0, 0, 255, 255]], "uint8")
    wide = T.resize(step, (1, 16), "bicubic")
    assert wide.min() == 0
    assert wide.max() == 255


def test_images_without_and_with_one_channel_are_alike():
    for call in (
        T.hflip, T.vflip, lambda x: T.resize(x, 5), lambda x: T.pad(x, 2, 7),
        lambda x: T.rotate(x, 20, "bilinear", fill=3), lambda x: T.affine(x, 5, [1, 1], 1.1, 0),
        lambda x: T.adjust_brightness(x, 1.5), lambda x: T.adjust_contrast(x, 1.5),
        lambda x: T.adjust_hue(x, 0.3), lambda x: F.adjust_saturation(x, 0.3),
        lambda x: T.perspective(x, CORNERS, MOVED),
        lambda x: T.erase(x, 1, 1, 2, 2, 5),
    ):  # fmt: skip
        flat = call(image((17, 23)))
        assert flat.ndim == 2
        np.testing.assert_array_equal(call(image((17, 23))[..., None])[..., 0], flat)


def test_floats_keep_their_dtype():
    pixels = image().astype("float32") / 255
    assert T.resize(pixels, 5).dtype == np.float32
    assert T.rotate(pixels, 20, "bilinear").dtype == np.float32
    np.testing.assert_allclose(
        T.to_grayscale(pixels)[..., 0], pixels @ [0.299, 0.587, 0.114], rtol=1e-5
    )


def test_transforms_leave_their_input_as_it_is():
    pixels = image()
    for call in SAME.values():
        call(pixels)
    np.testing.assert_array_equal(pixels, image())
    assert T.resize(pixels, 17) is pixels
    assert np.shares_memory(T.crop(pixels, 1, 1, 2, 2), pixels)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda x: T.resize(x, 5, "box"), "interpolation should be one of .* but got 'box'"),
        (lambda x: T.resize(x, (0, 5)), r"cannot be resized to \(0, 5\)"),
        (lambda x: T.resize(x[:0], 5), "an image of 23 x 0 pixels cannot be resized"),
        (lambda x: T.rotate(x, 5, "area"), "interpolation should be one of .* but got 'area'"),
        (lambda x: T.rotate(x, 5, fill=(1, 2)), "fill should be a number or 3 of them"),
        (lambda x: T.pad(x, 1, (1, 2)), "fill should be a number or 3 of them"),
        (lambda x: T.to_grayscale(x[..., :2]), "1 or 3 channels can be made gray, but this has 2"),
        (lambda x: T.adjust_hue(x, 0.7), r"hue_factor:0.7 is not in \[-0.5, 0.5\]"),
        (lambda x: T.adjust_brightness(x, -1), "brightness_factor should be non-negative"),
        (lambda x: T.adjust_contrast(x, -1), "contrast_factor should be non-negative"),
        (lambda x: F.adjust_saturation(x, -1), "saturation_factor should be non-negative"),
    ],
)
def test_invalid_arguments_are_refused(call, message):
    with pytest.raises(InvalidArgumentError, match=message):
        call(image())


def test_perspective_reads_nothing_behind_the_horizon():
    """A map whose divisor is 0 at a pixel returns the fill there, without a warning."""
    out = sampling.warp(np.ones((2, 2), "uint8"), [1, 0, 0, 0, 1, 0, -2, 0], (2, 2), "nearest", 9)
    assert set(np.unique(out)) <= {1, 9}


def test_the_hue_of_four_channels_is_refused():
    with pytest.raises(InvalidArgumentError, match="has a hue, but this has 4"):
        T.adjust_hue(np.zeros((2, 2, 4), np.uint8), 0.1)
