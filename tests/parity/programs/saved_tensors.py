"""Which tensors each op keeps for backward: change one, see whether backward objects."""

from ..probe import leaf
from ..registry import program


def _objects(paddle, tensor, run, pick):
    """Returns whether backward raises after the version of one tensor was moved."""
    inputs, outputs = run()
    chosen = pick(inputs, outputs)
    chosen._bump_inplace_version()
    total = outputs[0].astype("float64").sum()
    try:
        total.backward()
    except RuntimeError as error:
        return "saved" if "modified by an inplace operation" in str(error) else str(error)
    return "-"


def _probe(paddle, function, inputs):
    """Returns saved or - for each input and each output of a function."""

    def run():
        tensors = [t() for t in inputs]
        found = function(*tensors)
        return tensors, list(found) if isinstance(found, (list, tuple)) else [found]

    count = len(run()[1])
    ins = [_objects(paddle, None, run, lambda i, o, k=k: i[k]) for k in range(len(inputs))]
    outs = [_objects(paddle, None, run, lambda i, o, k=k: o[k]) for k in range(count)]
    return " ".join([*ins, "->", *outs])


def _table(paddle, functions, *inputs):
    return {name: _probe(paddle, function, inputs) for name, function in functions.items()}


def _of(paddle, np, *shape):
    """Returns a maker of leaves of a shape."""
    return lambda: leaf(
        paddle, np.linspace(0.1, 0.9, int(np.prod(shape))).reshape(shape).astype("float32")
    )


def _ints(paddle, values):
    return lambda: paddle.to_tensor(values)


def _methods(paddle, names):
    return {name: getattr(paddle, name) for name in names.split()}


@program
def saved_by_binary_ops(paddle, np):
    """add keeps nothing, multiply both inputs, divide its output too."""
    functions = _methods(
        paddle, "add subtract multiply divide remainder maximum minimum fmax fmin atan2 matmul pow"
    )
    functions["mm"] = paddle.mm
    return _table(paddle, functions, _of(paddle, np, 3, 3), _of(paddle, np, 3, 3))


@program
def saved_by_products(paddle, np):
    """bmm, dot, mv, addmm, lerp."""
    square, vector = _of(paddle, np, 3, 3), _of(paddle, np, 3)
    return {
        "bmm": _probe(paddle, paddle.bmm, [_of(paddle, np, 2, 3, 3), _of(paddle, np, 2, 3, 3)]),
        "dot": _probe(paddle, paddle.dot, [vector, vector]),
        "mv": _probe(paddle, paddle.mv, [square, vector]),
        "addmm": _probe(paddle, paddle.addmm, [square, square, square]),
        "lerp": _probe(paddle, paddle.lerp, [square, square, square]),
    }


@program
def saved_by_math_functions(paddle, np):
    """exp keeps its output, sin its input."""
    names = (
        "abs cos sin acos log asin atan tan sinh cosh asinh atanh log2 log10 log1p square erf exp "
        "tanh sqrt rsqrt expm1 reciprocal ceil floor round trunc sign assign"
    )
    functions = _methods(paddle, names)
    functions |= {
        "sigmoid": paddle.nn.functional.sigmoid,
        "pow": lambda x: paddle.pow(x, 3),
        "scale": lambda x: x * 2,
        "div scale": lambda x: x / 2,
        "clip": lambda x: paddle.clip(x, 0.2, 0.8),
        "cast": lambda x: x.astype("float64"),
    }
    return _table(paddle, functions, _of(paddle, np, 3, 3))


@program
def saved_by_activations(paddle, np):
    """relu keeps its output, gelu its input, silu both."""
    names = (
        "relu relu6 hardsigmoid selu elu silu leaky_relu celu softplus gelu swish mish softsign "
        "hardswish hardtanh hardshrink softshrink tanhshrink log_sigmoid softmax log_softmax"
    )
    return _table(paddle, _methods(paddle.nn.functional, names), _of(paddle, np, 3, 3))


@program
def saved_by_reductions(paddle, np):
    """sum and mean keep nothing, max both sides, sort its indices."""
    functions = _methods(paddle, "sum mean max min amax amin prod logsumexp cumsum sort")
    functions |= {
        "cumprod": lambda x: paddle.cumprod(x, 0),
        "norm": paddle.norm,
        "topk": lambda x: paddle.topk(x, 2),
    }
    return _table(paddle, functions, _of(paddle, np, 3, 3))


