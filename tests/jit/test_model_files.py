"""Files of strangers: what is damaged, or does what no saved program does, raises."""

import json
import random
import subprocess
import sys
from unittest import mock

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import jaxeager as paddle
from jaxeager.jit.checked_programs import read_program
from jaxeager.static import InputSpec


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    """Returns the files of a saved Linear, {name: bytes}."""
    pytest.importorskip("safetensors")
    folder = tmp_path_factory.mktemp("model")
    paddle.jit.save(paddle.nn.Linear(2, 3), f"{folder}/net", [InputSpec([None, 2])])
    return {each.name: each.read_bytes() for each in folder.iterdir()}


SIGNATURE, PROGRAM, WEIGHTS = "net.signature.json", "net.forward.stablehlo", "net.safetensors"


def written(files, folder, **changed):
    """Writes files, some of them changed, and returns the path to load."""
    for name, data in (files | changed).items():
        if data is not None:
            (folder / name).write_bytes(data)
    return f"{folder}/net"


def signature_with(files, change):
    signature = json.loads(files[SIGNATURE])
    change(signature)
    return json.dumps(signature).encode()


def set_deep(tree, value, *keys):
    for key in keys[:-1]:
        tree = tree[key]
    tree[keys[-1]] = value


@pytest.mark.parametrize(
    "text",
    [
        b"", b"\xff\xfe", b"[]", b"{}", b"3", b'{"form": "other", "version": 1}',
        b'{"form": "jaxeager.jit", "version": "1"}', b"[" * 100_000,
        b'{"form": "jaxeager.jit", "version": 1}',
    ],
)  # fmt: skip
def test_a_damaged_signature(text, files, tmp_path):
    with pytest.raises(ValueError, match=r"no signature of paddle\.jit\.save, or it is damaged"):
        paddle.jit.load(written(files, tmp_path, **{SIGNATURE: text}))


@pytest.mark.parametrize(
    ("keys", "value", "message"),
    [
        (["version"], 2, "version 2 of its form; this jaxeager reads up to 1"),
        (["methods"], 3, "damaged"),
        (["methods", "forward"], None, "damaged"),
        (["methods", "../../evil"], {}, r"it names the method '\.\./\.\./evil'"),
        (["methods", "forward", "file"], "../net.forward.stablehlo", "does not lie beside it"),
        (["methods", "forward", "file"], "/etc/passwd", "does not lie beside it"),
        (["methods", "forward", "file"], "none", "There is no file"),
        (["methods", "forward", "sha256"], "0", "is not the program"),
        (["methods", "forward", "inputs"], [], "does not take the weights and inputs"),
        (["methods", "forward", "inputs", 0, "shape"], ["batch", 3], "not take the shapes"),
        (["methods", "forward", "inputs", 0, "name"], 3, "does not take the weights and inputs"),
        (["weights", "file"], ["net.safetensors"], "does not lie beside it"),
        (["weights", "tensors", "bias", "shape"], [4], "does not hold the 'bias'"),
        (["weights", "tensors", "bias", "dtype"], "float64", "does not hold the 'bias'"),
        (["weights", "tensors", "bias"], 3, "damaged"),
        (["weights", "tensors"], {}, "does not hold the weights"),
    ],
)
def test_a_signature_that_lies(keys, value, message, files, tmp_path):
    text = signature_with(files, lambda signature: set_deep(signature, value, *keys))
    with pytest.raises(ValueError, match=message):
        paddle.jit.load(written(files, tmp_path, **{SIGNATURE: text}))


def test_files_that_are_not_there(files, tmp_path):
    with pytest.raises(ValueError, match=r"There is no file .*net.safetensors"):
        paddle.jit.load(written(files, tmp_path, **{WEIGHTS: None}))
    (tmp_path / "theirs.json").write_text("{}")
    with pytest.raises(ValueError, match=r"theirs.json is of Paddle itself"):
        paddle.jit.load(f"{tmp_path}/theirs")


def test_weights_of_another_model(files, tmp_path):
    paddle.save({"weight": paddle.ones([2, 3])}, f"{tmp_path}/other.safetensors")
    other = (tmp_path / "other.safetensors").read_bytes()
    with pytest.raises(ValueError, match="does not hold the weights"):
        paddle.jit.load(written(files, tmp_path, **{WEIGHTS: other}))
    with pytest.raises(ValueError, match="no safetensors file"):
        paddle.jit.load(written(files, tmp_path, **{WEIGHTS: b"garbage"}))


def test_a_pickle_in_the_place_of_weights_runs_nothing(files, tmp_path):
    class Evil:
        def __reduce__(self):
            return print, ("it ran",)

    import pickle

    text = signature_with(files, lambda s: set_deep(s, "net.pdparams", "weights", "file"))
    changed = {SIGNATURE: text, "net.pdparams": pickle.dumps(Evil())}
    with mock.patch("builtins.print") as ran, pytest.raises(ValueError, match="builtins"):
        paddle.jit.load(written(files, tmp_path, **changed))
    assert not ran.called


# ---- programs


def exported(function, *shapes, **options):
    given = [jax.ShapeDtypeStruct(shape, "float32") for shape in shapes]
    return bytes(jax.export.export(jax.jit(function), **options)(*given).serialize(vjp_order=1))


def with_call(target):
    """Returns a program that calls a function of the process by its name."""

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
def test_what_is_no_program(data):
    with pytest.raises(ValueError, match=r"net\.stablehlo is no program of paddle\.jit\.save"):
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
from jaxeager.jit.checked_programs import read_program

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
    command = [sys.executable, "-c", FLIPPED, str(tmp_path / PROGRAM)]
    ran = subprocess.run(command, capture_output=True, check=False)
    assert ran.returncode == 0, ran.stderr[-2000:]
    assert int(ran.stdout) > 30


def test_a_program_for_another_platform_says_so(files, tmp_path):
    path = written(files, tmp_path)
    loaded = paddle.jit.load(path)
    with (
        mock.patch("jax.export.default_export_platform", return_value="rocm"),
        pytest.raises(RuntimeError, match="saved for cpu, cuda, tpu, and this is rocm"),
    ):
        loaded(paddle.ones([1, 2]))


def test_a_save_that_fails_leaves_the_old_files(files, tmp_path):
    path = written(files, tmp_path)
    wanted = paddle.jit.load(path)(paddle.ones([1, 2])).tolist()
    with pytest.raises(ValueError, match="matmul"):
        paddle.jit.save(paddle.nn.Linear(2, 3), path, [InputSpec([None, 5])])
    assert paddle.jit.load(path)(paddle.ones([1, 2])).tolist() == wanted
    assert np.isfinite(wanted).all()
