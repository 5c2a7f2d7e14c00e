"""Complex gradients that Paddle 3.3.1 gets wrong, and complex kernels that it does not have."""

from ..probe import attempt, leaf
from ..registry import CRASHES, differs


@differs(
    "Paddle does not conjugate the other factors in the gradient of a complex prod",
    right=[[-0.5 + 1.5j], [[0.5 - 1.0j, -0.5 - 0.5j, 3.0 - 1.0j]]],
    paddle_gives=[[-0.5 + 1.5j], [[0.5 + 1.0j, -0.5 + 0.5j, 3.0 + 1.0j]]],
)
def gradient_of_a_complex_prod(paddle, np):
    """dz_j = conj(product of the others)."""
    z = leaf(paddle, np.array([1 + 1j, 2 - 1j, 0.5j]))
    out = paddle.prod(z)
    out.backward()
    return [[complex(out.numpy())], [z.grad.tolist()]]


def _rounded(np, tensor):
    return [complex(each) for each in np.round(tensor.numpy(), 6)]


@differs(
    "Paddle conjugates the whole gradient of a complex power instead of the derivative alone",
    right=[
        [0.342190 - 0.794853j, -1.425861 + 3.900556j],
        [-1.783609 - 0.790540j, -3.311084 + 4.085147j],
    ],
    paddle_gives=[
        [0.430569 + 0.750664j, 1.199644 + 3.975962j],
        [1.702597 - 0.952564j, -0.197779 + 5.254768j],
    ],
)
def gradients_of_a_complex_power(paddle, np):
    """dx = dout * conj(y x^(y-1)), dy = dout * conj(log(x) x^y)."""
    x = leaf(paddle, np.array([1 + 1j, 2 - 1j]))
    y = leaf(paddle, np.array([0.5 + 0.2j, 1.3 - 1j]))
    (x**y).backward(paddle.to_tensor(np.array([1 - 2j, 3 + 1j])))
    return [_rounded(np, x.grad), _rounded(np, y.grad)]


@differs(
    "Paddle's gradient of a complex softsign forgets that |x| turns with x",
    right=[0.5 - 0.25j],
    paddle_gives=[0.5 - 0.5j],
)
def gradient_of_a_complex_softsign(paddle, np):
    """For x = 1j a step along 1 turns x and leaves |x| as it is."""
    z = leaf(paddle, np.array([1j]))
    paddle.nn.functional.softsign(z).backward(paddle.to_tensor(np.array([1 - 1j])))
    return z.grad.tolist()


@differs(
    "Paddle gives a complex sign the gradient 0",
    right=[0.5 + 0j],
    paddle_gives=[0j],
)
def gradient_of_a_complex_sign(paddle, np):
    """sign(z) = z / |z| turns with z: for z = 2j a step along 1 turns it."""
    z = leaf(paddle, np.array([2j]))
    paddle.sign(z).backward(paddle.to_tensor(np.array([1 - 1j])))
    return z.grad.tolist()


def _no_kernel(call):
    try:
        return call()
    except RuntimeError as error:
        return "no kernel" if "is not registered" in str(error) else str(error)


@differs(
    "Paddle has no complex kernels for these",
    right={
        "rsqrt": 0.5 + 0j,
        "bmm": -1 + 0j,
        "mv": -1 + 0j,
        "lerp": 0.5 + 0.5j,
        "expand_as": 1j,
        "mish": 0j,
    },
    paddle_gives=dict.fromkeys("rsqrt bmm mv lerp expand_as mish".split(), "no kernel"),
)
def functions_without_complex_kernels(paddle, np):
    """rsqrt, bmm, mv, lerp and others of complex numbers."""
    one, i = paddle.to_tensor(np.array([1 + 0j])), paddle.to_tensor(np.array([1j]))
    matrix = i.reshape([1, 1])
    half = paddle.to_tensor(np.array([0.5 + 0j]))
    calls = {
        "rsqrt": lambda: paddle.rsqrt(one * 4),
        "bmm": lambda: paddle.bmm(matrix.reshape([1, 1, 1]), matrix.reshape([1, 1, 1])),
        "mv": lambda: paddle.mv(matrix, i),
        "lerp": lambda: paddle.lerp(one, i, half),
        "expand_as": lambda: paddle.expand_as(i, matrix),
        "mish": lambda: paddle.nn.functional.mish(one * 0),
    }
    return {text: _no_kernel(lambda c=call: c().item()) for text, call in calls.items()}


