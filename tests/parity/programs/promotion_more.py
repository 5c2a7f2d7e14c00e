"""More of promotion: casts in the graph, and the dtype in which each gradient comes back."""

from ..probe import attempt, grads, graph, leaf
from ..registry import differs, program

LONG = ("float32", "float64")


def dtypes(*tensors):
    """The names of the tensors' dtypes, None for None."""
    return [None if t is None else str(t.dtype).removeprefix("paddle.") for t in tensors]


def told(out, *leaves):
    """Graph and dtype of a result, and the gradients of its sum."""
    out.sum().backward()
    return [graph(out), *dtypes(out, *[x.grad for x in leaves]), *grads(*leaves)]


@program
def casts_to_every_dtype(paddle, np):
    """cast from and to each floating and complex dtype: node, dtype, gradient."""
    names = ["float16", "bfloat16", "float32", "float64", "complex64", "complex128"]
    out = {}
    for one in names:
        for other in names:
            if one == other or (one in names[:2] and other in names[4:]):
                continue
            x = leaf(paddle, np.float32([1.5, -2.0])).astype(one).detach()
            x.stop_gradient = False
            y = x.astype(other)
            seed = paddle.to_tensor(np.float32([2.0, 3.0])).astype(other)
            y.backward(seed)
            wide = "complex128" if one.startswith("complex") else "float32"
            out[f"{one} {other}"] = [graph(y), *dtypes(y, x.grad), x.grad.astype(wide).numpy()]
    return out


@program
def casts_to_integers_and_back(paddle, np):
    """A cast to an integer or bool ends the gradient; what it is cast back to has none of it."""
    out = {}
    for name in ("int32", "int64", "bool", "uint8"):
        x = leaf(paddle, np.float32([1.5, 2.5]))
        y = x.astype(name)
        z = y.astype("float32")
        out[name] = [*dtypes(y, z), y.stop_gradient, graph(y), graph(z), z.numpy()]
    return out


@program
def a_cast_to_the_same_dtype(paddle, np):
    """Whether astype and cast to the dtype a tensor has are recorded."""
    x = leaf(paddle, np.float32([1.0, 2.0]))
    y, z = x.astype("float32"), paddle.cast(x, "float32")
    return [graph(y * 1.0), graph(z * 1.0), y is x, y.numpy()]


@program
def casts_in_place(paddle, np):
    """cast_ changes the dtype of the tensor itself; the gradient of the leaf keeps its own."""
    x = leaf(paddle, np.float32([1.0, 2.0]))
    y = x * 3.0
    z = y.cast_("float64")
    (y * y).sum().backward()
    return [z is y, *dtypes(y, x.grad), graph(y), y.inplace_version, x.grad.numpy()]


@program
def chains_of_mixed_dtypes(paddle, np):
    """float32, float64 and float32 again along one chain, with a leaf of each used twice."""
    x, y = leaf(paddle, np.float32([1.0, 2.0])), leaf(paddle, np.float64([3.0, 4.0]))
    out = ((x * y + x).astype("float32") - x) * y
    return told(out, x, y)


@program
def broadcast_and_promoted(paddle, np):
    """A gradient is summed over broadcast dimensions and then has its leaf's dtype."""
    out = {}
    for text in ("+", "-", "*", "/"):
        x = leaf(paddle, np.float32([[1.0], [2.0]]))
        y = leaf(paddle, np.float64([[3.0, 4.0, 5.0]]))
        z = {"+": x + y, "-": x - y, "*": x * y, "/": x / y}[text]
        out[text] = told(z, x, y)
    return out


@program
def rank_zero_leaves_of_another_dtype(paddle, np):
    """A 0-D leaf gives way to the vector beside it, and its gradient is 0-D in its own dtype."""
    out = {}
    for one in LONG:
        for other in LONG:
            x = leaf(paddle, np.array(2.0, one))
            y = leaf(paddle, np.array([1.0, 3.0], other))
            out[f"{one} {other}"] = [told(x * y, x, y), list(x.grad.shape)]
    return out


