"""Layers: forward and backward from the same weights, names, state, modes, hooks."""

import warnings

from ..probe import array, attempt, leaf, names, refuses
from ..registry import program


def _fill(np, layer, seed=71):
    """Gives every parameter of a layer values that depend on its place and shape alone."""
    r = np.random.default_rng(seed)
    for parameter in layer.parameters():
        parameter.set_value((r.normal(size=parameter.shape) * 0.5).astype("float32"))
    return layer


def _data(np, *shape):
    return np.random.default_rng(72).normal(size=shape).astype("float32")


@program(rtol=1e-4, reason="layer norm and softmax in float32, summed in another order")
def layers_from_the_same_weights(paddle, np):
    """Each layer with weights: output, input gradient, parameter gradients."""
    nn = paddle.nn
    cases = [
        (nn.Linear(3, 4), (2, 3)),
        (nn.Linear(3, 4, bias_attr=False), (2, 5, 3)),
        (nn.Conv2D(2, 3, 3, padding=1), (2, 2, 4, 4)),
        (nn.Conv2D(2, 4, 3, stride=2, groups=2, bias_attr=False), (1, 2, 5, 5)),
        (nn.BatchNorm2D(2), (3, 2, 2, 2)),
        (nn.LayerNorm(4), (2, 3, 4)),
        (nn.PReLU(), (2, 3)),
        (nn.MaxPool2D(2), (1, 2, 4, 4)),
        (nn.AvgPool2D(2), (1, 2, 4, 4)),
        (nn.AdaptiveAvgPool2D(2), (1, 2, 4, 4)),
        (nn.Flatten(), (2, 3, 4)),
    ]
    out = {}
    for layer, shape in cases:
        x = leaf(paddle, _data(np, *shape))
        y = _fill(np, layer)(x)
        (y * y).sum().backward()
        key = f"{type(layer).__name__} {len(out)}"
        out[key] = [y.numpy(), x.grad.numpy(), [array(p.grad) for p in layer.parameters()]]
    return out


@program
def activation_layers(paddle, np):
    """The layers of the activations."""
    nn = paddle.nn
    x = paddle.to_tensor(_data(np, 2, 4) * 3)
    layers = [
        nn.ReLU(), nn.ReLU6(), nn.LeakyReLU(0.2), nn.ELU(), nn.SELU(), nn.CELU(), nn.GELU(),
        nn.Silu(), nn.Swish(), nn.Mish(), nn.Sigmoid(), nn.Tanh(), nn.Softplus(), nn.Softsign(),
        nn.Hardswish(), nn.Hardsigmoid(), nn.Hardtanh(), nn.Hardshrink(), nn.Softshrink(),
        nn.Tanhshrink(), nn.LogSigmoid(), nn.Softmax(), nn.LogSoftmax(), nn.Identity(),
    ]  # fmt: skip
    return {type(layer).__name__: layer(x).numpy() for layer in layers}


def _model(paddle):
    """Returns a model class with parameters, buffers and nested layers."""
    nn = paddle.nn

    class Block(nn.Layer):
        def __init__(self, width):
            super().__init__()
            self.fc = nn.Linear(width, width)
            self.norm = nn.LayerNorm(width)
            self.register_buffer("count", paddle.zeros([1]))
            self.register_buffer("scratch", paddle.zeros([1]), persistable=False)

        def forward(self, x):
            return self.norm(self.fc(x)) + x

    class Model(nn.Layer):
        def __init__(self):
            super().__init__()
            self.first = Block(3)
            self.blocks = nn.LayerList([Block(3), Block(3)])
            self.scale = self.create_parameter(
                [1], default_initializer=nn.initializer.Constant(2.0)
            )
            self.tail = nn.Sequential(nn.Linear(3, 2), nn.ReLU())

        def forward(self, x):
            x = self.first(x)
            for block in self.blocks:
                x = block(x)
            return self.tail(x * self.scale)

    return Model()


@program
def state_of_a_model(paddle, np):
    """state_dict keys and order, named parameters, buffers and sublayers, name texts."""
    model = _model(paddle)
    return {
        "state_dict": list(model.state_dict()),
        "shapes": [list(v.shape) for v in model.state_dict().values()],
        "named_parameters": [n for n, _ in model.named_parameters()],
        "named_buffers": [n for n, _ in model.named_buffers()],
        "named_sublayers": [[n, type(m).__name__] for n, m in model.named_sublayers()],
        "with self": [n for n, _ in model.named_sublayers(include_self=True)][:2],
        "children": [n for n, _ in model.named_children()],
        "sublayers": len(model.sublayers()),
        "parameters": len(model.parameters()),
        "own": len(model.parameters(include_sublayers=False)),
        "prefix": [n for n, _ in model.named_parameters(prefix="net")][:2],
        "parameter names": names([p.name for p in model.parameters()]),
        "parameter flags": [
            [p.stop_gradient, p.persistable, p.trainable] for p in model.parameters()
        ][:2],
    }


