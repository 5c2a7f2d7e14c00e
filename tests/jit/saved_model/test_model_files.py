"""Untrusted files: damaged ones, or those with ops that no saved program has, raise."""

import hashlib
import json
import random
import subprocess
from unittest import mock

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import jaxeager as paddle
from jaxeager.jit.saved_model import signature_form
from jaxeager.jit.saved_model.checked_programs import read_program
from jaxeager.static import InputSpec
from tests.support.processes import printed_by


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    """Return the files of a saved Linear, {name: bytes}."""
    pytest.importorskip("safetensors")
    folder = tmp_path_factory.mktemp("model")
    paddle.jit.save(paddle.nn.Linear(2, 3), f"{folder}/net", [InputSpec([None, 2])])
    return {each.name: each.read_bytes() for each in folder.iterdir()}


SIGNATURE, PROGRAM, WEIGHTS = "net.signature.json", "net.forward.stablehlo", "net.safetensors"


def written(files, folder, **changed):
    """Write files, some of them changed, and return the path to load."""
    for name, data in (files | changed).items():
        if data is not None:
            (folder / name).write_bytes(data)
    return f"{folder}/net"


def signature_with(files, change):
    """Return a signature that was changed, with the digest of its new contents."""
    signature = json.loads(files[SIGNATURE])
    change(signature)
    if isinstance(signature.get("version"), int):
        signature["sha256"] = signature_form.digest_of(signature)
    return json.dumps(signature).encode()


def set_deep(tree, value, *keys):
    for key in keys[:-1]:
        tree = tree[key]
    tree[keys[-1]] = value


@pytest.mark.parametrize(
    "text",
    [
        b"", b"\xff\xfe", b"[]", b"{}", b"3", b'{"form": "other", "version": 1}',
        b'{"form": "jaxeager.jit", "version": 2}',
        b'{"form": "jaxeager.jit", "version": "1"}', b"[" * 100_000,
        b'{"form": "jaxeager.jit", "version": 1}',
    ],
)  # fmt: skip
def test_a_damaged_signature(text, files, tmp_path):
    with pytest.raises(ValueError, match=r"not a signature of paddle\.jit\.save, or it is damaged"):
        paddle.jit.load(written(files, tmp_path, **{SIGNATURE: text}))


@pytest.mark.parametrize(
    ("keys", "value", "message"),
    [
        (["version"], 3, "version 3 of the format; this jaxeager reads up to 2"),
        (["version"], True, "its version is True"),
        (["jax"], None, "jax is None, where str should be"),
        (["methods"], 3, "damaged"),
        (["methods", "forward"], None, "damaged"),
        (["methods", "../../evil"], {}, r"methods\.\.\./\.\./evil\.file is missing"),
        (["methods", "forward", "file"], "../net.forward.stablehlo", "is not next to it"),
        (["methods", "forward", "file"], "/etc/passwd", "is not next to it"),
        (["methods", "forward", "file"], "none", "There is no file"),
        (["methods", "forward", "file"], None, r"methods\.forward\.file is None, where str"),
        (["methods", "forward", "inputs", 0], {}, r"forward\.inputs\[0\]\.name is missing"),
        (["methods", "forward", "sha256"], "0", "is not the program"),
        (["methods", "forward", "inputs"], [], "does not take the weights and inputs"),
        (["methods", "forward", "inputs", 0, "shape"], ["batch", 3], "not take the shapes"),
        (["methods", "forward", "inputs", 0, "name"], 3, r"inputs\[0\]\.name is 3, where str"),
        (["weights", "file"], ["net.safetensors"], r"weights\.file is \['net.safetensors'\]"),
        (["weights", "sha256"], "0", "is not the file of weights that .* was written with"),
        (["weights", "sha256"], None, r"weights\.sha256 is None"),
        (["weights", "tensors", "bias", "kind"], "b", r"tensors\.bias\.kind is 'b'"),
        (["weights", "tensors", "bias", "stop_gradient"], 0, "is 0, where bool should be"),
        (["weights", "tensors", "bias", "also"], ["weight"], "has a name twice"),
        (["weights", "tensors", "bias", "also"], ["a..b"], "nothing before or after a dot"),
        (["weights", "tensors", "bias", "also"], ["training"], "that no Layer can have"),
        (["weights", "tensors", "bias", "shape"], [4], "does not hold the 'bias'"),
        (["weights", "tensors", "bias", "dtype"], "float64", "does not hold the 'bias'"),
        (["weights", "tensors", "bias"], 3, "damaged"),
        (["weights", "tensors"], {}, "does not hold the weights"),
    ],
)
def test_a_signature_with_false_statements(keys, value, message, files, tmp_path):
    text = signature_with(files, lambda signature: set_deep(signature, value, *keys))
    with pytest.raises(ValueError, match=message):
        paddle.jit.load(written(files, tmp_path, **{SIGNATURE: text}))


