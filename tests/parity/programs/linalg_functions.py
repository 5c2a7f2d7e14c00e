"""Determinants, powers, the exponential, chains of products, covariances, low ranks."""

from ..probe import attempt, facts, leaf, pull, refuses
from ..registry import program
from .linalg_decompositions import adjoint, draw, with_gradient


def _determinants(paddle, np, kind):
    """Returns det, slogdet and their gradients of single matrices and a batch."""
    det, slogdet = paddle.linalg.det, paddle.linalg.slogdet
    out = {}
    for shape in ((1, 1), (2, 2), (3, 3), (2, 5, 5)):
        x = draw(np, *shape, kind=kind)
        out[f"{kind} {shape}"] = with_gradient(paddle, np, det, x)
        log = slogdet(paddle.to_tensor(x))
        out[f"{kind} {shape} log"] = [log.numpy(), str(log.dtype)]
        if kind != "complex128":
            out[f"{kind} {shape} log gradient"] = with_gradient(paddle, np, slogdet, x)[2]
    return out


@program(rtol=1e-4, reason="the gradient is an inverse, here in float32")
def determinants_in_float32(paddle, np):
    """det and slogdet in single precision."""
    return _determinants(paddle, np, "float32")


@program
def determinants(paddle, np):
    """det and slogdet: values, gradients, batches, no elements, refusals."""
    det, slogdet = paddle.linalg.det, paddle.linalg.slogdet
    out = _determinants(paddle, np, "float64") | _determinants(paddle, np, "complex128")
    singular = paddle.to_tensor([[1.0, 2.0], [2.0, 4.0]])
    out["singular"] = [abs(det(singular).item()), slogdet(singular).numpy()]
    out["empty"] = [det(paddle.zeros(s)).numpy() for s in ([0, 0], [2, 0, 0], [0, 2, 2])]
    out["empty log"] = [slogdet(paddle.zeros(s)).numpy() for s in ([0, 0], [2, 0, 0], [0, 2, 2])]
    x = leaf(paddle, draw(np, 3, 3))
    out["facts"] = [facts(det(x)), facts(slogdet(x)), facts(x.slogdet())]
    out["refused"] = [
        refuses(lambda: det(paddle.ones([2, 3]))), refuses(lambda: slogdet(paddle.ones([2, 3]))),
        refuses(lambda: slogdet(paddle.ones([3]))),
        refuses(lambda: det(paddle.ones([2, 2], "float16"))),
        refuses(lambda: slogdet(paddle.ones([2, 2], "int64"))),
    ]  # fmt: skip
    return out


@program
def matrix_powers(paddle, np):
    """matrix_power of every n; gradients, no elements, refusals."""
    power = paddle.linalg.matrix_power
    out = {}
    for kind in ("float64", "complex128"):
        for n in (-3, -1, 0, 1, 2, 3, 5):
            x = draw(np, 3, 3, kind=kind)
            out[f"{kind} {n}"] = power(paddle.to_tensor(x), n).numpy()
            if kind == "float64":
                out[f"gradient {n}"] = with_gradient(paddle, np, lambda t, n=n: power(t, n), x)
    x = leaf(paddle, draw(np, 2, 2, 2))
    out["batch"] = [power(x, 3).numpy(), facts(x.matrix_power(2))]
    out["empty"] = list(power(paddle.zeros([0, 0]), 2).shape)
    singular = paddle.ones([2, 2])
    out["refused"] = [
        refuses(lambda: power(singular, -1)), refuses(lambda: power(paddle.ones([2, 3]), 2)),
        refuses(lambda: power(singular, 2.0)), refuses(lambda: power(singular.astype("int64"), 2)),
    ]  # fmt: skip
    return out


@program
def matrix_exponentials(paddle, np):
    """matrix_exp of small, large, zero and nilpotent matrices; gradients."""
    exp = paddle.linalg.matrix_exp
    out = {}
    for kind in ("float32", "float64"):
        for size in (1e-3, 0.3, 1.0):
            x = size * draw(np, 3, 3, kind=kind)
            out[f"{kind} {size}"] = with_gradient(paddle, np, exp, x.astype(kind))
    out["batch"] = with_gradient(paddle, np, exp, draw(np, 2, 2, 2))
    out["zeros"] = with_gradient(paddle, np, exp, np.zeros((2, 2)))
    out["nilpotent"] = with_gradient(paddle, np, exp, np.array([[0.0, 1.0], [0.0, 0.0]]))
    out["refused"] = [
        attempt(lambda: exp(paddle.ones([2, 3])))["error"],
        attempt(lambda: exp(paddle.ones([3])))["error"],
    ]
    return out


