"""The matmul family: shapes, transposes, broadcasting, gradients."""

from ..probe import array, attempt, leaf, pull
from ..registry import program


def _run(paddle, np, functions, *shapes):
    out = {}
    for text, function in functions.items():
        r = np.random.default_rng(21)
        tensors = [leaf(paddle, r.normal(size=shape)) for shape in shapes]
        y = function(*tensors)
        pull(paddle, np, y)
        out[text] = [y.numpy(), [array(t.grad) for t in tensors], y.grad_fn.name()]
    return out


@program
def matmul_shapes(paddle, np):
    """matmul of vectors, matrices and batches, with and without broadcasting."""
    out = {}
    for one, other in [
        ((3,), (3,)), ((2, 3), (3,)), ((3,), (3, 2)), ((2, 3), (3, 4)), ((5, 2, 3), (3, 4)),
        ((2, 3), (5, 3, 4)), ((5, 2, 3), (5, 3, 4)), ((5, 1, 2, 3), (5, 4, 3, 2)),
        ((5, 2, 3), (3,)), ((1, 1), (1, 1)), ((0, 3), (3, 2)),
    ]:  # fmt: skip
        out[f"{one} {other}"] = _run(paddle, np, {"@": lambda x, y: x @ y}, one, other)["@"]
    return out


@program
def matmul_transposes(paddle, np):
    """transpose_x and transpose_y."""
    functions = {
        f"{tx} {ty}": lambda x, y, tx=tx, ty=ty: paddle.matmul(
            x if not tx else x.reshape([3, 2]),
            y if not ty else y.reshape([4, 3]),
            transpose_x=tx,
            transpose_y=ty,
        )
        for tx in (False, True)
        for ty in (False, True)
    }
    return _run(paddle, np, functions, (2, 3), (3, 4))


@program
def products(paddle, np):
    """mm, bmm, mv, dot, outer, inner, addmm, t."""
    square, vector = (3, 3), (3,)
    return {
        **_run(paddle, np, {"mm": paddle.mm, "inner": paddle.inner}, square, square),
        **_run(paddle, np, {"mv": paddle.mv}, square, vector),
        **_run(paddle, np, {"dot": paddle.dot, "outer": paddle.outer}, vector, vector),
        **_run(paddle, np, {"bmm": paddle.bmm}, (2, 3, 4), (2, 4, 2)),
        **_run(
            paddle,
            np,
            {"addmm": lambda i, x, y: paddle.addmm(i, x, y, beta=0.5, alpha=2.0)},
            square,
            square,
            square,
        ),
    }


@program
def einsums(paddle, np):
    """einsum of two operands, with sums, batches and transposes."""
    equations = {
        "ij,jk->ik": ((2, 3), (3, 4)),
        "bij,bjk->bik": ((2, 3, 2), (2, 2, 3)),
        "i,j->ij": ((3,), (2,)),
    }
    out = {}
    for equation, (one, other) in equations.items():
        out[equation] = _run(
            paddle, np, {"e": lambda x, y, e=equation: paddle.einsum(e, x, y)}, one, other
        )["e"][:2]
    return out


@program
def matmul_refused(paddle, np):
    """Inner sizes that do not meet, 0-D operands."""
    x = paddle.ones([2, 3])
    return {
        "inner": attempt(lambda: x @ x)["error"],
        "bmm": attempt(lambda: paddle.bmm(x, x))["error"],
    }
