"""What a tensor says of its memory, methods that change it, and views asked for by name."""

from ..probe import attempt, facts, graph, leaf, pull, refuses
from ..registry import CRASHES, differs, program


def _matrix(paddle):
    return paddle.arange(12, dtype="float32").reshape([3, 4])


@program
def strides_and_offsets(paddle, np):
    """stride, strides, get_strides, offset of tensors and views."""
    x = _matrix(paddle)
    found = {"x": x, "T": x.T, "row": x[1], "column": x[:, 1], "part": x[1:, 1:], "0-D": x[0, 0]}
    found |= {"steps": x[:, ::2], "flat": x.flatten(), "one": paddle.to_tensor(1.0)}
    return {
        "views": {
            name: [list(each.strides), each.stride(), each.get_strides(), each.offset]
            for name, each in found.items()
        },
        "dimensions": [x.stride(0), x.stride(-1), x.stride(dim=1)],
        "outside": attempt(lambda: x.stride(5)),
        "assigned": refuses(lambda: setattr(x, "strides", [1, 2]))["error"],
    }


@program
def what_a_tensor_says_of_itself(paddle, np):
    """Device, layout, kind, and comparison of shapes."""
    x = _matrix(paddle)
    named = "is_dense is_dist is_sparse is_sparse_coo is_sparse_csr is_selected_rows".split()
    return {
        "device": [str(x.device), x.device.type, x.device.index, x.get_device(), x.is_cuda],
        "layout": x.layout,
        "kinds": {name: getattr(x, name)() for name in named},
        "shapes": [x.is_same_shape(x + 1), x.is_same_shape(x.T)],
        "no tensor": attempt(lambda: x.is_same_shape([3, 4])),
        "value": x.value() is x,
        "address": [x.data_ptr() > 0, type(x.data_ptr()) is int],
    }


@differs(
    "asking a dense tensor for itself is no feature that could be missing",
    right=True,
    paddle_gives={"error": "NotImplementedError", "category": "Unimplemented"},
)
def dense_tensors_made_dense(paddle, np):
    """to_dense of a dense tensor."""
    x, out = paddle.ones([2]), []
    error = refuses(lambda: out.append(x.to_dense()))
    return out[0] is x if out else error


@program
def set_shares_memory(paddle, np):
    """set_ of a tensor, with a shape, strides and an offset, and of nothing."""
    x, source = paddle.zeros([2]), paddle.arange(6, dtype="float32")
    same = x.set_(source) is x
    source[0] = 9.0
    y = paddle.zeros([1]).set_(source, [2, 2], [1, 2], 4)
    source[3] = 7.0
    z = paddle.zeros([1]).set_(source, [3, 2])
    z[2, 1] = -1.0
    return {
        "plain": [same, x.numpy(), list(x.shape)],
        "strided": [y.numpy(), list(y.strides)],
        "shaped": [z.numpy(), source.numpy()],
        "nothing": [list(paddle.ones([2]).set_().shape), str(paddle.ones([2]).set_().dtype)],
        "leaf": attempt(lambda: leaf(paddle, [1.0]).set_(source)),
    }


@differs(
    "a view's own offset is left out",
    right=[[1.0, 2.0], [50.0, 2.0]],
    paddle_gives=[[0.0, 1.0], [0.0, 50.0]],
)
def set_of_a_view(paddle, np):
    """set_ of a view that begins behind its base."""
    view = paddle.arange(3, dtype="float32")[1:]
    x = paddle.zeros([2]).set_(view)
    before = x.tolist()
    view[0] = 50.0
    return [before, x.tolist()]


@differs(
    "the memory of another dtype is read as if it had this one",
    right={"error": "ValueError", "category": "InvalidArgument"},
    paddle_gives="no error",
)
def set_of_another_dtype(paddle, np):
    """set_ of an int64 tensor on a float32 one."""
    return refuses(lambda: paddle.zeros([2]).set_(paddle.ones([2], "int64")))


@program
def resized_tensors(paddle, np):
    """resize_ to fewer, as many and more elements."""

    def resized(shape, **kwargs):
        x = paddle.arange(6, dtype="float32")
        same = x.resize_(shape, **kwargs) is x
        return [same, x.numpy(), list(x.shape), x.inplace_version]

    x = paddle.arange(6, dtype="float32")
    before = x.reshape([2, 3])
    x.resize_([2, 5], fill_zero=True)
    x[0] = 7.0
    return {
        "fewer": resized([2, 2]),
        "as many": resized([2, 3]),
        "more": resized((2, 4), fill_zero=True),
        "left": [before.numpy(), x.numpy()],
        "no list": attempt(lambda: x.resize_(3)),
        "negative": refuses(lambda: x.resize_([-1])),
        "leaf": attempt(lambda: leaf(paddle, [1.0]).resize_([1])),
    }


@program
def functions_applied(paddle, np):
    """apply and apply_: values, identity, versions, and tensors that want gradients."""
    x, y = _matrix(paddle), paddle.ones([2])
    other = x.apply(lambda t: t + 1)
    same = y.apply_(lambda t: t * 3) is y
    reduced = paddle.ones([2]).apply_(lambda t: t.sum())
    cast = paddle.ones([2]).apply_(lambda t: t.astype("int64"))
    wanted = leaf(paddle, [1.0])
    return {
        "apply": [other.numpy(), other is x, x.numpy()],
        "apply_": [same, y.numpy(), y.inplace_version],
        "another shape": reduced.numpy(),
        "another dtype": cast.numpy(),
        "wanted": attempt(lambda: wanted.apply(lambda t: t)),
        "wanted_": attempt(lambda: wanted.apply_(lambda t: t)),
    }


