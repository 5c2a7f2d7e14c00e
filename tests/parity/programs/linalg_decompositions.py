"""Cholesky, QR, LU, singular values: invariants of the factors, gradients that no sign changes."""

from ..probe import attempt, facts, leaf, pull, refuses
from ..registry import program


def draw(np, *shape, kind="float64", seed=7):
    """Returns normal numbers in a fixed order."""
    r = np.random.default_rng(seed)
    x = r.normal(size=shape)
    return (x + 1j * r.normal(size=shape) if kind[0] == "c" else x).astype(kind)


def definite(np, *shape, kind="float64", seed=7):
    """Returns Hermitian positive definite matrices."""
    x = draw(np, *shape, kind=kind, seed=seed)
    return (x @ np.conj(np.swapaxes(x, -1, -2)) + np.eye(shape[-1])).astype(kind)


def with_gradient(paddle, np, function, value):
    """Returns the real result of a function, its dtype and node, and the gradient of its input."""
    x = leaf(paddle, value)
    y = function(x)
    pull(paddle, np, y)
    return [y.numpy(), facts(y)["dtype"], x.grad.numpy()]


def adjoint(x):
    """Returns the conjugate transpose."""
    axes = list(range(x.ndim))
    return x.conj().transpose([*axes[:-2], axes[-1], axes[-2]])


@program
def cholesky_factors(paddle, np):
    """Both triangles, batches, what is read of a matrix that is not symmetric, gradients."""
    linalg = paddle.linalg
    out = {}
    for upper in (False, True):
        for shape in ((3, 3), (2, 2, 2), (1, 1)):
            x = definite(np, *shape)
            out[f"{upper} {shape}"] = with_gradient(
                paddle, np, lambda t, upper=upper: linalg.cholesky(t, upper=upper), x
            )
    lopsided = np.array([[4.0, 1.0], [2.0, 5.0]])
    out["lopsided"] = with_gradient(paddle, np, linalg.cholesky, lopsided)
    out["lopsided, upper"] = with_gradient(paddle, np, lambda t: linalg.cholesky(t, True), lopsided)
    out["float32"] = linalg.cholesky(paddle.to_tensor(definite(np, 2, 2, kind="float32"))).numpy()
    out["empty"] = linalg.cholesky(paddle.zeros([2, 0, 0])).tolist()
    y = leaf(paddle, definite(np, 3, 3))
    out["facts"] = [facts(linalg.cholesky(y)), facts(paddle.cholesky(y)), facts(y.cholesky())]
    return out


@program
def cholesky_refuses(paddle, np):
    """Matrices that are not positive definite, not square, of other dtypes."""
    linalg = paddle.linalg
    return {
        "indefinite": refuses(lambda: linalg.cholesky(paddle.to_tensor([[1.0, 2.0], [2.0, 1.0]]))),
        "one of two": refuses(
            lambda: linalg.cholesky(
                paddle.to_tensor([[[1.0, 0.0], [0.0, 1.0]], [[1.0, 2], [2, 1]]])
            )
        ),
        "float16": refuses(lambda: linalg.cholesky(paddle.ones([2, 2], "float16"))),
        "int": refuses(lambda: linalg.cholesky(paddle.ones([2, 2], "int64"))),
        "wide": attempt(lambda: linalg.cholesky(paddle.ones([2, 3])))["error"] != "",
    }


@program
def cholesky_solutions(paddle, np):
    """cholesky_solve of both triangles with batches; cholesky_inverse and its graph."""
    linalg = paddle.linalg
    out = {}
    for upper in (False, True):
        factor, y = leaf(paddle, np.eye(3) * 3 + draw(np, 3, 3)), leaf(paddle, draw(np, 2, 3, 2))
        solved = linalg.cholesky_solve(y, factor, upper=upper)
        pull(paddle, np, solved)
        factor.clear_grad()
        inverse = linalg.cholesky_inverse(factor, upper=upper)
        pull(paddle, np, inverse)
        out[upper] = [solved.numpy(), y.grad.numpy(), inverse.numpy(), factor.grad.numpy()]
        out[f"{upper} facts"] = [facts(solved), facts(inverse)]
    return out


