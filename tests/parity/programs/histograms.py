"""Histograms, bin counts and membership."""

from ..probe import error_of, facts
from ..registry import differs, program


@program
def counted_numbers(paddle, np):
    """bincount: lengths, weights of each dtype, empty, errors."""
    x = paddle.to_tensor([4, 1, 1, 0])
    weights = paddle.to_tensor([0.5, 1.0, 2.0, 0.25])
    empty = paddle.zeros([0], "int64")
    return {
        "plain": [facts(paddle.bincount(x)), paddle.bincount(x).numpy()],
        "longer": paddle.bincount(x, minlength=8).numpy(),
        "weights": [
            [facts(each), each.numpy()]
            for each in (
                paddle.bincount(x, weights=weights),
                paddle.bincount(x, weights=weights.astype("float64")),
                paddle.bincount(x, weights=paddle.to_tensor([1, 2, 3, 4])),
                x.bincount(weights, 6),
            )
        ],
        "int32": facts(paddle.bincount(x.astype("int32"))),
        "empty": [paddle.bincount(empty).numpy(), paddle.bincount(empty, minlength=3).numpy()],
        "errors": [
            error_of(lambda: paddle.bincount(weights)),
            error_of(lambda: paddle.bincount(paddle.to_tensor([-1, 2]))),
            error_of(lambda: paddle.bincount(x, weights=paddle.ones([3]))),
            error_of(lambda: paddle.bincount(paddle.zeros([2, 2], "int64"))),
            error_of(lambda: paddle.bincount(x, minlength=-1)),
        ],
    }


@program
def histograms_of_one_dimension(paddle, np):
    """histogram and histogram_bin_edges: ends, weights, density, integers, one value, errors."""
    x = paddle.to_tensor([1.0, 2.0, 1.0, 5.0])
    whole = paddle.to_tensor([4, 1, 1, 0])
    weights = paddle.to_tensor([0.5, 1.0, 2.0, 0.25])
    same = paddle.to_tensor([2.0, 2.0])
    counts = [
        paddle.histogram(x),
        paddle.histogram(x, bins=4),
        paddle.histogram(x, bins=4, min=0, max=3),
        paddle.histogram(x, bins=4, min=1, max=1),
        paddle.histogram(whole, bins=4),
        paddle.histogram(whole, bins=4, min=0, max=3),
        paddle.histogram(whole, bins=3, density=True),
        paddle.histogram(x, bins=4, density=True),
        paddle.histogram(x, bins=4, weight=weights),
        paddle.histogram(x, bins=4, weight=weights, density=True),
        paddle.histogram(x.astype("float64"), bins=2, density=True),
        paddle.histogram(x.reshape([2, 2]), bins=3),
        paddle.histogram(same, bins=4),
    ]
    edges = [
        paddle.histogram_bin_edges(x, bins=4),
        paddle.histogram_bin_edges(x, bins=4, min=0, max=3),
        paddle.histogram_bin_edges(whole, bins=4),
        paddle.histogram_bin_edges(same, bins=4),
        paddle.histogram_bin_edges(x.astype("float64"), bins=2),
    ]
    return {
        "counts": [[str(each.dtype), each.numpy()] for each in counts],
        "edges": [[str(each.dtype), each.numpy()] for each in edges],
        "errors": [
            error_of(lambda: paddle.histogram(x, bins=4, min=5, max=1)),
            error_of(lambda: paddle.histogram(x, bins=0)),
            error_of(lambda: paddle.histogram_bin_edges(x, bins=4, min=5, max=1)),
        ],
    }


@differs(
    "a histogram holds counts, also of nothing",
    right="int64",
    paddle_gives="float32",
)
def histogram_of_nothing(paddle, np):
    """The dtype of the histogram of an empty tensor."""
    return str(paddle.histogram(paddle.zeros([0]), bins=4).dtype).rpartition(".")[2]


@program
def histograms_of_points(paddle, np):
    """histogramdd: bins, ranges, weights, density, errors."""
    x = paddle.to_tensor([[0.5, 2.0, -3.5], [1.0, 4.0, 2.5], [0.75, 2.5, 0.0]])
    weights = paddle.to_tensor([0.5, 2.0, 1.0])
    calls = {
        "bins": {"bins": [2, 3, 1]},
        "ranges": {"bins": 2, "ranges": [0.0, 1.0, 0.0, 4.0, -4.0, 4.0]},
        "outside": {"bins": 2, "ranges": [0.0, 0.75, 0.0, 3.0, -4.0, 4.0]},
        "density": {"bins": 2, "density": True},
        "weights": {"bins": 2, "weights": weights},
        "both": {"bins": 2, "weights": weights, "density": True},
    }
    out = {}
    for name, arguments in calls.items():
        counts, edges = paddle.histogramdd(x, **arguments)
        out[name] = [str(counts.dtype), counts.numpy(), [each.numpy() for each in edges]]
    out["errors"] = [
        error_of(lambda: paddle.histogramdd(x, bins=paddle.to_tensor([0.0, 1.0, 2.0]))),
    ]
    return out


@differs(
    "edges of integers lie between them, and a bin has a width",
    right=[[1.0, 2.5, 4.0], [0.0, 0.5, 1.0], [-0.5, 0.0, 0.5]],
    paddle_gives=[[1, 2, 4], [0, 0, 1], [0.0, 0.0, 0.0]],
)
def edges_of_points(paddle, np):
    """The edges of histogramdd for integers, and for points that agree."""
    _, edges = paddle.histogramdd(paddle.to_tensor([[4, 1], [1, 0]]), bins=2)
    _, same = paddle.histogramdd(paddle.zeros([3, 2]), bins=2)
    return [*(each.tolist() for each in edges), same[0].tolist()]


@program
def members(paddle, np):
    """isin: shapes, invert, nan, empty, further names, errors."""
    x, whole = paddle.to_tensor([[1.0, 2.0], [float("nan"), 5.0]]), paddle.to_tensor([4, 1, 1, 0])
    test = paddle.to_tensor([1.0, float("nan"), 5.0])
    return {
        "plain": paddle.isin(x, test).numpy(),
        "two floats": paddle.isin(x.astype("float32"), test.astype("float64")).numpy(),
        "matrix": paddle.isin(x, test.reshape([3, 1])).numpy(),
        "invert": x.isin(test, invert=True).numpy(),
        "unique": paddle.isin(whole, paddle.to_tensor([0, 7]), assume_unique=True).numpy(),
        "0-D": paddle.isin(paddle.to_tensor(5.0), test).numpy(),
        "empty": [
            paddle.isin(x, paddle.zeros([0])).numpy(), paddle.isin(paddle.zeros([0]), x).numpy()
        ],
        "names": paddle.isin(elements=x, test_elements=test).numpy(),
    }  # fmt: skip
