"""The further names of parameters that Paddle 3.3.1 takes: `input=`, `other=`, `dim=`, `out=`."""

from ..probe import error_of, facts, leaf
from ..registry import differs, program

UNARY = (
    "abs ceil clip cos cosh cumprod exp expm1 floor frac isfinite isinf isnan log log10 log1p log2 "
    "logical_not nonzero round rsqrt sigmoid sign sin sinh sqrt tanh"
).split()
BINARY = (
    "add divide equal floor_divide greater_equal greater_than isclose less_equal less_than "
    "logical_and logical_or logical_xor maximum minimum multiply not_equal remainder subtract "
    "eq ne lt le gt ge greater less mod floor_mod sub mul div"
).split()
REDUCTIONS = "all amax amin any logsumexp mean sum prod var argmax argmin cumsum diff".split()


def is_a(kind, call):
    """Return whether a call raises an error of this class, or "no error"."""
    try:
        call()
    except Exception as error:
        return isinstance(error, kind)
    return "no error"


def _values(result):
    results = result if isinstance(result, (tuple, list)) else [result]
    return [[str(each.dtype), each.numpy()] for each in results]


@program
def names_of_operands(paddle, np):
    """`input=` and `other=` of elementwise functions, as functions and as methods."""
    x, y = paddle.to_tensor([[1.25, 2.5], [3.5, 1.0]]), paddle.to_tensor([[1.0, 2.5], [2.0, 4.0]])
    out = {}
    for name in UNARY:
        more = {"dim": 0} if name == "cumprod" else {"min": 1.5} if name == "clip" else {}
        out[name] = _values(getattr(paddle, name)(input=x, **more))
    for name in BINARY:
        out[name] = _values(getattr(paddle, name)(input=x, other=y))
        out[f"Tensor.{name}"] = _values(getattr(x, name)(other=y))
    for name in ("add_", "divide_", "multiply_", "subtract_"):
        out[name] = _values(getattr(x.clone(), name)(other=y))
    out["pow"] = _values(paddle.pow(input=x, exponent=2.0))
    out["outer"] = _values(paddle.outer(input=x[0], vec2=y[0]))
    out["where"] = _values(paddle.where(x > 2, input=x, other=y))
    out["matmul"] = _values(paddle.matmul(input=x, other=y))
    out["masked_select"] = _values(paddle.masked_select(input=x, mask=x > 2))
    return out


@program
def names_of_axes(paddle, np):
    """`dim=` of reductions and of functions along an axis."""
    x = paddle.to_tensor([[1.25, 2.5, 0.5], [3.5, 1.0, 0.25]])
    out = {}
    for name in REDUCTIONS:
        operand = x > 1 if name in ("all", "any") else x
        out[name] = _values(getattr(paddle, name)(input=operand, dim=1))
        out[f"Tensor.{name}"] = _values(getattr(operand, name)(dim=0))
    out["argmax kept"] = _values(paddle.argmax(x, dim=1, keepdims=True))
    out["argsort"] = _values(paddle.argsort(input=x, dim=0))
    out["topk"] = _values(paddle.topk(input=x, k=2, dim=1))
    out["unique"] = _values(paddle.unique_consecutive(input=x, dim=0))
    out["bucketize"] = _values(paddle.bucketize(input=x, boundaries=paddle.to_tensor([1.0, 2.0])))
    line = paddle.to_tensor([1.0, 2.5, 3.0])
    sorter = paddle.to_tensor([2, 0, 1])
    out["searchsorted"] = [
        paddle.searchsorted(line, input=x, side="right").numpy(),
        paddle.searchsorted(line, x, right=True, side="left").numpy(),
        paddle.searchsorted(paddle.to_tensor([2.5, 3.0, 1.0]), x, sorter=sorter).numpy(),
    ]
    out["mean"] = [facts(paddle.mean(x, dtype="float64")), facts(paddle.mean(line, dtype="int64"))]
    out["mean of integers"] = paddle.mean(paddle.to_tensor([1, 2]), dtype="float32").numpy()
    functional = paddle.nn.functional
    out["glu"] = _values(functional.glu(input=x[:, :2], dim=1))
    out["shrunk"] = _values(functional.softshrink(input=x, lambd=1.0))
    out["hard"] = _values(functional.hardshrink(input=x, lambd=1.0))
    return out


