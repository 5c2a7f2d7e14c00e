"""save and load: round trips, Paddle's files both ways, and files that cannot be trusted."""

import argparse
import codecs
import io
import os
import pickle
import subprocess
import sys
from collections import OrderedDict, namedtuple

import ml_dtypes
import numpy as np
import pytest

import jaxeager as paddle
from jaxeager.core import dtypes
from jaxeager.errors import (
    InvalidArgumentError,
    InvalidTypeError,
    UnavailableError,
    UnimplementedError,
)
from tests.parity.harness import needed_paddle
from tests.parity.questions import paddle_says, write_files


def _there_and_back(obj, protocol=4, **configs):
    file = io.BytesIO()
    paddle.save(obj, file, protocol=protocol)
    file.seek(0)
    return paddle.load(file, **configs)


def _network():
    """Return a small network and an Adam that has stepped."""
    network = paddle.nn.Sequential(paddle.nn.Linear(3, 4), paddle.nn.Linear(4, 2))
    scheduler = paddle.optimizer.lr.StepDecay(0.1, 2)
    adam = paddle.optimizer.Adam(scheduler, parameters=network.parameters())
    network(paddle.ones([2, 3])).sum().backward()
    adam.step()
    return network, adam


# ---- round trips


@pytest.mark.parametrize("protocol", [2, 3, 4])
@pytest.mark.parametrize("dtype", [n for n in dtypes.NAMES if n != "uint16"])
def test_every_dtype(dtype, protocol):
    """A tensor keeps its values, dtype, shape and name."""
    tensor = paddle.to_tensor(np.array([[0, 1, 2]]), dtype=dtype)
    found = _there_and_back(tensor, protocol)
    assert found.dtype == dtype
    assert found.shape == [1, 3]
    assert found.name == tensor.name
    assert found.stop_gradient
    np.testing.assert_array_equal(found.numpy(), tensor.numpy())


@pytest.mark.parametrize("protocol", [2, 3, 4])
def test_layers_and_optimizers(protocol, tmp_path):
    """State dicts of a network and its Adam are loaded into new ones."""
    network, adam = _network()
    paddle.save(network.state_dict(), tmp_path / "net.pdparams", protocol=protocol)
    paddle.save(adam.state_dict(), tmp_path / "net.pdopt", protocol=protocol)
    loaded = paddle.load(tmp_path / "net.pdparams")
    assert [loaded[key].name for key in loaded] == [p.name for p in network.parameters()]
    other, _ = _network()
    other.set_state_dict(loaded)
    state = paddle.load(str(tmp_path / "net.pdopt"))
    assert state["LR_Scheduler"] == {"last_epoch": 0, "last_lr": 0.1}
    adam.set_state_dict(state)
    for param, twin in zip(network.parameters(), other.parameters(), strict=True):
        np.testing.assert_array_equal(param.numpy(), twin.numpy())
    for key, value in adam.state_dict().items():
        if key != "LR_Scheduler":
            np.testing.assert_array_equal(value.numpy(), state[key].numpy())


def test_containers():
    """Nested containers keep their kinds; numbers, text and None their values."""
    obj = {
        "list": [paddle.to_tensor([1.0]), (1, 2.5, "x", None, True, 1j, b"b")],
        "ordered": OrderedDict([("b", 1), ("a", paddle.to_tensor(2))]),
        "set": {1, 2},
        3: np.float32(0.5),
        "array": np.arange(3),
        "size": paddle.ones([2, 3]).size,
        "shape": paddle.ones([2, 3]).shape,
    }
    found = _there_and_back(obj)
    assert found["list"][0].tolist() == [1.0]
    assert found["list"][1] == (1, 2.5, "x", None, True, 1j, b"b")
    assert list(found["ordered"]) == ["b", "a"]
    assert found["ordered"]["a"].item() == 2
    assert [found["set"], found[3], found["size"], found["shape"]] == [{1, 2}, 0.5, 6, [2, 3]]
    assert isinstance(found["array"], np.ndarray)  # as in Paddle, next to tensors
    assert isinstance(_there_and_back({"array": np.arange(3)})["array"], paddle.Tensor)


