"""Embedding and dropout, linear and one_hot."""

from ..probe import array, attempt, facts, leaf
from ..registry import program


@program
def embedding(paddle, np):
    """Rows looked up, repeated ids, the padding row, its gradient."""
    F = paddle.nn.functional
    table = np.random.default_rng(61).normal(size=(5, 3)).astype("float32")
    ids = paddle.to_tensor([[0, 2, 2], [4, 1, 0]])
    out = {}
    for text, attributes in {
        "plain": {},
        "padding": {"padding_idx": 2},
        "from the end": {"padding_idx": -1},
    }.items():
        w = leaf(paddle, table)
        y = F.embedding(ids, w, **attributes)
        (y * y).sum().backward()
        out[text] = [y.numpy(), w.grad.numpy(), y.grad_fn.name()]
    return out


@program
def embedding_layer(paddle, np):
    """nn.Embedding: shape of its weight, zero padding row, forward."""
    layer = paddle.nn.Embedding(4, 2, padding_idx=1)
    start = layer.weight.numpy()
    layer.weight.set_value(np.arange(8, dtype="float32").reshape(4, 2))
    y = layer(paddle.to_tensor([1, 3]))
    y.sum().backward()
    return [list(start.shape), start[1], y.numpy(), layer.weight.grad.numpy()]


@program
def dropout_masks(paddle, np):
    """What is kept is scaled, what is dropped is zero, and the gradient has the same mask."""
    F = paddle.nn.functional
    paddle.seed(1)
    x = leaf(paddle, np.full([100, 100], 3.0, "float32"))
    y = F.dropout(x, p=0.25)
    y.sum().backward()
    kept = y.numpy() != 0
    return {
        "values": sorted({round(float(v), 4) for v in np.unique(y.numpy())}),
        "rate": bool(abs(kept.mean() - 0.75) < 0.03),
        "gradient": bool(np.allclose(x.grad.numpy(), kept / 0.75)),
        "facts": facts(y),
    }


@program
def dropout_that_is_certain(paddle, np):
    """p of 0 and 1, evaluation in both modes."""
    F = paddle.nn.functional
    x = paddle.to_tensor(np.float32([[1.0, 2.0]]))
    return {
        "0": F.dropout(x, 0.0).numpy(),
        "1": F.dropout(x, 1.0).numpy(),
        "evaluation": F.dropout(x, 0.5, training=False).numpy(),
        "downscale": F.dropout(x, 0.25, training=False, mode="downscale_in_infer").numpy(),
        "bad p": attempt(lambda: F.dropout(x, 1.5))["error"],
    }


@program
def dropout_along_an_axis(paddle, np):
    """axis drops whole rows; dropout2d whole channels."""
    F = paddle.nn.functional
    rows = F.dropout(paddle.ones([200, 4]), 0.5, axis=0).numpy()
    maps = F.dropout2d(paddle.ones([20, 10, 2, 2]), 0.5).numpy().reshape(200, 4)
    return {
        "rows": bool((rows == rows[:, :1]).all()),
        "row values": sorted(np.unique(rows).tolist()),
        "maps": bool((maps == maps[:, :1]).all()),
        "map values": sorted(np.unique(maps).tolist()),
    }


@program
def linear_function(paddle, np):
    """F.linear with a weight of [in, out], on two and three dimensions."""
    F = paddle.nn.functional
    r = np.random.default_rng(62)
    out = {}
    for shape in [(2, 3), (2, 4, 3), (3,)]:
        x = leaf(paddle, r.normal(size=shape))
        w, b = leaf(paddle, r.normal(size=(3, 2))), leaf(paddle, r.normal(size=(2,)))
        y = F.linear(x, w, b)
        (y * y).sum().backward()
        out[str(shape)] = [y.numpy(), array(x.grad), array(w.grad), array(b.grad)]
    return out
