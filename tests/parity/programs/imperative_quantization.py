"""paddle.quantization.imperative: the older classes that quantize models after training."""

from tempfile import TemporaryDirectory

from ..imperative_models import EDGE, fill, images, kind, layers, outline, room, small
from ..registry import differs, program

# ---- quantizers


@program
def thresholds_of_tensors(paddle, np):
    """What each quantizer keeps of three batches that grow, and the thresholds of 4 and 8 bits."""
    q, found = paddle.quantization, []
    rng = np.random.RandomState(1)
    data = [rng.standard_normal([64, 16]).astype("float32") * scale for scale in (1.0, 0.5, 2.2)]
    for quantizer in (
        q.AbsmaxQuantizer(), q.KLQuantizer(4, bins=256), q.KLQuantizer(8, 512, upsample_bins=16),
    ):  # fmt: skip
        for each in data:
            tensors = (paddle.to_tensor(each), paddle.to_tensor(each * 0.0))
            quantizer.sample_data(None, tensors)
        quantizer.cal_thresholds()
        found += [quantizer.abs_max_vals, quantizer.thresholds]
        found += [each for each in getattr(quantizer, "hists", []) if each is not None]
    hist = q.HistQuantizer(bins=64)
    for each in data:
        hist.sample_data(None, (paddle.to_tensor(each),))
    return [*found, hist.hists[0], hist.abs_max_vals]


@program
def thresholds_of_channels(paddle, np):
    """PerChannelAbsmaxQuantizer: the axis depends on the class of the layer."""
    nn, found = paddle.nn, []
    for layer in (nn.Linear(3, 2), nn.Conv2D(2, 3, 2), nn.Conv2DTranspose(2, 3, 2)):
        quantizer = paddle.quantization.PerChannelAbsmaxQuantizer()
        fill(layer, np)
        quantizer.sample_data(layer, (layer.weight,))
        quantizer.sample_data(layer, (layer.weight * -0.5,))
        quantizer.cal_thresholds()
        found.append(quantizer.thresholds)
    return found


@program
def outliers_are_clipped(paddle, np):
    """cal_kl_threshold: histograms with a long tail, an empty upper half, and one bin."""
    kl = paddle.quantization.KLQuantizer
    found = []
    for data in (np.r_[np.linspace(0, 1, 4000), 9.0], np.r_[np.linspace(0, 1, 50), 40.0], [2.0]):
        quantizer = kl(bins=300)
        quantizer.sample_data(None, (paddle.to_tensor(np.float32(data)),))
        quantizer.cal_thresholds()
        found.append(quantizer.thresholds)
    return found


@differs(
    "HistQuantizer computes a float from an array with an axis, which NumPy 2.4 refuses",
    right=[0.955],
    paddle_gives="TypeError",
)
def threshold_of_a_fraction(paddle, np):
    """The middle of the bin before the one in which the fraction is reached."""
    quantizer = paddle.quantization.HistQuantizer(bins=100, hist_percent=0.955)
    values = np.r_[(np.arange(100) + 0.5) / 100, 1.0]
    quantizer.sample_data(None, (paddle.to_tensor(values.astype("float32")),))
    try:
        quantizer.cal_thresholds()
    except TypeError as error:
        return type(error).__name__
    return [round(each, 6) for each in quantizer.thresholds]


@differs(
    "with more steps than bins, all bins are merged into one group, so 12 bits clip values that "
    "they could hold",
    right=[9.6, 9.6],
    paddle_gives=[9.6, 5.0],
)
def threshold_of_many_bits(paddle, np):
    """The thresholds of 6 and 12 bits for values up to 10, most of which are small."""
    values = np.random.RandomState(0).laplace(size=20000).astype("float32")
    found = []
    for bits in (6, 12):
        quantizer = paddle.quantization.KLQuantizer(bits, bins=128)
        quantizer.sample_data(None, (paddle.to_tensor(values),))
        quantizer.cal_thresholds()
        found.append(round(quantizer.thresholds[0], 1))
    return found


@differs(
    "KLQuantizer.cal_thresholds appends its thresholds to those of the call before",
    right=1,
    paddle_gives=2,
)
def thresholds_computed_twice(paddle, np):
    """The number of thresholds of one tensor."""
    quantizer = paddle.quantization.KLQuantizer(bins=16)
    quantizer.sample_data(None, (paddle.to_tensor(np.linspace(0, 1, 40, dtype="float32")),))
    quantizer.cal_thresholds()
    quantizer.cal_thresholds()
    return len(quantizer.thresholds)


