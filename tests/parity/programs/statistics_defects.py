"""Statistics that Paddle gets wrong: far from zero, of integers, beside nan and infinity."""

from ..probe import leaf
from ..registry import differs, program

NAN, INF = float("nan"), float("inf")
FAR = 3.4028234663852886e38  # the largest float32


@program
def logarithm_of_a_sum_of_nothing(paddle, np):
    """logsumexp over axes without elements is log(0), and its gradient has no elements either."""
    x = leaf(paddle, np.zeros((3, 0)))
    out = paddle.logsumexp(x, axis=1)
    out.sum().backward()
    both = [paddle.logsumexp(x, axis).numpy() for axis in (None, [0, 1], 0)]
    kept = paddle.logsumexp(x, axis=1, keepdim=True).numpy()
    return [out.numpy(), kept, x.grad.numpy(), *both]


@differs(
    "Paddle takes one side of the products off the mean; rounding times the mean stays",
    right=[[[2.3333, 4.0], [4.0, 16.0]], [[2.25, 5.0], [5.0, 20.0]]],
    paddle_gives=[[[3.0784, 4.7451], [4.0, 16.0]], [[3.1813, 5.9313], [5.0, 20.0]]],
)
def covariances_far_from_zero(paddle, np):
    """Those of the numbers without the 10 ** 8 that is added to all of them."""
    x = paddle.to_tensor(np.array([[1.0, 2.0, 4.0], [3.0, -1.0, 7.0]]) + 1e8)
    weights = paddle.to_tensor(np.array([1.0, 2.0, 2.0]))
    found = paddle.linalg.cov(x), paddle.linalg.cov(x, aweights=weights)
    return [np.round(each.numpy(), 4).tolist() for each in found]


@differs(
    "one side of Paddle's products is not off the mean, so the matrix is not even symmetric",
    right=[[1.0, 0.6547], [0.6547, 1.0]],
    paddle_gives=[[1.0, 0.6761], [0.57, 1.0]],
)
def correlations_far_from_zero(paddle, np):
    """Those of the numbers without the 10 ** 8."""
    x = paddle.to_tensor(np.array([[1.0, 2.0, 4.0], [3.0, -1.0, 7.0]]) + 1e8)
    return np.round(paddle.linalg.corrcoef(x).numpy(), 4).tolist()


@differs(
    "Paddle looks for the position of a number that is not nan; max and min there are nan",
    right=[1, 1],
    paddle_gives=[2, 3],
)
def positions_of_the_extremes_beside_nan(paddle, np):
    """argmax and argmin name a nan, as NumPy's do: it is what max and min give."""
    x = paddle.to_tensor([1.0, NAN, 3.0, 0.0])
    return [paddle.argmax(x).item(), paddle.argmin(x).item()]


@differs(
    "Paddle rounds the variance of integers down to one",
    right=[2.3333, 1.5275],
    paddle_gives=[2.0, 1.4142],
)
def variances_of_integers(paddle, np):
    """7 / 3 and its root."""
    x = paddle.to_tensor([1, 2, 4])
    return [round(float(paddle.var(x)), 4), round(float(paddle.std(x)), 4)]


@differs(
    "Paddle rounds the place between two integers down before it looks what is there",
    right=[[1.5, 6.5], [2.0, 9.0]],
    paddle_gives=[[1.0, 4.0], [1.0, 4.0]],
)
def quantiles_between_integers(paddle, np):
    """The middle of 1 and 2 is not 1, and the higher of them neither."""
    x = paddle.to_tensor([[1, 2], [4, 9]])
    found = [paddle.quantile(x, 0.5, 1, interpolation=each) for each in ("midpoint", "higher")]
    return [each.astype("float32").tolist() for each in found]


@differs(
    "Paddle subtracts infinity from infinity, and starts from the lowest number",
    right=[[0.0, INF, INF], [NAN, NAN], INF],
    paddle_gives=[[0.0, INF, NAN], [-FAR, -FAR], NAN],
)
def logarithms_of_sums_of_infinities(paddle, np):
    """A sum with inf in it is inf, one with nan is nan."""
    running = [paddle.logcumsumexp(paddle.to_tensor(each)) for each in ([0.0, INF, INF], [NAN] * 2)]
    sum_of_two = paddle.logsumexp(paddle.to_tensor([INF, INF, 0.0]))
    return [*[each.tolist() for each in running], sum_of_two.item()]


@differs(
    "Paddle shares the gradient of nan among elements that nanquantile leaves out",
    right=[[0.0, 0.0, 0.0], [0.5, 0.0, 0.5]],
    paddle_gives=[[0.5, 0.0, 0.5], [0.5, 0.0, 0.5]],
)
def gradient_of_the_quantile_of_nothing_but_nan(paddle, np):
    """It depends on none of them; nanmedian along an axis has 0 there as well."""
    x = leaf(paddle, np.array([[NAN, NAN, NAN], [1.0, NAN, 2.0]]))
    paddle.nanquantile(x, 0.5, axis=1).sum().backward()
    return x.grad.tolist()


@differs(
    "Paddle takes one row of labels for the first sample, and lets the others cost nothing",
    right=[0.75, 0.75, 0.0],
    paddle_gives=[0.75, 0.0, 0.0],
)
def margins_of_one_row_of_labels(paddle, np):
    """What the row costs, spread out."""
    x = paddle.to_tensor([[0.0, 0.5], [0.0, 0.5], [1.0, 0.0]])
    label = paddle.to_tensor([[0, -1]])
    return paddle.nn.functional.multi_label_margin_loss(x, label, "none").tolist()


@differs(
    "Paddle adds gradients of an embedding and what goes to one index up in 16 bits on a CPU",
    right=[4096.0] * 6,
    paddle_gives=[256.0, 256.0, 256.0, 2048.0, 2048.0, 2048.0],
)
def sixteen_bit_sums(paddle, np):
    """4,096 ones: where bfloat16 stops at 256 and float16 at 2,048."""
    place = paddle.zeros([4096], dtype="int64")

    def ones(dtype):
        return paddle.ones([4096], dtype=dtype)

    def gradient(function, shape, dtype):
        w = paddle.ones(shape, dtype=dtype)
        w.stop_gradient = False
        function(w).sum().backward()
        return w.grad

    def embedded(w):
        return paddle.nn.functional.embedding(place, w)

    put = paddle.index_put(paddle.zeros([1], "bfloat16"), (place,), ones("bfloat16"), True)
    rows = ones("float16").reshape([4096, 1])
    found = [
        gradient(embedded, [1, 1], "bfloat16"),
        gradient(lambda w: paddle.gather(w, place), [1], "bfloat16"),
        put,
        gradient(embedded, [1, 1], "float16"),
        paddle.index_add(paddle.zeros([1], "float16"), place, 0, ones("float16")),
        paddle.geometric.segment_sum(rows, place.astype("int32")),
    ]
    return [float(each.astype("float32").sum()) for each in found]
