"""Forms of arguments that few programs use: act=, meshgrid(out=), sizes of 0, complex and real."""

from ..probe import array, attempt, error_of, facts, leaf, refuses
from ..registry import differs, program


@program
def scale_with_an_activation(paddle, np):
    acts = """abs acos acosh asin asinh atan atanh ceil celu cos cosh elu erf exp expm1 floor gelu
        hard_shrink hard_sigmoid hard_swish log log10 log1p log2 log_softmax logsigmoid mish
        reciprocal relu relu6 round rsqrt selu sigmoid sign silu sin sinh softmax softshrink
        softsign sqrt square swish tan tanh tanh_shrink thresholded_relu""".split()
    x = paddle.to_tensor([[0.5, 2.0, 3.0, 0.1], [-0.4, 0.2, 5.0, 0.6]])
    seen = {act: array(paddle.scale(x, 0.5, 0.25, act=act)) for act in acts}
    for act in ("relu", "tanh", "sigmoid", "gelu", "softmax"):
        y = leaf(paddle, [-0.5, 2.0])
        out = y.scale(2.0, 0.1, act=act)
        (out * out).sum().backward()
        seen[f"gradient of {act}"] = array(y.grad)
    return {
        **seen,
        "by position": array(paddle.scale(x, 0.5, 0.25, False, "relu")),
        "unknown": isinstance(attempt(lambda: paddle.scale(x, act="foo")), dict),
    }


@differs(
    "scale_ ignores act",
    right="NotImplementedError",
    paddle_gives=[-2.0, 4.0],
)
def scale_in_place_with_an_activation(paddle, np):
    x = paddle.to_tensor([-1.0, 2.0])
    found = attempt(lambda: x.scale_(2.0, act="relu").tolist())
    return found["error"] if isinstance(found, dict) else found


@differs(
    "meshgrid ignores out",
    right=[[[1.0, 1.0, 1.0], [2.0, 2.0, 2.0]], [[3.0, 4.0, 5.0], [3.0, 4.0, 5.0]]],
    paddle_gives=[[[0.0] * 3] * 2] * 2,
)
def meshgrid_into_tensors(paddle, np):
    out = [paddle.zeros([2, 3]), paddle.zeros([2, 3])]
    vectors = paddle.to_tensor([1.0, 2.0]), paddle.to_tensor([3.0, 4.0, 5.0])
    paddle.meshgrid(*vectors, out=out)
    return [each.tolist() for each in out]


@program
def results_of_meshgrid_with_out(paddle, np):
    vectors = [paddle.to_tensor([1.0, 2.0]), paddle.to_tensor([3.0, 4.0, 5.0])]
    out = [paddle.zeros([3, 2]), paddle.zeros([3, 2])]
    found = paddle.meshgrid(vectors, indexing="xy", out=out)
    return [array(each) for each in [*found, *paddle.meshgrid(vectors, out=None)]]


@program
def sizes_of_unfold(paddle, np):
    unfold = paddle.nn.functional.unfold
    x = paddle.arange(16, dtype="float32").reshape([1, 1, 4, 4])
    return [
        error_of(lambda: unfold(x, [2])),
        error_of(lambda: unfold(x, (2, 2, 2))),
        error_of(lambda: unfold(x, 2, [2])),
        error_of(lambda: unfold(x, 2, 1, 0, [1])),
        error_of(lambda: unfold(x, 2, 1, [1])),
        array(unfold(x, (2, 2), 1, (1, 0, 0, 0))),
    ]


@program
def complex_diagonals_of_real_matrices(paddle, np):
    """Only its values: in Paddle gradients do not reach the diagonal."""
    matrix, diagonal = paddle.to_tensor([[1.0, 2.0], [3.0, 4.0]]), paddle.to_tensor([1 + 1j, 2.0])
    scatter = paddle.diagonal_scatter
    x = leaf(paddle, [[1.0, 2.0], [3.0, 4.0]])
    out = scatter(x, diagonal)
    (out * out.conj()).real().sum().backward()
    return {
        "complex64": facts(scatter(matrix, diagonal)),
        "complex128": facts(scatter(matrix, diagonal.astype("complex128"))),
        "both double": facts(scatter(matrix.astype("float64"), diagonal.astype("complex128"))),
        "real diagonal": facts(scatter(matrix.astype("complex64"), matrix[0])),
        "values": array(out),
        "grad": array(x.grad),
    }


@program
def promotion_of_the_first_complex_operand(paddle, np):
    """A complex operand takes real ones, a real first operand no complex ones."""
    z, x = paddle.to_tensor([1 + 1j, 2.0]), paddle.to_tensor([1.0, 2.0])
    one = (paddle.to_tensor([0]),)
    upper = paddle.to_tensor([[1.0, 2.0], [0.0, 4.0]])
    solve = paddle.linalg.triangular_solve
    return {
        "complex first": [
            array(paddle.stack([z, x])),
            array(paddle.add_n([z, x])),
            array(paddle.index_put(z, one, x[:1])),
            array(paddle.isclose(z, x)),
            array(solve(upper.astype("complex64"), upper)),
        ],
        "real first": [
            refuses(lambda: paddle.stack([x, z]))["error"],
            refuses(lambda: paddle.add_n([x, z]))["error"],
            refuses(lambda: paddle.index_put(x, one, z[:1]))["error"],
            refuses(lambda: paddle.isclose(x, z))["error"],
            refuses(lambda: solve(upper, upper.astype("complex64")))["error"],
        ],
    }


