"""jit.to_static: what marked functions give, record, write and break at."""

import warnings

from ..probe import error_of
from ..registry import differs, program


def _filled(paddle, np, layer, seed=5):
    r = np.random.default_rng(seed)
    for each in layer.parameters():
        each.set_value((r.normal(size=each.shape) * 0.3 + 0.1).astype("float32"))
    return layer


def _batch(paddle, np, number, shape=(4, 3)):
    x = np.random.default_rng(number).normal(size=shape).astype("float32")
    return paddle.to_tensor(x)


def _marked(paddle, function, **settings):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return paddle.jit.to_static(function, **settings)


@program
def a_marked_network_trains(paddle, np):
    """Losses, gradients and running statistics over some steps, then in evaluation."""
    nn = paddle.nn
    net = nn.Sequential(nn.Linear(3, 4), nn.BatchNorm1D(4), nn.Tanh(), nn.Linear(4, 2))
    net = _marked(paddle, _filled(paddle, np, net), full_graph=True)
    sgd = paddle.optimizer.SGD(0.1, parameters=net.parameters())
    found = []
    for number in range(3):
        loss = (net(_batch(paddle, np, number)) ** 2).mean()
        loss.backward()
        found += [loss.numpy(), net[0].weight.grad.numpy(), net[1].weight.grad.numpy()]
        sgd.step()
        sgd.clear_grad()
    net.eval()
    out = net(_batch(paddle, np, 9))
    return [*found, net[1]._mean.numpy(), net[1]._variance.numpy(), out.numpy(),
            out.stop_gradient]  # fmt: skip


@program
def the_node_of_a_marked_function(paddle, np):
    """One node, with edges to the inputs and the parameters that want gradients."""
    net = _filled(paddle, np, paddle.nn.Linear(3, 2))
    net.bias.stop_gradient = True

    def doubled(x):
        return net(x) * 2

    marked = _marked(paddle, doubled, full_graph=True)
    x = _batch(paddle, np, 1)
    x.stop_gradient = False
    out = marked(x)
    before = out.grad_fn.name(), out.stop_gradient
    out.sum().backward()
    return [*before, x.grad.numpy(), net.weight.grad.numpy(), net.bias.grad is None]


@program
def structures_that_marked_functions_return(paddle, np):
    """Dicts, lists and constants come back as they were."""

    def several(x, more=None, n=3, *, flag=True):
        first = x + n
        return {"a": first, "b": [x * 2, 5, None], "c": more["k"] * 2 if more else None}

    marked = _marked(paddle, several, full_graph=True)
    x = _batch(paddle, np, 2)
    one = marked(x)
    two = marked(x, {"k": x}, 4)
    return [one["a"].numpy(), one["b"][0].numpy(), one["b"][1:], one["c"], two["a"].numpy(),
            two["c"].numpy(), sorted(one)]  # fmt: skip


def _with_values(paddle, net):
    def asks(x):
        y = net(x)
        y = y * 2
        scale = float(y.abs().max().numpy())
        y = y / scale
        if y.sum() > 0:
            y = y + 1
            y = y * 2
        else:
            y = y - 1
        return (y * y).sum()

    return asks


@program
def functions_that_ask_for_values(paddle, np):
    """Without the whole graph: values and gradients are those of the ops one by one."""
    net = _filled(paddle, np, paddle.nn.Linear(3, 2))
    marked = _marked(paddle, _with_values(paddle, net), full_graph=False)
    found = []
    for number in range(4):
        net.clear_gradients()
        loss = marked(_batch(paddle, np, number))
        loss.backward()
        found += [loss.numpy(), net.weight.grad.numpy()]
    return found


@program
def branches_in_marked_functions(paddle, np):
    """static.nn.cond in a whole graph: what it gives, and gradients through the branch taken."""
    net = _filled(paddle, np, paddle.nn.Linear(3, 2))

    def branching(x):
        y = net(x)
        y = paddle.static.nn.cond(y.sum() > 0, lambda: y * 2, lambda: y - 1)
        return (y * y).sum()

    marked = _marked(paddle, branching, full_graph=True)
    found = []
    for number in range(4):
        net.clear_gradients()
        loss = marked(_batch(paddle, np, number))
        loss.backward()
        found += [loss.numpy(), net.weight.grad.numpy()]
    return found