@program
def results_in_out(paddle, np):
    """`out=` takes the result: value, dtype, shape and history; views are written through."""
    x = leaf(paddle, [[1.25, 2.5], [3.5, 1.0]])
    over_rows = [name for name in REDUCTIONS if name not in ("all", "any", "prod", "var")]
    calls = {
        "abs": lambda out: paddle.abs(x, out=out),
        "exp": lambda out: x.exp(out=out),
        "add": lambda out: paddle.add(x, x, out=out),
        "less": lambda out: paddle.less(x, x, out=out),
        "prod": lambda out: paddle.prod(x, 0, False, None, out),
        **{
            name: lambda out, name=name: getattr(paddle, name)(x, dim=0, out=out)
            for name in over_rows
        },
    }
    found = {}
    for name, call in calls.items():
        out = paddle.zeros([5])
        returned = call(out)
        found[name] = [facts(out), out.numpy(), returned.numpy()]
    pair = paddle.zeros([1]), paddle.zeros([1], "int64")
    paddle.topk(x, 1, out=pair)
    found["topk"] = [each.numpy() for each in pair]
    base = paddle.zeros([3, 2])
    paddle.add(x.detach()[0], x.detach()[1], out=base[1])
    found["view"] = base.numpy()
    out = paddle.zeros([2, 2])
    paddle.square(paddle.abs(x, out=out)).sum().backward()
    found["gradient"] = x.grad.numpy()
    return found


@differs(
    "writing into `out` overwrites what backward saved of it, which is an error",
    right="RuntimeError",
    paddle_gives="no error",
)
def out_overwrites_what_was_saved(paddle, np):
    """A factor of a product is given as `out` before backward."""
    x = leaf(paddle, [1.0, 2.0])
    factor = paddle.to_tensor([3.0, 4.0])
    z = x * factor
    paddle.abs(x, out=factor)
    return error_of(lambda: z.sum().backward())


@differs(
    "operations on bits have an `out` as well, and it takes the result",
    right=[[4, 2], [4, 2], [16, 4]],
    paddle_gives=[[0, 0], [0, 0], [0, 0]],
)
def bits_in_out(paddle, np):
    """`out` of bitwise functions, by position and by name."""
    x, y = paddle.to_tensor([4, 2]), paddle.to_tensor([6, 3])
    outs = [paddle.zeros([2], "int64") for _ in range(3)]
    paddle.bitwise_and(x, y, outs[0])
    paddle.bitwise_and(x, y, out=outs[1])
    paddle.bitwise_left_shift(x, paddle.to_tensor([2, 1]), True, outs[2])
    return [out.tolist() for out in outs]


@program
def wrong_names(paddle, np):
    """Names that are unknown or given twice, and operands that are missing."""
    x = paddle.to_tensor([[1.0, 2.0], [3.0, 4.0]])
    return [
        error_of(lambda: paddle.add(x, x, tensor=x)),
        error_of(lambda: paddle.add(x, y=x, other=x)),
        error_of(lambda: paddle.add(x)),
        error_of(lambda: paddle.square(input=x)),
        error_of(lambda: paddle.softmax(x, axis=0)),
    ]


