"""Every format that the library reads: a maker of a small file, and its reader."""

import contextlib
import gzip
import hashlib
import io
import json
import pickle
import tarfile
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

import jaxeager as paddle
from jaxeager.debug.checksums import diff
from jaxeager.debug.explorer import command as explorer
from jaxeager.debug.explorer import files as explorer_files
from jaxeager.debug.explorer.explore import graph_data
from jaxeager.debug.numbers import accuracy_compare
from jaxeager.errors import UnimplementedError
from jaxeager.jit.saved_model import signature_form
from jaxeager.kernels import kernel_files
from jaxeager.static import InputSpec
from jaxeager.utils import download


class Format(NamedTuple):
    """A format.

    Attributes:
        make: writes files into a folder.
        read: returns the contents of a folder, as plain data and arrays.
        damaged: the files that are damaged; all of the folder when empty.
        has_digest: whether every damage of values is detected.
        skips: whether a damaged file is not an error but is ignored (None is returned).
        errors: further right errors besides InvalidArgumentError, by the tool's own contract.
        mend: an attacker's fix of a folder with a damaged file: right digests.
    """

    make: Callable[[Path], Any]
    read: Callable[[Path], Any]
    damaged: tuple[str, ...] = ()
    has_digest: bool = False
    skips: bool = False
    errors: tuple[type[Exception], ...] = ()
    mend: Callable[[Path], Any] = lambda folder: None


def plain(value: Any) -> Any:
    """Return values as nested tuples, with the bytes of arrays, to be compared."""
    if isinstance(value, paddle.Tensor):
        value = value.numpy()
    if isinstance(value, np.ndarray):
        return str(value.dtype), value.shape, value.tobytes()
    if isinstance(value, dict):
        return {plain(key): plain(each) for key, each in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(each) for each in value]
    if hasattr(value, "tobytes") and hasattr(value, "size"):  # an image of Pillow
        return value.size, value.tobytes()
    return repr(value) if isinstance(value, float) else value


def tar(path: Path, contents: dict[str, bytes | str], mode: str = "w:gz") -> None:
    """Write an archive."""
    with tarfile.open(path, mode) as archive:
        for name, content in contents.items():
            data = content if isinstance(content, bytes) else content.encode()
            member = tarfile.TarInfo(name)
            member.size = len(data)
            archive.addfile(member, io.BytesIO(data))


def _drawn(*shape: int, seed: int = 0) -> np.ndarray:
    return np.random.default_rng(seed).integers(0, 256, shape).astype("uint8")


def _picture(kind: str, *shape: int) -> bytes:
    from PIL import Image

    out = io.BytesIO()
    Image.fromarray(_drawn(*shape)).save(out, kind)
    return out.getvalue()


# ---- weights and programs


def _make_params(folder: Path) -> None:
    net = paddle.nn.Sequential(paddle.nn.Linear(2, 3), paddle.nn.BatchNorm1D(3))
    adam = paddle.optimizer.Adam(0.1, parameters=net.parameters())
    net(paddle.ones([2, 2])).sum().backward()
    adam.step()
    paddle.save(net.state_dict(), str(folder / "net.pdparams"))
    paddle.save(adam.state_dict(), str(folder / "net.pdopt"))


def _make_tensors(folder: Path) -> None:
    state = {"a": paddle.ones([2, 3]), "b": paddle.arange(4), "c": paddle.ones([2], "bfloat16")}
    paddle.save(state, str(folder / "net.safetensors"))


def _read_model(folder: Path) -> Any:
    model = paddle.Model(paddle.nn.Sequential(paddle.nn.Linear(2, 3), paddle.nn.BatchNorm1D(3)))
    model.load(str(folder / "net"))
    return model.network.state_dict()


def _make_program(folder: Path) -> None:
    net = paddle.nn.Sequential(paddle.nn.Linear(2, 3), paddle.nn.BatchNorm1D(3))
    paddle.jit.save(net, str(folder / "net"), [InputSpec([None, 2], "float32", "x")])


