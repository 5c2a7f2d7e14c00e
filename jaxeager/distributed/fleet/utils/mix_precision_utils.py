"""Gradients of low-precision weights, accumulated in float32 in ``main_grad``."""

from __future__ import annotations

import types
from typing import TYPE_CHECKING, Any

import jaxeager as paddle
from jaxeager.distributed.fleet.meta_optimizers.dygraph_optimizer.inner import (
    InnerOptimizer,
    parameters_of,
)
from jaxeager.errors import InvalidArgumentError, InvalidTypeError

if TYPE_CHECKING:
    from jaxeager.amp import GradScaler
    from jaxeager.distributed.fleet.meta_optimizers.dygraph_optimizer.inner import AnyOptimizer


__all__ = ["MixPrecisionLayer", "MixPrecisionOptimizer", "MixPrecisionScaler"]


class MixPrecisionLayer(paddle.nn.Layer):
    """A wrapper of a Layer that accumulates the gradients of its parameters in float32.

    A backward adds to ``main_grad`` of each parameter, which is None before the first, and leaves
    ``grad`` None.

    Args:
        layers: the Layer.
        dtype: the dtype of the computation: "float16" or "bfloat16".

    Shapes:
        Those of the Layer.

    Raises:
        InvalidTypeError: when it is not a Layer.
        InvalidArgumentError: for any other dtype.

    Example:
        >>> import jaxeager as paddle
        >>> from jaxeager.distributed.fleet.utils import mix_precision_utils
        >>> net = paddle.nn.Linear(2, 1).bfloat16()
        >>> net = mix_precision_utils.MixPrecisionLayer(net, dtype="bfloat16")
        >>> net(paddle.ones([1, 2], "bfloat16")).sum().backward()
        >>> weight = net.parameters()[0]
        >>> weight.main_grad.dtype, weight.main_grad.tolist(), weight.grad
        (paddle.float32, [[1.0], [1.0]], None)
    """

    def __init__(self, layers: paddle.nn.Layer, dtype: str = "float16"):
        if not isinstance(layers, paddle.nn.Layer):
            raise InvalidTypeError(f"MixPrecisionLayer takes a Layer, but received {layers!r}.")
        if dtype not in ("float16", "bfloat16"):
            raise InvalidArgumentError(
                f"The dtype is 'float16' or 'bfloat16', but received {dtype!r}."
            )
        super().__init__(f"{layers.full_name()}_mix_precision")
        self._layers = layers
        self._dtype = dtype
        every: list[Any] = layers.parameters()
        for parameter in every:
            parameter.main_grad = None
            if not parameter.stop_gradient:
                parameter._register_backward_hook(types.MethodType(_to_main_grad, parameter))

    def forward(self, *inputs: Any, **kwargs: Any) -> Any:
        """Return the output of the Layer."""
        return self._layers(*inputs, **kwargs)

    def state_dict(
        self,
        destination: dict | None = None,
        include_sublayers: bool = True,
        structured_name_prefix: str = "",
    ) -> dict:
        """Return the state of the Layer, with the Layer's own names.

        Args:
            destination: a dict that receives the state.
            include_sublayers: whether to include the state of sublayers.
            structured_name_prefix: a prefix for every name.
        """
        return self._layers.state_dict(destination, include_sublayers, structured_name_prefix)

    def set_state_dict(
        self, state_dict: dict, use_structured_name: bool = True
    ) -> tuple[list[str], list[str]]:
        """Copy values into the Layer; see ``Layer.set_state_dict``.

        Args:
            state_dict: {name: value}, with the Layer's own names.
            use_structured_name: False if the names are those of parameters.
        """
        return self._layers.set_state_dict(state_dict, use_structured_name)


def _to_main_grad(parameter: Any) -> None:
    """Add a new gradient to ``main_grad``."""
    grad = parameter.grad.detach().astype("float32")
    parameter.main_grad = grad if parameter.main_grad is None else parameter.main_grad + grad
    parameter.grad = None


class MixPrecisionOptimizer(InnerOptimizer):
    """An optimizer that steps with ``main_grad`` of its parameters.

    Args:
        optimizer: any optimizer.

    Example:
        >>> import jaxeager as paddle
        >>> from jaxeager.distributed.fleet.utils import mix_precision_utils
        >>> net = mix_precision_utils.MixPrecisionLayer(paddle.nn.Linear(2, 1), "bfloat16")
        >>> sgd = paddle.optimizer.SGD(0.5, parameters=net.parameters())
        >>> optimizer = mix_precision_utils.MixPrecisionOptimizer(sgd)
        >>> net(paddle.ones([1, 2])).sum().backward()
        >>> optimizer.step()
        >>> optimizer.clear_grad()
        >>> net.parameters()[0].main_grad.tolist()
        [[0.0], [0.0]]
    """

    def __init__(self, optimizer: AnyOptimizer):
        super().__init__(optimizer, None)

    def step(self) -> None:
        """Step with the accumulated gradients."""
        with_main = _show_main_grad(self._inner_opt)
        try:
            self._inner_opt.step()
        finally:
            for each in with_main:
                each.grad = None

    def clear_grad(self, set_to_zero: bool = True) -> None:
        """Set ``main_grad`` of each parameter to 0, or to None.

        Args:
            set_to_zero: False for None.
        """
        for each in parameters_of(self._inner_opt):
            main = getattr(each, "main_grad", None)
            if main is not None:
                each.main_grad = paddle.zeros_like(main) if set_to_zero else None
            each.grad = None

    clear_gradients = clear_grad

    def minimize(self, loss: paddle.Tensor, *args: object, **kwargs: object) -> tuple:
        """Step with the accumulated gradients.

        Args:
            loss: the loss; its ``backward`` must have been called.
            *args: ignored.
            **kwargs: ignored.
        """
        self.step()
        return None, [(each, each.main_grad) for each in parameters_of(self._inner_opt)]


def _show_main_grad(optimizer: AnyOptimizer) -> list:
    """Set ``grad`` to ``main_grad`` of the parameters that have one, and return these."""
    parameters = parameters_of(optimizer)
    with_main = [p for p in parameters if getattr(p, "main_grad", None) is not None]
    for each in with_main:
        each.grad = each.main_grad
    return with_main


def MixPrecisionScaler(scaler: GradScaler) -> GradScaler:
    """Make a GradScaler use ``main_grad`` of parameters; return it.

    Args:
        scaler: the GradScaler.
    """
    unscale = type(scaler)._unscale

    def unscale_main(self: Any, optimizer: AnyOptimizer) -> None:
        with_main = _show_main_grad(optimizer)
        unscale(self, optimizer)
        for each in with_main:
            each.main_grad, each.grad = each.grad, None

    scaler._unscale = types.MethodType(unscale_main, scaler)
    return scaler
