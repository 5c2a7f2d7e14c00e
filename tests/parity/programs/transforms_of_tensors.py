"""Transforms of Tensors: values, gradients, draws, errors."""

import random

from ..probe import array, attempt, error_of, facts, grads, leaf, pull
from ..registry import differs, program


def _image(paddle, np, shape=(3, 5, 6), seed=0):
    """Returns a leaf image of floats from 0 to 1."""
    return leaf(paddle, np.random.default_rng(seed).random(shape).astype("float32"))


def _bytes(paddle, np, shape=(3, 5, 6)):
    return paddle.to_tensor(np.random.default_rng(0).integers(0, 256, shape).astype("uint8"))


def _each(paddle, np, calls, shape=(3, 5, 6)):
    """Returns value, facts and gradient of each call of an image."""
    found = []
    for call in calls:
        image = _image(paddle, np, shape)
        out = call(image)
        pull(paddle, np, out)
        found.append([array(out), list(out.shape), out.stop_gradient, *grads(image)])
    return found


@program
def tensor_flips_and_crops(paddle, np):
    """What moves pixels and computes nothing."""
    T = paddle.vision.transforms
    out = _each(paddle, np, [
        T.hflip, T.vflip, lambda x: T.crop(x, 1, 2, 3, 2), lambda x: T.center_crop(x, 3),
        lambda x: T.center_crop(x, (4, 2)), T.to_tensor, lambda x: T.to_tensor(x, "HWC"),
        T.Transpose((1, 2, 0)), T.CenterCrop(2),
    ])  # fmt: skip
    out += _each(paddle, np, [T.hflip, T.vflip], (2, 3, 4, 5))
    image = _image(paddle, np)
    return [out, facts(T.hflip(image)), facts(T.vflip(image)), facts(T.crop(image, 1, 2, 3, 2))]


@program
def tensor_pad(paddle, np):
    """Borders of every mode."""
    T = paddle.vision.transforms
    out = _each(paddle, np, [
        lambda x: T.pad(x, 1), lambda x: T.pad(x, (1, 2), 0.5),
        lambda x: T.pad(x, [1, 2, 3, 0], 2, "constant"),
            lambda x: T.pad(x, [1, 2, 3, 1], 0, "edge"),
        lambda x: T.pad(x, (2, 1), 0, "reflect"), T.Pad((1, 0), 0.25), T.Pad([2, 1], 0, "edge"),
    ])  # fmt: skip
    wrong = [((1, 2, 3), 0), (1, (1, 2, 3)), (1, 0, "symmetric"), (1, None), ("1",)]
    return [out, [error_of(lambda a=args: T.pad(_image(paddle, np), *a)) for args in wrong]]


@program
def tensor_resize(paddle, np):
    """Sizes of one number and two, every mode."""
    T = paddle.vision.transforms
    out = _each(paddle, np, [
        lambda x: T.resize(x, 4), lambda x: T.resize(x, 5), lambda x: T.resize(x, (7, 3)),
        lambda x: T.resize(x, [7, 3], "nearest"), lambda x: T.resize(x, (3, 9), "bicubic"),
        lambda x: T.resize(x, (2, 3), "area"), T.Resize(8), T.Resize((5, 6), "BILINEAR"),
    ])  # fmt: skip
    tall = _each(paddle, np, [lambda x: T.resize(x, 4), lambda x: T.resize(x, 11)], (1, 9, 6))
    wrong = [(4, "lanczos"), ((1, 2, 3),), ("4",), (4.0,)]
    return [out, tall, [error_of(lambda a=a: T.resize(_image(paddle, np), *a)) for a in wrong]]


