"""Files by their addresses: existing ones, or downloaded."""

from __future__ import annotations

import hashlib
import os
import shutil
import tarfile
import tempfile
import urllib.error
import urllib.request
import zipfile
from collections.abc import Sequence

from jaxeager.errors import InvalidArgumentError, RefusedArgumentError, UnavailableError
from jaxeager.io.archives import reading, tar_of, zip_of

WEIGHTS_HOME = os.path.expanduser("~/.cache/paddle/hapi/weights")
DOWNLOAD_RETRY_LIMIT = 3


def is_url(path: str) -> bool:
    """Return whether a path is an address.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.utils.download.is_url("https://host/file")
        True
    """
    return path.startswith(("http://", "https://"))


def get_weights_path_from_url(url: str, md5sum: str | None = None) -> str:
    """Return the path of an address's file among the weights; download it if it does not exist.

    Args:
        url: the address.
        md5sum: its checksum.

    Raises:
        InvalidArgumentError: when it is not an address. (Paddle: AssertionError.)
        UnavailableError: when it cannot be downloaded.

    Example:
        >>> import jaxeager as paddle, os
        >>> home = paddle.utils.download.WEIGHTS_HOME
        >>> os.path.basename(home)
        'weights'
    """
    return get_path_from_url(url, WEIGHTS_HOME, md5sum)


def get_path_from_url(
    url: str,
    root_dir: str,
    md5sum: str | None = None,
    check_exist: bool = True,
    decompress: bool = True,
    method: str = "get",
) -> str:
    """Return the path of an address's file in a folder; download it if it does not exist.

    Args:
        url: the address.
        root_dir: the folder.
        md5sum: its checksum; a file with another one is downloaded again.
        check_exist: False downloads it in any case.
        decompress: whether an archive is unpacked next to it.
        method: Paddle's download method, "get" or "wget".

    Returns:
        The path of the file; of an archive, that of its content: its one file or folder, else a
        folder with the archive's name.

    Raises:
        InvalidArgumentError: when it is not an address (Paddle: AssertionError), or an archive
            would write outside the folder, is damaged, or unpacks to a hundred times its length.
        UnavailableError: when it cannot be downloaded.

    Paddle: for an archive with one folder it returns another path, which does not exist.

    Example:
        >>> import jaxeager as paddle, tempfile, os
        >>> folder = tempfile.mkdtemp()
        >>> with open(os.path.join(folder, "weights.bin"), "w") as file:
        ...     _ = file.write("here already")
        >>> found = paddle.utils.download.get_path_from_url("https://host/weights.bin", folder)
        >>> os.path.basename(found)
        'weights.bin'
    """
    if not is_url(url):
        raise RefusedArgumentError(f"downloading from {url} not a url")
    path = os.path.join(root_dir, url.rpartition("/")[2])
    if not (check_exist and os.path.exists(path) and _has_md5(path, md5sum)):
        _fetch(url, path, md5sum)
    if decompress:
        with reading(path):
            if tarfile.is_tarfile(path) or zipfile.is_zipfile(path):
                return _decompress(path)
    return path


def _has_md5(path: str, md5sum: str | None) -> bool:
    if md5sum is None:
        return True
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "md5").hexdigest() == md5sum


def _fetch(url: str, path: str, md5sum: str | None) -> None:
    """Write the file of an address, whole or not at all.

    Raises:
        UnavailableError: when that is not possible.
    """
    os.makedirs(os.path.dirname(path) or ".", exist_ok=True)
    problem: object = "its checksum is different"
    for _ in range(DOWNLOAD_RETRY_LIMIT):
        with tempfile.NamedTemporaryFile(dir=os.path.dirname(path) or ".", delete=False) as file:
            try:
                with urllib.request.urlopen(url, timeout=60) as answer:
                    shutil.copyfileobj(answer, file)
            except (OSError, urllib.error.URLError) as error:
                problem = error
        if os.path.getsize(file.name) and _has_md5(file.name, md5sum):
            os.replace(file.name, path)
            return
        os.remove(file.name)
    raise UnavailableError(
        f"Download from {url} failed ({problem}). Retry limit reached. Without a network, put the "
        f"file at {path}."
    )


def _get_unique_endpoints(trainer_endpoints: Sequence[str]) -> set[str]:
    """Return one endpoint of each machine: the first in the list."""
    first: dict[str, str] = {}
    for endpoint in trainer_endpoints:
        first.setdefault(endpoint.partition(":")[0], endpoint)
    return set(first.values())


def _decompress(path: str) -> str:
    """Unpack an archive next to it, unless that was done, and return the path of its content.

    The content exists completely or not at all.

    Raises:
        InvalidArgumentError: when it is damaged, would write elsewhere, or unpacks to too much.
    """
    folder = os.path.dirname(path) or "."
    is_tar = tarfile.is_tarfile(path)
    with tar_of(path) if is_tar else zip_of(path) as archive:
        names = archive.getnames() if isinstance(archive, tarfile.TarFile) else archive.namelist()
        for name in names:
            if os.path.isabs(name) or ".." in name.replace("\\", "/").split("/"):
                raise InvalidArgumentError(f"{path} would write outside its folder: {name[:200]}")
        tops = {name.strip("/").partition("/")[0] for name in names} - {"", "."}
        top = tops.pop() if len(tops) == 1 else ""  # several things: in a separate folder
        found = os.path.join(folder, top or os.path.basename(path).partition(".")[0])
        if os.path.exists(found):
            return found
        making = tempfile.mkdtemp(prefix=".unpacking-", dir=folder)
        try:
            if isinstance(archive, tarfile.TarFile):
                if any(each.issparse() for each in archive.getmembers()):
                    raise InvalidArgumentError(f"{path} has a sparse file, which is not unpacked.")
                archive.extractall(making, filter="data")
            else:
                archive.extractall(making)
            if not top:
                os.chmod(making, 0o755)
            os.rename(os.path.join(making, top), found)
        finally:
            shutil.rmtree(making, ignore_errors=True)
    return found
