"""paddle.vision.models._utils: a model cut after some of its layers."""

from __future__ import annotations

from collections import OrderedDict

from jaxeager.errors import InvalidArgumentError
from jaxeager.nn import Layer, LayerDict, Linear
from jaxeager.tensor import Tensor
from jaxeager.vision.models.blocks import make_divisible as _make_divisible

__all__ = ["IntermediateLayerGetter", "_make_divisible"]


class IntermediateLayerGetter(LayerDict):
    """The first layers of a model, which run one after the other; the results of some are returned.

    Args:
        model: a model whose own layers run in the order in which they were added.
        return_layers: {name of a layer: name of its result}.

    Raises:
        InvalidArgumentError: when the model has no such layer.

    Example:
        >>> import jaxeager as paddle
        >>> net = paddle.nn.Sequential(("a", paddle.nn.ReLU()), ("b", paddle.nn.Tanh()))
        >>> got = paddle.vision.models._utils.IntermediateLayerGetter(net, {"a": "first"})
        >>> list(got), list(got(paddle.ones([2])))
        (['a'], ['first'])
    """

    def __init__(self, model: Layer, return_layers: dict[str, str]):
        layers: OrderedDict[str, Layer] = OrderedDict(model.named_children())
        unknown = sorted(set(return_layers) - set(layers))
        if unknown:
            raise InvalidArgumentError(
                f"return_layers are not present in model: {unknown}. It has {list(layers)}."
            )
        wanted = set(map(str, return_layers))
        kept: OrderedDict[str, Layer] = OrderedDict()
        for name, layer in layers.items():
            kept[name] = layer
            wanted.discard(name)
            if not wanted:
                break
        super().__init__(kept)
        self.return_layers = return_layers

    def forward(self, x: Tensor) -> OrderedDict[str, Tensor]:
        """Return the results by their names; images are flattened for a linear layer."""
        found: OrderedDict[str, Tensor] = OrderedDict()
        for name, layer in self.items():
            if x.ndim == 4 and isinstance([*layer.sublayers(), layer][0], Linear):
                x = x.flatten(1)
            x = layer(x)
            if name in self.return_layers:
                found[self.return_layers[name]] = x
        return found