@program
def tensor_rotate(paddle, np):
    """Angles, centers, fills, larger results."""
    T = paddle.vision.transforms
    return _each(paddle, np, [
        lambda x: T.rotate(x, 0), lambda x: T.rotate(x, 30), lambda x: T.rotate(x, -75, "bilinear"),
        lambda x: T.rotate(x, 90, expand=True), lambda x: T.rotate(x, 30, expand=True, fill=0.5),
        lambda x: T.rotate(x, 200, "bilinear", fill=[0.1, 0.2, 0.3]),
        lambda x: T.rotate(x, 50, center=[1, 2]),
        lambda x: T.rotate(x, 50, "bilinear", True, (4.5, 0), 0.25),
    ])  # fmt: skip


@program
def tensor_affine(paddle, np):
    """Each part of an affine map, and all together."""
    T = paddle.vision.transforms
    square = (3, 6, 6)
    calls = [
        lambda x: T.affine(x, 0, [2, -1], 1.0, 0), lambda x: T.affine(x, 40, [0, 0], 1.0, [0, 0]),
        lambda x: T.affine(x, 0, (0, 0), 1.5, (0, 0), "bilinear"),
        lambda x: T.affine(x, 0, (0, 0), 1.0, (20, 0), "bilinear", (0.1, 0.2, 0.3)),
        lambda x: T.affine(x, 0, (0, 0), 1.0, [0, -20.0], "bilinear", 1),
        lambda x: T.affine(x, -25, [1, 1], 0.8, [10], "bilinear", [0.5, 0.5, 0.5]),
    ]  # fmt: skip
    out = _each(paddle, np, calls) + _each(paddle, np, calls[3:5], (2, 3, 4, 5))
    out += _each(paddle, np, [
        lambda x: T.affine(x, 30, [1, 0], 1.2, [5, 0], "bilinear", center=[1, 4]),
    ], square)  # fmt: skip
    wrong = [
        ("1", [0, 0], 1.0, 0), (1, 0, 1.0, 0), (1, [0], 1.0, 0), (1, [0, 0], 0, 0),
        (1, [0, 0], 1.0, "x"), (1, [0, 0], 1.0, [1, 2, 3]), (1, [0, 0], 1.0, 0, 3),
    ]  # fmt: skip
    return [out, [error_of(lambda a=args: T.affine(_image(paddle, np), *a)) for args in wrong]]


@program
def tensor_perspective(paddle, np):
    """Four points to four others, by which no pixel comes to lie between two."""
    T = paddle.vision.transforms
    corners = [[0, 0], [5, 0], [5, 4], [0, 4]]
    moved = [[1.13, 0.87], [4.21, 0.34], [4.89, 3.1], [0.2, 3.77]]
    calls = [
        lambda x: T.perspective(x, corners, moved),
        lambda x: T.perspective(x, corners, moved, "bilinear", [0.1, 0.2, 0.3]),
        lambda x: T.perspective(x, moved, corners, "bilinear", 0.5),
    ]
    return _each(paddle, np, calls) + _each(paddle, np, calls[:2], (2, 3, 5, 6))


@program
def tensor_colors(paddle, np):
    """Brightness, contrast, saturation, gray, of colors, gray images and batches."""
    T = paddle.vision.transforms
    F = T.functional
    calls = [
        lambda x: T.adjust_brightness(x, 1.4), lambda x: T.adjust_brightness(x, 0),
        lambda x: T.adjust_contrast(x, 1.6), lambda x: T.adjust_contrast(x, 0.3),
        lambda x: F.adjust_saturation(x, 1.5), lambda x: F.adjust_saturation(x, 0.25),
    ]  # fmt: skip
    out = _each(paddle, np, [*calls, T.to_grayscale, T.Grayscale(3)])
    out += _each(paddle, np, calls, (1, 4, 3)) + _each(paddle, np, [*calls[::2]], (2, 3, 4, 5))
    image = _image(paddle, np)
    wrong = [
        lambda: T.to_grayscale(image, 2),
        lambda: T.adjust_contrast(_image(paddle, np, (4, 2, 2)), 1.0),
        lambda: F.adjust_saturation(_image(paddle, np, (4, 2, 2)), 1.0),
        lambda: F.adjust_brightness(_image(paddle, np, (4, 2, 2)), 1.0),
        lambda: F.adjust_hue(_image(paddle, np, (4, 2, 2)), 0.1),
    ]
    return [out, [error_of(call) for call in wrong]]


