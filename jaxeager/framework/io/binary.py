"""The binary form of one tensor: ``save(..., use_binary_format=True)``.

Note [Binary form of a tensor]
In order: a version (uint32, 0), the number of levels of detail (uint64, 0), a version (uint32, 0),
the length of the description (int32), the description and the values. The description is a message
of protocol buffers: its field 1 is the number of the dtype, its field 2 repeats the sizes.
No pickle begins with a byte of 0.
"""

import math
import struct

import ml_dtypes
import numpy as np

from jaxeager.core import var_types
from jaxeager.core.dtypes import as_dtype
from jaxeager.errors import InvalidArgumentError, UnimplementedError
from jaxeager.framework.restricted_pickle.arrays import may_be_empty
from jaxeager.tensor import Tensor, to_tensor
from jaxeager.tensor.host_reads import read_values

_HEADER = struct.Struct("<IQIi")
_DTYPE, _SIZE = 0x08, 0x10  # the tags of the two fields


def to_binary(obj) -> bytes:
    """Return the content of a file with one tensor.

    Raises:
        UnimplementedError: for any other object.
    """
    if not isinstance(obj, Tensor):
        raise UnimplementedError(
            "When use_binary_format = True, `paddle.save` expected Tensor, but received "
            f"{type(obj)}. Leave use_binary_format out to save it."
        )
    array = np.ascontiguousarray(read_values(obj))
    description = bytes([_DTYPE, var_types.of_dtype(as_dtype(array.dtype)).value])
    for size in obj.shape:
        description += bytes([_SIZE]) + _varint(size)
    return _HEADER.pack(0, 0, 0, len(description)) + description + array.tobytes()


def is_binary(data: bytes) -> bool:
    """Return whether a file begins as one of this form does, given its first bytes."""
    return data[:4] == bytes(4)


def from_binary(data: bytes, file: str, return_numpy: bool):
    """Return the tensor of a file, or its array, with bfloat16 as uint16.

    Args:
        data: the content of the file.
        file: the name of the file for error messages.
        return_numpy: return an array, not a tensor.

    Raises:
        InvalidArgumentError: when it is damaged, or has a dtype that jaxeager does not have.
    """
    try:
        dtype, shape, start = _described(data)
    except (struct.error, IndexError, ValueError, AttributeError):
        raise _unreadable(file, "its description is damaged") from None
    wanted = math.prod(shape) * dtype.itemsize
    if len(shape) > 32 or not may_be_empty(shape) or len(data) - start != wanted:
        raise _unreadable(file, f"it has {len(data) - start} bytes for shape {shape} and {dtype}")
    array = np.frombuffer(data, dtype, offset=start).reshape(shape)
    array = array.view(np.uint8) != 0 if dtype == np.bool_ else array.copy()
    if return_numpy:
        return array.view(np.uint16) if dtype == ml_dtypes.bfloat16 else array
    return to_tensor(array)


def _described(data: bytes) -> tuple[np.dtype, list[int], int]:
    """Return the dtype, the shape, and where the values begin."""
    *versions, length = _HEADER.unpack_from(data)
    end = _HEADER.size + length
    if any(versions) or not 2 <= length <= len(data) - _HEADER.size:
        raise ValueError
    place, fields = _HEADER.size, []
    while place < end:
        number, after = _read_varint(data, place + 1)
        fields.append((data[place], number))
        place = after
    (tag, number), *sizes = fields
    if place != end or tag != _DTYPE or any(each != _SIZE for each, _ in sizes):
        raise ValueError
    return var_types.VarType(number).dtype, [size for _, size in sizes], end


def _varint(number: int) -> bytes:
    """Return a number in groups of 7 bits, the lowest first; all but the last have bit 7 set."""
    groups = bytearray()
    while number > 0x7F:
        groups.append(number & 0x7F | 0x80)
        number >>= 7
    return bytes([*groups, number])


def _read_varint(data: bytes, place: int) -> tuple[int, int]:
    """Return the number at a place, and the place after it."""
    number = 0
    for shift in range(0, 63, 7):
        number |= (data[place] & 0x7F) << shift
        place += 1
        if data[place - 1] < 0x80:
            return number, place
    raise ValueError


def _unreadable(file: str, reason: str) -> InvalidArgumentError:
    return InvalidArgumentError(
        f"`paddle.load` can not parse the file: {file} is not a tensor in binary form: {reason}."
    )
