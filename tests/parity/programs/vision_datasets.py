"""Datasets of paddle.vision, from small files that the programs write."""

import contextlib
import gzip
import io
import pathlib
import pickle
import tarfile
import tempfile

from ..probe import error_of, refuses
from ..registry import differs, program


@contextlib.contextmanager
def _folder():
    with tempfile.TemporaryDirectory() as folder:
        yield pathlib.Path(folder)


def _pixels(np, shape, seed=0):
    return np.random.default_rng(seed).integers(0, 256, shape).astype("uint8")


def _picture(np, shape, kind="PNG", seed=0):
    """Returns the bytes of a file of an image."""
    from PIL import Image

    out = io.BytesIO()
    Image.fromarray(_pixels(np, shape, seed)).save(out, kind)
    return out.getvalue()


def _archive(path, mode, contents):
    with tarfile.open(path, mode) as archive:
        for name, content in contents.items():
            member = tarfile.TarInfo(name)
            member.size = len(content)
            archive.addfile(member, io.BytesIO(content))
    return str(path)


def _item(np, item):
    """Returns the parts of an item: kind, mode, values, dtype."""
    arrays = [np.asarray(part) for part in item]
    return [
        [type(part).__name__, getattr(part, "mode", None), array, str(array.dtype)]
        for part, array in zip(item, arrays, strict=True)
    ]


def _digits(np, folder, count):
    """Writes the two files of MNIST; returns their paths."""
    images = np.array([2051, count, 28, 28], ">i4").tobytes() + _pixels(np, (count, 784)).tobytes()
    labels = np.array([2049, count], ">i4").tobytes() + _pixels(np, count, 1).tobytes()
    paths = []
    for name, content in (("images.gz", images), ("labels.gz", labels)):
        (folder / name).write_bytes(gzip.compress(content))
        paths.append(str(folder / name))
    return paths


@program
def datasets_mnist(paddle, np):
    """MNIST and FashionMNIST: both backends, transforms, what is refused."""
    datasets, T = paddle.vision.datasets, paddle.vision.transforms
    out = []
    with _folder() as folder:
        paths = _digits(np, folder, 200)
        for kind in (datasets.MNIST, datasets.FashionMNIST):
            for backend in (None, "cv2"):
                found = kind(*paths, mode="TRAIN", backend=backend)
                out += [len(found), found.mode, found.backend, _item(np, found[7])]
                out += [_item(np, found[-1]), [int(label[0]) for label in found.labels[:5]]]
        changed = datasets.MNIST(*paths, "test", T.Compose([T.Resize(4), T.ToTensor()]))
        image, label = changed[0]
        out += [image.numpy(), label, list(image.shape)]
        halves = datasets.MNIST(*paths, transform=lambda x: x / 2, backend="cv2")
        out += [_item(np, halves[3])]
        paddle.set_default_dtype("float64")
        out += [_item(np, datasets.MNIST(*paths, backend="cv2")[0])]
        out += [error_of(lambda: datasets.MNIST(*paths, backend="tensor"))]
        wrong = [
            lambda: datasets.MNIST(*paths, "valid"), lambda: datasets.MNIST(download=False),
            lambda: datasets.MNIST(paths[0], download=False),
        ]  # fmt: skip
        out += [error_of(call).replace("Assertion", "Value") for call in wrong]
    return out


@differs(
    "Paddle reads a hundred images at a time, and fails at the end of other files",
    right=[3, 3],
    paddle_gives=["error", "error"],
)
def datasets_mnist_of_few(paddle, np):
    """Files of three images."""
    with _folder() as folder:
        paths = _digits(np, folder, 3)
        if error_of(lambda: paddle.vision.datasets.MNIST(*paths)) != "no error":
            return ["error", "error"]
        found = paddle.vision.datasets.MNIST(*paths)
        return [len(found), len(list(found))]


def _batches(np, kind):
    """Returns the files of an archive of CIFAR."""
    names = {
        "cifar-10": ("data_batch_2", "data_batch_1", "test_batch", "readme.html"),
        "cifar-100": ("train", "test", "meta"),
    }[kind]
    contents = {}
    for seed, name in enumerate(names):
        labels = [*map(int, _pixels(np, 2, seed) % 10)]
        fields = {b"data": _pixels(np, (2, 3072), seed)}
        fields |= {b"labels": labels} if kind == "cifar-10" else {b"fine_labels": labels}
        contents[f"{kind}-python/{name}"] = pickle.dumps(fields, 2)
    return contents


@program
def datasets_cifar(paddle, np):
    """Cifar10 and Cifar100: parts, both backends, transforms."""
    datasets, T = paddle.vision.datasets, paddle.vision.transforms
    out = []
    with _folder() as folder:
        for name, kind in (("cifar-10", datasets.Cifar10), ("cifar-100", datasets.Cifar100)):
            path = _archive(folder / f"{name}.tar.gz", "w:gz", _batches(np, name))
            for mode in ("train", "Test"):
                for backend in ("pil", "cv2"):
                    found = kind(path, mode, backend=backend)
                    out += [len(found), *(_item(np, found[i]) for i in range(len(found)))]
            image, label = kind(path, "test", T.Compose([T.CenterCrop(2), T.ToTensor()]))[1]
            out += [image.numpy(), label.shape]
            normal = T.Normalize(0.5, 0.5, "HWC")
            out += [_item(np, kind(path, transform=normal, backend="cv2")[0])]
            out += [error_of(lambda k=kind, p=path: k(p, "all")).replace("Assertion", "Value")]
            out += [error_of(lambda k=kind: k(download=False)).replace("Assertion", "Value")]
            out += [error_of(lambda k=kind, p=path: k(p, backend="gif"))]
    return out


