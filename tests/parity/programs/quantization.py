"""paddle.quantization: models that compute with rounded numbers."""

from importlib import import_module

from ..registry import differs, program


def _room(paddle, name):
    """Returns a module of paddle.quantization, which Paddle imports only when it is asked to."""
    return import_module(f"{paddle.__name__}.quantization.{name}")


def _cnn(paddle):
    """Returns a model with everything that is quantized: Conv2D, ReLU, Linear and a Stub."""
    nn = paddle.nn

    class Net(nn.Layer):
        def __init__(self):
            super().__init__()
            self.conv = nn.Conv2D(1, 2, 3, padding=1)
            self.relu = nn.ReLU()
            self.stub = nn.quant.Stub()
            self.fc = nn.Linear(32, 3)

        def forward(self, x):
            return self.fc(self.stub(paddle.flatten(self.relu(self.conv(x)), 1)))

    return Net()


def _fill(model, np):
    """Gives the parameters numbers that are the same in both libraries."""
    rng = np.random.RandomState(3)
    for each in model.parameters():
        each.set_value(rng.uniform(-1.0, 1.0, each.shape).astype("float32"))


def _batches(paddle, np, shape, count):
    rng = np.random.RandomState(5)
    for _ in range(count):
        x = rng.uniform(-2.0, 2.0, shape).astype("float32")
        yield paddle.to_tensor(x), paddle.to_tensor(rng.randint(0, 3, [shape[0]]))


def _trained(paddle, np, model, shape):
    """Returns the losses of some steps of Adam, and all parameters after them."""
    adam = paddle.optimizer.Adam(0.01, parameters=model.parameters())
    losses = []
    for x, label in _batches(paddle, np, shape, 5):
        loss = paddle.nn.functional.cross_entropy(model(x), label)
        loss.backward()
        adam.step()
        adam.clear_grad()
        losses.append(loss.numpy())
    return losses, {name: each.numpy() for name, each in model.named_parameters()}


@program
def rounded_training_of_a_cnn(paddle, np):
    """QAT of a convolutional model: five steps, then evaluation by fixed scales."""
    model = _cnn(paddle)
    _fill(model, np)
    quanter = _room(paddle, "quanters").FakeQuanterWithAbsMaxObserver(moving_rate=0.9)
    config = paddle.quantization.QuantConfig(activation=quanter, weight=quanter)
    rounded = paddle.quantization.QAT(config).quantize(model)
    losses, parameters = _trained(paddle, np, rounded, [4, 1, 4, 4])
    rounded.eval()
    x = paddle.to_tensor(np.linspace(-3.0, 3.0, 32).reshape(2, 1, 4, 4).astype("float32"))
    return [str(rounded), str(config), losses, parameters, rounded(x).numpy(), str(model)]


@program
def rounded_training_of_some_layers(paddle, np):
    """QAT by name, by class and by layer, with four bits; layers that are not named stay."""
    nn, quantization = paddle.nn, paddle.quantization
    model = nn.Sequential(
        nn.Linear(4, 8), nn.ReLU(), nn.Sequential(nn.Linear(8, 8), nn.Tanh()), nn.Linear(8, 3)
    )
    _fill(model, np)
    quanter = _room(paddle, "quanters").FakeQuanterWithAbsMaxObserver(bit_length=4)
    config = quantization.QuantConfig(activation=None, weight=None)
    config.add_type_config(nn.Tanh, activation=quanter)
    config.add_layer_config([model[0]], weight=quanter)
    config.add_name_config(model[2].full_name(), activation=quanter, weight=quanter)
    rounded = quantization.QAT(config).quantize(model)
    losses, parameters = _trained(paddle, np, rounded, [4, 4])
    return [str(rounded), losses, parameters]


@program
def observed_and_converted(paddle, np):
    """PTQ: what the observers saw, and the model with fixed scales and whole numbers as weights."""
    model = _cnn(paddle)
    _fill(model, np)
    observer = _room(paddle, "observers").AbsmaxObserver(quant_bits=8)
    ptq = paddle.quantization.PTQ(paddle.quantization.QuantConfig(observer, observer))
    model.eval()
    seen = ptq.quantize(model)
    for x, _ in _batches(paddle, np, [4, 1, 4, 4], 3):
        seen(x)
    scales = [seen.fc.weight_quanter.scales().numpy(), seen.relu._observer.scales().numpy()]
    fixed, same = ptq.convert(seen), ptq.convert(seen, remain_weight=True)
    x = paddle.to_tensor(np.linspace(-3.0, 3.0, 32).reshape(2, 1, 4, 4).astype("float32"))
    parameters = {name: each.numpy() for name, each in fixed.named_parameters()}
    return [str(seen), str(fixed), scales, parameters, fixed(x).numpy(), same(x).numpy()]


@program
def groups_of_rows(paddle, np):
    """A scale for each 128 rows and each column of a weight."""
    model = paddle.nn.Sequential(paddle.nn.Linear(256, 3), paddle.nn.ReLU())
    _fill(model, np)
    observer = _room(paddle, "observers").GroupWiseWeightObserver(group_size=64)
    config = paddle.quantization.QuantConfig(activation=None, weight=observer)
    ptq = paddle.quantization.PTQ(config)
    model.eval()
    seen = ptq.quantize(model)
    x = paddle.to_tensor(np.linspace(-1.0, 1.0, 512).reshape(2, 256).astype("float32"))
    seen(x)
    scales = seen[0].weight_quanter.scales().numpy()
    fixed = ptq.convert(seen)
    return [str(observer), str(fixed), scales, fixed[0].weight.numpy(), fixed(x).numpy()]


