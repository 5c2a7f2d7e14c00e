"""Transforms of paddle.distribution, and distributions of transformed draws."""

from ..probe import array, attempt, error_of, leaf, pull
from ..registry import differs, program


def _all_ways(paddle, np, transform, x):
    """Returns what a transform and its inverse give, with gradients of what it is given."""
    out = {}
    given = leaf(paddle, np.array(x), "float64")
    y = transform.forward(given)
    pull(paddle, np, y)
    out["forward"] = [y.numpy(), given.grad.numpy()]
    back = leaf(paddle, y.numpy(), "float64")
    for name, tensor in (
        ("inverse", back), ("forward_log_det_jacobian", given), ("inverse_log_det_jacobian", back)
    ):  # fmt: skip
        tensor.clear_gradient()
        found = getattr(transform, name)(tensor)
        if not found.stop_gradient:
            pull(paddle, np, found)
        out[name] = [found.numpy(), str(found.dtype), array(tensor.grad)]
    return out


@program
def elementwise_transforms(paddle, np):
    """Affine, exp, power, sigmoid, tanh: both ways, with gradients."""
    D, x = paddle.distribution, [[0.3, 1.2, 0.8], [2.0, 0.1, 0.5]]
    loc, scale = (paddle.to_tensor(v, dtype="float64") for v in ([0.5, -1.0, 2.0], [2.0, -0.5, 1]))
    return {
        "affine": _all_ways(paddle, np, D.AffineTransform(loc, scale), x),
        "exp": _all_ways(paddle, np, D.ExpTransform(), x),
        "power": _all_ways(paddle, np, D.PowerTransform(scale), x),
        "sigmoid": _all_ways(paddle, np, D.SigmoidTransform(), x),
        "tanh": _all_ways(paddle, np, D.TanhTransform(), x),
    }


@program(rtol=1e-6, reason="Paddle has the offsets of stick breaking in float32")
def vector_transforms(paddle, np):
    """Stick breaking, reshape, softmax of one row: both ways, with gradients."""
    D, x = paddle.distribution, [[0.3, 1.2, -0.8], [2.0, 0.1, -0.5]]
    softmax, row = D.SoftmaxTransform(), paddle.to_tensor([0.3, 1.2, -0.8], dtype="float64")
    return {
        "stick": _all_ways(paddle, np, D.StickBreakingTransform(), x),
        "reshape": _all_ways(paddle, np, D.ReshapeTransform((2, 3), (3, 2)), [x, x]),
        "softmax": [softmax.forward(row).numpy(), softmax.inverse(row.abs()).numpy()],
    }


@program(rtol=1e-6, reason="Paddle has the offsets of stick breaking in float32")
def combined_transforms(paddle, np):
    """Chains, independent and stacked transforms; calls that make chains and distributions."""
    D, x = paddle.distribution, [[0.3, 1.2], [0.9, 0.1]]
    two = paddle.to_tensor([2.0, 0.5], dtype="float64")
    affine = D.AffineTransform(two, two)
    chain = D.ChainTransform([D.ExpTransform(), affine, D.TanhTransform()])
    sticks = D.ChainTransform([D.ExpTransform(), D.StickBreakingTransform()])
    stack = D.StackTransform([D.ExpTransform(), D.SigmoidTransform()], 1)
    return {
        "chain": _all_ways(paddle, np, chain, x),
        "sticks": _all_ways(paddle, np, sticks, x),
        "call": _all_ways(paddle, np, D.ExpTransform()(affine), x),
        "independent": _all_ways(paddle, np, D.IndependentTransform(D.ExpTransform(), 1), x),
        "stack": _all_ways(paddle, np, stack, x),
        "kind": [
            type(affine(D.Normal(0.0, 1.0))).__name__,
            type(affine(D.ExpTransform())).__name__,
        ],
        "attributes": [stack.axis, len(stack.transforms), len(chain.transforms)],
    }


@program
def absolute_values(paddle, np):
    """AbsTransform, whose inverse is a pair."""
    transform, y = paddle.distribution.AbsTransform(), paddle.to_tensor([1.0, 2.0])
    return {
        "forward": transform.forward(-y).numpy(),
        "inverse": [each.numpy() for each in transform.inverse(y)],
        "jacobian": [each.numpy() for each in transform.inverse_log_det_jacobian(y)],
    }


