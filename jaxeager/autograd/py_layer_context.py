"""PyLayerContext: the data that a PyLayer's forward passes to its backward."""

from __future__ import annotations

import weakref
from typing import TYPE_CHECKING

from jaxeager.errors import InvalidTypeError
from jaxeager.graph.mode import grad_mode
from jaxeager.graph.saved_hooks import pack_saved
from jaxeager.ops.call import dispatch
from jaxeager.tensor.kept_tensors import KeptTensor, keep, unkeep

if TYPE_CHECKING:
    from collections.abc import Callable

    from jaxeager.tensor.tensor import Tensor


class _State:
    """The data of a context besides the user's attributes.

    Attributes:
        layer_name: the name of the PyLayer.
        needs: per input slot whether a gradient is needed.
        kept: the saved values: as they are while forward runs, with KeptTensors after.
        packed: the TensorWrappers of tensors packed by ``saved_tensors_hooks``, by ``id``.
        attributes: the attributes that were outputs, as KeptTensors.
        is_sealed: whether forward has ended.
        node: a weak reference to the node of the call.
    """

    __slots__ = ("attributes", "is_sealed", "kept", "layer_name", "needs", "node", "packed")

    def __init__(self, layer_name: str, needs: tuple[bool, ...]):
        self.layer_name = layer_name
        self.needs = needs
        self.kept: tuple | None = None
        self.packed: dict = {}
        self.attributes: dict[str, KeptTensor] = {}
        self.is_sealed = False
        self.node: Callable = lambda: None


