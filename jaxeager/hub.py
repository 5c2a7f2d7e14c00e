"""paddle.hub: models from the entry points of a folder's ``hubconf.py``; nothing is downloaded."""

from __future__ import annotations

import builtins
import hashlib
import importlib.util
import os
import re
import sys
from types import ModuleType
from typing import Any

import jaxeager as paddle
from jaxeager.errors import InvalidArgumentError, NotFoundError, UnavailableError
from jaxeager.utils.download import get_path_from_url

__all__ = ["help", "list", "load", "load_state_dict_from_url"]

_SOURCES = ("github", "gitee", "local")


def list(repo_dir: str, source: str = "github", force_reload: bool = False) -> builtins.list[str]:
    """Return the names of the entry points of a folder: the callables in its ``hubconf.py``.

    Args:
        repo_dir: the folder.
        source: "local"; the others are not available.
        force_reload: whether to download again.

    Raises:
        InvalidArgumentError: for a source that Paddle does not have either.
        UnavailableError: for "github" and "gitee".
        NotFoundError: when there is no ``hubconf.py``, or it cannot be imported.
    """
    module = _configuration(repo_dir, source)
    return [name for name in dir(module) if callable(getattr(module, name)) and name[0] != "_"]


def help(repo_dir: str, model: str, source: str = "github", force_reload: bool = False) -> str:
    """Return the docstring of an entry point.

    Args:
        repo_dir: the folder.
        model: the entry point's name.
        source: "local"; the others are not available.
        force_reload: whether to download again.

    Raises:
        InvalidArgumentError: for a source that Paddle does not have either, or a name that is not a
            string.
        UnavailableError: for "github" and "gitee".
        NotFoundError: when there is no ``hubconf.py``, or no such entry point.
    """
    return _entry(_configuration(repo_dir, source), model).__doc__


def load(
    repo_dir: str,
    model: str,
    source: str = "github",
    force_reload: bool = False,
    **kwargs: Any,
) -> Any:
    """Return the result of an entry point, usually a Layer.

    Args:
        repo_dir: the folder.
        model: the entry point's name.
        source: "local"; the others are not available.
        force_reload: whether to download again.
        **kwargs: passed to the entry point.

    Raises:
        InvalidArgumentError: for a source that Paddle does not have either, or a name that is not a
            string.
        UnavailableError: for "github" and "gitee".
        NotFoundError: when there is no ``hubconf.py``, no such entry point, or a package in its
            ``dependencies`` is missing.

    Example:
        >>> import os, tempfile
        >>> import jaxeager as paddle
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     with open(os.path.join(folder, "hubconf.py"), "w") as file:
        ...         _ = file.write("def two(n=1):\\n    'Doubles.'\\n    return 2 * n\\n")
        ...     paddle.hub.list(folder, source="local")
        ...     paddle.hub.help(folder, "two", source="local")
        ...     paddle.hub.load(folder, "two", source="local", n=3)
        ['two']
        'Doubles.'
        6
    """
    module = _configuration(repo_dir, source)
    missing = [
        name
        for name in getattr(module, "dependencies", None) or []
        if importlib.util.find_spec(name) is None
    ]
    if missing:
        raise NotFoundError(f"Missing dependencies: {', '.join(missing)}")
    return _entry(module, model)(**kwargs)


def load_state_dict_from_url(
    url: str,
    model_dir: str | None = None,
    check_hash: bool = False,
    file_name: str | None = None,
    map_location: str | None = None,
) -> Any:
    """Return the state dict in a file at an address, which is downloaded if it does not exist yet.

    Args:
        url: the address of the file; its last part is the file name.
        model_dir: the folder of the file; by default ``~/.cache/paddle/hub/checkpoints``.
        check_hash: whether to compare its digest with the one in its name,
            ``name-<the first digits of its SHA-256>.ext``.
        file_name: its name, if it differs.
        map_location: "cpu", "gpu", or "numpy" for NumPy arrays.

    Raises:
        InvalidArgumentError: for another ``map_location``, a name without a digest, or a file with
            another digest.
        UnavailableError: when the file does not exist and cannot be downloaded.

    Example:
        >>> import tempfile
        >>> import jaxeager as paddle
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     paddle.save(paddle.nn.Linear(2, 3).state_dict(), folder + "/net.pdparams")
        ...     url = "https://example.com/net.pdparams"
        ...     sorted(paddle.hub.load_state_dict_from_url(url, folder))
        ['bias', 'weight']
    """
    if map_location not in (None, "cpu", "gpu", "xpu", "npu", "numpy", "np"):
        raise InvalidArgumentError(
            f"map_location is cpu, gpu or numpy, but received {map_location!r}."
        )
    folder = model_dir or os.path.join(_home(), "hub", "checkpoints")
    file = os.path.join(folder, file_name or os.path.basename(url))
    if not os.path.isfile(file):
        file = get_path_from_url(url, folder, decompress=False)
    if check_hash:
        _check_hash(file)
    return paddle.load(file, return_numpy=map_location in ("numpy", "np"))


def _check_hash(file: str) -> None:
    """Raise InvalidArgumentError unless a file has the digest that its name ends in."""
    named = re.search(r"-([0-9a-f]{8,64})\.", os.path.basename(file))
    if named is None:
        raise InvalidArgumentError(
            f"check_hash: {os.path.basename(file)} is not called name-<digits of its SHA-256>.ext."
        )
    with open(file, "rb") as stream:
        found = hashlib.file_digest(stream, "sha256").hexdigest()
    if not found.startswith(named[1]):
        raise InvalidArgumentError(
            f"check_hash: the SHA-256 of {file} begins with {found[: len(named[1])]}, not with "
            f"{named[1]} as in its name. Delete it, and fetch it again."
        )


def _home() -> str:
    cache = os.getenv("XDG_CACHE_HOME", "~/.cache")
    return os.path.expanduser(os.getenv("PADDLE_HOME", os.path.join(cache, "paddle")))


def _configuration(repo_dir: str, source: str) -> ModuleType:
    """Import the ``hubconf.py`` of a folder, which is first on the path meanwhile."""
    if source not in _SOURCES:
        raise InvalidArgumentError(
            f'Unknown source: "{source}". Allowed values: "github" | "gitee" | "local".'
        )
    if source != "local":
        raise UnavailableError(
            f"paddle.hub downloads no code: get {repo_dir} from {source} yourself, and give its "
            'folder with source="local".'
        )
    file = os.path.join(repo_dir, "hubconf.py")
    spec = importlib.util.spec_from_file_location("hubconf", file)
    if spec is None or spec.loader is None or not os.path.isfile(file):
        raise NotFoundError(f"Please make sure config exists: there is no {file}.")
    module = importlib.util.module_from_spec(spec)
    sys.path.insert(0, os.fspath(repo_dir))
    sys.modules["hubconf"] = module
    try:
        spec.loader.exec_module(module)
    except ImportError as error:
        raise NotFoundError(f"{file} cannot be imported: {error}.") from error
    finally:
        sys.modules.pop("hubconf", None)
        sys.path.remove(os.fspath(repo_dir))
    return module


def _entry(module: ModuleType, name: str) -> Any:
    if not isinstance(name, str):
        raise InvalidArgumentError("Invalid input: model should be a str of function name")
    found = getattr(module, name, None)
    if not callable(found):
        raise NotFoundError(f"Cannot find callable {name} in hubconf")
    return found
