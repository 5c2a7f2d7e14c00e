"""Shape functions, joining and splitting, gathering and scattering, with gradients."""

from ..probe import array, attempt, graph, leaf, pull, refuses
from ..registry import program


def _data(np, shape=(2, 3, 4)):
    return np.random.default_rng(5).normal(size=shape).astype("float32")


def _run(paddle, np, functions, shape=(2, 3, 4)):
    """Returns value, weighted gradient and graph of each function of one tensor."""
    out = {}
    for text, function in functions.items():
        x = leaf(paddle, _data(np, shape))
        y = function(x)
        pull(paddle, np, y)
        out[text] = [y.numpy(), x.grad.numpy(), graph(y)]
    return out


@program
def shapes_that_change(paddle, np):
    """reshape, flatten, squeeze, unsqueeze, transpose and their like."""
    return _run(
        paddle,
        np,
        {
            "reshape": lambda x: paddle.reshape(x, [4, 6]),
            "reshape -1": lambda x: x.reshape([-1, 2]),
            "reshape 0": lambda x: x.reshape([0, 12]),
            "flatten": lambda x: paddle.flatten(x),
            "flatten part": lambda x: paddle.flatten(x, 1, 2),
            "unsqueeze": lambda x: paddle.unsqueeze(x, 1),
            "unsqueeze several": lambda x: paddle.unsqueeze(x, [0, -1]),
            "squeeze": lambda x: paddle.squeeze(paddle.unsqueeze(x, 0)),
            "squeeze axis": lambda x: paddle.squeeze(x[:, :1], 1),
            "transpose": lambda x: paddle.transpose(x, [2, 0, 1]),
            "T": lambda x: x.T,
            "moveaxis": lambda x: paddle.moveaxis(x, 0, -1),
            "swapaxes": lambda x: paddle.swapaxes(x, 0, 2),
            "t": lambda x: paddle.t(x[0]),
        },
    )


@program
def transpose_with_a_shorter_perm(paddle, np):
    """The dimensions that perm does not reach stay."""
    return _run(paddle, np, {"[1, 0]": lambda x: paddle.transpose(x, [1, 0])})


@program
def copies_that_repeat(paddle, np):
    """expand, tile, broadcast_to, repeat_interleave, flip, roll."""
    return _run(
        paddle,
        np,
        {
            "expand": lambda x: paddle.expand(x, [2, 3]),
            "expand -1": lambda x: paddle.expand(x, [4, -1, 3]),
            "broadcast_to": lambda x: paddle.broadcast_to(x, [2, 2, 3]),
            "expand_as": lambda x: paddle.expand_as(x, paddle.zeros([2, 3])),
            "tile": lambda x: paddle.tile(x, [2, 2]),
            "tile more": lambda x: paddle.tile(x, [2, 1, 1]),
            "repeat_interleave": lambda x: paddle.repeat_interleave(x, 2, axis=1),
            "flip": lambda x: paddle.flip(x, [1]),
            "roll": lambda x: paddle.roll(x, 1, axis=1),
        },
        shape=(1, 3),
    )


@program
def padding(paddle, np):
    """pad of every mode and rank."""
    F = paddle.nn.functional
    return _run(
        paddle,
        np,
        {
            "constant": lambda x: F.pad(x, [1, 2], value=0.5),
            "all dims": lambda x: F.pad(x, [0, 0, 0, 0, 1, 0, 0, 2]),
            "four": lambda x: F.pad(x, [1, 0, 2, 1]),
            "reflect": lambda x: F.pad(x, [1, 1, 1, 0], mode="reflect"),
            "replicate": lambda x: F.pad(x, [1, 1, 0, 2], mode="replicate"),
            "circular": lambda x: F.pad(x, [1, 1, 1, 1], mode="circular"),
        },
        shape=(1, 2, 3, 3),
    )


@program
def triangles_and_diagonals(paddle, np):
    """tril, triu and diag."""
    return _run(
        paddle,
        np,
        {
            "tril": lambda x: paddle.tril(x),
            "tril -1": lambda x: paddle.tril(x, -1),
            "triu": lambda x: paddle.triu(x, 1),
            "diag": lambda x: paddle.diag(x[0]),
            "diag of a matrix": lambda x: paddle.diag(x),
        },
        shape=(3, 4),
    )


@program
def joining(paddle, np):
    """concat and stack along every axis, of several tensors and of one."""
    out = {}
    for text, function in {
        "concat": lambda t: paddle.concat(t),
        "concat 1": lambda t: paddle.concat(t, axis=1),
        "concat -1": lambda t: paddle.concat(t, axis=-1),
        "concat one": lambda t: paddle.concat(t[:1]),
        "stack": lambda t: paddle.stack(t),
        "stack 1": lambda t: paddle.stack(t, axis=1),
        "stack -1": lambda t: paddle.stack(t, axis=-1),
        "add_n": lambda t: paddle.add_n(t),
    }.items():
        tensors = [leaf(paddle, _data(np, (2, 3)) * k) for k in (1.0, 2.0, 3.0)]
        y = function(tensors)
        pull(paddle, np, y)
        out[text] = [y.numpy(), [array(t.grad) for t in tensors], graph(y)]
    return out


