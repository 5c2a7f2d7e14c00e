"""Tensor's autograd members: whether gradients are required, the gradient, hooks, versions."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Self

import jax
import jax.numpy as jnp
import numpy as np

from jaxeager.arrays.as_array import beside
from jaxeager.core import ports
from jaxeager.errors import (
    FatalError,
    InvalidArgumentError,
    InvalidTypeError,
    PermissionDeniedError,
)
from jaxeager.graph import events, hooks
from jaxeager.graph.few_rows import FewRows
from jaxeager.graph.meta import AutogradMeta
from jaxeager.graph.mode import grad_mode
from jaxeager.graph.node import gradient_edge, leaf_of
from jaxeager.graph.views import shared_writes, view_places
from jaxeager.graph.views.storage import Storage
from jaxeager.ops.call import dispatch
from jaxeager.ops.call.observers import lookers, see, see_gradient
from jaxeager.tensor.backward import backward, check_shape

if TYPE_CHECKING:
    from jaxeager.tensor import Tensor

_constant = jax.lax.stop_gradient  # stops gradients for JAX too, inside to_jax


class AutogradMethods:
    """A base of Tensor."""

    __slots__ = ()

    _array: jax.Array
    _meta: Any  # AutogradMeta or None
    _name: str | None
    _storage: Storage
    shape: Any

    @property
    def stop_gradient(self) -> bool:
        """Return whether gradients end here."""
        meta = self._meta
        return meta is None or meta.stop_gradient

    @stop_gradient.setter
    def stop_gradient(self, value: bool) -> None:
        if not isinstance(value, (bool, np.bool_)):
            raise InvalidTypeError(
                f"argument (position 1) must be bool, but got {type(value).__name__}"
            )
        if grad_mode.capture is not None:
            grad_mode.capture.see((self,))
        if self._meta is None:
            self._meta = AutogradMeta(bool(value))
            if grad_mode.capture is not None:
                grad_mode.capture.has_meta(self)
        self._meta.stop_gradient = bool(value)
        if events.leaf_made is not None and not value:
            events.leaf_made(self._meta)
        if value and grad_mode.traced:
            self._array = _constant(self._array)

    @property
    def requires_grad(self) -> bool:
        """Return the opposite of stop_gradient."""
        return not self.stop_gradient

    @requires_grad.setter
    def requires_grad(self, value: bool) -> None:
        if not isinstance(value, bool):
            raise InvalidTypeError(f"requires_grad must be bool, but got {type(value)}")
        self.stop_gradient = not value

    def requires_grad_(self, requires_grad: bool = True) -> Self:
        """Set requires_grad and return self."""
        self.requires_grad = requires_grad
        return self

    @property
    def is_leaf(self) -> bool:
        """Return whether no recorded op made it."""
        return self._meta is None or self._meta.is_leaf()

    @property
    def grad_fn(self) -> Any:
        """Return the GradNode that made it, a leaf's GradNodeAccumulation, or None."""
        meta = self._meta
        if meta is None or meta.is_lent:
            return None
        return gradient_edge(meta, self._name).node

    @property
    def grad(self) -> Tensor | None:
        """Return the accumulated gradient, or None."""
        if lookers:
            see_gradient(self)
        meta = self._meta
        if meta is None:
            return None
        if meta.grad is None and meta.zeros is not None:
            zeros = beside(jnp.zeros(meta.zeros.shape, meta.zeros.dtype), self._array)
            meta.grad = dispatch.wrap(zeros, stop_gradient=False)
            meta.zeros = None
        return meta.grad

    @grad.setter
    def grad(self, value) -> None:
        if value is not None and not isinstance(value, dispatch.Tensor):
            raise InvalidArgumentError(
                f"argument (position 1) must be Tensor, but got {type(value).__name__}"
            )
        if not self.is_leaf:
            raise FatalError("Only leaf Tensor can be set grad. Use register_hook to change it.")
        rows = None if value is None else value._rows
        is_few_rows = isinstance(rows, FewRows)
        shape = None if value is None else rows.shape if is_few_rows else value._whole.shape
        if shape is not None and shape != self._array.shape:
            raise InvalidArgumentError(
                f"A gradient has the shape of its tensor, {list(self.shape)}, but got one of shape "
                f"{list(shape)}."
            )
        if lookers:
            see_gradient(self)
        if value is not None:
            value = (
                value.detach() if is_few_rows else dispatch.wrap(beside(value._whole, self._array))
            )
            if rows is not None and not is_few_rows:
                value = ports.as_selected_rows(value._array, rows, True)
        if self._meta is None:
            self._meta = AutogradMeta(True)
            if grad_mode.capture is not None:
                grad_mode.capture.has_meta(self)
        self._meta.zeros = None
        self._meta.grad = value

    def gradient(self) -> Any:
        """Return the gradient as a NumPy array, or None; (values, rows) for SelectedRows."""
        grad = self.grad
        if grad is None:
            return None
        return grad.numpy() if grad._rows is None else (grad.numpy(), np.array(grad.rows()))

    def clear_gradient(self, set_to_zero: bool = True) -> None:
        """Clear the gradient: to zeros, or to None. It stays None when there is none.

        A gradient of some rows (SelectedRows) becomes None, as in Paddle.
        """
        if lookers:
            see_gradient(self)
        meta = self._meta
        if meta is None:
            return
        meta.zeros = meta.cleared() if set_to_zero else None
        meta.grad = None

    clear_grad = clear_gradient
    zero_grad = clear_gradient

    def backward(
        self,
        grad_tensor: Tensor | None = None,
        retain_graph: bool = False,
        *,
        dump_backward_graph_path: str | None = None,
        create_graph: bool = False,
    ) -> None:
        """Add the gradient of this tensor to every leaf from which it was computed.

        Args:
            grad_tensor: the gradient to start from, of this tensor's shape; ones by default.
            retain_graph: keep the graph's saved tensors, so that backward can run again.
            dump_backward_graph_path: a folder for the graph that runs, see
                ``paddle.autograd.backward``.
            create_graph: make the leaves' ``grad`` part of a graph, which keeps this one.

        Raises:
            FatalError: when the graph was run before without ``retain_graph``.
            PermissionDeniedError: when a saved tensor was changed in place since.
            InvalidArgumentError: when ``grad_tensor`` has another shape.

        Example:
            >>> import jaxeager as paddle
            >>> x = paddle.to_tensor(3.0, stop_gradient=False)
            >>> (x * x).backward()
            >>> x.grad.item()
            6.0
        """
        check_shape(self, grad_tensor)
        grads = None if grad_tensor is None else [grad_tensor]
        backward(
            [self],
            grads,
            retain_graph,
            dump_backward_graph_path=dump_backward_graph_path,
            create_graph=create_graph,
        )

    def register_hook(
        self, hook: Callable[[Tensor], Tensor | None]
    ) -> hooks.TensorHookRemoveHelper:
        """Add a function that sees, and may replace, the gradient of this tensor in backward.

        It is called once per backward, with the gradient summed over all uses of the tensor, and
        returns a Tensor of the same shape and dtype, or None to keep it. Hooks run in the order of
        registration. Those of leaves do not run in ``paddle.grad``.

        Args:
            hook: ``fn(grad: Tensor) -> Tensor | None``.

        Returns:
            a handle with ``remove()``.

        Raises:
            PermissionDeniedError: when the tensor stops gradients.
            InvalidTypeError: when ``hook`` is not callable.

        Example:
            >>> import jaxeager as paddle
            >>> x = paddle.to_tensor([1.0], stop_gradient=False)
            >>> handle = x.register_hook(lambda grad: grad * 10)
            >>> (x * 2).backward()
            >>> x.grad.tolist()
            [20.0]
        """
        if self.stop_gradient:
            raise PermissionDeniedError("Cannot register hook on a tensor that stop gradient.")
        if lookers:
            see((self,))
        return hooks.register_gradient_hook(gradient_edge(self._meta, self._name), hook)

    def retain_grads(self) -> None:
        """Keep the gradient of a non-leaf tensor in its ``grad``, again at each backward.

        Nothing happens for a leaf, or a tensor that stops gradients. The kept gradient is the one
        at the position of this call among the tensor's hooks. When the tensor is written in place
        afterwards, it is still the gradient of the value at this call, as in Paddle.

        Example:
            >>> import jaxeager as paddle
            >>> x = paddle.to_tensor([1.0], stop_gradient=False)
            >>> y = x * 2
            >>> y.retain_grads()
            >>> (y * 3).backward()
            >>> y.grad.tolist()
            [3.0]
        """
        if not self.stop_gradient:
            hooks.retain_gradient(self._meta)

    def _register_backward_hook(self, hook) -> hooks.TensorHookRemoveHelper:
        """Add a function without arguments that runs after this leaf's ``grad`` was added to.

        Raises:
            InvalidArgumentError: when the tensor is not a leaf or stops gradients.
        """
        if self.stop_gradient:
            raise InvalidArgumentError(
                "Cannot register backward hook on a Tensor that stop gradient."
            )
        return hooks.register_reduce_hook(leaf_of(self._meta, self._name), hook)

    @property
    def inplace_version(self) -> int:
        """Return how often its memory was written in place."""
        return self._storage.version

    def _inplace_version(self) -> int:
        return self._storage.version

    def _bump_inplace_version(self) -> None:
        self._storage.version += 1

    def detach(self) -> Tensor:
        """Return a tensor of the same memory and version that stops gradients.

        A write through one of them changes the other's values, but not its gradients.

        Example:
            >>> import jaxeager as paddle
            >>> x = paddle.to_tensor([1.0, 2.0], stop_gradient=False)
            >>> x.detach()[0] = 5.0
            >>> x.tolist(), x.inplace_version
            ([5.0, 2.0], 1)
        """
        tensor: Any = object.__new__(dispatch.Tensor)
        if grad_mode.capture is not None:
            grad_mode.capture.see((self,))
        tensor._array = _constant(self._array) if grad_mode.traced else self._array
        tensor._meta = None
        view_places.add_view(tensor, self, None, is_cut=True)
        if events.value_detached is not None:
            events.value_detached(self, tensor)
        return tensor

    def detach_(self) -> Self:
        """Drop its history; return self, which is then a leaf."""
        shared_writes.cut(self)
        if grad_mode.traced:
            self._array = _constant(self._array)
        self._meta = None
        if events.value_detached is not None:
            events.value_detached(self, self)
        return self
