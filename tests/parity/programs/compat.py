"""paddle.compat: functions and layers with PyTorch's names of arguments."""

import math

from ..probe import leaf
from ..registry import program


@program
def functions_with_other_names(paddle, np):
    """split, sort, unique, min, max, median, nanmedian, slogdet and equal."""
    compat = paddle.compat
    x = paddle.to_tensor(np.array([[3.0, 1.0, 2.0, 7.0], [5.0, 5.0, -1.0, 0.0]], "float32"))
    gaps = paddle.to_tensor(np.array([[3.0, math.nan, 2.0], [math.nan] * 3], "float32"))
    found = [
        *compat.split(paddle.arange(5), 2), *compat.split(x, [1, 0, 3], dim=1),
        *compat.split(x, 2, dim=-1), *compat.sort(x), *compat.sort(x, 0, descending=True),
        compat.unique(x), *compat.unique(x, return_inverse=True, return_counts=True, dim=1),
        compat.min(x), *compat.min(x, 1), *compat.max(x, dim=0, keepdim=True),
        compat.max(x, x * 0 + 2), compat.min(x, other=x * 0 + 2), *compat.max(x[0, 0], 0),
        compat.median(x), *compat.median(x, 1), *compat.median(x, dim=0, keepdim=True),
        compat.nanmedian(gaps), *compat.nanmedian(gaps, 1),
        *compat.slogdet(paddle.to_tensor([[1.0, 2.0], [3.0, 4.0]])),
    ]  # fmt: skip
    into = [paddle.zeros([2]), paddle.zeros([2], "int64")]
    compat.max(x, 1, out=into)
    compat.sort(x[0, :2], out=into)
    same = [compat.equal(x, x), compat.equal(x, x + 1), compat.equal(x.astype("int64"), x)]
    same += [compat.equal(gaps, gaps), compat.equal(x, x[0])]
    kinds = [type(each).__name__ for each in (compat.sort(x), compat.max(x, 0))]
    kinds += [list(compat.median(x, 0)._fields), list(compat.slogdet(x[:, :2])._fields)]
    return [[each.numpy() for each in found + into], same, kinds]


@program
def refused_by_other_names(paddle, np):
    """The kinds of errors for arguments that these functions do not take."""
    compat, x = paddle.compat, paddle.ones([2, 3])
    errors = []
    for call in (
        lambda: compat.sort(x=x), lambda: compat.split(x, 1, axis=0), lambda: compat.split(x, 0),
        lambda: compat.split(x, [-1, 3]), lambda: compat.min(x, None), lambda: compat.max(x, 0.5),
        lambda: compat.max(x, 0, True, 1), lambda: compat.median(x, out=[x]),
        lambda: compat.min(x, 1, out=x), lambda: compat.nn.functional.pad(x, [1], "wrap"),
        lambda: compat.unique(x, axis=1),
    ):  # fmt: skip
        try:
            errors.append(str(call()))
        except (AssertionError, TypeError, ValueError) as error:
            kinds = [AssertionError, TypeError, ValueError]
            errors.append(next(kind.__name__ for kind in kinds if isinstance(error, kind)))
    return errors


@program
def layers_with_other_names(paddle, np):
    """compat.nn: pooling, Unfold, Softmax, Linear, and the functions behind them."""
    nn = paddle.compat.nn
    x = leaf(paddle, np.linspace(-2.0, 3.0, 96).reshape(2, 3, 4, 4).astype("float32"))
    row = x.reshape([2, 3, 16])
    linear = nn.Linear(4, 2)
    linear.weight.set_value(np.linspace(-1.0, 1.0, 8).reshape(2, 4).astype("float32"))
    linear.bias.set_value(np.array([0.5, -0.5], "float32"))
    found = [
        nn.AvgPool1D(2)(row), nn.AvgPool1d(3, 2, 1, count_include_pad=False)(row),
        nn.AvgPool2D(2, padding=1)(x), nn.AvgPool2D(3, stride=1, divisor_override=5)(x),
        nn.AvgPool2d(3, 3, 1, True, False)(x), nn.AvgPool3D(2)(x.unsqueeze(1)),
        nn.Unfold(2, padding=1, stride=2)(x), nn.Softmax(1)(x), nn.Softmax()(row), linear(x),
        nn.functional.softmax(x, dim=-1), nn.functional.linear(x, linear.weight),
        nn.functional.unfold(x, [2, 3], dilation=[1, 1]),
    ]  # fmt: skip
    for sides, mode in (
        ([1, 2], "constant"), ([1, 0, 2, 1], "constant"), ([1, 0, 0, 1, 1, 1, 2, 0], "constant"),
        ([1, 2, 1, 0], "reflect"), ([1, 2, 1, 0], "replicate"), ([1, 2, 1, 0], "circular"),
    ):  # fmt: skip
        found.append(nn.functional.pad(x, sides, mode))
    found.append(nn.functional.pad(x[0, 0], (0, 2), value=3.0))
    sum((each * each).sum() for each in found).backward()
    names = [str(nn.AvgPool2D(2)), str(nn.AvgPool1D(2)), str(linear), str(nn.Unfold(2))]
    return [[each.numpy() for each in found], x.grad.numpy(), names]


def _attention(paddle, np, *args, **kwargs):
    attention = paddle.compat.nn.MultiheadAttention(*args, **kwargs)
    rng = np.random.RandomState(0)
    for each in attention.parameters():
        each.set_value(rng.uniform(-0.5, 0.5, each.shape).astype("float32"))
    return attention


@program
def attention_with_other_names(paddle, np):
    """compat.nn.MultiheadAttention with masks, added keys, other widths; and the function."""
    rng = np.random.RandomState(1)
    x, y, z = (
        paddle.to_tensor(rng.uniform(-1.0, 1.0, shape).astype("float32"))
        for shape in ([3, 2, 8], [5, 2, 8], [5, 2, 6])
    )
    closed = paddle.to_tensor(np.triu(np.ones([3, 5], bool), 1))
    padding = paddle.to_tensor(np.array([[0, 0, 0, 1, 1], [0] * 5], bool))
    found = []
    plain = _attention(paddle, np, 8, 2)
    found += plain(x, x, x)
    found += plain(x, y, y, key_padding_mask=padding, attn_mask=closed)
    found += plain(x, y, y, attn_mask=closed.astype("float32"), average_attn_weights=False)
    found += plain(x, x, x, is_causal=True, need_weights=False)[:1]
    found += plain(x[:, 0], y[:, 0], y[:, 0])
    more = _attention(paddle, np, 8, 4, add_bias_kv=True, add_zero_attn=True, bias=False)
    found += more(x, y, y, key_padding_mask=padding)
    wide = _attention(paddle, np, 8, 2, kdim=6, vdim=6, batch_first=True)
    found += wide(x.transpose([1, 0, 2]), *[z.transpose([1, 0, 2])] * 2)
    heads = x.reshape([3, 2, 2, 4])
    attend = paddle.compat.nn.functional.scaled_dot_product_attention
    found += [attend(heads, heads, heads), attend(heads, heads, heads, is_causal=True)]
    names = [[[n, list(p.shape)] for n, p in each.named_parameters()] for each in (plain, wide)]
    return [[each.numpy() for each in found], names]
