"""Complex gradients: dL/dRe + i dL/dIm for every op, real gradients for real leaves."""

from ..probe import array, attempt, facts, grads, graph, leaf
from ..registry import program

UNARY = (
    "expm1 log log2 log10 log1p sqrt reciprocal square sin cos tan sinh cosh tanh asin acos "
    "atan asinh acosh atanh abs neg conj"
).split()
ACTIVATIONS = "sigmoid silu softplus log_sigmoid tanh".split()


INEXACT_EXP = "Paddle's exp of complex128 numbers is good to seven digits only"


def point(np, shape=(3,), start=0.2):
    """Returns complex numbers in general position, away from cuts and poles."""
    steps = np.arange(int(np.prod(shape))).reshape(shape)
    return start + 0.31 * steps + 1j * (0.7 - 0.17 * steps)


def seed_of(paddle, np, out):
    """Returns a gradient with real and imaginary part, of the tensor's shape and dtype."""
    steps = np.arange(int(np.prod(out.shape))).reshape(out.shape)
    values = 0.4 + 0.3 * steps - 1j * (0.9 - 0.2 * steps)
    if not out.is_complex():
        values = values.real
    return paddle.to_tensor(values.astype(str(out.dtype).rpartition(".")[2]))


def gradients(paddle, np, function, *values):
    """Returns the output of a function of leaves and the leaves' gradients."""
    leaves = [leaf(paddle, value) for value in values]
    out = function(*leaves)
    out.backward(seed_of(paddle, np, out))
    return [out.numpy(), *grads(*leaves)]


@program
def complex_functions(paddle, np):
    """Functions of one complex number: dz = dout * conj(f'(z))."""
    z = point(np)
    return {name: gradients(paddle, np, getattr(paddle, name), z) for name in UNARY}


@program
def complex_functions_in_complex64(paddle, np):
    """The same in single precision; gradients are complex64."""
    z = point(np).astype("complex64")
    names = "exp log sqrt sin tanh abs square reciprocal".split()
    return {name: gradients(paddle, np, getattr(paddle, name), z) for name in names}


@program(rtol=1e-6, reason=INEXACT_EXP)
def complex_exp(paddle, np):
    """exp, whose gradient is dout * conj(exp(z))."""
    return gradients(paddle, np, paddle.exp, point(np))


@program(rtol=1e-6, reason=INEXACT_EXP)
def complex_activations(paddle, np):
    """Activations that are analytic functions; softplus above its threshold is x itself."""
    functional = paddle.nn.functional
    z = point(np, (4,), -0.5)
    out = {name: gradients(paddle, np, getattr(functional, name), z) for name in ACTIVATIONS}
    out["stanh"] = gradients(paddle, np, paddle.stanh, z)
    out["large"] = gradients(paddle, np, functional.softplus, np.array([25 + 1j, -3 + 0.5j]))
    return out


@program
def complex_arithmetic_gradients(paddle, np):
    """Sum, difference, product and quotient of two complex tensors."""
    x, y = point(np), point(np, start=-1.1) * 1j
    return [
        gradients(paddle, np, paddle.add, x, y),
        gradients(paddle, np, paddle.subtract, x, y),
        gradients(paddle, np, paddle.multiply, x, y),
        gradients(paddle, np, paddle.divide, x, y),
    ]


@program
def complex_broadcasting(paddle, np):
    """A stretched complex operand gets the sum of the gradient."""
    x, y = point(np, (2, 3)), point(np, (2, 1), 0.8)
    scalar = np.array(0.5 - 0.25j)
    return [
        gradients(paddle, np, lambda a, b: a * b, x, y),
        gradients(paddle, np, lambda a, b: a / b, y, x),
        gradients(paddle, np, lambda a, b: a * b + a, x, scalar),
    ]


