"""Arguments and methods that Paddle takes besides the usual ones: inplace=, bools for keepdim."""

from ..probe import array, attempt, error_class, error_of, facts, leaf, refuses
from ..registry import CRASHES, differs, program


def matrix(paddle):
    return paddle.to_tensor([[1.0, 2.0, -3.0], [4.0, 5.0, 6.0]])


# ---- inplace


@program
def silu_in_place(paddle, np):
    silu = paddle.nn.functional.silu
    x = leaf(paddle, [[1.0, -2.0], [0.5, 3.0]])
    y = x * 1
    out = silu(y, inplace=True)
    found = {"is y": out is y, **facts(out), "version": y.inplace_version, "y": array(y)}
    out.sum().backward()
    plain = x * 1
    saved = plain * plain
    silu(plain, True)
    return {
        **found,
        "grad": array(x.grad),
        "leaf": refuses(lambda: silu(x, inplace=True)),
        "use after": refuses(saved.sum().backward),
        "by position": array(silu(matrix(paddle), False)),
        "complex": array(silu(matrix(paddle).astype("complex64"), True)),
        "exists": hasattr(paddle.nn.functional, "silu_"),
    }


@program
def in_place_through_a_view(paddle, np):
    x = matrix(paddle)
    paddle.nn.functional.silu(x[0], inplace=True)
    y = matrix(paddle)
    paddle.nn.functional.dropout(y[1], 1.0, inplace=True)
    return array(x), array(y)


@program
def dropout_in_place(paddle, np):
    dropout = paddle.nn.functional.dropout
    x = leaf(paddle, [[1.0, -2.0], [0.5, 3.0]])
    all_gone, none_gone, evaluated = x * 1, x * 1, x * 1
    gone = dropout(all_gone, 1.0, inplace=True)
    same = dropout(none_gone, 0.0, inplace=True)
    scaled = dropout(evaluated, 0.5, training=False, inplace=True, mode="downscale_in_infer")
    (gone + scaled).sum().backward()
    drawn = leaf(paddle, [1.0, 2.0, 4.0, 8.0])
    some = dropout(drawn * 1, 0.5, inplace=True)
    some.sum().backward()
    return {
        "gone": [gone is all_gone, facts(gone), gone.inplace_version, array(gone)],
        "same": [same is none_gone, same.inplace_version, array(same)],
        "scaled": [scaled is evaluated, facts(scaled), scaled.inplace_version, array(scaled)],
        "grad": array(x.grad),
        "grad fits draw": bool((drawn.grad * drawn == some).all()),
        "leaf, nothing to do": array(dropout(x, 0.0, inplace=True)),
        "leaf": refuses(lambda: dropout(x, 0.5, inplace=True)),
        "axis": attempt(lambda: dropout(x * 1, 0.5, axis=0, inplace=True)),
    }


@differs(
    "Paddle refuses to write dropout into a leaf that wants a gradient, but has written it.",
    right=["ValueError", [1.0, -2.0]],
    paddle_gives=["ValueError", [0.0, 0.0]],
)
def dropout_refused_in_place(paddle, np):
    x = leaf(paddle, [1.0, -2.0])
    error = error_of(lambda: paddle.nn.functional.dropout(x, 1.0, inplace=True))
    return [error, x.tolist()]


@program
def layers_in_place(paddle, np):
    nn = paddle.nn
    x, y = matrix(paddle), matrix(paddle)
    activation, drop = nn.Silu(True), nn.Dropout(1.0, True)
    return {
        "silu": [activation(x) is x, array(x)],
        "dropout": [drop(y) is y, array(y)],
        "eval": drop.eval()(y) is y,
        "text": [
            repr(nn.SiLU(inplace=True, name="a")),
            repr(nn.Silu()),
            repr(nn.Dropout(0.5, True, axis=1, mode="downscale_in_infer")),
            repr(nn.Dropout(0.5)),
        ],
        "others": [
            error_of(lambda: nn.ReLU(inplace=True)),
            error_of(lambda: nn.Dropout2D(0.5, inplace=True)),
            error_of(lambda: nn.functional.relu(x, inplace=True)),
        ],
    }


# ---- arguments by position