def test_a_weight_that_changed_is_noticed(files, tmp_path):
    data = bytearray(files[WEIGHTS])
    data[-2] ^= 1  # a digit of a number, which any reader of the format accepts
    with pytest.raises(ValueError, match=r"net\.safetensors is not the file of weights that"):
        paddle.jit.load(written(files, tmp_path, **{WEIGHTS: bytes(data)}))


@pytest.mark.parametrize(
    ("was", "now"),
    [
        (b'"stop_gradient": false', b'"stop_gradient": true'),
        (b'"kind": "parameter"', b'"kind": "buffer"'),
        (b'"tensor_name": "linear', b'"tensor_name": "minear'),
        (b'"version": 2', b'"version": 1'),
    ],
)
def test_a_signature_that_changed_is_noticed(was, now, files, tmp_path):
    assert was in files[SIGNATURE]
    text = files[SIGNATURE].replace(was, now)
    with pytest.raises(ValueError, match="its digest is different"):
        paddle.jit.load(written(files, tmp_path, **{SIGNATURE: text}))


def test_files_of_version_1_have_no_digest_of_weights(files, tmp_path):
    signature = json.loads(files[SIGNATURE])
    signature["version"] = 1
    del signature["sha256"], signature["weights"]["sha256"]
    path = written(files, tmp_path, **{SIGNATURE: json.dumps(signature).encode()})
    assert paddle.jit.load(path)(paddle.ones([1, 2])).shape == [1, 3]


def test_json_that_is_read_in_two_ways_is_refused(files, tmp_path):
    for text, why in (
        (files[SIGNATURE].replace(b'"jax":', b'"jax": "1", "jax":'), "a key twice"),
        (files[SIGNATURE].replace(b'"version": 2', b'"version": NaN'), "NaN is not a JSON number"),
        (files[SIGNATURE].replace(b'"version": 2', b'"version": ' + b"9" * 5000), "ValueError"),
    ):
        with pytest.raises(ValueError, match=f"signature.json is not a signature.*{why}"):
            paddle.jit.load(written(files, tmp_path, **{SIGNATURE: text}))


def test_files_that_are_not_there(files, tmp_path):
    with pytest.raises(ValueError, match=r"There is no file .*net.safetensors"):
        paddle.jit.load(written(files, tmp_path, **{WEIGHTS: None}))
    (tmp_path / "theirs.json").write_text("{}")
    with pytest.raises(ValueError, match=r"theirs.json is a file of Paddle"):
        paddle.jit.load(f"{tmp_path}/theirs")


def test_weights_of_another_model(files, tmp_path):
    paddle.save({"weight": paddle.ones([2, 3])}, f"{tmp_path}/other.safetensors")
    other = (tmp_path / "other.safetensors").read_bytes()
    with pytest.raises(ValueError, match="is not the file of weights"):
        paddle.jit.load(written(files, tmp_path, **{WEIGHTS: other}))
    for data, why in ((other, "does not hold the weights"), (b"garbage", "not a safetensors file")):
        changed = {SIGNATURE: with_digest_of(data, files), WEIGHTS: data}
        with pytest.raises(ValueError, match=why):
            paddle.jit.load(written(files, tmp_path, **changed))


def with_digest_of(data, files, name=WEIGHTS):
    """Return a signature that was created for other weights."""

    def change(signature):
        signature["weights"] |= {"file": name, "sha256": hashlib.sha256(data).hexdigest()}

    return signature_with(files, change)


def test_a_pickle_in_the_place_of_weights_runs_nothing(files, tmp_path):
    class Evil:
        def __reduce__(self):
            return print, ("it ran",)

    import pickle

    data = pickle.dumps(Evil())
    text = with_digest_of(data, files, "net.pdparams")
    changed = {SIGNATURE: text, "net.pdparams": data}
    with mock.patch("builtins.print") as ran, pytest.raises(ValueError, match="builtins"):
        paddle.jit.load(written(files, tmp_path, **changed))
    assert not ran.called


# ---- programs


def exported(function, *shapes, **options):
    given = [jax.ShapeDtypeStruct(shape, "float32") for shape in shapes]
    return bytes(jax.export.export(jax.jit(function), **options)(*given).serialize(vjp_order=1))