def _read_program(folder: Path) -> Any:
    loaded = paddle.jit.load(str(folder / "net"))
    kinds = [(each.name.rpartition("_")[0], each.stop_gradient) for each in loaded.parameters()]
    specs = [
        (each.name, *zip(each.inputs, map(str, each.input_avals), strict=True))
        for each in loaded._methods.values()
    ]
    return loaded.state_dict(), kinds, specs


def _sign(folder: Path) -> None:
    """Update the digests in a signature to those of its files, as far as it is one."""
    file = folder / "net.signature.json"
    with contextlib.suppress(ValueError, KeyError, TypeError, AttributeError, RecursionError):
        found = json.loads(file.read_text())
        content = (folder / "net.safetensors").read_bytes()
        found["weights"]["sha256"] = hashlib.sha256(content).hexdigest()
        found["sha256"] = signature_form.digest_of(found)
        file.write_text(json.dumps(found))


def _make_old_checkpoint(folder: Path) -> None:
    _make_checkpoint(folder)
    (folder / "c" / "0" / "digests.json").unlink()


def _make_checkpoint(folder: Path) -> None:
    state = {"a": paddle.ones([3, 4]), "b": paddle.arange(4), "n": {"step": 3, "rate": 0.5}}
    paddle.distributed.save_state_dict(state, str(folder / "c"))


def _read_checkpoint(folder: Path) -> Any:
    return paddle.distributed.checkpoint.load_merged_state_dict(str(folder / "c"))


@contextlib.contextmanager
def _kernels(folder: Path):
    before = kernel_files._folder
    folder.chmod(0o700)
    kernel_files.set_folder(folder)
    try:
        yield
    finally:
        kernel_files.set_folder(before)


def _make_kernel(folder: Path) -> None:
    with _kernels(folder):
        kernel_files.write("a" * 64, {"outputs": [[[2], "float32", False]]}, b"code" * 20)


def _read_kernel(folder: Path) -> Any:
    with _kernels(folder):
        return kernel_files.read("a" * 64)


# ---- data sets


def _items(dataset: Any) -> list:
    return [len(dataset), *(dataset[number] for number in range(min(len(dataset), 4)))]


def _make_digits(folder: Path) -> None:
    for name, mark, shape in (("images", 2051, (3, 4, 4)), ("labels", 2049, (3,))):
        head = np.array([mark, *shape], ">i4").tobytes()
        content = gzip.compress(head + _drawn(*shape).tobytes(), mtime=0)
        (folder / f"{name}.gz").write_bytes(content)


def _make_cifar(folder: Path) -> None:
    batch = {b"data": _drawn(2, 3072), b"labels": [3, 9]}
    contents = {f"x/data_batch_{n}": pickle.dumps(batch, 2) for n in (1, 2)}
    tar(folder / "cifar.tar.gz", contents)


def _make_flowers(folder: Path) -> None:
    from scipy.io import savemat

    pictures = {f"jpg/image_{n:05}.jpg": _picture("JPEG", 6, 5, 3) for n in (1, 2)}
    tar(folder / "102flowers.tgz", pictures)
    with (folder / "labels.mat").open("wb") as labels, (folder / "sets.mat").open("wb") as sets:
        savemat(labels, {"labels": np.array([[7, 8]], "uint8")})
        savemat(sets, {"trnid": [[2]], "valid": [[1]], "tstid": [[2, 1]]})


def _read_flowers(folder: Path) -> Any:
    files = [str(folder / name) for name in ("102flowers.tgz", "labels.mat", "sets.mat")]
    return _items(paddle.vision.datasets.Flowers(*files, backend="cv2"))


def _make_voc(folder: Path) -> None:
    base = "VOCdevkit/VOC2012"
    contents = {
        f"{base}/ImageSets/Segmentation/trainval.txt": "one\n",
        f"{base}/JPEGImages/one.jpg": _picture("JPEG", 6, 5, 3),
        f"{base}/SegmentationClass/one.png": _picture("PNG", 6, 5),
    }
    tar(folder / "voc.tar", contents, "w")


