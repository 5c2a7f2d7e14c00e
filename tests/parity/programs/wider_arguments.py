"""Arguments wider than a function's usual ones, which have one right meaning all the same."""

from functools import partial

from ..probe import error_of, refuses
from ..registry import differs, program


def _leaf(paddle, np, values, dtype="float32"):
    return paddle.to_tensor(np.array(values, dtype), stop_gradient=False)


@program
def circular_padding_wider_than_the_tensor(paddle, np):
    """The copies go round more than once, and each adds its gradient."""
    functional, layers, out = paddle.nn.functional, paddle.nn, {}
    cases = {
        "one": ([1, 1, 3], [4, 5], "NCL"),
        "two": ([1, 1, 2, 2], [3, 3, 5, 0], "NCHW"),
        "last": ([1, 2, 2, 1], [1, 4, 0, 3], "NHWC"),
        "three": ([1, 1, 2, 1, 2], [5, 1, 2, 0, 3, 3], "NCDHW"),
        "cut": ([1, 1, 3], [-1, 7], "NCL"),
    }
    for name, (shape, padding, layout) in cases.items():
        x = _leaf(paddle, np, np.arange(np.prod(shape)).reshape(shape))
        y = functional.pad(x, padding, mode="circular", data_format=layout)
        (y * paddle.arange(y.size, dtype="float32").reshape(y.shape)).sum().backward()
        out[name] = [y.numpy(), x.grad.numpy()]
    for layer, shape in (
        (layers.Pad1D([4, 5], mode="circular"), [1, 1, 3]),
        (layers.Pad2D([4, 1, 0, 3], mode="circular"), [1, 1, 2, 3]),
        (layers.Pad3D([4, 1, 0, 3, 2, 2], mode="circular"), [1, 1, 1, 2, 3]),
    ):
        x = paddle.arange(np.prod(shape), dtype="float32").reshape(shape)
        out[type(layer).__name__] = layer(x).numpy()
    return out


@program
def tensordot_over_an_axis_of_size_1(paddle, np):
    """It is repeated to the size that it meets."""
    x = _leaf(paddle, np, [[2.0], [3.0]])
    y = _leaf(paddle, np, np.arange(12).reshape(3, 4))
    out = paddle.tensordot(x, y, axes=[[1], [0]])
    (out * out).sum().backward()
    other = paddle.tensordot(y, x, axes=[[0], [1]])
    both = paddle.tensordot(paddle.ones([1, 3, 2]), y.reshape([4, 1, 3]), axes=[[0, 1], [0, 1]])
    return [out.numpy(), x.grad.numpy(), y.grad.numpy(), other.numpy(), both.numpy()]


@program
def smooth_l1_loss_of_two_dtypes(paddle, np):
    """The floats are promoted, each gradient has its own operand's dtype; integers are refused."""
    x, y = _leaf(paddle, np, [1.0, 2.0]), _leaf(paddle, np, [1.5, 4.0], "float64")
    loss = paddle.nn.functional.smooth_l1_loss(x, y)
    loss.backward()
    integers = paddle.to_tensor([1, 2])
    return [
        loss.numpy(),
        x.grad.numpy(),
        y.grad.numpy(),
        refuses(lambda: paddle.nn.functional.smooth_l1_loss(x, integers)),
    ]


@program
def whole_numbers_given_as_floats(paddle, np):
    """Some axes and counts may be floats."""
    x = paddle.to_tensor(np.array([[3.0, 1.0, 2.0], [4.0, 6.0, 5.0]], "float32"))
    top = paddle.topk(x, 2.0)
    return {
        "cumsum": paddle.cumsum(x, axis=-2.0).numpy(),
        "concat": paddle.concat([x, x], 1.0).numpy(),
        "gather": paddle.gather(x, paddle.to_tensor([2, 0]), 1.0).numpy(),
        "argmax": paddle.argmax(x, 1.0).numpy(),
        "argmin": paddle.argmin(x, 0.0, keepdim=True).numpy(),
        "topk": [top[0].numpy(), top[1].numpy()],
        "rot90": paddle.rot90(x, 3.0).numpy(),
        "one_hot": paddle.nn.functional.one_hot(paddle.to_tensor([1]), 3.0).numpy(),
        "bincount": paddle.bincount(paddle.to_tensor([1, 2]), minlength=5.0).numpy(),
        "linspace": paddle.linspace(0, 1, 3.0).numpy(),
        "logspace": paddle.logspace(0, 1, 3.0).numpy(),
        "multinomial": paddle.multinomial(paddle.to_tensor([0.0, 1.0]), 1.0).numpy(),
    }


