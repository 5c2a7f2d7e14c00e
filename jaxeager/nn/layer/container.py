"""Containers of layers or parameters: Sequential, lists and dicts."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable, Iterator, Mapping, Sequence, Sized
from typing import Any

from jaxeager.errors import (
    InvalidArgumentError,
    OutOfRangeError,
    RefusedIndexError,
    RefusedTypeError,
)
from jaxeager.nn.layer.layer import Layer
from jaxeager.tensor import Parameter, Tensor


def _checked_layer(layer, owner: str) -> Layer:
    if not isinstance(layer, Layer):
        raise RefusedTypeError(
            f"{owner} holds Layers, but received {layer!r} of type {type(layer).__name__}."
        )
    return layer


def _pairs(items, kind: str) -> list[tuple]:
    """Return the (key, value) pairs of a dict, a container or an iterable of pairs."""
    if isinstance(items, (Mapping, LayerDict)):
        return list(items.items())
    if isinstance(items, ParameterDict):
        return list(items._parameters.items())
    try:
        listed = list(items)
    except TypeError:
        raise RefusedTypeError(
            f"The type of {kind} is not iterable of key/value pairs, the type is "
            f"{type(items).__name__}."
        ) from None
    for position, pair in enumerate(listed):
        length = len(pair) if isinstance(pair, Sized) else None
        if length != 2:
            raise InvalidArgumentError(
                f"The length of the {position}'s element in {kind} is {length}, which must be 2."
            )
    return [tuple(pair) for pair in listed]


class Sequential(Layer):
    """Container that calls layers in order, each with the output of the previous one.

    Args:
        *layers: layers, named "0", "1", ...; or (name, layer) pairs; or one dict of layers.

    Raises:
        RefusedTypeError: if an argument is neither.

    Example:
        >>> import jaxeager as paddle
        >>> net = paddle.nn.Sequential(paddle.nn.Linear(2, 3), paddle.nn.ReLU())
        >>> net(paddle.ones([1, 2])).shape
        paddle.Size([1, 3])
        >>> net[1]
        ReLU()
    """

    def __init__(self, *layers: Layer | tuple[str, Layer] | list[Any] | OrderedDict[str, Layer]):
        super().__init__()
        if len(layers) == 1 and isinstance(layers[0], Mapping):
            layers = tuple(layers[0].items())
        if layers and isinstance(layers[0], (tuple, list)):
            named = _pairs(layers, "layers")
        else:
            named = [(str(number), layer) for number, layer in enumerate(layers)]
        for name, layer in named:
            self.add_sublayer(name, layer if layer is None else _checked_layer(layer, "Sequential"))

    def forward(self, input: Any) -> Tensor:
        for layer in self._sub_layers.values():
            input = layer(input)
        return input

    def _key(self, name: str | int) -> str:
        if not isinstance(name, int):
            return name
        if not -len(self) <= name < len(self):
            raise OutOfRangeError(f"index {name} is out of range for {len(self)} layers")
        return list(self._sub_layers)[name]

    def __getitem__(self, name):
        if isinstance(name, slice):
            return type(self)(*list(self._sub_layers.values())[name])
        return self._sub_layers[self._key(name)]

    def __setitem__(self, name, layer) -> None:
        name = self._key(name) if isinstance(name, int) else str(name)
        setattr(self, name, _checked_layer(layer, "Sequential"))

    def __delitem__(self, name) -> None:
        keys = list(self._sub_layers)[name] if isinstance(name, slice) else [self._key(name)]
        for key in keys:
            del self._sub_layers[key]

    def __len__(self) -> int:
        return len(self._sub_layers)

    def __iter__(self) -> Iterator[Layer]:
        return iter(self._sub_layers.values())

    def append(self, module: Layer) -> Sequential:
        """Append a layer; return self.

        Example:
            >>> import jaxeager as paddle
            >>> len(paddle.nn.Sequential().append(paddle.nn.ReLU()))
            1
        """
        self.add_sublayer(str(len(self)), _checked_layer(module, "Sequential"))
        return self

    def extend(self, sequential: Iterable[Layer]) -> Sequential:
        """Append every layer of an iterable; return self.

        Example:
            >>> import jaxeager as paddle
            >>> len(paddle.nn.Sequential().extend([paddle.nn.ReLU(), paddle.nn.Tanh()]))
            2
        """
        for layer in sequential:
            self.append(layer)
        return self

    def insert(self, index: int, module: Layer) -> Sequential:
        """Insert a layer before the one at ``index``, renumber all layers, and return self.

        Raises:
            RefusedIndexError: if index is out of range.

        Example:
            >>> import jaxeager as paddle
            >>> paddle.nn.Sequential(paddle.nn.ReLU()).insert(0, paddle.nn.Tanh())[0]
            Tanh()
        """
        _insert(self, index, _checked_layer(module, "Sequential"))
        return self


def _position(index: int, length: int) -> str:
    """Return the name of a member of a list by its index, which may be negative."""
    if not -length <= index < length:
        raise OutOfRangeError(
            f"index {index} is out of range, should be an integer in range [{-length}, {length})"
        )
    return str(index % length)


def _insert(container: Layer, index: int, layer: Layer) -> None:
    layers = list(container._sub_layers.values())
    if not -len(layers) <= index <= len(layers):
        raise RefusedIndexError(
            f"Index out of range: {index}, should be an integer in range "
            f"[{-len(layers)}, {len(layers)}]"
        )
    layers.insert(index, layer)
    _number(container, layers)


def _number(container: Layer, layers: list) -> None:
    """Set a container's sublayers, named by their positions."""
    container._sub_layers.clear()
    container._sub_layers.update((str(number), layer) for number, layer in enumerate(layers))