@program
def marking_switched_off(paddle, np):
    """enable_to_static(False): the ops are recorded one by one."""

    def doubled(x):
        return x * 2

    marked = _marked(paddle, doubled, full_graph=True)
    x = _batch(paddle, np, 1)
    x.stop_gradient = False
    paddle.jit.enable_to_static(False)
    try:
        out = marked(x)
    finally:
        paddle.jit.enable_to_static(True)
    return [out.grad_fn.name(), out.numpy()]


@differs(
    "a whole graph forgets what a function writes into its arguments",
    right=[[4.0, 4.0], [2.0, 2.0]],
    paddle_gives=[[2.0, 2.0], [1.0, 1.0]],
)
def a_write_into_an_argument(paddle, np):
    """x.add_ in a marked function."""

    def writes(x):
        x.add_(paddle.ones([2]))
        return x * 2

    x = paddle.ones([2])
    out = _marked(paddle, writes, full_graph=True)(x)
    return [out.tolist(), x.tolist()]


@differs(
    "the gradient of a whole graph has no gradient",
    right=[12.0, 12.0],
    paddle_gives="ValueError",
)
def the_gradient_of_a_gradient(paddle, np):
    """paddle.grad with create_graph of a marked function, twice."""

    def cubes(x):
        return (x * x * x).sum()

    cube = _marked(paddle, cubes, full_graph=True)
    x = paddle.to_tensor([2.0], stop_gradient=False)
    (slope,) = paddle.grad(cube(x), [x], create_graph=True)
    found = error_of(lambda: paddle.grad(slope.sum(), [x]))
    if found != "no error":
        return found if isinstance(found, str) else found["error"]
    (slope,) = paddle.grad(cube(x), [x], create_graph=True)
    (again,) = paddle.grad(slope.sum(), [x])
    return [slope.item(), again.item()]


@program
def numbers_around_a_marked_function(paddle, np):
    """A number in a dict, and an attribute of an object, that change between calls."""

    class Settings:
        rate = 2.0

    table, settings = {"rate": 2.0}, Settings()

    def by_table(x):
        return x * table["rate"]

    def by_attribute(x):
        return x * settings.rate

    first = _marked(paddle, by_table)
    second = _marked(paddle, by_attribute)
    x = paddle.ones([2])
    found = [first(x).tolist()]
    table["rate"] = 5.0
    found += [first(x).tolist(), second(x).tolist()]
    settings.rate = 3.0
    return [*found, second(x).tolist()]


@program
def what_a_marked_function_does_beside_tensors(paddle, np):
    """It counts, appends, sets attributes and asks for values on every call."""
    kept, state = [], {"calls": 0}
    net = _filled(paddle, np, paddle.nn.Linear(3, 2))
    sgd = paddle.optimizer.SGD(0.1, parameters=net.parameters())

    def step(x):
        state["calls"] += 1
        loss = (net(x) ** 2).mean()
        if float(loss) > 0.1:
            kept.append(round(float(loss), 5))
        loss.backward()
        sgd.step()
        sgd.clear_grad()
        return loss * state["calls"]

    marked = _marked(paddle, step)
    found = [marked(_batch(paddle, np, number)).numpy() for number in range(6)]
    return [*found, kept, state["calls"], net.weight.numpy()]


@program
def what_a_marked_function_is_asked(paddle, np):
    """Programs are for whole graphs alone."""
    marked = _marked(paddle, lambda x: x * 2)
    marked(paddle.ones([2]))
    names = ("concrete_program", "program_cache", "main_program")
    return [error_of(lambda name=name: getattr(marked, name)) for name in names]


