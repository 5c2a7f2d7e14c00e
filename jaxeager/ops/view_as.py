"""Pairs of real numbers seen as complex ones, and back: view_as_complex and view_as_real."""

from jaxeager.errors import InvalidArgumentError
from jaxeager.graph.memory import place_of
from jaxeager.ops.complex import as_complex, as_real
from jaxeager.ops.row import composite


@composite()
def view_as_complex(input):
    """Returns pairs of real numbers, the last dimension, as complex ones; it shares memory.

    Args:
        input: float32 or float64 tensor [..., 2].

    Returns:
        complex tensor [...].

    Raises:
        InvalidArgumentError: for another last dimension, or a view in which the two numbers of a
            pair do not lie next to each other.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.view_as_complex(paddle.to_tensor([[1.0, 2.0]])).tolist()
        [(1+2j)]
    """
    place = place_of(input)
    if place is not None and place.ndim and place.strides[-1] != place.itemsize:
        raise InvalidArgumentError(
            "Expected the stride of last dimension of input(X) to be 1.But received "
            f"{place.strides[-1] // place.itemsize}. Call contiguous() first."
        )
    return as_complex(input)


@composite()
def view_as_real(input):
    """Returns complex numbers as pairs of real ones, in a last dimension of 2; it shares memory.

    Args:
        input: complex tensor [...].

    Returns:
        floating tensor [..., 2].

    Raises:
        InvalidArgumentError: for a tensor that is not complex.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.view_as_real(paddle.to_tensor([1.0 + 2.0j])).tolist()
        [[1.0, 2.0]]
    """
    return as_real(input)
