"""Quantiles, medians, norms and sums that the reductions of every day do not cover."""

from ..probe import array, error_of, facts, leaf, pull
from ..registry import differs, program

ROWS = [[0.5, 2.0, -3.5, 7.0], [1.0, 4.0, 2.5, -0.25], [3.0, 6.0, 5.0, 9.0]]
WITH_NAN = [[1.0, float("nan"), 3.0, 5.5], [4.0, 2.0, float("nan"), float("nan")]]


def _with_gradient(paddle, np, function, rows):
    x = leaf(paddle, np.array(rows, "float32"))
    out = function(x)
    pull(paddle, np, out)
    return [out.numpy(), str(out.dtype), array(x.grad)]


@program
def quantiles(paddle, np):
    """quantile: shares, axes, kept dimensions, each interpolation, gradients, errors."""
    calls = {
        "all": lambda x: paddle.quantile(x, 0.3),
        "several": lambda x: paddle.quantile(x, [0.0, 0.4, 1.0], axis=1),
        "one in a list": lambda x: paddle.quantile(x, [0.5], axis=1, keepdim=True),
        "axes": lambda x: paddle.quantile(x, 0.5, axis=[0, 1], keepdim=True),
        "negative": lambda x: paddle.quantile(x, 0.7, axis=-2),
        "tensor": lambda x: paddle.quantile(x, paddle.to_tensor([0.5, 0.2]), axis=0),
        "names": lambda x: paddle.quantile(input=x, q=0.5, dim=0),
        **{
            kind: lambda x, kind=kind: paddle.quantile(x, [0.3, 0.5], axis=1, interpolation=kind)
            for kind in ("lower", "higher", "nearest", "midpoint")
        },
    }
    x = paddle.to_tensor(ROWS)
    return {
        **{name: _with_gradient(paddle, np, call, ROWS) for name, call in calls.items()},
        "float64": paddle.quantile(paddle.to_tensor(ROWS, dtype="float64"), 0.4).numpy(),
        "nan": paddle.quantile(paddle.to_tensor(WITH_NAN), 0.5, axis=0).numpy(),
        "0-D": paddle.quantile(paddle.to_tensor(2.0), [0.5, 0.25]).numpy(),
        "empty rows": facts(paddle.quantile(paddle.zeros([0, 3]), 0.5, axis=1)),
        "errors": [
            error_of(lambda: paddle.quantile(x, 1.5)),
            error_of(lambda: paddle.quantile(x, [])),
            error_of(lambda: paddle.quantile(x, 0.5, axis=2)),
            error_of(lambda: paddle.quantile(x, 0.5, interpolation="cubic")),
            error_of(lambda: paddle.quantile(x, "half")),
        ],
    }


@differs("nothing has no quantile, not 0", right="nan", paddle_gives="0.0")
def quantile_of_nothing(paddle, np):
    """quantile of an empty tensor."""
    return str(paddle.quantile(paddle.zeros([0]), 0.5).item())


@program
def quantiles_beside_nan(paddle, np):
    """nanquantile: axes, several shares, a line of nothing but nan, gradients."""
    calls = {
        "all": lambda x: paddle.nanquantile(x, 0.5),
        "axis": lambda x: paddle.nanquantile(x, 0.3, axis=1),
        "several": lambda x: paddle.nanquantile(x, [0.2, 0.5], axis=1, keepdim=True),
        "lower": lambda x: paddle.nanquantile(x, 0.4, axis=1, interpolation="lower"),
    }
    return {
        **{name: _with_gradient(paddle, np, call, WITH_NAN) for name, call in calls.items()},
        "only nan": paddle.nanquantile(paddle.to_tensor([float("nan")] * 2), 0.5).numpy(),
    }


