"""Sequential, LayerList, ParameterList, LayerDict."""

from ..probe import attempt
from ..registry import differs, program


@program
def sequential(paddle, np):
    """Made from layers and from named pairs; indexing, slicing, length, keys."""
    nn = paddle.nn
    plain = nn.Sequential(nn.Linear(2, 3), nn.ReLU(), nn.Linear(3, 1))
    named = nn.Sequential(("a", nn.Linear(2, 2)), ("b", nn.Tanh()))
    return {
        "length": len(plain),
        "types": [type(m).__name__ for m in plain],
        "index": [type(plain[1]).__name__, type(plain[-1]).__name__],
        "slice": [type(m).__name__ for m in plain[0:2]],
        "keys": list(plain.state_dict()),
        "named": [list(named.state_dict()), type(named["b"]).__name__],
        "output": list(plain(paddle.ones([4, 2])).shape),
    }


@program
def layer_list(paddle, np):
    """append, extend, insert, index, delete, slices, assignment."""
    nn = paddle.nn
    layers = nn.LayerList([nn.Linear(1, 1)])
    layers.append(nn.ReLU())
    layers.extend([nn.Tanh(), nn.Sigmoid()])
    layers.insert(0, nn.Softmax())
    first = [type(m).__name__ for m in layers]
    layers[1] = nn.Linear(2, 2)
    del layers[0]
    return {
        "built": first,
        "after": [type(m).__name__ for m in layers],
        "keys": list(layers.state_dict()),
        "last": type(layers[-1]).__name__,
        "slice": [type(layers[1:]).__name__, len(layers[1:])],
        "length": len(layers),
        "bad": attempt(lambda: layers[9])["error"],
    }


@program
def parameter_list(paddle, np):
    """A list of parameters: keys, append, iteration."""
    nn = paddle.nn
    made = [paddle.create_parameter([k], "float32") for k in (1, 2)]
    holder = nn.Layer()
    holder.items = nn.ParameterList(made)
    holder.items.append(paddle.create_parameter([3], "float32"))
    return {
        "keys": list(holder.state_dict()),
        "shapes": [list(p.shape) for p in holder.items],
        "length": len(holder.items),
        "index": list(holder.items[2].shape),
        "parameters": len(holder.parameters()),
    }


@program
def layer_dict(paddle, np):
    """A dict of layers: keys, update, pop, membership, order."""
    nn = paddle.nn
    layers = nn.LayerDict({"conv": nn.Conv2D(1, 1, 1), "act": nn.ReLU()})
    layers["fc"] = nn.Linear(2, 2)
    layers.update({"act": nn.Tanh()})
    popped = layers.pop("conv")
    return {
        "keys": list(layers.keys()),
        "types": [type(m).__name__ for m in layers.values()],
        "popped": type(popped).__name__,
        "state": list(layers.state_dict()),
        "in": ["fc" in layers, "conv" in layers],
        "length": len(layers),
        "items": [k for k, _ in layers.items()],
    }


@differs(
    "assignment to a slice of a LayerList leaves it as it is",
    right=[["Linear", "Sigmoid", "Tanh"], ["0.weight", "0.bias"]],
    paddle_gives=[["ReLU", "Linear", "Tanh"], ["1.weight", "1.bias"]],
)
def layers_assigned_to_a_slice(paddle, np):
    """Assignment to a slice of a LayerList, of as many layers."""
    nn = paddle.nn
    layers = nn.LayerList([nn.ReLU(), nn.Linear(1, 2), nn.Tanh()])
    layers[0:2] = [nn.Linear(2, 1), nn.Sigmoid()]
    return [[type(layer).__name__ for layer in layers], list(layers.state_dict())]
