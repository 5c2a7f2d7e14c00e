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
