"""paddle.geometric: segments, messages, renumbering."""

from ..probe import array, attempt, leaf, pull
from ..registry import CRASHES, differs, program


def _ids(paddle, np, values):
    return paddle.to_tensor(np.array(values, "int64"))


@program
def segments(paddle, np):
    """Every reduction of sorted segments, an empty one among them; node name and gradient."""
    out = {}
    for name in "sum mean max min".split():
        x = leaf(paddle, np.array([[1.0, 2, 3], [3, 1, 2], [4, 6, 5], [7, 1, 2]]))
        y = getattr(paddle.geometric, f"segment_{name}")(x, _ids(paddle, np, [0, 0, 2, 2]))
        pull(paddle, np, y)
        out[name] = [y.numpy(), array(x.grad), y.grad_fn.name()]
    out["integers"] = paddle.geometric.segment_sum(
        paddle.to_tensor([[1, 2], [3, 4]]), _ids(paddle, np, [0, 0])
    ).numpy()
    out["a vector"] = paddle.geometric.segment_max(
        paddle.to_tensor([1.0, 2.0]), _ids(paddle, np, [1, 1])
    ).numpy()
    return out


@program
def segments_refused(paddle, np):
    """Ids that are not sorted, and too few."""
    x = paddle.to_tensor([[1.0, 2.0], [3.0, 4.0]])
    wrong = [_ids(paddle, np, ids) for ids in ([2, 0], [0])]
    return [attempt(lambda ids=ids: paddle.geometric.segment_sum(x, ids))["error"] for ids in wrong]


@differs(
    "Paddle gives the whole gradient to each of the elements that tie, three times too much",
    right=[1 / 3, 1 / 3, 1 / 3],
    paddle_gives=[1.0, 1.0, 1.0],
)
def segments_with_ties(paddle, np):
    """Elements that tie share the gradient, as those of max do."""
    x = leaf(paddle, np.array([2.0, 2.0, 2.0]))
    paddle.geometric.segment_max(x, _ids(paddle, np, [0, 0, 0])).backward()
    return x.grad.tolist()


@differs("Paddle's process dies of no segments", right=[0, 2], paddle_gives=CRASHES)
def no_segments(paddle, np):
    """No slices make no segments."""
    x = paddle.zeros([0, 2])
    return list(paddle.geometric.segment_sum(x, _ids(paddle, np, [])).shape)


def _graph(paddle, np):
    x = leaf(paddle, np.array([[1.0, 2, 3], [4, 5, 7], [2, 6, 8]]))
    return x, _ids(paddle, np, [0, 1, 2, 0]), _ids(paddle, np, [1, 2, 1, 0])


@program
def messages_of_nodes(paddle, np):
    """send_u_recv in each reduction and with other numbers of destinations."""
    out = {}
    for name in "sum mean max min".split():
        for size in (None, 5):
            x, src, dst = _graph(paddle, np)
            y = paddle.geometric.send_u_recv(x, src, dst, name, size)
            pull(paddle, np, y)
            out[f"{name} {size}"] = [y.numpy(), array(x.grad), y.grad_fn.name()]
    return out


@program
def means_of_whole_numbers(paddle, np):
    """The mean of ints is one of them: the fraction is cut off."""
    src, dst = _ids(paddle, np, [0, 1, 2, 2]), _ids(paddle, np, [0, 0, 1, 2])
    found = []
    for dtype in ("int32", "int64"):
        x = paddle.to_tensor(np.array([[1, -2], [4, -7], [-3, 9]], dtype))
        edges = paddle.ones([4, 2], dtype)
        found += [
            paddle.geometric.send_u_recv(x, src, dst, "mean"),
            paddle.geometric.send_ue_recv(x, edges, src, dst, "add", "mean"),
            paddle.geometric.segment_mean(x, _ids(paddle, np, [0, 0, 2])),
        ]
    return [(str(each.dtype), each.numpy()) for each in found]


@program
def messages_of_edges(paddle, np):
    """send_ue_recv in each message and reduction; send_uv in each message."""
    out = {}
    for message in "add sub mul div".split():
        for name in "sum mean max min".split():
            x, src, dst = _graph(paddle, np)
            y = leaf(paddle, np.array([[1.0], [2.5], [3.1], [4]]))
            z = paddle.geometric.send_ue_recv(x, y, src, dst, message, name)
            pull(paddle, np, z)
            out[f"{message} {name}"] = [z.numpy(), array(x.grad), array(y.grad), z.grad_fn.name()]
        x, src, dst = _graph(paddle, np)
        y = leaf(paddle, np.array([[1.0, 2, 3], [2, 3, 4], [3, 4, 5]]))
        z = paddle.geometric.send_uv(x, y, src, dst, message)
        pull(paddle, np, z)
        out[message] = [z.numpy(), array(x.grad), array(y.grad), z.grad_fn.name()]
    return out


@program
def renumbered_graphs(paddle, np):
    """reindex_graph and reindex_heter_graph."""
    x = _ids(paddle, np, [0, 1, 2])
    one, two = _ids(paddle, np, [8, 9, 0, 4, 7, 6, 7]), _ids(paddle, np, [0, 2, 3, 5, 1])
    many, some = (paddle.to_tensor(np.array(v, "int32")) for v in ([2, 3, 2], [1, 3, 1]))
    geometric = paddle.geometric
    return [
        [out.numpy() for out in geometric.reindex_graph(x, one, many)],
        [out.numpy() for out in geometric.reindex_heter_graph(x, [one, two], [many, some])],
    ]