@program
def softmax_of_other_libraries(paddle, np):
    """paddle.softmax and Tensor.softmax have `input` and `dim`; so has paddle.special."""
    out = []
    for shape in ([3], [2, 3], [2, 2, 2], [2, 2, 2, 2]):
        x = paddle.to_tensor(np.linspace(-1.0, 2.0, int(np.prod(shape))).reshape(shape) ** 2)
        out += [paddle.softmax(x).numpy(), x.softmax(-1).numpy()]
    x = paddle.to_tensor([[1.0, 2.0], [3.0, 5.0]])
    target = paddle.zeros([1])
    paddle.softmax(x, 0, out=target)
    out += [paddle.softmax(input=x, dim=0, dtype="float64").numpy(), target.numpy()]
    special = paddle.special
    return [
        *out,
        special.softmax(x, 0).numpy(),
        special.expm1(x).numpy(),
        special.logsumexp(x, 1).numpy(),
    ]


@program
def names_in_windows(paddle, np):
    """`input=`, `return_indices=`, `kernel_size=`, ... of convolutions and pools."""
    functional = paddle.nn.functional
    x = paddle.to_tensor(np.linspace(-1.0, 2.0, 16, dtype="float32").reshape(1, 1, 4, 4))
    weight = paddle.to_tensor(np.linspace(0.5, 1.0, 4, dtype="float32").reshape(1, 1, 2, 2))
    line, volume = x.reshape([1, 1, 16]), x.reshape([1, 1, 4, 2, 2])
    columns = x.reshape([1, 4, 4])
    return {
        "conv1d": functional.conv1d(input=line, weight=weight.reshape([1, 1, 4])).numpy(),
        "conv2d": paddle.conv2d(input=x, weight=weight, padding=1).numpy(),
        "conv3d": functional.conv3d(input=volume, weight=weight.reshape([1, 1, 1, 2, 2])).numpy(),
        "mean1d": functional.adaptive_avg_pool1d(input=line, output_size=3).numpy(),
        "mean2d": functional.adaptive_avg_pool2d(input=x, output_size=3).numpy(),
        "mean3d": functional.adaptive_avg_pool3d(input=volume, output_size=1).numpy(),
        "max1d": _values(
            functional.adaptive_max_pool1d(input=line, output_size=3, return_indices=True)
        ),
        "max2d": _values(
            functional.adaptive_max_pool2d(input=x, output_size=3, return_indices=True)
        ),
        "max3d": _values(
            functional.adaptive_max_pool3d(input=volume, output_size=1, return_indices=True)
        ),
        "fold": functional.fold(
            input=columns, output_size=[3, 3], kernel_size=2, stride=1, padding=[0, 0], dilation=1
        ).numpy(),
        "unfold": paddle.unfold(x[0, 0], dimension=1, size=2, step=2).numpy(),
        "sampled": functional.grid_sample(input=x, grid=x.reshape([1, 2, 4, 2])).numpy(),
        "resized": functional.interpolate(input=x, scale_factor=0.5, mode="bilinear").numpy(),
        "gelu": functional.gelu(input=line).numpy(),
        "softplus": functional.softplus(input=line).numpy(),
        "cross": paddle.cross(line[0, :, :3], line[0, :, 3:6], dim=1).numpy(),
        "group": functional.group_norm(input=columns, num_groups=2, eps=0.5).numpy(),
        "finfo": paddle.finfo(type="float16").bits,
    }