@program
def names_of_parameters(paddle, np):
    """The names that layers give their parameters, and ParamAttr's own."""
    nn = paddle.nn
    named = nn.Linear(
        2, 2, weight_attr=paddle.ParamAttr(name="mine"), bias_attr=paddle.ParamAttr(name="yours")
    )
    layers = [
        nn.Linear(2, 2),
        nn.Linear(2, 2),
        nn.Conv2D(1, 1, 1),
        nn.BatchNorm2D(2),
        nn.LayerNorm(2),
        nn.Embedding(2, 2),
    ]
    return {
        "names": [names([p.name for p in layer.parameters()]) for layer in layers],
        "two of a kind": names([p.name for layer in layers[:2] for p in layer.parameters()]),
        "given": [p.name for p in named.parameters()],
        "full_name": names([layer.full_name() for layer in layers]),
        "buffers": [
            list(nn.BatchNorm2D(2).state_dict()),
            [n for n, _ in nn.BatchNorm2D(2).named_buffers()],
        ],
    }


@program
def text_of_layers(paddle, np):
    """repr of single layers and of nested ones."""
    nn = paddle.nn
    layers = {
        "linear": nn.Linear(3, 4),
        "conv": nn.Conv2D(1, 6, 5, stride=2, padding=1),
        "pool": nn.MaxPool2D(2, 2),
        "norm": nn.BatchNorm2D(3),
        "layer norm": nn.LayerNorm(4),
        "dropout": nn.Dropout(0.3),
        "embedding": nn.Embedding(5, 3, padding_idx=0),
        "relu": nn.ReLU(),
        "leaky": nn.LeakyReLU(0.1),
        "softmax": nn.Softmax(axis=0),
        "flatten": nn.Flatten(),
        "sequential": nn.Sequential(nn.Linear(2, 2), nn.Sequential(nn.ReLU(), nn.Tanh())),
        "list": nn.LayerList([nn.Sigmoid()]),
        "empty": nn.Sequential(),
    }
    return {text: repr(layer) for text, layer in layers.items()}


@program(rtol=1e-4, reason="three layer norms in float32 one after the other")
def loading_state(paddle, np):
    """set_state_dict: from arrays, with keys missing and unknown, of the wrong shape."""
    model, other = _fill(np, _model(paddle), seed=80), _fill(np, _model(paddle), seed=73)
    x = paddle.to_tensor(_data(np, 2, 3))
    before = other(x).numpy()
    missing, unknown = other.set_state_dict({k: v.numpy() for k, v in model.state_dict().items()})
    after = other(x).numpy()
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        part = other.set_state_dict({"scale": np.float32([5.0]), "nobody": np.float32([1.0])})
    return {
        "before": before,
        "after": [after, model(x).numpy()],
        "none": [missing, unknown],
        "some": [len(part[0]), part[1], other.scale.numpy()],
        "said": str(said[0].message),
    }


@program
def modes_and_movement(paddle, np):
    """train, eval, apply, to, clear_gradients."""
    nn = paddle.nn
    model = nn.Sequential(nn.Linear(2, 2), nn.Dropout(0.5), nn.Sequential(nn.BatchNorm1D(2)))
    seen = [model.training]
    returned = model.eval()
    seen += [[m.training for m in model.sublayers()], returned is None]
    model.train()
    visited = []
    model.apply(lambda m: visited.append(type(m).__name__))
    model[0](paddle.ones([1, 2])).sum().backward()
    had = model[0].weight.grad is not None
    model.clear_gradients()
    cleared = model[0].weight.grad.numpy()
    model.to(dtype="float64")
    kinds = [str(p.dtype) for p in model.parameters()]
    model.to(dtype="float32")
    return [seen, visited, had, cleared, kinds, [str(p.dtype) for p in model.parameters()]]


