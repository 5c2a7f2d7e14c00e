"""paddle.dataset.common: the location of the files, and readers of the user's own files."""

from __future__ import annotations

import glob
import hashlib
import os
import pickle
import tempfile
from collections.abc import Callable, Iterator
from typing import Any

from jaxeager.errors import InvalidArgumentError, InvalidTypeError, UnavailableError

HOME = os.path.expanduser("~")
if not os.access(HOME, os.W_OK):
    HOME = tempfile.gettempdir()
DATA_HOME = os.path.join(HOME, ".cache", "paddle", "dataset")

fetchers: list[Callable[[], None]] = []  # for each module, the function that checks for its files


def must_mkdirs(path: str) -> None:
    """Create a folder and its parents, unless they exist.

    Example:
        >>> import jaxeager as paddle, tempfile
        >>> paddle.dataset.common.must_mkdirs(tempfile.mkdtemp())
    """
    os.makedirs(path, exist_ok=True)


def md5file(fname: str) -> str:
    """Return the MD5 checksum of a file.

    Example:
        >>> import jaxeager as paddle, tempfile
        >>> paddle.dataset.common.md5file(tempfile.NamedTemporaryFile().name)  # doctest: +SKIP
        'd41d8cd98f00b204e9800998ecf8427e'
    """
    with open(fname, "rb") as file:
        return hashlib.file_digest(file, "md5").hexdigest()


def download(url: str, module_name: str, md5sum: str, save_name: str | None = None) -> str:
    """Return the path of a file of a data set, which must exist.

    Args:
        url: the address of the file.
        module_name: the folder in ``DATA_HOME``.
        md5sum: its checksum; None or "" for any.
        save_name: the name of the file; the end of the address when None.

    Raises:
        UnavailableError: when the file does not exist, or has another checksum.
        InvalidArgumentError: for a name outside the folder.

    Paddle: fetches the file.

    Example:
        >>> import jaxeager as paddle
        >>> path = paddle.dataset.common.download(  # doctest: +SKIP
        ...     paddle.dataset.mnist.TEST_IMAGE_URL, "mnist", paddle.dataset.mnist.TEST_IMAGE_MD5
        ... )
    """
    name = url.rpartition("/")[2] if save_name is None else save_name
    if ".." in name or ".." in module_name:
        raise InvalidArgumentError(f"the file is in a folder of {DATA_HOME}, not {name!r}.")
    path = os.path.join(DATA_HOME, module_name, name)
    if not os.path.exists(path):
        raise UnavailableError(
            f"{path} is not there, and jaxeager downloads no data sets. Put the file of {url} "
            "there."
        )
    if md5sum and md5file(path) != md5sum:
        raise UnavailableError(
            f"{path} has the checksum {md5file(path)}, not {md5sum}: it is damaged or another "
            f"file than that of {url}."
        )
    return path


def fetch_all() -> None:
    """Check that the files of all data sets exist.

    Raises:
        UnavailableError: naming the first that does not.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.dataset.common.fetch_all()  # doctest: +SKIP
    """
    for fetch in fetchers:
        fetch()


def split(
    reader: Callable[[], Iterator[object]],
    line_count: int,
    suffix: str = "%05d.pickle",
    dumper: Callable = pickle.dump,
) -> None:
    """Write the samples of a reader into files.

    Args:
        reader: the reader.
        line_count: the number of samples in a file.
        suffix: the path of the files, with a placeholder for their number.
        dumper: writes a list of samples into a file that is open for bytes.

    Raises:
        InvalidTypeError: when ``dumper`` cannot be called.

    Paddle: opens the files as text, which pickle cannot write; and the first has one more sample.

    Example:
        >>> import jaxeager as paddle, tempfile, glob
        >>> folder = tempfile.mkdtemp()
        >>> paddle.dataset.common.split(lambda: iter(range(5)), 2, folder + "/%d.pickle")
        >>> len(glob.glob(folder + "/*.pickle"))
        3
    """
    if not callable(dumper):
        raise InvalidTypeError("dumper should be callable.")
    samples = list(reader())
    for number, start in enumerate(range(0, len(samples), line_count)):
        with open(suffix % number, "wb") as file:
            dumper(samples[start : start + line_count], file)


def cluster_files_reader(
    files_pattern: str, trainer_count: int, trainer_id: int, loader: Callable = pickle.load
) -> Callable[[], Iterator[Any]]:
    """Return a reader of one process's share of the files that ``split`` wrote.

    Args:
        files_pattern: a pattern of the files, such as "data-*.pickle".
        trainer_count: the number of processes that share them.
        trainer_id: the number of this one.
        loader: reads a list of samples from a file that is open for bytes. The default unpickles,
            which runs arbitrary code in the file: read only files that you wrote.

    Raises:
        InvalidTypeError: while reading, when ``loader`` cannot be called.

    Paddle: opens the files as text, which pickle cannot read.

    Example:
        >>> import jaxeager as paddle, tempfile
        >>> folder = tempfile.mkdtemp()
        >>> paddle.dataset.common.split(lambda: iter(range(5)), 2, folder + "/%d.pickle")
        >>> list(paddle.dataset.common.cluster_files_reader(folder + "/*.pickle", 2, 0)())
        [0, 1, 4]
    """

    def reader() -> Iterator[Any]:
        if not callable(loader):
            raise InvalidTypeError("loader should be callable.")
        for path in sorted(glob.glob(files_pattern))[trainer_id::trainer_count]:
            with open(path, "rb") as file:
                yield from loader(file)

    return reader