@program
def qr_factors(paddle, np):
    """Q and R of every mode and shape: products, and gradients that no sign changes."""
    qr = paddle.linalg.qr

    def sizes(x):
        q, r = qr(x)
        return q.abs() @ r.abs()

    out = {}
    for kind in ("float64", "complex128"):
        for shape in ((4, 3), (3, 3), (2, 4), (2, 3, 2)):
            x = paddle.to_tensor(draw(np, *shape, kind=kind))
            for mode in ("reduced", "complete"):
                q, r = qr(x, mode=mode)
                out[f"{kind} {shape} {mode}"] = [
                    (q @ r).numpy(), (adjoint(q) @ q).numpy(), r.abs().numpy(),
                    list(q.shape), list(r.shape),
                ]  # fmt: skip
            out[f"{kind} {shape} r"] = qr(x, mode="r").abs().numpy()
    for shape in ((4, 3), (3, 3), (2, 3, 2), (2, 4)):
        out[f"gradient {shape}"] = with_gradient(paddle, np, sizes, draw(np, *shape))
    out["complex"] = with_gradient(paddle, np, sizes, draw(np, 4, 3, kind="complex128"))
    out["nothing"] = [list(each.shape) for each in qr(paddle.zeros([0, 3]))]
    out["mode"] = refuses(lambda: qr(paddle.ones([2, 2]), mode="full"))
    out["facts"] = [facts(each) for each in qr(leaf(paddle, draw(np, 4, 3)))]
    return out


@program
def singular_values(paddle, np):
    """svd of every shape: values, products, gradients of values and of what no sign changes."""
    svd = paddle.linalg.svd
    out = {}
    for kind in ("float64", "complex128"):
        for shape in ((4, 3), (2, 3), (3, 3), (2, 3, 2)):
            x = draw(np, *shape, kind=kind)
            for full in (False, True):
                u, s, vh = svd(paddle.to_tensor(x), full_matrices=full)
                k = s.shape[-1]
                product = (u[..., :k] * s.unsqueeze(-2).astype(kind)) @ vh[..., :k, :]
                out[f"{kind} {shape} {full}"] = [
                    product.numpy(),
                    s.numpy(),
                    list(u.shape),
                    list(vh.shape),
                ]
            if len(shape) == 2:
                out[f"{kind} {shape} gradient of s"] = with_gradient(
                    paddle, np, lambda t: svd(t)[1], x
                )
            out[f"{kind} {shape} gradient of |u|, |v|"] = [
                with_gradient(paddle, np, lambda t, i=i: svd(t)[i].abs(), x)[2] for i in (0, 2)
            ]
    x = draw(np, 4, 3)
    out["svdvals"] = with_gradient(paddle, np, paddle.linalg.svdvals, x)
    out["repeated"] = with_gradient(paddle, np, paddle.linalg.svdvals, 2 * np.eye(3))[2]
    out["all at once"] = with_gradient(
        paddle, np, lambda t: (svd(t)[0].abs() + svd(t)[1]) @ svd(t)[2].abs(), x
    )
    out["facts"] = [facts(each) for each in svd(leaf(paddle, x))]
    out["facts of svdvals"] = facts(paddle.linalg.svdvals(leaf(paddle, x)))
    out["nothing"] = [list(each.shape) for each in svd(paddle.zeros([2, 0, 3]))]
    out["refused"] = [refuses(lambda: svd(paddle.ones([3])))]
    out["float16"] = refuses(lambda: svd(paddle.ones([2, 2], "float16")))
    return out