@program
def splitting(paddle, np):
    """split, chunk, unbind and unstack; only some of the pieces used."""
    out = {}
    for text, function in {
        "split": lambda x: paddle.split(x, 2, axis=1),
        "sections": lambda x: paddle.split(x, [1, 3], axis=1),
        "rest": lambda x: paddle.split(x, [1, -1], axis=1),
        "chunk": lambda x: paddle.chunk(x, 2, axis=1),
        "unbind": lambda x: paddle.unbind(x, axis=0),
        "method": lambda x: x.split(2),
    }.items():
        x = leaf(paddle, _data(np, (2, 4)))
        pieces = function(x)
        pull(paddle, np, pieces[1])
        same = pieces[0].grad_fn.node_ptr() == pieces[1].grad_fn.node_ptr()
        names = pieces[0].grad_fn.name()
        out[text] = [
            type(pieces).__name__,
            [p.numpy() for p in pieces],
            x.grad.numpy(),
            same,
            names,
        ]
    return out


@program
def gathering(paddle, np):
    """gather, gather_nd, index_select, take_along_axis, index_sample, masked_select."""
    index = paddle.to_tensor([2, 0, 2])
    return _run(
        paddle,
        np,
        {
            "gather": lambda x: paddle.gather(x, index),
            "gather axis": lambda x: paddle.gather(x, index, axis=1),
            "gather_nd": lambda x: paddle.gather_nd(x, paddle.to_tensor([[0, 1], [2, 3], [0, 1]])),
            "gather_nd rows": lambda x: paddle.gather_nd(x, paddle.to_tensor([[1], [1]])),
            "index_select": lambda x: paddle.index_select(x, index, axis=1),
            "take_along_axis": lambda x: paddle.take_along_axis(
                x, paddle.to_tensor([[0, 1], [1, 1], [3, 0]]), 1
            ),
            "masked_select": lambda x: paddle.masked_select(x, x > 0),
        },
        shape=(3, 4),
    )


@program
def sampling_positions_from_the_end(paddle, np):
    """index_sample takes no negative position, and none past the end."""
    x = paddle.to_tensor([[1.0, 2.0], [3.0, 4.0]])
    found = [
        attempt(lambda bad=bad: paddle.index_sample(x, paddle.to_tensor([[0], [bad]])).tolist())
        for bad in (1, -1, -3, 2)
    ]
    return [each["error"] if isinstance(each, dict) else each for each in found]


@program
def scattering(paddle, np):
    """scatter (over and added), scatter_nd_add, put_along_axis, index_add: both gradients."""
    index = paddle.to_tensor([2, 0])
    functions = {
        "scatter": lambda x, u: paddle.scatter(x, index, u),
        "scatter add": lambda x, u: paddle.scatter(x, index, u, overwrite=False),
        "scatter_nd_add": lambda x, u: paddle.scatter_nd_add(x, paddle.to_tensor([[1], [1]]), u),
        "index_add": lambda x, u: paddle.index_add(x, index, 0, u),
        "put_along_axis": lambda x, u: paddle.put_along_axis(
            x, paddle.to_tensor([[0, 1, 0, 1]]), u[:1], 0
        ),
    }
    out = {}
    for text, function in functions.items():
        x, u = leaf(paddle, _data(np, (3, 4))), leaf(paddle, _data(np, (2, 4)))
        y = function(x, u)
        pull(paddle, np, y)
        out[text] = [y.numpy(), x.grad.numpy(), u.grad.numpy(), y.grad_fn.name()]
    return out


@program
def choosing(paddle, np):
    """where with tensors, scalars and broadcasting; masked_fill; nonzero."""
    condition = paddle.to_tensor([[True, False, True], [False, False, True]])
    x, y = leaf(paddle, _data(np, (2, 3))), leaf(paddle, _data(np, (3,)))
    z = paddle.where(condition, x, y)
    (z * z).sum().backward()
    filled = leaf(paddle, _data(np, (2, 3)))
    masked = paddle.masked_fill(filled, condition, 9.0)
    (masked * masked).sum().backward()
    return {
        "where": [z.numpy(), x.grad.numpy(), y.grad.numpy(), z.grad_fn.name()],
        "scalar": paddle.where(condition, x, 0.0).numpy(),
        "method": condition.where(x, y.expand([2, 3])).numpy(),
        "masked_fill": [masked.numpy(), filled.grad.numpy(), masked.grad_fn.name()],
        "nonzero": paddle.nonzero(condition).numpy(),
        "nonzero tuple": [i.numpy() for i in paddle.nonzero(condition, as_tuple=True)],
        "where alone": [i.numpy() for i in paddle.where(condition)],
    }


