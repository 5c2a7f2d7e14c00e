"""Optimizers: parameters over several steps, groups, weight decay, clipping, state, names."""

from ..probe import array, attempt, error_of, names
from ..registry import program

STEPS = {"rtol": 5e-5, "reason": "a float32 step multiplies in another order in the two"}


def _parameters(paddle, np, count=2):
    """Returns parameters of fixed values and shapes."""
    r = np.random.default_rng(81)
    made = []
    for k in range(count):
        values = r.normal(size=(3, k + 2)).astype("float32")
        made.append(
            paddle.create_parameter(
                list(values.shape),
                "float32",
                default_initializer=paddle.nn.initializer.Assign(values),
            )
        )
    return made


def _loss(paddle, parameters, k):
    total = parameters[0].sum() * 0
    for weight, p in enumerate(parameters):
        total = total + ((p - 0.3 * k) ** 2 * (weight + 1)).sum() + paddle.sin(p).sum()
    return total


def _train(paddle, parameters, optimizer, steps=5):
    """Returns the losses and parameters after some steps on a loss that depends on the step."""
    losses = []
    for k in range(steps):
        loss = _loss(paddle, parameters, k)
        loss.backward()
        optimizer.step()
        optimizer.clear_grad()
        losses.append(float(loss))
    return [losses, [p.numpy() for p in parameters]]


def _compare(paddle, np, makers):
    out = {}
    for text, maker in makers.items():
        parameters = _parameters(paddle, np)
        out[text] = _train(paddle, parameters, maker(paddle.optimizer, parameters))
    return out


@program(**STEPS)
def sgd_steps(paddle, np):
    """SGD, alone and with weight decay."""
    return _compare(
        paddle,
        np,
        {
            "plain": lambda o, p: o.SGD(learning_rate=0.05, parameters=p),
            "decay": lambda o, p: o.SGD(learning_rate=0.05, parameters=p, weight_decay=0.1),
            "L2": lambda o, p: o.SGD(
                0.05, parameters=p, weight_decay=paddle.regularizer.L2Decay(0.1)
            ),
            "L1": lambda o, p: o.SGD(
                0.05, parameters=p, weight_decay=paddle.regularizer.L1Decay(0.1)
            ),
        },
    )


@program(**STEPS)
def momentum_steps(paddle, np):
    """Momentum, Nesterov's, weight decay."""
    return _compare(
        paddle,
        np,
        {
            "plain": lambda o, p: o.Momentum(learning_rate=0.02, momentum=0.9, parameters=p),
            "nesterov": lambda o, p: o.Momentum(
                learning_rate=0.02, parameters=p, use_nesterov=True
            ),
            "decay": lambda o, p: o.Momentum(learning_rate=0.02, parameters=p, weight_decay=0.05),
        },
    )


@program(**STEPS)
def adam_steps(paddle, np):
    """Adam with its defaults, other betas, epsilon, weight decay."""
    return _compare(
        paddle,
        np,
        {
            "plain": lambda o, p: o.Adam(learning_rate=0.05, parameters=p),
            "betas": lambda o, p: o.Adam(0.05, beta1=0.8, beta2=0.9, epsilon=1e-4, parameters=p),
            "decay": lambda o, p: o.Adam(0.05, parameters=p, weight_decay=0.1),
            "amsgrad": lambda o, p: o.Adam(0.05, parameters=p, amsgrad=True),
        },
    )


@program(**STEPS)
def adamw_steps(paddle, np):
    """AdamW: decoupled decay, its default, which parameters decay."""
    return _compare(
        paddle,
        np,
        {
            "plain": lambda o, p: o.AdamW(learning_rate=0.05, parameters=p),
            "decay": lambda o, p: o.AdamW(0.05, parameters=p, weight_decay=0.2),
            "some": lambda o, p: o.AdamW(
                0.05,
                parameters=p,
                weight_decay=0.5,
                apply_decay_param_fun=lambda name, n=p[0].name: name == n,
            ),
        },
    )