@program
def medians_beside_nan(paddle, np):
    """nanmedian: axes, both modes, ties, integers, nothing but nan, empty, errors."""
    ties = [[1.0, 1.0, float("nan"), 2.0], [3.0, 1.0, 1.0, 1.0]]
    calls = {
        "all": lambda x: paddle.nanmedian(x),
        "axis": lambda x: paddle.nanmedian(x, axis=1),
        "kept": lambda x: paddle.nanmedian(x, axis=0, keepdim=True),
        "axes": lambda x: paddle.nanmedian(x, axis=[0, 1]),
        "lower": lambda x: paddle.nanmedian(x, axis=1, mode="min")[0],
        "lower of all": lambda x: paddle.nanmedian(x, mode="min"),
    }
    x = paddle.to_tensor(WITH_NAN)
    nan = leaf(paddle, [float("nan"), float("nan")])
    paddle.nanmedian(nan).backward()
    return {
        **{name: _with_gradient(paddle, np, call, WITH_NAN) for name, call in calls.items()},
        "ties": [_with_gradient(paddle, np, calls[name], ties) for name in ("all", "axis")],
        "places": paddle.nanmedian(x, axis=1, mode="min")[1].numpy(),
        "node": paddle.nanmedian(leaf(paddle, ROWS)).grad_fn.name(),
        "integers": [
            paddle.nanmedian(paddle.to_tensor(each)).numpy()
            for each in ([4, 6, 1], [1, 4], [-1, -2])
        ],
        "only nan": [paddle.nanmedian(nan).numpy(), nan.grad.numpy()],
        "empty": paddle.nanmedian(paddle.zeros([0, 3])).numpy(),
        "errors": [
            error_of(lambda: paddle.nanmedian(x, axis=2)),
            error_of(lambda: paddle.nanmedian(x, axis=[])),
            error_of(lambda: paddle.nanmedian(x, axis=[0, 0])),
            error_of(lambda: paddle.nanmedian(x, mode="max")),
        ],
    }


@program
def medians_by_other_names(paddle, np):
    """median with `input=` and `dim=`, which take the lower middle element, and with `out=`."""
    x = paddle.to_tensor(ROWS)
    out, places = paddle.zeros([1]), paddle.zeros([1], "int64")
    paddle.median(x, axis=1, out=(out, places))
    return {
        "dim": [each.numpy() for each in paddle.median(x, dim=1)],
        "input": paddle.median(input=x).numpy(),
        "avg": paddle.median(x, dim=1, mode="avg").numpy(),
        "out": [out.numpy(), str(places.dtype)],
        "no pair": error_of(lambda: paddle.median(x, out=out)),
    }


@program
def dtypes_of_medians(paddle, np):
    """median: in mode "avg" float32, unless the operand is float64."""
    found = {}
    for dtype in ("float16", "float32", "float64", "int32", "int64"):
        x = paddle.to_tensor([1.0, 2.0, 3.0, 5.0]).astype(dtype)
        modes = ("avg",) if dtype == "float16" else ("avg", "min")  # Paddle has no other kernel
        medians = [paddle.median(x, mode=mode) for mode in modes]
        found[dtype] = [[str(each.dtype), each.item()] for each in medians]
    x = leaf(paddle, [1.0, 2.0, 3.0, 5.0], "float16")
    paddle.median(x).backward()
    return {**found, "gradient": [str(x.grad.dtype), x.grad.numpy()]}


@program
def sums_of_a_shape(paddle, np):
    """reduce_as: leading and inner axes, everything, dtypes, gradients, errors."""
    out = {}
    for shape in ([4], [3, 1], [1, 1], [], [3, 4]):
        call = lambda x, shape=shape: paddle.reduce_as(x, paddle.zeros(shape))  # noqa: E731
        out[str(shape)] = _with_gradient(paddle, np, call, ROWS)
    for dtype in ("int64", "int32", "bool"):
        ones = paddle.ones([2, 3]).astype(dtype)
        out[dtype] = facts(paddle.reduce_as(ones, paddle.zeros([3]).astype(dtype)))
    out["node"] = paddle.reduce_as(leaf(paddle, ROWS), paddle.zeros([4])).grad_fn.name()
    out["error"] = error_of(lambda: paddle.reduce_as(paddle.zeros([2, 3]), paddle.zeros([2])))
    return out


