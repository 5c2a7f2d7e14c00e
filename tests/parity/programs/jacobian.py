"""jacobian, hessian, incubate.autograd: matrices of derivatives, vector products, their errors."""

from ..probe import attempt, error_class, leaf, refuses
from ..registry import differs, program


def values(matrix):
    """Returns shape and values of a lazy matrix, taken whole."""
    return [list(matrix.shape), matrix[:].numpy()]


@program
def jacobian_of_vectors(paddle, np):
    """Rows, columns, elements and slices of a Jacobian without a batch."""
    x = leaf(paddle, np.float64([1.0, 2.0, 3.0]))
    y = paddle.stack([x[0] * x[1], x[1] * x[1] * x[2]])
    jacobian = paddle.autograd.jacobian(y, x)
    slices = [0, -1, slice(1, None), (slice(None), 1), (1, 2), slice(None, None, 2)]
    parts = [jacobian[index].numpy() for index in [*slices, (slice(None), slice(-2, None))]]
    return [values(jacobian), parts, jacobian[:].stop_gradient, len(list(jacobian))]


@program
def jacobian_of_numbers(paddle, np):
    """0-D tensors leave out an axis, on either side and on both."""
    x, s = leaf(paddle, np.float64([1.0, 2.0, 3.0])), leaf(paddle, np.float64(2.0))
    number, vector = (x * s).sum(), x * s
    jacobian = paddle.autograd.jacobian
    both = jacobian(s * s * s, s)
    return [
        values(jacobian(number, x)),
        jacobian(number, x)[1].numpy(),
        values(jacobian(vector, s)),
        jacobian(vector, s)[0:2].numpy(),
        [list(both.shape), both.item(), (both + 1).numpy()],
        attempt(lambda: both[0].numpy())["error"],
    ]


@program
def jacobian_of_several(paddle, np):
    """Lists of ys, of xs and of both give tuples; zeros where nothing is connected."""
    x, s = leaf(paddle, np.float64([1.0, 2.0])), leaf(paddle, np.float64([3.0]))
    ys, xs = (x * x, s * s), [x, s]
    both = paddle.autograd.jacobian(ys, xs)
    of_xs, of_ys = paddle.autograd.jacobian(ys[0], xs), paddle.autograd.jacobian(list(ys), x)
    stopped = paddle.autograd.jacobian(x * s, paddle.ones([2], "float64"))
    return [
        [[values(each) for each in row] for row in both],
        [type(both).__name__, type(both[0]).__name__],
        [values(each) for each in of_xs],
        [values(each) for each in of_ys],
        values(stopped),
    ]


@program
def jacobian_with_a_batch(paddle, np):
    """batch_axis=0: one Jacobian per sample, for 1-D and 2-D ys and xs."""
    x, t = leaf(paddle, np.float64([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])), leaf(paddle, [1.0, 2.0])
    jacobian = paddle.autograd.jacobian(paddle.stack([x[:, 0] * x[:, 1], x[:, 0]], 1), x, 0)
    parts = [0, slice(1, None), (slice(None), 1), (slice(None), 0), (2, 0, 1)]
    flat = paddle.autograd.jacobian(t * t, t, batch_axis=0)
    ys_flat = paddle.autograd.jacobian((x * x).sum(1), x, batch_axis=0)
    wide = t.reshape([2, 1]) * paddle.to_tensor([[1.0, 2.0, 3.0]])
    xs_flat = paddle.autograd.jacobian(wide, t, batch_axis=0)
    return [
        values(jacobian),
        [jacobian[index].numpy() for index in parts],
        [values(flat), flat[1].numpy()],
        [list(ys_flat.shape), ys_flat[0, 1].numpy(), ys_flat[:, 1].numpy()],
        [values(xs_flat), xs_flat[:, 1].numpy()],
    ]


@program
def jacobian_in_arithmetic(paddle, np):
    """A Jacobian behaves as the Tensor it stands for."""
    x = leaf(paddle, np.float64([1.0, 2.0]))
    jacobian = paddle.autograd.jacobian(x * x, x)
    return [
        (jacobian + jacobian).numpy(),
        (jacobian - 1).numpy(),
        (jacobian * 2.0).numpy(),
        (jacobian / (jacobian + 1)).numpy(),
        (jacobian**2).numpy(),
        (jacobian @ x).numpy(),
        (jacobian == jacobian).numpy(),
        (jacobian > 1.0).numpy(),
        jacobian.numpy(),
        jacobian.reshape([-1]).tolist(),
        jacobian.sum().item(),
        hasattr(jacobian, "no_such_thing"),
        attempt(lambda: hash(jacobian)),
    ]