@program
def complex_numbers_beside_tensors(paddle, np):
    """Python numbers on either side of a complex tensor."""
    functions = {
        "x * c": lambda x: x * (1 + 2j),
        "c * x": lambda x: (1 + 2j) * x,
        "x * r": lambda x: x * 2.5,
        "x + c": lambda x: x + 1j,
        "c - x": lambda x: 1j - x,
        "x / r": lambda x: x / 4.0,
        "x / c": lambda x: x / (1 - 1j),
        "c / x": lambda x: (1 - 1j) / x,
        "x ** 2": lambda x: x**2,
        "x ** 3.5": lambda x: x**3.5,
        "x ** -1": lambda x: x**-1,
        "-x": lambda x: -x,
    }
    z = point(np)
    return {text: gradients(paddle, np, function, z) for text, function in functions.items()}


@program
def complex_number_beside_a_real_tensor(paddle, np):
    """A real tensor times a complex number: the result is complex, the gradient is real."""
    x = np.array([1.0, 2.0, -0.5])
    narrow = x.astype("float32")
    return [
        gradients(paddle, np, lambda a: a * (1 + 2j), x),
        gradients(paddle, np, lambda a: a + 1j, narrow),
        gradients(paddle, np, lambda a: (2 - 1j) * a, narrow),
    ]


@program
def real_leaves_meet_complex_ones(paddle, np):
    """Elementwise ops of a real and a complex tensor: the real leaf's gradient is real."""
    x, z = np.array([1.5, -2.0, 0.25]), point(np)
    functions = [paddle.add, paddle.subtract, paddle.multiply, paddle.divide]
    return [
        [gradients(paddle, np, function, x, z) for function in functions],
        [gradients(paddle, np, function, z, x) for function in functions],
    ]


@program
def widths_of_mixed_gradients(paddle, np):
    """float32 with complex128, float64 with complex64: gradients have their leaf's dtype."""
    x, z = np.array([1.5, -2.0, 0.25]), point(np)
    return [
        gradients(paddle, np, paddle.multiply, x.astype("float32"), z),
        gradients(paddle, np, paddle.multiply, x, z.astype("complex64")),
        gradients(paddle, np, paddle.multiply, z.astype("complex64"), z),
    ]


@program
def graphs_of_mixed_products(paddle, np):
    """Where real meets complex an elementwise op records a cast, a matrix product does not."""
    x, z = leaf(paddle, np.ones((2, 2))), leaf(paddle, np.ones((2, 2)) * 1j)
    return [
        graph(x * z),
        graph(z / x),
        graph(x * (1 + 2j)),
        graph(paddle.matmul(x, z)),
        graph(paddle.real(z) * x),
        facts(paddle.matmul(x, z)),
    ]


@program
def complex_matrix_products(paddle, np):
    """matmul of complex operands, transposed, batched, with vectors."""
    a, b = point(np, (2, 3)), point(np, (3, 2), -0.4)
    batch = point(np, (2, 3, 2), 0.1)
    return [
        gradients(paddle, np, paddle.matmul, a, b),
        gradients(paddle, np, lambda x, y: paddle.matmul(x, y, True, True), a, b),
        gradients(paddle, np, paddle.matmul, a, batch),
        gradients(paddle, np, paddle.matmul, a, point(np, (3,))),
        gradients(paddle, np, lambda x, y: x @ y, point(np, (3,)), point(np, (3,), 1.0)),
    ]


@program
def real_times_complex_matrices(paddle, np):
    """A real matrix times a complex one gets a real gradient, on either side."""
    x, z = np.linspace(-1.0, 1.0, 6).reshape(2, 3), point(np, (3, 2))
    return [
        gradients(paddle, np, paddle.matmul, x, z),
        gradients(paddle, np, paddle.matmul, z, x),
        gradients(paddle, np, paddle.nn.functional.linear, x, z),
    ]


@program
def other_products_with_a_real_operand(paddle, np):
    """einsum and kron of a complex matrix with a real one; einsum has the complex one first."""
    x, z = np.linspace(-1.0, 1.0, 6).reshape(2, 3), point(np, (2, 3))
    return {
        "einsum": gradients(paddle, np, lambda a, b: paddle.einsum("ij,kj->ik", a, b), z, x),
        "kron": gradients(paddle, np, paddle.kron, z, x),
        "kron of a real one": gradients(paddle, np, paddle.kron, x, z),
    }


