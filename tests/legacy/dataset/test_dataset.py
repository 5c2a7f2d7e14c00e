"""The older readers, on small files in the form of the real ones."""

import gzip
import hashlib
import io
import pickle
import re
import tarfile

import numpy as np
import pytest

from jaxeager.dataset import cifar, common, imdb, mnist, uci_housing


@pytest.fixture
def home(tmp_path, monkeypatch):
    """Set a folder for the data sets, and accept any file in it."""
    monkeypatch.setattr(common, "DATA_HOME", str(tmp_path))
    for module in (cifar, imdb, mnist, uci_housing):
        for name in [n for n in vars(module) if n.endswith("MD5")]:
            monkeypatch.setattr(module, name, "")
        (tmp_path / module.__name__.rpartition(".")[2]).mkdir()
    return tmp_path


def pack(path, files):
    """Write an archive of {name: bytes}."""
    with tarfile.open(path, "w:gz") as archive:
        for name, data in files.items():
            found = tarfile.TarInfo(name)
            found.size = len(data)
            archive.addfile(found, io.BytesIO(data))


def test_a_file_that_is_missing_or_damaged_is_named(tmp_path, monkeypatch):
    monkeypatch.setattr(common, "DATA_HOME", str(tmp_path))
    with pytest.raises(RuntimeError, match=r"mnist.train-images-idx3-ubyte\.gz is not there"):
        mnist.train()
    with pytest.raises(RuntimeError, match=r"Put the file of .*cifar-10-python\.tar\.gz there"):
        common.fetch_all()
    (tmp_path / "uci_housing").mkdir()
    (tmp_path / "uci_housing" / "housing.data").write_text("1 2")
    with pytest.raises(RuntimeError, match="it is damaged or another file"):
        uci_housing.fetch()
    with pytest.raises(ValueError, match="the file is in a folder of"):
        common.download("https://host/../x", "imdb", "", "../x")
    name = tmp_path / "uci_housing" / "housing.data"
    assert common.md5file(name) == hashlib.md5(b"1 2").hexdigest()


def test_digits(home):
    images = np.arange(3 * 4, dtype=np.uint8).reshape(3, 2, 2) * 20
    header = np.array([2051, 3, 2, 2], ">i4").tobytes()
    for name in ("train", "t10k"):
        with gzip.open(home / "mnist" / f"{name}-images-idx3-ubyte.gz", "wb") as file:
            file.write(header + images.tobytes())
        with gzip.open(home / "mnist" / f"{name}-labels-idx1-ubyte.gz", "wb") as file:
            file.write(np.array([2049, 3], ">i4").tobytes() + bytes([7, 0, 9]))
    found = list(mnist.train()())
    assert [label for _, label in found] == [7, 0, 9]
    wanted = images.reshape(3, 4).astype("float32") / 255.0 * 2.0 - 1.0
    np.testing.assert_array_equal(np.stack([image for image, _ in found]), wanted)
    assert found[0][0].dtype == np.float32
    assert len(list(mnist.test()())) == 3
    mnist.fetch()


def test_photographs(home):
    def batch(start, key):
        data = (np.arange(2 * 3072) % 256).astype(np.uint8).reshape(2, 3072)
        return pickle.dumps({b"data": data, key: [start, start + 1]})

    ten = {f"cifar/data_batch_{i}": batch(2 * i, b"labels") for i in (1, 2)}
    pack(home / "cifar" / "cifar-10-python.tar.gz", ten | {"cifar/test_batch": batch(8, b"labels")})
    hundred = {f"cifar/{name}": batch(90, b"fine_labels") for name in ("train", "test")}
    pack(home / "cifar" / "cifar-100-python.tar.gz", hundred)
    cifar.fetch()
    found = list(cifar.train10()())
    assert [label for _, label in found] == [2, 3, 4, 5]
    assert found[0][0].dtype == np.float32
    np.testing.assert_allclose(found[0][0][:256] * 255.0, np.arange(256), rtol=1e-6)
    again = cifar.test10(cycle=True)()
    assert [next(again)[1] for _ in range(5)] == [8, 9, 8, 9, 8]
    assert [label for _, label in cifar.train100()()] == [90, 91]
    assert [label for _, label in cifar.test100()()] == [90, 91]


def test_reviews(home):
    good, bad = b"Good, good film!\n", b"bad film"
    files = {
        f"aclImdb/{part}/{kind}/{i}.txt": text
        for part in ("train", "test")
        for kind, text in (("pos", good), ("neg", bad))
        for i in range(2)
    }
    pack(home / "imdb" / imdb.URL.rpartition("/")[2], files)
    assert imdb.word_dict() == {"<unk>": 0}
    words = imdb.build_dict(re.compile(r"aclImdb/train/.*\.txt$"), 3)
    assert words == {b"film": 0, b"good": 1, "<unk>": 2}
    assert list(imdb.train(words)()) == [([1, 1, 0], 0)] * 2 + [([2, 0], 1)] * 2
    assert len(list(imdb.test(words)())) == 4
    imdb.fetch()


def test_houses(home, monkeypatch, tmp_path):
    rows = np.random.default_rng(0).normal(size=(10, 14))
    np.savetxt(home / "uci_housing" / "housing.data", rows)
    for name in ("UCI_TRAIN_DATA", "UCI_TEST_DATA"):
        monkeypatch.setattr(uci_housing, name, None)
    learned, tested = list(uci_housing.train()()), list(uci_housing.test()())
    assert (len(learned), len(tested), learned[0][0].shape) == (8, 2, (13,))
    given = rows[:, :13]
    wanted = (given - given.mean(0)) / (given.max(0) - given.min(0))
    np.testing.assert_allclose(np.stack([house for house, _ in learned]), wanted[:8], rtol=1e-6)
    np.testing.assert_allclose(tested[1][1], rows[9, 13:])
    np.testing.assert_allclose(uci_housing.predict_reader()[0], wanted[8])
    uci_housing.fetch()
    pytest.importorskip("matplotlib")
    monkeypatch.chdir(tmp_path)
    uci_housing.feature_range(given.max(0), given.min(0))
    assert (tmp_path / "image" / "ranges.png").stat().st_size > 0


def test_files_of_ones_own(tmp_path):
    pattern = str(tmp_path / "%02d.pickle")
    common.split(lambda: iter(range(7)), 3, pattern)
    found = [
        list(common.cluster_files_reader(str(tmp_path / "*.pickle"), 2, i)()) for i in range(2)
    ]
    assert found == [[0, 1, 2, 6], [3, 4, 5]]
    with pytest.raises(TypeError, match="dumper should be callable"):
        common.split(lambda: iter([]), 3, pattern, dumper=3)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="loader should be callable"):
        list(common.cluster_files_reader("x", 1, 0, loader=3)())  # type: ignore[arg-type]
