"""saved_tensors_hooks: saved tensors of the forward pass in a form that the user chooses."""

from collections.abc import Callable

from jaxeager.errors import InvalidTypeError
from jaxeager.graph.mode import grad_mode
from jaxeager.ops.call.observers import unwatch, watch


class saved_tensors_hooks:
    """Pass every tensor that an op saves for backward through ``pack``, and back by ``unpack``.

    ``pack`` gets the Tensor when it is saved, and returns any value; ``unpack`` gets that value
    when backward needs the tensor, and returns a Tensor of the same shape and dtype. Contexts nest:
    the innermost pair is used (Paddle refuses a second one). Each thread has its own hooks. A
    packed tensor is not checked for in-place writes.

    Args:
        pack_hook: ``fn(tensor) -> anything``.
        unpack_hook: ``fn(anything) -> Tensor``.

    Raises:
        InvalidTypeError: when one of them is not callable, or ``unpack`` does not return a Tensor.
        InvalidArgumentError: in backward, when ``unpack`` returns another shape or dtype.

    Example:
        >>> import jaxeager as paddle
        >>> x = paddle.to_tensor([3.0], stop_gradient=False)
        >>> with paddle.autograd.saved_tensors_hooks(lambda t: t.numpy(), paddle.to_tensor):
        ...     y = x * x
        >>> y.backward()
        >>> x.grad.tolist()
        [6.0]
    """

    def __init__(self, pack_hook: Callable, unpack_hook: Callable):
        for name, hook in (("pack_hook", pack_hook), ("unpack_hook", unpack_hook)):
            if not callable(hook):
                raise InvalidTypeError(
                    f"{name} of saved_tensors_hooks must be a function, but got "
                    f"{type(hook).__name__}."
                )
        self.pack_hook = pack_hook
        self.unpack_hook = unpack_hook
        self._outside: list = []

    def __enter__(self) -> "saved_tensors_hooks":
        self._outside.append(grad_mode.saved_hooks)
        grad_mode.saved_hooks = (self.pack_hook, self.unpack_hook)
        watch("saved_tensors_hooks")
        return self

    def __exit__(self, *exc_info) -> None:
        unwatch("saved_tensors_hooks")
        grad_mode.saved_hooks = self._outside.pop()
