"""Type promotion: which dtypes meet, what comes out, what is refused."""

from ..probe import attempt, graph, leaf, refuses
from ..registry import program

REAL = "bool uint8 int8 int16 int32 int64 float16 bfloat16 float32 float64".split()
# Paddle 3.3.1 has no CPU kernel for these in arithmetic, so results in them cannot be asked for.
SHORT = ("float16", "bfloat16")


def _outcome(call):
    """Returns the dtype of a call's result, or the class of its error."""
    answer = attempt(call)
    return answer["error"] if isinstance(answer, dict) else str(answer.dtype)


def _table(paddle, op, shapes, dtypes):
    out = {}
    for one in dtypes:
        for other in dtypes:
            x = paddle.ones(shapes[0], dtype=one)
            y = paddle.ones(shapes[1], dtype=other)
            out[f"{one} {other}"] = _outcome(lambda x=x, y=y: op(x, y))
    return out


def _long(dtypes):
    return [d for d in dtypes if d not in SHORT]


@program
def vectors_times_vectors(paddle, np):
    """add of two vectors over all pairs of dtypes."""
    return _table(paddle, lambda x, y: x + y, ([2], [2]), [*_long(REAL), "complex64", "complex128"])


@program
def vectors_times_scalars_of_rank_zero(paddle, np):
    """add of a vector and a 0-D tensor over all pairs of dtypes."""
    return _table(paddle, lambda x, y: x + y, ([2], []), _long(REAL))


@program
def rank_zero_times_vectors(paddle, np):
    """add of a 0-D tensor and a vector over all pairs of dtypes."""
    return _table(paddle, lambda x, y: x + y, ([], [2]), _long(REAL))


@program
def two_of_rank_zero(paddle, np):
    """add of two 0-D tensors over all pairs of dtypes."""
    return _table(paddle, lambda x, y: x + y, ([], []), _long(REAL))


@program
def other_binary_ops_promote(paddle, np):
    """The rules of other operators, and the strict ones of maximum and where."""
    some = ["int32", "int64", "float32", "float64"]
    ops = {
        "+": lambda x, y: x + y,
        "-": lambda x, y: x - y,
        "/": lambda x, y: x / y,
        "<": lambda x, y: x < y,
        "==": lambda x, y: x == y,
        "maximum": paddle.maximum,
        "where": lambda x, y: paddle.where(paddle.to_tensor([True, False]), x, y),
    }
    out = {}
    for text, op in ops.items():
        out[text] = _table(paddle, op, ([2], [2]), some)
    return out


@program
def scalars_with_every_dtype(paddle, np):
    """The dtype of a vector of each dtype with a Python bool, int, float and complex."""
    out = {}
    for dtype in _long(REAL):
        x = paddle.ones([2], dtype=dtype)
        for scalar in (2, 2.5, 1j):
            for text, op in {
                "+": lambda x, s: x + s,
                "*": lambda x, s: x * s,
                "r-": lambda x, s: s - x,
                "/": lambda x, s: x / s,
            }.items():
                out[f"{dtype} {text} {scalar}"] = _outcome(lambda x=x, s=scalar, op=op: op(x, s))
    return out


@program
def short_floats_with_scalars(paddle, np):
    """float16 and bfloat16 stay what they are beside Python numbers."""
    out = {}
    for dtype in SHORT:
        x = paddle.to_tensor([1.0, 2.0], dtype=dtype)
        out[dtype] = [str((x * 2.5).dtype), str((x + 1).dtype), (x * 2.5).astype("float32").numpy()]
    return out


@program
def texts_of_refused_promotion(paddle, np):
    """The error texts of pairs that do not promote."""
    i, f = paddle.to_tensor([1, 2]), paddle.to_tensor([1.0, 2.0])
    return {
        "int * float": attempt(lambda: i * f),
        "float * int": attempt(lambda: f * i),
        "int32 + int64": attempt(lambda: i.astype("int32") + i),
        "bool * float": attempt(lambda: (f > 1) * f),
        "maximum": attempt(lambda: paddle.maximum(i, f)),
    }


@program
def no_promotion_in_matmul_and_concat(paddle, np):
    """matmul and concat take operands of one dtype only."""
    x, y = paddle.ones([2, 2]), paddle.ones([2, 2], dtype="float64")
    return {
        "matmul": refuses(lambda: paddle.matmul(x, y))["error"],
        "concat": attempt(lambda: paddle.concat([x, y]))["error"],
    }


@program
def gradients_through_promotion(paddle, np):
    """The cast that promotion inserts is recorded, and each gradient has its leaf's dtype."""
    cases = {
        "f4 f8": (np.float32([1.0, 2.0]), np.float64([3.0, 4.0])),
        "f8 f4": (np.float64([1.0, 2.0]), np.float32([3.0, 4.0])),
        "f4 0-D f8": (np.float32([1.0, 2.0]), np.array(3.0)),
        "0-D f8 f4": (np.array(3.0), np.float32([1.0, 2.0])),
        "f4 c8": (np.float32([1.0, 2.0]), np.complex128([1j, 2.0])),
    }
    out = {}
    for text, (a, b) in cases.items():
        x, y = leaf(paddle, a), leaf(paddle, b)
        z = x * y
        z.backward()
        out[text] = [graph(z), z.numpy(), x.grad.numpy(), y.grad.numpy()]
    return out


@program
def integers_in_float_functions(paddle, np):
    """sin, sqrt, exp and their like take integers as float32; sum and mean keep to integers."""
    x = paddle.to_tensor([1, 2, 3])
    out = {}
    for name in "sin cos sqrt exp log tanh sigmoid abs square".split():
        y = (
            getattr(paddle, name)(x)
            if hasattr(paddle, name)
            else getattr(paddle.nn.functional, name)(x)
        )
        out[name] = y.numpy()
    out["sum int32"] = paddle.sum(x.astype("int32")).numpy()
    out["sum bool"] = paddle.sum(x > 1).numpy()
    out["sum int64"] = x.sum().numpy()
    out["mean"] = x.mean().numpy()
    out["max"] = x.max().numpy()
    out["prod"] = x.prod().numpy()
    out["cumsum"] = x.cumsum().numpy()
    return out
