"""nn.utils: weight_norm, spectral_norm, parameters as one vector."""

from ..probe import attempt, graph, refuses
from ..registry import program


def _shapes(layer):
    return {name: list(value.shape) for name, value in layer.state_dict().items()}


def _filled(paddle, np, layer):
    """Gives every parameter and persistent buffer of a layer fixed values."""
    rng = np.random.default_rng(81)
    for value in layer.state_dict().values():
        value.set_value(paddle.to_tensor(rng.normal(size=value.shape).astype("float32")))
    return layer


def _input(paddle, np, layer):
    shape = [2, 3] if type(layer).__name__ == "Linear" else [2, 3, 4, 4]
    return paddle.to_tensor(np.random.default_rng(82).normal(size=shape).astype("float32"))


def _trained(paddle, np, layer):
    """Returns a layer's state and outputs over three steps of SGD."""
    sgd = paddle.optimizer.SGD(0.1, parameters=layer.parameters())
    x, out = _input(paddle, np, layer), []
    for _ in range(3):
        loss = (layer(x) ** 2).mean()
        loss.backward()
        out.append([loss.numpy(), {n: p.grad.numpy() for n, p in layer.named_parameters()}])
        sgd.step()
        sgd.clear_grad()
    return [out, {name: value.numpy() for name, value in layer.state_dict().items()}]


def _makers(paddle):
    nn = paddle.nn
    return {"linear": lambda: nn.Linear(3, 2), "conv": lambda: nn.Conv2D(3, 4, 2)}


@program
def weight_norm_of_each_dimension(paddle, np):
    """Values, shapes of the state, the recorded graph, gradients, for every dim."""
    out = {}
    for kind, make in _makers(paddle).items():
        for dim in (0, 1, None, -1, 3, -2):
            layer = _filled(paddle, np, make())
            try:
                result = paddle.nn.utils.weight_norm(layer, "weight", dim)
            except (AssertionError, ValueError):
                out[f"{kind} {dim}"] = "refused"
                continue
            split = [layer.weight_g.numpy(), layer.weight_v.numpy(), layer.weight.numpy()]
            text = graph(layer.weight)
            loss = (layer(_input(paddle, np, layer)) ** 2).mean()
            loss.backward()
            out[f"{kind} {dim}"] = [
                result is layer, _shapes(layer), [n for n, _ in layer.named_parameters()], split,
                text, loss.numpy(), layer.weight_g.grad.numpy(), layer.weight_v.grad.numpy(),
                type(layer.weight).__name__ == "Tensor",
            ]  # fmt: skip
    return out


@program
def weight_norm_trains(paddle, np):
    """Three steps of SGD move length and direction as Paddle does."""
    out = {}
    for kind, make in _makers(paddle).items():
        layer = paddle.nn.utils.weight_norm(_filled(paddle, np, make()), dim=1)
        out[kind] = _trained(paddle, np, layer)
    return out


@program
def weight_norm_comes_and_goes(paddle, np):
    """Taken off it leaves one parameter; twice, elsewhere and of a bias."""
    utils = paddle.nn.utils
    layer = _filled(paddle, np, paddle.nn.Linear(3, 2))
    before = layer.weight.numpy()
    utils.weight_norm(layer)
    twice = attempt(lambda: utils.weight_norm(layer))
    state = {name: value.numpy() for name, value in layer.state_dict().items()}
    other = utils.weight_norm(paddle.nn.Linear(3, 2))
    other.set_state_dict(state)
    same = np.allclose(other(paddle.ones([1, 3])).numpy(), layer(paddle.ones([1, 3])).numpy())
    utils.remove_weight_norm(layer)
    after = [_shapes(layer), np.allclose(layer.weight.numpy(), before, atol=1e-6)]
    is_plain = [layer.weight.is_leaf, layer.weight.stop_gradient, len(layer._forward_pre_hooks)]
    utils.weight_norm(layer, "bias")
    return {
        "twice": twice,
        "same": bool(same),
        "after": [after, is_plain],
        "bias": [_shapes(layer), layer.bias.numpy()],
        "not there": attempt(lambda: utils.remove_weight_norm(layer)),
        "dim": refuses(lambda: utils.weight_norm(layer, "weight", 2))["error"] != "TypeError",
    }


@program
def spectral_norm_of_layers(paddle, np):
    """Shapes of the state, the graph, what training and evaluation do to the vectors."""
    utils, nn = paddle.nn.utils, paddle.nn
    makers = {
        **_makers(paddle),
        "transpose": lambda: nn.Conv2DTranspose(3, 4, 2),
    }
    out = {}
    for kind, make in makers.items():
        for more in ({}, {"n_power_iterations": 3, "eps": 1e-6, "dim": 0}):
            layer = utils.spectral_norm(make(), **more)
            first = [_shapes(layer), graph(layer.weight)]
            lengths = [float(np.linalg.norm(layer.weight_u.numpy())) for _ in range(1)]
            _filled(paddle, np, layer)
            layer.weight_u.set_value(layer.weight_u / layer.weight_u.norm())
            layer.weight_v.set_value(layer.weight_v / layer.weight_v.norm())
            loss = (layer(_input(paddle, np, layer)) ** 2).mean()
            text = graph(layer.weight)
            loss.backward()
            vectors = [layer.weight_u.numpy(), layer.weight_v.numpy()]
            layer.eval()
            layer(_input(paddle, np, layer))
            out[f"{kind} {len(more)}"] = [
                first, lengths, loss.numpy(), text, layer.weight_orig.grad.numpy(), vectors,
                layer.weight_u.numpy(), [n for n, _ in layer.named_parameters()],
                [n for n, _ in layer.named_buffers()], layer.weight_u.stop_gradient,
            ]  # fmt: skip
    layer = utils.spectral_norm(nn.Linear(3, 2))
    out["twice"] = attempt(lambda: utils.spectral_norm(layer))
    out["none"] = attempt(lambda: utils.spectral_norm(nn.Linear(3, 2), n_power_iterations=0))
    return out


@program
def spectral_norm_trains(paddle, np):
    """Three steps of SGD: weight, singular vectors and loss move as Paddle's do."""
    out = {}
    for kind, make in _makers(paddle).items():
        layer = _filled(paddle, np, paddle.nn.utils.spectral_norm(make(), n_power_iterations=2))
        out[kind] = _trained(paddle, np, layer)
    return out


@program
def parameters_as_one_vector(paddle, np):
    """The vector is a leaf of its own; writing it back, a longer one, one that does not fit."""
    utils = paddle.nn.utils
    layer = _filled(paddle, np, paddle.nn.Linear(3, 2))
    vector = utils.parameters_to_vector(layer.parameters())
    (vector * 2).sum().backward()
    first = [vector.numpy(), vector.is_leaf, vector.stop_gradient, vector.grad.numpy()]
    first.append(layer.weight.grad is None)
    utils.vector_to_parameters(paddle.arange(8, dtype="float32"), layer.parameters())
    second = [layer.weight.numpy(), layer.bias.numpy(), layer.weight.stop_gradient]
    utils.vector_to_parameters(paddle.arange(10, dtype="float32") + 5, layer.parameters())
    return {
        "to": first,
        "from": second,
        "longer": [layer.weight.numpy(), layer.bias.numpy()],
        "short": attempt(lambda: utils.vector_to_parameters(paddle.ones([5]), layer.parameters())),
        "matrix": refuses(
            lambda: utils.vector_to_parameters(paddle.ones([8, 1]), layer.parameters())
        )["error"]
        != "no error",
    }