@program
def what_is_registered(paddle, np):
    """PTQRegistry, and the helpers that find layers."""
    registry, utils = paddle.quantization.PTQRegistry, room(paddle, "utils")
    nn = paddle.nn
    classes = [nn.Conv2D, nn.Linear, nn.ReLU, nn.GELU, nn.quant.add, nn.Conv2DTranspose]
    classes.append(nn.quant.quant_layers.QuantizedLinear)
    answers = [
        [registry.is_supported_layer(each), registry.is_registered_layer(each),
         registry.is_simulated_quant_layer(each)]
        for each in classes
    ]  # fmt: skip
    infos = [registry.layer_info(nn.Linear(1, 1)), registry.layer_info(nn.quant.add)]
    names = [[each.input_names, each.weight_names, each.output_names] for each in infos]
    model = nn.Sequential(nn.Sequential(nn.ReLU()), nn.ReLU())
    parent, name = utils.find_parent_layer_and_sub_name(model, "0.0")
    leaves = [utils.is_leaf_layer(each) for each in (model, model[1], 3)]
    lists = [
        sorted(utils.layer_name_map),
        *([each.__name__ for each in getattr(utils, f"fake_quant_{kind}_layers")]
          for kind in ("output", "leaf", "wrap")),
    ]  # fmt: skip
    refused = kind(lambda: registry.layer_info(nn.GELU))
    return [answers, names, parent is model[0], name, leaves, lists, refused]


# ---- after training


def _observed(paddle, np, model, activation, weight, **options):
    """Returns a model that two batches have been observed in, and what observes it."""
    config = paddle.quantization.PTQConfig(activation, weight)
    ptq = paddle.quantization.ImperativePTQ(config)
    size = 8 if isinstance(model, paddle.nn.Sequential) else 28
    observed = ptq.quantize(model, **options)
    for x in images(paddle, np, 2, size):
        observed(x)
    return observed, ptq


def _thresholds(model):
    """Returns the thresholds of each observed layer that is left."""
    found = []
    for name, layer in model.named_sublayers():
        config = getattr(layer, "_quant_config", None)
        if config is not None:
            found.append([name, config.out_act_quantizer.thresholds])
    return found


@program(rtol=2e-3, reason=EDGE)
def lenet_after_training(paddle, np):
    """ImperativePTQ of LeNet: layers, thresholds, scales and outputs."""
    q, found = paddle.quantization, []
    for activation, weight in (
        (q.KLQuantizer(bins=256), q.PerChannelAbsmaxQuantizer()),
        (q.AbsmaxQuantizer(), q.AbsmaxQuantizer(quant_bits=6)),
    ):
        model = fill(paddle.vision.models.LeNet(), np)
        model.eval()
        model, ptq = _observed(paddle, np, model, activation, weight)
        ptq._convert(model)
        model.eval()
        state = model.state_dict()
        scales = {name: each.numpy() for name, each in state.items() if "scale" in name}
        (x,) = images(paddle, np, 1)
        found += [layers(model), _thresholds(model), list(state), scales, outline(model(x), np)]
    return found


@program
def small_model_after_training(paddle, np):
    """ImperativePTQ of six layers: thresholds, all state, and outputs."""
    q, found = paddle.quantization, []
    for quantizer in (q.KLQuantizer(bins=256), q.AbsmaxQuantizer(quant_bits=5)):
        model = small(paddle, np)
        quantizers = quantizer, q.PerChannelAbsmaxQuantizer()
        model, ptq = _observed(paddle, np, model, *quantizers)
        ptq._convert(model)
        model.eval()
        state = {name: each.numpy() for name, each in model.state_dict().items()}
        (x,) = images(paddle, np, 1, 8)
        found += [layers(model), _thresholds(model), state, model(x).numpy()]
    return found


@program
def fused_after_training(paddle, np):
    """Conv2D and BatchNorm2D are one Conv2D before they are observed; a layer is skipped."""
    q = paddle.quantization
    model = small(paddle, np)
    model[5].skip_quant = True
    (x,) = images(paddle, np, 1, 8)
    plain = model(x).numpy()
    quantizers = q.AbsmaxQuantizer(), q.PerChannelAbsmaxQuantizer()
    fused, ptq = _observed(paddle, np, model, *quantizers, fuse=True, fuse_list=[["0", "1"]])
    same = fused(x).numpy()
    ptq._convert(fused)
    fused.eval()
    parameters = {name: each.numpy() for name, each in fused.state_dict().items()}
    return [plain, same, layers(fused), layers(model), _thresholds(fused), parameters]


