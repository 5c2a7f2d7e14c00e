"""Files of datasets, which must exist already: jaxeager downloads nothing."""

from jaxeager.errors import RefusedArgumentError


def given(dataset: str, path, name: str = "data_file"):
    """Return the path of a file of a dataset.

    Raises:
        RefusedArgumentError: when it is None.

    Example:
        >>> from jaxeager.io.local_files import given
        >>> given("Imdb", "aclImdb_v1.tar.gz")
        'aclImdb_v1.tar.gz'
    """
    if path is None:
        raise RefusedArgumentError(
            f"{dataset}: {name} is not set, and jaxeager downloads nothing. Download the file "
            f"yourself and pass its path as {name}."
        )
    return path


def mode_of(mode: str, *modes: str) -> str:
    """Return ``mode`` in lower case.

    Raises:
        RefusedArgumentError: when it is not one of ``modes``.

    Example:
        >>> from jaxeager.io.local_files import mode_of
        >>> mode_of("Train", "train", "test")
        'train'
    """
    if mode.lower() not in modes:
        raise RefusedArgumentError(
            f"mode should be {' or '.join(map(repr, modes))}, but got {mode!r}."
        )
    return mode.lower()