def _make_pictures(folder: Path) -> None:
    for name, kind in (("a.png", "PNG"), ("b.jpg", "JPEG"), ("c.bmp", "BMP"), ("d.webp", "WEBP"),
                       ("e.tif", "TIFF"), ("f.ppm", "PPM"), ("g.gif", "GIF")):  # fmt: skip
        (folder / name).write_bytes(_picture(kind, 9, 7, 3))


def _read_pictures(folder: Path) -> Any:
    names = sorted(each.name for each in folder.iterdir())
    found = []
    for name in names:
        path = str(folder / name)
        found += [paddle.vision.image_load(path, "cv2"), paddle.vision.image_load(path, "pil")]
    loader = paddle.vision.datasets.ImageFolder(str(folder))
    return found, _items(loader)


def _make_imdb(folder: Path) -> None:
    names = [f"aclImdb/{part}/{kind}/{n}.txt" for part in ("train", "test")
             for kind in ("pos", "neg") for n in (1, 2)]  # fmt: skip
    tar(folder / "imdb.tgz", {name: f"a film, a {name[8:13]} good one!\n" for name in names})


def _make_ptb(folder: Path) -> None:
    base = "./simple-examples/data/ptb."
    lines = " the cat sat \n the dog sat \n the <unk> ran away \n"
    tar(folder / "ptb.tgz", {f"{base}{part}.txt": lines for part in ("train", "valid", "test")})


def _make_films(folder: Path) -> None:
    rows = {
        "movies": "1::Toy Story (1995)::Animation|Comedy\n2::Jumanji (1995)::Adventure\n",
        "users": "1::F::1::10::48067\n2::M::56::16::70072\n",
        "ratings": "1::1::5::978300760\n2::2::3::978302109\n",
    }
    with zipfile.ZipFile(folder / "ml-1m.zip", "w") as archive:
        for name, text in rows.items():
            archive.writestr(f"ml-1m/{name}.dat", text)


def _make_roles(folder: Path) -> None:
    base = "conll05st-release/test.wsj"
    words = gzip.compress(b"The\ncat\nsat\n\n", mtime=0)
    props = gzip.compress(b"- (A0*\n- *)\nsit (V*)\n\n", mtime=0)
    tar(folder / "conll.tgz", {
        f"{base}/words/test.wsj.words.gz": words, f"{base}/props/test.wsj.props.gz": props,
    })  # fmt: skip
    for name, text in (("words", "the\ncat\n"), ("verbs", "sit\n"), ("labels", "B-A0\nI-V\n")):
        (folder / f"{name}.txt").write_text(text)


def _read_roles(folder: Path) -> Any:
    names = ("conll.tgz", "words.txt", "verbs.txt", "labels.txt")
    return _items(paddle.text.Conll05st(*(str(folder / name) for name in names)))


def _make_wmt14(folder: Path) -> None:
    words = "<s>\n<e>\n<unk>\na\nb\n"
    tar(folder / "wmt.tgz", {
        "wmt14/train/train": "a b\tb a\na\tb\n", "wmt14/src.dict": words, "wmt14/trg.dict": words,
    })  # fmt: skip


def _make_wmt16(folder: Path) -> None:
    tar(folder / "wmt.tgz", {"wmt16/train": "a a cat\tein Ei\n", "wmt16/val": "a\tein\n"})


def _make_housing(folder: Path) -> None:
    table = np.random.default_rng(3).normal(size=(10, 14)).round(3)
    np.savetxt(folder / "housing.data", table, "%.3f")


def _make_sound(folder: Path) -> None:
    wave = np.sin(np.arange(200) * 0.1).astype("float32")[None]
    paddle.audio.save(str(folder / "a.wav"), paddle.to_tensor(wave), 4000)


