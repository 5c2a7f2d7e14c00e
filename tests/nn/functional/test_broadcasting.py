"""Operands that broadcast along the axis of a reduction count as often as they are repeated.

The function of operands that broadcast is the function of the operands spread out, and their
gradient the sum of the gradients of the copies.
"""

import itertools

import numpy as np
import pytest

import jaxeager as paddle

pytestmark = pytest.mark.filterwarnings("ignore:.* are broadcast to ")

F = paddle.nn.functional
FULL = (3, 4)

# Functions that reduce after broadcasting, or along with it, and the kinds of their operands: any
# number, positive, a probability, a sign.
FUNCTIONS = {
    "cosine_similarity along 0": ("nn", lambda x, y: F.cosine_similarity(x, y, axis=0)),
    "cosine_similarity along 1": ("nn", lambda x, y: F.cosine_similarity(x, y, axis=1)),
    "cosine_similarity along -1": ("nn", lambda x, y: F.cosine_similarity(x, y, axis=-1)),
    "CosineSimilarity": ("nn", lambda x, y: paddle.nn.CosineSimilarity(axis=0)(x, y)),
    "pairwise_distance": ("nn", lambda x, y: F.pairwise_distance(x, y)),
    "pairwise_distance of 1": ("nn", lambda x, y: F.pairwise_distance(x, y, p=1, keepdim=True)),
    "PairwiseDistance": ("nn", lambda x, y: paddle.nn.PairwiseDistance(p=3.0)(x, y)),
    "dist": ("nn", lambda x, y: paddle.dist(x, y, 2)),
    "dist of 1": ("nn", lambda x, y: paddle.dist(x, y, 1)),
    "vecdot": ("nn", lambda x, y: paddle.linalg.vecdot(x, y, axis=0)),
    "margin_ranking_loss": ("nns", lambda x, y, sign: F.margin_ranking_loss(x, y, sign, 0.1)),
    "hinge_embedding_loss": ("ns", lambda x, sign: F.hinge_embedding_loss(x, sign)),
    "mse_loss": ("nn", lambda x, y: F.mse_loss(x, y)),
    "l1_loss": ("nn", lambda x, y: F.l1_loss(x, y)),
    "binary_cross_entropy, weight": (
        "p",
        lambda w: F.binary_cross_entropy(given("u"), given("u", 7), w),
    ),
    "with logits, weights": (
        "pp",
        lambda w, pos: F.binary_cross_entropy_with_logits(
            given("n"), given("u"), w, pos_weight=pos
        ),
    ),
    "multi_label_soft_margin_loss": (
        "p",
        lambda w: F.multi_label_soft_margin_loss(given("n"), given("u"), w),
    ),
    "lerp": ("nnu", lambda x, y, w: paddle.lerp(x, y, w).sum(0)),
    "einsum": ("nn", lambda x, y: paddle.einsum("ij,ij->i", x, y)),
}


def numbers(kind, shape, seed):
    drawn = np.random.default_rng(seed).normal(size=shape)
    return {
        "n": drawn,
        "p": np.abs(drawn) + 0.5,
        "u": 1 / (1 + np.exp(-drawn)),
        "s": np.where(drawn > 0, 1.0, -1.0),
    }[kind]


def given(kind, seed=5):
    """Return a constant operand of the full shape."""
    return paddle.to_tensor(numbers(kind, FULL, seed))


def run(function, arrays):
    """Return the value, and the gradients of the operands."""
    operands = [paddle.to_tensor(array, stop_gradient=False) for array in arrays]
    out = function(*operands)
    seed = np.linspace(0.5, 1.5, out.size).reshape(out.shape)
    out.backward(paddle.to_tensor(seed))
    return out.numpy(), [
        np.zeros(array.shape) if operand.grad is None else operand.grad.numpy()
        for operand, array in zip(operands, arrays, strict=True)
    ]


def folded(gradient, shape):
    """Sum the gradients of the copies of an element."""
    gradient = gradient.sum(tuple(range(gradient.ndim - len(shape))))
    axes = tuple(n for n, size in enumerate(shape) if size == 1)
    return gradient.sum(axes, keepdims=True).reshape(shape)


NARROW = [(1, 4), (3, 1), (1, 1)]


def shapes_of(count):
    """Yield shapes: each operand is the narrow one once, and each two are narrow crosswise."""
    for which in range(count):
        for shape in NARROW:
            yield [shape if n == which else FULL for n in range(count)]
    for one, other in itertools.combinations(range(count), 2):
        shapes = [FULL] * count
        shapes[one], shapes[other] = NARROW[:2]
        yield shapes


CASES = [(name, shapes) for name in FUNCTIONS for shapes in shapes_of(len(FUNCTIONS[name][0]))]


@pytest.mark.parametrize(
    ("name", "shapes"),
    [
        pytest.param(name, s, id=f"{name}-{s}", marks=pytest.mark.deep if (1, 1) in s else ())
        for name, s in CASES
    ],
)
def test_broadcast_operands_give_the_result_of_repeated_operands(name, shapes):
    kinds, function = FUNCTIONS[name]
    arrays = [numbers(k, s, n) for n, (k, s) in enumerate(zip(kinds, shapes, strict=True))]
    spread = np.broadcast_shapes(*shapes)  # varied operands need not fill the others
    copies = [np.ascontiguousarray(np.broadcast_to(array, spread)) for array in arrays]
    value, gradients = run(function, arrays)
    expected, wanted = run(function, copies)
    np.testing.assert_allclose(value, expected, rtol=1e-12)
    for gradient, each, shape in zip(gradients, wanted, shapes, strict=True):
        np.testing.assert_allclose(gradient, folded(each, shape), rtol=1e-9, atol=1e-13)


def test_cosine_similarity_is_that_of_numpy():
    x, y = numbers("n", (3, 4), 0), numbers("n", (4,), 1)
    for axis in (0, 1, -2):
        found = F.cosine_similarity(paddle.to_tensor(x), paddle.to_tensor(y), axis=axis).numpy()
        wide = np.broadcast_to(y, x.shape)
        lengths = np.sqrt((x * x).sum(axis) * (wide * wide).sum(axis))
        np.testing.assert_allclose(found, (x * wide).sum(axis) / lengths, rtol=1e-12)


@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
@pytest.mark.parametrize(("scale", "length"), [(1, 4096), (300, 8), (2**-13, 8), (0, 8)])
def test_cosine_similarity_of_halves_is_that_of_float32(dtype, scale, length):
    """In float16 the squares of these lengths are infinite, or 0, and so is the eps of 0."""
    x = paddle.full([2, length], scale, dtype)
    x.stop_gradient = False
    out = F.cosine_similarity(x, -x)
    assert out.dtype.name == dtype
    assert out.tolist() == ([0, 0] if scale == 0 else [-1, -1])
    out.sum().backward()
    assert x.grad.dtype.name == dtype
    assert abs(x.grad.astype("float64").numpy()).max() < 1e-3  # the angle stays the same


def test_cosine_similarity_of_a_half_and_a_float_is_a_float():
    x, y = paddle.full([1, 8], 300, "bfloat16"), paddle.full([1, 8], 300, "float32")
    assert F.cosine_similarity(x, y).dtype.name == "float32"
    np.testing.assert_allclose(F.cosine_similarity(x, y).numpy(), [1], rtol=1e-6)