@program
def numbers_of_where(paddle, np):
    """Two bools, a bool next to bools, and numbers of NumPy."""
    where, mask = paddle.where, paddle.to_tensor([True, False, True])
    bools = paddle.to_tensor([True, True, False])
    found = [
        where(mask, True, False),
        where(mask, bools, False),
        where(mask, False, bools),
        where(mask, 1, 2),
        where(mask, paddle.to_tensor([1.0, 2.0, 3.0]), np.float64(1.5)),
        where(mask, paddle.to_tensor([1.0, 2.0, 3.0]), np.float32(1.5)),
        where(mask, np.float64(1.0), np.float64(2.0)),
    ]
    return [facts(each) for each in found], [array(each) for each in found]


@program
def axes_of_variances(paddle, np):
    x = paddle.to_tensor(np.float32([[[1, 2], [3, 5]], [[8, 1], [0, 4]]]))
    axes = [1, [0, 2], (0, 1), paddle.to_tensor(1), paddle.to_tensor([0, 1]), np.int64(2), None]
    return [[array(paddle.var(x, axis)), array(paddle.std(x, axis))] for axis in axes]


# ---- pooling where sizes are 0


@program
def adaptive_pools_of_nothing(paddle, np):
    """A window without elements gives nan, a size of 0 nothing; no gradient is left over."""
    F = paddle.nn.functional
    seen = {}
    for shape, size in (([1, 2, 0, 3], 2), ([1, 2, 3, 3], [0, 2]), ([1, 1, 0, 2], [None, 1])):
        for pool in (F.adaptive_avg_pool2d, F.adaptive_max_pool2d):
            x = leaf(paddle, np.ones(shape, "float32"))
            out = pool(x, size)
            out.sum().backward()
            seen[f"{pool.__name__} {shape} {size}"] = [array(out), array(x.grad)]
    volume, line = paddle.zeros([1, 1, 0, 2, 2]), paddle.zeros([1, 2, 3])
    with_mask = [
        F.adaptive_max_pool2d(paddle.zeros([1, 1, 0, 3]), 1, return_mask=True),
        F.adaptive_max_pool2d(paddle.zeros([1, 1, 3, 3]), [0, 2], return_mask=True),
        F.adaptive_max_pool3d(volume, 1, return_mask=True),
        F.adaptive_max_pool1d(line, 0, return_mask=True),
    ]
    return {
        **seen,
        "volumes": [
            array(F.adaptive_avg_pool3d(volume, 1)),
            array(F.adaptive_max_pool3d(volume, 1)),
        ],
        "lines": [array(F.adaptive_avg_pool1d(line, 0)), array(F.adaptive_max_pool1d(line, 0))],
        "masks": [[array(each) for each in pair] for pair in with_mask],
        "no channels": array(F.adaptive_avg_pool2d(paddle.zeros([1, 0, 2, 3]), 2)),
    }


@program
def pools_without_windows(paddle, np):
    """A window that is larger than the image by less than two strides: there is none."""
    F = paddle.nn.functional
    seen = {}
    for pool in (F.max_pool2d, F.avg_pool2d):
        for size, kernel, stride, padding in (
            (3, 4, 1, 0), (0, 2, 2, 0), (2, 5, 2, 0), (2, 4, 2, 0), (1, 4, 1, 1), (4, 5, 5, 0),
        ):  # fmt: skip
            x = leaf(paddle, np.ones((1, 1, size, 5), "float32"))
            out = pool(x, [kernel, 2], [stride, 2], [padding, 0])
            out.sum().backward()
            name = f"{pool.__name__} {size} {kernel} {stride} {padding}"
            seen[name] = [array(out), array(x.grad)]
    narrow = paddle.zeros([1, 1, 2, 6])
    image, line = paddle.zeros([1, 1, 3, 4]), paddle.zeros([1, 1, 3])
    return {
        **seen,
        "refused": [
            error_of(lambda: F.max_pool2d(narrow, [4, 2], 1)),
            error_of(lambda: F.avg_pool2d(narrow, [4, 2], 1)),
        ],
        "mask": [array(each) for each in F.max_pool2d(image, [4, 2], 1, return_mask=True)],
        "lines": [array(F.max_pool1d(line, 4, 1)), array(F.avg_pool1d(line, 4, 1))],
        "volume": array(F.max_pool3d(paddle.zeros([1, 1, 3, 3, 3]), 4, 1)),
        "norm": array(F.lp_pool2d(image, 2.0, [4, 2], 1)),
    }
