"""Axes that a tensor lacks, windows larger than the image, and other ends of what is accepted."""

from ..probe import array, error_of, facts, leaf
from ..registry import program


def _catches(call, kind):
    """Return whether a caller that expects this class of error catches it."""
    try:
        call()
    except kind:
        return True
    return False


@program
def classes_of_a_wrong_axis(paddle, np):
    """ValueError, IndexError or AssertionError, each as in Paddle."""
    x, zero = paddle.to_tensor(np.arange(6.0, dtype="float32").reshape(2, 3)), paddle.to_tensor(1.0)
    at = paddle.to_tensor([0])
    calls = {
        AssertionError: [
            lambda: paddle.moveaxis(x, 0, 4),
            lambda: paddle.unflatten(x, 4, [1, 3]),
            lambda: paddle.take_along_axis(x, at.unsqueeze(0), 4),
            lambda: paddle.median(zero, 2),
        ],
        IndexError: [
            lambda: paddle.gather(x, at, 4),
            lambda: paddle.index_select(x, at, 4),
            lambda: paddle.swapaxes(x, 0, 4),
            lambda: paddle.chunk(x, 2, 4),
            lambda: paddle.diff(x, axis=4),
            lambda: paddle.trapezoid(x, axis=4),
            lambda: paddle.cumsum(x, 4),
            lambda: paddle.cross(x, x, 4),
            lambda: paddle.fft.fftshift(x, 4),
            lambda: paddle.tensordot(zero, zero, [[0, 1], [0, 1]]),
        ],
        ValueError: [
            lambda: paddle.cumprod(x, 4),
            lambda: paddle.cumsum(zero, 4),
            lambda: paddle.nn.functional.glu(x, 4),
            lambda: paddle.nn.functional.softmax(x, 4),
            lambda: paddle.strided_slice(x, [4], [0], [1], [1]),
        ],
    }
    return {kind.__name__: [_catches(c, kind) for c in each] for kind, each in calls.items()}


@program
def axes_of_a_number(paddle, np):
    """A 0-D tensor has the axes 0 and -1 at most."""
    x = paddle.to_tensor(1.0)
    return {
        "flip": error_of(lambda: paddle.flip(x, 0)),
        "argmax": error_of(lambda: paddle.argmax(x, 2)),
        "argsort": error_of(lambda: paddle.argsort(x, 2)),
        "sort": error_of(lambda: paddle.sort(x, 2)),
        "flatten": error_of(lambda: paddle.flatten(x, 1, 0)),
        "cumprod": array(paddle.cumprod(x)),
        "cumprod_": array(paddle.to_tensor(2.0).cumprod_()),
        "meshgrid": [array(each) for each in paddle.meshgrid(x, paddle.to_tensor([1.0, 2.0]))],
        "sorted": [array(paddle.sort(x, 0)), array(paddle.argmax(x, 0))],
    }


@program
def windows_larger_than_the_image(paddle, np):
    """The division of the sizes drops the fraction, so one such window is read up to the edge."""
    F = paddle.nn.functional
    image = np.sin(np.arange(15.0)).astype("float32").reshape(1, 1, 3, 5)

    def run(pool, *args, **kwargs):
        x = leaf(paddle, image)
        out = pool(x, *args, **kwargs)
        out = out if isinstance(out, tuple) else (out,)
        out[0].sum().backward()
        return [array(each) for each in out], array(x.grad)

    return {
        "average": run(F.avg_pool2d, 7),
        "one side": run(F.avg_pool2d, [4, 2]),
        "with padding": run(F.avg_pool2d, 7, 7, 1),
        "inclusive": run(F.avg_pool2d, 7, 7, 1, exclusive=False),
        "largest": run(F.max_pool2d, 7, 5),
        "positions": run(F.max_pool2d, 7, return_mask=True),
        "norm": array(F.lp_pool2d(paddle.to_tensor(np.abs(image)), 2, 7)),
        "one dimension": array(F.avg_pool1d(paddle.to_tensor(image[0]), 7)),
        "three": array(F.max_pool3d(paddle.to_tensor(image[None]), 7)),
    }