@program
def transformed_shapes(paddle, np):
    """forward_shape and inverse_shape."""
    D = paddle.distribution
    affine = D.AffineTransform(paddle.ones([3]), paddle.ones([2, 1]))
    return {
        "affine": [affine.forward_shape((4, 1, 1)), affine.inverse_shape((2, 3))],
        "power": D.PowerTransform(paddle.ones([3])).forward_shape((2, 1)),
        "exp": [D.ExpTransform().forward_shape((2,)), D.ExpTransform().inverse_shape([3])],
        "stick": [
            D.StickBreakingTransform().forward_shape((2, 3)),
            D.StickBreakingTransform().inverse_shape((2, 3)),
        ],
        "reshape": [
            D.ReshapeTransform((2, 3), (6,)).forward_shape((5, 2, 3)),
            D.ReshapeTransform((2, 3), (6,)).inverse_shape((5, 6)),
        ],
        "chain": D.ChainTransform([affine, D.StickBreakingTransform()]).forward_shape((2, 1)),
        "softmax": D.SoftmaxTransform().forward_shape((2, 3)),
        "attributes": list(D.ReshapeTransform((2, 3), (6,)).in_event_shape),
    }


@program
def transforms_refused(paddle, np):
    """What transforms and their shapes do not take."""
    D, one = paddle.distribution, paddle.ones([2])
    stack = D.StackTransform([D.ExpTransform(), D.TanhTransform()], 1)
    reshape = D.ReshapeTransform((2, 3), (6,))
    calls = {
        "affine": lambda: D.AffineTransform(1.0, one), "chained": lambda: D.ChainTransform([1]),
        "rank": lambda: D.IndependentTransform(D.ExpTransform(), 0),
        "base": lambda: D.IndependentTransform(1, 1), "stacked": lambda: D.StackTransform([1]),
        "no stack": lambda: D.StackTransform([]), "axis": lambda: D.StackTransform([stack], 1.0),
        "size": lambda: stack.forward(paddle.ones([1, 3])), "0-D": lambda: stack.forward(one),
        "number": lambda: stack.forward(1.0), "shape": lambda: stack.forward_shape(3),
        "numel": lambda: D.ReshapeTransform((2,), (3,)),
        "sequence": lambda: D.ReshapeTransform(2, (3,)),
        "event": lambda: reshape.forward_shape((5, 3, 3)),
        "short": lambda: reshape.forward_shape((3,)),
        "row": lambda: D.StickBreakingTransform().forward(one[0]),
        "empty": lambda: D.StickBreakingTransform().forward_shape(()),
        "softmax": lambda: D.SoftmaxTransform().inverse_shape(()),
    }  # fmt: skip
    out = {name: attempt(call) for name, call in calls.items()}
    for name, call in {
        "power": lambda: D.PowerTransform(2.0),
        "abs": lambda: D.AbsTransform().forward_log_det_jacobian(one),
        "softmax jacobian": lambda: D.SoftmaxTransform().inverse_log_det_jacobian(one),
        "chain": lambda: D.ChainTransform(D.ExpTransform()),
        "forward": lambda: D.Transform().forward(one),
        "inverse": lambda: D.Transform().inverse(one),
        "jacobian": lambda: D.Transform().forward_log_det_jacobian(one),
    }.items():
        out[f"class of {name}"] = error_of(call)
    return out


@program(rtol=1e-6, reason="Paddle has the offsets of stick breaking in float32")
def transformed_distributions(paddle, np):
    """log_prob, shapes and gradients of transformed, independent and reshaped distributions."""
    D, out = paddle.distribution, {}
    for name, transforms, value in (
        ("exp", [D.ExpTransform()], [[0.5, 1.5]]),
        ("two", [D.ExpTransform(), D.PowerTransform(paddle.full([2], 2.0, "float64"))], [[0.5, 3]]),
        ("stick", [D.StickBreakingTransform()], [[0.2, 0.3, 0.5], [0.1, 0.1, 0.8]]),
        ("reshape", [D.ReshapeTransform((2,), (2, 1))], [[0.5], [1.5]]),
        ("nothing", [], [0.5, -1.0]),
        ("chain", [D.ChainTransform([D.TanhTransform(), D.ExpTransform()])], [0.9, 1.2]),
    ):
        loc, scale = leaf(paddle, [0.1, -0.4], "float64"), leaf(paddle, [1.5, 0.5], "float64")
        made = D.TransformedDistribution(D.Normal(loc, scale), transforms)
        found = made.log_prob(paddle.to_tensor(value, dtype="float64"))
        pull(paddle, np, found)
        out[name] = [
            tuple(made.batch_shape), tuple(made.event_shape), found.numpy(), loc.grad.numpy(),
            scale.grad.numpy(), list(made.sample([3]).shape), list(made.rsample([3, 1]).shape),
        ]  # fmt: skip
    return out


