"""The further names of parameters that Paddle 3.3.1 takes: `input=`, `other=`, `dim=`, `out=`."""

from ..probe import error_of, facts, leaf
from ..registry import differs, program

UNARY = (
    "abs ceil clip cos cosh cumprod exp expm1 floor frac isfinite isinf isnan log log10 log1p log2 "
    "logical_not nonzero round rsqrt sigmoid sign sin sinh sqrt tanh"
).split()
BINARY = (
    "add divide equal floor_divide greater_equal greater_than isclose less_equal less_than "
    "logical_and logical_or logical_xor maximum minimum multiply not_equal remainder subtract "
    "eq ne lt le gt ge greater less mod floor_mod sub mul div"
).split()
REDUCTIONS = "all amax amin any logsumexp mean sum prod var argmax argmin cumsum diff".split()


def _values(result):
    results = result if isinstance(result, (tuple, list)) else [result]
    return [[str(each.dtype), each.numpy()] for each in results]


@program
def names_of_operands(paddle, np):
    """`input=` and `other=` of elementwise functions, as functions and as methods."""
    x, y = paddle.to_tensor([[1.25, 2.5], [3.5, 1.0]]), paddle.to_tensor([[1.0, 2.5], [2.0, 4.0]])
    out = {}
    for name in UNARY:
        more = {"dim": 0} if name == "cumprod" else {"min": 1.5} if name == "clip" else {}
        out[name] = _values(getattr(paddle, name)(input=x, **more))
    for name in BINARY:
        out[name] = _values(getattr(paddle, name)(input=x, other=y))
        out[f"Tensor.{name}"] = _values(getattr(x, name)(other=y))
    for name in ("add_", "divide_", "multiply_", "subtract_"):
        out[name] = _values(getattr(x.clone(), name)(other=y))
    out["pow"] = _values(paddle.pow(input=x, exponent=2.0))
    out["outer"] = _values(paddle.outer(input=x[0], vec2=y[0]))
    out["where"] = _values(paddle.where(x > 2, input=x, other=y))
    out["matmul"] = _values(paddle.matmul(input=x, other=y))
    out["masked_select"] = _values(paddle.masked_select(input=x, mask=x > 2))
    return out


@program
def names_of_axes(paddle, np):
    """`dim=` of reductions and of functions along an axis."""
    x = paddle.to_tensor([[1.25, 2.5, 0.5], [3.5, 1.0, 0.25]])
    out = {}
    for name in REDUCTIONS:
        operand = x > 1 if name in ("all", "any") else x
        out[name] = _values(getattr(paddle, name)(input=operand, dim=1))
        out[f"Tensor.{name}"] = _values(getattr(operand, name)(dim=0))
    out["argmax kept"] = _values(paddle.argmax(x, dim=1, keepdims=True))
    out["argsort"] = _values(paddle.argsort(input=x, dim=0))
    out["topk"] = _values(paddle.topk(input=x, k=2, dim=1))
    out["unique"] = _values(paddle.unique_consecutive(input=x, dim=0))
    out["bucketize"] = _values(paddle.bucketize(input=x, boundaries=paddle.to_tensor([1.0, 2.0])))
    line = paddle.to_tensor([1.0, 2.5, 3.0])
    sorter = paddle.to_tensor([2, 0, 1])
    out["searchsorted"] = [
        paddle.searchsorted(line, input=x, side="right").numpy(),
        paddle.searchsorted(line, x, right=True, side="left").numpy(),
        paddle.searchsorted(paddle.to_tensor([2.5, 3.0, 1.0]), x, sorter=sorter).numpy(),
    ]
    out["mean"] = [facts(paddle.mean(x, dtype="float64")), facts(paddle.mean(line, dtype="int64"))]
    out["mean of integers"] = paddle.mean(paddle.to_tensor([1, 2]), dtype="float32").numpy()
    functional = paddle.nn.functional
    out["glu"] = _values(functional.glu(input=x[:, :2], dim=1))
    out["shrunk"] = _values(functional.softshrink(input=x, lambd=1.0))
    out["hard"] = _values(functional.hardshrink(input=x, lambd=1.0))
    return out