@program
def one_tensor_twice_through_two_dtypes(paddle, np):
    """A leaf used as it is and as a cast of itself collects both gradients in its dtype."""
    x = leaf(paddle, np.float32([1.0, 2.0]))
    return told(x * x.astype("float64") + x, x)


@program
def comparisons_of_mixed_dtypes(paddle, np):
    """Comparisons promote too; their result has no gradient."""
    x, y = leaf(paddle, np.float32([1.0, 2.0])), leaf(paddle, np.float64([1.0, 3.0]))
    found = [x == y, x < y, x >= y, x != y]
    return [[t.numpy() for t in found], [t.stop_gradient for t in found]]


@program
def functions_that_promote(paddle, np):
    """Two-operand functions by name: dtype, graph, gradient dtypes."""
    out = {}
    for name in "add subtract multiply divide pow maximum minimum fmax fmin atan2".split():
        x, y = leaf(paddle, np.float32([1.0, 2.0])), leaf(paddle, np.float64([1.5, 3.0]))
        function = getattr(paddle, name)
        out[name] = attempt(lambda f=function, x=x, y=y: told(f(x, y), x, y))
    return out


@program
def complex_times_real_leaves(paddle, np):
    """Real leaves beside complex ones keep real gradients, in their own dtype."""
    out = {}
    for one in LONG:
        for other in ("complex64", "complex128"):
            x = leaf(paddle, np.array([1.0, 2.0], one))
            z = leaf(paddle, np.array([1 + 2j, 3 - 1j], other))
            y = x * z
            y.backward(paddle.ones_like(y))
            out[f"{one} {other}"] = [graph(y), *dtypes(y, x.grad, z.grad), *grads(x, z)]
    return out


@program
def numpy_beside_leaves(paddle, np):
    """NumPy scalars act as numbers, NumPy arrays as tensors of their dtype."""
    out = {}
    for text, value in {
        "float64 scalar": np.float64(2.0),
        "float32 scalar": np.float32(2.0),
        "int64 scalar": np.int64(2),
        "float64 array": np.ones(2),
        "float32 array": np.ones(2, np.float32),
    }.items():
        x = leaf(paddle, np.float32([1.0, 2.0]))
        node, *values = told(x * value, x)
        # Paddle makes a tensor of a float32 scalar, jaxeager scales by it: the result is the same.
        out[text] = values if text == "float32 scalar" else [node, *values]
    return out


@differs(
    "NumPy scalars that are no Python numbers are cast to the tensor's dtype, or refused",
    right=[[2.5, 5.0], [1j, 2j], [3.0, 6.0], [1.0, 2.0], [5.0, 10.0]],
    paddle_gives=[[2, 4], [0.0, 0.0], "TypeError", "TypeError", "TypeError"],
)
def numpy_scalars_of_other_kinds(paddle, np):
    """int64 by float32(2.5), float32 by complex64(1j), and by int8, bool and uint8."""
    whole, real = paddle.to_tensor([1, 2]), paddle.to_tensor([1.0, 2.0])
    pairs = [
        (whole, np.float32(2.5)),
        (real, np.complex64(1j)),
        (real, np.int8(3)),
        (real, np.bool_(True)),
        (real, np.uint8(5)),
    ]
    answers = [attempt(lambda x=x, value=value: (x * value).tolist()) for x, value in pairs]
    return [each["error"] if isinstance(each, dict) else each for each in answers]


@program
def where_with_mixed_dtypes(paddle, np):
    """where promotes its two branches, and each gets its gradient back in its dtype."""
    condition = paddle.to_tensor([True, False])
    x, y = leaf(paddle, np.float32([1.0, 2.0])), leaf(paddle, np.float64([3.0, 4.0]))
    return told(paddle.where(condition, x, y), x, y)


@program
def second_order_through_a_cast(paddle, np):
    """create_graph through promotion: the gradient's gradient has the leaf's dtype too."""
    x, y = leaf(paddle, np.float32([1.0, 2.0])), leaf(paddle, np.float64([3.0, 4.0]))
    (grad,) = paddle.grad((x * x * y).sum(), x, create_graph=True)
    grad.sum().backward()
    return [*dtypes(grad, x.grad, y.grad), grad.numpy(), *grads(x, y)]