@program
def tensor_hue(paddle, np):
    """Turned hues and their gradients, of gray pixels and ties among them."""
    T = paddle.vision.transforms
    calls = [lambda x, by=by: T.adjust_hue(x, by) for by in (0.0, 0.2, -0.3, 0.5, -0.5)]
    out = _each(paddle, np, calls) + _each(paddle, np, calls[1:2], (2, 3, 2, 2))
    out += _each(paddle, np, calls[1:2], (1, 2, 2))
    corners = [[r, g, b] for r in (0.0, 0.5, 1.0) for g in (0.0, 0.5, 1.0) for b in (0.0, 0.5, 1.0)]
    image = leaf(paddle, np.array(corners, "float32").T.reshape(3, 3, 9))
    out.append(array(T.adjust_hue(image, 0.1)))
    return out


@program
def tensor_normalize_and_erase(paddle, np):
    """Means and deviations in both layouts; rectangles."""
    T = paddle.vision.transforms
    mean, std = [0.5, 0.4, 0.3], [0.2, 0.3, 0.4]
    out = _each(paddle, np, [
        lambda x: T.normalize(x, mean, std), lambda x: T.normalize(x, mean, std, "HWC"),
        T.Normalize(0.5, 0.25, "HWC"), T.Normalize(mean, std, data_format="HWC", to_rgb=True),
    ], (3, 4, 3))  # fmt: skip
    color = paddle.to_tensor([[[0.5]], [[1.5]], [[2.5]]])
    out += _each(paddle, np, [
        lambda x: T.erase(x, 1, 2, 2, 3, color), lambda x: T.erase(x, 0, 0, 9, 1, color),
    ])  # fmt: skip
    image = paddle.zeros([3, 3, 4])
    same = T.erase(image, 1, 1, 1, 2, color, inplace=True)
    return [out, same is image, array(image), error_of(lambda: T.normalize(
        _bytes(paddle, np), mean, std))]  # fmt: skip


@program
def tensor_random_transforms(paddle, np):
    """The same seeds give the same draws."""
    T = paddle.vision.transforms
    made = [
        T.RandomCrop(3), T.RandomCrop((4, 2), padding=2), T.RandomCrop(8, pad_if_needed=True),
        T.RandomResizedCrop(4), T.RandomResizedCrop((3, 5), (0.5, 1.0), (0.5, 2.0), "nearest"),
        T.RandomHorizontalFlip(), T.RandomVerticalFlip(0.7), T.RandomRotation(40, "bilinear"),
        T.RandomAffine(20, (0.2, 0.3), (0.8, 1.2), (-5, 5, -3, 3), "bilinear"),
        T.RandomAffine([5, 9], shear=4), T.RandomPerspective(0.8, 0.6, "bilinear", 0.5),
        T.RandomErasing(0.8, value=0.5), T.RandomErasing(1.0, (0.1, 0.4), value=[0.1, 0.2, 0.3]),
        T.BrightnessTransform(0.4), T.ContrastTransform(0.4), T.SaturationTransform(0.4),
        T.HueTransform(0.2), T.ColorJitter(0.4, 0.3, 0.2, 0.1),
    ]  # fmt: skip
    out = []
    for number, transform in enumerate(made):
        random.seed(number)
        np.random.seed(number)
        image = _image(paddle, np, (3, 6, 7))
        out.append([array(transform(image)) for _ in range(3)])
        out.append([random.random(), np.random.rand()])
    return out


@program
def tensor_of_another_rank(paddle, np):
    """Flat Tensors are refused."""
    T = paddle.vision.transforms
    flat = paddle.zeros([4, 4])
    try:
        T.hflip(flat)
    except (RuntimeError, ValueError):
        return "refused"
    return attempt(lambda: T.hflip(flat))


