"""The tables a Layer keeps, which every part of it works on."""

from collections import OrderedDict
from typing import TYPE_CHECKING, Any

from jaxeager.tensor import Parameter, Tensor

if TYPE_CHECKING:
    from jaxeager.core.types import DTypeLike


class LayerMembers:
    """Names what ``Layer.__init__`` makes.

    Attributes:
        training: whether the layer is in training mode.
        _parameters: own parameters by name.
        _buffers: own buffers by name.
        _non_persistable_buffer_names_set: buffers that state_dict leaves out.
        _sub_layers: layers directly below by name.
        _state_dict_hooks: what state_dict runs at its end.
        _dtype: the dtype the layer says it works in: its name, or a paddle.dtype once it was cast.
    """

    training: bool
    _parameters: OrderedDict[str, Parameter | None]
    _buffers: OrderedDict[str, Tensor | None]
    _non_persistable_buffer_names_set: set[str]
    _sub_layers: OrderedDict[str, Any]
    _state_dict_hooks: OrderedDict[int, Any]
    _dtype: "DTypeLike"
