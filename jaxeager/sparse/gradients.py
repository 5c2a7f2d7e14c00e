"""The gradients of a sparse tensor: those of its values."""

from typing import Any

from jaxeager.errors import InvalidArgumentError


class GradientsOfValues:
    """Members that a sparse tensor has from its values, shown with its coordinates.

    A gradient is sparse; see tensors.py, Note [Sparse tensors are no Tensors].
    """

    _values: Any
    like: Any
    has_entries_of: Any

    @property
    def stop_gradient(self) -> bool:
        """Return whether gradients stop here."""
        return self._values.stop_gradient

    @stop_gradient.setter
    def stop_gradient(self, value: bool) -> None:
        self._values.stop_gradient = value

    @property
    def requires_grad(self) -> bool:
        """Return whether gradients reach the values."""
        return not self.stop_gradient

    @requires_grad.setter
    def requires_grad(self, value: bool) -> None:
        self.stop_gradient = not value

    def requires_grad_(self, value: bool = True):
        """Set whether gradients reach the values, and return the tensor itself."""
        self.stop_gradient = not value
        return self

    @property
    def is_leaf(self) -> bool:
        """Return whether no recorded op produced the values."""
        return self._values.is_leaf

    @property
    def grad_fn(self):
        """Return the GradNode that produced the values, a leaf's GradNodeAccumulation, or None."""
        return self._values.grad_fn

    @property
    def grad(self):
        """Return the accumulated gradient, sparse with the same coordinates, or None."""
        grad = self._values.grad
        return None if grad is None else self.like(grad)

    @grad.setter
    def grad(self, value) -> None:
        self._values.grad = None if value is None else self._values_of(value)

    def clear_gradient(self, set_to_zero: bool = True) -> None:
        """Clear the gradient: set it to zeros, or to None."""
        self._values.clear_gradient(set_to_zero)

    clear_grad = clear_gradient

    def retain_grads(self) -> None:
        """Keep the gradient in ``grad`` although the tensor is not a leaf."""
        self._values.retain_grads()

    def register_hook(self, hook):
        """Add a function that observes, and may replace, the gradient, which is sparse."""

        def on_values(grad):
            result = hook(self.like(grad))
            return None if result is None else self._values_of(result)

        return self._values.register_hook(on_values)

    def backward(self, grad_tensor=None, retain_graph: bool = False) -> None:
        """Add the gradient of the entries to every leaf from which they were computed.

        Args:
            grad_tensor: sparse tensor with the same coordinates to start from; ones by default.
            retain_graph: keep the graph's saved tensors, so that backward can run again.

        Raises:
            InvalidArgumentError: when ``grad_tensor`` has other coordinates.
        """
        grad = None if grad_tensor is None else self._values_of(grad_tensor)
        self._values.backward(grad, retain_graph)

    def _values_of(self, other):
        """Return the values of a gradient, which must have this tensor's coordinates.

        Raises:
            InvalidArgumentError: when it has other coordinates.
        """
        if not self.has_entries_of(other):
            raise InvalidArgumentError(
                "A sparse tensor's gradient is sparse and has its coordinates, but received "
                f"{other!r}. Its values at these coordinates are paddle.sparse.mask_as(dense, x)."
            )
        return other._values