@program
def datasets_voc(paddle, np):
    """VOC2012: the three lists, both backends, a transform."""
    voc = paddle.vision.datasets.VOC2012
    root = "VOCdevkit/VOC2012"
    contents = {
        f"{root}/ImageSets/Segmentation/{name}.txt": text.encode()
        for name, text in (("trainval", "b\na\nc\n"), ("train", "a\nb\n"), ("val", "c\n"))
    }
    for seed, name in enumerate("abc"):
        contents[f"{root}/JPEGImages/{name}.jpg"] = _picture(np, (6, 5, 3), "JPEG", seed)
        contents[f"{root}/SegmentationClass/{name}.png"] = _picture(np, (6, 5), "PNG", seed)
    out = []
    with _folder() as folder:
        path = _archive(folder / "voc.tar", "w", contents)
        for mode in ("train", "Valid", "test"):
            for backend in (None, "cv2"):
                found = voc(path, mode, backend=backend)
                out += [len(found), found.data, *(_item(np, found[i]) for i in range(len(found)))]
        paddle.set_default_dtype("float64")
        out += [_item(np, voc(path, transform=lambda x: x[:2], backend="cv2")[1])]
        wrong = [lambda: voc(path, "all"), lambda: voc(download=False),
                 lambda: voc(path, backend="gif")]  # fmt: skip
        out.append([error_of(call).replace("Assertion", "Value") for call in wrong])
    return out


def _tree(np, folder):
    """Writes images and other files into folders."""
    for seed, name in enumerate(
        ("dog/b.png", "dog/a.PNG", "cat/deep/c.bmp", "cat/d.txt", "owl/e.txt", "f.jpeg")
    ):
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        is_text = name.endswith(".txt")
        kind = {".png": "PNG", ".bmp": "BMP", ".jpeg": "JPEG"}.get(path.suffix.lower())
        path.write_bytes(b"text" if is_text else _picture(np, (4, 5, 3), kind, seed))
    return str(folder)


@program
def datasets_of_folders(paddle, np):
    """DatasetFolder and ImageFolder: which files, loaders, transforms."""
    datasets, T = paddle.vision.datasets, paddle.vision.transforms
    with _folder() as folder:
        root = _tree(np, folder)

        def names(samples):
            paths = [sample if isinstance(sample, str) else sample[0] for sample in samples]
            return [pathlib.Path(path).relative_to(root).as_posix() for path in paths]

        found, flat = datasets.DatasetFolder(root), datasets.ImageFolder(root)
        out = [len(found), found.classes, found.class_to_idx, found.targets, names(found.samples)]
        out += [_item(np, found[0]), _item(np, found[2]), str(found.extensions), str(found.dtype)]
        out += [len(flat), names(flat.samples), *(_item(np, flat[i]) for i in range(len(flat)))]
        texts = datasets.DatasetFolder(root, lambda path: path[-5:], (".TXT",), str.upper)
        out += [list(texts[0]), list(texts[1]), len(texts), texts.classes]
        texts = datasets.ImageFolder(root, pathlib.Path, [".txt"], lambda path: path.name)
        out += [texts[0], texts[1], len(texts)]
        changed = datasets.ImageFolder(root, transform=T.Compose([T.Resize(2), T.ToTensor()]))
        out += [changed[0][0].numpy()]
        wrong = [
            lambda: datasets.DatasetFolder(root, extensions=[".gif"]),
            lambda: datasets.ImageFolder(root, extensions=[".gif"]),
            lambda: datasets.DatasetFolder(str(folder / "dog")),
        ]
        return [out, [error_of(call) for call in wrong]]


@differs(
    "Paddle overwrites is_valid_file by its own list of endings",
    right=[["d.txt", "e.txt"], ["d.txt", "e.txt"]],
    paddle_gives=[["a.PNG", "b.png", "c.bmp"], ["a.PNG", "b.png", "c.bmp", "f.jpeg"]],
)
def datasets_of_valid_files(paddle, np):
    """Folders whose files a function chooses."""
    with _folder() as folder:
        root = _tree(np, folder)
        given = {"loader": str, "is_valid_file": lambda path: path.endswith(".txt")}
        found = paddle.vision.datasets.DatasetFolder(root, **given)
        flat = paddle.vision.datasets.ImageFolder(root, **given)
        return [
            sorted(pathlib.Path(path).name for path, _ in found.samples),
            sorted(pathlib.Path(path).name for path in flat.samples),
        ]


@program
def datasets_in_a_loader(paddle, np):
    """A pipeline of random transforms before a DataLoader, one process."""
    import random

    T = paddle.vision.transforms
    pipeline = T.Compose([
        T.RandomResizedCrop(8), T.RandomHorizontalFlip(), T.ColorJitter(0.4, 0.4, 0.4, 0.1),
        T.ToTensor(), T.Normalize([0.5, 0.4, 0.3], [0.2, 0.3, 0.4]),
    ])  # fmt: skip
    with _folder() as folder:
        path = _archive(folder / "cifar.tgz", "w:gz", _batches(np, "cifar-10"))
        found = paddle.vision.datasets.Cifar10(path, transform=pipeline)
        random.seed(5)
        np.random.seed(6)
        loader = paddle.io.DataLoader(found, batch_size=2)
        return [[image.numpy(), label.numpy()] for image, label in loader]


@program
def datasets_are_not_downloaded(paddle, np):
    """Without files and without leave to download."""
    datasets = paddle.vision.datasets
    kinds = (datasets.MNIST, datasets.FashionMNIST, datasets.Cifar10, datasets.Cifar100,
             datasets.Flowers, datasets.VOC2012)  # fmt: skip
    found = [refuses(lambda kind=kind: kind(download=False))["error"] for kind in kinds]
    return [name.replace("Assertion", "Value") for name in found]