@differs(
    "a function that returns no tensor kills the process",
    right={"error": "TypeError", "category": "InvalidType"},
    paddle_gives=CRASHES,
)
def functions_that_return_no_tensor(paddle, np):
    """apply of a function that returns a number."""
    return refuses(lambda: paddle.ones([2]).apply(lambda t: 3))


@program
def raveled(paddle, np):
    """ravel is a view where reshape is one: values, graph, writes."""
    x = leaf(paddle, np.arange(6, dtype="float32").reshape(2, 3))
    y = paddle.ravel(x)
    pull(paddle, np, y)
    base = paddle.ones([2, 3])
    flat = base.ravel()
    flat[0] = 7.0
    vector = leaf(paddle, [1.0, 2.0])
    return {
        "plain": [y.numpy(), graph(y), x.grad.numpy()],
        "view": [base.numpy(), base.inplace_version],
        "vector": [vector.ravel() is vector, graph(vector.ravel())],
        "number": list(paddle.ravel(paddle.to_tensor(1.0)).shape),
        "transposed": base.T.ravel().numpy(),
    }


@program
def complex_views(paddle, np):
    """view_as_complex and view_as_real: values, graphs, writes through them, errors."""
    x = leaf(paddle, np.arange(4, dtype="float32").reshape(2, 2))
    z = paddle.view_as_complex(x)
    (z * paddle.to_tensor([1 + 2j, 3 - 1j])).abs().sum().backward()
    base = paddle.ones([2, 2])
    base.view_as_complex()[0] = 5 + 6j
    number = paddle.to_tensor([1 + 2j])
    number.view_as_real()[0, 1] = 9.0
    w = leaf(paddle, np.array([1 + 2j, 3 + 4j], "complex64"))
    parts = paddle.view_as_real(w)
    pull(paddle, np, parts)
    return {
        "complex": [facts(z), z.numpy(), x.grad.numpy()],
        "real": [facts(parts), parts.numpy(), w.grad.numpy()],
        "written": [base.numpy(), number.numpy(), base.inplace_version, number.inplace_version],
        "three": refuses(lambda: paddle.view_as_complex(paddle.ones([2, 3]))),
        "number": refuses(lambda: paddle.view_as_complex(paddle.ones([]))),
        "strides": refuses(lambda: paddle.view_as_complex(paddle.ones([2, 4]).T)),
    }


@program
def split_with_given_sizes(paddle, np):
    """split_with_sizes: parts share memory and have gradients; sizes that do not fit."""
    x = leaf(paddle, np.arange(12, dtype="float32").reshape(3, 4))
    parts = x.split_with_sizes([1, 3], 1)
    pull(paddle, np, *parts)
    base = paddle.zeros([3])
    base.split_with_sizes([1, 2])[1][0] = 5.0
    return {
        "parts": [part.numpy() for part in parts],
        "graph": [graph(part) for part in parts],
        "gradient": x.grad.numpy(),
        "whole": graph(x.split_with_sizes([3])[0]),
        "written": [base.numpy(), base.inplace_version],
        "empty": [list(part.shape) for part in base.split_with_sizes([0, 3])],
        "too few": attempt(lambda: x.split_with_sizes([1, 1], 1)),
        "negative": attempt(lambda: x.split_with_sizes([-1, 5], 1)),
    }


@program
def repeated(paddle, np):
    """repeat: every form of the counts, graph, errors."""
    x = leaf(paddle, np.arange(6, dtype="float32").reshape(2, 3))
    y = x.repeat(2, 2)
    pull(paddle, np, y)
    forms = [x.repeat([2, 1]), x.repeat(2, 1, 1), x.repeat(2), x.repeat(repeats=(1, 2))]
    forms += [x.repeat(paddle.to_tensor([2, 1])), x.repeat([0, 1])]
    return {
        "plain": [y.numpy(), graph(y), x.grad.numpy()],
        "forms": [each.numpy() for each in forms],
        "nothing": refuses(lambda: x.repeat()),
        "negative": refuses(lambda: x.repeat(-1, 1)),
    }


@program
def broadcast_shapes_of_several(paddle, np):
    """broadcast_shape and broadcast_shapes, as functions and of the class."""
    return {
        "three": paddle.broadcast_shapes([2, 1], [3], (1, 1)),
        "one": paddle.broadcast_shapes([2, 1]),
        "none": paddle.broadcast_shapes(),
        "kind": type(paddle.broadcast_shapes([2], [1])).__name__,
        "class": paddle.Tensor.broadcast_shapes([2, 1], [1, 4]),
        "pair": paddle.Tensor.broadcast_shape([2, 1], [1, 4]),
        "bad": refuses(lambda: paddle.broadcast_shapes([2], [3])),
        "bad pair": refuses(lambda: paddle.broadcast_shape([2, 4], [3, 4])),
        "numbers": refuses(lambda: paddle.broadcast_shapes(3, 1)),
    }


@program
def outer_products_by_another_name(paddle, np):
    """ger is outer."""
    x, y = leaf(paddle, [1.0, 2.0]), leaf(paddle, [3.0, 4.0, 5.0])
    z = paddle.ger(x, y)
    pull(paddle, np, z)
    return [z.numpy(), graph(z), x.grad.numpy(), y.grad.numpy(), hasattr(paddle.Tensor, "ger")]