@program
def bools_for_keepdim(paddle, np):
    x = matrix(paddle)
    return {
        "sum": [
            array(paddle.sum(x, 0, True)),
            array(paddle.sum(x, 0, False)),
            array(paddle.sum(x, 0, True, "float64")),
            array(paddle.sum(x, 0, "float64", True)),
            array(paddle.sum(x, [0, 1], None, True)),
            array(x.sum(1, True)),
        ],
        "third": [
            array(getattr(paddle, name)(x, 0, True))
            for name in ("mean", "prod", "nanmean", "max", "min", "amax", "logsumexp", "median")
        ],
        "spread": [array(getattr(paddle, name)(x, 0, True, True)) for name in ("std", "var")],
        "counts": [array(getattr(paddle, name)(x > 0, 0, True)) for name in ("all", "any")],
    }


@differs(
    "`sum(x, 0, True, True)` names keepdim twice: Paddle's process dies.",
    right="TypeError",
    paddle_gives=CRASHES,
)
def two_bools_for_sum(paddle, np):
    return error_of(lambda: paddle.sum(matrix(paddle), 0, True, True))


@differs(
    "paddle.nansum calls paddle.sum, which takes keepdim in dtype's place; there Paddle dies.",
    right=[[5.0, 7.0, 3.0]],
    paddle_gives=CRASHES,
)
def a_bool_for_nansum(paddle, np):
    return paddle.nansum(matrix(paddle), 0, True).tolist()


@program
def ceil_mode_in_the_place_of_padding(paddle, np):
    F, nn = paddle.nn.functional, paddle.nn
    line = matrix(paddle).unsqueeze(0)
    image = line.unsqueeze(0)
    layers = [nn.LPPool1D(2, 2, None, True), nn.LPPool2D(2, 2, None, True)]
    return {
        "functions": [
            array(F.lp_pool1d(line, 2, 2, None, True)),
            array(F.lp_pool2d(image, 2, 2, None, True)),
            array(F.lp_pool1d(line, 2, 2, None, 1, True)),
            array(F.lp_pool1d(input=line, norm_type=2, kernel_size=2)),
        ],
        "layers": [array(layers[0](line)), array(layers[1](image))],
        "kept": [(layer.padding, layer.ceil_mode, repr(layer)) for layer in layers],
    }


@program
def dimensions_exchanged(paddle, np):
    x = paddle.arange(24).reshape([2, 3, 4])
    return [
        array(each)
        for each in (
            paddle.swapaxes(x, 0, 2),
            paddle.swapaxes(x, [2, 0, 1]),
            x.swapaxes(perm=[1, 0, 2]),
            x.swapdims(dim0=-1, dim1=0),
            paddle.swapdims(input=x, axis0=1, axis1=2),
            paddle.transpose(x, axis0=0, axis1=1),
            x.transpose(-1, 0),
        )
    ]


@program
def shifts_in_place_name_an_out(paddle, np):
    found = []
    for name in ("bitwise_left_shift_", "bitwise_right_shift_"):
        x, by = paddle.to_tensor([4, 6, 9]), paddle.to_tensor([1, 0, 2])
        found += [getattr(paddle, name)(x, by, True, None) is x, array(x)]
        found += [array(getattr(x, name)(by, False, out=None, name="n"))]
    return found


@differs(
    "A shift in place leaves the `out` it was given as it was, and says nothing.",
    right="ValueError",
    paddle_gives="no error",
)
def shifts_in_place_fill_no_out(paddle, np):
    x, out = paddle.to_tensor([4, 6, 9]), paddle.zeros([3], "int64")
    return error_of(lambda: paddle.bitwise_left_shift_(x, x, True, out))


@program
def topk_has_names(paddle, np):
    x = leaf(paddle, [[1.0, 3.0, 2.0], [6.0, 4.0, 5.0]])
    top = paddle.topk(x, 2)
    values, places = x.topk(1, 0, largest=False)
    top.values.sum().backward()
    return {
        "names": [array(top.values), array(top.indices), isinstance(top, tuple), len(top)],
        "unpacked": [array(values), array(places)],
        "node": facts(top[0]),
        "grad": array(x.grad),
    }


# ---- losses