@differs(
    "Paddle cuts channels and rows of a batch, in the place of rows and columns",
    right=[[2, 3, 3, 2], [2, 3, 2, 2]],
    paddle_gives=[[2, 2, 2, 6], [2, 1, 2, 6]],
)
def tensor_crop_of_a_batch(paddle, np):
    """Crops of a batch."""
    T = paddle.vision.transforms
    batch = _image(paddle, np, (2, 3, 5, 6))
    return [list(T.crop(batch, 1, 2, 3, 2).shape), list(T.center_crop(batch, 2).shape)]


@differs(
    "Paddle exchanges width and height of an image when it looks for the middle",
    right=[[1.0, 2.0, 3.0, 4.0], [5.0, 6.0, 7.0, 8.0]],
    paddle_gives=[[0.0, 0.0, 0.0, 0.0], [0.0, 0.0, 0.0, 0.0]],
)
def tensor_affine_about_a_center(paddle, np):
    """Half a turn about the middle of a wide image, turned back by mirrors."""
    T = paddle.vision.transforms
    image = paddle.arange(1, 9, dtype="float32").reshape([1, 2, 4]).expand([3, 2, 4])
    turned = T.affine(image, 180, [0, 0], 1.0, 0, center=[2, 1])
    return array(T.hflip(T.vflip(turned)))[0].tolist()


@differs(
    "Paddle fills three channels where there is one",
    right=[[0.0, 1.0]],
    paddle_gives="ValueError",
)
def tensor_affine_of_a_gray_image(paddle, np):
    """One channel, moved."""
    T = paddle.vision.transforms
    image = paddle.to_tensor([[[1.0, 2.0]]])
    found = error_of(lambda: T.affine(image, 0, [1, 0], 1.0, 0))
    return found if found != "no error" else T.affine(image, 0, [1, 0], 1.0, 0)[0].tolist()


@differs(
    "Paddle weighs one channel by weights that add up to 0.9999",
    right=[1.0, 2.0],
    paddle_gives=[0.9999, 1.9998],
)
def tensor_gray_of_gray(paddle, np):
    """A gray image made gray."""
    gray = paddle.vision.transforms.to_grayscale(paddle.to_tensor([[[1.0, 2.0]]]))
    return [round(each, 4) for each in gray.flatten().tolist()]


@differs(
    "Paddle cuts off what is behind the point in the place of rounding",
    right=[[0, 0.0], [100, 100, 101, 101]],
    paddle_gives=[[-1, 0.0], [100, 100, 100, 101]],
)
def tensor_bytes_are_rounded(paddle, np):
    """A hue that is not turned; a gray value between two."""
    T = paddle.vision.transforms
    image = _bytes(paddle, np)
    change = array(T.adjust_hue(image, 0.0)).astype(int) - array(image)
    wider = T.resize(paddle.to_tensor(np.array([[[100, 101]]], "uint8")), (1, 4))
    return [[int(change.min()), float(change.max())], wider.flatten().tolist()]


@differs(
    "Paddle has no kernels for bytes there",
    right=[[[255, 20]], [[105, 105]], [[10, 200]], [[60]], [[0, 200, 10, 0]], [[0, 200]]],
    paddle_gives=["RuntimeError", "ValueError", *["RuntimeError"] * 4],
)
def tensor_transforms_of_bytes(paddle, np):
    """Colors, mirrors and borders of images of bytes."""
    T = paddle.vision.transforms
    image = paddle.to_tensor(np.array([[[200, 10]]], "uint8"))
    red = paddle.to_tensor(np.array([[[200]], [[0]], [[0]]], "uint8"))
    calls = [
        lambda: T.adjust_brightness(image, 2), lambda: T.adjust_contrast(image, 0),
        lambda: T.hflip(image), lambda: T.to_grayscale(red), lambda: T.pad(image, (1, 0)),
        lambda: T.affine(image, 0, [1, 0], 1.0, 0),
    ]  # fmt: skip
    out = []
    for call in calls:
        found = error_of(call)
        out.append(found if found != "no error" else call()[0].tolist())
    return out
