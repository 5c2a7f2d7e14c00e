"""Mixed precision: names, errors and what is off agree; on a CPU real Paddle casts nothing."""

import contextlib
import inspect
import io
import warnings

from ..probe import attempt, graph, leaf
from ..registry import differs, program

INERT = "mixed precision has no effect on a CPU in Paddle; here it works on every XLA device"


@contextlib.contextmanager
def cast(paddle, **arguments):
    """Enters auto_cast without Paddle's warning that it has no effect."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        context = paddle.amp.auto_cast(**arguments)
        context.__enter__()
    try:
        yield
    finally:
        context.__exit__(None, None, None)


def enter(paddle, **arguments):
    """Enters auto_cast and leaves it; returns "entered"."""
    with cast(paddle, **arguments):
        return "entered"


def scaler(paddle, **arguments):
    """Makes a GradScaler without Paddle's warning that it has no effect."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return paddle.amp.GradScaler(**arguments)


def defaults(function):
    """The parameters of a function and their defaults."""
    parameters = inspect.signature(function).parameters.values()
    return {
        p.name: "required" if p.default is p.empty else p.default
        for p in parameters
        if p.name != "self"
    }


# ---- names


@program
def amp_names(paddle, np):
    """Every name of paddle.amp, and the five that paddle itself has."""
    names = (
        "auto_cast amp_guard autocast decorate amp_decorate GradScaler AmpScaler OptimizerState "
        "is_float16_supported is_bfloat16_supported is_autocast_enabled get_autocast_dtype "
        "get_autocast_cpu_dtype get_autocast_gpu_dtype white_list black_list debugging"
    ).split()
    short = [name for name in names if getattr(paddle, name, None) is not None]
    return [[name for name in names if hasattr(paddle.amp, name)], short]


@program
def amp_signatures(paddle, np):
    """Names, order and defaults of arguments."""
    amp = paddle.amp
    functions = [amp.auto_cast, amp.amp_guard, amp.autocast, amp.decorate, amp.amp_decorate]
    functions += [amp.is_float16_supported, amp.is_autocast_enabled, amp.get_autocast_dtype]
    classes = {"GradScaler": amp.GradScaler, "AmpScaler": amp.AmpScaler}
    found = {f.__name__: defaults(f) for f in functions}
    found.update({name: defaults(each.__init__) for name, each in classes.items()})
    methods = [name for name in dir(amp.GradScaler) if not name.startswith("_")]
    found["methods"] = {name: defaults(getattr(amp.GradScaler, name)) for name in methods}
    return {name: list(each.items()) for name, each in found.items()}


@program
def amp_lists(paddle, np):
    """The white and black lists, by dtype and level."""
    lists = {"white": paddle.amp.white_list(), "black": paddle.amp.black_list()}
    return {
        f"{color} {dtype} {level}": sorted(names)
        for color, table in lists.items()
        for dtype, levels in sorted(table.items())
        for level, names in sorted(levels.items())
    }


@program
def amp_optimizer_states(paddle, np):
    """The states of an optimizer in a scaler."""
    return [[state.name, state.value] for state in paddle.amp.OptimizerState]


# ---- auto_cast: what does not depend on the device


@program
def auto_cast_errors(paddle, np):
    """Levels and dtypes that are refused, and that it happens on entry."""
    made = [paddle.amp.auto_cast(level="O5"), paddle.amp.auto_cast(dtype="int8")]
    overlap = {"custom_white_list": ["exp"], "custom_black_list": ["exp"]}
    return {
        "made": len(made),
        "level": attempt(lambda: enter(paddle, level="O5")),
        "dtype": attempt(lambda: enter(paddle, dtype="float32")),
        "dtype at O0": attempt(lambda: enter(paddle, dtype="float32", level="O0")),
        "overlap": attempt(lambda: enter(paddle, **overlap)),
    }


@program
def auto_cast_arguments_that_are_taken(paddle, np):
    """Lower and upper case, DataType objects, empty lists, each kind of list."""
    given = [
        {"level": "o2"},
        {"level": "O0"},
        {"level": "OD", "dtype": "BFLOAT16"},
        {"dtype": paddle.bfloat16},
        {"custom_white_list": {"exp"}, "custom_black_list": ()},
        {"custom_white_list": ["exp"], "custom_black_list": ("log",)},
        {"enable": False, "dtype": "float32", "level": "O0"},
        {"level": "O2", "use_promote": False},
    ]
    return [attempt(lambda each=each: enter(paddle, **each)) for each in given]


