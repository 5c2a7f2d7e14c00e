"""The format of a signature of ``jit.save``: its required content, and the digest of it."""

from __future__ import annotations

import hashlib
import json
from typing import Any, NoReturn

FORM = "jaxeager.jit"
VERSION = 2  # version 1 had no digests of the weights and of the signature itself
MOST_BYTES = 1 << 28

_SHAPE = [(int, str)]
_TENSOR = {"shape": _SHAPE, "dtype": str}
_METHOD = {
    "file": str, "sha256": str, "platforms": [str], "inputs": [{"name": str, **_TENSOR}],
    "outputs": [_TENSOR],
}  # fmt: skip
_WEIGHT = {
    "kind": str, "tensor_name": str, "persistable": bool, "stop_gradient": bool, "also": [str],
    **_TENSOR,
}  # fmt: skip


class Wrong(Exception):
    """The fault of a signature, with its place."""


def digest_of(signature: dict) -> str:
    """Return the digest of a signature: of all its content except "sha256"."""
    content = {key: value for key, value in signature.items() if key != "sha256"}
    return hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()


def parsed(text: str) -> dict:
    """Return a signature with the right format and a supported version.

    Raises:
        Wrong: for any other text.
    """
    try:
        found = json.loads(text, object_pairs_hook=_dict, parse_constant=_no_constant)
    except (ValueError, RecursionError) as error:
        raise Wrong(f"{type(error).__name__}: {error}") from error
    if not isinstance(found, dict) or found.get("form") != FORM:
        raise Wrong(f"its form is not {FORM!r}")
    version = found.get("version")
    if type(version) is not int or version < 1:
        raise Wrong(f"its version is {_shown(version)}")
    return found


def check(signature: dict[str, Any]) -> None:
    """Raise Wrong for a signature of a known version that is not as ``jit.save`` writes it."""
    has_digests = signature["version"] > 1 or "sha256" in signature
    if has_digests and signature.get("sha256") != digest_of(signature):
        raise Wrong("it has changed since it was written: its digest is different")
    _check(signature, {"jaxeager": str, "jax": str}, "")
    _check(signature.get("methods"), {}, "methods")
    for name, method in signature["methods"].items():
        _check(method, _METHOD, f"methods.{name}")
    weights: Any = signature.get("weights")
    _check(weights, {"file": (str, type(None))}, "weights")
    if has_digests and weights["file"] is not None:
        _check(weights, {"sha256": str}, "weights")
    _check(weights.get("tensors"), {}, "weights.tensors")
    names = [*weights["tensors"]]
    for name, weight in weights["tensors"].items():
        _check(weight, _WEIGHT, f"weights.tensors.{name}")
        if weight["kind"] not in ("parameter", "buffer"):
            raise Wrong(f"weights.tensors.{name}.kind is {_shown(weight['kind'])}")
        names += weight["also"]
    if len(set(names)) != len(names) or not all(all(each.split(".")) for each in names):
        raise Wrong(
            "weights.tensors has a name twice, or a name with nothing before or after a dot"
        )


def _check(found: object, wanted: Any, place: str) -> None:
    """Raise Wrong where a value does not match: a class, several, or lists and dicts of them."""
    if isinstance(wanted, dict):
        if not isinstance(found, dict):
            raise Wrong(f"{place} is {_shown(found)}, where an object should be")
        for key, inner in wanted.items():
            path = f"{place}.{key}".lstrip(".")
            if key not in found:
                raise Wrong(f"{path} is missing")
            _check(found[key], inner, path)
    elif isinstance(wanted, list):
        if not isinstance(found, list):
            raise Wrong(f"{place} is {_shown(found)}, where a list should be")
        for position, each in enumerate(found):
            _check(each, wanted[0], f"{place}[{position}]")
    else:
        kinds = wanted if isinstance(wanted, tuple) else (wanted,)
        if type(found) not in kinds:
            names = " or ".join(each.__name__ for each in kinds)
            raise Wrong(f"{place} is {_shown(found)}, where {names} should be")


def _dict(pairs: list) -> dict:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ValueError("an object has a key twice")
    return found


def _no_constant(text: str) -> NoReturn:
    raise ValueError(f"{text} is not a JSON number")


def _shown(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:57]}..."