@program
def quantization_refused_of_old(paddle, np):
    """What the older classes refuse."""
    q, nn = paddle.quantization, paddle.nn
    qat, relu = q.ImperativeQuantAware, nn.ReLU()
    fuse = room(paddle, "fuse_utils").fuse_layers
    return [
        kind(call)
        for call in (
            lambda: q.AbsmaxQuantizer(17),
            lambda: q.KLQuantizer(0),
            lambda: q.PTQConfig(q.PerChannelAbsmaxQuantizer(), q.AbsmaxQuantizer()),
            lambda: q.PTQConfig(q.AbsmaxQuantizer(), q.KLQuantizer()),
            lambda: q.ImperativePTQ(None),
            lambda: q.ImperativePTQ().quantize(3),
            lambda: q.ImperativePTQ().quantize(nn.Sequential(relu), fuse=True),
            lambda: q.AbsmaxQuantizer().sample_data(None, [paddle.ones([1])]),
            lambda: qat(quantizable_layer_type=["ReLU"]),
            lambda: qat(quantizable_layer_type=["Nothing"]),
            lambda: qat(weight_quantize_type="moving_average_abs_max"),
            lambda: qat(activation_quantize_type="abs_max"),
            lambda: qat(weight_bits=17),
            lambda: qat(activation_bits=8.0),
            lambda: qat().quantize(None),
            lambda: qat().save_quantized_model(None, "path"),
            lambda: q.PTQRegistry.layer_info(nn.GELU()),
            lambda: room(paddle, "utils").find_parent_layer_and_sub_name(relu, ""),
            lambda: room(paddle, "ptq_hooks").quant_forward_post_hook(relu, (), None),
        )
    ] + [type(fuse(nn.Sequential(relu), [])).__name__]


@differs(
    "the weight of a Linear is multiplied along its inputs, not its outputs",
    right=True,
    paddle_gives=False,
)
def linear_and_norm_fused(paddle, np):
    """fuse_layers of Linear and BatchNorm1D: is the output the same as before?"""
    model = paddle.nn.Sequential(paddle.nn.Linear(3, 3), paddle.nn.BatchNorm1D(3))
    fill(model, np)
    model[1]._variance.set_value(np.float32([1.0, 4.0, 9.0]))
    model.eval()
    x = paddle.to_tensor(np.float32([[1.0, -2.0, 3.0]]))
    fused = room(paddle, "fuse_utils").fuse_layers(model, [["0", "1"]])
    return bool(np.allclose(fused(x).numpy(), model(x).numpy(), atol=1e-5))


@differs(
    "hooks are removed from the table that a loop is reading",
    right=["Conv2D", 1],
    paddle_gives="RuntimeError",
)
def fused_with_hooks(paddle, np):
    """The hooks before the first layer and after the last one are those of the fused layer."""
    model = small(paddle, np)
    for _ in range(2):
        model[0].register_forward_pre_hook(lambda layer, inputs: None)
    model[1].register_forward_post_hook(lambda layer, inputs, output: output)
    try:
        fused = room(paddle, "fuse_utils").fuse_layers(model, [["0", "1"]])
    except RuntimeError as error:
        return type(error).__name__
    return [type(fused[0]).__name__, len(fused[0]._forward_post_hooks)]


@differs(
    "fusing works on a copy, even if the model itself is to be changed",
    right=[True, "Identity"],
    paddle_gives=[False, "BatchNorm2D"],
)
def fused_in_place(paddle, np):
    """quantize(inplace=True, fuse=True): is the result the model, and its BatchNorm2D fused?"""
    model = small(paddle, np)
    made = paddle.quantization.ImperativePTQ().quantize(model, True, True, [["0", "1"]])
    return [made is model, type(model[1]).__name__]


@differs(
    "the layers that round are in training after they are made, so the next call changes their "
    "scales, which were computed from examples",
    right=True,
    paddle_gives=False,
)
def scales_stay(paddle, np):
    """The scale of an input after a call of the converted model, which is in evaluation."""
    q = paddle.quantization
    model, ptq = _observed(paddle, np, small(paddle, np), q.AbsmaxQuantizer(), q.AbsmaxQuantizer())
    ptq._convert(model)
    before = model[0]._fake_quant_input._scale.item()
    for x in images(paddle, np, 1, 8):
        model(x)
    return before == model[0]._fake_quant_input._scale.item()


@differs(
    "the layers that round make ops of older programs, which jit.save cannot take",
    right="close",
    paddle_gives="TypeError",
)
def saved_after_training(paddle, np):
    """The outputs of a model that ImperativePTQ has saved are those of the converted model."""
    q = paddle.quantization
    quantizers = q.AbsmaxQuantizer(), q.PerChannelAbsmaxQuantizer()
    model, ptq = _observed(paddle, np, small(paddle, np), *quantizers)
    (x,) = images(paddle, np, 1, 8)
    with TemporaryDirectory() as folder:
        try:
            spec = [paddle.static.InputSpec([None, 1, 8, 8], "float32")]
            ptq.save_quantized_model(model, f"{folder}/net", spec)
            loaded = paddle.jit.load(f"{folder}/net")
        except TypeError as error:
            return type(error).__name__
        finally:
            paddle.disable_static()
    return "close" if np.allclose(loaded(x).numpy(), model(x).numpy(), atol=1e-6) else "different"
