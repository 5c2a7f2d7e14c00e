"""Creating tensors, and random ones by shape, dtype, range and statistics."""

from ..probe import attempt, facts
from ..registry import differs, program


@program
def filled_tensors(paddle, np):
    """zeros, ones, full and their _like forms, with dtypes."""
    x = paddle.to_tensor([[1, 2, 3]])
    made = {
        "zeros": paddle.zeros([2, 3]),
        "zeros int": paddle.zeros([2], dtype="int32"),
        "ones": paddle.ones([2], dtype=paddle.float64),
        "ones bool": paddle.ones([2], dtype="bool"),
        "full": paddle.full([2], 1),
        "full float": paddle.full([2], 2.5),
        "full int": paddle.full([2], 2.5, dtype="int64"),
        "full bool": paddle.full([1], True),
        "zeros_like": paddle.zeros_like(x),
        "ones_like": paddle.ones_like(x, dtype="float32"),
        "full_like": paddle.full_like(x, 7),
        "full_like cast": paddle.full_like(x, 2.5, dtype="float64"),
        "0-D": paddle.zeros([]),
        "empty shape": paddle.empty([2, 0]),
        "eye": paddle.eye(3),
        "eye wide": paddle.eye(2, 3, dtype="int64"),
    }
    return {text: [facts(t), t.numpy()] for text, t in made.items()}


@program
def ranges(paddle, np):
    """arange and linspace with every way of giving their bounds."""
    made = {
        "n": paddle.arange(4),
        "from to": paddle.arange(1, 5),
        "step": paddle.arange(1, 10, 3),
        "down": paddle.arange(5, 0, -2),
        "float": paddle.arange(0.0, 1.0, 0.25),
        "mixed": paddle.arange(0, 2, 0.5),
        "dtype": paddle.arange(3, dtype="float64"),
        "none": paddle.arange(3, 1),
        "linspace": paddle.linspace(0, 1, 5),
        "linspace int": paddle.linspace(0, 10, 3, dtype="int32"),
        "linspace one": paddle.linspace(2, 3, 1),
    }
    return {text: t.numpy() for text, t in made.items()}


@program
def integers_between_fractions(paddle, np):
    """For an integer dtype the bounds, the step and the base are truncated before all else."""
    one = paddle.to_tensor
    made = {
        "end": paddle.arange(5 / 2, dtype="int64"),
        "step": paddle.arange(0.5, 5, 1.5, dtype="int32"),
        "down": paddle.arange(5.5, 0.2, -1.3, dtype="int32"),
        "below 0": paddle.arange(-2.5, 2.5, 1, dtype="int64"),
        "tensors": paddle.arange(one(0.5), one(4.7), 1, dtype="int64"),
        "number of numpy": paddle.arange(np.float32(2.5), dtype="int64"),
        "range": paddle.range(0.5, 5.7, 1.5, dtype="int32"),
        "linspace": paddle.linspace(2.5, 10.0, 4, dtype="int32"),
        "linspace below 0": paddle.linspace(-2.5, 10.0, 4, dtype="int64"),
        "linspace of tensors": paddle.linspace(one(2.5), one(9.9), 3, dtype="int32"),
        "logspace": paddle.logspace(0.5, 3.7, 4, dtype="int32"),
        "base": paddle.logspace(0.5, 3.7, 4, base=2.5, dtype="int64"),
        "no step": attempt(lambda: paddle.arange(0, 3, 0.5, dtype="int64")),
    }
    return {text: t.numpy() if hasattr(t, "numpy") else t for text, t in made.items()}


def _statistics(tensor, np):
    """Returns what is the same for every good generator: shape, dtype and rounded moments."""
    values = tensor.numpy().astype("float64")
    return {
        "facts": facts(tensor),
        "mean": bool(abs(values.mean() - 0.5) < 0.05),
        "inside": bool(((values >= 0) & (values < 1)).all()),
        "varies": len(np.unique(values)) > 100,
    }


