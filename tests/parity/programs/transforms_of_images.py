"""Transforms of images of Pillow, and of arrays where Paddle does without OpenCV."""

import random

from ..probe import array, error_of, stable_text
from ..registry import differs, program


def _pixels(np, shape=(9, 12, 3), seed=0):
    """Returns bytes that change slowly, with noise on top."""
    rng = np.random.default_rng(seed)
    waves = sum(np.sin(np.arange(n) / 3).reshape([-1 if i == k else 1 for i in range(len(shape))])
                for k, n in enumerate(shape))  # fmt: skip
    return np.clip(128 + 35 * waves + rng.normal(size=shape) * 20, 0, 255).astype("uint8")


def _image(np, mode="RGB", shape=(9, 12)):
    from PIL import Image

    colors = Image.fromarray(_pixels(np, (*shape, 3)))
    return colors.quantize(8) if mode == "P" else colors.convert(mode)


def _found(np, image):
    """Returns kind, mode, size and pixels of an image."""
    palette = image.getpalette()[:24] if image.mode == "P" else None
    return [type(image).__name__, image.mode, list(image.size), np.asarray(image), palette]


def _each(np, calls, modes=("RGB",)):
    return [_found(np, call(_image(np, mode))) for mode in modes for call in calls]


@program
def image_resize(paddle, np):
    """Every interpolation, larger and smaller, of one number and two."""
    T = paddle.vision.transforms
    kinds = ("nearest", "bilinear", "bicubic", "box", "lanczos", "hamming")
    calls = [
        lambda x, k=k, s=s: T.resize(x, s, k) for k in kinds for s in (5, 20, (4, 17), [30, 7])
    ]
    calls += [lambda x: T.resize(x, 9), T.Resize(6), T.Resize((3, 4), "nearest")]
    wrong = [("4",), (4.5,), ((1, 2, 3),)]
    return [
        _each(np, calls, ("RGB", "L")), T.resize(_image(np), 9).size,
        [error_of(lambda a=args: T.resize(_image(np), *a)) for args in wrong],
    ]  # fmt: skip


@program
def image_crops_and_flips(paddle, np):
    """Crops, also outside the image, and mirrors."""
    T = paddle.vision.transforms
    return _each(np, [
        lambda x: T.crop(x, 1, 2, 5, 4), lambda x: T.crop(x, -2, -1, 20, 20), T.hflip, T.vflip,
        lambda x: T.center_crop(x, 4), lambda x: T.center_crop(x, (3, 20)), T.CenterCrop(5),
        T.CenterCrop((2, 7)),
    ], ("RGB", "L", "RGBA"))  # fmt: skip


@program
def image_pad(paddle, np):
    """Borders of every mode, of images with a palette too."""
    T = paddle.vision.transforms
    calls = [
        lambda x: T.pad(x, 2), lambda x: T.pad(x, (1, 3), 7), lambda x: T.pad(x, [1, 2, 3, 4], 1),
        lambda x: T.pad(x, 2, 0, "edge"), lambda x: T.pad(x, (3, 1), 0, "reflect"),
        lambda x: T.pad(x, (3, 1, 0, 2), 0, "symmetric"), T.Pad([2, 1], 5),
    ]  # fmt: skip
    colors = [lambda x: T.pad(x, 1, (9, 8, 7)), lambda x: T.pad(x, 1, "red"), T.Pad(1, [1, 2, 3])]
    wrong = [((1, 2, 3),), ("1",), (1, None), (1, 0, 3), (1, 0, "mirror")]
    made = [((1, 2, 3),), ("1",), (1, None), (1, 0, "mirror")]
    return [
        _each(np, calls, ("RGB", "L", "P")), _each(np, colors),
        [error_of(lambda a=args: T.pad(_image(np), *a)).replace("Assertion", "Value")
         for args in wrong],
        [error_of(lambda a=args: T.Pad(*a)) != "no error" for args in made],
    ]  # fmt: skip