@differs(
    "Paddle drops the fraction of an axis and of a count, so that 0.5 is the first axis.",
    right=["refused"] * 6,
    paddle_gives=["taken"] * 6,
)
def fractions_of_axes(paddle, np):
    x = paddle.to_tensor(np.array([[1.0, 2.0]], "float32"))
    calls = [
        lambda: paddle.cumsum(x, axis=0.5),
        lambda: paddle.concat([x, x], 0.5),
        lambda: paddle.gather(x, paddle.to_tensor([0]), 0.5),
        lambda: paddle.argmax(x, 0.5),
        lambda: paddle.topk(x, 1.5),
        lambda: paddle.rot90(x, 1.5),
    ]
    return ["taken" if refuses(call) == "no error" else "refused" for call in calls]


@program
def reindex_graph_of_two_kinds_of_edges(paddle, np):
    """The counts of one kind follow those of the other, in one tensor."""
    x = paddle.to_tensor([0, 1, 2])
    neighbors = paddle.to_tensor([8, 9, 0, 4, 7, 6, 7, 0, 2, 3, 5, 1])
    count = paddle.to_tensor([2, 3, 2, 1, 3, 1], dtype="int32")
    return [each.numpy() for each in paddle.geometric.reindex_graph(x, neighbors, count)]


@program
def seeds_of_other_shapes(paddle, np):
    """grad and autograd.backward take the elements in order; Tensor.backward wants the shape."""
    out = []
    for shape, seed_shape in (((), (1,)), ((), (1, 1)), ((1,), ()), ((2,), (2, 1)), ((2, 2), (4,))):
        seed = np.arange(1, 1 + np.prod(seed_shape), dtype="float32").reshape(seed_shape)
        seed = paddle.to_tensor(seed)
        x = _leaf(paddle, np, np.full(shape, 2.0))
        out.append(paddle.grad(x * x, x, seed)[0].numpy())
        paddle.autograd.backward([x * x], [seed])
        out.append(x.grad.numpy())
        y = x * x
        try:
            y.backward(seed)
        except AssertionError:
            out.append("AssertionError")
    return out


@program
def index_put_adds_bools(paddle, np):
    """The sum of bools is true where any of them is."""
    x = paddle.to_tensor([True, False, False, False])
    places = paddle.to_tensor([0, 1, 1, 2])
    value = paddle.to_tensor([True, False, True, False])
    out = paddle.index_put(x, (places,), value, accumulate=True)
    x.index_put_((places,), value, accumulate=True)
    return [out.numpy(), x.numpy()]


@program
def broadcast_shape_of_unknown_sizes(paddle, np):
    """A size of -1 becomes the size it meets, unless that is 1."""
    pairs = (
        ([2, -1, 1], [1, 3]),
        ([-1], [3]),
        ([-1], [1]),
        ([-1], [-1]),
        ([-1], [0]),
        ([3], [-1, 1]),
        ([], [-1]),
    )
    return {
        "shapes": [paddle.broadcast_shape(*pair) for pair in pairs],
        "refused": refuses(lambda: paddle.broadcast_shape([2, -1], [3, 3])),
    }


@program
def matrix_exp_of_a_number(paddle, np):
    """It is the exponential of the number."""
    x = _leaf(paddle, np, 2.0, "float64")
    y = paddle.linalg.matrix_exp(x)
    y.backward()
    return [y.numpy(), x.grad.numpy()]


@program
def upsampling_to_one_size(paddle, np):
    """One number is the height and the width; F.interpolate takes a list only."""
    x = paddle.to_tensor(np.arange(6, dtype="float32").reshape(1, 1, 2, 3))
    return [
        paddle.nn.UpsamplingNearest2D(size=3)(x).numpy(),
        paddle.nn.UpsamplingBilinear2D(size=4)(x).numpy(),
        error_of(lambda: paddle.nn.functional.interpolate(x, size=3)),
    ]