@program
def auto_cast_when_disabled(paddle, np):
    """Disabled it casts nothing, and as a decorator as well."""
    x = leaf(paddle, np.float32([[1.0, 2.0]]))

    @paddle.amp.auto_cast(enable=False)
    def decorated(x):
        return paddle.matmul(x, x.T)

    with paddle.amp.auto_cast(enable=False, level="O2"):
        inside = paddle.matmul(x, x.T)
        on = paddle.amp.is_autocast_enabled()
    with paddle.amp.autocast("cpu", enabled=False):
        short = paddle.matmul(x, x.T)
    outs = [inside, decorated(x), short]
    return [on, [str(out.dtype) for out in outs], [graph(out) for out in outs]]


@program
def autocast_state_outside(paddle, np):
    """Nothing is in force outside; the dtype then is float16."""
    amp = paddle.amp
    return [
        amp.is_autocast_enabled(),
        paddle.is_autocast_enabled("cpu"),
        amp.get_autocast_dtype(),
        amp.get_autocast_cpu_dtype("cpu"),
        paddle.get_autocast_gpu_dtype(),
        amp.is_bfloat16_supported(),
    ]


@program
def auto_cast_and_exceptions(paddle, np):
    """An exception goes through, and nothing stays in force."""

    def failing():
        with cast(paddle, dtype="bfloat16"):
            raise KeyError("mine")

    return [attempt(failing)["error"], paddle.amp.is_autocast_enabled()]


@differs(
    "auto_cast(enable=False, dtype='float32') looks up lists that float32 does not have",
    right="entered",
    paddle_gives={"error": "KeyError", "text": "'float32'"},
)
def disabled_auto_cast_for_float32(paddle, np):
    """enable=False is off, whatever the dtype."""
    return attempt(lambda: enter(paddle, enable=False, dtype="float32"))


@differs(
    "a str as a custom list is read letter by letter, and so has no effect",
    right="TypeError",
    paddle_gives="entered",
)
def a_custom_list_that_is_a_str(paddle, np):
    """custom_white_list="exp" instead of ["exp"]."""
    answer = attempt(lambda: enter(paddle, custom_white_list="exp"))
    return answer if isinstance(answer, str) else answer["error"]


# ---- auto_cast: what it does


MIXED = "MatmulGradNode(CastGradNode(leaf), CastGradNode(leaf))"
ALONE = "MatmulGradNode(leaf, leaf)"


@differs(
    INERT,
    right=["bfloat16", MIXED, "float32", "float32", True, "bfloat16"],
    paddle_gives=["float32", ALONE, "float32", "float32", False, "float16"],
)
def matmul_under_auto_cast(paddle, np):
    """dtype of a white op, its graph, its gradient's dtype, a black op, and the state."""
    x, y = leaf(paddle, np.float32([[1.0, 2.0]])), leaf(paddle, np.float32([[3.0], [4.0]]))
    with cast(paddle, dtype="bfloat16"):
        out = paddle.matmul(x, y)
        black = paddle.exp(out)
        state = [paddle.amp.is_autocast_enabled(), paddle.amp.get_autocast_dtype()]
    out.backward()
    names = [str(t.dtype).removeprefix("paddle.") for t in (out, x.grad, black)]
    return [names[0], graph(out), *names[1:], *state]


@differs(
    INERT,
    right=["float16", "float32", "float16", "float32"],
    paddle_gives=["float32", "float32", "float32", "float32"],
)
def levels_of_auto_cast(paddle, np):
    """A white op and an add of float32 at O1, and both at O2 without promotion and OD."""
    x = paddle.ones([2, 2])
    out = []
    for level, op in [("O1", "matmul"), ("O1", "add"), ("O2", "add"), ("OD", "add")]:
        with cast(paddle, level=level, use_promote=False):
            out.append(str(getattr(paddle, op)(x, x).dtype).removeprefix("paddle."))
    return out


@differs(
    INERT,
    right=["float16", "float32", "float16", "float16", "float32"],
    paddle_gives=["float32"] * 5,
)
def custom_lists_of_auto_cast(paddle, np):
    """Names of the older op set; nested contexts."""
    x, out = paddle.ones([2, 2]), []

    def note(tensor):
        out.append(str(tensor.dtype).removeprefix("paddle."))

    lists = {"custom_white_list": {"elementwise_add"}, "custom_black_list": {"matmul_v2"}}
    with cast(paddle, **lists):
        note(x + x)
        note(paddle.matmul(x, x))
        with cast(paddle):
            note(paddle.matmul(x, x))
        note(x + x)
    note(x + x)
    return out