@program
def bounds_of_clip_that_are_tensors(paddle, np):
    """A float bound makes an integer tensor float32, as a number does."""
    x = paddle.to_tensor([1, 2, 3])
    low, high = paddle.to_tensor(1.5), paddle.to_tensor([2.5])
    return [
        array(paddle.clip(x, low, high)),
        array(paddle.clip(x, low, 3)),
        array(x.clip(max=high)),
        array(paddle.clip(x, paddle.to_tensor(2))),
        array(paddle.clip(x.astype("float32"), low, high)),
    ]


@program
def diagonals_in_the_output_of_einsum(paddle, np):
    x = leaf(paddle, np.arange(6.0, dtype="float32").reshape(2, 3))
    v = paddle.to_tensor([1.0, 2.0])
    out = paddle.einsum("ij->iji", x)
    (out * out).sum().backward()
    return {
        "matrix": array(paddle.einsum("i->ii", v)),
        "columns": array(paddle.einsum("ij->jji", x)),
        "product": array(paddle.einsum("i,j->iij", v, v)),
        "grad": array(x.grad),
        "label": _catches(lambda: paddle.einsum("i1->i", x), AssertionError),
        "terms": _catches(lambda: paddle.einsum("ij,jk->ik", x), AssertionError),
    }


@program
def empty_sizes_that_are_accepted(paddle, np):
    x = leaf(paddle, [[1.0, 2.0]])
    out = paddle.expand(x, [])
    out.sum().backward()
    none = paddle.to_tensor(np.zeros([0], "int64"))
    return {
        "expand": [array(out), array(x.grad), array(paddle.broadcast_to(x, []))],
        "sequence_mask": facts(paddle.nn.functional.sequence_mask(none)),
        "increment": facts(paddle.increment(paddle.zeros([0, 3]))),
    }


@program
def area_of_one_size(paddle, np):
    """Interpolation by area takes one number for all dimensions."""
    x = paddle.to_tensor(np.arange(36.0, dtype="float32").reshape(1, 1, 6, 6))
    interpolate = paddle.nn.functional.interpolate
    return array(interpolate(x, 3, mode="area")), array(interpolate(x[0], 2, mode="area"))


@program
def refused_dtypes_and_numbers(paddle, np):
    """Integers and bools where the sign or nan has no meaning, and a bad dtype, shift or axis."""
    F, x = paddle.nn.functional, paddle.to_tensor([[1.0, 2.0]])
    whole, mask = paddle.to_tensor([1, 2]), paddle.to_tensor([True, False])
    return {
        "sgn": error_of(lambda: paddle.sgn(whole)),
        "negative": [error_of(lambda: paddle.negative(mask)), array(paddle.neg(mask))],
        "positive": [error_of(lambda: paddle.positive(mask)), error_of(lambda: +mask)],
        "frac": [
            error_of(lambda: paddle.frac(whole.astype("uint8"))),
            error_of(lambda: paddle.frac(mask)),
            array(paddle.frac(whole.astype("int32"))),
        ],
        "mean of bools": [array(paddle.mean(mask)), array(paddle.mean(mask.unsqueeze(1), 1))],
        "nan_to_num": _catches(lambda: paddle.nan_to_num(whole), AssertionError),
        "cummax": error_of(lambda: paddle.cummax(x, 0, "float32")),
        "roll": error_of(lambda: paddle.roll(x, [1, 2])),
        "maxout": error_of(lambda: F.maxout(paddle.zeros([2, 4, 6, 8]), 2, 2)),
        "celu": _catches(lambda: F.celu(x, 0), ZeroDivisionError),
        "fold": _catches(lambda: F.fold(x, [3, 3], 2), AssertionError),
        "pdist": _catches(lambda: paddle.pdist(whole), AssertionError),
        "multigammaln": _catches(lambda: paddle.multigammaln(x, 0), AssertionError),
        "pad": _catches(lambda: F.pad(x, [1, 1], "reflect"), AssertionError),
        "size": _catches(lambda: F.interpolate(x[None, None], [0, 2]), AssertionError),
        "batch_norm": _catches(lambda: F.batch_norm(whole, whole, whole), AssertionError),
    }


