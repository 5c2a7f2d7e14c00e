"""Files for the reader of pickles: read, refused, and compared with the written values."""

import io

import numpy as np
import pytest

from jaxeager.errors import InvalidArgumentError
from jaxeager.framework.restricted_pickle import restricted_load


def load(data):
    """Return the contents of a file."""
    return restricted_load(io.BytesIO(data), "file")


def refused(data, match):
    """Assert that a file is refused, with a message."""
    with pytest.raises(InvalidArgumentError, match=match):
        load(data)


def same(found, value):
    """Return whether two values are the same, kinds and dtypes too."""
    if isinstance(value, np.ndarray):
        is_native = found.dtype == value.dtype.newbyteorder("=")
        return is_native and found.shape == value.shape and bool((found == value).all())
    if type(found) is not type(value):
        return False
    if isinstance(value, dict):
        return same([*found], [*value]) and same([*found.values()], [*value.values()])
    if isinstance(value, (list, tuple)):
        return len(found) == len(value) and all(map(same, found, value))
    return found == value or found != found