@program
def image_rotate(paddle, np):
    """Angles, centers, fills, larger results."""
    T = paddle.vision.transforms
    return _each(np, [
        lambda x: T.rotate(x, 0), lambda x: T.rotate(x, 30), lambda x: T.rotate(x, 90),
        lambda x: T.rotate(x, 90, expand=True), lambda x: T.rotate(x, -50, "bilinear", True),
        lambda x: T.rotate(x, 200, "bicubic", fill=(1, 2, 3)),
        lambda x: T.rotate(x, 20, fill=[9, 8, 7]),
        lambda x: T.rotate(x, 50, center=[1, 2], fill=200),
        lambda x: T.rotate(x, 50, "bilinear", True, (4.5, 0), 40),
    ])  # fmt: skip


@program
def image_affine_and_perspective(paddle, np):
    """Maps of every kind; what lies outside is black."""
    T = paddle.vision.transforms
    corners = [[0, 0], [11, 0], [11, 8], [0, 8]]
    # Of whole numbers come pixels on the edge, which the last digit of NumPy's lstsq moves.
    moved = [[1.3, 0.8], [10.1, 0.2], [10.7, 7.1], [2.2, 8.4]]
    return _each(np, [
        lambda x: T.affine(x, 0, [2, -1], 1.0, 0), lambda x: T.affine(x, 40, [0, 0], 1.0, [0, 0]),
        lambda x: T.affine(x, 10, (0, 0), 1.5, (0, 0), "bilinear"),
        lambda x: T.affine(x, 5, (0, 0), 1.0, (20, 0), "bicubic"),
        lambda x: T.affine(x, 0, (0, 0), 1.0, [0, -20.0], "bilinear"),
        lambda x: T.affine(x, -25, [1, 1], 0.8, [10], "bilinear", center=(3, 4)),
        lambda x: T.perspective(x, corners, moved),
        lambda x: T.perspective(x, corners, moved, "bilinear"),
        lambda x: T.perspective(x, moved, corners, "bicubic"),
    ])  # fmt: skip


@program
def image_colors(paddle, np):
    """Brightness, contrast, saturation, hue, gray."""
    T = paddle.vision.transforms
    F = T.functional
    calls = [
        *(lambda x, by=by: T.adjust_brightness(x, by) for by in (0, 0.4, 1.7)),
        *(lambda x, by=by: T.adjust_contrast(x, by) for by in (0, 0.4, 1.7)),
        *(lambda x, by=by: F.adjust_saturation(x, by) for by in (0, 0.4, 1.7)),
        *(lambda x, by=by: T.adjust_hue(x, by) for by in (0, 0.2, -0.5, 0.5)),
        T.to_grayscale, lambda x: T.to_grayscale(x, 3), T.Grayscale(), T.Grayscale(3),
    ]  # fmt: skip
    wrong = [lambda: T.adjust_hue(_image(np), 0.6), lambda: T.to_grayscale(_image(np), 2)]
    return [_each(np, calls, ("RGB", "L")), [error_of(call) for call in wrong]]


@program
def image_to_tensor(paddle, np):
    """Images of every mode and arrays, in both layouts."""
    T = paddle.vision.transforms
    out = []
    for layout in ("CHW", "HWC"):
        for mode in ("RGB", "L", "RGBA", "1", "I", "F", "P", "LA", "CMYK", "YCbCr", "HSV"):
            out.append(array(T.to_tensor(_image(np, mode), layout)))
        for kind in ("uint8", "float32", "float64", "int64", "int32"):
            for shape in ((3, 4), (3, 4, 3), (3, 4, 2)):
                made = T.ToTensor(layout)(_pixels(np, shape).astype(kind))
                out.append([array(made), str(made.dtype), made.stop_gradient])
    wrong = [lambda: T.to_tensor(_image(np), "NCHW"), lambda: T.to_tensor([1]),
             lambda: T.to_tensor(np.zeros([2])), lambda: T.hflip([1])]  # fmt: skip
    return [out, [error_of(call) for call in wrong]]