def _read_sound(folder: Path) -> Any:
    path = str(folder / "a.wav")
    return tuple(paddle.audio.info(path)), paddle.audio.load(path)


def _make_sounds(folder: Path) -> None:
    (folder / "ESC-50-master" / "meta").mkdir(parents=True)
    (folder / "ESC-50-master" / "audio").mkdir()
    lines = ["filename,fold,target,category,esc10,src_file,take"]
    for number in range(3):
        _make_sound(folder / "ESC-50-master" / "audio")
        inner = folder / "ESC-50-master" / "audio"
        (inner / "a.wav").rename(inner / f"{number}.wav")
        lines.append(f"{number}.wav,{number % 2 + 1},{10 * number},Dog,True,1,A")
    (folder / "ESC-50-master" / "meta" / "esc50.csv").write_text("\n".join(lines))


def _read_sounds(folder: Path) -> Any:
    from jaxeager.dataset import common

    before, common.DATA_HOME = common.DATA_HOME, str(folder)
    try:
        return _items(paddle.audio.datasets.ESC50())
    finally:
        common.DATA_HOME = before


def _make_archives(folder: Path) -> None:
    contents: dict[str, bytes | str] = {"top/a.txt": "one", "top/b/c.txt": "two"}
    tar(folder / "a.tar.gz", contents)
    with zipfile.ZipFile(folder / "b.zip", "w") as archive:
        for name, text in contents.items():
            archive.writestr(name, text)


def _read_archives(folder: Path) -> Any:
    found = []
    for name in ("a.tar.gz", "b.zip"):
        inner = folder / f"of_{name}"
        inner.mkdir()
        (inner / name).write_bytes((folder / name).read_bytes())
        path = download.get_path_from_url(f"https://host/{name}", str(inner))
        files = sorted(each for each in Path(path).rglob("*") if each.is_file())
        found.append([(str(each.relative_to(inner)), each.read_bytes()) for each in files])
    outside = {each.name for each in folder.parent.iterdir()} - {folder.name}
    assert not outside, outside
    return found


# ---- files of tools


def _make_recording(folder: Path) -> None:
    quiet = paddle.profiler.Profiler(on_trace_ready=lambda profiler: None)
    with quiet as seen:
        (paddle.ones([2]) + 1).sum()
    seen.export(str(folder / "seen.pb"), "pb")


def _read_recording(folder: Path) -> Any:
    found = paddle.profiler.load_profiler_result(str(folder / "seen.pb"))
    rows = []
    waiting = [*found.get_data().values()]
    while waiting:
        node = waiting.pop()
        rows.append((node.name, str(node.type), node.start_ns, node.end_ns))
        waiting += node.children_node
    return rows, found.get_extra_info(), found.get_version()


def _loss() -> Any:
    layer = paddle.nn.Linear(2, 2)
    return (layer(paddle.ones([1, 2])).tanh() * 2).sum()


def _make_graph(folder: Path) -> None:
    (folder / "graph.json").write_text(json.dumps(graph_data(_loss())))


def _read_graph(folder: Path) -> Any:
    from jaxeager.debug.explorer.page import page_of

    data = explorer._data_of(folder / "graph.json", -1)
    return page_of(data)


def _make_dumps(folder: Path) -> None:
    _loss().backward(dump_backward_graph_path=str(folder))


def _read_dumps(folder: Path) -> Any:
    return explorer_files.table_of(folder).data()


def _make_checksums(folder: Path) -> None:
    for name in "ab":
        lines = [f"add{n}_out_float32_2x3:{n:032x}\n" for n in range(4)]
        (folder / f"{name}.log").write_text("".join(lines))


def _read_checksums(folder: Path) -> Any:
    found = diff.compare(diff.read_run(str(folder / "a.log")), diff.read_run(str(folder / "b.log")))
    return repr(found).replace(str(folder), "")