@program
def own_transforms(paddle, np):
    """Transforms that a user writes, with either of the two Jacobians."""
    D = paddle.distribution

    class Square(D.Transform):
        def _forward(self, x):
            return x * x

        def _inverse(self, y):
            return y.sqrt()

        def _inverse_log_det_jacobian(self, y):
            return -(2 * y.sqrt()).log()

    x = [[0.3, 1.2], [0.9, 0.5]]
    made = D.TransformedDistribution(D.Normal([0.0, 1.0], [1.0, 1.0]), [Square(), D.ExpTransform()])
    return {
        "ways": _all_ways(paddle, np, Square(), x),
        "chain": _all_ways(paddle, np, D.ChainTransform([Square(), D.TanhTransform()]), x),
        "density": made.log_prob(paddle.to_tensor(x)).numpy(),
    }


@differs(
    "Paddle counts a determinant that is the same everywhere once for a whole event",
    right=[-4.75, 2.079, -5.384],
    paddle_gives=[-4.057, 0.693, -6.77],
)
def scalar_determinants(paddle, np):
    """A scalar scale of 2 stretches an event of n numbers by 2 ** n."""
    D = paddle.distribution
    affine = D.AffineTransform(paddle.to_tensor(0.0), paddle.to_tensor(2.0))
    shifted = D.AffineTransform(paddle.to_tensor(1.0), paddle.to_tensor(2.0))
    base = D.Independent(D.Normal([1.0, 2.0], [1.0, 2.0]), 1)
    row = paddle.to_tensor([0.1, 0.2, 0.3])
    found = [
        D.TransformedDistribution(base, [affine]).log_prob(paddle.to_tensor([0.2, 0.3])),
        D.IndependentTransform(affine, 1).forward_log_det_jacobian(row),
        D.ChainTransform([shifted, D.StickBreakingTransform()]).forward_log_det_jacobian(row),
    ]
    return [round(float(each), 3) for each in found]


@differs(
    "Paddle goes through the chain from its beginning",
    right=(5, 3),
    paddle_gives="ValueError",
)
def shape_before_a_chain(paddle, np):
    """inverse_shape of stick breaking and a reshape."""
    D = paddle.distribution
    chain = D.ChainTransform([D.StickBreakingTransform(), D.ReshapeTransform((4,), (2, 2))])
    try:
        return tuple(chain.inverse_shape((5, 2, 2)))
    except ValueError:
        return "ValueError"


@differs(
    "Paddle keeps exponentials in range by the largest element of the first row alone",
    right=[[0.269, 0.731], [0.269, 0.731]],
    paddle_gives=[[0.269, 0.731], ["nan", "nan"]],
)
def softmax_of_rows(paddle, np):
    """The softmax of a row does not depend on the others."""
    found = paddle.distribution.SoftmaxTransform().forward(
        paddle.to_tensor([[1.0, 2.0], [300.0, 301.0]])
    )
    return [[str(x) if x != x else round(float(x), 3) for x in row] for row in found.numpy()]


@differs(
    "Paddle takes the logarithm of a part that has underflowed",
    right=-298.614,
    paddle_gives=float("-inf"),
)
def far_sticks(paddle, np):
    """The determinant of stick breaking at large numbers."""
    x = paddle.to_tensor([100.0, -100.0])
    found = paddle.distribution.StickBreakingTransform().forward_log_det_jacobian(x)
    return round(float(found), 3)


@differs(
    "Paddle stacks determinants of different shapes, and reads a negative axis as one event more",
    right=[[2, 2], [2], (2,), ()],
    paddle_gives=["ValueError", [2], (), (2,)],
)
def stacked_determinants(paddle, np):
    """Determinants have the shape of the batch, and so has log_prob."""
    D, zero = paddle.distribution, paddle.zeros([])
    affine = D.StackTransform([D.ExpTransform(), D.AffineTransform(zero, zero + 2)], 1)
    stack = D.StackTransform([D.ExpTransform(), D.TanhTransform()], -1)
    made = D.TransformedDistribution(D.Normal([0.0, 0.0], [1.0, 1.0]), [stack])
    try:
        first = list(affine.forward_log_det_jacobian(paddle.ones([2, 2])).shape)
    except ValueError:
        first = "ValueError"
    values = made.log_prob(paddle.to_tensor([1.0, 0.5]))
    return [first, list(values.shape), tuple(made.batch_shape), tuple(made.event_shape)]


@differs(
    "Paddle draws as many numbers as the base has and lets the transform broadcast them",
    right=[[4, 3], True],
    paddle_gives="ValueError",
)
def draws_for_a_larger_batch(paddle, np):
    """Each of three shifted normal distributions has draws of its own."""
    D, loc = paddle.distribution, paddle.to_tensor([0.0, 1.0, 2.0])
    made = D.TransformedDistribution(D.Normal(0.0, 1.0), [D.AffineTransform(loc, paddle.ones([3]))])
    try:
        drawn = made.sample([4])
    except ValueError:
        return "ValueError"
    noise = (drawn - loc).numpy().round(5)
    return [list(drawn.shape), len(set(noise.ravel().tolist())) == 12]
