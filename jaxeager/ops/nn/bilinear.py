"""The bilinear row: a bilinear form of two vectors, with one matrix per output."""

import jax.numpy as jnp
import numpy as np

from jaxeager.errors import InvalidArgumentError
from jaxeager.ops.register import op
from jaxeager.ops.rules.axes import same_dtype
from jaxeager.ops.rules.real_only import real_only
from jaxeager.ops.rules.samples import BadInput, Sample, values


@real_only
def bilinear_forward(x, y, weight, bias=None):
    """Return x[n, i] * weight[o, i, j] * y[n, j] summed over i and j, plus the bias."""
    _check(x, y, weight, bias)
    out = jnp.einsum("ni,oij,nj->no", x, weight, y)
    return out if bias is None else out + bias


def _check(x, y, weight, bias) -> None:
    for what, array in (("X", x), ("Y", y)):
        if array.ndim != 2:
            raise ValueError(f"The input({what}) must be a 2D Tensor, but is {list(array.shape)}.")
    if weight.ndim != 3:
        raise ValueError(f"The input(Weight) must be a 3D tensor, but is {list(weight.shape)}.")
    if x.shape[0] != y.shape[0]:
        raise ValueError(
            "The first dimension(batch_size) of input(X) must be equal to the first dimension of "
            f"the input(Y), but they are {x.shape[0]} and {y.shape[0]}."
        )
    if (x.shape[1], y.shape[1]) != weight.shape[1:]:
        raise ValueError(
            "The second dimension of input(X) must be equal to the second dimension of the "
            "input(Weight), and that of input(Y) to the third, but the shapes are "
            f"{list(x.shape)}, {list(weight.shape)} and {list(y.shape)}."
        )
    same_dtype(x, y)
    if bias is not None and bias.shape != (1, weight.shape[0]):
        raise ValueError(
            "The Input(Bias) must be a 2-D tensor with the 2nd dimension fixed to 1 (a row "
            f"vector): {[1, weight.shape[0]]}, not {list(bias.shape)}."
        )


def bilinear_reference(x, y, weight, bias=None):
    """Multiply one output at a time."""
    outs = [((x @ matrix) * y).sum(1) for matrix in weight]
    return np.stack(outs, 1) + (0 if bias is None else bias)


def bilinear_samples():
    """Yield a bias, no bias, no samples."""
    weight = values((2, 3, 4), seed=1)
    yield Sample(values((5, 3)), values((5, 4), seed=2), weight, values((1, 2), seed=3))
    yield Sample(values((5, 3)), values((5, 4), seed=2), weight)
    yield Sample(values((0, 3)), values((0, 4)), weight)


def bilinear_errors():
    """Yield sizes that do not fit."""
    bad, weight = InvalidArgumentError, values((2, 3, 4))
    yield BadInput((values((3,)), values((5, 4)), weight), {}, bad, "(X) must be a 2D")
    yield BadInput((values((5, 3)), values((5, 4)), weight[0]), {}, bad, "must be a 3D tensor")
    yield BadInput((values((5, 3)), values((4, 4)), weight), {}, bad, "batch_size")
    yield BadInput((values((5, 2)), values((5, 4)), weight), {}, bad, "input(Weight)")
    four = (values((5, 3)), values((5, 4)), weight, values((2,)))
    yield BadInput(four, {}, bad, "a row vector")


bilinear = op(
    "bilinear",
    bilinear_forward,
    saves="x y weight bias",
    public=None,
    reference=bilinear_reference,
    samples=bilinear_samples,
    errors=bilinear_errors,
    formula="dx = einsum('no,oij,nj->ni', dout, weight, y); dy = einsum('no,oij,ni->nj', dout, "
    "weight, x); dweight = einsum('no,ni,nj->oij', dout, x, y); dbias = dout, summed to bias",
    doc="Multiply two batches of vectors by a matrix for each output; recorded by F.bilinear.",
    example="paddle.nn.functional.bilinear(paddle.ones([1, 2]), paddle.ones([1, 3]), "
    "paddle.ones([1, 2, 3]))",
)
