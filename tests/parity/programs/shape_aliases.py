"""Further forms of calls on shapes and places: other keywords, dimensions one by one."""

from ..probe import facts, graph, leaf, pull, refuses
from ..registry import differs, program


def _matrix(paddle):
    return paddle.arange(6, dtype="float32").reshape([2, 3])


@program
def shapes_by_other_keywords(paddle, np):
    """input, dim, size and their like, for functions that change a shape."""
    x, deep = _matrix(paddle), paddle.arange(24).reshape([2, 3, 4])
    one = x.reshape([1, 2, 3])
    calls = {
        "reshape": lambda: paddle.reshape(input=x, shape=[3, 2]),
        "view": lambda: [x.view(size=[3, 2]), paddle.view(x, dtype="int32")],
        "squeeze": lambda: [paddle.squeeze(input=one, dim=0), one.squeeze(dim=[0])],
        "unsqueeze": lambda: paddle.unsqueeze(input=x, dim=1),
        "flatten": lambda: paddle.flatten(input=deep, start_dim=1, end_dim=2),
        "transpose": lambda: [
            paddle.transpose(deep, 0, 2),
            paddle.transpose(input=deep, dim0=0, dim1=2),
            deep.transpose(-1, 0),
            x.transpose(0, 1),
        ],
        "permute": lambda: [
            paddle.permute(x, dims=(1, 0)),
            deep.permute(2, 0, 1),
            x.permute([1, 0]),
        ],
        "roll": lambda: paddle.roll(input=x, shifts=1, dims=0),
        "swapaxes": lambda: [
            paddle.swapaxes(input=deep, dim0=0, dim1=2),
            deep.swapdims(axis0=0, axis1=1),
        ],
        "unflatten": lambda: paddle.unflatten(input=x, dim=1, sizes=[3, 1]),
        "concat": lambda: [paddle.cat(tensors=[x, x], dim=1), paddle.concat([x, x], dim=0)],
        "stack": lambda: paddle.stack(tensors=[x, x], dim=-1),
        "chunk": lambda: paddle.chunk(input=x, chunks=3, dim=1),
        "tensor_split": lambda: [
            *paddle.tensor_split(input=x, indices=[1], dim=1),
            *x.tensor_split(sections=2),
            *x.tensor_split(indices_or_sections=2),
        ],
        "unbind": lambda: x.unbind(dim=1),
        "tile": lambda: paddle.tile(input=x, dims=[1, 2]),
        "expand": lambda: [x.expand(size=[2, 2, 3]), x.expand(2, 2, 3)],
        "broadcast_to": lambda: paddle.broadcast_to(input=x, size=[2, 2, 3]),
        "expand_as": lambda: paddle.expand_as(input=x, other=paddle.ones([2, 2, 3])),
        "repeat_interleave": lambda: [
            paddle.repeat_interleave(input=x, repeats=2, dim=1),
            x.repeat_interleave(2, 0, output_size=4),
            x.repeat_interleave(paddle.to_tensor([1, 2]), 0, output_size=3),
        ],
        "diagonal": lambda: paddle.diagonal(input=deep, dim1=1, dim2=2),
        "triangles": lambda: [paddle.tril(input=x), paddle.triu(input=x, diagonal=1)],
    }
    out = {}
    for name, call in calls.items():
        made = call()
        made = made if isinstance(made, (list, tuple)) else [made]
        out[name] = [each.numpy() for each in made]
    out["wrong size"] = refuses(
        lambda: x.repeat_interleave(paddle.to_tensor([1, 2]), 0, output_size=4)
    )
    out["no perm"] = refuses(lambda: paddle.transpose(x))["error"]
    return out


@program
def places_by_other_keywords(paddle, np):
    """gather, scatter and their kin with a dimension second, or named."""
    x, rows = _matrix(paddle), paddle.to_tensor([1])
    each = paddle.to_tensor([[0, 1, 0]])
    source = paddle.full([1, 3], 9.0)
    calls = {
        "gather": lambda: [
            paddle.gather(input=x, dim=0, index=each),
            x.gather(-1, paddle.to_tensor([[1], [0]])),
            paddle.gather(x, rows, 0),
        ],
        "scatter": lambda: [
            paddle.scatter(input=x, dim=0, index=each, src=source),
            x.scatter(0, each, source),
            paddle.scatter(x, 0, each, value=5.0),
            x.scatter(0, each, source, reduce="add"),
            x.scatter(0, each, source, reduce="multiply"),
            x.clone().scatter_(0, each, source),
            x.clone().scatter_(0, each, 5.0),
            x.clone().scatter_(0, each, source, reduce="add"),
        ],
        "index_select": lambda: [
            paddle.index_select(input=x, dim=1, index=rows),
            x.index_select(1, rows),
        ],
        "index_add": lambda: [
            paddle.index_add(input=x, dim=0, index=rows, source=source),
            x.index_add(0, rows, source),
            x.clone().index_add_(0, rows, source),
            x.index_add(rows, 0, source, alpha=2),
        ],
        "index_put": lambda: paddle.index_put(input=x, indices=(rows,), values=source),
        "take_along_axis": lambda: [
            paddle.take_along_axis(input=x, indices=each, dim=0),
            paddle.take_along_dim(input=x, indices=each, dim=0),
        ],
        "where": lambda: paddle.where(x > 1, input=x, other=x * 0),
        "masked_select": lambda: paddle.masked_select(input=x, mask=x > 1),
    }
    out = {}
    for name, call in calls.items():
        made = call()
        made = made if isinstance(made, list) else [made]
        out[name] = [one.numpy() for one in made]
    wanted = leaf(paddle, np.arange(6, dtype="float32").reshape(2, 3))
    picked = wanted.gather(0, each)
    pull(paddle, np, picked)
    out["gradient"] = [wanted.grad.numpy(), graph(picked)]
    return out