class PyLayerContext:
    """The ``ctx`` of a PyLayer's forward and backward: one per call of ``apply``.

    Attributes may be set on it freely and read in backward. Tensors for backward are better passed
    to ``save_for_backward``, which checks that they are not overwritten meanwhile.

    Example:
        >>> import jaxeager as paddle
        >>> class Square(paddle.autograd.PyLayer):
        ...     @staticmethod
        ...     def forward(ctx, x, times):
        ...         ctx.save_for_backward(x)
        ...         ctx.times = times
        ...         return x * x * times
        ...
        ...     @staticmethod
        ...     def backward(ctx, grad):
        ...         (x,) = ctx.saved_tensor()
        ...         return grad * 2 * x * ctx.times
        >>> x = paddle.to_tensor(3.0, stop_gradient=False)
        >>> Square.apply(x, 10).backward()
        >>> x.grad.item()
        60.0
    """

    __slots__ = (
        "__dict__", "__weakref__", "_state", "grad_in_dtype_consistent", "materialize_grads",
        "non_differentiable", "not_inplace_tensors",
    )  # fmt: skip

    def __init__(self, layer_name: str, needs: tuple[bool, ...]):
        self._state = _State(layer_name, needs)
        self.grad_in_dtype_consistent = True
        self.materialize_grads = True
        self.non_differentiable: tuple = ()
        self.not_inplace_tensors: tuple = ()

    def save_for_backward(self, *tensors: Tensor) -> None:
        """Keep tensors for backward; a second call replaces the tensors of the first one.

        The kept value is that of the tensor at the end of forward. If it is written in place after
        that, backward raises an error instead of computing with another value (Paddle computes).
        Active ``saved_tensors_hooks`` pack each tensor now.

        Args:
            *tensors: Tensors; other values, and lists of Tensors, are kept as well.

        Example:
            See PyLayerContext.
        """
        state = self._state
        state.kept = tensors
        hooks = grad_mode.saved_hooks
        state.packed = {}
        if hooks is not None and any(state.needs):
            for tensor in _tensors_in(tensors):
                state.packed[id(tensor)] = pack_saved(tensor._array, hooks)

    def saved_tensor(self) -> tuple | None:
        """Return the tuple given to ``save_for_backward``; None when it was not called.

        Inputs and outputs have their places in the graph, so results that backward computes from
        them can be differentiated again.

        Raises:
            PermissionDeniedError: when one of the tensors was written in place since forward.
        """
        state = self._state
        if state.kept is None or not state.is_sealed:
            return state.kept
        return unkeep(state.kept, state.node())

    def mark_not_inplace(self, *tensors: Tensor) -> None:
        """Declare that returned inputs of forward are not meant as written in place.

        ``apply`` then returns another Tensor of the same memory, and the input keeps its history.
        """
        self.not_inplace_tensors = tensors

    def mark_non_differentiable(self, *tensors: Tensor) -> None:
        """Declare outputs without a gradient: they are returned with ``stop_gradient`` True.

        Backward still gets a gradient for each of them: zeros.
        """
        self.non_differentiable = tensors

    def set_materialize_grads(self, value: bool) -> None:
        """Set whether backward gets zeros (the default) or None for unused outputs."""
        if not isinstance(value, bool):
            raise InvalidTypeError(
                f"set_materialize_grads takes a bool, but got {type(value).__name__}."
            )
        self.materialize_grads = value

    def set_grad_in_dtype_consistent(self, flag: bool) -> None:
        """Set whether gradients are cast to the dtype of the outputs (the default) or not.

        With False, a gradient of another dtype, for example float16 from another PyLayer's
        backward, is passed in that dtype.
        """
        if not isinstance(flag, bool):
            raise InvalidTypeError(
                f"set_grad_in_dtype_consistent takes a bool, but got {type(flag).__name__}."
            )
        self.grad_in_dtype_consistent = flag

    @property
    def needs_input_grad(self) -> tuple[bool, ...]:
        """Return whether a gradient is needed, per argument that is a Tensor or list of Tensors.

        The order is that of backward's gradients; a list is judged by its first Tensor. All are
        False when the call is not recorded. (Paddle has no such attribute.)

        Example:
            >>> import jaxeager as paddle
            >>> class Add(paddle.autograd.PyLayer):
            ...     @staticmethod
            ...     def forward(ctx, x, y):
            ...         print(ctx.needs_input_grad)
            ...         return x + y
            >>> x = paddle.to_tensor(1.0, stop_gradient=False)
            >>> y = Add.apply(x, paddle.to_tensor(2.0))
            (True, False)
        """
        return self._state.needs

    def name(self) -> str:
        """Return the name of the call's node, ``GradNodePyLayer_`` and the PyLayer's name."""
        return f"GradNodePyLayer_{self._state.layer_name}"

    def __getattr__(self, name: str):
        if name != "_state" and name in self._state.attributes:
            return self._state.attributes[name].get_attribute(self._state.node())
        raise AttributeError(
            f"{self._state.layer_name + '_backward'!r} object has no attribute {name!r}. Set it on "
            "ctx in forward, or save tensors with ctx.save_for_backward(...)."
        )


def seal_context(ctx: PyLayerContext, node, position_of) -> None:
    """End forward: convert the kept values so that they do not hold the call's outputs.

    Args:
        ctx: the context.
        node: the node of the call.
        position_of: a function that returns the index of an output Tensor, or None.
    """
    state = ctx._state
    state.is_sealed = True
    state.node = weakref.ref(node)
    if state.kept is not None:
        state.kept = keep(state.kept, position_of, state.packed)
    state.packed = {}
    ctx.non_differentiable = ctx.not_inplace_tensors = ()
    outputs = [
        (name, value, position_of(value))
        for name, value in ctx.__dict__.items()
        if isinstance(value, dispatch.Tensor)
    ]
    for name, value, position in outputs:
        if position is not None:
            state.attributes[name] = KeptTensor(value, position, None)
            del ctx.__dict__[name]


def _tensors_in(values):
    """Yield the Tensors among values, also those in lists and tuples."""
    for value in values:
        if isinstance(value, dispatch.Tensor):
            yield value
        elif type(value) in (list, tuple):
            yield from _tensors_in(value)