@program
def names_of_layers(paddle, np):
    """`eps=`, `dim=`, `lambd=`, `return_indices=` of constructors, `input=`, `target=` of calls."""
    nn = paddle.nn
    x = paddle.to_tensor(np.linspace(-1.0, 2.0, 16, dtype="float32").reshape(1, 2, 8))
    image, volume = x.reshape([1, 1, 4, 4]), x.reshape([1, 2, 2, 2, 2])
    classes = paddle.to_tensor([1, 0])
    found = {
        "cosine": nn.CosineSimilarity(dim=2)(x, x * 2),
        "distance": nn.PairwiseDistance(eps=0.25)(x1=x, x2=x * 2),
        "glu": nn.GLU(dim=1)(input=x),
        "groups": nn.GroupNorm(1, 2, eps=0.25)(x),
        "layers": nn.LayerNorm([8], eps=0.001)(x * 0.01),
        "hard": nn.Hardshrink(lambd=0.25)(input=x),
        "soft": nn.Softshrink(lambd=0.25)(input=x),
        "fold": nn.Fold(output_size=[3, 3], kernel_size=[2, 1], dilation=1, padding=0, stride=2)(
            x[:, :, :2]
        ),
        "mean2d": nn.AdaptiveAvgPool2D(2)(input=image),
        "mean3d": nn.AdaptiveAvgPool3D(1)(input=volume),
        "power1d": nn.LPPool1D(2, 2)(input=x),
        "power2d": nn.LPPool2D(2, 2)(input=image),
        "bilinear": nn.UpsamplingBilinear2D(scale_factor=2)(input=image),
        "nearest": nn.UpsamplingNearest2D(scale_factor=2)(input=image),
        "classes": nn.CrossEntropyLoss()(x[0], target=classes),
        "smooth": nn.SmoothL1Loss()(x, target=x * 2),
    }
    for dims, data in ((1, x), (2, image), (3, volume)):
        maxima = getattr(nn, f"AdaptiveMaxPool{dims}D")(output_size=2, return_indices=True)
        pooled = maxima(data) if dims == 1 else maxima(input=data)
        found[f"max{dims}d"] = pooled[0]
        found[f"places{dims}d"] = pooled[1]
    return {name: each.numpy() for name, each in found.items()}


@program
def names_of_methods_of_layers(paddle, np):
    """`recurse=`, `persistent=`, `module=`, `modules=` and `stat_dict=`."""
    nn = paddle.nn
    net = nn.Sequential(nn.Linear(2, 2), nn.LayerList(modules=[nn.Linear(2, 2)]))
    net.register_buffer("kept", paddle.zeros([1]), persistent=True)
    net[0].register_buffer("dropped", paddle.zeros([1]), persistent=False)
    layers = nn.LayerList([nn.ReLU()])
    layers.append(module=nn.Tanh())
    layers.insert(0, module=nn.Sigmoid())
    layers.extend(modules=[nn.GELU()])
    named = nn.LayerDict(modules={"a": nn.ReLU()})
    named.update(modules={"b": nn.Tanh()})
    net.set_sublayer("1.0", module=nn.Linear(2, 1))
    net.set_state_dict(stat_dict={**net.state_dict(), "0.bias": paddle.ones([2])})
    return {
        "parameters": [len(net.parameters(recurse=each)) for each in (False, True)],
        "named": [[n for n, _ in net.named_parameters(recurse=each)] for each in (False, True)],
        "buffers": [len(net.buffers(recurse=each)) for each in (False, True)],
        "of name": [[n for n, _ in net.named_buffers(recurse=each)] for each in (False, True)],
        "state": {name: list(each.shape) for name, each in net.state_dict().items()},
        "bias": net[0].bias.numpy(),
        "list": [type(each).__name__ for each in layers],
        "dict": {name: type(each).__name__ for name, each in named.items()},
    }


