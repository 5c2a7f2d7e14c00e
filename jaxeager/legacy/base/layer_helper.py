"""LayerHelper: creates the parameters of older layers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from jaxeager.core import dtypes
from jaxeager.errors import UnimplementedError
from jaxeager.nn.param_attr import ParamAttr, create_parameter
from jaxeager.utils import unique_name

if TYPE_CHECKING:
    from typing import NoReturn

    from jaxeager.core.types import DTypeLike, ParamAttrLike, ShapeLike
    from jaxeager.nn.initializer.initializer import Initializer
    from jaxeager.tensor import Parameter


class LayerHelper:
    """Creates parameters for a layer that is written as a function.

    Args:
        layer_type: the name of the layer.
        **kwargs: its arguments, among them ``name``, ``param_attr``, ``bias_attr`` and ``act``.

    Attributes:
        layer_type: as given.
        name: as given, or counted from the layer's name.
        kwargs: as given, with the name.

    Example:
        >>> import jaxeager as paddle
        >>> helper = paddle.base.layer_helper.LayerHelper("scale", bias_attr=None)
        >>> helper.create_parameter(None, [2, 3], "float32").shape
        paddle.Size([2, 3])
    """

    def __init__(self, layer_type: str, **kwargs: Any):
        self.layer_type = layer_type
        name = kwargs.get("name") or unique_name.generate(layer_type)
        self.kwargs: dict[str, Any] = {**kwargs, "name": name}

    @property
    def name(self) -> str:
        """Return the name of the layer."""
        return self.kwargs["name"]

    @property
    def param_attr(self) -> Any:
        """Return the attributes of parameters, as a ParamAttr."""
        return ParamAttr._to_attr(self.kwargs.get("param_attr"))

    @property
    def bias_attr(self) -> Any:
        """Return the attributes of a bias, as a ParamAttr."""
        return ParamAttr._to_attr(self.kwargs.get("bias_attr"))

    def get_default_dtype(self) -> str:
        """Return the default dtype of tensors."""
        return dtypes.get_default_dtype()

    def create_parameter(
        self,
        attr: ParamAttrLike | None,
        shape: ShapeLike,
        dtype: DTypeLike | None = None,
        is_bias: bool = False,
        default_initializer: Initializer | None = None,
        stop_gradient: bool = False,
    ) -> Parameter | None:
        """Return a new Parameter; None when ``attr`` is False.

        Args:
            attr: the attributes of the parameter.
            shape: its shape.
            dtype: its dtype; the default one when None.
            is_bias: whether it starts at 0.
            default_initializer: the initializer when ``attr`` does not name one.
            stop_gradient: whether no gradient is computed for it.
        """
        dtype = dtype or dtypes.get_default_dtype()
        made = create_parameter(
            shape, dtype, attr=attr, is_bias=is_bias, default_initializer=default_initializer
        )
        if made is not None and stop_gradient:
            made.stop_gradient = True
        return made

    def append_op(self, *args: object, **kwargs: object) -> NoReturn:
        """Raise: there is no static graph to add an op to.

        Args:
            *args: the description of the op.
            **kwargs: the same, by name.

        Raises:
            UnimplementedError: always.
        """
        raise UnimplementedError(
            f"{self.layer_type}: there are no static graphs, so no op can be added to one. Call "
            "the function of paddle that computes it."
        )
