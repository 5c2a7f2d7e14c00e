"""All parameters as one vector, and back."""

from collections.abc import Iterable

import jax.numpy as jnp

from jaxeager.arrays.as_array import beside, on_one_device
from jaxeager.errors import InvalidArgumentError
from jaxeager.graph.views.atomic_writes import write_arrays
from jaxeager.tensor import Tensor


def parameters_to_vector(parameters: Iterable[Tensor], name: str | None = None) -> Tensor:
    """Return the elements of all parameters as one vector, a new leaf.

    Args:
        parameters: tensors of one dtype.
        name: ignored.

    Returns:
        float[elements of all], which requires a gradient; the parameters receive none from it.

    Raises:
        InvalidArgumentError: if there are no parameters, or their dtypes or devices differ.

    Example:
        >>> import jaxeager as paddle
        >>> layer = paddle.nn.Linear(3, 2)
        >>> paddle.nn.utils.parameters_to_vector(layer.parameters()).shape
        paddle.Size([8])
    """
    arrays = [param._array for param in parameters]
    if len({array.dtype for array in arrays}) != 1:
        raise InvalidArgumentError(
            "parameters_to_vector takes parameters of one dtype, but received "
            f"{[str(array.dtype) for array in arrays]}."
        )
    named = ((f"parameter {index}", array) for index, array in enumerate(arrays))
    with on_one_device("parameters_to_vector", named):
        vector = Tensor.from_array(jnp.concatenate([array.reshape(-1) for array in arrays]))
    vector.stop_gradient = False
    return vector


def vector_to_parameters(
    vec: Tensor, parameters: Iterable[Tensor], name: str | None = None
) -> None:
    """Write the elements of a vector into parameters, in place.

    Args:
        vec: float[elements of all, or more]; surplus elements have no effect.
        parameters: tensors of its dtype.
        name: ignored.

    Raises:
        InvalidArgumentError: if ``vec`` is not a vector, is too short, or has another dtype.

    Example:
        >>> import jaxeager as paddle
        >>> layer = paddle.nn.Linear(1, 2)
        >>> vector = paddle.to_tensor([1.0, 2.0, 3.0, 4.0])
        >>> paddle.nn.utils.vector_to_parameters(vector, layer.parameters())
        >>> layer.weight.tolist(), layer.bias.tolist()
        ([[1.0, 2.0]], [3.0, 4.0])
    """
    parameters = list(parameters)
    if vec.ndim != 1:
        raise InvalidArgumentError(f"vec must have one dimension, not {list(vec.shape)}.")
    total = sum(param.size for param in parameters)
    if total > vec.size:
        raise InvalidArgumentError(
            "The total_elements of vec should be equal to or larger than the number of elements in "
            f"parameters: it has {vec.size}, they have {total}."
        )
    start, parts = 0, []
    for param in parameters:
        if param.dtype != vec.dtype:
            raise InvalidArgumentError(
                f"vec is {vec.dtype}, but a parameter is {param.dtype}: cast it first."
            )
        part = vec._array[start : start + param.size]
        parts.append(beside(jnp.array(part.reshape(param._array.shape)), param._array))
        start += param.size
    write_arrays(parameters, parts, moves_version=True)