class LayerList(Layer):
    """A list of layers whose parameters belong to the owner of the list.

    Args:
        sublayers: an iterable of layers.

    Raises:
        RefusedTypeError: if an element is not a Layer.

    Paddle:
        Paddle 3.3.1 leaves the list as it is when layers are assigned to a slice.

    Example:
        >>> import jaxeager as paddle
        >>> layers = paddle.nn.LayerList([paddle.nn.Linear(2, 2) for _ in range(3)])
        >>> len(layers), len(layers.parameters())
        (3, 6)
    """

    def __init__(self, sublayers: Iterable[Layer] | None = None):
        super().__init__()
        if sublayers is not None:
            self.extend(sublayers)

    def __getitem__(self, idx):
        if isinstance(idx, slice):
            return type(self)(list(self)[idx])
        return self._sub_layers[_position(idx, len(self))]

    def __setitem__(self, idx, sublayer) -> None:
        if isinstance(idx, slice):
            layers = list(self)
            layers[idx] = [_checked_layer(layer, "LayerList") for layer in sublayer]
            _number(self, layers)
        else:
            self._sub_layers[_position(idx, len(self))] = _checked_layer(sublayer, "LayerList")

    def __delitem__(self, idx) -> None:
        layers = list(self)
        if isinstance(idx, slice):
            del layers[idx]
        else:
            del layers[int(_position(idx, len(self)))]
        _number(self, layers)

    def __len__(self) -> int:
        return len(self._sub_layers)

    def __iter__(self) -> Iterator[Layer]:
        return iter(self._sub_layers.values())

    def __iadd__(self, modules) -> LayerList:
        return self.extend(modules)

    def __add__(self, other) -> LayerList:
        return LayerList([*self, *other])

    def append(self, sublayer: Layer) -> LayerList:
        """Append a layer; return self.

        Example:
            >>> import jaxeager as paddle
            >>> len(paddle.nn.LayerList().append(paddle.nn.ReLU()))
            1
        """
        self.add_sublayer(str(len(self)), _checked_layer(sublayer, "LayerList"))
        return self

    def extend(self, sublayers: Iterable[Layer]) -> LayerList:
        """Append every layer of an iterable; return self.

        Example:
            >>> import jaxeager as paddle
            >>> len(paddle.nn.LayerList().extend([paddle.nn.ReLU(), paddle.nn.Tanh()]))
            2
        """
        for layer in sublayers:
            self.append(layer)
        return self

    def insert(self, index: int, sublayer: Layer) -> None:
        """Insert a layer before the one at ``index``, and renumber all layers.

        Raises:
            RefusedIndexError: if index is out of range.

        Example:
            >>> import jaxeager as paddle
            >>> layers = paddle.nn.LayerList([paddle.nn.ReLU()])
            >>> layers.insert(0, paddle.nn.Tanh())
            >>> layers[0]
            Tanh()
        """
        _insert(self, index, _checked_layer(sublayer, "LayerList"))

    def pop(self, key: int | slice) -> Layer:
        """Remove and return the layer (or, for a slice, the layers) at a position.

        Example:
            >>> import jaxeager as paddle
            >>> paddle.nn.LayerList([paddle.nn.ReLU()]).pop(0)
            ReLU()
        """
        layer = self[key]
        del self[key]
        return layer