@program(**STEPS)
def parameter_groups(paddle, np):
    """Groups with their own learning rate factor and weight decay."""
    return _compare(
        paddle,
        np,
        {
            "adam": lambda o, p: o.Adam(
                learning_rate=0.05,
                parameters=[
                    {"params": [p[0]], "learning_rate": 0.1, "weight_decay": 0.3},
                    {"params": [p[1]]},
                ],
                weight_decay=0.01,
            ),
            "sgd": lambda o, p: o.SGD(
                learning_rate=0.05,
                parameters=[{"params": [p[0]]}, {"params": [p[1]], "learning_rate": 0.5}],
            ),
            "adamw": lambda o, p: o.AdamW(
                learning_rate=0.05,
                parameters=[{"params": [p[0]], "weight_decay": 0.0}, {"params": [p[1]]}],
            ),
        },
    )


@program(**STEPS)
def gradient_clipping(paddle, np):
    """Clip by value, by norm, by global norm; a parameter that is not clipped."""
    nn = paddle.nn
    out = {}
    for text, clip in {
        "value": nn.ClipGradByValue(max=0.5),
        "bounds": nn.ClipGradByValue(max=1.0, min=-0.25),
        "norm": nn.ClipGradByNorm(1.0),
        "global": nn.ClipGradByGlobalNorm(1.0),
        "not reached": nn.ClipGradByGlobalNorm(1e6),
    }.items():
        parameters = _parameters(paddle, np)
        parameters[1].need_clip = text != "global"
        optimizer = paddle.optimizer.SGD(0.1, parameters=parameters, grad_clip=clip)
        out[text] = _train(paddle, parameters, optimizer, steps=3)
    return out


@program(**STEPS)
def clipping_functions(paddle, np):
    """clip_grad_norm_ and clip_grad_value_ change the gradients and return the norm."""
    parameters = _parameters(paddle, np)
    _loss(paddle, parameters, 1).backward()
    norm = paddle.nn.utils.clip_grad_norm_(parameters, 1.0)
    clipped = [p.grad.numpy() for p in parameters]
    paddle.nn.utils.clip_grad_value_(parameters, 0.1)
    return [norm.numpy(), clipped, [p.grad.numpy() for p in parameters]]


@program
def state_of_optimizers(paddle, np):
    """The keys, shapes and values of state_dict after two steps."""
    out = {}
    for name in ("SGD", "Momentum", "Adam", "AdamW"):
        parameters = _parameters(paddle, np)
        optimizer = getattr(paddle.optimizer, name)(learning_rate=0.1, parameters=parameters)
        _train(paddle, parameters, optimizer, steps=2)
        state = optimizer.state_dict()
        plain = {k: v for k, v in state.items() if hasattr(v, "numpy")}
        out[name] = [
            names(list(plain)),
            [list(v.shape) for v in plain.values()],
            [v.numpy() for v in plain.values()],
            [k for k in state if k not in plain],
        ]
    return out


@program(**STEPS)
def restoring_an_optimizer(paddle, np):
    """A run taken back to an earlier state repeats itself."""
    parameters = _parameters(paddle, np)
    scheduler = paddle.optimizer.lr.ExponentialDecay(0.1, gamma=0.9)
    optimizer = paddle.optimizer.Adam(scheduler, parameters=parameters)
    _train(paddle, parameters, optimizer, steps=3)
    scheduler.step()
    values = [p.numpy() for p in parameters]
    state = {
        k: paddle.to_tensor(v.numpy()) if hasattr(v, "numpy") else v
        for k, v in optimizer.state_dict().items()
    }
    once = _train(paddle, parameters, optimizer, steps=3)
    for parameter, value in zip(parameters, values, strict=True):
        parameter.set_value(value)
    optimizer.set_state_dict(state)
    return [
        once,
        _train(paddle, parameters, optimizer, steps=3),
        state["LR_Scheduler"]["last_epoch"],
    ]