@program
def results_that_go_to_out(paddle, np):
    """out= of functions on shapes and places."""
    x, rows = _matrix(paddle), paddle.to_tensor([1])
    calls = {
        "roll": lambda o: paddle.roll(x, 1, out=o),
        "concat": lambda o: paddle.concat([x, x], out=o),
        "stack": lambda o: paddle.stack([x, x], out=o),
        "gather": lambda o: paddle.gather(x, rows, out=o),
        "scatter": lambda o: paddle.scatter(x, rows, x[:1], out=o),
        "index_select": lambda o: paddle.index_select(x, rows, out=o),
        "index_add": lambda o: paddle.index_add(x, rows, 0, x[:1], out=o),
        "take_along_axis": lambda o: paddle.take_along_axis(x, rows.reshape([1, 1]), 0, out=o),
        "tril": lambda o: paddle.tril(x, out=o),
        "triu": lambda o: paddle.triu(x, out=o),
        "ger": lambda o: paddle.ger(x[0], x[1], out=o),
        "polar": lambda o: paddle.polar(x, x, out=o),
        "complex": lambda o: paddle.complex(x, x, out=o),
    }
    out = {}
    for name, call in calls.items():
        target = paddle.zeros([2, 3], "complex64" if name in ("polar", "complex") else "float32")
        call(target)
        out[name] = target.numpy()
    return out


@program
def sizes_one_by_one(paddle, np):
    """Sizes as ints in a row, and as size=."""
    made = {
        "zeros": [paddle.zeros(2, 3), paddle.zeros(2, 3, dtype="int32"), paddle.zeros(size=[2])],
        "ones": [paddle.ones(2, 3), paddle.ones(2), paddle.ones(size=(2, 1))],
        "empty": [paddle.empty(2, 3), paddle.empty(size=[2])],
        "rand": [paddle.rand(2, 3, dtype="float64"), paddle.rand(size=[2])],
        "randn": [paddle.randn(2, 3), paddle.randn(size=[2])],
        "full": [paddle.full(size=(2,), fill_value=3)],
        "eye": [paddle.eye(n=2, m=3)],
        "linspace": [paddle.linspace(start=0, end=3, steps=4)],
        "like": [paddle.zeros_like(input=paddle.ones([2]))],
    }
    return {name: [facts(each) for each in tensors] for name, tensors in made.items()}


@program
def tensors_moved_by_other_keywords(paddle, np):
    """to, copy_, requires_grad_ and size with further keywords."""
    x = _matrix(paddle)
    return {
        "to": [
            facts(x.to(other=paddle.ones([1], "int64"))),
            facts(x.to("cpu", non_blocking=True)),
            x.to("float32", copy=True) is x,
            facts(x.to(paddle.ones([1], "float64"))),
        ],
        "copy_": x.clone().copy_(x * 2, non_blocking=True).numpy(),
        "requires_grad_": x.clone().requires_grad_(requires_grad=True).stop_gradient,
        "size": [list(x.size()), x.size(0), x.size(dim=-1), x.size == 6],
    }


@differs(
    "a wrong length makes a tensor of that length, with elements that nobody computed",
    right={"error": "ValueError", "category": "InvalidArgument"},
    paddle_gives="no error",
)
def lengths_that_are_wrong(paddle, np):
    """repeat_interleave with an output_size that is not the length."""
    return refuses(lambda: paddle.repeat_interleave(_matrix(paddle), 2, 0, output_size=5))


@differs(
    "of three dimensions the first two are exchanged, and the third is dropped without a word",
    right=[4, 2, 3],
    paddle_gives=[4, 3, 2],
)
def transpose_of_three_ints(paddle, np):
    """The order of all dimensions, one by one."""
    return list(paddle.ones([2, 3, 4]).transpose(2, 0, 1).shape)
