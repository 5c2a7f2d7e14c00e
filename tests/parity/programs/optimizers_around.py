"""LBFGS, and what stands around other optimizers: LookAhead, ModelAverage."""

from ..probe import attempt, names
from ..registry import differs, exchange, program

STEPS = {"rtol": 1e-4, "reason": "a quasi-Newton step divides small differences of float32 numbers"}


def _weight(paddle, np, values):
    values = np.asarray(values, "float32")
    return paddle.create_parameter(
        list(values.shape),
        "float32",
        default_initializer=paddle.nn.initializer.Assign(values),
    )


def _bowl(paddle, np, w):
    """Returns a convex loss of two elements that is no parabola."""
    matrix = paddle.to_tensor(np.float32([[3, 1], [1, 2]]))
    pull = paddle.to_tensor(np.float32([1, -2]))
    return 0.5 * (w * paddle.matmul(matrix, w)).sum() - (pull * w).sum() + (w**4).sum() * 0.1


def _valley(paddle, np, w):
    """Returns the banana-shaped loss of Rosenbrock."""
    return (1 - w[0]) ** 2 + 100 * (w[1] - w[0] ** 2) ** 2


def _closure(paddle, np, optimizer, loss, w):
    def closure():
        optimizer.clear_grad()
        value = loss(paddle, np, w)
        value.backward()
        return value

    return closure


def _minimized(paddle, np, loss, start, steps=5, **options):
    """Returns losses, parameters and evaluations of some steps of LBFGS."""
    w = _weight(paddle, np, start)
    optimizer = paddle.optimizer.LBFGS(parameters=[w], **options)
    closure = _closure(paddle, np, optimizer, loss, w)
    seen = []
    for _ in range(steps):
        value = float(optimizer.step(closure))
        state = optimizer.state_dict()["state"]
        seen.append([value, w.numpy(), state["func_evals"], state["n_iter"]])
    return seen


@program(**STEPS)
def lbfgs_steps(paddle, np):
    """LBFGS with and without line search, a short history, few evaluations, tolerances."""
    wolfe = {"line_search_fn": "strong_wolfe"}
    start = [4.0, -3.0]
    run = _minimized
    return {
        "plain": run(paddle, np, _bowl, start, learning_rate=0.5, max_iter=4),
        "wolfe": run(paddle, np, _bowl, start, max_iter=3, **wolfe),
        "valley": run(paddle, np, _valley, [-1.2, 1.0], 3, max_iter=4, **wolfe),
        "history": run(paddle, np, _valley, [-1.2, 1.0], 3, max_iter=4, history_size=2, **wolfe),
        "evaluations": run(paddle, np, _bowl, start, max_iter=10, max_eval=4, **wolfe),
        "gradient": run(paddle, np, _bowl, start, max_iter=10, tolerance_grad=0.5, **wolfe),
        "change": run(paddle, np, _bowl, start, max_iter=10, tolerance_change=0.3, **wolfe),
        "at the minimum": run(paddle, np, lambda p, n, w: (w * w).sum(), [0.0, 0.0], 2, **wolfe),
    }


@program(**STEPS)
def lbfgs_of_two_parameters(paddle, np):
    """Several shapes, one without a gradient; the state's keys and values."""
    r = np.random.default_rng(84)
    first, second = _weight(paddle, np, r.normal(size=(3, 2))), _weight(paddle, np, [0.5])
    idle = _weight(paddle, np, [7.0])
    x = paddle.to_tensor(r.normal(size=(6, 3)).astype("float32"))
    y = paddle.to_tensor(r.normal(size=(6, 2)).astype("float32"))
    optimizer = paddle.optimizer.LBFGS(
        0.3, max_iter=3, history_size=4, parameters=[first, second, idle]
    )

    def closure():
        optimizer.clear_grad()
        loss = ((paddle.matmul(x, first) + second - y) ** 2).mean()
        loss.backward()
        return loss

    losses = [float(optimizer.step(closure)) for _ in range(3)]
    state = optimizer.state_dict()["state"]
    return {
        "losses": losses,
        "values": [p.numpy() for p in (first, second, idle)],
        "keys": sorted(state),
        "lengths": [len(state[k]) for k in ("old_yk", "old_sk", "ro", "al")],
        "direction": [state["d"].numpy(), state["alpha"], state["prev_flat_grad"].numpy()],
        "scale": [float(state["H_diag"]), state["prev_loss"]],
        "steps": [s.numpy() for s in state["old_sk"]],
    }