@program
def other_complex_products(paddle, np):
    """einsum, kron, cross, dot, outer, inner and trace of a product."""
    a, b = point(np, (2, 3)), point(np, (2, 3), 0.9)
    return {
        "einsum": gradients(paddle, np, lambda x, y: paddle.einsum("ij,kj->ik", x, y), a, b),
        "kron": gradients(paddle, np, paddle.kron, a, b),
        "cross": gradients(paddle, np, lambda x, y: paddle.cross(x, y, axis=1), a, b),
        "dot": gradients(paddle, np, paddle.dot, a[0], b[0]),
        "outer": gradients(paddle, np, paddle.outer, a[0], b[1]),
        "inner": gradients(paddle, np, paddle.inner, a, b),
    }


@program
def parts_of_complex_numbers(paddle, np):
    """real, imag, conj, angle and abs, alone and together."""
    z = point(np)
    return {
        "real": gradients(paddle, np, paddle.real, z),
        "imag": gradients(paddle, np, paddle.imag, z),
        "conj": gradients(paddle, np, paddle.conj, z),
        "angle": gradients(paddle, np, paddle.angle, z),
        "abs": gradients(paddle, np, paddle.abs, z),
        "square of abs": gradients(paddle, np, lambda a: (a * a.conj()).real(), z),
        "all": gradients(paddle, np, lambda a: a.real() * a.imag() + a.angle() / a.abs(), z),
    }


@program
def parts_at_zero(paddle, np):
    """abs and angle have the gradient 0 at 0."""
    z = np.array([0j, 3 + 4j])
    return [gradients(paddle, np, paddle.abs, z), gradients(paddle, np, paddle.angle, z)]


@program
def complex_numbers_of_parts(paddle, np):
    """complex(re, im), with broadcasting, and polar: real leaves, real gradients."""
    re, im = np.array([[1.0, -2.0], [0.5, 3.0]]), np.array([0.25, -1.0])
    return [
        gradients(paddle, np, paddle.complex, re, im),
        gradients(paddle, np, paddle.complex, re.astype("float32"), re.astype("float32")),
        gradients(paddle, np, paddle.polar, np.array([1.0, 2.0]), np.array([0.3, -0.7])),
        gradients(paddle, np, lambda a, b: paddle.complex(a, b) ** 2, re, im),
    ]


@program
def pairs_of_reals(paddle, np):
    """as_real and as_complex are each other's gradient."""
    pairs = np.linspace(-1.0, 2.0, 8).reshape(2, 2, 2)
    return [
        gradients(paddle, np, paddle.as_real, point(np, (2, 2))),
        gradients(paddle, np, paddle.as_complex, pairs),
        gradients(paddle, np, lambda x: paddle.as_complex(x) * (2 - 1j), pairs),
        gradients(paddle, np, lambda z: paddle.as_complex(paddle.as_real(z) * 2.0), point(np)),
    ]


@program
def complex_reductions(paddle, np):
    """sum, mean, cumsum and cumprod."""
    z = point(np, (2, 3))
    functions = {
        "sum": lambda x: x.sum(),
        "sum over an axis": lambda x: x.sum(axis=1),
        "mean": lambda x: x.mean(),
        "mean over an axis": lambda x: x.mean(axis=0, keepdim=True),
        "cumsum": lambda x: paddle.cumsum(x, axis=1),
        "cumprod": lambda x: paddle.cumprod(x, dim=1),
    }
    return {text: gradients(paddle, np, function, z) for text, function in functions.items()}


@program
def norms_of_complex_numbers(paddle, np):
    """Norms are real, and their gradients point along the operand."""
    z = point(np, (2, 3))
    norm = paddle.norm
    return {
        "2": gradients(paddle, np, norm, z),
        "1": gradients(paddle, np, lambda x: norm(x, 1), z),
        "fro": gradients(paddle, np, lambda x: norm(x, "fro"), z),
        "axis": gradients(paddle, np, lambda x: norm(x, 2, axis=1), z),
    }


