"""The files of ``jit.save``: a program for each method, the weights, and a signature of both.

Note [Files of jit.save]
    A path is the beginning of the files' names, as in Paddle. For ``net`` the files are:

    - ``net.signature.json``: a description, for people and programs: the version of the format,
      names, shapes (symbols for open sizes) and dtypes of inputs, outputs and weights;
    - ``net.forward.stablehlo``, and one such file for each further method: the output of
      ``jax.export.Exported.serialize``, so that plain JAX can read and run it;
    - ``net.safetensors``: the weights, for other programs. Without the package safetensors, or with
      complex128 weights, they are in ``net.pdparams``, in the format of ``paddle.save``; each
      installation reads that one;
    - ``net.json``, a picture of the program, which is not read: program_json.py.

    They differ from Paddle's ``net.json`` and ``net.pdiparams``, which contain Paddle's own
    program. The signature is written last and has a digest of each program and of the weights'
    file, and one of itself: so files of two saves are not mixed, and damage is detected. (Files of
    version 1, which jaxeager wrote until November 2026, have digests of the programs alone.) A
    digest does not prove the author of a file. No content of a file is run when it is read: the
    signature is JSON, weights are arrays, and programs are checked before any may run
    (checked_programs.py).
"""

from __future__ import annotations

import hashlib
import importlib.util
import json
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import jax
import numpy as np
from jax.export import Exported

from jaxeager.core import dtypes
from jaxeager.core.open_conditions import bounds_of, is_bound
from jaxeager.errors import InvalidArgumentError, InvalidTypeError
from jaxeager.framework import load as load_tensors
from jaxeager.framework import save as save_tensors
from jaxeager.framework.io.paths import writing
from jaxeager.jit.saved_model import signature_form
from jaxeager.jit.saved_model.checked_programs import read_program
from jaxeager.jit.saved_model.signature_form import FORM, VERSION
from jaxeager.jit.saved_model.weights import Weight, is_parameter
from jaxeager.tensor import Tensor
from jaxeager.version import OWN_VERSION

if TYPE_CHECKING:
    from jax.core import ShapedArray


SIGNATURE = ".signature.json"
PROGRAM = ".stablehlo"
_ENDINGS = (".pdmodel", ".json", ".pdiparams")  # of the files that Paddle writes


class Method(NamedTuple):
    """A saved method.

    Attributes:
        name: "forward" for the Layer's call.
        program: its program.
        inputs: names of its inputs.
        bounds: its conditions on open sizes, "size1 >= 2"; JAX does not store them.
    """

    name: str
    program: Exported
    inputs: list[str]
    bounds: Sequence[str] = ()

    @property
    def input_avals(self) -> list:
        """Return shape and dtype of each input."""
        (_, inputs, _), _ = jax.tree.unflatten(self.program.in_tree, self.program.in_avals)
        return inputs

    @property
    def draws(self) -> bool:
        """Return whether it draws random numbers and so uses the key, its last argument."""
        return len(self.program.in_avals) - 1 in self.program.module_kept_var_idx


class Model(NamedTuple):
    """The content of the files of a path.

    Attributes:
        methods: by name.
        weights: the tensors, by name.
        entries: the description of each of them in the signature.
    """

    methods: dict[str, Method]
    weights: dict[str, Tensor]
    entries: dict[str, dict]


def prefix_of(path: object, function: str) -> str:
    """Return a path as a string.

    Raises:
        InvalidTypeError: when it is not one.
        InvalidArgumentError: when it does not name a file.
    """
    if not isinstance(path, (str, os.PathLike)):
        raise InvalidTypeError(f"{function} takes a path, but received {path!r}.")
    prefix = os.fsdecode(path)
    if not os.path.basename(prefix) or "\0" in prefix:
        raise InvalidArgumentError(
            "The input path MUST be format of dirname/file_prefix, but received file_prefix is "
            f"empty string: {prefix!r}."
        )
    return prefix


# ---- writing


