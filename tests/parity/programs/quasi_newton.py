"""incubate.optimizer.functional: minima of functions."""

from importlib import import_module

from ..registry import differs, program


def _room(paddle):
    return import_module(f"{paddle.__name__}.incubate.optimizer.functional")


def _bowl(paddle):
    """Returns a quadratic function, whose minimum is at the solution of a linear system."""
    matrix = paddle.to_tensor([[3.0, 1.0, 0.0], [1.0, 2.0, 0.5], [0.0, 0.5, 5.0]], "float64")
    vector = paddle.to_tensor([1.0, -2.0, 3.0], "float64")
    return lambda x: 0.5 * paddle.dot(x, paddle.matmul(matrix, x)) - paddle.dot(vector, x)


def _valley(x):
    """Returns Rosenbrock's function."""
    return (1.0 - x[0]) ** 2 + 100.0 * (x[1] - x[0] ** 2) ** 2


@program
def limited_memory(paddle, np):
    """minimize_lbfgs of a bowl and a valley, whole and cut short: each step is Paddle's."""
    minimize = _room(paddle).minimize_lbfgs
    bowl = _bowl(paddle)
    ones = paddle.to_tensor([1.0, 1.0, 1.0], "float64")
    far = paddle.to_tensor([-1.2, 1.0], "float64")
    estimate = paddle.to_tensor([[0.5, 0.1], [0.1, 0.4]], "float64")
    found = [
        minimize(bowl, ones, dtype="float64"), minimize(_valley, far, dtype="float64"),
        minimize(_valley, far, max_iters=3, dtype="float64"),
        minimize(_valley, far, max_iters=5, initial_step_length=0.1, dtype="float64"),
        minimize(_valley, far, 100, 6, initial_inverse_hessian_estimate=estimate, dtype="float64"),
        minimize(lambda x: (x**4).sum(), ones * 3.0, max_iters=4, dtype="float64"),
    ]  # fmt: skip
    return [[each.numpy() for each in result] for result in found]


@program
def first_step_of_bfgs(paddle, np):
    """minimize_bfgs until its estimate is renewed: the line search is Paddle's."""
    minimize = _room(paddle).minimize_bfgs
    far = paddle.to_tensor([-1.2, 1.0], "float64")
    found = [
        minimize(_valley, far, max_iters=1, dtype="float64")[:5],
        minimize(_bowl(paddle), far.sum() * paddle.ones([3], "float64"), 1, dtype="float64")[:5],
        minimize(_valley, far, 1, initial_step_length=1e-4, dtype="float64")[:5],
    ]
    errors = []
    for call in (
        lambda: minimize(_valley, far, dtype="float16"),
        lambda: minimize(_valley, far, initial_inverse_hessian_estimate=-paddle.eye(2)),
        lambda: minimize(_valley, far, initial_inverse_hessian_estimate=paddle.ones([2, 2]).tril()),
        lambda: minimize(_valley, [1.0, 2.0]),
        lambda: minimize(_valley, far, line_search_fn="armijo", dtype="float64"),
    ):
        try:
            call()
        except (ValueError, NotImplementedError) as error:
            kinds = [NotImplementedError, ValueError]
            errors.append(next(kind.__name__ for kind in kinds if isinstance(error, kind)))
    return [[[each.numpy() for each in result] for result in found], errors]


@differs(
    "The estimate of the inverse Hessian takes the last gradient's change to the last step.",
    right=[True, True],
    paddle_gives=[False, False],
)
def estimates_of_bfgs(paddle, np):
    """A bowl in three dimensions is minimal after few steps, and its inverse Hessian is known."""
    ones = paddle.to_tensor([1.0, 1.0, 1.0], "float64")
    found = _room(paddle).minimize_bfgs(_bowl(paddle), ones, 12, dtype="float64")
    matrix = np.array([[3.0, 1.0, 0.0], [1.0, 2.0, 0.5], [0.0, 0.5, 5.0]])
    return [found[0].item(), np.allclose(found[5].numpy(), np.linalg.inv(matrix), rtol=1e-2)]