@program
def lu_factors(paddle, np):
    """lu, its pivots and infos, lu_unpack, and their gradients."""
    linalg = paddle.linalg
    out = {}
    for kind in ("float64", "complex128"):
        for shape in ((3, 3), (4, 2), (2, 4), (2, 3, 3)):
            x = leaf(paddle, draw(np, *shape, kind=kind))
            packed, pivots, infos = linalg.lu(x, get_infos=True)
            p, lower, upper = linalg.lu_unpack(packed, pivots)
            found = [each.numpy() for each in (packed, pivots, infos, p, lower, upper)]
            pull(paddle, np, packed)
            out[f"{kind} {shape}"] = [*found, (p @ lower @ upper).numpy(), x.grad.numpy()]
    x = leaf(paddle, draw(np, 3, 3))
    p, lower, upper = x.lu_unpack(paddle.to_tensor([2, 3, 3], "int32"))
    pull(paddle, np, lower @ upper)
    out["unpack"] = [x.grad.numpy(), facts(lower), facts(upper)]
    out["singular"] = [
        each.numpy()
        for each in linalg.lu(paddle.to_tensor([[1.0, 2.0], [2.0, 4.0]]), get_infos=True)
    ]
    parts = linalg.lu_unpack(x, paddle.to_tensor([2, 3, 3], "int32"), unpack_ludata=False)
    out["one part"] = [parts[0].numpy(), list(parts[1].shape), list(parts[2].shape)]
    out["facts"] = facts(linalg.lu(x)[0])
    out["without pivots"] = refuses(lambda: linalg.lu(x, pivot=False))
    return out


@program
def lu_solutions(paddle, np):
    """lu_solve of plain and transposed systems, with batches that broadcast, and gradients."""
    linalg = paddle.linalg
    out = {}
    for kind in ("float64", "complex128"):
        for trans in ("N", "T"):
            x, b = (
                leaf(paddle, draw(np, 3, 3, kind=kind)),
                leaf(paddle, draw(np, 2, 3, 2, kind=kind)),
            )
            packed, pivots = linalg.lu(x)
            y = linalg.lu_solve(b, packed, pivots, trans)
            pull(paddle, np, y)
            out[f"{kind} {trans}"] = [y.numpy(), facts(y)]
            if kind == "float64":
                out[f"{trans} db"] = b.grad.numpy()
            if trans == "N":
                out[f"{kind} dx"] = x.grad.numpy()
    square = paddle.eye(2)
    pivots = paddle.to_tensor([1, 2], "int32")
    out["vector"] = attempt(lambda: linalg.lu_solve(paddle.ones([2]), square, pivots))["error"]
    return out


@program
def householder_products(paddle, np):
    """householder_product and ormqr from each side."""
    linalg = paddle.linalg
    out = {}
    for kind in ("float64", "complex128"):
        for shape, count in (((4, 3), 3), ((3, 3), 2), ((2, 3, 2), 2)):
            x = draw(np, *shape, kind=kind)
            tau = paddle.to_tensor(draw(np, *shape[:-2], count, kind=kind, seed=8))
            out[f"{kind} {shape}"] = linalg.householder_product(paddle.to_tensor(x), tau).numpy()
    x, tau = draw(np, 4, 3), draw(np, 3, seed=8)
    for left, transpose, shape in (
        (True, False, (3, 2)), (True, True, (4, 2)),
    ):  # fmt: skip
        y = leaf(paddle, draw(np, *shape, seed=9))
        call = [paddle.to_tensor(x), paddle.to_tensor(tau), y]
        out[f"ormqr {left} {transpose}"] = attempt(
            lambda call=call, left=left, transpose=transpose: linalg.ormqr(
                *call, left=left, transpose=transpose
            ).numpy()
        )
    square = [paddle.to_tensor(draw(np, 3, 3)), paddle.to_tensor(tau)]
    for transpose in (False, True):
        y = paddle.to_tensor(draw(np, 2, 3, seed=9))
        out[f"ormqr from the right {transpose}"] = linalg.ormqr(
            *square, y, False, transpose
        ).numpy()
    wide = paddle.ones([2, 3])
    found = attempt(lambda: linalg.householder_product(wide, paddle.ones([2])))
    out["wide is refused"] = isinstance(found, dict)
    return out