@program
def image_normalize_and_transpose(paddle, np):
    """Images of Pillow become arrays."""
    T = paddle.vision.transforms
    image, pixels, mean, std = _image(np), _pixels(np), [125.5, 120, 110], [60, 50, 40.5]
    return [
        T.normalize(image, mean, std, "HWC"), T.normalize(pixels, mean, std, "HWC"),
        T.normalize(pixels.transpose(2, 0, 1), mean, std), T.Normalize(127.5, 64, "HWC")(image),
        T.Normalize(mean, std, "HWC", to_rgb=True)(pixels.astype("float32")),
        T.normalize(pixels.astype("float64"), mean, std, "HWC"),
        T.Transpose()(image), T.Transpose()(_image(np, "L")), T.Transpose((1, 0, 2))(pixels),
    ]  # fmt: skip


@program
def array_crops_and_erase(paddle, np):
    """What Paddle does to arrays without OpenCV."""
    T = paddle.vision.transforms
    pixels = _pixels(np)
    out = [T.crop(pixels, 1, 2, 5, 4), T.center_crop(pixels, 4), T.CenterCrop((3, 5))(pixels)]
    color = np.array([[[1, 2, 3]]])
    copy = pixels.copy()
    out += [T.erase(pixels, 1, 2, 3, 4, color), pixels, T.erase(copy, 1, 2, 3, 4, 9, True) is copy]
    erased = T.erase(_image(np), 1, 2, 3, 4, color)
    return [*out, copy, _found(np, erased)]


@program
def image_random_transforms(paddle, np):
    """The same seeds give the same draws.

    The map of a perspective is a least squares solution, whose last digits depend on the kernels
    that OpenBLAS chooses for a processor. Most seeds draw corners that put a pixel on an edge of
    the image, where such a digit decides. Seed 36 draws two maps (and one image that stays) which
    give the same pixels when each coefficient moves by a part in a billion.
    """
    T = paddle.vision.transforms
    made = [
        T.RandomCrop(5), T.RandomCrop((4, 7), padding=2, fill=3), T.RandomCrop(14, None, True),
        T.RandomCrop((9, 12)), T.RandomCrop(10, 2, padding_mode="reflect"),
        T.RandomResizedCrop(6), T.RandomResizedCrop((3, 5), (0.5, 1.0), (0.5, 2.0), "nearest"),
        T.RandomResizedCrop(4, (2.0, 3.0)), T.RandomResizedCrop(4, (2.0, 3.0), (0.2, 0.5)),
        T.RandomResizedCrop(4, (2.0, 3.0), (4.0, 5.0)), T.RandomHorizontalFlip(),
        T.RandomVerticalFlip(0.7), T.RandomRotation(40), T.RandomRotation((5, 9), "bilinear", True),
        T.RandomPerspective(0.8, 0.6, "bilinear"), T.RandomAffine([5, 9], shear=4, fill=None),
        T.RandomAffine(20, (0.2, 0.3), (0.8, 1.2), (-5, 5, -3, 3), "bilinear"),
        T.RandomErasing(0.8, value=5), T.RandomErasing(1.0, (0.1, 0.4), value=[1, 2, 3]),
        T.RandomErasing(1.0, (0.95, 1.0)), T.BrightnessTransform(0.4), T.ContrastTransform(0.4),
        T.SaturationTransform((0.5, 0.75)), T.HueTransform(0.2), T.HueTransform([-0.1, 0.3]),
        T.ColorJitter(0.4, 0.3, 0.2, 0.1), T.ColorJitter(None, 0.3, hue=0.5),
    ]  # fmt: skip
    out = []
    for number, transform in enumerate(made):
        seed = 36 if isinstance(transform, T.RandomPerspective) else number
        random.seed(seed)
        np.random.seed(seed)
        out.append([_found(np, transform(_image(np))) for _ in range(3)])
        out.append([random.random(), np.random.rand()])
    return out