@program
def chains_of_products(paddle, np):
    """multi_dot of matrices, with vectors at the ends, gradients, refusals."""
    out = {}
    for shapes in (
        ((2, 3), (3, 4)), ((2, 3), (3, 4), (4, 5)), ((10, 2), (2, 10), (10, 2), (2, 3)),
        ((3,), (3, 4), (4,)), ((3,), (3, 4)), ((2, 3), (3,)), ((0, 3), (3, 2), (2, 2)),
    ):  # fmt: skip
        x = [leaf(paddle, draw(np, *shape, seed=i)) for i, shape in enumerate(shapes)]
        y = paddle.linalg.multi_dot(x)
        pull(paddle, np, y)
        out[str(shapes)] = [y.numpy(), [each.grad.numpy() for each in x], facts(y)]
    square, vector = paddle.ones([2, 2]), paddle.ones([2])
    multi_dot = paddle.linalg.multi_dot
    out["refused"] = [
        refuses(lambda: multi_dot([square])), refuses(lambda: multi_dot([square, vector, square])),
        refuses(lambda: multi_dot([square, paddle.ones([3, 2])])),
        refuses(lambda: multi_dot([paddle.ones([1, 2, 2]), square])),
        refuses(lambda: multi_dot([square.astype("float16")] * 2)),
    ]  # fmt: skip
    return out


@program
def covariances(paddle, np):
    """cov and corrcoef with weights, of rows and columns, of one variable; gradients."""
    cov, corrcoef = paddle.linalg.cov, paddle.linalg.corrcoef
    whole = paddle.to_tensor([1, 2, 1, 3])
    parts = paddle.to_tensor([0.1, 0.2, 0.3, 0.4], dtype="float64")
    out = {}
    for number in range(8):
        options = {"ddof": number & 1 > 0}
        options |= {"fweights": whole} if number & 2 else {}
        options |= {"aweights": parts} if number & 4 else {}
        out[number] = with_gradient(
            paddle, np, lambda t, options=options: cov(t, **options), draw(np, 3, 4)
        )
    out["columns"] = with_gradient(paddle, np, lambda t: cov(t, rowvar=False), draw(np, 4, 3))
    out["one"] = with_gradient(paddle, np, cov, draw(np, 4))
    out["one row"] = cov(paddle.to_tensor(draw(np, 1, 4)), rowvar=False).numpy()
    out["correlation"] = [
        with_gradient(paddle, np, lambda t, rows=rows: corrcoef(t, rows), draw(np, 3, 4))
        for rows in (True, False)
    ]
    out["of one"] = corrcoef(paddle.to_tensor(draw(np, 4))).numpy()
    x = leaf(paddle, draw(np, 3, 4))
    out["facts"] = [facts(x.cov()), facts(x.corrcoef())]
    out["refused"] = [
        attempt(lambda: cov(paddle.ones([2, 2, 2])))["error"],
        attempt(lambda: corrcoef(paddle.ones([2, 2, 2])))["error"],
        attempt(lambda: cov(x, fweights=-whole))["error"],
        attempt(lambda: cov(x, fweights=parts))["error"],
        attempt(lambda: cov(x, fweights=whole * 0))["error"],
        attempt(lambda: cov(x, fweights=whole[:3]))["error"],
    ]
    return out


@program(rtol=1e-7, reason="the random projections differ; their last rounding does with them")
def low_rank_decompositions(paddle, np):
    """svd_lowrank and pca_lowrank of matrices of low rank: what no random draw changes."""
    linalg = paddle.linalg
    x = draw(np, 6, 2) @ draw(np, 2, 5, seed=8)
    out = {}
    for value in (x, x.T, np.stack([x, 2 * x])):
        t = paddle.to_tensor(value)
        for function in (linalg.svd_lowrank, linalg.pca_lowrank, lambda t, q: t.svd_lowrank(q)):
            u, s, v = function(t, 2)
            product = (u * s.unsqueeze(-2)) @ adjoint(v)
            centered = value - value.mean(axis=-2, keepdims=True)
            wanted = centered if function is linalg.pca_lowrank else value
            out[f"{value.shape} {function is linalg.pca_lowrank} {len(out)}"] = [
                s.numpy(), list(u.shape), list(v.shape), bool(np.allclose(product.numpy(), wanted)),
            ]  # fmt: skip
    t = paddle.to_tensor(x)
    taken = paddle.to_tensor(draw(np, 1, 5, seed=9))
    out["M"] = linalg.svd_lowrank(t, q=3, M=taken)[1].numpy()
    out["not centered"] = linalg.pca_lowrank(t, q=2, center=False)[1].numpy()
    out["all"] = linalg.svd_lowrank(paddle.to_tensor(draw(np, 4, 3)))[1].numpy()
    out["refused"] = [
        attempt(lambda: linalg.svd_lowrank(t, q=7)),
        attempt(lambda: linalg.svd_lowrank(t, niter=-1)),
        attempt(lambda: linalg.pca_lowrank(t, q=7)),
    ]  # fmt: skip
    return out