_OPTIONS = {
    "2-norm": {},
    "1-norm": {"norm_type": 1.0},
    "3-norm": {"norm_type": 3},
    "largest": {"norm_type": float("inf")},
    "nonzero": {"norm_type": 0.0},
    "padding": {"padding_idx": 0},
    "sparse": {"sparse": True},
    "by frequency": {"scale_grad_by_freq": True},
}


@program
def embedding_max_norm(paddle, np):
    """The rows that are looked up are scaled in place, before they are read."""
    table, out = [[3.0, 4.0], [0.3, 0.4], [6.0, 8.0]], {}
    for name, options in _OPTIONS.items():
        weight = _leaf(paddle, np, table)
        ids = paddle.to_tensor([[0, 1], [0, 0]])
        rows = paddle.nn.functional.embedding(ids, weight, max_norm=1.0, **options)
        version = weight.inplace_version
        (rows * rows).sum().backward()
        out[name] = [rows.numpy(), weight.numpy(), version]
        if name != "sparse":
            out[name].append(weight.grad.numpy())
    return out


@program
def embedding_max_norm_and_the_graph(paddle, np):
    """A saved weight that is scaled makes backward fail; a table that is no leaf is scaled too."""
    weight = _leaf(paddle, np, [[3.0, 4.0], [0.3, 0.4]])
    ids = paddle.to_tensor([0, 1])
    squares = (weight * weight).sum()
    rows = paddle.nn.functional.embedding(ids, weight, max_norm=1.0)
    fails = refuses(lambda: (squares + rows.sum()).backward())
    other = _leaf(paddle, np, [[3.0, 4.0], [0.3, 0.4]])
    table = other * 1
    rows = paddle.nn.functional.embedding(ids, table, max_norm=1.0)
    (rows * rows).sum().backward()
    return [fails, rows.numpy(), table.numpy(), other.numpy(), other.grad.numpy()]


@program
def an_embedding_with_max_norm_trains(paddle, np):
    """Each step scales the rows that it reads, eagerly and in a marked function."""
    attr = paddle.nn.initializer.Assign(np.array([[3.0, 4.0], [0.3, 0.4], [6.0, 8.0]], "float32"))
    out = []
    for marked in (False, True):
        layer = paddle.nn.Embedding(3, 2, max_norm=1.0, norm_type=1.0, weight_attr=attr)
        read = paddle.jit.to_static(layer, full_graph=False) if marked else layer
        optimizer = paddle.optimizer.SGD(0.5, parameters=layer.parameters())
        for ids in ([0, 1], [1, 1], [0, 0]):
            rows = read(paddle.to_tensor(ids))
            (rows * rows * rows).sum().backward()
            optimizer.step()
            optimizer.clear_grad()
            out.append(layer.weight.numpy())
    return out


@program
def normalize_into_out(paddle, np):
    """The tensor becomes the result, with its history."""
    x, out = _leaf(paddle, np, [[3.0, 4.0]]), paddle.zeros([2])
    result = paddle.nn.functional.normalize(x, out=out)
    (out * paddle.to_tensor([[1.0, 2.0]])).sum().backward()
    return [result is out, out.numpy(), x.grad.numpy()]


@program
def atleast_of_what_is_no_tensor(paddle, np):
    """Numbers, nested lists and arrays are made tensors; a list of tensors is several."""
    of = paddle.to_tensor
    inputs = {
        "number": (1.0,),
        "list": ([1, 2],),
        "nested": ([[1, 2], [3, 4]],),
        "array": (np.ones(2),),
        "several": (1, [2.0]),
        "tensors": ([of(1), of([2])],),
        "a tuple": ((of([1.0]), of(2)),),
        "mixed": ([of(1), 2],),
        "list and tensor": ([of(1)], of(2)),
        "nothing": ([],),
    }
    out = {}
    for name in ("atleast_1d", "atleast_2d", "atleast_3d"):
        function = getattr(paddle, name)
        for what, given in inputs.items():
            found = function(*given)
            found = found if isinstance(found, list) else [found]
            out[f"{name} {what}"] = [each.numpy() for each in found]
        out[f"{name} refuses"] = [error_of(partial(function, each)) for each in ("a", None)]
    return out