@program
def array_random_transforms(paddle, np):
    """The same seeds give the same draws for arrays, those of colors for each pixel too."""
    T = paddle.vision.transforms
    made = [
        T.RandomCrop(5), T.RandomErasing(0.8, value=5), T.RandomErasing(1.0, value=[1, 2, 3]),
        T.RandomErasing(1.0, value="random", inplace=True),
    ]  # fmt: skip
    out = []
    for number, transform in enumerate(made):
        random.seed(number)
        np.random.seed(number)
        kind = "float32" if transform is made[-1] else "uint8"
        out.append([transform(_pixels(np).astype(kind)) for _ in range(3)])
        out.append([random.random(), np.random.rand()])
    return out


@program
def transform_arguments(paddle, np):
    """What the transforms refuse, and the attributes they keep."""
    T = paddle.vision.transforms
    wrong = [
        lambda: T.Resize(None), lambda: T.Resize((1, 2, 3)), lambda: T.RandomHorizontalFlip(2),
        lambda: T.RandomResizedCrop(4, (1, 0.5)), lambda: T.RandomResizedCrop(4, ratio=(2, 1)),
        lambda: T.BrightnessTransform(-1), lambda: T.BrightnessTransform((2, 1)),
        lambda: T.BrightnessTransform((1, 2, 3)), lambda: T.HueTransform((-0.6, 0.1)),
        lambda: T.RandomRotation(-1), lambda: T.RandomRotation((1, 2, 3)),
        lambda: T.RandomAffine(-1), lambda: T.RandomAffine((1, 2, 3)),
        lambda: T.RandomAffine(1, (0.1, 2)), lambda: T.RandomAffine(1, 0.1),
        lambda: T.RandomAffine(1, scale=(0, 1)), lambda: T.RandomAffine(1, shear=(1, 2, 3)),
        lambda: T.RandomAffine(1, interpolation="box"), lambda: T.RandomAffine(1, fill=object()),
        lambda: T.RandomAffine(1, center=3), lambda: T.RandomPerspective(2),
        lambda: T.RandomPerspective(0.5, 2), lambda: T.RandomPerspective(interpolation="box"),
        lambda: T.RandomErasing(2), lambda: T.RandomErasing(scale=(0.5, 2)),
        lambda: T.RandomErasing(ratio=(2, 1)), lambda: T.RandomErasing(value="red"),
        lambda: T.CenterCrop(3, keys=3), lambda: T.CenterCrop(3, keys=["image", "sound"]),
    ]  # fmt: skip
    made = [
        T.Resize(3), T.RandomResizedCrop(3), T.CenterCrop(3), T.RandomHorizontalFlip(),
        T.Normalize(), T.BrightnessTransform(0.25), T.HueTransform(0.25), T.ColorJitter(),
        T.RandomCrop(3), T.Pad([1, 2]), T.RandomAffine(3, shear=2), T.RandomRotation(3),
        T.RandomPerspective(), T.Grayscale(), T.ToTensor(), T.RandomErasing(), T.Transpose(),
    ]  # fmt: skip
    return [
        [error_of(call).replace("Assertion", "Value") for call in wrong],
        [sorted((name, str(value)) for name, value in vars(each).items()) for each in made],
    ]


@program
def transform_keys(paddle, np):
    """A transform of an image, its boxes and what else comes along; Compose."""
    T = paddle.vision.transforms

    class Shift(T.BaseTransform):
        def _get_params(self, inputs):
            return len(inputs)

        def _apply_image(self, image):
            return image + self.params

        def _apply_coords(self, coords):
            return coords - self.params

    both = Shift(keys=("image", "coords"))
    out = [both((1, 2)), both((1, 2, 3)), both((1,)), both(1), Shift()((1, 2)), both.keys]
    composed = T.Compose([Shift(), Shift(), lambda x: x * 2])
    out += [composed(1), composed((1, 2, 3)), T.Compose([])(5)]
    text = stable_text(repr(T.Compose([])))
    refused = [
        error_of(lambda: Shift(("boxes",))((1,))), error_of(lambda: T.BaseTransform()(1)),
        error_of(lambda: T.Compose([T.Grayscale(2)])(_image(np))),
    ]  # fmt: skip
    return [out, text, refused]


