"""The optimizers that adapt their steps: parameters over 12 steps in several settings, state."""

from ..probe import attempt, names
from ..registry import program

STEPS = {"rtol": 1e-5, "reason": "a float32 step multiplies in another order in the two"}
COUNT = 12


def _parameters(paddle, np, dtype="float32", count=2):
    """Returns parameters of fixed values and shapes."""
    r = np.random.default_rng(82)
    made = []
    for k in range(count):
        values = r.normal(size=(3, k + 2)).astype(dtype)
        initializer = paddle.nn.initializer.Assign(values)
        made.append(
            paddle.create_parameter(list(values.shape), dtype, default_initializer=initializer)
        )
    return made


def _gradients(np, parameters, k):
    """Returns the gradients of step k: drawn, so that neither library's backward matters."""
    r = np.random.default_rng(1000 + k)
    return [r.normal(size=p.shape) for p in parameters]


def _steps(paddle, np, optimizer, parameters, steps=COUNT, scheduler=None):
    """Returns the parameters after each of some steps."""
    seen = []
    for k in range(steps):
        for p, grad in zip(parameters, _gradients(np, parameters, k), strict=True):
            p.grad = paddle.to_tensor(grad.astype(str(p.dtype).rpartition(".")[2]))
        optimizer.step()
        if scheduler is not None:
            scheduler.step()
        seen.append([p.numpy() for p in parameters])
    return seen


def _state(optimizer):
    """Returns the names, shapes, dtypes and values of a state dict."""
    state = {k: v for k, v in optimizer.state_dict().items() if hasattr(v, "numpy")}
    return [
        names(list(state)),
        [list(v.shape) for v in state.values()],
        [str(v.dtype) for v in state.values()],
        [v.numpy() for v in state.values()],
    ]


def _compare(paddle, np, makers):
    """Returns the steps and state of each maker, in float32 and float64."""
    out = {}
    for text, maker in makers.items():
        for dtype in ("float32", "float64"):
            parameters = _parameters(paddle, np, dtype)
            optimizer = maker(paddle.optimizer, parameters)
            out[f"{text} {dtype}"] = _steps(paddle, np, optimizer, parameters)
            out[f"{text} {dtype} state"] = _state(optimizer)
    return out


@program(**STEPS)
def nadam_steps(paddle, np):
    """NAdam: defaults, other numbers, decay, clipping."""
    clip = paddle.nn.ClipGradByGlobalNorm(1.0)
    return _compare(
        paddle,
        np,
        {
            "plain": lambda o, p: o.NAdam(0.01, parameters=p),
            "numbers": lambda o, p: o.NAdam(0.01, 0.8, 0.9, 1e-3, 0.5, p),
            "decay": lambda o, p: o.NAdam(0.01, parameters=p, weight_decay=0.1, grad_clip=clip),
        },
    )


@program(**STEPS)
def radam_steps(paddle, np):
    """RAdam: both branches of its rule, decay."""
    return _compare(
        paddle,
        np,
        {
            "plain": lambda o, p: o.RAdam(0.01, parameters=p),
            "short memory": lambda o, p: o.RAdam(0.01, 0.8, 0.9, 1e-3, p),
            "no length": lambda o, p: o.RAdam(0.01, 0.8, 0.5, parameters=p),
            "decay": lambda o, p: o.RAdam(
                0.01, parameters=p, weight_decay=paddle.regularizer.L1Decay(0.1)
            ),
        },
    )


@program(**STEPS)
def adamax_steps(paddle, np):
    """Adamax: defaults, other numbers, decay."""
    return _compare(
        paddle,
        np,
        {
            "plain": lambda o, p: o.Adamax(0.01, parameters=p),
            "numbers": lambda o, p: o.Adamax(0.01, 0.8, 0.7, 1e-2, p),
            "decay": lambda o, p: o.Adamax(0.01, parameters=p, weight_decay=0.1),
        },
    )


