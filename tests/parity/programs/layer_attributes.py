"""What programs read of layers, and set on them: attributes with one underscore among them."""

from ..probe import attempt, error_of
from ..registry import program


def _read(layer, names):
    return [getattr(layer, name, "missing") for name in names.split()]


@program()
def attributes_of_convolutions(paddle, np):
    """Padding as the op does it, the channels' axis, the op's name."""
    names = (
        "_updated_padding _padding_algorithm _channel_dim _op_type _param_attr _bias_attr "
        "_use_cudnn _device _padding _stride _dilation _groups _kernel_size output_padding"
    )
    given = [
        {},
        {"padding": 1},
        {"padding": "SAME"},
        {"padding": "valid"},
        {"padding": [1, 2]},
        {"padding": [1, 2, 3, 4]},
        {"padding": [[0, 0], [0, 0], [1, 2], [3, 4]]},
        {"groups": 2},
        {"padding": 1, "padding_mode": "reflect"},
        {"data_format": "NHWC", "padding": [[0, 0], [1, 2], [3, 4], [0, 0]]},
        {"bias_attr": False},
    ]
    out = [_read(paddle.nn.Conv2D(2, 4, 3, **each), names) for each in given]
    for kind in ("Conv3D", "Conv2DTranspose", "Conv3DTranspose"):
        out.append(_read(getattr(paddle.nn, kind)(2, 4, 3, padding=1), names))
    return out


@program(rtol=1e-5, reason="sums of products in another order")
def a_convolution_that_is_widened_afterwards(paddle, np):
    """Dilation and padding set on a layer that exists, as segmentation models do."""
    paddle.seed(3)
    conv = paddle.nn.Conv2D(1, 1, 3, weight_attr=paddle.nn.initializer.Constant(0.5))
    conv._dilation, conv._padding, conv._updated_padding = [2, 2], [2, 2], [2, 2]
    x = paddle.to_tensor(np.arange(36.0, dtype="float32").reshape(1, 1, 6, 6))
    return conv(x).numpy()


@program()
def attributes_of_pools_and_norms(paddle, np):
    """Names, sizes and how parameters are made."""
    nn = paddle.nn
    return [
        _read(nn.AdaptiveAvgPool1D(2, name="a"), "name output_size"),
        _read(nn.AdaptiveMaxPool1D(2, True), "name output_size return_mask"),
        _read(nn.AdaptiveAvgPool2D(2, name="a"), "_name _output_size _data_format"),
        _read(nn.AdaptiveMaxPool3D(2), "_name _output_size _return_mask"),
        _read(nn.AvgPool1D(2), "kernel_size name stride padding"),
        _read(nn.MaxPool1D(2), "kernel_size name stride padding"),
        _read(nn.AvgPool2D(2), "ksize name stride padding"),
        _read(nn.BatchNorm2D(3, weight_attr=False), "_weight_attr _bias_attr _in_place"),
        _read(nn.BatchNorm(3, is_test=True), "_param_attr _bias_attr _is_test _fuse_with_relu"),
        _read(nn.LayerNorm(3), "_weight_attr _bias_attr _normalized_shape _epsilon"),
        _read(nn.GroupNorm(1, 3, bias_attr=False), "_weight_attr _bias_attr _num_groups"),
        _read(nn.InstanceNorm2D(3), "_weight_attr _bias_attr"),
        _read(nn.PReLU(), "_weight_attr _num_parameters"),
        _read(nn.Embedding(4, 2), "_size _is_distributed _remote_prefetch _padding_idx"),
        _read(nn.Pad2D(1), "_n_dim"),
        _read(nn.Linear(2, 3), "_cast_to_low_precision _dtype"),
        nn.Linear(2, 3)._get_name(),
    ]


@program()
def attributes_of_recurrent_and_attention_layers(paddle, np):
    """The weights in the op's order, the functions of cells, the heads of an attention."""
    nn = paddle.nn
    weights = [tuple(w.shape) for w in nn.LSTM(2, 3, 2, direction="bidirect")._all_weights]
    attention, x = nn.MultiHeadAttention(8, 2), paddle.ones([1, 3, 8])
    heads = attention._prepare_qkv(x, x, x)
    cached = attention._prepare_qkv(x, x, x, attention.gen_cache(x))
    x = paddle.to_tensor([-1.0, 0.5])
    return [
        weights,
        [list(each.shape) for each in heads],
        len(cached),
        nn.LSTMCell(2, 3)._activation(x.clone()).numpy(),
        nn.GRUCell(2, 3)._gate_activation(x.clone()).numpy(),
        nn.SimpleRNNCell(2, 3, activation="relu")._activation_fn(x.clone()).numpy(),
        nn.TransformerEncoderLayer(8, 2, 16, activation="relu").activation(x.clone()).numpy(),
        nn.Linear(2, 2)._helper.append_activation(x.clone(), act="relu").numpy(),
    ]