@program
def saved_by_shape_ops(paddle, np):
    """Shape functions keep nothing."""
    functions = {
        "reshape": lambda x: x.reshape([9]),
        "flatten": lambda x: x.flatten(),
        "unsqueeze": lambda x: x.unsqueeze(0),
        "transpose": lambda x: x.transpose([1, 0]),
        "slice": lambda x: x[0:2],
        "strided": lambda x: x[::2],
        "expand": lambda x: x.expand([2, 3, 3]),
        "tile": lambda x: x.tile([2, 1]),
        "stack": lambda x: paddle.stack([x, x]),
        "concat": lambda x: paddle.concat([x, x]),
        "split": lambda x: paddle.split(x, 3),
        "unbind": lambda x: paddle.unbind(x),
        "flip": lambda x: paddle.flip(x, 0),
        "roll": lambda x: paddle.roll(x, 1),
        "tril": paddle.tril,
        "pad": lambda x: paddle.nn.functional.pad(x, [0, 0, 1, 1]),
        "repeat_interleave": lambda x: paddle.repeat_interleave(x, 2, axis=0),
    }
    return _table(paddle, functions, _of(paddle, np, 3, 3))


@program
def saved_by_gathers(paddle, np):
    """Gathers keep their index."""
    x, index, mask = (
        _of(paddle, np, 3, 3),
        _ints(paddle, [0, 2]),
        _ints(paddle, [[True, False, True]] * 3),
    )
    return {
        "gather": _probe(paddle, paddle.gather, [x, index]),
        "gather_nd": _probe(paddle, paddle.gather_nd, [x, _ints(paddle, [[0, 1]])]),
        "index_select": _probe(paddle, paddle.index_select, [x, index]),
        "take_along_axis": _probe(
            paddle,
            lambda x, i: paddle.take_along_axis(x, i, 1),
            [x, _ints(paddle, [[0], [1], [2]])],
        ),
        "getitem": _probe(paddle, lambda x, i: x[i], [x, index]),
        "masked_select": _probe(paddle, paddle.masked_select, [x, mask]),
        "where": _probe(paddle, paddle.where, [mask, x, x]),
        "scatter": _probe(paddle, paddle.scatter, [x, index, _of(paddle, np, 2, 3)]),
        "scatter_nd_add": _probe(
            paddle, paddle.scatter_nd_add, [x, _ints(paddle, [[0], [2]]), _of(paddle, np, 2, 3)]
        ),
        "masked_fill": _probe(paddle, lambda x, m: paddle.masked_fill(x, m, 2.0), [x, mask]),
    }


@program
def saved_by_network_ops(paddle, np):
    """Convolution, pooling, norms, embedding, losses."""
    F = paddle.nn.functional
    image, kernel = _of(paddle, np, 1, 2, 4, 4), _of(paddle, np, 2, 2, 3, 3)
    rows, three = _of(paddle, np, 2, 3), _of(paddle, np, 3)
    labels, column = _ints(paddle, [0, 2]), _ints(paddle, [[0], [2]])
    return {
        "conv2d": _probe(paddle, F.conv2d, [image, kernel]),
        "conv2d bias": _probe(paddle, F.conv2d, [image, kernel, _of(paddle, np, 2)]),
        "avg_pool2d": _probe(paddle, lambda x: F.avg_pool2d(x, 2), [image]),
        "max_pool2d": _probe(paddle, lambda x: F.max_pool2d(x, 2), [image]),
        "layer_norm": _probe(
            paddle, lambda x, w, b: F.layer_norm(x, [3], w, b), [rows, three, three]
        ),
        "embedding": _probe(paddle, F.embedding, [labels, _of(paddle, np, 3, 2)]),
        "linear": _probe(paddle, F.linear, [rows, _of(paddle, np, 3, 2), _of(paddle, np, 2)]),
        "cross_entropy": _probe(paddle, F.cross_entropy, [rows, column]),
        "nll_loss": _probe(paddle, F.nll_loss, [rows, labels]),
        "mse_loss": _probe(paddle, F.mse_loss, [rows, rows]),
        "dropout": _probe(paddle, lambda x: F.dropout(x, 0.5), [rows]),
        "prelu": _probe(paddle, F.prelu, [image, _of(paddle, np, 1)]),
    }