@pytest.mark.parametrize("protocol", [2, 4])
def test_settings_together_with_weights(protocol):
    """Checkpoints hold the arguments of a program; Paddle pickles them unchanged."""
    args = argparse.Namespace(lr=0.1, sizes=[1, (2, None)], mean=np.ones(3))
    args.first = paddle.to_tensor([1.5])
    found = _there_and_back({"model": {"w": paddle.ones([1])}, "args": args}, protocol)["args"]
    assert [found.lr, found.sizes, found.first.tolist()] == [0.1, [1, (2, None)], [1.5]]
    found.mean[0] = 2  # its own memory
    assert isinstance(args.first, paddle.Tensor)


def test_return_numpy_and_name_table():
    """load has these options."""
    state = {"w": paddle.to_tensor([1.5], dtype="bfloat16"), "v": paddle.to_tensor([1.5])}
    found = _there_and_back(state, return_numpy=True)
    assert [found["w"].dtype, found["v"].dtype] == ["uint16", "float32"]
    np.testing.assert_array_equal(found["w"].view(ml_dtypes.bfloat16), [1.5])
    kept = _there_and_back(state, keep_name_table=True)
    assert kept["StructuredToParameterName@@"] == {k: v.name for k, v in state.items()}
    assert set(_there_and_back(state)) == {"w", "v"}
    nested = _there_and_back([paddle.to_tensor([2.0]), 1], return_numpy=True)
    assert isinstance(nested[0], np.ndarray)


def test_big_arrays_are_cut(monkeypatch):
    """Protocols below 4 get slices, as in Paddle, and they are put together again."""
    monkeypatch.setattr("jaxeager.framework.io.plain.SLICE_BYTES", 16)
    state = {"big": paddle.arange(10, dtype="float32").reshape([2, 5]), "small": paddle.ones([2])}
    file = io.BytesIO()
    paddle.save(state, file, protocol=2)
    plain = pickle.loads(file.getvalue())
    assert plain["UnpackBigParamInfor@@"]["big"]["slices"] == ["big@@.0", "big@@.1", "big@@.2"]
    found = _there_and_back(state, 2)
    assert set(found) == {"big", "small"}
    np.testing.assert_array_equal(found["big"].numpy(), state["big"].numpy())


def test_the_form_is_paddles():
    """Plain pickles: a state dict is arrays and a table of names, other tensors are tuples."""
    file = io.BytesIO()
    tensor = paddle.to_tensor([1.0])
    paddle.save({"w": tensor}, file)
    plain = pickle.loads(file.getvalue())
    assert type(plain["w"]) is np.ndarray
    assert plain["StructuredToParameterName@@"] == {"w": tensor.name}
    file = io.BytesIO()
    paddle.save([tensor], file)
    name, array = pickle.loads(file.getvalue())[0]
    assert name == tensor.name
    assert array.tolist() == [1.0]


# ---- files


def test_folders_are_made(tmp_path):
    """Paddle creates them, too."""
    path = tmp_path / "a" / "b" / "x.pdparams"
    paddle.save({"n": 1}, path)
    assert paddle.load(path) == {"n": 1}
    assert os.listdir(path.parent) == ["x.pdparams"]


def test_a_failed_save_leaves_the_old_file(tmp_path, monkeypatch):
    """The file is replaced completely or not at all, and no other file is left next to it."""
    path = tmp_path / "x.pdparams"
    paddle.save({"n": 1}, path)

    def fail(obj, file, protocol):
        file.write(b"half")
        raise OSError("disk full")

    monkeypatch.setattr(pickle, "dump", fail)
    with pytest.raises(OSError, match="disk full"):
        paddle.save({"n": 2}, path)
    assert os.listdir(tmp_path) == ["x.pdparams"]
    assert paddle.load(path) == {"n": 1}


def test_file_permissions_follow_the_umask(tmp_path):
    """They are not those of a private temporary file."""
    (tmp_path / "plain").write_bytes(b"")
    paddle.save(1, tmp_path / "saved")
    assert (tmp_path / "saved").stat().st_mode == (tmp_path / "plain").stat().st_mode