@program
def jacobian_refuses(paddle, np):
    """Axes, batches and things that are no tensors."""
    x = leaf(paddle, [1.0, 2.0])
    square, flat = leaf(paddle, [[1.0]]), x * x
    jacobian = paddle.autograd.jacobian
    calls = [
        lambda: jacobian(flat, square),
        lambda: jacobian(square, x),
        lambda: jacobian(flat, x, 1),
        lambda: jacobian(flat, x, batch_axis=-1),
        lambda: jacobian(flat, x, batch_axis=True),
        lambda: jacobian(flat.sum(), x, batch_axis=0),
        lambda: jacobian(flat, leaf(paddle, [[[1.0]]]), batch_axis=0),
        lambda: jacobian(flat, x)[5],
        lambda: jacobian(flat, x)[1.5],
        lambda: jacobian(flat, x)[0, 0, 0],
    ]
    return [refuses(call)["error"] for call in calls]


@program
def hessian_of_numbers(paddle, np):
    """The Hessian of one number by one tensor, 1-D and 0-D, and of something linear."""
    x, s = leaf(paddle, np.float64([1.0, 2.0, 3.0])), leaf(paddle, np.float64(2.0))
    y = (x**3).sum() * x[0]
    hessian = paddle.autograd.hessian(y, x)
    parts = [0, (1, 1), (slice(None), 2)]
    number = paddle.autograd.hessian(s**3, s)
    return [
        values(hessian),
        [hessian[index].numpy() for index in parts],
        type(hessian).__name__,
        [list(number.shape), number.item()],
        values(paddle.autograd.hessian((x * 2).sum(), x)),
        values(paddle.autograd.hessian((x * x).sum().reshape([1, 1]), x)),
    ]


@program
def hessian_of_several(paddle, np):
    """A list of xs gives a tuple of tuples, the mixed derivatives among them."""
    x, s = leaf(paddle, np.float64([1.0, 2.0])), leaf(paddle, np.float64([3.0, 1.0, 2.0]))
    y = (x**3).sum() + (s * s).sum() * x[0]
    found = paddle.autograd.hessian(y, [x, s])
    return [type(found).__name__, [[values(each) for each in row] for row in found]]


@program
def hessian_with_a_batch(paddle, np):
    """One Hessian per sample, from ys of shape [B] and [B, 1]."""
    x = leaf(paddle, np.float64([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]))
    y = (x**3).sum(1) + x[:, 0] * x[:, 1]
    return [
        values(paddle.autograd.hessian(y, x, batch_axis=0)),
        values(paddle.autograd.hessian(y.reshape([3, 1]), x, batch_axis=0)),
    ]


@program
def hessian_refuses(paddle, np):
    """More than one element, and batches that are none."""
    x, batch = leaf(paddle, [1.0, 2.0]), leaf(paddle, [[1.0, 2.0], [3.0, 4.0]])
    hessian = paddle.autograd.hessian
    calls = [
        lambda: hessian(x * x, x),
        lambda: hessian(batch * batch, batch, 0),
        lambda: hessian((batch * batch).sum(1), batch, 1),
        lambda: hessian((batch * batch).sum(1), batch, "0"),
    ]
    return [refuses(call)["error"] for call in calls]


@program
def vjp_and_jvp_of_one_argument(paddle, np):
    """Both products of a function of one tensor, with and without a vector."""
    x = paddle.to_tensor(np.float64([[1.0, 2.0], [3.0, 4.0]]))
    v = paddle.to_tensor(np.float64([[1.0, 0.0], [0.5, -2.0]]))
    out = {}
    for name in ("vjp", "jvp"):
        product = getattr(paddle.incubate.autograd, name)
        for vector in (None, v):
            y, result = product(
                lambda x: paddle.matmul(x, x).exp().sum(1, keepdim=True) * x, x, vector
            )
            out[name, vector is None] = [y.numpy(), result.numpy(), result.stop_gradient]
    return [out["vjp", True], out["vjp", False], out["jvp", True], out["jvp", False]]


@program
def vjp_and_jvp_of_several(paddle, np):
    """Several arguments and outputs, some not connected; kinds of containers."""
    a = paddle.to_tensor(np.float64([1.0, 2.0]))
    b = paddle.to_tensor(np.float64([3.0, 4.0]))
    out = []
    for name in ("vjp", "jvp"):
        product = getattr(paddle.incubate.autograd, name)
        ys, results = product(
            lambda a, b: (a * b, a + 2 * b, a), [a, b], [a, b, b][: 3 - (name == "jvp")]
        )
        out.append([type(ys).__name__, type(results).__name__, [each.numpy() for each in results]])
        _, results = product(lambda a, b: [a * 2], (a, b))
        out.append([type(results).__name__, [each.numpy() for each in results]])
        y, result = product(lambda a: a * a, [a])
        out.append([type(y).__name__, type(result).__name__])
    return out


@program
def vjp_and_jvp_go_on(paddle, np):
    """Both products are differentiable: by the argument, the vector and what the function found."""
    out = []
    for name in ("vjp", "jvp"):
        product = getattr(paddle.incubate.autograd, name)
        x, w = leaf(paddle, np.float64([1.0, 2.0])), leaf(paddle, np.float64([5.0, 7.0]))
        v = leaf(paddle, np.float64([0.5, -1.0]))
        _, result = product(lambda x, w=w: x * x * x * w, x, v)
        result.sum().backward()
        out.append([x.grad.numpy(), w.grad.numpy(), v.grad.numpy()])
    return out


