"""Datasets of paddle.vision: missing and damaged files, workers. (Items: parity tests.)"""

import gzip
import io
import pickle
import sys

import numpy as np
import pytest
from PIL import Image
from scipy.io import savemat

import jaxeager as paddle
from jaxeager.errors import InvalidArgumentError, InvalidTypeError, NotFoundError
from jaxeager.io.fork_server import fork_server
from tests.support.archives import archive

datasets, T = paddle.vision.datasets, paddle.vision.transforms
KINDS = {
    "MNIST": ("image_path", "label_path"),
    "FashionMNIST": ("image_path", "label_path"),
    "Cifar10": ("data_file",),
    "Cifar100": ("data_file",),
    "Flowers": ("data_file", "label_file", "setid_file"),
    "VOC2012": ("data_file",),
}


@pytest.mark.parametrize("name", KINDS)
@pytest.mark.parametrize("download", [True, False])
def test_nothing_is_downloaded(name, download):
    for parameter in KINDS[name]:
        others = {other: "file" for other in KINDS[name] if other != parameter}
        with pytest.raises(InvalidArgumentError, match=f"{name}: {parameter} is not set, .* your"):
            getattr(datasets, name)(**others, download=download)


@pytest.mark.parametrize("name", KINDS)
def test_another_mode_or_backend_is_refused(name):
    files = dict.fromkeys(KINDS[name], "file")
    with pytest.raises(InvalidArgumentError, match=r"mode should be 'train' or .* but got 'all'"):
        getattr(datasets, name)(**files, mode="all")
    with pytest.raises(InvalidArgumentError, match=r"one of \['pil', 'cv2'\], but got tensor"):
        getattr(datasets, name)(**files, backend="tensor")


def pixels(shape, seed=0):
    return np.random.default_rng(seed).integers(0, 256, shape).astype("uint8")


def idx(path, mark, shape, body):
    head = np.array([mark, *shape], ">i4").tobytes()
    path.write_bytes(gzip.compress(head + body.tobytes()))
    return path


def test_damaged_digits_are_refused(tmp_path):
    images = idx(tmp_path / "images", 2051, (3, 28, 28), pixels((3, 28, 28)))
    labels = idx(tmp_path / "labels", 2049, (3,), pixels(3))
    assert len(datasets.MNIST(images, labels)) == 3
    with pytest.raises(InvalidArgumentError, match="labels is not a file of 3-dimensional bytes"):
        datasets.MNIST(labels, images)
    short = idx(tmp_path / "short", 2051, (3, 28, 28), pixels((2, 28, 28)))
    with pytest.raises(InvalidArgumentError, match=r"holds 1568 bytes, not \[3, 28, 28\]"):
        datasets.MNIST(short, labels)
    fewer = idx(tmp_path / "fewer", 2049, (2,), pixels(2))
    with pytest.raises(InvalidArgumentError, match=r"3 images and .*fewer 2 labels"):
        datasets.MNIST(images, fewer)


class Calls:
    """A call that a pickle must not make."""

    def __reduce__(self):
        return print, ("called",)


def test_a_pickle_that_calls_functions_is_refused(tmp_path, capsys):
    path = archive(tmp_path / "cifar", {"data_batch_1": pickle.dumps(Calls())})
    with pytest.raises(InvalidArgumentError, match=r"data_batch_1: it requests builtins.print"):
        datasets.Cifar10(path)
    assert not capsys.readouterr().out
    other = archive(tmp_path / "other", {"data_batch_1": pickle.dumps({"data": 1})})
    with pytest.raises(InvalidArgumentError, match="data_batch_1 has no data and labels"):
        datasets.Cifar10(other)


def test_a_pickle_of_an_old_python_is_read(tmp_path):
    """CIFAR was written by Python 2, whose names are both bytes and text."""
    fields = {"data": pixels((2, 3072)), "labels": [3, 9]}
    path = archive(tmp_path / "cifar", {"x/test_batch": pickle.dumps(fields, 2)})
    found = datasets.Cifar10(path, "test", backend="cv2")
    assert [int(label) for _, label in found] == [3, 9]
    np.testing.assert_array_equal(found[1][0][4, 5], pixels((2, 3, 32, 32))[1, :, 4, 5])


def picture(shape, kind="PNG", seed=0):
    out = io.BytesIO()
    Image.fromarray(pixels(shape, seed)).save(out, kind)
    return out.getvalue()