# ---- decorate


def types(layer):
    """The dtypes of a layer's parameters."""
    return [str(p.dtype).removeprefix("paddle.") for p in layer.parameters()]


@program
def decorate_at_o1(paddle, np):
    """O1 gives back what it was given."""
    net = paddle.nn.Linear(2, 2)
    sgd = paddle.optimizer.SGD(0.1, parameters=net.parameters())
    both = paddle.amp.decorate(net, sgd)
    return [
        paddle.amp.decorate(net) is net,
        both[0] is net and both[1] is sgd,
        types(net),
        paddle.amp.decorate([net], [sgd], level="O1")[0][0] is net,
    ]


@program
def decorate_errors(paddle, np):
    """Levels and dtypes that are refused."""
    net = paddle.nn.Linear(2, 2)
    decorate = paddle.amp.decorate
    return {
        "level": attempt(lambda: decorate(net, level="O3")),
        "O0": attempt(lambda: decorate(net, level="O0")),
        "dtype": attempt(lambda: decorate(net, dtype="float32")),
        "older name": attempt(lambda: paddle.amp.amp_decorate(net, level="OD")),
    }


@differs(
    INERT,
    right=[["float16"] * 2 + ["float32"] * 4, True, ["float16", "float32"]],
    paddle_gives=[["float32"] * 6, False, ["float32", "float32"]],
)
def decorate_at_o2(paddle, np):
    """Parameters of a Linear and a BatchNorm, master weights, and what state_dict shows."""
    net = paddle.nn.Sequential(paddle.nn.Linear(2, 2), paddle.nn.BatchNorm1D(2))
    adam = paddle.optimizer.Adam(parameters=net.parameters())
    net, adam = paddle.amp.decorate(net, adam, level="O2")
    other = paddle.amp.decorate(paddle.nn.Linear(2, 2), level="O2", save_dtype="float32")
    shown = str(other.state_dict()["weight"].dtype).removeprefix("paddle.")
    return [types(net), adam._multi_precision, [types(other)[0], shown]]


# ---- GradScaler


@program
def grad_scaler_disabled(paddle, np):
    """A disabled scaler passes everything through."""
    net = paddle.nn.Linear(2, 1)
    net.weight.set_value(np.float32([[1.0], [2.0]]))
    sgd = paddle.optimizer.SGD(0.5, parameters=net.parameters())
    off = paddle.amp.GradScaler(enable=False, incr_ratio=0.5)
    loss = net(paddle.to_tensor(np.float32([[1.0, 3.0]]))).sum()
    scaled = off.scale(loss)
    scaled.backward()
    found = [scaled is loss, off.unscale_(sgd), off.step(sgd), off.update()]
    found += [net.weight.numpy(), off.state_dict(), off.load_state_dict({})]
    found += [off.is_enable(), off.is_use_dynamic_loss_scaling(), off.get_init_loss_scaling()]
    operators, pairs = off.minimize(sgd, loss)
    return [*found, operators, len(pairs), net.weight.numpy()]


@program
def grad_scaler_ratios(paddle, np):
    """Ratios on the wrong side of 1 are refused, also by a scaler that is disabled."""
    off = paddle.amp.GradScaler(enable=False)
    off.set_incr_ratio(3.0)
    off.set_decr_ratio(0.25)
    off.set_incr_every_n_steps(7)
    off.set_decr_every_n_nan_or_inf(2)
    return {
        "incr": attempt(lambda: off.set_incr_ratio(1.0)),
        "decr": attempt(lambda: off.set_decr_ratio(1.0)),
        "set": [off.get_incr_ratio(), off.get_decr_ratio()],
        "steps": [off.get_incr_every_n_steps(), off.get_decr_every_n_nan_or_inf()],
    }


@differs(
    "a scaler that is disabled never sets what its getters return",
    right=[2.0, 0.5, 2000, 1],
    paddle_gives=["AttributeError"] * 4,
)
def getters_of_a_disabled_scaler(paddle, np):
    """What the scaler was made with."""
    off = paddle.amp.GradScaler(enable=False)
    names = "get_incr_ratio get_decr_ratio get_incr_every_n_steps get_decr_every_n_nan_or_inf"
    answers = [attempt(getattr(off, name)) for name in names.split()]
    return [each["error"] if isinstance(each, dict) else each for each in answers]


