"""LayerObjectHelper, the ``_helper`` of Paddle's layers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from jaxeager.core import dtypes
from jaxeager.errors import InvalidArgumentError
from jaxeager.nn import functional as F

if TYPE_CHECKING:
    from jaxeager.core.types import DTypeLike, ParamAttrLike, ShapeLike
    from jaxeager.nn import Layer
    from jaxeager.tensor import Tensor


class LayerObjectHelper:
    """Helper that creates activations and parameters for a layer, as in programs for older Paddle.

    Args:
        layer: the layer.

    Example:
        >>> import jaxeager as paddle
        >>> helper = paddle.nn.Linear(2, 2)._helper
        >>> helper.append_activation(paddle.to_tensor([-1.0, 2.0]), act="relu").tolist()
        [0.0, 2.0]
    """

    def __init__(self, layer: Layer):
        self._layer = layer

    @property
    def name(self) -> str:
        """Return the name of the layer."""
        return self._layer.full_name()

    def append_activation(
        self, input_var: Tensor, act: str | None = None, use_cudnn: bool | None = None
    ) -> Tensor:
        """Return the result of an activation; the input itself without one.

        Args:
            input_var: a tensor.
            act: the name of a function in nn.functional.
            use_cudnn: has no effect.

        Raises:
            InvalidArgumentError: if there is no function of that name.
        """
        if act is None:
            return input_var
        if not hasattr(F, act):
            raise InvalidArgumentError(f"There is no activation {act!r} in nn.functional.")
        return getattr(F, act)(input_var)

    def create_parameter(
        self,
        attr: ParamAttrLike | None,
        shape: ShapeLike,
        dtype: DTypeLike | None = None,
        *args: Any,
        **kwargs: Any,
    ):
        """Return the result of the layer's ``create_parameter``."""
        return self._layer.create_parameter(shape, attr, dtype, *args, **kwargs)

    def get_default_dtype(self) -> str:
        """Return the name of the default dtype of parameters."""
        return dtypes.get_default_dtype()
