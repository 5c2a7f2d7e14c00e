"""Files of datasets, which must be there already: jaxeager downloads nothing."""

import tarfile
from typing import IO

from jaxeager.errors import InvalidArgumentError


def given(dataset: str, path, name: str = "data_file"):
    """Returns the path of a file of a dataset.

    Raises:
        InvalidArgumentError: when it is None.

    Example:
        >>> from jaxeager.io.local_files import given
        >>> given("Imdb", "aclImdb_v1.tar.gz")
        'aclImdb_v1.tar.gz'
    """
    if path is None:
        raise InvalidArgumentError(
            f"{dataset}: {name} is not set, and jaxeager downloads nothing. Download the file "
            f"yourself and pass its path as {name}."
        )
    return path


def mode_of(mode: str, *modes: str) -> str:
    """Returns a mode in lower case.

    Raises:
        InvalidArgumentError: when it is none of ``modes``.

    Example:
        >>> from jaxeager.io.local_files import mode_of
        >>> mode_of("Train", "train", "test")
        'train'
    """
    if mode.lower() not in modes:
        raise InvalidArgumentError(
            f"mode should be {' or '.join(map(repr, modes))}, but got {mode!r}."
        )
    return mode.lower()


def member(archive: tarfile.TarFile, name: str) -> IO[bytes]:
    """Returns a file of an archive, open for reading.

    Raises:
        InvalidArgumentError: when it has none of that name.

    Example:
        >>> import tarfile
        >>> from jaxeager.io.local_files import member
        >>> with tarfile.open("aclImdb_v1.tar.gz") as archive:  # doctest: +SKIP
        ...     member(archive, "aclImdb/README").read()
    """
    file = archive.extractfile(name) if name in archive.getnames() else None
    if file is None:
        raise InvalidArgumentError(f"The archive {archive.name} has no file {name}.")
    return file
