"""Rows that move channels: pixel_shuffle, pixel_unshuffle, channel_shuffle, temporal_shift."""

import jax.numpy as jnp
import numpy as np

from jaxeager.errors import InvalidArgumentError
from jaxeager.ops.conv.geometry import channels_back, channels_first
from jaxeager.ops.register import op
from jaxeager.ops.row import DERIVED
from jaxeager.ops.rules.samples import WITH_COMPLEX, BadInput, Sample, values


def _front(x, data_format: str):
    """Return images in a channels-first layout."""
    if x.ndim != 4:
        raise ValueError(
            "Input should be a 4-D tensor of format [N, C, H, W] or [N, H, W, C], but got "
            f"{x.ndim}."
        )
    if data_format not in ("NCHW", "NHWC"):
        raise ValueError(f"data_format must be 'NCHW' or 'NHWC', but received {data_format!r}.")
    return channels_first(x, data_format)


def pixel_shuffle_forward(x, *, upscale_factor: int = 1, data_format: str = "NCHW"):
    """Return [N, C / r^2, H * r, W * r] from [N, C, H, W]: each r^2 channels become a square."""
    image, r = _front(x, data_format), upscale_factor
    batch, channels, height, width = image.shape
    if r < 1 or channels % (r * r):
        raise ValueError(
            f"The square of upscale_factor[{r * r}] should divide the number of channel[{channels}]"
        )
    squares = image.reshape(batch, channels // (r * r), r, r, height, width)
    out = squares.transpose(0, 1, 4, 2, 5, 3)
    return channels_back(
        out.reshape(batch, channels // (r * r), height * r, width * r), data_format
    )


def pixel_unshuffle_forward(x, *, downscale_factor: int = 1, data_format: str = "NCHW"):
    """Return [N, C * r^2, H / r, W / r] from [N, C, H, W]: each square becomes r^2 channels."""
    image, r = _front(x, data_format), downscale_factor
    batch, channels, height, width = image.shape
    if r < 1 or height % r or width % r:
        raise ValueError(
            f"Downscale factor[{r}] should divide both height[{height}] and width[{width}]"
        )
    squares = image.reshape(batch, channels, height // r, r, width // r, r)
    out = squares.transpose(0, 1, 3, 5, 2, 4)
    return channels_back(out.reshape(batch, channels * r * r, height // r, width // r), data_format)


def channel_shuffle_forward(x, *, groups: int = 1, data_format: str = "NCHW"):
    """Interleave the channels of the groups: the first of each, then the second of each."""
    image = _front(x, data_format)
    channels = image.shape[1]
    if groups < 1 or channels % groups:
        raise ValueError(
            f"The number of groups to divide channels in [{groups}] should divide the number of "
            f"channel [{channels}]"
        )
    order = np.arange(channels).reshape(groups, -1).T.reshape(-1)
    return channels_back(image[:, order], data_format)


def temporal_shift_forward(
    x, *, seg_num: int, shift_ratio: float = 0.25, data_format: str = "NCHW"
):
    """Move the first channels of [N * T, C, H, W] one step later, the next ones one earlier."""
    if x.ndim != 4:
        raise ValueError(
            f"Input(X) rank should be 4 in shape of [N*T, C, H, W], but received X rank({x.ndim})"
        )
    image = _front(x, data_format)
    if seg_num < 1 or image.shape[0] % seg_num:
        raise ValueError(
            "Input(X) dimension[0] should be divided exactly by Attr(seg_num), but received X "
            f"dimension[0]({image.shape[0]}) mod seg_num({seg_num}) != 0"
        )
    if not 0 < shift_ratio < 0.5:
        side = "greater than 0" if shift_ratio <= 0 else "less than 0.5"
        raise ValueError(f"Attr(shift_ratio) should be {side}, but received {shift_ratio:g}")
    channels = image.shape[1]
    clips = image.reshape(image.shape[0] // seg_num, seg_num, *image.shape[1:])
    first = int(np.float32(channels) * np.float32(shift_ratio))
    second = int(np.float32(channels) * np.float32(2 * shift_ratio))
    blank = jnp.zeros_like(clips[:, :1])
    later = jnp.concatenate([blank, clips[:, :-1]], 1)[:, :, :first]
    earlier = jnp.concatenate([clips[:, 1:], blank], 1)[:, :, first:second]
    moved = jnp.concatenate([later, earlier, clips[:, :, second:]], 2)
    return channels_back(moved.reshape(image.shape), data_format)


# ---- references


def _last_to_front(x, data_format):
    return x if data_format == "NCHW" else np.moveaxis(x, -1, 1)


def _front_to_last(x, data_format):
    return x if data_format == "NCHW" else np.moveaxis(x, 1, -1)


def pixel_shuffle_reference(x, upscale_factor=1, data_format="NCHW"):
    """Fill the image one channel at a time."""
    image, r = _last_to_front(x, data_format), upscale_factor
    batch, channels, height, width = image.shape
    out = np.zeros((batch, channels // r**2, height * r, width * r), x.dtype)
    for c, i, j in np.ndindex(channels // r**2, r, r):
        out[:, c, i::r, j::r] = image[:, c * r * r + i * r + j]
    return _front_to_last(out, data_format)


def pixel_unshuffle_reference(x, downscale_factor=1, data_format="NCHW"):
    """Read the image one channel at a time."""
    image, r = _last_to_front(x, data_format), downscale_factor
    batch, channels, height, width = image.shape
    out = np.zeros((batch, channels * r**2, height // r, width // r), x.dtype)
    for c, i, j in np.ndindex(channels, r, r):
        out[:, c * r * r + i * r + j] = image[:, c, i::r, j::r]
    return _front_to_last(out, data_format)


def channel_shuffle_reference(x, groups=1, data_format="NCHW"):
    """Copy one channel after the other."""
    image = _last_to_front(x, data_format)
    each = image.shape[1] // groups
    parts = [image[:, g * each + i] for i in range(each) for g in range(groups)]
    return _front_to_last(np.stack(parts, 1), data_format)


def temporal_shift_reference(x, seg_num, shift_ratio=0.25, data_format="NCHW"):
    """Move one channel of one frame after the other."""
    image = _last_to_front(x, data_format)
    out = np.zeros_like(image)
    channels = image.shape[1]
    first, second = int(channels * shift_ratio), int(channels * 2 * shift_ratio)
    for frame, c in np.ndindex(*image.shape[:2]):
        step = -1 if c < first else 1 if c < second else 0
        if 0 <= frame % seg_num + step < seg_num:
            out[frame, c] = image[frame + step, c]
    return _front_to_last(out, data_format)


# ---- rows


def pixel_shuffle_samples():
    """Yield both layouts."""
    yield Sample(values((2, 8, 2, 3)), upscale_factor=2)
    yield Sample(values((1, 2, 2, 9)), upscale_factor=3, data_format="NHWC")
    yield Sample(values((0, 4, 2, 2)), upscale_factor=2)


def pixel_shuffle_errors():
    """Yield channels that do not divide, too few dimensions."""
    x, bad = values((1, 6, 2, 2)), InvalidArgumentError
    yield BadInput((x,), {"upscale_factor": 2}, bad, "The square of upscale_factor[4] should")
    yield BadInput((x[0],), {"upscale_factor": 1}, bad, "Input should be a 4-D tensor of format")


def pixel_unshuffle_samples():
    """Yield both layouts."""
    yield Sample(values((2, 2, 4, 6)), downscale_factor=2)
    yield Sample(values((1, 3, 6, 2)), downscale_factor=3, data_format="NHWC")


def pixel_unshuffle_errors():
    """Yield a size that does not divide."""
    text = "Downscale factor[2] should divide both height[2] and width[3]"
    yield BadInput((values((1, 1, 2, 3)),), {"downscale_factor": 2}, InvalidArgumentError, text)


def channel_shuffle_samples():
    """Yield both layouts."""
    yield Sample(values((2, 6, 2, 2)), groups=3)
    yield Sample(values((1, 2, 2, 4)), groups=2, data_format="NHWC")


def channel_shuffle_errors():
    """Yield groups that do not divide the channels."""
    text = "The number of groups to divide channels in [4] should divide the number of channel [6]"
    yield BadInput((values((1, 6, 1, 1)),), {"groups": 4}, InvalidArgumentError, text)


def temporal_shift_samples():
    """Yield clips of several frames and of one, both layouts."""
    yield Sample(values((6, 4, 2, 1)), seg_num=3)
    yield Sample(values((2, 5, 1, 2)), seg_num=1, shift_ratio=0.4)
    yield Sample(values((4, 2, 1, 6)), seg_num=2, shift_ratio=0.3, data_format="NHWC")


def temporal_shift_errors():
    """Yield frames that do not divide, ratios out of range."""
    x, bad = values((4, 4, 1, 1)), InvalidArgumentError
    yield BadInput((x,), {"seg_num": 3}, bad, "dimension[0](4) mod seg_num(3) != 0")
    yield BadInput((x,), {"seg_num": 2, "shift_ratio": 0.5}, bad, "should be less than 0.5")
    yield BadInput((x[0],), {"seg_num": 2}, bad, "Input(X) rank should be 4")


_MOVED = {"vjp": DERIVED, "shapes": "x", "public": None, "dtypes": WITH_COMPLEX}

pixel_shuffle = op(
    "pixel_shuffle",
    pixel_shuffle_forward,
    reference=pixel_shuffle_reference,
    samples=pixel_shuffle_samples,
    errors=pixel_shuffle_errors,
    formula="dx = pixel_unshuffle(dout, upscale_factor)",
    doc="Turn groups of channels into squares of pixels; recorded by F.pixel_shuffle.",
    example="paddle.nn.functional.pixel_shuffle(paddle.ones([1, 4, 2, 2]), 2)",
    **_MOVED,
)

pixel_unshuffle = op(
    "pixel_unshuffle",
    pixel_unshuffle_forward,
    reference=pixel_unshuffle_reference,
    samples=pixel_unshuffle_samples,
    errors=pixel_unshuffle_errors,
    formula="dx = pixel_shuffle(dout, downscale_factor)",
    doc="Turn squares of pixels into channels; recorded by F.pixel_unshuffle.",
    example="paddle.nn.functional.pixel_unshuffle(paddle.ones([1, 1, 4, 4]), 2)",
    **_MOVED,
)

channel_shuffle = op(
    "channel_shuffle",
    channel_shuffle_forward,
    reference=channel_shuffle_reference,
    samples=channel_shuffle_samples,
    errors=channel_shuffle_errors,
    formula="dx = dout, put back where x was read",
    doc="Take the channels of groups in turn; recorded by F.channel_shuffle.",
    example="paddle.nn.functional.channel_shuffle(paddle.ones([1, 4, 1, 1]), 2)",
    **_MOVED,
)

temporal_shift = op(
    "temporal_shift",
    temporal_shift_forward,
    reference=temporal_shift_reference,
    samples=temporal_shift_samples,
    errors=temporal_shift_errors,
    formula="dx = dout, put back where x was read",
    doc="Move some channels of frames a step in time; recorded by F.temporal_shift.",
    example="paddle.nn.functional.temporal_shift(paddle.ones([2, 4, 1, 1]), 2)",
    **_MOVED,
)