@program
def layers_that_round(paddle, np):
    """nn.quant.quant_layers: values, scales and gradients in training, values in evaluation."""
    layers = paddle.nn.quant.quant_layers
    rng = np.random.RandomState(1)
    data = rng.uniform(-2.0, 2.0, [3, 4]).astype("float32")
    found = []
    for layer in (
        layers.FakeQuantAbsMax(quant_bits=4), layers.FakeQuantAbsMax(quant_on_weight=True),
        layers.FakeQuantMovingAverageAbsMax(moving_rate=0.5), layers.QuantStub(),
        layers.FakeQuantChannelWiseAbsMax(channel_num=3, quant_on_weight=True),
        layers.FakeQuantChannelWiseAbsMax(channel_num=4, quant_axis=1, quant_on_weight=True),
        layers.MAOutputScaleLayer(paddle.nn.ReLU()),
        layers.FakeQuantMAOutputScaleLayer(paddle.nn.ReLU()),
    ):  # fmt: skip
        x = paddle.to_tensor(data, stop_gradient=False)
        out = layer(x)
        (out * out).sum().backward()
        layer.eval()
        kept = [each.numpy() for each in layer.parameters()]
        found.append([out.numpy(), x.grad.numpy(), kept, layer(x * 1.5).numpy()])
    return found


@program
def rounded_twins_of_layers(paddle, np):
    """nn.quant.quant_layers: a layer made of another, with each kind of rounding."""
    layers, nn = paddle.nn.quant.quant_layers, paddle.nn
    rng = np.random.RandomState(1)
    image = paddle.to_tensor(rng.uniform(-2.0, 2.0, [2, 2, 5, 5]).astype("float32"))
    row = paddle.to_tensor(rng.uniform(-2.0, 2.0, [2, 4]).astype("float32"))
    plain = [
        nn.Linear(4, 3), nn.Conv2D(2, 4, 3, padding=1, stride=2), nn.Conv2DTranspose(2, 3, 3),
        nn.Conv2D(2, 4, 3, padding=1, padding_mode="reflect", bias_attr=False),
    ]  # fmt: skip
    found = []
    for each in plain:
        _fill(each, np)
    for kind in ("abs_max", "channel_wise_abs_max", "moving_average_abs_max"):
        options = {"weight_quantize_type": kind, "activation_quantize_type": "abs_max"}
        twins = [
            layers.QuantizedLinear(plain[0], **options),
            layers.QuantizedConv2D(plain[1], **options),
            layers.QuantizedConv2DTranspose(plain[2], **options),
            layers.QuantizedConv2D(plain[3], **options),
        ]
        found += [twin(row if i == 0 else image).numpy() for i, twin in enumerate(twins)]
    product = layers.QuantizedMatmul(activation_quantize_type="moving_average_abs_max")
    found.append(product(row, row, transpose_y=True).numpy())
    return found


@program
def quantization_refused(paddle, np):
    """What cannot be quantized, and layers of one's own."""
    quantization, nn = paddle.quantization, paddle.nn
    observer = _room(paddle, "observers").AbsmaxObserver(quant_bits=4)
    config = quantization.QuantConfig(activation=observer, weight=None)
    config.add_customized_leaf(nn.Sequential)
    model = nn.Sequential(nn.Sequential(nn.Linear(2, 2), nn.Tanh()), nn.Tanh())
    still = nn.Sequential(nn.Tanh())
    still.eval()
    errors = []
    for call in (
        lambda: quantization.QAT(config).quantize(still),
        lambda: quantization.PTQ(config).quantize(model, inplace=True),
        lambda: config.add_qat_layer_mapping(nn.Linear, int),
        lambda: nn.quant.quant_layers.FakeQuantChannelWiseAbsMax(channel_num=2),
    ):
        try:
            errors.append(type(call()).__name__)
        except AssertionError:
            errors.append("refused")
    return [errors, str(observer), [each.__name__ for each in config.customized_leaves]]


@differs(
    "QAT's own quanter has no zero points, which stands for 0; convert() fails with it there.",
    right=[[127.0], [64.0]],
    paddle_gives="TypeError",
)
def whole_numbers_after_training(paddle, np):
    """QAT.convert of a layer whose scale is 4: its weights 4 and 2 become 127 and 64 steps."""
    model = paddle.nn.Sequential(paddle.nn.Linear(2, 1))
    model[0].weight.set_value(np.array([[4.0], [2.0]], "float32"))
    quanter = _room(paddle, "quanters").FakeQuanterWithAbsMaxObserver(moving_rate=0.0)
    qat = paddle.quantization.QAT(paddle.quantization.QuantConfig(None, quanter))
    model = qat.quantize(model)
    model(paddle.ones([1, 2]))
    try:
        return qat.convert(model)[0].weight.tolist()
    except TypeError as error:
        return type(error).__name__