@program
def vjp_and_jvp_refuse(paddle, np):
    """What cannot be called, what is no tensor, vectors that do not fit."""
    x, two = paddle.ones([2]), lambda a, b: (a * b, a)
    out = []
    for name in ("vjp", "jvp"):
        product = getattr(paddle.incubate.autograd, name)
        out += [
            refuses(call)["error"]
            for call in (
                lambda product=product: product(3, x),
                lambda product=product: product(two, 3),
                lambda product=product: product(two, [x, 3]),
                lambda product=product: product(lambda x: x * x, x, 3),
                lambda product=product: product(lambda x: x * x, x, [x, None]),
                lambda product=product: product(lambda x: x * x, x, paddle.ones([3])),
                lambda product=product: product(two, [x, x], [x]),
            )
        ]
    return out


@program
def jacobian_of_a_function(paddle, np):
    """incubate's Jacobian and Hessian: arguments and outputs are flattened and joined."""
    x = paddle.to_tensor(np.float64([[1.0, 2.0], [3.0, 4.0]]))
    young = paddle.incubate.autograd
    product = young.Jacobian(lambda a, b: paddle.matmul(a, b), [x, x])
    several = young.Jacobian(lambda a, b: (a * b, a + b), (x, x))
    batched = young.Jacobian(lambda a: a * a[:, 0:1], x, is_batched=True)
    hessian = young.Hessian(lambda a: (a**3).sum(), x)
    per_sample = young.Hessian(lambda a: (a**3).sum(1, keepdim=True), x, is_batched=True)
    return [
        [list(product.shape), product[0].numpy(), product[:, 0].numpy()],
        values(several),
        [values(batched), batched[:, 0, :].numpy()],
        [values(hessian), hessian[0].numpy()],
        values(per_sample),
        refuses(lambda: young.Hessian(lambda a: a * a, x)[:])["error"],
    ]


@differs(
    "Slices that are empty or end beyond the last row do not mean what they mean for a Tensor.",
    right=[
        [0, 3],
        [[0.0, 4.0, 0.0], [0.0, 0.0, 6.0]],
        "IndexError",
        [[0.0, 0.0, 6.0], [2.0, 0.0, 0.0]],
    ],
    paddle_gives=[[3, 3], "IndexError", [0.0, 4.0, 0.0], "ValueError"],
)
def jacobian_slices(paddle, np):
    """[0:0], [1:10], [-5] and [::-2] of three rows."""
    x = leaf(paddle, [1.0, 2.0, 3.0])
    jacobian = paddle.autograd.jacobian(x * x, x)

    def rows(index):
        try:
            return jacobian[index].tolist()
        except Exception as error:
            return error_class(error)

    return [list(jacobian[0:0].shape), rows(slice(1, 10)), rows(-5), rows(slice(None, None, -2))]


@differs(
    "Without recording both products are silently zeros.",
    right=[[3.0, 12.0], [3.0, 12.0]],
    paddle_gives=[[0.0, 0.0], [0.0, 0.0]],
)
def products_under_no_grad(paddle, np):
    """vjp and jvp of x^3 at [1, 2] under no_grad."""
    x = paddle.to_tensor([1.0, 2.0])
    with paddle.no_grad():
        return [
            getattr(paddle.incubate.autograd, name)(lambda x: x * x * x, x)[1].tolist()
            for name in ("vjp", "jvp")
        ]


@differs(
    "A batch of 1-D ys by 2-D xs: the whole matrix has one axis more than its shape.",
    right=[[3, 2], [3, 2]],
    paddle_gives=[[3, 2], [3, 1, 2]],
)
def jacobian_of_a_batch_of_numbers(paddle, np):
    """The shape of J and the shape of J[:]."""
    x = leaf(paddle, [[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])
    jacobian = paddle.autograd.jacobian((x * x).sum(1), x, batch_axis=0)
    return [list(jacobian.shape), list(jacobian[:].shape)]


@differs(
    "The third derivative of a power has no rule.",
    right=[[6.0, 0.0], [0.0, 0.0]],
    paddle_gives={
        "error": "RuntimeError",
        "text": "(Unavailable) The Op pow_triple_grad doesn't have any grad op. If you don't "
        "intend calculating higher order derivatives, please set `create_graph`to False.",
    },
)
def jacobian_of_a_hessian(paddle, np):
    """The Jacobian of a row of the Hessian of sum(x^3)."""
    x = leaf(paddle, [1.0, 2.0])
    hessian = paddle.autograd.hessian((x**3).sum(), x)
    return attempt(lambda: paddle.autograd.jacobian(hessian[0], x)[:].tolist())