@program
def results_in_out(paddle, np):
    """`out=` takes the result: value, dtype, shape and history; views are written through."""
    x = leaf(paddle, [[1.25, 2.5], [3.5, 1.0]])
    over_rows = [name for name in REDUCTIONS if name not in ("all", "any", "prod", "var")]
    calls = {
        "abs": lambda out: paddle.abs(x, out=out),
        "exp": lambda out: x.exp(out=out),
        "add": lambda out: paddle.add(x, x, out=out),
        "less": lambda out: paddle.less(x, x, out=out),
        "prod": lambda out: paddle.prod(x, 0, False, None, out),
        **{
            name: lambda out, name=name: getattr(paddle, name)(x, dim=0, out=out)
            for name in over_rows
        },
    }
    found = {}
    for name, call in calls.items():
        out = paddle.zeros([5])
        returned = call(out)
        found[name] = [facts(out), out.numpy(), returned.numpy()]
    pair = paddle.zeros([1]), paddle.zeros([1], "int64")
    paddle.topk(x, 1, out=pair)
    found["topk"] = [each.numpy() for each in pair]
    base = paddle.zeros([3, 2])
    paddle.add(x.detach()[0], x.detach()[1], out=base[1])
    found["view"] = base.numpy()
    out = paddle.zeros([2, 2])
    paddle.square(paddle.abs(x, out=out)).sum().backward()
    found["gradient"] = x.grad.numpy()
    return found


@differs(
    "writing into `out` overwrites what backward saved of it, which is an error",
    right="RuntimeError",
    paddle_gives="no error",
)
def out_overwrites_what_was_saved(paddle, np):
    """A factor of a product is given as `out` before backward."""
    x = leaf(paddle, [1.0, 2.0])
    factor = paddle.to_tensor([3.0, 4.0])
    z = x * factor
    paddle.abs(x, out=factor)
    return error_of(lambda: z.sum().backward())


@differs(
    "operations on bits have an `out` as well, and it takes the result",
    right=[[4, 2], [4, 2], [16, 4]],
    paddle_gives=[[0, 0], [0, 0], [0, 0]],
)
def bits_in_out(paddle, np):
    """`out` of bitwise functions, by position and by name."""
    x, y = paddle.to_tensor([4, 2]), paddle.to_tensor([6, 3])
    outs = [paddle.zeros([2], "int64") for _ in range(3)]
    paddle.bitwise_and(x, y, outs[0])
    paddle.bitwise_and(x, y, out=outs[1])
    paddle.bitwise_left_shift(x, paddle.to_tensor([2, 1]), True, outs[2])
    return [out.tolist() for out in outs]


@program
def wrong_names(paddle, np):
    """Names that are unknown or given twice, and operands that are missing."""
    x = paddle.to_tensor([[1.0, 2.0], [3.0, 4.0]])
    return [
        error_of(lambda: paddle.add(x, x, tensor=x)),
        error_of(lambda: paddle.add(x, y=x, other=x)),
        error_of(lambda: paddle.add(x)),
        error_of(lambda: paddle.square(input=x)),
        error_of(lambda: paddle.softmax(x, axis=0)),
    ]


@program
def softmax_of_other_libraries(paddle, np):
    """paddle.softmax and Tensor.softmax have `input` and `dim`; so has paddle.special."""
    out = []
    for shape in ([3], [2, 3], [2, 2, 2], [2, 2, 2, 2]):
        x = paddle.to_tensor(np.linspace(-1.0, 2.0, int(np.prod(shape))).reshape(shape) ** 2)
        out += [paddle.softmax(x).numpy(), x.softmax(-1).numpy()]
    x = paddle.to_tensor([[1.0, 2.0], [3.0, 5.0]])
    target = paddle.zeros([1])
    paddle.softmax(x, 0, out=target)
    out += [paddle.softmax(input=x, dim=0, dtype="float64").numpy(), target.numpy()]
    special = paddle.special
    return [
        *out,
        special.softmax(x, 0).numpy(),
        special.expm1(x).numpy(),
        special.logsumexp(x, 1).numpy(),
    ]