def write_model(
    prefix: str, programs: Mapping[str, tuple[Method, bytes]], weights: Mapping[str, Weight]
) -> None:
    """Write the files: see Note [Files of jit.save]."""
    base = os.path.basename(prefix)
    signature: dict[str, Any] = {
        "form": FORM, "version": VERSION, "jaxeager": OWN_VERSION, "jax": jax.__version__,
        "methods": {}, "weights": {"file": None, "tensors": {}},
    }  # fmt: skip
    for name, (method, data) in programs.items():
        file = f"{base}.{name}{PROGRAM}"
        with writing(f"{prefix}.{name}{PROGRAM}") as out:
            out.write(data)
        signature["methods"][name] = {
            "file": file,
            "sha256": hashlib.sha256(data).hexdigest(),
            "platforms": list(method.program.platforms),
            "inputs": [
                {"name": name, **_described(aval)}
                for name, aval in zip(method.inputs, method.input_avals, strict=True)
            ],
            "outputs": [_described(aval) for aval in method.program.out_avals],
            "bounds": bounds_of(method.input_avals),
        }
    if weights:
        ending = _write_weights(prefix, weights)
        entries = {name: _entry(weight) for name, weight in weights.items()}
        signature["weights"] = {
            "file": base + ending, "sha256": _digest_of(prefix + ending), "tensors": entries,
        }  # fmt: skip
    signature["sha256"] = signature_form.digest_of(signature)
    with writing(prefix + SIGNATURE) as out:
        out.write(json.dumps(signature, indent=1).encode())


def _write_weights(prefix: str, weights: Mapping[str, Weight]) -> str:
    """Write the weights, and return the extension of their file."""
    tensors = {name: weight.tensor.detach() for name, weight in weights.items()}
    has_package = importlib.util.find_spec("safetensors") is not None
    fits = all(tensor._array.dtype != np.complex128 for tensor in tensors.values())
    ending = ".safetensors" if has_package and fits else ".pdparams"
    save_tensors(tensors, prefix + ending)
    return ending


def _digest_of(path: str) -> str:
    """Return the digest of a file, which is read in parts: about 0.1 s for 100 MB."""
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _entry(weight: Weight) -> dict:
    tensor = weight.tensor
    return {
        "kind": "parameter" if is_parameter(weight) else "buffer",
        "tensor_name": tensor.name,
        "persistable": weight.persistable,
        "stop_gradient": tensor.stop_gradient,
        "also": weight.also,
        **_described(tensor._array.aval),
    }


def _described(aval: ShapedArray) -> dict:
    shape = [n if isinstance(n, int) else str(n) for n in aval.shape]
    return {"shape": shape, "dtype": dtypes.as_dtype(aval.dtype).name}


# ---- reading


def read_model(prefix: str) -> Model:
    """Return the content of the files of a path.

    Raises:
        InvalidArgumentError: when there are no files, or one is damaged.
    """
    signature, file = read_signature(prefix), prefix + SIGNATURE
    weights, entries = _read_weights(prefix, signature["weights"], file)
    methods = {
        name: _read_method(prefix, name, entry, weights, file)
        for name, entry in signature["methods"].items()
    }
    return Model(methods, weights, entries)


def read_signature(prefix: str) -> dict:
    """Return the content of the signature of a path.

    Raises:
        InvalidArgumentError: when there is none, or it is damaged.
    """
    file = prefix + SIGNATURE
    if not os.path.isfile(file):
        raise InvalidArgumentError(not_there(prefix))
    try:
        with open(file, encoding="utf-8") as source:
            text = source.read(signature_form.MOST_BYTES + 1)
        if len(text) > signature_form.MOST_BYTES:
            raise signature_form.Wrong(f"it has more than {signature_form.MOST_BYTES} bytes")
        signature = signature_form.parsed(text)
        version = signature["version"]
        if version <= VERSION:
            signature_form.check(signature)
    except (UnicodeDecodeError, signature_form.Wrong) as error:
        raise _damaged(file, str(error)) from error
    if version > VERSION:
        raise InvalidArgumentError(
            f"{file} has version {version} of the format; this jaxeager reads up to "
            f"{VERSION}. A newer jaxeager wrote it."
        )
    return signature