@differs(
    INERT,
    right=[True, [8.0], [[1.0], [2.0]], [4.0], 0, 0],
    paddle_gives=[False, [1.0], None, None, None, None],
)
def a_bad_step_of_a_scaler(paddle, np):
    """Enabled, scaled loss, parameters after a step that overflows, the new scale, counters."""
    on = scaler(paddle, init_loss_scaling=8.0)
    with cast(paddle, dtype="float16"):
        pass
    scaled = on.scale(paddle.ones([1]))
    found = [on.is_enable(), scaled.numpy().tolist()]
    net = paddle.nn.Linear(2, 1, bias_attr=False)
    net.weight.set_value(np.float32([[1.0], [2.0]]))
    adam = paddle.optimizer.Adam(0.5, parameters=net.parameters())
    loss = (net(paddle.ones([1, 2])) * float("inf")).sum()
    on.scale(loss).backward()
    on.step(adam)
    on.update()
    state = on.state_dict()
    if not state:
        return [*found, None, None, None, None]
    counters = [state["incr_count"], state["decr_count"]]
    return [*found, net.weight.numpy().tolist(), state["scale"].tolist(), *counters]


# ---- debugging


def table(run, paddle):
    """What collect_operator_stats prints."""
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed), paddle.amp.debugging.collect_operator_stats():
        run()
    return printed.getvalue()


@program
def operator_statistics(paddle, np):
    """The table: names, columns, order; in-place calls and casts of promotion."""
    x, wide = leaf(paddle, np.float32([[1.0, 2.0]])), leaf(paddle, np.float64([[1.0, 2.0]]))

    def run():
        y = paddle.matmul(x, x, transpose_y=True)
        y = paddle.exp(y) + (y * 2.0).exp_()
        y.sum() + (x * wide).sum() + paddle.mean(wide)
        paddle.concat([x, x]).astype("float64")
        paddle.nn.functional.softmax(x)
        paddle.nn.functional.relu(x)
        paddle.transpose(x, [1, 0])
        paddle.maximum(x, x)
        x.unsqueeze(0).squeeze(0)

    return table(run, paddle)


@program
def operator_statistics_of_made_tensors(paddle, np):
    """Functions that make tensors, of several dtypes, and the step of an optimizer."""
    layer = paddle.nn.Linear(2, 2)
    adam = paddle.optimizer.Adam(parameters=layer.parameters())
    layer(paddle.ones([1, 2])).sum().backward()
    adam.step()  # the first makes its accumulators

    def run():
        adam.step()
        x = paddle.full([2], 1.0)
        paddle.ones([2], "bfloat16")
        paddle.zeros([2], "int64")
        paddle.full_like(x, 1, "int64")
        paddle.zeros_like(x)
        paddle.arange(3)
        paddle.arange(3.0)
        paddle.linspace(0, 1, 3)
        paddle.rand([2])
        paddle.randn([2], "float64")
        paddle.randint(0, 4, [2])
        paddle.randperm(3)
        paddle.eye(2)
        paddle.empty([2])
        paddle.nonzero(x)
        paddle.nn.Linear(2, 2)
        x[x > 2.0]
        x.zero_()
        x.uniform_()

    return table(run, paddle)


@program
def low_precision_op_list(paddle, np):
    """The flag, what it counts, that it stays, and that it can be forgotten."""
    core, x = paddle.base.core, paddle.to_tensor([1.0])
    found = [paddle.get_flags("FLAGS_low_precision_op_list")]
    core.clear_low_precision_op_list()
    paddle.set_flags({"FLAGS_low_precision_op_list": 1})
    x.exp().astype("float16").sum()
    paddle.ones([2], "float64").exp()
    found.append(core.get_low_precision_op_list())
    paddle.set_flags({"FLAGS_low_precision_op_list": 0})
    x.exp()
    found.append(core.get_low_precision_op_list())
    core.clear_low_precision_op_list()
    found.append(core.get_low_precision_op_list())
    return found


@program
def operator_statistics_of_nothing(paddle, np):
    """An empty table; disabling what is off prints nothing."""
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        paddle.amp.debugging.disable_operator_stats_collection()
    return [table(lambda: None, paddle), printed.getvalue()]


@program
def operator_statistics_begin_anew(paddle, np):
    """Enabling twice forgets what was counted."""
    x, printed = paddle.ones([2]), io.StringIO()
    with contextlib.redirect_stdout(printed):
        paddle.amp.debugging.enable_operator_stats_collection()
        paddle.exp(x)
        paddle.amp.debugging.enable_operator_stats_collection()
        paddle.sin(x)
        paddle.amp.debugging.disable_operator_stats_collection()
    return printed.getvalue()
