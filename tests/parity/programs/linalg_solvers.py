"""Systems of equations, inverses and least squares."""

from ..probe import array, attempt, facts, leaf, pull, refuses
from ..registry import program
from .linalg_decompositions import definite, draw, with_gradient


@program
def inverses(paddle, np):
    """inv, inverse, Tensor.inverse: values, gradients, batches, no elements, refusals."""
    inv = paddle.linalg.inv
    out = {}
    for kind in ("float32", "float64", "complex128"):
        for shape in ((3, 3), (2, 2, 2), (1, 1)):
            x = draw(np, *shape, kind=kind) + 3 * np.eye(shape[-1], dtype=kind)
            out[f"{kind} {shape}"] = with_gradient(paddle, np, inv, x)
    x = leaf(paddle, draw(np, 3, 3))
    out["facts"] = [facts(inv(x)), facts(paddle.inverse(x)), facts(x.inverse())]
    out["empty"] = [
        list(inv(paddle.zeros(shape)).shape) for shape in ([0, 0], [2, 0, 0], [0, 2, 2])
    ]
    out["refused"] = [
        refuses(lambda: inv(paddle.to_tensor([[1.0, 2.0], [2.0, 4.0]]))),
        refuses(lambda: inv(paddle.zeros([2, 2, 2]))),
        refuses(lambda: inv(paddle.ones([2, 3]))),
        refuses(lambda: inv(paddle.ones([3]))),
        refuses(lambda: inv(paddle.ones([2, 2], "float16"))),
        refuses(lambda: inv(paddle.ones([2, 2], "int64"))),
    ]
    return out


@program
def square_systems(paddle, np):
    """solve with vectors, matrices, batches that broadcast, from the right, its aliases."""
    solve = paddle.linalg.solve
    out = {}
    for left, right in [
        ((3, 3), (3, 2)), ((3, 3), (3,)), ((2, 3, 3), (2, 3)), ((2, 3, 3), (3,)),
        ((3, 3, 3), (3, 3)), ((2, 1, 3, 3), (4, 3, 1)), ((3, 3), (2, 3, 1)), ((2, 3, 3), (3, 2)),
    ]:  # fmt: skip
        x, y = leaf(paddle, draw(np, *left)), leaf(paddle, draw(np, *right, seed=8))
        found = attempt(lambda x=x, y=y: solve(x, y))
        if isinstance(found, dict):
            out[f"{left} {right}"] = found["error"]
            continue
        pull(paddle, np, found)
        out[f"{left} {right}"] = [found.numpy(), array(x.grad), array(y.grad), facts(found)]
    x, y = leaf(paddle, draw(np, 3, 3)), leaf(paddle, draw(np, 2, 3, seed=8))
    found = solve(x, y, left=False)
    pull(paddle, np, found)
    out["from the right"] = [found.numpy(), x.grad.numpy(), y.grad.numpy(), facts(found)]
    target = paddle.zeros([3, 3])
    out["aliases"] = solve(A=x, B=y.T, out=target).numpy()
    out["out"] = target.numpy()
    out["method"] = x.solve(y.T).numpy()
    out["empty"] = [
        list(solve(paddle.zeros([0, 0]), paddle.zeros([0, 2])).shape),
        list(solve(x, paddle.zeros([3, 0], "float64")).shape),
    ]
    out["refused"] = [
        refuses(lambda: solve(paddle.ones([2, 2]), paddle.ones([2, 1]))),
        refuses(lambda: solve(paddle.ones([2, 3]), paddle.ones([2, 1]))),
        refuses(lambda: solve(paddle.ones([2, 2], "int64"), paddle.ones([2, 1], "int64"))),
        attempt(lambda: solve(x, paddle.ones([3], "float64"), left=False))["error"],
    ]
    return out


@program
def triangular_systems(paddle, np):
    """triangular_solve of each triangle, transposed, with ones on the diagonal; gradients."""
    out = {}
    for kind in ("float64", "complex128"):
        for number in range(8):
            upper, transpose, ones = number & 1 > 0, number & 2 > 0, number & 4 > 0
            x = leaf(paddle, draw(np, 3, 3, kind=kind) + 3 * np.eye(3, dtype=kind))
            y = leaf(paddle, draw(np, 2, 3, 2, kind=kind, seed=8))
            found = paddle.linalg.triangular_solve(x, y, upper, transpose, ones)
            pull(paddle, np, found)
            dx = None if ones and not upper else x.grad.numpy()
            out[f"{kind} {upper} {transpose} {ones}"] = [
                found.numpy(), dx, y.grad.numpy(), facts(found),
            ]  # fmt: skip
    singular = paddle.to_tensor([[1.0, 2.0], [0.0, 0.0]])
    out["singular"] = paddle.linalg.triangular_solve(singular, paddle.ones([2, 1])).numpy()
    out["vector"] = refuses(lambda: paddle.linalg.triangular_solve(paddle.eye(2), paddle.ones([2])))
    return out


