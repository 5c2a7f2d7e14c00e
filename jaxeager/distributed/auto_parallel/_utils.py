"""A wrapper of an optimizer's ``step``, which PaddleFormers imports."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

import jax.numpy as jnp

from jaxeager.ops.call.wrapping import wrap
from jaxeager.tensor import Tensor

if TYPE_CHECKING:
    from jaxeager.distributed.fleet.meta_optimizers.dygraph_optimizer.inner import AnyOptimizer


def _patch_grads_for_step(amp_master_grad: bool = False) -> Callable[[Callable], Callable]:
    """Return a decorator for ``step``, so that parameters without a gradient have one of zeros.

    With it, an optimizer updates all of its parameters: their moments and weight decay advance.

    Args:
        amp_master_grad: whether the zeros are float32, whatever the parameter's dtype.

    Example:
        >>> import jaxeager as paddle
        >>> layer = paddle.nn.Linear(2, 2, bias_attr=False)
        >>> sgd = paddle.optimizer.SGD(0.5, layer.parameters(), weight_decay=1.0)
        >>> before = layer.weight.numpy().copy()
        >>> _patch_grads_for_step()(type(sgd).step)(sgd)
        >>> bool((layer.weight.numpy() == before / 2).all())
        True
    """

    def decorator(step: Callable) -> Callable:
        @functools.wraps(step)
        def with_zeros(self: AnyOptimizer, *args: Any, **kwargs: Any) -> Any:
            for param in _parameters_of(self):
                if not param.stop_gradient and param.grad is None:
                    dtype = jnp.float32 if amp_master_grad else param._array.dtype
                    param.grad = wrap(jnp.zeros_like(param._array, dtype))
            return step(self, *args, **kwargs)

        return with_zeros

    return decorator


def _parameters_of(optimizer: AnyOptimizer) -> Iterator[Tensor]:
    """Yield the parameters of an optimizer, or of the one that it wraps."""
    for each in optimizer._parameter_list:
        if isinstance(each, dict):
            yield from each["params"]
        else:
            yield each
