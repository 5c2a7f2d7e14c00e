"""Norms of vectors and matrices in every form, condition numbers."""

from ..probe import array, attempt, facts, leaf, pull
from ..registry import program
from .linalg_decompositions import draw, with_gradient

INF = float("inf")


@program
def vector_norms(paddle, np):
    """vector_norm of every order over one axis, several and all; gradients."""
    norm = paddle.linalg.vector_norm
    out = {}
    for p in (0, 1, 2, 2.0, 3.5, -1, INF, -INF):
        for axis in (None, 0, -1, [1], [0, 2], (0, 1, 2)):
            x = leaf(paddle, draw(np, 2, 3, 2, kind="float32"))
            y = norm(x, p, axis=axis, keepdim=p == 1)
            pull(paddle, np, y)
            out[f"{p} {axis}"] = [y.numpy(), array(x.grad) if p else None]
    out["complex"] = with_gradient(paddle, np, norm, draw(np, 2, 3, kind="complex128"))
    out["dtype"] = str(norm(paddle.ones([2]), dtype="float64").dtype)
    out["aliases"] = norm(paddle.ones([2, 2]), ord=1, dim=0).numpy()
    out["facts"] = facts(norm(leaf(paddle, draw(np, 2, 3)), axis=1))
    empty = paddle.zeros([0, 3])
    out["empty"] = [norm(empty).numpy(), norm(empty, INF).numpy(), norm(empty, INF, 0).numpy()]
    out["p"] = attempt(lambda: norm(paddle.ones([2]), "fro"))["error"]
    return out


@program
def matrix_norms(paddle, np):
    """matrix_norm of every order, over any two axes, kept or not; gradients, refusals."""
    norm = paddle.linalg.matrix_norm
    out = {}
    for p in ("fro", "nuc", 1, -1, 2, -2, INF, -INF):
        for axis in ([-2, -1], [0, 1], (2, 0)):
            for keepdim in (False, True):
                x = leaf(paddle, draw(np, 2, 3, 4))
                y = norm(x, p, axis=axis, keepdim=keepdim)
                pull(paddle, np, y)
                out[f"{p} {axis} {keepdim}"] = [y.numpy(), x.grad.numpy(), facts(y)]
        if p != "fro":
            out[f"complex {p}"] = with_gradient(
                paddle, np, lambda t, p=p: norm(t, p), draw(np, 3, 2, kind="complex128")
            )
    x = paddle.ones([2, 2])
    out["refused"] = [
        attempt(lambda: norm(x, 5)), attempt(lambda: norm(x, "x")),
        attempt(lambda: norm(x, axis=[0, 1, 0])), attempt(lambda: norm(x[0]))["error"],
    ]  # fmt: skip
    return out


@program
def norms_of_everything(paddle, np):
    """norm: which of the two it is, by order and axes; dtype, out and aliases."""
    norm = paddle.linalg.norm
    out = {}
    for p in (None, "fro", "nuc", 0, 1, 2, -2, 3, INF, -INF):
        for axis in (None, 0, [0], [0, 1], [1, 0]):
            x = leaf(paddle, draw(np, 3, 4, kind="float32"))
            found = attempt(lambda x=x, p=p, axis=axis: norm(x, p, axis))
            if isinstance(found, dict):
                out[f"{p} {axis}"] = found["error"] in ("ValueError", "TypeError")
                continue
            pull(paddle, np, found)
            out[f"{p} {axis}"] = [found.numpy(), array(x.grad), facts(found)]
    x, target = paddle.to_tensor(draw(np, 3, 4)), paddle.zeros([])
    out["out"] = [norm(x, out=target).numpy(), target.numpy()]
    out["dtype"] = str(norm(x, dtype="float32").dtype)
    out["aliases"] = [paddle.norm(input=x, ord=1, dim=0).numpy(), norm(A=x, keepdim=True).numpy()]
    out["three axes"] = norm(paddle.ones([2, 2, 2]), 2, axis=[0, 1, 2]).numpy()
    out["refused"] = [
        attempt(lambda: norm(x, "x"))["error"],
        attempt(lambda: norm(paddle.ones([2, 2, 2]), "nuc"))["error"],
        attempt(lambda: norm(paddle.ones([2, 2, 2]), "fro", axis=[0, 1, 2]))["error"],
    ]
    return out


@program
def condition_numbers(paddle, np):
    """cond of every order, of batches, of matrices of no elements; gradients, refusals."""
    cond = paddle.linalg.cond
    out = {}
    for p in (None, "fro", "nuc", 1, -1, 2, -2, INF, -INF):
        for shape in ((3, 3), (2, 2, 2)):
            out[f"{p} {shape}"] = with_gradient(
                paddle, np, lambda t, p=p: cond(t, p), draw(np, *shape)
            )
        if p != "fro":
            out[f"{p} complex"] = cond(
                paddle.to_tensor(draw(np, 3, 3, kind="complex128")), p
            ).numpy()
    out["tall"] = cond(paddle.to_tensor(draw(np, 4, 3))).numpy()
    out["empty"] = [cond(paddle.zeros(shape), p).numpy() for shape in ([0, 0], [2, 0, 0], [0, 2, 2])
                    for p in (1, 2)]  # fmt: skip
    out["facts"] = [facts(cond(leaf(paddle, draw(np, 3, 3)), p)) for p in (2, -2, 1, "fro")]
    x = paddle.ones([2, 3])
    out["refused"] = [
        attempt(lambda: cond(x, 1)), attempt(lambda: cond(x, 3)), attempt(lambda: cond(x[0])),
        attempt(lambda: cond(paddle.ones([2, 2]), 1))["error"],
    ]  # fmt: skip
    return out