@program
def image_backends(paddle, np):
    """The backend of images, and a file read by it."""
    import pathlib
    import tempfile

    vision = paddle.vision
    out = [vision.get_image_backend(), error_of(lambda: vision.set_image_backend("gif"))]
    with tempfile.TemporaryDirectory() as folder:
        path = str(pathlib.Path(folder, "image.png"))
        _image(np).save(path)
        image = vision.image_load(path)
        out += [np.asarray(image), image.mode, np.asarray(vision.image_load(path, "pil"))]
        out.append(error_of(lambda: vision.image_load(path, "gif")))
    vision.set_image_backend("cv2")
    out.append(vision.get_image_backend())
    vision.set_image_backend("pil")
    return out


@differs(
    "Paddle fills three channels where there is one, and reads a third dimension",
    right=["L", "L", "L", "L", "L", "L"],
    paddle_gives=["error", "L", "L", "error", "error", "error"],
)
def image_transforms_of_gray(paddle, np):
    """Images of mode L, rotated, moved, erased."""
    T = paddle.vision.transforms
    corners = [[0, 0], [11, 0], [11, 8], [0, 8]]
    calls = [
        lambda x: T.rotate(x, 20), lambda x: T.affine(x, 10, [0, 0], 1.0, 0),
        lambda x: T.perspective(x, corners, corners), lambda x: T.erase(x, 0, 0, 2, 2, 9),
        T.RandomErasing(1.0), T.RandomErasing(1.0, value="random"),
    ]  # fmt: skip
    out = []
    for call in calls:
        refused = error_of(lambda call=call: call(_image(np, "L"))) != "no error"
        out.append("error" if refused else call(_image(np, "L")).mode)
    return out


@differs(
    "Paddle gives the color to an argument of Pillow that is not the color",
    right=[[9, 8, 7], [50, 50, 50]],
    paddle_gives=[[0, 0, 0], [0, 0, 0]],
)
def image_affine_fills(paddle, np):
    """The color of what lies outside an image that was moved."""
    T = paddle.vision.transforms
    corners, moved = [[0, 0], [9, 0], [9, 9], [0, 9]], [[1, 0], [10, 0], [10, 9], [1, 9]]
    out = [
        T.affine(_image(np), 0, [1, 0], 1.0, 0, fill=(9, 8, 7)),
        T.perspective(_image(np), corners, moved, fill=50),
    ]
    return [np.asarray(image)[0, 0].tolist() for image in out]


@differs(
    "Paddle compares the two ends of the range of contrasts with 0",
    right=[[0.5, 1.5], [[0.25, 0.5]]],
    paddle_gives=["TypeError", "TypeError"],
)
def contrast_between_two_ends(paddle, np):
    """Contrast from a range, alone and in ColorJitter."""
    T = paddle.vision.transforms
    jitter = error_of(lambda: T.ColorJitter(contrast=(0.25, 0.5))(_image(np)))
    found = error_of(lambda: T.ContrastTransform((0.5, 1.5)))
    if found != "no error":
        return [found, jitter]
    return [
        T.ContrastTransform((0.5, 1.5)).value,
        [list(T.ColorJitter(contrast=(0.25, 0.5)).contrast)],
    ]


@differs(
    "Paddle gives nothing for the backend it knows, and crops no gray array",
    right=[[3, 9, 12], [4, 5]],
    paddle_gives=["None", "IndexError"],
)
def image_load_of_a_tensor(paddle, np):
    """A file as a Tensor; the middle of an array of two dimensions."""
    import pathlib
    import tempfile

    with tempfile.TemporaryDirectory() as folder:
        path = str(pathlib.Path(folder, "image.png"))
        _image(np).save(path)
        image = paddle.vision.image_load(path, "tensor")
    gray = np.zeros([9, 12], "uint8")
    cropped = error_of(lambda: paddle.vision.transforms.center_crop(gray, (4, 5)))
    return [
        "None" if image is None else list(image.shape),
        cropped if cropped != "no error"
        else list(paddle.vision.transforms.center_crop(gray, (4, 5)).shape),
    ]  # fmt: skip