@program
def least_squares(paddle, np):
    """lstsq with every driver: all four results, of tall, wide, square and deficient matrices."""
    lstsq = paddle.linalg.lstsq
    systems = {
        "tall": (draw(np, 4, 3), draw(np, 4, 2, seed=8)),
        "wide": (draw(np, 3, 4), draw(np, 3, 2, seed=8)),
        "square": (draw(np, 3, 3), draw(np, 3, 1, seed=8)),
        "batch": (draw(np, 2, 4, 3), draw(np, 2, 4, 1, seed=8)),
        "deficient": (np.ones((4, 2)), np.arange(4.0)[:, None]),
    }
    out = {}
    for name, (x, y) in systems.items():
        for driver in (None, "gels", "gelsy", "gelsd", "gelss"):
            if (name, driver) == ("deficient", "gels"):
                continue  # numbers of 1e15, from rounding
            found = lstsq(paddle.to_tensor(x), paddle.to_tensor(y), driver=driver)
            out[f"{name} {driver}"] = [each.numpy() for each in found]
    x = paddle.to_tensor(np.diag([4.0, 1.0]), stop_gradient=False)
    found = lstsq(x, paddle.ones([2, 1], "float64"), rcond=0.5, driver="gelsd")
    out["rcond"] = [each.numpy() for each in found]
    out["no gradient"] = found[0].stop_gradient
    out["refused"] = [
        attempt(lambda: lstsq(x, x, driver="foo"))["error"],
        attempt(lambda: lstsq(x, paddle.ones([2], "float64")))["error"],
        attempt(lambda: lstsq(x, paddle.ones([3, 1], "float64")))["error"],
        attempt(lambda: lstsq(x, paddle.ones([2, 1])))["error"],
    ]
    return out


@program
def pseudo_inverses(paddle, np):
    """pinv of every shape, with a cut, of Hermitian matrices; gradients."""
    pinv = paddle.linalg.pinv
    out = {}
    for shape in ((4, 3), (3, 4), (3, 3), (2, 3, 2)):
        out[str(shape)] = with_gradient(paddle, np, pinv, draw(np, *shape))
    for kind in ("float64", "complex128"):
        x = definite(np, 3, 3, kind=kind)
        out[kind] = with_gradient(paddle, np, lambda t: pinv(t, hermitian=True), x)
    out["cut"] = with_gradient(paddle, np, lambda t: pinv(t, rcond=0.5), draw(np, 4, 3))
    out["cut by a tensor"] = pinv(
        paddle.to_tensor(np.stack([np.diag([4.0, 1.0])] * 2)),
        rcond=paddle.to_tensor([[0.5], [0.1]], "float64"),
    ).numpy()
    out["at the limit"] = pinv(paddle.to_tensor(np.diag([4.0, 2.0])), rcond=0.5).numpy()
    out["zeros"] = pinv(paddle.zeros([2, 3])).numpy()
    out["empty"] = [list(pinv(paddle.zeros(shape)).shape) for shape in ([0, 3], [3, 0], [2, 0, 0])]
    out["float16"] = refuses(lambda: pinv(paddle.ones([2, 2], "float16")))
    return out


@program
def matrix_ranks(paddle, np):
    """matrix_rank with each kind of limit, numbers and tensors, of Hermitian matrices."""
    rank = paddle.linalg.matrix_rank
    x = paddle.to_tensor(np.diag([10.0, 1.0, 1e-3]))
    batch = paddle.to_tensor(np.stack([np.diag([10.0, 1.0]), np.ones((2, 2))]))

    def tensor(values):
        return paddle.to_tensor(values, "float64")

    tiny = paddle.to_tensor(np.diag([1.0, 1e-17]))
    found = [
        rank(x), rank(x, tol=0.1), rank(x, tol=2.0), rank(x, atol=0.1), rank(x, rtol=0.01),
        rank(x, atol=0.5, rtol=0.2), rank(batch), rank(batch, tol=tensor([2.0, 0.1])),
        rank(batch, atol=tensor([2.0, 0.1]), rtol=tensor([0.01, 0.5])), rank(batch, rtol=0.5),
        rank(paddle.to_tensor(np.diag([10.0, -1.0])), hermitian=True),
        rank(paddle.to_tensor(np.diag([10.0, -1.0])), tol=2.0, hermitian=True),
        rank(tiny), rank(tiny, tol=0.0), rank(tiny, rtol=0.0), rank(tiny, atol=1e-20),
        rank(paddle.ones([2, 3])), rank(paddle.zeros([2, 0, 3])), rank(paddle.zeros([0, 2, 2])),
        rank(paddle.to_tensor(draw(np, 3, 3, kind="complex128"))), rank(paddle.zeros([2, 2])),
    ]  # fmt: skip
    return {
        "ranks": [each.numpy() for each in found],
        "dtype": str(found[0].dtype),
        "refused": [
            attempt(lambda: rank(x, tol=0.1, rtol=0.1))["error"],
            refuses(lambda: rank(paddle.ones([3]))),
            refuses(lambda: rank(paddle.ones([2, 2], "int64"))),
        ],
    }