@program
def choosing_between_real_and_complex(paddle, np):
    """where promotes: the real operand's gradient stays real."""
    mask = paddle.to_tensor([True, False, True])
    x, z = np.array([1.0, 2.0, 3.0]), point(np)
    return [
        gradients(paddle, np, lambda a, b: paddle.where(mask, a, b), x, z),
        gradients(paddle, np, lambda a, b: paddle.where(mask, a, b), z, x),
        gradients(paddle, np, lambda a, b: paddle.where(mask, a, b), z, 1j * z),
        gradients(paddle, np, lambda a: a[mask], z),
    ]


@program
def joining_and_splitting_complex(paddle, np):
    """concat, stack, split and unbind; concat does not promote."""
    x, z = point(np), 1j * point(np)
    real = leaf(paddle, np.ones(3))
    return [
        gradients(paddle, np, lambda a, b: paddle.concat([a, b]), x, z),
        gradients(paddle, np, lambda a, b: paddle.stack([a, b], axis=1), x, z),
        gradients(paddle, np, lambda a: paddle.split(a, [1, 2])[1] * 2j, x),
        gradients(paddle, np, lambda a: paddle.unbind(a)[1] * 2j, point(np, (2, 3))),
        attempt(lambda: paddle.concat([real, leaf(paddle, z)]))["error"],
    ]


@program
def complex_indexing(paddle, np):
    """Reading: slices, steps, lists, gather."""
    z = point(np, (3, 4))
    places = paddle.to_tensor([2, 0, 2])
    functions = {
        "row": lambda x: x[1],
        "steps": lambda x: x[::2, 1:],
        "backwards": lambda x: x[:, ::-1],
        "list": lambda x: x[[0, 0, 2]],
        "gather": lambda x: paddle.gather(x, places),
        "index_select": lambda x: paddle.index_select(x, places, axis=1),
    }
    return {text: gradients(paddle, np, function, z) for text, function in functions.items()}


@program
def complex_assignment(paddle, np):
    """Writing into complex tensors; a real value gets a real gradient."""

    def written(index):
        def run(x, value):
            y = x * 1.0
            y[index] = value
            return y

        return run

    z = point(np, (2, 3))
    return {
        "complex": gradients(paddle, np, written(0), z, point(np)),
        "real": gradients(paddle, np, written(0), z, np.array([1.0, 2.0, 3.0])),
        "0-D real": gradients(paddle, np, written((slice(None), 1)), z, np.array(3.0)),
        "0-D complex": gradients(paddle, np, written(1), z, np.array(3.0 + 1j)),
        "number": gradients(paddle, np, lambda x: written(0)(x, 2.5), z),
    }


@program
def complex_shapes(paddle, np):
    """Ops that only move elements move complex gradients back."""
    z = point(np, (2, 3))
    functions = {
        "reshape": lambda x: x.reshape([3, 2]),
        "transpose": lambda x: x.transpose([1, 0]),
        "flatten": lambda x: x.flatten(),
        "squeeze": lambda x: x.unsqueeze(0).squeeze(),
        "tile": lambda x: paddle.tile(x, [2, 1]),
        "expand": lambda x: x.unsqueeze(0).expand([2, 2, 3]),
        "flip": lambda x: paddle.flip(x, [1]),
        "roll": lambda x: paddle.roll(x, 1, 1),
        "tril": paddle.tril,
        "triu": paddle.triu,
        "diag": lambda x: paddle.diag(x[0]),
        "assign": paddle.assign,
        "clone": lambda x: x.clone(),
    }
    return {text: gradients(paddle, np, function, z) for text, function in functions.items()}


@program
def seeds_of_complex_tensors(paddle, np):
    """Without a seed a complex tensor of any shape starts with 1+0i."""
    out = {}
    for text, shape in {"0-D": (), "vector": (3,), "matrix": (2, 2)}.items():
        z = leaf(paddle, point(np, shape))
        (z * z).backward()
        out[text] = z.grad.numpy()
    z = leaf(paddle, point(np))
    (z * z).sum().backward()
    out["sum"] = z.grad.numpy()
    return out


