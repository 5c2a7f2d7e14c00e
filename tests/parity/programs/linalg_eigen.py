"""Eigenvalues and eigenvectors: products, and gradients that no choice of vectors changes."""

from ..probe import attempt, facts, leaf, refuses
from ..registry import program
from .linalg_decompositions import adjoint, definite, draw, with_gradient


@program
def hermitian_eigenvalues(paddle, np):
    """eigh and eigvalsh of both triangles: values, products, gradients."""
    linalg = paddle.linalg
    out = {}
    for kind in ("float64", "complex128"):
        for shape in ((3, 3), (2, 2, 2), (1, 1)):
            x = definite(np, *shape, kind=kind)
            for uplo in ("L", "U"):
                w, v = linalg.eigh(paddle.to_tensor(x), uplo)
                product = (v * w.unsqueeze(-2).astype(kind)) @ adjoint(v)
                out[f"{kind} {shape} {uplo}"] = [w.numpy(), product.numpy(), v.abs().numpy()]
                out[f"{kind} {shape} {uplo} gradient"] = [
                    with_gradient(paddle, np, lambda t, uplo=uplo: linalg.eigvalsh(t, uplo), x)
                    if len(shape) == 2
                    else None,
                    with_gradient(paddle, np, lambda t, uplo=uplo: linalg.eigh(t, uplo)[0], x)
                    if len(shape) == 2
                    else None,
                    with_gradient(
                        paddle, np, lambda t, uplo=uplo: linalg.eigh(t, uplo)[1].abs(), x
                    ),
                ]
    lopsided = draw(np, 3, 3)
    out["lopsided"] = [linalg.eigvalsh(paddle.to_tensor(lopsided), u).numpy() for u in "LU"]
    x = leaf(paddle, definite(np, 3, 3))
    out["facts"] = [facts(each) for each in (*linalg.eigh(x), paddle.eigvalsh(x), x.eigvalsh())]
    out["empty"] = [list(each.shape) for each in linalg.eigh(paddle.zeros([2, 0, 0]))]
    out["repeated"] = with_gradient(paddle, np, linalg.eigvalsh, 2 * np.eye(3))[2]
    return out


@program
def eigh_refuses(paddle, np):
    """Other triangles, shapes and dtypes."""
    eigh, eigvalsh = paddle.linalg.eigh, paddle.linalg.eigvalsh
    return {
        "triangle": attempt(lambda: eigh(paddle.eye(2), "Q"))["error"],
        "wide": attempt(lambda: eigh(paddle.ones([2, 3])))["error"],
        "vector": attempt(lambda: eigh(paddle.ones([3])))["error"],
        "values of wide": refuses(lambda: eigvalsh(paddle.ones([2, 3]))),
        "float16": refuses(lambda: eigh(paddle.ones([2, 2], "float16"))),
        "int": refuses(lambda: eigh(paddle.ones([2, 2], "int64"))),
    }


@program
def general_eigenvalues(paddle, np):
    """eig and eigvals: sorted values, products, gradients of values and of projectors."""
    linalg = paddle.linalg
    out = {}
    for kind in ("float32", "float64", "complex128"):
        for shape in ((3, 3), (2, 2, 2)):
            x = draw(np, *shape, kind=kind)
            w, v = linalg.eig(paddle.to_tensor(x))
            product = (paddle.to_tensor(x).astype(v.dtype) @ v - v * w.unsqueeze(-2)).abs().max()
            rounding = 1e-5 if kind == "float32" else 1e-12
            out[f"{kind} {shape}"] = [
                np.sort_complex(w.numpy().reshape(-1)),
                np.sort_complex(linalg.eigvals(paddle.to_tensor(x)).numpy().reshape(-1)),
                product.item() < rounding, str(w.dtype), str(v.dtype),
            ]  # fmt: skip
    for kind in ("float64", "complex128"):
        x = leaf(paddle, draw(np, 3, 3, kind=kind))
        w, _ = linalg.eig(x)
        (w.real() ** 3 + w.imag() ** 2).sum().backward()
        out[f"{kind} gradient of values"] = x.grad.numpy()
        x.clear_grad()
        w, v = linalg.eig(x)
        (v.abs() ** 3 * w.abs().unsqueeze(0)).sum().backward()
        out[f"{kind} gradient of both"] = x.grad.numpy()
    x = leaf(paddle, draw(np, 3, 3))
    out["facts"] = [facts(each) for each in linalg.eig(x)]
    out["values alone have no gradient"] = linalg.eigvals(x).stop_gradient
    out["empty"] = [list(each.shape) for each in linalg.eig(paddle.zeros([2, 0, 0]))]
    out["wide"] = refuses(lambda: linalg.eig(paddle.ones([2, 3])))
    out["values of wide"] = attempt(lambda: linalg.eigvals(paddle.ones([2, 3])))["error"]
    out["float16"] = refuses(lambda: linalg.eig(paddle.ones([2, 2], "float16")))
    return out