@differs(
    "Paddle's complex second-order rules lack conjugates",
    right={
        "z * z * z": 3 - 4.2j,
        "square": 3 - 4.2j,
        "divide": -3.010681 + 0.898269j,
        "tanh": -2.088465 - 0.093173j,
        "sin": -0.60176 + 0.66572j,
    },
    paddle_gives={
        "z * z * z": 3 - 1.4j,
        "square": 3 - 1.4j,
        "divide": -0.592265 + 0.829171j,
        "tanh": -0.272269 - 2.072737j,
        "sin": -0.60176 - 0.66572j,
    },
)
def second_order_of_complex_functions(paddle, np):
    """For an analytic f the second gradient is conj(f'')."""
    functions = {
        "z * z * z": lambda z: z * z * z,
        "square": lambda z: paddle.square(z) * z,
        "divide": lambda z: 1 / z,
        "tanh": paddle.tanh,
        "sin": paddle.sin,
    }
    one = paddle.to_tensor(np.array([1 + 0j]))
    out = {}
    for text, function in functions.items():
        z = leaf(paddle, np.array([0.5 + 0.7j]))
        (first,) = paddle.grad(function(z), z, one, create_graph=True)
        (second,) = paddle.grad(first, z, one)
        out[text] = complex(np.round(second.numpy()[0], 6))
    return out


@differs(
    "Paddle's exp of complex128 numbers computes in float32",
    right=True,
    paddle_gives=False,
)
def precision_of_a_complex_exp(paddle, np):
    """exp of a complex128 tensor is good to fourteen digits."""
    z = np.array([0.2 + 0.7j, 1.0 - 0.5j])
    found = paddle.exp(paddle.to_tensor(z)).numpy()
    return bool(np.allclose(found, np.exp(z), rtol=1e-14, atol=0))


LOST = "the imaginary part of a number is lost without a word"


@differs(
    LOST,
    right=["ValueError"] * 4,
    paddle_gives=[[0.0, 0.0], [0.0, 0.0, 0.0], [1.0, 10.0, 100.0], [0.0, 1.0, 2.0]],
)
def complex_numbers_for_real_results(paddle, np):
    """A number whose imaginary part is 0 is taken: the last two bounds of each."""
    x = paddle.to_tensor([1.0, 2.0])
    calls = [
        lambda: paddle.scale(x, 1j),
        lambda: paddle.scale(paddle.to_tensor([1, 2, 3]), 1j).astype("float32"),
        lambda: paddle.logspace(1j, 2 + 0j, 3, dtype="float32"),
        lambda: paddle.linspace(1j, 2 + 0j, 3, dtype="float32"),
    ]
    found = [attempt(lambda call=call: call().tolist()) for call in calls]
    return [each["error"] if isinstance(each, dict) else each for each in found]


@differs(
    "writing a complex number into a real tensor ends the process",
    right=["ValueError"] * 4 + [[1.0, 2.0]],
    paddle_gives=CRASHES,
)
def complex_numbers_written_into_real_tensors(paddle, np):
    def write(value, index):
        x = paddle.to_tensor([5.0, 2.0])
        x[index] = value
        return x.tolist()

    calls = [
        lambda: write(1j, 0),
        lambda: write(1j, slice(0, 2)),
        lambda: write(np.complex64(1j), paddle.to_tensor([True, False])),
        lambda: paddle.to_tensor([5.0, 2.0]).fill_(1j),
        lambda: write(1 + 0j, 0),
    ]
    found = [attempt(call) for call in calls]
    return [each["error"] if isinstance(each, dict) else each for each in found]