@program
def hooks_see_complex_gradients(paddle, np):
    """A hook sees complex gradients at complex tensors and real ones at real tensors."""
    seen = []

    def note(text):
        return lambda grad: seen.append([text, str(grad.dtype), grad.numpy()])

    x, z = leaf(paddle, np.array([1.0, 2.0, 3.0])), leaf(paddle, point(np))
    doubled = x * 2.0
    product = doubled * z
    for text, tensor in {"x": x, "z": z, "doubled": doubled, "product": product}.items():
        tensor.register_hook(note(text))
    z.register_hook(lambda grad: grad * (1 - 1j))
    product.abs().sum().backward()
    return [seen, *grads(x, z)]


@program
def casts_of_complex(paddle, np):
    """real to complex, complex to real (the real part), complex64 to complex128 and back."""
    x, z = np.array([1.0, 2.0, 3.0]), point(np)
    return [
        gradients(paddle, np, lambda a: a.astype("complex128") * (1 + 2j), x),
        gradients(paddle, np, lambda a: a.astype("float64") * 3.0, z),
        gradients(paddle, np, lambda a: a.astype("complex64") * 3.0, z),
        gradients(paddle, np, lambda a: a.astype("complex128") * 2j, z.astype("complex64")),
        gradients(paddle, np, lambda a: a.astype("float32"), z.astype("complex64")),
    ]


@program
def complex_gradients_accumulate(paddle, np):
    """Over uses, over calls of backward, in a tensor that keeps its gradient."""
    z = leaf(paddle, point(np))
    w = z * (1 - 2j)
    w.retain_grads()
    (w * w + w * z).abs().sum().backward()
    first = z.grad.numpy()
    (z * 1j).sum().backward()
    return [first, z.grad.numpy(), w.grad.numpy(), array(z.detach().grad)]


@program
def least_squares_over_complex_numbers(paddle, np):
    """Steepest descent on |Az - b|^2 takes steps along -z.grad, and gets there."""
    matrix = paddle.to_tensor(point(np, (3, 2), -0.6))
    target = paddle.to_tensor(point(np, (3, 1), 0.4))
    z = leaf(paddle, np.zeros((2, 1), "complex128"))
    losses = []
    for _ in range(5):
        residual = paddle.matmul(matrix, z) - target
        loss = (residual * residual.conj()).real().sum()
        loss.backward()
        losses.append(loss.numpy())
        z = leaf(paddle, (z - 0.1 * z.grad).numpy())
    return [losses, z.numpy()]


@program
def a_discrete_fourier_transform(paddle, np):
    """The power spectrum of a real signal, by a matrix product: its gradient is real."""
    n = 6
    steps = np.arange(n)
    wave = np.exp(-2j * np.pi * np.outer(steps, steps) / n)

    def spectrum(x):
        return (paddle.matmul(paddle.to_tensor(wave), x.astype("complex128")).abs() ** 2).sum()

    return gradients(paddle, np, spectrum, np.sin(steps + 0.5) + 0.1 * steps)


@program
def complex_in_place(paddle, np):
    """In-place ops on complex tensors: values, versions, gradients."""
    functions = {
        "multiply_": lambda y, w: y.multiply_(w),
        "add_": lambda y, w: y.add_(w),
        "subtract_": lambda y, w: y.subtract_(w),
        "divide_": lambda y, w: y.divide_(w),
        "sin_": lambda y, w: y.sin_(),
        "scale_": lambda y, w: y.scale_(3.0),
        "tanh_": lambda y, w: y.tanh_(),
    }
    out = {}
    for text, function in functions.items():
        x, w = leaf(paddle, point(np)), leaf(paddle, point(np, start=1.2))
        y = x * 1.0
        function(y, w)
        (y * y).abs().sum().backward()
        out[text] = [y.numpy(), y.inplace_version, *grads(x, w)]
    return out


@program
def paddle_grad_of_complex(paddle, np):
    """paddle.grad gives what backward leaves, without touching .grad."""
    z, x = leaf(paddle, point(np)), leaf(paddle, np.array([1.0, -2.0, 3.0]))
    product = z * x
    found = paddle.grad([product], [z, x], grad_outputs=[seed_of(paddle, np, product)])
    loss = (paddle.sin(z) * x).abs().sum()
    return [*[each.numpy() for each in found], paddle.grad(loss, x)[0].numpy(), *grads(x, z)]
