"""Reductions and what sorts: axes, keepdim, dtypes, 0-D and empty inputs, gradients."""

from ..probe import attempt, leaf, pull, refuses
from ..registry import program


def _data(np):
    return np.random.default_rng(11).uniform(0.5, 2.0, (2, 3, 4))


@program
def axes_and_keepdim(paddle, np):
    """Each reduction over none, one, negative and several axes, with and without keepdim."""
    out = {}
    choices = [
        {},
        {"axis": -1},
        {"axis": [0, 2]},
        {"axis": 1, "keepdim": True},
        {"keepdim": True},
    ]
    for name in "sum mean max min prod logsumexp amax amin".split():
        for attributes in choices:
            x = leaf(paddle, _data(np))
            y = getattr(paddle, name)(x, **attributes)
            pull(paddle, np, y)
            out[f"{name} {attributes}"] = [y.numpy(), x.grad.numpy()]
    return out


@program(rtol=1e-6, reason="Paddle takes the root of a p-norm of float64 in float32")
def spread(paddle, np):
    """var, std and norm."""
    cases = {
        "var": lambda x: paddle.var(x),
        "var axis": lambda x: paddle.var(x, axis=1),
        "var biased": lambda x: paddle.var(x, axis=[0, 1], unbiased=False),
        "std": lambda x: paddle.std(x, axis=2, keepdim=True),
        "norm": lambda x: paddle.norm(x),
        "norm axis": lambda x: paddle.norm(x, axis=1),
        "norm 1": lambda x: paddle.norm(x, p=1, axis=-1),
        "norm 3": lambda x: paddle.norm(x, p=3, axis=0, keepdim=True),
        "norm inf": lambda x: paddle.norm(x, p=float("inf"), axis=1),
    }
    out = {}
    for text, function in cases.items():
        x = leaf(paddle, _data(np))
        y = function(x)
        pull(paddle, np, y)
        out[text] = [y.numpy(), x.grad.numpy()]
    return out


@program
def recorded_names_of_reductions(paddle, np):
    """The node that each reduction records."""
    x = leaf(paddle, _data(np))
    names = "sum mean max min prod logsumexp amax amin cumsum cumprod".split()
    return {
        "all": {n: getattr(paddle, n)(x).grad_fn.name() for n in names if n != "cumprod"},
        "axis": {n: getattr(paddle, n)(x, 1).grad_fn.name() for n in names},
    }


@program
def positions(paddle, np):
    """argmax, argmin, argsort, sort and topk: ties, axes, order, dtypes."""
    data = np.float32([[3.0, 1.0, 2.0], [2.0, 7.0, 5.0]])
    x = paddle.to_tensor(data)
    tie = paddle.to_tensor([1.0, 3.0, 3.0, 0.0])
    values, indices = paddle.topk(x, 2)
    low, low_at = paddle.topk(x, 1, axis=0, largest=False)
    return {
        "argmax": paddle.argmax(x).numpy(),
        "argmax axis": paddle.argmax(x, axis=1).numpy(),
        "argmax keepdim": paddle.argmax(x, axis=0, keepdim=True).numpy(),
        "argmax int32": paddle.argmax(x, axis=1, dtype="int32").numpy(),
        "argmin": paddle.argmin(x, axis=1).numpy(),
        "tie": [paddle.argmax(tie).numpy(), paddle.argmin(tie).numpy()],
        "argsort": paddle.argsort(x).numpy(),
        "argsort down": paddle.argsort(x, axis=0, descending=True).numpy(),
        "sort": paddle.sort(x, axis=1).numpy(),
        "sort down": paddle.sort(x, axis=1, descending=True).numpy(),
        "topk": [values.numpy(), indices.numpy()],
        "topk low": [low.numpy(), low_at.numpy()],
    }


@program
def gradients_of_sorting(paddle, np):
    """Gradients of sort and topk go back to where the values came from."""
    weight = paddle.to_tensor(np.float32([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]))
    data = np.float32([[3.0, 1.0, 2.0], [2.0, 7.0, 5.0]])
    x = leaf(paddle, data)
    (paddle.sort(x, axis=1) * weight).sum().backward()
    y = leaf(paddle, data)
    values, indices = paddle.topk(y, 2, axis=1)
    (values * weight[:, :2]).sum().backward()
    return {
        "sort": x.grad.numpy(),
        "topk": y.grad.numpy(),
        "nodes": [paddle.sort(x).grad_fn.name(), values.grad_fn.name()],
        "indices": [indices.stop_gradient, str(indices.dtype)],
    }


@program
def running_sums(paddle, np):
    """cumsum and cumprod, values and gradients."""
    cases = {
        "flat": lambda x: paddle.cumsum(x),
        "axis": lambda x: paddle.cumsum(x, axis=1),
        "last": lambda x: paddle.cumsum(x, axis=-1),
        "product": lambda x: paddle.cumprod(x, dim=1),
    }
    out = {}
    for text, function in cases.items():
        x = leaf(paddle, _data(np))
        y = function(x)
        pull(paddle, np, y)
        out[text] = [y.numpy(), x.grad.numpy()]
    return out


@program
def reductions_of_little(paddle, np):
    """Reductions of 0-D and of empty tensors."""
    zero, empty = leaf(paddle, 3.0), paddle.zeros([0, 3])
    out = {}
    for name in "sum mean max min prod logsumexp".split():
        x = leaf(paddle, 3.0)
        y = getattr(paddle, name)(x)
        y.backward()
        out[name] = [y.numpy(), x.grad.numpy()]
    out["argmax"] = paddle.argmax(zero).numpy()
    out["empty sum"] = [paddle.sum(empty).numpy(), paddle.sum(empty, axis=0).numpy()]
    out["empty prod"] = paddle.prod(empty, axis=0).numpy()
    out["empty mean"] = paddle.mean(empty).numpy()
    out["empty all"] = [paddle.all(empty > 0).numpy(), paddle.any(empty > 0).numpy()]
    return out


@program
def reductions_that_cannot_be(paddle, np):
    """An axis that is not there, a maximum of nothing."""
    x = paddle.ones([2, 3])
    return {
        "axis": [
            refuses(lambda n=n: getattr(paddle, n)(x, 2))["error"]
            for n in ("sum", "mean", "argmax")
        ],
        "max of nothing": refuses(lambda: paddle.max(paddle.zeros([0])))["error"],
    }


@program
def sums_in_another_dtype(paddle, np):
    """sum's dtype argument casts first, and the gradient comes back in the leaf's dtype."""
    x = leaf(paddle, np.float32([[1.5, 2.5]]))
    y = paddle.sum(x, axis=1, dtype="float64")
    y.backward()
    count = paddle.to_tensor([[True, False], [True, True]])
    return {
        "sum": [y.numpy(), x.grad.numpy(), str(x.grad.dtype)],
        "bool": paddle.sum(count, axis=0).numpy(),
        "method": attempt(lambda: x.sum(axis=0).numpy()),
        "int32 mean": paddle.to_tensor([1, 2], dtype="int32").sum().numpy(),
    }


@program
def truth_of_complex_numbers(paddle, np):
    """A number that is imaginary alone is true."""
    x = paddle.to_tensor(np.complex64([[1j, 1.0], [0.0, 0.0], [2j, 3j]]))
    return [
        [paddle.all(x, axis).tolist() for axis in (None, 0, 1)],
        [paddle.any(x, axis).tolist() for axis in (None, 0, 1)],
        [x.all(0).tolist(), x.any(-1, keepdim=True).tolist()],
    ]
