"""Programs that compute with sizes, in their usual form, which ``jit.save`` must support.

``test_open_arithmetic.py`` saves each with open sizes, loads it, and compares it with the function
itself. A program has the shapes of its inputs (None is open), and, for each try, the sizes that
fill them in, in their order.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, NamedTuple

import jaxeager as paddle
from jaxeager.nn import functional as F


class Program(NamedTuple):
    """A function, the shapes of its inputs, and the sizes to try it with."""

    function: Callable
    shapes: list[list]
    tries: list[tuple]
    dtypes: list[str]


PROGRAMS: dict[str, Program] = {}
TWO = [(2, 6), (3, 7), (1, 12)]
IMAGES = [(2, 8, 8), (1, 13, 10), (3, 21, 15)]


def program(*shapes: list, tries: list[tuple] = TWO, dtypes: list[str] | None = None) -> Any:
    """Return a decorator that registers a program."""

    def note(function: Callable) -> Callable:
        kinds = dtypes or ["float32"] * len(shapes)
        PROGRAMS[function.__name__] = Program(function, list(shapes), tries, kinds)
        return function

    return note


# ---- slices


@program([None, None])
def all_but_the_last(x):
    return x[:, : x.shape[1] - 1]


@program([None, None])
def first_half(x):
    n = x.shape[1]
    return x[:, : n // 2], x[:, n // 2 :]


@program([None, None], tries=[(2, 8), (3, 4), (1, 12)])
def even_parts(x):
    return paddle.tensor_split(x, 4, 1)


@program([None, None])
def cut_at_positions(x):
    return paddle.tensor_split(x, [2, -3], 1) + paddle.vsplit(x, [1])


@program([None], [None], tries=[(2, 6), (3, 3), (1, 12)])
def pairs_of_two_vectors(x, y):
    return paddle.cartesian_prod([x, y])


@program([None, None])
def without_ends(x):
    return x[:, 1:-1] * 2 + x[:, 2:] - x[:, :-2]


@program([None, None])
def every_second(x):
    n = x.shape[1]
    return x[:, 1::2], x[:, ::-1], x[:, n - 2 :], x[:, -3:], x[:, :3], x[:, ::-2], x[:, -2:0:-1]


@program([None, None])
def one_place(x):
    n = x.shape[1]
    return x[:, n - 1], x[:, n // 2], x[:, 2], x[-1], x[:, -2]


@program([None, None])
def written_by_size(x):
    n = x.shape[1]
    y = x.clone()
    y[:, : n // 2] = 1.0
    y[:, n - 1] = x[:, 0]
    y[:, 1:-1] += 2.0
    return y


@program([None, None])
def split_off_the_first(x):
    first, rest = x.split([1, -1], axis=1)
    return first, rest * 2


@program([None, None], tries=[(2, 6), (3, 8), (1, 12)])
def split_in_halves(x):
    n = x.shape[1]
    a, b = paddle.split(x, [n // 2, n - n // 2], axis=1)
    c, d = paddle.chunk(x, 2, axis=1)
    return a * 2, b, c - d


@program([None, None])
def crop(x):
    n = x.shape[1]
    return paddle.slice(x, [1], [1], [n - 1]), paddle.crop(x, [x.shape[0], n - 2], [0, 1])


@program([None, 3, None, None], tries=IMAGES)
def centre_crop(x):
    h, w = x.shape[2:]
    top, left = (h - 6) // 2, (w - 6) // 2
    return x[:, :, top : top + 6, left : left + 6]


# ---- numbers of sizes


@program([None, None])
def scaled_by_root(x):
    n = x.shape[1]
    return x / n**0.5


@program([None, None])
def divided_by_size(x):
    n = x.shape[1]
    return x * (n / 2), x.sum(1) / n, x * (1.0 / n), x - n * 0.5, (x * n).sum() / x.numel()


@program([None, None])
def float_of_size(x):
    return x / float(x.shape[1])


@program([None, None])
def root_by_math(x):
    return x / math.sqrt(x.shape[1])


@program([None, None])
def half_as_int(x):
    return x[:, : int(x.shape[1] / 2)]


@program([None, None])
def linspace_of_size(x):
    n = x.shape[1]
    return x * paddle.linspace(0, 1, n)


@program([None, None])
def positions(x):
    n = x.shape[1]
    where = paddle.arange(n, dtype="float32").unsqueeze(1)
    rate = paddle.exp(paddle.arange(0, 8, 2, dtype="float32") * (-math.log(10000.0) / 8))
    table = paddle.concat([paddle.sin(where * rate), paddle.cos(where * rate)], axis=-1)
    return x.unsqueeze(-1) + table


@program([None, None])
def new_tensors(x):
    b, n = x.shape
    return (
        paddle.zeros([b, n + 1]),
        paddle.full([n * 2], 3.0) + x.mean(),
        paddle.ones([b, n // 2, 2]),
        paddle.arange(0, 2 * n, 2),
        paddle.arange(n - 1, -1, -1),
        paddle.arange(n * 1.0) + x.sum(),
        paddle.eye(n),
        paddle.full_like(x, n),
    )


@program([None, None])
def sizes_as_tensors(x):
    shape = paddle.shape(x)
    return x / shape[1].astype("float32"), paddle.zeros([shape[0], shape[1] - 1]) + x[:, 1:]


@program([None, None])
def sizes_as_values(x):
    b, n = x.shape
    y = x.clone()
    y[:, 0] = n
    last = x[paddle.arange(b), n - 1]
    return y, paddle.to_tensor([b, n]), paddle.clip(x * 9, 0, n), last, paddle.to_tensor(x.shape)


@program([None, None])
def reshaped_by_shape_op(x):
    shape = paddle.shape(x)
    return x.reshape([shape[0], 1, shape[1]]), paddle.zeros(shape) + x


@program([None, None])
def sizes_joined(x):
    shape = paddle.shape(x)
    column = paddle.concat([shape[1:], paddle.to_tensor([1]), shape[:1]])
    doubled = paddle.cast(paddle.stack([shape[0] * 2, shape[1]]), "int32")
    return (
        x.reshape(column),
        paddle.zeros(doubled),
        x.reshape(paddle.concat((shape, paddle.to_tensor([1, 1])))),
    )


@program([None, None])
def sizes_written(x):
    shape = paddle.shape(x)
    shape[1] = 1
    base, whole = paddle.shape(x), paddle.shape(x)
    part = base[:1]
    part[0] = 7
    whole[0] = 2.5
    other = paddle.to_tensor([3, 4])
    other[0] = x.shape[1]
    other[1] = x.shape[0]
    return paddle.ones(shape), x.reshape(other), other * 2, base * 1, part * 1, whole[0] * 10


@program([None, None])
def row_by_row(x):
    total = paddle.zeros([x.shape[1]])
    for r in x:
        total = total + r
    return total


# ---- shapes


@program([None, None])
def reshaped(x):
    b, n = x.shape
    return (
        x.reshape([b * n]),
        x.reshape([-1, 1, n]),
        x.unsqueeze(1).expand([b, 3, n]),
        x.tile([1, 2]).reshape([b, 2, n]),
        x.unsqueeze(-1).expand([-1, -1, 2]).reshape([b, n * 2]),
        x.flatten().reshape([b, -1]),
        paddle.broadcast_to(x.unsqueeze(0), [2, b, n]),
    )


@program([None, None], tries=[(2, 6), (3, 8), (1, 12)])
def pairs_of_an_even_size(x):
    b, n = x.shape
    return x.reshape([b, n // 2, 2]).sum(-1), x[:, ::2] + x[:, 1::2]


@program([None, None])
def joined(x):
    b, n = x.shape
    return (
        paddle.concat([x, paddle.zeros([b, 2])], 1),
        paddle.stack([x, x * 2], 2).flatten(1),
        paddle.concat([x[:, 1:], x[:, :1]], 1) - x.roll(-1, 1),
        x.roll(x.shape[1] // 2, 1),
        x.flip(1),
        x.repeat_interleave(2, 1),
        paddle.concat([x[:, n // 2 :], x[:, : n // 2]], 1) + x,
    )


@program([None, None], [None, None], tries=[(2, 3, 4, 5), (3, 3, 1, 1), (1, 6, 2, 8)])
def grids(x, y):
    i, j = paddle.meshgrid(
        paddle.arange(x.shape[1], dtype="float32"), paddle.arange(y.shape[1], dtype="float32")
    )
    return i * y.shape[1] + j + x.mean() + y.mean()


@program([None, None], [None, None], tries=[(2, 3, 2, 3), (3, 4, 3, 4), (1, 6, 1, 6)])
def equal_sizes(x, y):
    assert x.shape[1] == y.shape[1]
    return x + y, paddle.concat([x, y], 1), x @ y.t()


@program([None, None])
def masks(x):
    n = x.shape[1]
    ones = paddle.ones([n, n])
    mask = paddle.tril(ones)
    ahead = paddle.triu(paddle.full([n, n], -1e4), 1)
    keep = paddle.arange(n).unsqueeze(0) < paddle.full([x.shape[0], 1], n // 2, "int64")
    return x @ mask, x.unsqueeze(1) + ahead, paddle.where(keep, x, paddle.zeros_like(x))


@program([None, None])
def sorting(x):
    n = x.shape[1]
    values, places = x.topk(2)
    most, _ = x.topk(n // 2)
    return values, places, most, x.sort(-1), x.argsort(-1, descending=True), x.cumsum(1)


@program([None, None])
def gathering(x):
    b, n = x.shape
    back = paddle.arange(n - 1, -1, -1)
    rows = paddle.arange(b).unsqueeze(1)
    return (
        paddle.gather(x, back, axis=1),
        x[rows, back.unsqueeze(0)],
        x.index_select(back, axis=1),
        x[:, back],
        paddle.take_along_axis(x, x.argmax(1, keepdim=True), axis=1),
        F.one_hot(x.argmax(1), 16),
        F.one_hot(x.argmax(1), n),
        paddle.gather_nd(x, paddle.stack([paddle.arange(b), paddle.full([b], n - 1, "int64")], 1)),
    )


@program([None, None])
def statistics(x):
    n = x.shape[1]
    y = x.unsqueeze(-1)
    return (
        x.mean(1), x.var(1), x.std(0) if False else x.std(1), x.max(1), x.median(1), x.norm(2, 1),
        F.softmax(x, 1), F.normalize(x, axis=1), x.logsumexp(1), x.cumprod(1),
        (x - x.mean(1, keepdim=True)) / (x.var(1, keepdim=True) + 1e-5).sqrt(),
        F.layer_norm(y.expand([-1, -1, 4]), [4]), x.sum() / (n * x.shape[0]), x.diff(axis=1),
    )  # fmt: skip


@program([None, None, 8], tries=TWO)
def attention(x):
    b, n, c = x.shape
    q = k = v = x.reshape([b, n, 2, c // 2])
    mask = paddle.tril(paddle.ones([n, n], "bool"))
    scores = paddle.einsum("bnhd,bmhd->bhnm", q, k) / (c // 2) ** 0.5
    scores = paddle.where(mask, scores, paddle.full_like(scores, -1e9))
    mine = paddle.einsum("bhnm,bmhd->bnhd", F.softmax(scores, -1), v).reshape([b, n, c])
    theirs = F.scaled_dot_product_attention(q, k, v, is_causal=True).reshape([b, n, c])
    return mine, theirs


@program([None, None, 4], [None, None, 4], tries=[(2, 3, 2, 5), (1, 6, 1, 2), (3, 4, 3, 4)])
def cross_attention(x, y):
    scores = paddle.matmul(x, y, transpose_y=True) * (y.shape[-1] ** -0.5)
    return F.softmax(scores, -1) @ y


# ---- images


@program([None, 3, None, None], tries=IMAGES)
def twice_as_large(x):
    return (
        F.interpolate(x, scale_factor=2),
        F.interpolate(x, scale_factor=2, mode="bilinear"),
        F.interpolate(x, scale_factor=[2, 3], mode="bicubic", align_corners=True),
        F.upsample(x, scale_factor=0.5, mode="bilinear", align_corners=True),
    )


@program([None, 3, None, None], tries=IMAGES)
def as_large_as_the_input(x):
    y = F.avg_pool2d(x, 2)
    size = x.shape[2:]
    return (
        F.interpolate(y, size=size),
        F.interpolate(y, size=size, mode="bilinear"),
        F.interpolate(y, size=x.shape[2:], mode="bilinear", align_corners=True) - x,
        F.interpolate(y, size=size, mode="bicubic"),
        F.interpolate(y, size=[x.shape[2] * 2, x.shape[3] + 1], mode="area"),
        F.interpolate(y, size=[12, 12], mode="bilinear"),
    )


@program([None, 3, None, None], tries=IMAGES)
def adaptive_pools(x):
    return (
        F.adaptive_avg_pool2d(x, 3),
        F.adaptive_max_pool2d(x, [2, 3]),
        F.adaptive_avg_pool2d(x, 1),
        F.adaptive_avg_pool2d(x, [None, 1]),
        F.adaptive_avg_pool1d(x[:, :, 0], 4),
    )


@program([None, 3, None, None], tries=IMAGES)
def padded(x):
    return (
        F.pad(x, [1, 1, 2, 2], mode="reflect"),
        F.pad(x, [1, 0, 2, 1], mode="replicate"),
        F.pad(x, [2, 1, 0, 1], mode="circular"),
        F.pad(x, [1, 2, 3, 4], value=1.5),
        F.pad(x, [0, 32 - x.shape[3], 0, 32 - x.shape[2]]),
    )


@program([None, 4, None, None], tries=IMAGES)
def windows(x):
    b, c, h, w = x.shape
    down, right = (7 - h % 7) % 7, (7 - w % 7) % 7
    y = F.pad(x, [0, right, 0, down])
    hp, wp = h + down, w + right
    y = y.reshape([b, c, hp // 7, 7, wp // 7, 7]).transpose([0, 2, 4, 3, 5, 1])
    y = y.reshape([-1, 49, c])
    y = y - y.mean(1, keepdim=True)
    y = y.reshape([b, hp // 7, wp // 7, 7, 7, c]).transpose([0, 5, 1, 3, 2, 4])
    return y.reshape([b, c, hp, wp])[:, :, :h, :w]


@program([None, 3, None, None], tries=IMAGES)
def padded_by_ceil(x):
    h, w = x.shape[2:]
    big_h, big_w = math.ceil(h / 4) * 4, -(-w // 4) * 4
    y = F.pad(x, [0, big_w - w, 0, big_h - h])
    return F.pixel_unshuffle(y, 4), F.max_pool2d(y, 2).shape[2] - big_h // 2 + x.sum()


@program([None, 3, None, None], [None, 8, 8, 2], tries=[(2, 8, 8, 2), (1, 13, 10, 1), (3, 4, 5, 3)])
def sampled(x, grid):
    return (
        F.grid_sample(x, grid),
        F.grid_sample(x, grid, mode="nearest", padding_mode="border", align_corners=False),
        F.grid_sample(x, grid, padding_mode="reflection"),
    )


@program([None, 3, None, None], tries=IMAGES)
def sampled_everywhere(x):
    b, _, h, w = x.shape
    theta = paddle.to_tensor([[[1.0, 0.1, 0.0], [0.0, 0.9, 0.1]]]).expand([b, 2, 3])
    grid = F.affine_grid(theta, [b, 3, h, w])
    ys = paddle.linspace(-1, 1, h)
    xs = paddle.linspace(-1, 1, w)
    j, i = paddle.meshgrid(ys, xs)
    own = paddle.stack([i, j], -1).unsqueeze(0).expand([b, h, w, 2])
    return F.grid_sample(x, grid), F.grid_sample(x, own * 0.5)


@program([None, 3, None, None], tries=IMAGES)
def pools_and_convolutions(x):
    w3 = paddle.ones([5, 3, 3, 3]) * 0.1
    up = paddle.ones([3, 2, 4, 4]) * 0.1
    y = F.conv2d(x, w3, padding="SAME", stride=2)
    return (
        y,
        F.conv2d(x, w3, padding="VALID"),
        F.conv2d(x, w3, padding=2, dilation=2),
        F.conv2d_transpose(x, up, stride=2, padding=1),
        F.conv2d_transpose(y, paddle.ones([5, 1, 3, 3]), stride=2, output_size=x.shape[2:])
        if False
        else F.avg_pool2d(x, 3, stride=2, padding=1, ceil_mode=True),
        F.max_pool2d(x, 3, stride=2, ceil_mode=True),
        F.avg_pool2d(x, 2, exclusive=False, padding=1),
        F.unfold(x, 3),
        F.pixel_shuffle(F.conv2d(x, paddle.ones([8, 3, 1, 1])), 2),
        F.local_response_norm(x, 3),
        F.instance_norm(x),
        F.group_norm(F.conv2d(x, paddle.ones([4, 3, 1, 1])), 2) if hasattr(F, "group_norm") else x,
    )


@program([None, 3, None, None], tries=IMAGES)
def folded(x):
    h, w = x.shape[2:]
    columns = F.unfold(x, 3, paddings=1)
    return F.fold(columns, [h, w], 3, paddings=1)


@program([None, None, 4], tries=TWO)
def sequences(x):
    y = x.transpose([0, 2, 1])
    return (
        F.avg_pool1d(y, 2),
        F.max_pool1d(F.pad(y, [1, 1]), 3, 1),
        F.conv1d(y, paddle.ones([3, 4, 3]), padding=1),
        F.interpolate(y, scale_factor=2, mode="linear", data_format="NCW"),
        F.interpolate(y, size=[x.shape[1] * 2], mode="linear", data_format="NCW"),
        F.glu(x),
    )
