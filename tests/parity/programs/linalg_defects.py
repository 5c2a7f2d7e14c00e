"""Linear algebra that Paddle 3.3.1 gets wrong."""

from ..probe import attempt, leaf, refuses
from ..registry import ANYTHING, CRASHES, differs

NAN = float("nan")


def _gradient(paddle, function, value):
    x = leaf(paddle, value)
    function(x).sum().backward()
    return x.grad


def _rounded(np, value):
    return np.round(np.asarray(value), 6).tolist()


@differs(
    "Paddle multiplies the determinant with the inverse, and takes 0 where there is no inverse",
    right=[[[3.0, -1.0], [-2.0, 1.0]], [[6.0, -3.0], [-2.0, 1.0]], 0.0],
    paddle_gives=[[[3.0, -1.0], [-2.0, 1.0]], [[0.0, 0.0], [0.0, 0.0]], 0.0],
)
def gradient_of_the_determinant_of_a_singular_matrix(paddle, np):
    """The matrix of cofactors."""
    det = paddle.linalg.det
    regular, singular = np.array([[1.0, 2.0], [1.0, 3.0]]), np.array([[1.0, 2.0], [3.0, 6.0]])
    found = [_rounded(np, _gradient(paddle, det, x)) for x in (regular, singular)]
    return [*found, abs(round(det(paddle.to_tensor(singular)).item(), 9))]


@differs(
    "Paddle divides by the differences of eigenvalues even for gradients of values alone",
    right=[[2.0, 0.0], [0.0, 2.0]],
    paddle_gives=[[NAN, NAN], [NAN, NAN]],
)
def gradient_of_repeated_eigenvalues(paddle, np):
    """A sum of squares of eigenvalues, of the identity: 2 x."""
    found = _gradient(paddle, lambda x: paddle.linalg.eigh(x)[0] ** 2, np.eye(2))
    return [[float(each) for each in row] for row in found.numpy()]


@differs(
    "Paddle goes through singular vectors, which are not determined where values repeat",
    right=[[-1.0, -1.0], [-1.0, -1.0]],
    paddle_gives=[[NAN, NAN], [NAN, NAN]],
)
def gradient_of_the_pseudo_inverse_of_the_identity(paddle, np):
    """-P^T G P^T."""
    found = _gradient(paddle, paddle.linalg.pinv, np.eye(2))
    return [[float(each) for each in row] for row in found.numpy()]


@differs(
    "Paddle transposes singular vectors in pinv where complex ones have to be conjugated as well",
    right=[[0.5 - 0.5j, 0j], [0j, -0.5j]],
    paddle_gives=[[0.5 + 0.5j, 0j], [0j, 0.5j]],
)
def pseudo_inverse_of_complex_matrices(paddle, np):
    """1 / (1 + i) and 1 / (2 i)."""
    x = paddle.to_tensor(np.diag([1 + 1j, 2j]))
    return [[complex(each) for each in row] for row in np.round(paddle.linalg.pinv(x).numpy(), 9)]


@differs(
    "Paddle squares complex elements themselves for the Frobenius norm, not their sizes",
    right=[[5.0, "float64"], [2.0, "float64"]],
    paddle_gives=ANYTHING,
)
def frobenius_norms_of_complex_matrices(paddle, np):
    """The root of the sum of the squares of the sizes."""
    x = paddle.to_tensor(np.array([[3j, 0.0], [0.0, 4.0]]))
    unitary = paddle.to_tensor(np.array([[1j, 0.0], [0.0, 1.0]]))
    found = [paddle.linalg.matrix_norm(x, "fro"), paddle.linalg.cond(unitary, "fro")]
    return [[each.numpy().item(), str(each.dtype).rpartition(".")[2]] for each in found]