@program
def lbfgs_refuses(paddle, np):
    """minimize, and another line search."""
    w = _weight(paddle, np, [1.0])
    optimizer = paddle.optimizer.LBFGS(parameters=[w])
    return {
        "minimize": attempt(lambda: optimizer.minimize(w.sum()))["error"],
        "parameters": attempt(lambda: paddle.optimizer.LBFGS())["error"],
        "no closure": attempt(lambda: optimizer.step())["error"],
    }


@differs(
    "the constructor takes weight_decay, and no step looks at it",
    right=[True, True],
    paddle_gives=[False, False],
)
def lbfgs_decays(paddle, np):
    """A penalty moves the minimum of (w - 1)^2 from 1 to 1 / (1 + decay / 2)."""
    found = []
    for decay in (2.0, paddle.regularizer.L2Decay(2.0)):
        w = _weight(paddle, np, [3.0])
        optimizer = paddle.optimizer.LBFGS(parameters=[w], weight_decay=decay)
        loss = lambda p, n, w: ((w - 1) ** 2).sum()  # noqa: E731
        for _ in range(3):
            optimizer.step(_closure(paddle, np, optimizer, loss, w))
        found.append(bool(abs(w.numpy()[0] - 0.5) < 1e-4))
    return found


@differs(
    "the parameters of every group but the last are forgotten",
    right=[True, True],
    paddle_gives=[False, True],
)
def lbfgs_groups(paddle, np):
    """Both groups reach their minimum."""
    v, w = _weight(paddle, np, [3.0]), _weight(paddle, np, [3.0])
    optimizer = paddle.optimizer.LBFGS(parameters=[{"params": [v]}, {"params": [w]}])
    loss = lambda p, n, w: ((w - 1) ** 2).sum() + ((v - 1) ** 2).sum()  # noqa: E731
    optimizer.step(_closure(paddle, np, optimizer, loss, w))
    return [bool(abs(p.numpy()[0] - 1) < 1e-4) for p in (v, w)]


@differs(
    "set_state_dict keeps nothing: the history starts anew",
    right=[True, 6],
    paddle_gives=[False, 3],
)
def lbfgs_state_is_restored(paddle, np):
    """A second optimizer that loads the state of the first makes the steps the first one makes."""
    w, other = _weight(paddle, np, [-1.2, 1.0]), _weight(paddle, np, [0.0, 0.0])
    first, second = (
        paddle.optimizer.LBFGS(
            max_iter=3, max_eval=99, parameters=[p], line_search_fn="strong_wolfe"
        )
        for p in (w, other)
    )
    first.step(_closure(paddle, np, first, _valley, w))
    other.set_value(w.numpy())
    second.set_state_dict(first.state_dict())
    first.step(_closure(paddle, np, first, _valley, w))
    second.step(_closure(paddle, np, second, _valley, other))
    same = bool(np.allclose(w.numpy(), other.numpy(), rtol=1e-6))
    return [same, second.state_dict()["state"]["n_iter"]]


def write_an_lbfgs(paddle, np, folder):
    """Saves the state of an LBFGS after a step."""
    w = _weight(paddle, np, [-1.2, 1.0])
    optimizer = paddle.optimizer.LBFGS(max_iter=4, parameters=[w], line_search_fn="strong_wolfe")
    optimizer.step(_closure(paddle, np, optimizer, _valley, w))
    paddle.save(optimizer.state_dict(), str(folder / "lbfgs.pdopt"))


@exchange(write_an_lbfgs)
def read_an_lbfgs(paddle, np, folder):
    """Loads it: the same keys and values; a new optimizer takes it."""
    loaded = paddle.load(str(folder / "lbfgs.pdopt"))
    state = loaded["state"]
    w = _weight(paddle, np, [-1.2, 1.0])
    paddle.optimizer.LBFGS(parameters=[w]).set_state_dict(loaded)
    return {
        "keys": sorted(state),
        "counts": [state["func_evals"], state["n_iter"], len(state["old_sk"])],
        "values": [np.round(state[k].numpy(), 3) for k in ("d", "H_diag")],
    }


