"""Attention: masks, dropout, packed and shared heads; the parts of it that Paddle has on a CPU."""

from ..probe import attempt, facts, graph, leaf
from ..registry import differs, program


def _three(np, batch=2, length=4, other=4, heads=2, key_heads=2, size=8):
    draw = np.random.default_rng(91)
    shapes = [(batch, length, heads, size), *[(batch, other, key_heads, size)] * 2]
    return [draw.normal(size=shape).astype("float32") for shape in shapes]


def _run(paddle, call, *leaves):
    tensors = [leaf(paddle, value) for value in leaves]
    out = call(*tensors)
    out = out[0] if isinstance(out, (list, tuple)) else out
    (out**2).mean().backward()
    return [out.numpy(), [t.grad.numpy() for t in tensors]]


@program
def attention_masks(paddle, np):
    """scaled_dot_product_attention with float and bool masks of every rank, causal, scaled."""
    F = paddle.nn.functional
    attend, three = F.scaled_dot_product_attention, _three(np)
    draw = np.random.default_rng(92)
    seen = draw.uniform(size=(2, 1, 4, 4)) > 0.4
    seen[..., 0] = True
    added = draw.normal(size=(4, 4)).astype("float32")
    masks = {
        "bool": paddle.to_tensor(seen),
        "2-D": paddle.to_tensor(added),
        "3-D": paddle.to_tensor(added[None]),
        "4-D": paddle.to_tensor(np.where(seen, added, -np.inf).astype("float32")),
    }
    out = {
        name: _run(paddle, lambda *a, m=mask: attend(*a, attn_mask=m), *three)
        for name, mask in masks.items()
    }
    out["causal"] = _run(paddle, lambda *a: attend(*a, is_causal=True), *three)
    out["unequal"] = _run(paddle, attend, *_three(np, length=3, other=5))
    out["shared"] = _run(paddle, attend, *_three(np, heads=4))
    out["scale"] = _run(paddle, lambda *a: attend(*a, scale=0.7), *three)
    out["no batch"] = _run(paddle, attend, *(each[0] for each in three))
    out["eval"] = _run(paddle, lambda *a: attend(*a, dropout_p=0.5, training=False), *three)
    x = [leaf(paddle, each) for each in three]
    out["graph"] = [graph(attend(*x)), facts(attend(*x))]
    out["mask gradient"] = _run(paddle, lambda m: attend(*x, attn_mask=m), added)
    out["heads"] = type(attempt(lambda: attend(x[0], x[1][:, :, :1], x[2]))).__name__
    return out


@program
def attention_drops(paddle, np):
    """Dropout of weights: what is left is scaled; everything dropped leaves 0."""
    attend = paddle.nn.functional.scaled_dot_product_attention
    q, k, _ = (paddle.to_tensor(each) for each in _three(np, length=64, other=64))
    ones = paddle.ones(k.shape)
    shares = attend(q, k, ones, dropout_p=0.5).numpy()
    gone = attend(q, k, ones, dropout_p=1.0).numpy()
    return [
        bool(abs(shares.mean() - 1) < 0.1),
        bool(shares.std() > 0.01),
        float(np.abs(gone).max()),
    ]


@program
def flash_attention_functions(paddle, np):
    """flash_attention and flash_attn_qkvpacked: values, gradients, weights, causal."""
    F = paddle.nn.functional
    flash, three = F.flash_attention.flash_attention, _three(np)
    packed = np.random.default_rng(93).normal(size=(2, 4, 3, 2, 8)).astype("float32")
    out = {}
    for causal in (False, True):
        out[f"flash {causal}"] = _run(paddle, lambda *a, c=causal: flash(*a, causal=c), *three)
        out[f"packed {causal}"] = _run(
            paddle, lambda a, c=causal: F.flash_attn_qkvpacked(a, causal=c), packed
        )
        value, weights = flash(*map(paddle.to_tensor, three), 0.0, causal, True)
        out[f"weights {causal}"] = [value.numpy(), weights.numpy()]
    value, weights = flash(*map(paddle.to_tensor, three), dropout=0.5, training=False)
    out["eval"] = [value.numpy(), weights is None]
    out["packed weights"] = [
        each.numpy() for each in F.flash_attn_qkvpacked(paddle.to_tensor(packed), 0.0, False, True)
    ]
    return out


@differs(
    "The scale of the scores was given: 0 makes all weights equal.",
    right=True,
    paddle_gives=False,
)
def flash_attention_scale(paddle, np):
    """softmax_scale on a CPU."""
    flash = paddle.nn.functional.flash_attention.flash_attention
    q, k, v = (paddle.to_tensor(each) for each in _three(np))
    out, _ = flash(q, k, v, softmax_scale=1e-9)
    even = np.broadcast_to(v.numpy().mean(1, keepdims=True), out.shape)
    return bool(np.allclose(out.numpy(), even, atol=1e-5))


@differs(
    "the priority of a block stays when the block has ended",
    right=["MATH first", "MATH first", "usual order"],
    paddle_gives=["MATH first", "MATH first", "MATH first"],
)
def priority_of_attention_kernels(paddle, np):
    """The order of two kernels in a block that sets it, one within, and one behind it."""
    attention = paddle.nn.attention
    math, efficient = attention.SDPBackend.MATH, attention.SDPBackend.EFFICIENT_ATTENTION
    backends = attention._cur_sdpa_kernel_backends

    def order():
        return "MATH first" if backends(True)[0] == math else "usual order"

    with attention.sdpa_kernel([math, efficient], set_priority=True):
        found = [order()]
        with attention.sdpa_kernel([math, efficient]):
            found.append(order())
    with attention.sdpa_kernel([math, efficient]):
        return [*found, order()]
