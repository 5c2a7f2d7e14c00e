"""Arithmetic, comparison and logic, with tensors and Python scalars on either side."""

from ..probe import graph, leaf, pull, refuses
from ..registry import ANYTHING, differs, program


def _pair(np, seed=0):
    r = np.random.default_rng(seed)
    return r.uniform(0.5, 2.0, (2, 3)).astype("float32"), r.uniform(0.5, 2.0, (2, 3)).astype(
        "float32"
    )


@program
def binary_functions(paddle, np):
    """Values and both gradients of the elementwise functions of two tensors."""
    a, b = _pair(np)
    out = {}
    for (
        name
    ) in "add subtract multiply divide pow maximum minimum remainder fmax fmin atan2".split():
        x, y = leaf(paddle, a), leaf(paddle, b)
        z = getattr(paddle, name)(x, y)
        pull(paddle, np, z)
        out[name] = [z.numpy(), x.grad.numpy(), y.grad.numpy(), z.grad_fn.name()]
    return out


@program
def broadcasting(paddle, np):
    """Gradients are summed back over every kind of broadcast."""
    r = np.random.default_rng(1)
    shapes = {
        "row": ((2, 3), (3,)),
        "column": ((2, 3), (2, 1)),
        "both": ((2, 1), (1, 3)),
        "0-D": ((2, 3), ()),
        "grow": ((3,), (4, 2, 3)),
        "one": ((2, 3), (1,)),
        "empty": ((0, 3), (1, 3)),
    }
    out = {}
    for case, (one, other) in shapes.items():
        x = leaf(paddle, r.uniform(1, 2, one).astype("float32"))
        y = leaf(paddle, r.uniform(1, 2, other).astype("float32"))
        pull(paddle, np, x + y, x * y, x / y, x - y)
        out[case] = [list((x * y).shape), x.grad.numpy(), y.grad.numpy()]
    return out


@program
def scalars_on_either_side(paddle, np):
    """Which op an expression with a Python scalar records, its value and its gradient."""
    expressions = {
        "x + 1": lambda x: x + 1,
        "1 + x": lambda x: 1 + x,
        "x - 2": lambda x: x - 2,
        "2 - x": lambda x: 2 - x,
        "x * 2": lambda x: x * 2,
        "2 * x": lambda x: 2 * x,
        "x * 2.5": lambda x: x * 2.5,
        "x * True": lambda x: x * True,
        "x / 2": lambda x: x / 2,
        "2 / x": lambda x: 2 / x,
        "x ** 2": lambda x: x**2,
        "2 ** x": lambda x: 2**x,
        "x ** 0.5": lambda x: x**0.5,
        "x % 2": lambda x: x % 2,
        "5 % x": lambda x: 5 % x,
        "-x": lambda x: -x,
        "abs(x)": lambda x: abs(x),
        "+ numpy scalar": lambda x: x + np.float64(2),
        "+ numpy array": lambda x: x + np.float32([1.0, 2.0, 3.0]),
        "x + 0-D": lambda x: x + paddle.to_tensor(2.0),
        "x * 0-D": lambda x: x * paddle.to_tensor(2.0),
    }
    out = {}
    for text, expression in expressions.items():
        x = leaf(paddle, np.float32([0.5, 1.5, 3.0]))
        y = expression(x)
        pull(paddle, np, y)
        out[text] = [graph(y), str(y.dtype), y.numpy(), x.grad.numpy()]
    return out


@program
def integer_arithmetic(paddle, np):
    """Integers: floor division, remainder and powers with signs, true division gives float32."""
    x = paddle.to_tensor([7, -7, 7, -7, 0])
    y = paddle.to_tensor([3, 3, -3, -3, 2])
    results = {
        "+": x + y,
        "-": x - y,
        "*": x * y,
        "/": x / y,
        "//": x // y,
        "%": x % y,
        "**": x ** paddle.to_tensor([2, 3, 0, 1, 5]),
        "x / 2": x / 2,
        "x // 2": x // 2,
        "x % 2": x % 2,
        "2 - x": 2 - x,
        "x ** 2": x**2,
        "x * 1.5": x * 1.5,
        "-x": -x,
        "abs": abs(x),
        "floor_divide": paddle.floor_divide(x, y),
        "mod": paddle.mod(x, y),
        "maximum": paddle.maximum(x, y),
        "minimum": paddle.minimum(x, y),
    }
    return {text: result.numpy() for text, result in results.items()}


