"""paddle.quantization.imperative: the older class that quantizes models in training."""

from tempfile import TemporaryDirectory

from ..imperative_models import EDGE, fill, images, layers, outline, room, small
from ..registry import differs, program


def _trained(paddle, np, model, size, steps=5):
    """Returns the losses of some steps of SGD."""
    sgd = paddle.optimizer.SGD(0.05, parameters=model.parameters())
    losses = []
    for x in images(paddle, np, steps, size):
        label = paddle.to_tensor([0, 1, 2, 3])
        loss = paddle.nn.functional.cross_entropy(model(x * 0.3), label)
        loss.backward()
        sgd.step()
        sgd.clear_grad()
        losses.append(loss.numpy())
    return losses


_CHANNELS = {
    "weight_quantize_type": "channel_wise_abs_max",
    "onnx_format": True,
    "moving_rate": 0.5,
}


@program(rtol=2e-3, reason=EDGE)
def lenet_in_training(paddle, np):
    """ImperativeQuantAware of LeNet: layers, five losses, names of state, and evaluation."""
    found = []
    for options in ({}, _CHANNELS):
        model = fill(paddle.vision.models.LeNet(), np)
        made = paddle.quantization.ImperativeQuantAware(**options).quantize(model)
        losses = _trained(paddle, np, model, 28)
        model.eval()
        (x,) = images(paddle, np, 1)
        found += [made is model, layers(model), losses, list(model.state_dict())]
        found.append(outline(model(x), np))
    return found


@program
def small_model_in_training(paddle, np):
    """ImperativeQuantAware of six layers: five losses, all state, and evaluation."""
    found = []
    for options in ({"weight_bits": 6}, _CHANNELS):
        model = small(paddle, np)
        model.train()
        paddle.quantization.ImperativeQuantAware(**options).quantize(model)
        losses = _trained(paddle, np, model, 8)
        model.eval()
        state = {name: each.numpy() for name, each in model.state_dict().items()}
        (x,) = images(paddle, np, 1, 8)
        found += [losses, state, model(x).numpy()]
    return found


@program
def some_layers_in_training(paddle, np):
    """Classes instead of names, skipped layers, functions as layers, and a custom preprocess."""
    nn = paddle.nn

    class Net(nn.Layer):
        def __init__(self):
            super().__init__()
            self.conv = nn.Conv2DTranspose(1, 2, 3)
            self.left, self.right = nn.Linear(200, 5), nn.Linear(200, 5)
            self.add, self.reshape = nn.quant.add(), nn.quant.reshape()
            self.right.skip_quant = True

        def forward(self, x):
            x = self.reshape(self.conv(x), [4, 200])
            return self.add(self.left(x), self.right(x))

    class Halves(nn.Layer):
        def __init__(self):
            super().__init__()
            self.alpha = self.create_parameter([1])
            self.alpha.set_value(np.float32([0.5]))

        def forward(self, x):
            return x * self.alpha

    found = []
    for options in (
        {"quantizable_layer_type": [nn.Conv2DTranspose, "Linear"]},
        {"quantizable_layer_type": ["Linear"], "weight_bits": 4, "activation_bits": 5,
         "onnx_format": True, "weight_preprocess_layer": Halves, "act_quantize_layer": Halves},
    ):  # fmt: skip
        model = fill(Net(), np)
        paddle.quantization.ImperativeQuantAware(**options).quantize(model)
        losses = _trained(paddle, np, model, 8)
        model.eval()
        (x,) = images(paddle, np, 1, 8)
        found += [layers(model), losses, list(model.state_dict()), model(x).numpy()]
    return found


@differs(
    "fuse_conv_bn fuses a copy of the model, which is then dropped",
    right=["Conv2D", "Identity"],
    paddle_gives=["Conv2D", "BatchNorm2D"],
)
def fused_before_training(paddle, np):
    """The first two layers of a model after fuse_conv_bn."""
    model = small(paddle, np)
    room(paddle, "fuse_utils").fuse_conv_bn(model)
    return [type(each).__name__ for each in list(model)[:2]]


@differs(
    "moving_rate is passed on as weight_bits, and activation_bits not at all",
    right=[0.5, 4],
    paddle_gives=[0.9, 8],
)
def rate_of_rounded_outputs(paddle, np):
    """The rate and the bits of a layer whose output is rounded."""
    model = paddle.nn.Sequential(paddle.nn.quant.add())
    paddle.quantization.ImperativeQuantAware(moving_rate=0.5, activation_bits=4).quantize(model)
    quanter = model[0]._fake_quant_output
    return [quanter._moving_rate, quanter._quant_bits]


@differs(
    "a layer that a model has in two places is replaced in the first only",
    right=True,
    paddle_gives=False,
)
def shared_layers_in_training(paddle, np):
    """Is a Linear with two names the same rounded layer under both?"""
    model = paddle.nn.Sequential(paddle.nn.Linear(2, 2))
    model.again = model[0]
    paddle.quantization.ImperativeQuantAware(onnx_format=True).quantize(model)
    return model.again is model[0]


@differs(
    "a list of parameters is wrapped as a layer with an output, and then has no length",
    right="2",
    paddle_gives="TypeError",
)
def lists_of_parameters_in_training(paddle, np):
    """The length of a ParameterList of a quantized model."""
    model = paddle.nn.Sequential(paddle.nn.ReLU())
    model.weights = paddle.nn.ParameterList([paddle.create_parameter([1], "float32")] * 2)
    paddle.quantization.ImperativeQuantAware().quantize(model)
    try:
        return str(len(model.weights))
    except TypeError as error:
        return type(error).__name__


@differs(
    "a layer is added to the wrapper for what a rounded layer applies to its weight first",
    right=["_layer", "_ma_output_scale"],
    paddle_gives=["_layer", "_ma_output_scale", "_weight_preprocess"],
)
def wrappers_of_rounded_layers(paddle, np):
    """The sublayers of the wrapper of a Linear with a preprocess."""
    model = paddle.nn.Sequential(paddle.nn.Linear(2, 2))
    qat = paddle.quantization.ImperativeQuantAware(weight_preprocess_layer=paddle.nn.Tanh)
    qat.quantize(model)
    return sorted(name for name, _ in model[0].named_children())


@differs(
    "one number of an array with an axis is read as a float, which NumPy 2.4 refuses",
    right="close",
    paddle_gives="TypeError",
)
def saved_in_training(paddle, np):
    """The outputs of a model that ImperativeQuantAware has saved are those of the model."""
    model = small(paddle, np)
    qat = paddle.quantization.ImperativeQuantAware()
    qat.quantize(model)
    model.train()
    _trained(paddle, np, model, 8, 2)
    model.eval()
    (x,) = images(paddle, np, 1, 8)
    with TemporaryDirectory() as folder:
        try:
            spec = [paddle.static.InputSpec([None, 1, 8, 8], "float32")]
            qat.save_quantized_model(model, f"{folder}/net", spec)
            loaded = paddle.jit.load(f"{folder}/net")
        except TypeError as error:
            return type(error).__name__
        finally:
            paddle.disable_static()
    return "close" if np.allclose(loaded(x).numpy(), model(x).numpy(), atol=1e-6) else "different"
