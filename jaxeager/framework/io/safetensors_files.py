"""Files ending in ``.safetensors``."""

import math

import ml_dtypes
import numpy as np

from jaxeager.errors import InvalidArgumentError, UnavailableError
from jaxeager.framework.restricted_pickle.arrays import may_be_empty
from jaxeager.tensor import Tensor, to_tensor
from jaxeager.tensor.host_reads import read_values

_LINE = "Files ending in .safetensors need the safetensors package: pip install 'jaxeager[io]'."
_DTYPES = {
    **{f"F{bits}": np.dtype(f"float{bits}") for bits in (16, 32, 64)},
    **{f"I{bits}": np.dtype(f"int{bits}") for bits in (8, 16, 32, 64)},
    **{f"U{bits}": np.dtype(f"uint{bits}") for bits in (8, 16, 32, 64)},
    "BOOL": np.dtype(bool),
    "C64": np.dtype(np.complex64),
    "BF16": np.dtype(ml_dtypes.bfloat16),
    "F8_E4M3": np.dtype(ml_dtypes.float8_e4m3fn),
    "F8_E5M2": np.dtype(ml_dtypes.float8_e5m2),
}


def to_safetensors(obj) -> bytes:
    """Return the content of a file with a flat dict of tensors.

    Raises:
        InvalidArgumentError: for any other object, or a dtype that the format does not have.
        UnavailableError: when safetensors is not installed.
    """
    if not isinstance(obj, dict) or not all(isinstance(v, Tensor) for v in obj.values()):
        kinds = sorted({type(v).__name__ for v in obj.values()}) if isinstance(obj, dict) else ""
        raise InvalidArgumentError(
            "safetensors holds a flat dict of tensors, such as layer.state_dict(), but received "
            f"{type(obj).__name__} {kinds}. Save it as .pdparams or .pdopt."
        )
    if not all(isinstance(key, str) for key in obj):
        raise InvalidArgumentError(
            f"safetensors names tensors with text, but received the names {[*obj][:6]}. Save it as "
            ".pdparams."
        )
    library = package()
    arrays = {key: np.ascontiguousarray(read_values(tensor)) for key, tensor in obj.items()}
    for key, array in arrays.items():
        if array.dtype not in _DTYPES.values():
            raise InvalidArgumentError(
                f"safetensors cannot hold {key!r}, of dtype {array.dtype}. Save it as .pdparams."
            )
    shaped = {key: array.reshape(obj[key].shape) for key, array in arrays.items()}
    return library.numpy.save(shaped)


def from_safetensors(data: bytes, file: str, return_numpy: bool) -> dict:
    """Return the tensors of a file, or its arrays.

    Args:
        data: the content of the file.
        file: the name of the file for error messages.
        return_numpy: return arrays, not tensors.

    Raises:
        InvalidArgumentError: when it is damaged, or has a dtype that jaxeager does not have.
        UnavailableError: when safetensors is not installed.
    """
    library, found = package(), {}
    try:
        parts = library.deserialize(data)
    except library.SafetensorError as error:
        raise InvalidArgumentError(f"{file} is not a safetensors file: {error}.") from None
    for key, part in parts:
        dtype, shape = dtype_of(key, part["dtype"], file), part["shape"]
        is_whole = math.prod(shape) * dtype.itemsize == len(part["data"])
        if len(shape) > 32 or not may_be_empty(shape) or not is_whole:
            raise InvalidArgumentError(
                f"{file} is not a safetensors file: {key!r} has {len(part['data'])} bytes for "
                f"shape {shape} and dtype {part['dtype']}."
            )
        array = np.frombuffer(part["data"], dtype).reshape(shape)
        array = array.view(np.uint8) != 0 if dtype == np.bool_ else array
        found[key] = array.copy() if return_numpy else to_tensor(array)
    return found


def dtype_of(key: str, name: str, file: str) -> np.dtype:
    """Return the dtype with a name of the format.

    Args:
        key: the name of the tensor, for the error message.
        name: the name of the dtype in the format, such as "BF16".
        file: the name of the file, for the error message.

    Raises:
        InvalidArgumentError: for a dtype that jaxeager does not have.
    """
    found = _DTYPES.get(name)
    if found is None:
        raise InvalidArgumentError(
            f"{key!r} in {file} has dtype {name}, which jaxeager does not have."
        )
    return found


def package():
    """Return the safetensors package.

    Raises:
        UnavailableError: when it is not installed.
    """
    try:
        import safetensors
        import safetensors.numpy
    except ImportError:
        raise UnavailableError(_LINE) from None
    return safetensors