@differs(
    "Paddle takes trans='C' of lu_solve for 'T', and any other letter as well",
    right=[[[-1j], [2 + 0j]], {"error": "ValueError", "category": "InvalidArgument"}],
    paddle_gives=ANYTHING,
)
def conjugate_systems_by_lu(paddle, np):
    """x^H @ out = b."""
    x, b = paddle.to_tensor(np.diag([-1j, 0.5])), paddle.to_tensor(np.ones((2, 1)) + 0j)
    packed, pivots = paddle.linalg.lu(x)
    found = paddle.linalg.lu_solve(b, packed, pivots, "C")
    return [
        [[complex(each) for each in row] for row in np.round(found.numpy(), 9)],
        refuses(lambda: paddle.linalg.lu_solve(b, packed, pivots, "Q")),
    ]


@differs(
    "Paddle writes ones into the diagonal of the reflectors it is given",
    right=[[[5.0], [1.0]], [[0.5], [-0.5]]],
    paddle_gives=[[[1.0], [1.0]], [[0.5], [-0.5]]],
)
def householder_product_leaves_its_operand(paddle, np):
    """The operand is as it was."""
    x = paddle.to_tensor([[5.0], [1.0]])
    found = paddle.linalg.householder_product(x, paddle.to_tensor([0.5]))
    return [x.tolist(), found.tolist()]


@differs(
    "Paddle has no gradient of R alone, nor of a complete factor of more rows than columns",
    right=["float64", "float64"],
    paddle_gives=["no gradient", "no gradient"],
)
def gradients_of_every_mode_of_qr(paddle, np):
    """Each has one."""

    def try_gradient(function):
        try:
            return str(_gradient(paddle, function, np.arange(6.0).reshape(3, 2) ** 2).dtype)[-7:]
        except Exception:
            return "no gradient"

    qr = paddle.linalg.qr
    return [
        try_gradient(lambda x: qr(x, mode="r") ** 2),
        try_gradient(lambda x: qr(x, mode="complete")[0] ** 2 + qr(x, mode="complete")[1].sum()),
    ]


@differs(
    "Paddle drops the gradient of the singular vectors that belong to no value",
    right=[[0.0, 0.0, -1.0]],
    paddle_gives=[[0.0, 0.0, 0.0]],
)
def gradient_of_the_vectors_of_the_null_space(paddle, np):
    """The null space of (1, 1, 0) / sqrt(2) turns with the row."""

    def weighed(x):
        null = paddle.linalg.svd(x, full_matrices=True)[2][1:]
        return (null.T @ null)[0, 2]

    row = np.array([[1.0, 0.0, 0.0]])
    return [[round(each, 9) + 0.0 for each in _gradient(paddle, weighed, row).numpy()[0].tolist()]]


@differs(
    "Paddle has no kernel for complex numbers",
    right=[[[2.0, 0.0], [-1j, 1.0]], [[1.0], [2j]], [2.0, 1.0]],
    paddle_gives=["none", "none", "none"],
)
def complex_kernels(paddle, np):
    """cholesky, solve and svdvals of complex matrices."""
    hermitian = paddle.to_tensor(np.array([[4.0, 2j], [-2j, 2.0]]))
    diagonal, ones = paddle.to_tensor(np.diag([1.0, -0.5j])), paddle.ones([2, 1], "complex128")

    def attempt_values(call):
        try:
            values = call().numpy()
        except Exception:
            return "none"
        return [
            [complex(each) if each.imag else float(each.real) for each in row]
            if values.ndim > 1
            else float(row)
            for row in values
        ]

    linalg = paddle.linalg
    return [
        attempt_values(lambda: linalg.cholesky(hermitian)),
        attempt_values(lambda: linalg.solve(diagonal, ones)),
        attempt_values(lambda: linalg.svdvals(paddle.to_tensor(np.diag([1.0, -2j])))),
    ]


def _listed(np, tensor):
    values = np.round(tensor.numpy(), 6) + 0.0
    kind = complex if np.iscomplexobj(values) else float
    return [[kind(each) for each in row] for row in values.reshape(-1, values.shape[-1])]