@program
def what_an_optimizer_leaves_alone(paddle, np):
    """Frozen parameters and those without a gradient; clear_grad to zero and None; minimize."""
    p, q, frozen = _parameters(paddle, np, 3)
    frozen.stop_gradient = True
    optimizer = paddle.optimizer.SGD(0.1, parameters=[p, q, frozen])
    before = [t.numpy() for t in (q, frozen)]
    (p * 2).sum().backward()
    optimizer.step()
    same = [bool((t.numpy() == b).all()) for t, b in zip((q, frozen), before, strict=True)]
    optimizer.clear_grad()
    zero = array(p.grad)
    optimizer.clear_grad(False)
    none = array(p.grad)
    loss = (p * p).sum()
    loss.backward()
    optimizer.minimize(loss)
    return [same, zero, none, p.numpy(), p.is_leaf, p.stop_gradient]


@program
def learning_rates(paddle, np):
    """get_lr and set_lr, a learning rate that a scheduler rules."""
    parameters = _parameters(paddle, np)
    optimizer = paddle.optimizer.SGD(0.1, parameters=parameters)
    seen = [optimizer.get_lr()]
    optimizer.set_lr(0.5)
    seen.append(optimizer.get_lr())
    scheduler = paddle.optimizer.lr.StepDecay(0.4, step_size=1, gamma=0.5)
    ruled = paddle.optimizer.SGD(scheduler, parameters=parameters)
    seen.append(ruled.get_lr())
    scheduler.step()
    seen.append(ruled.get_lr())
    return {
        "seen": seen,
        "refused": attempt(lambda: ruled.set_lr(0.1))["error"],
        "no parameters": attempt(lambda: paddle.optimizer.SGD(0.1))["error"],
        "tensor": attempt(lambda: paddle.optimizer.SGD(0.1, parameters=paddle.ones([1])))["error"],
    }


@program(**STEPS)
def training_with_a_scheduler(paddle, np):
    """Momentum under a cosine schedule, weight decay and clipping together."""
    parameters = _parameters(paddle, np)
    scheduler = paddle.optimizer.lr.CosineAnnealingDecay(0.1, T_max=6)
    optimizer = paddle.optimizer.Momentum(
        scheduler,
        parameters=parameters,
        weight_decay=0.01,
        grad_clip=paddle.nn.ClipGradByGlobalNorm(2.0),
    )
    rates = []
    for _ in range(6):
        _train(paddle, parameters, optimizer, steps=1)
        rates.append(optimizer.get_lr())
        scheduler.step()
    return [rates, [p.numpy() for p in parameters]]


@program
def steps_keep_identity(paddle, np):
    """After a step the parameter is the same object, a leaf, and its version has not moved."""
    p = _parameters(paddle, np, 1)[0]
    optimizer = paddle.optimizer.Adam(0.1, parameters=[p])
    alias = p.detach()
    (p * p).sum().backward()
    optimizer.step()
    return [
        p.is_leaf,
        p.inplace_version,
        bool((alias.numpy() == p.numpy()).all()),
        p.grad is not None,
    ]


@program
def clips_that_make_no_sense(paddle, np):
    """A norm that is not positive, and gradients of integers."""
    nn, p = paddle.nn, paddle.to_tensor([0.0, 0.0])
    grad, whole = paddle.to_tensor([3.0, 4.0]), paddle.to_tensor([3, 4])
    return [
        [error_of(lambda limit=limit: nn.ClipGradByNorm(limit)([(p, grad)]))
         for limit in (-0.5, 0.0, float("nan"))],
        [error_of(lambda clip=clip: clip(1.0)([(p, whole)]))
         for clip in (nn.ClipGradByNorm, nn.ClipGradByGlobalNorm)],
        nn.ClipGradByNorm(True)([(p, grad)])[0][1].numpy(),
        nn.ClipGradByGlobalNorm(0)([(p, grad)])[0][1].numpy(),
    ]  # fmt: skip