@program(rtol=1e-5, reason="sums of products in another order")
def an_activation_that_is_replaced(paddle, np):
    """A transformer layer whose activation is set afterwards."""
    constant = paddle.nn.initializer.Constant(0.1)
    layer = paddle.nn.TransformerEncoderLayer(4, 2, 8, dropout=0.0, weight_attr=constant)
    layer.activation = paddle.tanh
    return layer(paddle.to_tensor(np.arange(8.0, dtype="float32").reshape(1, 2, 4))).numpy()


@program()
def a_parameter_registered_again(paddle, np):
    """The same one, another one, None; names that something else has are refused."""
    layer = paddle.nn.Layer()
    layer.w = layer.create_parameter([2])
    layer.add_parameter("w", layer.w)
    out = [[name for name, _ in layer.named_parameters()]]
    layer.add_parameter("w", layer.create_parameter([3]))
    out.append(list(layer.w.shape))
    layer.add_parameter("w", None)
    out.append(layer.w is None)
    layer.sub, layer.plain = paddle.nn.ReLU(), 5
    for name in ("sub", "plain"):
        refused = attempt(lambda name=name: layer.add_parameter(name, layer.create_parameter([1])))
        out.append(refused["error"])
    return out


@program()
def assign_into_a_parameter(paddle, np):
    """The values change, the version moves, and it stays a leaf that gradients are wanted of."""
    out = []
    for value in (paddle.full([2, 2], 3.0), np.full((2, 2), 4.0, "float32")):
        weight = paddle.nn.Linear(2, 2).weight
        before = weight.inplace_version
        same = paddle.assign(value, weight) is weight
        (weight * 2).sum().backward()
        out.append(
            [same, weight.numpy(), weight.is_leaf, weight.stop_gradient, weight.grad.numpy()]
        )
        if hasattr(value, "inplace_version"):  # Paddle's does not move for NumPy's arrays
            out.append(weight.inplace_version - before)
    weight = paddle.nn.Linear(2, 2).weight
    product = weight * weight
    paddle.assign(paddle.ones([2, 2]), weight)
    out.append(attempt(lambda: product.sum().backward())["error"])
    return out


@program()
def printed_shapes_and_limits(paddle, np):
    """Shapes, finfo and iinfo, in text, lists and slices."""
    shape = paddle.ones([2, 3]).shape
    floats = [repr(paddle.finfo(name)) for name in ("float16", "bfloat16", "float32", "float64")]
    whole = [str(paddle.iinfo(name)) for name in ("uint8", "int8", "int32", "int64")]
    other = [str(shape), f"{shape[:1]}", repr([shape]), str(shape.__add__([1])), str(shape * 2)]
    return [*other, str(paddle.to_tensor(1.0).shape), *floats, *whole]


@program()
def tensors_in_text(paddle, np):
    """A tensor of no dimensions is its number where it is formatted, another one is its text."""
    numbers = [paddle.to_tensor(500.0), paddle.to_tensor(3), paddle.to_tensor(True)]
    numbers += [paddle.to_tensor(1.5, dtype="bfloat16"), paddle.to_tensor(1 + 2j)]
    vector = paddle.to_tensor([1.5, 2.5])
    texts = [f"{each}" for each in numbers] + [f"{numbers[0]:.2f}", f"{numbers[1]:d}"]
    return [*texts, f"{vector}", attempt(lambda: f"{vector:.2f}")["error"]]


@program(rtol=1e-5, reason="sums of products in another order")
def tensordot_with_lists_of_two_lengths(paddle, np):
    """The shorter list of axes goes on as the longer one does."""
    x = paddle.to_tensor(np.arange(24.0, dtype="float32").reshape(2, 3, 4))
    y = paddle.to_tensor(np.arange(24.0, dtype="float32")[::-1].copy().reshape(2, 3, 4))
    axes = ([[0, 1], [0]], [[0], [0, 1]], [[0, 1]], [0])
    return [paddle.tensordot(x, y, axes=each).numpy() for each in axes]


@program
def names_and_kinds_of_small_values(paddle, np):
    """Names of variables of a layer, gains that are integers, and a `trainable` that is no bool."""
    with paddle.utils.unique_name.guard():
        layer = paddle.nn.Linear(1, 1)
        names = [layer.create_variable("state").name, layer.create_tensor().name]
    gains = [paddle.nn.initializer.calculate_gain(name) for name in ("linear", "sigmoid", "tanh")]
    return {
        "names": names,
        "gains": [[type(gain).__name__, gain] for gain in gains],
        "trainable": error_of(lambda: setattr(layer.weight, "trainable", 3)),
    }