def not_there(prefix: str) -> str:
    """Return the message for a path without files."""
    text = f"The ``path`` ({prefix}) to load not exists: there is no file {prefix}{SIGNATURE}."
    theirs = [prefix + ending for ending in _ENDINGS if os.path.isfile(prefix + ending)]
    if theirs:
        text += (
            f" {theirs[0]} is a file of Paddle, whose programs only Paddle runs. Create the Layer "
            "here, load its weights with set_state_dict(paddle.load(...)) from a .pdparams file, "
            "and save it with paddle.jit.save."
        )
    return text


def _damaged(file: str, why: str) -> InvalidArgumentError:
    return InvalidArgumentError(
        f"{file} is not a signature of paddle.jit.save, or it is damaged: {why}."
    )


def _next_to(prefix: str, name: object, file: str) -> str:
    """Return the path of a file that a signature names, which is in the same folder."""
    if not isinstance(name, str) or os.path.basename(name) != name or name in ("", ".", ".."):
        raise _damaged(file, f"it names the file {name!r}, which is not next to it")
    path = os.path.join(os.path.dirname(prefix), name)
    if not os.path.isfile(path):
        raise InvalidArgumentError(f"There is no file {path}, which {file} names.")
    return path


def _read_weights(prefix: str, listed: dict, file: str) -> tuple[dict, dict]:
    entries = dict(listed["tensors"])
    if listed["file"] is None:
        return {}, {}
    path = _next_to(prefix, listed["file"], file)
    if listed.get("sha256", "") not in ("", _digest_of(path)):
        raise InvalidArgumentError(
            f"{path} is not the file of weights that {file} was written with, or it is damaged: "
            "save the model again."
        )
    found = load_tensors(path, keep_name_table=False)
    if not isinstance(found, dict) or found.keys() != entries.keys():
        raise InvalidArgumentError(f"{path} does not hold the weights that {file} names.")
    for name, entry in entries.items():
        wanted = {"shape": entry["shape"], "dtype": entry["dtype"]}
        is_tensor = isinstance(found[name], Tensor)
        if not is_tensor or _described(found[name]._array.aval) != wanted:
            raise InvalidArgumentError(f"{path} does not hold the {name!r} of {file}: {wanted}.")
    return {name: found[name] for name in entries}, entries


def _read_method(prefix: str, name: str, entry: dict, weights: dict, file: str) -> Method:
    if not name.isidentifier():  # it becomes an attribute, and part of file names
        raise _damaged(file, f"it names the method {name!r}")
    path = _next_to(prefix, entry["file"], file)
    data = Path(path).read_bytes()
    if hashlib.sha256(data).hexdigest() != entry["sha256"]:
        raise InvalidArgumentError(
            f"{path} is not the program that {file} was written with: save the model again."
        )
    program = read_program(data, path)
    names = [each["name"] for each in entry["inputs"]]
    takes = ((dict.fromkeys(weights, 0), [0] * len(names), 0), {})
    if program.in_tree != jax.tree.structure(takes) or not all(isinstance(n, str) for n in names):
        raise InvalidArgumentError(f"{path} does not take the weights and inputs of {file}.")
    bounds = entry.get("bounds", [])
    if not isinstance(bounds, list) or not all(map(is_bound, bounds)):
        raise _damaged(file, f"it has the bounds {bounds!r} for {name}")
    method = Method(name, program, names, bounds)
    (held, inputs, key), _ = jax.tree.unflatten(program.in_tree, program.in_avals)
    listed = [{k: each[k] for k in ("shape", "dtype")} for each in entry["inputs"]]
    is_same = all(_described(held[n]) == _described(weights[n]._array.aval) for n in weights)
    if not is_same or listed != [_described(aval) for aval in inputs] or key.shape != (2,):
        raise InvalidArgumentError(f"{path} does not take the shapes and dtypes of {file}.")
    return method
