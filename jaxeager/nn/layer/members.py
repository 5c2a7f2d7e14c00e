"""The tables of a Layer, shared by all its base classes."""

from __future__ import annotations

from collections import OrderedDict
from typing import TYPE_CHECKING, Any

from jaxeager.tensor import Parameter, Tensor

if TYPE_CHECKING:
    from collections.abc import Callable

    from jaxeager.core.types import DTypeLike


class LayerMembers:
    """Declares the attributes that ``Layer.__init__`` creates.

    Attributes:
        training: whether the layer is in training mode.
        _parameters: own parameters by name.
        _buffers: own buffers by name.
        _non_persistable_buffer_names_set: names of buffers excluded from state_dict.
        _sub_layers: direct sublayers by name.
        _state_dict_hooks: hooks that state_dict runs at its end.
        _dtype: the layer's nominal dtype: its name, or a paddle.dtype after a cast.
    """

    training: bool
    _parameters: OrderedDict[str, Parameter | None]
    _buffers: OrderedDict[str, Tensor | None]
    _non_persistable_buffer_names_set: set[str]
    _sub_layers: OrderedDict[str, Any]
    _state_dict_hooks: OrderedDict[int, Callable]
    _dtype: DTypeLike