@differs(
    "Paddle spreads the gradients of the values of one matrix over all of a batch of as many",
    right=[[1.0, 0.0], [0.0, 10.0], [100.0, 0.0], [0.0, 1000.0]],
    paddle_gives=[[1.0, 0.0], [0.0, 1000.0], [1.0, 0.0], [0.0, 1000.0]],
)
def gradients_of_eigenvalues_of_a_batch(paddle, np):
    """Of diagonal matrices each value is one element: the gradient is its weight."""
    x = leaf(paddle, np.stack([np.diag([1.0, 2.0]), np.diag([3.0, 5.0])]))
    weights = paddle.to_tensor([[1.0, 10.0], [100.0, 1000.0]], "float64")
    (paddle.linalg.eigvalsh(x) * weights).sum().backward()
    return _listed(np, x.grad)


@differs(
    "Paddle does the same with complex singular values",
    right=[[1j, 0j], [0j, 10 + 0j], [100 + 0j, 0j], [0j, 1000 + 0j]],
    paddle_gives=[[1j, 0j], [0j, 1000 + 0j], [1 + 0j, 0j], [0j, 1000 + 0j]],
)
def gradients_of_complex_singular_values_of_a_batch(paddle, np):
    """Of diagonal matrices each value is the size of one element."""
    x = leaf(paddle, np.stack([np.diag([2j, 1.0]), np.diag([5.0, 3.0])]))
    weights = paddle.to_tensor([[1.0, 10.0], [100.0, 1000.0]], "float64")
    (paddle.linalg.svd(x)[1] * weights).sum().backward()
    return _listed(np, x.grad)


@differs(
    "Paddle reads the other triangle of the factor in its gradient, which it does not solve with",
    right=[[0.25, 0.0], [-0.5, 1.0]],
    paddle_gives=[[0.25, 0.0], [-0.5, -4.25]],
)
def gradient_of_the_factor_of_cholesky_solve(paddle, np):
    """-(dx out^T + out dx^T) @ L, its lower triangle."""
    factor = leaf(paddle, np.array([[2.0, 7.0], [1.0, 1.0]]))
    x = leaf(paddle, np.array([[1.0], [0.0]]))
    out = paddle.linalg.cholesky_solve(x, factor)
    (out * paddle.to_tensor([[0.0], [1.0]], "float64")).sum().backward()
    return _listed(np, factor.grad)


@differs(
    "Paddle takes the gradient of the factors of A for A^T as well",
    right=[[0.25, -0.5], [0.0, -0.5]],
    paddle_gives=[[0.0, 0.0], [0.0, -0.5]],
)
def gradient_of_the_factors_of_transposed_lu_solve(paddle, np):
    """The second element is (1 - u_12 / u_11) / u_22."""
    factors, b = leaf(paddle, np.array([[2.0, 1.0], [0.0, 1.0]])), leaf(paddle, np.ones((2, 1)))
    pivots = paddle.to_tensor([1, 2], "int32")
    paddle.linalg.lu_solve(b, factors, pivots, "T")[1].sum().backward()
    return _listed(np, factors.grad)


@differs(
    "Paddle does not conjugate the factors in the gradient of the right side",
    right=[[0.5j], [1 + 0j]],
    paddle_gives=[[-0.5j], [1 + 0j]],
)
def gradient_of_the_right_side_of_complex_lu_solve(paddle, np):
    """conj(1 / x) on the diagonal."""
    b = leaf(paddle, np.ones((2, 1)) + 0j)
    factors = paddle.to_tensor(np.diag([2j, 1.0]))
    out = paddle.linalg.lu_solve(b, factors, paddle.to_tensor([1, 2], "int32"))
    out.sum().real().backward()
    return _listed(np, b.grad)


@differs(
    "Paddle does not conjugate the matrix in the gradient of its power",
    right=[[-12 + 0j], [0.25 + 0j], [-4j]],
    paddle_gives=ANYTHING,
)
def gradients_of_powers_of_complex_matrices(paddle, np):
    """conj(n x^(n-1))."""
    found = []
    for n in (3, -1, 2):
        x = leaf(paddle, np.array([[2j]]))
        paddle.linalg.matrix_power(x, n).real().sum().backward()
        found += _listed(np, x.grad)
    return found