@program
def names_given_twice(paddle, np):
    """A further name together with the parameter's own one, or with a position."""
    x = paddle.to_tensor([[1.0, 2.0], [3.0, 4.0]])
    functional, nn = paddle.nn.functional, paddle.nn
    type_errors = {
        "position": lambda: paddle.add(x, x, input=x),
        "one name": lambda: paddle.unbind(x, axis=1, dim=1),
        "linspace": lambda: paddle.linspace(0.0, 1.0, num=3, steps=3),
        "resized": lambda: functional.interpolate(x=x, input=x),
        "normalized": lambda: functional.group_norm(x, 1, epsilon=0.5, eps=0.5),
        "parameters": lambda: nn.ReLU().parameters(include_sublayers=True, recurse=True),
        "modules": lambda: nn.LayerList(sublayers=[], modules=[]),
        "a layer": lambda: nn.GLU()(x=x, input=x),
        "isin": lambda: paddle.isin(x=x, elements=x, test_x=x),
        "pool": lambda: nn.AdaptiveMaxPool2D(2, return_mask=True, return_indices=True),
        "distance": lambda: nn.PairwiseDistance(epsilon=0.5, eps=0.5),
        "epsilon": lambda: nn.LayerNorm([2], epsilon=0.001, eps=0.001),
    }
    value_errors = {
        "outer": lambda: paddle.outer(x[0], y=x[0], vec2=x[0]),
        "sum": lambda: paddle.sum(x, axis=0, dim=0),
        "cross": lambda: paddle.cross(x, x, axis=1, dim=1),
        "loss": lambda: functional.cross_entropy(x, label=x, target=x),
        "fold": lambda: nn.Fold([2, 2], kernel_sizes=2, kernel_size=2),
    }
    return [
        {name: is_a(TypeError, call) for name, call in type_errors.items()},
        {name: is_a(ValueError, call) for name, call in value_errors.items()},
    ]


@differs(
    "Paddle drops one of the two values of a parameter that is given under two names",
    right=[True, True, True],
    paddle_gives=["no error", "no error", "no error"],
)
def names_that_overwrite(paddle, np):
    """Paddle drops one of the two values: which one depends on the function."""
    x = paddle.to_tensor([[1.0, 2.0], [3.0, 4.0]])
    functional = paddle.nn.functional
    return [
        is_a(ValueError, lambda: functional.softmax(x=x, input=x)),
        is_a(ValueError, lambda: paddle.zeros(shape=[2], size=[3])),
        is_a(ValueError, lambda: paddle.nn.ReLU().set_state_dict(state_dict={}, stat_dict={})),
    ]


@program
def positions_of_other_libraries(paddle, np):
    """group_norm with weight and bias first, interpolate without align_mode, `_stacklevel`."""
    functional = paddle.nn.functional
    image = paddle.to_tensor(np.linspace(0.0, 15.0, 16, dtype="float32").reshape(1, 1, 4, 4))
    x = image.reshape([1, 2, 8])
    weight, bias = paddle.to_tensor([1.0, 2.0]), paddle.to_tensor([0.5, 0.25])
    halved = (image, None, 0.5, "bilinear", False)
    line = paddle.to_tensor([1.0, 2.0])
    return [
        functional.group_norm(x, 1, weight, bias, 0.5).numpy(),
        functional.group_norm(x, 1, None, bias).numpy(),
        functional.group_norm(x, 2, weight, bias, eps=0.5).numpy(),
        functional.interpolate(*halved, None).numpy(),
        functional.interpolate(*halved, True).numpy(),
        functional.interpolate(*halved, None, True).numpy(),
        functional.interpolate(*halved, 1).numpy(),
        paddle.softmax(line, 0, 3).numpy(),
        paddle.softmax(line, 0, 3, "float64").numpy(),
        line.softmax(dim=0, _stacklevel=3).numpy(),
        paddle.compat.nn.functional.softmax(line, 0, 3, "float64").numpy(),
        line.numpy(force=True),
        error_of(lambda: functional.group_norm(x, 1, weight, weight=weight)),
        error_of(lambda: functional.interpolate(*halved, None, recompute_scale_factor=True)),
    ]


@program
def gelu_into_a_tensor(paddle, np):
    """The tensor has the value, the shape and the history of the result."""
    x = paddle.to_tensor([1.0, -2.0], stop_gradient=False)
    found = []
    for approximate in (False, True):
        out = paddle.ones([1])
        paddle.nn.functional.gelu(x, approximate, out=out)
        out.sum().backward()
        found.append([out.numpy(), out.stop_gradient, x.grad.numpy()])
    return found