@program
def values_of_tensors_that_are_refused(paddle, np):
    """Paddle asserts one element, a dimension and the shape; item() wants a place in the tensor."""
    x = paddle.to_tensor([1.0, 2.0])
    return {
        "float": _catches(lambda: float(x), AssertionError),
        "int": _catches(lambda: int(x), AssertionError),
        "bool": _catches(lambda: bool(x), AssertionError),
        "len": _catches(lambda: len(paddle.to_tensor(1.0)), AssertionError),
        "set_value": _catches(lambda: x.set_value(np.zeros(3, "float32")), AssertionError),
        "item": _catches(lambda: x.item(5), ValueError),
        "item of a matrix": _catches(lambda: x.unsqueeze(0).item(0, 5), ValueError),
        "a str in it": "a" in x,
        "topk": type(paddle.topk(x, 1)).__name__,
    }


@program
def lists_of_tensors_and_numbers(paddle, np):
    """A list with a Tensor in it has the dtype that NumPy gives it, not the default one."""
    one, whole = paddle.to_tensor(1.0), paddle.to_tensor(1)
    lists = {
        "a float": [one, 2.5],
        "an int": [whole, 2.5],
        "both": [whole, one],
        "complex": [one, 2j],
        "row": [paddle.to_tensor([1.0, 2.0]), [3.0, 4.0]],
        "inside": [[one, 2.0], [3.0, 4.0]],
        "numbers": [1.5, 2.5],
        "tensors": [one, one],
        "whole": [whole, 2],
    }
    return {
        "to_tensor": {name: array(paddle.to_tensor(each)) for name, each in lists.items()},
        "dtype": array(paddle.to_tensor(lists["a float"], dtype="float32")),
        "assign": {name: array(paddle.assign(each)) for name, each in lists.items()},
    }


@program
def none_or_too_many(paddle, np):
    """No elements, no tensors, and more indices than dimensions."""
    x = paddle.ones([2, 5])
    at = paddle.to_tensor([0, 1])
    return {
        "randperm": array(paddle.randperm(0)),
        "meshgrid": _catches(lambda: paddle.meshgrid([]), ValueError),
        "indices": [
            _catches(lambda: x[[0, 1], [3, 2], [1, 1]], ValueError),
            _catches(lambda: x[at, at, at], ValueError),
            _catches(lambda: x[0, 0, 0], IndexError),
            _catches(lambda: x[:, :, :], ValueError),
        ],
    }


@program
def images_without_proposals(paddle, np):
    """An image whose boxes are all too small has one proposal of zeros."""
    r = np.random.default_rng(3)
    corners = np.sort(r.uniform(0, 20, (3, 3, 2, 4)), -1).astype("float32")
    sizes = np.array([[0.5, 0.5], [32.0, 32.0]], "float32")
    found = paddle.vision.ops.generate_proposals(
        paddle.to_tensor(r.uniform(0, 1, (2, 2, 3, 3)).astype("float32")),
        paddle.zeros([2, 8, 3, 3]),
        paddle.to_tensor(sizes),
        paddle.to_tensor(corners),
        paddle.ones([3, 3, 2, 4]),
        pre_nms_top_n=6,
        post_nms_top_n=2,
        min_size=1.0,
        return_rois_num=True,
    )
    return [array(each) for each in found]


@program
def positions_in_a_column_and_of_floats(paddle, np):
    """index_select takes positions [n, 1]; take refuses floats; masked_scatter asserts."""
    x = leaf(paddle, np.arange(6.0, dtype="float32").reshape(2, 3))
    out = paddle.index_select(x, paddle.to_tensor([[1], [0], [1]]), 0)
    out.sum().backward()
    values = paddle.to_tensor([1.0])
    return {
        "index_select": [array(out), array(x.grad)],
        "take": error_of(lambda: paddle.take(x, values)),
        "few values": _catches(lambda: paddle.masked_scatter(x, x > 0, values), AssertionError),
        "dtype": _catches(
            lambda: paddle.masked_scatter(x, x > 9, values.astype("int64")), AssertionError
        ),
    }