@differs(
    "Paddle takes the sign of a complex determinant for a constant",
    right=[[[0.5 + 0j]], [[0.5j]]],
    paddle_gives=[[[0j]], [[0.5j]]],
)
def gradient_of_the_sign_of_a_complex_determinant(paddle, np):
    """Sign and logarithm of 2 i: the real part of the sign grows as x turns to 2."""
    found = []
    for number in (0, 1):
        x = leaf(paddle, np.array([[2j]]))
        paddle.linalg.slogdet(x)[number].real().backward()
        found.append(_listed(np, x.grad))
    return found


@differs(
    "Paddle gives the ones on the diagonal of a lower triangle, and what is above, a gradient",
    right=[[0.0, 0.0], [-4.0, 0.0]],
    paddle_gives=[[0.0, 0.0], [-4.0, 1.0]],
)
def gradient_of_a_unitriangular_matrix(paddle, np):
    """Only what is below the diagonal counts."""
    x = leaf(paddle, np.array([[2.0, 7.0], [1.0, 5.0]]))
    y = leaf(paddle, np.array([[1.0, 3.0], [2.0, 1.0]]))
    out = paddle.linalg.triangular_solve(x, y, upper=False, unitriangular=True)
    out.sum().backward()
    return _listed(np, x.grad)


@differs(
    "Paddle counts nonzero elements over several axes, and gives the count a gradient of 1",
    right=[[0.0, 0.0]],
    paddle_gives=ANYTHING,
)
def gradient_of_the_norm_that_counts(paddle, np):
    """A count has a gradient of 0."""
    x = leaf(paddle, np.array([[0.0, 2.0]]))
    paddle.linalg.vector_norm(x, 0, axis=[0, 1]).backward()
    return _listed(np, x.grad)


@differs(
    "Paddle reads the gradient of R, which is not there when R is not used",
    right=[[0.128], [-0.096]],
    paddle_gives=CRASHES,
)
def gradient_of_q_alone(paddle, np):
    """The size of the first element of (3, 4) / 5."""
    x = leaf(paddle, np.array([[3.0], [4.0]]))
    paddle.linalg.qr(x)[0].abs()[0, 0].backward()
    return _listed(np, x.grad)


@differs(
    "Paddle reads the gradient of U, which is not there when U is not used",
    right=[[0.0, 0.0], [1.0, 0.0]],
    paddle_gives=CRASHES,
)
def gradient_of_the_lower_factor_alone(paddle, np):
    """What is below the diagonal."""
    x = leaf(paddle, np.array([[2.0, 1.0], [0.5, 1.0]]))
    _, lower, _ = paddle.linalg.lu_unpack(x, paddle.to_tensor([1, 2], "int32"))
    lower.sum().backward()
    return _listed(np, x.grad)


@differs(
    "Paddle writes the gradient of the right side where there is none",
    right=[[-0.25]],
    paddle_gives=CRASHES,
)
def gradient_of_the_factor_alone(paddle, np):
    """1 / x^2 at 2."""
    x = leaf(paddle, np.array([[2.0]]))
    paddle.linalg.cholesky_solve(paddle.ones([1, 1], "float64"), x).backward()
    return _listed(np, x.grad)


@differs(
    "Paddle writes in place what it saved for backward, in householder_product",
    right=[[-1.0, 0.0]],
    paddle_gives="PermissionDenied",
)
def gradient_of_householder_product(paddle, np):
    """The first element is 1 - tau_1."""
    tau = leaf(paddle, np.array([0.5, 0.5]))
    out = paddle.linalg.householder_product(paddle.ones([3, 2], "float64"), tau)
    try:
        out[0, 0].backward()
    except RuntimeError as error:
        return str(error)[1:17]
    return _listed(np, tau.grad)


@differs(
    "Paddle compares the wrong sizes when Q is not square and stands on the right",
    right=[[-0.5, 1.5]],
    paddle_gives="AssertionError",
)
def multiplying_with_q_from_the_right(paddle, np):
    """y @ Q of a tall x; its transpose from the right takes as many columns as x has."""
    x, tau = paddle.to_tensor([[1.0], [-1.0]]), paddle.to_tensor([1.5])
    found = attempt(lambda: paddle.linalg.ormqr(x, tau, paddle.ones([1, 1]), False, True))
    return found["error"] if isinstance(found, dict) else _listed(np, found)