@program
def grids(paddle, np):
    """meshgrid, one_hot and unique of small inputs."""
    a, b = paddle.meshgrid(paddle.arange(2), paddle.arange(3))
    return {
        "meshgrid": [a.numpy(), b.numpy()],
        "one_hot": paddle.nn.functional.one_hot(paddle.to_tensor([1, 0, 2]), 3).numpy(),
    }


@program
def shapes_refused(paddle, np):
    """Shape errors are Paddle's classes."""
    x = paddle.ones([2, 3])
    return {
        "reshape": refuses(lambda: x.reshape([4, 2])),
        "concat": refuses(lambda: paddle.concat([x, paddle.ones([3, 2])])),
        "stack": refuses(lambda: paddle.stack([x, paddle.ones([3, 2])])),
        "transpose": refuses(lambda: paddle.transpose(x, [0, 0]))["error"],
        "expand": refuses(lambda: paddle.expand(x, [2, 4])),
        "split": refuses(lambda: paddle.split(x, 2, axis=1)),
        "unsqueeze": refuses(lambda: paddle.unsqueeze(x, 5))["error"],
        "squeeze keeps": paddle.squeeze(x, 0).shape == [2, 3],
    }


@program
def shape_arguments(paddle, np):
    """Shapes given as tuples, tensors and lists with tensors in them; attempt of a float."""
    x = paddle.arange(6)
    two = paddle.to_tensor(2)
    return {
        "tuple": x.reshape((2, 3)).numpy(),
        "tensor": x.reshape(paddle.to_tensor([3, 2])).numpy(),
        "mixed": x.reshape([two, 3]).numpy(),
        "zeros": paddle.zeros([two, 1]).numpy(),
        "full": paddle.full(paddle.to_tensor([2, 2]), 7.0).numpy(),
        "size": list(paddle.ones([2, 3]).shape[1:]),
        "shape of": paddle.shape(paddle.ones([2, 3])).numpy(),
        "args": attempt(lambda: x.reshape(2, 3).numpy()),
    }


@program
def parts_that_are_everything(paddle, np):
    """slice, strided_slice and tensor_split are ops also where they read everything."""
    x = leaf(paddle, np.arange(6, dtype="float32").reshape(2, 3))
    parts = [
        paddle.slice(x, [0], [0], [10]),
        paddle.slice(x, [0, 1], [0, 0], [2, 3]),
        paddle.strided_slice(x, [0], [0], [2], [1]),
        paddle.tensor_split(x, [3, 1], -1)[0],
    ]
    total = sum((part * part).sum() for part in parts)
    total.backward()
    return [
        [[part.is_leaf, part.grad is None, part.numpy()] for part in parts],
        x.grad.numpy(),
        [list(part.shape) for part in paddle.tensor_split(x, [3, 1], -1)],
    ]


@program
def a_dtype_that_a_tensor_has(paddle, np):
    """`to` with a dtype makes a copy, with a device or a tensor it does not."""
    x = leaf(paddle, [1.0, 2.0])
    copied = x.to("float32")
    z = paddle.ones([2])
    z.to("float32").add_(paddle.ones([2]))
    return [
        [copied is x, copied.is_leaf, copied.stop_gradient],
        [x.to("cpu") is x, x.to(x) is x, x.to("cpu", "float32") is x],
        x.to(dtype="float32") is x,
        z.numpy(),
    ]


@program
def an_axis_that_is_named_twice(paddle, np):
    """slice and strided_slice cut it again, roll adds its shifts, squeeze drops it once."""
    x = leaf(paddle, np.arange(24, dtype="float32").reshape(6, 4))
    parts = [
        paddle.slice(x, [0, 0], [1, 0], [3, 1]),
        paddle.slice(x, [0, 1, -2], [1, 1, 1], [5, 3, 3]),
        paddle.strided_slice(x, [0, 0], [1, 1], [6, 5], [1, 2]),
        paddle.roll(x, [2, -1, 1], [0, 1, -2]),
        paddle.roll(x, 1, []),
        paddle.fft.fftshift(x, [0, 0]),
    ]
    sum((part * part * part).sum() for part in parts).backward()
    one = paddle.ones([1, 2, 1])
    squeezed = [list(paddle.squeeze(one, axes).shape) for axes in ([0, -3], [0, 0, 2], [1, 1])]
    put = paddle.slice_scatter(x.detach(), paddle.ones([1, 4]), [0, 0], [1, 1], [5, 2], [1, 1])
    return [[part.numpy() for part in parts], x.grad.numpy(), squeezed, put.numpy()]