@program
def options_of_compilation(paddle, np):
    """BuildStrategy, its options and their types; settings that to_static refuses."""
    options = paddle.static.BuildStrategy()
    names = "enable_inplace fuse_bn_act_ops memory_optimize nccl_comm_num debug_graphviz_path"
    defaults = [getattr(options, name) for name in names.split()]
    options.fuse_bn_act_ops = True
    options.memory_optimize = False
    options.nccl_comm_num = 2
    options.reduce_strategy = paddle.static.BuildStrategy.ReduceStrategy.Reduce

    def double(x):
        return x * 2

    marked = _marked(paddle, double, build_strategy=options, full_graph=True)
    refused = {
        "unknown": lambda: setattr(options, "other", True),
        "bool": lambda: setattr(options, "enable_inplace", "yes"),
        "number": lambda: setattr(options, "num_trainers", "two"),
        "memory": lambda: setattr(options, "memory_optimize", 1),
        "input_spec": lambda: paddle.jit.to_static(double, input_spec=3, full_graph=True),
        "build_strategy": lambda: paddle.jit.to_static(double, build_strategy=3),
        "backend": lambda: paddle.jit.to_static(double, backend="other"),
    }
    strategy = paddle.distributed.fleet.DistributedStrategy()
    held = [strategy.build_strategy.enable_inplace]
    strategy.build_strategy = options
    options.enable_inplace = False
    held += [strategy.build_strategy.enable_inplace, strategy.build_strategy.fuse_bn_act_ops]
    return {
        "held": held,
        "defaults": defaults,
        "set": [getattr(options, name) for name in names.split()],
        "reduce": options.reduce_strategy.name,
        "output": marked(paddle.ones([2])).numpy(),
        "refused": {key: error_of(call) for key, call in refused.items()},
    }


@program
def names_of_static_that_run_at_once(paddle, np):
    """create_parameter, create_global_var and accuracy; refusals of control flow."""
    static, flow = paddle.static, paddle.static.nn
    three = paddle.nn.initializer.Constant(3.0)
    weight = static.create_parameter([2], "float32", default_initializer=three)
    total = static.create_global_var([2], 1.5, "float32", persistable=True)
    scores, labels = paddle.to_tensor([[0.1, 0.9], [0.8, 0.2]]), paddle.to_tensor([[1], [1]])
    one, yes = paddle.to_tensor(1), paddle.to_tensor(True)
    refused = {
        "no tensor": lambda: flow.cond(True, lambda: 3, lambda: 4),
        "many": lambda: flow.cond(paddle.to_tensor([True, False]), lambda: 3, lambda: 4),
        "one of a pair": lambda: flow.case([(yes,)]),
        "text": lambda: flow.switch_case(one, [("a", lambda: one)]),
    }
    return {
        "weight": [weight.numpy(), weight.stop_gradient],
        "total": [total.numpy(), total.persistable],
        "accuracy": static.accuracy(scores, labels).numpy(),
        "refused": {key: error_of(call) for key, call in refused.items()},
    }


@program
def lists_of_computed_values(paddle, np):
    """to_tensor of lists that hold values of a whole graph."""

    def corners(x):
        lists = [[x[0, 0], 0.5], [[x[0, 0], x[0, 1]], [x[1, 0], x[1, 1] * 2]]]
        return [paddle.to_tensor(each) for each in [*lists, [x.shape[0], x.argmax()]]]

    marked = _marked(paddle, corners, full_graph=True)
    found = marked(paddle.to_tensor([[1.0, 2.0], [3.0, 4.0]]))
    return [[each.numpy(), str(each.dtype), each.stop_gradient] for each in found]


@program
def sizes_of_a_shape_in_a_whole_graph(paddle, np):
    """paddle.shape and numel give sizes, indices and numbers, and can be computed with."""
    F = paddle.nn.functional

    def sizes(x):
        n, c, h, w = paddle.shape(x)
        return {
            "reshape": paddle.reshape(x, [n, c, h * w]),
            "zeros": paddle.zeros([n, 2]),
            "shape": paddle.zeros(paddle.shape(x)[:2] * 2),
            "numel": paddle.ones([paddle.numel(x) // 16]),
            "arange": paddle.arange(w),
            "expand": paddle.expand(x[:1], paddle.shape(x)),
            "slice": x[:, : c - 1, : int(h) - 1],
            "interpolate": F.interpolate(x, size=paddle.shape(x)[2:] * 2),
            "number": x / c,
        }

    x = paddle.arange(24, dtype="float32").reshape([1, 2, 3, 4])
    x.stop_gradient = False
    marked = _marked(paddle, sizes, full_graph=True)
    found = marked(x)
    (found["slice"].sum() + found["number"].sum()).backward()
    other = marked(paddle.ones([2, 1, 2, 2]))
    return {
        "values": {key: value.numpy() for key, value in found.items()},
        "grad": x.grad.numpy(),
        "other": {key: list(value.numpy().shape) for key, value in other.items()},
    }