@program
def looking_ahead(paddle, np):
    """LookAhead around two optimizers: parameters over ten steps, the slow weights."""
    out = {}
    for name, k in (("SGD", 3), ("Adam", 1), ("Momentum", 4)):
        p, q = _weight(paddle, np, [1.0, -2.0]), _weight(paddle, np, [[3.0], [0.5]])
        inner = getattr(paddle.optimizer, name)(learning_rate=0.01, parameters=[p, q])
        optimizer = paddle.incubate.LookAhead(inner, alpha=0.3, k=k)
        seen = []
        for _ in range(10):
            ((p * p).sum() + (q**4).sum()).backward()
            optimizer.step()
            optimizer.clear_grad()
            seen.append([p.numpy(), q.numpy()])
        state = optimizer.state_dict()
        out[name] = [seen, names(list(state)), [v.numpy() for v in state.values()]]
    return out


@program
def looking_ahead_arguments(paddle, np):
    """minimize; what the constructor refuses."""
    p = _weight(paddle, np, [1.0, -2.0])
    inner = paddle.optimizer.SGD(0.1, parameters=[p])
    optimizer = paddle.incubate.optimizer.LookAhead(inner, alpha=0.5, k=2)
    for _ in range(4):
        loss = (p * p).sum()
        loss.backward()
        optimizer.minimize(loss)
        optimizer.clear_grad()
    look = paddle.incubate.LookAhead
    return {
        "minimized": p.numpy(),
        "rate": [optimizer.get_lr(), optimizer.alpha, optimizer.k],
        "none": attempt(lambda: look(None)),
        "alpha": attempt(lambda: look(inner, alpha=1.5)),
        "k": attempt(lambda: look(inner, k=0)),
        "float k": attempt(lambda: look(inner, k=2.0)),
    }


@differs(
    "the slow weight of a parameter whose gradients begin late starts at 0, not at the parameter",
    right=[4.0],
    paddle_gives=[2.0],
)
def looking_ahead_late(paddle, np):
    """Gradients of one parameter begin at the second step; its rate is 0, so it stays."""
    p, late = _weight(paddle, np, [1.0]), _weight(paddle, np, [4.0])
    late.optimize_attr["learning_rate"] = 0.0
    inner = paddle.optimizer.SGD(0.1, parameters=[p, late])
    optimizer = paddle.incubate.LookAhead(inner, alpha=0.5, k=2)
    for k in range(2):
        (p.sum() + (late.sum() if k else 0.0)).backward()
        optimizer.step()
        optimizer.clear_grad(set_to_zero=False)
    return late.tolist()


@program
def averaging_a_model(paddle, np):
    """ModelAverage: windows that end, apply and restore, the state."""
    out = {}
    for text, window in {
        "short": (0.5, 2, 4),
        "long": (1.0, 3, 100),
        "all": (0.5, 50, 100),
    }.items():
        p, q = _weight(paddle, np, [1.0, -2.0]), _weight(paddle, np, [[3.0]])
        sgd = paddle.optimizer.SGD(0.1, parameters=[p, q])
        average = paddle.incubate.ModelAverage(
            window[0], parameters=[p, q], min_average_window=window[1], max_average_window=window[2]
        )
        seen = []
        for _ in range(12):
            ((p * p).sum() + (q * q).sum()).backward()
            sgd.step()
            average.step()
            sgd.clear_grad()
            with average.apply():
                seen.append([p.numpy(), q.numpy()])
            seen.append([p.numpy(), q.numpy()])
        with average.apply(need_restore=False):
            pass
        kept = p.numpy()
        average.restore()
        state = average.state_dict()
        out[text] = [seen, kept, p.numpy(), names(list(state)), [v.numpy() for v in state.values()]]
    return out


@differs(
    "the mean of no steps is 0 / 0",
    right=[[4.0], [4.0]],
    paddle_gives=[[float("nan")], [4.0]],
)
def averaging_what_has_no_gradient(paddle, np):
    """A parameter that never had a gradient keeps its value."""
    p, idle = _weight(paddle, np, [1.0]), _weight(paddle, np, [4.0])
    average = paddle.incubate.ModelAverage(0.5, parameters=[p, idle])
    p.sum().backward()
    average.step()
    with average.apply():
        inside = idle.tolist()
    return [inside, idle.tolist()]


@differs(
    "Momentum applies the L1 decay of all groups to a group with a decay of its own as well",
    right=2.85,
    paddle_gives=2.845,
)
def decay_of_one_group_of_momentum(paddle, np):
    """3 - 0.1 * (0.5 * 3): the decay of the group replaces that of the optimizer."""
    weight, bias = (paddle.create_parameter([1], "float32") for _ in range(2))
    bias.set_value(np.array([3.0], dtype="float32"))
    optimizer = paddle.optimizer.Momentum(
        learning_rate=0.1,
        momentum=0.0,
        parameters=[{"params": [weight]}, {"params": [bias], "weight_decay": 0.5}],
        weight_decay=paddle.regularizer.L1Decay(0.05),
    )
    (weight + bias * 0.0).sum().backward()
    optimizer.step()
    return round(bias.item(), 5)