LOSSES = {
    "L1Loss": (0, 1),
    "MSELoss": (0, 1),
    "KLDivLoss": (0, 1),
    "SmoothL1Loss": (0, 1),
    "SoftMarginLoss": (0, 1),
    "MultiLabelMarginLoss": (0, 1),
    "BCELoss": (1, 2),
    "BCEWithLogitsLoss": (1, 2),
    "MultiLabelSoftMarginLoss": (1, 2),
    "HingeEmbeddingLoss": (1, 2),
    "CosineEmbeddingLoss": (1, 2),
    "MarginRankingLoss": (1, 2),
    "CrossEntropyLoss": (1, 3),
    "NLLLoss": (1, 3),
    "PoissonNLLLoss": (2, 4),
    "MultiMarginLoss": (3, 4),
    "TripletMarginLoss": (4, 5),
}
BEFORE = {
    "HingeEmbeddingLoss": [1.0],
    "CosineEmbeddingLoss": [0.0],
    "MarginRankingLoss": [0.0],
    "PoissonNLLLoss": [True, False],
    "MultiMarginLoss": [1, 1.0, None],
    "TripletMarginLoss": [1.0, 2.0, 1e-6, False],
}


def advice(call):
    """Returns the class of an error, and which reduction it says to write."""
    try:
        return type(call()).__name__
    except Exception as error:
        words = [
            each for each in ("'mean'", "'sum'", "'none'") if f"reduction={each}" in str(error)
        ]
        return error_class(error), words


@program
def losses_refuse_size_average(paddle, np):
    found = {}
    for name, (place, second) in LOSSES.items():
        layer = getattr(paddle.nn, name)
        before = BEFORE.get(name, [None] * place)
        between = [-100] if second - place == 2 and name != "PoissonNLLLoss" else []
        between = [1e-8] if name == "PoissonNLLLoss" else between
        found[name] = [
            advice(lambda layer=layer: layer(size_average=True)),
            advice(lambda layer=layer: layer(size_average=False)),
            advice(lambda layer=layer: layer(reduce=False)),
            advice(lambda layer=layer: layer(reduce=True, size_average=False)),
            advice(lambda layer=layer: layer(size_average=None)),
            advice(lambda layer=layer, b=before: layer(*b, True)),
            advice(lambda layer=layer, b=before: layer(*b, False)),
            advice(lambda layer=layer, b=before, m=between: layer(*b, False, *m, True)),
        ]
    return found


@program
def losses_that_still_take_bools(paddle, np):
    nn = paddle.nn
    return {
        "made": [
            type(nn.CrossEntropyLoss(None, -100, "mean", True)).__name__,
            nn.CrossEntropyLoss(None, -100, "sum", False).soft_label,
            nn.KLDivLoss("mean", True).log_target,
            type(nn.CTCLoss(0, "sum")).__name__,
        ],
        "never had them": [
            error_of(lambda layer=layer: layer(size_average=True))
            for layer in (nn.CTCLoss, nn.GaussianNLLLoss, nn.RNNTLoss)
        ],
        "functions": [
            error_of(lambda: nn.functional.mse_loss(matrix(paddle), matrix(paddle), reduce=False)),
            error_of(lambda: nn.functional.l1_loss(1.0, 1.0, size_average=True)),
        ],
        "other name": error_of(lambda: nn.HuberLoss(size_average=True)),
    }


@differs(
    "With a reduction by position Paddle drops size_average without a word.",
    right=["ValueError", "ValueError"],
    paddle_gives=["no error", "no error"],
)
def losses_that_drop_size_average(paddle, np):
    nn = paddle.nn
    return [
        error_of(lambda: nn.CrossEntropyLoss(None, -100, "sum", size_average=True)),
        error_of(lambda: nn.KLDivLoss("sum", size_average=True)),
    ]


# ---- what operators are called


@program
def operators_by_name(paddle, np):
    x, whole = matrix(paddle), paddle.to_tensor([1, 2, 3])
    written = paddle.to_tensor([1, 2, 3])
    written.__setitem__(item=1, value=5)
    return {
        "div": [array(x.__div__(2)), array(whole.__div__(2)), array(x.__div__(x))],
        "rdiv": [array(x.__rdiv__(2)), array(whole.__rdiv__(whole)), array(whole.__rdiv__(6))],
        "long": [paddle.to_tensor(2.7).__long__(), paddle.to_tensor(True).__long__()],
        "long of two": attempt(paddle.to_tensor([2.7, 1.0]).__long__),
        "nonzero": [
            paddle.to_tensor(2.7).__nonzero__(),
            paddle.to_tensor([0]).__nonzero__(),
            attempt(whole.__nonzero__),
        ],
        "item": [array(whole.__getitem__(item=1)), array(written)],
        "shift": [
            array(whole.__rlshift__(1, True)),
            array(whole.__rrshift__(64, is_arithmetic=False)),
            array(2 << whole),
        ],
        "invert": [array(whole.__invert__(None, "n")), array(~(x > 0))],
    }