@program(**STEPS)
def adagrad_steps(paddle, np):
    """Adagrad: defaults, where the sum begins, decay, clipping by value."""
    clip = paddle.nn.ClipGradByValue(0.5)
    return _compare(
        paddle,
        np,
        {
            "plain": lambda o, p: o.Adagrad(0.01, parameters=p),
            "begins": lambda o, p: o.Adagrad(
                0.01, 1e-2, parameters=p, initial_accumulator_value=0.3
            ),
            "decay": lambda o, p: o.Adagrad(0.01, parameters=p, weight_decay=0.1, grad_clip=clip),
        },
    )


@program(**STEPS)
def adadelta_steps(paddle, np):
    """Adadelta: defaults, other numbers, decay."""
    return _compare(
        paddle,
        np,
        {
            "plain": lambda o, p: o.Adadelta(parameters=p),
            "numbers": lambda o, p: o.Adadelta(0.5, 1e-2, 0.7, p),
            "decay": lambda o, p: o.Adadelta(0.5, parameters=p, weight_decay=0.1),
        },
    )


@program(**STEPS)
def rmsprop_steps(paddle, np):
    """RMSProp: plain, with momentum, centered, decay."""
    return _compare(
        paddle,
        np,
        {
            "plain": lambda o, p: o.RMSProp(0.01, parameters=p),
            "momentum": lambda o, p: o.RMSProp(0.01, 0.8, 1e-2, 0.6, parameters=p),
            "centered": lambda o, p: o.RMSProp(0.01, 0.8, 1e-2, 0.6, True, p),
            "decay": lambda o, p: o.RMSProp(0.01, centered=True, parameters=p, weight_decay=0.1),
        },
    )


@program(**STEPS)
def rprop_steps(paddle, np):
    """Rprop: rates that grow, shrink and reach the ends of their range; clipping."""
    clip = paddle.nn.ClipGradByGlobalNorm(0.5)
    return _compare(
        paddle,
        np,
        {
            "plain": lambda o, p: o.Rprop(0.01, parameters=p),
            "range": lambda o, p: o.Rprop(0.01, (0.008, 0.02), p, (0.6, 1.5)),
            "clip": lambda o, p: o.Rprop(0.01, parameters=p, grad_clip=clip),
        },
    )


@program(**STEPS)
def asgd_steps(paddle, np):
    """ASGD: one batch, several, more batches than steps; decay."""
    return _compare(
        paddle,
        np,
        {
            "one": lambda o, p: o.ASGD(0.01, parameters=p),
            "five": lambda o, p: o.ASGD(0.01, 5, p),
            "many": lambda o, p: o.ASGD(0.01, 20, p, weight_decay=0.1),
        },
    )


@program(**STEPS)
def lamb_steps(paddle, np):
    """Lamb: defaults, no decay, always adapting, parameters left out of decay."""
    return _compare(
        paddle,
        np,
        {
            "plain": lambda o, p: o.Lamb(0.01, parameters=p),
            "numbers": lambda o, p: o.Lamb(0.01, 0.3, 0.8, 0.9, 1e-3, p),
            "none": lambda o, p: o.Lamb(0.01, 0.0, parameters=p),
            "always": lambda o, p: o.Lamb(0.01, 0.0, parameters=p, always_adapt=True),
            "some": lambda o, p: o.Lamb(
                0.01,
                0.3,
                parameters=p,
                exclude_from_weight_decay_fn=lambda q, n=p[0].name: q.name == n,
            ),
        },
    )