def _make_numbers(folder: Path) -> None:
    line = (
        "[PRECISION] in [device=cpu, op=add, tensor=add{}_out_float32_2x3, dtype=fp32], numel=1, "
        "num_nan=0, num_inf=0, num_zero=1, max=2e+00, min=2e+00, mean=2e+00\n"
    )
    for name in ("one", "other"):
        (folder / name).mkdir()
        (folder / name / "worker_cpu.log").write_text("".join(line.format(n) for n in range(3)))


def _read_numbers(folder: Path) -> Any:
    out = folder / "out.csv"
    with contextlib.redirect_stdout(io.StringIO()):
        accuracy_compare.compare(str(folder / "one"), str(folder / "other"), str(out))
    return [each.read_bytes() for each in sorted(folder.glob("out*"))]


FORMATS = {
    "pdparams": Format(
        _make_params, lambda f: paddle.load(str(f / "net.pdparams")), ("net.pdparams",)
    ),
    "pdopt": Format(_make_params, lambda f: paddle.load(str(f / "net.pdopt")), ("net.pdopt",)),
    "safetensors": Format(_make_tensors, lambda f: paddle.load(str(f / "net.safetensors"))),
    "hapi": Format(_make_params, _read_model, ("net.pdparams",)),
    "program": Format(_make_program, _read_program, has_digest=True),
    "checkpoint": Format(_make_checkpoint, _read_checkpoint, has_digest=True),
    "signed program": Format(
        _make_program, _read_program, ("net.signature.json", "net.safetensors"), mend=_sign
    ),
    "old checkpoint": Format(_make_old_checkpoint, _read_checkpoint),
    "kernel": Format(_make_kernel, _read_kernel, has_digest=True, skips=True),
    "digits": Format(
        _make_digits,
        lambda f: _items(
            paddle.vision.datasets.MNIST(str(f / "images.gz"), str(f / "labels.gz"), backend="cv2")
        ),
    ),
    "cifar": Format(
        _make_cifar,
        lambda f: _items(paddle.vision.datasets.Cifar10(str(f / "cifar.tar.gz"), backend="cv2")),
    ),
    "flowers": Format(_make_flowers, _read_flowers),
    "voc": Format(
        _make_voc,
        lambda f: _items(paddle.vision.datasets.VOC2012(str(f / "voc.tar"), backend="cv2")),
    ),
    "pictures": Format(_make_pictures, _read_pictures),
    "imdb": Format(_make_imdb, lambda f: _items(paddle.text.Imdb(str(f / "imdb.tgz"), cutoff=1))),
    "ptb": Format(
        _make_ptb,
        lambda f: _items(paddle.text.Imikolov(str(f / "ptb.tgz"), window_size=2, min_word_freq=1)),
    ),
    "films": Format(_make_films, lambda f: _items(paddle.text.Movielens(str(f / "ml-1m.zip")))),
    "roles": Format(_make_roles, _read_roles),
    "wmt14": Format(
        _make_wmt14, lambda f: _items(paddle.text.WMT14(str(f / "wmt.tgz"), dict_size=5))
    ),
    "wmt16": Format(
        _make_wmt16, lambda f: _items(paddle.text.WMT16(str(f / "wmt.tgz"), "train", 9, 9))
    ),
    "housing": Format(
        _make_housing, lambda f: _items(paddle.text.UCIHousing(str(f / "housing.data")))
    ),
    "sound": Format(_make_sound, _read_sound, errors=(UnimplementedError,)),
    "sounds": Format(_make_sounds, _read_sounds, errors=(UnimplementedError,)),
    "archives": Format(_make_archives, _read_archives),
    "recording": Format(_make_recording, _read_recording),
    "graph": Format(_make_graph, _read_graph),
    "dumps": Format(_make_dumps, _read_dumps),
    "checksums": Format(_make_checksums, _read_checksums, errors=(diff.UnusableError,)),
    "numbers": Format(_make_numbers, _read_numbers),
}