@program
def dlpack_by_keyword(paddle, np):
    x = paddle.to_tensor([1.0, 2.0])

    class Lent:
        """Hands on what it is asked for."""

        def __dlpack__(self, **asked):
            return x.__dlpack__(**asked)

        def __dlpack_device__(self):
            return (1, 0)

    return {
        "numpy": np.from_dlpack(x),
        "copy": np.from_dlpack(x, copy=True),
        "kind": [
            type(x.__dlpack__(stream=None)).__name__,
            type(x.__dlpack__(max_version=(1, 0), dl_device=(1, 0), copy=True)).__name__,
        ],
        "lent": np.from_dlpack(Lent()),
        "position": error_of(lambda: x.__dlpack__(None)),
        "wants gradients": error_of(leaf(paddle, [1.0]).__dlpack__),
    }


# ---- InputSpec


@program
def input_spec(paddle, np):
    Spec = paddle.static.InputSpec
    one = Spec([64], "float32", "x")
    changed = [one.batch(4) is one, one.shape, one.unbatch().shape, one.batch([2]).shape]
    return {
        "text": [
            repr(Spec([None, 784], "float32", "x")),
            repr(Spec([3, -5], "int64")),
            repr(Spec([], "bfloat16", stop_gradient=True)),
            repr(Spec([2], None)),
            repr(Spec([2], np.dtype("float64"))),
            repr(Spec([2], paddle.int32)),
            repr(Spec.from_tensor(paddle.ones([2, 3]), name="t")),
            repr(Spec.from_numpy(np.ones([2, 3], "int64"))),
        ],
        "changed": changed,
        "unknown": Spec([3, None, 2]).unbatch().shape,
        "equal": [
            Spec([3]) == Spec([3]),
            Spec([3]) == Spec([3], name="x"),
            Spec([3]) != Spec([3], "int64"),
            Spec([3]) == Spec([3], stop_gradient=True),
            Spec([3]) == 3,
            hash(Spec([3])) == hash(Spec([3], name="x")),
        ],
        "errors": [
            attempt(lambda: Spec(3)),
            attempt(lambda: Spec("ab")),
            attempt(lambda: Spec([3.0])),
            error_of(lambda: Spec([3], "foo")),
            attempt(lambda: Spec.from_tensor(np.ones(3))),
            attempt(lambda: one.batch(None)),
            attempt(lambda: one.batch(2.0)),
            attempt(lambda: one.batch([4, 5])),
            attempt(lambda: Spec([]).unbatch()),
        ],
    }


@differs(
    "None in a tuple is an item assignment to the tuple.",
    right=(-1, 784),
    paddle_gives={"error": "TypeError"},
)
def input_spec_of_a_tuple(paddle, np):
    found = attempt(lambda: paddle.static.InputSpec((None, 784)).shape)
    return {"error": found["error"]} if isinstance(found, dict) else found


@program
def model_takes_input_specs(paddle, np):
    Spec = paddle.static.InputSpec
    paddle.seed(3)
    net = paddle.nn.Sequential(paddle.nn.Linear(3, 4), paddle.nn.ReLU(), paddle.nn.Linear(4, 2))
    for index, parameter in enumerate(net.parameters()):
        drawn = np.cos(np.arange(parameter.size) + index).reshape(parameter.shape)
        parameter.set_value(drawn.astype("float32"))
    model = paddle.Model(net, Spec([None, 3], "float32", "x"), [Spec([None, 1], "int64", "y")])
    model.prepare(
        paddle.optimizer.SGD(0.1, parameters=net.parameters()), paddle.nn.CrossEntropyLoss()
    )
    x = np.linspace(-1, 1, 12, dtype="float32").reshape(4, 3)
    y = np.array([[0], [1], [1], [0]])
    losses = [model.train_batch([x], [y])[0] for _ in range(3)]
    counts = [
        model.summary(),
        paddle.summary(net, Spec([None, 3], "float32", "x")),
        paddle.summary(net, [Spec([2, 3])]),
        paddle.summary(paddle.nn.Embedding(3, 2), Spec([None, 3], "int64"), dtypes="int64"),
    ]
    return {
        "losses": [float(np.asarray(loss).reshape(-1)[0]) for loss in losses],
        "counts": [{name: int(n) for name, n in count.items()} for count in counts],
        "no name": attempt(lambda: paddle.Model(net, Spec([None, 3]))),
    }
