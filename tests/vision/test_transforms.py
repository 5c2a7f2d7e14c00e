"""Transforms: notes on errors, ranges, a missing Pillow. (Values: parity tests.)"""

import pickle
import random
import sys

import numpy as np
import pytest
from PIL import Image

import jaxeager as paddle
from jaxeager.errors import InvalidArgumentError, InvalidTypeError, UnavailableError

T = paddle.vision.transforms


def pixels(shape=(9, 12, 3)):
    return np.random.default_rng(0).integers(0, 256, shape).astype("uint8")


def test_compose_says_which_transform_failed():
    composed = T.Compose([T.CenterCrop(4), T.Grayscale(2)])
    with pytest.raises(InvalidArgumentError, match="either 1 or 3, but got 2") as caught:
        composed(pixels())
    assert "Raised by the transform <" in caught.value.__notes__[0]
    assert "Grayscale" in caught.value.__notes__[0]
    assert repr(composed).startswith("Compose(\n    <")


def test_values_that_are_no_images_are_refused():
    for wrong in ([1], np.zeros(3), np.zeros([1, 2, 3, 4]), None):
        with pytest.raises(InvalidTypeError, match="img should be PIL Image or Tensor Image or nd"):
            T.hflip(wrong)
    with pytest.raises(InvalidTypeError, match="pic should be PIL Image"):
        T.to_tensor("image.png")
    with pytest.raises(InvalidArgumentError, match=r"should be \[C, H, W\] or .* shape \[4, 4\]"):
        T.hflip(paddle.zeros([4, 4]))


def test_a_crop_larger_than_the_image_is_refused():
    with pytest.raises(
        InvalidArgumentError, match=r"RandomCrop of \(10, 4\) .* image of \(9, 12\)"
    ):
        T.RandomCrop((10, 4))(pixels())


def test_a_hue_of_more_than_half_the_circle_is_refused_at_once():
    with pytest.raises(InvalidArgumentError, match=r"hue values should be between \(-0.5, 0.5\)"):
        T.HueTransform(0.6)
    with pytest.raises(InvalidArgumentError, match="contrast is a single number, it must be non"):
        T.ColorJitter(contrast=-1)


def test_a_tensor_is_filled_with_one_number_and_read_linearly_at_most():
    image = paddle.ones([3, 4, 5])
    with pytest.raises(InvalidTypeError, match=r"one number for a Tensor, but got \(1, 2, 3\)"):
        T.pad(image, 1, (1, 2, 3))
    with pytest.raises(InvalidArgumentError, match="give an array"):
        T.pad(image, 1, 0, "symmetric")
    with pytest.raises(InvalidArgumentError, match=r"one of \['nearest', 'bilinear'\]"):
        T.rotate(image, 5, "bicubic")
    with pytest.raises(InvalidArgumentError, match="fill should be a number or 3 of them"):
        T.rotate(image, 5, fill=(1, 2))
    with pytest.raises(InvalidArgumentError, match="1 or 3, but are 4"):
        T.adjust_hue(paddle.ones([4, 2, 2]), 0.1)


def test_a_batch_is_transformed_as_its_images():
    batch = paddle.to_tensor(pixels((2, 3, 6, 7)).astype("float32") / 255)
    for call in (
        lambda x: T.resize(x, 4), lambda x: T.pad(x, (1, 2), 0, "edge"),
        lambda x: T.crop(x, 1, 2, 3, 3),
        lambda x: T.rotate(x, 20, "bilinear", True, fill=(0.1, 0.2, 0.3)), T.to_grayscale,
        lambda x: T.affine(x, 5, [1, 0], 1.2, 3), lambda x: T.adjust_hue(x, 0.1),
        lambda x: T.adjust_contrast(x, 1.5),
    ):  # fmt: skip
        whole, parts = call(batch), [call(batch[i]).numpy() for i in range(2)]
        np.testing.assert_allclose(whole.numpy(), np.stack(parts), rtol=1e-5, atol=1e-6)


def test_random_colors_of_a_tensor_follow_the_seed():
    erase = T.RandomErasing(1.0, value="random")
    found = []
    for _ in range(2):
        paddle.seed(3)
        np.random.seed(4)
        found.append(erase(paddle.zeros([3, 20, 20])).numpy())
    np.testing.assert_array_equal(*found)
    assert len(np.unique(found[0])) > 10


def test_other_inputs_come_through():
    random.seed(0)
    flipped, label = T.RandomHorizontalFlip(1.0)((pixels(), 7))
    assert label == 7
    np.testing.assert_array_equal(flipped, pixels()[:, ::-1])


def test_every_transform_can_be_pickled():
    made = [
        T.Resize(3), T.RandomResizedCrop(3), T.CenterCrop(3), T.RandomHorizontalFlip(),
        T.RandomVerticalFlip(), T.Normalize(), T.BrightnessTransform(0.2), T.ColorJitter(0.1, 0.2),
        T.ContrastTransform(0.2), T.SaturationTransform(0.2), T.HueTransform(0.2), T.RandomCrop(3),
        T.Pad(1), T.RandomAffine(3), T.RandomRotation(3), T.RandomPerspective(), T.Grayscale(),
        T.ToTensor(), T.RandomErasing(), T.Transpose(),
    ]  # fmt: skip
    for transform in [*made, T.Compose(made)]:
        copy = pickle.loads(pickle.dumps(transform))
        assert type(copy) is type(transform)
        if transform in made:
            assert vars(copy) == vars(transform)


def test_without_pillow_arrays_are_transformed_and_files_say_what_to_install(monkeypatch, tmp_path):
    monkeypatch.setitem(sys.modules, "PIL", None)
    monkeypatch.setitem(sys.modules, "PIL.Image", None)
    assert T.hflip(pixels()).shape == (9, 12, 3)
    with pytest.raises(UnavailableError, match=r"images need Pillow: pip install 'pillow>=10'"):
        paddle.vision.image_load("image.png")


def test_images_as_opencv_reads_them(tmp_path):
    """The colors are blue, green, red; the image is rotated according to the Exif data."""
    path = tmp_path / "image.png"
    exif = Image.Exif()
    exif[274] = 6  # a quarter to the right
    Image.fromarray(pixels()).save(path, exif=exif)
    read = paddle.vision.image_load(path, "cv2")
    np.testing.assert_array_equal(read, np.rot90(pixels(), -1)[..., ::-1])
    tensor = paddle.vision.image_load(path, "tensor")
    np.testing.assert_array_equal(tensor.numpy(), pixels().transpose(2, 0, 1))


def test_names_that_are_not_there():
    for module in (paddle.vision, T):
        with pytest.raises(AttributeError, match="has no attribute 'sound'"):
            _ = module.sound
        assert {"__doc__", *module.__all__} <= {*dir(module)}
