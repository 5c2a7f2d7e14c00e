"""Numbers divided by a constant, and then rounded: one bit decides which element is taken."""

from ..registry import program

BINS = (3, 5, 6, 7)


def _boxes(paddle, count):
    """Return the boxes of 1 to ``count`` rows and columns, each in the corner of an image."""
    ends = [[0.0, 0.0, n, n] for n in range(count)]
    return paddle.to_tensor(ends, "float32"), paddle.to_tensor([count], "int32")


@program
def bins_of_boxes(paddle, np):
    """roi_pool, roi_align and psroi_pool of boxes of every size."""
    random = np.random.RandomState(0)
    ops = paddle.vision.ops
    image = paddle.to_tensor(random.rand(1, 1, 40, 40).astype("float32"))
    channels = paddle.to_tensor(random.rand(1, 98, 40, 40).astype("float32"))
    boxes, count = _boxes(paddle, 39)
    out = {bins: ops.roi_pool(image, boxes, count, bins).numpy() for bins in BINS}
    for bins in BINS:
        out[f"align {bins}"] = ops.roi_align(image, boxes, count, bins, aligned=False).numpy()
    for scale in (1.0, 0.3):
        out[f"psroi {scale}"] = ops.psroi_pool(channels, boxes * 3.0, count, 7, scale).numpy()
    return out


@program
def largest_of_equal_elements_in_boxes(paddle, np):
    """The gradient of roi_pool where bins have equal elements, share some, or are empty."""
    random = np.random.RandomState(1)
    image = paddle.to_tensor(random.randint(0, 3, (2, 3, 9, 8)).astype("float32"))
    image.stop_gradient = False
    boxes = [[0.0, 1.0, 7.0, 8.0], [3.0, 2.0, 4.0, 9.0], [-3.0, -2.0, 5.0, 4.0], [9.0, 9, 12, 13]]
    count = paddle.to_tensor([3, 1], "int32")
    out = paddle.vision.ops.roi_pool(image, paddle.to_tensor(boxes), count, (4, 3))
    (out * paddle.arange(out.size, dtype="float32").reshape(out.shape)).sum().backward()
    return [out.numpy(), image.grad.numpy()]


@program
def counts_at_the_edges_of_bins(paddle, np):
    """histogram of numbers on the edges between its bins."""
    out = []
    for low, high in ((0, 3), (0, 7), (-1, 2), (0, 0.7), (-2.1, 0.9)):
        for bins in (3, 7, 10, 21, 30):
            edges = np.arange(bins + 1) * np.float32((high - low) / bins) + np.float32(low)
            for x in (edges.astype("float32"), np.arange(-30, 80).astype("float32") / 10):
                out.append(paddle.histogram(paddle.to_tensor(x), bins, low, high).tolist())
    return out


@program
def numbers_rounded_to_decimals(paddle, np):
    """The nearest number of each dtype to the decimal one, large ones and infinities."""
    out = []
    for dtype in ("float32", "float64"):
        numbers = np.random.RandomState(0).randint(-300000, 300000, 1000) / 1000
        x = paddle.to_tensor(np.append(numbers, [1e30, -np.inf, np.nan, 0.0]), dtype)
        for decimals in (1, 2, 3, 4, -1, -2):
            if decimals > 0 or dtype == "float64":
                out.append(paddle.round(x, decimals=decimals).numpy())
    return out


@program
def nearest_elements_by_a_factor(paddle, np):
    """interpolate in mode nearest, where a position is a whole number or almost."""
    out = []
    for size in (5, 7, 10, 13, 16, 17, 20, 33):
        image = paddle.arange(size, dtype="float32").reshape([1, 1, 1, size])
        for factor in np.arange(0.3, 4.0, 0.1).tolist():
            resized = paddle.nn.functional.interpolate(image, scale_factor=[1.0, factor])
            out.append(resized.flatten().tolist())
    return out


@program
def factors_that_keep_the_size(paddle, np):
    """An image of the size that it has is a copy, whatever the factor was."""
    image = paddle.arange(25, dtype="float32").reshape([1, 1, 5, 5]) ** 1.5
    resize = paddle.nn.functional.interpolate
    modes = ("nearest", "bilinear", "bicubic")
    return {mode: resize(image, scale_factor=1.1, mode=mode).numpy() for mode in modes}


@program
def means_of_equal_numbers(paddle, np):
    """The mean of n sevens is 7, also over windows, bins and axes."""
    F = paddle.nn.functional
    wrong = []
    for n in (7, 13, 14, 41, 47, 55, 61, 82, 107):
        for dtype in ("float32", "float64"):
            x = paddle.full([2, n], 7, dtype)
            means = x.mean(), x.mean(1), x[0].nanmean(), F.mse_loss(x, x - 7) / 7
            wrong += [(n, dtype, place) for place, mean in enumerate(means) if (mean != 7).any()]
    image, volume = paddle.full([1, 1, 29, 31], 7.0), paddle.full([1, 1, 17, 18, 19], 7.0)
    for k in range(2, 15):
        pooled = (
            F.avg_pool2d(image, k, 1, padding=k // 2),
            F.avg_pool3d(volume, k),
            F.adaptive_avg_pool2d(image, k),
            F.adaptive_avg_pool3d(volume, k),
            F.interpolate(image, size=[k, k], mode="area"),
        )
        wrong += [(k, place) for place, each in enumerate(pooled) if (each != 7).any()]
    return wrong