class LayerDict(Layer):
    """A dict of layers whose parameters belong to the owner of the dict.

    Args:
        sublayers: a dict, another LayerDict, or an iterable of (key, layer).

    Raises:
        RefusedTypeError: if it is none of these, or a value is not a Layer.
        InvalidArgumentError: if an element is not a pair.

    Example:
        >>> import jaxeager as paddle
        >>> heads = paddle.nn.LayerDict({"a": paddle.nn.ReLU(), "b": paddle.nn.Tanh()})
        >>> list(heads), heads["b"]
        (['a', 'b'], Tanh())
    """

    def __init__(
        self, sublayers: LayerDict | Mapping[str, Layer] | Sequence[tuple[str, Layer]] | None = None
    ):
        super().__init__()
        if sublayers is not None:
            self.update(sublayers)

    def __getitem__(self, key: str) -> Layer:
        return self._sub_layers[key]

    def __setitem__(self, key: str, sublayer: Layer) -> None:
        self.add_sublayer(key, _checked_layer(sublayer, "LayerDict"))

    def __delitem__(self, key: str) -> None:
        del self._sub_layers[key]

    def __len__(self) -> int:
        return len(self._sub_layers)

    def __iter__(self) -> Iterator[str]:
        return iter(self._sub_layers)

    def __contains__(self, key: str) -> bool:
        return key in self._sub_layers

    def clear(self) -> None:
        """Remove every layer."""
        self._sub_layers.clear()

    def pop(self, key: str) -> Layer:
        """Remove and return the layer of a key; raise KeyError if there is none."""
        return self._sub_layers.pop(key)

    def keys(self) -> Iterable[str]:
        """Return the keys."""
        return self._sub_layers.keys()

    def items(self) -> Iterable[tuple[str, Layer]]:
        """Return the (key, layer) pairs."""
        return self._sub_layers.items()

    def values(self) -> Iterable[Layer]:
        """Return the layers."""
        return self._sub_layers.values()

    def update(
        self, sublayers: LayerDict | Mapping[str, Layer] | Sequence[tuple[str, Layer]]
    ) -> None:
        """Add layers, replacing those with the same keys.

        Args:
            sublayers: a dict, another LayerDict, or an iterable of (key, layer).

        Example:
            >>> import jaxeager as paddle
            >>> layers = paddle.nn.LayerDict({"a": paddle.nn.ReLU()})
            >>> layers.update({"a": paddle.nn.Tanh()})
            >>> layers["a"]
            Tanh()
        """
        for key, layer in _pairs(sublayers, "sublayers"):
            self[key] = layer


def _as_parameter(value, owner: str) -> Parameter:
    if isinstance(value, Parameter):
        return value
    hint = " Wrap it: paddle.nn.Parameter(tensor)." if isinstance(value, Tensor) else ""
    raise RefusedTypeError(
        f"The parameter to be added to {owner} should be a Parameter, but received "
        f"{type(value).__name__}.{hint}"
    )


class ParameterList(Layer):
    """A list of parameters that belong to the owner of the list.

    Args:
        parameters: an iterable of Parameters.

    Raises:
        InvalidTypeError: if an element is not a Parameter.

    Paddle:
        Paddle 3.3.1 only supports indices from 0 on; here -1 is the last, and slices return a list.

    Example:
        >>> import jaxeager as paddle
        >>> scales = paddle.nn.ParameterList([paddle.create_parameter([1], "float32")])
        >>> len(scales), len(scales.parameters())
        (1, 1)
    """

    def __init__(self, parameters: Iterable[Parameter] | None = None):
        super().__init__()
        for parameter in () if parameters is None else parameters:
            self.append(parameter)

    def __getitem__(self, idx):
        if isinstance(idx, slice):
            return type(self)(list(self)[idx])
        return self._parameters[_position(idx, len(self))]

    def __setitem__(self, idx: int, param: Parameter) -> None:
        self._parameters[_position(idx, len(self))] = _as_parameter(param, "ParameterList")

    def __len__(self) -> int:
        return len(self._parameters)

    def __iter__(self) -> Iterator:
        return iter(self._parameters.values())

    def append(self, parameter: Parameter) -> ParameterList:
        """Append a parameter; return self.

        Example:
            >>> import jaxeager as paddle
            >>> scale = paddle.create_parameter([1], "float32")
            >>> len(paddle.nn.ParameterList().append(scale))
            1
        """
        self._parameters[str(len(self))] = _as_parameter(parameter, "ParameterList")
        return self


class ParameterDict(Layer):
    """A dict of parameters that belong to the owner of the dict.

    Args:
        parameters: a dict, another ParameterDict, or an iterable of (key, parameter).

    Raises:
        RefusedTypeError: if it is none of these.
        InvalidTypeError: if a value is not a Parameter.
        InvalidArgumentError: if an element is not a pair.

    Example:
        >>> import jaxeager as paddle
        >>> scales = paddle.nn.ParameterDict({"a": paddle.create_parameter([1], "float32")})
        >>> list(scales), scales["a"].shape
        (['a'], paddle.Size([1]))
    """

    def __init__(
        self,
        parameters: ParameterDict
        | Mapping[str, Tensor]
        | Sequence[tuple[str, Tensor]]
        | None = None,
    ):
        super().__init__()
        if parameters is not None:
            self.update(parameters)

    def __getitem__(self, key: str):
        return self._parameters[key]

    def __setitem__(self, key: str, param: Parameter) -> None:
        self._parameters[str(key)] = _as_parameter(param, "ParameterDict")

    def __len__(self) -> int:
        return len(self._parameters)

    def __iter__(self) -> Iterator[str]:
        return iter(self._parameters)

    def update(
        self, parameters: ParameterDict | Mapping[str, Tensor] | Sequence[tuple[str, Tensor]]
    ) -> None:
        """Add parameters, replacing those with the same keys.

        Args:
            parameters: a dict, another ParameterDict, or an iterable of (key, parameter).

        Example:
            >>> import jaxeager as paddle
            >>> scales = paddle.nn.ParameterDict()
            >>> scales.update([("a", paddle.create_parameter([1], "float32"))])
            >>> list(scales)
            ['a']
        """
        for key, parameter in _pairs(parameters, "parameters"):
            self[key] = parameter
