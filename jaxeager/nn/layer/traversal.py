"""Traversal of a tree of layers: listing its members, or finding one by its path."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, Self

from jaxeager.errors import InvalidArgumentError
from jaxeager.nn.layer.members import LayerMembers
from jaxeager.tensor import Parameter, Tensor

if TYPE_CHECKING:
    from jaxeager.nn.layer.layer import Layer


class LayerTraversal(LayerMembers):
    """The part of Layer that lists parameters, buffers and sublayers."""

    def named_sublayers(
        self,
        prefix: str = "",
        include_self: bool = False,
        layers_set: set | None = None,
        remove_duplicate: bool = True,
    ) -> Iterator[tuple]:
        """Yield (name, layer) of every layer below, parents before their children.

        Args:
            prefix: prefix of every name.
            include_self: start with this layer, under the prefix.
            layers_set: layers to skip; the yielded layers are added to it.
            remove_duplicate: yield a layer that is used several times only once.

        Example:
            >>> import jaxeager as paddle
            >>> net = paddle.nn.Sequential(paddle.nn.Sequential(paddle.nn.ReLU()))
            >>> [name for name, _ in net.named_sublayers()]
            ['0', '0.0']
        """
        seen = set() if layers_set is None else layers_set
        if self in seen:
            return
        if remove_duplicate:
            seen.add(self)
        if include_self:
            yield prefix, self
        for name, layer in self._sub_layers.items():
            if layer is not None:
                below = f"{prefix}.{name}" if prefix else name
                yield from layer.named_sublayers(below, True, seen, remove_duplicate)

    def sublayers(self, include_self: bool = False) -> list:
        """Return every layer below, parents before their children.

        Example:
            >>> import jaxeager as paddle
            >>> paddle.nn.Sequential(paddle.nn.ReLU(), paddle.nn.Tanh()).sublayers()
            [ReLU(), Tanh()]
        """
        return [layer for _, layer in self.named_sublayers(include_self=include_self)]

    def named_children(self) -> Iterator[tuple]:
        """Yield (name, layer) of the layers directly below, each once.

        Example:
            >>> import jaxeager as paddle
            >>> list(paddle.nn.Sequential(paddle.nn.ReLU()).named_children())
            [('0', ReLU())]
        """
        seen = set()
        for name, layer in self._sub_layers.items():
            if layer is not None and layer not in seen:
                seen.add(layer)
                yield name, layer

    def children(self) -> Iterator:
        """Yield the layers directly below, each once.

        Example:
            >>> import jaxeager as paddle
            >>> list(paddle.nn.Sequential(paddle.nn.ReLU()).children())
            [ReLU()]
        """
        for _, layer in self.named_children():
            yield layer

    def named_modules(
        self, memo: set | None = None, prefix: str = "", remove_duplicate: bool = True
    ) -> Iterator[tuple]:
        """Yield (name, layer) of this layer and every layer below.

        Example:
            >>> import jaxeager as paddle
            >>> [name for name, _ in paddle.nn.Sequential(paddle.nn.ReLU()).named_modules()]
            ['', '0']
        """
        return self.named_sublayers(prefix, True, memo, remove_duplicate)

    def modules(self) -> Iterator:
        """Yield this layer and every layer below."""
        for _, layer in self.named_modules():
            yield layer

    def _named_members(
        self, table: str, prefix: str, include_sublayers: bool, remove_duplicate: bool
    ) -> Iterator[tuple]:
        """Yield (name, tensor) of one table of every layer, starting with this layer's."""
        seen = set()
        layers = [(prefix, self)]
        if include_sublayers:
            layers = self.named_sublayers(
                prefix, include_self=True, remove_duplicate=remove_duplicate
            )
        for path, layer in layers:
            for name, tensor in getattr(layer, table).items():
                if tensor is None or id(tensor) in seen:
                    continue
                if remove_duplicate:
                    seen.add(id(tensor))
                yield (f"{path}.{name}" if path else name), tensor

    def named_parameters(
        self, prefix: str = "", include_sublayers: bool = True, remove_duplicate: bool = True
    ) -> Iterator[tuple[str, Parameter]]:
        """Yield (name, parameter), this layer's before those of its sublayers.

        Args:
            prefix: prefix of every name.
            include_sublayers: whether to include the sublayers.
            remove_duplicate: yield a parameter that is used several times only once.

        Example:
            >>> import jaxeager as paddle
            >>> [name for name, _ in paddle.nn.Linear(2, 2).named_parameters("fc")]
            ['fc.weight', 'fc.bias']
        """
        return self._named_members("_parameters", prefix, include_sublayers, remove_duplicate)

    def parameters(self, include_sublayers: bool = True) -> list[Parameter]:
        """Return the parameters, each once.

        Example:
            >>> import jaxeager as paddle
            >>> len(paddle.nn.Linear(2, 2).parameters())
            2
        """
        return [tensor for _, tensor in self.named_parameters("", include_sublayers)]

    def named_buffers(
        self, prefix: str = "", include_sublayers: bool = True, remove_duplicate: bool = True
    ) -> Iterator[tuple[str, Tensor]]:
        """Yield (name, buffer), this layer's before those of its sublayers.

        Example:
            >>> import jaxeager as paddle
            >>> layer = paddle.nn.Layer()
            >>> layer.register_buffer("steps", paddle.zeros([1]))
            >>> [name for name, _ in layer.named_buffers()]
            ['steps']
        """
        return self._named_members("_buffers", prefix, include_sublayers, remove_duplicate)

    def buffers(self, include_sublayers: bool = True) -> list[Tensor]:
        """Return the buffers, each once.

        Example:
            >>> import jaxeager as paddle
            >>> paddle.nn.Linear(2, 2).buffers()
            []
        """
        return [tensor for _, tensor in self.named_buffers("", include_sublayers)]

    # ---- access by path

    def get_sublayer(self, target: str) -> Any:
        """Return the layer at a path such as "encoder.0"; this layer for the empty path.

        Raises:
            AttributeError: if there is nothing of that name, or it is not a layer.

        Example:
            >>> import jaxeager as paddle
            >>> paddle.nn.Sequential(paddle.nn.ReLU()).get_sublayer("0")
            ReLU()
        """
        layer = self
        for name in target.split(".") if target else ():
            layer = _member(layer, name)
            if not isinstance(layer, LayerTraversal):
                raise AttributeError(f"`{name}` is not an nn.Layer")
        return layer

    get_submodule = get_sublayer

    def set_sublayer(self, target: str, layer: Layer, strict: bool = False) -> None:
        """Set the layer at a path such as "encoder.0".

        Args:
            target: the path; its parents must exist.
            layer: the layer.
            strict: raise if there is nothing at the path yet.

        Raises:
            InvalidArgumentError: for an empty path, or if ``layer`` is not a Layer.
            AttributeError: if a parent is missing, or if ``strict`` and the path is unused.

        Example:
            >>> import jaxeager as paddle
            >>> net = paddle.nn.Sequential(paddle.nn.ReLU())
            >>> net.set_sublayer("0", paddle.nn.Tanh())
            >>> net[0]
            Tanh()
        """
        if not target:
            raise InvalidArgumentError("Cannot set the sublayer without a target name!")
        if not isinstance(layer, LayerTraversal):
            raise InvalidArgumentError(f"`module` is not an nn.Layer, found {type(layer)}")
        parent_path, _, name = target.rpartition(".")
        parent = self.get_sublayer(parent_path)
        if strict and not isinstance(_member(parent, name), LayerTraversal):
            raise AttributeError(f"`{name}` is not an nn.Layer")
        setattr(parent, name, layer)

    set_submodule = set_sublayer

    def get_parameter(self, target: str) -> Parameter:
        """Return the parameter at a path such as "encoder.0.weight".

        Raises:
            AttributeError: if there is nothing of that name, or it is not a parameter.

        Example:
            >>> import jaxeager as paddle
            >>> paddle.nn.Sequential(paddle.nn.Linear(2, 3)).get_parameter("0.weight").shape
            paddle.Size([2, 3])
        """
        parent_path, _, name = target.rpartition(".")
        found = _member(self.get_sublayer(parent_path), name)
        if not isinstance(found, Parameter):
            raise AttributeError(f"`{name}` is not an nn.Parameter")
        return found

    def get_buffer(self, target: str) -> Tensor:
        """Return the buffer at a path such as "encoder.0.steps".

        Raises:
            AttributeError: if there is nothing of that name, or it is not a buffer.

        Example:
            >>> import jaxeager as paddle
            >>> layer = paddle.nn.Layer()
            >>> layer.register_buffer("steps", paddle.zeros([1]))
            >>> layer.get_buffer("steps").tolist()
            [0.0]
        """
        parent_path, _, name = target.rpartition(".")
        parent = self.get_sublayer(parent_path)
        found = _member(parent, name)
        if name not in parent._buffers:
            raise AttributeError(f"`{name}` is not a buffer")
        return found

    # ---- operations on all layers

    def apply(self, fn: Callable) -> Self:
        """Call ``fn(layer)`` for every layer below and then for this one; return self.

        Example:
            >>> import jaxeager as paddle
            >>> net = paddle.nn.Sequential(paddle.nn.ReLU())
            >>> _ = net.apply(lambda layer: print(type(layer).__name__))
            ReLU
            Sequential
        """
        for layer in self.children():
            layer.apply(fn)
        fn(self)
        return self

    def train(self, mode: bool = True) -> Self:
        """Set training mode, or evaluation mode, for this layer and all below; return self.

        Raises:
            InvalidArgumentError: if mode is not a bool.

        Example:
            >>> import jaxeager as paddle
            >>> paddle.nn.Dropout().train(False).training
            False
        """
        if not isinstance(mode, bool):
            raise InvalidArgumentError(
                f"training mode is expected to be boolean, but received {mode!r}."
            )
        for layer in self.sublayers(include_self=True):
            layer.training = mode
        return self

    def eval(self) -> Self:
        """Set evaluation mode for this layer and all below; return self.

        Example:
            >>> import jaxeager as paddle
            >>> paddle.nn.Dropout().eval().training
            False
        """
        return self.train(False)

    def requires_grad_(self, requires_grad: bool = True) -> Self:
        """Set whether all parameters require gradients; return self.

        Example:
            >>> import jaxeager as paddle
            >>> paddle.nn.Linear(1, 1).requires_grad_(False).weight.stop_gradient
            True
        """
        for parameter in self.parameters():
            parameter.stop_gradient = not requires_grad
        return self

    def clear_gradients(self, set_to_zero: bool = True) -> None:
        """Clear the gradient of every trainable parameter, to zeros or to None.

        Example:
            >>> import jaxeager as paddle
            >>> layer = paddle.nn.Linear(1, 1)
            >>> layer(paddle.ones([1, 1])).backward()
            >>> layer.clear_gradients()
            >>> layer.weight.grad.item()
            0.0
        """
        for parameter in self.parameters():
            if parameter.trainable:
                parameter.clear_gradient(set_to_zero)

    def zero_grad(self, set_to_none: bool = True) -> None:
        """Clear the gradient of every trainable parameter, to None or to zeros."""
        self.clear_gradients(set_to_zero=not set_to_none)


def _member(layer, name: str):
    """Return an attribute of a layer; raise an AttributeError that names both if it is missing."""
    if not hasattr(layer, name):
        raise AttributeError(f"{type(layer).__name__} has no attribute `{name}`")
    return getattr(layer, name)