Point = namedtuple("Point", "x y")
CANNOT_SAVE = [
    (lambda p: paddle.save(paddle.nn.Linear(2, 2), p), InvalidArgumentError, "its state_dict"),
    (lambda p: paddle.save({"a": [paddle.nn.ReLU()]}, p), InvalidArgumentError, "saving a ReLU"),
    (lambda p: paddle.save(lambda: 1, p), InvalidTypeError, "cannot write a function"),
    (lambda p: paddle.save(Point(1, 2), p), InvalidTypeError, "cannot write a Point"),
    (lambda p: paddle.save({paddle.ones([1])}, p), InvalidTypeError, "sets without tensors"),
    (lambda p: paddle.save(np.array([None]), p), InvalidTypeError, "cannot write a ndarray"),
    (
        lambda p: paddle.save(paddle.to_tensor([1], dtype=paddle.uint16), p),
        InvalidArgumentError,
        "uint16, which means bfloat16 in Paddle's files",
    ),
    (lambda p: paddle.save(1, ""), InvalidArgumentError, "filename is empty"),
    (lambda p: paddle.save(1, f"{p}/"), InvalidArgumentError, "filename is empty"),
    (lambda p: paddle.save(1, 3), InvalidArgumentError, "only supports saving objects to file"),
    (lambda p: paddle.save(1, p, protocol=5), InvalidArgumentError, "int from 2 to 4, .* 5"),
    (lambda p: paddle.save(1, p, protocol="4"), InvalidArgumentError, "int from 2 to 4"),
    (
        lambda p: paddle.save(1, p, some=1),
        InvalidArgumentError,
        "config \\(some\\) of `paddle.save",
    ),
    (lambda p: paddle.save(1, p, use_binary_format=True), UnimplementedError, "expected Tensor"),
    (lambda p: paddle.save(1, p, use_binary_format=1), InvalidTypeError, "should be bool"),
]


@pytest.mark.parametrize(("call", "kind", "text"), CANNOT_SAVE)
def test_cannot_save(call, kind, text, tmp_path):
    """The error is raised before anything is written."""
    with pytest.raises(kind, match=text):
        call(tmp_path / "file")
    assert os.listdir(tmp_path) == []


def test_cannot_load(tmp_path):
    """There is no file, a name without its ending, or an invalid option."""
    paddle.save({"n": 1}, tmp_path / "net.pdparams")
    with pytest.raises(InvalidArgumentError, match=r"not exists\. There is .*net\.pdparams"):
        paddle.load(tmp_path / "net")
    with pytest.raises(InvalidArgumentError, match=r"config \(some\) of `paddle.load"):
        paddle.load(tmp_path / "net.pdparams", some=1)
    with pytest.raises(InvalidTypeError, match="takes a file name or `BytesIO`, but got int"):
        paddle.load(3)
    with pytest.raises(UnimplementedError, match="model_filename"):
        paddle.load(tmp_path / "net.pdparams", model_filename="m")


# ---- files that cannot be trusted


class _Runs:
    """Pickles as a call."""

    def __init__(self, function, *args):
        self.call = function, args

    def __reduce__(self):
        return self.call


def _raise(*args):
    raise AssertionError("load ran code of the file")


