"""paddle.incubate.asp: masks of n:m patterns.

tests/programs/sparsity.py is about the optimizers that keep them: Paddle can do that only with
``FLAGS_enable_pir_api=0``.
"""

from ..probe import attempt
from ..registry import differs, program

SHAPES = ((8, 8), (4, 6), (3, 7), (9, 5), (12,), (2, 3, 8), (2, 2, 6, 3), (1, 1))


def _matrix(np, shape, seed=7):
    return np.random.default_rng(seed).normal(size=shape).astype("float32")


def _error(call):
    """Return the builtin class of the call's error."""
    return attempt(call)["error"]


def _fresh(paddle):
    """Clear the names that are excluded; parameters get new names with each network."""
    paddle.incubate.asp.reset_excluded_layers()
    return paddle.utils.unique_name.guard()


@program
def sparsity_masks(paddle, np):
    """Masks by each algorithm, densities and checks, of arrays of up to four axes."""
    asp = paddle.incubate.asp
    found = {}
    for shape in SHAPES:
        x = _matrix(np, shape)
        for algorithm in (asp.MaskAlgo.MASK_1D, asp.MaskAlgo.MASK_2D_GREEDY):
            for n, m in ((2, 4), (1, 2), (1, 4), (3, 4)):
                mask = asp.create_mask(x, func_name=algorithm, n=n, m=m)
                check = asp.CheckMethod.get_checking_method(algorithm)
                found[f"{shape} {algorithm.name} {n}:{m}"] = [
                    mask, asp.calculate_density(mask), check.name,
                    [asp.check_sparsity(mask, func_name=each, n=n, m=m)
                     for each in asp.CheckMethod],
                    asp.check_sparsity(x, n=n, m=m),
                ]  # fmt: skip
        best = asp.create_mask(np.abs(x), func_name=asp.MaskAlgo.MASK_2D_BEST)
        found[f"{shape} best"] = [best, float((np.abs(x) * best).sum())]
    whole = np.array([[9, 8, 3, 7], [9, 2, 1, 10], [5, 1, 3, 6], [2, 4, 6, 1]])
    found["ints"] = [
        asp.get_mask_1d(whole, 2, 4), asp.get_mask_2d_greedy(whole, 2, 4),
        asp.get_mask_2d_best(whole, 2, 4), asp.check_mask_1d(whole, 2, 4),
        asp.check_mask_2d(whole, 2, 4), asp.calculate_density(np.array([[0, 1], [0, 0]])),
        type(asp.calculate_density(whole)).__name__,
    ]  # fmt: skip
    lenient = np.array([[0, 8, 0, 9], [9, 0, 0, 10], [0, 5, 0, 6], [0, 4, 6, 0]])
    found["rows or columns"] = [asp.check_mask_2d(lenient, 2, 4), asp.check_mask_1d(lenient, 2, 4)]
    found["dtypes"] = [
        str(asp.create_mask(_matrix(np, (4, 4)).astype(t)).dtype)
        for t in ("float64", "float16", "int64", "bool")
    ]
    return found


@differs(
    "Paddle maximizes the sum of what is kept, not of its absolute values",
    right=[[0.0, 0.0, 0.0, 1.0], True],
    paddle_gives=[[1.0, 0.0, 0.0, 0.0], False],
)
def sparsity_best_mask_of_negative_numbers(paddle, np):
    """Of negative numbers, Paddle keeps those nearest to zero."""
    asp = paddle.incubate.asp
    x = -((np.arange(4.0) ** 3 + np.arange(4.0)[:, None] ** 2) ** 2) - 1
    mask = asp.get_mask_2d_best(x, 1, 4)
    greedy = asp.get_mask_2d_greedy(x, 1, 4)
    return [mask[3].tolist(), bool(np.abs(x * mask).sum() >= np.abs(x * greedy).sum())]


@program
def sparsity_without_masks(paddle, np):
    """Without masks the parameters are pruned once; of other patterns, and again."""
    asp, found = paddle.incubate.asp, {}
    with _fresh(paddle):
        net = paddle.nn.Linear(8, 8)
        net.weight.set_value(_matrix(np, (8, 8)))
        optimizer = paddle.optimizer.SGD(0.1, parameters=net.parameters())
        asp.prune_model(net, with_mask=False)
        found["pruned"] = net.weight.numpy()
        (net(paddle.ones([2, 8])) ** 2).sum().backward()
        optimizer.step()
        found["dense again"] = asp.calculate_density(net.weight.numpy())
        for n, m in ((1, 2), (3, 4)):
            net.weight.set_value(_matrix(np, (8, 8)))
            asp.prune_model(net, n=n, m=m, with_mask=False)
            found[f"{n}:{m}"] = net.weight.numpy()
    return found


@program
def sparsity_refused(paddle, np):
    """What cannot be pruned, and what is asked in a wrong way."""
    asp, found = paddle.incubate.asp, {}
    with _fresh(paddle):
        net = paddle.nn.Linear(8, 8)
        found["no optimizer"] = _error(lambda: asp.prune_model(net))
        found["algorithm"] = _error(lambda: asp.prune_model(net, mask_algo="mask_3d"))
        found["model"] = _error(lambda: asp.prune_model([net]))
        found["axes"] = _error(lambda: asp.create_mask(np.ones([1] * 5)))
        found["name"] = _error(lambda: asp.create_mask(np.ones([4, 4]), func_name="get_mask_1d"))
        found["method"] = _error(lambda: asp.check_sparsity(np.ones([4, 4]), func_name="c"))
        found["flat"] = _error(lambda: asp.get_mask_1d(np.ones(4), 2, 4))
        found["of what"] = _error(lambda: asp.CheckMethod.get_checking_method("MASK_1D"))
    return found
