"""Distances between rows, combinations of elements, powers of a vector."""

from ..probe import error_of, facts, leaf, pull
from ..registry import differs, program

X = [[0.5, 2.0, -3.5], [1.0, 4.0, 2.5]]
Y = [[0.25, 1.0, 2.0], [1.5, 1.0, 1.25], [3.0, 2.5, 1.0]]


@program
def distances_of_pairs(paddle, np):
    """cdist: several norms, modes, broadcasting, gradients, node names, errors."""
    out = {}
    for p in (0.0, 1.0, 2.0, 3.0, 0.5, float("inf")):
        x, y = leaf(paddle, X), leaf(paddle, Y)
        result = paddle.cdist(x, y, p=p)
        pull(paddle, np, result)
        out[str(p)] = [facts(result), result.numpy(), x.grad.numpy(), y.grad.numpy()]
    x, y = leaf(paddle, X), leaf(paddle, Y)
    result = paddle.cdist(x, y, compute_mode="use_mm_for_euclid_dist")
    pull(paddle, np, result)
    out["product"] = [result.numpy(), x.grad.numpy(), y.grad.numpy()]
    many = paddle.to_tensor(np.random.default_rng(3).normal(size=(30, 4)))
    out["many"] = paddle.cdist(many, many[:3]).numpy()
    out["batches"] = paddle.cdist(paddle.ones([2, 1, 2, 3]), paddle.zeros([4, 5, 3])).numpy()
    out["empty"] = paddle.cdist(paddle.zeros([0, 3]), y).numpy()
    out["float64"] = str(paddle.cdist(x, y.astype("float64")).dtype)
    out["mode"] = error_of(lambda: paddle.cdist(x, y, compute_mode="other"))
    return out


@program
def distances_inside(paddle, np):
    """pdist: several norms, gradients, one row, none."""
    out = {}
    for p in (1.0, 2.0, float("inf")):
        x = leaf(paddle, Y)
        result = paddle.pdist(x, p)
        pull(paddle, np, result)
        out[str(p)] = [result.numpy(), x.grad.numpy()]
    out["one"] = paddle.pdist(paddle.ones([1, 3])).numpy()
    out["none"] = paddle.nn.functional.pdist(paddle.zeros([0, 3])).numpy()
    return out


@differs(
    "a distance of 0 has a gradient of 0, as with the other modes",
    right=[[0.0, 0.0], [0.0, 0.0]],
    paddle_gives=[[float("nan")] * 2, [float("nan")] * 2],
)
def distance_of_nothing(paddle, np):
    """The gradient of cdist by a product of matrices where rows are equal."""
    x = leaf(paddle, [[1.0, 2.0]])
    y = leaf(paddle, [[1.0, 2.0]])
    paddle.cdist(x, y, compute_mode="use_mm_for_euclid_dist").backward()
    return [x.grad.tolist()[0], y.grad.tolist()[0]]


@program
def put_together(paddle, np):
    """combinations, cartesian_prod, vander: shapes, dtypes, gradients, errors."""
    whole, x = paddle.to_tensor([4, 1, 3]), leaf(paddle, [1.0, 2.0, 4.0])
    results = [
        paddle.combinations(x), paddle.cartesian_prod([x, x]), paddle.vander(x),
        paddle.vander(x, 5, True), paddle.vander(x, 2), x.combinations(1),
    ]  # fmt: skip
    gradients = []
    for each in results:
        x.clear_gradient()
        pull(paddle, np, each)
        gradients.append([each.numpy(), x.grad.numpy()])
    plain = [
        paddle.combinations(whole, 3), paddle.combinations(whole, 0), paddle.combinations(whole, 4),
        paddle.combinations(whole, 2, True), paddle.combinations(paddle.zeros([0]), 2),
        paddle.cartesian_prod([whole]), paddle.cartesian_prod([whole, whole, whole]),
        paddle.cartesian_prod([x.detach(), paddle.zeros([0])]), paddle.vander(whole),
        paddle.vander(whole, 0),
        paddle.vander(paddle.zeros([0])), paddle.vander(x.detach(), 1),
    ]  # fmt: skip
    return {
        "gradients": gradients,
        "plain": [[str(each.dtype), each.numpy()] for each in plain],
        "ones depend on nothing": [paddle.vander(x, n).stop_gradient for n in (0, 1, 2)],
        "errors": [
            error_of(lambda: paddle.combinations(paddle.ones([2, 3]))),
            error_of(lambda: paddle.combinations(whole, -1)),
            error_of(lambda: paddle.cartesian_prod([paddle.ones([2, 3]), whole])),
            error_of(lambda: paddle.cartesian_prod([whole, x])),
            error_of(lambda: paddle.vander(paddle.ones([2, 3]))),
            error_of(lambda: paddle.vander(whole, -1)),
        ],
    }


@program
def cosine_similarity_of_operands_that_broadcast(paddle, np):
    """Along the axis, across it, and along both, in each direction."""
    F = paddle.nn.functional
    out = {}
    for axis in (0, 1, -1):
        for shapes in ([(3, 3), (1, 3)], [(3, 1), (3, 3)], [(3, 1), (1, 3)], [(1, 1), (3, 3)]):
            x, y = (leaf(paddle, np.float64([*X, Y[0]])[: s[0], : s[1]]) for s in shapes)
            result = F.cosine_similarity(x, y, axis=axis)
            pull(paddle, np, result)
            out[axis, *shapes] = [result.numpy(), x.grad.numpy(), y.grad.numpy()]
    layer = paddle.nn.CosineSimilarity(axis=0)
    out["layer"] = layer(paddle.to_tensor(X), paddle.to_tensor(Y[:1])).numpy()
    return out