@program
def negative_powers_of_integers(paddle, np):
    """They are rounded towards zero: 1 and -1 have some, other bases give 0."""
    out = {}
    for dtype in ("int32", "int64"):
        base = paddle.to_tensor([-3, -2, -1, 0, 1, 2, 3], dtype=dtype)
        power = paddle.to_tensor([-2, -1, -3, 2, -2, -31, 3], dtype=dtype)
        found = [paddle.pow(base, power), base**power, 3**power, (-1) ** power]
        out[dtype] = [each.numpy() for each in found]
    return out


@program
def float_division_family(paddle, np):
    """// and % of floats, with signs, and their gradients."""
    a, b = np.float32([5.5, -5.5, 5.5, -5.5]), np.float32([2.0, 2.0, -2.0, -2.0])
    x, y = leaf(paddle, a), leaf(paddle, b)
    rest = x % y
    rest.sum().backward()
    floored = paddle.to_tensor(a) // paddle.to_tensor(b)
    return {
        "%": rest.numpy(),
        "dx": x.grad.numpy(),
        "dy": y.grad.numpy(),
        "//": floored.numpy(),
        "// has no gradient": (x // y).stop_gradient,
        "scalar %": (x % 2).numpy(),
        "scalar //": (x // 2).numpy(),
    }


@program
def comparisons(paddle, np):
    """Comparison operators and functions, with tensors and scalars."""
    x = paddle.to_tensor([1.0, 2.0, 3.0])
    y = paddle.to_tensor([3.0, 2.0, 1.0])
    out = {
        "<": x < y,
        "<=": x <= y,
        ">": x > y,
        ">=": x >= y,
        "==": x == y,
        "!=": x != y,
        "scalar": x > 2,
        "reflected": x < 2,
        "int": paddle.to_tensor([1, 2]) == 2,
        "equal": paddle.equal(x, y),
        "not_equal": paddle.not_equal(x, y),
        "less_than": paddle.less_than(x, y),
        "greater_equal": paddle.greater_equal(x, y),
        "equal_all": paddle.equal_all(x, x),
        "allclose": paddle.allclose(x, x + 1e-9),
        "isclose": paddle.isclose(x, y),
        "broadcast": x.reshape([3, 1]) < y,
    }
    return {text: result.numpy() for text, result in out.items()}


@program
def logic(paddle, np):
    """Logical and bitwise operators, any and all, tests for nan and inf."""
    a, b = paddle.to_tensor([True, True, False]), paddle.to_tensor([True, False, False])
    i, j = paddle.to_tensor([12, 10, 7]), paddle.to_tensor([10, 3, 0])
    f = paddle.to_tensor([1.0, float("nan"), float("inf")])
    out = {
        "and": paddle.logical_and(a, b),
        "or": paddle.logical_or(a, b),
        "xor": paddle.logical_xor(a, b),
        "not": paddle.logical_not(a),
        "of ints": paddle.logical_and(i, j),
        "&": a & b,
        "|": a | b,
        "^": a ^ b,
        "~": ~a,
        "int &": i & j,
        "int |": i | j,
        "int ^": i ^ j,
        "int ~": ~i,
        "any": paddle.any(a),
        "all": paddle.all(a),
        "all axis": paddle.all(paddle.stack([a, b]), axis=1),
        "isnan": paddle.isnan(f),
        "isinf": paddle.isinf(f),
        "isfinite": paddle.isfinite(f),
    }
    return {text: result.numpy() for text, result in out.items()}


@program
def no_augmented_assignment_in_place(paddle, np):
    """x += y makes a new tensor; the old one and its gradient stay."""
    x = leaf(paddle, [1.0, 2.0])
    y = x * 2
    old = y
    y += 1
    y *= x
    y.sum().backward()
    return [old.numpy(), y.numpy(), x.grad.numpy(), old.inplace_version, y is old]


@program
def bad_operands(paddle, np):
    """Shapes that do not broadcast and operands of a wrong kind are errors of Paddle's classes."""
    x = paddle.ones([2, 3])
    return {
        "add": refuses(lambda: x + paddle.ones([2])),
        "multiply": refuses(lambda: x * paddle.ones([3, 2])),
        "matmul": refuses(lambda: paddle.matmul(x, x)),
        "compare": refuses(lambda: x < paddle.ones([4])),
        "list": refuses(lambda: x.__add__([1, 2])),
    }


@program
def complex_arithmetic(paddle, np):
    """Values and (conjugated) gradients of complex arithmetic."""
    r = np.random.default_rng(3)
    a = r.normal(size=3) + 1j * r.normal(size=3)
    b = r.normal(size=3) + 1j * r.normal(size=3)
    seed = r.normal(size=3) + 1j * r.normal(size=3)
    ops = {
        "+": lambda x, y: x + y,
        "-": lambda x, y: x - y,
        "*": lambda x, y: x * y,
        "/": lambda x, y: x / y,
        "matmul": lambda x, y: paddle.matmul(x.reshape([3, 1]), y.reshape([1, 3])).sum(axis=0),
        "sin": lambda x, y: paddle.sin(x) * y,
    }
    out = {}
    for text, op in ops.items():
        x, y = leaf(paddle, a), leaf(paddle, b)
        z = op(x, y)
        z.backward(paddle.to_tensor(seed))
        out[text] = [z.numpy(), x.grad.numpy(), y.grad.numpy()]
    return out


@program
def complex_meets_real(paddle, np):
    """A real leaf in complex arithmetic is cast, and its gradient is real."""
    x = leaf(paddle, np.float32([1.0, 2.0]))
    z = leaf(paddle, np.complex64([1 + 2j, -1j]))
    y = x * z
    y.backward(paddle.to_tensor(np.complex64([1 + 1j, 2.0])))
    scaled = leaf(paddle, np.float32([1.0]))
    w = scaled * (1 + 2j)
    return {
        "value": y.numpy(),
        "real gradient": x.grad.numpy(),
        "complex gradient": z.grad.numpy(),
        "graph": graph(y),
        "scalar": [w.numpy(), graph(w)],
        "abs": paddle.abs(z).numpy(),
    }


class _Tracked:
    """A class of a user's that answers to operators at the right of a tensor."""

    def __init__(self, inner):
        self.inner = inner

    def __radd__(self, other):
        return "radd", (other + self.inner).tolist()

    def __rsub__(self, other):
        return "rsub", (other - self.inner).tolist()

    def __rmul__(self, other):
        return "rmul", (other * self.inner).tolist()

    def __rfloordiv__(self, other):
        return "rfloordiv", (other // self.inner).tolist()

    def __rmod__(self, other):
        return "rmod", (other % self.inner).tolist()

    def __rpow__(self, other):
        return "rpow", (other**self.inner).tolist()

    def __rmatmul__(self, other):
        return "rmatmul", (other @ self.inner).tolist()


@program
def objects_at_the_right_of_operators(paddle, np):
    """A class that has the reflected method is asked; what is no array compares as different."""
    x, object_ = paddle.to_tensor([2.0, 3.0]), _Tracked(paddle.to_tensor([5.0, 2.0]))
    found = [x + object_, x - object_, x * object_, x // object_, x % object_, x**object_]
    found += [x @ object_, x == object_, x != object_, x == [2.0, 3.0], x != {}, x == object()]
    y = x
    y += object_
    return [*found, y]


@differs(
    "a class with __rtruediv__ or __gt__ at the right of a tensor is refused",
    right=["rtruediv", "gt"],
    paddle_gives=["TypeError", "TypeError"],
)
def other_objects_at_the_right_of_operators(paddle, np):
    """All reflected methods are asked."""

    class Quotient:
        def __rtruediv__(self, other):
            return "rtruediv"

        def __gt__(self, other):
            return "gt"

    x = paddle.to_tensor([2.0])

    def answer(call):
        try:
            return call()
        except TypeError:
            return "TypeError"

    return [answer(lambda: x / Quotient()), answer(lambda: x < Quotient())]


@differs(
    "Paddle squares integers in their dtype, where the squares overflow",
    right=50000.0,
    paddle_gives=ANYTHING,
)
def hypot_of_integers(paddle, np):
    """Of 50000 and 0 in int32."""
    size, none = (paddle.to_tensor([each], dtype="int32") for each in (50000, 0))
    return paddle.hypot(size, none).item()


@program
def tensors_compared_with_texts(paddle, np):
    """A tensor is unequal to a text element by element; to other objects it is just unequal."""
    import operator

    found = {}
    for array in (np.ones((2, 3), "float32"), np.array(5), np.ones((0, 2)), np.array([True])):
        x = paddle.to_tensor(array)
        for compare in (operator.eq, operator.ne):
            results = [compare(x, "a").numpy(), compare("a", x).numpy()]
            found[f"{compare.__name__} {array.dtype} {array.shape}"] = results
    x = paddle.to_tensor([1.0, 2.0])
    others = ([1.0, 2.0], (1.0,), {}, b"a", None)
    return found, [(x == other, x != other) for other in others]


@differs(
    "Paddle takes a text for the number that it starts with, and for 0 if there is none.",
    right=[[False, False]] * 2,
    paddle_gives=[[True, False], [False, True]],
)
def zeros_compared_with_texts(paddle, np):
    x = paddle.to_tensor([0.0, 1.0])
    return [(x == "a").tolist(), (x == "1").tolist()]
