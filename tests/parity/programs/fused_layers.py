"""incubate.nn: several operations in one call, those that Paddle has for the CPU."""

from ..probe import leaf
from ..registry import program


@program
def fused_calls(paddle, np):
    """Values and gradients of fused_dropout_add, swiglu and fused_rms_norm."""
    f = paddle.incubate.nn.functional
    data = np.linspace(-2.0, 3.0, 12).reshape(3, 4).astype("float32")
    x, y = leaf(paddle, data), leaf(paddle, data[::-1].copy())
    weight = leaf(paddle, np.linspace(0.5, 1.5, 4).astype("float32"))
    found = [
        f.fused_dropout_add(x, y, 0.0), f.fused_dropout_add(x, y, 0.5, training=False),
        f.swiglu(x, y), f.swiglu(x), f.fused_rms_norm(x, weight, None, 1e-5, 1)[0],
        paddle.incubate.nn.FusedDropoutAdd(0.0)(x, y),
    ]  # fmt: skip
    sum((each * each).sum() for each in found[:4]).backward()
    return [*[each.numpy() for each in found], x.grad.numpy(), y.grad.numpy()]


@program
def norms_of_sums(paddle, np):
    """fused_layer_norm with and without weights, bias and residual; Paddle has no gradients."""
    f = paddle.incubate.nn.functional
    x = paddle.to_tensor(np.linspace(-2.0, 3.0, 24).reshape(2, 3, 4).astype("float32"))
    residual = paddle.to_tensor(np.cos(np.arange(24)).reshape(2, 3, 4).astype("float32"))
    bias = paddle.to_tensor(np.linspace(0.5, 1.5, 4).astype("float32"))
    weight = paddle.to_tensor(np.linspace(1.5, -1.0, 4).astype("float32"))
    whole = paddle.to_tensor(np.linspace(1.5, -1.0, 12).astype("float32"))
    out, summed, mean, inverse = f.fused_layer_norm(
        x, weight, bias, 1e-5, 0.5, 2, bias=bias, residual=residual
    )
    found = [out, summed, mean, inverse]
    out, _, mean, inverse = f.fused_layer_norm(x, whole, None, 1e-3)
    found += [out, mean, inverse]
    found += [
        f.fused_layer_norm(x, None, None, 1e-5, 0.5, 2, bias=bias, residual=residual)[0],
        f.fused_layer_norm(x, None, None, 1e-5, 0.5, 2, bias=bias)[0],
        *f.fused_rms_norm(x, weight, bias, 1e-5, 2, bias, residual),
    ]
    return [each.numpy() for each in found]


@program
def fused_encoder_layers(paddle, np):
    """What the layers' parameters are, and what printing shows; Paddle runs none on a CPU."""
    nn = paddle.incubate.nn
    with paddle.utils.unique_name.guard():
        layers = [
            nn.FusedMultiHeadAttention(4, 2), nn.FusedFeedForward(4, 6, activation="gelu"),
            nn.FusedMultiHeadAttention(4, 2, transpose_qkv_wb=True, qkv_bias_attr=False, name="a"),
            nn.FusedTransformerEncoderLayer(4, 2, 6, normalize_before=True),
            nn.FusedTransformerEncoderLayer(4, 2, 6, bias_attr=False),
            nn.FusedMultiTransformer(4, 2, 6, num_layers=2, qkv_bias_attrs=paddle.ParamAttr()),
            nn.FusedMultiTransformer(
                4, 2, 6, num_layers=1, activation="swiglu", gqa_group_size=1, trans_qkvw=False
            ),
        ]  # fmt: skip
    return [
        [str(each), [[n, list(p.shape), p.stop_gradient] for n, p in each.named_parameters()]]
        for each in layers
    ]