@program
def forward_hooks(paddle, np):
    """Pre and post hooks run in order, change input and output, and can be removed."""
    layer, log = paddle.nn.Linear(2, 2), []
    layer.weight.set_value(np.eye(2, dtype="float32"))

    def pre(layer, inputs):
        log.append("pre")
        return (inputs[0] * 2,)

    def post(layer, inputs, output):
        log.append(["post", inputs[0].numpy()])
        return output + 1

    first, second = layer.register_forward_pre_hook(pre), layer.register_forward_post_hook(post)
    x = paddle.to_tensor([[1.0, 2.0]])
    both = layer(x).numpy()
    first.remove()
    one = layer(x).numpy()
    second.remove()
    return [both, one, layer(x).numpy(), log]


@program
def attributes_of_layers(paddle, np):
    """Members are found by assignment, deleted and replaced; wrong ones are refused."""
    nn = paddle.nn

    class Holder(nn.Layer):
        pass

    layer = Holder()
    layer.fc = nn.Linear(2, 2)
    layer.extra = paddle.create_parameter([2], "float32")
    layer.plain = 3
    keys = [list(layer.state_dict()), layer.plain]
    layer.fc = nn.Linear(2, 3)
    shape = list(layer.fc.weight.shape)
    del layer.extra
    layer.add_sublayer("more", nn.ReLU())
    layer.add_parameter("p", layer.create_parameter([1], is_bias=True))
    return {
        "keys": keys,
        "replaced": shape,
        "after": [list(layer.state_dict()), [n for n, _ in layer.named_children()]],
        "bias starts at zero": layer.p.numpy(),
        "missing": refuses(lambda: layer.nothing)["error"],
        "no forward": refuses(lambda: Holder()(1))["error"],
        "not a parameter": attempt(lambda: layer.add_parameter("q", 3))["error"],
        "not a layer": attempt(lambda: layer.add_sublayer("s", 3))["error"],
    }


@program
def trainable_and_frozen(paddle, np):
    """A frozen parameter gets no gradient; trainable and stop_gradient are one thing."""
    layer = paddle.nn.Linear(2, 2)
    layer.weight.stop_gradient = True
    layer(paddle.ones([1, 2])).sum().backward()
    frozen = paddle.nn.Linear(2, 2, weight_attr=paddle.ParamAttr(trainable=False))
    layer.bias.trainable = False
    return [
        layer.weight.grad is None,
        layer.weight.trainable,
        layer.bias.stop_gradient,
        frozen.weight.stop_gradient,
        frozen.weight.trainable,
    ]


@program
def initializers(paddle, np):
    """Constant and assigned values; statistics of the random ones; a layer's own defaults."""
    nn = paddle.nn
    init = nn.initializer
    paddle.seed(5)

    def made(initializer, shape=(60, 80)):
        return paddle.create_parameter(
            list(shape), "float32", default_initializer=initializer
        ).numpy()

    def moments(values, mean, spread):
        return bool(
            abs(values.mean() - mean) < 0.1 * spread and abs(values.std() - spread) < 0.1 * spread
        )

    limit = float(np.sqrt(6 / (60 + 80)))
    linear, conv = nn.Linear(60, 80), nn.Conv2D(8, 20, 5)
    embedding = nn.Embedding(60, 80)
    return {
        "constant": made(init.Constant(3.0), (2,)),
        "assign": made(init.Assign(np.float32([1.0, 2.0])), (2,)),
        "normal": moments(made(init.Normal(1.0, 2.0)), 1.0, 2.0),
        "uniform": moments(made(init.Uniform(-1.0, 3.0)), 1.0, 4 / 12**0.5),
        "truncated": bool(np.abs(made(init.TruncatedNormal(0.0, 1.0))).max() <= 2.0),
        "xavier normal": moments(made(init.XavierNormal()), 0.0, (2 / 140) ** 0.5),
        "xavier uniform": bool(0.95 * limit < np.abs(made(init.XavierUniform())).max() <= limit),
        "kaiming normal": moments(made(init.KaimingNormal()), 0.0, (2 / 60) ** 0.5),
        "kaiming uniform": bool(np.abs(made(init.KaimingUniform())).max() <= (6 / 60) ** 0.5),
        "linear": [
            bool(0.95 * limit < np.abs(linear.weight.numpy()).max() <= limit),
            linear.bias.numpy()[:2],
        ],
        "conv": moments(conv.weight.numpy(), 0.0, (2 / (8 * 25)) ** 0.5),
        "conv bias": conv.bias.numpy()[:2],
        "embedding": [
            float(np.abs(embedding.weight.numpy()).max()) < 0.3,
            float(embedding.weight.numpy().std()) > 0.05,
        ],
        "attr": nn.Linear(
            1,
            2,
            weight_attr=init.Constant(7.0),
            bias_attr=paddle.ParamAttr(initializer=init.Constant(1.0)),
        ).weight.numpy(),
    }