@program
def renormed_slices(paddle, np):
    """renorm: several norms and axes, gradients, in place, errors."""
    calls = {
        "1": lambda x: paddle.renorm(x, 1.0, -1, 2.05),
        "2": lambda x: paddle.renorm(x, 2.0, 0, 5.0),
        "half": lambda x: paddle.renorm(x, 0.5, 1, 3.0),
    }
    x = paddle.to_tensor(ROWS)
    target = x * 1
    return {
        **{name: _with_gradient(paddle, np, call, ROWS) for name, call in calls.items()},
        "zeros": paddle.renorm(x * 0, 2.0, 0, 1.0).numpy(),
        "in place": [target.renorm_(2.0, 0, 5.0) is target, target.numpy()],
        "axis": error_of(lambda: paddle.renorm(x, 2.0, 2, 1.0)),
        "node": paddle.renorm(leaf(paddle, ROWS), 2.0, 0, 5.0).grad_fn.name(),
    }


@differs(
    "the largest element is a norm as well",
    right=[[0.5, 2.0, -2.0], [1.0, 1.0, 1.0]],
    paddle_gives=[[0.5, 2.0, -4.0], [1.0, 1.0, 2.0]],
)
def renorm_by_the_largest(paddle, np):
    """renorm with p = inf."""
    x = paddle.to_tensor([[0.5, 2.0, -4.0], [1.0, 1.0, 2.0]])
    columns = paddle.renorm(x, float("inf"), 1, 2.0)
    return [[round(each, 4) for each in row] for row in columns.tolist()]


@program
def trapezoids(paddle, np):
    """trapezoid and cumulative_trapezoid: steps, places, axes, gradients of both, errors."""
    y, x = leaf(paddle, ROWS), leaf(paddle, [1.0, 2.0, 4.0, 4.5])
    out = {}
    for name in ("trapezoid", "cumulative_trapezoid"):
        function = getattr(paddle, name)
        for each in (y, x):
            each.clear_gradient()
        result = function(y, x)
        pull(paddle, np, result)
        out[name] = {
            "x": [result.numpy(), y.grad.numpy(), x.grad.numpy()],
            "dx": function(y, dx=0.5, axis=0).numpy(),
            "plain": function(y).numpy(),
            "matrix": function(y, y).numpy(),
            "one": function(paddle.zeros([1])).numpy(),
            "both": error_of(lambda f=function: f(y, x, dx=1.0)),
            "integers": error_of(lambda f=function: f(paddle.to_tensor([1, 2]))),
        }
    return out


@program
def lower_medians_along_axes(paddle, np):
    """mode="min": positions for one axis and none for a list, rows of nan, gradients."""
    nan = float("nan")
    x = np.float64([[5.0, nan, 3.0, 7.0], [nan] * 4, [1.0, 2.0, nan, nan], [9.0, 4.0, 6.0, 8.0]])
    found = {}
    for function in ("nanmedian", "median"):
        numbers = np.arange(16.0).reshape(4, 4) / 10
        values = x if function == "nanmedian" else np.where(np.isnan(x), numbers, x)
        for axis in (0, 1, -1, None):
            for keepdim in (False, True):
                found[function, axis, keepdim] = _lower(paddle, np, function, values, axis, keepdim)
    line = np.float64([3.0, 1.0, 2.0, 4.0])
    found["line"] = [_lower(paddle, np, "nanmedian", line, each, False) for each in (0, None, [0])]
    for axis in ([0], [1], [0, 1], [-1, 0], (1,)):
        for keepdim in (False, True):
            found[str(axis), keepdim] = _lower(paddle, np, "nanmedian", x, axis, keepdim)
    return found


def _lower(paddle, np, function, values, axis, keepdim):
    """Returns what a function gives in mode "min", and the gradient."""
    x = leaf(paddle, values)
    out = getattr(paddle, function)(x, axis, keepdim, "min")
    outs = list(out) if isinstance(out, (tuple, list)) else [out]
    pull(paddle, np, outs[0])
    return [*[each.numpy() for each in outs], x.grad.numpy()]


@differs(
    "a row of nan has the position -1, and 0 when there is nothing but nan in other rows",
    right=[-1, -1],
    paddle_gives=[0, 0],
)
def positions_of_nothing_but_nan(paddle, np):
    """The same answer for a row whatever the others hold."""
    x = paddle.full([2, 3], float("nan"))
    return paddle.nanmedian(x, axis=1, mode="min")[1].tolist()