def _three_steps(paddle, np, make):
    w = _weight(paddle, np, [1.0])
    optimizer = make([w])
    for _ in range(3):
        (w * 3.0).sum().backward()
        optimizer.step()
        optimizer.clear_grad()
    return round(w.item(), 4)


@differs(
    "Paddle's CPU ignores rescale_grad",
    right=[0.55, 0.1585],
    paddle_gives=[0.1, -0.683],
)
def rescaled_gradients_of_momentum(paddle, np):
    """Three steps by 0.1 with gradients of 3, halved."""
    momentum = paddle.optimizer.Momentum
    return [
        _three_steps(paddle, np, lambda w, mu=mu: momentum(0.1, mu, w, rescale_grad=0.5))
        for mu in (0.0, 0.9)
    ]


@differs(
    "Paddle starts the powers of betas that are tensors at 0.9 and 0.999",
    right=[0.7, 0.7],
    paddle_gives=[0.7748, 0.7],
)
def betas_that_are_tensors(paddle, np):
    """Adam with betas of 0.7 and 0.8, as tensors and as numbers."""
    adam = paddle.optimizer.Adam
    return [
        _three_steps(paddle, np, lambda w, betas=betas: adam(0.1, *betas, parameters=w))
        for betas in ((paddle.to_tensor(0.7), paddle.to_tensor(0.8)), (0.7, 0.8))
    ]


@program
def lars_momentum_steps(paddle, np):
    """Defaults, other numbers, no decay, zeros, names without decay, an L2 decay and a clip."""
    lars = paddle.incubate.optimizer.LarsMomentumOptimizer
    forms = {
        "plain": {},
        "numbers": {"lars_coeff": 0.1, "lars_weight_decay": 0.2, "epsilon": 1.0},
        "rescaled": {"lars_coeff": 0.1, "rescale_grad": 0.5},
        "no decay": {"lars_weight_decay": 0.0},
        "excluded": {"exclude_from_weight_decay": ["create_parameter"]},
        "decay": {"regularization": paddle.regularizer.L2Decay(0.5)},
        "clip": {"grad_clip": paddle.nn.ClipGradByNorm(0.5)},
    }
    found = {}
    for key, more in forms.items():
        w, zeros = _weight(paddle, np, [1.0, -2.0]), _weight(paddle, np, [0.0, 0.0])
        optimizer = lars(0.5, 0.9, parameter_list=[w, zeros], **more)
        values = []
        for _ in range(3):
            (w * w * 0.5 + zeros * 3.0).sum().backward()
            optimizer.step()
            optimizer.clear_grad()
            values += [w.numpy(), zeros.numpy()]
        found[key] = values
    return {**found, "keys": names(list(optimizer.state_dict()))}


@program
def clips_without_gradients(paddle, np):
    """Parameters without gradients: one of the three clips returns the pairs as they are."""
    layer, clips = paddle.nn.Linear(1, 2), paddle.nn.clip
    bias = (layer.bias, paddle.to_tensor([3.0, 4.0]))
    found = []
    for clip in (
        clips.ClipGradByGlobalNorm(1.0),
        clips.ClipGradByNorm(1.0),
        clips.ClipGradByValue(1.0),
    ):
        none = [(parameter, None) for parameter in layer.parameters()]
        found.append([clip([]), [grad for _, grad in clip(none)], len(clip([none[0], bias]))])
    return found


@program
def types_of_optimizers(paddle, np):
    """Optimizers name the op of their steps; LBFGS, which has none, does not."""
    names = "SGD Momentum Adam AdamW Adamax Adagrad Adadelta RMSProp Lamb NAdam RAdam ASGD Rprop"
    found = {}
    for name in f"{names} LBFGS".split():
        options = {"batch_num": 1} if name == "ASGD" else {}
        if name in ("RMSProp", "Adagrad"):
            options = {"learning_rate": 0.1}
        layer = paddle.nn.Linear(1, 1)
        made = getattr(paddle.optimizer, name)(parameters=layer.parameters(), **options)
        found[name] = getattr(made, "type", None)
    return found
