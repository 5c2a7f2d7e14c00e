"""Transform: a function of draws, with its inverse and the logarithm of its Jacobian."""

from __future__ import annotations

import enum
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import jaxeager as paddle
from jaxeager.distribution import variable
from jaxeager.errors import InvalidArgumentError, InvalidTypeError, UnimplementedError

if TYPE_CHECKING:
    from jaxeager.tensor.tensor import Tensor

# The results of calling a transform, by the type of the argument: (type, function of both). The
# modules of the results, which import this one, add to it.
combinations: list[tuple[type, Callable]] = []


class Type(enum.Enum):
    """How many values a transform maps to the same one."""

    BIJECTION = "bijection"
    INJECTION = "injection"
    SURJECTION = "surjection"
    OTHER = "other"

    @classmethod
    def is_injective(cls, kind) -> bool:
        """Return whether no two values are mapped to the same one."""
        return kind in (cls.BIJECTION, cls.INJECTION)


class Transform:
    """Base of the transforms.

    A subclass defines ``_forward``, ``_inverse`` and ``_forward_log_det_jacobian`` or
    ``_inverse_log_det_jacobian``; ``_forward_shape`` and ``_inverse_shape`` if it changes shapes;
    ``_domain`` and ``_codomain`` if an event is not a scalar. Called with a Tensor, it transforms
    it; with a Distribution, it returns a TransformedDistribution; with another transform, a chain:
    first this one, then the other.

    Example:
        >>> import jaxeager as paddle
        >>> class Double(paddle.distribution.Transform):
        ...     def _forward(self, x):
        ...         return 2 * x
        >>> Double()(paddle.to_tensor([1.0, 2.0])).tolist()
        [2.0, 4.0]
    """

    _type = Type.INJECTION
    _forward_log_det_jacobian: Callable  # a subclass has one of the two
    _inverse_log_det_jacobian: Callable

    @classmethod
    def _is_injective(cls) -> bool:
        return Type.is_injective(cls._type)

    @property
    def _domain(self):
        return variable.real

    @property
    def _codomain(self):
        return variable.real

    def __call__(self, input: Tensor) -> Any:
        for kind, combine in combinations:
            if isinstance(input, kind):
                return combine(self, input)
        return self.forward(input)

    def forward(self, x: Tensor) -> Tensor:
        """Return the transformed tensor.

        Raises:
            InvalidTypeError: when ``x`` is not a Tensor.
            InvalidArgumentError: when it has fewer dimensions than an event.
        """
        _check_tensor("x", x, self._domain.event_rank)
        return self._forward(x)

    def inverse(self, y: Tensor) -> Tensor:
        """Return the tensor that is transformed to ``y``; see ``forward``."""
        _check_tensor("y", y, self._codomain.event_rank)
        return self._inverse(y)

    def forward_log_det_jacobian(self, x: Tensor) -> Tensor:
        """Return the logarithm of the absolute determinant of the Jacobian at ``x``.

        Raises:
            UnimplementedError: for a transform that maps several values to the same one.
        """
        _check_tensor("x", x, self._domain.event_rank)
        if not self._is_injective():
            raise UnimplementedError(
                f"{type(self).__name__} has no forward_log_det_jacobian: it maps several "
                "values to one."
            )
        if hasattr(self, "_forward_log_det_jacobian"):
            return self._forward_log_det_jacobian(x)
        if hasattr(self, "_inverse_log_det_jacobian"):
            return -self._inverse_log_det_jacobian(self.forward(x))
        raise self._no_jacobian()

    def inverse_log_det_jacobian(self, y: Tensor) -> Tensor:
        """Return the logarithm of the absolute determinant of the inverse's Jacobian at ``y``."""
        _check_tensor("y", y, self._codomain.event_rank)
        if hasattr(self, "_inverse_log_det_jacobian"):
            return self._inverse_log_det_jacobian(y)
        if hasattr(self, "_forward_log_det_jacobian"):
            return -self._forward_log_det_jacobian(self._inverse(y))
        raise self._no_jacobian()

    def forward_shape(self, shape: Sequence[int]) -> Sequence[int]:
        """Return the shape that a tensor of this shape is transformed to.

        Raises:
            InvalidTypeError: when it is not a sequence.
        """
        return self._forward_shape(_checked_shape(shape))

    def inverse_shape(self, shape: Sequence[int]) -> Sequence[int]:
        """Return the shape that is transformed to this one; see ``forward_shape``."""
        return self._inverse_shape(_checked_shape(shape))

    def _forward(self, x):
        raise UnimplementedError(f"{type(self).__name__} has no _forward.")

    def _inverse(self, y):
        raise UnimplementedError(f"{type(self).__name__} has no _inverse.")

    def _forward_shape(self, shape):
        return shape

    def _inverse_shape(self, shape):
        return shape

    def _no_jacobian(self) -> UnimplementedError:
        return UnimplementedError(
            f"{type(self).__name__} has neither _forward_log_det_jacobian nor "
            "_inverse_log_det_jacobian; one of them is needed."
        )


def _check_tensor(name: str, value, rank: int) -> None:
    if not isinstance(value, paddle.Tensor):
        raise InvalidTypeError(f"Expected '{name}' is a Tensor or Real, but got {type(value)}.")
    if value.dim() < rank:
        raise InvalidArgumentError(
            f"The dimensions of {name}({value.dim()}) should be grater than or equal to {rank}"
        )


def _checked_shape(shape):
    if not isinstance(shape, (tuple, list)):
        raise InvalidTypeError(f"Expected shape is Sequence[int] type, but got {type(shape)}.")
    return shape


def event_sum(value, transform, shape, rank: int):
    """Sum log-determinants over the event dimensions that are not the transform's own.

    Args:
        value: the result of ``forward_log_det_jacobian``; it has fewer elements than ``shape`` when
            the determinant is the same everywhere.
        transform: the transform.
        shape: the shape of the tensor for which it was computed.
        rank: the number of last dimensions that form an event.
    """
    own = transform._domain.event_rank
    if rank <= own:
        return value
    outside = list(shape)[: len(shape) - own]
    whole = paddle.broadcast_shape(list(value.shape), outside)
    return paddle.broadcast_to(value, whole).sum(list(range(own - rank, 0)))