HOSTILE = {
    "os.system": pickle.dumps(_Runs(os.system, "exit 1")),
    "eval": pickle.dumps({"w": _Runs(eval, "1")}),
    "a function of this file": pickle.dumps([_Runs(_raise)]),
    "getattr": pickle.dumps(_Runs(getattr, "", "join")),
    "import by a dotted name": b"\x80\x04\x8c\x08builtins\x8c\x0aint.__new__\x93.",
    "an array of objects": pickle.dumps(np.array([_Runs(_raise)], dtype=object)),
    "an object dtype": pickle.dumps(np.dtype(object)),
    "ndarray called": b"cnumpy\nndarray\n(I5\ntR.",
    "ndarray made": b"cnumpy\nndarray\n)\x81.",
    "a subclass of ndarray": pickle.dumps(np.zeros(2).view(np.recarray)),
    "another codec": pickle.dumps(_Runs(codecs.encode, "a", "rot13"), 2),
    "numpy's own pickle": b"cnumpy\nload\n(S'x'\ntR.",
    "a persistent id": b"Pid\n.",
    "an extension code": b"\x80\x02\x82\x01.",
    "nothing": b"",
    "text": b"hello",
    "half a file": pickle.dumps({"w": np.ones(50)})[:-60],
    "a number of bytes that does not fit": pickle.dumps(np.ones(3)).replace(b"K\x03", b"K\x09", 1),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_and_damaged_files(name):
    """Each raises one clear error, and nothing in the file runs."""
    with pytest.raises(InvalidArgumentError, match=r"`paddle\.load` can not parse the file"):
        paddle.load(io.BytesIO(HOSTILE[name]))


def test_damaged_anywhere():
    """With a byte changed or the end cut off: an InvalidArgumentError, or still plain data."""
    file = io.BytesIO()
    state = {"w": paddle.ones([2, 2]), "LR_Scheduler": {"last_lr": 0.5}, "n": {"x": [1, (2, "y")]}}
    paddle.save(state, file, protocol=2)
    whole, draw, refused = file.getvalue(), np.random.RandomState(0), 0
    for trial in range(400):
        data = bytearray(whole[: draw.randint(len(whole))] if trial % 4 == 0 else whole)
        for _ in range(draw.randint(3)):
            if data:
                data[draw.randint(len(data))] = draw.randint(256)
        try:
            paddle.load(io.BytesIO(bytes(data)))
        except InvalidArgumentError:
            refused += 1
    assert refused > 200


def test_the_error_names_what_was_requested(tmp_path):
    """The error also names the file."""
    path = tmp_path / "bad.pdparams"
    path.write_bytes(HOSTILE["os.system"])
    with pytest.raises(
        InvalidArgumentError, match=r"bad\.pdparams: it requests (posix|nt)\.system \(at byte \d+\)"
    ):
        paddle.load(path)


@pytest.mark.parametrize("protocol", range(6))
def test_pickles_of_every_protocol(protocol):
    """Arrays that NumPy itself pickled, of both orders, big endian too, and scalars."""
    obj = {
        "c": np.arange(6.0).reshape(2, 3),
        "f": np.asfortranarray(np.arange(6.0).reshape(2, 3)),
        "big": np.arange(3, dtype=">i4"),
        "scalar": np.float64(1.5),
        "complex": np.complex64(1 + 2j),
    }
    found = paddle.load(io.BytesIO(pickle.dumps(obj, protocol)), return_numpy=True)
    for key, value in obj.items():
        np.testing.assert_array_equal(found[key], value)


def test_old_module_names():
    """NumPy 1 called them numpy.core."""
    data = pickle.dumps(np.arange(3), 2).replace(b"numpy._core", b"numpy.core")
    assert paddle.load(io.BytesIO(data)).tolist() == [0, 1, 2]


# ---- safetensors


def test_safetensors(tmp_path):
    """It is chosen by name or by option, and holds every dtype of the format."""
    pytest.importorskip("safetensors")
    state = {
        "w": paddle.to_tensor([[1.5, 2.5]], dtype="bfloat16"),
        "b": paddle.to_tensor(3.0),
        "n": paddle.to_tensor([1, 2]),
        "m": paddle.to_tensor([True]),
        "e": paddle.zeros([0, 2]),
    }
    path = tmp_path / "net.safetensors"
    paddle.save(state, path)
    paddle.save(state, tmp_path / "other", safetensors=True)
    assert path.read_bytes() == (tmp_path / "other").read_bytes()
    for found in (paddle.load(path), paddle.load(tmp_path / "other", safetensors=True)):
        for key, tensor in state.items():
            assert found[key].dtype == tensor.dtype
            assert found[key].shape == tensor.shape
            assert found[key].tolist() == tensor.tolist()
    assert paddle.load(path, return_numpy=True)["n"].tolist() == [1, 2]


def test_safetensors_refuses(tmp_path):
    """It refuses a value that is not a flat dict of tensors, and a file of another format."""
    pytest.importorskip("safetensors")
    path = tmp_path / "net.safetensors"
    with pytest.raises(InvalidArgumentError, match=r"flat dict of tensors.*\['int'\]"):
        paddle.save({"n": 1}, path)
    with pytest.raises(InvalidArgumentError, match="complex128"):
        paddle.save({"n": paddle.to_tensor([1j], dtype="complex128")}, path)
    path.write_bytes(b"hello")
    with pytest.raises(InvalidArgumentError, match="is not a safetensors file"):
        paddle.load(path)


def test_safetensors_is_an_extra(tmp_path, monkeypatch):
    """Without the package one line names the package to install."""
    monkeypatch.setitem(sys.modules, "safetensors", None)
    with pytest.raises(UnavailableError, match=r"pip install 'jaxeager\[io\]'"):
        paddle.save({"w": paddle.ones([1])}, tmp_path / "net.safetensors")


# ---- real Paddle, in a separate process

_PADDLE_READS = """
import sys, numpy as np, paddle
folder = sys.argv[1]
net = paddle.nn.Linear(3, 2)
state = paddle.load(f"{folder}/net.pdparams")
net.set_state_dict(state)
np.testing.assert_array_equal(net.weight.numpy(), np.arange(6, dtype="float32").reshape(3, 2))
assert state["weight"].name == "the_weight", state["weight"].name
nested = paddle.load(f"{folder}/nested")
assert nested["a"][0].dtype == paddle.bfloat16 and nested["a"][0].shape == [1]
assert nested["a"][1] == (1, "x") and nested["n"] == 3
opt = paddle.load(f"{folder}/net.pdopt")
np.testing.assert_allclose(opt["the_weight_moment1_0"].numpy(), np.full([3, 2], 0.2), rtol=1e-6)
np.testing.assert_allclose(opt["the_weight_beta1_pow_acc_0"].numpy(), [0.81], rtol=1e-6)
print("read", sorted(opt))
"""


def test_we_read_paddles_files(tmp_path):
    """Real Paddle wrote a network, an optimizer and nested tensors."""
    write_files(paddle_says("saved_files"), tmp_path)
    expected = np.load(tmp_path / "expected.npz")
    for protocol in (2, 4):
        state = paddle.load(tmp_path / f"net{protocol}.pdparams")
        network = paddle.nn.Linear(3, 2)
        network.set_state_dict(state)
        for key, param in network.state_dict().items():
            np.testing.assert_array_equal(param.numpy(), expected[key])
        named = [
            paddle.nn.Parameter(param, name=state[key].name)
            for key, param in network.state_dict().items()
        ]
        scheduler = paddle.optimizer.lr.StepDecay(0.1, 2)
        adam = paddle.optimizer.Adam(scheduler, parameters=named)
        loaded = paddle.load(tmp_path / f"net{protocol}.pdopt")
        adam.set_state_dict(loaded)
        for param in named:
            param.grad = paddle.zeros(param.shape)
        adam.step()
        moment = f"{named[0].name}_moment1_0"
        np.testing.assert_allclose(
            adam.state_dict()[moment].numpy(), loaded[moment].numpy() * 0.9, rtol=1e-6
        )
        nested = paddle.load(tmp_path / f"nested{protocol}")
        assert nested["a"][0].dtype == "bfloat16"
        assert nested["a"][0].tolist() == [1.5]
        assert nested["a"][1] == (1, "x")
        assert nested["c"].item() == 1j


@pytest.mark.live
def test_paddle_reads_our_files(tmp_path):
    """The same holds in the other direction."""
    weight = paddle.nn.Parameter(
        paddle.arange(6, dtype="float32").reshape([3, 2]), name="the_weight"
    )
    bias = paddle.nn.Parameter(paddle.zeros([2]), name="the_bias")
    paddle.save({"weight": weight, "bias": bias}, tmp_path / "net.pdparams")
    adam = paddle.optimizer.Adam(0.1, parameters=[weight])
    weight.grad = paddle.full([3, 2], 2.0)
    adam.step()
    paddle.save(adam.state_dict(), tmp_path / "net.pdopt")
    nested = {"a": [paddle.to_tensor([1.5], dtype="bfloat16"), (1, "x")], "n": 3}
    paddle.save(nested, tmp_path / "nested")
    done = subprocess.run(
        [needed_paddle(), "-W", "ignore", "-c", _PADDLE_READS, str(tmp_path)],
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.returncode == 0, done.stderr[-2000:]
    assert "read ['the_weight_beta1_pow_acc_0'" in done.stdout