def with_call(target):
    """Return a program that calls a function of the process by its name."""

    def function(x):
        return jax.ffi.ffi_call(target, jax.ShapeDtypeStruct(x.shape, x.dtype))(x)

    check = jax.export.DisabledSafetyCheck.custom_call(target)
    given = jax.ShapeDtypeStruct((3,), "float32")
    program = jax.export.export(jax.jit(function), disabled_checks=[check])(given)
    return bytes(program.serialize())


def test_a_program_that_calls_into_the_process_is_refused():
    for target in ("xla_python_cpu_callback", "xla_ffi_python_cpu_callback", "anything"):
        with pytest.raises(ValueError, match=f"calls the function '{target}' of this process"):
            read_program(with_call(target), "net.stablehlo")
    assert read_program(with_call("lapack_sgetrf_ffi"), "net.stablehlo") is not None


def test_kernels_of_linear_algebra_and_random_numbers_are_known():
    def compute(x):
        key = jax.random.key(0)
        return jnp.linalg.qr(x)[0] @ jnp.linalg.inv(x) + jax.random.normal(key, (3, 3))

    data = exported(compute, (3, 3), platforms=("cpu", "cuda", "tpu"))
    assert read_program(data, "net.stablehlo").has_vjp()


@pytest.mark.parametrize("data", [b"", b"garbage", bytes(1000), b"\xff" * 1000])
def test_other_bytes_than_a_program_are_refused(data):
    with pytest.raises(ValueError, match=r"net\.stablehlo is not a program of paddle\.jit\.save"):
        read_program(data, "net.stablehlo")


def test_bytes_that_flipped_are_noticed(files, tmp_path):
    draws = random.Random(7)
    for _ in range(20):
        data = bytearray(files[PROGRAM])
        data[draws.randrange(len(data))] ^= draws.randrange(1, 256)
        with pytest.raises(ValueError, match="is not the program"):
            paddle.jit.load(written(files, tmp_path, **{PROGRAM: bytes(data)}))


def test_a_program_that_ends_its_reader(files):
    odd = mock.patch("subprocess.run", return_value=mock.Mock(returncode=-11))
    slow = mock.patch("subprocess.run", side_effect=subprocess.TimeoutExpired("python", 60))
    other = exported(lambda x: x * 7, (3,))
    with odd, pytest.raises(ValueError, match="read it first ended by signal 11"):
        read_program(other, "net.stablehlo")
    with slow, pytest.raises(ValueError, match="takes more than 60 s to read"):
        read_program(other, "net.stablehlo")
    with mock.patch("subprocess.run", side_effect=AssertionError("was trusted")):
        read_program(files[PROGRAM], "net.stablehlo")  # this process wrote it
        with pytest.raises(ValueError, match="was trusted"):
            read_program(other, "net.stablehlo")


FLIPPED = """
import random
import subprocess
import sys
import sys

from jaxeager.errors import InvalidArgumentError
from jaxeager.jit.saved_model import signature_form
from jaxeager.jit.saved_model.checked_programs import read_program

whole, refused = open(sys.argv[1], "rb").read(), 0
for seed in range(60):
    draws, data = random.Random(seed), bytearray(whole)
    for _ in range(draws.choice([1, 1, 2, 8])):
        data[draws.randrange(len(data))] ^= draws.randrange(1, 256)
    if draws.random() < 0.2:
        del data[draws.randrange(len(data)) :]
    try:
        read_program(bytes(data), "net.stablehlo")
    except InvalidArgumentError:
        refused += 1
print(refused)
"""


@pytest.mark.deep
def test_damaged_programs_with_a_right_digest_are_refused_and_end_no_process(files, tmp_path):
    (tmp_path / PROGRAM).write_bytes(files[PROGRAM])
    assert int(printed_by(FLIPPED, str(tmp_path / PROGRAM))) > 30


def test_a_program_for_another_platform_says_so(files, tmp_path):
    path = written(files, tmp_path)
    loaded = paddle.jit.load(path)
    with (
        mock.patch("jax.export.default_export_platform", return_value="rocm"),
        pytest.raises(RuntimeError, match="saved for cpu, cuda, tpu, but this machine has rocm"),
    ):
        loaded(paddle.ones([1, 2]))


def test_a_save_that_fails_leaves_the_old_files(files, tmp_path):
    path = written(files, tmp_path)
    wanted = paddle.jit.load(path)(paddle.ones([1, 2])).tolist()
    with pytest.raises(ValueError, match="matmul"):
        paddle.jit.save(paddle.nn.Linear(2, 3), path, [InputSpec([None, 5])])
    assert paddle.jit.load(path)(paddle.ones([1, 2])).tolist() == wanted
    assert np.isfinite(wanted).all()
