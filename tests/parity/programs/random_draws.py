"""Random tensors: what can be compared when the numbers differ: facts, gradients, sure draws."""

from ..probe import array, attempt, facts, leaf, refuses
from ..registry import program


def _written(paddle, call):
    """Returns the facts of a tensor that was overwritten, and the gradient of its old value."""
    x = leaf(paddle, [[0.5, 0.25, 0.75], [0.1, 0.2, 0.3]])
    y = x * 1.0
    before = y.inplace_version
    out = call(y)
    seen = [out is y, facts(y), y.inplace_version > before]
    (y * y).sum().backward()
    return [*seen, array(x.grad)]


@program
def random_overwrites(paddle, np):
    """bernoulli_, cauchy_, geometric_, random_ and the others: nodes, gradients of 0."""
    one = paddle.to_tensor([0.5, 0.25, 1.0])
    return {
        "bernoulli_": _written(paddle, lambda y: y.bernoulli_(0.3)),
        "bernoulli_ of a tensor": _written(paddle, lambda y: y.bernoulli_(one)),
        "cauchy_": _written(paddle, lambda y: y.cauchy_(loc=1, scale=2)),
        "geometric_": _written(paddle, lambda y: y.geometric_(0.5)),
        "random_": _written(paddle, lambda y: y.random_(0, 9)),
        "normal_": _written(paddle, lambda y: y.normal_()),
        "uniform_": _written(paddle, lambda y: y.uniform_()),
        "log_normal_": _written(paddle, lambda y: y.log_normal_()),
    }


@program
def random_sure_draws(paddle, np):
    """Draws that can give one value only."""
    x = paddle.zeros([2, 3])
    ends = paddle.to_tensor([0.0, 1.0, 1.0])
    return {
        "bernoulli_ 0": array(x.clone().bernoulli_(0.0)),
        "bernoulli_ 1": array(x.clone().bernoulli_(1.0)),
        "bernoulli_ of a tensor": array(x.clone().bernoulli_(ends)),
        "cauchy_": array(x.clone().cauchy_(loc=3.0, scale=0.0)),
        "geometric_": array(x.clone().geometric_(1.0)),
        "random_": array(x.clone().random_(7, 8)),
        "random_ of one": array(x.clone().random_(1)),
        "random_ below 0": array(x.clone().astype("int64").random_(-4, -3)),
        "binomial": array(paddle.binomial(paddle.to_tensor([4, 5]), paddle.to_tensor([0.0, 1.0]))),
        "paddle.bernoulli_": array(paddle.bernoulli_(x.clone(), 1.0)),
        "paddle.cauchy_": array(paddle.cauchy_(x.clone(), 2, 0)),
        "paddle.geometric_": array(paddle.geometric_(x.clone(), 1.0)),
    }


@program
def random_dtypes(paddle, np):
    """Which dtype and shape comes out, and that no gradient is recorded."""
    out = {}
    for dtype in ("float32", "float64"):
        x = leaf(paddle, np.full([2, 3], 2.0), dtype)
        out[f"gamma {dtype}"] = facts(paddle.standard_gamma(x))
        count = paddle.full([2, 1], 10).astype(dtype)
        out[f"binomial {dtype}"] = facts(paddle.binomial(count, x / 4))
    out["0-D"] = facts(paddle.standard_gamma(paddle.to_tensor(2.0)))
    out["no gamma"] = array(paddle.standard_gamma(paddle.zeros([0, 2])))
    out["no binomial"] = array(paddle.binomial(paddle.zeros([0]).astype("int64"), paddle.ones([0])))
    for name in ("cauchy_", "bernoulli_"):
        out[name] = [
            str(getattr(paddle.zeros([2], d), name)().dtype) for d in ("float32", "float64")
        ]
    for dtype in ("float16", "bfloat16", "float32", "float64", "int32", "int64"):
        out[f"random_ {dtype}"] = str(paddle.zeros([2], dtype).random_().dtype)
        out[f"in range {dtype}"] = bool((paddle.zeros([9], dtype).random_() >= 0).all())
    return out


@program
def random_refused(paddle, np):
    """Empty ranges, leaves that want a gradient, shapes that do not broadcast."""
    x = paddle.zeros([2, 3])
    leaves = {
        name: refuses(lambda name=name, given=given: getattr(leaf(paddle, [0.5]), name)(*given))
        for name, given in (("bernoulli_", ()), ("cauchy_", ()), ("geometric_", (0.5,)),
                            ("random_", ()))
    }  # fmt: skip
    return leaves | {
        "random_": attempt(lambda: x.random_(5, 5))["error"],
        "random_ backwards": attempt(lambda: x.random_(5, 3))["error"],
        "random_ float": attempt(lambda: x.random_(0.5, 3.5))["error"],
        "binomial": attempt(lambda: paddle.binomial(x, paddle.ones([2])))["error"],
    }