@program(**STEPS)
def adaptive_groups(paddle, np):
    """Parameter groups with numbers of their own, for each optimizer that has some."""
    options = {
        "NAdam": {"beta1": 0.8, "beta2": 0.9, "momentum_decay": 0.3},
        "RAdam": {"beta1": 0.8, "beta2": 0.9, "epsilon": 1e-2},
        "Adamax": {"beta1": 0.7, "epsilon": 1e-2},
        "Adagrad": {"epsilon": 0.1, "initial_accumulator_value": 0.5},
        "Adadelta": {"rho": 0.5, "epsilon": 1e-2},
        "RMSProp": {"rho": 0.5, "momentum": 0.5, "centered": True},
        "Lamb": {"lamb_weight_decay": 0.2, "beta1": 0.5},
        "ASGD": {},
        "Rprop": {},
    }
    out = {}
    for name, own in options.items():
        p, q = _parameters(paddle, np)
        decay = {} if name in ("Rprop", "Lamb") else {"weight_decay": 0.05}
        group = {"params": [p], "learning_rate": 0.5, "weight_decay": 0.2, **own}
        optimizer = getattr(paddle.optimizer, name)(
            learning_rate=0.01, parameters=[group, {"params": [q]}], **decay
        )
        out[name] = _steps(paddle, np, optimizer, [p, q])
    return out


@program(**STEPS)
def adaptive_schedules(paddle, np):
    """A scheduler, a parameter's own rate and regularizer, a parameter without gradients."""
    out = {}
    for name in ("NAdam", "RAdam", "Adamax", "Adagrad", "Adadelta", "RMSProp", "ASGD", "Lamb"):
        parameters = _parameters(paddle, np)
        parameters[0].optimize_attr["learning_rate"] = 0.5
        parameters[1].regularizer = paddle.regularizer.L2Decay(0.2)
        idle = _parameters(paddle, np, count=1)
        scheduler = paddle.optimizer.lr.StepDecay(0.02, step_size=3, gamma=0.5)
        optimizer = getattr(paddle.optimizer, name)(scheduler, parameters=parameters + idle)
        out[name] = [
            _steps(paddle, np, optimizer, parameters, scheduler=scheduler),
            idle[0].numpy(),
            sorted(k for k in optimizer.state_dict() if "_" not in k or k == "LR_Scheduler"),
        ]
    return out


@program
def adaptive_arguments(paddle, np):
    """What the constructors refuse."""
    o, p = paddle.optimizer, _parameters(paddle, np)
    return {
        "nadam beta": attempt(lambda: o.NAdam(0.1, beta1=1.0, parameters=p)),
        "nadam rate": attempt(lambda: o.NAdam(-0.1, parameters=p)),
        "nadam decay": attempt(lambda: o.NAdam(0.1, momentum_decay=-1.0, parameters=p)),
        "radam epsilon": attempt(lambda: o.RAdam(0.1, epsilon=-1.0, parameters=p)),
        "radam beta": attempt(lambda: o.RAdam(0.1, beta2=-0.5, parameters=p)),
        "adamax": attempt(lambda: o.Adamax(0.1, beta2=1.5, parameters=p)),
        "adadelta": attempt(lambda: o.Adadelta(0.1, rho=None, parameters=p)),
        "rmsprop none": attempt(lambda: o.RMSProp(0.1, rho=None, parameters=p)),
        "rmsprop": attempt(lambda: o.RMSProp(0.1, momentum=-0.5, parameters=p)),
        "rprop range": attempt(lambda: o.Rprop(0.1, (0.2, 0.3), p))["error"],
        "rprop etas": attempt(lambda: o.Rprop(0.1, parameters=p, etas=(1.0, 1.2)))["error"],
        "rprop scheduler": attempt(lambda: o.Rprop(o.lr.NoamDecay(4, 9), parameters=p))["error"],
        "asgd none": attempt(lambda: o.ASGD(0.1, None, p)),
        "asgd": attempt(lambda: o.ASGD(0.1, 0, p)),
        "rate": attempt(lambda: o.NAdam(paddle.to_tensor(0.1), parameters=p))["error"],
        "int": attempt(lambda: o.Adagrad(1, parameters=p))["error"],
        "no parameters": attempt(lambda: o.Lamb(0.1))["error"],
    }