@program
def uniform_numbers(paddle, np):
    """rand and uniform: flags, range, mean."""
    paddle.seed(3)
    low = paddle.uniform([1000], min=2.0, max=3.0)
    return {
        "rand": _statistics(paddle.rand([40, 50]), np),
        "uniform": _statistics(low - 2.0, np),
        "float64": _statistics(paddle.rand([2000], dtype="float64"), np),
        "default": [float(paddle.uniform([1000]).min()) < -0.9, str(paddle.uniform([2]).dtype)],
    }


@program
def normal_numbers(paddle, np):
    """randn, normal and standard_normal: moments."""
    paddle.seed(3)
    out = {}
    for text, made, mean, spread in [
        ("randn", paddle.randn([4000]), 0.0, 1.0),
        ("normal", paddle.normal(2.0, 3.0, [4000]), 2.0, 3.0),
        ("randn 2-D", paddle.randn([50, 80]), 0.0, 1.0),
    ]:
        values = made.numpy()
        close = (
            abs(values.mean() - mean) < 0.2 * spread and abs(values.std() - spread) < 0.1 * spread
        )
        out[text] = [facts(made), bool(close)]
    return out


@program
def random_integers(paddle, np):
    """randint, randperm, bernoulli and multinomial."""
    paddle.seed(3)
    drawn = paddle.randint(2, 7, [500])
    order = paddle.randperm(50)
    coins = paddle.bernoulli(paddle.full([2000], 0.25))
    return {
        "randint": [facts(drawn), sorted(set(drawn.tolist()))],
        "randint one bound": sorted(set(paddle.randint(3, shape=[200]).tolist())),
        "randint int32": str(paddle.randint(0, 2, [3], dtype="int32").dtype),
        "randperm": [facts(order), sorted(order.tolist()) == list(range(50))],
        "bernoulli": [
            facts(coins),
            sorted(set(coins.tolist())),
            bool(abs(float(coins.mean()) - 0.25) < 0.05),
        ],
    }


@program
def seeds_repeat(paddle, np):
    """The same seed gives the same numbers, another seed others, a draw moves on."""

    def draw(seed):
        paddle.seed(seed)
        return [paddle.rand([4]).tolist(), paddle.randn([4]).tolist(), paddle.randperm(10).tolist()]

    first = draw(5)
    paddle.seed(5)
    one, two = paddle.rand([4]).tolist(), paddle.rand([4]).tolist()
    return {
        "same": first == draw(5),
        "other": first != draw(6),
        "moves": one != two,
        "first": one == first[0],
    }


@program
def default_dtype(paddle, np):
    """set_default_dtype rules creation, layers and random numbers; ints are refused."""
    out = {"refused": attempt(lambda: paddle.set_default_dtype("int32"))["error"]}
    for dtype in ("float64", "float32"):
        paddle.set_default_dtype(dtype)
        out[dtype] = [
            str(t.dtype)
            for t in (
                paddle.to_tensor(1.5),
                paddle.zeros([1]),
                paddle.rand([1]),
                paddle.full([1], 2),
                paddle.eye(1),
            )
        ]
        out[dtype].append(str(paddle.nn.Linear(1, 1).weight.dtype))
    return out


@differs(
    "Paddle takes integers that meet a float to float32, whatever the default dtype is",
    right="paddle.float64",
    paddle_gives="paddle.float32",
)
def default_dtype_in_arithmetic(paddle, np):
    """An integer tensor times a Python float has the default dtype."""
    paddle.set_default_dtype("float64")
    return str((paddle.to_tensor([1]) * 1.5).dtype)


@program
def devices(paddle, np):
    """The device by name, places and their text."""
    before = paddle.get_device()
    paddle.set_device("cpu")
    x = paddle.ones([1])
    return [
        paddle.get_device(),
        before.split(":")[0] in ("cpu", "gpu"),
        str(x.place),
        x.place == paddle.CPUPlace(),
        str(x.cpu().place),
        attempt(lambda: paddle.set_device("nothing"))["error"],
    ]


@program
def flags(paddle, np):
    """A flag that does not exist is refused by name."""
    return [
        attempt(lambda: paddle.get_flags("FLAGS_no_such"))["error"],
        attempt(lambda: paddle.set_flags({"FLAGS_no_such": 1}))["error"],
    ]