def test_flowers(tmp_path):
    """The set named test in the file is for training, as in Paddle, which needs SciPy."""
    pictures = {f"jpg/image_{i:05}.jpg": picture((6, 5 + i, 3), "JPEG", i) for i in range(1, 5)}
    files = [archive(tmp_path / "102flowers.tgz", pictures), tmp_path / "labels", tmp_path / "sets"]
    with files[1].open("wb") as labels, files[2].open("wb") as sets:
        savemat(labels, {"labels": np.array([[7, 8, 3, 102]], "uint8")})
        savemat(sets, {"trnid": [[2]], "valid": [[4]], "tstid": [[3, 1]]})
    for mode, expected in (("train", [3, 1]), ("valid", [4]), ("TEST", [2])):
        for backend in ("pil", "cv2"):
            found = datasets.Flowers(*files, mode=mode, backend=backend)
            assert len(found) == len(expected)
            for number, (image, label) in zip(expected, found, strict=True):
                assert np.asarray(image).shape == (6, 5 + number, 3)
                assert np.asarray(image).dtype == ("uint8" if backend == "pil" else "float32")
                assert label.tolist() == [[7, 8, 3, 102][number - 1]]
                assert label.dtype == np.int64
    assert (tmp_path / "102flowers" / "jpg").is_dir()
    cropped = datasets.Flowers(*map(str, files), transform=T.CenterCrop(2))
    assert cropped[0][0].size == (2, 2)


def voc(path):
    root = "VOCdevkit/VOC2012"
    contents = {f"{root}/ImageSets/Segmentation/trainval.txt": b"a\nb\n"}
    for seed, name in enumerate("ab"):
        contents[f"{root}/JPEGImages/{name}.jpg"] = picture((6, 5, 3), "JPEG", seed)
        contents[f"{root}/SegmentationClass/{name}.png"] = picture((6, 5), "PNG", seed)
    return archive(path, contents)


def test_an_archive_is_opened_again_where_it_is_sent(tmp_path):
    found = datasets.VOC2012(voc(tmp_path / "voc.tar"), backend="cv2")
    copy = pickle.loads(pickle.dumps(found))
    for one, other in zip(found[1], copy[1], strict=True):
        np.testing.assert_array_equal(one, other)
    with pytest.raises(InvalidArgumentError, match=r"has no file .*/Segmentation/val\.txt"):
        datasets.VOC2012(tmp_path / "voc.tar", "valid")


def tree(folder):
    for name in ("dog/b.png", "dog/a.png", "cat/c.png"):
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_bytes(picture((8, 9, 3)))
    return folder


def test_folders_without_images_are_refused(tmp_path):
    tree(tmp_path)
    with pytest.raises(NotFoundError, match=r"Found 0 directories in subfolders of: .*\n.*: .gif"):
        datasets.DatasetFolder(tmp_path, extensions=[".gif"])
    with pytest.raises(NotFoundError, match=r"Found 0 files .*\nSupported extensions are: .jpg,"):
        datasets.ImageFolder(tmp_path / "dog", is_valid_file=lambda path: False)
    with pytest.raises(InvalidTypeError, match="must be list or tuple, but got 'png'"):
        datasets.ImageFolder(tmp_path, extensions="png")


def test_workers_that_make_no_tensors_do_without_jax(tmp_path):
    fork_server().close()  # it may have imported JAX for the dataset of another test

    def has_jax(image):  # local: it is sent by value, its module is not imported
        return np.array("jax" in sys.modules)

    steps = [
        T.RandomResizedCrop(4),
        T.ColorJitter(0.1, 0.1, 0.1, 0.1),
        T.Transpose(),
        T.Normalize(),
    ]
    for kind in (datasets.DatasetFolder, datasets.ImageFolder):
        found = kind(tree(tmp_path), transform=T.Compose([*steps, has_jax]))
        (batch,) = paddle.io.DataLoader(found, batch_size=3, num_workers=1)
        assert batch[0].tolist() == [False] * 3


@pytest.mark.deep
def test_a_pipeline_of_tensors_in_workers(tmp_path):
    steps = [
        T.RandomResizedCrop(4), T.RandomHorizontalFlip(), T.ColorJitter(0.4, 0.4, 0.4, 0.1),
        T.ToTensor(), T.Normalize([0.5] * 3, [0.25] * 3),
    ]  # fmt: skip
    found = datasets.DatasetFolder(tree(tmp_path), transform=T.Compose(steps))
    batches = list(paddle.io.DataLoader(found, batch_size=2, num_workers=2))
    assert [batch[0].shape for batch in batches] == [[2, 3, 4, 4], [1, 3, 4, 4]]
    assert [batch[1].tolist() for batch in batches] == [[0, 1], [1]]
    assert all(batch[0].dtype == paddle.float32 for batch in batches)


def test_workers_read_with_the_backend_that_was_chosen(tmp_path):
    found = datasets.DatasetFolder(tree(tmp_path), transform=np.array)
    paddle.vision.set_image_backend("cv2")
    try:
        (batch,) = paddle.io.DataLoader(found, batch_size=3, num_workers=1)
        assert isinstance(found[0][0], np.ndarray)
        assert isinstance(datasets.folder.default_loader(found.samples[0][0]), np.ndarray)
    finally:
        paddle.vision.set_image_backend("pil")
    assert batch[0].shape == [3, 8, 9, 3]
    assert datasets.folder.default_loader(found.samples[0][0]).mode == "RGB"
